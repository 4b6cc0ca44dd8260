"""Kernels with explicit features and feature maps are transformers in every place where scikit-learn takes one."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

import mercer

SMILES = ["CCO", "CCN", "c1ccccc1", "CC(=O)O", "CCCl", "Oc1ccccc1"]


def test_kernels_at_the_end_of_a_pipeline(iris):
    X, y = iris
    kernel = mercer.Nystrom(mercer.RBF(gamma=0.1), rank=20)
    whole = make_pipeline(kernel, mercer.LinearSVC(max_iter=10_000)).fit(X, y)
    part = whole[:-1]
    assert part.transform(X).shape == (150, 20) and part.get_feature_names_out()[0] == "nystrom[1]"
    with pytest.raises(NotFittedError):
        check_is_fitted(mercer.RBF())
    check_is_fitted(kernel)
    assert "Nystrom" in whole._repr_html_()


def test_containers_of_transformers(iris):
    X, _ = iris
    a, b = mercer.Nystrom(mercer.RBF(), rank=5), mercer.Fourier(gamma=0.5, features=16)
    both = make_union(a, b).fit(X)
    assert both.transform(X).shape[1] == 5 + len(clone(b).fit(X).get_feature_names_out())
    table = pd.DataFrame({"dna": ["acgt", "aacc", "ttgg", "gtgt"] * 3, "x": range(12)})
    columns = ColumnTransformer([("dna", mercer.Spectrum(k=2), "dna"), ("x", "passthrough", ["x"])])
    Z = columns.fit_transform(table)
    assert Z.shape == (12, len(columns.get_feature_names_out())) and "dna__ac" in columns.get_feature_names_out()


def test_output_as_a_table(iris):
    X, _ = iris
    kernel = mercer.Nystrom(mercer.RBF(), rank=4).set_output(transform="pandas")
    found = kernel.fit_transform(X)
    assert list(found.columns) == kernel.get_feature_names_out().tolist()
    np.testing.assert_array_equal(found.to_numpy(), clone(kernel).set_output(transform="default").fit(X).transform(X))
    # The choice is kept in copies, and is not part of the kernel.
    again = pickle.loads(pickle.dumps(kernel))
    assert isinstance(again.transform(X), pd.DataFrame) and isinstance(clone(kernel).fit(X).transform(X), pd.DataFrame)
    assert kernel == mercer.Nystrom(mercer.RBF(), rank=4)
    with pytest.raises(ValueError, match="sparse"):
        mercer.Spectrum(k=2).set_output(transform="pandas").fit_transform(["ab", "bc"])


def test_parameters_of_kernels_in_pipelines(two_classes):
    X, y = two_classes
    pipe = make_pipeline(mercer.Nystrom(mercer.RBF(), rank=10), mercer.LinearSVC(max_iter=10_000))
    search = GridSearchCV(pipe, {"nystrom__kernel__gamma": [0.01, 0.3], "nystrom__rank": [5, 20]}, cv=3).fit(X, y)
    assert search.best_params_["nystrom__rank"] in (5, 20) and search.best_score_ > 0.6


def test_tags():
    assert get_tags(mercer.RBF()).target_tags.required is False
    assert get_tags(mercer.Forest()).target_tags.required is True
    assert get_tags(mercer.Impute(mercer.RBF())).input_tags.allow_nan is True
    assert get_tags(mercer.Fingerprint()).requires_fit is False


@pytest.mark.parametrize("options", [{}, {"radius": 3, "n_bits": 512}, {"counts": True}, {"features": True, "n_bits": 64}])
def test_fingerprints(options):
    made = mercer.Fingerprint(**options).fit(SMILES[:2])
    Z = made.transform(SMILES)
    size = options.get("n_bits", 2048)
    assert Z.shape == (6, size) and len(made.get_feature_names_out()) == size
    expected = mercer.Molecules(SMILES).fingerprints(
        options.get("radius", 2), size, counts=options.get("counts", False), features=options.get("features", False)
    )
    np.testing.assert_array_equal(Z, expected)
    # An object has the same row whatever the others are.
    for i, one in enumerate(SMILES):
        np.testing.assert_array_equal(made.transform(mercer.Molecules([one])), Z[[i]])


def test_fingerprints_are_those_of_the_rdkit():
    chem = pytest.importorskip("rdkit.Chem")
    generator = pytest.importorskip("rdkit.Chem.rdFingerprintGenerator")
    own = generator.GetMorganGenerator(radius=2, fpSize=1024)
    theirs = np.array([own.GetFingerprintAsNumPy(chem.MolFromSmiles(one)) for one in SMILES])
    np.testing.assert_array_equal(mercer.Fingerprint(n_bits=1024).fit_transform(SMILES), theirs)


def test_what_fingerprints_refuse():
    for bad in ({"radius": -1}, {"radius": "2"}, {"n_bits": 0}, {"counts": "many"}):
        with pytest.raises(mercer.ParameterError):
            mercer.Fingerprint(**bad).fit(SMILES)
    with pytest.raises(mercer.DataError):
        mercer.Fingerprint().fit_transform(["no molecule"])
    with pytest.raises(NotFittedError):
        mercer.Fingerprint().transform(SMILES)


def test_kernels_divided_by_numbers():
    X = np.array([[0.0], [1.0], [3.0]])
    np.testing.assert_allclose((mercer.RBF() / 4).gram(X), mercer.RBF().gram(X) / 4)
    assert mercer.Linear() / 2 == 0.5 * mercer.Linear()
    for bad in (0, -1, float("nan"), float("inf")):
        with pytest.raises(mercer.ParameterError):
            mercer.RBF() / bad
    with pytest.raises(TypeError):
        mercer.RBF() / mercer.Linear()
