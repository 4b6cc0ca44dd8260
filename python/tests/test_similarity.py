"""Distances, and kernels that combine several: similarity, multiple kernel learning, late fusion."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import mercer


@pytest.fixture
def points():
    return np.random.default_rng(3).normal(size=(30, 4))


@pytest.fixture
def series():
    """Early or late bumps of different lengths."""
    rng = np.random.default_rng(5)
    classes = np.arange(40) % 2
    curves = []
    for c in classes:
        t = np.arange(rng.integers(20, 30))
        curves.append(np.exp(-((t - (5 + 8 * c)) ** 2) / 6) + 0.05 * rng.normal(size=len(t)))
    return curves, classes


def naive_dtw(a, b):
    cost = np.full((len(a) + 1, len(b) + 1), np.inf)
    cost[0, 0] = 0
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            cost[i + 1, j + 1] = (x - y) ** 2 + min(cost[i, j], cost[i, j + 1], cost[i + 1, j])
    return np.sqrt(cost[-1, -1])


def test_pairwise_of_a_distance_and_of_a_kernel(points):
    want = np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
    np.testing.assert_allclose(mercer.Euclidean().pairwise(points), want, atol=1e-12)
    np.testing.assert_allclose(mercer.Linear().pairwise(points[:7], points), want[:7], atol=1e-7)
    k = mercer.Euclidean().gram(points)
    np.testing.assert_allclose(k, -(want**2) / 2, atol=1e-12)


def test_pairwise_dtw(series):
    curves, _ = series
    d = mercer.DTW().pairwise(curves[:6])
    for i in range(6):
        for j in range(6):
            assert d[i, j] == pytest.approx(naive_dtw(curves[i], curves[j]), rel=1e-12, abs=1e-12)


def test_fisher_vectors_are_standardised_distances(points):
    new = points[:5] + 0.1
    kernel = mercer.Similarity([mercer.Euclidean(), mercer.RBF(gamma=0.2)]).fit(points)
    vectors = kernel.transform(new)
    d1 = np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
    e1 = np.sqrt(((new[:, None] - points[None]) ** 2).sum(-1))
    d2, e2 = (np.sqrt(2 - 2 * np.exp(-0.2 * d**2)) for d in (d1, e1))
    parts = [(d.mean(0) - e) / d.std(0) for d, e in ((d1, e1), (d2, e2))]
    want = np.hstack(parts)
    np.testing.assert_allclose(vectors, want, atol=1e-6)
    np.testing.assert_allclose(kernel.cross(new), want @ kernel.transform(points).T, rtol=1e-6, atol=1e-6)


def test_fewer_references_and_whitening_by_the_full_form(points):
    few = mercer.Similarity(mercer.Euclidean(), references=6, choice="medoids").fit(points)
    assert few.transform(points).shape == (30, 6)
    full = mercer.Similarity([mercer.Euclidean()], references=6, fisher="full", ridge=1e-9).fit(points)
    vectors = full.transform(points)
    np.testing.assert_allclose(vectors.T @ vectors / 30, np.eye(6), atol=1e-5)


def test_repr_clone_and_equality_of_combined_kernels():
    kernel = mercer.Similarity([mercer.DTW().on("ecg"), mercer.Euclidean().on("age")], references=10)
    again = eval(repr(kernel), vars(mercer))
    assert again == kernel == clone(kernel) == mercer.kernel(kernel.expression)
    assert hash(again) == hash(kernel)
    one = mercer.Mkl(mercer.RBF(gamma=1.0), method="alignment")
    assert mercer.kernel(one.expression) == one
    with pytest.raises(mercer.ParameterError):
        mercer.Similarity([])
    with pytest.raises(mercer.ParameterError):
        mercer.Similarity([3])
    with pytest.raises(mercer.ParameterError):
        mercer.RBF().fit([[0.0], [1.0]]).transform([[2.0]])


@pytest.mark.parametrize(
    "kernel",
    [
        mercer.Similarity(mercer.DTW(window=0.2)),
        mercer.Mkl([mercer.RBFOf(mercer.DTW(window=0.2), gamma=0.5), mercer.GlobalAlignment()], method="easy"),
        mercer.Fusion([mercer.RBFOf(mercer.DTW(window=0.2), gamma=0.5), mercer.GlobalAlignment()]),
    ],
    ids=["similarity", "mkl", "fusion"],
)
def test_models_on_series(series, kernel, tmp_path):
    curves, classes = series
    with pytest.warns(mercer.DataWarning) if isinstance(kernel, mercer.Mkl) else no_warning():
        model = mercer.SVC(kernel=kernel, C=1.0).fit(curves[:30], classes[:30])
    predicted = model.predict(curves[30:])
    assert (predicted == classes[30:]).mean() >= 0.8
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(curves[30:]), predicted)


@pytest.mark.parametrize("make", [mercer.Mkl, mercer.Fusion])
def test_kernels_fitted_to_the_target(points, make):
    kernel = make([mercer.RBF(gamma=0.5), mercer.Linear()])
    with pytest.raises(mercer.MercerError):
        kernel.gram(points)
    y = np.where(points[:, 0] > 0, "up", "down")
    numbers = points[:, 0] * 2.5
    for target in (y, numbers) if make is mercer.Fusion else (y,):
        k = clone(kernel).fit(points, target).gram(points)
        assert k.shape == (30, 30) and np.linalg.eigvalsh(k)[0] > -1e-9


class no_warning:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False
