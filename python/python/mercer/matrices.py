"""Operations on Gram matrices: Markov walks, tensor products, conjugation."""

import numpy as np

from . import _mercer
from ._data import dense
from ._errors import ParameterError
from ._threads import threads_of

__all__ = ["conjugate", "tensor", "transitions"]


def transitions(K, p=1, *, threads=None):
    """Compute the p-step transition probabilities P^p of a Markov walk over similarities K.

    P = D⁻¹K, where D holds the row sums of K. The rows of the result sum to 1; the row of an object whose similarities
    are all 0 is 0. The matrix is *not symmetric*: it is not a kernel. The symmetric form D^(-1/2)·K·D^(-1/2) is the
    kernel :class:`Markov`. The walk passes through all objects of K, so a split of P^p into training and test objects
    is transductive. ``mercer gram --transitions P`` writes the same matrix.

    Parameters
    ----------
    K : array (n, n)
        Symmetric, non-negative similarities.
    p : int, default 1
        Number of steps, at least 1.
    threads : int, optional
        Number of threads; all cores by default.

    Examples
    --------
    >>> mercer.transitions([[1.0, 1.0], [1.0, 3.0]], 2)
    array([[0.375 , 0.625 ],
           [0.3125, 0.6875]])
    """
    return _mercer.transitions(dense(K), whole("p", p), threads_of(threads))


def tensor(K, L):
    """Compute the tensor product K ⊗ L of two Gram matrices: the similarities of all pairs, k(x, x')·l(y, y').

    Object ``i * len(L) + j`` of the result is the pair of object i of K and object j of L. For two diffusion kernels it
    is the diffusion kernel of the product graph, whose generator is H₁⊗I + I⊗H₂. It is positive semidefinite if both
    are. ``mercer gram --tensor L.npy`` writes the same matrix. If the pairs are rows of a table, use the kernel
    ``k.on("x") * l.on("y")``.

    Parameters
    ----------
    K : array-like
        A Gram matrix (n, n).
    L : array-like
        A Gram matrix (m, m).

    Examples
    --------
    >>> mercer.tensor([[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.5], [0.5, 1.0]])[0]
    array([2. , 1. , 1. , 0.5])
    """
    return _mercer.tensor(dense(K), dense(L))


def conjugate(K, T):
    """Compute the Gram matrix Tᵀ·K·T of objects that are linear combinations of others.

    Column j of T holds the coefficients of the j-th combination of the objects of K; T need not be square. The result
    is positive semidefinite if K is, and exactly symmetric. ``mercer gram --conjugate T.npy`` writes the same matrix.

    Parameters
    ----------
    K : array-like
        A Gram matrix (n, n).
    T : array-like
        The coefficients (n, m): one column per combination.

    Examples
    --------
    >>> mercer.conjugate([[1.0, 0.0], [0.0, 2.0]], [[1.0], [1.0]])
    array([[3.]])
    """
    return _mercer.conjugate(dense(K), dense(T))


def whole(name, value):
    """Check an integer of at least 1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 1 <= value < 2**32:
        raise ParameterError(f"{name} = {value!r}: must be a whole number of at least 1")
    return int(value)
