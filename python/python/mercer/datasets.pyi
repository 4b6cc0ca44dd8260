# Made by stubs.py.
"""Synthetic data sets in their published sizes, and three embedded ones. Nothing is downloaded.

>>> X, y = mercer.datasets.make_balance()
>>> X.shape, y[:3].tolist()
((625, 4), ['B', 'R', 'R'])
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__all__ = ['load_iris', 'load_mutag', 'load_promoters', 'make_balance', 'make_balance1', 'make_balance3', 'make_half_moons', 'make_power_law', 'make_rings', 'make_swiss_roll']

def load_iris(*, return_X_y: bool = True, as_frame: bool = False) -> Any: ...

def load_mutag() -> Any: ...

def load_promoters() -> Any: ...

def make_balance() -> Any: ...

def make_balance1() -> Any: ...

def make_balance3() -> Any: ...

def make_half_moons(n_samples: int = 800, *, noise: float = 0.1, random_state: int | np.random.RandomState = 0) -> Any: ...

def make_power_law(n_nodes: int = 1000, *, joins: int = 3, random_state: int | np.random.RandomState = 0) -> Any: ...

def make_rings(n_samples: int = 685, *, noise: float = 0.15, random_state: int | np.random.RandomState = 0) -> Any: ...

def make_swiss_roll(n_samples: int = 1600, *, noise: float = 0.3, random_state: int | np.random.RandomState = 0) -> Any: ...
