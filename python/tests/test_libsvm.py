"""All five support vector problems against LIBSVM, on random problems that include degenerate ones.

Each problem is fitted by mercer and by scikit-learn's LIBSVM. The objective, the violation of the optimality conditions
and the duality gap of both solutions are recomputed from ``dual_coef_`` by NumPy, independently of both solvers.

``MERCER_LIBSVM`` is the number of problems (default 300), ``MERCER_LIBSVM_SEED`` the number of the first.
"""

import json
import os
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn import svm
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel

import mercer

COUNT = int(os.environ.get("MERCER_LIBSVM", "300"))
FIRST = int(os.environ.get("MERCER_LIBSVM_SEED", "0"))
#: Problems per test, so that a failure lists only a few.
BATCH = 50
KINDS = ["svc", "nu-svc", "svr", "nu-svr", "one-class"]
#: LIBSVM may not terminate for a large C; then ours must merely be no worse than its solution.
MOST = 100_000
OURS = dict(zip(KINDS, [mercer.SVC, mercer.NuSVC, mercer.SVR, mercer.NuSVR, mercer.OneClassSVM]))
THEIRS = dict(zip(KINDS, [svm.SVC, svm.NuSVC, svm.SVR, svm.NuSVR, svm.OneClassSVM]))


class Problem:
    """A random problem: objects, targets, weights and parameters."""

    def __init__(self, number):
        self.number = number
        self.random = random = np.random.default_rng(number)
        self.kind = KINDS[number % 5]
        n, d = int(random.integers(2, 41)), int(random.integers(1, 7))
        X = random.normal(size=(n + 5, d))
        if random.random() < 0.3:
            X = np.round(X)
        if random.random() < 0.4:
            X[random.random(n + 5) < random.choice([0.1, 0.4, 0.9])] = 0
        for _ in range(int(random.integers(0, 4))):
            X[random.integers(n)] = X[random.integers(n)]
        self.scale = float(10.0 ** random.uniform(-8, 8)) if random.random() < 0.3 else 1.0
        X *= self.scale
        if random.random() < 0.1:
            X[:n] *= 10.0 ** random.uniform(-8, 8, size=(n, 1))
        self.sparse = random.random() < 0.35
        self.new, self.X = X[n:], X[:n]
        self.n = n
        self._target(n)
        self._parameters(d)
        self.weights = None
        if random.random() < 0.35:
            self.weights = random.choice([0.0, 0.5, 1.0, 3.0, 1e-3, 1e3], size=n) if random.random() < 0.5 else random.random(n)
            # scikit-learn drops objects of weight 0, so a class might disappear.
            if self.classes is not None:
                for c in self.classes:
                    at = np.flatnonzero(self.y == c)
                    if not (self.weights[at] > 0).any():
                        self.weights[at[0]] = 1.0
            self.weights[0] = self.weights[0] or 1.0
        self.class_weight = None
        if self.kind == "svc" and random.random() < 0.3:
            factors = 10.0 ** random.uniform(-2, 2, size=len(self.classes))
            self.class_weight = dict(zip(self.classes.tolist(), factors.tolist()))
            if random.random() < 0.3:
                self.class_weight = "balanced"

    def _target(self, n):
        random = self.random
        self.classes, self.y = None, None
        if self.kind in ("svc", "nu-svc"):
            count = min(n, int(random.choice([2, 2, 2, 3, 4])))
            y = random.integers(0, count, size=n)
            if random.random() < 0.6:
                # Something to learn.
                y = np.clip((self.X @ random.normal(size=self.X.shape[1]) > 0) + (random.random(n) < 0.1), 0, count - 1)
            if random.random() < 0.2:
                y[:] = 0
            # Every class has a member, some only one.
            y[random.permutation(n)[:count]] = np.arange(count)
            self.y, self.classes = y, np.arange(count)
        elif self.kind != "one-class":
            slope = random.normal(size=self.X.shape[1]) / (self.scale if random.random() < 0.8 else 1.0)
            self.y = self.X @ slope + random.normal(size=n) * random.choice([0.0, 0.1, 1.0])
            self.y *= 10.0 ** float(random.choice([-3, 0, 0, 0, 3]))

    def _parameters(self, d):
        random = self.random
        self.tol = float(random.choice([1e-3, 1e-3, 1e-6]))
        self.C = float(10.0 ** random.uniform(-6, 6))
        self.nu = float(random.choice([random.uniform(0.01, 1.0), random.uniform(0.01, 0.3), 0.5]))
        self.epsilon = float(random.choice([0.0, 0.01, 0.1, 1.0]))
        self.kernel = str(random.choice(["linear", "linear", "rbf", "rbf", "poly", "sigmoid", "precomputed"]))
        unit = 1.0 / (d * self.scale**2)
        self.gamma = float(unit * 10.0 ** random.uniform(-2, 1.5))
        self.degree, self.coef0 = int(random.integers(1, 4)), float(random.choice([0.0, 1.0]))
        if self.kernel == "sigmoid":
            self.gamma *= 0.1
        # What a precomputed matrix holds.
        self.inside = str(random.choice(["linear", "rbf"]))

    def gram(self, A, B):
        kernel = self.inside if self.kernel == "precomputed" else self.kernel
        if kernel == "linear":
            return linear_kernel(A, B)
        if kernel == "rbf":
            return rbf_kernel(A, B, gamma=self.gamma)
        if kernel == "poly":
            return polynomial_kernel(A, B, degree=self.degree, gamma=self.gamma, coef0=self.coef0)
        return sigmoid_kernel(A, B, gamma=self.gamma, coef0=self.coef0)

    def doubt(self, K, at):
        """Possible rounding differences of entries by the order of summation: inner products of long vectors cancel."""
        if self.kernel != "sigmoid":
            return np.zeros_like(K)
        lengths = np.linalg.norm(self.X[at], axis=1)
        return 8 * np.finfo(float).eps * self.gamma * np.outer(lengths, lengths) * (1 - K**2)

    def data(self):
        if self.kernel == "precomputed":
            K = self.gram(self.X, self.X)
            return (K + K.T) / 2, self.gram(self.new, self.X)
        if self.sparse:
            return sparse.csr_array(self.X), sparse.csr_array(self.new)
        return self.X, self.new

    def estimator(self, classes, **more):
        found = {"kernel": self.kernel, "tol": self.tol, "gamma": self.gamma, **more}
        if self.kernel == "poly":
            found["degree"] = self.degree
        if self.kernel in ("poly", "sigmoid"):
            found["coef0"] = self.coef0
        wanted = {"svc": ["C"], "nu-svc": ["nu"], "svr": ["C", "epsilon"], "nu-svr": ["C", "nu"], "one-class": ["nu"]}
        found |= {name: getattr(self, name) for name in wanted[self.kind]}
        if self.class_weight is not None:
            found["class_weight"] = self.class_weight
        if self.classes is not None:
            found["decision_function_shape"] = "ovo"
        return classes[self.kind](**found)

    def fit(self, classes, **more):
        X, _ = self.data()
        args = [X] if self.y is None else [X, self.y]
        weights = {} if self.weights is None else {"sample_weight": self.weights}
        return self.estimator(classes, **more).fit(*args, **weights)

    def __repr__(self):
        names = "number kind n scale sparse kernel inside gamma degree coef0 tol C nu epsilon class_weight".split()
        text = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"Problem({text}, weights={None if self.weights is None else self.weights.tolist()})"

    # -------------------------------------------------------------- common form of the problems

    def parts(self):
        """For each pair of classes (or the single problem): objects, signs, bounds."""
        weights = np.ones(self.n) if self.weights is None else self.weights
        if self.classes is None:
            return [(np.arange(self.n), None, weights)]
        factor = np.ones(len(self.classes))
        if self.class_weight == "balanced":
            factor = self.n / (len(self.classes) * np.bincount(self.y, minlength=len(self.classes)))
        elif self.class_weight is not None:
            factor = np.array([self.class_weight[c] for c in self.classes])
        out = []
        for a in self.classes:
            for b in self.classes[a + 1 :]:
                at = np.flatnonzero((self.y == a) | (self.y == b))
                out.append((at, np.where(self.y[at] == a, 1.0, -1.0), weights[at] * factor[self.y[at]]))
        return out


def coefficients(problem, fitted):
    """The coefficients of every object, problem by problem, positive for the first class of a pair."""
    parts, found = problem.parts(), []
    values = fitted.dual_coef_.toarray() if sparse.issparse(fitted.dual_coef_) else fitted.dual_coef_
    dense = np.zeros((len(values), problem.n))
    support = fitted.support_
    if problem.weights is not None and isinstance(fitted, THEIRS[problem.kind]):
        # scikit-learn drops objects of weight 0 and numbers support vectors among the remaining ones.
        support = np.flatnonzero(problem.weights > 0)[support]
    dense[:, support] = values
    if problem.classes is None:
        return [dense[0]]
    if len(problem.classes) == 2:
        return [-dense[0]]
    pairs = [(a, b) for a in problem.classes for b in problem.classes[a + 1 :]]
    for (a, b), (at, _, _) in zip(pairs, parts):
        rows = np.where(problem.y[at] == a, b - 1, a)
        found.append(dense[rows, at])
    return found


def banks(problem, beta, signs, bounds):
    """Variables, bounds, linear costs and cost of |β| of the quadratic problem, one bank per sum constraint."""
    zero = np.zeros(len(beta))
    if problem.kind == "svc":
        bound = problem.C * bounds
        return [(beta, np.where(signs > 0, zero, -bound), np.where(signs > 0, bound, zero), -signs, 0.0, 0.0)]
    if problem.kind == "nu-svc":
        total = problem.nu * bounds.sum()
        size = np.abs(beta).sum()
        beta = beta * (total / size if size > 0 else 0.0)
        out = []
        for sign in (1.0, -1.0):
            bound = np.where(signs == sign, bounds, 0.0)
            low, high = (zero, bound) if sign > 0 else (-bound, zero)
            out.append((np.where(signs == sign, beta, 0.0), low, high, zero, 0.0, sign * total / 2))
        return out
    if problem.kind == "svr":
        bound = problem.C * bounds
        return [(beta, -bound, bound, -problem.y, problem.epsilon, 0.0)]
    if problem.kind == "nu-svr":
        # An object may contribute to both sums; what cancels is distributed within the bounds.
        bound = problem.C * bounds
        half = problem.nu * bound.sum() / 2
        up, down = np.maximum(beta, 0), np.maximum(-beta, 0)
        room = bound - up - down
        more = max(half - up.sum(), 0.0)
        extra = room * min(more / room.sum(), 1.0) if room.sum() > 0 and more > 1e-9 * half else zero
        return [
            (up + extra, zero, bound, -problem.y, 0.0, half),
            (-down - extra, -bound, zero, -problem.y, 0.0, -half),
        ]
    return [(beta, zero, bounds.copy(), zero, 0.0, problem.nu * bounds.sum())]


class Figures:
    """Recomputed objective, violation, gap and offset of a solution."""

    def __init__(self, K, found, total=None):
        # The parts that cancel between banks may be much larger than the difference.
        total = sum(bank[0] for bank in found) if total is None else total
        g = K @ total
        self.size = float(np.sqrt(np.abs(np.diag(K))) @ np.abs(total))
        self.rounding = 256 * np.finfo(float).eps * float(np.sqrt(np.abs(np.diag(K)).max(initial=0.0))) * self.size
        self.quadratic = float(total @ g)
        self.objective = 0.5 * self.quadratic
        self.gap, self.violation, self.outside, self.offsets, self.slacks = 0.0, 0.0, 0.0, [], []
        self.terms = abs(self.quadratic)
        for beta, low, high, linear, kink, sum_ in found:
            self.objective += float(linear @ beta + kink * np.abs(beta).sum())
            self.terms += float(np.abs(linear * beta).sum() + kink * np.abs(beta).sum())
            width = max(float(np.abs(high - low).max(initial=0.0)), 1e-300)
            self.outside = max(
                self.outside,
                float(np.maximum(low - beta, beta - high).max(initial=0.0)) / width,
                # Sums hold up to rounding of the bounds, which may be much larger than a solution that stalled near 0.
                abs(float(beta.sum()) - sum_) / max(float(np.abs(beta).sum()), abs(sum_), 1e-9 * float(np.abs(high - low).sum()), 1e-300),
            )
            # Solvers set variables at a bound exactly to it; scaling loses the last digit.
            near = 1e-9 * np.maximum(np.abs(low), np.abs(high))
            can_grow, can_fall = beta < high - near, beta > low + near
            positive, negative = beta > near, beta < -near
            rise = np.where(can_grow, g + linear + np.where(negative, -kink, kink), np.inf)
            fall = np.where(can_fall, g + linear + np.where(positive, kink, -kink), -np.inf)
            least, most = rise.min(initial=np.inf), fall.max(initial=-np.inf)
            self.violation = max(self.violation, float(most - least)) if np.isfinite(most - least) else self.violation
            finite = [v for v in (least, most) if np.isfinite(v)]
            offset = float(np.mean(finite)) if finite else 0.0
            self.offsets.append(offset)
            self.slacks.append(float(max(least - most, 0.0)) if np.isfinite(least - most) else np.inf)
            slope = g + linear - offset
            cost = lambda v: slope * v + kink * np.abs(v)
            floor = np.minimum(np.minimum(cost(low), cost(high)), 0.0)
            self.gap += float(np.maximum(cost(beta) - floor, 0.0).sum())


def least_centred(K):
    """The smallest eigenvalue on coefficients that sum to 0."""
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    return np.linalg.eigvalsh((centred + centred.T) / 2)[0]


def hulls_meet(problem, K, signs, bounds):
    """Whether the reduced convex hulls of two classes intersect, by a linear programme in coordinates of the matrix.

    It looks for multipliers within bounds, with sum ν·Σw/2 for each class, whose weighted objects cancel in every
    coordinate.
    """
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    kept = values > 1e-13 * values.max(initial=0.0)
    F = (vectors[:, kept] * np.sqrt(values[kept])) * signs[:, None]
    unit = np.abs(F).max(initial=0.0)
    if unit == 0:
        return True
    n, d, half = len(K), F.shape[1], problem.nu * bounds.sum() / 2
    # Minimise t with -t ≤ Fᵀα ≤ t.
    sides = np.vstack([np.hstack([F.T / unit, -np.ones((d, 1))]), np.hstack([-F.T / unit, -np.ones((d, 1))])])
    sums = np.vstack([np.append(signs == sign, 0.0) for sign in (1.0, -1.0)])
    found = linprog(
        np.append(np.zeros(n), 1.0), sides, np.zeros(2 * d), sums, [half, half], [*zip(np.zeros(n), bounds), (0, None)]
    )
    return not found.success or found.fun <= 1e-5 * half


def beyond_rounding(problem, K, mine, other, signs, bounds):
    """Whether rounding errors near the bounds exceed the tolerance, and LIBSVM does not reach it either."""
    lengths = np.sqrt(np.abs(np.diag(K)))
    sizes = sum(np.maximum(high, -low) for _, low, high, *_ in banks(problem, mine, signs, bounds))
    reach = 256 * np.finfo(float).eps * lengths.max() * float(sizes @ lengths)
    if reach <= problem.tol:
        return False
    if not np.isfinite(other).all():
        return True
    reference = Figures(K, banks(problem, other, signs, bounds), other if problem.kind == "nu-svr" else None)
    return reference.violation > problem.tol or reference.outside > 1e-6


def expected_refusal(problem, K, error):
    """Whether mercer may refuse the problem, checked independently of mercer."""
    text = str(error)
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2)
    indefinite = eigenvalues[0] < -1e-9 * max(abs(eigenvalues[-1]), abs(eigenvalues[0]))
    if "E_K_PSD" in text:
        return indefinite
    if "E_NU " in text:
        with pytest.raises(ValueError):
            problem.fit(THEIRS)
        return True
    return False


def check(problem):
    """Fit both and compare; returns the outcome, for counting."""
    K = problem.data()[0] if problem.kernel == "precomputed" else problem.gram(problem.X, problem.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ours = problem.fit(OURS)
        except (ValueError, mercer.NumericError) as error:
            assert expected_refusal(problem, K, error), f"refused: {error}"
            return "refused"
        try:
            theirs = problem.fit(THEIRS, max_iter=MOST)
        except ValueError as error:
            # LIBSVM overflows or counts weights differently; the result of mercer is checked on its own.
            assert "not finite" in str(error) or "nu is infeasible" in str(error), error
            theirs = None
    for name in ("dual_coef_", "intercept_"):
        values = getattr(ours, name)
        assert np.isfinite(values.data if sparse.issparse(values) else values).all(), name
    certificates = list(ours.certificate_.values())
    parts = problem.parts()
    assert len(certificates) == len(parts)
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2)
    convex = eigenvalues[0] >= -1e-10 * abs(eigenvalues[-1])
    seen, no_margin = "converged", False
    all_ours = coefficients(problem, ours)
    all_theirs = [np.full(problem.n, np.nan)] * len(parts) if theirs is None else coefficients(problem, theirs)
    figures = []
    for certificate, mine, other, (at, signs, bounds) in zip(certificates, all_ours, all_theirs, parts):
        part = K[np.ix_(at, at)]
        found = Figures(part, banks(problem, mine, signs, bounds), mine if problem.kind == "nu-svr" else None)
        figures.append(found)
        if certificate.get("no_margin"):
            no_margin = True
            assert not convex or hulls_meet(problem, part, signs, bounds), "there is a margin"
        for name in ("primal", "dual", "gap", "violation"):
            assert certificate[name] is not None and np.isfinite(certificate[name]), (name, certificate)
        assert found.outside <= 1e-7, f"outside its bounds or sums by {found.outside}"
        # Rounding error of the objective, from the coefficients.
        blur = 1e-9 * found.terms + found.rounding * max(np.abs(mine).sum(), 1.0)
        blur += np.abs(mine) @ problem.doubt(part, at) @ np.abs(mine)
        if problem.kind == "nu-svr":
            assert -certificate["dual"] <= found.objective + blur + 1e-6 * found.terms
        else:
            assert abs(found.objective + certificate["dual"]) <= blur, (found.objective, certificate)
        if certificate["stop"] == "stationary":
            # The optimality conditions hold, but the matrix has a negative eigenvalue, so they are not sufficient.
            seen = "stationary"
            assert least_centred(K) < -1e-14 * np.abs(np.diag(K)).max(), "the matrix is positive semidefinite"
        else:
            assert problem.n > 1000 or least_centred(K) >= -1e-8 * np.abs(np.diag(K)).sum(), "the matrix is indefinite"
        if certificate["stop"] == "wide-gap":
            # Within the tolerance, but the duality gap is large, as the certificate reports.
            seen = "wide gap"
            assert certificate["gap"] > 0.1 * (1 + abs(certificate["dual"])), certificate
        if certificate["stop"] in ("converged", "stationary", "wide-gap"):
            # The cancelling parts of ν-SVR are distributed over arbitrary objects, which may violate both conditions.
            factor = 2 if problem.kind == "nu-svr" else 1
            assert found.violation <= factor * problem.tol * (1 + 1e-6) + 4 * found.rounding, (found.violation, certificate)
        else:
            seen = certificate["stop"]
            assert seen == "stalled", certificate
            # Rounding limits either the products or the decrease of the objective by the violating pair.
            lower = found.violation**2 / max(float(np.abs(np.diag(part)).max()), 1e-300)
            rounded = found.violation <= problem.tol + 1e4 * found.rounding or lower <= 1e-13 * found.terms
            hopeless = beyond_rounding(problem, part, mine, other, signs, bounds)
            assert rounded or hopeless, (found.violation, found.rounding, lower, found.terms, certificate)
        # Compare with the solution of LIBSVM; without a margin there is none.
        if convex and np.isfinite(other).all() and np.abs(other).sum() > 0:
            reference = Figures(part, banks(problem, other, signs, bounds), other if problem.kind == "nu-svr" else None)
            slack = blur + 1e-9 * reference.terms + reference.rounding * max(np.abs(other).sum(), 1.0)
            if reference.outside <= 1e-6:
                # LIBSVM's objective is at most our gap below ours, and ours is higher by at most both tolerances.
                assert reference.objective >= found.objective - found.gap - slack, (reference.objective, found.objective, found.gap)
                if certificate["stop"] == "converged":
                    bound = sum(np.maximum(high, -low).sum() for _, low, high, *_ in banks(problem, mine, signs, bounds))
                    allowed = slack + problem.tol * bound + 1e-6 * abs(reference.objective)
                    assert found.objective <= reference.objective + min(allowed, found.gap + slack), (
                        found.objective,
                        reference.objective,
                    )
                figures[-1].reference = reference
    compare_predictions(problem, ours, theirs, figures)
    return "without a margin" if no_margin and seen == "converged" else seen


def compare_predictions(problem, ours, theirs, figures):
    """Compare the predictions for new objects, except where the tolerances may change them."""
    if any(getattr(f, "reference", None) is None for f in figures):
        return
    if problem.kernel == "precomputed" and problem.weights is not None and (problem.weights == 0).any():
        # scikit-learn reads the columns of other objects in this case.
        return
    X, new = problem.data()
    own = np.array([problem.gram(x[None], x[None])[0, 0] for x in problem.new])
    if problem.kind in ("svr", "nu-svr"):
        values, other = ours.predict(new), theirs.predict(new)
    else:
        values, other = ours.decision_function(new), theirs.decision_function(new)
    values, other = values.reshape(len(own), -1), other.reshape(len(own), -1)
    for column, found in enumerate(figures):
        reference = found.reference
        # |w - w*|² ≤ 2·gap, so decision values differ by at most its root times |φ(x)|, apart from the offset.
        apart = np.sqrt(2 * np.abs(own)) * (np.sqrt(found.gap) + np.sqrt(reference.gap))
        widest = np.sqrt(2 * np.abs(np.diag(problem.gram(problem.X, problem.X))).max())
        shift = widest * (np.sqrt(found.gap) + np.sqrt(reference.gap)) + 4 * problem.tol
        shift += max(found.slacks) + max(reference.slacks) + found.rounding + reference.rounding
        # LIBSVM stores rows of the matrix in single precision: the resulting error of its offset.
        shift += np.finfo(np.float32).eps / (256 * np.finfo(float).eps) * reference.rounding
        allowed = apart + shift
        if problem.kind == "nu-svc":
            margins = [abs(f.offsets[0] - f.offsets[1]) / 2 for f in (found, reference)]
            if min(margins) <= 20 * (problem.tol + max(found.rounding, reference.rounding)):
                continue
            allowed = 4 * allowed / min(margins) + 0.1 * np.abs(values[:, column])
        # LIBSVM stores rows of the matrix in single precision.
        allowed = allowed + 1e-5 * np.abs(other[:, column]).max() + 1e-5 * np.abs(values[:, column]).max()
        wrong = np.abs(values[:, column] - other[:, column]) > allowed
        if problem.kind in ("svr", "nu-svr", "one-class", "svc"):
            assert not wrong.any(), (values[wrong, column], other[wrong, column], allowed[wrong])
        sure = (np.abs(values[:, column]) > allowed) & (np.abs(other[:, column]) > allowed)
        assert (np.sign(values[sure, column]) == np.sign(other[sure, column])).all()


@pytest.fixture(scope="module")
def seen_in_all():
    """Counts over all batches, for the page of ``cargo xtask trust``."""
    counts = {"problems": 0}
    yield counts
    path = os.environ.get("MERCER_TRUST_FIGURES")
    if path:
        line = {"promise": "libsvm", "test": "python/tests/test_libsvm.py", "figures": counts}
        with open(path, "a") as file:
            file.write(json.dumps(line) + "\n")


@pytest.mark.parametrize("batch", range((COUNT + BATCH - 1) // BATCH))
def test_random_problems_are_solved_as_libsvm_solves_them(batch, seen_in_all):
    failed, seen = [], {}
    numbers = range(FIRST + batch * BATCH, FIRST + min((batch + 1) * BATCH, COUNT))
    for number in numbers:
        problem = Problem(number)
        try:
            found = check(problem)
            seen[found] = seen.get(found, 0) + 1
        except (AssertionError, Exception) as error:  # noqa: B014 - pytest.fail is not an Exception
            failed.append(f"{problem}\n    {type(error).__name__}: {error}")
    seen_in_all["problems"] += len(numbers)
    for name, count in seen.items():
        seen_in_all[name] = seen_in_all.get(name, 0) + count
    assert not failed, f"{len(failed)} of {len(numbers)} problems:\n" + "\n".join(failed)
    # Most problems must be solved, not refused or abandoned.
    assert seen.get("converged", 0) >= 0.5 * len(numbers), seen
