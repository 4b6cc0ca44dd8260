"""Containers of other libraries: equal values give equal results, or an error with advice."""

import datetime
import decimal
import fractions
import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import cross_val_score

import mercer

RNG = np.random.default_rng(7)
N = 40
FLAG = RNG.random(N) < 0.5
SIZE = RNG.standard_normal(N)
CLASS = np.where(FLAG ^ (RNG.random(N) < 0.05), "yes", "no")


@pytest.fixture(autouse=True)
def strict():
    """Turn warnings into errors unless a test expects them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", mercer.DataWarning)
        yield


def holders(flag=FLAG):
    """The same two columns, one of them boolean, in every container."""
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    truth = [bool(v) for v in flag]
    columns = {"flag": truth, "size": SIZE.tolist()}
    frame = pd.DataFrame(columns)
    yield "dict of lists", columns
    yield "dict of arrays", {"flag": flag, "size": SIZE}
    yield "records", mercer.Records(columns)
    yield "records of arrays", mercer.Records({"flag": flag, "size": SIZE})
    yield "records of a frame", mercer.Records(frame)
    yield "pandas bool", frame
    yield "pandas boolean", frame.astype({"flag": "boolean"})
    yield "pandas object", frame.astype({"flag": object})
    yield "pandas arrow", frame.astype({"flag": "bool[pyarrow]", "size": "double[pyarrow]"})
    yield "pandas sparse", frame.astype({"flag": pd.SparseDtype(bool, False)})
    yield "polars", pl.DataFrame(columns)
    yield "polars lazy", pl.DataFrame(columns).lazy()
    yield "arrow table", pa.table(columns)
    yield "arrow batch", pa.record_batch(columns)
    yield "structured", np.array(list(zip(truth, SIZE)), dtype=[("flag", bool), ("size", float)])
    yield "recarray", np.rec.fromarrays([flag, SIZE], names="flag,size")


class TestBooleans:
    def test_are_numbers_for_kernels_of_numbers(self):
        expected = mercer.RBF(gamma=0.5).gram(np.column_stack([FLAG, SIZE]).astype(float))
        for name, X in holders():
            np.testing.assert_array_equal(mercer.RBF(gamma=0.5).gram(X), expected, err_msg=name)
            np.testing.assert_array_equal(
                mercer.RBF(gamma=0.5).on("flag").gram(X), mercer.RBF(gamma=0.5).gram(FLAG[:, None]), err_msg=name
            )

    def test_are_categories_for_kernels_of_categories(self):
        same = np.equal.outer(FLAG, FLAG)
        kernel = mercer.HypercubeDiffusion(beta=0.5).on("flag")
        expected = kernel.gram({"flag": [str(v) for v in FLAG]})
        for name, X in holders():
            np.testing.assert_array_equal(mercer.Delta().on("flag").gram(X), same, err_msg=name)
            np.testing.assert_allclose(kernel.gram(X), expected, rtol=1e-14, err_msg=name)

    @pytest.mark.parametrize("kernel", ["rbf", mercer.RBF(gamma=0.5), mercer.Standardize(mercer.RBF(gamma=0.5))])
    def test_one_model_for_all(self, kernel):
        scores = {}
        for name, X in holders():
            model = mercer.SVC(kernel=kernel, C=10).fit(X, CLASS)
            scores[name] = model.score(X, CLASS), model.decision_function(X)
        first = next(iter(scores.values()))
        assert first[0] > 0.9
        for name, (score, values) in scores.items():
            assert score == first[0], name
            np.testing.assert_allclose(values, first[1], rtol=1e-9, atol=1e-12, err_msg=name)

    def test_a_model_takes_any_container(self):
        model = mercer.SVC(kernel=mercer.HypercubeDiffusion(beta=0.5).on("flag")).fit(dict(holders())["pandas bool"], CLASS)
        expected = model.predict({"flag": FLAG})
        for name, X in holders():
            assert (model.predict(X) == expected).all(), name

    @pytest.mark.parametrize("kernel", ["rbf", mercer.RBF(gamma=0.5), mercer.RBF(gamma=0.5).on("size", "flag")])
    def test_a_model_fitted_to_any_container_takes_all(self, kernel):
        expected = None
        for name, train in holders():
            model = mercer.SVC(kernel=kernel).fit(train, CLASS)
            for other, X in holders():
                values = model.decision_function(X)
                expected = values if expected is None else expected
                np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-12, err_msg=f"{name}, {other}")

    def test_arrays(self):
        both = np.column_stack([FLAG, ~FLAG])
        expected = mercer.Linear().gram(both.astype(float))
        for X in (both, both.astype(object), both.tolist(), sparse.csr_array(both), [tuple(row) for row in both]):
            np.testing.assert_array_equal(mercer.Linear().gram(X), expected)

    def test_gaps(self):
        pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
        gaps = [True, None, False, True]
        expected = mercer.Impute(mercer.Linear()).gram(np.array([[1.0], [np.nan], [0.0], [1.0]]))
        for X in (
            {"f": gaps},
            pd.DataFrame({"f": pd.array(gaps, dtype="boolean")}),
            pd.DataFrame({"f": gaps}, dtype=object),
            pl.DataFrame({"f": gaps}),
            pa.table({"f": gaps}),
            pa.record_batch({"f": gaps}),
        ):
            np.testing.assert_array_equal(mercer.Impute(mercer.Linear()).gram(X), expected)
            with pytest.raises(mercer.DataError, match="E_MISSING"):
                mercer.Linear().gram(X)


class TestUnusedColumns:
    table = {"age": [31.0, 54.0, 29.0], "sex": ["f", "m", "f"], "born": [datetime.date(1990, 1, d) for d in (1, 2, 3)]}

    def test_are_listed_in_a_warning(self):
        with pytest.warns(mercer.DataWarning, match=r"sex .*born.*dates"):
            K = mercer.RBF(gamma=0.01).gram(self.table)
        np.testing.assert_array_equal(K, mercer.RBF(gamma=0.01).gram(np.array(self.table["age"])[:, None]))
        with pytest.warns(mercer.DataWarning, match="age"):
            records = mercer.Records({"age": [[1.0, 2.0]] * 3, "sex": ["f", "m", "f"]}, kinds={"age": "numbers"})
            mercer.HypercubeDiffusion().gram(records)
        with pytest.warns(mercer.DataWarning, match="sex"):
            mercer.SVC(kernel=mercer.RBF()).fit({k: self.table[k] for k in ("age", "sex")}, [0, 1, 0])
        with pytest.warns(mercer.DataWarning, match="took"):
            mercer.Records(self.table | {"took": [datetime.timedelta(seconds=s) for s in (1, 2, 3)]})
        assert "born (times)" in repr(mercer.Records(self.table))

    def test_are_ignored_by_kernels_with_column_names(self):
        k = mercer.RBF(gamma=0.01).on("age") * mercer.Delta().on("sex")
        assert k.gram(self.table).shape == (3, 3)
        assert mercer.SVC(kernel=k).fit(self.table, [0, 1, 0]).predict(self.table).shape == (3,)
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "gaps": [np.nan, 1.0, 2.0]})
        assert mercer.SVC(kernel=mercer.RBF().on("a")).fit(frame, [0, 1, 0]).predict(frame).shape == (3,)

    def test_are_refused_by_kernels_with_scikit_learns_names(self):
        pd = pytest.importorskip("pandas")
        for X in (self.table, pd.DataFrame(self.table), mercer.Records({k: self.table[k] for k in ("age", "sex")})):
            for make in (mercer.SVC, mercer.SVR, mercer.KernelRidge):
                with pytest.raises(mercer.DataError, match="sex"):
                    make(kernel="rbf").fit(X, [0, 1, 0])
        with pytest.raises(mercer.DataError, match="sex"):
            mercer.SVC().fit({"sex": ["f", "m", "f"]}, [0, 1, 0])

    def test_gamma_scale_is_computed_from_the_numbers(self):
        X = np.column_stack([FLAG, SIZE]).astype(float)
        expected = mercer.SVC().fit(X, CLASS).decision_function(X)
        for name, held in holders():
            np.testing.assert_allclose(mercer.SVC().fit(held, CLASS).decision_function(held), expected, rtol=1e-9, err_msg=name)


class TestValuesOfOtherTypes:
    def test_exact_numbers(self):
        pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
        exact = [decimal.Decimal("1.5"), decimal.Decimal("2"), decimal.Decimal("-0.25")]
        expected = np.outer([1.5, 2, -0.25], [1.5, 2, -0.25])
        for X in (
            {"d": exact},
            pd.DataFrame({"d": exact}),
            pl.DataFrame({"d": exact}),
            pa.table({"d": exact}),
            np.array(exact, dtype=object)[:, None],
            [[v] for v in exact],
            {"d": [fractions.Fraction(3, 2), 2, -0.25]},
            {"d": [np.float32(1.5), np.int8(2), np.float16(-0.25)]},
        ):
            np.testing.assert_array_equal(mercer.Linear().gram(X), expected)

    @pytest.mark.parametrize("kind", ["date", "datetime64", "timedelta", "Period", "polars", "arrow", "complex"])
    def test_refused_where_they_are_used(self, kind):
        pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
        days = [datetime.date(2020, 1, d) for d in (1, 2, 3)]
        table = {
            "date": {"when": days},
            "datetime64": pd.DataFrame({"when": pd.to_datetime(days)}),
            "timedelta": pd.DataFrame({"when": pd.to_timedelta([1, 2, 3], unit="s")}),
            "Period": pd.DataFrame({"when": pd.period_range("2020", periods=3, freq="Y")}),
            "polars": pl.DataFrame({"when": days}),
            "arrow": pa.table({"when": days}),
            "complex": {"when": np.array([1j, 2, 3])},
        }[kind]
        with pytest.raises(mercer.DataError, match=r"when.*(dates|durations|periods|complex).*: "):
            mercer.RBF().on("when").gram(table)
        dated = kind in ("date", "datetime64", "polars", "arrow")
        for refuse in [mercer.RBF().gram] + [mercer.Records] * (not dated):
            with pytest.raises(mercer.DataError, match="dates|durations|periods|complex"):
                refuse(table)
        if dated:
            assert repr(mercer.Records(table)) == "<Records: 3 objects; when (times)>"

    def test_dates_are_times_in_every_container(self):
        pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
        arrivals = [datetime.datetime(2024, 2, 29, 23, 30), None, datetime.datetime(2024, 3, 1, 0, 30)]
        zone = datetime.timezone(datetime.timedelta(hours=1))
        zoned = [m and (m + datetime.timedelta(hours=1)).replace(tzinfo=zone) for m in arrivals]
        kernel = mercer.ZeroExtend(mercer.Time(month=0))
        expected = kernel.gram({"when": arrivals})
        assert expected[1].tolist() == [0, 0, 0] and 0.5 < expected[0, 2] < 1
        for values in (arrivals, zoned):
            frames = (
                {"when": values},
                pd.DataFrame({"when": values}),
                pd.DataFrame({"when": pd.to_datetime(pd.Series(values), utc=values is zoned)}),
                pl.DataFrame({"when": values}),
                pa.table({"when": values}),
            )
            for X in frames:
                np.testing.assert_array_equal(kernel.gram(X), expected)
        whole = [arrivals[0], arrivals[2]]
        for X in (whole, np.array(whole, dtype="datetime64[s]"), np.array(whole, dtype=object), pd.Series(whole)):
            np.testing.assert_array_equal(mercer.Time(month=0).gram(X), expected[np.ix_([0, 2], [0, 2])])

    def test_refused_arrays(self):
        for X in (
            np.array([["2020-01-01"]], dtype="datetime64[D]"),
            np.array([[1]], dtype="timedelta64[s]"),
            np.array([[1j]]),
            sparse.csr_array(np.array([[1j]])),
            [[1j]],
        ):
            with pytest.raises(mercer.DataError, match="dates|durations|complex"):
                mercer.RBF().gram(X)
            with pytest.raises(ValueError):
                mercer.SVC().fit(X, [0])

    def test_floats_of_other_widths(self):
        X = np.array([[1.5, 2.0], [0.25, -1.0]])
        for dtype in (np.float16, np.float32, np.longdouble, ">f8", "<i4", ">i2", np.uint64):
            other = X.astype(dtype)
            np.testing.assert_array_equal(mercer.Linear().gram(other), other.astype(float) @ other.astype(float).T)

    def test_other_types_of_arrays(self):
        X = np.array([[1.5, 2.0], [0.25, -1.0]])
        expected = mercer.Linear().gram(X)
        for other in (
            X.astype(object),
            np.asmatrix(X),
            memoryview(X),
            np.ma.masked_array(X),
            tuple(map(tuple, X)),
            [np.float32(row) for row in X],
            sparse.dia_array(X),
            sparse.coo_matrix(X),
        ):
            np.testing.assert_array_equal(mercer.Linear().gram(other), expected)

    def test_masked_values_are_missing(self):
        X = np.ma.masked_array([[1.0, 2.0], [3.0, 99.0], [5.0, 4.0]], mask=[[0, 0], [0, 1], [0, 0]])
        with pytest.raises(mercer.DataError, match="E_MISSING"):
            mercer.Linear().gram(X)
        with pytest.raises(ValueError, match="NaN"):
            mercer.SVC().fit(X, [0, 1, 0])
        gaps = X.filled(np.nan)
        k = mercer.Impute(mercer.Linear())
        np.testing.assert_array_equal(k.gram(X), k.gram(gaps))

    def test_categories_of_numbers(self):
        pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
        codes = [3, 1, 3, 2]
        same = np.equal.outer(codes, codes)
        for X in (pd.DataFrame({"c": pd.Categorical(codes)}), pa.table({"c": pa.array(codes).dictionary_encode()})):
            np.testing.assert_array_equal(mercer.Delta().gram(X), same)
            with pytest.raises(mercer.DataError, match="categories"):
                mercer.RBF().on("c").gram(X)
        bins = pd.DataFrame({"c": pd.cut([1.0, 5.0, 1.2, 9.0], 3)})
        assert mercer.Delta().gram(bins)[0, 2] == 1

    def test_texts_and_numbers_mixed(self):
        mixed = {"c": ["a", 1, "a", 1.0]}
        np.testing.assert_array_equal(mercer.Delta().gram(mixed), np.equal.outer([0, 1, 0, 1], [0, 1, 0, 1]))
        with pytest.raises(mercer.DataError, match="dict"):
            mercer.Delta().on("c").gram({"c": ["a", {}]})


class TestShapes:
    def test_no_objects_and_one(self):
        pd = pytest.importorskip("pandas")
        for X in (np.zeros((0, 3)), sparse.csr_array((0, 3)), pd.DataFrame({"a": np.zeros(0)}), {"a": []}, {"a": np.zeros(0)}):
            assert mercer.Linear().gram(X).shape == (0, 0)
        for X in (np.ones((1, 3)), sparse.csr_array(np.ones((1, 3))), pd.DataFrame({"a": [1.0]}), {"a": [1]}):
            assert mercer.RBF().gram(X).tolist() == [[1.0]]
        assert mercer.Spectrum(k=2).gram(["acgt"]).shape == (1, 1)
        for nothing in ([], (), [None]):
            with pytest.raises(mercer.DataError, match="no objects"):
                mercer.Spectrum(k=2).gram(nothing)

    def test_invalid_sequences_of_objects(self):
        for bad, message in (
            ("acgt", "list of texts"),
            (3.0, "objects"),
            (None, "objects"),
            (np.float64(3), "value"),
            ([1.0, 2.0], "reshape"),
            (np.array([1.0, 2.0]), "reshape"),
            ([True, False], "reshape"),
            ([[1.0, 2.0], [3.0]], "different lengths"),
            ([{"a": 1}], "table"),
            ({}, "without columns"),
            ({"a": 3.0}, "one value"),
            ({"a": "text"}, "one value"),
            (np.zeros((2, 2, 2, 2, 2)), "dimensions"),
            ([object()], "object"),
        ):
            with pytest.raises(mercer.DataError, match=message):
                mercer.RBF().gram(bad)

    def test_names_of_columns(self):
        pd = pytest.importorskip("pandas")
        X = np.array([[1.0, 2.0], [3.0, 5.0], [0.0, 1.0]])
        numbered = pd.DataFrame(X)
        np.testing.assert_array_equal(mercer.Linear().gram(numbered), X @ X.T)
        first = np.outer(X[:, 0], X[:, 0])
        for k in (mercer.Linear().on(0), mercer.Linear(columns=0), mercer.Linear(columns=[0]), mercer.Linear(columns="0")):
            np.testing.assert_array_equal(k.gram(numbered), first)
        levels = pd.DataFrame(X, columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
        np.testing.assert_array_equal(mercer.Linear().gram(levels), X @ X.T)
        twice = pd.DataFrame(X, columns=["a", "a"])
        with pytest.raises(mercer.DataError, match="twice"):
            mercer.Linear().gram(twice)
        model = mercer.SVC().fit(levels, [0, 1, 0])
        assert model.predict(levels).shape == (3,)

    def test_arrow_and_polars(self):
        pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
        words = ["acgt", "acga", "ttt"]
        expected = mercer.Spectrum(k=2).gram(words)
        arrays = pa.array(words), pa.chunked_array([words[:1], words[1:]]), pa.array(words).dictionary_encode()
        for X in (*arrays, pl.Series(words)):
            np.testing.assert_array_equal(mercer.Spectrum(k=2).gram(X), expected)
        gaps = pa.record_batch({"a": [1.0, None, 3.0], "b": [1, 2, None]})
        with pytest.raises(mercer.DataError, match="E_MISSING"):
            mercer.Linear().gram(gaps)
        with pytest.raises(ValueError, match="NaN"):
            mercer.SVC().fit(gaps, [0, 1, 0])
        k = mercer.Impute(mercer.RBF())
        assert mercer.SVC(kernel=k).fit(gaps, [0, 1, 0]).predict(gaps).shape == (3,)

    def test_sparse_frames(self):
        pd = pytest.importorskip("pandas")
        X = np.array([[0.0, 2.0], [3.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
        frame = pd.DataFrame(X, columns=["a", "b"]).astype(pd.SparseDtype(float, 0.0))
        np.testing.assert_array_equal(mercer.Linear().gram(frame), X @ X.T)
        np.testing.assert_array_equal(mercer.Linear().on("b").gram(frame), np.outer(X[:, 1], X[:, 1]))
        model = mercer.SVC(kernel="linear").fit(frame, [0, 1, 0, 1])
        np.testing.assert_array_equal(model.predict(frame), mercer.SVC(kernel="linear").fit(X, [0, 1, 0, 1]).predict(X))

    def test_precomputed_similarities_of_as_many_new_objects(self):
        X, Y = RNG.standard_normal((5, 2)), RNG.standard_normal((5, 2))
        K, C = mercer.RBF().gram(X), mercer.RBF().cross(Y, X)
        np.testing.assert_array_equal(mercer.Precomputed().cross(C, K), C)


class TestMissingValues:
    X = np.array([[1.0, np.nan], [2.0, 1.0], [np.nan, 3.0], [0.5, 0.0], [2.5, 2.0], [0.0, np.nan]])
    y = [0, 1, 1, 0, 1, 0]

    @pytest.mark.parametrize("kernel", [mercer.Impute(mercer.RBF()), mercer.ZeroExtend(mercer.RBF()), "impute(rbf)"])
    def test_accepted_if_the_kernel_accepts_them(self, kernel):
        pd = pytest.importorskip("pandas")
        model = mercer.SVC(kernel=kernel, C=10)
        assert model.__sklearn_tags__().input_tags.allow_nan
        for X in (self.X, pd.DataFrame(self.X, columns=["a", "b"])):
            assert model.fit(X, self.y).score(X, self.y) > 0.8
            assert len(cross_val_score(model, X, self.y, cv=2)) == 2
        assert mercer.KernelPCA(1, kernel=kernel).fit_transform(self.X).shape == (6, 1)
        with pytest.raises(ValueError, match="inf"):
            model.fit(np.where(np.isnan(self.X), np.inf, self.X), self.y)

    def test_refused_if_the_kernel_does_not_accept_them(self):
        for kernel in ("rbf", mercer.RBF()):
            model = mercer.SVC(kernel=kernel)
            assert not model.__sklearn_tags__().input_tags.allow_nan
            with pytest.raises(ValueError, match="NaN"):
                model.fit(self.X, self.y)
        with pytest.raises(mercer.DataError, match="E_MISSING"):
            mercer.SVC(kernel=mercer.Impute(mercer.RBF()) + mercer.Linear()).fit(self.X, self.y)


class TestSeriesLayout:
    C3 = RNG.standard_normal((6, 3, 12)).cumsum(2)  # 3 channels of 12 time steps
    C1 = RNG.standard_normal((6, 12)).cumsum(1)

    def test_one_channel(self):
        expected = mercer.DTW().pairwise(self.C1)
        for X in (
            self.C1[:, None, :],
            self.C1[:, :, None],
            list(self.C1),
            self.C1.tolist(),
            list(self.C1[:, None, :]),
            list(self.C1[:, :, None]),
            self.C1[:, :, None].tolist(),
            {"s": self.C1[:, :, None]},
            {"s": list(self.C1)},
            {"s": self.C1},
            mercer.Records({"s": self.C1[:, None, :]}),
            mercer.Records({"s": self.C1}, kinds={"s": "series"}),
            mercer.Series(self.C1),
            mercer.Series(self.C1[:, :, None], layout="n,steps,channels"),
        ):
            np.testing.assert_array_equal(mercer.DTW().pairwise(X), expected)

    def test_several_channels(self):
        expected = mercer.DTW().pairwise(self.C3)
        time_first = self.C3.transpose(0, 2, 1)
        layouts = "n,steps,channels", "steps, channels"
        explicit = [mercer.Series(X, layout=layout) for X in (time_first, list(time_first)) for layout in layouts]
        for X in (list(self.C3), self.C3.tolist(), {"s": self.C3}, {"s": list(self.C3)}, {"s": explicit[0]}, *explicit):
            np.testing.assert_array_equal(mercer.DTW().pairwise(X), expected)
        for X in (time_first, list(time_first), time_first.tolist(), {"s": time_first}, {"s": list(time_first)}):
            with pytest.raises(mercer.DataError, match="layout='n,steps,channels'"):
                mercer.DTW().pairwise(X)
        with pytest.raises(mercer.ParameterError, match="layout"):
            mercer.Series(self.C3, layout="time first")

    def test_lengths_that_differ_are_time(self):
        cut = [s[:, : 4 + i] for i, s in enumerate(self.C3)]
        expected = mercer.DTW().pairwise(cut)
        padded = np.full((6, 3, 9), np.nan)
        for row, s in zip(padded, cut):
            row[:, : s.shape[1]] = s
        transposed, flat = padded.transpose(0, 2, 1), [s.T for s in cut]
        for X in (flat, padded, transposed, list(transposed), {"s": flat}):
            np.testing.assert_array_equal(mercer.DTW().pairwise(X), expected)
        with pytest.raises(mercer.DataError, match="both dimensions"):
            mercer.DTW().pairwise([np.zeros((2, 5)), np.zeros((3, 6))])

    def test_new_series_with_other_channels_are_refused(self):
        model = mercer.KNeighborsClassifier(1, kernel=mercer.DTW()).fit(self.C3, [0, 1] * 3)
        with pytest.raises(mercer.DataError, match="E_DIM_MISMATCH 2 .* 3"):
            model.predict(self.C3[:, :2])
        assert pickle.loads(pickle.dumps(mercer.Series(self.C3)))[:2].shape == (2,)

    def test_invalid_series(self):
        for bad in ([np.zeros((2, 2, 2, 2))], [["a", "b"]], [[1, 2], 3.0]):
            with pytest.raises(mercer.DataError):
                mercer.DTW().pairwise(bad)


class TestGraphAttributes:
    def molecule(self, **names):
        nx = pytest.importorskip("networkx")
        g = nx.path_graph(3)
        for i, v in g.nodes(data=True):
            v.update({name: values[i] for name, values in names.items()})
        return g

    def test_unused_attributes_are_listed_in_a_warning(self):
        ig = pytest.importorskip("igraph")
        graphs = [self.molecule(element="CNO", charge=[0, 1, 0]) for _ in range(2)]
        with pytest.warns(mercer.DataWarning, match="charge, element"):
            plain = mercer.WeisfeilerLehman(h=1).gram(graphs)
        with pytest.warns(mercer.DataWarning, match="node_label='element'"):
            mercer.Graphs([ig.Graph(edges=[(0, 1)], vertex_attrs={"element": ["C", "N"]})])
        labelled = mercer.Graphs(graphs, node_label="element")
        expected = mercer.WeisfeilerLehman(h=1).gram([([(0, 1), (1, 2)], list("CNO"))] * 2)
        np.testing.assert_array_equal(mercer.WeisfeilerLehman(h=1).gram(labelled), expected)
        assert not np.array_equal(plain, expected)
        mercer.Graphs(graphs, node_label=None)
        with pytest.raises(mercer.DataError, match="elment"):
            mercer.Graphs(graphs, node_label="elment")
        nx = pytest.importorskip("networkx")
        bonds = nx.Graph([(0, 1, {"bond": "single"})])
        with pytest.warns(mercer.DataWarning, match="bond"):
            mercer.Graphs([bonds])
        mercer.Graphs([bonds], edge_label="bond")
        with pytest.warns(mercer.DataWarning, match=r"Nodes\(graph, weight='strength'\)"):
            mercer.Nodes(nx.Graph([(0, 1, {"strength": 2.0})]))
        mercer.Nodes(nx.Graph([(0, 1, {"strength": 2.0})]), weight="strength")

    def test_vectors_are_attributes(self):
        edges, rows = [(0, 1), (1, 2)], [[0.1, 0.2], [0.3, 0.1], [0.9, 0.5]]
        forms = [
            mercer.Graphs([self.molecule(label=rows)] * 2),
            mercer.Graphs([self.molecule(label=[np.array(r) for r in rows])] * 2),
            mercer.Graphs([self.molecule(label=[tuple(r) for r in rows])] * 2),
            mercer.Graphs([(edges, rows)] * 2),
            mercer.Graphs([(edges, np.array(rows))] * 2),
            mercer.Graphs([(edges, dict(enumerate(rows)))] * 2),
            mercer.Graphs([self.molecule(pos=rows)] * 2, node_attributes="pos"),
            mercer.Graphs([self.molecule(x=[r[0] for r in rows], y=[r[1] for r in rows])] * 2, node_attributes=["x", "y"]),
        ]
        expected = mercer.GraphHopper().gram(forms[0])
        for graphs in forms:
            np.testing.assert_array_equal(mercer.GraphHopper().gram(graphs), expected)
        # A kernel on node labels raises an error, because there are none.
        with pytest.raises(mercer.DataError, match="attributes"):
            mercer.VertexHistogram().gram(forms[0])
        hot = mercer.Graphs([(edges, [[1, 0], [0, 1], [0, 1]])])
        np.testing.assert_array_equal(mercer.VertexHistogram().gram(hot), [[5.0]])
        # One graph with one-hot vectors among others without.
        assert mercer.GraphHopper().gram(mercer.Graphs([(edges, [[1, 0], [0, 1], [0, 1]]), (edges, rows)])).shape == (2, 2)

    def test_attributes_of_pytorch_geometric(self):
        class Data:
            def __init__(self, **held):
                self.__dict__.update(held, edge_index=np.array([[0, 1, 0, 2], [1, 0, 2, 0]]), num_nodes=3)

        water = Data(z=np.array([8, 1, 1]), y=1)
        with pytest.warns(mercer.DataWarning, match="node_label='z'"):
            mercer.Graphs([water])
        expected = mercer.WeisfeilerLehman(h=1).gram([([(0, 1), (0, 2)], [8, 1, 1])])
        np.testing.assert_array_equal(mercer.WeisfeilerLehman(h=1).gram(mercer.Graphs([water], node_label="z")), expected)
        rows = RNG.standard_normal((3, 2))
        placed = mercer.Graphs([Data(pos=rows)], node_attributes="pos")
        same = mercer.Graphs([([(0, 1), (0, 2)], rows)])
        np.testing.assert_array_equal(mercer.GraphHopper().gram(placed), mercer.GraphHopper().gram(same))

    def test_faults(self):
        edges = [(0, 1), (1, 2)]
        for labels, message in (
            ([{}, {}, {}], "dict"),
            (["C", [0.1], "O"], "vectors"),
            ([[0.1], [0.1, 0.2], [0.3]], "same number"),
        ):
            with pytest.raises(mercer.DataError, match=message):
                mercer.Graphs([(edges, labels)])
        with pytest.raises(mercer.DataError, match="graph 1 has nodes without labels"):
            mercer.Graphs([(edges, list("CNO")), (edges, None)])
        with pytest.raises(mercer.DataError, match="list of"):
            mercer.Graphs(self.molecule())
        with pytest.raises(mercer.DataError, match=r"mercer.Nodes\(graph\)"):
            mercer.ShortestPath().gram(self.molecule())
        with pytest.raises(mercer.DataError, match=r"mercer.Nodes\(graph\)"):
            mercer.RBF().gram(self.molecule())

    def test_a_graph_as_a_column_is_its_nodes(self):
        g = self.molecule()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mercer.DataWarning)
            k = mercer.NodeDiffusion(beta=1.0)
            expected = k.gram(mercer.Nodes(g))
            table = {"node": g, "age": [1.0, 2.0, 4.0]}
            for X in (table, mercer.Records(table), mercer.Records({**table, "node": mercer.Nodes(g)})):
                np.testing.assert_array_equal(k.on("node").gram(X), expected)
        assert repr(mercer.Records(table)) == "<Records: 3 objects; node (nodes), age (numbers)>"

    def test_converted_columns_in_records(self):
        graphs = [(((0, 1), (1, 2)), list("CNO")), (((0, 1),), list("CC"))]
        table = mercer.Records({"molecule": mercer.Graphs(graphs), "mass": [1.0, 2.0]})
        both = mercer.VertexHistogram().on("molecule") + mercer.Linear().on("mass")
        np.testing.assert_array_equal(both.gram(table), mercer.VertexHistogram().gram(graphs) + np.outer([1, 2], [1, 2]))


def test_records_are_converted_for_a_kernel_like_tables():
    table = {"dna": ["acgt", "acga", "ttt"], "ward": [1, 2, 1]}
    records = mercer.Records(table)
    np.testing.assert_array_equal(mercer.Spectrum(k=2).on("dna").gram(records), mercer.Spectrum(k=2).on("dna").gram(table))
    k = mercer.CategoricalDiffusion(beta=0.3).on("ward")
    np.testing.assert_array_equal(k.gram(records), k.gram(table))
    np.testing.assert_array_equal(k.gram(pickle.loads(pickle.dumps(records))), k.gram(table))
    # A given kind is not converted.
    with pytest.raises(mercer.DataError, match="categories"):
        mercer.Linear().on("ward").gram(mercer.Records(table, kinds={"ward": "categories"}))


def test_sums_over_columns_of_arrays():
    X = RNG.standard_normal((6, 3))
    each = sum(np.exp(-0.5 * np.subtract.outer(c, c) ** 2) for c in X.T)
    table = {f"c{j}": X[:, j] for j in range(3)}
    for held in (X, X.tolist(), X.astype(object), table, mercer.Records(table)):
        np.testing.assert_allclose(mercer.ColumnSum(mercer.RBF(gamma=0.5)).gram(held), each, rtol=1e-12)


def test_weights_between_nodes_are_symmetric_or_listed_once():
    """A missing entry must not change the weights of the other edges."""
    warnings.filterwarnings("ignore", "W_TRANSDUCTIVE", mercer.DataWarning)
    full = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0.0]])
    kernel = mercer.NodeDiffusion(beta=0.5)
    expected = kernel.gram(sparse.csr_array(full))
    assert np.allclose(kernel.gram(sparse.csr_array(np.triu(full))), expected)
    half = full.copy()
    half[0, 1] = 0
    with pytest.raises(mercer.DataError, match="must be symmetric: from node 0 to 1 it is 0, back 1"):
        kernel.gram(sparse.csr_array(half))
    with pytest.raises(mercer.DataError, match="must be symmetric"):
        kernel.gram(nx.DiGraph([(0, 1), (1, 0), (1, 2)]))
    with pytest.warns(mercer.DataWarning, match="W_DIRECTION"):
        assert np.allclose(kernel.gram(nx.DiGraph([(0, 1), (1, 2)])), expected)
    with pytest.warns(mercer.DataWarning, match="W_DIRECTION"):
        assert np.allclose(kernel.gram(nx.Graph([(0, 1), (1, 2)]).to_directed()), expected)


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_missing_classes_are_refused(gap):
    with pytest.raises(mercer.DataError, match="y contains NaN"):
        mercer.SVC().fit([[0.0], [1.0], [2.0]], np.array(["a", gap, "b"], dtype=object))
