# Made by stubs.py.
"""Every kernel of the registry as a class, made when the package is imported.

A kernel that is added to the native registry needs no further code here: the class has its name in camel case (or as
listed in ``NAMES``), its parameters as arguments, and its registry entry as documentation.
"""

from typing import Literal

from ._kernel import Kernel as Kernel
from ._kernel import Product as Product
from ._kernel import Scaled as Scaled
from ._kernel import Sum as Sum
from ._registered import Registered as Registered

CLASSES: dict[str, type[Registered]]

def kernel(text: str | Kernel) -> Kernel: ...

class Linear(Registered):
    """The inner product of two vectors.

        k(x, y) = x·y

    Takes numbers. Positive semidefinite. Cost: d multiplications.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Zaki & Meira 2020, chapter 5

    Examples
    --------
    >>> mercer.kernel('linear')
    Linear()
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Polynomial(Registered):
    """A power of the inner product: all monomials of the coordinates up to a degree.

        k(x, y) = (gamma · x·y + c)^degree

    Takes numbers. Positive semidefinite. Cost: d multiplications.

    Parameters
    ----------
    degree : int, default 2
        The power: a whole number from 1 to 64.
    c : float, default 1.0
        Weight of the lower degrees; 0 keeps only the highest degree: a finite number of at least 0.
    gamma : float or {'scale', 'auto'}, default 1.0
        Factor of the inner product: a finite number above 0, scale or auto.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Zaki & Meira 2020, chapter 5

    Examples
    --------
    >>> mercer.kernel('polynomial(degree=2)')
    Polynomial(degree=2, c=1.0, gamma=1.0)
    """

    degree: int
    c: float
    gamma: float | Literal['scale', 'auto']
    def __init__(self, degree: int = 2, c: float = 1.0, gamma: float | Literal['scale', 'auto'] = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class RBF(Registered):
    """The Gaussian of the Euclidean distance.

        k(x, y) = exp(-gamma · |x - y|²)

    Takes numbers. Positive semidefinite. Cost: d multiplications and an exponential.

    Parameters
    ----------
    gamma : float or {'scale', 'auto'}, default 1.0
        How fast similarity falls with squared distance: a finite number above 0, scale or auto.
    sigma : float, optional
        The standard deviation, in place of gamma = 1 / (2 sigma²); ``length_scale`` is another name of it.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Zaki & Meira 2020, chapter 5

    Examples
    --------
    >>> mercer.kernel('rbf(gamma=0.1)')
    RBF(gamma=0.1)
    """

    gamma: float | Literal['scale', 'auto']
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, *, columns: str | int | list[str] | list[int] | None = None, sigma: float = ..., length_scale: float = ...) -> None: ...

class RationalQuadratic(Registered):
    """A mixture of Gaussians of many widths.

        k(x, y) = (1 + gamma · |x - y|² / alpha)^-alpha

    Takes numbers. Positive semidefinite. Cost: d multiplications and a power.

    Parameters
    ----------
    alpha : float, default 1.0
        How similar the widths are; the Gaussian is the limit for large alpha: a finite number above 0.
    gamma : float or {'scale', 'auto'}, default 1.0
        How fast similarity falls with squared distance: a finite number above 0, scale or auto.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Rasmussen & Williams 2006, equation 4.19

    Examples
    --------
    >>> mercer.kernel('rational-quadratic(alpha=1, gamma=0.1)')
    RationalQuadratic(alpha=1.0, gamma=0.1)
    """

    alpha: float
    gamma: float | Literal['scale', 'auto']
    def __init__(self, alpha: float = 1.0, gamma: float | Literal['scale', 'auto'] = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Laplacian(Registered):
    """The exponential of the city-block distance.

        k(x, y) = exp(-gamma · Σ|x_i - y_i|)

    Takes numbers. Positive semidefinite. Cost: d additions and an exponential.

    Parameters
    ----------
    gamma : float or {'scale', 'auto'}, default 1.0
        How fast similarity falls with distance: a finite number above 0, scale or auto.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Rahimi & Recht 2007

    Examples
    --------
    >>> mercer.kernel('laplacian(gamma=0.1)')
    Laplacian(gamma=0.1)
    """

    gamma: float | Literal['scale', 'auto']
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Cosine(Registered):
    """The cosine of the angle between two vectors.

        k(x, y) = x·y / (|x| · |y|); 0 for a zero vector

    Takes numbers. Positive semidefinite. Cost: d multiplications.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Salton, Wong & Yang 1975

    Examples
    --------
    >>> mercer.kernel('cosine')
    Cosine()
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Sigmoid(Registered):
    """The hyperbolic tangent of the inner product; not positive semidefinite.

        k(x, y) = tanh(gamma · x·y + c)

    Takes numbers. Indefinite. Cost: d multiplications and a hyperbolic tangent.

    Parameters
    ----------
    gamma : float or {'scale', 'auto'}, default 1.0
        Factor of the inner product: a finite number above 0, scale or auto.
    c : float, default 0.0
        Offset inside the tangent: a finite number.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Lin & Lin 2003, A study on sigmoid kernels for SVM

    Examples
    --------
    >>> mercer.kernel('sigmoid(gamma=0.01, c=-1)')
    Sigmoid(gamma=0.01, c=-1.0)
    """

    gamma: float | Literal['scale', 'auto']
    c: float
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, c: float = 0.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ChiSquared(Registered):
    """The exponential of the chi-squared distance between histograms.

        k(x, y) = exp(-gamma · Σ(x_i - y_i)² / (x_i + y_i)), x_i, y_i ≥ 0

    Takes numbers of at least 0. Positive semidefinite. Cost: d divisions and an exponential.

    Parameters
    ----------
    gamma : float or {'scale', 'auto'}, default 1.0
        How fast similarity falls with distance: a finite number above 0, scale or auto.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Zhang, Marszalek, Lazebnik & Schmid 2007

    Examples
    --------
    >>> mercer.kernel('chi2(gamma=0.5)')
    ChiSquared(gamma=0.5)
    """

    gamma: float | Literal['scale', 'auto']
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ClosedChain(Registered):
    """Diffusion around a ring: hours of the day, months, directions.

        k(x, y) = Π_i K(|x_i - y_i| mod n) / K(0), K(d) = Σ_ν exp(-2·beta·(1 - cos(2πν/n)))·cos(2πνd/n) / n

    Takes whole numbers, modulo n. Positive semidefinite. Cost: d look-ups.

    Parameters
    ----------
    n : int, default 12
        Number of positions on the ring: a whole number from 3 to 10000.
    beta : float, default 1.0
        How far similarity spreads: a finite number above 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kondor & Lafferty 2002

    Examples
    --------
    >>> mercer.kernel('closed-chain(n=24, beta=2)@hour')
    ClosedChain(n=24, beta=2.0, columns=['hour'])
    """

    n: int
    beta: float
    def __init__(self, n: int = 12, beta: float = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class RegularTree(Registered):
    """Diffusion on the infinite tree in which every vertex has k neighbours.

        k(x, y) = Π_i K(dist(x_i, y_i)), K(d) = (2·q^(1-d/2)/π)·∫₀^π e^(beta·(2√q·cos t - k))·sin t·(q·sin((d+1)t) - sin((d-1)t)) / (k² - 4q·cos² t) dt, q = k - 1

    Takes whole numbers from 1: vertices, numbered by distance from vertex 1. Positive semidefinite. Cost: d times the depth of the tree.

    Parameters
    ----------
    k : int, default 3
        Neighbours of each vertex: those of vertex 1 are 2 to k + 1, the others of vertex 2 follow, and so on: a whole number from 2 to 1000000.
    beta : float, default 1.0
        How far similarity spreads: a finite number above 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Chung & Yau 1999; Kondor & Lafferty 2002

    Examples
    --------
    >>> mercer.kernel('regular-tree(k=3, beta=0.7)')
    RegularTree(k=3, beta=0.7)
    """

    k: int
    beta: float
    def __init__(self, k: int = 3, beta: float = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class BinaryTree(Registered):
    """Diffusion on the infinite rooted binary tree.

        k(x, y) = Π_i K₃(dist(x_i, y_i)) + K₃(depth x_i + depth y_i + 1), K₃ that of regular-tree(k=3)

    Takes whole numbers from 1: vertices numbered as in a heap: 2i and 2i + 1 are the children of i. Positive semidefinite. Cost: d times the depth of the tree.

    Parameters
    ----------
    beta : float, default 1.0
        How far similarity spreads: a finite number above 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kondor & Lafferty 2002

    Examples
    --------
    >>> mercer.kernel('binary-tree(beta=0.7)')
    BinaryTree(beta=0.7)
    """

    beta: float
    def __init__(self, beta: float = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Fourier(Registered):
    """Random Fourier features: an unbiased approximation of the Gaussian or Laplacian kernel by explicit features.

        k(x, y) = mean of cos w_j·(x - y), w_j drawn from the kernel's Fourier transform; features are stored in single precision, about 7 digits

    Takes numbers. Positive semidefinite. Cost: features·d/2 multiplications (rbf-fast: features·log d) per object, once; then one multiplication per feature for each pair.

    Parameters
    ----------
    gamma : float or {'scale', 'auto'}, default 1.0
        Gamma of the approximated kernel: a finite number above 0, scale or auto.
    features : int, default 500
        Number of features, half of them cosines; odd numbers are rounded up: a whole number from 2 to 1000000.
    of : {'rbf', 'rbf-fast', 'laplacian'}, default 'rbf'
        The approximated kernel; rbf-fast uses Hadamard matrices and is faster for many columns: one of rbf, rbf-fast, laplacian.
    seed : int, default 0
        Random seed for the frequencies: a whole number from 0 to 9007199254740992.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Rahimi & Recht 2007; Yu et al. 2016

    Examples
    --------
    >>> mercer.kernel('fourier(gamma=0.1, features=64)')
    Fourier(gamma=0.1, features=64, of='rbf', seed=0)
    """

    gamma: float | Literal['scale', 'auto']
    of: Literal['rbf', 'rbf-fast', 'laplacian']
    seed: int
    def __init__(self, gamma: float | Literal['scale', 'auto'] = 1.0, features: int = 500, of: Literal['rbf', 'rbf-fast', 'laplacian'] = 'rbf', seed: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class TensorSketch(Registered):
    """A sketch of the polynomial kernel: an unbiased approximation by explicit features.

        k(x, y) = z(x)·z(y), z = F⁻¹ Π_p F(C_p x), (gamma · x·y + c)^degree on average; features are stored in single precision, about 7 digits

    Takes numbers. Positive semidefinite. Cost: degree · (d + features · log features) operations per object, once; then one multiplication per feature for each pair.

    Parameters
    ----------
    degree : int, default 2
        The number of factors: a whole number from 1 to 20.
    c : float, default 1.0
        Added to the inner product; 0 omits terms of lower degree: a finite number of at least 0.
    gamma : float or {'scale', 'auto'}, default 1.0
        Multiplies the inner product: a finite number above 0, scale or auto.
    features : int, default 500
        The number of features; powers of two are fastest: a whole number from 1 to 1048576.
    seed : int, default 0
        Random seed for buckets and signs: a whole number from 0 to 9007199254740992.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Pham & Pagh 2013

    Examples
    --------
    >>> mercer.kernel('tensor-sketch(degree=2, features=64)')
    TensorSketch(degree=2, c=1.0, gamma=1.0, features=64, seed=0)
    """

    degree: int
    c: float
    gamma: float | Literal['scale', 'auto']
    seed: int
    def __init__(self, degree: int = 2, c: float = 1.0, gamma: float | Literal['scale', 'auto'] = 1.0, features: int = 500, seed: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Delta(Registered):
    """1 for equal objects, 0 for others.

        k(x, y) = 1 if x = y, else 0

    Takes numbers, categories, strings or text. Positive semidefinite. Cost: one comparison.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Haussler 1999

    Examples
    --------
    >>> mercer.kernel('delta@sex')
    Delta(columns=['sex'])
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class AllOnes(Registered):
    """1 for every pair of objects: adds a constant feature to a sum.

        k(x, y) = 1

    Takes anything. Positive semidefinite. Cost: nothing.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Zaki & Meira 2020, chapter 5

    Examples
    --------
    >>> mercer.kernel('linear + ones')
    Linear() + AllOnes()
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Precomputed(Registered):
    """Similarities computed elsewhere and read from a file.

        k(x, y) = K[x, y]

    Takes precomputed. Indefinite. Cost: one look-up.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Schölkopf & Smola 2002, section 2.2

    Examples
    --------
    >>> mercer.kernel('precomputed')
    Precomputed()
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class CategoricalDiffusion(Registered):
    """Diffusion over the values of categorical attributes: records that differ in few attributes are similar.

        k(x, y) = Π over i with x_i ≠ y_i of (1 - e^(-a_i·beta)) / (1 + (a_i - 1)·e^(-a_i·beta)), a_i = number of values of attribute i among the training objects

    Takes columns of categories. Positive semidefinite. Cost: one comparison for each attribute.

    Parameters
    ----------
    beta : float, default 0.2
        How far similarity spreads: a finite number above 0.
    values : int, default 0
        Minimum number of values per attribute; used where the training set has fewer; an unseen value differs from all: a whole number from 0 to 1000000.
    missing : {'own', 'differs', 'refuse'}, default 'own'
        Treatment of missing values: own value, different from all (also from other missing values), or error: one of own, differs, refuse.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kondor & Lafferty 2002

    Examples
    --------
    >>> mercer.kernel('diffusion(beta=0.3)@sex,ward')
    CategoricalDiffusion(beta=0.3, values=0, missing='own', columns=['sex', 'ward'])
    """

    beta: float
    values: int
    missing: Literal['own', 'differs', 'refuse']
    def __init__(self, beta: float = 0.2, values: int = 0, missing: Literal['own', 'differs', 'refuse'] = 'own', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class HypercubeDiffusion(Registered):
    """Diffusion on a hypercube: records of two values per attribute.

        k(x, y) = tanh(beta)^h, h = number of attributes in which x and y differ

    Takes columns of categories, of two values each or compared as equal or not. Positive semidefinite. Cost: one comparison for each attribute.

    Parameters
    ----------
    beta : float, default 0.5
        How far similarity spreads: a finite number above 0.
    missing : {'own', 'differs', 'refuse'}, default 'own'
        Treatment of missing values: own value, different from all (also from other missing values), or error: one of own, differs, refuse.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kondor & Lafferty 2002

    Examples
    --------
    >>> mercer.kernel('hypercube(beta=0.5)')
    HypercubeDiffusion(beta=0.5, missing='own')
    """

    beta: float
    missing: Literal['own', 'differs', 'refuse']
    def __init__(self, beta: float = 0.5, missing: Literal['own', 'differs', 'refuse'] = 'own', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Hamming(Registered):
    """The share of categorical attributes in which two records agree.

        k(x, y) = #{i : x_i = y_i} / d, d = number of attributes

    Takes columns of categories. Positive semidefinite. Cost: one comparison for each attribute.

    Parameters
    ----------
    missing : {'own', 'differs', 'refuse'}, default 'own'
        Treatment of missing values: own value, different from all (also from other missing values), or error: one of own, differs, refuse.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Hamming 1950; as a kernel, Kondor & Lafferty 2002

    Examples
    --------
    >>> mercer.kernel('hamming@sex,ward')
    Hamming(missing='own', columns=['sex', 'ward'])
    """

    missing: Literal['own', 'differs', 'refuse']
    def __init__(self, missing: Literal['own', 'differs', 'refuse'] = 'own', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Time(Registered):
    """Dates and times by hour of the day, day of the week, month, and how far apart they are.

        k(x, y) = the mean of C24(hours; hour), C7(weekdays; weekday), C12(months; month) and exp(-(s - t)²/(2 trend²)), without those whose parameter is 0; Cn = closed-chain of n positions; the mean over columns

    Takes columns of dates and times. Positive semidefinite. Cost: three look-ups and an exponential.

    Parameters
    ----------
    hour : float, default 1.0
        How far similarity spreads over the hours of the day; 0 leaves them out: a finite number of at least 0.
    weekday : float, default 0.5
        How far similarity spreads over the days of the week; 0 leaves them out: a finite number of at least 0.
    month : float, default 0.5
        How far similarity spreads over the months of the year; 0 leaves them out: a finite number of at least 0.
    trend : float, default 365.0
        The length of the Gaussian of the time between, in days; 0 leaves it out: a finite number of at least 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kondor & Lafferty 2002

    Examples
    --------
    >>> mercer.kernel('time(hour=2, month=0, trend=30)@pickup')
    Time(hour=2.0, weekday=0.5, month=0.0, trend=30.0, columns=['pickup'])
    """

    hour: float
    weekday: float
    month: float
    trend: float
    def __init__(self, hour: float = 1.0, weekday: float = 0.5, month: float = 0.5, trend: float = 365.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Forest(Registered):
    """The share of trees of a forest in which two records fall into the same leaf.

        k(x, y) = 1/trees · Σ_t [leaf_t(x) = leaf_t(y)]; trees fitted to the training objects and their target

    Takes columns of numbers, categories and times together, with missing values; classes or numbers of the training objects as a target, unless mode=unsupervised. Positive semidefinite. Cost: an entry: the number of trees; fitting: trees · n · log n · candidates.

    Parameters
    ----------
    trees : int, default 200
        The number of trees: a whole number from 1 to 100000.
    leaf : int, default 3
        The least number of training objects in a leaf: a whole number from 1 to 1000000000.
    mode : {'extra', 'random', 'unsupervised'}, default 'extra'
        Extra: the best of random cuts, all training objects; random: the best cut, a bootstrap sample for each tree; unsupervised: a random cut, without the target: one of extra, random, unsupervised.
    depth : int, default 0
        The largest number of cuts on the way to a leaf; 0 for any number: a whole number from 0 to 10000.
    candidates : int, default 0
        The number of columns compared for a cut; 0 for √d of d with classes, d with numbers (a third of d with mode=random): a whole number from 0 to 1000000000.
    seed : int, default 0
        The random numbers: a whole number from 0 to 9007199254740992.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Geurts, Ernst & Wehenkel 2006, Extremely randomized trees; Scornet 2016, Random forests and kernel methods

    Examples
    --------
    >>> mercer.kernel('forest(trees=100, leaf=5)')
    Forest(trees=100, leaf=5, mode='extra', depth=0, candidates=0, seed=0)
    """

    trees: int
    leaf: int
    mode: Literal['extra', 'random', 'unsupervised']
    depth: int
    candidates: int
    seed: int
    def __init__(self, trees: int = 200, leaf: int = 3, mode: Literal['extra', 'random', 'unsupervised'] = 'extra', depth: int = 0, candidates: int = 0, seed: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class GraphSize(Registered):
    """The inner product of the numbers of nodes and edges: a baseline.

        k(x, y) = |V|·|V'| + |E|·|E'|

    Takes graphs without labels, or ignore=others. Positive semidefinite. Cost: two products.

    Parameters
    ----------
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Schulz & Welke 2019, On the necessity of graph kernel baselines

    Examples
    --------
    >>> mercer.kernel('rbf-of(graph-size(ignore=others), gamma=0.01)')
    RBFOf(GraphSize(ignore='others'), gamma=0.01)
    """

    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class VertexHistogram(Registered):
    """The inner product of the histograms of node labels.

        k(x, y) = Σ_l |{v ∈ G: l(v) = l}| · |{v ∈ H: l(v) = l}|

    Takes graphs with node labels, or none. Positive semidefinite. Cost: the shared labels.

    Parameters
    ----------
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Sugiyama & Borgwardt 2015, Halting in random walk kernels

    Examples
    --------
    >>> mercer.kernel('vertex-histogram(ignore=edge-labels)')
    VertexHistogram(ignore='edge-labels')
    """

    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class EdgeHistogram(Registered):
    """The inner product of the histograms of edge labels.

        k(x, y) = Σ_l |{e ∈ G: l(e) = l}| · |{e ∈ H: l(e) = l}|

    Takes graphs with edge labels, or none. Positive semidefinite. Cost: the shared labels.

    Parameters
    ----------
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Sugiyama & Borgwardt 2015, Halting in random walk kernels

    Examples
    --------
    >>> mercer.kernel('edge-histogram(ignore=node-labels)')
    EdgeHistogram(ignore='node-labels')
    """

    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class VertexEdgeHistogram(Registered):
    """The inner product of the histograms of edges with the labels of their ends.

        k(x, y) = Σ_{l,m,n} |{uv ∈ G: l(u) = l, l(uv) = m, l(v) = n}| · |{uv ∈ H: …}|

    Takes graphs with labels of nodes and edges, or none. Positive semidefinite. Cost: the shared labels.

    Parameters
    ----------
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Sugiyama & Borgwardt 2015, Halting in random walk kernels

    Examples
    --------
    >>> mercer.kernel('vertex-histogram(ignore=edge-labels) + 0.5*vertex-edge-histogram')
    VertexHistogram(ignore='edge-labels') + 0.5 * VertexEdgeHistogram(ignore='nothing')
    """

    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class WeisfeilerLehman(Registered):
    """Weisfeiler–Lehman: nodes with equal neighbourhoods of radius up to h.

        k(x, y) = Σ_{i=0..h} base(G_i, H_i), where G_0 = G and l_{i+1}(v) = (l_i(v), {l_i(u): u ~ v})

    Takes graphs with node labels or none, with edge-labels=yes edge labels too. Positive semidefinite. Cost: the shared features.

    Parameters
    ----------
    h : int, default 3
        Number of rounds: radius of the neighbourhoods: a whole number from 0 to 1000.
    edge_labels : {'no', 'yes'}, default 'no'
        Use edge labels to distinguish neighbours: one of no, yes.
    base : {'subtree', 'edge', 'shortest-path'}, default 'subtree'
        What each round counts: nodes, edges with their ends, or shortest paths with their ends: one of subtree, edge, shortest-path.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Shervashidze et al. 2011, Weisfeiler-Lehman graph kernels

    Examples
    --------
    >>> mercer.kernel('wl(h=5, edge-labels=yes)')
    WeisfeilerLehman(h=5, edge_labels='yes', base='subtree', ignore='nothing')
    """

    h: int
    edge_labels: Literal['no', 'yes'] | bool
    base: Literal['subtree', 'edge', 'shortest-path']
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, h: int = 3, edge_labels: Literal['no', 'yes'] | bool = 'no', base: Literal['subtree', 'edge', 'shortest-path'] = 'subtree', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class WeisfeilerLehmanOptimalAssignment(Registered):
    """The best matching of nodes; the weight of a pair is its number of equal Weisfeiler–Lehman labels.

        k(x, y) = Σ_f min(c_f(G), c_f(H)), f over the features of wl

    Takes graphs with node labels or none, with edge-labels=yes edge labels too. Positive semidefinite. Cost: the shared features.

    Parameters
    ----------
    h : int, default 3
        Number of rounds: radius of the neighbourhoods: a whole number from 0 to 1000.
    edge_labels : {'no', 'yes'}, default 'no'
        Use edge labels to distinguish neighbours: one of no, yes.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kriege, Giscard & Wilson 2016, On valid optimal assignment kernels

    Examples
    --------
    >>> mercer.kernel('wl-oa(h=4)')
    WeisfeilerLehmanOptimalAssignment(h=4, edge_labels='no', ignore='nothing')
    """

    h: int
    edge_labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, h: int = 3, edge_labels: Literal['no', 'yes'] | bool = 'no', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ShortestPath(Registered):
    """Pairs of nodes with equal labels and shortest paths of equal length.

        k(x, y) = Σ_{u≠v ∈ G} Σ_{u'≠v' ∈ H} [l(u) = l(u')]·[l(v) = l(v')]·[d(u, v) = d(u', v')]

    Takes graphs with node labels or none; weights are lengths. Positive semidefinite. Cost: the shared label-label-length triples.

    Parameters
    ----------
    labels : {'no', 'yes'}, default 'yes'
        Require equal labels of the ends: one of no, yes.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Borgwardt & Kriegel 2005, Shortest-path kernels on graphs

    Examples
    --------
    >>> mercer.kernel('shortest-path(ignore=edge-labels)')
    ShortestPath(labels='yes', ignore='edge-labels')
    """

    labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, labels: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ShortestPathRbf(Registered):
    """Pairs of nodes with shortest paths of equal length, compared by the attributes of their ends.

        k(x, y) = Σ_{u≠v ∈ G} Σ_{u'≠v' ∈ H} [d(u, v) = d(u', v')]·κ(u, u')·κ(v, v'), κ(u, u') = [l(u) = l(u')]·exp(-gamma·|x_u - x_u'|²)

    Takes graphs with node attributes, node labels or none; weights are lengths. Positive semidefinite. Cost: the cube of the number of nodes.

    Parameters
    ----------
    gamma : float, default 1.0
        How fast similarity falls with squared distance of attributes: a finite number above 0.
    labels : {'no', 'yes'}, default 'yes'
        Also require equal labels of the ends: one of no, yes.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Borgwardt & Kriegel 2005, Shortest-path kernels on graphs

    Examples
    --------
    >>> mercer.kernel('shortest-path-rbf(gamma=0.1)')
    ShortestPathRbf(gamma=0.1, labels='yes', ignore='nothing')
    """

    gamma: float
    labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, gamma: float = 1.0, labels: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Graphlet(Registered):
    """The inner product of the counts of small induced subgraphs by type.

        k(x, y) = Σ_t |{S ⊂ G: |S| = size, G[S] of type t}| · |{S ⊂ H: …}|

    Takes graphs; labels are not used. Positive semidefinite. Cost: at most 34 multiplications.

    Parameters
    ----------
    size : int, default 3
        Nodes in a graphlet: a whole number from 3 to 5.
    connected : {'no', 'yes'}, default 'yes'
        Count connected graphlets only: one of no, yes.
    samples : int, default 0
        Number of random choices of nodes; 0 counts all graphlets: a whole number from 0 to 4294967296.
    seed : int, default 0
        Random seed for the samples: a whole number from 0 to 9007199254740992.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Shervashidze et al. 2009, Efficient graphlet kernels for large graph comparison

    Examples
    --------
    >>> mercer.kernel('graphlet(size=4, ignore=others)')
    Graphlet(size=4, connected='yes', samples=0, seed=0, ignore='others')
    """

    size: int
    connected: Literal['no', 'yes'] | bool
    samples: int
    seed: int
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, size: int = 3, connected: Literal['no', 'yes'] | bool = 'yes', samples: int = 0, seed: int = 0, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class NeighbourhoodHash(Registered):
    """The share of nodes with equal neighbourhood hashes, averaged over rounds.

        k(x, y) = 1/R · Σ_{r=1..R} c_r / (|G| + |H| - c_r), c_r = Σ_f min(c_f(G_r), c_f(H_r))

    Takes graphs with node labels, or none. Positive semidefinite. Cost: the shared hashes for each round.

    Parameters
    ----------
    rounds : int, default 3
        Number of rounds: radius of the hashed neighbourhood: a whole number from 1 to 1000.
    counts : {'no', 'yes'}, default 'no'
        Count equal neighbours; otherwise they cancel in pairs: one of no, yes.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Hido & Kashima 2009, A linear-time graph kernel

    Examples
    --------
    >>> mercer.kernel('neighbourhood-hash(rounds=3, counts=yes)')
    NeighbourhoodHash(rounds=3, counts='yes', ignore='nothing')
    """

    rounds: int
    counts: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, rounds: int = 3, counts: Literal['no', 'yes'] | bool = 'no', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Propagation(Registered):
    """Nodes with similar label distributions while labels propagate over the graph.

        k(x, y) = Σ_{s=0..t} |{(u, v) ∈ G × H: bin(P_s(u)) = bin(P_s(v))}|, P_{s+1}(u) = mean of P_s over the neighbours of u

    Takes graphs with node labels or none; weights; with attributes=yes node attributes. Positive semidefinite. Cost: the shared bins.

    Parameters
    ----------
    t : int, default 4
        Number of propagation steps: a whole number from 0 to 100.
    w : float, default 0.01
        Width of the bins for distributions: a finite number above 0.
    metric : {'tv', 'hellinger'}, default 'tv'
        Distance that bins preserve: total variation or Hellinger: one of tv, hellinger.
    attributes : {'no', 'yes'}, default 'no'
        Propagate node attributes and require equal bins for them too: one of no, yes.
    wa : float, default 1.0
        Width of the bins for attributes: a finite number above 0.
    seed : int, default 0
        Random seed for the lines: a whole number from 0 to 9007199254740992.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Neumann, Garnett, Bauckhage & Kersting 2016, Propagation kernels

    Examples
    --------
    >>> mercer.kernel('propagation(t=4, w=0.01)')
    Propagation(t=4, w=0.01, metric='tv', attributes='no', wa=1.0, seed=0, ignore='nothing')
    """

    t: int
    w: float
    metric: Literal['tv', 'hellinger']
    attributes: Literal['no', 'yes'] | bool
    wa: float
    seed: int
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, t: int = 4, w: float = 0.01, metric: Literal['tv', 'hellinger'] = 'tv', attributes: Literal['no', 'yes'] | bool = 'no', wa: float = 1.0, seed: int = 0, ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class RandomWalk(Registered):
    """Number of pairs of walks, one in each graph, with the same labels.

        k(x, y) = Σ_l a_l · 1ᵀA×^l 1, A× the product graph; a_l = decay^l, or decay^l / l!

    Takes graphs with labels of nodes and edges or none; weights, direction. Positive semidefinite. Cost: unlabelled: steps multiplications; labelled: steps/2 products with the product graph.

    Parameters
    ----------
    kind : {'k-step', 'geometric', 'exponential'}, default 'k-step'
        Walks up to a length; all walks with weight decay^l; all walks with weight decay^l / l!: one of k-step, geometric, exponential.
    steps : int, default 4
        Maximum walk length for kind k-step: a whole number from 0 to 1000.
    decay : float, default 0.1
        Weight per step; for geometric walks a divergent sum is an error: a finite number above 0.
    labels : {'yes', 'no'}, default 'yes'
        Require equal node and edge labels along walks: one of yes, no.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Gärtner, Flach & Wrobel 2003; Vishwanathan et al. 2010; Sugiyama & Borgwardt 2015

    Examples
    --------
    >>> mercer.kernel('random-walk(kind=k-step, steps=4, decay=0.1)')
    RandomWalk(kind='k-step', steps=4, decay=0.1, labels='yes', ignore='nothing')
    """

    kind: Literal['k-step', 'geometric', 'exponential']
    steps: int
    decay: float
    labels: Literal['yes', 'no'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, kind: Literal['k-step', 'geometric', 'exponential'] = 'k-step', steps: int = 4, decay: float = 0.1, labels: Literal['yes', 'no'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class SubgraphMatching(Registered):
    """Number of isomorphisms between subgraphs of up to k nodes, with labels and edges.

        k(x, y) = Σ_F |Aut(F)| · #F(G) · #F(H), F over labelled graphs of 1 to k nodes

    Takes graphs with labels of nodes and edges or none; direction. Positive semidefinite. Cost: per graph all sets of up to k nodes; per pair a merge of counts.

    Parameters
    ----------
    k : int, default 3
        Maximum size of a subgraph: a whole number from 1 to 5.
    connected : {'no', 'yes'}, default 'yes'
        Count connected subgraphs only: one of no, yes.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kriege & Mutzel 2012, Subgraph matching kernels for attributed graphs

    Examples
    --------
    >>> mercer.kernel('subgraph-matching(k=4)')
    SubgraphMatching(k=4, connected='yes', ignore='nothing')
    """

    k: int
    connected: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, k: int = 3, connected: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class PyramidMatch(Registered):
    """Spectral node embeddings, matched in grids of decreasing resolution.

        k(x, y) = I_L + Σ_{l<L} (I_l - I_{l+1}) / 2^(L-l), I_l = Σ_cells min(c(G), c(H)) at level l

    Takes graphs with node labels or none; weights. Positive semidefinite. Cost: per graph n³; per pair a merge of d·(levels + 1)·n counts.

    Parameters
    ----------
    levels : int, default 4
        Number of times that cells are halved: a whole number from 0 to 20.
    dimensions : int, default 6
        Number of eigenvectors: a whole number from 1 to 1000.
    labels : {'no', 'yes'}, default 'yes'
        Match only nodes with the same label: one of no, yes.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Nikolentzos, Meladianos & Vazirgiannis 2017, Matching node embeddings for graph similarity

    Examples
    --------
    >>> mercer.kernel('pyramid-match(levels=4, dimensions=6)')
    PyramidMatch(levels=4, dimensions=6, labels='yes', ignore='nothing')
    """

    levels: int
    dimensions: int
    labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, levels: int = 4, dimensions: int = 6, labels: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class GraphHopper(Registered):
    """Shortest paths of equal length, compared node by node by attributes and labels.

        k(x, y) = Σ_{π, π' of equal length} Σ_i k_node(π_i, π'_i), π, π' shortest paths

    Takes graphs with node attributes, node labels or none; direction. Positive semidefinite. Cost: n·n' comparisons of nodes and of matrices of δ²/2 numbers, δ the longest shortest path.

    Parameters
    ----------
    node : {'rbf', 'linear', 'bridge'}, default 'rbf'
        Kernel for node attributes: Gaussian, inner product, or product of hat functions: one of rbf, linear, bridge.
    gamma : float, default 1.0
        How fast similarity of nodes falls with distance: a finite number above 0.
    labels : {'no', 'yes'}, default 'yes'
        Compare only nodes with the same label: one of no, yes.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Feragen, Kasenburg, Petersen, de Bruijne & Borgwardt 2013, Scalable kernels for graphs

    Examples
    --------
    >>> mercer.kernel('graph-hopper(node=rbf, gamma=0.1)')
    GraphHopper(node='rbf', gamma=0.1, labels='yes', ignore='nothing')
    """

    node: Literal['rbf', 'linear', 'bridge']
    gamma: float
    labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, node: Literal['rbf', 'linear', 'bridge'] = 'rbf', gamma: float = 1.0, labels: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class WassersteinWL(Registered):
    """How far nodes must move to turn one graph into another, by neighbourhoods of attributes and labels.

        k(x, y) = exp(-gamma·W(G, H)), W = min_f Σ_uv f_uv·(|z_u - z_v| + share of rounds with l_i(u) ≠ l_i(v))

    Takes graphs with node attributes, node labels or both; weights; with edge-labels=yes edge labels, with edge-attributes=yes edge attributes. Indefinite. Cost: with labels alone their number, with attributes about the cube of the number of nodes.

    Parameters
    ----------
    h : int, default 2
        Number of rounds: radius of the neighbourhoods: a whole number from 0 to 1000.
    gamma : float, default 1.0
        How fast similarity falls with the distance of graphs: a finite number above 0.
    labels : {'no', 'yes'}, default 'yes'
        Use node labels too: one of no, yes.
    edge_labels : {'no', 'yes'}, default 'no'
        Use edge labels to distinguish neighbours: one of no, yes.
    sinkhorn : float, default 0.0
        Regularisation of an approximate transport between attributes; 0: exact: a finite number of at least 0.
    edge_attributes : {'no', 'yes'}, default 'no'
        Use edge attributes as attributes of the nodes that edges join: one of no, yes.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Togninalli et al. 2019, Wasserstein Weisfeiler–Lehman graph kernels

    Examples
    --------
    >>> mercer.kernel('wwl(h=2, gamma=0.1)')
    WassersteinWL(h=2, gamma=0.1, labels='yes', edge_labels='no', sinkhorn=0.0, edge_attributes='no', ignore='nothing')
    """

    h: int
    gamma: float
    labels: Literal['no', 'yes'] | bool
    edge_labels: Literal['no', 'yes'] | bool
    sinkhorn: float
    edge_attributes: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, h: int = 2, gamma: float = 1.0, labels: Literal['no', 'yes'] | bool = 'yes', edge_labels: Literal['no', 'yes'] | bool = 'no', sinkhorn: float = 0.0, edge_attributes: Literal['no', 'yes'] | bool = 'no', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ReturnProbabilities(Registered):
    """Mean similarity of nodes by return probabilities of random walks, labels and attributes.

        k(x, y) = 1/(n·m) Σ_uv [l(u) = l(v)]·exp(-gamma·|p_u - p_v|² - attribute-gamma·|x_u - x_v|²), p_u = (P¹_uu, …, P^steps_uu)

    Takes graphs with node attributes, node labels or none; weights. Positive semidefinite. Cost: pairs of nodes with equal labels, times steps and attributes.

    Parameters
    ----------
    steps : int, default 20
        Longest walk; 0 compares labels and attributes alone: a whole number from 0 to 1000.
    gamma : float, default 1.0
        How fast similarity falls with squared distance of return probabilities: a finite number above 0.
    attribute_gamma : float, default 0.1
        How fast similarity falls with squared distance of attributes: a finite number above 0.
    labels : {'no', 'yes'}, default 'yes'
        Compare only nodes with the same label: one of no, yes.
    ignore : {'nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'}, default 'nothing'
        Features of graphs to ignore, with a warning; others: all features that the kernel does not use: one of nothing, node-labels, edge-labels, weights, attributes, direction, others.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Zhang et al. 2018, RetGK: graph kernels based on return probabilities of random walks

    Examples
    --------
    >>> mercer.kernel('rbf-of(return-probabilities(steps=20), gamma=10)')
    RBFOf(ReturnProbabilities(steps=20, gamma=1.0, attribute_gamma=0.1, labels='yes', ignore='nothing'), gamma=10.0)
    """

    steps: int
    gamma: float
    attribute_gamma: float
    labels: Literal['no', 'yes'] | bool
    ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others']
    def __init__(self, steps: int = 20, gamma: float = 1.0, attribute_gamma: float = 0.1, labels: Literal['no', 'yes'] | bool = 'yes', ignore: Literal['nothing', 'node-labels', 'edge-labels', 'weights', 'attributes', 'direction', 'others'] = 'nothing', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ECFP(Registered):
    """Circular neighbourhoods that two molecules share (Morgan fingerprints).

        k(x, y) = Σ_f g(c_f(x), c_f(y)) over neighbourhoods f up to the radius; g: the smaller count, the product, or 1

    Takes molecules. Positive semidefinite. Cost: the shared features.

    Parameters
    ----------
    radius : int, default 2
        Greatest distance in bonds from the central atom: a whole number from 0 to 20.
    counts : {'min', 'product', 'presence'}, default 'min'
        What a shared fragment contributes: the smaller count, the product of the counts, or 1: one of min, product, presence.
    stereo : {'no', 'yes'}, default 'no'
        Whether stereochemistry that the text gives tells neighbourhoods apart: one of no, yes.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Rogers & Hahn 2010, Extended-connectivity fingerprints

    Examples
    --------
    >>> mercer.kernel('ecfp(radius=3)')
    ECFP(radius=3, counts='min', stereo='no')
    """

    radius: int
    counts: Literal['min', 'product', 'presence']
    stereo: Literal['no', 'yes'] | bool
    def __init__(self, radius: int = 2, counts: Literal['min', 'product', 'presence'] = 'min', stereo: Literal['no', 'yes'] | bool = 'no', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class FCFP(Registered):
    """Circular neighbourhoods that two molecules share, with atoms by their pharmacophore features.

        k(x, y) = Σ_f g(c_f(x), c_f(y)) over neighbourhoods f up to the radius; g: the smaller count, the product, or 1

    Takes molecules. Positive semidefinite. Cost: the shared features.

    Parameters
    ----------
    radius : int, default 2
        Greatest distance in bonds from the central atom: a whole number from 0 to 20.
    counts : {'min', 'product', 'presence'}, default 'min'
        What a shared fragment contributes: the smaller count, the product of the counts, or 1: one of min, product, presence.
    stereo : {'no', 'yes'}, default 'no'
        Whether stereochemistry that the text gives tells neighbourhoods apart: one of no, yes.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Rogers & Hahn 2010, Extended-connectivity fingerprints

    Examples
    --------
    >>> mercer.kernel('fcfp(radius=2, counts=presence)')
    FCFP(radius=2, counts='presence', stereo='no')
    """

    radius: int
    counts: Literal['min', 'product', 'presence']
    stereo: Literal['no', 'yes'] | bool
    def __init__(self, radius: int = 2, counts: Literal['min', 'product', 'presence'] = 'min', stereo: Literal['no', 'yes'] | bool = 'no', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class AtomPairs(Registered):
    """Pairs of atoms with their distance that two molecules share.

        k(x, y) = Σ_f g(c_f(x), c_f(y)) over pairs f of atoms up to 30 bonds apart; g: the smaller count, the product, or 1

    Takes molecules. Positive semidefinite. Cost: the shared features.

    Parameters
    ----------
    counts : {'min', 'product', 'presence'}, default 'min'
        What a shared fragment contributes: the smaller count, the product of the counts, or 1: one of min, product, presence.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Carhart, Smith & Venkataraghavan 1985, Atom pairs as molecular features

    Examples
    --------
    >>> mercer.kernel('atom-pairs(counts=presence)')
    AtomPairs(counts='presence')
    """

    counts: Literal['min', 'product', 'presence']
    def __init__(self, counts: Literal['min', 'product', 'presence'] = 'min', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Torsions(Registered):
    """Paths of four atoms that two molecules share (topological torsions).

        k(x, y) = Σ_f g(c_f(x), c_f(y)) over paths f of four atoms; g: the smaller count, the product, or 1

    Takes molecules. Positive semidefinite. Cost: the shared features.

    Parameters
    ----------
    counts : {'min', 'product', 'presence'}, default 'min'
        What a shared fragment contributes: the smaller count, the product of the counts, or 1: one of min, product, presence.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Nilakantan, Bauman, Dixon & Venkataraghavan 1987, Topological torsion

    Examples
    --------
    >>> mercer.kernel('torsions')
    Torsions(counts='min')
    """

    counts: Literal['min', 'product', 'presence']
    def __init__(self, counts: Literal['min', 'product', 'presence'] = 'min', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class MoleculePaths(Registered):
    """Paths of atoms and bonds that two molecules share (path fingerprints).

        k(x, y) = Σ_f g(c_f(x), c_f(y)) over paths f of min-bonds to max-bonds bonds; g: the smaller count, the product, or 1

    Takes molecules. Positive semidefinite. Cost: the shared features.

    Parameters
    ----------
    min_bonds : int, default 1
        Length of the shortest paths: a whole number from 1 to 12.
    max_bonds : int, default 5
        Length of the longest paths: a whole number from 1 to 12.
    counts : {'min', 'product', 'presence'}, default 'min'
        What a shared fragment contributes: the smaller count, the product of the counts, or 1: one of min, product, presence.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Ralaivola, Swamidass, Saigo & Baldi 2005, Graph kernels for chemical informatics

    Examples
    --------
    >>> mercer.kernel('molecule-paths(max-bonds=7)')
    MoleculePaths(min_bonds=1, max_bonds=7, counts='min')
    """

    min_bonds: int
    max_bonds: int
    counts: Literal['min', 'product', 'presence']
    def __init__(self, min_bonds: int = 1, max_bonds: int = 5, counts: Literal['min', 'product', 'presence'] = 'min', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class SymbolDistribution(Registered):
    """The inner product of the symbol distributions of two strings.

        k(x, y) = Σ_a P_x(a)·P_y(a), P_x(a) the share of symbol a in x

    Takes strings. Positive semidefinite. Cost: the shared symbols per pair; |x| once per string.

    Parameters
    ----------
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    reverse_complement : {'no', 'yes'}, default 'no'
        Count a k-mer and its reverse complement as one feature; each occurrence, also of a palindrome, counts once; for dna and rna: one of no, yes.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Shawe-Taylor & Cristianini 2004, section 11.2

    Examples
    --------
    >>> mercer.kernel('symbol-distribution')
    SymbolDistribution(alphabet='unicode', reverse_complement='no')
    """

    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    reverse_complement: Literal['no', 'yes'] | bool
    def __init__(self, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class WordDistribution(Registered):
    """The inner product of the distributions of substrings of at most k symbols in two strings.

        k(x, y) = Σ_w P_x(w)·P_y(w), P_x(w) the share of w among the substrings of x of 1 to k symbols

    Takes strings. Positive semidefinite. Cost: the shared substrings per pair; k·|x| once per string.

    Parameters
    ----------
    k : int, default 2
        Maximum length of the substrings: a whole number from 1 to 4096.
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    reverse_complement : {'no', 'yes'}, default 'no'
        Count a k-mer and its reverse complement as one feature; each occurrence, also of a palindrome, counts once; for dna and rna: one of no, yes.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Shawe-Taylor & Cristianini 2004, section 11.2

    Examples
    --------
    >>> mercer.kernel('word-distribution(k=3)')
    WordDistribution(k=3, alphabet='unicode', reverse_complement='no')
    """

    k: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    reverse_complement: Literal['no', 'yes'] | bool
    def __init__(self, k: int = 2, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Spectrum(Registered):
    """Number of shared k-mers.

        k(x, y) = Σ_w c_w(x)·c_w(y), |w| = k

    Takes strings. Positive semidefinite. Cost: the shared k-mers per pair; |x| once per string.

    Parameters
    ----------
    k : int, default 3
        Length of the k-mers: a whole number from 1 to 4096.
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    reverse_complement : {'no', 'yes'}, default 'no'
        Count a k-mer and its reverse complement as one feature; each occurrence, also of a palindrome, counts once; for dna and rna: one of no, yes.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Leslie, Eskin & Noble 2002, The spectrum kernel

    Examples
    --------
    >>> mercer.kernel('spectrum(k=5)')
    Spectrum(k=5, alphabet='unicode', reverse_complement='no')
    """

    k: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    reverse_complement: Literal['no', 'yes'] | bool
    def __init__(self, k: int = 3, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class BlendedSpectrum(Registered):
    """Number of shared substrings of at most k symbols.

        k(x, y) = Σ_w c_w(x)·c_w(y), 1 ≤ |w| ≤ k

    Takes strings. Positive semidefinite. Cost: the shared substrings per pair; k·|x| once per string.

    Parameters
    ----------
    k : int, default 3
        Maximum length of the substrings: a whole number from 1 to 4096.
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    reverse_complement : {'no', 'yes'}, default 'no'
        Count a k-mer and its reverse complement as one feature; each occurrence, also of a palindrome, counts once; for dna and rna: one of no, yes.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Shawe-Taylor & Cristianini 2004, section 11.2

    Examples
    --------
    >>> mercer.kernel('blended-spectrum(k=4)')
    BlendedSpectrum(k=4, alphabet='unicode', reverse_complement='no')
    """

    k: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    reverse_complement: Literal['no', 'yes'] | bool
    def __init__(self, k: int = 3, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class FullSpectrum(Registered):
    """Number of shared substrings of all lengths.

        k(x, y) = Σ_s c_s(x)·c_s(y), |s| ≥ 1

    Takes strings. Positive semidefinite. Cost: the shared substrings per pair; indexing is linear in the total length.

    Parameters
    ----------
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Vishwanathan & Smola 2003, Fast kernels for string and tree matching

    Examples
    --------
    >>> mercer.kernel('normalize(full-spectrum)')
    Normalize(FullSpectrum(alphabet='unicode'))
    """

    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    def __init__(self, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Substring(Registered):
    """Shared substrings of two strings, weighted by their length.

        k(x, y) = Σ_s decay^|s|·c_s(x)·c_s(y), shortest ≤ |s| ≤ longest

    Takes strings. Positive semidefinite. Cost: the shared substrings per pair; indexing is linear in the total length.

    Parameters
    ----------
    decay : float, default 0.5
        Factor of the weight per symbol: a number above 0 and at most 1.
    shortest : int, default 1
        Minimum length of a substring: a whole number from 1 to 1000000000.
    longest : int, default 0
        Maximum length of a substring; 0 for no limit: a whole number from 0 to 1000000000.
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Vishwanathan & Smola 2003, Fast kernels for string and tree matching

    Examples
    --------
    >>> mercer.kernel('normalize(substring(decay=0.8))')
    Normalize(Substring(decay=0.8, shortest=1, longest=0, alphabet='unicode'))
    """

    decay: float
    shortest: int
    longest: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    def __init__(self, decay: float = 0.5, shortest: int = 1, longest: int = 0, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Mismatch(Registered):
    """Number of shared k-mers with at most m mismatches.

        k(x, y) = Σ_{a ∈ x, b ∈ y} #{w: d(w, a) ≤ m, d(w, b) ≤ m} over k-mers a, b, w; d the number of positions that differ

    Takes strings. Positive semidefinite. Cost: C(k, 2m) times the shared k-mers.

    Parameters
    ----------
    k : int, default 5
        Length of the k-mers: a whole number from 1 to 32.
    m : int, default 1
        Maximum number of mismatches, below k: a whole number from 0 to 4.
    alphabet : {'dna', 'rna', 'protein', 'bytes'}, default 'dna'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of dna, rna, protein, bytes.
    reverse_complement : {'no', 'yes'}, default 'no'
        Count a k-mer and its reverse complement as one feature; each occurrence, also of a palindrome, counts once; for dna and rna: one of no, yes.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Leslie, Eskin, Cohen, Weston & Noble 2004

    Examples
    --------
    >>> mercer.kernel('mismatch(k=5, m=1)')
    Mismatch(k=5, m=1, alphabet='dna', reverse_complement='no')
    """

    k: int
    m: int
    alphabet: Literal['dna', 'rna', 'protein', 'bytes']
    reverse_complement: Literal['no', 'yes'] | bool
    def __init__(self, k: int = 5, m: int = 1, alphabet: Literal['dna', 'rna', 'protein', 'bytes'] = 'dna', reverse_complement: Literal['no', 'yes'] | bool = 'no', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class GappyKmer(Registered):
    """Number of shared gapped k-mers: k symbols within l consecutive symbols.

        k(x, y) = Σ_{a ∈ x, b ∈ y} C(l - d(a, b), k) over l-mers a, b that differ at d positions; other weights than C: see weights

    Takes strings. Positive semidefinite. Cost: C(l, k) times the shared k-mers.

    Parameters
    ----------
    l : int, default 6
        Length of the window: a whole number from 1 to 32.
    k : int, default 4
        Number of symbols compared within it, at most l: a whole number from 1 to 32.
    alphabet : {'dna', 'rna', 'protein', 'bytes'}, default 'dna'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of dna, rna, protein, bytes.
    reverse_complement : {'no', 'yes'}, default 'no'
        Count a k-mer and its reverse complement as one feature; each occurrence, also of a palindrome, counts once; for dna and rna: one of no, yes.
    weights : {'gapped', 'estimated', 'truncated'}, default 'gapped'
        Weight of l-mers that differ at d positions: gapped: C(l - d, k); estimated: that of l-mer counts estimated from gapped k-mers; truncated: the same with gkm-SVM's truncated filter: one of gapped, estimated, truncated.
    half_life : float, default 0.0
        Positions over which the weight of an l-mer halves from the centre of its string to the ends; 0: all positions have the same weight: a finite number of at least 0.
    peak : int, default 50
        Weight at the centre, where half-life is above 0; at the ends it is at least 1: a whole number from 1 to 255.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Ghandi, Lee, Mohammad-Noori & Beer 2014

    Examples
    --------
    >>> mercer.kernel('gapped-kmer(l=10, k=6)')
    GappyKmer(l=10, k=6, alphabet='dna', reverse_complement='no', weights='gapped', half_life=0.0, peak=50)
    """

    l: int
    k: int
    alphabet: Literal['dna', 'rna', 'protein', 'bytes']
    reverse_complement: Literal['no', 'yes'] | bool
    weights: Literal['gapped', 'estimated', 'truncated']
    half_life: float
    peak: int
    def __init__(self, l: int = 6, k: int = 4, alphabet: Literal['dna', 'rna', 'protein', 'bytes'] = 'dna', reverse_complement: Literal['no', 'yes'] | bool = 'no', weights: Literal['gapped', 'estimated', 'truncated'] = 'gapped', half_life: float = 0.0, peak: int = 50, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Subsequence(Registered):
    """Shared subsequences of k symbols with gaps, weighted by their span.

        k(x, y) = Σ_u φ_u(x)·φ_u(y), φ_u(x) = Σ decay^(span) over the occurrences of u in x, |u| = k

    Takes strings. Positive semidefinite. Cost: k·|x|·|y|.

    Parameters
    ----------
    k : int, default 3
        Length of the subsequences: a whole number from 1 to 64.
    decay : float, default 0.5
        Factor per symbol of the span, gaps included: a number above 0 and at most 1.
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins 2002

    Examples
    --------
    >>> mercer.kernel('normalize(subsequence(k=4, decay=0.7))')
    Normalize(Subsequence(k=4, decay=0.7, alphabet='unicode'))
    """

    k: int
    decay: float
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    def __init__(self, k: int = 3, decay: float = 0.5, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class WeightedDegree(Registered):
    """Shared k-mers of at most d symbols at the same position.

        k(x, y) = Σ_{l=1..d} 2(d-l+1)/(d(d+1)) · #{i: x and y agree on l symbols from i on}

    Takes strings of one length. Positive semidefinite. Cost: the length of the strings.

    Parameters
    ----------
    d : int, default 5
        Maximum length of the k-mers: a whole number from 1 to 10000.
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Rätsch & Sonnenburg 2004

    Examples
    --------
    >>> mercer.kernel('weighted-degree(d=5)')
    WeightedDegree(d=5, alphabet='unicode')
    """

    d: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    def __init__(self, d: int = 5, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class WeightedDegreeShifts(Registered):
    """Shared k-mers of at most d symbols at positions that differ by at most a shift.

        k(x, y) = Σ_{s=-S..S} δ_s Σ_{l=1..d} 2(d-l+1)/(d(d+1)) · #{i: x from i and y from i+s on agree on l symbols}, δ_0 = 1, δ_s = 1/(2(|s|+1))

    Takes strings of one length. Positive semidefinite. Cost: 2·shift + 1 times the length of the strings.

    Parameters
    ----------
    d : int, default 5
        Maximum length of the k-mers: a whole number from 1 to 10000.
    shift : int, default 3
        Maximum difference S of the positions: a whole number from 0 to 1000.
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Rätsch, Sonnenburg & Schölkopf 2005

    Examples
    --------
    >>> mercer.kernel('weighted-degree-shifts(d=5, shift=3)')
    WeightedDegreeShifts(d=5, shift=3, alphabet='unicode')
    """

    d: int
    shift: int
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    def __init__(self, d: int = 5, shift: int = 3, alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class LocalAlignment(Registered):
    """Sum over all local alignments of the exponential of their score.

        k(x, y) = Σ over local alignments of exp(beta·(Σ scores of pairs - Σ over gaps of open + extend·(g - 1)))

    Takes strings. Positive semidefinite. Cost: |x|·|y|.

    Parameters
    ----------
    beta : float, default 0.5
        Scale of the scores: a finite number above 0.
    open : float, default 2.0
        Cost of the first symbol of a gap (usually 11 with blosum62): a finite number of at least 0.
    extend : float, default 1.0
        Cost of each further symbol of a gap: a finite number of at least 0.
    scores : {'match', 'blosum62'}, default 'match'
        Scores of pairs of symbols; blosum62 is for alphabet=protein: one of match, blosum62.
    match : float, default 1.0
        Score of equal symbols: a finite number.
    mismatch : float, default -1.0
        Score of unequal symbols; above match there may be negative eigenvalues: a finite number.
    log : {'no', 'yes'}, default 'no'
        Return ln(k)/beta, which may have negative eigenvalues: one of no, yes.
    alphabet : {'unicode', 'bytes', 'dna', 'rna', 'protein'}, default 'unicode'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of unicode, bytes, dna, rna, protein.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Saigo, Vert, Ueda & Akutsu 2004

    Examples
    --------
    >>> mercer.kernel('normalize(local-alignment(beta=0.5))')
    Normalize(LocalAlignment(beta=0.5, open=2.0, extend=1.0, scores='match', match=1.0, mismatch=-1.0, log='no', alphabet='unicode'))
    """

    beta: float
    open: float
    extend: float
    scores: Literal['match', 'blosum62']
    match: float
    mismatch: float
    log: Literal['no', 'yes'] | bool
    alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein']
    def __init__(self, beta: float = 0.5, open: float = 2.0, extend: float = 1.0, scores: Literal['match', 'blosum62'] = 'match', match: float = 1.0, mismatch: float = -1.0, log: Literal['no', 'yes'] | bool = 'no', alphabet: Literal['unicode', 'bytes', 'dna', 'rna', 'protein'] = 'unicode', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class AlignmentDiffusion(Registered):
    """Diffusion on strings with blanks, summed over all alignments.

        k(x, y) = Σ over alignments of t^(blanks and unequal pairs), t = (1-e^(-aβ))/(1+(a-1)e^(-aβ)), a = |A|+1; n > 0: times the number of ways to spread it over n positions

    Takes strings. Positive semidefinite. Cost: |x|·|y|, times the shorter length where n is not 0.

    Parameters
    ----------
    beta : float, default 0.1
        Diffusion time of symbols: a finite number above 0.
    n : int, default 0
        Number of positions that strings are spread over; 0 for alignments of any length: a whole number from 0 to 100000.
    alphabet : {'dna', 'rna', 'protein', 'bytes'}, default 'dna'
        Alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols: one of dna, rna, protein, bytes.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kondor & Lafferty 2002

    Examples
    --------
    >>> mercer.kernel('normalize(alignment-diffusion(beta=0.2))')
    Normalize(AlignmentDiffusion(beta=0.2, n=0, alphabet='dna'))
    """

    beta: float
    n: int
    alphabet: Literal['dna', 'rna', 'protein', 'bytes']
    def __init__(self, beta: float = 0.1, n: int = 0, alphabet: Literal['dna', 'rna', 'protein', 'bytes'] = 'dna', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class NodePower(Registered):
    """Walks of l steps between the nodes of a graph.

        k(x, y) = (S^l)_xy; positive semidefinite for even l

    Takes nodes of a graph; transductive: defined only for the nodes of that graph. Positive semidefinite. Cost: terms × edges × nodes once for the graph; then one look-up.

    Parameters
    ----------
    l : int, default 2
        Number of steps: a whole number from 1 to 64.
    base : {'laplacian', 'normalized', 'adjacency'}, default 'adjacency'
        S: the negated Laplacian A - D, the negated normalised Laplacian, or the (weighted) adjacency matrix A: one of laplacian, normalized, adjacency.
    landmarks : int, default 0
        Number of Nyström landmarks, for graphs too large for the full matrix; 0 for exact values: a whole number from 0 to 100000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Zaki & Meira 2020, chapter 5

    Examples
    --------
    >>> mercer.kernel('node-power(l=2)')
    NodePower(l=2, base='adjacency', landmarks=0)
    """

    l: int
    base: Literal['laplacian', 'normalized', 'adjacency']
    landmarks: int
    def __init__(self, l: int = 2, base: Literal['laplacian', 'normalized', 'adjacency'] = 'adjacency', landmarks: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class NodeDiffusion(Registered):
    """Heat that spreads from node to node along the edges of a graph.

        k(x, y) = exp(beta·S)_xy; on the Laplacian exp(-beta·L)

    Takes nodes of a graph; transductive: defined only for the nodes of that graph. Positive semidefinite. Cost: terms × edges × nodes once for the graph; then one look-up.

    Parameters
    ----------
    beta : float, default 0.5
        How far similarity spreads: a finite number above 0.
    base : {'laplacian', 'normalized', 'adjacency'}, default 'laplacian'
        S: the negated Laplacian A - D, the negated normalised Laplacian, or the (weighted) adjacency matrix A: one of laplacian, normalized, adjacency.
    landmarks : int, default 0
        Number of Nyström landmarks, for graphs too large for the full matrix; 0 for exact values: a whole number from 0 to 100000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kondor & Lafferty 2002

    Examples
    --------
    >>> mercer.kernel('node-diffusion(beta=0.5)')
    NodeDiffusion(beta=0.5, base='laplacian', landmarks=0)
    """

    beta: float
    base: Literal['laplacian', 'normalized', 'adjacency']
    landmarks: int
    def __init__(self, beta: float = 0.5, base: Literal['laplacian', 'normalized', 'adjacency'] = 'laplacian', landmarks: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class VonNeumann(Registered):
    """Walks of every length between nodes, discounted by length.

        k(x, y) = ((I - beta·S)⁻¹)_xy = Σ_l beta^l·(S^l)_xy, |beta| < 1/ρ(S)

    Takes nodes of a graph; transductive: defined only for the nodes of that graph. Positive semidefinite. Cost: terms × edges × nodes once for the graph; then one look-up.

    Parameters
    ----------
    beta : float, default 0.001
        Discount per step; diverges unless abs(beta) is below 1/ρ(S): a finite number.
    base : {'laplacian', 'normalized', 'adjacency'}, default 'adjacency'
        S: the negated Laplacian A - D, the negated normalised Laplacian, or the (weighted) adjacency matrix A: one of laplacian, normalized, adjacency.
    landmarks : int, default 0
        Number of Nyström landmarks, for graphs too large for the full matrix; 0 for exact values: a whole number from 0 to 100000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kandola, Shawe-Taylor & Cristianini 2003; Zaki & Meira 2020, chapter 5

    Examples
    --------
    >>> mercer.kernel('von-neumann(beta=0.001)')
    VonNeumann(beta=0.001, base='adjacency', landmarks=0)
    """

    beta: float
    base: Literal['laplacian', 'normalized', 'adjacency']
    landmarks: int
    def __init__(self, beta: float = 0.001, base: Literal['laplacian', 'normalized', 'adjacency'] = 'adjacency', landmarks: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class RegularizedLaplacian(Registered):
    """Inverse of the regularised graph Laplacian: functions smooth along the edges.

        k(x, y) = ((I + beta·L)⁻¹)_xy

    Takes nodes of a graph; transductive: defined only for the nodes of that graph. Positive semidefinite. Cost: terms × edges × nodes once for the graph; then one look-up.

    Parameters
    ----------
    beta : float, default 1.0
        Strength of regularisation: a finite number above 0.
    base : {'laplacian', 'normalized'}, default 'laplacian'
        L: the Laplacian D - A or the normalised one: one of laplacian, normalized.
    landmarks : int, default 0
        Number of Nyström landmarks, for graphs too large for the full matrix; 0 for exact values: a whole number from 0 to 100000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Smola & Kondor 2003, Kernels and regularization on graphs

    Examples
    --------
    >>> mercer.kernel('regularized-laplacian(beta=1)')
    RegularizedLaplacian(beta=1.0, base='laplacian', landmarks=0)
    """

    beta: float
    base: Literal['laplacian', 'normalized']
    landmarks: int
    def __init__(self, beta: float = 1.0, base: Literal['laplacian', 'normalized'] = 'laplacian', landmarks: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class PStepWalk(Registered):
    """Lazy walks of p steps between the nodes of a graph.

        k(x, y) = ((a·I - L̃)^p)_xy, L̃ the normalised Laplacian

    Takes nodes of a graph; transductive: defined only for the nodes of that graph. Positive semidefinite. Cost: terms × edges × nodes once for the graph; then one look-up.

    Parameters
    ----------
    p : int, default 2
        Number of steps: a whole number from 1 to 64.
    a : float, default 2.0
        Laziness of the walk; from 2 on every power is positive semidefinite: a finite number of at least 2.
    landmarks : int, default 0
        Number of Nyström landmarks, for graphs too large for the full matrix; 0 for exact values: a whole number from 0 to 100000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Smola & Kondor 2003, Kernels and regularization on graphs

    Examples
    --------
    >>> mercer.kernel('p-step(p=3, a=2)')
    PStepWalk(p=3, a=2.0, landmarks=0)
    """

    p: int
    a: float
    landmarks: int
    def __init__(self, p: int = 2, a: float = 2.0, landmarks: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class CommuteTime(Registered):
    """Commute times: expected time for a random walk from one node to another and back.

        k(x, y) = (L⁺)_xy, the pseudo-inverse of the Laplacian; its squared distances times the sum of degrees are commute times

    Takes nodes of a graph; transductive: defined only for the nodes of that graph. Positive semidefinite. Cost: n³ once for the graph, n ≤ 8192; then one look-up.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Fouss, Pirotte, Renders & Saerens 2007, Random-walk computation of similarities between nodes of a graph

    Examples
    --------
    >>> mercer.kernel('commute-time')
    CommuteTime()
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Pagerank(Registered):
    """Symmetrised personalised PageRank: end points of random walks that stop at each step with probability 1 - alpha.

        k(x, y) = (1 - alpha)·((I - alpha·D^(-1/2)·A·D^(-1/2))⁻¹)_xy; a node without edges has similarity 1 to itself and 0 to others

    Takes nodes of a graph; transductive: defined only for the nodes of that graph. Positive semidefinite. Cost: terms × edges × nodes once for the graph; then one look-up.

    Parameters
    ----------
    alpha : float, default 0.85
        Probability to continue the walk, below 1: a number above 0 and at most 1.
    landmarks : int, default 0
        Number of Nyström landmarks, for graphs too large for the full matrix; 0 for exact values: a whole number from 0 to 100000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Page, Brin, Motwani & Winograd 1999; Zhou, Bousquet, Lal, Weston & Schölkopf 2004

    Examples
    --------
    >>> mercer.kernel('pagerank(alpha=0.85)')
    Pagerank(alpha=0.85, landmarks=0)
    """

    alpha: float
    landmarks: int
    def __init__(self, alpha: float = 0.85, landmarks: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Smooth(Registered):
    """A kernel on the attributes of nodes, smoothed over the edges of their graph.

        k(x, y) = (S·K·Sᵀ)_xy, Â = D^(-1/2)·(A + loops·I)·D^(-1/2); power: S = Â^p; pagerank: (1 - alpha)·(I - alpha·Â)⁻¹; heat: exp(-beta·(I - Â)); diffusion: exp(-beta·L), L = D - A

    Takes nodes of a graph, and a kernel on their attributes, the other columns of all nodes; transductive: defined only for the nodes of that graph. Positive semidefinite. Cost: terms × edges × features once for the graph, then that of linear; without explicit features n² values of the kernel and terms × edges × n.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    by : {'power', 'pagerank', 'heat', 'diffusion'}, default 'power'
        How values spread along the edges: one of power, pagerank, heat, diffusion.
    p : int, default 2
        Number of steps of by=power: a whole number from 1 to 64.
    alpha : float, default 0.9
        Probability to continue the walk of by=pagerank, below 1: a number above 0 and at most 1.
    beta : float, default 3.0
        How long by=heat and by=diffusion spread: a finite number above 0.
    loops : float, default 1.0
        Weight of the edge from each node to itself that is added first; by=diffusion does not depend on it: a finite number of at least 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Wu et al. 2019, Simplifying graph convolutional networks; Gasteiger, Weißenberger & Günnemann 2019, Diffusion improves graph learning

    Examples
    --------
    >>> mercer.kernel('smooth(linear, by=power, p=2)')
    Smooth(Linear(), by='power', p=2, alpha=0.9, beta=3.0, loops=1.0)
    """

    kernel: Kernel
    by: Literal['power', 'pagerank', 'heat', 'diffusion']
    p: int
    alpha: float
    beta: float
    loops: float
    def __init__(self, kernel: Kernel, by: Literal['power', 'pagerank', 'heat', 'diffusion'] = 'power', p: int = 2, alpha: float = 0.9, beta: float = 3.0, loops: float = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Euclidean(Registered):
    """The Euclidean distance of vectors.

        d(x, y) = |x - y|

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes numbers. Indefinite. Cost: d multiplications and a root.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Deza & Deza 2009, section 1.1

    Examples
    --------
    >>> mercer.kernel('euclidean')
    Euclidean()
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class GlobalAlignment(Registered):
    """The global alignment kernel of series: a sum over all alignments, normalised.

        k(x, y) = K(x, y)/√(K(x, x)·K(y, y)), K(x, y) = Σ over alignments of Π e/(2 - e), e = exp(-|x_i - y_j|²/(2·sigma²))

    Takes series. Positive semidefinite. Cost: n·m exponentials for lengths n and m.

    Parameters
    ----------
    sigma : float, default 1.0
        Scale of the local Gaussian between time steps: a finite number above 0.
    triangular : int, default 0
        Maximum time difference of aligned time steps, with linearly falling weight; 0 for no limit: a whole number from 0 to 2147483648.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Cuturi 2011

    Examples
    --------
    >>> mercer.kernel('gak(sigma=2)')
    GlobalAlignment(sigma=2.0, triangular=0, channel=0)
    """

    sigma: float
    triangular: int
    channel: int
    def __init__(self, sigma: float = 1.0, triangular: int = 0, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class KDTW(Registered):
    """The time elastic kernel of series: sums over alignments and over walks of equal time steps, normalised.

        k(x, y) = K(x, y)/√(K(x, x)·K(y, y)), K = Σ over alignments of Π f(x_i, y_j) + Σ over walks of Π f(x_t, y_t), f = (exp(-nu·|x_i - y_j|²) + epsilon)/(3·(1 + epsilon))

    Takes series. Indefinite. Cost: n·m exponentials for lengths n and m.

    Parameters
    ----------
    nu : float, default 1.0
        Stiffness: how fast the local similarity falls with the squared distance of time steps: a finite number above 0.
    epsilon : float, default 0.001
        Local similarity of time steps that are far apart, as a share of that of equal ones: a finite number of at least 0.000000000000000000000000000001.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Marteau & Gibet 2015

    Examples
    --------
    >>> mercer.kernel('kdtw(nu=0.5)')
    KDTW(nu=0.5, epsilon=0.001, channel=0)
    """

    nu: float
    epsilon: float
    channel: int
    def __init__(self, nu: float = 1.0, epsilon: float = 0.001, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Rocket(Registered):
    """Convolutions of series with 84 kernels at many dilations, pooled over time: MiniRocket and MultiRocket.

        k(x, y) = φ(x)·φ(y), φ(x) = share of t with Σ_j w_j·x(t + (j - 4)·d) > b, w of three 2 and six -1, b a quantile for a training series

    Takes series; fitted to the training series. Positive semidefinite. Cost: features·length comparisons per series, once; then one multiplication per feature for each pair.

    Parameters
    ----------
    variant : {'mini', 'multi'}, default 'mini'
        Mini: shares above thresholds; multi: also mean excess, mean position and longest run, of series and differences: one of mini, multi.
    features : int, default 10000
        Number of features, rounded down to a multiple of 84, for multi of 672; published for multi: 50000: a whole number from 84 to 1000000.
    dilations : int, default 32
        Largest number of dilations of a kernel: a whole number from 1 to 1000.
    scale : {'standard', 'none'}, default 'standard'
        Whether features are centred and divided by their deviation over the training series: one of standard, none.
    seed : int, default 0
        Random seed: a whole number from 0 to 9007199254740992.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Dempster, Schmidt & Webb 2021, MiniRocket; Tan, Dempster, Bergmeir & Webb 2022, MultiRocket

    Examples
    --------
    >>> mercer.kernel('rocket(features=1000)')
    Rocket(variant='mini', features=1000, dilations=32, scale='standard', seed=0, channel=0)
    """

    variant: Literal['mini', 'multi']
    dilations: int
    scale: Literal['standard', 'none']
    seed: int
    channel: int
    def __init__(self, variant: Literal['mini', 'multi'] = 'mini', features: int = 10000, dilations: int = 32, scale: Literal['standard', 'none'] = 'standard', seed: int = 0, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Hydra(Registered):
    """Groups of random convolutions of series that compete: how often and how well each fits best.

        k(x, y) = φ(x)·φ(y), φ(x) = √Σ_t c_j(t) over t where c_j is the largest of its group, √(number of t where it is the smallest)

    Takes series; fitted to the training series. Positive semidefinite. Cost: 9·groups·kernels·length multiplications per dilation and series, once; then one per feature for each pair.

    Parameters
    ----------
    groups : int, default 64
        Groups of kernels for each dilation; half of them see differences: a whole number from 1 to 10000.
    kernels : int, default 8
        Kernels of a group: a whole number from 1 to 1000.
    scale : {'standard', 'none'}, default 'standard'
        Whether features are centred and divided by their deviation over the training series: one of standard, none.
    seed : int, default 0
        Random seed: a whole number from 0 to 9007199254740992.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Dempster, Schmidt & Webb 2023, Hydra

    Examples
    --------
    >>> mercer.kernel('hydra(groups=16)')
    Hydra(groups=16, kernels=8, scale='standard', seed=0, channel=0)
    """

    groups: int
    kernels: int
    scale: Literal['standard', 'none']
    seed: int
    channel: int
    def __init__(self, groups: int = 64, kernels: int = 8, scale: Literal['standard', 'none'] = 'standard', seed: int = 0, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Intervals(Registered):
    """Quantiles of series within dyadic intervals, of their differences and of their Fourier transform: QUANT.

        k(x, y) = φ(x)·φ(y), φ(x) = quantiles of x within intervals of length n, n/2, n/4, …, every second one minus the mean of the interval

    Takes series; fitted to the training series. Positive semidefinite. Cost: depth sorts of each series, once; then one multiplication per feature for each pair.

    Parameters
    ----------
    depth : int, default 6
        Sizes of intervals: the whole, halves, quarters, …: a whole number from 1 to 16.
    every : int, default 4
        Time steps for each quantile: a whole number from 1 to 2147483648.
    fourier : {'no', 'yes'}, default 'yes'
        Whether to add the magnitudes of frequencies: one of no, yes.
    scale : {'standard', 'none'}, default 'standard'
        Whether features are centred and divided by their deviation over the training series: one of standard, none.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Dempster, Schmidt & Webb 2024, QUANT

    Examples
    --------
    >>> mercer.kernel('intervals(depth=4)')
    Intervals(depth=4, every=4, fourier='yes', scale='standard', channel=0)
    """

    depth: int
    every: int
    fourier: Literal['no', 'yes'] | bool
    scale: Literal['standard', 'none']
    channel: int
    def __init__(self, depth: int = 6, every: int = 4, fourier: Literal['no', 'yes'] | bool = 'yes', scale: Literal['standard', 'none'] = 'standard', channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Signature(Registered):
    """The truncated signature of series: iterated integrals of their channels up to a level.

        k(x, y) = Σ over words i₁…i_k of channels, k = 0, …, level, of S(x)·S(y), S(x) = ∫ dx_{i₁}(t₁)…dx_{i_k}(t_k) over t₁ < … < t_k

    Takes series. Positive semidefinite. Cost: d + d² + … + d^level multiplications per time step of d channels, once; then one per word for each pair.

    Parameters
    ----------
    level : int, default 3
        The longest words of channels: a whole number from 1 to 12.
    time : {'no', 'yes'}, default 'yes'
        Whether to add time as a channel, from 0 to 1: one of no, yes.
    lead_lag : {'no', 'yes'}, default 'no'
        Whether to add every channel again, one time step later: one of no, yes.
    scale : float, default 1.0
        Factor of the values: a finite number above 0.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Chen 1958; Király & Oberhauser 2019, Kernels for sequentially ordered data

    Examples
    --------
    >>> mercer.kernel('signature(level=4)')
    Signature(level=4, time='yes', lead_lag='no', scale=1.0, channel=0)
    """

    level: int
    time: Literal['no', 'yes'] | bool
    lead_lag: Literal['no', 'yes'] | bool
    scale: float
    channel: int
    def __init__(self, level: int = 3, time: Literal['no', 'yes'] | bool = 'yes', lead_lag: Literal['no', 'yes'] | bool = 'no', scale: float = 1.0, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class DTW(Registered):
    """Dynamic time warping of series: the least squared difference over all alignments.

        d(x, y) = √(min over alignments of Σ |x_i - y_j|²)

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series. Indefinite. Cost: n·m cells for lengths n and m, fewer within a band.

    Parameters
    ----------
    window : float, default 1.0
        Maximum time difference of aligned time steps: up to 1 a share of the longer series, above 1 a number of time steps: a finite number of at least 0.
    shape : {'sakoe-chiba', 'itakura'}, default 'sakoe-chiba'
        The band that restricts alignments: sakoe-chiba uses window, itakura uses slope: one of sakoe-chiba, itakura.
    slope : float, default 2.0
        Maximum slope of alignments in the itakura band: a finite number of at least 1.
    channels : {'dependent', 'independent'}, default 'dependent'
        Whether channels share one alignment, or are aligned separately and summed: one of dependent, independent.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    precision : {'double', 'single'}, default 'double'
        Floating-point precision: single is twice as fast and has seven digits: one of double, single.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Sakoe & Chiba 1978; Shokoohi-Yekta et al. 2017

    Examples
    --------
    >>> mercer.kernel('dtw(window=0.1)')
    DTW(window=0.1, shape='sakoe-chiba', slope=2.0, channels='dependent', channel=0, precision='double')
    """

    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channels: Literal['dependent', 'independent']
    channel: int
    precision: Literal['double', 'single']
    def __init__(self, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channels: Literal['dependent', 'independent'] = 'dependent', channel: int = 0, precision: Literal['double', 'single'] = 'double', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class LearnedDTW(Registered):
    """Dynamic time warping of series, with the window that best separates the training classes.

        d(x, y) = dtw(x, y, window=w), w of 0, 0.01, …, 1 with the fewest leave-one-out errors of 1-nearest-neighbour on the training series, ties to the smallest

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series, and classes of the training objects. Indefinite. Cost: that of dtw; fitting takes all pairs of training objects and windows, most of them abandoned early.

    Parameters
    ----------
    channels : {'dependent', 'independent'}, default 'dependent'
        Whether channels share one alignment, or are aligned separately and summed: one of dependent, independent.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Ratanamahatana & Keogh 2005; Herrmann & Webb 2021

    Examples
    --------
    >>> mercer.kernel('learned-dtw')
    LearnedDTW(channels='dependent', channel=0)
    """

    channels: Literal['dependent', 'independent']
    channel: int
    def __init__(self, channels: Literal['dependent', 'independent'] = 'dependent', channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class DerivativeDTW(Registered):
    """Dynamic time warping of the slopes of series.

        d(x, y) = dtw(x', y'), x'_i = ((x_i - x_(i-1)) + (x_(i+1) - x_(i-1))/2)/2

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series. Indefinite. Cost: n·m cells for lengths n and m, fewer within a band.

    Parameters
    ----------
    window : float, default 1.0
        Maximum time difference of aligned time steps: up to 1 a share of the longer series, above 1 a number of time steps: a finite number of at least 0.
    shape : {'sakoe-chiba', 'itakura'}, default 'sakoe-chiba'
        The band that restricts alignments: sakoe-chiba uses window, itakura uses slope: one of sakoe-chiba, itakura.
    slope : float, default 2.0
        Maximum slope of alignments in the itakura band: a finite number of at least 1.
    channels : {'dependent', 'independent'}, default 'dependent'
        Whether channels share one alignment, or are aligned separately and summed: one of dependent, independent.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Keogh & Pazzani 2001

    Examples
    --------
    >>> mercer.kernel('derivative-dtw(window=0.1)')
    DerivativeDTW(window=0.1, shape='sakoe-chiba', slope=2.0, channels='dependent', channel=0)
    """

    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channels: Literal['dependent', 'independent']
    channel: int
    def __init__(self, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channels: Literal['dependent', 'independent'] = 'dependent', channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class WeightedDTW(Registered):
    """Dynamic time warping of series that penalises alignments far from the diagonal.

        d(x, y) = √(min over alignments of Σ |x_i - y_j|² / (1 + exp(-g·(|i - j| - L/2)))), L the longer length

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series. Indefinite. Cost: n·m cells for lengths n and m, fewer within a band.

    Parameters
    ----------
    g : float, default 0.05
        Steepness of the growth of weights with the time difference: a finite number of at least 0.
    window : float, default 1.0
        Maximum time difference of aligned time steps: up to 1 a share of the longer series, above 1 a number of time steps: a finite number of at least 0.
    shape : {'sakoe-chiba', 'itakura'}, default 'sakoe-chiba'
        The band that restricts alignments: sakoe-chiba uses window, itakura uses slope: one of sakoe-chiba, itakura.
    slope : float, default 2.0
        Maximum slope of alignments in the itakura band: a finite number of at least 1.
    channels : {'dependent', 'independent'}, default 'dependent'
        Whether channels share one alignment, or are aligned separately and summed: one of dependent, independent.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Jeong, Jeong & Omitaomu 2011

    Examples
    --------
    >>> mercer.kernel('weighted-dtw(g=0.05)')
    WeightedDTW(g=0.05, window=1.0, shape='sakoe-chiba', slope=2.0, channels='dependent', channel=0)
    """

    g: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channels: Literal['dependent', 'independent']
    channel: int
    def __init__(self, g: float = 0.05, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channels: Literal['dependent', 'independent'] = 'dependent', channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class SoftDTW(Registered):
    """Soft dynamic time warping of series, as the root of its divergence.

        d(x, y) = √(max(0, s(x, y) - (s(x, x) + s(y, y))/2)), s(x, y) = -gamma·log(Σ over alignments of exp(-Σ |x_i - y_j|²/gamma))

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series. Indefinite. Cost: n·m exponentials for lengths n and m, fewer within a band.

    Parameters
    ----------
    gamma : float, default 1.0
        Smoothing of the minimum: a finite number above 0.
    window : float, default 1.0
        Maximum time difference of aligned time steps: up to 1 a share of the longer series, above 1 a number of time steps: a finite number of at least 0.
    shape : {'sakoe-chiba', 'itakura'}, default 'sakoe-chiba'
        The band that restricts alignments: sakoe-chiba uses window, itakura uses slope: one of sakoe-chiba, itakura.
    slope : float, default 2.0
        Maximum slope of alignments in the itakura band: a finite number of at least 1.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Cuturi & Blondel 2017; Blondel, Mensch & Vert 2021

    Examples
    --------
    >>> mercer.kernel('soft-dtw(gamma=0.1)')
    SoftDTW(gamma=0.1, window=1.0, shape='sakoe-chiba', slope=2.0, channel=0)
    """

    gamma: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    def __init__(self, gamma: float = 1.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ERP(Registered):
    """Edit distance with real penalty of series: unmatched time steps cost their distance from g.

        d(x, y) = D(n, m), D(i, j) = min(D(i-1, j-1) + |x_i - y_j|, D(i-1, j) + |x_i - g|, D(i, j-1) + |y_j - g|)

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series. Indefinite. Cost: n·m cells for lengths n and m, fewer within a band.

    Parameters
    ----------
    g : float, default 0.0
        Value that unmatched time steps are compared with: a finite number.
    window : float, default 1.0
        Maximum time difference of aligned time steps: up to 1 a share of the longer series, above 1 a number of time steps: a finite number of at least 0.
    shape : {'sakoe-chiba', 'itakura'}, default 'sakoe-chiba'
        The band that restricts alignments: sakoe-chiba uses window, itakura uses slope: one of sakoe-chiba, itakura.
    slope : float, default 2.0
        Maximum slope of alignments in the itakura band: a finite number of at least 1.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Chen & Ng 2004

    Examples
    --------
    >>> mercer.kernel('erp(g=0)')
    ERP(g=0.0, window=1.0, shape='sakoe-chiba', slope=2.0, channel=0)
    """

    g: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    def __init__(self, g: float = 0.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class LCSS(Registered):
    """One minus the longest common subsequence of series, as a share of the shorter.

        d(x, y) = 1 - L(n, m)/min(n, m), L(i, j) = L(i-1, j-1) + 1 where |x_i - y_j| ≤ epsilon, else max(L(i-1, j), L(i, j-1))

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series. Indefinite. Cost: n·m cells for lengths n and m, fewer within a band.

    Parameters
    ----------
    epsilon : float, default 1.0
        Maximum difference of matching time steps: a finite number of at least 0.
    window : float, default 1.0
        Maximum time difference of aligned time steps: up to 1 a share of the longer series, above 1 a number of time steps: a finite number of at least 0.
    shape : {'sakoe-chiba', 'itakura'}, default 'sakoe-chiba'
        The band that restricts alignments: sakoe-chiba uses window, itakura uses slope: one of sakoe-chiba, itakura.
    slope : float, default 2.0
        Maximum slope of alignments in the itakura band: a finite number of at least 1.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Vlachos, Kollios & Gunopulos 2002

    Examples
    --------
    >>> mercer.kernel('lcss(epsilon=0.2, window=0.1)')
    LCSS(epsilon=0.2, window=0.1, shape='sakoe-chiba', slope=2.0, channel=0)
    """

    epsilon: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    def __init__(self, epsilon: float = 1.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class MSM(Registered):
    """Move-split-merge distance of series: values are moved, split in two, or merged.

        d(x, y) = D(n, m), D(i, j) = min(D(i-1, j-1) + |x_i - y_j|, D(i-1, j) + C(x_i; x_(i-1), y_j), D(i, j-1) + C(y_j; x_i, y_(j-1))), C(a; b, e) = c + the distance of a from the interval [b, e]

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series. Indefinite. Cost: n·m cells for lengths n and m, fewer within a band.

    Parameters
    ----------
    c : float, default 1.0
        Cost of a split or a merge: a finite number of at least 0.
    window : float, default 1.0
        Maximum time difference of aligned time steps: up to 1 a share of the longer series, above 1 a number of time steps: a finite number of at least 0.
    shape : {'sakoe-chiba', 'itakura'}, default 'sakoe-chiba'
        The band that restricts alignments: sakoe-chiba uses window, itakura uses slope: one of sakoe-chiba, itakura.
    slope : float, default 2.0
        Maximum slope of alignments in the itakura band: a finite number of at least 1.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Stefan, Athitsos & Das 2013

    Examples
    --------
    >>> mercer.kernel('msm(c=0.5)')
    MSM(c=0.5, window=1.0, shape='sakoe-chiba', slope=2.0, channel=0)
    """

    c: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    def __init__(self, c: float = 1.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class TWE(Registered):
    """Time warp edit distance of series: warping costs in proportion to the time difference.

        d(x, y) = D(n, m), D(i, j) = min(D(i-1, j-1) + |x_i - y_j| + |x_(i-1) - y_(j-1)| + 2·nu·|i - j|, D(i-1, j) + |x_i - x_(i-1)| + nu + lambda, D(i, j-1) + |y_j - y_(j-1)| + nu + lambda)

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series. Indefinite. Cost: n·m cells for lengths n and m, fewer within a band.

    Parameters
    ----------
    nu : float, default 0.001
        Stiffness: cost of warping by one time step: a finite number of at least 0.
    lambda_ : float, default 1.0
        Additional cost of deleting a time step: a finite number of at least 0.
    window : float, default 1.0
        Maximum time difference of aligned time steps: up to 1 a share of the longer series, above 1 a number of time steps: a finite number of at least 0.
    shape : {'sakoe-chiba', 'itakura'}, default 'sakoe-chiba'
        The band that restricts alignments: sakoe-chiba uses window, itakura uses slope: one of sakoe-chiba, itakura.
    slope : float, default 2.0
        Maximum slope of alignments in the itakura band: a finite number of at least 1.
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Marteau 2009

    Examples
    --------
    >>> mercer.kernel('twe(nu=0.001, lambda=1)')
    TWE(nu=0.001, lambda_=1.0, window=1.0, shape='sakoe-chiba', slope=2.0, channel=0)
    """

    nu: float
    lambda_: float
    window: float
    shape: Literal['sakoe-chiba', 'itakura']
    slope: float
    channel: int
    def __init__(self, nu: float = 0.001, lambda_: float = 1.0, window: float = 1.0, shape: Literal['sakoe-chiba', 'itakura'] = 'sakoe-chiba', slope: float = 2.0, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class SeriesEuclidean(Registered):
    """The Euclidean distance of series of equal length.

        d(x, y) = √(Σ |x_i - y_i|²)

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes series of equal length. Indefinite. Cost: one multiplication per value.

    Parameters
    ----------
    channel : int, default 0
        The channel to use, from 1; 0 for all: a whole number from 0 to 1048576.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Faloutsos, Ranganathan & Manolopoulos 1994

    Examples
    --------
    >>> mercer.kernel('series-euclidean')
    SeriesEuclidean(channel=0)
    """

    channel: int
    def __init__(self, channel: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class CosineDistance(Registered):
    """One minus the cosine of the angle between two vectors.

        d(x, y) = 1 - x·y / (|x| · |y|); 0 for two zero vectors, 1 for one

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes numbers. Indefinite. Cost: d multiplications.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Salton, Wong & Yang 1975

    Examples
    --------
    >>> mercer.kernel('cosine-distance')
    CosineDistance()
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class JensenShannon(Registered):
    """The Jensen–Shannon distance of distributions: counts of at least 0, or the words of a text.

        d(x, y) = √(½ Σ p_i ln(p_i/m_i) + ½ Σ q_i ln(q_i/m_i)), p = x/Σx, q = y/Σy, m = (p + q)/2

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes numbers of at least 0, or text. Indefinite. Cost: a logarithm for each shared coordinate.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Endres & Schindelin 2003

    Examples
    --------
    >>> mercer.kernel('jensen-shannon')
    JensenShannon()
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class EditDistance(Registered):
    """The minimum number of characters to insert, delete or replace to turn one string into the other.

        d(x, y) = the least number of insertions, deletions and replacements (Levenshtein)

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes strings. Indefinite. Cost: |x|·|y|/64.

    Parameters
    ----------
    scale : {'none', 'longest'}, default 'none'
        Divide by the length of the longer string (longest), or do not divide (none): one of none, longest.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Levenshtein 1966; Myers 1999

    Examples
    --------
    >>> mercer.kernel('rbf-of(edit-distance, gamma=0.01)')
    RBFOf(EditDistance(scale='none'), gamma=0.01)
    """

    scale: Literal['none', 'longest']
    def __init__(self, scale: Literal['none', 'longest'] = 'none', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class HammingDistance(Registered):
    """The share of categorical columns, or of characters of strings, that differ.

        d(x, y) = #{i: x_i ≠ y_i} / n, n the number of columns or the length of the longer string

    ``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.

    Takes categories, or strings of one length. Indefinite. Cost: n comparisons.

    Parameters
    ----------
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Hamming 1950

    Examples
    --------
    >>> mercer.kernel('hamming-distance')
    HammingDistance()
    """

    def __init__(self, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Normalize(Registered):
    """The cosine of the angle between two objects in feature space.

        k(x, y) = k(x, y) / √(k(x, x) · k(y, y)); 0 where a self-similarity is 0; a negative self-similarity is an error

    Takes a kernel. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Shawe-Taylor & Cristianini 2004, section 5.1

    Examples
    --------
    >>> mercer.kernel('normalize(polynomial(degree=2))')
    Normalize(Polynomial(degree=2, c=1.0, gamma=1.0))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Tanimoto(Registered):
    """What two objects share, relative to what either has; over counts, the min–max kernel.

        k(x, y) = k(x, y) / (k(x, x) + k(y, y) - k(x, y)); 0 where both self-similarities are 0; a negative self-similarity is an error

    Takes a kernel. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Ralaivola, Swamidass, Saigo & Baldi 2005, Graph kernels for chemical informatics

    Examples
    --------
    >>> mercer.kernel('tanimoto(ecfp(radius=2))')
    Tanimoto(ECFP(radius=2, counts='min', stereo='no'))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Dice(Registered):
    """Twice what two objects share, relative to the sum of what each has.

        k(x, y) = 2 k(x, y) / (k(x, x) + k(y, y)); 0 where both self-similarities are 0; a negative self-similarity is an error

    Takes a kernel. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Dice 1945, Measures of the amount of ecologic association between species

    Examples
    --------
    >>> mercer.kernel('dice(torsions)')
    Dice(Torsions(counts='min'))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Center(Registered):
    """A kernel centred at the mean of the training objects.

        k(x, y) = k(x, y) - m(x) - m(y) + M; m(x) = mean of k(x, t) over training objects t, M = mean of m

    Takes a kernel; fitted to the training objects. Positive semidefinite. Cost: that of the kernel, twice on the training objects.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Schölkopf, Smola & Müller 1998

    Examples
    --------
    >>> mercer.kernel('center(rbf(gamma=0.1))')
    Center(RBF(gamma=0.1))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class RBFOf(Registered):
    """A Gaussian of the distance another kernel induces.

        k(x, y) = exp(-gamma · max(0, k(x, x) + k(y, y) - 2·k(x, y))); a squared distance below 0, from rounding or an indefinite kernel, counts as 0

    Takes a kernel. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    gamma : float, default 1.0
        How fast similarity falls with squared distance in feature space: a finite number above 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Schölkopf & Smola 2002, proposition 13.2

    Examples
    --------
    >>> mercer.kernel('rbf-of(polynomial(degree=2), gamma=0.01)')
    RBFOf(Polynomial(degree=2, c=1.0, gamma=1.0), gamma=0.01)
    """

    kernel: Kernel
    gamma: float
    def __init__(self, kernel: Kernel, gamma: float = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ZeroExtend(Registered):
    """A kernel where both objects have a value, 0 where one has none.

        k(x, y) = k(x, y) if x and y have values, else 0

    Takes a kernel. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Haussler 1999, zero extension

    Examples
    --------
    >>> mercer.kernel('zero-extend(rbf(gamma=0.1)@age) + delta@sex')
    ZeroExtend(RBF(gamma=0.1, columns=['age'])) + Delta(columns=['sex'])
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Nystrom(Registered):
    """The Nyström approximation by a few landmarks: coordinates for each object, for data too large for a Gram matrix.

        k(x, y) = k(x, L) · W⁺ · k(L, y), W = k(L, L); coordinates are kept in single precision, about 7 digits

    Takes a kernel without negative eigenvalues. Positive semidefinite. Cost: rank kernel values and rank² multiplications per object, once; then rank multiplications per pair.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    rank : int, default 100
        The number of landmarks: a whole number from 1 to 100000.
    landmarks : {'uniform', 'leverage', 'kmeans', 'pivots', 'random-pivots'}, default 'uniform'
        How landmarks are chosen among training objects: one of uniform, leverage, kmeans, pivots, random-pivots.
    seed : int, default 0
        The random seed: a whole number from 0 to 9007199254740992.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Williams & Seeger 2001

    Examples
    --------
    >>> mercer.kernel('nystrom(rbf(gamma=0.1), rank=50)')
    Nystrom(RBF(gamma=0.1), rank=50, landmarks='uniform', seed=0)
    """

    kernel: Kernel
    rank: int
    landmarks: Literal['uniform', 'leverage', 'kmeans', 'pivots', 'random-pivots']
    seed: int
    def __init__(self, kernel: Kernel, rank: int = 100, landmarks: Literal['uniform', 'leverage', 'kmeans', 'pivots', 'random-pivots'] = 'uniform', seed: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Explicit(Registered):
    """The exact explicit features of a kernel, for linear models on very many strings, graphs or records.

        k(x, y) = Σ_f φ_f(x)·φ_f(y) over the features f of the training objects

    Takes a linear or counting kernel; fitted to the training objects. Positive semidefinite. Cost: preparing each object once; then one multiplication per shared feature.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Joachims 1998; Shervashidze et al. 2011, section 3

    Examples
    --------
    >>> mercer.kernel('explicit(spectrum(k=3))')
    Explicit(Spectrum(k=3, alphabet='unicode', reverse_complement='no'))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Repair(Registered):
    """An indefinite similarity made positive semidefinite, on training and new objects alike.

        k(x, y) = U·f(Λ)·Uᵀ for the training Gram U·Λ·Uᵀ; f: clip max(λ, 0), flip |λ|, shift λ - λmin, diffuse exp(beta·(λ - λmax))

    Takes a kernel; fitted to the training objects. Positive semidefinite. Cost: n³ to fit; then n·r per new object.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    method : {'clip', 'flip', 'shift', 'diffuse'}, default 'clip'
        The treatment of negative eigenvalues: one of clip, flip, shift, diffuse.
    beta : float, default 1.0
        The strength of diffuse; ignored otherwise: a finite number above 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Wu, Chang & Zhang 2005; Chen et al. 2009

    Examples
    --------
    >>> mercer.kernel('repair(sigmoid(gamma=0.1, c=-1), method=clip)')
    Repair(Sigmoid(gamma=0.1, c=-1.0), method='clip', beta=1.0)
    """

    kernel: Kernel
    method: Literal['clip', 'flip', 'shift', 'diffuse']
    beta: float
    def __init__(self, kernel: Kernel, method: Literal['clip', 'flip', 'shift', 'diffuse'] = 'clip', beta: float = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Exponential(Registered):
    """The exponential of a similarity matrix: objects are similar when many short walks join them.

        k(x, y) = exp(beta·H), H the similarities of the training objects, any symmetric ones; new objects: c·(exp(beta·H) - exp(beta·H/2))·H⁻¹ in the limit

    Takes a kernel or precomputed similarities, possibly indefinite; fitted to the training objects. Positive semidefinite. Cost: n³ to fit; then n² per object.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    beta : float, default 1.0
        How far similarity spreads; negative where H is a Laplacian: a finite number.
    scale : {'none', 'radius'}, default 'none'
        Radius: divide by the largest eigenvalue of exp(beta·H), to prevent overflow: one of none, radius.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Kondor & Lafferty 2002, Diffusion kernels on graphs and other discrete input spaces

    Examples
    --------
    >>> mercer.kernel('exponential(rbf(gamma=1), beta=0.2)')
    Exponential(RBF(gamma=1.0), beta=0.2, scale='none')
    """

    kernel: Kernel
    beta: float
    scale: Literal['none', 'radius']
    def __init__(self, kernel: Kernel, beta: float = 1.0, scale: Literal['none', 'radius'] = 'none', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class RandomWalkPower(Registered):
    """A random walk of p steps: objects are similar when many short walks over other objects join them.

        k(x, y) = A^p / λmax^(p-1) on the Gram matrix A of the objects walked through; c·A^(p-2)·c'ᵀ / λmax^(p-1) for similarities c, c' to them

    Takes a kernel; fitted to the training objects. Positive semidefinite. Cost: n³ to fit; then n·r per object and r per entry.

    Parameters
    ----------
    base : Kernel
        The inner kernel.
    p : int, default 2
        The number of steps; 1 is the kernel itself: a whole number from 1 to 1000.
    through : {'train', 'support', 'all'}, default 'train'
        The objects walked through: the training objects, the support vectors of a first model, or all objects (transductive: compares no others): one of train, support, all.
    C : float, default 1.0
        The C of the first model for through=support; ignored otherwise: a finite number above 0.
    scale : {'radius', 'none'}, default 'radius'
        Radius: divide by λmax^(p-1), so that similarities have the same magnitude for every p: one of radius, none.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Gavriilidis & Tefas 2013, Random walk kernel applications to classification using support vector machines

    In expressions: normalize(walk(rbf(gamma=1), p=1..7, through=train))
    """

    base: Kernel
    p: int
    through: Literal['train', 'support', 'all']
    C: float
    scale: Literal['radius', 'none']
    def __init__(self, base: Kernel, p: int = 2, through: Literal['train', 'support', 'all'] = 'train', C: float = 1.0, scale: Literal['radius', 'none'] = 'radius', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Markov(Registered):
    """One step of a Markov walk, in symmetric form; walk(markov(k), p=…) takes p steps.

        k(x, y) = k(x, y) / √(d(x) · d(y)); d(x) = Σ k(x, t) over training objects t

    Takes a kernel ≥ 0; fitted to the training objects. Positive semidefinite. Cost: that of the kernel, twice on the training objects.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Szummer & Jaakkola 2001; Chapelle, Weston & Schölkopf 2002

    Examples
    --------
    >>> mercer.kernel('walk(markov(rbf(gamma=1)), p=4)')
    RandomWalkPower(Markov(RBF(gamma=1.0)), p=4, through='train', C=1.0, scale='radius')
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class LaplacianWalk(Registered):
    """The p-step walk by the normalised Laplacian. Transductive: compares only objects it was fitted to.

        k(x, y) = (a·I - L̃)^p / a^(p-1), L̃ = I - D^(-1/2)·K·D^(-1/2), D = diag(Σ_j K_ij)

    Takes a kernel ≥ 0; fitted to all objects. Positive semidefinite. Cost: n³ to fit; then one lookup.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    p : int, default 2
        The number of steps; 1 is the kernel itself: a whole number from 1 to 1000.
    a : float, default 2.0
        The weight of staying in place; from 2 on every power is positive semidefinite: a finite number of at least 2.
    scale : {'radius', 'none'}, default 'radius'
        Radius: divide by λmax^(p-1), so that similarities have the same magnitude for every p: one of radius, none.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Smola & Kondor 2003, Kernels and regularization on graphs

    Examples
    --------
    >>> mercer.kernel('laplacian-walk(rbf(gamma=1), p=3, a=2)')
    LaplacianWalk(RBF(gamma=1.0), p=3, a=2.0, scale='radius')
    """

    kernel: Kernel
    p: int
    a: float
    scale: Literal['radius', 'none']
    def __init__(self, kernel: Kernel, p: int = 2, a: float = 2.0, scale: Literal['radius', 'none'] = 'radius', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Cluster(Registered):
    """A Markov walk with a transformed spectrum that emphasises clusters. Transductive: compares only objects it was fitted to.

        k(x, y) = L̃_ij / √(L̃_ii·L̃_jj), L̃ = U·φ(Λ)·Uᵀ of D^(-1/2)·K·D^(-1/2) = U·Λ·Uᵀ; φ: linear λ, step 1 or linear-step λ for the largest λ, polynomial λ^t

    Takes a kernel ≥ 0; fitted to all objects. Positive semidefinite. Cost: n³ to fit; then one lookup.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    transfer : {'linear', 'step', 'linear-step', 'polynomial'}, default 'polynomial'
        The transformation of the eigenvalues: one of linear, step, linear-step, polynomial.
    keep : int, default 10
        Number of eigenvalues kept by step and linear-step; ignored otherwise: a whole number from 1 to 1000000.
    t : float, default 2.0
        The exponent of polynomial; ignored otherwise: a finite number above 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Chapelle, Weston & Schölkopf 2002, Cluster kernels for semi-supervised learning

    Examples
    --------
    >>> mercer.kernel('cluster(rbf(gamma=1), transfer=step, keep=5)')
    Cluster(RBF(gamma=1.0), transfer='step', keep=5, t=2.0)
    """

    kernel: Kernel
    transfer: Literal['linear', 'step', 'linear-step', 'polynomial']
    keep: int
    t: float
    def __init__(self, kernel: Kernel, transfer: Literal['linear', 'step', 'linear-step', 'polynomial'] = 'polynomial', keep: int = 10, t: float = 2.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Similarity(Registered):
    """Objects represented by their distances to references, for one or more kernels or distances.

        k(x, y) = Σ over references s and distances d of u(x)·u(y), u(x) = (mean d(·, s) - d(x, s)) / sd d(·, s); full: uᵀ R⁻¹ u

    Takes kernels or distances, each optionally with columns; fitted to the training objects. Positive semidefinite. Cost: the number of features; preparing an object costs its distances to all references.

    Parameters
    ----------
    distances : list of Kernel, or one
        The inner kernels or distances.
    references : int, default 0
        Number of training objects used as references; 0 for all: a whole number from 0 to 16777216.
    choice : {'random', 'farthest', 'medoids'}, default 'random'
        How references are chosen, unless all are used: one of random, farthest, medoids.
    fisher : {'diagonal', 'full'}, default 'diagonal'
        Scale distances by their standard deviations or by their full covariance: one of diagonal, full.
    ridge : float, default 0.01
        With fisher=full, the amount added to the diagonal of the correlations: a finite number above 0.
    channels : {'together', 'each'}, default 'together'
        Each: use a separate distance for each channel of series: one of together, each.
    missing : {'refuse', 'mean'}, default 'refuse'
        Objects without a value: refuse is an error, mean uses the mean distance to every reference: one of refuse, mean.
    seed : int, default 0
        The random seed for choosing references: a whole number from 0 to 9007199254740992.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Daróczy, Buza & Benczúr 2015, Similarity kernel learning

    Examples
    --------
    >>> mercer.kernel('similarity(rbf(gamma=0.1), delta, references=100)')
    Similarity([RBF(gamma=0.1), Delta()], references=100, choice='random', fisher='diagonal', ridge=0.01, channels='together', missing='refuse', seed=0)
    """

    distances: list[Kernel] | tuple[Kernel, ...] | Kernel
    references: int
    choice: Literal['random', 'farthest', 'medoids']
    fisher: Literal['diagonal', 'full']
    ridge: float
    channels: Literal['together', 'each']
    missing: Literal['refuse', 'mean']
    seed: int
    def __init__(self, distances: list[Kernel] | tuple[Kernel, ...] | Kernel, references: int = 0, choice: Literal['random', 'farthest', 'medoids'] = 'random', fisher: Literal['diagonal', 'full'] = 'diagonal', ridge: float = 0.01, channels: Literal['together', 'each'] = 'together', missing: Literal['refuse', 'mean'] = 'refuse', seed: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Mkl(Registered):
    """Multiple kernel learning: a sum of kernels whose weights are learned from the target.

        k(x, y) = Σ_m w_m · k_m(x, y) / t_m, Σ w_m = 1, t_m the mean self-similarity of the training objects

    Takes kernels; fitted to the training objects and their target. Positive semidefinite. Cost: that of the kernels; fitting takes the Gram matrix of each.

    Parameters
    ----------
    kernels : list of Kernel, or one
        The inner kernels or distances.
    method : {'uniform', 'alignment', 'easy', 'simple'}, default 'easy'
        How weights are found: all equal, by alignment with the target, EasyMKL, SimpleMKL: one of uniform, alignment, easy, simple.
    lambda_ : float, default 0.1
        With method=easy, from near 0 (nearest points of the classes) to 1 (their means): a number above 0 and at most 1.
    C : float, default 1.0
        The penalty C of the models inside: a finite number above 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Gönen & Alpaydın 2011, Multiple kernel learning algorithms

    Examples
    --------
    >>> mercer.kernel('mkl(rbf(gamma=0.1), linear, method=alignment)')
    Mkl([RBF(gamma=0.1), Linear()], method='alignment', lambda_=0.1, C=1.0)
    """

    kernels: list[Kernel] | tuple[Kernel, ...] | Kernel
    method: Literal['uniform', 'alignment', 'easy', 'simple']
    lambda_: float
    C: float
    def __init__(self, kernels: list[Kernel] | tuple[Kernel, ...] | Kernel, method: Literal['uniform', 'alignment', 'easy', 'simple'] = 'easy', lambda_: float = 0.1, C: float = 1.0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Learned(Registered):
    """The kernel inside with the continuous parameters, weights of terms and weights of columns that have the highest marginal likelihood.

        k(x, y) = max over θ, s and σ² of log p(y), y ~ N(b, s·K_θ + σ²·W⁻¹); for classes Laplace's approximation of p(y | f), f ~ N(0, s·K_θ)

    Takes a positive semidefinite kernel; fitted to the training objects and their target. Positive semidefinite. Cost: that of the kernel; fitting takes some tens of m³ for m objects, and two matrices for each parameter without known derivative.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    which : {'all', 'defaults'}, default 'all'
        All continuous numbers of the kernel, or those at their defaults and weights of terms without a factor; those of relevance always: one of all, defaults.
    noise : float or {'learned', 'none'}, default 'learned'
        The variance of an observation, as of the learner gp: a finite number above 0, learned or none.
    scale : float or {'learned'}, default 'learned'
        The factor of the whole kernel, as of the learner gp: a finite number above 0, learned.
    mean : {'constant', 'zero'}, default 'constant'
        As of the learner gp: one of constant, zero.
    objects : int, default 1000
        Learned from at most this many training objects; at most 300 where a parameter has no known derivative: a whole number from 5 to 100000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Rasmussen & Williams 2006, Gaussian processes for machine learning, chapter 5

    Examples
    --------
    >>> mercer.kernel('learned(rbf + linear)')
    Learned(RBF(gamma=1.0) + Linear(), which='all', noise='learned', scale='learned', mean='constant', objects=1000)
    """

    kernel: Kernel
    which: Literal['all', 'defaults']
    noise: float | Literal['learned', 'none']
    scale: float | Literal['learned']
    mean: Literal['constant', 'zero']
    objects: int
    def __init__(self, kernel: Kernel, which: Literal['all', 'defaults'] = 'all', noise: float | Literal['learned', 'none'] = 'learned', scale: float | Literal['learned'] = 'learned', mean: Literal['constant', 'zero'] = 'constant', objects: int = 1000, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Fusion(Registered):
    """Late fusion: the decision values of one model per kernel, as features.

        k(x, y) = Σ_m Σ_c f_mc(x)·f_mc(y), f_mc the decision value of a model with kernel k_m for class c

    Takes kernels; fitted to the training objects and their target. Positive semidefinite. Cost: the number of kernels times classes; preparing an object costs its similarities to the training objects.

    Parameters
    ----------
    kernel : list of Kernel, or one
        The inner kernels or distances.
    C : float, default 1.0
        The penalty C of the models inside: a finite number above 0.
    folds : int, default 5
        Number of folds; training objects get the decision values of models fitted without their fold: a whole number from 2 to 100.
    seed : int, default 0
        Assigns training objects to folds: a whole number from 0 to 9007199254740992.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Wolpert 1992, Stacked generalization

    Examples
    --------
    >>> mercer.kernel('fusion(rbf(gamma=0.1), linear)')
    Fusion([RBF(gamma=0.1), Linear()], C=1.0, folds=5, seed=0)
    """

    kernel: list[Kernel] | tuple[Kernel, ...] | Kernel
    C: float
    folds: int
    seed: int
    def __init__(self, kernel: list[Kernel] | tuple[Kernel, ...] | Kernel, C: float = 1.0, folds: int = 5, seed: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ColumnSum(Registered):
    """The sum of the same kernel over single columns; a column of vectors counts as one per coordinate.

        k(x, y) = Σ_c k(x_c, y_c)

    Takes a kernel. Positive semidefinite. Cost: that of the kernel per column.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Haussler 1999, convolution over the parts of a record

    Examples
    --------
    >>> mercer.kernel('column-sum(rbf(gamma=0.1))')
    ColumnSum(RBF(gamma=0.1))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ColumnProduct(Registered):
    """The product of the same kernel over single columns; a column of vectors counts as one per coordinate.

        k(x, y) = Π_c k(x_c, y_c)

    Takes a kernel. Positive semidefinite. Cost: that of the kernel per column.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Haussler 1999, convolution over the parts of a record

    Examples
    --------
    >>> mercer.kernel('column-product(laplacian(gamma=0.1))')
    ColumnProduct(Laplacian(gamma=0.1))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Standardize(Registered):
    """Scales each number column to mean 0 and variance 1 on the training objects, before a kernel.

        k(x, y) = x_c → (x_c - mean_c) / sd_c; sparse x_c / sd_c, with the warning W_SPARSE, where centring takes more than 64 MB and 4 times the stored values; a constant column becomes 0

    Takes a kernel; fitted to the training objects. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Hsu, Chang & Lin 2003, A practical guide to support vector classification

    Examples
    --------
    >>> mercer.kernel('standardize(rbf(gamma=0.1))')
    Standardize(RBF(gamma=0.1))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class MinMax(Registered):
    """Scales each number column to 0..1 on the training objects, before a kernel.

        k(x, y) = x_c → (x_c - min_c) / (max_c - min_c), clipped to 0..1 for new objects; sparse x_c / max |x_c| within -1..1, with the warning W_SPARSE, where shifting takes more than 64 MB and 4 times the stored values; a constant column becomes 0

    Takes a kernel; fitted to the training objects. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Hsu, Chang & Lin 2003, A practical guide to support vector classification

    Examples
    --------
    >>> mercer.kernel('minmax(chi2(gamma=1))')
    MinMax(ChiSquared(gamma=1.0))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Relevance(Registered):
    """Weights each number column by how much it helps to predict the target, before a Gaussian or Laplacian kernel.

        k(x, y) = x_c → (x_c - mean_c) / sd_c · w_c, w ≥ 0 climbs the share of the target that leave-one-out kernel regression explains at gamma=1; half of at most 600 training objects give the gradient, the others choose the step and the share of the largest, from 1 to 20 %, below which a weight is 0 unless they lose significantly by it

    Takes rbf, laplacian or rational-quadratic on columns of numbers; fitted to the training objects and their target. Positive semidefinite. Cost: that of the kernel; fitting takes steps · 90,000 · d.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    steps : int, default 50
        The largest number of gradient steps; 0 for equal weights: a whole number from 0 to 10000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Weinberger & Tesauro 2007, Metric learning for kernel regression

    Examples
    --------
    >>> mercer.kernel('relevance(rbf(gamma=1))')
    Relevance(RBF(gamma=1.0), steps=50)
    """

    kernel: Kernel
    steps: int
    def __init__(self, kernel: Kernel, steps: int = 50, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Impute(Registered):
    """Replaces missing values by the median, mean or most frequent value of the training objects, before a kernel.

        k(x, y) = numbers: the median (or mean) of the known values; categories: the most frequent value

    Takes a kernel; fitted to the training objects. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    method : {'median', 'mean'}, default 'median'
        The replacement of a missing number: one of median, mean.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Little & Rubin 2019, Statistical analysis with missing data, chapter 4

    Examples
    --------
    >>> mercer.kernel('impute(standardize(rbf(gamma=0.1)))')
    Impute(Standardize(RBF(gamma=0.1)), method='median')
    """

    kernel: Kernel
    method: Literal['median', 'mean']
    def __init__(self, kernel: Kernel, method: Literal['median', 'mean'] = 'median', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Resample(Registered):
    """Resamples each series at evenly spaced time steps, before a kernel.

        k(x, y) = x → linear interpolation of x at length evenly spaced time steps from its first to its last

    Takes a kernel on series. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    length : int, default 64
        The number of time steps: a whole number from 1 to 16777216.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Ratanamahatana & Keogh 2005, Three myths about dynamic time warping data mining

    Examples
    --------
    >>> mercer.kernel('resample(series-euclidean, length=100)')
    Resample(SeriesEuclidean(channel=0), length=100)
    """

    kernel: Kernel
    length: int
    def __init__(self, kernel: Kernel, length: int = 64, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Bin(Registered):
    """Replaces successive time steps of each series by their means, before a kernel.

        k(x, y) = x → the means of every width time steps; the last is of the remaining ones

    Takes a kernel on series. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    width : int, default 4
        The number of time steps per bin: a whole number from 1 to 16777216.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Keogh et al. 2001, Dimensionality reduction for fast similarity search in large time series databases

    Examples
    --------
    >>> mercer.kernel('bin(dtw, width=4)')
    Bin(DTW(window=1.0, shape='sakoe-chiba', slope=2.0, channels='dependent', channel=0, precision='double'), width=4)
    """

    kernel: Kernel
    width: int
    def __init__(self, kernel: Kernel, width: int = 4, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class ZNormalize(Registered):
    """Scales each channel of each series to mean 0 and variance 1, before a kernel.

        k(x, y) = x → (x - mean(x)) / sd(x); a constant channel becomes 0

    Takes a kernel on series. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Goldin & Kanellakis 1995, On similarity queries for time-series data

    Examples
    --------
    >>> mercer.kernel('znormalize(dtw(window=0.1))')
    ZNormalize(DTW(window=0.1, shape='sakoe-chiba', slope=2.0, channels='dependent', channel=0, precision='double'))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class LearnedWindow(Registered):
    """A distance of series that has a window, with the window that best separates the training classes.

        k(x, y) = d(x, y) with window = w, w of 0, 1/steps, …, 1 with the fewest leave-one-out errors of 1-nearest-neighbour on the training series, ties to the smallest

    Takes a distance of series with a window, and classes of the training objects. Indefinite. Cost: that of the distance; fitting takes the distances of all training objects for every window.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    steps : int, default 20
        The number of windows above 0; the window and shape of the distance are replaced: a whole number from 1 to 1000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Ratanamahatana & Keogh 2005; Lines & Bagnall 2015, Time series classification with ensembles of elastic distance measures

    Examples
    --------
    >>> mercer.kernel('learned-window(msm(c=0.5))')
    LearnedWindow(MSM(c=0.5, window=1.0, shape='sakoe-chiba', slope=2.0, channel=0), steps=20)
    """

    kernel: Kernel
    steps: int
    def __init__(self, kernel: Kernel, steps: int = 20, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Terms(Registered):
    """Texts as weighted counts of the terms of the training texts, before a kernel or distance.

        k(x, y) = tf: f/l, the share of the text and not the count; tfidf: f·ln((H-h+½)/(h+½)); bm25: ln((H-h+½)/(h+½))·f(k+1)/(f+k(1-b+b·l/l̄)); f a term's count, l the text's length, h of H training texts have the term; ln is below 0 where more than half have it

    Takes a kernel on numbers; fitted to the training texts. Positive semidefinite. Cost: that of the kernel; the length of the texts before.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    weight : {'tfidf', 'bm25', 'tf', 'count', 'binary'}, default 'tfidf'
        The weight of a term in a text, from its count, the length of the text and the document frequency: one of tfidf, bm25, tf, count, binary.
    top : int, default 0
        Maximum number of terms, the most frequent ones of the training texts; 0 for all: a whole number from 0 to 10000000.
    ngrams : int, default 1
        Maximum number of words of a term: a whole number from 1 to 5.
    stem : {'none', 'english', 'danish', 'dutch', 'finnish', 'french', 'german', 'italian', 'norwegian', 'portuguese', 'russian', 'spanish', 'swedish'}, default 'none'
        The language whose words are reduced to their stems (Snowball): one of none, english, danish, dutch, finnish, french, german, italian, norwegian, portuguese, russian, spanish, swedish.
    stop : {'none', 'english'}, default 'none'
        The language whose most common words are left out: one of none, english.
    min_documents : int, default 1
        Keep terms that occur in at least this many training texts: a whole number from 1 to 1000000000.
    k : float, default 1.2
        Term frequency saturation k in bm25: a finite number of at least 0.
    b : float, default 0.75
        Length normalisation b in bm25, from 0 to 1: a finite number of at least 0.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Robertson & Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond

    Examples
    --------
    >>> mercer.kernel('terms(cosine, weight=bm25, stem=english)')
    Terms(Cosine(), weight='bm25', top=0, ngrams=1, stem='english', stop='none', min_documents=1, k=1.2, b=0.75)
    """

    kernel: Kernel
    weight: Literal['tfidf', 'bm25', 'tf', 'count', 'binary']
    top: int
    ngrams: int
    stem: Literal['none', 'english', 'danish', 'dutch', 'finnish', 'french', 'german', 'italian', 'norwegian', 'portuguese', 'russian', 'spanish', 'swedish']
    stop: Literal['none', 'english']
    min_documents: int
    k: float
    b: float
    def __init__(self, kernel: Kernel, weight: Literal['tfidf', 'bm25', 'tf', 'count', 'binary'] = 'tfidf', top: int = 0, ngrams: int = 1, stem: Literal['none', 'english', 'danish', 'dutch', 'finnish', 'french', 'german', 'italian', 'norwegian', 'portuguese', 'russian', 'spanish', 'swedish'] = 'none', stop: Literal['none', 'english'] = 'none', min_documents: int = 1, k: float = 1.2, b: float = 0.75, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Content(Registered):
    """Texts as a few statistics each, before a kernel: columns words, distinct-words, mean-word-length, compression, entropy, corpus-precision and corpus-recall.

        k(x, y) = compression: bytes after deflate over bytes before, 0 for an empty text; entropy: -Σ p ln p over words; precision: the share of words among the top of the training texts; recall: the share of the top in the text; without words all are 0 but compression

    Takes a kernel on numbers; fitted to the training texts. Positive semidefinite. Cost: that of the kernel; the length of the texts before.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    top : int, default 100
        The number of most frequent words of the training texts used as the corpus: a whole number from 1 to 10000000.
    stop : {'none', 'english'}, default 'english'
        The language whose most common words are left out: one of none, english.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Castillo, Donato, Gionis, Murdock & Silvestri 2007, Know your neighbors; Ntoulas, Najork, Manasse & Fetterly 2006

    Examples
    --------
    >>> mercer.kernel('content(standardize(rbf(gamma=0.1)))')
    Content(Standardize(RBF(gamma=0.1)), top=100, stop='english')
    """

    kernel: Kernel
    top: int
    stop: Literal['none', 'english']
    def __init__(self, kernel: Kernel, top: int = 100, stop: Literal['none', 'english'] = 'english', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Visual(Registered):
    """Images as Fisher vectors over the visual words of the training images, before a kernel or distance.

        k(x, y) = gradients 1/(T√w_k) Σ γ(k)(x-μ_k)/σ_k and 1/(T√(2w_k)) Σ γ(k)((x-μ_k)²/σ_k²-1) of a Gaussian mixture's likelihood over the descriptors x of an image's blocks; z → sign(z)√|z|; unit length

    Takes a kernel on numbers; fitted to the training images. Positive semidefinite. Cost: that of the kernel; blocks · words · components per image before.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    words : int, default 32
        Gaussians in the mixture, for each descriptor: a whole number from 1 to 4096.
    components : int, default 32
        Principal components of descriptors: a whole number from 1 to 144.
    features : {'both', 'hog', 'colour'}, default 'both'
        The descriptors of a block: histograms of gradients, statistics of colours, or both: one of both, hog, colour.
    block : int, default 24
        The side of the smallest blocks, in pixels: a whole number from 4 to 4096.
    blocks : int, default 4
        Sizes of blocks: block times 1, 4/3, 2, 8/3, …: a whole number from 1 to 12.
    step : int, default 8
        Pixels from block to block: a whole number from 1 to 4096.
    bands : {'yes', 'no'}, default 'yes'
        Whether to add the Fisher vectors of the upper, middle and lower third of an image: one of yes, no.
    pixels : int, default 300000
        Maximum number of pixels; larger images are reduced: a whole number from 16 to 16777216.
    sample : int, default 50000
        Number of blocks that words are fitted to: a whole number from 100 to 10000000.
    seed : int, default 0
        Seed of the random numbers: a whole number from 0 to 9007199254740992.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Perronnin, Sánchez & Mensink 2010, Improving the Fisher kernel for large-scale image classification

    Examples
    --------
    >>> mercer.kernel('visual(linear, words=64)')
    Visual(Linear(), words=64, components=32, features='both', block=24, blocks=4, step=8, bands='yes', pixels=300000, sample=50000, seed=0)
    """

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
    def __init__(self, kernel: Kernel, words: int = 32, components: int = 32, features: Literal['both', 'hog', 'colour'] = 'both', block: int = 24, blocks: int = 4, step: int = 8, bands: Literal['yes', 'no'] | bool = 'yes', pixels: int = 300000, sample: int = 50000, seed: int = 0, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Atoms(Registered):
    """Labels the atoms of molecules, before a kernel on graphs.

        k(x, y) = k of the graphs of the molecules; labels=element: C; atom: element, aromaticity, charge, neighbours and hydrogens; pharmacophore: donor, acceptor, …

    Takes a kernel on graphs. Positive semidefinite. Cost: that of the kernel.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    labels : {'element', 'atom', 'pharmacophore'}, default 'atom'
        What the label of an atom says: one of element, atom, pharmacophore.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Ralaivola, Swamidass, Saigo & Baldi 2005, Graph kernels for chemical informatics

    Examples
    --------
    >>> mercer.kernel('atoms(wl-oa(h=3), labels=pharmacophore)')
    Atoms(WeisfeilerLehmanOptimalAssignment(h=3, edge_labels='no', ignore='nothing'), labels='pharmacophore')
    """

    kernel: Kernel
    labels: Literal['element', 'atom', 'pharmacophore']
    def __init__(self, kernel: Kernel, labels: Literal['element', 'atom', 'pharmacophore'] = 'atom', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Core(Registered):
    """A kernel on graphs, summed over their k-cores.

        k(x, y) = Σ_i k(C_i(G), C_i(H)), C_i the largest subgraph in which every node has at least i neighbours

    Takes a kernel on graphs. Positive semidefinite. Cost: that of the kernel for each core.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Nikolentzos, Meladianos, Limnios & Vazirgiannis 2018, A degeneracy framework

    Examples
    --------
    >>> mercer.kernel('core(wl(h=3))')
    Core(WeisfeilerLehman(h=3, edge_labels='no', base='subtree', ignore='nothing'))
    """

    kernel: Kernel
    def __init__(self, kernel: Kernel, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class WlOf(Registered):
    """A kernel on graphs, summed over Weisfeiler–Lehman rounds of labels.

        k(x, y) = Σ_{i=0..h} k(G_i, H_i), where G_0 = G and l_{i+1}(v) = (l_i(v), {l_i(u): u ~ v})

    Takes a kernel on graphs. Positive semidefinite. Cost: that of the kernel for each round.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    h : int, default 3
        Number of rounds: radius of the neighbourhoods: a whole number from 0 to 1000.
    edge_labels : {'no', 'yes'}, default 'no'
        Use edge labels to distinguish neighbours: one of no, yes.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Shervashidze et al. 2011, Weisfeiler-Lehman graph kernels, section 3.1

    Examples
    --------
    >>> mercer.kernel('wl-of(random-walk(kind=k-step, steps=2, decay=1), h=2)')
    WlOf(RandomWalk(kind='k-step', steps=2, decay=1.0, labels='yes', ignore='nothing'), h=2, edge_labels='no')
    """

    kernel: Kernel
    h: int
    edge_labels: Literal['no', 'yes'] | bool
    def __init__(self, kernel: Kernel, h: int = 3, edge_labels: Literal['no', 'yes'] | bool = 'no', *, columns: str | int | list[str] | list[int] | None = None) -> None: ...

class Convolution(Registered):
    """The sum of a kernel over all pairs of parts of two objects.

        k(x, y) = Σ_{s ∈ parts(x)} Σ_{t ∈ parts(y)} k(s, t)

    Takes a kernel of the parts. Positive semidefinite. Cost: parts of x times parts of y.

    Parameters
    ----------
    kernel : Kernel
        The inner kernel.
    parts : {'columns', 'symbols', 'words', 'substrings'}, default 'columns'
        Columns: each number of the object; symbols, words, substrings: of its string or text: one of columns, symbols, words, substrings.
    length : int, default 3
        Symbols in a substring: a whole number from 1 to 1000.
    columns : str or list of str, optional
        The columns to use; by default all columns of a suitable kind.

    References
    ----------
    Haussler 1999, Convolution kernels on discrete structures

    Examples
    --------
    >>> mercer.kernel('convolution(delta, parts=substrings, length=3)@sequence')
    Convolution(Delta(), parts='substrings', length=3, columns=['sequence'])
    """

    kernel: Kernel
    parts: Literal['columns', 'symbols', 'words', 'substrings']
    length: int
    def __init__(self, kernel: Kernel, parts: Literal['columns', 'symbols', 'words', 'substrings'] = 'columns', length: int = 3, *, columns: str | int | list[str] | list[int] | None = None) -> None: ...
