"""Test sets, splitters, the order of time, and files for a loaded model."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, ShuffleSplit, TimeSeriesSplit

import mercer


def points(n=100, reversed_from=None):
    rng = np.random.RandomState(0)
    y = rng.rand(n) > 0.5
    X = np.where(y, 1.0, -1.0)[:, None] + 0.3 * rng.randn(n, 1)
    if reversed_from is not None:
        y[reversed_from:] = ~y[reversed_from:]
    return X, np.where(y, "up", "down")


def test_nothing_is_fitted_to_the_test_set():
    X, y = points(100, reversed_from=60)
    found = mercer.evaluate(
        X[:60], y[:60], "rbf(gamma=[0.1, 1])", "svc(C=[1, 10])", test=(X[60:], y[60:]), figures=False
    )
    assert found.document["protocol"] == "train-test"
    assert found.mean < 0.1
    assert "WORSE" in found.verdict and "McNemar" in found.verdict
    other = mercer.evaluate(
        X[:60], y[:60], "rbf(gamma=[0.1, 1])", "svc(C=[1, 10])", test=(9 * X[60:] + 3, y[60:][::-1]), figures=False
    )
    kept = ("kernel", "learner", "inner_score", "train")
    assert [found.folds[0][k] for k in kept] == [other.folds[0][k] for k in kept]


def test_a_test_set_of_another_shape_is_refused():
    X, y = points(40)
    for test in [(X[:5], y[:4]), (np.ones((5, 2)), y[:5]), X[:5], (X[:5],)]:
        with pytest.raises((mercer.DataError, mercer.ParameterError)):
            mercer.evaluate(X, y, "linear", "svc", test=test, figures=False)
    with pytest.raises(mercer.ParameterError, match="only one"):
        mercer.evaluate(X, y, "linear", "svc", test=(X, y), protocol="5-fold", figures=False)


def test_splitters_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) % 10
    for cv, n in [(KFold(4, shuffle=True, random_state=0), 4), (GroupKFold(5), 5), (TimeSeriesSplit(3), 3),
                  (ShuffleSplit(6, random_state=0), 6), (PredefinedSplit(np.arange(150) % 3), 3), (4, 4)]:  # fmt: skip
        order = np.random.RandomState(1).permutation(150)
        found = mercer.evaluate(
            X[order], y[order], "linear", "svc(C=[1, 10])", cv=cv, groups=groups[order], inner="2-fold", figures=False
        )
        assert len(found.folds) == n and found.mean > 0.8
        assert found.document["protocol"] == "given splits"
    with pytest.raises(mercer.ParameterError, match="both"):
        mercer.evaluate(X, y, "linear", "svc", cv=3, protocol="3-fold", figures=False)
    with pytest.raises(mercer.MercerError):
        mercer.evaluate(X, y, "linear", "svc", cv=[(np.arange(10), np.arange(5))], figures=False)


def test_the_order_of_time():
    times = np.random.RandomState(2).permutation(60)
    dates = np.datetime64("2024-01-01") + times
    for given in (times, dates):
        splits = list(mercer.Forward(4, times=given).split(np.zeros((60, 1))))
        assert len(splits) == 4
        for train, test in splits:
            assert times[train].max() < times[test].min() and len(test) == 12
    X, y = points(60)
    found = mercer.evaluate(X, y, "linear", "svc", times=times, figures=False)
    assert found.document["protocol"] == "forward(5)"
    assert found.folds == mercer.evaluate(X, y, "linear", "svc", protocol=mercer.Forward(5, times=times), figures=False).folds
    rows = mercer.evaluate(X, y, "linear", "svc", protocol="forward(5)", figures=False)
    assert [(f["train"], f["test"]) for f in rows.folds] == [(10 * k, 10) for k in range(1, 6)]
    with pytest.raises(mercer.DataError):
        list(mercer.Forward(2, times=["x"] * 60).split(np.zeros((60, 1))))
    with pytest.raises(mercer.DataError):
        list(mercer.Forward(2, times=[1, 2]).split(np.zeros((60, 1))))


def test_a_loaded_model_predicts_files(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = mercer.SVC(kernel=mercer.Linear()).fit(frame, y)
    model.save(tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    new = frame[["d", "c", "b", "a"]].assign(extra="x")
    new.to_csv(tmp_path / "new.csv", index=False)
    assert (again.predict(str(tmp_path / "new.csv")) == model.predict(frame)).all()
    assert np.array_equal(again.decision_function(tmp_path / "new.csv"), model.decision_function(frame))
    new.drop(columns="a").to_csv(tmp_path / "short.csv", index=False)
    with pytest.raises(mercer.DataError, match="'a'"):
        again.predict(tmp_path / "short.csv")
    with pytest.raises(OSError):
        again.predict(tmp_path / "none.csv")
