"""A short run of random calls of the public interface; kernels that are nested too deeply."""

import copy
import pickle

import numpy as np
import pytest
import random_calls
from scipy import sparse

import mercer

DEEP = 100_000


def test_no_call_ends_in_a_panic_a_crash_a_hang_or_a_raw_error():
    made, refused, findings = random_calls.drive(seed=21, calls=3_000, processes=2)
    assert not findings, random_calls.summary(findings)
    # If all calls failed, or none, the test would be meaningless.
    assert made >= 3_000 and made / 20 < refused < made * 19 / 20


def test_panics_are_findings_and_ordinary_errors_are_not():
    calls = random_calls.Calls(mercer.__path__[0])
    calls("panic", mercer._mercer._panic)
    calls("ordinary error", mercer.RBF, gamma=-1.0)
    assert [found["why"] for found in calls.findings] == ["panic"]


def test_a_crash_and_a_hang_are_findings(monkeypatch, tmp_path):
    # Only the driver is tested: its workers import nothing and start at once.
    source = open(random_calls.__file__).read()
    for found, broken in (
        ("def public():\n", "def public():\n    return {}, {}, {}\n"),
        (
            "    def run(self, seed, number):\n",
            "    def run(self, seed, number):\n        self.calls('nothing', int)\n        if number == 3: os.kill(os.getpid(), signal.SIGSEGV)\n"
            "        if number == 5: time.sleep(60)\n        return\n",
        ),
    ):
        assert source.count(found) == 1
        source = source.replace(found, broken)
    episodes = tmp_path / "random_calls.py"
    episodes.write_text(source)
    (tmp_path / "mercer.py").write_text("")
    monkeypatch.setattr(random_calls, "__file__", str(episodes))
    monkeypatch.setattr(random_calls, "PATIENCE", 1.0)
    made, _, findings = random_calls.drive(seed=1, calls=40, processes=1)
    assert [(found["episode"], found["why"]) for found in findings] == [(3, "ended with -11"), (5, "hang")]
    assert made == 40


@pytest.mark.parametrize(
    "deeper",
    [
        lambda k: k + mercer.Linear(),
        lambda k: mercer.Linear() + k,
        lambda k: k * mercer.Linear(),
        lambda k: 2.0 * k,
        lambda k: mercer.Normalize(k),
    ],
)
def test_kernels_nested_too_deep_are_refused(deeper):
    k = mercer.RBF()
    with pytest.raises(mercer.ParameterError, match="nested more than"):
        for _ in range(DEEP):
            k = deeper(k)
    # The kernel made so far can be used and copied.
    for again in (pickle.loads(pickle.dumps(k)), copy.deepcopy(k), copy.copy(k)):
        assert repr(again) == repr(k) and again.get_params().keys() == k.get_params().keys()


def test_shared_parts_that_expand_to_too_many_kernels():
    k = mercer.RBF()
    with pytest.raises(mercer.ParameterError, match="kernels in one"):
        for _ in range(DEEP):
            k = k + k


def test_a_kernel_that_contains_itself():
    k = mercer.Linear() + mercer.RBF()
    k.left = k
    for work in (repr, lambda k: k.expression, hash, lambda k: k.gram(np.eye(2)), pickle.dumps, copy.deepcopy, lambda k: k.get_params()):
        with pytest.raises(mercer.ParameterError, match="nested more than"):
            work(k)


def test_texts_nested_too_deep_are_refused():
    for text in (
        "normalize(" * DEEP + "linear" + ")" * DEEP,
        "(" * DEEP + "linear" + ")" * DEEP,
        "2*" * DEEP + "linear",
        "normalize(" * DEEP,
    ):
        with pytest.raises(mercer.ParameterError, match="nested more than"):
            mercer.kernel(text)


def test_sums_of_many_terms_are_not_deep():
    text = " + ".join(["linear"] * 300)
    k = mercer.kernel(text)
    assert repr(k).count("Linear()") == 300
    np.testing.assert_allclose(k.gram([[1.0], [2.0]]), 300 * np.array([[1.0, 2.0], [2.0, 4.0]]))
    assert pickle.loads(pickle.dumps(k)) == k


def test_feature_names_use_the_fitted_number_of_clusters():
    unfitted = mercer.KernelKMeans(n_clusters=2**32)
    with pytest.raises(mercer.NotFittedError):
        unfitted.get_feature_names_out()
    fitted = mercer.KernelKMeans(n_clusters=2, kernel="linear").fit([[0.0], [1.0], [5.0], [6.0]]).set_params(n_clusters=2**32)
    assert len(fitted.get_feature_names_out()) == 2


def test_arguments_of_wrong_types_raise_named_errors():
    X, y = np.eye(4), [0, 1, 0, 1]
    for work, error in (
        (lambda: mercer.RBF().gram(X, threads="2"), mercer.ParameterError),
        (lambda: mercer.RBF().gram(X, threads=-1), mercer.ParameterError),
        (lambda: mercer.SVC(threads=1.5).fit(X, y), mercer.ParameterError),
        (lambda: mercer.RBF(gamma=10**400), mercer.ParameterError),
        (lambda: mercer.RBF().on(len), mercer.ParameterError),
        (lambda: mercer.Records({"a": [1]}, kinds=3), mercer.DataError),
        (lambda: mercer.Objects("text"), mercer.DataError),
        (lambda: mercer.Graphs([([(0, 1)], None)], node_attributes=1.5), mercer.ParameterError),
        (lambda: list(mercer.Protocol(3).split(X)), mercer.ParameterError),
        (lambda: list(mercer.Holdout(0.5, random_state=-1).split(X)), mercer.ParameterError),
        (lambda: list(mercer.Holdout(0.5).split(X, None, X)), mercer.DataError),
        (lambda: mercer.KNeighborsClassifier(weights=X).fit(X, y), mercer.ParameterError),
        (lambda: mercer.LinearSVC(dual=X).fit(X, y), mercer.ParameterError),
        (lambda: mercer.KernelPCA(eigen_solver=X).fit(X), mercer.ParameterError),
        (lambda: mercer.Perceptron(fit_intercept=X).fit(X, y), mercer.ParameterError),
        (lambda: mercer.SVC().fit(X, y, sample_weight=[10**400] * 4), mercer.DataError),
        (lambda: mercer.compare.adjust([10**400]), mercer.DataError),
        (lambda: mercer.compare.corrected_t([1], [2], "x"), mercer.ParameterError),
        (lambda: mercer.reproduce("chapter", only=3.5), mercer.ParameterError),
        (lambda: mercer.reproduce("chapter", seed=-1), mercer.ParameterError),
        (lambda: mercer.Evaluation("3"), mercer.DataError),
        (lambda: mercer.compare.mcnemar([b"a", b"\xff"], ["a", "b"], [0, 1]), mercer.DataError),
        (lambda: mercer.Records({"a": [1]}, kinds={"a": ["strings"]}), mercer.DataError),
        (lambda: mercer.evaluate(X, y, scores=False), mercer.ParameterError),
        (lambda: mercer.LinearSVC(multi_class=X).fit(X, y), mercer.ParameterError),
        (lambda: mercer.LinearSVC(fit_intercept=X).fit(X, y), mercer.ParameterError),
        (lambda: mercer.compare.wilcoxon([1.0, 2.0], [2.0, 1.0], zeros=np.array([])), mercer.ParameterError),
        (lambda: mercer.compare.wilcoxon([1.0, 2.0], [2.0, 1.0], zeros="prat"), mercer.ParameterError),
        (lambda: mercer.evaluate(X, y, scoring=[]), mercer.ParameterError),
        (lambda: mercer.evaluate(X, y, scoring=np.ma.masked), mercer.ParameterError),
        (lambda: mercer.evaluate(X, y, groups=0.5), mercer.DataError),
        (lambda: mercer.KNeighborsClassifier(n_neighbors=1).fit(X, y).kneighbors(return_distance=X), mercer.ParameterError),
        (lambda: mercer.KNeighborsClassifier(n_neighbors=1).fit(X, y).set_params(n_neighbors=1j).kneighbors(X), mercer.ParameterError),
        (lambda: mercer.KernelRidge(alpha=10**400).fit(X, [[1.0, 2.0]] * 4), mercer.ParameterError),
        (lambda: mercer.VonNeumann().node_columns(([(0, 1)], ["a", "b"]), [0], return_bound=np.array([])), mercer.ParameterError),
    ):
        with pytest.raises(error):
            work()


def test_a_damaged_sparse_target_is_refused_before_scipy_reads_it():
    y = sparse.csr_matrix(np.eye(4))
    y.indptr = np.array([0, 1, 2, 3, 400_000_000], dtype=np.int32)
    with pytest.raises(mercer.DataError, match="sparse"):
        mercer.Mkl([mercer.Linear(), mercer.RBF()]).fit(np.eye(4), y)


def test_a_failed_second_fit_removes_the_first_model():
    X = np.eye(4)
    made = mercer.Perceptron(kernel="linear").fit(X, [0, 1, 2, 0])
    with pytest.raises(ValueError):
        made.fit(X, ["a"] * 4)
    with pytest.raises(mercer.NotFittedError):
        made.predict(X)


def test_neighbours_after_a_failed_fit():
    X = np.eye(4)
    made = mercer.KNeighborsRegressor(n_neighbors=2, metric="manhattan").fit(X, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(ValueError):
        made.set_params(metric_params="x").fit(X, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(mercer.NotFittedError):
        made.kneighbors_graph(X)


def test_a_kernel_changed_after_the_fit_is_refused():
    X, y = np.eye(4), [0, 1, 0, 1]

    def product(a, b):
        return a @ b.T

    for made in (mercer.Perceptron(), mercer.SVC(), mercer.KNeighborsClassifier(n_neighbors=1, kernel="linear")):
        made.fit(X, y).set_params(kernel=product)
        with pytest.raises(mercer.ParameterError, match="fit again"):
            made.predict(X)
        # Training objects of an earlier callable kernel are not kept.
        made.fit(X, y).set_params(kernel="linear").fit(X, y).set_params(kernel=product)
        with pytest.raises(mercer.ParameterError, match="fit again"):
            made.predict(X)
    made = mercer.KNeighborsClassifier(n_neighbors=1, kernel=product).fit(X, y).set_params(kernel="linear")
    with pytest.raises(mercer.ParameterError, match="fit again"):
        made.kneighbors(X)


def test_an_estimator_is_not_fitted_after_a_failed_fit():
    X = np.eye(4)
    ridge = mercer.KernelRidge()
    with pytest.raises(ValueError):
        ridge.fit(X, ["a", "b", "c", "d"])
    with pytest.raises(mercer.NotFittedError):
        ridge.predict(X)
