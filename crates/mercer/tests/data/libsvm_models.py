"""Writes libsvm_models.json: models of all five types in LIBSVM's text format, with the decision values of LIBSVM as
scikit-learn ships it, on new points; for some of them probabilities too.

    python libsvm_models.py > libsvm_models.json
"""
import json, sys
import numpy as np, sklearn
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

KERNELS = {"linear": "linear", "poly": "polynomial", "rbf": "rbf", "sigmoid": "sigmoid", "precomputed": "precomputed"}
TYPES = {SVC: "c_svc", NuSVC: "nu_svc", SVR: "epsilon_svr", NuSVR: "nu_svr", OneClassSVM: "one_class"}
LABELS = [5, -2, 3, 10]


def text(m, classes):
    """The file svm_save_model would write; _dual_coef_ and _intercept_ hold LIBSVM's own signs."""
    lines = [f"svm_type {TYPES[type(m)]}", f"kernel_type {KERNELS[m.kernel]}"]
    if m.kernel == "poly":
        lines += [f"degree {m.degree}"]
    if m.kernel in ("poly", "rbf", "sigmoid"):
        lines += [f"gamma {m.gamma!r}"]
    if m.kernel in ("poly", "sigmoid"):
        lines += [f"coef0 {float(m.coef0)!r}"]
    lines += [f"nr_class {classes or 2}", f"total_sv {len(m.support_)}"]
    lines += ["rho " + " ".join(repr(float(-v)) for v in m._intercept_)]
    if classes:
        lines += ["label " + " ".join(map(str, LABELS[:classes]))]
        if m.probability is True:
            lines += ["probA " + " ".join(repr(float(v)) for v in m.probA_)]
            lines += ["probB " + " ".join(repr(float(v)) for v in m.probB_)]
        lines += ["nr_sv " + " ".join(map(str, m.n_support_))]
    lines += ["SV"]
    for i, object in enumerate(m.support_):
        line = " ".join(repr(float(row[i])) for row in m._dual_coef_)
        if m.kernel == "precomputed":
            line += f" 0:{object + 1}"
        else:
            line += "".join(f" {j + 1}:{float(v)!r}" for j, v in enumerate(m.support_vectors_[i]) if v)
        lines.append(line + " ")
    return "\n".join(lines) + "\n"


def learner(kind, kernel, probability):
    more = dict(kernel=kernel, gamma=0.4, tol=1e-6)
    if probability:
        more.update(probability=True, random_state=0)
    if kernel in ("poly", "sigmoid"):
        more["coef0"] = 0.25
    if kernel == "sigmoid":
        more["gamma"] = 0.05
    return {
        "c": lambda: SVC(C=3, decision_function_shape="ovo", **more),
        "nu": lambda: NuSVC(nu=0.3, decision_function_shape="ovo", **more),
        "svr": lambda: SVR(C=3, epsilon=0.1, **more),
        "nu-svr": lambda: NuSVR(C=3, nu=0.4, **more),
        "one": lambda: OneClassSVM(nu=0.3, **more),
    }[kind]()


cases = []
grid = [("c", k, c) for k in ("linear", "poly", "rbf", "sigmoid", "precomputed") for c in (2, 3)]
grid += [("c", "rbf", 4), ("nu", "rbf", 2), ("nu", "poly", 3), ("nu", "precomputed", 4)]
grid += [(t, k, 0) for t in ("svr", "nu-svr", "one") for k in ("linear", "rbf", "precomputed")]
probable = len(grid)
grid += [("c", "rbf", 2), ("nu", "linear", 2), ("c", "linear", 3), ("nu", "rbf", 4), ("c", "precomputed", 3)]
for seed, (kind, kernel, classes) in enumerate(grid):
    r = np.random.default_rng(seed)
    x = np.round(r.standard_normal((24, 5)), 2) * (r.random((24, 5)) < 0.7)
    x[:4, 4] = 1.5  # the last feature is in use
    new = np.round(r.standard_normal((6, 5)), 2)
    if classes:
        y = np.arange(24) % classes
        x[:, 0] += 1.2 * y
        new[:, 0] += 1.2 * (np.arange(6) % classes)
    else:
        y = x[:, 0] - x[:, 1] ** 2
    m = learner(kind, kernel, seed >= probable)
    shown, given = (x, new) if kernel != "precomputed" else (x @ x.T, new @ x.T)
    m.fit(shown, y) if kind != "one" else m.fit(shown)
    if classes:
        decisions = m.decision_function(given).reshape(6, -1) * (-1 if classes == 2 else 1)
        predicted = [LABELS[int(c)] for c in m.predict(given)]
    else:
        decisions = (m.decision_function(given) if kind == "one" else m.predict(given)).reshape(6, 1)
        predicted = m.predict(given).tolist()
    case = dict(text=text(m, classes), new=given.tolist(), decisions=decisions.tolist(), predicted=predicted)
    if seed >= probable:
        case["probabilities"] = m.predict_proba(given).tolist()
    cases.append(case)
json.dump(dict(program=f"scikit-learn {sklearn.__version__}", cases=cases), sys.stdout, separators=(",", ":"))
