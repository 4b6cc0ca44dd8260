# %% [markdown]
# # Graphs: molecules as graphs of atoms
#
# MUTAG: 188 nitro compounds, of which some change DNA. The Weisfeiler-Lehman kernel counts neighbourhoods that two graphs share.

# %%
import matplotlib.pyplot as plt
import numpy as np

import mercer

graphs, y = mercer.datasets.load_mutag()
kernel = mercer.Normalize(mercer.WeisfeilerLehman(h=3))
K = kernel.gram(graphs)
mercer.certify(K)

# %% [markdown]
# The Gram matrix, ordered by class, and the first two principal components in its feature space.

# %%
order = np.argsort(y, kind="stable")
Z = mercer.KernelPCA(2, kernel="precomputed").fit_transform(K)
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
left.imshow(K[np.ix_(order, order)], cmap="viridis")
left.set_title("similarities, by class")
for c in np.unique(y):
    right.scatter(*Z[y == c].T, s=15, label=c)
right.legend(title="class")
right.set_title("principal components")
plt.show()

# %%
depths = {
    f"h={h}": mercer.SVC(kernel=mercer.Normalize(mercer.WeisfeilerLehman(h=h)), C=10)
    for h in (0, 1, 3)
}
mercer.compare(depths, graphs, y, cv=5)

# %% [markdown]
# Graphs of networkx, igraph and PyTorch-Geometric are taken as they are. `node_label` says which attribute holds the labels.

# %%
import networkx as nx

ring = nx.cycle_graph(6)
nx.set_node_attributes(ring, "C", "element")
chain = nx.path_graph(6)
nx.set_node_attributes(chain, "C", "element")
own = mercer.Graphs([ring, chain], node_label="element")
mercer.WeisfeilerLehman(h=2).gram(own)
