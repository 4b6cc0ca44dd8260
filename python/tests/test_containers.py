"""Containers: arrays of other libraries by DLPack, layouts of series, strings, and the interface of GraKeL."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import mercer
from mercer import grakel as ours


class Tensor:
    """An array that can be read by DLPack alone."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class OnDevice(Tensor):
    def __dlpack__(self, **options):
        raise BufferError("on another device")


def test_dlpack():
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = (X[:, 0] > 0).astype(int)
    np.testing.assert_array_equal(mercer.RBF().gram(Tensor(X)), mercer.RBF().gram(X))
    np.testing.assert_array_equal(mercer.RBF().gram(Tensor(X.astype(np.float32))), mercer.RBF().gram(X.astype(np.float32)))
    model = mercer.SVC().fit(Tensor(X), y)
    np.testing.assert_array_equal(model.predict(Tensor(X)), mercer.SVC().fit(X, y).predict(X))
    series = np.random.default_rng(0).normal(size=(4, 2, 9))
    np.testing.assert_array_equal(mercer.DTW().pairwise(Tensor(series)), mercer.DTW().pairwise(series))
    with pytest.raises(mercer.DataError, match="another device"):
        mercer.RBF().gram(OnDevice(X))


def test_layouts_of_series():
    X = np.random.default_rng(0).normal(size=(5, 9, 2))
    expected = mercer.DTW().pairwise(mercer.Series(X, layout="n,steps,channels"))
    for layout in ("(n, time, channels)", "n_samples, timepoints, n_channels", "tslearn", "time,channels", "(n_ts, sz, d)"):
        np.testing.assert_array_equal(mercer.DTW().pairwise(mercer.Series(X, layout=layout)), expected)
    turned = np.ascontiguousarray(X.transpose(0, 2, 1))
    for layout in ("(n, channels, time)", "aeon", "sktime"):
        np.testing.assert_array_equal(mercer.DTW().pairwise(mercer.Series(turned, layout=layout)), expected)
    for wrong in ("time", "(n, time, height)", "(n, time)", "numpy", ""):
        with pytest.raises(mercer.ParameterError, match="layout"):
            mercer.Series(X, layout=wrong)
    with pytest.raises(mercer.DataError, match="layout="):
        mercer.DTW().pairwise(X)


def test_strings():
    words = ["acgt", "acga", None, "ttgt"]
    made = mercer.Strings(words[:2] + words[3:])
    np.testing.assert_array_equal(mercer.Spectrum(k=2).gram(made), mercer.Spectrum(k=2).gram(["acgt", "acga", "ttgt"]))
    np.testing.assert_array_equal(mercer.Delta().gram(made), np.eye(3))
    assert len(mercer.Strings(words)) == 4 and len(made[[0, 2]]) == 2
    for wrong in ("acgt", {"a": ["x"]}, [["a"], ["b"]], np.zeros((2, 2))):
        with pytest.raises(mercer.DataError):
            mercer.Strings(wrong)


def graphs():
    rng = np.random.default_rng(0)
    out = []
    for _ in range(12):
        n = int(rng.integers(3, 7))
        edges = {(i, i + 1) for i in range(n - 1)} | {(0, n - 1)}
        out.append((edges | {(b, a) for a, b in edges}, {i: int(rng.integers(2)) for i in range(n)}))
    return out


@pytest.mark.parametrize("normalize", [False, True])
def test_the_interface_of_grakel(normalize):
    theirs = pytest.importorskip("grakel.kernels")
    train, test = graphs()[:8], graphs()[8:]
    for name, options in [("WeisfeilerLehman", {"n_iter": 3}), ("ShortestPath", {}), ("VertexHistogram", {})]:
        a, b = getattr(ours, name)(normalize=normalize, **options), getattr(theirs, name)(normalize=normalize, **options)
        np.testing.assert_allclose(a.fit_transform(train), b.fit_transform([list(g) for g in train]), err_msg=name)
        np.testing.assert_allclose(a.transform(test), b.transform([list(g) for g in test]), err_msg=name)
    assert a.get_params()["normalize"] is normalize


def test_pipelines_with_the_interface_of_grakel():
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVC

    objects, y = mercer.datasets.load_mutag()
    pipe = make_pipeline(ours.WeisfeilerLehman(n_iter=2, normalize=True), SVC(kernel="precomputed", C=10.0))
    assert cross_val_score(pipe, objects, y, cv=3).mean() > 0.75
    with pytest.raises(mercer.ParameterError, match="with_labels"):
        ours.ShortestPath(with_labels=False).fit(graphs())
