"""How often sets and intervals hold the true value: every conformal method on tables of classes and numbers.

    python conformal_coverage.py    all data sets and methods, then the page's tables
    python conformal_coverage.py iris esol    some of them
    python conformal_coverage.py --rows FILE    write a line for every run to FILE and read those that are there already
    python conformal_coverage.py --seeds 5    other than 10 random splits

Each data set is divided at random, with a seed, into a training set of at most 400 objects and a test set of at most 500; a model is fitted and
calibrated with the training set alone (`mercer fit --conformal …`), and its regions are counted on the test set. Nothing is chosen: kernel and
learner are the program's defaults, or as written below. MERCER_PROGRAM names the program, MERCER_DATA the folder of data sets.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(os.environ.get("MERCER_DATA", HERE.parents[1] / "shared" / "data"))
TRAIN, TEST = 400, 500
LEVELS = (0.8, 0.9)

#: Name: file, target, columns left out (copies of the target, names of rows), kernel (none: the program's default).
TABLES = {
    name: (f"tables/{name}/{name}.csv", target, [], None)
    for name, target in {
        "australian": "class", "balance_scale": "class", "ecoli": "class", "haberman": "class", "iris": "class", "liver_bupa": "selector",
        "mammographic_masses": "Severity", "pima_diabetes": "class", "planning_relax": "class",
    }.items()
} | {
    "adult": ("categorical/adult/adult_first5000.csv", "income", [], None),
    "breast_cancer_ljubljana": ("categorical/breast_cancer_ljubljana/breast_cancer_ljubljana.csv", "class", [], None),
    "hepatitis": ("categorical/hepatitis/hepatitis.csv", "class", [], None),
    "house_votes_84": ("categorical/house_votes_84/house_votes_84.csv", "class", [], None),
    "mushroom": ("categorical/mushroom/mushroom.csv", "class", [], None),
    "titanic": ("wild/titanic/titanic.csv", "survived", ["alive"], None),
    "taxis": ("wild/taxis/taxis.csv", "fare", ["dropoff", "pickup", "tip", "tolls", "total"], None),
    "esol": ("molecules/ESOL/ESOL.csv", "measured log solubility in mols per litre",
             ["Compound ID", "ESOL predicted log solubility in mols per litre"], "tanimoto(ecfp)@smiles"),
    "photoswitch": ("molecules/Photoswitch/Photoswitch.csv", "E isomer pi-pi* wavelength in nm", [], "tanimoto(ecfp)@SMILES"),
    "pima_numbers": ("tables/pima_diabetes/pima_diabetes.csv", None, ["class"], None),
    "ecoli_numbers": ("tables/ecoli/ecoli.csv", None, ["class"], None),
}  # fmt: skip
NUMERIC = {"taxis", "esol", "photoswitch", "pima_numbers", "ecoli_numbers"}
#: A column within whose values coverage is asked for.
GROUPS = {"titanic": "sex", "adult": "sex", "taxis": "color"}

#: Tables whose columns are, or are mostly, words.
WORDS = {"adult", "breast_cancer_ljubljana", "hepatitis", "house_votes_84", "mushroom", "titanic", "taxis"}

#: Methods for classes: name, learner, options.
CLASSES = [
    (f"{method}, {score}{', by class' if by else ''}", "svc",
     ["--conformal", method, "--conformal-score", score, *(["--conformal-by", "class"] if by else [])])
    for method in ("split", "cv")
    for score in ("least-ambiguous", "adaptive", "regularized")
    for by in (False, True)
] + [
    (f"jackknife, {score}{', by class' if by else ''}", "ridge(lambda=1)",
     ["--conformal", "jackknife", "--conformal-score", score, *(["--conformal-by", "class"] if by else [])])
    for score in ("least-ambiguous", "adaptive")
    for by in (False, True)
] + [("cv, least-ambiguous, 5 neighbours", "knn(k=5)", ["--conformal", "cv", "--conformal-score", "least-ambiguous"])]  # fmt: skip
#: Methods for numbers.
NUMBERS = [
    ("split, absolute", "ridge(lambda=0.1, intercept=yes)", ["--conformal", "split"]),
    ("split, normalized", "ridge(lambda=0.1, intercept=yes)", ["--conformal", "split", "--conformal-score", "normalized"]),
    ("cv, absolute", "ridge(lambda=0.1, intercept=yes)", ["--conformal", "cv"]),
    ("cv, normalized", "ridge(lambda=0.1, intercept=yes)", ["--conformal", "cv", "--conformal-score", "normalized"]),
    ("jackknife, absolute", "ridge(lambda=0.1, intercept=yes)", ["--conformal", "jackknife"]),
    ("cv, absolute, gp", "gp", ["--conformal", "cv(5)"]),
]


def rows_of(name):
    """The header, the rows and the name of the target."""
    path, target, left_out, _ = TABLES[name]
    with open(ROOT / path, newline="", encoding="utf-8") as file:
        header, *rows = [row for row in csv.reader(file) if row]
    if target is None:
        # The second column of numbers stands for a target.
        target = header[1]
    keep = [j for j, column in enumerate(header) if column not in left_out]
    at = header.index(target)
    rows = [[row[j] for j in keep] for row in rows if row[at].strip() not in ("", "NaN", "nan", "?")]
    return [header[j] for j in keep], rows, target


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def program():
    named = os.environ.get("MERCER_PROGRAM") or shutil.which("mercer")
    places = [pathlib.Path(named)] if named else [HERE.parent / "target" / p / "mercer" for p in ("release", "debug")]
    return next((str(p) for p in places if p.exists()), None) or sys.exit("no program: set MERCER_PROGRAM")


def run(mercer, folder, name, seed, method, learner, options):
    """One model: what its regions held on the test set, or why there is none."""
    header, rows, target = rows_of(name)
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    train = min(TRAIN, 2 * len(order) // 3)
    write(folder / "train.csv", header, [rows[i] for i in order[:train]])
    write(folder / "test.csv", header, [rows[i] for i in order[train : train + TEST]])
    kernel = TABLES[name][3]
    # Jackknife takes kernels that are not fitted to the training objects.
    if "jackknife" in method and kernel is None:
        kernel = "delta" if name in WORDS else "cosine"
    command = [mercer, "fit", "train.csv", "--test", "test.csv", "--target", target, "-l", learner, "-o", "model.mercer", "--json", "--seed", str(seed)]
    command += ["--type", f"{target}=numbers"] if name in NUMERIC and TABLES[name][1] is None else []
    command += [] if kernel is None else ["-k", kernel]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True)
    if not done.stdout.strip():
        return {"error": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}"}
    document = json.loads(done.stdout)
    if not document.get("coverage"):
        return {"error": document.get("error", {}).get("message", "no coverage")}
    return {"kernel": document["kernel"], "coverage": document["coverage"]}


def methods(name):
    of = NUMBERS if name in NUMERIC else CLASSES
    if name not in GROUPS:
        return of
    learner = of[0][1]
    return [*of, ("split, by group", learner, ["--conformal", "split", "--conformal-by", GROUPS[name]]),
            ("cv, by group", learner, ["--conformal", "cv", "--conformal-by", GROUPS[name]])]  # fmt: skip


def pooled(runs, level):
    """The share of all test objects of all splits that were covered, their number, the mean size, and the same for each part."""
    parts, sizes = {}, []
    for one in runs:
        found = next(c for c in one["coverage"] if c["confidence"] == level)
        for row in (found["all"], *found["parts"]):
            covered, objects = parts.get(row["name"], (0, 0))
            parts[row["name"]] = (covered + row["covered"], objects + row["objects"])
        if found["all"]["size"] is not None:
            sizes.append(found["all"]["size"])
    covered, objects = parts.pop("")
    return {"coverage": covered / objects, "objects": objects, "size": sum(sizes) / len(sizes) if sizes else None,
            "parts": {name: (c / n, n) for name, (c, n) in parts.items() if n}}  # fmt: skip


def tables(results):
    """Tables in Markdown: for each method the mean coverage and the worst data sets, then every data set."""
    lines = []
    for kind, of in (("classes", False), ("numbers", True)):
        names = sorted({name for (method, name) in results if (name in NUMERIC) == of})
        found = list(dict.fromkeys(method for (method, name) in results if name in names))
        lines += [f"## {kind.capitalize()}", "", "| method | data sets | " + " | ".join(f"{level:.0%}: mean, lowest, highest, within 2" for level in LEVELS) + " | mean size at 90 % |",
                  "|---|--:|" + "--:|" * (len(LEVELS) + 1)]  # fmt: skip
        for method in found:
            cells = [method, str(sum((method, name) in results for name in names))]
            for level in LEVELS:
                all_of = {name: pooled(results[method, name], level)["coverage"] for name in names if (method, name) in results}
                near = sum(abs(c - level) <= 0.02 for c in all_of.values())
                low, high = min(all_of, key=all_of.get), max(all_of, key=all_of.get)
                cells.append(f"{100 * sum(all_of.values()) / len(all_of):.1f}, {100 * all_of[low]:.1f} ({low}), {100 * all_of[high]:.1f} ({high}), {near} of {len(all_of)}")
            sizes = [pooled(results[method, name], 0.9)["size"] for name in names if (method, name) in results]
            cells.append("–" if of else f"{sum(sizes) / len(sizes):.2f}")
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
        lines += ["| coverage at 90 % | " + " | ".join(names) + " |", "|---|" + "--:|" * len(names)]
        for method in found:
            row = [f"{100 * pooled(results[method, name], 0.9)['coverage']:.1f}" if (method, name) in results else "" for name in names]
            lines.append(f"| {method} | " + " | ".join(row) + " |")
        lines.append("")
    parts = []
    for (method, name), runs in results.items():
        if "by class" not in method and "by group" not in method:
            continue
        for level in LEVELS:
            for part, (coverage, n) in pooled(runs, level)["parts"].items():
                parts.append((abs(coverage - level), method, name, part, level, coverage, n))
    lines += ["## Within classes and groups", "",
              f"{sum(p[0] <= 0.02 for p in parts)} of {len(parts)} within 2 points, {sum(p[5] - p[4] < -0.02 for p in parts)} more than 2 points below. The furthest:", "",
              "| method | data | class or group | confidence | coverage | test objects |", "|---|---|---|--:|--:|--:|"]  # fmt: skip
    for _, method, name, part, level, coverage, n in sorted(parts, reverse=True)[:20]:
        lines.append(f"| {method} | {name} | {part} | {level:.0%} | {100 * coverage:.1f} % | {n} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", help="data sets; all by default")
    parser.add_argument("--rows", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--method", help="only methods whose names begin with this")
    args = parser.parse_args()
    known = {}
    if args.rows and args.rows.exists():
        for line in args.rows.read_text().splitlines():
            one = json.loads(line)
            known[one["method"], one["data"], one["seed"]] = one
    mercer, results = program(), {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seeds):
            for name in args.data or TABLES:
                for method, learner, options in methods(name):
                    if args.method and not method.startswith(args.method):
                        continue
                    one = known.get((method, name, seed))
                    if one is None:
                        one = {"method": method, "data": name, "seed": seed,
                               **run(mercer, pathlib.Path(folder), name, seed, method, learner, options)}  # fmt: skip
                        if args.rows:
                            with open(args.rows, "a", encoding="utf-8") as file:
                                file.write(json.dumps(one) + "\n")
                    if "coverage" in one:
                        results.setdefault((method, name), []).append(one)
                    elif seed == 0:
                        print(f"{method}, {name}: {one['error']}", file=sys.stderr)
    print(tables(results))


if __name__ == "__main__":
    main()
