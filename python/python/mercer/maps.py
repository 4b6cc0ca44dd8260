"""Coordinates of objects whose dot products are similarities: transformers for any learner that takes vectors."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _mercer
from ._data import Objects, dense, plain
from ._errors import ParameterError
from ._estimator import Estimator
from ._threads import threads_of
from ._values import is_one_of, real
from .matrices import whole

__all__ = ["FeatureMap", "WalkMap"]


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """The Mercer map or the empirical kernel map of a kernel, fitted to training objects.

    With K = UΛUᵀ the Gram matrix of the training objects and k_x the similarities of an object to them, the Mercer map is
    Λ^(-1/2)·Uᵀ·k_x, which is √Λ·Uᵀ_i for training object i, and the empirical kernel map is K^(-1/2)·k_x. Dot products of training
    objects give K back; a new object is mapped to its projection onto the span of the training objects. ``mercer map`` writes the
    same coordinates.

    Parameters
    ----------
    kernel : Kernel or str
        A kernel, its text, or one of scikit-learn's names with ``gamma``, ``degree`` and ``coef0``; ``"precomputed"`` takes Gram
        matrices. It must be positive semidefinite on the training objects.
    kind : "mercer" or "empirical"
        A coordinate for each eigenvalue, largest first; or one for each training object.
    rank : int, optional
        Keep so many of the largest eigenvalues at most: the best approximation of K of that rank.
    tol : float, optional
        Leave out eigenvalues up to ``tol`` times the largest. By default those up to n·ε times the largest, which are rounding:
        K may be singular.

    Attributes
    ----------
    eigenvalues_ : array (r,)
        The eigenvalues kept, descending.
    eigenvectors_ : array (r, n)
        Their eigenvectors, one per row.
    embedding_ : array (n, r) or (n, n)
        The coordinates of the training objects.

    Examples
    --------
    >>> X = [[2.0], [1.0]]
    >>> phi = mercer.FeatureMap("linear").fit(X)
    >>> phi.transform([[3.0]]).round(12)
    array([[3.]])
    """

    def __init__(
        self, kernel="rbf", *, gamma="scale", degree=3, coef0=0.0, kind="mercer", rank=None, tol=None, threads=None,
        progress=False,
    ):  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kind = kind
        self.rank = rank
        self.tol = tol
        self.threads = threads
        self.progress = progress

    def fit(self, X, y=None):
        """Learns the map from the training objects; y is for kernels that are fitted to it."""
        rank = None if self.rank is None else whole("rank", self.rank)
        data, checked = self._objects(X, reset=True)
        y = None if y is None else np.asarray(y)
        self.kernel_ = clone(self._kernel_of(checked)).fit(data, y, threads=self.threads, progress=self.progress)
        self._training = Objects(data.select(np.arange(len(data))))
        K = self.kernel_.gram(data, threads=self.threads, progress=self.progress)
        found = _mercer.feature_map(K, self.kind, rank, None if self.tol is None else real("tol", self.tol), threads_of(self.threads))
        self.eigenvalues_, self.eigenvectors_, self.embedding_ = found
        return self

    def transform(self, X):
        """The coordinates of objects, one row for each."""
        check_is_fitted(self, "eigenvalues_")
        data, _ = self._objects(X, reset=False)
        cross = self.kernel_.cross(data, self._training, threads=self.threads, progress=self.progress)
        return _mercer.apply_feature_map(
            self.kind, self.eigenvalues_, dense(self.eigenvectors_), cross, threads_of(self.threads)
        )

    @property
    def _n_features_out(self):
        return self.embedding_.shape[1]

    def save(self, path):
        """Maps have no model file: keep them by pickle."""
        raise ParameterError("a feature map has no model file: keep it by pickle")


class WalkMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Vectors whose inner products are those of p steps of a walk over the inner products of centred vectors.

    With X the centred training vectors, XᵀX = UDUᵀ and W = XXᵀ, the map is x → (D/λmax)^((p-1)/2)·Uᵀ·(x - mean), and inner products
    of mapped training vectors are W^p / λmax^(p-1): the kernel ``RandomWalkPower(Center(Linear()), p)``, at a cost that does not
    grow with the square of the number of objects. ``mercer map --kind walk`` writes the same coordinates.

    Parameters
    ----------
    p : int
        The steps of the walk, from 1, which centres alone.
    scale : "radius" or "none"
        Whether inner products are divided by λmax^(p-1), so that they are of one size for every p, or are W^p itself.

    Attributes
    ----------
    mean_ : array (d,)
        The mean of the training vectors.
    components_ : array (d, d)
        The matrix that centred vectors are multiplied by.
    radius_ : float
        λmax, the largest eigenvalue of W.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [3.0, 1.0], [5.0, -1.0]])
    >>> Z = mercer.WalkMap(p=2, scale="none").fit_transform(X)
    >>> W = (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T
    >>> np.allclose(Z @ Z.T, W @ W)
    True
    """

    def __init__(self, p=2, *, scale="radius", threads=None):
        self.p = p
        self.scale = scale
        self.threads = threads

    def fit(self, X, y=None):
        """Learns the mean and the directions of the training vectors; y is not looked at."""
        if not is_one_of(self.scale, ("radius", "none")):
            raise ParameterError(f"scale = {self.scale!r}: must be 'radius' or 'none'")
        p = whole("p", self.p)
        X = validate_data(self, plain(X), dtype=np.float64, order="C")
        self.mean_, components, self.radius_ = _mercer.walk_map(X, p, threads_of(self.threads))
        self.components_ = components * (self.radius_ ** ((p - 1) / 2) if self.scale == "none" else 1.0)
        return self

    def transform(self, X):
        """The mapped vectors."""
        check_is_fitted(self, "components_")
        X = validate_data(self, plain(X), reset=False, dtype=np.float64, order="C")
        return (X - self.mean_) @ self.components_.T

    @property
    def _n_features_out(self):
        return len(self.components_)
