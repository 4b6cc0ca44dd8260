"""Kernel ridge regression and classification, with scikit-learn's parameters and attributes."""

import numbers
import warnings

import numpy as np
from scipy import linalg, sparse
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_array, check_is_fitted

from . import _mercer
from ._data import Objects
from ._documented import documented
from ._errors import DataError, ParameterError
from ._estimator import Classifying, Estimator, numbers_of, target_name
from ._residuals import residuals
from ._threads import threads_of
from ._values import flag, is_one_of, whole

__all__ = ["KernelRidge", "KernelRidgeClassifier"]


class _Ridge(Estimator):
    _learner = "ridge"
    # As in scikit-learn, the default is 1 / n_features, not "scale" as for support vector machines.
    _default_gamma = "auto"
    _function_of_pairs = True

    def _settings(self):
        return {"lambda": self.alpha, "intercept": flag("fit_intercept", self.fit_intercept), "landmarks": self.landmarks}

    def _enough(self, n):
        if flag("fit_intercept", self.fit_intercept) and n < 2:
            raise DataError(f"an intercept needs at least two objects, and there is {n} sample")

    def _take(self, model):
        super()._take(model)
        if is_one_of(self.alpha, ("learned",)):
            self.alpha_ = model.setting("lambda")
        else:
            self.__dict__.pop("alpha_", None)

    def _remember(self, X, target, weights):
        if isinstance(X, np.ndarray) or sparse.issparse(X):
            self.X_fit_ = X


@documented
class KernelRidge(RegressorMixin, _Ridge):
    """Kernel ridge regression: min Σ w_i (y_i - f(x_i))² + alpha·|f|².

    Parameters
    ----------
    alpha : float, "learned" or array (n_targets,), default 1.0
        Regularisation strength, as in scikit-learn. ``"learned"`` takes the one of 21 values around the scale of the
        kernel that has the least squared leave-one-out error on the training objects; ``alpha_`` is that value.
    kernel : Kernel, str or callable of two objects, default "linear"
        A kernel of mercer, its text in the expression language, "precomputed", a callable of two objects, or one of
        scikit-learn's names, which use ``gamma``, ``degree`` and ``coef0``.
    gamma : float, optional
        Parameter of kernels given by name; 1 / n_features by default.
    <degree>
    coef0 : float, default 1.0
        Constant of the kernels "poly" and "sigmoid".
    kernel_params : dict, optional
        Arguments of a callable kernel.
    fit_intercept : bool, default False
        Whether to add a constant that is not regularised.
    landmarks : int, default 0
        If not 0, fit a function of this many randomly drawn objects to all objects, by conjugate gradients: for data
        too large for a Gram matrix.
    random_state : int, optional
        Chooses the landmarks.
    <threads> <progress>

    Attributes
    ----------
    dual_coef_, X_fit_
        As in scikit-learn; ``X_fit_`` for vectors.
    coef_, intercept_
        The weights of explicit features, in place of ``dual_coef_``, for kernels that have few.
    alpha_ : float
        The learned regularisation, with ``alpha="learned"``.
    kernel_ : Kernel
        The kernel that was fitted.

    Notes
    -----
    Sample weights, several targets and ``alpha=0`` are solved in Python: such a model can be pickled but has no model
    file.

    Examples
    --------
    >>> X = np.linspace(0, 5, 30)[:, None]
    >>> Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 0])])
    >>> fitted = mercer.KernelRidge(alpha=0.001, kernel=mercer.RBF(gamma=0.5)).fit(X, Y, sample_weight=np.ones(30))
    >>> fitted.predict([[0.0]]).round(1)
    array([[0., 1.]])
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
        """Fit the regression to one target or several columns."""
        name = target_name(y)
        several = y is not None and np.asarray(y).ndim == 2
        y = table_of(y) if several else numbers_of(y)
        learned = is_one_of(self.alpha, ("learned",))
        scalar = isinstance(self.alpha, numbers.Real) and self.alpha != 0
        if sample_weight is None and not several and (scalar or learned):
            self.__dict__.pop("_expansion", None)
            return self._fit(X, (name, y))
        if learned:
            raise ParameterError("alpha = 'learned' needs one target and no sample_weight")
        if not is_one_of(self.landmarks, (0, None)):
            raise ParameterError("landmarks need one target, one alpha above 0 and no sample_weight")
        return self._expand(X, y, sample_weight)

    def _expand(self, X, y, sample_weight):
        """Solve (K + alpha·W⁻¹) dual_coef_ = y in Python."""
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
        """The kernel matrix of training objects, or of new objects with them; and the validated objects."""
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
            # A copy, because the caller may write to the arrays later.
            self._expansion = Objects(data.select(np.arange(len(data))))
        trained = self._expansion._data
        fitted = _mercer.fit_kernel(self.kernel_._text(), trained, threads, None)
        if reset:
            return fitted.gram(trained, False, threads, None), checked
        return fitted.cross(data, trained, False, threads, None), checked

    def leave_one_out(self, X, y):
        """Compute the exact leave-one-out residuals y_i - f₋ᵢ(x_i), an array (n,); f₋ᵢ is fitted without object i.

        They follow from one factorisation of K + alpha·I, in about three times the time of one fit. The estimator need
        not be fitted and is not changed. A kernel that is fitted to objects (``Standardize``, ``Center``, …) is fitted
        once to all objects, with a :class:`~mercer.DataWarning`. ``mercer evaluate --residuals FILE`` writes the same
        numbers.
        """
        return residuals(self, X, (target_name(y), numbers_of(y)))[:, 0]

    def _attributes(self, fitted):
        # With explicit features the model has one weight per feature.
        if "alpha" in fitted:
            self.dual_coef_ = fitted["alpha"][:, 0]
        else:
            self.coef_, self.intercept_ = fitted["weights"][0], fitted["offsets"][0]

    def predict(self, X):
        """Predict the target of each object, or a row of targets."""
        # A failed fit may leave some attributes.
        check_is_fitted(self, ["_model", "dual_coef_"], all_or_any=any)
        if not hasattr(self, "_expansion"):
            return self._predict_native(X)["numbers"]
        check_is_fitted(self, ["dual_coef_", "_constant"])
        K, _ = self._matrix(X, reset=False)
        if K.shape[1] != len(self.dual_coef_):
            raise DataError(f"expected similarities to {len(self.dual_coef_)} training objects, found {K.shape[1]}")
        return K @ self.dual_coef_ + self._constant


@documented
class KernelRidgeClassifier(Classifying, ClassifierMixin, _Ridge):
    """Classification by kernel ridge regression on targets ±1, one per class if there are more than two.

    Parameters as for :class:`KernelRidge`.

    Parameters
    ----------
    alpha : float or "learned", default 1.0
        Regularisation strength; ``"learned"`` as for :class:`KernelRidge`.
    kernel : Kernel, str or callable, default "linear"
        A kernel of mercer, its text in the expression language, "precomputed", a callable of two objects, or one of
        scikit-learn's names, which use ``gamma``, ``degree`` and ``coef0``.
    gamma : float, optional
        Parameter of kernels given by name; 1 / n_features by default.
    <degree>
    coef0 : float, default 1.0
        Constant of the kernels "poly" and "sigmoid".
    kernel_params : dict, optional
        Arguments of a callable kernel.
    fit_intercept : bool, default False
        Whether to add a constant that is not regularised.
    landmarks : int, default 0
        If not 0, fit a function of this many randomly drawn objects to all objects, by conjugate gradients: for data too large
        for a Gram matrix.
    random_state : int or RandomState, optional
        Draws the landmarks.
    <threads> <progress>

    Attributes
    ----------
    dual_coef_, X_fit_, classes_
        As in scikit-learn; ``X_fit_`` for vectors.
    coef_, intercept_
        The weights of explicit features, in place of ``dual_coef_``, for kernels that have few.
    alpha_ : float
        The learned regularisation, with ``alpha="learned"``.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> fitted = mercer.KernelRidgeClassifier(alpha=0.1, kernel=mercer.RBF(gamma=0.25)).fit(X, y)
    >>> bool((fitted.leave_one_out(X, y).argmin(axis=0).shape == (3,)) and fitted.score(X, y) > 0.9)
    True
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

    def fit(self, X, y):
        """Fit the classifier. ``sample_weight`` is not supported."""
        codes, names = self._classes(y, X)
        return self._fit(X, (target_name(y), codes, names))

    def leave_one_out(self, X, y):
        """Compute the exact leave-one-out residuals of the targets ±1: (n,) for two classes, otherwise (n, classes).

        For two classes, +1 stands for the second. See :meth:`KernelRidge.leave_one_out`.
        """
        codes, names = clone(self)._classes(y, X)
        out = residuals(self, X, (target_name(y), codes, names))
        return out[:, 0] if out.shape[1] == 1 else out

    def _attributes(self, fitted):
        if "alpha" in fitted:
            self.dual_coef_ = fitted["alpha"]
        else:
            self.coef_, self.intercept_ = fitted["weights"], fitted["offsets"]

    def predict(self, X):
        """Predict the class of each object."""
        return self._predicted(self._predict_native(X))

    def decision_function(self, X):
        """Compute decision values: positive for the second of two classes; for more classes, one column per class."""
        values = self._predict_native(X)["decisions"]
        return values[:, 0] if values.shape[1] == 1 else values


def table_of(y):
    return check_array(whole(y, "y"), dtype=np.float64, input_name="y")


def solve(K, y, alpha, roots, intercept):
    """Solve (K + λ W⁻¹) α + b = y for α and the constant b, with one λ for all columns of y or one per column.

    ``roots`` are the square roots of the weights, or None if all are 1. Without an intercept b is 0. With one the α of
    a column sum to 0, because b is not regularised.
    """
    columns = y.reshape(len(y), -1)
    try:
        lambdas = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
    except (OverflowError, TypeError, ValueError) as error:
        raise ParameterError(f"alpha = {alpha!r:.80}: must be numbers within the range of float64 ({error})") from None
    if lambdas.ndim != 1 or not (lambdas >= 0).all() or len(lambdas) not in (1, columns.shape[1]):
        raise ParameterError(f"alpha = {alpha!r}: must be a number of at least 0, or one for each of {columns.shape[1]} columns of y")
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
