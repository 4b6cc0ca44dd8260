"""Base classes of kernels: text, algebra, parameters, copies. What they compute of objects is in :mod:`mercer._computed`.

The kernel classes themselves (:mod:`mercer.kernels`) are made from the native registry when the package is imported.
"""

import copy
import math
import numbers

import numpy as np

from . import _mercer
from ._computed import Computed
from ._errors import ParameterError
from ._values import flag, real

#: Maximum nesting depth of kernels: copies and pickles need several stack frames for each level.
MOST_DEEP = 100
#: Maximum number of kernels inside one kernel.
MOST_KERNELS = 10_000
#: Maximum power of a kernel.
MOST_POWER = 64


class Kernel(Computed):
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

    # ------------------------------------------------------------------ columns

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


def number_of(name, value):
    return real(name, value)


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
