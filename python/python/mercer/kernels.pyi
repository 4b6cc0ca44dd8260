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
    gamma: float
    columns: Any
    def __init__(self, degree: int = 2, c: float = 1.0, gamma: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class RBF(Registered):
    """The Gaussian of the Euclidean distance."""

    gamma: float
    columns: Any
    def __init__(self, gamma: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class Laplacian(Registered):
    """The exponential of the city-block distance."""

    gamma: float
    columns: Any
    def __init__(self, gamma: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

class Cosine(Registered):
    """The cosine of the angle between two vectors."""

    columns: Any
    def __init__(self, *, columns: str | list[str] | None = None) -> None: ...

class Sigmoid(Registered):
    """The hyperbolic tangent of the inner product; not positive semidefinite."""

    gamma: float
    c: float
    columns: Any
    def __init__(self, gamma: float = 1.0, c: float = 0.0, *, columns: str | list[str] | None = None) -> None: ...

class ChiSquared(Registered):
    """The exponential of the chi-squared distance between histograms."""

    gamma: float
    columns: Any
    def __init__(self, gamma: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

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

class Repair(Registered):
    """An indefinite similarity made positive semidefinite, on training and new objects alike."""

    kernel: Kernel
    method: Literal['clip', 'flip', 'shift', 'diffuse']
    beta: float
    columns: Any
    def __init__(self, kernel: Kernel, method: Literal['clip', 'flip', 'shift', 'diffuse'] = 'clip', beta: float = 1.0, *, columns: str | list[str] | None = None) -> None: ...

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

class ColumnSum(Registered):
    """The same kernel on each column alone, added up."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class ColumnProduct(Registered):
    """The same kernel on each column alone, multiplied."""

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

class Core(Registered):
    """A kernel on graphs, added up over their cores."""

    kernel: Kernel
    columns: Any
    def __init__(self, kernel: Kernel, *, columns: str | list[str] | None = None) -> None: ...

class Convolution(Registered):
    """The sum of a kernel over all pairs of parts of two objects."""

    kernel: Kernel
    parts: Literal['columns', 'symbols', 'words', 'substrings']
    length: int
    columns: Any
    def __init__(self, kernel: Kernel, parts: Literal['columns', 'symbols', 'words', 'substrings'] = 'columns', length: int = 3, *, columns: str | list[str] | None = None) -> None: ...
