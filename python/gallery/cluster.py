# %% [markdown]
# # Cluster: a Gram matrix by several processes
#
# With a Dask cluster, the matrix is computed lazily in tiles, with the same bits as on one computer. Here the cluster is two
# processes on this one.

# %%
import numpy as np
from distributed import Client, LocalCluster

import mercer

X = np.random.default_rng(0).standard_normal((400, 5))
kernel = mercer.RBF(gamma=0.2)

# %%
with (
    LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster,
    Client(cluster) as client,
):
    K = kernel.gram(X, client=client, block=100)
    print(K)
    same = bool((K.compute() == kernel.gram(X)).all())
    search = mercer.GridSearch(
        mercer.SVC(kernel=kernel), {"C": [1, 10, 100]}, cv=3, client=client
    ).fit(X, X[:, 0] > 0)

print("the same bits:", same)
search.best_params_
