"""Estimators compared with scikit-learn's (LIBSVM), and used with its tools."""

import io
import pickle
import warnings

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer

TIGHT = 1e-8


def agree(ours, theirs, rtol=1e-5):
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol * np.abs(theirs).max())


def test_binary_svc_has_the_attributes_and_signs_of_scikit_learn(two_classes):
    X, y = two_classes
    a, b = mercer.SVC(C=2.0, tol=TIGHT).fit(X, y), svm.SVC(C=2.0, tol=TIGHT).fit(X, y)
    np.testing.assert_array_equal(a.support_, b.support_)
    np.testing.assert_array_equal(a.n_support_, b.n_support_)
    agree(a.dual_coef_, b.dual_coef_)
    agree(a.intercept_, b.intercept_)
    agree(a.decision_function(X), b.decision_function(X))
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    assert a.classes_.tolist() == [0, 1] and a.n_features_in_ == 5
    (certificate,) = a.certificate_.values()
    assert certificate.stop == "converged" and abs(certificate.gap) < 1e-4
    values = mercer.RBF(gamma=a.kernel_.gamma).cross(X, X[a.support_]) @ a.dual_coef_[0] + a.intercept_
    agree(values, a.decision_function(X), 1e-10)


def test_three_classes(iris):
    X, y = iris
    a, b = mercer.SVC(tol=TIGHT).fit(X, y), svm.SVC(tol=TIGHT).fit(X, y)
    np.testing.assert_array_equal(a.support_, b.support_)
    np.testing.assert_array_equal(a.n_support_, b.n_support_)
    agree(a.dual_coef_, b.dual_coef_, 1e-3)
    agree(a.intercept_, b.intercept_, 1e-4)
    agree(a.decision_function(X), b.decision_function(X))
    one = mercer.SVC(tol=TIGHT, decision_function_shape="ovo").fit(X, y)
    agree(one.decision_function(X), svm.SVC(tol=TIGHT, decision_function_shape="ovo").fit(X, y).decision_function(X))
    rest = mercer.SVC(scheme="one-versus-rest").fit(X, y)
    assert rest.decision_function(X).shape == (150, 3) and rest.score(X, y) > 0.95


@pytest.mark.parametrize(
    "kernel, options", [("linear", {}), ("poly", {"degree": 2, "coef0": 1.0}), ("rbf", {"gamma": "auto"}), ("rbf", {"gamma": 0.3})]
)
def test_kernels_by_scikit_learns_names(two_classes, kernel, options):
    X, y = two_classes
    a = mercer.SVC(kernel=kernel, tol=TIGHT, **options).fit(X, y)
    b = svm.SVC(kernel=kernel, tol=TIGHT, **options).fit(X, y)
    agree(a.decision_function(X), b.decision_function(X), 1e-4)


def test_other_estimators_agree_with_scikit_learn(two_classes, numbers):
    X, y = two_classes
    agree(mercer.NuSVC(nu=0.4, tol=TIGHT).fit(X, y).decision_function(X), svm.NuSVC(nu=0.4, tol=TIGHT).fit(X, y).decision_function(X), 1e-3)
    a, b = mercer.OneClassSVM(nu=0.2, tol=TIGHT).fit(X), svm.OneClassSVM(nu=0.2, tol=TIGHT).fit(X)
    agree(a.decision_function(X), b.decision_function(X))
    agree(a.score_samples(X), b.score_samples(X))
    agree(a.offset_, b.offset_)
    X, t = numbers
    a, b = mercer.SVR(C=3, epsilon=0.05, tol=TIGHT).fit(X, t), svm.SVR(C=3, epsilon=0.05, tol=TIGHT).fit(X, t)
    agree(a.predict(X), b.predict(X))
    np.testing.assert_array_equal(a.support_, b.support_)
    agree(a.dual_coef_, b.dual_coef_, 1e-3)
    agree(a.intercept_, b.intercept_)
    agree(mercer.NuSVR(nu=0.4, tol=TIGHT).fit(X, t).predict(X), svm.NuSVR(nu=0.4, tol=TIGHT).fit(X, t).predict(X), 1e-3)
    for kernel in ("linear", "rbf", "poly"):
        agree(mercer.KernelRidge(alpha=0.5, kernel=kernel).fit(X, t).predict(X), KernelRidge(alpha=0.5, kernel=kernel).fit(X, t).predict(X), 1e-8)
    a = mercer.LinearSVC(C=0.7, tol=1e-9, max_iter=100000).fit(*two_classes)
    b = svm.LinearSVC(C=0.7, tol=1e-9, max_iter=100000).fit(*two_classes)
    agree(a.coef_, b.coef_, 1e-4)
    agree(a.intercept_, b.intercept_, 1e-4)


def test_a_learned_penalty_has_the_least_leave_one_out_error():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 3))
    target = x[:, 0] + 0.5 * rng.normal(size=60)
    model = mercer.KernelRidge(alpha="learned", kernel="rbf", gamma=0.3, fit_intercept=True).fit(x, target)

    def error(alpha):
        return np.mean(mercer.KernelRidge(alpha=alpha, kernel="rbf", gamma=0.3, fit_intercept=True).leave_one_out(x, target) ** 2)

    assert all(error(model.alpha_) <= error(model.alpha_ * factor) * 1.02 for factor in (0.01, 0.1, 0.3, 3, 10, 100))
    given = mercer.KernelRidge(alpha=model.alpha_, kernel="rbf", gamma=0.3, fit_intercept=True).fit(x, target)
    np.testing.assert_array_equal(model.predict(x), given.predict(x))
    assert not hasattr(given, "alpha_")
    classes = np.where(target > 0, "up", "down")
    classifier = mercer.KernelRidgeClassifier(alpha="learned", kernel="rbf", fit_intercept=True).fit(x, classes)
    assert classifier.alpha_ > 0 and classifier.score(x, classes) > 0.7
    gram = x @ x.T
    known = mercer.KernelRidge(alpha="learned", kernel="precomputed").fit(gram, target)
    features = mercer.KernelRidge(alpha="learned").fit(x, target)
    # Small penalties differ in their errors by rounding alone.
    errors = [np.mean(mercer.KernelRidge(alpha=m.alpha_).leave_one_out(x, target) ** 2) for m in (known, features)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-6)
    with pytest.raises(mercer.ParameterError):
        mercer.KernelRidge(alpha="learned").fit(x, np.column_stack([target, target]))
    with pytest.raises(mercer.ParameterError):
        mercer.KernelRidge(alpha="best").fit(x, target)


def test_weights_count_as_repetitions(two_classes, numbers):
    """Weight 2 counts as two objects, weight 0 as none."""
    X, y = two_classes
    w = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    rows = np.repeat(np.arange(len(X)), w.astype(int))
    k = mercer.RBF(gamma=0.4)
    for estimator in (mercer.SVC(kernel=k, tol=TIGHT), mercer.NuSVC(nu=0.3, kernel=k, tol=TIGHT)):
        a = clone(estimator).fit(X, y, sample_weight=w).decision_function(X)
        agree(a, clone(estimator).fit(X[rows], y[rows]).decision_function(X), 1e-5)
    a = mercer.OneClassSVM(nu=0.3, kernel=k, tol=TIGHT).fit(X, sample_weight=w).decision_function(X)
    b = mercer.OneClassSVM(nu=0.3, kernel=k, tol=TIGHT).fit(X[rows]).decision_function(X)
    agree(a / np.abs(a).max(), b / np.abs(b).max(), 1e-4)
    X, t = numbers
    w = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    rows = np.repeat(np.arange(len(X)), w.astype(int))
    for estimator in (mercer.SVR(kernel=k, tol=TIGHT), mercer.NuSVR(kernel=k, tol=TIGHT)):
        agree(clone(estimator).fit(X, t, sample_weight=w).predict(X), clone(estimator).fit(X[rows], t[rows]).predict(X), 1e-4)


def test_class_weights(two_classes):
    X, y = two_classes
    for given in ("balanced", {0: 1.0, 1: 5.0}):
        a = mercer.SVC(class_weight=given, tol=TIGHT).fit(X, y)
        agree(a.decision_function(X), svm.SVC(class_weight=given, tol=TIGHT).fit(X, y).decision_function(X), 1e-4)


def test_a_precomputed_gram_matrix(two_classes):
    X, y = two_classes
    K, k = mercer.RBF(gamma=0.2).gram(X), mercer.RBF(gamma=0.2)
    for make in (mercer.SVC, mercer.KernelRidgeClassifier, mercer.Perceptron):
        whole = make(kernel=k).fit(X, y)
        given = make(kernel="precomputed").fit(K, y)
        # Rows computed one by one and a matrix computed in tiles may differ in the last bit.
        agree(given.decision_function(K[:7]), whole.decision_function(X[:7]), 1e-6)
        again = pickle.loads(pickle.dumps(given))
        np.testing.assert_array_equal(again.decision_function(K), given.decision_function(K))
        with pytest.raises(ValueError):
            given.predict(K[:, :50])
        with pytest.raises(mercer.DataError, match="pickle"):
            mercer.save(given, "never-written.mercer")
    np.testing.assert_allclose(cross_val_score(mercer.SVC(kernel="precomputed"), K, y), cross_val_score(mercer.SVC(kernel=k), X, y))
    with pytest.raises(ValueError, match="square"):
        mercer.SVC(kernel="precomputed").fit(K[:, :50], y)
    skewed = K.copy()
    skewed[0, 1] += 1
    with pytest.raises(mercer.DataError, match="E_K_SYMM"):
        mercer.SVC(kernel="precomputed").fit(skewed, y)
    for bad in (np.nan, np.inf):
        broken = K.copy()
        broken[3, 4] = broken[4, 3] = bad
        with pytest.raises(mercer.DataError, match="E_NONFINITE"):
            mercer.SVC(kernel="precomputed").fit(broken, y)
    with pytest.raises(mercer.NotPositiveDefinite) as caught:
        mercer.SVC(kernel="precomputed", C=100).fit(-K, y)
    assert caught.value.lambda_min == pytest.approx(np.linalg.eigvalsh(-K)[0])


def test_the_matrix_is_read_in_place(two_classes):
    """A strided or single-precision matrix gives what a contiguous one does."""
    X, y = two_classes
    K = mercer.RBF(gamma=0.2).gram(X)
    wide = np.empty((100, 200))
    wide[:, ::2] = K
    before = K.copy()
    a = mercer.SVC(kernel="precomputed").fit(K, y).decision_function(K)
    np.testing.assert_array_equal(K, before)
    np.testing.assert_array_equal(a, mercer.SVC(kernel="precomputed").fit(wide[:, ::2], y).decision_function(wide[:, ::2]))
    np.testing.assert_array_equal(a, mercer.SVC(kernel="precomputed").fit(np.asfortranarray(K), y).decision_function(K))
    frozen = K.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(a, mercer.SVC(kernel="precomputed").fit(frozen, y).decision_function(frozen))


def test_sparse_and_dense_vectors_are_equivalent(two_classes):
    X, y = two_classes
    X = np.where(np.abs(X) < 0.7, 0, X)
    for form in (sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        a = mercer.SVC(gamma=0.5, tol=TIGHT).fit(form(X), y).decision_function(form(X))
        agree(a, mercer.SVC(gamma=0.5, tol=TIGHT).fit(X, y).decision_function(X), 1e-6)
    assert mercer.SVC(gamma="scale").fit(sparse.csr_array(X), y).kernel_.gamma == pytest.approx(1 / (5 * X.var()))


def test_classes_of_any_type(two_classes):
    X, y = two_classes
    for names in (np.array(["no", "yes"]), np.array([-1.0, 1.0]), np.array([10, 7]), np.array([False, True])):
        target = names[y]
        fitted = mercer.SVC().fit(X, target)
        assert set(fitted.predict(X)) <= set(target.tolist()) and fitted.classes_.dtype == target.dtype
        assert (fitted.classes_ == np.unique(target)).all()
        assert fitted.score(X, target) > 0.8


def test_probabilities(iris):
    X, y = iris
    with pytest.raises(AttributeError):
        mercer.SVC().predict_proba
    p = mercer.SVC(probability=True, random_state=0).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(p.sum(1), 1)
    assert (p.argmax(1) == y).mean() > 0.95
    np.testing.assert_allclose(mercer.KNeighborsClassifier(7).fit(X, y).predict_proba(X).sum(1), 1)


def test_tools_of_scikit_learn(two_classes):
    X, y = two_classes
    pipe = make_pipeline(StandardScaler(), mercer.SVC(C=3))
    assert cross_val_score(pipe, X, y, cv=4).mean() > 0.7
    calibrated = CalibratedClassifierCV(mercer.SVC(), cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(1), 1)
    search = GridSearchCV(mercer.SVC(kernel=mercer.RBF()), {"C": [0.1, 1], "kernel__gamma": [0.1, 1]}, cv=3).fit(X, y)
    assert search.best_params_["kernel__gamma"] in (0.1, 1) and search.best_estimator_.kernel.gamma in (0.1, 1)
    nested = clone(mercer.SVC(kernel=mercer.Normalize(mercer.RBF(gamma=2) + mercer.Linear())))
    assert nested.get_params()["kernel__kernel__left__gamma"] == 2
    nested.set_params(kernel__kernel__left__gamma=3)
    assert nested.kernel.expression == "normalize(rbf(gamma=3) + linear)"


def test_models_survive_pickle_and_joblib(iris, numbers, tmp_path):
    X, y = iris
    N, t = numbers
    fitted = [
        mercer.SVC(probability=True).fit(X, y),
        mercer.NuSVC(nu=0.1).fit(X, y),
        mercer.LinearSVC().fit(X, y),
        mercer.KernelRidgeClassifier(kernel="rbf").fit(X, y),
        mercer.Perceptron().fit(X, y),
        mercer.VotedPerceptron().fit(X, y),
        mercer.KNeighborsClassifier().fit(X, y),
        mercer.SVR().fit(N, t),
        mercer.NuSVR().fit(N, t),
        mercer.LinearSVR().fit(N, t),
        mercer.KernelRidge().fit(N, t),
        mercer.KNeighborsRegressor().fit(N, t),
        mercer.OneClassSVM().fit(N),
        mercer.KernelKMeans(random_state=0).fit(N),
        mercer.SVC(kernel=mercer.Normalize(mercer.RandomWalkPower(mercer.Standardize(mercer.RBF()), p=3))).fit(X, y),
    ]
    for estimator in fitted:
        data = X if estimator.n_features_in_ == X.shape[1] and hasattr(estimator, "classes_") else N
        for again in (pickle.loads(pickle.dumps(estimator)), through_joblib(estimator)):
            np.testing.assert_array_equal(again.predict(data), estimator.predict(data), err_msg=repr(estimator))
            assert again.get_params().keys() == estimator.get_params().keys()
    components = mercer.KernelPCA(3).fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(components)).transform(X), components.transform(X))


def through_joblib(estimator):
    file = io.BytesIO()
    joblib.dump(estimator, file)
    file.seek(0)
    return joblib.load(file)


def test_components_and_clusters(iris):
    X, _ = iris
    from sklearn.decomposition import KernelPCA

    a, b = mercer.KernelPCA(3, kernel="rbf", gamma=0.3).fit(X), KernelPCA(3, kernel="rbf", gamma=0.3).fit(X)
    agree(np.abs(a.transform(X)), np.abs(b.transform(X)), 1e-6)
    assert a.get_feature_names_out().tolist() == ["kernelpca0", "kernelpca1", "kernelpca2"]
    groups = mercer.KernelKMeans(3, gamma=0.3, random_state=1).fit(X)
    np.testing.assert_array_equal(groups.labels_, groups.predict(X))
    assert groups.transform(X).shape == (150, 3) and groups.inertia_ > 0


def test_reaching_the_iteration_limit_is_a_warning(two_classes):
    X, y = two_classes
    with pytest.warns(ConvergenceWarning, match="iteration limit") as caught:
        fitted = mercer.SVC(C=1e4, max_iter=3).fit(X, y)
    assert any(issubclass(w.category, mercer.ConvergenceWarning) for w in caught)
    assert next(iter(fitted.certificate_.values())).stop == "iterations"


def test_parameters_outside_their_domain(two_classes):
    X, y = two_classes
    for bad in (mercer.SVC(C=-1), mercer.SVC(C="a"), mercer.SVC(kernel=3), mercer.SVC(gamma="large"), mercer.NuSVC(nu=0)):
        with pytest.raises(mercer.ParameterError):
            bad.fit(X, y)
    with pytest.raises(mercer.NotFittedError):
        mercer.SVC().predict(X)
    with pytest.raises(TypeError):
        mercer.KernelRidgeClassifier().fit(X, y, sample_weight=np.ones(len(y)))


def test_names_of_columns(two_classes):
    pd = pytest.importorskip("pandas")
    X, y = two_classes
    frame = pd.DataFrame(X, columns=list("abcde"))
    fitted = mercer.SVC().fit(frame, y)
    assert fitted.feature_names_in_.tolist() == list("abcde")
    with pytest.warns(UserWarning, match="valid feature names"):
        plain = fitted.decision_function(X)
    agree(fitted.decision_function(frame), plain, 1e-12)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[list("edcba")])


def test_notebooks_show_estimators_and_certificates(two_classes):
    X, y = two_classes
    fitted = mercer.SVC().fit(X, y)
    assert "SVC" in fitted._repr_html_()
    (certificate,) = fitted.certificate_.values()
    assert "<table>" in certificate._repr_html_() and "gap" in certificate._repr_html_()
    shown = mercer.certify(mercer.RBF().gram(X))
    assert "verdict" in shown._repr_html_() and len(shown.eigenvalues) == 100


def test_certificates_of_matrices():
    K = np.array([[2.0, 1.0], [1.0, 2.0]])
    facts = mercer.certify(K)
    np.testing.assert_allclose(facts.eigenvalues, [1, 3])
    assert facts.rank == 2 and facts.trace == 4 and facts["lambda_max"] == pytest.approx(3)
    assert mercer.certify([[0.0, 1.0], [1.0, 0.0]]).negative == 1
    with pytest.raises(mercer.DataError):
        mercer.certify([[1.0, 2.0]])


def test_no_unnecessary_warnings(two_classes):
    X, y = two_classes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mercer.SVC().fit(X, y).predict(X)
