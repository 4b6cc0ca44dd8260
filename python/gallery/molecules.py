# %% [markdown]
# # Molecules: boiling points from SMILES
#
# Boiling points (°C, at normal pressure) of 37 small molecules. Molecules are given as SMILES; the kernel counts the
# fragments that two molecules share.

# %%
import matplotlib.pyplot as plt
import numpy as np

import mercer

points = {
    "C": -161.5, "CC": -88.6, "CCC": -42.1, "CCCC": -0.5, "CCCCC": 36.1,
    "CCCCCC": 68.7, "CCCCCCC": 98.4, "CCCCCCCC": 125.6, "CO": 64.7, "CCO": 78.4,
    "CCCO": 97.2, "CCCCO": 117.7, "CCCCCO": 138.0, "CCCCCCO": 157.0, "c1ccccc1": 80.1,
    "Cc1ccccc1": 110.6, "CCc1ccccc1": 136.2, "CC(=O)O": 118.0, "CCC(=O)O": 141.0,
    "CCCC(=O)O": 163.5, "CC(C)=O": 56.1, "CCC(C)=O": 79.6, "CCCC(C)=O": 102.0,
    "CCOCC": 34.6, "CCCOCCC": 90.0, "C1CCCCC1": 80.7, "C1CCCC1": 49.3, "CN": -6.3,
    "CCN": 16.6, "CCCN": 48.0, "CCCCN": 78.0, "CCl": -24.0, "CCCl": 12.3,
    "CCCCl": 46.6, "CCCCCl": 78.4, "Oc1ccccc1": 181.7, "Nc1ccccc1": 184.1,
}  # fmt: skip
smiles, y = list(points), np.array(list(points.values()))
molecules = mercer.Molecules(smiles)
mercer.Tanimoto(mercer.ECFP(radius=2)).gram(molecules)[:4, :4].round(2)

# %% [markdown]
# Fragments are counted, so that a longer chain has a higher boiling point. Leave-one-out residuals follow from one fit.

# %%
kernel = mercer.Normalize(mercer.ECFP(radius=1)) + 0.1 * mercer.ECFP(radius=1)
ridge = mercer.KernelRidge(alpha=0.1, kernel=kernel, fit_intercept=True)
residuals = ridge.leave_one_out(molecules, y)
fig, ax = plt.subplots(figsize=(4.5, 4))
ax.scatter(y, y - residuals, s=18)
ax.plot([-160, 190], [-160, 190], "k--", lw=1)
ax.set(
    xlabel="measured, °C",
    ylabel="predicted without it, °C",
    title=f"mean error {np.abs(residuals).mean():.0f} °C",
)
plt.show()

# %% [markdown]
# Which atoms raise the boiling point? Orange ones add, blue ones subtract.

# %%
model = ridge.fit(molecules, y)
why = model.explain(["CCCCCO"])[0]
print(why)
why

# %% [markdown]
# A prediction is only as good as the molecules that are near.

# %%
for near in model.nearest_molecules(["CCCCCO"], n=3)[0]:
    print(near["smiles"], near["target"], round(near["similarity"], 2))
