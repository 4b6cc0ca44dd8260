"""Accuracy of kernels on features of series on the archive's own splits, compared with aeon.

    python bench/accuracy_series.py [--seeds 5] [--only GunPoint Coffee] [--fast]

Every method is ridge classification with an intercept. Its penalty is chosen from ten values by the leave-one-out squared
error on the training set, as aeon's classifiers do. Nothing is chosen by test sets. The data is found in MERCER_DATA, or
in ../shared/data next to the project.
"""

import argparse
import os
import pathlib
import time

import numpy as np

import mercer

SETS = ["ArrowHead", "BasicMotions", "Coffee", "ECG200", "GunPoint", "ItalyPowerDemand", "JapaneseVowels", "SyntheticControl", "Trace"]
PENALTIES = np.logspace(-3, 3, 10)


def split(name, which):
    """Series as lists of arrays (channels, time steps), and classes."""
    root = pathlib.Path(os.environ.get("MERCER_DATA", pathlib.Path(__file__).parents[2] / "shared" / "data"))
    series, classes = [], []
    for line in open(root / "timeseries" / name / f"{name}_{which}.ts"):
        if line.strip() and line[0] not in "#@":
            *channels, label = line.strip().split(":")
            series.append(np.array([[float(v) for v in channel.split(",")] for channel in channels]))
            classes.append(label)
    return series, np.array(classes)


def padded(parts):
    """Arrays of one length for aeon, which takes no others: zeros at the end."""
    longest = max(s.shape[1] for part in parts for s in part)
    return [np.array([np.pad(s, ((0, 0), (0, longest - s.shape[1]))) for s in part]) for part in parts]


def penalty(gram, classes, values):
    """The penalty with the smallest leave-one-out squared error of ridge regression on targets ±1 with an intercept."""
    n, names = len(gram), np.unique(classes)
    targets = np.where(classes[:, None] == names[None, 1 if len(names) == 2 else 0 :], 1.0, -1.0)
    targets = targets - targets.mean(0)
    centred = gram - gram.mean(0) - gram.mean(1)[:, None] + gram.mean()
    s, u = np.linalg.eigh(centred)
    errors = []
    for value in values:
        shrunk = np.maximum(s, 0) / (np.maximum(s, 0) + value)
        residuals = targets - u @ (shrunk[:, None] * (u.T @ targets))
        errors.append(np.mean((residuals / (1 - 1 / n - (u**2) @ shrunk)[:, None]) ** 2))
    return values[int(np.argmin(errors))]


def ours(kernel, train, classes, test):
    """Predictions of ridge classification; features are divided by the root of their number, so penalties are by it."""
    x, new = mercer.Series(train, layout="n,channels,steps"), mercer.Series(test, layout="n,channels,steps")
    fitted = kernel.fit(x)
    alpha = penalty(fitted.gram(x), classes, PENALTIES / 10_000)
    model = mercer.KernelRidgeClassifier(alpha, kernel=kernel, fit_intercept=True)
    return model.fit(x, classes).predict(new)


def theirs(name, seed):
    from aeon.classification import convolution_based

    return getattr(convolution_based, name)(random_state=seed, n_jobs=2)


METHODS = {
    "mercer `rocket`": lambda seed: mercer.Rocket(seed=seed),
    "aeon MiniRocket": lambda seed: theirs("MiniRocketClassifier", seed),
    "mercer `rocket(variant=multi, features=50000)`": lambda seed: mercer.Rocket(variant="multi", features=50_000, seed=seed),
    "aeon MultiRocket": lambda seed: theirs("MultiRocketClassifier", seed),
    "mercer `hydra`": lambda seed: mercer.Hydra(seed=seed),
    "mercer `intervals`": lambda seed: mercer.Intervals(),
    "mercer `rocket + hydra + intervals`": lambda seed: mercer.Rocket(seed=seed) + mercer.Hydra(seed=seed) + mercer.Intervals(),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=SETS)
    parser.add_argument("--fast", action="store_true", help="MiniRocket alone")
    args = parser.parse_args()
    methods = dict(list(METHODS.items())[:2]) if args.fast else METHODS
    scores, seconds = {}, dict.fromkeys(methods, 0.0)
    for name in args.only:
        (train, classes), (test, truth) = split(name, "TRAIN"), split(name, "TEST")
        even = padded([train, test])
        for method, make in methods.items():
            found = []
            for seed in range(args.seeds):
                start = time.perf_counter()
                model = make(seed)
                if isinstance(model, mercer.Kernel):
                    predicted = ours(model, train, classes, test)
                else:
                    predicted = model.fit(even[0], classes).predict(even[1])
                seconds[method] += time.perf_counter() - start
                found.append(100 * np.mean(predicted == truth))
            scores[name, method] = found
            print(f"{name:18} {method:48} {np.mean(found):6.2f} ± {np.std(found):.2f}", flush=True)
    print("\n| set | " + " | ".join(methods) + " |\n|---|" + "--:|" * len(methods))
    for name in args.only:
        print(f"| {name} | " + " | ".join(f"{np.mean(scores[name, m]):.1f}" for m in methods) + " |")
    means = [np.mean([np.mean(scores[name, m]) for name in args.only]) for m in methods]
    print("| mean | " + " | ".join(f"{m:.2f}" for m in means) + " |")
    print("| seconds, all sets and seeds | " + " | ".join(f"{seconds[m]:.0f}" for m in methods) + " |")


if __name__ == "__main__":
    main()
