"""Splitters for scikit-learn's ``cv``, with the same splits as the program."""

import numbers

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from . import _mercer
from ._errors import DataError, ParameterError
from ._values import real, renamed, seed_of
from .matrices import whole

__all__ = [
    "FiveByTwo",
    "Forward",
    "GroupHoldout",
    "GroupKFold",
    "Holdout",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "Protocol",
    "StratifiedKFold",
]


class Protocol:
    """Splitter given by its text.

    Examples of texts are ``10-fold``, ``3x10-fold``, ``5x2``, ``group-5-fold``, ``leave-one-out``, ``holdout(0.3)`` and
    ``forward(5)``.
    Folds are stratified if y holds classes. The same seed gives the same splits here and in the program. With
    scikit-learn's metadata routing, only the splitters by groups request ``groups``.

    Parameters
    ----------
    protocol : str
        The text of the protocol, as the program takes it: ``"10-fold"``, ``"5x2"``, ``"loo"``, …
    random_state : int or RandomState, optional, default 42
        Seed of the splits; the same number gives the same splits as the program's ``--seed``.
    seed : int, optional
        Deprecated name of ``random_state``.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> len(list(mercer.Protocol("3x10-fold").split(X, y)))
    30
    """

    def __init__(self, protocol, *, random_state=42, seed=None):
        self.protocol = protocol
        self.random_state = renamed("seed", seed, "random_state", random_state)

    def _text(self):
        if not isinstance(self.protocol, str):
            raise ParameterError(f"protocol = {self.protocol!r:.80}: must be a str such as '10-fold'")
        return self.protocol

    def split(self, X, y=None, groups=None):
        """Generate the splits as index arrays of training and test objects."""
        from sklearn.utils import check_random_state
        from sklearn.utils.multiclass import type_of_target

        n = number_of(X)
        classes = None
        if y is not None and type_of_target(y) in ("binary", "multiclass"):
            classes = np.unique(y, return_inverse=True)[1].ravel().tolist()
        for name, values in (("y", y), ("groups", groups)):
            if values is not None and number_of(values) != n:
                raise DataError(f"{name} has {number_of(values)} values, but X has {n} objects")
        if self._takes_groups() and groups is None:
            raise DataError(f"The 'groups' parameter should not be None: {self!r} keeps groups whole")
        if groups is not None:
            groups = codes_of(groups)
        seed = self.random_state
        if seed is None or isinstance(seed, np.random.RandomState):
            seed = check_random_state(seed).randint(2**31)
        yield from _mercer.make_splits(self._text(), n, classes, groups, seed_of("random_state", seed), self._times(n))

    def _times(self, n):
        return None

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return the number of splits."""
        if X is None and groups is not None and self._takes_groups():
            X = np.empty((number_of(groups), 1))
        if X is None:
            raise ParameterError("The 'X' parameter should not be None: the number of splits depends on the objects")
        return sum(1 for _ in self.split(X, y, groups))

    @property
    def seed(self):
        """The former name of ``random_state``."""
        return self.random_state

    def _takes_groups(self):
        return "group" in self._text()

    def get_metadata_routing(self):
        """Get the metadata that ``split`` requests: groups, for splitters by groups."""
        request = MetadataRequest(owner=self)
        if self._takes_groups():
            request.split.add_request(param="groups", alias=True)
        return request

    def __repr__(self):
        return f"{type(self).__name__}({self.protocol!r}, random_state={self.random_state!r})"


def number_of(values):
    shape = getattr(values, "shape", None)
    try:
        return shape[0] if shape else len(values)
    except TypeError:
        raise DataError(f"expected objects, got {type(values).__name__}") from None


def codes_of(groups):
    """Groups as integers; groups that cannot be sorted are numbered by first appearance."""
    groups = np.asarray(groups)
    if groups.ndim != 1:
        raise DataError(f"groups must have one value per object, and has {groups.ndim} dimensions")
    try:
        return np.unique(groups, return_inverse=True)[1].tolist()
    except TypeError:
        known = {}
        try:
            return [known.setdefault(group, len(known)) for group in groups.tolist()]
        except TypeError:
            raise DataError("groups must be text or numbers") from None


class _Named(Protocol):
    _names = ()

    def __repr__(self):
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in (*self._names, "random_state"))
        return f"{type(self).__name__}({inside})"


class StratifiedKFold(_Named):
    """Stratified k-fold with ``n_splits`` folds, repeated ``n_repeats`` times.

    Parameters
    ----------
    n_splits : int, default 5
        Number of folds.
    n_repeats : int, default 1
        Number of repetitions, each with other folds.
    random_state : int or RandomState, optional, default 42
        Seed of the splits; the same number gives the same splits as the program's ``--seed``.
    seed : int, optional
        Deprecated name of ``random_state``.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> [len(test) for _, test in mercer.StratifiedKFold(3).split(X, y)]
    [50, 50, 50]
    """

    _names = ("n_splits", "n_repeats")
    _format = "{n_repeats}x{n_splits}-fold"

    def __init__(self, n_splits=5, n_repeats=1, *, random_state=42, seed=None):
        self.n_splits, self.n_repeats = n_splits, n_repeats
        self.random_state = renamed("seed", seed, "random_state", random_state)

    def _text(self):
        return self._format.format(n_splits=whole("n_splits", self.n_splits), n_repeats=whole("n_repeats", self.n_repeats))

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return the number of splits."""
        return whole("n_splits", self.n_splits) * whole("n_repeats", self.n_repeats)


class GroupKFold(StratifiedKFold):
    """k-fold by groups, with folds of about equal size, stratified as far as the groups allow.

    Parameters
    ----------
    n_splits : int, default 5
        Number of folds.
    n_repeats : int, default 1
        Number of repetitions, each with other folds.
    random_state : int or RandomState, optional, default 42
        Seed of the splits; the same number gives the same splits as the program's ``--seed``.
    seed : int, optional
        Deprecated name of ``random_state``.

    Examples
    --------
    >>> groups = ["a", "a", "b", "b", "c", "c"]
    >>> splits = list(mercer.GroupKFold(3).split(np.zeros((6, 1)), [0, 1, 0, 1, 0, 1], groups))
    >>> [len(set(np.array(groups)[test])) for _, test in splits]
    [1, 1, 1]
    """

    _format = "{n_repeats}xgroup-{n_splits}-fold"


class FiveByTwo(StratifiedKFold):
    """Five repetitions of 2-fold cross-validation, for the 5×2cv tests (Dietterich 1998).

    Parameters
    ----------
    random_state : int or RandomState, optional, default 42
        Seed of the splits; the same number gives the same splits as the program's ``--seed``.
    seed : int, optional
        Deprecated name of ``random_state``.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> len(list(mercer.FiveByTwo().split(X, y)))
    10
    """

    _names = ()

    def __init__(self, *, random_state=42, seed=None):
        super().__init__(2, 5, random_state=renamed("seed", seed, "random_state", random_state))


class LeaveOneOut(_Named):
    """Leave-one-out: each object is the test set once.

    Examples
    --------
    >>> len(list(mercer.LeaveOneOut().split(np.zeros((4, 1)), [0, 1, 0, 1])))
    4
    """

    def __init__(self):
        self.random_state = 0

    def _text(self):
        return "leave-one-out"

    def __repr__(self):
        return f"{type(self).__name__}()"


class LeaveOneGroupOut(LeaveOneOut):
    """Leave-one-group-out: each group is the test set once.

    Examples
    --------
    >>> len(list(mercer.LeaveOneGroupOut().split(np.zeros((4, 1)), [0, 1, 0, 1], ["a", "a", "b", "b"])))
    2
    """

    def _text(self):
        return "leave-one-group-out"


class Holdout(_Named):
    """Holdout: one test set with the fraction ``test_size`` of the objects, repeated ``n_repeats`` times.

    Parameters
    ----------
    test_size : float, default 0.3
        The fraction of the objects in the test set.
    n_repeats : int, default 1
        Number of repetitions, each with other folds.
    random_state : int or RandomState, optional, default 42
        Seed of the splits; the same number gives the same splits as the program's ``--seed``.
    seed : int, optional
        Deprecated name of ``random_state``.
    share : float, optional
        Deprecated name of ``test_size``.

    Examples
    --------
    >>> [(train, test)] = mercer.Holdout(0.25).split(np.zeros((8, 1)), [0, 1] * 4)
    >>> len(train), len(test)
    (6, 2)
    """

    _names = ("test_size", "n_repeats")
    _format = "{n_repeats}xholdout({test_size})"

    def __init__(self, test_size=0.3, n_repeats=1, *, random_state=42, seed=None, share=None):
        self.test_size = renamed("share", share, "test_size", test_size)
        self.n_repeats = n_repeats
        self.random_state = renamed("seed", seed, "random_state", random_state)

    def _text(self):
        return self._format.format(test_size=real("test_size", self.test_size), n_repeats=whole("n_repeats", self.n_repeats))

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return the number of splits."""
        return self.n_repeats


class GroupHoldout(Holdout):
    """Holdout by groups.

    Parameters
    ----------
    test_size : float, default 0.3
        The fraction of the objects in the test set.
    n_repeats : int, default 1
        Number of repetitions, each with other folds.
    random_state : int or RandomState, optional, default 42
        Seed of the splits; the same number gives the same splits as the program's ``--seed``.
    seed : int, optional
        Deprecated name of ``random_state``.
    share : float, optional
        Deprecated name of ``test_size``.

    Examples
    --------
    >>> groups = np.repeat(["a", "b", "c", "d"], 2)
    >>> [(train, test)] = mercer.GroupHoldout(0.25).split(np.zeros((8, 1)), [0, 1] * 4, groups)
    >>> set(groups[train]) & set(groups[test])
    set()
    """

    _format = "{n_repeats}xgroup-holdout({test_size})"


class Forward(_Named):
    """Splits in the order of time: each of ``n_splits`` blocks is tested by a model of all that came before it.

    The objects are cut into ``n_splits`` + 1 blocks of about equal size, the first of which is only for training.

    Parameters
    ----------
    n_splits : int, default 5
        Number of folds.
    times : array-like, optional
        The time of each object: numbers, or dates as NumPy and pandas have them. Objects of the same time are in the same
        block. By default the order of the objects is that of time.

    Examples
    --------
    >>> [(len(train), test.tolist()) for train, test in mercer.Forward(2).split(range(6))]
    [(2, [2, 3]), (4, [4, 5])]
    """

    _names = ("n_splits",)

    def __init__(self, n_splits=5, times=None):
        self.n_splits, self.times, self.random_state = n_splits, times, 0

    def _text(self):
        return f"forward({whole('n_splits', self.n_splits)})"

    def _times(self, n):
        return None if self.times is None else times_of(self.times, n)

    def get_n_splits(self, X=None, y=None, groups=None):
        """Return the number of splits."""
        return whole("n_splits", self.n_splits)

    def __repr__(self):
        return f"{type(self).__name__}(n_splits={self.n_splits!r})"


def times_of(times, n):
    """Times as a list of numbers; only their order counts."""
    values = np.asarray(times)
    if values.ndim != 1 or len(values) != n:
        raise DataError(f"times must have one value per object: {n}, and has the shape {values.shape}")
    if values.dtype.kind in "Mm":
        if np.isnat(values).any():
            raise DataError("times: a value is missing")
        return values.astype("int64").astype(float).tolist()
    try:
        return values.astype(float).tolist()
    except (TypeError, ValueError):
        raise DataError("times must be numbers or dates (numpy.datetime64, pandas.Timestamp)") from None
