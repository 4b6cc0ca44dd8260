# Made by stubs.py.
"""Kernels on graphs with the interface of GraKeL: the parameters have its names, and ``fit_transform`` computes the Gram matrix.

Code written for GraKeL works after a change of the import::

    from mercer.grakel import WeisfeilerLehman          # in place of grakel.kernels

    K = WeisfeilerLehman(n_iter=5, normalize=True).fit_transform(train)
    K_test = kernel.transform(test)                     # rows: test graphs, columns: training graphs

>>> from mercer.grakel import ShortestPath
>>> triangle = ({(0, 1), (1, 2), (2, 0)}, {0: "a", 1: "a", 2: "b"})
>>> path = ({(0, 1), (1, 2)}, {0: "a", 1: "b", 2: "a"})
>>> ShortestPath(normalize=True).fit_transform([triangle, path]).shape
(2, 2)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from sklearn.base import BaseEstimator, TransformerMixin  # type: ignore[import-untyped, unused-ignore]

__all__ = ['EdgeHistogram', 'ShortestPath', 'VertexHistogram', 'WeisfeilerLehman', 'WeisfeilerLehmanOptimalAssignment']

class ShortestPath(TransformerMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Shortest-path kernel on graphs with labelled nodes.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).
    with_labels : bool, default True
        Must be True: without labels, give all nodes the same one.

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> ShortestPath().fit_transform(graphs[:20]).shape
    (20, 20)
    """

    n_jobs: int | None
    normalize: bool
    with_labels: bool
    def __init__(self, n_jobs: int | None = None, *, normalize: bool = False, with_labels: bool = True) -> None: ...
    def diagonal(self) -> Any: ...
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> NDArray[Any]: ...
    def transform(self, X: Any) -> NDArray[Any]: ...

class VertexHistogram(TransformerMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Counts of equal node labels.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> VertexHistogram().fit_transform(graphs[:2])
    array([[201., 132.],
           [132.,  89.]])
    """

    n_jobs: int | None
    normalize: bool
    def __init__(self, n_jobs: int | None = None, *, normalize: bool = False) -> None: ...
    def diagonal(self) -> Any: ...
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> NDArray[Any]: ...
    def transform(self, X: Any) -> NDArray[Any]: ...

class WeisfeilerLehman(TransformerMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """Weisfeiler–Lehman subtree kernel.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).
    n_iter : int, default 5
        Number of relabellings.

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> WeisfeilerLehman(n_iter=3, normalize=True).fit(graphs[:20]).transform(graphs[20:24]).shape
    (4, 20)
    """

    n_jobs: int | None
    normalize: bool
    n_iter: int
    def __init__(self, n_jobs: int | None = None, *, normalize: bool = False, n_iter: int = 5) -> None: ...
    def diagonal(self) -> Any: ...
    def fit(self, X: Any, y: ArrayLike | None = None) -> Self: ...
    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> NDArray[Any]: ...
    def transform(self, X: Any) -> NDArray[Any]: ...

class EdgeHistogram(VertexHistogram):
    """Counts of equal edge labels, with the parameters of :class:`VertexHistogram`.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> EdgeHistogram().fit_transform(graphs[:2])
    array([[261., 181.],
           [181., 126.]])
    """

    n_jobs: int | None
    normalize: bool

class WeisfeilerLehmanOptimalAssignment(WeisfeilerLehman):
    """Weisfeiler–Lehman optimal assignment kernel, with the parameters of :class:`WeisfeilerLehman`.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).
    n_iter : int, default 5
        Number of relabellings.

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> WeisfeilerLehmanOptimalAssignment(n_iter=3).fit_transform(graphs[:20]).shape
    (20, 20)
    """

    n_jobs: int | None
    normalize: bool
    n_iter: int
