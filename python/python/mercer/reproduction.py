"""Reproduction of published experiments: the ``reproduce`` command of the program."""

import json
import os
import re

from . import _mercer
from ._errors import ParameterError
from ._progress import shown
from ._threads import threads_of
from ._values import renamed, seed_of
from .reports import plots as write_plots
from .reports import report as write_report

__all__ = ["Reproduction", "reproduce", "studies"]


def studies():
    """List the studies that :func:`reproduce` can run: their summaries by name.

    Examples
    --------
    >>> list(mercer.studies())
    ['chapter', 'slides', 'random-walk', 'graphs', 'diffusion', 'similarity']
    """
    return {name: summary for name, summary, _ in _mercer.studies()}


def reproduce(
    study,
    *,
    data=None,
    only=None,
    part=None,
    base=None,
    method=None,
    kernel=None,
    nodes=None,
    splits=None,
    repetitions=None,
    inner_folds=None,
    journal=None,
    quick=False,
    random_state=0,
    threads=None,
    progress=False,
    seed=None,
):
    """Run a published experiment and compare the results with the printed ones, as ``mercer reproduce`` does.

    Each study takes some of the options and raises an error for the others. Ctrl-C cancels the run.

    Parameters
    ----------
    study : str
        A name of :func:`studies`.
    data : path, optional
        The folder of the data sets.
    only : str or list of str, optional
        Names of data sets.
    part, base, method, kernel : str or list of str, optional
        A selection of parts (similarity), base kernels and methods (random-walk), or kernels (graphs).
    nodes : path or list of path, optional
        Folders of graphs whose nodes are classified (diffusion).
    splits, repetitions, inner_folds : int, optional
        Sizes other than the published ones.
    journal : path, optional
        A folder that records finished work, so that an interrupted run can be resumed.
    quick : bool, default False
        Use a coarse grid and few splits, for a trial.
    random_state : int, default 0
        Seed of the splits.
    threads : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, default False
        True for a progress bar, or a function of (stage, done, total).
    seed : int, optional
        Deprecated name of ``random_state``.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> chapter = mercer.reproduce("chapter")
    >>> chapter.tables[0]["columns"]
    ['', 'printed', 'mercer', 'deviation']
    >>> chapter.tables[0]["rows"][0][1:3]
    ['0.44 0.22 0.22 0.11', '0.44 0.22 0.22 0.11']
    >>> [value["computed"] for value in chapter.document["values"][4:8]]
    [4.0, 2.0, 2.0, 1.0]
    """
    options = {
        "data": None if data is None else os.fspath(data),
        "only": _names(only),
        "part": _names(part),
        "base": _names(base),
        "method": _names(method),
        "kernel": _names(kernel),
        "nodes": _names(nodes),
        "splits": splits,
        "repetitions": repetitions,
        "inner_folds": inner_folds,
        "journal": None if journal is None else os.fspath(journal),
        "quick": bool(quick),
        "seed": seed_of("random_state", renamed("seed", seed, "random_state", random_state)),
    }
    with shown(progress) as listener:
        return Reproduction(*_mercer.reproduce(study, json.dumps(options), threads_of(threads), listener))


def _names(given):
    """One name or several as a list of str."""
    if given is None:
        return []
    try:
        return [os.fspath(given)] if isinstance(given, (str, os.PathLike)) else [os.fspath(g) for g in given]
    except TypeError:
        raise ParameterError(f"expected a name or a list of names, got {given!r:.80}") from None


class Reproduction:
    """The results of :func:`reproduce`.

    Attributes
    ----------
    text : str
        The output of the program.
    markdown : str
        The same in Markdown.
    document : dict
        All values unrounded, as the program writes them with ``--json``.

    Examples
    --------
    >>> slides = mercer.reproduce("slides")
    >>> slides.tables[0]["columns"]
    ['', 'printed', 'mercer', 'deviation']
    """

    def __init__(self, text, markdown, document):
        self.text, self.markdown, self._document = text, markdown, document
        try:
            self.document = json.loads(document)
        except (TypeError, ValueError, RecursionError):
            self.document = None
        if not isinstance(self.document, dict):
            raise ParameterError("a Reproduction is made from the JSON text of its document, as by mercer.reproduce")

    @property
    def summary(self):
        """The outcome in a few sentences, deviations first."""
        return list(self.document["summary"])

    @property
    def notes(self):
        """Notes on the tables."""
        return list(self.document["notes"])

    @property
    def tables(self):
        """The tables: dicts with ``title``, ``columns``, ``rows`` and ``notes``.

        The first cell of a row is its name. The others are numbers, None for empty cells, or text. Numbers are rounded
        as in the table; ``document`` has them unrounded.
        """
        return [
            {
                "title": table["title"],
                "columns": list(table["rows"][0]),
                "rows": [[row[0], *map(_cell, row[1:])] for row in table["rows"][1:]],
                "notes": list(table["notes"]),
            }
            for table in self.document["tables"]
        ]

    def frames(self):
        """Convert the tables to pandas data frames by title. Needs pandas."""
        import pandas

        return {t["title"]: pandas.DataFrame(t["rows"], columns=t["columns"]) for t in self.tables}

    def report(self, path):
        """Write a self-contained page (``.html``), or the document (``.json``) for ``mercer report``."""
        return write_report(self.document, path)

    def plots(self, folder, format="svg", *, form=None):
        """Write every figure as a publication-quality plot, ``svg`` or ``png``, to a folder; returns the files.

        ``form`` is the deprecated name of ``format``.
        """
        return write_plots(self.document, folder, renamed("form", form, "format", format))

    def __str__(self):
        return self.text

    def __repr__(self):
        found = "; ".join(self.summary[:1])
        return f"<Reproduction of {self.document['kind']}: {len(self.document['tables'])} tables; {found}>"

    def _repr_html_(self):
        from html import escape

        parts = [f"<p>{escape(line)}</p>" for line in self.summary]
        for table in self.document["tables"]:
            head, *rows = table["rows"]
            cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
            body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            parts.append(f"<table><caption>{escape(table['title'])}</caption><tr>{cells}</tr>{body}</table>")
            parts += [f"<p>{escape(note)}</p>" for note in table["notes"]]
        return "".join(parts + [f"<p>{escape(note)}</p>" for note in self.notes])


def _cell(text):
    """A table cell as a number, None or text."""
    if text in ("", "–"):
        return None
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"[+-]?\d+\.\d+", text) else text
