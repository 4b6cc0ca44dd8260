"""Gaussian processes compared with scikit-learn's in one run: values, time of a fit with hyperparameters, time of variances.

    python gp_speed.py              2,000 × 10 numbers, three turns each
    python gp_speed.py --rows 500 --turns 1

Both have the same model, y ~ N(0, s·K + σ²·I) with one width, and learn s, σ² and the width; both use two threads. mercer learns the width from at
most 1,000 objects unless told otherwise, and is measured with all of them too. The systems take turns, the
best turn of each counts. Seconds by the clock, and of the processor. Needs the Python package, built as a release.
"""

import argparse
import os
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")

import numpy as np  # noqa: E402
import sklearn  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: E402
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel  # noqa: E402

import mercer  # noqa: E402

warnings.simplefilter("ignore", ConvergenceWarning)


def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    out = work()
    return out, time.perf_counter() - wall, time.process_time() - cpu


def values():
    """The largest differences for the same kernel and parameters."""
    rng = np.random.default_rng(0)
    x, new = rng.uniform(-2, 2, (200, 5)), rng.uniform(-3, 3, (100, 5))
    y = np.sin(x[:, 0]) + x[:, 1] ** 2 + 0.1 * rng.standard_normal(200)
    own = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.125), alpha=0.02, scale=3.0, mean="zero", optimizer=None).fit(x, y)
    peer = GaussianProcessRegressor(ConstantKernel(3.0) * RBF(2.0) + WhiteKernel(0.02), alpha=0.0, optimizer=None).fit(x, y)
    mean, std = own.predict(new, return_std=True)
    expected, spread = peer.predict(new, return_std=True)
    spread = np.sqrt(spread**2 - 0.02)  # that of the function: scikit-learn's includes the noise of a WhiteKernel
    found, slope = own.log_marginal_likelihood(own.theta_, eval_gradient=True)
    wanted, other = peer.log_marginal_likelihood(peer.kernel_.theta, eval_gradient=True)
    other = np.array([other[0], other[2], -0.5 * other[1]])  # s, σ², and γ = 1 / 2l²
    print(f"largest difference: mean {np.abs(mean - expected).max():.1e}, std {np.abs(std - spread).max():.1e}, "
          f"log p {abs(found - wanted):.1e}, gradient {np.abs(slope - other).max():.1e} of {np.abs(other).max():.1f}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--new", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    values()
    rng = np.random.default_rng(1)
    x, new = rng.uniform(-2, 2, (args.rows, 10)), rng.uniform(-2, 2, (args.new, 10))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.2 * rng.standard_normal(args.rows)
    makers = {
        "mercer": lambda: mercer.GaussianProcessRegressor(kernel=mercer.RBF(), mean="zero", threads=2),
        "mercer, width from all": lambda: mercer.GaussianProcessRegressor(
            kernel=f"learned(rbf, objects={args.rows}, mean=zero)", mean="zero", optimizer=None, threads=2
        ),
        "scikit-learn": lambda: GaussianProcessRegressor(ConstantKernel() * RBF(3.0) + WhiteKernel(), alpha=0.0),
    }
    best, likelihoods = {}, {}
    for _ in range(args.turns):
        for name, make in makers.items():
            gp, wall, cpu = timed(lambda make=make: make().fit(x, y))
            _, late, busy = timed(lambda gp=gp: gp.predict(new, return_std=True))
            likelihoods[name] = gp.log_marginal_likelihood_value_
            kept = best.setdefault(name, [np.inf] * 4)
            best[name] = [min(a, b) for a, b in zip(kept, (wall, cpu, late, busy), strict=True)]
            print(f"{name}: fit {wall:.2f} s ({cpu:.2f} s of the processor), std {late:.2f} s ({busy:.2f} s), log p {likelihoods[name]:.4f}", flush=True)
    theirs = best.pop("scikit-learn")
    print(f"mercer {mercer.__version__}, scikit-learn {sklearn.__version__}, {args.rows} × 10, {args.turns} turns; times as fast as scikit-learn:")
    for name, ours in best.items():
        ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
        print(f"{name}: fit with hyperparameters {ratios[0]:.1f} by the clock, {ratios[1]:.1f} by the processor; "
              f"std of {args.new} points {ratios[2]:.1f} and {ratios[3]:.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
