"""Workloads on graphs, nodes, time series, strings, texts and records."""

import numpy as np

import mercer
import peers
import sets
from work import EXACT, Peer, Work, absent, workload


# ------------------------------------------------------------------------------------------------- graphs
CPP = absent("not tried in this run: its dependency GKextCPy failed to build by pip 23.2 under Python 3.11")


def on_graphs(name, kernel, theirs, target=None, limit=None, others=()):
    """A kernel on a set of graphs compared with GraKeL. The conversion of graphs is not timed for either."""
    found = sets.graphs(name)
    objects = mercer.Graphs(sets.as_tuples(found))

    def peer():
        from grakel import kernels

        converted = sets.as_grakel(found)

        def run():
            result = theirs(kernels).fit_transform(converted)
            return np.asarray(result.todense() if hasattr(result, "todense") else result, float)

        return run

    return Work(lambda: kernel.gram(objects), (Peer("GraKeL", peer, target=target), *others), limit)


def subtrees(name, **targets):
    theirs = lambda k: k.WeisfeilerLehman(n_iter=5, base_graph_kernel=k.VertexHistogram)
    return on_graphs(name, mercer.WeisfeilerLehman(h=5), theirs, **targets)


# 35 and 15 are 71 ms / 2 ms and 7.9 s / 0.5 s: the time of GraKeL divided by the target time, on another machine.
@workload("188 graphs, subtrees, h 5")
def wl_mutag():
    return subtrees("MUTAG", target=35, limit=0.002)


@workload("4110 graphs, subtrees, h 5")
def wl_nci1():
    return subtrees("NCI1", target=15, limit=0.5, others=(Peer("graphkernels (C++)", CPP, target=4),))


@workload("600 graphs, label-label-length")
def shortest_path_enzymes():
    return on_graphs("ENZYMES", mercer.ShortestPath(), lambda k: k.ShortestPath(with_labels=True), target=20)


@workload("4110 graphs, node labels")
def vertex_histogram_nci1():
    # 20 times the C++ package, which took 2.9 s on another machine.
    other = Peer("graphkernels (C++)", CPP, target=20)
    return on_graphs("NCI1", mercer.VertexHistogram(), lambda k: k.VertexHistogram(), limit=0.145, others=(other,))


@workload("344 graphs, optimal assignment, h 5")
def wl_oa_ptc():
    theirs = lambda k: k.WeisfeilerLehmanOptimalAssignment(n_iter=5)
    return on_graphs("PTC_MR", mercer.WeisfeilerLehmanOptimalAssignment(h=5), theirs)


@workload("188 graphs, geometric walks without labels, decay 0.01")
def random_walk_mutag():
    ours = mercer.RandomWalk(kind="geometric", decay=0.01, labels="no")
    theirs = lambda k: k.RandomWalk(lamda=0.01, method_type="fast", kernel_type="geometric")
    return on_graphs("MUTAG", ours, theirs, target=100)


@workload("188 graphs, geometric walks with labels, decay 0.01")
def random_walk_labelled_mutag():
    objects = mercer.Graphs(sets.as_tuples(sets.graphs("MUTAG")))
    # GraKeL's walks with labels also count pairs with different labels, so results are not comparable.
    return Work(lambda: mercer.RandomWalk(kind="geometric", decay=0.01).gram(objects), limit=0.3)


@workload("2708 nodes, beta 0.5, the whole kernel")
def node_diffusion_cora():
    links = sets.citations()
    laplacian = np.diag(np.asarray(links.sum(1)).ravel()) - links.toarray()

    def exponential():
        from scipy.linalg import expm

        return lambda: expm(-0.5 * laplacian)

    def eigenvectors():
        def run():
            values, vectors = np.linalg.eigh(laplacian)
            return (vectors * np.exp(-0.5 * values)) @ vectors.T

        return run

    return Work(
        # The conversion of the graph is timed, so that nothing can be cached from an earlier run.
        lambda: mercer.NodeDiffusion(beta=0.5).gram(mercer.Nodes(links)),
        (Peer("NumPy eigh", eigenvectors, target=3, tolerance=1e-10), Peer("SciPy expm", exponential, target=8, tolerance=1e-10)),
    )


# ----------------------------------------------------------------------------------------- time series
def warping(n, length, channels, targets, precision="double", tolerance=EXACT):
    """All pairwise distances of random walks, compared with aeon and dtaidistance."""
    x = sets.walks(sets.count(n), length, channels)
    flat = [np.ascontiguousarray(s.T if channels > 1 else s[0]) for s in x]

    def aeon():
        from aeon.distances import dtw_pairwise_distance

        return lambda: np.sqrt(dtw_pairwise_distance(x, n_jobs=2))

    def dtaidistance():
        from dtaidistance import dtw, dtw_ndim

        # Its pruning gives infinity for some pairs that are nearly equal.
        if channels == 1:
            return lambda: dtw.distance_matrix_fast(flat, use_pruning=False)
        return lambda: dtw_ndim.distance_matrix_fast(flat)

    known = {"aeon": aeon, "dtaidistance": dtaidistance}
    others = (Peer(name, known[name], target=target, tolerance=tolerance) for name, target in targets.items())
    # Channels first, as in aeon.
    ours = flat if channels == 1 else list(x)
    return Work(lambda: mercer.DTW(precision=precision).pairwise(ours), tuple(others))


@workload("400 series of 256 time steps, all pairs")
def dtw_univariate():
    return warping(400, 256, 1, {"aeon": 15, "dtaidistance": 15})


@workload("400 series of 256 time steps, all pairs, single precision; the peer in double")
def dtw_univariate_single():
    return warping(400, 256, 1, {"aeon": None}, "single", 1e-5)


@workload("200 series of 6 channels and 128 time steps, all pairs")
def dtw_multivariate():
    return warping(200, 128, 6, {"aeon": None, "dtaidistance": 6})


@workload("400 series of 256 time steps, global alignment kernel, sigma 2")
def gak():
    flat = [s[0] for s in sets.walks(sets.count(400), 256, 1)]

    def peer():
        from tslearn.metrics import cdist_gak

        return lambda: cdist_gak(flat, sigma=2.0, n_jobs=2)

    return Work(lambda: mercer.GlobalAlignment(sigma=2.0).gram(flat), (Peer("tslearn", peer, target=10),))


def convolutions(n, length, channels):
    """MiniRocket features of random walks. Thresholds come from one series, so that both systems have the same."""
    x = sets.walks(sets.count(n), length, channels)
    kernel = mercer.Rocket(scale="none").fit(mercer.Series(x[:1], layout="n,channels,steps"))
    objects = mercer.Series(x, layout="n,channels,steps")

    def aeon():
        from aeon.transformations.collection.convolution_based import MiniRocket

        fitted = MiniRocket(n_jobs=2, random_state=0).fit(x[:1])
        return lambda: fitted.transform(x)

    # A value within rounding of a threshold may be on either side of it: a share differs by one time step. With several
    # channels each system draws its own.
    tolerance = 0.2 if channels == 1 else 1.0
    return Work(lambda: kernel.features(objects)[0], (Peer("aeon", aeon, target=2, tolerance=tolerance),))


@workload("1000 series of 256 time steps, 9996 MiniRocket features")
def rocket_univariate():
    return convolutions(1000, 256, 1)


@workload("300 series of 6 channels and 128 time steps, 9996 MiniRocket features")
def rocket_multivariate():
    return convolutions(300, 128, 6)


@workload("nearest neighbour with a learned window, ItalyPowerDemand and Trace; test errors")
def nearest_window():
    found = [sets.archive("ItalyPowerDemand"), sets.archive("Trace")]

    def errors(train, classes, test, truth):
        nearest = mercer.KNeighborsClassifier(1, kernel=mercer.LearnedDTW())
        return (nearest.fit(list(train[:, 0]), classes).predict(list(test[:, 0])) != truth).sum()

    def peer():
        import aeon.distances  # noqa: F401

        return lambda: np.array([peers.learned_window_errors(*s) for s in found], float)

    return Work(lambda: np.array([errors(*s) for s in found], float), (Peer("aeon, each window", peer, target=10),))


# ---------------------------------------------------------------------------- strings, texts, records
@workload("3190 strings of 60 symbols, 5-mers")
def spectrum_splice():
    strings = sets.splice()

    def peer():
        from sklearn.feature_extraction.text import CountVectorizer

        def run():
            counts = CountVectorizer(analyzer="char", ngram_range=(5, 5), dtype=np.float64).fit_transform(strings)
            return (counts @ counts.T).toarray()

        return run

    return Work(lambda: mercer.Spectrum(k=5).gram(strings), (Peer("scikit-learn, k-mer counts and a sparse product", peer, target=10),))


@workload("2000 strings of 60 symbols, all edit distances")
def edit_distance():
    strings = sets.dna(sets.count(2000), 60)

    def peer():
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist

        return lambda: cdist(strings, strings, scorer=Levenshtein.distance, workers=2, dtype=np.float64)

    return Work(lambda: mercer.EditDistance().pairwise(strings), (Peer("rapidfuzz", peer, target=3),))


@workload("1288 strings of 226 symbols, gapped k-mers with l 10, k 6")
def gapped_kmer():
    strings = sets.dna(sets.count(1288), 226)
    # 40 times the 4,000 pairs per second of LS-GKM on one core. LS-GKM is not on PyPI.
    pairs = len(strings) * (len(strings) + 1) / 2
    return Work(lambda: mercer.GappyKmer(l=10, k=6).gram(strings), limit=pairs / 160_000)


@workload("10000 DNA sequences of 200 symbols, gapped k-mers with l 6, k 4, 1000 landmarks; accuracy on 2000 others")
def landmark_dna():
    (strings, classes), (new, truth) = sets.motifs(sets.count(10_000), 1), sets.motifs(2000, 2)
    kernel = mercer.Normalize(mercer.GappyKmer(l=6, k=4))
    ours = mercer.LandmarkSVC(C=1.0, landmarks=sets.count(1000), kernel=kernel, random_state=0)
    return Work(lambda: np.array([ours.fit(strings, classes).score(new, truth)]), limit=10)


@workload("reuters_r8, 7674 texts, fit and features")
def bm25():
    texts = sets.reuters()
    # 30 MB/s.
    limit = sum(len(text.encode()) for text in texts) / 30e6
    return Work(lambda: mercer.Terms(mercer.Linear(), weight="bm25").features(texts)[0], limit=limit)


@workload("8124 records of 22 categories, beta 0.2")
def categorical_mushroom():
    records = sets.mushrooms()

    def peer():
        columns = [np.unique(c.astype(str), return_inverse=True) for c in records.T]

        def run():
            exponent = np.zeros((len(records), len(records)))
            for values, codes in columns:
                a = len(values)
                if a > 1:
                    decay = np.exp(-0.2 * a)
                    factor = (1 - decay) / (1 + (a - 1) * decay)
                    hot = np.eye(a)[codes]
                    exponent += np.log(factor) * (1 - hot @ hot.T)
            return np.exp(exponent)

        return run

    return Work(
        lambda: mercer.CategoricalDiffusion(beta=0.2).gram(records),
        (Peer("NumPy, one product per attribute", peer, target=40, tolerance=1e-12),),
    )
