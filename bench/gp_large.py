"""Gaussian processes on many objects: conjugate gradients and landmarks, in one run.

    python gp_large.py                     20,000 objects
    python gp_large.py --rows 50000 -l 'gp(solver=cg)'

Objects are ten numbers; the target is a smooth function of three of them plus noise of deviation 0.2. Each learner is fitted with `rbf(gamma=0.1)` and
predicts 1,000 other objects: seconds by the clock and of the processor, the largest memory of the process, RMSE, negative log density, share within 90 %
intervals, and what `inspect` says about the solution. MERCER_PROGRAM is the program, target/release/mercer by default.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("MERCER_PROGRAM", HERE / "target" / "release" / "mercer")
LEARNERS = ["gp(landmarks=256)", "gp(solver=cg)"]


def run(*words):
    """Wall seconds, seconds of the processor, and megabytes."""
    start = time.perf_counter()
    child = subprocess.Popen([PROGRAM, *words, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    told = child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(told)
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


def table(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (n, 10))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.2 * rng.standard_normal(n)
    return pd.DataFrame(x, columns=[f"x{j}" for j in range(10)]).assign(y=y)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("-l", "--learner", action="append")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        table(args.rows, 0).to_csv(folder / "train.csv", index=False)
        test = table(1000, 1)
        test.drop(columns="y").to_csv(folder / "test.csv", index=False)
        for learner in args.learner or LEARNERS:
            wall, cpu, memory = run("fit", folder / "train.csv", "--target", "y", "-k", "rbf(gamma=0.1)", "-l", learner, "-o", folder / "m.mercer")
            late, _, _ = run("predict", folder / "m.mercer", folder / "test.csv", "-o", folder / "out.csv")
            out = pd.read_csv(folder / "out.csv")
            shown = json.loads(subprocess.run([PROGRAM, "inspect", folder / "m.mercer", "--json"], capture_output=True, check=True).stdout)
            z = (test["y"] - out["prediction"]) / out["std"]
            print(f"{learner}, {args.rows} objects: fit {wall:.0f} s ({cpu:.0f} s of the processor, {memory:.0f} MB), predict 1,000 in {late:.1f} s; "
                  f"RMSE {np.sqrt(np.mean((z * out['std']) ** 2)):.4f}, NLPD {np.mean(0.5 * z**2 + np.log(out['std']) + 0.919):.4f}, "
                  f"within 90 % {np.mean(np.abs(z) < 1.645):.1%}; {shown.get('gp') or shown.get('model', {}).get('gp')}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
