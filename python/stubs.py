"""Write the type stubs: kernels.pyi from the registry, the others from signatures and the types in docstrings.

    python stubs.py            write the files
    python stubs.py --check    fail if a file does not match the package

A parameter's type is written once, in its docstring, as scikit-learn writes it: ``C : float, default 1.0``. A docstring that
says nothing, or something unknown, is an error here. ``_kernel.pyi``, ``_registered.pyi`` and ``_mercer.pyi`` are written by hand.
"""

import importlib
import inspect
import pathlib
import re
import sys

import mercer
from mercer import kernels
from mercer._registered import WIDTHS

FOLDER = pathlib.Path(__file__).resolve().parent / "python" / "mercer"
#: Modules with names for users.
MODULES = (
    "_data", "_explanation", "_graphs", "_molecules", "_series", "_show", "automatic", "blends", "compare", "components", "datasets", "files",
    "functions", "gaussian", "grakel", "inspection", "landmarks", "learn", "linear", "maps", "matrices", "neighbors", "reports",
    "reproduction", "ridge", "search", "splits", "svm", "uncertainty", "workflow",
)  # fmt: skip
#: Public names of modules without ``__all__``.
NAMES = {
    "_data": ["Objects", "Records", "Strings"],
    "_explanation": ["Explanation", "Explanations"],
    "_graphs": ["Graphs", "Nodes"],
    "_molecules": ["Molecules"],
    "_series": ["Series"],
    "_show": ["Facts"],
}
#: Base classes of scikit-learn that type checkers and its own functions look for.
MIXINS = ("ClassifierMixin", "RegressorMixin", "TransformerMixin", "ClusterMixin", "OutlierMixin", "BaseEstimator")
#: Types of a word of a docstring.
WORDS = {
    "DataFrame": "Any", "Evaluation": "Evaluation", "Kernel": "Kernel", "Protocol": "Protocol", "RandomState": "np.random.RandomState", "array-like": "ArrayLike",
    "array": "ArrayLike", "bool": "bool", "callable": "Callable[..., Any]", "classifier": "Any", "dict": "Mapping[Any, Any]",
    "Data": "Any", "Mol": "Any", "Series": "Any", "distributed.Client": "Any", "graph": "Any", "sparse": "Any", "column": "Any", "structured": "Any", "estimator": "Any", "float": "float", "int": "int", "list": "Sequence[Any]", "ndarray": "NDArray[Any]",
    "object": "Any", "objects": "Any", "path": "str | PathLike[str]", "regressor": "Any", "splitter": "Any", "str": "str", "table": "Any",
    "tuple": "tuple[Any, ...]",
}  # fmt: skip
#: Types of results.
RESULTS = {
    "Comparison": "Comparison", "CrossValidation": "CrossValidation", "DataFrame": "Any", "Evaluation": "Evaluation", "Explanation": "Explanation", "Explanations": "Explanations",
    "Facts": "Facts", "Inspection": "Inspection", "Objects": "Objects", "Reproduction": "Reproduction", "array": "NDArray[Any]",
    "dict": "dict[str, Any]", "list": "list[Any]", "Suggestions": "Suggestions",
}  # fmt: skip
#: Parameters of methods that are the same everywhere.
SAME = {
    "X": "Any", "y": "ArrayLike | None", "Y": "Any", "sample_weight": "ArrayLike | None", "groups": "ArrayLike | None", "deep": "bool",
    "confidence": "float", "path": "str | PathLike[str]", "input_features": "ArrayLike | None", "threads": "int | None",
    "progress": "bool | Callable[[str, int, int], Any]", "folder": "str | PathLike[str]", "format": "Literal['svg', 'png']", "form": "str | None",
    "n_neighbors": "int | None", "return_distance": "bool", "n_features": "int", "theme": "str", "nodes": "Any", "params": "Any", "cutoff": "float", "background": "Any", "by": "Literal['any', 'features', 'columns', 'objects', 'parts']", "random_state": "int | np.random.RandomState | None", "n_samples": "int", "return_cov": "bool", "return_std": "bool", "n": "int", "times": "ArrayLike | None",
}  # fmt: skip
#: Results of methods by name; others say it in their docstring.
RETURNS = {
    "fit": "Self", "set_params": "Self", "densify": "Self", "sparsify": "Self", "save": "None", "plots": "list[str]", "get_n_splits": "int",
    "split": "Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]", "score": "float", "get_metadata_routing": "Any", "predict_proba": "Any",
    "kneighbors": "Any", "nearest_molecules": "list[list[dict[str, Any]]]", "substitutions": "list[dict[str, Any]]",
    "explain": "Explanations", "evaluate": "Any", "log_marginal_likelihood": "Any", "diagonal": "Any", "frames": "dict[str, Any]",
}  # fmt: skip
#: Methods whose result is an array.
ARRAYS = {
    "decision_function", "fit_predict", "fit_transform", "get_feature_names_out", "in_domain", "inverse_transform", "leave_one_out", "p_values",
    "predict", "predict_interval", "predict_log_proba", "predict_set", "sample_y", "score_samples", "transform", "typicality",
}  # fmt: skip
#: Fitted attributes and properties that are not arrays.
VALUES = {
    "best_estimator_": "Any", "best_index_": "int", "best_params_": "dict[str, Any]", "best_score_": "float", "certificate_": "dict[str, Facts]",
    "cv_results_": "dict[str, Any]", "estimator_": "Any", "fit_status_": "int", "inertia_": "float", "kernel_": "Any", "multimetric_": "bool",
    "n_features_in_": "int", "n_iter_": "Any", "n_splits_": "int", "refit_time_": "float", "scorer_": "Any", "shape_fit_": "tuple[int, ...]",
    "shape": "tuple[int, ...]", "calibration_": "Facts", "gamma_": "Any", "score": "str", "mean": "float", "sd": "float", "verdict": "str",
    "interval": "tuple[float, float]", "test": "dict[str, Any] | None", "ranking": "list[str]", "outputs_2d_": "bool", "summary": "str",
    "notes": "list[str]", "tables": "list[dict[str, Any]]", "warnings": "list[str]", "folds": "list[dict[str, Any]]", "best_of": "Any",
    "measures": "dict[str, Any]", "findings": "list[dict[str, Any]]", "columns": "list[Any]", "n_classes_": "int", "classes": "list[Any]", "note": "str | None", "exact": "bool", "method": "str", "background": "str", "errors": "Any", "target": "dict[str, Any] | None",
    "candidates": "list[dict[str, Any]]", "hyperparameters_": "tuple[str, ...]", "prediction": "Any", "pixels": "Any", "evidence": "dict[str, Any] | None", "smiles": "str | None", "svg": "str | None",
    "features": "list[dict[str, Any]]", "by": "str", "local": "bool", "alpha_": "Any", "radius_": "float", "baseline": "CrossValidation",
    "methods": "list[CrossValidation]", "pairs": "list[dict[str, Any]]", "name": "str", "scores": "dict[str, NDArray[Any]]",
    "leaderboard_": "list[dict[str, Any]]", "members_": "list[str]", "not_tried_": "list[dict[str, Any]]", "verdict_": "str", "document_": "dict[str, Any]",
    "document": "dict[str, Any]", "splits": "list[Any]", "predictions": "list[Any]", "estimators": "list[Any]", "fit_times": "NDArray[Any]",
    "value": "float", "offset": "float", "rest": "float", "atoms": "Any", "bonds": "Any", "class_": "Any",
    "steps": "Any", "scale_": "float", "noise_": "float", "mean_": "Any", "log_marginal_likelihood_value_": "float",
    "probA_": "NDArray[Any]", "text": "str", "markdown": "str", "graphs_": "Objects",
}  # fmt: skip
#: Special methods by class, with their types.
SPECIAL = {
    "__len__": "def __len__(self) -> int: ...",
    "__getattr__": "def __getattr__(self, name: str) -> Any: ...",
    "__getitem__": "def __getitem__(self, key: Any) -> Self: ...",
}
HEAD = '''from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self
'''

#: The first line of every stub.
MADE = "# Made by stubs.py.\n"
KERNELS = '''
from typing import Literal

from ._kernel import Kernel as Kernel
from ._kernel import Product as Product
from ._kernel import Scaled as Scaled
from ._kernel import Sum as Sum
from ._registered import Registered as Registered

CLASSES: dict[str, type[Registered]]

def kernel(text: str | Kernel) -> Kernel: ...
'''


# ---------------------------------------------------------------------- kernels


def documented(doc, indent=""):
    """A docstring as code: the whole text, because editors show that of the stub, not that made when the package is imported."""
    lines = inspect.cleandoc(doc or "").split("\n")
    raw = "r" if "\\" in doc else ""
    if len(lines) == 1:
        return f'{indent}{raw}"""{lines[0]}"""'
    return "\n".join([f'{indent}{raw}"""{lines[0]}', *(f"{indent}{line}".rstrip() for line in lines[1:]), f'{indent}"""'])


def annotation(facts):
    if facts["type"] == "word":
        words = ", ".join(repr(w) for w in facts["words"])
        return f"Literal[{words}] | bool" if set(facts["words"]) == {"no", "yes"} else f"Literal[{words}]"
    if "words" in facts:
        return f"float | Literal[{', '.join(repr(w) for w in facts['words'])}]"
    return {"whole": "int", "number": "float"}[facts["type"]]


def kernel_stub(made):
    inner = "list[Kernel] | tuple[Kernel, ...] | Kernel" if made._several else "Kernel"
    arguments = [f"{name}: {inner}" for name in made._inner]
    arguments += [f"{name}: {annotation(p)} = {p['default']!r}" for name, p in made._parameters]
    arguments += ["*", "columns: str | int | list[str] | list[int] | None = None"]
    if made.__name__ == "RBF":
        arguments += [f"{width}: float = ..." for width in WIDTHS]
    lines = [f"class {made.__name__}(Registered):", documented(made.__doc__, "    "), ""]
    lines += [f"    {name}: {inner}" for name in made._inner]
    lines += [f"    {name}: {annotation(p)}" for name, p in made._parameters if name not in made._clashing]
    lines += [f"    def __init__(self, {', '.join(arguments)}) -> None: ..."]
    return "\n".join(lines)


def kernels_text():
    classes = "\n\n".join(kernel_stub(made) for made in kernels.CLASSES.values())
    return f"{MADE}{documented(kernels.__doc__)}\n{KERNELS}\n{classes}\n"


# ---------------------------------------------------------------------- docstrings


def section(doc, title):
    """The entries of a section of a docstring, as (names, type)."""
    found = re.search(rf"^{title}\n-{{3,}}\n(.*?)(?=^\S[^\n]*\n-{{3,}}$|\Z)", doc, re.M | re.S)
    if found is None:
        return []
    lines = re.sub(r",\n[ ]*(?=\S)", ", ", re.sub(r"^ .*$", "", found[1], flags=re.M)).split("\n")
    out = []
    for line in lines:
        if line.strip():
            names, _, kind = line.partition(" : ")
            out.append(([name.strip().lstrip("*") for name in names.split(",")], kind.strip()))
    return out


def pieces(text):
    """The alternatives of a type, separated by commas and "or" outside of braces, parentheses and quotes."""
    out, depth, quoted, word = [], 0, None, ""
    for part in re.split(r'([{}()\[\]"]|, | or )', text):
        if part == '"':
            quoted = not quoted
        elif not quoted and part and part in "{([":
            depth += 1
        elif not quoted and part and part in "})]":
            depth -= 1
        if part in (", ", " or ") and not depth and not quoted:
            out.append(word)
            word = ""
        else:
            word += part
    return [one.strip() for one in [*out, word] if one.strip()]


def typed(text, words=WORDS):
    """The annotation of a type in a docstring; None if it is unknown."""
    out = []
    for piece in pieces(text):
        if piece.startswith(("default", "fitted", "shape")):
            continue
        if piece in ("optional", "None"):
            out.append("None")
        elif piece.startswith("{"):
            values = [part.strip() for part in piece.strip("{}").split(",")]
            out += ["None"] if "None" in values else []
            out.append("Literal[" + ", ".join(repr(value.strip("\"'")) for value in values if value != "None") + "]")
        elif piece.startswith('"'):
            out.append(f"Literal[{piece.strip(chr(34))!r}]")
        elif piece.startswith("list of ") and words is WORDS:
            out.append("ArrayLike" if piece == "list of float" else "Sequence[Any]")
        elif (known := words.get(re.split(r"[ (]", piece)[0])) is not None:
            out.append(known)
        else:
            return None
    # The same type once, None last.
    out = [one for one in dict.fromkeys(out) if one != "None"] + (["None"] if "None" in out else [])
    return " | ".join(out) if out else None


def parameters_of(owner, doc, where):
    """The annotations of parameters by name."""
    out = {}
    for names, kind in section(doc, "Parameters"):
        for name in names:
            found = typed(kind) if kind else SAME.get(name)
            if found is None:
                raise SystemExit(f"{where}: the type of {name} is {kind!r}")
            out[name] = found
    return out


def default_of(value):
    if value is inspect.Parameter.empty:
        return ""
    plain = value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and value == value)
    return f" = {value!r}" if plain else " = ..."


def arguments(function, doc, where, method):
    """The arguments of a stub."""
    known, out, star = parameters_of(function, doc, where), [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            out.append("self")
            continue
        kind = known.get(parameter.name) or (SAME.get(parameter.name) if method else None)
        if kind is None:
            raise SystemExit(f"{where}: nothing says the type of {parameter.name}")
        if parameter.default is None and "None" not in kind and kind != "Any":
            kind += " | None"
        if parameter.kind is parameter.VAR_KEYWORD:
            out.append(f"**{parameter.name}: {kind}")
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            out.append(f"*{parameter.name}: {kind}")
            star = True
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            out.append("*")
            star = True
        out.append(f"{parameter.name}: {kind}{default_of(parameter.default)}")
    return ", ".join(out)


def result(name, doc, where):
    """The annotation of what a function returns."""
    if name in RETURNS:
        return RETURNS[name]
    if name in ARRAYS:
        return "NDArray[Any]"
    found = re.search(r"^Returns\n-{3,}\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", doc, re.M | re.S)
    if found is None:
        return "Any"
    heads = [line for line in found[1].split("\n") if line and not line.startswith(" ")]
    if len(heads) > 1:
        return "Any"
    head = heads[0].partition(" : ")
    return typed(head[2] or head[0], {**WORDS, **RESULTS}) or "Any"


# ---------------------------------------------------------------------- modules


def function_stub(name, function, where):
    doc = inspect.getdoc(function) or ""
    return f"def {name}({arguments(function, doc, where, False)}) -> {result(name, doc, where)}: ..."


def own(made):
    """The classes whose members a stub lists: those of mercer up to the next public one, which is the base."""
    out, base = [], None
    for at in made.__mro__:
        if at is not made and at.__module__.startswith("mercer") and is_public(at):
            base = at
            break
        if at.__module__.startswith("mercer"):
            out.append(at)
    return out, base


def is_public(made):
    module = made.__module__.removeprefix("mercer.")
    return made.__name__ in names_of(module) if module in MODULES or module in ("kernels", "_kernel") else False


def names_of(module):
    if module == "_kernel":
        return ["Kernel", "Product", "Scaled", "Sum"]
    return NAMES.get(module) or importlib.import_module(f"mercer.{module}").__all__


def class_stub(made, needed):
    where, doc = made.__name__, inspect.cleandoc(made.__doc__ or "")
    classes, base = own(made)
    if base is not None:
        bases = [base.__name__]
        needed.add(base)
    else:
        bases = [one.__name__ for one in made.__mro__ if one.__module__ == "sklearn.base" and one.__name__ in MIXINS]
    bases += ["dict[str, Any]"] if dict in made.__mro__ and base is None else []
    bases += ["list[Explanation]"] if list in made.__mro__ and base is None else []
    bases += ["tuple[Any, ...]"] if hasattr(made, "_fields") else []
    unknown = "  # type: ignore[misc, unused-ignore]" if base is None and set(bases) & set(MIXINS) else ""
    lines = [f"class {where}({', '.join(bases)}):{unknown}" if bases else f"class {where}:", documented(doc, "    "), ""]
    lines += [f"    {name}: NDArray[Any]" for name in getattr(made, "_fields", ())]
    initial = inspect.signature(made)
    known = parameters_of(made, doc, where)
    properties = {name for at in classes for name, value in vars(at).items() if isinstance(value, property)}
    listed = set()
    estimator = hasattr(made, "get_params") or where == "Function"
    for name in initial.parameters if estimator else ():
        if name in known and name not in properties:
            lines.append(f"    {name}: {known[name]}")
            listed.add(name)
    for names, kind in section(doc, "Attributes"):
        for name in names:
            if name.isidentifier() and name not in properties and name not in listed:
                lines.append(f"    {name}: {VALUES.get(name) or 'NDArray[Any]'}")
                listed.add(name)
    members = {}
    for at in reversed(classes):
        members.update({name: value for name, value in vars(at).items() if not name.startswith("_") or name in (*SPECIAL, "__init__")})
    if "__init__" in members:
        created = "" if known or not initial.parameters else "self, *args: Any, **kwargs: Any"
        created = created or arguments(made.__init__, doc, where, False)
        lines.append(f"    def __init__({created}) -> None: ...")
    for name in sorted(members):
        value = members[name]
        if name in SPECIAL:
            lines.append(f"    {SPECIAL[name]}")
        elif isinstance(value, property):
            lines += ["    @property", f"    def {name}(self) -> {VALUES.get(name) or 'NDArray[Any]'}: ..."]
        elif name.endswith("_request"):
            lines.append(f"    def {name}(self, **requests: bool | str | None) -> Self: ...")
        elif name != "__init__" and name not in listed:
            function = getattr(made, name, None)
            function = getattr(value, "fn", value) if not inspect.isfunction(function) else function
            if isinstance(value, staticmethod) or not inspect.isfunction(function):
                continue
            text = inspect.getdoc(function) or ""
            place = f"{where}.{name}"
            lines.append(f"    def {name}({arguments(function, text, place, True)}) -> {result(name, text, place)}: ...")
    return "\n".join(lines)


def module_text(name):
    module, needed, parts, others = importlib.import_module(f"mercer.{name}"), set(), [], []
    # Base classes first: type checkers do not mind, but tools that execute stubs do.
    for one in sorted(names_of(name), key=lambda one: len(getattr(getattr(module, one), "__mro__", ()))):
        value = getattr(module, one)
        place = getattr(value, "__module__", "").removeprefix("mercer.")
        if inspect.isclass(value) and place == name:
            parts.append(class_stub(value, needed))
        elif inspect.isfunction(value) and place == name:
            parts.append(function_stub(one, value, one))
        elif place and place != name and place in (*MODULES, "kernels"):
            others.append(f"from .{place} import {one} as {one}")
        else:
            parts.append(f"{one}: {typed_value(value)}")
    body = "\n\n".join(parts)
    inner = {base for base in needed if base.__module__ != f"mercer.{name}"}
    imports = {f"from .{b.__module__.removeprefix('mercer.')} import {b.__name__}" for b in inner}
    for word, place in (
        ("Kernel", "_kernel"), ("Facts", "_show"), ("Explanation", "_explanation"), ("Explanations", "_explanation"), ("Objects", "_data"), ("Protocol", "splits"),
        ("CrossValidation", "workflow"), ("Comparison", "workflow"), ("Evaluation", "reports"), ("Inspection", "inspection"),
        ("Reproduction", "reproduction"),
    ):  # fmt: skip
        if re.search(rf"\b{word}\b", re.sub(r'""".*?"""', "", body, flags=re.S)) and place != name:
            imports.add(f"from .{place} import {word}")
    mixins = [one for one in MIXINS if re.search(rf"^class .*\b{one}\b", body, re.M)]
    if mixins:
        imports.add(f"from sklearn.base import {', '.join(sorted(mixins))}  # type: ignore[import-untyped, unused-ignore]")
    head = f"{MADE}{documented(module.__doc__)}\n\n{HEAD}"
    exported = f"__all__ = {sorted(names_of(name))!r}\n\n" if not name.startswith("_") else ""
    return head + "\n" + "\n".join(sorted({*imports, *others})) + ("\n\n" if imports or others else "") + exported + body + "\n"


def typed_value(value):
    return "Any" if not isinstance(value, dict) else "dict[str, Any]"


def package_text():
    """The stub of the package itself: what it exports, and ``compare``, which is both a module and a function."""
    lines = [MADE + documented(mercer.__doc__), "", "from types import ModuleType", "from typing import Any", ""]
    lines += ["from numpy.typing import ArrayLike", ""]
    modules = ("_errors", "kernels", *NAMES, *mercer._LATER)
    given = set()
    for module in modules:
        for name in sorted(set(names_of(module) if module not in ("_errors", "kernels") else importlib.import_module(f"mercer.{module}").__all__)):
            if name in mercer.__all__ and name not in given:
                given.add(name)
                lines.append(f"from .{module} import {name} as {name}")
    lines += [f"from . import {name} as {name}" for name in sorted({*mercer._MODULES, "kernels"} - {"compare", *given})]
    compare = importlib.import_module("mercer.compare")
    lines += ["from ._show import Facts", "", "__version__: str", "", "class _Compare(ModuleType):"]
    function = compare.estimators
    text = arguments(function, inspect.getdoc(function), "compare", False)
    lines.append(f"    def __call__(self, {text}) -> Comparison: ...")
    for name in sorted(compare.__all__):
        one = getattr(compare, name)
        text = arguments(one, inspect.getdoc(one) or "", name, False)
        lines += ["    @staticmethod", f"    def {name}({text}) -> {result(name, inspect.getdoc(one) or '', name)}: ..."]
    lines += ["", "compare: _Compare", "", "def threads() -> int: ..."]
    body = "\n".join(lines) + "\n"
    if "Literal[" in body:
        body = body.replace("from typing import Any\n", "from typing import Any, Literal\n", 1)
    if "Callable[" in body or "Mapping[" in body or "Sequence[" in body:
        body = body.replace("from types import", "from collections.abc import Callable, Mapping, Sequence\nfrom types import", 1)
    if "NDArray[" in body:
        body = body.replace("from numpy.typing import ArrayLike\n", "from numpy.typing import ArrayLike, NDArray\n", 1)
    if "np." in body:
        body = body.replace("from numpy.typing", "import numpy as np\nfrom numpy.typing", 1)
    return body


def texts():
    """The stubs by file name."""
    out = {"kernels.pyi": kernels_text(), "__init__.pyi": package_text()}
    return out | {f"{name}.pyi": module_text(name) for name in MODULES}


if __name__ == "__main__":
    made = texts()
    if "--check" in sys.argv[1:]:
        wrong = [name for name, text in made.items() if not (FOLDER / name).exists() or (FOLDER / name).read_text(encoding="utf-8") != text]
        sys.exit(f"{', '.join(wrong)}: not as the package; python stubs.py writes them" if wrong else 0)
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
