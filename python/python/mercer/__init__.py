"""Learning from any data through kernels: scikit-learn estimators with a native engine.

>>> import mercer
>>> k = mercer.RBF(gamma=0.5) + 0.1 * mercer.Linear()
>>> k.gram([[0.0, 1.0], [2.0, 1.0]]).shape
(2, 2)
"""

from . import _errors, compare, datasets, files, inspection, kernels, learn, maps, matrices, reports, reproduction, search, splits, svm
from ._data import Objects, Records
from ._errors import *  # noqa: F403
from ._graphs import Graphs, Nodes
from ._mercer import __version__, threads
from ._molecules import Molecules
from ._series import Series
from .files import *  # noqa: F403
from .inspection import *  # noqa: F403
from .kernels import *  # noqa: F403
from .learn import *  # noqa: F403
from .maps import *  # noqa: F403
from .matrices import *  # noqa: F403
from .reports import *  # noqa: F403
from .reproduction import *  # noqa: F403
from .search import *  # noqa: F403
from .splits import *  # noqa: F403
from .svm import *  # noqa: F403

__all__ = sorted(
    [
        *_errors.__all__,
        *files.__all__,
        *inspection.__all__,
        *kernels.__all__,
        *learn.__all__,
        *maps.__all__,
        *matrices.__all__,
        *reports.__all__,
        *reproduction.__all__,
        *search.__all__,
        *splits.__all__,
        *svm.__all__,
        "Graphs",
        "Molecules",
        "Nodes",
        "Objects",
        "Records",
        "Series",
        "__version__",
        "compare",
        "datasets",
        "threads",
    ]
)
