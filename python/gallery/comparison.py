# %% [markdown]
# # Comparison: is one method really better?
#
# Two means of a cross-validation differ almost always. Whether the difference says anything, tests tell that know that training sets
# overlap.

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer

X, y = load_wine(return_X_y=True)
methods = {
    "svm": GridSearchCV(
        mercer.SVC(kernel=mercer.Standardize(mercer.RBF())),
        {"C": [1, 10], "kernel__kernel__gamma": [0.02, 0.1]},
        cv=3,
    ),
    "forest": RandomForestClassifier(50, random_state=0),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "unscaled neighbours": KNeighborsClassifier(),
}
found = mercer.compare(methods, X, y, cv=5)
found

# %% [markdown]
# The search of the first method chooses its parameters inside each training set, so that its score is not too good. Scores of all
# splits, with 95 % intervals of the means:

# %%
fig, ax = plt.subplots(figsize=(7, 2.6))
for i, one in enumerate([*found.methods, found.baseline]):
    low, high = one.interval
    ax.plot([low, high], [i, i], "k")
    ax.plot(one.scores[one.score], np.full(len(one.splits), i - 0.2), ".", color="gray")
    ax.plot(one.mean, i, "o")
ax.set_yticks(range(len(found.methods) + 1), [*methods, "baseline"])
ax.invert_yaxis()
ax.set_xlabel(found.methods[0].score)
plt.show()

# %% [markdown]
# Five repetitions of two folds have a test of their own.

# %%
few = {name: methods[name] for name in ("forest", "neighbours")}
mercer.compare(few, X, y, cv=mercer.FiveByTwo()).pairs
