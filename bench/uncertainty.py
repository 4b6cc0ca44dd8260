"""How sure predictions are on Photoswitch: 20 random splits, 80 % of the molecules for training.

    python uncertainty.py               20 splits of the E isomer's π-π* wavelength
    python uncertainty.py --splits 3

Each split fits `gp` with a Tanimoto kernel of circular fingerprints, and predicts the other molecules: RMSE in nm, the negative log density of
the standardised target (by the training set's mean and deviation), and the share of the targets within central intervals. The targets are an
NLPD of at most 0.385 and an RMSE of at most 20.5. MERCER_PROGRAM is the program, target/debug/mercer by default.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parents[1]
ROOT = pathlib.Path(os.environ.get("MERCER_DATA", HERE.parent / "shared" / "data"))
PROGRAM = os.environ.get("MERCER_PROGRAM", HERE / "target" / "debug" / "mercer")
TARGET = "E isomer pi-pi* wavelength in nm"
QUANTILES = {0.5: 0.6744897501960817, 0.8: 1.2815515655446004, 0.9: 1.6448536269514722, 0.95: 1.959963984540054}
KERNELS = ["tanimoto(ecfp(radius=3))", "tanimoto(ecfp(radius=3)) + tanimoto(molecule-paths) + tanimoto(atom-pairs)"]


def run(*words):
    done = subprocess.run([PROGRAM, *words, "--quiet"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("-k", "--kernel", action="append", help="instead of those of the page")
    args = parser.parse_args()
    path = next((ROOT / "molecules" / "Photoswitch").glob("*.csv"))
    data = pd.read_csv(path)[["SMILES", TARGET]].dropna().rename(columns={TARGET: "nm"})
    for kernel in args.kernel or KERNELS:
        rows = []
        for split in range(args.splits):
            order = np.random.default_rng(split).permutation(len(data))
            cut = round(0.8 * len(data))
            train, test = data.iloc[order[:cut]], data.iloc[order[cut:]]
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                train.to_csv(folder / "train.csv", index=False)
                test[["SMILES"]].to_csv(folder / "test.csv", index=False)
                fit = ["-k", kernel, "-l", "gp", "--target", "nm", "--target-kind", "numbers", "-o", folder / "m.mercer"]
                run("fit", folder / "train.csv", *fit)
                run("predict", folder / "m.mercer", folder / "test.csv", "-o", folder / "out.csv")
                out = pd.read_csv(folder / "out.csv")
            error = test["nm"].to_numpy() - out["prediction"].to_numpy()
            z, spread = error / out["std"].to_numpy(), train["nm"].std(ddof=0)
            nlpd = np.mean(0.5 * z**2 + np.log(out["std"] / spread) + 0.5 * np.log(2 * np.pi))
            rows.append([np.sqrt(np.mean(error**2)), nlpd, *(np.mean(np.abs(z) <= q) for q in QUANTILES.values())])
        mean, error = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows))
        print(f"{kernel}: {len(data)} molecules, {args.splits} splits")
        for name, m, e in zip(["RMSE (nm)", "NLPD"] + [f"within {p:.0%} intervals" for p in QUANTILES], mean, error, strict=True):
            print(f"  {name:24} {m:8.3f} ± {e:.3f}")


if __name__ == "__main__":
    main()
