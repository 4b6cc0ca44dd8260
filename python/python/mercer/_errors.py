"""Exceptions and warnings. Exceptions have a stable code and, if available, a hint."""

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
    """Base class of all exceptions. ``code`` is stable (``E_PARAM``, ``E_MISSING``, …), ``hint`` suggests a fix."""

    code = None
    hint = None


class ParameterError(MercerError, ValueError):
    """A parameter outside its domain (``name``, ``value``, ``domain``), or an expression that cannot be parsed."""


class DataError(MercerError, ValueError):
    """Objects or matrices that a kernel or learner does not accept (``index`` or ``column`` of the fault, if known)."""


class SparseKernelError(DataError, TypeError):
    """A sparse matrix as precomputed kernel, which must be dense."""


class NotPositiveDefinite(DataError):
    """A similarity matrix with negative eigenvalues; ``lambda_min`` and ``lambda_max`` are the extreme ones."""


class FileContentError(DataError):
    """A file with invalid content."""


class FileError(MercerError, OSError):
    """A file that cannot be opened, read or written."""


class MemoryPlanError(MercerError, MemoryError):
    """A computation that does not fit in memory, refused before it starts (``needed``, ``allowed`` in bytes)."""


class NumericError(MercerError, ArithmeticError):
    """A numerical routine that failed."""


class InternalError(MercerError, RuntimeError):
    """A bug in the library."""


class ConvergenceWarning(_ConvergenceWarning):
    """A solver that stopped before convergence; ``certificate_`` has the details."""


class DataWarning(UserWarning):
    """A problem of the data that is not an error, such as a constant column under scaling."""
