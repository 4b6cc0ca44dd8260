"""Time series: distances of arrays and lists, learned windows, missing values."""

import pickle

import numpy as np
import pytest

import mercer

RNG = np.random.default_rng(5)
EVEN = RNG.standard_normal((12, 20)).cumsum(1)
DEEP = RNG.standard_normal((7, 3, 15))
RAGGED = [RNG.standard_normal(n) for n in (3, 9, 1, 6, 14)]


def dtw(x, y, radius=None):
    """Dynamic time warping of (time steps, channels), cell by cell."""
    x, y = np.atleast_2d(x.T).T, np.atleast_2d(y.T).T
    D = np.full((len(x) + 1, len(y) + 1), np.inf)
    D[0, 0] = 0
    for i in range(len(x)):
        for j in range(len(y)):
            if radius is None or abs(i - j) <= radius:
                D[i + 1, j + 1] = ((x[i] - y[j]) ** 2).sum() + min(D[i, j], D[i, j + 1], D[i + 1, j])
    return np.sqrt(D[-1, -1])


def table(series, **options):
    return np.array([[dtw(x, y, **options) for y in series] for x in series])


def test_dtw_of_arrays_and_lists():
    for objects in (EVEN, list(EVEN), EVEN[:, None, :]):
        assert np.allclose(mercer.DTW().pairwise(objects), table(EVEN), rtol=1e-12)
    assert np.allclose(mercer.DTW().pairwise(RAGGED), table(RAGGED), rtol=1e-12)
    flat = [s.T for s in DEEP]
    series = mercer.Series(flat, layout="n,steps,channels")
    assert np.allclose(mercer.DTW().pairwise(series), table(flat), rtol=1e-12)
    assert np.array_equal(mercer.DTW().pairwise(DEEP), mercer.DTW().pairwise(series))
    independent = np.sqrt(sum(table(DEEP[:, c]) ** 2 for c in range(3)))
    assert np.allclose(mercer.DTW(channels="independent").pairwise(DEEP), independent, rtol=1e-12)
    assert np.allclose(mercer.DTW(channel=2).pairwise(DEEP), table(DEEP[:, 1]), rtol=1e-12)


def test_windows_as_shares_and_as_time_steps():
    assert np.allclose(mercer.DTW(window=0.1).pairwise(EVEN), table(EVEN, radius=2), rtol=1e-12)
    assert np.allclose(mercer.DTW(window=10).pairwise(EVEN), table(EVEN, radius=10), rtol=1e-12)
    assert np.allclose(mercer.DTW(window=0).pairwise(EVEN), mercer.SeriesEuclidean().pairwise(EVEN), rtol=1e-12)
    single = mercer.DTW(precision="single").pairwise(EVEN)
    assert 0 < np.abs(single - table(EVEN)).max() < 1e-4


def test_distances_between_two_sets():
    d = mercer.DTW().pairwise(EVEN)
    assert np.array_equal(mercer.DTW().pairwise(EVEN[:4], EVEN[4:]), d[:4, 4:])


def test_padding_is_removed_and_missing_values_are_refused():
    padded = np.full((len(RAGGED), 14), np.nan)
    for row, s in zip(padded, RAGGED):
        row[: len(s)] = s
    assert np.array_equal(mercer.DTW().pairwise(padded), mercer.DTW().pairwise(RAGGED))
    gap = EVEN.copy()
    gap[3, 5] = np.nan
    with pytest.raises(mercer.DataError, match="E_TS_MISSING object 4"):
        mercer.DTW().pairwise(gap)
    with pytest.raises(mercer.DataError, match="E_TS_LENGTH"):
        mercer.SeriesEuclidean().pairwise(RAGGED)


def test_kernels_and_preprocessing():
    k = mercer.GlobalAlignment(sigma=2).gram(RAGGED)
    assert np.allclose(k.diagonal(), 1) and np.linalg.eigvalsh(k).min() > -1e-9
    z = (EVEN - EVEN.mean(1, keepdims=True)) / EVEN.std(1, keepdims=True)
    assert np.allclose(mercer.ZNormalize(mercer.DTW()).pairwise(EVEN), table(z), rtol=1e-9)
    means = EVEN.reshape(12, 5, 4).mean(2)
    assert np.allclose(mercer.Bin(mercer.DTW(), width=4).pairwise(EVEN), table(means), rtol=1e-9)


def test_a_learned_window_in_an_estimator(tmp_path):
    # An early or a late peak: unrestricted warping confuses them.
    X = np.zeros((40, 30))
    y = np.arange(40) % 2
    X[np.arange(40), np.where(y == 1, 8, 20) + RNG.integers(-1, 2, 40)] = 1
    model = mercer.KNeighborsClassifier(1, kernel=mercer.LearnedDTW()).fit(X, y)
    assert (model.predict(X) == y).all()
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    model.save(tmp_path / "m.mercer")
    assert (mercer.load(tmp_path / "m.mercer").predict(X) == model.predict(X)).all()


def test_features_of_series():
    features, names = mercer.Rocket(features=500).features(RAGGED)
    assert features.shape == (len(RAGGED), 420) and names[0].startswith("ppv(1-2-3, dilation 1, above ")
    # Thresholds and scales come from the training series alone.
    kernel = mercer.Rocket(features=500).fit(RAGGED[:3])
    alone, _ = kernel.features(RAGGED[3:])
    assert np.array_equal(kernel.features(RAGGED)[0][3:], alone)
    assert np.allclose(kernel.cross(RAGGED[3:]), alone @ kernel.features(RAGGED[:3])[0].T, atol=1e-6)
    for other in (mercer.Hydra(groups=4), mercer.Intervals(depth=3), mercer.Signature(level=2)):
        features, names = other.features(RAGGED)
        assert features.shape == (len(RAGGED), len(names)) and np.isfinite(features).all()


def test_shares_equal_those_of_aeon():
    convolution = pytest.importorskip("aeon.transformations.collection.convolution_based")
    x = RNG.standard_normal((6, 1, 100)).cumsum(2)
    # Thresholds of a single series do not depend on random numbers.
    theirs = convolution.MiniRocket(random_state=0).fit(x[:1]).transform(x)
    ours, names = mercer.Rocket(scale="none").fit(x[:1, 0]).features(x[:, 0])
    assert ours.shape == theirs.shape == (6, 9996)
    # A value within rounding of a threshold may be on either side of it.
    assert (np.abs(ours - theirs) < 1e-6).mean() > 0.999


def test_time_steps_of_an_explanation():
    X = 0.1 * RNG.standard_normal((30, 60))
    y = np.arange(30) % 2
    X[y == 1, 40:48] += np.array([0, 1, 2, 3, 3, 2, 1, 0])
    model = mercer.SVC(kernel=mercer.Rocket(features=1000), C=10).fit(X, y)
    why = model.explain(X[1:2])[0]
    assert why.steps.shape == (60,) and why.atoms is None
    assert 36 <= np.argmax(why.steps) <= 52 and why.features[0]["nodes"]


@pytest.mark.parametrize("layout", ["(n, time, channels)", "n,channels,time", "(time, n, channels)", "(channels, time, n)", "(t, c, n)", "channels,n,time"])
def test_arrays_with_their_dimensions_in_any_order(layout):
    X = np.random.default_rng(0).standard_normal((4, 3, 12))  # objects, channels, time steps
    expected = mercer.DTW().pairwise([x for x in X])
    words = [word.strip()[0] for word in layout.strip("()").split(",")]
    given = X.transpose(["nct".index(word) for word in words])
    np.testing.assert_array_equal(mercer.DTW().pairwise(mercer.Series(given, layout=layout)), expected)


def test_layouts_of_series_with_one_channel():
    X = np.random.default_rng(1).standard_normal((5, 9))
    expected = mercer.DTW().pairwise(X)
    np.testing.assert_array_equal(mercer.DTW().pairwise(mercer.Series(X, layout="(n, time)")), expected)
    np.testing.assert_array_equal(mercer.DTW().pairwise(mercer.Series(X.T, layout="(time, n)")), expected)
    with pytest.raises(mercer.ParameterError, match="names 3 dimensions, and the array has 2"):
        mercer.Series(X, layout="(n, time, channels)")
    for bad in ("(n, n)", "(n, height)", "(time,)", ""):
        with pytest.raises(mercer.ParameterError, match="layout"):
            mercer.Series(X, layout=bad)


def test_frames_of_sktime():
    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(2).standard_normal((3, 2, 10))  # objects, channels, time steps
    expected = mercer.DTW().pairwise([x for x in X])
    index = pd.MultiIndex.from_product([["c", "a", "b"], range(10)], names=["instance", "time"])
    long = pd.DataFrame(X.transpose(0, 2, 1).reshape(30, 2), index=index, columns=["u", "v"])
    np.testing.assert_array_equal(mercer.DTW().pairwise(mercer.Series(long)), expected)
    nested = pd.DataFrame({name: [pd.Series(x[j]) for x in X] for j, name in enumerate("uv")})
    np.testing.assert_array_equal(mercer.DTW().pairwise(mercer.Series(nested)), expected)
    with pytest.raises(mercer.DataError, match=r"layout='\(n, time\)'"):
        mercer.Series(pd.DataFrame(X[:, 0]))
    with pytest.raises(mercer.ParameterError, match="index"):
        mercer.Series(long, layout="(n, time)")
