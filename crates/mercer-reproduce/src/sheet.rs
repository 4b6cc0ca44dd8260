//! Tables of reports: for a terminal, in Markdown and as data.

use serde::Serialize;

/// Reports are at most this many characters wide.
pub(super) const WIDTH: usize = 80;
/// Spaces between two columns.
const GAP: usize = 2;

/// A table of text with a title.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sheet {
    pub(super) title: String,
    /// The header, then the rows; all of the same length.
    pub(super) rows: Vec<Vec<String>>,
    /// The number of leading columns that name a row: they are repeated if a wide table is shown in several blocks.
    pub(super) names: usize,
}

/// A table of a report as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportTable {
    /// Its title.
    pub title: String,
    /// The header, then the rows; all of the same length.
    pub rows: Vec<Vec<String>>,
    /// Notes on this table.
    pub notes: Vec<String>,
}

/// A table with its own notes.
pub(super) type Noted = (Sheet, Vec<String>);

/// The output of a study: summary, tables and notes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Page {
    /// The main results in a few sentences, negative results first.
    pub(super) summary: Vec<String>,
    pub(super) sheets: Vec<Noted>,
    pub(super) notes: Vec<String>,
}

impl Page {
    /// For a terminal of `width` characters, of which [`WIDTH`] are used at most: the summary, tables with aligned columns,
    /// each followed by its notes, then the general notes.
    pub(super) fn text(&self, width: usize) -> String {
        let width = width.min(WIDTH);
        let wrapped = |text: &str, first: &str, next: &str| wrapped(text, first, next, width);
        let mut out = String::new();
        self.summary.iter().for_each(|line| out += &wrapped(line, "", "  "));
        out += if self.summary.is_empty() { "" } else { "\n" };
        for (sheet, notes) in &self.sheets {
            out += &wrapped(&sheet.title, "", "  ");
            out += &sheet.blocks(width);
            notes.iter().for_each(|note| out += &wrapped(note, "- ", "  "));
            out.push('\n');
        }
        self.notes.iter().for_each(|note| out += &wrapped(note, "- ", "  "));
        out
    }

    /// The same in Markdown.
    pub(super) fn markdown(&self) -> String {
        let listed = |lines: &[String]| lines.iter().map(|line| format!("- {line}\n")).collect::<String>();
        let mut out = listed(&self.summary);
        out += if self.summary.is_empty() { "" } else { "\n" };
        for (sheet, notes) in &self.sheets {
            out += &format!("### {}\n\n{}\n", sheet.title, sheet.markdown());
            out += &listed(notes);
            out += if notes.is_empty() { "" } else { "\n" };
        }
        out + &listed(&self.notes)
    }

    pub(super) fn tables(&self) -> Vec<ReportTable> {
        let one = |(sheet, notes): &Noted| ReportTable {
            title: sheet.title.clone(),
            rows: sheet.rows.clone(),
            notes: notes.clone(),
        };
        self.sheets.iter().map(one).collect()
    }
}

impl Sheet {
    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |c: usize| self.rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0).max(3);
        (0..columns).map(width).collect()
    }

    /// Whether a column holds numbers, which are right-aligned.
    fn is_numeric(&self, column: usize) -> bool {
        let number = |text: &String| text.chars().all(|c| c.is_ascii_digit() || " .+-–%×*()/!".contains(c));
        column > 0 && self.rows.iter().skip(1).all(|row| number(&row[column]))
    }

    /// Blocks of columns, none wider than the terminal; each repeats the columns that name a row.
    fn blocks(&self, width: usize) -> String {
        let widths = self.widths();
        let names: Vec<usize> = (0..self.names.min(widths.len())).collect();
        let wide = |columns: &[usize]| columns.iter().map(|&c| widths[c] + GAP).sum::<usize>();
        let mut out = String::new();
        let mut at = names.len();
        loop {
            let mut block = names.clone();
            while at < widths.len() && (block.len() == names.len() || wide(&block) + widths[at] <= width) {
                block.push(at);
                at += 1;
            }
            self.rows.iter().for_each(|row| out += &self.line(row, &block, &widths, width));
            if at >= widths.len() {
                return out;
            }
            out.push('\n');
        }
    }

    /// One row of a block; long text in the last column continues in the next line.
    fn line(&self, row: &[String], block: &[usize], widths: &[usize], width: usize) -> String {
        let mut line = String::new();
        for (place, &c) in block.iter().enumerate() {
            let (text, space) = (&row[c], " ".repeat(widths[c] - row[c].chars().count()));
            let last = place + 1 == block.len();
            if last && !self.is_numeric(c) && line.chars().count() + text.chars().count() > width {
                let indent = " ".repeat(line.chars().count().min(width / 2));
                return wrapped(text, &line, &indent, width);
            }
            line += &if self.is_numeric(c) { format!("{space}{text}") } else { format!("{text}{space}") };
            line += if last { "" } else { "  " };
        }
        format!("{}\n", line.trim_end())
    }

    fn markdown(&self) -> String {
        let widths = self.widths();
        let mut out = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            let cell = |(c, text): (usize, &String)| {
                let space = " ".repeat(widths[c] - text.chars().count());
                if self.is_numeric(c) { format!("{space}{text}") } else { format!("{text}{space}") }
            };
            let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
            out += &format!("| {} |\n", cells.join(" | "));
            if number == 0 {
                let rule = |(c, &w): (usize, &usize)| match self.is_numeric(c) {
                    true => format!("{}:", "-".repeat(w - 1)),
                    false => "-".repeat(w),
                };
                let rules: Vec<String> = widths.iter().enumerate().map(rule).collect();
                out += &format!("| {} |\n", rules.join(" | "));
            }
        }
        out
    }
}

/// Wraps text to lines of at most `width` characters, if words allow it.
fn wrapped(text: &str, first: &str, next: &str, width: usize) -> String {
    let (mut out, mut line, mut empty) = (String::new(), first.to_owned(), true);
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            out += &format!("{}\n", line.trim_end());
            (line, empty) = (next.to_owned(), true);
        }
        line += &if empty { word.to_owned() } else { format!(" {word}") };
        empty = false;
    }
    out + &format!("{}\n", line.trim_end())
}

/// The header row; `|` separates its columns.
pub(super) fn heading(names: &str) -> Vec<String> {
    names.split('|').map(str::to_owned).collect()
}

/// The placeholder for unknown values.
pub(super) fn dash() -> String {
    "–".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_wider_than_the_terminal() {
        let mut rows = vec![heading("method|printed")];
        (0..9).for_each(|i| rows[0].push(format!("data set {i}")));
        rows.push((0..11).map(|i| if i == 0 { "1-NN".into() } else { format!("{i}.25") }).collect());
        let long = "a kernel with a name that is so long that it does not fit on a single line of a terminal";
        let wide = Sheet { title: long.into(), rows, names: 1 };
        let texts = vec![heading("kernel|chosen"), vec!["wl".into(), long.into()]];
        let texts = Sheet { title: "short".into(), rows: texts, names: 1 };
        let page = Page {
            summary: vec![long.into()],
            sheets: vec![(wide, vec![long.into()]), (texts, vec![])],
            notes: vec![long.into()],
        };
        let text = page.text(1000);
        assert!(text.lines().all(|l| l.chars().count() <= WIDTH), "{text}");
        let narrow = page.text(40);
        assert!(narrow.lines().all(|l| l.chars().count() <= 40), "{narrow}");
        assert!((1..11).all(|i| narrow.contains(&format!("{i}.25"))), "{narrow}");
        // Every value is shown, and each block starts with the name.
        assert!((1..11).all(|i| text.contains(&format!("{i}.25"))), "{text}");
        assert_eq!(text.matches("1-NN").count(), 2, "{text}");
        let markdown = page.markdown();
        assert_eq!(markdown.lines().filter(|l| l.starts_with("| 1-NN")).count(), 1, "{markdown}");
        assert!(markdown.contains("----:"), "{markdown}");
    }
}
