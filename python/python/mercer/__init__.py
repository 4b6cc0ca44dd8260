"""Learning from any data through kernels: scikit-learn estimators over a native engine.

>>> import mercer
>>> k = mercer.RBF(gamma=0.5) + 0.1 * mercer.Linear()
>>> k.gram([[0.0, 1.0], [2.0, 1.0]]).shape
(2, 2)
"""

from . import _errors, kernels
from ._data import Objects, Records
from ._errors import *  # noqa: F403
from ._mercer import __version__, threads
from .kernels import *  # noqa: F403
from .kernels import Kernel, kernel
from .learn import *  # noqa: F403
from .svm import *  # noqa: F403
