"""What is in data, and what is wrong with it: the ``inspect`` command of the program."""

import json
from collections.abc import Mapping

import numpy as np
from sklearn.utils.multiclass import type_of_target

from . import _mercer
from ._data import Objects, Records, as_data, frame_columns, plain
from ._errors import DataError, ParameterError
from ._estimator import class_names, numbers_of, target_name
from ._values import missing, renamed, seed_of

__all__ = ["Inspection", "inspect"]


def inspect(X, y=None, *, target=None, groups=None, test=None, time=None, ignore=(), kinds=None, random_state=0, seed=None):
    """Describe data and look for faults that make results look better or worse than they are.

    Nothing is removed or changed. Rows whose target is missing are left out of the examination.

    Parameters
    ----------
    X : table, array or objects
        A DataFrame or dict of columns, an array, or objects as for :func:`~mercer.evaluate`.
    y : array-like, optional
        The target, if it is not a column.
    target : str, optional
        The column to predict.
    groups : array-like or str, optional
        The group of each object, or the column that holds it.
    test : array-like of bool, optional
        Whether each object belongs to the test set.
    time : str, optional
        The column with the time of each object. By default one that is named or written as a time.
    ignore : str or list of str
        Columns to leave out.
    kinds : dict, optional
        Kinds of columns, as in :class:`~mercer.Records`.
    random_state : int, default 0
        Seed of the sample that statistical checks look at, if the data is large.
    seed : int, optional
        Deprecated name of ``random_state``.

    Returns
    -------
    Inspection
        ``findings``, the most serious first, each a dict with ``code``, ``severity``, ``columns``, ``objects``,
        ``evidence``, ``message`` and ``advice``; and what is in the columns.

    Examples
    --------
    >>> age = [31, 54, 29, 47, 38, 61, 44, 52, 35, 40] * 4
    >>> ill = [a > 42 for a in age]
    >>> found = mercer.inspect({"age": age, "ill": ill, "treated": ill}, target="ill")
    >>> found.findings[0]["code"], found.findings[0]["columns"]
    ('W_TARGET_COPY', ['treated'])
    """
    columns = None if isinstance(X, Objects) else frame_columns(plain(X))
    ignored = {ignore} if isinstance(ignore, str) else set(ignore)
    if columns is None:
        if target is not None or ignored or isinstance(groups, str):
            raise ParameterError("target, groups and ignore name columns, and X is not a table: pass y and arrays")
        data, names = as_data(X, {None: set()}), set()
    else:
        names = {name for name, _ in columns}
        named = [target, time, groups if isinstance(groups, str) else None, *ignored]
        if unknown := [name for name in named if name is not None and name not in names]:
            raise DataError(f"no column {unknown[0]!r} in the table; the columns are {', '.join(map(repr, sorted(names)))}")
        by_name = dict(columns)
        if target is not None:
            if y is not None:
                raise ParameterError("y and target are two targets: pass one of them")
            y = by_name[target]
        if isinstance(groups, str):
            ignored, groups = ignored | {groups}, list(by_name[groups])
        kept = {name: values for name, values in columns if name not in ignored and name != target}
        if not kept:
            raise DataError("no columns are left to inspect")
        data = Records(kept, {k: v for k, v in (kinds or {}).items() if k in kept} if isinstance(kinds, Mapping) else kinds)._data
    if y is not None and len(y) != len(data):
        raise DataError(f"Found input variables with inconsistent numbers of samples: {[len(data), len(y)]}")
    rows = np.arange(len(data))
    if y is not None:
        values = list(y)
        known = np.array([not missing(v) for v in values], dtype=bool)
        name = target if target is not None else target_name(y)
        rows = rows[known]
        y = target_of(name, [v for v, k in zip(values, known, strict=True) if k])
        data = data.select(rows.tolist())
    groups = None if groups is None else [str(g) for g in np.asarray(groups, dtype=object)[rows]]
    test = None if test is None else [bool(t) for t in np.asarray(test)[rows]]
    return Inspection(_mercer.inspect(data, y, groups, test, time, seed_of("random_state", renamed("seed", seed, "random_state", random_state))), rows)


def target_of(name, values):
    """The native target: classes, or numbers if they are continuous."""
    array = np.asarray(values)
    if array.dtype.kind in "fiu" and type_of_target(array).startswith("continuous"):
        return (name, numbers_of(array))
    if array.dtype.kind in "iu" and len(np.unique(array)) > max(20, len(array) // 20):
        return (name, numbers_of(array.astype(float)))
    try:
        classes, codes = np.unique(array, return_inverse=True)
    except TypeError:
        classes, codes = np.unique(np.array([str(v) for v in values]), return_inverse=True)
    return (name, codes.astype(np.uint32), class_names(classes))


class Inspection:
    """The result of :func:`inspect`. ``document`` holds all of it, as ``mercer inspect --json`` prints it.

    Examples
    --------
    >>> table = {"id": [1, 2, 3, 4], "age": [31, 45, 27, 60], "ill": ["yes", "no", "yes", "no"]}
    >>> found = mercer.inspect(table, target="ill")
    >>> [column["name"] for column in found.columns]
    ['id', 'age']
    """

    def __init__(self, text, rows=None):
        self.document = json.loads(text)
        for finding in self.document["findings"]:
            finding["evidence"] = dict(finding["evidence"])
            if rows is not None:
                finding["objects"] = [int(rows[i]) for i in finding["objects"]]

    @property
    def findings(self):
        """What is wrong, the most serious first."""
        return self.document["findings"]

    @property
    def columns(self):
        """The contents of each column."""
        return self.document["columns"]

    @property
    def target(self):
        """A summary of the target, or None."""
        return self.document["target"]

    @property
    def candidates(self):
        """Columns that could be the target, if there is none."""
        return self.document["candidates"]

    def __repr__(self):
        count = len(self.columns)
        lines = [f"{self.document['objects']} objects, {count} column{'' if count == 1 else 's'}"]
        for finding in self.findings:
            lines.append(f"{finding['severity']:<6}  {finding['code']}: {finding['message']}; {finding['advice']}")
        if not self.findings:
            lines.append("no findings")
        width = max((len(column["name"]) for column in self.columns[:MOST]), default=0)
        lines += [f"{column['name']:<{width}}  {column['kind']:<10}  {said(column)}" for column in self.columns[:MOST]]
        if len(self.columns) > MOST:
            lines.append(f"… and {len(self.columns) - MOST} more columns")
        if self.target is None and self.candidates:
            lines.append("no target; " + ", ".join(f"target={c['name']!r} ({c['what']})" for c in self.candidates))
        return "\n".join(lines)


#: Columns shown at most.
MOST = 40


def said(column):
    """The contents of a column in a few words."""
    gaps = f"; {column['missing']} missing" if column["missing"] else ""
    return f"{column['values']}{gaps}"
