# %% [markdown]
# # Tables: columns of different kinds
#
# A table with numbers, categories, dates and text. Each column gets the kernel that suits it; `mercer.auto` chooses by itself.

# %%
import numpy as np
import pandas as pd

import mercer

rng = np.random.default_rng(4)
n = 160
table = pd.DataFrame(
    {
        "age": rng.integers(20, 80, n),
        "ward": pd.Categorical(rng.choice(["north", "south", "east"], n)),
        "admitted": pd.Timestamp("2024-01-01")
        + pd.to_timedelta(rng.integers(0, 365, n), unit="D"),
        "marker": pd.array(
            np.where(rng.random(n) < 0.1, None, rng.normal(5, 2, n).round(1)),
            dtype="Float64",
        ),
        "note": rng.choice(
            ["stable overnight", "fever since monday", "pain and fever", "no complaints"],
            n,
        ),
    }
)
risk = (
    0.05 * (table["age"] - 50)
    + (table["ward"] == "north")
    + 1.5 * table["note"].str.contains("fever")
    + 0.4 * rng.standard_normal(n)
)
y = np.where(risk > 1.0, "long", "short")
table.head()

# %% [markdown]
# What is in it, and is anything wrong with it?

# %%
mercer.inspect(table.assign(stay=y), target="stay")

# %% [markdown]
# A kernel for each column. Columns that no kernel looks at do not matter.

# %%
kernel = (
    mercer.Standardize(mercer.RBF(gamma=0.5)).on("age")
    + mercer.Delta().on("ward")
    + mercer.Terms(mercer.Cosine(), weight="binary").on("note")
)
mercer.evaluate(mercer.SVC(kernel=kernel, C=5), table, y, cv=5)

# %% [markdown]
# `mercer.auto` scores methods that suit the columns until the time is over.

# %%
model = mercer.auto(table, y, time=8, cv=5)
model

# %%
print(model.explain(table.head(1))[0])
