"""Conversion of molecules: SMILES, and molecules of the RDKit, which is not required."""

import importlib
import warnings

import numpy as np

from . import _mercer
from ._data import NAME, Objects, plain
from ._errors import DataError
from ._tables import column_array
from ._values import described, flag, is_text, missing


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

    def __init__(self, molecules, *, skip_invalid=False, largest_fragment=False):
        if is_text(molecules):
            raise DataError("expected a list of molecules, got one text: pass [smiles]")
        values, _ = column_array("molecules", plain(molecules))
        if values.ndim != 1:
            raise DataError(f"molecules have one dimension, not {values.ndim}")
        texts = molecule_texts(list(values))
        skip, largest = flag("skip_invalid", skip_invalid), flag("largest_fragment", largest_fragment)
        data, self.kept = _mercer.Data.valid_molecules(NAME, texts, skip, largest)
        if len(self.kept) < len(texts):
            message = f"{len(texts) - len(self.kept)} of {len(texts)} molecules left out: they cannot be read"
            warnings.warn(message, UserWarning, stacklevel=2)
        super().__init__(data)

    def __getitem__(self, key):
        out = super().__getitem__(key)
        out.kept = np.asarray(self.kept)[key[0] if isinstance(key, tuple) else key].reshape(-1).tolist()
        return out

    @property
    def smiles(self):
        """The SMILES of each molecule, as given; None for a missing one."""
        return self._data.texts(self._data.columns()[0][0])

    def canonical(self):
        """A SMILES of each molecule that equal molecules share, without stereochemistry."""
        return self._data.canonical(False)

    def fingerprints(self, radius=2, size=2048, *, counts=False, features=False):
        """Morgan fingerprints with a fixed number of places, for tools that take arrays: ECFP4 bits by default.

        The places are those of the RDKit's ``GetMorganGenerator(radius, fpSize=size)``. Kernels such as :class:`ECFP` need
        no places, so that different neighbourhoods never meet in one.

        Parameters
        ----------
        radius : int
            Greatest distance in bonds from the central atom: 2 for ECFP4, 3 for ECFP6.
        size : int
            The number of places.
        counts : bool
            How often neighbourhoods fall into a place, instead of whether they do.
        features : bool
            Atoms by their pharmacophore features, as FCFP has them.

        Returns
        -------
        array of uint8 or, for counts, of uint16, of shape (molecules, size)
        """
        return self._data.fingerprints(int(radius), int(size), flag("features", features), flag("counts", counts))

    def scaffolds(self):
        """The canonical SMILES of each molecule's Bemis-Murcko scaffold, empty without rings: groups for splits."""
        return self._data.canonical(True)

    def clusters(self, cutoff=0.4):
        """The number of each molecule's cluster: groups for splits.

        Clusters are those of Butina (1999) by the Tanimoto distance of ECFP4 bits, at most ``cutoff`` from their centre.
        """
        return self._data.clusters(float(cutoff))


def is_molecule(value):
    """Whether a value looks like a molecule of the RDKit: its class has the methods of one."""
    return all(hasattr(type(value), name) for name in ("GetAtoms", "GetBonds", "GetNumAtoms"))


def molecule_texts(items):
    """The SMILES of texts and RDKit molecules; None where missing."""
    return [molecule_text(at, value) for at, value in enumerate(items)]


def molecule_text(at, value):
    if is_text(value):
        return str(value)
    if missing(value):
        return None
    if is_molecule(value):
        return writer_of(at, type(value))(value)
    raise DataError(f"molecule {at}: {described(value)} is neither a SMILES nor a molecule of the RDKit")


def writer_of(at, kind):
    """The function that writes molecules of a class as SMILES: ``MolToSmiles`` of the package that the class is from."""
    package = kind.__module__.split(".")[0]
    for module in (f"{package}.Chem", package):
        try:
            return importlib.import_module(module).MolToSmiles
        except (ImportError, AttributeError):
            continue
    raise DataError(
        f"molecule {at}: its class {kind.__module__}.{kind.__qualname__} has atoms and bonds, but {package} has no function "
        "MolToSmiles that can be imported: pass its SMILES instead"
    )
