// Predicted classes: the confusion matrix and the misclassified objects.

/** The sections on predictions, for classification or regression. */
function predictionSections(run) {
  const predictions = completed(record(record(run.figures).predictions));
  if (!list(predictions.truth).length) {
    return [
      missingSection(
        "predictions",
        "Predictions",
        "Predictions",
        "The document contains no predictions of single objects.",
      ),
    ];
  }
  if (!list(predictions.classes).length) return numberSections(predictions);
  return [
    confusionSection(predictions),
    calibrationSection(predictions),
    ...curveSections(predictions),
    wrongSection(predictions),
  ];
}

/** A matrix of more classes than this takes the full width. */
const MOST_HALF = 5;

/** Predictions whose lists all have the length of the truth; lists of another length are left out. */
function completed(given) {
  const truth = list(given.truth);
  const same = (values, otherwise) => (list(values).length === truth.length ? values : otherwise);
  return {
    truth,
    predicted: same(
      given.predicted,
      truth.map(() => null),
    ),
    objects: same(
      given.objects,
      truth.map((_, at) => at),
    ),
    split: same(
      given.split,
      truth.map(() => 0),
    ),
    ids: same(given.ids, null),
    classes: list(given.classes),
    decisions: same(given.decisions, null),
    probabilities: same(given.probabilities, null),
  };
}

function confusionSection(predictions) {
  const names = predictions.classes.map(text);
  const k = names.length;
  const counts = confusion(predictions.truth, predictions.predicted, k);
  const totals = counts.map((row) => row.reduce((a, b) => a + b, 0));
  const colours = scale(0, 1, "share");
  const cells = counts.flatMap((row, t) =>
    row.map((n, p) => {
      const share = totals[t] ? n / totals[t] : null;
      return { x: p, y: t, n, value: share, label: k <= 8 ? `${number(n)}\n${percent(share)}` : n ? number(n) : "" };
    }),
  );
  const plot = figure({
    name: "Confusion matrix: true vs. predicted class",
    height: (width) => Math.min(640, Math.max(k <= MOST_HALF ? 300 : 230, 74 + Math.min(k * 64, width * 0.85))),
    most: Math.max(480, 200 + 90 * k),
    option: ({ width }) => {
      const characters = Math.max(6, Math.floor(width / (k + 1.5) / 7.5));
      const label = {
        color: token("ink"),
        interval: 0,
        formatter: (at) => shorten(names[at] ?? "", k > 6 ? 14 : Math.min(20, characters)),
      };
      return {
        grid: grid({ right: 8, top: 4 }),
        xAxis: axis("category", "predicted", {
          data: names.map((_, at) => String(at)),
          axisLabel: { ...label, rotate: k > 6 ? 40 : 0 },
        }),
        yAxis: axis("category", "true", { inverse: true, data: names.map((_, at) => String(at)), axisLabel: label }),
        tooltip: tooltip((item) => {
          const one = cells[item.dataIndex];
          return {
            title: one.x === one.y ? "Correct" : "Incorrect",
            pairs: [
              ["true", names[one.y]],
              ["predicted", names[one.x]],
              ["predictions", number(one.n)],
              ["of the true class", percent(one.value, 1)],
            ],
          };
        }),
        series: [tiles(cells, colours)],
      };
    },
    below: () => colourBar(colours, "share of the true class"),
    data: () => ({
      head: ["True class", ...names.map((n) => `Predicted ${n}`), "Correct"],
      rows: counts.map((row, t) => [
        names[t],
        ...row.map((n) => cell(number(n), n)),
        cell(percent(totals[t] ? row[t] / totals[t] : null, 1), totals[t] ? row[t] / totals[t] : null),
      ]),
    }),
  });
  return section(
    {
      id: "confusion",
      title: "Confusion matrix",
      group: "Predictions",
      how: "Each row shows the predictions for objects of one true class, over all splits: a good method has large values on the diagonal.",
      wide: k > MOST_HALF || !predictions.probabilities,
    },
    plot,
  );
}

/** The confidence of a prediction: the probability of the predicted class, else its decision value. */
function confidence(predictions, at) {
  const said = predictions.predicted[at];
  const p = known(predictions.probabilities?.[at]?.[said]);
  if (p !== null) return p;
  const values = list(predictions.decisions?.[at]);
  return known(values[said]) ?? (isNumber(values[0]) ? Math.abs(values[0]) : null);
}

function wrongSection(predictions) {
  const names = predictions.classes.map(text);
  const rows = [];
  for (const [, places] of byObject(predictions)) {
    const wrong = places.filter(
      (at) =>
        isNumber(predictions.truth[at]) &&
        isNumber(predictions.predicted[at]) &&
        predictions.truth[at] !== predictions.predicted[at],
    );
    if (!wrong.length) continue;
    const said = new Map();
    for (const at of wrong) said.set(predictions.predicted[at], (said.get(predictions.predicted[at]) ?? 0) + 1);
    const most = [...said].sort((a, b) => b[1] - a[1])[0][0];
    const sure = mean(wrong.map((at) => confidence(predictions, at)));
    rows.push({
      id: objectName(predictions, places[0]),
      truth: names[predictions.truth[places[0]]],
      said: names[most],
      wrong: wrong.length,
      tests: places.length,
      sure,
    });
  }
  rows.sort((a, b) => b.wrong / b.tests - a.wrong / a.tests || (b.sure ?? 0) - (a.sure ?? 0));
  const total = byObject(predictions).size;
  const meta = {
    id: "wrong",
    title: "Misclassified objects",
    group: "Predictions",
    how: "Check the objects that are misclassified in every split, most confident errors first: they may be mislabelled, unusual, or not captured by the kernel.",
  };
  if (!rows.length)
    return section(
      { ...meta, how: null },
      el("p", { class: "fine" }, `All ${number(total)} objects were classified correctly in every split.`),
    );
  const measure = predictions.probabilities ? "Probability" : "Decision value";
  const repeated = rows.some((row) => row.tests > 1);
  const head = ["Object", "True class", "Predicted", ...(repeated ? ["Wrong"] : []), measure];
  const line = (row) => [
    row.id,
    row.truth,
    row.said,
    ...(repeated ? [cell(`${row.wrong} of ${row.tests}`, row.wrong)] : []),
    row.sure,
  ];
  return section(
    meta,
    el(
      "p",
      { class: "muted" },
      `${number(rows.length)} of ${number(total)} objects were misclassified at least once; the first ${Math.min(12, rows.length)} are:`,
    ),
    table({ head, rows: rows.slice(0, 12).map(line), caption: meta.title }),
    dataTable(meta.title, () => ({ head, rows: rows.map(line) })),
  );
}
