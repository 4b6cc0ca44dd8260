"""Low-rank kernels and models on their coordinates."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris

import mercer


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_all_objects_as_landmarks_give_the_exact_kernel(iris):
    X, _ = iris
    exact = mercer.RBF(gamma=0.3).gram(X)
    for landmarks in ("uniform", "leverage", "kmeans", "pivots", "random-pivots"):
        near = mercer.Nystrom(mercer.RBF(gamma=0.3), rank=150, landmarks=landmarks).gram(X)
        assert np.abs(near - exact).max() < 1e-5
        few = mercer.Nystrom(mercer.RBF(gamma=0.3), rank=10, landmarks=landmarks).gram(X)
        # The residual is positive semidefinite.
        assert np.linalg.eigvalsh(exact - few).min() > -1e-5


def test_random_features_approximate_the_kernel(iris):
    X = iris[0] / 4
    exact = mercer.RBF(gamma=0.5).gram(X)
    for of in ("rbf", "rbf-fast"):
        near = mercer.Fourier(gamma=0.5, features=4000, of=of).gram(X)
        assert np.abs(near - exact).max() < 0.1
    exact = mercer.Polynomial(degree=2, c=1.0).gram(X)
    near = mercer.TensorSketch(degree=2, c=1.0, features=4096).gram(X)
    assert np.abs(near - exact).max() < 0.2 * exact.max()


def test_models_on_coordinates(iris, tmp_path):
    X, y = iris
    kernel = mercer.Standardize(mercer.Nystrom(mercer.RBF(gamma=0.25), rank=40))
    linear = mercer.LinearSVC(C=10.0, kernel=kernel).fit(X, y)
    assert linear.score(X, y) > 0.95
    ridge = mercer.KernelRidgeClassifier(alpha=0.01, kernel=kernel).fit(X, y)
    assert ridge.score(X, y) > 0.95 and ridge.coef_.shape[0] == 3
    number = mercer.KernelRidge(alpha=0.01, kernel=kernel).fit(X[:, :3], X[:, 3])
    assert number.score(X[:, :3], X[:, 3]) > 0.9
    plane = mercer.KernelPCA(n_components=2, kernel=kernel).fit(X)
    assert plane.transform(X).shape == (150, 2)
    assert np.allclose(plane.transform(X).mean(axis=0), 0, atol=1e-5)
    for model, objects in ((linear, X), (ridge, X), (number, X[:, :3])):
        model.save(tmp_path / "m.mercer")
        again = mercer.load(tmp_path / "m.mercer")
        assert np.array_equal(np.asarray(again.predict(objects)), np.asarray(model.predict(objects)))


def test_ridge_on_landmarks(iris):
    X, _ = iris
    exact = mercer.KernelRidge(alpha=0.1, kernel=mercer.RBF(gamma=0.3)).fit(X[:, :3], X[:, 3])
    few = mercer.KernelRidge(alpha=0.1, kernel=mercer.RBF(gamma=0.3), landmarks=60, random_state=1).fit(X[:, :3], X[:, 3])
    assert few.dual_coef_.shape == (60,)
    assert np.abs(few.predict(X[:, :3]) - exact.predict(X[:, :3])).max() < 0.1


def test_classifiers_on_landmarks(iris, tmp_path):
    X, y = iris
    kernel = mercer.Standardize(mercer.RBF(gamma=0.25))
    few = mercer.LandmarkSVC(C=10.0, kernel=kernel, landmarks=60, random_state=1).fit(X, y)
    assert few.score(X, y) > 0.95 and few.dual_coef_.shape == (3, 60) and len(few.support_) == 60
    assert all(one["stop"] == "converged" for one in few.certificate_.values())
    few.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert isinstance(again, mercer.LandmarkSVC) and again.landmarks == 60
    assert np.array_equal(again.decision_function(X), few.decision_function(X))
    two = y > 0
    doubled = mercer.LandmarkSVC(kernel=kernel, landmarks=150).fit(X, two, sample_weight=np.full(150, 2.0))
    costly = mercer.LandmarkSVC(C=2.0, kernel=kernel, landmarks=150).fit(X, two)
    assert np.allclose(doubled.decision_function(X), costly.decision_function(X), atol=1e-6)
    with pytest.raises(mercer.ParameterError):
        mercer.LandmarkSVC(landmarks=0).fit(X, y)


def test_searches_of_linear_models(iris):
    X, y = iris
    search = mercer.GridSearch(
        mercer.LinearSVC(kernel=mercer.Nystrom(mercer.RBF(gamma=0.1), rank=30)), {"C": [0.1, 10.0], "kernel__kernel__gamma": [0.05, 0.5]}, cv=3
    ).fit(X, y)
    assert search.best_score_ > 0.9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mercer.DataWarning)
        found = mercer.evaluate(X, y, "nystrom(rbf(gamma=0.3), rank=[5, 40])", "linear-svc(C=10)", protocol="3-fold")
    assert found.mean > 0.9
    shown = found.document["figures"]["approximation"]
    assert shown["exact"] == "rbf(gamma=0.3)" and shown["exact_score"] > 0.9 and 0 <= shown["trace_error"] < 0.5


def test_invalid_kernels_are_refused(iris):
    X, y = iris
    with pytest.raises(mercer.ParameterError, match="nystrom"):
        mercer.LinearSVC(kernel=mercer.RBF(gamma=1.0)).fit(X, y)
    with pytest.raises(mercer.NotPositiveDefinite):
        mercer.Nystrom(mercer.Sigmoid(gamma=1.0, c=-2.0), rank=50).gram(X - X.mean(axis=0))


def test_explicit_features(tmp_path):
    rng = np.random.default_rng(4)
    words = ["".join(rng.choice(list("acgt"), 30)) for _ in range(120)]
    y = np.array(["yes" if "ac" in w[:15] else "no" for w in words])
    inner = mercer.Normalize(mercer.Spectrum(k=3))
    kernel = mercer.Explicit(inner)
    exact, found = inner.gram(words), kernel.gram(words)
    assert np.abs(exact - found).max() < 1e-14
    model = mercer.LinearSVC(C=10.0, kernel=kernel).fit(words[:80], y[:80])
    assert model.coef_.shape[1] <= 64
    model.save(tmp_path / "words.mercer")
    again = mercer.load(tmp_path / "words.mercer")
    assert np.array_equal(np.asarray(again.predict(words)), np.asarray(model.predict(words)))
    search = mercer.GridSearch(mercer.LinearSVC(kernel=kernel), {"C": [1.0, 10.0], "kernel__kernel__kernel__k": [2, 3]}, cv=3).fit(words, y)
    assert 0.4 < search.best_score_ <= 1.0
    with pytest.raises(mercer.ParameterError, match="explicit features"):
        mercer.Explicit(mercer.RBF(gamma=1.0)).gram(np.ones((3, 2)))
    with pytest.raises(mercer.ParameterError, match="explicit"):
        mercer.LinearSVC(kernel=inner).fit(words, y)
