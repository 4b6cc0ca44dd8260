"""Perceptrons and clusters through kernels; and the learners that have files of their own."""

import numpy as np
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._estimator import Classifying, Estimator, target_name
from ._values import flag
from .components import KernelPCA
from .neighbors import KNeighborsClassifier, KNeighborsRegressor
from .ridge import KernelRidge, KernelRidgeClassifier

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
        return {"rounds": self.max_iter, "bias": flag("fit_intercept", self.fit_intercept)}

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
            "order": "shuffled" if flag("shuffle", self.shuffle) else "given",
            "bias": flag("fit_intercept", self.fit_intercept),
        }

    def _attributes(self, machine):
        self.support_ = machine["support"].astype(np.int32)
        self.n_iter_ = self.max_iter


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
        self._clusters = int(self.n_clusters)

    @property
    def _n_features_out(self):
        # As it was fitted, whatever n_clusters is set to since.
        check_is_fitted(self, "_model")
        return self._clusters

    def predict(self, X):
        """The cluster of each object."""
        return self._ask(X)["codes"].astype(np.int32)

    def transform(self, X):
        """The distance of each object from the mean of each cluster."""
        return self._ask(X)["decisions"]
