//! What splitting uses of the objects.

use std::collections::HashMap;

use crate::data::{Categories, Dataset, Target};
use crate::error::{Error, Result};

/// The number of objects, with their classes, groups, times and predefined training and test sets where known.
///
/// ```
/// use mercer::select::Objects;
/// let objects = Objects::new(4).with_classes(&[0, 1, 0, 1])?.with_groups(&[7, 7, 8, 9])?;
/// assert_eq!(objects.len(), 4);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Objects {
    len: usize,
    classes: Option<Labels>,
    groups: Option<Labels>,
    test: Option<Vec<bool>>,
    times: Option<Vec<f64>>,
}

/// A label per object, as consecutive codes, and the name of each code.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Labels {
    /// The code of each object.
    pub(super) codes: Vec<u32>,
    /// The name of each code in messages.
    pub(super) names: Vec<String>,
}

impl Labels {
    /// Consecutive codes, in ascending order of the labels, and the names of the labels that occur: a label that no
    /// object has would be an empty stratum.
    fn new(labels: &[usize], name: impl Fn(usize) -> String) -> Self {
        let mut distinct = labels.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let place: HashMap<usize, u32> = distinct.iter().zip(0..).map(|(&label, at)| (label, at)).collect();
        Labels {
            codes: labels.iter().map(|label| place[label]).collect(),
            names: distinct.into_iter().map(name).collect(),
        }
    }

    fn of_categories(values: &Categories, column: &str) -> Result<Self> {
        let missing = |index| Error::Missing { index, column: column.to_owned() };
        let codes: Vec<usize> = (0..values.len())
            .map(|i| values.code(i).map(|code| code as usize).ok_or_else(|| missing(i)))
            .collect::<Result<_>>()?;
        Ok(Labels::new(&codes, |code| values.levels()[code].clone()))
    }

    fn select(&self, rows: &[usize]) -> Self {
        let chosen: Vec<usize> = rows.iter().map(|&i| self.codes[i] as usize).collect();
        Labels::new(&chosen, |code| self.names[code].clone())
    }

    /// The number of objects with each code.
    pub(super) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.names.len()];
        self.codes.iter().for_each(|&code| counts[code as usize] += 1);
        counts
    }
}

impl Objects {
    /// Objects without classes, groups or predefined sets.
    pub fn new(len: usize) -> Self {
        Objects { len, classes: None, groups: None, test: None, times: None }
    }

    /// The objects of a data set, with their classes, groups and predefined sets where it has them. An object without
    /// class or group is an error.
    pub fn of(data: &Dataset) -> Result<Self> {
        let mut objects = Objects::new(data.len());
        if let Some(Target::Classes(classes)) = data.target() {
            let labels = Labels::of_categories(classes, data.target_name().unwrap_or("target"))?;
            objects.classes = Some(labels);
        }
        if let Some(groups) = data.groups() {
            objects.groups = Some(Labels::of_categories(groups, data.group_name().unwrap_or("groups"))?);
        }
        objects.test = data.test().map(<[bool]>::to_vec);
        objects.times = data.times().map(<[f64]>::to_vec);
        Ok(objects)
    }

    /// The same objects with a class each, for stratification.
    pub fn with_classes(mut self, classes: &[usize]) -> Result<Self> {
        self.fits("classes", classes.len())?;
        self.classes = Some(Labels::new(classes, |code| code.to_string()));
        Ok(self)
    }

    /// The same objects with a group each, such as the person, the plant or the batch.
    pub fn with_groups(mut self, groups: &[usize]) -> Result<Self> {
        self.fits("groups", groups.len())?;
        self.groups = Some(Labels::new(groups, |code| code.to_string()));
        Ok(self)
    }

    /// The same objects, with flags for those in the test set supplied with the data.
    pub fn with_test(mut self, test: &[bool]) -> Result<Self> {
        self.fits("test flags", test.len())?;
        self.test = Some(test.to_vec());
        Ok(self)
    }

    /// The same objects with a time each; only the order of times counts.
    pub fn with_times(mut self, times: &[f64]) -> Result<Self> {
        self.fits("times", times.len())?;
        if let Some(index) = times.iter().position(|t| !t.is_finite()) {
            return Err(Error::Missing { index, column: "times".into() });
        }
        self.times = Some(times.to_vec());
        Ok(self)
    }

    fn fits(&self, what: &str, len: usize) -> Result<()> {
        if len == self.len {
            return Ok(());
        }
        Err(Error::Shape { expected: format!("{} {what}", self.len), found: len.to_string() })
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the group of each object is known.
    pub fn has_groups(&self) -> bool {
        self.groups.is_some()
    }

    /// The number of groups, if they are known.
    pub fn group_count(&self) -> Option<usize> {
        self.groups.as_ref().map(|g| g.names.len())
    }

    /// The same objects without groups.
    #[must_use]
    pub fn without_groups(mut self) -> Self {
        self.groups = None;
        self
    }

    pub(super) fn classes(&self) -> Option<&Labels> {
        self.classes.as_ref()
    }

    pub(super) fn groups(&self) -> Result<&Labels> {
        self.groups.as_ref().ok_or_else(|| {
            Error::usage(
                "this protocol splits by groups, and the data has none: name the column that holds them",
            )
        })
    }

    pub(super) fn times(&self) -> Option<&[f64]> {
        self.times.as_deref()
    }

    pub(super) fn test(&self) -> Result<&[bool]> {
        self.test.as_deref().ok_or_else(|| {
            Error::usage(
                "train-test needs data with a predefined training and test set, and this data has none",
            )
        })
    }

    /// The selected objects, each once and in range. The predefined training and test sets are dropped.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        Objects {
            len: rows.len(),
            classes: self.classes.as_ref().map(|c| c.select(rows)),
            groups: self.groups.as_ref().map(|g| g.select(rows)),
            test: None,
            times: self.times.as_ref().map(|t| rows.iter().map(|&i| t[i]).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;

    #[test]
    fn names_survive_selection() {
        let names = ["b", "a", "b", "c"].map(Some);
        let data = Dataset::of_vectors(Dense::zeros(4, 1))
            .with_target("y", Target::Classes(Categories::from_values(names)))
            .unwrap();
        let objects = Objects::of(&data).unwrap();
        assert_eq!(objects.classes().unwrap().names, ["b", "a", "c"]);
        let some = objects.select(&[3, 1]);
        assert_eq!(some.classes().unwrap().names, ["a", "c"]);
        assert_eq!(some.classes().unwrap().codes, [1, 0]);
    }

    #[test]
    fn lengths_and_missing_values() {
        assert!(Objects::new(2).with_classes(&[0]).is_err());
        assert!(Objects::new(2).with_groups(&[0; 3]).is_err());
        assert!(Objects::new(2).with_test(&[true]).is_err());
        let data = Dataset::of_vectors(Dense::zeros(2, 1))
            .with_groups("person", Categories::from_values([Some("x"), None]))
            .unwrap();
        assert!(matches!(Objects::of(&data), Err(Error::Missing { index: 1, .. })));
    }
}
