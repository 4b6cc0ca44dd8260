"""Linear support vector classification with the L1 penalty Σ|w_j|, by coordinate descent."""

import numpy as np
from scipy import sparse

#: Line search: required fraction of the expected decrease, and maximum number of halvings.
SHARE, HALVINGS = 0.01, 30


def squared_hinge_l1(X, signs, costs, tol, max_iter):
    """Minimise Σ_j |w_j| + Σ_i c_i max(0, 1 - s_i w·x_i)²; returns w, the number of rounds, and whether it converged.

    Coordinate descent with Newton directions (Yuan, Chang, Hsieh & Lin 2010), as in LIBLINEAR. It has converged when
    the violation of the optimality conditions is below ``tol`` times that at w = 0, times the share of the smaller
    class.
    """
    n, d = X.shape
    columns = sparse.csc_array(X) if sparse.issparse(X) else np.asfortranarray(X)
    sides = min(np.count_nonzero(signs > 0), np.count_nonzero(signs < 0))
    limit = tol * max(sides, 1) / n
    w, slack, first = np.zeros(d), np.ones(n), None
    for done in range(1, max_iter + 1):
        violation = 0.0
        for j in range(d):
            rows, values = column(columns, j)
            step, wrong = coordinate(w[j], slack[rows], signs[rows] * values, costs[rows])
            violation += wrong
            if step != 0.0:
                w[j] += step
                slack[rows] -= step * (signs[rows] * values)
        first = violation if first is None else first
        if violation <= limit * first:
            return w, done, True
    return w, max_iter, False


def column(X, j):
    """The rows and values of a column."""
    if sparse.issparse(X):
        part = slice(X.indptr[j], X.indptr[j + 1])
        return X.indices[part], X.data[part]
    return slice(None), X[:, j]


def coordinate(w, slack, signed, costs):
    """The step along one coordinate, and the violation of its optimality condition."""
    active = slack > 0
    weighted = costs[active] * signed[active]
    slope = -2.0 * (weighted @ slack[active])
    curvature = max(2.0 * (weighted @ signed[active]), 1e-12)
    up, down = slope + 1.0, slope - 1.0
    wrong = abs(down if w < 0 else up) if w != 0 else max(-up, down, 0.0)
    if up < curvature * w:
        step = -up / curvature
    elif down > curvature * w:
        step = -down / curvature
    else:
        step = -w
    if abs(step) < 1e-12:
        return 0.0, wrong
    before = (costs[active] * slack[active] ** 2).sum()
    expected = abs(w + step) - abs(w) + slope * step
    for _ in range(HALVINGS):
        left = np.maximum(slack - step * signed, 0.0)
        if abs(w + step) - abs(w) - SHARE * expected + costs @ left**2 - before <= 0:
            return step, wrong
        step, expected = 0.5 * step, 0.5 * expected
    return 0.0, wrong
