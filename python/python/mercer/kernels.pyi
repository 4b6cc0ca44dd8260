"""Every kernel of the registry. Written by stubs.py from the registry itself."""

from typing import Any, Literal

from ._kernel import Kernel as Kernel
from ._kernel import Product as Product
from ._kernel import Registered
from ._kernel import Scaled as Scaled
from ._kernel import Sum as Sum

CLASSES: dict[str, type[Registered]]

def kernel(text: str | Kernel) -> Kernel: ...

class Linear(Registered):
    """The inner product of two vectors."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class Polynomial(Registered):
    """A power of the inner product: all monomials of the coordinates up to a degree."""

    degree: int
    c: float
    gamma: float | Literal['scale', 'auto']
    columns: Any
    def __init__(self, degree: int = 2, c: float = 1.0, gamma: float | Literal['scale', 'auto'] = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class RBF(Registered):
    """The Gaussian of the Euclidean distance."""

    gamma: float | Literal['scale', 'auto']
    columns: Any
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class Laplacian(Registered):
    """The exponential of the city-block distance."""

    gamma: float | Literal['scale', 'auto']
    columns: Any
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class Cosine(Registered):
    """The cosine of the angle between two vectors."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class Sigmoid(Registered):
    """The hyperbolic tangent of the inner product; not positive semidefinite."""

    gamma: float | Literal['scale', 'auto']
    c: float
    columns: Any
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, c: float = 0.0, *, columns: str | list[str] | None = None) -> None: ...

class ChiSquared(Registered):
    """The exponential of the chi-squared distance between histograms."""

    gamma: float | Literal['scale', 'auto']
    columns: Any
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class ClosedChain(Registered):
    """Diffusion around a ring: hours of the day, months, directions."""

    n: int
    beta: float
    columns: Any
    def __init__(self, n: int = 12, beta: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class RegularTree(Registered):
    """Diffusion on the infinite tree in which every vertex has k neighbours."""

    k: int
    beta: float
    columns: Any
    def __init__(self, k: int = 3, beta: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class BinaryTree(Registered):
    """Diffusion on the infinite rooted binary tree."""

    beta: float
    columns: Any
    def __init__(self, beta: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class Fourier(Registered):
    """Random Fourier features: the Gaussian or the Laplacian on average, as an inner product of explicit features."""

    gamma: float | Literal['scale', 'auto']
    of: Literal['rbf', 'rbf-fast', 'laplacian']
    seed: int
    columns: Any
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, features: int = 500, of: Literal['rbf', 'rbf-fast', 'laplacian'] = 'rbf', seed: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class TensorSketch(Registered):
    """A sketch of the polynomial kernel: the same on average, as an inner product of explicit features."""

    degree: int
    c: float
    gamma: float | Literal['scale', 'auto']
    seed: int
    columns: Any
    def __init__(self, degree: int = 2, c: float = 1.0, gamma: float | Literal['scale', 'auto'] = 1.0, features: int = 500, seed: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class Delta(Registered):
    """1 for equal objects, 0 for others."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class AllOnes(Registered):
    """Every object is alike: adds a constant feature to a sum."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class Precomputed(Registered):
    """Similarities computed elsewhere and read from a file."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class CategoricalDiffusion(Registered):
    """Diffusion over the values of categorical attributes: records that differ in little are alike."""

    beta: float
    values: int
    missing: Literal['own', 'differs', 'refuse']
    columns: Any
    def __init__(self, beta: float = 0.2, values: int = 0, missing: Literal['own', 'differs', 'refuse'] = 'own', *, columns: str | list[str] | None = None) -> None: ...

class HypercubeDiffusion(Registered):
    """Diffusion on a hypercube: records of two values per attribute."""

    beta: float
    missing: Literal['own', 'differs', 'refuse']
    columns: Any
    def __init__(self, beta: float = 0.5, missing: Literal['own', 'differs', 'refuse'] = 'own', *, columns: str | list[str] | None = None) -> None: ...

class Hamming(Registered):
    """The share of categorical attributes in which two records agree."""

    missing: Literal['own', 'differs', 'refuse']
    columns: Any
    def __init__(self, missing: Literal['own', 'differs', 'refuse'] = 'own', *, columns: str | list[str] | None = None) -> None: ...

class GraphSize(Registered):
    """The inner product of the numbers of nodes and edges: a baseline."""

    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class VertexHistogram(Registered):
    """The inner product of the histograms of node labels."""

    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class EdgeHistogram(Registered):
    """The inner product of the histograms of edge labels."""

    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class VertexEdgeHistogram(Registered):
    """The inner product of the histograms of edges with the labels at their ends."""

    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class WeisfeilerLehman(Registered):
    """Weisfeiler–Lehman: nodes with equal surroundings, up to h steps around."""

    h: int
    edge_labels: Literal['no', 'yes'] | bool
    base: Literal['subtree', 'edge', 'shortest-path']
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, h: int = 3, edge_labels: Literal['no', 'yes'] | bool = 'no', base: Literal['subtree', 'edge', 'shortest-path'] = 'subtree', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class WeisfeilerLehmanOptimalAssignment(Registered):
    """The best matching of nodes, a pair being worth the Weisfeiler–Lehman rounds it agrees in."""

    h: int
    edge_labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, h: int = 3, edge_labels: Literal['no', 'yes'] | bool = 'no', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class ShortestPath(Registered):
    """Pairs of nodes with equal labels and shortest paths of equal length."""

    labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, labels: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class ShortestPathRbf(Registered):
    """Pairs of nodes with shortest paths of equal length, as similar as the attributes at their ends."""

    gamma: float
    labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, gamma: float = 1.0, labels: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class Graphlet(Registered):
    """The inner product of the counts of small induced subgraphs by type."""

    size: int
    connected: Literal['no', 'yes'] | bool
    samples: int
    seed: int
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, size: int = 3, connected: Literal['no', 'yes'] | bool = 'yes', samples: int = 0, seed: int = 0, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class NeighbourhoodHash(Registered):
    """The share of nodes with equal hashes of their surroundings, over some rounds."""

    rounds: int
    counts: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, rounds: int = 3, counts: Literal['no', 'yes'] | bool = 'no', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class Propagation(Registered):
    """Nodes whose distributions of labels are alike while labels spread over the graph."""

    t: int
    w: float
    metric: Literal['tv', 'hellinger']
    attributes: Literal['no', 'yes'] | bool
    wa: float
    seed: int
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, t: int = 4, w: float = 0.01, metric: Literal['tv', 'hellinger'] = 'tv', attributes: Literal['no', 'yes'] | bool = 'no', wa: float = 1.0, seed: int = 0, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class RandomWalk(Registered):
    """Pairs of walks, one in each graph, that read the same labels."""

    kind: Literal['k-step', 'geometric', 'exponential']
    steps: int
    decay: float
    labels: Literal['yes', 'no'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, kind: Literal['k-step', 'geometric', 'exponential'] = 'k-step', steps: int = 4, decay: float = 0.1, labels: Literal['yes', 'no'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class SubgraphMatching(Registered):
    """Ways to match parts of up to k nodes of two graphs, with their labels and edges."""

    k: int
    connected: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, k: int = 3, connected: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class PyramidMatch(Registered):
    """Nodes as points by eigenvectors, matched in ever coarser grids."""

    levels: int
    dimensions: int
    labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, levels: int = 4, dimensions: int = 6, labels: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class GraphHopper(Registered):
    """Shortest paths of equal length, compared node by node by what nodes carry."""

    node: Literal['rbf', 'linear', 'bridge']
    gamma: float
    labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    columns: Any
    def __init__(self, node: Literal['rbf', 'linear', 'bridge'] = 'rbf', gamma: float = 1.0, labels: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | list[str] | None = None) -> None: ...

class SymbolDistribution(Registered):
    """The distributions of letters in two strings, as an inner product."""

    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    reverse_complement: Literal['no', 'yes'] | bool
    columns: Any
    def __init__(self, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | list[str] | None = None) -> None: ...

class WordDistribution(Registered):
    """The distributions of words of at most k letters in two strings, as an inner product."""

    k: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    reverse_complement: Literal['no', 'yes'] | bool
    columns: Any
    def __init__(self, k: int = 2, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | list[str] | None = None) -> None: ...

class Spectrum(Registered):
    """Words of length k that two strings share, counted."""

    k: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    reverse_complement: Literal['no', 'yes'] | bool
    columns: Any
    def __init__(self, k: int = 3, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | list[str] | None = None) -> None: ...

class BlendedSpectrum(Registered):
    """Words of at most k letters that two strings share, counted."""

    k: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    reverse_complement: Literal['no', 'yes'] | bool
    columns: Any
    def __init__(self, k: int = 3, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | list[str] | None = None) -> None: ...

class FullSpectrum(Registered):
    """Substrings of all lengths that two strings share, counted."""

    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    columns: Any
    def __init__(self, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | list[str] | None = None) -> None: ...

class Substring(Registered):
    """Substrings that two strings share, weighted by their length."""

    decay: float
    shortest: int
    longest: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    columns: Any
    def __init__(self, decay: float = 0.5, shortest: int = 1, longest: int = 0, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | list[str] | None = None) -> None: ...

class Mismatch(Registered):
    """Words of k letters that two strings share but for m letters, counted."""

    k: int
    m: int
    alphabet: Literal['dna', 'rna', 'protein', 'bytes']
    reverse_complement: Literal['no', 'yes'] | bool
    columns: Any
    def __init__(self, k: int = 5, m: int = 1, alphabet: Literal['dna', 'rna', 'protein', 'bytes'] = 'dna', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | list[str] | None = None) -> None: ...

class GappyKmer(Registered):
    """Words of k letters with gaps, within l letters in a row, that two strings share, counted."""

    l: int
    k: int
    alphabet: Literal['dna', 'rna', 'protein', 'bytes']
    reverse_complement: Literal['no', 'yes'] | bool
    columns: Any
    def __init__(self, l: int = 6, k: int = 4, alphabet: Literal['dna', 'rna', 'protein', 'bytes'] = 'dna', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | list[str] | None = None) -> None: ...

class Subsequence(Registered):
    """Subsequences of k letters that two strings share, gaps allowed and weighed."""

    k: int
    decay: float
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    columns: Any
    def __init__(self, k: int = 3, decay: float = 0.5, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | list[str] | None = None) -> None: ...

class WeightedDegree(Registered):
    """Words of at most d letters that two strings have at the same place."""

    d: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    columns: Any
    def __init__(self, d: int = 5, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | list[str] | None = None) -> None: ...

class LocalAlignment(Registered):
    """All local alignments of two strings, each by the exponential of its score."""

    beta: float
    open: float
    extend: float
    scores: Literal['match', 'blosum62']
    match: float
    mismatch: float
    log: Literal['no', 'yes'] | bool
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    columns: Any
    def __init__(self, beta: float = 0.5, open: float = 2.0, extend: float = 1.0, scores: Literal['match', 'blosum62'] = 'match', match: float = 1.0, mismatch: float = -1.0, log: Literal['no', 'yes'] | bool = 'no', alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | list[str] | None = None) -> None: ...

class AlignmentDiffusion(Registered):
    """Diffusion on strings with blanks, summed over all alignments."""

    beta: float
    n: int
    alphabet: Literal['dna', 'rna', 'protein', 'bytes']
    columns: Any
    def __init__(self, beta: float = 0.1, n: int = 0, alphabet: Literal['dna', 'rna', 'protein', 'bytes'] = 'dna', *, columns: str | list[str] | None = None) -> None: ...

class NodePower(Registered):
    """Walks of so many steps between the nodes of a graph."""

    l: int
    base: Literal['laplacian', 'normalized', 'adjacency']
    landmarks: int
    columns: Any
    def __init__(self, l: int = 2, base: Literal['laplacian', 'normalized', 'adjacency'] = 'adjacency', landmarks: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class NodeDiffusion(Registered):
    """Heat that spreads from node to node along the edges of a graph."""

    beta: float
    base: Literal['laplacian', 'normalized', 'adjacency']
    landmarks: int
    columns: Any
    def __init__(self, beta: float = 0.5, base: Literal['laplacian', 'normalized', 'adjacency'] = 'laplacian', landmarks: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class VonNeumann(Registered):
    """Walks of every length between nodes, the longer the less they count."""

    beta: float
    base: Literal['laplacian', 'normalized', 'adjacency']
    landmarks: int
    columns: Any
    def __init__(self, beta: float = 0.001, base: Literal['laplacian', 'normalized', 'adjacency'] = 'adjacency', landmarks: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class RegularizedLaplacian(Registered):
    """What smoothness along the edges of a graph makes similar."""

    beta: float
    base: Literal['laplacian', 'normalized']
    landmarks: int
    columns: Any
    def __init__(self, beta: float = 1.0, base: Literal['laplacian', 'normalized'] = 'laplacian', landmarks: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class PStepWalk(Registered):
    """Lazy walks of p steps between the nodes of a graph."""

    p: int
    a: float
    landmarks: int
    columns: Any
    def __init__(self, p: int = 2, a: float = 2.0, landmarks: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class CommuteTime(Registered):
    """How soon a random walk gets from one node to another and back."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class Pagerank(Registered):
    """Where walks that start at a node and may end at any step are found: personalised PageRank, made symmetric."""

    alpha: float
    landmarks: int
    columns: Any
    def __init__(self, alpha: float = 0.85, landmarks: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class Euclidean(Registered):
    """The Euclidean distance of vectors."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class GlobalAlignment(Registered):
    """The global alignment kernel of series: a sum over all alignments, normalised."""

    sigma: float
    triangular: int
    channel: int
    columns: Any
    def __init__(self, sigma: float = 1.0, triangular: int = 0, channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class DTW(Registered):
    """Dynamic time warping of series: the least squared difference over all alignments."""

    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channels: Literal['dependent', 'independent']
    channel: int
    precision: Literal['double', 'single']
    columns: Any
    def __init__(self, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channels: Literal['dependent', 'independent'] = 'dependent', channel: int = 0, precision: Literal['double', 'single'] = 'double', *, columns: str | list[str] | None = None) -> None: ...

class LearnedDTW(Registered):
    """Dynamic time warping of series within the window that tells the training classes apart best."""

    channels: Literal['dependent', 'independent']
    channel: int
    columns: Any
    def __init__(self, channels: Literal['dependent', 'independent'] = 'dependent', channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class DerivativeDTW(Registered):
    """Dynamic time warping of the slopes of series."""

    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channels: Literal['dependent', 'independent']
    channel: int
    columns: Any
    def __init__(self, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channels: Literal['dependent', 'independent'] = 'dependent', channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class WeightedDTW(Registered):
    """Dynamic time warping of series whose far alignments weigh more."""

    g: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channels: Literal['dependent', 'independent']
    channel: int
    columns: Any
    def __init__(self, g: float = 0.05, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channels: Literal['dependent', 'independent'] = 'dependent', channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class SoftDTW(Registered):
    """Soft dynamic time warping of series, as the root of its divergence."""

    gamma: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    columns: Any
    def __init__(self, gamma: float = 1.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class ERP(Registered):
    """Edit distance with real penalty of series: moments without a counterpart cost their distance from g."""

    g: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    columns: Any
    def __init__(self, g: float = 0.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class LCSS(Registered):
    """One minus the longest common subsequence of series, as a share of the shorter."""

    epsilon: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    columns: Any
    def __init__(self, epsilon: float = 1.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class MSM(Registered):
    """Move-split-merge distance of series: values are moved, split in two, or merged."""

    c: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    columns: Any
    def __init__(self, c: float = 1.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class TWE(Registered):
    """Time warp edit distance of series: warping costs by how far it goes."""

    nu: float
    lambda_: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    columns: Any
    def __init__(self, nu: float = 0.001, lambda_: float = 1.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class SeriesEuclidean(Registered):
    """The Euclidean distance of series of equal length."""

    channel: int
    columns: Any
    def __init__(self, channel: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class CosineDistance(Registered):
    """One minus the cosine of the angle between two vectors."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class JensenShannon(Registered):
    """The Jensen–Shannon distance of distributions: counts of at least 0, or the words of a text."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class EditDistance(Registered):
    """The fewest letters to insert, delete or replace to make one string the other."""

    scale: Literal['none', 'longest']
    columns: Any
    def __init__(self, scale: Literal['none', 'longest'] = 'none', *, columns: str | list[str] | None = None) -> None: ...

class HammingDistance(Registered):
    """The share of columns of categories, or of letters of strings, that differ."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class Normalize(Registered):
    """The cosine of the angle between two objects in feature space."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class Center(Registered):
    """A kernel seen from the mean of the training objects."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class RBFOf(Registered):
    """A Gaussian of the distance another kernel induces."""

    kernel: Kernel
    gamma: float
    columns: Any
    def __init__(self, kernel: Kernel, gamma: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class ZeroExtend(Registered):
    """A kernel where both objects have a value, 0 where one has none."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class Nystrom(Registered):
    """A kernel seen through a few training objects: coordinates for each object, for data too large for a matrix."""

    kernel: Kernel
    rank: int
    landmarks: Literal['uniform', 'leverage', 'kmeans', 'pivots', 'random-pivots']
    seed: int
    columns: Any
    def __init__(self, kernel: Kernel, rank: int = 100, landmarks: Literal['uniform', 'leverage', 'kmeans', 'pivots', 'random-pivots'] = 'uniform', seed: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class Explicit(Registered):
    """A kernel's own features written out, exactly: for linear machines on very many strings, graphs or records."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class Repair(Registered):
    """An indefinite similarity made positive semidefinite, on training and new objects alike."""

    kernel: Kernel
    method: Literal['clip', 'flip', 'shift', 'diffuse']
    beta: float
    columns: Any
    def __init__(self, kernel: Kernel, method: Literal['clip', 'flip', 'shift', 'diffuse'] = 'clip', beta: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class Exponential(Registered):
    """The exponential of a matrix of similarities: objects are alike when many short walks join them."""

    kernel: Kernel
    beta: float
    scale: Literal['none', 'radius']
    columns: Any
    def __init__(self, kernel: Kernel, beta: float = 1.0, scale: Literal['none', 'radius'] = 'none', *, columns: str | list[str] | None = None) -> None: ...

class RandomWalkPower(Registered):
    """A kernel after p steps: objects are alike when many short ways over other objects join them."""

    base: Kernel
    p: int
    through: Literal['train', 'support', 'all']
    C: float
    scale: Literal['radius', 'none']
    columns: Any
    def __init__(self, base: Kernel, p: int = 2, through: Literal['train', 'support', 'all'] = 'train', C: float = 1.0, scale: Literal['radius', 'none'] = 'radius', *, columns: str | list[str] | None = None) -> None: ...

class Markov(Registered):
    """One step of a Markov walk, in symmetric form: walk(markov(k), p=…) goes further."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class LaplacianWalk(Registered):
    """The p-step walk by the normalised Laplacian; transductive: compares only objects it was fitted to."""

    kernel: Kernel
    p: int
    a: float
    scale: Literal['radius', 'none']
    columns: Any
    def __init__(self, kernel: Kernel, p: int = 2, a: float = 2.0, scale: Literal['radius', 'none'] = 'radius', *, columns: str | list[str] | None = None) -> None: ...

class Cluster(Registered):
    """The spectrum of a Markov walk bent so that clusters stand out; transductive: compares only objects it was fitted to."""

    kernel: Kernel
    transfer: Literal['linear', 'step', 'linear-step', 'polynomial']
    keep: int
    t: float
    columns: Any
    def __init__(self, kernel: Kernel, transfer: Literal['linear', 'step', 'linear-step', 'polynomial'] = 'polynomial', keep: int = 10, t: float = 2.0, *, columns: str | list[str] | None = None) -> None: ...

class Similarity(Registered):
    """Objects known by their distances to references, in one or more ways to compare them."""

    distances: Kernel
    references: int
    choice: Literal['random', 'farthest', 'medoids']
    fisher: Literal['diagonal', 'full']
    ridge: float
    channels: Literal['together', 'each']
    missing: Literal['refuse', 'mean']
    seed: int
    columns: Any
    def __init__(self, distances: Kernel, references: int = 0, choice: Literal['random', 'farthest', 'medoids'] = 'random', fisher: Literal['diagonal', 'full'] = 'diagonal', ridge: float = 0.01, channels: Literal['together', 'each'] = 'together', missing: Literal['refuse', 'mean'] = 'refuse', seed: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class Mkl(Registered):
    """Multiple kernel learning: a sum of kernels whose weights are learned from the target."""

    kernels: Kernel
    method: Literal['uniform', 'alignment', 'easy', 'simple']
    lambda_: float
    C: float
    columns: Any
    def __init__(self, kernels: Kernel, method: Literal['uniform', 'alignment', 'easy', 'simple'] = 'easy', lambda_: float = 0.1, C: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class Fusion(Registered):
    """Late fusion: the decisions of a machine for each kernel, as features."""

    kernel: Kernel
    C: float
    folds: int
    seed: int
    columns: Any
    def __init__(self, kernel: Kernel, C: float = 1.0, folds: int = 5, seed: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class ColumnSum(Registered):
    """The same kernel on each column alone, added up; a column of vectors gives one for each coordinate."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class ColumnProduct(Registered):
    """The same kernel on each column alone, multiplied; a column of vectors gives one for each coordinate."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class Standardize(Registered):
    """Each number column at mean 0 and variance 1 on the training objects, before a kernel sees it."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class MinMax(Registered):
    """Each number column between 0 and 1 on the training objects, before a kernel sees it."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class Impute(Registered):
    """Each missing value replaced by the middle of its column on the training objects, before a kernel sees it."""

    kernel: Kernel
    method: Literal['median', 'mean']
    columns: Any
    def __init__(self, kernel: Kernel, method: Literal['median', 'mean'] = 'median', *, columns: str | list[str] | None = None) -> None: ...

class Resample(Registered):
    """Each series at so many even moments, before a kernel sees it."""

    kernel: Kernel
    length: int
    columns: Any
    def __init__(self, kernel: Kernel, length: int = 64, *, columns: str | list[str] | None = None) -> None: ...

class Bin(Registered):
    """Each series by the means of successive moments, before a kernel sees it."""

    kernel: Kernel
    width: int
    columns: Any
    def __init__(self, kernel: Kernel, width: int = 4, *, columns: str | list[str] | None = None) -> None: ...

class ZNormalize(Registered):
    """Each channel of each series at mean 0 and variance 1, before a kernel sees it."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class Terms(Registered):
    """Texts as weighted counts of the terms of the training texts, before a kernel or distance sees them."""

    kernel: Kernel
    weight: Literal['tfidf', 'bm25', 'tf', 'count', 'binary']
    top: int
    ngrams: int
    stem: Literal['none', 'english', 'danish', 'dutch', 'finnish', 'french', 'german', 'italian', 'norwegian', 'portuguese', 'russian', 'spanish', 'swedish']
    stop: Literal['none', 'english']
    min_documents: int
    k: float
    b: float
    columns: Any
    def __init__(self, kernel: Kernel, weight: Literal['tfidf', 'bm25', 'tf', 'count', 'binary'] = 'tfidf', top: int = 0, ngrams: int = 1, stem: Literal['none', 'english', 'danish', 'dutch', 'finnish', 'french', 'german', 'italian', 'norwegian', 'portuguese', 'russian', 'spanish', 'swedish'] = 'none', stop: Literal['none', 'english'] = 'none', min_documents: int = 1, k: float = 1.2, b: float = 0.75, *, columns: str | list[str] | None = None) -> None: ...

class Content(Registered):
    """Texts as a few numbers about each, before a kernel sees them: columns words, distinct-words, mean-word-length, compression, entropy, corpus-precision and corpus-recall."""

    kernel: Kernel
    top: int
    stop: Literal['none', 'english']
    columns: Any
    def __init__(self, kernel: Kernel, top: int = 100, stop: Literal['none', 'english'] = 'english', *, columns: str | list[str] | None = None) -> None: ...

class Visual(Registered):
    """Pictures as Fisher vectors over the visual words of the training pictures, before a kernel or distance sees them."""

    kernel: Kernel
    words: int
    components: int
    block: int
    blocks: int
    step: int
    bands: Literal['yes', 'no'] | bool
    pixels: int
    sample: int
    seed: int
    columns: Any
    def __init__(self, kernel: Kernel, words: int = 32, components: int = 32, features: Literal['both', 'hog', 'colour'] = 'both', block: int = 24, blocks: int = 4, step: int = 8, bands: Literal['yes', 'no'] | bool = 'yes', pixels: int = 300000, sample: int = 50000, seed: int = 0, *, columns: str | list[str] | None = None) -> None: ...

class Core(Registered):
    """A kernel on graphs, added up over their cores."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class WlOf(Registered):
    """A kernel on graphs, added up over the labels of Weisfeiler–Lehman rounds."""

    kernel: Kernel
    h: int
    edge_labels: Literal['no', 'yes'] | bool
    columns: Any
    def __init__(self, kernel: Kernel, h: int = 3, edge_labels: Literal['no', 'yes'] | bool = 'no', *, columns: str | list[str] | None = None) -> None: ...

class Convolution(Registered):
    """The sum of a kernel over all pairs of parts of two objects."""

    kernel: Kernel
    parts: Literal['columns', 'symbols', 'words', 'substrings']
    length: int
    columns: Any
    def __init__(self, kernel: Kernel, parts: Literal['columns', 'symbols', 'words', 'substrings'] = 'columns', length: int = 3, *, columns: str | list[str] | None = None) -> None: ...
