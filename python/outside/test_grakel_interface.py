"""GraKeL's data and interface with the kernels of mercer, through an adapter with GraKeL's methods.

The installed package of GraKeL 0.1.11 ships data for its tests (``grakel/tests/data``) but no tests. Only the titles of
the tests are known: kernels fit, transform and give positive semidefinite matrices on its generated data. This is
tested here, with its values where both define the same kernel.
"""

import os
import pathlib
import warnings

import numpy as np
import pytest

import mercer

grakel = pytest.importorskip("grakel", reason="GraKeL is not installed")

import grakel.kernels as theirs  # noqa: E402
from grakel.datasets.base import read_data  # noqa: E402
from grakel.datasets.testing import generate_dataset  # noqa: E402
from grakel.utils import KMTransformer, cross_validate_Kfold_SVM  # noqa: E402


def convert(graph):
    """Convert a graph of GraKeL (edges or a matrix, node labels, edge labels) for mercer."""
    edges, nodes, *labels = graph
    if isinstance(edges, np.ndarray):
        pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(edges)) if i <= j]
    else:
        pairs = sorted({(min(i, j), max(i, j)) for i, j in edges})
    keys = sorted(nodes)
    place = {key: at for at, key in enumerate(keys)}
    made = [(place[i], place[j]) for i, j in pairs], [str(nodes[key]) for key in keys]
    if labels and labels[0]:
        return (*made, [str(labels[0].get((i, j), labels[0].get((j, i)))) for i, j in pairs])
    return made


class InPlace:
    """A kernel of mercer with the methods of ``grakel.kernels.Kernel``."""

    def __init__(self, kernel):
        self.kernel = kernel

    def fit(self, X, y=None):
        self.X = mercer.Graphs([convert(g) for g in X])
        return self

    def transform(self, X):
        return self.kernel.cross(mercer.Graphs([convert(g) for g in X]), self.X)

    def fit_transform(self, X, y=None):
        return self.kernel.gram(self.fit(X).X)

    def diagonal(self):
        return self.kernel.diagonal(self.X)


SAME = {
    "vertex-histogram": (mercer.VertexHistogram(ignore="others"), lambda: theirs.VertexHistogram()),
    "wl": (mercer.WeisfeilerLehman(h=4), lambda: theirs.WeisfeilerLehman(n_iter=4, base_graph_kernel=theirs.VertexHistogram)),
    "shortest-path": (mercer.ShortestPath(ignore="others"), lambda: theirs.ShortestPath(with_labels=True)),
    "random-walk": (
        mercer.RandomWalk(kind="geometric", decay=0.001, labels=False),
        lambda: theirs.RandomWalk(lamda=0.001),
    ),
}
#: Kernels that GraKeL has as well, with different parameters or rounding.
ALIKE = {
    "edge-histogram": mercer.EdgeHistogram(ignore="others"),
    "wl-optimal-assignment": mercer.WeisfeilerLehmanOptimalAssignment(),
    "neighbourhood-hash": mercer.NeighbourhoodHash(ignore="others"),
    "pyramid-match": mercer.PyramidMatch(ignore="others"),
    "propagation": mercer.Propagation(ignore="others"),
    "graphlet": mercer.Graphlet(ignore="others"),
}
ALL = {**{name: ours for name, (ours, _) in SAME.items()}, **ALIKE}


def generated(features):
    """GraKeL's own random graphs: training and test sets."""
    return generate_dataset(
        n_graphs=40, r_vertices=(5, 12), r_connectivity=(0.4, 0.8), n_graphs_test=12, random_state=7, features=features
    )


def mutag():
    data = pathlib.Path(grakel.__file__).parent / "tests" / "data"
    before = os.getcwd()
    os.chdir(data)
    try:
        found = read_data("MUTAG")
    finally:
        os.chdir(before)
    return found.data, found.target


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", ALL)
def test_fit_and_transform(name):
    """A positive semidefinite training matrix, a matrix of new graphs with training graphs, and consistent results."""
    train, test = generated(("nl", 3, "el", 4))
    kernel = InPlace(ALL[name])
    gram = kernel.fit_transform(train)
    cross = kernel.transform(test)
    assert gram.shape == (len(train), len(train)) and cross.shape == (len(test), len(train))
    assert np.isfinite(gram).all() and np.isfinite(cross).all()
    assert np.linalg.eigvalsh(gram).min() > -1e-9 * np.abs(gram).max()
    np.testing.assert_allclose(kernel.fit(train).transform(train), gram, rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(), gram.diagonal(), rtol=1e-12)


@pytest.mark.parametrize("name", SAME)
def test_values_on_generated_graphs(name):
    train, test = generated(("nl", 3, "el", 4))
    ours, make = InPlace(SAME[name][0]), make_theirs(name)
    np.testing.assert_allclose(ours.fit_transform(train), make.fit_transform(train), rtol=1e-6)
    np.testing.assert_allclose(ours.transform(test), make.transform(test), rtol=1e-6)


@pytest.mark.parametrize("name", [name for name in SAME if name != "random-walk"])
def test_values_on_their_mutag(name):
    graphs, _ = mutag()
    np.testing.assert_allclose(InPlace(SAME[name][0]).fit_transform(graphs[:60]), make_theirs(name).fit_transform(graphs[:60]), rtol=1e-9)


def test_edges_are_counted_once():
    """GraKeL counts an edge in both directions, so its values are four times ours if both have the same label."""
    graphs, _ = mutag()
    found = InPlace(4 * mercer.EdgeHistogram(ignore="others")).fit_transform(graphs[:60])
    np.testing.assert_allclose(found, theirs.EdgeHistogram().fit_transform(graphs[:60]), rtol=1e-12)


def make_theirs(name):
    return SAME[name][1]()


@pytest.mark.parametrize("name", ["vertex-histogram", "wl", "shortest-path"])
def test_in_their_cross_validation(name):
    """Our matrices in their functions, which select rows and columns and fit a support vector machine."""
    graphs, y = mutag()
    K = mercer.Normalize(ALL[name]).gram([convert(g) for g in graphs])
    (scores,) = cross_validate_Kfold_SVM([[K]], y, n_iter=1, C_grid=[1.0, 10.0], random_state=0)
    assert np.mean(scores) > 0.67  # the larger class has 0.665
    picked = KMTransformer(K).fit(np.arange(10)).transform(np.arange(10, 15))
    np.testing.assert_array_equal(picked, K[10:15, :10])
