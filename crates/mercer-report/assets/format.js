// Numbers and names as text. Every displayed number is formatted here, so that the same kind of value looks the
// same everywhere: three significant digits for scores, a true minus sign, a dash for missing values.

const NONE = "–";
const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** Whether the value is a finite number. */
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** The value, or null if it is not a finite number. */
const known = (value) => (isNumber(value) ? value : null);

/** The value if it is an array, else an empty one. */
const list = (value) => (Array.isArray(value) ? value : []);

/** The value if it is a plain object, else an empty one. */
const record = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});

/** The value as text. */
const text = (value) => {
  if (value === null || value === undefined || value === "") return NONE;
  if (typeof value === "number") return number(value);
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
};

/** The number of decimals that shows `digits` significant digits of the value. */
function decimals(value, digits = 3) {
  if (!isNumber(value) || value === 0) return digits - 1;
  // Rounded first: 0.9996 becomes 1.00, which needs fewer decimals.
  const rounded = Number(Math.abs(value).toPrecision(digits));
  return Math.max(0, digits - 1 - Math.floor(Math.log10(rounded)));
}

/** Digits in groups of three, separated by narrow spaces, from five digits on. */
function grouped(digits) {
  const [, sign, whole, rest] = /^(-?)(\d+)(.*)$/.exec(digits) ?? [null, "", digits, ""];
  const parts = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return `${sign ? "−" : ""}${parts}${rest}`;
}

/** m × 10^e. */
function scientific(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = [...String(Number(exponent))].map((c) => SUPERSCRIPT[c]).join("");
  return `${mantissa.replace("-", "−")} × 10${power}`;
}

/** A measured number with three significant digits. */
function score(value, digits = 3) {
  if (!isNumber(value)) return NONE;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return scientific(value, digits);
  return grouped(value.toFixed(decimals(value, digits)));
}

/** A number: whole numbers in full, others with at most four digits. */
function number(value) {
  if (!isNumber(value)) return NONE;
  if (Number.isInteger(value) && Math.abs(value) < 1e12) return grouped(String(value));
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return scientific(value, 3);
  return grouped(String(Number(value.toPrecision(4))));
}

/** mean ± sd, the sd with the decimals of the mean. */
function spread(mean, sd) {
  if (!isNumber(mean)) return NONE;
  const size = Math.abs(mean);
  if (!isNumber(sd)) return score(mean);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return `${score(mean)} ± ${score(sd)}`;
  return `${score(mean)} ± ${grouped(sd.toFixed(Math.min(decimals(mean), 6)))}`;
}

/** An interval as "0.81 to 0.89". */
function between(interval) {
  const { low, high } = record(interval);
  if (!isNumber(low) && !isNumber(high)) return NONE;
  return `${score(low)} to ${score(high)}`;
}

/** A fraction as per cent. */
const percent = (share, places = 0) => (isNumber(share) ? `${(100 * share).toFixed(places)} %` : NONE);

/** A p value. */
function pValue(p) {
  if (!isNumber(p)) return NONE;
  return p < 0.001 ? "< 0.001" : p.toPrecision(2);
}

/** Seconds in a suitable unit. */
function duration(seconds) {
  if (!isNumber(seconds)) return NONE;
  if (seconds < 0.001) return "under 1 ms";
  if (seconds < 1) return `${(1000 * seconds).toFixed(0)} ms`;
  if (seconds < 120) return `${Number(seconds.toPrecision(3))} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(1)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** "1 object", "2 objects". */
const count = (n, one, many = `${one}s`) => (isNumber(n) ? `${number(n)} ${n === 1 ? one : many}` : `${NONE} ${many}`);

/** Kernels without parameters at their defaults, by the whole kernel. */
let briefs = {};
const brief = (kernel) => (Object.hasOwn(briefs, text(kernel)) ? text(briefs[text(kernel)]) : text(kernel));

/** A name shortened in the middle, so that its beginning and end stay visible. */
function shorten(name, most = 28) {
  const characters = [...String(name)];
  if (characters.length <= most) return characters.join("");
  const end = Math.floor((most - 1) / 3);
  return `${characters.slice(0, most - 1 - end).join("")}…${characters.slice(characters.length - end).join("")}`;
}

/** Measures for which smaller is better. */
const LESS_IS_BETTER = new Set(["rmse", "mae", "mse", "brier", "log-loss", "error"]);

/** Whether larger values of a measure are better: from the document, else by its name. */
function moreIsBetter(run, name) {
  const measure = list(run.measures).find((m) => record(m).score === name);
  if (measure && typeof measure.greater_is_better === "boolean") return measure.greater_is_better;
  if (run.score === name && typeof run.greater_is_better === "boolean") return run.greater_is_better;
  return !LESS_IS_BETTER.has(name);
}

/** Capitalises the first character. */
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
