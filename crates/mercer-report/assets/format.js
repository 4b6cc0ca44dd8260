// Numbers and names as text. Every number a reader sees passes through here, so that the same kind of value looks the
// same everywhere: three significant digits for scores, a true minus sign, a dash for what has no value.

const NONE = "–";
const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** Whether the value is a finite number. */
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** The value, or null where it is not a finite number. */
const known = (value) => (isNumber(value) ? value : null);

/** An array, whatever was given. */
const list = (value) => (Array.isArray(value) ? value : []);

/** A plain object, whatever was given. */
const record = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});

/** Text, whatever was given. */
const text = (value) => {
  if (value === null || value === undefined || value === "") return NONE;
  if (typeof value === "number") return number(value);
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
};

/** Decimals that show `digits` significant digits of the value. */
function decimals(value, digits = 3) {
  if (!isNumber(value) || value === 0) return digits - 1;
  // Rounding first: 0.9996 is 1.00, which needs fewer decimals than 0.9996 seems to.
  const rounded = Number(Math.abs(value).toPrecision(digits));
  return Math.max(0, digits - 1 - Math.floor(Math.log10(rounded)));
}

/** Digits in groups of three, by narrow spaces, from five digits on. */
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

/** A number as it is: whole numbers in full, others with four digits at most. */
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

/** A share as per cent. */
const percent = (share, places = 0) => (isNumber(share) ? `${(100 * share).toFixed(places)} %` : NONE);

/** A p value. */
function pValue(p) {
  if (!isNumber(p)) return NONE;
  return p < 0.001 ? "< 0.001" : p.toPrecision(2);
}

/** Seconds in the unit one would say. */
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

/** A name shortened in its middle, so that its beginning and its end can be told apart. */
function shorten(name, most = 28) {
  const letters = [...String(name)];
  if (letters.length <= most) return letters.join("");
  const end = Math.floor((most - 1) / 3);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(letters.length - end).join("")}`;
}

/** The measures of which less is better. */
const LESS_IS_BETTER = new Set(["rmse", "mae", "mse", "brier", "log-loss", "error"]);

/** Whether more of a measure is better: as the document says, else by its name. */
function moreIsBetter(run, name) {
  const measure = list(run.measures).find((m) => record(m).score === name);
  if (measure && typeof measure.greater_is_better === "boolean") return measure.greater_is_better;
  if (run.score === name && typeof run.greater_is_better === "boolean") return run.greater_is_better;
  return !LESS_IS_BETTER.has(name);
}

/** A first letter in upper case. */
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
