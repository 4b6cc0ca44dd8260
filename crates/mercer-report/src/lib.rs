//! Reports of mercer's results: a self-contained HTML page, and plots for papers.
//!
//! Both are created from a *run document*, the JSON that `mercer evaluate`, `auto`, `compare` and `reproduce` write
//! with `--report`. Nothing here depends on kernels or learners, so a report can be recreated from the document alone,
//! on another computer, years later.
//!
//! * [`page`] combines the document, a script that draws it and a charting library (Apache ECharts) in one HTML file.
//! * [`plots`] draws the same figures as SVG or PNG files, one per figure.
//!
//! The page draws its charts itself. The alternative, drawing all plots beforehand as SVG, needs no script. But a
//! matrix of 1000 by 1000 cells would take hundreds of megabytes, and themes and tooltips would need extra work.

mod document;
mod page;
mod plots;
mod upgrade;

pub use page::page;
pub use plots::{Form, Plot, plots};
pub use upgrade::{SCHEMA, upgrade};
