"""How sure predictions are: conformal prediction around any estimator, with guaranteed coverage.

The splits and fits of other packages' estimators are made here; every score, p-value, interval and guarantee is computed by
the native engine, as in ``mercer fit --conformal``.
"""

import json
import numbers
import os
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_is_fitted, column_or_1d

from . import _mercer
from ._data import Objects, Records, Strings, as_data, frame_columns, plain, vectors
from ._documented import documented
from ._errors import DataError, MercerError, NotFittedError, ParameterError
from ._estimator import Estimator
from ._computed import warn_data
from ._kernel import Kernel
from ._show import Facts
from ._threads import threads_of
from ._values import real, whole
from .kernels import kernel as kernel_of

__all__ = ["ConformalClassifier", "ConformalRegressor"]

METHODS = ("split", "cv+", "jackknife+")
#: Fewer objects are not calibrated.
FEWEST = 5
#: Probabilities below this count as this.
LEAST = 1e-9
#: Folds within a training set for the errors that normalise scores, and the part of the mean error that is added.
INNER, ADDED = 5, 0.1
#: Reference objects of typicality, neighbours that count, and the typicality of objects outside of the domain.
REFERENCES, NEIGHBOURS, UNTYPICAL = 1000, 5, 0.01


def _has(name):
    return available_if(lambda self: hasattr(self.estimator_ if hasattr(self, "estimator_") else self._made(), name))


class _Conformal(MetaEstimatorMixin, BaseEstimator):
    """An estimator with a calibration."""

    #: The scores, the default first.
    _scores = ()
    _strata = (None, "group")

    # ------------------------------------------------------------------ parameters

    def __init__(
        self, estimator=None, *, method="cv+", cv=10, test_size=0.25, by=None, score_function=None, typicality_kernel=None,
        random_state=None, threads=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.test_size = test_size
        self.by = by
        self.score_function = score_function
        self.typicality_kernel = typicality_kernel
        self.random_state = random_state
        self.threads = threads

    def _made(self):
        """The estimator to fit, not fitted."""
        if self.estimator is None:
            return self._default()
        if not hasattr(self.estimator, "fit") or not hasattr(self.estimator, "get_params") or isinstance(self.estimator, type):
            raise ParameterError(f"estimator = {self.estimator!r:.80}: must be an estimator with fit and predict")
        return clone(self.estimator)

    def _seed(self):
        state = self.random_state
        if state is None:
            return 0
        if isinstance(state, numbers.Integral):
            return int(state) & (2**63 - 1)
        from sklearn.utils import check_random_state

        return int(check_random_state(state).randint(2**31 - 1))

    def _checked(self):
        """The method with its number as text, and the score."""
        if not isinstance(self.method, str) or self.method not in METHODS:
            raise ParameterError(f"method = {self.method!r:.80}: must be one of {', '.join(METHODS)}")
        if not (self.by is None or isinstance(self.by, str)) or self.by not in self._strata:
            words = ", ".join(repr(s) for s in self._strata)
            raise ParameterError(f"by = {self.by!r:.80}: must be one of {words}")
        score = self.score_function
        if not isinstance(score, (str, type(None))) or (score is not None and score not in self._scores):
            raise ParameterError(f"score_function = {score!r:.80}: must be one of {', '.join(self._scores)}")
        if self.method == "split":
            size = real("test_size", self.test_size)
            if not 0 < size < 1:
                raise ParameterError(f"test_size = {self.test_size!r}: must be a share between 0 and 1, both excluded")
            return f"split({size!r})", score or self._scores[0]
        if self.method == "cv+":
            folds = self.cv
            if isinstance(folds, bool) or not isinstance(folds, numbers.Integral) or not 2 <= folds <= 1000:
                raise ParameterError(f"cv = {folds!r:.80}: must be a whole number of folds from 2 to 1000")
            return f"cv({int(folds)})", score or self._scores[0]
        return "jackknife", score or self._scores[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        try:
            inner = get_tags(self._made())
        except (MercerError, TypeError, AttributeError):
            return tags
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    # ------------------------------------------------------------------ fitting

    def fit(self, X, y, groups=None):
        """Fit the estimator and calibrate it.

        Parameters
        ----------
        X, y
            Objects of any kind that the estimator takes, and their classes or numbers.
        groups : array (n,), optional
            A group for each object. With ``by="group"`` the confidence holds within each of them; otherwise no group is
            divided between training and calibration objects.
        """
        method, score = self._checked()
        made = self._made()
        if y is None:
            raise DataError("requires y to be passed, but the target y is None")
        if get_tags(made).input_tags.pairwise or (isinstance(made, Estimator) and made._is_precomputed()):
            raise DataError("calibration objects must be kept apart from training objects, which a precomputed matrix does not allow")
        n = self._count(X)
        groups = self._groups_of(groups, n)
        if self.by == "group" and groups is None:
            raise DataError('by="group" needs fit(X, y, groups=...)')
        y = self._target(y, n)
        if n < FEWEST:
            raise DataError(f"found {n} sample(s): at least {FEWEST} are needed to calibrate, and 9 for a confidence of 0.9")
        for name in ("_known", "_folds", "_errors", "_reference", "estimator_", "classes_"):
            self.__dict__.pop(name, None)
        if self._fit_native(made, X, y, groups, method, score):
            return self._finished()
        made = self._made()
        self._fit_others(made, X, y, groups, score)
        return self._finished()

    def _count(self, X):
        try:
            return _num_samples(X)
        except TypeError:
            raise DataError("expected a sequence of objects") from None

    @staticmethod
    def _groups_of(groups, n):
        if groups is None:
            return None
        groups = column_or_1d(np.asarray(groups, dtype=object), warn=False)
        if len(groups) != n:
            raise DataError(f"Found input variables with inconsistent numbers of samples: {[n, len(groups)]}")
        if any(g is None or (isinstance(g, float) and g != g) for g in groups):
            raise DataError("groups must not be missing")
        return [str(g) for g in groups.tolist()]

    def _finished(self):
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_
        return self

    def _fit_native(self, made, X, y, groups, method, score):
        """Whether the estimator was fitted and calibrated by the engine: an estimator of mercer with objects of its own."""
        if not isinstance(made, Estimator) or made._is_function() or not hasattr(made, "_learner") or made._learner is None:
            return False
        kernel = getattr(made, "kernel", None)
        if isinstance(kernel, Kernel) and kernel._functions():
            return False
        made._calibrate = {"method": method, "by": self.by or "all", "score": score, "groups": groups}
        if self.random_state is not None:
            made._calibrate["seed"] = self._seed()
        try:
            made.fit(X, y)
        except DataError as error:
            if method == "jackknife" and "jackknife" in str(error):
                return False
            raise
        finally:
            made.__dict__.pop("_calibrate", None)
        text = calibration_of(made)
        if text is None:
            return False
        self.estimator_ = made
        self.calibration_ = text
        return True

    def _splits(self, y, groups, folds, seed, classes):
        """Pairs of training and other rows."""
        from sklearn.model_selection import GroupKFold, GroupShuffleSplit, KFold, LeaveOneOut, ShuffleSplit, StratifiedKFold
        from sklearn.model_selection import StratifiedShuffleSplit

        rows, seed = np.zeros(len(y)), seed % 2**32
        if groups is not None and self.by != "group":
            count = len(set(groups))
            if count < 2:
                raise DataError("one group cannot be split into training and calibration objects")
            if folds == "split":
                made = GroupShuffleSplit(1, test_size=real("test_size", self.test_size), random_state=seed)
            else:
                made = GroupKFold(count if folds == "all" else min(folds, count))
            return list(made.split(rows, y, groups))
        if folds == "all":
            return list(LeaveOneOut().split(rows))
        if folds == "split":
            size = real("test_size", self.test_size)
            if classes is not None and np.unique(classes, return_counts=True)[1].min() >= 2:
                try:
                    return list(StratifiedShuffleSplit(1, test_size=size, random_state=seed).split(rows, classes))
                except ValueError:
                    pass
            return list(ShuffleSplit(1, test_size=size, random_state=seed).split(rows))
        folds = min(folds, len(y))
        with warnings.catch_warnings():
            # A class with fewer objects than folds is missing from some of them.
            warnings.simplefilter("ignore", UserWarning)
            if classes is not None and np.unique(classes, return_counts=True)[1].max() >= folds:
                return list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(rows, classes))
            return list(KFold(folds, shuffle=True, random_state=seed).split(rows))

    def _fit_others(self, made, X, y, groups, score):
        """Fit and calibrate any estimator: fits are made here, scores by the engine."""
        folds = {"split": "split", "jackknife+": "all"}.get(self.method, self.cv)
        if not isinstance(X, (np.ndarray, Objects)) and not hasattr(X, "iloc") and not sparse.issparse(X) and isinstance(X, tuple):
            X = list(X)
        whole_model = None
        if self.method != "split":
            whole_model = clone(made).fit(X, y)
        else:
            # An error of the data is that of a fit to all objects, not of a part of them.
            clone(made).fit(X, y)
        splits = self._splits(y, groups, folds, self._seed(), self._codes(y))
        rows, scores, fold_of, models, errors = [], [], [], [], []
        for fold, (train, test) in enumerate(splits):
            model = whole_model
            self._check_classes(y, train)
            model = clone(made).fit(_safe_indexing(X, train), y[train])
            error = self._error_model(made, _safe_indexing(X, train), y[train]) if score == "normalized" else None
            scores.append(self._own_scores(model, error, _safe_indexing(X, test), y[test], score, whole_model))
            rows.append(test)
            fold_of.append(np.full(len(test), fold))
            models.append(model)
            errors.append(error)
        rows = np.concatenate(rows)
        strata, names = self._strata_of(y, groups)
        self._known = (
            np.concatenate(scores).astype(np.float64), np.concatenate(fold_of).astype(np.int64), strata[rows].astype(np.int64),
        )  # fmt: skip
        self._names, self._score = names, score
        self._folds, self._errors = models, errors
        self.estimator_ = models[0] if whole_model is None else whole_model
        sizes = np.bincount(self._known[2], minlength=len(names)).tolist()
        text = {"split": f"split({real('test_size', self.test_size):g})", "cv+": f"cv({len(splits)})"}.get(self.method, "jackknife")
        self.calibration_ = Facts(
            "calibration",
            {"method": text, "score": score, "by": self.by or "all", "objects": len(rows), "strata": list(map(list, zip(names, sizes)))},
        )
        training = splits[0][0] if self.method == "split" else np.arange(len(y))
        self._reference = self._reference_of(X, training)

    def _codes(self, y):
        return None

    def _check_classes(self, y, train):
        pass

    def _strata_of(self, y, groups):
        """The stratum of each object, and the names of the strata."""
        if self.by == "class":
            names, codes = np.unique(y, return_inverse=True)
            return codes, [str(name) for name in names.tolist()]
        if self.by == "group":
            names, codes = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
            return codes, names.tolist()
        return np.zeros(len(y), dtype=np.int64), [""]

    def _strata_for(self, n, groups):
        """The stratum of each new object; one that no calibration object has for unknown groups."""
        if self.by != "group":
            return np.zeros(n, dtype=np.int64)
        groups = self._groups_of(groups, n)
        if groups is None:
            raise DataError('by="group" needs the groups of new objects: pass groups=...')
        places = {name: at for at, name in enumerate(self._names)}
        strata = np.array([places.get(g, len(self._names)) for g in groups], dtype=np.int64)
        unknown = int((strata == len(self._names)).sum())
        if unknown:
            warn_data([f"W_CONFORMAL {unknown} of {n} objects are of groups without calibration objects: nothing is left out of their regions"], stacklevel=4)
        return strata

    def _warn_few(self, confidence):
        needed = _mercer.fewest(confidence)
        few = [(name, n) for name, n in self.calibration_.strata if n < needed]
        if few:
            name, n = few[0]
            which = f"'{name}': " if name else ""
            more = f", and so are {len(few) - 1} others" if len(few) > 1 else ""
            text = f"{which}{n} calibration objects are too few for a confidence of {confidence}, which needs {needed}: nothing is left out{more}"
            warn_data([f"W_CONFORMAL {text}"], stacklevel=4)

    # ------------------------------------------------------------------ predictions

    def predict(self, X):
        """Predict with the fitted estimator."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict(X)

    def _is_native(self):
        return "_known" not in self.__dict__

    def typicality(self, X):
        """How typical each object is of the training objects: a p-value, small for objects unlike all of them.

        It follows from the distances to the five nearest of up to 1,000 training objects, in the feature space of the
        estimator's kernel, or of ``typicality_kernel``. Objects from the same source have a value of at most ε with a
        probability of at most ε; about one in a hundred is outside of the domain (``in_domain``) by chance.
        """
        check_is_fitted(self, "estimator_")
        if self._is_native():
            return self.estimator_.typicality(X)
        known, why = self._reference
        if known is None:
            raise DataError(f"typicality needs a kernel between objects ({why}): pass typicality_kernel=")
        fitted, kinds, data, distances = known
        if isinstance(data, bytes):
            data = _mercer.Data.from_bytes(data)
            fitted = _mercer.fit_kernel(fitted, data, None, None)
            self._reference = ((fitted, kinds, data, distances), None)
        new = as_data(X, kinds, unused="pass", new=True)
        to = fitted.distances(new, data, threads_of(self.threads), None)
        return _mercer.typicality(distances, np.ascontiguousarray(to), NEIGHBOURS)

    def in_domain(self, X):
        """Whether each object is like the training objects: its typicality is above 0.01."""
        p = self.typicality(X)
        if self._is_native():
            return p > self.calibration_.untypical
        return p > max(UNTYPICAL, 1.0 / (len(self._reference[0][3]) + 1))

    def _reference_of(self, X, training):
        """The kernel, the reference objects and the distances between them; or None and the reason."""
        rows = training[np.asarray(_mercer.sample(len(training), REFERENCES, self._seed()), dtype=np.int64)]
        if len(rows) < NEIGHBOURS:
            return None, f"fewer than {NEIGHBOURS} training objects"
        try:
            kernel = self.typicality_kernel
            kernel = kernel_of("standardize(linear)" if kernel is None else kernel)
            kinds = kernel._kinds()
            data = as_data(_safe_indexing(X, rows), kinds, unused="pass")
            # A copy, because the caller may write to the arrays later.
            data = data.select(np.arange(len(data)))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = _mercer.fit_kernel(kernel._text(), data, threads_of(self.threads), None)
                distances = np.ascontiguousarray(fitted.distances(data, None, threads_of(self.threads), None))
        except (MercerError, ValueError, TypeError) as error:
            if self.typicality_kernel is not None:
                raise
            return None, str(error)
        self._reference_text = kernel._text()
        return (fitted, kinds, data, distances), None

    def __getstate__(self):
        state = dict(super().__getstate__())
        known, why = state.get("_reference", (None, None))
        if known is not None:
            _, kinds, data, distances = known
            stored = data if isinstance(data, bytes) else bytes(data.to_bytes())
            state["_reference"] = ((state["_reference_text"], kinds, stored, distances), why)
        return state

    def save(self, path):
        """Write the calibrated model to a file that :func:`mercer.load` and ``mercer predict --confidence`` can read.

        For estimators of mercer; others have no model file.
        """
        check_is_fitted(self, "estimator_")
        if not self._is_native():
            raise ParameterError(f"{type(self.estimator_).__name__} has no model file: use pickle")
        self.estimator_.save(os.fspath(path))


@documented
class ConformalClassifier(ClassifierMixin, _Conformal):
    """Sets of classes that hold the true class with a chosen confidence, around any classifier.

    Nothing is assumed but that new objects come from the same source as the training objects. Estimators of mercer are
    calibrated by the engine, and can be saved with their calibration; any other classifier or pipeline is fitted on the same
    kinds of splits.

    Parameters
    ----------
    estimator : classifier, default ``mercer.SVC()``
        Of mercer, scikit-learn or another package; pipelines and searches too.
    method : {"cv+", "split", "jackknife+"}, default "cv+"
        ``"cv+"`` scores every object by a model of other folds, and fits the estimator to all objects: coverage is about the
        confidence C, in theory at least 2C - 1. ``"split"`` keeps a share of the objects for calibration: coverage is at least
        C. ``"jackknife+"`` leaves out one object at a time: one fit for each, in closed form for ``KernelRidgeClassifier``.
    cv : int, default 10
        The number of folds of ``"cv+"``.
    test_size : float, default 0.25
        The share of calibration objects of ``"split"``.
    by : {None, "class", "group"}
        Whether coverage is guaranteed within each class, or each of the ``groups`` given to ``fit``.
    score_function : {"least-ambiguous", "adaptive", "regularized"}, optional
        How strange a class is for an object: the smallest sets on average, sets that adapt to how ambiguous an object is, or
        the same without improbable classes.
    typicality_kernel : Kernel or str, optional
        The kernel in which objects are compared to tell how typical they are, for estimators without one; by default
        Euclidean distances of standardised numbers.
    random_state : int, optional
        Chooses the splits and the random numbers of sets.
    <threads>

    Attributes
    ----------
    estimator_ : the fitted estimator
    classes_ : ndarray
    calibration_ : Facts
        ``method``, ``score``, ``by``, the number of calibration ``objects`` and of those in each of the ``strata``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> flowers = mercer.ConformalClassifier(mercer.SVC(kernel="standardize(rbf)")).fit(X[::2], y[::2])
    >>> sets = flowers.predict_set(X[1::2], confidence=0.95)
    >>> sets.shape, bool(sets[np.arange(75), y[1::2]].mean() > 0.85)
    ((75, 3), True)
    >>> flowers.in_domain([[5.1, 3.5, 1.4, 0.2], [90.0, 3.5, 1.4, 0.2]]).tolist()
    [True, False]
    """

    _scores = ("least-ambiguous", "adaptive", "regularized")
    _strata = (None, "class", "group")

    def _default(self):
        from .svm import SVC

        return SVC()

    def _target(self, y, n):
        y = column_or_1d(whole(y, "y"), warn=True)
        if len(y) != n:
            raise DataError(f"Found input variables with inconsistent numbers of samples: {[n, len(y)]}")
        if y.dtype == object and any(value is None or (isinstance(value, float) and value != value) for value in y):
            raise DataError("Input y contains NaN or None: leave out objects without a class")
        check_classification_targets(y)
        return y

    def _codes(self, y):
        return np.unique(y, return_inverse=True)[1]

    def _check_classes(self, y, train):
        missing = sorted(set(y.tolist()) - set(y[train].tolist()), key=str)
        if len(set(y[train].tolist())) < 2 and missing:
            raise DataError(
                f"class {missing[0]!r} has too few objects to calibrate: without the calibration objects one class is left"
            )

    def _logs(self, model, X):
        """The logarithm of the probability of each class of ``classes_``, up to a constant for each object."""
        if hasattr(model, "predict_proba"):
            own = np.log(np.maximum(np.asarray(model.predict_proba(X), dtype=np.float64), LEAST))
        elif hasattr(model, "decision_function"):
            values = np.asarray(model.decision_function(X), dtype=np.float64)
            own = np.column_stack([-values, values]) if values.ndim == 1 else 2.0 * values
        else:
            raise ParameterError(f"{type(model).__name__} has neither predict_proba nor decision_function, which sets of classes need")
        if own.shape[1] != len(model.classes_):
            raise ParameterError(
                f"{type(model).__name__} has decision values of pairs of classes: set decision_function_shape='ovr' or fit probabilities"
            )
        out = np.full((len(own), len(self._levels)), -np.inf)
        out[:, np.searchsorted(self._levels, model.classes_)] = own
        return out

    def _fit_others(self, made, X, y, groups, score):
        self._levels = np.unique(y)
        if len(self._levels) < 2:
            raise DataError(f"a classifier needs at least two classes, and the target has {len(self._levels)} class")
        super()._fit_others(made, X, y, groups, score)

    def _chances(self, model, X):
        """The random numbers of each object, which follow from its content."""
        data = content(X)
        if data is None:
            # Objects that are no data of the engine are known by what the model says about them.
            data = vectors(self._logs(model, X).clip(-1e300))
        return _mercer.chances(data, self._seed())

    def _own_scores(self, model, error, X, y, score, whole_model):
        chances = self._chances(model if whole_model is None else whole_model, X)[0]
        scores = _mercer.class_scores(self._logs(model, X), score, chances)
        return scores[np.arange(len(y)), np.searchsorted(self._levels, y)]

    def predict_set(self, X, confidence=0.9, groups=None):
        """Predict a set of classes for each object, which holds its class with this confidence.

        Returns
        -------
        ndarray of bool (n, n_classes)
            Whether each class of ``classes_`` is in the set. A set may be empty: then every class would be a surprise.
            ``[clf.classes_[row] for row in sets]`` are the classes.
        """
        return _mercer.included(np.ascontiguousarray(self.p_values(X, confidence, groups)), level(confidence))

    def p_values(self, X, confidence=None, groups=None):
        """Compute the p-value of each class for each object: the sets of confidence C hold the classes above 1 - C."""
        check_is_fitted(self, "estimator_")
        asked = None if confidence is None else level(confidence)
        if self._is_native():
            return regions_of(self.estimator_, X, 0.5 if asked is None else asked, groups, asked is not None)["p_values"]
        if asked is not None:
            self._warn_few(asked)
        strata = self._strata_for(self._count(X), groups)
        chances, ties = self._chances(self.estimator_, X)
        scores = [_mercer.class_scores(self._logs(model, X), self._score, chances) for model in self._folds]
        by_class = self.by == "class"
        known = _mercer.Calibration(*self._known)
        return known.p_values(scores, np.arange(len(self._levels)) if by_class else strata, ties, by_class)

    @_has("predict_proba")
    def predict_proba(self, X):
        """Predict probabilities with the fitted estimator."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.predict_proba(X)

    @_has("decision_function")
    def decision_function(self, X):
        """Compute the decision values of the fitted estimator."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.decision_function(X)


@documented
class ConformalRegressor(RegressorMixin, _Conformal):
    """Intervals that hold the true number with a chosen confidence, around any regression.

    Nothing is assumed but that new objects come from the same source as the training objects: neither a model of the
    errors nor that the regression is right. Estimators of mercer are calibrated by the engine, and can be saved with their
    calibration; any other regression or pipeline is fitted on the same kinds of splits.

    Parameters
    ----------
    estimator : regressor, default ``mercer.KernelRidge(kernel="standardize(rbf)", alpha=0.1, fit_intercept=True)``
        Of mercer, scikit-learn or another package; pipelines and searches too.
    method : {"cv+", "split", "jackknife+"}, default "cv+"
        As for :class:`ConformalClassifier`; ``"jackknife+"`` is in closed form for ``KernelRidge``.
    cv : int, default 10
        The number of folds of ``"cv+"``.
    test_size : float, default 0.25
        The share of calibration objects of ``"split"``.
    by : {None, "group"}
        Whether coverage is guaranteed within each of the ``groups`` given to ``fit``.
    score_function : {"absolute", "normalized"}, optional
        Intervals of equal width, or wider ones where errors are expected to be larger: learned from the errors of inner folds,
        by the nearest neighbours under the estimator's kernel, or by a copy of another package's estimator.
    typicality_kernel : Kernel or str, optional
        The kernel in which objects are compared to tell how typical they are, as for :class:`ConformalClassifier`.
    random_state : int or RandomState, optional
        Chooses the splits.
    <threads>

    Attributes
    ----------
    estimator_, calibration_
        As for :class:`ConformalClassifier`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (300, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.2 * rng.standard_normal(300)
    >>> fitted = mercer.ConformalRegressor().fit(X[:200], y[:200])
    >>> low, high = fitted.predict_interval(X[200:], confidence=0.9).T
    >>> bool(0.8 < ((low <= y[200:]) & (y[200:] <= high)).mean() <= 1)
    True
    """

    _scores = ("absolute", "normalized")

    def _default(self):
        from .ridge import KernelRidge

        return KernelRidge(kernel=kernel_of("standardize(rbf)"), alpha=0.1, fit_intercept=True)

    def _target(self, y, n):
        y = column_or_1d(whole(y, "y"), warn=True)
        if len(y) != n:
            raise DataError(f"Found input variables with inconsistent numbers of samples: {[n, len(y)]}")
        try:
            values = np.asarray(y, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise DataError("Unknown label type: a regression needs a target of numbers") from None
        if not np.isfinite(values).all():
            raise DataError("Input y contains NaN or infinity.")
        return values

    def _error_model(self, made, X, y):
        """A model of the expected error, and what is added to it."""
        from sklearn.model_selection import KFold

        errors = np.empty(len(y))
        for train, test in KFold(min(INNER, len(y)), shuffle=True, random_state=self._seed() % 2**32).split(y):
            fitted = clone(made).fit(_safe_indexing(X, train), y[train])
            errors[test] = np.abs(y[test] - fitted.predict(_safe_indexing(X, test)))
        mean = float(errors.mean())
        return clone(made).fit(X, errors), ADDED * mean if mean > 0 else 1.0

    @staticmethod
    def _scale(error, X, n):
        if error is None:
            return np.ones(n)
        model, added = error
        return np.maximum(np.asarray(model.predict(X), dtype=np.float64), 0.0) + added

    def _own_scores(self, model, error, X, y, score, whole_model):
        return np.abs(y - model.predict(X)) / self._scale(error, X, len(y))

    def predict_interval(self, X, confidence=0.9, groups=None):
        """Predict an interval for each object, which holds its number with this confidence.

        Returns
        -------
        ndarray (n, 2)
            The lower and the upper end; infinite if there are too few calibration objects for the confidence.
        """
        check_is_fitted(self, "estimator_")
        asked = level(confidence)
        if self._is_native():
            return regions_of(self.estimator_, X, asked, groups, True)["intervals"]
        self._warn_few(asked)
        n = self._count(X)
        strata = self._strata_for(n, groups)
        centres = np.ascontiguousarray([model.predict(X) for model in self._folds], dtype=np.float64)
        scales = np.ascontiguousarray([self._scale(error, X, n) for error in self._errors], dtype=np.float64)
        return _mercer.Calibration(*self._known).intervals(asked, centres, scales, strata)


def level(confidence):
    """A confidence as a float; the engine checks that it is between 0 and 1."""
    asked = real("confidence", confidence)
    _mercer.fewest(asked)
    return asked


def calibration_of(estimator):
    """The facts about the calibration of a fitted estimator of mercer; None without one."""
    model = estimator.__dict__.get("_model")
    text = None if model is None else model.calibration()
    return None if text is None else Facts("calibration", json.loads(text))


def regions_of(estimator, X, confidence, groups, warned):
    """The p-values or intervals of a calibrated estimator of mercer."""
    facts = calibration_of(estimator)
    if facts is None:
        raise NotFittedError(
            f"this {type(estimator).__name__} was fitted without a calibration: fit mercer.ConformalClassifier or ConformalRegressor with it"
        )
    data = estimator._objects(X, reset=False)[0]
    groups = _Conformal._groups_of(groups, len(data)) if facts.by == "group" else None
    if facts.by == "group" and groups is None:
        raise DataError("the model was calibrated by groups: pass groups=... of the new objects")
    found = estimator._model.regions(data, confidence, groups, threads_of(getattr(estimator, "threads", None)))
    if warned and found["warnings"]:
        warn_data(found["warnings"], stacklevel=4)
    return found


def content(X):
    """The objects as data of the engine, to know them by their content; None for objects of other kinds."""
    if isinstance(X, Objects):
        return X._data
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if sparse.issparse(X):
                return as_data(X, {None: {"sparse"}}, unused="pass")
            if frame_columns(plain(X)) is not None:
                data = Records(X)._data
                return data if data.columns() else None
            array = np.asarray(X)
            if array.ndim == 2 and array.dtype.kind in "fiub":
                return vectors(array)
            return Strings(X)._data
    except (MercerError, ValueError, TypeError):
        return None
