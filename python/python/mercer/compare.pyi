# Made by stubs.py.
"""Comparison of estimators, and the statistical tests for it. All are two-sided.

The module is a function too: ``mercer.compare({"svm": mercer.SVC(), "forest": RandomForestClassifier()}, X, y)`` evaluates
all on the same splits (:func:`estimators`).

On one data set, use :func:`five_by_two_f` for 5×2 folds and :func:`corrected_t` for other folds. Over several data
sets, use :func:`wilcoxon` for two methods and :func:`friedman` for more.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from .workflow import Comparison

__all__ = ['adjust', 'corrected_t', 'estimators', 'five_by_two_f', 'five_by_two_t', 'friedman', 'holm', 'mcnemar', 'paired_t', 'sign_test', 'wilcoxon']

def adjust(pvalues: ArrayLike, method: Literal['holm', 'bonferroni', 'benjamini-hochberg', 'none'] = 'holm') -> Any: ...

def corrected_t(a: ArrayLike, b: ArrayLike, test_per_train: float) -> Any: ...

def estimators(methods: Mapping[Any, Any] | Sequence[Any], X: Any, y: ArrayLike, *, cv: int | Any | Sequence[Any] | None = None, scoring: str | Callable[..., Any] | Sequence[Any] | Mapping[Any, Any] | None = None, groups: ArrayLike | None = None, sample_weight: ArrayLike | None = None, random_state: int = 0, n_jobs: int | None = None, progress: bool | Callable[..., Any] = False) -> Comparison: ...

def five_by_two_f(a: ArrayLike, b: ArrayLike) -> Any: ...

def five_by_two_t(a: ArrayLike, b: ArrayLike) -> Any: ...

def friedman(scores: ArrayLike, *, greater_is_better: bool = True, alpha: float = 0.05) -> Any: ...

def holm(pvalues: ArrayLike) -> Any: ...

def mcnemar(truth: ArrayLike, a: ArrayLike, b: ArrayLike) -> Any: ...

def paired_t(a: ArrayLike, b: ArrayLike) -> Any: ...

def sign_test(a: ArrayLike, b: ArrayLike) -> Any: ...

def wilcoxon(a: ArrayLike, b: ArrayLike, *, zeros: Literal['wilcoxon', 'pratt'] = 'wilcoxon') -> Any: ...
