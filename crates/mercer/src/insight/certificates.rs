//! What matrices and machines can prove about themselves, in words.

use serde::Serialize;

use crate::gram::Certificate;
use crate::learn::Trained;

/// A table of proofs: what, its value, and what that means.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// What the table is about.
    pub title: String,
    /// Name, value, meaning.
    pub rows: Vec<[String; 3]>,
}

/// More machines than this are counted, not listed.
const LISTED: usize = 12;

pub(super) fn of_matrix(c: &Certificate, of: usize) -> Proof {
    let row = |name: &str, value: String, meaning: &str| [name.to_owned(), value, meaning.to_owned()];
    let title = match c.n == of {
        true => format!("Gram matrix of all {of} objects"),
        false => format!("Gram matrix of {} of {of} objects, chosen at random", c.n),
    };
    let mut rows = vec![
        row("verdict", c.verdict.to_string(), "whether some feature space has these inner products"),
        row("least eigenvalue", format!("{:.3e}", c.lambda_min), "negative beyond rounding means indefinite"),
        row("greatest eigenvalue", format!("{:.3e}", c.lambda_max), "the scale of the matrix"),
        row(
            "negative eigenvalues",
            c.negative.to_string(),
            "directions in which squared lengths are negative",
        ),
        row("tolerance", format!("{:.1e}", c.tolerance), "eigenvalues this small count as zero"),
        row("rank", format!("{} of {}", c.rank, c.n), "directions that tell the objects apart"),
        row(
            "effective rank",
            format!("{:.1}", c.effective_rank),
            "near 1: all objects look alike; near n: each is alone",
        ),
        row(
            "asymmetry",
            format!("{:.1e}", c.symmetry_error),
            "largest difference between an entry and its mirror image",
        ),
    ];
    if let Some(condition) = c.condition {
        rows.push(row("condition", format!("{condition:.2e}"), "greatest over least eigenvalue"));
    }
    Proof { title, rows }
}

/// Duality gaps and why each machine stopped; nothing for learners that are exact.
pub(super) fn of_machines(trained: &Trained) -> Option<Proof> {
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
    let title = format!("{} fitted to the objects shown", if all == 1 { "Machine" } else { "Machines" });
    (all > 0).then_some(Proof { title, rows })
}
