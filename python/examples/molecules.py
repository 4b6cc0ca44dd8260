"""Graphs: classification of small molecules, given as labelled networkx graphs."""

import networkx as nx
import numpy as np

import mercer

rng = np.random.default_rng(3)


def molecule(active):
    """A chain of carbon with a side group: a nitro group makes it active."""
    g = nx.path_graph(int(rng.integers(4, 9)))
    nx.set_node_attributes(g, "C", "label")
    where, n = int(rng.integers(len(g))), len(g)
    g.add_node(n, label="N")
    g.add_edge(where, n)
    for k in range(2):
        # Inactive molecules have the same atoms elsewhere, so that atom counts do not separate the classes.
        at = n if active else int(rng.integers(n))
        g.add_node(n + 1 + k, label="O")
        g.add_edge(at, n + 1 + k)
    return g


y = np.array([i % 2 for i in range(80)])
graphs = mercer.Graphs([molecule(active) for active in y])  # converted once, used many times

for kernel in (mercer.VertexHistogram(), mercer.WeisfeilerLehman(h=2), mercer.ShortestPath()):
    search = mercer.GridSearch(mercer.SVC(kernel=mercer.Normalize(kernel)), {"C": [1, 10, 100]}, cv=mercer.StratifiedKFold(5))
    print(f"{kernel}: accuracy {search.fit(graphs, y).best_score_:.3f}")

features, names = mercer.WeisfeilerLehman(h=1).features(graphs)
print(f"{features.shape[1]} features, such as {names[0]}")
