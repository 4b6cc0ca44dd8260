"""Gaussian processes over any kernel, with scikit-learn's contract."""

import numbers
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from . import _mercer
from ._data import Objects
from ._documented import documented
from ._errors import DataError, ParameterError
from ._estimator import Classifying, Estimator, numbers_of, target_name
from ._kernel import Kernel
from ._threads import threads_of
from ._values import flag, is_one_of, real
from .kernels import kernel as kernel_of

__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor", "Suggestions"]

#: The step of finite differences, in logarithms of hyperparameters.
STEP = 1e-5
#: Scale and noise are not learned from fewer objects.
FEWEST = 5


class Suggestions(NamedTuple):
    """Candidates for the next measurement, the best first.

    Examples
    --------
    >>> X = np.linspace(0, 5, 6)[:, None]
    >>> gp = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5)).fit(X, np.sin(X[:, 0]))
    >>> found = gp.suggest(np.linspace(0, 5, 101)[:, None])
    >>> bool(found.scores[0] == found.scores.max()), len(found.means)
    (True, 101)
    """

    #: Positions among the candidates.
    indices: np.ndarray
    #: The score of each at the time it was chosen.
    scores: np.ndarray
    #: The predicted means.
    means: np.ndarray
    #: The standard deviations of the function, without noise.
    stds: np.ndarray


class _Process(Estimator):
    """What regression and classification have in common: hyperparameters and their likelihood."""

    #: Hyperparameters besides the numbers of the kernel, by their names in ``hyperparameters_``.
    _own = ()

    def _number(self, name):
        """A hyperparameter: a number, or None if it is learned."""
        value = getattr(self, name)
        if isinstance(value, str):
            if value == "learned":
                return None
            raise ParameterError(f"{name} = {value!r:.80}: must be a number or 'learned'")
        value = real(name, value)
        if not (np.isfinite(value) and (value > 0 or (name == "alpha" and value == 0))):
            domain = "at least 0" if name == "alpha" else "above 0"
            raise ParameterError(f"{name} = {value!r}: must be a finite number of {domain}, or 'learned'")
        return value

    def _refuse_matrices(self):
        functions = isinstance(self.kernel, Kernel) and self.kernel._functions()
        if self._is_precomputed() or self._is_function() or functions:
            raise ParameterError(
                "a Gaussian process needs the similarities of new objects to themselves, which neither a matrix nor a Python function of "
                "training objects gives: use a kernel of mercer"
            )

    def _objects(self, X, reset):
        data, checked = super()._objects(X, reset)
        if reset:
            # A copy, because the caller may write to the arrays later.
            self._fitted_data = Objects(data.select(np.arange(len(data))))
        return data, checked

    def _learned_kernel(self):
        """The kernel with the numbers that were learned."""
        learned = self._model.learned_kernels()
        return kernel_of(learned[0] if learned else self._model.expressions()[0])

    def _set_theta(self):
        if not isinstance(getattr(self, "kernel_", None), Kernel):
            return
        found = self.kernel_.get_params()
        names = [name for name, value in sorted(found.items()) if is_size(value)]
        self.hyperparameters_ = (*self._own, *(f"kernel__{name}" for name in names))
        values = [*self._own_values(), *(found[name] for name in names)]
        with np.errstate(divide="ignore"):
            self.theta_ = np.log(np.asarray(values, dtype=np.float64))

    def log_marginal_likelihood(self, theta=None, eval_gradient=False):
        """Compute the log marginal likelihood of the training targets; for classes its approximation.

        Parameters
        ----------
        theta : array, optional
            Logarithms of the values of ``hyperparameters_``; the fitted ones by default. One fit is made for others.
        eval_gradient : bool
            Whether to return the gradient too, by central differences: two fits for each hyperparameter.
        """
        check_is_fitted(self, "_model")
        if not hasattr(self, "log_marginal_likelihood_value_"):
            raise ParameterError("conjugate gradients give no likelihood: use solver='cholesky'")
        if theta is None:
            value = self.log_marginal_likelihood_value_
            if not flag("eval_gradient", eval_gradient):
                return value
            theta = self.theta_
        else:
            theta = np.asarray(theta, dtype=np.float64)
            if theta.shape != self.theta_.shape or np.isnan(theta).any():
                raise ParameterError(f"theta must hold {len(self.theta_)} numbers, of {', '.join(self.hyperparameters_)}")
            value = self._likelihood(theta)
        if not flag("eval_gradient", eval_gradient):
            return value
        gradient = np.empty(len(theta))
        for at in range(len(theta)):
            step = np.where(np.arange(len(theta)) == at, STEP, 0.0)
            gradient[at] = (self._likelihood(theta + step) - self._likelihood(theta - step)) / (2 * STEP)
        return value, gradient

    def _likelihood(self, theta):
        if not hasattr(self, "_fitted_data"):
            raise ParameterError("the likelihood of other values needs the training objects, which a loaded model does not hold")
        values = dict(zip(self.hyperparameters_, np.exp(theta).tolist()))
        settings = self._settings_of({name: values.pop(name) for name in self._own})
        kernel = kernel_of(self.kernel_._text())
        kernel.set_params(**{name.removeprefix("kernel__"): value for name, value in values.items()})
        learner = f"{self._learner}({', '.join(f'{name}={value}' for name, value in (settings | as_it_is()).items())})"
        weights = self.__dict__.get("_weights")
        model = _mercer.fit(kernel._text(), learner, self._fitted_data._data, self._training, weights, self._seed(), threads_of(self.threads), None)
        return model.trained()["log_likelihood"]


@documented
class GaussianProcessRegressor(RegressorMixin, _Process):
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
    <gamma> <degree> <coef0>
    normalize_y : bool, default False
        Whether targets are centred and divided by their standard deviation before the fit. Such a model can be pickled, but
        has no model file.
    random_state : int, RandomState or None
        Draws the landmarks, and the objects that "cg" learns from; ``sample_y`` has its own.
    <threads> <progress>

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

    _learner = "gp"
    _weighted = True
    _own = ("scale", "alpha")
    _y_train_mean, _y_train_std = 0.0, 1.0

    def __init__(
        self, kernel="rbf", *, alpha="learned", scale="learned", mean="constant", optimizer="evidence", solver="cholesky",
        landmarks=0, gamma="scale", degree=3, coef0=0.0, normalize_y=False, random_state=None, threads=None, progress=False,
    ):  # fmt: skip
        self.kernel = kernel
        self.alpha = alpha
        self.scale = scale
        self.mean = mean
        self.optimizer = optimizer
        self.solver = solver
        self.landmarks = landmarks
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.normalize_y = normalize_y
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    # ------------------------------------------------------------------ fitting

    def _settings(self):
        if not is_one_of(self.mean, ("constant", "zero", "linear")):
            raise ParameterError(f"mean = {self.mean!r:.80}: must be 'constant', 'zero' or 'linear'")
        if not is_one_of(self.optimizer, ("evidence", None)):
            raise ParameterError(f"optimizer = {self.optimizer!r:.80}: must be 'evidence' or None")
        if not is_one_of(self.solver, ("cholesky", "cg")):
            raise ParameterError(f"solver = {self.solver!r:.80}: must be 'cholesky' or 'cg'")
        alpha, scale = self._number("alpha"), self._number("scale")
        return {
            "noise": "learned" if alpha is None else "none" if alpha == 0 else alpha,
            "scale": "learned" if scale is None else scale,
            "mean": self.mean,
            "solver": self.solver,
            "landmarks": self._count_of("landmarks", self.landmarks),
            **({} if self.optimizer else as_it_is()),
        }

    def _enough(self, n):
        least = FEWEST if "learned" in (self._settings()["noise"], self._settings()["scale"]) else 1 if self.mean == "zero" else 2
        if n < least:
            raise DataError(f"a Gaussian process needs at least {least} objects here, and there is {n} sample: give alpha and scale")

    def fit(self, X, y, sample_weight=None):
        """Fit the Gaussian process.

        With ``sample_weight`` the noise of object i has the variance ``alpha / sample_weight[i]``; objects with a weight of 0
        are left out. If the variance of each observation is known, that is ``alpha=1, sample_weight=1 / variances``.
        """
        name, y = target_name(y), numbers_of(y)
        weights = self._sample_weight(sample_weight, len(y), X)
        self._weights = None if weights is None else weights.tolist()
        self._refuse_matrices()
        self.__dict__.pop("_model", None)
        self._y_train_mean, self._y_train_std = 0.0, 1.0
        if flag("normalize_y", self.normalize_y):
            self._y_train_mean = float(y.mean())
            deviation = float(y.std())
            self._y_train_std = deviation if deviation > 0 else 1.0
            y = (y - self._y_train_mean) / self._y_train_std
        self._training = (name, y)
        return self._fit(X, (name, y), weights)

    def _remember(self, X, target, weights):
        self.y_train_ = target[1]
        self.__dict__.pop("X_train_", None)
        if isinstance(X, np.ndarray) or sparse.issparse(X):
            self.X_train_ = X
        self.kernel_ = self._learned_kernel()
        self._set_theta()

    def _attributes(self, fitted):
        self.scale_, self.noise_, self.mean_ = fitted["scale"], fitted["noise"], fitted["constant"]
        # Landmarks have their own coefficients, and conjugate gradients neither a factor nor a likelihood.
        for attribute, part in (("alpha_", "alpha"), ("L_", "factor"), ("log_marginal_likelihood_value_", "log_likelihood")):
            self.__dict__.pop(attribute, None)
            if part in fitted:
                setattr(self, attribute, fitted[part])
        self._set_theta()

    def _own_values(self):
        return [self.scale_, self.noise_]

    def _settings_of(self, own):
        scale, alpha = own["scale"], own["alpha"]
        return {"noise": "none" if alpha == 0 else repr(alpha), "scale": repr(scale), "mean": "zero" if self.mean == "zero" else "constant", "landmarks": self.landmarks}

    # ------------------------------------------------------------------ predictions

    def predict(self, X, return_std=False, return_cov=False):
        """Predict the mean of each object; with the standard deviation of the function, or with its covariance.

        Before ``fit`` it is that of the prior, for kernels that are not themselves fitted to objects.
        """
        both = flag("return_std", return_std), flag("return_cov", return_cov)
        if all(both):
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if self.__dict__.get("_model") is None:
            return self._prior(X, *both)
        shift, size = self._y_train_mean, self._y_train_std
        if return_cov:
            means, covariance = self._model.joint(self._objects(X, reset=False)[0], threads_of(self.threads))
            return size * means + shift, size**2 * covariance
        found = self._predict_native(X)
        means = size * found["numbers"] + shift
        if not return_std:
            return means
        # The engine's deviations are those of new observations.
        return means, size * np.sqrt((found["deviations"] ** 2 - self.noise_).clip(0.0))

    def predict_quantiles(self, X, quantiles=(0.05, 0.5, 0.95)):
        """Predict quantiles of a new observation of each object, of which the noise is a part.

        Parameters
        ----------
        quantiles : list of float
            Probabilities above 0 and below 1.

        Returns
        -------
        ndarray (n, n_quantiles)

        Examples
        --------
        >>> X = np.linspace(0, 5, 20)[:, None]
        >>> gp = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5)).fit(X, np.sin(X[:, 0]))
        >>> low, middle, high = gp.predict_quantiles([[2.1]])[0]
        >>> bool(low < middle < high)
        True
        """
        from scipy.stats import norm

        asked = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
        if asked.ndim != 1 or not ((asked > 0) & (asked < 1)).all():
            raise ParameterError(f"quantiles = {quantiles!r:.80}: must be probabilities above 0 and below 1")
        means, std = self.predict(X, return_std=True)
        noise = self._y_train_std * np.sqrt(self.noise_) if hasattr(self, "noise_") else 0.0
        return means[:, None] + np.hypot(std, noise)[:, None] * norm.ppf(asked)

    def suggest(self, X, goal="maximize", *, by="expected-improvement", beta=2.0, best=None, batch=None):
        """Choose the next experiments among candidates, as ``mercer suggest`` does.

        Parameters
        ----------
        X
            The candidates, as for ``predict``.
        goal : {"maximize", "minimize"}
            Which values are wanted.
        by : {"expected-improvement", "confidence-bound", "variance"}
            How much a candidate is expected to exceed ``best``; the mean plus (or minus) ``beta`` standard deviations; or the
            variance alone.
        beta : float
            The number of standard deviations of the confidence bound.
        best : float, optional
            The value to exceed; by default the best predicted mean of the training objects, of which a model with landmarks
            holds these alone.
        batch : int, optional
            Choose this many to be measured together: after each choice the model is told that it found there what it expects.
            Without it all candidates are ranked, each by itself.

        Returns
        -------
        Suggestions
            ``indices``, ``scores``, ``means`` and ``stds``, the best first.

        Examples
        --------
        >>> X = np.linspace(0, 5, 6)[:, None]
        >>> gp = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5)).fit(X, np.sin(X[:, 0]))
        >>> found = gp.suggest(np.linspace(0, 5, 101)[:, None], batch=2)
        >>> len(found.indices), bool(found.scores[0] > 0)
        (2, True)
        """
        check_is_fitted(self, "_model")
        if not is_one_of(goal, ("maximize", "minimize")):
            raise ParameterError(f"goal = {goal!r:.80}: must be 'maximize' or 'minimize'")
        if not is_one_of(by, ("expected-improvement", "confidence-bound", "variance")):
            raise ParameterError(f"by = {by!r:.80}: must be 'expected-improvement', 'confidence-bound' or 'variance'")
        count = None if batch is None else self._count_of("batch", batch)
        shift, size = self._y_train_mean, self._y_train_std
        known = None if best is None else (real("best", best) - shift) / size
        data = self._objects(X, reset=False)[0]
        found = self._model.suggest(data, goal, by, real("beta", beta), known, count, threads_of(self.threads))
        indices, scores, means, stds = (np.asarray(part) for part in found)
        if by == "confidence-bound":
            scores = size * scores + shift
        else:
            scores = (size**2 if by == "variance" else size) * scores
        return Suggestions(indices.astype(np.intp), scores, size * means + shift, size * stds)

    def _prior(self, X, return_std, return_cov):
        self._refuse_matrices()
        settings = self._settings()
        scale = 1.0 if settings["scale"] == "learned" else settings["scale"]
        kernel = self._kernel_of(np.asarray(X) if not sparse.issparse(X) else X)
        covariance = scale * np.asarray(kernel.gram(X))
        means = np.zeros(len(covariance))
        if return_cov:
            return means, covariance
        return (means, np.sqrt(np.diag(covariance).clip(0))) if return_std else means

    def sample_y(self, X, n_samples=1, random_state=0):
        """Draw functions at the objects, from the posterior, or from the prior before ``fit``.

        Returns
        -------
        ndarray (n, n_samples)
        """
        count = self._count_of("n_samples", n_samples)
        if random_state is None or not isinstance(random_state, numbers.Integral):
            from sklearn.utils import check_random_state

            random_state = check_random_state(random_state).randint(2**31 - 1)
        seed = int(random_state) & (2**63 - 1)
        if self.__dict__.get("_model") is None:
            means, covariance = self.predict(X, return_cov=True)
            values, vectors = np.linalg.eigh(covariance)
            draws = np.random.default_rng(seed).standard_normal((len(means), count))
            return means[:, None] + vectors @ (np.sqrt(values.clip(0))[:, None] * draws)
        drawn = self._model.sample(self._objects(X, reset=False)[0], count, seed, threads_of(self.threads))
        return self._y_train_std * drawn.T + self._y_train_mean

    def save(self, path):
        """Write the fitted model to a file that :func:`mercer.load` and the program ``mercer`` can read."""
        check_is_fitted(self, "_model")
        if self._y_train_std != 1.0 or self._y_train_mean != 0.0:
            raise ParameterError("a model of a normalised target has no model file: use normalize_y=False, or pickle")
        super().save(path)


@documented
class GaussianProcessClassifier(ClassifierMixin, Classifying, _Process):
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
    <gamma> <degree> <coef0>
    random_state : int, RandomState or None
        Not used.
    <threads> <progress>

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

    _learner = "gpc"
    _own = ("scale",)

    def __init__(
        self, kernel="rbf", *, scale="learned", approximation="laplace", optimizer="evidence", gamma="scale", degree=3, coef0=0.0,
        random_state=None, threads=None, progress=False,
    ):  # fmt: skip
        self.kernel = kernel
        self.scale = scale
        self.approximation = approximation
        self.optimizer = optimizer
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        if not is_one_of(self.approximation, ("laplace", "ep")):
            raise ParameterError(f"approximation = {self.approximation!r:.80}: must be 'laplace' or 'ep'")
        if not is_one_of(self.optimizer, ("evidence", None)):
            raise ParameterError(f"optimizer = {self.optimizer!r:.80}: must be 'evidence' or None")
        scale = self._number("scale")
        return {
            "scale": "learned" if scale is None else scale,
            "approximation": self.approximation,
            **({} if self.optimizer else as_it_is()),
        }

    def fit(self, X, y):
        """Fit the classifier. ``sample_weight`` is not supported."""
        name = target_name(y)
        self._refuse_matrices()
        codes, names = self._classes(y, X)
        self.n_classes_ = len(self.classes_)
        self._training = (name, codes, names)
        return self._fit(X, self._training)

    def _remember(self, X, target, weights):
        self.kernel_ = self._learned_kernel()
        self._set_theta()

    def _attributes(self, fitted):
        self.scale_, self.log_marginal_likelihood_value_ = fitted["scale"], fitted["log_likelihood"]
        self._set_theta()

    def _own_values(self):
        return [self.scale_]

    def _settings_of(self, own):
        return {"scale": repr(own["scale"]), "approximation": self.approximation}

    def predict(self, X):
        """Predict the most probable class of each object."""
        return self._predicted(self._predict_native(X))

    def predict_proba(self, X):
        """Predict the probability of each class: an array (n, n_classes) whose rows sum to 1."""
        return self._predict_native(X)["probabilities"]


def as_it_is():
    """The setting by which the learner takes the kernel as it is, if it learns kernels."""
    return {"learn": "none"} if "learn" in _mercer.parse_learner("gp")[1] else {}


def is_size(value):
    """Whether a parameter of a kernel is a number above 0 that may change continuously."""
    return isinstance(value, (float, np.floating)) and np.isfinite(value) and value > 0
