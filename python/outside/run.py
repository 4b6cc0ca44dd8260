"""Run test suites of other projects in one process: python run.py REPORT SUITE…"""

import importlib.util
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))


def main(report, names):
    sys.path.insert(0, HERE)
    from in_place import SUITES

    modules, files = [], []
    for name in names:
        for module in SUITES[name]:
            (files if module.startswith("./") else modules).append(module)
    lacking = [module for module in modules if not there(module)]
    for module in lacking:
        print(f"{module}: not installed, left out")
    modules = [module for module in modules if module not in lacking]
    arguments = ["-c", os.path.join(HERE, "pytest.ini"), "--outside-report", report, "--outside-suites", ",".join(names)]
    paths = [os.path.join(HERE, name) for name in files]
    return pytest.main([*arguments, *paths, "--pyargs", *modules])


def there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
