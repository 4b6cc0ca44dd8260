//! Columns without information, and classes of very different size.

use super::view::View;
use super::{Finding, Severity, leave_out, percent, quoted};
use crate::data::{Categories, Dataset, Target, Values};

/// If the largest class has more than this share of the objects, accuracy says little: that of the majority-class
/// baseline is as high.
pub(super) const IMBALANCED: f64 = 0.75;

/// A class this many times smaller than the largest is rare.
const RARE: usize = 5;

/// The classes that occur among the training objects with their sizes, largest first; equal sizes in the order of the
/// levels. Empty without classes.
fn class_sizes(data: &Dataset) -> Vec<(&str, usize)> {
    let Some(Target::Classes(classes)) = data.target() else { return Vec::new() };
    let mut counts = vec![0usize; classes.levels().len()];
    let trained = |i: &usize| data.test().is_none_or(|test| !test[*i]);
    (0..classes.len())
        .filter(trained)
        .filter_map(|i| classes.code(i))
        .for_each(|code| counts[code as usize] += 1);
    let mut out: Vec<_> =
        classes.levels().iter().map(String::as_str).zip(counts).filter(|c| c.1 > 0).collect();
    out.sort_by_key(|c| std::cmp::Reverse(c.1));
    out
}

/// Whether one class has most of the training objects: more than three quarters. Scores that count objects, such as accuracy,
/// then hardly see the others.
pub fn is_imbalanced(data: &Dataset) -> bool {
    let sizes = class_sizes(data);
    let total: usize = sizes.iter().map(|c| c.1).sum();
    sizes.first().is_some_and(|first| first.1 as f64 > IMBALANCED * total as f64)
}

/// Classes of very different size.
pub(super) fn of_target(data: &Dataset) -> Vec<Finding> {
    let sizes = class_sizes(data);
    let (Some(most), Some(least)) = (sizes.first(), sizes.last()) else { return Vec::new() };
    if sizes.len() < 2 || !is_imbalanced(data) && least.1 * RARE >= most.1 {
        return Vec::new();
    }
    let total: usize = sizes.iter().map(|c| c.1).sum();
    let share = most.1 as f64 / total as f64;
    let message = format!(
        "class '{}' has {} members ({} of all), class '{}' has {}",
        most.0,
        most.1,
        percent(share),
        least.0,
        least.1
    );
    let (severity, advice) = match is_imbalanced(data) {
        true => (
            Severity::Medium,
            "the default score is therefore balanced-accuracy; auc is informative too, accuracy is not",
        ),
        false => (
            Severity::Low,
            "small classes hardly affect accuracy: see balanced-accuracy, or weights=balanced of svc",
        ),
    };
    vec![
        Finding::new("W_IMBALANCE", severity, message, advice)
            .evidence("largest_share", share)
            .evidence("smallest_class", least.1 as f64)
            .evidence("classes", sizes.len() as f64),
    ]
}

/// Columns with a single value, and columns without any. Columns of the sample that vary are not looked at again.
pub(super) fn constant(data: &Dataset, view: &View) -> Vec<Finding> {
    let (mut constant, mut empty) = (Vec::new(), Vec::new());
    for feature in view.features.iter().filter(|f| f.whole) {
        let (codes, _) = feature.codes();
        let mut known = codes.iter().filter(|&&c| c != Categories::MISSING);
        let first = known.next();
        if first.is_some_and(|first| known.any(|c| c != first)) {
            continue;
        }
        // The sample is all that most data has; otherwise the whole column decides.
        let column = &data.columns()[feature.column];
        if first.is_none() && column.missing() == data.len() {
            empty.push(feature.name.clone());
        } else if same_everywhere(&column.values, feature.cells.len()) {
            constant.push(feature.name.clone());
        }
    }
    let mut out = Vec::new();
    for (code, names, what) in
        [("W_EMPTY_COLUMN", empty, "no values"), ("W_CONSTANT", constant, "the same value everywhere")]
    {
        if !names.is_empty() {
            let (word, has) = if names.len() == 1 { ("column", "has") } else { ("columns", "have") };
            let message = format!("{word} {} {has} {what}", quoted(&names));
            let advice = format!("nothing can be learned from that: leave out with {}", leave_out(&names));
            let count = names.len() as f64;
            out.push(
                Finding::new(code, Severity::Low, message, advice).evidence("columns", count).columns(names),
            );
        }
    }
    out
}

/// Whether a column with `sampled` equal values does not vary anywhere.
fn same_everywhere(values: &Values, sampled: usize) -> bool {
    fn all_same<T: PartialEq>(mut known: impl Iterator<Item = T>) -> bool {
        let first = known.next();
        first.is_some_and(|first| known.all(|v| v == first))
    }
    match values {
        values if values.len() == sampled => true,
        Values::Numbers(x) => all_same(x.values().iter().filter(|v| !v.is_nan())),
        Values::Categories(c) => all_same(c.codes().iter().filter(|&&v| v != Categories::MISSING)),
        Values::Strings(v) | Values::Text(v) => all_same(v.iter().flatten()),
        _ => false,
    }
}
