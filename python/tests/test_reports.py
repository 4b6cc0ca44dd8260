"""Evaluations and reports, which agree with the program."""

import json
import os
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import mercer


@pytest.fixture(scope="module")
def found():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mercer.DataWarning)
        return mercer.evaluate(
            X, y, "standardize(rbf(gamma=[0.01, 0.1, 1]))", "svc(C=[1, 10])", protocol="5-fold", seed=7
        )


def test_an_evaluation(found):
    assert 0.9 < found.mean < 1.0
    assert found.score == "accuracy" and set(found.measures) >= {"accuracy", "balanced-accuracy"}
    assert len(found.folds) == 5 and all(f["kernel"].startswith("standardize(rbf(gamma=") for f in found.folds)
    assert found.measures["accuracy"]["baseline"]["mean"] < 0.4
    assert found.verdict.startswith("Better than")
    assert "accuracy" in repr(found) and "<table>" in found._repr_html_()


def test_the_program_finds_the_same(found, tmp_path):
    program = os.environ.get("MERCER_PROGRAM")
    if not program:
        pytest.skip("MERCER_PROGRAM does not name the program")
    table = tmp_path / "iris.csv"
    X, y = load_iris(return_X_y=True)
    lines = [",".join(map(repr, map(float, row))) + f",c{label}" for row, label in zip(X, y)]
    table.write_text("a,b,c,d,species\n" + "\n".join(lines) + "\n")
    command = [program, "evaluate", str(table), "--target", "species", "-k", "standardize(rbf(gamma=[0.01, 0.1, 1]))"]
    command += ["-l", "svc(C=[1, 10])", "--protocol", "5-fold", "--seed", "7", "--json"]
    theirs = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert [f["scores"] for f in theirs["folds"]] == [f["scores"] for f in found.folds]


def test_pages_and_plots(found, tmp_path):
    page = found.report(tmp_path / "run.html")
    text = open(page, encoding="utf-8").read()
    assert text.lstrip().startswith("<!") and 'id="document"' in text and "standardize(rbf" in text
    document = found.report(tmp_path / "run.json")
    assert mercer.report(document, tmp_path / "again.html")
    assert open(tmp_path / "again.html", encoding="utf-8").read().count("echarts") == text.count("echarts")
    svg = found.plots(tmp_path / "svg")
    png = found.plots(tmp_path / "png", format="png")
    with pytest.warns(FutureWarning, match="format"):
        assert found.plots(tmp_path / "old", form="svg")
    names = {os.path.basename(p) for p in svg}
    assert {"gram.svg", "spectrum.svg", "confusion.svg", "search.svg"} <= names
    assert {os.path.basename(p).replace(".png", ".svg") for p in png} == names
    assert all(open(p, "rb").read(8) == b"\x89PNG\r\n\x1a\n" for p in png)
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".partial")]


def test_numbers_and_estimators():
    X, y = load_diabetes(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mercer.DataWarning)
        found = mercer.evaluate(X[:120], y[:120], mercer.RBF(gamma=1.0), mercer.KernelRidge(alpha=0.1), protocol="3-fold")
    assert found.score == "rmse" and found.mean > 0 and found.document["figures"]["predictions"]["classes"] is None


def test_groups_are_not_split_and_alerts_are_warnings():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    with pytest.warns(mercer.DataWarning, match="W_BASELINE"):
        found = mercer.evaluate(X, y, "rbf(gamma=1)", "svc(C=1)", groups=np.arange(60) // 6, figures=False)
    assert found.document["protocol"].startswith("group-") and "figures" not in found.document
    twice = np.vstack([X, X[:30]])
    with warnings.catch_warnings(), pytest.warns(mercer.DataWarning, match="W_TWINS 60 of 90 objects"):
        warnings.filterwarnings("ignore", message="W_BASELINE")
        mercer.evaluate(twice, np.r_[y, y[:30]], "rbf(gamma=1)", "svc(C=1)", protocol="3-fold", figures=False)


def test_invalid_arguments_are_refused(found, tmp_path):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(mercer.ParameterError):
        mercer.evaluate(X, y, "rbf(gamma=-1)", "svc")
    with pytest.raises(mercer.ParameterError):
        mercer.evaluate(X, y, 3, "svc")
    with pytest.raises(mercer.ParameterError):
        mercer.evaluate(X, y, "rbf(gamma=1)", object())
    with pytest.raises(mercer.DataError):
        mercer.evaluate(X, y[:-1], "rbf(gamma=1)", "svc")
    with pytest.raises(mercer.ParameterError):
        found.report(tmp_path / "run.pdf")
    with pytest.raises(mercer.MercerError):
        mercer.report({"schema": "other"}, tmp_path / "run.html")
    with pytest.raises(mercer.ParameterError):
        found.plots(tmp_path, "gif")
    with pytest.raises(FileNotFoundError):
        mercer.report(tmp_path / "none.json", tmp_path / "run.html")
    assert os.listdir(tmp_path) == []
