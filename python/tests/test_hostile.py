"""Invalid inputs: every kind of kernel returns a result or raises an error of the library."""

import array
import collections
import datetime
import decimal
import traceback
import types
import warnings

import numpy as np
import pytest
from scipy import sparse

import mercer

pd, pl, pa, nx, ig = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow", "networkx", "igraph"))


class Odd:
    """An object of an unknown type."""


class Lazy:
    def __iter__(self):
        return iter([[1.0, 2.0], [3.0, 4.0]])


RECORDS = np.array([(1.0, "a"), (2.0, "b")], dtype=[("a", float), ("s", "U2")])
DAY, SECOND = datetime.date(2020, 1, 1), datetime.timedelta(seconds=1)
POINT = collections.namedtuple("POINT", "x y")
OBJECTS = {
    "none": None,
    "int": 3,
    "str": "abc",
    "bytes": b"abc",
    "no list": [],
    "no dict": {},
    "set": {1, 2},
    "range": range(3),
    "iterable": Lazy(),
    "odd": Odd(),
    "odds": [Odd(), Odd()],
    "nones": [None, None],
    "zero dimensions": np.array(3.0),
    "one dimension": np.arange(3.0),
    "no features": np.zeros((3, 0)),
    "five dimensions": np.zeros((2, 1, 1, 1, 1)),
    "records": RECORDS,
    "records 2-D": RECORDS.reshape(1, 2),
    "void": np.zeros(2, dtype="V4"),
    "nested records": np.array([((1.0, 2.0),)], dtype=[("a", [("b", float), ("c", float)])]),
    "records of vectors": np.array([((1.0, 2.0),), ((3.0, 4.0),)], dtype=[("a", float, (2,))]),
    "array": array.array("d", [1, 2, 3]),
    "memoryview": memoryview(b"abc"),
    "memoryview 2-D": memoryview(np.ones((2, 2))),
    "ragged": [[1, 2], [3]],
    "ragged names": [["a"], ["b", "c"]],
    "mixed": [[1, "a"], [2, "b"]],
    "gap": [[1.0, None], [2.0, 3.0]],
    "row missing": [[1.0, 2.0], None],
    "dicts": [{"a": 1}, {"a": 2}],
    "tuples": [POINT(1, 2), POINT(3, 4)],
    "row and value": [["a"], 3],
    "complex": np.array([[1j]]),
    "dates": np.array([["2020"]], dtype="datetime64[Y]"),
    "date objects": np.array([[DAY]], dtype=object),
    "huge": [[10**400]],
    "big": [[2**70]],
    "inf": [[np.inf]],
    "decimals": [[decimal.Decimal("1.5")], [decimal.Decimal("NaN")]],
    "bools": [True, False],
    "no utf-8": [b"ab", b"\xff\xfe"],
    "texts 2-D": np.array([["a", "b"], ["c", "d"]]),
    "masked": np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[0, 1], [0, 0]]),
    "masked objects": np.ma.masked_array(np.array([["a", "b"]], dtype=object), mask=[[1, 0]]),
    "masked texts": np.ma.masked_array(["a", "b"], mask=[1, 0]),
    "masked records": np.ma.array([(1.0, 2), (3.0, 4)], mask=[(1, 0), (0, 0)], dtype=[("a", float), ("b", int)]),
    "pandas without columns": pd.DataFrame(index=range(3)),
    "pandas empty": pd.DataFrame(),
    "pandas no rows": pd.DataFrame({"a": pd.Series([], dtype=float), "b": pd.Series([], dtype=object)}),
    "pandas twice": pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["a", "a"]),
    "pandas 0 and '0'": pd.DataFrame([[1, 2]], columns=["0", 0]),
    "pandas lists": pd.DataFrame({"a": [[1, 2], [3]]}),
    "pandas dicts": pd.DataFrame({"a": [{"x": 1}, {"x": 2}]}),
    "pandas dates": pd.DataFrame({"a": pd.to_datetime(["2020", "2021"])}),
    "pandas NaT": pd.DataFrame({"a": [pd.NaT, pd.NaT]}),
    "pandas intervals": pd.DataFrame({"a": pd.interval_range(0, 2)}),
    "pandas categories": pd.DataFrame({"a": pd.Categorical([1, 2])}),
    "pandas Int64": pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
    "pandas complex": pd.DataFrame({"a": [1j, 2]}),
    "pandas string": pd.DataFrame({"a": pd.array(["x", None], dtype="string")}),
    "pandas mixed": pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}),
    "pandas nothing": pd.DataFrame({"a": [None, None], "b": [1.0, 2.0]}),
    "pandas sparse": pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0])}),
    "pandas periods": pd.DataFrame({"a": pd.period_range("2020", periods=2, freq="M"), "n": [1, 2]}),
    "pandas series": pd.Series([1.0, 2.0]),
    "pandas index": pd.Index(["a", "b"]),
    "pandas groups": pd.DataFrame({"a": [1, 2]}).groupby("a"),
    "polars": pl.DataFrame({"a": [1, None]}),
    "polars lazy": pl.DataFrame({"a": [1, 2]}).lazy(),
    "polars empty": pl.DataFrame(),
    "polars structs": pl.DataFrame({"a": [{"x": 1}, {"x": 2}]}),
    "polars lists": pl.DataFrame({"a": [[1.0, 2.0], [3.0]]}),
    "polars arrays": pl.DataFrame({"a": pl.Series([[1.0, 2.0], [3.0, 4.0]], dtype=pl.Array(pl.Float64, 2))}),
    "polars durations": pl.DataFrame({"a": [SECOND]}),
    "polars nulls": pl.DataFrame({"a": [None, None]}),
    "polars series": pl.Series([1.0, 2.0]),
    "arrow": pa.table({"a": [1, None]}),
    "arrow batch": pa.record_batch({"a": [1, None]}),
    "arrow chunks": pa.chunked_array([[1, 2], [3]]),
    "arrow array": pa.array([1.0, 2.0]),
    "arrow dictionary": pa.array(["a", "b"]).dictionary_encode(),
    "arrow empty": pa.table({}),
    "arrow structs": pa.table({"a": [{"x": 1}]}),
    "arrow struct array": pa.array([{"x": 1}, {"x": 2}]),
    "arrow nulls": pa.table({"a": pa.nulls(2)}),
    "arrow twice": pa.table([[1], [2]], names=["a", "a"]),
    "arrow times": pa.table({"a": pa.array([0], pa.timestamp("s"))}),
    "arrow lists": pa.table({"a": [[1.0, 2.0], [3.0, 4.0]]}),
    "arrow half": pa.table({"a": pa.array(np.array([1, 2], dtype=np.float16))}),
    "sparse 1-D": sparse.coo_array(np.array([1.0, 0.0])),
    "sparse bool": sparse.csr_array(np.eye(2, dtype=bool)),
    "sparse complex": sparse.csr_array(np.eye(2) * 1j),
    "sparse list": [sparse.csr_array(np.eye(2))] * 2,
    "sparse NaN": sparse.csr_array([[np.nan]]),
    "one graph": nx.path_graph(3),
    "one igraph": ig.Graph.Ring(3),
    "no graph": [nx.Graph()],
    "graphs": [nx.path_graph(2), ig.Graph.Ring(3)],
    "graphs of names": [nx.Graph([("a", "b")])],
    "multigraph": [nx.MultiGraph([(0, 1), (0, 1)])],
    "graph and none": [nx.path_graph(2), None],
    "weights that are words": [nx.Graph([(0, 1, {"weight": "heavy"})])],
    "edge below": [([(0, -1)], ["a", "b"])],
    "edge beyond": [([(0, 5)], ["a"])],
    "edges of names": [([("a", "b")], None)],
    "edges between": [([(0.5, 1)], ["a", "b"])],
    "one tuple": ([(0, 1)], ["a", "b"]),
    "matrices": [np.eye(3)] * 2,
    "images of floats": np.zeros((2, 4, 4, 3)),
    "images of 7 channels": np.zeros((2, 4, 4, 7), np.uint8),
    "images of nothing": np.zeros((2, 0, 4, 3), np.uint8),
    "series of nothing": np.full((2, 5), np.nan),
    "no steps": np.zeros((2, 1, 0)),
    "no series": np.zeros((0, 1, 5)),
    "series and none": [np.arange(3.0), None],
    "scalars": [np.array(1.0), np.array(2.0)],
    "dict of values": {"a": 1},
    "dict of text": {"a": "xy"},
    "dict uneven": {"a": [1, 2], "b": [1]},
    "dict of none": {"a": None},
    "dict of set": {"a": {1, 2}},
    "dict of frame": {"a": pd.DataFrame({"x": [1, 2], "y": [3, 4]})},
    "dict of sparse": {"a": sparse.csr_array(np.eye(2))},
    "dict of graph": {"a": nx.path_graph(2)},
    "dict of records": {"a": mercer.Records({"x": [1, 2], "y": [3, 4]})},
    "dict by number": {1: [1.0, 2.0]},
    "dict of odds": {"a": [Odd(), 1]},
    "dict of both": {"a": ["x", [1, 2]]},
    "mapping": types.MappingProxyType({"a": [1.0, 2.0]}),
    "deque": collections.deque([[1.0], [2.0]]),
}
KERNELS = [
    mercer.RBF(), mercer.Delta(), mercer.HypercubeDiffusion(), mercer.Spectrum(k=2), mercer.Terms(mercer.Linear()), mercer.DTW(),
    mercer.WeisfeilerLehman(), mercer.NodeDiffusion(), mercer.Visual(mercer.Linear()), mercer.Precomputed(), mercer.AllOnes(),
    mercer.RBF().on("a"), mercer.Delta().on("a"), mercer.ColumnSum(mercer.RBF()) + mercer.ColumnSum(mercer.Delta()),
    mercer.Impute(mercer.RBF()), mercer.Similarity([mercer.Euclidean()]), mercer.HammingDistance(),
]  # fmt: skip


def count(X):
    try:
        return len(X)
    except TypeError:
        return 2


def fitted(kernel, X):
    """scikit-learn's checks raise ValueError, or TypeError for values that are not numbers."""
    try:
        mercer.SVC(kernel=kernel).fit(X, np.arange(count(X)) % 2)
    except mercer.MercerError as refused:
        assert str(refused)
    except (ValueError, TypeError) as refused:
        frames = traceback.extract_tb(refused.__traceback__)
        assert any("sklearn" in frame.filename for frame in frames), refused


@pytest.mark.parametrize("name", OBJECTS)
def test_a_result_or_a_clear_error(name):
    X = OBJECTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kernel in KERNELS:
            try:
                K = kernel.gram(X)
                assert K.ndim == 2 and np.isfinite(K).all()
            except mercer.MercerError as refused:
                assert str(refused)
            fitted(kernel, X)
        for make in (mercer.Records, mercer.Graphs, mercer.Nodes, mercer.Series):
            try:
                assert len(make(X)) >= 0
            except mercer.MercerError as refused:
                assert str(refused)


def test_mappings_are_tables():
    table = {"a": [1.0, 2.0, 4.0]}
    np.testing.assert_array_equal(mercer.Linear().gram(types.MappingProxyType(table)), mercer.Linear().gram(table))


def test_node_numbers_are_not_rounded():
    with pytest.raises(mercer.DataError, match="nodes counted from 0"):
        mercer.Graphs([([(0.5, 1)], ["a", "b"])])
    with pytest.raises(mercer.DataError, match="reshape"):
        mercer.RBF().gram(np.zeros((3, 2, 2)))


def test_rows_of_codes_in_lists_and_arrays_are_equivalent():
    codes = [[1, 0], [0, 0], [1, 1]]
    k = mercer.HypercubeDiffusion(beta=0.3)
    arrays = np.array(codes), np.array(codes, dtype=object), np.array(codes, dtype=float)
    for X in (*arrays, [tuple(r) for r in codes], [np.array(r) for r in codes]):
        np.testing.assert_array_equal(k.gram(X), k.gram(codes))


def damaged(**parts):
    matrix = sparse.csr_matrix(np.eye(4))
    for name, values in parts.items():
        setattr(matrix, name, np.array(values, dtype=np.int32))
    return matrix


def far():
    matrix = sparse.coo_matrix(np.eye(4))
    matrix.row = np.array([1 << 30, 1, 2, 3], dtype=np.int32)
    return matrix


@pytest.mark.parametrize(
    "matrix",
    [
        damaged(indptr=[0, 5, 2, 3, 4]),
        damaged(indptr=[0, 1, 2, 3, 400_000_000]),
        damaged(indptr=[0, 4]),
        damaged(indptr=[3, 4, 4, 4, 4]),
        damaged(indices=[0, 1, 2, 1 << 30]),
        damaged(indices=[0, -1, 2, 3]),
        far(),
    ],
)
def test_damaged_sparse_matrices_are_refused(matrix):
    for work in (
        lambda: mercer.RBF(gamma=1.0).gram(matrix),
        lambda: mercer.SVC().fit(matrix, [0, 1, 0, 1]),
        lambda: mercer.LinearSVC().fit(matrix, [0, 1, 0, 1]),
        lambda: mercer.Nodes(matrix),
    ):
        with pytest.raises(mercer.DataError, match="damaged sparse matrix"):
            work()


def test_masked_values_are_missing():
    X = np.ma.array(np.arange(8.0).reshape(4, 2), mask=[[0, 1], [0, 0], [0, 0], [0, 0]])
    for objects in (X, list(X), {"a": X[:, 0], "b": X[:, 1]}):
        with pytest.raises(mercer.DataError, match="E_MISSING"):
            mercer.RBF(gamma=1.0).gram(objects)
    masked, plain = np.ma.array([0.0, 1.0, 0.0, 1.0], mask=[0, 1, 0, 0]), [0, 1, 0, 1]
    for work in (
        lambda: mercer.SVC().fit(X.data, masked),
        lambda: mercer.KernelRidge().fit(X.data, masked),
        lambda: mercer.SVC().fit(X.data, plain, sample_weight=masked),
    ):
        with pytest.raises(mercer.DataError, match="masked"):
            work()
    unmasked = np.ma.array(X.data)
    assert (mercer.RBF(gamma=1.0).gram(unmasked) == mercer.RBF(gamma=1.0).gram(X.data)).all()
