"""Conversion of class weights between scikit-learn's form and the text of the learner language."""

from collections.abc import Mapping

from ._data import name_of
from ._errors import ParameterError
from ._estimator import class_names


def class_weights(estimator):
    """``class_weight`` of an estimator as text; the engine computes the weights from the training rows of each fit."""
    classes = getattr(estimator, "classes_", None)
    return weights_text(estimator.class_weight, classes, None if classes is None else class_names(classes))


def weights_text(given, classes=None, names=None):
    """``class_weight`` in the learner language: None, "balanced" or a quoted text ``"a:1, b:8"``.

    ``classes`` are the classes of the target and ``names`` their names in the engine. As in scikit-learn, classes
    without a weight have weight 1, and a weight of an unknown class is an error unless every class of the target has a
    weight.
    """
    if given is None:
        return None
    if isinstance(given, str) and given == "balanced":
        return given
    if not isinstance(given, Mapping):
        raise ParameterError(f"class_weight = {given!r}: must be None, 'balanced' or a dict of weights by class")
    if classes is None:
        named = {name_of(c): w for c, w in given.items()}
    else:
        without = [c for c in classes if c not in given]
        if without and len(classes) - len(without) != len(given):
            text = ", ".join(str(c) for c in without)
            raise ParameterError(f"The classes, [{text}], are not in class_weight")
        named = {n: given[c] for c, n in zip(classes, names) if c in given}
    parts = []
    for name, weight in named.items():
        try:
            weight = float(weight)
        except (TypeError, ValueError):
            raise ParameterError(f"class_weight of {name}: {weight!r} is not a number") from None
        if not 0 < weight < float("inf"):
            raise ParameterError(f"class_weight of {name} = {weight}: must be finite and above 0")
        if "," in name or '"' in name or name.strip() != name:
            name = '"' + name.replace('"', '""') + '"'
        parts.append(f"{name}:{weight!r}")
    if not parts:
        return None
    return '"' + ", ".join(parts).replace('"', '""') + '"'


def weights_of(text):
    """Parse the text of class weights to None, "balanced" or a dict of weights by class name."""
    if text is None or text in ("none", "balanced"):
        return None if text == "none" else text
    out, at = {}, 0
    while at < len(text):
        while text[at] in " ,":
            at += 1
        if text[at] == '"':
            name, at = "", at + 1
            while True:
                close = text.index('"', at)
                name += text[at:close]
                at = close + 1
                if text[at : at + 1] != '"':
                    break
                name, at = name + '"', at + 1
            at = text.index(":", at) + 1
            end = text.find(",", at)
        else:
            end = text.find(",", at)
            colon = text.rindex(":", at, end if end >= 0 else len(text))
            name, at = text[at:colon].strip(), colon + 1
        end = len(text) if end < 0 else end
        out[name] = float(text[at:end])
        at = end + 1
    return out
