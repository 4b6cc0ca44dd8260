//! The tests of a comparison as text for terminals, Markdown and LaTeX, and its layout in run documents.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::significance::{ComparisonTests, p_value};

/// A table of text; the first row and the first column hold names.
struct TextTable {
    rows: Vec<Vec<ResultCell>>,
}

#[derive(Clone, Default)]
struct ResultCell {
    text: String,
    best: bool,
}

impl ResultCell {
    fn plain(text: impl Into<String>) -> Self {
        ResultCell { text: text.into(), best: false }
    }
}

/// How an output format marks missing values and escapes text.
struct Style {
    plus_minus: &'static str,
    missing: &'static str,
    escape: fn(&str) -> String,
}

impl ComparisonTests<'_> {
    /// The version of the serialised layout; it grows when the layout changes.
    pub const JSON_VERSION: u32 = 1;

    /// A table with aligned columns for a terminal, the best of each data set marked with `*`, then the notes.
    pub fn text(&self) -> String {
        let mut out = aligned(&self.cells(), "  ", "", "");
        out.push('\n');
        self.notes().iter().for_each(|note| out.push_str(&format!("{note}\n")));
        out
    }

    /// The heading and the rows of [`text`](Self::text), for other layouts. The first column holds names.
    pub fn rows(&self) -> Vec<Vec<String>> {
        self.cells().rows.into_iter().map(|row| row.into_iter().map(|result| result.text).collect()).collect()
    }

    /// What the numbers are, then the verdicts.
    pub fn notes(&self) -> Vec<String> {
        let lines = self.lines();
        let caption = format!("{}; * best", self.caption());
        std::iter::once(caption).chain(lines.iter().map(|line| visible(line))).collect()
    }

    fn cells(&self) -> TextTable {
        let style = Style { plus_minus: " ± ", missing: "–", escape: visible };
        self.grid(&style, |text, best| if best { format!("{text} *") } else { format!("{text}  ") })
    }

    /// A Markdown table, the best of each data set in bold, then the verdicts as a list.
    pub fn markdown(&self) -> String {
        let style = Style { plus_minus: " ± ", missing: "–", escape: markdown_escape };
        let grid = self.grid(&style, |text, best| if best { format!("**{text}**") } else { text });
        let mut out = aligned(&grid, " | ", "| ", " |");
        // The rule under the heading follows the first line.
        let widths = widths(&grid);
        let rule: Vec<String> = widths
            .iter()
            .enumerate()
            .map(
                |(c, &w)| {
                    if c == 0 { "-".repeat(w.max(3)) } else { format!("{}:", "-".repeat(w.max(3) - 1)) }
                },
            )
            .collect();
        if let Some(end) = out.find('\n') {
            out.insert_str(end + 1, &format!("| {} |\n", rule.join(" | ")));
        }
        out.push_str(&format!("\n{}\n\n", markdown_escape(&self.caption())));
        for line in self.lines() {
            out.push_str(&format!("- {}\n", markdown_escape(&line)));
        }
        out
    }

    /// A LaTeX table for the booktabs package, the best of each data set in bold, then the verdicts as a list.
    pub fn latex(&self) -> String {
        let style = Style { plus_minus: r" $\pm$ ", missing: "--", escape: latex_escape };
        let grid = self.grid(&style, |text, best| if best { format!(r"\textbf{{{text}}}") } else { text });
        let columns = grid.rows.first().map_or(0, Vec::len);
        let body = aligned(&grid, " & ", "", r" \\");
        let (heading, rest) = body.split_once('\n').unwrap_or((&body, ""));
        let lines: Vec<String> =
            self.lines().iter().map(|line| format!("\\item {}\n", latex_escape(line))).collect();
        let list = if lines.is_empty() {
            String::new()
        } else {
            format!("\\begin{{itemize}}\n{}\\end{{itemize}}\n", lines.concat())
        };
        format!(
            "\\begin{{tabular}}{{l{}}}\n\\toprule\n{heading}\n\\midrule\n{rest}\\bottomrule\n\\end{{tabular}}\n\n{}\n{list}",
            "r".repeat(columns.saturating_sub(1)),
            latex_escape(&self.caption()),
        )
    }

    /// A description of the numbers in the table.
    fn caption(&self) -> String {
        let table = self.table;
        let better = if table.greater_is_better { "larger" } else { "smaller" };
        let protocol = table.protocol.map_or_else(String::new, |p| format!(", {p}"));
        format!("{}, mean ± sd over folds{protocol}; {better} is better", table.score)
    }

    /// The tests over all methods, then a sentence for each pair with its wins, ties and losses.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let (Some(friedman), Some(nemenyi)) = (&self.friedman, &self.nemenyi) {
            let f = &friedman.iman_davenport;
            let statistic = f.statistic.map_or_else(|| "is infinite".into(), |s| format!("= {s:.2}"));
            let degrees: Vec<String> = f.degrees.iter().map(f64::to_string).collect();
            let p = f.p.map_or_else(|| "unknown".into(), p_value);
            lines.push(format!("Friedman test, Iman–Davenport F({}) {statistic}, p {p}", degrees.join(", ")));
            let name = |&m: &usize| self.table.methods[m].as_str();
            let groups = nemenyi.groups.iter().filter(|g| g.len() > 1);
            let groups: Vec<String> =
                groups.map(|g| g.iter().map(name).collect::<Vec<_>>().join(" = ")).collect();
            let groups = if groups.is_empty() { "none".into() } else { groups.join("; ") };
            lines.push(format!(
                "Nemenyi critical difference {:.3} at {}; not distinguishable: {groups}",
                nemenyi.critical_difference, nemenyi.alpha
            ));
        }
        lines.extend(self.pairs.iter().map(|pair| {
            let (count, name) = (pair.count, &self.table.methods[pair.a]);
            let counts = format!("{name} wins {}, ties {}, loses {}", count.wins, count.ties, count.losses);
            format!("{}; {counts}", pair.sentence)
        }));
        lines
    }

    /// The table, with one row per data set if there are more data sets than methods, otherwise one row per method.
    fn grid(&self, style: &Style, mark: fn(String, bool) -> String) -> TextTable {
        let table = self.table;
        let number = Numbers::of(self);
        let mut columns: Vec<Vec<ResultCell>> = Vec::new();
        let names = table.methods.iter().map(|m| ResultCell::plain((style.escape)(m)));
        columns.push(std::iter::once(ResultCell::default()).chain(names).collect());
        for (d, data) in table.data.iter().enumerate() {
            let result = |m: usize| {
                let best = table.is_best(m, d) && table.methods.len() > 1;
                let text = match (table.mean(m, d), table.sd(m, d)) {
                    (Some(mean), Some(sd)) => {
                        format!("{}{}{}", number.show(mean), style.plus_minus, number.show(sd))
                    }
                    (Some(mean), None) => number.show(mean),
                    (None, _) => style.missing.to_owned(),
                };
                ResultCell { text, best }
            };
            let results = (0..table.methods.len()).map(result);
            columns.push(std::iter::once(ResultCell::plain((style.escape)(data))).chain(results).collect());
        }
        if let Some(friedman) = &self.friedman {
            let least = friedman.ranks.iter().copied().fold(f64::INFINITY, f64::min);
            let result = |&rank: &f64| ResultCell { text: format!("{rank:.2}"), best: rank <= least };
            let results = friedman.ranks.iter().map(result);
            columns.push(std::iter::once(ResultCell::plain("mean rank")).chain(results).collect());
        }
        let marked = |result: &ResultCell, is_name: bool| {
            if is_name { result.clone() } else { ResultCell::plain(mark(result.text.clone(), result.best)) }
        };
        for (c, column) in columns.iter_mut().enumerate() {
            for (r, result) in column.iter_mut().enumerate() {
                *result = marked(result, c == 0 || r == 0);
            }
        }
        if table.data.len() > table.methods.len() {
            return TextTable { rows: columns };
        }
        let rows = (0..=table.methods.len()).map(|r| columns.iter().map(|c| c[r].clone()).collect());
        TextTable { rows: rows.collect() }
    }
}

/// Everything. Results are ordered by method, then by data set; `mean` and `sd` are null where there are no scores.
impl Serialize for ComparisonTests<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let table = self.table;
        let mut results = Vec::new();
        for (m, method) in table.methods.iter().enumerate() {
            for (d, data) in table.data.iter().enumerate() {
                results.push(json!({
                    "method": method, "data": data, "scores": table.scores(m, d),
                    "mean": table.mean(m, d), "sd": table.sd(m, d), "best": table.is_best(m, d),
                }));
            }
        }
        let pairs: Vec<Value> = self
            .pairs
            .iter()
            .map(|pair| {
                json!({
                    "a": table.methods[pair.a], "b": table.methods[pair.b],
                    "wins": pair.count.wins, "ties": pair.count.ties, "losses": pair.count.losses,
                    "tests": pair.tests, "adjusted_p": pair.adjusted,
                    "better": pair.better.map(|m| &table.methods[m]), "sentence": pair.sentence,
                })
            })
            .collect();
        let nemenyi = self.nemenyi.as_ref().map(|n| {
            let rows: Vec<&[f64]> = (0..n.p.rows()).map(|i| n.p.row(i)).collect();
            let groups: Vec<Vec<&String>> =
                n.groups.iter().map(|g| g.iter().map(|&m| &table.methods[m]).collect()).collect();
            json!({ "critical_difference": n.critical_difference, "alpha": n.alpha, "p": rows, "groups": groups })
        });
        json!({
            "kind": "comparison", "version": Self::JSON_VERSION,
            "score": table.score, "greater_is_better": table.greater_is_better,
            "protocol": table.protocol.map(|p| p.to_string()),
            "alpha": self.settings.alpha, "correction": self.settings.correction.name(),
            "methods": table.methods, "data": table.data, "results": results,
            "friedman": self.friedman, "nemenyi": nemenyi, "pairs": pairs,
        })
        .serialize(to)
    }
}

/// The number format of a table: the same for all numbers, with digits depending on their size.
enum Numbers {
    Fixed(usize),
    Scientific,
}

impl Numbers {
    fn of(tests: &ComparisonTests<'_>) -> Self {
        let table = tests.table;
        let results = (0..table.methods.len()).flat_map(|m| (0..table.data.len()).map(move |d| (m, d)));
        let largest = results.filter_map(|(m, d)| table.mean(m, d)).fold(0.0, |max: f64, v| max.max(v.abs()));
        match largest {
            l if l >= 1e6 || (l < 0.01 && l > 0.0) => Numbers::Scientific,
            l if l >= 1000.0 => Numbers::Fixed(0),
            l if l >= 100.0 => Numbers::Fixed(1),
            l if l >= 10.0 => Numbers::Fixed(2),
            _ => Numbers::Fixed(3),
        }
    }

    fn show(&self, value: f64) -> String {
        match self {
            Numbers::Fixed(digits) => format!("{value:.digits$}"),
            Numbers::Scientific => format!("{value:.2e}"),
        }
    }
}

fn widths(grid: &TextTable) -> Vec<usize> {
    let columns = grid.rows.first().map_or(0, Vec::len);
    let width = |c: usize| grid.rows.iter().map(|r| r[c].text.chars().count()).max().unwrap_or(0);
    // Markdown needs at least three dashes.
    (0..columns).map(|c| width(c).max(3)).collect()
}

/// Lines of equal width, with names left-aligned and numbers right-aligned.
fn aligned(grid: &TextTable, between: &str, before: &str, after: &str) -> String {
    let widths = widths(grid);
    let mut out = String::new();
    for row in &grid.rows {
        let result = |(c, result): (usize, &ResultCell)| {
            let space = " ".repeat(widths[c].saturating_sub(result.text.chars().count()));
            if c == 0 { format!("{}{space}", result.text) } else { format!("{space}{}", result.text) }
        };
        let results: Vec<String> = row.iter().enumerate().map(result).collect();
        let line = format!("{before}{}{after}", results.join(between));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Text without control characters, which could affect a terminal or break a table.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn markdown_escape(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn latex_escape(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str(r"\textbackslash{}"),
            '~' => out.push_str(r"\textasciitilde{}"),
            '^' => out.push_str(r"\textasciicircum{}"),
            '<' => out.push_str("$<$"),
            '>' => out.push_str("$>$"),
            '±' => out.push_str(r"$\pm$"),
            '×' => out.push_str(r"$\times$"),
            'χ' => out.push_str(r"$\chi$"),
            '²' => out.push_str("$^2$"),
            '–' => out.push_str("--"),
            _ => out.push(c),
        }
    }
    out
}
