# Made by stubs.py.
"""Files of data, model files in the format of the program, and certificates of matrices."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__all__ = ['certify', 'load', 'read', 'save']

def certify(K: ArrayLike, *, threads: int | None = None) -> Any: ...

def load(path: str | PathLike[str]) -> Any: ...

def read(path: str | str | PathLike[str] | Any | None = None, *, return_ids: bool = False, return_groups: bool = False, **options: Mapping[Any, Any]) -> Any: ...

def save(estimator: Any, path: str | PathLike[str]) -> None: ...
