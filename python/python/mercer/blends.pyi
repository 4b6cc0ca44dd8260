# Made by stubs.py.
"""Blends: estimators whose predictions are the weighted mean of those of several models, as ``mercer.auto`` and ``mercer auto`` make them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['BlendClassifier', 'BlendRegressor']

class BlendRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Regression by the weighted mean of the predictions of several models.

    It comes from :func:`mercer.auto` and :func:`mercer.load`, and is not fitted by itself.

    Parameters
    ----------
    kernel : Kernel, optional
        The sum of the kernels of the members.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    weights_, members_
        The weight of each member, the largest first; the members as text.

    Examples
    --------
    >>> found = mercer.load("blend.mercer")  # doctest: +SKIP
    >>> found.predict(X[:1]).shape  # doctest: +SKIP
    (1,)
    """

    kernel: Kernel | None
    threads: int | None
    progress: bool | Callable[..., Any]
    weights_: NDArray[Any]
    members_: list[str]
    def __init__(self, *, kernel: Kernel | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
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

class BlendClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Classification by the weighted mean of the probabilities of several models.

    It comes from :func:`mercer.auto` and :func:`mercer.load`, and is not fitted by itself.

    Parameters
    ----------
    kernel : Kernel, optional
        The sum of the kernels of the members.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    classes_, weights_, members_
        The classes; the weight of each member, the largest first; the members as text.

    Examples
    --------
    >>> found = mercer.load("blend.mercer")  # doctest: +SKIP
    >>> found.predict_proba(X[:1]).sum()  # doctest: +SKIP
    1.0
    """

    kernel: Kernel | None
    threads: int | None
    progress: bool | Callable[..., Any]
    classes_: NDArray[Any]
    weights_: NDArray[Any]
    members_: list[str]
    def __init__(self, *, kernel: Kernel | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None) -> Self: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Any: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
