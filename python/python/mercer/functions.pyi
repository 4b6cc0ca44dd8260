# Made by stubs.py.
"""Kernels that are computed in Python: functions of objects, and matrices that are known already.

The engine gets their values as precomputed columns, one for each such kernel. They can therefore be terms of sums,
factors of products and arguments of :class:`mercer.Mkl`, in estimators and in searches, next to the kernels of the engine.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._kernel import Kernel

__all__ = ['Function', 'Gram']

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

    function: Callable[..., Any]
    vectorized: bool
    columns: str | int | Sequence[Any] | None
    def __init__(self, function: Callable[..., Any], *, vectorized: bool = False, columns: str | int | Sequence[Any] | None = None) -> None: ...

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

    matrix: ArrayLike
    columns: str | int | None
    def __init__(self, matrix: ArrayLike, *, columns: str | int | None = None) -> None: ...
    def function(self, X: Any, Y: Any) -> Any: ...
