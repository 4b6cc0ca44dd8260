"""Files of data: every format of the program, with its options as keywords."""

import bz2
import json
import lzma
import sqlite3
import zipfile

import numpy as np
import pytest

import mercer

TABLE = "age,town,class\n30.5,Ulm,a\n41,Bonn,b\n7,Ulm,a\n12,Bonn,b\n"
ROWS = [(30.5, "Ulm", "a"), (41, "Bonn", "b"), (7, "Ulm", "a"), (12, "Bonn", "b")]


@pytest.fixture
def files(tmp_path):
    """The same table in many formats."""
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "t.csv.bz2").write_bytes(bz2.compress(TABLE.encode()))
    (tmp_path / "t.csv.xz").write_bytes(lzma.compress(TABLE.encode()))
    records = [dict(zip(("age", "town", "class"), row)) for row in ROWS]
    (tmp_path / "t.json").write_text(json.dumps(records))
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, records)))
    database = sqlite3.connect(tmp_path / "t.sqlite")
    database.execute("create table visits(age, town, class)")
    database.executemany("insert into visits values(?, ?, ?)", ROWS)
    database.commit()
    database.close()
    cell = lambda v: f"<c><v>{v}</v></c>" if not isinstance(v, str) else f'<c t="str"><v>{v}</v></c>'  # noqa: E731
    rows = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in [("age", "town", "class"), *ROWS])
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as book:
        book.writestr("xl/workbook.xml", '<workbook><sheets><sheet name="S" id="a"/></sheets></workbook>')
        book.writestr("xl/_rels/workbook.xml.rels", '<Relationships><Relationship Id="a" Target="s.xml"/></Relationships>')
        book.writestr("xl/s.xml", f"<worksheet><sheetData>{rows}</sheetData></worksheet>")
    return tmp_path


def test_every_format_gives_the_same_table(files):
    kernel = mercer.RBF(gamma=0.01).on("age") * mercer.Delta().on("town")
    X, y = mercer.read(files / "t.csv")
    expected = kernel.gram(X)
    assert y.tolist() == ["a", "b", "a", "b"]
    for name in ["t.csv.bz2", "t.csv.xz", "t.json", "t.jsonl", "t.sqlite", "t.sqlite::visits", "t.xlsx", "t.xlsx::S"]:
        X, y = mercer.read(str(files / name))
        assert y.tolist() == ["a", "b", "a", "b"], name
        np.testing.assert_array_equal(kernel.gram(X), expected)
    pyarrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    columns = dict(zip(("age", "town", "class"), map(list, zip(*ROWS))))
    feather.write_feather(pyarrow.table(columns), files / "t.feather")
    X, _ = mercer.read(files / "t.feather")
    np.testing.assert_array_equal(kernel.gram(X), expected)


def test_options(files):
    X, y = mercer.read(files / "t.sqlite", query="SELECT age, age * 2 AS y FROM visits", target_kind="numbers")
    assert y.tolist() == [61.0, 82.0, 14.0, 24.0]
    X, y, ids = mercer.read(files / "t.csv", id="town", target="age", ignore=["class"], target_kind="numbers", return_ids=True)
    assert ids == ["Ulm", "Bonn", "Ulm", "Bonn"] and y[1] == 41.0
    with pytest.raises(mercer.ParameterError):
        mercer.read(files / "t.csv", missing="perhaps")
    with pytest.raises(mercer.MercerError):
        mercer.read(files / "t.csv", nonsense=1)


def test_two_files_of_sequences(tmp_path):
    (tmp_path / "a.fa").write_text(">a\nACGT\n>b\nACGG\n")
    (tmp_path / "b.fa").write_text(">c\nTTTT\n")
    X, y = mercer.read(positive=tmp_path / "a.fa", negative=tmp_path / "b.fa")
    assert y.tolist() == ["positive", "positive", "negative"]
    assert mercer.Spectrum(k=2).gram(X).shape == (3, 3)
    for wrong in [{"positive": tmp_path / "a.fa"}, {}]:
        with pytest.raises(mercer.ParameterError):
            mercer.read(**wrong)
    with pytest.raises(mercer.ParameterError):
        mercer.read(tmp_path / "a.fa", positive=tmp_path / "a.fa", negative=tmp_path / "b.fa")


def test_errors_have_code_and_hint(files):
    with pytest.raises(mercer.FileContentError) as error:
        mercer.read(str(files / "t.xlsx") + "::T")
    assert error.value.code == "E_SHEET" and "'S'" in error.value.hint
    with pytest.raises(mercer.FileContentError) as error:
        mercer.read(files / "t.sqlite", query="DROP TABLE visits")
    assert error.value.code == "E_QUERY"
    with pytest.warns(UserWarning, match="W_CASE"):
        (files / "low.fa").write_text(">a\nacgt\n>b\nACGT\n")
        mercer.read(files / "low.fa")


def test_dirty_text_as_in_the_program(tmp_path):
    path = tmp_path / "dirty.csv"
    rows = "7,25;31/01/2024;0;Yes\n71,28;01/02/2024;1;no\nnone of it;03/02/2024;1;no\n"
    path.write_text("fare;when;ill;smoker\n" + 8 * rows)
    with pytest.warns(UserWarning) as said:
        X, y = mercer.read(path, target="ill")
    assert {str(w.message).split()[0] for w in said} == {"W_FORM", "W_MIXED"}
    assert dict(X._data.columns())["when"] == "times" and dict(X._data.columns())["smoker"] == "numbers"
    with pytest.raises(mercer.FileContentError):
        mercer.read(path, target="ill", strict=True, type={"fare": "numbers"})
    with pytest.warns(UserWarning, match="W_FORM"):
        X, _ = mercer.read(path, target="ill", na=["none of it"])
    assert np.isnan(X._data.numbers("fare")).sum() == 8
    (tmp_path / "w.csv").write_bytes("town,y\nKöln,1\nUlm,2\n".encode("cp1252"))
    X, _ = mercer.read(tmp_path / "w.csv", encoding="windows-1252")
    assert X._data.texts("town") == ["Köln", "Ulm"]
    with pytest.raises(mercer.ParameterError):
        mercer.read(tmp_path / "w.csv", encoding="klingon")


def test_tables_are_read_as_files():
    frame = {"fare": ["7,25", "71,28", None], "n": [1, 2.5, float("nan")], "alive": ["no", "yes", "no"], "ok": ["Yes", "NO", None]}
    with pytest.warns(UserWarning, match="decimal commas"):
        X, y = mercer.read(frame, target="alive")
    assert y.tolist() == ["no", "yes", "no"]
    assert np.array_equal(X._data.numbers("fare").ravel(), [7.25, 71.28, np.nan], equal_nan=True)
    assert np.array_equal(X._data.numbers("ok").ravel(), [1, 0, np.nan], equal_nan=True)
    with pytest.raises(mercer.MercerError):
        mercer.read({"a": [object()]})
    with pytest.raises(mercer.MercerError):
        mercer.read(frame, sheet="S")


def test_yes_and_no_are_booleans_everywhere(tmp_path):
    age, smoker = [30, 50, 41, 62] * 5, ["yes", "no", "No", "YES"] * 5
    y = [0, 1, 0, 1] * 5
    model = mercer.SVC(kernel="rbf(gamma=0.01)@[age,smoker]").fit({"age": age, "smoker": smoker}, y)
    truth = [s.lower() == "yes" for s in smoker]
    assert np.array_equal(model.decision_function({"age": age, "smoker": smoker}), model.decision_function({"age": age, "smoker": truth}))
    # A kernel on categories keeps the words.
    assert mercer.Delta().on("smoker").gram({"smoker": ["yes", "no", "yes"]}).tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
