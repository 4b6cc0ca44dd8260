"""The R code of the guide prints what the page says, where R and jsonlite are installed."""

import os
import re
import shutil
import subprocess

import pytest
from test_guide import PAGES, blocks


def parts(form):
    return [body for _, info, body in blocks(PAGES["r"]) if info == form]


def plain(lines):
    """Lines without the widths of columns."""
    return [" ".join(line.split()) for line in lines if line.strip()]


def run(script, program, folder):
    found = shutil.which("Rscript")
    if found is None:
        pytest.skip("R is not installed")
    (folder / "page.R").write_text(script, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run([found, "page.R"], capture_output=True, text=True, cwd=folder, env=environment, timeout=300)


def has(package, folder):
    return subprocess.run(["Rscript", "-e", f"library({package})"], capture_output=True, cwd=folder).returncode == 0


def test_the_page(program, tmp_path):
    script = "".join(parts("r"))
    done = run(script, program, tmp_path)
    if not has("jsonlite", tmp_path):
        pytest.skip("R has no jsonlite")
    assert done.returncode == 0, done.stderr
    expected = [line[2:] for line in script.split("\n") if line.startswith("#>")]
    assert len(expected) > 8 and plain(done.stdout.split("\n")) == plain(expected)


def test_files_of_arrow(program, tmp_path):
    script = "".join(parts("r")) + "".join(parts("r,arrow")) + "stopifnot(nrow(found) == 50)\n"
    if shutil.which("Rscript") and not has("arrow", tmp_path):
        pytest.skip("R has no arrow")
    done = run(script, program, tmp_path)
    assert done.returncode == 0, done.stderr


def test_commands_of_the_page_exist(program):
    """Where R is not installed, the commands and options on the page are those of the program."""
    text = "".join(parts("r") + parts("r,arrow"))
    used = re.findall(r'mercer\("(\w+)"([^)]*?)\)', text.replace("\n", " "))
    assert {command for command, _ in used} >= {"fit", "predict", "evaluate", "gram"}
    for command, rest in used:
        said = subprocess.run([program, command, "--help"], capture_output=True, text=True).stdout
        for option in re.findall(r'"(--?[a-z][a-z-]*)"', rest):
            assert re.search(rf"(?<![\w-]){option}\b", said), f"{command} {option}"
