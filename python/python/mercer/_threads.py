"""How many threads work takes when nobody says."""

import sys


def threads_of(given):
    """The threads asked for; inside a task of Dask's one, unless told otherwise; otherwise None, which is all cores.

    Dask runs as many tasks at a time as a worker has threads: one that took all cores would take those of the others.
    """
    if given is not None or "distributed" not in sys.modules:
        return given
    try:
        sys.modules["distributed"].get_worker()
    except (ValueError, AttributeError):
        return None
    return 1
