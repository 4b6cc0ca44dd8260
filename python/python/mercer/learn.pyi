# Made by stubs.py.
"""Kernel perceptrons and kernel k-means; re-exports the learners of other modules."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from .components import KernelPCA as KernelPCA
from .neighbors import KNeighborsClassifier as KNeighborsClassifier
from .neighbors import KNeighborsRegressor as KNeighborsRegressor
from .ridge import KernelRidge as KernelRidge
from .ridge import KernelRidgeClassifier as KernelRidgeClassifier
from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin, TransformerMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['KNeighborsClassifier', 'KNeighborsRegressor', 'KernelKMeans', 'KernelPCA', 'KernelRidge', 'KernelRidgeClassifier', 'Perceptron', 'VotedPerceptron']

class KernelKMeans(TransformerMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """k-means clustering in the feature space of a kernel.

    Parameters
    ----------
    n_clusters : int, default 3
        Number of clusters.
    kernel : Kernel, str or callable, default "rbf"
        A kernel of mercer, its text in the expression language, "precomputed", a callable, or one of scikit-learn's names
        "linear", "poly", "rbf", "sigmoid", which use ``gamma``, ``degree`` and ``coef0``.
    gamma : {"scale", "auto"} or float, default "scale"
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
        ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 0.0
        Constant of the kernels "poly" and "sigmoid".
    n_init : int, default 10
        Number of random starts; the one with the least inertia counts.
    max_iter : int, default 300
        Largest number of iterations of a start.
    random_state : int or RandomState, optional
        Draws the starts.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

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

    n_clusters: int
    kernel: Kernel | str | Callable[..., Any]
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    n_init: int
    max_iter: int
    random_state: int | np.random.RandomState | None
    threads: int | None
    progress: bool | Callable[..., Any]
    labels_: NDArray[Any]
    inertia_: float
    n_iter_: Any
    def __init__(self, n_clusters: int = 3, *, kernel: Kernel | str | Callable[..., Any] = 'rbf', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, n_init: int = 10, max_iter: int = 300, random_state: int | np.random.RandomState | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def transform(self, X: Any) -> NDArray[Any]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class Perceptron(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Kernel perceptron: adds misclassified objects to the weights until there are none, or for ``max_iter`` rounds.

    Parameters
    ----------
    kernel : Kernel, str or callable, default "rbf"
        A kernel of mercer, its text in the expression language, "precomputed", a callable, or one of scikit-learn's names
        "linear", "poly", "rbf", "sigmoid", which use ``gamma``, ``degree`` and ``coef0``.
    gamma : {"scale", "auto"} or float, default "scale"
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
        ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 0.0
        Constant of the kernels "poly" and "sigmoid".
    max_iter : int, default 100
        Largest number of rounds over the training objects.
    fit_intercept : bool, default True
        Whether to fit a constant.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

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

    kernel: Kernel | str | Callable[..., Any]
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    max_iter: int
    fit_intercept: bool
    threads: int | None
    progress: bool | Callable[..., Any]
    support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    n_iter_: Any
    def __init__(self, *, kernel: Kernel | str | Callable[..., Any] = 'rbf', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, max_iter: int = 100, fit_intercept: bool = True, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None) -> Self: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class VotedPerceptron(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Voted kernel perceptron: all intermediate perceptrons predict together (Freund & Schapire 1999).

    Parameters
    ----------
    kernel : Kernel, str or callable, default "rbf"
        A kernel of mercer, its text in the expression language, "precomputed", a callable, or one of scikit-learn's names
        "linear", "poly", "rbf", "sigmoid", which use ``gamma``, ``degree`` and ``coef0``.
    gamma : {"scale", "auto"} or float, default "scale"
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
        ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 0.0
        Constant of the kernels "poly" and "sigmoid".
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
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

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

    kernel: Kernel | str | Callable[..., Any]
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    max_iter: int
    rule: Literal['vote', 'average', 'last']
    shuffle: bool
    fit_intercept: bool
    random_state: int | np.random.RandomState | None
    threads: int | None
    progress: bool | Callable[..., Any]
    support_: NDArray[Any]
    classes_: NDArray[Any]
    n_iter_: Any
    def __init__(self, *, kernel: Kernel | str | Callable[..., Any] = 'rbf', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, max_iter: int = 10, rule: Literal['vote', 'average', 'last'] = 'vote', shuffle: bool = False, fit_intercept: bool = False, random_state: int | np.random.RandomState | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None) -> Self: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
