"""Principal components in the feature space of a kernel, with scikit-learn's parameters and attributes."""

import numbers

import numpy as np
from scipy import linalg, sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_array, check_is_fitted

from ._documented import documented
from ._errors import DataError, NotPositiveDefinite, ParameterError
from ._estimator import Estimator
from ._kernel import Kernel
from ._values import flag, is_one_of, real

__all__ = ["KernelPCA"]

SOLVERS = ("auto", "dense", "arpack", "randomized")


@documented
class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Kernel principal component analysis.

    Parameters
    ----------
    n_components : int, optional
        Number of components; by default all with variance above 0. Components without variance are 0, or removed by
        ``remove_zero_eig``.
    kernel : Kernel, str or callable of two objects, default "linear"
        A kernel of mercer, its text in the expression language, "precomputed", a callable of two objects, or one of
        scikit-learn's names, which use ``gamma``, ``degree`` and ``coef0``.
    gamma : float, optional
        Parameter of kernels given by name; 1 / n_features by default.
    <degree>
    coef0 : float, default 1.0
        Constant of the kernels "poly" and "sigmoid".
    kernel_params : dict, optional
        Arguments of a callable kernel.
    alpha : float, default 1.0
        Regularisation of the ridge regression of ``fit_inverse_transform``.
    fit_inverse_transform : bool, default False
        Whether to fit :meth:`inverse_transform` as well, by ridge regression with ``alpha``.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default "auto"
        Accepted for compatibility with scikit-learn: all components are computed exactly.
    tol : float, default 0
        Accepted for compatibility with scikit-learn: all components are computed exactly.
    max_iter : int, optional
        Accepted for compatibility with scikit-learn, as ``tol``.
    iterated_power : int or "auto", default "auto"
        Accepted for compatibility with scikit-learn, as ``tol``.
    remove_zero_eig : bool, default False
        Whether components without variance are removed.
    random_state : int or RandomState, optional
        Accepted for compatibility with scikit-learn, as ``tol``.
    copy_X : bool, default True
        Accepted for compatibility with scikit-learn: training objects are copied.
    n_jobs : int, optional
        Accepted for compatibility with scikit-learn; ``threads`` is the number of threads.
    <threads> <progress>

    Attributes
    ----------
    eigenvalues_, eigenvectors_, gamma_, X_fit_, dual_coef_, X_transformed_fit_
        As in scikit-learn.
    explained_variance_, explained_variance_ratio_
        The variance of each component, eigenvalues_ / n, and its share of the total variance.

    Examples
    --------
    >>> X, y = mercer.datasets.make_rings(90, noise=0.05)
    >>> fitted = mercer.KernelPCA(2, kernel=mercer.RBF(gamma=1.0), fit_inverse_transform=True).fit(X)
    >>> fitted.transform(X).shape, fitted.inverse_transform(fitted.transform(X)).shape, fitted.get_feature_names_out().tolist()
    ((90, 2), (90, 2), ['kernelpca0', 'kernelpca1'])
    """

    _learner = "pca"
    _default_gamma = "auto"
    _function_of_pairs = True

    def __init__(
        self,
        n_components=None,
        *,
        kernel="linear",
        gamma=None,
        degree=3,
        coef0=1.0,
        kernel_params=None,
        alpha=1.0,
        fit_inverse_transform=False,
        eigen_solver="auto",
        tol=0,
        max_iter=None,
        iterated_power="auto",
        remove_zero_eig=False,
        random_state=None,
        copy_X=True,
        n_jobs=None,
        threads=None,
        progress=False,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.threads = threads
        self.progress = progress

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.sparse and not is_one_of(self.fit_inverse_transform, (True,))
        return tags

    def _settings(self):
        most = getattr(self, "_objects_seen", None)
        given = self.n_components
        if given is None:
            return {"components": most}
        return {"components": min(given, most) if most and isinstance(given, numbers.Integral) else given}

    def fit(self, X, y=None):
        """Fit the components; y is ignored."""
        if not is_one_of(self.eigen_solver, SOLVERS):
            raise ParameterError(f"eigen_solver = {self.eigen_solver!r}: must be one of {', '.join(SOLVERS)}")
        if flag("fit_inverse_transform", self.fit_inverse_transform) and self._is_precomputed():
            raise ParameterError("Cannot fit_inverse_transform with a precomputed kernel.")
        try:
            return self._fit(X)
        except NotPositiveDefinite as fault:
            count = "all" if self.n_components is None else self.n_components
            text = f"There are significant negative eigenvalues among the {count} components: {fault}"
            raised = NotPositiveDefinite(text)
            raised.__dict__.update(fault.__dict__)
            raise raised from None

    def _enough(self, n):
        if n < 2:
            raise DataError(f"KernelPCA needs at least two objects, and there is {n} sample")
        self._objects_seen = n

    def _relevant_warnings(self, lines):
        # With n_components=None, fewer components than objects are expected.
        return [line for line in lines if self.n_components is not None or "W_COMPONENTS" not in line]

    def _attributes(self, fitted):
        n = self._model.objects() or getattr(self, "_objects_seen", 1)
        self.explained_variance_, self.explained_variance_ratio_ = fitted["variances"], fitted["explained"]
        self.eigenvalues_ = n * self.explained_variance_
        self._found = len(self.eigenvalues_)
        # With explicit features the coordinates of the training objects are not stored: transform computes them.
        if "coordinates" in fitted:
            self.embedding_ = fitted["coordinates"]
            self.eigenvectors_ = self.embedding_ / np.sqrt(self.eigenvalues_)
        else:
            self.__dict__.pop("embedding_", None)

    def _remember(self, X, target, weights):
        if not hasattr(self, "embedding_"):
            self.embedding_ = self._predict_native(X)["decisions"]
        # Requested components without variance are all 0.
        requested = self._settings()["components"]
        missing = 0 if self.n_components is None or flag("remove_zero_eig", self.remove_zero_eig) else max(requested - self._found, 0)
        padding = np.zeros(missing)
        self.eigenvectors_ = self._padded(self.embedding_ / np.sqrt(self.eigenvalues_), missing)
        self.embedding_ = self._padded(self.embedding_, missing)
        self.eigenvalues_ = np.concatenate([self.eigenvalues_, padding])
        self.explained_variance_ = np.concatenate([self.explained_variance_, padding])
        self.explained_variance_ratio_ = np.concatenate([self.explained_variance_ratio_, padding])
        if isinstance(X, np.ndarray) or sparse.issparse(X):
            self.X_fit_ = X
            self.gamma_ = getattr(self.kernel_, "gamma", 1.0 / X.shape[1] if self.gamma is None else self.gamma)
        if self.fit_inverse_transform:
            self._fit_inverse(X)

    def _padded(self, coordinates, missing):
        return np.hstack([coordinates, np.zeros((len(coordinates), missing))]) if missing else coordinates

    def _fit_inverse(self, X):
        """Fit the map from coordinates to objects by ridge regression with the same kernel."""
        if sparse.issparse(X):
            raise DataError("Inverse transform not implemented for sparse matrices!")
        K = self._compared(self.embedding_, self.embedding_)
        K.flat[:: len(K) + 1] += real("alpha", self.alpha)
        self.dual_coef_ = linalg.solve(K, X, assume_a="pos", overwrite_a=True)
        self.X_transformed_fit_ = self.embedding_

    def _compared(self, rows, columns):
        """The kernel matrix of coordinates."""
        if self._is_function():
            from sklearn.metrics.pairwise import pairwise_kernels

            return pairwise_kernels(rows, columns, metric=self.kernel, **(self.kernel_params or {}))
        if callable(self.kernel_) and not isinstance(self.kernel_, Kernel):
            raise ParameterError("kernel was a callable when the model was fitted: fit again")
        rows, columns = np.ascontiguousarray(rows), np.ascontiguousarray(columns)
        return np.array(self.kernel_.gram(rows) if rows is columns else self.kernel_.cross(rows, columns))

    @property
    def _n_features_out(self):
        return len(self.eigenvalues_)

    def transform(self, X):
        """Compute the coordinates of objects."""
        coordinates = self._predict_native(X)["decisions"]
        return self._padded(coordinates, len(self.eigenvalues_) - coordinates.shape[1])

    def fit_transform(self, X, y=None):
        """Fit the components and return the coordinates of the training objects."""
        return self.fit(X).embedding_

    def inverse_transform(self, X):
        """Compute objects that have approximately these coordinates."""
        check_is_fitted(self)
        if not self.fit_inverse_transform or not hasattr(self, "dual_coef_"):
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse transform is not "
                "available."
            )
        return self._compared(check_array(X, dtype=np.float64), self.X_transformed_fit_) @ self.dual_coef_
