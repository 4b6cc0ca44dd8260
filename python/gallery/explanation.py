# %% [markdown]
# # Explanation: what drove a prediction
#
# A decision value is a sum over features, where the kernel has features: words of a text, fragments of molecules, k-mers of a
# sequence, patterns of a series. What is listed and the rest add up exactly.

# %%
import matplotlib.pyplot as plt
import numpy as np

import mercer

texts = [
    "the screen is bright and the battery lasts",
    "battery died after a week",
    "bright screen, fast delivery",
    "broken screen on arrival",
    "the battery lasts for days",
    "slow and the battery died",
    "fast and bright",
    "arrived broken and late",
    "lasts long, fast delivery",
    "late delivery and a dark screen",
    "good screen, good battery",
    "a dark, slow device",
]
y = np.array(["good", "bad"] * 6)
model = mercer.SVC(kernel=mercer.Terms(mercer.Linear(), weight="binary"), C=10).fit(
    texts, y
)
why = model.explain(["fast delivery but the battery died"], n_features=8)[0]
print(why)

# %%
amounts = [part["amount"] for part in why.features]
fig, ax = plt.subplots(figsize=(6, 2.8))
ax.barh(
    [repr(part["feature"]) for part in why.features],
    amounts,
    color=np.where(np.array(amounts) > 0, "tab:orange", "tab:blue"),
)
ax.invert_yaxis()
ax.set_title(
    f"{why.prediction}: {why.value:+.2f}, of which {why.offset:+.2f} is the intercept"
)
plt.show()

# %% [markdown]
# Series are explained by their time steps: here one class has a bump, wherever it is.

# %%
rng = np.random.default_rng(0)
t = np.arange(80)
bump = np.repeat([0, 1], 25)
places = rng.uniform(15, 65, 50)
series = 0.3 * rng.standard_normal((50, 80)) + bump[:, None] * np.exp(
    -((t - places[:, None]) ** 2) / 20
)
rocket = mercer.SVC(kernel=mercer.Rocket(features=1000), C=10).fit(
    series[1:-1], bump[1:-1]
)
why = rocket.explain(series[-1:])[0]
fig, ax = plt.subplots(figsize=(7, 2.4))
size = np.abs(why.steps).max()
ax.plot(t, series[-1], color="gray", lw=0.8)
shown = ax.scatter(t, series[-1], c=why.steps, cmap="RdBu_r", vmin=-size, vmax=size, s=25)
fig.colorbar(shown, ax=ax, label="contribution")
ax.set_title(f"predicted {why.prediction}, bump at {places[-1]:.0f}")
plt.show()
