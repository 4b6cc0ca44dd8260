// A reproduction: tables of text, with the header in the first row.

function reproduceHero(run) {
  const tables = list(run.tables);
  return hero({
    what: ["Reproduction", record(run.run).date].filter(Boolean).join(" · "),
    title: text(run.title ?? "Published results, reproduced"),
    state: "note",
    mark: `${count(tables.length, "table")}`,
    sentence: "Measured values are shown next to the printed ones.",
    pairs: [["Protocol", run.protocol ? code(run.protocol) : null]],
  });
}

function reproduceSections(run) {
  const made = list(run.tables)
    .map(record)
    .map((one, at) => {
      const [head = [], ...rows] = list(one.rows).map((row) =>
        list(row).map((value) => (value === null || value === undefined || value === "" ? NONE : value)),
      );
      const title = text(one.title ?? `Table ${at + 1}`);
      const wide = Math.max(head.length, ...rows.map((row) => row.length));
      const heads = Array.from({ length: wide }, (_, column) =>
        head[column] === undefined || head[column] === NONE ? "" : String(head[column]),
      );
      const notes = list(one.notes);
      return section(
        {
          id: `table-${at + 1}`,
          title,
          group: "Tables",
          how: "A dash means that there is no value.",
        },
        rows.length
          ? table({ head: heads, rows, caption: title, classes: "printed" })
          : missing("This table has no rows."),
        notes.length
          ? el(
              "ul",
              { class: "notes" },
              notes.map((note) => el("li", {}, text(note))),
            )
          : null,
        rows.length
          ? el(
              "div",
              { class: "data-tools screen" },
              el(
                "button",
                {
                  type: "button",
                  onclick: () =>
                    save(fileName(title, "csv"), new Blob([csv({ head: heads, rows })], { type: "text/csv" })),
                },
                "Save as CSV",
                el("span", { class: "hidden" }, ` ${title}`),
              ),
            )
          : null,
      );
    });
  const notes = list(run.notes);
  if (notes.length)
    made.push(
      section(
        { id: "notes", title: "Notes", group: "Tables", how: null },
        el(
          "ul",
          { class: "notes" },
          notes.map((note) => el("li", {}, text(note))),
        ),
      ),
    );
  return made.length ? made : [missingSection("tables", "Tables", "Tables", "The document contains no tables.")];
}
