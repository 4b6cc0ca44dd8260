# Made by stubs.py.
"""Feature maps of kernels: transformers to vectors whose dot products are similarities."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from sklearn.base import BaseEstimator, TransformerMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['FeatureMap', 'Fingerprint', 'WalkMap']

class Fingerprint(TransformerMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
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

    radius: int
    n_bits: int
    counts: bool
    features: bool
    def __init__(self, radius: int = 2, *, n_bits: int = 2048, counts: bool = False, features: bool = False) -> None: ...
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self: ...
    def transform(self, X: Any) -> NDArray[Any]: ...

class WalkMap(TransformerMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
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
    threads : int, optional
        Number of threads; all cores by default.

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

    p: int
    scale: Literal['radius'] | Literal['none']
    threads: int | None
    mean_: Any
    components_: NDArray[Any]
    radius_: float
    def __init__(self, p: int = 2, *, scale: Literal['radius'] | Literal['none'] = 'radius', threads: int | None = None) -> None: ...
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self: ...
    def transform(self, X: Any) -> NDArray[Any]: ...

class FeatureMap(TransformerMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
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
    gamma : {"scale", "auto"} or float, default "scale"
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
        ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 0.0
        Constant of the kernels "poly" and "sigmoid".
    kind : "mercer" or "empirical", default "mercer"
        One coordinate per eigenvalue, largest first, or one per training object.
    rank : int, optional
        Maximum number of eigenvalues to keep, largest first: the best approximation of K of that rank.
    tol : float, optional
        Drop eigenvalues up to ``tol`` times the largest. The default n·ε drops rounding errors: K may be singular.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

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

    kernel: Kernel | str
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    kind: Literal['mercer'] | Literal['empirical']
    rank: int | None
    tol: float | None
    threads: int | None
    progress: bool | Callable[..., Any]
    eigenvalues_: NDArray[Any]
    eigenvectors_: NDArray[Any]
    embedding_: NDArray[Any]
    def __init__(self, kernel: Kernel | str = 'rbf', *, gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, kind: Literal['mercer'] | Literal['empirical'] = 'mercer', rank: int | None = None, tol: float | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def transform(self, X: Any) -> NDArray[Any]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
