# Made by stubs.py.
"""What notebooks show: facts as tables, and certificates below estimators."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

class Facts(dict[str, Any]):
    """A dict whose items are also attributes, shown as a table in notebooks."""

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
