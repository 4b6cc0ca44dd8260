"""Conformal prediction around estimators of this package and of others."""

import pickle
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer


def classes(n=1000, seed=0):
    X, y = make_classification(n, 6, n_informative=4, n_classes=3, flip_y=0.15, random_state=seed)
    return X, np.array(["a", "b", "c"])[y]


def numbers(n=800, seed=0):
    X, y = make_regression(n, 4, noise=15.0, random_state=seed)
    return X, y


def share(sets, estimator, y):
    return sets[np.arange(len(y)), np.searchsorted(estimator.classes_, y)].mean()


CLASSIFIERS = [
    mercer.SVC(kernel="standardize(rbf)"),
    mercer.KernelRidgeClassifier(kernel="rbf", gamma=0.1),
    mercer.KNeighborsClassifier(7),
    LogisticRegression(),
    KNeighborsClassifier(7),
    make_pipeline(StandardScaler(), mercer.SVC()),
]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda e: f"{type(e).__module__.split('.')[0]}-{type(e).__name__}")
@pytest.mark.parametrize("method", ["cv+", "split"])
@pytest.mark.parametrize("score", ["least-ambiguous", "adaptive", "regularized"])
def test_sets_cover(estimator, method, score):
    X, y = classes()
    fitted = mercer.ConformalClassifier(estimator, method=method, test_size=0.5, score_function=score).fit(X[:500], y[:500])
    for confidence in (0.8, 0.9):
        sets = fitted.predict_set(X[500:], confidence=confidence)
        assert sets.shape == (500, 3) and sets.dtype == bool
        # Five standard deviations of 500 test and at least 250 calibration objects.
        slack = 5 * np.sqrt(confidence * (1 - confidence) * (1 / 500 + 1 / 250))
        assert abs(share(sets, fitted, y[500:]) - confidence) < slack
    p = fitted.p_values(X[500:])
    np.testing.assert_array_equal(p > 0.1, fitted.predict_set(X[500:]))
    assert (fitted.predict(X[500:]) == fitted.estimator_.predict(X[500:])).all()


@pytest.mark.parametrize("estimator", [mercer.SVC(kernel="standardize(rbf)"), LogisticRegression()])
def test_sets_cover_each_class_and_group(estimator):
    X, y = classes(1600, 1)
    keep = (y != "c") | (np.arange(1600) % 3 == 0)
    X, y = X[keep], y[keep]
    half = len(y) // 2
    fitted = mercer.ConformalClassifier(estimator, by="class").fit(X[:half], y[:half])
    sets = fitted.predict_set(X[half:])
    for name in "abc":
        of = y[half:] == name
        assert share(sets[of], fitted, y[half:][of]) > 0.9 - 5 * np.sqrt(0.09 * (1 / of.sum() + 1 / (y[:half] == name).sum()))
    groups = np.where(X[:, 0] > 0, "right", "left")
    fitted = mercer.ConformalClassifier(estimator, by="group").fit(X[:half], y[:half], groups=groups[:half])
    sets = fitted.predict_set(X[half:], groups=groups[half:])
    for name in ("left", "right"):
        of = groups[half:] == name
        assert abs(share(sets[of], fitted, y[half:][of]) - 0.9) < 5 * np.sqrt(0.09 * (1 / of.sum() + 1 / half * 2))
    assert sorted(name for name, _ in fitted.calibration_.strata) == ["left", "right"]
    with pytest.warns(mercer.DataWarning, match="calibration"):
        everything = fitted.predict_set(X[:3], groups=["up", "up", "up"])
    assert everything.all()
    with pytest.raises(mercer.DataError, match="groups"):
        fitted.predict_set(X[:3])
    with pytest.raises(mercer.DataError, match="groups"):
        clone(fitted).fit(X, y)


REGRESSORS = [
    mercer.KernelRidge(kernel="standardize(rbf)", alpha=0.1, fit_intercept=True),
    mercer.GaussianProcessRegressor(kernel="standardize(linear)"),
    mercer.SVR(kernel="linear", C=100.0),
    LinearRegression(),
    make_pipeline(StandardScaler(), mercer.KernelRidge(kernel="linear", fit_intercept=True)),
]


@pytest.mark.parametrize("estimator", REGRESSORS, ids=lambda e: f"{type(e).__module__.split('.')[0]}-{type(e).__name__}")
@pytest.mark.parametrize("method, score", [("cv+", "absolute"), ("split", "absolute"), ("cv+", "normalized"), ("split", "normalized")])
def test_intervals_cover(estimator, method, score):
    X, y = numbers()
    fitted = mercer.ConformalRegressor(estimator, method=method, cv=5, test_size=0.5, score_function=score).fit(X[:300], y[:300])
    before = None
    for confidence in (0.8, 0.9, 0.95):
        found = fitted.predict_interval(X[300:], confidence)
        assert found.shape == (500, 2)
        held = ((found[:, 0] <= y[300:]) & (y[300:] <= found[:, 1])).mean()
        slack = 5 * np.sqrt(confidence * (1 - confidence) * (1 / 500 + 1 / 150))
        assert confidence - slack < held < min(confidence + slack, 1 + 1e-9)
        assert before is None or (found[:, 1] - found[:, 0] >= before - 1e-9).all()
        before = found[:, 1] - found[:, 0]
    assert (score == "absolute") == (np.ptp(before) < 1e-6 * before.mean()) or method == "cv+"


def test_leave_one_out_of_ridge_is_that_of_fitting_again():
    X, y = numbers(60)
    ridge = mercer.KernelRidge(kernel=mercer.RBF(gamma=0.1), alpha=0.5)
    closed = mercer.ConformalRegressor(ridge, method="jackknife+").fit(X[:40], y[:40])
    # In a pipeline it is any estimator, which is fitted 40 times.
    fits = mercer.ConformalRegressor(make_pipeline(ridge), method="jackknife+").fit(X[:40], y[:40])
    np.testing.assert_allclose(closed.predict_interval(X[40:]), fits.predict_interval(X[40:]), rtol=1e-6)
    assert closed.calibration_.method == fits.calibration_.method == "jackknife"
    other = mercer.ConformalRegressor(mercer.SVR(), method="jackknife+").fit(X[:20], y[:20])
    assert other.calibration_.objects == 20 and np.isfinite(other.predict_interval(X[40:], 0.9)).all()


def test_the_engine_calibrates_estimators_of_this_package_as_the_program_does(program, tmp_path):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    rows = ["a,b,c,d,class"] + [",".join(map(repr, x.tolist())) + f",{name}" for x, name in zip(X, names)]
    (tmp_path / "iris.csv").write_text("\n".join(rows) + "\n")
    call = lambda *words: subprocess.run([program, *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    call("fit", "iris.csv", "-k", "standardize(rbf(gamma=0.5))", "-l", "svc(C=2)", "--conformal", "-o", "m.mercer")
    told = call("predict", "m.mercer", "iris.csv", "--confidence", "0.95").splitlines()[1:]
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcd"))
    loaded = mercer.load(tmp_path / "m.mercer")
    sets = loaded.predict_set(frame, 0.95)
    assert ["|".join(loaded.classes_[row]) for row in sets] == [line.split(",")[1] for line in told]
    np.testing.assert_allclose(loaded.typicality(frame), [float(line.split(",")[2]) for line in told], atol=5e-5)
    fitted = mercer.ConformalClassifier(mercer.SVC(kernel=mercer.Standardize(mercer.RBF(gamma=0.5)), C=2.0)).fit(frame, names)
    fitted.save(tmp_path / "again.mercer")
    again = call("predict", "again.mercer", "iris.csv", "--confidence", "0.95").splitlines()[1:]
    kept = mercer.load(tmp_path / "again.mercer")
    np.testing.assert_array_equal(kept.predict_set(frame, 0.95), fitted.predict_set(frame, 0.95))
    assert ["|".join(fitted.classes_[row]) for row in fitted.predict_set(frame, 0.95)] == [line.split(",")[1] for line in again]
    with pytest.raises(AttributeError, match="calibration|no attribute"):
        mercer.SVC().fit(X, y).predict_set
    with pytest.raises(AttributeError):
        loaded.predict_interval


def test_objects_of_every_kind():
    smiles = [f"{'C' * a}{b}" for a in range(1, 13) for b in ("O", "N", "Cl", "")]
    y = np.array([len(s) + (s[-1] == "O") for s in smiles], dtype=float)
    fitted = mercer.ConformalRegressor(mercer.GaussianProcessRegressor(kernel="tanimoto(ecfp)"), cv=5).fit(smiles, y)
    found = fitted.predict_interval(["CCCCO", "CCN"], 0.8)
    assert (found[:, 0] < found[:, 1]).all()
    typical = fitted.typicality(["CCCCO", "O=S(=O)(c1ccccc1)c1ccc2nc3ccccc3cc2c1"])
    assert typical[1] < 0.05 < typical[0] and fitted.in_domain(["CCCCO"])[0]
    words = ["abab", "abba", "aabb", "baba", "bbaa"] * 6 + ["cdcd", "cddc", "ccdd", "dcdc", "ddcc"] * 6
    target = ["ab"] * 30 + ["cd"] * 30
    strings = mercer.ConformalClassifier(mercer.SVC(kernel="spectrum(k=2)"), cv=5).fit(words, target)
    assert strings.predict_set(["abbb", "cddd"], 0.9).tolist() == [[True, False], [False, True]]
    with pytest.raises(mercer.DataError):
        mercer.ConformalClassifier(mercer.SVC(kernel="precomputed")).fit(np.eye(10), [0, 1] * 5)


def test_typicality_around_other_estimators():
    X, y = numbers(300)
    fitted = mercer.ConformalRegressor(LinearRegression()).fit(X[:200], y[:200])
    p = fitted.typicality(X[200:])
    assert 0.0 < p.min() and (p <= 0.1).mean() < 0.25
    assert fitted.in_domain([[50.0, 0, 0, 0], [0.0, 0, 0, 0]]).tolist() == [False, True]
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.typicality(X[200:]), p)
    np.testing.assert_array_equal(again.predict_interval(X[200:]), fitted.predict_interval(X[200:]))

    class Lengths(LinearRegression):
        def fit(self, X, y):
            return super().fit([[len(x)] for x in X], y)

        def predict(self, X):
            return super().predict([[len(x)] for x in X])

    words = ["a" * (i % 7 + 1) for i in range(40)]
    own = mercer.ConformalRegressor(Lengths()).fit(words, [float(len(w)) for w in words])
    assert np.isfinite(own.predict_interval(["aaa"], 0.8)).all()
    with pytest.raises(mercer.DataError, match="typicality_kernel"):
        own.typicality(["aaa"])
    own = mercer.ConformalRegressor(Lengths(), typicality_kernel="spectrum(k=1)").fit(words, [float(len(w)) for w in words])
    assert own.typicality(["aaa"])[0] > 0.1


def test_sets_do_not_depend_on_other_objects():
    X, y = classes(300)
    for estimator in (mercer.SVC(), LogisticRegression(), RandomForestClassifier(20, random_state=0)):
        fitted = mercer.ConformalClassifier(estimator, score_function="adaptive", random_state=3).fit(X[:200], y[:200])
        sets = fitted.predict_set(X[200:], 0.8)
        np.testing.assert_array_equal(fitted.predict_set(X[200:][::-1], 0.8)[::-1], sets)
        np.testing.assert_array_equal(fitted.predict_set(X[205:206], 0.8)[0], sets[5])
        again = clone(fitted).fit(X[:200], y[:200])
        np.testing.assert_array_equal(again.predict_set(X[200:], 0.8), sets)


def test_tools_of_scikit_learn():
    X, y = classes(200)
    inner = GridSearchCV(make_pipeline(StandardScaler(), mercer.SVC()), {"svc__C": [0.1, 1.0]}, cv=2)
    fitted = mercer.ConformalClassifier(inner, method="split").fit(X, y)
    assert fitted.predict_set(X).shape == (200, 3) and fitted.decision_function(X).shape == (200, 3)
    assert fitted.set_params(estimator__cv=3).get_params()["estimator__cv"] == 3
    outer = GridSearchCV(mercer.ConformalClassifier(mercer.SVC(), cv=3), {"estimator__C": [0.1, 1.0]}, cv=2).fit(X, y)
    assert outer.best_params_["estimator__C"] in (0.1, 1.0)
    forest = mercer.ConformalRegressor(RandomForestRegressor(20, random_state=0), cv=3).fit(X, X[:, 0])
    assert (np.diff(forest.predict_interval(X[:5])) > 0).all()
    with pytest.raises(AttributeError):
        mercer.ConformalClassifier(mercer.SVC()).fit(X, y).predict_proba
    assert mercer.ConformalClassifier(mercer.SVC(probability=True)).fit(X, y).predict_proba(X).shape == (200, 3)


@pytest.mark.parametrize("estimator", [mercer.SVC(), LogisticRegression()])
def test_bad_input_of_classes(estimator):
    X, y = classes(60)
    fitted = mercer.ConformalClassifier(estimator, cv=5).fit(X, y)
    for confidence in (0, 1, -0.1, 1.5, float("nan"), float("inf"), "0.9", None, [0.9]):
        with pytest.raises(ValueError, match="confidence"):
            fitted.predict_set(X, confidence)
    with pytest.raises(mercer.NotFittedError):
        clone(fitted).predict_set(X)
    with pytest.raises(ValueError, match="sample"):
        clone(fitted).fit(X[:4], y[:4])
    with pytest.raises(ValueError, match="class"):
        clone(fitted).fit(X, ["a"] * 60)
    # A class of one object: without it one class is left.
    with pytest.raises(ValueError, match="too few objects to calibrate"):
        clone(fitted).fit(X, ["a"] * 59 + ["b"])
    # Of three classes, one object of the third: nothing is left out of its sets, and a warning says so.
    rare = np.array(["a", "b"] * 30)
    rare[7] = "c"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_class = mercer.ConformalClassifier(estimator, cv=5, by="class").fit(X, rare)
    with pytest.warns(mercer.DataWarning, match="too few"):
        assert by_class.predict_set(X, 0.9)[:, 2].all()
    for wrong in (
        {"method": "often"}, {"method": 3}, {"cv": 1}, {"cv": "5"}, {"cv": True}, {"by": "sex"}, {"score_function": "absolute"},
        {"method": "split", "test_size": 0}, {"method": "split", "test_size": 1.0}, {"estimator": 3}, {"estimator": mercer.SVC},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            clone(fitted).set_params(**wrong).fit(X, y)


@pytest.mark.parametrize("estimator", [mercer.KernelRidge(), LinearRegression()])
def test_bad_input_of_numbers(estimator):
    X, y = numbers(60)
    fitted = mercer.ConformalRegressor(estimator, cv=5).fit(X, y)
    for confidence in (0, 1, float("nan"), "0.9"):
        with pytest.raises(ValueError, match="confidence"):
            fitted.predict_interval(X, confidence)
    with pytest.raises(ValueError, match="sample"):
        clone(fitted).fit(X[:4], y[:4])
    with pytest.raises(ValueError, match="NaN"):
        clone(fitted).fit(X, np.r_[np.nan, y[1:]])
    with pytest.warns(mercer.DataWarning, match="too few"):
        assert np.isinf(fitted.predict_interval(X[:2], 0.999)).all()
    constant = clone(fitted).set_params(estimator__fit_intercept=True).fit(X, np.full(60, 7.0))
    np.testing.assert_allclose(constant.predict_interval(X, 0.9), 7.0, atol=1e-6)
    one_group = clone(fitted)
    with pytest.raises(ValueError, match="group"):
        one_group.fit(X, y, groups=["g"] * 60)


def test_groups_are_not_divided():
    X, y = numbers(120)
    groups = np.repeat(np.arange(12), 10)
    for estimator in (mercer.KernelRidge(), LinearRegression()):
        fitted = mercer.ConformalRegressor(estimator, cv=4).fit(X, y, groups=groups)
        assert fitted.calibration_.objects == 120
        assert np.isfinite(fitted.predict_interval(X, 0.9)).all()
