"""Puts a report page together from a run document, as the program does.

    python assemble.py run.json > page.html

The parts are put into page.html in one pass, so that text in a document that looks like a placeholder stays text.
"""

import html
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def title(document):
    """The title of the browser tab."""
    data = document.get("data")
    name = re.split(r"[\\/]", data)[-1] if isinstance(data, str) else None
    return " – ".join(part for part in [name, f"mercer {document.get('command', 'report')}"] if part)


def assemble(document):
    """The whole page as text."""
    read = lambda name: (HERE / name).read_text(encoding="utf-8")
    parts = {
        "title": html.escape(title(document)),
        "style": read("style.css"),
        "library": read("echarts.min.js"),
        "script": "\n".join(read(name) for name in read("ORDER").split()),
        "document": json.dumps(document, ensure_ascii=False).replace("<", "\\u003c"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found.group(1)], read("page.html"))


if __name__ == "__main__":
    sys.stdout.write(assemble(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
