"""Mixed records: numbers, categories and sequences of patients in one kernel."""

import numpy as np

import mercer

rng = np.random.default_rng(2)
n = 120
age, weight = rng.uniform(20, 80, n), rng.normal(75, 12, n)
ward = rng.choice(["north", "south"], n)
dna = np.array(["".join(rng.choice(list("acgt"), 12)) for _ in range(n)])
risk = 0.05 * (age - 50) + (ward == "south") + np.array([s.count("cg") for s in dna])
y = np.where(risk > np.median(risk), "high", "low")

patients = mercer.Records({"age": age, "weight": weight, "ward": ward, "dna": dna}, kinds={"dna": "strings"})

body = mercer.Standardize(mercer.RBF(gamma=0.5)).on("age", "weight")
place = mercer.Delta().on("ward")
sequence = mercer.Normalize(mercer.Convolution(mercer.Delta(), parts="substrings", length=2)).on("dna")
kernels = {
    "body alone": body,
    "body and place": body + place,
    "all three": body + place + sequence,
}
for name, kernel in kernels.items():
    search = mercer.GridSearch(mercer.SVC(kernel=kernel), {"C": [0.3, 1, 3, 10]}, cv=mercer.StratifiedKFold(5, 4)).fit(patients, y)
    print(f"{name:15s} accuracy {search.best_score_:.3f} ± {search.cv_results_['std_test_score'][search.best_index_]:.3f}")
print(f"the same kernel for the program: -k '{kernels['all three'].expression}'")
