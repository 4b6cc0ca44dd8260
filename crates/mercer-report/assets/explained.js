// A fitted model as a whole: columns by Shapley values, effects of single columns, examples.

/** Columns drawn, and points drawn for each. */
const MOST_COLUMNS = 15;
const MOST_POINTS = 300;

const explainedColumns = (run) =>
  list(run.columns).map(record).filter((one) => isNumber(one.importance));

function explainHero(run) {
  const columns = explainedColumns(run);
  const scored = record(run.score);
  const worthless = scored.better === false;
  const first = columns.slice(0, 3).map((one) => `${text(one.column)} (${percent(one.share)})`);
  const sentence = [
    worthless
      ? "The model is no better than its baseline on this data, so what follows explains nothing."
      : null,
    first.length ? `The model uses ${first.join(", ")} the most.` : null,
  ];
  return hero({
    what: ["Explanation of a model", record(run.run).date].filter(Boolean).join(" · "),
    title: `${baseName(run.data ?? run.model)}${run.target ? `: predicting ${text(run.target)}` : ""}`,
    state: worthless ? "bad" : run.exact === false ? "open" : "good",
    mark: worthless ? "No better than the baseline" : run.exact === false ? "Sampled values" : "Exact values",
    sentence: sentence.filter(Boolean).join(" "),
    pairs: [
      ["Model", code(run.model)],
      ["Kernel", code(run.kernel)],
      ["Learner", code(run.learner)],
      ["Objects", run.objects < run.of ? `${number(run.objects)} of ${number(run.of)}` : number(run.objects)],
      [scored.name ? capital(text(scored.name)) : "Score", isNumber(scored.model) ? score(scored.model) : null],
      ["Baseline", isNumber(scored.baseline) ? score(scored.baseline) : null],
      ["Shapley values", text(run.method)],
      ["Background", text(run.background)],
    ],
  });
}

/** The importance of each column, with the Shapley values of single objects. */
function columnsSection(run) {
  const columns = explainedColumns(run);
  if (!columns.length) return null;
  const shown = columns.slice(0, MOST_COLUMNS);
  const found = record(run.attributions);
  const outputs = list(found.outputs);
  const names = list(found.columns).map(text);
  let at = 0;
  const points = () => {
    const rows = list(list(found.values)[at]).slice(0, MOST_POINTS);
    return shown.flatMap((one, row) => {
      const place = names.indexOf(text(one.column));
      return rows.map((values, i) => [known(list(values)[place]), row, i]).filter((point) => point[0] !== null);
    });
  };
  const pair = (p) => (p ? `${score(p.increase)} (${score(p.low)} to ${score(p.high)})` : null);
  const shuffled = columns.some((one) => one.permutation);
  const head = ["Column", "Importance", "Share", ...(shuffled ? ["Error when shuffled"] : [])];
  const lines = columns.map((one) => [
    text(one.column),
    one.importance,
    cell(percent(one.share, 1), one.share),
    ...(shuffled ? [cell(text(pair(one.permutation)), one.permutation ? one.permutation.increase : null)] : []),
  ]);
  const chart = figure({
    name: "Shapley values of columns",
    height: 60 + 30 * shown.length,
    data: () => ({ head, rows: lines }),
    above:
      outputs.length > 1
        ? choice("Values for", outputs.map(text), (to) => {
            at = to;
            chart.redraw();
          })
        : null,
    option: ({ narrow }) => ({
      grid: grid({ bottom: 34 }),
      tooltip: tooltip((item) => ({
        title: text(shown[item.data[1]].column),
        pairs: [["Shapley value", item.data[0]]],
      })),
      xAxis: axis("value", `Shapley value${outputs[at] ? ` for ${shorten(text(outputs[at]), 20)}` : ""}`, { scale: false }),
      yAxis: axis("category", null, {
        inverse: true,
        data: shown.map((one) => text(one.column)),
        axisLabel: { width: narrow ? 96 : 180, overflow: "truncate" },
      }),
      series: [
        {
          type: "scatter",
          symbolSize: 5,
          itemStyle: { color: classColour(0), opacity: 0.55 },
          // Points of one column are spread within its row, in the order of the objects.
          data: points(),
          symbolOffset: (value) => [0, ((value[2] * 7) % 15) - 7],
        },
      ],
    }),
  });
  const pairs = list(run.correlated).map(record);
  return section(
    {
      id: "columns",
      title: "Columns",
      group: "Model",
      how: "How much each column moves single predictions away from the mean of the background: a point per object. Importance is the mean distance from 0; the values of an object sum to its output minus the base value.",
    },
    chart,
    table({ head, rows: lines.slice(0, MOST_COLUMNS), caption: "Importance of columns" }),
    isNumber(run.gap)
      ? el("p", { class: "muted" }, `Sums and outputs differ by at most ${score(run.gap)} of the largest output.`)
      : null,
    pairs.map((one) =>
      el(
        "p",
        { class: "muted" },
        `${text(one.first)} and ${text(one.second)} are correlated (${score(one.correlation)}): the model may use either, so read their shares together.`,
      ),
    ),
  );
}

/** Partial dependence and accumulated local effects of the most important columns. */
function effectsSection(run) {
  const effects = list(run.effects)
    .map(record)
    .filter((one) => list(one.points).length > 1);
  if (!effects.length) return null;
  const columns = [...new Set(effects.map((one) => text(one.column)))];
  const make = (column) => {
    const own = effects.filter((one) => text(one.column) === column);
    const points = own[0].points.map(record);
    const numbers = points.every((point) => isNumber(point.number));
    const name = (one) => (one.output === null || one.output === undefined ? "prediction" : text(one.output));
    const where = (point) => (numbers ? point.number : text(point.at));
    const series = own.flatMap((one, c) => {
      const line = (kind, field, more) => ({
        type: numbers || kind !== "mean" ? "line" : "scatter",
        name: `${name(one)}${kind === "mean" ? "" : ", local effect"}`,
        symbolSize: 6,
        itemStyle: { color: classColour(c) },
        lineStyle: { color: classColour(c), ...more },
        data: list(one.points)
          .map(record)
          .map((point) => [where(point), known(point[field])]),
      });
      const local = list(one.points).every((point) => isNumber(record(point).effect));
      return [line("mean", "dependence", {}), local ? line("local", "effect", { type: "dashed" }) : null].filter(Boolean);
    });
    return figure({
      name: `Effect of ${column}`,
      height: 280,
      data: () => ({
        head: ["Output", "Value", "Partial dependence", "Local effect"],
        rows: own.flatMap((one) =>
          list(one.points)
            .map(record)
            .map((point) => [name(one), text(point.at), known(point.dependence), known(point.effect)]),
        ),
      }),
      option: () => ({
        grid: grid({ top: 40, bottom: 34 }),
        legend: legend(),
        tooltip: tooltip((item) => ({ title: item.seriesName, pairs: [[column, item.data[0]], ["Output", item.data[1]]] })),
        xAxis: axis(numbers ? "value" : "category", column),
        yAxis: axis("value", null),
        series,
      }),
    });
  };
  return section(
    {
      id: "effects",
      title: "Effects",
      group: "Model",
      how: "What the model predicts along a column. Solid: the mean output when all objects have this value (partial dependence). Dashed: the same from changes between neighbouring values alone (accumulated local effects, centred), which uses no objects far from the data.",
    },
    columns.map((column) => [el("h3", {}, column), make(column)]),
  );
}

/** Prototypes and criticisms of each class. */
function examplesSection(run) {
  const classes = list(record(run.examples).classes).map(record);
  if (!classes.length) return null;
  const name = (one) => (one.id === null || one.id === undefined ? `object ${number(one.object + 1)}` : text(one.id));
  const names = (all) => list(all).map((one) => name(record(one))).join(", ");
  return section(
    {
      id: "examples",
      title: "Examples",
      group: "Model",
      how: "Prototypes represent the objects that are predicted alike best, in the similarity of the kernel; criticisms are what they represent worst.",
    },
    table({
      head: ["Predicted", "Prototypes", "Criticisms"],
      rows: classes.map((one) => [one.class === null ? "all objects" : text(one.class), names(one.prototypes), names(one.criticisms)]),
      caption: "Prototypes and criticisms",
      plain: true,
    }),
  );
}

/** What training objects say for and against a prediction, in a sentence or two. */
function evidenceText(source) {
  const found = record(source);
  if (!isNumber(found.objects_for)) return null;
  const side = (count, share) => `${number(count)} with ${percent(share, 1)}`;
  const other = record(found.other_class);
  const differs = list(other.differs).map(text);
  return el(
    "p",
    { class: "muted" },
    `Training objects for it: ${side(found.objects_for, found.share_for)} of all contributions; against it: ${side(found.objects_against, found.share_against)}.`,
    other.class
      ? ` Nearest of another class: ${text(other.name)}, ${text(other.class)}, at distance ${score(other.distance)}${differs.length ? `: ${differs.join(", ")}` : ""}.`
      : null,
  );
}

/** A table of contributions with the rest and the offset. */
function contributionTable(found, head, offset, caption) {
  const parts = list(found.parts).map(record);
  const amounts = [...parts.map((p) => p.amount), found.rest, found.offset].filter(isNumber);
  const longest = extent(amounts.map(Math.abs))?.[1] ?? 0;
  const line = (name, amount, error) => [
    name,
    cell(isNumber(error) ? `${score(amount)} ± ${score(error)}` : score(amount), known(amount)),
    cell(bar(amount, longest, true), ""),
  ];
  // The heading says what the number is of.
  const name = (p) => text(p.feature).replace(/^(similarity|distance) to (support|training) object /, "");
  const rows = parts.map((p) => line(name(p), p.amount, p.error));
  if (isNumber(found.rest) && found.rest !== 0) rows.push(line(el("em", {}, "all others"), found.rest));
  if (isNumber(found.offset)) rows.push(line(el("em", {}, offset), found.offset));
  return el("div", { class: "parts contributions" }, table({ head: [head, "Contribution", ""], rows, caption }));
}

/** A prototype and a criticism of each class, by training objects and by hidden parts. */
function explainedSection(run) {
  const all = list(run.explained)
    .map(record)
    .filter((one) => one.by_objects || one.by_parts);
  if (!all.length) return null;
  const name = (one) => {
    const object = record(one.object);
    return object.id === null || object.id === undefined ? `object ${number(object.object + 1)}` : text(object.id);
  };
  const card = (one) => {
    const [objects, parts] = [record(one.by_objects), record(one.by_parts)];
    const drawing = moleculeDrawing(one.drawing);
    return el(
      "article",
      { class: "card" },
      el("h4", {}, name(one), el("span", { class: "tag" }, text(one.role))),
      one.class === null || one.class === undefined ? null : facts([["Predicted", text(one.class)]], "facts small"),
      drawing ? el("figure", { class: "molecule-box" }, drawing) : null,
      one.by_parts ? contributionTable(parts, "Part", "every part hidden", `Parts of ${name(one)}`) : null,
      one.by_objects ? contributionTable(objects, "Training object", "intercept", `Training objects for ${name(one)}`) : null,
      one.by_objects ? evidenceText(objects.evidence) : null,
    );
  };
  return section(
    {
      id: "explained",
      title: "Single objects",
      group: "Model",
      how: "Training objects: similarity times weight, positive where one speaks for the prediction. Parts: the model is evaluated again with parts of the object hidden (occlusion); the contributions sum to the value minus the value with every part hidden.",
    },
    all.some((one) => one.drawing) ? moleculeKey("parts that add to the value", "that subtract from it") : null,
    el("div", { class: "cards" }, all.map(card)),
  );
}

/** How often features or columns are among the drivers of the models of outer splits. */
function stabilityTable(source) {
  const found = record(source);
  const drivers = list(found.drivers).map(record);
  if (!drivers.length || !isNumber(found.splits)) return null;
  const rows = drivers.map((one) => [
    text(one.name),
    cell(`${number(one.found)} of ${number(found.splits)}`, one.found),
    one.weak ? el("span", { class: "tag bad" }, "weak") : null,
  ]);
  return el(
    "div",
    { class: "sub" },
    el("h3", {}, "Drivers by split"),
    el("p", { class: "how" }, text(found.about)),
    table({ head: ["Driver", "Found in splits", ""], rows: rows.slice(0, 15), caption: "Drivers of the models of outer splits" }),
    rows.length > 15 ? dataTable("Drivers by split", () => ({ head: ["Driver", "Found in splits"], rows: drivers.map((one) => [text(one.name), one.found]) })) : null,
  );
}
