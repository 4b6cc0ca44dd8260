"""Write the page docs/results/bench.md from the measurements of bench/table.py, with plots drawn by mercer."""

import json
import math

from mercer import _mercer

# Target for the overhead of a call, as a share of the time of a small Gram matrix.
CALL_TARGET = 0.2
# Pages that document what was tried for workloads below target.
ACCOUNTS = {
    "gram-rbf": "README.md",
    "gram-sparse-linear": "README.md",
    "svc-precomputed": "README.md",
    "gak": "series.md",
    "wl-mutag": "graph-speed.md",
}


def write(figures, path):
    """Write the page, and its plots to a folder of the same name."""
    path.write_text(document(figures), encoding="utf-8")
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, plot in _mercer.report_plots(json.dumps(curves(figures)), "svg"):
        (folder / name).write_bytes(plot)


def document(figures):
    parts = [
        "# The Python package compared with other systems",
        "Written by `cargo xtask bench --page bench`. [table.py](../../bench/table.py) measures the workloads, which are defined in "
        "[on_vectors.py](../../bench/on_vectors.py) and [on_objects.py](../../bench/on_objects.py).",
        missed(figures),
        "## Comparison with other systems",
        table(figures),
        limits(figures),
        reading(),
        "## Environment and how to run it",
        place(figures),
        growth(figures),
        call(figures.get("call")),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


# ------------------------------------------------------------------------------------------------- judging
def compared(figures):
    """Pairs of a row and each of its peers that was timed, with the ratio."""
    for row in measured(figures):
        for peer in row["peers"]:
            if "fault" not in peer:
                yield row, peer, peer["seconds"] / row["seconds"]


def measured(figures):
    return [row for row in figures["rows"] if "fault" not in row]


def missed(figures):
    """The first section: workloads below target, different results, and failed measurements."""
    short, other = [], []
    for row, peer, ratio in compared(figures):
        if peer["aim"] and ratio < peer["aim"]:
            short.append(f"**{row['name']}**: {plain(ratio)} times {peer['name']}, target {peer['aim']:g}.{account(row['name'])}")
        if not peer["difference"] <= peer["tolerance"]:
            most = f"by {peer['difference']:.1e}, allowed {peer['tolerance']:.1e}"
            other.append(f"**{row['name']}**: results differ from those of {peer['name']} {most}.")
    for row in measured(figures):
        if row["limit"] and row["seconds"] > row["limit"]:
            short.append(f"**{row['name']}**: {seconds(row['seconds'])} s, target at most {seconds(row['limit'])} s.")
        other += [f"{row['name']}, {peer['name']}: not measured. {peer['fault']}." for peer in row["peers"] if "fault" in peer]
    cost = figures.get("call") or {}
    if "whole" in cost and cost["least"] / cost["whole"] > CALL_TARGET:
        short.append(f"**A call** costs {percent(cost['least'] / cost['whole'])} of a small Gram matrix, target at most {percent(CALL_TARGET)}.")
    known = {row["name"] for row in figures["rows"]}
    other += [f"{name}: not in these figures; the run was stopped." for name in figures["names"] if name not in known]
    everything = figures["rows"] + figures["growth"] + [cost]
    other += [f"{row.get('name')}: not measured. {row['fault']}." for row in everything if "fault" in row]
    text = "## Below target\n\n" + (bullets(short) or "None of the measured workloads.")
    return text + ("\n\nOther problems:\n\n" + bullets(other) if other else "")


def account(name):
    found = next((page for start, page in ACCOUNTS.items() if name.startswith(start)), None)
    return f" What was tried: [{found}]({found})." if found else ""


# -------------------------------------------------------------------------------------------------- tables
def table(figures):
    lines = [
        "| workload | data | peer | peer s | mercer s | ratio | target | largest relative difference |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in measured(figures):
        for peer in row["peers"]:
            start = f"| {row['name']} | {row['what']} | {peer['name']} |"
            target = f"≥ {peer['aim']:g}" if peer["aim"] else "–"
            if "fault" in peer:
                lines.append(f"{start} – | {seconds(row['seconds'])} | not measured | {target} | – |")
            else:
                ratio = plain(peer["seconds"] / row["seconds"])
                times = f"{seconds(peer['seconds'])} | {seconds(row['seconds'])}"
                lines.append(f"{start} {times} | {ratio} | {target} | {gap(peer['difference'])} |")
    return "\n".join(lines)


def limits(figures):
    rows = [row for row in measured(figures) if row["limit"]]
    lines = [f"| {r['name']} | {r['what']} | {seconds(r['seconds'])} | ≤ {seconds(r['limit'])} |" for r in rows]
    head = "Target times, set on another machine with two cores:\n\n| workload | data | mercer s | target s |\n|---|---|--:|--:|"
    return "\n".join([head, *lines]) if lines else ""


def reading():
    return (
        "The ratio is the time of the peer divided by the time of mercer; compare ratios rather than times. Differences are the "
        "largest |a - b| over the result, relative to the largest |a|. Matrices agree up to rounding, support vector machines up "
        "to their tolerance of 1e-3, accuracies up to one object that is classified differently. The targets 35 and 15 for wl are "
        "the ratios of GraKeL's times to the target times of 2 ms and 0.5 s. Reading files has no Python interface: see "
        "[foundation.md](foundation.md)."
    )


def place(figures):
    versions = ", ".join(f"{name} {version}" for name, version in figures["versions"].items() if version)
    lacking = [name for name, version in figures["versions"].items() if not version]
    lines = [f"Machine: {figures['machine']}; {figures['day']}.", f"Versions: {versions}."]
    if lacking:
        lines.append(f"Not installed: {', '.join(lacking)}.")
    if figures["load"] > 0.5:
        lines.append(f"The machine was BUSY with other work: load {figures['load']:.1f} at the start.")
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
    return bullets(lines) + "\n\n" + how


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
