// The result of an evaluation: the verdict, the main score compared with the baseline, all measures, the splits.

const BASELINES = { majority: "majority class", mean: "mean of the training targets" };

/** The file name of a path. */
const baseName = (path) => text(path).split(/[\\/]/).filter(Boolean).pop() ?? NONE;

/** The head of the page: what was done, the verdict, and next to it the main score. */
function hero({ what, title, state, mark, sentence, aside, pairs }) {
  return el(
    "header",
    { class: "hero", id: "result" },
    el("p", { class: "eyebrow" }, what),
    el("h1", {}, title),
    el(
      "div",
      { class: aside ? "hero-row" : "hero-row single" },
      el(
        "div",
        { class: "hero-left" },
        el(
          "div",
          { class: `verdict ${state}` },
          el("p", { class: "mark" }, el("span", { class: "mark-sign", "aria-hidden": "true" }), mark),
          sentences(sentence),
        ),
        facts(pairs),
      ),
      aside ?? null,
    ),
  );
}

/** A verdict in large print; of a long one only the first sentences, the rest is smaller. */
function sentences(words) {
  const parts = words.split(/(?<=[.)])\s+(?=[A-Z])/);
  let large = 1;
  while (large < parts.length && parts.slice(0, large + 1).join(" ").length <= 170) large += 1;
  if (words.length <= 240) large = parts.length;
  const rest = parts.slice(large).join(" ");
  return el(
    "p",
    { class: "sentence" },
    parts.slice(0, large).join(" "),
    rest ? [" ", el("span", { class: "rest" }, rest)] : null,
  );
}

/** The verdict as a state for the style sheet and as words. */
function stateOf(beaten, learned) {
  const words = ["Better than the baseline", "Not better than the baseline", "Inconclusive"];
  if (beaten !== true && learned === true) return { state: "open", mark: "Better by another measure" };
  if (beaten === true) return { state: "good", mark: words[0] };
  if (beaten === false) return { state: "bad", mark: words[1] };
  return { state: "open", mark: words[2] };
}

/** The main score in large print above its interval plot. */
function mainScore({ label, value, interval, baseline, better, plot }) {
  const { low, high, level, method } = record(interval);
  const range =
    isNumber(low) || isNumber(high)
      ? `${percent(level ?? 0.95)} interval ${between(interval)}${method ? ` (${method})` : ""}`
      : "no interval available";
  return el(
    "div",
    { class: "main-score" },
    el(
      "p",
      { class: "score-label" },
      label,
      el("span", { class: "muted" }, better ? " · larger is better" : " · smaller is better"),
    ),
    el("p", { class: "score-value" }, score(value)),
    el("p", { class: "score-range" }, range),
    baseline ? el("p", { class: "score-range" }, baseline) : null,
    plot,
  );
}

function evaluateHero(run) {
  const first = record(list(run.measures)[0]);
  const verdict = record(run.verdict);
  const name = text(first.score ?? run.score);
  const baseline = record(first.baseline);
  const of = (key) => list(run.folds).map((fold) => known(record(record(fold)[key])[first.score]));
  const interval = record(first.interval);
  const rows = [
    {
      name: "this method",
      mean: known(first.mean),
      sd: first.sd,
      low: known(interval.low),
      high: known(interval.high),
      level: interval.level,
      scores: run.pooled ? [] : of("scores"),
      colour: "accent",
    },
    {
      name: "baseline",
      mean: known(baseline.mean),
      sd: baseline.sd,
      scores: run.pooled ? [] : of("baseline"),
      colour: "muted",
      hollow: true,
    },
  ];
  const data = () => ({
    head: ["", "mean", "sd", "low", "high"],
    rows: rows.map((row) => [row.name, row.mean, known(row.sd), row.low ?? null, row.high ?? null]),
  });
  const plot =
    isNumber(first.mean) || isNumber(baseline.mean)
      ? intervals({
          name: `${name} of this method vs. the baseline`,
          rows,
          label: name,
          data,
          guideAt: known(baseline.mean),
          rowHeight: 44,
        })
      : missing("The score is undefined on these splits.");
  const classes = list(run.classes).map((one) => record(one).name);
  return hero({
    what: ["Evaluation", record(run.run).date].filter(Boolean).join(" · "),
    title: `${baseName(run.data)}${run.target ? `: predicting ${run.target}` : ""}`,
    ...stateOf(verdict.beaten, verdict.learned),
    sentence: verdict.sentence || "The document contains no verdict.",
    aside: mainScore({
      label: name,
      value: first.mean,
      interval: first.interval,
      better: moreIsBetter(run, first.score),
      baseline: isNumber(baseline.mean)
        ? `baseline ${score(baseline.mean)} (${BASELINES[run.baseline] ?? text(run.baseline)})`
        : null,
      plot,
    }),
    pairs: [
      ["Kernel", code(run.kernel)],
      ["Learner", code(run.learner)],
      ["Objects", isNumber(run.objects) ? number(run.objects) : null],
      ["Classes", classes.length ? number(classes.length) : null],
      ["Protocol", run.protocol ? code(run.protocol) : null],
      [
        "Inner protocol",
        run.inner_protocol ? el("span", {}, code(run.inner_protocol), run.search ? `, ${run.search}` : "") : null,
      ],
      [
        "Fits",
        isNumber(run.fits)
          ? `${number(run.fits)}${run.not_converged ? `, ${number(run.not_converged)} not converged` : ""}`
          : null,
      ],
    ],
  });
}

/** All measures compared with the baseline. */
function measuresSection(run) {
  const measures = list(run.measures).map(record);
  if (!measures.length) return null;
  const undefinedAnywhere = measures.some((m) => m.undefined > 0);
  const head = [
    "Measure",
    "Mean ± sd",
    "Interval",
    "Baseline",
    "Difference",
    "Better is",
    ...(undefinedAnywhere ? ["Undefined on"] : []),
  ];
  const rows = measures.map((m) => {
    const difference = isNumber(m.mean) && isNumber(record(m.baseline).mean) ? m.mean - m.baseline.mean : null;
    const signed = difference === null ? NONE : `${difference > 0 ? "+" : ""}${score(difference)}`;
    return [
      text(m.score),
      cell(spread(m.mean, m.sd), m.mean),
      between(m.interval),
      known(record(m.baseline).mean),
      cell(signed, difference),
      m.greater_is_better === false ? "smaller" : "larger",
      ...(undefinedAnywhere ? [cell(number(m.undefined), m.undefined)] : []),
    ];
  });
  if (rows.length) rows[0].marked = true;
  const pooled = run.pooled
    ? "Predictions of all splits were pooled before scoring"
    : "Means and standard deviations are over the splits";
  return section(
    {
      id: "measures",
      title: "All measures",
      group: "Result",
      how: `${pooled}; parameters were chosen by the first measure.`,
    },
    table({ head, rows, caption: "Measures compared with the baseline" }),
  );
}

/** The scores of the splits, and the parameters chosen in each. */
function splitsSection(run) {
  const folds = list(run.folds).map(record);
  if (!folds.length)
    return missingSection(
      "splits",
      "Scores by split",
      "Result",
      "The document contains no scores of single splits.",
    );
  const names = list(run.measures).map((m) => text(record(m).score));
  let at = 0;
  const place = (fold) =>
    isNumber(fold.repetition) && folds.some((f) => f.repetition > 0)
      ? `${fold.repetition + 1}.${(fold.fold ?? 0) + 1}`
      : String((fold.fold ?? 0) + 1);
  const value = (fold, key) => known(record(fold[key])[names[at]]);
  const plot = figure({
    name: "Scores of the splits, this method and the baseline",
    height: 280,
    above: names.length > 1 ? choice("Measure", names, (chosen) => ((at = chosen), plot.redraw())) : null,
    option: () => ({
      grid: grid({ top: 40 }),
      legend: legend(),
      xAxis: axis("category", "split", { data: folds.map(place) }),
      yAxis: axis("value", names[at]),
      tooltip: tooltip((item) => {
        const fold = folds[item.dataIndex];
        return {
          title: `Split ${place(fold)}`,
          pairs: [
            ["this method", value(fold, "scores")],
            ["baseline", value(fold, "baseline")],
            ["inner score", known(fold.inner_score)],
            ["kernel", brief(fold.kernel)],
            ["learner", fold.learner],
            ["training, test", `${number(fold.train)}, ${number(fold.test)}`],
          ],
        };
      }),
      series: [
        {
          name: "this method",
          type: "line",
          data: folds.map((f) => value(f, "scores")),
          symbol: "circle",
          symbolSize: 9,
          lineStyle: { width: 1, opacity: 0.4 },
          color: token("accent"),
        },
        {
          name: "baseline",
          type: "line",
          data: folds.map((f) => value(f, "baseline")),
          symbol: "rect",
          symbolSize: 8,
          lineStyle: { width: 1, opacity: 0.5, type: "dashed", color: token("muted") },
          color: token("muted"),
          itemStyle: hollow("muted"),
        },
      ],
    }),
    data: () => ({
      head: [
        "Split",
        "Training",
        "Test",
        "Kernel",
        "Learner",
        "Inner score",
        ...names,
        ...names.map((n) => `Baseline ${n}`),
        "Converged",
      ],
      rows: folds.map((f) => [
        place(f),
        cell(number(f.train), f.train),
        cell(number(f.test), f.test),
        f.kernel,
        f.learner,
        known(f.inner_score),
        ...names.map((n) => known(record(f.scores)[n])),
        ...names.map((n) => known(record(f.baseline)[n])),
        f.converged === false ? "no" : "yes",
      ]),
    }),
  });
  return section(
    {
      id: "splits",
      title: "Scores by split",
      group: "Result",
      how: "Each point is one split into training and test set; a wide scatter means that the score depends on the split.",
    },
    plot,
    chosenTable(folds),
  );
}

/** The kernels and learners chosen, by frequency. */
function chosenTable(folds) {
  const times = new Map();
  for (const fold of folds) {
    const key = JSON.stringify([text(fold.kernel), text(fold.learner)]);
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  const rows = [...times]
    .sort((a, b) => b[1] - a[1])
    .map(([key, n]) => [...JSON.parse(key).map(code), cell(`${n} of ${folds.length}`, n)]);
  return el(
    "div",
    { class: "sub" },
    el("h3", {}, times.size === 1 ? "Used in every split" : "Chosen in the splits"),
    table({ head: ["Kernel", "Learner", "Splits"], rows, caption: "Kernels and learners chosen" }),
  );
}

/** A section that only says that something is missing. */
const missingSection = (id, title, group, words) => section({ id, title, group, how: null }, missing(words));
