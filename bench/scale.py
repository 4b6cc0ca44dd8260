"""A million objects: Nyström with a linear SVM vs. the exact SVM on as many objects as fit in the same time.

    python bench/scale.py [--problem sensors|rule] [--objects 1000000] [--rank 1000] [--landmarks uniform] [--json FILE]
    python bench/scale.py --problem rule --objects 50000 --span 10000     a function of 10,000 landmarks instead

Two problems with 20 features are generated from a seed. ``sensors``: every sensor measures a nonlinear mixture of four
latent variables with some noise; the class is a nonlinear function of the latent variables, and 5 % of the labels are
flipped. ``rule``: 20 independent features, six of which determine the class. A thousand objects do not span this space,
so low rank must lose. Accuracy is measured on 50,000 other objects.
"""

import argparse
import json
import resource
import time

import numpy as np

import mercer


def sensors(n, seed):
    """Four latent variables measured by 20 sensors."""
    rng = np.random.default_rng(seed)
    mixture = np.random.default_rng(0).standard_normal((4, 20))
    hidden = rng.standard_normal((n, 4))
    X = np.tanh(hidden @ mixture / 2) + 0.05 * rng.standard_normal((n, 20))
    value = np.sin(2 * hidden[:, 0]) + hidden[:, 1] * hidden[:, 2] + 0.5 * hidden[:, 3] ** 2 - 0.5
    return X, flipped(rng, value > 0, 0.05)


def rule(n, seed):
    """Twenty independent features, six of which determine the class."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 20))
    value = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3] ** 2 - 0.5 + 0.3 * X[:, 4] * X[:, 5]
    return X, flipped(rng, value > 0, 0.02)


def flipped(rng, classes, share):
    """Classes as 0 and 1, with a share of them flipped."""
    return (classes ^ (rng.random(len(classes)) < share)).astype(int)


#: The problems, each with a suitable gamma.
PROBLEMS = {"sensors": (sensors, 0.2), "rule": (rule, 0.05)}


def peak():
    """The peak memory so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problem", choices=PROBLEMS, default="sensors")
    parser.add_argument("--objects", type=int, default=1_000_000)
    parser.add_argument("--rank", type=int, default=1000)
    parser.add_argument("--gamma", type=float)
    parser.add_argument("--landmarks", default="uniform")
    parser.add_argument("--span", type=int, help="fit a LandmarkSVC with this many landmarks instead")
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--json")
    args = parser.parse_args()

    problem, gamma = PROBLEMS[args.problem]
    gamma = args.gamma or gamma
    X, y = problem(args.objects, 1)
    new, truth = problem(50_000, 2)
    print(f"{args.objects} objects of 20 features, {mercer.threads()} threads; {peak():.2f} GiB of memory", flush=True)

    base = mercer.RBF(gamma=gamma)
    kernel = mercer.Nystrom(base, rank=args.rank, landmarks=args.landmarks)
    model, name = mercer.LinearSVC(C=args.C, kernel=kernel, tol=0.1), f"nystrom, rank {args.rank}"
    if args.span:
        model = mercer.LandmarkSVC(C=args.C, kernel=base, landmarks=args.span, random_state=0)
        name = f"{args.span} landmarks"
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    held = peak()
    accuracy = float((model.predict(new) == truth).mean())
    print(f"{name}: {seconds:.1f} s, {held:.2f} GiB peak, accuracy {accuracy:.4f}", flush=True)

    # The exact SVM on more and more objects, until it takes as long.
    exact, size = [], 10_000
    while size <= args.objects:
        start = time.perf_counter()
        found = mercer.SVC(C=args.C, kernel=base).fit(X[:size], y[:size])
        took = time.perf_counter() - start
        score = float((found.predict(new) == truth).mean())
        exact.append({"objects": size, "seconds": took, "accuracy": score})
        print(f"exact svc, {size} objects: {took:.1f} s, accuracy {score:.4f}", flush=True)
        # Time grows about as n²: choose the next size to use the remaining time.
        nearer = int(size * min(2.0, max(1.1, (seconds / max(took, 1e-3)) ** 0.5)))
        if took > 0.8 * seconds or nearer == size:
            break
        size = nearer
    within = [e for e in exact if e["seconds"] <= seconds] or exact[:1]
    best = within[-1]
    print(f"largest exact SVM within that time: {best['objects']} objects, accuracy {best['accuracy']:.4f}; difference {accuracy - best['accuracy']:+.4f}")
    if args.json:
        facts = {"problem": args.problem, "objects": args.objects, "rank": args.span or args.rank, "seconds": seconds, "gib": held, "accuracy": accuracy, "exact": exact}
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(facts, file, indent=1)


if __name__ == "__main__":
    main()
