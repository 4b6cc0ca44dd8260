# %% [markdown]
# # Uncertainty: sets, intervals, and functions that could be true
#
# Conformal prediction turns any model into one that answers with a set or an interval which holds the truth with a chosen
# confidence. A Gaussian process has a standard deviation for every prediction.

# %%
import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0, 10, 60))[:, None]
X = X[(X[:, 0] < 4) | (X[:, 0] > 6.5)]
y = np.sin(X[:, 0]) + 0.2 * rng.standard_normal(len(X))
at = np.linspace(-1, 11, 200)[:, None]

gp = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5)).fit(X, y)
mean, std = gp.predict(at, return_std=True)
fig, ax = plt.subplots(figsize=(7, 3))
ax.fill_between(at[:, 0], mean - 2 * std, mean + 2 * std, alpha=0.2)
ax.plot(at, gp.sample_y(at, 3, random_state=1), lw=0.8, alpha=0.7)
ax.plot(at, mean, "k")
ax.plot(X, y, "k.")
ax.set_title(f"noise {np.sqrt(gp.noise_):.2f} learned; it was 0.20")
plt.show()

# %% [markdown]
# Intervals of a conformal regressor hold nine of ten new observations, whatever the model.

# %%
fitted = mercer.ConformalRegressor(
    mercer.KernelRidge(kernel=mercer.RBF(gamma=0.5), alpha=0.1)
).fit(X, y)
new = np.concatenate([rng.uniform(0, 4, 200), rng.uniform(6.5, 10, 200)])[:, None]
truth = np.sin(new[:, 0]) + 0.2 * rng.standard_normal(400)
low, high = fitted.predict_interval(new, confidence=0.9).T
print(
    f"{np.mean((low <= truth) & (truth <= high)):.2f} of 400 new observations are inside"
)

# %% [markdown]
# A classifier answers with sets of classes: one class where it is sure, two where it is not, and it knows objects that are unlike
# all of its training objects.

# %%
from sklearn.datasets import load_iris

F, species = load_iris(return_X_y=True)
flowers = mercer.ConformalClassifier(mercer.SVC(kernel="standardize(rbf)")).fit(
    F[::2], species[::2]
)
sets = flowers.predict_set(F[1::2], confidence=0.95)
print("sizes of sets:", np.bincount(sets.sum(axis=1)))
print("in the domain:", flowers.in_domain([[5.1, 3.5, 1.4, 0.2], [90.0, 3.5, 1.4, 0.2]]))
