"""Kernels on graphs with the interface of GraKeL: the parameters have its names, and ``fit_transform`` computes the Gram matrix.

Code written for GraKeL works after a change of the import::

    from mercer.grakel import WeisfeilerLehman          # in place of grakel.kernels

    K = WeisfeilerLehman(n_iter=5, normalize=True).fit_transform(train)
    K_test = kernel.transform(test)                     # rows: test graphs, columns: training graphs

>>> from mercer.grakel import ShortestPath
>>> triangle = ({(0, 1), (1, 2), (2, 0)}, {0: "a", 1: "a", 2: "b"})
>>> path = ({(0, 1), (1, 2)}, {0: "a", 1: "b", 2: "a"})
>>> ShortestPath(normalize=True).fit_transform([triangle, path]).shape
(2, 2)
"""

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import kernels
from ._data import Objects
from ._errors import ParameterError
from ._graphs import Graphs

__all__ = ["EdgeHistogram", "ShortestPath", "VertexHistogram", "WeisfeilerLehman", "WeisfeilerLehmanOptimalAssignment"]


class GraphKernel(TransformerMixin, BaseEstimator):
    """Base class: ``fit``, ``transform`` (new × training graphs), ``fit_transform`` (Gram matrix) and ``diagonal``."""

    def _kernel(self):
        raise NotImplementedError

    def fit(self, X, y=None):
        """Fit the kernel to training graphs; y is ignored."""
        kernel = self._kernel()
        self.kernel_ = kernels.Normalize(kernel) if self.normalize else kernel
        self.graphs_ = self._graphs(X)
        self.kernel_.fit(self.graphs_, threads=self.n_jobs)
        return self

    def transform(self, X):
        """Compute the matrix of new graphs (rows) and training graphs (columns)."""
        check_is_fitted(self, "graphs_")
        self.X_ = self._graphs(X)
        return self.kernel_.cross(self.X_, self.graphs_, threads=self.n_jobs)

    def fit_transform(self, X, y=None):
        """Fit the kernel and compute the Gram matrix of the training graphs."""
        self.fit(X)
        return self.kernel_.gram(self.graphs_, threads=self.n_jobs)

    def diagonal(self):
        """Compute k(x, x) of the training graphs, and of those of the last ``transform`` if there was one."""
        check_is_fitted(self, "graphs_")
        own = self.kernel_.diagonal(self.graphs_)
        return (own, self.kernel_.diagonal(self.X_)) if hasattr(self, "X_") else own

    @staticmethod
    def _graphs(X):
        return X if isinstance(X, Objects) else Graphs(list(X))


class WeisfeilerLehman(GraphKernel):
    """Weisfeiler–Lehman subtree kernel.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).
    n_iter : int, default 5
        Number of relabellings.

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> WeisfeilerLehman(n_iter=3, normalize=True).fit(graphs[:20]).transform(graphs[20:24]).shape
    (4, 20)
    """

    def __init__(self, n_jobs=None, *, normalize=False, n_iter=5):
        self.n_jobs = n_jobs
        self.normalize = normalize
        self.n_iter = n_iter

    def _kernel(self):
        return kernels.WeisfeilerLehman(h=self.n_iter, ignore="others")


class WeisfeilerLehmanOptimalAssignment(WeisfeilerLehman):
    """Weisfeiler–Lehman optimal assignment kernel, with the parameters of :class:`WeisfeilerLehman`.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).
    n_iter : int, default 5
        Number of relabellings.

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> WeisfeilerLehmanOptimalAssignment(n_iter=3).fit_transform(graphs[:20]).shape
    (20, 20)
    """

    def _kernel(self):
        return kernels.WeisfeilerLehmanOptimalAssignment(h=self.n_iter, ignore="others")


class ShortestPath(GraphKernel):
    """Shortest-path kernel on graphs with labelled nodes.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).
    with_labels : bool, default True
        Must be True: without labels, give all nodes the same one.

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> ShortestPath().fit_transform(graphs[:20]).shape
    (20, 20)
    """

    def __init__(self, n_jobs=None, *, normalize=False, with_labels=True):
        self.n_jobs = n_jobs
        self.normalize = normalize
        self.with_labels = with_labels

    def _kernel(self):
        if self.with_labels is not True:
            raise ParameterError(f"with_labels = {self.with_labels!r}: give all nodes the same label in place of with_labels=False")
        return kernels.ShortestPath(ignore="others")


class VertexHistogram(GraphKernel):
    """Counts of equal node labels.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> VertexHistogram().fit_transform(graphs[:2])
    array([[201., 132.],
           [132.,  89.]])
    """

    def __init__(self, n_jobs=None, *, normalize=False):
        self.n_jobs = n_jobs
        self.normalize = normalize

    def _kernel(self):
        return kernels.VertexHistogram(ignore="others")


class EdgeHistogram(VertexHistogram):
    """Counts of equal edge labels, with the parameters of :class:`VertexHistogram`.

    Parameters
    ----------
    n_jobs : int, optional
        Number of threads; all cores by default.
    normalize : bool, default False
        Whether to divide by √(k(x, x)·k(y, y)).

    Examples
    --------
    >>> graphs, _ = mercer.datasets.load_mutag()
    >>> EdgeHistogram().fit_transform(graphs[:2])
    array([[261., 181.],
           [181., 126.]])
    """

    def _kernel(self):
        return kernels.EdgeHistogram(ignore="others")
