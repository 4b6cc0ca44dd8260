"""Runs the Python code of the guide, one namespace per page, and compares its output with the page."""

import doctest
import re
import warnings

import pytest
from conftest import ROOT

SOURCE = ROOT / "docs" / "guide" / "src"

BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.M | re.S)


def blocks(text):
    """For each code block: the number of lines before it, its info string, and its text."""
    for found in BLOCK.finditer(text):
        yield text.count("\n", 0, found.start("body")), found["info"], found["body"]


def program(text):
    """The Python code of the page, with blank lines for everything else."""
    lines = [""] * (text.count("\n") + 1)
    for start, info, body in blocks(text):
        if info == "python":
            part = body.split("\n")
            lines[start : start + len(part)] = part
    return "\n".join(lines)


PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(SOURCE.glob("*.md"))}
WITH_PYTHON = [page for page, text in PAGES.items() if program(text).strip()]


def run(page, text):
    test = doctest.DocTestParser().get_doctest(program(text), {"__name__": "guide"}, page, page, 0)
    assert test.examples, "Python code of the guide must be written as a session, with >>>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return doctest.DocTestRunner(verbose=False).run(test)


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _, info, body in blocks(PAGES[page]):
        if named := re.search(r"\bfile=(\S+)", info):
            (tmp_path / named[1]).write_text(body, encoding="utf-8")
    outcome = run(page, PAGES[page])
    assert outcome.failed == 0 and outcome.attempted > 1


def test_every_page_is_found():
    assert len(PAGES) > 15 and len(WITH_PYTHON) > 10


def test_a_page_with_wrong_output_fails(capsys):
    text = "text\n\n```python\n>>> 1 + 1\n2\n\n```\n"
    assert run("made up", text).failed == 0
    assert run("made up", text.replace("2\n", "3\n")).failed == 1
    capsys.readouterr()
