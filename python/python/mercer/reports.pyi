# Made by stubs.py.
"""Nested cross-validation and its reports: the ``evaluate`` and ``report`` commands of the program."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._kernel import Kernel
from .splits import Protocol

__all__ = ['Evaluation', 'evaluate', 'report']

def evaluate(estimator: Any = None, X: Any = None, y: ArrayLike | None = None, learner: Any | str | None = None, *, kernel: Kernel | str | None = None, protocol: Protocol | str | int | None = None, inner: Protocol | str | int = '5-fold', scoring: str | None = None, scores: Sequence[Any] | None = None, search: str = 'grid', groups: ArrayLike | None = None, sample_weight: ArrayLike | None = None, seed: int | None = None, figures: bool = True, journal: str | PathLike[str] | None = None, best_of: str | None = None, threads: int | None = None, progress: bool | Callable[..., Any] = False, cv: Any | Sequence[Any] | None = None, test: tuple[Any, ...] | None = None, times: ArrayLike | None = None, random_state: int | None = None, n_jobs: int | None = None) -> Any: ...

def report(run: Evaluation | Mapping[Any, Any] | str | PathLike[str], path: str | PathLike[str]) -> Any: ...

class Evaluation:
    """The results of :func:`evaluate`. ``document`` is the full run document, as written by ``--report run.json``.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> found = mercer.evaluate(X, y, "standardize(rbf(gamma=0.25))", "svc(C=[1, 10])", protocol=5, figures=False)
    >>> found.score, found.mean > 0.9, len(found.folds)
    ('accuracy', True, 5)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def best_of(self) -> Any: ...
    @property
    def folds(self) -> list[dict[str, Any]]: ...
    @property
    def mean(self) -> float: ...
    @property
    def measures(self) -> dict[str, Any]: ...
    def plots(self, folder: str | PathLike[str], format: Literal['svg', 'png'] = 'svg', *, form: str | None = None) -> list[str]: ...
    def report(self, path: str | PathLike[str]) -> Any: ...
    @property
    def score(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
