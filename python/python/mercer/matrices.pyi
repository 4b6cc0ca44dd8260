# Made by stubs.py.
"""Operations on Gram matrices: Markov walks, tensor products, conjugation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__all__ = ['conjugate', 'tensor', 'transitions']

def conjugate(K: ArrayLike, T: ArrayLike) -> Any: ...

def tensor(K: ArrayLike, L: ArrayLike) -> Any: ...

def transitions(K: ArrayLike, p: int = 1, *, threads: int | None = None) -> Any: ...
