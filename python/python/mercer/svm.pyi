# Made by stubs.py.
"""Support vector machines with scikit-learn's parameters, attributes and signs, and a certificate for every fit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from ._show import Facts
from .landmarks import LandmarkSVC as LandmarkSVC
from .linear import LinearSVC as LinearSVC
from .linear import LinearSVR as LinearSVR
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['LandmarkSVC', 'LinearSVC', 'LinearSVR', 'NuSVC', 'NuSVR', 'OneClassSVM', 'SVC', 'SVR']

class OneClassSVM(OutlierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """One-class SVM: the region that contains all but about a share ``nu`` of the objects; 1 inside, -1 outside.

    Parameters
    ----------
    nu : float, default 0.5
        Upper bound on the share of training objects outside the region, lower bound on the share of support vectors; above 0,
        at most 1.
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
    shrinking : bool, default True
        Accepted for compatibility with scikit-learn: the solver decides itself, and the result is the same.
    tol : float, default 0.001
        The largest violation of the optimality conditions at convergence.
    max_iter : int, default -1
        Largest number of iterations; -1 stands for the engine's own limit.
    cache_size : float, default 1000
        Megabytes for rows of the Gram matrix.
    verbose : bool, default False
        True shows a progress bar.
    solver : {"auto", "smo", "active-set"}, default "auto"
        "smo" optimises pairs of variables, as LIBSVM does. "active-set" solves for all free variables together, exactly
        up to rounding. "auto" starts with pairs and switches to the active set when progress is slow.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, shape_fit_, fit_status_, offset_
        As in scikit-learn.
    certificate_ : dict
        Primal and dual objective, duality gap, iterations, reason for stopping.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> fitted = mercer.OneClassSVM(nu=0.1, kernel=mercer.RBF(gamma=0.25)).fit(X)
    >>> fitted.predict([[0.0, 0.0], [6.0, 6.0]]).tolist()
    [1, -1]
    """

    nu: float
    kernel: Kernel | str | Callable[..., Any]
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    shrinking: bool
    tol: float
    max_iter: int
    cache_size: float
    verbose: bool
    solver: Literal['auto', 'smo', 'active-set']
    threads: int | None
    progress: bool | Callable[..., Any]
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: Any
    shape_fit_: tuple[int, ...]
    fit_status_: int
    offset_: NDArray[Any]
    certificate_: dict[str, Facts]
    kernel_: Any
    def __init__(self, nu: float = 0.5, *, kernel: Kernel | str | Callable[..., Any] = 'rbf', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, shrinking: bool = True, tol: float = 0.001, max_iter: int = -1, cache_size: float = 1000, verbose: bool = False, solver: Literal['auto', 'smo', 'active-set'] = 'auto', threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self: ...
    @property
    def locations_(self) -> NDArray[Any]: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def score_samples(self, X: Any) -> NDArray[Any]: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class NuSVR(RegressorMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Nu-support vector regression: a share of about ``nu`` of the objects is outside the tube. See :class:`SVC`.

    Parameters
    ----------
    nu : float, default 0.5
        Upper bound on the share of objects outside the tube, lower bound on the share of support vectors; above 0, at most 1.
    C : float, default 1.0
        Penalty of errors relative to the width of the margin.
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
    shrinking : bool, default True
        Accepted for compatibility with scikit-learn: the solver decides itself, and the result is the same.
    tol : float, default 0.001
        The largest violation of the optimality conditions at convergence.
    max_iter : int, default -1
        Largest number of iterations; -1 stands for the engine's own limit.
    cache_size : float, default 1000
        Megabytes for rows of the Gram matrix.
    verbose : bool, default False
        True shows a progress bar.
    solver : {"auto", "smo", "active-set"}, default "auto"
        "smo" optimises pairs of variables, as LIBSVM does. "active-set" solves for all free variables together, exactly
        up to rounding. "auto" starts with pairs and switches to the active set when progress is slow.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, shape_fit_, fit_status_
        As in scikit-learn.
    certificate_ : dict
        Primal and dual objective, duality gap, iterations, reason for stopping.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X = np.linspace(0, 5, 40)[:, None]
    >>> fitted = mercer.NuSVR(nu=0.3, C=10, kernel=mercer.RBF(gamma=0.5)).fit(X, np.sin(X[:, 0]))
    >>> bool(len(fitted.support_) < 40)
    True
    """

    nu: float
    C: float
    kernel: Kernel | str | Callable[..., Any]
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    shrinking: bool
    tol: float
    max_iter: int
    cache_size: float
    verbose: bool
    solver: Literal['auto', 'smo', 'active-set']
    threads: int | None
    progress: bool | Callable[..., Any]
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: Any
    shape_fit_: tuple[int, ...]
    fit_status_: int
    certificate_: dict[str, Facts]
    kernel_: Any
    def __init__(self, nu: float = 0.5, *, C: float = 1.0, kernel: Kernel | str | Callable[..., Any] = 'rbf', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, shrinking: bool = True, tol: float = 0.001, max_iter: int = -1, cache_size: float = 1000, verbose: bool = False, solver: Literal['auto', 'smo', 'active-set'] = 'auto', threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self: ...
    @property
    def locations_(self) -> NDArray[Any]: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class SVR(RegressorMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Epsilon-support vector regression: errors up to ``epsilon`` are not penalised. Otherwise as :class:`SVC`.

    Parameters
    ----------
    C : float, default 1.0
        Penalty of errors relative to the width of the margin.
    epsilon : float, default 0.1
        Errors up to this size are not penalised.
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
    shrinking : bool, default True
        Accepted for compatibility with scikit-learn: the solver decides itself, and the result is the same.
    tol : float, default 0.001
        The largest violation of the optimality conditions at convergence.
    max_iter : int, default -1
        Largest number of iterations; -1 stands for the engine's own limit.
    cache_size : float, default 1000
        Megabytes for rows of the Gram matrix.
    verbose : bool, default False
        True shows a progress bar.
    solver : {"auto", "smo", "active-set"}, default "auto"
        "smo" optimises pairs of variables, as LIBSVM does. "active-set" solves for all free variables together, exactly
        up to rounding. "auto" starts with pairs and switches to the active set when progress is slow.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, shape_fit_, fit_status_
        As in scikit-learn.
    certificate_ : dict
        Primal and dual objective, duality gap, iterations, reason for stopping.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X = np.linspace(0, 5, 40)[:, None]
    >>> fitted = mercer.SVR(kernel=mercer.RBF(gamma=0.5), C=10, epsilon=0.05).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(fitted.predict([[2.0]])[0] - np.sin(2.0)) < 0.1)
    True
    """

    C: float
    epsilon: float
    kernel: Kernel | str | Callable[..., Any]
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    shrinking: bool
    tol: float
    max_iter: int
    cache_size: float
    verbose: bool
    solver: Literal['auto', 'smo', 'active-set']
    threads: int | None
    progress: bool | Callable[..., Any]
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    n_iter_: Any
    shape_fit_: tuple[int, ...]
    fit_status_: int
    certificate_: dict[str, Facts]
    kernel_: Any
    def __init__(self, C: float = 1.0, *, epsilon: float = 0.1, kernel: Kernel | str | Callable[..., Any] = 'rbf', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, shrinking: bool = True, tol: float = 0.001, max_iter: int = -1, cache_size: float = 1000, verbose: bool = False, solver: Literal['auto', 'smo', 'active-set'] = 'auto', threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self: ...
    @property
    def locations_(self) -> NDArray[Any]: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class NuSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Nu-support vector classification: ``nu`` is the share of objects inside the margin. Otherwise as :class:`SVC`.

    Parameters
    ----------
    nu : float, default 0.5
        Upper bound on the share of objects with an error, lower bound on the share of support vectors; above 0, at most 1.
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
    class_weight : dict or "balanced", optional
        Factors of C by class; ``"balanced"`` makes them inversely proportional to the number of objects of each class.
    scheme : {"one-versus-one", "one-versus-rest"}, default "one-versus-one"
        Reduction of more than two classes to binary classifiers.
    probability : bool, default False
        Whether to fit probabilities as well, on five held-out folds.
    decision_function_shape : {"ovr", "ovo"}, default "ovr"
        Columns of ``decision_function``: one per class, or one per pair of classes.
    break_ties : bool, default False
        Whether ties of votes are broken by the largest decision value instead of the order of classes.
    shrinking : bool, default True
        Accepted for compatibility with scikit-learn: the solver decides itself, and the result is the same.
    tol : float, default 0.001
        The largest violation of the optimality conditions at convergence.
    max_iter : int, default -1
        Largest number of iterations; -1 stands for the engine's own limit.
    cache_size : float, default 1000
        Megabytes for rows of the Gram matrix.
    verbose : bool, default False
        True shows a progress bar.
    solver : {"auto", "smo", "active-set"}, default "auto"
        "smo" optimises pairs of variables, as LIBSVM does. "active-set" solves for all free variables together, exactly
        up to rounding. "auto" starts with pairs and switches to the active set when progress is slow.
    random_state : int or RandomState, optional
        Chooses the folds for probabilities.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, shape_fit_,
    fit_status_, probA_, probB_
        As for :class:`SVC`.
    certificate_ : dict
        A certificate for each binary classifier.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> fitted = mercer.NuSVC(nu=0.1, kernel=mercer.RBF(gamma=0.25)).fit(X, y)
    >>> float(round(fitted.score(X, y), 2))
    0.99
    """

    nu: float
    kernel: Kernel | str | Callable[..., Any]
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    class_weight: Mapping[Any, Any] | Literal['balanced'] | None
    scheme: Literal['one-versus-one', 'one-versus-rest']
    probability: bool
    decision_function_shape: Literal['ovr', 'ovo']
    break_ties: bool
    shrinking: bool
    tol: float
    max_iter: int
    cache_size: float
    verbose: bool
    solver: Literal['auto', 'smo', 'active-set']
    random_state: int | np.random.RandomState | None
    threads: int | None
    progress: bool | Callable[..., Any]
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    class_weight_: NDArray[Any]
    n_iter_: Any
    shape_fit_: tuple[int, ...]
    fit_status_: int
    probA_: NDArray[Any]
    probB_: NDArray[Any]
    certificate_: dict[str, Facts]
    kernel_: Any
    def __init__(self, nu: float = 0.5, *, kernel: Kernel | str | Callable[..., Any] = 'rbf', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, class_weight: Mapping[Any, Any] | Literal['balanced'] | None = None, scheme: Literal['one-versus-one', 'one-versus-rest'] = 'one-versus-one', probability: bool = False, decision_function_shape: Literal['ovr', 'ovo'] = 'ovr', break_ties: bool = False, shrinking: bool = True, tol: float = 0.001, max_iter: int = -1, cache_size: float = 1000, verbose: bool = False, solver: Literal['auto', 'smo', 'active-set'] = 'auto', random_state: int | np.random.RandomState | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self: ...
    @property
    def locations_(self) -> NDArray[Any]: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Any: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class SVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """C-support vector classification.

    Parameters
    ----------
    C : float, default 1.0
        Penalty of errors relative to the width of the margin. Infinity is replaced by 1e10; ``margin="hard"`` is exact.
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
    class_weight : dict or "balanced", optional
        Factors of C by class; ``"balanced"`` makes them inversely proportional to the number of objects of each class.
    scheme : {"one-versus-one", "one-versus-rest"}, default "one-versus-one"
        Reduction of more than two classes to binary classifiers.
    margin : {"soft", "hard"}, default "soft"
        A hard margin allows no errors and does not use C.
    probability : bool, default False
        Whether to fit probabilities as well, on five held-out folds.
    decision_function_shape : {"ovr", "ovo"}, default "ovr"
        Columns of ``decision_function``: one per class, or one per pair of classes.
    break_ties : bool, default False
        Whether ties of votes are broken by the largest decision value instead of the order of classes.
    shrinking : bool, default True
        Accepted for compatibility with scikit-learn: the solver decides itself, and the result is the same.
    tol : float, default 0.001
        The largest violation of the optimality conditions at convergence.
    max_iter : int, default -1
        Largest number of iterations; -1 stands for the engine's own limit.
    cache_size : float, default 1000
        Megabytes for rows of the Gram matrix.
    verbose : bool, default False
        True shows a progress bar.
    solver : {"auto", "smo", "active-set"}, default "auto"
        "smo" optimises pairs of variables, as LIBSVM does. "active-set" solves for all free variables together, exactly
        up to rounding. "auto" starts with pairs and switches to the active set when progress is slow.
    random_state : int, optional
        Chooses the folds for probabilities.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, shape_fit_,
    fit_status_, probA_, probB_
        As in scikit-learn, with its signs. ``coef_`` exists for the linear kernel, ``support_vectors_`` for vectors;
        neither exists after :func:`mercer.load`.
    certificate_ : dict
        For each binary classifier: primal and dual objective, duality gap, iterations, reason for stopping.
    kernel_ : Kernel
        The kernel that was fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> fitted = mercer.SVC(kernel=mercer.Standardize(mercer.RBF(gamma=0.25)), C=10).fit(X, y)
    >>> float(round(fitted.score(X, y), 3))
    0.987
    """

    C: float
    kernel: Kernel | str | Callable[..., Any]
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    class_weight: Mapping[Any, Any] | Literal['balanced'] | None
    scheme: Literal['one-versus-one', 'one-versus-rest']
    margin: Literal['soft', 'hard']
    probability: bool
    decision_function_shape: Literal['ovr', 'ovo']
    break_ties: bool
    shrinking: bool
    tol: float
    max_iter: int
    cache_size: float
    verbose: bool
    solver: Literal['auto', 'smo', 'active-set']
    random_state: int | None
    threads: int | None
    progress: bool | Callable[..., Any]
    support_: NDArray[Any]
    support_vectors_: NDArray[Any]
    n_support_: NDArray[Any]
    dual_coef_: NDArray[Any]
    intercept_: NDArray[Any]
    classes_: NDArray[Any]
    class_weight_: NDArray[Any]
    n_iter_: Any
    shape_fit_: tuple[int, ...]
    fit_status_: int
    probA_: NDArray[Any]
    probB_: NDArray[Any]
    certificate_: dict[str, Facts]
    kernel_: Any
    def __init__(self, C: float = 1.0, *, kernel: Kernel | str | Callable[..., Any] = 'rbf', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, class_weight: Mapping[Any, Any] | Literal['balanced'] | None = None, scheme: Literal['one-versus-one', 'one-versus-rest'] = 'one-versus-one', margin: Literal['soft', 'hard'] = 'soft', probability: bool = False, decision_function_shape: Literal['ovr', 'ovo'] = 'ovr', break_ties: bool = False, shrinking: bool = True, tol: float = 0.001, max_iter: int = -1, cache_size: float = 1000, verbose: bool = False, solver: Literal['auto', 'smo', 'active-set'] = 'auto', random_state: int | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    def decision_function(self, X: Any) -> NDArray[Any]: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self: ...
    @property
    def locations_(self) -> NDArray[Any]: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_log_proba(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Any: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
