"""Workloads on vectors: Gram matrices, support vector machines, distances between distributions."""

import functools

import numpy as np

import mercer
import scale
import sets
from work import SOLVER, Peer, Work, workload


# -------------------------------------------------------------------------------------------- Gram matrices
def pairwise(kernel, x, **options):
    """A matrix computed by a function of scikit-learn."""

    def make():
        from sklearn.metrics import pairwise

        return functools.partial(getattr(pairwise, kernel), x, **options)

    return make


@workload("8000 × 100, gamma 0.01")
def gram_rbf():
    x = sets.clouds(sets.count(8000), 100)
    return Work(lambda: mercer.RBF(gamma=0.01).gram(x), (Peer("scikit-learn", pairwise("rbf_kernel", x, gamma=0.01), target=4),))


@workload("8000 × 100")
def gram_linear():
    x = sets.clouds(sets.count(8000), 100)
    return Work(lambda: mercer.Linear().gram(x), (Peer("scikit-learn", pairwise("linear_kernel", x)),))


@workload("2000 × 100, gamma 0.01")
def gram_laplacian():
    x = sets.clouds(sets.count(2000), 100)
    return Work(
        lambda: mercer.Laplacian(gamma=0.01).gram(x), (Peer("scikit-learn", pairwise("laplacian_kernel", x, gamma=0.01)),)
    )


@workload("a9a, 10000 × 123 sparse")
def gram_sparse_linear():
    x, _ = sets.a9a(sets.count(10_000))
    return Work(lambda: mercer.Linear().gram(x), (Peer("scikit-learn", pairwise("linear_kernel", x, dense_output=True), target=4),))


@workload("a9a, 10000 × 123 sparse, gamma 0.05")
def gram_sparse_rbf():
    x, _ = sets.a9a(sets.count(10_000))
    return Work(lambda: mercer.RBF(gamma=0.05).gram(x), (Peer("scikit-learn", pairwise("rbf_kernel", x, gamma=0.05), target=4),))


# ------------------------------------------------------------------------------------ support vector machines
def libsvm(x, y, new, **options):
    """LIBSVM through scikit-learn: fit, then decision values."""

    def make():
        from sklearn.svm import SVC

        return lambda: SVC(**options).fit(x, y).decision_function(new)

    return make


def precomputed(C):
    x, y = sets.classes(sets.count(5000), 50)
    k = mercer.RBF(gamma=0.02).gram(x)
    peer = libsvm(k, y, k, C=C, kernel="precomputed", cache_size=2000)
    return Work(
        lambda: mercer.SVC(C=C, kernel="precomputed").fit(k, y).decision_function(k),
        (Peer("LIBSVM", peer, target=4, tolerance=SOLVER),),
    )


@workload("5000 objects, Gram in memory, C 1; decision values of all")
def svc_precomputed_c1():
    return precomputed(1.0)


@workload("5000 objects, Gram in memory, C 100; decision values of all")
def svc_precomputed_c100():
    return precomputed(100.0)


@workload("20000 × 50, gamma 0.02, C 1; 1000 decision values")
def svc_rbf_20k():
    x, y = sets.classes(sets.count(20_000), 50)

    def one_dal():
        from sklearnex.svm import SVC

        narrow = x.astype(np.float32)
        return lambda: SVC(C=1.0, gamma=0.02, cache_size=4000).fit(narrow, y).decision_function(narrow[:1000])

    return Work(
        lambda: mercer.SVC(C=1.0, kernel=mercer.RBF(gamma=0.02)).fit(x, y).decision_function(x[:1000]),
        (
            Peer("oneDAL, single precision", one_dal, target=1.3, tolerance=SOLVER),
            Peer("LIBSVM", libsvm(x, y, x[:1000], C=1.0, gamma=0.02, cache_size=4000), tolerance=SOLVER),
        ),
    )


@workload("a9a, 20000 × 123 sparse, gamma 0.05, C 1; 1000 decision values")
def svc_a9a():
    x, y = sets.a9a(sets.count(20_000))
    return Work(
        lambda: mercer.SVC(C=1.0, kernel=mercer.RBF(gamma=0.05)).fit(x, y).decision_function(x[:1000]),
        (Peer("LIBSVM", libsvm(x, y, x[:1000], C=1.0, gamma=0.05, cache_size=4000), target=5, tolerance=SOLVER),),
    )


def objective(fitted, x, y, power):
    """The primal objective of a linear machine, whose intercept is regularised."""
    w, b = fitted.coef_[0], fitted.intercept_[0]
    errors = np.maximum(0, 1 - np.where(y > 0, 1, -1) * (x @ w + b))
    return np.array([0.5 * (w @ w + b * b) + (errors**power).sum()])


def linear(loss, power, *more, **options):
    """Linear machines on all of a9a; the objectives must agree. LIBLINEAR needs more than its 1000 iterations.

    `more`: the same with other limits of iterations, as names, limits and allowed differences.
    """
    x, y = sets.a9a(sets.count(32_561))
    x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)

    def peer(most):
        def make():
            import warnings

            from sklearn.svm import LinearSVC

            # It says that it did not converge.
            warnings.simplefilter("ignore")
            theirs = LinearSVC(loss=loss, C=1.0, max_iter=most, random_state=0, **options)
            return lambda: objective(theirs.fit(x, y), x, y, power)

        return make

    ours = mercer.LinearSVC(loss=loss, C=1.0)
    known = [("LIBLINEAR", 100_000, 1e-6), *more]
    peers = tuple(Peer(name, peer(most), target=2, tolerance=tolerance) for name, most, tolerance in known)
    return Work(lambda: objective(ours.fit(x, y), x, y, power), peers)


@workload("a9a, 32561 × 123 sparse, hinge, C 1, tolerance 1e-4; the objective")
def linear_svc_hinge():
    return linear("hinge", 1, ("LIBLINEAR, not converged after its default of 1000 iterations", 1000, 1e-3), dual=True)


@workload("a9a, 32561 × 123 sparse, squared hinge, C 1, tolerance 1e-4; the objective")
def linear_svc_squared():
    return linear("squared_hinge", 2, dual="auto")


@workload("20000 × 20 of `rule`, gamma 0.05, C 1, 2000 landmarks; accuracy on 10000 others")
def landmark_svc():
    x, y = scale.rule(sets.count(20_000), 1)
    new, truth = scale.rule(10_000, 2)
    landmarks = sets.count(2000)

    def peer():
        from sklearn.kernel_approximation import Nystroem
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC

        theirs = make_pipeline(Nystroem(gamma=0.05, n_components=landmarks, random_state=0), LinearSVC(C=1.0, dual=False))
        return lambda: np.array([theirs.fit(x, y).score(new, truth)])

    ours = mercer.LandmarkSVC(C=1.0, landmarks=landmarks, kernel=mercer.RBF(gamma=0.05), random_state=0)
    # The systems draw different landmarks.
    peers = (Peer("scikit-learn, Nystroem and LinearSVC", peer, target=5, tolerance=0.02),)
    return Work(lambda: np.array([ours.fit(x, y).score(new, truth)]), peers)


@workload("6000 × 20, gamma 0.05, C 10, epsilon 0.1; predictions of all")
def svr_rbf():
    x, y = sets.numbers(sets.count(6000))

    def peer():
        from sklearn.svm import SVR

        return lambda: SVR(C=10.0, gamma=0.05, epsilon=0.1, cache_size=2000).fit(x, y).predict(x)

    return Work(
        lambda: mercer.SVR(C=10.0, epsilon=0.1, kernel=mercer.RBF(gamma=0.05)).fit(x, y).predict(x),
        (Peer("LIBSVM", peer, target=5, tolerance=SOLVER),),
    )


def diamonds(n):
    numbers, grades, y = sets.diamonds(sets.count(n))
    x = sets.one_hot(numbers, grades)

    def peer():
        from sklearn.svm import SVR

        return lambda: SVR(C=1.0, gamma=0.1, epsilon=0.1, cache_size=1000).fit(x, y).predict(x[:1000])

    return lambda: mercer.SVR(C=1.0, epsilon=0.1, kernel=mercer.RBF(gamma=0.1)).fit(x, y).predict(x[:1000]), peer


@workload("stones, 13500 × 26, prices not scaled, gamma 0.1, C 1, epsilon 0.1; 1000 predictions")
def svr_stones():
    ours, peer = diamonds(13_500)
    return Work(ours, (Peer("LIBSVM", peer, target=5, tolerance=SOLVER),))


@workload("stones, 54000 × 26, prices not scaled, gamma 0.1, C 1, epsilon 0.1; 1000 predictions")
def svr_stones_all():
    # LIBSVM takes minutes: its ratio is that of the quarter above.
    return Work(diamonds(54_000)[0], limit=30)


@workload("handwritten digits, 6000 × 784, 10 classes, gamma 0.02, C 10; 2000 decision values")
def svc_digits():
    x, y = sets.digits(sets.count(8000))
    known = 3 * len(x) // 4
    options = {"C": 10.0, "gamma": 0.02, "cache_size": 1000, "decision_function_shape": "ovo"}

    def one_dal():
        from sklearnex.svm import SVC

        narrow = x.astype(np.float32)
        return lambda: SVC(**options).fit(narrow[:known], y[:known]).decision_function(narrow[known:])

    ours = mercer.SVC(C=10.0, kernel=mercer.RBF(gamma=0.02), decision_function_shape="ovo")
    return Work(
        lambda: ours.fit(x[:known], y[:known]).decision_function(x[known:]),
        (
            Peer("oneDAL, single precision", one_dal, target=3, tolerance=SOLVER),
            Peer("LIBSVM", libsvm(x[:known], y[:known], x[known:], **options), tolerance=SOLVER),
        ),
    )


@workload("690 × 14, gamma 0.1, C 10, each object predicted from the others; accuracy")
def svc_leave_one_out():
    x, y, _ = sets.australian()

    def peer():
        from sklearn.model_selection import LeaveOneOut, cross_val_predict
        from sklearn.svm import SVC

        estimator = SVC(C=10.0, gamma=0.1)
        return lambda: np.mean(cross_val_predict(estimator, x, y, cv=LeaveOneOut(), n_jobs=2) == y)

    options = {"protocol": "leave-one-out", "figures": False}
    ours = lambda: mercer.evaluate(x, y, "rbf(gamma=0.1)", "svc(C=10)", **options).mean
    # An object on the boundary may be classified differently.
    return Work(ours, (Peer("scikit-learn, two processes", peer, target=20, tolerance=1 / 300),))


def forests(theirs, **options):
    """Fits of 200 trees to 10,000 vectors of 20 numbers. Random trees differ, so no results are compared: bench/accuracy_tables.py compares what
    forests predict."""
    x, y = sets.classes(sets.count(10_000), 50)
    x = np.ascontiguousarray(x[:, :20])

    def peer():
        from sklearn import ensemble

        forest = getattr(ensemble, theirs)(200, min_samples_leaf=options["leaf"], max_features=5, n_jobs=2, random_state=0)
        return lambda: forest.fit(x, y) and np.zeros(1)

    ours = mercer.Forest(trees=200, candidates=5, **options)
    return Work(lambda: ours.fit(x, y, threads=2) and np.zeros(1), (Peer("scikit-learn, two threads", peer, target=1),))


@workload("10000 × 20, 2 classes, 200 extremely randomised trees, 5 candidates, leaves of at least 1")
def forest_extra():
    return forests("ExtraTreesClassifier", mode="extra", leaf=1)


@workload("10000 × 20, 2 classes, 200 trees of a random forest, 5 candidates, leaves of at least 1")
def forest_random():
    return forests("RandomForestClassifier", mode="random", leaf=1)


@workload("10000 support vectors × 10000 objects × 50 dimensions")
def svm_predict():
    half = sets.count(10_000)
    x, _ = sets.classes(2 * half, 50)
    # With C this small and alternating classes, every object is a support vector at its bound.
    known, turns, new = x[:half], np.arange(half) % 2, x[half:]

    # The offset is subtracted: only sums over support vectors are compared.
    def values(estimator):
        fitted = estimator.fit(known, turns)
        return lambda: fitted.decision_function(new) - fitted.intercept_

    def peer():
        from sklearn.svm import SVC

        return values(SVC(C=1e-4, gamma=0.02, cache_size=2000))

    return Work(values(mercer.SVC(C=1e-4, kernel=mercer.RBF(gamma=0.02))), (Peer("LIBSVM", peer, target=8),))


@workload("690 × 14, 11 values of C × 10 of gamma × 5 folds; mean accuracies")
def grid_search():
    x, y, folds = sets.australian()
    cs, gammas = 2.0 ** np.arange(-5, 16, 2), 2.0 ** np.arange(-15, 4, 2)

    def scores(search):
        return np.asarray(search.fit(x, y).cv_results_["mean_test_score"])

    def peer():
        from sklearn.model_selection import GridSearchCV
        from sklearn.svm import SVC

        # Without a limit, some grid points take for ever.
        estimator, grid = SVC(max_iter=2_000_000), {"C": cs, "gamma": gammas}
        return lambda: scores(GridSearchCV(estimator, grid, cv=folds, n_jobs=2, refit=False))

    grid = {"C": cs, "kernel__gamma": gammas}
    ours = lambda: scores(mercer.GridSearch(mercer.SVC(kernel=mercer.RBF()), grid, cv=folds, refit=False))
    # One object of each fold of 138 may be classified differently: 1/138 of accuracies that are below 0.9.
    return Work(ours, (Peer("scikit-learn, two processes", peer, target=12, tolerance=1 / 120),))


@workload("690 × 14, gamma 0.1, 41 values of C from 2^-5 to 2^15, 5 folds; mean accuracies along the path")
def svc_path():
    x, y, folds = sets.australian()
    cs = 2.0 ** np.arange(-5, 15.1, 0.5)

    def scores(search):
        return np.asarray(search.fit(x, y).cv_results_["mean_test_score"])

    def peer():
        from sklearn.model_selection import GridSearchCV
        from sklearn.svm import SVC

        estimator = SVC(gamma=0.1, max_iter=2_000_000)
        return lambda: scores(GridSearchCV(estimator, {"C": cs}, cv=folds, n_jobs=2, refit=False))

    ours = lambda: scores(mercer.GridSearch(mercer.SVC(kernel=mercer.RBF(gamma=0.1)), {"C": cs}, cv=folds, refit=False))
    return Work(ours, (Peer("scikit-learn, two processes", peer, target=12, tolerance=1 / 120),))


@workload("1000 distributions over 2000 values, all distances")
def jensen_shannon():
    x = sets.shares(sets.count(1000), 2000)

    def peer():
        from scipy.spatial.distance import cdist

        return lambda: cdist(x, x, "jensenshannon")

    return Work(lambda: mercer.JensenShannon().pairwise(x), (Peer("SciPy", peer, target=25),))


# ------------------------------------------------------------------------------ neighbours, components, clusters
@workload("20000 × 50 for training, 5000 queries, k 5, Euclidean; predicted classes")
def knn_euclidean():
    x, y = sets.classes(sets.count(25_000), 50)
    known = 4 * len(x) // 5

    def peer():
        from sklearn.neighbors import KNeighborsClassifier

        fitted = KNeighborsClassifier(algorithm="brute", n_jobs=2).fit(x[:known], y[:known])
        return lambda: fitted.predict(x[known:])

    ours = mercer.KNeighborsClassifier(kernel=mercer.Euclidean()).fit(x[:known], y[:known])
    return Work(lambda: ours.predict(x[known:]), (Peer("scikit-learn, brute", peer, target=1.5),))


@workload("3000 × 20, gamma 0.05, 10 components; absolute coordinates of all")
def kernel_pca():
    x, _ = sets.numbers(sets.count(3000))

    def peer():
        from sklearn.decomposition import KernelPCA

        estimator = KernelPCA(10, kernel="rbf", gamma=0.05, eigen_solver="arpack", random_state=0)
        return lambda: np.abs(estimator.fit_transform(x))

    ours = mercer.KernelPCA(n_components=10, kernel=mercer.RBF(gamma=0.05))
    return Work(lambda: np.abs(ours.fit_transform(x)), (Peer("scikit-learn, ARPACK", peer, target=2, tolerance=1e-6),))


@workload("3000 × 20, gamma 0.05, 8 clusters, 10 restarts; inertia")
def kernel_kmeans():
    x, _ = sets.numbers(sets.count(3000))
    ours = mercer.KernelKMeans(n_clusters=8, kernel=mercer.RBF(gamma=0.05), random_state=0)
    return Work(lambda: np.array([ours.fit(x).inertia_]), limit=0.2)
