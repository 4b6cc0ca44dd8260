"""The report page in a real browser.

    pip install pytest playwright
    pytest crates/mercer-report/browser

The browser is MERCER_CHROMIUM, else a Chromium or Chrome on the path. Pages are the .html files in MERCER_REPORT_PAGES,
made by the program, else the samples put together here. Screenshots go to MERCER_ARTIFACTS, if that is set.
"""

import copy
import itertools
import json
import os
import random
import re
import shutil
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "assets"))
from assemble import assemble  # noqa: E402

SAMPLES = sorted((HERE.parent / "tests" / "samples").glob("*.json"))
GIVEN = os.environ.get("MERCER_REPORT_PAGES")
NAMES = sorted(p.stem for p in Path(GIVEN).glob("*.html")) if GIVEN else [p.stem for p in SAMPLES]
HOSTILE = "<img src=x onerror=alert(1)>"
CONTROLS = "button, select, summary, a[href], pre[tabindex]"


def sample(name):
    return json.loads((HERE.parent / "tests" / "samples" / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def browser():
    found = os.environ.get("MERCER_CHROMIUM") or next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not found:
        pytest.skip("no Chromium: set MERCER_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The files of the pages under test, by name."""
    if GIVEN:
        return {p.stem: p for p in Path(GIVEN).glob("*.html")}
    folder = tmp_path_factory.mktemp("pages")
    for one in SAMPLES:
        (folder / f"{one.stem}.html").write_text(assemble(sample(one.stem)), encoding="utf-8")
    return {p.stem: p for p in folder.glob("*.html")}


@pytest.fixture
def open_page(browser):
    """Opens a file; whatever it says, asks for or pops up fails the test at its end."""
    contexts, complaints = [], []

    def open_(path, width=1360, height=900, scheme="light", before=None):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        contexts.append(context)
        context.set_default_timeout(15000)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(f"console {m.type}: {m.text}"))
        page.on("pageerror", lambda e: complaints.append(f"error: {e}"))

        def popped(dialog):
            complaints.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page.on("dialog", popped)
        own = path.resolve().as_uri()

        def asked(route):
            if route.request.url == own:
                return route.continue_()
            complaints.append(f"request: {route.request.url[:200]}")
            return route.abort()

        context.route(re.compile(r"^(?!data:|blob:)"), asked)
        if before:
            page.add_init_script(before)
        page.goto(own)
        page.evaluate("window.mercer.ready.then(() => true)")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def open_document(open_page, tmp_path):
    """Opens the page of a document."""
    numbers = itertools.count()

    def open_(document, **options):
        path = tmp_path / f"page{next(numbers)}.html"
        path.write_text(assemble(document), encoding="utf-8")
        return open_page(path, **options)

    return open_


def artifact(page, name, full=True):
    folder = os.environ.get("MERCER_ARTIFACTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=full)


def broken(page):
    """Sections and charts that gave up."""
    return page.evaluate("[...document.querySelectorAll('.missing')].map(e => e.textContent).filter(t => /could not be/.test(t))")


def chart_position(page, fragment):
    """The number of the first chart whose name holds the fragment, or a skip."""
    at = page.evaluate("f => mercer.charts.findIndex(c => c.name.includes(f))", fragment)
    if at < 0:
        pytest.skip(f"this page has no chart named {fragment}")
    page.evaluate("i => mercer.charts[i].host.scrollIntoView({block: 'center', behavior: 'instant'})", at)
    return at


def hover(page, at, point):
    """Moves the pointer to a point in the coordinates of the chart's axes, and gives the tooltip's text."""
    x, y = page.evaluate(
        """([i, p]) => { const {chart, host} = mercer.charts[i]; const [x, y] = chart.convertToPixel({gridIndex: 0}, p);
        const box = host.getBoundingClientRect(); return [box.left + x, box.top + y]; }""",
        [at, point],
    )
    page.mouse.move(x - 3, y - 3)
    page.mouse.move(x, y)
    tip = page.locator(".tip:visible")
    tip.first.wait_for()
    return tip.first.inner_text()


@pytest.mark.parametrize("name", NAMES)
def test_quiet_and_drawn(open_page, pages, name):
    """No complaint, no request (see open_page), and every chart holds more than its background."""
    page = open_page(pages[name])
    assert pages[name].stat().st_size < 3_000_000
    assert broken(page) == []
    drawn = page.evaluate(
        """mercer.charts.map(({name, host}) => {
            const canvas = host.querySelector('canvas');
            const box = host.getBoundingClientRect();
            if (!canvas) return {name, marks: host.querySelectorAll('svg path, svg text, svg image, svg circle, svg rect').length, size: box.width * box.height};
            const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            return {name, marks: new Set(pixels).size, size: box.width * box.height};
        })"""
    )
    for chart in drawn:
        assert chart["marks"] > 4 and chart["size"] > 10_000, chart
    document = json.loads(page.locator("#document").text_content())
    assert drawn or document["command"] == "reproduce"
    assert page.evaluate("Object.keys(window).filter(k => k === 'echarts')") == []
    artifact(page, f"{name}-light")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_held_is_shown(open_page, pages, name):
    """Every figure of the document has its section, and the verdict and the command are on the page."""
    page = open_page(pages[name])
    document = json.loads(page.locator("#document").text_content())
    words = page.locator("main").inner_text()
    wanted = {"gram": "gram", "spectrum": "spectrum", "components": "components", "search": "search", "drivers": "drivers", "certificates": "certificates"}
    for figure, section in wanted.items():
        if (document.get("figures") or {}).get(figure):
            assert page.locator(f"#{section} .missing").count() == 0, figure
            assert page.locator(f"#{section}").is_visible()
    verdict = document.get("verdict") or {}
    for sentence in filter(None, [verdict.get("sentence"), verdict.get("text"), (document.get("run") or {}).get("command_line")]):
        assert sentence in words
    for warning in document.get("warnings") or []:
        code, message = warning.split(" ", 1)
        assert code in words and message in words
    if not document.get("warnings"):
        assert "No alerts" in words


@pytest.mark.parametrize("name", NAMES)
def test_scatter_tooltip(open_page, pages, name):
    """A point of the components shows its id, its class or number, and its coordinates."""
    page = open_page(pages[name])
    at = chart_position(page, "principal components")
    components = json.loads(page.locator("#document").text_content())["figures"]["components"]
    # The point furthest to the right lies over all others there.
    i = max(range(len(components["x"])), key=lambda i: components["x"][i])
    said = hover(page, at, [components["x"][i], components["y"][i]])
    assert str(components["ids"][i]) in said
    if components["classes"]:
        assert str(components["classes"][i]) in said
    assert f"{components['x'][i]:.3g}".rstrip("0") in said.replace("−", "-")


@pytest.mark.parametrize("name", NAMES)
def test_gram_tooltip(open_page, pages, name):
    """A cell of the kernel matrix shows both ids and the value its byte stands for."""
    import base64

    page = open_page(pages[name])
    at = chart_position(page, "Kernel matrix")
    gram = json.loads(page.locator("#document").text_content())["figures"]["gram"]
    m, code = gram["shown"], base64.b64decode(gram["values"])
    for i, j in [(0, m - 1), (m // 3, m // 2)]:
        said = hover(page, at, [j + 0.5, i + 0.5])
        assert str(gram["ids"][i]) in said and str(gram["ids"][j]) in said
        value = gram["low"] + (gram["high"] - gram["low"]) * code[i * m + j] / 255
        number = float(re.search(r"≈ (\S+)", said).group(1).replace("−", "-").replace("\u202f", ""))
        assert abs(number - value) <= 0.006 * abs(value) + 1e-9
    artifact(page, f"{name}-gram-hover", full=False)


def test_gram_picture(open_document):
    """The picture has the colours of the values: the corners of a small matrix, read back."""
    import base64

    document = sample("evaluate")
    document["figures"]["gram"] = {"kernel": "k", "shown": 2, "of": 2, "ids": ["a", "b"], "classes": ["p", "q"], "numbers": None, "low": 0.0, "high": 1.0, "values": base64.b64encode(bytes([255, 0, 0, 255])).decode()}
    page = open_document(document)
    found = page.evaluate(
        """async () => { const made = mercer.charts.find(c => c.name.includes('Kernel matrix'));
        const href = made.host.querySelector('image').getAttribute('href') || made.host.querySelector('image').getAttribute('xlink:href');
        const image = new Image(); image.src = href; await image.decode();
        const canvas = document.createElement('canvas'); canvas.width = image.width; canvas.height = image.height;
        const context = canvas.getContext('2d', {willReadFrequently: true}); context.drawImage(image, 0, 0);
        const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
        const e = image.width - 1; return [at(0, 0), at(e, 0), at(0, e), at(e, e)]; }"""
    )
    high, low = [253, 231, 37], [68, 1, 84]  # The two ends of viridis.
    assert found == [high, low, low, high]


def test_large_gram_is_quick(open_document):
    """A thousand objects: the page stays under 3 MB and is drawn in seconds."""
    import base64

    m = 1000
    row = bytes((7 * k) % 256 for k in range(2 * m))
    values = base64.b64encode(b"".join(row[i : i + m] for i in range(m))).decode()
    document = sample("evaluate")
    document["figures"]["gram"] = {"kernel": "k", "shown": m, "of": 5000, "ids": [f"object-{i}" for i in range(m)], "classes": [f"class {i // 250}" for i in range(m)], "numbers": None, "low": -1.0, "high": 1.0, "values": values}
    assert len(assemble(document).encode()) < 3_000_000
    page = open_document(document)
    assert page.evaluate("mercer.ready.then(() => performance.now())") < 8000
    at = chart_position(page, "Kernel matrix")
    said = hover(page, at, [999.5, 0.5])
    assert "object-0" in said and "object-999" in said
    details = page.locator("#gram details.data").first
    details.locator("summary").click()
    details.locator("tbody tr").first.wait_for()
    assert details.locator("tbody tr").count() == 10  # Four classes: ten pairs.
    artifact(page, "large-gram", full=False)


def colours(page):
    return page.evaluate(
        """() => { const made = mercer.charts[0]; const label = made && made.host.querySelector('text');
        return [getComputedStyle(document.body).backgroundColor, label ? getComputedStyle(label).fill : null]; }"""
    )


@pytest.mark.parametrize("name", NAMES)
def test_themes(open_page, pages, name):
    """The system's scheme and the button both change the page and the charts."""
    light, dark = open_page(pages[name], scheme="light"), open_page(pages[name], scheme="dark")
    by_scheme = [colours(light), colours(dark)]
    assert by_scheme[0][0] != by_scheme[1][0]
    if by_scheme[0][1]:
        assert by_scheme[0][1] != by_scheme[1][1]
    light.get_by_role("button", name="Dark theme").click()
    assert colours(light) == by_scheme[1]
    light.get_by_role("button", name="Light theme").click()
    assert colours(light) == by_scheme[0]
    dark.emulate_media(color_scheme="light")
    dark.wait_for_timeout(50)
    assert colours(dark) == by_scheme[0]
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


def test_ink_on_colours(open_document):
    """Text on coloured cells has the better of black and white, which is never below 4.5."""
    for scheme in ["light", "dark"]:
        page = open_document(sample("auto"), scheme=scheme)
        ratios = page.evaluate(
            """() => { const parse = c => c.match(/[\\d.]+/g).map(Number);
            const light = c => c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
            const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            const host = mercer.charts.find(c => c.name.includes('Confusion')).host;
            const inside = [];
            const fills = [...host.querySelectorAll('path')].filter(p => p.getBBox().width > 30 && p.getBBox().height > 20 && getComputedStyle(p).fill !== 'none');
            for (const t of host.querySelectorAll('text')) { const b = t.getBoundingClientRect(); const [x, y] = [b.x + b.width / 2, b.y + b.height / 2];
              const under = fills.find(p => { const r = p.getBoundingClientRect(); return x > r.left && x < r.right && y > r.top && y < r.bottom; });
              if (under) inside.push(ratio(light(parse(getComputedStyle(t).fill)), light(parse(getComputedStyle(under).fill)))); }
            return inside; }"""
        )
        assert len(ratios) >= 9
        assert min(ratios) >= 4.5


def hostile_document():
    """The molecules with markup, script ends and template text wherever a user's strings go."""
    document = sample("evaluate")
    names = {"mutagen": HOSTILE, "non-mutagen": "</script><script>alert(2)</script>", "mol-000": HOSTILE, "mol-017": HOSTILE + "{{script}}", "mol-001": "{b}{a|x}"}

    def replaced(value):
        if isinstance(value, dict):
            return {k: replaced(v) for k, v in value.items()}
        if isinstance(value, list):
            return [replaced(v) for v in value]
        return names.get(value, value) if isinstance(value, str) else value

    document = replaced(document)
    document["data"] = f"folder/{HOSTILE}.csv"
    document["target"] = HOSTILE
    document["kernel"] = HOSTILE * 8
    document["warnings"].append(f"W_UNUSED {HOSTILE}")
    document["summary"]["columns"][0]["name"] = HOSTILE
    document["figures"]["drivers"]["features"][0]["feature"] = HOSTILE
    document["figures"]["drivers"]["objects"][0]["graph"]["labels"][0] = HOSTILE
    document["figures"]["drivers"]["objects"][1].update({"graph": None, "text": f"ab{HOSTILE}cd"})
    document["figures"]["search"]["parameters"][0]["name"] = HOSTILE
    document["verdict"]["sentence"] = f"Better {HOSTILE}"
    document["run"]["command_line"] = f"mercer evaluate '{HOSTILE}' {{{{document}}}}"
    return document


def test_hostile_strings(open_document):
    """Markup in class names, ids and file names is text on the page and in tooltips, and nothing runs."""
    page = open_document(hostile_document())
    assert broken(page) == []
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    words = page.locator("main").inner_text()
    assert words.count(HOSTILE) > 10
    assert "{{document}}" in words
    assert HOSTILE in page.title()
    for details in page.locator("details.data > summary").all():
        details.click()
    page.wait_for_function("[...document.querySelectorAll('details.data')].every(d => d.querySelector('table'))")
    assert "</script><script>alert(2)</script>" in page.locator("main").inner_text()
    for fragment, point in [("Kernel matrix", [0.5, 0.5]), ("Confusion", [1, 1])]:
        assert "<" in hover(page, chart_position(page, fragment), point)
    page.wait_for_timeout(100)
    assert page.evaluate("document.querySelectorAll('main img, .tip img').length") == 0
    artifact(page, "hostile")


@pytest.mark.parametrize("name", NAMES)
def test_phone(open_page, pages, name):
    """No sideways scrolling at 390 pixels, and the index opens."""
    page = open_page(pages[name], width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    artifact(page, f"{name}-phone")
    page.get_by_text("Contents").click()
    page.get_by_role("link", name="The run").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_phone_with_long_names(open_document):
    document = hostile_document()
    document["classes"][0]["name"] = document["summary"]["target"]["classes"][0]["name"] = "x" * 300
    document["data"] = "y" * 300
    page = open_document(document, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_width_changes(open_document):
    """Charts follow the width of the window."""
    page = open_document(sample("evaluate"))
    page.set_viewport_size({"width": 420, "height": 800})
    page.wait_for_timeout(400)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.evaluate("mercer.charts.every(c => Math.abs(c.chart.getWidth() - c.host.clientWidth) <= 1)")


@pytest.mark.parametrize("name", NAMES)
def test_keyboard_and_names(open_page, pages, name):
    """The Tab key reaches every control; every control, chart and table has a name, and every chart its data."""
    page = open_page(pages[name])
    wanted = page.evaluate(
        "s => { let k = 0; for (const e of document.querySelectorAll(s)) if (e.checkVisibility()) e.dataset.control = k++; return k; }", CONTROLS
    )
    reached = set()
    for _ in range(wanted + 30):
        page.keyboard.press("Tab")
        at = page.evaluate("document.activeElement.dataset.control ?? null")
        if at is not None:
            reached.add(int(at))
    assert reached == set(range(wanted))
    nameless = page.evaluate("s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility() && !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).map(e => e.outerHTML)", CONTROLS)
    assert nameless == []
    charts = page.evaluate("mercer.charts.map(c => ({name: c.host.getAttribute('aria-label'), role: c.host.getAttribute('role'), data: c.node.querySelectorAll('details.data').length}))")
    assert all(c["name"] and c["role"] == "img" and c["data"] == 1 for c in charts)
    assert len({c["name"] for c in charts}) == len(charts)
    assert page.evaluate("[...document.querySelectorAll('h1')].length") == 1
    assert page.evaluate("[...document.querySelectorAll('section')].every(s => document.getElementById(s.getAttribute('aria-labelledby')))")
    assert page.evaluate("(ids => new Set(ids).size === ids.length)([...document.querySelectorAll('[id]')].map(e => e.id))")


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
    """On paper all sections are there, in light colours, without the index."""
    page = open_page(pages[name], scheme="dark")
    page.get_by_role("button", name="Light theme").click()
    page.get_by_role("button", name="Dark theme").click()
    page.emulate_media(media="print")
    page.wait_for_timeout(100)
    sections = page.evaluate("[...document.querySelectorAll('main > section, main > header')].map(s => [s.id, s.checkVisibility(), s.getBoundingClientRect().height])")
    assert len(sections) >= 3 and all(visible and height > 20 for _, visible, height in sections)
    assert not page.locator("#side").is_visible()
    background, label = colours(page)
    assert background == "rgb(255, 255, 255)"
    if label:
        assert sum(map(int, re.findall(r"\d+", label)[:3])) < 400
    page.set_viewport_size({"width": 700, "height": 900})
    wide = page.evaluate("[...document.querySelectorAll('.chart svg, .chart canvas')].filter(e => e.getBoundingClientRect().right > 701).length")
    assert wide == 0
    folder = os.environ.get("MERCER_ARTIFACTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.pdf(path=str(Path(folder) / f"{name}.pdf"), format="A4")


def test_paper_is_light_before_it_is_print(open_document):
    """Browsers tell of printing before the print style holds: charts are light from then on, and dark again after."""
    page = open_document(sample("evaluate"), scheme="dark")
    before = colours(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert colours(page) != before
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert colours(page) == before


@pytest.mark.parametrize("clipboard", ["refused", "absent"])
def test_copy(open_document, clipboard):
    """The command can be copied without permission for the clipboard."""
    before = {
        "refused": "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));",
        "absent": "Object.defineProperty(navigator, 'clipboard', {value: undefined});",
    }[clipboard]
    document = sample("evaluate")
    page = open_document(document, before=before)
    page.evaluate("document.addEventListener('copy', () => { window.copied = String(getSelection()); })")
    page.locator("#copy").click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("window.copied") == document["run"]["command_line"]


def test_saving(open_document, tmp_path):
    """Tables are saved as CSV and the run as JSON; a formula in a name stays text in a spreadsheet."""
    document = sample("compare")
    document["data"][0] = document["cells"][0]["data"] = "=1+1, or \"two\""
    page = open_document(document)
    details = page.locator("#strips details.data")
    details.locator("summary").click()
    with page.expect_download() as saved:
        details.get_by_text("Save as CSV").click()
    saved.value.save_as(tmp_path / "data.csv")
    lines = (tmp_path / "data.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Data,Method,Division,accuracy"
    assert lines[1].startswith("\"'=1+1, or \"\"two\"\"\",wl + svc,1,0.")
    with page.expect_download() as saved:
        page.get_by_text("Save the run as JSON").click()
    saved.value.save_as(tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8")) == document
    with page.expect_download() as saved:
        page.locator("#strips button.image").click()
    saved.value.save_as(tmp_path / "chart.svg")
    assert "<svg" in (tmp_path / "chart.svg").read_text(encoding="utf-8")


def test_choices_redraw(open_document):
    """A choice above a chart changes what is drawn."""
    page = open_document(sample("auto"))
    for section in ["roc", "calibration", "drivers"]:
        host = page.locator(f"#{section} .chart").first
        before = host.inner_html()
        page.locator(f"#{section} select").first.select_option(index=1)
        assert host.inner_html() != before


# ---- numbers the page computes -----------------------------------------------------------------------------------


def test_curves_and_confusion(open_document):
    """AUC, average precision and the confusion matrix against counts over all pairs, ties by half."""
    document = sample("evaluate")
    predictions = document["figures"]["predictions"]
    truth, said = predictions["truth"], predictions["predicted"]
    scores = [p[1] for p in predictions["probabilities"]]
    rows = [(s, t) for s, t in zip(scores, truth) if s is not None]
    positive, negative = [s for s, t in rows if t == 1], [s for s, t in rows if t == 0]
    auc = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative) / len(positive) / len(negative)
    precision = 0.0
    for level in sorted(set(positive), reverse=True):
        above = [t for s, t in rows if s >= level]
        precision += sum(s == level for s in positive) / len(positive) * sum(above) / len(above)
    page = open_document(document)
    assert f"AUC {auc:.3f}" in page.locator("#roc .chart").inner_text()
    assert f"AP {precision:.3f}" in page.locator("#precision-recall .chart").inner_text()
    page.locator("#confusion details.data summary").click()
    page.locator("#confusion tbody tr").first.wait_for()
    cells = [[td.inner_text() for td in tr.locator("td").all()] for tr in page.locator("#confusion tbody tr").all()]
    for t in range(2):
        for p in range(2):
            assert cells[t][p + 1] == str(sum(a == t and b == p for a, b in zip(truth, said)))
    page.locator("#calibration details.data summary").click()
    page.locator("#calibration tbody tr").first.wait_for()
    groups = [[td.inner_text() for td in tr.locator("td").all()] for tr in page.locator("#calibration tbody tr").all()]
    assert len(groups) == 10 and sum(int(g[1]) for g in groups) == len(rows)
    first = sorted(rows)[: len(rows) // 10]
    assert float(groups[0][2]) == pytest.approx(sum(s for s, _ in first) / len(first), rel=6e-3)


def test_number_format(open_document):
    """Three significant digits, a true minus, powers of ten for the very small, a dash for none."""
    document = sample("evaluate")
    values = [0.81649, 0.99961, -0.012345, 1234.567, 12345678.9, 0.0000123, None, 0]
    wanted = ["0.816", "1.00", "−0.0123", "1235", "1.23 × 10⁷", "1.23 × 10⁻⁵", "–", "0"]
    document["measures"] = [{"score": f"m{i}", "greater_is_better": True, "mean": v, "sd": None, "interval": None, "undefined": 0, "baseline": {"mean": None, "sd": None}} for i, v in enumerate(values)]
    page = open_document(document)
    rows = page.locator("#measures tbody tr").all()
    assert [row.locator("td").nth(1).inner_text() for row in rows] == wanted


# ---- documents that lack things ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["evaluate", "auto", "compare", "reproduce"])
def test_almost_nothing(open_document, command):
    page = open_document({"schema": "mercer/1", "command": command})
    assert broken(page) == []
    assert page.locator("main > section").count() >= 2


def damaged(value, draw, share):
    """The document with a share of its leaves null and of its keys gone."""
    if isinstance(value, dict):
        return {k: damaged(v, draw, share) for k, v in value.items() if k in ("command", "schema") or draw.random() > share / 3}
    if isinstance(value, list):
        return [damaged(v, draw, share) for v in value]
    return None if isinstance(value, (int, float)) and draw.random() < share else value


@pytest.mark.parametrize("share", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("name", [p.stem for p in SAMPLES])
def test_survives_gaps(open_document, name, share):
    """Null numbers and absent keys, at random and everywhere: no section gives up."""
    for seed in range(3):
        draw = random.Random(f"{name}-{share}-{seed}")
        page = open_document(damaged(copy.deepcopy(sample(name)), draw, share))
        assert broken(page) == [], seed


def test_many_of_everything(open_document):
    """Twenty classes, four searched parameters, twelve methods: charts choose instead of crowding."""
    document = sample("evaluate")
    draw = random.Random(1)
    names = [f"class {c}" for c in range(20)]
    n = 400
    truth = [i % 20 for i in range(n)]
    document["classes"] = document["summary"]["target"]["classes"] = [{"name": c, "objects": 20} for c in names]
    document["figures"]["predictions"] = {"objects": list(range(n)), "ids": None, "division": [0] * n, "truth": truth, "predicted": [t if draw.random() < 0.7 else draw.randrange(20) for t in truth], "classes": names, "decisions": [[draw.gauss(2 * (c == t), 1) for c in range(20)] for t in truth], "probabilities": None}
    parameters = [{"name": p, "values": ["1", "2", "3"]} for p in "abcd"]
    document["figures"]["search"] = {"score": "accuracy", "parameters": parameters, "cells": [{"position": list(at), "mean": draw.random(), "chosen": 0} for at in itertools.product(range(3), repeat=4)]}
    for width in [1360, 390]:
        page = open_document(document, width=width)
        assert broken(page) == []
        assert page.locator("#search select option").count() == 6
        assert page.locator("#roc select option").count() == 20
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        artifact(page, f"many-{width}")
    contest = sample("compare")
    methods = [f"method number {m}" for m in range(12)]
    contest.update(methods=methods, friedman={"ranks": [1 + 0.9 * m for m in range(12)]}, nemenyi={"critical_difference": 3.1, "alpha": 0.05, "groups": [methods[i : i + 4] for i in range(9)]}, pairs=[], evaluations=[])
    contest["cells"] = [{"method": m, "data": d, "scores": [draw.random() for _ in range(5)], "mean": draw.random(), "sd": 0.1, "best": False} for m in methods for d in contest["data"]]
    page = open_document(contest)
    assert broken(page) == []
    artifact(page, "many-methods")
