"""Whether three ways to find objects unlike the training set agree on planted outliers.

    python outliers.py

Each table of numbers is standardised and divided into a training set and a test set. To the test set outliers are added: as many rows whose values
are drawn from normal distributions of the column's mean and three times its deviation. The training set alone is learned from: `one-class` (nu=0.1)
with its decision value, `gp` with its standard deviation (of a random target, because only the objects matter), and typicality (conformal p-value).
Printed are the areas under the curve of telling outliers from the other test objects, and the rank correlation of the first two. Needs the Python
package.
"""

import os
import pathlib
import warnings

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

import mercer

HERE = pathlib.Path(__file__).resolve().parents[1]
ROOT = pathlib.Path(os.environ.get("MERCER_DATA", HERE.parent / "shared" / "data"))
TABLES = ["balance_scale", "ecoli", "haberman", "iris", "liver_bupa", "pima_diabetes", "planning_relax", "australian"]


def main():
    print("| table | one-class | gp, std | typicality | rank correlation of one-class and gp |")
    print("|---|--:|--:|--:|--:|")
    all_of = []
    for name in TABLES:
        numbers = pd.read_csv(ROOT / "tables" / name / f"{name}.csv").select_dtypes("number").dropna()
        numbers = numbers.loc[:, numbers.std() > 0].to_numpy(float)
        rows = []
        for seed in range(10):
            rng = np.random.default_rng(seed)
            x = numbers[rng.permutation(len(numbers))[:400]]
            cut = len(x) * 2 // 3
            mean, deviation = x[:cut].mean(0), x[:cut].std(0)
            deviation[deviation == 0] = 1.0
            x = (x - mean) / deviation
            train, test = x[:cut], x[cut:]
            planted = 3.0 * rng.standard_normal(test.shape)
            new, is_planted = np.vstack([test, planted]), np.repeat([0, 1], len(test))
            kernel = mercer.RBF(gamma=0.5 / x.shape[1])
            one_class = -mercer.OneClassSVM(kernel=kernel, nu=0.1).fit(train).decision_function(new)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                gp = mercer.GaussianProcessRegressor(kernel=kernel, alpha=0.1, scale=1.0, optimizer=None).fit(train, rng.standard_normal(cut))
                std = gp.predict(new, return_std=True)[1]
                typical = mercer.ConformalRegressor(mercer.KernelRidge(kernel=kernel, alpha=1.0), method="split").fit(train, train[:, 0]).typicality(new)
            areas = [roc_auc_score(is_planted, score) for score in (one_class, std, -typical)]
            rows.append([*areas, spearmanr(one_class, std).statistic])
        mean = np.mean(rows, axis=0)
        all_of.append(mean)
        print(f"| {name} | " + " | ".join(f"{v:.3f}" for v in mean) + " |")
    print("| mean | " + " | ".join(f"{v:.3f}" for v in np.mean(all_of, axis=0)) + " |")


if __name__ == "__main__":
    main()
