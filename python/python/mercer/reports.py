"""Evaluations by nested cross-validation, and reports of what they found: the program's ``evaluate`` and ``report``."""

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
from ._estimator import WORDS, Estimator, class_names, numbers_of, target_name
from ._grid import described
from ._kernel import Kernel
from ._measures import SCORES
from ._progress import shown
from ._threads import threads_of
from ._values import flag, seed_of
from .kernels import kernel as kernel_of
from .splits import Protocol

__all__ = ["Evaluation", "evaluate", "report"]

#: Learners that predict classes alone, and numbers alone; others do what y asks for.
CLASSES = {"svc", "nu-svc", "linear-svc", "perceptron", "voted-perceptron"}
NUMBERS = {"svr", "nu-svr", "linear-svr"}


#: What is evaluated where neither a kernel nor an estimator is given.
KERNEL = "rbf(gamma=2^-7..2^3)"


def evaluate(
    X,
    y,
    kernel=None,
    learner=None,
    *,
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
):
    """How well a kernel and a learner do on objects they have not seen, as ``mercer evaluate`` says it.

    ``kernel`` is a kernel or a text, ``learner`` an estimator or a text; texts may leave ranges open (``rbf(gamma=2^-5..2^3)``,
    ``svc(C=[1, 10])``), which are chosen from inside each training set. An estimator brings its own kernel: then ``kernel`` is left
    out, or the estimator's kernel is its default, which ``kernel`` replaces. Without both the kernel is rbf(gamma=2^-7..2^3).

    ``protocol`` is one of mercer's (``mercer.StratifiedKFold(5)``), its text as in :class:`~mercer.Protocol`, or a number of folds;
    without, 10 folds, or of whole groups where there are ``groups``. ``inner`` is the same inside training sets. ``scoring`` is the measure
    choices are made by, ``scores`` others to report, ``search`` one of grid, random(N), halving. ``sample_weight`` weighs training
    objects; scores weigh all test objects alike. ``seed`` chooses splits and whatever the learner draws: it takes the place of an
    estimator's ``random_state``, and is that of ``protocol``, or 42, where it is not given. ``journal`` names a file in which
    finished fits are noted, so that a run that was stopped goes on. ``best_of`` names a parameter with a range, such as ``p`` of
    ``walk(rbf, p=1..7)``: the value that scores best on the test sets, chosen after they are seen and so optimistic, is in
    :attr:`Evaluation.best_of`. ``figures=False`` saves the look at the kernel that :meth:`Evaluation.report` draws from.

    >>> X = [[0.0], [0.1], [0.2], [0.3], [2.0], [2.1], [2.2], [2.3]] * 4
    >>> y = ["low"] * 4 + ["high"] * 4
    >>> found = mercer.evaluate(X, y * 4, "rbf(gamma=[0.1, 1])", "svc(C=[1, 10])", protocol="4-fold", inner="2-fold", figures=False)
    >>> found.mean
    1.0
    """
    estimator = clone(learner) if isinstance(learner, Estimator) else None
    if estimator is None and learner is not None and not isinstance(learner, str):
        raise ParameterError(f"learner = {learner!r}: must be an estimator of mercer or a text")
    wanted = wanted_of(estimator, learner, y)
    if estimator is not None:
        kernel, learner = kernel_for(estimator, kernel), learner_for(estimator, y, sample_weight)
    elif learner is None:
        learner = "svc(C=2^-2..2^8)" if wanted == "classes" else "svr(C=2^-2..2^8)"
    kernel = KERNEL if kernel is None else kernel
    if isinstance(kernel, Kernel):
        text, first = kernel._text(), kernel
    elif isinstance(kernel, str):
        text, first = kernel, kernel_of(_mercer.first_cell(kernel, learner)[0])
    else:
        raise ParameterError(f"kernel = {kernel!r}: must be a kernel of mercer or a text")
    data = objects_of(X, first)
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
            raise DataError(f"groups = {groups!r:.80}: must be a list with the group of each object") from None
    if seed is None:
        seed = protocol.seed if isinstance(protocol, Protocol) and isinstance(protocol.seed, numbers.Integral) else 42
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
        )
    found = Evaluation(text)
    for warning in found.warnings:
        warnings.warn(warning, DataWarning, stacklevel=2)
    return found


def protocol_text(name, given):
    """The text of a protocol: as it is, of a number of folds, or of one of mercer's."""
    if isinstance(given, str):
        return given
    if isinstance(given, Protocol):
        return given._text()
    if isinstance(given, numbers.Integral) and not isinstance(given, bool):
        return f"{int(given)}-fold"
    raise ParameterError(
        f"{name} = {given!r}: must be a text such as '10-fold', a number of folds, or a protocol of mercer such as StratifiedKFold(10)"
    )


def wanted_of(estimator, learner, y):
    """Whether classes or numbers are predicted: as the learner says, or else as y says."""
    if estimator is not None:
        if is_classifier(estimator) or is_regressor(estimator):
            return "classes" if is_classifier(estimator) else "numbers"
        raise ParameterError(f"{type(estimator).__name__} learns without a target: there is nothing to score it by")
    name = None if learner is None else learner.split("(")[0].strip()
    if name in CLASSES or name in NUMBERS:
        return "classes" if name in CLASSES else "numbers"
    return "numbers" if type_of_target(y).startswith("continuous") else "classes"


def kernel_for(estimator, kernel):
    """The estimator's kernel, or the one given where the estimator's is its default."""
    if kernel is None:
        return estimator._kernel_of(WORDS)
    names = ("kernel", "gamma", "degree", "coef0")
    default = clone(estimator).set_params(
        **{name: p.default for name, p in inspect.signature(type(estimator)).parameters.items() if name in names}
    )
    own, theirs = estimator._kernel_of(WORDS), default._kernel_of(WORDS)
    same = isinstance(kernel, (str, Kernel)) and own == kernel_of(kernel) if closed(kernel) else False
    if own != theirs and not same:
        raise ParameterError(f"two kernels: the estimator has {own!r}, and kernel = {kernel!r}; leave one of them out")
    return kernel


def closed(kernel):
    """Whether a kernel leaves no range open."""
    if isinstance(kernel, Kernel):
        return True
    try:
        kernel_of(kernel)
    except (ParameterError, TypeError):
        return False
    return True


def objects_of(X, kernel):
    """X as the data the kernel looks at; a matrix of similarities is checked to be one."""
    if kernel._kinds() == {None: {"precomputed"}} and not isinstance(X, Objects):
        from .svm import SVC

        return SVC(kernel="precomputed")._objects(X, reset=True)[0]
    return as_data(X, kernel._kinds())


def learner_for(estimator, y, sample_weight):
    """The text of the estimator's learner; refuses what the text cannot say."""
    # Refuses a kernel or a setting that is wrong.
    estimator._kernel_of(WORDS), _mercer.canonical_learner(estimator._learner_text())
    if not described(estimator):
        raise ParameterError(f"{estimator!r} has settings that only scikit-learn's cross_validate evaluates")
    if sample_weight is not None and not estimator._weighted:
        raise ParameterError(f"{type(estimator).__name__} cannot weigh objects")
    if is_classifier(estimator):
        # Weights of classes are written by the names of classes.
        estimator._classes(y, None)
    return estimator._learner_text()


class Evaluation:
    """What an evaluation found. ``document`` is all of it, as the program writes it with ``--report run.json``."""

    def __init__(self, text):
        try:
            self.document = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            self.document = None
        if not isinstance(self.document, dict):
            raise DataError("an evaluation is made from the text of its document, as mercer.evaluate does it")
        self._text = text

    @property
    def verdict(self):
        """Whether the baseline that knows nothing is beaten, in a sentence."""
        return self.document["verdict"]["sentence"]

    @property
    def warnings(self):
        """What someone who reads the result should know."""
        return list(self.document["warnings"])

    @property
    def score(self):
        """The measure choices were made by."""
        return self.document["score"]

    @property
    def folds(self):
        """What was chosen and scored on each split."""
        return self.document["folds"]

    @property
    def mean(self):
        """The mean of ``score`` over the splits."""
        return self.measures[self.score]["mean"]

    @property
    def best_of(self):
        """Of the parameter named by ``best_of`` every value with its mean score on the test sets, and the best; None without it.

        The best value was chosen after the test results were seen: its score is optimistic, ``mean`` is what to expect.
        """
        return self.document.get("best_of")

    @property
    def measures(self):
        """Means, standard deviations, intervals and the baseline of every measure, by its name."""
        return {row["score"]: row for row in self.document["measures"]}

    def report(self, path):
        """Writes a page that works offline (``.html``), or the document (``.json``) that ``mercer report`` makes one of."""
        return report(self, path)

    def plots(self, folder, form="svg"):
        """Writes every figure as a plot fit for a paper, ``svg`` or ``png``, into a folder; returns the files."""
        return plots(self, folder, form)

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
    """The text of a run document: of an evaluation, of a file, of a dictionary."""
    if isinstance(run, Evaluation):
        return run._text
    if isinstance(run, dict):
        return json.dumps(run)
    with open(os.fspath(run), encoding="utf-8") as file:
        return file.read()


def report(run, path):
    """Makes a report of a run: an :class:`Evaluation`, or a document that ``mercer … --report run.json`` wrote.

    A name that ends in ``.html`` gets one page with everything in it, which works offline; ``.json`` the document itself.
    """
    text, path = text_of(run), os.fspath(path)
    if path.lower().endswith((".html", ".htm")):
        content = _mercer.report_page(text)
    elif path.lower().endswith(".json"):
        content = json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
    else:
        raise ParameterError(f"path = {path!r}: the name of a report ends in .html or .json")
    whole(path, content.encode())
    return path


def plots(run, folder, form="svg"):
    """Writes every figure of a run as a plot, ``svg`` or ``png``, into a folder; returns the files."""
    drawn = _mercer.report_plots(text_of(run), form)
    os.makedirs(folder, exist_ok=True)
    out = []
    for name, content in drawn:
        out.append(os.path.join(os.fspath(folder), name))
        whole(out[-1], bytes(content))
    return out


def whole(path, content):
    """Writes a file whole or not at all."""
    partial = f"{path}.{os.getpid()}.partial"
    try:
        with open(partial, "wb") as file:
            file.write(content)
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.remove(partial)
        raise
