"""Explanations by columns: Shapley values of any model, as arrays, frames and plots."""

import itertools
import math

import numpy as np
import pytest

import mercer

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 4))
Y = np.sin(X[:, 0]) * X[:, 1] + 0.5 * X[:, 2]
CLASSES = np.array(["low", "middle", "high"])[np.digitize(Y, [-0.4, 0.4])]


def brute(f, x, background):
    """The Shapley values of f by their formula over all sets of columns."""
    d = len(x)

    def worth(inside):
        rows = background.copy()
        rows[:, list(inside)] = x[list(inside)]
        return f(rows).mean(axis=0)

    values = []
    for j in range(d):
        others = [k for k in range(d) if k != j]
        value = 0.0
        for size in range(d):
            weight = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
            for inside in itertools.combinations(others, size):
                value = value + weight * (worth((*inside, j)) - worth(inside))
        values.append(value)
    return np.array(values)


REGRESSORS = [
    mercer.SVR(kernel=mercer.RBF(gamma=0.3), C=10.0),
    mercer.KernelRidge(kernel=mercer.Laplacian(gamma=0.3), alpha=0.1),
    mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.3)),
]


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda m: type(m).__name__)
def test_regression_equals_the_sum_over_all_sets(model):
    model.fit(X, Y)
    background = X[:8]
    found = model.explain(X[10:13], background=background)
    assert found.exact and found.columns == ["x[1]", "x[2]", "x[3]", "x[4]"] and found.errors is None
    for values, x in zip(found.values, X[10:13]):
        assert np.allclose(values, brute(model.predict, x, background), atol=1e-9)
    assert np.allclose(found.base_values + found.values.sum(axis=1), model.predict(X[10:13]), atol=1e-9)


def test_two_classes_and_more():
    two = np.where(Y > 0, "yes", "no")
    model = mercer.SVC(kernel=mercer.RBF(gamma=0.3)).fit(X, two)
    found = model.explain(X[:3], background=X[20:30])
    assert found.values.shape == (3, 4) and found.classes == ["yes"]
    assert found.class_ == "yes" and "speak for class yes, negative ones for no" in repr(found)
    for values, x in zip(found.values, X[:3]):
        assert np.allclose(values, brute(model.decision_function, x, X[20:30]), atol=1e-9)
    several = mercer.SVC(kernel=mercer.RBF(gamma=0.3)).fit(X, CLASSES)
    found = several.explain(X[:3], background=X[20:30])
    assert found.values.shape == (3, 4, 3) and found.base_values.shape == (3, 3)
    assert sorted(found.classes) == sorted(set(CLASSES)) and found.class_ is None
    assert "a slice for each class" in repr(found)


@pytest.mark.parametrize("probabilities", [False, True])
@pytest.mark.parametrize("target", ["two", "more"])
def test_the_class_that_values_speak_for_can_be_chosen(target, probabilities):
    pytest.importorskip("pandas")
    y = np.where(Y > 0, "yes", "no") if target == "two" else np.asarray(CLASSES)
    model = mercer.SVC(kernel=mercer.RBF(gamma=0.3), probability=True).fit(X, y)
    at = [int(np.flatnonzero(model.predict(X) == name)[0]) for name in model.classes_]
    found = model.explain(X[at], background=X[20:30]).compute(size=10, probabilities=probabilities)
    assert [one.class_ for one in found] == list(model.classes_) and f"class {model.classes_[0]}" in repr(found[0])
    output = model.predict_proba(X[at]) if probabilities else model.decision_function(X[at])
    if output.ndim == 1:
        output = np.stack([-output, output], axis=1)
    for code, name in enumerate(model.classes_):
        table = found.to_frame(class_=name)
        assert list(table["class"]) == [name] * len(at)
        total = table.drop(columns="class").sum(axis=1)
        if target == "two" or probabilities:
            np.testing.assert_allclose(total, output[:, code], atol=1e-9)
    table = found.to_frame(class_="predicted")
    assert list(table["class"]) == list(model.classes_)
    for row, name in enumerate(model.classes_):
        other = found.to_frame(class_=name)
        np.testing.assert_array_equal(table.drop(columns="class").iloc[row], other.drop(columns="class").iloc[row])
    if target == "two":
        assert list(found.to_frame()["class"]) == [model.classes_[1]] * 2
        with pytest.raises(mercer.ParameterError, match="output"):
            found.to_frame(output=1)
    with pytest.raises(mercer.ParameterError, match="'predicted' or one of"):
        found.to_frame(class_="maybe")


def test_any_model_is_explained_and_single_objects_too():
    model = mercer.KNeighborsClassifier(n_neighbors=3).fit(X, CLASSES)
    found = model.explain(X[:2], background=X[:5])
    assert found[0].by == "columns" and "exact" in found.method and "mean of the background" in repr(found[0])
    total = found[0].offset + found[0].rest + sum(part["amount"] for part in found[0].features)
    assert np.isclose(total, found[0].value)
    linear = mercer.SVC(kernel=mercer.Linear()).fit(X, CLASSES)
    assert linear.explain(X[:1])[0].by == "features"
    assert linear.explain(X[:1], by="columns")[0].by == "columns"
    assert linear.explain(X[:1], by="objects")[0].by == "support objects"
    with pytest.raises(mercer.ParameterError):
        linear.explain(X[:1], by="magic")


def test_many_columns_of_a_model_without_a_form_are_sampled():
    wide = RNG.normal(size=(40, 14))
    model = mercer.KNeighborsClassifier(n_neighbors=3).fit(wide, wide[:, 0] > 0)
    found = model.explain(wide[:2], background=wide[:5]).compute(size=5, orders=6)
    assert not found.exact and found.errors.shape == found.values.shape
    assert np.allclose(found.values.sum(axis=1) + found.base_values, found.output, atol=1e-9)


def test_frames_plots_and_shap():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["age", "weight", "height", "pulse"])
    model = mercer.SVR(kernel=mercer.RBF(gamma=0.3)).fit(frame, Y)
    found = model.explain(frame[:5], background=frame)
    table = found.to_frame()
    assert list(table) == ["base_value", "age", "weight", "height", "pulse"] and len(table) == 5
    assert np.allclose(table.sum(axis=1), model.predict(frame[:5])) and found.class_ is None
    with pytest.raises(mercer.ParameterError, match="numbers are predicted"):
        found.to_frame(class_="yes")
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    ax = found.plot(most=3)
    assert [label.get_text() for label in ax.get_yticklabels()][-1] in {"age", "weight", "height"}
    assert len(ax.patches) == 3
    plt.close("all")
    shap = pytest.importorskip("shap")
    told = found.to_shap()
    assert isinstance(told, shap.Explanation) and told.feature_names == ["age", "weight", "height", "pulse"]
    assert np.allclose(told.values, found.values)


def test_stretches_of_series_are_hidden():
    rng = np.random.default_rng(1)
    series = 0.1 * rng.normal(size=(20, 1, 24))
    series[1::2, 0, 8:12] += 2.0
    y = np.array(["flat", "bump"])[np.arange(20) % 2]
    for model in [mercer.SVC(kernel="rbf-of(dtw, gamma=0.5)"), mercer.KNeighborsClassifier(n_neighbors=3, kernel="dtw")]:
        model.fit(series, y)
        why = model.explain(series[1:2], n_features=12, by="parts")[0]
        assert why.by == "parts" and "straight line" in why.note
        assert 7 <= why.features[0]["nodes"][0][0] < 12
        assert why.steps.shape == (24,) and why.atoms is None and why.svg.startswith("<svg")
        assert np.isclose(why.offset + why.steps.sum(), why.value)
        assert "every part hidden" in repr(why)


def test_training_objects_speak_for_and_against():
    two = np.where(Y > 0, "yes", "no")
    for model in [mercer.SVC(kernel=mercer.RBF(gamma=0.3)), mercer.KNeighborsClassifier(n_neighbors=5)]:
        why = model.fit(X, two).explain(X[:4], by="objects")
        for one in why:
            evidence = one.evidence
            assert np.isclose(evidence["share_for"] + evidence["share_against"], 1.0)
            assert evidence["other_class"]["class"] != one.prediction and evidence["other_class"]["differs"]
            assert all(abs(part["share"]) <= 1.0 for part in one.features)
    assert mercer.SVC(kernel="linear").fit(X, two).explain(X[:1])[0].evidence is None


def test_background_of_prototypes():
    model = mercer.SVC(kernel=mercer.RBF(gamma=0.3)).fit(X, np.where(Y > 0, "yes", "no"))
    found = model.explain(X[:3], background=X).compute(size=10, background_by="prototypes")
    assert "10 of 60" in found.background and "prototypes" in found.background
    assert np.allclose(found.base_values + found.values.sum(axis=1), found.output, atol=1e-9)
    with pytest.raises(ValueError, match="random or prototypes"):
        model.explain(X[:3]).compute(background_by="best")
