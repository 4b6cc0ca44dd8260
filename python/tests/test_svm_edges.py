"""Support vector machines: degenerate problems, limits, weights and solvers."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

import mercer

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(80, 3))
Y = (X[:, 0] + 0.5 * RANDOM.normal(size=80) > 0).astype(int)


def dense(values):
    return values.toarray() if hasattr(values, "toarray") else values


def checked(fitted):
    """Check that all values of the model and of its certificates are finite."""
    assert np.isfinite(dense(fitted.dual_coef_)).all() and np.isfinite(dense(fitted.intercept_)).all()
    for name, certificate in fitted.certificate_.items():
        for key in ("primal", "dual", "gap", "violation"):
            assert certificate[key] is not None and np.isfinite(certificate[key]), (name, key)
        assert certificate["gap"] >= 0
    return fitted


# ------------------------------------------------------------------ curvature 0


@pytest.mark.parametrize("form", [csr_array, np.asarray])
@pytest.mark.parametrize("rows", [[[0.0], [0.0], [1.0]], [[0.0], [0.0], [0.0]], [[1.0], [1.0], [0.0]], [[1e-200], [0.0], [1.0]]])
def test_two_equal_rows_of_opposite_classes_end_at_their_bounds(form, rows):
    ours = checked(mercer.SVC(kernel="linear", C=3).fit(form(rows), [0, 1, 0]))
    theirs = svm.SVC(kernel="linear", C=3).fit(form(rows), [0, 1, 0])
    assert dense(ours.dual_coef_).tolist() == dense(theirs.dual_coef_).tolist() == [[-3.0, 3.0]]
    assert ours.intercept_ == pytest.approx(theirs.intercept_)
    assert all(c["stop"] == "converged" for c in ours.certificate_.values())


@pytest.mark.parametrize("solver", ["auto", "smo", "active-set"])
@pytest.mark.parametrize("form", [csr_array, np.asarray])
def test_rows_of_zeros_in_every_problem(form, solver):
    for seed in range(20):
        random = np.random.default_rng(seed)
        rows = np.round(random.normal(size=(12, 2)))
        rows[random.random(12) < 0.5] = 0
        classes, numbers = random.integers(0, 2, 12), random.normal(size=12)
        classes[:2] = 0, 1
        common = {"kernel": "linear", "solver": solver}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            checked(mercer.SVC(C=100, **common).fit(form(rows), classes))
            checked(mercer.SVR(C=100, **common).fit(form(rows), numbers))
            checked(mercer.NuSVR(C=100, nu=0.4, **common).fit(form(rows), numbers))
            checked(mercer.OneClassSVM(nu=0.4, **common).fit(form(rows)))


def test_similarities_of_empty_rows_are_not_minus_zero():
    gram = mercer.Linear().gram(csr_array([[0.0], [1.0]]))
    assert not np.signbit(gram).any()


def test_too_large_numbers_are_an_error():
    gram = np.array([[1e300, -1e300], [-1e300, 1e300]])
    with pytest.raises(mercer.NumericError, match="overflow"):
        mercer.SVR(C=1e200, kernel="precomputed", epsilon=0).fit(gram, [1e300, -1e300])
    with pytest.raises(ValueError, match="bound"):
        mercer.SVC(C=1e300, kernel="precomputed").fit(np.eye(2), [0, 1], sample_weight=[1e300, 1])


# ------------------------------------------------------------------ limits


@pytest.mark.parametrize("most", [0, 1, 7, 100])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("solver", ["auto", "smo", "active-set"])
def test_no_more_iterations_than_allowed(most, kernel, solver):
    random = np.random.default_rng(3)
    rows = random.normal(size=(300, 4)) * [1, 10, 100, 1000]
    classes = np.digitize(rows[:, 0], [-0.5, 0.5])
    data = rows @ rows.T if kernel == "precomputed" else rows
    common = {"kernel": kernel, "max_iter": most, "solver": solver}
    fits = [
        lambda: mercer.SVC(C=1e4, **common).fit(data, classes),
        lambda: mercer.NuSVC(nu=0.6, **common).fit(data, classes),
        lambda: mercer.SVR(C=1e4, **common).fit(data, rows[:, 0]),
        lambda: mercer.NuSVR(C=1e4, **common).fit(data, rows[:, 0]),
        lambda: mercer.OneClassSVM(**common).fit(data),
    ]
    for fit in fits:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted = fit()
        for certificate in fitted.certificate_.values():
            assert certificate["iterations"] <= most
            assert certificate["stop"] in ("iterations", "converged", "stalled", "wide-gap")
        unfinished = [c for c in fitted.certificate_.values() if c["stop"] != "converged"]
        warned = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
        assert bool(unfinished) == bool(warned)
        assert np.max(fitted.n_iter_) <= most
    # The first problem cannot be solved with so few iterations.
    assert most > 7 or any(c["stop"] == "iterations" for c in fits[0]().certificate_.values())


def test_one_epoch_of_a_linear_model_visits_all_objects():
    random = np.random.default_rng(1)
    rows = random.normal(size=(9000, 5))
    classes = (rows[:, 0] > 0).astype(int)
    with pytest.warns(ConvergenceWarning):
        fitted = mercer.LinearSVC(max_iter=1, tol=1e-12, loss="hinge").fit(rows, classes)
    assert fitted.n_iter_ == 1
    assert fitted.score(rows, classes) > 0.9


# ------------------------------------------------------------------ hard margin, no margin


def test_a_hard_margin_has_a_small_gap_or_is_refused():
    rows = np.array([[-3.0], [-1.0], [1.0], [2.0]])
    fitted = checked(mercer.SVC(kernel="linear", margin="hard", tol=1e-6).fit(rows, [0, 0, 1, 1]))
    certificate = fitted.certificate_["0|1"]
    assert certificate["stop"] == "converged" and certificate["gap"] <= 1e-4
    assert certificate["primal"] == pytest.approx(0.5, abs=1e-4)
    for scale in (1e-8, 1e8):
        many = np.vstack([X - 4, X + 4]) * scale
        fitted = checked(mercer.SVC(kernel="linear", margin="hard").fit(many, np.repeat([0, 1], 80)))
        certificate = fitted.certificate_["0|1"]
        assert certificate["gap"] <= 0.05 * certificate["primal"], certificate
    for rows, classes in [(X, Y), ([[0.0], [0.0], [1.0]], [0, 1, 1]), ([[1.0], [3.0], [2.0]], [0, 0, 1]), (np.zeros((2, 1)), [0, 1])]:
        with pytest.raises(mercer.NumericError, match="no hard margin separates"):
            mercer.SVC(kernel="linear", margin="hard").fit(rows, classes)


def test_nu_too_small_for_overlapping_classes_warns_that_there_is_no_margin():
    random = np.random.default_rng(5)
    rows, classes = random.normal(size=(60, 2)), random.integers(0, 2, 60)
    for scale in (1.0, 1e-6, 1e6):
        with pytest.warns(mercer.DataWarning, match=r"W_NO_MARGIN 0\|1: nu leaves no margin"):
            fitted = mercer.NuSVC(nu=0.05, kernel="linear").fit(rows * scale, classes)
        assert fitted.certificate_["0|1"]["no_margin"] and fitted.fit_status_ == 0
        # Not divided by a margin that is a rounding error: decision values stay small.
        assert np.abs(fitted.decision_function(rows * scale)).max() <= 1e-3 * scale**2
        again = pickle.loads(pickle.dumps(fitted))
        assert (again.predict(rows * scale) == fitted.predict(rows * scale)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with_margin = checked(mercer.NuSVC(nu=0.05, kernel="rbf", gamma=50.0).fit(rows, classes))
    assert "no_margin" not in with_margin.certificate_["0|1"]
    with pytest.warns(mercer.DataWarning) as caught:
        mercer.evaluate(rows, classes, learner=mercer.NuSVC(nu=0.05, kernel="linear"), protocol="5-fold")
    warned = [str(w.message) for w in caught if "W_NO_MARGIN" in str(w.message)]
    assert warned and "nu leaves no margin between the classes in 5 of 5 folds" in warned[0]


@pytest.mark.parametrize("scale", [1e-8, 1e-4, 1.0, 1e4, 1e8])
def test_nu_and_one_class_do_not_depend_on_the_scale(scale):
    sides = np.where(Y[:, None] == 1, X + 2, X - 2)
    makes = lambda: mercer.NuSVC(nu=0.3, kernel="linear"), lambda: mercer.OneClassSVM(nu=0.3, kernel="linear")
    for make, rows in zip(makes, (sides, X + 5)):
        one, other = make().fit(rows, Y), checked(make().fit(rows * scale, Y))
        ours, theirs = one.decision_function(rows), other.decision_function(rows * scale)
        unit = 1.0 if isinstance(one, mercer.NuSVC) else scale**2
        assert np.abs(theirs / unit - ours).max() <= 0.05 * np.abs(ours).max()


# ------------------------------------------------------------------ solvers


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_solvers_find_the_same_solution(kernel):
    for make in (
        lambda s: mercer.SVC(C=50, kernel=kernel, tol=1e-6, solver=s).fit(X, Y),
        lambda s: mercer.NuSVC(nu=0.5, kernel=kernel, tol=1e-6, solver=s).fit(X, Y),
        lambda s: mercer.SVR(C=5, kernel=kernel, tol=1e-6, solver=s).fit(X, X[:, 1] ** 2),
    ):
        found = [list(make(s).certificate_.values())[0] for s in ("auto", "smo", "active-set")]
        for one in found[1:]:
            assert one["dual"] == pytest.approx(found[0]["dual"], rel=1e-5)
    assert make("active-set")._learner_text().count("solver=active-set") == 1
    with pytest.raises(ValueError, match="auto, smo, active-set"):
        make("newton")


def test_the_solver_is_stored_in_files(tmp_path):
    mercer.SVC(solver="active-set").fit(X, Y).save(tmp_path / "m.mercer")
    assert mercer.load(tmp_path / "m.mercer").solver == "active-set"


# ------------------------------------------------------------------ class weights


@pytest.mark.parametrize("weights", ["balanced", {0: 1, 1: 8}, {1: 0.25}])
@pytest.mark.parametrize("names", [[0, 1], ["no", "yes"], ['a, "b"', "c:d"]])
def test_class_weights_agree_with_scikit_learn(weights, names, tmp_path):
    target = np.array(names)[Y]
    if isinstance(weights, dict):
        weights = {names[c]: w for c, w in weights.items()}
    ours = checked(mercer.SVC(kernel="rbf", gamma=0.5, class_weight=weights, tol=1e-6).fit(X, target))
    theirs = svm.SVC(kernel="rbf", gamma=0.5, class_weight=weights, tol=1e-6).fit(X, target)
    assert np.abs(ours.decision_function(X) - theirs.decision_function(X)).max() < 1e-3
    assert ours.class_weight_ == pytest.approx(theirs.class_weight_)
    ours.save(tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.class_weight == weights and loaded.class_weight_ == pytest.approx(ours.class_weight_)


def test_class_weights_of_nu_svc_are_equivalent_to_sample_weights():
    each = np.where(Y == 1, 8.0, 1.0)
    one = mercer.NuSVC(nu=0.2, gamma=0.5, class_weight={0: 1, 1: 8}).fit(X, Y)
    other = mercer.NuSVC(nu=0.2, gamma=0.5).fit(X, Y, sample_weight=each)
    assert one.dual_coef_.tolist() == other.dual_coef_.tolist()
    assert one.class_weight_.tolist() == [1.0, 8.0]


def test_class_weights_are_computed_from_the_training_rows_of_each_split():
    from sklearn.model_selection import GridSearchCV, KFold

    order = np.argsort(Y, kind="stable")  # very unequal classes in each training set
    grid = {"class_weight": [None, "balanced", {0: 1, 1: 8}]}
    for estimator in (mercer.SVC(gamma=0.5), mercer.NuSVC(nu=0.2, gamma=0.5)):
        cv = KFold(4, shuffle=True, random_state=1)
        ours = mercer.GridSearch(estimator, grid, cv=cv).fit(X[order], Y[order]).cv_results_["mean_test_score"]
        theirs = GridSearchCV(estimator, grid, cv=cv).fit(X[order], Y[order]).cv_results_["mean_test_score"]
        assert ours == pytest.approx(theirs)
        assert len(set(ours)) > 1


def test_invalid_weights_are_refused():
    for wrong in ({"x": 1}, {0: 0}, {0: -1}, {0: float("nan")}, "even", [1, 2]):
        with pytest.raises(ValueError):
            mercer.SVC(class_weight=wrong).fit(X, Y)
    with pytest.raises(ValueError, match="belong to the same class"):
        mercer.SVC().fit(X, Y, sample_weight=(Y == 1).astype(float))
    with pytest.raises(ValueError, match="zero"):
        mercer.SVR().fit(X, X[:, 0], sample_weight=np.zeros(80))


@pytest.mark.parametrize(
    "parameters",
    [{"C": None}, {"C": "1"}, {"decision_function_shape": "x"}, {"decision_function_shape": None}, {"break_ties": "no"}, {"probability": "no"}],
    ids=str,
)
def test_parameters_of_wrong_types_are_refused(parameters):
    with pytest.raises(mercer.ParameterError, match=next(iter(parameters))):
        mercer.SVC(**parameters).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("form", ["sigmoid", "precomputed"])
def test_no_certificate_of_an_indefinite_matrix_is_converged(seed, form):
    """The duality gap is no bound there: with a gap of 4e-7, another solution was better by a tenth."""
    X = np.random.default_rng(seed).normal(size=(12, 2))
    y = np.arange(12) % 2
    K = np.tanh(X @ X.T - 1)
    centred = K - K.mean(0) - K.mean(1)[:, None] + K.mean()
    assert np.linalg.eigvalsh(centred)[0] < -1e-6
    common = {"kernel": "precomputed"} if form == "precomputed" else {"kernel": "sigmoid", "gamma": 1.0, "coef0": -1.0}
    data = K if form == "precomputed" else X
    for estimator in (mercer.SVC(**common), mercer.NuSVC(nu=0.7, **common), mercer.SVR(**common), mercer.OneClassSVM(**common)):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                fitted = estimator.fit(data, y)
            except (ValueError, mercer.NumericError) as error:
                assert "E_K_PSD" in str(error)
                continue
        stops = [c["stop"] for c in fitted.certificate_.values()]
        assert "converged" not in stops, stops
        assert any("positive semidefinite" in str(w.message) or "W_NO_MARGIN" in str(w.message) for w in warned)


@pytest.mark.parametrize("form", ["sigmoid", "precomputed", "function"])
@pytest.mark.parametrize("seed", range(6))
def test_indefinite_kernels_are_accepted_with_a_warning(seed, form):
    """As in scikit-learn there is a solution, and it satisfies the optimality conditions."""
    X = np.random.default_rng(seed).normal(size=(40, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    K = np.tanh(X @ X.T + 0.5)
    curved = np.diag(K)[:, None] + np.diag(K)[None, :] - 2 * K
    assert curved.min() < -1e-3, "no pair shows that the matrix is indefinite"
    kernel = {"sigmoid": "sigmoid", "precomputed": "precomputed", "function": lambda A, B: np.tanh(A @ B.T + 0.5)}[form]
    common = {"kernel": kernel, "gamma": 1.0, "coef0": 0.5, "C": 3.0, "tol": 1e-6}
    data = K if form == "precomputed" else X
    with pytest.warns(mercer.DataWarning, match="W_INDEFINITE"):
        fitted = mercer.SVC(**common).fit(data, y)
    (certificate,) = fitted.certificate_.values()
    assert certificate["stop"] == "stationary"
    alpha = np.zeros(40)
    alpha[fitted.support_] = np.abs(fitted.dual_coef_[0])
    margin = (2 * y - 1) * fitted.decision_function(data)
    assert (margin[alpha == 0] >= 1 - 1e-4).all() and (margin[alpha == 3.0] <= 1 + 1e-4).all()
    np.testing.assert_allclose(margin[(alpha > 0) & (alpha < 3.0)], 1.0, atol=1e-4)
    for other in (mercer.SVR(**common), mercer.OneClassSVM(**{k: v for k, v in common.items() if k != "C"})):
        with pytest.warns(mercer.DataWarning, match="W_INDEFINITE"):
            other.fit(data, y)
        assert np.isfinite(other.predict(data)).all()


def test_matrices_of_distances_are_refused():
    """They are no similarities: with them the least similar objects would count as the most similar."""
    D = np.abs(X[:, :1] - X[:, 0])
    for estimator in (mercer.SVC, mercer.SVR, mercer.OneClassSVM, mercer.KernelRidge):
        with pytest.raises(mercer.DataError, match="distances, not similarities"):
            estimator(kernel="precomputed").fit(D, Y)
    for estimator in (mercer.SVC, mercer.SVR):
        with pytest.raises(mercer.NotPositiveDefinite):
            estimator(kernel=lambda A, B: np.abs(A[:, :1] - B[:, 0])).fit(X, Y)
    # -D²/2 of Euclidean distances has zeros on its diagonal too, and is a kernel for support vector machines.
    fitted = mercer.SVC(kernel="precomputed").fit(-(D**2) / 2, Y)
    assert {c["stop"] for c in fitted.certificate_.values()} == {"converged"}


def test_a_class_with_one_member_has_probabilities():
    rare = np.zeros(80, dtype=int)
    rare[7] = 1
    with pytest.warns(UserWarning, match="only one member"):
        fitted = mercer.SVC(probability=True).fit(X, rare)
    p = fitted.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert fitted.probA_[0] <= 0 and (p[:, 1] < 0.5).all()


def test_conditionally_definite_kernels_converge():
    """-d²/2 has negative eigenvalues but is definite on coefficients that sum to 0, which is sufficient."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    fitted = mercer.SVC(kernel=mercer.Euclidean()).fit(X, np.arange(40) % 2)
    assert {c["stop"] for c in fitted.certificate_.values()} == {"converged"}
