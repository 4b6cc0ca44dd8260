"""Explanations of predictions: contributions of features, of atoms and bonds of molecules, of time steps and of columns."""

import numpy as np


class Explanation:
    """Why an object got its prediction: the decision value as a sum over features.

    ``value = offset + sum of all contributions``; ``rest`` is the sum of those that ``features`` does not list. A molecule
    is shown with its atoms and bonds in colour where an Explanation is displayed, as in notebooks.

    Attributes
    ----------
    prediction
        The predicted class, or the predicted number.
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
        lines = [f"Explanation of {self.prediction}: {self.value:.4f}"]
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

    Attributes
    ----------
    values : ndarray of shape (n_objects, n_columns) or (n_objects, n_columns, n_classes)
        The Shapley values, computed when first asked for. Of two classes, those of the second; of more, one slice per class.
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

    def to_frame(self, output=0):
        """Get the values of an output as a data frame: a row per object, a column per column, ``base_value`` first.

        Parameters
        ----------
        output : int
            The number of the class, with more than two.

        Returns
        -------
        DataFrame
        """
        import pandas as pd

        values, base = self._of(output)
        frame = pd.DataFrame(values, columns=self.columns)
        frame.insert(0, "base_value", base, allow_duplicates=True)
        return frame

    def _of(self, output):
        """The values and base values of an output, by its number."""
        values, base = self.values, self.base_values
        return (values, base) if values.ndim == 2 else (values[..., output], base[:, output])

    def plot(self, output=0, most=12, ax=None):
        """Plot the columns with the largest mean absolute values as bars, with a point for each object.

        Parameters
        ----------
        output : int
            The number of the class, with more than two.
        most : int
            The number of columns.
        ax : object, optional
            Where to draw.

        Returns
        -------
        matplotlib Axes
        """
        import matplotlib.pyplot as plt

        values, _ = self._of(output)
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
        named = self.classes[output] if output < len(self.classes) else None
        ax.set_xlabel("Shapley value" if named is None else f"Shapley value for {named}")
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
