"""Types of the base classes of kernels."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Self

class Kernel:
    """Base class of kernels."""

    columns: str | int | Sequence[str] | Sequence[int] | None

    @property
    def expression(self) -> str:
        """The kernel in the expression language."""

    def on(self, *columns: str | int | Sequence[str] | Sequence[int]) -> Self:
        """Return a copy of the kernel that uses only these columns."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters by name."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters."""

    def fit(
        self, X: Any, y: ArrayLike | None = None, *, threads: int | None = None, progress: bool | Callable[[str, int, int], Any] = False
    ) -> Self:
        """Fit the kernel to training objects."""

    @overload
    def gram(
        self, X: Any, *, dtype: DTypeLike = ..., threads: int | None = None, progress: bool | Callable[[str, int, int], Any] = False,
        client: None = None, store: None = None, block: None = None,
    ) -> NDArray[Any]:
        """Compute the Gram matrix of X; a Dask array if there is a cluster."""

    @overload
    def gram(
        self, X: Any, *, dtype: DTypeLike = ..., threads: int | None = None, progress: bool | Callable[[str, int, int], Any] = False,
        client: Any, store: Any = None, block: int | None = None,
    ) -> Any: ...

    @overload
    def cross(
        self, X: Any, Y: Any = None, *, dtype: DTypeLike = ..., threads: int | None = None, progress: bool | Callable[[str, int, int], Any] = False,
        client: None = None, store: None = None, block: None = None,
    ) -> NDArray[Any]:
        """Compute the matrix of new objects X (rows) and training objects Y (columns)."""

    @overload
    def cross(
        self, X: Any, Y: Any = None, *, dtype: DTypeLike = ..., threads: int | None = None, progress: bool | Callable[[str, int, int], Any] = False,
        client: Any, store: Any = None, block: int | None = None,
    ) -> Any: ...

    def diagonal(self, X: Any, *, threads: int | None = None) -> NDArray[np.float64]:
        """Compute the self-similarities k(x_i, x_i)."""

    @overload
    def pairwise(
        self, X: Any, Y: Any = None, *, threads: int | None = None, progress: bool | Callable[[str, int, int], Any] = False,
        client: None = None, store: None = None, block: None = None,
    ) -> NDArray[np.float64]:
        """Compute the distances between objects."""

    @overload
    def pairwise(
        self, X: Any, Y: Any = None, *, threads: int | None = None, progress: bool | Callable[[str, int, int], Any] = False,
        client: Any, store: Any = None, block: int | None = None,
    ) -> Any: ...

    def transform(self, X: Any, *, threads: int | None = None, progress: bool | Callable[[str, int, int], Any] = False) -> Any:
        """Compute the explicit features of objects under a fitted kernel."""

    def fit_transform(
        self, X: Any, y: ArrayLike | None = None, *, threads: int | None = None, progress: bool | Callable[[str, int, int], Any] = False
    ) -> Any:
        """Fit the kernel and compute the explicit features of the training objects."""

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Get the names of the features that transform computes."""

    def features(self, X: Any, *, threads: int | None = None) -> tuple[Any, list[str]]:
        """Compute the explicit features of objects, and their names."""

    @overload
    def node_columns(
        self, X: Any, nodes: Any, *, return_bound: Literal[False] = False, threads: int | None = None,
        progress: bool | Callable[[str, int, int], Any] = False,
    ) -> NDArray[np.float64]:
        """Compute columns of the Gram matrix for chosen nodes of a graph."""

    @overload
    def node_columns(
        self, X: Any, nodes: Any, *, return_bound: Literal[True], threads: int | None = None,
        progress: bool | Callable[[str, int, int], Any] = False,
    ) -> tuple[NDArray[np.float64], float]: ...
    def __call__(self, X: Any, Y: Any = None) -> NDArray[Any]: ...
    def __add__(self, other: Kernel | float) -> Sum: ...
    @overload
    def __radd__(self, other: Literal[0]) -> Self: ...
    @overload
    def __radd__(self, other: float) -> Any: ...
    @overload
    def __mul__(self, other: Kernel) -> Product: ...
    @overload
    def __mul__(self, other: float) -> Scaled: ...
    def __rmul__(self, other: float) -> Scaled: ...
    def __truediv__(self, other: float) -> Scaled: ...
    def __pow__(self, power: int) -> Kernel: ...
    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> Self:
        """Choose the container that transform returns."""

class Combined(Kernel):
    """Kernels joined by an operator."""

class Sum(Combined):
    """k(x, y) = left(x, y) + right(x, y)."""

    left: Kernel
    right: Kernel
    def __init__(self, left: Kernel, right: Kernel, *, columns: str | int | Sequence[str] | Sequence[int] | None = None) -> None: ...

class Product(Combined):
    """k(x, y) = left(x, y) · right(x, y)."""

    left: Kernel
    right: Kernel
    def __init__(self, left: Kernel, right: Kernel, *, columns: str | int | Sequence[str] | Sequence[int] | None = None) -> None: ...

class Scaled(Combined):
    """k(x, y) = factor · kernel(x, y), factor > 0."""

    factor: float
    kernel: Kernel
    def __init__(
        self, factor: float, kernel: Kernel, *, columns: str | int | Sequence[str] | Sequence[int] | None = None
    ) -> None: ...
