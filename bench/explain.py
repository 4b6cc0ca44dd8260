"""How fast and how exact explanations by columns are, next to the explainers of shap on the same model.

    pip install ./python shap scikit-learn
    python bench/explain.py [--seconds 60]

The model is an SVC with an RBF kernel, fitted to made-up data until it has about 2,000 support vectors. Ours explains many
objects, shap's exact and kernel explainers as many as fit into the time. The background is the same for all.
"""

import argparse
import time

import numpy as np


def task(columns, support, seed=0):
    """Data on which an SVC has that many support vectors, nearly."""
    rng = np.random.default_rng(seed)
    n = support + 400
    X = rng.normal(size=(n, columns))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=n) > 0).astype(int)
    return X, y


def ours(model, X, background, size, repeats=3):
    """Objects per second, the values and the largest gap between sums and outputs."""
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        found = model.explain(X, n_features=1, by="objects", background=background).compute(size=size)
        values = found.values
        best = min(best, time.perf_counter() - start)
    gap = np.abs(values.sum(axis=1) + found.base_values - found.output).max()
    return len(X) / best, values, gap, found.method


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0, help="time for each explainer of shap")
    parser.add_argument("--background", type=int, default=10)
    args = parser.parse_args()

    import mercer

    for columns, support, count in [(20, 2000, 1000), (100, 2000, 200)]:
        X, y = task(columns, support)
        gamma = 1.0 / columns
        model = mercer.SVC(kernel=mercer.RBF(gamma=gamma), C=1.0).fit(X, y)
        new = np.random.default_rng(1).normal(size=(count, columns))
        behind = X[: args.background]
        speed, values, gap, method = ours(model, new, behind, args.background)
        print(f"{columns} columns, {len(model.support_)} support vectors, background {args.background}: "
              f"mercer {speed:,.0f} objects/s ({method}), largest gap {gap:.1e}", flush=True)
        try:
            import shap
        except ImportError:
            print("shap is not installed")
            continue
        masker = shap.maskers.Independent(behind, max_samples=args.background)
        explainers = {"kernel": shap.KernelExplainer(model.decision_function, behind)}
        if columns <= 20:
            explainers["exact"] = shap.explainers.Exact(model.decision_function, masker)
        for name, explainer in explainers.items():
            start, done, theirs = time.perf_counter(), 0, []
            while time.perf_counter() - start < args.seconds and done < count:
                one = new[done : done + 1]
                found = explainer.shap_values(one, silent=True) if name == "kernel" else explainer(one, max_evals=2**21).values
                theirs.append(np.asarray(found).reshape(-1))
                done += 1
            took = time.perf_counter() - start
            off = np.abs(np.array(theirs) - values[:done]).max()
            print(f"  shap {name}: {done / took:.3f} objects/s ({done} in {took:.1f} s), "
                  f"largest difference from ours {off:.1e}", flush=True)


if __name__ == "__main__":
    main()
