"""What notebooks show: facts as tables, and certificates below estimators."""

from html import escape


class Facts(dict):
    """A dict whose items are also attributes, shown as a table in notebooks."""

    def __init__(self, title, facts):
        super().__init__(facts)
        self._title = title

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        inside = ", ".join(f"{name}={value!r}" for name, value in self.items())
        return f"<{self._title}: {inside}>"

    def __reduce__(self):
        return Facts, (self._title, dict(self))

    def _repr_html_(self):
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(str(name).replace('_', ' '))}</th>"
            f"<td style='text-align:right'>{escape(shown(value))}</td></tr>"
            for name, value in self.items()
        )
        return f"<table><caption>{escape(self._title)}</caption>{rows}</table>"


def shown(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


#: What of a certificate is shown below an estimator, where it is there, with the headings.
SHOWN = {"stop": "stopped", "gap": "duality gap", "primal": "objective", "iterations": "iterations", "epochs": "rounds", "seconds": "seconds"}
#: The style of its cells.
CELL = "text-align:right;padding:.1em .6em"


def certificates(estimator):
    """The certificates of a fitted estimator as an HTML table; empty without any."""
    found = estimator.__dict__.get("certificate_")
    if not found:
        return ""
    names = [name for name in SHOWN if any(name in one for one in found.values())]
    head = "".join(f"<th style='{CELL}'>{SHOWN[name]}</th>" for name in names)
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(str(title))}</th>"
        + "".join(f"<td style='{CELL}'>{escape(shown(one[name])) if name in one else ''}</td>" for name in names)
        + "</tr>"
        for title, one in found.items()
    )
    return f"<table><caption>certificate_</caption><tr><th></th>{head}</tr>{rows}</table>"


class Certified:
    """Shows the certificates of a fitted estimator below its diagram in notebooks."""

    def _repr_html_inner(self):
        return super()._repr_html_inner() + certificates(self)

    def _repr_mimebundle_(self, **kwargs):
        out = super()._repr_mimebundle_(**kwargs)
        if "text/html" in out:
            out["text/html"] += certificates(self)
        return out
