"""Verdicts of evaluations: a single split, leave-one-out, imbalanced classes."""

import warnings

import numpy as np
import pytest

import mercer


def evaluated(X, y, kernel="linear", learner="svc", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mercer.DataWarning)
        return mercer.evaluate(X, y, kernel, learner, figures=False, **options)


def test_a_single_split_is_tested_per_object():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = np.eye(3)[y] + 0.05 * rng.normal(size=(90, 3))
    found = evaluated(X, y.astype(str), protocol="holdout(0.3)")
    assert found.document["verdict"]["beaten"] is True
    assert found.document["verdict"]["test"]["name"] == "McNemar, exact"
    target = X @ [1.0, 2.0, 3.0] + 0.05 * rng.normal(size=90)
    found = evaluated(X, target, learner="ridge", protocol="holdout(0.3)")
    assert found.document["verdict"]["beaten"] is True
    assert found.document["verdict"]["test"]["name"] == "paired randomisation"


def test_the_baseline_of_leave_one_out():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 2)), np.array(["x", "y"] * 15)
    found = evaluated(X, y, protocol="leave-one-out")
    for name in ("accuracy", "balanced-accuracy", "auc"):
        assert found.measures[name]["baseline"]["mean"] == pytest.approx(0.5)
    assert found.document["verdict"]["beaten"] is not True


def test_a_rare_class_is_detected():
    rng = np.random.default_rng(2)
    rare = np.arange(480) % 8 == 0
    # The rare class is in the upper half of a column: not sufficient for predictions, but for a ranking.
    X = rng.uniform(-2, 2, size=(480, 2))
    X[rare, 0] = np.abs(X[rare, 0])
    found = evaluated(X, np.where(rare, "rare", "common"), learner="ridge(intercept=yes)")
    verdict = found.document["verdict"]
    assert (verdict["beaten"], verdict["learned"]) == (False, True)
    assert "By auc it is better" in found.verdict
