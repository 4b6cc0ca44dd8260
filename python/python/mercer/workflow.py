"""Evaluation and comparison of any estimators on the same splits, with tests and a report."""

import json
import math
import os

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor

from ._errors import DataError, ParameterError
from ._progress import shown

__all__ = ["Comparison", "CrossValidation"]

#: The measures without ``scoring``; the first one decides.
DEFAULT = {True: ("accuracy", "balanced_accuracy", "f1_macro"), False: ("r2", "neg_root_mean_squared_error", "neg_mean_absolute_error")}
#: The level of intervals and verdicts.
LEVEL = 0.05


def is_estimator(value):
    """Whether a value is an estimator: of mercer, of scikit-learn or with their methods."""
    return hasattr(value, "fit") and hasattr(value, "get_params") and not isinstance(value, type)


def evaluate_one(estimator, X, y, **options):
    """Cross-validate an estimator next to the baseline."""
    return compare_all({type(estimator).__name__: estimator}, X, y, **options).methods[0]


def compare_all(estimators, X, y, *, cv=None, scoring=None, groups=None, sample_weight=None, random_state=0, n_jobs=None, progress=False):
    """Cross-validate estimators on the same splits, with the baseline as the last one."""
    named = names_of(estimators)
    kinds = {is_classifier(one) for one in named.values()}
    if len(kinds) != 1 or not all(is_classifier(one) or is_regressor(one) for one in named.values()):
        raise ParameterError("estimators must all be classifiers, or all be regressors")
    if y is None:
        raise DataError("y is missing: give the target of each object")
    classes, y = kinds.pop(), np.asarray(y)
    splits, ratio, blocks = splits_of(cv, X, y, groups, classes, random_state)
    scorers = scorers_of(next(iter(named.values())), scoring, classes)
    with shown(progress) as listener:
        made = [cross_validated(name, one, X, y, splits, scorers, sample_weight, n_jobs, listener) for name, one in named.items()]
    base = baseline(classes)
    # The baseline does not look at objects.
    simple = cross_validated("baseline", base, np.zeros((len(y), 1)), y, splits, scorers, None, None, None, lenient=True)
    for one in made:
        one.baseline, one._ratio, one._blocks = simple, ratio, blocks
    simple.baseline, simple._ratio, simple._blocks = None, ratio, blocks
    return Comparison(made, simple, y)


def names_of(estimators):
    """Estimators by name, from a dict, a list of pairs or a list."""
    if is_estimator(estimators):
        raise ParameterError("compare takes several estimators: {'a': one, 'b': another}; mercer.evaluate takes one")
    try:
        items = list(estimators.items() if hasattr(estimators, "items") else estimators)
    except TypeError:
        raise ParameterError(f"estimators = {estimators!r:.80}: must be a dict of estimators by name") from None
    items = [one if isinstance(one, tuple) and len(one) == 2 else (type(one).__name__, one) for one in items]
    if len({name for name, _ in items}) != len(items):
        raise ParameterError("two estimators have the same name: give a dict with distinct names")
    for name, one in items:
        if not is_estimator(one):
            raise ParameterError(f"{name!r}: {one!r:.80} is not an estimator with fit and get_params")
    if not items:
        raise ParameterError("there is no estimator to compare")
    return {str(name): one for name, one in items}


def splits_of(cv, X, y, groups, classes, random_state):
    """The splits, test objects per training object, and whether they are 5×2 folds."""
    from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, check_cv

    from .splits import FiveByTwo, number_of

    if len(y) != number_of(X):
        raise DataError(f"Found input variables with inconsistent numbers of samples: {[number_of(X), len(y)]}")
    whole = isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)
    if cv is None or whole:
        folds = 10 if cv is None else int(cv)
        if cv is None:
            smallest = np.unique(y, return_counts=True)[1].min() if classes else len(y)
            folds = int(max(2, min(folds, smallest if classes else len(y))))
        if groups is not None:
            cv = GroupKFold(min(folds, len(np.unique(np.asarray(groups)))) if cv is None else folds)
        else:
            cv = (StratifiedKFold if classes else KFold)(folds, shuffle=True, random_state=random_state)
    made = check_cv(cv, y, classifier=classes)
    groups = None if groups is None else np.asarray(groups)
    splits = [(np.asarray(train), np.asarray(test)) for train, test in made.split(np.zeros((len(y), 1)), y, groups)]
    if not splits:
        raise ParameterError(f"cv = {cv!r}: gives no split")
    ratio = float(np.mean([len(test) / len(train) for train, test in splits]))
    return splits, ratio, isinstance(cv, FiveByTwo) and len(splits) == 10


def scorers_of(estimator, scoring, classes):
    """Scorers by name; the first one decides."""
    from ._measures import scorer_of

    if scoring is None:
        scoring = DEFAULT[classes]
    if isinstance(scoring, str) or callable(scoring):
        scoring = [scoring]
    pairs = scoring.items() if hasattr(scoring, "items") else ((getattr(s, "__name__", str(s)) if callable(s) else s, s) for s in scoring)
    return {str(name): s if callable(s) else scorer_of(estimator, s) for name, s in pairs}


def baseline(classes):
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyClassifier(strategy="prior") if classes else DummyRegressor()


def cross_validated(name, estimator, X, y, splits, scorers, sample_weight, n_jobs, listener, lenient=False):
    from sklearn.model_selection import cross_validate
    from sklearn.utils import _safe_indexing

    params = fit_params(estimator, sample_weight)
    # Split by split where progress is to be told and nothing is lost by it.
    one_by_one = listener is not None and n_jobs in (None, 1)
    found = {}
    for at, part in enumerate([[one] for one in splits] if one_by_one else [splits]):
        if listener is not None:
            listener(name, at, len(splits))
        results = cross_validate(
            clone(estimator), X, y, cv=part, scoring=scorers, params=params, n_jobs=n_jobs, return_estimator=True,
            error_score=np.nan if lenient else "raise",
        )  # fmt: skip
        for key, values in results.items():
            found.setdefault(key, []).extend(values)
    if listener is not None:
        listener(name, len(splits), len(splits))
    predictions = []
    for one, (train, test) in zip(found["estimator"], splits, strict=True):
        tags = one.__sklearn_tags__().input_tags if hasattr(one, "__sklearn_tags__") else None
        pairwise = getattr(tags, "pairwise", False)
        predictions.append(np.asarray(one.predict(np.asarray(X)[np.ix_(test, train)] if pairwise else _safe_indexing(X, test))))
    scores = {measure: np.asarray(found[f"test_{measure}"], dtype=float) for measure in scorers}
    return CrossValidation(name, scores, splits, predictions, y, np.asarray(found["fit_time"]), found["estimator"])


def fit_params(estimator, sample_weight):
    """The parameters of fit; the last step of a pipeline gets the weights."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=float)
    name = "sample_weight"
    while hasattr(estimator, "steps"):
        last, estimator = estimator.steps[-1]
        name = f"{last}__{name}"
    return {name: weights}


#: Measures from 0 to 1, and measures of at most 1, by the beginnings of their names.
SHARES = ("accuracy", "average_precision", "balanced_accuracy", "f1", "jaccard", "precision", "recall", "roc_auc")
AT_MOST_ONE = ("explained_variance", "matthews", "r2")


def bounds(score):
    """The ends of the range of a measure, as far as its name says them."""
    if score.startswith(SHARES):
        return (0.0, 1.0)
    return (-math.inf, 1.0 if score.startswith(AT_MOST_ONE) else 0.0 if score.startswith("neg_") else math.inf)


class CrossValidation:
    """The results of :func:`mercer.evaluate` for an estimator.

    Attributes
    ----------
    name : str
    scores : dict of arrays
        For each measure, the score on the test set of each split; larger is better.
    score : str
        The measure that decides: the first one.
    mean, sd : float
        Of that measure over the splits.
    interval : tuple of float
        A 95 % confidence interval of the mean, with Nadeau and Bengio's correction for training sets that overlap, cut at the
        ends of the measure's range.
    baseline : CrossValidation
        The majority class or the mean, on the same splits.
    test : dict
        The test against the baseline: Alpaydın's F for 5×2 folds, otherwise the corrected resampled t test.
    splits, predictions, estimators, fit_times : list
        For each split: indices (train, test), predictions of the test set, fitted estimator, seconds.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> found = mercer.evaluate(mercer.SVC(), X, y, cv=5)
    >>> found.score, len(found.splits), found.mean > 0.9, found.test["pvalue"] < 0.05
    ('accuracy', 5, True, True)
    """

    def __init__(self, name, scores, splits, predictions, y, fit_times, estimators):
        if not (isinstance(scores, dict) and scores and all(isinstance(v, np.ndarray) and v.ndim == 1 and len(v) for v in scores.values())):
            raise DataError("a CrossValidation is made by mercer.evaluate: scores must be arrays by measure")
        self.name, self.scores, self.splits, self.predictions = name, scores, splits, predictions
        self.fit_times, self.estimators, self._y = fit_times, estimators, y
        self.baseline, self._ratio, self._blocks = None, 0.0, False

    @property
    def score(self):
        """The measure that decides."""
        return next(iter(self.scores))

    @property
    def mean(self):
        """The mean of the deciding measure."""
        return float(self.scores[self.score].mean())

    @property
    def sd(self):
        """The standard deviation of the deciding measure over the splits."""
        values = self.scores[self.score]
        return float(values.std(ddof=1)) if len(values) > 1 else 0.0

    @property
    def interval(self):
        """A 95 % confidence interval of the mean."""
        from scipy.stats import t

        count = len(self.splits)
        if count < 2:
            return (math.nan, math.nan)
        half = t.ppf(1 - LEVEL / 2, count - 1) * self.sd * math.sqrt(1 / count + self._ratio)
        low, high = bounds(self.score)
        return (max(self.mean - half, low), min(self.mean + half, high))

    @property
    def test(self):
        """The test against the baseline."""
        return None if self.baseline is None else paired(self, self.baseline)

    @property
    def verdict(self):
        """Whether the baseline is beaten, in a sentence."""
        if self.baseline is None:
            return f"{self.score} {self.mean:.3f}"
        other, test = self.baseline.mean, self.test
        told = f"{self.score} {self.mean:.3f} vs. {other:.3f} of the baseline"
        if test["pvalue"] is None:
            return f"{told}: no test, as there are too few splits or all of them differ by the same"
        p = f"p = {test['pvalue']:.2g}"
        if test["pvalue"] >= LEVEL:
            return f"{told}: no significant difference ({p})"
        return f"{told}: {'better' if self.mean > other else 'worse'} ({p})"

    def report(self, path):
        """Write a self-contained page (``.html``), or the results as ``.json``."""
        return write(path, f"{self.name}: evaluation", self.verdict, [self] if self.baseline is None else [self, self.baseline], [])

    def _facts(self):
        measures = {name: {"mean": float(v.mean()), "splits": v.tolist()} for name, v in self.scores.items()}
        return {"name": self.name, "mean": self.mean, "sd": self.sd, "interval": list(self.interval), "scores": measures}

    def __repr__(self):
        return f"<CrossValidation of {self.name}: {self.verdict}>" if self.baseline is not None else f"<CrossValidation of {self.name}>"

    def _repr_html_(self):
        from html import escape

        return table([self, self.baseline] if self.baseline is not None else [self]) + f"<p>{escape(self.verdict)}</p>"


class Comparison:
    """The results of :func:`mercer.compare`.

    Attributes
    ----------
    methods : list of CrossValidation
        In the order in which they were given.
    baseline : CrossValidation
    pairs : list of dict
        For each pair ``first``, ``second``, ``difference`` of the means, ``test``, ``pvalue``, ``adjusted`` (Holm, over all
        pairs) and, for classifiers, ``mcnemar``: the p value of McNemar's test of the pooled predictions.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> found = mercer.compare({"svm": mercer.SVC(), "ridge": mercer.KernelRidgeClassifier(kernel="rbf")}, X, y, cv=5)
    >>> len(found.pairs), found["svm"].mean > 0.9
    (1, True)
    """

    def __init__(self, methods, simple, y):
        made = isinstance(methods, list) and methods and all(isinstance(one, CrossValidation) for one in [*methods, simple])
        if not made or not isinstance(y, np.ndarray):
            raise DataError("a Comparison is made by mercer.compare")
        self.methods, self.baseline = methods, simple
        self.pairs = []
        for i, a in enumerate(methods):
            for b in methods[i + 1 :]:
                found = paired(a, b)
                found = {"first": a.name, "second": b.name, "difference": a.mean - b.mean, **found}
                if not np.issubdtype(y.dtype, np.floating):
                    found["mcnemar"] = pooled(a, b, y)
                self.pairs.append(found)
        known = [pair for pair in self.pairs if pair["pvalue"] is not None]
        if known:
            from .compare import holm

            for pair, adjusted in zip(known, holm([pair["pvalue"] for pair in known]), strict=True):
                pair["adjusted"] = float(adjusted)

    def __getitem__(self, name):
        for one in (*self.methods, self.baseline):
            if one.name == name:
                return one
        raise KeyError(name)

    @property
    def ranking(self):
        """The names of the methods, the best mean first."""
        return [one.name for one in sorted(self.methods, key=lambda one: -one.mean)]

    @property
    def verdict(self):
        """Which method is best, and which ones do not differ from it significantly."""
        best = self[self.ranking[0]]
        if len(self.methods) == 1:
            return best.verdict
        equal = []
        for pair in self.pairs:
            if best.name in (pair["first"], pair["second"]) and (pair.get("adjusted") is None or pair["adjusted"] >= LEVEL):
                equal.append(pair["second"] if pair["first"] == best.name else pair["first"])
        told = f"{best.name} has the best {best.score}, {best.mean:.3f}"
        if equal:
            return f"{told}; no significant difference to {', '.join(equal)}"
        return f"{told}, significantly better than the others"

    def report(self, path):
        """Write a self-contained page (``.html``), or the results as ``.json``."""
        return write(path, "Comparison", self.verdict, [*self.methods, self.baseline], self.pairs)

    def __repr__(self):
        return f"<Comparison of {len(self.methods)} methods: {self.verdict}>"

    def _repr_html_(self):
        from html import escape

        return table([*self.methods, self.baseline]) + f"<p>{escape(self.verdict)}</p>" + pair_table(self.pairs)


def paired(a, b):
    """The test of two methods on the same splits."""
    from . import compare

    first, second = a.scores[a.score], b.scores[b.score]
    name = "5x2 F" if a._blocks else "corrected t"
    if len(first) < 2 or not (np.isfinite(first).all() and np.isfinite(second).all()):
        return {"test": name, "pvalue": None}
    if np.ptp(first - second) == 0:
        # Without any spread the statistic is 0 / 0, or infinite: it says nothing about how sure a difference is.
        return {"test": name, "pvalue": 1.0 if first[0] == second[0] else None}
    found = compare.five_by_two_f(first, second) if a._blocks else compare.corrected_t(first, second, a._ratio)
    return {"test": name, "pvalue": float(found["pvalue"])}


def pooled(a, b, y):
    """The p value of McNemar's test, if no object is in two test sets."""
    from . import compare

    tests = np.concatenate([test for _, test in a.splits])
    if len(np.unique(tests)) != len(tests):
        return None
    truth, first, second = y[tests], np.concatenate(a.predictions), np.concatenate(b.predictions)
    if ((first == truth) == (second == truth)).all():
        return 1.0
    return float(compare.mcnemar(truth, first, second)["pvalue"])


def table(methods):
    """The means of all measures as an HTML table."""
    from html import escape

    measures = list(methods[0].scores)
    head = "".join(f"<th>{escape(name)}</th>" for name in measures)
    rows = []
    for one in methods:
        low, high = one.interval
        cells = "".join(f"<td>{one.scores[name].mean():.3f} ± {one.scores[name].std(ddof=min(1, len(one.splits) - 1)):.3f}</td>" for name in measures)
        known = "–" if math.isnan(low) else f"{low:.3f} … {high:.3f}"
        rows.append(f"<tr><th style='text-align:left'>{escape(one.name)}</th>{cells}<td>{known}</td><td>{one.fit_times.mean():.3g} s</td></tr>")
    return f"<table><tr><th></th>{head}<th>95 % interval of {escape(measures[0])}</th><th>fit</th></tr>{''.join(rows)}</table>"


def pair_table(pairs):
    from html import escape

    def number(value):
        return "–" if value is None else f"{value:.3g}"

    if not pairs:
        return ""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(p['first'])} vs. {escape(p['second'])}</th><td>{p['difference']:+.3f}</td><td>{escape(p['test'])}</td>"
        f"<td>{number(p['pvalue'])}</td><td>{number(p.get('adjusted'))}</td><td>{number(p.get('mcnemar'))}</td></tr>"
        for p in pairs
    )
    return f"<table><tr><th></th><th>difference</th><th>test</th><th>p</th><th>p (Holm)</th><th>p (McNemar)</th></tr>{rows}</table>"


def plot(methods):
    """The scores of all splits and the interval of each method, as SVG."""
    from html import escape

    values = np.concatenate([one.scores[one.score] for one in methods])
    ends = [end for one in methods for end in one.interval if not math.isnan(end)]
    low, high = min([values.min(), *ends]), max([values.max(), *ends])
    span = (high - low) or 1.0

    def x(value):
        return 190 + 420 * (value - low) / span

    parts = []
    for i, one in enumerate(methods):
        y, (left, right) = 26 + 34 * i, one.interval
        parts.append(f"<text x='180' y='{y + 4}' text-anchor='end'>{escape(one.name[:26])}</text>")
        if not math.isnan(left):
            parts.append(f"<line x1='{x(left):.1f}' x2='{x(right):.1f}' y1='{y}' y2='{y}' class='interval'/>")
        parts += [f"<circle cx='{x(v):.1f}' cy='{y - 9}' r='2.5' class='split'/>" for v in one.scores[one.score]]
        parts.append(f"<circle cx='{x(one.mean):.1f}' cy='{y}' r='5' class='mean'/>")
    height = 34 * len(methods) + 40
    ticks = "".join(f"<text x='{x(v):.1f}' y='{height - 6}' text-anchor='middle'>{v:.3g}</text>" for v in (low, (low + high) / 2, high))
    return f"<svg viewBox='0 0 640 {height}' role='img' aria-label='Scores by method'>{''.join(parts)}{ticks}</svg>"


STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}td,th{padding:.3rem .8rem;border-bottom:1px solid #8886;text-align:right}"
    "svg{width:100%;max-width:44rem;font-size:12px}svg text{fill:currentColor}.interval{stroke:currentColor;stroke-width:2}"
    ".mean{fill:#0a7d8c}.split{fill:#8888}"
)


def write(path, title, verdict, methods, pairs):
    """Write the results as a page or as JSON."""
    from html import escape

    from . import __version__
    from .reports import write_atomically

    path = os.fspath(path)
    if path.lower().endswith(".json"):
        facts = {"verdict": verdict, "methods": [one._facts() for one in methods], "pairs": pairs, "version": __version__}
        content = json.dumps(finite(facts), indent=2, ensure_ascii=False) + "\n"
    elif path.lower().endswith((".html", ".htm")):
        count = len(methods[0].splits)
        content = (
            f"<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' content='width=device-width'><title>{escape(title)}</title>"
            f"<style>{STYLE}</style><h1>{escape(title)}</h1><p><strong>{escape(verdict)}.</strong></p>{table(methods)}"
            f"<h2>{escape(methods[0].score)} on the test sets of {count} splits</h2>{plot(methods)}"
            f"<p>Small points are splits, large points their means, lines 95 % confidence intervals of the means.</p>"
            f"{'<h2>Tests</h2>' + pair_table(pairs) if pairs else ''}<footer>mercer {escape(__version__)}</footer></html>\n"
        )
    else:
        raise ParameterError(f"path = {path!r}: must end in .html or .json")
    write_atomically(path, content.encode())
    return path


def finite(value):
    """Values for JSON, which has no NaN."""
    if isinstance(value, dict):
        return {name: finite(one) for name, one in value.items()}
    if isinstance(value, list):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
