"""Wrapper for models whose classes are not stored in ascending order, which presents them in that order.

The program and LIBSVM number classes by first appearance. scikit-learn's metrics expect ascending ``classes_`` and
decision values that are positive for the greater of two classes.
"""

import numpy as np


class Resorted:
    """A model with reordered classes: class k here is class ``order[k]`` of the model."""

    def __init__(self, model, order):
        self.model = model
        self.order = [int(k) for k in order]
        self._rank = np.argsort(self.order)
        fitted = model.trained()
        self._pairs = None
        if fitted.get("one_versus_one") and len(fitted["classifiers"]) > 1:
            self._pairs = self._pairs_of(fitted["pairs"])

    def __getattr__(self, name):
        if name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)

    def _pairs_of(self, stored):
        """For each pair of classes, ascending: the index of its stored pair, and whether its sign is flipped."""
        places = {tuple(pair): at for at, pair in enumerate(stored)}
        out = []
        for a in range(len(self.order)):
            for b in range(a + 1, len(self.order)):
                one, other = self.order[a], self.order[b]
                out.append((places[min(one, other), max(one, other)], one > other))
        return out

    def classes(self):
        names = self.model.classes()
        return [names[k] for k in self.order]

    def predict(self, *args):
        found = self.model.predict(*args)
        if "codes" in found:
            codes = np.asarray(found["codes"])
            found["codes"] = np.where(codes < 0, codes, self._rank[codes])
        found["decisions"] = self._columns(found["decisions"])
        if "probabilities" in found:
            found["probabilities"] = found["probabilities"][:, self.order]
        return found

    def regions(self, *args):
        found = self.model.regions(*args)
        if "p_values" in found:
            found["p_values"] = found["p_values"][:, self.order]
        return found

    def _columns(self, values):
        """Reorder the columns of decision values: one for two classes, one per class, or one per pair."""
        if self._pairs is not None:
            signs = np.array([-1.0 if flipped else 1.0 for _, flipped in self._pairs])
            return values[:, [at for at, _ in self._pairs]] * signs
        if values.shape[1] == 1:
            return -values
        return values[:, self.order]

    def _each(self, values):
        """Reorder a list with one item per column of decision values."""
        if self._pairs is not None:
            return [values[at] for at, _ in self._pairs]
        return list(values) if len(values) == 1 else [values[k] for k in self.order]

    def trained(self):
        found = dict(self.model.trained())
        if "class_weights" in found:
            found["class_weights"] = np.asarray(found["class_weights"])[self.order]
        if "support_classes" in found:
            found["support_classes"] = self._rank[np.asarray(found["support_classes"], dtype=int)]
        if "pairs" in found:
            self._binary(found)
        for name in ("coefficients", "biases", "weights", "intercepts", "offsets"):
            if name in found:
                found[name] = self._columns(np.atleast_2d(np.asarray(found[name]).T)).T.reshape(np.shape(found[name]))
        if "alpha" in found:
            found["alpha"] = self._columns(found["alpha"])
        return found

    def _binary(self, found):
        """The binary classifiers of support vector classification."""
        count = len(found["classifiers"])
        flips = [flipped for _, flipped in self._pairs] if self._pairs is not None else [count == 1] * count
        parts = zip(self._each(found["classifiers"]), flips)
        found["classifiers"] = [(at, -c, -offset) if flipped else (at, c, offset) for (at, c, offset), flipped in parts]
        found["locations"] = self._each(found["locations"]) if found.get("locations") else []
        if self._pairs is not None:
            classes = range(len(self.order))
            found["pairs"] = [(a, b) for a in classes for b in classes if a < b]
        if "sigmoids" in found:
            # 1 / (1 + exp(A·f + B)) of the other class, for decision values with the opposite sign.
            parts = zip(self._each(found["sigmoids"]), flips)
            found["sigmoids"] = [(a, -b) if flipped else (a, b) for (a, b), flipped in parts]

    def certificates(self):
        found = self.model.certificates()
        columns = len(self._pairs) if self._pairs is not None else len(self.order)
        return self._each(found) if len(found) == columns else found


def ascending(model, classes):
    """The model with its classes in ascending order, and the classes."""
    order = np.argsort(classes, kind="stable")
    if (order == np.arange(len(order))).all():
        return model, classes
    return Resorted(model, order), classes[order]
