//! Certificates of matrices and models, with a meaning for each value.

use serde::Serialize;

use crate::gram::Certificate;
use crate::learn::Trained;

/// A table of certified quantities: name, value, meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CertificateTable {
    /// The title of the table.
    pub title: String,
    /// Name, value, meaning.
    pub rows: Vec<[String; 3]>,
}

/// The maximum number of models listed; the others are only counted.
const LISTED: usize = 12;

pub(super) fn of_matrix(c: &Certificate, of: usize) -> CertificateTable {
    let row = |name: &str, value: String, meaning: &str| [name.to_owned(), value, meaning.to_owned()];
    let title = match c.n == of {
        true => format!("Gram matrix of all {of} objects"),
        false => format!("Gram matrix of {} of {of} objects, chosen at random", c.n),
    };
    let mut rows = vec![
        row("verdict", c.verdict.to_string(), "whether a feature space with these inner products exists"),
        row(
            "smallest eigenvalue",
            format!("{:.3e}", c.lambda_min),
            "negative beyond rounding means indefinite",
        ),
        row("largest eigenvalue", format!("{:.3e}", c.lambda_max), "the scale of the matrix"),
        row(
            "negative eigenvalues",
            c.negative.to_string(),
            "directions in which squared lengths are negative",
        ),
        row("tolerance", format!("{:.1e}", c.tolerance), "eigenvalues this small count as zero"),
        row("rank", format!("{} of {}", c.rank, c.n), "dimension of the span of the objects"),
        row(
            "effective rank",
            format!("{:.1}", c.effective_rank),
            "near 1: all objects are similar; near n: no two are",
        ),
        row(
            "asymmetry",
            format!("{:.1e}", c.symmetry_error),
            "largest difference between an entry and its mirror image",
        ),
    ];
    if let Some(condition) = c.condition {
        rows.push(row("condition", format!("{condition:.2e}"), "largest over smallest eigenvalue"));
    }
    CertificateTable { title, rows }
}

/// Duality gaps and stopping reasons of the models; nothing for learners with an exact solution.
pub(super) fn of_models(trained: &Trained) -> Option<CertificateTable> {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for (name, c) in trained.certificates() {
        let value = format!("gap {:.1e}: primal {:.6}, dual {:.6}", c.gap, c.primal, c.dual);
        let margin = if c.no_margin { "; nu leaves no margin" } else { "" };
        rows.push([name, value, format!("{} after {} iterations{margin}", c.stop.name(), c.iterations)]);
    }
    for (name, d) in trained.dualities() {
        let value = format!("gap {:.1e}: primal {:.6}, dual {:.6}", d.gap, d.primal, d.dual);
        rows.push([name, value, d.stop.name().to_owned()]);
    }
    if rows.is_empty() {
        rows =
            trained.stops().into_iter().map(|(name, s)| [name, s.name().to_owned(), String::new()]).collect();
    }
    let (all, more) = (rows.len(), rows.len().saturating_sub(LISTED));
    rows.truncate(LISTED);
    if more > 0 {
        rows.push([format!("and {more} more"), String::new(), String::new()]);
    }
    let title = format!("{} fitted to the objects shown", if all == 1 { "Model" } else { "Models" });
    (all > 0).then_some(CertificateTable { title, rows })
}
