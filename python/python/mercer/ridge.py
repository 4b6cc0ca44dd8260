"""Kernel ridge regression, for numbers and for classes, with scikit-learn's parameters and attributes."""

import numbers
import warnings

import numpy as np
from scipy import linalg, sparse
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_array, check_is_fitted

from . import _mercer
from ._data import Objects
from ._errors import DataError, ParameterError
from ._estimator import Classifying, Estimator, numbers_of, target_name
from ._residuals import residuals
from ._threads import threads_of
from ._values import flag, is_one_of, whole

__all__ = ["KernelRidge", "KernelRidgeClassifier"]


class _Ridge(Estimator):
    _learner = "ridge"
    # scikit-learn's default here is 1 / features, not the scale of support vector machines.
    _gamma_unsaid = "auto"
    _function_of_pairs = True

    def _settings(self):
        return {"lambda": self.alpha, "intercept": flag("fit_intercept", self.fit_intercept), "landmarks": self.landmarks}

    def _enough(self, n):
        if flag("fit_intercept", self.fit_intercept) and n < 2:
            raise DataError(f"an intercept needs two objects or more, and there is {n} sample")

    def _remember(self, X, target, weights):
        if isinstance(X, np.ndarray) or sparse.issparse(X):
            self.X_fit_ = X


class KernelRidge(RegressorMixin, _Ridge):
    """Kernel ridge regression: min Σ w_i (y_i - f(x_i))² + alpha·|f|².

    ``alpha`` is scikit-learn's, also one for each column of y; ``fit_intercept=True`` adds a constant that costs nothing. ``landmarks=m``
    fits a function of m objects drawn at random to all of them, by conjugate gradients: for data too large for a matrix. ``kernel``
    may be a function of two objects, to which ``kernel_params`` are passed.

    Weights of objects, several targets and ``alpha=0`` are solved in Python: such a model has a pickle but no model file.
    """

    def __init__(
        self, alpha=1.0, *, kernel="linear", gamma=None, degree=3, coef0=1.0, kernel_params=None, fit_intercept=False,
        landmarks=0, random_state=None, threads=None, progress=False,
    ):  # fmt: skip
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.landmarks = landmarks
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Fits the function to numbers, or to several columns of them."""
        name = target_name(y)
        several = y is not None and np.asarray(y).ndim == 2
        y = table_of(y) if several else numbers_of(y)
        scalar = isinstance(self.alpha, numbers.Real)
        if sample_weight is None and not several and scalar and self.alpha != 0:
            self.__dict__.pop("_expansion", None)
            return self._fit(X, (name, y))
        if not is_one_of(self.landmarks, (0, None)):
            raise ParameterError("landmarks go with one target, one alpha above 0 and objects that weigh the same")
        return self._expand(X, y, sample_weight)

    def _expand(self, X, y, sample_weight):
        """Solves (K + alpha·W⁻¹) dual_coef_ = y in Python."""
        K, checked = self._matrix(X, reset=True)
        if len(K) != len(y):
            raise DataError(f"Found input variables with inconsistent numbers of samples: {[len(K), len(y)]}")
        self.__dict__.pop("_model", None)
        roots = None
        if sample_weight is not None:
            from sklearn.utils.validation import _check_sample_weight

            empty = np.empty((len(y), 1))
            roots = np.sqrt(_check_sample_weight(sample_weight, empty, dtype=np.float64, ensure_non_negative=True))
        self._enough(len(y))
        self.dual_coef_, self._constant = solve(K, y, self.alpha, roots, bool(self.fit_intercept))
        self._remember(checked, None, None)
        return self

    def _matrix(self, X, reset):
        """The kernel between training objects, or of new ones with them; and the objects as they were checked."""
        if self._is_function():
            self.kernel_, self._expansion = self.kernel, None
            return self._function_values(X, reset)
        data, checked = self._objects(X, reset)
        if self._is_precomputed():
            self._expansion = None
            return checked, checked
        threads = threads_of(self.threads)
        if reset:
            self.kernel_ = self._kernel_of(checked)
            # A copy, because arrays may be written to later.
            self._expansion = Objects(data.select(np.arange(len(data))))
        trained = self._expansion._data
        fitted = _mercer.fit_kernel(self.kernel_._text(), trained, threads, None)
        if reset:
            return fitted.gram(trained, False, threads, None), checked
        return fitted.cross(data, trained, False, threads, None), checked

    def leave_one_out(self, X, y):
        """The exact leave-one-out residuals y_i - f₋ᵢ(x_i) of this regression, f₋ᵢ fitted without object i: an array (n,).

        From one factor of K + alpha·I, in about three times the time of one fit. Nothing has to be fitted before, and nothing is
        kept. Where the kernel itself is fitted to objects (``Standardize``, ``Center``, …) it is fitted once to all of them, which
        a :class:`~mercer.DataWarning` says. ``mercer evaluate --residuals FILE`` writes the same numbers.
        """
        return residuals(self, X, (target_name(y), numbers_of(y)))[:, 0]

    def _attributes(self, machine):
        # On explicit coordinates the machine is a weight for each of them.
        if "alpha" in machine:
            self.dual_coef_ = machine["alpha"][:, 0]
        else:
            self.coef_, self.intercept_ = machine["weights"][0], machine["offsets"][0]

    def predict(self, X):
        """The number of each object, or a row of numbers."""
        # A fit that failed may have left some attributes.
        check_is_fitted(self, ["_model", "dual_coef_"], all_or_any=any)
        if not hasattr(self, "_expansion"):
            return self._ask(X)["numbers"]
        check_is_fitted(self, ["dual_coef_", "_constant"])
        K, _ = self._matrix(X, reset=False)
        if K.shape[1] != len(self.dual_coef_):
            raise DataError(f"expected similarities to {len(self.dual_coef_)} training objects, found {K.shape[1]}")
        return K @ self.dual_coef_ + self._constant


class KernelRidgeClassifier(Classifying, ClassifierMixin, _Ridge):
    """Classes by kernel ridge regression on targets ±1, one for each class where there are more than two."""

    def __init__(
        self, alpha=1.0, *, kernel="linear", gamma=None, degree=3, coef0=1.0, kernel_params=None, fit_intercept=False,
        landmarks=0, random_state=None, threads=None, progress=False,
    ):  # fmt: skip
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.landmarks = landmarks
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def fit(self, X, y):
        """Fits the classifier. Objects cannot be weighed."""
        codes, names = self._classes(y, X)
        return self._fit(X, (target_name(y), codes, names))

    def leave_one_out(self, X, y):
        """The exact leave-one-out residuals of the targets ±1: (n,) with two classes, the second one +1; otherwise (n, classes).

        See :meth:`KernelRidge.leave_one_out`.
        """
        codes, names = clone(self)._classes(y, X)
        out = residuals(self, X, (target_name(y), codes, names))
        return out[:, 0] if out.shape[1] == 1 else out

    def _attributes(self, machine):
        if "alpha" in machine:
            self.dual_coef_ = machine["alpha"]
        else:
            self.coef_, self.intercept_ = machine["weights"], machine["offsets"]

    def predict(self, X):
        """The class of each object."""
        return self._predicted(self._ask(X))

    def decision_function(self, X):
        """Positive for the second of two classes; for more, a column for each class."""
        values = self._ask(X)["decisions"]
        return values[:, 0] if values.shape[1] == 1 else values


def table_of(y):
    return check_array(whole(y, "y"), dtype=np.float64, input_name="y")


def solve(K, y, alpha, roots, intercept):
    """The coefficients α and the constant b of (K + λ W⁻¹) α + b = y, a λ for all columns of y or one for each.

    ``roots`` are the roots of the weights, or None where all are 1. Without an intercept b is 0; with one the α of a column add up
    to 0, because b costs nothing.
    """
    columns = y.reshape(len(y), -1)
    try:
        lambdas = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
    except (OverflowError, TypeError, ValueError) as error:
        raise ParameterError(f"alpha = {alpha!r:.80}: must be numbers that doubles hold ({error})") from None
    if lambdas.ndim != 1 or not (lambdas >= 0).all() or len(lambdas) not in (1, columns.shape[1]):
        raise ParameterError(f"alpha = {alpha!r}: must be a number from 0, or one for each of {columns.shape[1]} columns of y")
    roots = np.ones(len(y)) if roots is None else roots
    K, columns = K * roots[:, None] * roots[None, :], columns * roots[:, None]
    parts = [slice(None)] if len(lambdas) == 1 else [[j] for j in range(len(lambdas))]
    out, constants = np.empty_like(columns), np.zeros(columns.shape[1])
    for part, own in zip(parts, lambdas):
        if intercept:
            solved = one(K, np.column_stack([columns[:, part], roots]), own)
            constants[part] = roots @ solved[:, :-1] / (roots @ solved[:, -1])
            out[:, part] = solved[:, :-1] - solved[:, [-1]] * constants[part]
        else:
            out[:, part] = one(K, columns[:, part], own)
    return (out * roots[:, None]).reshape(y.shape), constants if y.ndim == 2 else constants[0]


def one(K, columns, alpha):
    system = K.copy()
    system.flat[:: len(K) + 1] += alpha
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", linalg.LinAlgWarning)
            return linalg.solve(system, columns, assume_a="pos")
    except (np.linalg.LinAlgError, linalg.LinAlgWarning):
        text = "Singular matrix in solving dual problem. Using least-squares solution instead."
        warnings.warn(text, stacklevel=4)
        return linalg.lstsq(system, columns)[0]
