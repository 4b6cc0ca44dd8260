"""The page docs/results/bench.md, from the figures of bench/table.py, and its pictures, which mercer draws."""

import json
import math

from mercer import _mercer

# The share of a small Gram matrix that a call may cost.
CALL_AIM = 0.2
# Where what was tried for workloads that fall short is written down.
ACCOUNTS = {
    "gram-rbf": "README.md",
    "gram-sparse-linear": "README.md",
    "svc-precomputed": "README.md",
    "gak": "series.md",
    "wl-mutag": "graph-speed.md",
}


def write(figures, path):
    """Writes the page, and pictures into a folder of its name beside it."""
    path.write_text(document(figures), encoding="utf-8")
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, picture in _mercer.report_plots(json.dumps(curves(figures)), "svg"):
        (folder / name).write_bytes(picture)


def document(figures):
    parts = [
        "# The Python package beside what a user would pick instead",
        "Written by `cargo xtask bench --page bench`: measured by [table.py](../../bench/table.py), the work of each system is in "
        "[on_vectors.py](../../bench/on_vectors.py) and [on_objects.py](../../bench/on_objects.py).",
        missed(figures),
        "## Beside other systems",
        table(figures),
        limits(figures),
        reading(),
        "## Where, with what, and how to run it",
        place(figures),
        growth(figures),
        call(figures.get("call")),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


# ------------------------------------------------------------------------------------------------- judging
def compared(figures):
    """Rows with each of their peers that was timed."""
    for row in measured(figures):
        for peer in row["peers"]:
            if "fault" not in peer:
                yield row, peer, peer["seconds"] / row["seconds"]


def measured(figures):
    return [row for row in figures["rows"] if "fault" not in row]


def missed(figures):
    """What falls short, what differs, and what could not be measured, before anything else."""
    short, other = [], []
    for row, peer, ratio in compared(figures):
        if peer["aim"] and ratio < peer["aim"]:
            short.append(f"**{row['name']}**: {plain(ratio)} times {peer['name']}, aim {peer['aim']:g}.{account(row['name'])}")
        if not peer["difference"] <= peer["tolerance"]:
            most = f"by {peer['difference']:.1e}, allowed {peer['tolerance']:.1e}"
            other.append(f"**{row['name']}**: results differ from those of {peer['name']} {most}.")
    for row in measured(figures):
        if row["limit"] and row["seconds"] > row["limit"]:
            short.append(f"**{row['name']}**: {seconds(row['seconds'])} s, aim at most {seconds(row['limit'])} s.")
        other += [f"{row['name']}, {peer['name']}: not measured. {peer['fault']}." for peer in row["peers"] if "fault" in peer]
    cost = figures.get("call") or {}
    if "whole" in cost and cost["least"] / cost["whole"] > CALL_AIM:
        short.append(f"**A call** costs {percent(cost['least'] / cost['whole'])} of a small Gram matrix, aim at most {percent(CALL_AIM)}.")
    known = {row["name"] for row in figures["rows"]}
    other += [f"{name}: not in these figures; the run was stopped." for name in figures["names"] if name not in known]
    everything = figures["rows"] + figures["growth"] + [cost]
    other += [f"{row.get('name')}: not measured. {row['fault']}." for row in everything if "fault" in row]
    text = "## What misses its aim\n\n" + (bullets(short) or "Nothing that was measured.")
    return text + ("\n\nNot as it should be besides:\n\n" + bullets(other) if other else "")


def account(name):
    found = next((page for start, page in ACCOUNTS.items() if name.startswith(start)), None)
    return f" What was tried: [{found}]({found})." if found else ""


# -------------------------------------------------------------------------------------------------- tables
def table(figures):
    lines = [
        "| workload | data | peer | peer s | mercer s | ratio | aim | largest relative difference |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in measured(figures):
        for peer in row["peers"]:
            start = f"| {row['name']} | {row['what']} | {peer['name']} |"
            aim = f"≥ {peer['aim']:g}" if peer["aim"] else "–"
            if "fault" in peer:
                lines.append(f"{start} – | {seconds(row['seconds'])} | not measured | {aim} | – |")
            else:
                ratio = plain(peer["seconds"] / row["seconds"])
                times = f"{seconds(peer['seconds'])} | {seconds(row['seconds'])}"
                lines.append(f"{start} {times} | {ratio} | {aim} | {gap(peer['difference'])} |")
    return "\n".join(lines)


def limits(figures):
    rows = [row for row in measured(figures) if row["limit"]]
    lines = [f"| {r['name']} | {r['what']} | {seconds(r['seconds'])} | ≤ {seconds(r['limit'])} |" for r in rows]
    head = "Asked for as a time, on another machine of two cores:\n\n| workload | data | mercer s | aim s |\n|---|---|--:|--:|"
    return "\n".join([head, *lines]) if lines else ""


def reading():
    return (
        "Ratios count, times do not: how many times as long the peer took. Differences are the largest |a - b| over all of the "
        "result, relative to the largest |a|: matrices agree to rounding, machines by what their tolerance of 1e-3 leaves open, "
        "accuracies by an object that falls on the other side. 35 and 15 for wl are what 2 ms and 0.5 s were beside GraKeL where "
        "they were asked for. Reading files has no Python door: see [foundation.md](foundation.md)."
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
        "Each workload in a process of its own; two threads or processes for each system; data loaded and converted, and one run "
        f"to warm up, before the clock starts; {figures['repeat']} times every system in turn; the best counts. Work of less than "
        "0.2 s is done again until its turn has lasted so long."
    )
    notes = sorted({note for row in measured(figures) for note in row["notes"]})
    lines += [f"{note[0].upper()}{note[1:]}." for note in notes] or ["All data sets were there; none was generated in place of another."]
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
        "## How cost grows with size",
        "",
        "Seconds of mercer, best of as many turns. The exponent is the slope of the line of least squares through the logarithms: "
        "seconds ~ size^exponent. Work for every pair alone would give 2, work for every object 1.",
        "",
        "| work | sizes | seconds | exponent | plot |",
        "|---|---|---|--:|---|",
    ]
    for g in grown:
        sizes = ", ".join(f"{size:,}" for size, _ in g["points"])
        times = ", ".join(seconds(s) for _, s in g["points"])
        plot = f"[{g['name']}](bench/growth-{g['name']}.svg)"
        lines.append(f"| {g['title']} | {sizes} {g['things']} | {times} | {g['slope']:.2f} | {plot} |")
    pictures = [f"![{g['title']}](bench/growth-{g['name']}.svg)" for g in grown]
    return "\n\n".join(["\n".join(lines), *pictures])


def curves(figures):
    """A run document of curves. Their y axis is linear: it gets the logarithm of seconds."""

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
    return {"schema": "mercer/1", "command": "reproduce", "curves": drawn}


def call(cost):
    if not cost or "fault" in cost:
        return ""
    whole, least = cost["whole"] * 1e3, cost["least"] * 1e3
    return (
        f"## What a call costs\n\nA Gram matrix of 1,000 × 10 vectors takes {whole:.2f} ms through Python, best of 200. What Python "
        f"adds is bounded by a call that has next to nothing to compute: of one vector it takes {least:.2f} ms all in all, "
        f"{percent(least / whole)} (aim: at most {percent(CALL_AIM)}). Arrays are read in place and handed back without a copy, so "
        "nothing grows with their size. The Rust call alone was not timed beside it."
    )


# --------------------------------------------------------------------------------------------------- words
def bullets(lines):
    return "\n".join(f"* {line}" for line in lines)


def seconds(value):
    """Three digits that count, without an exponent."""
    digits = 2 - math.floor(math.log10(value)) if value > 0 else 0
    return f"{value:.{max(0, min(digits, 6))}f}"


def plain(ratio):
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def percent(share):
    return f"{100 * share:.0f} %"


def gap(value):
    return "0" if value == 0 else f"{value:.1e}"
