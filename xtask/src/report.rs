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
    /// The target ratio.
    pub(crate) target: Option<f64>,
    /// The largest difference between sampled results, relative to the largest of them.
    pub(crate) difference: f64,
    /// Peak memory of each process in bytes.
    pub(crate) peer_peak: f64,
    pub(crate) peak: f64,
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
        let tables = [
            (!self.rows.is_empty()).then(|| self.grams()),
            (!self.readings.is_empty()).then(|| self.reading()),
            (!self.growth.is_empty()).then(|| self.growing()),
        ];
        tables.into_iter().flatten().collect::<Vec<_>>().join("\n")
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
            "| read-csv | threads | file MB | seconds | MB/s | MB/s per thread | target | peak MB |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for r in &self.readings {
            let speed = r.bytes / 1e6 / r.seconds;
            let target = if r.system == "mercer" { "≥ 150 per thread" } else { "–" };
            let _ = writeln!(
                out,
                "| {} | {} | {:.0} | {:.3} | {speed:.0} | {:.0} | {target} | {:.0} |",
                r.system,
                r.threads,
                r.bytes / 1e6,
                r.seconds,
                speed / r.threads as f64,
                r.peak / 1e6,
            );
        }
        out
    }

    fn grams(&self) -> String {
        let mut out = String::from(
            "| workload | data | peer | peer s | mercer s | ratio | target | largest difference | peer peak MB | mercer peak MB |\n\
             |---|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        for row in &self.rows {
            let ratio = row.theirs / row.ours;
            let target = row.target.map_or_else(|| "–".to_owned(), |t| format!("≥ {t}"));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.3} | {:.3} | {ratio:.2} | {target} | {:.1e} | {:.0} | {:.0} |",
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
            "# {title}\n\n\
             Written by `cargo xtask bench --page {}`.\n\n\
             * Computer: {}.\n* Versions: {}.\n* {} threads for each system; data in memory before the clock \
             starts; one warm-up; {} runs per system, alternating; the best time counts.\n\n\
             {reading}\n\n{notes}\n{}",
            self.page,
            self.machine,
            self.versions,
            self.threads,
            self.repeat,
            self.tables()
        )
    }
}
