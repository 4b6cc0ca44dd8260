"""Kernel perceptrons and kernel k-means; re-exports the learners of other modules."""

import numpy as np
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._documented import documented
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
        """Fit the classifier. ``sample_weight`` is not supported."""
        codes, names = self._classes(y, X)
        return self._fit(X, (target_name(y), codes, names))

    def predict(self, X):
        """Predict the class of each object."""
        return self._predicted(self._predict_native(X))


class _Deciding(_Classifier):
    def decision_function(self, X):
        """Compute decision values: positive for the second of two classes; for more classes, one column per class."""
        values = self._predict_native(X)["decisions"]
        return values[:, 0] if values.shape[1] == 1 else values


@documented
class Perceptron(_Deciding):
    """Kernel perceptron: adds misclassified objects to the weights until there are none, or for ``max_iter`` rounds.

    Parameters
    ----------
    <kernel> <gamma> <degree> <coef0>
    max_iter : int, default 100
        Largest number of rounds over the training objects.
    fit_intercept : bool, default True
        Whether to fit a constant.
    <threads> <progress>

    Attributes
    ----------
    support_, dual_coef_, intercept_, classes_, n_iter_
        Indices, coefficients and biases of the objects that were misclassified in training, and the number of rounds.

    Examples
    --------
    >>> fitted = mercer.Perceptron(kernel=mercer.RBF(gamma=1.0)).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> fitted.predict([[0, 1], [1, 1]]).tolist()
    [1, 0]
    """

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

    def _attributes(self, fitted):
        self.support_ = fitted["support"].astype(np.int32)
        self.dual_coef_, self.intercept_ = fitted["coefficients"], fitted["biases"]
        self.n_iter_ = fitted["epochs"]


@documented
class VotedPerceptron(_Deciding):
    """Voted kernel perceptron: all intermediate perceptrons predict together (Freund & Schapire 1999).

    Parameters
    ----------
    <kernel> <gamma> <degree> <coef0>
    max_iter : int, default 10
        Number of rounds over the training objects.
    rule : {"vote", "average", "last"}, default "vote"
        How the predictions of the perceptrons are combined.
    shuffle : bool, default False
        Whether to visit the objects in a random order, chosen by ``random_state``.
    fit_intercept : bool, default False
        Whether to fit a constant.
    random_state : int or RandomState, optional
        Shuffles the objects.
    <threads> <progress>

    Attributes
    ----------
    support_, classes_, n_iter_
        Indices of the objects that were misclassified in training, and the number of rounds.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> fitted = mercer.VotedPerceptron(kernel=mercer.RBF(gamma=0.25), max_iter=20).fit(X, y)
    >>> bool(fitted.score(X, y) > 0.9)
    True
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

    def _attributes(self, fitted):
        self.support_ = fitted["support"].astype(np.int32)
        self.n_iter_ = self.max_iter


@documented
class KernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """k-means clustering in the feature space of a kernel.

    Parameters
    ----------
    n_clusters : int, default 3
        Number of clusters.
    <kernel> <gamma> <degree> <coef0>
    n_init : int, default 10
        Number of random starts; the one with the least inertia counts.
    max_iter : int, default 300
        Largest number of iterations of a start.
    random_state : int or RandomState, optional
        Draws the starts.
    <threads> <progress>

    Attributes
    ----------
    labels_, inertia_, n_iter_
        As in scikit-learn's ``KMeans``.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> fitted = mercer.KernelKMeans(3, kernel=mercer.Linear(), random_state=0).fit(X)
    >>> sorted(np.bincount(fitted.labels_).tolist())
    [38, 50, 62]
    """

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
        """Fit the clusters; y is ignored."""
        return self._fit(X)

    def _attributes(self, fitted):
        self.labels_, self.inertia_ = fitted["assignments"].astype(np.int32), fitted["inertia"]
        self.n_iter_ = fitted["iterations"]
        self._clusters = int(self.n_clusters)

    @property
    def _n_features_out(self):
        # The fitted number of clusters, even if n_clusters was changed since.
        check_is_fitted(self, "_model")
        return self._clusters

    def predict(self, X):
        """Predict the cluster of each object."""
        return self._predict_native(X)["codes"].astype(np.int32)

    def transform(self, X):
        """Compute the distance of each object from the mean of each cluster."""
        return self._predict_native(X)["decisions"]
