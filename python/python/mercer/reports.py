"""Nested cross-validation and its reports: the ``evaluate`` and ``report`` commands of the program."""

import inspect
import json
import numbers
import os
import warnings

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight

from . import _mercer
from ._data import Objects, as_data
from ._errors import DataError, DataWarning, ParameterError
from ._estimator import AS_TEXT, Estimator, class_names, numbers_of, target_name
from ._grid import described
from ._kernel import Kernel
from ._measures import SCORES
from ._progress import shown
from ._threads import threads_of
from ._values import flag, renamed, seed_of
from .kernels import kernel as kernel_of
from .splits import Forward, Protocol, times_of
from .workflow import evaluate_one, is_estimator

__all__ = ["Evaluation", "evaluate", "report"]

#: Learners for classification only, and for regression only; for others y decides.
CLASSES = {"svc", "nu-svc", "landmark-svc", "linear-svc", "perceptron", "voted-perceptron"}
NUMBERS = {"svr", "nu-svr", "linear-svr"}


#: The default kernel, if neither a kernel nor an estimator is given.
KERNEL = "rbf(gamma=2^-7..2^3)"


def evaluate(
    estimator=None,
    X=None,
    y=None,
    learner=None,
    *,
    kernel=None,
    protocol=None,
    inner="5-fold",
    scoring=None,
    scores=None,
    search="grid",
    groups=None,
    sample_weight=None,
    seed=None,
    figures=True,
    journal=None,
    best_of=None,
    threads=None,
    progress=False,
    cv=None,
    test=None,
    times=None,
    random_state=None,
    n_jobs=None,
):
    """Evaluate an estimator, or a kernel and a learner, by cross-validation.

    ``evaluate(estimator, X, y, cv=, scoring=, groups=, sample_weight=, random_state=, n_jobs=)`` evaluates any estimator, of
    mercer, of scikit-learn, a pipeline or a search, compared with the majority class or the mean on the same splits, and returns a
    :class:`~mercer.CrossValidation`. A search chooses its parameters inside each training set. There, ``cv`` is a number of
    folds (10 by default, shuffled by ``random_state``, of whole groups if there are ``groups``), a splitter, or index arrays.
    ``scoring`` is a measure, a list or a dict of measures; the first one decides. ``sample_weight`` goes to ``fit``.

    ``evaluate(X, y, kernel, learner)`` chooses from the ranges in their texts by nested cross-validation in the engine, as
    ``mercer evaluate`` does, and returns an :class:`Evaluation`. The other parameters are of this form.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor; omitted in the second form.
    X : objects
    y : array-like
        Classes or numbers.
    learner : estimator or str, optional
        A text may contain ranges (``svc(C=[1, 10])``).
    kernel : Kernel or str, optional
        A text may contain ranges (``rbf(gamma=2^-5..2^3)``), from which each training set chooses. Must be omitted if
        the learner is an estimator with a kernel other than its default. Without both, rbf(gamma=2^-7..2^3).
    protocol : Protocol, str or int, optional
        Outer splits: a splitter of mercer (``mercer.StratifiedKFold(5)``), its text as in :class:`~mercer.Protocol`, or
        a number of folds. By default 10 folds, of whole groups if there are ``groups``.
    inner : Protocol, str or int
        Inner splits of each training set.
    scoring : str, optional
        The measure by which parameters are chosen.
    scores : list of str, optional
        Further measures to report.
    search : str
        How configurations are searched: ``"grid"``, ``"random(N)"`` or ``"halving"``.
    groups : array-like, optional
        The group of each object.
    sample_weight : array-like, optional
        Weights of training objects. Scores weight all test objects equally.
    seed : int, optional
        Seed of the splits and of the learner, in place of an estimator's ``random_state``. By default that of
        ``protocol``, or 42.
    figures : bool
        False skips the analysis of the kernel that :meth:`Evaluation.report` plots.
    journal : path, optional
        A file that records finished fits, so that an interrupted run can be resumed.
    best_of : str, optional
        A parameter with a range, such as ``p`` of ``walk(rbf, p=1..7)``. :attr:`Evaluation.best_of` then holds its best
        value on the test sets; being chosen after the test results are seen, it is optimistic.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable
        True for a progress bar, or a function of (stage, done, total).
    cv : splitter or list of (train, test), optional
        Outer splits in place of ``protocol``: any splitter of scikit-learn, or index arrays.
    test : tuple (X_test, y_test), optional
        The test set. X and y are then the training set: parameters are chosen inside it, and the test set is scored once.
    times : array-like, optional
        The time of each object. Splits then keep the order of time, by default as ``protocol="forward(5)"`` does.
    random_state : int, optional
        As ``seed``, which is its deprecated name.
    n_jobs : int, optional
        Number of processes for the splits of an estimator; in the second form, as ``threads``.

    Returns
    -------
    CrossValidation or Evaluation

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [2.0], [2.1], [2.2], [2.3]] * 4
    >>> y = ["low"] * 4 + ["high"] * 4
    >>> found = mercer.evaluate(X, y * 4, "rbf(gamma=[0.1, 1])", "svc(C=[1, 10])", protocol="4-fold", inner="2-fold", figures=False)
    >>> found.mean
    1.0
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> found = mercer.evaluate(DecisionTreeClassifier(random_state=0), X, y * 4, cv=4)
    >>> found.mean, found.baseline.mean
    (1.0, 0.5)
    """
    if is_estimator(estimator):
        engines = {"learner": learner, "kernel": kernel, "protocol": protocol, "scores": scores, "journal": journal, "best_of": best_of,
                   "test": test, "times": times}  # fmt: skip
        given = [name for name, value in engines.items() if value is not None]
        if given:
            raise ParameterError(f"{given[0]} is for evaluate(X, y, kernel, learner): an estimator takes cv, scoring, groups and sample_weight")
        state = renamed("seed", seed, "random_state", random_state)
        return evaluate_one(
            estimator, X, y, cv=cv, scoring=scoring, groups=groups, sample_weight=sample_weight,
            random_state=0 if state is None else state, n_jobs=threads if n_jobs is None else n_jobs, progress=progress,
        )  # fmt: skip
    # evaluate(X, y, kernel, learner): the arguments one place to the left.
    if estimator is not None:
        X, y, kernel = (estimator, y, kernel) if X is None else (estimator, X, kernel if y is None else y)
    if X is None or y is None:
        raise ParameterError("evaluate takes an estimator, X and y; or X, y, a kernel and a learner")
    seed = renamed("seed", seed, "random_state", random_state)
    threads = n_jobs if threads is None else threads
    estimator = clone(learner) if isinstance(learner, Estimator) else None
    if estimator is None and learner is not None and not isinstance(learner, str):
        raise ParameterError(f"learner = {learner!r}: must be an estimator of mercer or a str")
    wanted = wanted_of(estimator, learner, y)
    if estimator is not None:
        kernel, learner = kernel_for(estimator, kernel), learner_for(estimator, y, sample_weight)
    elif learner is None:
        learner = "svc(C=2^-2..2^8)" if wanted == "classes" else "svr(C=2^-2..2^8)"
    kernel = KERNEL if kernel is None else kernel
    if isinstance(kernel, Kernel):
        text, first = kernel._text(), kernel
    elif isinstance(kernel, str):
        text, first = kernel, kernel_of(_mercer.first_configuration(kernel, learner)[0])
    else:
        raise ParameterError(f"kernel = {kernel!r}: must be a kernel of mercer or a str")
    data = objects_of(X, first)
    train = len(data)
    if test is not None:
        data, y = with_test(data, y, test, first, protocol, cv)
        if sample_weight is not None:
            sample_weight = np.concatenate([np.asarray(sample_weight, dtype=float), np.ones(len(data) - train)])
    if wanted == "classes":
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        target = (target_name(y), codes.astype(np.uint32), class_names(classes))
    else:
        target = (target_name(y), numbers_of(y))
    if len(target[1]) != len(data):
        raise DataError(f"Found input variables with inconsistent numbers of samples: {[len(data), len(target[1])]}")
    if not isinstance(scoring, (str, type(None))):
        raise ParameterError(f"scoring = {scoring!r:.80}: must be the name of a measure")
    measure = None if scoring is None else SCORES.get(scoring, scoring)
    if not isinstance(scores, (list, tuple, type(None))) or not all(isinstance(s, str) for s in scores or ()):
        raise ParameterError(f"scores = {scores!r:.80}: must be a list of names of measures")
    others = None if scores is None else [SCORES.get(s, s) for s in scores]
    if groups is not None:
        try:
            groups = [str(g) for g in groups]
        except TypeError:
            raise DataError(f"groups = {groups!r:.80}: must be a list with one group per object") from None
    if groups is not None and test is not None and len(groups) == train:
        raise DataError("groups: with a test set, give the groups of both, those of the test set last")
    splits = splits_of(cv, protocol, data, y, groups, wanted)
    if times is None and isinstance(protocol, Forward):
        times = protocol.times
    if seed is None:
        own = protocol.random_state if isinstance(protocol, Protocol) else None
        seed = own if isinstance(own, numbers.Integral) else 42
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, np.empty((len(data), 1)), dtype=np.float64, ensure_non_negative=True)
    with shown(progress) as listener:
        text = _mercer.evaluate(
            text,
            learner,
            data,
            target,
            None if sample_weight is None else sample_weight.tolist(),
            groups,
            None if protocol is None else protocol_text("protocol", protocol),
            protocol_text("inner", inner),
            measure,
            others,
            search,
            seed_of("seed", seed),
            flag("figures", figures),
            None if journal is None else os.fspath(journal),
            threads_of(threads),
            listener,
            best_of,
            None if test is None else [i >= train for i in range(len(data))],
            None if times is None else times_of(times, len(data)),
            splits,
        )
    found = Evaluation(text)
    for warning in found.warnings:
        warnings.warn(warning, DataWarning, stacklevel=2)
    return found


def with_test(data, y, test, kernel, protocol, cv):
    """The objects and targets of both sets, the test set last."""
    if protocol is not None or cv is not None:
        raise ParameterError("test gives the split, and protocol or cv another: use only one of them")
    if not isinstance(test, (tuple, list)) or len(test) != 2:
        raise ParameterError("test must be a tuple (X_test, y_test)")
    X_test, y_test = test
    own, others = np.asarray(y), np.asarray(y_test)
    if len(own) != len(data):
        raise DataError(f"Found input variables with inconsistent numbers of samples: {[len(data), len(own)]}")
    more = objects_of(X_test, kernel)
    if len(others) != len(more):
        raise DataError(f"Found input variables with inconsistent numbers of samples: {[len(more), len(others)]}")
    return data.followed_by(more), np.concatenate([own, others])


def splits_of(cv, protocol, data, y, groups, wanted):
    """The splits of scikit-learn's ``cv`` as lists of indices; None without ``cv``."""
    if cv is None:
        return None
    if protocol is not None:
        raise ParameterError("protocol and cv both give the outer splits: use only one of them")
    from sklearn.model_selection import check_cv

    from ._grid import split

    made = check_cv(cv, y, classifier=wanted == "classes")
    there = np.empty((len(data), 1))
    found = [split(train, test) for train, test in made.split(there, y, groups)]
    return [(train.tolist(), test.tolist()) for train, test in found]


def protocol_text(name, given):
    """The text of a protocol given as text, as a number of folds, or as a splitter of mercer."""
    if isinstance(given, str):
        return given
    if isinstance(given, Protocol):
        return given._text()
    if isinstance(given, numbers.Integral) and not isinstance(given, bool):
        return f"{int(given)}-fold"
    raise ParameterError(
        f"{name} = {given!r}: must be a str such as '10-fold', a number of folds, or a protocol of mercer such as StratifiedKFold(10)"
    )


def wanted_of(estimator, learner, y):
    """Whether classes or numbers are predicted, by the learner or else by y."""
    if estimator is not None:
        if is_classifier(estimator) or is_regressor(estimator):
            return "classes" if is_classifier(estimator) else "numbers"
        raise ParameterError(f"{type(estimator).__name__} has no target: there is nothing to score")
    name = None if learner is None else learner.split("(")[0].strip()
    if name in CLASSES or name in NUMBERS:
        return "classes" if name in CLASSES else "numbers"
    return "numbers" if type_of_target(y).startswith("continuous") else "classes"


def kernel_for(estimator, kernel):
    """The estimator's kernel, or the given one if the estimator has its default kernel."""
    if kernel is None:
        return estimator._kernel_of(AS_TEXT)
    names = ("kernel", "gamma", "degree", "coef0")
    default = clone(estimator).set_params(
        **{name: p.default for name, p in inspect.signature(type(estimator)).parameters.items() if name in names}
    )
    own, theirs = estimator._kernel_of(AS_TEXT), default._kernel_of(AS_TEXT)
    same = isinstance(kernel, (str, Kernel)) and own == kernel_of(kernel) if closed(kernel) else False
    if own != theirs and not same:
        raise ParameterError(f"two kernels: the estimator has {own!r}, and kernel = {kernel!r}; omit one of them")
    return kernel


def closed(kernel):
    """Whether a kernel contains no range."""
    if isinstance(kernel, Kernel):
        return True
    try:
        kernel_of(kernel)
    except (ParameterError, TypeError):
        return False
    return True


def objects_of(X, kernel):
    """Native data of X for the kernel; a precomputed matrix is validated."""
    if kernel._kinds() == {None: {"precomputed"}} and not isinstance(X, Objects):
        from .svm import SVC

        return SVC(kernel="precomputed")._objects(X, reset=True)[0]
    return as_data(X, kernel._kinds())


def learner_for(estimator, y, sample_weight):
    """The text of the estimator's learner; an error for settings that it cannot express."""
    # Raises an error for an invalid kernel or setting.
    estimator._kernel_of(AS_TEXT), _mercer.canonical_learner(estimator._learner_text())
    if not described(estimator):
        raise ParameterError(f"{estimator!r} has settings that only scikit-learn's cross_validate supports")
    if sample_weight is not None and not estimator._weighted:
        raise ParameterError(f"{type(estimator).__name__} does not support sample_weight")
    if is_classifier(estimator):
        # The text of class weights contains the class names.
        estimator._classes(y, None)
    return estimator._learner_text()


class Evaluation:
    """The results of :func:`evaluate`. ``document`` is the full run document, as written by ``--report run.json``.

    Examples
    --------
    >>> X, y = mercer.datasets.load_iris()
    >>> found = mercer.evaluate(X, y, "standardize(rbf(gamma=0.25))", "svc(C=[1, 10])", protocol=5, figures=False)
    >>> found.score, found.mean > 0.9, len(found.folds)
    ('accuracy', True, 5)
    """

    def __init__(self, text):
        try:
            self.document = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            self.document = None
        if not isinstance(self.document, dict):
            raise DataError("an Evaluation is made from the JSON text of its document, as by mercer.evaluate")
        self._text = text

    @property
    def verdict(self):
        """Whether the baseline is beaten, in a sentence."""
        return self.document["verdict"]["sentence"]

    @property
    def warnings(self):
        """Warnings about the results."""
        return list(self.document["warnings"])

    @property
    def score(self):
        """The measure by which parameters were chosen."""
        return self.document["score"]

    @property
    def folds(self):
        """The chosen parameters and the scores of each split."""
        return self.document["folds"]

    @property
    def mean(self):
        """The mean of ``score`` over the splits."""
        return self.measures[self.score]["mean"]

    @property
    def best_of(self):
        """Mean test score of every value of the parameter ``best_of``, and the best value; None if none was named.

        The best value was chosen after the test results were seen: its score is optimistic. Expect ``mean`` instead.
        """
        return self.document.get("best_of")

    @property
    def measures(self):
        """Mean, standard deviation, interval and baseline of every measure, by name."""
        return {row["score"]: row for row in self.document["measures"]}

    def report(self, path):
        """Write a self-contained page (``.html``), or the document (``.json``) for ``mercer report``."""
        return report(self, path)

    def plots(self, folder, format="svg", *, form=None):
        """Write every figure as a publication-quality plot, ``svg`` or ``png``, to a folder; returns the files.

        ``form`` is the deprecated name of ``format``.
        """
        return plots(self, folder, renamed("form", form, "format", format))

    def __repr__(self):
        return f"<Evaluation: {self.score} {self.mean:.3f}; {self.verdict}>"

    def _repr_html_(self):
        from html import escape

        def number(value):
            return "–" if value is None else f"{value:.3f}"

        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td>{number(row['mean'])}</td>"
            f"<td>{number(row['sd'])}</td><td>{number(row['baseline']['mean'])}</td></tr>"
            for name, row in self.measures.items()
        )
        head = "<tr><th></th><th>mean</th><th>± sd</th><th>baseline</th></tr>"
        return f"<table>{head}{rows}</table><p>{escape(self.verdict)}</p>"


def text_of(run):
    """The text of a run document, given as an evaluation, a file or a dict."""
    if isinstance(run, Evaluation):
        return run._text
    if isinstance(run, dict):
        return json.dumps(run)
    with open(os.fspath(run), encoding="utf-8") as file:
        try:
            return file.read()
        except UnicodeDecodeError as fault:
            raise DataError(f"not a run document: {os.fspath(run)!r} is not UTF-8 text") from fault


def report(run, path):
    """Write a report of a run: of an :class:`Evaluation`, or of a document written by ``mercer … --report run.json``.

    A path that ends in ``.html`` gives a self-contained page, ``.json`` the document itself.

    Parameters
    ----------
    run : Evaluation, dict or path
        An evaluation, a run document, or the file that holds it.
    path : path
        The file to write: ``.html`` or ``.json``.
    """
    text, path = text_of(run), os.fspath(path)
    if path.lower().endswith((".html", ".htm")):
        content = _mercer.report_page(text)
    elif path.lower().endswith(".json"):
        content = json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    else:
        raise ParameterError(f"path = {path!r}: must end in .html or .json")
    write_atomically(path, content.encode())
    return path


def plots(run, folder, format="svg", *, form=None):
    """Write every figure of a run as a plot, ``svg`` or ``png``, to a folder; returns the files.

    ``form`` is the deprecated name of ``format``.
    """
    drawn = _mercer.report_plots(text_of(run), renamed("form", form, "format", format))
    os.makedirs(folder, exist_ok=True)
    out = []
    for name, content in drawn:
        out.append(os.path.join(os.fspath(folder), name))
        write_atomically(out[-1], bytes(content))
    return out


def write_atomically(path, content):
    """Write a file completely or not at all."""
    partial = f"{path}.{os.getpid()}.partial"
    try:
        with open(partial, "wb") as file:
            file.write(content)
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.remove(partial)
        raise
