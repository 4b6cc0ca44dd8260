# Made by stubs.py.
"""Explanations of predictions: contributions of features, of atoms and bonds of molecules, of time steps and of columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

class Explanation:
    """Why an object got its prediction: the decision value as a sum over features.

    ``value = offset + sum of all contributions``; ``rest`` is the sum of those that ``features`` does not list. A molecule
    is shown with its atoms and bonds in colour where an Explanation is displayed, as in notebooks.

    Attributes
    ----------
    prediction
        The predicted class, or the predicted number.
    class_
        The class for which a positive contribution speaks: the predicted one. None for numbers.
    value, offset, rest : float
        The decision value for the predicted class or the predicted number, that of an object without features, and the
        sum over the features that are not listed.
    features : list of dict
        The largest contributions: ``feature``, ``weight``, ``count``, ``amount``, and ``nodes`` (atoms of each occurrence, or
        the first and last time step of each stretch).
    by : str
        ``"features"``, ``"columns"``, ``"support objects"`` or ``"parts"``.
    note : str or None
        How the values of columns or parts were computed, and what they are compared with.
    evidence : dict or None
        Of an explanation by training objects: how many speak for and against the prediction (``objects_for``,
        ``objects_against``), their shares of all contributions (``share_for``, ``share_against``), and ``other_class``, the
        nearest of them that the model gives another class: ``name``, ``class``, ``distance`` and what ``differs``.
    local : bool
        Whether weights hold for this object alone, as with ``tanimoto``, ``dice`` and ``rbf-of``: the contributions add up,
        but how they are divided is a rule.
    atoms, bonds : ndarray or None
        The contribution of each atom and bond of a molecule, or of each node and edge of a graph. Together they add up to
        the contributions of all features on it.
    steps : ndarray or None
        The contribution of each time step of a series: that of a feature or part is divided among the stretches where it is
        found.
    pixels : ndarray or None
        The contribution of each pixel of an image: that of a part is divided among its pixels.
    smiles : str or None
        The molecule.
    svg : str or None
        Its image: orange atoms and bonds add to the value, blue ones (dashed) subtract from it.
    """

    prediction: Any
    class_: Any
    value: float
    offset: float
    rest: float
    features: list[dict[str, Any]]
    by: str
    note: str | None
    evidence: dict[str, Any] | None
    local: bool
    atoms: Any
    bonds: Any
    steps: Any
    pixels: Any
    smiles: str | None
    svg: str | None
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Explanations(list[Explanation]):
    """Explanations of several predictions, and the Shapley values of columns for all of them.

    The value of a column is its mean contribution to f(x) minus the mean of f over a background, over all orders in which
    columns can be taken from x instead of an object of the background. ``values.sum(axis=1) + base_values`` is the output.

    Each :class:`Explanation` speaks for the class predicted for its object. ``values`` speak for one class in all rows, as
    ``decision_function`` does: of two classes for the second, ``class_``. ``to_frame`` and ``plot`` take the class to speak
    for, or ``class_="predicted"`` for that of each object.

    Attributes
    ----------
    class_
        The class for which positive ``values`` speak if there are two: the second. None for more classes, which have one
        slice each, in the order of ``classes``, and for numbers.
    values : ndarray of shape (n_objects, n_columns) or (n_objects, n_columns, n_classes)
        The Shapley values, computed when first asked for. Of two classes, those of the second (``class_``); of more, one
        slice per class.
    base_values : ndarray of shape (n_objects,) or (n_objects, n_classes)
        The mean output over the background.
    output : ndarray
        The explained outputs: decision values, or predicted numbers.
    errors : ndarray or None
        The standard errors of the values, where they are sampled.
    columns : list of str
        The names of the columns.
    exact : bool
        Whether the values are exact.
    method, background : str
        How they were computed, and what they are compared with.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def background(self) -> str: ...
    @property
    def base_values(self) -> NDArray[Any]: ...
    @property
    def class_(self) -> Any: ...
    @property
    def classes(self) -> list[Any]: ...
    @property
    def columns(self) -> list[Any]: ...
    def compute(self, size: int = 20, probabilities: bool = False, orders: int = 10, seed: int = 0, background_by: Literal['random', 'prototypes'] = 'random') -> Any: ...
    @property
    def errors(self) -> Any: ...
    @property
    def exact(self) -> bool: ...
    @property
    def method(self) -> str: ...
    @property
    def output(self) -> NDArray[Any]: ...
    def plot(self, output: int | None = None, most: int = 12, ax: Any | None = None, *, class_: Any | None = None) -> Any: ...
    def to_frame(self, output: int | None = None, *, class_: Any | None = None) -> Any: ...
    def to_shap(self) -> Any: ...
    @property
    def values(self) -> NDArray[Any]: ...
