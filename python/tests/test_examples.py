"""Examples and documentation run without errors; the stubs match the registry."""

import doctest
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import mercer

HERE = pathlib.Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("path", sorted((HERE / "examples").glob("*.py")), ids=lambda p: p.name)
def test_example(path):
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and not done.stderr.strip()


@pytest.mark.parametrize("name", sorted(m.name for m in pkgutil.iter_modules(mercer.__path__) if m.name != "_mercer"))
def test_documentation(name):
    module = __import__(f"mercer.{name}", fromlist=["_"])
    outcome = doctest.testmod(module, extraglobs={"mercer": mercer})
    assert outcome.failed == 0


def test_documentation_of_kernels():
    runner, finder = doctest.DocTestRunner(), doctest.DocTestFinder(recurse=False)
    for made in mercer.kernels.CLASSES.values():
        for test in finder.find(made, made.__name__, globs={"mercer": mercer}):
            runner.run(test)
    assert runner.failures == 0 and runner.tries > 15


def test_the_readme():
    outcome = doctest.testfile(str(HERE / "README.md"), module_relative=False)
    assert outcome.failed == 0 and outcome.attempted > 10


def test_stubs_match_the_registry():
    done = subprocess.run([sys.executable, HERE / "stubs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_everything_is_exported_once():
    assert len(set(mercer.__all__)) == len(mercer.__all__)
    for name in mercer.__all__:
        assert hasattr(mercer, name), name
