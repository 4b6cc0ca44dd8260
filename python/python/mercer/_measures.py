"""Measures of predictions: those of scikit-learn that the engine computes, and scorers for the engine's own."""

import copy

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring, get_scorer_names

from . import _mercer
from ._errors import DataError, ParameterError

#: The engine's names of scikit-learn's measures; ``neg_`` turns errors into scores.
SCORES = {
    "balanced_accuracy": "balanced-accuracy",
    "f1_macro": "f1-macro",
    "f1_micro": "f1-micro",
    "f1_weighted": "f1-weighted",
    "matthews_corrcoef": "matthews",
    "roc_auc": "auc",
    "roc_auc_ovr": "auc-macro",
    "roc_auc_ovr_weighted": "auc-weighted",
    "average_precision": "average-precision",
    "neg_log_loss": "log-loss",
    "neg_brier_score": "brier",
    "neg_mean_absolute_error": "mae",
    "neg_root_mean_squared_error": "rmse",
}
#: Measures that scikit-learn computes from probabilities and the engine from decision values.
FROM_PROBABILITIES = {"roc_auc_ovr", "roc_auc_ovr_weighted"}
#: Measures for which scikit-learn needs a class with the label 1.
OF_CLASS_1 = {"f1", "average_precision", "neg_brier_score"}


def engine_scores():
    """The engine's measures by name: the required input, and whether larger is better."""
    return {name: (needs, greater) for name, needs, greater, _ in _mercer.scores()}


def is_engines_own(scoring):
    """Whether a measure is known to the engine but not to scikit-learn."""
    return isinstance(scoring, str) and scoring not in get_scorer_names() and scoring in engine_scores()


def native(scoring, estimators, classes):
    """The engine's name and sign of a measure that it computes as scikit-learn does; None if there is none."""
    estimator = estimators[0]
    if scoring is None:
        scoring = "accuracy" if is_classifier(estimator) else "r2"
    if not isinstance(scoring, str) or scoring in FROM_PROBABILITIES:
        return None
    name, known = SCORES.get(scoring, scoring), engine_scores()
    if name not in known:
        return None
    needs, greater = known[name]
    if not is_engines_own(scoring):
        # For nearest neighbours, scikit-learn uses the probabilities.
        if needs == "decisions" and not hasattr(estimator, "decision_function"):
            return None
        if needs == "probabilities" and not all(getattr(one, "probability", False) for one in estimators):
            return None
        if scoring == "roc_auc" and len(classes) != 2:
            return None
        if scoring in OF_CLASS_1 and not (len(classes) == 2 and is_one(classes[1])):
            return None
    return name, 1.0 if greater else -1.0


def is_one(label):
    try:
        return bool(label == 1) and not isinstance(label, (str, bytes))
    except (TypeError, ValueError):
        return False


def check(scoring):
    """Raise an error for an unknown measure."""
    if isinstance(scoring, str) and scoring not in get_scorer_names() and not is_engines_own(scoring):
        names = ", ".join(sorted(engine_scores()))
        raise ParameterError(f"scoring = {scoring!r}: must be a measure of scikit-learn or of the engine: {names}")


def scorer_of(estimator, scoring):
    """A scorer: scikit-learn's, or one for a measure of the engine."""
    check(scoring)
    return Scorer(scoring) if is_engines_own(scoring) else check_scoring(estimator, scoring=scoring)


class Scorer:
    """A scorer in the sense of scikit-learn for a measure of the engine: larger is better."""

    def __init__(self, name):
        self.name = name

    def __call__(self, estimator, X, y):
        needs, greater = engine_scores()[self.name]
        found = {}
        if is_classifier(estimator):
            classes = estimator.classes_
            truth = np.searchsorted(classes, np.asarray(y))
            inside = truth < len(classes)
            if not inside.all() or (classes[np.where(inside, truth, 0)] != np.asarray(y)).any():
                raise DataError("y contains classes that the estimator was not fitted to")
            if needs == "labels":
                found["labels"] = np.searchsorted(classes, estimator.predict(X)).astype(float).tolist()
            elif needs == "probabilities":
                found["probabilities"] = np.ascontiguousarray(estimator.predict_proba(X), dtype=np.float64)
            else:
                found["decisions"] = columns(decisions(estimator, X))
            value = _mercer.measure(self.name, truth.astype(float).tolist(), len(classes), **found)
        else:
            truth, labels = np.asarray(y, dtype=float).tolist(), np.asarray(estimator.predict(X), dtype=float).tolist()
            value = _mercer.measure(self.name, truth, 0, labels=labels)
        value = np.nan if value is None else value
        return value if greater else -value

    def _accept_sample_weight(self):
        return False

    def __repr__(self):
        return f"<scorer: {self.name}>"


def decisions(estimator, X):
    """Decision values: one per class, or one for two classes."""
    if getattr(estimator, "decision_function_shape", "ovr") != "ovr":
        estimator = copy.copy(estimator).set_params(decision_function_shape="ovr")
    return estimator.decision_function(X) if hasattr(estimator, "decision_function") else estimator.predict_proba(X)


def columns(values):
    values = np.asarray(values, dtype=np.float64)
    return np.ascontiguousarray(values.reshape(-1, 1) if values.ndim == 1 else values)
