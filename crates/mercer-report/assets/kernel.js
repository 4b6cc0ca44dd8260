// Properties of the kernel matrix: spectrum, components, certificates.

/** The sections on the kernel matrix; a single line if the document contains none of them. */
function kernelSections(run) {
  const figures_ = record(run.figures);
  if (!figures_.gram && !figures_.spectrum && !figures_.components) {
    return [
      missingSection(
        "gram",
        "Kernel matrix",
        "Kernel",
        "The document does not contain the kernel matrix, its eigenvalues or its components.",
      ),
      certificatesSection(run),
    ];
  }
  return [gramSection(run), spectrumSection(run), componentsSection(run), certificatesSection(run)];
}

/** A dashed line as a legend's icon. */
const DASHES = "path://M0,4H6V6H0ZM9,4H15V6H9ZM18,4H24V6H18Z";

function spectrumSection(run) {
  const spectrum = record(record(run.figures).spectrum);
  const values = list(spectrum.values);
  const meta = { id: "spectrum", title: "Spectrum", group: "Kernel" };
  if (!values.some(isNumber))
    return missingSection(
      meta.id,
      meta.title,
      meta.group,
      "The document does not contain the eigenvalues of the kernel matrix.",
    );
  const tolerance = known(spectrum.tolerance);
  const points = values.map((value, at) => ({ rank: at + 1, value })).filter((p) => isNumber(p.value) && p.value !== 0);
  const named = { positive: points.filter((p) => p.value > 0), negative: points.filter((p) => p.value < 0) };
  const zero = values.filter((v) => v === 0).length;
  // A lower bound: rounding leaves values of 1e-300, which would compress the scale of all others.
  const largest = points.reduce((most, p) => Math.max(most, Math.abs(p.value)), 0);
  const floor = largest * 1e-20;
  const least = Math.max(
    floor,
    [...points.map((p) => Math.abs(p.value)), ...(tolerance > 0 ? [tolerance] : [])].reduce(
      (a, b) => Math.min(a, b),
      Infinity,
    ),
  );
  const data = (part) => part.map((p) => [p.rank, Math.log10(Math.max(Math.abs(p.value), floor)), p.value]);
  const negative = isNumber(spectrum.negative)
    ? spectrum.negative
    : named.negative.filter((p) => tolerance === null || p.value < -tolerance).length;
  const plot = figure({
    name: `Eigenvalues of the kernel matrix by rank, ${negative} negative`,
    height: 340,
    canvas: points.length > MANY_POINTS,
    option: () => ({
      grid: grid({ top: 40, right: 28 }),
      legend: legend({
        data: [
          { name: "positive" },
          ...(named.negative.length ? [{ name: "negative" }] : []),
          ...(tolerance > 0 ? [{ name: "zero to rounding", icon: DASHES }] : []),
        ],
      }),
      xAxis: axis("value", "rank", {
        min: 0,
        max: values.length + 1,
        scale: false,
        minInterval: 1,
        axisLabel: { showMaxLabel: false },
      }),
      yAxis: axis("value", "absolute eigenvalue", {
        nameGap: 48,
        min: Math.floor(Math.log10(least)),
        max: Math.ceil(Math.log10(largest)),
        minInterval: 1,
        axisLabel: { formatter: (power) => tick(10 ** power) },
      }),
      tooltip: tooltip(
        (item) =>
          Array.isArray(item.data) && {
            title: `Eigenvalue ${number(item.data[0])}`,
            pairs: [
              ["value", item.data[2]],
              ["share of the largest", largest ? score(Math.abs(item.data[2]) / largest) : NONE],
            ],
          },
      ),
      series: [
        {
          name: "positive",
          type: "scatter",
          symbol: "circle",
          symbolSize: points.length > 300 ? 5 : 7,
          data: data(named.positive),
          color: token("accent"),
        },
        {
          name: "negative",
          type: "scatter",
          symbol: "triangle",
          symbolRotate: 180,
          symbolSize: 10,
          data: data(named.negative),
          color: token("bad"),
        },
        guide(
          tolerance > 0
            ? [
                [0, Math.log10(tolerance)],
                [values.length + 1, Math.log10(tolerance)],
              ]
            : [],
          { name: "zero to rounding", color: token("muted") },
        ),
      ].filter((one) => one.data.length),
    }),
    data: () => ({
      head: ["Rank", "Eigenvalue"],
      rows: values.map((v, at) => [cell(number(at + 1), at + 1), known(v)]),
    }),
  });
  const words = negative
    ? `${count(negative, "eigenvalue is", "eigenvalues are")} negative beyond rounding: the kernel is not positive semidefinite on this data.`
    : "No eigenvalue is negative beyond rounding: the matrix is positive semidefinite.";
  const rest = [
    isNumber(spectrum.of) ? `Of a matrix of ${count(spectrum.of, "row")}.` : null,
    zero ? `${count(zero, "value is", "values are")} exactly 0 and cannot be shown on this axis.` : null,
  ];
  return section(
    {
      ...meta,
      how: "Eigenvalues from the largest to the smallest on a logarithmic axis: a fast decay means that few directions contain most of the similarity; triangles mark negative eigenvalues.",
    },
    el("p", { class: "muted" }, [words, ...rest.filter(Boolean)].join(" ")),
    plot,
  );
}

function componentsSection(run) {
  const components = record(record(run.figures).components);
  const meta = { id: "components", title: "Components", group: "Kernel" };
  const points = list(components.x)
    .map((x, at) => ({
      x: known(x),
      y: known(list(components.y)[at]),
      id: text(list(components.ids)[at] ?? `object ${at}`),
      name: components.classes ? text(components.classes[at]) : null,
      number: components.numbers ? known(components.numbers[at]) : null,
    }))
    .filter((p) => p.x !== null && p.y !== null);
  if (!points.length)
    return missingSection(
      meta.id,
      meta.title,
      meta.group,
      "The document does not contain the components of the kernel matrix.",
    );
  const shares = list(components.explained);
  const order = classOrder(
    run,
    points.map((p) => p.name).filter((name) => name !== null),
  );
  const present = new Set(points.map((p) => p.name));
  const names = order.filter((name) => present.has(name));
  const range = components.classes ? null : extent(points.map((p) => p.number));
  const colours = range ? scale(...range) : null;
  const axisName = (at) =>
    `component ${at + 1}${isNumber(shares[at]) ? ` (${percent(shares[at], 1)} of the variance)` : ""}`;
  const size = points.length > 600 ? 6 : 9;
  const layers = () => {
    if (names.length)
      return names.map((name) => ({
        name,
        points: points.filter((p) => p.name === name),
        color: classColour(order.indexOf(name)),
        symbol: classSymbol(order.indexOf(name)),
      }));
    return [{ name: "objects", points, color: token("accent"), symbol: "circle" }];
  };
  const plot = figure({
    name: "The first two kernel principal components of the objects",
    height: (width) => Math.min(560, Math.max(340, width * 0.66)),
    canvas: points.length > MANY_POINTS,
    option: () => {
      const drawn = layers();
      return {
        grid: grid({ top: names.length ? 40 : 14 }),
        legend: names.length ? legend() : undefined,
        xAxis: axis("value", axisName(0)),
        yAxis: axis("value", axisName(1), { nameGap: 44 }),
        tooltip: tooltip((item) => {
          const p = drawn[item.seriesIndex].points[item.dataIndex];
          return {
            title: p.id,
            pairs: [
              p.name === null ? null : ["class", p.name],
              p.number === null ? null : ["target", p.number],
              ["component 1", p.x],
              ["component 2", p.y],
            ],
          };
        }),
        series: drawn.map((layer) => ({
          name: layer.name,
          type: "scatter",
          symbol: layer.symbol,
          symbolSize: size,
          color: layer.color,
          data: layer.points.map((p) =>
            colours && isNumber(p.number)
              ? {
                  value: [p.x, p.y],
                  itemStyle: { color: colours.colour(p.number), borderColor: token("line-strong"), borderWidth: 0.5 },
                }
              : [p.x, p.y],
          ),
          itemStyle: { opacity: points.length > 600 ? 0.6 : 0.82 },
          emphasis: { itemStyle: { opacity: 1, borderColor: token("ink"), borderWidth: 1.5 } },
        })),
      };
    },
    below: () => (colours ? colourBar(colours, "target") : []),
    data: () => ({
      head: [
        "Object",
        ...(names.length ? ["Class"] : []),
        ...(colours ? ["Target"] : []),
        "Component 1",
        "Component 2",
      ],
      rows: points.map((p) => [p.id, ...(names.length ? [p.name] : []), ...(colours ? [p.number] : []), p.x, p.y]),
    }),
  });
  const how = names.length
    ? "Nearby objects are similar under the kernel: classes that form separate clusters are easy to separate."
    : "Nearby objects are similar under the kernel: a smooth change of colour means that the kernel reflects the target.";
  return section(
    { ...meta, how },
    plot,
    names.length > 1 ? el("p", { class: "muted screen" }, "Click a class in the legend to hide or show it.") : null,
  );
}

function certificatesSection(run) {
  const certificates = list(record(run.figures).certificates).map(record);
  if (!certificates.length) return null;
  const one = (c) =>
    el(
      "div",
      { class: "sub" },
      el("h3", {}, text(c.title)),
      table({
        head: ["Quantity", "Value", "What it means"],
        rows: list(c.rows).map(list),
        caption: text(c.title),
        classes: "certificate",
        plain: true,
      }),
    );
  return section(
    {
      id: "certificates",
      title: "Certificates",
      group: "Kernel",
      how: "Quantities that verify the fits: each row says what was checked and how to interpret it.",
    },
    certificates.map(one),
  );
}
