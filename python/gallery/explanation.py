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
    "the screen is bright and the battery lasts", "battery died after a week", "bright screen, fast delivery", "broken screen on arrival",
    "the battery lasts for days", "slow and the battery died", "fast and bright", "arrived broken and late", "lasts long, fast delivery",
    "late delivery and a dark screen", "good screen, good battery", "a dark, slow device",
]  # fmt: skip
y = np.array(["good", "bad"] * 6)
model = mercer.SVC(kernel="cosine-text" if False else mercer.Spectrum(k=5), C=10).fit(texts, y)
why = model.explain(["fast delivery but the battery died"], n_features=8)[0]
print(why)

# %%
amounts = [part["amount"] for part in why.features]
fig, ax = plt.subplots(figsize=(6, 2.8))
ax.barh([repr(part["feature"]) for part in why.features], amounts, color=np.where(np.array(amounts) > 0, "tab:orange", "tab:blue"))
ax.invert_yaxis()
ax.set_title(f"{why.prediction}: {why.value:+.2f} = {why.offset:+.2f} + these + {why.rest:+.2f}")
plt.show()
