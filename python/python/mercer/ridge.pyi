# Made by stubs.py.
"""Kernel ridge regression and classification, with scikit-learn's parameters and attributes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['KernelRidge', 'KernelRidgeClassifier']

class KernelRidge(RegressorMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Kernel ridge regression: min Σ w_i (y_i - f(x_i))² + alpha·|f|².

    Parameters
    ----------
    alpha : float, "learned" or array (n_targets,), default 1.0
        Regularisation strength, as in scikit-learn. ``"learned"`` takes the one of 21 values around the scale of the
        kernel that has the least squared leave-one-out error on the training objects; ``alpha_`` is that value.
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
    fit_intercept : bool, default False
        Whether to add a constant that is not regularised.
    landmarks : int, default 0
        If not 0, fit a function of this many randomly drawn objects to all objects, by conjugate gradients: for data
        too large for a Gram matrix.
    random_state : int, optional
        Chooses the landmarks.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    dual_coef_, X_fit_
        As in scikit-learn; ``X_fit_`` for vectors.
    coef_, intercept_
        The weights of explicit features, in place of ``dual_coef_``, for kernels that have few.
    alpha_ : float
        The learned regularisation, with ``alpha="learned"``.
    kernel_ : Kernel
        The kernel that was fitted.

    Notes
    -----
    Sample weights, several targets and ``alpha=0`` are solved in Python: such a model can be pickled but has no model
    file.

    Examples
    --------
    >>> X = np.linspace(0, 5, 30)[:, None]
    >>> Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 0])])
    >>> fitted = mercer.KernelRidge(alpha=0.001, kernel=mercer.RBF(gamma=0.5)).fit(X, Y, sample_weight=np.ones(30))
    >>> fitted.predict([[0.0]]).round(1)
    array([[0., 1.]])
    """

    alpha: float | Literal['learned'] | ArrayLike
    kernel: Kernel | str | Callable[..., Any]
    gamma: float | None
    degree: int
    coef0: float
    kernel_params: Mapping[Any, Any] | None
    fit_intercept: bool
    landmarks: int
    random_state: int | None
    threads: int | None
    progress: bool | Callable[..., Any]
    dual_coef_: NDArray[Any]
    X_fit_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    alpha_: Any
    kernel_: Any
    def __init__(self, alpha: float | Literal['learned'] | ArrayLike = 1.0, *, kernel: Kernel | str | Callable[..., Any] = 'linear', gamma: float | None = None, degree: int = 3, coef0: float = 1.0, kernel_params: Mapping[Any, Any] | None = None, fit_intercept: bool = False, landmarks: int = 0, random_state: int | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self: ...
    def leave_one_out(self, X: Any, y: ArrayLike | None) -> NDArray[Any]: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class KernelRidgeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Classification by kernel ridge regression on targets ±1, one per class if there are more than two.

    Parameters as for :class:`KernelRidge`.

    Parameters
    ----------
    alpha : float or "learned", default 1.0
        Regularisation strength; ``"learned"`` as for :class:`KernelRidge`.
    kernel : Kernel, str or callable, default "linear"
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
    fit_intercept : bool, default False
        Whether to add a constant that is not regularised.
    landmarks : int, default 0
        If not 0, fit a function of this many randomly drawn objects to all objects, by conjugate gradients: for data too large
        for a Gram matrix.
    random_state : int or RandomState, optional
        Draws the landmarks.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    dual_coef_, X_fit_, classes_
        As in scikit-learn; ``X_fit_`` for vectors.
    coef_, intercept_
        The weights of explicit features, in place of ``dual_coef_``, for kernels that have few.
    alpha_ : float
        The learned regularisation, with ``alpha="learned"``.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> fitted = mercer.KernelRidgeClassifier(alpha=0.1, kernel=mercer.RBF(gamma=0.25)).fit(X, y)
    >>> bool((fitted.leave_one_out(X, y).argmin(axis=0).shape == (3,)) and fitted.score(X, y) > 0.9)
    True
    """

    alpha: float | Literal['learned']
    kernel: Kernel | str | Callable[..., Any]
    gamma: float | None
    degree: int
    coef0: float
    kernel_params: Mapping[Any, Any] | None
    fit_intercept: bool
    landmarks: int
    random_state: int | np.random.RandomState | None
    threads: int | None
    progress: bool | Callable[..., Any]
    dual_coef_: NDArray[Any]
    X_fit_: NDArray[Any]
    classes_: NDArray[Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    alpha_: Any
    kernel_: Any
    def __init__(self, alpha: float | Literal['learned'] = 1.0, *, kernel: Kernel | str | Callable[..., Any] = 'linear', gamma: float | None = None, degree: int = 3, coef0: float = 1.0, kernel_params: Mapping[Any, Any] | None = None, fit_intercept: bool = False, landmarks: int = 0, random_state: int | np.random.RandomState | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None) -> Self: ...
    def leave_one_out(self, X: Any, y: ArrayLike | None) -> NDArray[Any]: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
