"""Explanations of predictions: contributions of features, of atoms and bonds of molecules, of time steps and of columns."""

import numpy as np

from ._errors import ParameterError


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

    def __init__(self, found, prediction):
        self.prediction = prediction
        self.class_ = None if found["class"] is None else prediction
        self.value, self.offset, self.rest = found["value"], found["offset"], found["rest"]
        self.features, self.by, self.local = found["features"], found["by"], found["local"]
        self.note, self.evidence = found["note"], found["evidence"]
        first = found["structures"][0] if found["structures"] else None
        nodes = None if first is None else np.asarray(first["nodes"], dtype=np.float64)
        self.steps = nodes if first is not None and first["series"] else None
        width = None if first is None else first["width"]
        self.pixels = None if width is None else nodes.reshape(-1, width)
        self.atoms = nodes if self.steps is None and self.pixels is None else None
        self.bonds = None if self.atoms is None else np.asarray(first["edges"], dtype=np.float64)
        self.smiles = None if first is None else first["smiles"]
        self.svg = None if first is None else first["svg"]

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        of = "the predicted number" if self.class_ is None else f"class {self.class_}"
        lines = [f"Explanation of {of}: {self.value:.4f}"]
        lines += [f"  {part['amount']:+.4f}  {part['feature']}" for part in self.features]
        offset = {"columns": "mean of the background", "parts": "every part hidden"}.get(self.by, "intercept")
        if self.rest != 0.0 or self.by not in ("columns", "parts"):
            lines.append(f"  {self.rest:+.4f}  all others")
        lines.append(f"  {self.offset:+.4f}  {offset}")
        return "\n".join(lines)


class Explanations(list):
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

    def __init__(self, explanations, attributions, classes, X):
        super().__init__(explanations)
        self._attributions, self._classes, self._X, self._found = attributions, classes, X, None
        self._probable = False

    def __repr__(self):
        names = list(self._classes.values())
        lines = [f"Explanations of {len(self)} predictions" + (", each for the predicted class" if names else "")]
        if len(names) == 2:
            lines.append(f"values: Shapley values of columns; positive ones speak for class {names[1]}, negative ones for {names[0]}")
        elif names:
            lines.append(f"values: Shapley values of columns, a slice for each class: {', '.join(map(str, names))}")
        else:
            lines.append("values: Shapley values of columns")
        return "\n".join([*lines, *map(repr, self[:3]), *(["…"] if len(self) > 3 else [])])

    @property
    def class_(self):
        return list(self._classes.values())[1] if len(self._classes) == 2 else None

    def compute(self, size=20, probabilities=False, orders=10, seed=0, background_by="random"):
        """Compute the values with other settings than the defaults.

        Parameters
        ----------
        size : int
            The number of objects of the background.
        probabilities : bool
            Explain the probabilities of classes instead of decision values.
        orders : int
            Pairs of orders of the columns, where values are sampled.
        seed : int
            Draws the background and the orders.
        background_by : {"random", "prototypes"}
            How the objects of the background are chosen: at random, or as prototypes in the similarity of the kernel.
        """
        self._probable = bool(probabilities)
        self._found = self._attributions(int(size), bool(probabilities), int(orders), int(seed), str(background_by))
        return self

    @property
    def _computed(self):
        if self._found is None:
            self.compute()
        return self._found

    def _stacked(self, matrices):
        stacked = np.stack([np.asarray(m, dtype=np.float64).reshape(len(self), -1) for m in matrices], axis=-1)
        return stacked[..., 0] if stacked.shape[-1] == 1 else stacked

    @property
    def values(self):
        return self._stacked(self._computed["values"])

    @property
    def errors(self):
        return self._stacked(self._computed["errors"]) if "errors" in self._computed else None

    @property
    def base_values(self):
        base = np.tile(np.asarray(self._computed["base"], dtype=np.float64), (len(self), 1))
        return base[:, 0] if base.shape[1] == 1 else base

    @property
    def output(self):
        output = np.asarray(self._computed["predicted"], dtype=np.float64)
        return output[:, 0] if output.shape[1] == 1 else output

    @property
    def columns(self):
        return list(self._computed["columns"])

    @property
    def classes(self):
        return [self._classes.get(name, name) for name in self._computed["outputs"]]

    @property
    def exact(self):
        return self._computed["exact"]

    @property
    def method(self):
        return self._computed["method"]

    @property
    def background(self):
        return self._computed["background"]

    def to_frame(self, output=None, *, class_=None):
        """Get the values for a class, or of numbers, as a data frame with a row per object and a column per column.

        ``base_value`` stands before them, and for classes ``class``, the class for which the row speaks.

        Parameters
        ----------
        output : int, optional
            The number of the class, with more than two; 0 by default.
        class_ : object, optional
            The class instead of its number, or "predicted" for the predicted class of each object. By default the second of
            two classes.

        Returns
        -------
        DataFrame
        """
        import pandas as pd

        values, base, named = self._of(output, class_)
        frame = pd.DataFrame(values, columns=self.columns)
        frame.insert(0, "base_value", base, allow_duplicates=True)
        if named is not None:
            frame.insert(0, "class", named, allow_duplicates=True)
        return frame

    def _of(self, output, class_):
        """The values and base values for a class, and the class of each row; None for numbers."""
        values, base = self.values, self.base_values
        names = list(self._classes.values())
        if class_ is not None:
            if output is not None:
                raise ParameterError(f"output = {output!r}: class_ names it already")
            return self._speaking_for(values, base, names, class_)
        if values.ndim == 2:
            if output not in (None, 0):
                raise ParameterError(f"output = {output!r}: there is one output; class_ takes one of the classes")
            return values, base, None if self.class_ is None else [self.class_] * len(self)
        output = 0 if output is None else output
        return values[..., output], base[:, output], [self.classes[output]] * len(self)

    def _speaking_for(self, values, base, names, class_):
        if not names:
            raise ParameterError(f"class_ = {class_!r}: numbers are predicted, not classes")
        if isinstance(class_, str) and class_ == "predicted" and class_ not in names:
            wanted = [explanation.prediction for explanation in self]
        elif class_ in names:
            wanted = [class_] * len(self)
        else:
            raise ParameterError(f"class_ = {class_!r}: must be 'predicted' or one of {', '.join(map(repr, names))}")
        if values.ndim == 2:
            # The first class has the opposite decision value, or the rest of the probability.
            second = np.array([name == self.class_ for name in wanted])
            other = 1.0 - base if self._probable else -base
            return np.where(second[:, None], values, -values), np.where(second, base, other), wanted
        of = [self.classes.index(name) for name in wanted]
        return values[np.arange(len(self)), :, of], base[np.arange(len(self)), of], wanted

    def plot(self, output=None, most=12, ax=None, *, class_=None):
        """Plot the columns with the largest mean absolute values as bars, with a point for each object.

        Parameters
        ----------
        output : int, optional
            The number of the class, with more than two; 0 by default.
        most : int
            The number of columns.
        ax : object, optional
            Where to draw.
        class_ : object, optional
            The class instead of its number, or "predicted", as for :meth:`to_frame`.

        Returns
        -------
        matplotlib Axes
        """
        import matplotlib.pyplot as plt

        values, _, named = self._of(output, class_)
        mean = np.abs(values).mean(axis=0)
        order = np.argsort(-mean, kind="stable")[:most][::-1]
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 1.2 + 0.32 * len(order)), layout="constrained")
        ax.barh(range(len(order)), mean[order], color="#c9d6e3", label="mean of |value|")
        spread = np.linspace(-0.25, 0.25, len(values)) if len(values) > 1 else np.zeros(len(values))
        for at, column in enumerate(order):
            ax.scatter(values[:, column], at + spread, s=6, color="#1f5a93", alpha=0.6, linewidths=0)
        ax.axvline(0, color="#555555", linewidth=0.8)
        ax.set_yticks(range(len(order)), [self.columns[column] for column in order])
        if named is None:
            ax.set_xlabel("Shapley value")
        else:
            of = f"class {named[0]}" if len(set(named)) == 1 else "the predicted class"
            ax.set_xlabel(f"Shapley value for {of}")
        return ax

    def to_shap(self):
        """Get a ``shap.Explanation`` for the plots of that package, which must be installed."""
        import shap

        data = np.asarray(self._X, dtype=object)
        data = data if data.ndim == 2 and data.shape[1] == len(self.columns) else None
        if data is not None:
            try:
                data = data.astype(np.float64)
            except (TypeError, ValueError):
                pass
        several = len(self.classes) > 1
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=data,
            feature_names=self.columns,
            output_names=[str(name) for name in self.classes] if several else None,
        )
