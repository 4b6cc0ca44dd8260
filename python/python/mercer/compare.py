"""Comparison of estimators, and the statistical tests for it. All are two-sided.

The module is a function too: ``mercer.compare({"svm": mercer.SVC(), "forest": RandomForestClassifier()}, X, y)`` evaluates
all on the same splits (:func:`estimators`).

On one data set, use :func:`five_by_two_f` for 5×2 folds and :func:`corrected_t` for other folds. Over several data
sets, use :func:`wilcoxon` for two methods and :func:`friedman` for more.
"""

import sys
import types

import numpy as np

from . import _mercer
from ._errors import DataError, ParameterError
from ._show import Facts
from ._values import flag, is_one_of, real, whole

__all__ = [
    "adjust",
    "corrected_t",
    "estimators",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "holm",
    "mcnemar",
    "paired_t",
    "sign_test",
    "wilcoxon",
]


def _numbers(values):
    return _array(values).ravel().tolist()


def _array(values):
    try:
        return np.ascontiguousarray(whole(values, "the list"), dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"expected a list of numbers ({error})") from None


def _facts(outcome):
    return Facts(outcome["name"], outcome)


def _two(test, a, b, option=None):
    return _facts(_mercer.compare_two(test, _numbers(a), _numbers(b), option))


def wilcoxon(a, b, *, zeros="wilcoxon"):
    """Wilcoxon's signed-rank test of paired scores; exact for up to 50 differences.

    Parameters
    ----------
    a, b : list of float
        Paired scores of two methods.
    zeros : {"wilcoxon", "pratt"}
        Whether equal scores are dropped or ranked as well.

    Returns
    -------
    dict with ``statistic``, ``pvalue``, ``exact``, ``first_larger``

    Examples
    --------
    >>> mercer.compare.wilcoxon([0.9, 0.8, 0.85, 0.7, 0.95], [0.8, 0.7, 0.8, 0.6, 0.9]).pvalue
    0.0625
    """
    if not is_one_of(zeros, ("wilcoxon", "pratt")):
        raise ParameterError(f"zeros = {zeros!r:.80}: must be 'wilcoxon' or 'pratt'")
    return _two("wilcoxon-pratt" if zeros == "pratt" else "wilcoxon", a, b)


def sign_test(a, b):
    """Sign test of paired scores: how often each of two methods wins.

    Parameters
    ----------
    a : list of float
        Scores of the first method.
    b : list of float
        Scores of the second method, in the same order.
    """
    return _two("sign", a, b)


def paired_t(a, b):
    """Student's paired t test. The folds of a cross-validation are not independent: see :func:`corrected_t`.

    Parameters
    ----------
    a : list of float
        Scores of the first method.
    b : list of float
        Scores of the second method, in the same order.
    """
    return _two("paired-t", a, b)


def corrected_t(a, b, test_per_train):
    """Nadeau and Bengio's corrected resampled t test.

    ``test_per_train`` is the number of test objects divided by the number of training objects.

    Parameters
    ----------
    a : list of float
        Scores of the first method.
    b : list of float
        Scores of the second method, in the same order.
    test_per_train : float
        The number of test objects divided by the number of training objects.
    """
    return _two("corrected-t", a, b, real("test_per_train", test_per_train))


def five_by_two_t(a, b):
    """Dietterich's 5×2cv t test: ten scores of each method, repetition by repetition.

    Parameters
    ----------
    a : list of float
        Ten scores of the first method, repetition by repetition.
    b : list of float
        Those of the second method.
    """
    return _two("5x2-t", a, b)


def five_by_two_f(a, b):
    """Alpaydın's combined 5×2cv F test: ten scores of each method, repetition by repetition.

    Parameters
    ----------
    a : list of float
        Ten scores of the first method, repetition by repetition.
    b : list of float
        Those of the second method.
    """
    return _two("5x2-f", a, b)


def mcnemar(truth, a, b):
    """McNemar's test of the predictions of two classifiers for the same objects.

    Parameters
    ----------
    truth : array-like
        The classes of the objects.
    a : array-like
        Predictions of the first classifier.
    b : array-like
        Predictions of the second classifier.
    """
    try:
        classes = np.unique(np.concatenate([np.asarray(v) for v in (truth, a, b)]))
        codes = [np.searchsorted(classes, np.asarray(v)).tolist() for v in (truth, a, b)]
    except (TypeError, ValueError) as error:
        raise DataError(f"expected three lists of classes of one type ({error})") from None
    return _facts(_mercer.mcnemar(*codes))


def friedman(scores, *, greater_is_better=True, alpha=0.05):
    """Friedman's test of methods (columns) on data sets (rows), with Iman-Davenport F and Nemenyi's post-hoc test.

    Parameters
    ----------
    scores : array-like
        One row per data set, one column per method.
    greater_is_better : bool, default True
        Whether the largest score has rank 1.
    alpha : float, default 0.05
        Level of the critical difference and of the groups.

    Returns
    -------
    dict with ``ranks`` (1 is best), ``chi_square``, ``iman_davenport``, ``critical_difference``, ``pvalues`` of pairs,
    and ``groups`` of methods without a significant difference
    """
    scores = _array(scores)
    outcome = _mercer.friedman(scores, flag("greater_is_better", greater_is_better), real("alpha", alpha))
    for name in ("chi_square", "iman_davenport"):
        outcome[name] = _facts(outcome[name])
    return Facts("Friedman and Nemenyi", {**outcome, "alpha": alpha})


def adjust(pvalues, method="holm"):
    """Adjust p values for multiple testing by ``holm``, ``bonferroni``, ``benjamini-hochberg`` or ``none``.

    Parameters
    ----------
    pvalues : array-like
        The p values.
    method : {"holm", "bonferroni", "benjamini-hochberg", "none"}, default "holm"
        The adjustment.
    """
    return np.asarray(_mercer.adjust(_numbers(pvalues), method))


def holm(pvalues):
    """Holm's adjustment of p values, which controls the family-wise error rate.

    Parameters
    ----------
    pvalues : array-like
        The p values.
    """
    return adjust(pvalues, "holm")


def estimators(methods, X, y, *, cv=None, scoring=None, groups=None, sample_weight=None, random_state=0, n_jobs=None, progress=False):
    """Compare any estimators on the same splits: ``mercer.compare(methods, X, y)``.

    Each is tested against each other by the corrected resampled t test (Alpaydın's F test with ``cv=mercer.FiveByTwo()``),
    p values are adjusted by Holm, and the majority class or the mean is added as the baseline.

    Parameters
    ----------
    methods : dict or list
        Estimators by name: classifiers or regressors of mercer or scikit-learn, pipelines, searches; a search chooses inside each training set.
    X : objects
    y : array-like
        Classes or numbers.
    cv : int, splitter or list of (train, test), optional
        By default 10 folds, shuffled by ``random_state``, of whole groups if there are ``groups``.
    scoring : str, callable, list or dict, optional
        Measures of scikit-learn or of the engine; the first one decides. By default accuracy or R² and others.
    groups : array-like, optional
        The group of each object, for ``cv``.
    sample_weight : array-like, optional
        Weights of training objects, passed to ``fit``; of a pipeline, to its last step.
    random_state : int, default 0
        Shuffles the objects before they are cut into folds.
    n_jobs : int, optional
        Number of processes for the splits.
    progress : bool or callable, default False
        True for a progress bar for each method, or a function of (stage, done, total).

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.compare({"svm": mercer.SVC(), "bayes": GaussianNB()}, X, y, cv=5)
    >>> found.ranking, found.pairs[0]["test"]
    (['bayes', 'svm'], 'corrected t')
    """
    from .workflow import compare_all

    return compare_all(
        methods, X, y, cv=cv, scoring=scoring, groups=groups, sample_weight=sample_weight, random_state=random_state, n_jobs=n_jobs,
        progress=progress,
    )  # fmt: skip


class _Callable(types.ModuleType):
    """The module as a function."""

    def __call__(self, methods, X, y, **options):
        return estimators(methods, X, y, **options)


sys.modules[__name__].__class__ = _Callable
