"""Verdicts of evaluations: one split, leave-one-out, classes of different size."""

import warnings

import numpy as np
import pytest

import mercer


def evaluated(X, y, kernel="linear", learner="svc", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mercer.DataWarning)
        return mercer.evaluate(X, y, kernel, learner, figures=False, **options)


def test_one_split_is_tested_object_by_object():
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


def test_leave_one_out_has_a_baseline_that_can_be_right():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 2)), np.array(["x", "y"] * 15)
    found = evaluated(X, y, protocol="leave-one-out")
    for name in ("accuracy", "balanced-accuracy", "auc"):
        assert found.measures[name]["baseline"]["mean"] == pytest.approx(0.5)
    assert found.document["verdict"]["beaten"] is not True


def test_a_small_class_is_seen():
    rng = np.random.default_rng(2)
    rare = np.arange(480) % 8 == 0
    # In the upper half of a column: not enough to predict the class, enough to rank by.
    X = rng.uniform(-2, 2, size=(480, 2))
    X[rare, 0] = np.abs(X[rare, 0])
    found = evaluated(X, np.where(rare, "rare", "common"), learner="ridge(intercept=yes)")
    verdict = found.document["verdict"]
    assert (verdict["beaten"], verdict["learned"]) == (False, True)
    assert "By auc it is better" in found.verdict
