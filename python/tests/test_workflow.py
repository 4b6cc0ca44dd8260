"""Evaluations and comparisons of any estimators."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mercer

X, Y = load_iris(return_X_y=True)
CV = KFold(5, shuffle=True, random_state=1)


def test_scores_are_those_of_scikit_learn():
    pipe = make_pipeline(StandardScaler(), SVC())
    search = GridSearchCV(mercer.SVC(kernel=mercer.RBF()), {"C": [0.1, 1.0]}, cv=3)
    for one in (pipe, search, mercer.SVC(C=3.0), GaussianNB()):
        found = mercer.evaluate(one, X, Y, cv=CV, scoring="balanced_accuracy")
        expected = cross_val_score(one, X, Y, cv=CV, scoring="balanced_accuracy")
        np.testing.assert_array_equal(found.scores["balanced_accuracy"], expected)
        assert found.mean == expected.mean() and found.interval[0] < found.mean < found.interval[1]
        assert found.test["pvalue"] < 0.01 and "better" in found.verdict


def test_interval_and_test_are_corrected_for_overlap():
    found = mercer.evaluate(GaussianNB(), X, Y, cv=CV)
    scores, base = found.scores["accuracy"], found.baseline.scores["accuracy"]
    half = 2.7764451052 * scores.std(ddof=1) * np.sqrt(1 / 5 + 30 / 120)
    # An accuracy is at most 1.
    np.testing.assert_allclose(found.interval, (scores.mean() - half, min(scores.mean() + half, 1.0)))
    assert found.test["pvalue"] == mercer.compare.corrected_t(scores, base, 0.25).pvalue


def test_regression_weights_groups_and_measures():
    A, b = load_diabetes(return_X_y=True)
    weights = np.where(np.arange(len(b)) % 2, 1.0, 0.0)
    pipe = make_pipeline(StandardScaler(), mercer.KernelRidge(kernel="linear", alpha=1.0))
    found = mercer.evaluate(pipe, A, b, cv=CV, scoring=["r2", "mae"], sample_weight=weights)
    assert list(found.scores) == ["r2", "mae"] and (found.scores["mae"] < 0).all()
    plain = mercer.evaluate(pipe, A, b, cv=CV, scoring=["r2", "mae"])
    assert (found.scores["r2"] != plain.scores["r2"]).all()
    groups = np.arange(len(b)) // 10
    for train, test in mercer.evaluate(LinearRegression(), A, b, groups=groups).splits:
        assert not set(groups[train]) & set(groups[test])


def test_objects_and_matrices_are_split():
    graphs, y = mercer.datasets.load_mutag()
    assert mercer.evaluate(mercer.SVC(kernel="normalize(wl(h=2))"), graphs, y, cv=3).mean > 0.75
    K = X @ X.T
    given = mercer.evaluate(mercer.SVC(kernel="precomputed"), K, Y, cv=CV)
    own = mercer.evaluate(mercer.SVC(kernel="linear"), X, Y, cv=CV)
    np.testing.assert_array_equal(given.scores["accuracy"], own.scores["accuracy"])
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 2] > 2, "long", "short")})
    assert mercer.evaluate(mercer.SVC(kernel=mercer.RBF().on("a") + mercer.Delta().on("b")), frame, Y, cv=3).mean > 0.6


def test_comparison(tmp_path):
    methods = {"svm <b>": mercer.SVC(), "bayes": GaussianNB(), "wrong": make_pipeline(StandardScaler(), SVC(C=1e-6))}
    found = mercer.compare(methods, X, Y, cv=CV)
    assert found.ranking[-1] == "wrong" and len(found.pairs) == 3
    for pair in found.pairs:
        a, b = (found[pair[which]].scores["accuracy"] for which in ("first", "second"))
        assert pair["pvalue"] == (mercer.compare.corrected_t(a, b, 0.25).pvalue if np.ptp(a - b) else 1.0)
        assert pair["adjusted"] >= pair["pvalue"] and 0 <= pair["mcnemar"] <= 1
    assert [p for p in found.pairs if "wrong" in p.values()][0]["mcnemar"] < 1e-6
    page = open(found.report(tmp_path / "out.html")).read()
    assert "svm &lt;b&gt;" in page and "<b>" not in page and "http" not in page and "<svg" in page
    stored = json.load(open(found.report(tmp_path / "out.json")))
    assert [one["name"] for one in stored["methods"]] == [*methods, "baseline"]
    assert "svm &lt;b&gt;" in found._repr_html_() and found["bayes"].name == "bayes"
    with pytest.raises(KeyError):
        found["nobody"]


def test_five_by_two_folds_use_their_test():
    found = mercer.compare([mercer.SVC(), GaussianNB()], X, Y, cv=mercer.FiveByTwo(random_state=3))
    a, b = (one.scores["accuracy"] for one in found.methods)
    assert found.pairs[0]["pvalue"] == mercer.compare.five_by_two_f(a, b).pvalue
    assert found.pairs[0]["mcnemar"] is None


def test_wrong_calls_are_refused():
    for wrong, message in [
        (dict(methods={}), "no estimator"),
        (dict(methods=mercer.SVC()), "takes several"),
        (dict(methods={"a": mercer.SVC(), "b": mercer.SVR()}), "all be"),
        (dict(methods={"a": "svc"}), "not an estimator"),
        (dict(methods=[mercer.SVC(), mercer.SVC()]), "same name"),
    ]:
        with pytest.raises(mercer.ParameterError, match=message):
            mercer.compare(X=X, y=Y, **wrong)
    with pytest.raises(mercer.DataError, match="inconsistent"):
        mercer.evaluate(mercer.SVC(), X, Y[:5])
    with pytest.raises(mercer.ParameterError, match="protocol"):
        mercer.evaluate(mercer.SVC(), X, Y, protocol="5-fold")
    with pytest.raises(mercer.ParameterError, match="must end in"):
        mercer.evaluate(mercer.SVC(), X, Y, cv=3).report("out.pdf")


def test_the_old_form_and_the_old_names():
    options = dict(protocol="3-fold", inner="2-fold", figures=False)
    a = mercer.evaluate(X, Y, "rbf(gamma=[0.1, 1])", "svc", random_state=3, **options)
    with pytest.warns(FutureWarning, match="seed is deprecated"):
        b = mercer.evaluate(X=X, y=Y, kernel="rbf(gamma=[0.1, 1])", learner="svc", seed=3, **options)
    assert a.mean == b.mean
    with pytest.raises(mercer.ParameterError, match="takes an estimator"):
        mercer.evaluate(X)
