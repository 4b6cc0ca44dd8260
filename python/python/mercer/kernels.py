"""Every kernel of the registry as a class, made when the package is imported.

A kernel that is added to the native registry needs no further code here: the class has its name in camel case (or as
listed in ``NAMES``), its parameters as arguments, and its registry entry as documentation.
"""

import inspect
import keyword

from . import _mercer
from ._errors import ParameterError
from ._kernel import Combined, Kernel, Product, Scaled, Sum
from ._registered import WIDTHS, Method, Registered, gamma_of

#: Class names that differ from camel case.
NAMES = {
    "chi2": "ChiSquared",
    "derivative-dtw": "DerivativeDTW",
    "diffusion": "CategoricalDiffusion",
    "dtw": "DTW",
    "ecfp": "ECFP",
    "erp": "ERP",
    "fcfp": "FCFP",
    "gak": "GlobalAlignment",
    "gapped-kmer": "GappyKmer",
    "hypercube": "HypercubeDiffusion",
    "kdtw": "KDTW",
    "lcss": "LCSS",
    "learned-dtw": "LearnedDTW",
    "minmax": "MinMax",
    "msm": "MSM",
    "ones": "AllOnes",
    "p-step": "PStepWalk",
    "rbf": "RBF",
    "rbf-of": "RBFOf",
    "soft-dtw": "SoftDTW",
    "twe": "TWE",
    "walk": "RandomWalkPower",
    "weighted-dtw": "WeightedDTW",
    "wl": "WeisfeilerLehman",
    "wl-oa": "WeisfeilerLehmanOptimalAssignment",
    "wwl": "WassersteinWL",
    "znormalize": "ZNormalize",
}
#: Argument names of the inner kernels of wrappers.
INNER = {"walk": ["base"], "von-neumann": ["base"], "similarity": ["distances"], "mkl": ["kernels"]}


def class_name(name):
    """The class name of a kernel."""
    return NAMES.get(name) or "".join(part.capitalize() for part in name.split("-"))


def argument_name(name):
    """The argument name of a parameter: Python keywords such as ``lambda`` get an underscore."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def inner_names(facts):
    arity = facts["arity"]
    return INNER.get(facts["name"]) or (["kernel"] if arity == 1 else [f"kernel{i}" for i in range(1, arity + 1)])


def documentation(facts, parameters, inner):
    """A docstring from the registry entry."""
    meaning = facts["formula"] if facts["distance"] else f"k(x, y) = {facts['formula']}"
    lines = [facts["summary"], "", f"    {meaning}", ""]
    if facts["distance"]:
        lines += ["``pairwise`` computes the distances. As a kernel it is -d(x, y)²/2, whose distance in feature space is d.", ""]
    takes = facts["takes"]
    lines += [f"Takes {takes}. {facts['definiteness'].capitalize()}. Cost: {facts['cost']}.", ""]
    lines += ["Parameters", "----------"]
    for name in inner:
        several = facts["several"]
        lines += [f"{name} : {'list of Kernel, or one' if several else 'Kernel'}"]
        lines += ["    The inner kernels or distances." if several else "    The inner kernel."]
    for name, p in parameters:
        words = "{" + ", ".join(repr(word) for word in p.get("words", ())) + "}"
        kind = {"word": words, "whole": "int", "number": f"float or {words}" if "words" in p else "float"}[p["type"]]
        lines += [f"{name} : {kind}, default {p['default']!r}", f"    {p['doc'][:1].upper()}{p['doc'][1:]}: {p['domain']}."]
    if facts["name"] == "rbf":
        lines += ["sigma : float, optional", "    The standard deviation, in place of gamma = 1 / (2 sigma²); ``length_scale`` is another name of it."]
    lines += ["columns : str or list of str, optional", "    The columns to use; by default all columns of a suitable kind.", ""]
    if facts["reference"]:
        lines += ["References", "----------", facts["reference"], ""]
    return "\n".join(lines)


def example(facts):
    """The example of the registry for the docstring; needs all classes to exist."""
    text = facts["example"]
    try:
        return f"\nExamples\n--------\n>>> mercer.kernel({text!r})\n{kernel(text)!r}\n"
    except ParameterError:
        # An expression with a parameter range is not a kernel.
        return f"\nIn expressions: {text}\n"


def with_gamma(args, kwargs):
    """Arguments of a Gaussian with gamma in place of its width."""
    names = [name for name in WIDTHS if name in kwargs]
    if not names:
        return kwargs
    if len(names) > 1 or args or "gamma" in kwargs:
        raise ParameterError("RBF takes one of gamma and sigma: gamma = 1 / (2 sigma²)")
    rest = {name: value for name, value in kwargs.items() if name not in WIDTHS}
    return rest | {"gamma": gamma_of(names[0], kwargs[names[0]])}


def make(facts):
    """Make the class of a registry entry."""
    inner = inner_names(facts) if facts["arity"] else []
    parameters = [(argument_name(p["name"]), p) for p in facts["parameters"]]
    either, only = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    arguments = [inspect.Parameter("self", either)]
    arguments += [inspect.Parameter(name, either) for name in inner]
    arguments += [inspect.Parameter(name, either, default=p["default"]) for name, p in parameters]
    arguments += [inspect.Parameter("columns", only, default=None)]
    signature = inspect.Signature(arguments)

    def __init__(self, *args, **kwargs):
        if facts["name"] == "rbf":
            kwargs = with_gamma(args, kwargs)
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        values = dict(bound.arguments)
        values.pop("self")
        for name, value in values.items():
            self._assign(name, value)
        self._check()

    __init__.__signature__ = signature
    name = class_name(facts["name"])
    body = {
        "__init__": __init__,
        "__doc__": documentation(facts, parameters, inner),
        "__module__": __name__,
        "__qualname__": name,
        "_facts": facts,
        "_inner": tuple(inner),
        "_several": facts["several"],
        "_parameters": tuple(parameters),
    }
    # A parameter may have the name of a method: the attribute is then the method; get_params returns the parameter.
    clashing = [n for n in (*inner, *(n for n, _ in parameters)) if hasattr(Registered, n)]
    body.update((n, Method(n, getattr(Registered, n))) for n in clashing)
    body["_clashing"] = frozenset(clashing)
    return type(name, (Registered,), body)


#: Kernel classes by their name in expressions.
CLASSES = {}
for _facts in _mercer.kernels():
    _class = make(_facts)
    CLASSES[_facts["name"]] = _class
    globals()[_class.__name__] = _class


def kernel(text):
    """Parse a kernel in the expression language; kernel objects are returned unchanged.

    Parameters
    ----------
    text : str or Kernel
        The text of a kernel.

    Returns
    -------
    Kernel

    Examples
    --------
    >>> mercer.kernel("0.5*rbf(gamma=0.1)@age + delta@sex")
    0.5 * RBF(gamma=0.1, columns=['age']) + Delta(columns=['sex'])
    """
    if isinstance(text, Kernel):
        return text
    if not isinstance(text, str):
        raise ParameterError(f"expected a kernel or its text, got {type(text).__name__}")
    try:
        return _build(_mercer.parse(text))
    except ParameterError as error:
        program = "mercer kernels lists them all"
        if program not in str(error):
            raise
        raise ParameterError(str(error).replace(program, "mercer.kernels.CLASSES has them all")) from None


def _joined(join, parts):
    """Add or multiply kernels one by one, or by halves if they are so many that they would be nested too deeply."""
    if len(parts) > 64:
        middle = len(parts) // 2
        return join(_joined(join, parts[:middle]), _joined(join, parts[middle:]))
    out = parts[0]
    for part in parts[1:]:
        out = join(out, part)
    return out


def _build(tree):
    what, *rest = tree
    if what in ("sum", "product"):
        join = Sum if what == "sum" else Product
        return _joined(join, [_build(part) for part in rest[0]])
    if what == "scale":
        return Scaled(rest[0], _build(rest[1]))
    if what == "group":
        out = _build(rest[0])
        if not isinstance(out, Combined):
            return out.on(*rest[1])
        out.columns = list(rest[1])
        return out
    name, inner, settings, columns = rest
    made = CLASSES[name]
    inside = [_build(one) for one in inner]
    values = {made._inner[0]: inside} if made._several else dict(zip(made._inner, inside))
    for argument, facts in made._parameters:
        value = settings[facts["name"]]
        values[argument] = int(value) if facts["type"] == "whole" else value
    return made(**values, columns=columns)


for _class in CLASSES.values():
    _class.__doc__ += example(_class._facts)
del _class, _facts

__all__ = sorted(["Kernel", "Product", "Scaled", "Sum", "kernel", *(c.__name__ for c in CLASSES.values())])
