// The data: objects, columns, target.

/** The class names in the order of their colours, which is the same in all charts. */
function classOrder(run, names) {
  const given =
    [list(run.classes), list(record(record(run.summary).target).classes)].find((classes) => classes.length) ?? [];
  return [...new Set([...given.map((c) => text(record(c).name)), ...names])];
}

function dataSection(run) {
  const summary = record(run.summary);
  const target = record(summary.target);
  const columns = list(summary.columns).map(record);
  const classes = list(target.classes).length ? list(target.classes).map(record) : list(run.classes).map(record);
  if (!isNumber(summary.objects) && !columns.length && !classes.length && target.kind !== "number") {
    return missingSection("data", "Data", "Data", "The document contains no summary of the data.");
  }
  const parts = [];
  parts.push(
    facts([
      ["File", typeof run.data === "string" ? code(run.data) : null],
      [
        "Objects",
        isNumber(summary.objects) ? number(summary.objects) : isNumber(run.objects) ? number(run.objects) : null,
      ],
      ["Named by ids", summary.ids === true ? "yes" : summary.ids === false ? "no" : null],
      ["Target", target.name || run.target ? code(target.name ?? run.target) : null],
      target.kind === "number"
        ? ["Target from", `${score(target.min)} to ${score(target.max)}, median ${score(target.median)}`]
        : null,
    ]),
  );
  if (classes.length) parts.push(classBars(classes));
  if (columns.length) {
    parts.push(
      el(
        "div",
        { class: "sub" },
        el("h3", {}, "Columns"),
        table({
          head: ["Column", "Kind", "Values"],
          rows: columns.map((c) => [c.name, c.kind, c.detail]),
          caption: "Columns",
        }),
      ),
    );
  }
  const how = classes.length
    ? "Bars show the number of objects in each class; small classes are hard to learn and to evaluate."
    : "The data read from the file, as used by the kernels.";
  return section({ id: "data", title: "Data", group: "Data", how }, parts);
}

/** A bar for each class. */
function classBars(classes) {
  const total = classes.reduce((sum, c) => sum + (known(c.objects) ?? 0), 0);
  const most = 30;
  const kept = classes.slice(0, most);
  const plot = figure({
    name: "Objects in each class",
    height: 44 + 30 * kept.length,
    option: ({ narrow, width }) => ({
      grid: grid({ right: 60, top: 4 }),
      xAxis: axis("value", "objects", { min: 0, scale: false, minInterval: 1 }),
      yAxis: axis("category", "", {
        inverse: true,
        data: kept.map((_, at) => String(at)),
        axisLabel: {
          color: token("ink"),
          interval: 0,
          formatter: (at) => shorten(text(kept[at]?.name), narrow ? 14 : Math.round(width / 28)),
        },
      }),
      tooltip: tooltip((item) => ({
        title: text(kept[item.dataIndex].name),
        pairs: [
          ["objects", number(kept[item.dataIndex].objects)],
          ["share", percent(kept[item.dataIndex].objects / total, 1)],
        ],
      })),
      series: [
        {
          type: "bar",
          barMaxWidth: 18,
          data: kept.map((c, at) => ({
            value: known(c.objects) ?? 0,
            itemStyle: { color: classColour(at), borderRadius: [0, 3, 3, 0] },
          })),
          label: {
            show: true,
            position: "right",
            color: token("ink"),
            formatter: (item) => `${number(item.value)}${narrow || !total ? "" : ` (${percent(item.value / total)})`}`,
          },
        },
      ],
    }),
    data: () => ({
      head: ["Class", "Objects", "Share"],
      rows: classes.map((c) => [
        text(c.name),
        cell(number(c.objects), c.objects),
        cell(percent(c.objects / total, 1), c.objects / total),
      ]),
    }),
  });
  return classes.length > most
    ? [plot, el("p", { class: "muted" }, `The first ${most} of ${classes.length} classes; the data table contains all.`)]
    : plot;
}
