// Light and dark themes. The colours are `light-dark()` values in the style sheet; charts look them up by name.

const probe = el("span", { class: "probe", "aria-hidden": "true" });

/** The current colour of a style variable, as rgb(…). */
function token(name) {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
}

/** Whether the page is dark now; never in print. */
function isDark() {
  if (matchMedia("print").matches || "paper" in document.documentElement.dataset) return false;
  const forced = document.documentElement.dataset.theme;
  return forced ? forced === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// Okabe & Ito, "Color Universal Design" (2008), ordered for the largest contrast between neighbours; dark pages use
// lighter forms of the two blues and of green, and light pages a darker yellow.
const LIGHT_CLASSES = ["#0072B2", "#D55E00", "#009E73", "#B4559A", "#E69F00", "#56B4E9", "#8A7D00", "#6B7280"];
const DARK_CLASSES = ["#56B4E9", "#F58A42", "#2BC299", "#DE94BF", "#F2B632", "#8CA5FF", "#F0E442", "#A6ADB8"];
const SYMBOLS = ["circle", "triangle", "rect", "diamond", "roundRect", "pin", "arrow"];

/** The colour of class number `at`. */
const classColour = (at) => (isDark() ? DARK_CLASSES : LIGHT_CLASSES)[at % LIGHT_CLASSES.length];

/** The shape of class number `at`: colours repeat after eight classes, pairs of colour and shape after fifty-six. */
const classSymbol = (at) => SYMBOLS[at % SYMBOLS.length];

// Anchors of viridis (matplotlib, CC0) and of a diverging map from blue over near-white to vermilion.
const SEQUENTIAL = [
  "#440154",
  "#482878",
  "#3E4989",
  "#31688E",
  "#26828E",
  "#1F9E89",
  "#35B779",
  "#6ECE58",
  "#B5DE2B",
  "#FDE725",
];
const DIVERGING = ["#08457E", "#2C7BB6", "#7FB5D8", "#C4DDEC", "#F5F3EF", "#F8CDB0", "#EE9567", "#D55E00", "#8C3A00"];

const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** 256 colours between anchors, as [r, g, b]. */
function ramp(anchors) {
  const points = anchors.map(channels);
  return Array.from({ length: 256 }, (_, at) => {
    const place = (at / 255) * (points.length - 1);
    const left = Math.min(Math.floor(place), points.length - 2);
    return points[left].map((from, c) => Math.round(from + (points[left + 1][c] - from) * (place - left)));
  });
}
const RAMPS = {
  sequential: ramp(SEQUENTIAL),
  diverging: ramp(DIVERGING),
  shareLight: ramp(["#EEF3F7", "#B7D3E8", "#5C9FCE", "#1B69A8", "#0A4A80"]),
  shareDark: ramp(["#222B35", "#274A68", "#2F78AE", "#5FAEE6", "#A9D8FA"]),
};

const rgb = ([r, g, b]) => `rgb(${r},${g},${b})`;

/** Relative luminance of [r, g, b] (WCAG 2). */
function luminance(colour) {
  const [r, g, b] = colour.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/**
 * A colour scale for values from `low` to `high`: diverging around 0 if both signs occur, sequential otherwise.
 * `kind` "share" selects one hue, starting at the page's background. `colour` returns a CSS colour, `channels` three
 * bytes, `ink` black or white, whichever has more contrast.
 */
function scale(low, high, kind) {
  const signed = low < 0 && high > 0;
  const most = Math.max(Math.abs(low), Math.abs(high));
  const [from, to] = signed ? [-most, most] : [low, high];
  const ramp_ = () =>
    kind === "share" ? RAMPS[isDark() ? "shareDark" : "shareLight"] : signed ? RAMPS.diverging : RAMPS.sequential;
  const at = (value) =>
    ramp_()[to > from ? Math.max(0, Math.min(255, Math.round((255 * (value - from)) / (to - from)))) : 128];
  return {
    low,
    high,
    signed,
    channels: at,
    colour: (value) => rgb(at(value)),
    ink: (value) => (luminance(at(value)) > 0.18 ? "#111111" : "#FFFFFF"),
  };
}

/** The scale as a strip, labelled with its ends (and 0). */
function colourBar(colours, label) {
  const steps = Array.from({ length: 17 }, (_, at) =>
    colours.colour(colours.low + ((colours.high - colours.low) * at) / 16),
  );
  const share = (-colours.low / (colours.high - colours.low)) * 100;
  const zero =
    colours.signed && share > 18 && share < 82
      ? el("span", { class: "zero", style: `left:${share.toFixed(2)}%` }, "0")
      : null;
  return el(
    "div",
    { class: "colour-bar" },
    el("span", { class: "colour-name" }, label),
    el(
      "div",
      { class: "colour-strip" },
      el("div", { class: "strip", style: `background:linear-gradient(90deg,${steps.join(",")})` }),
      el("div", { class: "ends" }, el("span", {}, score(colours.low)), zero, el("span", {}, score(colours.high))),
    ),
  );
}

const themeListeners = [];

/** Calls `listener` when the theme changes, or printing starts or ends. */
const onTheme = (listener) => themeListeners.push(listener);
const themeChanged = () => themeListeners.forEach((listener) => listener());

/** The button that switches between the dark and light theme. */
function themeButton() {
  const label = el("span", {});
  const show = () => {
    label.textContent = isDark() ? "Light theme" : "Dark theme";
  };
  const button = el(
    "button",
    { type: "button", class: "theme", id: "theme" },
    el("span", { class: "theme-mark", "aria-hidden": "true" }),
    label,
  );
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    themeChanged();
  });
  onTheme(show);
  show();
  return button;
}

/** Switches to the light theme for printing, before the print style applies, and back. */
function paper(on) {
  if (on) document.documentElement.dataset.paper = "";
  else delete document.documentElement.dataset.paper;
  themeChanged();
}

function watchTheme() {
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", themeChanged);
}
