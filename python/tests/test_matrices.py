"""Operations on Gram matrices, tree kernels and node columns: SPEC A8, B7, D2, D3, D5d, D5e and D11."""

import subprocess

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse

import mercer

POINTS = np.array([[5.9, 3], [6.9, 3.1], [6.6, 2.9], [4.6, 3.2], [6, 2.2]])


def laplacian(graph):
    return nx.laplacian_matrix(graph).toarray().astype(float)


# ---------------------------------------------------------------------- A8


@pytest.mark.parametrize("p", [1, 2, 3, 8])
def test_transitions_are_powers_of_probabilities(p):
    K = mercer.RBF(gamma=0.4).gram(np.random.default_rng(0).standard_normal((25, 3)))
    P = K / K.sum(axis=1, keepdims=True)
    found = mercer.transitions(K, p)
    np.testing.assert_allclose(found, np.linalg.matrix_power(P, p), rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert not np.allclose(found, found.T)


def test_invalid_transitions_are_refused():
    np.testing.assert_array_equal(mercer.transitions([[0.0, 0.0], [0.0, 2.0]], 3), [[0.0, 0.0], [0.0, 1.0]])
    with pytest.raises(mercer.MercerError, match="negative"):
        mercer.transitions([[2.0, -1.0], [-1.0, 2.0]])
    for bad in (0, -1, 1.5, True):
        with pytest.raises(mercer.ParameterError):
            mercer.transitions([[1.0]], bad)


# ---------------------------------------------------------------------- B7


def test_mean_and_variance_in_feature_space():
    certificate = mercer.certify(POINTS @ POINTS.T)
    # The mean of the points is (6, 2.88).
    assert certificate.squared_norm_of_mean == pytest.approx(36 + 2.88**2)
    assert certificate.total_variance == pytest.approx(((POINTS - POINTS.mean(axis=0)) ** 2).sum(axis=1).mean())
    assert certificate["total_variance"] == pytest.approx(0.7536)
    X = np.random.default_rng(1).standard_normal((40, 5))
    K = mercer.RBF(gamma=0.2).gram(X)
    certificate = mercer.certify(K)
    assert certificate.squared_norm_of_mean == pytest.approx(K.mean())
    assert certificate.total_variance == pytest.approx(np.trace(K) / 40 - K.mean())


# ---------------------------------------------------------------------- D2, D3


def test_diffusion_on_a_product_of_graphs_is_a_product():
    path, ring = nx.path_graph(4), nx.cycle_graph(5)
    kernel = mercer.NodeDiffusion(beta=0.6)
    both = mercer.tensor(kernel.gram(path), kernel.gram(ring))
    generator = np.kron(laplacian(path), np.eye(5)) + np.kron(np.eye(4), laplacian(ring))
    np.testing.assert_allclose(both, linalg.expm(-0.6 * generator), atol=1e-12)
    product = nx.cartesian_product(path, ring)
    np.testing.assert_allclose(both, kernel.gram(product), atol=1e-12)


def test_conjugation():
    rng = np.random.default_rng(2)
    K = mercer.RBF(gamma=1.0).gram(rng.standard_normal((6, 2)))
    T = rng.standard_normal((6, 3))
    found = mercer.conjugate(K, T)
    np.testing.assert_allclose(found, T.T @ K @ T, rtol=1e-12)
    np.testing.assert_array_equal(found, found.T)
    assert mercer.certify(found).verdict == "positive-definite"
    with pytest.raises(mercer.MercerError, match="6 rows"):
        mercer.conjugate(K, np.ones((5, 2)))
    with pytest.raises(mercer.MercerError):
        mercer.conjugate(K[:, :5], T)
    for bad in (np.ones((2, 3)), np.full((2, 2), np.nan)):
        with pytest.raises(mercer.MercerError):
            mercer.tensor(K, bad)


def test_the_program_writes_the_same_products(program, tmp_path):
    rng = np.random.default_rng(3)
    X, Y, T = rng.standard_normal((4, 2)), rng.standard_normal((3, 2)), rng.standard_normal((12, 2))
    K, L = mercer.RBF(gamma=0.5).gram(X), mercer.RBF(gamma=2.0).gram(Y)
    for name, values in (("x", X), ("L", L), ("T", T)):
        np.save(tmp_path / f"{name}.npy", values)
    run = [program, "gram", "x.npy", "-k", "rbf(gamma=0.5)", "-q"]
    subprocess.run([*run, "--tensor", "L.npy", "-o", "KL.npy"], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "KL.npy"), mercer.tensor(K, L))
    subprocess.run([*run, "--tensor", "L.npy", "--conjugate", "T.npy", "-o", "M.npy"], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "M.npy"), mercer.conjugate(np.kron(K, L), T))
    subprocess.run([*run, "--transitions", "3", "-o", "P.npy"], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "P.npy"), mercer.transitions(K, 3))


# ---------------------------------------------------------------------- D5d, D5e


def test_regular_trees_have_the_published_values():
    # Vertices of the tree of degree 3: 1; 2, 3, 4; then two more for each.
    found = mercer.RegularTree(k=3, beta=0.7).gram([[1.0], [2.0], [5.0], [11.0]])[0]
    np.testing.assert_allclose(found, [0.2326773852, 0.1260741789, 0.0395757987, 0.0086892477], atol=1e-10)
    found = mercer.RegularTree(k=4, beta=0.3).gram([[1.0], [2.0]])[0]
    np.testing.assert_allclose(found, [0.3583272410, 0.1002065511], atol=1e-10)


def test_rooted_binary_trees_have_the_published_values():
    K = mercer.BinaryTree(beta=0.7).gram([[1.0], [2.0], [3.0]])
    np.testing.assert_allclose([K[0, 0], K[0, 1], K[1, 1]], [0.358751564, 0.165649978, 0.241366633], atol=1e-9)


def test_trees_are_limits_of_finite_ones():
    beta, k = 0.5, 4
    # A tree of five levels; the effect of its boundary on the centre is below 1e-6.
    graph, level, count = nx.Graph(), [1], 1
    for depth in range(6):
        below = []
        for vertex in level:
            for _ in range(k if depth == 0 else k - 1):
                count += 1
                graph.add_edge(vertex, count)
                below.append(count)
        level = below
    order = sorted(graph.nodes)
    A = nx.to_scipy_sparse_array(graph, nodelist=order)
    L = (sparse.diags_array(A.sum(axis=1)) - A).tocsc()
    start = np.zeros((len(order), 3))
    start[[0, 1, 2], [0, 1, 2]] = 1.0
    heat = sparse.linalg.expm_multiply(-beta * L, start)[:17]
    ours = mercer.RegularTree(k=k, beta=beta).cross(np.arange(1.0, 18.0)[:, None], [[1.0], [2.0], [3.0]])
    np.testing.assert_allclose(ours, heat, atol=2e-5)
    np.testing.assert_allclose(ours[:, 0], heat[:, 0], atol=1e-6)


def test_trees_take_whole_numbers_of_at_least_1():
    for kernel in (mercer.RegularTree(), mercer.BinaryTree()):
        for bad in (0.0, -1.0, 0.5):
            with pytest.raises(mercer.DataError, match="not a vertex"):
                kernel.gram([[1.0], [bad]])
    X = np.random.default_rng(4).integers(1, 60, (30, 2)).astype(float)
    assert mercer.certify(mercer.BinaryTree(beta=2.0).gram(X)).lambda_min > -1e-15
    np.testing.assert_allclose(np.diag(mercer.Normalize(mercer.BinaryTree()).gram(X)), 1.0)


# ---------------------------------------------------------------------- D11


def test_columns_of_chosen_nodes():
    graph = nx.karate_club_graph()
    graph = nx.Graph(graph.edges)  # without weights
    kernel = mercer.NodeDiffusion(beta=0.4)
    whole = linalg.expm(-0.4 * laplacian(graph))
    order = list(graph.nodes)
    columns, bound = kernel.node_columns(graph, [33, 0, 5], return_bound=True)
    np.testing.assert_allclose(columns, whole[:, [order.index(v) for v in (33, 0, 5)]], atol=1e-12)
    assert 0 <= bound < 1e-9
    np.testing.assert_allclose(columns, kernel.gram(graph)[:, [order.index(v) for v in (33, 0, 5)]], atol=1e-12)
    # By index, from a matrix, for some of the nodes.
    A = nx.to_scipy_sparse_array(graph)
    np.testing.assert_array_equal(kernel.node_columns(A, [2]), kernel.node_columns(mercer.Nodes(A), 2))
    np.testing.assert_array_equal(kernel.node_columns(mercer.Nodes(A)[:4], [2]), kernel.node_columns(A, [2])[:4])


def test_columns_of_nodes_by_name():
    path = nx.Graph([("a", "b"), ("b", "c")])
    found = mercer.NodeDiffusion(beta=1.0).node_columns(path, ["c"])
    np.testing.assert_allclose(found[:, 0], linalg.expm(-laplacian(path))[:, 2], atol=1e-12)
    with pytest.raises(mercer.ParameterError, match="node of the graph"):
        mercer.NodeDiffusion().node_columns(path, ["z"])
    A = nx.to_scipy_sparse_array(path)
    for bad in (3, -1, "a"):
        with pytest.raises(mercer.MercerError):
            mercer.NodeDiffusion().node_columns(A, [bad])
    with pytest.raises(mercer.MercerError, match="single kernel between nodes"):
        (mercer.NodeDiffusion() + mercer.NodePower()).node_columns(A, [0])


def test_columns_of_a_graph_too_large_for_a_matrix():
    A = mercer.datasets.make_power_law(50_000, joins=2, random_state=1)
    column, bound = mercer.NodeDiffusion(beta=0.2).node_columns(A, [17], return_bound=True)
    L = (sparse.diags_array(A.sum(axis=1)) - A).tocsc()
    start = np.zeros(50_000)
    start[17] = 1.0
    assert np.abs(column[:, 0] - sparse.linalg.expm_multiply(-0.2 * L, start)).max() < 1e-8 + bound
    assert column.sum() == pytest.approx(1.0, abs=1e-6)
