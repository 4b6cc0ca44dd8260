"""Conversion of graphs by duck typing: networkx, igraph, PyTorch-Geometric, edges with labels."""

import warnings

import numpy as np
from scipy import sparse

from . import _mercer
from ._data import NAME, Objects, gathered, plain
from ._errors import DataError, DataWarning
from ._labels import LABEL, WEIGHT, Choice, Default, carried, joined, labels_or_rows, names_in, rows_of, settle
from ._tables import sound


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

    def __init__(
        self, graphs, *, node_label=LABEL, edge_label=LABEL, weight=WEIGHT, node_attributes=None, edge_attributes=None
    ):  # fmt: skip
        if is_network(graphs):
            raise DataError("expected a list of graphs, got one graph: pass [graph]")
        choice = Choice(node_label, edge_label, weight, node_attributes, edge_attributes)
        super().__init__(_mercer.Data([(NAME, "graphs", graph_values(list(gathered(plain(graphs))), choice))]))


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

    def __init__(self, graph, *, weight=WEIGHT):
        super().__init__(_mercer.Data([(NAME, "nodes", node_values(graph, weight))]))


def node_values(graph, weight=WEIGHT):
    """Convert a graph whose nodes are the objects for the native engine."""
    if sparse.issparse(graph):
        entries = sparse.coo_array(sound(graph))
        if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
            raise DataError(f"edge weights must be a square matrix, not {entries.shape}")
        return stripped(without_direction(made(entries.shape[0], np.column_stack(entries.coords), True, weights=entries.data)))
    if not is_graph(graph):
        raise DataError(f"expected one graph or a sparse matrix, got {type(graph).__name__}")
    choice = Choice(None, None, weight)
    choice.edges_chosen = not isinstance(weight, Default)
    choice.advice["edge"] = "mercer.Nodes(graph, weight='{0}')"
    values = without_direction(graph_values([graph], choice)[0])
    if values["directed"]:
        warnings.warn("W_DIRECTION node kernels ignore edge directions: all edges are taken as undirected", DataWarning, stacklevel=4)
    return stripped(values)


def without_direction(values):
    """Raise an error if weights differ by direction, or if only some edges are listed in both directions."""
    if not values["directed"]:
        return values
    sources, targets = values["sources"], values["targets"]
    weights = np.ones(len(sources)) if values["weights"] is None else values["weights"]
    shape = (values["nodes"], values["nodes"])
    if len(sources) and (min(sources.min(), targets.min()) < 0 or max(sources.max(), targets.max()) >= values["nodes"]):
        raise DataError("an edge refers to a node that does not exist")
    apart = sources != targets
    there = sparse.coo_array((weights[apart], (sources[apart], targets[apart])), shape=shape).tocsr()
    listed = sparse.coo_array((np.ones(apart.sum()), (sources[apart], targets[apart])), shape=shape).tocsr()
    if not listed.multiply(listed.T).nnz:
        return values
    odd = (abs(there - there.T) > 1e-12 * abs(there).max()).tocoo()
    if odd.nnz:
        i, j = int(odd.coords[0][0]), int(odd.coords[1][0])
        raise DataError(
            f"weights between nodes must be symmetric: from node {i} to {j} it is {there[i, j]:g}, back {there[j, i]:g}; "
            "use (A + A.T) / 2 or A.maximum(A.T), or list each edge once"
        )
    return values


def stripped(values):
    """The graph with its edges and weights only."""
    nothing = ("node_labels", "edge_labels", "node_attributes", "edge_attributes")
    return {**values, **dict.fromkeys(nothing), "directed": False}


def is_network(value):
    """Whether a value is one graph of another library."""
    if hasattr(value, "is_directed") and hasattr(value, "nodes") and hasattr(value, "edges"):
        return True
    if hasattr(value, "vcount") and hasattr(value, "get_edgelist"):
        return True
    return hasattr(value, "edge_index")


def is_graph(value):
    """Whether a value looks like a graph."""
    return is_network(value) or (isinstance(value, tuple) and len(value) in (2, 3) and is_edge_list(value[0]))


def is_edge_list(value):
    if isinstance(value, np.ndarray):
        return value.ndim == 2 and value.shape[1] == 2 and value.dtype.kind in "iu"
    if not isinstance(value, (list, tuple, set)):
        return False
    return all(isinstance(e, (tuple, list)) and len(e) == 2 for e in value)


def graph_values(items, choice=None):
    """Convert graphs for the native engine."""
    choice = Choice() if choice is None else choice
    out = [one(index, g, choice) for index, g in enumerate(items)]
    settle(out, "node")
    settle(out, "edge")
    choice.check({"node": not any(g["nodes"] for g in out), "edge": not any(len(g["sources"]) for g in out)})
    for what, part, size in (
        ("nodes", "node_labels", lambda g: g["nodes"]),
        ("nodes", "node_attributes", lambda g: g["nodes"]),
        ("edges", "edge_labels", lambda g: len(g["sources"])),
    ):
        there = [index for index, g in enumerate(out) if size(g) and g[part] is not None]
        without = [index for index, g in enumerate(out) if size(g) and g[part] is None]
        if there and without:
            words = part.split("_")[1]
            raise DataError(f"graph {without[0]} has {what} without {words}, but those of graph {there[0]} have {words}")
    return out


def one(index, graph, choice):
    try:
        if hasattr(graph, "vcount"):
            return from_igraph(graph, choice)
        if hasattr(graph, "edge_index"):
            return from_geometric(graph, choice)
        if hasattr(graph, "is_directed"):
            return from_networkx(graph, choice)
        if isinstance(graph, tuple) and len(graph) in (2, 3):
            return from_edges(*graph)
    except DataError as error:
        raise DataError(f"graph {index}: {error}") from error
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DataError(f"graph {index}: {error}") from error
    raise DataError(f"object {index} of type {type(graph).__name__} is no graph of a supported library")


def made(nodes, edges, directed=False, labels=(None, None), edge_labels=(None, None), weights=None, rows=None, edge_rows=None):
    """One graph. ``labels`` and ``edge_labels`` are pairs (labels, vectors), one of which is None."""
    ends = np.asarray(edges).reshape(-1, 2)
    if ends.size and (ends.dtype.kind not in "fiub" or (ends.astype(np.int64) != ends).any()):
        raise DataError("edges must join nodes counted from 0, or keys of a dict of node labels")
    ends = ends.astype(np.int64)
    return {
        "nodes": nodes,
        "directed": bool(directed),
        "sources": np.ascontiguousarray(ends[:, 0]),
        "targets": np.ascontiguousarray(ends[:, 1]),
        "node_labels": names_in(labels[0]),
        "node_vectors": labels[1],
        "edge_labels": names_in(edge_labels[0]),
        "edge_vectors": edge_labels[1],
        "weights": None if weights is None else np.asarray(weights, dtype=np.float64),
        "node_attributes": None if rows is None else np.ascontiguousarray(rows, dtype=np.float64),
        "edge_attributes": None if edge_rows is None else np.ascontiguousarray(edge_rows, dtype=np.float64),
    }


def attributed(nodes, edges, directed, choice, node_column, edge_column):
    """A graph whose attributes are looked up by name, as lists with None for missing values."""

    def labels(what, name, column):
        values = None if name is None else carried(f"{what}s", name, column(name))
        return labels_or_rows(what, name, values)

    weights = None if choice.weight is None else carried("edges", choice.weight, edge_column(choice.weight))
    rows = edge_rows = None
    if nodes and choice.node_attributes:
        rows = rows_of("node", choice.node_attributes, [node_column(name) for name in choice.node_attributes])
    if len(edges) and choice.edge_attributes:
        edge_rows = rows_of("edge", choice.edge_attributes, [edge_column(name) for name in choice.edge_attributes])
    node_labels = labels("node", choice.node_label, node_column)
    edge_labels = labels("edge", choice.edge_label, edge_column)
    return made(nodes, edges, directed, node_labels, edge_labels, weights, rows, edge_rows)


def from_networkx(graph, choice):
    place = {node: i for i, node in enumerate(graph.nodes)}
    nodes = [data for _, data in graph.nodes(data=True)]
    edges, attributes = [], []
    for a, b, data in graph.edges(data=True):
        edges.append((place[a], place[b]))
        attributes.append(data)
    choice.see("node", {name for data in nodes for name in data})
    choice.see("edge", {name for data in attributes for name in data})
    return attributed(
        len(place),
        edges,
        graph.is_directed(),
        choice,
        lambda name: [data.get(name) for data in nodes],
        lambda name: [data.get(name) for data in attributes],
    )


def from_igraph(graph, choice):
    def column(sequence):
        return lambda name: list(sequence[name]) if name in sequence.attributes() else [None] * len(sequence)

    choice.see("node", graph.vs.attributes())
    choice.see("edge", graph.es.attributes())
    edges = graph.get_edgelist()
    return attributed(graph.vcount(), edges, graph.is_directed(), choice, column(graph.vs), column(graph.es))


#: Fields of PyTorch-Geometric that are not attributes of nodes or edges, or that are always used.
GEOMETRIC = {"edge_index", "x", "edge_attr", "edge_weight", "y", "num_nodes", "batch", "ptr"}
GEOMETRIC |= {"train_mask", "val_mask", "test_mask"}


def from_geometric(data, choice):
    """PyTorch-Geometric lists both directions of each edge. One-hot rows are labels."""
    edges = array(data.edge_index).T
    rows = array(getattr(data, "x", None))
    edge_rows = array(getattr(data, "edge_attr", None))
    nodes = getattr(data, "num_nodes", None)
    nodes = len(rows) if nodes is None else int(nodes)
    directed = bool(data.is_directed()) if hasattr(data, "is_directed") else False
    fields = data.keys() if callable(getattr(data, "keys", None)) else getattr(data, "keys", None) or vars(data)
    others = {name for name in fields if name not in GEOMETRIC and not name.startswith("_")}
    lengths = {name: np.shape(array(getattr(data, name)))[:1] for name in others}
    choice.see("node", {name for name in others if lengths[name] == (nodes,)})
    choice.see("edge", {name for name in others if lengths[name] == (len(edges),) and lengths[name] != (nodes,)})

    def labels(what, name, given):
        """The named attribute or the features of PyTorch-Geometric, as labels; and the remaining features."""
        given = None if given is None or not given.size else given.reshape(len(given), -1)
        if name not in others:
            return (None, given), None
        return labels_or_rows(what, name, array(getattr(data, name))), given

    def numbers(what, names, rows):
        more = rows_of(what, names, [array(getattr(data, name)) for name in names]) if names else None
        return joined(rows, more)

    node_labels, rows = labels("node", choice.node_label, rows)
    edge_labels, edge_rows = labels("edge", choice.edge_label, edge_rows)
    rows, edge_rows = numbers("node", choice.node_attributes, rows), numbers("edge", choice.edge_attributes, edge_rows)
    weights = array(getattr(data, choice.weight if choice.weight in others else "edge_weight", None))
    weights = None if weights is None or choice.weight is None else weights.ravel()
    return made(nodes, edges, directed, node_labels, edge_labels, weights, rows, edge_rows)


def array(value):
    if value is None:
        return None
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return np.asarray(value)


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
    if node_labels is None and not all(isinstance(node, (int, np.integer)) for edge in edges for node in edge):
        raise DataError("edges must join nodes counted from 0, or keys of a dict of node labels")
    nodes = len(node_labels) if node_labels is not None else 1 + max((max(e) for e in edges), default=-1)
    labels = labels_or_rows("node", "label", node_labels)
    return made(nodes, edges, False, labels, labels_or_rows("edge", "label", edge_labels))
