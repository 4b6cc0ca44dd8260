"""Locations of training objects relative to the margin of a support vector machine."""

import numpy as np
from sklearn.utils.validation import check_is_fitted


class Located:
    """Mixin that adds ``locations_`` to support vector estimators."""

    @property
    def locations_(self):
        """Location of each training object: "outside" the margin, "on" it, or "inside" it or on its wrong side.

        An array (n,), or with several binary classifiers (n, classifiers), in the order of ``certificate_``, with ""
        where a classifier was not fitted to the object. It follows from the dual variables: 0, between 0 and the bound,
        at the bound. For regression, "outside" is within the tube and "inside" is beyond it.
        """
        check_is_fitted(self, "_model")
        found = self._model.trained()["locations"]
        if any(len(members) != len(codes) or len(codes) == 0 for members, codes in found):
            raise AttributeError("this model does not store the locations of its training objects")
        names = np.array(["outside", "on", "inside"])
        out = np.full((1 + max(members.max() for members, _ in found), len(found)), "", dtype=names.dtype)
        for at, (members, codes) in enumerate(found):
            out[members, at] = names[codes]
        return out[:, 0] if len(found) == 1 else out
