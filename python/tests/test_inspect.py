"""What is in data, and what is wrong with it."""

import json
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris

import mercer

pd = pytest.importorskip("pandas")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    survived = rng.integers(0, 2, 200)
    return pd.DataFrame(
        {
            "survived": survived,
            "age": rng.normal(40, 12, 200).round(1),
            "sex": np.where(rng.random(200) < 0.5, "male", "female"),
            "alive": np.where(survived == 1, "yes", "no"),
            "ticket": [f"A{i:04d}" for i in rng.permutation(200)],
        }
    )


def codes(found):
    return [finding["code"] for finding in found.findings]


def test_a_leak_and_an_identifier_are_found(frame):
    found = mercer.inspect(frame, target="survived")
    assert codes(found)[:2] == ["W_TARGET_COPY", "W_IDENTIFIER"]
    first = found.findings[0]
    assert first["columns"] == ["alive"] and first["severity"] == "high"
    assert first["evidence"]["balanced_accuracy"] == 1.0
    assert 'ignore="alive"' in first["advice"]
    assert "W_TARGET_COPY" in repr(found) and "age" in repr(found)
    assert codes(mercer.inspect(frame, target="survived", ignore=["alive", "ticket"])) == []


def test_columns_are_described_and_targets_suggested(frame):
    found = mercer.inspect(frame)
    assert found.target is None and "survived" in [c["name"] for c in found.candidates]
    age = next(c for c in found.columns if c["name"] == "age")
    assert age["kind"] == "numbers" and sum(age["range"]["histogram"]) == 200
    sex = next(c for c in found.columns if c["name"] == "sex")
    assert dict(sex["levels"]) == frame["sex"].value_counts().to_dict()
    json.dumps(found.document)


def test_arrays_groups_and_splits():
    X, y = load_iris(return_X_y=True)
    assert codes(mercer.inspect(X, y)) == []
    groups, test = np.arange(150) // 5, np.arange(150) % 3 == 0
    assert "W_GROUPS" in codes(mercer.inspect(X, y, groups=groups, test=test))
    twice = mercer.inspect(np.vstack([X, X[::3]]), np.concatenate([y, y[::3]]), test=np.arange(200) >= 150)
    assert codes(twice)[0] == "W_SPLIT_COPIES"


def test_missing_targets_are_left_out(frame):
    frame["survived"] = frame["survived"].astype(object)
    frame.loc[:9, "survived"] = None
    found = mercer.inspect(frame, target="survived")
    assert found.document["objects"] == 190 and codes(found)[0] == "W_TARGET_COPY"


def test_what_is_refused(frame):
    with pytest.raises(mercer.DataError, match="no column 'age2'"):
        mercer.inspect(frame, target="age2")
    with pytest.raises(mercer.ParameterError, match="two targets"):
        mercer.inspect(frame, frame["survived"], target="survived")
    with pytest.raises(mercer.ParameterError, match="not a table"):
        mercer.inspect(np.zeros((5, 2)), target="x")
    with pytest.raises(mercer.DataError, match="inconsistent"):
        mercer.inspect(frame, [1, 2])


def test_evaluate_warns(frame):
    X = frame[["age"]].assign(result=frame["survived"] * 1.0)
    with pytest.warns(mercer.DataWarning, match="W_TARGET_COPY"):
        mercer.evaluate(X, frame["survived"], "standardize(rbf)", "svc", protocol="3-fold", figures=False)


def test_values_not_seen_in_training(frame):
    """W_UNSEEN: categories that no training object has, at prediction and in a test set."""
    X, y = frame[["age", "sex"]].astype({"sex": "category"}), frame["survived"]
    model = mercer.SVC(kernel=mercer.Hamming(columns="sex")).fit(X[["sex"]], y)
    known = X[["sex"]].iloc[:20]
    with warnings.catch_warnings():
        warnings.simplefilter("error", mercer.DataWarning)
        expected = model.predict(known)
    shouted = pd.DataFrame({"sex": known["sex"].astype(str).str.upper()})
    message = r"W_UNSEEN column 'sex': 20 of 20 values were not seen in training \('(FE)?MALE', '(FE)?MALE'\); known are"
    with pytest.warns(mercer.DataWarning, match=message):
        found = model.predict(shouted)
    assert found.shape == expected.shape
    both = pd.concat([X.astype({"sex": str}), X.iloc[:20].astype({"sex": str}).assign(sex=lambda t: t["sex"].str.upper())])
    found = mercer.inspect(both, [*y, *y[:20]], test=np.arange(220) >= 200)
    unseen = next(f for f in found.findings if f["code"] == "W_UNSEEN")
    assert unseen["columns"] == ["sex"] and unseen["evidence"] == {"objects": 20.0, "of": 20.0}
    assert unseen["severity"] == "high" and sorted(unseen["objects"]) == list(range(200, 220))


def test_objects_dropped_in_training_are_dropped_in_prediction(tmp_path, program):
    rows = "".join(f"{'' if i == 3 else i % 5},{i % 3},,{'ab'[i % 2]}\n" for i in range(40))
    (tmp_path / "a.csv").write_text("x,z,note,class\n" + rows)
    (tmp_path / "new.csv").write_text("x,z,note\n1,2,\n,2,\n2,0,\n")
    command = [program, "fit", "a.csv", "--missing", "drop", "-k", "linear@x,z", "-l", "svc", "-o", "m.mercer", "-q"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    model = mercer.load(tmp_path / "m.mercer")
    with pytest.warns(mercer.DataWarning, match="W_DROPPED 1 of 3 objects left out"):
        found = model.predict(tmp_path / "new.csv")
    np.testing.assert_array_equal(found, model.predict(pd.DataFrame({"x": [1.0, 2.0], "z": [2.0, 0.0]})))
