"""Supported inputs: arrays, tables, strings, categories, series, graphs, mixed records."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import cross_val_score

import mercer

WORDS = ["gattaca", "cattaca", "gggg", "tacca", "attac", "ggga", "ccta", "gatta"]
CLASSES = ["a", "a", "b", "a", "a", "b", "b", "a"]
STRINGS = mercer.Normalize(mercer.Convolution(mercer.Delta(), parts="substrings", length=2))


def pairs(word):
    return [word[i : i + 2] for i in range(len(word) - 1)]


def substrings_gram(words):
    """The number of equal pairs of 2-mers, normalised, computed directly."""
    K = np.array([[sum(a == b for a in pairs(v) for b in pairs(w)) for w in words] for v in words], dtype=float)
    return K / np.sqrt(np.outer(K.diagonal(), K.diagonal()))


class TestVectors:
    X = np.random.default_rng(0).standard_normal((9, 4))
    K = mercer.RBF(gamma=0.5).gram(X)

    @pytest.mark.parametrize(
        "form",
        [
            list,
            lambda X: X.tolist(),
            np.asfortranarray,
            lambda X: np.repeat(X, 2, axis=1)[:, ::2],
            sparse.csr_matrix,
            sparse.coo_array,
        ],
    )
    def test_forms(self, form):
        np.testing.assert_allclose(mercer.RBF(gamma=0.5).gram(form(self.X)), self.K, rtol=1e-12, atol=1e-15)

    def test_other_numbers(self):
        whole = np.arange(12).reshape(4, 3)
        expected = whole @ whole.T
        for dtype in (np.int32, np.int64, np.uint8, np.float32, np.float64):
            np.testing.assert_array_equal(mercer.Linear().gram(whole.astype(dtype)), expected)

    def test_tables(self):
        pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
        columns = {f"c{j}": self.X[:, j] for j in range(4)}
        for table in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns), columns):
            np.testing.assert_allclose(mercer.RBF(gamma=0.5).gram(table), self.K, rtol=1e-12, atol=1e-15)

    def test_faults(self):
        with pytest.raises(mercer.DataError, match="E_MISSING|E_NONFINITE"):
            mercer.RBF().gram([[1.0, np.nan]])
        with pytest.raises(mercer.DataError):
            mercer.RBF().gram([[1.0, np.inf]])
        with pytest.raises(mercer.DataError, match="2-D"):
            mercer.RBF().gram([1.0, 2.0])
        with pytest.raises(mercer.DataError, match="E_DIM"):
            mercer.RBF().cross(np.zeros((2, 3)), np.zeros((2, 4)))
        assert mercer.RBF().gram(np.zeros((0, 3))).shape == (0, 0)
        assert mercer.RBF().gram(np.zeros((1, 3))).tolist() == [[1.0]]


class TestStrings:
    def test_gram(self):
        np.testing.assert_allclose(STRINGS.gram(WORDS), substrings_gram(WORDS), rtol=1e-12)
        np.testing.assert_allclose(STRINGS.cross(WORDS[:2], WORDS), substrings_gram(WORDS)[:2], rtol=1e-12)
        for form in (np.array(WORDS), np.array(WORDS, dtype=object), tuple(WORDS)):
            np.testing.assert_array_equal(STRINGS.gram(form), STRINGS.gram(WORDS))

    @pytest.mark.parametrize(
        "make", [mercer.SVC, mercer.KernelRidgeClassifier, mercer.Perceptron, mercer.VotedPerceptron, mercer.KNeighborsClassifier]
    )
    def test_contract_of_classifiers(self, make):
        options = {"n_neighbors": 1} if make is mercer.KNeighborsClassifier else {}
        estimator = make(kernel=STRINGS, **options)
        fitted = estimator.fit(WORDS, CLASSES)
        assert fitted is estimator and fitted.score(WORDS, CLASSES) == 1.0
        again = pickle.loads(pickle.dumps(fitted))
        assert again.predict(["gattac", "gggag"]).tolist() == fitted.predict(["gattac", "gggag"]).tolist() == ["a", "b"]
        assert len(cross_val_score(make(kernel=STRINGS, **options), np.array(WORDS), CLASSES, cv=2)) == 2
        with pytest.raises(ValueError):
            make(kernel=STRINGS, **options).fit(WORDS, CLASSES[:-1])

    @pytest.mark.parametrize("make", [mercer.SVR, mercer.NuSVR, mercer.KernelRidge, mercer.KNeighborsRegressor])
    def test_contract_of_regressors(self, make):
        t = [float(w.count("g")) for w in WORDS]
        fitted = make(kernel=STRINGS).fit(WORDS, t)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(WORDS), fitted.predict(WORDS))

    def test_without_a_target(self):
        assert mercer.KernelPCA(2, kernel=STRINGS).fit_transform(WORDS).shape == (8, 2)
        assert len(mercer.KernelKMeans(2, kernel=STRINGS).fit_predict(WORDS)) == 8
        assert set(mercer.OneClassSVM(0.3, kernel=STRINGS).fit_predict(WORDS)) <= {-1, 1}

    def test_search(self):
        k = mercer.Normalize(mercer.Convolution(mercer.Delta(), parts="substrings", length=2))
        search = mercer.GridSearch(mercer.SVC(kernel=k), {"C": [1.0, 10.0], "kernel__kernel__length": [1, 2]}, cv=2)
        assert search.fit(WORDS, CLASSES).best_score_ >= 0.75

    def test_a_text_as_kernel(self):
        fitted = mercer.SVC(kernel="normalize(convolution(delta, parts=substrings, length=2))").fit(WORDS, CLASSES)
        assert fitted.kernel_ == STRINGS


class TestCategories:
    T = np.array([["red", 1], ["red", 2], ["blue", 1], ["blue", 2], ["red", 1]], dtype=object)

    def test_gram(self):
        same = (self.T[:, None, :] == self.T[None, :, :]).all(-1)
        np.testing.assert_array_equal(mercer.Delta().gram(self.T), same)
        each = (self.T[:, None, :] == self.T[None, :, :]).sum(-1)
        np.testing.assert_array_equal(mercer.ColumnSum(mercer.Delta()).gram(self.T), each)

    def test_tables(self):
        pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
        colours = self.T[:, 0].tolist()
        expected = np.equal.outer(self.T[:, 0], self.T[:, 0])
        for table in (
            pd.DataFrame({"c": colours}),
            pd.DataFrame({"c": pd.Categorical(colours)}),
            pl.DataFrame({"c": colours}),
            pl.DataFrame({"c": colours}, schema={"c": pl.Categorical}),
            pa.table({"c": colours}),
            pa.table({"c": pa.array(colours).dictionary_encode()}),
        ):
            np.testing.assert_array_equal(mercer.Delta().gram(table), expected)
            np.testing.assert_array_equal(mercer.Delta(columns="c").gram(table), expected)

    def test_missing_values_are_refused(self):
        pd = pytest.importorskip("pandas")
        for gap in (None, np.nan, pd.NA):
            with pytest.raises(mercer.DataError, match="E_MISSING") as caught:
                mercer.Delta().gram({"c": ["red", gap, "blue"]})
            assert caught.value.index == 1 and caught.value.column == "c"

    def test_estimators(self):
        y = [0, 1, 0, 1, 0]
        fitted = mercer.SVC(kernel=mercer.ColumnSum(mercer.Delta()), C=10).fit(self.T, y)
        assert fitted.score(self.T, y) == 1.0


class TestRecords:
    table = {
        "age": [30.0, 31.0, 60.0, 65.0, 33.0, 70.0],
        "sex": ["f", "m", "f", "m", "f", "m"],
        "dna": ["gatta", "gattc", "cccc", "cccg", "gatt", "ccgc"],
    }
    y = ["low", "low", "high", "high", "low", "high"]
    kernel = (
        mercer.RBF(gamma=0.001).on("age") * mercer.Delta().on("sex")
        + 0.5 * mercer.Convolution(mercer.Delta(), parts="substrings", length=2).on("dna")
    )

    def expected(self):
        age, sex = np.array(self.table["age"]), np.array(self.table["sex"])
        strings = [[sum(a == b for a in pairs(v) for b in pairs(w)) for w in self.table["dna"]] for v in self.table["dna"]]
        near = np.exp(-0.001 * np.subtract.outer(age, age) ** 2)
        return near * np.equal.outer(sex, sex) + 0.5 * np.array(strings)

    def test_gram_of_every_table(self):
        pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
        for table in (self.table, pd.DataFrame(self.table), pl.DataFrame(self.table), pa.table(self.table)):
            np.testing.assert_allclose(self.kernel.gram(table), self.expected(), rtol=1e-12)
        records = mercer.Records(self.table, kinds={"dna": "strings"})
        np.testing.assert_allclose(self.kernel.gram(records), self.expected(), rtol=1e-12)
        assert repr(records) == "<Records: 6 objects; age (numbers), sex (categories), dna (strings)>"

    def test_estimators(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(self.table)
        fitted = mercer.SVC(kernel=self.kernel, C=10).fit(frame, self.y)
        assert fitted.score(frame, self.y) == 1.0
        assert fitted.feature_names_in_.tolist() == ["age", "sex", "dna"]
        # New tables may have their columns in any order, and additional columns.
        other = frame[["dna", "age", "sex"]].assign(more=1)
        assert fitted.predict(other).tolist() == self.y
        with pytest.raises(mercer.DataError, match="sex"):
            fitted.predict(frame.drop(columns="sex"))
        assert pickle.loads(pickle.dumps(fitted)).predict(frame).tolist() == self.y
        records = mercer.Records(self.table, kinds={"dna": "strings"})
        assert len(cross_val_score(mercer.SVC(kernel=self.kernel), records, self.y, cv=3)) == 3
        again = pickle.loads(pickle.dumps(records))
        np.testing.assert_array_equal(self.kernel.gram(again), self.kernel.gram(records))
        search = mercer.GridSearch(mercer.SVC(kernel=self.kernel), {"C": [1, 10], "kernel__right__factor": [0.5, 1]}, cv=3)
        assert len(search.fit(records, self.y).cv_results_["params"]) == 4

    def test_faults(self):
        with pytest.raises(mercer.DataError, match="no column"):
            mercer.Records(self.table, kinds={"dan": "strings"})
        with pytest.raises(mercer.DataError):
            mercer.Records([1, 2, 3])
        with pytest.raises(mercer.DataError):
            mercer.Records({"a": [1, 2], "b": [1]})


class TestSeries:
    """Conversion of series."""

    def test_forms(self):
        S = np.random.default_rng(0).standard_normal((4, 2, 30))
        from mercer._data import as_data

        whole = as_data(S, {None: {"series"}})
        assert whole.columns() == [("x", "series")] and len(whole) == 4
        parts = as_data(list(S), {None: {"series"}})
        assert len(parts) == 4
        ragged = as_data([np.zeros(5), np.zeros(9)], {None: {"series"}})
        assert ragged.columns() == [("x", "series")]
        with pytest.raises(mercer.DataError):
            mercer.RBF().gram(S)


def molecules(count, seed=0):
    """Rings and chains of a few atoms as (edges, labels), and their classes."""
    rng = np.random.default_rng(seed)
    graphs, kinds = [], []
    for at in range(count):
        n, ring = int(rng.integers(4, 8)), at % 2 == 0
        edges = [(i, i + 1) for i in range(n - 1)] + ([(n - 1, 0)] if ring else [])
        graphs.append((edges, rng.choice(["C", "N", "O"], n).tolist()))
        kinds.append("ring" if ring else "chain")
    return graphs, kinds


def counts_gram(all_counts):
    names = sorted({name for counts in all_counts for name in counts})
    F = np.array([[counts.get(name, 0) for name in names] for counts in all_counts], dtype=float)
    return F @ F.T


def refined(graph, rounds):
    """The label counts of all rounds of Weisfeiler-Lehman refinement, with explicit trees as tuples."""
    edges, labels = graph
    near = {i: [] for i in range(len(labels))}
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    labels, counts = [(label,) for label in labels], {}
    for round_ in range(rounds + 1):
        for label in labels:
            counts[round_, label] = counts.get((round_, label), 0) + 1
        labels = [(labels[i], tuple(sorted(labels[j] for j in near[i]))) for i in range(len(labels))]
    return {str(name): count for name, count in counts.items()}


class TestImages:
    #: Vertical and horizontal stripes in three channels.
    X = np.zeros((8, 24, 30, 3), dtype=np.uint8)
    X[:4, :, ::3] = 200
    X[4:, ::3] = 200
    X += np.random.default_rng(0).integers(0, 40, X.shape, dtype=np.uint8)
    KERNEL = mercer.Visual(mercer.Linear(), words=3, components=5, block=8, step=4, sample=1000)

    def test_forms(self):
        K = self.KERNEL.gram(self.X)
        np.testing.assert_allclose(K.diagonal(), 1.0)
        np.testing.assert_array_equal(self.KERNEL.gram(list(self.X)), K)
        np.testing.assert_array_equal(self.KERNEL.gram(mercer.Records({"photo": self.X})), K)
        np.testing.assert_array_equal(self.KERNEL.gram(mercer.Records({"photo": list(self.X)})), K)
        grey = self.X[:, :, :, 0]
        same = np.repeat(grey[:, :, :, None], 3, axis=3)
        np.testing.assert_array_equal(self.KERNEL.gram(grey), self.KERNEL.gram(same))
        np.testing.assert_array_equal(self.KERNEL.gram(list(grey)), self.KERNEL.gram(same))

    def test_learning(self):
        y = ["down"] * 4 + ["across"] * 4
        model = mercer.SVC(kernel=self.KERNEL, C=10).fit(self.X, y)
        assert list(model.predict(self.X)) == y
        assert list(pickle.loads(pickle.dumps(model)).predict(self.X)) == y

    def test_faults(self):
        with pytest.raises(mercer.DataError, match="uint8"):
            self.KERNEL.gram(self.X.astype(float))
        with pytest.raises(mercer.DataError, match="E_MISSING"):
            self.KERNEL.gram([*self.X, None])
        with pytest.raises(mercer.DataError, match="channels"):
            self.KERNEL.gram(np.zeros((2, 3, 3, 7), dtype=np.uint8))


class TestGraphs:
    water = ([(0, 1), (0, 2)], ["O", "H", "H"])

    def forms(self):
        nx, ig = pytest.importorskip("networkx"), pytest.importorskip("igraph")
        g = nx.Graph()
        g.add_nodes_from([("o", {"label": "O"}), ("a", {"label": "H"}), ("b", {"label": "H"})])
        g.add_edges_from([("o", "a"), ("o", "b")])
        i = ig.Graph(edges=[(0, 1), (0, 2)], vertex_attrs={"label": ["O", "H", "H"]})
        keyed = ([("o", "a"), ("o", "b")], {"o": "O", "a": "H", "b": "H"})
        return [g, i, self.water, keyed]

    def test_forms(self):
        graphs = mercer.Graphs(self.forms())
        assert len(graphs) == 4 and len(graphs[1:3]) == 2 and graphs.shape == (4,)
        assert repr(graphs) == repr(pickle.loads(pickle.dumps(graphs))) == "<Graphs: 4 objects; x (graphs)>"
        same = mercer.WeisfeilerLehman(h=2).gram(graphs)
        assert (same == same[0, 0]).all() and same[0, 0] > 0
        np.testing.assert_array_equal(mercer.WeisfeilerLehman(h=2).gram(self.forms()), same)

    def test_pytorch_geometric_by_duck_typing(self):
        class Data:
            def __init__(self, x):
                self.edge_index, self.x, self.num_nodes = np.array([[0, 1, 0, 2], [1, 0, 2, 0]]), x, 3

        coded = (self.water[0], [0, 1, 1])
        both = mercer.Graphs([Data(np.array([[1, 0], [0, 1], [0, 1]])), coded])
        same = mercer.WeisfeilerLehman(h=2).gram(both)
        assert (same == same[0, 0]).all()
        assert len(mercer.Graphs([Data(np.array([[0.5, 1.0], [0.1, 0.2], [0.3, 0.4]]))])) == 1

    def test_values(self):
        graphs, _ = molecules(12)
        counted = [{label: labels.count(label) for label in labels} for _, labels in graphs]
        np.testing.assert_allclose(mercer.VertexHistogram().gram(graphs), counts_gram(counted))
        for h in (0, 1, 3):
            expected = counts_gram([refined(g, h) for g in graphs])
            np.testing.assert_allclose(mercer.WeisfeilerLehman(h=h).gram(graphs), expected, rtol=1e-12)

    def test_features(self):
        graphs = mercer.Graphs(molecules(12)[0])
        both = mercer.Normalize(mercer.WeisfeilerLehman(h=1) + 2 * mercer.VertexHistogram())
        for kernel in (mercer.VertexHistogram(), mercer.WeisfeilerLehman(h=2), mercer.ShortestPath(), both):
            features, names = kernel.features(graphs)
            assert features.shape == (12, len(names))
            np.testing.assert_allclose((features @ features.T).toarray(), kernel.gram(graphs), rtol=1e-12)

    @pytest.mark.parametrize("make", [mercer.SVC, mercer.KernelRidgeClassifier, mercer.VotedPerceptron, mercer.KNeighborsClassifier])
    def test_contract_of_classifiers(self, make):
        graphs, kinds = molecules(40)
        graphs = mercer.Graphs(graphs)
        kernel = mercer.Normalize(mercer.WeisfeilerLehman(h=2) + 0.5 * mercer.ShortestPath())
        options = {"n_neighbors": 1} if make is mercer.KNeighborsClassifier else {}
        fitted = make(kernel=kernel, **options).fit(graphs, kinds)
        assert fitted.score(graphs, kinds) > 0.8
        again = pickle.loads(pickle.dumps(fitted))
        assert again.predict(graphs).tolist() == fitted.predict(graphs).tolist()
        assert len(cross_val_score(make(kernel=kernel), graphs, kinds, cv=3, n_jobs=2)) == 3
        search = mercer.GridSearch(mercer.SVC(kernel=kernel), {"C": [1.0, 10.0], "kernel__kernel__left__h": [0, 2]}, cv=3)
        assert search.fit(graphs, kinds).best_score_ > 0.7

    def test_faults(self):
        nx = pytest.importorskip("networkx")
        half = nx.Graph([(0, 1)])
        half.nodes[0]["label"] = "C"
        with pytest.raises(mercer.DataError, match="1 of 2 nodes"):
            mercer.Graphs([half])
        with pytest.raises(mercer.DataError, match="graph 1"):
            mercer.Graphs([self.water, ([("x", "y")], {"x": "C"})])
        with pytest.raises(mercer.DataError, match="no graph"):
            mercer.Graphs([42])
        with pytest.raises(mercer.DataError, match="object 1"):
            mercer.Graphs([([(0, 9)], ["C", "C"])])
        with pytest.raises(mercer.DataError, match="graphs"):
            mercer.RBF().gram(mercer.Graphs([self.water]))
        lonely = mercer.Graphs([([], ["C"]), self.water])
        assert np.isfinite(mercer.ShortestPath().gram(lonely)).all()
