# %% [markdown]
# # Strings: promoters in DNA
#
# Where does transcription begin? 106 DNA sequences of *E. coli*, half of them promoters. Kernels on strings compare the sequences as
# they are: no features are made by hand.

# %%
import matplotlib.pyplot as plt
import numpy as np

import mercer

X, y = mercer.datasets.load_promoters()
for sequence, label in zip(X[:2], y[:2]):
    print(label, sequence)

# %% [markdown]
# Three kernels, compared on the same splits: k-mers wherever they are, k-mers with gaps, and k-mers at about the same position.

# %%
kernels = {
    "spectrum": mercer.Spectrum(k=4),
    "with gaps": mercer.GappyKmer(l=6, k=4),
    "by position": mercer.WeightedDegree(d=4),
}
found = mercer.compare(
    {name: mercer.SVC(kernel=mercer.Normalize(k), C=10) for name, k in kernels.items()},
    X,
    y,
    cv=5,
)
found

# %% [markdown]
# Position matters. What would each substitution do to the decision value of a promoter? Dark cells say which symbols hold it up.

# %%
model = mercer.SVC(kernel=mercer.WeightedDegree(d=4), C=10).fit(X, y)
what = model.substitutions([X[0]])[0]
size = np.abs(what["changes"]).max()
fig, ax = plt.subplots(figsize=(9, 1.8))
ax.imshow(what["changes"].T, cmap="RdBu_r", vmin=-size, vmax=size, aspect="auto")
ax.set_yticks(range(len(what["alphabet"])), list(what["alphabet"]))
ax.set_xticks(range(len(what["symbols"])), list(what["symbols"]), fontsize=7)
ax.set_title(f"change of the decision value ({what['meaning']})")
plt.show()
