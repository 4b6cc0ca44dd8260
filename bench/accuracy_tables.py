"""Accuracy on tables of numbers and categories: kernels of mercer compared with forests and gradient boosting of scikit-learn.

    python accuracy_tables.py                 all data sets, then the page's tables
    python accuracy_tables.py iris titanic    some of them
    python accuracy_tables.py --rows FILE     write a line for every data set to FILE and read those that are there already

Nested cross-validation: 5 outer folds, the same for all methods; everything that is chosen (C, gamma, the learner, the kernel) is chosen by
3 inner folds of the training rows. Classes are scored by accuracy, numbers by R². Data sets in DEVELOPED were looked at while the forest was
designed (its defaults come from them), the others were not.
"""

import argparse
import json
import os
import pathlib
import time
import warnings

import numpy as np
import pandas as pd

import mercer

ROOT = pathlib.Path(os.environ.get("MERCER_DATA", pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"))
MOST = 3000
DEVELOPED = {"australian", "liver_bupa", "haberman", "breast_cancer_ljubljana", "hepatitis", "wine", "diabetes"}
TABLES = {
    name: (f"tables/{name}/{name}.csv", target)
    for name, target in {
        "australian": "class", "balance_scale": "class", "ecoli": "class", "haberman": "class", "iris": "class", "liver_bupa": "selector",
        "mammographic_masses": "Severity", "pima_diabetes": "class", "planning_relax": "class",
    }.items()
} | {
    "adult": ("categorical/adult/adult_first5000.csv", "income"),
    "breast_cancer_ljubljana": ("categorical/breast_cancer_ljubljana/breast_cancer_ljubljana.csv", "class"),
    "hepatitis": ("categorical/hepatitis/hepatitis.csv", "class"),
    "house_votes_84": ("categorical/house_votes_84/house_votes_84.csv", "class"),
    "mushroom": ("categorical/mushroom/mushroom.csv", "class"),
    "titanic": ("wild/titanic/titanic.csv", "survived"),
    "taxis": ("wild/taxis/taxis.csv", "fare"),
    "esol": ("molecules/ESOL/ESOL.csv", "measured log solubility in mols per litre"),
}  # fmt: skip
NUMERIC = {"diabetes", "taxis", "esol"}
# Columns that repeat the target, that follow from it, or that name the row.
LEFT_OUT = {
    "titanic": ["alive"],
    "taxis": ["dropoff", "tip", "tolls", "total"],
    "esol": ["Compound ID", "ESOL predicted log solubility in mols per litre", "smiles"],
}
OWN = {"wine": None, "breast_cancer": None, "digits": 1000, "diabetes": None}
METHODS = [
    "rbf", "forest", "rbf + forest", "chosen of these", "random forest", "random forest, tuned", "boosting", "boosting, tuned",
]  # fmt: skip


def sample(x, y, most):
    """At most this many rows, drawn with a fixed seed."""
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:most])
    return x.iloc[rows].reset_index(drop=True), y[rows]


def load(name):
    """A frame of numbers and categories, the target, and whether it is a number."""
    numeric = name in NUMERIC
    if name in OWN:
        from sklearn import datasets

        x, y = getattr(datasets, f"load_{name}")(return_X_y=True, as_frame=True)
        return *sample(x.astype(float), y.to_numpy(float) if numeric else y.astype(str).to_numpy(), OWN[name] or MOST), numeric
    path, target = TABLES[name]
    x = pd.read_csv(ROOT / path, na_values=["?"])
    y = x.pop(target)
    y = y.to_numpy(float) if numeric else y.astype(str).to_numpy()
    x = x.drop(columns=LEFT_OUT.get(name, []))
    if name == "taxis":
        pickup = pd.to_datetime(x.pop("pickup"))
        x = x.assign(hour=pickup.dt.hour, weekday=pickup.dt.weekday)
    for column in x:
        if x[column].dtype == bool:
            x[column] = x[column].astype(float)
        elif not pd.api.types.is_numeric_dtype(x[column]):
            x[column] = x[column].astype(object).where(x[column].notna(), None)
        else:
            x[column] = x[column].astype(float)
    return *sample(x, y, MOST), numeric


def numbers_of(x):
    return [c for c in x if pd.api.types.is_numeric_dtype(x[c])]


def names_of(x):
    return [c for c in x if c not in numbers_of(x)]


# ------------------------------------------------------------------------------------------------- mercer
def kernels(x):
    """Kernels by name, with the values of their parameters."""
    gammas = [2.0**p for p in (-7, -5, -3, -1)]
    numbers, names = numbers_of(x), names_of(x)
    parts, grid = [], {}
    if numbers:
        parts.append(mercer.Impute(mercer.Standardize(mercer.RBF())).on(*numbers))
    if names:
        parts.append(mercer.CategoricalDiffusion().on(*names))
    plain = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    forest = mercer.Forest()

    def steps(prefix):
        where = "left__" if len(parts) == 2 else ""
        found = {f"{prefix}{where}kernel__kernel__gamma": gammas} if numbers else {}
        if names:
            beta = f"{prefix}right__beta" if len(parts) == 2 else f"{prefix}beta"
            found[beta] = [0.1, 0.5] if numbers else [0.05, 0.1, 0.5, 2.0]
        return found

    grid["rbf"] = (plain, steps("kernel__"))
    grid["forest"] = (forest, {})
    grid["rbf + forest"] = (plain + forest, steps("kernel__left__"))
    return grid


def searches(kernel, grid, numeric, inner):
    if numeric:
        ridge = mercer.KernelRidge(kernel=kernel, fit_intercept=True)
        yield mercer.GridSearch(ridge, {**grid, "alpha": [0.003, 0.03, 0.3, 3.0, 30.0]}, cv=inner)
        return
    yield mercer.GridSearch(mercer.SVC(kernel=kernel), {**grid, "C": [0.3, 1.0, 4.0, 16.0, 64.0]}, cv=inner)
    ridge = mercer.KernelRidgeClassifier(kernel=kernel, fit_intercept=True)
    yield mercer.GridSearch(ridge, {**grid, "alpha": [0.01, 0.1, 1.0, 10.0]}, cv=inner)


def ours(x, y, new, numeric, inner):
    """Predictions by method."""
    out, best = {}, (-np.inf, None)
    for name, (kernel, grid) in kernels(x).items():
        found = [search.fit(x, y) for search in searches(kernel, grid, numeric, inner)]
        chosen = max(found, key=lambda search: search.best_score_)
        out[name] = chosen.predict(new)
        if chosen.best_score_ > best[0]:
            best = chosen.best_score_, out[name]
    out["chosen of these"] = best[1]
    return out


# ------------------------------------------------------------------------------------------------- scikit-learn
def theirs(x, y, new, numeric, inner):
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frames = [frame.copy() for frame in (x, new)]
    for column in names_of(x):
        levels = sorted({v for v in x[column] if v is not None})
        for frame in frames:
            frame[column] = pd.Categorical(frame[column], categories=levels)
    encoder = make_column_transformer(
        (SimpleImputer(strategy="median", keep_empty_features=True), numbers_of(x)),
        (OneHotEncoder(handle_unknown="ignore"), names_of(x)),
        sparse_threshold=0,
    )
    forest = (RandomForestRegressor if numeric else RandomForestClassifier)(200, random_state=0, n_jobs=2)
    boosting = (HistGradientBoostingRegressor if numeric else HistGradientBoostingClassifier)(random_state=0)
    name = type(forest).__name__.lower()
    wide = [0.33, 1.0] if numeric else ["sqrt", 0.5]
    methods = {
        "random forest": make_pipeline(encoder, forest),
        "random forest, tuned": GridSearchCV(
            make_pipeline(encoder, forest), {f"{name}__min_samples_leaf": [1, 3, 5], f"{name}__max_features": wide}, cv=inner
        ),
        "boosting": boosting,
        "boosting, tuned": GridSearchCV(boosting, {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [5, 31]}, cv=inner),
    }
    return {name: method.fit(frames[0], y).predict(frames[1]) for name, method in methods.items()}


# ------------------------------------------------------------------------------------------------- the protocol
def folds(y, numeric, count, seed):
    from sklearn.model_selection import KFold, StratifiedKFold

    kind = KFold if numeric else StratifiedKFold
    return list(kind(count, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))


def measured(name):
    """The scores of every method on the outer folds of a data set, and the seconds of mercer and of scikit-learn."""
    x, y, numeric = load(name)
    scores, seconds = {}, [0.0, 0.0]
    for train, test in folds(y, numeric, 5, 1):
        known, new = x.iloc[train].reset_index(drop=True), x.iloc[test].reset_index(drop=True)
        inner = folds(y[train], numeric, 3, 2)
        predicted = {}
        for at, run in enumerate((ours, theirs)):
            start = time.perf_counter()
            predicted.update(run(known, y[train], new, numeric, inner))
            seconds[at] += time.perf_counter() - start
        for method, values in predicted.items():
            spread = ((y[test] - y[test].mean()) ** 2).mean() if numeric else 1
            score = 1 - ((values - y[test]) ** 2).mean() / spread if numeric else (values == y[test]).mean()
            scores.setdefault(method, []).append(float(score))
    return {"name": name, "rows": len(y), "columns": x.shape[1], "numeric": numeric, "seconds": seconds, "scores": scores}


def ranks(rows):
    """The mean rank of every method; equal scores share their ranks."""
    means = pd.DataFrame([{m: np.mean(row["scores"][m]) for m in METHODS} for row in rows])
    return means.round(9).rank(axis=1, ascending=False).mean()


def page(rows):
    """Tables in Markdown."""
    lines = ["| data | rows × columns | " + " | ".join(METHODS) + " |", "|---|--:|" + "--:|" * len(METHODS)]
    for row in rows:
        shown = "{:.3f}" if row["numeric"] else "{:.1f}"
        means = [np.mean(row["scores"][m]) * (1 if row["numeric"] else 100) for m in METHODS]
        best = max(round(m, 9) for m in means)
        cells = [f"**{shown.format(m)}**" if round(m, 9) == best else shown.format(m) for m in means]
        mark = "" if row["name"] not in DEVELOPED else " *"
        unit = " (R²)" if row["numeric"] else ""
        lines.append(f"| {row['name']}{mark}{unit} | {row['rows']} × {row['columns']} | " + " | ".join(cells) + " |")
    for title, some in (("mean rank", rows), ("mean rank without *", [r for r in rows if r["name"] not in DEVELOPED])):
        if some:
            lines.append(f"| {title} | {len(some)} sets | " + " | ".join(f"{ranks(some)[m]:.2f}" for m in METHODS) + " |")
    took = np.sum([row["seconds"] for row in rows], axis=0)
    return "\n".join([*lines, "", f"Seconds in all: mercer {took[0]:.0f}, scikit-learn {took[1]:.0f}."])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=pathlib.Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    known = {}
    if options.rows and options.rows.exists():
        known = {row["name"]: row for row in map(json.loads, options.rows.read_text().splitlines())}
    for name in options.names or [*TABLES, *OWN]:
        if name in known:
            continue
        if name in TABLES and not (ROOT / TABLES[name][0]).exists():
            print(f"{name}: skipped, its file is not there")
            continue
        known[name] = measured(name)
        best = {m: round(float(np.mean(s)), 3) for m, s in known[name]["scores"].items()}
        print(f"{name}: {best}, seconds {[round(s) for s in known[name]['seconds']]}", flush=True)
        if options.rows:
            with options.rows.open("a") as file:
                file.write(json.dumps(known[name]) + "\n")
    print(page([known[name] for name in [*TABLES, *OWN] if name in known]))


if __name__ == "__main__":
    main()
