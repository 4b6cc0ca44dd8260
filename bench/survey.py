"""Workloads of a broad survey: other learners, transformers and distances, each compared with the tool that a user would pick.

The target is the same for all: a ratio below 1.5 is worked on or explained.
"""

import functools

import numpy as np

import mercer
import sets
from on_vectors import pairwise
from work import Peer as AnyPeer
from work import Work, workload

Peer = functools.partial(AnyPeer, target=1.5)


def estimator(module, name, fit, **options):
    """The `make` of a peer of scikit-learn: `fit` runs the new estimator."""

    def make():
        import importlib

        kind = getattr(importlib.import_module(module), name)
        return lambda: fit(kind(**options))

    return make


def timed(run, x):
    """Work whose results differ by design: nothing of them is compared."""

    def work():
        run(x)
        return np.zeros(1)

    return work


# ----------------------------------------------------------------------------------------------- kernels
@workload("4000 × 100, degree 3")
def gram_polynomial():
    x = sets.clouds(sets.count(4000), 100)
    peer = pairwise("polynomial_kernel", x, degree=3, gamma=0.01, coef0=1.0)
    return Work(lambda: mercer.Polynomial(degree=3, c=1.0, gamma=0.01).gram(x), (Peer("scikit-learn", peer),))


@workload("1000 × 200 histograms, gamma 1")
def gram_chi2():
    x = sets.shares(sets.count(1000), 200)
    return Work(lambda: mercer.ChiSquared(gamma=1.0).gram(x), (Peer("scikit-learn", pairwise("chi2_kernel", x, gamma=1.0)),))


@workload("8000 × 100")
def gram_cosine():
    x = sets.clouds(sets.count(8000), 100)
    return Work(lambda: mercer.Cosine().gram(x), (Peer("scikit-learn", pairwise("cosine_similarity", x)),))


@workload("4000 × 50, all distances")
def euclidean_distances():
    x = sets.clouds(sets.count(4000), 50)

    def scipy():
        from scipy.spatial.distance import cdist

        return lambda: cdist(x, x)

    # Differences cancel in scikit-learn's formula, so that it has 1e-7 where 0 is right.
    return Work(
        lambda: mercer.Euclidean().pairwise(x),
        (Peer("scikit-learn", pairwise("euclidean_distances", x), tolerance=1e-6), Peer("SciPy", scipy)),
    )


@workload("8124 records of 22 categories, all shares of differences")
def hamming_distances():
    records = sets.mushrooms()
    table = mercer.Records({f"c{j}": column.astype(str) for j, column in enumerate(records.T)})
    codes = np.stack([np.unique(c.astype(str), return_inverse=True)[1] for c in records.T], 1).astype(float)

    def scipy():
        from scipy.spatial.distance import cdist

        return lambda: cdist(codes, codes, "hamming")

    return Work(lambda: mercer.HammingDistance().pairwise(table), (Peer("SciPy", scipy),))


# ----------------------------------------------------------------------------------------------- learners
@workload("3000 × 20, gamma 0.05; predictions of all")
def kernel_ridge():
    x, y = sets.numbers(sets.count(3000))
    peer = estimator(
        "sklearn.kernel_ridge", "KernelRidge", lambda e: e.fit(x, y).predict(x), alpha=1.0, kernel="rbf", gamma=0.05
    )
    ours = lambda: mercer.KernelRidge(alpha=1.0, kernel=mercer.RBF(gamma=0.05)).fit(x, y).predict(x)
    return Work(ours, (Peer("scikit-learn", peer, tolerance=1e-7),))


@workload("8000 × 20, gamma 0.05, nu 0.1; decision values of all")
def one_class():
    x, _ = sets.numbers(sets.count(8000))
    run = lambda e: e.fit(x).decision_function(x)
    peer = estimator("sklearn.svm", "OneClassSVM", run, nu=0.1, gamma=0.05, cache_size=2000)
    return Work(lambda: run(mercer.OneClassSVM(nu=0.1, kernel=mercer.RBF(gamma=0.05))), (Peer("LIBSVM", peer, tolerance=1e-2),))


@workload("4000 × 20, gamma 0.05, nu 0.4; decision values of all")
def nu_svc():
    x, y = sets.classes(sets.count(4000), 50)
    run = lambda e: e.fit(x, y).decision_function(x)
    peer = estimator("sklearn.svm", "NuSVC", run, nu=0.4, gamma=0.02, cache_size=2000)
    return Work(lambda: run(mercer.NuSVC(nu=0.4, kernel=mercer.RBF(gamma=0.02))), (Peer("LIBSVM", peer, tolerance=1e-2),))


@workload("4000 × 300 for training, 1000 queries, k 5; predicted classes")
def knn_wide():
    x, y = sets.classes(sets.count(5000), 300)
    known = 4 * len(x) // 5
    fitted = mercer.KNeighborsClassifier(5, kernel=mercer.Euclidean()).fit(x[:known], y[:known])

    def peer():
        from sklearn.neighbors import KNeighborsClassifier

        theirs = KNeighborsClassifier(5, n_jobs=2).fit(x[:known], y[:known])
        return lambda: theirs.predict(x[known:])

    return Work(lambda: fitted.predict(x[known:]), (Peer("scikit-learn", peer),))


@workload("20000 × 3, 5000 queries, k 5: where a tree helps; predicted classes")
def knn_plane():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((sets.count(25_000), 3))
    y = (np.sin(3 * x[:, 0]) + x[:, 1] > 0).astype(int)
    known = 4 * len(x) // 5
    fitted = mercer.KNeighborsClassifier(5, kernel=mercer.Euclidean()).fit(x[:known], y[:known])

    def peer():
        from sklearn.neighbors import KNeighborsClassifier

        theirs = KNeighborsClassifier(5, algorithm="kd_tree", n_jobs=2).fit(x[:known], y[:known])
        return lambda: theirs.predict(x[known:])

    return Work(lambda: fitted.predict(x[known:]), (Peer("scikit-learn, k-d tree", peer),))


# ------------------------------------------------------------------------------------------- transformers
@workload("20000 × 20, 500 landmarks; times only")
def nystrom_features():
    x, _ = sets.numbers(sets.count(20_000))
    rank = 500 if not sets.SMALL else 20

    def peer():
        from sklearn.kernel_approximation import Nystroem

        return timed(Nystroem(gamma=0.05, n_components=rank, random_state=0).fit_transform, x)

    kernel = mercer.Nystrom(mercer.RBF(gamma=0.05), rank=rank)
    return Work(timed(kernel.features, x), (Peer("scikit-learn Nystroem", peer),))


@workload("20000 × 20, 1000 random Fourier features; times only")
def fourier_features():
    x, _ = sets.numbers(sets.count(20_000))

    def peer():
        from sklearn.kernel_approximation import RBFSampler

        return timed(RBFSampler(gamma=0.05, n_components=1000, random_state=0).fit_transform, x)

    return Work(timed(mercer.Fourier(gamma=0.05, features=1000).features, x), (Peer("scikit-learn RBFSampler", peer),))


# --------------------------------------------------------------------------------------------------- texts
@workload("reuters_r8, 7674 texts: terms, tf-idf; times only")
def tfidf():
    texts = sets.reuters()

    def peer():
        from sklearn.feature_extraction.text import TfidfVectorizer

        return timed(TfidfVectorizer().fit_transform, texts)

    return Work(timed(mercer.Terms(mercer.Linear()).features, texts), (Peer("scikit-learn TfidfVectorizer", peer),))


@workload("reuters_r8, 3000 texts: substrings of 4 characters; Gram matrix")
def character_grams():
    texts = [t[:2000] for t in sets.reuters()[: sets.count(3000)]]

    def peer():
        from sklearn.feature_extraction.text import CountVectorizer

        def run():
            counts = CountVectorizer(analyzer="char", ngram_range=(4, 4), lowercase=False, dtype=np.float64).fit_transform(texts)
            return (counts @ counts.T).toarray()

        return run

    return Work(lambda: mercer.Spectrum(k=4).gram(texts), (Peer("scikit-learn CountVectorizer and a product", peer, tolerance=1.0),))


# ------------------------------------------------------------------------------------------------- series
def elastic(name, ours, theirs):
    """All pairwise distances of random walks, compared with aeon; parameters and so results differ."""

    def compared():
        x = sets.walks(sets.count(200), 128, 1)

        def aeon():
            import aeon.distances

            return functools.partial(getattr(aeon.distances, f"{theirs}_pairwise_distance"), x, n_jobs=2)

        return Work(lambda: ours.pairwise([s[0] for s in x]), (Peer("aeon", aeon, tolerance=np.inf),))

    compared.__name__ = name
    workload("200 series of 128 time steps, all pairs")(compared)


elastic("derivative-dtw", mercer.DerivativeDTW(), "ddtw")
elastic("weighted-dtw", mercer.WeightedDTW(), "wdtw")
elastic("erp", mercer.ERP(), "erp")
elastic("lcss", mercer.LCSS(), "lcss")
elastic("msm", mercer.MSM(), "msm")
elastic("twe", mercer.TWE(), "twe")
elastic("soft-dtw", mercer.SoftDTW(), "soft_dtw")
