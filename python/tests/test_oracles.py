"""Kernels compared with their formulas in NumPy and SciPy: cases where an independent program once disagreed."""

import itertools

import mercer
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from mercer import kernels as k

EDGES = [(0, 2), (0, 3), (1, 2), (1, 4), (2, 3), (3, 4)]


def negated_laplacian():
    a = np.zeros((5, 5))
    for i, j in EDGES:
        a[i, j] = a[j, i] = 1.0
    return a - np.diag(a.sum(axis=0))


def points(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


# exp(beta·H) and the repair method "diffuse"


def test_exponential_of_a_singular_matrix():
    s = negated_laplacian()
    expected = scipy.linalg.expm(0.2 * s)
    assert abs(expected[0, 0] - 0.6974) < 5e-5
    for kernel in (k.Repair(k.Precomputed(), method="diffuse", beta=0.2), k.Exponential(k.Precomputed(), beta=0.2)):
        np.testing.assert_allclose(kernel.fit(s).gram(s), expected, atol=1e-12)
    np.testing.assert_allclose(k.Exponential(k.Precomputed(), beta=-0.2).fit(-s).gram(-s), expected, atol=1e-12)
    radius = k.Exponential(k.Precomputed(), beta=0.2, scale="radius").fit(s + 3 * np.eye(5)).gram(s + 3 * np.eye(5))
    np.testing.assert_allclose(radius, expected, atol=1e-12)


@pytest.mark.parametrize("beta", [0.1, -0.4, 1.0])
def test_exponential_of_any_symmetric_matrix(beta):
    x = points(9, 2)  # rank 2: seven eigenvalues are 0
    for h in (x @ x.T, np.tanh(x @ x.T - 1.0)):
        kernel = k.Exponential(k.Precomputed(), beta=beta).fit(h)
        np.testing.assert_allclose(kernel.gram(h), scipy.linalg.expm(beta * h), rtol=1e-9, atol=1e-10)
    kernel = k.Exponential(k.Linear(), beta=beta).fit(x)
    gram = kernel.gram(x)
    np.testing.assert_allclose(gram, scipy.linalg.expm(beta * x @ x.T), rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(kernel.cross(x[3:5], x), gram[3:5])
    # New objects are compared through the training objects, c·φ(H)·exp(beta·H/2), plus a separate axis.
    new = points(4, 2, seed=9)
    values, u = np.linalg.eigh(x @ x.T)
    half = beta * values / 2
    phi = np.where(np.abs(values) < 1e-9, beta / 2, np.expm1(half) / np.where(np.abs(values) < 1e-9, 1, values))
    z = (new @ x.T) @ (u * phi)
    np.testing.assert_allclose(kernel.cross(new, x), z @ (u * np.exp(half)).T, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(kernel.diagonal(new), (z**2).sum(axis=1) + 1, rtol=1e-9)
    assert np.linalg.eigvalsh(kernel.gram(np.vstack([x, new]))).min() > -1e-9


def test_exponential_in_a_model(tmp_path):
    x = points(30, 3)
    y = (x[:, 0] > 0).astype(int)
    model = mercer.SVC(kernel=k.Exponential(k.RBF(gamma=0.5), beta=0.3)).fit(x[:20], y[:20])
    model.save(tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    assert model.score(x[20:], y[20:]) > 0.6


# Separate columns


@pytest.mark.parametrize("kernel, join", [(k.ColumnSum, np.sum), (k.ColumnProduct, np.prod)])
def test_each_coordinate_is_a_column(kernel, join):
    x = points(12, 4)
    x[np.abs(x) < 0.4] = 0.0
    expected = join(np.exp(-0.3 * (x[:, None, :] - x[None, :, :]) ** 2), axis=2)
    own = kernel(k.RBF(gamma=0.3))
    np.testing.assert_allclose(own.gram(x), expected, rtol=1e-12)
    np.testing.assert_allclose(own.gram(sp.csr_array(x)), expected, rtol=1e-12)
    np.testing.assert_allclose(own.fit(x).cross(x[5:9], x), expected[5:9], rtol=1e-12)
    # A sparse matrix with fewer columns has zeros in the others.
    few = sp.csr_array(np.pad(x[:, :2], ((0, 0), (0, 2)))[:, :2])
    wide = np.pad(x[:, :2], ((0, 0), (0, 2)))
    between = join(np.exp(-0.3 * (wide[:, None, :] - x[None, :, :]) ** 2), axis=2)
    np.testing.assert_allclose(own.fit(sp.csr_array(x)).cross(few, sp.csr_array(x)), between, rtol=1e-12)


def test_separate_columns_with_a_fitted_kernel(tmp_path):
    x = points(20, 3) * [1, 10, 100] + 5
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    expected = np.exp(-0.5 * (z[:, None, :] - z[None, :, :]) ** 2).sum(axis=2)
    np.testing.assert_allclose(k.ColumnSum(k.Standardize(k.RBF(gamma=0.5))).gram(x), expected, rtol=1e-9)
    y = (x[:, 1] > 5).astype(int)
    model = mercer.SVC(kernel=k.ColumnSum(k.Standardize(k.RBF(gamma=0.5)))).fit(x, y)
    model.save(tmp_path / "model.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "model.mercer").predict(x), model.predict(x))


# Reverse complements


def reverse_complement(word):
    return word[::-1].translate(str.maketrans("ACGT-", "TGCA-"))


def canonical(features, x, y):
    def counts(text):
        out = {}
        for word in features(text):
            word = min(word, reverse_complement(word))
            out[word] = out.get(word, 0) + 1
        return out

    a, b = counts(x), counts(y)
    return sum(c * b.get(word, 0) for word, c in a.items())


def windows(text, length):
    return [text[i : i + length] for i in range(len(text) - length + 1)]


def neighbours(word, m):
    return [w for w in map("".join, itertools.product("ACGT", repeat=len(word))) if sum(a != b for a, b in zip(w, word)) <= m]


def gapped(word, keep):
    for places in itertools.combinations(range(len(word)), keep):
        yield "".join(c if i in places else "-" for i, c in enumerate(word))


def test_a_kmer_and_its_reverse_complement_are_one_feature():
    texts = ["ACGT", "ACGTACGT", "AATTCGCG", "GGGGCCATG", "TTTT"]
    cases = [
        (k.Spectrum(k=4, alphabet="dna", reverse_complement="yes"), lambda t: windows(t, 4)),
        (k.BlendedSpectrum(k=3, alphabet="dna", reverse_complement="yes"), lambda t: sum((windows(t, n) for n in (1, 2, 3)), [])),
        (k.Mismatch(k=4, m=0, reverse_complement="yes"), lambda t: windows(t, 4)),
        (k.Mismatch(k=4, m=1, reverse_complement="yes"), lambda t: [w for a in windows(t, 4) for w in neighbours(a, 1)]),
        (k.Mismatch(k=3, m=1, reverse_complement="yes"), lambda t: [w for a in windows(t, 3) for w in neighbours(a, 1)]),
        (k.GappyKmer(l=4, k=4, reverse_complement="yes"), lambda t: windows(t, 4)),
        (k.GappyKmer(l=5, k=2, reverse_complement="yes"), lambda t: [g for a in windows(t, 5) for g in gapped(a, 2)]),
        (k.GappyKmer(l=4, k=3, reverse_complement="yes"), lambda t: [g for a in windows(t, 4) for g in gapped(a, 3)]),
    ]
    for kernel, features in cases:
        expected = [[canonical(features, x, y) for y in texts] for x in texts]
        np.testing.assert_array_equal(kernel.gram(texts), expected, err_msg=str(kernel))


# Equal objects


def test_equal_objects_have_the_values_of_the_formula():
    x = points(8, 2)
    x[5] = x[1]
    x[7] = x[1]
    base = np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=2))
    d = base.sum(axis=1)
    normal = np.eye(8) - base / np.sqrt(np.outer(d, d))
    walk = k.LaplacianWalk(k.RBF(gamma=1), p=3, a=2, scale="none").fit(x).gram(x)
    np.testing.assert_allclose(walk, np.linalg.matrix_power(2 * np.eye(8) - normal, 3), rtol=1e-10)
    assert walk[1, 5] < walk[1, 1] - 0.1
    through = k.RandomWalkPower(k.RBF(gamma=1), p=3, through="all", scale="none").fit(x).gram(x)
    np.testing.assert_allclose(through, np.linalg.matrix_power(base, 3), rtol=1e-10)
    s = base / np.sqrt(np.outer(d, d))
    values, u = np.linalg.eigh(s)
    cluster = (u * values**2) @ u.T
    cluster /= np.sqrt(np.outer(np.diag(cluster), np.diag(cluster)))
    got = k.Cluster(k.RBF(gamma=1), transfer="polynomial", t=2).fit(x).gram(x)
    np.testing.assert_allclose(got, cluster, rtol=1e-9)
    exponential = k.Exponential(k.RBF(gamma=1), beta=0.5).fit(x).gram(x)
    np.testing.assert_allclose(exponential, scipy.linalg.expm(0.5 * base), rtol=1e-10)


def test_equal_objects_are_held_out_together():
    # Pairs of equal objects of one class: a decision value is not held out if the model has seen the duplicate.
    x = np.repeat(points(20, 2), 2, axis=0)
    y = np.repeat(np.random.default_rng(1).integers(0, 2, 20), 2)
    decisions = np.sqrt(np.diag(k.Fusion([k.RBF(gamma=50)], C=10).fit(x, y).gram(x)))
    np.testing.assert_array_equal(decisions[::2], decisions[1::2])
    # With such a narrow kernel, held-out points get only the offset, not ±1 from a duplicate.
    assert decisions.max() < 0.9


# Texts without words


def test_content_of_a_text_without_words():
    import zlib

    texts = ["", "?!", "?! " * 40, "some words here", "other words there"]
    for column, about in (("compression", None), ("words", [0, 0, 0]), ("mean-word-length", [0, 0, 0]), ("entropy", [0, 0, 0])):
        gram = k.Content(k.Linear().on(column)).fit(texts).gram(texts)
        assert np.isfinite(gram).all()
        values = np.sqrt(np.diag(gram))
        if about is not None:
            np.testing.assert_array_equal(values[:3], about)
    values = np.sqrt(np.diag(k.Content(k.Linear().on("compression")).fit(texts).gram(texts)))

    def ratio(text):
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        return len(packer.compress(text.encode()) + packer.flush()) / len(text)

    assert values[0] == 0
    np.testing.assert_allclose(values[1:], [ratio(t) for t in texts[1:]], rtol=0.35)
    both = k.Normalize(k.Content(k.Linear())).fit(texts)
    assert np.isfinite(both.gram(texts)).all() and np.isfinite(both.cross(texts[:2], texts)).all()


# Negative self-similarities


def test_negative_self_similarities_are_refused_everywhere(tmp_path):
    x = points(30, 3)
    x[4] = 0.01  # tanh(0.0003 - 1) is negative
    y = np.arange(30) % 2
    kernel = k.Normalize(k.Sigmoid(gamma=1, c=-1))
    for action in (
        lambda: kernel.gram(x),
        lambda: kernel.fit(x[:4]).cross(x[4:5], x[:4]),
        lambda: kernel.diagonal(x),
        lambda: mercer.SVC(kernel=kernel).fit(x, y),
        lambda: mercer.evaluate(x, y, kernel=kernel),
        lambda: mercer.GridSearch(mercer.SVC(kernel=kernel), {"C": [1, 10]}).fit(x, y),
    ):
        with pytest.raises(ValueError, match="negative self-similarity"):
            action()


# No leakage from test objects


def test_diffusion_counts_the_categories_of_the_training_set():
    import pandas as pd

    train = pd.DataFrame({"a": pd.Categorical(["x", "y", "x", "y"]), "b": pd.Categorical(["p", "q", "r", "p"])})
    kernel = k.CategoricalDiffusion(beta=0.2).fit(train)

    def factor(a):
        return (1 - np.exp(-a * 0.2)) / (1 + (a - 1) * np.exp(-a * 0.2))

    assert abs(kernel.gram(train)[0, 1] - factor(2) * factor(3)) < 1e-14
    # Categories without training objects do not count.
    wide = pd.DataFrame({"a": pd.Categorical(["x", "y", "x", "y"], categories=list("xyzuvw")), "b": train["b"]})
    np.testing.assert_array_equal(k.CategoricalDiffusion(beta=0.2).fit(wide).gram(wide), kernel.gram(train))
    # A new category differs from all others and equals itself.
    new = pd.DataFrame({"a": pd.Categorical(["z"]), "b": pd.Categorical(["p"])})
    np.testing.assert_allclose(kernel.cross(new, train)[0], factor(2) * np.array([1, factor(3), factor(3), 1]), rtol=1e-14)
    assert kernel.diagonal(new)[0] == 1


def test_evaluate_does_not_count_categories_of_test_rows():
    import pandas as pd

    rng = np.random.default_rng(3)
    n = 120
    frame = pd.DataFrame({c: rng.choice(list("abc"), n) for c in "uvw"})
    y = (frame["u"] == "a").astype(float) + 0.3 * (frame["v"] == "b") + rng.normal(scale=0.1, size=n)
    part = np.where(np.arange(n) < 80, "train", "test")
    other = frame.copy()
    # Categories that do not occur in training rows, all different.
    other.loc[part == "test", "w"] = [f"new{i}" for i in range(int((part == "test").sum()))]
    train = part == "train"
    fitted = k.CategoricalDiffusion(beta=0.3).fit(other[train])
    np.testing.assert_array_equal(fitted.gram(other[train]), k.CategoricalDiffusion(beta=0.3).fit(frame[train]).gram(frame[train]))
    model = mercer.KernelRidge(kernel=k.CategoricalDiffusion(beta=0.3), alpha=0.1).fit(other[train], y[train])
    expected = float(np.sqrt(np.mean((model.predict(other[~train]) - y[~train]) ** 2)))
    split = [(np.flatnonzero(train), np.flatnonzero(~train))]
    scores = mercer.GridSearch(
        mercer.KernelRidge(kernel=k.CategoricalDiffusion(beta=0.3)), {"alpha": [0.1]}, scoring="rmse", cv=split
    ).fit(other, y)
    assert abs(abs(scores.best_score_) - expected) < 1e-9


# Long strings, unequal lengths


def test_normalized_alignments_of_long_strings():
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("ACGT"), n)) for n in (300, 320, 900, 5)]
    for inner, plain in (
        (k.LocalAlignment(beta=1.0), lambda short: k.LocalAlignment(beta=1.0).gram(short)),
        (k.AlignmentDiffusion(beta=0.5), lambda short: k.AlignmentDiffusion(beta=0.5).gram(short)),
    ):
        gram = k.Normalize(inner).gram(texts)
        assert np.isfinite(gram).all() and (np.diag(gram) == 1).all() and (gram[np.triu_indices(4, 1)] < 1).all()
        short = ["ACGTAC", "ACGGAC", "TTACG"]
        own = plain(short)
        expected = own / np.sqrt(np.outer(np.diag(own), np.diag(own)))
        np.testing.assert_allclose(k.Normalize(inner).gram(short), expected, rtol=1e-12)
    logs = k.LocalAlignment(beta=1.0, log="yes").gram(texts)
    expected = np.exp(logs - (np.diag(logs)[:, None] + np.diag(logs)[None]) / 2)
    np.testing.assert_allclose(k.Normalize(k.LocalAlignment(beta=1.0)).gram(texts), expected, rtol=1e-9)
    y = np.array([0, 1, 0, 1] * 3)
    report = mercer.evaluate(texts * 3, y, kernel=k.Normalize(k.LocalAlignment(beta=1.0)), protocol="2-fold")
    assert report is not None


def test_weighted_degree_needs_equal_lengths():
    with pytest.raises(ValueError, match="one length"):
        k.WeightedDegree(d=3).gram(["ACGT", "ACG"])
    with pytest.raises(ValueError, match="one length"):
        k.WeightedDegree(d=3).fit(["ACGT", "ACGG"]).cross(["ACG"], ["ACGT", "ACGG"])
    assert k.WeightedDegree(d=3).gram(["ACGT", "ACGG"])[0, 1] > 0


# The same bits in every matrix

VECTOR_KERNELS = [
    k.Linear(),
    k.Polynomial(degree=3, c=1),
    k.RBF(gamma=0.1),
    k.Cosine(),
    k.Sigmoid(gamma=0.01),
    k.Normalize(k.Polynomial(degree=2)),
    k.RBFOf(k.Polynomial(degree=2), gamma=0.001),
    k.Fourier(gamma=0.1, features=64),
    k.TensorSketch(degree=2, features=64),
    k.Center(k.Linear()),
    k.Nystrom(k.RBF(gamma=0.1), rank=20),
    k.RandomWalkPower(k.RBF(gamma=0.1), p=3),
    k.Similarity(k.Euclidean()),
    k.Repair(k.Sigmoid(gamma=0.1, c=-1)),
    k.Exponential(k.RBF(gamma=0.1), beta=0.1),
]


@pytest.mark.parametrize("kernel", VECTOR_KERNELS, ids=str)
@pytest.mark.parametrize("dim", [3, 300])
def test_gram_and_cross_have_the_same_bits(kernel, dim):
    x = points(130, dim)
    fitted = kernel.fit(x)
    gram = fitted.gram(x)
    np.testing.assert_array_equal(fitted.cross(x[37:90], x), gram[37:90])
    np.testing.assert_array_equal(fitted.cross(x, x[37:90]), gram[:, 37:90])
    np.testing.assert_array_equal(fitted.cross(x[5:6], x), gram[5:6])
    np.testing.assert_array_equal(fitted.cross(x, x[5:7], threads=1), gram[:, 5:7])
    np.testing.assert_array_equal(fitted.diagonal(x), np.diag(gram))
