"""Matrices and searches on a Dask cluster: the same bits as on one machine, even if workers die."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer
from mercer import _threads, cluster

try:
    import dask
    import dask.array as da
    import joblib
    import zarr
    from distributed import Client, LocalCluster, WorkerPlugin
except ImportError:
    # In CI, skipped tests must not look like passed tests.
    if os.environ.get("CI"):
        raise
    pytest.skip("dask is not installed", allow_module_level=True)

RNG = np.random.default_rng(11)
X = RNG.standard_normal((700, 5))
Y = RNG.standard_normal((300, 5))
CLASSES = (X[:, 0] + X[:, 1] ** 2 > 0.8).astype(int)
SERIES = [RNG.standard_normal(int(n)).cumsum() for n in RNG.integers(8, 20, 240)]


def rings(count):
    """Labelled rings and chains as networkx graphs."""
    import networkx as nx

    graphs = []
    for i in range(count):
        graph = nx.cycle_graph(4 + i % 5) if i % 2 else nx.path_graph(4 + i % 7)
        nx.set_node_attributes(graph, {v: "ABC"[(v * i) % 3] for v in graph}, "label")
        graphs.append(graph)
    return graphs


def workers(count, folder):
    return LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0, local_directory=str(folder)
    )


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with workers(2, tmp_path_factory.mktemp("two")) as local, Client(local) as client:
        yield client


def same(lazy, expected):
    """Whether a Dask array has several tiles and the same bytes when computed."""
    assert isinstance(lazy, da.Array) and lazy.npartitions > 3
    found = lazy.compute()
    assert found.dtype == expected.dtype and found.shape == expected.shape == lazy.shape
    return np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes()


# ---------------------------------------------------------------------- without a cluster


def test_dask_is_imported_only_for_a_client():
    code = """
import sys, mercer, mercer.cluster
mercer.RBF().gram([[0.0], [1.0]])
assert not {"dask", "distributed", "zarr"} & set(sys.modules)
sys.modules["distributed"] = None
for work in (
    lambda: mercer.RBF().gram([[0.0], [1.0]], client="tcp://there:8786"),
    lambda: mercer.GridSearch(mercer.SVC(), {"C": [1]}, client="there", cv=2).fit([[0.0], [1.0]] * 4, [0, 1] * 4),
):
    try:
        work()
    except ImportError as error:
        print(error)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert out.stdout.count('pip install "mercer[cluster]"') == 2, out


def test_cluster_options_without_a_client_are_refused():
    for options in ({"store": "somewhere"}, {"block": 100}):
        with pytest.raises(mercer.ParameterError, match="client is missing"):
            mercer.RBF().gram(X, **options)
    with pytest.raises(mercer.ParameterError, match="client = "):
        mercer.RBF().gram(X, client="tcp://there:8786")


# ---------------------------------------------------------------------- matrices


@pytest.mark.parametrize(
    "kernel",
    [
        mercer.RBF(gamma=0.3),
        mercer.Linear(),
        mercer.Standardize(mercer.RBF(gamma=0.3)),
        mercer.Center(mercer.Polynomial(degree=2)) + 0.5 * mercer.Laplacian(),
    ],
    ids=str,
)
def test_vectors_in_tiles(client, kernel):
    K = kernel.gram(X, client=client, block=128)
    assert K.numblocks[0] > 2 and K.chunks[0][-1] < K.chunks[0][0], "tiles at the edge are smaller"
    assert same(K, kernel.gram(X))


def test_single_precision(client):
    assert same(mercer.RBF().gram(X, dtype=np.float32, client=client), mercer.RBF().gram(X, dtype=np.float32))


def test_graphs(client):
    graphs = mercer.Graphs(rings(300))
    kernel = mercer.WeisfeilerLehman()
    assert same(kernel.gram(graphs, client=client, block=1), kernel.gram(graphs))


def test_distances_of_series(client):
    assert same(mercer.DTW().pairwise(SERIES, client=client, block=1), mercer.DTW().pairwise(SERIES))
    D = mercer.DTW().pairwise(SERIES[:140], SERIES[140:], client=client, block=1)
    assert same(D, mercer.DTW().pairwise(SERIES[:140], SERIES[140:]))


def test_fitted_kernels(client):
    kernel = mercer.Standardize(mercer.RBF()).fit(Y * 3 + 1)
    assert same(kernel.gram(X, client=client, block=1), kernel.gram(X))
    assert same(kernel.cross(X, client=client, block=1), kernel.cross(X))
    assert same(kernel.pairwise(X, client=client, block=1), kernel.pairwise(X))
    weighted = mercer.Mkl([mercer.RBF(gamma=0.1), mercer.Linear()], method="alignment")
    with pytest.warns(mercer.DataWarning, match="weights of the kernels"):
        weighted.fit(X, CLASSES)
    assert same(weighted.gram(Y, client=client, block=1), weighted.gram(Y))


def test_rows_and_columns(client):
    kernel = mercer.Standardize(mercer.RBF())
    assert same(kernel.cross(X, Y, client=client, block=1), kernel.cross(X, Y))
    single = {"dtype": np.float32}
    assert same(kernel.cross(X, Y, client=client, block=1, **single), kernel.cross(X, Y, **single))
    with pytest.raises(mercer.ParameterError, match="training objects"):
        kernel.cross(X, client=client)


def test_gathering_tiles(client):
    kernel, reported = mercer.RBF(gamma=0.4), []
    K = kernel.gram(X, client=client, block=1)
    for lazy, whole in (
        (K, kernel.gram(X)),
        (K.persist(), kernel.gram(X)),
        (K[:300], kernel.gram(X)[:300]),
        (kernel.cross(X, Y, client=client, block=1), kernel.cross(X, Y)),
        (mercer.DTW().pairwise(SERIES[:100], client=client), mercer.DTW().pairwise(SERIES[:100])),
    ):
        found = cluster.gathered(lazy, progress=lambda *now: reported.append(now))
        assert found.tobytes() == whole.tobytes() and found.flags.c_contiguous
    assert reported[0] == ("tiles", 1, 6)


def test_a_slice_computes_only_its_tiles(client):
    K = mercer.RBF().gram(X, client=client, block=128)
    whole = mercer.RBF().gram(X)
    assert (K[600:, :100].compute() == whole[600:, :100]).all()
    (part,) = dask.optimize(K[600:, :100])
    assert len(dict(part.__dask_graph__())) < 10
    assert abs(K.mean().compute() - whole.mean()) < 1e-12


def test_warnings_and_errors_on_workers(client):
    constant = np.column_stack([X[:, 0], np.ones(len(X))])
    kernel = mercer.Standardize(mercer.RBF())
    with pytest.warns(mercer.DataWarning) as here:
        kernel.gram(constant)
    with pytest.warns(mercer.DataWarning) as there:
        kernel.gram(constant, client=client)
    assert str(here[0].message) == str(there[0].message)
    with pytest.raises(mercer.MercerError) as here:
        mercer.ChiSquared().gram(X)
    with pytest.raises(mercer.MercerError) as there:
        mercer.ChiSquared().gram(X, client=client)
    assert type(here.value) is type(there.value) and str(here.value) == str(there.value)
    assert here.value.code == there.value.code
    with pytest.raises(mercer.ParameterError, match="block = 0"):
        mercer.RBF().gram(X, client=client, block=0)


def test_progress_counts_tiles(client):
    reported = []
    K = mercer.RBF(gamma=0.7).gram(X, client=client, block=128, progress=lambda *now: reported.append(now))
    count = K.npartitions
    assert reported[-1] == ("gram", count, count) and [now[1] for now in reported] == list(range(1, count + 1))
    assert same(K, mercer.RBF(gamma=0.7).gram(X))


def test_an_interruption_cancels_remaining_tasks(client):
    def listener(*_):
        raise KeyboardInterrupt

    def left(dask_scheduler):
        return [key for key in dask_scheduler.tasks if "mercer-gram" in str(key)]

    with pytest.raises(KeyboardInterrupt):
        mercer.RBF(gamma=0.8).gram(X, client=client, block=1, progress=listener)
    for _ in range(100):
        if not client.run_on_scheduler(left):
            break
        time.sleep(0.05)
    assert not client.run_on_scheduler(left)


# ---------------------------------------------------------------------- storage


def test_tiles_on_storage(client, tmp_path):
    place, kernel = tmp_path / "K.zarr", mercer.RBF(gamma=0.2)
    whole = kernel.gram(X)
    assert same(kernel.gram(X, client=client, store=place, block=128), whole)
    assert same(cluster.stored(place), whole)
    group = zarr.open_group(place, mode="a")
    side = group.attrs["mercer"]["block"]
    assert np.isnan(group["tiles"][side:, :side]).all(), "only the upper triangle is stored"
    # One tile is removed; another one is marked by a value, to detect whether it is computed again.
    group["done"][0, 1] = 0
    group["tiles"][:side, side : 2 * side] = 0.0
    group["tiles"][0, 0] = 7.0
    with pytest.raises(mercer.DataError, match="1 tiles are not"):
        cluster.stored(place)
    again = kernel.gram(X, client=client, store=place).compute()
    assert again[0, 0] == 7.0, "existing tiles are not computed again"
    again[0, 0] = whole[0, 0]
    assert (again == whole).all()


def test_rows_and_columns_on_storage(client, tmp_path):
    kernel, place = mercer.DTW(), str(tmp_path / "D.zarr")
    assert same(kernel.pairwise(SERIES[:140], SERIES[140:], client=client, store=place, block=1), kernel.pairwise(SERIES[:140], SERIES[140:]))
    assert cluster.stored(place).shape == (140, 100)


def test_tiles_of_another_matrix_are_refused(client, tmp_path):
    place, kernel = tmp_path / "K.zarr", mercer.RBF(gamma=0.2)
    kernel.gram(Y, client=client, store=place, block=128)
    for work, match in (
        (lambda: mercer.RBF(gamma=0.3).gram(Y, client=client, store=place), "kernel is"),
        (lambda: kernel.gram(Y + 1, client=client, store=place), "other objects"),
        (lambda: kernel.gram(Y, dtype=np.float32, client=client, store=place), "dtype is float64"),
        (lambda: kernel.pairwise(Y, client=client, store=place), "what is gram"),
        (lambda: kernel.gram(Y, client=client, store=place, block=1000), "block = "),
    ):
        with pytest.raises(mercer.MercerError, match=match):
            work()
    other = tmp_path / "other.zarr"
    zarr.open_group(other, mode="a").create_array("x", shape=(3,), dtype="f8")
    with pytest.raises(mercer.DataError, match="something else"):
        kernel.gram(Y, client=client, store=other)
    with pytest.raises(mercer.DataError, match="no tiles"):
        cluster.stored(other)


def test_storage_that_is_not_shared(client):
    with pytest.raises(mercer.DataError, match="share"):
        mercer.RBF().gram(Y, client=client, store=zarr.storage.MemoryStore(), block=128)


# ---------------------------------------------------------------------- searches


def assert_same_results(here, there):
    for name in here.cv_results_:
        if not name.endswith("_time") and not name.startswith("param"):
            assert here.cv_results_[name].tobytes() == there.cv_results_[name].tobytes(), name
    assert here.best_params_ == there.best_params_


def test_a_grid_search(client):
    reported = []
    grid = {"C": [0.1, 1.0, 10.0], "kernel__gamma": np.geomspace(0.03, 3, 11)}
    make = lambda **o: mercer.GridSearch(mercer.SVC(kernel=mercer.RBF()), grid, cv=3, **o).fit(X[:300], CLASSES[:300])  # noqa: E731
    here, there = make(), make(client=client, progress=lambda *now: reported.append(now))
    assert_same_results(here, there)
    assert reported[-1] == ("fits", 99, 99)
    assert (here.predict(Y) == there.predict(Y)).all()


def test_fewer_kernels_than_threads(client):
    grid = {"C": [0.1, 1.0, 10.0]}
    weights = RNG.uniform(0.5, 2.0, 300)
    kernel = mercer.Standardize(mercer.RBF(gamma=0.2))
    make = lambda **o: mercer.GridSearch(mercer.SVC(kernel=kernel), grid, cv=5, scoring="roc_auc", **o).fit(  # noqa: E731
        X[:300], CLASSES[:300], sample_weight=weights
    )
    assert_same_results(make(), make(client=client))


def test_a_random_search_for_regression(client):
    y = np.sin(X[:200, 0])
    make = lambda **o: mercer.RandomSearch(  # noqa: E731
        mercer.SVR(kernel=mercer.RandomWalkPower(mercer.RBF(gamma=0.2))),
        {"C": [0.1, 1.0, 10.0], "kernel__p": [1, 2, 3]},
        n_iter=6,
        random_state=0,
        scoring="neg_mean_absolute_error",
        cv=3,
        **o,
    ).fit(X[:200], y)
    assert_same_results(make(), make(client=client))


def test_copies_of_a_search(client):
    search = mercer.GridSearch(mercer.SVC(kernel=mercer.RBF()), {"C": [1.0, 10.0]}, cv=2, client=client)
    assert clone(search).client is client
    assert len(cross_val_score(search, X[:60], CLASSES[:60], cv=2)) == 2
    assert pickle.loads(pickle.dumps(search)).client is None


def test_errors_are_the_same_as_on_one_machine(client):
    with pytest.raises(mercer.DataError, match="split"):
        mercer.GridSearch(mercer.SVC(), {"C": [1]}, cv=[([0, 1, 2], [1000])], client=client).fit(X, CLASSES)


def test_joblib(client):
    estimator, grid = mercer.SVC(kernel=mercer.RBF(gamma=0.1)), {"C": [0.1, 1.0, 10.0]}
    scores = cross_val_score(estimator, X, CLASSES, cv=4)
    best = GridSearchCV(estimator, grid, cv=3).fit(X, CLASSES)
    with joblib.parallel_config("dask"):
        assert (cross_val_score(estimator, X, CLASSES, cv=4, n_jobs=-1) == scores).all()
        there = GridSearchCV(estimator, grid, cv=3, n_jobs=-1).fit(X, CLASSES)
    assert (there.cv_results_["mean_test_score"] == best.cv_results_["mean_test_score"]).all()


def test_a_task_takes_one_thread(client):
    assert _threads.threads_of(None) is None and _threads.threads_of(3) == 3
    assert client.submit(_threads.threads_of, None, pure=False).result() == 1
    assert client.submit(_threads.threads_of, 3, pure=False).result() == 3


# ---------------------------------------------------------------------- workers that die


class Slow(WorkerPlugin):
    """Delays tasks, also on workers that start later, so that there is time to kill workers."""

    def setup(self, worker):
        for kind, name in ((cluster.Matrix, "tile"), (cluster.Study, "run")):
            work = getattr(kind, name)

            def slow(*arguments, work=work):
                time.sleep(0.3)
                return work(*arguments)

            setattr(kind, name, slow)


class Killer(threading.Thread):
    """Kills busy workers one after another while others remain; two in total."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client, self.killed, self.over = client, [], threading.Event()

    def run(self):
        while not self.over.wait(0.6) and len(self.killed) < 2:
            there, busy = self.client.scheduler_info(n_workers=-1)["workers"], self.client.processing()
            busy = [address for address in there if busy.get(address)]
            if len(there) < 3 or not busy:
                continue
            pid = self.client.cluster.workers[there[busy[0]]["name"]].pid
            if pid is not None and pid not in self.killed:
                os.kill(pid, signal.SIGKILL)
                self.killed.append(pid)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


def allow_no_failures(dask_scheduler):
    dask_scheduler.allowed_failures = 0


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_workers_that_die_lose_nothing(tmp_path):
    many = RNG.standard_normal((1400, 4))
    kernel, grid = mercer.Standardize(mercer.RBF(gamma=0.3)), {"kernel__kernel__gamma": np.geomspace(0.01, 1, 12)}
    search = mercer.GridSearch(mercer.SVC(kernel=kernel), grid, cv=4)
    whole, here = kernel.gram(many), search.fit(X[:150], CLASSES[:150])
    with workers(4, tmp_path) as local, Client(local) as client:
        client.register_plugin(Slow())
        with Killer(client) as killer:
            assert same(kernel.gram(many, client=client, block=1), whole)
        assert killer.killed
        # From here on Dask gives up a task when its first worker dies; waiting calls resubmit it.
        client.run_on_scheduler(allow_no_failures)
        with Killer(client) as killer:
            K = kernel.gram(many, client=client, store=tmp_path / "K.zarr", block=1)
        assert same(K, whole) and killer.killed
        with Killer(client) as killer:
            assert_same_results(here, clone(search).set_params(client=client).fit(X[:150], CLASSES[:150]))
        assert killer.killed
