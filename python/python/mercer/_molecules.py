"""Conversion of molecules: SMILES, and molecules of the RDKit, which is not required."""

import sys

from . import _mercer
from ._data import NAME, Objects, plain
from ._errors import DataError
from ._tables import column_array
from ._values import described, is_text, missing


class Molecules(Objects):
    """Molecules converted once, for repeated use by kernels and estimators.

    Parameters
    ----------
    molecules : list, array or Series
        SMILES, or ``Mol`` objects of the RDKit. None, NaN and empty texts are missing molecules. A SMILES that cannot be
        read is a :class:`mercer.DataError` with its number and the place within it.

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

    def __init__(self, molecules):
        if is_text(molecules):
            raise DataError("expected a list of molecules, got one text: pass [smiles]")
        values, _ = column_array("molecules", plain(molecules))
        if values.ndim != 1:
            raise DataError(f"molecules have one dimension, not {values.ndim}")
        super().__init__(_mercer.Data([(NAME, "molecules", molecule_texts(list(values)))]))

    @property
    def smiles(self):
        """The SMILES of each molecule, as given; None for a missing one."""
        return self._data.texts(self._data.columns()[0][0])

    def canonical(self):
        """A SMILES of each molecule that equal molecules share, without stereochemistry."""
        return self._data.canonical(False)

    def scaffolds(self):
        """The canonical SMILES of each molecule's Bemis-Murcko scaffold, empty without rings: groups for splits."""
        return self._data.canonical(True)

    def clusters(self, cutoff=0.4):
        """The number of each molecule's cluster: groups for splits.

        Clusters are those of Butina (1999) by the Tanimoto distance of ECFP4 bits, at most ``cutoff`` from their centre.
        """
        return self._data.clusters(float(cutoff))


def is_molecule(value):
    """Whether a value is a molecule of the RDKit."""
    return type(value).__module__.startswith("rdkit.") and hasattr(value, "GetAtoms") and hasattr(value, "GetBonds")


def molecule_texts(items):
    """The SMILES of texts and RDKit molecules; None where missing."""
    return [molecule_text(at, value) for at, value in enumerate(items)]


def molecule_text(at, value):
    if is_text(value):
        return str(value)
    if missing(value):
        return None
    if is_molecule(value):
        # Whoever has such a molecule has imported the RDKit.
        return sys.modules["rdkit.Chem"].MolToSmiles(value)
    raise DataError(f"molecule {at}: {described(value)} is neither a SMILES nor a molecule of the RDKit")
