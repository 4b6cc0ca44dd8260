"""A survey with categorical answers: the kernel counts the questions with equal answers."""

import numpy as np

import mercer
from mercer import compare

rng = np.random.default_rng(1)
n = 150
answers = {
    "housing": rng.choice(["own", "rent", "family"], n),
    "transport": rng.choice(["car", "train", "bicycle", "none"], n),
    "pets": rng.choice(["cat", "dog", "none"], n),
    "colour": rng.choice(["red", "green", "blue"], n),
}
# Cyclists and tenants like the new lane; some answers are random.
likes = (answers["transport"] == "bicycle") | (answers["housing"] == "rent")
y = np.where(rng.random(n) < 0.1, ~likes, likes)
survey = mercer.Records(answers, kinds=dict.fromkeys(answers, "categories"))

each = mercer.ColumnSum(mercer.Delta())
folds = mercer.FiveByTwo(random_state=7)
scores = {}
for name, kernel in {"equal answers": each, "pairs of them": each * each}.items():
    search = mercer.GridSearch(mercer.SVC(kernel=kernel), {"C": [1.0]}, cv=folds, refit=False).fit(survey, y)
    scores[name] = [search.cv_results_[f"split{i}_test_score"][0] for i in range(10)]
    print(f"{name}: {np.mean(scores[name]):.3f}")
test = compare.five_by_two_f(*scores.values())
print(f"{test.name}: p = {test.pvalue:.2f}")
