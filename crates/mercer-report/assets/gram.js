// The kernel matrix. Its up to a million values are painted once into an image, which an ECharts custom series places
// under the axes; one rectangle per value would take seconds to draw and to hover.

function gramSection(run) {
  const gram = record(record(run.figures).gram);
  const meta = { id: "gram", title: "Kernel matrix", group: "Kernel" };
  const m = gram.shown;
  const bytes = decode(gram.values, m);
  if (!bytes) return missingSection(meta.id, meta.title, meta.group, "The document does not contain the kernel matrix.");
  const low = known(gram.low) ?? 0;
  const high = known(gram.high) ?? low;
  const value = (i, j) => low + ((high - low) * bytes[i * m + j]) / 255;
  const colours = scale(low, high);
  const classes = list(gram.classes).length === m ? gram.classes.map(text) : null;
  const numbers = list(gram.numbers).length === m ? gram.numbers : null;
  const ids = Array.from({ length: m }, (_, i) => text(list(gram.ids)[i] ?? `object ${i}`));
  const blocks = classes ? runs(classes) : [];
  const order = classes ? "ordered by class" : numbers ? "ordered by the target" : "in the order of the file";
  const image = paint(bytes, m, low, high, colours);
  const strip = stripColours(run, classes, numbers);
  let pointer = [0, 0];
  const left = (width) => (blocks.length ? (width < NARROW ? 76 : 112) : 14);

  const plot = figure({
    name: `Kernel matrix of ${m} objects, ${order}`,
    height: (width) => width - left(width) - 4 + 14 + 26,
    most: 680,
    setup: (chart) => chart.getZr().on("mousemove", (event) => (pointer = [event.offsetX, event.offsetY])),
    option: ({ narrow, width }) => ({
      grid: { left: left(width), right: 4, top: 14, bottom: 26 },
      xAxis: axis("value", classes || numbers ? "the same objects" : "objects", {
        min: 0,
        max: m,
        scale: false,
        nameGap: 10,
        axisLabel: { show: false },
        splitLine: { show: false },
        axisLine: { show: false },
      }),
      yAxis: axis("value", "", {
        min: 0,
        max: m,
        scale: false,
        inverse: true,
        axisLabel: { show: false },
        splitLine: { show: false },
        axisLine: { show: false },
      }),
      tooltip: tooltip(
        (item) => {
          const chart = figures.find((made) => made.node === plot).chart;
          const [x, y] = chart.convertFromPixel({ gridIndex: 0 }, pointer);
          const i = Math.min(m - 1, Math.max(0, Math.floor(y)));
          const j = Math.min(m - 1, Math.max(0, Math.floor(x)));
          const about = (k) =>
            classes ? `${ids[k]} (${classes[k]})` : numbers ? `${ids[k]} (${score(numbers[k])})` : ids[k];
          return (
            item && {
              title: "Similarity",
              pairs: [
                ["row", about(i)],
                ["column", about(j)],
                ["value", `≈ ${score(value(i, j))}`],
              ],
            }
          );
        },
        { enterable: false },
      ),
      series: [
        {
          type: "custom",
          data: [[0, 0]],
          clip: false,
          renderItem: (params, api) => gramMarks(api, { m, image: image.canvas, strip: strip(), blocks, narrow }),
        },
      ],
    }),
    below: () => colourBar(colours, "kernel value"),
    data: () => blockTable(value, m, classes, numbers),
  });
  const sample = isNumber(gram.of) && gram.of > m ? ` ${number(m)} of the ${number(gram.of)} objects are shown.` : "";
  const blocksAre = colours.signed ? "warm" : "bright";
  const sense = classes
    ? `${blocksAre} blocks on the diagonal mean that objects of a class are similar`
    : `${blocksAre} values mean that two objects are similar`;
  const step = score((high - low) / 255, 2);
  return section(
    {
      ...meta,
      how: `Similarity of every object (row) to every other (column), ${order}${colours.signed ? "; blue is negative, white is zero" : ""}: ${sense}.`,
    },
    el("p", { class: "muted" }, "Kernel ", code(gram.kernel), `.${sample} Values are exact to about ${step}.`),
    plot,
  );
}

/** Decodes base64; null unless there are m × m bytes. */
function decode(base64, m) {
  if (typeof base64 !== "string" || !Number.isInteger(m) || m < 1) return null;
  try {
    const chars = atob(base64);
    if (chars.length !== m * m) return null;
    return Uint8Array.from(chars, (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Consecutive rows of one class: {name, from, to}. */
function runs(classes) {
  const found = [];
  classes.forEach((name, at) => {
    const last = found[found.length - 1];
    if (last && last.name === name) last.to = at + 1;
    else found.push({ name, from: at, to: at + 1 });
  });
  return found;
}

/** The matrix as an image. Small ones are enlarged by whole factors, because a browser would blur them. */
function paint(bytes, m, low, high, colours) {
  // Four bytes at once, in the byte order of this computer.
  const palette = new Uint32Array(
    new Uint8Array(
      Array.from({ length: 256 }, (_, b) => [...colours.channels(low + ((high - low) * b) / 255), 255]).flat(),
    ).buffer,
  );
  const small = el("canvas", { width: m, height: m });
  const pixels = new ImageData(m, m);
  const whole = new Uint32Array(pixels.data.buffer);
  for (let at = 0; at < bytes.length; at += 1) whole[at] = palette[bytes[at]];
  small.getContext("2d").putImageData(pixels, 0, 0);
  const factor = Math.max(1, Math.round(1200 / m));
  if (factor === 1) return { canvas: small };
  const large = el("canvas", { width: m * factor, height: m * factor });
  const context = large.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, m * factor, m * factor);
  return { canvas: large };
}

/** Colours next to the rows: by class, or by target value. */
function stripColours(run, classes, numbers) {
  if (classes) {
    const order = classOrder(run, classes);
    return () => runs(classes).map((block) => ({ ...block, colour: classColour(order.indexOf(block.name)) }));
  }
  const range = numbers ? extent(numbers) : null;
  if (!range) return () => [];
  const colours = scale(...range);
  return () =>
    numbers.map((value, at) => ({
      from: at,
      to: at + 1,
      colour: isNumber(value) ? colours.colour(value) : token("line"),
    }));
}

function gramMarks(api, { m, image, strip, blocks, narrow }) {
  const [left, top] = api.coord([0, 0]);
  const [right, bottom] = api.coord([m, m]);
  const y = (at) => top + ((bottom - top) * at) / m;
  const x = (at) => left + ((right - left) * at) / m;
  const children = [
    { type: "image", style: { image, x: left, y: top, width: right - left, height: bottom - top } },
  ];
  for (const { from, to, colour } of strip) {
    const gap = to - from > 2 ? 1 : 0;
    children.push(
      {
        type: "rect",
        silent: true,
        shape: { x: left - 9, y: y(from) + gap, width: 6, height: Math.max(0.5, y(to) - y(from) - 2 * gap) },
        style: { fill: colour },
      },
      {
        type: "rect",
        silent: true,
        shape: { x: x(from) + gap, y: top - 9, width: Math.max(0.5, x(to) - x(from) - 2 * gap), height: 6 },
        style: { fill: colour },
      },
    );
  }
  // Lines between very many classes would hide the values.
  if (blocks.length > 1 && blocks.length <= 40) {
    for (const { from } of blocks.slice(1)) {
      for (const [x1, y1, x2, y2] of [
        [left, y(from), right, y(from)],
        [x(from), top, x(from), bottom],
      ]) {
        children.push(
          { ...segment(x1, y1, x2, y2, "rgba(0,0,0,.75)", 2.5), silent: true },
          { ...segment(x1, y1, x2, y2, "rgba(255,255,255,.95)", 1), silent: true },
        );
      }
    }
  }
  for (const { name, from, to } of blocks) {
    if (y(to) - y(from) < 13) continue;
    children.push({
      type: "text",
      silent: true,
      style: {
        text: shorten(name, narrow ? 7 : 13),
        x: left - 14,
        y: (y(from) + y(to)) / 2,
        fill: token("ink"),
        fontSize: 12,
        textAlign: "right",
        textVerticalAlign: "middle",
      },
    });
  }
  return { type: "group", children };
}

/** A summary of the matrix: mean, minimum and maximum between classes, or between quartiles of the target. */
function blockTable(value, m, classes, numbers) {
  const quarters = ["lowest quarter of the target", "second quarter", "third quarter", "highest quarter"];
  const names = classes ? [...new Set(classes)] : numbers ? quarters : ["all objects"];
  const place = classes ? new Map(names.map((name, at) => [name, at])) : null;
  const block = Array.from({ length: m }, (_, i) =>
    classes ? place.get(classes[i]) : numbers ? Math.min(3, Math.floor((4 * i) / m)) : 0,
  );
  const found = new Map();
  for (let i = 0; i < m; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      const key = Math.min(block[i], block[j]) * names.length + Math.max(block[i], block[j]);
      let one = found.get(key);
      if (!one) found.set(key, (one = { n: 0, sum: 0, least: Infinity, most: -Infinity }));
      const v = value(i, j);
      one.n += 1;
      one.sum += v;
      if (v < one.least) one.least = v;
      if (v > one.most) one.most = v;
    }
  }
  const rows = [...found]
    .sort((a, b) => a[0] - b[0])
    .map(([key, one]) => [
      names[Math.floor(key / names.length)],
      names[key % names.length],
      cell(number(one.n), one.n),
      one.sum / one.n,
      one.least,
      one.most,
    ]);
  return { head: ["Between", "And", "Pairs", "Mean value", "Minimum", "Maximum"], rows };
}
