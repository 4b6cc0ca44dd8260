"""Published experiments, done again: the program's ``reproduce``."""

import json
import os
import re

from . import _mercer
from ._errors import ParameterError
from ._progress import shown
from ._threads import threads_of
from ._values import seed_of
from .reports import plots as write_plots
from .reports import report as write_report

__all__ = ["Reproduction", "reproduce", "studies"]


def studies():
    """The studies that :func:`reproduce` runs: what each of them is, by its name.

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
    seed=0,
    threads=None,
    progress=False,
):
    """Runs a published experiment and compares what comes out with what was printed, as ``mercer reproduce`` does.

    ``study`` is a name of :func:`studies`. Each study takes some of the options, and refuses the others:

    * ``data``: the folder of its data sets; ``nodes``: folders of graphs whose nodes are classified (diffusion)
    * ``only``: names of data sets; ``part`` (similarity), ``base`` and ``method`` (random-walk), ``kernel`` (graphs) likewise.
      One name, or a list of them
    * ``splits``, ``repetitions``, ``inner_folds``: sizes other than the published ones; ``quick=True``: a coarse grid and few
      splits, for trying out
    * ``journal``: a folder in which finished work is noted, so that a run that was stopped goes on where it was
    * ``seed``, ``threads`` (all cores), ``progress``: True for a bar, or a function of (stage, done, total)

    Returns a :class:`Reproduction`. Ctrl-C stops the work.

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
        "seed": seed_of("seed", seed),
    }
    with shown(progress) as listener:
        return Reproduction(*_mercer.reproduce(study, json.dumps(options), threads_of(threads), listener))


def _names(given):
    """A name or several as a list of texts."""
    if given is None:
        return []
    try:
        return [os.fspath(given)] if isinstance(given, (str, os.PathLike)) else [os.fspath(g) for g in given]
    except TypeError:
        raise ParameterError(f"a name or a list of names is expected, not {given!r:.80}") from None


class Reproduction:
    """What a study found.

    ``text`` is what the program prints, ``markdown`` the same in Markdown, ``document`` everything unrounded, as the program
    writes it with ``--json``.
    """

    def __init__(self, text, markdown, document):
        self.text, self.markdown, self._document = text, markdown, document
        try:
            self.document = json.loads(document)
        except (TypeError, ValueError, RecursionError):
            self.document = None
        if not isinstance(self.document, dict):
            raise ParameterError("a reproduction is made from the text of its document, as mercer.reproduce does it")

    @property
    def summary(self):
        """The outcome in a few sentences, what fell short first."""
        return list(self.document["summary"])

    @property
    def notes(self):
        """What must be known to read the tables."""
        return list(self.document["notes"])

    @property
    def tables(self):
        """The tables: dictionaries with ``title``, ``columns``, ``rows`` and ``notes``.

        The first cell of a row is its name. The others are numbers where the table shows numbers, None where it shows none,
        otherwise text. They are rounded as in the table; ``document`` has them unrounded.
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
        """The tables as pandas data frames, by their titles. Needs pandas."""
        import pandas

        return {t["title"]: pandas.DataFrame(t["rows"], columns=t["columns"]) for t in self.tables}

    def report(self, path):
        """Writes a page that works offline (``.html``), or the document (``.json``) that ``mercer report`` makes one of."""
        return write_report(self.document, path)

    def plots(self, folder, form="svg"):
        """Writes every figure as a plot fit for a paper, ``svg`` or ``png``, into a folder; returns the files."""
        return write_plots(self.document, folder, form)

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
    """A cell of a table as a number, None or text."""
    if text in ("", "–"):
        return None
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"[+-]?\d+\.\d+", text) else text
