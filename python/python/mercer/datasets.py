"""Data sets that follow from a rule, in their published sizes, and the two that come with the package. Nothing is downloaded.

>>> X, y = mercer.datasets.make_balance()
>>> X.shape, y[:3].tolist()
((625, 4), ['B', 'R', 'R'])
"""

import numpy as np
from scipy import sparse

from . import _mercer
from ._data import Objects
from ._errors import ParameterError
from ._values import flag, real
from .matrices import whole

__all__ = [
    "load_iris",
    "load_mutag",
    "make_balance",
    "make_balance1",
    "make_balance3",
    "make_half_moons",
    "make_power_law",
    "make_rings",
    "make_swiss_roll",
]


def make_balance1():
    """All 400 pairs of whole numbers from 1 to 20; class "L", "B" or "R" as the first is larger, equal or smaller."""
    return points("balance1")


def make_balance():
    """The balance scale: all 625 tuples (weight, distance, weight, distance) from 1 to 5.

    Class "L", "B" or "R" as the product of the first two is larger than, equal to or smaller than that of the last two.
    """
    return points("balance")


def make_balance3():
    """All 729 tuples of six whole numbers from 1 to 3; class "L", "B" or "R" by the products of both halves."""
    return points("balance3")


def make_half_moons(n_samples=800, *, noise=0.1, random_state=0):
    """Two interleaving half circles of radius 1, around (0, 0) and (1, 0.5); classes "upper" and "lower" alternate.

    ``noise`` is the standard deviation of a normal number added to each coordinate. ``mercer generate half-moons --seed N`` writes
    the same points.
    """
    return points("half-moons", n_samples, noise, random_state)


def make_rings(n_samples=685, *, noise=0.15, random_state=0):
    """Three concentric rings of radius 1, 2 and 3; classes "inner", "middle" and "outer" alternate."""
    return points("rings", n_samples, noise, random_state)


def make_swiss_roll(n_samples=1600, *, noise=0.3, random_state=0):
    """A rolled sheet in space, (t cos t, h, t sin t) with t from 1.5π to 4.5π, cut into four strips by t: classes "1" to "4"."""
    return points("swiss-roll", n_samples, noise, random_state)


def make_power_law(n_nodes=1000, *, joins=3, random_state=0):
    """The adjacency matrix (scipy.sparse) of a network that grew by preferential attachment (Barabási & Albert 1999).

    It starts from ``joins`` + 1 nodes that are all joined; each new node joins ``joins`` others, those with many edges more likely.

    >>> A = mercer.datasets.make_power_law(100, joins=2)
    >>> A.shape, int(A.sum()) // 2
    ((100, 100), 197)
    """
    n, joins = whole("n_nodes", n_nodes), whole("joins", joins)
    a, b = _mercer.generate_power_law(n, joins, seed_of(random_state))
    ones = np.ones(2 * len(a))
    return sparse.csr_array((ones, (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(n, n))


def load_iris(*, as_frame=False):
    """150 iris flowers of three species with four measurements each (Fisher 1936): ``X, y``.

    ``as_frame=True`` gives X as a dict of columns by name, which kernels take as a table: ``RBF().on("petal_length")``.
    """
    data, (codes, names) = _mercer.embedded_data("iris")
    X, columns = _mercer.numbers_of(data)
    if flag("as_frame", as_frame):
        X = {name: X[:, j] for j, name in enumerate(columns)}
    return X, np.asarray(names)[codes]


def load_mutag():
    """188 nitro compounds as graphs of their atoms (:class:`mercer.Objects`), and whether they are mutagenic: "1" or "-1".

    Nodes are labelled by element, edges by bond (Debnath et al. 1991).

    >>> graphs, y = mercer.datasets.load_mutag()
    >>> mercer.WeisfeilerLehman(h=5).gram(graphs)[0, :2]
    array([412., 210.])
    """
    data, (codes, names) = _mercer.embedded_data("mutag")
    return Objects(data), np.asarray(names)[codes]


def points(name, n=None, noise=None, random_state=0):
    n = None if n is None else whole("n_samples", n)
    noise = None if noise is None else real("noise", noise)
    X, (codes, names) = _mercer.generate_points(name, n, noise, seed_of(random_state))
    return X, np.asarray(names)[codes]


def seed_of(random_state):
    """The seed of the program, or one drawn from a generator of NumPy."""
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < 2**64:
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    raise ParameterError(f"random_state = {random_state!r}: must be a whole number of at least 0 or a generator of NumPy")
