"""Statistical tests that compare methods. All are two-sided.

On one data set use :func:`five_by_two_f` on 5×2 folds or :func:`corrected_t` on others; over several data sets
:func:`wilcoxon` for two methods and :func:`friedman` for more.
"""

import numpy as np

from . import _mercer
from ._errors import DataError, ParameterError
from ._show import Facts
from ._values import flag, is_one_of, real, whole

__all__ = [
    "adjust",
    "corrected_t",
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
        raise DataError(f"a list of numbers is expected ({error})") from None


def _told(outcome):
    return Facts(outcome["name"], outcome)


def _two(test, a, b, option=None):
    return _told(_mercer.compare_two(test, _numbers(a), _numbers(b), option))


def wilcoxon(a, b, *, zeros="wilcoxon"):
    """Wilcoxon's signed-rank test of paired scores; exact for up to 50 differences.

    ``zeros="pratt"`` ranks equal scores too. The outcome has ``statistic``, ``pvalue``, ``exact``, ``first_larger``.

    >>> mercer.compare.wilcoxon([0.9, 0.8, 0.85, 0.7, 0.95], [0.8, 0.7, 0.8, 0.6, 0.9]).pvalue
    0.0625
    """
    if not is_one_of(zeros, ("wilcoxon", "pratt")):
        raise ParameterError(f"zeros = {zeros!r:.80}: must be 'wilcoxon' or 'pratt'")
    return _two("wilcoxon-pratt" if zeros == "pratt" else "wilcoxon", a, b)


def sign_test(a, b):
    """The sign test: how often each of two methods wins."""
    return _two("sign", a, b)


def paired_t(a, b):
    """Student's paired t test. Folds of one cross-validation are not independent: see :func:`corrected_t`."""
    return _two("paired-t", a, b)


def corrected_t(a, b, test_per_train):
    """Nadeau and Bengio's corrected resampled t test; ``test_per_train`` is test objects per training object."""
    return _two("corrected-t", a, b, real("test_per_train", test_per_train))


def five_by_two_t(a, b):
    """Dietterich's 5×2cv t test: ten scores of each method, repetition by repetition."""
    return _two("5x2-t", a, b)


def five_by_two_f(a, b):
    """Alpaydın's combined 5×2cv F test: ten scores of each method, repetition by repetition."""
    return _two("5x2-f", a, b)


def mcnemar(truth, a, b):
    """McNemar's test of the predictions of two classifiers for the same objects."""
    try:
        classes = np.unique(np.concatenate([np.asarray(v) for v in (truth, a, b)]))
        codes = [np.searchsorted(classes, np.asarray(v)).tolist() for v in (truth, a, b)]
    except (TypeError, ValueError) as error:
        raise DataError(f"three lists of classes of one type are expected ({error})") from None
    return _told(_mercer.mcnemar(*codes))


def friedman(scores, *, greater_is_better=True, alpha=0.05):
    """Friedman's test of methods (columns) on data sets (rows), with Iman and Davenport's F and Nemenyi's comparison.

    The outcome has ``ranks`` (1 is best), ``chi_square``, ``iman_davenport``, ``critical_difference``, ``pvalues`` of
    pairs and ``groups`` of methods that cannot be told apart.
    """
    scores = _array(scores)
    outcome = _mercer.friedman(scores, flag("greater_is_better", greater_is_better), real("alpha", alpha))
    for name in ("chi_square", "iman_davenport"):
        outcome[name] = _told(outcome[name])
    return Facts("Friedman and Nemenyi", {**outcome, "alpha": alpha})


def adjust(pvalues, method="holm"):
    """p values of several tests made to hold together: ``holm``, ``bonferroni``, ``benjamini-hochberg``, ``none``."""
    return np.asarray(_mercer.adjust(_numbers(pvalues), method))


def holm(pvalues):
    """Holm's adjustment: the chance of any false finding stays below the level."""
    return adjust(pvalues, "holm")
