"""Helpers for the tests of the report page: documents, positions on charts, screenshots."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "assets"))
from assemble import assemble  # noqa: F401

SAMPLES = sorted((HERE.parent / "tests" / "samples").glob("*.json"))
GIVEN = os.environ.get("MERCER_REPORT_PAGES")
NAMES = sorted(p.stem for p in Path(GIVEN).glob("*.html")) if GIVEN else [p.stem for p in SAMPLES]


def skip_without(what):
    """Skips a test because a requirement is missing; in CI that is a failure."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(what)


def sample(name):
    return json.loads((HERE.parent / "tests" / "samples" / f"{name}.json").read_text(encoding="utf-8"))


def artifact(page, name, full=True):
    folder = os.environ.get("MERCER_ARTIFACTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=full)


def broken(page):
    """Sections and charts that failed."""
    return page.evaluate(
        "[...document.querySelectorAll('.missing')].map(e => e.textContent).filter(t => /could not be/.test(t))"
    )


def chart_position(page, fragment):
    """The index of the first chart whose name contains the fragment; skips the test if there is none."""
    at = page.evaluate("f => mercer.charts.findIndex(c => c.name.includes(f))", fragment)
    if at < 0:
        pytest.skip(f"this page has no chart named {fragment}")
    page.evaluate("i => mercer.charts[i].host.scrollIntoView({block: 'center', behavior: 'instant'})", at)
    return at


def hover(page, at, point):
    """Moves the pointer to a point in the chart's coordinates and returns the tooltip's text."""
    x, y = page.evaluate(
        """([i, p]) => { const {chart, host} = mercer.charts[i]; const [x, y] = chart.convertToPixel({gridIndex: 0}, p);
        const box = host.getBoundingClientRect(); return [box.left + x, box.top + y]; }""",
        [at, point],
    )
    tip = page.locator(".tip:visible")
    # Wait until the tooltip of an earlier point is gone.
    page.mouse.move(0, 0)
    until(page, "![...document.querySelectorAll('.tip')].some(tip => tip.checkVisibility({visibilityProperty: true, opacityProperty: true}))")
    page.mouse.move(x - 3, y - 3)
    page.mouse.move(x, y)
    tip.first.wait_for()
    return tip.first.inner_text()


COLOURS = """() => { const made = mercer.charts[0]; const label = made && made.host.querySelector('text');
    return [getComputedStyle(document.body).backgroundColor, label ? getComputedStyle(label).fill : null]; }"""


def colours(page):
    """The colours of the page and of the first text of its first chart."""
    return page.evaluate(COLOURS)


def until(page, test, seconds=10):
    """Waits until an expression in the page is true, because browsers notify pages of changes asynchronously."""
    end = time.monotonic() + seconds
    while not page.evaluate(test):
        assert time.monotonic() < end, f"timed out: {test}"
        page.wait_for_timeout(20)


def becomes(page, wanted):
    """Waits until the page has these colours."""
    until(page, f"() => JSON.stringify(({COLOURS})()) === JSON.stringify({json.dumps(wanted)})")
