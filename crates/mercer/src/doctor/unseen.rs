//! Categories of the test set that the training set lacks.

use super::{Finding, Severity};
use crate::data::{Dataset, Values};
use crate::model::Unseen;

/// The share of a test set from which on such values make its scores those of other data.
const MANY: f64 = 0.05;

pub(super) fn of(data: &Dataset) -> Vec<Finding> {
    let Some(test) = data.test() else { return Vec::new() };
    let training = test.iter().filter(|tested| !**tested).count();
    let found = data.columns().iter().filter_map(|column| {
        let Values::Categories(c) = &column.values else { return None };
        let mut there = vec![false; c.levels().len()];
        (0..c.len())
            .filter(|&i| !test[i])
            .filter_map(|i| c.code(i))
            .for_each(|code| there[code as usize] = true);
        let levels = c.levels().iter().zip(&there).filter(|(_, there)| **there);
        let known: Vec<&str> = levels.map(|(level, _)| level.as_str()).collect();
        let tested = (0..c.len()).filter(|&i| test[i]);
        let unseen = Unseen::of(&known, training, tested.map(|i| c.get(i)))?;
        let share = unseen.objects as f64 / unseen.of.max(1) as f64;
        let message = unseen.sentence(&column.name, "of the test set are not in the training set");
        let advice = "check how they are written: no training object tells what they mean";
        let severity = if share >= MANY { Severity::High } else { Severity::Low };
        let objects =
            (0..c.len()).filter(|&i| test[i] && c.code(i).is_some_and(|code| !there[code as usize]));
        Some(
            Finding::new("W_UNSEEN", severity, message, advice)
                .columns([column.name.clone()])
                .objects(objects)
                .evidence("objects", unseen.objects as f64)
                .evidence("of", unseen.of as f64),
        )
    });
    found.collect()
}
