//! What mercer found, to look at: one self-contained page, and plots for papers.
//!
//! Both are made from a *run document*, the JSON that `mercer evaluate`, `auto`, `compare` and `reproduce` write with `--report`. Nothing
//! here knows of kernels or learners, so a report can be made again from the document alone, on another machine, years later.
//!
//! * [`page`] puts the document, a script that draws it and a charting library (Apache ECharts) into one HTML file that works offline.
//! * [`plots`] draws the same figures as SVG or PNG files, one per figure.
//!
//! Two designs were weighed for the page. Drawing all plots beforehand as SVG needs no script, but a matrix of 1000 by 1000
//! cells is then hundreds of megabytes, and neither themes nor tooltips come for free. So the page draws for itself.

mod document;
mod page;
mod plots;

pub use page::page;
pub use plots::{Form, Plot, plots};
