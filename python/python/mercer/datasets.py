"""Synthetic data sets in their published sizes, and three embedded ones. Nothing is downloaded.

>>> X, y = mercer.datasets.make_balance()
>>> X.shape, y[:3].tolist()
((625, 4), ['B', 'R', 'R'])
"""

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from . import _mercer
from ._data import Objects
from ._errors import ParameterError
from ._values import flag, real
from .matrices import whole

__all__ = [
    "load_iris",
    "load_mutag",
    "load_promoters",
    "make_balance",
    "make_balance1",
    "make_balance3",
    "make_half_moons",
    "make_power_law",
    "make_rings",
    "make_swiss_roll",
]


def make_balance1():
    """Generate all 400 pairs of integers from 1 to 20; class "L", "B" or "R": the first is larger, equal or smaller."""
    return points("balance1")


def make_balance():
    """Generate the balance scale data: all 625 tuples (weight, distance, weight, distance) from 1 to 5.

    Class "L", "B" or "R" as the product of the first two is larger than, equal to or smaller than that of the last two.
    """
    return points("balance")


def make_balance3():
    """Generate all 729 tuples of six integers from 1 to 3; class "L", "B" or "R" by the products of both halves."""
    return points("balance3")


def make_half_moons(n_samples=800, *, noise=0.1, random_state=0):
    """Generate two interleaving half circles of radius 1, around (0, 0) and (1, 0.5); alternately "upper" and "lower".

    ``noise`` is the standard deviation of the Gaussian noise added to each coordinate. ``mercer generate half-moons
    --seed N`` writes the same points.

    Parameters
    ----------
    n_samples : int, default 800
        Number of points.
    noise : float, default 0.1
        Standard deviation of the Gaussian noise added to each coordinate.
    random_state : int or RandomState, default 0
        Seed of the noise.
    """
    return points("half-moons", n_samples, noise, random_state)


def make_rings(n_samples=685, *, noise=0.15, random_state=0):
    """Generate three concentric rings of radius 1, 2 and 3; classes "inner", "middle" and "outer" alternate.

    Parameters
    ----------
    n_samples : int, default 685
        Number of points.
    noise : float, default 0.15
        Standard deviation of the Gaussian noise added to each coordinate.
    random_state : int or RandomState, default 0
        Seed of the noise.
    """
    return points("rings", n_samples, noise, random_state)


def make_swiss_roll(n_samples=1600, *, noise=0.3, random_state=0):
    """Generate a swiss roll (t cos t, h, t sin t) with t from 1.5π to 4.5π, cut by t into classes "1" to "4".

    Parameters
    ----------
    n_samples : int, default 1600
        Number of points.
    noise : float, default 0.3
        Standard deviation of the Gaussian noise added to each coordinate.
    random_state : int or RandomState, default 0
        Seed of the noise.
    """
    return points("swiss-roll", n_samples, noise, random_state)


def make_power_law(n_nodes=1000, *, joins=3, random_state=0):
    """Generate the adjacency matrix (scipy.sparse) of a network by preferential attachment (Barabási & Albert 1999).

    It starts from a complete graph of ``joins`` + 1 nodes. Each new node is connected to ``joins`` others, with
    probability increasing with their degree.

    Parameters
    ----------
    n_nodes : int, default 1000
        Number of nodes.
    joins : int, default 3
        Number of nodes to which each new node is joined.
    random_state : int or RandomState, default 0
        Seed of the network.

    Examples
    --------
    >>> A = mercer.datasets.make_power_law(100, joins=2)
    >>> A.shape, int(A.sum()) // 2
    ((100, 100), 197)
    """
    n, joins = whole("n_nodes", n_nodes), whole("joins", joins)
    a, b = _mercer.generate_power_law(n, joins, seed_of(random_state))
    ones = np.ones(2 * len(a))
    return sparse.csr_array((ones, (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(n, n))


def load_iris(*, return_X_y=True, as_frame=False):
    """Load 150 iris flowers of three species with four measurements each (Fisher 1936): ``X, y``.

    ``as_frame=True`` returns X as a dict of columns, which kernels accept as a table: ``RBF().on("petal_length")``.

    Parameters
    ----------
    return_X_y : bool, default True
        False returns a ``Bunch`` as scikit-learn's loaders do, with ``data``, ``target``, ``feature_names`` and
        ``target_names``.
    as_frame : bool, default False
        Whether X is a dict of columns, which kernels accept as a table: ``RBF().on("petal_length")``.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> X.shape, str(y[0])
    ((150, 4), 'setosa')
    """
    data, (codes, names) = _mercer.embedded_data("iris")
    X, columns = _mercer.numbers_of(data)
    if flag("as_frame", as_frame):
        X = {name: X[:, j] for j, name in enumerate(columns)}
    y = np.asarray(names)[codes]
    if flag("return_X_y", return_X_y):
        return X, y
    return Bunch(data=X, target=y, feature_names=list(columns), target_names=np.asarray(names))


def load_mutag():
    """Load 188 nitro compounds as graphs of atoms (:class:`mercer.Objects`), with class "1" (mutagenic) or "-1".

    Nodes are labelled by element, edges by bond (Debnath et al. 1991).

    Examples
    --------
    >>> graphs, y = mercer.datasets.load_mutag()
    >>> mercer.WeisfeilerLehman(h=5).gram(graphs)[0, :2]
    array([412., 210.])
    """
    data, (codes, names) = _mercer.embedded_data("mutag")
    return Objects(data), np.asarray(names)[codes]


def load_promoters():
    """Load 106 DNA sequences of *E. coli*, with class "promoter" (where transcription begins) or "other".

    Each has 57 nucleotides (Towell, Shavlik & Noordewier 1990).

    Examples
    --------
    >>> sequences, y = mercer.datasets.load_promoters()
    >>> sequences[0][:12], str(y[0])
    ('gccttctccaaa', 'promoter')
    """
    data, (codes, names) = _mercer.embedded_data("promoters")
    return _mercer.strings_of(data), np.asarray(names)[codes]


def points(name, n=None, noise=None, random_state=0):
    n = None if n is None else whole("n_samples", n)
    noise = None if noise is None else real("noise", noise)
    X, (codes, names) = _mercer.generate_points(name, n, noise, seed_of(random_state))
    return X, np.asarray(names)[codes]


def seed_of(random_state):
    """The seed, or one drawn from a NumPy generator."""
    if isinstance(random_state, (int, np.integer)) and 0 <= random_state < 2**64:
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    raise ParameterError(f"random_state = {random_state!r}: must be a whole number of at least 0 or a NumPy generator")
