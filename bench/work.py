"""Workloads of bench/table.py: the work of mercer, the same work of its peers, and the target ratio.

A workload is a function that loads its data and returns a `Work`; loading and conversion are not timed. A peer is
imported only when it is measured, so a missing peer does not affect the others.
"""

import dataclasses
from collections.abc import Callable

# Allowed differences of results, relative to the largest value: SVM solvers stop within a tolerance of 1e-3.
EXACT, SOLVER = 1e-9, 2e-3


@dataclasses.dataclass(frozen=True)
class Peer:
    """Another system. `make` imports it and converts the data, and returns the work as a function of no arguments."""

    name: str
    make: Callable
    target: float | None = None
    tolerance: float = EXACT


@dataclasses.dataclass(frozen=True)
class Work:
    """`ours` does the work once; `limit` is a target time in seconds, in addition to ratios or instead of them.

    `clock` instead of `ours` does the work in another process and returns its seconds.
    """

    ours: Callable | None = None
    peers: tuple = ()
    limit: float | None = None
    clock: Callable | None = None


WORKLOADS = {}


def workload(what):
    """Register a function under its name, with a description."""

    def listed(make):
        WORKLOADS[make.__name__.replace("_", "-")] = (what, make)
        return make

    return listed


def absent(reason):
    """The `make` of a peer that is not available."""

    def make():
        raise ImportError(reason)

    return make
