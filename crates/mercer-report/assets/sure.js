// How sure predictions are: coverage, sizes of sets, intervals, and objects outside of the model's domain.

/** At most this many objects are drawn with their intervals. */
const MOST_INTERVALS = 200;

/** A confidence: 0.9 as "90 %", 0.975 as "97.5 %". */
const asLevel = (confidence) => (isNumber(confidence) ? `${Number((100 * confidence).toPrecision(6))}\u00a0%` : NONE);

/** "92.0 % (46 of 50)". */
const covered = (row) => `${percent(row.covered / row.objects, 1)} (${number(row.covered)} of ${number(row.objects)})`;

/** Whether a row of a coverage holds what is needed to show it. */
const isCounted = (row) => isNumber(row.covered) && isNumber(row.objects) && row.objects > 0;

/** The coverages of a run: one of each confidence. */
const coverages = (run) =>
  (Array.isArray(run.coverage) ? run.coverage : [run.coverage])
    .map(record)
    .map((c) => ({ ...c, all: record(c.all), parts: list(c.parts).map(record).filter(isCounted) }))
    .filter((c) => isNumber(c.confidence) && isCounted(c.all));

/** The verdict about the coverage of a test set: whether the confidence is within the interval of what was seen. */
function coverageState(found) {
  const { low, high } = wilson(found.all.covered, found.all.objects);
  if (found.confidence > high) return { state: "bad", mark: "Fewer regions hold the true value than promised" };
  if (found.confidence < low) return { state: "good", mark: "More regions hold the true value than promised" };
  return { state: "good", mark: "As many regions hold the true value as promised" };
}

function predictHero(run) {
  const classes = list(run.classes).length > 0;
  const found = coverages(run)[0];
  const outside = list(run.in_domain).filter((inside) => inside === false).length;
  const objects = isNumber(run.objects) ? run.objects : list(run.predictions).length;
  const what = classes ? "sets of classes" : "intervals";
  const sentence = [
    found
      ? `${capital(what)} of confidence ${asLevel(found.confidence)} hold the true value of ${covered(found.all)} objects.`
      : isNumber(run.confidence)
        ? `${capital(what)} hold the true value with a confidence of ${asLevel(run.confidence)}, for objects like the training objects.`
        : "Predictions of new objects.",
    list(run.in_domain).length
      ? outside
        ? `${count(outside, "object is", "objects are")} unlike the training objects: do not trust these predictions.`
        : "All objects are like the training objects."
      : null,
  ];
  const state = found
    ? coverageState(found)
    : outside
      ? { state: "open", mark: `${count(outside, "object")} outside of the domain` }
      : { state: "open", mark: "Predicted" };
  return hero({
    what: ["Predictions", record(run.run).date].filter(Boolean).join(" · "),
    title: `${baseName(run.data ?? run.model)}${run.target ? `: predicting ${text(run.target)}` : ""}`,
    ...state,
    sentence: sentence.filter(Boolean).join(" "),
    pairs: [
      ["Model", code(run.model)],
      ["Objects", number(objects)],
      ["Confidence", isNumber(run.confidence) ? asLevel(run.confidence) : null],
      [classes ? "Mean set size" : "Mean width", found ? score(found.all.size) : null],
      ["Outside of the domain", list(run.in_domain).length ? number(outside) : null],
    ],
  });
}

function fitHero(run) {
  const conformal = record(run.conformal);
  const first = record(list(record(run.test).measures)[0]);
  const found = coverages(run);
  const told = found.find((c) => c.confidence === 0.9) ?? found[0];
  const sentence = [
    run.test
      ? `On the test set of ${number(record(run.test).objects)} objects: ${text(record(record(run.test).verdict).sentence)}`
      : `Fitted to ${count(run.objects, "object")}.`,
    told
      ? `Regions of confidence ${asLevel(told.confidence)} hold the true value of ${covered(told.all)} test objects.`
      : null,
  ];
  return hero({
    what: ["Fitted model", record(run.run).date].filter(Boolean).join(" · "),
    title: `${baseName(run.data ?? run.output)}${record(run.target).name ? `: predicting ${run.target.name}` : ""}`,
    ...(told ? coverageState(told) : { state: run.converged === false ? "bad" : "open", mark: run.converged === false ? "Stopped before convergence" : "Fitted" }),
    sentence: sentence.filter(Boolean).join(" "),
    pairs: [
      ["File", code(run.output)],
      ["Kernel", code(run.kernel)],
      ["Learner", code(run.learner)],
      ["Objects", number(run.objects)],
      [first.score ? `Test set: ${first.score}` : "Test set", first.score ? score(first.value ?? first.mean) : null],
      ["Calibrated by", conformal.method ? `${conformal.method}, ${conformal.score} scores` : null],
      ["Coverage within", conformal.by && conformal.by !== "all" ? conformal.by : null],
      ["Calibration objects", isNumber(conformal.objects) ? number(conformal.objects) : null],
      ["Time", isNumber(run.seconds) ? duration(run.seconds) : null],
    ],
  });
}

/** How many regions hold the true value, for all objects, and for each class or group. */
function coverageSection(run) {
  const found = coverages(run);
  if (!found.length) return null;
  const classes = list(run.classes).length > 0;
  let at = Math.max(
    0,
    found.findIndex((c) => c.confidence === 0.9),
  );
  const rowsOf = (coverage) => [{ ...coverage.all, name: "all objects" }, ...coverage.parts];
  const most = Math.max(...found.map((c) => rowsOf(c).length));
  const size = classes ? "Mean set size" : "Mean width";
  const extreme = classes ? "Empty sets" : "Infinite";
  const head = ["Confidence", "Objects of", "Objects", "Coverage", size, extreme];
  const lines = found.flatMap((coverage) =>
    rowsOf(coverage).map((row, i) => {
      const line = [
        cell(asLevel(coverage.confidence), coverage.confidence),
        text(row.name),
        cell(number(row.objects), row.objects),
        cell(percent(row.covered / row.objects, 1), row.covered / row.objects),
        isNumber(row.size) ? row.size : cell("infinite", null),
        cell(number(row.extreme), row.extreme),
      ];
      line.marked = i === 0;
      return line;
    }),
  );
  const plotted = (coverage) =>
    rowsOf(coverage).map((row, i) => ({
      name: text(row.name),
      mean: row.covered / row.objects,
      ...wilson(row.covered, row.objects),
      level: 0.95,
      colour: i === 0 ? "accent" : "ink",
    }));
  const chart = figure({
    name: "Coverage of regions, with 95 % intervals",
    height: 58 + 34 * most,
    above:
      found.length > 1
        ? choice("Confidence", found.map((c) => asLevel(c.confidence)), (chosen) => ((at = chosen), chart.redraw()), at)
        : null,
    option: ({ narrow }) => {
      const rows = plotted(found[at]);
      const low = Math.min(found[at].confidence, ...rows.map((row) => row.low));
      return {
        grid: grid({ right: 16, top: 22 }),
        xAxis: axis("value", narrow ? "coverage" : "share of objects whose region holds the true value", {
          min: Math.max(0, Math.floor(low * 20) / 20),
          max: 1,
          interval: low < 0.6 ? 0.1 : 0.05,
          axisLabel: { formatter: (value) => percent(value) },
        }),
        yAxis: axis("category", "", {
          data: rows.map((_, i) => String(i)),
          inverse: true,
          axisLabel: { color: token("ink"), interval: 0, formatter: (i) => shorten(rows[i]?.name ?? "", narrow ? 14 : 30) },
        }),
        tooltip: tooltip(intervalTip(rows, "coverage")),
        series: [
          {
            ...intervalSeries(rows),
            markLine: threshold({ xAxis: found[at].confidence }, `confidence ${asLevel(found[at].confidence)}`, "start"),
          },
        ],
      };
    },
    data: () => ({ head, rows: lines }),
  });
  const of = found[0].guaranteed < found[0].confidence - 1e-9 ? "about that share, and in theory at least twice it less 1" : "at least that share";
  return section(
    {
      id: "coverage",
      title: "Coverage",
      group: "Result",
      how: `How many regions hold the true value: a confidence promises ${of} of all objects, and of each class or group only if the model was calibrated by it. Lines are 95 % intervals.`,
    },
    chart,
    table({ head, rows: lines.slice(0, 30), caption: "Coverage by confidence" }),
  );
}

/** The sizes of sets. */
function setSizesSection(run) {
  const sets = list(run.sets).map(list);
  if (!sets.length) return null;
  const classes = list(run.classes).length;
  const counts = Array.from({ length: classes + 1 }, () => 0);
  for (const set of sets) counts[Math.min(classes, set.length)] += 1;
  const last = counts.findLastIndex((n) => n > 0);
  const bars = counts.slice(0, last + 1);
  return section(
    {
      id: "set-sizes",
      title: "Sizes of sets",
      group: "Predictions",
      how: "One class: the model is sure. Several: it cannot tell them apart at this confidence. None: every class would be a surprise.",
    },
    figure({
      name: "Objects by the size of their set",
      height: 280,
      most: Math.max(420, 140 + 90 * bars.length),
      option: () => ({
        grid: grid(),
        xAxis: axis("category", "classes in the set", { data: bars.map((_, size) => String(size)) }),
        yAxis: axis("value", "objects", { min: 0, scale: false, minInterval: 1, nameGap: 40 }),
        tooltip: tooltip((item) => ({
          title: count(item.dataIndex, "class", "classes"),
          pairs: [
            ["objects", number(item.value)],
            ["share", percent(item.value / sets.length, 1)],
          ],
        })),
        series: [
          { type: "bar", data: bars, barMaxWidth: 90, itemStyle: { color: token("accent"), borderRadius: [2, 2, 0, 0] } },
        ],
      }),
      data: () => ({
        head: ["Classes in the set", "Objects", "Share"],
        rows: bars.map((n, size) => [cell(number(size), size), cell(number(n), n), cell(percent(n / sets.length, 1), n / sets.length)]),
      }),
    }),
  );
}

/** Predicted numbers with their intervals, in the order of the predictions. */
function intervalsSection(run) {
  const all = list(run.predictions)
    .map((said, at) => {
      const [low, high] = list(list(run.intervals)[at]);
      return { at, said: known(said), low: known(low), high: known(high), truth: known(list(run.truth)[at]) };
    })
    .filter((p) => p.said !== null && p.low !== null && p.high !== null)
    .sort((a, b) => a.said - b.said || a.at - b.at);
  if (!all.length) return null;
  const step = Math.max(1, Math.ceil(all.length / MOST_INTERVALS));
  const points = all.filter((_, i) => i % step === 0);
  const name = (p) => list(run.ids)[p.at] ?? `object ${number(p.at + 1)}`;
  const inside = (p) => p.truth === null || (p.truth >= p.low && p.truth <= p.high);
  const bars = {
    type: "custom",
    data: points.map((p, i) => [i, p.low, p.high]),
    encode: { x: 0, y: [1, 2] },
    renderItem: (params, api) => {
      const p = points[params.dataIndex];
      const [x, low] = api.coord([params.dataIndex, p.low]);
      const [, high] = api.coord([params.dataIndex, p.high]);
      const wide = Math.max(1.5, Math.min(7, api.size([1, 0])[0] * 0.5));
      const band = {
        type: "rect",
        shape: { x: x - wide / 2, y: high, width: wide, height: Math.max(1, low - high) },
        style: { fill: token("accent"), opacity: 0.35 },
      };
      const at = (value) => api.coord([params.dataIndex, value])[1];
      const said = { type: "circle", shape: { cx: x, cy: at(p.said), r: 2.5 }, style: { fill: token("accent") } };
      const truth =
        p.truth === null
          ? []
          : [
              {
                type: "circle",
                shape: { cx: x, cy: at(p.truth), r: 3.5 },
                style: inside(p)
                  ? { fill: token("panel"), stroke: token("ink"), lineWidth: 1.25 }
                  : { fill: token("bad"), stroke: token("bad"), lineWidth: 1.25 },
              },
            ];
      return { type: "group", children: [band, said, ...truth] };
    },
  };
  const some = points.some((p) => p.truth !== null);
  const values = extent(points.flatMap((p) => [p.low, p.high, p.truth]));
  return section(
    {
      id: "intervals",
      title: "Intervals",
      group: "Predictions",
      how: `Objects in the order of their predictions (dots), with intervals of confidence ${asLevel(run.confidence)}${some ? "; circles are true values, filled ones outside of their interval" : ""}${step > 1 ? `; one of ${step} objects is drawn` : ""}.`,
    },
    figure({
      name: "Predictions with their intervals",
      height: 380,
      option: () => ({
        grid: grid(),
        xAxis: axis("category", "objects, by prediction", { data: points.map((_, i) => String(i)), axisLabel: { show: false }, nameGap: 12 }),
        yAxis: axis("value", text(run.target), { nameGap: 46, min: values[0], max: values[1], axisLabel: { showMinLabel: false, showMaxLabel: false } }),
        tooltip: tooltip((item) => {
          const p = points[item.dataIndex];
          return {
            title: name(p),
            pairs: [
              ["predicted", p.said],
              ["interval", between(p)],
              p.truth === null ? null : ["true", p.truth],
            ],
          };
        }),
        series: [bars],
      }),
      data: () => ({
        head: ["Object", "Predicted", "Lower", "Upper", "True"],
        rows: all.map((p) => [name(p), p.said, p.low, p.high, p.truth]),
      }),
    }),
  );
}

/** How typical objects are of the training objects. */
function typicalSection(run) {
  const p = list(run.typicality);
  if (!p.some(isNumber)) return null;
  const bins = Array.from({ length: 10 }, () => 0);
  for (const value of p.filter(isNumber)) bins[Math.min(9, Math.floor(value * 10))] += 1;
  const outside = list(run.in_domain).filter((inside) => inside === false).length;
  const order = p
    .map((value, at) => ({ value, at }))
    .filter((one) => isNumber(one.value))
    .sort((a, b) => a.value - b.value || a.at - b.at);
  const head = ["Object", "Typicality", "In the domain", "Prediction"];
  const line = ({ value, at }) => [
    text(list(run.ids)[at] ?? `object ${number(at + 1)}`),
    cell(value.toFixed(3), value),
    list(run.in_domain)[at] === false ? cell(el("span", { class: "tag bad" }, "outside"), "no") : "yes",
    list(run.predictions)[at],
  ];
  return section(
    {
      id: "typicality",
      title: "Typical of the training objects?",
      group: "Predictions",
      how: "The share of training objects that are at least as far from their neighbours: objects from the same source are spread evenly from 0 to 1 (dashed), and about one in a hundred is outside of the domain by chance.",
    },
    figure({
      name: "Objects by their typicality",
      height: 260,
      option: () => ({
        grid: grid({ top: 22 }),
        xAxis: axis("category", "typicality", { data: bins.map((_, i) => `${(i / 10).toFixed(1)} to ${((i + 1) / 10).toFixed(1)}`), axisLabel: { formatter: (name) => name.slice(0, 3) } }),
        yAxis: axis("value", "objects", { min: 0, scale: false, minInterval: 1, nameGap: 40 }),
        tooltip: tooltip((item) => ({ title: `Typicality ${item.name}`, pairs: [["objects", number(item.value)]] })),
        series: [
          {
            type: "bar",
            data: bins,
            barCategoryGap: "8%",
            itemStyle: { color: token("accent"), borderRadius: [2, 2, 0, 0] },
            markLine: threshold({ yAxis: order.length / 10 }, ""),
          },
        ],
      }),
      data: () => ({ head: ["From", "To", "Objects"], rows: bins.map((n, i) => [i / 10, (i + 1) / 10, cell(number(n), n)]) }),
    }),
    el(
      "div",
      { class: "sub" },
      el("h3", {}, outside ? `The least typical objects (${number(outside)} outside of the domain)` : "The least typical objects"),
      table({ head, rows: order.slice(0, 12).map(line), caption: "The least typical objects" }),
      order.length > 12 ? dataTable("Typicality of all objects", () => ({ head, rows: order.map(line) })) : null,
    ),
  );
}

/** All predictions with what is known about them. */
function predictedObjectsSection(run) {
  const said = list(run.predictions);
  if (!said.length) return null;
  const column = (name, values, show) => (list(values).length === said.length ? [[name, (at) => show(values[at])]] : []);
  const end = (value) => (isNumber(value) ? value : cell("∞", null));
  const columns = [
    ["Object", (at) => text(list(run.ids)[at] ?? number((list(run.rows)[at] ?? at + 1)))],
    ["Prediction", (at) => said[at]],
    ...column("True", run.truth, (v) => v),
    ...column("Standard deviation", run.deviations, (v) => v),
    ...column("Set", run.sets, (set) => (list(set).length ? list(set).map(text).join(", ") : cell("none", ""))),
    ...column("Lower", run.intervals, (v) => end(list(v)[0])),
    ...column("Upper", run.intervals, (v) => end(list(v)[1])),
    ...column("Typicality", run.typicality, (v) => cell(isNumber(v) ? v.toFixed(3) : NONE, v)),
    ...column("In the domain", run.in_domain, (v) => (v === false ? cell(el("span", { class: "tag bad" }, "outside"), "no") : "yes")),
  ];
  const head = columns.map(([name]) => name);
  const rows = (n) => said.slice(0, n).map((_, at) => columns.map(([, show]) => show(at)));
  return section(
    {
      id: "objects",
      title: "Predictions",
      group: "Predictions",
      how: said.length > 20 ? `The first 20 of ${count(said.length, "object")}; the data table has all.` : "Every object.",
    },
    table({ head, rows: rows(20), caption: "Predictions" }),
    said.length > 20 ? dataTable("Predictions", () => ({ head, rows: rows(said.length) })) : null,
  );
}
