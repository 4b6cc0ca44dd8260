"""mercer.GridSearch compared with scikit-learn's GridSearchCV on the same estimators, grid points and splits."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification, make_friedman1
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer

CLASSES = make_classification(
    90, 5, n_informative=3, n_classes=3, weights=[0.6, 0.25, 0.15], flip_y=0.15, class_sep=0.7, random_state=3
)
BALANCED = make_classification(90, 5, n_informative=3, n_classes=3, class_sep=1.5, random_state=3)
TWO = make_classification(90, 5, weights=[0.75], flip_y=0.2, class_sep=0.6, random_state=1)
#: Features of very different scales, so that gamma="scale" differs between the training set and all rows.
NUMBERS = make_friedman1(80, noise=0.3, random_state=0)
NUMBERS = (NUMBERS[0][:, :6] * [1, 10, 1, 1, 3, 1] + 5 * (np.arange(80) >= 64)[:, None], NUMBERS[1])

ALL = [
    mercer.SVC, mercer.NuSVC, mercer.LinearSVC, mercer.KernelRidgeClassifier, mercer.Perceptron, mercer.VotedPerceptron,
    mercer.KNeighborsClassifier, mercer.SVR, mercer.NuSVR, mercer.LinearSVR, mercer.KernelRidge, mercer.KNeighborsRegressor,
]  # fmt: skip

KERNELS = ["rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", mercer.Standardize(mercer.RBF(gamma="scale"))]
#: At least two values of every parameter of the estimators.
VALUES = {
    "C": [0.1, 30.0],
    "nu": [0.637, 0.737],
    "alpha": [0.01, 10.0],
    "epsilon": [0.0, 1.0],
    "kernel": KERNELS,
    "gamma": ["scale", "auto", 0.01, 2.0],
    "degree": [2, 3],
    "coef0": [0.0, 1.0],
    "class_weight": [None, {0: 1, 1: 8, 2: 3}, "balanced"],
    "scheme": ["one-versus-one", "one-versus-rest"],
    "margin": ["soft", "hard"],
    "probability": [False, True],
    "decision_function_shape": ["ovr", "ovo"],
    "tol": [1e-8, 1e-6],
    "max_iter": [10**6, 10**7],
    "cache_size": [1, 100],
    "random_state": [0, 7],
    "threads": [1, 2],
    "progress": [False],
    "loss": None,
    "fit_intercept": [True, False],
    "intercept_scaling": [1.0, 0.01],
    "landmarks": [0, 12],
    "rule": ["vote", "average", "last"],
    "shuffle": [False, True],
    "n_neighbors": [1, 7],
    "weights": ["uniform", "distance"],
    "break_ties": [False, True],
    "shrinking": [True, False],
    "verbose": [False],
    "solver": ["auto", "smo", "active-set"],
    "penalty": ["l2", "l1"],
    "dual": ["auto", True],
    "multi_class": ["ovr"],
    "kernel_params": [None],
    "algorithm": ["auto", "brute", "kd_tree"],
    "leaf_size": [5, 30],
    "p": [1, 2],
    "metric": ["minkowski", "manhattan", "chebyshev"],
    "metric_params": [None],
    "n_jobs": [None, 1],
}
LOSSES = {
    mercer.LinearSVC: ["squared_hinge", "hinge"],
    mercer.LinearSVR: ["epsilon_insensitive", "squared_epsilon_insensitive"],
}
#: Settings that a parameter needs to have an effect.
WITH = {
    "degree": {"kernel": "poly"},
    "coef0": {"kernel": "poly", "degree": 2},
    "gamma": {"kernel": "rbf"},
    "margin": {"C": 0.01},
    "shuffle": {"random_state": 3},
    "random_state": {"shuffle": True},
}


def of(made, parameter):
    """An estimator, a grid over one of its parameters, and data for it."""
    known = inspect.signature(made).parameters
    values = LOSSES.get(made, VALUES.get(parameter, [])) if parameter == "loss" else VALUES.get(parameter)
    if values is None:
        pytest.fail(f"no values of {parameter}: add some")
    if parameter == "kernel" and "Linear" in made.__name__:
        values = [None, mercer.Polynomial(degree=2), mercer.Nystrom(mercer.RBF(gamma="scale"), rank=8)]
    settings = {name: value for name, value in WITH.get(parameter, {}).items() if name in known}
    if parameter == "random_state" and "landmarks" in known:
        settings["landmarks"] = 12
    if parameter == "random_state" and "probability" in known:
        settings["probability"] = True
    if "nu" in known and parameter != "nu":
        # The offset is not unique if nu gives a whole number of objects on the margin.
        settings["nu"] = 0.637 if made is mercer.NuSVC else 0.437
    if "tol" in known and parameter not in ("tol", "max_iter"):
        settings["tol"] = 1e-8
    if "kernel" in known and known["kernel"].default == "linear" and parameter == "landmarks":
        settings["kernel"] = "rbf"
    X, y = BALANCED if made is mercer.NuSVC else CLASSES if is_classifier(made()) else NUMBERS
    return made(**settings), {parameter: values}, X, y


def same(ours, theirs, tolerance=1e-9):
    for name, expected in theirs.cv_results_.items():
        if name.endswith("test_score") and name.startswith("split"):
            np.testing.assert_allclose(ours.cv_results_[name], expected, atol=tolerance, err_msg=name)


CASES = [(made, parameter) for made in ALL for parameter in inspect.signature(made).parameters]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("made", "parameter"), CASES, ids=[f"{m.__name__}-{p}" for m, p in CASES])
def test_every_parameter_of_every_estimator_takes_effect_in_a_grid(made, parameter):
    estimator, grid, X, y = of(made, parameter)
    cv = KFold(5) if not is_classifier(estimator) else StratifiedKFold(4, shuffle=True, random_state=0)
    if parameter == "margin":
        grid = {"margin": ["soft"]}
    ours = mercer.GridSearch(estimator, grid, cv=cv, refit=False).fit(X, y)
    theirs = GridSearchCV(estimator, grid, cv=cv, refit=False).fit(X, y)
    same(ours, theirs, 1e-4)


def test_limits_take_effect_in_a_grid():
    X, y = CLASSES
    for estimator in (mercer.SVC(C=1e3), mercer.LinearSVC(), mercer.Perceptron()):
        with pytest.warns(mercer.ConvergenceWarning, match="stopped early"):
            found = mercer.GridSearch(estimator, {"max_iter": [1, 100_000]}, cv=3, refit=False).fit(X, y).cv_results_
        assert not found["converged"][0]


def test_a_hard_margin_takes_effect_where_classes_can_be_separated():
    X = np.r_[np.linspace(0, 1, 20), np.linspace(1.2, 3, 20)][:, None]
    y = np.repeat([0, 1], 20)
    grid = {"margin": ["soft", "hard"]}
    estimator = mercer.SVC(kernel="linear", C=0.01)
    ours = mercer.GridSearch(estimator, grid, cv=4, refit=False).fit(X, y)
    same(ours, GridSearchCV(estimator, grid, cv=4, refit=False).fit(X, y))
    scores = ours.cv_results_["mean_test_score"]
    assert scores[0] != scores[1]


def test_class_weights_change_scores():
    X, y = TWO
    grid = {"class_weight": [None, {0: 1, 1: 8}, "balanced"]}
    for estimator in (mercer.SVC(kernel="linear"), mercer.LinearSVC(), mercer.NuSVC(nu=0.3, tol=1e-8)):
        ours = mercer.GridSearch(estimator, grid, scoring="balanced_accuracy", cv=5, refit=False).fit(X, y)
        same(ours, GridSearchCV(estimator, grid, scoring="balanced_accuracy", cv=5, refit=False).fit(X, y))
        if not isinstance(estimator, mercer.NuSVC):
            assert len(set(ours.cv_results_["mean_test_score"])) > 1


def test_names_of_classes_in_class_weight():
    X, y = TWO
    for names in (["no", "yes"], [-1, 1], [1.0, 2.0], [False, True], ["a:b, c", 'quo"te']):
        labels = np.asarray(names)[y]
        grid = {"class_weight": [{names[0]: 1, names[1]: 6}, {names[1]: 6.5}]}
        estimator = mercer.SVC(kernel="linear")
        same(
            mercer.GridSearch(estimator, grid, cv=4).fit(X, labels),
            GridSearchCV(estimator, grid, cv=4, refit=False).fit(X, labels),
        )


def test_gamma_scale_is_computed_from_the_training_rows():
    X, y = NUMBERS
    cv = KFold(5)
    for kernel in ("rbf", "poly", "laplacian"):
        estimator = mercer.SVR(kernel=kernel, tol=1e-8)
        ours = mercer.GridSearch(estimator, {"C": [1.0, 10.0]}, cv=cv).fit(X, y)
        same(ours, GridSearchCV(estimator, {"C": [1.0, 10.0]}, cv=cv).fit(X, y), 1e-6)
        # All rows would give a different score: the last fold has another distribution.
        whole = clone(estimator).set_params(gamma=1 / (X.shape[1] * X.var()), C=10.0)
        if estimator.kernel == "rbf":
            assert abs(cross_val_score(whole, X, y, cv=cv).mean() - ours.cv_results_["mean_test_score"][1]) > 1e-3
    rows = sparse.csr_array(np.where(X > 3, X, 0))
    same(
        mercer.GridSearch(mercer.SVR(tol=1e-8), {"C": [1.0]}, cv=cv).fit(rows, y),
        GridSearchCV(mercer.SVR(tol=1e-8), {"C": [1.0]}, cv=cv).fit(rows, y),
        1e-6,
    )


def test_kernels_of_a_grid_determine_the_kind_of_objects():
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("ACGT" if i % 2 else "AACG"), 20)) for i in range(40)]
    y = np.arange(40) % 2
    grid = {"kernel": [mercer.Spectrum(k=2), mercer.Spectrum(k=3), mercer.Normalize(mercer.Subsequence(k=2))]}
    ours = mercer.GridSearch(mercer.SVC(), grid, cv=4).fit(X, y)
    same(ours, GridSearchCV(mercer.SVC(), grid, cv=4).fit(X, y))
    assert ours.predict(X[:3]).shape == (3,)
    # Kernels for several kinds of objects in one grid.
    table = {"s": X, "a": rng.normal(size=40) + y}
    import pandas as pd

    frame = pd.DataFrame(table)
    grid = {"kernel": [mercer.Spectrum(k=2), mercer.RBF(gamma="scale", columns=["a"]), mercer.Spectrum(k=2) + mercer.RBF().on("a")]}
    ours = mercer.GridSearch(mercer.SVC(), grid, cv=4).fit(frame, y)
    same(ours, GridSearchCV(mercer.SVC(), grid, cv=4).fit(frame, y))


SCORINGS = [
    None, "accuracy", "balanced_accuracy", "f1", "f1_macro", "f1_micro", "f1_weighted", "matthews_corrcoef", "roc_auc",
    "average_precision", "precision", "recall", "neg_log_loss", "neg_brier_score", "jaccard", "top_k_accuracy",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("made", [mercer.SVC, mercer.KNeighborsClassifier, mercer.KernelRidgeClassifier, mercer.LinearSVC])
def test_measures_agree_with_scikit_learn(scoring, made):
    needs_probability = scoring in ("neg_log_loss", "neg_brier_score")
    if needs_probability and made not in (mercer.SVC, mercer.KNeighborsClassifier):
        pytest.skip("gives no probabilities")
    estimator = made(probability=True, random_state=0) if needs_probability and made is mercer.SVC else made()
    grid = {"weights": ["uniform", "distance"]} if made is mercer.KNeighborsClassifier else {"kernel": ["rbf", "linear"]}
    grid = {"C": [0.1, 5.0]} if made is mercer.LinearSVC else grid
    X, y = TWO
    for labels in (y, 1 + y):
        ours = mercer.GridSearch(estimator, grid, scoring=scoring, cv=4).fit(X, labels)
        theirs = GridSearchCV(estimator, grid, scoring=scoring, cv=4).fit(X, labels)
        same(ours, theirs, 1e-5 if needs_probability else 1e-9)
        assert ours.best_params_ == theirs.best_params_
        assert ours.score(X, labels) == pytest.approx(theirs.score(X, labels), abs=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1_macro", "f1_weighted", "matthews_corrcoef", "roc_auc_ovr", "roc_auc_ovo_weighted"])
def test_measures_of_three_classes_where_a_test_set_misses_one(scoring):
    X, y = CLASSES
    missing = [(np.setdiff1d(np.arange(90), t), t) for t in (np.flatnonzero(y != 2)[:20], np.arange(30, 60))]
    cv = missing if not scoring.startswith("roc") else 3
    estimator = mercer.SVC(kernel="linear", probability=scoring.startswith("roc"), random_state=0)
    ours = mercer.GridSearch(estimator, {"C": [0.1, 1.0]}, scoring=scoring, cv=cv).fit(X, y)
    same(ours, GridSearchCV(estimator, {"C": [0.1, 1.0]}, scoring=scoring, cv=cv).fit(X, y))


def test_the_engines_own_measures():
    X, y = CLASSES
    ours = mercer.GridSearch(mercer.SVC(), {"C": [0.1, 1.0]}, scoring="auc-macro", cv=3).fit(X, y)
    alone = cross_val_score(mercer.SVC(**ours.best_params_), X, y, cv=3, scoring=ours.scorer_)
    assert alone.mean() == pytest.approx(ours.best_score_, abs=1e-9)
    assert 0.5 < ours.score(X, y) <= 1
    t = NUMBERS[1]
    ours = mercer.GridSearch(mercer.SVR(), {"C": [0.1, 1.0]}, scoring="rmse", cv=3).fit(NUMBERS[0], t)
    theirs = GridSearchCV(mercer.SVR(), {"C": [0.1, 1.0]}, scoring="neg_root_mean_squared_error", cv=3).fit(NUMBERS[0], t)
    same(ours, theirs)
    assert ours.score(NUMBERS[0], t) == pytest.approx(theirs.score(NUMBERS[0], t))
    with pytest.raises(mercer.ParameterError, match="scoring"):
        mercer.GridSearch(mercer.SVC(), {"C": [1.0]}, scoring="acuracy").fit(X, y)


def test_callables_and_several_measures():
    X, y = TWO
    grid = {"C": [0.1, 10.0]}
    made = make_scorer(accuracy_score, greater_is_better=True)
    by_hand = lambda estimator, X, y: float(np.mean(estimator.decision_function(X) * (2 * y - 1)))  # noqa: E731
    for scoring, refit in (
        (made, True),
        (by_hand, True),
        (["accuracy", "roc_auc"], "roc_auc"),
        ({"a": "accuracy", "b": made}, "b"),
        (["accuracy", "f1"], False),
        ("accuracy", lambda found: 1),
        (None, lambda found: 1),
    ):
        ours = mercer.GridSearch(mercer.SVC(), grid, scoring=scoring, refit=refit, cv=3).fit(X, y)
        theirs = GridSearchCV(mercer.SVC(), grid, scoring=scoring, refit=refit, cv=3).fit(X, y)
        same(ours, theirs)
        assert ours.multimetric_ == theirs.multimetric_
        for name in ("best_index_", "best_params_", "best_score_"):
            assert hasattr(ours, name) == hasattr(theirs, name), (name, scoring)
            if hasattr(theirs, name):
                assert getattr(ours, name) == pytest.approx(getattr(theirs, name)) if name == "best_score_" else True
        if refit:
            assert ours.best_index_ == theirs.best_index_
            assert ours.score(X, y) == pytest.approx(theirs.score(X, y))
    with pytest.raises(ValueError, match="refit"):
        mercer.GridSearch(mercer.SVC(), grid, scoring=["accuracy", "f1"]).fit(X, y)


def test_train_scores_and_failed_fits():
    X, y = TWO
    grid = {"C": [0.1, 10.0]}
    ours = mercer.GridSearch(mercer.SVC(), grid, return_train_score=True, cv=3).fit(X, y)
    theirs = GridSearchCV(mercer.SVC(), grid, return_train_score=True, cv=3).fit(X, y)
    np.testing.assert_allclose(ours.cv_results_["mean_train_score"], theirs.cv_results_["mean_train_score"])
    grid = {"n_neighbors": [3, 1000]}
    with pytest.warns(sklearn.exceptions.FitFailedWarning):
        ours = mercer.GridSearch(mercer.KNeighborsClassifier(), grid, cv=3).fit(X, y)
    assert np.isnan(ours.cv_results_["mean_test_score"]).tolist() == [False, True]
    assert ours.cv_results_["rank_test_score"].tolist() == [1, 2] and ours.best_params_ == {"n_neighbors": 3}
    with pytest.warns(sklearn.exceptions.FitFailedWarning):
        ours = mercer.GridSearch(mercer.KNeighborsClassifier(), grid, cv=3, error_score=-1.0).fit(X, y)
    assert ours.cv_results_["mean_test_score"][1] == -1.0
    with pytest.raises(ValueError, match="n_neighbors"):
        mercer.GridSearch(mercer.KNeighborsClassifier(), grid, cv=3, error_score="raise").fit(X, y)
    with pytest.raises(ValueError, match="n_neighbors"):
        mercer.GridSearch(mercer.KNeighborsClassifier(), {"n_neighbors": [1000]}, cv=3).fit(X, y)


def test_an_invalid_value_is_a_failed_fit():
    X, y = TWO
    for grid in ({"C": [-1.0, 1.0]}, {"kernel": ["rbf", "no such kernel"]}, {"gamma": ["scale", "skale"]}):
        with pytest.warns(sklearn.exceptions.FitFailedWarning, match="E_PARAM|no kernel|gamma"):
            ours = mercer.GridSearch(mercer.SVC(), grid, cv=3).fit(X, y)
        assert np.isnan(ours.cv_results_["mean_test_score"]).sum() == 1
        with pytest.raises(mercer.ParameterError):
            mercer.GridSearch(mercer.SVC(), grid, cv=3, error_score="raise").fit(X, y)
    with pytest.raises(ValueError, match="C = -1"):
        mercer.GridSearch(mercer.SVC(), {"C": [-1.0]}, cv=3).fit(X, y)


def test_attribute_by_attribute():
    X, y = TWO
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcde"))
    grid = [{"C": [0.1, 10.0], "gamma": [0.1]}, {"kernel": ["linear", mercer.RBF()]}]
    ours = mercer.GridSearch(mercer.SVC(), grid, cv=4, scoring="roc_auc")
    theirs = GridSearchCV(mercer.SVC(), grid, cv=4, scoring="roc_auc")
    for search in (ours, theirs):
        assert hasattr(search, "predict") and hasattr(search, "decision_function") and not hasattr(search, "predict_proba")
        with pytest.raises(NotFittedError):
            search.predict(X)
        search.fit(frame, pd.Series(y, name="t"))
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    for name, expected in theirs.cv_results_.items():
        if name.startswith("param_"):
            found = ours.cv_results_[name]
            assert found.dtype == expected.dtype and found.mask.tolist() == expected.mask.tolist(), name
            assert list(found) == list(expected) or found.dtype == object
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    fitted = [name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")]
    for name in [*fitted, "classes_", "n_features_in_", "feature_names_in_"]:
        assert hasattr(ours, name), name
    assert ours.classes_.tolist() == [0, 1] and ours.n_features_in_ == 5 and list(ours.feature_names_in_) == list("abcde")
    assert ours.score(frame, y) == pytest.approx(theirs.score(frame, y))
    # The measure of the search, not the accuracy of the estimator.
    assert ours.score(frame, y) != pytest.approx(ours.best_estimator_.score(frame, y))
    np.testing.assert_array_equal(ours.predict(frame), theirs.predict(frame))
    left = mercer.GridSearch(mercer.SVC(), grid, cv=4, refit=False)
    assert not hasattr(left, "predict") and not hasattr(left.fit(X, y), "best_estimator_")
    with pytest.raises(AttributeError):
        left.score(X, y)


def test_a_grid_search_does_not_change_its_arguments():
    X, y = TWO
    kernel = mercer.RBF(gamma=0.5)
    grid = {"kernel": [kernel, mercer.Linear()], "kernel__gamma": [0.1]}
    search = mercer.GridSearch(mercer.SVC(kernel=kernel), {"kernel__gamma": [0.1, 7.0]}, cv=3).fit(X, y)
    assert kernel.gamma == 0.5 and search.estimator.kernel.gamma == 0.5
    with pytest.raises(mercer.ParameterError, match="gamma"):
        mercer.GridSearch(mercer.SVC(), grid, cv=3).fit(X, y)
    assert kernel.gamma == 0.5


SPLITTERS = [
    3, None, StratifiedKFold(3), KFold(4), ShuffleSplit(3, random_state=0), RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
    PredefinedSplit(np.arange(90) % 3), mercer.StratifiedKFold(3), mercer.Holdout(0.3), mercer.FiveByTwo(), mercer.Protocol("3-fold"),
]  # fmt: skip


@pytest.mark.parametrize("cv", SPLITTERS, ids=str)
def test_splitters_in_both_searches(cv):
    X, y = TWO
    ours = mercer.GridSearch(mercer.SVC(), {"C": [0.1, 1.0]}, cv=cv).fit(X, y)
    theirs = GridSearchCV(mercer.SVC(), {"C": [0.1, 1.0]}, cv=cv).fit(X, y)
    assert ours.n_splits_ == theirs.n_splits_
    same(ours, theirs)


def test_iterables_of_splits():
    X, y = TWO
    splits = list(KFold(3).split(X))
    masks = [(np.isin(np.arange(90), a), np.isin(np.arange(90), b)) for a, b in splits]
    expected = GridSearchCV(mercer.SVC(), {"C": [0.1, 1.0]}, cv=splits).fit(X, y)
    for cv in (splits, iter(splits), (s for s in splits), masks, [(list(a), list(b)) for a, b in splits]):
        same(mercer.GridSearch(mercer.SVC(), {"C": [0.1, 1.0]}, cv=cv).fit(X, y), expected)


GROUPS = np.arange(90) // 9


def test_routing_of_groups_and_weights():
    X, y = TWO
    weights = np.where(y == 1, 5.0, 1.0)
    for cv in (mercer.GroupKFold(3), GroupKFold(3), mercer.LeaveOneGroupOut(), mercer.Protocol("group-3-fold")):
        grid = {"C": [0.1, 1.0]}
        ours = mercer.GridSearch(mercer.SVC(), grid, cv=cv).fit(X, y, groups=GROUPS, sample_weight=weights)
        theirs = GridSearchCV(mercer.SVC(), grid, cv=cv).fit(X, y, groups=GROUPS, sample_weight=weights)
        same(ours, theirs)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        with pytest.raises(ValueError, match="groups"):
            mercer.GridSearch(mercer.SVC(), grid, cv=cv).fit(X, y)
    with pytest.raises(TypeError, match="weight"):
        mercer.GridSearch(mercer.SVC(), grid).fit(X, y, weight=weights)
    with pytest.raises((ValueError, TypeError), match="weigh"):
        mercer.GridSearch(mercer.KernelRidgeClassifier(), {"alpha": [1.0]}, error_score="raise").fit(X, y, sample_weight=weights)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_metadata_routing(routing):
    X, y = TWO
    weights = np.where(y == 1, 5.0, 1.0)
    grid = {"C": [0.1, 1.0]}
    requests = [
        mercer.SVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=False),
        mercer.SVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=True),
        mercer.SVC().set_fit_request(sample_weight=False).set_score_request(sample_weight=True),
    ]
    means = []
    for estimator in requests:
        for cv in (mercer.GroupKFold(3), GroupKFold(3)):
            ours = mercer.GridSearch(estimator, grid, cv=cv).fit(X, y, groups=GROUPS, sample_weight=weights)
            theirs = GridSearchCV(estimator, grid, cv=cv).fit(X, y, groups=GROUPS, sample_weight=weights)
            same(ours, theirs)
            means.append(tuple(ours.cv_results_["mean_test_score"]))
    assert len(set(means)) > 2
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
        mercer.GridSearch(mercer.SVC(), grid).fit(X, y, sample_weight=weights)
    for cv in (mercer.GroupKFold(3), mercer.GroupHoldout(0.3), mercer.LeaveOneGroupOut(), mercer.Protocol("group-3-fold")):
        assert cv.get_metadata_routing().split.requests == {"groups": True}
        found = cross_validate(mercer.SVC(), X, y, cv=cv, params={"groups": GROUPS})
        assert len(found["test_score"]) == cv.get_n_splits(X, y, GROUPS)
        GridSearchCV(mercer.SVC(), grid, cv=cv).fit(X, y, groups=GROUPS)
        GridSearchCV(make_pipeline(StandardScaler(), mercer.SVC()), {"svc__C": [1.0]}, cv=cv).fit(X, y, groups=GROUPS)
    for cv in (mercer.StratifiedKFold(3), mercer.Holdout(0.3), mercer.LeaveOneOut(), mercer.Protocol("3-fold")):
        assert not cv.get_metadata_routing().split.requests
        with pytest.raises(TypeError, match="groups"):
            mercer.GridSearch(mercer.SVC(), grid, cv=cv).fit(X, y, groups=GROUPS)
    # A search inside a cross-validation passes groups to its own splits.
    inner = mercer.GridSearch(requests[0], grid, cv=mercer.GroupKFold(2))
    found = cross_validate(inner, X, y, cv=GroupKFold(3), params={"groups": GROUPS, "sample_weight": weights})
    theirs = GridSearchCV(requests[0], grid, cv=mercer.GroupKFold(2))
    expected = cross_validate(theirs, X, y, cv=GroupKFold(3), params={"groups": GROUPS, "sample_weight": weights})
    np.testing.assert_allclose(found["test_score"], expected["test_score"])


def test_a_search_inside_other_tools():
    X, y = TWO
    grid = {"C": [0.1, 1.0, 10.0]}
    ours, theirs = mercer.GridSearch(mercer.SVC(), grid, cv=3), GridSearchCV(mercer.SVC(), grid, cv=3)
    np.testing.assert_allclose(cross_val_score(ours, X, y, cv=3), cross_val_score(theirs, X, y, cv=3))
    a, b = make_pipeline(StandardScaler(), ours).fit(X, y), make_pipeline(StandardScaler(), theirs).fit(X, y)
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    assert clone(ours).get_params()["param_grid"] == grid
    outer = GridSearchCV(ours, {"estimator__gamma": [0.1, 1.0]}, cv=3).fit(X, y)
    assert outer.best_params_["estimator__gamma"] in (0.1, 1.0)
    import pickle

    again = pickle.loads(pickle.dumps(ours.fit(X, y)))
    np.testing.assert_array_equal(again.predict(X), ours.predict(X))


@pytest.mark.filterwarnings("ignore")
def test_tables_and_targets_of_other_libraries():
    import pandas as pd
    import polars as pl

    X, y = TWO
    expected = GridSearchCV(mercer.SVC(), {"C": [0.1, 1.0]}, cv=3).fit(X, y)
    frame = pd.DataFrame(X, columns=list("abcde"))
    for table, target in (
        (frame, pd.Series(y)),
        (frame, pd.Series(y).astype("category")),
        (pl.from_pandas(frame), y),
        (X.tolist(), y.tolist()),
        (sparse.csr_matrix(X), y),
        (X, np.array(["no", "yes"])[y]),
        (X, y.astype(bool)),
    ):
        ours = mercer.GridSearch(mercer.SVC(), {"C": [0.1, 1.0]}, cv=3).fit(table, target)
        same(ours, expected)
        assert len(ours.predict(table)) == 90


def test_splitters_alone():
    X, y = TWO
    for cv, count in (
        (mercer.StratifiedKFold(4), 4),
        (mercer.FiveByTwo(), 10),
        (mercer.Holdout(0.2, 3), 3),
        (mercer.GroupKFold(3), 3),
    ):
        assert cv.get_n_splits() == count
        again = eval(repr(cv), vars(mercer))
        assert [t.tolist() for _, t in again.split(X, y, GROUPS)] == [t.tolist() for _, t in clone(cv, safe=False).split(X, y, GROUPS)]
    assert mercer.LeaveOneGroupOut().get_n_splits(groups=GROUPS) == 10
    assert mercer.LeaveOneOut().get_n_splits(X) == 90
    with pytest.raises(ValueError, match="X"):
        mercer.LeaveOneOut().get_n_splits()
    with pytest.raises(ValueError, match="groups"):
        list(mercer.GroupKFold(3).split(X, y))
    with pytest.raises(ValueError, match="groups"):
        list(mercer.GroupKFold(3).split(X, y, GROUPS[:-1]))


def test_evaluate_uses_all_settings_of_an_estimator():
    X, y = TWO
    text = mercer.evaluate(X, y, "linear", "svc(C=3)", protocol="4-fold", figures=False)
    own = mercer.evaluate(X, y, learner=mercer.SVC(kernel=mercer.Linear(), C=3), protocol="4-fold", figures=False)
    assert own.document["measures"] == text.document["measures"]
    named = mercer.evaluate(X, y, learner=mercer.SVC(kernel="poly", gamma=0.5, degree=2, coef0=1), protocol="4-fold", figures=False)
    text = mercer.evaluate(X, y, "polynomial(gamma=0.5, degree=2, c=1)", "svc", protocol="4-fold", figures=False)
    assert named.document["measures"] == text.document["measures"]
    # gamma="scale" is computed from each training set, of outer and inner splits.
    scaled = mercer.evaluate(X, y, learner=mercer.SVC(C=2), protocol="4-fold", figures=False)
    text = mercer.evaluate(X, y, "rbf(gamma=scale)", "svc(C=2)", protocol="4-fold", figures=False)
    assert scaled.document["measures"] == text.document["measures"]
    splits = list(mercer.StratifiedKFold(4, random_state=42).split(X, y))
    assert scaled.mean == pytest.approx(cross_val_score(mercer.SVC(C=2), X, y, cv=splits).mean(), abs=1e-9)
    for weight in ({0: 1, 1: 6}, "balanced"):
        estimator = mercer.SVC(kernel="linear", class_weight=weight)
        found = mercer.evaluate(X, y, learner=estimator, protocol="4-fold", figures=False)
        assert found.mean == pytest.approx(cross_val_score(estimator, X, y, cv=splits).mean(), abs=1e-9)
        assert found.mean != own.mean
    K = mercer.RBF(gamma=0.2).gram(X)
    found = mercer.evaluate(K, y, learner=mercer.SVC(kernel="precomputed"), protocol="4-fold", figures=False)
    text = mercer.evaluate(X, y, "rbf(gamma=0.2)", "svc", protocol="4-fold", figures=False)
    assert found.mean == pytest.approx(text.mean)
    for protocol in (4, mercer.StratifiedKFold(4), mercer.Protocol("4-fold")):
        found = mercer.evaluate(X, y, "rbf(gamma=0.2)", "svc", protocol=protocol, figures=False)
        assert found.document["measures"] == text.document["measures"]
    moved = mercer.StratifiedKFold(4, random_state=7)
    found = mercer.evaluate(X, y, "rbf(gamma=0.2)", "svc", protocol=moved, figures=False)
    assert found.mean == pytest.approx(cross_val_score(mercer.SVC(gamma=0.2), X, y, cv=moved).mean())
    with pytest.raises(mercer.ParameterError, match="protocol"):
        mercer.evaluate(X, y, "linear", "svc", protocol=StratifiedKFold(4))
    # A given kernel replaces the default of the estimator; two kernels are refused.
    given = mercer.evaluate(X, y, "linear", mercer.SVC(C=3), protocol="4-fold", figures=False)
    assert given.document["measures"] == own.document["measures"]
    with pytest.raises(mercer.ParameterError, match="two kernels"):
        mercer.evaluate(X, y, "linear", mercer.SVC(kernel=mercer.RBF(gamma=3.0)))
    with pytest.raises(mercer.ParameterError, match="two kernels"):
        mercer.evaluate(X, y, "rbf(gamma=[1, 2])", mercer.SVC(gamma=3.0))
    weighted = mercer.evaluate(X, y, "linear", "svc", sample_weight=np.where(y == 1, 6.0, 1.0), protocol="4-fold", figures=False)
    found = mercer.evaluate(X, y, learner=mercer.SVC(kernel="linear", class_weight={1: 6.0}), protocol="4-fold", figures=False)
    assert weighted.mean == pytest.approx(found.mean)
    with pytest.raises(mercer.ParameterError, match="nothing to score"):
        mercer.evaluate(X, y, learner=mercer.KernelPCA())


def test_gamma_as_a_word_in_kernels():
    X, _ = NUMBERS
    for made in (mercer.RBF, mercer.Laplacian, mercer.Polynomial, mercer.Sigmoid):
        scaled, number = made(gamma="scale"), made(gamma=1 / (X.shape[1] * X.var()))
        np.testing.assert_allclose(scaled.gram(X), number.gram(X), rtol=1e-12)
        np.testing.assert_allclose(scaled.fit(X[:40]).cross(X[40:]), made(gamma=1 / (X.shape[1] * X[:40].var())).cross(X[40:], X[:40]))
        assert eval(repr(scaled), vars(mercer)) == scaled and mercer.kernel(scaled.expression) == scaled
        np.testing.assert_allclose(made(gamma="auto").gram(X), made(gamma=1 / X.shape[1]).gram(X), rtol=1e-12)
    with pytest.raises(mercer.ParameterError, match="gamma"):
        mercer.RBF(gamma="large")
    fitted = mercer.SVR(kernel=mercer.RBF(gamma="scale"), C=10).fit(X[:60], NUMBERS[1][:60])
    expected = mercer.SVR(C=10).fit(X[:60], NUMBERS[1][:60])
    np.testing.assert_allclose(fitted.predict(X[60:]), expected.predict(X[60:]), rtol=1e-6)


def test_warnings_for_fits_that_stopped_early():
    X, y = TWO
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mercer.GridSearch(mercer.SVC(max_iter=2), {"C": [1.0, 100.0]}, cv=3, refit=False).fit(X, y)
    assert any("stopped early" in str(w.message) for w in caught)
