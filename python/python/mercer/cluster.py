"""Matrices and searches on a Dask cluster: ``k.gram(X, client=client)``, ``GridSearch(…, client=client)``.

The objects are sent to the scheduler once, as bytes with the kernel's text. A worker prepares them when it first needs
them and keeps them for as long as Dask keeps their key. Every tile of the upper triangle is then an independent task: a
tile that is lost with its worker is computed again elsewhere, with the same bits. Tiles below the diagonal are
transposes of those above.

Two alternatives were rejected. Scattered objects cannot be recreated once all workers that held them are gone.
Submitting all tiles at once instead of a lazy array would keep the whole matrix in memory even if only a part of it is
used.

Dask is imported only when a client is passed.
"""

import hashlib
import math
import pickle
import threading
import uuid

import numpy as np

from . import _mercer
from ._errors import DataError, ParameterError
from ._progress import shown
from ._threads import slots

__all__ = ["gathered", "stored"]

#: Tiles per thread of the cluster: some are slower than others, and no thread should wait long for the last.
SHARE = 8
#: Maximum number of rows of a tile: 4096² doubles are 134 MB.
LONGEST = 4096
#: Tasks of a search per thread of the cluster: kernels in one task share distances.
SEARCHES = 4
#: How often a task is resubmitted that Dask gave up because its workers died.
TRIES = 10
#: How often a failed task is retried: storage may be unreachable for a short time, or memory short on one machine.
RETRIES = 2
#: Prefix of the names of arrays whose tiles below the diagonal are transposes of those above.
WHOLE = "mercer-whole-"
#: Version of the format of stored tiles.
FORMAT = 1


class Matrix:
    """A matrix to be computed in tiles: all that a worker needs to compute any tile.

    It is sent as text and bytes, and prepared when a worker computes its first tile.
    """

    def __init__(self, text, training, target, rows, cols, single=False, distances=False):
        parts = [None if part is None else bytes(part.to_bytes()) for part in (training, rows, cols)]
        names = [None if part is None else digest(part) for part in parts]
        # Identical parts, such as objects that a kernel is fitted to and compared with, are sent once.
        self.parts = {name: part for name, part in zip(names, parts, strict=True) if part is not None}
        self.text, self.target = text, target
        self.training, self.rows, self.cols = names
        self.single, self.distances = single, distances
        self._begin()

    def _begin(self):
        self._lock, self._sets = threading.Lock(), None

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_sets")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._begin()

    def __sizeof__(self):
        # The bytes, and about as much for the prepared objects.
        return 2 * sum(map(len, self.parts.values()))

    @property
    def symmetric(self):
        return self.cols is None

    @property
    def dtype(self):
        return np.dtype(np.float32 if self.single else np.float64)

    def identity(self):
        """The properties that determine the tiles: matrices that agree in them have the same tiles."""
        what = "distances" if self.distances else "gram" if self.symmetric else "cross"
        target = None if self.target is None else digest(pickle.dumps(self.target, protocol=4))
        return {
            "format": FORMAT,
            "mercer": _mercer.__version__,
            "what": what,
            "kernel": _mercer.canonical(self.text),
            "training": self.training,
            "target": target,
            "rows": self.rows,
            "cols": self.cols,
            "dtype": self.dtype.name,
        }

    def prepared(self, threads):
        """The fitted kernel, and the prepared rows and columns; computed by the first call."""
        with self._lock:
            if self._sets is None:
                # Other tasks of this worker wait for the same result, so their threads are free.
                threads = threads * slots()
                data = {name: _mercer.Data.from_bytes(part) for name, part in self.parts.items()}
                fitted = _mercer.fit_kernel(self.text, data[self.training], threads, None, self.target)
                rows = fitted.prepare(data[self.rows], threads)
                cols = None if self.symmetric else fitted.prepare(data[self.cols], threads)
                self._sets = fitted, rows, cols
            return self._sets

    def facts(self, threads):
        """The numbers of rows and columns, the tile side, and the warnings."""
        fitted, rows, cols = self.prepared(threads)
        return len(rows), len(rows if cols is None else cols), rows.side(), fitted.warnings()

    def tile(self, rows, cols, threads):
        """The entries of some rows and columns."""
        _, row_set, col_set = self.prepared(threads)
        return row_set.block(rows, cols, col_set, self.single, self.distances, threads)


class Study:
    """Configurations to be scored on splits: all that a worker needs to score any of them."""

    def __init__(self, data, **settings):
        self.part, self.settings = bytes(data.to_bytes()), settings
        self._begin()

    _begin = Matrix._begin
    __getstate__ = Matrix.__getstate__
    __setstate__ = Matrix.__setstate__

    def __sizeof__(self):
        return 2 * len(self.part)

    def run(self, configurations, splits, threads):
        """The scores of some configurations on some splits, and which of them converged."""
        with self._lock:
            if self._sets is None:
                self._sets = _mercer.Data.from_bytes(self.part)
        own = {"configurations": configurations, "splits": [self.settings["splits"][at] for at in splits]}
        return _mercer.search(data=self._sets, threads=threads, **{**self.settings, **own})


# ---------------------------------------------------------------------- tasks of workers


def held(value):
    """The value itself, as a task: if it is lost with a worker, it is sent again."""
    return value


def prepare(matrix, threads):
    return matrix.facts(threads)


def tile(matrix, rows, cols, threads):
    return matrix.tile(rows, cols, threads)


def transposed(block):
    """The transposed tile of the upper triangle, as a view."""
    return block.T


def keep(matrix, target, at, rows, cols, threads):
    """Compute a tile, write it, and then mark it as done: the mark is never ahead of the tile."""
    tiles, done = target
    if done[at]:
        return  # done by a worker that has died since
    tiles[slice(*rows), slice(*cols)] = tile(matrix, rows, cols, threads)
    done[at] = 1


def read(tiles, rows, cols):
    return tiles[slice(*rows), slice(*cols)]


def score(study, configurations, splits, threads):
    return study.run(configurations, splits, threads)


# ---------------------------------------------------------------------- matrices


def matrix_array(client, matrix, *, store=None, block=None, threads=None, progress=False):
    """A matrix as a Dask array, and the warnings of its preparation."""
    check_client(client)
    threads = 1 if threads is None else threads
    token = digest(repr(sorted(matrix.identity().items())).encode())[:32]
    source = sent(client, f"mercer-objects-{token}", matrix)
    results = []
    future = client.submit(prepare, source, threads, key=f"mercer-prepare-{token}")
    finish(client, [future], "preparing", None, take=lambda _, result: results.append(result))
    rows, cols, side, warned = results[0]
    what = matrix.identity()["what"]
    if store is not None:
        plan = Plan(rows, cols, side, matrix.symmetric, length_of(block, side))
        out = to_storage(client, matrix, source, plan, store, threads, progress)
        return out, warned
    length = length_of(block, side) or chosen_length(client, rows, cols, side, matrix.symmetric)
    plan = Plan(rows, cols, side, matrix.symmetric, length)
    name = f"mercer-{what}-{token}-{length}-{threads}"
    tasks = {(name, i, j): (tile, source.key, r, c, threads) for (i, j), r, c in plan.tiles()}
    out = assembled(name, tasks, plan, matrix.dtype, {source.key: {source.key: source}})
    if progress:
        from distributed import futures_of

        out = client.persist(out, retries=RETRIES)
        finish(client, futures_of(out), what, progress)
    return out, warned


def gathered(matrix, *, progress=False):
    """Gather a matrix that ``gram``, ``cross`` or ``pairwise`` returned on a cluster to a NumPy array.

    ``matrix.compute()`` gives the same result, but joins all tiles on one worker first. This function fetches every
    tile from its worker as soon as it is computed, and only those of the upper triangle.
    """
    from distributed import futures_of

    sources = futures_of(matrix)
    if not matrix.name.startswith("mercer-") or not sources:
        return matrix.compute()
    client = sources[0].client
    symmetric = matrix.name.startswith(WHOLE)
    futures = [f for f in futures_of(client.persist(matrix, retries=RETRIES)) if not symmetric or f.key[1] <= f.key[2]]
    starts = [np.cumsum([0, *sizes]) for sizes in matrix.chunks]
    out = np.empty(matrix.shape, matrix.dtype)

    def take(at, found):
        _, i, j = futures[at].key
        rows, cols = slice(*starts[0][i : i + 2]), slice(*starts[1][j : j + 2])
        out[rows, cols] = found
        if symmetric and i != j:
            transpose_into(found, out[cols, rows])
        # Workers need not keep fetched tiles.
        futures[at].release()

    finish(client, futures, "tiles", progress, take=take)
    return out


def transpose_into(block, out):
    """Write a transposed tile, some rows at a time, so that they stay in the cache."""
    for start in range(0, len(block), 32):
        out[:, start : start + 32] = block[start : start + 32].T


class Plan:
    """The partition of a matrix into tiles."""

    def __init__(self, rows, cols, side, symmetric, length):
        self.rows, self.cols, self.side, self.symmetric, self.length = rows, cols, side, symmetric, length

    def cuts(self, n):
        return [(start, min(start + self.length, n)) for start in range(0, n, self.length)]

    def tiles(self):
        """The index, the rows and the columns of every tile that is computed."""
        across = self.cuts(self.cols)
        for i, rows in enumerate(self.cuts(self.rows)):
            for j, cols in enumerate(across):
                if i <= j or not self.symmetric:
                    yield (i, j), rows, cols

    def count(self):
        return len(self.cuts(self.rows)), len(self.cuts(self.cols))


def assembled(name, tasks, plan, dtype, sources):
    """The Dask array of the tiles that the named tasks compute; those below the diagonal are transposed."""
    import dask.array as da
    from dask.highlevelgraph import HighLevelGraph

    layers = {**sources, name: tasks}
    needs = {layer: set() for layer in sources}
    needs[name] = set(sources)
    if plan.symmetric:
        # A separate name: tasks of the same name should take equally long, and transposing takes no time.
        whole = name.replace("mercer-", WHOLE, 1)
        down, across = plan.count()
        layers[whole] = {
            (whole, i, j): (name, i, j) if i <= j else (transposed, (name, j, i)) for i in range(down) for j in range(across)
        }
        needs[whole], name = {name}, whole
    chunks = tuple(tuple(stop - start for start, stop in plan.cuts(n)) for n in (plan.rows, plan.cols))
    return da.Array(HighLevelGraph(layers, needs), name, chunks, dtype=dtype)


def length_of(block, side):
    """The requested number of rows of a tile, rounded up to a multiple of the tile side."""
    if block is None:
        return None
    if not isinstance(block, (int, np.integer)) or block < 1:
        raise ParameterError(f"block = {block!r}: must be a whole number of at least 1")
    return math.ceil(int(block) / side) * side


def chosen_length(client, rows, cols, side, symmetric):
    free = max(1, sum(client.nthreads().values()))
    entries = rows * cols / (2 if symmetric else 1)
    length = min(math.sqrt(entries / (SHARE * free)), LONGEST)
    return max(1, round(length / side)) * side


# ---------------------------------------------------------------------- tiles on storage


def to_storage(client, matrix, source, plan, store, threads, progress):
    """Compute the missing tiles; each is written to storage by the worker that computed it."""
    zarr = imported("zarr")
    group = zarr.open_group(store, mode="a")
    identity = {**matrix.identity(), "shape": [plan.rows, plan.cols]}
    there = group.attrs.get("mercer")
    if there is None and (list(group.array_keys()) or list(group.group_keys())):
        raise DataError("store holds something else: choose an empty location")
    if there is None:
        length = plan.length or chosen_length(client, plan.rows, plan.cols, plan.side, plan.symmetric)
        there = {**identity, "block": length}
        group.attrs["mercer"] = there
    check_identity(identity, there)
    if plan.length not in (None, there["block"]):
        raise ParameterError(f"block = {plan.length}: the tiles in store have {there['block']} rows")
    plan.length = there["block"]
    target = arrays(group, plan, matrix.dtype)
    known = target[1][:]
    missing = [(at, rows, cols) for at, rows, cols in plan.tiles() if not known[at]]
    if missing:
        # Names unique to this call: Dask must not reuse results of another call, because tasks write to storage.
        run = uuid.uuid4().hex
        location = sent(client, f"mercer-location-{run}", target)
        name = f"mercer-{identity['what']}-stored-{run}"
        futures = [
            client.submit(keep, source, location, at, rows, cols, threads, key=(name, *at), retries=RETRIES)
            for at, rows, cols in missing
        ]
        finish(client, futures, identity["what"], progress)
        known = target[1][:]
        if any(not known[at] for at, _, _ in missing):
            raise DataError("workers wrote tiles that are not in store: it must be a location that all machines share")
    return from_storage(target[0], plan, matrix.dtype)


def arrays(group, plan, dtype):
    """The arrays of tiles and of marks for finished tiles, created if they do not exist."""
    if "tiles" not in group:
        # Tiles are not compressed: similarities hardly compress, and it would take longer than computing many of them.
        group.create_array(
            "tiles", shape=(plan.rows, plan.cols), chunks=(plan.length,) * 2, dtype=dtype, fill_value=math.nan, compressors=None
        )
    if "done" not in group:
        group.create_array("done", shape=plan.count(), chunks=(1, 1), dtype=np.uint8, fill_value=0, compressors=None)
    return group["tiles"], group["done"]


def from_storage(tiles, plan, dtype):
    name = f"mercer-read-{digest(pickle.dumps(tiles))[:32]}"
    tasks = {(name, i, j): (read, tiles, rows, cols) for (i, j), rows, cols in plan.tiles()}
    return assembled(name, tasks, plan, dtype, {})


def stored(store):
    """Open the matrix that ``gram``, ``cross`` or ``pairwise`` wrote to ``store``, as a Dask array.

    Raises an error if tiles are missing; the call that wrote the others computes them when repeated.
    """
    imported("dask.array")
    zarr = imported("zarr")
    group = zarr.open_group(store, mode="r")
    there = group.attrs.get("mercer")
    if there is None or "tiles" not in group or "done" not in group:
        raise DataError("store holds no tiles of a matrix")
    if there["format"] != FORMAT:
        raise DataError(f"store holds tiles in format {there['format']}, expected {FORMAT}")
    rows, cols = there["shape"]
    plan = Plan(rows, cols, 1, there["cols"] is None, there["block"])
    known = group["done"][:]
    missing = sum(not known[at] for at, _, _ in plan.tiles())
    if missing:
        raise DataError(f"{missing} tiles are not in store yet: call {there['what']} again with the same objects")
    return from_storage(group["tiles"], plan, np.dtype(there["dtype"]))


def check_identity(wanted, there):
    for name, value in wanted.items():
        if there.get(name) == value:
            continue
        if name in ("rows", "cols", "training", "target"):
            raise DataError(f"store holds tiles of other objects ({name}): choose another location")
        raise DataError(f"store holds tiles of another matrix: {name} is {there.get(name)}, not {value}")


# ---------------------------------------------------------------------- searches


def search(client, study, *, threads=None, progress=False):
    """Scores of configurations (rows) on splits (columns), and which configurations converged, as by the native search.

    A task is some kernels with all their configurations, because models along C start from one another. It covers all
    splits, or some of them if there are fewer kernels than threads.
    """
    check_client(client)
    threads = 1 if threads is None else threads
    configurations, per_kernel = np.array(study.settings["configurations"]), len(study.settings["learners"])
    kernels, count = np.unique(configurations // per_kernel), len(study.settings["splits"])
    free = max(1, sum(client.nthreads().values()))
    groups = np.array_split(kernels, min(len(kernels), SEARCHES * free))
    parts = np.array_split(np.arange(count), min(count, math.ceil(free / len(groups))))
    tasks = [(np.flatnonzero(np.isin(configurations // per_kernel, group)), part) for group in groups for part in parts]
    token = digest(pickle.dumps(study))[:32]
    source = sent(client, f"mercer-study-{token}", study)
    name = f"mercer-search-{token}-{len(groups)}-{len(parts)}-{threads}"
    futures = [
        client.submit(score, source, configurations[places].tolist(), part.tolist(), threads, key=(name, at), retries=RETRIES)
        for at, (places, part) in enumerate(tasks)
    ]
    sizes = [len(places) * len(part) for places, part in tasks]
    scores, converged = np.full((len(configurations), count), np.nan), np.ones(len(configurations), dtype=bool)

    def take(at, found):
        places, part = tasks[at]
        scores[np.ix_(places, part)], well = found
        converged[places] &= well

    finish(client, futures, "fits", progress, take=take, sizes=sizes)
    return scores, converged.tolist()


# ---------------------------------------------------------------------- clients and futures


def imported(name):
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f'computation on a cluster needs {name.split(".")[0]}: pip install "mercer[cluster]"') from error


def check_client(client):
    distributed = imported("distributed")
    imported("dask.array")
    if not isinstance(client, distributed.Client) or client.asynchronous:
        raise ParameterError(f"client = {client!r}: must be a distributed.Client that is not asynchronous")


def sent(client, key, value):
    """Send a value that tasks depend on; the scheduler keeps it for as long as it is needed."""
    import dask

    # Dask warns of large graphs because many are large by mistake. Here the objects are sent once, on purpose.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        return client.submit(held, value, key=key)


def finish(client, futures, stage, progress, *, take=None, sizes=None):
    """Wait for all futures and report progress; ``take`` gets the index and the result of each as it completes.

    Tasks whose workers died are resubmitted. An interruption or an error of a task cancels the rest.
    """
    from distributed import KilledWorker, as_completed

    numbers = {future.key: at for at, future in enumerate(futures)}
    sizes, left, done = sizes or [1] * len(futures), [TRIES] * len(futures), 0
    try:
        with shown(progress) as listener:
            arriving = as_completed(futures)
            for future in arriving:
                at = numbers[future.key]
                try:
                    # Raises the error of the task, or that it was cancelled.
                    if take is not None or future.status != "finished":
                        value = future.result()
                except KilledWorker:
                    # More workers of this task died than Dask allows: they may be machines that come and go.
                    if not left[at]:
                        raise
                    left[at] -= 1
                    future.retry()
                    arriving.add(future)
                    continue
                if take is not None:
                    take(at, value)
                done += sizes[at]
                if listener is not None:
                    listener(stage, done, sum(sizes))
    except BaseException:
        client.cancel(futures)
        raise


def digest(content):
    return hashlib.sha256(content).hexdigest()
