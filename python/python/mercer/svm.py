"""Support vector machines, with scikit-learn's parameters, attributes and signs, and a certificate for every fit."""

import numpy as np
from sklearn.base import ClassifierMixin, OutlierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from ._errors import ParameterError
from ._estimator import Classifying, Estimator, numbers_of, target_name

__all__ = ["LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR"]


class _Vectors(Estimator):
    """What the five kernel machines have in common."""

    _weighted = True

    def _limits(self):
        return {
            "tolerance": self.tol,
            "iterations": self.max_iter if self.max_iter not in (-1, None) else None,
            "cache": self.cache_size,
        }

    def _one(self, machine):
        """The attributes of a single machine."""
        places, coefficients, offset = machine["machines"][0]
        self.support_ = machine["support"][places].astype(np.int32)
        self.dual_coef_ = coefficients.reshape(1, -1)
        self.intercept_ = np.array([-offset])
        self.n_support_ = np.array([len(places)], dtype=np.int32)


def _has_probability(self):
    if not self.probability:
        raise AttributeError("predict_proba is there when probability=True before fit")
    return True


class _Classifier(Classifying, ClassifierMixin, _Vectors):
    def fit(self, X, y, sample_weight=None):
        """Fits the machines: one for each pair of classes, or one for each class (``scheme``)."""
        codes, names = self._classes(y, X)
        weights = self._sample_weight(sample_weight, len(codes), X)
        weights = self._class_weights(weights, codes)
        return self._fit(X, (target_name(y), codes, names), None if weights is None else weights.tolist())

    def _class_weights(self, weights, codes):
        given = self.class_weight
        if given is None or (given == "balanced" and "weights" in self._settings()):
            return weights
        from sklearn.utils.class_weight import compute_class_weight

        each = compute_class_weight(given, classes=self.classes_, y=self.classes_[codes])[codes]
        return each if weights is None else each * weights

    def _attributes(self, machine):
        classes, support = machine["support_classes"], machine["support"]
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

    def predict(self, X):
        """The class of each object."""
        return self._predicted(self._ask(X))

    def decision_function(self, X):
        """Decision values: positive for the second of two classes; for more, a column for each class.

        ``decision_function_shape="ovo"`` gives a column for each pair of classes, positive for the first.
        """
        values = self._ask(X)["decisions"]
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
        return self._ask(X)["probabilities"]

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
        What an error costs beside the width of the margin.
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
    tol, max_iter, cache_size : limits; ``max_iter=-1`` leaves the engine's own.
    random_state : int, optional
        Chooses the folds behind probabilities.
    threads, progress : how work is done.

    Attributes
    ----------
    support_, n_support_, dual_coef_, intercept_, classes_
        As in scikit-learn, with its signs.
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
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
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
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {
            "C": self.C,
            "weights": "balanced" if self.class_weight == "balanced" else None,
            "scheme": self.scheme,
            "margin": self.margin,
            "probability": self.probability,
            **self._limits(),
        }


class NuSVC(_Classifier):
    """Support vector classification by the share ``nu`` of objects inside the margin. Otherwise as :class:`SVC`."""

    _learner = "nu-svc"

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
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
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
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"nu": self.nu, "scheme": self.scheme, "probability": self.probability, **self._limits()}


class _Regressor(RegressorMixin, _Vectors):
    def fit(self, X, y, sample_weight=None):
        """Fits the machine to numbers."""
        name, y = target_name(y), numbers_of(y)
        weights = self._sample_weight(sample_weight, len(y), X)
        return self._fit(X, (name, y), None if weights is None else weights.tolist())

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
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        threads=None,
        progress=False,
    ):
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"C": self.C, "epsilon": self.epsilon, **self._limits()}


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
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        threads=None,
        progress=False,
    ):
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"nu": self.nu, "C": self.C, **self._limits()}


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
        tol=1e-3,
        max_iter=-1,
        cache_size=1000,
        threads=None,
        progress=False,
    ):
        self.nu = nu
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"nu": self.nu, **self._limits()}

    def fit(self, X, y=None, sample_weight=None):
        """Fits the region; y is not looked at."""
        weights = None
        if sample_weight is not None:
            sample_weight = np.asarray(sample_weight)
            weights = self._sample_weight(sample_weight, sample_weight.size, X).tolist()
        return self._fit(X, None, weights)

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
        return self._ask(X)["numbers"].astype(int)


class _Linear(Estimator):
    _weighted = True

    def _kernel_of(self, X=None):
        if self.kernel is None:
            from .kernels import Linear

            return Linear()
        return super()._kernel_of(X)

    def _linear_settings(self, losses):
        if self.loss not in losses:
            raise ParameterError(f"loss = {self.loss!r}: must be one of {', '.join(losses)}")
        return {
            "C": self.C,
            "loss": losses[self.loss],
            "bias": self.intercept_scaling if self.fit_intercept else 0.0,
            "epochs": self.max_iter,
            "tolerance": self.tol,
        }


class LinearSVC(Classifying, ClassifierMixin, _Linear):
    """Linear support vector classification on explicit features, for very many objects.

    ``kernel`` may be one with explicit features (``Polynomial``); without, the vectors themselves are the features.
    """

    _learner = "linear-svc"

    def __init__(
        self,
        C=1.0,
        *,
        loss="squared_hinge",
        kernel=None,
        class_weight=None,
        fit_intercept=True,
        intercept_scaling=1.0,
        tol=1e-4,
        max_iter=1000,
        random_state=None,
        threads=None,
        progress=False,
    ):
        self.C = C
        self.loss = loss
        self.kernel = kernel
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        settings = self._linear_settings({"squared_hinge": "squared", "hinge": "absolute"})
        return {**settings, "weights": "balanced" if self.class_weight == "balanced" else None}

    _class_weights = _Classifier._class_weights

    def fit(self, X, y, sample_weight=None):
        """Fits one machine, or one for each class against the others."""
        codes, names = self._classes(y, X)
        weights = self._class_weights(self._sample_weight(sample_weight, len(codes), X), codes)
        return self._fit(X, (target_name(y), codes, names), None if weights is None else weights.tolist())

    def _attributes(self, machine):
        self.coef_, self.intercept_ = machine["weights"], machine["intercepts"]
        self.n_iter_ = machine["epochs"]

    def predict(self, X):
        """The class of each object."""
        return self._predicted(self._ask(X))

    def decision_function(self, X):
        """Positive for the second of two classes; for more, a column for each class."""
        values = self._ask(X)["decisions"]
        return values[:, 0] if values.shape[1] == 1 else values


class LinearSVR(RegressorMixin, _Linear):
    """Linear support vector regression on explicit features, for very many objects."""

    _learner = "linear-svr"

    def __init__(
        self,
        C=1.0,
        *,
        epsilon=0.0,
        loss="epsilon_insensitive",
        kernel=None,
        fit_intercept=True,
        intercept_scaling=1.0,
        tol=1e-4,
        max_iter=1000,
        random_state=None,
        threads=None,
        progress=False,
    ):
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.kernel = kernel
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        losses = {"epsilon_insensitive": "absolute", "squared_epsilon_insensitive": "squared"}
        return {**self._linear_settings(losses), "epsilon": self.epsilon}

    def fit(self, X, y, sample_weight=None):
        """Fits the machine to numbers."""
        name, y = target_name(y), numbers_of(y)
        weights = self._sample_weight(sample_weight, len(y), X)
        return self._fit(X, (name, y), None if weights is None else weights.tolist())

    def _attributes(self, machine):
        self.coef_, self.intercept_ = machine["weights"][0], machine["intercepts"]
        self.n_iter_ = machine["epochs"]

    def predict(self, X):
        """The number of each object."""
        return self._ask(X)["numbers"]
