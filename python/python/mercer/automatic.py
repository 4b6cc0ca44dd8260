"""The search of a kernel and a learner within a time budget: ``mercer.auto``, as ``mercer auto`` of the program does it."""

import json
import math
import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from . import _mercer
from ._data import Objects, Records, Strings, frame_columns
from ._documented import documented
from ._errors import DataError, DataWarning, ParameterError
from ._estimator import class_names, numbers_of, target_name
from ._measures import SCORES
from ._progress import shown
from ._tables import plain
from ._threads import threads_of
from ._values import real, seed_of

__all__ = ["AutoClassifier", "AutoRegressor", "auto"]

#: The number of objects used in the search; of more a sample is searched, and the best methods are scored on all.
MOST_SEARCHED = 1500


def auto(X, y, *, time=60, scoring=None, cv=None, groups=None, random_state=0, n_jobs=None, progress=False):
    """Search a kernel and a learner for the data within a time budget, and fit the best to all objects.

    The search is that of ``mercer auto``: candidates by the kinds of the columns, parameters chosen inside every outer split.

    Parameters
    ----------
    X : objects or table
        A table (pandas, polars, pyarrow, dict of columns) may hold columns of different kinds.
    y : array-like or str
        Classes or numbers, or the name of the column of X that holds them.
    time : float or None, default 60
        Seconds for the search and the final fit; None for no limit. At least the simple baseline is scored.
    scoring : str, optional
        The measure by which methods are compared. By default accuracy (balanced accuracy where one class has more than three
        quarters of the objects) or the root mean squared error.
    cv : int or str, optional
        The outer splits: a number of folds, or a protocol such as ``"5x2"``. By default ten folds, five for more than 400
        objects, of whole groups if there are ``groups``.
    groups : array-like, optional
        The group of each object.
    random_state : int, default 0
        The seed for splits and samples.
    n_jobs : int, optional
        Number of threads; all cores by default.
    progress : bool
        True shows progress.

    Returns
    -------
    AutoClassifier or AutoRegressor, fitted

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris(as_frame=True)
    >>> model = mercer.auto({**X, "species": y}, "species", time=10)
    >>> model.leaderboard_[0]["mean"] > 0.9, model.predict({name: values[:1] for name, values in X.items()}).tolist()
    (True, ['setosa'])
    """
    if isinstance(y, str):
        X, y = without_target(X, y)
    values = np.asarray(y)
    made = AutoRegressor if type_of_target(values).startswith("continuous") or many_numbers(values) else AutoClassifier
    model = made(time=time, scoring=scoring, cv=cv, random_state=random_state, n_jobs=n_jobs, progress=progress)
    return model.fit(X, y, groups=groups)


def many_numbers(y):
    """Whether a numeric target of whole numbers has too many values for classes."""
    return y.dtype.kind in "iuf" and len(np.unique(y)) > max(20, len(y) // 20)


def without_target(X, name):
    """The columns of a table without the target, and the target."""
    columns = frame_columns(plain(X))
    if columns is None:
        raise ParameterError(f"y = {name!r} is the name of a column, but X is not a table: give the target itself")
    found = dict(columns)
    if name not in found:
        raise DataError(f"no column {name!r} in the table: it has {', '.join(map(repr, found))}")
    target = found.pop(name)
    if hasattr(X, "iloc"):
        X = X.drop(columns=[name])
    else:
        X = found
    return X, np.asarray(target.to_pylist() if hasattr(target, "to_pylist") else target)


class Auto(BaseEstimator):
    """Base class: a search by the engine, and the estimator that it fitted."""

    def __init__(self, *, time=60, scoring=None, cv=None, random_state=0, n_jobs=None, progress=False):
        self.time = time
        self.scoring = scoring
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X, y, groups=None):
        """Search methods until the time is over, and fit the best one to all objects."""
        from .files import estimator_of

        seconds = None if self.time is None else real("time", self.time)
        if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
            raise ParameterError(f"time = {self.time}: must be a number above 0")
        if not isinstance(self.scoring, (str, type(None))):
            raise ParameterError(f"scoring = {self.scoring!r:.80}: must be the name of a measure")
        self.kinds_ = None
        data = self._converted(X)
        self.kinds_ = dict(data._data.columns())
        classes = None
        if self._classes:
            classes, codes = np.unique(np.asarray(y), return_inverse=True)
            target = (target_name(y), codes.astype(np.uint32), class_names(classes))
        else:
            target = (target_name(y), numbers_of(y))
        if len(target[1]) != len(data):
            raise DataError(f"Found input variables with inconsistent numbers of samples: {[len(data), len(target[1])]}")
        settings = (
            None if groups is None else [str(group) for group in groups],
            protocol_of(self.cv),
            None if self.scoring is None else SCORES.get(self.scoring, self.scoring),
        )
        seed = seed_of("random_state", self.random_state)
        with shown(self.progress) as listener:
            text, model = _mercer.automatic(
                data._data, target, *settings, seconds, MOST_SEARCHED, seed, True, threads_of(self.n_jobs), listener
            )
        found = json.loads(text)
        for warning in found["warnings"]:
            warnings.warn(warning if isinstance(warning, str) else str(warning), DataWarning, stacklevel=2)
        self.document_ = found
        self.verdict_ = found["verdict"]["text"]
        self.leaderboard_ = [
            {name: trial[name] for name in ("kernel", "learner", "objects", "mean", "sd", "interval", "scores", "seconds")} | {"members": trial.get("blend", [])} for trial in found["tried"]
        ]
        self.expected_score_ = found["verdict"]["expected"]
        self.not_tried_ = [{name: one[name] for name in ("kernel", "learner", "why")} for one in found["not_tried"]]
        self.best_estimator_ = estimator_of(model, resort=False)
        if classes is not None:
            self.classes_ = self.best_estimator_.classes_ = classes
        return self

    def _converted(self, X):
        """Objects with typed columns: as in training, once the kinds are known."""
        if isinstance(X, Objects):
            return X
        X = plain(X)
        if frame_columns(X) is not None:
            known = getattr(self, "kinds_", None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)
                return Records(X, kinds=text_kinds(X) if known is None else {n: k for n, k in known.items() if k in ("strings", "text", "molecules")})
        if sum_of_texts(X):
            known = getattr(self, "kinds_", None)
            kind = text_kinds({"x": list(X)}).get("x", "categories") if known is None else known["x"]
            return Strings(list(X)) if kind == "strings" else Records({"x": list(X)}, kinds={"x": kind})
        from ._data import as_data, rectangle

        # A list of rows of numbers holds vectors, as for scikit-learn.
        return Objects(as_data(rectangle(X) if isinstance(X, (list, tuple)) else X, {}))

    def predict(self, X):
        """Predict with the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(self._converted(X))

    def explain(self, X, n_features=5, theme="light", by="any", background=None):
        """Explain predictions by features, columns or training objects: see :meth:`mercer.SVC.explain`.

        Parameters
        ----------
        X
            The objects, as for ``predict``.
        n_features : int
            Features listed for each object.
        theme : {"light", "dark", "page"}
            The colours of images of molecules.
        by : {"any", "features", "columns", "objects"}
            What to explain by.
        background
            Objects like X that explanations by columns compare with.

        Returns
        -------
        Explanations
            One :class:`Explanation` for each object.
        """
        check_is_fitted(self, "best_estimator_")
        background = None if background is None else self._converted(background)
        return self.best_estimator_.explain(self._converted(X), n_features, theme, by, background)

    def report(self, path=None):
        """Get the results as a dict, or write them to ``path``: a page (.html) as the program writes it, or ``.json``."""
        check_is_fitted(self, "best_estimator_")
        if path is None:
            return self.document_
        from .reports import report

        return report(self.document_, path)

    def _repr_html_inner(self):
        return self._leaderboard() if hasattr(self, "leaderboard_") else super()._repr_html_inner()

    def _repr_mimebundle_(self, **kwargs):
        out = super()._repr_mimebundle_(**kwargs)
        return out | {"text/html": self._leaderboard()} if "text/html" in out and hasattr(self, "leaderboard_") else out

    def _leaderboard(self):
        """The methods that were tried, as an HTML table."""
        from html import escape

        def number(value):
            return "" if value is None else f"{value:.3f}"

        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(row['learner'])} on {escape(row['kernel'])}</th>"
            f"<td>{number(row['mean'])}</td><td>{number(row['sd'])}</td><td>{row['seconds']:.2g} s</td></tr>"
            for row in self.leaderboard_
        )
        measure = escape(str(self.document_["score"]))
        return (
            f"<table><caption>{type(self).__name__}: {measure}</caption><tr><th></th><th>mean</th><th>sd</th><th>time</th></tr>{rows}</table>"
            f"<p>{escape(self.verdict_)}</p>"
        )


def protocol_of(cv):
    """The text of the outer splits."""
    if cv is None or isinstance(cv, str):
        return cv
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        return f"{int(cv)}-fold"
    raise ParameterError(f"cv = {cv!r:.80}: must be a number of folds or the text of a protocol, such as '5x2'")


@documented
class AutoClassifier(ClassifierMixin, Auto):
    """A classifier that chooses its kernel and learner within a time budget.

    Parameters
    ----------
    time : float, optional
        Seconds for the search and the final fit; None for no limit. At least the simple baseline is scored.
    scoring : str, optional
        The measure by which methods are compared. By default accuracy (balanced accuracy where one class has more than three
        quarters of the objects).
    cv : int or str, optional
        The outer splits: a number of folds, or a protocol such as ``"5x2"``. By default ten folds, five for more than 400
        objects.
    random_state : int or RandomState, default 0
        Seed of splits and samples.
    n_jobs : int, optional
        Number of threads; all cores by default.
    <progress>

    Attributes
    ----------
    leaderboard_ : list of dict
        ``kernel``, ``learner``, ``objects`` in the splits, ``mean`` over the outer splits, ``sd``, ``interval`` (95 %), ``scores`` by split and ``seconds``,
        best first. Parameters were chosen inside each split.
    expected_score_ : dict or None
        The score to ``expected`` on new data with its interval (``low``, ``high``): that of the best method, corrected for the choice.
    best_estimator_ : estimator
        The best method, fitted to all objects.
    not_tried_ : list of dict
        ``kernel``, ``learner`` and ``why``.
    verdict_ : str
        Whether the best method beats the baselines, in sentences.
    document_ : dict
        All results, as ``mercer auto --json`` prints them.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> model = mercer.AutoClassifier(time=10).fit(X, y)
    >>> model.leaderboard_[0]["mean"] > 0.9
    True
    """

    _classes = True

    @available_if(lambda self: hasattr(self.best_estimator_, "decision_function"))
    def decision_function(self, X):
        """Compute the decision values of the best estimator."""
        return self.best_estimator_.decision_function(self._converted(X))

    @available_if(lambda self: hasattr(self.best_estimator_, "predict_proba"))
    def predict_proba(self, X):
        """Compute the probabilities of the best estimator."""
        return self.best_estimator_.predict_proba(self._converted(X))


@documented
class AutoRegressor(RegressorMixin, Auto):
    """A regressor that chooses its kernel and learner within a time budget.

    Parameters and attributes are those of :class:`AutoClassifier`.

    Parameters
    ----------
    time : float, optional
        Seconds for the search and the final fit; None for no limit. At least the simple baseline is scored.
    scoring : str, optional
        The measure by which methods are compared. By default the root mean squared error.
    cv : int or str, optional
        The outer splits: a number of folds, or a protocol such as ``"5x2"``. By default ten folds, five for more than 400
        objects.
    random_state : int or RandomState, default 0
        Seed of splits and samples.
    n_jobs : int, optional
        Number of threads; all cores by default.
    <progress>

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(-2, 2, (60, 1))
    >>> model = mercer.AutoRegressor(time=10).fit(X, np.sin(2 * X[:, 0]))
    >>> model.predict([[0.0]]).shape
    (1,)
    """

    _classes = False


def sum_of_texts(X):
    """Whether X is a list, array or column of texts."""
    if not hasattr(X, "__len__") or getattr(X, "ndim", 1) != 1 or not len(X):
        return False
    return all(value is None or isinstance(value, str) for value in X) and any(isinstance(value, str) for value in X)


def text_kinds(X):
    """The kinds of the columns of text of a table, as a file with them would be read."""
    from .files import read

    out = {}
    for name, values in frame_columns(X):
        values = list(values)
        if not sum_of_texts(values):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = dict(read({name: values})[0]._data.columns()).get(name)
        except (ValueError, TypeError):
            continue
        if found in ("strings", "text", "molecules"):
            out[name] = found
    return out
