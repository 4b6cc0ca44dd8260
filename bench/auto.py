"""The contest of ``mercer auto`` with other systems, on fixed outer folds with the same seconds for every fold and system.

    python auto.py --program mercer --seconds 15                  all data sets
    python auto.py iris titanic --program mercer --seconds 15     some of them
    python auto.py --page docs/results/auto.md                    writes the page from the journal alone

Every fold of every system is a line of the journal (``--journal``); lines that are there are not run again. Each system is a child process
that gets the training rows with their classes or numbers and the test rows without, so that none can influence another. Peers that are not installed are left
out and named on the page: flaml[automl], scikit-learn, RDKit, aeon (two of its classifiers need PyTorch), GraKeL. Classes are scored by accuracy, or by balanced accuracy where one class has more than
three quarters of the rows; numbers by the root mean squared error. Nodes are told apart by edges alone. ``claimed`` is the score that a system itself states for new data.
"""

import argparse
import inspect
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pandas as pd

ROOT = pathlib.Path(os.environ.get("MERCER_DATA") or pathlib.Path(__file__).resolve().parents[2] / "shared" / "data")
FOLDS, MOST = 5, 3000
# name: (kind, path, target, columns left out: those that repeat the target, that it follows from, or that name the row)
SETS = {
    name: ("table", f"tables/{name}/{name}.csv", target, [])
    for name, target in {
        "australian": "class", "balance_scale": "class", "ecoli": "class", "haberman": "class", "iris": "class", "liver_bupa": "selector",
        "mammographic_masses": "Severity", "pima_diabetes": "class", "planning_relax": "class",
    }.items()
} | {
    "adult": ("table", "categorical/adult/adult_first5000.csv", "income", []),
    "breast_cancer_ljubljana": ("table", "categorical/breast_cancer_ljubljana/breast_cancer_ljubljana.csv", "class", []),
    "hepatitis": ("table", "categorical/hepatitis/hepatitis.csv", "class", []),
    "house_votes_84": ("table", "categorical/house_votes_84/house_votes_84.csv", "class", []),
    "titanic": ("table", "wild/titanic/titanic.csv", "survived", ["alive"]),
    "taxis": ("table", "wild/taxis/taxis.csv", "fare", ["pickup", "dropoff", "tip", "tolls", "total"]),
    "promoters": ("sequences", "strings/promoters/promoters.csv", "class", ["name"]),
    "splice": ("sequences", "strings/splice/splice.csv", "class", ["instance"]),
    "sms_spam": ("text", "strings/sms_spam/sms_spam.csv", "class", []),
    "esol": (
        "molecules", "molecules/ESOL/ESOL.csv", "measured log solubility in mols per litre",
        ["Compound ID", "ESOL predicted log solubility in mols per litre"],
    ),
} | {
    # Both parts of the archive together; they are split anew.
    name: ("series", f"timeseries/{name}/{name}", None, []) for name in ("ArrowHead", "Coffee", "ECG200", "GunPoint", "ItalyPowerDemand", "SyntheticControl", "Trace")
} | {
    name: ("graphs", f"graphs/{name}/{name}", None, []) for name in ("MUTAG", "PTC_MR", "ENZYMES", "PROTEINS")
} | {"cora": ("nodes", "nodes/cora", None, [])}  # fmt: skip
NUMERIC = {"taxis", "esol"}
SYSTEMS = {
    "table": ["mercer auto", "flaml", "boosting", "forest"],
    "sequences": ["mercer auto", "k-mers + linear svc"],
    "text": ["mercer auto", "tf-idf + linear svc", "character n-grams + linear svc"],
    "molecules": ["mercer auto", "ecfp + forest"],
    "series": ["mercer auto", "minirocket", "quant", "multirocket-hydra"],
    "graphs": ["mercer auto", "wl + svc"],
    "nodes": ["mercer auto", "sgc"],
}
NEEDS = {
    "mercer auto": None, "flaml": "flaml", "ecfp + forest": "rdkit", "wl + svc": "grakel",
    "minirocket": "aeon", "quant": "torch", "multirocket-hydra": "torch",
}  # fmt: skip


def series(path):
    """Series of one channel and their classes, of both parts of the archive."""
    lines = [line for part in ("TRAIN", "TEST") for line in open(f"{path}_{part}.ts") if line.strip() and line[0] not in "#@"]
    cells = [line.strip().rsplit(":", 1) for line in lines]
    return [[float(v) for v in values.split(",")] for values, _ in cells], np.array([label for _, label in cells])


def graphs(path):
    """Graphs as (edges, labels of nodes, attributes of nodes as text) and their classes, from files of the TU collection."""
    of = np.loadtxt(f"{path}_graph_indicator.txt", dtype=int) - 1
    y = np.loadtxt(f"{path}_graph_labels.txt", dtype=int).astype(str)
    starts = np.searchsorted(of, np.arange(len(y)))
    labels = np.loadtxt(f"{path}_node_labels.txt", dtype=int)
    attributes = pathlib.Path(f"{path}_node_attributes.txt")
    attributes = attributes.read_text().splitlines() if attributes.exists() else None
    edges = [[] for _ in y]
    for a, b in np.loadtxt(f"{path}_A.txt", delimiter=",", dtype=int) - 1:
        edges[of[a]].append((a - starts[of[a]], b - starts[of[a]]))
    whole = [np.flatnonzero(of == g) for g in range(len(y))]
    return [(edges[g], labels[nodes], attributes and [attributes[i] for i in nodes]) for g, nodes in enumerate(whole)], y


def nodes(path):
    """The nodes of one graph by number, and their classes."""
    table = pd.read_csv(path / "nodes.csv", dtype=str)
    return list(table["node"].astype(int)), table["class"].to_numpy()


OBJECTS = {"series": series, "graphs": graphs, "nodes": nodes}


def written(kind, name, x, y, folder, part):
    """Objects as a file or folder for the program; returns its path and the flags that reading it needs."""
    if kind == "series":
        path = os.path.join(folder, f"{part}.tsv")
        with open(path, "w") as out:
            out.writelines("\t".join([str(label), *map(repr, values)]) + "\n" for label, values in zip(y, x))
        return path, ["--format", "ucr"]
    if kind == "graphs":
        path = pathlib.Path(folder, part)
        path.mkdir()
        rows, indicator, labels, attributes, start = [], [], [], [], 1
        for g, (edges, own, more) in enumerate(x):
            rows += [f"{a + start}, {b + start}" for a, b in edges]
            indicator += [str(g + 1)] * len(own)
            labels += map(str, own)
            attributes += more or []
            start += len(own)
        files = {"A": rows, "graph_indicator": indicator, "graph_labels": y, "node_labels": labels} | ({"node_attributes": attributes} if attributes else {})
        for suffix, lines in files.items():
            (path / f"{part}_{suffix}.txt").write_text("\n".join(map(str, lines)) + "\n")
        return str(path), []
    if kind == "nodes":
        path = os.path.join(folder, f"{part}.csv")
        pd.DataFrame({"node": x, "class_": y}).to_csv(path, index=False)
        return path, ["--edges", str(ROOT / SETS[name][1] / "edges.csv")]
    path = os.path.join(folder, f"{part}.csv")
    (x if y is None else x.assign(target_=y)).to_csv(path, index=False)
    return path, []


def load(name):
    """At most 3000 rows, drawn with a fixed seed, and the target."""
    kind, path, target, left_out = SETS[name]
    if kind in OBJECTS:
        x, y = OBJECTS[kind](ROOT / path)
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST])
        return kind, [x[i] for i in rows], y[rows]
    frame = pd.read_csv(ROOT / path, na_values=["?"]).drop(columns=left_out, errors="ignore")
    frame = frame[frame[target].notna()]
    rows = np.sort(np.random.default_rng(0).permutation(len(frame))[:MOST])
    frame = frame.iloc[rows].reset_index(drop=True)
    y = frame.pop(target)
    return kind, frame, (y.astype(float) if name in NUMERIC else y.astype(str)).to_numpy()


def folds(name, y):
    from sklearn.model_selection import KFold, StratifiedKFold

    of = KFold if name in NUMERIC else StratifiedKFold
    return list(of(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y))


def measure_of(y):
    if y.dtype.kind == "f":
        return "rmse"
    return "balanced-accuracy" if max(pd.Series(y).value_counts(normalize=True)) > 0.75 else "accuracy"


def scored(measure, y, predicted):
    from sklearn import metrics

    if measure == "rmse":
        return float(np.sqrt(np.mean((y - np.asarray(predicted, float)) ** 2)))
    predicted = np.asarray(predicted).astype(str)
    return float({"accuracy": metrics.accuracy_score, "balanced-accuracy": metrics.balanced_accuracy_score}[measure](y, predicted))


# ------------------------------------------------------------------------------------------------- the systems
def mercer_auto(x, y, new, seconds, measure, program, name):
    kind = SETS[name][0]
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "m.mercer")
        train, flags = written(kind, name, x, y, folder, "train")
        # Files whose form has a place for the class get that of the first training object.
        test, _ = written(kind, name, new, [y[0]] * len(new) if kind in OBJECTS else None, folder, "new")
        args = ["auto", train, *flags, "--budget", str(seconds), "-o", model, "--no-report", "--json", "--score", measure]
        if kind not in ("series", "graphs"):
            args += ["--target", "class_" if kind == "nodes" else "target_", "--target-kind", "numbers" if measure == "rmse" else "classes"]
        before = os.times()
        started = time.monotonic()
        found = json.loads(subprocess.run([program, *args], capture_output=True, check=True, text=True).stdout)
        took = time.monotonic() - started
        after = os.times()
        worked = (after.children_user - before.children_user + after.children_system - before.children_system) / 2
        out = os.path.join(folder, "p.csv")
        subprocess.run([program, "predict", model, test, *flags, "-o", out, "-q"], capture_output=True, check=True, text=True)
        table = pd.read_csv(out, dtype=str)
        column = next(c for c in ("predicted", "prediction", "target_", "class") if c in table)
        claim = found["verdict"]["expected"]
        detail = {"processor seconds a thread": worked, "blend": len(found["model"]["members"]), "model": f"{found['model']['learner']} on {found['model']['kernel']}", "best of its table": found["tried"][0]["mean"]}
        # Texts that a spreadsheet would take for formulas are written with an apostrophe.
        predicted = table[column].str.replace(r"^'(?=[=+\-@])", "", regex=True)
        return predicted.to_numpy(), took, claim and claim["expected"], claim and [claim["low"], claim["high"]], detail


def encoded(x, new):
    """Categories as codes, missing values as they are."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OrdinalEncoder

    names = [c for c in x if not pd.api.types.is_numeric_dtype(x[c])]
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    made = make_column_transformer((encoder, names), remainder="passthrough")
    return made.fit_transform(x), made.transform(new)


def flaml(x, y, new, seconds, measure):
    from flaml import AutoML

    found = AutoML()
    task, metric = ("regression", "rmse") if measure == "rmse" else ("classification", "accuracy" if measure == "accuracy" else "log_loss")
    for column in x:
        if not pd.api.types.is_numeric_dtype(x[column]):
            x[column], new[column] = x[column].astype("category"), new[column].astype("category")
    found.fit(x, y, task=task, metric=metric, time_budget=seconds, verbose=0, seed=0, n_jobs=2)
    claimed = {"rmse": found.best_loss, "accuracy": 1 - found.best_loss}.get(metric)
    return found.predict(new), claimed, {"model": found.best_estimator}


def boosting(x, y, new, seconds, measure):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    made = HistGradientBoostingRegressor if measure == "rmse" else HistGradientBoostingClassifier
    x, new = encoded(x, new)
    return made(random_state=0).fit(x, y).predict(new), None, {}


def forest(x, y, new, seconds, measure):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    made = RandomForestRegressor if measure == "rmse" else RandomForestClassifier
    x, new = encoded(x, new)
    model = make_pipeline(SimpleImputer(strategy="median"), made(500, random_state=0, n_jobs=2))
    return model.fit(x, y).predict(new), None, {}


def on_text(analyzer, ngrams, weighted):
    def system(x, y, new, seconds, measure):
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline
        from sklearn.svm import LinearSVC

        made = TfidfVectorizer if weighted else CountVectorizer
        column = next(c for c in x if not pd.api.types.is_numeric_dtype(x[c]))
        pipe = make_pipeline(made(analyzer=analyzer, ngram_range=ngrams), LinearSVC(dual=True))
        scoring = measure.replace("-", "_")
        search = GridSearchCV(pipe, {"linearsvc__C": [0.01, 0.1, 1, 10]}, cv=3, scoring=scoring)
        search.fit(x[column].astype(str), y)
        return search.predict(new[column].astype(str)), float(search.best_score_), {"model": str(search.best_params_)}

    return system


def ecfp(x, y, new, seconds, measure):
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator
    from sklearn.ensemble import RandomForestRegressor

    made = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)

    def bits(frame):
        return np.array([made.GetCountFingerprintAsNumPy(Chem.MolFromSmiles(s)) for s in frame["smiles"]])

    model = RandomForestRegressor(500, random_state=0, n_jobs=2)
    return model.fit(bits(x), y).predict(bits(new)), None, {}


def by_aeon(module, name):
    def system(x, y, new, seconds, measure):
        import importlib

        made = getattr(importlib.import_module(f"aeon.classification.{module}"), name)
        made = made(random_state=0, **({"n_jobs": 2} if "n_jobs" in inspect.signature(made).parameters else {}))
        shaped = [np.asarray(part, dtype=float)[:, None, :] for part in (x, new)]
        return made.fit(shaped[0], y).predict(shaped[1]), None, {}

    return system


def wl(x, y, new, seconds, measure):
    """GraKeL's Weisfeiler-Lehman subtree kernel; iterations and C by five folds of the training graphs."""
    from grakel import Graph
    from grakel.kernels import VertexHistogram, WeisfeilerLehman
    from sklearn.model_selection import cross_val_score
    from sklearn.svm import SVC

    def graph(one):
        edges, labels, _ = one
        return Graph({(int(a), int(b)): 1.0 for a, b in edges}, node_labels={i: int(label) for i, label in enumerate(labels)})

    train, test = [graph(g) for g in x], [graph(g) for g in new]
    best = None
    for h in (1, 2, 3, 5):
        kernel = WeisfeilerLehman(n_iter=h, base_graph_kernel=VertexHistogram, normalize=True)
        gram = kernel.fit_transform(train)
        for cost in (0.1, 1, 10, 100):
            found = cross_val_score(SVC(C=cost, kernel="precomputed"), gram, y, cv=5).mean()
            if best is None or found > best[0]:
                best = (found, kernel, SVC(C=cost, kernel="precomputed").fit(gram, y), {"h": h, "C": cost})
    return best[2].predict(best[1].transform(test)), best[0], {"model": str(best[3])}


def sgc(x, y, new, seconds, measure):
    """Logistic regression on two smoothing steps from every node (SGC without attributes); its penalty by five folds."""
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV

    root = ROOT / "nodes" / "cora"
    rows, cols = np.loadtxt(root / "edges.csv", delimiter=",", skiprows=1, dtype=int).T
    n = len(pd.read_csv(root / "nodes.csv"))
    half = sparse.coo_array((np.ones(len(rows)), (rows, cols)), shape=(n, n))
    around = ((half + half.T + sparse.eye_array(n)) > 0).astype(float)
    scale = sparse.diags_array(1.0 / np.sqrt(around.sum(axis=1)))
    smooth = scale @ around @ scale
    around = (smooth @ smooth).tocsr()
    found = GridSearchCV(LogisticRegression(max_iter=500), {"C": [10, 100, 1000, 10000]}, cv=5, n_jobs=2).fit(around[x], y)
    return found.predict(around[new]), float(found.best_score_), {"model": str(found.best_params_)}


PEERS = {
    "minirocket": by_aeon("convolution_based", "MiniRocketClassifier"), "quant": by_aeon("interval_based", "QUANTClassifier"),
    "multirocket-hydra": by_aeon("convolution_based", "MultiRocketHydraClassifier"), "wl + svc": wl, "sgc": sgc,
    "flaml": flaml, "boosting": boosting, "forest": forest, "ecfp + forest": ecfp,
    "tf-idf + linear svc": on_text("word", (1, 2), True),
    "character n-grams + linear svc": on_text("char_wb", (2, 5), True),
    "k-mers + linear svc": on_text("char", (4, 6), False),
}  # fmt: skip


def run_one(name, fold, system, seconds, program):
    """One line of the journal."""
    kind, x, y = load(name)
    train, test = folds(name, y)[fold]
    measure = measure_of(y)
    line = {"set": name, "kind": kind, "fold": fold, "system": system, "budget": seconds, "measure": measure, "rows": len(y)}
    if kind in OBJECTS:
        x_train, x_test = [x[i] for i in train], [x[i] for i in test]
    else:
        x_train, x_test = x.iloc[train].reset_index(drop=True), x.iloc[test].reset_index(drop=True)
    started = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if system == "mercer auto":
                predicted, took, claimed, interval, detail = mercer_auto(x_train, y[train], x_test, seconds, measure, program, name)
            else:
                predicted, claimed, detail = PEERS[system](x_train, y[train], x_test, seconds, measure)
                took, interval = time.monotonic() - started, None
        line |= {"score": scored(measure, y[test], predicted), "seconds": took, "claimed": claimed, "interval": interval, **detail}
    except Exception as error:  # a crash of any system is a result
        output = getattr(error, "stderr", None) or getattr(error, "stdout", None) or ""
        line |= {"error": f"{type(error).__name__}: {error} {output[-300:]}", "seconds": time.monotonic() - started}
    return line


# ------------------------------------------------------------------------------------------------- the page
def three(value):
    return "–" if value is None or pd.isna(value) else f"{value:.3f}"


def page(lines):
    frame = pd.DataFrame(lines)
    if "error" not in frame:
        frame["error"] = None
    seconds = ", ".join(f"{s:g}" for s in sorted(frame["budget"].unique()))
    if frame["budget"].nunique() > 1:
        raise SystemExit("the journal has runs with several numbers of seconds: one page is of one of them")
    complete = frame.groupby(["set", "system"]).filter(lambda part: len(part) == FOLDS)
    out = [
        "# `mercer auto` compared with other systems", "",
        f"Made by `bench/auto.py`: {FOLDS} outer folds fixed beforehand, {seconds} s for each fold and system on two cores, at most {MOST} rows of each set. The machine had other work at the same time, "
        "which slows every system. Boosting and forest are scikit-learn's with default settings; they and the linear models use as little of the time as they need. "
        "Sets and systems without all folds are not shown. Accuracy, balanced accuracy where one class has more than three quarters of the rows, RMSE for numbers (lower is better).", "",
    ]  # fmt: skip
    rows, ranks = [], {}
    for (name, kind), part in complete.groupby(["set", "kind"]):
        means = part.groupby("system")["score"].mean()
        if "mercer auto" not in means or len(means) < 2:
            continue
        lower = part["measure"].iloc[0] == "rmse"
        order = (means if lower else -means).rank()
        others = means.drop("mercer auto")
        best = others.min() if lower else others.max()
        rival = others.idxmin() if lower else others.idxmax()
        own = means["mercer auto"]
        ahead = (best / own - 1 if lower else own - best) * 100
        rows.append((ahead, name, kind, part["measure"].iloc[0], own, rival, best))
        for system, rank in order.items():
            ranks.setdefault(kind, {}).setdefault(system, []).append(rank)
    out += ["## Set by set, losses first", "", "Ahead: points of the measure, or per cent of RMSE, of `mercer auto` before the best of the others.", ""]
    out += ["| set | kind | measure | mercer auto | best other | | ahead |", "|---|---|---|---|---|---|---|"]
    for ahead, name, kind, measure, own, rival, best in sorted(rows):
        out.append(f"| {name} | {kind} | {measure} | {own:.3f} | {best:.3f} | {rival} | {ahead:+.1f} |")
    out += ["", "## Mean ranks", "", "| kind | sets | " + "system: mean rank |", "|---|---|---|"]
    for kind, of in sorted(ranks.items()):
        named = ", ".join(f"{system}: {np.mean(r):.2f}" for system, r in sorted(of.items(), key=lambda item: np.mean(item[1])))
        out.append(f"| {kind} | {max(map(len, of.values()))} | {named} |")
    out += ["", "## Time and claims", "", "Over: the longest run beyond the seconds. Off: mean of claimed less outer score (and of its size) over sets, in points; "
            "held: sets whose outer score is within the mean interval. Where the machine is busy, processor seconds for each of two threads say more: the longest are in brackets.",
            "", "| system | runs | failed | over, s | off | size | held |", "|---|---|---|---|---|---|---|"]  # fmt: skip
    for system, part in complete.groupby("system"):
        over = (part["seconds"] - part["budget"]).max()
        off, held = [], []
        for _, one in part.groupby("set"):
            if one["claimed"].notna().all() and one["score"].notna().all():
                scale = 100 / one["score"].mean() if one["measure"].iloc[0] == "rmse" else 100
                off.append(scale * (one["claimed"].mean() - one["score"].mean()))
                if one["interval"].notna().all():
                    low, high = (np.mean([i[k] for i in one["interval"]]) for k in (0, 1))
                    held.append(low <= one["score"].mean() <= high)
        mean = f"{np.mean(off):+.1f}" if off else "–"
        size = f"{np.mean(np.abs(off)):.1f}" if off else "–"
        shown = f"{sum(held)} of {len(held)}" if held else "–"
        worked = part["processor seconds a thread"].max() if "processor seconds a thread" in part else None
        worked = "" if worked is None or pd.isna(worked) else f" ({worked:.1f})"
        out.append(f"| {system} | {len(part)} | {int(part['error'].notna().sum())} | {max(over, 0):.1f}{worked} | {mean} | {size} | {shown} |")
    blended = complete[complete["system"] == "mercer auto"]
    if "blend" in blended:
        out += ["", f"The model of `mercer auto` was a blend in {int((blended['blend'] > 0).sum())} of {len(blended)} runs."]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--program", default="mercer")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--journal", default="auto.jsonl")
    parser.add_argument("--page")
    parser.add_argument("--one", nargs=3, metavar=("SET", "FOLD", "SYSTEM"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        name, fold, system = args.one
        print(json.dumps(run_one(name, int(fold), system, args.seconds, args.program)))
        return
    journal = pathlib.Path(args.journal)
    lines = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    if args.page:
        pathlib.Path(args.page).write_text(page(lines))
        return
    import importlib.util

    known = {(one["set"], one["fold"], one["system"], one["budget"]) for one in lines}
    for name in args.sets or SETS:
        for system in SYSTEMS[SETS[name][0]]:
            needed = NEEDS.get(system, "sklearn")
            if needed and importlib.util.find_spec(needed) is None:
                print(f"{system}: {needed} is not installed", file=sys.stderr)
                continue
            for fold in range(FOLDS):
                if (name, fold, system, args.seconds) in known:
                    continue
                own = [sys.executable, __file__, "--one", name, str(fold), system, "--seconds", str(args.seconds), "--program", args.program]
                done = subprocess.run(own, capture_output=True, text=True)
                line = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else None
                if line is None:
                    line = json.dumps({"set": name, "kind": SETS[name][0], "fold": fold, "system": system, "budget": args.seconds, "error": done.stderr[-300:]})
                with journal.open("a") as out:
                    out.write(line + "\n")
                print(line[:160], file=sys.stderr)


if __name__ == "__main__":
    main()
