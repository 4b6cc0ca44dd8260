"""Feature maps of kernels: transformers to vectors whose dot products are similarities."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _mercer
from ._data import Objects, dense, plain
from ._documented import documented
from ._errors import ParameterError
from ._estimator import Estimator
from ._molecules import Molecules
from ._threads import threads_of
from ._values import flag, is_one_of, real
from .matrices import whole

__all__ = ["FeatureMap", "Fingerprint", "WalkMap"]


@documented
class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """The Mercer map or the empirical kernel map of a kernel, fitted to training objects.

    With K = UΛUᵀ the Gram matrix of the training objects and k_x the similarities of an object to them, the Mercer map
    is Λ^(-1/2)·Uᵀ·k_x, which is √Λ·Uᵀ_i for training object i, and the empirical kernel map is K^(-1/2)·k_x. The dot
    products of training objects are K. A new object is mapped to its projection onto the span of the training objects.
    ``mercer map`` writes the same coordinates.

    Parameters
    ----------
    kernel : Kernel or str, default "rbf"
        A kernel, its text, one of scikit-learn's names with ``gamma``, ``degree`` and ``coef0``, or ``"precomputed"``
        for Gram matrices. It must be positive semidefinite on the training objects.
    <gamma> <degree> <coef0>
    kind : "mercer" or "empirical", default "mercer"
        One coordinate per eigenvalue, largest first, or one per training object.
    rank : int, optional
        Maximum number of eigenvalues to keep, largest first: the best approximation of K of that rank.
    tol : float, optional
        Drop eigenvalues up to ``tol`` times the largest. The default n·ε drops rounding errors: K may be singular.
    <threads> <progress>

    Attributes
    ----------
    eigenvalues_ : array (r,)
        The kept eigenvalues, descending.
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
        """Fit the map to training objects; y is for kernels that are fitted to a target."""
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
        """Compute the coordinates of objects, one row each."""
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
        """Raise an error: feature maps have no model file, use pickle."""
        raise ParameterError("a feature map has no model file: use pickle")


@documented
class WalkMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Feature map of a p-step random walk over the inner products of centred vectors.

    With X the centred training vectors, XᵀX = UDUᵀ and W = XXᵀ, the map is x → (D/λmax)^((p-1)/2)·Uᵀ·(x - mean), and
    inner products of mapped training vectors are W^p / λmax^(p-1): the kernel ``RandomWalkPower(Center(Linear()), p)``,
    without a cost that grows with the square of the number of objects. ``mercer map --kind walk`` writes the same
    coordinates.

    Parameters
    ----------
    p : int, default 2
        Number of steps of the walk, at least 1. With 1 the vectors are only centred.
    scale : "radius" or "none", default "radius"
        "radius" divides inner products by λmax^(p-1), so that their scale does not depend on p; "none" gives W^p
        itself.
    <threads>

    Attributes
    ----------
    mean_ : array (d,)
        The mean of the training vectors.
    components_ : array (d, d)
        The matrix that maps centred vectors.
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
        """Fit the mean and the components of the training vectors; y is ignored."""
        if not is_one_of(self.scale, ("radius", "none")):
            raise ParameterError(f"scale = {self.scale!r}: must be 'radius' or 'none'")
        p = whole("p", self.p)
        X = validate_data(self, plain(X), dtype=np.float64, order="C")
        self.mean_, components, self.radius_ = _mercer.walk_map(X, p, threads_of(self.threads))
        self.components_ = components * (self.radius_ ** ((p - 1) / 2) if self.scale == "none" else 1.0)
        return self

    def transform(self, X):
        """Map vectors."""
        check_is_fitted(self, "components_")
        X = validate_data(self, plain(X), reset=False, dtype=np.float64, order="C")
        return (X - self.mean_) @ self.components_.T

    @property
    def _n_features_out(self):
        return len(self.components_)


class Fingerprint(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Morgan fingerprints of molecules as a transformer, with a fixed number of columns: ECFP4 bits by default.

    The columns are those of the RDKit's ``GetMorganGenerator(radius, fpSize=n_bits)``. Nothing is learned from training molecules. The kernel
    :class:`ECFP` needs no fixed number of columns: there, different neighbourhoods never share one.

    Parameters
    ----------
    radius : int, default 2
        Greatest distance in bonds from the central atom: 2 for ECFP4, 3 for ECFP6.
    n_bits : int, default 2048
        Number of columns.
    counts : bool, default False
        How often neighbourhoods fall into a column, instead of whether they do.
    features : bool, default False
        Atoms by their pharmacophore features, as FCFP has them.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> smiles, y = ["CCO", "CCCO", "c1ccccc1", "Cc1ccccc1"], ["alcohol", "alcohol", "aromatic", "aromatic"]
    >>> pipe = make_pipeline(mercer.Fingerprint(n_bits=256), mercer.LinearSVC()).fit(smiles, y)
    >>> pipe.predict(["CCCCO"]).tolist()
    ['alcohol']
    """

    def __init__(self, radius=2, *, n_bits=2048, counts=False, features=False):
        self.radius = radius
        self.n_bits = n_bits
        self.counts = counts
        self.features = features

    def fit(self, X, y=None):
        """Check the parameters; nothing is learned from X."""
        if not isinstance(self.radius, (int, np.integer)) or isinstance(self.radius, bool) or self.radius < 0:
            raise ParameterError(f"radius = {self.radius!r:.80}: must be a whole number of at least 0")
        self._n_features_out = whole("n_bits", self.n_bits)
        flag("counts", self.counts), flag("features", self.features)
        return self

    def transform(self, X):
        """Compute the fingerprints: an array of uint8 or, for counts, of uint16, with a row for each molecule."""
        check_is_fitted(self, "_n_features_out")
        molecules = X if isinstance(X, Molecules) else Molecules(X)
        return molecules.fingerprints(self.radius, self._n_features_out, counts=self.counts, features=self.features)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
