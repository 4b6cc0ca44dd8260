# Made by stubs.py.
"""How sure predictions are: conformal prediction around any estimator, with guaranteed coverage.

The splits and fits of other packages' estimators are made here; every score, p-value, interval and guarantee is computed by
the native engine, as in ``mercer fit --conformal``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._kernel import Kernel
from ._show import Facts
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['ConformalClassifier', 'ConformalRegressor']

class ConformalClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Sets of classes that hold the true class with a chosen confidence, around any classifier.

    Nothing is assumed but that new objects come from the same source as the training objects. Estimators of mercer are
    calibrated by the engine, and can be saved with their calibration; any other classifier or pipeline is fitted on the same
    kinds of splits.

    Parameters
    ----------
    estimator : classifier, default ``mercer.SVC()``
        Of mercer, scikit-learn or another package; pipelines and searches too.
    method : {"cv+", "split", "jackknife+"}, default "cv+"
        ``"cv+"`` scores every object by a model of other folds, and fits the estimator to all objects: coverage is about the
        confidence C, in theory at least 2C - 1. ``"split"`` keeps a share of the objects for calibration: coverage is at least
        C. ``"jackknife+"`` leaves out one object at a time: one fit for each, in closed form for ``KernelRidgeClassifier``.
    cv : int, default 10
        The number of folds of ``"cv+"``.
    test_size : float, default 0.25
        The share of calibration objects of ``"split"``.
    by : {None, "class", "group"}
        Whether coverage is guaranteed within each class, or each of the ``groups`` given to ``fit``.
    score_function : {"least-ambiguous", "adaptive", "regularized"}, optional
        How strange a class is for an object: the smallest sets on average, sets that adapt to how ambiguous an object is, or
        the same without improbable classes.
    typicality_kernel : Kernel or str, optional
        The kernel in which objects are compared to tell how typical they are, for estimators without one; by default
        Euclidean distances of standardised numbers.
    random_state : int, optional
        Chooses the splits and the random numbers of sets.
    threads : int, optional
        Number of threads; all cores by default.

    Attributes
    ----------
    estimator_ : the fitted estimator
    classes_ : ndarray
    calibration_ : Facts
        ``method``, ``score``, ``by``, the number of calibration ``objects`` and of those in each of the ``strata``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> flowers = mercer.ConformalClassifier(mercer.SVC(kernel="standardize(rbf)")).fit(X[::2], y[::2])
    >>> sets = flowers.predict_set(X[1::2], confidence=0.95)
    >>> sets.shape, bool(sets[np.arange(75), y[1::2]].mean() > 0.85)
    ((75, 3), True)
    >>> flowers.in_domain([[5.1, 3.5, 1.4, 0.2], [90.0, 3.5, 1.4, 0.2]]).tolist()
    [True, False]
    """

    estimator: Any
    method: Literal['cv+', 'split', 'jackknife+']
    cv: int
    test_size: float
    by: Literal['class', 'group'] | None
    score_function: Literal['least-ambiguous', 'adaptive', 'regularized'] | None
    typicality_kernel: Kernel | str | None
    random_state: int | None
    threads: int | None
    estimator_: Any
    classes_: NDArray[Any]
    calibration_: Facts
    def __init__(self, estimator: Any = None, *, method: Literal['cv+', 'split', 'jackknife+'] = 'cv+', cv: int = 10, test_size: float = 0.25, by: Literal['class', 'group'] | None = None, score_function: Literal['least-ambiguous', 'adaptive', 'regularized'] | None = None, typicality_kernel: Kernel | str | None = None, random_state: int | None = None, threads: int | None = None) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def fit(self, X: Any, y: ArrayLike | None, groups: ArrayLike | None = None) -> Self: ...
    def in_domain(self, X: Any) -> NDArray[Any]: ...
    def p_values(self, X: Any, confidence: float | None = None, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Any: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class ConformalRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Intervals that hold the true number with a chosen confidence, around any regression.

    Nothing is assumed but that new objects come from the same source as the training objects: neither a model of the
    errors nor that the regression is right. Estimators of mercer are calibrated by the engine, and can be saved with their
    calibration; any other regression or pipeline is fitted on the same kinds of splits.

    Parameters
    ----------
    estimator : regressor, default ``mercer.KernelRidge(kernel="standardize(rbf)", alpha=0.1, fit_intercept=True)``
        Of mercer, scikit-learn or another package; pipelines and searches too.
    method : {"cv+", "split", "jackknife+"}, default "cv+"
        As for :class:`ConformalClassifier`; ``"jackknife+"`` is in closed form for ``KernelRidge``.
    cv : int, default 10
        The number of folds of ``"cv+"``.
    test_size : float, default 0.25
        The share of calibration objects of ``"split"``.
    by : {None, "group"}
        Whether coverage is guaranteed within each of the ``groups`` given to ``fit``.
    score_function : {"absolute", "normalized"}, optional
        Intervals of equal width, or wider ones where errors are expected to be larger: learned from the errors of inner folds,
        by the nearest neighbours under the estimator's kernel, or by a copy of another package's estimator.
    typicality_kernel : Kernel or str, optional
        The kernel in which objects are compared to tell how typical they are, as for :class:`ConformalClassifier`.
    random_state : int or RandomState, optional
        Chooses the splits.
    threads : int, optional
        Number of threads; all cores by default.

    Attributes
    ----------
    estimator_, calibration_
        As for :class:`ConformalClassifier`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (300, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.2 * rng.standard_normal(300)
    >>> fitted = mercer.ConformalRegressor().fit(X[:200], y[:200])
    >>> low, high = fitted.predict_interval(X[200:], confidence=0.9).T
    >>> bool(0.8 < ((low <= y[200:]) & (y[200:] <= high)).mean() <= 1)
    True
    """

    estimator: Any
    method: Literal['cv+', 'split', 'jackknife+']
    cv: int
    test_size: float
    by: Literal['group'] | None
    score_function: Literal['absolute', 'normalized'] | None
    typicality_kernel: Kernel | str | None
    random_state: int | np.random.RandomState | None
    threads: int | None
    estimator_: Any
    calibration_: Facts
    def __init__(self, estimator: Any = None, *, method: Literal['cv+', 'split', 'jackknife+'] = 'cv+', cv: int = 10, test_size: float = 0.25, by: Literal['group'] | None = None, score_function: Literal['absolute', 'normalized'] | None = None, typicality_kernel: Kernel | str | None = None, random_state: int | np.random.RandomState | None = None, threads: int | None = None) -> None: ...
    def fit(self, X: Any, y: ArrayLike | None, groups: ArrayLike | None = None) -> Self: ...
    def in_domain(self, X: Any) -> NDArray[Any]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
