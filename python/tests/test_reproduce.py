"""Reproduction of published experiments from Python, which agrees with the program."""

import json
import os
import signal
import subprocess
import threading
import time

import pytest

import mercer


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A folder with 40 objects in place of Haberman's table."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "haberman").mkdir()
    rows = [(30 + i * 13 % 17 + 4 * (i % 2), 60 + i * 5 % 7, i * 7 % 11 + 5 * (i % 2), 1 + i % 2) for i in range(40)]
    lines = [",".join(map(str, row)) for row in rows]
    (folder / "haberman" / "haberman.csv").write_text("age,year,nodes,class\n" + "\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def small(tables):
    return mercer.reproduce("random-walk", data=tables, only="habberman", base="inner-product", method=["pt"], quick=True)


def test_the_studies():
    names = mercer.studies()
    assert list(names) == ["chapter", "slides", "random-walk", "graphs", "diffusion", "similarity"]
    assert all(isinstance(summary, str) and summary for summary in names.values())


@pytest.mark.parametrize("study, printed", [("chapter", 196), ("slides", 55)])
def test_worked_values(study, printed):
    found = mercer.reproduce(study)
    values = [v for v in found.document["values"] if v["printed"] is not None]
    assert len(values) == printed and all(v["agrees"] for v in values)
    assert max(v["deviation"] for v in values) <= 0.005
    assert found.summary[0].startswith("0 values deviate")
    assert all(len(line) <= 80 for line in found.text.splitlines())
    if study == "chapter":
        row = [v["computed"] for v in values if v["what"].startswith("von Neumann") and v["row"] == "1"]
        assert row == pytest.approx([0.75, 0.02, 0.11, 0.11, 0.02], abs=0.005)


def test_tables_are_data(small):
    verdict, accuracies = small.tables
    assert accuracies["columns"][:4] == ["data", "method", "grid search", "printed"]
    rows = {row[1]: row for row in accuracies["rows"]}
    assert set(rows) == {"simple SVM", "PT"}
    # The table has rounded values of the document.
    mean = small.document["outcomes"][0]["base_kernel"]["mean"]
    assert rows["simple SVM"][2] == round(100 * mean, 2) and rows["simple SVM"][3] == 73.46
    assert rows["simple SVM"][4] is None
    assert len(set(accuracies["columns"])) == len(accuracies["columns"]) and "walks" in verdict["title"]
    frame = small.frames()[accuracies["title"]]
    assert list(frame["method"]) == ["simple SVM", "PT"] and frame["grid search"].dtype == float
    assert small.text in str(small) and "NOT the published protocol" in small.text
    assert "| habberman | PT" in small.markdown and "<table>" in small._repr_html_()
    assert "random-walk" in repr(small)


def test_pages(small, tmp_path):
    page = small.report(tmp_path / "study.html")
    assert open(page, encoding="utf-8").read().startswith("<!")
    document = json.load(open(small.report(tmp_path / "study.json"), encoding="utf-8"))
    assert (document["schema"], document["command"]) == ("mercer/2", "reproduce")


def test_the_program_prints_the_same(small, tables):
    program = os.environ.get("MERCER_PROGRAM")
    if not program:
        pytest.skip("MERCER_PROGRAM does not name the program")
    command = [program, "reproduce", "random-walk", "--data", str(tables), "--only", "habberman"]
    command += ["--base", "inner-product", "--method", "pt", "--quick"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert text.rstrip() == small.text.rstrip()


def test_threads_journals_and_progress(small, tables, tmp_path):
    reported = []
    again = mercer.reproduce(
        "random-walk",
        data=tables,
        only=["habberman"],
        base=["inner-product"],
        method="PT",
        quick=True,
        journal=tmp_path / "journals",
        threads=1,
        progress=lambda stage, done, total: reported.append((stage, done, total)),
    )
    assert again.document["outcomes"] == small.document["outcomes"]
    assert reported and all(done <= total for _, done, total in reported)
    assert any("habberman" in stage for stage, _, _ in reported)
    assert (tmp_path / "journals" / "habberman-inner-product-PT.journal").is_file()
    # Finished work is not repeated. A different seed needs a different journal and is refused.
    options = {"data": tables, "only": "habberman", "base": "inner-product", "method": "pt", "quick": True}
    with pytest.raises(mercer.MercerError, match="not the journal of this search"):
        mercer.reproduce("random-walk", seed=1, journal=tmp_path / "journals", **options)


def test_invalid_arguments_are_refused(tmp_path):
    with pytest.raises(mercer.ParameterError, match="did you mean slides"):
        mercer.reproduce("slide")
    with pytest.raises(mercer.ParameterError, match="nodes.*random-walk takes data, only"):
        mercer.reproduce("random-walk", nodes="x")
    with pytest.raises(mercer.ParameterError, match="quick.*nothing but the seed"):
        mercer.reproduce("chapter", quick=True)
    with pytest.raises(mercer.ParameterError, match="did you mean Balance1"):
        mercer.reproduce("random-walk", only="Balanse1")
    with pytest.raises(mercer.ParameterError, match="a folder with UCI tables"):
        mercer.reproduce("random-walk", data=tmp_path / "nowhere")
    with pytest.raises(mercer.MercerError, match="needs a folder"):
        mercer.reproduce("similarity")
    with pytest.raises(TypeError):
        mercer.reproduce("chapter", folds=3)


def test_interrupts():
    """Ctrl-C cancels a study that would take hours."""
    started = time.monotonic()
    timer = threading.Timer(0.5, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mercer.reproduce("random-walk", only="swissroll")
    assert time.monotonic() - started < 10
    timer.join()
