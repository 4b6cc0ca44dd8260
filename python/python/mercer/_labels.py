"""Labels, attributes and weights of nodes and edges, and the choice of those that are used."""

import numbers
import warnings

import numpy as np

from ._errors import DataError, DataWarning, ParameterError
from ._values import name_of

#: Attributes that other libraries use internally.
THEIRS = {"name", "_nx_name", "_igraph_index", "key", "id"}


class Default(str):
    """A default attribute name, as opposed to one given by the user."""


LABEL, WEIGHT = Default("label"), Default("weight")


class Choice:
    """Which attributes of nodes and edges are used as labels, weights and numbers."""

    def __init__(self, node_label=LABEL, edge_label=LABEL, weight=WEIGHT, node_attributes=None, edge_attributes=None):
        for name in (node_label, edge_label, weight):
            if not isinstance(name, (str, type(None))):
                raise ParameterError(f"expected the name of an attribute, got {name!r:.80}")
        self.node_label, self.edge_label, self.weight = node_label, edge_label, weight
        self.node_attributes, self.edge_attributes = listed_names(node_attributes), listed_names(edge_attributes)
        self.nodes_chosen = bool(self.node_attributes) or not isinstance(node_label, Default)
        self.edges_chosen = bool(self.edge_attributes) or not (isinstance(edge_label, Default) and isinstance(weight, Default))
        #: Advice for the use of an ignored attribute.
        self.advice = {"node": "mercer.Graphs(graphs, node_label='{0}') or node_attributes='{0}'"}
        self.advice["edge"] = "mercer.Graphs(graphs, edge_label='{0}') or weight='{0}'"
        #: Names of attributes that exist and are not used.
        self.ignored = {"node": set(), "edge": set()}
        self.found = set()

    def see(self, what, names):
        """Record which attributes exist and which of them are not used."""
        names = {str(name) for name in names}
        used = (
            {self.node_label, *self.node_attributes}
            if what == "node"
            else {self.edge_label, self.weight, *self.edge_attributes}
        )
        self.found |= {(what, name) for name in names & used}
        if not (self.nodes_chosen if what == "node" else self.edges_chosen):
            self.ignored[what] |= names - used - THEIRS

    def check(self, empty):
        """Raise an error for given names that do not exist; warn about attributes that are not used."""
        given = [("node", self.node_label), ("edge", self.edge_label), ("edge", self.weight)]
        given += [("node", name) for name in self.node_attributes] + [("edge", name) for name in self.edge_attributes]
        for what, name in given:
            if name is not None and not isinstance(name, Default) and (what, name) not in self.found and not empty[what]:
                raise DataError(f"no {what} of any graph has {name!r}")
        for what, advice in self.advice.items():
            names = sorted(self.ignored[what])
            if names:
                text = f"{what} attributes that are not used: {', '.join(names)}; to use one: {advice.format(names[0])}"
                warnings.warn(text, DataWarning, stacklevel=6)


def listed_names(names):
    if names is None or isinstance(names, str):
        return [] if names is None else [names]
    try:
        return list(names)
    except TypeError:
        raise ParameterError(f"expected names of attributes, got {names!r:.80}") from None


def carried(what, name, values):
    """The values if all are present, None if all are missing; an error if only some are."""
    have = sum(v is not None for v in values)
    if have == 0:
        return None
    if have < len(values):
        raise DataError(f"{len(values) - have} of {len(values)} {what} have no {name!r}")
    return values


def rows_of(what, names, values):
    """The numeric attributes of nodes or edges, joined to one row each."""
    parts = []
    for name, column in zip(names, values, strict=True):
        column = carried(f"{what}s", name, list(column))
        if column is None:
            raise DataError(f"no {what} has {name!r}")
        parts.append(numbers_of(what, name, column))
    return np.hstack(parts) if parts else None


def numbers_of(what, name, column):
    try:
        rows = np.asarray([np.asarray(v, dtype=np.float64).ravel() for v in column], dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name!r} of {what}s must hold numbers, the same number of them for each {what}") from None
    return rows.reshape(len(column), -1)


def labels_or_rows(what, name, labels):
    """Labels and None; or None and rows of numbers if the labels are vectors."""
    if labels is None or len(labels) == 0:
        return labels, None
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind != "O":
        return labels.tolist(), None
    vectors = [is_vector(v) for v in labels]
    if all(vectors):
        return None, numbers_of(what, name, labels)
    if any(vectors):
        at = vectors.index(False) if vectors[0] else vectors.index(True)
        raise DataError(f"some labels of {what}s are vectors and others are not: that of {what} {at} differs from the first")
    for at, label in enumerate(labels):
        if not isinstance(label, (str, bytes, numbers.Number, np.generic, tuple, frozenset)):
            raise DataError(
                f"the label of {what} {at} has type {type(label).__name__}: labels must be names or whole numbers; numeric "
                "vectors are attributes"
            )
    return labels, None


def is_vector(value):
    """Whether a value is a list, tuple or array of numbers."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if isinstance(value, np.ndarray):
        return value.ndim > 0 and value.dtype.kind in "fiub"
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(v, (numbers.Real, np.number)) for v in value)


def settle(graphs, what):
    """Use vectors given as labels: as labels if they are one-hot in all graphs, otherwise as attributes."""
    vectors = [g.pop(f"{what}_vectors") for g in graphs]
    known = [v for v in vectors if v is not None and v.size]
    hot = all(is_one_hot(v) for v in known) and len({v.shape[1] for v in known}) == 1
    for graph, rows in zip(graphs, vectors, strict=True):
        if rows is None or not rows.size:
            continue
        if hot and graph[f"{what}_labels"] is None:
            graph[f"{what}_labels"] = names_in(rows.argmax(axis=1).tolist())
        else:
            both = joined(rows, graph[f"{what}_attributes"])
            graph[f"{what}_attributes"] = np.ascontiguousarray(both, dtype=np.float64)


def is_one_hot(rows):
    return rows.shape[1] > 1 and bool(np.isin(rows, (0, 1)).all() and (rows.sum(axis=1) == 1).all())


def joined(rows, more):
    """Two sets of attributes, joined by column."""
    return more if rows is None else rows if more is None else np.hstack([rows, more])


def names_in(labels):
    return None if labels is None else [name_of(v) for v in labels]
