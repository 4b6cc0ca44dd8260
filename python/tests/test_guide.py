"""The Python on the pages of the guide is run, a page at a time in one namespace, and prints what the page says."""

import doctest
import re
import warnings

import pytest
from conftest import ROOT

SOURCE = ROOT / "docs" / "guide" / "src"

BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.M | re.S)


def blocks(text):
    """Each block's number of lines before it, what stands behind its fence, and its text."""
    for found in BLOCK.finditer(text):
        yield text.count("\n", 0, found.start("body")), found["info"], found["body"]


def program(text):
    """The page with nothing left but its Python, line by line."""
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
    assert test.examples, "Python on the pages is written as a session, with >>>"
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


def test_a_page_that_says_something_else_is_found(capsys):
    said = "text\n\n```python\n>>> 1 + 1\n2\n\n```\n"
    assert run("made up", said).failed == 0
    assert run("made up", said.replace("2\n", "3\n")).failed == 1
    capsys.readouterr()
