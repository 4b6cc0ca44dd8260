"""Matrices and searches on a Dask cluster: ``k.gram(X, client=client)``, ``GridSearch(…, client=client)``.

The objects go to the scheduler once, as bytes with the kernel's text. A worker prepares them the first time it needs them
and keeps them for as long as Dask keeps their key; then every tile of the upper triangle is a task that depends on nothing
else, so a tile that was lost with its worker is computed again elsewhere, with the same bits. Below the diagonal stand the
same tiles turned over.

Scattering the objects lost: what was scattered cannot be made again once all workers that held it are gone. So did
submitting all tiles at once in place of a lazy array: the whole matrix would be held whether or not anybody wants all of it.

Dask is imported when a client is handed in, never before.
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

#: Tiles for each thread of the cluster: some are slower than others, and no thread should wait long for the last.
SHARE = 8
#: Rows of a tile at most: 4096² doubles are 134 MB.
LONGEST = 4096
#: Tasks of a search for each thread of the cluster: kernels in one task share distances.
SEARCHES = 4
#: How often a task is set off again that Dask gave up because workers died under it.
TRIES = 10
#: How often a task is tried again that failed: storage may be out of reach for a moment, memory short on one machine.
RETRIES = 2
#: How names of arrays begin whose tiles below the diagonal are those above, turned over.
WHOLE = "mercer-whole-"
#: What tiles on storage are written as; another number when it changes.
FORMAT = 1


class Matrix:
    """A matrix to be computed in tiles: all that a worker needs for any of them.

    It travels as text and bytes, and is prepared where a tile is wanted first.
    """

    def __init__(self, text, training, target, rows, cols, single=False, distances=False):
        parts = [None if part is None else bytes(part.to_bytes()) for part in (training, rows, cols)]
        names = [None if part is None else digest(part) for part in parts]
        # A part that is there twice, such as objects a kernel is fitted to and compared with, travels once.
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
        # The bytes, and about as much for what is prepared of them.
        return 2 * sum(map(len, self.parts.values()))

    @property
    def symmetric(self):
        return self.cols is None

    @property
    def dtype(self):
        return np.dtype(np.float32 if self.single else np.float64)

    def identity(self):
        """What another matrix must be equal in to have the same tiles."""
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
        """What fitting gave, and the rows and columns prepared for it; made by the first who asks."""
        with self._lock:
            if self._sets is None:
                # Other tasks of this worker wait for the same, so that their threads are free.
                threads = threads * slots()
                data = {name: _mercer.Data.from_bytes(part) for name, part in self.parts.items()}
                fitted = _mercer.fit_kernel(self.text, data[self.training], threads, None, self.target)
                rows = fitted.prepare(data[self.rows], threads)
                cols = None if self.symmetric else fitted.prepare(data[self.cols], threads)
                self._sets = fitted, rows, cols
            return self._sets

    def facts(self, threads):
        """The numbers of rows and columns, where tiles may be cut, and what was noticed."""
        fitted, rows, cols = self.prepared(threads)
        return len(rows), len(rows if cols is None else cols), rows.side(), fitted.warnings()

    def tile(self, rows, cols, threads):
        """The entries of some rows and columns."""
        _, above, beside = self.prepared(threads)
        return above.block(rows, cols, beside, self.single, self.distances, threads)


class Study:
    """Cells to be scored on divisions: all that a worker needs for any of them."""

    def __init__(self, data, **settings):
        self.part, self.settings = bytes(data.to_bytes()), settings
        self._begin()

    _begin = Matrix._begin
    __getstate__ = Matrix.__getstate__
    __setstate__ = Matrix.__setstate__

    def __sizeof__(self):
        return 2 * len(self.part)

    def run(self, cells, divisions, threads):
        """The scores of some cells on some divisions, and which cells converged there."""
        with self._lock:
            if self._sets is None:
                self._sets = _mercer.Data.from_bytes(self.part)
        own = {"cells": cells, "divisions": [self.settings["divisions"][at] for at in divisions]}
        return _mercer.search(data=self._sets, threads=threads, **{**self.settings, **own})


# ---------------------------------------------------------------------- what workers run


def held(value):
    """A value as a task: what is lost with a worker is sent again."""
    return value


def prepare(matrix, threads):
    return matrix.facts(threads)


def tile(matrix, rows, cols, threads):
    return matrix.tile(rows, cols, threads)


def turned(block):
    """A tile of the upper triangle, as the one below the diagonal: the same memory, read down instead of across."""
    return block.T


def keep(matrix, target, at, rows, cols, threads):
    """Computes a tile and writes it, and only then notes that it is there: a note is never ahead of its tile."""
    tiles, done = target
    if done[at]:
        return  # by a worker that died since
    tiles[slice(*rows), slice(*cols)] = tile(matrix, rows, cols, threads)
    done[at] = 1


def read(tiles, rows, cols):
    return tiles[slice(*rows), slice(*cols)]


def score(study, cells, divisions, threads):
    return study.run(cells, divisions, threads)


# ---------------------------------------------------------------------- matrices


def matrix_array(client, matrix, *, store=None, block=None, threads=None, progress=False):
    """A matrix as a Dask array, and what was noticed while it was prepared."""
    check_client(client)
    threads = 1 if threads is None else threads
    token = digest(repr(sorted(matrix.identity().items())).encode())[:32]
    source = sent(client, f"mercer-objects-{token}", matrix)
    answers = []
    asked = client.submit(prepare, source, threads, key=f"mercer-prepare-{token}")
    finish(client, [asked], "preparing", None, take=lambda _, answer: answers.append(answer))
    rows, cols, side, noticed = answers[0]
    what = matrix.identity()["what"]
    if store is not None:
        plan = Plan(rows, cols, side, matrix.symmetric, length_of(block, side))
        out = to_storage(client, matrix, source, plan, store, threads, progress)
        return out, noticed
    length = length_of(block, side) or chosen_length(client, rows, cols, side, matrix.symmetric)
    plan = Plan(rows, cols, side, matrix.symmetric, length)
    name = f"mercer-{what}-{token}-{length}-{threads}"
    tasks = {(name, i, j): (tile, source.key, r, c, threads) for (i, j), r, c in plan.tiles()}
    out = assembled(name, tasks, plan, matrix.dtype, {source.key: {source.key: source}})
    if progress:
        from distributed import futures_of

        out = client.persist(out, retries=RETRIES)
        finish(client, futures_of(out), what, progress)
    return out, noticed


def gathered(matrix, *, progress=False):
    """A matrix that ``gram``, ``cross`` or ``pairwise`` gave on a cluster, in one piece here: a NumPy array.

    The same as ``matrix.compute()``, which puts all tiles together on one worker first and sends them from there; here every tile
    comes from where it was computed as soon as it is, and those of the upper triangle alone.
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
            turn(found, out[cols, rows])
        # Workers need not keep what is here.
        futures[at].release()

    finish(client, futures, "tiles", progress, take=take)
    return out


def turn(block, out):
    """Writes a tile turned over: some rows at a time, which stay in the cache while they are read down."""
    for start in range(0, len(block), 32):
        out[:, start : start + 32] = block[start : start + 32].T


class Plan:
    """How a matrix is cut into tiles."""

    def __init__(self, rows, cols, side, symmetric, length):
        self.rows, self.cols, self.side, self.symmetric, self.length = rows, cols, side, symmetric, length

    def cuts(self, n):
        return [(start, min(start + self.length, n)) for start in range(0, n, self.length)]

    def tiles(self):
        """The place, the rows and the columns of every tile that is computed."""
        across = self.cuts(self.cols)
        for i, rows in enumerate(self.cuts(self.rows)):
            for j, cols in enumerate(across):
                if i <= j or not self.symmetric:
                    yield (i, j), rows, cols

    def count(self):
        return len(self.cuts(self.rows)), len(self.cuts(self.cols))


def assembled(name, tasks, plan, dtype, sources):
    """The array of tiles that tasks of such a name give; below the diagonal they are turned over."""
    import dask.array as da
    from dask.highlevelgraph import HighLevelGraph

    layers = {**sources, name: tasks}
    needs = {layer: set() for layer in sources}
    needs[name] = set(sources)
    if plan.symmetric:
        # A name of their own: tasks of a kind should take about as long as each other, and these take no time.
        whole = name.replace("mercer-", WHOLE, 1)
        down, across = plan.count()
        layers[whole] = {
            (whole, i, j): (name, i, j) if i <= j else (turned, (name, j, i)) for i in range(down) for j in range(across)
        }
        needs[whole], name = {name}, whole
    chunks = tuple(tuple(stop - start for start, stop in plan.cuts(n)) for n in (plan.rows, plan.cols))
    return da.Array(HighLevelGraph(layers, needs), name, chunks, dtype=dtype)


def length_of(block, side):
    """The rows of a tile that the caller asks for: the next multiple of where tiles may be cut."""
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
    """Computes the tiles that are missing on storage, each written by the worker that computed it."""
    zarr = imported("zarr")
    group = zarr.open_group(store, mode="a")
    identity = {**matrix.identity(), "shape": [plan.rows, plan.cols]}
    there = group.attrs.get("mercer")
    if there is None and (list(group.array_keys()) or list(group.group_keys())):
        raise DataError("store holds something else: choose an empty place")
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
        # Names of this call alone: what it does to storage must not be taken for done because another call did it once.
        run = uuid.uuid4().hex
        place = sent(client, f"mercer-place-{run}", target)
        name = f"mercer-{identity['what']}-stored-{run}"
        futures = [
            client.submit(keep, source, place, at, rows, cols, threads, key=(name, *at), retries=RETRIES)
            for at, rows, cols in missing
        ]
        finish(client, futures, identity["what"], progress)
        known = target[1][:]
        if any(not known[at] for at, _, _ in missing):
            raise DataError("workers wrote tiles that are not in store: it must be a place that all machines share")
    return from_storage(target[0], plan, matrix.dtype)


def arrays(group, plan, dtype):
    """The arrays of tiles and of notes which of them are there, made where they are not."""
    if "tiles" not in group:
        # No tile is compressed: similarities hardly get smaller, and it would take longer than computing many of them.
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
    """The matrix whose tiles ``gram``, ``cross`` or ``pairwise`` wrote to ``store``, as a Dask array.

    Tiles that are not there yet are refused: the call that wrote the others goes on with them.
    """
    imported("dask.array")
    zarr = imported("zarr")
    group = zarr.open_group(store, mode="r")
    there = group.attrs.get("mercer")
    if there is None or "tiles" not in group or "done" not in group:
        raise DataError("store holds no tiles of a matrix")
    if there["format"] != FORMAT:
        raise DataError(f"store holds tiles in format {there['format']}, and this is {FORMAT}")
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
            raise DataError(f"store holds tiles of other objects ({name}): choose another place")
        raise DataError(f"store holds tiles of another matrix: {name} is {there.get(name)}, and not {value}")


# ---------------------------------------------------------------------- searches


def search(client, study, *, threads=None, progress=False):
    """As the native search: scores of cells (rows) on divisions (columns), and which cells converged.

    A task is some kernels with all their cells, because machines along C start from one another, on some of the divisions: on
    all of them unless there are fewer kernels than threads.
    """
    check_client(client)
    threads = 1 if threads is None else threads
    cells, per_kernel = np.array(study.settings["cells"]), len(study.settings["learners"])
    kernels, count = np.unique(cells // per_kernel), len(study.settings["divisions"])
    free = max(1, sum(client.nthreads().values()))
    groups = np.array_split(kernels, min(len(kernels), SEARCHES * free))
    parts = np.array_split(np.arange(count), min(count, math.ceil(free / len(groups))))
    tasks = [(np.flatnonzero(np.isin(cells // per_kernel, group)), part) for group in groups for part in parts]
    token = digest(pickle.dumps(study))[:32]
    source = sent(client, f"mercer-study-{token}", study)
    name = f"mercer-search-{token}-{len(groups)}-{len(parts)}-{threads}"
    futures = [
        client.submit(score, source, cells[places].tolist(), part.tolist(), threads, key=(name, at), retries=RETRIES)
        for at, (places, part) in enumerate(tasks)
    ]
    sizes = [len(places) * len(part) for places, part in tasks]
    scores, converged = np.full((len(cells), count), np.nan), np.ones(len(cells), dtype=bool)

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
        raise ImportError(f'work on a cluster needs {name.split(".")[0]}: pip install "mercer[cluster]"') from error


def check_client(client):
    distributed = imported("distributed")
    imported("dask.array")
    if not isinstance(client, distributed.Client) or client.asynchronous:
        raise ParameterError(f"client = {client!r}: must be a distributed.Client that waits for answers")


def sent(client, key, value):
    """A value that tasks depend on, with the scheduler for as long as anybody needs it."""
    import dask

    # Dask warns of large graphs because many are large by mistake. Objects are sent once, and by no mistake.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        return client.submit(held, value, key=key)


def finish(client, futures, stage, progress, *, take=None, sizes=None):
    """Waits until all are done, and tells how many are; ``take`` gets the number of each and what it gave, as they come.

    What died with its worker is set off again. Whatever stops the wait, an interruption or an error of a task, cancels the rest.
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
                    # Raises what the task raised, or that it was cancelled.
                    if take is not None or future.status != "finished":
                        value = future.result()
                except KilledWorker:
                    # As many workers died under it as Dask allows: these may be machines that come and go.
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
