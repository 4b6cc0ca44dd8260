"""The data of bench/table.py: generated from a seed, or read from the data folder (MERCER_DATA, or ../shared/data).

A missing data set is replaced by generated data of the same shape, with an entry in `notes` for the page. With
MERCER_BENCH_SMALL set everything is small, for trials.
"""

import csv
import functools
import gzip
import importlib.util
import os
import pathlib

import numpy as np

import peers

SMALL = bool(os.environ.get("MERCER_BENCH_SMALL"))
ROOT = pathlib.Path(os.environ.get("MERCER_DATA", pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"))
# Notes for the page about the data of a workload.
notes = []

# Sets of graphs: number of graphs, average nodes and edges, number of node labels.
SHAPES = {
    "MUTAG": (188, 18, 20, 7),
    "NCI1": (4110, 30, 32, 37),
    "ENZYMES": (600, 33, 62, 3),
    "PTC_MR": (344, 14, 15, 18),
}
# Series of the archive: training series, test series, time steps, classes.
ARCHIVE = {"ItalyPowerDemand": (67, 1029, 24, 2), "Trace": (100, 100, 275, 4)}


def count(n):
    """The number of objects to use of n: all, or a fortieth in a trial."""
    return max(40, n // 40) if SMALL else n


def generated(name):
    notes.append(f"{name} was not available: data GENERATED with its shape")


def there(path, name):
    """The path of a data set, or None with a note if it is missing."""
    path = ROOT / path
    if path.exists():
        return path
    generated(name)
    return None


# ------------------------------------------------------------------------------------------------- vectors
def clouds(n, d):
    """Two overlapping Gaussian clouds, every coordinate standardised."""
    rng = np.random.default_rng(20)
    x = rng.standard_normal((n, d))
    x[: n // 2, : d // 5] += 0.8
    return (x - x.mean(axis=0)) / x.std(axis=0)


@functools.cache
def classes(n, d):
    """Vectors of two classes with a nonlinear boundary and 5 % label noise."""
    from sklearn.datasets import make_classification

    x, y = make_classification(n, d, n_informative=20, n_redundant=5, flip_y=0.05, class_sep=0.8, random_state=0)
    return (x - x.mean(0)) / x.std(0), y


def numbers(n):
    """Vectors and a nonlinear function of them with noise."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, 20))
    return x, np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.standard_normal(n)


def diamonds(n):
    """A made table in the shape of a well-known one: six measures and three grades of stones, and prices."""
    rng = np.random.default_rng(0)
    carat = np.round(np.clip(rng.lognormal(-0.4, 0.58, n), 0.2, 5.0), 2)
    cut = rng.choice(5, n, p=[0.03, 0.09, 0.22, 0.26, 0.40])
    color = rng.choice(7, n, p=[0.13, 0.18, 0.18, 0.21, 0.15, 0.10, 0.05])
    clarity = rng.choice(8, n, p=[0.014, 0.17, 0.243, 0.227, 0.151, 0.094, 0.068, 0.033])
    depth = np.round(61.75 + 1.43 * rng.standard_normal(n), 1)
    table = np.round(57.46 + 2.23 * rng.standard_normal(n))
    x = np.round(6.42 * carat ** (1 / 3) * (1 + 0.01 * rng.standard_normal(n)), 2)
    y = np.round(x * (1 + 0.006 * rng.standard_normal(n)), 2)
    z = np.round(depth / 100 * (x + y) / 2, 2)
    logs = 7.9 + 1.75 * np.log(carat) + 0.04 * cut - 0.08 * color + 0.12 * clarity + 0.1 * rng.standard_normal(n)
    price = np.clip(np.round(np.exp(logs)), 300, 19_000)
    return np.stack([carat, depth, table, x, y, z], axis=1), np.stack([cut, color, clarity], axis=1), price


def one_hot(numbers, grades):
    """Standardised numbers, and a column of zeros and ones for every value of a grade."""
    columns = [(numbers - numbers.mean(0)) / numbers.std(0)]
    columns += [(grade[:, None] == np.unique(grade)).astype(float) for grade in grades.T]
    return np.ascontiguousarray(np.hstack(columns))


def digits(n):
    """Handwritten digits: 784 shades from 0 to 1 each, and their classes."""
    source = there("libsvm/mnist_t10k/mnist.t.gz", "mnist")
    if not source:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 10, n)
        centres = np.clip(rng.standard_normal((10, 784)), 0, 1)
        return np.clip(centres[y] + 0.5 * rng.standard_normal((n, 784)), 0, 1), y
    from sklearn.datasets import load_svmlight_file

    x, y = load_svmlight_file(str(source), n_features=784)
    return x[:n].toarray() / x.max(), y[:n].astype(int)


def a9a(n):
    """Rows of the sparse data set a9a and their classes."""
    from scipy.sparse import csr_matrix

    source = there("libsvm/a9a/a9a.gz", "a9a")
    if source:
        rows, labels = peers.read_rows(str(source), n, labels=True)
    else:
        rows = peers.draw_rows(np.random.default_rng(0), n)
        labels = [float(sum(f for f, _ in row) % 7 < 3) for row in rows]
    offsets = np.cumsum([0] + [len(row) for row in rows])
    columns = np.array([f for row in rows for f, _ in row])
    values = np.array([v for row in rows for _, v in row])
    return csr_matrix((values, columns, offsets), shape=(len(rows), peers.SPARSE_DIM)), np.array(labels)


def australian():
    """Vectors, classes, and five splits into training and test objects."""
    there("tables/australian/australian.csv", "australian")
    # Found next to the other data sets, or generated.
    table = peers.grid_table(ROOT / "libsvm/a9a/a9a.gz")
    if SMALL:
        table = table[::4]
    x, y, fold = np.ascontiguousarray(table[:, :-2]), table[:, -2].astype(int), table[:, -1]
    return x, y, [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(5)]


def shares(n, values):
    """Distributions with most of their mass on few values."""
    return np.random.default_rng(0).dirichlet(np.full(values, 0.05), n)


# ------------------------------------------------------------------------------------------------- graphs
def graphs(name):
    """A set of graphs, each as neighbours by node and labels by node."""
    roots = [ROOT / "graphs"]
    if found := importlib.util.find_spec("grakel"):
        # GraKeL ships MUTAG for its own tests.
        roots.append(pathlib.Path(found.origin).parent / "tests/data")
    for root in roots:
        if (root / name).is_dir():
            found = list(peers.collection(name, root))
            return found[: count(len(found))]
    generated(name)
    n, *shape = SHAPES[name]
    return thin_graphs(count(n), *shape)


def thin_graphs(n, nodes, edges, labels):
    """Random trees with some additional edges; some labels are much more frequent than others."""
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1.0, labels + 1) ** 2
    share /= share.sum()
    out = []
    for size in rng.integers(nodes // 2, nodes + nodes // 2 + 1, n):
        size = int(size)
        # Each node is attached to one of the three before it, which makes long thin trees, as in molecules.
        pairs = [(node, max(0, node - int(step))) for node, step in zip(range(1, size), rng.integers(1, 4, size))]
        pairs += [(int(a), int(b)) for a, b in rng.integers(0, size, (max(edges - nodes + 1, 0), 2)) if a != b]
        around = {node: {} for node in range(size)}
        for a, b in pairs:
            around[a][b] = around[b][a] = 1
        out.append((around, {v: str(l) for v, l in enumerate(rng.choice(labels, size, p=share))}))
    return out


def as_tuples(graphs):
    """The graphs in the format of mercer: pairs of nodes, and labels."""
    return [([(a, b) for a in around for b in around[a] if a < b], labels) for around, labels in graphs]


def as_grakel(graphs):
    from grakel import Graph

    return [Graph(around, node_labels=labels) for around, labels in graphs]


def citations():
    """The citation graph as a sparse adjacency matrix."""
    from scipy.sparse import coo_matrix

    folder = there("nodes/cora", "cora")
    if folder and not SMALL:
        pairs = np.loadtxt(folder / "edges.csv", delimiter=",", skiprows=1, usecols=(0, 1), dtype=int)
        with open(folder / "nodes.csv") as lines:
            n = sum(1 for _ in lines) - 1
    else:
        # Every paper cites two older ones.
        rng, n = np.random.default_rng(0), count(2708)
        pairs = np.array([(node, rng.integers(0, node)) for node in range(1, n) for _ in range(2)])
    matrix = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n)).tocsr()
    matrix = matrix + matrix.T
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    matrix.data[:] = 1
    return matrix


# ------------------------------------------------------------------------------- categories, strings, series
def mushrooms():
    """Records of 22 categories."""
    source = there("categorical/mushroom/mushroom.csv", "mushroom")
    if not source:
        rng, values = np.random.default_rng(0), [2, 4, 6, 9, 12, 3] * 3 + [2] * 4
        return np.array([[f"v{v}" for v in rng.integers(0, a, count(8124))] for a in values], object).T
    with open(source) as lines:
        rows = list(csv.reader(lines))[1:]
    return np.array([row[:-1] for row in rows[: count(len(rows))]], object)


def splice():
    """DNA sequences of 60 symbols."""
    source = there("strings/splice/splice.csv", "splice")
    if not source:
        return dna(count(3190), 60)
    with open(source) as lines:
        found = [row["sequence"] for row in csv.DictReader(lines)]
    return found[: count(len(found))]


def dna(n, length):
    """Random DNA sequences."""
    drawn = np.random.default_rng(0).choice(np.frombuffer(b"acgt", "S1"), (n, length))
    return [row.tobytes().decode() for row in drawn]


def motifs(n, seed):
    """Random DNA sequences of 200 symbols; every second one holds a motif of ten symbols, two of them random."""
    rng = np.random.default_rng(seed)
    symbols, motif = rng.integers(0, 4, (n, 200)), np.random.default_rng(99).integers(0, 4, 10)
    for row in symbols[1::2]:
        own, at = motif.copy(), rng.integers(0, 190)
        own[rng.choice(10, 2, replace=False)] = rng.integers(0, 4, 2)
        row[at : at + 10] = own
    return [row.tobytes().decode() for row in np.frombuffer(b"ACGT", "S1")[symbols]], np.arange(n) % 2


def reuters():
    """News texts in English."""
    folder = there("strings/reuters_r8", "reuters_r8")
    if not folder:
        rng = np.random.default_rng(0)
        known = dna(20_000, 6)
        share = 1 / np.arange(1.0, len(known) + 1)
        drawn = rng.choice(len(known), (count(7674), 100), p=share / share.sum())
        return [" ".join(known[i] for i in row) for row in drawn]
    found = []
    for part in ("train", "test"):
        with gzip.open(folder / f"reuters_r8_{part}.csv.gz", "rt") as lines:
            found += [row["text"] for row in csv.DictReader(lines)]
    return found[: count(len(found))]


def walks(n, length, channels):
    """Random walks, series × channels × time steps."""
    return peers.walks(n, length, channels)


def archive(name):
    """Training series and classes, test series and classes; series × 1 × time steps."""
    if there(f"timeseries/{name}", name):
        return [part[: count(len(part))] for part in peers.archive(name)]
    train, test, length, kinds = ARCHIVE[name]
    rng, parts = np.random.default_rng(0), []
    for n in (count(train), count(test)):
        kind = rng.integers(0, kinds, n)
        # A bump near the middle, whose width depends on the class.
        place = length * (0.5 + 0.1 * rng.standard_normal((n, 1)))
        bump = np.exp(-(((np.arange(length) - place) * (1 + kind[:, None]) * 4 / length) ** 2))
        parts += [(bump + 0.1 * rng.standard_normal((n, length)))[:, None, :], kind.astype(str)]
    return parts


# ----------------------------------------------------------------------------------------------- molecules
#: Groups that are written before a SMILES, and so are bonded to its first atom.
GROUPS = ["", "C", "CC", "CCC", "OC", "NC", "FC", "ClC", "CCCC", "OCC", "NCC", "CC(C)", "BrC", "N#CC", "CCOC", "CSC", "COCC"]
GROUPS += ["CCSC", "FCC", "ClCC", "CCCCC"]


@functools.cache
def molecules(n):
    """SMILES of n molecules that the RDKit reads too, each written once: ESOL, Photoswitch and the 5,000 of the NCI that come
    with the RDKit, then the same with a group at their first atom, one group after the other.
    """
    import mercer
    from rdkit import Chem, RDConfig, RDLogger

    RDLogger.DisableLog("rdApp.*")
    texts = []
    for path, column in [("molecules/ESOL/ESOL.csv", "smiles"), ("molecules/Photoswitch/Photoswitch.csv", "SMILES")]:
        if (found := there(path, path.split("/")[1])) is not None:
            with found.open() as file:
                texts += [row[column] for row in csv.DictReader(file)]
    nci = pathlib.Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi"
    texts += [line.split()[0] for line in nci.read_text().splitlines() if line.strip()]
    out = {}
    for group in GROUPS:
        made = [group + text for text in texts]
        read = mercer.Molecules(made, skip_invalid=True).kept
        for i in read:
            if len(out) < n and Chem.MolFromSmiles(made[i]) is not None:
                out[made[i]] = None
        if len(out) == n:
            return list(out)
    raise ValueError(f"only {len(out)} molecules of {n}")
