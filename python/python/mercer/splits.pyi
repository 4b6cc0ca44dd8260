# Made by stubs.py.
"""Splitters for scikit-learn's ``cv``, with the same splits as the program."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__all__ = ['FiveByTwo', 'Forward', 'GroupHoldout', 'GroupKFold', 'Holdout', 'LeaveOneGroupOut', 'LeaveOneOut', 'Protocol', 'StratifiedKFold']

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

    def __init__(self, protocol: str, *, random_state: int | np.random.RandomState | None = 42, seed: int | None = None) -> None: ...
    def get_metadata_routing(self) -> Any: ...
    def get_n_splits(self, X: Any = None, y: ArrayLike | None = None, groups: ArrayLike | None = None) -> int: ...
    @property
    def seed(self) -> NDArray[Any]: ...
    def split(self, X: Any, y: ArrayLike | None = None, groups: ArrayLike | None = None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]: ...

class Forward(Protocol):
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

    def __init__(self, n_splits: int = 5, times: ArrayLike | None = None) -> None: ...
    def get_n_splits(self, X: Any = None, y: ArrayLike | None = None, groups: ArrayLike | None = None) -> int: ...

class Holdout(Protocol):
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

    def __init__(self, test_size: float = 0.3, n_repeats: int = 1, *, random_state: int | np.random.RandomState | None = 42, seed: int | None = None, share: float | None = None) -> None: ...
    def get_n_splits(self, X: Any = None, y: ArrayLike | None = None, groups: ArrayLike | None = None) -> int: ...

class LeaveOneOut(Protocol):
    """Leave-one-out: each object is the test set once.

    Examples
    --------
    >>> len(list(mercer.LeaveOneOut().split(np.zeros((4, 1)), [0, 1, 0, 1])))
    4
    """

    def __init__(self) -> None: ...

class StratifiedKFold(Protocol):
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

    def __init__(self, n_splits: int = 5, n_repeats: int = 1, *, random_state: int | np.random.RandomState | None = 42, seed: int | None = None) -> None: ...
    def get_n_splits(self, X: Any = None, y: ArrayLike | None = None, groups: ArrayLike | None = None) -> int: ...

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

    def __init__(self, *, random_state: int | np.random.RandomState | None = 42, seed: int | None = None) -> None: ...

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


class LeaveOneGroupOut(LeaveOneOut):
    """Leave-one-group-out: each group is the test set once.

    Examples
    --------
    >>> len(list(mercer.LeaveOneGroupOut().split(np.zeros((4, 1)), [0, 1, 0, 1], ["a", "a", "b", "b"])))
    2
    """

