"""Support vector machines, with scikit-learn's parameters, attributes and signs, and a certificate for every fit."""

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples

from ._class_weight import class_weights
from ._data import Objects
from ._errors import DataError, ParameterError
from ._estimator import Classifying, Estimator, numbers_of, target_name
from ._locations import Located
from ._values import flag, is_one_of, real, whole
from .linear import LinearSVC, LinearSVR

__all__ = ["LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR"]


class _Vectors(Located, Estimator):
    """What the five kernel machines have in common."""

    _weighted = True

    @property
    def _unfinished(self):
        if is_one_of(self.max_iter, (-1, None)):
            return ""
        return (
            f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with StandardScaler or "
            "MinMaxScaler. "
        )

    def _limits(self):
        checked("shrinking", self.shrinking, "yes or no", isinstance(self.shrinking, (bool, np.bool_)))
        return {
            "tolerance": self.tol,
            "iterations": None if is_one_of(self.max_iter, (-1, None)) else self.max_iter,
            "cache": self.cache_size,
            "solver": self.solver,
        }

    def _sample_weight(self, sample_weight, n, X):
        """Weights, of which those below 0 count as 0: such objects are left out, as LIBSVM leaves them out."""
        if sample_weight is not None:
            try:
                sample_weight = np.asarray(whole(sample_weight, "sample_weight"), dtype=np.float64)
            except OverflowError as error:
                raise DataError(f"sample_weight holds a number that no double holds: {error}") from None
            if sample_weight.size and (sample_weight <= 0).all():
                raise DataError("Invalid input - all samples have zero or negative weights.")
        weights = super()._sample_weight(sample_weight, n, X)
        return None if weights is None else np.maximum(weights, 0.0)

    def _as_trained(self, X, reset):
        # As in scikit-learn: what is learned from a dense array is most often an array with few zeros.
        if not reset and sparse.issparse(X) and not getattr(self, "_sparse", True):
            raise DataError(f"cannot use sparse input in {type(self).__name__!r} trained on dense data: X.toarray() makes it dense")
        return super()._as_trained(X, reset)

    def _one(self, machine):
        """The attributes of a single machine."""
        places, coefficients, offset = machine["machines"][0]
        self.support_ = machine["support"][places].astype(np.int32)
        self.dual_coef_ = coefficients.reshape(1, -1)
        self.intercept_ = np.array([-offset])
        self.n_support_ = np.array([len(places)], dtype=np.int32)

    def _take(self, model):
        super()._take(model)
        self.fit_status_ = int(not model.machine()["converged"])
        self.shape_fit_ = (model.objects(),)

    def _remember(self, X, target, weights):
        """``support_vectors_`` and what else comes from the training objects."""
        self.__dict__.pop("support_vectors_", None)
        self.shape_fit_ = getattr(X, "shape", self.shape_fit_)
        self._gamma = 0.0 if self._is_precomputed() or self._is_function() else getattr(self.kernel_, "gamma", 0.0)
        if self._is_precomputed() or self._is_function():
            self.support_vectors_ = np.empty((0, 0))
        elif sparse.issparse(X):
            self.support_vectors_ = X[self.support_]
            family = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
            self.dual_coef_ = family(self.dual_coef_)
        elif isinstance(X, (np.ndarray, Objects)):
            self.support_vectors_ = X[self.support_]

    @property
    def coef_(self):
        """The weights of the features, where the kernel is linear; they cannot be changed."""
        name = self.kernel if isinstance(self.kernel, str) else getattr(self.kernel, "expression", None)
        if name != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._coef(dense_of(self.dual_coef_), self.support_vectors_)
        if sparse.issparse(coef):
            coef.data.flags.writeable = False
        else:
            coef.flags.writeable = False
        return coef

    def _coef(self, dual, vectors):
        if sparse.issparse(vectors):
            return type(vectors)(sparse.csr_array(dual) @ vectors)
        return dual @ vectors


def penalty(C):
    """C as a finite number: an error that may not be at all costs 1e10, beyond which rounding decides."""
    return 1e10 if real("C", C) == np.inf else C


def dense_of(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def checked(name, value, domain, right):
    """Refuses a parameter that is accepted for scikit-learn's sake but has no such value."""
    if not right:
        raise ParameterError(f"{name} = {value!r}: must be {domain}")


def _has_probability(self):
    if not self.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class _Classifier(Classifying, ClassifierMixin, _Vectors):
    def fit(self, X, y, sample_weight=None):
        """Fits the machines: one for each pair of classes, or one for each class (``scheme``)."""
        shape = self.decision_function_shape
        checked("decision_function_shape", shape, "'ovr' or 'ovo'", is_one_of(shape, ("ovr", "ovo")))
        flag("break_ties", self.break_ties)
        codes, names = self._classes(y, X)
        weights = self._sample_weight(sample_weight, len(codes), X)
        if weights is not None and len(np.unique(codes[weights > 0])) < 2:
            raise DataError(self._one_class_left)
        return self._fit(X, (target_name(y), codes, names), weights)

    _one_class_left = "Invalid input - all samples with positive weights belong to the same class"

    def _take(self, model):
        super()._take(model)
        # Models of LIBSVM do not say how many iterations they took.
        self.n_iter_ = np.atleast_1d(np.asarray(getattr(self, "n_iter_", 0), dtype=np.int32))

    def _attributes(self, machine):
        classes, support = machine["support_classes"], machine["support"]
        self.class_weight_ = machine["class_weights"]
        # scikit-learn lists support vectors class by class.
        order = np.argsort(classes, kind="stable")
        place = np.empty(len(order), dtype=int)
        place[order] = np.arange(len(order))
        self.support_ = support[order].astype(np.int32)
        known = len(getattr(self, "classes_", ())) or int(classes.max(initial=0)) + 1
        self.n_support_ = np.bincount(classes, minlength=known).astype(np.int32)
        pairs, parts = machine["pairs"], machine["machines"]
        if len(parts) == 1:
            at, coefficients, offset = parts[0]
            self.dual_coef_ = np.zeros((1, len(support)))
            self.dual_coef_[0, place[at]] = coefficients
            self.intercept_ = np.array([-offset])
        elif machine["one_versus_one"]:
            # Of a pair (a, b) scikit-learn's values are positive for a, ours for b; row b - 1 holds a's, row a holds b's.
            self.dual_coef_ = np.zeros((known - 1, len(support)))
            self.intercept_ = np.empty(len(parts))
            for number, ((a, b), (at, coefficients, offset)) in enumerate(zip(pairs, parts)):
                own = classes[at]
                rows = np.where(own == a, b - 1, a)
                self.dual_coef_[rows, place[at]] = -coefficients
                self.intercept_[number] = offset
        else:
            self.dual_coef_ = np.zeros((len(parts), len(support)))
            for row, (at, coefficients, _) in enumerate(parts):
                self.dual_coef_[row, place[at]] = coefficients
            self.intercept_ = np.array([-offset for _, _, offset in parts])
        # scikit-learn's sigmoids take values that are positive for the first class of a pair.
        sigmoids = np.asarray(machine.get("sigmoids", []), dtype=float).reshape(-1, 2)
        self.probA_, self.probB_ = sigmoids[:, 0], 0.0 - sigmoids[:, 1]

    def _coef(self, dual, vectors):
        if len(self.classes_) == 2 or self.scheme == "one-versus-rest":
            return super()._coef(dual, vectors)
        # For a pair (a, b) the coefficients of a's support vectors are in row b - 1, those of b's in row a.
        ends = np.cumsum(self.n_support_)
        own = [slice(end - count, end) for end, count in zip(ends, self.n_support_)]
        rows = np.zeros((len(self.classes_) * (len(self.classes_) - 1) // 2, dual.shape[1]))
        pairs = ((a, b) for a in range(len(own)) for b in range(a + 1, len(own)))
        for row, (a, b) in zip(rows, pairs):
            row[own[a]], row[own[b]] = dual[b - 1, own[a]], dual[a, own[b]]
        return super()._coef(rows, vectors)

    def predict(self, X):
        """The class of each object.

        Of classes with the same number of votes the first is chosen, as LIBSVM does; with ``break_ties=True`` the one of largest
        decision value.
        """
        if flag("break_ties", self.break_ties) and is_one_of(self.decision_function_shape, ("ovo",)):
            raise ParameterError("break_ties must be False when decision_function_shape is 'ovo'")
        asked = self._ask(X)
        if self.break_ties and asked["decisions"].shape[1] > 1:
            return self.classes_[np.argmax(self._decided(asked["decisions"]), axis=1)]
        return self._predicted(asked)

    def decision_function(self, X):
        """Decision values: positive for the second of two classes; for more, a column for each class.

        ``decision_function_shape="ovo"`` gives a column for each pair of classes, positive for the first.
        """
        return self._decided(self._ask(X)["decisions"])

    def _decided(self, values):
        if values.shape[1] == 1:
            return values[:, 0]
        if self.scheme == "one-versus-rest":
            return values
        if self.decision_function_shape == "ovo":
            return -values
        return votes(-values, len(self.classes_))

    @available_if(_has_probability)
    def predict_proba(self, X):
        """The probability of each class, calibrated on objects held out."""
        asked = self._ask(X)
        if "probabilities" not in asked:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return asked["probabilities"]

    @available_if(_has_probability)
    def predict_log_proba(self, X):
        """The logarithm of :meth:`predict_proba`."""
        return np.log(self.predict_proba(X))


def votes(pairs, classes):
    """Values of pairs (positive for the first) as a value for each class: its votes, and a fraction for confidence."""
    won, sums = np.zeros((2, len(pairs), classes))
    number = 0
    for a in range(classes):
        for b in range(a + 1, classes):
            value = pairs[:, number]
            sums[:, a] += value
            sums[:, b] -= value
            won[:, a] += value >= 0
            won[:, b] += value < 0
            number += 1
    return won + sums / (3 * (np.abs(sums) + 1))


class SVC(_Classifier):
    """Support vector classification with penalty C.

    Parameters
    ----------
    C : float, default 1.0
        What an error costs compared with the width of the margin; infinity is taken for 1e10, and ``margin="hard"`` is exact.
    kernel : Kernel or str, default "rbf"
        A kernel of mercer, a text of the expression language, "precomputed", or scikit-learn's names "linear", "poly",
        "rbf", "sigmoid", which take ``gamma``, ``degree`` and ``coef0``.
    gamma : {"scale", "auto"} or float, default "scale"
    degree : int, default 3
    coef0 : float, default 0.0
    class_weight : dict or "balanced", optional
    scheme : {"one-versus-one", "one-versus-rest"}
        How more than two classes are told apart.
    margin : {"soft", "hard"}
        With a hard margin no error is allowed and C is not used.
    probability : bool, default False
        Whether probabilities are fitted too, to five folds held out.
    decision_function_shape : {"ovr", "ovo"}
    break_ties : bool, default False
        Whether the largest decision value decides between classes with the same number of votes, and not their order.
    shrinking : bool
        Accepted for scikit-learn's sake: the solver decides by itself, and the result is the same.
    tol, max_iter, cache_size : limits; ``max_iter=-1`` leaves the engine's own.
    solver : {"auto", "smo", "active-set"}
        "smo" moves pairs of variables, as LIBSVM does; "active-set" solves for all free variables together, exact to
        rounding; "auto" moves pairs and hands over to the active set where they crawl.
    random_state : int, optional
        Chooses the folds behind probabilities.
    threads, progress, verbose : how work is done.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, shape_fit_, fit_status_, probA_, probB_
        As in scikit-learn, with its signs. ``coef_`` is there for the linear kernel; ``support_vectors_`` for vectors; after
        :func:`mercer.load` neither is.
    certificate_ : dict
        For each machine: primal and dual objective, their gap, iterations, why it stopped.
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


class NuSVC(_Classifier):
    """Support vector classification by the share ``nu`` of objects inside the margin. Otherwise as :class:`SVC`."""

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


class _Regressor(RegressorMixin, _Vectors):
    def fit(self, X, y, sample_weight=None):
        """Fits the machine to numbers."""
        name, y = target_name(y), numbers_of(y)
        weights = self._sample_weight(sample_weight, len(y), X)
        return self._fit(X, (name, y), weights)

    def _attributes(self, machine):
        self._one(machine)

    def predict(self, X):
        """The number of each object."""
        return self._ask(X)["numbers"]


class SVR(_Regressor):
    """Support vector regression: errors up to ``epsilon`` cost nothing. Parameters otherwise as :class:`SVC`."""

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


class NuSVR(_Regressor):
    """Support vector regression whose tube leaves about a share ``nu`` of the objects outside."""

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


class OneClassSVM(OutlierMixin, _Vectors):
    """The region that holds all but about a share ``nu`` of the objects: 1 inside, -1 outside."""

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
        """Fits the region; y is not looked at."""
        count = len(X) if isinstance(X, Objects) else None if sample_weight is None else _num_samples(X)
        return self._fit(X, None, self._sample_weight(sample_weight, count, X))

    def _attributes(self, machine):
        self._one(machine)
        self.offset_ = -self.intercept_

    def decision_function(self, X):
        """At least 0 inside the region."""
        return self._ask(X)["decisions"][:, 0]

    def score_samples(self, X):
        """The decision values without their offset."""
        return self.decision_function(X) + self.offset_

    def predict(self, X):
        """1 for objects inside the region, -1 for others."""
        return self._ask(X)["numbers"].astype(np.intp)
