"""Sequences: which promoters contain a motif? Strings need no hand-crafted features."""

import numpy as np

import mercer

rng = np.random.default_rng(0)
MOTIF = "tataat"


def sequence(with_motif):
    symbols = rng.choice(list("acgt"), 40)
    if with_motif:
        at = rng.integers(0, 40 - len(MOTIF))
        symbols[at : at + len(MOTIF)] = list(MOTIF)
    return "".join(symbols)


y = rng.integers(0, 2, 120)
sequences = np.array([sequence(has) for has in y])

# The number of 4-mers that two sequences share, normalised.
kernel = mercer.Normalize(mercer.Convolution(mercer.Delta(), parts="substrings", length=4))
search = mercer.GridSearch(
    mercer.SVC(kernel=kernel), {"C": [1, 10, 100], "kernel__kernel__length": [2, 3, 4, 5]}, cv=mercer.StratifiedKFold(5)
).fit(sequences, y)
print(f"{search.best_estimator_.kernel}")
print(f"C={search.best_params_['C']}: accuracy {search.best_score_:.3f}, majority-class baseline {max(y.mean(), 1 - y.mean()):.3f}")
