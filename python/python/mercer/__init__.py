"""Learning from any data through kernels: scikit-learn estimators with a native engine.

>>> import mercer
>>> k = mercer.RBF(gamma=0.5) + 0.1 * mercer.Linear()
>>> k.gram([[0.0, 1.0], [2.0, 1.0]]).shape
(2, 2)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from . import _errors, kernels
from ._data import Objects, Records, Strings
from ._errors import *  # noqa: F403
from ._graphs import Graphs, Nodes
from ._mercer import __version__, threads
from ._molecules import Molecules
from ._series import Series
from .kernels import *  # noqa: F403

if TYPE_CHECKING:
    from . import compare, datasets
    from .automatic import *  # noqa: F403
    from .blends import *  # noqa: F403
    from .files import *  # noqa: F403
    from .functions import *  # noqa: F403
    from .gaussian import *  # noqa: F403
    from .inspection import *  # noqa: F403
    from .learn import *  # noqa: F403
    from .maps import *  # noqa: F403
    from .matrices import *  # noqa: F403
    from .reports import *  # noqa: F403
    from .reproduction import *  # noqa: F403
    from .search import *  # noqa: F403
    from .splits import *  # noqa: F403
    from .svm import *  # noqa: F403
    from .uncertainty import *  # noqa: F403
    from .workflow import *  # noqa: F403

#: Modules whose names are names of the package, loaded when one is used: loading them all takes longer than the rest of the
#: import. Each name is searched in this order, so that the ones used most come first.
_LATER = (
    "svm", "functions", "splits", "matrices", "learn", "search", "maps", "workflow", "reports", "files", "inspection", "reproduction",
    "automatic", "gaussian", "uncertainty", "blends",
)  # fmt: skip
#: Modules that are attributes of the package alone.
_MODULES = (*_LATER, "compare", "datasets", "grakel")


def __getattr__(name):
    if name == "__all__":
        names = [*_errors.__all__, *kernels.__all__, "Graphs", "Molecules", "Nodes", "Objects", "Records", "Series", "Strings"]
        names += [one for later in _LATER for one in import_module(f"{__name__}.{later}").__all__]
        globals()["__all__"] = sorted([*names, "__version__", "compare", "datasets", "threads"])
        return globals()["__all__"]
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if not name.startswith("_"):
        for later in _LATER:
            module = import_module(f"{__name__}.{later}")
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__getattr__("__all__"), *_MODULES})
