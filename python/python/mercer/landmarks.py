"""Support vector classification by a function of landmarks, for data too large for :class:`mercer.SVC`."""

import numpy as np
from sklearn.base import ClassifierMixin

from ._class_weight import class_weights
from ._documented import documented
from ._estimator import Classifying, Estimator, target_name

__all__ = ["LandmarkSVC"]


@documented
class LandmarkSVC(Classifying, ClassifierMixin, Estimator):
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
    <gamma> <degree> <coef0> <class_weight>
    tol : float, default 1e-3
        The largest duality gap at convergence, relative to the objective.
    random_state : int, optional
        Draws the landmarks.
    <threads> <progress>

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

    _learner = "landmark-svc"
    _weighted = True

    def __init__(
        self, C=1.0, *, landmarks=1000, kernel="rbf", gamma="scale", degree=3, coef0=0.0, class_weight=None, tol=1e-3,
        random_state=None, threads=None, progress=False,
    ):  # fmt: skip
        self.C = C
        self.landmarks = landmarks
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.random_state = random_state
        self.threads = threads
        self.progress = progress

    def _settings(self):
        return {"C": self.C, "landmarks": self.landmarks, "weights": class_weights(self), "tolerance": self.tol}

    def fit(self, X, y, sample_weight=None):
        """Fit one classifier, or one per class against the rest."""
        codes, names = self._classes(y, X)
        weights = self._sample_weight(sample_weight, len(codes), X)
        return self._fit(X, (target_name(y), codes, names), weights)

    def _attributes(self, fitted):
        self.class_weight_ = fitted["class_weights"]
        self.support_ = fitted["support"].astype(np.int32)
        self.dual_coef_ = np.array([coefficients for _, coefficients, _ in fitted["classifiers"]])
        self.intercept_ = np.array([-offset for _, _, offset in fitted["classifiers"]])

    def predict(self, X):
        """Predict the class of each object."""
        return self._predicted(self._predict_native(X))

    def decision_function(self, X):
        """Compute decision values: positive for the second of two classes; for more classes, one column per class."""
        values = self._predict_native(X)["decisions"]
        return values[:, 0] if values.shape[1] == 1 else values
