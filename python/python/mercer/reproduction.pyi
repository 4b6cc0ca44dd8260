# Made by stubs.py.
"""Reproduction of published experiments: the ``reproduce`` command of the program."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__all__ = ['Reproduction', 'reproduce', 'studies']

def reproduce(study: str, *, data: str | PathLike[str] | None = None, only: str | Sequence[Any] | None = None, part: str | Sequence[Any] | None = None, base: str | Sequence[Any] | None = None, method: str | Sequence[Any] | None = None, kernel: str | Sequence[Any] | None = None, nodes: str | PathLike[str] | Sequence[Any] | None = None, splits: int | None = None, repetitions: int | None = None, inner_folds: int | None = None, journal: str | PathLike[str] | None = None, quick: bool = False, random_state: int = 0, threads: int | None = None, progress: bool | Callable[..., Any] = False, seed: int | None = None) -> Reproduction: ...

def studies() -> Any: ...

class Reproduction:
    """The results of :func:`reproduce`.

    Attributes
    ----------
    text : str
        The output of the program.
    markdown : str
        The same in Markdown.
    document : dict
        All values unrounded, as the program writes them with ``--json``.

    Examples
    --------
    >>> slides = mercer.reproduce("slides")
    >>> slides.tables[0]["columns"]
    ['', 'printed', 'mercer', 'deviation']
    """

    text: str
    markdown: str
    document: dict[str, Any]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def frames(self) -> dict[str, Any]: ...
    @property
    def notes(self) -> list[str]: ...
    def plots(self, folder: str | PathLike[str], format: Literal['svg', 'png'] = 'svg', *, form: str | None = None) -> list[str]: ...
    def report(self, path: str | PathLike[str]) -> Any: ...
    @property
    def summary(self) -> str: ...
    @property
    def tables(self) -> list[dict[str, Any]]: ...
