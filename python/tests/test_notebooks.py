"""What notebooks show: diagrams with certificates, leaderboards, progress bars."""

import sys

import numpy as np
import pytest
from sklearn import config_context

import mercer
from mercer import _progress


def shown(estimator):
    """What a notebook shows of an estimator."""
    return estimator._repr_mimebundle_()["text/html"]


def test_fitted_estimators_show_their_certificate(iris):
    model = mercer.SVC()
    assert "<caption>certificate_" not in shown(model) and "SVC" in shown(model)
    model.fit(*iris)
    for text in (shown(model), model._repr_html_()):
        assert text.count("<tr>") >= 4 and "duality gap" in text and "converged" in text and "0|1" in text
    assert "duality gap" in shown(mercer.LinearSVC(max_iter=10_000).fit(*iris))
    # Without certificates there is nothing to add, and names are text.
    assert "<caption>certificate_" not in shown(mercer.KernelPCA(2).fit(iris[0]))
    odd = np.where(iris[1] == 0, "<b>", "c")
    assert "&lt;b&gt;|c" in shown(mercer.SVC().fit(iris[0], odd))
    with config_context(display="text"):
        assert set(model._repr_mimebundle_()) == {"text/plain"}


def test_automatic_estimators_show_their_leaderboard(iris):
    model = mercer.AutoClassifier(time=3, cv=3)
    assert "AutoClassifier" in shown(model)
    model.fit(*iris)
    assert "<caption>AutoClassifier" in shown(model) and model.leaderboard_[0]["learner"].split("(")[0] in model._repr_html_()


def test_comparisons_tell_their_progress(iris):
    said = []
    found = mercer.compare({"a": mercer.SVC(), "b": mercer.Perceptron()}, *iris, cv=3, progress=lambda *what: said.append(what))
    assert said == [(name, done, 3) for name in "ab" for done in range(4)]
    plain = mercer.compare({"a": mercer.SVC(), "b": mercer.Perceptron()}, *iris, cv=3)
    for name in "ab":
        for measure, values in plain[name].scores.items():
            np.testing.assert_array_equal(values, found[name].scores[measure])
    said.clear()
    mercer.evaluate(mercer.SVC(), *iris, cv=2, progress=lambda *what: said.append(what))
    assert said[-1] == ("SVC", 2, 2)


def test_bars_follow_tqdm():
    """One bar for each stage, of tqdm's class for notebooks if it is installed."""
    auto = pytest.importorskip("tqdm.auto")
    bars = _progress.Bars()
    assert bars.tqdm is auto.tqdm
    for what in (("gram", 0, 4), ("gram", 3, 4), ("gram", 4, 4), ("fit", 1, 2)):
        bars(*what)
    assert bars.bar.desc.startswith("fit") and bars.bar.n == 1
    bars.close()
    assert bars.bar is None


def test_bars_without_tqdm(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    mercer.compare([mercer.Perceptron()], np.arange(8.0)[:, None], [0, 1] * 4, cv=2, progress=True)
    assert "Perceptron [" in capsys.readouterr().err
