//! The table of a benchmark run.

use std::fmt::Write;

/// The heading of the last section of a page, which is written by hand and kept when the page is written again.
pub(crate) const TRIED: &str = "## What was tried";

/// Target for reading CSV, in MB/s per thread.
const READING_TARGET: f64 = 150.0;

/// One workload.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) peer: &'static str,
    /// Best seconds of the peer and of mercer.
    pub(crate) theirs: f64,
    pub(crate) ours: f64,
    /// The target ratio.
    pub(crate) target: Option<f64>,
    /// The largest difference between sampled results, relative to the largest of them.
    pub(crate) difference: f64,
    /// Peak memory of each process in bytes.
    pub(crate) peer_peak: f64,
    pub(crate) peak: f64,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.theirs / self.ours
    }

    /// Whether the ratio reaches its target, if there is one.
    fn met(&self) -> Option<bool> {
        self.target.map(|target| self.ratio() >= target)
    }
}

/// A file read by one system.
pub(crate) struct Reading {
    pub(crate) system: &'static str,
    pub(crate) threads: usize,
    /// Best seconds.
    pub(crate) seconds: f64,
    /// The size of the file.
    pub(crate) bytes: f64,
    /// Peak memory of the process in bytes.
    pub(crate) peak: f64,
}

/// A benchmark run: computer, versions and rows.
pub(crate) struct Report {
    page: &'static str,
    machine: String,
    versions: String,
    repeat: usize,
    threads: usize,
    notes: Vec<String>,
    rows: Vec<Row>,
    readings: Vec<Reading>,
    growth: Vec<Vec<f64>>,
}

impl Report {
    pub(crate) fn new(
        page: &'static str,
        machine: String,
        versions: &str,
        repeat: usize,
        threads: usize,
    ) -> Self {
        Report {
            page,
            machine,
            versions: versions.to_owned(),
            repeat,
            threads,
            notes: Vec::new(),
            rows: Vec::new(),
            readings: Vec::new(),
            growth: Vec::new(),
        }
    }

    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub(crate) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub(crate) fn add_reading(&mut self, reading: Reading) {
        self.readings.push(reading);
    }

    /// Lines of objects, seconds, iterations, rows computed, support vectors.
    pub(crate) fn add_growth(&mut self, lines: Vec<Vec<f64>>) {
        self.growth = lines;
    }

    /// All rows as Markdown tables.
    pub(crate) fn tables(&self) -> String {
        let growth = (!self.growth.is_empty()).then(|| self.growing());
        let tables =
            [(!self.rows.is_empty() || !self.readings.is_empty()).then(|| self.comparisons()), growth];
        tables.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    /// The tables with targets.
    fn comparisons(&self) -> String {
        let tables = [
            (!self.rows.is_empty()).then(|| self.grams()),
            (!self.readings.is_empty()).then(|| self.reading()),
        ];
        tables.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    /// The conclusion in one paragraph.
    fn conclusion(&self) -> String {
        let judged = self.rows.iter().filter(|row| row.met().is_some()).count();
        let below: Vec<&str> =
            self.rows.iter().filter(|row| row.met() == Some(false)).map(|row| row.name).collect();
        let mut out = "The ratio is the time of the peer divided by the time of mercer.".to_owned();
        if judged > 0 {
            let _ = write!(out, " Targets met: {} of {judged}", judged - below.len());
            if !below.is_empty() {
                let _ = write!(out, "; below target: {}", below.join(", "));
            }
            out.push('.');
        }
        out
    }

    fn growing(&self) -> String {
        let mut out = String::from(
            "How training grows with the number of objects (50 dimensions, gamma 0.02, C 1, rows computed on demand, one run \
             each). The exponent e is that of seconds ~ objects^e relative to the line before.\n\n\
             | objects | seconds | exponent | iterations | rows computed | support vectors |\n|--:|--:|--:|--:|--:|--:|\n",
        );
        let mut before: Option<(f64, f64)> = None;
        for line in &self.growth {
            let [n, seconds, iterations, rows, support] = line[..] else { continue };
            let exponent =
                before.map_or("–".to_owned(), |(m, s)| format!("{:.2}", (seconds / s).ln() / (n / m).ln()));
            before = Some((n, seconds));
            let _ = writeln!(out, "| {n} | {seconds:.3} | {exponent} | {iterations} | {rows} | {support} |");
        }
        out
    }

    fn reading(&self) -> String {
        let mut out = String::from(
            "| read-csv | threads | file MB | seconds | MB/s | MB/s per thread | target | met | peak MB |\n\
             |---|--:|--:|--:|--:|--:|--:|---|--:|\n",
        );
        for r in &self.readings {
            let speed = r.bytes / 1e6 / r.seconds;
            let per_thread = speed / r.threads as f64;
            let (target, met) = match r.system {
                "mercer" => {
                    (format!("≥ {READING_TARGET} per thread"), shown(Some(per_thread >= READING_TARGET)))
                }
                _ => ("–".to_owned(), shown(None)),
            };
            let _ = writeln!(
                out,
                "| {} | {} | {:.0} | {:.3} | {speed:.0} | {per_thread:.0} | {target} | {met} | {:.0} |",
                r.system,
                r.threads,
                r.bytes / 1e6,
                r.seconds,
                r.peak / 1e6,
            );
        }
        out
    }

    fn grams(&self) -> String {
        let mut out = String::from(
            "| workload | data | peer | peer s | mercer s | ratio | target | met | largest difference | peer peak MB | \
             mercer peak MB |\n|---|---|---|--:|--:|--:|--:|---|--:|--:|--:|\n",
        );
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        // Workloads below target come first.
        rows.sort_by_key(|row| match row.met() {
            Some(false) => 0,
            Some(true) => 1,
            None => 2,
        });
        for row in rows {
            let target = row.target.map_or_else(|| "–".to_owned(), |t| format!("≥ {t}"));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.3} | {:.3} | {:.2} | {target} | {} | {:.1e} | {:.0} | {:.0} |",
                row.name,
                row.what,
                row.peer,
                row.theirs,
                row.ours,
                row.ratio(),
                shown(row.met()),
                row.difference,
                row.peer_peak / 1e6,
                row.peak / 1e6,
            );
        }
        out
    }

    /// The whole page; `tried` is its last section, which is written by hand.
    pub(crate) fn document(&self, tried: &str) -> String {
        let notes = self.notes.iter().fold(String::new(), |all, n| all + "* " + n + "\n");
        let growth = if self.growth.is_empty() { String::new() } else { format!("\n{}", self.growing()) };
        let tried = if tried.is_empty() { String::new() } else { format!("\n{tried}") };
        let (title, reading) = match self.page {
            "svm" => (
                "Support vector machines: run times",
                "Each run fits and then computes the given decision values, with the tolerance 1e-3 of every system. \
                 Differences are the largest |a - b| between decision values, relative to the largest: all systems stop within \
                 a tolerance, so they differ by about that. Peak memory is that of the whole process, its data included.",
            ),
            "series" | "string-speed" | "graph-speed" => (
                match self.page {
                    "series" => "Time series: run times",
                    "string-speed" => "Strings and distributions: run times",
                    _ => "Kernels on graphs: run times",
                },
                "Differences are the largest |a - b| over 100,000 sampled entries, relative to the largest entry. \
                 Peak memory is that of the whole process, its data included.",
            ),
            _ => (
                "Gram matrices and reading: run times",
                "Differences are the largest |a - b| over 100,000 sampled entries, relative to the largest entry. \
                 Peak memory is that of the whole process, its data included; a dense Gram of 8000 objects is \
                 512 MB, of 10,000 objects 800 MB.",
            ),
        };
        format!(
            "# {title}\n\n{}\n{}\n\n## Measurement\n\n\
             Written by `cargo xtask bench --page {}`.\n\n\
             * Computer: {}.\n* Versions: {}.\n* {} threads for each system; data in memory before the clock \
             starts; one warm-up; {} runs per system, alternating; the best time counts.\n{notes}\n{reading}\n{growth}{tried}",
            self.comparisons(),
            self.conclusion(),
            self.page,
            self.machine,
            self.versions,
            self.threads,
            self.repeat,
        )
    }
}

fn shown(met: Option<bool>) -> &'static str {
    match met {
        Some(true) => "yes",
        Some(false) => "no",
        None => "–",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &'static str, theirs: f64, target: Option<f64>) -> Row {
        let (peer_peak, peak) = (1e6, 1e6);
        Row { name, what: "data", peer: "peer", theirs, ours: 1.0, target, difference: 0.0, peer_peak, peak }
    }

    #[test]
    fn workloads_below_target_come_first_and_notes_last() {
        let mut report = Report::new("svm", "two cores".to_owned(), "versions", 3, 2);
        report.add(row("met", 5.0, Some(2.0)));
        report.add(row("open", 1.0, None));
        report.add(row("below", 1.0, Some(2.0)));
        let page = report.document("## What was tried\n\nNothing.\n");
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not on the page:\n{page}"));
        assert!(at("| below |") < at("| met | data |") && at("| met | data |") < at("| open |"));
        assert!(at("| 1.00 | ≥ 2 | no |") < at("Targets met: 1 of 2; below target: below."));
        assert!(at("## Measurement") < at("## What was tried"));
    }
}
