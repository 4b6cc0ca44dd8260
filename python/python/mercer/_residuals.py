"""Leave-one-out residuals of ridge regression from one factorisation."""

from sklearn.base import clone

from . import _mercer
from ._errors import DataError
from ._computed import warn_data
from ._progress import shown
from ._threads import threads_of


def residuals(estimator, X, target):
    """The leave-one-out residuals of a ridge estimator, which need not be fitted."""
    tried = clone(estimator)
    data, checked = tried._objects(X, reset=True)
    if len(target[1]) != len(data):
        raise DataError(f"Found input variables with inconsistent numbers of samples: {[len(data), len(target[1])]}")
    kernel = tried._kernel_of(checked)
    with shown(tried.progress) as listener:
        out, saw_all = _mercer.leave_one_out(
            kernel._text(), tried._learner_text(), data, target, threads_of(tried.threads), listener
        )
    if saw_all:
        text = "the kernel was fitted to all objects, including those left out: the residuals hold for this fixed kernel"
        warn_data([text], stacklevel=4)
    return out
