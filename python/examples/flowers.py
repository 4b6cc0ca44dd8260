"""A first tour: a kernel, its matrix, a model with a certificate, a search, a file."""

import pathlib
import tempfile

from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

import mercer

X, y = load_iris(return_X_y=True)

kernel = mercer.Standardize(mercer.RBF(gamma=0.25))
K = kernel.gram(X)
print(f"{kernel}: Gram matrix {K.shape}, {mercer.certify(K).verdict}")

model = mercer.SVC(C=10, kernel=kernel).fit(X, y)
for name, certificate in model.certificate_.items():
    print(f"  classifier {name}: gap {certificate.gap:.1e}, {certificate.stop}")
print(f"accuracy by 10-fold cross-validation: {cross_val_score(model, X, y, cv=10).mean():.3f}")

search = mercer.GridSearch(
    mercer.SVC(kernel=kernel), {"C": [0.1, 1, 10, 100], "kernel__kernel__gamma": [0.01, 0.1, 1]}, cv=5
).fit(X, y)
print(f"best of 12: {search.best_params_}, {search.best_score_:.3f}")

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "iris.mercer"
    mercer.save(search.best_estimator_, path)  # `mercer predict iris.mercer …` can read it as well
    again = mercer.load(path)
    assert (again.predict(X) == search.predict(X)).all()
    print(f"saved and loaded: {again}")
