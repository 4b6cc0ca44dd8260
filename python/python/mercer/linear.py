"""Linear support vector machines on explicit features, with scikit-learn's parameters and attributes."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from ._class_weight import class_weights
from ._data import Objects
from ._documented import documented
from ._errors import ConvergenceWarning, ParameterError
from ._values import flag, is_one_of
from ._estimator import Classifying, Estimator, is_numeric, numbers_of, target_name
from ._l1 import squared_hinge_l1

__all__ = ["LinearSVC", "LinearSVR"]

#: Size in bytes up to which ``coef_`` is a dense array, including features that do not occur.
DENSE = 64 << 20


def _weights(fitted):
    """One row of weights per binary classifier; sparse if there are many features of which few occur."""
    weights, features, dim = fitted["weights"], fitted["features"], fitted["dim"]
    if features is None:
        return weights
    if len(weights) * dim * 8 > DENSE:
        starts = np.arange(len(weights) + 1) * len(features)
        return sparse.csr_matrix((weights.ravel(), np.tile(features, len(weights)), starts), shape=(len(weights), dim))
    out = np.zeros((len(weights), dim))
    out[:, features] = weights
    return out


class _Linear(Estimator):
    _weighted = True
    _unfinished = "Liblinear failed to converge, increase the number of iterations. "

    def _kernel_of(self, X=None):
        if self.kernel is None:
            from .kernels import Linear

            return Linear()
        return super()._kernel_of(X)

    def _kinds_wanted(self):
        return {None: {"numbers", "sparse"}} if self.kernel is None else super()._kinds_wanted()

    def _linear_settings(self, losses):
        if not is_one_of(self.loss, losses):
            raise ParameterError(f"loss = {self.loss!r}: must be one of {', '.join(losses)}")
        if not is_one_of(self.dual, (True, False, "auto")):
            raise ParameterError(f"dual = {self.dual!r}: must be True, False or 'auto'")
        penalty = getattr(self, "penalty", "l2")
        if not is_one_of(penalty, ("l1", "l2")):
            raise ParameterError(f"penalty = {penalty!r}: must be 'l1' or 'l2'")
        plain_loss = "hinge" if "hinge" in losses else "epsilon_insensitive"
        without = self.dual is False and (self.loss == plain_loss)
        ignored = is_one_of(getattr(self, "multi_class", None), ("crammer_singer",))
        if not ignored and (without or (penalty == "l1" and (self.dual is True or self.loss == plain_loss))):
            raise ParameterError(
                f"Unsupported set of arguments: there is no solver for penalty={penalty!r}, loss={self.loss!r} and dual={self.dual}, "
                f"Parameters: penalty={penalty!r}, loss={self.loss!r}, dual={self.dual}"
            )
        return {
            "C": self.C,
            "loss": losses[self.loss],
            "bias": self.intercept_scaling if flag("fit_intercept", self.fit_intercept) else 0.0,
            "epochs": self.max_iter,
            "tolerance": self.tol,
        }

    def _decisions(self, X):
        """X·coef_ + intercept_, one column per binary classifier; None if the engine has to compute the features."""
        check_is_fitted(self, "coef_")
        if self.kernel is not None or isinstance(X, Objects) or not is_numeric(X, {"numbers", "sparse"}):
            return None
        _, X = self._objects(X, reset=False)
        coef = self.coef_.T if self.coef_.ndim == 2 else self.coef_.reshape(-1, 1)
        values = X @ coef
        return (values.toarray() if sparse.issparse(values) else np.asarray(values)) + self.intercept_

    def densify(self):
        """Convert ``coef_`` to a dense array."""
        check_is_fitted(self, "coef_")
        self.coef_ = self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_
        return self

    def sparsify(self):
        """Convert ``coef_`` to a sparse matrix. Predictions stay the same."""
        check_is_fitted(self, "coef_")
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self


@documented
class LinearSVC(Classifying, ClassifierMixin, _Linear):
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
    <class_weight>
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
    <threads> <progress>

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

    _learner = "linear-svc"

    def __init__(
        self,
        penalty="l2",
        loss="squared_hinge",
        *,
        C=1.0,
        kernel=None,
        class_weight=None,
        dual="auto",
        multi_class="ovr",
        fit_intercept=True,
        intercept_scaling=1.0,
        tol=1e-4,
        max_iter=1000,
        verbose=0,
        random_state=None,
        threads=None,
        progress=False,
    ):
        self.penalty = penalty
        self.loss = loss
        self.C = C
        self.kernel = kernel
        self.class_weight = class_weight
        self.dual = dual
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        settings = self._linear_settings({"squared_hinge": "squared", "hinge": "absolute"})
        if not is_one_of(self.multi_class, ("ovr", "crammer_singer")):
            raise ParameterError(f"multi_class = {self.multi_class!r}: must be 'ovr' or 'crammer_singer'")
        scheme = "crammer-singer" if self._is_joint() else None
        return {**settings, "weights": class_weights(self), "scheme": scheme}

    def _is_joint(self):
        return is_one_of(self.multi_class, ("crammer_singer",))

    def fit(self, X, y, sample_weight=None):
        """Fit one classifier, or one per class (``multi_class``)."""
        codes, names = self._classes(y, X)
        weights = self._sample_weight(sample_weight, len(codes), X)
        if is_one_of(self.penalty, ("l1",)) and not self._is_joint():
            return self._fit_l1(X, codes, weights)
        return self._fit(X, (target_name(y), codes, names), weights)

    def _fit_l1(self, X, codes, weights):
        self._settings()
        if self.kernel is not None:
            raise ParameterError("penalty = 'l1': supports vectors only, without a kernel")
        data, X = self._objects(X, reset=True)
        if len(data) != len(codes):
            raise ParameterError(f"Found input variables with inconsistent numbers of samples: {[len(data), len(codes)]}")
        self.__dict__.pop("_model", None)
        bias = np.full((X.shape[0], 1), float(self.intercept_scaling))
        if self.fit_intercept:
            X = sparse.hstack([X, bias], format="csc") if sparse.issparse(X) else np.hstack([X, bias])
        self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])
        costs = float(self.C) * self.class_weight_[codes] * (1.0 if weights is None else weights)
        X, codes, costs = X[costs > 0], codes[costs > 0], costs[costs > 0]
        positives = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        found = [squared_hinge_l1(X, np.where(codes == c, 1.0, -1.0), costs, self.tol, self.max_iter) for c in positives]
        w = np.array([one[0] for one in found])
        self.coef_ = w[:, :-1] if self.fit_intercept else w
        self.intercept_ = w[:, -1] * self.intercept_scaling if self.fit_intercept else np.zeros(len(w))
        self.n_iter_ = int(max(one[1] for one in found))
        if not all(one[2] for one in found):
            warnings.warn(f"{self._unfinished}{self.n_iter_} rounds were not sufficient", ConvergenceWarning, stacklevel=3)
        return self

    def _attributes(self, fitted):
        self.coef_, self.intercept_ = _weights(fitted), fitted["intercepts"]
        self.class_weight_ = fitted["class_weights"]
        self.n_iter_ = int(fitted["epochs"])

    def predict(self, X):
        """Predict the class of each object."""
        values = self._decisions(X)
        if values is None:
            return self._predicted(self._predict_native(X))
        codes = (values[:, 0] > 0).astype(int) if values.shape[1] == 1 else np.argmax(values, axis=1)
        return self.classes_[codes]

    def decision_function(self, X):
        """Compute decision values: positive for the second of two classes; for more classes, one column per class."""
        values = self._decisions(X)
        values = self._predict_native(X)["decisions"] if values is None else values
        return values[:, 0] if values.shape[1] == 1 else values


@documented
class LinearSVR(RegressorMixin, _Linear):
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
    <threads> <progress>

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

    _learner = "linear-svr"

    def __init__(
        self,
        *,
        C=1.0,
        epsilon=0.0,
        loss="epsilon_insensitive",
        kernel=None,
        dual="auto",
        fit_intercept=True,
        intercept_scaling=1.0,
        tol=1e-4,
        max_iter=1000,
        verbose=0,
        random_state=None,
        threads=None,
        progress=False,
    ):
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.kernel = kernel
        self.dual = dual
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        losses = {"epsilon_insensitive": "absolute", "squared_epsilon_insensitive": "squared"}
        return {**self._linear_settings(losses), "epsilon": self.epsilon}

    def fit(self, X, y, sample_weight=None):
        """Fit the regression."""
        name, y = target_name(y), numbers_of(y)
        return self._fit(X, (name, y), self._sample_weight(sample_weight, len(y), X))

    def _attributes(self, fitted):
        self.coef_, self.intercept_ = _weights(fitted)[0], fitted["intercepts"]
        self.n_iter_ = int(fitted["epochs"])

    def predict(self, X):
        """Predict the target of each object."""
        values = self._decisions(X)
        return self._predict_native(X)["numbers"] if values is None else values[:, 0]
