"""Base classes of kernels: text, algebra, parameters, matrices.

The kernel classes themselves (:mod:`mercer.kernels`) are made from the native registry when the package is imported.
"""

import copy
import math
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
from ._values import flag, real

#: Maximum nesting depth of kernels: copies and pickles need several stack frames for each level.
MOST_DEEP = 100
#: Maximum number of kernels inside one kernel.
MOST_KERNELS = 10_000
#: Names of the width of a Gaussian, in place of gamma.
WIDTHS = ("sigma", "length_scale")
#: Maximum power of a kernel.
MOST_POWER = 64
#: Kernels that accept missing values.
ACCEPT_MISSING = {"forest", "impute", "zero-extend"}
#: Kernels that are fitted to the target.
TARGETS = {"forest", "fusion", "learned", "learned-dtw", "learned-window", "mkl", "relevance"}
#: The kinds of objects taken, by column name; ``None`` stands for any column.
Kinds = dict


class Kernel(_SetOutputMixin):
    """Base class of kernels.

    Kernels can be added (``a + b``), multiplied (``a * b``), scaled (``0.5 * a``) and restricted to columns
    (``k.on("age", "weight")``). ``repr`` gives Python code that evaluates to the same kernel. Kernels with the same
    ``expression``, their text in the language of the program and of model files, compare equal.

    Kernels that depend on training objects (``Standardize``, ``Center``, ``RandomWalkPower``, …) are fitted by
    ``fit(X)``; ``gram(X)`` fits an unfitted kernel to X itself. Estimators fit their kernel themselves.

    Examples
    --------
    >>> kernel = 0.5 * mercer.RBF(gamma=0.1).on("age") + mercer.Delta().on("ward")
    >>> kernel.gram({"age": [30, 40], "ward": ["a", "a"]}).round(3)
    array([[1.5, 1. ],
           [1. , 1.5]])
    """

    # Arithmetic with a NumPy number on the left is done by the kernel.
    __array_ufunc__ = None
    columns = None

    # ------------------------------------------------------------------ text

    @property
    def expression(self):
        """The kernel in the expression language."""
        return _mercer.canonical(self._text())

    def _text(self):
        self._functions()
        return self._written()

    def _functions(self):
        """The kernels computed in Python inside this one, numbered by the columns of their values, with their columns."""
        check_nesting(self)
        found, numbers = list(self._leaves(None)), {}
        for leaf, columns in found:
            key = (*leaf._identity(), None if columns is None else tuple(columns))
            leaf.__dict__["_number"] = numbers.setdefault(key, len(numbers))
        return found

    def _leaves(self, columns):
        columns = columns if self.columns is None else names_of(self.columns)
        for kernel in self._kernels():
            yield from kernel._leaves(columns)

    def _identities(self):
        """What distinguishes the functions inside, which the text does not."""
        return [(*leaf._identity(), columns) for leaf, columns in self._functions()]

    def _written(self):
        """The text, without a check of the nesting depth."""
        text = self._body()
        if self.columns is None:
            return text
        columns = ",".join(quoted(name) for name in names_of(self.columns))
        return f"({text})@[{columns}]" if isinstance(self, Combined) else f"{text}@[{columns}]"

    def _body(self):
        raise NotImplementedError

    def __repr__(self):
        check_nesting(self)
        text = self._shown()
        if self.columns is not None and isinstance(self, Combined):
            return f"({text}).on({', '.join(repr(str(c)) for c in names_of(self.columns))})"
        return text

    def _shown(self):
        raise NotImplementedError

    def _repr_html_(self):
        from html import escape

        return f"<code>{escape(repr(self))}</code>"

    def __eq__(self, other):
        if not isinstance(other, Kernel):
            return NotImplemented
        return self.expression == other.expression and self._identities() == other._identities()

    def __hash__(self):
        return hash(self.expression)

    # ------------------------------------------------------------------ algebra

    def __add__(self, other):
        other = term(other)
        return NotImplemented if other is None else Sum(self, other)

    def __radd__(self, other):
        # sum([a, b]) begins with 0.
        if isinstance(other, numbers.Integral) and not isinstance(other, bool) and other == 0:
            return self
        other = term(other)
        return NotImplemented if other is None else Sum(other, self)

    def __mul__(self, other):
        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(other, self) if isinstance(other, numbers.Real) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if not isinstance(other, numbers.Real) or isinstance(other, bool):
            return NotImplemented
        divisor = number_of("divisor", other)
        if not (math.isfinite(divisor) and divisor > 0):
            raise ParameterError(f"a kernel divided by {other}: must be a finite number above 0")
        return Scaled(1.0 / divisor, self)

    def __pow__(self, power):
        if isinstance(power, bool) or not isinstance(power, numbers.Integral):
            return NotImplemented
        if not 1 <= power <= MOST_POWER:
            raise ParameterError(f"a kernel to the power of {power}: must be a whole number from 1 to {MOST_POWER}")
        out = self
        for _ in range(power - 1):
            out = Product(out, self)
        return out

    def on(self, *columns):
        """Return a copy of the kernel that uses only these columns: names, or positions counted from 0.

        Examples
        --------
        >>> X = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 7.0]])
        >>> mercer.Linear().on(0, 1).gram(X)
        array([[1., 1.],
               [1., 5.]])
        """
        from sklearn.base import clone

        out = clone(self)
        out.columns = names_of(columns[0]) if len(columns) == 1 else [str(c) for c in columns]
        return out

    # ------------------------------------------------------------------ parameters

    def _names(self):
        raise NotImplementedError

    def get_params(self, deep=True):
        """Get the parameters by name; those of inner kernels as ``name__parameter``, in a list as ``name__0__parameter``."""
        check_nesting(self)
        out = {}
        for name in self._names():
            value = self._value(name)
            out[name] = value
            if not flag("deep", deep):
                continue
            several = isinstance(value, (list, tuple))
            parts = [(f"{name}__{i}", one) for i, one in enumerate(value)] if several else [(name, value)]
            for prefix, one in parts:
                if isinstance(one, Kernel):
                    out.update({prefix: one} if several else {})
                    out.update((f"{prefix}__{key}", inner) for key, inner in one.get_params().items())
        return out

    def set_params(self, **params):
        """Set parameters, those of inner kernels as ``name__parameter``, in a list as ``name__0__parameter``.

        A kernel whose parameters change is no longer fitted.
        """
        before = {name: self._value(name) for name in self._names()}
        try:
            for key, value in params.items():
                self._set(key, value)
            self._check()
        except ParameterError:
            for name, value in before.items():
                self._assign(name, value)
            raise
        return self

    def _set(self, key, value):
        name, _, rest = key.partition("__")
        if name in WIDTHS and not rest and isinstance(self, Registered) and self._facts["name"] == "rbf":
            return self._assign("gamma", gamma_of(name, value))
        if name not in self._names():
            known = ", ".join(self._names())
            raise ParameterError(f"{type(self).__name__} has no parameter {name!r}: it has {known}")
        if not rest:
            return self._assign(name, value)
        inner = self._value(name)
        if isinstance(inner, (list, tuple)):
            return self._set_in_list(name, list(inner), rest, value)
        if not isinstance(inner, Kernel):
            raise ParameterError(f"{name} of {type(self).__name__} is not a kernel and has no parameter {rest!r}")
        inner.set_params(**{rest: value})

    def _set_in_list(self, name, inner, key, value):
        place, _, rest = key.partition("__")
        if not place.isdigit() or int(place) >= len(inner):
            raise ParameterError(f"{name}__{place} of {type(self).__name__}: must be from {name}__0 to {name}__{len(inner) - 1}")
        if rest and isinstance(inner[int(place)], Kernel):
            inner[int(place)].set_params(**{rest: value})
        elif rest:
            raise ParameterError(f"{name}__{place} of {type(self).__name__} is not a kernel and has no parameter {rest!r}")
        else:
            inner[int(place)] = value
            self._assign(name, inner)

    def _value(self, name):
        """The value of a parameter."""
        return getattr(self, name)

    def _assign(self, name, value):
        setattr(self, name, value)

    def _check(self):
        """Raise an error for values outside their domain."""

    # ------------------------------------------------------------------ copies

    def __getstate__(self):
        check_nesting(self)
        state = dict(self.__dict__)
        state.pop("_fitted", None)
        state.pop("_number", None)
        state.pop("_known_columns", None)
        if self._current() is not None:
            text, fitted, training, target = self._fitted
            steps, objects = bytes(fitted.to_bytes()), bytes(training.to_bytes())
            state["_fit"] = {"text": text, "steps": steps, "training": objects, "target": target}
        return state

    def __setstate__(self, state):
        state = dict(state)
        fit = state.pop("_fit", None)
        for name, value in state.items():
            self._assign(name, value)
        if fit is not None:
            training = _mercer.Data.from_bytes(fit["training"])
            fitted = _mercer.restore_kernel(fit["text"], training, fit["steps"])
            self._fitted = (fit["text"], fitted, training, fit["target"])
            if "_fitted_functions" in state:
                self.__dict__["_fitted_functions"] = (state["_fitted_functions"][0], self._identities())

    def __copy__(self):
        out = object.__new__(type(self))
        out.__dict__.update(self.__dict__)
        return out

    def __deepcopy__(self, memo):
        check_nesting(self)
        out = memo[id(self)] = object.__new__(type(self))
        # The fitted state is immutable, so copies share it.
        shared = {name: value for name, value in self.__dict__.items() if name in ("_fitted", "_known_columns")}
        out.__dict__.update(shared)
        out.__dict__.update((name, copy.deepcopy(value, memo)) for name, value in self.__dict__.items() if name not in shared)
        if "_fitted_functions" in self.__dict__ and self._current() is not None:
            out.__dict__["_fitted_functions"] = (self._fitted_functions[0], out._identities())
        return out

    # ------------------------------------------------------------------ as a transformer

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        needs = self._needs_target()
        inputs = InputTags(sparse=True, string=True, categorical=True, allow_nan=self._accepts_missing())
        return Tags(estimator_type=None, target_tags=TargetTags(required=needs), transformer_tags=TransformerTags(), input_tags=inputs)

    def __sklearn_is_fitted__(self):
        return self._current() is not None

    def _needs_target(self):
        """Whether it must be fitted to a target."""
        try:
            self._with_target()
        except ParameterError:
            return True
        return False

    # ------------------------------------------------------------------ matrices

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
        if not isinstance(self, Registered) or self._facts["name"] != "similarity":
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
        if isinstance(self, Registered) and self._facts["name"] == "similarity":
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

    def _kinds(self):
        """The kinds of objects taken, by column."""
        check_nesting(self)
        out = {}
        for columns, kinds in self._looks(None):
            for name in columns or [None]:
                out.setdefault(name, set()).update(kinds)
        return out

    def _looks(self, columns):
        raise NotImplementedError

    def _accepts_missing(self):
        """Whether it accepts missing values."""
        return any(kernel._accepts_missing() for kernel in self._kernels())

    def _kernels(self):
        """The inner kernels, one level deep."""
        return [v for v in (self._value(name) for name in self._names()) if isinstance(v, Kernel)]


class Combined(Kernel):
    """Kernels joined by an operator."""

    def _looks(self, columns):
        columns = names_of(self.columns) if self.columns is not None else columns
        for kernel in self._kernels():
            yield from kernel._looks(columns)


class Sum(Combined):
    """k(x, y) = left(x, y) + right(x, y).

    Parameters
    ----------
    left : Kernel
        The first term.
    right : Kernel
        The second term.
    columns : str, int or list, optional
        The columns to use: names, or positions counted from 0.

    Examples
    --------
    >>> mercer.Linear() + mercer.RBF()
    Linear() + RBF(gamma=1.0)
    >>> mercer.Sum(mercer.Linear(), mercer.RBF()).gram([[1.0], [2.0]]).round(2)
    array([[2.  , 2.37],
           [2.37, 5.  ]])
    """

    def __init__(self, left, right, *, columns=None):
        self.left, self.right, self.columns = left, right, columns
        self._check()

    def _names(self):
        return ["left", "right", "columns"]

    def _check(self):
        check_kernels(self, self.left, self.right)

    def _body(self):
        return f"{self.left._written()} + {self.right._written()}"

    def _shown(self):
        return f"{self.left!r} + {self.right!r}"


class Product(Combined):
    """k(x, y) = left(x, y) · right(x, y).

    Parameters
    ----------
    left : Kernel
        The first factor.
    right : Kernel
        The second factor.
    columns : str, int or list, optional
        The columns to use: names, or positions counted from 0.

    Examples
    --------
    >>> mercer.Product(mercer.Linear(), mercer.RBF()) == mercer.Linear() * mercer.RBF()
    True
    """

    def __init__(self, left, right, *, columns=None):
        self.left, self.right, self.columns = left, right, columns
        self._check()

    def _names(self):
        return ["left", "right", "columns"]

    def _check(self):
        check_kernels(self, self.left, self.right)

    def _body(self):
        return " * ".join(f"({k._written()})" if isinstance(k, Combined) else k._written() for k in (self.left, self.right))

    def _shown(self):
        def factor(kernel, first):
            grouped = isinstance(kernel, Combined) and kernel.columns is None
            keeps = first and isinstance(kernel, (Product, Scaled))
            return f"({kernel!r})" if grouped and not keeps else repr(kernel)

        return f"{factor(self.left, True)} * {factor(self.right, False)}"


class Scaled(Combined):
    """k(x, y) = factor · kernel(x, y), factor > 0.

    Parameters
    ----------
    factor : float
        A finite number above 0.
    kernel : Kernel
        The kernel that is scaled.
    columns : str, int or list, optional
        The columns to use: names, or positions counted from 0.

    Examples
    --------
    >>> mercer.Scaled(0.5, mercer.Linear()).gram([[1.0], [2.0]])
    array([[0.5, 1. ],
           [1. , 2. ]])
    """

    def __init__(self, factor, kernel, *, columns=None):
        self.factor, self.kernel, self.columns = factor, kernel, columns
        self._check()

    def _names(self):
        return ["factor", "kernel", "columns"]

    def _check(self):
        check_kernels(self, self.kernel)
        factor = number_of("factor", self.factor)
        if not (math.isfinite(factor) and factor > 0):
            raise ParameterError(f"factor = {self.factor}: must be a finite number above 0")

    def _body(self):
        inner = self.kernel._written()
        return f"{number_of('factor', self.factor)!r}*{f'({inner})' if isinstance(self.kernel, Combined) else inner}"

    def _shown(self):
        grouped = isinstance(self.kernel, Combined) and self.kernel.columns is None
        inner = f"({self.kernel!r})" if grouped else repr(self.kernel)
        return f"{plain(self.factor)!r} * {inner}"


class Registered(Kernel):
    """Base class of the kernels and wrappers of the registry, which :mod:`mercer.kernels` makes."""

    #: The registry entry, set in subclasses.
    _facts = None
    #: Python names of the inner kernels, and of the parameters with their registry entries.
    _inner = ()
    _parameters = ()
    #: Whether the first argument may be a list of kernels.
    _several = False
    #: Parameters that have the name of a method.
    _clashing = frozenset()

    def _value(self, name):
        return self.__dict__[f"{name}_"] if name in self._clashing else getattr(self, name)

    def _assign(self, name, value):
        self.__dict__[f"{name}_" if name in self._clashing else name] = value

    def _names(self):
        return [*self._inner, *(name for name, _ in self._parameters), "columns"]

    def _with_target(self):
        needs = self._facts["name"] in TARGETS and self.__dict__.get("mode") != "unsupervised"
        if needs or self.__dict__.get("through") == "support":
            raise ParameterError(f"{type(self).__name__} is fitted to the target: call fit(X, y) first")
        super()._with_target()

    def _accepts_missing(self):
        fills = self.__dict__.get("missing", "refuse") != "refuse"
        return fills or self._facts["name"] in ACCEPT_MISSING or super()._accepts_missing()

    def _kernels(self):
        out = []
        for name in self._inner:
            value = self._value(name)
            out += list(value) if self._several and isinstance(value, (list, tuple)) else [value]
        return out

    def _check(self):
        check_kernels(self, *self._kernels())
        if self._inner and not self._kernels():
            raise ParameterError(f"{type(self).__name__} needs at least one kernel or distance")
        for name, facts in self._parameters:
            value = self._value(name)
            if is_word(facts, value):
                word_of(facts, value)
            else:
                _mercer.check_parameter(self._facts["name"], facts["name"], number_of(name, value))

    def _body(self):
        parts = [kernel._written() for kernel in self._kernels()]
        for name, facts in self._parameters:
            value = self._value(name)
            if is_word(facts, value):
                text = word_of(facts, value)
            elif facts["type"] == "whole":
                text = str(int(value))
            else:
                text = repr(number_of(name, value))
            parts.append(f"{facts['name']}={text}")
        return self._facts["name"] + (f"({', '.join(parts)})" if parts else "")

    def _shown(self):
        parts = [repr(self._value(name)) for name in self._inner]
        parts += [f"{name}={plain(self._value(name))!r}" for name, _ in self._parameters]
        if self.columns is not None:
            parts.append(f"columns={[str(c) for c in names_of(self.columns)]!r}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def _looks(self, columns):
        columns = names_of(self.columns) if self.columns is not None else columns
        kinds = self._facts["kinds"]
        if kinds:
            parts = self.__dict__.get("parts")
            if parts is not None and self._inner:
                kinds = ["numbers"] if parts == "columns" else ["strings", "text"]
            yield columns, set(kinds)
            if self._inner and kinds == ["nodes"]:
                # The kernel inside compares the other columns, which are attributes of the nodes.
                for kernel in self._kernels():
                    yield from kernel._looks(None)
        else:
            for kernel in self._kernels():
                yield from kernel._looks(columns)


class Method:
    """A method of kernels that shares its name with a parameter."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def __get__(self, instance, owner=None):
        return self.function.__get__(instance, owner)

    def __set__(self, instance, value):
        raise ParameterError(f"{self.name} is a method: use set_params({self.name}={value!r}) to set the parameter")


def on_cluster(client, store, block):
    """Whether a matrix is computed by a cluster; an error for cluster options without a client."""
    if client is None and (store is not None or block is not None):
        raise ParameterError("store and block need a cluster: client is missing")
    return client is not None


def names_of(columns):
    """The names of columns, as a list of str."""
    if isinstance(columns, (str, numbers.Number)):
        return [str(columns)]
    try:
        return [str(c) for c in columns]
    except TypeError:
        raise ParameterError(f"columns = {columns!r:.80}: must be a column name or a list of column names") from None


def quoted(name):
    return '"' + str(name).replace('"', '""') + '"'


def plain(value):
    """A NumPy number as a Python number, so that ``repr`` can be evaluated."""
    return value.item() if isinstance(value, np.generic) else value


def gamma_of(name, width):
    """The gamma of a Gaussian with this standard deviation."""
    width = real(name, width)
    if not (math.isfinite(width) and width > 0):
        raise ParameterError(f"{name} = {width}: must be a finite number above 0")
    return 1.0 / (2.0 * width * width)


def number_of(name, value):
    return real(name, value)


def is_word(facts, value):
    """Whether a value is a word: for parameters that are words, and for numbers that accept some, such as "scale"."""
    return facts["type"] == "word" or ("words" in facts and isinstance(value, str))


def word_of(facts, value):
    """Check a word; True and False stand for yes and no."""
    words = facts["words"]
    if isinstance(value, (bool, np.bool_)) and set(words) == {"no", "yes"}:
        return "yes" if value else "no"
    if isinstance(value, str) and value in words:
        return value
    raise ParameterError(f"{facts['name']} = {value!r}: must be {facts['domain']}")


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


def check_kernels(owner, *kernels):
    for kernel in kernels:
        if not isinstance(kernel, Kernel):
            raise ParameterError(f"{type(owner).__name__} takes kernels, not {type(kernel).__name__}")
    check_nesting(owner)


def check_nesting(kernel):
    """Raise an error for kernels nested too deeply, or with too many inner kernels, to be written, copied or pickled.

    Kernels may share parts, so that few objects can stand for many kernels, and a modified kernel may contain itself.
    """
    sizes, path = {}, [(kernel, iter(inside(kernel)))]
    while path:
        if len(path) > MOST_DEEP:
            raise ParameterError(
                f"kernels nested more than {MOST_DEEP} deep: mercer.kernel('a + b + …') makes a flat sum of many kernels"
            )
        current, rest = path[-1]
        following = next((k for k in rest if id(k) not in sizes), None)
        if following is not None:
            path.append((following, iter(inside(following))))
            continue
        path.pop()
        size, depth = 1, 1
        for part in inside(current):
            # A kernel that contains itself is detected by the depth of the path.
            more, below = sizes.get(id(part), (1, 0))
            size, depth = size + more, max(depth, below + 1)
        if size > MOST_KERNELS:
            raise ParameterError(f"more than {MOST_KERNELS} kernels in one kernel")
        if depth > MOST_DEEP:
            raise ParameterError(
                f"kernels nested more than {MOST_DEEP} deep: mercer.kernel('a + b + …') makes a flat sum of many kernels"
            )
        sizes[id(current)] = (size, depth)


def inside(kernel):
    """The inner kernels, without values that are not kernels."""
    return [k for k in kernel._kernels() if isinstance(k, Kernel)]


def term(value):
    """A kernel, or a positive number as a constant kernel."""
    if isinstance(value, Kernel):
        return value
    if isinstance(value, numbers.Real):
        from .kernels import AllOnes

        return Scaled(value, AllOnes())
    return None


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
