"""Replaces the distances of aeon by those of mercer, where both have the same definition.

aeon's dynamic time warping and its squared distance are sums of squares; mercer's distances are their square roots.
Where the definitions differ (Itakura's band, a window for series of unequal lengths, series with different numbers of
channels, parameters that mercer does not have), aeon's own function is used; :data:`ANSWERED` counts both. Derivative
dynamic time warping is not replaced: aeon drops the first and the last time step, mercer gives them the derivative next
to them, as Keogh and Pazzani do. Soft dynamic time warping is not replaced either: mercer's is the divergence.
"""

import functools
import sys

import numpy as np

import mercer

#: Numbers of distances computed by mercer and by aeon.
ANSWERED = {"mercer": 0, "aeon": 0}


def squared(kernel):
    return lambda **options: lambda x, y, channels: kernel(**options).pairwise(x, y) ** 2


def plain(kernel):
    return lambda **options: lambda x, y, channels: kernel(**options).pairwise(x, y)


def each_channel(kernel):
    """The sum of the distances of the channels."""

    def made(**options):
        return lambda x, y, channels: sum(kernel(channel=c + 1, **options).pairwise(x, y) for c in range(channels))

    return made


#: For each of aeon's names: the distance, and aeon's parameters by ours.
REPLACED = {
    "euclidean": (plain(mercer.SeriesEuclidean), {}),
    "squared": (squared(mercer.SeriesEuclidean), {}),
    "dtw": (squared(mercer.DTW), {"window": "window"}),
    "wdtw": (squared(mercer.WeightedDTW), {"window": "window", "g": "g"}),
    "erp": (plain(mercer.ERP), {"window": "window", "g": "g"}),
    "lcss": (plain(mercer.LCSS), {"window": "window", "epsilon": "epsilon"}),
    "twe": (plain(mercer.TWE), {"window": "window", "nu": "nu", "lmbda": "lambda_"}),
    "msm": (each_channel(mercer.MSM), {"window": "window", "c": "c"}),
}
#: Default values of aeon's parameters, which have no effect.
DEFAULTS = {"itakura_max_slope": None, "g_arr": None, "independent": True, "n_jobs": 1}


def options_of(name, given):
    """Our parameters, or None if theirs have no equivalent."""
    _, known = REPLACED[name]
    out = {}
    for parameter, value in given.items():
        if parameter in known:
            if value is not None:
                out[known[parameter]] = value
            elif parameter != "window":
                return None
        elif parameter not in DEFAULTS or isinstance(value, np.ndarray) or value != DEFAULTS[parameter]:
            return None
    return out


def ours(name, x, y, given):
    """The distances of series (channels, time steps) x (rows) and y (columns), or None if aeon must compute them."""
    options = options_of(name, given)
    series = [*x, *y]
    lengths, widths = {s.shape[1] for s in series}, {s.shape[0] for s in series}
    if options is None or len(widths) > 1 or 0 in lengths:
        return None
    window = options.get("window", 1.0)
    if not 0.0 <= window <= 1.0 or (len(lengths) > 1 and window < 1.0):
        return None
    # The Euclidean distance of series of different lengths: aeon truncates the longer one, mercer raises an error.
    if name in ("euclidean", "squared") and len(lengths) > 1:
        return None
    compare = REPLACED[name][0](**options)
    return np.asarray(compare(in_layout(x), in_layout(y), widths.pop()), dtype=np.float64)


def in_layout(series):
    """Series in the layout of aeon: channels first."""
    return mercer.Series([np.ascontiguousarray(s, dtype=np.float64) for s in series], layout="n,channels,steps")


def replaced(name, original, pairwise):
    """A function with the signature of aeon's."""
    import inspect

    signature = inspect.signature(getattr(original, "py_func", original))

    def one(array):
        return array.reshape(1, -1) if array.ndim == 1 else array

    def collections(x, y):
        from aeon.utils.conversion._convert_collection import _convert_collection_to_numba_list
        from aeon.utils.validation.collection import _is_numpy_list_multivariate

        several = _is_numpy_list_multivariate(x, y)
        x = list(_convert_collection_to_numba_list(x, "X", several)[0])
        return x, x if y is None else list(_convert_collection_to_numba_list(y, "y", several)[0])

    @functools.wraps(getattr(original, "py_func", original))
    def function(*arguments, **named):
        bound = signature.bind(*arguments, **named)
        given = dict(bound.arguments)
        given.update(given.pop("kwargs", {}))
        first, second = [p for p in signature.parameters][:2]
        x, y = given.pop(first), given.pop(second, None)
        matrix = None
        try:
            if pairwise:
                matrix = ours(name, *collections(x, y), given)
            elif isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and {x.ndim, y.ndim} <= {1, 2} and x.ndim == y.ndim:
                matrix = ours(name, [one(x)], [one(y)], given)
        except (TypeError, ValueError, AttributeError) as fault:
            # Errors that aeon raises as well are raised here; errors of mercer alone fail the test.
            original(*arguments, **named)
            raise AssertionError(f"mercer refuses what aeon computes: {fault}") from fault
        ANSWERED["aeon" if matrix is None else "mercer"] += 1
        if matrix is None:
            return original(*arguments, **named)
        return matrix if pairwise else float(matrix[0, 0])

    return function


def put():
    """Replace the functions wherever aeon has a reference to them."""
    import aeon.classification.distance_based  # noqa: F401
    import aeon.distances
    import aeon.distances._distance as registry
    import aeon.regression.distance_based  # noqa: F401

    new = {}
    for name in REPLACED:
        for kind in ("distance", "pairwise_distance"):
            original = getattr(aeon.distances, f"{name}_{kind}")
            new[id(original)] = replaced(name, original, kind == "pairwise_distance")
    for key, module in list(sys.modules.items()):
        # Compiled functions that call the original by name are not changed.
        if key.startswith("aeon.") and not key.startswith("aeon.distances.pointwise._"):
            for attribute, value in list(vars(module).items()):
                if id(value) in new and callable(value):
                    setattr(module, attribute, new[id(value)])
    for entry in [*registry.DISTANCES, *registry.DISTANCES_DICT.values()]:
        for key, value in entry.items():
            if id(value) in new:
                entry[key] = new[id(value)]


def concerns_us(item):
    """Whether a test of aeon uses a replaced distance."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    if "dist" in params:
        return params["dist"]["name"] in REPLACED
    return item.name.startswith(("test_multivariate_correctness", "test_univariate_correctness", "test_banded_dtw"))
