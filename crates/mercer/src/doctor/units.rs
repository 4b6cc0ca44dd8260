//! Values in another unit: a few values of a column that are off by a known factor while all others agree.

use super::view::{Cells, View};
use super::{Finding, Severity, counted};
use crate::budget;
use crate::data::Dataset;
use crate::error::Result;

/// Factors between units, and slips of the decimal point.
const FACTORS: [(f64, &str); 12] = [
    (1000.0, "such as g for kg"),
    (100.0, "such as cm for m"),
    (10.0, "such as mm for cm, or a slipped decimal point"),
    (2.54, "such as inches for cm"),
    (25.4, "such as inches for mm"),
    (2.204_622_6, "such as pounds for kg"),
    (453.592_37, "such as pounds for g"),
    (3.280_84, "such as feet for m"),
    (30.48, "such as feet for cm"),
    (60.0, "such as seconds for minutes"),
    (3600.0, "such as seconds for hours"),
    (1_000_000.0, "such as mg for kg"),
];

/// The largest share of values that may be off.
const MOST: f64 = 0.05;
/// Values that a column needs.
const FEWEST: usize = 40;

/// Columns with a few values in another unit.
pub(super) fn of(data: &Dataset, view: &View) -> Result<Vec<Finding>> {
    let _ = data;
    // The more columns, the more often chance puts a few values apart.
    let least = 2 + (0.75 * (view.features.len().max(1) as f64).log10()) as usize;
    let mut out = Vec::new();
    for feature in view.features.iter().filter(|f| f.whole) {
        budget::check_after(20 * view.rows.len())?;
        let Cells::Numbers(x) = &feature.cells else { continue };
        let Some(found) = apart(x, least) else { continue };
        let (factor, unit, off) = (found.factor.0, found.factor.1, &found.off);
        let direction = if found.larger { "larger" } else { "smaller" };
        let message = format!(
            "column '{}': {} are about {factor} times {direction} than all others ({unit}): {} where others are between {} and {}",
            feature.name,
            counted(off.len(), "value"),
            off.iter().take(3).map(|&k| number(x[k])).collect::<Vec<_>>().join(", "),
            number(found.range.0),
            number(found.range.1)
        );
        let advice = "check these objects, and convert the values to one unit";
        out.push(
            Finding::new("W_UNITS", Severity::Medium, message, advice)
                .columns([feature.name.clone()])
                .objects(off.iter().map(|&k| view.rows[k]))
                .evidence("factor", factor)
                .evidence("values", off.len() as f64),
        );
    }
    Ok(out)
}

fn number(v: f64) -> String {
    if v == 0.0 || (0.001..1e6).contains(&v.abs()) {
        let text = format!("{v:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{v:.2e}")
    }
}

struct Apart {
    factor: (f64, &'static str),
    larger: bool,
    off: Vec<usize>,
    range: (f64, f64),
}

/// Values that are separated from all others on a logarithmic scale, and lie among them once divided by a factor.
fn apart(x: &[f64], least: usize) -> Option<Apart> {
    let mut order: Vec<usize> = (0..x.len()).filter(|&k| x[k].is_finite() && x[k] != 0.0).collect();
    let signs = order.iter().filter(|&&k| x[k] > 0.0).count();
    // All of one sign, and few zeros: units change neither.
    let known = x.iter().filter(|v| v.is_finite()).count();
    if order.len() < FEWEST || 10 * order.len() < 8 * known || signs != order.len() && signs != 0 {
        return None;
    }
    let log = |k: usize| x[k].abs().ln();
    order.sort_by(|&a, &b| log(a).total_cmp(&log(b)));
    let n = order.len();
    let most = (MOST * n as f64) as usize;
    // The widest gap below which, or above which, few values lie.
    for larger in [true, false] {
        let at = |i: usize| if larger { order[n - 1 - i] } else { order[i] };
        let gap = |i: usize| (log(at(i - 1)) - log(at(i))).abs();
        let Some(count) = (least..=most.min(n / 2)).max_by(|&a, &b| gap(a).total_cmp(&gap(b))) else {
            continue;
        };
        let off: Vec<usize> = (0..count).map(at).collect();
        // One value again and again is a limit of detection or a code.
        if count > 2 && off.iter().all(|&k| x[k] == x[off[0]]) {
            continue;
        }
        let (inner, outer) = (log(at(count)), log(at(n - 1)));
        let (low, high) = (inner.min(outer), inner.max(outer));
        let middle = log(order[if larger { (n - count) / 2 } else { count + (n - count) / 2 }]);
        // All others within the range of one factor; distinct enough to be measurements.
        let distinct = {
            let mut values: Vec<u64> = order.iter().map(|&k| x[k].to_bits()).collect();
            values.dedup();
            values.len()
        };
        if distinct < 12 {
            continue;
        }
        let sign = if larger { 1.0 } else { -1.0 };
        let spread = quartiles(&order, &log);
        let fits = |factor: f64| {
            let shifted = |&k: &usize| log(k) - sign * factor.ln();
            let slack = 0.25 * (high - low) + 0.02;
            let inside = off.iter().filter(|k| (low - slack..=high + slack).contains(&shifted(k))).count();
            let mean = off.iter().map(shifted).sum::<f64>() / off.len() as f64;
            inside == off.len()
                && gap(count) > 0.4 * factor.ln()
                && (mean - middle).abs() <= 1.5 * spread + 0.02
        };
        let off_by = |factor: f64| {
            let mean = off.iter().map(|&k| log(k)).sum::<f64>() / off.len() as f64;
            ((mean - middle) * sign - factor.ln()).abs()
        };
        let found =
            FACTORS.iter().filter(|(f, _)| fits(*f)).min_by(|a, b| off_by(a.0).total_cmp(&off_by(b.0)));
        // The values must lie further out than heavy tails reach.
        let far = (log(off[count - 1]) - middle).abs() > 5.0 * spread;
        if let (Some(&factor), true) = (found, far) {
            let ends = [low.exp(), high.exp()].map(|v| if signs == 0 { -v } else { v });
            return Some(Apart { factor, larger, off, range: (ends[0].min(ends[1]), ends[0].max(ends[1])) });
        }
    }
    None
}

/// The spread of the middle half, as the standard deviation of a normal distribution.
fn quartiles(order: &[usize], log: &dyn Fn(usize) -> f64) -> f64 {
    let n = order.len();
    (log(order[3 * n / 4]) - log(order[n / 4])) / 1.349
}
