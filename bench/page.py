"""Write the page docs/results/bench.md from the measurements of bench/table.py, with plots drawn by mercer."""

import json
import math

from mercer import _mercer

# Target for the overhead of a call, as a share of the time of a small Gram matrix.
CALL_TARGET = 0.2
# Times measured at a higher load average are not published.
MAX_LOAD = 0.5
# The last section of the page, which is written by hand and kept when the page is written again.
TRIED = "## What was tried"


def write(figures, path):
    """Write the page, and its plots to a folder of the same name."""
    if figures["load"] > MAX_LOAD:
        raise SystemExit(f"{path.name} was not written: load average {figures['load']:.1f} at the start; measure on an idle computer")
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(document(figures, old[old.index(TRIED) :] if TRIED in old else ""), encoding="utf-8")
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, plot in _mercer.report_plots(json.dumps(curves(figures)), "svg"):
        (folder / name).write_bytes(plot)


def document(figures, tried=""):
    """The text of the page: tables and conclusion first, what was tried last."""
    parts = [
        "# The Python package compared with other systems",
        table(figures),
        limits(figures),
        conclusion(figures),
        problems(figures),
        "## Measurement",
        place(figures),
        reading(),
        growth(figures),
        call(figures.get("call")),
        tried.rstrip(),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


# ------------------------------------------------------------------------------------------------- judging
def compared(figures):
    """Pairs of a row and each of its peers: slower than the peer first, then below target, met, not measured, without a target."""
    pairs = [(row, peer) for row in measured(figures) for peer in row["peers"]]

    def place(pair):
        ratio = pair[1].get("seconds", float("inf")) / pair[0]["seconds"]
        return ratio >= 1, ["no", "yes", "not measured", "–"].index(met(*pair)), ratio if ratio < 1.5 else 0

    return sorted(pairs, key=place)


def measured(figures):
    return [row for row in figures["rows"] if "fault" not in row]


def met(row, peer):
    """Whether the ratio reaches its target."""
    if "fault" in peer:
        return "not measured"
    if not peer["target"]:
        return "–"
    return "yes" if peer["seconds"] / row["seconds"] >= peer["target"] else "no"


def within(row):
    """Whether the time is within its target time."""
    return "yes" if row["seconds"] <= row["limit"] else "no"


def conclusion(figures):
    judged = [(f"{row['name']} ({peer['name']})", met(row, peer)) for row, peer in compared(figures)]
    judged += [(f"{row['name']} (time)", within(row)) for row in measured(figures) if row["limit"]]
    cost = figures.get("call") or {}
    if "whole" in cost:
        judged.append(("overhead of a call", "yes" if cost["least"] / cost["whole"] <= CALL_TARGET else "no"))
    judged = [(name, answer) for name, answer in judged if answer in ("yes", "no")]
    below = [name for name, answer in judged if answer == "no"]
    text = f"The ratio is the time of the peer divided by the time of mercer. Targets met: {len(judged) - len(below)} of {len(judged)}"
    return text + (f"; below target: {', '.join(below)}." if below else ".")


def problems(figures):
    """Different results and failed measurements."""
    out = []
    for row, peer in compared(figures):
        if "fault" in peer:
            out.append(f"{row['name']}, {peer['name']}: not measured. {peer['fault']}.")
        elif not peer["difference"] <= peer["tolerance"]:
            most = f"by {peer['difference']:.1e}, allowed {peer['tolerance']:.1e}"
            out.append(f"**{row['name']}**: results differ from those of {peer['name']} {most}.")
    known = {row["name"] for row in figures["rows"]}
    out += [f"{name}: not in these figures; the run was stopped." for name in figures["names"] if name not in known]
    everything = figures["rows"] + figures["growth"] + [figures.get("call") or {}]
    out += [f"{row.get('name')}: not measured. {row['fault']}." for row in everything if "fault" in row]
    return "Problems:\n\n" + bullets(out) if out else ""


# -------------------------------------------------------------------------------------------------- tables
def table(figures):
    lines = [
        "| workload | data | peer | peer s | mercer s | ratio | target | met | largest relative difference |",
        "|---|---|---|--:|--:|--:|--:|---|--:|",
    ]
    for row, peer in compared(figures):
        start = f"| {row['name']} | {row['what']} | {peer['name']} |"
        target = f"≥ {peer['target']:g}" if peer["target"] else "–"
        if "fault" in peer:
            lines.append(f"{start} – | {seconds(row['seconds'])} | not measured | {target} | – | – |")
        else:
            ratio = plain(peer["seconds"] / row["seconds"])
            times = f"{seconds(peer['seconds'])} | {seconds(row['seconds'])}"
            lines.append(f"{start} {times} | {ratio} | {target} | {met(row, peer)} | {gap(peer['difference'])} |")
    return "\n".join(lines)


def limits(figures):
    rows = sorted((row for row in measured(figures) if row["limit"]), key=within)
    lines = [f"| {r['name']} | {r['what']} | {seconds(r['seconds'])} | ≤ {seconds(r['limit'])} | {within(r)} |" for r in rows]
    head = "Target times, set on another computer with two cores:\n\n| workload | data | mercer s | target s | met |\n|---|---|--:|--:|---|"
    return "\n".join([head, *lines]) if lines else ""


def reading():
    return (
        "Differences are the largest |a - b| over the result, relative to the largest |a|. Matrices agree up to rounding, support "
        "vector machines up to their tolerance of 1e-3, accuracies up to one object that is classified differently. The targets 35 "
        "and 15 for wl are the ratios of GraKeL's times to the target times of 2 ms and 0.5 s. Reading files has no Python "
        "interface: see [foundation.md](foundation.md)."
    )


def place(figures):
    versions = ", ".join(f"{name} {version}" for name, version in figures["versions"].items() if version)
    lacking = [name for name, version in figures["versions"].items() if not version]
    written = (
        "Written by `cargo xtask bench --page bench`. [table.py](../../bench/table.py) measures the workloads, which are defined in "
        "[on_vectors.py](../../bench/on_vectors.py), [on_objects.py](../../bench/on_objects.py), "
        "[on_little.py](../../bench/on_little.py) and, for a look at other learners and transformers, [survey.py](../../bench/survey.py)."
    )
    lines = [f"Computer: {figures['machine']}; {figures['day']}.", f"Versions: {versions}."]
    if lacking:
        lines.append(f"Not installed: {', '.join(lacking)}.")
    lines.append(
        "Each workload runs in its own process, with two threads or processes per system. Loading, conversion and one warm-up run "
        f"are not timed. The systems take turns, {figures['repeat']} times each; the best time counts. Work shorter than 0.2 s is "
        "repeated until its turn has lasted that long."
    )
    notes = sorted({note for row in measured(figures) for note in row["notes"]})
    lines += [f"{note[0].upper()}{note[1:]}." for note in notes] or ["All data sets were available; none was replaced by generated data."]
    how = (
        "```text\ncargo xtask bench --page bench            # builds, installs the peers, measures, writes this page\n"
        "python bench/table.py --only dtw svc      # some workloads, in an environment that has the package and the peers\n"
        "python bench/table.py --figures FILE      # this page again, from target/bench-data/table.json\n```"
    )
    return "\n\n".join([written, bullets(lines), how])


# -------------------------------------------------------------------------------------------------- growth
def growth(figures):
    grown = [g for g in figures["growth"] if "fault" not in g]
    if not grown:
        return ""
    lines = [
        "## Growth of time with size",
        "",
        "Seconds of mercer, best of the same number of turns. The exponent is the slope of a least-squares line through the "
        "logarithms: seconds ~ size^exponent. Work per pair of objects gives 2, work per object 1.",
        "",
        "| work | sizes | seconds | exponent | plot |",
        "|---|---|---|--:|---|",
    ]
    for g in grown:
        sizes = ", ".join(f"{size:,}" for size, _ in g["points"])
        times = ", ".join(seconds(s) for _, s in g["points"])
        plot = f"[{g['name']}](bench/growth-{g['name']}.svg)"
        lines.append(f"| {g['title']} | {sizes} {g['things']} | {times} | {g['slope']:.2f} | {plot} |")
    plots = [f"![{g['title']}](bench/growth-{g['name']}.svg)" for g in grown]
    return "\n\n".join(["\n".join(lines), *plots])


def curves(figures):
    """A run document with curves. The y axis is linear, so it shows the logarithm of seconds."""

    def curve(g):
        return {
            "name": f"growth-{g['name']}",
            "title": f"{g['name']}: exponent {g['slope']:.2f}",
            "x": f"{g['things']} (logarithmic)",
            "y": "log10 of seconds",
            "points": [[size, math.log10(s)] for size, s in g["points"]],
            "logarithmic": True,
        }

    drawn = [curve(g) for g in figures["growth"] if "fault" not in g]
    return {"schema": "mercer/2", "command": "reproduce", "curves": drawn}


def call(cost):
    if not cost or "fault" in cost:
        return ""
    whole, least = cost["whole"] * 1e3, cost["least"] * 1e3
    return (
        f"## Overhead of a call\n\nA Gram matrix of 1,000 × 10 vectors takes {whole:.2f} ms from Python, best of 200. A call with a "
        f"single vector, which bounds the overhead of Python, takes {least:.2f} ms in total, {percent(least / whole)} (target: at "
        f"most {percent(CALL_TARGET)}). Arrays are read in place and returned without a copy, so the overhead does not grow with "
        "their size. The Rust call alone was not timed."
    )


# ---------------------------------------------------------------------------------------------- formatting
def bullets(lines):
    return "\n".join(f"* {line}" for line in lines)


def seconds(value):
    """Three significant digits, without an exponent."""
    digits = 2 - math.floor(math.log10(value)) if value > 0 else 0
    return f"{value:.{max(0, min(digits, 6))}f}"


def plain(ratio):
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def percent(share):
    return f"{100 * share:.0f} %"


def gap(value):
    return "0" if value == 0 else f"{value:.1e}"
