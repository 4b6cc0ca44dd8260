# Made by stubs.py.
"""Parameter searches by the engine: distances are computed once for all grid points, with warm starts along C."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from sklearn.base import BaseEstimator  # type: ignore[import-untyped, unused-ignore]

__all__ = ['GridSearch', 'RandomSearch', 'SCORES']

SCORES: dict[str, Any]

class GridSearch(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Exhaustive search over a parameter grid by cross-validation.

    The engine computes distances once for all gammas and one Gram matrix for all splits. Each model starts from the
    solution for the next smaller C. Everything that is learned from objects, including ``gamma="scale"``, is learned
    from the training set of each split.

    scikit-learn's ``GridSearchCV`` is used for what the engine does not support, on the same grid points and splits,
    one fit at a time: callables and lists as ``scoring``, measures unknown to the engine, ``return_train_score``, and
    sample weights in scores.

    Parameters
    ----------
    estimator : estimator of mercer
        A classifier or regressor.
    param_grid : dict or list of dict
        Parameter names and the values to try, as in scikit-learn: ``{"C": [1, 10], "kernel__gamma": [0.1, 1]}``.
    scoring : str, callable, list or dict, optional
        The name of a measure of the engine or of scikit-learn, or anything that ``GridSearchCV`` accepts. By default
        accuracy for classifiers and R² for regressors.
    cv : int, splitter or list of (train, test), default 5
        The splits.
    refit : bool, str or callable, default True
        As in ``GridSearchCV``: if there are several measures, the name of the one to choose by; or a callable of
        ``cv_results_``.
    error_score : "raise" or float, default nan
        The score of a failed fit.
    return_train_score : bool, default False
        Whether the training sets are scored too.
    threads : int, optional
        Number of threads; all cores by default. On a cluster, the number per task, by default 1.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).
    client : distributed.Client, optional
        A Dask cluster for the search, with the same scores: a task is some kernels with all their grid points. The best
        grid point is fitted locally.

    Attributes
    ----------
    cv_results_ : dict
        As in scikit-learn, and ``converged``. Grid points share work, so fit times are the mean over all of them.
    best_params_, best_score_, best_index_, best_estimator_, scorer_, multimetric_, n_splits_, refit_time_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> search = mercer.GridSearch(mercer.SVC(kernel=mercer.RBF()), {"C": [1, 10], "kernel__gamma": [0.1, 1.0]})
    >>> float(round(search.fit(X, y).best_score_, 3))
    0.98
    """

    estimator: Any
    param_grid: Mapping[Any, Any] | Sequence[Any]
    scoring: str | Callable[..., Any] | Sequence[Any] | Mapping[Any, Any] | None
    cv: int | Any | Sequence[Any]
    refit: bool | str | Callable[..., Any]
    error_score: Literal['raise'] | float
    return_train_score: bool
    threads: int | None
    progress: bool | Callable[..., Any]
    client: Any | None
    cv_results_: dict[str, Any]
    best_params_: dict[str, Any]
    best_score_: float
    best_index_: int
    best_estimator_: Any
    scorer_: Any
    multimetric_: bool
    n_splits_: int
    refit_time_: float
    def __init__(self, estimator: Any, param_grid: Mapping[Any, Any] | Sequence[Any], *, scoring: str | Callable[..., Any] | Sequence[Any] | Mapping[Any, Any] | None = None, cv: int | Any | Sequence[Any] = 5, refit: bool | str | Callable[..., Any] = True, error_score: Literal['raise'] | float = ..., return_train_score: bool = False, threads: int | None = None, progress: bool | Callable[..., Any] = False, client: Any | None = None) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike | None = None, **params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike | None = None, **params: Any) -> float: ...

class RandomSearch(BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Randomised search: ``n_iter`` grid points drawn from lists or distributions. Otherwise as :class:`GridSearch`.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor of mercer.
    param_distributions : dict or list of dict
        Parameter names, and lists of values or distributions with a method ``rvs``, as in scikit-learn.
    n_iter : int, default 10
        Number of grid points to draw.
    scoring : str, callable, list or dict, optional
        The name of a measure of the engine or of scikit-learn, or anything that ``GridSearchCV`` accepts. By default accuracy
        for classifiers and R² for regressors.
    cv : int, splitter or list of (train, test), default 5
        The splits.
    refit : bool, str or callable, default True
        As in ``GridSearchCV``: if there are several measures, the name of the one to choose by; or a callable of
        ``cv_results_``.
    error_score : "raise" or float, default nan
        The score of a failed fit.
    return_train_score : bool, default False
        Whether the training sets are scored too.
    random_state : int or RandomState, optional
        Draws the grid points.
    threads : int, optional
        Number of threads; all cores by default. On a cluster, the number per task, by default 1.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).
    client : distributed.Client, optional
        A Dask cluster for the search, as for :class:`GridSearch`.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> X, y = mercer.datasets.load_iris()
    >>> space = {"C": loguniform(0.1, 100), "kernel__gamma": loguniform(0.01, 1)}
    >>> search = mercer.RandomSearch(mercer.SVC(kernel=mercer.RBF()), space, n_iter=5, random_state=0).fit(X, y)
    >>> bool(search.best_score_ > 0.9)
    True
    """

    estimator: Any
    param_distributions: Mapping[Any, Any] | Sequence[Any]
    n_iter: int
    scoring: str | Callable[..., Any] | Sequence[Any] | Mapping[Any, Any] | None
    cv: int | Any | Sequence[Any]
    refit: bool | str | Callable[..., Any]
    error_score: Literal['raise'] | float
    return_train_score: bool
    random_state: int | np.random.RandomState | None
    threads: int | None
    progress: bool | Callable[..., Any]
    client: Any | None
    def __init__(self, estimator: Any, param_distributions: Mapping[Any, Any] | Sequence[Any], *, n_iter: int = 10, scoring: str | Callable[..., Any] | Sequence[Any] | Mapping[Any, Any] | None = None, cv: int | Any | Sequence[Any] = 5, refit: bool | str | Callable[..., Any] = True, error_score: Literal['raise'] | float = ..., return_train_score: bool = False, random_state: int | np.random.RandomState | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False, client: Any | None = None) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike | None = None, **params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Any: ...
    def score(self, X: Any, y: ArrayLike | None = None, **params: Any) -> float: ...
