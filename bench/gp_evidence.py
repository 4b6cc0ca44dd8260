"""The marginal likelihood that gp finds, compared with that of scikit-learn's GaussianProcessRegressor, in one run.

    python gp_evidence.py                  20 problems, a Gaussian with one width and with a width for each column
    python gp_evidence.py --rows 100 -n 5  fewer rows, the first 5 problems

Each problem predicts a column of numbers of a table from the other ones: first and last column of numbers, on a fixed sample of rows without
missing values, columns and target standardised. Both systems have the same model, y ~ N(0, s·K + σ²·I), and learn s, σ² and the widths:
`mercer fit -k rbf -l "gp(mean=zero)"` and `-k "relevance(rbf)"`; GaussianProcessRegressor(ConstantKernel() * RBF() + WhiteKernel(), alpha=0)
with its default bounds. MERCER_PROGRAM is the program, target/debug/mercer by default.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
import pandas as pd
import sklearn
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

HERE = pathlib.Path(__file__).resolve().parents[1]
ROOT = pathlib.Path(os.environ.get("MERCER_DATA", HERE.parent / "shared" / "data"))
PROGRAM = os.environ.get("MERCER_PROGRAM", HERE / "target" / "debug" / "mercer")
TABLES = [
    "tables/balance_scale/balance_scale.csv", "tables/ecoli/ecoli.csv", "tables/haberman/haberman.csv", "tables/iris/iris.csv",
    "tables/liver_bupa/liver_bupa.csv", "tables/pima_diabetes/pima_diabetes.csv", "tables/planning_relax/planning_relax.csv",
    "tables/australian/australian.csv", "wild/taxis/taxis.csv", "molecules/ESOL/ESOL.csv",
]  # fmt: skip
# A little above 0: what counts as equal, relative to the size of the likelihood.
WITHIN = 1e-6


def problems(rows):
    """Name, standardised columns, standardised target."""
    frames = {path.split("/")[1]: pd.read_csv(ROOT / path) for path in TABLES}
    for name, load in [("diabetes", datasets.load_diabetes), ("wine", datasets.load_wine)]:
        frames[name] = load(as_frame=True).data
    for name, frame in frames.items():
        numbers = frame.select_dtypes("number").dropna()
        numbers = numbers.loc[:, numbers.nunique() > 2]
        numbers = numbers.iloc[np.sort(np.random.default_rng(0).permutation(len(numbers))[:rows])]
        numbers = numbers.loc[:, numbers.std() > 0]
        scaled = (numbers - numbers.mean()) / numbers.std(ddof=0)
        if scaled.shape[1] < 3:
            continue
        for target in (scaled.columns[0], scaled.columns[-1]):
            yield f"{name}: {target}", scaled.drop(columns=target), scaled[target]


def of_mercer(x, y, kernel, folder):
    x = x.set_axis([f"x{i}" for i in range(x.shape[1])], axis=1)
    table, model = folder / "table.csv", folder / "m.mercer"
    x.assign(y=y).to_csv(table, index=False)
    start = time.perf_counter()
    fit = [PROGRAM, "fit", table, "--target", "y", "--target-kind", "numbers", "-k", kernel, "-l", "gp(mean=zero)", "-o", model, "--quiet"]
    done = subprocess.run(fit, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    seconds = time.perf_counter() - start
    shown = subprocess.run([PROGRAM, "inspect", model, "--json"], capture_output=True, text=True, check=True)
    document = json.loads(shown.stdout)
    found = document.get("gp") or document["model"]["gp"]
    return found["log_likelihood"], seconds


def of_scikit_learn(x, y, widths, restarts):
    kernel = ConstantKernel() * RBF(np.ones(widths)) + WhiteKernel()
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        gp = GaussianProcessRegressor(kernel, alpha=0, n_restarts_optimizer=restarts, random_state=0).fit(x.to_numpy(), y.to_numpy())
    return gp.log_marginal_likelihood_value_, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("-n", "--problems", type=int, default=20)
    parser.add_argument("--restarts", type=int, default=0, help="of scikit-learn's optimiser, besides its first start")
    args = parser.parse_args()
    print(f"scikit-learn {sklearn.__version__}, {args.restarts} restarts; log p, higher is better; seconds")
    print(f"{'problem':44} {'n':>4} {'d':>3} {'widths':6} {'mercer':>12} {'scikit-learn':>12} {'s':>6} {'s':>6}")
    least = all_of = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, x, y in list(problems(args.rows))[: args.problems]:
            for widths, kernel in [(1, "rbf"), (x.shape[1], "relevance(rbf)")]:
                own, own_time = of_mercer(x, y, kernel, pathlib.Path(folder))
                peer, peer_time = of_scikit_learn(x, y, widths, args.restarts)
                good = own >= peer - WITHIN * max(1.0, abs(peer))
                least, all_of = least + good, all_of + 1
                row = f"{name[:44]:44} {len(y):4} {x.shape[1]:3} {'one' if widths == 1 else 'each':6} {own:12.4f} {peer:12.4f}"
                print(f"{row} {own_time:6.1f} {peer_time:6.1f}{'' if good else '  lower'}", flush=True)
    print(f"at least as high: {least} of {all_of}")


if __name__ == "__main__":
    main()
