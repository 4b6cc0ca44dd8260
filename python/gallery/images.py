# %% [markdown]
# # Images: digits
#
# scikit-learn's 8 × 8 digits as vectors, and as images whose parts are compared wherever they are.

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import mercer

digits = load_digits()
X, y = digits.data[:400] / 16.0, digits.target[:400]
model = mercer.SVC(kernel=mercer.RBF(gamma=0.05), C=10).fit(X[:300], y[:300])
print(f"accuracy {model.score(X[300:], y[300:]):.3f}")

# %% [markdown]
# Kernel principal components can be turned back into images: with few of them, noise is left out.

# %%
noisy = X + 0.25 * np.random.default_rng(0).standard_normal(X.shape)
pca = mercer.KernelPCA(
    40, kernel=mercer.RBF(gamma=0.03), fit_inverse_transform=True, alpha=0.01
).fit(noisy[:300])
clean = pca.inverse_transform(pca.transform(noisy[300:308]))
fig, axes = plt.subplots(2, 8, figsize=(8, 2.2))
for row, images in zip(axes, (noisy[300:308], clean)):
    for ax, image in zip(row, images):
        ax.imshow(image.reshape(8, 8), cmap="gray_r")
        ax.set_axis_off()
fig.suptitle("with noise, and from 40 components")
plt.show()
