"""Serialisation of Python values as JSON, for the notes in model files: values, never code."""

import base64
import json
import math

import numpy as np
from scipy import sparse

from ._errors import ParameterError
from ._kernel import Kernel
from .kernels import kernel

#: NumPy dtype kinds with a portable byte representation.
KINDS = "biufcSUmM"


class UnsupportedValue(ParameterError):
    """A value that a model file cannot hold."""


def text_of(value):
    """Serialise a value made of numbers, strings, arrays and kernels; an error for others."""
    return json.dumps(coded(value), ensure_ascii=False, separators=(",", ":"))


def value_of(text):
    """The inverse of :func:`text_of`."""
    return decoded(json.loads(text))


def coded(value):
    """A value as JSON: plain values unchanged, others as a dict with one entry that names their kind."""
    if value is None or isinstance(value, bool) or type(value) in (str, int):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, (np.ndarray, np.generic)):
        return array_coded(value)
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if type(value) is list:
        return [coded(one) for one in value]
    if type(value) is tuple:
        return {"tuple": [coded(one) for one in value]}
    if isinstance(value, dict):
        return {"pairs": [[coded(key), coded(one)] for key, one in value.items()]}
    if isinstance(value, Kernel):
        if value._functions():
            raise UnsupportedValue("a Python function has no text form: use pickle")
        return {"kernel": value._text()}
    if sparse.issparse(value):
        rows = value.tocsr()
        parts = [rows.data, rows.indices, rows.indptr]
        is_matrix = isinstance(value, sparse.spmatrix)
        return {"sparse": [value.format, is_matrix, list(value.shape), [array_coded(part) for part in parts]]}
    if isinstance(value, np.random.RandomState):
        return {"random_state": coded(tuple(value.get_state()))}
    raise UnsupportedValue(f"{type(value).__name__} cannot be stored in a model file: use pickle")


def array_coded(value):
    shape = list(np.shape(value))
    scalar = isinstance(value, np.generic)
    if value.dtype == object:
        items = [coded(one) for one in np.asarray(value).ravel().tolist()]
        return {"objects": [shape, items]}
    if value.dtype.kind not in KINDS:
        raise UnsupportedValue(f"an array of {value.dtype} cannot be stored in a model file: use pickle")
    plain = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"), copy=False)
    return {"scalar" if scalar else "array": [plain.dtype.str, shape, base64.b64encode(plain.tobytes()).decode()]}


def decoded(value):
    """The inverse of :func:`coded`."""
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    [(kind, inside)] = value.items()
    return DECODERS[kind](inside)


def array_of(inside):
    dtype, shape, content = inside
    dtype = np.dtype(dtype)
    if dtype.kind not in KINDS:
        raise ValueError(f"unsupported dtype {dtype}")
    out = np.frombuffer(base64.b64decode(content), dtype=dtype).reshape(shape)
    # A writable copy in native byte order.
    return out.astype(dtype.newbyteorder("="), copy=True)


def objects_of(inside):
    shape, items = inside
    out = np.empty(len(items), dtype=object)
    out[:] = [decoded(one) for one in items]
    return out.reshape(shape)


def sparse_of(inside):
    form, is_matrix, shape, parts = inside
    made = sparse.csr_matrix if is_matrix else sparse.csr_array
    return made(tuple(decoded(part) for part in parts), shape=tuple(shape)).asformat(form)


def random_state_of(inside):
    out = np.random.RandomState()
    out.set_state(decoded(inside))
    return out


DECODERS = {
    "float": float,
    "bytes": base64.b64decode,
    "tuple": lambda inside: tuple(decoded(one) for one in inside),
    "pairs": lambda inside: {decoded(key): decoded(one) for key, one in inside},
    "kernel": kernel,
    "array": array_of,
    "scalar": lambda inside: array_of(inside)[()],
    "objects": objects_of,
    "sparse": sparse_of,
    "random_state": random_state_of,
}


def same(a, b):
    """Whether two values are equal, including their types and dtypes."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (np.ndarray, np.generic)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype == object:
            return all(same(x, y) for x, y in zip(np.ravel(a).tolist(), np.ravel(b).tolist()))
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))
    if sparse.issparse(a):
        return a.shape == b.shape and a.format == b.format and (a != b).nnz == 0
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a is b or bool(a == b)
