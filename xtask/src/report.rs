//! The table of a benchmark run.

use std::fmt::Write;

/// One workload.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) what: &'static str,
    pub(crate) peer: &'static str,
    /// Best seconds of the peer and of mercer.
    pub(crate) theirs: f64,
    pub(crate) ours: f64,
    /// The ratio aimed at.
    pub(crate) target: Option<f64>,
    /// The largest difference between sampled results, relative to the largest of them.
    pub(crate) difference: f64,
    /// The most bytes each process held.
    pub(crate) peer_peak: f64,
    pub(crate) peak: f64,
}

/// A run: where, with what, and the rows.
pub(crate) struct Report {
    machine: String,
    versions: String,
    repeat: usize,
    threads: usize,
    notes: Vec<String>,
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(machine: String, versions: String, repeat: usize, threads: usize) -> Self {
        Report { machine, versions, repeat, threads, notes: Vec::new(), rows: Vec::new() }
    }

    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    pub(crate) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// The rows as a Markdown table.
    pub(crate) fn table(&self) -> String {
        let mut out = String::from(
            "| workload | data | peer | peer s | mercer s | ratio | aim | largest difference | peer peak MB | mercer peak MB |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for row in &self.rows {
            let ratio = row.theirs / row.ours;
            let aim = row.target.map_or_else(|| "–".to_owned(), |t| format!("≥ {t}"));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.3} | {:.3} | {ratio:.2} | {aim} | {:.1e} | {:.0} | {:.0} |",
                row.name,
                row.what,
                row.peer,
                row.theirs,
                row.ours,
                row.difference,
                row.peer_peak / 1e6,
                row.peak / 1e6,
            );
        }
        out
    }

    /// The whole page.
    pub(crate) fn document(&self) -> String {
        let notes = self.notes.iter().fold(String::new(), |all, n| all + n + "\n");
        format!(
            "# Gram matrices and reading, timed\n\n\
             Written by `cargo xtask bench`.\n\n\
             * Machine: {}.\n* Versions: {}.\n* {} threads for each system; data in memory before the clock \
             starts; one warm-up; {} turns, the systems taking turns; the best time counts.\n\n\
             Differences are the largest |a - b| over 100,000 sampled entries, relative to the largest entry. \
             Peak memory is that of the whole process, its data included; a dense Gram of 8000 objects is \
             512 MB, of 10,000 objects 800 MB.\n\n{notes}\n{}",
            self.machine,
            self.versions,
            self.threads,
            self.repeat,
            self.table()
        )
    }
}
