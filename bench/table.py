"""mercer's Python package compared with other systems: the table of docs/results/bench.md.

    python bench/table.py                   measure everything; write FIGURES and the page
    python bench/table.py --only dtw svc    only the workloads whose name contains a word; write nothing
    python bench/table.py --figures FILE    write the page from earlier measurements
    python bench/table.py --list            list the workloads
    python bench/table.py --builds OLD NEW  time mercer alone, as packages in two folders that take turns; write nothing

`cargo xtask bench --page bench` builds the package, installs the peers and runs this. Every workload runs in its own
process, where the systems take turns, with two threads (or processes) each.
"""

import argparse
import datetime
import gc
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

# Environment variables for the number of threads; most systems read them only once, when they are imported.
THREADS = {f"{system}_NUM_THREADS": "2" for system in ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON")}
HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
FIGURES = TARGET / "bench-data/table.json"
PAGE = HERE.parent / "docs/results/bench.md"
# Pause between systems: threads of the previous system spin for a while before they sleep.
PAUSE = 0.2
# Minimum duration of a turn in seconds, and maximum number of repetitions in a turn.
TURN, MOST = 0.2, 100
# Timeout: no workload takes an hour.
HOUR = 3600


# ------------------------------------------------------------------------------------------------ one process
def once(run):
    start = time.perf_counter()
    result = run()
    seconds = time.perf_counter() - start
    del result
    return seconds


def turn(run):
    """The best time of one turn, in seconds."""
    gc.collect()
    time.sleep(PAUSE)
    times = [once(run)]
    while sum(times) < TURN and len(times) < MOST:
        times.append(once(run))
    return min(times)


def difference(theirs, ours):
    """The largest |a - b|, relative to the largest |a|."""
    theirs, ours = np.asarray(theirs, float), np.asarray(ours, float)
    if theirs.shape != ours.shape:
        raise ValueError(f"results of shapes {theirs.shape} and {ours.shape}")
    apart = np.abs(theirs - ours)
    return float(np.where(np.isnan(apart), np.inf, apart).max() / max(np.abs(theirs).max(), np.finfo(float).tiny))


def reason(error):
    """The error in one line."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message[:200]}" if message else type(error).__name__


def workloads():
    """All workloads by name. Imported lazily: a page from earlier measurements does not need them."""
    import on_vectors  # noqa: F401
    import on_objects  # noqa: F401, I001
    import on_molecules  # noqa: F401
    import survey  # noqa: F401
    import on_little  # noqa: F401
    from work import WORKLOADS

    return WORKLOADS


def measure(name, repeat):
    """A row: the best time of every system and the difference of its result, or the reason why it failed."""
    import sets

    what, make = workloads()[name]
    work = make()
    row = {"name": name, "what": what, "limit": work.limit, "peers": [], "notes": sorted(set(sets.notes))}
    if work.clock:
        return row | {"seconds": min(work.clock() for _ in range(5 * repeat))}
    ours, runs = work.ours(), {"mercer": work.ours}
    for peer in work.peers:
        entry = {"name": peer.name, "target": peer.target, "tolerance": peer.tolerance}
        row["peers"].append(entry)
        try:
            run = peer.make()
            # The warm-up run gives the result to compare.
            entry["difference"] = difference(run(), ours)
            runs[peer.name] = run
        except Exception as error:
            entry["fault"] = reason(error)
    del ours
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(repeat):
        for who, run in reversed(runs.items()):
            best[who] = min(best[who], turn(run))
    row["seconds"] = best.pop("mercer")
    for entry in row["peers"]:
        if entry["name"] in best:
            entry["seconds"] = best[entry["name"]]
    return row


def alone(name, _):
    """The best time of one turn of mercer, in seconds."""
    work = workloads()[name][1]()
    if work.clock:
        return {"name": name, "seconds": min(work.clock() for _ in range(3))}
    once(work.ours)
    return {"name": name, "seconds": turn(work.ours)}


def grow(name, repeat):
    """Seconds by size."""
    from growth import GROWTH, slope

    points = []
    for size in GROWTH[name].sizes:
        run = GROWTH[name].make(size)
        once(run)
        points.append([size, min(turn(run) for _ in range(repeat))])
    return {"name": name, "title": GROWTH[name].title, "things": GROWTH[name].things, "points": points, "slope": slope(points)}


def call(_, repeat):
    from growth import call_cost

    return call_cost(lambda run: min(once(run) for _ in range(max(200, repeat))))


KINDS = {"measure": measure, "alone": alone, "grow": grow, "call": call}


# ---------------------------------------------------------------------------------------------- all of them
def apart(kind, name, wanted, package=None):
    """Measure in a separate process, with the package of a folder or the installed one; the result, or the reason why it failed."""
    with tempfile.TemporaryDirectory() as folder:
        into = pathlib.Path(folder) / "figures.json"
        command = [sys.executable, __file__, "--process", kind, name, str(into), "--repeat", str(wanted.repeat)]
        own = os.environ | THREADS | ({"MERCER_BENCH_SMALL": "1"} if wanted.small else {})
        own |= {"PYTHONPATH": str(package)} if package else {}
        try:
            # Peers may print anything: the measurements are passed in a file.
            done = subprocess.run(
                command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=HOUR
            )
        except subprocess.TimeoutExpired:
            return {"name": name, "fault": "took more than an hour"}
        if done.returncode == 0:
            return json.loads(into.read_text())
        last = done.stderr.strip().splitlines()[-1:] or [f"ended with {done.returncode}"]
        return {"name": name, "fault": last[0][:200]}


def show(row):
    if "fault" in row:
        print(f"{row['name']}: {row['fault']}", flush=True)
        return
    print(f"{row['name']}: mercer {row['seconds']:.4f} s", flush=True)
    for peer in row["peers"]:
        if "fault" in peer:
            print(f"    {peer['name']}: {peer['fault']}", flush=True)
        else:
            ratio = peer["seconds"] / row["seconds"]
            target = f", target {peer['target']:g}" if peer["target"] else ""
            print(f"    {peer['name']} {peer['seconds']:.4f} s: {ratio:.2f}{target}; difference {peer['difference']:.1e}", flush=True)


def facts(wanted):
    """The environment of the measurements."""
    from importlib import metadata

    def version(package):
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return None

    import mercer

    packages = ["numpy", "scipy", "scikit-learn", "scikit-learn-intelex", "aeon", "dtaidistance", "tslearn", "rapidfuzz", "grakel", "polars"]
    versions = {"Python": sys.version.split()[0], "mercer": mercer.__version__} | {p: version(p) for p in packages}
    day = str(datetime.date.today())
    return {"versions": versions, "machine": machine(), "load": os.getloadavg()[0], "repeat": wanted.repeat, "day": day}


def machine():
    """The processor, its cores and the memory, in one line."""

    def entry(file, key):
        try:
            lines = pathlib.Path(file).read_text().splitlines()
        except OSError:
            return None
        return next((line.partition(":")[2].strip() for line in lines if line.startswith(key)), None)

    memory = entry("/proc/meminfo", "MemTotal")
    gib = f"{int(memory.split()[0]) / 2**20:.0f} GiB of memory" if memory else "memory unknown"
    return f"{entry('/proc/cpuinfo', 'model name') or 'processor unknown'}, {os.cpu_count()} cores, {gib}"


def wait_until_idle():
    """Wait up to five minutes for the load to fall, after a build for example: the page has only times of an idle computer."""
    from page import MAX_LOAD

    for _ in range(60):
        if os.getloadavg()[0] <= MAX_LOAD:
            return
        time.sleep(5)
    sys.exit(f"nothing was measured: other work is running (load average {os.getloadavg()[0]:.1f}); --only measures without writing the page")


def run(wanted):
    """Measure the chosen workloads and print the results."""
    from growth import GROWTH

    if not (wanted.only or wanted.small):
        wait_until_idle()
    known = workloads()
    chosen = lambda name: not wanted.only or any(word in name for word in wanted.only)
    figures = facts(wanted) | {"names": list(known), "rows": [], "growth": [], "call": None}
    for name in filter(chosen, known):
        figures["rows"].append(apart("measure", name, wanted))
        show(figures["rows"][-1])
        keep(figures, wanted)
    for name in GROWTH:
        if chosen(f"growth-{name}"):
            line = apart("grow", name, wanted)
            figures["growth"].append(line)
            print(f"growth-{name}:", line.get("fault") or f"exponent {line['slope']:.2f}, {line['points']}", flush=True)
    if chosen("call"):
        figures["call"] = apart("call", "call", wanted)
        print("call:", figures["call"], flush=True)
    return figures


def compare_builds(wanted):
    """Print the seconds of mercer in two builds, which take turns, and their ratio: below 1 the second is slower."""
    for folder in wanted.builds:
        if not (folder / "mercer/__init__.py").exists():
            sys.exit(f"there is no package mercer in {folder}")
    sys.path.insert(0, str(wanted.builds[1]))
    for name in workloads():
        if wanted.only and not any(word in name for word in wanted.only):
            continue
        best, fault = [float("inf")] * 2, [None] * 2
        for _ in range(wanted.repeat):
            for i, folder in enumerate(wanted.builds):
                row = apart("alone", name, wanted, folder)
                fault[i] = row.get("fault")
                best[i] = min(best[i], row.get("seconds", float("inf")))
        if any(fault):
            print(f"{name:<28} {next(f for f in fault if f)}", flush=True)
        else:
            print(f"{name:<28} {best[0]:9.4f} {best[1]:9.4f} {best[0] / best[1]:6.2f}", flush=True)


def keep(figures, wanted):
    """Save the measurements so far, in case the run is interrupted."""
    if not (wanted.only or wanted.small):
        FIGURES.parent.mkdir(parents=True, exist_ok=True)
        FIGURES.write_text(json.dumps(figures, indent=1))


def listed():
    for name, (what, _) in workloads().items():
        print(f"{name:<28} {what}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="WORD", default=[], help="only workloads whose name contains a word; also growth-NAME and call")
    parser.add_argument("--repeat", type=int, default=3, help="turns per system (default 3)")
    parser.add_argument("--small", action="store_true", help="small data, for a trial; write nothing")
    parser.add_argument("--figures", type=pathlib.Path, metavar="FILE", help="write the page from these measurements, without measuring")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help="the page to write")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--builds", nargs=2, type=pathlib.Path, metavar=("OLD", "NEW"), help="folders with a package mercer each")
    parser.add_argument("--process", nargs=3, metavar=("KIND", "NAME", "FILE"), help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.repeat < 1:
        parser.error("--repeat must be at least 1")
    return wanted


def main():
    wanted = arguments()
    if wanted.process:
        kind, name, into = wanted.process
        pathlib.Path(into).write_text(json.dumps(KINDS[kind](name, wanted.repeat)))
        return
    if wanted.list:
        listed()
        return
    if wanted.builds:
        compare_builds(wanted)
        return
    if wanted.figures:
        figures = json.loads(wanted.figures.read_text())
    else:
        figures = run(wanted)
        keep(figures, wanted)
        if wanted.only or wanted.small:
            return
    import page

    page.write(figures, wanted.page)
    print(f"written: {wanted.page.name}")


if __name__ == "__main__":
    main()
