"""Generated data sets (SPEC A15) and embedded ones."""

import io
import itertools
import subprocess

import numpy as np
import pytest
from sklearn.datasets import load_iris

import mercer
from mercer import datasets


@pytest.mark.parametrize("make,features,top", [("make_balance1", 2, 20), ("make_balance", 4, 5), ("make_balance3", 6, 3)])
def test_balance_data_sets_are_complete_and_correct(make, features, top):
    X, y = getattr(datasets, make)()
    expected = np.array(list(itertools.product(range(1, top + 1), repeat=features)), dtype=float)
    np.testing.assert_array_equal(X, expected)
    half = features // 2
    sign = np.sign(X[:, :half].prod(axis=1) - X[:, half:].prod(axis=1))
    np.testing.assert_array_equal(y, np.array(["R", "B", "L"])[(sign + 1).astype(int)])
    assert len(X) == {2: 400, 4: 625, 6: 729}[features]


def test_shapes_without_noise_lie_on_their_curves():
    X, y = datasets.make_half_moons(101, noise=0)
    moved = np.where((y == "upper")[:, None], X, [1.0, 0.5] - X)
    np.testing.assert_allclose(np.hypot(*moved.T), 1.0, atol=1e-12)
    X, y = datasets.make_rings(90, noise=0)
    radius = {"inner": 1, "middle": 2, "outer": 3}
    np.testing.assert_allclose(np.hypot(*X.T), [radius[c] for c in y], atol=1e-12)
    X, y = datasets.make_swiss_roll(400, noise=0)
    t = np.hypot(X[:, 0], X[:, 2])
    np.testing.assert_array_equal(np.floor((t / (1.5 * np.pi) - 1) * 2 + 1).astype(int).astype(str), y)


def test_published_sizes_and_seeds():
    for make, size in ((datasets.make_half_moons, 800), (datasets.make_rings, 685), (datasets.make_swiss_roll, 1600)):
        X, y = make()
        assert len(X) == len(y) == size
        np.testing.assert_array_equal(make(random_state=3)[0], make(random_state=3)[0])
        assert not np.array_equal(make(random_state=3)[0], make(random_state=4)[0])
    for bad in ({"n_samples": 0}, {"n_samples": 1.5}, {"noise": -1.0}, {"random_state": None}, {"random_state": -1}):
        with pytest.raises(mercer.MercerError):
            datasets.make_rings(**bad)


@pytest.mark.parametrize("name,make", [("half-moons", "make_half_moons"), ("balance", "make_balance")])
def test_the_program_writes_the_same(name, make, program, tmp_path):
    text = subprocess.run([program, "generate", name, "--seed", "7"], capture_output=True, check=True, text=True).stdout
    table = np.loadtxt(io.StringIO(text), delimiter=",", dtype=str, skiprows=1)
    X, y = getattr(datasets, make)(**({"random_state": 7} if name == "half-moons" else {}))
    np.testing.assert_array_equal(table[:, :-1].astype(float), X)
    np.testing.assert_array_equal(table[:, -1], y)


def test_networks_by_preferential_attachment():
    A = datasets.make_power_law(500, joins=3, random_state=2)
    assert A.shape == (500, 500) and abs(A - A.T).sum() == 0 and A.diagonal().sum() == 0
    assert A.sum() == 2 * (6 + 496 * 3) and A.max() == 1
    degrees = A.sum(axis=1)
    assert degrees.min() >= 3 and degrees.max() > 25


def test_embedded_data():
    X, y = datasets.load_iris()
    theirs = load_iris()
    np.testing.assert_allclose(X, theirs.data, atol=0.31)  # scikit-learn's copy has two wrong digits
    assert (np.abs(X - theirs.data) > 1e-9).sum() <= 3
    assert [list(y).count(c) for c in sorted(set(y))] == [50, 50, 50]
    frame, _ = datasets.load_iris(as_frame=True)
    assert mercer.SVC(kernel=mercer.RBF(gamma=0.5).on("petal_length")).fit(frame, y).score(frame, y) > 0.9
    sequences, y = datasets.load_promoters()
    assert len(sequences) == len(y) == 106 and {len(s) for s in sequences} == {57} and (y == "promoter").sum() == 53
    half = mercer.SVC(kernel=mercer.Normalize(mercer.Spectrum(k=4))).fit(sequences[::2], y[::2])
    assert half.score(sequences[1::2], y[1::2]) > 0.75
    graphs, y = datasets.load_mutag()
    assert len(graphs) == len(y) == 188 and (y == "1").sum() == 125
    K = mercer.WeisfeilerLehman(h=5, ignore="others").gram(graphs)
    assert (K[0, 0], K[0, 1], K.sum()) == (412, 210, 10152522)
    assert mercer.SVC(kernel=mercer.Normalize(mercer.WeisfeilerLehman(h=3))).fit(graphs[:150], y[:150]).score(graphs[150:], y[150:]) > 0.6
