// Alerts: what a warning's code means in plain words, and what to do about it.

const ALERTS = {
  W_BASELINE: [
    "The baseline was not beaten",
    "Do not use this model for predictions yet: try other kernels or more objects, and check that the target can be known from these columns.",
  ],
  W_TRANSDUCTIVE: [
    "The test objects were seen during training",
    "Read the scores as valid for these objects only; for new objects, evaluate with a kernel that does not look at all of them.",
  ],
  W_GROUPS: [
    "Members of one group are in both training and test",
    "Repeat with the grouped form of the protocol, so that a group is either learned from or tested on.",
  ],
  W_NOT_CONVERGED: [
    "Some fits stopped early",
    "Allow more iterations or seconds in the learner's expression, or scale the columns; until then the scores may be too low.",
  ],
  W_EDGE: ["The best parameter lies at the end of its range", "Widen the range on that side and search again."],
  W_UNFITTED: [
    "Some parameter values could not be fitted",
    "See whether the values left are the ones you care about; leave impossible values out of the range.",
  ],
  W_IMBALANCE: [
    "The classes differ much in size",
    "Judge by balanced-accuracy, matthews or the confusion matrix rather than by accuracy, and consider weights=balanced.",
  ],
  W_UNEVEN: ["One class holds most of the objects", "Judge by balanced-accuracy or matthews rather than by accuracy."],
  W_UNDEFINED: [
    "A measure has no value on some divisions",
    "Its mean leaves those divisions out; larger test parts or a stratified protocol give it a value everywhere.",
  ],
  W_INDEFINITE: [
    "The kernel matrix is not positive semidefinite",
    "Repair it (clip, flip, shift), or use a learner that allows such similarities, and read distances and components with care.",
  ],
  W_REPAIRED: [
    "The kernel matrix was repaired",
    "Compare with the repair left out, or with another repair, to see how much depends on it.",
  ],
  W_UNUSED: [
    "Some columns were not used",
    "Name a kernel for them if they should count, or leave them out on purpose.",
  ],
  W_UNUSED_ROWS: ["Some objects were not used", "Check that the objects left out are the ones you meant to leave out."],
  W_DROPPED: [
    "Some values or objects were dropped",
    "Check that what is left still stands for what you want to learn about.",
  ],
  W_CONSTANT: ["Some columns do not vary", "A constant column tells nothing: leave it out, or check how it was read."],
  W_EMPTY_COLUMN: ["A column is empty", "Leave it out, or check how the file was read."],
  W_RARE: ["A class has very few members", "Use fewer folds, join rare classes, or collect more of them."],
  W_FOLDS: ["The divisions are not quite as asked", "Use fewer folds, or accept parts that lack a class."],
  W_SPLIT: [
    "The given division of the data is unusual",
    "Check the column that says which objects are for training and which for test.",
  ],
  W_IGNORED: [
    "The kernel does not look at everything the objects carry",
    "Take a kernel that uses it if it should count.",
  ],
  W_ALPHABET: ["Some letters are outside the alphabet", "Name the alphabet that fits the strings, or clean them."],
  W_SHORT: [
    "Some strings are shorter than the kernel's words",
    "Shorten the words, or expect these objects to resemble nothing.",
  ],
  W_PROBABILITIES: ["The probabilities are rough", "Read them as an order rather than as frequencies."],
  W_WEIGHTS: [
    "Weights of the combined kernels",
    "No action is needed; a weight near zero says that the kernel can be left out.",
  ],
};

/** A warning's code and its text. */
function parted(warning) {
  const [, code, rest] = /^([A-Z][A-Z0-9_]*)\s+([\s\S]*)$/.exec(text(warning)) ?? [null, "", text(warning)];
  return { code, rest };
}

/** A heading for a code this page does not know: its words. */
const inWords = (code) => (code ? capital(code.replace(/^W_/, "").replaceAll("_", " ").toLowerCase()) : "Note");

/** More texts under one heading than this are only counted. */
const MOST_TEXTS = 6;

/** The alerts of a run, and of the evaluations within it: a card for each code, or one line that there are none. */
function alertsSection(run) {
  const byCode = new Map();
  const within = list(run.evaluations)
    .map(record)
    .flatMap((e) =>
      list(e.warnings)
        .filter((w) => !list(run.warnings).includes(w))
        .map((w) => ({ ...parted(w), of: `${text(e.method)} on ${text(e.data)}: ` })),
    );
  for (const { code, rest, of = "" } of [...list(run.warnings).map(parted), ...within]) {
    if (!byCode.has(code)) byCode.set(code, []);
    byCode.get(code).push(`${of}${rest}`);
  }
  const cards = [...byCode].map(([code, texts]) => {
    const [heading, advice] = ALERTS[code] ?? [inWords(code), null];
    return el(
      "article",
      { class: "alert" },
      el("h3", {}, heading),
      texts.length === 1
        ? el("p", { class: "alert-text" }, texts[0])
        : el(
            "ul",
            { class: "alert-text" },
            texts.slice(0, MOST_TEXTS).map((one) => el("li", {}, one)),
            texts.length > MOST_TEXTS
              ? el("li", {}, `and ${number(texts.length - MOST_TEXTS)} more of this kind`)
              : null,
          ),
      advice ? el("p", { class: "advice" }, el("strong", {}, "What to do: "), advice) : null,
      code ? el("p", { class: "alert-code" }, el("code", {}, code)) : null,
    );
  });
  const how = cards.length
    ? "Read these before the numbers: each says what may make the result look better or worse than it is."
    : null;
  return section(
    { id: "alerts", title: cards.length ? `Alerts (${byCode.size})` : "Alerts", group: "Result", how },
    cards.length
      ? el("div", { class: "alerts" }, cards)
      : el("p", { class: "fine" }, "No alerts: nothing unusual was noticed in the data, the search or the fits."),
  );
}
