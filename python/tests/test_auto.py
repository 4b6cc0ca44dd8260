"""``mercer.auto``: a kernel and a learner within a time budget, for any kind of objects."""

import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score

import mercer

TABLE = pd.DataFrame(
    {
        "a": np.arange(60.0) % 7,
        "c": ["x", "y", "z"] * 20,
        "n": pd.array([1, 2, None] * 20, dtype="Int64"),
        "t": ["p", "q", "p"] * 20,
    }
)


def test_a_table_with_its_target(tmp_path):
    for table in (TABLE, pl.from_pandas(TABLE)):
        model = mercer.auto(table, "t", time=20)
        assert isinstance(model, mercer.AutoClassifier) and model.classes_.tolist() == ["p", "q"]
        means = [row["mean"] for row in model.leaderboard_]
        assert means[0] == 1.0 and means == sorted(means, reverse=True)
        new = TABLE.drop(columns="t")[:3] if table is TABLE else table.drop("t")[:3]
        assert model.predict(new).tolist() == ["p", "q", "p"]
    model.report(tmp_path / "auto.html")
    assert (tmp_path / "auto.html").read_text().lower().startswith("<!doctype html>")
    assert model.report()["baseline"]["mean"] < 0.7 and "baseline" in model.verdict_
    assert model.leaderboard_[0]["learner"].split("(")[0] in model._repr_html_()
    with pytest.raises(mercer.DataError, match="no column 'u'"):
        mercer.auto(TABLE, "u")
    with pytest.raises(mercer.ParameterError, match="not a table"):
        mercer.auto(np.zeros((4, 2)), "t")


def test_blends_are_estimators(tmp_path):
    """The blend of the leaderboard, or a file of one, is an estimator with weights."""
    golden = next(p for parent in Path(__file__).resolve().parents for p in (parent / "crates/mercer/tests/golden").glob("blend.mercer"))
    model = mercer.load(golden)
    assert isinstance(model, mercer.BlendClassifier) and model.weights_.tolist() == [0.5, 0.3, 0.2]
    assert [one.split(" on ")[0].split("(")[0] for one in model.members_] == ["svc", "ridge", "knn"]
    new = {"numbers": np.array([[0.1, 0.2], [0.5, -0.5]]), "colours": ["red", "blue"]}
    found = model.predict_proba(new)
    assert np.allclose(found.sum(axis=1), 1.0) and model.predict(new).tolist() == model.classes_[found.argmax(axis=1)].tolist()
    mercer.save(model, tmp_path / "again.mercer")
    again = mercer.load(tmp_path / "again.mercer")
    assert np.array_equal(again.predict_proba(new), found) and again.classes_.tolist() == model.classes_.tolist()
    with pytest.raises(mercer.ParameterError, match=r"mercer\.auto"):
        model.fit(new, ["1", "2"])
    numbers = mercer.load(golden.with_name("blend-numbers.mercer"))
    assert isinstance(numbers, mercer.BlendRegressor) and numbers.weights_.sum() == 1.0
    X, y = load_diabetes(return_X_y=True)
    model = mercer.auto(X, y, time=30)
    blended = [row for row in model.leaderboard_ if row["members"]]
    assert all(abs(sum(part["weight"] for part in row["members"]) - 1.0) < 1e-9 for row in blended)


def test_objects_of_all_kinds():
    graphs, y = mercer.datasets.load_mutag()
    model = mercer.auto(graphs, y, time=20)
    assert model.leaderboard_[0]["mean"] > 0.8 and len(model.leaderboard_) >= 3
    assert model.predict(graphs[:5]).tolist() == model.best_estimator_.predict(graphs[:5]).tolist()
    sequences, y = mercer.datasets.load_promoters()
    model = mercer.auto(sequences, y, time=20)
    assert model.leaderboard_[0]["mean"] > 0.85 and set(model.predict(sequences)) <= set(y)
    X, y = load_diabetes(return_X_y=True)
    model = mercer.auto(X, y, time=20)
    assert isinstance(model, mercer.AutoRegressor) and model.leaderboard_[0]["mean"] < model.document_["baseline"]["mean"]
    assert model.score(X, y) > 0.4


def test_classes_keep_their_values_and_order():
    X, y = mercer.datasets.make_half_moons(120)
    for values in (np.array([10, 9]), np.array([2.5, -1.0]), np.array([True, False])):
        own = values[(np.asarray(y) == np.unique(y)[0]).astype(int)]
        model = mercer.AutoClassifier(time=5).fit(X, own)
        assert model.classes_.tolist() == sorted(values.tolist()) and np.mean(model.predict(X) == own) > 0.9


def test_time_is_kept_and_the_estimator_is_scikit_learns():
    X, y = mercer.datasets.make_half_moons(600)
    started = time.monotonic()
    model = mercer.auto(X, y, time=0.01)
    assert time.monotonic() - started < 20 and model.not_tried_
    auto = mercer.AutoClassifier(time=5)
    assert clone(auto).get_params() == auto.get_params()
    assert cross_val_score(auto, X, y, cv=2).mean() > 0.9
    for wrong in ({"time": 0}, {"cv": object()}, {"scoring": 3}):
        with pytest.raises(mercer.ParameterError, match=next(iter(wrong))):
            mercer.auto(X, y, **wrong)
