"""Ridge regression, perceptrons, nearest neighbours, components and clusters, all through kernels."""

import numbers

import numpy as np
from sklearn.base import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    RegressorMixin,
    TransformerMixin,
)

from ._errors import DataError, ParameterError
from ._estimator import Classifying, Estimator, numbers_of, target_name

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelKMeans",
    "KernelPCA",
    "KernelRidge",
    "KernelRidgeClassifier",
    "Perceptron",
    "VotedPerceptron",
]


class _Classifier(Classifying, ClassifierMixin, Estimator):
    def fit(self, X, y):
        """Fits the classifier. Objects cannot be weighed."""
        codes, names = self._classes(y, X)
        return self._fit(X, (target_name(y), codes, names))

    def predict(self, X):
        """The class of each object."""
        return self._predicted(self._ask(X))


class _Deciding(_Classifier):
    def decision_function(self, X):
        """Positive for the second of two classes; for more, a column for each class."""
        values = self._ask(X)["decisions"]
        return values[:, 0] if values.shape[1] == 1 else values


class _Regressor(RegressorMixin, Estimator):
    def fit(self, X, y):
        """Fits the regressor to numbers. Objects cannot be weighed."""
        return self._fit(X, (target_name(y), numbers_of(y)))

    def predict(self, X):
        """The number of each object."""
        return self._ask(X)["numbers"]


class KernelRidge(_Regressor):
    """Kernel ridge regression: min Σ (y_i - f(x_i))² + alpha·|f|².

    ``alpha`` is scikit-learn's; ``fit_intercept=True`` adds a constant that costs nothing. ``landmarks=m`` fits a function of m objects
    drawn at random to all of them, by conjugate gradients: for data too large for a matrix.
    """

    _learner = "ridge"
    # scikit-learn's default here is 1 / features, not the scale of support vector machines.
    _gamma = "auto"

    def __init__(
        self, alpha=1.0, *, kernel="linear", gamma=None, degree=3, coef0=1.0, fit_intercept=False, landmarks=0,
        random_state=None, threads=None, progress=False,
    ):  # fmt: skip
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.landmarks = landmarks
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"lambda": self.alpha, "intercept": bool(self.fit_intercept), "landmarks": self.landmarks}

    def _attributes(self, machine):
        # On explicit coordinates the machine is a weight for each of them.
        if "alpha" in machine:
            self.dual_coef_ = machine["alpha"][:, 0]
        else:
            self.coef_, self.intercept_ = machine["weights"][0], machine["offsets"][0]


class KernelRidgeClassifier(_Deciding):
    """Classes by kernel ridge regression on targets ±1, one for each class where there are more than two."""

    _learner = "ridge"
    # scikit-learn's default here is 1 / features, not the scale of support vector machines.
    _gamma = "auto"

    def __init__(
        self, alpha=1.0, *, kernel="linear", gamma=None, degree=3, coef0=1.0, fit_intercept=False, landmarks=0,
        random_state=None, threads=None, progress=False,
    ):  # fmt: skip
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.landmarks = landmarks
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    _settings = KernelRidge._settings

    def _attributes(self, machine):
        if "alpha" in machine:
            self.dual_coef_ = machine["alpha"]
        else:
            self.coef_, self.intercept_ = machine["weights"], machine["offsets"]


class Perceptron(_Deciding):
    """The kernel perceptron: objects on the wrong side are added to the weights until none is, or ``max_iter`` rounds."""

    _learner = "perceptron"

    def __init__(
        self, *, kernel="rbf", gamma="scale", degree=3, coef0=0.0, max_iter=100, fit_intercept=True, threads=None,
        progress=False,
    ):  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"rounds": self.max_iter, "bias": bool(self.fit_intercept)}

    def _attributes(self, machine):
        self.support_ = machine["support"].astype(np.int32)
        self.dual_coef_, self.intercept_ = machine["coefficients"], machine["biases"]
        self.n_iter_ = machine["epochs"]


class VotedPerceptron(_Deciding):
    """All perceptrons made on the way decide together (Freund & Schapire 1999).

    ``rule`` is "vote", "average" or "last"; ``shuffle`` visits objects in an order chosen by ``random_state``.
    """

    _learner = "voted-perceptron"

    def __init__(
        self, *, kernel="rbf", gamma="scale", degree=3, coef0=0.0, max_iter=10, rule="vote", shuffle=False,
        fit_intercept=False, random_state=None, threads=None, progress=False,
    ):  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_iter = max_iter
        self.rule = rule
        self.shuffle = shuffle
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {
            "rounds": self.max_iter,
            "rule": self.rule,
            "order": "shuffled" if self.shuffle else "given",
            "bias": bool(self.fit_intercept),
        }

    def _attributes(self, machine):
        self.support_ = machine["support"].astype(np.int32)
        self.n_iter_ = self.max_iter


class KNeighborsClassifier(_Classifier):
    """New objects are of the class of the training objects nearest in the kernel's feature space."""

    _learner = "knn"

    def __init__(
        self, n_neighbors=5, *, kernel="rbf", gamma="scale", degree=3, coef0=0.0, weights="uniform", threads=None,
        progress=False,
    ):  # fmt: skip
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.weights = weights
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"k": self.n_neighbors, "weights": self.weights}

    def _enough(self, n):
        if isinstance(self.n_neighbors, numbers.Integral) and self.n_neighbors > n:
            raise ParameterError(f"n_neighbors = {self.n_neighbors}: must be at most n_samples = {n}")

    def predict_proba(self, X):
        """The share of each class among the neighbours."""
        shares = self._ask(X)["decisions"]
        return shares / shares.sum(axis=1, keepdims=True)


class KNeighborsRegressor(_Regressor):
    """The mean of the training objects nearest in the kernel's feature space."""

    _learner = "knn"

    def __init__(
        self, n_neighbors=5, *, kernel="rbf", gamma="scale", degree=3, coef0=0.0, weights="uniform", threads=None,
        progress=False,
    ):  # fmt: skip
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.weights = weights
        self.threads = threads
        self.progress = progress

    _settings = KNeighborsClassifier._settings
    _enough = KNeighborsClassifier._enough


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Kernel principal components: coordinates along which the objects vary most."""

    _learner = "pca"

    def __init__(self, n_components=2, *, kernel="rbf", gamma="scale", degree=3, coef0=0.0, threads=None, progress=False):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"components": self.n_components}

    def fit(self, X, y=None):
        """Finds the components; y is not looked at."""
        return self._fit(X)

    def _enough(self, n):
        if n < 2:
            raise DataError(f"components need two objects or more, and there is {n} sample")

    def _attributes(self, machine):
        self.explained_variance_, self.explained_variance_ratio_ = machine["variances"], machine["explained"]
        # On explicit coordinates those of the training objects are not kept: transform gives them.
        if "coordinates" in machine:
            self.embedding_ = machine["coordinates"]

    @property
    def _n_features_out(self):
        return len(self.explained_variance_)

    def transform(self, X):
        """The coordinates of objects."""
        return self._ask(X)["decisions"]

    def fit_transform(self, X, y=None):
        """The coordinates of the training objects."""
        return self.fit(X).transform(X)


class KernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Clusters whose members lie near their mean in the kernel's feature space."""

    _learner = "kmeans"

    def __init__(
        self, n_clusters=3, *, kernel="rbf", gamma="scale", degree=3, coef0=0.0, n_init=10, max_iter=300,
        random_state=None, threads=None, progress=False,
    ):  # fmt: skip
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"k": self.n_clusters, "restarts": self.n_init, "iterations": self.max_iter}

    def fit(self, X, y=None):
        """Finds the clusters; y is not looked at."""
        return self._fit(X)

    def _attributes(self, machine):
        self.labels_, self.inertia_ = machine["assignments"].astype(np.int32), machine["inertia"]
        self.n_iter_ = machine["iterations"]

    @property
    def _n_features_out(self):
        return self.n_clusters

    def predict(self, X):
        """The cluster of each object."""
        return self._ask(X)["codes"].astype(np.int32)

    def transform(self, X):
        """The distance of each object from the mean of each cluster."""
        return self._ask(X)["decisions"]
