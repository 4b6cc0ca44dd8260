"""How many threads work takes when nobody says."""

import numbers
import sys

from ._errors import ParameterError


def worker():
    """The Dask worker whose task this is, or None. Dask is not imported to find out."""
    if "distributed" not in sys.modules:
        return None
    try:
        return sys.modules["distributed"].get_worker()
    except (ValueError, AttributeError):
        return None


def threads_of(given):
    """The threads asked for; inside a task of Dask's one, unless told otherwise; otherwise None, which is all cores.

    Dask runs as many tasks at a time as a worker has threads: one that took all cores would take those of the others.
    """
    if given is None:
        return 1 if worker() is not None else None
    if isinstance(given, bool) or not isinstance(given, numbers.Integral) or not 1 <= given <= 4096:
        raise ParameterError(f"threads = {given!r:.80}: must be a whole number from 1 to 4096")
    return int(given)


def slots():
    """How many tasks run beside this one at most, itself included."""
    here = worker()
    return 1 if here is None else here.state.nthreads
