"""Small work has little overhead: single predictions, and the import of the package."""

import os
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn import svm

import mercer

# scikit-learn as a program imports it that fits one of its estimators.
THEIRS = "import numpy, scipy.sparse, sklearn.svm, sklearn.neighbors, sklearn.decomposition, sklearn.model_selection"


def problem(n=300, width=6):
    X = np.random.default_rng(0).standard_normal((n, width))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def best(run, turns=60):
    times = []
    for _ in range(turns):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts the threads of Linux")
def test_the_prediction_of_one_object_starts_no_thread():
    X, y = problem()
    fitted = mercer.SVC(threads=1).fit(X, y)
    many = fitted.set_params(threads=13)
    before = len(os.listdir("/proc/self/task"))
    one = many.predict(X[:1])
    assert len(os.listdir("/proc/self/task")) == before
    # More work does start them, so that the count is known to see threads.
    wide = np.tile(X, (40, 1))
    assert (many.predict(wide)[:1] == one).all()
    assert len(os.listdir("/proc/self/task")) >= before + 13


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_the_prediction_of_one_object_works_in_a_child():
    X, y = problem()
    fitted = mercer.SVC().fit(X, y)
    expected = fitted.predict(X[:1])
    child = os.fork()
    if child == 0:
        os._exit(0 if (fitted.predict(X[:1]) == expected).all() and len(fitted.predict(np.tile(X, (40, 1)))) == 12_000 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_the_prediction_of_one_object_is_not_slower_than_in_scikit_learn():
    X, y = problem()
    ours, theirs, row = mercer.SVC(gamma=0.1).fit(X, y), svm.SVC(gamma=0.1).fit(X, y), X[:1]
    assert ours.predict(row) == theirs.predict(row)
    # A release is faster; the tests run a build with few optimisations, on computers with other work.
    assert best(lambda: ours.predict(row)) < 1.5 * best(lambda: theirs.predict(row))


@pytest.mark.parametrize("make", [lambda: mercer.SVC(probability=True), mercer.KernelRidge, mercer.OneClassSVM, mercer.KNeighborsClassifier])
def test_checks_that_are_left_out_change_nothing(make):
    X, y = problem()
    fitted = make().fit(X, y)
    for fitted in (fitted, pickle.loads(pickle.dumps(fitted))):
        plain = fitted.predict(X[:3])
        for same in (X[:3].tolist(), np.asfortranarray(X[:3]), np.repeat(X[:3], 2, axis=0)[::2]):
            assert (fitted.predict(same) == plain).all()
        # A large array takes the way of all others.
        assert (fitted.predict(np.tile(X, (5, 1)))[:3] == plain).all()
        with pytest.raises(ValueError, match="NaN"):
            fitted.predict(np.full((1, 6), np.nan))
        with pytest.raises(ValueError, match="features"):
            fitted.predict(X[:1, :5])
        with pytest.raises(ValueError, match="2D"):
            fitted.predict(X[0])
        with pytest.raises(ValueError, match="minimum"):
            fitted.predict(X[:0])


def test_a_kernel_that_was_changed_after_fit_is_noticed():
    X, y = problem()
    fitted = mercer.SVC(kernel="rbf").fit(X, y).set_params(kernel=lambda a, b: a @ b.T)
    with pytest.raises(mercer.ParameterError, match="fit again"):
        fitted.predict(X[:1])
    named = mercer.SVC().fit(pytest.importorskip("pandas").DataFrame(X, columns=list("abcdef")), y)
    with pytest.warns(UserWarning, match="feature names"):
        named.predict(X[:1])


def imported(code):
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()


def test_the_import_brings_no_other_package():
    seen = "{m.partition('.')[0] for m in sys.modules}"
    added = imported(f"import sys; {THEIRS}; before = {seen}; import mercer; print(*sorted({seen} - before))")
    assert "mercer" in added
    assert [name for name in added if name != "mercer" and name not in sys.stdlib_module_names] == []


def test_the_import_adds_little_to_that_of_scikit_learn():
    code = (
        f"import time; start = time.perf_counter(); {THEIRS}; middle = time.perf_counter(); import mercer; "
        "print(middle - start, time.perf_counter() - middle)"
    )
    shares = []
    for _ in range(5):
        theirs, ours = map(float, imported(code))
        shares.append(ours / theirs)
    # Generous: a computer with other work, and modules that may have to be compiled.
    assert min(shares) < 0.5


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads the memory of Linux")
def test_the_import_adds_little_memory():
    memory = "int(open('/proc/self/statm').read().split()[1]) * 4096"
    added = int(imported(f"{THEIRS}; before = {memory}; import mercer; print({memory} - before)")[0])
    assert added < 60 << 20
