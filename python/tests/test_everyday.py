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
