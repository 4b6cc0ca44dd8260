"""Writes the sample documents of the report page: plausible runs, made up, with every section of the page present.

    python generate.py            # evaluate.json, regression.json, auto.json, compare.json, reproduce.json, fit.json, predict.json, intervals.json, explain.json

Numbers come from a seeded generator of this file, so that the samples are the same everywhere.
"""

import base64
import json
import math
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Draw:
    """Pseudo-random numbers: the 64-bit linear congruential generator of Knuth's MMIX, upper bits."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def normal(self, mean=0.0, sd=1.0):
        u, v = max(self.uniform(), 1e-300), self.uniform()
        return mean + sd * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)

    def below(self, n):
        return int(self.uniform() * n)


def r(value, digits=4):
    return None if value is None else float(f"{value:.{digits}g}")


def mean_sd(values):
    known = [v for v in values if v is not None]
    mean = sum(known) / len(known)
    return r(mean), r(math.sqrt(sum((v - mean) ** 2 for v in known) / max(1, len(known) - 1)))


def summarised(scores, half=2.26):
    mean, sd = mean_sd(scores)
    reach = half * sd * math.sqrt(1 / len(scores) + 1 / 9)
    return {
        "mean": mean,
        "sd": sd,
        "interval": {"low": r(mean - reach), "high": r(min(1, mean + reach)), "level": 0.95, "method": "corrected resampled t"},
    }


def run(command, seconds):
    return {"command_line": command, "version": "0.1.0", "threads": 8, "seed": 0, "system": "linux x86_64", "seconds": seconds, "date": "2026-11-16"}


def encoded(matrix):
    """low, high and the bytes of a matrix."""
    low = min(min(row) for row in matrix)
    high = max(max(row) for row in matrix)
    code = bytes(round(255 * (v - low) / (high - low)) for row in matrix for v in row)
    return {"low": low, "high": high, "values": base64.b64encode(code).decode()}


def rbf(points, gamma, noise=0.0, draw=None):
    n = len(points)
    out = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            d = sum((a - b) ** 2 for a, b in zip(points[i], points[j]))
            out[i][j] = out[j][i] = math.exp(-gamma * d) + (noise * draw.normal() if draw else 0.0)
    return out


# ---- molecules: six-membered rings with substituents --------------------------------------------------------------


def molecule(rings, substituents):
    """A row of joined rings, and groups on some of their atoms: labels, edges, coordinates."""
    labels, edges, x, y, place = [], [], [], [], {}

    def atom(label, px, py):
        key = (round(px, 3), round(py, 3))
        if key not in place:
            place[key] = len(labels)
            labels.append(label)
            x.append(r(px))
            y.append(r(py))
        return place[key]

    free = []
    for ring in range(rings):
        cx = ring * math.sqrt(3)
        corners = []
        for k in range(6):
            angle = math.pi / 6 + k * math.pi / 3
            corners.append((atom("C", cx + math.cos(angle), math.sin(angle)), cx + math.cos(angle), math.sin(angle), angle))
        for k in range(6):
            a, b = corners[k][0], corners[(k + 1) % 6][0]
            if [a, b, "aromatic"] not in edges and [b, a, "aromatic"] not in edges:
                edges.append([a, b, "aromatic"])
        free += [c for c in corners if abs(math.cos(c[3])) < 0.5]
    for at, group in substituents:
        root, px, py, angle = free[at % len(free)]
        step = lambda d, turn=0.0: (px + d * math.cos(angle + turn), py + d * math.sin(angle + turn))
        first = atom(group[0], *step(1))
        edges.append([root, first, "single"])
        if group == "NO2":
            nx, ny = step(1)
            for turn in (0.7, -0.7):
                o = atom("O", nx + 0.95 * math.cos(angle + turn), ny + 0.95 * math.sin(angle + turn))
                edges.append([first, o, "double"])
    return labels, edges, x, y


def drivers():
    made = []
    shapes = [
        ("mol-017", 2, [(0, "NO2"), (3, "NO2")], "mutagen", "mutagen", 1.42),
        ("mol-084", 1, [(0, "NH2")], "non-mutagen", "non-mutagen", -0.88),
        ("mol-121", 3, [(1, "NO2"), (4, "Cl")], "mutagen", "mutagen", 0.97),
        ("mol-143", 2, [(2, "NO2")], "non-mutagen", "mutagen", 0.31),
    ]
    for name, rings, groups, truth, said, value in shapes:
        labels, edges, x, y = molecule(rings, groups)
        amounts = [{"N": 0.31, "O": 0.22, "C": 0.015 * rings, "F": -0.1}.get(label, -0.21) * (1 if value > 0 else -0.6) for label in labels]
        parts = [
            {"feature": "N(C,O,O)", "weight": 0.412, "count": len([g for g in groups if g[1] == "NO2"]), "amount": r(0.45 * value), "nodes": [[i for i, c in enumerate(labels) if c in "NO"]]},
            {"feature": "C(C,C,C)", "weight": 0.094, "count": max(0, 2 * rings - 2), "amount": r(0.24 * value), "nodes": []},
            {"feature": "C(C,C)", "weight": -0.021, "count": 6, "amount": -0.126, "nodes": []},
            {"feature": "C(C,C,N)", "weight": 0.055, "count": 1, "amount": 0.055, "nodes": [[0]]},
        ]
        offset = -0.12
        rest = value - offset - sum(p["amount"] for p in parts)
        graph = {"labels": labels, "edges": edges, "amounts": [r(a, 3) for a in amounts], "x": x, "y": y}
        made.append({"id": name, "truth": truth, "class": said, "value": value, "offset": offset, "rest": r(rest, 3), "parts": parts, "graph": graph, "text": None})
    names = ["N(C,O,O)", "O(N)", "C(C,C,N)", "N=O", "C(C,C,C)", "Cl(C)", "N(C)", "C(C,C)", "C(C,C,C(C,C,N))", "C(C,C,Cl)", "O(C)", "C(C,C,O)"]
    weights = [0.412, 0.318, 0.205, 0.171, 0.094, -0.187, -0.164, -0.021, 0.083, -0.079, -0.066, -0.045]
    features = sorted(zip(names, weights), key=lambda one: -abs(one[1]))
    return {
        "about": "Weights of the subtrees counted by the kernel, summed over the support objects; features that occur in one molecule only are left out.",
        "features": [{"feature": n, "weight": w, "class": None} for n, w in features],
        "references": [{"id": f"mol-{i:03}", "class": "mutagen" if w > 0 else "non-mutagen", "weight": w} for i, w in [(17, 1.0), (45, 0.83), (143, -0.78), (84, -0.61), (9, 0.44), (102, -0.2)]],
        "objects": made,
    }


def evaluate():
    draw = Draw(7)
    names = ["non-mutagen", "mutagen"]
    n = 188
    truth = [0 if i < 63 else 1 for i in range(n)]
    points = [[draw.normal((-1.1, 1.0)[t] if k == 0 else 0, (0.8, 1.0)[t]) for k in range(5)] for t in truth]
    objects, ids, split, labels, said, decisions, probabilities = [], [], [], [], [], [], []
    for repetition in range(1):
        for i in range(n):
            objects.append(i)
            ids.append(f"mol-{i:03}")
            split.append(10 * repetition + (i * 7) % 10)
            d = 1.3 * points[i][0] + draw.normal(0.35, 0.7)
            p = 1 / (1 + math.exp(-1.6 * d))
            labels.append(truth[i])
            said.append(1 if d > 0 else 0)
            decisions.append([r(-d, 3), r(d, 3)])
            probabilities.append([r(1 - p, 3), r(p, 3)])
    decisions[3], probabilities[3] = [None, None], [None, None]
    folds = []
    for f in range(10):
        mine = [i for i in range(n) if split[i] == f]
        accuracy = sum(labels[i] == said[i] for i in mine) / len(mine)
        base = sum(labels[i] == 1 for i in mine) / len(mine)
        scores = {"accuracy": r(accuracy), "balanced-accuracy": r(accuracy - 0.03 * draw.uniform()), "auc": None if f == 4 else r(min(1, accuracy + 0.05))}
        folds.append({
            "repetition": 0, "fold": f, "train": n - len(mine), "test": len(mine), "kernel": f"wl(h={2 + f % 2})", "learner": ["svc(C=32)", "svc(C=8)", "svc(C=32)"][f % 3],
            "inner_score": r(0.84 + 0.03 * draw.uniform()), "scores": scores, "baseline": {"accuracy": r(base), "balanced-accuracy": 0.5, "auc": None if f == 4 else 0.5}, "converged": f != 6,
        })
    measures = []
    for score in ["accuracy", "balanced-accuracy", "auc"]:
        base = mean_sd([f["baseline"][score] for f in folds])
        own = summarised([f["scores"][score] for f in folds if f["scores"][score] is not None])
        measures.append({"score": score, "greater_is_better": True, **own, "undefined": int(score == "auc"), "baseline": {"mean": base[0], "sd": base[1]}})
    depth, costs = ["0", "1", "2", "3", "4", "5"], ["0.03125", "0.125", "0.5", "2", "8", "32", "128"]
    cells = []
    for i in range(len(depth)):
        for j in range(len(costs)):
            mean = 0.87 - 0.012 * (i - 2.4) ** 2 - 0.006 * (j - 4.4) ** 2
            chosen = {(2, 5): 4, (3, 5): 3, (2, 4): 2, (3, 4): 1}.get((i, j), 0)
            cells.append({"position": [i, j], "mean": None if (i, j) == (5, 0) else r(mean), "chosen": chosen})
    shown = list(range(0, 63, 2)) + list(range(63, 188, 3))
    matrix = rbf([points[i] for i in shown], 0.12)
    spectrum = [r(60 * math.exp(-0.11 * k) * (1 + 0.05 * draw.normal())) for k in range(150)]
    spectrum = sorted(spectrum, reverse=True) + [1e-15, 3e-16, 0.0, -2e-16, -0.004, -0.011, -0.03]
    certificates = [
        {"title": "Kernel matrix", "rows": [["smallest eigenvalue", "−0.030", "below zero: the matrix is indefinite by 0.05 % of its trace"], ["largest asymmetry", "0", "the matrix equals its transpose to the bit"]]},
        {"title": "Fit on all objects", "rows": [["duality gap", "3.1 × 10⁻⁴", "the solution is within this distance of the best"], ["support objects", "94 of 188", "objects with a weight"], ["bound on the leave-one-out error", "0.213", "at most this share would be wrong"]]},
    ]
    return {
        "schema": "mercer/2", "command": "evaluate",
        "run": run("mercer evaluate molecules/ -k 'wl(h=0..5)' -l 'svc(C=2^-5..2^7)' --protocol 10-fold --report out.html", 41.7),
        "warnings": [
            "W_EDGE C: the best value lies at the edge of its range (32 in 7 of 10 splits); a wider range may score higher",
            "W_NOT_CONVERGED 1 of 430 fits stopped before they converged: more iterations or seconds in the learner's expression let them",
            "W_UNDEFINED auc has no value on 1 of 10 splits, which have one class only",
            "W_INDEFINITE 3 eigenvalues are negative, down to −0.030",
            "W_NEW_CODE something this page does not know yet",
        ],
        "summary": {"objects": n, "ids": True, "columns": [{"name": "graph", "kind": "graphs", "detail": "17.9 nodes and 19.8 edges on average, labels on nodes and edges"}, {"name": "weight", "kind": "numbers", "detail": "from 74.1 to 412, no gaps"}], "target": {"name": "class", "kind": "classes", "classes": [{"name": "non-mutagen", "objects": 63}, {"name": "mutagen", "objects": 125}]}},
        "data": "molecules/", "target": "class", "kernel": "wl(h=0..5)", "learner": "svc(C=2^-5..2^7)", "objects": n,
        "classes": [{"name": "non-mutagen", "objects": 63}, {"name": "mutagen", "objects": 125}],
        "protocol": "10-fold", "inner_protocol": "3-fold", "search": "grid", "seed": 0, "score": "accuracy", "configurations": 42, "configurations_tried": 42, "splits": 10, "inner_splits": 3, "fits": 430, "not_converged": 1, "transductive": False, "pooled": False,
        "folds": folds, "measures": measures, "baseline": "majority",
        "verdict": {"beaten": True, "test": {"name": "corrected resampled t", "statistic": 5.31, "p": 0.00048}, "sentence": "Better than the majority-class baseline (p < 0.001, corrected resampled t; better in all 10 splits)."},
        "figures": {
            "predictions": {"objects": objects, "ids": ids, "split": split, "truth": labels, "predicted": said, "classes": names, "decisions": decisions, "probabilities": probabilities},
            "search": {"score": "accuracy", "parameters": [{"name": "h", "values": depth}, {"name": "C", "values": costs}], "configurations": cells},
            "gram": {"kernel": "wl(h=2)", "shown": len(shown), "of": n, "ids": [f"mol-{i:03}" for i in shown], "classes": [names[truth[i]] for i in shown], "numbers": None, **encoded(matrix)},
            "spectrum": {"values": spectrum, "tolerance": 1e-12, "negative": 3, "of": n},
            "components": {"x": [r(p[0] / 4, 3) for p in points], "y": [r(p[1] / 4, 3) for p in points], "explained": [0.312, 0.144], "ids": [f"mol-{i:03}" for i in range(n)], "classes": [names[t] for t in truth], "numbers": None},
            "certificates": certificates,
            "drivers": drivers(),
            "stability": {"about": "The models of 10 outer splits, each with its drivers: the features of each class with the largest weights times means. Those of fewer than half of the splits are weak.", "splits": 10,
                          "drivers": [{"name": name, "found": found, "weak": found < 5} for name, found in [("C(ar:C,ar:C,ar:C)", 10), ("N(O,O)", 9), ("Cl", 4), ("a feature with a very long name that does not fit into a narrow table", 2)]]},
        },
    }


def regression():
    draw = Draw(11)
    n = 240
    target = [6 + 20 * draw.uniform() ** 1.5 for _ in range(n)]
    said = [t + draw.normal(0.2, 0.8 + 0.08 * t) - 0.012 * (t - 14) ** 2 for t in target]
    folds, names = [], ["rmse", "mae", "r2"]
    for f in range(5):
        mine = range(f, n, 5)
        rmse = math.sqrt(sum((said[i] - target[i]) ** 2 for i in mine) / len(mine))
        folds.append({"repetition": 0, "fold": f, "train": n - len(mine), "test": len(mine), "kernel": f"rbf(gamma={[0.1, 0.1, 0.05, 0.1, 0.2][f]})", "learner": "krr(lambda=0.01)", "inner_score": r(rmse * 1.03), "scores": {"rmse": r(rmse), "mae": r(rmse * 0.78), "r2": r(0.86 + 0.01 * draw.normal())}, "baseline": {"rmse": r(5.6 + 0.3 * draw.normal()), "mae": 4.71, "r2": -0.012}, "converged": True})
    measures = []
    for name in names:
        mean, sd = mean_sd([f["scores"][name] for f in folds])
        base = mean_sd([f["baseline"][name] for f in folds])
        interval = {"low": r(mean - 1.6 * sd), "high": r(mean + 1.6 * sd), "level": 0.95, "method": "corrected resampled t"}
        measures.append({"score": name, "greater_is_better": name == "r2", "mean": mean, "sd": sd, "interval": None if name == "mae" else interval, "undefined": 0, "baseline": {"mean": base[0], "sd": base[1]}})
    order = sorted(range(0, n, 4), key=lambda i: target[i])
    features = [[target[i] / 8 + draw.normal(0, 0.35), draw.normal(0, 0.5), draw.normal(0, 0.5)] for i in range(n)]
    signed = [[sum(a * b for a, b in zip(features[i], features[j])) - 3.2 for j in order] for i in order]
    values = ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]
    return {
        "schema": "mercer/2", "command": "evaluate",
        "run": run("mercer evaluate yield.csv --target yield -k 'rbf(gamma=0.01..1)' -l krr --report yield.html", 3.2),
        "warnings": [],
        "summary": {"objects": n, "ids": False, "columns": [{"name": f"x{k}", "kind": "numbers", "detail": "scaled to mean 0 and sd 1"} for k in range(1, 4)], "target": {"name": "yield", "kind": "number", "min": r(min(target)), "median": r(sorted(target)[n // 2]), "max": r(max(target))}},
        "data": "yield.csv", "target": "yield", "kernel": "rbf(gamma=0.01..1)", "learner": "krr(lambda=0.01)", "objects": n, "classes": [],
        "protocol": "5-fold", "inner_protocol": "5-fold", "search": "grid", "seed": 0, "score": "rmse", "configurations": 7, "configurations_tried": 7, "splits": 5, "inner_splits": 5, "fits": 180, "not_converged": 0, "transductive": False, "pooled": False,
        "folds": folds, "measures": measures, "baseline": "mean",
        "verdict": {"beaten": True, "test": {"name": "corrected resampled t", "p": 0.002}, "sentence": "Better than the mean baseline (p 0.002, corrected resampled t; better in all 5 splits)."},
        "figures": {
            "predictions": {"objects": list(range(n)), "ids": None, "split": [i % 5 for i in range(n)], "truth": [r(t) for t in target], "predicted": [None if i == 9 else r(s) for i, s in enumerate(said)], "classes": None, "decisions": None, "probabilities": None},
            "search": {"score": "rmse", "parameters": [{"name": "gamma", "values": values}, {"name": "lambda", "values": ["0.01"]}], "configurations": [{"position": [i, 0], "mean": r(2 + 0.1 * (i - 3.1) ** 2), "chosen": [0, 0, 1, 3, 1, 0, 0][i]} for i in range(7)]},
            "gram": {"kernel": "linear − 3.2", "shown": len(order), "of": n, "ids": [f"row {i + 1}" for i in order], "classes": None, "numbers": [r(target[i]) for i in order], **encoded(signed)},
            "spectrum": {"values": [r(120 * math.exp(-0.3 * k)) for k in range(100)], "tolerance": 1e-10, "negative": 0, "of": n},
            "components": {"x": [r(f[0], 3) for f in features], "y": [r(f[1], 3) for f in features], "explained": [0.55, 0.11], "ids": [f"row {i + 1}" for i in range(n)], "classes": None, "numbers": [r(t) for t in target]},
        },
    }


def auto():
    draw = Draw(23)
    names = ["EI", "IE", "N"]
    candidates = [("spectrum(k=6)", "svc(C=8)", False, 0.944), ("mismatch(k=5, m=1)", "svc(C=2)", False, 0.937), ("subsequence(k=3, decay=0.5)", "svc(C=2)", False, 0.913), ("rbf-of(edit, gamma=0.1)", "svc(C=8)", False, 0.861), ("spectrum(k=3)", "knn(k=5)", True, 0.804)]
    guess = [r(0.52 + 0.01 * draw.normal()) for _ in range(5)]
    tried = []
    for at, (kernel, learner, plain, mean) in enumerate(candidates):
        scores = [r(mean + 0.012 * draw.normal()) for _ in range(5)]
        tried.append({
            "kernel": kernel, "learner": learner, "simple_baseline": plain, "reason": ["counts of k-mers suit sequences of one alphabet", "k-mers that may differ in a symbol", "k-mers with gaps", "a distance as a kernel", "something simple to beat"][at],
            "searched": {"kernel": kernel.replace("6)", "3..8)"), "learner": "svc(C=2^-1..2^5)" if learner.startswith("svc") else "knn(k=1..15)", "configurations": [42, 28, 21, 14, 8][at]}, "scores": scores, "chosen": [{"kernel": kernel, "learner": learner}] * 4 + [{"kernel": kernel, "learner": learner.replace("8", "2")}], "unconverged": 0, "seconds": r(4 + 9 * draw.uniform(), 3),
            "against_baseline": {"test": "corrected resampled t", "p": 0.00002 * (at + 1), "better": True, "count": [5, 0, 0]}, "against_best": None if at == 0 else {"test": "corrected resampled t", "p": [0, 0.31, 0.021, 0.004, 0.0009][at], "better": None if at == 1 else False, "count": [at == 1 and 1 or 0, 0, at == 1 and 4 or 5]}, **summarised(scores, 2.78),
        })
    n = 150
    truth = [i % 3 for i in range(n)]
    probabilities, said = [], []
    for t in truth:
        logits = [draw.normal(2.0 if c == t else 0, 1.1) for c in range(3)]
        total = sum(math.exp(v) for v in logits)
        probabilities.append([r(math.exp(v) / total, 3) for v in logits])
        said.append(max(range(3), key=lambda c: logits[c]))
    letters = "ACGT"
    sequence = "".join(letters[draw.below(4)] for _ in range(24)) + "CAGGTAAGT" + "".join(letters[draw.below(4)] for _ in range(24))
    parts = [{"feature": "GGTAAG", "weight": 0.61, "count": 1, "amount": 0.61, "nodes": []}, {"feature": "CAGGTA", "weight": 0.42, "count": 1, "amount": 0.42, "nodes": []}, {"feature": sequence[4:10], "weight": -0.2, "count": 1, "amount": -0.2, "nodes": []}]
    words = ["GGTAAG", "CAGGTA", "TTTCAG", "TTGCAG", "GGTGAG", "AAAAAA", "CTGCAG", "TATATA"]
    return {
        "schema": "mercer/2", "command": "auto", "run": run("mercer auto splice.csv --budget 60s -o splice.mercer --report splice.html", 58.2),
        "warnings": ["W_UNUSED column donor is not used: every value is different"],
        "summary": {"objects": 3190, "ids": True, "columns": [{"name": "sequence", "kind": "strings", "detail": "60 letters of the alphabet dna"}, {"name": "donor", "kind": "categories", "detail": "3190 values, all different"}], "target": {"name": "site", "kind": "classes", "classes": [{"name": "EI", "objects": 767}, {"name": "IE", "objects": 768}, {"name": "N", "objects": 1655}]}},
        "data": "splice.csv", "objects": 3190, "used": 1200, "seed": 0, "score": "balanced-accuracy", "greater_is_better": True, "protocol": "5-fold", "inner": "3-fold", "budget": 60, "seconds": 52.4,
        "baseline": {"name": "majority class", "scores": guess, **summarised(guess, 2.78)}, "tried": tried,
        "not_tried": [{"kernel": "alignment(gap=1)", "learner": "svc(C=2^-1..2^5)", "reason": "alignments see shifts", "why": "the budget was used up"}],
        "unused": [{"column": "donor", "why": "every value is different, so it is a name rather than a property"}],
        "verdict": {"beats_baseline": True, "beats_simple_baseline": True, "text": "spectrum(k=6) with svc is better than the baseline (p < 0.001) and better than the simple baseline (p < 0.001). mismatch(k=5, m=1) cannot be told apart from it."},
        "model": {"output": "splice.mercer", "kernel": "spectrum(k=6)", "learner": "svc(C=8)", "objects": 3190, "at_edge": [], "why_not_all": None},
        "figures": {
            "predictions": {"objects": list(range(n)), "ids": [f"seq{i:04}" for i in range(n)], "split": [i % 5 for i in range(n)], "truth": truth, "predicted": said, "classes": names, "decisions": None, "probabilities": probabilities},
            "search": {"score": "balanced-accuracy", "parameters": [{"name": "k", "values": ["3", "4", "5", "6", "7", "8"]}, {"name": "C", "values": ["0.5", "2", "8", "32"]}, {"name": "normalised", "values": ["yes", "no"]}], "configurations": [{"position": [i, j, z], "mean": r(0.94 - 0.01 * (i - 3) ** 2 - 0.004 * (j - 2) ** 2 - 0.02 * z), "chosen": {(3, 2, 0): 4, (3, 1, 0): 1}.get((i, j, z), 0)} for i in range(6) for j in range(4) for z in range(2)]},
            "drivers": {"about": "Weights of the words the spectrum kernel counts, one set for each class against the rest.", "features": [{"feature": w, "weight": r((0.7 - 0.08 * i) * (-1 if i > 4 else 1), 3), "class": names[(i + c) % 3]} for c in range(2) for i, w in enumerate(words)], "references": None, "objects": [{"id": "seq0007", "truth": "EI", "class": "EI", "value": 0.93, "offset": -0.1, "rest": 0.2, "parts": parts, "graph": None, "text": sequence}]},
        },
    }


def compare():
    draw = Draw(19)
    methods = ["wl + svc", "shortest-path + svc", "graphlet + svc", "vertex-histogram + knn"]
    data = ["MUTAG", "PTC_MR", "ENZYMES", "PROTEINS", "NCI1", "DD"]
    base = {"MUTAG": 0.87, "PTC_MR": 0.6, "ENZYMES": 0.52, "PROTEINS": 0.74, "NCI1": 0.84, "DD": 0.78}
    shift = [0, -0.022, -0.05, -0.085]
    scores = {(m, d): [r(min(1, base[d] + shift[m] + 0.02 * draw.normal() + (0.04 if (m, d) == (1, "PROTEINS") else 0))) for _ in range(10)] for m in range(4) for d in data}
    scores[(2, "DD")][4] = None
    means = {key: mean_sd(value)[0] for key, value in scores.items()}
    cells = [{"method": methods[m], "data": d, "scores": scores[(m, d)], "mean": means[(m, d)], "sd": mean_sd(scores[(m, d)])[1], "best": means[(m, d)] == max(means[(k, d)] for k in range(4))} for m in range(4) for d in data]
    ranks = [r(sum(1 + sum(means[(k, d)] > means[(m, d)] for k in range(4)) for d in data) / len(data)) for m in range(4)]
    pairs = []
    for a in range(4):
        for b in range(a + 1, 4):
            wins = sum(means[(a, d)] > means[(b, d)] for d in data)
            p = [0.03125, 0.15625, 0.5][min(2, 6 - wins)] if wins >= 4 else 0.84
            better = b - a >= 2
            pairs.append({"a": methods[a], "b": methods[b], "wins": wins, "ties": 0, "losses": 6 - wins, "tests": [{"name": "Wilcoxon signed-rank", "statistic": 6.0 - wins, "p": p}, {"name": "sign", "statistic": None, "p": min(1, 2 * p)}], "adjusted_p": min(1, p * (1 if better else 3)), "better": methods[a] if better else None, "sentence": f"{methods[a]} is better than {methods[b]} (p {p:.2g})." if better else f"{methods[a]} and {methods[b]} cannot be told apart."})
    evaluations = [{"method": methods[m], "data": d, "kernel": methods[m].split(" + ")[0], "learner": methods[m].split(" + ")[1], "protocol": "10-fold", "warnings": [], "verdict": {"beaten": True, "sentence": "Better than the majority-class baseline (p < 0.001)."}} for m in range(4) for d in data]
    return {
        "schema": "mercer/2", "command": "compare", "run": run("mercer compare MUTAG PTC_MR ENZYMES PROTEINS NCI1 DD --methods methods.toml --protocol 10-fold --report graphs.html", 1840), "warnings": ["W_IGNORED graphlet leaves out what the graphs carry: node labels", "W_IGNORED vertex-histogram leaves out what the graphs carry: edges"], "summary": None,
        "kind": "comparison", "score": "accuracy", "greater_is_better": True, "protocol": "10-fold", "alpha": 0.05, "correction": "holm", "methods": methods, "data": data, "results": cells,
        "friedman": {"ranks": ranks, "data_sets": 6, "chi_square": {"name": "Friedman", "statistic": 14.2, "p": 0.0026}, "iman_davenport": {"name": "Iman–Davenport", "statistic": 18.7, "degrees": [3, 15], "p": 0.000026}},
        "nemenyi": {"critical_difference": 1.915, "alpha": 0.05, "p": [[1, 0.6, 0.04, 0.001], [0.6, 1, 0.4, 0.03], [0.04, 0.4, 1, 0.5], [0.001, 0.03, 0.5, 1]], "groups": [methods[:2], methods[1:3], methods[2:]]},
        "pairs": pairs, "evaluations": evaluations,
    }


def reproduce():
    rows = [["Data", "Objects", "Printed", "Measured", "Difference"], ["Balance", "625", "92.1", "97.5 ± 0.4", "+5.4"], ["Haberman", "306", "73.9", "73.6 ± 1.1", "−0.3"], ["Iris", "150", "96.0", "96.2 ± 0.9", "+0.2"], ["Mammographic masses", "961", "82.3", "82.6 ± 0.7", "+0.3"], ["Planning relax", "182", "71.4", "", ""]]
    second = [["Data", "p", "Accuracy in %", "Best power"], ["Balance", "0.5", "95.1", "0.7"], ["Iris", "0.5", "95.8", "0.9"]]
    return {
        "schema": "mercer/2", "command": "reproduce", "run": run("mercer reproduce similarity --report similarity.html", 612.0), "warnings": [],
        "tables": [{"title": "Table I: accuracy in % compared with an RBF SVM", "rows": rows, "notes": ["Planning relax: the folds printed cannot be made with 182 objects.", "A well-tuned RBF SVM is better on Balance than the printed value."]}, {"title": "Table II: powers", "rows": second, "notes": []}],
        "notes": ["Measured by five repetitions of two folds; printed figures are those of the paper."],
    }


def coverage_row(name, objects, covered, size, extreme=0):
    return {"name": name, "objects": objects, "covered": covered, "coverage": r(covered / objects), "size": size, "extreme": extreme}


def fit():
    shares = {0.8: (97, 33), 0.9: (109, 38), 0.95: (114, 41)}
    coverage = [
        {"confidence": c, "guaranteed": r(2 * c - 1), "all": coverage_row("", 164, a + b, r(0.9 + c / 3)), "parts": [coverage_row("-1", 41, b, r(0.9 + c / 2)), coverage_row("1", 123, a, r(0.8 + c / 3), 2)]}
        for c, (a, b) in shares.items()
    ]
    measure = {"score": "accuracy", "mean": 0.854, "interval": {"low": 0.79, "high": 0.9}, "baseline_mean": 0.75}
    return {
        "schema": "mercer/2", "command": "fit", "run": run("mercer fit train.csv --test test.csv --conformal --conformal-by class -o toxic.mercer --report fit.html", 3.2),
        "data": "train.csv", "output": "toxic.mercer", "kernel": "normalize(wl(h=3))", "learner": "svc(C=10)", "objects": 188, "classes": ["-1", "1"], "converged": True, "seconds": 2.4,
        "target": {"name": "toxic", "kind": "classes"}, "conformal": {"method": "cv(10)", "score": "least-ambiguous", "by": "class", "objects": 188, "strata": [{"name": "-1", "objects": 63}, {"name": "1", "objects": 125}]},
        "test": {"objects": 164, "train": 188, "measures": [measure], "verdict": {"sentence": "Better than the majority-class baseline (p = 0.002)."}},
        "coverage": coverage, "warnings": ["W_IMBALANCE '1' has 66 % of the objects"],
    }


def predict():
    draw = Draw(11)
    names = ["setosa", "versicolor", "virginica"]
    truth, said, sets, typicality = [], [], [], []
    for i in range(90):
        true = i % 3
        likely = true if draw.uniform() < 0.9 else (true + 1) % 3
        chosen = {likely} | ({true} if draw.uniform() < 0.6 else set()) | ({(likely + 1) % 3} if draw.uniform() < 0.2 else set())
        truth.append(names[true]), said.append(names[likely])
        sets.append([] if draw.uniform() < 0.03 else [names[c] for c in sorted(chosen)])
        typicality.append(0.0066 if i in (17, 60) else r(0.02 + 0.98 * draw.uniform()))
    held = [t in s for t, s in zip(truth, sets)]
    size = lambda rows: r(sum(len(sets[i]) for i in rows) / len(rows))
    row = lambda name, rows: coverage_row(name, len(rows), sum(held[i] for i in rows), size(rows), sum(not sets[i] for i in rows))
    parts = [row(name, [i for i in range(90) if truth[i] == name]) for name in names]
    return {
        "schema": "mercer/2", "command": "predict", "run": run("mercer predict iris.mercer flowers.csv --confidence 0.9 --report flowers.html", 0.4),
        "data": "flowers.csv", "model": "iris.mercer", "objects": 90, "target": "species", "classes": names, "ids": [f"flower {i + 1}" for i in range(90)], "predictions": said, "truth": truth,
        "confidence": 0.9, "sets": sets, "typicality": typicality, "in_domain": [p > 0.01 for p in typicality], "coverage": {"confidence": 0.9, "guaranteed": 0.8, "all": row("", list(range(90))), "parts": parts},
        "warnings": ["W_UNTYPICAL 2 of 90 objects are unlike the training objects (typicality of at most 0.01): their predictions by svc are outside of its domain"],
    }


def intervals():
    draw = Draw(12)
    truth = [r(300 + 40 * draw.normal()) for _ in range(260)]
    said = [r(t + 14 * draw.normal()) for t in truth]
    bounds = [None if i == 40 else [r(s - 22 - abs(s - 300) / 8), r(s + 22 + abs(s - 300) / 8)] for i, s in enumerate(said)]
    bounds = [b if b else [None, None] for b in bounds]
    held = [b[0] is None or b[0] <= t <= b[1] for t, b in zip(truth, bounds)]
    typicality = [r(draw.uniform()) for _ in truth]
    known = {"confidence": 0.9, "guaranteed": 0.9, "all": coverage_row("", 260, sum(held), 51.2, 1), "parts": []}
    return {
        "schema": "mercer/2", "command": "predict", "run": run("mercer predict wavelength.mercer new.csv --confidence 0.9 --report new.html", 0.9),
        "data": "new.csv", "model": "wavelength.mercer", "objects": 260, "target": "wavelength in nm", "classes": [], "ids": None, "predictions": said, "truth": truth, "deviations": [r(9 + 4 * draw.uniform()) for _ in truth],
        "confidence": 0.9, "intervals": bounds, "typicality": typicality, "in_domain": [p > 0.01 for p in typicality], "coverage": known, "warnings": [],
    }


def explain():
    draw = Draw(13)
    names = ["petal_length", "petal_width", "sepal_length", "sepal_width", "the age of the plant in days since it was planted, as told by its owner"]
    classes = ["setosa", "versicolor", "virginica"]
    values = [[[r(draw.normal(0, 1 / (1 + j))) for j in range(5)] for _ in range(150)] for _ in classes]
    shares = [0.41, 0.3, 0.15, 0.1, 0.04]
    columns = [
        {"column": name, "importance": r(0.9 * share), "share": share, "permutation": {"column": name, "increase": r(0.6 * share), "low": r(0.5 * share), "high": r(0.7 * share)}}
        for name, share in zip(names, shares)
    ]
    line = lambda c: [{"at": str(k), "number": k, "dependence": r(math.sin(k / 3 + c)), "effect": r(0.8 * math.sin(k / 3 + c) - 0.1)} for k in range(12)]
    colours = [{"at": name, "number": None, "dependence": r(draw.normal()), "effect": None} for name in ["red", "green", "blue"]]
    effects = [{"column": name, "output": class_, "points": line(c)} for name in names[:2] for c, class_ in enumerate(classes)]
    effects += [{"column": "colour", "output": class_, "points": colours} for class_ in classes]
    examples = [{"class": name, "prototypes": [{"object": 7 * c, "id": None}, {"object": 7 * c + 3, "id": "x41"}], "criticisms": [{"object": 50 * c, "id": None}]} for c, name in enumerate(classes)]
    part = lambda name, amount, **more: {"feature": name, "weight": r(amount), "count": 0.9, "amount": r(amount), "nodes": [], **more}
    told = lambda: {"value": 1.3954, "offset": 0.0343, "rest": 0.0089, "parts": [part(f"similarity to support object {k + 31} (sepal_length 6.5, sepal_width 3, petal_length 5.5, petal_width 1.8)", 0.45 - 0.2 * k, share=r(0.2 - 0.09 * k)) for k in range(4)],
                    "evidence": {"objects_for": 19, "share_for": 0.81, "objects_against": 14, "share_against": 0.19, "other_class": {"object": 12, "name": "13 (sepal_length 6.1)", "class": "versicolor", "distance": 0.71, "differs": ["petal_width 1.3 instead of 2.1", "petal_length 4.7 instead of 5.9"]}}}
    hidden = {"value": 1.3954, "offset": -0.2, "rest": 0.01, "parts": [part(f"time steps {8 * k}-{8 * k + 7}", 0.6 - 0.35 * k, error=0.02) for k in range(4)]}
    wave = " ".join(f"{'ML'[k > 0]}{5 * k} {60 - r(40 * math.sin(k / 6), 1)}" for k in range(96))
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 120" width="480" height="120" class="drawing" role="img"><title>time series</title><rect x="40" y="0" width="80" height="120" class="positive" fill="#d55e00" fill-opacity="0.5"/><rect x="200" y="0" width="80" height="120" class="negative" fill="#0072b2" fill-opacity="0.3"/><path d="{wave}" fill="none" stroke="currentColor" stroke-width="1.3"/></svg>'
    singles = [{"object": {"object": 7 * c, "id": None}, "role": role, "class": name, "by_objects": told(), "by_parts": hidden if c == 1 else None, "drawing": drawn if c == 1 else None} for c, name in enumerate(classes) for role in ["prototype", "criticism"]]
    return {
        "schema": "mercer/2", "command": "explain", "run": run("mercer explain gaussian.mercer iris --report why.html", 0.3),
        "data": "iris", "model": "gaussian.mercer", "kernel": "standardize(rbf(gamma=0.25))", "learner": "svc(C=1)", "target": "class", "objects": 150, "of": 150,
        "method": "exact, by the form of the kernel", "exact": True, "background": "20 of 150 objects of the data, drawn at random", "gap": 1.2e-15,
        "score": {"name": "accuracy", "model": 0.9733, "baseline": 0.3333, "better": True}, "columns": columns,
        "correlated": [{"first": "petal_length", "second": "petal_width", "correlation": 0.9629}], "effects": effects, "examples": {"classes": examples, "nearest_other": []}, "explained": singles,
        "attributions": {"columns": names, "outputs": classes, "base": [0.1, -0.2, 0.1], "predicted": [], "values": values}, "warnings": [],
    }


if __name__ == "__main__":
    for make in [evaluate, regression, auto, compare, reproduce, fit, predict, intervals, explain]:
        text = json.dumps(make(), ensure_ascii=False, separators=(",", ":")) + "\n"
        (HERE / f"{make.__name__}.json").write_text(text, encoding="utf-8")
