"""The peers' half of the comparison: scikit-learn (and pandas, where installed) on the same data.

    peers.py prepare FOLDER [SPARSE]   write the data both systems work on; SPARSE is a LIBSVM file, maybe .gz
    peers.py work WORKLOAD FOLDER      load, warm up, print "ready", then obey words on standard input
    peers.py versions                  what is installed

The words: "run" does the work once and answers "seconds …"; "end" writes a sample of the last result, answers
"peak …" (bytes) and stops. `cargo xtask bench` speaks them.
"""

import gzip
import importlib.util
import pathlib
import sys
import time

import numpy as np

ROWS, COLUMNS = 8000, 100
SPARSE_ROWS, SPARSE_DIM, SPARSE_PER_ROW = 10_000, 123, 14
SAMPLE = 100_000


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

    rows = read_rows(source) if source else draw_rows(rng)
    offsets = np.cumsum([0] + [len(r) for r in rows])
    indices = np.array([f for r in rows for f, _ in r], "<u8")
    values = np.array([v for r in rows for _, v in r], "<f8")
    with open(folder / "sparse.csr", "wb") as out:
        np.array([len(rows), SPARSE_DIM, len(values)], "<u8").tofile(out)
        for part in (offsets.astype("<u8"), indices, values):
            part.tofile(out)


def read_rows(source):
    rows = []
    with gzip.open(source, "rt") if source.endswith(".gz") else open(source) as lines:
        for line in lines:
            pairs = (p.split(":") for p in line.split()[1:])
            rows.append([(int(f) - 1, float(v)) for f, v in pairs])
            if len(rows) == SPARSE_ROWS:
                break
    return rows


def draw_rows(rng):
    """Ones at 14 of 123 places, some far more often than others."""
    share = 1 / np.arange(1.0, SPARSE_DIM + 1)
    share = rng.permutation(share / share.sum())
    draw = lambda: sorted(rng.choice(SPARSE_DIM, SPARSE_PER_ROW, replace=False, p=share))
    return [[(int(f), 1.0) for f in draw()] for _ in range(SPARSE_ROWS)]


def dense(folder, rows=ROWS):
    with open(folder / "vectors.f64", "rb") as file:
        shape = np.fromfile(file, "<u8", 2).astype(int)
        return np.fromfile(file, "<f8").reshape(shape)[:rows].copy()


def sparse(folder):
    from scipy.sparse import csr_matrix

    with open(folder / "sparse.csr", "rb") as file:
        rows, dim, stored = (int(v) for v in np.fromfile(file, "<u8", 3))
        offsets = np.fromfile(file, "<u8", rows + 1).astype(np.int32)
        indices = np.fromfile(file, "<u8", stored).astype(np.int32)
        values = np.fromfile(file, "<f8", stored)
    return csr_matrix((values, indices, offsets), shape=(rows, dim))


# -------------------------------------------------------------------------------------------- workloads
def load(name, folder):
    """The work as a function of no arguments, its data loaded."""
    if name == "read-csv":
        import pandas

        return lambda: pandas.read_csv(folder / "numbers.csv")

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
    sys.exit(f"no workload is called {name}")


def sample(result):
    """Entries at positions drawn by the generator that mercer-bench has too."""
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
    for word in map(str.strip, sys.stdin):
        if word == "run":
            result = None
            start = time.perf_counter()
            result = run()
            print("seconds", time.perf_counter() - start, flush=True)
        elif word == "end":
            peak = peak_memory()
            sample(result).astype("<f8").tofile(folder / f"{name}.peer.f64")
            print("peak", peak, flush=True)
            return
        else:
            sys.exit(f"unknown word: {word}")


def versions():
    for name in ("numpy", "scipy", "sklearn", "pandas"):
        if importlib.util.find_spec(name):
            print(name.replace("sklearn", "scikit-learn"), __import__(name).__version__)


if __name__ == "__main__":
    commands = {"prepare": prepare, "work": work, "versions": versions}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
