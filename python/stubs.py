"""Writes python/mercer/kernels.pyi, the types of the classes that are made from the registry.

    python stubs.py            write the file beside the package's sources
    python stubs.py --check    fail when it is not what the registry says
"""

import pathlib
import sys

from mercer import kernels

PLACE = pathlib.Path(__file__).resolve().parent / "python" / "mercer" / "kernels.pyi"

HEAD = '''"""Every kernel of the registry. Written by stubs.py from the registry itself."""

from typing import Any, Literal

from ._kernel import Kernel as Kernel
from ._kernel import Product as Product
from ._kernel import Registered
from ._kernel import Scaled as Scaled
from ._kernel import Sum as Sum

CLASSES: dict[str, type[Registered]]

def kernel(text: str | Kernel) -> Kernel: ...
'''


def annotation(facts):
    if facts["type"] == "word":
        words = ", ".join(repr(w) for w in facts["words"])
        return f"Literal[{words}] | bool" if set(facts["words"]) == {"no", "yes"} else f"Literal[{words}]"
    if "words" in facts:
        return f"float | Literal[{', '.join(repr(w) for w in facts['words'])}]"
    return {"whole": "int", "number": "float"}[facts["type"]]


def stub(made):
    arguments = [f"{name}: Kernel" for name in made._inner]
    arguments += [f"{name}: {annotation(p)} = {p['default']!r}" for name, p in made._parameters]
    arguments += ["*", "columns: str | list[str] | None = None"]
    lines = [f"class {made.__name__}(Registered):", f'    """{made._facts["summary"]}"""', ""]
    lines += [f"    {name}: Kernel" for name in made._inner]
    lines += [f"    {name}: {annotation(p)}" for name, p in made._parameters if name not in made._clashing]
    lines += ["    columns: Any", f"    def __init__(self, {', '.join(arguments)}) -> None: ..."]
    return "\n".join(lines)


def text():
    classes = "\n\n".join(stub(made) for made in kernels.CLASSES.values())
    return f"{HEAD}\n{classes}\n"


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(0 if PLACE.exists() and PLACE.read_text() == text() else f"{PLACE.name} is not what the registry says")
    PLACE.write_text(text())
