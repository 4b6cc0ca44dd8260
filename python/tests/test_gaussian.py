"""Gaussian processes compared with scikit-learn's."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, make_friedman1, make_friedman2, make_regression
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel
from sklearn.model_selection import GridSearchCV

import mercer


def data(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, d))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.standard_normal(n), rng.uniform(-3, 3, (25, d))


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)


# k(x, y) = exp(-|x - y|² / 2 l²) is rbf with gamma = 1 / 2 l².
SAME = [
    (mercer.RBF(gamma=0.5), RBF(1.0), 1.0),
    (mercer.RBF(gamma=0.125), ConstantKernel(3.0) * RBF(2.0), 3.0),
    (mercer.Linear(), DotProduct(sigma_0=0.0), 1.0),
    (mercer.RBF(gamma=0.5) + mercer.Linear(), RBF(1.0) + DotProduct(sigma_0=0.0), 1.0),
]


@pytest.mark.parametrize("ours, theirs, scale", SAME, ids=["rbf", "scaled", "linear", "sum"])
@pytest.mark.parametrize("normalize", [False, True])
def test_values_are_those_of_scikit_learn(ours, theirs, scale, normalize):
    X, y, new = data()
    a = mercer.GaussianProcessRegressor(kernel=ours, alpha=0.05, scale=scale, mean="zero", optimizer=None, normalize_y=normalize).fit(X, y)
    b = GaussianProcessRegressor(theirs, alpha=0.05, optimizer=None, normalize_y=normalize).fit(X, y)
    mean, std = a.predict(new, return_std=True)
    expected = b.predict(new, return_std=True)
    close(mean, expected[0])
    close(std, expected[1])
    close(a.predict(new), expected[0])
    mean, covariance = a.predict(new, return_cov=True)
    close(covariance, b.predict(new, return_cov=True)[1])
    close(np.sqrt(np.diag(covariance)), std)
    close(a.log_marginal_likelihood_value_, b.log_marginal_likelihood_value_)
    close(a.log_marginal_likelihood(), b.log_marginal_likelihood(b.kernel_.theta))
    close(a.L_, b.L_)
    close(a.alpha_, b.alpha_)
    close(a.X_train_, b.X_train_)
    close(a.y_train_, b.y_train_)


def test_the_likelihood_and_its_gradient_at_other_hyperparameters():
    X, y, _ = data()
    a = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5), alpha=0.05, scale=2.0, mean="zero", optimizer=None).fit(X, y)
    assert a.hyperparameters_ == ("scale", "alpha", "kernel__gamma")
    np.testing.assert_allclose(np.exp(a.theta_), [2.0, 0.05, 0.5])
    close(a.log_marginal_likelihood(a.theta_), a.log_marginal_likelihood())
    b = GaussianProcessRegressor(ConstantKernel(2.0) * RBF(1.0) + WhiteKernel(0.05), alpha=0.0, optimizer=None).fit(X, y)
    for scale, length, noise in ((1.0, 1.5, 0.2), (5.0, 0.4, 0.01)):
        gamma = 0.5 / length**2
        value, gradient = a.log_marginal_likelihood(np.log([scale, noise, gamma]), eval_gradient=True)
        expected, slope = b.log_marginal_likelihood(np.log([scale, length, noise]), eval_gradient=True)
        close(value, expected)
        # d/d log gamma = -1/2 d/d log length.
        np.testing.assert_allclose(gradient, [slope[0], slope[2], -0.5 * slope[1]], rtol=1e-5, atol=1e-5)
    with pytest.raises(mercer.ParameterError, match="theta"):
        a.log_marginal_likelihood([0.0])


def problems():
    yield "diabetes", *load_diabetes(return_X_y=True)
    for seed in range(7):
        yield f"friedman1-{seed}", *make_friedman1(60 + 10 * seed, noise=0.3 + seed, random_state=seed)
        yield f"friedman2-{seed}", *make_friedman2(60 + 10 * seed, noise=20.0, random_state=seed)
    for seed in range(5):
        yield f"linear-{seed}", *make_regression(80, 5, noise=10.0 * (seed + 1), random_state=seed)


@pytest.mark.parametrize("name, X, y", list(problems()), ids=[p[0] for p in problems()])
def test_the_optimum_of_the_likelihood_is_at_least_as_high(name, X, y):
    """Scale and noise, on 20 data sets, for the same kernel; scikit-learn with three starts."""
    X = (X[:150] - X[:150].mean(0)) / X[:150].std(0)
    y = (y[:150] - y[:150].mean()) / y[:150].std()
    a = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.125), mean="zero", optimizer=None).fit(X, y)
    kernel = ConstantKernel(1.0, (1e-8, 1e8)) * RBF(2.0, "fixed") + WhiteKernel(0.1, (1e-10, 1e5))
    b = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=2, random_state=0).fit(X, y)
    assert a.log_marginal_likelihood_value_ >= b.log_marginal_likelihood_value_ - 1e-6


def test_samples_have_the_mean_and_covariance():
    X, y, new = data()
    a = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5), alpha=0.05, scale=1.0, mean="zero", optimizer=None).fit(X, y)
    mean, covariance = a.predict(new[:5], return_cov=True)
    drawn = a.sample_y(new[:5], 20000, random_state=1)
    assert drawn.shape == (5, 20000)
    np.testing.assert_allclose(drawn.mean(1), mean, atol=0.03)
    np.testing.assert_allclose(np.cov(drawn), covariance, atol=0.03)
    np.testing.assert_array_equal(a.sample_y(new, 3, random_state=5), a.sample_y(new, 3, random_state=5))
    assert (a.sample_y(new, random_state=5) != a.sample_y(new, random_state=6)).any() and a.sample_y(new).shape == (25, 1)
    assert a.sample_y(new, 2, random_state=np.random.RandomState(0)).shape == (25, 2)


def test_the_prior():
    _, _, new = data()
    prior = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5), scale=4.0)
    mean, std = prior.predict(new, return_std=True)
    assert (mean == 0).all()
    np.testing.assert_allclose(std, 2.0)
    close(prior.predict(new, return_cov=True)[1], 4.0 * mercer.RBF(gamma=0.5).gram(new))
    np.testing.assert_allclose(prior.sample_y(new[:3], 20000).std(1), 2.0, atol=0.05)


def test_objects_of_every_kind(tmp_path):
    smiles = ["CCO", "CCCO", "CCCCO", "c1ccccc1", "CCN", "CCCl", "CCCN", "Cc1ccccc1"]
    y = np.array([1.0, 2.0, 3.0, 9.0, 1.0, 1.5, 2.0, 10.0])
    gp = mercer.GaussianProcessRegressor(kernel="tanimoto(ecfp)").fit(smiles, y)
    mean, std = gp.predict(["CCCCCO", "FC(F)(F)S"], return_std=True)
    assert std[0] < std[1] and gp.predict(["CCCCCO"], return_cov=True)[1].shape == (1, 1)
    words = ["abab", "abba", "aabb", "cdcd", "cddc", "ccdd"]
    strings = mercer.GaussianProcessRegressor(kernel=mercer.Spectrum(k=2)).fit(words, [0.0, 0, 0, 1, 1, 1])
    assert strings.predict(["abab"])[0] < 0.5 < strings.predict(["cdcd"])[0]
    nx = pytest.importorskip("networkx")
    graphs = [nx.cycle_graph(n) for n in range(3, 9)] + [nx.star_graph(n) for n in range(3, 9)]
    rings = mercer.GaussianProcessRegressor(kernel="normalize(wl(h=2))").fit(graphs, [0.0] * 6 + [1.0] * 6)
    assert rings.predict([nx.cycle_graph(10)])[0] < rings.predict([nx.star_graph(10)])[0]
    for one in (gp, strings):
        again = pickle.loads(pickle.dumps(one))
        objects = smiles if one is gp else words
        np.testing.assert_array_equal(again.predict(objects, return_std=True), one.predict(objects, return_std=True))
        close(again.log_marginal_likelihood(again.theta_), again.log_marginal_likelihood())
        one.save(tmp_path / "gp.mercer")
        loaded = mercer.load(tmp_path / "gp.mercer")
        assert isinstance(loaded, mercer.GaussianProcessRegressor)
        np.testing.assert_array_equal(loaded.predict(objects, return_std=True), one.predict(objects, return_std=True))
        with pytest.raises(mercer.ParameterError, match="training objects"):
            loaded.log_marginal_likelihood(loaded.theta_)


def test_learned_parameters_and_attributes():
    X, y, new = data(80)
    gp = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5), optimizer=None).fit(X, 100 + 10 * y)
    assert 0.1 < gp.noise_ < 10 and abs(gp.mean_ - 100) < 20 and gp.scale_ > 10
    assert isinstance(gp.kernel_, mercer.Kernel) and gp.kernel_.gamma == 0.5
    mean = gp.mean_ + gp.scale_ * mercer.RBF(gamma=0.5).cross(new, X) @ gp.alpha_
    np.testing.assert_allclose(gp.predict(new), mean)
    value, gradient = gp.log_marginal_likelihood(eval_gradient=True)
    # At the optimum of scale and noise.
    assert np.abs(gradient[:2]).max() < 1e-2
    normalised = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5), optimizer=None, normalize_y=True).fit(X, 100 + 10 * y)
    np.testing.assert_allclose(normalised.predict(new), gp.predict(new), rtol=1e-3)
    with pytest.raises(mercer.ParameterError, match="normalis"):
        normalised.save("never-written.mercer")
    search = GridSearchCV(mercer.GaussianProcessRegressor(kernel=mercer.RBF()), {"kernel__gamma": [0.01, 0.5]}, cv=3).fit(X, y)
    assert search.best_params_["kernel__gamma"] in (0.01, 0.5)
    assert clone(gp).get_params()["kernel__gamma"] == 0.5


def test_bad_input():
    X, y, new = data(20)
    for wrong in (
        {"alpha": -1.0}, {"alpha": "known"}, {"alpha": float("nan")}, {"scale": 0.0}, {"scale": "big"}, {"mean": "median"}, {"optimizer": "sgd"},
        {"alpha": None}, {"kernel": "precomputed"}, {"kernel": lambda a, b: a @ b.T}, {"kernel": 3},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            mercer.GaussianProcessRegressor(**wrong).fit(X, y)
    with pytest.raises(ValueError, match="sample"):
        mercer.GaussianProcessRegressor().fit(X[:3], y[:3])
    few = mercer.GaussianProcessRegressor(kernel=mercer.RBF(), alpha=0.1, scale=1.0).fit(X[:3], y[:3])
    assert few.predict(new).shape == (25,)
    with pytest.raises(mercer.NotPositiveDefinite):
        mercer.GaussianProcessRegressor(kernel="sigmoid", gamma=1.0, coef0=-3.0).fit(X, y)
    with pytest.raises(RuntimeError, match="At most one"):
        few.predict(new, return_std=True, return_cov=True)
    with pytest.warns(UserWarning, match="W_CONSTANT"):
        flat = mercer.GaussianProcessRegressor(kernel=mercer.RBF()).fit(X, np.ones(20))
    np.testing.assert_allclose(flat.predict(new), 1.0)
    with pytest.raises(ValueError):
        few.sample_y(new, n_samples=-1)


# ------------------------------------------------------------------ weights, quantiles, means


def test_weights_divide_the_noise():
    X, y, new = data()
    weights = np.random.default_rng(2).uniform(0.2, 5.0, len(y))
    a = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5), alpha=0.05, scale=1.0, mean="zero", optimizer=None)
    a.fit(X, y, sample_weight=weights)
    b = GaussianProcessRegressor(RBF(1.0), alpha=0.05 / weights, optimizer=None).fit(X, y)
    mean, std = a.predict(new, return_std=True)
    expected = b.predict(new, return_std=True)
    close(mean, expected[0])
    close(std, expected[1])
    close(a.log_marginal_likelihood(), b.log_marginal_likelihood(b.kernel_.theta))
    close(a.log_marginal_likelihood(a.theta_), a.log_marginal_likelihood())
    # Objects with a weight of 0 are not there.
    weights[::2] = 0.0
    close(a.fit(X, y, sample_weight=weights).predict(new), a.fit(X[1::2], y[1::2], sample_weight=weights[1::2]).predict(new))
    with pytest.raises(ValueError, match="weight"):
        a.fit(X, y, sample_weight=-weights)
    # Learned noise is that of weight 1: half of the observations are three times as noisy as the others.
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-5, 5, 400))[:, None]
    size = np.where(np.arange(400) % 2 == 0, 0.1, 0.3)
    learned = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5)).fit(x, np.sin(x[:, 0]) + size * rng.standard_normal(400), sample_weight=(0.1 / size) ** 2)
    assert 0.08 < np.sqrt(learned.noise_) < 0.12


def test_quantiles_are_those_of_observations():
    X, y, new = data()
    for normalize in (False, True):
        gp = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5), alpha=0.05, scale=1.0, optimizer=None, normalize_y=normalize).fit(X, y)
        mean, std = gp.predict(new, return_std=True)
        noise = 0.05 * (y.var() if normalize else 1.0)
        found = gp.predict_quantiles(new, [0.5, 0.975])
        close(found[:, 0], mean)
        close(found[:, 1], mean + 1.959963984540054 * np.sqrt(std**2 + noise))
    for wrong in ([0.0], [0.5, 1.0], [np.nan], [[0.5]]):
        with pytest.raises(mercer.ParameterError, match="quantiles"):
            gp.predict_quantiles(new, wrong)


def test_a_linear_mean_goes_on_where_there_is_no_data():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 10, (80, 2))
    y = 3.0 * x[:, 0] - 2.0 * x[:, 1] + np.sin(3 * x[:, 0]) + 0.1 * rng.standard_normal(80)
    far = np.array([[30.0, 0.0], [0.0, 30.0]])
    constant, linear = (mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=1.0), mean=mean).fit(x, y) for mean in ("constant", "linear"))
    assert np.abs(linear.predict(far) - [90.0, -60.0]).max() < 3.0 < np.abs(constant.predict(far) - [90.0, -60.0]).max()
    close(linear.log_marginal_likelihood(linear.theta_), linear.log_marginal_likelihood())
    with pytest.raises(ValueError):
        mercer.GaussianProcessRegressor(kernel="tanimoto(ecfp)", mean="linear").fit(["CCO", "CCN", "CCC", "CCCC", "CCCl"], [1.0, 2, 3, 4, 5])


# ------------------------------------------------------------------ suggestions


def test_suggestions_are_those_of_the_program(tmp_path):
    import os
    import subprocess

    X = np.random.default_rng(4).uniform(-2, 2, (30, 1))
    y = np.sin(X[:, 0])
    candidates = np.linspace(-3, 3, 41)[:, None]
    gp = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5), alpha=0.01).fit(X, y)
    mean, std = gp.predict(candidates, return_std=True)
    for goal, sign in (("maximize", 1.0), ("minimize", -1.0)):
        found = gp.suggest(candidates, goal, by="confidence-bound", beta=1.5)
        close(found.scores, (mean + sign * 1.5 * std)[found.indices])
        close(found.means, mean[found.indices])
        np.testing.assert_allclose(found.stds, std[found.indices], atol=1e-7)
        assert (np.diff(sign * found.scores) <= 1e-12).all() and sorted(found.indices) == list(range(41))
    batch = gp.suggest(candidates, "minimize", batch=4)
    assert len(set(batch.indices.tolist())) == 4 and batch.indices[0] == gp.suggest(candidates, "minimize").indices[0]
    normalized = mercer.GaussianProcessRegressor(kernel=mercer.RBF(gamma=0.5), normalize_y=True).fit(X, 100 + 10 * y)
    shown = normalized.suggest(candidates, best=110.0)
    assert 80 < shown.means.mean() < 120 and shown.scores[0] > 0
    for wrong in ({"goal": "largest"}, {"by": "luck"}, {"beta": -1.0, "by": "confidence-bound"}, {"batch": 0}, {"best": np.nan}):
        with pytest.raises(ValueError):
            gp.suggest(candidates, **wrong)
    program = os.environ.get("MERCER_PROGRAM")
    if not program:
        pytest.skip("MERCER_PROGRAM does not name the program")
    gp.save(tmp_path / "gp.mercer")
    np.savetxt(tmp_path / "c.csv", candidates, header="x", comments="")
    table = subprocess.run([program, "suggest", "gp.mercer", "c.csv", "--minimize", "--batch", "4", "-q"], cwd=tmp_path, capture_output=True, text=True, check=True)
    rows = [int(line.split(",")[0]) - 1 for line in table.stdout.splitlines()[1:]]
    assert rows == batch.indices.tolist()


# ------------------------------------------------------------------ classification


def two_classes(n=80):
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, (n, 2))
    return X, np.where(X[:, 0] ** 2 + X[:, 1] + 0.5 * rng.standard_normal(n) > 1, "yes", "no"), rng.uniform(-3, 3, (30, 2))


def test_classifiers_agree_with_scikit_learn():
    X, y, new = two_classes()
    a = mercer.GaussianProcessClassifier(kernel=mercer.RBF(gamma=0.5), scale=2.0, optimizer=None).fit(X, y)
    b = GaussianProcessClassifier(ConstantKernel(2.0) * RBF(1.0), optimizer=None).fit(X, y)
    close(a.log_marginal_likelihood(), b.log_marginal_likelihood(b.kernel_.theta))
    # scikit-learn approximates the mean of the logistic function by five error functions.
    np.testing.assert_allclose(a.predict_proba(new), b.predict_proba(new), atol=2e-3)
    assert (a.predict(new) == b.predict(new)).all() and list(a.classes_) == ["no", "yes"] and a.n_classes_ == 2
    value, gradient = a.log_marginal_likelihood(np.log([3.0, 0.8]), eval_gradient=True)
    expected, slope = b.log_marginal_likelihood(np.log([3.0, np.sqrt(0.5 / 0.8)]), eval_gradient=True)
    close(value, expected)
    np.testing.assert_allclose(gradient, [slope[0], -0.5 * slope[1]], rtol=1e-4, atol=1e-4)
    # With learned numbers the likelihood is at least as high.
    own = mercer.GaussianProcessClassifier(kernel=mercer.RBF()).fit(X, y)
    peer = GaussianProcessClassifier(ConstantKernel() * RBF(), n_restarts_optimizer=2, random_state=0).fit(X, y)
    assert own.log_marginal_likelihood_value_ >= peer.log_marginal_likelihood_value_ - 1e-4
    assert own.hyperparameters_ == ("scale", "kernel__gamma") and own.kernel_.gamma != 1.0


@pytest.mark.parametrize("approximation", ["laplace", "ep"])
def test_classifiers_of_every_kind(approximation, tmp_path):
    X, y = load_iris(return_X_y=True)
    gp = mercer.GaussianProcessClassifier(kernel="standardize(rbf(gamma=0.25))", approximation=approximation).fit(X[::2], y[::2])
    shares = gp.predict_proba(X[1::2])
    assert gp.score(X[1::2], y[1::2]) > 0.92 and shares.shape == (75, 3)
    np.testing.assert_allclose(shares.sum(1), 1.0)
    words = ["abab", "abba", "baba", "cdcd", "cddc", "dcdc"]
    strings = mercer.GaussianProcessClassifier(kernel=mercer.Spectrum(k=2), approximation=approximation).fit(words, [0, 0, 0, 1, 1, 1])
    assert strings.predict(["abaa", "dccd"]).tolist() == [0, 1]
    for one, objects in ((gp, X), (strings, words)):
        again = pickle.loads(pickle.dumps(one))
        np.testing.assert_array_equal(again.predict_proba(objects), one.predict_proba(objects))
        one.save(tmp_path / "gpc.mercer")
        loaded = mercer.load(tmp_path / "gpc.mercer")
        assert isinstance(loaded, mercer.GaussianProcessClassifier) and loaded.approximation == approximation
        np.testing.assert_array_equal(loaded.predict_proba(objects), one.predict_proba(objects))


def test_classifiers_refuse_what_they_cannot_do():
    X, y, _ = two_classes()
    for wrong in ({"approximation": "mcmc"}, {"scale": 0.0}, {"scale": "auto"}, {"optimizer": "lbfgs"}, {"kernel": "precomputed"}):
        with pytest.raises(ValueError):
            mercer.GaussianProcessClassifier(**wrong).fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        mercer.GaussianProcessClassifier().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="positive"):
        mercer.GaussianProcessClassifier(kernel=mercer.Sigmoid(gamma=1.0, c=-3.0), scale=1.0).fit(X, y)


@pytest.mark.parametrize("more", [{"solver": "cg", "landmarks": 60}, {"landmarks": 60}, {"solver": "cg"}])
def test_many_objects(more, tmp_path):
    X, y, new = data(300, 2)
    given = {"kernel": mercer.RBF(gamma=0.5), "alpha": 0.02, "scale": 1.0}
    exact, many = mercer.GaussianProcessRegressor(**given).fit(X, y), mercer.GaussianProcessRegressor(**given, **more).fit(X, y)
    mean, std = exact.predict(new, return_std=True)
    found, spread = many.predict(new, return_std=True)
    # Some new objects are outside of the data, where few landmarks are near.
    near = 0.05 if "solver" in more else 0.3
    np.testing.assert_allclose(found, mean, atol=near)
    np.testing.assert_allclose(spread, std, atol=near)
    many.save(tmp_path / "gp.mercer")
    loaded = mercer.load(tmp_path / "gp.mercer")
    np.testing.assert_array_equal(loaded.predict(new, return_std=True), many.predict(new, return_std=True))
    if "solver" in more:
        assert (spread >= std - 1e-6).all() and not hasattr(many, "L_")
        with pytest.raises(mercer.ParameterError, match="likelihood"):
            many.log_marginal_likelihood()
    # Candidates, covariances and samples follow from the same posterior.
    ranked = many.suggest(new, by="variance")
    np.testing.assert_allclose(ranked.stds, spread[ranked.indices], atol=1e-9)
    assert len(set(many.suggest(new, by="variance", batch=3).indices)) == 3
    np.testing.assert_allclose(np.diag(many.predict(new, return_cov=True)[1]), spread**2, atol=1e-9)
    assert many.sample_y(new, 2).shape == (len(new), 2)
    with pytest.raises(ValueError, match="solver"):
        mercer.GaussianProcessRegressor(solver="lbfgs").fit(X, y)
