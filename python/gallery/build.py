"""Make notebooks and pages of the scripts in this folder.

    python gallery/build.py FOLDER [NAME …]

Each script becomes an executed notebook, FOLDER/NAME.ipynb, and a page with its results, FOLDER/NAME.md, whose images are next to it.
``# %%`` begins a cell, ``# %% [markdown]`` a cell of text, as editors for notebooks know it. A cell that fails ends the run.
"""

import base64
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
#: The scripts in the order of the pages.
ORDER = (
    "vectors", "tables", "strings", "series", "images", "graphs", "nodes", "molecules", "comparison", "explanation", "uncertainty", "cluster",
)  # fmt: skip
#: Seconds for a cell.
LONGEST = 300


def cells(text):
    """The cells of a script, as (is text, source)."""
    for part in re.split(r"^# %%", text, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        if head.strip() == "[markdown]":
            yield True, re.sub(r"^# ?", "", body, flags=re.M).strip()
        else:
            yield False, body.strip()


def title_of(name):
    """The first heading of a script."""
    text = next(source for is_text, source in cells((HERE / f"{name}.py").read_text(encoding="utf-8")) if is_text)
    return text.split("\n")[0].removeprefix("# ")


def notebook(name):
    """The notebook of a script, executed."""
    import nbformat
    from nbclient import NotebookClient

    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for number, (is_text, source) in enumerate(cells((HERE / f"{name}.py").read_text(encoding="utf-8"))):
        cell = nbformat.v4.new_markdown_cell(source) if is_text else nbformat.v4.new_code_cell(source)
        # Names that do not change with every run.
        cell["id"] = f"cell-{number}"
        made.cells.append(cell)
    NotebookClient(made, timeout=LONGEST, kernel_name="python3", record_timing=False).execute()
    return made


def page(name, made, folder):
    """The page of an executed notebook; writes its images."""
    out, images = [], 0
    for cell in made.cells:
        if cell.cell_type == "markdown":
            out.append(cell.source)
            continue
        out.append(f"```python\n{cell.source}\n```")
        for result in cell.outputs:
            if result.output_type == "stream":
                if result.name == "stdout":
                    out.append(f"```text\n{result.text.rstrip()}\n```")
                continue
            data = result.get("data", {})
            images += "image/png" in data or "image/svg+xml" in data
            if "image/png" in data:
                (folder / f"{name}-{images}.png").write_bytes(base64.b64decode(data["image/png"]))
                out.append(f"![result]({name}-{images}.png)")
            elif "image/svg+xml" in data:
                (folder / f"{name}-{images}.svg").write_text(data["image/svg+xml"], encoding="utf-8")
                out.append(f"![result]({name}-{images}.svg)")
            elif "text/html" in data:
                # A blank line would end the HTML on the page.
                html = re.sub(r"\n\s*\n", "\n", data["text/html"].strip())
                out.append(f'<div class="result">\n{html}\n</div>')
            elif "text/plain" in data:
                out.append(f"```text\n{data['text/plain']}\n```")
    out.append(f"[This page as a notebook]({name}.ipynb)")
    return "\n\n".join(out) + "\n"


def main(folder, names):
    import nbformat

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or ORDER:
        made = notebook(name)
        nbformat.write(made, folder / f"{name}.ipynb")
        (folder / f"{name}.md").write_text(page(name, made, folder), encoding="utf-8")
        print(f"{name}: {title_of(name)}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
