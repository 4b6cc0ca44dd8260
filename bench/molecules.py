"""Accuracy on molecules in 20 random splits of 80 and 20 %, everything chosen inside the training sets.

    molecules.py [ESOL|Photoswitch …] [--splits N] [--no-peers] [--no-svr]

Data are looked for in MERCER_DATA, or ../shared/data. Only SMILES are used. Every method has the same splits and the same inner folds; its kernel, its parameters and, in the row `chosen`, the method
itself are those with the least squared error over the inner folds. The RDKit and scikit-learn are the peers.
"""

import argparse
import csv
import os
import pathlib
import time

import numpy as np

import mercer

ROOT = pathlib.Path(os.environ.get("MERCER_DATA", pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"))
SETS = {
    "ESOL": ("molecules/ESOL/ESOL.csv", "smiles", "measured log solubility in mols per litre"),
    "Photoswitch": ("molecules/Photoswitch/Photoswitch.csv", "SMILES", "E isomer pi-pi* wavelength in nm"),
}
FOLDS = 5
RIDGE = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]


def read(name):
    """SMILES and target of the molecules that have one."""
    path, smiles, target = SETS[name]
    with (ROOT / path).open() as file:
        rows = [row for row in csv.DictReader(file) if row[target] not in ("", "nan")]
    return rows, [row[smiles] for row in rows], np.array([float(row[target]) for row in rows])


def kernels(molecules):
    """The kernels that `mercer auto` proposes for molecules, by name: a list of Gram matrices each, one per configuration."""
    size = mean_atoms(molecules)
    counts = "wl-oa(h=1, edge-labels=yes, ignore=others)"
    gaussian = lambda kernel, gamma: f"rbf-of({kernel}, gamma={gamma:.4g})"
    texts = {
        "tanimoto(ecfp)": [f"tanimoto(ecfp(radius={r}))" for r in (1, 2, 3)],
        "sum of shares and counts": [
            f"tanimoto({counts}) + tanimoto(atom-pairs) + tanimoto(fcfp(radius=1)) + {0.5 / size:.4g} * {counts}"
        ],
        "sum of Gaussians": [
            gaussian(counts, a * 0.5 / size) + " + " + gaussian("atom-pairs", b * 2 / size**2)
            for a in (0.05, 0.15)
            for b in (0.05, 0.15)
        ],
    }
    return {name: [mercer.kernel(text).gram(molecules) for text in own] for name, own in texts.items()}


def mean_atoms(molecules):
    """The mean number of atoms."""
    return float(np.mean(mercer.kernel("ecfp(radius=0)").diagonal(molecules)))


class Ridge:
    """Ridge regression of mercer on precomputed matrices: the configurations are pairs of a matrix and a parameter."""

    def __init__(self, matrices, parameters=RIDGE):
        self.matrices = [k / np.mean(np.diag(k)) for k in matrices]
        self.grid = [(at, value) for at in range(len(matrices)) for value in parameters]

    def predict(self, configuration, train, test, y):
        at, value = configuration
        k = self.matrices[at]
        model = mercer.KernelRidge(alpha=value, kernel="precomputed", fit_intercept=True)
        return model.fit(k[np.ix_(train, train)], y[train]).predict(k[np.ix_(test, train)])


class Svr:
    """Support vector regression of mercer on precomputed matrices; C and epsilon in units of the target's deviation."""

    def __init__(self, matrices):
        self.matrices = [k / np.mean(np.diag(k)) for k in matrices]
        self.grid = [(at, c, e) for at in range(len(matrices)) for c in (3.0, 30.0) for e in (0.02, 0.1)]

    def predict(self, configuration, train, test, y):
        at, c, epsilon = configuration
        k, unit = self.matrices[at], y[train].std()
        model = mercer.SVR(C=c * unit, epsilon=epsilon * unit, kernel="precomputed")
        return model.fit(k[np.ix_(train, train)], y[train]).predict(k[np.ix_(test, train)])


class Estimator:
    """An estimator of scikit-learn on an array, with a grid of settings."""

    def __init__(self, make, x, grid):
        self.make, self.x, self.grid = make, x, grid

    def predict(self, configuration, train, test, y):
        return self.make(**configuration).fit(self.x[train], y[train]).predict(self.x[test])


def peers(texts):
    """The RDKit's fingerprints with estimators of scikit-learn."""
    from rdkit import Chem, RDLogger
    from rdkit.Chem import rdFingerprintGenerator
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.linear_model import Ridge as LinearRidge

    RDLogger.DisableLog("rdApp.*")
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    x = np.array([generator.GetCountFingerprintAsNumPy(Chem.MolFromSmiles(text)) for text in texts], float)
    forest = lambda **settings: RandomForestRegressor(n_estimators=300, n_jobs=2, random_state=0, **settings)

    whole = minmax(x, x)

    class Tanimoto:
        grid = RIDGE

        def predict(self, alpha, train, test, y):
            mean = y[train].mean()
            model = KernelRidge(alpha=alpha, kernel="precomputed").fit(whole[np.ix_(train, train)], y[train] - mean)
            return model.predict(whole[np.ix_(test, train)]) + mean

    return {
        "RDKit ECFP4 counts, scikit-learn Ridge": Estimator(
            LinearRidge, x, [{"alpha": a} for a in (0.1, 1, 3, 10, 30, 100)]
        ),
        "RDKit ECFP4 counts, scikit-learn random forest of 300": Estimator(forest, x, [{"max_features": 0.33}]),
        "RDKit ECFP4 counts, Tanimoto (min–max), scikit-learn KernelRidge": Tanimoto(),
    }


def minmax(a, b):
    """Σ min / Σ max of the counts of all pairs."""
    small = np.array([np.minimum(row, b).sum(1) for row in a])
    return small / np.maximum(a.sum(1)[:, None] + b.sum(1)[None] - small, 1e-12)


def nested(methods, y, splits):
    """The root mean squared error of each method in each split, chosen configurations, and those of `chosen`."""
    errors = {name: [] for name in [*methods, "mercer, kernel and learner chosen inside"]}
    for repetition in range(splits):
        order = np.random.default_rng(repetition).permutation(len(y))
        test, train = order[: len(y) // 5], order[len(y) // 5 :]
        fold = np.arange(len(train)) % FOLDS
        best = []
        for name, method in methods.items():
            scores = []
            for configuration in method.grid if len(method.grid) > 1 else []:
                lost = 0.0
                for f in range(FOLDS):
                    inner, held = train[fold != f], train[fold == f]
                    lost += ((method.predict(configuration, inner, held, y) - y[held]) ** 2).sum()
                scores.append(lost)
            at = int(np.argmin(scores)) if scores else 0
            error = np.sqrt(np.mean((method.predict(method.grid[at], train, test, y) - y[test]) ** 2))
            errors[name].append(error)
            if isinstance(method, (Ridge, Svr)):
                best.append((scores[at], error))
        errors["mercer, kernel and learner chosen inside"].append(min(best)[1])
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=list(SETS), help="ESOL, Photoswitch")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--no-svr", action="store_true")
    options = parser.parse_args()
    for name in options.sets:
        started = time.time()
        _, texts, y = read(name)
        found = kernels(mercer.Molecules(texts))
        methods = {f"mercer ridge, {own}": Ridge(k) for own, k in found.items()}
        if not options.no_svr:
            methods |= {f"mercer svr, {own}": Svr(k) for own, k in found.items() if own.startswith("sum")}
        if not options.no_peers:
            methods |= peers(texts)
        errors = nested(methods, y, options.splits)
        print(f"\n{name}: {len(y)} molecules, {options.splits} splits, {time.time() - started:.0f} s")
        print("| method | RMSE, mean ± standard error |\n|---|---|")
        for method, found in sorted(errors.items(), key=lambda item: np.mean(item[1])):
            print(f"| {method} | {np.mean(found):.3f} ± {np.std(found, ddof=1) / np.sqrt(len(found)):.3f} |")


if __name__ == "__main__":
    main()
