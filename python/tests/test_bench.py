"""The page of the benchmark: workloads below target come first, and nothing is omitted silently."""

import copy
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import page  # noqa: E402
import table  # noqa: E402

PEER = {"name": "theirs", "aim": 10, "tolerance": 1e-9, "difference": 0.0, "seconds": 3.0}
FIGURES = {
    "versions": {"Python": "3.11", "aeon": None},
    "machine": "two cores",
    "load": 0.0,
    "repeat": 3,
    "day": "2026-01-01",
    "names": ["quick", "slow", "stopped"],
    "rows": [
        {"name": "quick", "what": "some work", "limit": None, "notes": [], "seconds": 0.1, "peers": [PEER]},
        {"name": "slow", "what": "more work", "limit": 0.5, "notes": ["x was not there"], "seconds": 1.0, "peers": [PEER]},
    ],
    "growth": [{"name": "gram", "title": "Gram", "things": "objects", "points": [[100, 0.01], [200, 0.04]], "slope": 2.0}],
    "call": {"whole": 1e-3, "least": 1e-4},
}


def test_workloads_below_target_come_first():
    text = page.document(FIGURES)
    first = text[: text.index("## Comparison with other systems")]
    assert "**slow**: 3.00 times theirs, target 10" in first
    assert "**slow**: 1.00 s, target at most 0.500 s" in first
    assert "stopped: not in these figures" in first
    assert "quick" not in first
    assert "| quick | some work | theirs | 3.00 | 0.100 | 30.0 | ≥ 10 | 0 |" in text
    assert "Not installed: aeon" in text and "X was not there." in text


def test_faults_and_differences_are_reported():
    figures = copy.deepcopy(FIGURES)
    figures["rows"][0]["peers"] = [PEER | {"difference": 0.5}, {"name": "other", "aim": 2, "tolerance": 0, "fault": "not there"}]
    figures["rows"][1] = {"name": "slow", "fault": "took more than an hour"}
    first = page.document(figures).partition("## Comparison with other systems")[0]
    assert "**quick**: results differ from those of theirs by 5.0e-01" in first
    assert "quick, other: not measured. not there" in first
    assert "slow: not measured. took more than an hour" in first


def test_the_page_links_to_its_plots(tmp_path):
    page.write(FIGURES, tmp_path / "bench.md")
    assert "](bench/growth-gram.svg)" in (tmp_path / "bench.md").read_text(encoding="utf-8")
    assert (tmp_path / "bench/growth-gram.svg").read_bytes().startswith(b"<svg")


def test_differences_are_relative_and_detect_nan():
    assert table.difference([2.0, 4.0], [2.0, 3.0]) == 0.25
    assert table.difference([1.0], [np.nan]) == np.inf
    with pytest.raises(ValueError, match="shapes"):
        table.difference([1.0], [1.0, 2.0])


@pytest.mark.parametrize("value, text", [(0.0012345, "0.00123"), (0.5, "0.500"), (12.34, "12.3"), (123.4, "123")])
def test_seconds_have_three_significant_digits(value, text):
    assert page.seconds(value) == text
