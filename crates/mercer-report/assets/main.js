// Builds the page: sections by the kind of run, the index next to them, and the run itself at the end.

/** The sections for each kind of run, in reading order. Each is built separately, so that an error affects only one. */
const PAGES = {
  evaluate: [
    evaluateHero,
    alertsSection,
    measuresSection,
    splitsSection,
    dataSection,
    predictionSections,
    searchSection,
    kernelSections,
    driversSection,
    cliffsSection,
    runSection,
  ],
  auto: [
    autoHero,
    alertsSection,
    triedSection,
    modelSection,
    dataSection,
    predictionSections,
    searchSection,
    searchedSection,
    notTriedSection,
    kernelSections,
    driversSection,
    cliffsSection,
    runSection,
  ],
  compare: [
    compareHero,
    alertsSection,
    scoresTableSection,
    ranksSection,
    stripsSection,
    pairsSection,
    evaluationsSection,
    runSection,
  ],
  reproduce: [reproduceHero, alertsSection, reproduceSections, runSection],
  explain: [explainHero, alertsSection, columnsSection, effectsSection, examplesSection, explainedSection, runSection],
  fit: [fitHero, alertsSection, coverageSection, runSection],
  predict: [
    predictHero,
    alertsSection,
    coverageSection,
    intervalsSection,
    setSizesSection,
    typicalSection,
    predictedObjectsSection,
    runSection,
  ],
};

/** How to repeat the run. */
function runSection(run) {
  const about = record(run.run);
  const command = typeof about.command_line === "string" ? about.command_line : null;
  const line = el("code", { id: "command" }, text(command));
  const status = el("span", { class: "muted", role: "status" });
  const copy = el("button", { type: "button", id: "copy", onclick: () => copyText(command, line, status) }, "Copy");
  const document_ = document.getElementById("document").textContent;
  return section(
    {
      id: "run",
      title: "The run",
      group: "Details",
      how: "The same command with the same seed and version gives the same numbers, for any number of threads.",
    },
    command
      ? el(
          "div",
          { class: "command" },
          el("pre", { tabindex: "0", "aria-label": "Command" }, line),
          el("div", { class: "command-tools screen" }, copy, status),
        )
      : missing("The document does not contain the command."),
    facts([
      ["Version", about.version ? `mercer ${about.version}` : null],
      ["Seed", isNumber(about.seed ?? run.seed) ? String(about.seed ?? run.seed) : null],
      ["Threads", isNumber(about.threads) ? number(about.threads) : null],
      ["System", about.system ?? null],
      ["Time", isNumber(about.seconds) ? duration(about.seconds) : null],
      ["Date", about.date ?? null],
    ]),
    el(
      "div",
      { class: "data-tools screen" },
      el(
        "button",
        { type: "button", onclick: () => save("run.json", new Blob([document_], { type: "application/json" })) },
        "Save the run as JSON",
      ),
      el("span", { class: "muted" }, "All numbers of this page, for use in other programs."),
    ),
  );
}

/** Copies text with the clipboard, else with a selection; if both fail, the text is left selected for the user. */
async function copyText(words, shownAt, status) {
  try {
    await navigator.clipboard.writeText(words);
    status.textContent = "Copied.";
    return;
  } catch {
    // No permission, or a page opened as a file: the older method needs neither.
  }
  const range = document.createRange();
  range.selectNodeContents(shownAt);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch {
    copied = false;
  }
  status.textContent = copied ? "Copied." : "Selected: press Ctrl+C, or ⌘C, to copy.";
}

/** The index: links to the sections, by group. */
function index(sections, top) {
  const groups = new Map();
  for (const one of sections) {
    const group = one.dataset.group;
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(one);
  }
  const link = (one) => el("li", {}, el("a", { href: `#${one.id}` }, one.title_));
  const first = el("li", {}, el("a", { href: "#result" }, top));
  return [...groups].map(([group, members], at) =>
    el(
      "div",
      { class: "index-group" },
      el("p", { class: "index-title" }, group),
      el("ul", {}, at === 0 ? first : null, members.map(link)),
    ),
  );
}

/** Highlights the visible section in the index. */
function highlightCurrent(sections, nav) {
  const links = new Map([...nav.querySelectorAll("a")].map((a) => [a.getAttribute("href").slice(1), a]));
  const visible = new Set();
  const mark = () => {
    const current = [...links.keys()].find((id) => visible.has(id));
    for (const [id, a] of links) {
      if (id === current) a.setAttribute("aria-current", "location");
      else a.removeAttribute("aria-current");
    }
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) visible[isIntersecting ? "add" : "delete"](target.id);
      mark();
    },
    { rootMargin: "-12% 0px -55% 0px" },
  );
  for (const one of sections) observer.observe(one);
}

/** The brand, the index and the theme button; on narrow screens the index is collapsed. */
function side(sections, top) {
  const nav = el("nav", { "aria-label": "Sections" }, index(sections, top));
  const fold = el("details", { class: "contents" }, el("summary", {}, "Contents"), nav);
  const wide = matchMedia("(min-width: 1080px)");
  const sync = () => {
    fold.open = wide.matches;
  };
  wide.addEventListener("change", sync);
  sync();
  nav.addEventListener("click", () => {
    if (!wide.matches) fold.open = false;
  });
  document.getElementById("side").append(el("p", { class: "brand" }, "mercer"), fold, themeButton());
  return nav;
}

function build(run) {
  briefs = record(run.brief);
  const content = document.getElementById("content");
  const command = run.command ?? (run.kind === "comparison" ? "compare" : "evaluate");
  const makers = PAGES[command] ?? PAGES.evaluate;
  for (const make of makers) {
    try {
      content.append(...[make(run)].flat().filter(Boolean));
    } catch (error) {
      // Most likely a document of another version: the other sections are still shown.
      const words = `This part of the report could not be created (${error.message}).`;
      content.append(
        section(
          { id: `failed-${make.name}`, title: "Missing section", group: "Details", how: null },
          missing(words),
        ),
      );
    }
  }
  return [...content.children];
}

function start() {
  document.body.append(probe);
  let run;
  try {
    run = record(JSON.parse(document.getElementById("document").textContent));
  } catch (error) {
    document
      .getElementById("content")
      .append(el("p", { class: "missing" }, `The run document in this page cannot be read (${error.message}).`));
    return Promise.resolve([]);
  }
  const parts = build(run);
  const nav = side(
    parts.filter((one) => one.dataset.group),
    run.verdict ? "Verdict" : "Summary",
  );
  highlightCurrent(parts, nav);
  watchTheme();
  const drawn = drawAll();
  return drawn;
}

const ready = start();
window.mercer = { ready, charts: figures };
