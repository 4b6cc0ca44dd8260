"""Small work, where overhead counts: the prediction of single objects, the start of the program, the import of the package."""

import os
import pathlib
import subprocess
import sys
import time

import numpy as np

import mercer
import sets
from work import Peer, Work, workload

HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))

# scikit-learn as a program imports it that fits one of its estimators.
THEIRS = "import numpy, scipy.sparse, sklearn.svm, sklearn.neighbors, sklearn.decomposition, sklearn.model_selection"


@workload("SVC on 2000 × 20, gamma 0.05, C 1; the classes of 200 objects, one call each")
def predict_one_row():
    x, y = sets.numbers(2200)
    y = (y > np.median(y)).astype(int)
    known, rows = x[:2000], [x[i : i + 1] for i in range(2000, 2200)]

    def each(fitted):
        return lambda: np.concatenate([fitted.predict(row) for row in rows])

    def peer():
        from sklearn.svm import SVC

        return each(SVC(gamma=0.05).fit(known, y[:2000]))

    return Work(each(mercer.SVC(kernel=mercer.RBF(gamma=0.05)).fit(known, y[:2000])), (Peer("scikit-learn", peer, target=5),))


@workload("`mercer kernels`, the whole program")
def start_of_the_program():
    program = TARGET / "release" / ("mercer.exe" if os.name == "nt" else "mercer")
    if not program.exists():
        raise FileNotFoundError(f"{program.name} is not built: cargo build --release --package mercer-cli")

    def clock():
        start = time.perf_counter()
        subprocess.run([program, "kernels"], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    return Work(clock=clock, limit=0.030)


@workload("`import mercer` after scikit-learn, in a new process")
def import_of_the_package():
    def clock():
        timed = f"import time; {THEIRS}; start = time.perf_counter(); import mercer; print(time.perf_counter() - start)"
        done = subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True, text=True)
        return float(done.stdout)

    return Work(clock=clock, limit=0.060)
