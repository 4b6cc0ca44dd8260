"""scikit-learn's own checks, run on every estimator with vectors as input."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer

ESTIMATORS = [
    mercer.SVC(),
    mercer.NuSVC(),
    mercer.SVR(),
    mercer.NuSVR(),
    mercer.OneClassSVM(),
    mercer.LinearSVC(),
    mercer.LinearSVR(),
    mercer.KernelRidge(),
    mercer.KernelRidgeClassifier(),
    mercer.Perceptron(),
    mercer.VotedPerceptron(),
    mercer.KNeighborsClassifier(),
    mercer.KNeighborsRegressor(),
    mercer.KernelPCA(),
    mercer.KernelKMeans(),
    mercer.GaussianProcessClassifier(),
    mercer.GaussianProcessRegressor(),
    mercer.ConformalClassifier(cv=3),
    mercer.ConformalRegressor(cv=3),
    mercer.FeatureMap(mercer.RBF(gamma=0.1)),
    mercer.WalkMap(),
    mercer.Fingerprint(),
]


WEIGHTS = (
    "the check requires equality to 1e-7 of fits that stop within tol, and gamma='scale' uses all objects regardless of their "
    "weights; test_estimators.py has the same check with a fixed gamma and a small tol"
)


def expected(estimator):
    """Checks that are expected to fail, with the reasons."""
    name = type(estimator).__name__
    out = {}
    if getattr(estimator, "_weighted", False):
        out["check_sample_weight_equivalence_on_dense_data"] = WEIGHTS
        out["check_sample_weight_equivalence_on_sparse_data"] = WEIGHTS
    if name == "NuSVC":
        out["check_class_weight_classifiers"] = "nu=0.5 is infeasible for such different class weights, as in LIBSVM"
    return out


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_scikit_learn_check(estimator, check):
    check(estimator)
