# Made by stubs.py.
"""Principal components in the feature space of a kernel, with scikit-learn's parameters and attributes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from sklearn.base import BaseEstimator, TransformerMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['KernelPCA']

class KernelPCA(TransformerMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Kernel principal component analysis.

    Parameters
    ----------
    n_components : int, optional
        Number of components; by default all with variance above 0. Components without variance are 0, or removed by
        ``remove_zero_eig``.
    kernel : Kernel, str or callable of two objects, default "linear"
        A kernel of mercer, its text in the expression language, "precomputed", a callable of two objects, or one of
        scikit-learn's names, which use ``gamma``, ``degree`` and ``coef0``.
    gamma : float, optional
        Parameter of kernels given by name; 1 / n_features by default.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 1.0
        Constant of the kernels "poly" and "sigmoid".
    kernel_params : dict, optional
        Arguments of a callable kernel.
    alpha : float, default 1.0
        Regularisation of the ridge regression of ``fit_inverse_transform``.
    fit_inverse_transform : bool, default False
        Whether to fit :meth:`inverse_transform` as well, by ridge regression with ``alpha``.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default "auto"
        Accepted for compatibility with scikit-learn: all components are computed exactly.
    tol : float, default 0
        Accepted for compatibility with scikit-learn: all components are computed exactly.
    max_iter : int, optional
        Accepted for compatibility with scikit-learn, as ``tol``.
    iterated_power : int or "auto", default "auto"
        Accepted for compatibility with scikit-learn, as ``tol``.
    remove_zero_eig : bool, default False
        Whether components without variance are removed.
    random_state : int or RandomState, optional
        Accepted for compatibility with scikit-learn, as ``tol``.
    copy_X : bool, default True
        Accepted for compatibility with scikit-learn: training objects are copied.
    n_jobs : int, optional
        Accepted for compatibility with scikit-learn; ``threads`` is the number of threads.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    eigenvalues_, eigenvectors_, gamma_, X_fit_, dual_coef_, X_transformed_fit_
        As in scikit-learn.
    explained_variance_, explained_variance_ratio_
        The variance of each component, eigenvalues_ / n, and its share of the total variance.

    Examples
    --------
    >>> X, y = mercer.datasets.make_rings(90, noise=0.05)
    >>> fitted = mercer.KernelPCA(2, kernel=mercer.RBF(gamma=1.0), fit_inverse_transform=True).fit(X)
    >>> fitted.transform(X).shape, fitted.inverse_transform(fitted.transform(X)).shape, fitted.get_feature_names_out().tolist()
    ((90, 2), (90, 2), ['kernelpca0', 'kernelpca1'])
    """

    n_components: int | None
    kernel: Kernel | str | Callable[..., Any]
    gamma: float | None
    degree: int
    coef0: float
    kernel_params: Mapping[Any, Any] | None
    alpha: float
    fit_inverse_transform: bool
    eigen_solver: Literal['auto', 'dense', 'arpack', 'randomized']
    tol: float
    max_iter: int | None
    iterated_power: int | Literal['auto']
    remove_zero_eig: bool
    random_state: int | np.random.RandomState | None
    copy_X: bool
    n_jobs: int | None
    threads: int | None
    progress: bool | Callable[..., Any]
    eigenvalues_: NDArray[Any]
    eigenvectors_: NDArray[Any]
    gamma_: Any
    X_fit_: NDArray[Any]
    dual_coef_: NDArray[Any]
    X_transformed_fit_: NDArray[Any]
    explained_variance_: NDArray[Any]
    explained_variance_ratio_: NDArray[Any]
    def __init__(self, n_components: int | None = None, *, kernel: Kernel | str | Callable[..., Any] = 'linear', gamma: float | None = None, degree: int = 3, coef0: float = 1.0, kernel_params: Mapping[Any, Any] | None = None, alpha: float = 1.0, fit_inverse_transform: bool = False, eigen_solver: Literal['auto', 'dense', 'arpack', 'randomized'] = 'auto', tol: float = 0, max_iter: int | None = None, iterated_power: int | Literal['auto'] = 'auto', remove_zero_eig: bool = False, random_state: int | np.random.RandomState | None = None, copy_X: bool = True, n_jobs: int | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> NDArray[Any]: ...
    def inverse_transform(self, X: Any) -> NDArray[Any]: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def transform(self, X: Any) -> NDArray[Any]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
