"""Divisions into training and test parts, the same as the program's, for scikit-learn's ``cv``."""

import numbers

import numpy as np

from . import _mercer
from ._errors import ParameterError

__all__ = [
    "FiveByTwo",
    "GroupHoldout",
    "GroupKFold",
    "Holdout",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "Protocol",
    "StratifiedKFold",
]


class Protocol:
    """A protocol by its text: ``10-fold``, ``3x10-fold``, ``5x2``, ``group-5-fold``, ``leave-one-out``, ``holdout(0.3)``.

    Folds are stratified where y holds classes. The same seed gives the same divisions here and in the program.
    """

    def __init__(self, protocol, *, seed=42):
        self.protocol = protocol
        self.seed = seed

    def _text(self):
        return self.protocol

    def split(self, X, y=None, groups=None):
        """The divisions, as arrays of the numbers of training and test objects."""
        from sklearn.utils import check_random_state
        from sklearn.utils.multiclass import type_of_target

        n = len(X) if not hasattr(X, "shape") else X.shape[0]
        classes = None
        if y is not None and type_of_target(y) in ("binary", "multiclass"):
            classes = np.unique(y, return_inverse=True)[1].tolist()
        if groups is not None:
            groups = np.unique(groups, return_inverse=True)[1].tolist()
        seed = self.seed if isinstance(self.seed, numbers.Integral) else check_random_state(self.seed).randint(2**31)
        yield from _mercer.divide(self._text(), n, classes, groups, int(seed))

    def get_n_splits(self, X=None, y=None, groups=None):
        """How many divisions there are."""
        if X is None:
            raise ParameterError("how many divisions there are depends on the objects: X is needed")
        return sum(1 for _ in self.split(X, y, groups))

    def __repr__(self):
        return f"{type(self).__name__}({self._text()!r}, seed={self.seed!r})"


class _Named(Protocol):
    _names = ()

    def __repr__(self):
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in (*self._names, "seed"))
        return f"{type(self).__name__}({inside})"


class StratifiedKFold(_Named):
    """``n_splits`` folds, ``n_repeats`` times; the members of each class are spread evenly."""

    _names = ("n_splits", "n_repeats")
    _format = "{n_repeats}x{n_splits}-fold"

    def __init__(self, n_splits=5, n_repeats=1, *, seed=42):
        self.n_splits, self.n_repeats, self.seed = n_splits, n_repeats, seed

    def _text(self):
        return self._format.format(n_splits=self.n_splits, n_repeats=self.n_repeats)

    def get_n_splits(self, X=None, y=None, groups=None):
        """How many divisions there are."""
        return self.n_splits * self.n_repeats


class GroupKFold(StratifiedKFold):
    """Folds of whole groups, of about equal size, classes spread as far as groups allow."""

    _format = "{n_repeats}xgroup-{n_splits}-fold"


class FiveByTwo(StratifiedKFold):
    """Five repetitions of two folds, for the 5×2cv tests (Dietterich 1998)."""

    _names = ()

    def __init__(self, *, seed=42):
        super().__init__(2, 5, seed=seed)


class LeaveOneOut(_Named):
    """Each object is the test part once."""

    def __init__(self):
        self.seed = 0

    def _text(self):
        return "leave-one-out"

    def __repr__(self):
        return f"{type(self).__name__}()"


class LeaveOneGroupOut(LeaveOneOut):
    """Each group is the test part once."""

    def _text(self):
        return "leave-one-group-out"


class Holdout(_Named):
    """One test part with this share of the objects, ``n_repeats`` times."""

    _names = ("share", "n_repeats")
    _format = "{n_repeats}xholdout({share})"

    def __init__(self, share=0.3, n_repeats=1, *, seed=42):
        self.share, self.n_repeats, self.seed = share, n_repeats, seed

    def _text(self):
        return self._format.format(share=self.share, n_repeats=self.n_repeats)

    def get_n_splits(self, X=None, y=None, groups=None):
        """How many divisions there are."""
        return self.n_repeats


class GroupHoldout(Holdout):
    """The same of whole groups."""

    _format = "{n_repeats}xgroup-holdout({share})"
