"""Locations of training objects (SPEC E2), leave-one-out residuals of ridge, and the best value in hindsight (A13)."""

import json
import pickle
import subprocess

import numpy as np
import pytest
import sklearn.kernel_ridge
import sklearn.svm
from sklearn.base import clone

import mercer

# ---------------------------------------------------------------------- E2


def locations(decision, y, C, dual, tol=1e-2):
    """Locations from the dual variables, checked by the margin: y·f compared with 1."""
    inside, on = dual >= C - 1e-9, (dual > 1e-9) & (dual < C - 1e-9)
    assert (np.abs(y * decision - 1)[on] < tol).all()
    assert ((y * decision)[inside] < 1 + tol).all()
    assert ((y * decision)[~inside & ~on] > 1 - tol).all()
    return np.where(inside, "inside", np.where(on, "on", "outside"))


def test_two_classes(two_classes):
    X, y = two_classes
    ours = mercer.SVC(C=1.5, gamma=0.3, tol=1e-6).fit(X, y)
    theirs = sklearn.svm.SVC(C=1.5, gamma=0.3, tol=1e-6).fit(X, y)
    dual = np.zeros(len(X))
    dual[theirs.support_] = np.abs(theirs.dual_coef_[0])
    expected = locations(theirs.decision_function(X), 2 * y - 1, 1.5, dual)
    np.testing.assert_array_equal(ours.locations_, expected)
    assert {"outside", "on", "inside"} == set(ours.locations_)
    np.testing.assert_array_equal(np.flatnonzero(ours.locations_ != "outside"), np.sort(ours.support_))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ours)).locations_, ours.locations_)


def test_pairs_of_classes_and_files(iris, tmp_path, program):
    X, y = iris
    model = mercer.SVC(C=1.0, gamma=0.5).fit(X, y)
    found = model.locations_
    assert found.shape == (150, 3)
    names = list(model.certificate_)
    for at, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        of_pair = (y == a) | (y == b)
        assert (found[~of_pair, at] == "").all() and (found[of_pair, at] != "").all()
        alone = mercer.SVC(C=1.0, gamma=0.5).fit(X[of_pair], y[of_pair])
        np.testing.assert_array_equal(found[of_pair, at], alone.locations_)
    mercer.save(model, tmp_path / "iris.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "iris.mercer").locations_, found)
    run = [program, "inspect", "iris.mercer", "--locations", "where.csv", "-q"]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    table = [line.split(",") for line in (tmp_path / "where.csv").read_text().splitlines()]
    assert table[0] == ["object", *names]
    np.testing.assert_array_equal(np.array(table[1:])[:, 1:], found)
    assert [row[0] for row in table[1:]] == [str(i + 1) for i in range(150)]


def test_regression_and_one_class(numbers):
    X, y = numbers
    model = mercer.SVR(C=1.0, epsilon=0.2, gamma=0.3, tol=1e-6).fit(X, y)
    off = np.abs(y - model.predict(X))
    assert (off[model.locations_ == "outside"] < 0.2 + 1e-3).all()
    assert (off[model.locations_ == "inside"] > 0.2 - 1e-3).all()
    assert np.abs(off[model.locations_ == "on"] - 0.2).max() < 1e-3
    model = mercer.OneClassSVM(nu=0.3, gamma=0.3, tol=1e-6).fit(X)
    values = model.decision_function(X)
    assert (values[model.locations_ == "inside"] < 1e-3).all() and (values[model.locations_ == "outside"] > -1e-3).all()


def test_a_gram_matrix_and_an_unfitted_estimator(two_classes):
    X, y = two_classes
    K = mercer.RBF(gamma=0.3).gram(X)
    ours = mercer.SVC(kernel="precomputed", C=1.5).fit(K, y)
    np.testing.assert_array_equal(ours.locations_, mercer.SVC(C=1.5, gamma=0.3).fit(X, y).locations_)
    assert not hasattr(mercer.SVC(), "locations_")


# ---------------------------------------------------------------------- ridge


@pytest.mark.parametrize("intercept", [False, True])
def test_residuals_agree_with_fits_without_the_object(numbers, intercept):
    X, y = numbers[0][:40], numbers[1][:40] + 3.0
    model = mercer.KernelRidge(alpha=0.5, kernel="rbf", gamma=0.4, fit_intercept=intercept)
    found = model.leave_one_out(X, y)
    assert found.shape == (40,) and not hasattr(model, "dual_coef_")
    for i in range(0, 40, 7):
        rest = np.arange(40) != i
        assert found[i] == pytest.approx(y[i] - clone(model).fit(X[rest], y[rest]).predict(X[[i]])[0], abs=1e-9)
    if not intercept:
        theirs = sklearn.kernel_ridge.KernelRidge(alpha=0.5, kernel="rbf", gamma=0.4)
        one = theirs.fit(X[1:], y[1:]).predict(X[:1])[0]
        assert found[0] == pytest.approx(y[0] - one, abs=1e-9)
        K = mercer.RBF(gamma=0.4).gram(X)
        G = np.linalg.inv(K + 0.5 * np.eye(40))
        np.testing.assert_allclose(found, (G @ y) / np.diag(G), rtol=1e-9)


def test_residuals_of_classes(iris):
    X, y = iris
    model = mercer.KernelRidgeClassifier(alpha=0.1, kernel="rbf", gamma=0.5)
    found = model.leave_one_out(X, y)
    assert found.shape == (150, 3)
    signs = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    rest = np.arange(150) != 77
    values = clone(model).fit(X[rest], y[rest]).decision_function(X[[77]])
    np.testing.assert_allclose(signs[77] - found[77], values[0], atol=1e-9)
    two = model.leave_one_out(X[:100], y[:100])
    assert two.shape == (100,)
    values = clone(model).fit(X[1:100], y[1:100]).decision_function(X[:1])
    assert -1.0 - two[0] == pytest.approx(values[0], abs=1e-9)


def test_warnings_and_errors_of_residuals(numbers):
    X, y = numbers
    with pytest.warns(mercer.DataWarning, match="fitted to all objects"):
        mercer.KernelRidge(kernel=mercer.Standardize(mercer.RBF(gamma=0.3))).leave_one_out(X, y)
    with pytest.raises(mercer.MercerError, match="landmarks"):
        mercer.KernelRidge(kernel="rbf", landmarks=10).leave_one_out(X, y)
    with pytest.raises(mercer.MercerError, match="inconsistent"):
        mercer.KernelRidge().leave_one_out(X, y[:-1])


def test_the_program_writes_the_same_residuals(numbers, program, tmp_path):
    X, y = numbers
    rows = [",".join(map(repr, [*x, value])) for x, value in zip(X.tolist(), y.tolist())]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,d,y", *rows]) + "\n")
    learner = "ridge(lambda=0.5, intercept=yes)"
    run = [program, "evaluate", "t.csv", "-k", "rbf(gamma=0.3)", "-l", learner, "--residuals", "r.csv", "--json"]
    printed = json.loads(subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True).stdout)
    found = np.loadtxt(tmp_path / "r.csv", delimiter=",", skiprows=1)
    ours = mercer.KernelRidge(alpha=0.5, kernel="rbf", gamma=0.3, fit_intercept=True).leave_one_out(X, y)
    np.testing.assert_allclose(found[:, 1], ours, rtol=1e-9)
    np.testing.assert_array_equal(found[:, 1], printed["leave_one_out"]["residuals"])
    assert printed["leave_one_out"]["rmse"] == pytest.approx(np.sqrt((ours**2).mean()))


# ---------------------------------------------------------------------- A13


def test_the_best_value_in_hindsight():
    X, y = mercer.datasets.make_half_moons(80, random_state=1)
    kernel, learner = "walk(rbf(gamma=[0.5, 2]), p=[1, 2, 4])", "svc(C=[1, 10])"
    settings = {"protocol": "3-fold", "inner": "2-fold", "figures": False, "seed": 5}
    found = mercer.evaluate(X, y, kernel, learner, best_of="p", **settings)
    plain = mercer.evaluate(X, y, kernel, learner, **settings)
    assert plain.best_of is None and found.mean == plain.mean
    best = found.best_of
    assert [v["value"] for v in best["values"]] == ["1", "2", "4"]
    for value in best["values"]:
        text = kernel.replace("[1, 2, 4]", value["value"])
        assert value["mean"] == mercer.evaluate(X, y, text, learner, **settings).mean
    assert best["best"]["mean"] == max(v["mean"] for v in best["values"])
    assert best["chosen_on"] == "test sets" and "optimistic" in best["note"]
    of_learner = mercer.evaluate(X, y, "rbf(gamma=1)", learner, best_of="C", **settings).best_of
    assert [v["value"] for v in of_learner["values"]] == ["1", "10"]
    with pytest.raises(mercer.MercerError, match="gamma, p, C"):
        mercer.evaluate(X, y, kernel, learner, best_of="q", **settings)
