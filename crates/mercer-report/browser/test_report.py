"""The report page in a real browser: what every page must do.

    pip install pytest playwright
    pytest crates/mercer-report/browser

The browser is MERCER_CHROMIUM, else a Chromium or Chrome on the path. Pages are the .html files in MERCER_REPORT_PAGES,
made by the program, else the samples put together here. Screenshots go to MERCER_ARTIFACTS, if that is set.
"""

import base64
import json
import os
import re
from pathlib import Path

import pytest

from shared import COLOURS, NAMES, artifact, becomes, broken, chart_position, colours, hover, until

CONTROLS = "button, select, summary, a[href], pre[tabindex]"


@pytest.mark.parametrize("name", NAMES)
def test_quiet_and_drawn(open_page, pages, name):
    """No error, no request (see open_page), and every chart shows more than its background."""
    page = open_page(pages[name])
    assert pages[name].stat().st_size < 3_000_000
    assert broken(page) == []
    drawn = page.evaluate("""mercer.charts.map(({name, host}) => {
            const canvas = host.querySelector('canvas');
            const box = host.getBoundingClientRect();
            if (!canvas) return {name, marks: host.querySelectorAll('svg path, svg text, svg image, svg circle, svg rect').length, size: box.width * box.height};
            const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            return {name, marks: new Set(pixels).size, size: box.width * box.height};
        })""")
    for chart in drawn:
        assert chart["marks"] > 4 and chart["size"] > 10_000, chart
    document = json.loads(page.locator("#document").text_content())
    assert drawn or document["command"] == "reproduce"
    assert page.evaluate("Object.keys(window).filter(k => k === 'echarts')") == []
    artifact(page, f"{name}-light")


@pytest.mark.parametrize("name", NAMES)
def test_all_figures_are_shown(open_page, pages, name):
    """Every figure of the document has its section, and the verdict and the command are on the page."""
    page = open_page(pages[name])
    document = json.loads(page.locator("#document").text_content())
    plain = lambda words: " ".join(words.split())
    words = plain(page.locator("main").inner_text())
    wanted = {
        "gram": "gram",
        "spectrum": "spectrum",
        "components": "components",
        "search": "search",
        "drivers": "drivers",
        "certificates": "certificates",
    }
    for figure, section in wanted.items():
        if (document.get("figures") or {}).get(figure):
            assert page.locator(f"#{section} .missing").count() == 0, figure
            assert page.locator(f"#{section}").is_visible()
    verdict = document.get("verdict") or {}
    for sentence in filter(
        None, [verdict.get("sentence"), verdict.get("text"), (document.get("run") or {}).get("command_line")]
    ):
        assert plain(sentence) in words
    for warning in document.get("warnings") or []:
        code, message = warning.split(" ", 1)
        assert code in words and plain(message) in words
    if not document.get("warnings") and not any(e.get("warnings") for e in document.get("evaluations") or []):
        assert "No alerts" in words


@pytest.mark.parametrize("name", NAMES)
def test_scatter_tooltip(open_page, pages, name):
    """A point of the components shows its id, its class or number, and its coordinates."""
    page = open_page(pages[name])
    at = chart_position(page, "principal components")
    components = json.loads(page.locator("#document").text_content())["figures"]["components"]
    # The rightmost point is not covered by others.
    i = max(range(len(components["x"])), key=lambda i: components["x"][i])
    said = hover(page, at, [components["x"][i], components["y"][i]])
    assert str(components["ids"][i]) in said
    if components["classes"]:
        assert str(components["classes"][i]) in said
    assert f"{components['x'][i]:.3g}".rstrip("0") in said.replace("−", "-")


@pytest.mark.parametrize("name", NAMES)
def test_gram_tooltip(open_page, pages, name):
    """A cell of the kernel matrix shows both ids and the value encoded by its byte."""

    page = open_page(pages[name])
    at = chart_position(page, "Kernel matrix")
    gram = json.loads(page.locator("#document").text_content())["figures"]["gram"]
    m, code = gram["shown"], base64.b64decode(gram["values"])
    for i, j in [(0, m - 1), (m // 3, m // 2)]:
        said = hover(page, at, [j + 0.5, i + 0.5])
        for word, k in [("row", i), ("column", j)]:
            assert re.search(rf"{word}\s+{re.escape(str(gram['ids'][k]))}\b", said)
        value = gram["low"] + (gram["high"] - gram["low"]) * code[i * m + j] / 255
        number = float(re.search(r"≈ (\S+)", said).group(1).replace("−", "-").replace("\u202f", ""))
        assert abs(number - value) <= 0.006 * abs(value) + 1e-9
    artifact(page, f"{name}-gram-hover", full=False)


@pytest.mark.parametrize("name", NAMES)
def test_themes(open_page, pages, name):
    """The system's colour scheme and the button both change the page and the charts."""
    light, dark = open_page(pages[name], scheme="light"), open_page(pages[name], scheme="dark")
    by_scheme = [colours(light), colours(dark)]
    assert by_scheme[0][0] != by_scheme[1][0]
    if by_scheme[0][1]:
        assert by_scheme[0][1] != by_scheme[1][1]
    light.get_by_role("button", name="Dark theme").click()
    becomes(light, by_scheme[1])
    light.get_by_role("button", name="Light theme").click()
    becomes(light, by_scheme[0])
    dark.emulate_media(color_scheme="light")
    becomes(dark, by_scheme[0])
    dark.emulate_media(color_scheme="dark")
    artifact(dark, f"{name}-dark")


CONTRAST = """() => {
  const parse = c => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const under = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0.99) return c; } return [255, 255, 255]; };
  const out = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest('svg, script, style, mark, .hidden, option, noscript')) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(under(e))];
    out.push({what: `${e.tagName} .${e.className} ${e.textContent.slice(0, 30)}`, kind: e.className, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)});
  }
  for (const made of mercer.charts) {
    const b = light(under(made.host));
    for (const t of made.host.querySelectorAll('svg > g > text, svg text')) {
      if (made.name.includes('Confusion') || made.name.includes('Mean score') || made.name.includes('Graph of')) break; // Text on coloured marks.
      const a = light(parse(getComputedStyle(t).fill));
      out.push({what: `chart ${made.name}: ${t.textContent}`, kind: 'chart', ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)});
    }
  }
  return out;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_contrast(open_page, pages, name, scheme):
    """All text on the page and on the charts' background has a contrast of at least 4.5."""
    page = open_page(pages[name], scheme=scheme)
    found = page.evaluate(CONTRAST)
    kinds = {one["kind"] for one in found}
    assert {"how", "sentence"} <= kinds
    weak = [one for one in found if one["ratio"] < 4.5]
    assert weak == []


@pytest.mark.parametrize("name", NAMES)
def test_phone(open_page, pages, name):
    """No sideways scrolling at 390 pixels, and the index opens."""
    page = open_page(pages[name], width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    artifact(page, f"{name}-phone")
    page.get_by_text("Contents").click()
    page.get_by_role("link", name="The run").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("name", NAMES)
def test_keyboard_and_names(open_page, pages, name):
    """The Tab key reaches every control; every control, chart and table has a name, and every chart its data."""
    page = open_page(pages[name])
    wanted = page.evaluate(
        "s => { let k = 0; for (const e of document.querySelectorAll(s)) if (e.checkVisibility()) e.dataset.control = k++; return k; }",
        CONTROLS,
    )
    reached = set()
    for _ in range(wanted + 30):
        page.keyboard.press("Tab")
        at = page.evaluate("document.activeElement.dataset.control ?? null")
        if at is not None:
            reached.add(int(at))
    assert reached == set(range(wanted))
    nameless = page.evaluate(
        "s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility() && !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).map(e => e.outerHTML)",
        CONTROLS,
    )
    assert nameless == []
    charts = page.evaluate(
        "mercer.charts.map(c => ({name: c.host.getAttribute('aria-label'), role: c.host.getAttribute('role'), data: c.node.querySelectorAll('details.data').length}))"
    )
    assert all(c["name"] and c["role"] == "img" and c["data"] == 1 for c in charts)
    assert len({c["name"] for c in charts}) == len(charts)
    assert page.evaluate("[...document.querySelectorAll('h1')].length") == 1
    assert page.evaluate(
        "[...document.querySelectorAll('section')].every(s => document.getElementById(s.getAttribute('aria-labelledby')))"
    )
    assert page.evaluate(
        "(ids => new Set(ids).size === ids.length)([...document.querySelectorAll('[id]')].map(e => e.id))"
    )


@pytest.mark.parametrize("name", NAMES)
def test_data_tables(open_page, pages, name):
    """Every data table opens by keyboard and has rows."""
    page = open_page(pages[name])
    for details in page.locator("details.data").all():
        details.locator("summary").focus()
        page.keyboard.press("Enter")
        details.locator("tbody tr").first.wait_for()


@pytest.mark.parametrize("name", NAMES)
def test_print(open_page, pages, name):
    """In print all sections are present, in light colours, without the index."""
    page = open_page(pages[name], scheme="dark")
    page.get_by_role("button", name="Light theme").click()
    page.get_by_role("button", name="Dark theme").click()
    page.emulate_media(media="print")
    until(page, "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'")
    sections = page.evaluate(
        "[...document.querySelectorAll('main > section, main > header')].map(s => [s.id, s.checkVisibility(), s.getBoundingClientRect().height])"
    )
    assert len(sections) >= 3 and all(visible and height > 20 for _, visible, height in sections)
    assert not page.locator("#side").is_visible()
    # Text is dark.
    until(page, f"""() => {{ const label = ({COLOURS})()[1];
        return !label || label.match(/\\d+/g).slice(0, 3).reduce((sum, v) => sum + Number(v), 0) < 400; }}""")
    page.set_viewport_size({"width": 700, "height": 900})
    until(
        page, "[...document.querySelectorAll('.chart svg, .chart canvas')].every(e => e.getBoundingClientRect().right <= 701)"
    )
    folder = os.environ.get("MERCER_ARTIFACTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.pdf(path=str(Path(folder) / f"{name}.pdf"), format="A4")
