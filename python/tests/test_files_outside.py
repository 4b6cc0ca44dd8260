"""mercer.load restores what mercer.save writes: classes with their types, parameters, attributes, predictions."""

import inspect
import json
import pickle
import subprocess

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import make_classification

import mercer

X, CODES = make_classification(60, 4, n_informative=3, n_redundant=0, n_classes=2, random_state=5)

CLASSIFIERS = [
    mercer.SVC, mercer.NuSVC, mercer.LandmarkSVC, mercer.LinearSVC, mercer.KernelRidgeClassifier, mercer.Perceptron, mercer.VotedPerceptron,
    mercer.KNeighborsClassifier,
]  # fmt: skip
OTHERS = [
    mercer.SVR, mercer.NuSVR, mercer.LinearSVR, mercer.KernelRidge, mercer.KNeighborsRegressor, mercer.OneClassSVM,
    mercer.KernelPCA, mercer.KernelKMeans,
]  # fmt: skip

LABELS = {
    "int": np.array([0, 1]),
    "texts that look like numbers": np.array(["0", "1"]),
    "texts with zeros in front": np.array(["01", "1"]),
    "bool": np.array([False, True]),
    "float": np.array([0.0, 1.0]),
    "negative": np.array([-7, 3]),
    "large": np.array([2**62, 2**62 + 1]),
    "larger": np.array([2**63 + 1, 2**63 + 5], dtype=np.uint64),
    "int8": np.array([-1, 1], dtype=np.int8),
    "float32": np.array([-2, 2], dtype=np.float32),
    "str": np.array(["spam", "ham"]),
    "unicode": np.array(["grün", "зелёный 🟢"]),
    "np.str_ objects": np.array([np.str_("a"), np.str_("b")], dtype=object),
    "objects": np.array(["True", "None"], dtype=object),
    "quotes": np.array(['a "b", c', "x:1"]),
}


def check_same(one, other, data):
    assert type(one) is type(other)
    mine, theirs = one.get_params(), other.get_params()
    assert list(mine) == list(theirs)
    for name, value in mine.items():
        # The text of a kernel contains plain numbers only.
        assert name.startswith("kernel__") or type(theirs[name]) is type(value), name
        assert np.array_equal(theirs[name], value) if isinstance(value, np.ndarray) else theirs[name] == value, name
    fitted = {name for name in dir(one) if name.endswith("_") and not name.startswith("_") and is_there(one, name)}
    assert fitted == {name for name in dir(other) if name.endswith("_") and not name.startswith("_") and is_there(other, name)}
    for name in sorted(fitted - {"certificate_", "kernel_"}):
        a, b = getattr(one, name), getattr(other, name)
        if sparse.issparse(a):
            a, b = a.toarray(), b.toarray()
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype and a.shape == b.shape, name
            assert a.tolist() == b.tolist(), name
            assert [type(v) for v in a.ravel().tolist()] == [type(v) for v in b.ravel().tolist()], name
        else:
            assert type(a) is type(b) and a == b, name
    assert one.kernel_ == other.kernel_
    for method in ("predict", "decision_function", "predict_proba", "transform"):
        assert hasattr(one, method) == hasattr(other, method), method
        if hasattr(one, method):
            a, b = getattr(one, method)(data), getattr(other, method)(data)
            assert a.dtype == b.dtype and a.tolist() == b.tolist(), method


def is_there(estimator, name):
    try:
        getattr(estimator, name)
    except (AttributeError, NotImplementedError, ValueError):
        return False
    return True


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("made", CLASSIFIERS)
def test_classes_keep_their_type(tmp_path, made, labels):
    y = LABELS[labels][CODES]
    fitted = made().fit(X, y)
    fitted.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    check_same(fitted, loaded, X)
    assert loaded.classes_.dtype == fitted.classes_.dtype and loaded.classes_.tolist() == fitted.classes_.tolist()


SETTINGS = {
    mercer.SVC: [
        {"class_weight": {0: 1, 1: 8}, "C": 3, "random_state": 4},
        {"class_weight": "balanced", "kernel": "poly", "degree": 2, "coef0": 1.5, "gamma": "auto"},
        {"kernel": mercer.Standardize(mercer.RBF(gamma="scale")), "scheme": "one-versus-rest", "probability": True, "max_iter": 500},
        {"kernel": mercer.RBF(gamma=np.float64(0.25)), "C": np.float32(2), "decision_function_shape": "ovo", "threads": 2},
    ],
    mercer.NuSVC: [{"nu": 0.2, "class_weight": {0: 2.5}}],
    mercer.LinearSVC: [{"loss": "hinge", "class_weight": "balanced", "max_iter": 300, "fit_intercept": False}, {"intercept_scaling": 3}],
    mercer.LandmarkSVC: [{"C": 3, "landmarks": 20, "class_weight": "balanced", "tol": 0.01, "random_state": 2}],
    mercer.KernelRidge: [{"kernel": "rbf", "gamma": 0.5, "landmarks": 10, "random_state": np.int64(3)}],
    mercer.KNeighborsClassifier: [{"n_neighbors": 3, "weights": "distance", "kernel": "linear"}],
    mercer.VotedPerceptron: [{"shuffle": True, "random_state": 3, "rule": "average"}],
    mercer.KernelKMeans: [{"n_clusters": 2, "n_init": 3, "random_state": 1}],
}
CASES = [(made, settings) for made in CLASSIFIERS + OTHERS for settings in [{}, *SETTINGS.get(made, [])]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("made", "settings"), CASES, ids=lambda v: v.__name__ if inspect.isclass(v) else str(v)[:40])
def test_parameters_and_attributes_are_restored(tmp_path, made, settings):
    estimator = made(**settings)
    y = CODES if is_classifier(estimator) else X[:, 0] + CODES if is_regressor(estimator) else None
    import pandas as pd

    rows = sparse.csr_array(np.where(X > 0, X, 0))
    for data in (X, pd.DataFrame(X, columns=list("abcd")), rows):
        fitted = made(**settings).fit(data, y)
        mercer.save(fitted, tmp_path / "m.mercer")
        loaded = mercer.load(tmp_path / "m.mercer")
        check_same(fitted, loaded, data)
        # Save the loaded estimator again.
        mercer.save(loaded, tmp_path / "n.mercer")
        check_same(fitted, mercer.load(tmp_path / "n.mercer"), data)


def test_a_loaded_estimator_fits_again(tmp_path):
    y = np.array(["0", "1"])[CODES]
    fitted = mercer.SVC(class_weight={"0": 1, "1": 8}, kernel="linear").fit(X, y)
    fitted.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(loaded.fit(X, y).predict(X), fitted.predict(X))
    assert loaded.class_weight == {"0": 1, "1": 8}


def test_random_states(tmp_path):
    fitted = mercer.KernelRidge(kernel="rbf", landmarks=5, random_state=np.random.RandomState(7)).fit(X, X[:, 0])
    fitted.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.random_state.randint(1000) == fitted.random_state.randint(1000)


def test_files_of_the_program(tmp_path, program):
    table = tmp_path / "t.csv"
    for names, expected in ((["0", "1"], [0, 1]), (["no", "yes"], ["no", "yes"]), (["False", "True"], [False, True])):
        rows = [",".join([*(f"{v:.6f}" for v in row), names[c]]) for row, c in zip(X, CODES)]
        table.write_text("a,b,c,d,class\n" + "\n".join(rows) + "\n")
        model = tmp_path / "p.mercer"
        command = [program, "fit", table, "--target", "class", "-k", "rbf(gamma=0.5)", "-l", "svc(C=2)", "-o", model, "--quiet"]
        model.unlink(missing_ok=True)
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        loaded = mercer.load(model)
        assert loaded.classes_.tolist() == expected
        assert (loaded.predict(np.round(X, 6)) == loaded.classes_[CODES]).mean() > 0.7


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize(
    "learner",
    [
        "svc(C=2)", "svc(C=2, probability=yes)", "svc(C=2, scheme=one-versus-rest)", "nu-svc(nu=0.1)", "landmark-svc(landmarks=50)", "linear-svc", "ridge",
        "perceptron", "voted-perceptron", "knn(k=5)",
    ],
)  # fmt: skip
def test_classes_of_the_program_ascend(tmp_path, program, learner, count):
    """The program numbers classes by first appearance; scikit-learn's metrics expect ascending order."""
    import pandas as pd

    points, codes = make_classification(90, 4, n_informative=4, n_redundant=0, n_classes=count, class_sep=2.0, random_state=1)
    frame = pd.DataFrame(np.round(points, 6), columns=list("abcd"))
    names = [30, 4, -1, 7][:count]
    scores, models = [], []
    # The greatest class first, and the least.
    for first in (np.argsort(-np.asarray(names)[codes], kind="stable"), np.argsort(np.asarray(names)[codes], kind="stable")):
        frame.assign(y=np.asarray(names)[codes]).iloc[first].to_csv(tmp_path / "t.csv", index=False)
        kernel = "linear" if learner == "linear-svc" else "rbf(gamma=0.1)"
        command = [program, "fit", tmp_path / "t.csv", "--target", "y", "--type", "y=categories", "-k", kernel, "-l", learner]
        done = subprocess.run([*command, "-o", tmp_path / "m.mercer", "--quiet"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        loaded = mercer.load(tmp_path / "m.mercer")
        assert loaded.classes_.tolist() == sorted(names)
        for again in (loaded, pickle.loads(pickle.dumps(loaded)), saved(loaded, tmp_path)):
            right = (again.predict(frame) == np.asarray(names)[codes]).mean()
            assert right > 0.6
            values = again.decision_function(frame) if hasattr(again, "decision_function") else again.predict_proba(frame)
            values = values[:, 1] if count == 2 and values.ndim == 2 else values
            chosen = (values > 0.5 if hasattr(again, "n_neighbors") else values > 0).astype(int) if count == 2 else values.argmax(axis=1)
            assert (again.classes_[chosen] == again.predict(frame)).mean() > 0.95
            if hasattr(again, "probability") and again.probability:
                assert (again.classes_[again.predict_proba(frame).argmax(axis=1)] == again.predict(frame)).mean() > 0.9
            scores.append(right)
        models.append(loaded)
    if learner.startswith(("svc(C=2)", "nu-svc")) or "rest" in learner:
        one, other = models
        assert np.allclose(one.decision_function(frame), other.decision_function(frame), atol=0.05)
        assert np.allclose(one.intercept_, other.intercept_, atol=0.05)
        assert one.dual_coef_.shape[0] == other.dual_coef_.shape[0] and one.n_support_.shape == other.n_support_.shape


def saved(estimator, folder):
    estimator.save(folder / "again.mercer")
    return mercer.load(folder / "again.mercer")


@pytest.mark.parametrize("names", [["1", "0"], ["0", "1"], ["yes", "no", "maybe"]])
def test_text_models_of_libsvm(tmp_path, program, names):
    """They do not contain iteration counts, and number classes by first appearance."""
    table = tmp_path / "t.csv"
    codes = np.arange(60) % len(names)
    rows = [",".join([*(f"{v + 3 * c:.6f}" for v in row), names[c]]) for row, c in zip(X, codes)]
    table.write_text("a,b,c,d,class\n" + "\n".join(rows) + "\n")
    command = [program, "fit", table, "--target", "class", "--type", "class=categories", "-k", "rbf(gamma=0.1)", "-l", "svc"]
    assert subprocess.run([*command, "-o", tmp_path / "p.mercer", "--quiet"]).returncode == 0
    done = subprocess.run([program, "convert", tmp_path / "p.mercer", "-o", tmp_path / "p.model"], capture_output=True, text=True)
    if not all(n.lstrip("-").isdigit() for n in names):
        return
    assert done.returncode == 0, done.stderr
    loaded, points = mercer.load(tmp_path / "p.model"), np.round(X + 3 * codes[:, None], 6)
    assert loaded.classes_.tolist() == sorted(int(n) for n in names)
    assert (loaded.predict(points) == np.asarray(names, dtype=int)[codes]).mean() > 0.9
    assert (loaded.classes_[(loaded.decision_function(points) > 0).astype(int)] == loaded.predict(points)).all()


def test_the_program_reads_what_python_wrote(tmp_path, program):
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = mercer.SVC(class_weight={False: 1, True: 3}).fit(frame, CODES.astype(bool))
    fitted.save(tmp_path / "m.mercer")
    frame.to_csv(tmp_path / "t.csv", index=False)
    done = subprocess.run([program, "predict", tmp_path / "m.mercer", tmp_path / "t.csv"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "True" in done.stdout and "False" in done.stdout


def test_files_without_a_note_and_with_an_invalid_one(tmp_path):
    fitted = mercer.SVC().fit(X, CODES)
    plain = tmp_path / "plain.mercer"
    fitted._model.save(plain)
    assert mercer.load(plain).classes_.tolist() == [0, 1]
    for note in ("", "{}", "3", json.dumps({"pairs": [["format", 1]]}), json.dumps({"eval": "1"})):
        fitted._model.save(tmp_path / "wrong.mercer", note)
        with pytest.raises(mercer.DataError, match="note"):
            mercer.load(tmp_path / "wrong.mercer")


def test_estimators_without_a_model_file_are_refused(tmp_path):
    class Own(mercer.SVC):
        pass

    with pytest.raises(mercer.ParameterError, match="pickle"):
        mercer.save(Own().fit(X, CODES), tmp_path / "m.mercer")
    with pytest.raises(mercer.ParameterError, match="estimators of mercer"):
        mercer.save(object(), tmp_path / "m.mercer")
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        mercer.save(mercer.SVC(), tmp_path / "m.mercer")
