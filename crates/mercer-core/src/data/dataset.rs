//! The data set: typed columns over the same objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::form::Forms;
use super::{Categories, CellForm, Column, Dense, Sparse, Values, Vectors};
use crate::error::{Error, Result, Warning, nearest};

/// The target of prediction.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// One class per object.
    Classes(Categories),
    /// One number per object.
    Numbers(Vec<f64>),
}

impl Target {
    /// The number of objects.
    pub fn len(&self) -> usize {
        match self {
            Target::Classes(c) => c.len(),
            Target::Numbers(v) => v.len(),
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chosen objects, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        match self {
            Target::Classes(c) => Target::Classes(c.select(rows)),
            Target::Numbers(v) => Target::Numbers(rows.iter().map(|&i| v[i]).collect()),
        }
    }
}

/// Objects described by typed columns, with optional target, groups, ids and weights.
///
/// ```
/// use mercer_core::data::{Column, Dataset, Dense, Values};
/// let numbers = Values::Numbers(Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1]]));
/// let data = Dataset::new(vec![Column::new("x", numbers)])?;
/// assert_eq!(data.len(), 2);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Dataset {
    len: usize,
    columns: Vec<Column>,
    order: Order,
    target: Option<(String, Target)>,
    groups: Option<Box<(String, Categories)>>,
    ids: Option<Vec<String>>,
    weights: Option<Box<[f64]>>,
    test: Option<Box<[bool]>>,
    times: Option<Box<(String, Vec<f64>)>>,
    unlabelled: Option<Box<Dataset>>,
    forms: Forms,
    rows: Rows,
    warnings: Vec<Warning>,
}

/// The places of objects in a file of which some were left out. Two data sets are equal wherever their objects were.
#[derive(Clone, Debug, Default)]
struct Rows(Option<Box<[usize]>>);

impl PartialEq for Rows {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Dataset {
    /// A data set from its columns, which must have equal lengths and different names.
    pub fn new(columns: Vec<Column>) -> Result<Self> {
        let len = columns.first().map_or(0, |c| c.values.len());
        let order = Order::of(&columns);
        let first_duplicate = order.first_duplicate(&columns);
        for (j, column) in columns.iter().enumerate() {
            if column.values.len() != len {
                return Err(Error::Column {
                    name: column.name.clone(),
                    reason: format!("{} values where the first column has {len}", column.values.len()),
                    hint: None,
                });
            }
            if first_duplicate == Some(j) {
                return Err(Error::Column {
                    name: column.name.clone(),
                    reason: "occurs twice".into(),
                    hint: None,
                });
            }
        }
        Ok(Dataset { len, columns, order, ..Dataset::default() })
    }

    /// A data set of vectors only, in one column named `x`.
    pub fn of_vectors(vectors: impl Into<Vectors>) -> Self {
        let values = match vectors.into() {
            Vectors::Dense(x) => Values::Numbers(x),
            Vectors::Sparse(x) => Values::Sparse(x),
        };
        Dataset { len: values.len(), columns: vec![Column::new("x", values)], ..Dataset::default() }
    }

    /// Adds a target with this name.
    pub fn with_target(mut self, name: impl Into<String>, target: Target) -> Result<Self> {
        self.fits("the target", target.len())?;
        self.target = Some((name.into(), target));
        Ok(self)
    }

    /// Adds the group (person, plant, batch) that each object belongs to.
    pub fn with_groups(mut self, name: impl Into<String>, groups: Categories) -> Result<Self> {
        self.fits("the groups", groups.len())?;
        self.groups = Some(Box::new((name.into(), groups)));
        Ok(self)
    }

    /// Adds a name for each object.
    pub fn with_ids(mut self, ids: Vec<String>) -> Result<Self> {
        self.fits("the ids", ids.len())?;
        self.ids = Some(ids);
        Ok(self)
    }

    /// Removes the names of objects.
    #[doc(hidden)]
    pub fn without_ids(self) -> Self {
        Dataset { ids: None, ..self }
    }

    /// Adds a non-negative weight for each object.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        self.fits("the weights", weights.len())?;
        if let Some(bad) = weights.iter().find(|w| !w.is_finite() || **w < 0.0) {
            return Err(Error::param("weight", bad, "finite and at least 0"));
        }
        self.weights = Some(weights.into());
        Ok(self)
    }

    /// Adds a predefined split: whether each object belongs to the test set. See [`Dataset::training_set`].
    pub fn with_test(mut self, test: Vec<bool>) -> Result<Self> {
        self.fits("the train/test split", test.len())?;
        self.test = Some(test.into());
        Ok(self)
    }

    /// Adds the time of each object, for splits that keep the order of time. Times are finite; only their order counts.
    pub fn with_times(mut self, name: impl Into<String>, times: Vec<f64>) -> Result<Self> {
        self.fits("the times", times.len())?;
        if let Some(index) = times.iter().position(|t| !t.is_finite()) {
            return Err(Error::Missing { index, column: name.into() });
        }
        self.times = Some(Box::new((name.into(), times)));
        Ok(self)
    }

    /// Attaches objects of the same file that have no target and were set aside: see [`Dataset::unlabelled`].
    #[must_use]
    pub fn with_unlabelled(mut self, objects: Option<Dataset>) -> Self {
        self.unlabelled = objects.filter(|o| !o.is_empty()).map(Box::new);
        self
    }

    /// Adds how the columns of the file were written, where that is not plain: see [`Dataset::forms`].
    #[must_use]
    pub fn with_forms(mut self, forms: BTreeMap<String, CellForm>) -> Self {
        self.forms = Forms((!forms.is_empty()).then(|| Arc::new(forms)));
        self
    }

    /// Adds warnings from the reader.
    #[must_use]
    pub fn with_warnings(mut self, warnings: Vec<Warning>) -> Self {
        self.warnings = warnings;
        self
    }

    fn fits(&mut self, what: &str, len: usize) -> Result<()> {
        if self.columns.is_empty() && self.len == 0 {
            self.len = len;
        }
        if len == self.len {
            return Ok(());
        }
        Err(Error::usage(format!("{what} has {len} values for {} objects", self.len)))
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The columns, in the order of the file.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column with this name, or an error that suggests similar names.
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.place_of(name).map(|at| &self.columns[at]).ok_or_else(|| {
            let near = nearest(name, self.columns.iter().map(|c| c.name.as_str()));
            Error::Column {
                name: name.to_owned(),
                reason: "is not in the data".into(),
                hint: Some(if near.is_empty() {
                    format!("the columns are {}", list(self.columns.iter().map(|c| c.name.as_str())))
                } else {
                    format!("did you mean {}?", near.join(" or "))
                }),
            }
        })
    }

    /// Whether there is a column with this name.
    pub fn has_column(&self, name: &str) -> bool {
        self.place_of(name).is_some()
    }

    /// The index of the column with this name.
    pub(crate) fn place_of(&self, name: &str) -> Option<usize> {
        self.order.find(&self.columns, name)
    }

    /// The target, if any.
    pub fn target(&self) -> Option<&Target> {
        self.target.as_ref().map(|(_, t)| t)
    }

    /// The name of the target column.
    pub fn target_name(&self) -> Option<&str> {
        self.target.as_ref().map(|(n, _)| n.as_str())
    }

    /// The group each object belongs to, if known.
    pub fn groups(&self) -> Option<&Categories> {
        self.groups.as_ref().map(|named| &named.1)
    }

    /// The name of the group column.
    pub fn group_name(&self) -> Option<&str> {
        self.groups.as_ref().map(|named| named.0.as_str())
    }

    /// The name of each object, if known.
    pub fn ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }

    /// The weight of each object, if given.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Whether each object belongs to the test set, if the data has a predefined split.
    pub fn test(&self) -> Option<&[bool]> {
        self.test.as_deref()
    }

    /// The time of each object, if known.
    pub fn times(&self) -> Option<&[f64]> {
        self.times.as_ref().map(|named| named.1.as_slice())
    }

    /// The name of the time column.
    pub fn time_name(&self) -> Option<&str> {
        self.times.as_ref().map(|named| named.0.as_str())
    }

    /// Objects without a target, which a reader sets aside: they are not among the objects of this data set, but a model
    /// can predict them.
    pub fn unlabelled(&self) -> Option<&Dataset> {
        self.unlabelled.as_deref()
    }

    /// How the cells of columns and of the target were written in the file, by name; plain ones are left out. New files
    /// read with [`CellForm`]s mean the same by the same text.
    pub fn forms(&self) -> impl Iterator<Item = (&str, CellForm)> {
        self.forms.0.iter().flat_map(|forms| forms.iter()).map(|(name, form)| (name.as_str(), *form))
    }

    /// Warnings from the reader.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The place of each object among those of the file, from 0, if some were left out: see [`Dataset::keep`].
    pub fn rows(&self) -> Option<&[usize]> {
        self.rows.0.as_deref()
    }

    /// The chosen objects, in the given order, which remember their places among all, while others are left out for good.
    ///
    /// ```
    /// use mercer_core::data::{Column, Dataset, Dense, Values};
    /// let data = Dataset::new(vec![Column::new("x", Values::Numbers(Dense::from_rows(&[[1.0], [2.0], [3.0]])))])?;
    /// assert_eq!(data.rows(), None);
    /// assert_eq!(data.keep(&[0, 2]).keep(&[1]).rows(), Some(&[2][..]));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    #[must_use]
    pub fn keep(&self, rows: &[usize]) -> Self {
        let mut out = self.select(rows);
        if self.rows.0.is_none() {
            out.rows = Rows(Some(rows.into()));
        }
        out
    }

    /// The chosen objects, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        Dataset {
            len: rows.len(),
            columns: self.columns.iter().map(|c| Column::new(&c.name, c.values.select(rows))).collect(),
            order: self.order.clone(),
            target: self.target.as_ref().map(|(n, t)| (n.clone(), t.select(rows))),
            groups: self.groups.as_ref().map(|named| Box::new((named.0.clone(), named.1.select(rows)))),
            ids: self.ids.as_ref().map(|ids| rows.iter().map(|&i| ids[i].clone()).collect()),
            weights: self.weights.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect()),
            test: self.test.as_ref().map(|t| rows.iter().map(|&i| t[i]).collect()),
            times: self.times.as_ref().map(|named| {
                let (name, times) = &**named;
                Box::new((name.clone(), rows.iter().map(|&i| times[i]).collect()))
            }),
            unlabelled: None,
            forms: self.forms.clone(),
            rows: Rows(self.rows.0.as_ref().map(|own| rows.iter().map(|&i| own[i]).collect())),
            warnings: Vec::new(),
        }
    }

    /// The same objects without the predefined split.
    #[must_use]
    pub fn without_test(self) -> Self {
        Dataset { test: None, ..self }
    }

    pub(super) fn remove_target(&mut self) {
        self.target = None;
    }

    /// Changes the classes of the target, if it holds classes.
    pub(super) fn change_target(&mut self, change: impl Fn(&Categories) -> Categories) {
        if let Some((_, Target::Classes(classes))) = &mut self.target {
            *classes = change(classes);
        }
    }

    /// Changes every column of categories, the classes and the groups.
    pub(super) fn change_categories(&mut self, change: impl Fn(&Categories) -> Categories) {
        for column in &mut self.columns {
            if let Values::Categories(values) = &mut column.values {
                *values = change(values);
            }
        }
        self.change_target(&change);
        if let Some(named) = &mut self.groups {
            named.1 = change(&named.1);
        }
    }

    /// The same objects with other columns, such as scaled ones. Target, groups, ids, weights and times are kept.
    pub fn with_columns(&self, columns: Vec<Column>) -> Result<Self> {
        let new = Dataset::new(columns)?;
        if !new.columns.is_empty() && new.len != self.len {
            return Err(Error::usage(format!(
                "the columns have {} values for {} objects",
                new.len, self.len
            )));
        }
        Ok(Dataset { columns: new.columns, order: new.order, ..self.clone_without_columns() })
    }

    fn clone_without_columns(&self) -> Self {
        Dataset {
            len: self.len,
            columns: Vec::new(),
            order: Order::default(),
            target: self.target.clone(),
            groups: self.groups.clone(),
            ids: self.ids.clone(),
            weights: self.weights.clone(),
            test: self.test.clone(),
            times: self.times.clone(),
            unlabelled: None,
            forms: self.forms.clone(),
            rows: self.rows.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// The named columns concatenated as vectors. Fails if a column is not numeric or a value is missing.
    pub fn vectors(&self, names: &[String]) -> Result<Vectors> {
        let columns = names.iter().map(|n| self.column(n)).collect::<Result<Vec<_>>>()?;
        for column in &columns {
            if !matches!(column.values, Values::Numbers(_) | Values::Sparse(_)) {
                return Err(Error::Column {
                    name: column.name.clone(),
                    reason: format!("holds {}, not numbers", column.values.kind()),
                    hint: None,
                });
            }
            if let Some(index) = (0..self.len).find(|&i| column.values.is_missing(i)) {
                return Err(Error::Missing { index, column: column.name.clone() });
            }
        }
        if columns.iter().any(|c| matches!(c.values, Values::Sparse(_))) {
            self.concatenate_sparse(&columns).map(Vectors::Sparse)
        } else {
            let width = columns.iter().map(|c| c.values.width()).sum();
            let mut values = Vec::with_capacity(self.len * width);
            for i in 0..self.len {
                for column in &columns {
                    if let Values::Numbers(x) = &column.values {
                        values.extend_from_slice(x.row(i));
                    }
                }
            }
            Dense::new(self.len, width, values).map(Vectors::Dense)
        }
    }

    fn concatenate_sparse(&self, columns: &[&Column]) -> Result<Sparse> {
        let dim: usize = columns.iter().map(|c| c.values.width()).sum();
        if dim as u64 > 1 << 32 {
            return Err(Error::usage(format!("{dim} features in total, above the limit of 2^32")));
        }
        let mut offsets = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for i in 0..self.len {
            let mut base = 0u32;
            for column in columns {
                match &column.values {
                    Values::Sparse(x) => {
                        let (f, v) = x.row(i);
                        indices.extend(f.iter().map(|f| f + base));
                        values.extend_from_slice(v);
                    }
                    Values::Numbers(x) => {
                        for (f, &v) in x.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0) {
                            indices.push(base + f as u32);
                            values.push(v);
                        }
                    }
                    _ => {}
                }
                // The last column may end at 2^32, which is not a valid index.
                base = base.wrapping_add(column.values.width() as u32);
            }
            offsets.push(indices.len());
        }
        Sparse::new(dim, offsets, indices, values)
    }
}

/// The columns sorted by name, for finding one among many. Few columns are searched one by one instead.
#[derive(Clone, Debug, Default)]
struct Order(Option<std::sync::Arc<[u32]>>);

/// Maximum number of columns that are searched one by one.
const FEW: usize = 16;

/// Always equal, because it follows from the names.
impl PartialEq for Order {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Order {
    fn of(columns: &[Column]) -> Self {
        if columns.len() <= FEW || u32::try_from(columns.len()).is_err() {
            return Order(None);
        }
        let mut order: Vec<u32> = (0..columns.len() as u32).collect();
        order.sort_by(|&a, &b| columns[a as usize].name.cmp(&columns[b as usize].name));
        Order(Some(order.into()))
    }

    /// The first column with the same name as an earlier one.
    fn first_duplicate(&self, columns: &[Column]) -> Option<usize> {
        let name = |&at: &u32| &columns[at as usize].name;
        match &self.0 {
            // Equal names are in the order of their columns.
            Some(order) => {
                order.windows(2).filter(|p| name(&p[0]) == name(&p[1])).map(|p| p[1] as usize).min()
            }
            None => (1..columns.len()).find(|&j| columns[..j].iter().any(|c| c.name == columns[j].name)),
        }
    }

    fn find(&self, columns: &[Column], name: &str) -> Option<usize> {
        match &self.0 {
            Some(order) => {
                let at = order.binary_search_by(|&at| columns[at as usize].name.as_str().cmp(name)).ok()?;
                Some(order[at] as usize)
            }
            None => columns.iter().position(|c| c.name == name),
        }
    }
}

/// A few names for a message, and the number of all.
#[doc(hidden)]
pub fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.into_iter().collect();
    match names.len() {
        0 => "none".into(),
        1..=8 => names.join(", "),
        n => format!("{}, … ({n} in all)", names[..6].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(name: &str, values: &[f64]) -> Column {
        Column::new(name, Values::Numbers(Dense::new(values.len(), 1, values.to_vec()).unwrap()))
    }

    #[test]
    fn columns_must_agree() {
        assert!(Dataset::new(vec![numbers("a", &[1.0]), numbers("b", &[1.0, 2.0])]).is_err());
        assert!(Dataset::new(vec![numbers("a", &[1.0]), numbers("a", &[1.0])]).is_err());
    }

    #[test]
    fn an_unknown_column_names_the_nearest() {
        let data = Dataset::new(vec![numbers("weight", &[1.0]), numbers("age", &[1.0])]).unwrap();
        let error = data.column("wieght").unwrap_err();
        assert_eq!(error.hint().as_deref(), Some("did you mean weight?"));
    }

    #[test]
    fn vectors_are_concatenated_and_missing_values_are_errors() {
        let data = Dataset::new(vec![numbers("a", &[1.0, 2.0]), numbers("b", &[3.0, f64::NAN])]).unwrap();
        let names = ["b".to_string(), "a".to_string()];
        assert!(matches!(data.vectors(&names), Err(Error::Missing { index: 1, .. })));
        let first = data.select(&[0]);
        assert_eq!(first.vectors(&names).unwrap(), Vectors::Dense(Dense::from_rows(&[[3.0, 1.0]])));
    }

    #[test]
    fn sparse_and_dense_columns_join_as_sparse() {
        let sparse = Sparse::from_rows(3, &[vec![(2, 5.0)], vec![]]).unwrap();
        let data =
            Dataset::new(vec![numbers("a", &[0.0, 2.0]), Column::new("s", Values::Sparse(sparse))]).unwrap();
        let joined = data.vectors(&["a".into(), "s".into()]).unwrap();
        let expected = Sparse::from_rows(4, &[vec![(3, 5.0)], vec![(0, 2.0)]]).unwrap();
        assert_eq!(joined, Vectors::Sparse(expected));
    }

    #[test]
    fn fingerprints_depend_on_content() {
        let a = Dataset::new(vec![numbers("a", &[1.0, 2.0])]).unwrap();
        let b = Dataset::new(vec![numbers("a", &[1.0, 2.5])]).unwrap();
        assert_eq!(a.fingerprint(), a.clone().fingerprint());
        assert_ne!(a.fingerprint(), b.fingerprint());
        assert_ne!(a.fingerprint(), a.select(&[0]).fingerprint());
    }
}
