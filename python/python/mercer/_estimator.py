"""What all estimators share: from their parameters to a native model, and back."""

import json
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _mercer
from ._data import Objects, as_data, frame_columns, name_of, vectors
from ._errors import ConvergenceWarning, DataError, ParameterError
from ._kernel import Kernel, say
from ._progress import shown
from ._show import Facts
from ._threads import threads_of
from .kernels import CLASSES
from .kernels import kernel as kernel_of

#: Kernels by scikit-learn's names, with the parameters of the estimator they take.
SHORT = {
    "rbf": ("rbf", {"gamma": "gamma"}),
    "linear": ("linear", {}),
    "poly": ("polynomial", {"gamma": "gamma", "degree": "degree", "c": "coef0"}),
    "polynomial": ("polynomial", {"gamma": "gamma", "degree": "degree", "c": "coef0"}),
    "sigmoid": ("sigmoid", {"gamma": "gamma", "c": "coef0"}),
    "laplacian": ("laplacian", {"gamma": "gamma"}),
    "chi2": ("chi2", {"gamma": "gamma"}),
    "cosine": ("cosine", {}),
    "precomputed": ("precomputed", {}),
}


class Estimator(BaseEstimator):
    """A kernel, a learner of the native engine, and what was fitted."""

    #: The learner's name in expressions.
    _learner = None
    #: Whether objects may have weights.
    _weighted = False
    #: What gamma=None means.
    _gamma = "scale"

    # ------------------------------------------------------------------ parameters

    def _settings(self):
        """The learner's parameters by name; None leaves one at its default."""
        raise NotImplementedError

    def _learner_text(self):
        settings = self._settings()
        parts = [f"{name}={written(name, value)}" for name, value in settings.items() if value is not None]
        return self._learner + (f"({', '.join(parts)})" if parts else "")

    def _kernel_of(self, X=None):
        """The kernel as a value. ``gamma="scale"`` and ``"auto"`` look at X."""
        given = self.kernel
        if isinstance(given, Kernel):
            return given
        if not isinstance(given, str):
            raise ParameterError(f"kernel = {given!r}: must be a kernel of mercer or a text")
        if given not in SHORT:
            return kernel_of(given)
        name, takes = SHORT[given]
        values = {}
        for parameter, own in takes.items():
            value = getattr(self, own, None)
            if own == "gamma":
                value = self._gamma if value is None else value
                value = scale(value, X) if isinstance(value, str) else value
            if value is not None:
                values[parameter] = value
        return CLASSES[name](**values)

    def _is_precomputed(self):
        return self.kernel == "precomputed" or (
            isinstance(self.kernel, Kernel) and self.kernel._kinds() == {None: {"precomputed"}}
        )

    def _seed(self):
        state = getattr(self, "random_state", None)
        if state is None:
            return 0
        if isinstance(state, (int, np.integer)):
            return int(state) & (2**63 - 1)
        from sklearn.utils import check_random_state

        return int(check_random_state(state).randint(2**31 - 1))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    # ------------------------------------------------------------------ objects

    def _kinds_wanted(self):
        if isinstance(self.kernel, str) and self.kernel in SHORT:
            return {None: {"numbers", "sparse"}}
        return self._kernel_of()._kinds()

    def _objects(self, X, reset):
        """Native data of X, and X as scikit-learn checks it where it holds vectors."""
        if isinstance(X, Objects):
            return X._data, X
        if self._is_precomputed():
            return self._similarities(X, reset)
        kinds = self._kinds_wanted()
        wanted = set().union(*kinds.values()) if kinds else {"numbers"}
        if is_numeric(X, wanted):
            X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64, order="C")
            names = getattr(self, "feature_names_in_", None)
            if sparse.issparse(X):
                return as_data(X, kinds), X
            return vectors(X, names), X
        if reset:
            columns = frame_columns(X)
            if columns is not None:
                self.n_features_in_ = len(columns)
                self.feature_names_in_ = np.asarray([name for name, _ in columns], dtype=object)
        return as_data(X, kinds), X

    def _similarities(self, X, reset):
        # Whether values are finite and the matrix is symmetric is looked at natively, in one pass on all cores.
        X = validate_data(self, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False)
        if reset and X.shape[0] != X.shape[1]:
            raise DataError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        return _mercer.Data([("x", "precomputed", (X, reset))]), X

    # ------------------------------------------------------------------ fitting

    def _fit(self, X, target=None, weights=None):
        data, checked = self._objects(X, reset=True)
        if target is not None and len(target[1]) != len(data):
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: {[len(data), len(target[1])]}"
            )
        self._enough(len(data))
        self.kernel_ = self._kernel_of(checked)
        with shown(getattr(self, "progress", False)) as listener:
            model = _mercer.fit(
                self.kernel_._text(),
                self._learner_text(),
                data,
                target,
                weights,
                self._seed(),
                threads_of(getattr(self, "threads", None)),
                listener,
            )
        self._take(model)
        say(model.warnings(), stacklevel=4)
        for line in model.unfinished():
            warnings.warn(line, ConvergenceWarning, stacklevel=4)
        return self

    def _enough(self, n):
        """Refuses fewer objects than can be learned from."""

    def _take(self, model):
        """The attributes of a fitted model."""
        self._model = model
        found = {name: Facts(name, json.loads(text)) for name, text in model.certificates()}
        self.certificate_ = found
        counts = [c.get("iterations", c.get("epochs")) for c in found.values()]
        if counts:
            self.n_iter_ = max(counts) if len(counts) == 1 else np.asarray(counts)
        self._attributes(model.machine())

    def _attributes(self, machine):
        """The attributes of a fitted machine, by scikit-learn's names."""

    def _ask(self, X):
        check_is_fitted(self, "_model")
        data, _ = self._objects(X, reset=False)
        with shown(getattr(self, "progress", False)) as listener:
            return self._model.predict(data, threads_of(getattr(self, "threads", None)), listener)

    def _sample_weight(self, sample_weight, n, X):
        if sample_weight is None:
            return None
        if not self._weighted:
            raise ParameterError(f"{type(self).__name__} cannot weigh objects")
        from sklearn.utils.validation import _check_sample_weight

        weights = _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=False)
        return weights

    # ------------------------------------------------------------------ files

    def __getstate__(self):
        state = dict(super().__getstate__())
        model = state.pop("_model", None)
        if model is not None:
            state["_model_file"] = bytes(model.to_bytes())
        return state

    def __setstate__(self, state):
        state = dict(state)
        stored = state.pop("_model_file", None)
        super().__setstate__(state)
        if stored is not None:
            self._model = _mercer.from_bytes(stored)

    def save(self, path):
        """Writes the fitted model to a file that :func:`mercer.load` and the program ``mercer`` read."""
        check_is_fitted(self, "_model")
        self._model.save(path)


class Classifying:
    """The target of classifiers: classes of any type, with the names model files use."""

    def _classes(self, y, X):
        """Codes, names; sets ``classes_``."""
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import column_or_1d

        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(f"a classifier needs two classes or more, and the target holds {len(self.classes_)} class")
        return codes.astype(np.uint32), class_names(self.classes_)

    def _predicted(self, asked):
        return self.classes_[asked["codes"]]


def class_names(classes):
    """A distinct name for each class."""
    names = [name_of(c) for c in classes]
    return names if len(set(names)) == len(names) else [repr(c) for c in classes]


def target_name(y):
    """The name of the target in model files: its own, where it has one."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def numbers_of(y):
    from sklearn.utils import check_array
    from sklearn.utils.validation import column_or_1d

    y = column_or_1d(y, warn=True)
    return check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")


def scale(gamma, X):
    """The value of ``gamma="scale"`` or ``"auto"``, as scikit-learn defines them."""
    if gamma == "scale":
        if X is None or isinstance(X, Objects):
            raise ParameterError("gamma='scale' looks at an array of numbers: give gamma a number here")
        if sparse.issparse(X):
            variance = X.multiply(X).mean() - X.mean() ** 2
        else:
            variance = np.asarray(X).var()
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    if gamma == "auto":
        if X is None or isinstance(X, Objects):
            raise ParameterError("gamma='auto' looks at an array of numbers: give gamma a number here")
        return 1.0 / X.shape[1]
    raise ParameterError(f"gamma = {gamma!r}: must be a number above 0, 'scale' or 'auto'")


def is_numeric(X, wanted):
    """Whether X is to be taken as vectors, which scikit-learn checks."""
    if sparse.issparse(X):
        return True
    if wanted and not wanted & {"numbers", "sparse"}:
        return False
    columns = frame_columns(X)
    if columns is not None and not isinstance(X, dict):
        types = [str(getattr(values, "dtype", getattr(values, "type", ""))).lower() for _, values in columns]
        return all(t.startswith(("int", "uint", "float", "double", "bool")) for t in types)
    if columns is not None:
        return False
    # A kernel of vectors alone leaves everything else to scikit-learn's own checks and messages.
    if wanted <= {"numbers", "sparse"}:
        return True
    return getattr(np.asarray(X), "dtype", np.dtype(object)).kind in "fiub" if not is_ragged(X) else False


def is_ragged(X):
    try:
        np.asarray(X)
    except ValueError:
        return True
    return False


def written(name, value):
    """A parameter of a learner as text."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise ParameterError(f"{name} = {value!r}: must be a number") from None

