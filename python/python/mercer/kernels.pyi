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

class Convolution(Registered):
    """The sum of a kernel over all pairs of parts of two objects."""

    kernel: Kernel
    parts: Literal['columns', 'symbols', 'words', 'substrings']
    length: int
    columns: Any
    def __init__(self, kernel: Kernel, parts: Literal['columns', 'symbols', 'words', 'substrings'] = 'columns', length: int = 3, *, columns: str | list[str] | None = None) -> None: ...
