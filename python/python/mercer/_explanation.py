"""Explanations of predictions: contributions of features, of atoms and bonds of molecules, and of time steps."""

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
        ``"features"``, or ``"support objects"`` for kernels without features.
    local : bool
        Whether weights hold for this object alone, as with ``tanimoto``, ``dice`` and ``rbf-of``: the contributions add up,
        but how they are divided is a rule.
    atoms, bonds : ndarray or None
        The contribution of each atom and bond of a molecule, or of each node and edge of a graph. Together they add up to
        the contributions of all features on it.
    steps : ndarray or None
        The contribution of each time step of a series, for kernels such as ``Rocket``: that of a feature is divided among
        the stretches where it is found.
    smiles : str or None
        The molecule.
    svg : str or None
        Its image: orange atoms and bonds add to the value, blue ones (dashed) subtract from it.
    """

    def __init__(self, found, prediction):
        self.prediction = prediction
        self.value, self.offset, self.rest = found["value"], found["offset"], found["rest"]
        self.features, self.by, self.local = found["features"], found["by"], found["local"]
        first = found["structures"][0] if found["structures"] else None
        nodes = None if first is None else np.asarray(first["nodes"], dtype=np.float64)
        self.steps = nodes if first is not None and first["series"] else None
        self.atoms = nodes if self.steps is None else None
        self.bonds = None if self.atoms is None else np.asarray(first["edges"], dtype=np.float64)
        self.smiles = None if first is None else first["smiles"]
        self.svg = None if first is None else first["svg"]

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        lines = [f"Explanation of {self.prediction}: {self.value:.4f}"]
        lines += [f"  {part['amount']:+.4f}  {part['feature']}" for part in self.features]
        lines += [f"  {self.rest:+.4f}  all others", f"  {self.offset:+.4f}  intercept"]
        return "\n".join(lines)
