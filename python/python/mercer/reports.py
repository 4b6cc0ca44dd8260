"""Evaluations by nested cross-validation, and reports of what they found: the program's ``evaluate`` and ``report``."""

import json
import os
import warnings

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.multiclass import type_of_target

from . import _mercer
from ._data import as_data
from ._errors import DataError, DataWarning, ParameterError
from ._estimator import Estimator, class_names, numbers_of, target_name
from ._kernel import Kernel
from ._progress import shown
from .kernels import kernel as kernel_of
from .search import SCORES

__all__ = ["Evaluation", "evaluate", "report"]

#: Learners that predict classes alone, and numbers alone; others do what y asks for.
CLASSES = {"svc", "nu-svc", "linear-svc", "perceptron", "voted-perceptron"}
NUMBERS = {"svr", "nu-svr", "linear-svr"}


def evaluate(
    X,
    y,
    kernel="rbf(gamma=2^-7..2^3)",
    learner=None,
    *,
    protocol=None,
    inner="5-fold",
    scoring=None,
    scores=None,
    search="grid",
    groups=None,
    seed=42,
    figures=True,
    journal=None,
    threads=None,
    progress=False,
):
    """How well a kernel and a learner do on objects they have not seen, as ``mercer evaluate`` says it.

    ``kernel`` is a kernel or a text, ``learner`` an estimator or a text; texts may leave ranges open (``rbf(gamma=2^-5..2^3)``,
    ``svc(C=[1, 10])``), which are chosen from inside each training part. ``protocol`` is as in :class:`~mercer.Protocol`
    (10-fold, or whole groups where there are ``groups``), ``scoring`` the measure choices are made by, ``scores`` others to
    report, ``search`` one of grid, random(N), halving. ``journal`` names a file in which finished fits are noted, so that a run
    that was stopped goes on. ``figures=False`` saves the look at the kernel that :meth:`Evaluation.report` draws from.

    >>> X = [[0.0], [0.1], [0.2], [0.3], [2.0], [2.1], [2.2], [2.3]] * 4
    >>> y = ["low"] * 4 + ["high"] * 4
    >>> found = mercer.evaluate(X, y * 4, "rbf(gamma=[0.1, 1])", "svc(C=[1, 10])", protocol="4-fold", inner="2-fold", figures=False)
    >>> found.mean
    1.0
    """
    if isinstance(learner, Estimator):
        wanted = "classes" if is_classifier(learner) else "numbers" if is_regressor(learner) else None
        learner = learner._learner_text()
    elif learner is None or isinstance(learner, str):
        wanted = None
    else:
        raise ParameterError(f"learner = {learner!r}: must be an estimator of mercer or a text")
    name = None if learner is None else learner.split("(")[0].strip()
    if wanted is None:
        wanted = "classes" if name in CLASSES else "numbers" if name in NUMBERS else None
    if wanted is None:
        wanted = "numbers" if type_of_target(y).startswith("continuous") else "classes"
    if learner is None:
        learner = "svc(C=2^-2..2^8)" if wanted == "classes" else "svr(C=2^-2..2^8)"
    if isinstance(kernel, Kernel):
        text, first = kernel._text(), kernel
    elif isinstance(kernel, str):
        text, first = kernel, kernel_of(_mercer.first_cell(kernel, learner)[0])
    else:
        raise ParameterError(f"kernel = {kernel!r}: must be a kernel of mercer or a text")
    data = as_data(X, first._kinds())
    if wanted == "classes":
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        target = (target_name(y), codes.astype(np.uint32), class_names(classes))
    else:
        target = (target_name(y), numbers_of(y))
    if len(target[1]) != len(data):
        raise DataError(f"Found input variables with inconsistent numbers of samples: {[len(data), len(target[1])]}")
    measure = None if scoring is None else SCORES.get(scoring, scoring)
    others = None if scores is None else [SCORES.get(s, s) for s in scores]
    groups = None if groups is None else [str(g) for g in groups]
    with shown(progress) as listener:
        text = _mercer.evaluate(
            text,
            learner,
            data,
            target,
            groups,
            protocol,
            inner,
            measure,
            others,
            search,
            int(seed),
            bool(figures),
            None if journal is None else os.fspath(journal),
            threads,
            listener,
        )
    found = Evaluation(text)
    for warning in found.warnings:
        warnings.warn(warning, DataWarning, stacklevel=2)
    return found


class Evaluation:
    """What an evaluation found. ``document`` is all of it, as the program writes it with ``--report run.json``."""

    def __init__(self, text):
        self._text = text
        self.document = json.loads(text)

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
        """What was chosen and scored on each division."""
        return self.document["folds"]

    @property
    def mean(self):
        """The mean of ``score`` over the divisions."""
        return self.measures[self.score]["mean"]

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
