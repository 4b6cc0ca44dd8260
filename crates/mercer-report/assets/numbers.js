// Regression: predicted vs. true values, residuals, and the objects with the largest errors.

/** More points than this are drawn on a canvas. */
const MANY_POINTS = 1500;

function numberSections(predictions) {
  const points = list(predictions.truth)
    .map((t, at) => ({
      at,
      truth: known(t),
      said: known(predictions.predicted?.[at]),
      id: objectName(predictions, at),
      split: predictions.split?.[at],
    }))
    .filter((p) => p.truth !== null && p.said !== null);
  if (!points.length)
    return [missingSection("predictions", "Predictions", "Predictions", "No prediction has a value.")];
  for (const p of points) p.residual = p.said - p.truth;
  return [
    predictedSection(points),
    residualSection(points),
    histogramSection(points),
    furthestSection(predictions, points),
  ];
}

const pointTip = (points) => (item) => {
  const p = points[item.dataIndex];
  return (
    p &&
    item.seriesType === "scatter" && {
      title: p.id,
      pairs: [
        ["true", p.truth],
        ["predicted", p.said],
        ["residual", p.residual],
        isNumber(p.split) ? ["split", number(p.split + 1)] : null,
      ],
    }
  );
};

const pointTable = (points) => () => ({
  head: ["Object", "Split", "True", "Predicted", "Residual"],
  rows: points.map((p) => [
    p.id,
    isNumber(p.split) ? cell(number(p.split + 1), p.split + 1) : null,
    p.truth,
    p.said,
    p.residual,
  ]),
});

/** A scatter plot; more points are drawn fainter. */
const cloud = (data) => ({
  type: "scatter",
  data,
  symbolSize: data.length > 600 ? 5 : 8,
  itemStyle: { color: token("accent"), opacity: data.length > 600 ? 0.35 : 0.6 },
  emphasis: { itemStyle: { opacity: 1, borderColor: token("ink"), borderWidth: 1.5 } },
});

function predictedSection(points) {
  const [low, high] = extent(points.flatMap((p) => [p.truth, p.said]));
  const plot = figure({
    name: "Predicted vs. true values",
    height: (width) => Math.min(520, Math.max(320, width * 0.75)),
    most: 720,
    canvas: points.length > MANY_POINTS,
    option: () => ({
      grid: grid(),
      xAxis: axis("value", "true"),
      yAxis: axis("value", "predicted", { nameGap: 44 }),
      tooltip: tooltip(pointTip(points)),
      series: [
        cloud(points.map((p) => [p.truth, p.said])),
        guide([
          [low, low],
          [high, high],
        ]),
      ],
    }),
    data: pointTable(points),
  });
  return section(
    {
      id: "predicted",
      title: "Predicted vs. true",
      group: "Predictions",
      how: "Each point is a test object, over all splits: on the dashed line prediction and truth are equal.",
    },
    plot,
  );
}

function residualSection(points) {
  const [low, high] = extent(points.map((p) => p.said));
  const plot = figure({
    name: "Residuals vs. predicted values",
    height: 320,
    canvas: points.length > MANY_POINTS,
    option: () => ({
      grid: grid(),
      xAxis: axis("value", "predicted"),
      yAxis: axis("value", "predicted − true", { nameGap: 44 }),
      tooltip: tooltip(pointTip(points)),
      series: [
        cloud(points.map((p) => [p.said, p.residual])),
        guide([
          [low, 0],
          [high, 0],
        ]),
      ],
    }),
    data: pointTable(points),
  });
  return section(
    {
      id: "residuals",
      title: "Residuals",
      group: "Predictions",
      how: "A horizontal band around zero is ideal; a slope, a curve or a funnel shape shows what the method misses.",
      wide: false,
    },
    plot,
  );
}

function histogramSection(points) {
  const bars = histogram(points.map((p) => p.residual));
  const plot = figure({
    name: "Histogram of residuals",
    height: 320,
    option: () => ({
      grid: grid(),
      xAxis: axis("category", "predicted − true", {
        data: bars.map((b) => tick(Number(((b.from + b.to) / 2).toPrecision(6)))),
      }),
      yAxis: axis("value", "predictions", { min: 0, scale: false, minInterval: 1, nameGap: 40 }),
      tooltip: tooltip((item) => ({
        title: `${tick(Number(bars[item.dataIndex].from.toPrecision(6)))} to ${tick(Number(bars[item.dataIndex].to.toPrecision(6)))}`,
        pairs: [["predictions", number(item.value)]],
      })),
      series: [
        {
          type: "bar",
          data: bars.map((b) => b.n),
          barCategoryGap: "8%",
          itemStyle: { color: token("accent"), borderRadius: [2, 2, 0, 0] },
        },
      ],
    }),
    data: () => ({
      head: ["From", "To", "Predictions"],
      rows: bars.map((b) => [b.from, b.to, cell(number(b.n), b.n)]),
    }),
  });
  return section(
    {
      id: "histogram",
      title: "Distribution of residuals",
      group: "Predictions",
      how: "Centred on zero means no bias; long tails mean that a few predictions have large errors.",
      wide: false,
    },
    plot,
  );
}

function furthestSection(predictions, points) {
  const place = new Map(points.map((p) => [p.at, p]));
  const rows = [...byObject(predictions).values()]
    .map((places) => places.map((at) => place.get(at)).filter(Boolean))
    .filter((tests) => tests.length)
    .map((tests) => ({
      id: tests[0].id,
      truth: tests[0].truth,
      said: mean(tests.map((p) => p.said)),
      error: mean(tests.map((p) => Math.abs(p.residual))),
      tests: tests.length,
    }))
    .sort((a, b) => b.error - a.error);
  const head = ["Object", "True", "Mean prediction", "Mean absolute error", "Tests"];
  const line = (row) => [row.id, row.truth, row.said, row.error, cell(number(row.tests), row.tests)];
  const meta = {
    id: "wrong",
    title: "Objects with the largest errors",
    group: "Predictions",
    how: "The objects with the largest mean absolute error over the splits in which they were tested.",
  };
  return section(
    meta,
    table({ head, rows: rows.slice(0, 12).map(line), caption: meta.title }),
    dataTable(meta.title, () => ({ head, rows: rows.map(line) })),
  );
}
