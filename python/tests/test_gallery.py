"""The scripts of the gallery run to their end, as plain programs; ``cargo xtask docs`` runs them as notebooks."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

GALLERY = ROOT / "python" / "gallery"
sys.path.insert(0, str(GALLERY))
import build  # noqa: E402


@pytest.mark.parametrize("name", build.ORDER)
def test_script(name, tmp_path):
    for needed in ("matplotlib", "pandas", "networkx", "distributed"):
        if needed in (GALLERY / f"{name}.py").read_text(encoding="utf-8"):
            pytest.importorskip(needed)
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONWARNINGS": "ignore"}
    # As a program: a cluster starts processes, which import it.
    text = "\n".join(source for is_text, source in build.cells((GALLERY / f"{name}.py").read_text(encoding="utf-8")) if not is_text)
    program = tmp_path / "program.py"
    program.write_text("def main():\n" + "".join(f"    {line}\n" for line in text.split("\n")) + "\nif __name__ == '__main__':\n    main()\n", encoding="utf-8")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr


def test_every_script_is_a_page():
    assert {path.stem for path in GALLERY.glob("*.py")} == {*build.ORDER, "build"}
    for name in build.ORDER:
        parts = list(build.cells((GALLERY / f"{name}.py").read_text(encoding="utf-8")))
        assert parts[0][0] and parts[0][1].startswith("# ") and sum(not is_text for is_text, _ in parts) >= 2, name


def test_pages_have_results(tmp_path):
    """A notebook is executed, and its page has the results."""
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    build.main(tmp_path, ["images"])
    page = (tmp_path / "images.md").read_text(encoding="utf-8")
    assert "![result](images-1.png)" in page and "accuracy 0." in page and (tmp_path / "images-1.png").stat().st_size > 1000
    assert nbformat.read(tmp_path / "images.ipynb", as_version=4).cells[1].outputs
