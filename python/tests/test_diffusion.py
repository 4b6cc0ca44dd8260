"""Diffusion kernels on categorical records and node kernels, compared with NumPy."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import expm

import mercer

RANDOM = np.random.default_rng(3)
RECORDS = np.array([[str(v) for v in row] for row in RANDOM.integers(0, [2, 3, 5, 4], (30, 4))], dtype=object)


def diffusion(T, beta):
    K = np.ones((len(T), len(T)))
    for column in T.T:
        a = len(set(column))
        r = (1 - np.exp(-a * beta)) / (1 + (a - 1) * np.exp(-a * beta))
        K *= np.where(column[:, None] == column[None, :], 1.0, r)
    return K


class TestRecords:
    def test_values(self):
        assert np.allclose(mercer.CategoricalDiffusion(beta=0.3).gram(RECORDS), diffusion(RECORDS, 0.3), atol=1e-14)
        differ = (RECORDS[:, None, :] != RECORDS[None, :, :]).sum(axis=2)
        assert np.allclose(mercer.HypercubeDiffusion(beta=0.4).gram(RECORDS), np.tanh(0.4) ** differ, atol=1e-14)
        assert np.array_equal(mercer.Hamming().gram(RECORDS), (4 - differ) / 4)

    def test_numbers_may_be_codes(self):
        codes = RECORDS.astype(int)
        assert np.array_equal(mercer.Hamming().gram(codes), mercer.Hamming().gram(RECORDS))

    def test_missing_values(self):
        T = np.array([["a"], [None], [None]], dtype=object)
        own = mercer.CategoricalDiffusion(beta=0.2).gram(T)
        assert own[1, 2] == 1.0 and own[0, 1] == pytest.approx(np.tanh(0.2))
        assert mercer.CategoricalDiffusion(beta=0.2, missing="differs").gram(T)[1, 2] < 1.0
        with pytest.raises(mercer.MercerError):
            mercer.CategoricalDiffusion(missing="refuse").gram(T)

    def test_the_number_of_categories_is_that_of_the_training_objects(self):
        k = mercer.CategoricalDiffusion(beta=0.3).fit(RECORDS)
        assert np.allclose(k.cross(RECORDS[:3], RECORDS), diffusion(RECORDS, 0.3)[:3], atol=1e-14)
        unseen = k.cross(np.array([["x", "y", "z", "w"]], dtype=object), RECORDS)
        assert np.allclose(unseen, unseen[0, 0])

    def test_models(self):
        y = np.where(RECORDS[:, 0] == "0", "no", "yes")
        model = mercer.SVC(kernel=mercer.CategoricalDiffusion(beta=0.2), C=10.0).fit(RECORDS, y)
        again = pickle.loads(pickle.dumps(model))
        assert model.score(RECORDS, y) > 0.9 and list(again.predict(RECORDS)) == list(model.predict(RECORDS))


EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5)]


def laplacian(edges, n):
    A = np.zeros((n, n))
    for a, b in edges:
        A[a, b] = A[b, a] = 1.0
    return np.diag(A.sum(axis=1)) - A


@pytest.mark.filterwarnings("ignore:W_TRANSDUCTIVE")
class TestNodes:
    L = laplacian(EDGES, 6)
    graph = (EDGES, list("abcdef"))

    def test_values(self):
        assert np.allclose(mercer.NodeDiffusion(beta=0.5).gram(self.graph), expm(-0.5 * self.L), atol=1e-13)
        inverse = np.linalg.inv(np.eye(6) + 0.7 * self.L)
        assert np.allclose(mercer.RegularizedLaplacian(beta=0.7).gram(self.graph), inverse, atol=1e-13)
        assert np.allclose(mercer.CommuteTime().gram(self.graph), np.linalg.pinv(self.L), atol=1e-12)
        A = np.diag(self.L.diagonal()) - self.L
        assert np.allclose(mercer.NodePower(l=3).gram(self.graph), np.linalg.matrix_power(A, 3), atol=1e-12)
        neumann = mercer.VonNeumann(beta=0.2, base="adjacency").gram(self.graph)
        assert np.allclose(neumann, np.linalg.inv(np.eye(6) - 0.2 * A), atol=1e-12)

    def test_input_formats(self):
        nx = pytest.importorskip("networkx")
        expected = mercer.NodeDiffusion(beta=0.5).gram(self.graph)
        A = sparse.csr_array(np.diag(self.L.diagonal()) - self.L)
        graph = nx.Graph(EDGES)
        order = [list(graph.nodes).index(i) for i in range(6)]
        assert np.array_equal(mercer.NodeDiffusion(beta=0.5).gram(A), expected)
        assert np.allclose(mercer.NodeDiffusion(beta=0.5).gram(graph)[np.ix_(order, order)], expected, atol=1e-14)

    def test_divergence_is_refused_with_the_bound(self):
        with pytest.raises(mercer.MercerError, match="E_DIVERGE"):
            mercer.VonNeumann(beta=0.9, base="adjacency").gram(self.graph)

    def test_some_nodes(self):
        nodes = mercer.Nodes(self.graph)
        k = mercer.NodeDiffusion(beta=0.5)
        whole = k.gram(nodes)
        assert np.array_equal(k.cross(nodes[[4, 5]], nodes[[0, 1, 2]]), whole[4:, :3])
        model = mercer.SVC(kernel=k, C=10.0).fit(nodes[[0, 2, 4, 5]], ["l", "l", "r", "r"])
        assert list(model.predict(nodes[[1, 3]])) == ["l", "l"]
        assert np.array_equal(pickle.loads(pickle.dumps(nodes))[[1]]._data.to_bytes(), nodes[[1]]._data.to_bytes())

    def test_invalid_graphs(self):
        with pytest.raises(mercer.DataError):
            mercer.NodeDiffusion().gram([1, 2, 3])
        with pytest.raises(mercer.DataError):
            mercer.Nodes(sparse.csr_array((2, 3)))
