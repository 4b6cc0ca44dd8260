# Made by stubs.py.
"""Gaussian processes over any kernel, with scikit-learn's contract."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._explanation import Explanations
from ._kernel import Kernel
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['GaussianProcessClassifier', 'GaussianProcessRegressor', 'Suggestions']

class Suggestions(tuple[Any, ...]):
    """Candidates for the next measurement, the best first.

    Examples
    --------
    >>> X = np.linspace(0, 5, 6)[:, None]
    >>> gp = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5)).fit(X, np.sin(X[:, 0]))
    >>> found = gp.suggest(np.linspace(0, 5, 101)[:, None])
    >>> bool(found.scores[0] == found.scores.max()), len(found.means)
    (True, 101)
    """

    indices: NDArray[Any]
    scores: NDArray[Any]
    means: NDArray[Any]
    stds: NDArray[Any]

class GaussianProcessRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Gaussian process regression: a mean and a standard deviation for every prediction, over any kernel.

    y ~ N(b, scale · K + alpha · I), with the kernel as covariance of the function; exact, for objects of every kind.

    Parameters
    ----------
    kernel : Kernel or str, default "rbf"
        A positive semidefinite kernel of mercer, its text, or one of scikit-learn's names, which use ``gamma``, ``degree``
        and ``coef0``.
    alpha : float or "learned", default "learned"
        The variance of the noise of an observation; learned by the marginal likelihood. scikit-learn's default is 1e-10.
    scale : float or "learned", default "learned"
        The factor of the kernel (scikit-learn's ``ConstantKernel``).
    mean : {"constant", "zero", "linear"}, default "constant"
        Whether a constant mean is fitted, under a flat prior; scikit-learn's is zero. "linear" also fits a slope along each
        column of numbers: ``kernel_`` then has ``10000*standardize(linear)`` besides.
    optimizer : {"evidence", None}, default "evidence"
        Whether the engine also learns numbers of the kernel by the marginal likelihood, where it can: those at their
        defaults. None takes the kernel as it is, as in scikit-learn.
    solver : {"cholesky", "cg"}, default "cholesky"
        "cg" solves by conjugate gradients, without a matrix of all pairs, for tens of thousands of objects: scale and alpha are
        learned from 2,000 of them, standard deviations are at least the exact ones, and there is no likelihood.
    landmarks : int, default 0
        If not 0, the number of randomly chosen objects that the function is known through, by Titsias' bound; with
        ``solver="cg"`` the rank of the preconditioner.
    gamma : {"scale", "auto"} or float, default "scale"
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
        ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 0.0
        Constant of the kernels "poly" and "sigmoid".
    normalize_y : bool, default False
        Whether targets are centred and divided by their standard deviation before the fit. Such a model can be pickled, but
        has no model file.
    random_state : int, RandomState or None
        Draws the landmarks, and the objects that "cg" learns from; ``sample_y`` has its own.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    kernel_ : Kernel
        The fitted kernel, with its learned parameters, without the scale.
    scale_, noise_, mean_ : float
        The factor of the kernel, the variance of the noise, and the constant mean, all of the normalised target.
    alpha_ : ndarray (n,)
        Dual coefficients: the mean is ``mean_ + scale_ · k(x, X_train_) @ alpha_``.
    L_ : ndarray (n, n)
        The lower Cholesky factor of ``scale_ · K + noise_ · I``.
    theta_ : ndarray
        The logarithms of the hyperparameters named in ``hyperparameters_``: scale, alpha, and the numbers above 0 of the
        kernel.
    log_marginal_likelihood_value_ : float
        At ``theta_``.
    X_train_, y_train_
        The training objects, if they are vectors, and the (normalised) target.

    Notes
    -----
    ``predict(return_std=True)`` gives the standard deviation of the function, as scikit-learn does with ``alpha``. That of a
    new observation is ``np.sqrt(std**2 + noise_)`` (without ``normalize_y``), which ``mercer predict`` writes.

    Examples
    --------
    >>> X = np.linspace(0, 5, 20)[:, None]
    >>> gp = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5)).fit(X, np.sin(X[:, 0]))
    >>> mean, std = gp.predict([[2.1], [30.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(2.1)) < 0.01), bool(std[1] > 10 * std[0])
    (True, True)
    >>> gp = mercer.GaussianProcessRegressor(kernel="tanimoto(ecfp)").fit(["CCO", "CCCO", "CCCCO", "c1ccccc1", "CCN", "CCCl"], [1, 2, 3, 9, 1, 2])
    >>> mean, std = gp.predict(["CCCCCO", "O=C=O"], return_std=True)
    >>> bool(std[0] < std[1])
    True
    """

    kernel: Kernel | str
    alpha: float | Literal['learned']
    scale: float | Literal['learned']
    mean: Literal['constant', 'zero', 'linear']
    optimizer: Literal['evidence'] | None
    solver: Literal['cholesky', 'cg']
    landmarks: int
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    normalize_y: bool
    random_state: int | np.random.RandomState | None
    threads: int | None
    progress: bool | Callable[..., Any]
    kernel_: Any
    scale_: float
    noise_: float
    mean_: Any
    alpha_: Any
    L_: NDArray[Any]
    theta_: NDArray[Any]
    log_marginal_likelihood_value_: float
    X_train_: NDArray[Any]
    y_train_: NDArray[Any]
    def __init__(self, kernel: Kernel | str = 'rbf', *, alpha: float | Literal['learned'] = 'learned', scale: float | Literal['learned'] = 'learned', mean: Literal['constant', 'zero', 'linear'] = 'constant', optimizer: Literal['evidence'] | None = 'evidence', solver: Literal['cholesky', 'cg'] = 'cholesky', landmarks: int = 0, gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, normalize_y: bool = False, random_state: int | np.random.RandomState | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Self: ...
    def log_marginal_likelihood(self, theta: ArrayLike | None = None, eval_gradient: bool = False) -> Any: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_quantiles(self, X: Any, quantiles: ArrayLike = ...) -> NDArray[Any]: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def sample_y(self, X: Any, n_samples: int = 1, random_state: int | np.random.RandomState | None = 0) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_fit_request(self, **requests: bool | str | None) -> Self: ...
    def set_predict_request(self, **requests: bool | str | None) -> Self: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def suggest(self, X: Any, goal: Literal['maximize', 'minimize'] = 'maximize', *, by: Literal['expected-improvement', 'confidence-bound', 'variance'] = 'expected-improvement', beta: float = 2.0, best: float | None = None, batch: int | None = None) -> Suggestions: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...

class GaussianProcessClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Gaussian process classification: probabilities over any kernel, for objects of every kind.

    Two classes or more; more than two are separated each from all others, and the probabilities divided by their sum.

    Parameters
    ----------
    kernel : Kernel or str, default "rbf"
        A positive semidefinite kernel of mercer, its text, or one of scikit-learn's names, which use ``gamma``, ``degree``
        and ``coef0``.
    scale : float or "learned", default "learned"
        The factor of the kernel (scikit-learn's ``ConstantKernel``); learned by the approximate marginal likelihood.
    approximation : {"laplace", "ep"}, default "laplace"
        Laplace's approximation with the logistic link, as in scikit-learn; or expectation propagation with the probit link,
        whose probabilities are closer to those of the exact posterior and take longer.
    optimizer : {"evidence", None}, default "evidence"
        Whether the engine also learns numbers of the kernel by the approximate marginal likelihood, where it can: those at
        their defaults. None takes the kernel as it is.
    gamma : {"scale", "auto"} or float, default "scale"
        Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
        ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.
    degree : int, default 3
        Degree of the kernel "poly".
    coef0 : float, default 0.0
        Constant of the kernels "poly" and "sigmoid".
    random_state : int, RandomState or None
        Not used.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_classes_ : int
        Their number.
    kernel_ : Kernel
        The fitted kernel, with its learned parameters, without the scale.
    scale_ : float
        The factor of the kernel.
    theta_ : ndarray
        The logarithms of the hyperparameters named in ``hyperparameters_``: scale, and the numbers above 0 of the kernel.
    log_marginal_likelihood_value_ : float
        At ``theta_``; for more than two classes the sum over each against all others, where scikit-learn has the mean.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> gp = mercer.GaussianProcessClassifier(kernel="standardize(rbf(gamma=0.25))").fit(X, y)
    >>> gp.predict(X[:1]), bool(gp.predict_proba(X[:1])[0, 0] > 0.8)
    (array([0]), True)
    >>> gp = mercer.GaussianProcessClassifier(kernel="spectrum(k=2)", approximation="ep").fit(["abab", "baba", "cdcd", "dcdc"], [0, 0, 1, 1])
    >>> gp.predict(["abba", "cddc"])
    array([0, 1])
    """

    kernel: Kernel | str
    scale: float | Literal['learned']
    approximation: Literal['laplace', 'ep']
    optimizer: Literal['evidence'] | None
    gamma: Literal['scale', 'auto'] | float
    degree: int
    coef0: float
    random_state: int | np.random.RandomState | None
    threads: int | None
    progress: bool | Callable[..., Any]
    classes_: NDArray[Any]
    n_classes_: int
    kernel_: Any
    scale_: float
    theta_: NDArray[Any]
    log_marginal_likelihood_value_: float
    def __init__(self, kernel: Kernel | str = 'rbf', *, scale: float | Literal['learned'] = 'learned', approximation: Literal['laplace', 'ep'] = 'laplace', optimizer: Literal['evidence'] | None = 'evidence', gamma: Literal['scale', 'auto'] | float = 'scale', degree: int = 3, coef0: float = 0.0, random_state: int | np.random.RandomState | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False) -> None: ...
    def explain(self, X: Any, n_features: int = 5, theme: Literal['light', 'dark', 'page'] = 'light', by: Literal['any', 'features', 'columns', 'objects', 'parts'] = 'any', background: Any = None) -> Explanations: ...
    def fit(self, X: Any, y: ArrayLike | None) -> Self: ...
    def log_marginal_likelihood(self, theta: ArrayLike | None = None, eval_gradient: bool = False) -> Any: ...
    def nearest_molecules(self, X: Any, n: int = 3) -> list[list[dict[str, Any]]]: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_interval(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> Any: ...
    def predict_set(self, X: Any, confidence: float = 0.9, groups: ArrayLike | None = None) -> NDArray[Any]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def set_score_request(self, **requests: bool | str | None) -> Self: ...
    def substitutions(self, X: Any) -> list[dict[str, Any]]: ...
    def typicality(self, X: Any) -> NDArray[Any]: ...
