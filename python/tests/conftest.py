"""Shared data. Nothing is downloaded."""

import os
import pathlib
import signal

import numpy as np
import pytest
from sklearn.datasets import load_iris

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# A shell's background jobs ignore Ctrl-C, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture
def two_classes():
    """100 points in 5 dimensions of two classes of unequal size."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((100, 5))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.standard_normal(100) > 0.8).astype(int)
    return X, y


@pytest.fixture
def numbers():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((120, 4))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.05 * rng.standard_normal(120)


@pytest.fixture
def program():
    """The program ``mercer``: that of MERCER_PROGRAM, or a build in target/."""
    named = os.environ.get("MERCER_PROGRAM")
    places = [pathlib.Path(named)] if named else [ROOT / "target" / p / "mercer" for p in ("debug", "release")]
    for place in places:
        if place.exists():
            return place
    pytest.skip("the program is not built")
