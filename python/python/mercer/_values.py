"""Classification of single values: missing, numeric, text."""

import datetime
import decimal
import numbers
import warnings

import numpy as np

from ._errors import DataError, ParameterError

#: Advice for values that are neither numbers nor text.
ADVICE = {
    "dates": "use mercer.Time() for them, or convert them to numbers, such as days since the first one, or to text",
    "times of day": "convert them to numbers, such as hours since midnight; mercer.ClosedChain() is for cyclic ones",
    "durations": "convert them to numbers, such as seconds",
    "periods": "convert them to numbers, such as years, or to text",
    "complex numbers": "use their real and imaginary parts, or their absolute values",
    "dicts": "convert them to a table: pandas.DataFrame(rows), or a dict of columns",
}
#: Types that NumPy converts to numbers directly; None is a missing value.
PLAIN = {bool, int, float, type(None)}
DATES = (datetime.date, datetime.time, np.datetime64)
DURATIONS = (datetime.timedelta, np.timedelta64)


class UnknownValues(DataError):
    """Values of an unsupported type. A column of them is skipped unless a kernel names it."""


def missing(value):
    """Whether a value is missing: None, NaN, pandas.NA, NaT or masked."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType", "MaskedConstant")


def whole(values, what):
    """Return the values; an error if some are masked, which a conversion to an array would hide."""
    listed = values if isinstance(values, (list, tuple)) else ()
    if np.ma.is_masked(values) or any(np.ma.is_masked(v) for v in listed):
        raise DataError(f"{what} has masked values: drop these objects, or fill in the values")
    return values


def is_one_of(value, choices):
    """Whether a parameter has one of these values; False for arrays, which compare elementwise."""
    return isinstance(value, (str, numbers.Number, np.bool_, type(None))) and any(value == choice for choice in choices)


def real(name, value):
    """A parameter that is a number, as a float."""
    if isinstance(value, (numbers.Real, np.number)) and not isinstance(value, np.complexfloating):
        try:
            return float(value)
        except (OverflowError, TypeError):
            pass
    raise ParameterError(f"{name} = {value!r:.80}: must be a number within the range of float64")


def seed_of(name, value):
    """A parameter that is a seed, as an int."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and 0 <= value < 2**64:
        return int(value)
    raise ParameterError(f"{name} = {value!r:.80}: must be a whole number from 0 to 2^64 - 1")


def flag(name, value):
    """A boolean parameter."""
    if isinstance(value, (bool, np.bool_, numbers.Integral)) or value is None:
        return bool(value)
    raise ParameterError(f"{name} = {value!r:.80}: must be True or False")


def renamed(old, given, new, value):
    """The value of an argument that was renamed, with a warning if it is given by its old name."""
    if given is None:
        return value
    warnings.warn(f"{old} is deprecated: use {new}", FutureWarning, stacklevel=3)
    return given


def is_number(value):
    """Whether a value is a real number, including booleans."""
    real = isinstance(value, (numbers.Real, decimal.Decimal, np.bool_, np.number))
    return real and not isinstance(value, (np.timedelta64, np.complexfloating))


def is_text(value):
    return isinstance(value, (str, bytes)) or type(value).__name__ == "Enum"


def numbers_in(values):
    """A list of numbers as float64, NaN for missing values; None if a value is not a number or all are missing."""
    types = set(map(type, values))
    if types <= PLAIN and types - {type(None)}:
        return plainly(values)
    there = [not missing(v) for v in values]
    if not any(there) or not all(is_number(v) for v, known in zip(values, there, strict=True) if known):
        return None
    return plainly([v if known else None for v, known in zip(values, there, strict=True)])


def plainly(values):
    """Numbers as float64, NaN for None."""
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError as error:
        raise DataError(f"a number is outside the range of float64: {error}") from None


def times_in(values):
    """Dates and times as seconds since 1970 (UTC), NaN for missing values; None if a value is something else.

    Times without a zone are taken as they are, like those in files.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        seconds = values.astype("datetime64[us]").astype(np.int64) / 1e6
        return np.where(np.isnat(values), np.nan, seconds)
    dates = (datetime.date, np.datetime64)
    numeric = isinstance(values, np.ndarray) and values.dtype.kind != "O"
    if numeric or not isinstance(next((v for v in values if not missing(v)), None), dates):
        return None
    there = [not missing(v) for v in values]
    if not all(isinstance(v, dates) for v, known in zip(values, there, strict=True) if known):
        return None
    return np.array([second(v) if known else np.nan for v, known in zip(values, there, strict=True)], dtype=np.float64)


def second(value):
    """A date or time as seconds since 1970."""
    if isinstance(value, np.datetime64):
        return value.astype("datetime64[us]").astype(np.int64) / 1e6
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    start = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc if value.tzinfo else None)
    return (value - start).total_seconds()


def all_truth(values):
    """Whether all values are booleans or missing."""
    return all(isinstance(v, (bool, np.bool_)) or missing(v) for v in values)


#: Words for true and false in text, in any case, as in files.
TRUTHS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def truths_in(values):
    """Words for true and false as 1 and 0, NaN for missing values; None if a value is something else."""
    found = []
    for value in values:
        known = np.nan if missing(value) else TRUTHS.get(value.strip().lower()) if isinstance(value, str) else None
        if known is None:
            return None
        found.append(known)
    return None if all(v != v for v in found) else np.array(found, dtype=np.float64)


def described(value):
    """The name of this type of value, in the plural."""
    if isinstance(value, datetime.time):
        return "times of day"
    if isinstance(value, DATES):
        return "dates"
    if isinstance(value, DURATIONS):
        return "durations"
    if type(value).__name__ == "Period":
        return "periods"
    if isinstance(value, (complex, np.complexfloating)):
        return "complex numbers"
    if isinstance(value, dict):
        return "dicts"
    return f"objects of type {type(value).__name__}"


def unknown(what, where=""):
    """The error for values of an unsupported type."""
    advice = ADVICE.get(what)
    refused = "which this kernel does not take" if what == "dates" else "which no kernel accepts"
    text = f"{where}{' holds ' if where else ''}{what}, {refused}" + (f": {advice}" if advice else "")
    error = UnknownValues(text)
    error.hint = advice
    return error


def kind_of_dtype(dtype):
    """The name of an unsupported dtype; None for numbers, text and objects."""
    return {"M": "dates", "m": "durations", "c": "complex numbers", "V": "records"}.get(dtype.kind)


# ---------------------------------------------------------------------- names


def text_kind(wanted):
    """The kind as which text is stored for kernels that take these kinds."""
    if wanted == {"categories", "strings"}:
        return "strings"  # a list is compared symbol by symbol, a table column by column
    for kind in ("categories", "strings", "text"):
        if kind in wanted:
            return kind
    return "strings"


def texts(values):
    """Values as text: whole numbers without a decimal point, None for missing values."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if all(type(v) is str for v in values):
        return values
    return [None if missing(v) else checked_name(at, v) for at, v in enumerate(values)]


def checked_name(at, value):
    if not (is_text(value) or is_number(value)):
        raise unknown(described(value), f"object {at}")
    return name_of(value)


def name_of(value):
    """The name of a category or class."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise DataError(f"bytes are not UTF-8 text: {error}") from None
    if isinstance(value, (float, np.floating)) and float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
