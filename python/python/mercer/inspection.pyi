# Made by stubs.py.
"""What is in data, and what is wrong with it: the ``inspect`` command of the program."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__all__ = ['Inspection', 'inspect']

def inspect(X: Any | ArrayLike, y: ArrayLike | None = None, *, target: str | None = None, groups: ArrayLike | str | None = None, test: ArrayLike | None = None, time: str | None = None, ignore: str | Sequence[Any] = ..., kinds: Mapping[Any, Any] | None = None, random_state: int = 0, seed: int | None = None) -> Inspection: ...

class Inspection:
    """The result of :func:`inspect`. ``document`` holds all of it, as ``mercer inspect --json`` prints it.

    Examples
    --------
    >>> table = {"id": [1, 2, 3, 4], "age": [31, 45, 27, 60], "ill": ["yes", "no", "yes", "no"]}
    >>> found = mercer.inspect(table, target="ill")
    >>> [column["name"] for column in found.columns]
    ['id', 'age']
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def candidates(self) -> list[dict[str, Any]]: ...
    @property
    def columns(self) -> list[Any]: ...
    @property
    def findings(self) -> list[dict[str, Any]]: ...
    @property
    def target(self) -> dict[str, Any] | None: ...
