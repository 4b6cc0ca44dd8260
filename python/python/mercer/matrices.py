"""Matrices made of Gram matrices: steps of a Markov walk, products of graphs, mixtures of objects."""

import numpy as np

from . import _mercer
from ._data import dense
from ._errors import ParameterError
from ._threads import threads_of

__all__ = ["conjugate", "tensor", "transitions"]


def transitions(K, p=1, *, threads=None):
    """The probabilities P^p of a Markov walk over similarities K: where p steps lead from each object.

    P = D⁻¹K with D the sums of the rows of K. Rows of the result add up to 1; an object whose similarities are all 0 goes nowhere,
    and its row is 0. The matrix is *not symmetric*: it is a similarity, and no kernel. The symmetric form D^(-1/2)·K·D^(-1/2) is
    the kernel :class:`Markov`. The walk goes through all objects of K, so that a split of P^p into training and test objects is
    transductive. ``mercer gram --transitions P`` writes the same matrix.

    Parameters
    ----------
    K : array (n, n)
        Symmetric similarities of at least 0.
    p : int
        The number of steps, from 1.

    Examples
    --------
    >>> mercer.transitions([[1.0, 1.0], [1.0, 3.0]], 2)
    array([[0.375 , 0.625 ],
           [0.3125, 0.6875]])
    """
    return _mercer.transitions(dense(K), whole("p", p), threads_of(threads))


def tensor(K, L):
    """The tensor product K ⊗ L of two Gram matrices: the similarities of all pairs, k(x, x')·l(y, y').

    Object ``i * len(L) + j`` of the result is the pair of object i of K and object j of L. Of two diffusion kernels it is the
    diffusion kernel of the product of both graphs, whose generator is H₁⊗I + I⊗H₂. Positive semidefinite where both are.
    ``mercer gram --tensor L.npy`` writes the same matrix. For pairs that are rows of a table ``k.on("x") * l.on("y")`` is the kernel.

    Examples
    --------
    >>> mercer.tensor([[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.5], [0.5, 1.0]])[0]
    array([2. , 1. , 1. , 0.5])
    """
    return _mercer.tensor(dense(K), dense(L))


def conjugate(K, T):
    """The Gram matrix Tᵀ·K·T of objects that are mixtures of others.

    Column j of T says how much of each object of K is in the j-th mixture; T need not be square. Positive semidefinite where K is,
    and symmetric to the bit. ``mercer gram --conjugate T.npy`` writes the same matrix.

    Examples
    --------
    >>> mercer.conjugate([[1.0, 0.0], [0.0, 2.0]], [[1.0], [1.0]])
    array([[3.]])
    """
    return _mercer.conjugate(dense(K), dense(T))


def whole(name, value):
    """A whole number from 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 1 <= value < 2**32:
        raise ParameterError(f"{name} = {value!r}: must be a whole number from 1")
    return int(value)
