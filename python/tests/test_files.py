"""Model files, which are shared with the program."""

import json
import subprocess

import numpy as np
import pytest

import mercer


def run(program, *arguments, cwd):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=cwd, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def table(iris, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = iris
    frame = pd.DataFrame(X, columns=["sl", "sw", "pl", "pw"])
    target = np.array(["setosa", "versicolor", "virginica"])[y]
    frame.assign(species=target).to_csv(tmp_path / "iris.csv", index=False)
    return frame, target


KERNEL = mercer.Standardize(mercer.RBF(gamma=0.25))
LEARNERS = [
    (mercer.SVC(C=10, kernel=KERNEL), "svc(C=10)"),
    (mercer.KernelRidgeClassifier(alpha=0.5, kernel=KERNEL), "ridge(lambda=0.5)"),
    (mercer.KNeighborsClassifier(3, kernel=KERNEL), "knn(k=3)"),
    (mercer.VotedPerceptron(kernel=KERNEL, max_iter=5), "voted-perceptron(rounds=5)"),
    (mercer.KernelPCA(2, kernel=KERNEL), "pca(components=2)"),
]


@pytest.mark.parametrize("estimator, learner", LEARNERS, ids=lambda v: v if isinstance(v, str) else "")
def test_the_program_and_the_package_fit_the_same_model(estimator, learner, table, tmp_path, program):
    frame, target = table
    fitted = estimator.fit(frame, target) if hasattr(estimator, "predict") else estimator.fit(frame)
    run(program, "fit", "iris.csv", "--target", "species", "-k", KERNEL.expression, "-l", learner, "-o", "cli.mercer", "--quiet", cwd=tmp_path)
    loaded = mercer.load(tmp_path / "cli.mercer")
    assert type(loaded) is type(estimator)
    assert loaded.kernel_ == KERNEL and loaded.feature_names_in_.tolist() == list(frame.columns)
    method = "transform" if learner.startswith("pca") else "predict"
    ours, theirs = getattr(fitted, method)(frame), getattr(loaded, method)(frame)
    if method == "transform":
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    else:
        np.testing.assert_array_equal(ours, theirs)


def test_the_program_reads_what_the_package_wrote(table, tmp_path, program):
    frame, target = table
    import pandas as pd

    fitted = mercer.SVC(C=10, kernel=KERNEL).fit(frame, pd.Series(target, name="species"))
    mercer.save(fitted, tmp_path / "py.mercer")
    info = json.loads(run(program, "inspect", "py.mercer", "--json", cwd=tmp_path))
    assert info["kernel"] == fitted.kernel_.expression and info["learner"].startswith("svc(C=10")
    assert info["target"] == {"kind": "classes", "name": "species"}
    out = run(program, "predict", "py.mercer", "iris.csv", cwd=tmp_path)
    predicted = [line.split(",")[-1] for line in out.strip().splitlines()[1:]]
    assert predicted[:150] == fitted.predict(frame).tolist()


def test_every_estimator_is_restored(iris, numbers, tmp_path):
    X, y = iris
    N, t = numbers
    for estimator, data, target in [
        (mercer.SVC(C=3, probability=True, class_weight="balanced"), X, y),
        (mercer.NuSVC(nu=0.1, scheme="one-versus-rest"), X, y),
        (mercer.LinearSVC(C=0.3), X, y),
        (mercer.VotedPerceptron(rule="average", shuffle=True, random_state=1), X, y),
        (mercer.SVR(C=3, epsilon=0.2), N, t),
        (mercer.NuSVR(C=3, nu=0.2), N, t),
        (mercer.LinearSVR(epsilon=0.1), N, t),
        (mercer.KernelRidge(alpha=0.2, kernel="rbf", fit_intercept=True), N, t),
        (mercer.KNeighborsRegressor(2, weights="distance"), N, t),
        (mercer.OneClassSVM(0.2), N, None),
        (mercer.KernelKMeans(2), N, None),
    ]:
        estimator.fit(data, target)
        mercer.save(estimator, tmp_path / "model.mercer")
        again = mercer.load(tmp_path / "model.mercer")
        assert type(again) is type(estimator)
        np.testing.assert_array_equal(again.predict(data), estimator.predict(data))
        assert again.get_params() == estimator.get_params() and again.kernel_ == estimator.kernel_
        if isinstance(estimator, mercer.SVC):
            np.testing.assert_array_equal(again.predict_proba(data), estimator.predict_proba(data))
            assert again.class_weight == "balanced" and again.C == 3


def test_models_of_strings_and_numbers_as_classes(tmp_path):
    words, y = ["aab", "abb", "bbb", "bba"], [1, 1, 2, 2]
    k = mercer.Convolution(mercer.Delta(), parts="symbols")
    fitted = mercer.SVC(kernel=k, C=10).fit(words, y)
    fitted.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.classes_.tolist() == [1, 2]
    assert loaded.predict(words).tolist() == fitted.predict(words).tolist()


def test_invalid_model_files(tmp_path):
    with pytest.raises(OSError) as caught:
        mercer.load(tmp_path / "nothing.mercer")
    assert isinstance(caught.value, mercer.FileError) and caught.value.code == "E_IO_OPEN"
    (tmp_path / "bad.mercer").write_bytes(b"nothing of this kind")
    with pytest.raises(mercer.DataError):
        mercer.load(tmp_path / "bad.mercer")
    fitted = mercer.SVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    fitted.save(tmp_path / "good.mercer")
    good = bytearray((tmp_path / "good.mercer").read_bytes())
    good[len(good) // 2] ^= 1
    (tmp_path / "bad.mercer").write_bytes(good)
    with pytest.raises(mercer.DataError, match="E_MODEL"):
        mercer.load(tmp_path / "bad.mercer")
    with pytest.raises(mercer.ParameterError):
        mercer.save("not an estimator", tmp_path / "x.mercer")
    with pytest.raises(mercer.NotFittedError):
        mercer.SVC().save(tmp_path / "x.mercer")
    # A pickle contains the same bytes, with the same checks.
    import pickle

    bytes_ = pickle.dumps(fitted)
    assert pickle.loads(bytes_).predict([[0.0]]).tolist() == [0]
