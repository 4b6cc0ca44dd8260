"""Workloads on molecules, compared with the RDKit and scikit-fingerprints. All start from molecules in memory but the first."""

import atexit
import os
import tempfile
import warnings

import numpy as np

import mercer
import sets
from work import Peer, Work, workload

# Bits of the peers are folded into 2048 places, where different neighbourhoods meet; ours are not.
FOLDED = 0.25


def written(n):
    """A file of n SMILES, one per line."""
    handle, path = tempfile.mkstemp(suffix=".smi")
    atexit.register(os.unlink, path)
    with os.fdopen(handle, "w") as out:
        out.write("".join(f"{text}\n" for text in sets.molecules(n)))
    return path


def both(n):
    """n molecules of mercer and of the RDKit."""
    from rdkit import Chem

    texts = sets.molecules(n)
    return mercer.Molecules(texts), [Chem.MolFromSmiles(text) for text in texts]


@workload("a file of 100,000 SMILES, copies looked for; the RDKit reads each line on one thread")
def smiles_reading():
    n = sets.count(100_000)
    path = written(n)

    def ours():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x, _ = mercer.read(path)
        return np.array([len(x)])

    def rdkit():
        from rdkit import Chem, RDLogger

        RDLogger.DisableLog("rdApp.*")

        def run():
            with open(path) as file:
                return np.array([sum(Chem.MolFromSmiles(line) is not None for line in file)])

        return run

    return Work(ours, (Peer("RDKit", rdkit),), limit=3.0)


@workload("10,000 molecules, ECFP4 bits in 2048 places, two threads each")
def fingerprints():
    ours, theirs = both(sets.count(10_000))
    some = slice(0, 200)

    def rdkit():
        from rdkit.Chem import rdFingerprintGenerator

        generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)

        def run():
            found = generator.GetFingerprints(theirs, numThreads=2)
            return np.array([list(bits) for bits in found[some]])

        return run

    def skfp():
        from skfp.fingerprints import ECFPFingerprint

        made = ECFPFingerprint(radius=2, fp_size=2048, n_jobs=2)
        return lambda: made.transform(theirs)[some]

    return Work(
        lambda: ours.fingerprints()[some], (Peer("RDKit", rdkit, target=3), Peer("scikit-fingerprints", skfp))
    )


@workload("10,000 × 10,000 Tanimoto coefficients of ECFP4; ours with the fingerprints, the peers from bits")
def tanimoto_gram():
    ours, theirs = both(sets.count(10_000))
    kernel = mercer.Tanimoto(mercer.ECFP(radius=2, counts="presence"))

    def generator():
        from rdkit.Chem import rdFingerprintGenerator

        return rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)

    def rdkit():
        from rdkit import DataStructs

        bits = generator().GetFingerprints(theirs, numThreads=2)

        def run():
            out = np.empty((len(bits), len(bits)))
            for i, one in enumerate(bits):
                out[i] = DataStructs.BulkTanimotoSimilarity(one, bits)
            return out

        return run

    def skfp():
        from skfp.distances import bulk_tanimoto_binary_similarity

        made = generator()
        bits = np.array([made.GetFingerprintAsNumPy(molecule) for molecule in theirs])
        return lambda: bulk_tanimoto_binary_similarity(bits)

    return Work(
        lambda: kernel.gram(ours),
        (Peer("RDKit", rdkit, target=5, tolerance=FOLDED), Peer("scikit-fingerprints", skfp, target=2, tolerance=FOLDED)),
    )
