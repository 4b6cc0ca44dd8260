# Made by stubs.py.
"""Evaluation and comparison of any estimators on the same splits, with tests and a report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__all__ = ['Comparison', 'CrossValidation']

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

    methods: list[CrossValidation]
    baseline: CrossValidation
    pairs: list[dict[str, Any]]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getitem__(self, key: Any) -> Self: ...
    @property
    def ranking(self) -> list[str]: ...
    def report(self, path: str | PathLike[str]) -> Any: ...
    @property
    def verdict(self) -> str: ...

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

    name: str
    scores: dict[str, NDArray[Any]]
    baseline: CrossValidation
    splits: list[Any]
    predictions: list[Any]
    estimators: list[Any]
    fit_times: NDArray[Any]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def interval(self) -> tuple[float, float]: ...
    @property
    def mean(self) -> float: ...
    def report(self, path: str | PathLike[str]) -> Any: ...
    @property
    def score(self) -> str: ...
    @property
    def sd(self) -> float: ...
    @property
    def test(self) -> dict[str, Any] | None: ...
    @property
    def verdict(self) -> str: ...
