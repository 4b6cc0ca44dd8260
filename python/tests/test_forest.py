"""Forests and learned weights of columns, on tables as they come."""

import numpy as np
import pandas as pd
import pytest

import mercer

RNG = np.random.default_rng(3)
N = 200


def patients():
    """Ill if old, or if the ward is c and the age is missing."""
    age = np.where(RNG.random(N) < 0.2, np.nan, RNG.integers(1, 90, N))
    ward = RNG.choice(["a", "b", "c"], N).astype(object)
    ward[RNG.random(N) < 0.1] = None
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 10_000, N), "h")
    ill = (age > 50) | (np.isnan(age) & (ward == "c"))
    return pd.DataFrame({"age": age, "ward": ward, "day": day, "left": RNG.random(N) < 0.5}), np.where(ill, "ill", "well")


def test_a_frame_with_gaps_and_dates_is_taken_as_it_is():
    X, y = patients()
    for model in (mercer.SVC(kernel=mercer.Forest(), C=10), mercer.KernelRidgeClassifier(kernel=mercer.Forest(trees=50), alpha=0.1)):
        model.fit(X[:150], y[:150])
        assert model.score(X[150:], y[150:]) > 0.9
        again = mercer.GridSearch(model, {"kernel__leaf": [1, 5]}, cv=3).fit(X[:150], y[:150])
        assert again.best_score_ > 0.85


def test_numbers_as_a_target():
    X = RNG.standard_normal((300, 5))
    y = np.sin(2 * X[:, 0]) + (X[:, 1] > 0)
    model = mercer.KernelRidge(kernel=mercer.Forest(), alpha=0.03, fit_intercept=True).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.7
    assert mercer.Forest(mode="unsupervised").gram(X).shape == (300, 300)
    with pytest.raises(mercer.ParameterError, match=r"fit\(X, y\)"):
        mercer.Forest().gram(X)


def test_leaves_are_rules():
    X, y = patients()
    features, names = mercer.Forest(trees=5, depth=2).fit(X, y).features(X)
    assert features.shape == (N, len(names)) and all(name.startswith("tree ") for name in names)
    assert (features.sum(axis=1) * np.sqrt(5)).round(9).tolist() == [5.0] * N


def test_columns_that_do_not_help_are_said():
    X = pd.DataFrame(RNG.standard_normal((200, 4)), columns=list("abcd"))
    y = (X["a"] > 0).to_numpy()
    with pytest.warns(mercer.DataWarning, match="switched off: b, c, d"):
        k = mercer.Relevance(mercer.RBF()).fit(X, y)
    other = X.assign(b=0.0, c=1.0)
    np.testing.assert_array_equal(k.gram(X), k.gram(other))
    assert mercer.SVC(kernel=mercer.Relevance(mercer.RBF())).fit(X[:150], y[:150]).score(X[150:], y[150:]) > 0.9
