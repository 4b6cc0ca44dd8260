"""Support vector machines with scikit-learn's parameters, attributes and signs, and a certificate for every fit."""

import numpy as np
from sklearn.base import OutlierMixin, RegressorMixin
from sklearn.utils.validation import _num_samples

from ._class_weight import class_weights
from ._data import Objects
from ._documented import documented
from ._estimator import numbers_of, target_name
from ._values import flag
from ._vectors import VectorClassifier, Vectors, penalty
from .landmarks import LandmarkSVC
from .linear import LinearSVC, LinearSVR

__all__ = ["LandmarkSVC", "LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR"]


@documented
class SVC(VectorClassifier):
    """C-support vector classification.

    Parameters
    ----------
    C : float, default 1.0
        Penalty of errors relative to the width of the margin. Infinity is replaced by 1e10; ``margin="hard"`` is exact.
    <kernel> <gamma> <degree> <coef0> <class_weight> <scheme>
    margin : {"soft", "hard"}, default "soft"
        A hard margin allows no errors and does not use C.
    <probability> <decision_function_shape> <break_ties> <shrinking> <tol> <max_iter> <cache_size> <verbose> <solver>
    random_state : int, optional
        Chooses the folds for probabilities.
    <threads> <progress>

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, shape_fit_,
    fit_status_, probA_, probB_
        As in scikit-learn, with its signs. ``coef_`` exists for the linear kernel, ``support_vectors_`` for vectors;
        neither exists after :func:`mercer.load`.
    certificate_ : dict
        For each binary classifier: primal and dual objective, duality gap, iterations, reason for stopping.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> fitted = mercer.SVC(kernel=mercer.Standardize(mercer.RBF(gamma=0.25)), C=10).fit(X, y)
    >>> float(round(fitted.score(X, y), 3))
    0.987
    """

    _learner = "svc"

    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        class_weight=None,
        scheme="one-versus-one",
        margin="soft",
        probability=False,
        decision_function_shape="ovr",
        break_ties=False,
        shrinking=True,
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        verbose=False,
        solver="auto",
        random_state=None,
        threads=None,
        progress=False,
    ):
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.scheme = scheme
        self.margin = margin
        self.probability = probability
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.shrinking = shrinking
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose
        self.solver = solver
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {
            "C": penalty(self.C),
            "weights": class_weights(self),
            "scheme": self.scheme,
            "margin": self.margin,
            "probability": flag("probability", self.probability),
            **self._limits(),
        }


@documented
class NuSVC(VectorClassifier):
    """Nu-support vector classification: ``nu`` is the share of objects inside the margin. Otherwise as :class:`SVC`.

    Parameters
    ----------
    nu : float, default 0.5
        Upper bound on the share of objects with an error, lower bound on the share of support vectors; above 0, at most 1.
    <kernel> <gamma> <degree> <coef0> <class_weight> <scheme> <probability> <decision_function_shape> <break_ties> <shrinking> <tol> <max_iter> <cache_size> <verbose> <solver>
    random_state : int or RandomState, optional
        Chooses the folds for probabilities.
    <threads> <progress>

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, shape_fit_,
    fit_status_, probA_, probB_
        As for :class:`SVC`.
    certificate_ : dict
        A certificate for each binary classifier.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> fitted = mercer.NuSVC(nu=0.1, kernel=mercer.RBF(gamma=0.25)).fit(X, y)
    >>> float(round(fitted.score(X, y), 2))
    0.99
    """

    _learner = "nu-svc"
    _one_class_left = "specified nu is infeasible: all samples with positive weights belong to the same class"

    def __init__(
        self,
        nu=0.5,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        class_weight=None,
        scheme="one-versus-one",
        probability=False,
        decision_function_shape="ovr",
        break_ties=False,
        shrinking=True,
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        verbose=False,
        solver="auto",
        random_state=None,
        threads=None,
        progress=False,
    ):
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.scheme = scheme
        self.probability = probability
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.shrinking = shrinking
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose
        self.solver = solver
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {
            "nu": self.nu,
            "weights": class_weights(self),
            "scheme": self.scheme,
            "probability": flag("probability", self.probability),
            **self._limits(),
        }


class _Regressor(RegressorMixin, Vectors):
    def fit(self, X, y, sample_weight=None):
        """Fit the regression."""
        name, y = target_name(y), numbers_of(y)
        weights = self._sample_weight(sample_weight, len(y), X)
        return self._fit(X, (name, y), weights)

    def _attributes(self, fitted):
        self._one(fitted)

    def predict(self, X):
        """Predict the target of each object."""
        return self._predict_native(X)["numbers"]


@documented
class SVR(_Regressor):
    """Epsilon-support vector regression: errors up to ``epsilon`` are not penalised. Otherwise as :class:`SVC`.

    Parameters
    ----------
    C : float, default 1.0
        Penalty of errors relative to the width of the margin.
    epsilon : float, default 0.1
        Errors up to this size are not penalised.
    <kernel> <gamma> <degree> <coef0> <shrinking> <tol> <max_iter> <cache_size> <verbose> <solver> <threads> <progress>

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, shape_fit_, fit_status_
        As in scikit-learn.
    certificate_ : dict
        Primal and dual objective, duality gap, iterations, reason for stopping.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X = np.linspace(0, 5, 40)[:, None]
    >>> fitted = mercer.SVR(kernel=mercer.RBF(gamma=0.5), C=10, epsilon=0.05).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(fitted.predict([[2.0]])[0] - np.sin(2.0)) < 0.1)
    True
    """

    _learner = "svr"

    def __init__(
        self,
        C=1.0,
        *,
        epsilon=0.1,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        shrinking=True,
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        verbose=False,
        solver="auto",
        threads=None,
        progress=False,
    ):
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose
        self.solver = solver
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"C": penalty(self.C), "epsilon": self.epsilon, **self._limits()}


@documented
class NuSVR(_Regressor):
    """Nu-support vector regression: a share of about ``nu`` of the objects is outside the tube. See :class:`SVC`.

    Parameters
    ----------
    nu : float, default 0.5
        Upper bound on the share of objects outside the tube, lower bound on the share of support vectors; above 0, at most 1.
    C : float, default 1.0
        Penalty of errors relative to the width of the margin.
    <kernel> <gamma> <degree> <coef0> <shrinking> <tol> <max_iter> <cache_size> <verbose> <solver> <threads> <progress>

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, shape_fit_, fit_status_
        As in scikit-learn.
    certificate_ : dict
        Primal and dual objective, duality gap, iterations, reason for stopping.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X = np.linspace(0, 5, 40)[:, None]
    >>> fitted = mercer.NuSVR(nu=0.3, C=10, kernel=mercer.RBF(gamma=0.5)).fit(X, np.sin(X[:, 0]))
    >>> bool(len(fitted.support_) < 40)
    True
    """

    _learner = "nu-svr"

    def __init__(
        self,
        nu=0.5,
        *,
        C=1.0,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        shrinking=True,
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        verbose=False,
        solver="auto",
        threads=None,
        progress=False,
    ):
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose
        self.solver = solver
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"nu": self.nu, "C": penalty(self.C), **self._limits()}


@documented
class OneClassSVM(OutlierMixin, Vectors):
    """One-class SVM: the region that contains all but about a share ``nu`` of the objects; 1 inside, -1 outside.

    Parameters
    ----------
    nu : float, default 0.5
        Upper bound on the share of training objects outside the region, lower bound on the share of support vectors; above 0,
        at most 1.
    <kernel> <gamma> <degree> <coef0> <shrinking> <tol> <max_iter> <cache_size> <verbose> <solver> <threads> <progress>

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, shape_fit_, fit_status_, offset_
        As in scikit-learn.
    certificate_ : dict
        Primal and dual objective, duality gap, iterations, reason for stopping.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> fitted = mercer.OneClassSVM(nu=0.1, kernel=mercer.RBF(gamma=0.25)).fit(X)
    >>> fitted.predict([[0.0, 0.0], [6.0, 6.0]]).tolist()
    [1, -1]
    """

    _learner = "one-class"

    def __init__(
        self,
        nu=0.5,
        *,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        shrinking=True,
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        verbose=False,
        solver="auto",
        threads=None,
        progress=False,
    ):
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose
        self.solver = solver
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"nu": self.nu, **self._limits()}

    def fit(self, X, y=None, sample_weight=None):
        """Fit the region; y is ignored."""
        count = len(X) if isinstance(X, Objects) else None if sample_weight is None else _num_samples(X)
        return self._fit(X, None, self._sample_weight(sample_weight, count, X))

    def _attributes(self, fitted):
        self._one(fitted)
        self.offset_ = -self.intercept_

    def decision_function(self, X):
        """Compute decision values: at least 0 inside the region."""
        return self._predict_native(X)["decisions"][:, 0]

    def score_samples(self, X):
        """Compute the decision values without the offset."""
        return self.decision_function(X) + self.offset_

    def predict(self, X):
        """Predict 1 for objects inside the region and -1 for others."""
        return self._predict_native(X)["numbers"].astype(np.intp)
