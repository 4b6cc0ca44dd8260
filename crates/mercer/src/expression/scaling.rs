//! Number columns brought to a common scale, fitted to the training objects.

use serde_json::{Value, json};

use crate::data::{Column, Dataset, Sparse, Values};
use crate::error::{Code, Error, Result, Warning};
use crate::model::{Array, Container, Field};

/// An affine map of each coordinate of each number column: x → (x - offset)·factor, kept within bounds where a
/// column has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    columns: Vec<(String, Vec<Affine>)>,
}

/// A scaling, with what was noticed while it was fitted.
pub(super) type Noted = (Scaling, Vec<Warning>);

/// x → (x - offset) · factor, kept between `least` and `most`.
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

impl Scaling {
    /// Mean 0 and variance 1. Sparse columns keep their zeros: they are only divided by their deviation.
    pub(super) fn standard(data: &Dataset, columns: &[String]) -> Result<Noted> {
        Scaling::fit(data, columns, |values, sparse| {
            let n = values.clone().count() as f64;
            let mean = values.clone().sum::<f64>() / n;
            let variance = values.clone().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
            // The mean of equal values may be off by a rounding, which is no variance.
            let (low, high) = extremes(values);
            let variance = if low == high { 0.0 } else { variance };
            Affine::free(if sparse { 0.0 } else { mean }, 1.0 / variance.sqrt())
        })
    }

    /// Least value 0, greatest value 1. Sparse columns keep their zeros: they are divided by their greatest size.
    pub(super) fn unit_interval(data: &Dataset, columns: &[String]) -> Result<Noted> {
        Scaling::fit(data, columns, |values, sparse| {
            let (low, high) = extremes(values);
            if sparse {
                Affine { offset: 0.0, factor: 1.0 / low.abs().max(high.abs()), least: -1.0, most: 1.0 }
            } else {
                Affine { offset: low, factor: 1.0 / (high - low), least: 0.0, most: 1.0 }
            }
        })
    }

    fn fit(data: &Dataset, names: &[String], rule: impl Fn(Coordinate<'_>, bool) -> Affine) -> Result<Noted> {
        let (mut columns, mut constant) = (Vec::new(), Vec::new());
        for name in names {
            let column = data.column(name)?;
            let (width, sparse) = match &column.values {
                Values::Numbers(x) => (x.cols(), false),
                Values::Sparse(x) => (x.dim(), true),
                _ => continue,
            };
            let transposed = if let Values::Sparse(x) = &column.values { by_feature(x) } else { Vec::new() };
            let maps = (0..width).map(|c| {
                let coordinate = match &column.values {
                    Values::Sparse(x) => {
                        Coordinate::Sparse { stored: &transposed[c], at: 0, total: x.rows() }
                    }
                    values => Coordinate::Dense { values, column: c, at: 0 },
                };
                // Missing values have no part in the scale.
                let map = rule(coordinate, sparse);
                if map.factor.is_finite() && map.offset.is_finite() {
                    return map;
                }
                constant.push(if width > 1 { format!("{name}[{}]", c + 1) } else { name.clone() });
                Affine::free(if map.offset.is_finite() { map.offset } else { 0.0 }, 0.0)
            });
            columns.push((name.clone(), maps.collect()));
        }
        let warnings = match constant.as_slice() {
            [] => Vec::new(),
            some => {
                let names = crate::data::list(some.iter().map(String::as_str));
                vec![Warning::new(
                    "W_CONSTANT",
                    format!("constant on the training objects, scaled to 0: {names}"),
                )]
            }
        };
        Ok((Scaling { columns }, warnings))
    }

    /// The data set with scaled columns. Columns that were not fitted stay as they are.
    pub(super) fn apply(&self, data: &Dataset) -> Result<Dataset> {
        let columns = data.columns().iter().map(|column| {
            let Some((_, maps)) = self.columns.iter().find(|(n, _)| *n == column.name) else {
                return Ok(column.clone());
            };
            let values = match &column.values {
                Values::Numbers(x) if x.cols() == maps.len() => {
                    let mut x = x.clone();
                    for i in 0..x.rows() {
                        x.row_mut(i).iter_mut().zip(maps).for_each(|(v, map)| *v = map.apply(*v));
                    }
                    Values::Numbers(x)
                }
                Values::Sparse(x) => {
                    Values::Sparse(scale_sparse(x, |f, v| maps.get(f).map_or(v, |m| m.apply(v)))?)
                }
                // A column of another width is refused by the kernel, which knows what it wants to say.
                other => other.clone(),
            };
            Ok(Column::new(&column.name, values))
        });
        data.with_columns(columns.collect::<Result<_>>()?)
    }
}

impl Scaling {
    /// Whether it scales all number columns among `names`, and those alone, each as wide as in the data.
    pub(super) fn check(&self, data: &Dataset, names: &[String]) -> Result<()> {
        let mut known = self.columns.iter();
        for name in names {
            let values = &data.column(name)?.values;
            if !matches!(values, Values::Numbers(_) | Values::Sparse(_)) {
                continue;
            }
            if !known.next().is_some_and(|(n, maps)| n == name && maps.len() == values.width()) {
                return Err(Error::usage(format!("a stored scaling without that of column '{name}'")));
            }
        }
        match known.next() {
            None => Ok(()),
            Some((name, _)) => {
                Err(Error::usage(format!("a stored scaling of column '{name}', which has none")))
            }
        }
    }

    /// The columns it scales, with the number of coordinates of each.
    pub fn columns(&self) -> impl Iterator<Item = (&str, usize)> {
        self.columns.iter().map(|(name, maps)| (name.as_str(), maps.len()))
    }

    pub(super) fn put(&self, container: &mut Container, prefix: &str) -> Result<Value> {
        let maps = || self.columns.iter().flat_map(|(_, maps)| maps);
        let is_bounded = |m: &Affine| m.least.is_finite() && m.most.is_finite();
        // Files hold finite numbers: a flag says that a map has no bounds.
        let bound =
            |of: fn(&Affine) -> f64| maps().map(|m| if is_bounded(m) { of(m) } else { 0.0 }).collect();
        let numbers: [(&str, Vec<f64>); 4] = [
            ("offset", maps().map(|m| m.offset).collect()),
            ("factor", maps().map(|m| m.factor).collect()),
            ("least", bound(|m| m.least)),
            ("most", bound(|m| m.most)),
        ];
        for (part, numbers) in numbers {
            container.insert(format!("{prefix}/{part}"), Array::list(numbers))?;
        }
        let bounded: Vec<u8> = maps().map(|m| u8::from(is_bounded(m))).collect();
        container.insert(format!("{prefix}/bounded"), Array::list(bounded))?;
        let columns: Vec<Value> =
            self.columns().map(|(name, width)| json!({"name": name, "width": width})).collect();
        Ok(json!({"columns": columns}))
    }

    pub(super) fn get(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Scaling> {
        let offsets = container.finite(&format!("{prefix}/offset"))?;
        let numbers = |part: &str| container.finite_of(&format!("{prefix}/{part}"), offsets.len());
        let (factors, least, most) = (numbers("factor")?, numbers("least")?, numbers("most")?);
        let bounded = container.u8s(&format!("{prefix}/bounded"))?;
        let fault = |code, reason: String| field.fault(code, reason);
        if bounded.len() != offsets.len() {
            let reason = format!("{} flags for {} coordinates", bounded.len(), offsets.len());
            return Err(fault(Code::ModelCount, reason));
        }
        let mut maps = (0..offsets.len()).map(|i| {
            let free = Affine::free(offsets[i], factors[i]);
            match bounded[i] {
                0 => Ok(free),
                1 if least[i] <= most[i] => Ok(Affine { least: least[i], most: most[i], ..free }),
                _ => Err(fault(Code::ModelSyntax, format!("bounds of coordinate {} that are none", i + 1))),
            }
        });
        let mut columns = Vec::new();
        for column in field.get("columns")?.items()? {
            let width = column.get("width")?.count()?;
            if width > maps.len() {
                let reason = format!("a width of {width} where {} coordinates are left", maps.len());
                return Err(column.fault(Code::ModelCount, reason));
            }
            let own = maps.by_ref().take(width).collect::<Result<Vec<_>>>()?;
            columns.push((column.get("name")?.text()?.to_owned(), own));
        }
        match maps.len() {
            0 => Ok(Scaling { columns }),
            left => Err(fault(Code::ModelCount, format!("{left} coordinates of no column"))),
        }
    }
}

fn extremes(values: Coordinate<'_>) -> (f64, f64) {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    (low, values.fold(f64::NEG_INFINITY, f64::max))
}

fn scale_sparse(x: &Sparse, scale: impl Fn(usize, f64) -> f64) -> Result<Sparse> {
    let rows: Vec<Vec<(u32, f64)>> = (0..x.rows())
        .map(|i| {
            let (features, values) = x.row(i);
            let scaled = features.iter().zip(values).map(|(&f, &v)| (f, scale(f as usize, v)));
            scaled.filter(|(_, v)| *v != 0.0).collect()
        })
        .collect();
    Sparse::from_rows(x.dim(), &rows)
}

fn by_feature(x: &Sparse) -> Vec<Vec<f64>> {
    let mut out = vec![Vec::new(); x.dim()];
    for i in 0..x.rows() {
        let (features, values) = x.row(i);
        features.iter().zip(values).for_each(|(&f, &v)| out[f as usize].push(v));
    }
    out
}

/// The values of one coordinate over all objects, missing ones left out.
#[derive(Clone)]
enum Coordinate<'a> {
    Dense { values: &'a Values, column: usize, at: usize },
    Sparse { stored: &'a [f64], at: usize, total: usize },
}

impl Iterator for Coordinate<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        match self {
            Coordinate::Dense { values: Values::Numbers(x), column, at } => {
                while *at < x.rows() {
                    let v = x.at(*at, *column);
                    *at += 1;
                    if !v.is_nan() {
                        return Some(v);
                    }
                }
                None
            }
            Coordinate::Dense { .. } => None,
            Coordinate::Sparse { stored, at, total } => {
                let v = (*at < *total).then(|| stored.get(*at).copied().unwrap_or(0.0));
                *at += 1;
                v
            }
        }
    }
}
