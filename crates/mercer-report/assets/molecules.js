// Drawn molecules: images of the run are copied element by element, and pairs of similar molecules that differ.

/** The elements and attributes of a drawing; everything else is left out, so that no text of a run becomes a script. */
const DRAWN = new Set(["svg", "g", "path", "circle", "text", "title", "rect"]);
const DRAWN_ATTRIBUTES = new Set(
  (
    "viewBox width height d x y cx cy r fill fill-opacity stroke stroke-opacity stroke-width stroke-linecap " +
    "stroke-dasharray font-family font-size text-anchor role"
  ).split(" "),
);
const DRAWN_CLASSES = /^(molecule|drawing|positive|negative|positive-band|negative-band)$/;

/** A copy of an SVG element with what drawings need. */
function copyDrawing(from) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", from.localName);
  for (const { name, value } of from.attributes) {
    const wanted = name === "class" ? DRAWN_CLASSES.test(value) : DRAWN_ATTRIBUTES.has(name);
    if (wanted && !/url\(|javascript/i.test(value)) element.setAttribute(name, value);
  }
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) element.append(child.data);
    else if (child.nodeType === Node.ELEMENT_NODE && DRAWN.has(child.localName)) element.append(copyDrawing(child));
  }
  return element;
}

/** The drawing of a molecule, or null. */
function moleculeDrawing(source) {
  if (typeof source !== "string" || !source.startsWith("<svg")) return null;
  const root = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
  return root.localName === "svg" ? copyDrawing(root) : null;
}

/** What the colours of atoms and bonds mean. */
function moleculeKey(positive, negative) {
  return el(
    "p",
    { class: "molecule-key" },
    el("span", { class: "key-positive" }, positive),
    el("span", { class: "key-negative" }, negative),
  );
}

/** Features with a molecule that has them. */
function featureExamples(features) {
  const known = features.filter((f) => typeof f.molecule === "string").slice(0, 12);
  if (!known.length) return null;
  return el(
    "div",
    { class: "sub" },
    el("h3", {}, "Where these features are"),
    el("p", { class: "how" }, "A small molecule with each feature; the atoms of one occurrence are in colour."),
    moleculeKey("adds to the value", "subtracts from it"),
    el(
      "div",
      { class: "molecules" },
      known.map((f) =>
        el(
          "figure",
          { class: "molecule-box" },
          moleculeDrawing(f.molecule),
          el(
            "figcaption",
            {},
            el("code", {}, shorten(text(f.feature), 40)),
            ` ${isNumber(f.weight) ? score(f.weight) : ""}`,
            f.class === null || f.class === undefined ? null : ` (${text(f.class)})`,
          ),
        ),
      ),
    ),
  );
}

/** Similar molecules with different targets. */
function cliffsSection(run) {
  const cliffs = record(record(run.figures).cliffs);
  const pairs = list(cliffs.pairs).map(record);
  if (!Object.keys(cliffs).length) return null;
  const meta = { id: "cliffs", title: "Activity cliffs", group: "Drivers" };
  if (!pairs.length) return missingSection(meta.id, meta.title, meta.group, "No similar molecules with different targets.");
  const side = (m) =>
    el(
      "figure",
      { class: "molecule-box" },
      moleculeDrawing(m.svg) ?? el("code", {}, text(m.smiles)),
      el("figcaption", {}, text(m.id), el("strong", {}, ` ${isNaN(Number(m.target)) ? text(m.target) : score(Number(m.target))}`)),
    );
  return section(
    {
      ...meta,
      how: "Two similar molecules with very different values: a small change matters here, or one of the two values is wrong. Atoms of a kind that the other molecule lacks are in colour.",
    },
    cliffs.about
      ? el("p", { class: "muted" }, `${text(cliffs.about)} ${isNumber(cliffs.found) ? `${number(cliffs.found)} pairs; the steepest:` : ""}`)
      : null,
    el(
      "div",
      { class: "cliffs" },
      pairs.map((pair) =>
        el(
          "article",
          { class: "card cliff" },
          facts(
            [
              ["Similarity", isNumber(pair.similarity) ? score(pair.similarity) : null],
              ["Difference", isNumber(pair.difference) ? score(pair.difference) : null],
            ],
            "facts small",
          ),
          el("div", { class: "pair" }, list(pair.molecules).map(record).map(side)),
        ),
      ),
    ),
    dataTable("Activity cliffs", () => ({
      head: ["Similarity", "Difference", "Molecule", "Target", "SMILES", "Molecule", "Target", "SMILES"],
      rows: pairs.map((pair) => [
        known(pair.similarity),
        known(pair.difference),
        ...list(pair.molecules)
          .map(record)
          .flatMap((m) => [text(m.id), text(m.target), text(m.smiles)]),
      ]),
    })),
  );
}
