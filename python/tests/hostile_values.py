"""Invalid values, mixed with ordinary ones, drawn from a seeded generator."""

import collections
import datetime
import decimal
import fractions

import numpy as np
from scipy import sparse

import mercer
from mercer.kernels import CLASSES

try:
    import pandas as pd
except ImportError:
    pd = None
try:
    import networkx as nx
except ImportError:
    nx = None

#: Inner kernels by the kind of objects that the outer kernels take.
LEAVES = {
    "numbers": ["RBF", "Linear", "Polynomial", "Laplacian", "Cosine", "Sigmoid", "Euclidean"],
    "strings": ["Spectrum", "Delta"],
    "series": ["DTW"],
    "graphs": ["WeisfeilerLehman"],
}
WORDS = [
    "rbf", "linear", "poly", "precomputed", "sigmoid", "auto", "scale", "balanced", "nope", "", "é\u0000", "uniform", "distance",
    "one-versus-rest", "hard", "mercer", "empirical", "5-fold", "leave-one-out", "accuracy", "raise", "\ud800", "a" * 300, "l1",
    "ovo", "random(3)", "x", "0", "-1", "1e309", "nan", "None", "brute", "randomized", "hinge", "shuffled", "n,steps,channels",
]  # fmt: skip
TEXTS = [
    "rbf(gamma=1)", "linear + rbf", "normalize(linear)", "center(rbf(gamma=0.1))", "2*linear", "rbf@x", "rbf@[\"a\", b]",
    "walk(rbf(gamma=1), p=2)", "nystrom(rbf(gamma=1), rank=2)", "spectrum(k=2)", "dtw", "rbf(gamma=2^-3..2^3)", "((linear))",
    "standardize(rbf)", "mkl(linear, rbf)", "repair(sigmoid)", "product", "rbf(", "rbf(gamma=)", "rbf)(", "@", "0*linear",
    "1e999*linear", "rbf(gamma=-1)", "svc(C=1)", "svr", "ridge(lambda=1)", "knn(k=3)", "pca", "linear-svc", "nope(1)",
]  # fmt: skip
WHOLE = [-(2**63), -(2**31), -7, -1, 0, 1, 2, 3, 5, 17, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**400]
REAL = [0.0, -0.0, 1.0, 0.5, -1.0, 1e-300, 5e-324, 1e-8, 1e8, 1e300, 1.7e308, -1e300, np.nan, np.inf, -np.inf, 3.7, 1e16]


class Odd:
    """An object of an unknown type, whose methods are inconsistent."""

    def __len__(self):
        return 3

    def __getitem__(self, key):
        raise KeyError(key)


class Loud:
    """An object whose attributes have wrong values."""

    shape = None
    columns = None
    dtype = "nothing"
    kind = 3


def unary(x):
    return x


class Values:
    """Draws values from one generator; everything is determined by its seed."""

    def __init__(self, random):
        self.random = random
        self.numpy = np.random.default_rng(random.getrandbits(48))

    def chance(self, share):
        return self.random.random() < share

    def one_of(self, items):
        return items[int(self.random.random() * len(items))]

    # ------------------------------------------------------------------ single values

    def scalar(self):
        kind = self.random.random()
        if kind < 0.3:
            return self.one_of(WHOLE)
        if kind < 0.6:
            return self.one_of(REAL)
        if kind < 0.75:
            return self.one_of(WORDS)
        return self.odd()

    def odd(self):
        """A value of an unusual type."""
        make = self.one_of(
            [
                lambda: None,
                lambda: True,
                lambda: False,
                lambda: b"\xff\x00",
                lambda: 1j,
                lambda: np.float32(0.5),
                lambda: np.int8(-3),
                lambda: np.bool_(True),
                lambda: np.float64("nan"),
                lambda: np.datetime64("NaT"),
                lambda: np.array(2.0),
                lambda: np.array([1.0, 2.0]),
                lambda: np.ma.masked,
                lambda: np.array([], dtype=object),
                lambda: decimal.Decimal("sNaN"),
                lambda: fractions.Fraction(1, 3),
                lambda: datetime.timedelta(1),
                lambda: {},
                lambda: {"a": 1, 2: None},
                lambda: {0: -1.0, 1: np.nan},
                lambda: [],
                lambda: (),
                lambda: set(),
                lambda: [None],
                lambda: [[1, [2, [3]]]],
                lambda: range(3),
                lambda: iter([1, 2]),
                lambda: Odd(),
                lambda: Loud(),
                lambda: Odd,
                lambda: unary,
                lambda: len,
                lambda: Ellipsis,
                lambda: slice(None),
                lambda: collections.OrderedDict(a=[1]),
                lambda: ValueError("x"),
                lambda: np.random.RandomState(0),
                lambda: np.random.default_rng(0),
                lambda: mercer.RBF(gamma=1.0),
                lambda: mercer.SVC(),
                lambda: self.one_of(TEXTS),
            ]
        )
        return make()

    # ------------------------------------------------------------------ objects, targets, weights

    def count(self):
        return self.one_of([0, 1, 2, 3, 4, 6, 6, 6, 9])

    def vectors(self, n=None, d=None):
        """An ordinary array of vectors, sometimes with extreme values."""
        n = self.count() if n is None else n
        d = self.one_of([0, 1, 2, 2, 3]) if d is None else d
        X = self.numpy.standard_normal((n, d))
        if self.chance(0.25):
            X = X * self.one_of([0.0, 1e-200, 1e-8, 1e8, 1e150, 1e300])
        if self.chance(0.15):
            X = np.round(X)
        if self.chance(0.1) and X.size:
            X.flat[int(self.random.random() * X.size)] = self.one_of(REAL)
        return X

    def objects(self, n=None, kind=None):
        """Objects of some kind: mostly valid, sometimes damaged."""
        n = self.count() if n is None else n
        if self.chance(0.12):
            return self.damaged(n)
        kind = kind or self.one_of(["numbers"] * 5 + ["strings", "series", "graphs", "table", "nodes", "images", "sparse", "square"])
        return self.of_kind(kind, n)

    def of_kind(self, kind, n):
        if kind in ("numbers", None):
            X = self.vectors(n)
            return X if self.chance(0.8) else X.tolist()
        if kind == "sparse":
            return sparse.csr_array(np.where(self.numpy.random((n, 3)) < 0.4, self.vectors(n, 3), 0.0))
        if kind == "square":
            X = self.vectors(n, 2)
            return X @ X.T
        if kind in ("strings", "text"):
            return ["".join(self.one_of("acgt ") for _ in range(self.one_of([0, 1, 3, 8]))) for _ in range(n)]
        if kind == "categories":
            return [[self.one_of(["a", "b", "", None]) for _ in range(2)] for _ in range(n)]
        if kind == "series":
            return self.one_of(
                [
                    lambda: self.vectors(n, 4),
                    lambda: [self.numpy.standard_normal(self.one_of([0, 1, 3, 5])) for _ in range(n)],
                    lambda: self.numpy.standard_normal((n, 2, 4)),
                ]
            )()
        if kind == "graphs":
            return [self.graph() for _ in range(n)]
        if kind == "nodes":
            return self.graph()
        if kind == "images":
            return self.numpy.integers(0, 255, (n, 4, 4, 3)).astype(np.uint8)
        return self.table(n)

    def graph(self):
        size = self.one_of([0, 1, 2, 4])
        edges = [(int(a), int(b)) for a, b in self.numpy.integers(0, max(size, 1), (self.one_of([0, 1, 3]), 2))]
        if nx is not None and self.chance(0.4):
            made = nx.DiGraph() if self.chance(0.2) else nx.Graph()
            made.add_nodes_from(range(size), label="a")
            made.add_edges_from(edges, weight=self.one_of([1.0, 2.0, -1.0, np.nan, "heavy", 10**400]))
            return made
        labels = self.one_of([None, ["a"] * size, [1] * size, ["a"], {i: "b" for i in range(size)}])
        return (edges, labels) if self.chance(0.7) else (edges, labels, self.one_of([None, ["x"] * len(edges), {}, [1]]))

    def table(self, n):
        columns = {"a": self.vectors(n, 1).ravel(), "b": [self.one_of(["u", "v"]) for _ in range(n)]}
        if self.chance(0.3):
            columns[self.one_of(["c", 3, None, "a b", ""])] = [self.odd() for _ in range(n)]
        if self.chance(0.2):
            columns["s"] = self.of_kind("strings", n)
        if pd is not None and self.chance(0.3):
            try:
                return pd.DataFrame(columns)
            except (ValueError, TypeError):
                return columns
        if self.chance(0.3):
            try:
                return mercer.Records(columns)
            except mercer.MercerError:
                return columns
        return columns

    def damaged(self, n):
        """Damaged or unsupported arrays and containers."""

        def broken():
            X = sparse.csr_matrix(np.eye(max(n, 2)))
            part = self.one_of(["indptr", "indices", "data"])
            values = np.array(getattr(X, part))
            values[int(self.random.random() * len(values))] = self.one_of([-1, 5, 1 << 30, -(1 << 31)])
            setattr(X, part, values[:-1] if self.chance(0.2) else values)
            return X

        make = self.one_of(
            [
                broken,
                lambda: np.zeros((n, 0)),
                lambda: np.zeros((0, 3)),
                lambda: np.zeros((n, 2, 2, 2, 2)),
                lambda: np.ma.array(self.vectors(n, 2), mask=self.numpy.random((n, 2)) < 0.3),
                lambda: self.vectors(n, 2).astype(np.float16),
                lambda: self.vectors(n, 2).astype(complex),
                lambda: np.full((n, 2), None, dtype=object),
                lambda: np.full((n, 2), "a"),
                lambda: np.array([(1.0, "a")] * n, dtype=[("a", float), ("b", "U1")]),
                lambda: np.full((n, 2), np.datetime64("2020")),
                lambda: np.array([[Odd()] * 2] * n, dtype=object),
                lambda: np.broadcast_to(np.float64(1.0), (n, 3)),
                lambda: self.vectors(n, 4)[:, ::-2],
                lambda: np.asfortranarray(self.vectors(n, 3)),
                lambda: self.vectors(n, 2).astype(">f8"),
                lambda: sparse.coo_array(np.ones(3)),
                lambda: sparse.dok_matrix((n, 3)),
                lambda: sparse.csr_array((max(n, 1), 2**40)),
                lambda: [[1.0] * i for i in range(n)],
                lambda: [self.odd() for _ in range(n)],
                lambda: [self.scalar() for _ in range(n)],
                lambda: [[self.scalar(), self.scalar()] for _ in range(n)],
                lambda: {"a": [1.0] * n, "b": [1.0] * (n + 1)},
                lambda: [2**63] * n,
                lambda: [[10**400]] * n,
                lambda: self.odd(),
                lambda: self.scalar(),
            ]
        )
        return make()

    def target(self, n=None):
        n = self.count() if n is None else n
        kind = self.random.random()
        if kind < 0.45:
            return np.arange(n) % self.one_of([1, 2, 2, 2, 3])
        if kind < 0.6:
            return self.vectors(n, 1).ravel()
        if kind < 0.7:
            return [self.one_of(["a", "b", "é"]) for _ in range(n)]
        make = self.one_of(
            [
                lambda: np.full(n, np.nan),
                lambda: np.full(n, 1e308) * np.where(np.arange(n) % 2, 1, -1),
                lambda: np.where(np.arange(n) % 2, 1e300, 1e-300),
                lambda: np.ma.array(np.arange(n) % 2, mask=np.arange(n) == 0),
                lambda: np.arange(n + 1) % 2,
                lambda: (np.arange(n) % 2).reshape(-1, 1),
                lambda: self.vectors(n, 2),
                lambda: [None] * n,
                lambda: [self.odd() for _ in range(n)],
                lambda: [1, "a"] * (n // 2),
                lambda: np.array([True, False] * n)[:n],
                lambda: [2**63] * n,
                lambda: [b"a", b"\xff"] * (n // 2),
                lambda: [(1, 2)] * n,
                lambda: {"y": [1] * n},
                lambda: sparse.csr_array(np.eye(max(n, 1))),
                lambda: self.damaged(n),
                lambda: self.scalar(),
            ]
        )
        return make()

    def weights(self, n):
        make = self.one_of(
            [
                lambda: None,
                lambda: np.ones(n),
                lambda: self.numpy.random(n),
                lambda: np.full(n, self.one_of(REAL)),
                lambda: np.where(np.arange(n) % 2, 0.0, 1.0),
                lambda: np.ones(n + 1),
                lambda: np.ones((n, 2)),
                lambda: np.ma.array(np.ones(n), mask=np.arange(n) == 0),
                lambda: ["1"] * n,
                lambda: self.scalar(),
                lambda: self.damaged(n),
            ]
        )
        return make()

    # ------------------------------------------------------------------ kernels

    def parameter(self, facts):
        """A value for a parameter of a kernel: its default, one of its words, a small number, or anything."""
        kind = self.random.random()
        if kind < 0.5:
            return facts["default"]
        if kind < 0.65 and "words" in facts:
            return self.one_of(facts["words"])
        if kind < 0.8:
            return self.one_of([1, 2, 3]) if facts["type"] == "whole" else self.one_of([0.1, 0.5, 1.0, 2.0])
        return self.scalar()

    def kernel(self, depth=0, kind=None):
        """A kernel of any class; errors are passed to the caller."""
        pick = self.random.random()
        if depth < 3 and pick < 0.08:
            return self.kernel(depth + 1, kind) + self.kernel(depth + 1, kind)
        if depth < 3 and pick < 0.14:
            return self.kernel(depth + 1, kind) * self.kernel(depth + 1, kind)
        if depth < 3 and pick < 0.18:
            return self.one_of([0.5, 2, 1e300, np.float32(2)]) * self.kernel(depth + 1, kind)
        if depth > 0 and self.chance(0.7):
            kind = kind or self.one_of(list(LEAVES))
            return getattr(mercer, self.one_of(LEAVES[kind] if kind in LEAVES else LEAVES["numbers"]))()
        made = CLASSES[self.one_of(list(CLASSES))]
        return self.made(made, depth)

    def made(self, made, depth=0):
        kind = self.one_of(["numbers"] * 3 + ["strings", "series", "graphs"])
        inner = [self.kernel(depth + 1, kind) for _ in made._inner]
        if made._several and self.chance(0.6):
            inner = [[inner[0], self.kernel(depth + 1, kind)]]
        if inner and self.chance(0.03):
            inner[0] = self.scalar()
        settings = {name: self.parameter(facts) for name, facts in made._parameters if self.chance(0.5)}
        if self.chance(0.08):
            settings["columns"] = self.one_of([["a"], "a", [], ["a", "a"], ["nope"], 3, [None], self.scalar()])
        return made(*inner, **settings)

    def kind_for(self, kernel):
        """A kind of objects that suits a kernel."""
        try:
            kinds = sorted(set().union(*kernel._kinds().values()))
        except (AttributeError, LookupError, TypeError, mercer.MercerError):
            kinds = []
        if not kinds:
            return "numbers"
        kind = self.one_of(kinds)
        return {"precomputed": "square"}.get(kind, kind)
