//! Explicit features of expressions: a sum concatenates features, a factor scales them, `normalize` divides those of
//! each object by their norm.

use std::collections::HashMap;

use super::columns::{Field, Scope};
use super::entry::Depends;
use super::fit::Fit;
use super::pairwise::{Level, Pairwise, Transform};
use super::step::Step;
use super::tree::{Call, Expression};
use super::wrappers::project;
use crate::data::{Dataset, Sparse, Vectors};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::kernel::{FeatureKey, FeatureMap, Features, Partial};

/// How an entry maps objects to explicit features.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mapping {
    /// Vectors to as many features for any objects.
    Vectors(VectorMap),
    /// Objects to the features that occur in them.
    Table(fn(&Call, &Scope<'_>) -> Result<FeatureTable>),
    /// The features of the kernel inside, of which some terms may have none.
    Inner(fn(&Call, &Scope<'_>) -> Result<FeatureTable>),
    /// Objects to as many features for any objects; the map may be fitted to the training objects.
    Fixed(MakeMap),
}

/// Makes a map from its parameters, its columns and the training objects.
pub(super) type MakeMap = fn(&Call, &Scope<'_>) -> Result<Box<dyn FeatureMap<Dataset>>>;

/// A map of vectors.
#[derive(Clone, Copy, Debug)]
pub(super) enum VectorMap {
    /// The vectors are the features.
    Identity,
    /// Features named after the coordinates.
    By(fn(&Call) -> Result<Box<dyn FeatureMap<Vectors>>>),
}

/// Explicit features, and where in the objects they occur.
pub(crate) struct FeatureTable {
    /// The name of each column.
    pub(crate) names: Vec<String>,
    /// The nonzero features of each object.
    pub(crate) rows: Vec<Vec<(u32, f64)>>,
    /// The identity of each column, independent of the objects.
    pub(crate) keys: Vec<FeatureKey>,
    /// Terms of a sum without features, which count as a whole.
    pub(crate) whole: Vec<String>,
    /// The number of kernels whose features are concatenated.
    parts: usize,
    sources: Vec<Source>,
    /// What turns inner products of the features into the kernel, from the inside out; nothing for most kernels.
    levels: Vec<Level>,
}

/// The features of one counting kernel among all columns.
struct Source {
    map: Box<dyn FeatureMap<Dataset>>,
    /// The column of the data.
    data_column: String,
    /// The column of each feature, by its hash.
    numbers: HashMap<u128, u32>,
}

impl Expression {
    /// The explicit features of the objects, φ(x)·φ(y) = k(x, y), for kernels that have them (linear, polynomial, counting
    /// kernels on graphs or strings, `rocket` and the like on series), their sums and multiples, and `normalize` around them.
    ///
    /// The columns of counting kernels are the features that occur in the objects, so other objects give other columns;
    /// the names identify them.
    ///
    /// ```
    /// use mercer::data::{Column, Dataset, Graph, Labels, Values};
    /// let graph = Graph::undirected(3, &[(0, 1), (1, 2)])?.with_node_labels(Labels::from_names(["C", "C", "O"]))?;
    /// let data = Dataset::new(vec![Column::new("molecule", Values::Graphs(vec![graph]))])?;
    /// let features = "wl(h=1)".parse::<mercer::expression::Expression>()?.explicit_features(&data)?;
    /// assert!(features.names.contains(&"C(C,O)".to_owned()));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn explicit_features(&self, data: &Dataset) -> Result<Features> {
        self.named_features(data, None)
    }

    /// The explicit features of new objects with the steps of an earlier fit, such as the vocabulary of `terms`:
    /// nothing is fitted. The objects must have exactly the columns the expression used in the fit.
    ///
    /// ```
    /// use mercer::{data::{Column, Dataset, Values}, expression::Expression, gram::Engine};
    /// let texts = |all: &[&str]| {
    ///     let values = Values::Text(all.iter().map(|&t| Some(t.to_owned())).collect());
    ///     Dataset::new(vec![Column::new("x", values)])
    /// };
    /// let expression = "terms(linear)".parse::<Expression>()?;
    /// let fitted = expression.fit(&texts(&["red house", "red car"])?, &Engine::new())?;
    /// let features = expression.restored_features(&texts(&["red tree"])?, fitted.steps)?;
    /// assert!(features.names.iter().all(|name| !name.contains("tree")));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn restored_features(&self, data: &Dataset, steps: Vec<Step>) -> Result<Features> {
        self.named_features(data, Some(steps))
    }

    fn named_features(&self, data: &Dataset, steps: Option<Vec<Step>>) -> Result<Features> {
        if let Some((call, map)) = self.vector_map() {
            let (vectors, names) = call.vectors_of(data, call.columns.as_deref())?;
            return map.named(call, vectors, &|i| names.name(i));
        }
        if let Expression::Call(call) = self
            && let Some(Mapping::Fixed(make)) = call.entry.map
        {
            let engine = Engine::new();
            let fit = Fit::new(&engine, steps);
            return make(call, &Scope { fit: &fit, data, columns: call.columns.as_deref() })?.features(data);
        }
        let table = self.feature_table(data, steps)?;
        if !table.is_inner_product() || !table.whole.is_empty() {
            return Err(self.without_features());
        }
        let FeatureTable { names, rows, keys, .. } = table;
        Ok(Features { values: Sparse::from_rows(names.len(), &rows)?.into(), keys, names })
    }

    /// The values of a single map of vectors, without the names, which would take more memory than sparse vectors of
    /// millions of features; `None` for other expressions.
    pub(super) fn feature_values(&self, data: &Dataset) -> Result<Option<Vectors>> {
        let Some((call, map)) = self.vector_map() else { return Ok(None) };
        let (vectors, _) = call.vectors_of(data, call.columns.as_deref())?;
        match map {
            VectorMap::Identity => Ok(Some(vectors)),
            VectorMap::By(_) => Ok(Some(map.named(call, vectors, &|_| String::new())?.values)),
        }
    }

    fn vector_map(&self) -> Option<(&Call, VectorMap)> {
        match self {
            Expression::Call(call) => match call.entry.map {
                Some(Mapping::Vectors(map)) => Some((call, map)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is the linear kernel alone.
    pub fn is_inner_product(&self) -> bool {
        matches!(self.vector_map(), Some((_, VectorMap::Identity)))
    }

    /// The features that occur in the objects, and where. The steps of an earlier fit are used if given.
    pub(crate) fn feature_table(&self, data: &Dataset, steps: Option<Vec<Step>>) -> Result<FeatureTable> {
        let engine = Engine::new();
        let fit = Fit::new(&engine, steps);
        self.table(&Scope { fit: &fit, data, columns: None })
    }

    pub(super) fn table(&self, scope: &Scope<'_>) -> Result<FeatureTable> {
        match self {
            Expression::Sum(terms) => {
                let mut all = FeatureTable::empty(scope.data.len());
                let (with, without): (Vec<_>, Vec<_>) = terms.iter().partition(|t| t.has_features());
                // The steps of a fit are read in order, and those of a term without features cannot be skipped.
                let fits = |terms: &[&Expression]| terms.iter().any(|t| t.depends() > Depends::Graph);
                if with.is_empty() || fits(&with) && fits(&without) {
                    return Err(self.without_features());
                }
                for term in terms {
                    if !term.has_features() {
                        all.whole.push(term.to_string());
                        all.parts += 1;
                        continue;
                    }
                    let whose = match term {
                        Expression::Call(call) if terms.len() > 1 => format!("{}: ", call.entry.facts.name),
                        _ => String::new(),
                    };
                    all.append(term.table(scope)?, &whose);
                }
                Ok(all)
            }
            Expression::Scale(factor, inner) => {
                let factor = factor.number().ok_or_else(|| {
                    Error::param("factor", factor, "one value: a range is for a search to choose from")
                })?;
                let mut all = inner.table(scope)?;
                match all.is_inner_product() {
                    true => all.rows.iter_mut().flatten().for_each(|(_, v)| *v *= factor.sqrt()),
                    false => all.transform(Transform::Factor(factor)),
                }
                Ok(all)
            }
            Expression::Group(inner, columns) => inner.table(&Scope { columns: Some(columns), ..*scope }),
            Expression::Call(call) => {
                let scope = Scope { columns: call.columns.as_deref().or(scope.columns), ..*scope };
                if !self.has_features() {
                    return Err(self.without_features());
                }
                match call.entry.map {
                    Some(Mapping::Vectors(map)) => map.table(call, &scope),
                    Some(Mapping::Table(table) | Mapping::Inner(table)) => table(call, &scope),
                    Some(Mapping::Fixed(make)) => scope.table_of(call, make(call, &scope)?),
                    None => Err(self.without_features()),
                }
            }
            Expression::Product(_) => Err(self.without_features()),
        }
    }

    /// Whether it has features, or some terms of a sum have. Kernels inside others need them throughout.
    fn has_features(&self) -> bool {
        match self {
            Expression::Sum(terms) => terms.iter().any(Self::has_features),
            Expression::Scale(_, inner) | Expression::Group(inner, _) => inner.has_features(),
            Expression::Call(call) => match call.entry.map {
                None => false,
                Some(Mapping::Inner(_)) => call.inner.iter().all(Self::has_features),
                Some(_) => call.inner.iter().all(Self::has_features_throughout),
            },
            Expression::Product(_) => false,
        }
    }

    fn has_features_throughout(&self) -> bool {
        match self {
            Expression::Sum(terms) => terms.iter().all(Self::has_features_throughout),
            Expression::Scale(_, inner) | Expression::Group(inner, _) => inner.has_features_throughout(),
            other => other.has_features(),
        }
    }

    pub(super) fn without_features(&self) -> Error {
        Error::Param {
            name: "kernel".into(),
            value: self.to_string(),
            domain: "one with explicit features: linear, polynomial, cosine, forest, terms or visual around them, counting kernels on graphs, molecules and \
                     strings, rocket, hydra, intervals and signature on series, their sums and multiples, and normalize around them"
                .into(),
        }
    }
}

impl Scope<'_> {
    /// The features of a counting kernel.
    pub(super) fn counted<X, M>(&self, call: &Call, map: M) -> Result<FeatureTable>
    where
        X: Field + ?Sized + 'static,
        M: FeatureMap<X> + 'static,
    {
        self.table_of(call, self.map_on::<X, _>(call, map)?)
    }

    /// The features of a map on one column.
    fn table_of(&self, call: &Call, map: Box<dyn FeatureMap<Dataset>>) -> Result<FeatureTable> {
        let data_column = self.suitable(call)?.swap_remove(0);
        let Features { names, keys, values } = map.features(self.data)?;
        let numbers = keys.iter().map(|key| key.feature).zip(0..).collect();
        let sources = vec![Source { map, data_column, numbers }];
        Ok(FeatureTable { sources, ..FeatureTable::plain(names, rows_of(&values), keys) })
    }
}

impl VectorMap {
    fn named(self, call: &Call, vectors: Vectors, name: &dyn Fn(usize) -> String) -> Result<Features> {
        match self {
            VectorMap::Identity => Ok(Features::numbered(vectors, name)),
            VectorMap::By(map) => map(call)?.named_features(&vectors, name),
        }
    }

    /// The features of the selected columns. Of sparse vectors, those that none of the objects has are left out.
    pub(super) fn table(self, call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
        let (vectors, coordinates) = call.vectors_of(scope.data, scope.columns)?;
        let (VectorMap::Identity, Vectors::Sparse(x)) = (self, &vectors) else {
            let Features { names, keys, values } = self.named(call, vectors, &|i| coordinates.name(i))?;
            return Ok(FeatureTable::plain(names, rows_of(&values), keys));
        };
        let mut present = x.indices().to_vec();
        present.sort_unstable();
        present.dedup();
        let mut rows = rows_of(&vectors);
        for (feature, _) in rows.iter_mut().flatten() {
            *feature = present.binary_search(feature).map_or(0, |at| at as u32);
        }
        let names = present.iter().map(|&f| coordinates.name(f as usize)).collect();
        let keys = present.iter().map(|&f| FeatureKey { part: 0, feature: f.into() }).collect();
        Ok(FeatureTable::plain(names, rows, keys))
    }
}

impl Call {
    /// The vectors of its columns, and the names of their coordinates.
    fn vectors_of(&self, data: &Dataset, named: Option<&[String]>) -> Result<(Vectors, CoordinateNames)> {
        let columns = self.suitable(data, named)?;
        Ok((data.vectors(&columns)?, CoordinateNames::of(data, &columns)?))
    }
}

pub(super) fn rows_of(values: &Vectors) -> Vec<Vec<(u32, f64)>> {
    let row = |i: usize| -> Vec<(u32, f64)> {
        match values {
            Vectors::Dense(x) => (0..).zip(x.row(i).iter().copied()).filter(|(_, v)| *v != 0.0).collect(),
            Vectors::Sparse(x) => x.row(i).0.iter().copied().zip(x.row(i).1.iter().copied()).collect(),
        }
    };
    (0..values.len()).map(row).collect()
}

impl FeatureTable {
    pub(super) fn plain(names: Vec<String>, rows: Vec<Vec<(u32, f64)>>, keys: Vec<FeatureKey>) -> Self {
        let (whole, sources, levels) = (Vec::new(), Vec::new(), Vec::new());
        FeatureTable { names, rows, keys, whole, parts: 1, sources, levels }
    }

    pub(super) fn empty(objects: usize) -> Self {
        FeatureTable { parts: 0, ..FeatureTable::plain(Vec::new(), vec![Vec::new(); objects], Vec::new()) }
    }

    /// Whether similarities are inner products of the features.
    pub(crate) fn is_inner_product(&self) -> bool {
        self.levels.is_empty()
    }

    /// The weights of features in similarities that are no inner products of them.
    pub(crate) fn pairwise(&self) -> Result<Pairwise<'_>> {
        Pairwise::new(&self.rows, self.names.len(), &self.levels)
    }

    /// Transforms the similarities.
    pub(super) fn transform(&mut self, by: Transform) {
        self.levels.push(Level { columns: 0..self.names.len(), by });
    }

    /// Whether some similarities are Gaussians, which depend on more than shared features.
    pub(super) fn has_gaussians(&self) -> bool {
        self.levels.iter().any(|level| matches!(level.by, Transform::Gaussian { .. }))
    }

    /// The same features of other data, which `convert` makes from the given ones.
    pub(super) fn converted(
        mut self,
        convert: impl Fn(&Dataset) -> Result<Dataset> + Clone + Send + Sync + 'static,
    ) -> Self {
        self.sources = self
            .sources
            .into_iter()
            .map(|source| {
                let map = Box::new(Converted { map: source.map, convert: convert.clone() });
                Source { map, ..source }
            })
            .collect();
        self
    }

    /// The same features for all of `total` objects, of which only those at the ascending indices `present` have a value
    /// in every one of these columns; the others have no features.
    pub(super) fn extended(mut self, present: &[usize], total: usize, columns: Vec<String>) -> Self {
        let mut rows = vec![Vec::new(); total];
        present.iter().zip(self.rows).for_each(|(&at, row)| rows[at] = row);
        self.rows = rows;
        let extended = |source: Source| {
            let map = Box::new(Extended { map: source.map, columns: columns.clone() });
            Source { map, ..source }
        };
        self.sources = self.sources.into_iter().map(extended).collect();
        self
    }

    /// Divides the features of each object by their norm; an object without features stays unchanged.
    pub(super) fn divide_by_length(&mut self) {
        if !self.is_inner_product() {
            return self.transform(Transform::Cosine);
        }
        for row in &mut self.rows {
            let length = row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
            row.iter_mut().filter(|_| length > 0.0).for_each(|(_, v)| *v /= length);
        }
    }

    /// Appends the features of another kernel; names start with `whose`.
    pub(super) fn append(&mut self, other: FeatureTable, whose: &str) {
        let before = self.parts;
        self.parts += other.parts;
        let shift = self.names.len() as u32;
        self.whole.extend(other.whole);
        self.levels.extend(other.levels.into_iter().map(|Level { columns, by }| {
            let shift = shift as usize;
            Level { columns: columns.start + shift..columns.end + shift, by }
        }));
        self.keys.extend(other.keys.into_iter().map(|key| FeatureKey { part: key.part + before, ..key }));
        self.names.extend(other.names.into_iter().map(|name| format!("{whose}{name}")));
        for (row, more) in self.rows.iter_mut().zip(other.rows) {
            row.extend(more.into_iter().map(|(f, v)| (f + shift, v)));
        }
        self.sources.extend(other.sources.into_iter().map(|mut source| {
            source.numbers.values_mut().for_each(|number| *number += shift);
            source
        }));
    }

    /// Calls `visit` with the column of the data, each feature of an object and each of its occurrences: nodes of its
    /// graph, atoms of its molecule, the position of its first character in the string, or the first and last time step
    /// of a stretch of the series.
    pub(crate) fn places(
        &self,
        data: &Dataset,
        object: usize,
        visit: &mut dyn FnMut(&str, u32, &[u32]),
    ) -> Result<()> {
        for source in &self.sources {
            let mut known = |hash: u128, place: &[u32]| {
                if let Some(&number) = source.numbers.get(&hash) {
                    visit(&source.data_column, number, place);
                }
            };
            let told = source.map.places(&data.select(&[object]), &mut known);
            told.map_err(|e| e.of_object(|_| object))?;
        }
        Ok(())
    }
}

/// A feature map of data that is made from the given data.
struct Converted<F> {
    map: Box<dyn FeatureMap<Dataset>>,
    convert: F,
}

impl<F: Fn(&Dataset) -> Result<Dataset> + Send + Sync> FeatureMap<Dataset> for Converted<F> {
    fn named_features(&self, objects: &Dataset, coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
        self.map.named_features(&(self.convert)(objects)?, coordinate)
    }

    fn places(&self, objects: &Dataset, visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
        self.map.places(&(self.convert)(objects)?, visit)
    }
}

/// A feature map of the objects that have a value in every one of these columns.
struct Extended {
    map: Box<dyn FeatureMap<Dataset>>,
    columns: Vec<String>,
}

impl FeatureMap<Dataset> for Extended {
    fn named_features(&self, objects: &Dataset, coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
        self.map.named_features(objects, coordinate)
    }

    fn places(&self, objects: &Dataset, visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
        let only = project(objects, &self.columns)?;
        let present = only.present();
        match present.is_empty() {
            true => Ok(()),
            false => self.map.places(&only.pick(&present), visit),
        }
    }
}

/// The coordinates of concatenated columns.
struct CoordinateNames(Vec<(String, usize)>);

impl CoordinateNames {
    fn of(data: &Dataset, columns: &[String]) -> Result<Self> {
        let width = |name: &String| Ok((name.clone(), data.column(name)?.values.width()));
        Ok(CoordinateNames(columns.iter().map(width).collect::<Result<_>>()?))
    }

    /// The name of a coordinate: the column's name, with a number if the column has several coordinates.
    fn name(&self, mut at: usize) -> String {
        for (name, width) in &self.0 {
            match at.checked_sub(*width) {
                Some(rest) => at = rest,
                None if *width == 1 => return name.clone(),
                None => return format!("{name}[{}]", at + 1),
            }
        }
        String::new()
    }
}
