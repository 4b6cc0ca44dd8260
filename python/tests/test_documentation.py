"""Every parameter of every public class and function is documented, with its type, and every class has an example."""

import inspect
import re
import sys

import pytest
from conftest import ROOT

import mercer
from mercer import grakel, kernels

sys.path.insert(0, str(ROOT / "python"))
import stubs  # noqa: E402

#: Made by functions, or listed by their messages: their constructors are not for users.
MADE = {"Comparison", "CrossValidation", "Evaluation", "Inspection", "Objects", "Reproduction", "Suggestions"}


def public():
    """The public classes and functions by name."""
    out = {name: getattr(mercer, name) for name in mercer.__all__}
    out |= {f"datasets.{name}": getattr(mercer.datasets, name) for name in mercer.datasets.__all__}
    out |= {f"compare.{name}": getattr(mercer.compare, name) for name in mercer.compare.__all__}
    out |= {f"grakel.{name}": getattr(grakel, name) for name in grakel.__all__}
    return {name: value for name, value in out.items() if inspect.isclass(value) or inspect.isfunction(value)}


PUBLIC = public()
KERNELS = set(kernels.CLASSES.values())
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value) and not issubclass(value, (Exception, Warning))}


def documented(value):
    """The names of the documented parameters, in order."""
    return [name for names, _ in stubs.section(inspect.cleandoc(value.__doc__ or ""), "Parameters") for name in names]


def expected(value):
    try:
        signature = inspect.signature(value)
    except ValueError:
        return []
    return [name for name in signature.parameters if name != "self"]


@pytest.mark.parametrize("name", [n for n in PUBLIC if n not in MADE and not (n in CLASSES and issubclass(CLASSES[n], mercer.MercerError))])
def test_parameters(name):
    value = PUBLIC[name]
    if inspect.isclass(value) and issubclass(value, (Exception, Warning)):
        return
    found = documented(value)
    if value in KERNELS:
        # The width of a Gaussian has two other names, which are not parameters of their own.
        found = [one for one in found if name != "RBF" or one not in kernels.WIDTHS]
    assert found == expected(value), name
    for names, kind in stubs.section(inspect.cleandoc(value.__doc__ or ""), "Parameters"):
        assert kind, f"{name}: no type of {', '.join(names)}"
        if value not in KERNELS:
            assert stubs.typed(kind), f"{name}: the type of {', '.join(names)} is {kind!r}"


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_has_an_example(name):
    doc = CLASSES[name].__doc__ or ""
    assert ">>>" in doc or "In expressions:" in doc, name


@pytest.mark.parametrize("name", CLASSES)
def test_every_method_has_a_description(name):
    made = CLASSES[name]
    for method, value in inspect.getmembers(made):
        if not method.startswith("_") and getattr(value, "__module__", "").startswith("mercer"):
            assert inspect.getdoc(value), f"{name}.{method}"


def test_numpydoc_finds_no_fault():
    """numpydoc's own validation of the parameters: their presence, order, types, descriptions and the form of the sections."""
    validate = pytest.importorskip("numpydoc.validate")
    # Of the descriptions numpydoc wants each to begin with a capital and end with a period.
    codes = {"GL03", "GL05", "GL07", "PR01", "PR02", "PR03", "PR05", "PR06", "PR08", "PR10"}
    faults = []
    for name in PUBLIC:
        if name in MADE or (inspect.isclass(PUBLIC[name]) and issubclass(PUBLIC[name], (Exception, Warning))):
            continue
        path = f"mercer.{name}"
        if not re.match(r"mercer\.(datasets|compare|grakel)\.", path) and name == "kernel":
            path = "mercer.kernels.kernel"
        found = validate.validate(path)["errors"]
        faults += [f"{name}: {code} {text}" for code, text in found if code in codes and not ("sigma" in text and name == "RBF")]
    assert not faults, "\n".join(faults)
