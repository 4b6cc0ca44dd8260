# %% [markdown]
# # Time series: shapes that shift
#
# Two classes of recordings: one bump, or two. Where they are differs from recording to recording, so that comparing time step by time
# step misleads. Dynamic time warping aligns; Rocket counts patterns of convolutions.

# %%
import matplotlib.pyplot as plt
import numpy as np

import mercer

rng = np.random.default_rng(0)
t = np.arange(80)


def recording(bumps):
    places = (
        rng.uniform(15, 65) if bumps == 1 else np.array([0, 18]) + rng.uniform(12, 50)
    )
    return sum(
        np.exp(-((t - at) ** 2) / 20) for at in np.atleast_1d(places)
    ) + 0.15 * rng.standard_normal(80)


y = np.repeat([1, 2], 30)
X = np.array([recording(n) for n in y])
fig, axes = plt.subplots(1, 2, figsize=(8, 2.2), sharey=True)
for ax, n in zip(axes, (1, 2)):
    ax.plot(t, X[y == n][:4].T, lw=1)
    ax.set_title(f"{n} bump{'s' if n > 1 else ''}")
plt.show()

# %% [markdown]
# Nearest neighbours by the Euclidean distance and by dynamic time warping, and a linear model on Rocket's features. A kernel with
# features is a transformer in a pipeline.

# %%
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

methods = {
    "euclidean": mercer.KNeighborsClassifier(1),
    "dtw": mercer.KNeighborsClassifier(1, kernel=mercer.DTW(window=0.2)),
    "rocket": make_pipeline(
        mercer.Rocket(features=500), StandardScaler(), mercer.LinearSVC(C=0.01)
    ),
}
scores = mercer.compare(methods, X, y, cv=5)
scores

# %% [markdown]
# Recordings with several channels say which dimension is time.

# %%
two = np.stack([X, np.gradient(X, axis=1)], axis=2)  # (recordings, time, channels)
mercer.DTW().pairwise(mercer.Series(two, layout="(n, time, channels)"))[:3, :3].round(1)
