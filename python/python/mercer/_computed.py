"""What a kernel computes of objects: fits, Gram matrices, distances and explicit features."""

import numbers
import warnings
from collections.abc import Hashable

import numpy as np
from sklearn.utils._set_output import _SetOutputMixin

from . import _mercer
from ._data import as_data
from ._errors import DataError, DataWarning, ParameterError
from ._progress import shown
from ._threads import threads_of
from ._values import flag


class Computed(_SetOutputMixin):
    """The methods of kernels that take objects. That of ``set_output`` wraps ``transform``, so that it belongs to this class."""

    def fit(self, X, y=None, *, threads=None, progress=False):
        """Fit the kernel to training objects; ``gram`` and ``cross`` then use this fit for all objects.

        The fit is kept in copies, pickles and joblib files, but not by ``sklearn.base.clone``. A kernel whose
        parameters change is no longer fitted.

        Parameters
        ----------
        X : objects
            Training objects.
        y : array-like, optional
            Target, for kernels that are fitted to it (:class:`Forest`, :class:`Mkl`, :class:`Fusion`, …); others ignore it.
        threads : int, optional
            Number of threads; all cores by default.
        progress : bool or callable
            True for a progress bar, or a function of (stage, done, total).

        Returns
        -------
        self
        """
        text, data = self._text(), self._data(X)
        # A copy, because the caller may write to the arrays later.
        data = data.select(np.arange(len(data)))
        target = self._with_target() if y is None else target_of(y)
        with shown(progress) as listener:
            fitted = _mercer.fit_kernel(text, data, threads_of(threads), listener, target)
        warn_data(fitted.warnings())
        self._fitted = (text, fitted, data, target)
        if identities := self._identities():
            self._fitted_functions = (X, identities)
        return self

    def _current(self):
        """The fitted state; None if the kernel was not fitted or was changed since."""
        text, fitted, *_ = self.__dict__.get("_fitted", (None, None))
        if text is None or text != self._text():
            return None
        if "_fitted_functions" in self.__dict__ and self._fitted_functions[1] != self._identities():
            return None
        return fitted

    def _ready(self):
        """The fitted state; None if the kernel has yet to be fitted, which must not need a target."""
        fitted = self._current()
        if fitted is None:
            self._with_target()
        return fitted

    def _with_target(self):
        """Raise an error if a kernel must be fitted to a target."""
        for kernel in self._kernels():
            kernel._with_target()

    def gram(self, X, *, dtype=np.float64, threads=None, progress=False, client=None, store=None, block=None):
        """Compute the Gram matrix k(x_i, x_j) of X.

        Parameters
        ----------
        X : objects
        dtype : numpy.float64 or numpy.float32
            ``float32`` halves the memory; values are computed in double precision and rounded once.
        threads : int, optional
            Number of threads; all cores by default. On a cluster, the number per task, by default 1.
        progress : bool or callable
            True for a progress bar, or a function of (stage, done, total). On a cluster, it computes all tiles at once.
        client : distributed.Client, optional
            A Dask cluster that computes the matrix lazily in tiles.
        store : path, address or other zarr group, optional
            Storage shared by all workers, to which they write every tile. A second call computes only the missing
            tiles.
        block : int, optional
            Number of rows of a tile.

        Returns
        -------
        array (n, n), or a Dask array with the same bits if ``client`` is given
        """
        data, fitted, single = self._data(X), self._ready(), np.dtype(dtype) == np.float32
        if on_cluster(client, store, block):
            return self._on_cluster(client, data, None, store, block, threads, progress, single=single)
        threads = threads_of(threads)
        with shown(progress) as listener:
            if fitted is not None:
                return fitted.gram(data, single, threads, listener)
            matrix, warned = _mercer.gram(self._text(), data, single, threads, listener)
        if warned:
            warn_data(warned)
        return matrix

    def cross(
        self, X, Y=None, *, dtype=np.float64, threads=None, progress=False, client=None, store=None, block=None
    ):  # fmt: skip
        """Compute the matrix k(x_i, y_j) of new objects X (rows) and training objects Y (columns).

        An unfitted kernel is fitted to Y. For a fitted kernel, Y defaults to its training objects. The other parameters
        are those of :meth:`gram`.
        """
        fitted, single = self._ready(), np.dtype(dtype) == np.float32
        if Y is None and fitted is None:
            raise ParameterError("cross needs the training objects Y, because the kernel is not fitted")
        if self._functions():
            Y = self._fitted_functions[0] if Y is None else Y
            rows, cols = self._data(X, new=True, training=Y), self._data(Y)
        else:
            rows, cols = self._data(X, new=True), self._data(self._fitted[2] if Y is None else Y)
        if on_cluster(client, store, block):
            return self._on_cluster(client, rows, cols, store, block, threads, progress, single=single)
        threads = threads_of(threads)
        with shown(progress) as listener:
            if fitted is None:
                fitted = _mercer.fit_kernel(self._text(), cols, threads, None)
                warn_data(fitted.warnings())
            return fitted.cross(rows, cols, single, threads, listener)

    def diagonal(self, X, *, threads=None):
        """Compute the self-similarities k(x_i, x_i)."""
        data, fitted, threads = self._data(X), self._ready(), threads_of(threads)
        if fitted is None:
            fitted = _mercer.fit_kernel(self._text(), data, threads, None)
        return fitted.diagonal(data, threads)

    def pairwise(self, X, Y=None, *, threads=None, progress=False, client=None, store=None, block=None):
        """Compute the distances between the objects of X, or between X (rows) and Y (columns).

        For a distance (:class:`DTW`, :class:`Euclidean`, …) this is that distance; for any other kernel it is the
        induced one, √(k(x, x) + k(y, y) - 2k(x, y)). An unfitted kernel is fitted to Y, or to X without Y. The other
        parameters are those of :meth:`gram`.
        """
        if self._functions():
            return self._induced(X, Y, threads)
        fitted, rows = self._ready(), self._data(X)
        cols = None if Y is None else self._data(Y)
        if on_cluster(client, store, block):
            return self._on_cluster(client, rows, cols, store, block, threads, progress, distances=True)
        threads = threads_of(threads)
        with shown(progress) as listener:
            if fitted is None:
                fitted = _mercer.fit_kernel(self._text(), rows if cols is None else cols, threads, None)
                warn_data(fitted.warnings())
            return fitted.distances(rows, cols, threads, listener)

    def _induced(self, X, Y, threads):
        """The distances in feature space from matrices, for kernels with functions."""
        K = self.gram(X, threads=threads) if Y is None else self.cross(X, Y, threads=threads)
        rows = K.diagonal() if Y is None else self.gram(X, threads=threads).diagonal()
        cols = rows if Y is None else self.gram(Y, threads=threads).diagonal()
        return np.sqrt(np.maximum(rows[:, None] + cols[None, :] - 2.0 * K, 0.0))

    def transform(self, X, *, threads=None, progress=False):
        """Compute the explicit features of objects under a fitted kernel: the kernel is a transformer in pipelines.

        The columns are the features of the training objects; features that none of them has are left out.

        For :class:`Similarity` these are its Fisher vectors. Kernels without explicit features, such as :class:`RBF`, raise
        an error: :class:`Nystrom`, :class:`Fourier` and :class:`mercer.FeatureMap` give coordinates for them.

        Examples
        --------
        >>> X = np.array([[0.0], [1.0], [2.0]])
        >>> phi = mercer.Nystrom(mercer.RBF(gamma=0.5), rank=2, seed=1).fit(X[:2])
        >>> phi.transform(X).shape, phi.get_feature_names_out().tolist()
        ((3, 2), ['nystrom[1]', 'nystrom[2]'])
        """
        fitted = self._current()
        if fitted is None:
            raise ParameterError("transform needs a fitted kernel: call fit with the training objects")
        text, _, training, _ = self._fitted
        if not self._has_fisher_vectors():
            columns = self._feature_columns(threads)
            return values_of(fitted.features(text, training, self._data(X), threads_of(threads), columns)[1])
        with shown(progress) as listener:
            return fitted.fisher_vectors(text, training, self._data(X), threads_of(threads), listener)

    def get_feature_names_out(self, input_features=None):
        """Get the names of the features that :meth:`transform` computes; ``input_features`` is ignored."""
        if self._current() is None:
            raise ParameterError("the names of features need a fitted kernel: call fit with the training objects")
        text, fitted, training, _ = self._fitted
        prefix = type(self).__name__.lower()
        if self._has_fisher_vectors():
            width = fitted.fisher_vectors(text, training, training.select([0]), None, None).shape[1]
            return np.asarray([f"{prefix}{j}" for j in range(width)], dtype=object)
        names = self._feature_columns().names()
        return np.asarray(names if len(set(names)) == len(names) else [f"{prefix}{j}" for j in range(len(names))], dtype=object)

    def _feature_columns(self, threads=None):
        """The columns of the features of the training objects, found once for each fit."""
        text, fitted, training, _ = self._fitted
        known = self.__dict__.get("_known_columns")
        if known is None or known[0] is not fitted:
            known = self.__dict__["_known_columns"] = (fitted, fitted.feature_columns(text, training, threads_of(threads)))
        return known[1]

    def fit_transform(self, X, y=None, *, threads=None, progress=False):
        """``fit(X).transform(X)``."""
        return self.fit(X, y, threads=threads, progress=progress).transform(X, threads=threads)

    def features(self, X, *, threads=None):
        """Compute the explicit features of objects, whose inner products are the kernel's values.

        The columns are the features of X itself, those of a fitted kernel too: :meth:`transform` has those of the training
        objects. An unfitted kernel is fitted to X. Kernels without an explicit feature map raise
        :class:`~mercer.ParameterError`.

        Returns
        -------
        features : array or scipy.sparse array, one row per object
            An array where most features of an object are not 0, as for :class:`Fourier` and :class:`Nystrom`.
        names : list of str, one per column
        """
        fitted, data = self._ready(), self._data(X)
        if fitted is None:
            names, values = _mercer.features(self._text(), data, threads_of(threads))
        else:
            names, values = fitted.features(self._fitted[0], self._fitted[2], data, threads_of(threads))
        return values_of(values), names

    def node_columns(self, X, nodes, *, return_bound=False, threads=None, progress=False):
        """Compute columns of the Gram matrix for chosen nodes of a graph, without the rest of the matrix.

        For a single node kernel such as :class:`NodeDiffusion`, exp(-βL) is applied to the chosen nodes by sparse
        products. Memory is needed for the columns and the graph only. The similarity of two nodes depends on the whole
        graph: results are transductive.

        Parameters
        ----------
        X : graph or :class:`mercer.Nodes`
        nodes : list
            Nodes by name for a networkx graph, otherwise by index from 0.
        return_bound : bool
            Whether to return a bound on the error of each value as well.

        Returns
        -------
        columns : array (n, len(nodes))
        bound : float, if ``return_bound``

        Examples
        --------
        >>> path = ([(0, 1), (1, 2)], ["a", "b", "c"])
        >>> mercer.NodeDiffusion(beta=1.0).node_columns(path, [2]).round(3)
        array([[0.158],
               [0.317],
               [0.526]])
        """
        places, return_bound = node_places(X, nodes), flag("return_bound", return_bound)
        with shown(progress) as listener:
            columns, bound = _mercer.node_columns(self._text(), self._data(X), places, threads_of(threads), listener)
        return (columns, bound) if return_bound else columns

    def __call__(self, X, Y=None):
        """Compute ``gram(X)`` or ``cross(X, Y)``, as scikit-learn calls callable kernels."""
        return self.gram(X) if Y is None else self.cross(X, Y)

    def _on_cluster(self, client, rows, cols, store, block, threads, progress, **what):
        """A matrix computed by a cluster; an unfitted kernel is fitted to the columns."""
        if self._functions():
            raise ParameterError(f"{self!r}: a kernel with a Python function is not computed on a cluster")
        from . import cluster

        training, target = rows if cols is None else cols, None
        if self._current() is not None:
            _, _, training, target = self._fitted
        matrix = cluster.Matrix(self._text(), training, target, rows, cols, **what)
        out, warned = cluster.matrix_array(client, matrix, store=store, block=block, threads=threads, progress=progress)
        warn_data(warned if self._current() is None else [], stacklevel=4)
        return out

    def _data(self, X, new=False, training=None):
        # For a fitted kernel the columns are known, and unused ones need no warning.
        unused = "warn" if self._current() is None else "pass"
        if not self._functions():
            return as_data(X, self._kinds(), unused=unused, new=new)
        from .functions import with_functions

        return with_functions(self, X, training, lambda X: as_data(X, self._kinds(), unused=unused, new=new))

    def _has_fisher_vectors(self):
        """Whether its features are Fisher vectors."""
        return False


def on_cluster(client, store, block):
    """Whether a matrix is computed by a cluster; an error for cluster options without a client."""
    if client is None and (store is not None or block is not None):
        raise ParameterError("store and block need a cluster: client is missing")
    return client is not None


def target_of(y):
    """Convert the target for the engine: classes, or numbers if it is continuous."""
    from scipy import sparse
    from sklearn.utils.multiclass import type_of_target

    if sparse.issparse(y):
        raise DataError("y must be a list or an array, not a sparse matrix")
    from ._estimator import class_names, numbers_of, target_name

    if type_of_target(y).startswith("continuous"):
        return target_name(y), numbers_of(y)
    classes, codes = np.unique(y, return_inverse=True)
    return target_name(y), codes.astype(np.uint32), class_names(classes)


def warn_data(texts, stacklevel=3):
    for text in texts:
        warnings.warn(text, DataWarning, stacklevel=stacklevel)


def values_of(values):
    """Features as an array or a sparse array."""
    from scipy import sparse

    if not isinstance(values, tuple):
        return values
    stored, columns, offsets, dim = values
    return sparse.csr_array((stored, columns, offsets), shape=(len(offsets) - 1, dim))


def node_places(graph, nodes):
    """The indices of nodes in the order of a graph."""
    try:
        nodes = [nodes] if isinstance(nodes, (str, numbers.Integral)) else list(nodes)
    except TypeError:
        raise ParameterError(f"nodes = {nodes!r:.80}: must be a list of nodes") from None
    if hasattr(graph, "is_directed") and hasattr(graph, "nodes"):  # networkx
        places = {node: i for i, node in enumerate(graph.nodes)}
        unknown = [node for node in nodes if not isinstance(node, Hashable) or node not in places]
        if unknown:
            raise ParameterError(f"nodes = {unknown[0]!r}: must be a node of the graph")
        return [places[node] for node in nodes]
    for node in nodes:
        if isinstance(node, bool) or not isinstance(node, numbers.Integral) or node < 0:
            raise ParameterError(f"nodes = {node!r}: must be the index of a node, counted from 0")
    return [int(node) for node in nodes]
