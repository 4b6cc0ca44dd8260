"""scikit-learn's attributes, parameters and messages, as expected by code for its estimators."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import neighbors, svm
from sklearn.base import clone
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer

TIGHT = 1e-8


def test_support_vectors_and_weights_of_features(two_classes, iris, numbers):
    X, y = two_classes
    a, b = mercer.SVC(kernel="linear", tol=TIGHT).fit(X, y), svm.SVC(kernel="linear", tol=TIGHT).fit(X, y)
    np.testing.assert_array_equal(a.support_vectors_, X[a.support_])
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(X @ a.coef_[0] + a.intercept_, a.decision_function(X), rtol=1e-9, atol=1e-9)
    assert a.shape_fit_ == X.shape and a.fit_status_ == 0 and a.class_weight_.tolist() == [1.0, 1.0]
    assert a.n_iter_.shape == (1,) and a.n_iter_.dtype.kind == "i"
    with pytest.raises(ValueError, match="read-only"):
        a.coef_[0, 0] = 1
    with pytest.raises(AttributeError):
        a.coef_ = 1
    assert not hasattr(mercer.SVC().fit(X, y), "coef_")
    X, y = iris
    three = mercer.SVC(kernel=mercer.Linear(), decision_function_shape="ovo").fit(X, y)
    np.testing.assert_allclose(X @ three.coef_.T + three.intercept_, three.decision_function(X), atol=1e-8)
    assert three.n_iter_.shape == (3,)
    rest = mercer.SVC(kernel="linear", scheme="one-versus-rest").fit(X, y)
    np.testing.assert_allclose(X @ rest.coef_.T + rest.intercept_, rest.decision_function(X), atol=1e-8)
    X, t = numbers
    line = mercer.SVR(kernel="linear").fit(X, t)
    np.testing.assert_allclose(X @ line.coef_[0] + line.intercept_, line.predict(X), atol=1e-9)
    assert type(line.n_iter_) is int and type(mercer.OneClassSVM().fit(X).n_iter_) is int
    again = pickle.loads(pickle.dumps(line))
    np.testing.assert_array_equal(again.coef_, line.coef_)


def test_sparse_data_gives_sparse_attributes(two_classes):
    X, y = two_classes
    X = np.where(np.abs(X) < 0.7, 0, X)
    fitted = mercer.SVC(kernel="linear", tol=TIGHT).fit(sparse.csr_array(X), y)
    plain = mercer.SVC(kernel="linear", tol=TIGHT).fit(X, y)
    for name in ("support_vectors_", "dual_coef_", "coef_"):
        assert sparse.issparse(getattr(fitted, name))
        np.testing.assert_allclose(getattr(fitted, name).toarray(), getattr(plain, name), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(fitted.decision_function(X), fitted.decision_function(sparse.csr_array(X)))
    with pytest.raises(ValueError, match="cannot use sparse input in 'SVC' trained on dense data"):
        plain.predict(sparse.csr_array(X))


def test_the_class_weight_attribute(two_classes):
    X, y = two_classes
    for given in (None, "balanced", {0: 1.0, 1: 5.0}):
        for ours, theirs in ((mercer.SVC, svm.SVC), (mercer.NuSVC, svm.NuSVC)):
            a, b = ours(class_weight=given), theirs(class_weight=given)
            a, b = (a, b) if ours is mercer.SVC else (a.set_params(nu=0.1), b.set_params(nu=0.1))
            np.testing.assert_allclose(a.fit(X, y).class_weight_, b.fit(X, y).class_weight_)


def test_zero_and_negative_weights(two_classes):
    X, y = two_classes
    w = np.where(np.arange(len(y)) % 3, 1.0, -0.5)
    for make in (mercer.SVC, mercer.NuSVC):
        estimator = make(gamma=0.3, tol=TIGHT)
        a = clone(estimator).fit(X, y, sample_weight=w).decision_function(X)
        b = clone(estimator).fit(X[w > 0], y[w > 0]).decision_function(X)
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
        with pytest.raises(ValueError, match="all samples have zero or negative weights"):
            clone(estimator).fit(X, y, sample_weight=np.zeros(len(y)))
        with pytest.raises(ValueError, match="same class|infeasible"):
            clone(estimator).fit(X, y, sample_weight=np.where(y == 1, 1.0, -1.0))


def test_probability_set_after_fit(iris):
    X, y = iris
    fitted = mercer.SVC().fit(X, y)
    assert not hasattr(fitted, "predict_proba") and len(fitted.probA_) == 0
    fitted.set_params(probability=True)
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        fitted.predict_proba(X)
    with_them = mercer.SVC(probability=True, random_state=0).fit(X[:100], y[:100])
    # scikit-learn's sigmoid takes values that are positive for the first class.
    z = with_them.probA_ * -with_them.decision_function(X[:100]) + with_them.probB_
    np.testing.assert_allclose(with_them.predict_proba(X[:100])[:, 0], 1 / (1 + np.exp(z)), atol=1e-6)


def test_callable_kernels(two_classes, numbers):
    X, y = two_classes

    def linear(a, b):
        return np.asarray(a) @ np.asarray(b).T

    a, b = mercer.SVC(kernel=linear, tol=TIGHT).fit(X, y), mercer.SVC(kernel="linear", tol=TIGHT).fit(X, y)
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=1e-4, atol=1e-5)
    words = ["aa", "a", "b", "bb", "ab", "ba"]
    count = mercer.SVC(kernel=lambda u, v: np.array([[p.count("a") * q.count("a") + p.count("b") * q.count("b") for q in v] for p in u]))
    assert count.fit(words, [1, 1, 0, 0, 1, 0]).predict(["aaa", "bbb"]).tolist() == [1, 0]
    with pytest.raises(ValueError, match="shape"):
        mercer.SVC(kernel=lambda u, v: np.ones((1, 1))).fit(X, y)
    grid = {"C": [0.1, 1.0]}
    ours, theirs = (search(mercer.SVC(kernel=linear), grid, cv=3).fit(X, y) for search in (mercer.GridSearch, GridSearchCV))
    assert ours.best_score_ == theirs.best_score_ > 0.5
    X, t = numbers

    def least(u, v, power=1):
        return np.minimum(np.abs(u), np.abs(v)).sum() ** power

    a = mercer.KernelRidge(kernel=least, kernel_params={"power": 2}).fit(X, t)
    b = KernelRidge(kernel=least, kernel_params={"power": 2}).fit(X, t)
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-6, atol=1e-8)


def test_ridge_with_weights_several_targets_and_alphas(numbers):
    X, t = numbers
    Y = np.column_stack([t, t**2])
    w = np.random.default_rng(0).uniform(0, 2, len(t))
    for kernel in ("rbf", "linear", "precomputed"):
        Z = X @ X.T if kernel == "precomputed" else X
        for target, options, weights in ((Y, {}, None), (t, {}, w), (Y, {"alpha": [0.1, 2.0]}, w), (Y[:, :1], {}, None)):
            a = mercer.KernelRidge(kernel=kernel, **options).fit(Z, target, sample_weight=weights)
            b = KernelRidge(kernel=kernel, **options).fit(Z, target, sample_weight=weights)
            assert a.predict(Z).shape == target.shape
            np.testing.assert_allclose(a.predict(Z), b.predict(Z), rtol=1e-6, atol=1e-7)
            np.testing.assert_allclose(a.dual_coef_, b.dual_coef_, rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(a)).predict(Z), a.predict(Z))
    # With an intercept and equal weights: the same solution as by the engine.
    a, b = (mercer.KernelRidge(kernel="rbf", fit_intercept=True).fit(X, t, sample_weight=v) for v in (np.ones(len(t)), None))
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-8, atol=1e-10)
    rows = np.repeat(np.arange(len(t)), np.arange(len(t)) % 3)
    a = mercer.KernelRidge(kernel="rbf", fit_intercept=True).fit(X, Y, sample_weight=np.arange(len(t)) % 3)
    b = mercer.KernelRidge(kernel="rbf", fit_intercept=True).fit(X[rows], Y[rows])
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(mercer.KernelRidge().fit(X, t).X_fit_, X)
    with pytest.raises(mercer.ParameterError, match="pickle"):
        mercer.KernelRidge().fit(X, Y).save("never-written.mercer")
    with pytest.raises(mercer.ParameterError, match="alpha"):
        mercer.KernelRidge(alpha=[1.0, 2.0, 3.0]).fit(X, Y)


def test_neighbours_and_their_distances(iris):
    X, y = iris
    X = X + 1e-3 * np.random.default_rng(0).standard_normal(X.shape)  # without equal distances
    ours, theirs = mercer.KNeighborsClassifier(7).fit(X, y), neighbors.KNeighborsClassifier(7, algorithm="brute").fit(X, y)
    distances, places = ours.kneighbors(X[::7] + 0.013)
    expected, theirs_places = theirs.kneighbors(X[::7] + 0.013)
    np.testing.assert_allclose(distances, expected, atol=1e-7)
    np.testing.assert_array_equal(places[:, 0], theirs_places[:, 0])
    np.testing.assert_allclose(ours.kneighbors()[0], theirs.kneighbors()[0], atol=1e-7)
    assert (ours.kneighbors_graph(X, mode="connectivity").sum(axis=1) == 7).all()
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    for options in ({"p": 1}, {"metric": "chebyshev"}, {"weights": "distance"}, {"weights": lambda d: 1 / (1 + d)}, {"metric": "cosine"}):
        a, b = mercer.KNeighborsClassifier(5, **options).fit(X, y), neighbors.KNeighborsClassifier(5, **options).fit(X, y)
        np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), atol=1e-9)
        if not callable(options.get("weights")):
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(a)).predict(X), a.predict(X))
    strings = mercer.KNeighborsClassifier(2, kernel=mercer.Spectrum(k=1)).fit(["aab", "aba", "xyz", "xzz"], [0, 0, 1, 1])
    assert strings.kneighbors(["aaab"])[1].tolist() == [[0, 1]]
    assert cross_val_score(mercer.KNeighborsClassifier(metric="precomputed"), np.abs(X[:, :1] - X[:, 0]), y).mean() > 0.5
    with pytest.raises(mercer.ParameterError, match="give one of them"):
        mercer.KNeighborsClassifier(kernel="rbf", metric="cosine").fit(X, y)


def test_neighbours_are_exact_and_ties_go_to_the_lower_index():
    # A grid has ties everywhere, some objects are equal, and the queries are enough for a search in single precision.
    X = np.random.default_rng(1).integers(0, 6, (1500, 3)).astype(float)
    y = np.arange(len(X)) % 3
    made = mercer.KNeighborsClassifier(6).fit(X, y)
    new = np.random.default_rng(2).integers(0, 6, (200, 3)) + 0.25
    squared = ((new[:, None] - X) ** 2).sum(axis=2)
    order = np.argsort(squared, axis=1, kind="stable")[:, :6]
    distances, places = made.kneighbors(new)
    np.testing.assert_array_equal(places, order)
    np.testing.assert_allclose(distances, np.sqrt(np.take_along_axis(squared, order, axis=1)), atol=1e-12)
    among = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(among, np.inf)
    np.testing.assert_array_equal(made.kneighbors()[1], np.argsort(among, axis=1, kind="stable")[:, :6])
    # A precomputed kernel matrix has the same neighbours.
    given = mercer.KNeighborsClassifier(6, kernel="precomputed").fit(X @ X.T, y)
    np.testing.assert_array_equal(given.kneighbors()[1], made.kneighbors()[1])
    with pytest.raises(mercer.ParameterError, match="n_neighbors"):
        made.kneighbors(n_neighbors=1500)


def test_kernel_pca_agrees_with_scikit_learn(iris):
    X, _ = iris
    for options in ({}, {"kernel": "rbf"}, {"kernel": "rbf", "gamma": 0.3}, {"kernel": "poly", "degree": 2}):
        a, b = mercer.KernelPCA(4, **options).fit(X), KernelPCA(4, eigen_solver="dense", **options).fit(X)
        np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, rtol=1e-7)
        np.testing.assert_allclose(a.eigenvectors_, b.eigenvectors_, atol=1e-6)
        np.testing.assert_allclose(a.transform(X), b.transform(X), atol=1e-6 * np.abs(b.transform(X)).max())
        assert a.gamma_ == b.gamma_
    a, b = (make(2, kernel="rbf", fit_inverse_transform=True).fit(X) for make in (mercer.KernelPCA, KernelPCA))
    np.testing.assert_allclose(a.inverse_transform(a.transform(X)), b.inverse_transform(b.transform(X)), rtol=1e-5)
    assert mercer.KernelPCA().fit_transform(X).shape == (150, 4)
    wide = mercer.KernelPCA(6).fit(X)
    assert wide.transform(X).shape == (150, 6) and (wide.eigenvalues_[4:] == 0).all()
    assert mercer.KernelPCA(6, remove_zero_eig=True).fit_transform(X).shape == (150, 4)
    with pytest.raises(NotFittedError):
        a.set_params(fit_inverse_transform=False).inverse_transform(X[:, :2])
    indefinite = np.diag([3.0, 2.0, -1.0, -2.0])
    with pytest.raises(mercer.NotPositiveDefinite, match="significant negative eigenvalues"):
        mercer.KernelPCA(kernel="precomputed").fit(indefinite)
    assert mercer.KernelPCA(1, kernel="precomputed").fit_transform(indefinite).shape == (4, 1)


def test_missing_numbers_are_passed_to_kernels_that_accept_them(two_classes):
    X, y = two_classes
    X = X.copy()
    X[::9, 1] = np.nan
    for kernel in (mercer.Impute(mercer.RBF(gamma=0.2)), mercer.Standardize(mercer.Impute(mercer.RBF(gamma=0.2)))):
        fitted = mercer.SVC(kernel=kernel).fit(X, y)
        assert fitted.score(X, y) > 0.6 and fitted.__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="NaN"):
        mercer.SVC().fit(X, y)


def test_tables_with_text_are_refused_with_the_column_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [31.0, 54.0, 29.0, 40.0], "ward": ["a", "b", "a", "b"]})
    for estimator in (mercer.SVC(), mercer.SVC(kernel="linear"), mercer.KNeighborsClassifier(1), mercer.KernelRidgeClassifier()):
        with pytest.raises(ValueError, match="ward"):
            estimator.fit(frame, [0, 1, 0, 1])
    mixed = mercer.RBF(gamma=0.1).on("age") + mercer.Delta().on("ward")
    assert mercer.SVC(kernel=mixed).fit(frame, [0, 1, 0, 1]).score(frame, [0, 1, 0, 1]) == 1
    thin = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0, 0.0, 2.0]), "b": pd.arrays.SparseArray([1.0, 0.0, 0.0, 0.0])})
    assert mercer.SVC(kernel="linear").fit(thin, [0, 1, 0, 1]).predict(thin).shape == (4,)


def test_tags_and_messages_for_precomputed_matrices(two_classes):
    X, y = two_classes
    given = mercer.SVC(kernel="precomputed").__sklearn_tags__().input_tags
    assert given.pairwise and not given.sparse
    assert not mercer.SVC().__sklearn_tags__().input_tags.pairwise and mercer.SVC().__sklearn_tags__().input_tags.sparse
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        mercer.SVC(kernel="precomputed").fit(sparse.eye_array(4, format="csr"), [0, 1, 0, 1])
    fitted = mercer.SVC(kernel="precomputed").fit(X @ X.T, y)
    assert fitted.support_vectors_.shape == (0, 0)


def test_linear_estimators(two_classes, numbers):
    X, y = two_classes
    for options in ({}, {"loss": "hinge"}, {"penalty": "l1", "dual": False}, {"dual": False}, {"dual": True}):
        a = mercer.LinearSVC(tol=1e-8, max_iter=100_000, C=0.5, **options).fit(X, y)
        b = svm.LinearSVC(tol=1e-8, max_iter=100_000, C=0.5, **options).fit(X, y)
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=2e-3, atol=1e-3)
        assert type(a.n_iter_) is int
    # Predictions use the weights: changing them changes predictions.
    a.coef_ = -a.coef_
    a.intercept_ = -a.intercept_
    assert (a.predict(X) != b.predict(X)).mean() > 0.9
    before = b.predict(X)
    assert (mercer.LinearSVC(C=0.5).fit(X, y).sparsify().predict(X) == before).mean() > 0.98
    with pytest.raises(ValueError, match="Unsupported set of arguments.*penalty='l1.*loss='hinge.*dual=True"):
        mercer.LinearSVC(penalty="l1", loss="hinge", dual=True).fit(X, y)
    with pytest.raises(ValueError, match="multi_class"):
        mercer.LinearSVC(multi_class="ovo").fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Liblinear failed to converge"):
        mercer.LinearSVC(max_iter=1, tol=1e-12).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Liblinear failed to converge"):
        mercer.LinearSVC(penalty="l1", max_iter=1, tol=1e-12).fit(X, y)
    weights = np.where(np.arange(len(y)) % 4, 1.0, 0.0)
    a = mercer.LinearSVC("l1", tol=1e-10, max_iter=10_000).fit(X, y, sample_weight=weights)
    b = mercer.LinearSVC("l1", tol=1e-10, max_iter=10_000).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(
        mercer.LinearSVC("l1", tol=1e-10, max_iter=10_000).fit(sparse.csr_array(X), y).coef_,
        mercer.LinearSVC("l1", tol=1e-10, max_iter=10_000).fit(X, y).coef_, rtol=1e-5, atol=1e-7,
    )  # fmt: skip


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_crammer_and_singer(iris, two_classes, form, tmp_path):
    """The objective is as low as LIBLINEAR's, with its conventions, and its bound is the certificate's."""
    X, y = iris
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    weights = np.where(np.arange(len(y)) % 3, 1.0, 2.0)

    def objective(model, X, y):
        both = np.hstack([model.coef_, model.intercept_[:, None]])
        values = model.decision_function(X)
        own = np.take_along_axis(values, y[:, None], axis=1)
        errors = (values + 1 - np.eye(len(both))[y] - own).max(axis=1)
        return 0.5 * (both**2).sum() + 0.7 * (weights * errors).sum()

    options = {"multi_class": "crammer_singer", "C": 0.7, "tol": 1e-8, "max_iter": 1_000_000}
    ours = mercer.LinearSVC(**options).fit(form(X), y, sample_weight=weights)
    theirs = svm.LinearSVC(**options).fit(X, y, sample_weight=weights)
    (name, certificate), = ours.certificate_.items()
    assert name == "all classes" and certificate["stop"] == "converged"
    np.testing.assert_allclose(objective(ours, X, y), certificate["primal"], rtol=1e-9)
    assert certificate["dual"] <= objective(theirs, X, y) * (1 + 1e-9)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    # As in scikit-learn, loss, penalty and dual are not used.
    other = mercer.LinearSVC("l1", "hinge", dual=False, **options).fit(form(X), y, sample_weight=weights)
    np.testing.assert_array_equal(other.coef_, ours.coef_)
    mercer.save(ours, tmp_path / "joint.mercer")
    loaded = mercer.load(tmp_path / "joint.mercer")
    assert loaded.multi_class == "crammer_singer" and list(loaded.certificate_) == ["all classes"]
    np.testing.assert_array_equal(loaded.predict(form(X)), ours.predict(form(X)))
    with pytest.warns(ConvergenceWarning, match="all classes"):
        mercer.LinearSVC(multi_class="crammer_singer", max_iter=1, tol=1e-12).fit(X, y)
    # Two classes have one row of weights, the difference of theirs.
    X, y = two_classes
    ours, theirs = mercer.LinearSVC(**options).fit(form(X), y), svm.LinearSVC(**options).fit(X, y)
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)


def test_ties_and_parameters_without_effect(iris):
    X, y = iris
    a, b = mercer.SVC(shrinking=False, verbose=False).fit(X, y), mercer.SVC().fit(X, y)
    np.testing.assert_array_equal(a.dual_coef_, b.dual_coef_)
    broken = mercer.SVC(break_ties=True).fit(X, y)
    np.testing.assert_array_equal(broken.predict(X), broken.decision_function(X).argmax(axis=1))
    with pytest.raises(ValueError, match="break_ties must be False"):
        mercer.SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        large = mercer.SVC(C=float("inf"), kernel="linear").fit(X[:100], y[:100])
    assert large.score(X[:100], y[:100]) == 1
    with pytest.raises(ValueError, match="not finite"):
        mercer.SVC().fit(np.full((4, 2), 1e308) * [[1], [-1], [1], [-1]], [0, 1, 0, 1])


def test_shares_of_one_target_and_of_several_have_the_same_bits():
    random = np.random.default_rng(0)
    rows, new, targets = random.random((40, 5)), random.random((13, 5)), random.integers(0, 3, (40, 3))
    for weights in ("uniform", "distance"):
        several = mercer.KNeighborsClassifier(weights=weights).fit(rows, targets).predict_proba(new)
        for column, shares in zip(targets.T, several):
            alone = mercer.KNeighborsClassifier(weights=weights).fit(rows, column).predict_proba(new)
            assert (shares == alone).all()


def test_a_precomputed_matrix_may_be_anything_that_converts_to_an_array():
    class Convertible:
        def __init__(self, data):
            self.data = data

        def __array__(self, dtype=None, copy=None):
            return self.data

        def __array_function__(self, func, types, args, kwargs):
            raise TypeError(f"Don't want to call array_function {func.__name__}!")

    rows = np.random.default_rng(0).normal(size=(20, 2))
    K, y = rows @ rows.T, rows[:, 0] > 0
    expected = mercer.SVC(kernel="precomputed").fit(K, y).predict(K)
    assert (mercer.SVC(kernel="precomputed").fit(Convertible(K), y).predict(Convertible(K)) == expected).all()
