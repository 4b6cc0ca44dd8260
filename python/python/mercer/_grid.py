"""Grid points: which of them the engine can score, the data for their kernels, and the table of scores."""

import contextlib
import inspect

import numpy as np
from scipy.stats import rankdata

from . import _mercer
from ._errors import ParameterError
from ._estimator import AS_TEXT

#: Parameters that the texts of kernel and learner contain, and those that do not change scores.
DESCRIBED = {
    "C", "nu", "alpha", "epsilon", "kernel", "gamma", "degree", "coef0", "class_weight", "scheme", "margin", "probability",
    "decision_function_shape", "tol", "max_iter", "random_state", "loss", "fit_intercept", "intercept_scaling", "landmarks", "rule",
    "shuffle", "n_neighbors", "weights", "solver",
    "cache_size", "shrinking", "verbose", "threads", "progress",
}  # fmt: skip


def described(one):
    """Whether the texts of kernel and learner describe the estimator, with all other parameters at their defaults."""
    try:
        _mercer.canonical(one._kernel_of(AS_TEXT)._text())
        _mercer.canonical_learner(one._learner_text())
    except ParameterError:
        return False
    if getattr(one, "class_weight", None) is not None and one._settings().get("weights") is None:
        return False
    for name, parameter in inspect.signature(type(one)).parameters.items():
        value, default = getattr(one, name), parameter.default
        if name not in DESCRIBED and not (value is default or (type(value) is type(default) and value == default)):
            return False
    return True


def converted(ones, X):
    """Native data of X for estimators, grouped by the kinds that their kernels take: (indices of estimators, data)."""
    kinds = {}
    for place, one in enumerate(ones):
        looks = sorted((str(name), sorted(wanted)) for name, wanted in one._kernel_of(AS_TEXT)._kinds().items())
        functions = str(one._kernel_of(AS_TEXT)._identities())
        kinds.setdefault((one._is_precomputed(), str(looks), functions), []).append(place)
    for places in kinds.values():
        yield places, ones[places[0]]._objects(X, reset=True)[0]


def split(train, test):
    def whole(rows):
        rows = np.asarray(rows)
        return np.flatnonzero(rows) if rows.dtype == bool else np.ascontiguousarray(rows, dtype=np.int64)

    return whole(train), whole(test)


def results(points, scores, converged, seconds):
    """scikit-learn's ``cv_results_``."""
    count, splits = scores.shape
    out = {
        "mean_fit_time": np.full(count, seconds),
        "std_fit_time": np.zeros(count),
        "mean_score_time": np.zeros(count),
        "std_score_time": np.zeros(count),
    }
    for name in {name: None for point in points for name in point}:
        out[f"param_{name}"] = masked([point.get(name, MISSING) for point in points])
    out["params"] = points
    for at in range(splits):
        out[f"split{at}_test_score"] = scores[:, at]
    mean = scores.mean(axis=1)
    out["mean_test_score"] = mean
    out["std_test_score"] = scores.std(axis=1)
    worst = np.nanmin(mean, initial=0.0) - 1.0
    ranks = rankdata(-np.where(np.isnan(mean), worst, np.round(mean, 12)), method="min")
    out["rank_test_score"] = ranks.astype(np.int32)
    out["converged"] = converged
    return out


#: A parameter that a grid point does not set.
MISSING = object()


def masked(values):
    """The values of a parameter over grid points, as a masked array like scikit-learn's."""
    there = [value for value in values if value is not MISSING]
    try:
        like = np.array(there)
        kind = like.dtype if like.ndim == 1 and like.dtype.kind != "U" else object
    except ValueError:
        kind = object
    out = np.ma.masked_all(len(values), dtype=kind)
    for at, value in enumerate(values):
        if value is not MISSING:
            out[at] = value
    return out


def on_cluster(client):
    """Context in which scikit-learn fits on the cluster, if there is one."""
    if client is None:
        return contextlib.nullcontext()
    import joblib

    from . import cluster

    cluster.check_client(client)
    return joblib.parallel_config(backend="dask", client=client)
