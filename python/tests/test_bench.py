"""The page of the benchmark: workloads below target come first, and nothing is omitted silently."""

import copy
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import page  # noqa: E402
import table  # noqa: E402

PEER = {"name": "theirs", "target": 10, "tolerance": 1e-9, "difference": 0.0, "seconds": 3.0}
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
    text = page.document(FIGURES, "## What was tried\n\nNothing.\n")
    rows = [line for line in text.splitlines() if line.startswith(("| slow", "| quick"))]
    assert rows == [
        "| slow | more work | theirs | 3.00 | 1.00 | 3.00 | ≥ 10 | no | 0 |",
        "| quick | some work | theirs | 3.00 | 0.100 | 30.0 | ≥ 10 | yes | 0 |",
        "| slow | more work | 1.00 | ≤ 0.500 | no |",
    ]
    first = text[: text.index("## Measurement")]
    assert "Targets met: 2 of 4; below target: slow (theirs), slow (time)." in first
    assert "stopped: not in these figures" in first
    assert "Not installed: aeon" in text and "X was not there." in text
    assert text.endswith("## What was tried\n\nNothing.\n")


def test_faults_and_differences_are_reported():
    figures = copy.deepcopy(FIGURES)
    figures["rows"][0]["peers"] = [PEER | {"difference": 0.5}, {"name": "other", "target": 2, "tolerance": 0, "fault": "not there"}]
    figures["rows"][1] = {"name": "slow", "fault": "took more than an hour"}
    first = page.document(figures).partition("## Measurement")[0]
    assert "**quick**: results differ from those of theirs by 5.0e-01" in first
    assert "quick, other: not measured. not there" in first
    assert "| – | 0.100 | not measured | ≥ 2 | – | – |" in first
    assert "slow: not measured. took more than an hour" in first


def test_times_of_a_loaded_computer_are_not_published(tmp_path):
    with pytest.raises(SystemExit, match="load average 2.9"):
        page.write(FIGURES | {"load": 2.9}, tmp_path / "bench.md")
    assert not (tmp_path / "bench.md").exists()


def test_notes_are_kept_when_the_page_is_written_again(tmp_path):
    (tmp_path / "bench.md").write_text("# Old\n\n## What was tried\n\nNothing.\n", encoding="utf-8")
    page.write(FIGURES, tmp_path / "bench.md")
    assert (tmp_path / "bench.md").read_text(encoding="utf-8").endswith("## What was tried\n\nNothing.\n")


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
