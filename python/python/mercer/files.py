"""Files of data, model files in the format of the program, and certificates of matrices."""

import csv
import io
import json
import os
import re
import warnings

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _keep, _mercer
from ._class_weight import weights_of
from ._data import Objects, dense
from ._errors import DataError, ParameterError
from ._estimator import Estimator
from ._order import Resorted, ascending
from ._show import Facts
from ._tables import frame_columns
from ._tables import plain as plain_table
from ._threads import threads_of
from ._values import DATES, described, flag, is_number, is_text, missing, name_of
from .blends import BlendClassifier, BlendRegressor
from .gaussian import GaussianProcessClassifier, GaussianProcessRegressor
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
from .svm import SVC, SVR, LandmarkSVC, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

__all__ = ["certify", "load", "read", "save"]


def read(path=None, *, return_ids=False, return_groups=False, **options):
    """Read a file of data, or a table of text, as the program does: ``X, y``.

    CSV, TSV, XLSX, ODS, JSON records, LIBSVM, ARFF, npy, npz, Parquet, Arrow (Feather), SQLite, ts, UCR, FASTA, FASTQ,
    GML, GraphML or SDF, plain or compressed with gzip, zstd, bzip2 or xz, or a folder of graphs or images.

    Parameters
    ----------
    path : str, path or table, optional
        The file. ``"book.xlsx::Sheet2"`` is a sheet and ``"data.sqlite::people"`` a table. A DataFrame or a dict of columns
        is read as if it came from a file: dates, amounts, decimal commas, truth values and odd cells in its text are
        recognised.
    return_ids : bool
        Return the names of the objects as a third value, or None if they have none.
    return_groups : bool
        Return the groups of the objects as the last value, for splits such as ``GroupKFold``, or None if they have none.
    **options : dict
        ``format``, ``sheet``, ``query`` (one SELECT), ``target``, ``target_kind``, ``id``, ``ignore`` (a list), ``type``
        (a dict of columns), ``missing``, ``strict``, ``na`` (a list of words), ``encoding``, ``delimiter``, ``header``, ``series``, ``alphabet``, ``keep_case``,
        ``class_in_header``, ``table``, ``positive`` and ``negative`` (two files of sequences in place of the path),
        ``max_ratio``, ``group``: as the flags of the program. For molecules also ``skip_invalid`` (leave out what cannot
        be read), ``largest_fragment`` (of salts and mixtures) and ``group_by`` (``"scaffold"``, ``"butina(0.4)"``).

    Returns
    -------
    X : Objects
        The columns without the target, for kernels and estimators.
    y : ndarray or None
        Class names, as whole numbers where all of them are written so, or numbers.

    Examples
    --------
    >>> X, y = mercer.read("patients.xlsx::2024", target="outcome")  # doctest: +SKIP
    >>> X, y = mercer.read("study.sqlite", query="SELECT age, dose, outcome AS y FROM visits")  # doctest: +SKIP
    >>> X, y = mercer.read(positive="bound.fa", negative="unbound.fa")  # doctest: +SKIP
    >>> X, y, groups = mercer.read("assay.sdf", target="pIC50", group_by="scaffold", return_groups=True)  # doctest: +SKIP
    >>> X, y = mercer.read({"fare": ["7,25", "71,28"], "alive": ["no", "yes"]}, target="alive")
    >>> X._data.numbers("fare").ravel().tolist(), y.tolist()
    ([7.25, 71.28], ['no', 'yes'])
    """
    two = [name for name in ("positive", "negative") if options.get(name) is not None]
    if len(two) == 1:
        raise ParameterError(f"{two[0]} is given alone: give both positive and negative, or a path")
    if (path is None) != bool(two):
        raise ParameterError("give either a path, or both positive and negative")
    options = {name: value for name, value in options.items() if value is not None}
    try:
        text = json.dumps(options, default=os.fspath)
    except TypeError as error:
        raise ParameterError(f"options must be words, numbers, lists and dicts: {error}") from None
    columns = None if two or isinstance(path, (str, os.PathLike)) else frame_columns(plain_table(path))
    if columns is not None:
        data, target, ids, groups, messages = _mercer.read_table(table_text(columns), text)
    else:
        data, target, ids, groups, messages = _mercer.read_file("sequences" if two else os.fspath(path), text)
    for message in messages:
        warnings.warn(message, UserWarning, stacklevel=2)
    y = None
    if target is not None:
        values, names = target
        y = values if names is None else classes_of(names)[values]
    out = (Objects(data), y)
    if flag("return_ids", return_ids):
        out += (ids,)
    if flag("return_groups", return_groups):
        out += (None if groups is None else np.asarray(groups, dtype=object),)
    return out


def classes_of(names):
    """Names of classes as an array: of whole numbers if all of them are written as such."""
    if names and all(re.fullmatch(r"0|-?[1-9]\d{0,17}", name) for name in names):
        return np.asarray([int(name) for name in names])
    return np.asarray(names)


def table_text(columns):
    """The columns of a table as CSV. Missing values are empty fields."""
    lengths = {len(values) for _, values in columns}
    if len(lengths) != 1:
        raise DataError(f"columns of different lengths: {sorted(lengths)}")
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    lines.writerow([name for name, _ in columns])
    for row in zip(*(values for _, values in columns), strict=True):
        cells = ["" if missing(v) else written(v) for v in row]
        # A line with one empty field would be a blank line.
        out.write('""\n') if cells == [""] else lines.writerow(cells)
    return out.getvalue()


def written(value):
    """A value as text that the reader takes for the same value."""
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if not (is_text(value) or is_number(value) or isinstance(value, DATES)):
        raise DataError(f"{described(value)} cannot be read as a table of text")
    return name_of(value)


def save(estimator, path):
    """Write a fitted estimator to a ``.mercer`` file, which the program can read as well.

    The file holds the fitted kernel, the support objects and the certificates. For :func:`load` it also holds the
    estimator's parameters, classes and attributes with their types. Loading it runs no code.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of mercer.
    path : path
        The file to write.
    """
    if not isinstance(estimator, Estimator):
        raise ParameterError(f"model files are for estimators of mercer, not for {type(estimator).__name__}")
    check_is_fitted(estimator)
    if getattr(estimator, "_model", None) is None:
        raise ParameterError(f"{estimator!r} was fitted in Python, and model files only hold models of the engine: use pickle")
    estimator._model.save(os.fspath(path), _keep.text_of(note_of(estimator)))


def note_of(estimator):
    """The note of a model file: what cannot be restored from the model itself."""
    name = type(estimator).__name__
    if ESTIMATORS.get(name) is not type(estimator):
        raise ParameterError(f"{name} is not an estimator class of mercer: use pickle")
    params = estimator.get_params(deep=False)
    for parameter, value in params.items():
        try:
            _keep.coded(value)
        except _keep.UnsupportedValue as error:
            raise ParameterError(f"{parameter} = {value!r}: {error}") from None
    resorted = isinstance(estimator._model, Resorted)
    again = estimator_of(_mercer.from_bytes(bytes(estimator._model.to_bytes())), name, params, resorted)
    attributes = {}
    for attribute, value in vars(estimator).items():
        if attribute in params or attribute in DERIVED or (attribute in vars(again) and _keep.same(value, vars(again)[attribute])):
            continue
        try:
            _keep.coded(value)
        except _keep.UnsupportedValue:
            # Attributes that are not values, such as connections, are dropped, as by pickle.
            continue
        attributes[attribute] = value
    note = {"format": 1, "estimator": name, "params": params, "attributes": attributes}
    return note | {"resorted": True} if resorted else note


#: Attributes that are restored from the model.
DERIVED = {"_model", "certificate_"}


def load(path):
    """Read a model file of the program or of this package, or a text model of LIBSVM, as a fitted estimator.

    An estimator written by :func:`save` is restored with its parameters, classes, attributes and their types. Other
    files hold class names as text: ``classes_`` then holds integers if all names are integers, booleans for True and
    False, and otherwise text, in ascending order.

    Parameters
    ----------
    path : path
        The file to read.
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
    """The estimator of a model, of the given class and parameters or of those in the model's texts.

    ``resort`` sorts the classes. Models fitted by estimators have them sorted already, by value rather than by name.
    """
    kernel_text, learner_text = model.expressions()
    if name is None:
        target = model.target()
        if learner_text == "blend":
            made = (BlendClassifier if target[1] else BlendRegressor)()
        else:
            learner, settings = _mercer.parse_learner(learner_text)
            made = FROM[learner](settings, target is not None and target[1])
        if not (isinstance(made, (LinearSVC, LinearSVR)) and kernel_text == "linear"):
            made.kernel = kernel(kernel_text)
    else:
        made = ESTIMATORS[name](**params)
    made.kernel_ = kernel(kernel_text)
    columns = model.columns()
    # Text models of LIBSVM do not contain the number of features.
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
    """Convert class names of a file: integers if all names are, booleans for True and False, otherwise text."""
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


#: A number of features that stands for an unknown number.
MOST_FEATURES = 1 << 27

#: The engine's own iteration limit, for which estimators use -1.
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


#: Estimators from the parameters of a learner, and whether it predicts classes.
FROM = {
    "svc": lambda s, _: SVC(C=s["C"], margin=s["margin"], **_svc(s)),
    "nu-svc": lambda s, _: NuSVC(nu=s["nu"], **_svc(s)),
    "landmark-svc": lambda s, _: LandmarkSVC(
        C=s["C"], landmarks=int(s["landmarks"]), class_weight=weights_of(s["weights"]), tol=s["tolerance"]
    ),
    "svr": lambda s, _: SVR(C=s["C"], epsilon=s["epsilon"], **_limits(s)),
    "nu-svr": lambda s, _: NuSVR(C=s["C"], nu=s["nu"], **_limits(s)),
    "one-class": lambda s, _: OneClassSVM(nu=s["nu"], **_limits(s)),
    "ridge": lambda s, classes: (KernelRidgeClassifier if classes else KernelRidge)(
        alpha=s["lambda"], fit_intercept=s["intercept"] == "yes", landmarks=int(s["landmarks"])
    ),
    "gp": lambda s, _: GaussianProcessRegressor(
        alpha=0.0 if s["noise"] == "none" else s["noise"], scale=s["scale"], mean=s["mean"], solver=s["solver"], landmarks=int(s["landmarks"])
    ),
    "gpc": lambda s, _: GaussianProcessClassifier(scale=s["scale"], approximation=s["approximation"]),
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
        class_weight=weights_of(s["weights"]),
        multi_class="crammer_singer" if s["scheme"] == "crammer-singer" else "ovr",
        **_linear(s, "hinge", "squared_hinge"),
    ),
    "linear-svr": lambda s, _: LinearSVR(
        epsilon=s["epsilon"], **_linear(s, "epsilon_insensitive", "squared_epsilon_insensitive")
    ),
}


#: Every estimator by its name.
ESTIMATORS = {
    made.__name__: made
    for made in (
        BlendClassifier, BlendRegressor, GaussianProcessClassifier, GaussianProcessRegressor, KNeighborsClassifier, KNeighborsRegressor, KernelKMeans, KernelPCA, KernelRidge, KernelRidgeClassifier, LandmarkSVC,
        LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM, Perceptron, SVC, SVR, VotedPerceptron,
    )
}  # fmt: skip


def certify(K, *, threads=None):
    """Check the eigenvalues of a similarity matrix.

    Raises an error for matrices that are not square, finite and symmetric. Negative eigenvalues are not an error:
    ``mercer.Repair`` makes a kernel of such a similarity.

    Parameters
    ----------
    K : array-like
        A symmetric matrix (n, n).
    threads : int, optional
        Number of threads; all cores by default.

    Returns
    -------
    dict with the verdict, λmin and λmax, rank, symmetry, trace, ``squared_norm_of_mean`` and ``total_variance``
        ``squared_norm_of_mean`` is |μ|², the squared norm of the mean of all objects in feature space, which is the
        mean of all entries of K. ``total_variance`` is the mean squared distance from it, (1/n)·Σ K_ii - |μ|².

    Examples
    --------
    >>> mercer.certify([[2.0, 1.0], [1.0, 2.0]]).verdict
    'positive-definite'
    >>> mercer.certify([[9.0, 0.0], [0.0, 16.0]]).total_variance
    6.25
    """
    text, values = _mercer.certify(dense(K), threads_of(threads))
    out = Facts("certificate", json.loads(text))
    out.__dict__["eigenvalues"] = values
    return out
