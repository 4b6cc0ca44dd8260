"""What ``import mercer`` loads, and that names which are loaded later are there."""

import subprocess
import sys

import pytest

import mercer


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_modules_are_loaded_when_they_are_used():
    loaded = run("import sys, mercer; print(*(m for m in sys.modules if m.startswith('mercer.')))")
    assert "mercer.kernels" in loaded
    assert not {"mercer.neighbors", "mercer.reports", "mercer.automatic", "mercer.search"} & set(loaded)
    loaded = run("import sys, mercer; mercer.SVC; print(*(m for m in sys.modules if m.startswith('mercer.')))")
    assert "mercer.svm" in loaded and "mercer.neighbors" not in loaded


def test_names():
    names = run("from mercer import *; import mercer; print(*(n for n in mercer.__all__ if n in globals() or n == '__version__'))")
    assert names == mercer.__all__ and {"SVC", "auto", "evaluate", "compare", "RBF", "read"} <= set(names)
    assert set(mercer.__all__) <= set(dir(mercer))
    assert run("import mercer.compare, mercer; print(mercer.compare.holm([0.5])[0], callable(mercer.compare))") == ["0.5", "True"]
    with pytest.raises(AttributeError, match="no attribute 'svc'"):
        mercer.svc
