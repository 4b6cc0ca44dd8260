"""Exceptions and warnings. Each carries the stable code of the library and, where there is one, a hint."""

from sklearn.exceptions import ConvergenceWarning as _ConvergenceWarning
from sklearn.exceptions import NotFittedError

__all__ = [
    "ConvergenceWarning",
    "DataError",
    "DataWarning",
    "FileContentError",
    "FileError",
    "InternalError",
    "MemoryPlanError",
    "MercerError",
    "NotFittedError",
    "NotPositiveDefinite",
    "NumericError",
    "ParameterError",
    "SparseKernelError",
]


class MercerError(Exception):
    """Anything the library refuses. ``code`` is stable (``E_PARAM``, ``E_MISSING``, …), ``hint`` says what to do."""

    code = None
    hint = None


class ParameterError(MercerError, ValueError):
    """A parameter outside its domain (``name``, ``value``, ``domain``), or an expression that cannot be read."""


class DataError(MercerError, ValueError):
    """Objects or matrices that a kernel or a learner cannot take (``index`` or ``column`` where one is at fault)."""


class SparseKernelError(DataError, TypeError):
    """A sparse matrix where similarities are expected, all of which count."""


class NotPositiveDefinite(DataError):
    """A similarity matrix with negative eigenvalues: ``lambda_min`` and ``lambda_max`` say how negative."""


class FileContentError(DataError):
    """A file whose content is not what it should be."""


class FileError(MercerError, OSError):
    """The system refused a file."""


class MemoryPlanError(MercerError, MemoryError):
    """Work that does not fit in memory, refused before it starts (``needed``, ``allowed`` in bytes)."""


class NumericError(MercerError, ArithmeticError):
    """A numerical routine that did not reach its goal."""


class InternalError(MercerError, RuntimeError):
    """A fault of the library itself."""


class ConvergenceWarning(_ConvergenceWarning):
    """A solver stopped before it was done: ``certificate_`` says how far it came."""


class DataWarning(UserWarning):
    """Something about the data that does not stop the work, such as a constant column under scaling."""
