"""Searches, splitters and statistical tests, compared with scikit-learn and SciPy."""

import numpy as np
import pytest
from scipy import stats
from sklearn import svm
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score

import mercer
from mercer import compare


def test_a_grid_search_agrees_with_scikit_learn(iris):
    X, y = iris
    Cs, gammas = [0.1, 1.0, 10.0], [0.01, 0.1, 1.0, 10.0]
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    ours = mercer.GridSearch(mercer.SVC(kernel=mercer.RBF(), tol=1e-6), {"C": Cs, "kernel__gamma": gammas}, cv=folds).fit(X, y)
    theirs = GridSearchCV(svm.SVC(tol=1e-6), {"C": Cs, "gamma": gammas}, cv=folds).fit(X, y)
    for name in [f"split{i}_test_score" for i in range(5)] + ["mean_test_score", "std_test_score"]:
        np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], atol=1e-12, err_msg=name)
    # Means that differ only by rounding share a rank here.
    ranks = stats.rankdata(-theirs.cv_results_["mean_test_score"].round(12), method="min")
    np.testing.assert_array_equal(ours.cv_results_["rank_test_score"], ranks)
    assert ours.best_params_ == {"C": theirs.best_params_["C"], "kernel__gamma": theirs.best_params_["gamma"]}
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert set(theirs.cv_results_) - {"param_gamma"} <= set(ours.cv_results_)
    assert ours.cv_results_["params"][5] == {"C": 1.0, "kernel__gamma": 0.1}
    assert ours.n_splits_ == 5 and ours.classes_.tolist() == [0, 1, 2] and ours.n_features_in_ == 4


def test_numbers_and_errors_as_scores(numbers):
    X, t = numbers
    grid = {"C": [1.0, 10.0], "epsilon": [0.01, 0.1]}
    for scoring in ("r2", "neg_mean_absolute_error", "neg_root_mean_squared_error"):
        ours = mercer.GridSearch(mercer.SVR(gamma=0.2, tol=1e-7), grid, scoring=scoring, cv=KFold(4)).fit(X, t)
        theirs = GridSearchCV(svm.SVR(gamma=0.2, tol=1e-7), grid, scoring=scoring, cv=KFold(4)).fit(X, t)
        np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-4)
        assert ours.best_params_ == theirs.best_params_


def test_lists_of_grids_kernels_and_nested_parameters(two_classes):
    X, y = two_classes
    search = mercer.GridSearch(
        mercer.SVC(kernel=mercer.Standardize(mercer.RBF() + mercer.Linear())),
        [
            {"C": [1.0], "kernel__kernel__left__gamma": [0.1, 1.0]},
            {"kernel": [mercer.Linear(), mercer.Normalize(mercer.Polynomial())], "C": [0.1, 1.0]},
        ],
        cv=3,
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    masked = search.cv_results_["param_kernel"]
    assert masked.mask.tolist() == [True, True, False, False, False, False]
    for point, mean in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
        one = clone(search.estimator).set_params(**point)
        assert cross_val_score(one, X, y, cv=3).mean() == pytest.approx(mean, abs=0.011), point


def test_a_random_search(two_classes):
    X, y = two_classes
    search = mercer.RandomSearch(
        mercer.SVC(kernel=mercer.RBF()),
        {"C": stats.loguniform(0.1, 100), "kernel__gamma": [0.1, 1.0]},
        n_iter=7,
        random_state=0,
        cv=mercer.StratifiedKFold(3, random_state=1),
        refit=False,
    ).fit(X, y)
    assert len(search.cv_results_["params"]) == 7
    with pytest.raises(AttributeError):
        search.predict(X)


def test_a_gram_matrix_and_weights_in_a_search(two_classes):
    X, y = two_classes
    K = mercer.RBF(gamma=0.3).gram(X)
    grid = {"C": [0.1, 1.0, 10.0]}
    a = mercer.GridSearch(mercer.SVC(kernel="precomputed"), grid, cv=4).fit(K, y)
    b = mercer.GridSearch(mercer.SVC(kernel=mercer.RBF(gamma=0.3)), grid, cv=4).fit(X, y)
    np.testing.assert_allclose(a.cv_results_["mean_test_score"], b.cv_results_["mean_test_score"], atol=0.011)
    np.testing.assert_array_equal(a.predict(K), b.predict(X))
    c = mercer.GridSearch(mercer.SVC(kernel=mercer.RBF(gamma=0.3), class_weight={0: 1, 1: 20}), grid, cv=4).fit(X, y)
    assert (c.predict(X) == 1).sum() > (b.predict(X) == 1).sum()


def test_invalid_searches_are_refused(two_classes):
    X, y = two_classes
    with pytest.raises(mercer.ParameterError, match="GridSearchCV"):
        mercer.GridSearch(svm.SVC(), {"C": [1]}).fit(X, y)
    with pytest.raises(mercer.ParameterError, match="nothing to score"):
        mercer.GridSearch(mercer.KernelPCA(), {"n_components": [1]}).fit(X, y)
    with pytest.raises(ValueError):
        mercer.GridSearch(mercer.SVC(), {"no_such_parameter": [1]}).fit(X, y)
    with pytest.raises(ValueError):
        mercer.GridSearch(mercer.SVC(), {"C": []}).fit(X, y)
    with pytest.raises(mercer.DataError):
        mercer.GridSearch(mercer.SVC(), {"C": [1]}).fit(X)
    with pytest.raises(mercer.DataError, match="split"):
        mercer.GridSearch(mercer.SVC(gamma=1), {"C": [1]}, cv=[([0, 1, 2], [1000])]).fit(X, y)


def test_splitters():
    X = np.zeros((20, 1))
    y = np.array([0] * 12 + [1] * 8)
    groups = np.repeat(np.arange(5), 4)
    for cv, count in (
        (mercer.StratifiedKFold(4), 4),
        (mercer.StratifiedKFold(4, n_repeats=3), 12),
        (mercer.FiveByTwo(), 10),
        (mercer.Holdout(0.25, n_repeats=2), 2),
        (mercer.LeaveOneOut(), 20),
        (mercer.Protocol("5-fold"), 5),
    ):
        parts = list(cv.split(X, y))
        assert len(parts) == count == cv.get_n_splits(X, y), cv
        for train, test in parts:
            assert sorted([*train, *test]) == list(range(20))
    for train, test in mercer.StratifiedKFold(4).split(X, y):
        assert (y[test] == 0).sum() == 3 and (y[test] == 1).sum() == 2
    for cv in (mercer.GroupKFold(5), mercer.LeaveOneGroupOut(), mercer.GroupHoldout(0.4)):
        for train, test in cv.split(X, y, groups):
            assert not set(groups[train]) & set(groups[test])
    assert [t.tolist() for _, t in mercer.StratifiedKFold(4, random_state=1).split(X, y)] != [
        t.tolist() for _, t in mercer.StratifiedKFold(4, random_state=2).split(X, y)
    ]
    with pytest.raises(mercer.ParameterError, match="did you mean"):
        list(mercer.Protocol("leave-one-uot").split(X, y))
    with pytest.raises(mercer.DataError):
        list(mercer.GroupKFold(5).split(X, y))
    with pytest.warns(FutureWarning, match="test_size"):
        old = mercer.Holdout(share=0.25)
    assert repr(old) == repr(mercer.Holdout(test_size=0.25))


def test_splitters_in_tools_of_scikit_learn(two_classes):
    X, y = two_classes
    assert len(cross_val_score(mercer.SVC(), X, y, cv=mercer.FiveByTwo())) == 10


A = [0.91, 0.84, 0.88, 0.79, 0.93, 0.87, 0.80, 0.95, 0.83, 0.90]
B = [0.89, 0.80, 0.88, 0.75, 0.90, 0.88, 0.78, 0.91, 0.80, 0.86]


def test_paired_tests_agree_with_scipy():
    for ours, theirs in (
        (compare.paired_t(A, B), stats.ttest_rel(A, B)),
        (compare.wilcoxon(A[:2] + A[3:], B[:2] + B[3:]), stats.wilcoxon(A[:2] + A[3:], B[:2] + B[3:], method="exact")),
    ):
        assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    assert compare.sign_test(A, B).pvalue == pytest.approx(stats.binomtest(8, 9).pvalue)
    assert compare.paired_t(A, B).first_larger is True
    assert compare.corrected_t(A, B, 1 / 9).pvalue > compare.paired_t(A, B).pvalue


def test_five_by_two():
    """The formulas of Dietterich 1998 and Alpaydın 1999."""
    d = (np.array(A) - np.array(B)).reshape(5, 2)
    s2 = ((d - d.mean(1, keepdims=True)) ** 2).sum(1)
    t, f = d[0, 0] / np.sqrt(s2.mean()), (d**2).sum() / (2 * s2.sum())
    assert compare.five_by_two_t(A, B).statistic == pytest.approx(t)
    assert compare.five_by_two_t(A, B).pvalue == pytest.approx(2 * stats.t.sf(abs(t), 5))
    assert compare.five_by_two_f(A, B).pvalue == pytest.approx(stats.f.sf(f, 10, 5))


def test_comparison_of_several_methods():
    table = np.column_stack([A, B, np.array(B) - 0.01 * np.arange(10)])
    outcome = compare.friedman(table)
    theirs = stats.friedmanchisquare(*table.T)
    assert outcome.chi_square.pvalue == pytest.approx(theirs.pvalue)
    np.testing.assert_allclose(outcome.ranks, stats.rankdata(-table, axis=1).mean(0))
    assert outcome.critical_difference == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 10)), rel=1e-3)
    assert "ranks" in outcome._repr_html_()


def test_adjusted_p_values():
    np.testing.assert_allclose(compare.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    np.testing.assert_allclose(compare.adjust([0.01, 0.04, 0.03], "bonferroni"), [0.03, 0.12, 0.09])
    np.testing.assert_allclose(
        compare.adjust([0.01, 0.04, 0.03], "benjamini-hochberg"), stats.false_discovery_control([0.01, 0.04, 0.03])
    )
    with pytest.raises(mercer.ParameterError):
        compare.adjust([0.5], "no such method")
    assert compare.mcnemar([0, 1, 1, 0, 1], [0, 1, 1, 0, 1], [1, 0, 0, 0, 1]).pvalue == pytest.approx(0.25)
