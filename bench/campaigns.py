"""How many experiments `mercer suggest` saves: simulated campaigns on the shared molecules, compared with random choice.

    python campaigns.py                 20 campaigns for each data set and way to choose
    python campaigns.py --repeats 5
    python campaigns.py --rows FILE     write a line for every campaign to FILE and read those that are there already

A campaign begins with ten random molecules, whose values are known. In each round a model is fitted to what is known (`mercer fit -k tanimoto(ecfp)
-l gp`), five of the other molecules are chosen (`mercer suggest --batch 5`) and measured: their values are looked up. The goal is the largest
value. A campaign ends after 20 rounds, 110 molecules. Random choice is simulated on the same beginnings, 200 times each. MERCER_PROGRAM is the
program, target/debug/mercer by default; MERCER_DATA the folder of data sets.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parents[1]
ROOT = pathlib.Path(os.environ.get("MERCER_DATA", HERE.parent / "shared" / "data"))
PROGRAM = os.environ.get("MERCER_PROGRAM", HERE / "target" / "debug" / "mercer")
#: File, column of molecules, column of the value, and its sign: 1 if large values are wanted.
DATA = {
    "esol, most soluble": ("ESOL/ESOL.csv", "smiles", "measured log solubility in mols per litre", 1),
    "esol, least soluble": ("ESOL/ESOL.csv", "smiles", "measured log solubility in mols per litre", -1),
    "photoswitch, longest wavelength": ("Photoswitch/Photoswitch.csv", "SMILES", "E isomer pi-pi* wavelength in nm", 1),
    "photoswitch, shortest wavelength": ("Photoswitch/Photoswitch.csv", "SMILES", "E isomer pi-pi* wavelength in nm", -1),
}
WAYS = {
    "expected improvement": ["--by", "expected-improvement"],
    "confidence bound": ["--by", "confidence-bound"],
    "variance": ["--by", "variance"],
}
START, BATCH, ROUNDS, RANDOM = 10, 5, 20, 200
#: The best molecules that a campaign looks for, as a share of all.
BEST = 0.02


def run(folder, *words):
    done = subprocess.run([PROGRAM, *words, "--quiet", "--threads", "1"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def load(name):
    path, molecule, value, sign = DATA[name]
    data = pd.read_csv(ROOT / "molecules" / path)[[molecule, value]].dropna()
    # Repeated molecules have one value: the mean of all measurements.
    data = data.groupby(molecule, sort=True)[value].mean().reset_index()
    return data[molecule].to_numpy(), sign * data[value].to_numpy()


def beginning(n, repeat):
    return np.random.default_rng(repeat).permutation(n)[:START].tolist()


def campaign(molecules, values, repeat, way):
    """The molecules in the order in which they were measured."""
    known = beginning(len(values), repeat)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for _ in range(ROUNDS):
            rest = np.setdiff1d(np.arange(len(values)), known)
            pd.DataFrame({"smiles": molecules[known], "value": values[known]}).to_csv(folder / "known.csv", index=False)
            pd.DataFrame({"name": rest, "smiles": molecules[rest]}).to_csv(folder / "rest.csv", index=False)
            kernel = ["-k", "tanimoto(ecfp)@smiles", "--target", "value", "--target-kind", "numbers"]
            run(folder, "fit", "known.csv", *kernel, "-l", "gp", "-o", "m.mercer")
            table = run(folder, "suggest", "m.mercer", "rest.csv", "--id", "name", "--maximize", *WAYS[way], "--batch", str(BATCH))
            known += [int(line.split(",")[0]) for line in table.splitlines()[1:]]
    return known


def told(values, order):
    """Molecules measured until one of the best is found, the share of the best found in the end, and the best value."""
    count = max(1, round(BEST * len(values)))
    best = set(np.argsort(-values)[:count].tolist())
    hits = [at + 1 for at, i in enumerate(order) if i in best]
    return (hits[0] if hits else None), len(set(order) & best) / count, float(values[order].max())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--rows", type=pathlib.Path)
    args = parser.parse_args()
    known = {}
    if args.rows and args.rows.exists():
        for line in args.rows.read_text().splitlines():
            one = json.loads(line)
            known[one["data"], one["way"], one["repeat"]] = one["order"]
    most = START + BATCH * ROUNDS
    found = {}
    for repeat in range(args.repeats):
        for name in DATA:
            molecules, values = load(name)
            for way in WAYS:
                order = known.get((name, way, repeat))
                if order is None:
                    order = campaign(molecules, values, repeat, way)
                    if args.rows:
                        with open(args.rows, "a", encoding="utf-8") as file:
                            file.write(json.dumps({"data": name, "way": way, "repeat": repeat, "order": order}) + "\n")
                found.setdefault((name, way), []).append(told(values, order))
            start = beginning(len(values), repeat)
            rng = np.random.default_rng(1000 + repeat)
            for _ in range(RANDOM):
                rest = rng.permutation(np.setdiff1d(np.arange(len(values)), start))[: BATCH * ROUNDS]
                found.setdefault((name, "random"), []).append(told(values, start + rest.tolist()))
    print(f"| data | choice | molecules until one of the best {BEST:.0%} (median) | never within {most} | share of these found with {most} molecules |")
    print("|---|---|--:|--:|--:|")
    for name in DATA:
        for way in [*WAYS, "random"]:
            rows = found[name, way]
            firsts = np.array([most + 1 if r[0] is None else r[0] for r in rows])
            median = np.median(firsts)
            shown = f"more than {most}" if median > most else f"{median:g}"
            print(f"| {name} | {way} | {shown} | {np.mean(firsts > most):.0%} | {np.mean([r[1] for r in rows]):.0%} |")


if __name__ == "__main__":
    main()
