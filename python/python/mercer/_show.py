"""Certificates with a display in notebooks."""

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
