//! Labels that are probably wrong: objects predicted confidently as something else in every split that tested them.

use super::{Finding, Severity, counted, percent};

/// Predictions for test objects: an entry for each object of each split. Slices are those of
/// [`Predictions`](crate::select::Predictions).
#[derive(Clone, Copy, Debug)]
pub struct Tested<'a> {
    /// The object.
    pub objects: &'a [usize],
    /// Its class as an index into `classes`, or its number.
    pub truth: &'a [f64],
    /// The prediction in the same form.
    pub predicted: &'a [f64],
    /// Decision values or probabilities, one for each class.
    pub confidence: Option<&'a [Vec<f64>]>,
    /// The names of the classes; none for numbers.
    pub classes: Option<&'a [String]>,
    /// The names of all test entries' objects, where they have names.
    pub ids: Option<&'a [String]>,
}

/// A model that is wrong more often than this says nothing about labels.
const RELIABLE: f64 = 0.8;
/// Residuals this many times their usual size are suspicious.
const EXTREME: f64 = 8.0;

/// Objects whose label all predictions contradict with confidence.
///
/// For classes: the model is right for at least four fifths of the objects, every prediction for the object is the same
/// other class, and its confidence in that class over the true one is above the median of that of right predictions. Votes that
/// are all or nothing, such as those of one neighbour, are never above it. Where classes overlap, most errors are made with
/// little confidence, while wrong labels are contradicted with any: the finding needs a quarter of the errors to be
/// confident, and all of them where there are one or two.
/// For numbers: every residual is at least eight times the usual one, of the same sign, and twice the largest of the objects
/// that are not suspected: large residuals of a skewed target have no such gap.
///
/// ```
/// use mercer::doctor::labels::{Tested, suspects};
/// let objects: Vec<usize> = (0..40).collect();
/// let truth: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
/// let mut predicted = truth.clone();
/// predicted[7] = 0.0;
/// let margin = |i: usize| if i == 7 { 2.0 } else { 0.5 + i as f64 / 40.0 };
/// let confidence: Vec<Vec<f64>> =
///     predicted.iter().enumerate().map(|(i, p)| vec![margin(i) * (1.0 - p), margin(i) * p]).collect();
/// let classes = ["no".to_owned(), "yes".to_owned()];
/// let tested = Tested { objects: &objects, truth: &truth, predicted: &predicted, confidence: Some(&confidence),
///     classes: Some(&classes), ids: None };
/// assert_eq!(suspects(&tested).unwrap().objects, [7]);
/// ```
pub fn suspects(tested: &Tested<'_>) -> Option<Finding> {
    let n = tested.objects.len();
    if n < 30 || tested.truth.len() != n || tested.predicted.len() != n {
        return None;
    }
    let (wrong, margins): (Vec<bool>, Vec<f64>) = match tested.classes {
        Some(classes) => of_classes(tested, classes.len())?,
        None => of_numbers(tested),
    };
    // An object is suspicious if every entry of it is.
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&k| tested.objects[k]);
    let (mut found, mut errors, mut largest): (Vec<(f64, usize)>, usize, f64) = (Vec::new(), 0, 0.0);
    for own in order.chunk_by(|&a, &b| tested.objects[a] == tested.objects[b]) {
        let agree = own.iter().all(|&k| match tested.classes {
            Some(_) => tested.predicted[k] == tested.predicted[own[0]],
            None => margins[k].signum() == margins[own[0]].signum(),
        });
        if agree && own.iter().all(|&k| wrong[k]) {
            let least = own.iter().map(|&k| margins[k].abs()).fold(f64::INFINITY, f64::min);
            found.push((least, own[0]));
        } else {
            largest = own.iter().map(|&k| margins[k].abs()).fold(largest, f64::max);
        }
        errors += usize::from(own.iter().all(|&k| tested.truth[k] != tested.predicted[k]));
    }
    match tested.classes {
        Some(_) if 4 * found.len() < errors || found.len() < 3 && found.len() < errors => return None,
        Some(_) => {}
        None => clear_of_others(&mut found, largest),
    }
    let objects = order.chunk_by(|&a, &b| tested.objects[a] == tested.objects[b]).count();
    // More than a few are not single wrong labels.
    if found.is_empty() || found.len() * 10 > objects {
        return None;
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let name = |k: usize| match tested.ids {
        Some(ids) => format!("'{}'", ids[k]),
        None => (tested.objects[k] + 1).to_string(),
    };
    let one = |&(_, k): &(f64, usize)| match tested.classes {
        Some(classes) => {
            let class = |v: f64| classes.get(v as usize).map_or("", String::as_str);
            format!("{} ({} predicted as {})", name(k), class(tested.truth[k]), class(tested.predicted[k]))
        }
        None => format!("{} ({:.4} predicted as {:.4})", name(k), tested.truth[k], tested.predicted[k]),
    };
    let shown: Vec<String> = found.iter().take(4).map(one).collect();
    let more = if found.len() > shown.len() { ", …" } else { "" };
    let message = format!(
        "the labels of {} of {objects} ({}) are contradicted with confidence in every split: {}{more}",
        counted(found.len(), "object"),
        percent(found.len() as f64 / objects as f64),
        shown.join(", ")
    );
    Some(
        Finding::new("W_LABELS", Severity::Low, message, "check these labels first")
            .evidence("objects", found.len() as f64)
            .objects(found.iter().map(|&(_, k)| tested.objects[k])),
    )
}

/// Leaves the residuals that are clear of all others: each at least twice the next.
fn clear_of_others(found: &mut Vec<(f64, usize)>, largest: f64) {
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let next = |i: usize| found.get(i + 1).map_or(largest, |f| f.0);
    let gap = (0..found.len()).rev().find(|&i| found[i].0 >= 2.0 * next(i));
    found.truncate(gap.map_or(0, |i| i + 1));
}

/// Which entries are confidently wrong, and by how much.
fn of_classes(tested: &Tested<'_>, classes: usize) -> Option<(Vec<bool>, Vec<f64>)> {
    let n = tested.objects.len();
    let confidence =
        tested.confidence.filter(|c| c.len() == n && c.iter().all(|row| row.len() == classes))?;
    let right = (0..n).filter(|&k| tested.truth[k] == tested.predicted[k]).count();
    if (right as f64) < RELIABLE * n as f64 || right == 0 {
        return None;
    }
    let other = |k: usize| {
        let mine = tested.truth[k] as usize;
        let best =
            (0..classes).filter(|&c| c != mine).map(|c| confidence[k][c]).fold(f64::NEG_INFINITY, f64::max);
        best - confidence[k].get(mine).copied().unwrap_or(f64::NAN)
    };
    let margins: Vec<f64> = (0..n).map(other).collect();
    let mut usual: Vec<f64> =
        (0..n).filter(|&k| tested.truth[k] == tested.predicted[k]).map(|k| -margins[k]).collect();
    usual.sort_by(f64::total_cmp);
    let usual = usual[usual.len() / 2];
    let wrong = (0..n).map(|k| tested.truth[k] != tested.predicted[k] && margins[k] > usual && usual > 0.0);
    Some((wrong.collect(), margins.clone()))
}

fn of_numbers(tested: &Tested<'_>) -> (Vec<bool>, Vec<f64>) {
    let residuals: Vec<f64> = tested.truth.iter().zip(tested.predicted).map(|(t, p)| t - p).collect();
    let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    // The median of |r| is 0.6745 standard deviations of a normal distribution.
    let usual = sizes[sizes.len() / 2] / 0.6745;
    (residuals.iter().map(|r| usual > 0.0 && r.abs() > EXTREME * usual).collect(), residuals)
}
