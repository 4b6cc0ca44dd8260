"""Parameter searches by the engine: distances are computed once for all grid points, with warm starts along C."""

import copy
import time
import warnings

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, ParameterGrid, ParameterSampler, check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _measures, _mercer
from ._data import Objects
from ._documented import documented
from ._errors import ConvergenceWarning, DataError, ParameterError
from ._estimator import AS_TEXT, Estimator, numbers_of, target_name
from ._grid import converted, described, on_cluster, results, split
from ._measures import SCORES
from ._progress import shown
from ._values import is_one_of, real
from .splits import number_of
from ._threads import threads_of

__all__ = ["SCORES", "GridSearch", "RandomSearch"]


def _delegates(name):
    def check(self):
        if not self.refit:
            raise AttributeError(f"with refit=False there is no best estimator for {name}")
        # The estimator decides what is available before fit, the best estimator afterwards.
        getattr(getattr(self, "best_estimator_", self.estimator), name)
        return True

    return check


class _Search(MetaEstimatorMixin, BaseEstimator):
    """Base class of the searches; subclasses choose the grid points."""

    def _grid_points(self):
        raise NotImplementedError

    # ------------------------------------------------------------------ fitting

    def fit(self, X, y=None, **params):
        """Score every grid point on every split, and fit the best one to all objects.

        ``groups`` is passed to ``cv``, and ``sample_weight`` to the estimator and, as in scikit-learn, to a scorer that
        accepts it. With scikit-learn's metadata routing, each is passed where it is requested.
        """
        estimator = self.estimator
        if not isinstance(estimator, Estimator):
            raise ParameterError(
                f"{type(self).__name__} supports estimators of mercer only; for {type(estimator).__name__} use "
                "scikit-learn's GridSearchCV"
            )
        if not (is_classifier(estimator) or is_regressor(estimator)):
            raise ParameterError(f"{type(estimator).__name__} has no target: there is nothing to score")
        if y is None:
            raise DataError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
        _measures_of(self.scoring)
        points = [dict(point) for point in self._grid_points()]
        if not points:
            raise ParameterError("the grid is empty: a list of values is empty")
        estimator = clone(estimator)
        sent = self._sent(params)
        splits = self._splits(X, y, sent["split"])
        native = self._native(estimator, points, X, y, sent)
        if native is None:
            params.pop("groups", None)
            self._fit_by_scikit_learn(estimator, points, X, y, splits, params)
        else:
            self._fit_natively(estimator, points, X, y, splits, native, sent["fit"])
        self._copy_from_best()
        return self

    def _sent(self, params):
        """The parameters for the estimator's fit, for the splitter and for the scorer."""
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **params)
            return {"fit": dict(routed.estimator.fit), "split": dict(routed.splitter.split), "score": dict(routed.scorer.score)}
        unknown = sorted(set(params) - {"groups", "sample_weight"})
        if unknown:
            raise TypeError(f"{type(self).__name__}.fit() got an unexpected keyword argument {unknown[0]!r}")
        weights = {} if params.get("sample_weight") is None else {"sample_weight": params["sample_weight"]}
        # The engine's own measures weight all objects equally.
        score = {} if _measures.is_engines_own(self.scoring) else weights
        return {"fit": weights, "split": {"groups": params.get("groups")}, "score": score}

    def _splits(self, X, y, sent):
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        there = X if hasattr(X, "shape") and not isinstance(X, Objects) else np.empty((number_of(X), 1))
        splits = [split(train, test) for train, test in cv.split(there, y, **sent)]
        if not splits:
            raise ParameterError(f"cv = {self.cv!r}: gives no split")
        return splits

    # ------------------------------------------------------------------ by the engine

    def _native(self, estimator, points, X, y, sent):
        """The estimators of grid points, the target and the measure for the engine's search; None if it does not apply.

        The engine scores grid points that kernel and learner describe completely, by one measure, on test objects of
        equal weight.
        """
        if self.return_train_score or sent["score"] or set(sent["fit"]) - {"sample_weight"}:
            return None
        if np.ndim(y) == 2 and np.shape(y)[1] > 1:
            return None
        ones = [clone(estimator).set_params(**clone(point, safe=False)) for point in points]
        if not all(described(one) for one in ones):
            return None
        target = self._target(estimator, X, y)
        for one in ones:
            # The text of class weights contains the class names.
            if hasattr(estimator, "classes_"):
                one.classes_ = estimator.classes_
        measure = _measures.native(self.scoring, ones, getattr(estimator, "classes_", ()))
        return None if measure is None else (ones, target, measure)

    def _target(self, tried, X, y):
        if is_classifier(tried):
            codes, names = tried._classes(y, X)
            return target_name(y), codes, names
        return "y", numbers_of(y)

    def _fit_natively(self, estimator, points, X, y, splits, native, sent):
        ones, target, (name, sign) = native
        started = time.perf_counter()
        scores, converged = np.full((len(points), len(splits)), np.nan), np.ones(len(points), dtype=bool)
        for places, data in converted(ones, X):
            if len(data) != len(target[1]):
                raise DataError(f"Found input variables with inconsistent numbers of samples: {[len(data), len(target[1])]}")
            weights = sent.get("sample_weight")
            weights = None if weights is None else estimator._sample_weight(weights, len(data), X).tolist()
            part = self._search([ones[p] for p in places], data, target, weights, splits, name)
            scores[places], converged[places] = sign * part[0], part[1]
        failed = np.isnan(scores)
        if failed.any() and (failed.all() or self.error_score == "raise"):
            self._raise(estimator, points, X, y, splits, failed, sent)
        scores = np.where(failed, np.nan if is_one_of(self.error_score, ("raise",)) else real("error_score", self.error_score), scores)
        spent = (time.perf_counter() - started) / scores.size
        self.cv_results_ = results(points, scores, converged, spent)
        self.n_splits_, self.multimetric_ = len(splits), False
        self.scorer_ = _measures.scorer_of(self.estimator, self.scoring)
        if failed.any():
            text = f"{int(failed.sum())} of {scores.size} fits failed, and their score is {self.error_score}"
            warnings.warn(text, FitFailedWarning, stacklevel=3)
        if not all(converged):
            count = len(converged) - int(sum(converged))
            text = f"{count} of {len(converged)} grid points have fits that stopped early: see cv_results_['converged']"
            warnings.warn(text, ConvergenceWarning, stacklevel=3)
        self._choose(estimator, points, X, y, sent)

    def _search(self, ones, data, target, weights, splits, name):
        """The scores of estimators (rows) on splits (columns), and which converged on all splits."""
        kernels, learners, numbers = {}, {}, []
        for one in ones:
            kernel = kernels.setdefault(one._kernel_of(AS_TEXT)._text(), len(kernels))
            learner = learners.setdefault((one._learner_text(), one._seed()), len(learners))
            numbers.append((kernel, learner))
        wanted = np.array([kernel * len(learners) + learner for kernel, learner in numbers])
        distinct, place = np.unique(wanted, return_inverse=True)
        settings = {
            "kernels": list(kernels),
            "learners": [text for text, _ in learners],
            "seeds": [seed for _, seed in learners],
            "configurations": distinct.tolist(),
            "y": target,
            "weights": weights,
            "splits": splits,
            "score": name,
        }
        scores, converged = self._run(data, settings)
        return np.asarray(scores)[place], np.asarray(converged)[place]

    def _run(self, data, settings):
        """The scores of grid points (rows) on splits (columns), and which converged."""
        if self.client is not None:
            from . import cluster

            study = cluster.Study(data, **settings)
            return cluster.search(self.client, study, threads=self.threads, progress=self.progress)
        with shown(self.progress) as listener:
            return _mercer.search(data=data, threads=threads_of(self.threads), progress=listener, **settings)

    def _raise(self, estimator, points, X, y, splits, failed, sent):
        """Fit a grid point on a split where it failed, to raise the error of that fit."""
        point, at = np.argwhere(failed)[0]
        from sklearn.utils import _safe_indexing

        one = clone(estimator).set_params(**clone(points[point], safe=False))
        train, test = splits[at]
        rows = (lambda X: X[np.ix_(train, train)]) if one._is_precomputed() else (lambda X: _safe_indexing(X, train))
        weights = {name: np.asarray(value)[train] for name, value in sent.items()}
        one.fit(rows(X), _safe_indexing(y, train), **weights)
        raise DataError(f"{points[point]}: the measure is undefined on split {at}, whose test set has {len(test)} objects")

    def _choose(self, estimator, points, X, y, sent):
        if callable(self.refit):
            self.best_index_ = self.refit(self.cv_results_)
            if not isinstance(self.best_index_, (int, np.integer)) or not 0 <= self.best_index_ < len(points):
                raise ParameterError(f"refit returned {self.best_index_!r}: must be the index of a grid point, below {len(points)}")
        else:
            self.best_index_ = int(np.argmin(self.cv_results_["rank_test_score"]))
            self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.best_params_ = points[self.best_index_]
        if isinstance(self.refit, (str, bool, np.bool_)) and self.refit or callable(self.refit):
            best = clone(estimator).set_params(**clone(self.best_params_, safe=False))
            started = time.perf_counter()
            self.best_estimator_ = best.fit(X, y, **sent)
            self.refit_time_ = time.perf_counter() - started

    # ------------------------------------------------------------------ by scikit-learn

    def _fit_by_scikit_learn(self, estimator, points, X, y, splits, params):
        """Score the same grid points on the same splits one by one, for what the engine's search does not support."""
        scoring = _measures.Scorer(self.scoring) if _measures.is_engines_own(self.scoring) else self.scoring
        search = GridSearchCV(
            estimator,
            [{name: [value] for name, value in point.items()} for point in points],
            scoring=scoring,
            cv=splits,
            refit=self.refit,
            error_score=self.error_score,
            return_train_score=self.return_train_score,
            n_jobs=None if self.client is None else -1,
        )
        with on_cluster(self.client):
            search.fit(X, y, **params)
        names = ("cv_results_", "n_splits_", "scorer_", "multimetric_", "best_index_", "best_score_", "best_params_")
        for name in (*names, "best_estimator_", "refit_time_"):
            if hasattr(search, name):
                setattr(self, name, getattr(search, name))

    def _copy_from_best(self):
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            if hasattr(getattr(self, "best_estimator_", None), name):
                setattr(self, name, getattr(self.best_estimator_, name))

    # ------------------------------------------------------------------ the best estimator

    def _best(self):
        # An interrupted fit leaves results without an estimator.
        check_is_fitted(self, ["cv_results_", "best_estimator_"])
        return self.best_estimator_

    @available_if(_delegates("predict"))
    def predict(self, X):
        """Predict with the best estimator."""
        return self._best().predict(X)

    @available_if(_delegates("decision_function"))
    def decision_function(self, X):
        """Compute the decision values of the best estimator."""
        return self._best().decision_function(X)

    @available_if(_delegates("predict_proba"))
    def predict_proba(self, X):
        """Compute the probabilities of the best estimator."""
        return self._best().predict_proba(X)

    @available_if(_delegates("predict_log_proba"))
    def predict_log_proba(self, X):
        """Compute the log-probabilities of the best estimator."""
        return self._best().predict_log_proba(X)

    def score(self, X, y=None, **params):
        """Score the best estimator by ``scoring``, or by its own ``score`` (accuracy or R²) if ``scoring`` is None."""
        check_is_fitted(self, "cv_results_")
        if not self.refit:
            raise AttributeError("with refit=False there is no best estimator to score")
        sent = dict(process_routing(self, "score", **params).scorer["score"]) if get_config()["enable_metadata_routing"] else params
        if isinstance(self.scorer_, dict):
            return self.scorer_[self.refit](self._best(), X, y, **sent)
        found = self.scorer_(self._best(), X, y, **sent)
        return found[self.refit] if self.multimetric_ else found

    # ------------------------------------------------------------------ copies, tags, routing

    def __sklearn_clone__(self):
        # A client is a connection, which cannot be copied.
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
        if not hasattr(self.estimator, "__sklearn_tags__"):
            raise ParameterError(f"estimator = {self.estimator!r:.80}: must be an estimator of mercer")
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags

    def get_metadata_routing(self):
        """Get the metadata routing: to the estimator's ``fit``, to ``cv`` and to the scorer, as requested."""
        router = MetadataRouter(owner=self)
        router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        scored = MethodMapping().add(caller="score", callee="score").add(caller="fit", callee="score")
        router.add(scorer=_measures_of(self.scoring, self.estimator), method_mapping=scored)
        router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        return router


def _measures_of(scoring, estimator=None):
    """The scorer, whose metadata requests are routed; an error for an unknown name."""
    if scoring is None or isinstance(scoring, str):
        _measures.check(scoring)
        return None if estimator is None else _measures.scorer_of(estimator, scoring)
    if callable(scoring) or estimator is None:
        return scoring
    # Several measures: scikit-learn's search combines their requests.
    return GridSearchCV(estimator, {}, scoring=scoring, refit=False)._get_scorers()[0]


@documented
class GridSearch(_Search):
    """Exhaustive search over a parameter grid by cross-validation.

    The engine computes distances once for all gammas and one Gram matrix for all splits. Each model starts from the
    solution for the next smaller C. Everything that is learned from objects, including ``gamma="scale"``, is learned
    from the training set of each split.

    scikit-learn's ``GridSearchCV`` is used for what the engine does not support, on the same grid points and splits,
    one fit at a time: callables and lists as ``scoring``, measures unknown to the engine, ``return_train_score``, and
    sample weights in scores.

    Parameters
    ----------
    estimator : estimator of mercer
        A classifier or regressor.
    param_grid : dict or list of dict
        Parameter names and the values to try, as in scikit-learn: ``{"C": [1, 10], "kernel__gamma": [0.1, 1]}``.
    scoring : str, callable, list or dict, optional
        The name of a measure of the engine or of scikit-learn, or anything that ``GridSearchCV`` accepts. By default
        accuracy for classifiers and R² for regressors.
    cv : int, splitter or list of (train, test), default 5
        The splits.
    refit : bool, str or callable, default True
        As in ``GridSearchCV``: if there are several measures, the name of the one to choose by; or a callable of
        ``cv_results_``.
    error_score : "raise" or float, default nan
        The score of a failed fit.
    return_train_score : bool, default False
        Whether the training sets are scored too.
    threads : int, optional
        Number of threads; all cores by default. On a cluster, the number per task, by default 1.
    <progress>
    client : distributed.Client, optional
        A Dask cluster for the search, with the same scores: a task is some kernels with all their grid points. The best
        grid point is fitted locally.

    Attributes
    ----------
    cv_results_ : dict
        As in scikit-learn, and ``converged``. Grid points share work, so fit times are the mean over all of them.
    best_params_, best_score_, best_index_, best_estimator_, scorer_, multimetric_, n_splits_, refit_time_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> search = mercer.GridSearch(mercer.SVC(kernel=mercer.RBF()), {"C": [1, 10], "kernel__gamma": [0.1, 1.0]})
    >>> float(round(search.fit(X, y).best_score_, 3))
    0.98
    """

    def __init__(
        self, estimator, param_grid, *, scoring=None, cv=5, refit=True, error_score=np.nan, return_train_score=False,
        threads=None, progress=False, client=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.threads = threads
        self.progress = progress
        self.client = client

    def _grid_points(self):
        return ParameterGrid(self.param_grid)


@documented
class RandomSearch(_Search):
    """Randomised search: ``n_iter`` grid points drawn from lists or distributions. Otherwise as :class:`GridSearch`.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor of mercer.
    param_distributions : dict or list of dict
        Parameter names, and lists of values or distributions with a method ``rvs``, as in scikit-learn.
    n_iter : int, default 10
        Number of grid points to draw.
    scoring : str, callable, list or dict, optional
        The name of a measure of the engine or of scikit-learn, or anything that ``GridSearchCV`` accepts. By default accuracy
        for classifiers and R² for regressors.
    cv : int, splitter or list of (train, test), default 5
        The splits.
    refit : bool, str or callable, default True
        As in ``GridSearchCV``: if there are several measures, the name of the one to choose by; or a callable of
        ``cv_results_``.
    error_score : "raise" or float, default nan
        The score of a failed fit.
    return_train_score : bool, default False
        Whether the training sets are scored too.
    random_state : int or RandomState, optional
        Draws the grid points.
    threads : int, optional
        Number of threads; all cores by default. On a cluster, the number per task, by default 1.
    <progress>
    client : distributed.Client, optional
        A Dask cluster for the search, as for :class:`GridSearch`.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> X, y = mercer.datasets.load_iris()
    >>> space = {"C": loguniform(0.1, 100), "kernel__gamma": loguniform(0.01, 1)}
    >>> search = mercer.RandomSearch(mercer.SVC(kernel=mercer.RBF()), space, n_iter=5, random_state=0).fit(X, y)
    >>> bool(search.best_score_ > 0.9)
    True
    """

    def __init__(
        self, estimator, param_distributions, *, n_iter=10, scoring=None, cv=5, refit=True, error_score=np.nan,
        return_train_score=False, random_state=None, threads=None, progress=False, client=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.error_score = error_score
        self.return_train_score = return_train_score
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.client = client

    def _grid_points(self):
        return ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state)
