# %% [markdown]
# # Nodes: which group does a member of a network belong to?
#
# The objects are the nodes of one graph: friendships of the 34 members of a karate club, which broke in two (Zachary 1977). A
# diffusion kernel spreads what is known from two members to all others.

# %%
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import mercer

club = nx.karate_club_graph()
y = np.array([club.nodes[n]["club"] == "Officer" for n in club])
nodes = mercer.Nodes(club, weight=None)
K = mercer.NodeDiffusion(beta=0.3).gram(nodes)
K.shape

# %% [markdown]
# Only the instructor (0) and the administrator (33) are labelled.

# %%
known = np.array([0, 33])
model = mercer.SVC(kernel=mercer.NodeDiffusion(beta=0.3), C=100).fit(
    nodes[known], y[known]
)
values = model.decision_function(nodes)
print(f"{((values > 0) == y).sum()} of {len(y)} members are on the right side")

# %%
place = nx.spring_layout(club, seed=2)
fig, ax = plt.subplots(figsize=(6, 4))
size = np.abs(values).max()
nx.draw_networkx_edges(club, place, ax=ax, alpha=0.3)
drawn = nx.draw_networkx_nodes(
    club,
    place,
    ax=ax,
    node_color=values,
    cmap="RdBu_r",
    vmin=-size,
    vmax=size,
    edgecolors="k",
    node_size=160,
)
nx.draw_networkx_labels(club, place, ax=ax, font_size=7)
fig.colorbar(drawn, ax=ax, label="decision value")
ax.set_axis_off()
plt.show()
