# Made by stubs.py.
"""The search of a kernel and a learner within a time budget: ``mercer.auto``, as ``mercer auto`` of the program does it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['AutoClassifier', 'AutoRegressor', 'auto']

def auto(X: Any, y: ArrayLike | str, *, time: float | None = 60, scoring: str | None = None, cv: int | str | None = None, groups: ArrayLike | None = None, random_state: int = 0, n_jobs: int | None = None, progress: bool = False) -> Any: ...

class AutoClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """A classifier that chooses its kernel and learner within a time budget.

    Parameters
    ----------
    time : float, optional
        Seconds for the search and the final fit; None for no limit. At least the simple baseline is scored.
    scoring : str, optional
        The measure by which methods are compared. By default accuracy (balanced accuracy where one class has more than three
        quarters of the objects).
    cv : int or str, optional
        The outer splits: a number of folds, or a protocol such as ``"5x2"``. By default ten folds, five for more than 400
        objects.
    random_state : int or RandomState, default 0
        Seed of splits and samples.
    n_jobs : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    leaderboard_ : list of dict
        ``kernel``, ``learner``, ``objects`` in the splits, ``mean`` over the outer splits, ``sd``, ``interval`` (95 %), ``scores`` by split and ``seconds``,
        best first. Parameters were chosen inside each split.
    expected_score_ : dict or None
        The score to ``expected`` on new data with its interval (``low``, ``high``): that of the best method, corrected for the choice.
    best_estimator_ : estimator
        The best method, fitted to all objects.
    not_tried_ : list of dict
        ``kernel``, ``learner`` and ``why``.
    verdict_ : str
        Whether the best method beats the baselines, in sentences.
    document_ : dict
        All results, as ``mercer auto --json`` prints them.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> model = mercer.AutoClassifier(time=10).fit(X, y)
    >>> model.leaderboard_[0]["mean"] > 0.9
    True
    """

    time: float | None
    scoring: str | None
    cv: int | str | None
    random_state: int | np.random.RandomState
    n_jobs: int | None
    progress: bool | Callable[..., Any]
    leaderboard_: list[dict[str, Any]]
    expected_score_: NDArray[Any]
    best_estimator_: Any
    not_tried_: list[dict[str, Any]]
    verdict_: str
    document_: dict[str, Any]
    def __init__(self, *, time: float | None = 60, scoring: str | None = None, cv: int | str | None = None, random_state: int | np.random.RandomState = 0, n_jobs: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, groups: ArrayLike | None = None) -> Self: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Any: ...
    def report(self, path: str | PathLike[str] | None = None) -> Any: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...

class AutoRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """A regressor that chooses its kernel and learner within a time budget.

    Parameters and attributes are those of :class:`AutoClassifier`.

    Parameters
    ----------
    time : float, optional
        Seconds for the search and the final fit; None for no limit. At least the simple baseline is scored.
    scoring : str, optional
        The measure by which methods are compared. By default the root mean squared error.
    cv : int or str, optional
        The outer splits: a number of folds, or a protocol such as ``"5x2"``. By default ten folds, five for more than 400
        objects.
    random_state : int or RandomState, default 0
        Seed of splits and samples.
    n_jobs : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(-2, 2, (60, 1))
    >>> model = mercer.AutoRegressor(time=10).fit(X, np.sin(2 * X[:, 0]))
    >>> model.predict([[0.0]]).shape
    (1,)
    """

    time: float | None
    scoring: str | None
    cv: int | str | None
    random_state: int | np.random.RandomState
    n_jobs: int | None
    progress: bool | Callable[..., Any]
    def __init__(self, *, time: float | None = 60, scoring: str | None = None, cv: int | str | None = None, random_state: int | np.random.RandomState = 0, n_jobs: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, groups: ArrayLike | None = None) -> Self: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def report(self, path: str | PathLike[str] | None = None) -> Any: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
