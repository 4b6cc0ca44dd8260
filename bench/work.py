"""What a workload of bench/table.py is: the work of mercer, the same work of its peers, and the ratio aimed at.

A workload is a function that loads its data and gives a `Work`; everything it loads or converts is outside the clock. A peer is
imported when it is its turn, so one that is not there is a fault of that peer alone.
"""

import dataclasses
from collections.abc import Callable

# Results agree when they differ by less than this, relative to the largest value; machines stop within a tolerance of 1e-3.
EXACT, MACHINE = 1e-9, 2e-3


@dataclasses.dataclass(frozen=True)
class Peer:
    """A system a user would pick instead. `make` imports and converts, and gives the work as a function of no arguments."""

    name: str
    make: Callable
    aim: float | None = None
    tolerance: float = EXACT


@dataclasses.dataclass(frozen=True)
class Work:
    """`ours` does the work once; `limit` is a time in seconds that was asked for besides ratios, or instead."""

    ours: Callable
    peers: tuple = ()
    limit: float | None = None


WORKLOADS = {}


def workload(what):
    """Lists a function under its name, with what it does in words."""

    def listed(make):
        WORKLOADS[make.__name__.replace("_", "-")] = (what, make)
        return make

    return listed


def absent(reason):
    """The `make` of a peer that cannot be had."""

    def make():
        raise ImportError(reason)

    return make
