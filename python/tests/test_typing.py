"""Type checkers are satisfied: mypy in its strict mode and pyright, with the stubs and with the Python code of the guide."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from test_guide import PAGES, WITH_PYTHON, blocks

import mercer

FOLDER = pathlib.Path(mercer.__file__).parent

#: Typed as they should be.
RIGHT = '''
import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import mercer
from mercer import RBF, SVC

X = np.zeros((4, 2))
model = SVC(kernel=RBF())
assert_type(model.fit(X, [0, 1, 0, 1]), SVC)
SVC(kernel="rbf", gamma="auto", C=10, class_weight={0: 2.0})
SVC(kernel=RBF(gamma=0.5) + 0.1 * mercer.Linear().on("age") ** 2, class_weight="balanced", threads=2)
assert_type(RBF() + mercer.Linear(), mercer.Sum)
assert_type(2 * RBF(), mercer.Scaled)
mercer.Standardize(RBF(sigma=2.0), columns=["a", "b"])
mercer.Mkl([RBF(), mercer.Linear()])
sum([RBF(), mercer.Linear()])
mercer.Function(lambda a, b: float(a == b)).gram(["a", "b"])
found = mercer.compare({"svm": model}, X, [0, 1, 0, 1], cv=2)
assert_type(found, mercer.Comparison)
assert_type(found.verdict, str)
mercer.compare.holm([0.1, 0.2])
pipe = mercer.GridSearch(model, {"C": [1, 10]}, cv=3).fit(X, [0, 1, 0, 1])
why = model.explain(X)[0]
assert_type(why.value, float)
series = mercer.Series(np.zeros((3, 4, 2)), layout="(n, time, channels)")
graphs = mercer.Graphs([], node_label="element", node_attributes=["mass"])
K: NDArray[np.float64] = mercer.DTW(window=0.1).pairwise(series)
mercer.datasets.load_iris(as_frame=True)
'''

#: Each line has a fault that a checker must find.
WRONG = """
import mercer

mercer.SVC(kernal="rbf")
mercer.SVC(scheme="one-versus-two")
mercer.SVC(kernel=3.0)
mercer.RBF(gamma="large")
mercer.RBF() + "linear"
mercer.KernelPCA(n_components="two")
mercer.make_rings(10)
mercer.compare.holm()
"""


def sessions():
    """The Python code of the guide, one file for each page."""
    out = {}
    for page in WITH_PYTHON:
        lines = []
        for _, info, body in blocks(PAGES[page]):
            if info != "python":
                continue
            within = False
            for line in body.split("\n"):
                if line.startswith((">>> ", "... ")) or line in (">>>", "..."):
                    within = True
                    lines.append(line[4:])
                elif within and not line.strip():
                    within = False
        out[page] = "import mercer\nimport numpy as np\n" + "\n".join(lines) + "\n"
    return out


def write(folder):
    (folder / "right.py").write_text(RIGHT, encoding="utf-8")
    for page, text in sessions().items():
        (folder / f"guide_{re.sub('[^a-z]', '_', page)}.py").write_text(text, encoding="utf-8")
    wrong = folder / "wrong"
    wrong.mkdir()
    (wrong / "wrong.py").write_text(WRONG, encoding="utf-8")


def mypy(folder, *arguments):
    # Other packages without types are not our concern; names of a session may be used for several things.
    settings = "[mypy]\nstrict = true\nignore_missing_imports = true\nallow_redefinition_new = true\nlocal_partial_types = true\n"
    (folder / "mypy.ini").write_text(settings + "disable_error_code = no-untyped-call, no-untyped-def\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", folder / "mypy.ini", "--cache-dir", folder / "cache", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=600)
    return done.stdout + done.stderr


def test_mypy(tmp_path):
    pytest.importorskip("mypy")
    write(tmp_path)
    # Checked where they are installed, mypy takes all other packages for part of ours.
    (tmp_path / "mercer").mkdir()
    for stub in FOLDER.glob("*.pyi"):
        shutil.copy(stub, tmp_path / "mercer")
    stubs = sorted((tmp_path / "mercer").glob("*.pyi"))
    assert len(stubs) > 25
    said = mypy(tmp_path, *stubs, *sorted(tmp_path.glob("*.py")))
    assert said.startswith("Success"), said
    faults = mypy(tmp_path, tmp_path / "wrong" / "wrong.py")
    lines = {int(line) for line in re.findall(r"wrong\.py:(\d+): error", faults)}
    assert lines == set(range(4, len(WRONG.strip().split("\n")) + 2)), faults


def test_pyright(tmp_path):
    pytest.importorskip("pyright")
    if shutil.which("node") is None:
        pytest.skip("pyright needs node")
    write(tmp_path)
    settings = {"typeCheckingMode": "basic", "include": [str(tmp_path)], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(tmp_path)]
    # The package has pyright with it: nothing is looked for elsewhere.
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [one for one in found if one["severity"] == "error"]
    inside = [f"{pathlib.Path(o['file']).name}:{o['range']['start']['line'] + 1}: {o['message']}" for o in errors if "wrong" not in o["file"]]
    assert not inside, "\n".join(inside)
    lines = {one["range"]["start"]["line"] + 1 for one in errors if one["file"].endswith("wrong.py")}
    assert lines == set(range(4, len(WRONG.strip().split("\n")) + 2))
