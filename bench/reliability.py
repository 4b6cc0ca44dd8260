"""How reliable probabilities are: Gaussian process classifiers by two approximations, and support vector machines with Platt's sigmoid.

    python reliability.py               15 tables of classes, five random splits each; a table, and docs/results/reliability.svg
    python reliability.py --splits 1 iris haberman
    python reliability.py --rows FILE   write a line for every model to FILE and read those that are there already

Data sets and splits are those of conformal_coverage.py (at most 400 objects for training, 500 for the test); the kernel is the program's default.
Measured on the test sets: accuracy, mean -log p of the true class, Brier score, and the mean distance between the probability of the predicted
class and how often it is right, in ten bins of equal counts (ECE). MERCER_PROGRAM and MERCER_DATA as there.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import tempfile

from conformal_coverage import HERE, NUMERIC, TABLES, TEST, TRAIN, program, rows_of, write

LEARNERS = {"gpc, Laplace": "gpc", "gpc, EP": "gpc(approximation=ep)", "svc, Platt": "svc(probability=yes)"}
COLOURS = {"gpc, Laplace": "#1f6fb2", "gpc, EP": "#c2571a", "svc, Platt": "#3b8a3e"}
BINS = 10


def run(mercer, folder, name, seed, learner):
    """The probabilities of the test objects by class, and their classes; or why there are none."""
    header, rows, target = rows_of(name)
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    train = min(TRAIN, 2 * len(order) // 3)
    write(folder / "train.csv", header, [rows[i] for i in order[:train]])
    test = [rows[i] for i in order[train : train + TEST]]
    write(folder / "test.csv", header, test)
    kernel = [] if TABLES[name][3] is None else ["-k", TABLES[name][3]]
    fit = [mercer, "fit", "train.csv", "--target", target, "-l", learner, *kernel, "-o", "m.mercer", "--seed", str(seed), "-q"]
    done = subprocess.run(fit, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[0]}
    predict = [mercer, "predict", "m.mercer", "test.csv", "--probabilities", "-o", "out.csv", "-q"]
    done = subprocess.run(predict, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[0]}
    with open(folder / "out.csv", newline="", encoding="utf-8") as file:
        out = list(csv.DictReader(file))
    classes = [column[2:-1] for column in out[0] if column.startswith("p(")]
    at = header.index(target)
    # Where rows were left out, a column says which are there.
    truth = [test[int(row["row"]) - 1 if "row" in row else i][at].strip() for i, row in enumerate(out)]
    shares = [[float(row[f"p({c})"]) for c in classes] for row in out]
    known = [(p, classes.index(t)) for p, t in zip(shares, truth, strict=True) if t in classes]
    return {"shares": [[round(v, 6) for v in p] for p, _ in known], "truth": [t for _, t in known]}


def bins(pairs):
    """(mean probability, share right, count) of bins of equal counts."""
    pairs = sorted(pairs)
    edges = [len(pairs) * b // BINS for b in range(BINS + 1)]
    parts = [pairs[a:b] for a, b in zip(edges, edges[1:], strict=False) if b > a]
    return [(sum(p for p, _ in part) / len(part), sum(r for _, r in part) / len(part), len(part)) for part in parts]


def scores(runs):
    """Accuracy, -log p, Brier score and ECE of the splits of one table together, and its pairs."""
    pairs, logs, squares = [], 0.0, 0.0
    for one in runs:
        for shares, truth in zip(one["shares"], one["truth"], strict=True):
            best = max(range(len(shares)), key=shares.__getitem__)
            pairs.append((shares[best], best == truth))
            logs -= math.log(max(shares[truth], 1e-6))
            squares += sum((p - (k == truth)) ** 2 for k, p in enumerate(shares))
    n = len(pairs)
    ece = sum(abs(p - r) * count for p, r, count in bins(pairs)) / n
    return (sum(r for _, r in pairs) / n, logs / n, squares / n, ece), pairs


def diagram(points, path):
    """A plot of the share that is right by the probability of the predicted class."""
    width, height, left, bottom, top = 420, 400, 56, 48, 16
    low = 0.4

    def x(v):
        return left + (v - low) / (1 - low) * (width - left - 16)

    def y(v):
        return height - bottom - (v - low) / (1 - low) * (height - bottom - top)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" role="img">',
        "<title>Share of right predictions by the probability of the predicted class, all tables</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<path d="M{x(low)} {y(low)}L{x(1)} {y(1)}" stroke="#999" stroke-dasharray="4 4"/>',
        f'<path d="M{x(low)} {y(1)}V{y(low)}H{x(1)}" fill="none" stroke="#444"/>',
    ]
    for v in (0.4, 0.6, 0.8, 1.0):
        out.append(f'<text x="{x(v)}" y="{height - bottom + 16}" text-anchor="middle">{v:.1f}</text>')
        out.append(f'<text x="{left - 6}" y="{y(v) + 4}" text-anchor="end">{v:.1f}</text>')
    out.append(f'<text x="{(left + width) / 2}" y="{height - 10}" text-anchor="middle">probability of the predicted class</text>')
    middle = (height - bottom) / 2
    out.append(f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">share that is right</text>')
    for at, (name, line) in enumerate(points.items()):
        line = [(p, r) for p, r, _ in line if p >= low and r >= low]
        path_of = "L".join(f"{x(p):.1f} {y(r):.1f}" for p, r in line)
        out.append(f'<path d="M{path_of}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        out += [f'<circle cx="{x(p):.1f}" cy="{y(r):.1f}" r="3" fill="{COLOURS[name]}"/>' for p, r in line]
        out.append(f'<text x="{left + 16}" y="{top + 18 + 16 * at}" fill="{COLOURS[name]}">{name}</text>')
    path.write_text("\n".join([*out, "</svg>", ""]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=pathlib.Path)
    args = parser.parse_args()
    known, mercer = {}, program()
    if args.rows and args.rows.exists():
        for line in args.rows.read_text().splitlines():
            one = json.loads(line)
            known[one["learner"], one["data"], one["seed"]] = one
    names = args.data or [name for name in TABLES if name not in NUMERIC]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.splits):
            for name in names:
                for learner, text in LEARNERS.items():
                    one = known.get((learner, name, seed))
                    if one is None:
                        one = {"learner": learner, "data": name, "seed": seed, **run(mercer, pathlib.Path(folder), name, seed, text)}
                        if args.rows:
                            with open(args.rows, "a", encoding="utf-8") as file:
                                file.write(json.dumps(one) + "\n")
                    if "shares" in one:
                        found.setdefault((learner, name), []).append(one)
                    else:
                        print(f"{name}, {learner}: {one['error']}")
    print("| probabilities | tables | accuracy | -log p | Brier score | ECE, mean | ECE, largest |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    points = {}
    for learner in LEARNERS:
        of = {name: scores(found[learner, name]) for name in names if (learner, name) in found}
        means = [sum(s[0][k] for s in of.values()) / len(of) for k in range(4)]
        worst = max(of, key=lambda name: of[name][0][3])
        print(f"| {learner} | {len(of)} | {means[0]:.3f} | {means[1]:.3f} | {means[2]:.3f} | {means[3]:.3f} | {of[worst][0][3]:.3f} ({worst}) |")
        points[learner] = bins([pair for s in of.values() for pair in s[1]])
    if not args.data:
        diagram(points, HERE.parent / "docs" / "results" / "reliability.svg")


if __name__ == "__main__":
    main()
