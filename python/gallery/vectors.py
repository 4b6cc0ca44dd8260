# %% [markdown]
# # Vectors: a boundary, and how sure the solver is
#
# Two interleaving half circles cannot be separated by a line. A support vector machine with a Gaussian kernel separates them, and
# its certificate says how far the solution is from the optimum.

# %%
import matplotlib.pyplot as plt
import numpy as np

import mercer

X, y = mercer.datasets.make_half_moons(200, noise=0.15, random_state=1)
search = mercer.GridSearch(
    mercer.SVC(kernel=mercer.RBF()),
    {"C": [1, 10, 100], "kernel__gamma": [0.5, 2.0, 8.0]},
    cv=5,
).fit(X, y)
print(search.best_params_, round(search.best_score_, 3))

# %% [markdown]
# The fitted model shows its parameters and its certificate: the duality gap bounds how much better any other solution can be.

# %%
model = search.best_estimator_
model

# %% [markdown]
# The boundary is where the decision value is 0. Support vectors have a ring.

# %%
a, b = np.meshgrid(np.linspace(-1.6, 2.6, 120), np.linspace(-1.2, 1.7, 100))
values = model.decision_function(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape)
fig, ax = plt.subplots(figsize=(6, 3.6))
ax.contourf(a, b, values, levels=20, cmap="RdBu_r", alpha=0.5)
ax.contour(
    a,
    b,
    values,
    levels=[-1, 0, 1],
    colors="k",
    linestyles=["--", "-", "--"],
    linewidths=1,
)
ax.scatter(*X.T, c=y == "upper", cmap="RdBu_r", edgecolors="w", s=25)
ax.scatter(*X[model.support_].T, facecolors="none", edgecolors="k", s=60)
ax.set_title(f"{len(model.support_)} support vectors of {len(X)} points")
plt.show()

# %% [markdown]
# Any estimator of scikit-learn can be compared on the same splits.

# %%
from sklearn.linear_model import LogisticRegression

mercer.compare({"svm": model, "a line": LogisticRegression()}, X, y, cv=5)
