// An automatic run: the methods tried and not tried, and the resulting model.

const methodName = (one) => `${one.outline ? text(one.outline) : brief(one.kernel)}, ${text(one.learner)}`;

/** A row of an interval plot: a method that was tried, or the baseline. */
const trialRow = (name, one, colour, hollow) => ({
  name,
  mean: known(one.mean),
  sd: one.sd,
  low: known(record(one.interval).low),
  high: known(record(one.interval).high),
  level: record(one.interval).level,
  scores: list(one.scores),
  colour,
  hollow,
});

/** The score of the model on a test set, and what follows from it. */
function testSentence(run) {
  const test = record(run.test);
  const first = record(list(test.measures)[0]);
  if (!run.test) return null;
  return `On the test set of ${number(test.objects)} objects the model has ${text(first.score)} ${score(first.value)}: ${text(record(test.verdict).sentence)}`;
}

function autoHero(run) {
  const best = record(list(run.tried)[0]);
  const baseline = record(run.baseline);
  const verdict = record(run.verdict);
  const rows = [trialRow("best found", best, "accent", false), trialRow("baseline", baseline, "muted", true)];
  const label = text(run.score);
  const data = () => ({
    head: ["", "mean", "sd", "low", "high"],
    rows: rows.map((r) => [r.name, r.mean, known(r.sd), r.low, r.high]),
  });
  const model = record(run.model);
  return hero({
    what: ["Automatic search", record(run.run).date].filter(Boolean).join(" · "),
    title: `${baseName(run.data)}${record(record(run.summary).target).name ? `: predicting ${run.summary.target.name}` : ""}`,
    ...stateOf(verdict.beats_baseline, verdict.learned),
    sentence: [verdict.text || "The document holds no verdict.", testSentence(run)].filter(Boolean).join(" "),
    aside: mainScore({
      label,
      value: best.mean,
      interval: best.interval,
      better: run.greater_is_better !== false,
      baseline: isNumber(baseline.mean) ? `${text(baseline.name)} ${score(baseline.mean)}` : null,
      plot: intervals({
        name: `${label} of the best method vs. the baseline`,
        rows,
        label,
        data,
        guideAt: known(baseline.mean),
        rowHeight: 44,
      }),
    }),
    pairs: [
      ["Best kernel", code(best.kernel)],
      ["Learner", code(best.learner)],
      [
        "Objects",
        isNumber(run.objects)
          ? `${number(run.objects)}${run.used < run.objects ? `, searched on ${number(run.used)}` : ""}`
          : null,
      ],
      ["Methods tried", number(list(run.tried).length)],
      [
        "Protocol",
        run.protocol ? el("span", {}, code(run.protocol), run.inner ? [" within ", code(run.inner)] : null) : null,
      ],
      [
        "Time",
        isNumber(run.seconds)
          ? `${duration(run.seconds)}${isNumber(run.budget) ? ` of ${duration(run.budget)}` : ""}`
          : null,
      ],
      ["Model", model.output ? code(model.output) : null],
    ],
  });
}

/** "better, p 0.01 (9–0–1)". */
function outcome(against) {
  const { p, better, count: times } = record(against);
  if (!against) return NONE;
  const word = better === true ? "better" : better === false ? "worse" : "no significant difference";
  return `${word}${isNumber(p) ? `, p\u00a0${pValue(p).replace(" ", "\u00a0")}` : ""}${list(times).length === 3 ? ` (${times.join("\u2060–\u2060")})` : ""}`;
}

function triedSection(run) {
  const tried = list(run.tried).map(record);
  const meta = {
    id: "tried",
    title: "What was tried",
    group: "Result",
    how: "Methods ordered by mean score, best first, with 95 % intervals; the dashed line is the baseline, and small dots are single splits.",
  };
  if (!tried.length) return missingSection(meta.id, meta.title, meta.group, "No method was tried.");
  const rows = tried.map((one, at) => trialRow(methodName(one), one, at === 0 ? "accent" : "ink", false));
  const baseline = record(run.baseline);
  rows.push(trialRow(text(baseline.name ?? "baseline"), baseline, "muted", true));
  const plot = intervals({
    name: `${text(run.score)} of all methods tried`,
    rows,
    label: text(run.score),
    guideAt: known(baseline.mean),
    rowHeight: 34,
    data: () => ({
      head: [
        "Kernel",
        "Learner",
        "Mean",
        "sd",
        "Low",
        "High",
        "Configurations",
        "Not converged",
        "Seconds",
        "Scores of splits",
      ],
      rows: tried.map((one) => [
        text(one.kernel),
        text(one.learner),
        known(one.mean),
        known(one.sd),
        known(record(one.interval).low),
        known(record(one.interval).high),
        known(record(one.searched).configurations),
        known(one.unconverged),
        known(one.seconds),
        list(one.scores)
          .map((v) => score(v))
          .join(" "),
      ]),
    }),
  });
  const lines = tried.map((one) => [
    el("span", {}, code(one.kernel), " ", code(one.learner), one.simple_baseline ? el("span", { class: "tag" }, "simple baseline") : null),
    cell(spread(one.mean, one.sd), one.mean),
    outcome(one.against_baseline),
    one.against_best ? outcome(one.against_best) : "the best",
    cell(duration(one.seconds), one.seconds),
    text(one.reason),
  ]);
  if (lines.length) lines[0].marked = true;
  return section(
    meta,
    plot,
    el(
      "div",
      { class: "sub" },
      el("h3", {}, "Tests and reasons"),
      el("p", { class: "muted" }, "In brackets: splits won, tied and lost."),
      table({
        head: ["Method", text(run.score), "vs. baseline", "vs. best", "Time", "Reason for trying"],
        rows: lines,
        caption: meta.title,
      }),
    ),
    ...tried.map((one) => membersTable(one.blend, "Methods of the blend")),
  );
}

function searchedSection(run) {
  const tried = list(run.tried).map(record);
  if (!tried.length) return null;
  const rows = tried.map((one) => {
    const chosen = new Map();
    for (const c of list(one.chosen)) chosen.set(methodName(record(c)), (chosen.get(methodName(record(c))) ?? 0) + 1);
    return [
      code(record(one.searched).kernel),
      code(record(one.searched).learner),
      cell(number(record(one.searched).configurations), record(one.searched).configurations),
      [...chosen]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 3)
        .map(([name, n]) => `${name} (${n})`)
        .join("; "),
    ];
  });
  return section(
    {
      id: "ranges",
      title: "Ranges and choices",
      group: "Search",
      how: "The ranges searched for each method and the values chosen, with the number of splits in brackets.",
    },
    table({ head: ["Kernel", "Learner", "Configurations", "Chosen most often"], rows, caption: "Ranges and choices" }),
  );
}

function notTriedSection(run) {
  const skipped = list(run.not_tried).map(record);
  const unused = list(run.unused).map(record);
  if (!skipped.length && !unused.length) return null;
  return section(
    {
      id: "not-tried",
      title: "Left out",
      group: "Search",
      how: "Methods and columns that were not used, each with the reason.",
    },
    skipped.length
      ? el(
          "div",
          { class: "sub" },
          el("h3", {}, "Methods"),
          table({
            head: ["Kernel", "Learner", "Why it would apply", "Why it was left out"],
            rows: skipped.map((s) => [code(s.kernel), code(s.learner), s.reason, s.why]),
            caption: "Methods left out",
          }),
        )
      : null,
    unused.length
      ? el(
          "div",
          { class: "sub" },
          el("h3", {}, "Columns"),
          table({ head: ["Column", "Why"], rows: unused.map((u) => [u.column, u.why]), caption: "Columns left out" }),
        )
      : null,
  );
}

/** The members of a blend with their weights; none where there is no blend. */
function membersTable(members, caption) {
  const rows = list(members).map(record);
  if (!rows.length) return null;
  return el(
    "div",
    { class: "sub" },
    el("h3", {}, caption),
    table({
      head: ["Weight", "Kernel", "Learner"],
      rows: rows.map((m) => [cell(score(m.weight), m.weight), code(m.kernel), code(m.learner)]),
      caption,
    }),
  );
}

function modelSection(run) {
  const model = record(run.model);
  if (!model.kernel && !model.output) return missingSection("model", "The model", "Result", "No model was saved.");
  const edges = list(model.at_edge);
  const isBlend = list(model.members).length > 0;
  return section(
    {
      id: "model",
      title: "The model",
      group: "Result",
      how: isBlend
        ? "The weighted mean of the predictions of several methods, each refitted on all objects. Figures of the kernel are of the member with the largest weight."
        : "The best method, refitted on as many objects as possible.",
    },
    membersTable(model.members, "Members of the blend"),
    facts([
      ["File", model.output ? code(model.output) : null],
      ["Kernel", code(model.kernel)],
      ["Learner", code(model.learner)],
      ["Fitted on", isNumber(model.objects) ? count(model.objects, "object") : null],
      ["Not fitted on all because", model.why_not_all ?? null],
      ["Not the blend because", model.why_no_blend ?? null],
      ["At the edge of its range", edges.length ? edges.map(text).join(", ") : null],
      ...list(record(run.test).measures)
        .map(record)
        .map((m) => [
          `Test set: ${text(m.score)}`,
          `${score(m.value)}${m.interval ? ` (${score(m.interval.low)} … ${score(m.interval.high)})` : ""}, baseline ${score(m.baseline)}`,
        ]),
    ]),
  );
}
