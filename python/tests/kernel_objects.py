"""Suitable objects for each kernel of the registry, by the kinds that it takes."""

import numpy as np

import mercer
from mercer.kernels import CLASSES

RNG = np.random.default_rng(11)
COUNT = 12
LABELS = np.arange(COUNT) % 2

VECTORS = RNG.uniform(0.1, 1.0, (COUNT + 4, 4))
WORDS = ["gattaca", "cattaca", "ggggccc", "taccaag", "attacgg", "gggacct", "cctagat", "gattagg"]
STRINGS = [WORDS[i % 8] + "acgt"[i % 4] * (1 + i % 3) for i in range(COUNT + 4)]
EVEN_STRINGS = [s[:7] for s in STRINGS]
TEXTS = [f"the {STRINGS[i][:4]} house and {STRINGS[(i * 3) % 7][:3]} car number{i % 5}" for i in range(COUNT + 4)]
CATEGORIES = np.array([["red", "blue"][i % 2] + "|" + ["s", "m"][i % 3 // 2] for i in range(COUNT + 4)])
CATEGORIES = np.array([c.split("|") for c in CATEGORIES], dtype=object)
TIMES = np.datetime64("2024-01-31T22:30") + np.arange(COUNT + 4) * np.timedelta64(31, "h")
SERIES = RNG.standard_normal((COUNT + 4, 2, 15)).cumsum(2)
IMAGES = RNG.integers(0, 255, (COUNT + 4, 24, 24, 3), dtype=np.uint8)
GRAPHS = [
    ([(i, i + 1) for i in range(4 + at % 3)], [["C", "N", "O"][(at + i) % 3] for i in range(5 + at % 3)])
    for at in range(COUNT + 4)
]
BARE = [(edges, None) for edges, _ in GRAPHS]
EDGES = [(edges, None, [["s", "d"][(at + i) % 2] for i in range(len(edges))]) for at, (edges, _) in enumerate(GRAPHS)]
ATTRIBUTED = [(edges, RNG.standard_normal((len(labels), 2)).tolist()) for edges, labels in GRAPHS]
MOLECULES = ["C" * (1 + at % 5) + ["O", "N", "c1ccccc1", "C(=O)O"][at % 4] for at in range(COUNT + 4)]
NODES = mercer.Nodes(([(i, (i + 1) % 16) for i in range(16)] + [(0, 5), (3, 11)], [str(i) for i in range(16)]))
DESCRIBED = mercer.Records({"node": NODES, "words": VECTORS})

#: Inner kernels of wrappers for one kind of objects; other wrappers get a vector kernel.
INSIDE = {
    "znormalize": mercer.DTW, "bin": mercer.DTW, "resample": mercer.DTW, "learned-window": mercer.MSM,
    "terms": mercer.Linear, "visual": mercer.Linear,
    "explicit": mercer.Linear,
    "convolution": mercer.Delta,
    "similarity": mercer.Euclidean,
    "atoms": lambda: mercer.WeisfeilerLehman(edge_labels=True),
    "core": mercer.VertexHistogram, "wl-of": mercer.VertexHistogram,
}  # fmt: skip


#: Objects for kernels that do not take all objects of their kind.
OBJECTS = {
    "closed-chain": np.arange(COUNT + 4)[:, None] % 5,
    "regular-tree": np.arange(1, COUNT + 5)[:, None], "binary-tree": np.arange(1, COUNT + 5)[:, None],
    "hamming": EVEN_STRINGS, "hamming-distance": EVEN_STRINGS, "weighted-degree": EVEN_STRINGS,
    "weighted-degree-shifts": EVEN_STRINGS,
    "graph-size": BARE, "graphlet": BARE, "edge-histogram": EDGES,
    "graph-hopper": ATTRIBUTED, "shortest-path-rbf": ATTRIBUTED, "wwl": ATTRIBUTED,
    "return-probabilities": ATTRIBUTED, "terms": TEXTS, "atoms": MOLECULES, "smooth": DESCRIBED,
}  # fmt: skip
KINDS = [
    ("numbers", VECTORS), ("strings", STRINGS), ("text", TEXTS), ("series", SERIES), ("graphs", GRAPHS), ("nodes", NODES),
    ("images", IMAGES), ("molecules", MOLECULES), ("categories", CATEGORIES), ("times", TIMES),
]  # fmt: skip


def instance(name):
    """The kernel with default parameters and suitable inner kernels."""
    made = CLASSES[name]
    return made(*(INSIDE.get(name, mercer.RBF)() for _ in range(made._facts["arity"])))


def objects(kernel):
    """Suitable objects for a kernel: training objects and new objects."""
    wanted = set().union(*kernel._kinds().values()) if kernel._kinds() else {"numbers"}
    if wanted == {"precomputed"}:
        base = mercer.RBF()
        return base.gram(VECTORS[:COUNT]), base.cross(VECTORS[COUNT:], VECTORS[:COUNT])
    suitable = OBJECTS.get(kernel._facts["name"])
    if suitable is None:
        suitable = next(values for kind, values in KINDS if kind in wanted)
    return suitable[:COUNT], suitable[COUNT:]
