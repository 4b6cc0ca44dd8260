# Made by stubs.py.
"""Nearest neighbours by the distance of a kernel or by a metric, with the interface of scikit-learn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['KNeighborsClassifier', 'KNeighborsRegressor']

class KNeighborsClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Classification by the classes of the nearest training objects.

    Parameters
    ----------
    n_neighbors : int, default 5
        Number of neighbours.
    weights : {"uniform", "distance"} or callable of distances, default "uniform"
        Weights of the neighbours: equal, inversely proportional to the distance, or a function of an array of distances.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default "auto"
        The trees named here are those of scikit-learn. Otherwise the engine searches, if it has the distance: by a tree of its own
        where dense vectors have few dimensions, with the same neighbours as a comparison of all.
    leaf_size : int, default 30
        Size of the leaves of scikit-learn's trees.
    p : float, default 2
        The power of the Minkowski distance: 2 is the Euclidean, 1 the city-block distance.
    metric : str or callable, default "minkowski"
        The distance, as in scikit-learn; Euclidean by default. "precomputed" takes distance matrices; a callable gets two
        vectors.
    metric_params : dict, optional
        Further arguments of the metric.
    n_jobs : int, optional
        Number of processes for the searches of scikit-learn.
    kernel : Kernel, str or callable, optional
        Instead of a metric: the distance in the kernel's feature space, or a distance of mercer such as ``DTW()``.
    gamma : {"scale", "auto"} or float, default "scale"
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
        ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 0.0
        Constant of the kernels "poly" and "sigmoid".
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    classes_, effective_metric_, effective_metric_params_, n_samples_fit_, outputs_2d_
        As in scikit-learn.

    Notes
    -----
    A model file can be written for a kernel or the Euclidean distance, with one target and weights that are not a
    callable.

    Examples
    --------
    >>> series, y = [[0, 1, 2, 1, 0], [0, 0, 1, 2, 1], [3, 3, 0, 3, 3]], ["peak", "peak", "dip"]
    >>> fitted = mercer.KNeighborsClassifier(1, kernel=mercer.DTW()).fit(series, y)
    >>> fitted.predict([[1, 2, 1, 0, 0]]).tolist()
    ['peak']
    """

    n_neighbors: int
    weights: Literal['uniform', 'distance'] | Callable[..., Any]
    algorithm: Literal['auto', 'brute', 'kd_tree', 'ball_tree']
    leaf_size: int
    p: float
    metric: str | Callable[..., Any]
    metric_params: Mapping[Any, Any] | None
    n_jobs: int | None
    kernel: Kernel | str | Callable[..., Any] | None
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    threads: int | None
    progress: bool | Callable[..., Any]
    classes_: NDArray[Any]
    effective_metric_: NDArray[Any]
    effective_metric_params_: NDArray[Any]
    n_samples_fit_: NDArray[Any]
    def __init__(self, n_neighbors: int = 5, *, weights: Literal['uniform', 'distance'] | Callable[..., Any] = 'uniform', algorithm: Literal['auto', 'brute', 'kd_tree', 'ball_tree'] = 'auto', leaf_size: int = 30, p: float = 2, metric: str | Callable[..., Any] = 'minkowski', metric_params: Mapping[Any, Any] | None = None, n_jobs: int | None = None, kernel: Kernel | str | Callable[..., Any] | None = None, gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None) -> Self: ...
    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    @property
    def outputs_2d_(self) -> bool: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Any: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class KNeighborsRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Regression by the mean of the nearest training objects. Parameters as for :class:`KNeighborsClassifier`.

    Parameters
    ----------
    n_neighbors : int, default 5
        Number of neighbours.
    weights : {"uniform", "distance"} or callable, optional
        Weights of the neighbours: equal, inversely proportional to the distance, or a function of an array of distances.
    algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default "auto"
        The trees named here are those of scikit-learn. Otherwise the engine searches, if it has the distance: by a tree of its
        own where dense vectors have few dimensions, with the same neighbours as a comparison of all.
    leaf_size : int, default 30
        Size of the leaves of scikit-learn's trees.
    p : float, default 2
        The power of the Minkowski distance: 2 is the Euclidean, 1 the city-block distance.
    metric : str or callable, default "minkowski"
        The distance, as in scikit-learn; Euclidean by default. "precomputed" takes distance matrices; a callable gets two
        vectors.
    metric_params : dict, optional
        Further arguments of the metric.
    n_jobs : int, optional
        Number of processes for the searches of scikit-learn.
    kernel : Kernel, str or callable, optional
        Instead of a metric: the distance in the kernel's feature space, or a distance of mercer such as ``DTW()``.
    gamma : {"scale", "auto"} or float, default "scale"
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
        ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 0.0
        Constant of the kernels "poly" and "sigmoid".
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    effective_metric_, effective_metric_params_, n_samples_fit_
        As in scikit-learn.

    Examples
    --------
    >>> fitted = mercer.KNeighborsRegressor(2).fit([[0.0], [1.0], [5.0]], [0.0, 1.0, 5.0])
    >>> fitted.predict([[0.4]]).tolist()
    [0.5]
    """

    n_neighbors: int
    weights: Literal['uniform', 'distance'] | Callable[..., Any] | None
    algorithm: Literal['auto', 'brute', 'kd_tree', 'ball_tree']
    leaf_size: int
    p: float
    metric: str | Callable[..., Any]
    metric_params: Mapping[Any, Any] | None
    n_jobs: int | None
    kernel: Kernel | str | Callable[..., Any] | None
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    threads: int | None
    progress: bool | Callable[..., Any]
    effective_metric_: NDArray[Any]
    effective_metric_params_: NDArray[Any]
    n_samples_fit_: NDArray[Any]
    def __init__(self, n_neighbors: int = 5, *, weights: Literal['uniform', 'distance'] | Callable[..., Any] | None = 'uniform', algorithm: Literal['auto', 'brute', 'kd_tree', 'ball_tree'] = 'auto', leaf_size: int = 30, p: float = 2, metric: str | Callable[..., Any] = 'minkowski', metric_params: Mapping[Any, Any] | None = None, n_jobs: int | None = None, kernel: Kernel | str | Callable[..., Any] | None = None, gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None) -> Self: ...
    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
