"""Conversion of user data to typed columns of the native engine, without copying where the memory layout allows.

==========================================  ==================================================================
input                                       converted to
==========================================  ==================================================================
numeric array (n, d), SciPy sparse matrix   vectors; C-contiguous float64 is read in place; booleans are 1 and 0
table (pandas, polars, pyarrow, dict of     a column for each: numbers, categories, strings, series, graphs; see
columns, structured array)                  :mod:`mercer._tables`; dates are times
list of str                                 strings, categories or text, as the kernel requires
list of dates, datetime64 array             times, for :class:`mercer.Time`
object array (n, d)                         vectors if all values are numbers, otherwise one column each; categories if
                                            the kernel takes only these, as for a numeric array
series                                      see :mod:`mercer._series` and :class:`mercer.Series`
uint8 array (n, height, width, channels)    images; channels: grey, grey and alpha, red green blue, or these and alpha
list of (height, width[, channels]) uint8   images, for image kernels
list of SMILES or RDKit molecules           molecules, for kernels on molecules: see :class:`mercer.Molecules`
list of graphs                              graphs: see :class:`mercer.Graphs`
one graph, for node kernels                 its nodes, in order: see :class:`mercer.Nodes`
==========================================  ==================================================================

A :class:`mercer.DataWarning` lists the columns that a kernel without column names cannot use.
"""

import numbers
import warnings
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from . import _mercer
from ._errors import DataError, DataWarning
from ._tables import NUMERIC, WRITTEN, column, frame_columns, is_truth, listed, object_values, plain, sound, table_data
from ._values import described, kind_of_dtype, missing, name_of, numbers_in, text_kind, texts, times_in, unknown, whole

__all__ = ["NAME", "Objects", "Records", "Strings", "as_data", "compressed", "dense", "frame_columns", "name_of", "plain", "vectors"]

#: The default name of a column.
NAME = "x"


class Objects:
    """Objects converted once, for repeated use by kernels and estimators. Indexing selects objects.

    Examples
    --------
    >>> graphs, y = mercer.datasets.load_mutag()
    >>> len(graphs), len(graphs[:10])
    (188, 10)
    """

    def __init__(self, data):
        if not isinstance(data, _mercer.Data):
            raise DataError("create objects by mercer.Records, Graphs, Nodes or Series, or pass lists and arrays directly")
        self._data = data

    def __len__(self):
        return len(self._data)

    @property
    def shape(self):
        """Shape as of a one-dimensional array, so that scikit-learn can split the objects."""
        return (len(self),)

    def __getitem__(self, key):
        if isinstance(key, tuple):
            key = key[0]
        if isinstance(key, numbers.Integral):
            key = [key]
        rows = np.arange(len(self))[key]
        out = object.__new__(type(self))
        out.__dict__.update(self.__dict__)
        out._data = self._data.select(rows)
        return out

    def __getstate__(self):
        return {**self.__dict__, "_data": bytes(self._data.to_bytes())}

    def __setstate__(self, state):
        self.__dict__.update(state, _data=_mercer.Data.from_bytes(state["_data"]))

    def __repr__(self):
        columns = ", ".join(f"{name} ({kind})" for name, kind in self._data.columns())
        return f"<{type(self).__name__}: {len(self)} objects; {columns}>"

    def _as(self, kinds):
        """The data for a kernel that takes these kinds."""
        return self._data


class Records(Objects):
    """Objects with columns of different kinds: tables, mixed records.

    Parameters
    ----------
    table : DataFrame, dict or structured array
        Columns by name: numbers, strings, categories, series, graphs. A column may be :class:`mercer.Series`,
        :class:`mercer.Graphs` or :class:`mercer.Nodes`; a single graph stands for its nodes.
    kinds : dict, optional
        Kinds of columns that cannot be inferred from the values: ``{"dna": "strings", "ward": "categories"}``. By
        default text is categories and booleans are numbers, unless a kernel requires another kind.

    Examples
    --------
    >>> patients = mercer.Records({"age": [31, 54, 29], "dna": ["acgt", "ttga", "acga"]}, kinds={"dna": "strings"})
    >>> (mercer.RBF(gamma=0.01).on("age") + mercer.Delta().on("dna")).gram(patients).shape
    (3, 3)
    """

    def __init__(self, table, kinds=None):
        if not isinstance(kinds, (Mapping, type(None))):
            raise DataError(f"kinds must be a dict of kinds by column name, not {type(kinds).__name__}")
        if not all(isinstance(kind, str) for kind in (kinds or {}).values()):
            raise DataError("kinds: every kind must be a str such as 'strings'")
        given = {name: {kind} for name, kind in (kinds or {}).items()}
        columns = frame_columns(plain(table))
        if columns is None:
            raise DataError("Records takes a DataFrame or a dict of columns")
        names = {name for name, _ in columns}
        if set(given) - names:
            raise DataError(f"no column {sorted(set(given) - names)[0]!r} in the table")
        # All columns are converted: the kernels that will use them are not known yet.
        data, passed = table_data(columns, {None: set(), **given})
        if passed:
            why = "; ".join(why for _, why in passed)
            warnings.warn(f"columns left out: {why}", DataWarning, stacklevel=2)
        super().__init__(data)
        self._given = frozenset(given)
        self._truths = frozenset(name for name, values in columns if is_truth(values))

    def _as(self, kinds):
        """Convert columns without a given kind to the kinds that the kernel requires, as for a plain table."""
        given, truths = self.__dict__.get("_given", ()), self.__dict__.get("_truths", ())
        columns, changed = [], False
        for name, kind in self._data.columns():
            wanted = kinds.get(name) or kinds.get(None) or set()
            other = None if name in given or kind in wanted else self._recast(name, kind, wanted, name in truths)
            changed |= other is not None
            columns.append((name, "column", self._data.column(name)) if other is None else (name, *other))
        return _mercer.Data(columns) if changed else self._data

    def _recast(self, name, kind, wanted, truth):
        if kind == "numbers" and "categories" in wanted and not wanted & NUMERIC:
            values = self._data.numbers(name)
            if values.shape[1] != 1:
                return None
            values = values[:, 0].tolist()
            return "categories", texts([v if missing(v) or not truth else bool(v) for v in values])
        if kind in WRITTEN and wanted & WRITTEN:
            return text_kind(wanted), self._data.texts(name)
        if kind in WRITTEN and wanted & {"molecules", "graphs"}:
            return "molecules", self._data.texts(name)
        return None


class Strings(Records):
    """Strings converted once: sequences, words or texts, for kernels on strings, text or categories.

    Parameters
    ----------
    strings : list, array or column of a table
        One string per object; None and NaN are missing.

    Examples
    --------
    >>> reads = mercer.Strings(["acgt", "acga", "ttgt"])
    >>> mercer.Spectrum(k=2).gram(reads)
    array([[3., 2., 1.],
           [2., 3., 0.],
           [1., 0., 3.]])
    """

    def __init__(self, strings):
        from ._tables import column_array

        if isinstance(strings, (str, bytes)):
            raise DataError("expected a list of strings, got one text: pass [text]")
        if frame_columns(plain(strings)) is not None:
            raise DataError("expected strings, got a table: pass one of its columns, or use mercer.Records")
        values, _ = column_array("strings", plain(strings))
        if values.ndim != 1:
            raise DataError(f"strings have one dimension, not {values.ndim}")
        Objects.__init__(self, _mercer.Data([(NAME, "strings", texts(list(values)))]))
        self._given, self._truths = frozenset(), frozenset()


def as_data(X, kinds, names=None, unused="warn", new=False):
    """Convert X to native data for a kernel that takes these kinds (by column name; None for any column).

    Precomputed similarities of ``new`` objects refer to training objects, even if the matrix is square. ``unused``
    controls the columns of a table that the kernel cannot use: ``"warn"``, ``"refuse"`` or ``"pass"``.
    """
    data, passed = converted(plain(X), kinds, names, new)
    if unused != "pass":
        report_unused(data, passed, kinds, unused)
    return data


def report_unused(data, passed, kinds, unused):
    """Warn about, or refuse, columns that a kernel without column names cannot use."""
    anywhere = kinds.get(None)
    if not anywhere:
        return
    columns = data.columns()
    # Kernels on graphs use molecules too.
    taken = anywhere | ({"molecules"} if "graphs" in anywhere else set())
    left = [f"{name} ({kind})" for name, kind in columns if name not in kinds and kind not in taken]
    if not left and not passed or (unused == "warn" and len(left) == len(columns)):
        return  # all columns are used, or none, which the engine refuses
    left += [why for _, why in passed]
    takes = " or ".join(sorted(anywhere))
    if unused == "refuse":
        raise DataError(
            f"the kernel takes {takes} and cannot use these columns: {', '.join(left)}. Drop them from the table, or choose "
            "the columns of each kernel: mercer.RBF().on('age') + mercer.Delta().on('sex')"
        )
    warnings.warn(
        f"the kernel takes {takes} and does not use these columns: {', '.join(left)}; .on(…) chooses the columns of a kernel",
        DataWarning,
        stacklevel=5,
    )


def converted(X, kinds, names, new):
    """Native data, and the skipped columns with the reasons."""
    from ._graphs import is_network, node_values

    if isinstance(X, Objects):
        return X._as(kinds), []
    if isinstance(X, _mercer.Data):
        return X, []
    wanted = set().union(*kinds.values()) if kinds else set()
    columns = frame_columns(X)
    if wanted == {"precomputed"} and not isinstance(X, Mapping):
        X = dense(X.toarray() if sparse.issparse(X) else X)
        return _mercer.Data([(NAME, "precomputed", (X, X.shape[0] == X.shape[1] and not new))]), []
    if columns is None and (wanted == {"nodes"} or is_network(X)):
        if "nodes" not in wanted:
            raise DataError(
                f"expected objects, got one graph ({type(X).__name__}): pass a list of graphs, or mercer.Nodes(graph) to use its "
                "nodes as objects"
            )
        return _mercer.Data([(NAME, "nodes", node_values(X))]), []
    if sparse.issparse(X):
        return _mercer.Data([(NAME, "sparse", compressed(X))]), []
    if columns is None and isinstance(X, (list, tuple)) and any(name is not None and name.isdigit() for name in kinds):
        X = rectangle(X)
    if columns is not None:
        if set(kinds) == {None} and is_sparse_frame(X, columns):
            return _mercer.Data([(NAME, "sparse", compressed(X.sparse.to_coo()))]), []
        return table_data(columns, kinds)
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.ndim == 2 and wanted not in ({"categories"}, {"series"}):
        return vectors(X, positions(kinds, X.shape[1]) if names is None else names), []
    return _mercer.Data(object_columns(X, wanted)), []


def rectangle(X):
    """A list of rows of numbers as an array; other lists unchanged."""
    try:
        array = np.asarray(X)
    except ValueError:
        return X
    return array if array.ndim == 2 and array.dtype.kind in "fiub" else X


def positions(kinds, width):
    """The names of the columns of an array if kernels choose some of them by position; None if none does."""
    named = [name for name in kinds if name is not None]
    if not named or NAME in named and len(named) == 1:
        return None
    if not all(name.isdigit() and int(name) < width for name in named):
        return None
    return [str(j) for j in range(width)]


def is_sparse_frame(X, columns):
    """Whether X is a pandas frame whose columns are all sparse."""
    return hasattr(X, "iloc") and bool(columns) and all(str(values.dtype).startswith("Sparse[") for _, values in columns)


def vectors(X, names=None):
    """Data of a numeric array: one column of vectors or, if names are given, one column per feature."""
    X = dense(X)
    if names is None:
        return _mercer.Data([(NAME, "numbers", X)])
    return _mercer.Data([(str(name), "numbers", X[:, [j]]) for j, name in enumerate(names)])


def dense(X):
    """A two-dimensional C-contiguous array of doubles; the array itself if it is one."""
    if isinstance(X, np.ndarray) and (what := kind_of_dtype(X.dtype)) is not None:
        raise unknown(what, "the array")
    try:
        X = np.ascontiguousarray(plain(X), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError("expected a 2-D array of numbers") from None
    if X.ndim != 2:
        raise DataError(f"expected a 2-D array, got {X.ndim} dimensions")
    return X


def compressed(X):
    """The parts of a sparse matrix in CSR format with sorted indices."""
    if X.dtype.kind not in "fiub":
        raise unknown(kind_of_dtype(X.dtype) or "objects", "the sparse matrix")
    if X.ndim != 2:
        raise DataError(f"expected a 2-D sparse array, got {X.ndim} dimensions")
    X = sound(sparse.csr_array(sound(X)))
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return (
        X.shape[1],
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int64, copy=False),
        X.data.astype(np.float64, copy=False),
    )


# ---------------------------------------------------------------------- lists and arrays of objects


def object_columns(X, wanted):
    """Columns (name, kind, values) of objects that are not plain vectors."""
    from ._series import series_values

    if not isinstance(X, np.ndarray):
        X = gathered(X)
    if "times" in wanted and (X.ndim == 1 or X.ndim == 2 and X.shape[1] == 1):
        times = times_in(X.reshape(-1))
        if times is not None:
            return [(NAME, "times", times)]
    if (what := kind_of_dtype(X.dtype)) is not None:
        raise unknown(what, "the array")
    if X.ndim == 0:
        X = gathered(X)
    if X.ndim > 2 and wanted and wanted <= NUMERIC:
        raise DataError(
            f"expected a 2-D array, got {X.ndim} dimensions: X.reshape(len(X), -1) makes each object a vector"
        )
    if X.ndim == 4 or (X.ndim == 3 and wanted == {"images"}):
        return [(NAME, "images", [image(v) for v in X])]
    numeric = X.dtype.kind in "fiub"
    if numeric and (X.ndim == 3 or (X.ndim == 2 and wanted == {"series"})):
        return [(NAME, "series", series_values(X))]
    if X.ndim == 2:
        return array_columns(X, wanted)
    if X.ndim != 1:
        raise DataError(f"an array with {X.ndim} dimensions is not supported")
    items = X.tolist() if numeric else list(X)
    first = next((v for v in items if not missing(v)), None)
    if first is None:
        raise DataError("no objects, or all values are missing")
    if numbers_in(items) is not None and "categories" not in wanted:
        raise DataError("expected 2-D data, got a list of numbers: reshape(-1, 1) makes objects with one number each")
    if is_row_of_names(first, wanted):
        return array_columns(squared(items), wanted)
    return [(NAME, *object_values("", items, wanted))]


def gathered(X):
    """A container of objects (list, tuple, column of a table, array) as a NumPy array."""
    if hasattr(X, "to_pylist"):
        return listed(X.to_pylist())
    if hasattr(X, "__array__") and not hasattr(X, "to_list"):
        X = np.asarray(X)
        if X.ndim == 0:
            raise DataError(f"expected a sequence of objects, got one value: {X!r:.60}")
        return X
    if isinstance(X, (set, frozenset)):
        raise DataError("expected an ordered sequence of objects, got a set")
    if isinstance(X, (str, bytes)):
        raise DataError("expected a sequence of objects, got one text: pass a list of texts")
    try:
        return listed(X)
    except TypeError:
        raise DataError(f"expected a sequence of objects, got {described(X)}") from None


def is_row_of_names(first, wanted):
    """Whether an object is a row of categories, not a series, vector or graph."""
    from ._graphs import is_graph

    if not (isinstance(first, (list, tuple)) or (isinstance(first, np.ndarray) and first.ndim == 1)):
        return False
    if "series" in wanted or is_graph(first) or wanted == {"images"}:
        return False
    codes = "categories" in wanted and not wanted & NUMERIC
    return codes or any(isinstance(v, (str, bytes)) or v is None for v in first)


def squared(items):
    """Stack rows to a two-dimensional array."""
    if any(not missing(row) and (isinstance(row, type) or not hasattr(row, "__len__")) for row in items):
        raise DataError("some objects are rows and others are single values")
    widths = {len(row) for row in items if not missing(row)}
    if len(widths) > 1:
        raise DataError(f"rows of different lengths: {', '.join(str(w) for w in sorted(widths)[:4])}")
    array = np.empty((len(items), widths.pop()), dtype=object)
    for i, row in enumerate(items):
        array[i] = [None] * array.shape[1] if missing(row) else list(row)
    return array


def array_columns(X, wanted):
    """The columns of a two-dimensional array; one column of vectors if all values are numbers."""
    whole = X if X.dtype.kind in "fiub" else numbers_in(X.ravel().tolist()) if X.dtype.kind == "O" else None
    if whole is not None and (wanted & NUMERIC or not wanted & WRITTEN):
        return [(NAME, "numbers", dense(whole.reshape(X.shape)))]
    return [(name, *column(name, X[:, j], wanted)) for j, name in enumerate(f"{NAME}{j + 1}" for j in range(X.shape[1]))]


def stacked(items):
    """Stack vectors to the rows of an array."""
    items = [plain(v) for v in items]
    try:
        array = np.asarray(items)
    except ValueError:
        widths = sorted({len(v) for v in items if hasattr(v, "__len__") and not isinstance(v, type)})
        raise DataError(f"vectors of different lengths: {', '.join(str(w) for w in widths[:4])}") from None
    if array.dtype.kind == "O":
        known = numbers_in(array.ravel().tolist())
        if known is None:
            raise DataError("objects are lists with values other than numbers")
        array = known.reshape(array.shape)
    return dense(array)


def image(values):
    """One image as height × width × channels of bytes; None if it is missing."""
    if missing(values):
        return None
    try:
        pixels = np.asarray(whole(values, "an image"))
    except ValueError:
        raise DataError(f"an image must be an array of uint8, not {described(values)}") from None
    if pixels.dtype != np.uint8 or pixels.ndim not in (2, 3):
        raise DataError(
            f"an image must be a uint8 array (height, width) or (height, width, channels), not {pixels.dtype} {pixels.shape}"
        )
    return np.ascontiguousarray(pixels[:, :, None] if pixels.ndim == 2 else pixels)
