"""Kernels of the registry: their parameters and text, from the entry's facts."""

import math

import numpy as np

from . import _mercer
from ._errors import ParameterError
from ._kernel import Kernel, check_kernels, names_of, number_of, plain
from ._values import real

#: Kernels that are fitted to the target.
TARGETS = {"forest", "fusion", "learned", "learned-dtw", "learned-window", "mkl", "relevance"}
#: Kernels that accept missing values.
ACCEPT_MISSING = {"forest", "impute", "zero-extend"}
#: Names of the width of a Gaussian, in place of gamma.
WIDTHS = ("sigma", "length_scale")


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

    def _set(self, key, value):
        if key in WIDTHS and self._facts["name"] == "rbf":
            return self._assign("gamma", gamma_of(key, value))
        return super()._set(key, value)

    def _has_fisher_vectors(self):
        return self._facts["name"] == "similarity"

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


def gamma_of(name, width):
    """The gamma of a Gaussian with this standard deviation."""
    width = real(name, width)
    if not (math.isfinite(width) and width > 0):
        raise ParameterError(f"{name} = {width}: must be a finite number above 0")
    return 1.0 / (2.0 * width * width)


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
