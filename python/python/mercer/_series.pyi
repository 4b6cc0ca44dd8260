# Made by stubs.py.
"""Conversion of time series to channels × time steps.

A one-dimensional series has one channel. For two-dimensional series, in a list or in a three-dimensional array, the
first rule that applies decides which dimension is time:

1. the layout, if :class:`Series` is given one;
2. the dimension whose length differs between series;
3. a dimension of length 1 is the channel;
4. a dimension padded with NaN at its end is time;
5. channels come first, as in aeon and sktime. More channels than time steps are refused: more likely, time comes first,
   as in tslearn and dtaidistance.

The rule does not depend on the container: the same values give the same distances.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._data import Objects

class Series(Objects):
    """Time series converted once, for repeated use by kernels and estimators.

    Parameters
    ----------
    series : array, list or DataFrame
        An array of series, a list of arrays of one or two dimensions, or a DataFrame of sktime: with the series and the time in
        its index and a column for each channel, or with a series in each cell. NaN at the end of a series is padding.
    layout : str, optional
        The dimensions of the array in their order, such as ``"(n, time, channels)"``, ``"(n, channels, time)"`` or ``"(time, n)"``; of each array in a
        list, such as ``"(time, channels)"``; or the name of a library: ``"aeon"`` and ``"sktime"`` put channels first, ``"tslearn"`` and
        ``"dtaidistance"`` time. Without it, time must follow from the values: different lengths, a dimension of length 1, or
        channels first as in aeon with at least as many time steps as channels.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((5, 40, 3))      # 40 time steps of 3 channels
    >>> mercer.DTW().pairwise(mercer.Series(X, layout="n,steps,channels")).shape
    (5, 5)
    """

    def __init__(self, series: ArrayLike | Sequence[Any] | Any, layout: str | None = None) -> None: ...
