// Marks shared by several charts: intervals, strips of scores, reference lines.

/** A reference line: identity, chance, a threshold. */
const guide = (points, more = {}) => ({
  type: "line",
  data: points,
  symbol: "none",
  silent: true,
  lineStyle: { color: token("muted"), width: 1.25, type: "dashed" },
  tooltip: { show: false },
  z: 1,
  ...more,
});

/** A symbol drawn as an outline, filled with the panel's colour. */
const hollow = (name) => ({ color: token("panel"), borderColor: token(name), borderWidth: 2 });

/** A vertical or horizontal threshold with its name, attached to a series. */
const threshold = (where, label, position = "end") => ({
  silent: true,
  // The default rounds the value to two decimals.
  precision: 15,
  symbol: "none",
  lineStyle: { color: token("muted"), type: "dashed", width: 1.25 },
  label: { show: Boolean(label), formatter: () => label, color: token("muted"), fontSize: 11, position },
  data: [where],
});

const segment = (x1, y1, x2, y2, colour, width) => ({
  type: "line",
  shape: { x1, y1, x2, y2 },
  style: { stroke: colour, lineWidth: width, lineCap: "round" },
});

/**
 * Rows with a mean, its interval and single scores, as a custom series on a category axis.
 * Each row is {name, mean, low, high, scores, colour}; the colour is the name of a style variable.
 */
function intervalSeries(rows) {
  const fold = (api, y, value) => ({
    type: "circle",
    shape: { cx: api.coord([value, 0])[0], cy: y, r: 3 },
    style: { fill: token("muted"), opacity: 0.4 },
    silent: true,
  });
  return {
    type: "custom",
    data: rows.map((row, at) => [known(row.mean) ?? known(row.low) ?? 0, at]),
    encode: { x: 0, y: 1 },
    renderItem: (params, api) => {
      const row = rows[params.dataIndex];
      const colour = token(row.colour);
      const y = api.coord([0, params.dataIndex])[1];
      const x = (value) => api.coord([value, params.dataIndex])[0];
      const band = api.size([0, 1])[1];
      const children = list(row.scores)
        .filter(isNumber)
        .map((value) => fold(api, y + Math.min(11, band * 0.26), value));
      if (isNumber(row.low) && isNumber(row.high)) {
        children.push(
          segment(x(row.low), y, x(row.high), y, colour, 3),
          segment(x(row.low), y - 5, x(row.low), y + 5, colour, 2),
          segment(x(row.high), y - 5, x(row.high), y + 5, colour, 2),
        );
      }
      if (isNumber(row.mean)) {
        children.push({
          type: row.hollow ? "rect" : "circle",
          shape: row.hollow
            ? { x: x(row.mean) - 5, y: y - 5, width: 10, height: 10 }
            : { cx: x(row.mean), cy: y, r: 6 },
          style: {
            fill: row.hollow ? token("panel") : colour,
            stroke: row.hollow ? colour : token("panel"),
            lineWidth: 2,
          },
        });
      }
      // A wide transparent band, so that the tooltip also appears near the dot.
      children.unshift({
        type: "rect",
        shape: { x: params.coordSys.x, y: y - band / 2, width: params.coordSys.width, height: band },
        style: { fill: "rgba(0,0,0,0)" },
      });
      return { type: "group", children };
    },
  };
}

/** The axis range that shows all rows, with some padding. */
function intervalRange(rows) {
  const values = rows.flatMap((row) => [row.mean, row.low, row.high, ...list(row.scores)]).filter(isNumber);
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (low > high) return { min: 0, max: 1 };
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return { min: low - room, max: high + room };
}

/** The tooltip of such a row. */
const intervalTip = (rows, label) => (item) => {
  const row = rows[item.dataIndex];
  return {
    title: row.name,
    pairs: [
      [label, row.sd === undefined ? score(row.mean) : spread(row.mean, row.sd)],
      isNumber(row.low) ? [`${percent(row.level ?? 0.95)} interval`, between(row)] : null,
      list(row.scores).length ? ["splits", String(row.scores.length)] : null,
    ],
  };
};

/** An interval plot of rows; names are next to them, or above them on narrow screens. */
function intervals({ name, rows, label, data, guideAt, rowHeight = 46, above }) {
  return figure({
    name,
    height: 52 + rowHeight * rows.length,
    data,
    above,
    option: ({ narrow, width }) => {
      const range = intervalRange(rows);
      return {
        grid: grid({ right: 14, top: 8 }),
        xAxis: axis("value", label, { ...range, axisLabel: { showMinLabel: false, showMaxLabel: false } }),
        yAxis: axis("category", "", {
          data: rows.map((_, at) => String(at)),
          inverse: true,
          axisLabel: {
            color: token("ink"),
            formatter: (at) => shorten(rows[at]?.name ?? "", narrow ? 16 : Math.round(width / 20)),
            interval: 0,
          },
        }),
        tooltip: tooltip(intervalTip(rows, label)),
        series: [
          { ...intervalSeries(rows), markLine: isNumber(guideAt) ? threshold({ xAxis: guideAt }, "") : undefined },
        ],
      };
    },
  });
}

/** Cells of a heat map on two category axes: {x, y, value, label, marked}; colours by `colours`. */
function tiles(cells, colours) {
  return {
    type: "custom",
    data: cells.map((one) => [one.x, one.y, known(one.value) ?? 0]),
    encode: { x: 0, y: 1 },
    renderItem: (params, api) => {
      const one = cells[params.dataIndex];
      const [x, y] = api.coord([one.x, one.y]);
      const [width, height] = api.size([1, 1]);
      const empty = !isNumber(one.value);
      const inset = one.marked ? 2 : 0.5;
      const shape = {
        x: x - width / 2 + inset,
        y: y - height / 2 + inset,
        width: Math.max(0, width - 2 * inset),
        height: Math.max(0, height - 2 * inset),
        r: 2,
      };
      const fits =
        one.label &&
        height >= 14 &&
        width >=
          7 *
            String(one.label)
              .split("\n")
              .reduce((most, line) => Math.max(most, line.length), 0);
      return {
        type: "rect",
        shape,
        style: {
          fill: empty ? token("line") : colours.colour(one.value),
          stroke: one.marked ? token("ink") : "transparent",
          lineWidth: one.marked ? 2.5 : 0,
        },
        textContent: fits
          ? {
              type: "text",
              style: {
                text: String(one.label),
                fill: empty ? token("ink") : colours.ink(one.value),
                fontSize: 12,
                fontWeight: one.marked ? 600 : 400,
                lineHeight: 16,
                textAlign: "center",
              },
            }
          : undefined,
        textConfig: { position: "inside" },
        emphasis: { style: { stroke: token("ink"), lineWidth: 2 } },
      };
    },
  };
}

/** Minimum and maximum of the known values; null if there are none. */
function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!isNumber(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}
