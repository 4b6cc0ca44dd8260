//! Data sets in a model: each column as a few arrays, and a schema in JSON that describes them.
//!
//! Column i of the data set stored under `support` has the arrays `support/i/…`. Every count that costs memory
//! is the length of an array, so no schema can demand more memory than the file holds.

mod graphs;
mod nodes;

use serde_json::{Value, json};

use super::array::{Array, Numbers};
use super::field::Field;
use super::file::Container;
use crate::data::{Categories, Column, Dataset, Dense, Image, Precomputed, Series, Sparse, Values};
use crate::error::shown;
use crate::error::{Code, Error, Result};

/// Upper bound on lengths without array data, such as the width of a matrix without rows.
const UNBACKED: u64 = 1 << 24;
/// The reference of an object that has none.
const NO_REFERENCE: u64 = u64::MAX;

/// A data set of `count` objects with these columns, or without columns.
pub(crate) fn objects(columns: Vec<Column>, count: usize) -> Result<Dataset> {
    if columns.is_empty() {
        // Without columns, the weights determine the number of objects.
        return Dataset::default().with_weights(vec![1.0; count]);
    }
    Dataset::new(columns)
}

impl Container {
    /// Stores the columns of a data set under a name; returns the schema that [`Container::dataset`] reads.
    ///
    /// Only columns are stored: no target, groups, ids or weights. Values must be finite; NaN is allowed where
    /// it means a missing number.
    pub fn put_dataset(&mut self, prefix: &str, data: &Dataset) -> Result<Value> {
        let mut columns = Vec::with_capacity(data.columns().len());
        for (i, column) in data.columns().iter().enumerate() {
            let at = format!("{prefix}/{i}");
            let mut schema = json!({"name": column.name, "kind": column.values.kind().name()});
            let mut put = Put { container: self, at: &at, column };
            if let Some((key, value)) = put.values()? {
                schema[key] = value;
            }
            if matches!(&column.values, Values::Numbers(x) if x.values().iter().any(|v| v.is_nan())) {
                schema["missing"] = true.into();
            }
            columns.push(schema);
        }
        let objects = if columns.is_empty() { 0 } else { data.len() };
        let columns = self.put_list(&format!("{prefix}/columns"), columns)?;
        Ok(json!({"objects": objects, "columns": columns}))
    }

    /// The data set stored under a name with that schema.
    pub fn dataset(&self, prefix: &str, schema: &Value) -> Result<Dataset> {
        let schema = self.field(schema);
        let objects = schema.get("objects")?.count()?;
        let mut columns = Vec::new();
        self.list(&format!("{prefix}/columns"), &schema.get("columns")?)?.each(|i, field| {
            let at = format!("{prefix}/{i}");
            let values = Get { container: self, at: &at, field }.values()?;
            if values.len() != objects {
                let reason = format!("{} objects, expected {objects} from the schema", values.len());
                return Err(field.fault(Code::ModelCount, reason));
            }
            columns.push(Column::new(field.get("name")?.text()?, values));
            Ok(())
        })?;
        if columns.is_empty() && objects > 0 {
            return Err(schema.fault(Code::ModelCount, format!("{objects} objects without columns")));
        }
        Dataset::new(columns).map_err(|e| schema.fault(Code::ModelSyntax, e.to_string()))
    }
}

/// Writes a column into a container.
struct Put<'c> {
    container: &'c mut Container,
    at: &'c str,
    column: &'c Column,
}

impl Put<'_> {
    fn array(&mut self, part: &str, numbers: impl Into<Numbers>) -> Result<()> {
        self.container.insert(format!("{}/{part}", self.at), Array::list(numbers))
    }

    fn matrix(&mut self, part: &str, rows: usize, cols: usize, values: &[f64]) -> Result<()> {
        let array = Array::new(&[rows, cols], values.to_vec())?;
        self.container.insert(format!("{}/{part}", self.at), array)
    }

    fn strings<'s>(&mut self, part: &str, strings: impl Iterator<Item = &'s str>) -> Result<()> {
        self.container.put_strings(&format!("{}/{part}", self.at), strings)
    }

    /// Stores the values; returns what the schema needs besides their type.
    fn values(&mut self) -> Result<Option<(&'static str, Value)>> {
        match &self.column.values {
            Values::Numbers(x) => {
                self.check(x.values(), x.cols(), true)?;
                self.plausible(x.cols(), x.values().len())?;
                self.matrix("values", x.rows(), x.cols(), x.values())?;
                if x.cols() == 0 {
                    self.array("rows", vec![0u8; x.rows()])?;
                }
                return Ok(Some(("width", x.cols().into())));
            }
            Values::Sparse(x) => {
                self.check(x.values(), 0, false)?;
                let mut ends = Vec::with_capacity(x.rows());
                (0..x.rows()).fold(0u64, |end, i| {
                    let end = end + x.row(i).0.len() as u64;
                    ends.push(end);
                    end
                });
                self.array("ends", ends)?;
                self.array("indices", x.indices().to_vec())?;
                self.array("values", x.values().to_vec())?;
                return Ok(Some(("width", x.dim().into())));
            }
            Values::Categories(c) => {
                self.array("codes", c.codes().to_vec())?;
                self.strings("levels", c.levels().iter().map(String::as_str))?;
            }
            Values::Strings(s) | Values::Text(s) => {
                self.strings("text", s.iter().map(|s| s.as_deref().unwrap_or("")))?;
                self.array("present", s.iter().map(|s| u8::from(s.is_some())).collect::<Vec<_>>())?;
            }
            Values::Series(all) => {
                for s in all {
                    self.check(s.values(), 0, false)?;
                    self.plausible(s.channels(), s.values().len())?;
                }
                self.array("channels", all.iter().map(|s| s.channels() as u64).collect::<Vec<_>>())?;
                self.array("lengths", all.iter().map(|s| s.values().len() as u64).collect::<Vec<_>>())?;
                self.array("values", all.iter().flat_map(|s| s.values()).copied().collect::<Vec<_>>())?;
            }
            Values::Graphs(all) => self.graphs(all)?,
            Values::Images(all) => {
                for image in all {
                    for side in [image.width(), image.height(), image.channels()] {
                        self.plausible(side, image.pixels().len())?;
                    }
                }
                let of = |side: fn(&Image) -> usize| all.iter().map(|i| side(i) as u64).collect::<Vec<_>>();
                self.array("widths", of(Image::width))?;
                self.array("heights", of(Image::height))?;
                self.array("channels", of(Image::channels))?;
                self.array("pixels", all.iter().flat_map(|i| i.pixels()).copied().collect::<Vec<_>>())?;
            }
            Values::Nodes(nodes) => self.nodes(nodes)?,
            Values::Precomputed(p) => {
                self.check(p.similarities(), p.references(), false)?;
                self.plausible(p.references(), p.similarities().len())?;
                self.matrix("values", p.len(), p.references(), p.similarities())?;
                let references = (0..p.len()).map(|i| p.reference(i).map_or(NO_REFERENCE, |r| r as u64));
                self.array("references", references.collect::<Vec<_>>())?;
                return Ok(Some(("width", p.references().into())));
            }
        }
        Ok(None)
    }

    fn check(&self, values: &[f64], width: usize, missing: bool) -> Result<()> {
        match values.iter().position(|v| !(v.is_finite() || missing && v.is_nan())) {
            None => Ok(()),
            Some(at) => {
                let object = at.checked_div(width).map(|i| format!("object {}", i + 1));
                let at = object.unwrap_or_else(|| format!("value {}", at + 1));
                Err(self.refused(format!("{at} is NaN or infinite, which a model cannot store")))
            }
        }
    }

    fn plausible(&self, count: usize, backed: usize) -> Result<()> {
        if is_plausible(count as u64, backed) {
            return Ok(());
        }
        Err(self.refused(format!("a length of {count} without values, which a model cannot store")))
    }

    fn refused(&self, reason: String) -> Error {
        Error::Column { name: self.column.name.clone(), reason, hint: None }
    }
}

fn is_plausible(count: u64, backed: usize) -> bool {
    count <= UNBACKED.max(backed as u64)
}

/// Reads a column from a container.
struct Get<'c> {
    container: &'c Container,
    at: &'c str,
    field: &'c Field<'c>,
}

impl<'c> Get<'c> {
    fn name(&self, part: &str) -> String {
        format!("{}/{part}", self.at)
    }

    fn strings(&self, part: &str) -> Result<Vec<&'c str>> {
        self.container.strings(&self.name(part))
    }

    fn values(&self) -> Result<Values> {
        let kind = self.field.get("kind")?;
        match kind.text()? {
            "numbers" => self.numbers().map(Values::Numbers),
            "sparse" => self.sparse().map(Values::Sparse),
            "categories" => self.categories().map(Values::Categories),
            "strings" => self.texts().map(Values::Strings),
            "text" => self.texts().map(Values::Text),
            "series" => self.series().map(Values::Series),
            "graphs" => self.graphs().map(Values::Graphs),
            "images" => self.images().map(Values::Images),
            "precomputed" => self.precomputed().map(Values::Precomputed),
            "nodes" => self.nodes().map(Values::Nodes),
            other => Err(kind.fault(Code::ModelSyntax, format!("{} is not a type of values", shown(other)))),
        }
    }

    fn numbers(&self) -> Result<Dense> {
        let missing = self.field.find("missing")?.is_some_and(|f| f.value() == &Value::Bool(true));
        let (name, width) = (self.name("values"), self.width()?);
        let values = self.container.f64s(&name)?;
        if let Some(at) = values.iter().position(|v| !(v.is_finite() || missing && v.is_nan())) {
            return Err(self.container.non_finite(&name, at, values));
        }
        self.plausible("width", width as u64, values.len())?;
        let rows = match width {
            0 => self.container.u8s(&self.name("rows"))?.len(),
            width => values.len() / width,
        };
        self.fits(Dense::new(rows, width, values.to_vec()))
    }

    fn sparse(&self) -> Result<Sparse> {
        let dim = self.width()?;
        if dim as u64 > 1 << 32 {
            return Err(self
                .field
                .fault(Code::ModelCount, format!("a width of {dim}, above the limit of 2^32")));
        }
        let ends = self.container.u64s(&self.name("ends"))?;
        // An end that does not fit usize is out of range; Sparse refuses it.
        let ends = ends.iter().map(|&e| usize::try_from(e).unwrap_or(usize::MAX));
        let offsets = std::iter::once(0).chain(ends).collect();
        let indices = self.container.u32s(&self.name("indices"))?;
        let values = self.container.finite(&self.name("values"))?;
        self.fits(Sparse::new(dim, offsets, indices.to_vec(), values.to_vec()))
    }

    fn categories(&self) -> Result<Categories> {
        let levels: Vec<String> = self.strings("levels")?.into_iter().map(str::to_owned).collect();
        let codes = self.container.u32s(&self.name("codes"))?;
        let known = |&c: &u32| c == Categories::MISSING || (c as usize) < levels.len();
        if let Some(bad) = codes.iter().find(|c| !known(c)) {
            let reason = format!("code {bad}, but there are {} levels", levels.len());
            return Err(self.field.fault(Code::ModelCount, reason));
        }
        let mut distinct: Vec<&String> = levels.iter().collect();
        distinct.sort_unstable();
        if distinct.windows(2).any(|w| w[0] == w[1]) {
            return Err(self.field.fault(Code::ModelSyntax, "duplicate level"));
        }
        Ok(Categories::from_codes(codes.to_vec(), levels))
    }

    fn texts(&self) -> Result<Vec<Option<String>>> {
        let texts = self.strings("text")?;
        let present = self.container.u8s(&self.name("present"))?;
        self.container.check_len(&self.name("present"), present.len(), texts.len())?;
        let mut out = Vec::with_capacity(texts.len());
        for (text, present) in texts.into_iter().zip(present) {
            out.push(match (present, text) {
                (1, text) => Some(text.to_owned()),
                (0, "") => None,
                _ => return Err(self.field.fault(Code::ModelSyntax, "a text neither present nor missing")),
            });
        }
        Ok(out)
    }

    fn series(&self) -> Result<Vec<Series>> {
        let channels = self.container.u64s(&self.name("channels"))?;
        let lengths = self.container.u64s(&self.name("lengths"))?;
        self.container.check_len(&self.name("lengths"), lengths.len(), channels.len())?;
        let mut values = Pieces::of(self, self.container.finite(&self.name("values"))?);
        let mut out = Vec::with_capacity(channels.len());
        for (&channels, &len) in channels.iter().zip(lengths) {
            let own = values.next(len)?;
            self.plausible("channels", channels, own.len())?;
            out.push(self.fits(Series::new(channels as usize, own.to_vec()))?);
        }
        values.end()?;
        Ok(out)
    }

    fn images(&self) -> Result<Vec<Image>> {
        let widths = self.container.u64s(&self.name("widths"))?;
        let heights = self.container.u64s(&self.name("heights"))?;
        let channels = self.container.u64s(&self.name("channels"))?;
        self.container.check_len(&self.name("heights"), heights.len(), widths.len())?;
        self.container.check_len(&self.name("channels"), channels.len(), widths.len())?;
        let mut pixels = Pieces::of(self, self.container.u8s(&self.name("pixels"))?);
        let mut out = Vec::with_capacity(widths.len());
        for ((&w, &h), &c) in widths.iter().zip(heights).zip(channels) {
            let size = w.checked_mul(h).and_then(|n| n.checked_mul(c)).unwrap_or(u64::MAX);
            let own = pixels.next(size)?;
            for side in [w, h, c] {
                self.plausible("pixels", side, own.len())?;
            }
            out.push(self.fits(Image::new(w as usize, h as usize, c as usize, own.to_vec()))?);
        }
        pixels.end()?;
        Ok(out)
    }

    fn precomputed(&self) -> Result<Precomputed> {
        let width = self.width()?;
        let values = self.container.finite(&self.name("values"))?;
        self.plausible("width", width as u64, values.len())?;
        let references = self.container.u64s(&self.name("references"))?;
        let similarity = self.fits(Dense::new(references.len(), width, values.to_vec()))?;
        // A reference that does not fit usize is out of range; Precomputed refuses it.
        let known = |r: u64| usize::try_from(r).unwrap_or(usize::MAX);
        let references = references.iter().map(|&r| (r != NO_REFERENCE).then(|| known(r))).collect();
        self.fits(Precomputed::with_references(similarity, references))
    }

    fn width(&self) -> Result<usize> {
        self.field.get("width")?.count()
    }

    fn plausible(&self, what: &str, count: u64, backed: usize) -> Result<()> {
        if is_plausible(count, backed) {
            return Ok(());
        }
        Err(self.field.fault(Code::ModelCount, format!("{what} of {count}, without values")))
    }

    /// The result, with its error turned into one of this model file.
    fn fits<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|e| self.field.fault(Code::ModelCount, e.to_string()))
    }
}

/// Consecutive slices of an array.
struct Pieces<'c, T> {
    get: &'c Get<'c>,
    rest: &'c [T],
}

impl<'c, T> Pieces<'c, T> {
    fn of(get: &'c Get<'c>, rest: &'c [T]) -> Self {
        Pieces { get, rest }
    }

    fn next(&mut self, len: u64) -> Result<&'c [T]> {
        let pieces = usize::try_from(len).ok().and_then(|len| self.rest.split_at_checked(len));
        let Some((own, rest)) = pieces else {
            let reason = format!("{len} values expected, {} left", self.rest.len());
            return Err(self.get.field.fault(Code::ModelCount, reason));
        };
        self.rest = rest;
        Ok(own)
    }

    fn end(&self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            n => {
                Err(self.get.field.fault(Code::ModelCount, format!("{n} values do not belong to any object")))
            }
        }
    }
}

#[cfg(test)]
mod tests;
