"""Conversion of tables by duck typing: pandas, polars, pyarrow, dicts of columns, structured arrays.

The values of a column decide whether it holds numbers, categories, times, series, images or graphs. Dates are times,
which :class:`mercer.Time` compares. Booleans are the numbers 1
and 0, unless kernels take the column only as categories, and so are the words true, false, yes and no. Columns that no kernel uses are not converted.
"""

import re
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from . import _mercer
from ._errors import DataError
from ._values import (
    UnknownValues,
    all_truth,
    described,
    is_text,
    kind_of_dtype,
    missing,
    name_of,
    numbers_in,
    text_kind,
    texts,
    times_in,
    truths_in,
    unknown,
)

#: Kinds that hold numbers.
NUMERIC = {"numbers", "sparse"}
#: Kinds that hold text.
WRITTEN = {"categories", "strings", "text"}


def plain(X):
    """Materialise lazy, masked or batched containers; return others unchanged."""
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):  # polars.LazyFrame
        return X.collect()
    if hasattr(X, "column_names") and hasattr(X, "num_columns") and not hasattr(X, "combine_chunks"):
        import pyarrow

        return pyarrow.Table.from_batches([X])
    if np.ma.isMA(X):
        return unmasked(X)
    if sparse.issparse(X):
        return sound(X)
    if hasattr(X, "__dlpack__") and not isinstance(X, np.ndarray):
        return from_dlpack(X)
    return np.asarray(X) if isinstance(X, memoryview) else X


def from_dlpack(X):
    """An array of torch, JAX, CuPy or another library as a NumPy array: in place from the memory of the processor."""
    if getattr(X, "requires_grad", False) and hasattr(X, "detach"):
        X = X.detach()
    try:
        return np.from_dlpack(X)
    except (TypeError, ValueError, BufferError, RuntimeError, AttributeError) as error:
        if hasattr(X, "__array__"):
            return X
        raise DataError(
            f"an array of {type(X).__module__.partition('.')[0]} that NumPy cannot read ({error}): copy it to the memory of the processor "
            "as float32 or float64, as X.cpu() does"
        ) from None


def sound(X):
    """Check that the indices of a sparse matrix are within bounds, and return it. SciPy does not check, and crashes."""

    def fault(why):
        return DataError(f"a damaged sparse matrix: {why}")

    def within(indices, width, what):
        if len(indices) and (indices.min() < 0 or indices.max() >= width):
            raise fault(f"{what} from {indices.min()} to {indices.max()}, but the size is {width}")

    if X.format == "coo":
        coords = X.coords if hasattr(X, "coords") else (X.row, X.col)
        if any(np.ndim(c) != 1 or np.asarray(c).dtype.kind not in "iu" or len(c) != len(X.data) for c in coords):
            raise fault(f"coordinates do not match its {len(X.data)} values")
        for indices, width in zip(coords, X.shape, strict=True):
            within(indices, width, "indices")
        return X
    if X.format not in ("csr", "csc", "bsr") or X.ndim != 2:
        return X
    indptr, indices = np.asarray(X.indptr), np.asarray(X.indices)
    if indptr.ndim != 1 or indices.ndim != 1 or indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise fault("indices are not one-dimensional arrays of integers")
    lines, width = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        lines, width = lines // X.data.shape[1], width // X.data.shape[2]
    if len(indptr) != lines + 1 or indptr[0] != 0:
        raise fault(f"indptr has {len(indptr)} entries from {indptr[:1].tolist()} for {lines} lines")
    if (indptr[1:] < indptr[:-1]).any():
        raise fault("indptr is not ascending")
    stored = int(indptr[-1])
    if stored > len(indices) or stored > len(X.data):
        raise fault(f"indptr ends at {stored}, but there are {len(indices)} indices and {len(X.data)} values")
    within(indices[:stored], width, "indices")
    return X


def unmasked(X):
    """A masked array with NaN, or None, for masked values."""
    if X.dtype.names:
        return {name: unmasked(X[name]) for name in X.dtype.names}
    if X.dtype.kind in "fiub":
        return X.astype(np.float64).filled(np.nan) if np.ma.is_masked(X) else X.filled()
    return X.astype(object).filled(None)


def frame_columns(X):
    """The columns (name, values) of a table; None if X is not a table."""
    if isinstance(X, Mapping) and not hasattr(X, "edge_index"):
        return [(str(name), values) for name, values in X.items()]
    if isinstance(X, np.ndarray) and X.dtype.names:
        if X.ndim != 1:
            raise DataError(f"a structured array of records must have one dimension, not {X.ndim}")
        return [(name, X[name]) for name in X.dtype.names]
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # pandas
        return [(str(name), X.iloc[:, j]) for j, name in enumerate(X.columns)]
    if hasattr(X, "get_columns") and hasattr(X, "schema"):  # polars
        return [(series.name, series) for series in X.get_columns()]
    if hasattr(X, "column_names") and hasattr(X, "to_pydict"):  # pyarrow
        return [(name, X.column(j)) for j, name in enumerate(X.column_names)]
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "shape") and not hasattr(X, "chunks"):
        import pyarrow

        return frame_columns(pyarrow.table(X))
    return None


def table_data(columns, kinds):
    """Native data of the columns that kernels use, and the skipped columns as (name, reason)."""
    if not columns:
        raise DataError("a table without columns")
    columns = by_position(columns, kinds)
    anywhere, names = kinds.get(None), {name for name, _ in columns}
    if anywhere is None and kinds and names >= set(kinds):
        columns = [(name, values) for name, values in columns if name in kinds]
    made, passed = [], []
    for name, values in columns:
        try:
            made.append((name, *column(name, values, kinds.get(name) or anywhere or set())))
        except UnknownValues as error:
            if name in kinds:
                raise
            passed.append((name, error))
    if not made:
        raise passed[0][1]
    return _mercer.Data(made), [(name, str(error).split(": ")[0]) for name, error in passed]


def by_position(columns, kinds):
    """The columns, those that kernels choose by position under the position as their name.

    A column that is chosen by its name too is there twice, unless a kernel without columns would count it twice.
    """
    names = {name for name, _ in columns}
    wanted = [name for name in kinds if name is not None and name not in names and name.isdigit() and int(name) < len(columns)]
    if not wanted:
        return columns
    out, places = [], {int(name) for name in wanted}
    for j, (name, values) in enumerate(columns):
        if j not in places:
            out.append((name, values))
            continue
        out.append((str(j), values))
        if name in kinds:
            if None in kinds:
                raise DataError(f"column {name!r} is chosen by name and as position {j}, next to a kernel of all columns: use its name only")
            out.append((name, values))
    return out


def column(name, values, kinds):
    """The kind and the native values of a table's column."""
    from ._data import Objects, compressed, dense
    from ._graphs import is_network, node_values
    from ._series import series_values

    where = f"column {name!r}"
    if isinstance(values, Objects):
        if len(values._data.columns()) != 1:
            raise DataError(f"{where} is itself a table: add its columns one by one")
        return "column", values._data
    if sparse.issparse(values):
        return "sparse", compressed(values)
    if is_network(values):
        return "nodes", node_values(values)
    if not kinds or "times" in kinds:
        times = times_in(values if isinstance(values, np.ndarray) else dated(values))
        if times is not None and times.ndim == 1:
            return "times", times
    array, names = column_array(where, values)
    if array.ndim == 4 or (array.ndim == 3 and kinds == {"images"}):
        from ._data import image

        return "images", [image(v) for v in array]
    if array.dtype.kind in "fiub" and array.ndim in (2, 3):
        if array.ndim == 3 or ("series" in kinds and not kinds & NUMERIC):
            return "series", series_values(array)
        return "numbers", dense(array)
    if array.ndim != 1:
        raise DataError(f"{where} has {array.ndim} dimensions")
    if names:
        return text_kind(kinds) if kinds & WRITTEN else "categories", [None if missing(v) else name_of(v) for v in array]
    known = array if array.dtype.kind in "fiub" else numbers_in(array)
    if known is None and (not kinds or kinds & NUMERIC):
        known = truths_in(array)
    if known is not None:
        if "categories" in kinds and not kinds & NUMERIC:
            return "categories", texts(array)
        return "numbers", dense(known.reshape(-1, 1))
    return object_values(where, list(array), kinds or {"categories"})


def dated(values):
    """The values of a column that may hold dates: an array of dates, or a list."""
    if hasattr(values, "dt") and hasattr(values, "iloc") and getattr(values.dtype, "kind", "") == "M":  # pandas
        return values.dt.tz_convert(None).to_numpy() if getattr(values.dt, "tz", None) is not None else values.to_numpy()
    for convert in ("to_pylist", "to_list"):
        if hasattr(values, convert):
            dtype = str(getattr(values, "dtype", None) or getattr(values, "type", "")).lower()
            return getattr(values, convert)() if dtype.startswith(("date", "timestamp", "object")) else []
    return values if isinstance(values, (list, tuple)) else []


def column_array(where, values):
    """The values of a column as an array of numbers or of objects, and whether its type is categorical."""
    dtype = str(getattr(values, "dtype", None) or getattr(values, "type", "")).lower()
    if hasattr(values, "to_numpy") and hasattr(values, "dtype") and hasattr(values, "iloc"):
        if dtype.startswith("sparse"):
            values = values.sparse.to_dense()
        if is_numeric_type(dtype):
            return values.to_numpy(dtype=np.float64, na_value=np.nan), False
        return listed(values.to_list()), dtype.startswith(("category", "dictionary"))
    if hasattr(values, "to_numpy") and hasattr(values, "to_list"):  # polars
        # NumPy has no integers of 128 bits.
        if is_numeric_type(dtype) and "128" not in dtype:
            return np.asarray(values.to_numpy(), dtype=np.float64), False
        return listed(values.to_list()), dtype.startswith(("categorical", "enum"))
    if hasattr(values, "to_pylist"):  # pyarrow
        if is_numeric_type(dtype):
            return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64), False
        return listed(values.to_pylist()), dtype.startswith("dictionary")
    if isinstance(values, (list, tuple)):
        return listed(values), False
    if np.ma.isMA(values):
        values = unmasked(values)
    elif not isinstance(values, np.ndarray):
        if isinstance(values, (str, bytes)) or not (hasattr(values, "__array__") or hasattr(values, "__iter__")):
            raise DataError(f"{where} is one value: a column needs one value per object")
        if isinstance(values, (set, frozenset)):
            raise DataError(f"{where} is a set, which has no order: use a list")
        whole = hasattr(values, "__array__") or isinstance(values, (range, memoryview))
        values = np.asarray(values) if whole else listed(values)
    if (what := kind_of_dtype(values.dtype)) is not None:
        raise unknown(what, where)
    return values if values.dtype.kind in "fiubO" else values.astype(object), False


def is_numeric_type(dtype):
    """Whether a type of pandas, polars or pyarrow, by its name, is an integer or float type."""
    return re.match(r"(sparse\[)?(u?int\d+|float\d*|double|halffloat)\b", str(dtype).lower()) is not None


def listed(values):
    """A list as a one-dimensional object array; NumPy would join arrays of equal shapes to one of more dimensions."""
    values = list(values)
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def is_truth(values):
    """Whether a column is boolean."""
    dtype = str(getattr(values, "dtype", None) or getattr(values, "type", "")).lower().removeprefix("sparse[")
    if dtype.startswith("bool"):
        return True
    if isinstance(values, (list, tuple)) or dtype in ("object", "o"):
        items = list(values)
        return any(not missing(v) for v in items) and all_truth(items)
    return False


def object_values(where, items, wanted):
    """The kind and the native values of objects that are not numbers."""
    from ._data import image, stacked
    from ._graphs import graph_values, is_graph
    from ._molecules import is_molecule, molecule_texts
    from ._series import series_values

    first = next((v for v in items if not missing(v)), None)
    if first is None:
        return without_values(len(items), wanted)
    if is_molecule(first) or (is_text(first) and wanted & {"molecules", "graphs"} and not wanted & WRITTEN):
        return "molecules", molecule_texts(items)
    if is_text(first) or (wanted & WRITTEN and numbers_in(items) is not None):
        return text_kind(wanted), named(where, items)
    if wanted == {"images"} or (isinstance(first, np.ndarray) and first.ndim == 3 and first.dtype == np.uint8):
        return "images", [image(v) for v in items]
    if is_graph(first):
        return "graphs", graph_values(items)
    if wanted == {"graphs"}:
        raise DataError(
            f"{described(first)} are not supported as graphs: use graphs of networkx, igraph or PyTorch-Geometric, or tuples "
            "of edges and labels; see mercer.Graphs"
        )
    if isinstance(first, (list, tuple, np.ndarray)) or hasattr(first, "__array__"):
        if "series" in wanted or not wanted & NUMERIC:
            return "series", series_values(items)
        return "numbers", stacked(items)
    raise unknown(described(first), where)


def named(where, items):
    try:
        return texts(items)
    except UnknownValues as error:
        raise UnknownValues(f"{where}, {error}" if where else str(error)) from None


def without_values(count, wanted):
    """A column of missing values, of a kind that the kernel takes."""
    if wanted & NUMERIC:
        return "numbers", np.full((count, 1), np.nan)
    if wanted == {"series"}:
        return "series", [np.empty((1, 0))] * count
    if wanted == {"images"}:
        return "images", [None] * count
    if wanted and not wanted & WRITTEN:
        raise DataError("no objects, or all values are missing")
    return text_kind(wanted), [None] * count
