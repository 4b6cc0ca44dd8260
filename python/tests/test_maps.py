"""Feature maps (SPEC A7 and B5), compared with NumPy and with the program."""

import pickle
import subprocess

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import mercer

#: Five points of the chapter on kernel methods, and the first row of their linear Gram matrix.
POINTS = np.array([[5.9, 3], [6.9, 3.1], [6.6, 2.9], [4.6, 3.2], [6, 2.2]])
ROW = [43.81, 50.01, 47.64, 36.74, 42.00]


@pytest.fixture
def X():
    return np.random.default_rng(5).standard_normal((30, 4))


@pytest.fixture
def new():
    return np.random.default_rng(6).standard_normal((7, 4))


def powers(K, exponent):
    values, vectors = np.linalg.eigh(K)
    values = np.where(values > 1e-12 * values.max(), values, np.inf if exponent < 0 else 0.0)
    return (vectors * values**exponent) @ vectors.T


@pytest.mark.parametrize("kind", ["mercer", "empirical"])
def test_dot_products_give_the_gram_matrix(kind):
    phi = mercer.FeatureMap("linear", kind=kind).fit(POINTS)
    K = phi.embedding_ @ phi.embedding_.T
    np.testing.assert_allclose(K[0], ROW, atol=1e-9)
    np.testing.assert_allclose(K, POINTS @ POINTS.T, atol=1e-10)
    assert phi.eigenvalues_.shape == (2,)
    assert phi.embedding_.shape == (5, 2 if kind == "mercer" else 5)
    # A point in the span keeps its similarities to all training points.
    other = np.array([[1.0, -2.0]])
    np.testing.assert_allclose(phi.transform(other) @ phi.embedding_.T, other @ POINTS.T, atol=1e-9)


def test_the_formulas_of_both_maps(X, new):
    kernel = mercer.RBF(gamma=0.3)
    K, cross = kernel.gram(X), kernel.cross(new, X)
    empirical = mercer.FeatureMap(kernel, kind="empirical").fit(X)
    np.testing.assert_allclose(empirical.embedding_, powers(K, 0.5), atol=1e-10)
    np.testing.assert_allclose(empirical.transform(new), cross @ powers(K, -0.5), atol=1e-8)
    both = mercer.FeatureMap(kernel).fit(X)
    values, vectors = np.linalg.eigh(K)
    np.testing.assert_allclose(both.eigenvalues_, values[::-1], rtol=1e-9, atol=1e-12)
    # The sign of eigenvectors is arbitrary.
    expected = np.abs(np.sqrt(values[::-1]) * vectors[:, ::-1])
    np.testing.assert_allclose(np.abs(both.embedding_), expected, atol=1e-7)
    np.testing.assert_allclose(both.transform(X), both.embedding_, atol=1e-8)


def test_rank_and_tolerance(X):
    full = mercer.FeatureMap("rbf", gamma=0.3).fit(X)
    cut = mercer.FeatureMap("rbf", gamma=0.3, rank=3).fit(X)
    np.testing.assert_allclose(np.abs(cut.embedding_), np.abs(full.embedding_[:, :3]), atol=1e-12)
    assert mercer.FeatureMap("rbf", gamma=0.3, tol=0.5).fit(X).transform(X).shape[1] < full.embedding_.shape[1]
    assert list(cut.get_feature_names_out()) == ["featuremap0", "featuremap1", "featuremap2"]
    for bad in ({"rank": 0}, {"rank": 1.5}, {"tol": 1.0}, {"kind": "other"}):
        with pytest.raises(mercer.ParameterError):
            mercer.FeatureMap("linear", **bad).fit(X)


def test_an_indefinite_similarity_has_no_coordinates():
    with pytest.raises(mercer.MercerError, match="E_K_PSD"):
        mercer.FeatureMap("precomputed").fit([[1.0, 2.0], [2.0, 1.0]])


def test_fitted_kernels_other_objects_and_pickles(X, new):
    phi = mercer.FeatureMap(mercer.Center(mercer.Standardize(mercer.RBF(gamma=0.5))), rank=5).fit(X)
    again = pickle.loads(pickle.dumps(phi))
    np.testing.assert_array_equal(again.transform(new), phi.transform(new))
    words = ["abba", "baba", "abab", "bbbb", "aaab"]
    kernel = mercer.Spectrum(k=2)
    coordinates = mercer.FeatureMap(kernel).fit(words).transform(words)
    np.testing.assert_allclose(coordinates @ coordinates.T, kernel.gram(words), atol=1e-9)
    K = kernel.gram(words)
    np.testing.assert_allclose(
        np.abs(mercer.FeatureMap("precomputed").fit(K).transform(K)), np.abs(coordinates), atol=1e-9
    )


def test_in_a_pipeline(two_classes):
    X, y = two_classes
    found = make_pipeline(mercer.FeatureMap("rbf", gamma=0.5, rank=20), LinearSVC()).fit(X, y)
    assert found.score(X, y) > 0.85


@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_the_walk_as_a_map(p, X, new):
    centred = X - X.mean(axis=0)
    W = centred @ centred.T
    walked = np.linalg.matrix_power(W, p)
    plain = mercer.WalkMap(p=p, scale="none").fit(X)
    Z = plain.transform(X)
    np.testing.assert_allclose(Z @ Z.T, walked, rtol=1e-9, atol=1e-9 * walked.max())
    # New objects: c·W^(p-1).
    cross = (new - X.mean(axis=0)) @ centred.T @ np.linalg.matrix_power(W, p - 1)
    np.testing.assert_allclose(plain.transform(new) @ Z.T, cross, rtol=1e-9, atol=1e-9 * np.abs(cross).max())
    scaled = mercer.WalkMap(p=p).fit(X)
    assert scaled.radius_ == pytest.approx(np.linalg.eigvalsh(W)[-1], rel=1e-12)
    S = scaled.transform(X)
    np.testing.assert_allclose(S @ S.T, walked / scaled.radius_ ** (p - 1), rtol=1e-9, atol=1e-9 * W.max())
    # It is the kernel walk over centred inner products.
    kernel = mercer.kernel(f"walk(center(linear), p={p})")
    np.testing.assert_allclose(S @ S.T, kernel.gram(X), rtol=1e-8, atol=1e-8 * W.max())


def test_invalid_walk_maps_are_refused(X):
    for bad in ({"p": 0}, {"p": 2.5}, {"scale": "half"}):
        with pytest.raises(mercer.ParameterError):
            mercer.WalkMap(**bad).fit(X)


@pytest.mark.parametrize("options", ["--kind walk --steps 3", "--kind walk --steps 3 --scale none", "--kind empirical"])
def test_the_program_writes_the_same(options, X, new, program, tmp_path):
    for name, values in (("x.npy", X), ("new.npy", new)):
        np.save(tmp_path / name, values)
    command = [program, "map", "x.npy", "-k", "linear", "--new", "new.npy", "-o", "z.npy", "-q", *options.split()]
    subprocess.run(command, cwd=tmp_path, check=True)
    if "empirical" in options:
        ours = mercer.FeatureMap("linear", kind="empirical").fit(X).transform(new)
    else:
        ours = mercer.WalkMap(p=3, scale="none" if "none" in options else "radius").fit(X).transform(new)
    np.testing.assert_allclose(np.load(tmp_path / "z.npy"), ours, rtol=1e-10, atol=1e-10 * np.abs(ours).max())
