// Charts. A figure is a chart, its legend or controls, and the same data as a table. It is defined by a function from
// the context (width, colours) to an ECharts option, so that a change of theme or width redraws it.

const echarts = window.echarts;
delete window.echarts;

const figures = [];

/** Below this width, in pixels, a chart uses its narrow layout. */
const NARROW = 520;

/**
 * A figure.
 *
 * `name` describes it for screen readers; `height` is in pixels, or a function of the width; `option` returns the
 * ECharts option; `data` returns the table; `setup` may add listeners before drawing; `above` and `below` are nodes
 * around the chart, or functions that create them; `canvas` selects canvas rendering instead of SVG, for thousands of
 * points.
 */
function figure({ name, height = 320, option, data, setup, above, below, canvas = false, most }) {
  const host = el("div", { class: "chart", role: "img", "aria-label": name });
  if (most) host.style.maxWidth = `${most}px`;
  const under = el("div", { class: "under" });
  const tools = el("div", { class: "tools" });
  const node = el("figure", {}, above ? el("div", { class: "above" }, above) : null, host, under, tools);
  if (data) tools.append(dataTable(name, data));
  const made = { name, node, host, chart: null, drawn: null, redraw: () => {} };

  const context = () => ({ width: host.clientWidth, narrow: host.clientWidth < NARROW });
  const size = () => {
    host.style.height = `${Math.round(typeof height === "function" ? height(host.clientWidth) : height)}px`;
  };
  made.redraw = () => {
    if (!made.chart) return;
    size();
    made.chart.resize();
    made.chart.setOption(base(option(context())), true);
    // Paper is narrower than the window, and a chart cannot be redrawn in time; with a view box it scales down.
    host.querySelector("svg")?.setAttribute("viewBox", `0 0 ${made.chart.getWidth()} ${made.chart.getHeight()}`);
    if (below) under.replaceChildren(...[typeof below === "function" ? below() : below].flat());
  };
  made.start = () => {
    size();
    made.chart = echarts.init(host, null, { renderer: canvas ? "canvas" : "svg" });
    made.drawn = new Promise((resolve) => made.chart.on("finished", resolve));
    setup?.(made.chart);
    made.redraw();
    tools.append(imageButton(made, canvas));
    let last = host.clientWidth;
    new ResizeObserver(() => {
      if (host.clientWidth === last || host.clientWidth === 0) return;
      last = host.clientWidth;
      made.redraw();
    }).observe(host);
  };
  figures.push(made);
  node.redraw = () => made.redraw();
  return node;
}

/** A button that saves the chart as an image. */
function imageButton(made, canvas) {
  const kind = canvas ? "png" : "svg";
  const click = () => {
    const url = made.chart.getDataURL({ type: kind, pixelRatio: 2, backgroundColor: token("panel") });
    const link = el("a", { href: url, download: fileName(made.name, kind) });
    link.click();
  };
  return el(
    "button",
    { type: "button", class: "image", onclick: click },
    `Save ${kind.toUpperCase()}`,
    el("span", { class: "hidden" }, ` of ${made.name}`),
  );
}

/** Options common to all charts. */
function base(option) {
  return {
    animation: false,
    textStyle: { color: token("ink"), fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12 },
    ...option,
  };
}

/** An axis. `type` is "value", "category" or "log". */
function axis(type, name, more = {}) {
  const { axisLabel = {}, splitLine = {}, ...rest } = more;
  return {
    type,
    name: name || undefined,
    nameLocation: "middle",
    nameGap: 30,
    nameTextStyle: { color: token("muted"), fontSize: 12 },
    scale: type === "value",
    axisLine: { show: true, onZero: false, lineStyle: { color: token("line-strong") } },
    axisTick: { show: false },
    splitLine: { show: type !== "category", lineStyle: { color: token("line") }, ...splitLine },
    axisLabel: {
      color: token("muted"),
      fontSize: 12,
      hideOverlap: true,
      ...(type === "category" ? {} : { formatter: tick }),
      ...axisLabel,
    },
    ...rest,
  };
}

/** A tick label. */
function tick(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return scientific(value, 1).replace("1 × ", "");
  return grouped(String(Number(value.toPrecision(6))));
}

/** A grid in which labels and names stay within the chart. */
const grid = (more = {}) => ({
  left: 6,
  right: 18,
  top: 14,
  bottom: 6,
  outerBoundsMode: "same",
  outerBoundsContain: "all",
  ...more,
});

/** A legend; long names are shortened, tooltips show them in full. */
const legend = (more = {}) => ({
  type: "scroll",
  top: 0,
  left: 0,
  itemGap: 16,
  itemHeight: 10,
  itemWidth: 16,
  icon: undefined,
  textStyle: { color: token("ink"), width: 160, overflow: "truncate" },
  inactiveColor: token("line-strong"),
  pageTextStyle: { color: token("muted") },
  pageIconColor: token("ink"),
  pageIconInactiveColor: token("line-strong"),
  formatter: (name) => shorten(name, 26),
  ...more,
});

/** A tooltip: `make` returns its title and its pairs of name and value for the item under the pointer. */
const tooltip = (make, more = {}) => ({
  trigger: "item",
  confine: true,
  transitionDuration: 0,
  backgroundColor: token("raised"),
  borderColor: token("line-strong"),
  borderWidth: 1,
  padding: 0,
  extraCssText: "box-shadow:0 4px 18px rgba(0,0,0,.18);border-radius:8px;max-width:min(360px,86vw);white-space:normal;",
  formatter: (item) => {
    const content = make(item);
    return content ? tip(content) : "";
  },
  ...more,
});

function tip({ title, pairs = [], note }) {
  return el(
    "div",
    { class: "tip" },
    title ? el("strong", {}, shorten(text(title), 80)) : null,
    el(
      "dl",
      {},
      pairs
        .filter(Boolean)
        .map(([name, value]) => [
          el("dt", {}, shorten(name, 60)),
          el("dd", {}, typeof value === "number" ? score(value) : shorten(text(value), 120)),
        ]),
    ),
    note ? el("p", {}, note) : null,
  );
}

/** Draws all figures; the promise resolves when they are drawn. */
function drawAll() {
  if (!echarts) {
    for (const made of figures)
      made.host.replaceWith(missing("The chart library did not load; the data table below holds the values."));
    return Promise.resolve([]);
  }
  for (const made of figures) {
    try {
      made.start();
    } catch (error) {
      made.drawn = null;
      made.host.replaceWith(
        missing(`This chart could not be drawn (${error.message}); the data table below holds the values.`),
      );
    }
  }
  const redraw = () => figures.forEach((made) => made.redraw());
  onTheme(redraw);
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));
  return Promise.all(figures.map((made) => made.drawn));
}
