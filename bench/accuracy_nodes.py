"""Accuracy of kernels on words of papers smoothed over their citations: Cora with its public split, compared with SGC.

    python bench/accuracy_nodes.py [--fast] [--only heat diffusion] [--large 100000]

The split has 140 papers for training, 500 for validation and 1000 for testing. A method is a family of kernels and a
learner with a grid of parameters. Each point of the grid is fitted to the training papers, the one with the highest accuracy
on the validation papers is chosen (of equal ones the first), and predicts the test papers once. The words and citations of
all papers are used, as in the literature; classes of validation papers choose parameters, and those of test papers give the
last column. SGC is multinomial logistic regression of scikit-learn on two smoothing steps of row-normalised words, written
with NumPy and SciPy; its penalty is chosen in the same way. `--large` measures the time and memory of smoothing and fitting
a made graph. The data is found in MERCER_DATA, or in ../shared/data next to the project.
"""

import argparse
import csv
import os
import pathlib
import resource
import time
import warnings

import numpy as np
from scipy import sparse

import mercer

STEPS = [1, 2, 3, 4, 6, 8, 12]
CONTINUED = [0.5, 0.7, 0.8, 0.85, 0.9, 0.95]
TIMES = [1, 2, 4, 8, 16]
COSTS = [0.1, 1, 10, 100, 1000]
PENALTIES = [1e-3, 1e-2, 0.1, 1, 10]


def cora():
    """Weights of citations, words, classes and the part of each paper."""
    root = pathlib.Path(os.environ.get("MERCER_DATA", pathlib.Path(__file__).parents[2] / "shared" / "data")) / "nodes" / "cora"
    papers = list(csv.DictReader(open(root / "nodes.csv")))
    n = len(papers)
    rows, cols = np.loadtxt(root / "edges.csv", delimiter=",", skiprows=1, dtype=int).T
    half = sparse.coo_array((np.ones(len(rows)), (rows, cols)), shape=(n, n))
    entries = [
        (i, int(word.split(":")[0]) - 1, float(word.split(":")[1]))
        for i, line in enumerate(open(root / "features.libsvm"))
        for word in line.split()[1:]
    ]
    i, j, v = (np.array(part) for part in zip(*entries))
    words = sparse.coo_array((v, (i, j)), shape=(n, j.max() + 1)).tocsr()
    return (half + half.T).tocsr(), words, np.array([p["class"] for p in papers]), np.array([p["split"] for p in papers])


def words(normalized=True):
    inner = mercer.Linear().on("words")
    return mercer.Normalize(inner) if normalized else inner


def smoothed(by, normalized=(True, False)):
    """The kernels of a family, with their parameters."""
    grid = {"power": ("p", STEPS), "pagerank": ("alpha", CONTINUED), "heat": ("beta", TIMES), "diffusion": ("beta", [0.1, 0.3, 1, 3])}
    name, values = grid[by]
    kernels = [mercer.Smooth(words(), by=by, **{name: value}) for value in values]
    return [made for kernel in kernels for made in [mercer.Normalize(kernel), kernel] if isinstance(made, mercer.Normalize) in normalized]


def methods(fast):
    """Name, kernels and learner of each method."""
    nodes = [mercer.Normalize(mercer.Pagerank(alpha=alpha)) for alpha in [0.85, 0.9, 0.95, 0.98]]
    both = [kernel + share * other for kernel in smoothed("pagerank", [True])[3:] for other in nodes[1::2] for share in [0.1, 0.3]]
    rbf = [mercer.RBFOf(mercer.Normalize(k), gamma=g) for k in smoothed("pagerank", [False])[2:] for g in [0.3, 1.0]]
    found = {
        "`linear`: words alone": [words()],
        "`pagerank`: citations alone": nodes,
        "`smooth(…, by=power)`": smoothed("power"),
        "`smooth(…, by=pagerank)`": smoothed("pagerank"),
        "`smooth(…, by=heat)`": smoothed("heat"),
        "`smooth(…, by=diffusion)`": smoothed("diffusion"),
        "`rbf-of(normalize(smooth(…, by=pagerank)))`": rbf,
        "`smooth(…, by=pagerank) + pagerank`": both,
        "any of the above `smooth(…)`": [k for by in ["power", "pagerank", "heat", "diffusion"] for k in smoothed(by)],
    }
    for name, kernels in found.items():
        for learner in ["svc"] if fast else ["svc", "ridge"]:
            yield name, learner, kernels[:: 3 if fast else 1]


def similarities(kernel, nodes, training, fits):
    """Similarities of all nodes to the training nodes, with a mean of 1 to themselves, so that penalties mean the same for all.

    `normalize(k)` is computed from the fitted k, which smooths the words of all nodes only once.
    """
    inner = kernel.kernel if isinstance(kernel, mercer.Normalize) else kernel
    if str(inner) not in fits:
        one = inner.fit(nodes)
        fits.clear()
        fits[str(inner)] = one.cross(nodes, nodes[training]), one.diagonal(nodes)
    found, own = fits[str(inner)]
    if inner is not kernel:
        return found / np.sqrt(own[:, None] * own[training])
    return found / own[training].mean()


def fitted(learner, strength, own, classes):
    if learner == "svc":
        return mercer.SVC(C=strength, kernel="precomputed").fit(own, classes)
    return mercer.KernelRidgeClassifier(strength, kernel="precomputed", fit_intercept=True).fit(own, classes)


def chosen(kernels, learner, nodes, classes, split, known):
    """The kernel and the strength with the highest accuracy on the validation nodes, that accuracy, and the test accuracy."""
    training, validation, test = (np.flatnonzero(split == part) for part in ("train", "val", "test"))
    best, fits = (-1.0, None, None), {}
    for kernel in kernels:
        if str(kernel) not in known:
            known[str(kernel)] = similarities(kernel, nodes, training, fits)
        found = known[str(kernel)]
        for strength in COSTS if learner == "svc" else PENALTIES:
            model = fitted(learner, strength, found[training], classes[training])
            accuracy = np.mean(model.predict(found[validation]) == classes[validation])
            if accuracy > best[0]:
                best = (accuracy, kernel, strength)
    found = known[str(best[1])]
    model = fitted(learner, best[2], found[training], classes[training])
    return best, np.mean(model.predict(found[test]) == classes[test])


def sgc(weights, words, classes, split):
    """Two smoothing steps of row-normalised words, and multinomial logistic regression."""
    from sklearn.linear_model import LogisticRegression

    looped = weights + sparse.eye_array(weights.shape[0])
    roots = sparse.diags_array(1 / np.sqrt(looped.sum(1)))
    step = roots @ looped @ roots
    features = sparse.diags_array(1 / np.maximum(words.sum(1), 1)) @ words
    features = (step @ (step @ features)).toarray()
    training, validation, test = (split == name for name in ("train", "val", "test"))
    models = [LogisticRegression(C=c, max_iter=2000).fit(features[training], classes[training]) for c in np.logspace(0, 6, 13)]
    scores = [np.mean(m.predict(features[validation]) == classes[validation]) for m in models]
    best = int(np.argmax(scores))
    return scores[best], np.mean(models[best].predict(features[test]) == classes[test]), np.logspace(0, 6, 13)[best]


def large(n, width, degree=10, seed=1):
    """Seconds to smooth made features of a made graph and to fit a linear model, and the accuracy on the other nodes."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 5, n)
    order = np.argsort(group, kind="stable")
    # Most edges join nodes of one class.
    ends = rng.integers(0, n, (2, n * degree // 2))
    near = order[np.clip(np.searchsorted(group[order], group[ends[0]]) + rng.integers(0, n // 6, ends.shape[1]), 0, n - 1)]
    ends[1] = np.where(rng.random(ends.shape[1]) < 0.7, near, ends[1])
    weights = sparse.coo_array((np.ones(ends.shape[1]), tuple(ends)), shape=(n, n)).tocsr()
    weights = ((weights + weights.T) > 0).astype(float)
    features = rng.standard_normal((n, width))
    features[np.arange(n), group] += 0.7
    began = time.perf_counter()
    nodes = mercer.Records({"node": mercer.Nodes(weights), "features": features})
    read = time.perf_counter() - began
    training = np.arange(n) % 2 == 0
    classes = np.array(list("abcde"))[group]
    kernel = mercer.Smooth(mercer.Linear().on("features"), by="power", p=2)
    model = mercer.LinearSVC(C=0.01, kernel=kernel).fit(nodes[np.flatnonzero(training)], classes[training])
    fit = time.perf_counter() - began - read
    accuracy = np.mean(model.predict(nodes[np.flatnonzero(~training)]) == classes[~training])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{n} nodes × {width} features, {weights.nnz // 2} edges: conversion {read:.1f} s, smoothing and fit {fit:.1f} s, "
          f"all with predictions {time.perf_counter() - began:.1f} s, peak {peak:.2f} GiB, accuracy {accuracy:.3f}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="every third kernel of each grid, svc only")
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD", help="methods whose name has one of these words")
    parser.add_argument("--large", type=int, default=0, metavar="N", help="measure a made graph of N nodes instead")
    parser.add_argument("--features", type=int, default=500, help="features of the made graph")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if args.large:
        return large(args.large, args.features)
    weights, words, classes, split = cora()
    nodes = mercer.Records({"node": mercer.Nodes(weights), "words": words})
    print("| method | learner | chosen by validation | validation | test | s |\n|---|---|---|---:|---:|---:|")
    began = time.perf_counter()
    validation, test, cost = sgc(weights, words, classes, split)
    print(f"| SGC (scikit-learn) | logistic | C={cost:g} | {100 * validation:.1f} | {100 * test:.1f} | {time.perf_counter() - began:.1f} |")
    known = {}
    for name, learner, kernels in methods(args.fast):
        if args.only and not any(word in name for word in args.only):
            continue
        began = time.perf_counter()
        (validation, kernel, strength), test = chosen(kernels, learner, nodes, classes, split, known)
        seconds = time.perf_counter() - began
        print(f"| {name} | {learner} | `{kernel.expression}`, {strength:g} | {100 * validation:.1f} | {100 * test:.1f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
