"""Graph kernels compared with GraKeL 0.1.11, where its results are correct."""

import warnings

import numpy as np
import pytest

import mercer

grakel = pytest.importorskip("grakel", reason="GraKeL is not installed")
networkx = pytest.importorskip("networkx")


def molecules():
    """Connected graphs with node labels, seeded."""
    rng = np.random.default_rng(0)
    out = []
    for size in range(4, 14):
        graph = networkx.random_labeled_tree(size, seed=size)
        graph.add_edge(0, size - 1)
        networkx.set_node_attributes(graph, {i: "CNO"[rng.integers(3)] for i in graph}, "label")
        out.append(graph)
    return out


def theirs(graphs):
    return [
        grakel.Graph({u: {v: 1 for v in g[u]} for u in g}, node_labels={u: g.nodes[u]["label"] for u in g})
        for g in graphs
    ]


@pytest.mark.parametrize(
    "ours, make",
    [
        (mercer.VertexHistogram(), lambda k: k.VertexHistogram()),
        (mercer.WeisfeilerLehman(h=3), lambda k: k.WeisfeilerLehman(n_iter=3, base_graph_kernel=k.VertexHistogram)),
        (mercer.ShortestPath(), lambda k: k.ShortestPath(with_labels=True)),
        (mercer.RandomWalk(kind="geometric", decay=0.01, labels=False), lambda k: k.RandomWalk(lamda=0.01)),
    ],
    ids=["vertex-histogram", "wl", "shortest-path", "random-walk"],
)
def test_gram_matrices_agree_with_grakel(ours, make):
    import grakel.kernels

    graphs = molecules()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = make(grakel.kernels).fit_transform(theirs(graphs))
        found = ours.gram(graphs)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
