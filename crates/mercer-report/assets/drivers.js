// Explanations of predictions: most important features, reference objects, contributions for single objects.

/** Maximum number of bars. */
const MOST_BARS = 25;

function driversSection(run) {
  const drivers = record(record(run.figures).drivers);
  const features = list(drivers.features).map(record);
  const references = list(drivers.references).map(record);
  const objects = list(drivers.objects).map(record);
  const styles = edgeStyles(objects.map((object) => record(object.graph)));
  const meta = { id: "drivers", title: "What drove the predictions", group: "Drivers" };
  if (!features.length && !references.length && !objects.length) {
    return missingSection(
      meta.id,
      meta.title,
      meta.group,
      drivers.about
        ? text(drivers.about)
        : "The document contains no explanations of the predictions; not every kernel and learner provides them.",
    );
  }
  return section(
    {
      ...meta,
      how: "Bars to the right favour the class or a larger value, bars to the left oppose it; the length is the weight.",
    },
    drivers.about ? el("p", { class: "muted" }, text(drivers.about)) : null,
    features.length ? featureBars(features) : null,
    featureExamples(features),
    references.length ? referenceTable(references) : null,
    stabilityTable(record(run.figures).stability),
    objects.length
      ? [
          el("h3", { class: "cards-title" }, "Contributions for single objects"),
          el(
            "p",
            { class: "how" },
            "The value of each object is its offset plus the contributions below; the largest are shown, the others are summed as the rest.",
          ),
          objects.some((object) => typeof object.molecule === "string")
            ? moleculeKey("atoms and bonds that add to the value", "that subtract from it")
            : null,
          el(
            "div",
            { class: "cards" },
            objects.map((object) => objectCard(object, styles)),
          ),
        ]
      : null,
  );
}

function featureBars(features) {
  const classes = [...new Set(features.map((f) => f.class).filter((c) => c !== null && c !== undefined))].map(text);
  let at = 0;
  const wanted = () =>
    (at === 0 ? features : features.filter((f) => text(f.class) === classes[at - 1])).slice(0, MOST_BARS);
  const label = (f) => (classes.length > 1 && at === 0 ? `${text(f.feature)} (${text(f.class)})` : text(f.feature));
  const plot = figure({
    name: "Most important features",
    height: () => 52 + 24 * wanted().length,
    above:
      classes.length > 1
        ? choice("Class", ["all classes", ...classes], (chosen) => ((at = chosen), plot.redraw()))
        : null,
    option: ({ narrow, width }) => {
      const bars = wanted();
      return {
        grid: grid({ top: 4, right: 14 }),
        xAxis: axis("value", "weight", { scale: false }),
        yAxis: axis("category", "", {
          inverse: true,
          axisLine: { onZero: true, lineStyle: { color: token("line-strong") } },
          data: bars.map((_, i) => String(i)),
          axisLabel: {
            color: token("ink"),
            interval: 0,
            formatter: (i) => shorten(bars[i] ? label(bars[i]) : "", narrow ? 18 : Math.round(width / 24)),
          },
        }),
        tooltip: tooltip((item) => ({
          title: text(bars[item.dataIndex].feature),
          pairs: [
            ["weight", bars[item.dataIndex].weight],
            bars[item.dataIndex].class ? ["class", bars[item.dataIndex].class] : null,
          ],
        })),
        series: [
          {
            type: "bar",
            barMaxWidth: 15,
            data: bars.map((f) => ({
              value: known(f.weight) ?? 0,
              itemStyle: { color: token(f.weight < 0 ? "negative" : "positive"), borderRadius: 2 },
            })),
          },
        ],
      };
    },
    data: () => ({
      head: ["Feature", "Class", "Weight"],
      rows: features.map((f) => [text(f.feature), f.class ?? null, known(f.weight)]),
    }),
  });
  return el(
    "div",
    { class: "sub" },
    el("h3", {}, `The ${Math.min(MOST_BARS, features.length)} most important features`),
    plot,
  );
}

function referenceTable(references) {
  const longest = extent(references.map((r) => Math.abs(r.weight)))?.[1] ?? 0;
  const rows = references.map((r) => [
    text(r.id),
    r.class ?? null,
    known(r.weight),
    cell(bar(r.weight, longest, true), ""),
  ]);
  const head = ["Object", "Class", "Weight", ""];
  return el(
    "div",
    { class: "sub" },
    el("h3", {}, "Reference objects"),
    table({ head, rows: rows.slice(0, 15), caption: "Reference objects and their weights" }),
    rows.length > 15 ? dataTable("Reference objects", () => ({ head: head.slice(0, 3), rows })) : null,
  );
}

/** A card for one object: its prediction, the contributions to its value, and its graph or text. */
function objectCard(object, styles) {
  const parts = list(object.parts).map(record);
  const all = [...parts.map((p) => p.amount), object.rest, object.offset];
  const longest = extent(all.filter(isNumber).map(Math.abs))?.[1] ?? 0;
  const line = (name, times, amount) => [name, times, known(amount), cell(bar(amount, longest, true), "")];
  const rows = parts.map((p) =>
    line(text(p.feature), isNumber(p.count) ? cell(number(p.count), p.count) : null, p.amount),
  );
  if (isNumber(object.rest)) rows.push(line(el("em", {}, "the rest"), "", object.rest));
  if (isNumber(object.offset)) rows.push(line(el("em", {}, "offset"), "", object.offset));
  const right =
    object.truth === null || object.truth === undefined || object.class === null || object.class === undefined
      ? null
      : typeof object.truth === "number"
        ? null
        : text(object.truth) === text(object.class);
  const said = [
    ["Predicted", object.class === null || object.class === undefined ? null : text(object.class)],
    [
      "True",
      object.truth === null || object.truth === undefined
        ? null
        : typeof object.truth === "number"
          ? score(object.truth)
          : text(object.truth),
    ],
    ["Value", isNumber(object.value) ? score(object.value) : null],
  ];
  const graph = record(object.graph);
  const molecule = moleculeDrawing(object.molecule);
  const drawing = molecule
    ? el(
        "figure",
        { class: "molecule-box" },
        molecule,
        typeof object.text === "string" ? el("figcaption", {}, el("code", {}, object.text)) : null,
      )
    : list(graph.labels).length
    ? graphFigure(text(object.id), graph, styles)
    : typeof object.text === "string"
      ? markedText(object.text, parts)
      : null;
  return el(
    "article",
    { class: "card" },
    el(
      "h4",
      {},
      text(object.id),
      right === null ? null : el("span", { class: `tag ${right ? "good" : "bad"}` }, right ? "correct" : "incorrect"),
      typeof object.shown_for === "string" ? el("span", { class: "tag" }, object.shown_for) : null,
    ),
    facts(said, "facts small"),
    drawing,
    el(
      "div",
      { class: "parts" },
      table({
        head: object.evidence ? ["Training object", "Similarity", "Contribution", ""] : ["Feature", "Count", "Contribution", ""],
        rows,
        caption: `Contributions to the value of ${text(object.id)}`,
      }),
    ),
    evidenceText(object.evidence),
  );
}

/** Line styles of edge types. */
const EDGES = [
  { type: "solid", width: 2 },
  { type: "solid", width: 5 },
  { type: [7, 4], width: 2 },
  { type: [2, 3], width: 2 },
];

/** The usual names of bonds, and the style of each. */
const BONDS = {
  single: 0,
  1: 0,
  "-": 0,
  double: 1,
  2: 1,
  "=": 1,
  aromatic: 2,
  4: 2,
  1.5: 2,
  ":": 2,
  triple: 3,
  3: 3,
  "#": 3,
};

/** The style of each edge type, the same in all graphs: by the names of bonds, else by frequency. */
function edgeStyles(graphs) {
  const times = new Map();
  for (const graph of graphs)
    for (const e of list(graph.edges)) times.set(e?.[2] ?? null, (times.get(e?.[2] ?? null) ?? 0) + 1);
  const kinds = [...times].sort((a, b) => b[1] - a[1]).map(([kind]) => kind);
  const bonds = kinds.every((kind) => kind in BONDS);
  return new Map(kinds.map((kind, at) => [kind, Math.min(bonds ? BONDS[kind] : at, EDGES.length - 1)]));
}

/** A graph at the given coordinates, with nodes coloured by their contribution. */
function graphFigure(id, graph, styles) {
  const labels = graph.labels.map((l) => (l === null || l === undefined ? "" : String(l)));
  const amounts = labels.map((_, at) => known(list(graph.amounts)[at]) ?? 0);
  const most = amounts.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
  const colours = scale(-most, most);
  const edges = list(graph.edges).filter((e) => labels[e?.[0]] !== undefined && labels[e?.[1]] !== undefined);
  const kinds = [...styles.keys()].filter((kind) => edges.some((e) => (e[2] ?? null) === kind));
  // Without coordinates the nodes are placed on a circle.
  const angle = (at) => (2 * Math.PI * at) / labels.length;
  const xs = labels.map((_, at) => known(list(graph.x)[at]) ?? Math.cos(angle(at)));
  const ys = labels.map((_, at) => known(list(graph.y)[at]) ?? Math.sin(angle(at)));
  const height = 250;
  return figure({
    name: `Graph of ${id}, nodes coloured by their contribution to the value`,
    height,
    option: ({ width }) => {
      // One scale for both axes, at most 46 pixels per unit, so that angles are preserved.
      const room = { x: width - 44, y: height - 44 };
      const [[left, right], [low, high]] = [extent(xs), extent(ys)];
      const unit = Math.min(room.x / (right - left || 1e-9), room.y / (high - low || 1e-9), graph.x ? 46 : 90);
      const around = (from, to, pixels) => ({
        min: (from + to) / 2 - pixels / unit / 2,
        max: (from + to) / 2 + pixels / unit / 2,
      });
      const radius = Math.max(7, Math.min(13, 0.36 * unit));
      const hidden = { type: "value", show: false };
      return {
        grid: { left: 22, right: 22, top: 22, bottom: 22 },
        xAxis: { ...hidden, ...around(left, right, room.x) },
        yAxis: { ...hidden, inverse: true, ...around(low, high, room.y) },
        tooltip: tooltip((item) => graphTip(item, labels, amounts, edges)),
        series: [
          {
            type: "graph",
            coordinateSystem: "cartesian2d",
            symbolSize: 2 * radius,
            data: labels.map((label, at) => ({
              id: String(at),
              name: `${at}`,
              value: [xs[at], ys[at]],
              itemStyle: { color: colours.colour(amounts[at]), borderColor: token("muted"), borderWidth: 1 },
              label: {
                show: radius >= 7,
                formatter: () => shorten(label, 4),
                color: colours.ink(amounts[at]),
                fontSize: radius < 10 ? 9 : 12,
                fontWeight: 600,
              },
            })),
            links: edges.map((e) => ({
              source: String(e[0]),
              target: String(e[1]),
              lineStyle: EDGES[styles.get(e[2] ?? null)],
            })),
            lineStyle: { color: token("muted"), opacity: 0.9 },
            emphasis: { scale: 1.1, label: { show: true } },
          },
        ],
      };
    },
    below: () => [
      colourBar(colours, "contribution to the value"),
      styles.size > 1
        ? el(
            "p",
            { class: "edges" },
            "Edges: ",
            kinds.map((kind) => el("span", { class: `edge edge-${styles.get(kind)}` }, text(kind))),
          )
        : "",
    ],
    data: () => ({
      head: ["Node", "Label", "Adds", "Neighbours"],
      rows: labels.map((label, at) => [
        cell(number(at), at),
        label,
        amounts[at],
        edges
          .filter((e) => e[0] === at || e[1] === at)
          .map((e) => (e[0] === at ? e[1] : e[0]))
          .join(", "),
      ]),
    }),
  });
}

function graphTip(item, labels, amounts, edges) {
  if (item.dataType !== "edge")
    return {
      title: `Node ${item.dataIndex}`,
      pairs: [
        ["label", labels[item.dataIndex]],
        ["adds", amounts[item.dataIndex]],
      ],
    };
  const [from, to, kind] = edges[item.dataIndex];
  return {
    title: "Edge",
    pairs: [
      ["between", `${labels[from]} ${from} and ${labels[to]} ${to}`],
      kind === null || kind === undefined ? null : ["kind", kind],
    ],
  };
}

/** The characters of a feature and where it occurs: anywhere, or for "tg at 15" at that position. */
function occurrences(characters, feature) {
  const occurs = (wanted, at) => wanted.length > 0 && wanted.every((c, k) => characters[at + k] === c);
  const wanted = [...String(feature ?? "")];
  const places = characters.map((_, at) => at).filter((at) => occurs(wanted, at));
  const fixed = /^([^]+) at (\d+)$/.exec(String(feature ?? ""));
  if (places.length || !fixed) return { length: wanted.length, places };
  const length = [...fixed[1]].length;
  return { length, places: [Number(fixed[2])].filter((at) => occurs([...fixed[1]], at)) };
}

/** A text whose characters are coloured by the features that occur there. */
function markedText(words, parts) {
  const characters = [...words].slice(0, 4000);
  const amounts = new Float64Array(characters.length);
  for (const { feature, amount } of parts) {
    if (!isNumber(amount)) continue;
    const { length, places } = occurrences(characters, feature);
    for (const at of places)
      for (let k = 0; k < length; k += 1) amounts[at + k] += amount / (places.length * length);
  }
  const most = amounts.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const colours = scale(-(most || 1), most || 1);
  const spans = [];
  for (let at = 0; at < characters.length;) {
    let end = at + 1;
    while (end < characters.length && amounts[end] === amounts[at]) end += 1;
    const piece = characters.slice(at, end).join("");
    spans.push(
      amounts[at] === 0
        ? piece
        : el(
            "mark",
            {
              style: `background:${colours.colour(amounts[at])};color:${colours.ink(amounts[at])}`,
              title: score(amounts[at]),
            },
            piece,
          ),
    );
    at = end;
  }
  return el(
    "div",
    { class: "text" },
    el("p", { class: "marked-text" }, spans, words.length > 4000 ? " …" : ""),
    most ? colourBar(colours, "contribution to the value") : null,
  );
}
