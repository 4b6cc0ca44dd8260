// Curves computed from class scores: ROC, precision–recall, calibration.

/** More curves than this are not distinguishable; one class is selected instead. */
const MOST_CURVES = 8;

/** The scores of class `c`: probabilities, else decision values; with two classes a single value is for the second. */
function classScores(predictions, c) {
  const rows = predictions.probabilities ?? predictions.decisions;
  if (!rows) return null;
  return rows.map((row) => {
    const values = list(row);
    if (values.length === 1) return known(values[0]) === null ? null : c === 1 ? values[0] : -values[0];
    return known(values[c]);
  });
}

const positives = (predictions, c) => predictions.truth.map((t) => t === c);

/** A selector of the class that redraws; two classes need none, because the second is positive. */
function classChoice(names, state, redraw) {
  if (names.length <= 2) return null;
  const all = names.length <= MOST_CURVES;
  state.at = all ? null : 0;
  const options = all ? ["all classes", ...names] : names;
  return choice("Class vs. rest", options, (at) => {
    state.at = all ? (at === 0 ? null : at - 1) : at;
    redraw();
  });
}

function curveSections(predictions) {
  const names = predictions.classes.map(text);
  const source = predictions.probabilities ? "probabilities" : predictions.decisions ? "decision values" : null;
  if (!source)
    return [
      missingSection(
        "roc",
        "ROC and precision–recall",
        "Predictions",
        "The learner gave neither probabilities nor decision values, which these curves need.",
      ),
    ];
  const classes = names.length === 2 ? [1] : names.map((_, c) => c);
  const make = (compute) =>
    classes
      .map((c) => ({ c, name: names[c], curve: compute(classScores(predictions, c), positives(predictions, c)) }))
      .filter((one) => one.curve);
  const pooled =
    new Set(list(predictions.split)).size > 1 ? "; test objects of all splits are pooled" : "";
  const about = names.length === 2 ? `; positive is ${shorten(names[1], 40)}` : "";
  return [
    curveSection({
      id: "roc",
      title: "ROC curve",
      how: `True positive rate vs. false positive rate for all thresholds on the ${source}: closer to the upper left corner is better, the diagonal is chance${about}${pooled}.`,
      curves: make(roc),
      names,
      axes: ["false positive rate", "true positive rate"],
      area: "AUC",
      step: false,
      reference: () =>
        guide([
          [0, 0],
          [1, 1],
        ]),
    }),
    curveSection({
      id: "precision-recall",
      title: "Precision and recall",
      how: `Precision vs. recall for all thresholds: higher is better, the dashed line is chance${about}${pooled}.`,
      curves: make(precisionRecall),
      names,
      axes: ["recall", "precision"],
      area: "average precision",
      step: "start",
      reference: (curves) =>
        curves.length === 1
          ? guide([
              [0, curves[0].curve.share],
              [1, curves[0].curve.share],
            ])
          : null,
    }),
  ];
}

function curveSection({ id, title, how, curves, names, axes, area, step, reference }) {
  const meta = { id, title, group: "Predictions", how, wide: false };
  if (!curves.length) return section(meta, missing("Only one class was tested, so there is no curve."));
  const state = { at: null };
  const visible = () => curves.filter((one) => state.at === null || one.c === state.at);
  const short = area === "AUC" ? "AUC" : "AP";
  const plot = figure({
    name: `${title}; ${curves
      .slice(0, 3)
      .map((one) => `${area} of ${one.name} ${score(one.curve.area)}`)
      .join(", ")}`,
    height: (width) => Math.min(400, Math.max(300, width * 0.8)) + 24 * Math.min(3, Math.floor(curves.length / 3)),
    above: classChoice(names, state, () => plot.redraw()),
    option: () => {
      const seen = visible();
      const label = (one) => `${shorten(one.name, 22)}, ${short} ${score(one.curve.area)}`;
      return {
        grid: grid({ top: 40 + (seen.length > 2 ? 10 : 0) }),
        legend: legend({ formatter: (name) => name, data: seen.map(label), textStyle: { color: token("ink") } }),
        xAxis: axis("value", axes[0], { min: 0, max: 1, scale: false }),
        yAxis: axis("value", axes[1], { min: 0, max: 1, scale: false, nameGap: 36 }),
        tooltip: tooltip((item) => {
          const [x, y, at] = item.data;
          return {
            title: item.seriesName,
            pairs: [
              [axes[0], x],
              [axes[1], y],
              ["threshold", isNumber(at) ? at : "above all"],
            ],
          };
        }),
        series: [
          ...seen.map((one) => ({
            name: label(one),
            type: "line",
            step,
            data: thin(one.curve.points),
            symbol: "circle",
            symbolSize: 7,
            showSymbol: true,
            itemStyle: { opacity: 0 },
            emphasis: { itemStyle: { opacity: 1 } },
            lineStyle: { width: 2.25, type: ["solid", "dashed", "dotted"][Math.floor(one.c / 3) % 3], opacity: 1 },
            color: names.length === 2 ? token("accent") : classColour(one.c),
          })),
          reference(seen),
        ].filter(Boolean),
      };
    },
    data: () => ({
      head: ["Class", area, capital(axes[0]), capital(axes[1]), "Threshold"],
      rows: curves.flatMap((one) =>
        thin(one.curve.points).map((p) => [one.name, one.curve.area, p[0], p[1], isNumber(p[2]) ? p[2] : null]),
      ),
    }),
  });
  return section(meta, plot);
}

function calibrationSection(predictions) {
  const names = predictions.classes.map(text);
  const meta = {
    id: "calibration",
    title: "Calibration",
    group: "Predictions",
    how: "Ten bins of equal size by predicted probability; points on the diagonal mean well-calibrated probabilities.",
    wide: names.length > MOST_HALF,
  };
  if (!predictions.probabilities)
    return missingSection(
      meta.id,
      meta.title,
      meta.group,
      "The learner gave no probabilities, so calibration cannot be shown.",
    );
  const n = predictions.truth.length;
  const rows = predictions.probabilities.map(list);
  const predictedClass = {
    name: "the predicted class",
    bins: () =>
      calibration(
        rows.map((p, i) => known(p[predictions.predicted[i]])),
        predictions.truth.map((t, i) => t === predictions.predicted[i]),
      ),
  };
  const one = (c) => ({
    name: names[c],
    bins: () => calibration(classScores(predictions, c), positives(predictions, c)),
  });
  const options = names.length === 2 ? [one(1)] : [predictedClass, ...names.map((_, c) => one(c))];
  let at = 0;
  const bins = () => options[at].bins();
  const plot = figure({
    name: "Calibration: predicted probability vs. observed frequency",
    height: (width) => Math.min(420, Math.max(300, width * 0.7)),
    most: 720,
    above:
      options.length > 1
        ? choice(
            "Probability of",
            options.map((o) => o.name),
            (chosen) => ((at = chosen), plot.redraw()),
          )
        : null,
    option: () => {
      const groups = bins();
      return {
        grid: grid({ top: 14 }),
        xAxis: axis("value", `predicted probability of ${shorten(options[at].name, 30)}`, { min: 0, max: 1, scale: false }),
        yAxis: axis("value", "observed frequency", { min: 0, max: 1, scale: false, nameGap: 36 }),
        tooltip: tooltip((item) => {
          const g = groups[item.dataIndex];
          return (
            g && {
              title: `Bin ${item.dataIndex + 1} of ${groups.length}`,
              pairs: [
                ["predicted probability", `${score(g.mean)} (${score(g.from)} to ${score(g.to)})`],
                ["observed frequency", score(g.share)],
                ["95 % interval", between(g)],
                ["predictions", number(g.n)],
              ],
            }
          );
        }),
        series: [
          guide([
            [0, 0],
            [1, 1],
          ]),
          calibrationMarks(groups),
          {
            type: "line",
            data: groups.map((g) => [g.mean, g.share]),
            symbol: "circle",
            symbolSize: 9,
            color: token("accent"),
            lineStyle: { width: 1.5 },
          },
        ],
      };
    },
    data: () => ({
      head: ["Bin", "Predictions", "Mean probability", "Observed frequency", "Low", "High"],
      rows: bins().map((g, b) => [cell(number(b + 1), b + 1), cell(number(g.n), g.n), g.mean, g.share, g.low, g.high]),
    }),
  });
  const brier = mean(
    rows.map(
      (p, i) =>
        p.reduce((sum, v, c) => sum + ((known(v) ?? 0) - (predictions.truth[i] === c ? 1 : 0)) ** 2, 0) /
        (names.length === 2 && p.length === 2 ? 2 : 1),
    ),
  );
  return section(
    meta,
    el(
      "p",
      { class: "muted" },
      `${number(n)} predictions in bins of about ${number(Math.max(1, Math.round(n / 10)))}; bars are 95 % intervals (Wilson). Brier score ${score(brier)}: smaller is better.`,
    ),
    plot,
  );
}

/** Wilson intervals as thin bars. */
const calibrationMarks = (groups) => ({
  type: "custom",
  silent: true,
  tooltip: { show: false },
  data: groups.map((g) => [g.mean, g.share]),
  renderItem: (params, api) => {
    const g = groups[params.dataIndex];
    const [x, low] = api.coord([g.mean, g.low]);
    return segment(x, low, x, api.coord([g.mean, g.high])[1], token("line-strong"), 2);
  },
});
