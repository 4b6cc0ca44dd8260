# Made by stubs.py.
"""Conversion of user data to typed columns of the native engine, without copying where the memory layout allows.

==========================================  ==================================================================
input                                       converted to
==========================================  ==================================================================
numeric array (n, d), SciPy sparse matrix   vectors; C-contiguous float64 is read in place; booleans are 1 and 0
table (pandas, polars, pyarrow, dict of     a column for each: numbers, categories, strings, series, graphs; see
columns, structured array)                  :mod:`mercer._tables`; dates are times
list of str                                 strings, categories or text, as the kernel requires
list of dates, datetime64 array             times, for :class:`mercer.Time`
object array (n, d)                         vectors if all values are numbers, otherwise one column each; categories if
                                            the kernel takes only these, as for a numeric array
series                                      see :mod:`mercer._series` and :class:`mercer.Series`
uint8 array (n, height, width, channels)    images; channels: grey, grey and alpha, red green blue, or these and alpha
list of (height, width[, channels]) uint8   images, for image kernels
list of SMILES or RDKit molecules           molecules, for kernels on molecules: see :class:`mercer.Molecules`
list of graphs                              graphs: see :class:`mercer.Graphs`
one graph, for node kernels                 its nodes, in order: see :class:`mercer.Nodes`
==========================================  ==================================================================

A :class:`mercer.DataWarning` lists the columns that a kernel without column names cannot use.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

class Objects:
    """Objects converted once, for repeated use by kernels and estimators. Indexing selects objects.

    Examples
    --------
    >>> graphs, y = mercer.datasets.load_mutag()
    >>> len(graphs), len(graphs[:10])
    (188, 10)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getitem__(self, key: Any) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...

class Records(Objects):
    """Objects with columns of different kinds: tables, mixed records.

    Parameters
    ----------
    table : DataFrame, dict or structured array
        Columns by name: numbers, strings, categories, series, graphs. A column may be :class:`mercer.Series`,
        :class:`mercer.Graphs` or :class:`mercer.Nodes`; a single graph stands for its nodes.
    kinds : dict, optional
        Kinds of columns that cannot be inferred from the values: ``{"dna": "strings", "ward": "categories"}``. By
        default text is categories and booleans are numbers, unless a kernel requires another kind.

    Examples
    --------
    >>> patients = mercer.Records({"age": [31, 54, 29], "dna": ["acgt", "ttga", "acga"]}, kinds={"dna": "strings"})
    >>> (mercer.RBF(gamma=0.01).on("age") + mercer.Delta().on("dna")).gram(patients).shape
    (3, 3)
    """

    def __init__(self, table: Any | Mapping[Any, Any], kinds: Mapping[Any, Any] | None = None) -> None: ...

class Strings(Records):
    """Strings converted once: sequences, words or texts, for kernels on strings, text or categories.

    Parameters
    ----------
    strings : list, array or column of a table
        One string per object; None and NaN are missing.

    Examples
    --------
    >>> reads = mercer.Strings(["acgt", "acga", "ttgt"])
    >>> mercer.Spectrum(k=2).gram(reads)
    array([[3., 2., 1.],
           [2., 3., 0.],
           [1., 0., 3.]])
    """

    def __init__(self, strings: Sequence[Any] | ArrayLike | Any) -> None: ...
