"""Kernels: classes from the registry, text, algebra, parameters, matrices."""

import inspect
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise

import mercer
from mercer import _mercer
from mercer.kernels import CLASSES


def full(features):
    """Features as an array, whether they came sparse or not."""
    return features.toarray() if hasattr(features, "toarray") else features


REGISTRY = _mercer.kernels()
X = np.random.default_rng(0).uniform(0.1, 1.0, (12, 3))
Y = np.random.default_rng(1).uniform(0.1, 1.0, (5, 3))


def instance(facts):
    made = CLASSES[facts["name"]]
    return made(*(mercer.RBF(gamma=0.5) for _ in range(facts["arity"])))


@pytest.mark.parametrize("facts", REGISTRY, ids=lambda f: f["name"])
class TestEveryEntry:
    def test_has_a_class_with_signature_and_documentation(self, facts):
        made = CLASSES[facts["name"]]
        assert getattr(mercer, made.__name__) is made
        names = list(inspect.signature(made).parameters)
        assert len(names) == facts["arity"] + len(facts["parameters"]) + 1
        for text in (facts["summary"], facts["formula"], facts["reference"]):
            assert text in made.__doc__
        for parameter in facts["parameters"]:
            assert parameter["domain"] in made.__doc__

    def test_repr_and_expression_evaluate_to_the_kernel(self, facts):
        k = instance(facts)
        assert eval(repr(k), vars(mercer)) == k
        assert mercer.kernel(k.expression) == k
        assert mercer.kernel(k.expression).expression == k.expression

    def test_clones_and_pickles(self, facts):
        k = instance(facts)
        assert clone(k) == k
        assert pickle.loads(pickle.dumps(k)) == k

    def test_sets_nested_parameters(self, facts):
        k = instance(facts)
        if facts["arity"]:
            name = f"{k._inner[0]}__gamma"
            assert k.get_params()[name] == 0.5
            assert "gamma=0.25" in k.set_params(**{name: 0.25}).expression

    def test_refuses_values_outside_their_domain(self, facts):
        k = instance(facts)
        for name, p in k._parameters:
            bad = "no such word" if p["type"] == "word" else -1e9 if "at least" in p["domain"] else float("nan")
            with pytest.raises(mercer.ParameterError):
                clone(k).set_params(**{name: bad})
        with pytest.raises(mercer.ParameterError):
            k.set_params(no_such_parameter=1)


def test_values_agree_with_scikit_learn():
    ours = [
        (mercer.Linear(), pairwise.linear_kernel),
        (mercer.RBF(gamma=0.7), lambda a, b: pairwise.rbf_kernel(a, b, gamma=0.7)),
        (mercer.Laplacian(gamma=0.7), lambda a, b: pairwise.laplacian_kernel(a, b, gamma=0.7)),
        (mercer.Polynomial(degree=3, c=1.5, gamma=0.5), lambda a, b: pairwise.polynomial_kernel(a, b, 3, 0.5, 1.5)),
        (mercer.Sigmoid(gamma=0.1, c=0.2), lambda a, b: pairwise.sigmoid_kernel(a, b, 0.1, 0.2)),
        (mercer.Cosine(), pairwise.cosine_similarity),
        (mercer.ChiSquared(gamma=0.9), lambda a, b: pairwise.chi2_kernel(a, b, 0.9)),
    ]
    for kernel, theirs in ours:
        np.testing.assert_allclose(kernel.gram(X), theirs(X, X), rtol=1e-12, atol=1e-13, err_msg=repr(kernel))
        np.testing.assert_allclose(kernel.cross(Y, X), theirs(Y, X), rtol=1e-12, atol=1e-13, err_msg=repr(kernel))
        np.testing.assert_allclose(kernel.diagonal(X), theirs(X, X).diagonal(), rtol=1e-12, atol=1e-13)
        np.testing.assert_array_equal(kernel(Y, X), kernel.cross(Y, X))


def test_algebra():
    a, b = mercer.RBF(gamma=0.5), mercer.Linear()
    np.testing.assert_allclose((a + 0.5 * b).gram(X), a.gram(X) + 0.5 * b.gram(X), rtol=1e-14)
    np.testing.assert_allclose((a * b * 2).gram(X), 2 * a.gram(X) * b.gram(X), rtol=1e-14)
    np.testing.assert_allclose((a + 3).gram(X), a.gram(X) + 3, rtol=1e-14)
    np.testing.assert_allclose((1 + a).gram(X), a.gram(X) + 1, rtol=1e-14)
    np.testing.assert_allclose((np.float64(0.5) * a).gram(X), 0.5 * a.gram(X), rtol=1e-14)
    assert sum([a, b], start=mercer.Cosine()) == mercer.Cosine() + a + b
    for k in (a + b + a, a + (b + a), a * (b + a), (a + b) * b, 2 * (a + b), 2 * a * b, a * b * a, a * (b * a), 3 * (2 * a)):
        assert eval(repr(k), vars(mercer)).expression == k.expression
    assert a + b != a * b and a == mercer.RBF(0.5) and len({a, mercer.RBF(0.5)}) == 1
    for bad in ("text", None, [1]):
        with pytest.raises(TypeError):
            a + bad
    for bad in (0, -1, float("nan"), float("inf")):
        with pytest.raises(mercer.ParameterError):
            bad * a


def test_nested_parameters_of_sums():
    k = mercer.RBF(gamma=1) + 0.5 * mercer.Polynomial(degree=2)
    names = set(k.get_params())
    assert {"left__gamma", "right__factor", "right__kernel__degree"} <= names
    k.set_params(left__gamma=4, right__factor=0.25, right__kernel__degree=3)
    assert k == mercer.RBF(gamma=4) + 0.25 * mercer.Polynomial(degree=3)
    with pytest.raises(mercer.ParameterError):
        k.set_params(left__columns__name=1)


def test_numpy_numbers_print_as_plain_ones():
    assert repr(mercer.RBF(gamma=np.float64(0.5))) == "RBF(gamma=0.5)"
    assert repr(mercer.Polynomial(degree=np.int64(2))).startswith("Polynomial(degree=2,")


def test_columns():
    table = {"age": [1.0, 2.0, 3.0], "weight": [5.0, 1.0, 2.0], "sex": ["f", "m", "f"]}
    age = np.exp(-0.5 * np.subtract.outer(table["age"], table["age"]) ** 2)
    k = mercer.RBF(gamma=0.5).on("age")
    assert k == mercer.RBF(gamma=0.5, columns="age") == mercer.RBF(gamma=0.5, columns=["age"])
    np.testing.assert_allclose(k.gram(table), age, rtol=1e-14)
    same = np.equal.outer(table["sex"], table["sex"])
    np.testing.assert_allclose((k * mercer.Delta(columns="sex")).gram(table), age * same, rtol=1e-14)
    both = (mercer.RBF(gamma=0.5) + mercer.Linear()).on("age", "weight")
    assert eval(repr(both), vars(mercer)) == both and "@age,weight" in both.expression
    odd = mercer.Linear(columns=['a "quoted", name', "x y"])
    assert mercer.kernel(odd.expression) == odd and eval(repr(odd), vars(mercer)) == odd
    with pytest.raises(mercer.DataError, match="wight"):
        mercer.Linear(columns="wight").gram(table)


def test_fitting():
    k = mercer.Standardize(mercer.RBF(gamma=0.3))
    Z = (X - X.mean(0)) / X.std(0)
    np.testing.assert_allclose(k.gram(X), pairwise.rbf_kernel(Z, gamma=0.3), rtol=1e-10)
    new = (Y - X.mean(0)) / X.std(0)
    np.testing.assert_allclose(k.cross(Y, X), pairwise.rbf_kernel(new, Z, gamma=0.3), rtol=1e-10)
    k.fit(X)
    np.testing.assert_allclose(k.gram(Y), pairwise.rbf_kernel(new, gamma=0.3), rtol=1e-10)
    np.testing.assert_array_equal(k.cross(Y), k.cross(Y, X))
    with pytest.raises(mercer.ParameterError):
        mercer.RBF().cross(Y)
    # A kernel that is changed afterwards is no longer fitted.
    k.set_params(kernel__gamma=0.6)
    alone = (Y - Y.mean(0)) / Y.std(0)
    np.testing.assert_allclose(k.gram(Y), pairwise.rbf_kernel(alone, gamma=0.6), rtol=1e-10)


def test_later_changes_of_arrays_have_no_effect():
    changing = X.copy()
    walk = mercer.Center(mercer.RandomWalkPower(mercer.RBF(gamma=0.3), p=3)).fit(changing)
    model = mercer.KernelRidge(kernel=mercer.Center(mercer.RBF(gamma=0.3))).fit(changing, X[:, 0])
    before = walk.gram(Y), walk.cross(Y), walk.diagonal(Y), model.predict(Y)
    changing[:] = 0
    for old, new in zip(before, (walk.gram(Y), walk.cross(Y), walk.diagonal(Y), model.predict(Y))):
        np.testing.assert_array_equal(old, new)


def test_random_walk_power():
    """A^p / λmax^(p-1) on training objects, and c·A^(p-2)·c'ᵀ / λmax^(p-1) for new ones."""
    base = mercer.RBF(gamma=0.3)
    A, c = base.gram(X), base.cross(Y, X)
    top = np.linalg.eigvalsh(A)[-1]
    walk = mercer.RandomWalkPower(base, p=4, through="train").fit(X)
    np.testing.assert_allclose(walk.gram(X), np.linalg.matrix_power(A, 4) / top**3, rtol=1e-9)
    np.testing.assert_allclose(walk.cross(Y), c @ np.linalg.matrix_power(A, 3) / top**3, rtol=1e-9)
    np.testing.assert_allclose(walk.gram(Y), c @ np.linalg.matrix_power(A, 2) @ c.T / top**3, rtol=1e-9)


def test_explicit_features():
    k = mercer.Polynomial(degree=2, c=1.0, gamma=1.0)
    features, names = k.features(X)
    assert features.shape == (12, len(names)) and "x[1]" in " ".join(names)
    np.testing.assert_allclose(full(features @ features.T), k.gram(X), rtol=1e-12)
    with pytest.raises(mercer.ParameterError):
        mercer.RBF().features(X)


def test_single_precision():
    k = mercer.RBF(gamma=0.5).gram(X, dtype=np.float32)
    assert k.dtype == np.float32
    np.testing.assert_array_equal(k, mercer.RBF(gamma=0.5).gram(X).astype(np.float32))


def test_kernels_are_callable_kernels_for_scikit_learn():
    from sklearn.svm import SVC

    y = (X[:, 0] > 0.5).astype(int)
    k = mercer.RBF(gamma=2.0)
    assert (SVC(kernel=k).fit(X, y).predict(X) == SVC(gamma=2.0).fit(X, y).predict(X)).all()


def test_warnings_about_data():
    constant = np.column_stack([X, np.ones(len(X))])
    with pytest.warns(mercer.DataWarning, match="W_CONSTANT"):
        mercer.Standardize(mercer.Linear()).gram(constant)


def test_sparse_and_dense_vectors_are_scaled_equally():
    rng = np.random.default_rng(3)
    given = np.where(rng.random((40, 8)) < 0.3, rng.normal(2.0, 1.0, (40, 8)), 0.0)
    y, new = given[:, 0] > given[:, 1], given[::-1][:7] * 1.5
    for wrapper in (mercer.Standardize, mercer.MinMax):
        k = wrapper(mercer.RBF(gamma=0.2))
        np.testing.assert_allclose(k.gram(sparse.csr_array(given)), k.gram(given), rtol=0, atol=1e-12)
        models = [mercer.SVC(kernel=k, tol=1e-8).fit(form(given), y) for form in (np.asarray, sparse.csr_array)]
        a, b = models[0].decision_function(new), models[1].decision_function(sparse.csr_array(new))
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_sparse_vectors_too_large_to_centre_are_scaled_with_a_warning():
    n, per_row = 2000, 10
    X = sparse.csr_array((np.ones(n * per_row), np.arange(n * per_row), np.arange(0, n * per_row + 1, per_row)))
    with pytest.warns(mercer.DataWarning, match="W_SPARSE standardize: sparse columns are scaled but not centred"):
        mercer.Standardize(mercer.Linear()).fit(X)


def test_features_that_do_not_occur_take_no_memory():
    far = 100_000_000
    X = sparse.csr_array(([1.0, 2.0, 1.0, 3.0], ([0, 1, 2, 3], [far - 1, far - 1, 0, 0])), shape=(4, far))
    y = np.array([1, 1, 0, 0])
    made = mercer.LinearSVC().fit(X, y)
    assert sparse.issparse(made.coef_) and made.coef_.shape == (1, far) and made.coef_.nnz == 2
    assert (made.predict(X) == y).all()
    near = mercer.LinearSVC().fit(X[:, [0, far - 1]], y)
    np.testing.assert_allclose(made.decision_function(X), near.decision_function(X[:, [0, far - 1]]), rtol=1e-12)
    numbers = mercer.LinearSVR().fit(X, [1.0, 2.0, -1.0, -3.0])
    assert numbers.coef_.shape == (1, far) and numbers.predict(X).shape == (4,)


def test_invalid_expressions():
    with pytest.raises(mercer.ParameterError, match="did you mean") as caught:
        mercer.kernel("rfb(gamma=1)")
    assert caught.value.code == "E_EXPRESSION" and caught.value.span == (0, 3)
    with pytest.raises(mercer.ParameterError, match="GridSearch"):
        mercer.kernel("rbf(gamma=2^-3..2^3)")
    with pytest.raises(mercer.ParameterError):
        mercer.kernel(3)
    with pytest.raises(mercer.ParameterError):
        mercer.Normalize("rbf")


def test_notebooks_show_kernels():
    assert "RBF" in mercer.RBF()._repr_html_()
