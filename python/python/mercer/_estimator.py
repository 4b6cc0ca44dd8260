"""Base classes of all estimators: conversion of parameters, data and fitted models."""

import contextlib
import json
import os
import sys
import warnings
from collections.abc import Mapping

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, assert_all_finite, check_is_fitted, validate_data

from . import _mercer
from ._data import NAME, Objects, Records, as_data, frame_columns, name_of, plain, positions, vectors
from ._errors import ConvergenceWarning, DataError, DataWarning, ParameterError, SparseKernelError
from ._graphs import is_network
from ._computed import warn_data
from ._kernel import Kernel
from ._order import Resorted
from ._progress import shown
from ._show import Certified, Facts
from ._tables import is_numeric_type
from ._threads import threads_of
from ._values import is_one_of, whole
from .kernels import CLASSES
from .kernels import kernel as kernel_of

#: Kernels by scikit-learn's names, with the estimator parameters that they use.
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


@contextlib.contextmanager
def text_explained():
    """Says which kernels take text, where numbers were expected and text was found."""
    try:
        yield
    except ValueError as error:
        if "could not convert string to float" not in str(error):
            raise
        raise DataError(
            f"{error}: this kernel takes numbers. Kernels on strings take text, such as mercer.Spectrum(k=3), or "
            "kernel='tanimoto(ecfp)' for SMILES; mercer.kernels has all of them"
        ) from error


def calibrated(estimator):
    """Whether a fitted estimator has a calibration."""
    model = estimator.__dict__.get("_model")
    if model is None or model.calibration() is None:
        raise AttributeError(
            f"this {type(estimator).__name__} has no calibration: fit it with mercer.ConformalClassifier or mercer.ConformalRegressor"
        )
    return True


def calibrated_for(what):
    """Whether it has one for classes, or for numbers."""
    return lambda estimator: calibrated(estimator) and bool(estimator._model.target()[1]) == (what == "classes")


class Estimator(Certified, BaseEstimator):
    """Base class: a kernel, a learner of the native engine, and the fitted model."""

    #: The learner's name in expressions.
    _learner = None
    #: Whether ``sample_weight`` is supported.
    _weighted = False
    #: The value that gamma=None stands for.
    _default_gamma = "scale"
    #: Whether a callable kernel gets two objects, as in KernelRidge, or two sets of objects, as in SVC.
    _function_of_pairs = False
    #: Prefix of convergence warnings: scikit-learn's words, by which users filter them.
    _unfinished = ""

    # ------------------------------------------------------------------ parameters

    def _settings(self):
        """The learner's parameters by name; None stands for the default."""
        raise NotImplementedError

    def _learner_text(self):
        settings = self._settings()
        parts = [f"{name}={written(name, value)}" for name, value in settings.items() if value is not None]
        return self._learner + (f"({', '.join(parts)})" if parts else "")

    def _kernel_of(self, X=None):
        """The kernel object. ``gamma="scale"`` and ``"auto"`` are computed from X, or kept if X is ``AS_TEXT``."""
        given = self.kernel
        if isinstance(given, Kernel):
            return given
        if isinstance(given, type):
            raise ParameterError(f"kernel = {given.__name__}: is a class; a kernel is made by calling it: {given.__name__}()")
        if callable(given):
            raise ParameterError(
                f"kernel = {given!r}: a callable has no text form, which mercer's searches and model files need; use a kernel of "
                "mercer, or scikit-learn's GridSearchCV and pickle"
            )
        if not isinstance(given, str):
            raise ParameterError(f"kernel = {given!r}: must be a kernel of mercer, a str or a callable")
        if given not in SHORT:
            return kernel_of(given)
        name, takes = SHORT[given]
        values = {}
        for parameter, own in takes.items():
            value = getattr(self, own, None)
            if own == "gamma":
                value = self._default_gamma if value is None else value
                value = scale(value, X) if isinstance(value, str) else value
            if value is not None:
                values[parameter] = value
        return CLASSES[name](**values)

    def _is_precomputed(self):
        if isinstance(self.kernel, Kernel):
            return self.kernel._kinds() == {None: {"precomputed"}}
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _is_function(self):
        """Whether the kernel is a callable, whose matrix is computed in Python and passed as precomputed."""
        return callable(self.kernel) and not isinstance(self.kernel, (Kernel, type))

    def _listener(self):
        """The progress callback, or True for a progress bar."""
        progress = getattr(self, "progress", False)
        return progress if callable(progress) or progress is True else is_one_of(getattr(self, "verbose", False), (True,))

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
        tags.input_tags.sparse = not self._is_precomputed()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.allow_nan = self._accepts_missing()
        return tags

    def _accepts_missing(self):
        """Whether the kernel accepts missing values."""
        try:
            kernel = self._kernel_of(np.zeros((1, 1)))
            return isinstance(kernel, Kernel) and kernel._accepts_missing()
        except ParameterError:
            return False

    # ------------------------------------------------------------------ objects

    def _kinds_wanted(self):
        if isinstance(self.kernel, str) and self.kernel in SHORT:
            return {None: {"numbers", "sparse"}}
        return self._kernel_of()._kinds()

    def _objects(self, X, reset):
        """Native data of X, and X as validated by scikit-learn if it holds vectors."""
        if not reset and isinstance(X, (str, os.PathLike)):
            return self._read(X)
        X = plain(X)
        if reset:
            for name in ("_function_objects", "_sparse", "_fitted_to"):
                self.__dict__.pop(name, None)
        if self._is_precomputed() and not isinstance(X, Objects):
            return self._similarities(X, reset)
        if self._is_function():
            return self._values(X, reset)
        if isinstance(self.kernel, Kernel) and self.kernel._functions():
            return self._with_functions(X, reset)
        kinds = self._kinds_wanted()
        # Kernels by scikit-learn's names use all columns, as they do there; kernels of mercer use the suitable ones.
        named = self.kernel is None or (isinstance(self.kernel, str) and self.kernel in SHORT)
        unused = "pass" if not reset else "refuse" if named else "warn"
        wanted = set().union(*kinds.values()) if kinds else {"numbers"}
        if not isinstance(X, Objects) and is_numeric(X, wanted) and (None in kinds or frame_columns(X) is None):
            finite = "allow-nan" if self._accepts_missing() else True
            with text_explained():
                X = validate_data(
                    self, X, reset=reset, accept_sparse="csr", dtype=np.float64, order="C", ensure_all_finite=finite
                )  # fmt: skip
            X = self._as_trained(X, reset)
            names = getattr(self, "feature_names_in_", None)
            if sparse.issparse(X):
                return as_data(X, kinds), X
            if names is None and (names := positions(kinds, X.shape[1])) is not None:
                self.__dict__.pop("_fitted_to", None)
            return vectors(X, names), X
        if reset:
            columns = X._data.columns() if isinstance(X, Records) else None if isinstance(X, Objects) else frame_columns(X)
            if columns is not None:
                self.n_features_in_ = len(columns)
                self.feature_names_in_ = np.asarray([name for name, _ in columns], dtype=object)
        data = as_data(X, kinds, unused=unused)
        return data, joined_numbers(data) if named else X

    def _with_functions(self, X, reset):
        """Native data for a kernel with Python functions in it, whose values are precomputed columns."""
        from .functions import with_functions

        if reset:
            self._function_objects = X
            self.__dict__.pop("n_features_in_", None)
            columns = frame_columns(X)
            if columns is not None:
                self.n_features_in_ = len(columns)
                self.feature_names_in_ = np.asarray([name for name, _ in columns], dtype=object)
            elif getattr(X, "ndim", None) == 2:
                self.n_features_in_ = X.shape[1]
        unused = "warn" if reset else "pass"
        training = None if reset else self._function_trained()
        return with_functions(self.kernel, X, training, lambda X: as_data(X, self.kernel._kinds(), unused=unused)), X

    def _read(self, path):
        """Objects of a file, read as the training data of the model was; the file may have other columns too."""
        data, lines = self._model.read(os.fspath(path))
        for line in lines:
            warnings.warn(line, DataWarning, stacklevel=4)
        numeric = all(kind in ("numbers", "sparse") for _, kind in data.columns())
        return data, joined_numbers(data) if numeric else data

    def _as_trained(self, X, reset):
        """Vectors in the format (dense or sparse) of the training objects."""
        if reset:
            self._sparse = sparse.issparse(X)
            if not self._sparse:
                self._fitted_to = (getattr(self, "kernel", None), getattr(self, "metric", None), X.shape[1])
        elif getattr(self, "_sparse", False) and not sparse.issparse(X):
            return sparse.csr_array(X)
        return X

    def _values(self, X, reset):
        K, X = self._function_values(X, reset)
        return _mercer.Data([("x", "precomputed", (K, reset))]), X

    def _function_values(self, X, reset):
        """The matrix of a callable kernel: of the training objects, or of new objects with them."""
        if self._function_of_pairs:
            X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64, order="C")
        if reset:
            self._function_objects = X
        trained = self._function_trained()
        if self._function_of_pairs:
            from sklearn.metrics.pairwise import pairwise_kernels

            K = pairwise_kernels(X, trained, metric=self.kernel, **(getattr(self, "kernel_params", None) or {}))
        else:
            K = self.kernel(X, trained)
        K = K.toarray() if sparse.issparse(K) else K
        K = np.ascontiguousarray(K, dtype=np.float64)
        expected = (_num_samples(X), _num_samples(trained))
        if K.shape != expected:
            raise DataError(f"the callable kernel returned an array of shape {K.shape}, expected {expected}")
        return K, X

    def _function_trained(self):
        """The training objects of a callable kernel."""
        if not hasattr(self, "_function_objects"):
            raise ParameterError("kernel was changed to a callable after fit: fit again")
        return self._function_objects

    def _similarities(self, X, reset):
        if sparse.issparse(X):
            raise SparseKernelError("Sparse precomputed kernels are not supported.")
        # Objects that can be converted to an array need not support np.ndim.
        shape = () if reset else np.asarray(X).shape
        if len(shape) == 2 and shape[1] != getattr(self, "n_features_in_", None):
            assert_all_finite(np.asarray(X), input_name="X")
        # The engine checks that values are finite and the matrix is symmetric, in one pass on all cores.
        X = validate_data(self, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False)
        if reset and X.shape[0] != X.shape[1]:
            assert_all_finite(X, input_name="X")
            raise DataError(f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        if reset and len(X) and not X.diagonal().any() and X.min() >= 0 and X.max() > 0:
            raise DataError(
                "Precomputed matrix has zeros on its diagonal and nothing below: these are distances, not similarities. Use "
                "np.exp(-gamma * D), or -D**2 / 2 for Euclidean distances, or KNeighborsClassifier(metric='precomputed')"
            )
        return _mercer.Data([("x", "precomputed", (X, reset))]), X

    # ------------------------------------------------------------------ fitting

    def _fit(self, X, target=None, weights=None):
        data, checked = self._objects(X, reset=True)
        if target is not None and len(target[1]) != len(data):
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: {[len(data), len(target[1])]}"
            )
        self._enough(len(data))
        self.kernel_ = self.kernel if self._is_function() else self._kernel_of(checked)
        kernel = "precomputed" if self._is_function() else self.kernel_._text()
        # Set by mercer.ConformalClassifier and ConformalRegressor for the time of this fit.
        calibrate = self.__dict__.get("_calibrate") if weights is None and target is not None else None
        threads = threads_of(getattr(self, "threads", None))
        with shown(self._listener()) as listener:
            if calibrate is not None:
                options = {"seed": self._seed(), "threads": threads, "progress": listener, **calibrate}
                model = _mercer.fit_conformal(kernel, self._learner_text(), data, target, **options)
            else:
                weights = None if weights is None else np.asarray(whole(weights, "sample_weight")).tolist()
                model = _mercer.fit(kernel, self._learner_text(), data, target, weights, self._seed(), threads, listener)
        self._take(model)
        self._remember(checked, target, weights)
        warn_data(self._relevant_warnings(model.warnings()), stacklevel=4)
        for line in model.unfinished():
            if line.startswith(("W_NO_MARGIN", "W_INDEFINITE")):
                # The solver converged, but to a solution without a margin or one that may not be optimal.
                warn_data([line], stacklevel=4)
            else:
                warnings.warn(self._unfinished + line, ConvergenceWarning, stacklevel=4)
        return self

    def _relevant_warnings(self, lines):
        """The engine's warnings that are relevant for the user."""
        return lines

    def _remember(self, X, target, weights):
        """Set the attributes that come from the training objects; X is validated."""

    def _enough(self, n):
        """Raise an error if there are too few objects."""

    def _take(self, model):
        """Set the model and the attributes that come from it."""
        self._model = model
        found = {name: Facts(name, json.loads(text)) for name, text in model.certificates()}
        self.certificate_ = found
        counts = [int(c.get("iterations", c.get("epochs"))) for c in found.values()]
        if counts:
            self.n_iter_ = counts[0] if len(counts) == 1 else np.asarray(counts, dtype=np.int32)
        self._attributes(model.trained())

    def _attributes(self, fitted):
        """Set scikit-learn's attributes from the fitted parts of the model."""

    def _predict_native(self, X):
        own = self.__dict__
        if own.get("_model") is None:
            check_is_fitted(self, "_model")
        data = _mercer.Data([(NAME, "numbers", X)]) if self._is_plain(X) else self._objects(X, reset=False)[0]
        threads = own.get("threads")
        threads = threads if threads is None and "distributed" not in sys.modules else threads_of(threads)
        if own.get("progress", False) is False and own.get("verbose", False) is False:
            found = self._model.predict(data, threads)
        else:
            with shown(self._listener()) as listener:
                found = self._model.predict(data, threads, listener)
        if "warnings" in found:
            warn_data(found["warnings"], stacklevel=4)
        return found

    def explain(self, X, n_features=5, theme="light", by="any", background=None):
        """Explain predictions by the features, columns or training objects with the largest contributions.

        Features are named by counting kernels on molecules, graphs and strings, by linear kernels, their sums, and
        ``normalize``, ``tanimoto``, ``dice`` and ``rbf-of`` around them, with learners that add up similarities. Any other model
        is explained by columns: their Shapley values compared with a background. They are exact for kernels that are sums of
        products over columns, such as ``rbf``, and for few columns; else sampled, with standard errors.

        Parameters
        ----------
        X
            The objects, as for ``predict``.
        n_features : int
            Features listed for each object.
        theme : {"light", "dark", "page"}
            The colours of images of molecules; ``"page"`` takes the text colour of the page and no background.
        by : {"any", "features", "columns", "objects", "parts"}
            What to explain by. ``"any"`` takes features if there are some, else columns if there are several. ``"parts"`` hides
            stretches of series, blocks of images, words, nodes of graphs or neighbours of nodes and predicts again, whatever
            the kernel (occlusion).
        background
            Objects like X, such as the training data, that explanations by columns compare with. By default those that the
            model stores: for a support vector machine its support vectors.

        Returns
        -------
        Explanations
            A list of :class:`Explanation`, with ``atoms``, ``bonds`` and ``svg`` for molecules, shown as images in notebooks.
            As a whole it has the Shapley values of columns: ``values``, ``base_values``, ``to_frame()``, ``plot()`` and
            ``to_shap()``.

        Examples
        --------
        >>> smiles = ["CCO", "CCCO", "CC(=O)O", "CCCCCC", "c1ccccc1", "CCCCCl"]
        >>> model = mercer.KernelRidge(kernel="tanimoto(ecfp)", alpha=0.1).fit(smiles, [1.1, 0.6, 1.2, -3.8, -1.6, -2.0])
        >>> why = model.explain(["CCCCO"])[0]
        >>> bool(np.isclose(why.offset + why.atoms.sum() + why.bonds.sum(), model.predict(["CCCCO"])[0]))
        True
        >>> why.svg[:4]
        '<svg'
        >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]), np.array([0.0, 1.0, 4.0, 9.0])
        >>> found = mercer.SVR(kernel=mercer.RBF(gamma=0.5)).fit(X, y).explain(X, background=X)
        >>> found.values.shape, found.exact, found.columns
        ((4, 2), True, ['x[1]', 'x[2]'])
        """
        from ._explanation import Explanation, Explanations

        check_is_fitted(self, "_model")
        count = self._count_of("n_features", n_features)
        data = self._objects(X, reset=False)[0]
        behind = None if background is None else self._objects(background, reset=False)[0]
        threads = threads_of(getattr(self, "threads", None))
        found = json.loads(self._model.explain(data, count, str(theme), str(by), behind, threads))
        names = class_names(self.classes_) if hasattr(self, "classes_") else []
        by_name = dict(zip(names, getattr(self, "classes_", [])))
        told = [one["value"] if one["class"] is None else by_name.get(one["class"], one["class"]) for one in found]

        def attributions(size, probabilities, orders, seed, choice):
            return json.loads(self._model.attributions(data, behind, size, probabilities, orders, seed, choice, threads))

        every = [Explanation(one, prediction) for one, prediction in zip(found, told)]
        return Explanations(every, attributions, by_name, X)

    def nearest_molecules(self, X, n=3):
        """The training molecules nearest to each molecule, the most similar first.

        A prediction for a molecule without similar training molecules is outside of the model's domain.

        Parameters
        ----------
        X
            Molecules, as for ``predict``.
        n : int
            Training molecules listed for each.

        Returns
        -------
        list of list of dict
            ``index`` among the training objects, ``smiles``, ``target`` (as text), ``id`` and ``similarity``: the Tanimoto
            (min-max) similarity of ECFP4 counts, whatever the kernel of the model.

        Examples
        --------
        >>> model = mercer.KernelRidge(kernel="tanimoto(ecfp)").fit(["CCO", "CCCO", "c1ccccc1"], [1.0, 2.0, 3.0])
        >>> model.nearest_molecules(["CCO"], n=1)[0][0]["similarity"]
        1.0
        """
        check_is_fitted(self, "_model")
        count = self._count_of("n", n)
        data = self._objects(X, reset=False)[0]
        return json.loads(self._model.nearest_molecules(data, count, threads_of(getattr(self, "threads", None))))

    def substitutions(self, X):
        """What would change if one symbol of a string were another: each position, each symbol of the alphabet.

        Parameters
        ----------
        X
            Strings, as for ``predict``; DNA, RNA, proteins, or strings of at most 64 different symbols.

        Returns
        -------
        list of dict
            For each object ``value``, and what it is (``meaning``: ``"prediction"``, ``"a|b"`` for the decision value, above 0
            for class b, or ``"probability of a"``), its ``symbols``, the ``alphabet``, and ``changes``: an array with a row for
            each position and a column for each symbol of the alphabet, 0 for the symbol that is there.

        Examples
        --------
        >>> model = mercer.KernelRidge(kernel="weighted-degree(d=2)").fit(["ACGT", "ACGA", "TTGT", "TTGA"], [1.0, 1.0, 0.0, 0.0])
        >>> found = model.substitutions(["ACGT"])[0]
        >>> found["alphabet"], found["changes"].shape
        ('ACGT', (4, 4))
        """
        check_is_fitted(self, "_model")
        data = self._objects(X, reset=False)[0]
        found = json.loads(self._model.substitutions(data, threads_of(getattr(self, "threads", None))))
        return [one | {"changes": np.array(one["changes"], dtype=float).reshape(-1, len(one["alphabet"]))} for one in found]

    @available_if(calibrated)
    def typicality(self, X):
        """How typical each object is of the training objects: a p-value, small for objects unlike all of them.

        For models with a calibration: see :class:`mercer.ConformalClassifier` and :class:`mercer.ConformalRegressor`.
        """
        data = self._objects(X, reset=False)[0]
        return self._model.typicality(data, threads_of(getattr(self, "threads", None)))

    @available_if(calibrated_for("classes"))
    def predict_set(self, X, confidence=0.9, groups=None):
        """Predict a set of classes for each object, which holds its class with this confidence: an array (n, n_classes).

        For models with a calibration: see :class:`mercer.ConformalClassifier`.
        """
        from .uncertainty import level, regions_of

        asked = level(confidence)
        return _mercer.included(np.ascontiguousarray(regions_of(self, X, asked, groups, True)["p_values"]), asked)

    @available_if(calibrated_for("numbers"))
    def predict_interval(self, X, confidence=0.9, groups=None):
        """Predict an interval for each object, which holds its number with this confidence: an array (n, 2).

        For models with a calibration: see :class:`mercer.ConformalRegressor`.
        """
        from .uncertainty import level, regions_of

        return regions_of(self, X, level(confidence), groups, True)["intervals"]

    @staticmethod
    def _count_of(name, value):
        """A whole number of at least 0."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 0:
            raise ParameterError(f"{name} = {value!r}: expected a whole number of at least 0")
        return int(value)

    def _is_plain(self, X):
        """Whether X is a small array that every check would return unchanged: the checks take longer than the prediction of
        a single object."""
        if type(X) is not np.ndarray or X.dtype != np.float64 or X.ndim != 2 or not 0 < X.size <= SMALL:
            return False
        own = self.__dict__
        kernel, metric, width = own.get("_fitted_to", (None, None, None))
        if X.shape[1] != width or "feature_names_in_" in own or not X.flags.c_contiguous:
            return False
        if not is_same(kernel, own.get("kernel")) or not is_same(metric, own.get("metric")):
            return False
        # NaN and infinity need the checks: some kernels take missing values, others refuse them with a message.
        return bool(np.isfinite(X).all())

    def _sample_weight(self, sample_weight, n, X):
        if sample_weight is None:
            return None
        if not self._weighted:
            raise ParameterError(f"{type(self).__name__} does not support sample_weight")
        from sklearn.utils.validation import _check_sample_weight

        weights = _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=False)
        return weights

    # ------------------------------------------------------------------ files

    def __getstate__(self):
        state = dict(super().__getstate__())
        model = state.pop("_model", None)
        if model is not None:
            state["_model_file"] = bytes(model.to_bytes())
            if isinstance(model, Resorted):
                state["_model_order"] = model.order
        return state

    def __setstate__(self, state):
        state = dict(state)
        stored, order = state.pop("_model_file", None), state.pop("_model_order", None)
        super().__setstate__(state)
        if stored is not None:
            model = _mercer.from_bytes(stored)
            self._model = model if order is None else Resorted(model, order)

    def save(self, path):
        """Write the fitted model to a file that :func:`mercer.load` and the program ``mercer`` can read."""
        check_is_fitted(self)
        if getattr(self, "_model", None) is None:
            raise ParameterError(f"{self!r} was fitted in Python, and model files only hold models of the engine: use pickle")
        from .files import save

        save(self, path)


#: Numbers in an array whose checks are worth avoiding.
SMALL = 4096


def is_same(one, other):
    """Whether a parameter still has its value: the same object, or an equal str, as after unpickling."""
    return one is other or (type(one) is str and type(other) is str and one == other)


class Classifying:
    """Mixin for classifiers: classes of any type, and their names in model files."""

    def _classes(self, y, X):
        """The class codes and class names; sets ``classes_``."""
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import column_or_1d

        y = column_or_1d(whole(y, "y"), warn=True)
        if y.dtype == object and any(value is None or (isinstance(value, float) and value != value) for value in y):
            raise DataError("Input y contains NaN or None: leave out objects without a class")
        check_classification_targets(y)
        # If this fit fails, an earlier model must not be used with the classes of this one.
        self.__dict__.pop("_model", None)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(f"a classifier needs at least two classes, and the target has {len(self.classes_)} class")
        return codes.astype(np.uint32), class_names(self.classes_)

    def _predicted(self, prediction):
        return self.classes_[prediction["codes"]]


def class_names(classes):
    """A distinct name for each class."""
    names = [name_of(c) for c in classes]
    return names if len(set(names)) == len(names) else [repr(c) for c in classes]


def target_name(y):
    """The name of the target in model files: ``y.name``, if it has one."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else "y"


def numbers_of(y):
    from sklearn.utils import check_array
    from sklearn.utils.validation import column_or_1d

    y = column_or_1d(whole(y, "y"), warn=True)
    return check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")


#: Placeholder for X if gamma is kept as text: the engine then computes it on each training set.
AS_TEXT = object()


def scale(gamma, X):
    """The value of ``gamma="scale"`` or ``"auto"``, as scikit-learn defines them."""
    if X is AS_TEXT:
        return gamma
    if gamma == "scale":
        if X is None or isinstance(X, Objects):
            raise ParameterError("gamma='scale' needs a numeric array: pass a number as gamma")
        if sparse.issparse(X):
            variance = X.multiply(X).mean() - X.mean() ** 2
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                variance = np.asarray(X).var()
        if not np.isfinite(X.shape[1] * variance):
            raise DataError(
                "The dual coefficients or intercepts are not finite: gamma='scale' divides by the variance of X, which is not finite. "
                "The input data may contain large values and need to be preprocessed."
            )
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    if gamma == "auto":
        if X is None or isinstance(X, Objects):
            raise ParameterError("gamma='auto' needs a numeric array: pass a number as gamma")
        return 1.0 / X.shape[1]
    raise ParameterError(f"gamma = {gamma!r}: must be a number above 0, 'scale' or 'auto'")


def joined_numbers(data):
    """All columns joined to one array; None if a column is not numeric."""
    parts = [data.numbers(name) for name, _ in data.columns()]
    return None if any(part is None for part in parts) else np.hstack(parts)


def is_numeric(X, wanted):
    """Whether X is treated as vectors, which scikit-learn validates."""
    if sparse.issparse(X):
        return True
    if is_network(X):
        return False
    if wanted and not wanted & {"numbers", "sparse"}:
        return False
    columns = frame_columns(X)
    if columns is not None and not isinstance(X, (Mapping, np.ndarray)):
        types = [str(getattr(values, "dtype", getattr(values, "type", ""))).lower() for _, values in columns]
        return all(is_numeric_type(t) or t.removeprefix("sparse[").startswith("bool") for t in types)
    if columns is not None:
        return False
    # For a kernel that takes only vectors, scikit-learn validates everything else, with its own messages.
    if wanted <= {"numbers", "sparse"}:
        return True
    if is_ragged(X):
        return False
    array = np.asarray(X)
    return array.dtype.kind in "fiub" and array.ndim <= 2


def is_ragged(X):
    try:
        np.asarray(X)
    except ValueError:
        return True
    return False


def written(name, value):
    """The text of a learner's parameter."""
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

