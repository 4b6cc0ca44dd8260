"""Exact support vector machines on many objects: how time and memory grow, compared with LIBSVM and oneDAL as far as they end.

    python bench/large.py [--problem rule|covers|numbers] [--sizes 25000 50000 100000] [--limit 300] [--systems mercer libsvm onedal]

``rule`` is that of scale.py, 20 features. ``covers`` is made in the shape of a well-known set of forest covers: ten numbers, two
groups of exclusive zeros and ones (4 and 40), two classes. ``numbers`` is a regression with 20 features. Every fit runs in its own
process, which is ended after the limit. Every system has a cache of 2 GB and two threads, where it can use them.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np

import scale
import sets

CACHE_MB = 2000


def covers(n, seed):
    """Ten numbers, one of 4 areas and one of 40 soils; the class is a smooth function of numbers and soil, 5 % are flipped."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(0)
    numbers = rng.standard_normal((n, 10))
    areas, soils = rng.integers(0, 4, n), np.minimum(rng.geometric(0.08, n) - 1, 39)
    value = np.sin(1.5 * numbers[:, 0] + fixed.standard_normal(4)[areas]) + numbers[:, 1] * numbers[:, 2] + fixed.standard_normal(40)[soils]
    X = np.zeros((n, 54))
    X[:, :10] = numbers
    X[np.arange(n), 10 + areas] = X[np.arange(n), 14 + soils] = 1
    return X, scale.flipped(rng, value > 0.0, 0.05)


def numbers(n, seed):
    """A nonlinear function of three of 20 numbers, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 20))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)


#: The problems, each with a suitable gamma and C.
PROBLEMS = {"rule": (scale.rule, 0.05, 1.0), "covers": (covers, 0.1, 1.0), "numbers": (numbers, 0.05, 1.0)}


def machine(system, gamma, C, regression):
    """An estimator of a system."""
    if system == "mercer":
        import mercer

        kind = mercer.SVR if regression else mercer.SVC
        return kind(C=C, kernel=mercer.RBF(gamma=gamma), cache_size=CACHE_MB)
    if system == "libsvm":
        from sklearn.svm import SVC, SVR
    else:
        from sklearnex.svm import SVC, SVR
    return (SVR if regression else SVC)(C=C, gamma=gamma, cache_size=CACHE_MB)


def fit(system, problem, n):
    """One fit in this process: seconds, peak memory in GiB, support vectors, and the score on 20,000 other objects."""
    make, gamma, C = PROBLEMS[problem]
    X, y = make(n, 1)
    new, truth = make(20_000, 2)
    if system == "onedal":
        X, new = X.astype(np.float32), new.astype(np.float32)
    model = machine(system, gamma, C, problem == "numbers")
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "gib": (after - before) / 2**20, "vectors": int(len(model.support_)), "score": float(model.score(new, truth))}


def apart(system, problem, n, limit):
    """The same in another process; None if it did not end in time."""
    command = [sys.executable, __file__, "--one", system, problem, str(n)]
    threads = {f"{name}_NUM_THREADS": "2" for name in ("OMP", "OPENBLAS", "MKL", "RAYON")}
    try:
        done = subprocess.run(command, env=os.environ | threads, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return {"fault": (done.stderr.strip().splitlines() or ["?"])[-1][:120]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problem", choices=PROBLEMS, default="rule")
    parser.add_argument("--sizes", type=int, nargs="+", default=[25_000, 50_000, 100_000])
    parser.add_argument("--limit", type=float, default=300, help="seconds that one fit may take with loading (default 300)")
    parser.add_argument("--systems", nargs="+", choices=["mercer", "libsvm", "onedal"], default=["mercer", "onedal", "libsvm"])
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.one:
        system, problem, n = wanted.one
        print(json.dumps(fit(system, problem, int(n))))
        return
    print("| problem | objects | system | fit | memory above the data | support vectors | score on 20,000 others |")
    print("|---|--:|---|--:|--:|--:|--:|", flush=True)
    ended = dict.fromkeys(wanted.systems, True)
    for n in map(sets.count, wanted.sizes):
        for system in wanted.systems:
            if not ended[system]:
                continue
            found = apart(system, wanted.problem, n, wanted.limit)
            ended[system] = bool(found) and "fault" not in found
            place = f"| {wanted.problem} | {n:,} | {system} |"
            if not found:
                print(f"{place} not ended in {wanted.limit:g} s | | | |", flush=True)
            elif "fault" in found:
                print(f"{place} {found['fault']} | | | |", flush=True)
            else:
                print(f"{place} {found['seconds']:.1f} s | {found['gib']:.1f} GiB | {found['vectors']:,} | {found['score']:.4f} |", flush=True)


if __name__ == "__main__":
    main()
