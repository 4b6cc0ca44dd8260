"""Blends: estimators whose predictions are the weighted mean of those of several models, as ``mercer.auto`` and ``mercer auto`` make them."""

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from ._errors import ParameterError
from ._estimator import Classifying, Estimator

__all__ = ["BlendClassifier", "BlendRegressor"]


class _Blend(Estimator):
    def __init__(self, *, kernel=None, threads=None, progress=False):
        self.kernel = kernel
        self.threads = threads
        self.progress = progress

    def fit(self, X, y):
        """Raise an error: members are chosen on held-out predictions, by :func:`mercer.auto`."""
        raise ParameterError(f"{type(self).__name__} is not fitted by itself: mercer.auto chooses and fits the members of a blend")

    def _attributes(self, fitted):
        self.weights_ = np.array([weight for weight, _, _ in self._model.members()])
        self.members_ = [f"{learner} on {kernel}" for _, kernel, learner in self._model.members()]


class BlendClassifier(Classifying, ClassifierMixin, _Blend):
    """Classification by the weighted mean of the probabilities of several models.

    It comes from :func:`mercer.auto` and :func:`mercer.load`, and is not fitted by itself.

    Parameters
    ----------
    kernel : Kernel, optional
        The sum of the kernels of the members.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    classes_, weights_, members_
        The classes; the weight of each member, the largest first; the members as text.

    Examples
    --------
    >>> found = mercer.load("blend.mercer")  # doctest: +SKIP
    >>> found.predict_proba(X[:1]).sum()  # doctest: +SKIP
    1.0
    """

    def predict(self, X):
        """Predict the most probable class of each object."""
        return self._predicted(self._predict_native(X))

    def predict_proba(self, X):
        """Predict the probability of each class: an array (n, n_classes)."""
        return self._predict_native(X)["probabilities"]

    def decision_function(self, X):
        """Compute the difference of the probabilities of two classes; for more classes, the probability of each."""
        values = self._predict_native(X)["decisions"]
        return values[:, 0] if values.shape[1] == 1 else values


class BlendRegressor(RegressorMixin, _Blend):
    """Regression by the weighted mean of the predictions of several models.

    It comes from :func:`mercer.auto` and :func:`mercer.load`, and is not fitted by itself.

    Parameters
    ----------
    kernel : Kernel, optional
        The sum of the kernels of the members.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).

    Attributes
    ----------
    weights_, members_
        The weight of each member, the largest first; the members as text.

    Examples
    --------
    >>> found = mercer.load("blend.mercer")  # doctest: +SKIP
    >>> found.predict(X[:1]).shape  # doctest: +SKIP
    (1,)
    """

    def predict(self, X):
        """Predict the number of each object."""
        return self._predict_native(X)["numbers"]
