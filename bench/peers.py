"""The other systems of the comparison: scikit-learn, pandas, polars and others on the same data.

    peers.py prepare FOLDER [SPARSE]   write the data for both systems; SPARSE is a LIBSVM file, possibly .gz
    peers.py work WORKLOAD FOLDER      load, warm up, print "ready", then read commands from standard input
    peers.py versions                  print the installed versions

Commands: "run" does the work once and prints "seconds …"; "end" writes a sample of the last result, prints "peak …"
(bytes) and exits. `cargo xtask bench` sends them.
"""

import gzip
import importlib.util
import os
import pathlib
import sys
import time

import numpy as np

ROWS, COLUMNS = 8000, 100
SPARSE_ROWS, SPARSE_DIM, SPARSE_PER_ROW = 10_000, 123, 14
SAMPLE = 100_000
# Data for support vector machines: name, objects, dimensions.
CLASSES = [("classes-5k", 5000, 50), ("classes-20k", 20_000, 50), ("classes-40k", 40_000, 50)]
A9A_ROWS = 20_000
# Tables of numbers in CSV files: name, rows, columns.
TABLES = [("read-tall", 260_000, 21), ("read-wide", 72, 7129)]
# Time series: name, series, time steps, channels.
WALKS = [("series-1", 400, 256, 1), ("series-6", 200, 128, 6)]


# ------------------------------------------------------------------------------------------------- data
def prepare(folder, source=None):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20)
    # Two overlapping clouds, every coordinate standardised.
    x = rng.standard_normal((ROWS, COLUMNS))
    x[: ROWS // 2, :20] += 0.8
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    with open(folder / "vectors.f64", "wb") as out:
        np.array(x.shape, "<u8").tofile(out)
        x.astype("<f8").tofile(out)

    save(folder / "shares.f64", np.random.default_rng(0).dirichlet(np.full(2000, 0.05), 1000))
    rows = read_rows(source) if source else draw_rows(rng)
    write_rows(folder / "sparse.csr", rows)
    prepare_targets(folder, source)
    for name, n, columns in TABLES:
        if not (folder / f"{name}.csv").exists():
            write_table(folder / f"{name}.csv", np.random.default_rng(0).standard_normal((n, columns)))
    for name, n, length, channels in WALKS:
        save(folder / f"{name}.f64", walks(n, length, channels).reshape(n, -1))


def write_table(path, x):
    """Numbers with all their digits."""
    with open(path, "w") as out:
        out.write(",".join(f"x{j + 1}" for j in range(x.shape[1])) + "\n")
        for row in x.tolist():
            out.write(",".join(map(repr, row)) + "\n")


def walks(n, length, channels):
    """Random walks, every channel standardised."""
    w = np.random.default_rng(0).standard_normal((n, channels, length)).cumsum(-1)
    return (w - w.mean(-1, keepdims=True)) / w.std(-1, keepdims=True)


def write_rows(path, rows):
    offsets = np.cumsum([0] + [len(r) for r in rows])
    indices = np.array([f for r in rows for f, _ in r], "<u8")
    values = np.array([v for r in rows for _, v in r], "<f8")
    with open(path, "wb") as out:
        np.array([len(rows), SPARSE_DIM, len(values)], "<u8").tofile(out)
        for part in (offsets.astype("<u8"), indices, values):
            part.tofile(out)


def save(path, x):
    with open(path, "wb") as out:
        np.array(x.shape, "<u8").tofile(out)
        x.astype("<f8").tofile(out)


def prepare_targets(folder, source):
    """Write data for classification and regression; the target is the last column."""
    from sklearn.datasets import make_classification

    for name, n, d in CLASSES:
        if (folder / f"{name}.f64").exists():
            continue
        x, y = make_classification(
            n, d, n_informative=20, n_redundant=5, flip_y=0.05, class_sep=0.8, random_state=0
        )
        x = (x - x.mean(0)) / x.std(0)
        save(folder / f"{name}.f64", np.column_stack([x, y]))
    rng = np.random.default_rng(0)
    x = rng.standard_normal((6000, 20))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.standard_normal(6000)
    save(folder / "numbers-6k.f64", np.column_stack([x, y]))
    save(folder / "grid.f64", grid_table(source))
    if source:
        rows, labels = read_rows(source, A9A_ROWS, labels=True)
    else:
        rows = draw_rows(rng, A9A_ROWS)
        labels = [float(sum(f for f, _ in r) % 7 < 3) for r in rows]
    write_rows(folder / "a9a.csr", rows)
    np.array(labels, "<f8").tofile(folder / "a9a.labels")


def grid_table(source):
    """690 × 14 standardised, class, fold: the table australian next to SPARSE, or generated data of its shape."""
    from sklearn.datasets import make_classification
    from sklearn.model_selection import StratifiedKFold

    known = pathlib.Path(source).resolve().parents[2] / "tables/australian/australian.csv" if source else None
    if known and known.exists():
        table = np.genfromtxt(known, delimiter=",", skip_header=1)
        x, y = table[:, :-1], table[:, -1]
    else:
        x, y = make_classification(690, 14, n_informative=6, n_redundant=2, flip_y=0.2, random_state=0)
    x = (x - x.mean(0)) / x.std(0)
    fold = np.empty(len(y))
    for number, (_, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=0).split(x, y)):
        fold[test] = number
    return np.column_stack([x, y, fold])


def read_rows(source, most=SPARSE_ROWS, labels=False):
    rows, classes = [], []
    with gzip.open(source, "rt") if source.endswith(".gz") else open(source) as lines:
        for line in lines:
            pairs = (p.split(":") for p in line.split()[1:])
            rows.append([(int(f) - 1, float(v)) for f, v in pairs])
            classes.append(float(float(line.split()[0]) > 0))
            if len(rows) == most:
                break
    return (rows, classes) if labels else rows


def draw_rows(rng, count=SPARSE_ROWS):
    """Rows with ones at 14 of 123 features, some much more frequent than others."""
    share = 1 / np.arange(1.0, SPARSE_DIM + 1)
    share = rng.permutation(share / share.sum())
    draw = lambda: sorted(rng.choice(SPARSE_DIM, SPARSE_PER_ROW, replace=False, p=share))
    return [[(int(f), 1.0) for f in draw()] for _ in range(count)]


def dense(folder, rows=ROWS, name="vectors"):
    with open(folder / f"{name}.f64", "rb") as file:
        shape = np.fromfile(file, "<u8", 2).astype(int)
        return np.fromfile(file, "<f8").reshape(shape)[:rows].copy()


def sparse(folder, name="sparse"):
    from scipy.sparse import csr_matrix

    with open(folder / f"{name}.csr", "rb") as file:
        rows, dim, stored = (int(v) for v in np.fromfile(file, "<u8", 3))
        offsets = np.fromfile(file, "<u8", rows + 1).astype(np.int32)
        indices = np.fromfile(file, "<u8", stored).astype(np.int32)
        values = np.fromfile(file, "<f8", stored)
    return csr_matrix((values, indices, offsets), shape=(rows, dim))


# -------------------------------------------------------------------------------------------- workloads
def load(name, folder):
    """Load the data of a workload; returns the work as a function of no arguments."""
    if name == "read-csv":
        import pandas

        return lambda: pandas.read_csv(folder / "numbers.csv")

    if name in ("read-tall", "read-wide"):
        import polars

        return lambda: polars.read_csv(folder / f"{name}.csv")

    if name.startswith(("svc", "svr", "svm")):
        return support_vectors(name, folder)
    if name == "grid-search":
        return grid_search(folder)
    if name in GRAPHS:
        return graph_kernel(*GRAPHS[name])
    if name == "spectrum-splice":
        return spectrum("splice/splice.csv", 5)
    if name == "jensen-shannon":
        from scipy.spatial.distance import cdist

        shares = dense(folder, 1000, "shares")
        return lambda: cdist(shares, shares, "jensenshannon")
    if name.startswith(("dtw", "gak", "nearest")):
        return series(name, folder)

    from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, rbf_kernel

    if name == "gram-rbf":
        x = dense(folder)
        return lambda: rbf_kernel(x, gamma=0.01)
    if name == "gram-linear":
        x = dense(folder)
        return lambda: linear_kernel(x)
    if name == "gram-laplacian":
        x = dense(folder, 2000)
        return lambda: laplacian_kernel(x, gamma=0.01)
    if name == "gram-sparse-linear":
        x = sparse(folder)
        return lambda: linear_kernel(x, dense_output=True)
    if name == "gram-sparse-rbf":
        x = sparse(folder)
        return lambda: rbf_kernel(x, gamma=0.05)
    sys.exit(f"unknown workload: {name}")


def support_vectors(name, folder):
    """Support vector machines: fit, then decision values."""
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import SVC, SVR

    def table(data):
        x = dense(folder, 10**9, data)
        return np.ascontiguousarray(x[:, :-1]), x[:, -1].copy()

    if name.startswith("svc-precomputed"):
        x, y = table("classes-5k")
        k, c = rbf_kernel(x, gamma=0.02), float(name.rpartition("-c")[2])
        return lambda: SVC(C=c, kernel="precomputed", cache_size=2000).fit(k, y).decision_function(k)
    if name == "svc-rbf-20k":
        x, y = table("classes-20k")
        return lambda: SVC(C=1, gamma=0.02, cache_size=4000).fit(x, y).decision_function(x[:1000])
    if name == "svc-rbf-20k-onedal":
        from sklearnex.svm import SVC as Fast

        x, y = table("classes-20k")
        x = x.astype(np.float32)
        return lambda: Fast(C=1, gamma=0.02, cache_size=4000).fit(x, y).decision_function(x[:1000])
    if name == "svc-a9a":
        x, y = sparse(folder, "a9a"), np.fromfile(folder / "a9a.labels", "<f8")
        return lambda: SVC(C=1, gamma=0.05, cache_size=4000).fit(x, y).decision_function(x[:1000])
    if name == "svr-rbf":
        x, y = table("numbers-6k")
        return lambda: SVR(C=10, gamma=0.05, epsilon=0.1, cache_size=2000).fit(x, y).predict(x)
    if name == "svm-predict":
        x, y = table("classes-20k")
        # With C this small every object is a support vector at its bound.
        fitted = SVC(C=1e-4, gamma=0.02, cache_size=2000).fit(x[:10000], np.arange(10000) % 2)
        # The offset is subtracted: only sums over support vectors are compared.
        return lambda: fitted.decision_function(x[10000:]) - fitted.intercept_
    sys.exit(f"unknown workload: {name}")


def grid_search(folder):
    """The mean accuracy of every C (rows) and gamma (columns) over five folds; both cores."""
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.svm import SVC

    table = dense(folder, 10**9, "grid")
    x, y = np.ascontiguousarray(table[:, :-2]), table[:, -2].copy()
    grid = {"C": 2.0 ** np.arange(-5, 16, 2), "gamma": 2.0 ** np.arange(-15, 4, 2)}
    search = GridSearchCV(
        SVC(max_iter=2_000_000), grid, cv=PredefinedSplit(table[:, -1].astype(int)), n_jobs=2, refit=False
    )
    return lambda: search.fit(x, y).cv_results_["mean_test_score"]


# Graph kernels: data set and kernel. `bench/src/graphs.rs` has the same list.
GRAPHS = {
    "wl-mutag": ("MUTAG", "wl"),
    "wl-nci1": ("NCI1", "wl"),
    "shortest-path-enzymes": ("ENZYMES", "shortest-path"),
    "vertex-histogram-nci1": ("NCI1", "vertex-histogram"),
    "wl-oa-ptc": ("PTC_MR", "wl-oa"),
    "random-walk-mutag": ("MUTAG", "random-walk"),
}


def graph_kernel(data, name):
    """GraKeL on a set of the TU collection; the conversion of graphs is not timed."""
    from grakel import Graph
    from grakel.kernels import RandomWalk, ShortestPath, VertexHistogram, WeisfeilerLehman
    from grakel.kernels import WeisfeilerLehmanOptimalAssignment as OptimalAssignment

    graphs = [Graph(e, node_labels=l) for e, l in collection(data)]
    make = {
        "wl": lambda: WeisfeilerLehman(n_iter=5, base_graph_kernel=VertexHistogram),
        "wl-oa": lambda: OptimalAssignment(n_iter=5),
        "shortest-path": ShortestPath,
        "vertex-histogram": VertexHistogram,
        "random-walk": lambda: RandomWalk(lamda=0.01, method_type="fast", kernel_type="geometric"),
    }[name]

    def run():
        result = make().fit_transform(graphs)
        return np.asarray(result.todense() if hasattr(result, "todense") else result, float)

    return run


def spectrum(path, k):
    """k-mer counts by scikit-learn, and their inner products."""
    import csv

    from sklearn.feature_extraction.text import CountVectorizer

    root = pathlib.Path(os.environ.get("MERCER_DATA", pathlib.Path(__file__).parents[2] / "shared" / "data"))
    with open(root / "strings" / path) as table:
        strings = [row["sequence"] for row in csv.DictReader(table)]

    def run():
        counts = CountVectorizer(analyzer="char", ngram_range=(k, k), dtype=np.float64).fit_transform(strings)
        return (counts @ counts.T).toarray()

    return run


def collection(name, folder=None):
    """The edges and node labels of each graph of a TU set, from the data folder or another folder of sets."""
    root = pathlib.Path(os.environ.get("MERCER_DATA", pathlib.Path(__file__).parents[2] / "shared" / "data"))
    base = (folder or root / "graphs") / name

    def rows(kind):
        plain = base / f"{name}_{kind}.txt"
        with open(plain) if plain.exists() else gzip.open(f"{plain}.gz", "rt") as lines:
            return [line.strip() for line in lines if line.strip()]

    owner = [int(v) - 1 for v in rows("graph_indicator")]
    edges = [{} for _ in range(max(owner) + 1)]
    labels = [{} for _ in edges]
    for node, (graph, label) in enumerate(zip(owner, rows("node_labels"))):
        edges[graph][node] = {}
        labels[graph][node] = label
    for line in rows("A"):
        a, b = (int(v) - 1 for v in line.split(","))
        edges[owner[a]][a][b] = 1
    return zip(edges, labels)


def series(name, folder):
    """Distances and neighbours of time series. `bench/src/series.rs` has the same list."""
    if name == "nearest-window":
        sets = [archive("ItalyPowerDemand"), archive("Trace")]
        return lambda: np.array([learned_window_errors(*s) for s in sets], float)
    channels = 6 if name.startswith("dtw-multivariate") else 1
    x = dense(folder, 10**9, f"series-{channels}")
    x = x.reshape(len(x), channels, -1)
    flat = [np.ascontiguousarray(s.T if channels > 1 else s[0]) for s in x]
    if name.startswith("gak"):
        from tslearn.metrics import cdist_gak

        return lambda: cdist_gak(flat, sigma=2.0, n_jobs=2)
    if name.endswith("dtaidistance"):
        from dtaidistance import dtw, dtw_ndim

        # Its pruning gives infinity for some pairs that are nearly equal.
        if channels == 1:
            return lambda: dtw.distance_matrix_fast(flat, use_pruning=False)
        return lambda: dtw_ndim.distance_matrix_fast(flat)
    from aeon.distances import dtw_pairwise_distance

    return lambda: np.sqrt(dtw_pairwise_distance(x, n_jobs=2))


def archive(name):
    """The training and test series of a data set of the archive, with their classes."""
    root = pathlib.Path(os.environ.get("MERCER_DATA", pathlib.Path(__file__).parents[2] / "shared" / "data"))
    parts = []
    for which in ("TRAIN", "TEST"):
        with open(root / "timeseries" / name / f"{name}_{which}.ts") as lines:
            rows = [l.strip() for l in lines if l.strip() and l[0] not in "#@"]
        values = np.array([[float(v) for v in row.split(":")[0].split(",")] for row in rows])
        parts += [values[:, None, :], np.array([row.rpartition(":")[2] for row in rows])]
    return parts


def learned_window_errors(train, classes, test, truth):
    """Test errors of 1-NN with the window chosen by leave-one-out; ties go to the smallest window."""
    from aeon.distances import dtw_pairwise_distance

    n, best, known = train.shape[2], (len(classes) + 1, 0), set()
    for hundredth in range(101):
        radius = int(hundredth / 100 * n + 1e-9)
        if radius in known:
            continue
        known.add(radius)
        # Half a time step more, because the window is rounded down.
        window = min((radius + 0.5) / n, 1.0)
        d = dtw_pairwise_distance(train, window=window, n_jobs=2)
        np.fill_diagonal(d, np.inf)
        best = min(best, (int((classes[d.argmin(1)] != classes).sum()), radius))
    d = dtw_pairwise_distance(test, train, window=min((best[1] + 0.5) / n, 1.0), n_jobs=2)
    return int((classes[d.argmin(1)] != truth).sum())


def sample(result):
    """Entries at random positions, drawn by the same generator as in mercer-bench."""
    if isinstance(result, np.ndarray) and result.ndim == 1:
        return result
    if isinstance(result, np.ndarray):
        n, state, at = len(result), 1, np.empty(2 * SAMPLE, np.int64)
        for i in range(2 * SAMPLE):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            at[i] = (state >> 33) % n
        return result[at[0::2], at[1::2]]
    return np.array([result.shape[0], result.shape[1], result.to_numpy().sum()], float)


def peak_memory():
    with open("/proc/self/status") as lines:
        return next(int(l.split()[1]) * 1024 for l in lines if l.startswith("VmHWM:"))


def work(name, folder):
    folder = pathlib.Path(folder)
    run = load(name, folder)
    result = run()
    print("ready", flush=True)
    for command in map(str.strip, sys.stdin):
        if command == "run":
            result = None
            start = time.perf_counter()
            result = run()
            print("seconds", time.perf_counter() - start, flush=True)
        elif command == "end":
            peak = peak_memory()
            sample(result).astype("<f8").tofile(folder / f"{name}.peer.f64")
            print("peak", peak, flush=True)
            return
        else:
            sys.exit(f"unknown command: {command}")


def versions():
    for name in ("numpy", "scipy", "sklearn", "pandas", "polars", "aeon", "dtaidistance", "tslearn"):
        if importlib.util.find_spec(name):
            print(name.replace("sklearn", "scikit-learn"), __import__(name).__version__)
    if importlib.util.find_spec("sklearnex"):
        from importlib.metadata import version

        print("scikit-learn-intelex", version("scikit-learn-intelex"))
    if importlib.util.find_spec("grakel"):
        from importlib.metadata import version

        print("GraKeL", version("grakel"))


if __name__ == "__main__":
    commands = {"prepare": prepare, "work": work, "versions": versions}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
