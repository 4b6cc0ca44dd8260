// A comparison of methods on data sets: the summary, the table of scores, pairs of methods, single evaluations.

function compareHero(run) {
  const ranks = list(record(run.friedman).ranks);
  const methods = list(run.methods).map(text);
  const cells = list(run.results).map(record);
  const wins = methods.map((name) => cells.filter((c) => text(c.method) === name && c.best === true).length);
  const order = methods.map((_, at) => at).sort((a, b) => (ranks.length ? ranks[a] - ranks[b] : wins[b] - wins[a]));
  const best = order[0];
  const pairs = list(run.pairs).map(record);
  const rivals = methods.filter(
    (name, at) =>
      at !== best &&
      !pairs.some(
        (p) =>
          [text(p.a), text(p.b)].includes(name) &&
          [text(p.a), text(p.b)].includes(methods[best]) &&
          text(p.better) === methods[best],
      ),
  );
  const proof = record(record(run.friedman).iman_davenport);
  const lead = ranks.length
    ? `${methods[best]} has the best mean rank (${score(ranks[best])}).`
    : `${methods[best]} is best on ${wins[best]} of ${list(run.data).length} data sets.`;
  const rest =
    rivals.length === 0
      ? "It is significantly better than every other method."
      : rivals.length === methods.length - 1
        ? "No difference from another method is significant."
        : `It does not differ significantly from ${rivals.join(", ")}.`;
  const overall = isNumber(proof.p)
    ? ` The methods ${proof.p < (run.alpha ?? 0.05) ? "differ significantly" : "do not differ significantly"} by the Friedman test (p ${pValue(proof.p)}).`
    : "";
  const certain = methods.length > 1 && rivals.length === 0;
  return hero({
    what: ["Comparison", record(run.run).date].filter(Boolean).join(" · "),
    title: `${count(methods.length, "method")} on ${count(list(run.data).length, "data set")}`,
    state: certain ? "good" : "open",
    mark: certain ? "One method is significantly best" : "No method is significantly best",
    sentence: methods.length ? `${lead} ${rest}${overall}` : "The document contains no methods.",
    pairs: [
      ["Score", `${text(run.score)}, ${run.greater_is_better === false ? "smaller" : "larger"} is better`],
      ["Protocol", run.protocol ? code(run.protocol) : null],
      ["Significance level", isNumber(run.alpha) ? number(run.alpha) : null],
      ["Correction", run.correction ?? null],
    ],
  });
}

function scoresTableSection(run) {
  const methods = list(run.methods).map(text);
  const data = list(run.data).map(text);
  const found = new Map(
    list(run.results)
      .map(record)
      .map((c) => [JSON.stringify([text(c.method), text(c.data)]), c]),
  );
  const at = (m, d) => record(found.get(JSON.stringify([m, d])));
  const rows = data.map((d) => {
    const means = methods.map((m) => known(at(m, d).mean)).filter(isNumber);
    const longest = means.every((v) => v >= 0 && v <= 1) ? 1 : (extent(means.map(Math.abs))?.[1] ?? 0);
    return [
      d,
      ...methods.map((m) => {
        const one = at(m, d);
        const words = spread(one.mean, one.sd);
        return cell(
          el(
            "div",
            { class: one.best ? "result best" : "result" },
            one.best ? el("strong", {}, words, el("span", { class: "hidden" }, " (best)")) : words,
            bar(one.mean, longest),
          ),
          known(one.mean),
        );
      }),
    ];
  });
  const ranks = list(record(run.friedman).ranks);
  if (ranks.length === methods.length) rows.push([el("em", {}, "mean rank"), ...ranks.map((r) => cell(score(r), r))]);
  return section(
    {
      id: "scores",
      title: "Scores",
      group: "Result",
      how: `Mean ± standard deviation of ${text(run.score)} over the splits; the best on each data set is bold, and bars show the mean${run.greater_is_better === false ? ", shorter is better" : ""}.`,
    },
    table({ head: ["Data", ...methods], rows, caption: "Scores of methods on data sets", classes: "scores" }),
    dataTable("Scores of single splits", () => ({
      head: ["Method", "Data", "Mean", "sd", "Scores of splits"],
      rows: list(run.results)
        .map(record)
        .map((c) => [
          text(c.method),
          text(c.data),
          known(c.mean),
          known(c.sd),
          list(c.scores)
            .map((v) => score(v))
            .join(" "),
        ]),
    })),
  );
}

function pairsSection(run) {
  const pairs = list(run.pairs).map(record);
  if (!pairs.length) return null;
  const tests = (p) =>
    list(p.tests)
      .map(record)
      .map((t) =>
        el(
          "div",
          {},
          `${text(t.name)}: ${isNumber(t.statistic) ? `${score(t.statistic)}, ` : ""}p\u00a0${pValue(t.p)}`,
        ),
      );
  const line = (p) => [
    el("div", {}, el("div", {}, text(p.a)), el("div", { class: "against" }, "vs. ", text(p.b))),
    [p.wins, p.ties, p.losses].map((n) => n ?? "?").join("\u2060–\u2060"),
    el("div", {}, tests(p)),
    cell(pValue(p.adjusted_p), p.adjusted_p),
    p.better ? text(p.better) : "no significant difference",
  ];
  const names = [...new Set(pairs.flatMap((p) => list(p.tests).map((t) => text(record(t).name))))];
  const one = (p, name) =>
    list(p.tests)
      .map(record)
      .find((t) => text(t.name) === name) ?? {};
  const full = () => ({
    head: [
      "First",
      "Second",
      "Won",
      "Tied",
      "Lost",
      ...names.flatMap((name) => [name, `p of ${name}`]),
      "Adjusted p",
      "Better",
      "In words",
    ],
    rows: pairs.map((p) => [
      text(p.a),
      text(p.b),
      ...[p.wins, p.ties, p.losses].map((n) => cell(number(n), n)),
      ...names.flatMap((name) => [known(one(p, name).statistic), cell(pValue(one(p, name).p), known(one(p, name).p))]),
      cell(pValue(p.adjusted_p), known(p.adjusted_p)),
      p.better ?? null,
      text(p.sentence),
    ]),
  });
  const rows = pairs.map((p) => Object.assign(line(p), { marked: Boolean(p.better) }));
  return section(
    {
      id: "pairs",
      title: "Pairs of methods",
      group: "Result",
      how: `Each row tests whether two methods differ; p values are corrected for the number of pairs${run.correction ? ` (${run.correction})` : ""}.`,
    },
    table({
      head: ["Methods", "Won–tied–lost", "Tests", "Adjusted p", "Better"],
      rows,
      caption: "Pairs of methods",
      classes: "pairs-table",
    }),
    dataTable("Pairs of methods", full),
  );
}

function evaluationsSection(run) {
  const evaluations = list(run.evaluations).map(record);
  if (!evaluations.length) return null;
  const rows = evaluations.map((e) => {
    const first = record(list(e.measures)[0]);
    return [
      text(e.method),
      text(e.data),
      code(e.kernel),
      code(e.learner),
      cell(spread(first.mean, first.sd), known(first.mean)),
      text(record(e.verdict).sentence),
      cell(number(list(e.warnings).length), list(e.warnings).length),
    ];
  });
  const title = "Single evaluations";
  return section(
    {
      id: "evaluations",
      title,
      group: "Details",
      how: "The evaluation of each method on each data set, compared with the baseline.",
    },
    dataTable(title, () => ({
      head: ["Method", "Data", "Kernel", "Learner", text(run.score), "vs. baseline", "Alerts"],
      rows,
      classes: "evaluations",
    })),
  );
}
