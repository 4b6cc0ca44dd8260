//! Categories of new objects that no training object has.

use super::Model;
use crate::data::{Categories, Dataset, Values};
use crate::error::{Warning, shown};

/// Values that are named in a message, at most.
const NAMED: usize = 3;

/// Values of a column that the training set lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unseen {
    /// How many objects have such a value.
    pub(crate) objects: usize,
    /// How many objects have any value.
    pub(crate) of: usize,
    /// The most frequent of these values, at most three.
    pub(crate) values: Vec<String>,
    /// How many distinct ones there are.
    pub(crate) distinct: usize,
    /// Some values of the training set.
    known: Vec<String>,
}

impl Unseen {
    /// The values that are not among `known`, of which `training` objects have one; none if all are.
    ///
    /// A column in which more than half of the training objects have a value of their own holds names: new objects are
    /// expected to have others, and nothing is said.
    pub(crate) fn of<'a>(
        known: &[&str],
        training: usize,
        found: impl Iterator<Item = Option<&'a str>>,
    ) -> Option<Self> {
        if 2 * known.len() > training {
            return None;
        }
        let found = Categories::from_values(found);
        let mut counts = vec![0usize; found.levels().len()];
        (0..found.len()).filter_map(|i| found.code(i)).for_each(|code| counts[code as usize] += 1);
        let is_known: std::collections::HashSet<&str> = known.iter().copied().collect();
        let levels = found.levels().iter().zip(&counts);
        let mut unseen: Vec<(&String, usize)> =
            levels.filter(|(level, _)| !is_known.contains(level.as_str())).map(|(l, c)| (l, *c)).collect();
        unseen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        (!unseen.is_empty()).then(|| Unseen {
            objects: unseen.iter().map(|(_, count)| count).sum(),
            of: counts.iter().sum(),
            values: unseen.iter().take(NAMED).map(|(level, _)| (*level).clone()).collect(),
            distinct: unseen.len(),
            known: known.iter().take(NAMED).map(|&level| level.to_owned()).collect(),
        })
    }

    /// The values in a sentence: `191 of 191 values … ('MALE', 'FEMALE'); known are 'male', 'female'`.
    pub(crate) fn sentence(&self, column: &str, which: &str) -> String {
        let quoted = |values: &[String]| values.iter().map(|v| shown(v)).collect::<Vec<_>>().join(", ");
        let more = if self.distinct > self.values.len() { ", …" } else { "" };
        format!(
            "column '{column}': {} of {} values {which} ({}{more}); known are {}{}",
            self.objects,
            self.of,
            quoted(&self.values),
            quoted(&self.known),
            if self.known.len() == NAMED { ", …" } else { "" }
        )
    }
}

impl Model {
    /// A warning (`W_UNSEEN`) for each column of categories in which some of these objects have a value that no training
    /// object has: how many, and which. The model predicts such objects all the same, as the kernel defines.
    ///
    /// ```
    /// use mercer::{data::{Categories, Column, Dataset, Target, Values}, gram::Engine, model::Model};
    /// let sex = |values: [&str; 6]| {
    ///     Dataset::new(vec![Column::new("sex", Values::Categories(Categories::from_values(values.map(Some))))])
    /// };
    /// let data = sex(["male", "female", "male", "female", "male", "female"])?;
    /// let classes = Categories::from_values(["no", "yes", "no", "yes", "no", "yes"].map(Some));
    /// let data = data.with_target("survived", Target::Classes(classes))?;
    /// let model = Model::fit(&data, &"hamming".parse()?, &"svc".parse()?, 0, &Engine::new())?;
    /// assert!(model.unseen(&data).is_empty());
    /// let warnings = model.unseen(&sex(["MALE", "female", "male", "MALE", "male", "male"])?);
    /// assert!(warnings[0].to_string().starts_with("W_UNSEEN column 'sex': 2 of 6 values were not seen in training ('MALE')"));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn unseen(&self, data: &Dataset) -> Vec<Warning> {
        let training = self.objects().unwrap_or(usize::MAX);
        let found = self.stored_objects().columns().iter().filter_map(|column| {
            let Values::Categories(known) = &column.values else { return None };
            let known: Vec<&str> = known.levels().iter().map(String::as_str).collect();
            let unseen = match &data.column(&column.name).ok()?.values {
                Values::Categories(c) => Unseen::of(&known, training, (0..c.len()).map(|i| c.get(i))),
                Values::Strings(v) | Values::Text(v) => {
                    Unseen::of(&known, training, v.iter().map(Option::as_deref))
                }
                _ => None,
            }?;
            let text = unseen.sentence(&column.name, "were not seen in training");
            Some(Warning::new("W_UNSEEN", format!("{text}: check how they are written")))
        });
        found.collect()
    }
}
