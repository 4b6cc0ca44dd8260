"""A Gram matrix on a local Dask cluster compared with the engine's own threads: the same work, the same bits.

    python bench/cluster.py [--objects 20000] [--series 300] [--rounds 5]

Two workers with one thread each are compared with two threads. "tiles" is the time until every tile is in the memory of
a worker, "gathered" the time until the whole matrix is in this process. Rounds alternate. The median, the minimum and
the maximum are reported. CPU seconds of the workers and of this process together do not depend on other load of the
machine.
"""

import argparse
import os
import time

import numpy as np
from distributed import Client, LocalCluster, wait

import mercer
from mercer import cluster

WORKERS = 2


def timed(work, client):
    """The result of work, its seconds, and its CPU seconds in this process and on the workers."""
    before, start = spent(client), time.perf_counter()
    out = work()
    return out, time.perf_counter() - start, spent(client) - before


def spent(client):
    return sum(map(processor, [os.times(), *client.run(os.times).values()]))


def processor(times):
    return times.user + times.system


def on_cluster(client, make):
    """The matrix; seconds and CPU seconds until its tiles are computed, and until it is gathered."""

    def tiles():
        out = make(client=client).persist()
        wait(out)
        return out

    lazy, *computed = timed(tiles, client)
    whole, *fetched = timed(lambda: cluster.gathered(lazy), client)
    del lazy
    settle(client)
    return whole, *computed, *(a + b for a, b in zip(computed, fetched, strict=True))


def settle(client):
    """Wait until the workers have released earlier results."""
    while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
        time.sleep(0.05)


def compare(name, client, make, rounds):
    """Print the cost of a matrix by local threads, in tiles on the workers, and gathered."""
    seconds, processor_seconds, same = [], [], True
    for at in range(rounds):
        # The order alternates: memory that was just freed is cheaper to allocate again.
        ways = [lambda: timed(lambda: make(threads=WORKERS), client), lambda: on_cluster(client, make)]
        first, second = ways[at % 2](), ways[1 - at % 2]()
        (here, *local), (there, *remote) = (first, second) if at % 2 == 0 else (second, first)
        same = same and here.tobytes() == there.tobytes()
        del here, there, first, second
        seconds.append((local[0], remote[0], remote[2]))
        processor_seconds.append((local[1], remote[1], remote[3]))
    print(f"{name}: {'identical bits' if same else 'DIFFERENT BITS'}")
    for what, rows in (("seconds", seconds), ("CPU seconds", processor_seconds)):
        table = np.array(rows)
        base = np.median(table[:, 0])
        for way, values in zip(("local", "tiles", "gathered"), table.T, strict=True):
            middle = np.median(values)
            print(f"  {what:<17} {way:<8} {middle:7.2f} ({middle / base:.2f})   {values.min():.2f} … {values.max():.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=20_000)
    parser.add_argument("--series", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    wanted = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.standard_normal((wanted.objects, 50))
    S = rng.standard_normal((wanted.series, 256)).cumsum(1)
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", memory_limit=0) as local, Client(local) as client:
        # Workers import the package at their first task, which is not measured.
        mercer.RBF().gram(X[:500], client=client).compute()
        settle(client)
        compare(f"rbf, {wanted.objects} × 50", client, lambda **o: mercer.RBF(gamma=0.02).gram(X, **o), wanted.rounds)
        compare(f"dtw, {wanted.series} series of 256 time steps", client, lambda **o: mercer.DTW().pairwise(S, **o), wanted.rounds)


if __name__ == "__main__":
    main()
