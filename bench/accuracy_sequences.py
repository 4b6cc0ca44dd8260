"""Accuracy on DNA: `mercer auto` compared with gapped k-mers chosen by hand and with k-mer counts of scikit-learn.

    python accuracy_sequences.py                    all sets, then the tables
    python accuracy_sequences.py EP300 motifs       some of them
    python accuracy_sequences.py --rows FILE        write a line for every set, split and method to FILE; skip those that are there
    python accuracy_sequences.py --budget 60        seconds for each run of `mercer auto`

All methods have the same splits. Everything that is chosen (lengths of k-mers, gaps, the other strand, C, the method itself) is chosen
by cross-validation on the training set of a split; test sets are used once, for the table. EP300 has its own test set, motifs is
generated (see `motifs`), splice and promoters have 5 folds. The program is that of CARGO_TARGET_DIR (release, else debug). The data is found in MERCER_DATA,
or in ../shared/data next to the project.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import normalize
from sklearn.svm import SVC, LinearSVC

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(os.environ.get("MERCER_DATA", HERE.parents[1] / "shared" / "data")) / "strings"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
SETS = ["EP300", "motifs", "promoters", "splice"]
INNER = 5
GAPPED = [(6, 4), (7, 5), (8, 5), (8, 6), (10, 6), (10, 7)]
DEGREES = [3, 5, 8]
PENALTIES = [0.1, 1, 10, 100]
LENGTHS = [3, 4, 5, 6]
OTHER = str.maketrans("ACGT", "TGCA")


def program():
    found = [TARGET / kind / "mercer" for kind in ("release", "debug")]
    for path in found:
        if path.exists():
            return path
    raise FileNotFoundError("the program is not built: cargo build --release --package mercer-cli")


def motifs(n=1000, length=150, seed=7):
    """Random DNA; half of it with one site of 15 positions, of which 9 are nearly fixed and 6 free, on either strand."""
    random = np.random.default_rng(seed)
    fixed = {0: "T", 1: "G", 2: "A", 5: "C", 6: "C", 8: "G", 12: "T", 13: "C", 14: "A"}

    def site():
        symbols = [fixed.get(i) if i in fixed and random.random() < 0.9 else random.choice(list("ACGT")) for i in range(15)]
        one = "".join(symbols)
        return one if random.random() < 0.5 else one[::-1].translate(OTHER)

    sequences, classes = [], []
    for i in range(n):
        one = "".join(random.choice(list("ACGT"), length))
        if i % 2 == 0:
            at = random.integers(length - 15)
            one = one[:at] + site() + one[at + 15 :]
        sequences.append(one)
        classes.append("site" if i % 2 == 0 else "none")
    return sequences, np.array(classes)


def fasta(path):
    lines = path.read_text().split("\n")
    return lines[1::2], np.array([line[1:] for line in lines[:-1:2]])


def splits(name):
    """Sequences, classes, and (number, training rows, test rows) of every split."""
    if name == "EP300":
        (a, y), (b, z) = (fasta(ROOT / "fastsk_EP300" / f"EP300.{part}.fasta") for part in ("train", "test"))
        return a + b, np.concatenate([y, z]), [(0, np.arange(len(a)), np.arange(len(a), len(a) + len(b)))]
    if name == "motifs":
        sequences, classes = motifs(n=2000)
        return sequences, classes, [(0, np.arange(1000), np.arange(1000, 2000))]
    rows = list(csv.DictReader(open(ROOT / name / f"{name}.csv")))
    sequences, classes = [r["sequence"].strip() for r in rows], np.array([r["class"] for r in rows])
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(classes, classes)
    return sequences, classes, [(i, train, test) for i, (train, test) in enumerate(folds)]


def inner(classes):
    return list(StratifiedKFold(INNER, shuffle=True, random_state=1).split(classes, classes))


def written(folder, name, sequences, classes):
    path = pathlib.Path(folder) / f"{name}.csv"
    path.write_text("sequence,class\n" + "".join(f"{s},{c}\n" for s, c in zip(sequences, classes)))
    return path


def run(*args):
    done = subprocess.run([str(program()), *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def measure(model, rows):
    """Accuracy and decision values; for two classes only."""
    values = model.decision_function(rows)
    return model.predict(rows), values if values.ndim == 1 else None


def by_kernels(expressions, sequences, classes, train, test):
    """SVC with the kernel and C that have the highest mean accuracy on inner folds of the training set."""
    best = (-1.0,)
    with tempfile.TemporaryDirectory() as folder:
        data = written(folder, "all", sequences, classes)
        for expression in expressions:
            out = pathlib.Path(folder) / "K.npy"
            run("gram", data, "--target", "class", "--type", "sequence=strings", "-k", expression, "-o", out, "--fresh", "-q")
            gram = np.load(out)
            own = gram[np.ix_(train, train)]
            for c in PENALTIES:
                right = [
                    np.mean(SVC(C=c, kernel="precomputed").fit(own[np.ix_(a, a)], classes[train][a]).predict(own[np.ix_(b, a)]) == classes[train][b])
                    for a, b in inner(classes[train])
                ]
                if np.mean(right) > best[0]:
                    best = (np.mean(right), expression, c, own, gram[np.ix_(test, train)])
    _, expression, c, own, new = best
    model = SVC(C=c, kernel="precomputed").fit(own, classes[train])
    return *measure(model, new), f"{expression}, C={c:g}"


def gapped(*given):
    kernels = [f"normalize(gapped-kmer(l={l}, k={k}, reverse-complement=yes))" for l, k in GAPPED]
    return by_kernels(kernels, *given)


def degree(*given):
    return by_kernels([f"normalize(weighted-degree(d={d}, alphabet=dna))" for d in DEGREES], *given)


def counts(sequences, k, both):
    def kmers(text):
        text = text.upper()
        parts = [text, text[::-1].translate(OTHER)] if both else [text]
        return [part[i : i + k] for part in parts for i in range(len(part) - k + 1)]

    return normalize(CountVectorizer(analyzer=kmers).fit_transform(sequences))


def by_counts(make, sequences, classes, train, test):
    """A linear model of k-mer counts of length 1; k, the other strand and C by inner folds."""
    best = (-1.0,)
    for k in LENGTHS:
        for both in (False, True):
            rows = counts(sequences, k, both)
            own = rows[train]
            for c in PENALTIES:
                right = [np.mean(make(c).fit(own[a], classes[train][a]).predict(own[b]) == classes[train][b]) for a, b in inner(classes[train])]
                if np.mean(right) > best[0]:
                    best = (np.mean(right), make(c), own, rows[test], f"k={k}, {'both strands' if both else 'one strand'}, C={c:g}")
    _, model, own, new, what = best
    return *measure(model.fit(own, classes[train]), new), what


def auto(budget):
    def chosen(sequences, classes, train, test):
        with tempfile.TemporaryDirectory() as folder:
            known = written(folder, "train", [sequences[i] for i in train], classes[train])
            new = written(folder, "test", [sequences[i] for i in test], classes[test])
            model, out = pathlib.Path(folder) / "m.mercer", pathlib.Path(folder) / "p.csv"
            run("auto", known, "--target", "class", "--type", "sequence=strings", "--budget", budget, "-o", model, "--no-report", "-q")
            run("predict", model, new, "--decisions", "-o", out, "-q")
            told = json.loads(run("inspect", model, "--json"))
            return list(csv.DictReader(open(out))), told

    def method(sequences, classes, train, test):
        rows, told = chosen(sequences, classes, train, test)
        # A spreadsheet would take + and - for formulas, so that tables have an apostrophe before them.
        predicted = np.array([row["prediction"].removeprefix("'") for row in rows])
        pairs = [name for name in rows[0] if "|" in name]
        values = np.array([float(row[pairs[0]]) for row in rows]) if len(pairs) == 1 else None
        if values is not None and pairs[0].split("|")[1] != np.unique(classes)[1]:
            values = -values
        return predicted, values, f"{told['kernel']}, {told['learner'].split(',')[0]})"

    return method


def methods(budget):
    return {
        "k-mer counts, logistic regression": lambda *a: by_counts(lambda c: LogisticRegression(C=c, max_iter=1000), *a),
        "k-mer counts, LinearSVC": lambda *a: by_counts(lambda c: LinearSVC(C=c), *a),
        "weighted degree by hand": degree,
        "gapped k-mers by hand": gapped,
        "`mercer auto`": auto(budget),
    }


def p_value(a, b, truth):
    """McNemar's exact test of two lists of predictions."""
    from scipy.stats import binomtest

    first, second = np.sum((a == truth) & (b != truth)), np.sum((a != truth) & (b == truth))
    return 1.0 if first + second == 0 else binomtest(int(first), int(first + second)).pvalue


def auc_interval(a, b, truth, seed=0):
    """The 95 % interval of the difference in AUC of two lists of values, by 2000 bootstrap samples of the test set."""
    random, found = np.random.default_rng(seed), []
    for _ in range(2000):
        rows = random.integers(len(truth), size=len(truth))
        found.append(roc_auc_score(truth[rows], a[rows]) - roc_auc_score(truth[rows], b[rows]))
    return np.percentile(found, [2.5, 97.5])


def tables(lines, names):
    kinds = list(dict.fromkeys(line["method"] for line in lines))
    for name in names:
        own = [line for line in lines if line["set"] == name]
        if not own:
            continue
        print(f"\n### {name}\n\n| method | accuracy | AUC | vs. `mercer auto` | seconds | chosen |\n|---|--:|--:|---|--:|---|")
        best = {line["split"]: line for line in own if line["method"] == "`mercer auto`"}
        rows = []
        for kind in kinds:
            mine = [line for line in own if line["method"] == kind]
            if not mine:
                continue
            join = lambda key, of: np.concatenate([line[key] for line in of])  # noqa: E731
            truth, predicted = join("truth", mine), join("predicted", mine)
            accuracy, area, versus = 100 * np.mean(truth == predicted), "–", "–"
            if all(line["values"] is not None for line in mine):
                second = np.unique(truth)[1]
                area = f"{np.mean([roc_auc_score(np.array(m['truth']) == second, m['values']) for m in mine]):.4f}"
            same = [best[m["split"]] for m in mine if m["split"] in best]
            if kind != "`mercer auto`" and len(same) == len(mine):
                versus = f"p = {p_value(predicted, join('predicted', same), truth):.3f}"
                if len(mine) == 1 and mine[0]["values"] is not None and same[0]["values"] is not None:
                    low, high = auc_interval(np.array(same[0]["values"]), np.array(mine[0]["values"]), truth == second)
                    versus += f"; AUC {low:+.4f} to {high:+.4f}"
            chosen = "; ".join(dict.fromkeys(m["chosen"] for m in mine)) if len(mine) == 1 else f"{len({m['chosen'] for m in mine})} different"
            rows.append((accuracy, f"| {kind} | {accuracy:.2f} | {area} | {versus} | {np.mean([m['seconds'] for m in mine]):.0f} | {chosen} |"))
        print("\n".join(row for _, row in sorted(rows)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--rows", type=pathlib.Path)
    parser.add_argument("--budget", type=float, default=120)
    parser.add_argument("--splits", type=int, default=5, help="only the first splits of each set")
    parser.add_argument("--methods", help="only methods whose name contains this")
    args = parser.parse_args()
    names = args.sets or SETS
    lines = [json.loads(line) for line in open(args.rows)] if args.rows and args.rows.exists() else []
    done = {(line["set"], line["split"], line["method"]) for line in lines}
    for name in names:
        sequences, classes, all_splits = splits(name)
        for number, train, test in all_splits[: args.splits]:
            for method, work in methods(args.budget).items():
                one_length = len({len(s) for s in sequences}) == 1
                if (name, number, method) in done or (args.methods or "") not in method or method.startswith("weighted") and not one_length:
                    continue
                start = time.perf_counter()
                predicted, values, chosen = work(sequences, classes, train, test)
                line = {
                    "set": name, "split": number, "method": method, "seconds": time.perf_counter() - start, "chosen": chosen,
                    "truth": classes[test].tolist(), "predicted": list(map(str, predicted)),
                    "values": None if values is None else [float(v) for v in values],
                }  # fmt: skip
                lines.append(line)
                if args.rows:
                    with open(args.rows, "a") as out:
                        print(json.dumps(line), file=out)
                print(f"{name} {number} {method}: {100 * np.mean(classes[test] == predicted):.2f}, {line['seconds']:.0f} s, {chosen}", flush=True)
    tables(lines, names)


if __name__ == "__main__":
    main()
