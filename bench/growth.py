"""Growth of time with size, and the overhead of a call: the parts of bench/table.py without a peer."""

import dataclasses
from collections.abc import Callable

import numpy as np

import mercer
import sets


@dataclasses.dataclass(frozen=True)
class Growth:
    """A workload of variable size: `make` prepares its data, which is not timed, and returns the work."""

    title: str
    things: str
    sizes: tuple
    make: Callable


def gram(n):
    x = sets.clouds(n, 100)
    return lambda: mercer.RBF(gamma=0.01).gram(x)


def svc(n):
    x, y = sets.classes(n, 50)
    return lambda: mercer.SVC(C=1.0, kernel=mercer.RBF(gamma=0.02)).fit(x, y)


def wl(n):
    graphs = mercer.Graphs(sets.as_tuples(sets.thin_graphs(n, 30, 32, 37)))
    return lambda: mercer.WeisfeilerLehman(h=5).gram(graphs)


def dtw(n):
    series = [s[0] for s in sets.walks(n, 256, 1)]
    return lambda: mercer.DTW().pairwise(series)


def spectrum(n):
    strings = sets.dna(n, 60)
    return lambda: mercer.Spectrum(k=5).gram(strings)


def doubling(first, points=5):
    first = max(20, first // 40) if sets.SMALL else first
    return tuple(first * 2**i for i in range(points))


GROWTH = {
    "gram": Growth("Gram matrix, rbf(gamma=0.01), 100 dimensions", "objects", doubling(1000), gram),
    "svc": Growth("Fit of svc(C=1), rbf(gamma=0.02), 50 dimensions", "objects", doubling(2500), svc),
    "wl": Growth("Gram matrix, wl(h=5), random graphs of 30 nodes", "graphs", doubling(1000), wl),
    "dtw": Growth("Distances, dtw, random walks of 256 time steps", "series", doubling(100), dtw),
    "spectrum": Growth("Gram matrix, spectrum(k=5), random strings of 60 symbols", "strings", doubling(1000), spectrum),
}


def slope(points):
    """The exponent e of seconds ~ size^e: the slope of a least-squares line through the logarithms."""
    sizes, seconds = np.log(np.array(points, float)).T
    return float(np.polyfit(sizes, seconds, 1)[0])


def call_cost(best):
    """The time of a Gram matrix of 1,000 × 10 vectors, and of a single vector, which is mostly overhead."""
    x = np.random.default_rng(0).standard_normal((1000, 10))
    kernel = mercer.RBF(gamma=0.1)
    return {"whole": best(lambda: kernel.gram(x)), "least": best(lambda: kernel.gram(x[:1]))}
