"""Graphs of other libraries, by what they can do: networkx, igraph, PyTorch-Geometric, edges with labels."""

import numpy as np
from scipy import sparse

from . import _mercer
from ._data import NAME, Objects, name_of
from ._errors import DataError


class Graphs(Objects):
    """Graphs converted once, for kernels and estimators to use many times.

    Parameters
    ----------
    graphs : list
        networkx or igraph graphs; ``Data`` of PyTorch-Geometric (``edge_index``, ``x``, ``edge_attr``); or tuples
        ``(edges, node_labels)`` or ``(edges, node_labels, edge_labels)``, where ``edges`` are pairs of nodes counted
        from 0 or of keys of a dict ``node_labels``.
    node_label, edge_label, weight : str
        The attributes that hold labels and weights. Those that no node or edge has are left out.
    node_attributes : str or list of str, optional
        Attributes that hold numbers.

    Repeated edges count once, loops are kept; directed graphs stay directed.

    Examples
    --------
    >>> water = ([(0, 1), (0, 2)], ["O", "H", "H"])
    >>> mercer.Graphs([water, water])
    <Graphs: 2 objects; x (graphs)>
    """

    def __init__(self, graphs, *, node_label="label", edge_label="label", weight="weight", node_attributes=None):
        given = list(graphs)
        values = graph_values(given, node_label, edge_label, weight, node_attributes)
        super().__init__(_mercer.Data([(NAME, "graphs", values)]))


class Nodes(Objects):
    """The nodes of one graph as objects, in the order of the graph. Indexing gives some of them; the graph stays whole.

    Parameters
    ----------
    graph : networkx or igraph graph, ``Data`` of PyTorch-Geometric, tuple of edges and labels, or SciPy sparse matrix
        A sparse matrix holds the weights between nodes. Directions do not matter.
    weight : str
        The attribute of edges that holds weights of at least 0. Weights of repeated edges add up.

    Examples
    --------
    >>> path = mercer.Nodes(([(0, 1), (1, 2)], ["a", "b", "c"]))
    >>> mercer.NodeDiffusion(beta=1.0).gram(path).round(3)
    array([[0.526, 0.317, 0.158],
           [0.317, 0.367, 0.317],
           [0.158, 0.317, 0.526]])
    """

    def __init__(self, graph, *, weight="weight"):
        super().__init__(_mercer.Data([(NAME, "nodes", node_values(graph, weight))]))


def node_values(graph, weight="weight"):
    """A graph whose nodes are the objects, as the native engine takes it."""
    if sparse.issparse(graph):
        entries = sparse.coo_array(graph)
        if entries.shape[0] != entries.shape[1]:
            raise DataError(f"weights between nodes are a square matrix, not {entries.shape}")
        return made(entries.shape[0], np.column_stack(entries.coords), weights=entries.data)
    if not is_graph(graph):
        raise DataError(f"one graph or a sparse matrix is needed, not {type(graph).__name__}")
    values = graph_values([graph], None, None, weight)[0]
    return {**values, "node_labels": None, "edge_labels": None, "directed": False}


def is_graph(value):
    """Whether a value looks like a graph."""
    if hasattr(value, "is_directed") and hasattr(value, "nodes") and hasattr(value, "edges"):
        return True
    if hasattr(value, "vcount") and hasattr(value, "get_edgelist"):
        return True
    if hasattr(value, "edge_index"):
        return True
    return isinstance(value, tuple) and len(value) in (2, 3) and is_edge_list(value[0])


def is_edge_list(value):
    if isinstance(value, np.ndarray):
        return value.ndim == 2 and value.shape[1] == 2 and value.dtype.kind in "iu"
    if not isinstance(value, (list, tuple, set)):
        return False
    return all(isinstance(e, (tuple, list)) and len(e) == 2 for e in value)


def graph_values(items, node_label="label", edge_label="label", weight="weight", node_attributes=None):
    """Graphs as the native engine takes them."""
    names = [node_attributes] if isinstance(node_attributes, str) else list(node_attributes or [])
    return [one(index, g, node_label, edge_label, weight, names) for index, g in enumerate(items)]


def one(index, graph, node_label, edge_label, weight, attributes):
    try:
        if hasattr(graph, "vcount"):
            return from_igraph(graph, node_label, edge_label, weight, attributes)
        if hasattr(graph, "edge_index"):
            return from_geometric(graph)
        if hasattr(graph, "is_directed"):
            return from_networkx(graph, node_label, edge_label, weight, attributes)
        if isinstance(graph, tuple) and len(graph) in (2, 3):
            return from_edges(*graph)
    except (KeyError, TypeError, IndexError) as error:
        raise DataError(f"graph {index}: {error}") from error
    raise DataError(f"object {index} of type {type(graph).__name__} is no graph that is known here")


def made(nodes, edges, directed=False, node_labels=None, edge_labels=None, weights=None, rows=None, edge_rows=None):
    ends = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    return {
        "nodes": nodes,
        "directed": bool(directed),
        "sources": np.ascontiguousarray(ends[:, 0]),
        "targets": np.ascontiguousarray(ends[:, 1]),
        "node_labels": None if node_labels is None else [name_of(v) for v in node_labels],
        "edge_labels": None if edge_labels is None else [name_of(v) for v in edge_labels],
        "weights": None if weights is None else np.asarray(weights, dtype=np.float64),
        "node_attributes": None if rows is None else np.ascontiguousarray(rows, dtype=np.float64),
        "edge_attributes": None if edge_rows is None else np.ascontiguousarray(edge_rows, dtype=np.float64),
    }


def carried(what, name, values):
    """What all have, or nothing where none has it; an error where only some do."""
    have = sum(v is not None for v in values)
    if have == 0:
        return None
    if have < len(values):
        raise DataError(f"{len(values) - have} of {len(values)} {what} have no {name!r}")
    return values


def from_networkx(graph, node_label, edge_label, weight, attributes):
    place = {node: i for i, node in enumerate(graph.nodes)}
    labels = carried("nodes", node_label, [d.get(node_label) for _, d in graph.nodes(data=True)])
    edges, edge_labels, weights = [], [], []
    for a, b, data in graph.edges(data=True):
        edges.append((place[a], place[b]))
        edge_labels.append(data.get(edge_label))
        weights.append(data.get(weight))
    rows = [[d[name] for name in attributes] for _, d in graph.nodes(data=True)] if attributes else None
    return made(
        len(place),
        edges,
        graph.is_directed(),
        labels,
        carried("edges", edge_label, edge_labels),
        carried("edges", weight, weights),
        rows,
    )


def from_igraph(graph, node_label, edge_label, weight, attributes):
    def of(sequence, name):
        return sequence[name] if name in sequence.attributes() else None

    rows = np.column_stack([graph.vs[name] for name in attributes]) if attributes else None
    return made(
        graph.vcount(),
        graph.get_edgelist(),
        graph.is_directed(),
        of(graph.vs, node_label),
        of(graph.es, edge_label),
        of(graph.es, weight),
        rows,
    )


def from_geometric(data):
    """PyTorch-Geometric: both directions of each edge are listed; rows of one 1 and zeros are labels."""
    edges = array(data.edge_index).T
    rows = array(getattr(data, "x", None))
    edge_rows = array(getattr(data, "edge_attr", None))
    nodes = getattr(data, "num_nodes", None)
    nodes = len(rows) if nodes is None else int(nodes)
    directed = bool(data.is_directed()) if hasattr(data, "is_directed") else False
    labels, rows = one_hot(rows)
    edge_labels, edge_rows = one_hot(edge_rows)
    return made(nodes, edges, directed, labels, edge_labels, None, rows, edge_rows)


def array(value):
    if value is None:
        return None
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return np.asarray(value)


def one_hot(rows):
    """(labels, None) for rows of one 1 and zeros, (None, rows) for others."""
    if rows is None or rows.size == 0:
        return None, None
    rows = rows.reshape(len(rows), -1)
    if rows.shape[1] > 1 and np.isin(rows, (0, 1)).all() and (rows.sum(axis=1) == 1).all():
        return rows.argmax(axis=1), None
    return None, rows


def from_edges(edges, node_labels=None, edge_labels=None):
    edges = edges.tolist() if isinstance(edges, np.ndarray) else list(edges)
    if isinstance(node_labels, dict):
        place = {node: i for i, node in enumerate(node_labels)}
        edges, keys = [(place[a], place[b]) for a, b in edges], edges
        node_labels = list(node_labels.values())
    else:
        keys = edges
    if isinstance(edge_labels, dict):
        edge_labels = [edge_labels.get(tuple(e), edge_labels.get((e[1], e[0]))) for e in keys]
        edge_labels = carried("edges", "label", edge_labels)
    nodes = len(node_labels) if node_labels is not None else 1 + max((max(e) for e in edges), default=-1)
    return made(nodes, edges, False, node_labels, edge_labels)
