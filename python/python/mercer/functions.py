"""Kernels that are computed in Python: functions of objects, and matrices that are known already.

The engine gets their values as precomputed columns, one for each such kernel. They can therefore be terms of sums,
factors of products and arguments of :class:`mercer.Mkl`, in estimators and in searches, next to the kernels of the engine.
"""

import numpy as np
from scipy import sparse

from . import _mercer
from ._errors import DataError, ParameterError
from ._kernel import Kernel, names_of
from ._tables import frame_columns, plain
from ._values import flag

__all__ = ["Function", "Gram"]


class Function(Kernel):
    """A kernel that a Python function computes.

    Parameters
    ----------
    function : callable
        ``function(a, b)`` returns the similarity of two objects. It must be symmetric, and positive semidefinite for
        learners that need it (:func:`mercer.certify` tells).
    vectorized : bool, default False
        Whether the function takes two sets of objects, as scikit-learn's ``kernel=callable`` does, and returns the matrix
        of all pairs: one call in place of one for each pair.
    columns : str, int or list, optional
        The columns of a table, or the positions in an array, that the function gets; by default all.

    Notes
    -----
    An object is a row of an array, an item of a list, the value of the one chosen column of a table, or a dict of several
    columns. A vectorized function gets the array, the list or the table itself, or the chosen part of it.

    Models with such a kernel keep their training objects, can be pickled if the function can, and have no ``.mercer`` file.
    Kernels that need k(x, x) of new objects, such as ``Normalize`` and ``RBFOf``, cannot be put around a function.

    Examples
    --------
    >>> shared = mercer.Function(lambda a, b: len(set(a) & set(b)))
    >>> shared.gram(["abc", "bcd"])
    array([[3., 2.],
           [2., 3.]])
    >>> words = ["spam", "ham", "span", "jam"]
    >>> mercer.SVC(kernel=shared + 0.5 * mercer.Spectrum(k=2)).fit(words, [1, 0, 1, 0]).predict(["spat"])
    array([1])
    """

    def __init__(self, function, *, vectorized=False, columns=None):
        self.function, self.vectorized, self.columns = function, vectorized, columns
        self._check()

    def _names(self):
        return ["function", "vectorized", "columns"]

    def _check(self):
        if not callable(self.function) or isinstance(self.function, (type, Kernel)):
            raise ParameterError(f"function = {self.function!r:.80}: must be a function of two objects")
        flag("vectorized", self.vectorized)

    def _written(self):
        # The values are a column of their own, whatever the columns that the function looks at.
        return f'precomputed@["{self._column()}"]'

    def _column(self):
        return f"function {self.__dict__.get('_number', 0)}"

    def _shown(self):
        name = getattr(self.function, "__qualname__", None) or repr(self.function)
        parts = [name, *(["vectorized=True"] if self.vectorized else [])]
        if self.columns is not None:
            parts.append(f"columns={names_of(self.columns)!r}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def _looks(self, columns):
        return ()

    def _leaves(self, columns):
        yield self, columns if self.columns is None else names_of(self.columns)

    def _identity(self):
        return (id(self.function), bool(self.vectorized))

    def _matrix(self, X, Y):
        """The matrix of two sets of chosen objects; Y is None for that of X with itself."""
        if self.vectorized:
            K = self.function(X, X if Y is None else Y)
            K = K.toarray() if sparse.issparse(K) else K
        else:
            rows = list(X)
            K = np.empty((len(rows), len(rows if Y is None else list(Y))))
            if Y is None:
                for i, a in enumerate(rows):
                    for j in range(i + 1):
                        K[i, j] = K[j, i] = self._one(a, rows[j])
            else:
                for j, b in enumerate(Y):
                    for i, a in enumerate(rows):
                        K[i, j] = self._one(a, b)
        try:
            K = np.ascontiguousarray(K, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{self!r} returned {type(K).__name__}, not a matrix of numbers") from None
        expected = (count(X), count(X if Y is None else Y))
        if K.shape != expected:
            raise DataError(f"{self!r} returned an array of shape {K.shape}, expected {expected}")
        return K

    def _one(self, a, b):
        value = self.function(a, b)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise DataError(
                f"{self!r} returned {type(value).__name__} for two objects, not a number; a function of two sets of objects "
                "needs vectorized=True"
            ) from None


class Gram(Function):
    """A matrix of similarities computed elsewhere, as a kernel on the positions of objects in it.

    Objects are positions, so that splits, searches and sums with other kernels work as for any kernel.

    Parameters
    ----------
    matrix : array (n, n)
        Symmetric similarities of all objects, those to be predicted included.
    columns : str or int, optional
        The column of a table, or of an array, with the positions; without it X holds nothing else.

    Examples
    --------
    >>> K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    >>> table = {"at": [0, 1, 2], "age": [30.0, 40.0, 50.0]}
    >>> (mercer.Gram(K).on("at") + mercer.RBF(gamma=0.01).on("age")).gram(table).round(2)
    array([[3.  , 1.37, 0.02],
           [1.37, 3.  , 1.37],
           [0.02, 1.37, 3.  ]])
    """

    def __init__(self, matrix, *, columns=None):
        self.matrix, self.columns = matrix, columns
        self._check()

    vectorized = True

    def _names(self):
        return ["matrix", "columns"]

    def _check(self):
        shape = np.shape(self.matrix)
        if len(shape) != 2 or shape[0] != shape[1]:
            raise ParameterError(f"matrix has the shape {shape}: must be square")

    def _shown(self):
        columns = "" if self.columns is None else f", columns={names_of(self.columns)!r}"
        return f"Gram(<matrix {np.shape(self.matrix)}>{columns})"

    def _identity(self):
        return (id(self.matrix), True)

    def function(self, X, Y):
        """The rows and columns of the matrix at these positions."""
        return np.asarray(self.matrix, dtype=np.float64)[np.ix_(self._places(X), self._places(Y))]

    def _places(self, X):
        try:
            places = np.asarray(X)
            if places.ndim == 2 and places.shape[1] == 1:
                places = places[:, 0]
            whole = places.astype(np.int64)
            sound = places.ndim == 1 and bool((whole == places).all())
        except (TypeError, ValueError):
            sound = False
        if not sound:
            raise DataError("Gram takes one column of positions in its matrix; .on(column) chooses it")
        size = len(self.matrix)
        if len(whole) and not (0 <= whole.min() and whole.max() < size):
            raise DataError(f"a position from {whole.min()} to {whole.max()}, but the matrix has the rows 0 to {size - 1}")
        return whole


def count(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def chosen(X, columns, vectorized):
    """The objects that a function gets: all of X, or some columns of it."""
    frame = frame_columns(X)
    if frame is None:
        if columns is not None:
            if getattr(X, "ndim", None) != 2 and not sparse.issparse(X):
                X = np.asarray(X)
            if X.ndim != 2 or not all(name.isdigit() and int(name) < X.shape[1] for name in columns):
                raise DataError(f"columns = {columns!r}: must be positions in an array of shape {X.shape}, or X must be a table")
            X = X[:, [int(name) for name in columns]]
        return X
    known = dict(frame)
    at = [name if name in known else frame[int(name)][0] if name.isdigit() and int(name) < len(frame) else name for name in columns or known]
    for name in at:
        if name not in known:
            raise DataError(f"no column {name!r} in the table: it has {', '.join(map(repr, known))}")
    if len(at) == 1:
        values = known[at[0]]
        return values if vectorized else list(values)
    if vectorized:
        return {name: known[name] for name in at} if columns is not None else X
    return [dict(zip(at, row, strict=True)) for row in zip(*(known[name] for name in at), strict=True)]


def with_functions(kernel, X, training, convert):
    """Native data for a kernel with functions: the columns of the other kernels, and one of values for each function.

    ``training`` holds the objects that the columns of the matrices belong to; None if they are X itself. ``convert`` makes
    the data for the other kernels.
    """
    X = plain(X)
    training = None if training is None else plain(training)
    columns = []
    if kernel._kinds():
        data = convert(X)
        columns = [(name, "column", data.column(name)) for name, _ in data.columns()]
    made = set()
    for leaf, names in kernel._functions():
        if leaf._column() not in made:
            made.add(leaf._column())
            others = None if training is None else chosen(training, names, leaf.vectorized)
            K = leaf._matrix(chosen(X, names, leaf.vectorized), others)
            columns.append((leaf._column(), "precomputed", (K, training is None)))
    return _mercer.Data(columns)
