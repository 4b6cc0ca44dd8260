"""The number of threads of a computation."""

import numbers
import sys

from ._errors import ParameterError


def worker():
    """The Dask worker that runs this task, or None. Does not import Dask."""
    if "distributed" not in sys.modules:
        return None
    try:
        return sys.modules["distributed"].get_worker()
    except (ValueError, AttributeError):
        return None


def threads_of(given):
    """The given number of threads; by default 1 inside a Dask task, otherwise None for all cores.

    Dask runs as many tasks at once as a worker has threads, so a task must not take all cores.
    """
    if given is None:
        return 1 if worker() is not None else None
    if isinstance(given, bool) or not isinstance(given, numbers.Integral) or not 1 <= given <= 4096:
        raise ParameterError(f"threads = {given!r:.80}: must be a whole number from 1 to 4096")
    return int(given)


def slots():
    """The maximum number of tasks that run at once on this worker, including this one."""
    here = worker()
    return 1 if here is None else here.state.nthreads
