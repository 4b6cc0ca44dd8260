# Made by stubs.py.
"""Support vector classification by a function of landmarks, for data too large for :class:`mercer.SVC`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from ._show import Facts
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['LandmarkSVC']

class LandmarkSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Support vector classification among functions of randomly drawn objects, with squared errors.

    Minimises ½|f|² + C·Σ max(0, 1 - y_i·(f(x_i) + b))² over the functions f of ``landmarks`` of the training objects, by
    Newton's method with preconditioned conjugate gradients. No Gram matrix is needed: time grows with
    n_samples · landmarks and landmarks³, memory with 16 · landmarks² bytes.

    Parameters
    ----------
    C : float, default 1.0
        Penalty of squared errors relative to the width of the margin.
    landmarks : int, default 1000
        Number of objects that span the function; all if there are fewer. More are more accurate and slower.
    kernel : Kernel or str, default "rbf"
        As for :class:`SVC`; it must be positive semidefinite.
    gamma : {"scale", "auto"} or float, default "scale"
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
        ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 0.0
        Constant of the kernels "poly" and "sigmoid".
    class_weight : dict or "balanced", optional
        Factors of C by class; ``"balanced"`` makes them inversely proportional to the number of objects of each class.
    tol : float, default 1e-3
        The largest duality gap at convergence, relative to the objective.
    random_state : int, optional
        Draws the landmarks.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    support_ : array (n_landmarks,)
        The landmarks, as indices of training objects.
    dual_coef_ : array (n_functions, n_landmarks)
        The coefficients of the landmarks: one row for two classes, otherwise one per class.
    intercept_ : array (n_functions,)
    classes_, class_weight_, n_iter_
        As in scikit-learn; ``n_iter_`` counts conjugate gradient iterations.
    certificate_ : dict
        For each binary classifier: primal and dual objective, duality gap, iterations, reason for stopping.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> fitted = mercer.LandmarkSVC(kernel=mercer.RBF(gamma=0.25), landmarks=40, C=10, random_state=0).fit(X, y)
    >>> fitted.dual_coef_.shape
    (3, 40)
    """

    C: float
    landmarks: int
    kernel: Kernel | str
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    class_weight: Mapping[Any, Any] | Literal['balanced'] | None
    tol: float
    random_state: int | None
    threads: int | None
    progress: bool | Callable[..., Any]
    support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    class_weight_: NDArray[Any]
    n_iter_: Any
    certificate_: dict[str, Facts]
    def __init__(self, C: float = 1.0, *, landmarks: int = 1000, kernel: Kernel | str = 'rbf', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, class_weight: Mapping[Any, Any] | Literal['balanced'] | None = None, tol: float = 0.001, random_state: int | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
