"""Every kernel of the registry on suitable objects: matrices, features, and copies that keep the fit."""

import copy
import pickle
import warnings

import joblib
import numpy as np
import pytest
from kernel_objects import COUNT, LABELS, VECTORS, instance, objects
from sklearn.base import clone

import mercer
from mercer.kernels import CLASSES


def full(features):
    """Features as an array, whether they came sparse or not."""
    return features.toarray() if hasattr(features, "toarray") else features


#: Transductive kernels, which only compare objects that they were fitted to.
TRANSDUCTIVE = {"laplacian-walk", "cluster"}
#: Kernels that are fitted to the target.
SUPERVISED = {"mkl", "forest", "fusion", "learned", "learned-dtw", "learned-window", "relevance"}
COPIES = {
    "pickle": lambda k: pickle.loads(pickle.dumps(k)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


def others(name, X, Y):
    return X if name in TRANSDUCTIVE else Y


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mercer.DataWarning)
        yield


@pytest.mark.parametrize("name", CLASSES)
class TestEveryKernel:
    def test_matrices(self, name):
        k = instance(name)
        X, Y = objects(k)
        if name in SUPERVISED:
            with pytest.raises(mercer.ParameterError, match=r"fit\(X, y\)"):
                k.gram(X)
            k.fit(X, LABELS)
        K = k.gram(X)
        assert K.shape == (COUNT, COUNT) and np.isfinite(K).all() and np.array_equal(K, K.T)
        cross = k.cross(others(name, X, Y), X)
        assert cross.shape == (len(others(name, X, Y)), COUNT) and np.isfinite(cross).all()
        if name != "fusion":  # only gram uses held-out decision values for training objects
            np.testing.assert_allclose(k.diagonal(X), K.diagonal(), rtol=1e-12, atol=1e-15)
        assert k.pairwise(X).shape == (COUNT, COUNT)

    def test_features_or_an_error(self, name):
        k = instance(name)
        X, Y = objects(k)
        k.fit(X, LABELS)
        try:
            features, names = k.features(X)
        except mercer.ParameterError as refused:
            assert "explicit features" in str(refused)
            return
        assert features.shape == (COUNT, len(names)) and len(set(names)) == len(names)
        scale = np.abs(k.gram(X)).max()
        np.testing.assert_allclose(full(features @ features.T) / scale, k.gram(X) / scale, rtol=1e-5, atol=1e-6)
        again, _ = COPIES["pickle"](k).features(X)
        np.testing.assert_array_equal(full(again), full(features))

    def test_copies_keep_the_fit(self, name, tmp_path):
        k = instance(name)
        X, Y = objects(k)
        k.fit(X, LABELS)
        new = others(name, X, Y)
        expected = k.cross(new), k.gram(X), k.diagonal(X)
        joblib.dump(k, tmp_path / "k.joblib")
        made = {how: make(k) for how, make in COPIES.items()}
        made["joblib"] = joblib.load(tmp_path / "k.joblib")
        for how, same in made.items():
            for a, b in zip(expected, (same.cross(new), same.gram(X), same.diagonal(X)), strict=True):
                np.testing.assert_array_equal(a, b, err_msg=how)
            assert same == k and repr(same) == repr(k)

    def test_clones_are_not_fitted(self, name):
        k = instance(name)
        X, Y = objects(k)
        fresh = clone(k.fit(X, LABELS))
        assert fresh == k
        with pytest.raises(mercer.ParameterError):
            fresh.cross(Y)

    def test_parameters(self, name):
        k = instance(name)
        params = k.get_params()
        assert clone(k).set_params(**params) == k
        for key, value in k.get_params(deep=False).items():
            assert params[key] is value
        assert eval(repr(k), vars(mercer)) == k


FITTED = {
    "standardize": lambda: mercer.Standardize(mercer.RBF(gamma=0.3)),
    "walk": lambda: mercer.RandomWalkPower(mercer.RBF(gamma=0.3), p=3),
    "similarity": lambda: mercer.Similarity([mercer.Euclidean()]),
    "sum": lambda: mercer.Center(mercer.RBF()) + 0.5 * mercer.MinMax(mercer.Linear()),
}


@pytest.mark.parametrize("make", FITTED.values(), ids=FITTED)
def test_a_copy_treats_new_objects_as_the_original_does(make):
    X, Y = VECTORS[:COUNT], 3.0 * VECTORS[COUNT:] + 1.0
    k = make().fit(X)
    refitted = make().gram(Y)
    for copied in COPIES.values():
        np.testing.assert_array_equal(copied(k).gram(Y), k.gram(Y))
        assert not np.allclose(copied(k).gram(Y), refitted)


def test_copies_of_containers_keep_the_fit():
    X, Y = VECTORS[:COUNT], VECTORS[COUNT:]
    k = mercer.Standardize(mercer.RBF()).fit(X)
    for held in (pickle.loads(pickle.dumps({"k": [k]})), copy.deepcopy({"k": [k]})):
        np.testing.assert_array_equal(held["k"][0].cross(Y), k.cross(Y))
    assert pickle.loads(pickle.dumps(mercer.SVC(kernel=k))).kernel.cross(Y).shape == (4, COUNT)
    supervised = mercer.Mkl([mercer.RBF(), mercer.Linear()]).fit(X, LABELS)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(supervised)).cross(Y), supervised.cross(Y))


def test_changed_parameters_invalidate_the_fit():
    X, Y = VECTORS[:COUNT], VECTORS[COUNT:]
    for change in (lambda k: k.set_params(kernel__gamma=2.0), lambda k: setattr(k.kernel, "gamma", 2.0)):
        k = mercer.Standardize(mercer.RBF()).fit(X)
        change(k)
        for same in (k, *(copied(k) for copied in COPIES.values())):
            with pytest.raises(mercer.ParameterError, match="not fitted"):
                same.cross(Y)
    # A copy has its own parameters.
    k = mercer.Standardize(mercer.RBF()).fit(X)
    other = copy.deepcopy(k)
    other.set_params(kernel__gamma=9.0)
    assert k.kernel.gamma == 1.0 and k.cross(Y).shape == (4, COUNT)


def test_invalid_parameters_do_not_change_a_kernel():
    k = mercer.Polynomial(degree=2)
    before = repr(k)
    with pytest.raises(mercer.ParameterError):
        k.set_params(c=3.0, degree=-1)
    assert repr(k) == before


class TestParametersNamedLikeMethods:
    def test_the_method_and_the_parameter(self):
        for k in (mercer.Fourier(features=64), mercer.TensorSketch(features=64)):
            assert k.get_params()["features"] == 64 and "features=64" in repr(k)
            features, names = k.features(VECTORS)
            assert features.shape == (16, 64) and len(names) == 64
            np.testing.assert_allclose(full(features @ features.T), k.gram(VECTORS), rtol=1e-5)
            k.set_params(features=32)
            assert k.features(VECTORS)[0].shape == (16, 32)
            with pytest.raises(mercer.ParameterError, match="set_params"):
                k.features = 8
            assert clone(k) == k and COPIES["pickle"](k) == k

    def test_no_kernel_hides_a_method(self):
        methods = {name for name in dir(mercer.Kernel) if callable(getattr(mercer.Kernel, name)) and not name.startswith("_")}
        for name in CLASSES:
            k = instance(name)
            assert all(callable(getattr(k, method)) for method in methods), name

    def test_features_of_new_objects_use_the_fit(self):
        train, new = ["red house", "red car", "blue car"], ["red tree", "blue blue"]
        k = mercer.Terms(mercer.Linear()).fit(train)
        _, names = k.features(new)
        assert not any("tree" in name for name in names)
        scaled = mercer.Standardize(mercer.Linear()).fit(VECTORS[:COUNT])
        features, _ = scaled.features(VECTORS[COUNT:])
        np.testing.assert_allclose(full(features @ features.T), scaled.gram(VECTORS[COUNT:]), rtol=1e-9, atol=1e-12)
