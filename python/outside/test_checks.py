"""scikit-learn's estimator checks (``check_estimator``) for every class of mercer with many parameters and kernels."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer

#: Vector kernels by scikit-learn's names, as texts, and as objects; some are fitted to training objects.
NAMES = ["linear", "poly", "rbf", "laplacian", "sigmoid"]
TEXTS = ["normalize(linear + rbf(gamma=0.3))", "standardize(rbf(gamma=0.2))"]
SCALED = mercer.Standardize(mercer.RBF(gamma=0.3))
MIXED = mercer.RBF(gamma=0.4) + 0.5 * mercer.Linear()
VALUES = [
    mercer.RBF(gamma=0.5),
    mercer.Linear(),
    mercer.Cosine(),
    mercer.MinMax(mercer.RBF(gamma=2.0)),
    mercer.Center(mercer.RBF(gamma=0.5)),
    mercer.Normalize(mercer.Polynomial(degree=2, c=1.0)),
]
#: One kernel of each form.
FEW = [TEXTS[0], SCALED, MIXED]
PSD = [name for name in NAMES if name != "sigmoid"]


def with_kernels(make, kernels, **options):
    return [make(kernel=kernel, **options) for kernel in kernels]


def configurations():
    m = mercer
    return [
        # The five support vector estimators.
        *with_kernels(m.SVC, [*PSD, *TEXTS, *VALUES, SCALED, MIXED]),
        m.SVC(C=100.0),
        m.SVC(C=0.01),
        m.SVC(gamma="auto"),
        m.SVC(gamma=0.1, tol=1e-6),
        m.SVC(scheme="one-versus-rest"),
        m.SVC(scheme="one-versus-rest", kernel="linear"),
        m.SVC(break_ties=True),
        m.SVC(class_weight="balanced"),
        m.SVC(shrinking=False, cache_size=1),
        m.SVC(probability=True, random_state=1),
        m.SVC(kernel="precomputed"),
        *with_kernels(m.NuSVC, FEW, nu=0.3),
        m.NuSVC(nu=0.3, scheme="one-versus-rest"),
        m.NuSVC(nu=0.3, break_ties=True),
        m.NuSVC(),
        *with_kernels(m.SVR, [*PSD, *FEW]),
        m.SVR(C=10.0, epsilon=0.01),
        m.SVR(kernel="precomputed"),
        *with_kernels(m.NuSVR, [*PSD, *FEW]),
        m.NuSVR(nu=0.9, C=10.0),
        m.NuSVR(kernel="precomputed"),
        *with_kernels(m.OneClassSVM, [*PSD, *FEW]),
        m.OneClassSVM(nu=0.1),
        m.OneClassSVM(nu=0.3, gamma=0.1),
        # Linear models on explicit features.
        m.LandmarkSVC(),
        m.LandmarkSVC(kernel=m.Laplacian(gamma=0.1), C=10.0),
        m.LinearSVC(),
        m.LinearSVC(loss="hinge"),
        m.LinearSVC(dual=True),
        m.LinearSVC(dual=False, C=0.1),
        m.LinearSVC(penalty="l1"),
        m.LinearSVC(fit_intercept=False),
        m.LinearSVC(class_weight="balanced"),
        m.LinearSVC(kernel=m.Polynomial(degree=2, c=1.0)),
        m.LinearSVR(),
        m.LinearSVR(loss="squared_epsilon_insensitive"),
        m.LinearSVR(epsilon=0.1, C=10.0),
        m.LinearSVR(fit_intercept=False),
        # Ridge regression.
        *with_kernels(m.KernelRidge, [*PSD, *FEW]),
        m.KernelRidge(alpha=0.01, kernel="rbf"),
        m.KernelRidge(fit_intercept=True),
        m.KernelRidge(kernel="precomputed"),
        *with_kernels(m.KernelRidgeClassifier, ["linear", "poly", "laplacian", *FEW]),
        m.KernelRidgeClassifier(kernel="rbf", alpha=0.1),
        m.KernelRidgeClassifier(fit_intercept=True),
        # Perceptrons.
        *with_kernels(m.Perceptron, ["rbf", "linear", "poly", *FEW]),
        m.Perceptron(fit_intercept=False),
        *with_kernels(m.VotedPerceptron, ["rbf", "linear", "poly", *FEW]),
        m.VotedPerceptron(rule="average"),
        m.VotedPerceptron(shuffle=True, random_state=0),
        # Nearest neighbours.
        m.KNeighborsClassifier(),
        m.KNeighborsClassifier(1),
        m.KNeighborsClassifier(weights="distance"),
        m.KNeighborsClassifier(p=1),
        m.KNeighborsClassifier(metric="chebyshev"),
        m.KNeighborsClassifier(algorithm="kd_tree"),
        *with_kernels(m.KNeighborsClassifier, ["rbf", "linear", "laplacian", *FEW]),
        m.KNeighborsRegressor(),
        m.KNeighborsRegressor(weights="distance"),
        m.KNeighborsRegressor(p=1),
        m.KNeighborsRegressor(algorithm="ball_tree"),
        *with_kernels(m.KNeighborsRegressor, ["rbf", "linear", "laplacian", *FEW]),
        # Components and clusters.
        m.KernelPCA(),
        m.KernelPCA(2),
        *with_kernels(m.KernelPCA, ["rbf", "poly", "laplacian", SCALED, MIXED], n_components=2),
        m.KernelPCA(2, fit_inverse_transform=True),
        m.KernelPCA(2, kernel="rbf", remove_zero_eig=True),
        *with_kernels(m.KernelKMeans, ["rbf", "linear", "poly", "laplacian", *FEW], random_state=0),
        m.KernelKMeans(2, n_init=3, random_state=0),
        # Feature maps.
        *with_kernels(m.FeatureMap, [VALUES[0], "linear", SCALED]),
        m.FeatureMap(kind="empirical", rank=2),
        m.WalkMap(),
        m.WalkMap(p=3, scale="none"),
        m.Fingerprint(),
        # How sure predictions are.
        *with_kernels(m.GaussianProcessRegressor, [VALUES[0], "linear", SCALED]),
        m.GaussianProcessRegressor(normalize_y=True, optimizer=None),
        m.GaussianProcessClassifier(scale=1.0, optimizer=None),
        m.GaussianProcessClassifier(scale=1.0, optimizer=None, approximation="ep"),
        m.ConformalClassifier(cv=3),
        m.ConformalClassifier(m.LinearSVC(), method="split"),
        m.ConformalRegressor(cv=3),
        m.ConformalRegressor(method="split"),
    ]


CONFIGURATIONS = configurations()


def test_there_are_enough_configurations():
    assert len(CONFIGURATIONS) >= 120
    modules = (mercer.svm, mercer.learn, mercer.maps, mercer.gaussian, mercer.uncertainty)
    estimators = {name for module in modules for name in module.__all__ if hasattr(getattr(module, name), "get_params")}
    assert {type(c).__name__ for c in CONFIGURATIONS} >= estimators


@parametrize_with_checks(CONFIGURATIONS)
def test_check(estimator, check):
    check(estimator)
