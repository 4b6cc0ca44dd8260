//! Scaling of number columns and of the attributes of nodes, fitted to the training objects.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::json;

use crate::budget;
use crate::container::{Get, Put, Stored};
use crate::data::{Column, Dataset, Dense, Graph, Sparse, Values};
use crate::error::{Code, Error, Result, Warning};

/// An affine map of each coordinate of each number column, and of each attribute of the nodes of a column of graphs:
/// x → (x - offset)·factor, clipped to bounds where a column has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    columns: Vec<(String, Maps)>,
}

/// A scaling with the warnings of its fit.
pub(super) type Noted = (Scaling, Vec<Warning>);

/// x → (x - offset) · factor, clipped to `least` and `most`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Affine {
    offset: f64,
    factor: f64,
    least: f64,
    most: f64,
}

impl Affine {
    fn free(offset: f64, factor: f64) -> Self {
        Affine { offset, factor, least: f64::NEG_INFINITY, most: f64::INFINITY }
    }

    fn apply(&self, v: f64) -> f64 {
        ((v - self.offset) * self.factor).clamp(self.least, self.most)
    }
}

/// The maps of one column.
#[derive(Clone, Debug, PartialEq)]
struct Maps {
    /// The number of coordinates.
    width: usize,
    /// The coordinates that have a map, ascending, if not all do: of a sparse column those that occur in training
    /// objects. The others are 0 on all training objects, and scaled to 0.
    features: Option<Vec<u32>>,
    maps: Vec<Affine>,
}

impl Maps {
    fn at(&self, coordinate: usize) -> Option<Affine> {
        let Some(features) = &self.features else { return self.maps.get(coordinate).copied() };
        match features.binary_search(&(coordinate as u32)) {
            Ok(place) => self.maps.get(place).copied(),
            Err(_) => (coordinate < self.width).then(|| Affine::free(0.0, 0.0)),
        }
    }

    /// The coordinates whose zeros are scaled to a nonzero value, ascending, with that value.
    fn shifted(&self) -> Vec<(u32, f64)> {
        let coordinate = |at: usize| self.features.as_ref().map_or(at as u32, |features| features[at]);
        let values = self.maps.iter().enumerate().map(|(at, map)| (coordinate(at), map.apply(0.0)));
        values.filter(|(_, v)| *v != 0.0).collect()
    }
}

/// Bytes per stored value of a sparse vector.
const STORED: usize = 12;
/// Sparse columns whose zeros become nonzero are scaled like dense ones as long as they take at most this much memory,
/// and `GROWTH` times the bytes they are stored in.
const FILLED: u64 = 64 << 20;
const GROWTH: u64 = 4;

/// Whether sparse vectors of that width become dense when that many coordinates are nonzero.
fn becomes_dense(shifted: usize, width: usize) -> bool {
    shifted > 0 && shifted.saturating_mul(2) >= width
}

/// Bytes of sparse vectors when that many coordinates are nonzero.
fn filled_bytes(x: &Sparse, shifted: usize, width: usize) -> u64 {
    match becomes_dense(shifted, width) {
        true => budget::matrix_bytes(x.rows(), width, 8),
        false => budget::matrix_bytes(x.rows(), shifted, STORED).saturating_add(budget::matrix_bytes(
            1,
            x.stored(),
            STORED,
        )),
    }
}

impl Scaling {
    /// Mean 0 and variance 1. Sparse columns too large to be centred are only divided by their standard deviation.
    pub(super) fn standard(data: &Dataset, columns: &[String]) -> Result<Noted> {
        Scaling::fit(data, columns, "standardize", |values, zeros_stay| {
            let n = values.count() as f64;
            let mean = values.sum(|v| v) / n;
            let variance = values.sum(|v| (v - mean) * (v - mean)) / n;
            // The mean of equal values may have a rounding error, which is not variance.
            let (low, high) = values.extremes();
            let variance = if low == high { 0.0 } else { variance };
            Affine::free(if zeros_stay { 0.0 } else { mean }, 1.0 / variance.sqrt())
        })
    }

    /// Minimum 0, maximum 1. Sparse columns too large to be shifted are divided by their largest absolute value.
    pub(super) fn unit_interval(data: &Dataset, columns: &[String]) -> Result<Noted> {
        Scaling::fit(data, columns, "minmax", |values, zeros_stay| {
            let (low, high) = values.extremes();
            if zeros_stay {
                Affine { offset: 0.0, factor: 1.0 / low.abs().max(high.abs()), least: -1.0, most: 1.0 }
            } else {
                Affine { offset: low, factor: 1.0 / (high - low), least: 0.0, most: 1.0 }
            }
        })
    }

    fn fit(
        data: &Dataset,
        names: &[String],
        wrapper: &str,
        rule: impl Fn(&Coordinate<'_>, bool) -> Affine,
    ) -> Result<Noted> {
        let (mut columns, mut constant, mut uncentred) = (Vec::new(), Constant::default(), Vec::new());
        for name in names {
            budget::check_often()?;
            let maps = match &data.column(name)?.values {
                Values::Numbers(x) => {
                    let coordinate =
                        |c: usize| (0..x.rows()).map(|i| x.at(i, c)).filter(|v| !v.is_nan()).collect();
                    let mut maps = Vec::with_capacity(x.cols());
                    for c in 0..x.cols() {
                        // Missing values are ignored.
                        let stored: Vec<f64> = coordinate(c);
                        let map = rule(&Coordinate { stored: &stored, zeros: 0 }, false);
                        maps.push(constant.checked(map, name, c, x.cols()));
                    }
                    Maps { width: x.cols(), features: None, maps }
                }
                Values::Sparse(x) => {
                    let (features, stored) = by_feature(x);
                    let by = |zeros_stay: bool| {
                        let one = |own: &Vec<f64>| {
                            budget::check_often()?;
                            let zeros = x.rows() - own.len();
                            Ok(rule(&Coordinate { stored: own, zeros }, zeros_stay))
                        };
                        stored.iter().map(one).collect::<Result<Vec<Affine>>>()
                    };
                    let mut found = by(false)?;
                    let shifts = |m: &&Affine| m.factor.is_finite() && m.apply(0.0) != 0.0;
                    let needed = filled_bytes(x, found.iter().filter(shifts).count(), x.dim());
                    if needed > FILLED.saturating_add(GROWTH * budget::matrix_bytes(1, x.stored(), STORED)) {
                        found = by(true)?;
                        uncentred.push(format!("{name} ({} MB)", needed >> 20));
                    }
                    let mut maps = Vec::with_capacity(features.len());
                    let mut next = 0;
                    for (&f, map) in features.iter().zip(found) {
                        constant.skipped(name, next..f as usize, x.dim());
                        next = f as usize + 1;
                        maps.push(constant.checked(map, name, f as usize, x.dim()));
                    }
                    constant.skipped(name, next..x.dim(), x.dim());
                    Maps { width: x.dim(), features: Some(features), maps }
                }
                Values::Graphs(graphs) => {
                    let Some(width) = attributes(graphs).map(|rows| rows.cols()).next() else { continue };
                    let mut maps = Vec::with_capacity(width);
                    for c in 0..width {
                        budget::check_often()?;
                        // Graphs with another number of attributes are refused by the kernel.
                        let fitting = attributes(graphs).filter(|rows| rows.cols() == width);
                        let stored: Vec<f64> =
                            fitting.flat_map(|rows| (0..rows.rows()).map(move |i| rows.at(i, c))).collect();
                        let map = rule(&Coordinate { stored: &stored, zeros: 0 }, false);
                        maps.push(constant.checked(map, name, c, width));
                    }
                    Maps { width, features: None, maps }
                }
                _ => continue,
            };
            columns.push((name.clone(), maps));
        }
        let nothing = (columns.is_empty() && !names.is_empty()).then(|| {
            let like = match wrapper {
                "minmax" => "; the min-max kernel of counts is tanimoto(k)",
                _ => "",
            };
            let message =
                format!("{wrapper} scales numbers, and its kernel uses none, so it changes nothing{like}");
            Warning::new("W_UNSCALED", message)
        });
        let warnings =
            constant.warning().into_iter().chain(sparse_warning(wrapper, &uncentred)).chain(nothing);
        Ok((Scaling { columns }, warnings.collect()))
    }

    /// The data set with scaled columns. Columns that were not fitted stay unchanged.
    pub(super) fn apply(&self, data: &Dataset) -> Result<Dataset> {
        let known: HashMap<&str, &Maps> = self.columns.iter().map(|(n, maps)| (n.as_str(), maps)).collect();
        let columns = data.columns().iter().map(|column| {
            let Some(maps) = known.get(column.name.as_str()) else {
                return Ok(column.clone());
            };
            let values = match &column.values {
                Values::Numbers(x) if x.cols() == maps.width => {
                    let mut x = x.clone();
                    for i in 0..x.rows() {
                        let row = x.row_mut(i).iter_mut();
                        match &maps.features {
                            None => row.zip(&maps.maps).for_each(|(v, map)| *v = map.apply(*v)),
                            Some(_) => row.enumerate().for_each(|(c, v)| {
                                *v = maps.at(c).map_or(*v, |map| map.apply(*v));
                            }),
                        }
                    }
                    Values::Numbers(x)
                }
                Values::Sparse(x) => scale_sparse(x, maps)?,
                Values::Graphs(graphs) => {
                    let scaled = graphs.iter().map(|graph| scale_graph(graph, maps));
                    Values::Graphs(scaled.collect::<Result<_>>()?)
                }
                // The kernel refuses a column of another width, with its own message.
                other => other.clone(),
            };
            Ok(Column::new(&column.name, values))
        });
        data.with_columns(columns.collect::<Result<_>>()?)
    }
}

/// Coordinates that are constant on the training objects: their number, and the first of them.
#[derive(Default)]
struct Constant {
    first: Vec<String>,
    count: usize,
}

impl Constant {
    fn note(&mut self, name: &str, coordinate: usize, width: usize) {
        self.count += 1;
        // Messages list at most 8.
        if self.first.len() < 8 {
            self.first.push(if width > 1 { format!("{name}[{}]", coordinate + 1) } else { name.to_owned() });
        }
    }

    /// Notes coordinates that do not occur in training objects.
    fn skipped(&mut self, name: &str, coordinates: Range<usize>, width: usize) {
        let shown = coordinates.len().min(8);
        coordinates.clone().take(shown).for_each(|c| self.note(name, c, width));
        self.count += coordinates.len() - shown;
    }

    /// The map; a constant coordinate is mapped to 0.
    fn checked(&mut self, map: Affine, name: &str, coordinate: usize, width: usize) -> Affine {
        if map.factor.is_finite() && map.offset.is_finite() {
            return map;
        }
        self.note(name, coordinate, width);
        Affine::free(if map.offset.is_finite() { map.offset } else { 0.0 }, 0.0)
    }

    fn warning(&self) -> Option<Warning> {
        let names = match self.count {
            0 => return None,
            1..=8 => self.first.join(", "),
            n => format!("{}, … ({n} in all)", self.first[..6].join(", ")),
        };
        let message = format!("constant on the training objects, scaled to 0: {names}");
        Some(Warning::new("W_CONSTANT", message))
    }
}

impl Scaling {
    /// The scaling followed by a factor for each coordinate, in the order of the columns. Sparse columns have no factors.
    pub(super) fn weighted(mut self, factors: &[f64]) -> Self {
        let maps = self.columns.iter_mut().flat_map(|(_, maps)| &mut maps.maps);
        maps.zip(factors).for_each(|(map, factor)| map.factor *= factor);
        self
    }

    /// Checks that it scales exactly the number columns among `names`, each with the width it has in the data.
    pub(super) fn check(&self, data: &Dataset, names: &[String]) -> Result<()> {
        let mut known = self.columns.iter();
        for name in names {
            let values = &data.column(name)?.values;
            let width = match values {
                Values::Numbers(_) | Values::Sparse(_) => values.width(),
                Values::Graphs(graphs) => match attributes(graphs).map(|rows| rows.cols()).next() {
                    Some(width) => width,
                    None => continue,
                },
                _ => continue,
            };
            if !known.next().is_some_and(|(n, maps)| n == name && maps.width == width) {
                return Err(Error::usage(format!("a stored scaling without column '{name}'")));
            }
        }
        match known.next() {
            None => Ok(()),
            Some((name, _)) => {
                Err(Error::usage(format!("a stored scaling of column '{name}', which is not scaled")))
            }
        }
    }

    /// The columns it scales, with the number of coordinates of each.
    pub fn columns(&self) -> impl Iterator<Item = (&str, usize)> {
        self.columns.iter().map(|(name, maps)| (name.as_str(), maps.width))
    }
}

impl Stored for Scaling {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        let maps = || self.columns.iter().flat_map(|(_, maps)| &maps.maps);
        let is_bounded = |m: &Affine| m.least.is_finite() && m.most.is_finite();
        put.values("offset", maps().map(|m| m.offset))?;
        put.values("factor", maps().map(|m| m.factor))?;
        // Files hold finite numbers: a flag marks maps without bounds.
        put.values("least", maps().map(|m| if is_bounded(m) { m.least } else { 0.0 }))?;
        put.values("most", maps().map(|m| if is_bounded(m) { m.most } else { 0.0 }))?;
        put.u8s("bounded", maps().map(|m| u8::from(is_bounded(m))))?;
        if self.columns.iter().any(|(_, maps)| maps.features.is_some()) {
            put.u32s(
                "features",
                self.columns.iter().filter_map(|(_, maps)| maps.features.as_ref()).flatten(),
            )?;
        }
        let columns = self.columns.iter().map(|(name, maps)| match &maps.features {
            None => json!({"name": name, "width": maps.width}),
            Some(features) => json!({"name": name, "width": maps.width, "stored": features.len()}),
        });
        put.records("columns", columns)
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let offsets = get.values("offset")?;
        let numbers = |key: &str| get.container.finite_of(&get.name(key), offsets.len());
        let (factors, least, most) = (numbers("factor")?, numbers("least")?, numbers("most")?);
        let bounded = get.u8s("bounded")?;
        get.check_len("bounded", bounded.len(), offsets.len())?;
        let mut maps = (0..offsets.len()).map(|i| {
            let free = Affine::free(offsets[i], factors[i]);
            match bounded[i] {
                0 => Ok(free),
                1 if least[i] <= most[i] => Ok(Affine { least: least[i], most: most[i], ..free }),
                _ => {
                    let reason = format!("invalid bounds of coordinate {}", i + 1);
                    Err(get.field.fault(Code::ModelSyntax, reason))
                }
            }
        });
        let mut columns = Vec::new();
        // The remaining features of sparse columns.
        let mut features: Option<&[u32]> = None;
        get.container.list(&get.name("columns"), &get.field.get("columns")?)?.each(|_, column| {
            let width = column.get("width")?.count()?;
            let stored = column.find("stored")?.map(|stored| stored.count()).transpose()?;
            let count = stored.unwrap_or(width);
            if count > maps.len() {
                let reason = format!("a width of {count}, but {} coordinates are left", maps.len());
                return Err(column.fault(Code::ModelCount, reason));
            }
            let own = maps.by_ref().take(count).collect::<Result<Vec<_>>>()?;
            let features = match stored {
                None => None,
                Some(count) => {
                    let all = features.map_or_else(|| get.u32s("features"), Ok)?;
                    let (own, rest) = all.split_at_checked(count).ok_or_else(|| {
                        column
                            .fault(Code::ModelCount, format!("{count} features, but {} are left", all.len()))
                    })?;
                    features = Some(rest);
                    let ascend = own.windows(2).all(|p| p[0] < p[1]);
                    if !ascend || own.last().is_some_and(|&f| f as usize >= width) {
                        let reason = "features are not ascending, or exceed the width";
                        return Err(column.fault(Code::ModelSyntax, reason));
                    }
                    Some(own.to_vec())
                }
            };
            columns.push((column.get("name")?.text()?.to_owned(), Maps { width, features, maps: own }));
            Ok(())
        })?;
        let left = maps.len() + features.map_or(0, <[u32]>::len);
        let reason = format!("{left} coordinates do not belong to any column");
        get.ensure(left == 0, "offset", Code::ModelCount, reason)?;
        Ok(Scaling { columns })
    }
}

/// The warning that sparse columns keep their zeros, unlike dense ones.
fn sparse_warning(wrapper: &str, columns: &[String]) -> Option<Warning> {
    if columns.is_empty() {
        return None;
    }
    let message = format!(
        "{wrapper}: sparse columns are scaled but not centred, unlike the same data given dense, because centring \
         would make them dense: {}; to centre them, give fewer features or a dense table; without {wrapper} they are \
         used unscaled",
        columns.join(", ")
    );
    Some(Warning::new("W_SPARSE", message))
}

/// Scaled sparse vectors: dense if most of their zeros become nonzero.
fn scale_sparse(x: &Sparse, maps: &Maps) -> Result<Values> {
    let scaled = |f: u32, v: f64| maps.at(f as usize).map_or(v, |map| map.apply(v));
    let mut shifted = maps.shifted();
    shifted.retain(|(f, _)| (*f as usize) < x.dim());
    if !shifted.is_empty() {
        budget::ask("centred sparse vectors", filled_bytes(x, shifted.len(), x.dim()))?;
    }
    if becomes_dense(shifted.len(), maps.width) && x.dim() == maps.width {
        let mut out = Dense::zeros(x.rows(), x.dim());
        for i in 0..x.rows() {
            budget::check_after(x.dim())?;
            let (row, (features, values)) = (out.row_mut(i), x.row(i));
            shifted.iter().for_each(|&(f, zero)| row[f as usize] = zero);
            features.iter().zip(values).for_each(|(&f, &v)| row[f as usize] = scaled(f, v));
        }
        return Ok(Values::Numbers(out));
    }
    let (mut offsets, mut indices, mut filled) = (vec![0], Vec::new(), Vec::new());
    for i in 0..x.rows() {
        let (features, values) = x.row(i);
        budget::check_after(features.len() + shifted.len())?;
        let mut zeros = shifted.iter().copied().peekable();
        let mut put = |f: u32, v: f64| {
            if v != 0.0 {
                indices.push(f);
                filled.push(v);
            }
        };
        for (&f, &v) in features.iter().zip(values) {
            while let Some((other, zero)) = zeros.next_if(|(other, _)| *other <= f) {
                if other < f {
                    put(other, zero);
                }
            }
            put(f, scaled(f, v));
        }
        zeros.for_each(|(f, zero)| put(f, zero));
        offsets.push(indices.len());
    }
    Ok(Values::Sparse(Sparse::new(x.dim(), offsets, indices, filled)?))
}

/// The attributes of the nodes of each graph that has some.
fn attributes(graphs: &[Graph]) -> impl Iterator<Item = &Dense> {
    graphs.iter().filter_map(Graph::node_attributes).filter(|rows| rows.cols() > 0 && rows.rows() > 0)
}

fn scale_graph(graph: &Graph, maps: &Maps) -> Result<Graph> {
    let Some(rows) = graph.node_attributes().filter(|rows| rows.cols() == maps.width) else {
        return Ok(graph.clone());
    };
    let mut rows = rows.clone();
    for i in 0..rows.rows() {
        rows.row_mut(i).iter_mut().zip(&maps.maps).for_each(|(v, map)| *v = map.apply(*v));
    }
    graph.clone().with_node_attributes(rows)
}

/// The features that occur, ascending, and the stored values of each in the order of objects.
fn by_feature(x: &Sparse) -> (Vec<u32>, Vec<Vec<f64>>) {
    let mut features = x.indices().to_vec();
    features.sort_unstable();
    features.dedup();
    let mut stored = vec![Vec::new(); features.len()];
    for (f, &v) in x.indices().iter().zip(x.values()) {
        if let Ok(at) = features.binary_search(f) {
            stored[at].push(v);
        }
    }
    (features, stored)
}

/// The values of one coordinate over all objects without missing ones: stored values, and zeros.
struct Coordinate<'a> {
    stored: &'a [f64],
    zeros: usize,
}

/// Up to this number, zeros are added one by one like stored values, so that the sum is bit-identical.
const FEW_ZEROS: usize = 4096;

impl Coordinate<'_> {
    fn count(&self) -> usize {
        self.stored.len() + self.zeros
    }

    fn sum(&self, term: impl Fn(f64) -> f64) -> f64 {
        let (sum, zero) = (self.stored.iter().map(|&v| term(v)).sum::<f64>(), term(0.0));
        match self.zeros {
            many if many > FEW_ZEROS => sum + many as f64 * zero,
            few => (0..few).fold(sum, |sum, _| sum + zero),
        }
    }

    fn extremes(&self) -> (f64, f64) {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = if self.zeros > 0 { (0.0, 0.0) } else { ends };
        self.stored.iter().fold((low, high), |(low, high), &v| (low.min(v), high.max(v)))
    }
}
