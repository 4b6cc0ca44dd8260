"""Kernels as people write them: Python functions, known matrices, powers, sums, widths, positions, lists of kernels."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import mercer

X, Y = load_iris(return_X_y=True)
X, Y = X[::3], Y[::3]


def inner(a, b):
    return float(np.dot(a, b))


def inners(A, B):
    return np.asarray(A) @ np.asarray(B).T


def overlap(a, b):
    return len(set(a) & set(b))


@pytest.mark.parametrize("made", [mercer.Function(inner), mercer.Function(inners, vectorized=True)])
def test_a_function_gives_the_values_of_the_engine(made):
    np.testing.assert_allclose(made.gram(X), mercer.Linear().gram(X))
    np.testing.assert_allclose(made.cross(X[:4], X), mercer.Linear().cross(X[:4], X))
    np.testing.assert_allclose(made.diagonal(X), (X * X).sum(axis=1))
    np.testing.assert_allclose(made.pairwise(X), mercer.Linear().pairwise(X), atol=1e-6)
    joined, own = 0.5 * made + mercer.RBF() * made, 0.5 * mercer.Linear() + mercer.RBF() * mercer.Linear()
    np.testing.assert_allclose(joined.gram(X), own.gram(X))
    np.testing.assert_allclose(joined.cross(X[:4], X), own.cross(X[:4], X))


def test_estimators_and_searches_take_functions():
    made, own = mercer.Function(inners, vectorized=True) + mercer.RBF(gamma=0.1), mercer.Linear() + mercer.RBF(gamma=0.1)
    a, b = mercer.SVC(kernel=made).fit(X, Y), mercer.SVC(kernel=own).fit(X, Y)
    np.testing.assert_allclose(a.decision_function(X[:7]), b.decision_function(X[:7]), atol=1e-6)
    ridge = mercer.KernelRidge(kernel=made).fit(X, X[:, 0])
    np.testing.assert_allclose(ridge.predict(X), mercer.KernelRidge(kernel=own).fit(X, X[:, 0]).predict(X), atol=1e-6)
    grid = {"C": [0.1, 1.0], "kernel__right__gamma": [0.01, 0.1]}
    for search in (GridSearchCV, mercer.GridSearch):
        theirs = search(mercer.SVC(kernel=made), grid, cv=3).fit(X, Y)
        ours = search(mercer.SVC(kernel=own), grid, cv=3).fit(X, Y)
        np.testing.assert_allclose(theirs.cv_results_["mean_test_score"], ours.cv_results_["mean_test_score"])
    # Different functions at the grid points of one search.
    grid = {"kernel__function": [inners, lambda A, B: np.ones((len(A), len(B)))]}
    found = mercer.GridSearch(mercer.SVC(kernel=mercer.Function(inners, vectorized=True)), grid, cv=3).fit(X, Y)
    assert found.cv_results_["mean_test_score"][0] > found.cv_results_["mean_test_score"][1] + 0.3


def test_weights_are_learned_for_functions_too():
    made = mercer.Mkl([mercer.Function(inner), mercer.RBF(gamma=0.1)])
    own = mercer.Mkl([mercer.Linear(), mercer.RBF(gamma=0.1)])
    a, b = mercer.SVC(kernel=made).fit(X, Y), mercer.SVC(kernel=own).fit(X, Y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-6)


def test_functions_of_other_objects_and_of_columns():
    words, y = ["spam", "span", "ham", "jam", "scan", "yam"], [1, 1, 0, 0, 1, 0]
    model = mercer.SVC(kernel=mercer.Function(overlap) + mercer.Spectrum(k=2)).fit(words, y)
    assert model.predict(["spas", "am"]).tolist() == [1, 0]
    table = pd.DataFrame({"word": words, "length": [float(len(w)) for w in words]})
    kernel = mercer.Function(overlap).on("word") + mercer.RBF().on("length")
    expected = mercer.Function(overlap).gram(words) + mercer.RBF().gram(table[["length"]])
    np.testing.assert_allclose(kernel.gram(table), expected)
    both = mercer.Function(lambda a, b: a["length"] * b["length"]).on("word", "length")
    np.testing.assert_allclose(both.gram(table), np.outer(table.length, table.length))
    assert mercer.SVC(kernel=kernel).fit(table, y).predict(table[:2]).tolist() == [1, 1]
    with pytest.raises(mercer.DataError, match="no column 'color'"):
        mercer.Function(overlap).on("color").gram(table)


def test_a_known_matrix_is_a_kernel_on_positions():
    K, at = X @ X.T, np.arange(len(X))[:, None]
    scores = cross_val_score(mercer.SVC(kernel=mercer.Gram(K)), at, Y, cv=3)
    np.testing.assert_array_equal(scores, cross_val_score(mercer.SVC(kernel=mercer.Linear()), X, Y, cv=3))
    joined = np.column_stack([at, X])
    kernel = mercer.Gram(K).on(0) * mercer.RBF().on(1, 2, 3, 4)
    np.testing.assert_allclose(kernel.gram(joined), K * mercer.RBF().gram(X))
    for wrong in (at + 1, at + 0.5, X):
        with pytest.raises(mercer.DataError, match="position"):
            mercer.Gram(K).gram(wrong)
    with pytest.raises(mercer.ParameterError, match="square"):
        mercer.Gram(X)


def test_functions_are_copied_pickled_compared_and_not_saved(tmp_path):
    kernel = mercer.Function(inner) + mercer.RBF()
    assert clone(kernel) == kernel != mercer.Function(overlap) + mercer.RBF()
    kernel.fit(X)
    expected = kernel.cross(X[:3])
    for again in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel), copy.copy(kernel)):
        np.testing.assert_array_equal(again.cross(X[:3]), expected)
    model = mercer.SVC(kernel=kernel).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    with pytest.raises(mercer.ParameterError, match="use pickle"):
        model.save(tmp_path / "model.mercer")
    kernel.set_params(left__function=inners, left__vectorized=True)
    with pytest.raises(mercer.ParameterError, match="not fitted"):
        kernel.cross(X[:3])


def test_wrong_functions_are_refused():
    with pytest.raises(mercer.ParameterError, match="function of two objects"):
        mercer.Function(3)
    with pytest.raises(mercer.DataError, match="vectorized=True"):
        mercer.Function(lambda a, b: np.ones(3)).gram(X)
    with pytest.raises(mercer.DataError, match=r"shape \(2, 2\), expected \(50, 50\)"):
        mercer.Function(lambda A, B: np.ones((2, 2)), vectorized=True).gram(X)
    with pytest.raises(ValueError, match="symmetric"):
        mercer.SVC(kernel=mercer.Function(lambda A, B: np.arange(2500.0).reshape(50, 50), vectorized=True)).fit(X, Y)


def test_arithmetic():
    k, m = mercer.RBF(), mercer.Linear()
    assert sum([k, m]) == k + m and sum([k]) == k
    np.testing.assert_allclose((k**3).gram(X), k.gram(X) ** 3)
    assert k**1 == k
    for wrong in (0, -1, 65):
        with pytest.raises(mercer.ParameterError, match="power"):
            k**wrong
    with pytest.raises(TypeError):
        k**0.5


def test_the_width_of_a_gaussian():
    assert mercer.RBF(sigma=2) == mercer.RBF(gamma=0.125) == mercer.RBF(length_scale=2.0)
    found = GridSearchCV(mercer.SVC(kernel=mercer.RBF()), {"kernel__sigma": [1e-3, 1.0]}, cv=3).fit(X, Y)
    assert found.best_estimator_.kernel.gamma == 0.5
    for wrong in ({"sigma": 0}, {"sigma": -1.0}, {"sigma": 1.0, "gamma": 1.0}, {"sigma": "wide"}):
        with pytest.raises(mercer.ParameterError):
            mercer.RBF(**wrong)
    with pytest.raises(TypeError):
        mercer.Linear(sigma=1.0)


def test_columns_by_position():
    kernel = mercer.RBF().on(0, 2) + mercer.Linear().on([1])
    expected = mercer.RBF().gram(X[:, [0, 2]]) + mercer.Linear().gram(X[:, [1]])
    frame = pd.DataFrame(X, columns=list("abcd"))
    for objects in (X, X.tolist(), frame):
        np.testing.assert_allclose(kernel.gram(objects), expected)
        model = mercer.SVC(kernel=kernel).fit(objects, Y)
        assert model.predict(objects[:1]).tolist() == [0]
    np.testing.assert_allclose((mercer.Linear() + mercer.Linear().on(0)).gram(X), X @ X.T + X[:, :1] @ X[:, :1].T)
    np.testing.assert_allclose((mercer.Linear().on("a") + mercer.Linear().on(0)).gram(frame), 2 * X[:, :1] @ X[:, :1].T)
    with pytest.raises(mercer.DataError, match="column '9'"):
        mercer.RBF().on(9).gram(X)


def test_parameters_inside_lists():
    made = mercer.Mkl([mercer.RBF(), mercer.Linear()])
    assert made.get_params()["kernels__0__gamma"] == 1.0
    assert made.set_params(kernels__0__gamma=3.0).kernels[0].gamma == 3.0
    assert made.set_params(kernels__1=mercer.Cosine()).kernels[1] == mercer.Cosine()
    grid = {"kernel__kernels__0__gamma": [1e-6, 0.5]}
    found = GridSearchCV(mercer.SVC(kernel=made), grid, cv=3).fit(X, Y)
    assert found.best_estimator_.kernel.kernels[0].gamma in (1e-6, 0.5)
    for wrong in ({"kernels__2__gamma": 1.0}, {"kernels__x": 1.0}, {"kernels__1__gamma": 1.0}, {"kernels__0__gamma": -1.0}):
        with pytest.raises(mercer.ParameterError):
            made.set_params(**wrong)


def test_kernels_with_features_are_transformers():
    phi = mercer.Nystrom(mercer.RBF(gamma=0.1), rank=20)
    pipe = make_pipeline(phi, mercer.LinearSVC()).fit(X, Y)
    assert pipe.score(X, Y) > 0.9
    assert len(pipe[0].get_feature_names_out()) == pipe[0].transform(X).shape[1] == 20
    words = mercer.Spectrum(k=2).fit(["abc", "bcd"])
    assert words.transform(["abcd"]).sum() == 3 and set(words.get_feature_names_out()) >= {"ab", "bc"}
    with pytest.raises(mercer.ParameterError):
        mercer.RBF().fit(X).transform(X)
