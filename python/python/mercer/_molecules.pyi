# Made by stubs.py.
"""Conversion of molecules: SMILES, and molecules of the RDKit, which is not required."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._data import Objects

class Molecules(Objects):
    """Molecules converted once, for repeated use by kernels and estimators.

    Parameters
    ----------
    molecules : list, array or Series
        SMILES, or ``Mol`` objects of the RDKit. None, NaN and empty texts are missing molecules. A SMILES that cannot be
        read is a :class:`mercer.DataError` with its number and the place within it.
    skip_invalid : bool
        Leave out molecules that cannot be read, with a warning that counts them, instead.
    largest_fragment : bool
        Keep only the largest part of mixtures, such as the acid of a salt.

    Attributes
    ----------
    kept : list of int
        The places of the molecules in the list that was given: all, unless some were left out.

    Notes
    -----
    Molecules are sanitised as the RDKit does it: valences, hydrogens, rings, aromaticity. Kernels on molecules and on
    graphs also take lists of SMILES directly.

    Examples
    --------
    >>> molecules = mercer.Molecules(["CCO", "OCC", "c1ccccc1"])
    >>> mercer.Tanimoto(mercer.ECFP(radius=2)).gram(molecules).round(2)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    >>> molecules.canonical()[0] == molecules.canonical()[1]
    True
    """

    kept: NDArray[Any]
    def __init__(self, molecules: Sequence[Any] | ArrayLike | Any, *, skip_invalid: bool = False, largest_fragment: bool = False) -> None: ...
    def __getitem__(self, key: Any) -> Self: ...
    def canonical(self) -> Any: ...
    def clusters(self, cutoff: float = 0.4) -> Any: ...
    def fingerprints(self, radius: int = 2, size: int = 2048, *, counts: bool = False, features: bool = False) -> Any: ...
    def scaffolds(self) -> Any: ...
    @property
    def smiles(self) -> str | None: ...
