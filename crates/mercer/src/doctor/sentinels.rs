//! Numbers that stand for a missing value: -999, 9999, or -1 where no other value is negative.

use super::view::{Cells, View};
use super::{Finding, Severity, counted};
use crate::budget;
use crate::data::Dataset;
use crate::error::Result;

/// Values that a column needs besides the mark.
const FEWEST: usize = 15;
/// Distinct values among the others from which on the only negative number, -1, is a mark rather than a code.
const DISTINCT: usize = 20;
/// The largest share of values that may be marks.
const MOST: f64 = 0.8;

/// Columns, and a target of numbers, in which a repeated number looks like a mark for a missing value.
pub(super) fn of(data: &Dataset, view: &View) -> Result<Vec<Finding>> {
    let mut out = Vec::new();
    let columns = view.features.iter().filter(|f| f.whole).map(|f| (f.name.as_str(), &f.cells, "column"));
    let target = view.target.iter().map(|cells| (data.target_name().unwrap_or("target"), cells, "target"));
    for (name, cells, what) in columns.chain(target) {
        budget::check_after(20 * view.rows.len())?;
        let Cells::Numbers(x) = cells else { continue };
        let Some(Mark { value, low, high, far }) = mark(x) else { continue };
        let at: Vec<usize> = (0..x.len()).filter(|&k| x[k] == value).map(|k| view.rows[k]).collect();
        let message = format!(
            "{what} '{name}': {} {value}, all others are between {low} and {high}: {value} looks like a mark for a missing value",
            if at.len() == 1 {
                "1 value is".to_owned()
            } else {
                format!("{} are", counted(at.len(), "value"))
            },
        );
        let advice = format!("if it is one, read it as missing with `na={value}`");
        let severity = if far { Severity::Medium } else { Severity::Low };
        out.push(
            Finding::new("W_SENTINEL", severity, message, advice)
                .columns([name.to_owned()])
                .evidence("value", value)
                .evidence("values", at.len() as f64)
                .objects(at),
        );
    }
    Ok(out)
}

struct Mark {
    value: f64,
    /// The range of all other values.
    low: f64,
    high: f64,
    /// Whether it lies further from all others than these from each other.
    far: bool,
}

/// Whether a number is written with one repeated 9 or 8, such as -999 or 88.
fn is_mark(value: f64) -> bool {
    let magnitude = value.abs();
    let of = |digit: f64| {
        let mut v = digit;
        while v < magnitude {
            v = 10.0 * v + digit;
        }
        v == magnitude
    };
    (9.0..1e12).contains(&magnitude) && (of(9.0) || of(8.0) && magnitude >= 88.0)
}

/// The smallest or the largest value, if it is repeated and looks like a mark.
fn mark(x: &[f64]) -> Option<Mark> {
    let mut sorted: Vec<f64> = x.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (&first, &last) = (sorted.first()?, sorted.last()?);
    for value in [first, last] {
        if !(is_mark(value) || value == -1.0) {
            continue;
        }
        let others: Vec<f64> = sorted.iter().copied().filter(|&v| v != value).collect();
        let times = sorted.len() - others.len();
        let (Some(&low), Some(&high)) = (others.first(), others.last()) else { continue };
        if times < 2 || others.len() < FEWEST || times as f64 > MOST * sorted.len() as f64 {
            continue;
        }
        let gap = if value < low { low - value } else { value - high };
        let far = is_mark(value) && gap > high - low && high > low;
        // The only negative number among many: ages, counts and days have none.
        let mut distinct = others.clone();
        distinct.dedup();
        let alone = value == -1.0 && low >= 0.0 && times >= 3 && distinct.len() >= DISTINCT;
        if far || alone {
            return Some(Mark { value, low, high, far });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(marks: &[f64], others: impl Iterator<Item = f64>) -> Option<(f64, bool)> {
        let x: Vec<f64> = marks.iter().copied().chain(others).collect();
        mark(&x).map(|m| (m.value, m.far))
    }

    #[test]
    fn marks_lie_apart_and_repeat() {
        let temperatures = || (0..40).map(|i| 15.0 + f64::from(i) * 0.3);
        assert_eq!(found(&[-999.0, -999.0], temperatures()), Some((-999.0, true)));
        assert_eq!(found(&[9999.0; 3], temperatures()), Some((9999.0, true)));
        assert_eq!(found(&[99.0; 3], (0..40).map(|i| f64::from(i % 5))), Some((99.0, true)));
        assert_eq!(found(&[-1.0; 3], (0..60).map(f64::from)), Some((-1.0, false)));
        // Once is an outlier, and within reach of the others it is a value.
        assert_eq!(found(&[-999.0], temperatures()), None);
        assert_eq!(found(&[99.0; 3], (0..98).map(f64::from)), None);
        assert_eq!(found(&[-1.0; 9], (0..40).map(|i| f64::from(i % 2))), None);
        assert_eq!(found(&[-1.0; 3], (0..60).map(|i| f64::from(i) - 30.5)), None);
        assert_eq!(found(&[-998.0; 3], temperatures()), None);
        assert_eq!(found(&[9.0; 50], (0..5).map(f64::from)), None);
        assert!(mark(&[]).is_none() && mark(&[f64::NAN; 30]).is_none());
    }
}
