"""The report page in a real browser: documents derived from the samples, each for one feature."""

import base64
import copy
import itertools
import json
import random

import pytest

from shared import SAMPLES, artifact, assemble, becomes, broken, chart_position, colours, hover, sample, until

HOSTILE = "<img src=x onerror=alert(1)>"


def test_gram_image(open_document):
    """The image has the colours of the values: checked at the corners of a small matrix."""

    document = sample("evaluate")
    document["figures"]["gram"] = {
        "kernel": "k",
        "shown": 2,
        "of": 2,
        "ids": ["a", "b"],
        "classes": ["p", "q"],
        "numbers": None,
        "low": 0.0,
        "high": 1.0,
        "values": base64.b64encode(bytes([255, 0, 0, 255])).decode(),
    }
    page = open_document(document)
    found = page.evaluate("""async () => { const made = mercer.charts.find(c => c.name.includes('Kernel matrix'));
        const href = made.host.querySelector('image').getAttribute('href') || made.host.querySelector('image').getAttribute('xlink:href');
        const image = new Image(); image.src = href; await image.decode();
        const canvas = document.createElement('canvas'); canvas.width = image.width; canvas.height = image.height;
        const context = canvas.getContext('2d', {willReadFrequently: true}); context.drawImage(image, 0, 0);
        const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
        const e = image.width - 1; return [at(0, 0), at(e, 0), at(0, e), at(e, e)]; }""")
    high, low = [253, 231, 37], [68, 1, 84]  # The two ends of viridis.
    assert found == [high, low, low, high]


def test_large_gram_is_quick(open_document):
    """With a thousand objects the page stays under 3 MB and is drawn in seconds."""

    m = 1000
    row = bytes((7 * k) % 256 for k in range(2 * m))
    values = base64.b64encode(b"".join(row[i : i + m] for i in range(m))).decode()
    document = sample("evaluate")
    document["figures"]["gram"] = {
        "kernel": "k",
        "shown": m,
        "of": 5000,
        "ids": [f"object-{i}" for i in range(m)],
        "classes": [f"class {i // 250}" for i in range(m)],
        "numbers": None,
        "low": -1.0,
        "high": 1.0,
        "values": values,
    }
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


def test_ink_on_colours(open_document):
    """Text on coloured cells is black or white, whichever has more contrast, which is at least 4.5."""
    for scheme in ["light", "dark"]:
        page = open_document(sample("auto"), scheme=scheme)
        ratios = page.evaluate("""() => { const parse = c => c.match(/[\\d.]+/g).map(Number);
            const light = c => c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
            const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            const host = mercer.charts.find(c => c.name.includes('Confusion')).host;
            const inside = [];
            const fills = [...host.querySelectorAll('path')].filter(p => p.getBBox().width > 30 && p.getBBox().height > 20 && getComputedStyle(p).fill !== 'none');
            for (const t of host.querySelectorAll('text')) { const b = t.getBoundingClientRect(); const [x, y] = [b.x + b.width / 2, b.y + b.height / 2];
              const under = fills.find(p => { const r = p.getBoundingClientRect(); return x > r.left && x < r.right && y > r.top && y < r.bottom; });
              if (under) inside.push(ratio(light(parse(getComputedStyle(t).fill)), light(parse(getComputedStyle(under).fill)))); }
            return inside; }""")
        assert len(ratios) >= 9
        assert min(ratios) >= 4.5


def hostile_document():
    """The molecules sample with markup, script ends and template text in place of user strings."""
    document = sample("evaluate")
    names = {
        "mutagen": HOSTILE,
        "non-mutagen": "</script><script>alert(2)</script>",
        "mol-000": HOSTILE,
        "mol-017": HOSTILE + "{{script}}",
        "mol-001": "{b}{a|x}",
    }

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
    """Markup in class names, ids and file names is text on the page and in tooltips, and is never executed."""
    page = open_document(hostile_document())
    assert broken(page) == []
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    words = page.locator("main").inner_text()
    assert words.count(HOSTILE) > 10
    assert "{{document}}" in words
    assert HOSTILE in page.title()
    for details in page.locator("details.data > summary").all():
        details.click()
    until(page, "[...document.querySelectorAll('details.data')].every(d => d.querySelector('table'))")
    assert "</script><script>alert(2)</script>" in page.locator("main").inner_text()
    for fragment, point in [("Kernel matrix", [0.5, 0.5]), ("Confusion", [1, 1])]:
        assert "<" in hover(page, chart_position(page, fragment), point)
    page.wait_for_timeout(100)
    assert page.evaluate("document.querySelectorAll('main img, .tip img').length") == 0
    artifact(page, "hostile")


def test_phone_with_long_names(open_document):
    document = hostile_document()
    document["classes"][0]["name"] = document["summary"]["target"]["classes"][0]["name"] = "x" * 300
    document["data"] = "y" * 300
    page = open_document(document, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_phone_with_long_methods(open_document):
    """Wide tables scroll separately; their text for screen readers does not widen the page."""
    document = json.loads(
        json.dumps(sample("compare")).replace(" + svc", " with a long name, and parameters=1.25 + svc")
    )
    for cell in document["results"]:
        cell["best"] = True
    page = open_document(document, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("[...document.querySelectorAll('.scroll')].some(e => e.scrollWidth > e.clientWidth)")


def test_width_changes(open_document):
    """Charts follow the width of the window."""
    page = open_document(sample("evaluate"))
    page.set_viewport_size({"width": 420, "height": 800})
    until(page, "document.documentElement.scrollWidth <= 420")
    until(page, "mercer.charts.every(c => Math.abs(c.chart.getWidth() - c.host.clientWidth) <= 1)")


def test_paper_is_light_before_it_is_print(open_document):
    """The beforeprint event precedes the print style: charts are light from then on, and dark again after."""
    page = open_document(sample("evaluate"), scheme="dark")
    before = colours(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert colours(page) != before
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    becomes(page, before)


@pytest.mark.parametrize("clipboard", ["refused", "absent"])
def test_copy(open_document, clipboard):
    """The command can be copied without clipboard permission."""
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
    document["data"][0] = document["results"][0]["data"] = '=1+1, or "two"'
    page = open_document(document)
    details = page.locator("#strips details.data")
    details.locator("summary").click()
    with page.expect_download() as saved:
        details.get_by_text("Save as CSV").click()
    saved.value.save_as(tmp_path / "data.csv")
    lines = (tmp_path / "data.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Data,Method,Split,accuracy"
    assert lines[1].startswith('"\'=1+1, or ""two""",wl + svc,1,0.')
    with page.expect_download() as saved:
        page.get_by_text("Save the run as JSON").click()
    saved.value.save_as(tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text(encoding="utf-8")) == document
    with page.expect_download() as saved:
        page.locator("#strips button.image").click()
    saved.value.save_as(tmp_path / "chart.svg")
    assert "<svg" in (tmp_path / "chart.svg").read_text(encoding="utf-8")


def test_alerts_of_evaluations(open_document):
    """Warnings of the evaluations in a comparison are shown even if the comparison itself has none."""
    document = sample("compare")
    document["warnings"] = []
    for evaluation in document["evaluations"]:
        evaluation["warnings"] = ["W_IMBALANCE class 'a' has 2 members, class 'b' has 90"]
    page = open_document(document)
    card = page.locator(".alert")
    assert card.count() == 1
    assert "The classes differ much in size" in card.inner_text()
    assert "wl + svc on MUTAG: class 'a' has 2 members" in card.inner_text()
    assert "and 18 more of this kind" in card.inner_text()


def test_baseline_line(open_document):
    """The dashed line of the interval plot is at the baseline, to the pixel."""
    document = sample("evaluate")
    page = open_document(document)
    offset = page.evaluate(
        """mean => { const {chart, host} = mercer.charts[0];
        const line = [...host.querySelectorAll('path')].find(p => p.getAttribute('stroke-dasharray'));
        const box = line.getBoundingClientRect();
        return box.left + box.width / 2 - host.getBoundingClientRect().left - chart.convertToPixel({gridIndex: 0}, [mean, 0])[0]; }""",
        document["measures"][0]["baseline"]["mean"],
    )
    assert abs(offset) <= 1


def test_choices_redraw(open_document):
    """A choice above a chart changes what is drawn."""
    page = open_document(sample("auto"))
    for section in ["roc", "calibration", "drivers"]:
        host = page.locator(f"#{section} .chart").first
        before = host.inner_html()
        page.locator(f"#{section} select").first.select_option(index=1)
        assert host.inner_html() != before


def test_curves_and_confusion(open_document):
    """AUC, average precision and the confusion matrix compared with counts over all pairs; ties count one half."""
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
    """Three significant digits, a true minus sign, powers of ten for tiny numbers, a dash for missing ones."""
    document = sample("evaluate")
    values = [0.81649, 0.99961, -0.012345, 1234.567, 12345678.9, 0.0000123, None, 0]
    wanted = ["0.816", "1.00", "−0.0123", "1235", "1.23 × 10⁷", "1.23 × 10⁻⁵", "–", "0"]
    document["measures"] = [
        {
            "score": f"m{i}",
            "greater_is_better": True,
            "mean": v,
            "sd": None,
            "interval": None,
            "undefined": 0,
            "baseline": {"mean": None, "sd": None},
        }
        for i, v in enumerate(values)
    ]
    page = open_document(document)
    rows = page.locator("#measures tbody tr").all()
    assert [row.locator("td").nth(1).inner_text() for row in rows] == wanted


@pytest.mark.parametrize("command", ["evaluate", "auto", "compare", "reproduce", "fit", "predict", "explain"])
def test_almost_nothing(open_document, command):
    page = open_document({"schema": "mercer/2", "command": command})
    assert broken(page) == []
    assert page.locator("main > section").count() >= 2


def damaged(value, draw, share):
    """The document with a share of its leaves set to null and of its keys removed."""
    if isinstance(value, dict):
        return {
            k: damaged(v, draw, share)
            for k, v in value.items()
            if k in ("command", "schema") or draw.random() > share / 3
        }
    if isinstance(value, list):
        return [damaged(v, draw, share) for v in value]
    return None if isinstance(value, (int, float)) and draw.random() < share else value


@pytest.mark.parametrize("share", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("name", [p.stem for p in SAMPLES])
def test_survives_gaps(open_document, name, share):
    """Nulls and missing keys at random places: no section fails."""
    for seed in range(3):
        draw = random.Random(f"{name}-{share}-{seed}")
        page = open_document(damaged(copy.deepcopy(sample(name)), draw, share))
        assert broken(page) == [], seed


def test_many_of_everything(open_document):
    """Twenty classes, four searched parameters, twelve methods: charts offer selectors instead of showing all."""
    document = sample("evaluate")
    draw = random.Random(1)
    names = [f"class {c}" for c in range(20)]
    n = 400
    truth = [i % 20 for i in range(n)]
    document["classes"] = document["summary"]["target"]["classes"] = [{"name": c, "objects": 20} for c in names]
    document["figures"]["predictions"] = {
        "objects": list(range(n)),
        "ids": None,
        "split": [0] * n,
        "truth": truth,
        "predicted": [t if draw.random() < 0.7 else draw.randrange(20) for t in truth],
        "classes": names,
        "decisions": [[draw.gauss(2 * (c == t), 1) for c in range(20)] for t in truth],
        "probabilities": None,
    }
    parameters = [{"name": p, "values": ["1", "2", "3"]} for p in "abcd"]
    document["figures"]["search"] = {
        "score": "accuracy",
        "parameters": parameters,
        "configurations": [
            {"position": list(at), "mean": draw.random(), "chosen": 0} for at in itertools.product(range(3), repeat=4)
        ],
    }
    for width in [1360, 390]:
        page = open_document(document, width=width)
        assert broken(page) == []
        assert page.locator("#search select option").count() == 6
        assert page.locator("#roc select option").count() == 20
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        artifact(page, f"many-{width}")
    contest = sample("compare")
    methods = [f"method number {m}" for m in range(12)]
    contest.update(
        methods=methods,
        friedman={"ranks": [1 + 0.9 * m for m in range(12)]},
        nemenyi={"critical_difference": 3.1, "alpha": 0.05, "groups": [methods[i : i + 4] for i in range(9)]},
        pairs=[],
        evaluations=[],
    )
    contest["results"] = [
        {
            "method": m,
            "data": d,
            "scores": [draw.random() for _ in range(5)],
            "mean": draw.random(),
            "sd": 0.1,
            "best": False,
        }
        for m in methods
        for d in contest["data"]
    ]
    page = open_document(contest)
    assert broken(page) == []
    artifact(page, "many-methods")


def test_molecules_are_drawn_and_nothing_else_is_copied(open_document):
    """Drawings appear with their colours; scripts, links, handlers and styles in them do not."""
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" class="molecule" viewBox="0 0 60 40" width="60" height="40" onload="alert(1)">'
        '<title>C&lt;O</title><circle class="positive" cx="20" cy="20" r="10" fill="#d55e00" fill-opacity="0.5"/>'
        '<script>alert(1)</script><foreignObject><img src="x" onerror="alert(1)"/></foreignObject>'
        '<a href="javascript:alert(1)"><text x="1" y="1">link</text></a><text x="30" y="20" onclick="alert(1)">O</text></svg>'
    )
    document = sample("regression")
    drivers = document["figures"].setdefault("drivers", {})
    drivers["features"] = [{"feature": HOSTILE, "weight": 1.5, "class": None, "molecule": drawing}]
    drivers["objects"] = [
        {"id": HOSTILE, "truth": "1.5", "class": None, "value": 1.4, "offset": 1.0, "rest": 0.1, "parts": [], "graph": None,
         "text": "CO", "shown_for": "largest error", "molecule": drawing},
        {"id": "b", "truth": "1", "class": None, "value": 1.0, "offset": 1.0, "rest": 0.0, "parts": [], "graph": None,
         "text": None, "molecule": "<svg"},
    ]  # fmt: skip
    side = {"id": "x", "smiles": "CO", "target": "1.25", "svg": drawing}
    document["figures"]["cliffs"] = {
        "about": "Pairs.", "column": "smiles", "molecules": 2, "found": 1,
        "pairs": [{"similarity": 0.8, "difference": 2.0, "molecules": [side, {**side, "svg": None}]}],
    }  # fmt: skip
    for scheme in ["light", "dark"]:
        page = open_document(document, scheme=scheme)
        assert broken(page) == []
        assert page.locator("svg.molecule").count() == 3
        assert page.locator("svg.molecule :is(script, a, img, foreignObject)").count() == 0
        assert page.evaluate(
            "[...document.querySelectorAll('svg.molecule, svg.molecule *')].every(e => !e.onclick && !e.getAttribute('onload'))"
        )
        fill = page.evaluate("getComputedStyle(document.querySelector('svg.molecule .positive')).fill")
        assert fill == ("rgb(213, 94, 0)" if scheme == "light" else "rgb(245, 138, 66)")
        assert "largest error" in page.locator("#drivers").inner_text()
        assert "0.8" in page.locator("#cliffs").inner_text()
