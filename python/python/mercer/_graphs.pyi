# Made by stubs.py.
"""Conversion of graphs by duck typing: networkx, igraph, PyTorch-Geometric, edges with labels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._data import Objects

class Graphs(Objects):
    """Graphs converted once, for repeated use by kernels and estimators.

    Parameters
    ----------
    graphs : list
        Graphs of networkx or igraph; ``Data`` of PyTorch-Geometric (``edge_index``, ``x``, ``edge_attr``); or tuples
        ``(edges, node_labels)`` or ``(edges, node_labels, edge_labels)``, where ``edges`` are pairs of node numbers
        from 0, or of keys of the dict ``node_labels``.
    node_label, edge_label, weight : str or None
        The attributes that hold labels and weights; by default ``"label"`` and ``"weight"``, if present. A name given
        here must exist. None uses no attribute.
    node_attributes, edge_attributes : str or list of str, optional
        Numeric attributes.

    Notes
    -----
    Labels that are numeric vectors are treated as attributes, one-hot vectors as labels. A :class:`mercer.DataWarning`
    lists unused attributes of nodes or edges, unless an attribute was chosen for them here. Repeated edges count once
    and loops are kept. Directed graphs stay directed.

    Examples
    --------
    >>> water = ([(0, 1), (0, 2)], ["O", "H", "H"])
    >>> mercer.Graphs([water, water])
    <Graphs: 2 objects; x (graphs)>
    """

    def __init__(self, graphs: Sequence[Any], *, node_label: str | None = 'label', edge_label: str | None = 'label', weight: str | None = 'weight', node_attributes: str | Sequence[Any] | None = None, edge_attributes: str | Sequence[Any] | None = None) -> None: ...

class Nodes(Objects):
    """The nodes of one graph as objects, in the order of the graph. Indexing selects nodes; the graph stays complete.

    Parameters
    ----------
    graph : graph, tuple or sparse matrix
        A graph of networkx or igraph, ``Data`` of PyTorch-Geometric, a tuple of edges and labels, or a SciPy sparse matrix, which
        holds the edge weights. Edge directions are ignored.
    weight : str or None
        The edge attribute that holds non-negative weights; by default ``"weight"``, if present. A name given here must
        exist. None uses no attribute. Weights of repeated edges are added.

    Examples
    --------
    >>> path = mercer.Nodes(([(0, 1), (1, 2)], ["a", "b", "c"]))
    >>> mercer.NodeDiffusion(beta=1.0).gram(path).round(3)
    array([[0.526, 0.317, 0.158],
           [0.317, 0.367, 0.317],
           [0.158, 0.317, 0.526]])
    """

    def __init__(self, graph: Any | tuple[Any, ...], *, weight: str | None = 'weight') -> None: ...
