# Made by stubs.py.
"""Linear support vector machines on explicit features, with scikit-learn's parameters and attributes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from ._show import Facts
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['LinearSVC', 'LinearSVR']

class LinearSVR(RegressorMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Linear support vector regression on explicit features, for large numbers of objects.

    Parameters
    ----------
    C : float, default 1.0
        Penalty of errors relative to the regularisation of the weights.
    epsilon : float, default 0.0
        Errors up to this size are not penalised.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default "epsilon_insensitive"
        Whether errors beyond epsilon count by their size or its square.
    kernel : Kernel, optional
        A kernel with explicit features, such as ``Polynomial``. By default the vectors themselves are the features.
    dual : bool or "auto", default "auto"
        Accepted for compatibility with scikit-learn, where it chooses between solvers for the same problem.
    fit_intercept : bool, default True
        Whether to fit an intercept.
    intercept_scaling : float, default 1.0
        The constant feature whose weight is the intercept; a larger one is regularised less.
    tol : float, default 0.0001
        The largest violation of the optimality conditions at convergence.
    max_iter : int, default 1000
        Largest number of rounds over the objects.
    verbose : bool or int, default 0
        True shows a progress bar; numbers, as in scikit-learn, do not.
    random_state : int or RandomState, optional
        Seed of the order in which objects are visited.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    coef_, intercept_, n_iter_
        As in scikit-learn; ``coef_`` has the weights of the features of the kernel.
    certificate_ : dict
        Primal and dual objective, duality gap, rounds, reason for stopping.

    Examples
    --------
    >>> X = np.arange(20.0)[:, None]
    >>> fitted = mercer.LinearSVR(C=100.0, max_iter=10000).fit(X, 2 * X[:, 0] + 1)
    >>> bool(abs(fitted.predict([[30.0]])[0] - 61) < 1)
    True
    """

    C: float
    epsilon: float
    loss: Literal['epsilon_insensitive', 'squared_epsilon_insensitive']
    kernel: Kernel | None
    dual: bool | Literal['auto']
    fit_intercept: bool
    intercept_scaling: float
    tol: float
    max_iter: int
    verbose: bool | int
    random_state: int | np.random.RandomState | None
    threads: int | None
    progress: bool | Callable[..., Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: Any
    certificate_: dict[str, Facts]
    def __init__(self, *, C: float = 1.0, epsilon: float = 0.0, loss: Literal['epsilon_insensitive', 'squared_epsilon_insensitive'] = 'epsilon_insensitive', kernel: Kernel | None = None, dual: bool | Literal['auto'] = 'auto', fit_intercept: bool = True, intercept_scaling: float = 1.0, tol: float = 0.0001, max_iter: int = 1000, verbose: bool | int = 0, random_state: int | np.random.RandomState | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def densify(self) -> Self: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def sparsify(self) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class LinearSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Linear support vector classification on explicit features, for large numbers of objects.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default "l2"
        "l1" gives sparse weights. It supports vectors only.
    loss : {"squared_hinge", "hinge"}, default "squared_hinge"
        Whether errors count by their square or their size.
    C : float, default 1.0
        Penalty of errors relative to the regularisation of the weights.
    kernel : Kernel, optional
        A kernel with explicit features, such as ``Polynomial``. By default the vectors themselves are the features.
    class_weight : dict or "balanced", optional
        Factors of C by class; ``"balanced"`` makes them inversely proportional to the number of objects of each class.
    dual : bool or "auto", default "auto"
        Accepted for compatibility with scikit-learn, where it chooses between solvers for the same problem.
    multi_class : {"ovr", "crammer_singer"}, default "ovr"
        One classifier per class against the rest, or the joint problem of Crammer and Singer for all classes. As in
        scikit-learn, the latter has the loss "hinge" and the penalty "l2", whatever ``loss``, ``penalty`` and ``dual`` say.
    fit_intercept : bool, default True
        Whether to fit an intercept.
    intercept_scaling : float, default 1.0
        The constant feature whose weight is the intercept; a larger one is regularised less.
    tol : float, default 0.0001
        The largest violation of the optimality conditions at convergence.
    max_iter : int, default 1000
        Largest number of rounds over the objects.
    verbose : bool or int, default 0
        True shows a progress bar; numbers, as in scikit-learn, do not.
    random_state : int or RandomState, optional
        Seed of the order in which objects are visited.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    coef_, intercept_, classes_, class_weight_, n_iter_
        As in scikit-learn; ``coef_`` has the weights of the features of the kernel.
    certificate_ : dict
        A certificate for each binary classifier; one for all classes with ``multi_class="crammer_singer"``.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> fitted = mercer.LinearSVC(C=1.0, max_iter=10_000).fit(X, y)
    >>> fitted.coef_.shape
    (3, 4)
    >>> joint = mercer.LinearSVC(multi_class="crammer_singer", max_iter=100_000).fit(X, y)
    >>> list(joint.certificate_)
    ['all classes']
    """

    penalty: Literal['l2', 'l1']
    loss: Literal['squared_hinge', 'hinge']
    C: float
    kernel: Kernel | None
    class_weight: Mapping[Any, Any] | Literal['balanced'] | None
    dual: bool | Literal['auto']
    multi_class: Literal['ovr', 'crammer_singer']
    fit_intercept: bool
    intercept_scaling: float
    tol: float
    max_iter: int
    verbose: bool | int
    random_state: int | np.random.RandomState | None
    threads: int | None
    progress: bool | Callable[..., Any]
    coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    class_weight_: NDArray[Any]
    n_iter_: Any
    certificate_: dict[str, Facts]
    def __init__(self, penalty: Literal['l2', 'l1'] = 'l2', loss: Literal['squared_hinge', 'hinge'] = 'squared_hinge', *, C: float = 1.0, kernel: Kernel | None = None, class_weight: Mapping[Any, Any] | Literal['balanced'] | None = None, dual: bool | Literal['auto'] = 'auto', multi_class: Literal['ovr', 'crammer_singer'] = 'ovr', fit_intercept: bool = True, intercept_scaling: float = 1.0, tol: float = 0.0001, max_iter: int = 1000, verbose: bool | int = 0, random_state: int | np.random.RandomState | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def sparsify(self) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
