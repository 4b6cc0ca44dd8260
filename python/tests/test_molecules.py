"""Molecules: containers, errors, kernels, and the comparison with the RDKit."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import mercer

TRICKY = """c1ccc2[nH]ccc2c1 C1=CC2=CC=CC=CC2=C1 O=c1cc[nH]cc1 O=C1C=CC(=O)C=C1 O=n1ccccc1 CN(=O)=O CN=N#N c1ccsc1 c1cc[se]c1
C1=CC=C[CH+]C=C1 [CH-]1C=CC=C1 C[n+]1ccccc1 c1ccc(cc1)-c1ccccc1 c1ccccc1c1ccccc1 n1(C)cccc1 C1CC2CCC1CC2 C12C3C4C1C5C2C3C45
c1cc2ccc3cccc4ccc(c1)c2c34 OS(=O)(=O)c1ccccc1 CS(C)=O CP(=O)(O)O [O-]Cl(=O)(=O)=O [Na+].[Cl-] [2H]C([2H])([2H])O [13CH4]
[H]C([H])([H])[H] [NH4+] F/C=C/F N[C@@H](C)C(=O)O [C-]#[O+] O=C=O C=C=C c1ccc(cc1)N=[N+]=[N-] B(O)(O)c1ccccc1 [BH4-] *c1ccccc1 C1=CC1
C1=C[CH+]1 O=c1[nH]c(=O)c2[nH]cnc2[nH]1 Cn1cnc2c1c(=O)n(C)c(=O)n2C S1(=O)(=O)C=CC=C1 c1ccc2c(c1)nc1ccccc1n2 C1=CC=CC=CC=C1
c1nnn[nH]1 O1C=COC=C1 C[Si](C)(C)C FS(F)(F)(F)(F)F C%10CCCCC%10 [C]1CCCC1 N1=CN=C2N=CN=C21 O=C1C=CC=CC=C1 N=c1cc[nH]cc1
CC(C)(C)OC(=O)NC1CCN(CC1)c1ncnc2[nH]ccc12 CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc12 CCN(CC)CC.Cl C1CC1 c1cc[o+]cc1""".split()


def data_file(*parts):
    root = Path(__file__).parents[2]
    for folder in (os.environ.get("MERCER_DATA"), root.parent / "shared" / "data"):
        if folder and (path := Path(folder).joinpath(*parts)).exists():
            return path
    return None


def shared_molecules():
    """SMILES of the data sets at hand."""
    import csv

    out = []
    for parts, column in [(("molecules", "ESOL", "ESOL.csv"), "smiles"), (("molecules", "Photoswitch", "Photoswitch.csv"), "SMILES")]:
        if (path := data_file(*parts)) is not None:
            with path.open() as file:
                out += [row[column] for row in csv.DictReader(file)]
    return out


def public_molecules():
    """The 5,000 molecules of the NCI that come with the RDKit."""
    config = pytest.importorskip("rdkit.RDConfig")
    path = Path(config.RDDataDir) / "NCI" / "first_5K.smi"
    if not path.exists():
        pytest.skip(f"no {path}")
    return [line.split()[0] for line in path.read_text().splitlines() if line.strip()]


def is_refused(text):
    try:
        mercer.Molecules([text])
    except mercer.DataError:
        return True
    return False


def rdkit_counts(texts):
    """The molecules that the RDKit reads, and their fragments with counts, by kernel."""
    pytest.importorskip("rdkit")
    from rdkit import Chem, RDLogger
    from rdkit.Chem import rdFingerprintGenerator as generators

    RDLogger.DisableLog("rdApp.*")
    features = generators.GetMorganFeatureAtomInvGen()
    made = {
        "ecfp(radius=2, counts=product)": generators.GetMorganGenerator(radius=2),
        "ecfp(radius=3, counts=product)": generators.GetMorganGenerator(radius=3),
        "fcfp(radius=2, counts=product)": generators.GetMorganGenerator(radius=2, atomInvariantsGenerator=features),
        "atom-pairs(counts=product)": generators.GetAtomPairGenerator(),
        "torsions(counts=product)": generators.GetTopologicalTorsionGenerator(),
    }
    molecules = [Chem.MolFromSmiles(text) for text in texts]
    kept = [text for text, molecule in zip(texts, molecules) if molecule is not None and molecule.GetNumAtoms()]
    molecules = [molecule for molecule in molecules if molecule is not None and molecule.GetNumAtoms()]
    return kept, {
        name: [generator.GetSparseCountFingerprint(molecule).GetNonzeroElements() for molecule in molecules]
        for name, generator in made.items()
    }


def product_gram(counts):
    """The inner products of sparse counts."""
    from scipy import sparse

    numbers = {}
    rows, cols, values = [], [], []
    for row, own in enumerate(counts):
        for code, count in own.items():
            rows.append(row)
            cols.append(numbers.setdefault(code, len(numbers)))
            values.append(count)
    x = sparse.csr_array((values, (rows, cols)), shape=(len(counts), len(numbers)), dtype=float)
    return (x @ x.T).toarray()


@pytest.mark.parametrize("source", ["tricky", "shared", "public"])
def test_the_same_fragments_as_the_rdkit(source):
    """Equal Gram matrices of counts: fragments are equal exactly where the RDKit has the same number."""
    texts = {"tricky": lambda: TRICKY, "shared": shared_molecules, "public": public_molecules}[source]()
    if not texts:
        pytest.skip("no data sets of molecules at hand")
    chem = pytest.importorskip("rdkit.Chem")
    refused = [text for text in texts if is_refused(text)]
    # One ferrocene of the public ones, whose bonds exceed the valence of carbon.
    assert sum(chem.MolFromSmiles(text) is not None for text in refused) <= (source == "public"), refused
    kept, counts = rdkit_counts([text for text in texts if text not in refused])
    molecules = mercer.Molecules(kept)
    for name, own in counts.items():
        for start in range(0, len(kept), 1000):
            part = slice(start, start + 1000)
            got = mercer.kernel(name).gram(molecules[part])
            wrong = np.argwhere(np.diag(got) != np.diag(product_gram(own[part])))
            assert not len(wrong), f"{name}: {[kept[start + i] for i in wrong[:5, 0]]}"
            assert np.array_equal(got, product_gram(own[part])), name


def test_classes_of_molecules_and_scaffolds_agree_with_the_rdkit():
    pytest.importorskip("rdkit")
    from rdkit import Chem, RDLogger
    from rdkit.Chem.Scaffolds import MurckoScaffold

    RDLogger.DisableLog("rdApp.*")
    texts = shared_molecules() or TRICKY
    kept = [text for text in texts if Chem.MolFromSmiles(text) is not None]
    molecules = mercer.Molecules(kept)
    plain = [Chem.MolFromSmiles(text) for text in kept]
    for molecule in plain:
        Chem.RemoveStereochemistry(molecule)

    def partition(names):
        places = {}
        for at, name in enumerate(names):
            places.setdefault(name, []).append(at)
        return sorted(places.values())

    assert partition(molecules.canonical()) == partition([Chem.MolToSmiles(m) for m in plain])
    assert partition(molecules.scaffolds()) == partition([MurckoScaffold.MurckoScaffoldSmiles(mol=m) for m in plain])


def test_molecules_of_the_rdkit_are_taken():
    chem = pytest.importorskip("rdkit.Chem")
    texts = ["CCO", "c1ccccc1", "CC(=O)O"]
    both = [mercer.Tanimoto(mercer.ECFP()).gram(x) for x in (texts, [chem.MolFromSmiles(t) for t in texts])]
    assert np.array_equal(*both)


def test_containers_errors_and_missing_molecules():
    molecules = mercer.Molecules(["CCO", None, "OCC", float("nan"), ""])
    assert len(molecules) == 5
    assert molecules.smiles == ["CCO", None, "OCC", None, None]
    assert molecules.canonical()[0] == molecules.canonical()[2]
    with pytest.raises(mercer.DataError, match="never closed"):
        mercer.Molecules(["CCO", "C1CC"])
    with pytest.raises(mercer.DataError, match="one text"):
        mercer.Molecules("CCO")
    with pytest.raises(mercer.DataError, match="molecule 0"):
        mercer.Molecules([3.5])
    with pytest.raises(mercer.DataError):
        mercer.ECFP().gram(molecules)
    assert mercer.Molecules(["CCO", "c1ccccc1C"]).scaffolds()[0] == ""
    assert mercer.Molecules(["CCCCO", "c1ccccc1", "CCCCCO", "C1=CC=CC=C1"]).clusters(0.6) == [0, 1, 0, 1]


def test_estimators_take_smiles():
    texts = ["C" * n + "O" for n in range(1, 9)] + ["C" * n + "N" for n in range(1, 9)]
    y = [float(len(t)) for t in texts]
    model = mercer.KernelRidge(kernel=mercer.kernel("tanimoto(ecfp) + 0.1*ecfp"), alpha=0.01).fit(texts, y)
    assert np.abs(model.predict(["CCCCO"]) - 5.0) < 1.0
    wl = mercer.kernel("atoms(wl(h=1, ignore=others))").gram(texts)
    assert wl.shape == (16, 16)
    frame = {"smiles": texts, "size": y}
    k = mercer.Tanimoto(mercer.ECFP()).on("smiles") + mercer.RBF(gamma=0.1).on("size")
    assert k.gram(frame).shape == (16, 16)


SOLVENTS = ["CCO", "CCCO", "CC(=O)O", "CCCCCC", "c1ccccc1", "CCCCCl", "Cc1ccccc1", "CCOCC"]


@pytest.mark.parametrize("kernel", ["tanimoto(ecfp)", "ecfp", "wl-oa(h=1)", "rbf-of(atom-pairs, gamma=0.01)"])
def test_atoms_and_bonds_add_up(kernel):
    y = np.arange(8.0)
    model = mercer.KernelRidge(kernel=kernel, alpha=0.1).fit(SOLVENTS, y)
    new = ["CCCCO", "Clc1ccccc1"]
    for why, predicted, atoms in zip(model.explain(new, n_features=2), model.predict(new), [5, 7]):
        assert why.prediction == why.value and np.isclose(why.value, predicted)
        assert len(why.atoms) == atoms and np.isclose(why.offset + why.atoms.sum() + why.bonds.sum(), predicted)
        assert np.isclose(why.offset + why.rest + sum(f["amount"] for f in why.features), predicted)
        assert why.by == "features" and why.local == (kernel[0] in "tr") and len(why.features) == 2
        assert why.svg.startswith("<svg") and why._repr_svg_() == why.svg and "fill=\"#ffffff\"" in why.svg
        assert repr(why).startswith("Explanation of")
    dark = model.explain(new, theme="dark")[0].svg
    assert "#1a222a" in dark
    with pytest.raises(mercer.ParameterError):
        model.explain(new, theme="pink")
    with pytest.raises(mercer.ParameterError):
        model.explain(new, n_features=-1)


def test_explanations_of_classes_and_near_molecules():
    y = np.array([3, 3, 3, 7, 7, 7, 7, 3])
    model = mercer.SVC(kernel="tanimoto(ecfp)", C=10).fit(SOLVENTS, y)
    assert [why.prediction for why in model.explain(SOLVENTS)] == list(model.predict(SOLVENTS))
    again = pickle.loads(pickle.dumps(model))
    near = again.nearest_molecules(["CCO", "CCCCCCO"], n=2)
    assert near[0][0]["smiles"] == "CCO" and near[0][0]["similarity"] == 1 and near[0][0]["target"] == "3"
    assert [len(one) for one in near] == [2, 2]
    with pytest.raises(mercer.ParameterError):
        model.nearest_molecules(["CCO"], n=1.5)
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    other = mercer.SVC(kernel="rbf").fit(X, [0, 0, 1, 1])
    assert other.explain(X)[0].by == "support objects" and other.explain(X)[0].svg is None
    with pytest.raises(mercer.MercerError):
        other.nearest_molecules(X)


@pytest.mark.parametrize("version", ["V2000", "V3000"])
def test_sd_files_have_the_fragments_that_the_rdkit_finds(tmp_path, version):
    """Molecules written by the RDKit as SD files, read by both."""
    chem = pytest.importorskip("rdkit.Chem")
    texts = [text for text in TRICKY + shared_molecules() if not is_refused(text)]
    path = tmp_path / "a.sdf"
    written = []
    for text in texts:
        molecule = chem.MolFromSmiles(text)
        # Wildcards are written as queries, which no longer are atoms with a charge or hydrogens of their own.
        if molecule is None or any(atom.GetAtomicNum() == 0 for atom in molecule.GetAtoms()):
            continue
        written.append(chem.MolToMolBlock(molecule, forceV3000=version == "V3000"))
    path.write_text("".join(f"{block}> <y>\n{at}\n\n$$$$\n" for at, block in enumerate(written)))
    with pytest.warns(UserWarning, match="W_DUPLICATES"):
        x, y = mercer.read(path, target="y", target_kind="numbers")
    again = [chem.MolFromMolBlock(block) for block in written]
    assert len(x) == len(again) and y[1] == 1.0
    generator = pytest.importorskip("rdkit.Chem.rdFingerprintGenerator").GetMorganGenerator(radius=2)
    own = [generator.GetSparseCountFingerprint(molecule).GetNonzeroElements() for molecule in again]
    got, expected = mercer.kernel("ecfp(radius=2, counts=product)").gram(x), product_gram(own)
    wrong = np.argwhere(np.diag(got) != np.diag(expected))[:, 0]
    assert not len(wrong), [chem.MolToSmiles(again[i]) for i in wrong[:5]]
    assert np.array_equal(got, expected)
    # Graph kernels take the same molecules, and the file as graphs.
    assert mercer.kernel("wl(h=1, ignore=others)").gram(x[:5]).shape == (5, 5)
    graphs, _ = mercer.read(path, target="y", target_kind="numbers", type={"graph": "graphs"})
    assert "graphs" in repr(graphs)


def test_fingerprints_are_those_of_the_rdkit():
    chem = pytest.importorskip("rdkit.Chem")
    from rdkit.Chem import rdFingerprintGenerator as generators

    texts = [text for text in TRICKY if chem.MolFromSmiles(text) is not None]
    ours, theirs = mercer.Molecules(texts), [chem.MolFromSmiles(text) for text in texts]
    for radius, size in [(2, 2048), (3, 100)]:
        generator = generators.GetMorganGenerator(radius=radius, fpSize=size)
        bits = np.array([generator.GetFingerprintAsNumPy(molecule) for molecule in theirs])
        counts = np.array([generator.GetCountFingerprintAsNumPy(molecule) for molecule in theirs])
        assert np.array_equal(ours.fingerprints(radius, size), bits)
        assert np.array_equal(ours.fingerprints(radius, size, counts=True), counts)
    assert ours.fingerprints().dtype == np.uint8
    with pytest.raises(mercer.MercerError):
        ours.fingerprints(size=0)


def test_molecules_are_left_out_cut_and_grouped(tmp_path):
    with pytest.warns(UserWarning, match="1 of 3 molecules left out"):
        molecules = mercer.Molecules(["CCO", "C1CC", "[Na+].OC=O"], skip_invalid=True, largest_fragment=True)
    assert (molecules.kept, molecules.smiles) == ([0, 2], ["CCO", "OC=O"])
    assert molecules[[1]].kept == [2]
    path = tmp_path / "a.csv"
    path.write_text("smiles,y\nCCO,1.5\nC1CC,2.5\nc1ccccc1C,3.5\n[Na+].OC=O,4.5\nCN,5.5\nCCl,6.5\nCBr,0.5\n")
    with pytest.raises(mercer.DataError, match="never closed"):
        mercer.read(path, target="y")
    with pytest.warns(UserWarning, match="W_INVALID 1 of 7 rows"):
        x, y, groups = mercer.read(
            path, target="y", skip_invalid=True, largest_fragment=True, group_by="scaffold", return_groups=True
        )
    assert len(x) == len(y) == 6 and list(groups[:3]) == ["", "c1ccccc1", ""]
    with pytest.raises(mercer.MercerError, match="group_by"):
        mercer.read(path, target="y", group_by="rings")


def test_stereochemistry_is_kept_or_ignored():
    texts = ["N[C@@H](C)C(=O)O", "OC(=O)[C@H](C)N", "N[C@H](C)C(=O)O", "F/C=C/Cl", "Cl\\C=C\\F", "F/C=C\\Cl"]
    flat = mercer.Tanimoto(mercer.ECFP()).gram(texts)
    kept = mercer.Tanimoto(mercer.ECFP(stereo="yes")).gram(texts)
    assert flat[0, 1] == flat[0, 2] == flat[3, 4] == flat[3, 5] == 1.0
    assert kept[0, 1] == kept[3, 4] == 1.0 and kept[0, 2] < 1.0 and kept[3, 5] < 1.0


def test_stereo_neighbourhoods_do_not_depend_on_the_notation():
    """Random notations of chiral molecules, made by the RDKit, have one fingerprint; mirror images have another."""
    chem = pytest.importorskip("rdkit.Chem")
    texts = ["C[C@H](N)C(=O)O", "C[C@@]1(O)CC[C@H](Cl)C1", "O[C@H]1CCCC[C@@H]1F", "C/C=C/[C@H](C)Br", "CC(/C=C\\C)=N/O", "C[S@](=O)CC"]
    kernel = mercer.Tanimoto(mercer.ECFP(radius=3, stereo="yes"))
    for text in texts:
        molecule = chem.MolFromSmiles(text)
        same = [text] + [chem.MolToSmiles(molecule, doRandom=True, canonical=False) for _ in range(15)]
        assert np.array_equal(kernel.gram(same), np.ones((16, 16))), same
        if "@" in text:
            mirrored = text.replace("@@", "!").replace("@", "@@").replace("!", "@")
            assert kernel.gram([text, mirrored])[0, 1] < 1.0, text


def test_molecules_of_other_packages_are_written_by_them():
    class Molecule:
        GetAtoms = GetBonds = GetNumAtoms = None

    with pytest.raises(mercer.DataError, match="MolToSmiles"):
        mercer.Molecules([Molecule()])
