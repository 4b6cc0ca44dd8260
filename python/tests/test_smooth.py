"""Kernels on attributes of nodes, smoothed over the graph."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import mercer

RNG = np.random.default_rng(3)
N, TRAIN = 30, np.arange(0, 30, 3)


def ring(n=N):
    """A ring with some chords, as a sparse matrix of weights."""
    edges = [(i, (i + 1) % n) for i in range(n)] + [(i, (i * 7) % n) for i in range(0, n, 5) if i != (i * 7) % n]
    rows, cols = np.array(edges).T
    half = sparse.coo_array((np.ones(len(edges)), (rows, cols)), shape=(n, n)).tocsr()
    return ((half + half.T) > 0).astype(float)


WORDS = sparse.random_array((N, 12), density=0.3, random_state=5).tocsr()
CLASSES = np.where(np.arange(N) < N // 2, "a", "b")


def adjacency(loops=1.0):
    a = ring().toarray() + loops * np.eye(N)
    d = a.sum(1)
    return a / np.sqrt(d[:, None] * d[None])


def table():
    return mercer.Records({"node": mercer.Nodes(ring()), "words": WORDS})


@pytest.mark.parametrize(
    "settings, smoother",
    [
        ({"p": 3}, lambda: np.linalg.matrix_power(adjacency(), 3)),
        ({"by": "pagerank", "alpha": 0.7, "loops": 0}, lambda: 0.3 * np.linalg.inv(np.eye(N) - 0.7 * adjacency(0))),
    ],
)
@pytest.mark.parametrize("inner", [mercer.Linear(), mercer.RBF(gamma=0.4)])
def test_values_are_those_of_dense_matrices(settings, smoother, inner):
    s, k = smoother(), inner.gram(WORDS)
    found = mercer.Smooth(inner, **settings).gram(table())
    np.testing.assert_allclose(found, s @ k @ s.T, rtol=1e-12, atol=1e-13)


def test_a_model_of_some_nodes_predicts_the_others():
    nodes = table()
    kernel = mercer.Smooth(mercer.Normalize(mercer.Linear()).on("words"), by="heat", beta=2.0)
    with pytest.warns(UserWarning, match="W_TRANSDUCTIVE"):
        model = mercer.SVC(C=10, kernel=kernel).fit(nodes[TRAIN], CLASSES[TRAIN])
    others = np.setdiff1d(np.arange(N), TRAIN)
    found = model.decision_function(nodes[others])
    # By the matrix between all nodes.
    gram = kernel.gram(nodes)
    plain = mercer.SVC(C=10, kernel="precomputed").fit(gram[np.ix_(TRAIN, TRAIN)], CLASSES[TRAIN])
    np.testing.assert_allclose(found, plain.decision_function(gram[np.ix_(others, TRAIN)]), atol=1e-6)
    # The model knows the words of all nodes: those to be predicted need no columns but the node.
    alone = mercer.Records({"node": mercer.Nodes(ring())})
    np.testing.assert_array_equal(model.decision_function(alone[others]), found)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(nodes[others]), found)


def test_linear_models_use_smoothed_features():
    nodes = table()
    model = mercer.LinearSVC(C=1.0, kernel=mercer.Smooth(mercer.Linear(), p=2)).fit(nodes[TRAIN], CLASSES[TRAIN])
    assert set(model.predict(nodes)) <= {"a", "b"}


def grown():
    """The ring with two more nodes, and their words."""
    edges = sparse.coo_array(([1.0, 1.0, 1.0], ([30, 30, 31], [2, 3, 20])), shape=(32, 32)).tocsr()
    larger = sparse.block_array([[ring(), None], [None, sparse.coo_array((2, 2))]]).tocsr() + edges + edges.T
    return larger, sparse.vstack([WORDS, WORDS[[2, 20]]]).tocsr()


def test_new_nodes_are_predicted_from_their_own_words():
    larger, words = grown()
    new = mercer.Records({"node": mercer.Nodes(larger), "words": words})
    kernel = mercer.Smooth(mercer.Linear(), p=2)
    found = kernel.fit(table()).cross(new[[30, 31]], table())

    def smoother(weights):
        a = weights.toarray() + np.eye(weights.shape[0])
        d = a.sum(1)
        a /= np.sqrt(d[:, None] * d[None])
        return a @ a

    expected = (smoother(larger) @ words.toarray())[[30, 31]] @ (smoother(ring()) @ WORDS.toarray()).T
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    nodes = table()
    model = mercer.SVC(C=10, kernel=kernel).fit(nodes[TRAIN], CLASSES[TRAIN])
    assert model.predict(new[[30, 31]]).shape == (2,)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(new[[30, 31]]), model.decision_function(new[[30, 31]]))
    without = mercer.SVC(kernel=mercer.Smooth(mercer.RBF())).fit(nodes[TRAIN], CLASSES[TRAIN])
    with pytest.raises(mercer.DataError, match="no explicit features"):
        without.predict(new[[30, 31]])


def test_predictions_are_explained_by_words_around_a_node():
    nodes = table()
    model = mercer.SVC(C=10, kernel=mercer.Smooth(mercer.Linear(), p=2)).fit(nodes[TRAIN], CLASSES[TRAIN])
    for why, value in zip(model.explain(nodes[:4], n_features=12), model.decision_function(nodes[:4])):
        total = why.offset + sum(part["amount"] for part in why.features) + why.rest
        assert abs(abs(total) - abs(value)) < 1e-9
        assert all("words" in part["feature"] for part in why.features)


def test_nodes_without_attributes_are_refused():
    nodes = mercer.Nodes(ring())
    with pytest.raises(mercer.DataError, match="no attributes"):
        mercer.Smooth(mercer.Linear()).gram(mercer.Records({"node": nodes}))
    few = mercer.Records({"node": nodes[:5], "words": WORDS[:5]})
    with pytest.raises(mercer.DataError, match="node '5' has 0 rows"):
        mercer.Smooth(mercer.Linear()).gram(few)
    with pytest.raises(mercer.DataError, match="nodes"):
        mercer.Smooth(mercer.Linear()).gram(WORDS)
    with pytest.raises(mercer.DataError, match="wörter"):
        mercer.Smooth(mercer.Linear().on("wörter")).gram(table())


def test_other_attributes_and_graphs_are_refused():
    fitted = mercer.Smooth(mercer.Linear()).fit(table())
    other = mercer.Records({"node": mercer.Nodes(ring()), "words": 2 * WORDS})
    with pytest.raises(mercer.DataError, match="attributes"):
        fitted.gram(other)
    larger = sparse.block_array([[ring(), None], [None, np.zeros((1, 1))]])
    with pytest.raises(mercer.DataError, match="another graph"):
        fitted.gram(mercer.Records({"node": mercer.Nodes(larger)}))


@pytest.mark.parametrize("settings, bound", [({"p": 0}, "1 to 64"), ({"by": "pagerank", "alpha": 1.0}, "below 1"), ({"beta": 0}, "above 0")])
def test_parameters_outside_their_domain_are_refused(settings, bound):
    with pytest.raises(mercer.ParameterError, match=bound):
        mercer.Smooth(mercer.Linear(), **settings).gram(table())
