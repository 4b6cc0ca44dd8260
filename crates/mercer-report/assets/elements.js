// Elements of the page. All text enters the document as text nodes: nothing from a run is ever parsed as HTML.

/** An element with attributes and children; children are nodes, text, or lists of them, and null is left out. */
function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** A table cell with different values for display and export. */
const cell = (show, raw) => ({ show, raw });

const shown = (value) => {
  if (value === "") return "";
  if (value instanceof Node) return value;
  if (typeof value === "number") return score(value);
  if (value !== null && typeof value === "object" && "show" in value) {
    return value.show instanceof Node ? value.show : text(value.show);
  }
  return text(value);
};

const raw = (value) => {
  if (value instanceof Node) return value.textContent;
  if (value !== null && typeof value === "object" && "raw" in value) return value.raw;
  return value;
};

/** Text that is a number, a mean with its spread, a range or a share: such columns are right-aligned. */
const ONE = "[-−+<>≈]?\\s?[\\d.,\u202f]+(?:\\s?[×x]\\s?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|e[-+]?\\d+)?\\s?(?:%|s|ms|min|h)?";
const NUMERAL = new RegExp(`^${ONE}(?:\\s(?:±|to|of)\\s${ONE})?$`);

/** Whether a column holds numbers. */
function isNumeric(rows, at) {
  let found = false;
  for (const row of rows) {
    const value = raw(row[at]);
    if (value === null || value === undefined || value === "" || value === NONE) continue;
    if (typeof value !== "number" && !NUMERAL.test(String(value))) return false;
    found = true;
  }
  return found;
}

/** A table. `caption` names it for screen readers; `plain` disables right alignment of numbers. */
function table({ head, rows, caption, classes = "", plain = false }) {
  const right = head.map((_, at) => !plain && isNumeric(rows, at));
  const one = (tag, value, at) => {
    const scope = tag === "th" ? { scope: "col" } : {};
    return el(tag, { ...scope, class: right[at] ? "number" : null }, tag === "th" ? String(value) : shown(value));
  };
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: classes || null },
      caption ? el("caption", { class: "hidden" }, caption) : null,
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map((value, at) => one("th", value, at)),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((row) =>
          el(
            "tr",
            { class: row.marked ? "marked" : null },
            head.map((_, at) => one("td", row[at], at)),
          ),
        ),
      ),
    ),
  );
}

/** Rows as CSV, with numbers in full. Text beginning with =, +, - or @ is escaped: spreadsheets would evaluate it. */
function csv({ head, rows }) {
  const quoted = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const safe = /^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value);
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [head, ...rows.map((row) => head.map((_, at) => raw(row[at])))]
    .map((row) => row.map(quoted).join(","))
    .join("\r\n");
}

/** Lets the user save a file. */
function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A file name made from a title. */
const fileName = (title, kind) =>
  `${
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "data"
  }.${kind}`;

/** Maximum number of rows on the page; the CSV file contains all. */
const MOST_ROWS = 300;

/** The data behind a chart, as a table that is created when it is opened. */
function dataTable(name, make) {
  const details = el(
    "details",
    { class: "data" },
    el("summary", {}, "Data table", el("span", { class: "hidden" }, ` of ${name}`)),
  );
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    const data = make();
    const kept = data.rows.slice(0, MOST_ROWS);
    const note =
      data.rows.length > kept.length
        ? `The first ${kept.length} of ${number(data.rows.length)} rows; the CSV file contains all.`
        : null;
    details.append(
      el(
        "div",
        { class: "data-tools" },
        el(
          "button",
          { type: "button", onclick: () => save(fileName(name, "csv"), new Blob([csv(data)], { type: "text/csv" })) },
          "Save as CSV",
        ),
        note ? el("span", { class: "muted" }, note) : null,
      ),
      table({ ...data, rows: kept, caption: name }),
    );
  });
  return details;
}

/** A list of names and values. */
const facts = (pairs, classes = "facts") =>
  el(
    "dl",
    { class: classes },
    pairs
      .filter((pair) => pair && pair[1] !== null && pair[1] !== undefined)
      .map(([name, value]) =>
        el(
          "div",
          { class: (value.textContent ?? text(value)).length > (value instanceof Node ? 11 : 16) ? "long" : null },
          el("dt", {}, name),
          el("dd", {}, value instanceof Node ? value : text(value)),
        ),
      ),
  );

/** An expression, such as a kernel; the whole one is its tooltip if it is abbreviated. */
function code(value) {
  const shown = brief(value);
  const title = shown === text(value) ? null : text(value);
  return el("code", { class: shown.length <= 22 ? "short" : null, title }, shown);
}

/** A selector of named options; `change` gets the index. */
function choice(label, names, change, chosen = 0) {
  const select = el(
    "select",
    { onchange: () => change(Number(select.value)) },
    names.map((name, at) => el("option", { value: String(at), selected: at === chosen }, shorten(name, 60))),
  );
  return el("label", { class: "choice" }, el("span", {}, label), select);
}

/** A horizontal bar in a table, relative to the longest; negative bars point left. */
function bar(value, longest, signed = false) {
  const share = isNumber(value) && longest > 0 ? Math.min(1, Math.abs(value) / longest) : 0;
  const side = signed ? (value < 0 ? "negative" : "positive") : "plain";
  return el(
    "span",
    { class: `bar ${side}`, "aria-hidden": "true" },
    el("span", { style: `width:${((signed ? 50 : 100) * share).toFixed(1)}%` }),
  );
}

/** A section: heading, one sentence on how to read it, and its content. */
function section({ id, title, group, how, wide = true }, ...content) {
  const heading = `${id}-title`;
  const made = el(
    "section",
    { id, class: wide ? "panel" : "panel half", "aria-labelledby": heading, "data-group": group },
    el("h2", { id: heading }, title),
    how ? el("p", { class: "how" }, how) : null,
    content,
  );
  made.title_ = title;
  return made;
}

/** A line in place of something that the document does not contain. */
const missing = (words) => el("p", { class: "missing" }, words);
