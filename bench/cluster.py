"""A Gram matrix on a Dask cluster of this machine beside the engine's own threads: the same work, the same bits.

    python bench/cluster.py [--objects 20000] [--series 400] [--rounds 3]

Two workers of one thread each, against two threads. "tiles" is the time until every tile is in the memory of a worker, "gathered"
until the matrix is in one piece here besides. Rounds alternate, and the median of each counts; ratios are to the local engine.
"""

import argparse
import statistics
import time

import numpy as np
from distributed import Client, LocalCluster, wait

import mercer
from mercer import cluster

WORKERS = 2


def timed(work):
    start = time.perf_counter()
    out = work()
    return time.perf_counter() - start, out


def on_cluster(client, make):
    """Seconds until all tiles are computed, and until they are here; the matrix."""

    def tiles():
        out = make(client=client).persist()
        wait(out)
        return out

    computed, lazy = timed(tiles)
    gathered, whole = timed(lambda: cluster.gathered(lazy))
    return computed, computed + gathered, whole


def settle(client):
    """Waits until the workers have let go of what came before."""
    while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
        time.sleep(0.05)


def compare(name, client, make, rounds):
    local, tiles, gathered, same = [], [], [], True
    for _ in range(rounds):
        seconds, here = timed(lambda: make(threads=WORKERS))
        local.append(seconds)
        computed, whole_time, there = on_cluster(client, make)
        tiles.append(computed)
        gathered.append(whole_time)
        same = same and here.tobytes() == there.tobytes()
        del here, there
        settle(client)
    a, b, c = map(statistics.median, (local, tiles, gathered))
    bits = "the same bits" if same else "OTHER BITS"
    print(f"{name:<34} local {a:7.3f} s   tiles {b:7.3f} s ({b / a:.2f})   gathered {c:7.3f} s ({c / a:.2f})   {bits}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=20_000)
    parser.add_argument("--series", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.standard_normal((wanted.objects, 50))
    S = rng.standard_normal((wanted.series, 256)).cumsum(1)
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", memory_limit=0) as local, Client(local) as client:
        # Workers import the package at their first task, which is no part of the work.
        mercer.RBF().gram(X[:500], client=client).compute()
        settle(client)
        compare(f"rbf, {wanted.objects} × 50", client, lambda **o: mercer.RBF(gamma=0.02).gram(X, **o), wanted.rounds)
        compare(f"dtw, {wanted.series} of 256 moments", client, lambda **o: mercer.DTW().pairwise(S, **o), wanted.rounds)


if __name__ == "__main__":
    main()
