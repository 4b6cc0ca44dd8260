// The parameter search: a heat map for every pair of parameters, a line for a single one.

/** Up to this many pairs are all drawn; of more, one is selected. */
const MOST_PAIRS = 3;

function searchSection(run) {
  const search = record(record(run.figures).search);
  const meta = { id: "search", title: "Search for parameters", group: "Search" };
  const all = list(search.parameters).map(record);
  const cells = list(search.configurations).map(record);
  if (!all.length || !cells.length) {
    const words =
      run.command !== "auto" && run.inner_protocol === null
        ? "There was no search: kernel and learner have fixed parameters."
        : "The document does not contain the scores of the search.";
    return missingSection(meta.id, meta.title, meta.group, words);
  }
  const better = moreIsBetter(run, search.score) ? (a, b) => a > b : (a, b) => a < b;
  const free = all
    .map((p, at) => ({ at, name: text(p.name), values: list(p.values).map(text) }))
    .filter((p) => p.values.length > 1);
  const range = extent(cells.map((c) => c.mean));
  if (!free.length || !range)
    return missingSection(
      meta.id,
      meta.title,
      meta.group,
      "No configuration has a score, or every parameter has only one value.",
    );
  const label = `mean ${text(search.score)} on the inner splits`;
  const cellTable = () => ({
    head: [...all.map((p) => text(p.name)), label, "Chosen in splits"],
    rows: cells.map((c) => [
      ...all.map((p, at) => text(list(p.values)[list(c.position)[at]])),
      known(c.mean),
      cell(number(c.chosen ?? 0), c.chosen ?? 0),
    ]),
  });
  if (free.length === 1) {
    const how =
      "Each point is one value of the parameter with its mean score on the inner splits; filled marks were chosen, with the number of outer splits that chose them.";
    return section({ ...meta, how }, parameterLine(free[0], project(cells, free[0], null, better), label, cellTable));
  }
  const pairs = free.flatMap((a, i) => free.slice(i + 1).map((b) => [a, b]));
  const how = `Each cell is a pair of values with its mean score on the inner splits${free.length > 2 ? ", the best over the other parameters" : ""}; framed cells were chosen, with the number of outer splits that chose them.`;
  const colours = scale(...range);
  const maps = pairs.map(([a, b]) => ({ a, b, cells: mapCells(project(cells, a, b, better)) }));
  const draw = (shown) => parameterMap(shown, colours, label, cellTable);
  if (pairs.length > MOST_PAIRS) return section({ ...meta, how }, colourBar(colours, label), draw(maps));
  return section(
    { ...meta, how },
    colourBar(colours, label),
    pairs.length > 1
      ? el(
          "div",
          { class: "pairs" },
          maps.map((map) => draw([map])),
        )
      : draw(maps),
  );
}

/** Projects configurations on one or two parameters: the best score over the others, and how often they were chosen. */
function project(cells, a, b, better) {
  const found = new Map();
  for (const one of cells) {
    const position = list(one.position);
    const x = position[a.at];
    const y = b ? position[b.at] : 0;
    if (!Number.isInteger(x) || !Number.isInteger(y)) continue;
    const key = `${x},${y}`;
    const seen = found.get(key) ?? { x, y, value: null, chosen: 0 };
    if (isNumber(one.mean) && (seen.value === null || better(one.mean, seen.value))) seen.value = one.mean;
    seen.chosen += known(one.chosen) ?? 0;
    found.set(key, seen);
  }
  return [...found.values()];
}

const mapCells = (found) =>
  found.map((one) => ({ ...one, marked: one.chosen > 0, label: one.chosen > 0 ? `${one.chosen}×` : "" }));

/** A heat map of a pair of parameters, with a selector if there are several pairs. */
function parameterMap(maps, colours, label, data) {
  let at = 0;
  const longest = (p) =>
    Math.min(
      12,
      p.values.reduce((most, v) => Math.max(most, v.length), 0),
    );
  const crowded = (p, width) => p.values.length * (7 * longest(p) + 6) > width - 80;
  const category = (p, narrow, turn) => ({
    data: p.values,
    axisLabel: { color: token("ink"), formatter: (v) => shorten(v, narrow ? 7 : 12), rotate: turn ? 45 : 0 },
  });
  const plot = figure({
    name:
      maps.length > 1 ? "Mean score by pairs of parameters" : `Mean score by ${maps[0].a.name} and ${maps[0].b.name}`,
    height: () => Math.min(560, 110 + 34 * maps[at].b.values.length),
    most: Math.max(380, 180 + 64 * maps.reduce((most, map) => Math.max(most, map.a.values.length), 0)),
    above:
      maps.length > 1
        ? choice(
            "Parameters",
            maps.map(({ a, b }) => `${a.name} and ${b.name}`),
            (chosen) => ((at = chosen), plot.redraw()),
          )
        : null,
    option: ({ narrow, width }) => {
      const { a, b, cells } = maps[at];
      return {
        grid: grid({ right: 8, top: 6 }),
        xAxis: axis("category", a.name, category(a, narrow, crowded(a, width))),
        yAxis: axis("category", b.name, category(b, narrow, false)),
        tooltip: tooltip((item) => {
          const one = cells[item.dataIndex];
          return {
            title: `${a.name} ${a.values[one.x]}, ${b.name} ${b.values[one.y]}`,
            pairs: [
              [label, isNumber(one.value) ? one.value : "no value"],
              ["chosen in splits", number(one.chosen)],
            ],
          };
        }),
        series: [tiles(cells, colours)],
      };
    },
    data,
  });
  return plot;
}

function parameterLine(p, found, label, data) {
  const by = new Map(found.map((one) => [one.x, one]));
  const points = p.values.map((_, x) => by.get(x) ?? { x, value: null, chosen: 0 });
  return figure({
    name: `Mean score by ${p.name}`,
    height: 320,
    option: () => ({
      grid: grid({ top: 28 }),
      xAxis: axis("category", p.name, { data: p.values, axisLabel: { formatter: (v) => shorten(v, 14) } }),
      yAxis: axis("value", label, { nameGap: 44 }),
      tooltip: tooltip((item) => ({
        title: `${p.name} ${p.values[item.dataIndex]}`,
        pairs: [
          [label, isNumber(points[item.dataIndex].value) ? points[item.dataIndex].value : "no value"],
          ["chosen in splits", number(points[item.dataIndex].chosen)],
        ],
      })),
      series: [
        {
          type: "line",
          color: token("accent"),
          lineStyle: { width: 2 },
          data: points.map((one) => ({
            value: known(one.value),
            symbol: "circle",
            itemStyle: one.chosen > 0 ? undefined : hollow("accent"),
            symbolSize: one.chosen > 0 ? 13 : 8,
            label: { show: one.chosen > 0, formatter: () => `${one.chosen}×`, position: "top", color: token("ink") },
          })),
        },
      ],
    }),
    data,
  });
}
