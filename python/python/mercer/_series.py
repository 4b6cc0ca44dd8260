"""Conversion of time series to channels × time steps.

A one-dimensional series has one channel. For two-dimensional series, in a list or in a three-dimensional array, the
first rule that applies decides which dimension is time:

1. the layout, if :class:`Series` is given one;
2. the dimension whose length differs between series;
3. a dimension of length 1 is the channel;
4. a dimension padded with NaN at its end is time;
5. channels come first, as in aeon and sktime. More channels than time steps are refused: more likely, time comes first,
   as in tslearn and dtaidistance.

The rule does not depend on the container: the same values give the same distances.
"""

import numpy as np

from . import _mercer
from ._data import NAME, Objects, frame_columns, gathered, plain
from ._errors import DataError, ParameterError
from ._values import described, missing

#: The layouts of a two-dimensional series, and whether time comes first.
LAYOUTS = {"channels,steps": False, "steps,channels": True}
#: The dimensions of an array of several series.
DIMENSIONS = ({"n", "steps"}, {"n", "channels", "steps"})
#: Other words for the dimensions.
WORDS = {
    "n_samples": "n", "n_cases": "n", "n_instances": "n", "n_ts": "n", "samples": "n", "cases": "n", "batch": "n",
    "time": "steps", "timepoints": "steps", "n_timepoints": "steps", "t": "steps", "sz": "steps", "length": "steps", "timesteps": "steps",
    "channel": "channels", "n_channels": "channels", "c": "channels", "d": "channels", "dims": "channels", "variables": "channels",
}  # fmt: skip
#: Layouts by the library that has them.
LIBRARIES = {"aeon": "channels,steps", "sktime": "channels,steps", "tslearn": "steps,channels", "dtaidistance": "steps,channels"}


class Series(Objects):
    """Time series converted once, for repeated use by kernels and estimators.

    Parameters
    ----------
    series : array, list or DataFrame
        An array of series, a list of arrays of one or two dimensions, or a DataFrame of sktime: with the series and the time in
        its index and a column for each channel, or with a series in each cell. NaN at the end of a series is padding.
    layout : str, optional
        The dimensions of the array in their order, such as ``"(n, time, channels)"``, ``"(n, channels, time)"`` or ``"(time, n)"``; of each array in a
        list, such as ``"(time, channels)"``; or the name of a library: ``"aeon"`` and ``"sktime"`` put channels first, ``"tslearn"`` and
        ``"dtaidistance"`` time. Without it, time must follow from the values: different lengths, a dimension of length 1, or
        channels first as in aeon with at least as many time steps as channels.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((5, 40, 3))      # 40 time steps of 3 channels
    >>> mercer.DTW().pairwise(mercer.Series(X, layout="n,steps,channels")).shape
    (5, 5)
    """

    def __init__(self, series, layout=None):
        series = plain(series)
        if frame_columns(series) is not None:
            series, layout = framed(series, layout)
        items = series if isinstance(series, np.ndarray) and series.ndim > 1 else gathered(series)
        if isinstance(items, np.ndarray) and items.ndim > 1 and layout is not None:
            items, layout = arranged(items, layout)
        super().__init__(_mercer.Data([(NAME, "series", series_values(items, layout))]))


def framed(table, layout):
    """The series of a DataFrame as sktime has them, each as channels × time steps, and their layout."""
    if layout is not None:
        raise ParameterError(f"layout = {layout!r}: is for arrays; the index and the columns of a DataFrame say it")
    try:
        if getattr(getattr(table, "index", None), "nlevels", 1) == 2:
            groups = table.groupby(level=0, sort=False)
            return [group.to_numpy(dtype=np.float64).T for _, group in groups], "channels,steps"
        if hasattr(table, "iloc") and len(table) and all(is_series(table.iloc[0, j]) for j in range(table.shape[1])):
            rows = table.itertuples(index=False, name=None)
            return [np.stack([np.asarray(channel, dtype=np.float64) for channel in row]) for row in rows], "channels,steps"
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"the DataFrame does not hold series of numbers ({error})") from None
    raise DataError(
        "expected series, got a table: pass an array and its layout (table.to_numpy() with layout='(n, time)' if each row is a series), a "
        "DataFrame indexed by series and time, or use mercer.Records for columns of series"
    )


def is_series(value):
    """Whether a cell of a table is a sequence of values."""
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, (str, bytes, dict))


def arranged(array, layout):
    """An array whose layout names every dimension as one of series (n, steps) or (n, channels, steps), and what is left of the layout."""
    words = words_of(layout)
    if set(words) not in DIMENSIONS or len(words) != len(set(words)):
        return array, layout
    if array.ndim != len(words):
        raise ParameterError(f"layout = {layout!r}: names {len(words)} dimensions, and the array has {array.ndim}: {array.shape}")
    order = [words.index(word) for word in ("n", "channels", "steps") if word in words]
    return array.transpose(order), None if array.ndim == 2 else "channels,steps"


def words_of(layout):
    """The dimensions that a layout names, in one word each."""
    words = [word.strip().lower() for word in str(layout).strip().strip("()[]").split(",")]
    return [WORDS.get(word, word) for word in words]


def series_values(items, layout=None):
    """Convert series for the native engine: channels × time steps each, without time steps if a series is missing."""
    first = time_first(layout)
    parts = [one(at, values) for at, values in enumerate(items)]
    deep = [s for s in parts if s is not None and s.ndim == 2]
    if deep and first is None:
        first = found(deep)
    arranged = [None if s is None else s[None, :] if s.ndim == 1 else s.T if first else s for s in parts]
    channels = next((len(s) for s in arranged if s is not None), 1)
    return [np.empty((channels, 0)) if s is None else unpadded(s) for s in arranged]


def time_first(layout):
    """Whether a layout has time before channels; None without a layout."""
    if layout is None:
        return None
    name = ",".join(words_of(layout)).removeprefix("n,")
    name = LIBRARIES.get(name, name)
    if name not in LAYOUTS:
        raise ParameterError(
            f"layout = {layout!r}: must name the dimensions, such as '(n, time, channels)' or '(n, time)' ('(time, channels)' for each series of "
            "a list), or the library: 'aeon', 'sktime', 'tslearn' or 'dtaidistance'"
        )
    return LAYOUTS[name]


def one(at, values):
    """A series as a one- or two-dimensional array; None if it is missing."""
    if missing(values):
        return None
    try:
        s = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan) if np.ma.isMA(values) else np.asarray(values)
    except ValueError:
        raise DataError(f"series {at} has channels of different lengths") from None
    if s.dtype.kind not in "fiub":
        try:
            s = np.array([np.nan if missing(v) else v for v in s.ravel()], dtype=np.float64).reshape(s.shape)
        except (TypeError, ValueError, OverflowError):
            raise DataError(f"series {at} holds {described(s.ravel()[0])}, not numbers") from None
    if s.ndim not in (1, 2):
        raise DataError(f"a series must have one or two dimensions, and series {at} has {s.ndim}")
    return s.astype(np.float64, copy=False)


def found(parts):
    """Whether time comes first in two-dimensional series, inferred from their shapes; an error if this is ambiguous."""
    rows, cols = {s.shape[0] for s in parts}, {s.shape[1] for s in parts}
    if len(rows) > 1 and len(cols) > 1:
        raise DataError(
            "series differ in both dimensions, so neither can be the channels: "
            f"{shapes(parts)} … each series must be an array of channels and time steps"
        )
    if len(rows) > 1 or len(cols) > 1:
        return len(rows) > 1
    rows, cols = rows.pop(), cols.pop()
    if rows == 1 or cols == 1:
        return rows > 1
    before, after = (any(ends_in_gaps(s, axis) for s in parts) for axis in (0, 1))
    if before != after:
        return before
    if rows > cols:
        error = DataError(
            f"series of shape ({rows}, {cols}): {rows} channels of {cols} time steps, or {rows} time steps of {cols} "
            f"channels? Use mercer.Series(X, layout='n,steps,channels') or layout='n,channels,steps'"
        )
        error.hint = "mercer.Series(X, layout='n,steps,channels')"
        raise error
    return False


def shapes(parts):
    return ", ".join(str(shape) for shape in sorted({s.shape for s in parts})[:3])


def ends_in_gaps(s, axis):
    """Whether the last entries along an axis are all missing, and others are not."""
    gaps = np.isnan(s).all(axis=1 - axis)
    return bool(len(gaps)) and bool(gaps[-1]) and not gaps.all()


def unpadded(s):
    """A series (channels, steps) without the time steps at its end that are missing in all channels."""
    known = np.flatnonzero(~np.isnan(s).all(axis=0))
    return np.ascontiguousarray(s[:, : known[-1] + 1 if len(known) else 0])
