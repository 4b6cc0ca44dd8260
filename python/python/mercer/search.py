"""Searches for parameters by the engine's own search: distances once for all cells, warm starts along C."""

import copy
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _mercer
from ._data import Objects
from ._errors import ConvergenceWarning, DataError, ParameterError
from ._estimator import Estimator, numbers_of, target_name
from ._progress import shown
from ._threads import threads_of

__all__ = ["GridSearch", "RandomSearch"]

#: scikit-learn's names of measures; those with ``neg_`` turn errors into scores.
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


def _delegates(name):
    def check(self):
        # Before fitting the estimator says what it can do, afterwards the best one.
        getattr(getattr(self, "best_estimator_", self.estimator), name)
        return True

    return check


class _Search(MetaEstimatorMixin, BaseEstimator):
    """What the searches share: which cells are tried is left to them."""

    def _cells(self):
        raise NotImplementedError

    def fit(self, X, y=None, *, groups=None, sample_weight=None):
        """Scores every cell on every division, and fits the best to all objects."""
        estimator = self.estimator
        if not isinstance(estimator, Estimator):
            raise ParameterError(
                f"{type(self).__name__} searches estimators of mercer; for {type(estimator).__name__} use "
                "scikit-learn's GridSearchCV"
            )
        started = time.perf_counter()
        cells = [dict(cell) for cell in self._cells()]
        if not cells:
            raise ParameterError("a grid without cells: a list of choices is empty")
        estimator = clone(estimator)
        kernels, learners, numbers = {}, {}, []
        tried = clone(estimator)
        data, checked = tried._objects(X, reset=True)
        for cell in cells:
            one = clone(estimator).set_params(**cell)
            kernel = kernels.setdefault(one._kernel_of(checked)._text(), len(kernels))
            learner = learners.setdefault(one._learner_text(), len(learners))
            numbers.append((kernel, learner))
        target, stratify = self._target(tried, X, y, len(data))
        weights = None
        if sample_weight is not None:
            weights = tried._sample_weight(sample_weight, len(data), X).tolist()
        if getattr(tried, "class_weight", None) is not None and is_classifier(tried):
            each = tried._class_weights(None if weights is None else np.asarray(weights), target[1])
            weights = None if each is None else each.tolist()
        divisions = self._divisions(X, stratify, groups, len(data))
        name, sign = self._score(tried)
        wanted = np.array([kernel * len(learners) + learner for kernel, learner in numbers])
        distinct, place = np.unique(wanted, return_inverse=True)
        settings = {
            "kernels": list(kernels),
            "learners": list(learners),
            "cells": distinct.tolist(),
            "y": target,
            "weights": weights,
            "divisions": divisions,
            "score": name,
            "seed": tried._seed(),
        }
        scores, converged = self._run(data, settings)
        scores = sign * scores[place]
        spent = time.perf_counter() - started
        self.cv_results_ = results(cells, scores, np.asarray(converged)[place], spent / scores.size)
        self.n_splits_ = len(divisions)
        self.scorer_ = name
        failed = int(np.isnan(scores).sum())
        if failed == scores.size:
            raise DataError("no cell could be scored: every fit failed")
        if failed:
            warnings.warn(f"{failed} of {scores.size} fits failed and have no score", FitFailedWarning, stacklevel=2)
        if not all(converged):
            count = len(converged) - sum(converged)
            text = f"{count} of {len(converged)} cells have fits that stopped early: see cv_results_['converged']"
            warnings.warn(text, ConvergenceWarning, stacklevel=2)
        self.best_index_ = int(np.argmin(self.cv_results_["rank_test_score"]))
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.best_params_ = cells[self.best_index_]
        if self.refit:
            best = clone(estimator).set_params(**self.best_params_)
            started = time.perf_counter()
            fitted = {} if sample_weight is None else {"sample_weight": sample_weight}
            self.best_estimator_ = best.fit(X, y, **fitted)
            self.refit_time_ = time.perf_counter() - started
            if hasattr(best, "n_features_in_"):
                self.n_features_in_ = best.n_features_in_
            if hasattr(best, "feature_names_in_"):
                self.feature_names_in_ = best.feature_names_in_
            if hasattr(best, "classes_"):
                self.classes_ = best.classes_
        return self

    def _run(self, data, settings):
        """The scores of cells (rows) on divisions (columns), and which cells converged."""
        if self.client is not None:
            from . import cluster

            study = cluster.Study(data, **settings)
            return cluster.search(self.client, study, threads=self.threads, progress=self.progress)
        with shown(self.progress) as listener:
            return _mercer.search(data=data, threads=threads_of(self.threads), progress=listener, **settings)

    def _target(self, tried, X, y, n):
        if y is None:
            raise DataError(f"{type(tried).__name__} requires y to be passed, but the target y is None")
        if is_classifier(tried):
            codes, names = tried._classes(y, X)
            if len(codes) != n:
                raise DataError(f"Found input variables with inconsistent numbers of samples: {[n, len(codes)]}")
            return (target_name(y), codes, names), codes
        if not is_regressor(tried):
            raise ParameterError(f"{type(tried).__name__} learns without a target: there is nothing to score it by")
        y = numbers_of(y)
        if len(y) != n:
            raise DataError(f"Found input variables with inconsistent numbers of samples: {[n, len(y)]}")
        return ("y", y), y

    def _divisions(self, X, y, groups, n):
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        there = np.empty((n, 1)) if isinstance(X, Objects) or not hasattr(X, "shape") else X
        return [division(train, test) for train, test in cv.split(there, y, groups)]

    def _score(self, tried):
        given = self.scoring
        if given is None:
            given = "accuracy" if is_classifier(tried) else "r2"
        if not isinstance(given, str):
            raise ParameterError("scoring is the name of a measure; for functions use scikit-learn's GridSearchCV")
        name = SCORES.get(given, given)
        greater = {row[0]: row[2] for row in _mercer.scores()}
        return name, 1.0 if greater.get(name, True) else -1.0

    # ------------------------------------------------------------------ the best estimator

    def _best(self):
        check_is_fitted(self, "cv_results_")
        if not self.refit:
            raise AttributeError("with refit=False there is no best estimator to ask")
        return self.best_estimator_

    @available_if(_delegates("predict"))
    def predict(self, X):
        """The best estimator's predictions."""
        return self._best().predict(X)

    @available_if(_delegates("decision_function"))
    def decision_function(self, X):
        """The best estimator's decision values."""
        return self._best().decision_function(X)

    @available_if(_delegates("predict_proba"))
    def predict_proba(self, X):
        """The best estimator's probabilities."""
        return self._best().predict_proba(X)

    def score(self, X, y=None):
        """The best estimator's accuracy or R²."""
        return self._best().score(X, y)

    # ------------------------------------------------------------------ copies

    def __sklearn_clone__(self):
        # A client is a connection, of which there is no copy.
        bare = copy.copy(self)
        bare.client = None
        out = BaseEstimator.__sklearn_clone__(bare)
        out.client = self.client
        return out

    def __getstate__(self):
        return {**super().__getstate__(), "client": None}

    @property
    def _estimator_type(self):
        return getattr(self.estimator, "_estimator_type", None)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags


class GridSearch(_Search):
    """Every combination of parameters, scored by cross-validation.

    The engine owns the work: distances are computed once for all gammas, one Gram matrix serves all divisions, and
    machines start where the one before, with a smaller C, ended. What kernels learn from objects is learned from the
    training part of each division; ``gamma="scale"`` alone looks at all objects, once.

    Parameters
    ----------
    estimator : estimator of mercer
        One that predicts classes or numbers through a kernel.
    param_grid : dict or list of dict
        Names of parameters and the values to try, as for scikit-learn: ``{"C": [1, 10], "kernel__gamma": [0.1, 1]}``.
    scoring : str, optional
        A measure by the engine's or scikit-learn's name. Accuracy for classes, R² for numbers.
    cv : int, splitter or list of (train, test), default 5
    refit : bool, default True
    threads, progress : how work is done.
    client : distributed.Client, optional
        A Dask cluster that does the work, with the same scores: a task is some kernels with all their cells. ``threads`` are
        then those of a task. The best cell is fitted here.

    Attributes
    ----------
    cv_results_ : dict
        As in scikit-learn. Work is shared between cells, so fit times are the mean over all of them.
    best_params_, best_score_, best_index_, best_estimator_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> search = mercer.GridSearch(mercer.SVC(kernel=mercer.RBF()), {"C": [1, 10], "kernel__gamma": [0.1, 1.0]})
    >>> float(round(search.fit(X, y).best_score_, 3))
    0.98
    """

    def __init__(self, estimator, param_grid, *, scoring=None, cv=5, refit=True, threads=None, progress=False, client=None):
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.threads = threads
        self.progress = progress
        self.client = client

    def _cells(self):
        return ParameterGrid(self.param_grid)


class RandomSearch(_Search):
    """So many combinations drawn from lists or distributions; otherwise as :class:`GridSearch`."""

    def __init__(
        self, estimator, param_distributions, *, n_iter=10, scoring=None, cv=5, refit=True, random_state=None,
        threads=None, progress=False, client=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.client = client

    def _cells(self):
        return ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state)


def division(train, test):
    def whole(rows):
        rows = np.asarray(rows)
        return np.flatnonzero(rows) if rows.dtype == bool else np.ascontiguousarray(rows, dtype=np.int64)

    return whole(train), whole(test)


def results(cells, scores, converged, seconds):
    """scikit-learn's ``cv_results_``."""
    count, splits = scores.shape
    out = {
        "mean_fit_time": np.full(count, seconds),
        "std_fit_time": np.zeros(count),
        "mean_score_time": np.zeros(count),
        "std_score_time": np.zeros(count),
    }
    for name in sorted({name for cell in cells for name in cell}):
        values = np.ma.masked_all(count, dtype=object)
        for at, cell in enumerate(cells):
            if name in cell:
                values[at] = cell[name]
        out[f"param_{name}"] = values
    out["params"] = cells
    for at in range(splits):
        out[f"split{at}_test_score"] = scores[:, at]
    mean = scores.mean(axis=1)
    out["mean_test_score"] = mean
    out["std_test_score"] = scores.std(axis=1)
    from scipy.stats import rankdata

    worst = np.nanmin(mean, initial=0.0) - 1.0
    ranks = rankdata(-np.where(np.isnan(mean), worst, np.round(mean, 12)), method="min")
    out["rank_test_score"] = ranks.astype(np.int32)
    out["converged"] = converged
    return out
