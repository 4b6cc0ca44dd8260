"""Sequences: which promoters carry a motif? Strings need no features made by hand."""

import numpy as np

import mercer

rng = np.random.default_rng(0)
MOTIF = "tataat"


def sequence(with_motif):
    letters = rng.choice(list("acgt"), 40)
    if with_motif:
        at = rng.integers(0, 40 - len(MOTIF))
        letters[at : at + len(MOTIF)] = list(MOTIF)
    return "".join(letters)


y = rng.integers(0, 2, 120)
sequences = np.array([sequence(has) for has in y])

# The number of equal substrings of four letters that two sequences share, made comparable by normalising.
kernel = mercer.Normalize(mercer.Convolution(mercer.Delta(), parts="substrings", length=4))
search = mercer.GridSearch(
    mercer.SVC(kernel=kernel), {"C": [1, 10, 100], "kernel__kernel__length": [2, 3, 4, 5]}, cv=mercer.StratifiedKFold(5)
).fit(sequences, y)
print(f"{search.best_estimator_.kernel}")
print(f"C={search.best_params_['C']}: accuracy {search.best_score_:.3f}, guessing gives {max(y.mean(), 1 - y.mean()):.3f}")
