"""The type stubs of the extension module name everything that it has, with the same arguments."""

import ast
import inspect
import pathlib

import mercer
from mercer import _mercer
from mercer._computed import Computed

STUB = pathlib.Path(mercer.__file__).with_name("_mercer.pyi")


def arguments(function):
    """The names of a stub's arguments, and which of them have defaults."""
    names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
    first = len(names) - len(function.args.defaults)
    return [(name, at >= first) for at, name in enumerate(names)]


def found(value):
    """The same for a function of the module."""
    parameters = [p for p in inspect.signature(value).parameters.values() if p.name != "self"]
    return [(p.name, p.default is not p.empty) for p in parameters]


def test_stubs_match_the_extension_module():
    body = ast.parse(STUB.read_text(encoding="utf-8")).body
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    there = {name for name in dir(_mercer) if not name.startswith("__")}
    assert there == {*functions, *classes}
    for name, node in functions.items():
        assert arguments(node) == found(getattr(_mercer, name)), name
        assert ast.get_docstring(node), name
    for name, node in classes.items():
        made = getattr(_mercer, name)
        methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        own = {method for method in vars(made) if not method.startswith("__")}
        assert own == {method for method in methods if not method.startswith("__")}, name
        for method in own:
            assert arguments(methods[method]) == found(getattr(made, method)), f"{name}.{method}"
            assert ast.get_docstring(methods[method]), f"{name}.{method}"


def test_stubs_match_the_base_class_of_kernels():
    """``_kernel.pyi`` is written by hand: it has every public method of the base class, with its parameters."""
    body = ast.parse(STUB.with_name("_kernel.pyi").read_text(encoding="utf-8")).body
    kernel = next(node for node in body if isinstance(node, ast.ClassDef) and node.name == "Kernel")
    written = {}
    for node in kernel.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            every = [*node.args.args, *node.args.kwonlyargs, *filter(None, (node.args.vararg, node.args.kwarg))]
            written[node.name] = {a.arg for a in every} - {"self"}
    public = {**vars(Computed), **vars(mercer.Kernel)}
    there = {name: value for name, value in public.items() if not name.startswith("_")}
    for name, value in there.items():
        if name == "columns":
            continue
        parameters = set() if isinstance(value, property) else set(inspect.signature(value).parameters) - {"self"}
        assert written.get(name) == parameters, name
    # That of scikit-learn's transformers.
    assert set(written) - {"set_output"} == set(there) - {"columns"} and hasattr(mercer.Kernel, "set_output")
