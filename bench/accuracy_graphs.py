"""Accuracy of kernels on graphs with labels and attributes, compared with the package wwl and scikit-learn's SVC.

    python bench/accuracy_graphs.py ENZYMES PROTEINS --rows rows.jsonl     evaluate, and print the tables
    python bench/accuracy_graphs.py --rows rows.jsonl                      print the tables of what is there
    python bench/accuracy_graphs.py --distances ENZYMES MUTAG              distances and seconds compared with the package

Nested cross-validation: stratified outer folds, the same for all methods. The matrix (h, gamma, steps, …) and C are chosen by stratified
inner folds of the training graphs. Attributes are standardised by all graphs, as the package and the published experiments do; no class has a
part in it. --within standardises by the training graphs of each outer fold, and takes ten times as long. Every outer fold is a line of --rows,
and matrices are kept next to it, so a run that is interrupted, or ends after --seconds, continues where it stopped. The data is found in
MERCER_DATA, or in ../shared/data next to the project.
"""

import argparse
import collections
import contextlib
import io
import json
import os
import pathlib
import time

import numpy as np

import mercer

ROOT = pathlib.Path(os.environ.get("MERCER_DATA", pathlib.Path(__file__).resolve().parents[2] / "shared" / "data")) / "graphs"
CS = [1.0, 10.0, 100.0]
INNER = 3
PEER = "package wwl"


class Collection:
    """Graphs for mercer, classes, and parts for igraph."""

    def __init__(self, name):
        def part(kind, dtype):
            path = ROOT / name / f"{name}_{kind}.txt"
            return np.loadtxt(path, dtype=dtype, delimiter=",", ndmin=1) if path.exists() else None

        self.name, self.y = name, part("graph_labels", int)
        owner = part("graph_indicator", int) - 1
        self.sizes = np.bincount(owner, minlength=len(self.y))
        self.first = np.concatenate([[0], np.cumsum(self.sizes)])
        ends = part("A", int) - 1
        ends = ends[ends[:, 0] < ends[:, 1]]
        self.edges = [[] for _ in self.y]
        for a, b in ends:
            g = owner[a]
            self.edges[g].append((int(a - self.first[g]), int(b - self.first[g])))
        self.labels, self.attributes = part("node_labels", int), part("node_attributes", float)
        import networkx as nx

        graphs = []
        for g, edges in enumerate(self.edges):
            graph = nx.Graph()
            for i in range(self.first[g], self.first[g + 1]):
                row = {} if self.attributes is None else {f"a{k}": x for k, x in enumerate(self.attributes[i])}
                graph.add_node(int(i - self.first[g]), label=str(self.labels[i]), **row)
            graph.add_edges_from(edges)
            graphs.append(graph)
        width = 0 if self.attributes is None else self.attributes.shape[1]
        self.graphs = mercer.Graphs(graphs, **({"node_attributes": [f"a{k}" for k in range(width)]} if width else {}))

    def igraphs(self, some):
        """The graphs of the package; with attributes their rows for each graph."""
        import igraph

        made = []
        for g in some:
            graph = igraph.Graph(int(self.sizes[g]), self.edges[g])
            graph.vs["label"] = [int(v) for v in self.labels[self.first[g] : self.first[g + 1]]]
            made.append(graph)
        rows = None if self.attributes is None else [self.attributes[self.first[g] : self.first[g + 1]] for g in some]
        return made, rows


def package_distances(data, h, some=None, sinkhorn=False):
    """The package's matrix of distances; it prints a line that is not needed."""
    import types

    import wwl

    def asarray(values, *args, **options):
        try:
            return np.asarray(values, *args, **options)
        except ValueError:
            return np.asarray(values, *args, dtype=object, **options)

    # The package makes an array of arrays of different lengths, which NumPy 1.24 and later refuses.
    wwl.propagation_scheme.np = types.SimpleNamespace(**{**vars(np), "asarray": asarray})
    graphs, rows = data.igraphs(range(len(data.y)) if some is None else some)
    with contextlib.redirect_stdout(io.StringIO()):
        return wwl.pairwise_wasserstein_distance(graphs, node_features=rows, num_iterations=h, sinkhorn=sinkhorn)


# ------------------------------------------------------------------------------------------------- matrices
def gaussian(gram, gamma):
    """rbf-of a kernel, by its matrix."""
    own = np.diag(gram)
    return np.exp(-gamma * np.maximum(own[:, None] + own[None, :] - 2 * gram, 0))


def normalized(gram):
    own = np.sqrt(np.diag(gram))
    return gram / np.maximum(own[:, None] * own[None, :], 1e-300)


class Matrices:
    """The matrices of every method, by the settings they have; those that depend on no fold are computed once."""

    def __init__(self, data, within, only, folder):
        self.within, self.only, self.folder = within, only, folder
        self.data, self.known, self.fold, self.seconds = data, {}, {}, collections.Counter()
        self.scaled = data.attributes is not None

    def gram(self, name, kernel, train=None):
        """The matrix of all graphs; with `train`, attributes are standardised by these, or by all graphs."""
        place = self.fold if train is not None and self.within else self.known
        path = self.folder / f"gram-{self.data.name}-{name}.npy"
        if name not in place and place is self.known and path.exists():
            place[name] = np.load(path)
        if name not in place:
            start = time.perf_counter()
            if train is not None:
                kernel = mercer.Standardize(kernel).fit(self.data.graphs[train] if self.within else self.data.graphs)
            place[name] = kernel.gram(self.data.graphs)
            self.seconds[name] += time.perf_counter() - start
            if place is self.known:
                np.save(path, place[name])
        return place[name]

    def wants(self, name):
        return not self.only or name in self.only

    def of(self, train):
        """For each method its candidates: settings and matrix."""
        self.fold = {}
        own = train if self.scaled else None
        others, large = {"ignore": "others"}, len(self.data.y) > 2000
        sized = self.gram("graph-size", mercer.GraphSize(**others))
        counts = self.gram("vertex-histogram", mercer.VertexHistogram(**others))
        rounds = [2, 4, 6] if large else [1, 2, 3, 4]
        oa = {
            h: normalized(self.gram(f"wl-oa({h})", mercer.WeisfeilerLehmanOptimalAssignment(h=h, **others))) for h in rounds
        }
        with_labels = "yes" if not self.scaled else "no"
        moves = [1, 2, 3] if self.scaled else rounds
        moves = moves if not self.only or any(name.startswith("wwl") for name in self.only) else []
        kept = {h: self.gram(f"wwl({h})", mercer.WassersteinWL(h=h, gamma=1.0, labels=with_labels), own) for h in moves}
        gammas = [0.03, 0.1, 0.3] if self.scaled else [1.0, 4.0, 16.0]
        wwl = {f"h={h}, gamma={g}": k**g for h, k in kept.items() for g in gammas}
        steps = ([0, 20] if self.wants("return-probabilities") else [0]) if self.scaled else [10] if large else [10, 30]
        spread = [0.05, 0.15] if self.scaled else [1.0]
        walks = {}
        for s in steps if not self.only or any("return" in name or "of nodes" in name for name in self.only) else []:
            for a in spread:
                for gamma in [1.0, 10.0] if s else [1.0]:
                    kernel = mercer.ReturnProbabilities(steps=s, gamma=gamma, attribute_gamma=a)
                    walks[s, gamma, a] = self.gram(f"return-probabilities({s}, {gamma}, {a})", kernel, own)

        def discrepancy(some):
            return {
                f"steps={s}, gamma={g}, attribute-gamma={a}, rbf-of={o:.3g}": gaussian(walks[s, g, a], o)
                for s, g, a in walks
                if s in some
                for o in np.array([1, 3]) / median(walks[s, g, a])
            }

        found = {
            "graph size only": {f"gamma={g}": gaussian(sized, g) for g in 2.0 ** np.arange(-13, 0, 4)},
            "label counts only": {"linear": normalized(counts)} | {f"gamma={g}": gaussian(counts, g) for g in 2.0 ** np.arange(-13, 0, 4)},
            "wl-oa": {f"h={h}": k for h, k in oa.items()},
            "wwl": wwl,
        }
        if self.scaled:
            found["labels and attributes of nodes"] = discrepancy([0])
        if self.scaled and self.wants("wwl, labels too"):
            both = {h: self.gram(f"wwl({h}, labels)", mercer.WassersteinWL(h=h, gamma=1.0), own) for h in [0, 2]}
            found["wwl, labels too"] = {f"h={h}, gamma={g}": k**g for h, k in both.items() for g in gammas}
        if self.scaled and self.wants("hashed attributes, 8 draws"):
            hashed = [
                normalized(
                    sum(
                        self.gram(
                            f"propagation({t}, {w}, {seed})",
                            mercer.Propagation(t=t, attributes="yes", wa=w, seed=seed),
                            own,
                        )
                        for seed in range(8)
                    )
                )
                for t, w in [(1, 3.0), (1, 10.0)]
            ]
            found["hashed attributes, 8 draws"] = dict(zip(["t=1, wa=3", "t=1, wa=10"], hashed))
        if not self.scaled and (self.wants("shortest-path") or self.wants("wwl + shortest-path")):
            paths = normalized(self.gram("shortest-path", mercer.ShortestPath(**others)))
            found["shortest-path"] = {"": paths}
            middle = moves[len(moves) // 2] if moves else None
            found["wwl + shortest-path"] = {f"gamma={g}, {w}": kept[middle] ** g + w * paths for g in gammas if moves for w in [0.3, 1.0]}
            found["shortest-path + graph size"] = {
                f"gamma={g:.3g}, {w}": paths + w * gaussian(sized, g) for g in 2.0 ** np.arange(-11, -2, 4) for w in [0.3, 1.0]
            }
        found["return-probabilities"] = discrepancy([s for s in steps if s])
        if not moves:
            return found
        middle = moves[len(moves) // 2]
        node = [(s, g, a) for s, g, a in walks if s == steps[0]]
        found["wwl + wl-oa"] = {
            f"h={h}, gamma={g}, {w}": kept[middle] ** g + w * oa[h] for h in list(oa)[1:3] for g in gammas[1:] for w in [0.3, 1.0]
        }
        if node:
            found["wwl × nodes" if self.scaled else "wwl × return-probabilities"] = {
                f"gamma={g}, {n}": kept[middle] ** g * gaussian(walks[n], o / median(walks[n]))
                for g in gammas[:2]
                for n in node
                for o in [0.3, 1.0]
            }
        return found


def median(gram):
    """The median of squared distances, the unit of gamma for a maximum mean discrepancy: no label has a part in it."""
    own = np.diag(gram)
    return max(float(np.median(own[:, None] + own[None, :] - 2 * gram)), 1e-12)


# ------------------------------------------------------------------------------------------------- the protocol
def folds(y, count, seed):
    from sklearn.model_selection import StratifiedKFold

    return list(StratifiedKFold(count, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))


def majority(y):
    names, counts = np.unique(y, return_counts=True)
    return names[counts.argmax()]


def machine(peer, c):
    if peer:
        from sklearn.svm import SVC

        return SVC(C=c, kernel="precomputed", cache_size=500)
    return mercer.SVC(C=c, kernel="precomputed", threads=1)


def right(peer, gram, y, c, train, test):
    model = machine(peer, c).fit(gram[np.ix_(train, train)], y[train])
    return float((model.predict(gram[np.ix_(test, train)]) == y[test]).mean())


def chosen(peer, candidates, y, train, inner, cs):
    """The inner score, the settings and C that score best on inner folds, and the test score of none."""
    best = (-1.0, None, None)
    for settings, gram in candidates.items():
        for c in cs:
            score = np.mean([right(peer, gram, y, c, train[a], train[b]) for a, b in inner])
            if score > best[0] + 1e-12:
                best = (float(score), settings, c)
    return best


def evaluated(data, matrices, peers, train, test, only):
    inner = folds(data.y[train], INNER, 99)
    found = {f"{name}": (False, of) for name, of in matrices.of(train).items()}
    found[PEER] = (True, peers)
    cs = [10.0, 100.0] if len(data.y) > 2000 else CS
    out, best = {"majority": [float((data.y[test] == majority(data.y[train])).mean()), "", None]}, (-1.0, None)
    for name, (peer, candidates) in found.items():
        if not candidates or (only and name not in only):
            continue
        inner_score, settings, c = chosen(peer, candidates, data.y, train, inner, cs)
        out[name] = [right(peer, candidates[settings], data.y, c, train, test), settings, c]
        if not peer and inner_score > best[0]:
            best = inner_score, name
    if best[1]:
        out["chosen of these"] = [out[best[1]][0], best[1], None]
    return out


def run(name, options, rows):
    data = Collection(name)
    print(f"{name}: {len(data.y)} graphs, {data.first[-1]} nodes", flush=True)
    matrices, peers, start = Matrices(data, options.within, options.only, options.rows.parent), {}, time.perf_counter()
    if not options.no_peer:
        for h in [1, 2, 3] if data.attributes is not None else [2, 4]:
            path = options.rows.with_name(f"package-{name}-{h}.npy")
            if not path.exists():
                begin = time.perf_counter()
                np.save(path, package_distances(data, h))
                print(f"{PEER}, {name}, h={h}: {time.perf_counter() - begin:.1f} s", flush=True)
            gammas = [0.03, 0.1, 0.3] if data.attributes is not None else [1.0, 4.0, 16.0]
            peers |= {f"h={h}, gamma={g}": np.exp(-g * np.load(path)) for g in gammas}
    for repetition in range(options.repetitions):
        for fold, (train, test) in enumerate(folds(data.y, 10, repetition)):
            if any((r["data"], r["repetition"], r["fold"]) == (name, repetition, fold) for r in rows):
                continue
            if time.perf_counter() - start > options.seconds:
                return
            begin = time.perf_counter()
            row = {"data": name, "repetition": repetition, "fold": fold, "scores": evaluated(data, matrices, peers, train, test, options.only)}
            row |= {"seconds": time.perf_counter() - begin, "gram": dict(matrices.seconds)}
            rows.append(row)
            with options.rows.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{name} {repetition} {fold}: {row['seconds']:.0f} s", flush=True)


def page(rows):
    """Tables in Markdown: each method with its difference to the package, lowest first."""
    lines = []
    for name in dict.fromkeys(row["data"] for row in rows):
        own = [row for row in rows if row["data"] == name]
        methods = [m for m in own[0]["scores"] if all(m in row["scores"] for row in own)]
        scores = {m: np.array([row["scores"][m][0] for row in own]) for m in methods}
        repeats = np.array([row["repetition"] for row in own])
        lines += [f"### {name}, {len(own)} folds", "", "| method | accuracy | sd | vs. package | p | most often chosen |", "|---|--:|--:|--:|--:|---|"]
        for m in sorted(methods, key=lambda m: scores[m].mean()):
            means = [scores[m][repeats == r].mean() for r in np.unique(repeats)]
            spread = f"{100 * np.std(means, ddof=1):.1f}" if len(means) > 1 else "–"
            difference, p = "–", "–"
            if PEER in scores and m != PEER:
                difference = f"{100 * (scores[m] - scores[PEER]).mean():+.1f}"
                p = f"{corrected(scores[m] - scores[PEER]):.2g}"
            often = collections.Counter(row["scores"][m][1] for row in own).most_common(1)[0][0]
            lines.append(f"| {m} | {100 * scores[m].mean():.1f} | {spread} | {difference} | {p} | {often} |")
        lines.append("")
    return "\n".join(lines)


def corrected(differences):
    """The p-value of the corrected resampled t test (Nadeau & Bengio 2003) for ten folds."""
    from scipy.stats import t

    n, variance = len(differences), differences.var(ddof=1)
    if n < 2 or variance == 0:
        return 1.0
    return float(2 * t.sf(abs(differences.mean()) / np.sqrt((1 / n + 1 / 9) * variance), n - 1))


def compared(names):
    """Distances and seconds compared with the package."""
    for name in names:
        data = Collection(name)
        scaled = data.attributes is not None
        for h in [0, 2]:
            kernel = mercer.WassersteinWL(h=h, gamma=1.0, labels="no" if scaled else "yes", ignore="others")
            if scaled:
                kernel = mercer.Standardize(kernel).fit(data.graphs)
            times = []
            for _ in range(3):
                start = time.perf_counter()
                gram = kernel.gram(data.graphs)
                times.append(time.perf_counter() - start)
            start = time.perf_counter()
            theirs = package_distances(data, h)
            took = time.perf_counter() - start
            # The package halves the attributes of nodes without neighbours in each round; here they keep them.
            lonely = np.array([len({e for pair in edges for e in pair}) < n for edges, n in zip(data.edges, data.sizes)])
            away = np.abs(-np.log(gram) - theirs)
            kept = away[np.ix_(~lonely, ~lonely)]
            print(
                f"{name}, h={h}: {len(data.y)} graphs, {lonely.sum()} with nodes without neighbours; largest difference of distances {away.max():.2e}, "
                f"without these graphs {kept.max():.2e}; seconds: mercer {min(times):.2f}, package {took:.2f}, ratio {took / min(times):.0f}",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=pathlib.Path, default=pathlib.Path("accuracy_graphs.jsonl"))
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no further fold after this time")
    parser.add_argument("--only", nargs="*", help="some methods")
    parser.add_argument("--within", action="store_true", help="standardise attributes by the training graphs of each outer fold")
    parser.add_argument("--no-peer", action="store_true", help="without the package")
    parser.add_argument("--distances", action="store_true", help="compare distances and seconds alone")
    options = parser.parse_args()
    names = [name for name in options.names if (ROOT / name).exists() or print(f"{name}: skipped, it is not in {ROOT}")]
    if options.distances:
        return compared(names)
    rows = [json.loads(line) for line in options.rows.read_text().splitlines()] if options.rows.exists() else []
    for name in names:
        run(name, options, rows)
    print(page(rows))


if __name__ == "__main__":
    main()
