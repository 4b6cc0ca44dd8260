// Comparison of methods: mean ranks with their critical difference, and the scores of single splits as strips.

function ranksSection(run) {
  const ranks = list(record(run.friedman).ranks);
  const methods = list(run.methods).map(text);
  const nemenyi = record(run.nemenyi);
  const meta = {
    id: "ranks",
    title: "Critical difference",
    group: "Result",
    how: "Methods at their mean rank over the data sets, best on the left: methods joined by a bar do not differ significantly by the Nemenyi test.",
  };
  if (ranks.length !== methods.length || !ranks.every(isNumber))
    return missingSection(
      meta.id,
      meta.title,
      meta.group,
      "Ranks need every method on at least two data sets, so there is no diagram of critical differences.",
    );
  const order = methods.map((_, m) => m).sort((a, b) => ranks[a] - ranks[b]);
  const groups = list(nemenyi.groups)
    .map((g) =>
      list(g)
        .map((name) => methods.indexOf(text(name)))
        .filter((m) => m >= 0),
    )
    .filter((g) => g.length > 1);
  const difference = known(nemenyi.critical_difference);
  const rows = Math.ceil(order.length / 2);
  const plot = figure({
    name: `Critical-difference diagram; ${order.map((m) => `${methods[m]} ${score(ranks[m])}`).join(", ")}`,
    height: 118 + 26 * rows + 10 * groups.length,
    most: 860,
    option: ({ narrow }) => ({
      grid: { left: narrow ? 98 : 190, right: narrow ? 98 : 190, top: 74, bottom: 4 },
      xAxis: axis("value", "mean rank", {
        min: 1,
        max: Math.max(2, methods.length),
        position: "top",
        interval: 1,
        scale: false,
        nameGap: 24,
        splitLine: { show: false },
        axisTick: { show: true, lineStyle: { color: token("line-strong") } },
        axisLabel: { color: token("ink") },
      }),
      yAxis: axis("value", "", { min: 0, max: 1, show: false }),
      tooltip: tooltip(
        (item) =>
          item.seriesIndex === 0 && {
            title: methods[order[item.dataIndex]],
            pairs: [["mean rank", ranks[order[item.dataIndex]]]],
          },
      ),
      series: [
        rankMarks(
          order.map((m) => ({ name: methods[m], rank: ranks[m] })),
          groups.length,
          narrow,
        ),
        rankBars(
          groups.map((g) => extent(g.map((m) => ranks[m]))),
          difference,
          narrow,
        ),
      ],
    }),
    data: () => ({
      head: ["Method", "Mean rank", "Same group as"],
      rows: order.map((m) => [
        methods[m],
        ranks[m],
        [...new Set(groups.filter((g) => g.includes(m)).flat())]
          .filter((o) => o !== m)
          .map((o) => methods[o])
          .join(", "),
      ]),
    }),
  });
  const test = record(record(run.friedman).iman_davenport);
  const words = [
    isNumber(test.p)
      ? `Friedman test (Iman–Davenport): ${isNumber(test.statistic) ? `F ${score(test.statistic)}, ` : ""}p ${pValue(test.p)}.`
      : null,
    difference === null
      ? null
      : `Critical difference ${score(difference)}${isNumber(nemenyi.alpha) ? ` at ${number(nemenyi.alpha)}` : ""}.`,
  ];
  return section(meta, el("p", { class: "muted" }, words.filter(Boolean).join(" ")), plot);
}

/** Each method: a line from its rank down and to the side, where its name is; the better half is on the left. */
function rankMarks(methods, groups, narrow) {
  const half = Math.ceil(methods.length / 2);
  return {
    type: "custom",
    clip: false,
    data: methods.map((m) => [m.rank, 0]),
    renderItem: (params, api) => {
      const { name, rank } = methods[params.dataIndex];
      const left = params.dataIndex < half;
      const row = left ? params.dataIndex : methods.length - 1 - params.dataIndex;
      const { x: start, width, y: top } = params.coordSys;
      const x = api.coord([rank, 0])[0];
      const y = top + 26 + 10 * groups + 26 * row;
      const end = left ? start - 8 : start + width + 8;
      const colour = token("ink");
      return {
        type: "group",
        children: [
          { type: "circle", shape: { cx: x, cy: top, r: 4.5 }, style: { fill: token("accent") } },
          segment(x, top, x, y, colour, 1.25),
          segment(x, y, end, y, colour, 1.25),
          {
            type: "text",
            style: {
              text: `${shorten(name, narrow ? 10 : 24)}`,
              x: left ? end - 6 : end + 6,
              y,
              fill: colour,
              fontSize: 12,
              textAlign: left ? "right" : "left",
              textVerticalAlign: "middle",
            },
          },
        ],
      };
    },
  };
}

/** Bars that join groups, and the critical difference above the axis. */
function rankBars(groups, difference, narrow) {
  return {
    type: "custom",
    clip: false,
    silent: true,
    data: [[1, 0]],
    renderItem: (params, api) => {
      const { x: start, y: top, width } = params.coordSys;
      const x = (rank) => api.coord([rank, 0])[0];
      const children = groups.map(([from, to], at) =>
        segment(x(from) - 5, top + 13 + 10 * at, x(to) + 5, top + 13 + 10 * at, token("accent"), 5),
      );
      if (difference !== null) {
        const length = Math.min(x(1 + difference) - x(1), width);
        const y = top - 52;
        const colour = token("ink");
        children.push(
          segment(start, y, start + length, y, colour, 2),
          segment(start, y - 4, start, y + 4, colour, 2),
          segment(start + length, y - 4, start + length, y + 4, colour, 2),
          {
            type: "text",
            style: {
              text: `critical difference ${score(difference)}`,
              // Next to the bar, or above it if there is no room.
              x: narrow ? start : start + length + 10,
              y: narrow ? y - 13 : y,
              fill: token("muted"),
              fontSize: 12,
              textVerticalAlign: "middle",
            },
          },
        );
      }
      return { type: "group", children };
    },
  };
}

/** The scores of single splits, as strips next to each other with a bar at the mean. */
function stripsSection(run) {
  const methods = list(run.methods).map(text);
  const data = list(run.data).map(text);
  const cells = list(run.results).map(record);
  if (!cells.some((c) => list(c.scores).some(isNumber)))
    return missingSection(
      "strips",
      "Scores by split",
      "Result",
      "The document contains no scores of single splits.",
    );
  // With very many methods and data sets the strips would not be distinguishable.
  let at = methods.length * data.length > 36 && data.length > 1 ? 1 : 0;
  const wanted = () => (at === 0 ? data : [data[at - 1]]);
  const plot = figure({
    name: "Scores of single splits by data set and method",
    height: (width) => (width < NARROW ? 380 : 400),
    above:
      data.length > 1
        ? choice("Data", ["all data sets", ...data], (chosen) => ((at = chosen), plot.redraw()), at)
        : null,
    option: ({ narrow }) => {
      const sets = wanted();
      const points = methods.map((name) =>
        cells
          .filter((c) => text(c.method) === name && sets.includes(text(c.data)))
          .flatMap((c) => [
            ...list(c.scores).map((value, fold) => ({
              d: sets.indexOf(text(c.data)),
              data: text(c.data),
              value,
              fold,
            })),
            { d: sets.indexOf(text(c.data)), data: text(c.data), value: known(c.mean), mean: true },
          ])
          .filter((p) => isNumber(p.value)),
      );
      return {
        grid: grid({ top: 44 }),
        legend: legend(),
        xAxis: axis("category", "", {
          data: sets.map((_, d) => String(d)),
          splitLine: { show: true, lineStyle: { color: token("line") } },
          axisLabel: {
            color: token("ink"),
            interval: 0,
            formatter: (d) => shorten(sets[d] ?? "", narrow ? 9 : 18),
            rotate: narrow && sets.length > 3 ? 45 : 0,
          },
        }),
        yAxis: axis("value", text(run.score), { nameGap: 44 }),
        tooltip: tooltip((item) => {
          const p = points[item.seriesIndex][item.dataIndex];
          return {
            title: methods[item.seriesIndex],
            pairs: [
              ["data", p.data],
              [p.mean ? "mean" : `split ${p.fold + 1}`, p.value],
            ],
          };
        }),
        series: methods.map((name, m) => ({
          name,
          type: "custom",
          color: classColour(m),
          data: points[m].map((p) => [p.d, p.value]),
          renderItem: (params, api) => strip(points[m][params.dataIndex], m, methods.length, api),
        })),
      };
    },
    data: () => ({
      head: ["Data", "Method", "Split", text(run.score)],
      rows: cells.flatMap((c) =>
        list(c.scores).map((v, fold) => [text(c.data), text(c.method), cell(number(fold + 1), fold + 1), known(v)]),
      ),
    }),
  });
  return section(
    {
      id: "strips",
      title: "Scores by split",
      group: "Result",
      how: "Each dot is one split of a data set, and the bar is the mean: methods whose strips overlap widely differ little.",
    },
    plot,
  );
}

function strip(point, m, methods, api) {
  const [centre, y] = api.coord([point.d, point.value]);
  const band = Math.min(api.size([1, 0])[0] * 0.8, 60 * methods);
  const x = centre + ((m + 0.5) / methods - 0.5) * band;
  const half = Math.min(14, (band / methods) * 0.36);
  if (point.mean)
    return {
      type: "rect",
      shape: { x: x - half, y: y - 1.5, width: 2 * half, height: 3, r: 1.5 },
      style: { fill: classColour(m) },
    };
  // A small shift separates equal scores.
  const shift = (((point.fold * 7) % 5) - 2) * half * 0.22;
  return { type: "circle", shape: { cx: x + shift, cy: y, r: 3.4 }, style: { fill: classColour(m), opacity: 0.5 } };
}
