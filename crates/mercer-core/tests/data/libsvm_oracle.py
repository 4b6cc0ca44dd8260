"""Writes libsvm_oracle.json: small problems of all five types, solved by LIBSVM through scikit-learn.

    python libsvm_oracle.py > libsvm_oracle.json
"""
import json, sys
import numpy as np, sklearn
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

TOL = 1e-8
cases = []
for seed in range(200):
    r = np.random.default_rng(seed)
    n, gamma = int(r.integers(8, 26)), float(np.round(2.0 ** r.integers(-3, 2), 6))
    x = np.round(r.standard_normal((n, 2)), 3)
    weights = np.round(r.uniform(0.2, 2.0, n), 3) if r.random() < 0.5 else np.ones(n)
    kind = ["c-svc", "nu-svc", "epsilon-svr", "nu-svr", "one-class"][seed % 5]
    c, nu = float(2.0 ** r.integers(-3, 8)), float(np.round(r.uniform(0.1, 0.6), 3))
    epsilon = float(np.round(r.uniform(0.0, 0.5), 3))
    k = rbf_kernel(x, gamma=gamma)
    if kind in ("c-svc", "nu-svc"):
        y = np.where(x[:, 0] + 0.7 * r.standard_normal(n) > 0, 1, -1)
        y[:4] = [1, -1, 1, -1]
    else:
        y = np.round(np.sin(2 * x[:, 0]) + 0.3 * r.standard_normal(n), 3)
    if kind == "c-svc":
        m = SVC(C=c, gamma=gamma, tol=TOL).fit(x, y, weights)
    elif kind == "nu-svc":
        weights = np.ones(n)
        nu = float(np.round(min(nu, 1.8 * min((y > 0).sum(), (y < 0).sum()) / n), 3))
        m = NuSVC(nu=nu, gamma=gamma, tol=TOL).fit(x, y)
    elif kind == "epsilon-svr":
        m = SVR(C=c, epsilon=epsilon, gamma=gamma, tol=TOL).fit(x, y, weights)
    elif kind == "nu-svr":
        weights = np.ones(n)
        m = NuSVR(C=c, nu=nu, gamma=gamma, tol=TOL).fit(x, y)
    else:
        weights = np.ones(n)
        m = OneClassSVM(nu=nu, gamma=gamma, tol=TOL).fit(x)
    beta = np.zeros(n)
    beta[m.support_] = m.dual_coef_[0]
    quadratic = 0.5 * beta @ k @ beta
    objective = {
        "c-svc": quadratic - np.abs(beta).sum(),
        # scikit-learn gives the model divided by its margin; its multipliers should add up to nu * n.
        "nu-svc": quadratic * (nu * n / np.abs(beta).sum()) ** 2,
        "epsilon-svr": quadratic - y @ beta + epsilon * np.abs(beta).sum(),
        "nu-svr": quadratic - y @ beta,
        "one-class": quadratic,
    }[kind]
    decision = m.predict(x) if "svr" in kind else m.decision_function(x)
    cases.append(dict(kind=kind, gamma=gamma, c=c, nu=nu, epsilon=epsilon, x=x.tolist(), y=[float(v) for v in y],
                      weights=weights.tolist(), objective=float(objective), decision=[float(np.round(v, 9)) for v in decision]))
json.dump({"scikit-learn": sklearn.__version__, "tolerance": TOL, "cases": cases}, sys.stdout)
