"""Model files, the same as the program's, and certificates of matrices."""

import json
import os

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _keep, _mercer
from ._class_weight import weights_of
from ._data import dense
from ._errors import DataError, ParameterError
from ._estimator import Estimator
from ._order import Resorted, ascending
from ._show import Facts
from ._threads import threads_of
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

    The file holds the kernel, what was fitted, the support objects and the certificates, and for :func:`load` the estimator's
    parameters, classes and attributes, with their types. Loading it runs no code.
    """
    if not isinstance(estimator, Estimator):
        raise ParameterError(f"only estimators of mercer have model files, not {type(estimator).__name__}")
    check_is_fitted(estimator)
    if getattr(estimator, "_model", None) is None:
        raise ParameterError(f"{estimator!r} was fitted in Python, and model files hold what the engine fits: keep it by pickle")
    estimator._model.save(os.fspath(path), _keep.text_of(note_of(estimator)))


def note_of(estimator):
    """What a file says about an estimator besides its model: what cannot be read off the model again."""
    name = type(estimator).__name__
    if ESTIMATORS.get(name) is not type(estimator):
        raise ParameterError(f"{name} is no estimator of mercer's own: keep it by pickle")
    params = estimator.get_params(deep=False)
    for parameter, value in params.items():
        try:
            _keep.coded(value)
        except _keep.Unkept as error:
            raise ParameterError(f"{parameter} = {value!r}: {error}") from None
    resorted = isinstance(estimator._model, Resorted)
    again = estimator_of(_mercer.from_bytes(bytes(estimator._model.to_bytes())), name, params, resorted)
    attributes = {}
    for attribute, value in vars(estimator).items():
        if attribute in params or attribute in DERIVED or (attribute in vars(again) and _keep.same(value, vars(again)[attribute])):
            continue
        try:
            _keep.coded(value)
        except _keep.Unkept:
            # What is no value, such as a connection, is left behind as it is by pickle.
            continue
        attributes[attribute] = value
    note = {"format": 1, "estimator": name, "params": params, "attributes": attributes}
    return note | {"resorted": True} if resorted else note


#: What is made from the model whenever it is there.
DERIVED = {"_model", "certificate_"}


def load(path):
    """Reads a model file of the program, of this package, or a text model of LIBSVM, as a fitted estimator.

    An estimator that :func:`save` wrote comes back as it was: parameters, classes with their type, attributes. Other files name
    classes by text: ``classes_`` then holds whole numbers where all names are, True and False, and text otherwise, ascending.
    """
    model = _mercer.load(os.fspath(path))
    note = model.note()
    if note is None:
        return estimator_of(model)
    try:
        note = _keep.value_of(note)
        known = note["format"] == 1 and note["estimator"] in ESTIMATORS
        name, params, attributes = note["estimator"], dict(note["params"]), dict(note["attributes"])
    except (KeyError, ValueError, TypeError) as error:
        raise DataError(f"{os.fspath(path)}: the note about the estimator cannot be read ({error})") from None
    if not known:
        raise DataError(f"{os.fspath(path)}: written by a later version of mercer ({name})")
    made = estimator_of(model, name, params, bool(note.get("resorted", False)))
    for attribute, value in attributes.items():
        setattr(made, attribute, value)
    return made


def estimator_of(model, name=None, params=None, resort=True):
    """The estimator of a model: of such a class with such parameters, or of those that its texts say.

    ``resort`` puts classes in ascending order; models that estimators were fitted with have them so, by values and not by names.
    """
    kernel_text, learner_text = model.expressions()
    if name is None:
        learner, settings = _mercer.parse_learner(learner_text)
        target = model.target()
        made = FROM[learner](settings, target is not None and target[1])
        if not (isinstance(made, (LinearSVC, LinearSVR)) and kernel_text == "linear"):
            made.kernel = kernel(kernel_text)
    else:
        made = ESTIMATORS[name](**params)
    made.kernel_ = kernel(kernel_text)
    columns = model.columns()
    # Text models of LIBSVM do not say how many features there are.
    known = all(kind != "sparse" or width < MOST_FEATURES for _, kind, width in columns)
    if known and all(kind in ("numbers", "sparse") for _, kind, _ in columns):
        made.n_features_in_ = sum(width for _, _, width in columns)
        if columns and all(width == 1 and kind == "numbers" for _, kind, width in columns) and columns[0][0] != "x":
            made.feature_names_in_ = np.asarray([name for name, _, _ in columns], dtype=object)
    names = model.classes()
    if names and hasattr(made, "_classes"):
        made.classes_ = classes_of(names)
        if resort:
            model, made.classes_ = ascending(model, made.classes_)
            names = model.classes()
        if name is None and isinstance(getattr(made, "class_weight", None), dict):
            by_name = dict(zip(names, made.classes_.tolist()))
            made.class_weight = {by_name.get(name, name): weight for name, weight in made.class_weight.items()}
    made._take(model)
    return made


def classes_of(names):
    """Classes by their names in a file: whole numbers where all are, True and False, and text otherwise."""
    if sorted(names) == ["False", "True"]:
        return np.asarray([name == "True" for name in names])
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.asarray(names, dtype=object)
    return np.asarray(numbers) if [str(n) for n in numbers] == names else np.asarray(names, dtype=object)


def _limits(s):
    most = int(s["iterations"])
    return {
        "tol": s["tolerance"],
        "max_iter": -1 if most == MOST else most,
        "cache_size": plain(s["cache"]),
        "solver": s["solver"],
    }


#: The number of features that stands for an unknown one.
MOST_FEATURES = 1 << 27

#: The engine's own limit, which estimators write as -1.
MOST = 100_000_000


def plain(number):
    return int(number) if float(number).is_integer() else number


def _svc(s):
    return {
        "scheme": s["scheme"],
        "probability": s["probability"] == "yes",
        "class_weight": weights_of(s["weights"]),
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
        class_weight=weights_of(s["weights"]), **_linear(s, "hinge", "squared_hinge")
    ),
    "linear-svr": lambda s, _: LinearSVR(
        epsilon=s["epsilon"], **_linear(s, "epsilon_insensitive", "squared_epsilon_insensitive")
    ),
}


#: Every estimator by its name.
ESTIMATORS = {
    made.__name__: made
    for made in (
        KNeighborsClassifier, KNeighborsRegressor, KernelKMeans, KernelPCA, KernelRidge, KernelRidgeClassifier, LinearSVC,
        LinearSVR, NuSVC, NuSVR, OneClassSVM, Perceptron, SVC, SVR, VotedPerceptron,
    )
}  # fmt: skip


def certify(K, *, threads=None):
    """What the eigenvalues of a similarity matrix say: verdict, λmin and λmax, rank, symmetry, trace.

    ``squared_norm_of_mean`` is |μ|², the squared length of the mean of all objects in feature space, which is the mean of all entries
    of K; ``total_variance`` is the mean squared distance from it, (1/n)·Σ K_ii - |μ|².

    Refuses matrices that are not square, finite and symmetric. Negative eigenvalues are a verdict, not an error; with
    ``mercer.Repair`` such a similarity becomes a kernel.

    >>> mercer.certify([[2.0, 1.0], [1.0, 2.0]]).verdict
    'positive-definite'
    >>> mercer.certify([[9.0, 0.0], [0.0, 16.0]]).total_variance
    6.25
    """
    text, values = _mercer.certify(dense(K), threads_of(threads))
    out = Facts("certificate", json.loads(text))
    out.__dict__["eigenvalues"] = values
    return out
