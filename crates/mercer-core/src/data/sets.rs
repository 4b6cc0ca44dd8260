//! Training sets and test sets of a data set, and the objects of two data sets in one.

use super::{Categories, Column, Dataset, Dense, Nodes, Sparse, Target, Times, Values};
use crate::error::{Error, Result};

impl Dataset {
    /// The objects of the training set, or all of them where no test set is given.
    ///
    /// Categories and classes that occur in the test set alone are gone: nothing that is computed from a training set
    /// depends on the objects of the test set.
    ///
    /// ```
    /// use mercer_core::data::{Dataset, Dense};
    /// let data = Dataset::of_vectors(Dense::from_rows(&[[1.0], [2.0], [3.0]])).with_test(vec![false, true, false])?;
    /// assert_eq!((data.training_set().len(), data.test_set().unwrap().len()), (2, 1));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn training_set(&self) -> Dataset {
        match self.part(false) {
            Some(part) => part.alone(),
            None => self.clone(),
        }
    }

    /// The objects of the test set, if one is given.
    pub fn test_set(&self) -> Option<Dataset> {
        self.part(true)
    }

    fn part(&self, wanted: bool) -> Option<Dataset> {
        let test = self.test()?;
        let rows: Vec<usize> = (0..self.len()).filter(|&i| test[i] == wanted).collect();
        // Warnings are about the whole file.
        Some(self.select(&rows).without_test())
    }

    /// The same objects, with levels of categories and classes that occur among them only.
    fn alone(self) -> Dataset {
        let mut out = self;
        out.change_categories(Categories::alone);
        out
    }

    /// The same objects with levels of categories and classes in the order in which they occur in the training set.
    ///
    /// Levels are numbered as they occur in a file: objects of the test set would otherwise decide which class is the
    /// first.
    #[must_use]
    pub fn led_by_training(mut self) -> Self {
        let Some(test) = self.test() else { return self };
        let rows: Vec<usize> = (0..self.len()).filter(|&i| !test[i]).collect();
        self.change_categories(|c| c.led_by(&rows));
        self
    }

    /// The objects of this data set as the training set, and those of another as the test set.
    ///
    /// The other must have the same columns, in the same order and of the same kinds, and a target of the same kind.
    /// Unseen categories and classes are added behind the known ones. Groups, times and weights need to be known for both;
    /// ids of objects without one are their numbers in their own set. Fails for similarities, which are between the
    /// objects of one set.
    pub fn with_test_set(&self, test: &Dataset) -> Result<Dataset> {
        let columns = self.columns().iter().map(|own| {
            let found = test.column(&own.name)?;
            Ok(Column::new(&own.name, followed(&own.values, &found.values, &own.name)?))
        });
        let mut out = Dataset::new(columns.collect::<Result<_>>()?)?;
        if let (Some(name), Some(own)) = (self.target_name(), self.target()) {
            let target = match (own, test.target()) {
                (Target::Classes(a), Some(Target::Classes(b))) => Target::Classes(a.followed_by(b)),
                (Target::Numbers(a), Some(Target::Numbers(b))) => Target::Numbers([&a[..], b].concat()),
                (_, None) => return Err(Error::usage(format!("the test set has no target '{name}'"))),
                _ => {
                    return Err(Error::usage(format!(
                        "target '{name}' holds classes in one set and numbers in the other"
                    )));
                }
            };
            out = out.with_target(name, target)?;
        }
        if let (Some(name), Some(own)) = (self.group_name(), self.groups()) {
            let theirs = test.groups().ok_or_else(|| lacks("groups", name))?;
            out = out.with_groups(name, own.followed_by(theirs))?;
        }
        if let (Some(name), Some(own)) = (self.time_name(), self.times()) {
            let theirs = test.times().ok_or_else(|| lacks("times", name))?;
            out = out.with_times(name, [own, theirs].concat())?;
        }
        if let Some(own) = self.weights() {
            // Weights count in training only.
            let theirs = test.weights().map_or_else(|| vec![1.0; test.len()], <[f64]>::to_vec);
            out = out.with_weights([own, &theirs[..]].concat())?;
        }
        if self.ids().is_some() || test.ids().is_some() {
            let ids = |of: &Dataset| match of.ids() {
                Some(ids) => ids.to_vec(),
                None => (1..=of.len()).map(|i| i.to_string()).collect(),
            };
            out = out.with_ids([ids(self), ids(test)].concat())?;
        }
        let flags = std::iter::repeat_n(false, self.len()).chain(std::iter::repeat_n(true, test.len()));
        let warnings = self.warnings().iter().chain(test.warnings()).cloned().collect();
        let unlabelled = self.unlabelled().cloned();
        let forms = self.forms().map(|(name, form)| (name.to_owned(), form)).collect();
        let out = out.with_forms(forms);
        // Both sets together may describe all nodes of a graph.
        let out = out.with_node_attributes()?;
        Ok(out.with_test(flags.collect())?.with_warnings(warnings).with_unlabelled(unlabelled))
    }

    /// The objects that have a value in each of these columns, and the number of the others.
    ///
    /// ```
    /// use mercer_core::data::{Column, Dataset, Dense, Values};
    /// let numbers = |values: Vec<f64>| Values::Numbers(Dense::new(2, 1, values).unwrap());
    /// let data = Dataset::new(vec![
    ///     Column::new("a", numbers(vec![1.0, 2.0])),
    ///     Column::new("b", numbers(vec![f64::NAN, 2.0])),
    /// ])?;
    /// assert_eq!(data.without_missing(&["a".into()]).1, 0);
    /// assert_eq!(data.without_missing(&["b".into()]).0.len(), 1);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn without_missing(&self, columns: &[String]) -> (Dataset, usize) {
        let looked_at: Vec<&Column> = columns.iter().filter_map(|name| self.column(name).ok()).collect();
        let whole = |i: &usize| looked_at.iter().all(|c| !c.values.is_missing(*i));
        let rows: Vec<usize> = (0..self.len()).filter(whole).collect();
        if rows.len() == self.len() {
            return (self.clone(), 0);
        }
        let unlabelled = self.unlabelled().map(|u| u.without_missing(columns).0);
        let data = self.keep(&rows).with_warnings(self.warnings().to_vec()).with_unlabelled(unlabelled);
        (data, self.len() - rows.len())
    }

    /// The objects whose target is known, with the others as [`Dataset::unlabelled`].
    #[must_use]
    pub fn set_aside_unlabelled(self) -> Self {
        let known = |i: &usize| match self.target() {
            Some(Target::Classes(c)) => c.code(*i).is_some(),
            Some(Target::Numbers(v)) => !v[*i].is_nan(),
            None => true,
        };
        if (0..self.len()).all(|i| known(&i)) {
            return self;
        }
        let (rows, others): (Vec<usize>, Vec<usize>) = (0..self.len()).partition(known);
        let mut unlabelled = self.keep(&others);
        unlabelled.remove_target();
        let mut out = self.keep(&rows).with_warnings(self.warnings().to_vec());
        // A class column that had gaps has none any more.
        out.change_target(Categories::alone);
        out.with_unlabelled(Some(unlabelled.without_test()))
    }
}

fn lacks(what: &str, name: &str) -> Error {
    Error::Column {
        name: name.to_owned(),
        reason: format!("the test set has no {what}"),
        hint: Some("both sets need the column".into()),
    }
}

/// The values of two columns of one kind, one after the other.
fn followed(own: &Values, other: &Values, name: &str) -> Result<Values> {
    fn both<T: Clone>(a: &[T], b: &[T]) -> Vec<T> {
        a.iter().chain(b).cloned().collect()
    }
    Ok(match (own, other) {
        (Values::Numbers(a), Values::Numbers(b)) => {
            if a.cols() != b.cols() {
                return Err(Error::Dimension { expected: a.cols(), found: b.cols() });
            }
            Values::Numbers(Dense::new(a.rows() + b.rows(), a.cols(), both(a.values(), b.values()))?)
        }
        (Values::Sparse(a), Values::Sparse(b)) => Values::Sparse(sparse(a, b)?),
        (Values::Categories(a), Values::Categories(b)) => Values::Categories(a.followed_by(b)),
        (Values::Times(a), Values::Times(b)) => Values::Times(Times::new(both(a.seconds(), b.seconds()))),
        (Values::Strings(a), Values::Strings(b)) => Values::Strings(both(a, b)),
        (Values::Text(a), Values::Text(b)) => Values::Text(both(a, b)),
        (Values::Series(a), Values::Series(b)) => Values::Series(both(a, b)),
        (Values::Graphs(a), Values::Graphs(b)) => Values::Graphs(both(a, b)),
        (Values::Molecules(a), Values::Molecules(b)) => Values::Molecules(both(a, b)),
        (Values::Images(a), Values::Images(b)) => Values::Images(both(a, b)),
        (Values::Nodes(a), Values::Nodes(b)) if a.network().identity() == b.network().identity() => {
            Values::Nodes(Nodes::new(a.network().clone(), both(a.chosen(), b.chosen()))?)
        }
        (Values::Nodes(_), Values::Nodes(_)) => {
            return Err(Error::Column {
                name: name.to_owned(),
                reason: "the nodes of the test set belong to another graph".into(),
                hint: Some("nodes for training and for testing are nodes of one graph".into()),
            });
        }
        (Values::Precomputed(_), _) => {
            return Err(Error::Column {
                name: name.to_owned(),
                reason: "similarities are between the objects of one file".into(),
                hint: Some(
                    "give one square matrix, with a column that says which objects are for testing".into(),
                ),
            });
        }
        (own, other) => {
            return Err(Error::Column {
                name: name.to_owned(),
                reason: format!(
                    "holds {} in the test set and {} in the training set",
                    other.kind(),
                    own.kind()
                ),
                hint: None,
            });
        }
    })
}

/// Sparse rows of two sets. The second may have fewer features than the first, not more: a training set fixes them.
fn sparse(a: &Sparse, b: &Sparse) -> Result<Sparse> {
    let mut offsets = vec![0];
    let stored = a.stored() + b.stored();
    let (mut indices, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
    let b = b.clone().with_dim(a.dim())?;
    for (set, i) in (0..a.rows()).map(|i| (a, i)).chain((0..b.rows()).map(|i| (&b, i))) {
        let (features, numbers) = set.row(i);
        indices.extend_from_slice(features);
        values.extend_from_slice(numbers);
        offsets.push(indices.len());
    }
    Sparse::new(a.dim(), offsets, indices, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(of: &[Option<&str>]) -> Categories {
        Categories::from_values(of.iter().copied())
    }

    fn set(x: &[f64], colours: &[Option<&str>], classes: &[Option<&str>]) -> Dataset {
        let numbers = Values::Numbers(Dense::new(x.len(), 1, x.to_vec()).unwrap());
        let columns = vec![Column::new("x", numbers), Column::new("c", Values::Categories(names(colours)))];
        Dataset::new(columns).unwrap().with_target("y", Target::Classes(names(classes))).unwrap()
    }

    #[test]
    fn a_training_set_knows_nothing_of_the_test_set() {
        let colours = [Some("red"), Some("blue"), None, Some("green")];
        let whole = set(&[1.0, 2.0, 3.0, 4.0], &colours, &["p", "q", "r", "q"].map(Some));
        let data = whole.with_test(vec![true, false, true, false]).unwrap().led_by_training();
        let training = data.training_set();
        assert_eq!(training, set(&[2.0, 4.0], &["blue", "green"].map(Some), &["q", "q"].map(Some)));
        let Values::Categories(c) = &training.column("c").unwrap().values else { panic!("categories") };
        assert!(!c.has_gaps() && c.levels() == ["blue", "green"]);
        let test = data.test_set().unwrap();
        assert_eq!((test.len(), test.test()), (2, None));
        let Some(Target::Classes(classes)) = test.target() else { panic!("classes") };
        assert_eq!((classes.get(0), classes.get(1)), (Some("p"), Some("r")));
        assert_eq!(classes.levels(), ["q", "p", "r"]);
    }

    #[test]
    fn two_sets_in_one_and_apart_again() {
        let training = set(&[1.0, 2.0], &["red", "blue"].map(Some), &["p", "q"].map(Some));
        let test = set(&[3.0, 4.0, 5.0], &[Some("blue"), Some("pink"), None], &["q", "z", "p"].map(Some));
        let both = training.with_test_set(&test).unwrap();
        assert_eq!(both.test().unwrap(), [false, false, true, true, true]);
        assert_eq!(both.training_set(), training);
        let again = both.test_set().unwrap();
        let classes = |d: &Dataset| match d.target() {
            Some(Target::Classes(c)) => (0..c.len()).map(|i| c.get(i).unwrap().to_owned()).collect(),
            _ => Vec::new(),
        };
        assert_eq!(classes(&again), ["q", "z", "p"]);
        let unlike = Dataset::new(vec![Column::new("x", Values::Text(vec![None]))]).unwrap();
        assert!(training.with_test_set(&unlike).is_err());
        let numbers = test.clone().with_target("y", Target::Numbers(vec![0.0; 3])).unwrap();
        assert!(training.with_test_set(&numbers).is_err());
        let given = training.clone().with_groups("g", names(&[Some("a"), Some("b")])).unwrap();
        assert!(given.with_test_set(&test).unwrap_err().to_string().contains("no groups"));
    }

    #[test]
    fn objects_without_a_target_are_set_aside() {
        let data = set(&[1.0, 2.0, 3.0], &["a", "b", "c"].map(Some), &[Some("p"), None, Some("q")]);
        let data = data.set_aside_unlabelled();
        assert_eq!((data.len(), data.unlabelled().unwrap().len()), (2, 1));
        assert!(data.unlabelled().unwrap().target().is_none());
        assert!(data.select(&[0]).unlabelled().is_none());
        let numbers =
            data.with_target("y", Target::Numbers(vec![1.5, f64::NAN])).unwrap().set_aside_unlabelled();
        assert_eq!((numbers.len(), numbers.unlabelled().unwrap().len()), (1, 1));
    }
}
