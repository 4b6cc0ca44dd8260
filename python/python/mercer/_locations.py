"""Where training objects of a support vector machine lie."""

import numpy as np
from sklearn.utils.validation import check_is_fitted


class Located:
    """What every kernel machine knows of its training objects."""

    @property
    def locations_(self):
        """Where each training object lies: "outside" the margin, "on" it, or "inside" it or on its wrong side.

        An array (n,), or with several binary classifiers (n, classifiers), in the order of ``certificate_``, with "" where a
        classifier was not fitted to the object. Read from the dual variables: 0, between 0 and the bound, at the bound. For
        regression "outside" is within the tube, and "inside" beyond it.
        """
        check_is_fitted(self, "_model")
        found = self._model.machine()["locations"]
        if any(len(members) != len(codes) or len(codes) == 0 for members, codes in found):
            raise AttributeError("this model does not say where its training objects lie")
        names = np.array(["outside", "on", "inside"])
        out = np.full((1 + max(members.max() for members, _ in found), len(found)), "", dtype=names.dtype)
        for at, (members, codes) in enumerate(found):
            out[members, at] = names[codes]
        return out[:, 0] if len(found) == 1 else out
