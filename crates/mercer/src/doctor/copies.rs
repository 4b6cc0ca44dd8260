//! Objects that occur more than once, within the data and across its split; groups on both sides of a split.

use super::view::{Feature, View};
use super::{Finding, Severity, counted, percent};
use crate::budget;
use crate::data::{Categories, Column, Dataset, Target, Values};
use crate::error::Result;

/// The share of copies from which on they matter, and their least number.
const MANY: (f64, usize) = (0.05, 10);
/// The same where chance makes no copies.
const SOME: (f64, usize) = (0.01, 6);

/// Exact copies. Columns of names (`named`) are not compared.
pub(super) fn of(data: &Dataset, view: &View, named: &[usize]) -> Result<Vec<Finding>> {
    if is_coarse(data, view, named) {
        return Ok(Vec::new());
    }
    let prints = fingerprints(data, named)?;
    budget::check()?;
    let target = |i: usize| match data.target() {
        Some(Target::Classes(classes)) => classes.code(i).map(u64::from),
        Some(Target::Numbers(y)) => Some(y[i].to_bits()),
        None => None,
    };
    let mut objects: Vec<(u128, usize)> =
        prints.into_iter().enumerate().map(|(i, print)| (print, i)).collect();
    objects.sort_unstable();
    let sets = || objects.chunk_by(|a, b| a.0 == b.0).filter(|set| set.len() > 1);
    let n = objects.len();
    let expected = coincidences(data, view, named) * (n as f64) * (n as f64 - 1.0) / 2.0;
    let pairs: f64 = sets().map(|s| (s.len() * (s.len() - 1)) as f64 / 2.0).sum();
    let mut out = Vec::new();
    if pairs <= 5.0 * expected {
        return Ok(out);
    }
    if let Some(test) = data.test() {
        let crossing = sets().filter(|s| s.iter().any(|o| test[o.1]) && s.iter().any(|o| !test[o.1]));
        let mut tested: Vec<usize> = crossing.flatten().map(|o| o.1).filter(|&i| test[i]).collect();
        tested.sort_unstable();
        let of = test.iter().filter(|t| **t).count();
        if tested.len() >= 2 && tested.len() as f64 >= 0.005 * of as f64 {
            let message = format!(
                "{} of {} test objects ({}) are exact copies of training objects",
                tested.len(),
                of,
                percent(tested.len() as f64 / of.max(1) as f64)
            );
            let advice = "their scores measure memorisation: remove them from one of the two sets";
            out.push(
                Finding::new("W_SPLIT_COPIES", Severity::High, message, advice)
                    .evidence("copies", tested.len() as f64)
                    .evidence("test_objects", of as f64)
                    .objects(tested),
            );
        }
    }
    let copies: usize = sets().map(<[_]>::len).sum();
    let (share, least) = if expected < 0.1 { SOME } else { MANY };
    if copies < least || (copies as f64) < share * n as f64 {
        return Ok(out);
    }
    let conflicting = || sets().filter(|s| s.iter().any(|o| target(o.1) != target(s[0].1)));
    let conflicts: usize = conflicting().map(<[_]>::len).sum();
    let but = match data.target() {
        Some(_) if conflicts > 0 => format!(", {conflicts} of them with different targets"),
        _ => String::new(),
    };
    let names = data.columns().iter().enumerate().filter(|(at, _)| named.contains(at));
    let names: Vec<String> = names.map(|(_, column)| format!("'{}'", column.name)).take(3).collect();
    let apart = match names.is_empty() {
        true => "an exact copy among the others".to_owned(),
        false => format!("a copy among the others, exact but for {}", names.join(", ")),
    };
    let message = format!("{copies} of {n} objects have {apart}{but}");
    let advice = "with one in the training set and one in the test set, scores measure memorisation: remove copies, or \
                  keep them together by a column of groups (`group`)";
    let mut listed: Vec<usize> = sets().flatten().map(|o| o.1).collect();
    listed.sort_unstable();
    out.push(
        Finding::new("W_TWINS", Severity::Medium, message, advice)
            .evidence("copies", copies as f64)
            .evidence("conflicting", conflicts as f64)
            .evidence("expected_pairs", expected)
            .objects(listed),
    );
    Ok(out)
}

/// Whether records of these columns coincide naturally: every column has a few values only.
pub(super) fn is_coarse(data: &Dataset, view: &View, named: &[usize]) -> bool {
    let fine = |(at, column): (usize, &Column)| match &column.values {
        Values::Categories(_) => false,
        Values::Numbers(x) if x.cols() == 1 => {
            let distinct = |f: &Feature| f.codes().1;
            view.of_column(at).map(distinct).max().unwrap_or(0) > 30
        }
        _ => true,
    };
    !data.columns().iter().enumerate().filter(|(at, _)| !named.contains(at)).any(fine)
}

fn fingerprints(data: &Dataset, named: &[usize]) -> Result<Vec<u128>> {
    if named.is_empty() {
        return Ok(data.object_fingerprints());
    }
    let kept =
        data.columns().iter().enumerate().filter(|(at, _)| !named.contains(at)).map(|(_, c)| c.clone());
    Ok(Dataset::new(kept.collect())?.object_fingerprints())
}

/// The chance that two objects agree in all columns, if columns were independent; 0 for structured objects and vectors,
/// which never agree by chance.
fn coincidences(data: &Dataset, view: &View, named: &[usize]) -> f64 {
    let mut chance = 1.0;
    for (at, column) in data.columns().iter().enumerate().filter(|(at, _)| !named.contains(at)) {
        let simple = matches!(&column.values, Values::Categories(_)) || column.values.width() == 1;
        let Some(feature) = view.of_column(at).find(|f| f.whole).filter(|_| simple) else { return 0.0 };
        chance *= agreement(feature);
        if chance < 1e-12 {
            return 0.0;
        }
    }
    chance
}

/// The share of pairs of objects that agree in a feature.
fn agreement(feature: &Feature) -> f64 {
    let (codes, levels) = feature.codes();
    let mut counts = vec![0usize; levels + 1];
    codes.iter().for_each(|&c| counts[if c == Categories::MISSING { levels } else { c as usize }] += 1);
    let pairs = |n: usize| n as f64 * (n as f64 - 1.0);
    counts.iter().map(|&c| pairs(c)).sum::<f64>() / pairs(codes.len().max(2))
}

/// Groups with members in the training set and in the test set.
pub(super) fn groups(data: &Dataset) -> Option<Finding> {
    let (groups, test) = (data.groups()?, data.test()?);
    let mut met = vec![[false; 2]; groups.levels().len()];
    (0..data.len())
        .filter_map(|i| Some((groups.code(i)?, test[i])))
        .for_each(|(code, tested)| met[code as usize][usize::from(tested)] = true);
    let separated = met.iter().filter(|m| **m == [true, true]).count();
    if separated == 0 {
        return None;
    }
    let name = data.group_name().unwrap_or("groups");
    let verb = if separated == 1 { "has" } else { "have" };
    let message = format!(
        "{} of '{name}' {verb} members in the training set and in the test set",
        counted(separated, "group")
    );
    let advice = "scores may be too optimistic: put each group into one of the two sets";
    let straddling = |i: &usize| groups.code(*i).is_some_and(|c| met[c as usize] == [true, true]) && test[*i];
    Some(
        Finding::new("W_GROUPS", Severity::High, message, advice)
            .columns([name.to_owned()])
            .objects((0..data.len()).filter(straddling))
            .evidence("groups", separated as f64),
    )
}
