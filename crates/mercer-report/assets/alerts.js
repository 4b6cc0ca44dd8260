// Alerts: the meaning of each warning code in plain words, and what to do about it.

const ALERTS = {
  W_TARGET_COPY: [
    "A column repeats the target",
    "Leave the column out: with it, every score is as good as the copy, and new objects will not have it.",
  ],
  W_LEAK: [
    "One column alone predicts the target",
    "Leave the column out, unless its value is known before the target is: a result of the target gives it away.",
  ],
  W_MISSING_LEAK: [
    "Missing values give the target away",
    "Leave the column out: its value seems to be recorded after the target is known.",
  ],
  W_PREDICTION: [
    "A column holds another model's predictions",
    "Leave the column out: it may have been fitted to the same targets.",
  ],
  W_SPLIT_COPIES: [
    "Test objects are in the training set",
    "Remove the copies from one of the two sets: their scores measure memorisation.",
  ],
  W_UNSEEN: [
    "Some categories are not in the training set",
    "Check how they are written, such as upper case instead of lower case: no training object tells what they mean.",
  ],
  W_TWINS: ["Some objects occur more than once", "Remove the copies, or keep them together by a column of groups."],
  W_NEAR_TWINS: [
    "Some objects are almost the same",
    "Keep such objects together by a column of groups, so that no test object is almost a training object.",
  ],
  W_IDENTIFIER: [
    "A column identifies the objects",
    "Leave the column out, or use it as the objects' names: it says nothing about new objects.",
  ],
  W_GROUP_COLUMN: [
    "A column names groups",
    "Keep the objects of a group together, so that no test object belongs to a group of the training set.",
  ],
  W_DRIFT: [
    "Early and late objects differ",
    "Test on the latest objects rather than on random ones: new objects differ from old ones too.",
  ],
  W_UNITS: ["Some values seem to be in another unit", "Check these objects, and convert the values to one unit."],
  W_OUTLIERS: ["Some objects are far from all others", "Check that they were measured and entered right."],
  W_LABELS: ["Some labels are probably wrong", "Check these labels first: every split contradicts them with confidence."],
  W_UNTYPICAL: [
    "Some objects are unlike the training objects",
    "Do not trust the predictions of these objects, however narrow their intervals: nothing similar was learned from.",
  ],
  W_CONFORMAL: [
    "The confidence is limited",
    "Calibrate with more objects, or choose a smaller confidence.",
  ],
  W_BASELINE: [
    "The baseline was not beaten",
    "Do not use this model for predictions yet: try other kernels or more objects, and check that these columns contain information about the target.",
  ],
  W_TRANSDUCTIVE: [
    "The test objects were used in training",
    "The scores are valid for these objects only; for new objects, evaluate with a kernel that does not use all of them.",
  ],
  W_GROUPS: [
    "Members of one group are in both training and test set",
    "Use the grouped form of the protocol, so that each group is in either the training or the test set.",
  ],
  W_NOT_CONVERGED: [
    "Some fits stopped early",
    "Allow more iterations or seconds in the learner's expression, or scale the columns; until then the scores may be too low.",
  ],
  W_SCALE: [
    "The learner does not suit the scale of the target",
    "Use a penalty C and a tube epsilon in the scale of the target, divide the target by its standard deviation, or use ridge(intercept=yes).",
  ],
  W_EDGE: ["The best parameter value is at the edge of its range", "Widen the range on that side and search again."],
  W_UNFITTED: [
    "Some parameter values could not be fitted",
    "Check that the remaining values are sufficient; remove impossible values from the range.",
  ],
  W_IMBALANCE: [
    "The classes differ much in size",
    "Judge by balanced-accuracy (the default score where one class has most of the objects), matthews or the confusion matrix rather than by accuracy, and consider weights=balanced.",
  ],
  W_UNDEFINED: [
    "A measure is undefined on some splits",
    "Its mean leaves those splits out; larger test sets or a stratified protocol make it defined everywhere.",
  ],
  W_INDEFINITE: [
    "The kernel matrix is not positive semidefinite",
    "Repair it (clip, flip, shift), or use a learner that allows such similarities, and interpret distances and components with care.",
  ],
  W_REPAIRED: [
    "The kernel matrix was repaired",
    "Compare with the unrepaired matrix, or with another repair, to see how much depends on it.",
  ],
  W_UNUSED: [
    "Some columns were not used",
    "Specify a kernel for them if they should be used, or exclude them explicitly.",
  ],
  W_UNUSED_ROWS: ["Some objects were not used", "Check that the objects left out are the ones you meant to leave out."],
  W_DROPPED: [
    "Some values or objects were dropped",
    "Check that the remaining data are still representative.",
  ],
  W_CONSTANT: ["Some columns do not vary", "A constant column carries no information: leave it out, or check how it was read."],
  W_EMPTY_COLUMN: ["A column is empty", "Leave it out, or check how the file was read."],
  W_RARE: ["A class has very few members", "Use fewer folds, merge rare classes, or collect more objects."],
  W_FOLDS: ["The splits differ from the requested ones", "Use fewer folds, or accept folds without some class."],
  W_SPLIT: [
    "The given split of the data is unusual",
    "Check the column that assigns objects to the training and test set.",
  ],
  W_IGNORED: [
    "The kernel does not use all data of the objects",
    "Choose a kernel that uses the data if they should count.",
  ],
  W_ALPHABET: ["Some symbols are not in the alphabet", "Declare the alphabet of the strings, or clean them."],
  W_SHORT: [
    "Some strings are shorter than the kernel's k-mers",
    "Use shorter k-mers, or expect these objects to have similarity 0 to all others.",
  ],
  W_PROBABILITIES: ["The probabilities are imprecise", "Use them for ranking rather than as frequencies."],
  W_RELEVANCE: ["Weights of the columns", "Columns that do not help to predict the target were switched off; they could be left out."],
  W_LEARNED: ["Numbers of the kernel were learned", "They have the highest marginal likelihood found on the training objects; at a bound, a wider range may do better."],
  W_LANDMARKS: ["Landmarks replace the training objects", "More landmarks make the share that they miss smaller."],
  W_UNSCALED: ["A scaling has nothing to scale", "Leave the wrapper out, or scale the columns themselves."],
  W_MEMORY: ["Fewer objects were searched than asked for", "Allow more memory, or accept the sample."],
  W_CATEGORIES: ["A column has many categories", "Rare categories count as one in a forest: a column of nearly unique names says little."],
  W_BASELINE: [
    "The model is no better than its baseline on this data",
    "Do not read its explanation: evaluate the model first, or explain it on data like that of training.",
  ],
  W_WEIGHTS: [
    "Weights of the combined kernels",
    "No action is needed; a weight near zero means that the kernel can be left out.",
  ],
};

/** The code and the text of a warning. */
function splitWarning(warning) {
  const [, code, rest] = /^([A-Z][A-Z0-9_]*)\s+([\s\S]*)$/.exec(text(warning)) ?? [null, "", text(warning)];
  return { code, rest };
}

/** A heading for an unknown code: the code in words. */
const inWords = (code) => (code ? capital(code.replace(/^W_/, "").replaceAll("_", " ").toLowerCase()) : "Note");

/** At most this many texts are shown under one heading; the rest are counted. */
const MOST_TEXTS = 6;

/** The alerts of a run and of its evaluations: one card per code, or one line if there are none. */
function alertsSection(run) {
  const byCode = new Map();
  const within = list(run.evaluations)
    .map(record)
    .flatMap((e) =>
      list(e.warnings)
        .filter((w) => !list(run.warnings).includes(w))
        .map((w) => ({ ...splitWarning(w), of: `${text(e.method)} on ${text(e.data)}: ` })),
    );
  for (const { code, rest, of = "" } of [...list(run.warnings).map(splitWarning), ...within]) {
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
    ? "Read these first: each names a problem that may make the result look better or worse than it is."
    : null;
  return section(
    { id: "alerts", title: cards.length ? `Alerts (${byCode.size})` : "Alerts", group: "Result", how },
    cards.length
      ? el("div", { class: "alerts" }, cards)
      : el("p", { class: "fine" }, "No alerts: nothing unusual was found in the data, the search or the fits."),
  );
}
