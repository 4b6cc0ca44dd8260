"""Model files, the same as the program's, and certificates of matrices."""

import json
import os

import numpy as np

from . import _mercer
from ._data import dense
from ._errors import ParameterError
from ._estimator import Estimator
from ._show import Facts
from .kernels import kernel
from .learn import (
    KernelKMeans,
    KernelPCA,
    KernelRidge,
    KernelRidgeClassifier,
    KNeighborsClassifier,
    KNeighborsRegressor,
    Perceptron,
    VotedPerceptron,
)
from .svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

__all__ = ["certify", "load", "save"]


def save(estimator, path):
    """Writes a fitted estimator to a ``.mercer`` file, which the program reads too.

    The file holds the kernel, what was fitted, the support objects and the certificates; loading it runs no code.
    """
    if not isinstance(estimator, Estimator):
        raise ParameterError(f"only estimators of mercer have model files, not {type(estimator).__name__}")
    estimator.save(os.fspath(path))


def load(path):
    """Reads a model file of the program, of this package, or a text model of LIBSVM, as a fitted estimator.

    Files name classes by text: ``classes_`` holds whole numbers where all names are, and text otherwise.
    """
    model = _mercer.load(os.fspath(path))
    kernel_text, learner_text = model.expressions()
    name, settings = _mercer.parse_learner(learner_text)
    target = model.target()
    made = FROM[name](settings, target is not None and target[1])
    if not (isinstance(made, (LinearSVC, LinearSVR)) and kernel_text == "linear"):
        made.kernel = kernel(kernel_text)
    made.kernel_ = kernel(kernel_text)
    columns = model.columns()
    if all(kind in ("numbers", "sparse") for _, kind, _ in columns):
        made.n_features_in_ = sum(width for _, _, width in columns)
        if columns and all(width == 1 and kind == "numbers" for _, kind, width in columns) and columns[0][0] != "x":
            made.feature_names_in_ = np.asarray([name for name, _, _ in columns], dtype=object)
    names = model.classes()
    if names and hasattr(made, "_classes"):
        made.classes_ = classes_of(names)
    made._take(model)
    return made


def classes_of(names):
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.asarray(names, dtype=object)
    return np.asarray(numbers) if [str(n) for n in numbers] == names else np.asarray(names, dtype=object)


def _limits(s):
    most = int(s["iterations"])
    return {"tol": s["tolerance"], "max_iter": -1 if most == MOST else most, "cache_size": plain(s["cache"])}


#: The engine's own limit, which estimators write as -1.
MOST = 100_000_000


def plain(number):
    return int(number) if float(number).is_integer() else number


def _svc(s):
    return {
        "scheme": s["scheme"],
        "probability": s["probability"] == "yes",
        "class_weight": "balanced" if s.get("weights") == "balanced" else None,
        **_limits(s),
    }


def _linear(s, absolute, squared):
    return {
        "C": s["C"],
        "loss": squared if s["loss"] == "squared" else absolute,
        "fit_intercept": s["bias"] > 0,
        "intercept_scaling": s["bias"] or 1.0,
        "tol": s["tolerance"],
        "max_iter": int(s["epochs"]),
    }


#: From a learner's parameters, and whether it predicts classes, to an estimator.
FROM = {
    "svc": lambda s, _: SVC(C=s["C"], margin=s["margin"], **_svc(s)),
    "nu-svc": lambda s, _: NuSVC(nu=s["nu"], **_svc(s)),
    "svr": lambda s, _: SVR(C=s["C"], epsilon=s["epsilon"], **_limits(s)),
    "nu-svr": lambda s, _: NuSVR(C=s["C"], nu=s["nu"], **_limits(s)),
    "one-class": lambda s, _: OneClassSVM(nu=s["nu"], **_limits(s)),
    "ridge": lambda s, classes: (KernelRidgeClassifier if classes else KernelRidge)(
        alpha=s["lambda"], fit_intercept=s["intercept"] == "yes", landmarks=int(s["landmarks"])
    ),
    "perceptron": lambda s, _: Perceptron(max_iter=int(s["rounds"]), fit_intercept=s["bias"] == "yes"),
    "voted-perceptron": lambda s, _: VotedPerceptron(
        max_iter=int(s["rounds"]),
        rule=s["rule"],
        shuffle=s["order"] == "shuffled",
        fit_intercept=s["bias"] == "yes",
    ),
    "knn": lambda s, classes: (KNeighborsClassifier if classes else KNeighborsRegressor)(
        n_neighbors=int(s["k"]), weights=s["weights"]
    ),
    "pca": lambda s, _: KernelPCA(n_components=int(s["components"])),
    "kmeans": lambda s, _: KernelKMeans(
        n_clusters=int(s["k"]), n_init=int(s["restarts"]), max_iter=int(s["iterations"])
    ),
    "linear-svc": lambda s, _: LinearSVC(
        class_weight="balanced" if s["weights"] == "balanced" else None, **_linear(s, "hinge", "squared_hinge")
    ),
    "linear-svr": lambda s, _: LinearSVR(
        epsilon=s["epsilon"], **_linear(s, "epsilon_insensitive", "squared_epsilon_insensitive")
    ),
}


def certify(K, *, threads=None):
    """What the eigenvalues of a similarity matrix say: verdict, λmin and λmax, rank, symmetry, trace.

    Refuses matrices that are not square, finite and symmetric. Negative eigenvalues are a verdict, not an error; with
    ``mercer.Repair`` such a similarity becomes a kernel.

    >>> mercer.certify([[2.0, 1.0], [1.0, 2.0]]).verdict
    'positive-definite'
    """
    text, values = _mercer.certify(dense(K), threads)
    out = Facts("certificate", json.loads(text))
    out.__dict__["eigenvalues"] = values
    return out
