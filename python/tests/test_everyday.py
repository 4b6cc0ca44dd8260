"""Everyday inputs and names that once failed."""

import datetime

import numpy as np
import pytest

import mercer


def test_automatic_estimators_take_lists_of_rows():
    X = np.random.default_rng(0).uniform(-2, 2, (40, 1))
    model = mercer.AutoRegressor(time=3, cv=3).fit(X.tolist(), np.sin(X[:, 0]))
    np.testing.assert_array_equal(model.predict(X[:3].tolist()), model.predict(X[:3]))


@pytest.mark.filterwarnings("ignore::mercer.DataWarning")
@pytest.mark.parametrize("name", mercer.grakel.__all__)
def test_kernels_of_grakel_ignore_what_they_do_not_use(name):
    graphs, _ = mercer.datasets.load_mutag()
    kernel = getattr(mercer.grakel, name)()
    K = kernel.fit_transform(graphs[:12])
    assert K.shape == (12, 12) and (K.diagonal() > 0).all() and kernel.transform(graphs[12:15]).shape == (3, 12)


def test_integers_of_128_bits():
    pl = pytest.importorskip("polars")
    if not hasattr(pl, "Int128"):
        pytest.skip("polars has no Int128")
    table = pl.DataFrame({"a": range(4)}).with_columns(pl.col("a").cast(pl.Int128))
    np.testing.assert_array_equal(mercer.Linear().on("a").gram(table), np.outer(range(4), range(4)))


def test_times_of_day_are_named_as_such():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"at": [datetime.time(8, 30), datetime.time(9)], "x": [1.0, 2.0]})
    with pytest.raises(mercer.DataError, match="times of day"):
        mercer.RBF().on("at").gram(table)
    # A column that the kernel does not look at never matters.
    assert mercer.RBF().on("x").gram(table).shape == (2, 2)


def test_the_seed_is_random_state(iris):
    X, y = iris
    for make in (mercer.StratifiedKFold, mercer.FiveByTwo, mercer.Holdout, mercer.GroupKFold):
        with pytest.warns(FutureWarning, match="random_state"):
            old = make(seed=3)
        assert old.random_state == old.seed == 3 and "random_state=3" in repr(old)
        if make is not mercer.GroupKFold:
            splits = [[test.tolist() for _, test in one.split(X, y)] for one in (old, make(random_state=3), make(random_state=4))]
            assert splits[0] == splits[1] != splits[2]
    with pytest.warns(FutureWarning, match="random_state"):
        mercer.inspect(X, y, seed=1)
    with pytest.warns(FutureWarning, match="random_state"):
        mercer.reproduce("chapter", seed=1)


def test_intervals_end_with_the_measure(iris):
    X, y = iris
    found = mercer.evaluate(mercer.SVC(), X, y, cv=3)
    low, high = found.interval
    assert 0 <= low <= found.mean <= high <= 1
    numbers = mercer.evaluate(mercer.KernelRidge(kernel="rbf"), X[:, :3], X[:, 3], cv=3)
    assert numbers.interval[1] <= 1


def test_transform_has_the_columns_of_the_training_objects():
    train, new = ["acgt", "aacc", "ttgg"], ["gtgt", "zzzz", "acgt"]
    kernel = mercer.Spectrum(k=2).fit(train)
    names = kernel.get_feature_names_out().tolist()
    assert sorted(names) == ["aa", "ac", "cc", "cg", "gg", "gt", "tg", "tt"]
    for objects in (train, new, new[:1]):
        Z = kernel.transform(objects).toarray()
        expected = [[sum(o[i : i + 2] == name for i in range(3)) for name in names] for o in objects]
        np.testing.assert_array_equal(Z, expected)
    molecules = mercer.ECFP(radius=1).fit(["CCO", "CCN"])
    assert molecules.transform(["OCC"]).toarray().tolist() == molecules.transform(["CCO"]).toarray().tolist()
    assert molecules.transform(["c1ccccc1"]).shape == (1, len(molecules.get_feature_names_out()))


def test_a_class_of_kernels_is_no_kernel():
    with pytest.raises(mercer.ParameterError, match=r"is a class.*RBF\(\)"):
        mercer.SVC(kernel=mercer.RBF).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("X", [["CCO", "CCC"], [["a"], ["b"]], np.array(["CCO", "CCC"])], ids=["list", "rows", "array"])
def test_text_without_a_kernel_for_it_is_told_which_kernels_take_text(X):
    with pytest.raises(ValueError, match="could not convert string to float.*Spectrum"):
        mercer.SVC().fit(X, [0, 1])


def test_unknown_kernels_are_told_where_the_known_ones_are():
    with pytest.raises(mercer.ParameterError, match="mercer.kernels.CLASSES"):
        mercer.SVC(kernel="zzzzzz").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(mercer.ParameterError, match="did you mean rbf"):
        mercer.kernel("rbff")


def test_classes_that_are_whole_numbers_stay_numbers(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,digit,code\n1,0,7\n2,1,7b\n3,-1,7\n4,0,7b\n")
    _, y = mercer.read(file, target="digit", target_kind="classes", ignore=["code"])
    assert y.dtype.kind == "i" and y.tolist() == [0, 1, -1, 0]
    _, y = mercer.read(file, target="code", target_kind="classes", ignore=["digit"])
    assert y.tolist() == ["7", "7b", "7", "7b"]


def test_iris_as_scikit_learn_loads_it():
    X, y = mercer.datasets.load_iris(return_X_y=True)
    bunch = mercer.datasets.load_iris(return_X_y=False)
    np.testing.assert_array_equal(bunch.data, X)
    assert bunch.target.tolist() == y.tolist() and len(bunch.feature_names) == 4 and len(bunch.target_names) == 3
