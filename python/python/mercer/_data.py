"""What users have, as typed columns of the native engine: converted once, without copying where the layout allows.

==========================================  ==================================================================
objects                                     become
==========================================  ==================================================================
numeric array (n, d), SciPy sparse matrix   vectors; C-contiguous float64 is read in place
DataFrame (pandas, polars, pyarrow), dict   a column for each: numbers, categories, strings, series, graphs
list of str                                 strings, categories or text, as the kernel needs
object array (n, d)                         a column of categories for each; so is a numeric one where the kernel
                                            takes nothing else
array (n, channels, moments)                series, as aeon and sktime have them; NaN at the end is their end
array (n, moments), for series              series of one channel; NaN at the end is their end
list of 1-D or (moments, channels) arrays   series, as tslearn and dtaidistance have them
uint8 array (n, height, width, channels)    images; channels: grey, grey and alpha, red green blue, or these and alpha
list of (height, width[, channels]) uint8   images, for kernels that take them
list of graphs                              graphs: see :class:`mercer.Graphs`
one graph, for kernels between nodes        its nodes, in order: see :class:`mercer.Nodes`
==========================================  ==================================================================
"""

import numbers

import numpy as np
from scipy import sparse

from . import _mercer
from ._errors import DataError

#: The name of a column that has none.
NAME = "x"


class Objects:
    """Objects converted once, for kernels and estimators to use many times. Indexing gives some of them."""

    def __init__(self, data):
        self._data = data

    def __len__(self):
        return len(self._data)

    @property
    def shape(self):
        """As of a one-dimensional array, so that scikit-learn divides them."""
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


class Records(Objects):
    """Objects described by several columns of different kinds: tables, mixed records.

    Parameters
    ----------
    table : DataFrame or dict
        Columns by name: numbers, strings, categories, series, graphs.
    kinds : dict, optional
        The kind of columns whose values do not say it: ``{"dna": "strings", "ward": "categories"}``. Columns of text
        are categories unless they are named here or a kernel needs them as strings.

    Examples
    --------
    >>> patients = mercer.Records({"age": [31, 54, 29], "dna": ["acgt", "ttga", "acga"]}, kinds={"dna": "strings"})
    >>> (mercer.RBF(gamma=0.01).on("age") + mercer.Delta().on("dna")).gram(patients).shape
    (3, 3)
    """

    def __init__(self, table, kinds=None):
        named = {name: {kind} for name, kind in (kinds or {}).items()}
        columns = frame_columns(table)
        if columns is None:
            raise DataError("Records takes a DataFrame or a dict of columns")
        unknown = set(named) - {name for name, _ in columns}
        if unknown:
            raise DataError(f"no column {sorted(unknown)[0]!r} in the table")
        super().__init__(table_data(columns, named))


def as_data(X, kinds, names=None):
    """Native data for a kernel that looks at such kinds (by column; None for columns without a name)."""
    if isinstance(X, Objects):
        return X._data
    if isinstance(X, _mercer.Data):
        return X
    wanted = set().union(*kinds.values()) if kinds else set()
    if wanted == {"precomputed"}:
        X = dense(X)
        return _mercer.Data([(NAME, "precomputed", (X, X.shape[0] == X.shape[1]))])
    if wanted == {"nodes"}:
        from ._graphs import node_values

        return _mercer.Data([(NAME, "nodes", node_values(X))])
    if sparse.issparse(X):
        return _mercer.Data([(NAME, "sparse", compressed(X))])
    columns = frame_columns(X)
    if columns is not None:
        return table_data(columns, kinds)
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.ndim == 2 and wanted not in ({"categories"}, {"series"}):
        return vectors(X, names)
    return _mercer.Data(object_columns(X, wanted))


def vectors(X, names=None):
    """Data of a numeric array: one column of vectors, or with names a column for each number."""
    X = dense(X)
    if names is None:
        return _mercer.Data([(NAME, "numbers", X)])
    return _mercer.Data([(str(name), "numbers", X[:, [j]]) for j, name in enumerate(names)])


def dense(X):
    """A two-dimensional array of doubles, row after row; the array itself where it is one."""
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise DataError(f"expected a 2-D array, and this has {X.ndim} dimensions")
    return X


def compressed(X):
    """The parts of a sparse matrix in compressed rows, its features ascending."""
    X = sparse.csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return (
        X.shape[1],
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int64, copy=False),
        X.data.astype(np.float64, copy=False),
    )


# ---------------------------------------------------------------------- tables


def frame_columns(X):
    """The (name, values) of a table's columns, by what it can do; None for what is no table."""
    if isinstance(X, dict):
        return [(str(name), values) for name, values in X.items()]
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # pandas
        return [(str(name), X.iloc[:, j]) for j, name in enumerate(X.columns)]
    if hasattr(X, "get_columns") and hasattr(X, "schema"):  # polars
        return [(series.name, series) for series in X.get_columns()]
    if hasattr(X, "column_names") and hasattr(X, "to_pydict"):  # pyarrow
        return [(name, X.column(j)) for j, name in enumerate(X.column_names)]
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "shape"):
        import pyarrow

        return frame_columns(pyarrow.table(X))
    return None


def table_data(columns, kinds):
    anywhere = kinds.get(None, set())
    return _mercer.Data([(name, *column(name, values, kinds.get(name) or anywhere)) for name, values in columns])


def column(name, values, kinds):
    """The kind and the native values of a table's column."""
    dtype = str(getattr(values, "dtype", None) or getattr(values, "type", ""))
    if hasattr(values, "to_numpy"):
        numeric = dtype.lower().startswith(("int", "uint", "float", "double", "halffloat"))
        array = values.to_numpy(dtype=np.float64, na_value=np.nan) if numeric and hasattr(values, "iloc") else None
        if array is None and numeric:
            array = np.asarray(values.to_numpy(), dtype=np.float64)
        if array is None:
            array = np.empty(len(values), dtype=object)
            array[:] = values.to_list() if hasattr(values, "to_list") else values.to_pylist()
    else:
        array = np.asarray(values) if not isinstance(values, list) else listed(values)
    if array.ndim == 2 and array.dtype.kind in "fiu":
        return "numbers", dense(array)
    if array.ndim == 4 or (array.ndim == 3 and kinds == {"images"}):
        return object_columns(array, {"images"})[0][1:]
    if array.ndim == 3 and array.dtype.kind in "fiu":
        return object_columns(array, {"series"})[0][1:]
    if array.ndim != 1:
        raise DataError(f"column {name!r} has {array.ndim} dimensions")
    # Codes of categories may be numbers: the kernel, or the caller, says so.
    if array.dtype.kind in "fiu" and not kinds & {"numbers", "sparse"} and "categories" in kinds:
        return "categories", texts(array)
    if array.dtype.kind in "fiu":
        return "numbers", dense(array.reshape(-1, 1))
    kind, native = object_columns(array, kinds or {"categories"}, alone=True)[0][1:]
    return kind, native


def listed(values):
    """A list as an array of numbers or of objects."""
    if values and all(isinstance(v, numbers.Real) and not isinstance(v, bool) for v in values):
        return np.asarray(values, dtype=np.float64)
    array = np.empty(len(values), dtype=object)
    # One by one: arrays of equal shapes would be taken for one array of more dimensions.
    for i, value in enumerate(values):
        array[i] = value
    return array


# ---------------------------------------------------------------------- lists of objects


def object_columns(X, wanted, alone=False):
    """Columns of objects that are no vectors: (name, kind, values)."""
    if isinstance(X, np.ndarray) and (X.ndim == 4 or (X.ndim == 3 and wanted == {"images"})):
        return [(NAME, "images", [image(v) for v in X])]
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiu" and wanted == {"series"}:
        X = X[:, None, :]
    if isinstance(X, np.ndarray) and X.ndim == 3 and X.dtype.kind in "fiu":
        return [(NAME, "series", [unpadded(np.asarray(s, dtype=np.float64)) for s in X])]
    if isinstance(X, np.ndarray) and X.ndim == 2:
        names = [f"{NAME}{j + 1}" for j in range(X.shape[1])]
        return [(name, "categories", texts(X[:, j])) for j, name in enumerate(names)]
    items = list(X)
    first = next((v for v in items if not missing(v)), None)
    if first is None:
        raise DataError("no objects, or none with a value")
    if isinstance(first, (str, np.str_, bytes, bool, np.bool_)) or first.__class__.__name__ == "Enum":
        return [(NAME, text_kind(wanted), texts(items))]
    if wanted == {"images"} or (isinstance(first, np.ndarray) and first.ndim == 3 and first.dtype == np.uint8):
        return [(NAME, "images", [image(v) for v in items])]
    from ._graphs import graph_values, is_graph

    if is_graph(first):
        return [(NAME, "graphs", graph_values(items))]
    if isinstance(first, (list, tuple, np.ndarray)) or hasattr(first, "__array__"):
        shapes = np.ndim(first)
        if "series" in wanted or (not wanted & {"numbers", "sparse"} and shapes <= 2):
            if "series" in wanted or not isinstance(first[0], str):
                return [(NAME, "series", [series(s) for s in items])]
            return object_columns(np.asarray(items, dtype=object), wanted)
        array = np.asarray(items)
        if array.dtype.kind in "fiub":
            return [(NAME, "numbers", dense(array))]
        return object_columns(np.asarray(items, dtype=object), wanted)
    if isinstance(first, numbers.Real):
        if alone or "categories" in wanted:
            return [(NAME, "categories", texts(items))]
        raise DataError("expected 2-D data, got a list of numbers: reshape(-1, 1) makes objects with one number each")
    raise DataError(f"objects of type {type(first).__name__} are not known here")


def unpadded(s):
    """A series (channels, moments) without the moments at its end that have no value in any channel."""
    known = np.flatnonzero(~np.isnan(s).all(axis=0))
    return np.ascontiguousarray(s[:, : known[-1] + 1 if len(known) else 0])


def series(values):
    """One series as channels × moments; none at all where it is missing."""
    if values is None or missing(values):
        return np.empty((1, 0))
    s = np.asarray(values, dtype=np.float64)
    if s.ndim == 1:
        return np.ascontiguousarray(s[None, :])
    if s.ndim == 2:
        return np.ascontiguousarray(s.T)
    raise DataError(f"a series has one or two dimensions, not {s.ndim}")


def image(values):
    """One picture as height × width × channels of bytes; None where it is missing."""
    if missing(values):
        return None
    pixels = np.asarray(values)
    if pixels.dtype != np.uint8 or pixels.ndim not in (2, 3):
        raise DataError(
            f"a picture is an array of uint8 (height, width) or (height, width, channels), not {pixels.dtype} {pixels.shape}"
        )
    return np.ascontiguousarray(pixels[:, :, None] if pixels.ndim == 2 else pixels)


def text_kind(wanted):
    """How texts are kept for kernels that look at such kinds."""
    if wanted == {"categories", "strings"}:
        return "strings"  # a list of them is compared letter by letter; a table column by column
    for kind in ("categories", "strings", "text"):
        if kind in wanted:
            return kind
    return "strings"


def missing(value):
    return value is None or (isinstance(value, float) and value != value) or value.__class__.__name__ == "NAType"


def texts(values):
    """Names as text: whole numbers without a point, nothing where a value is missing."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if all(type(v) is str for v in values):
        return values
    return [None if missing(v) else name_of(v) for v in values]


def name_of(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
