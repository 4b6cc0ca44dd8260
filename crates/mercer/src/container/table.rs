//! Data sets in a model: each column as a few arrays, and a schema in JSON that describes them.
//!
//! Column i of the data set stored under `support` has the arrays `support/i/…`. Every count that costs memory
//! is the length of an array, so no schema can demand more memory than the file holds.

mod graphs;
mod molecules;
mod nodes;

use serde_json::{Value, json};

use super::file::Container;
use super::stored::{Get, Put, Stored, ends, stored};
use crate::data::{Categories, Column, Dataset, Dense, Image, Precomputed, Series, Sparse, Times, Values};
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
            check(column)?;
            let at = format!("{prefix}/{i}");
            let mut put = Put::new(self, &at);
            put.say("name", &column.name)?;
            put.say("kind", column.values.kind().name())?;
            match &column.values {
                Values::Numbers(x) => x.put(&mut put),
                Values::Sparse(x) => x.put(&mut put),
                Values::Categories(x) => x.put(&mut put),
                Values::Times(x) => x.put(&mut put),
                Values::Strings(all) | Values::Text(all) => all.put(&mut put),
                Values::Series(all) => all.put(&mut put),
                Values::Graphs(all) => all.put(&mut put),
                Values::Molecules(all) => all.put(&mut put),
                Values::Images(all) => all.put(&mut put),
                Values::Nodes(x) => x.put(&mut put),
                Values::Precomputed(x) => x.put(&mut put),
            }?;
            columns.push(put.document);
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
            let values = values(&Get { container: self, prefix: &at, field })?;
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

/// Refuses values that could not be read again.
fn check(column: &Column) -> Result<()> {
    let refused = |reason: String| Error::Column { name: column.name.clone(), reason, hint: None };
    let finite = |values: &[f64], width: usize, missing: bool| match values
        .iter()
        .position(|v| !(v.is_finite() || missing && v.is_nan()))
    {
        None => Ok(()),
        Some(at) => {
            let object = at.checked_div(width).map(|i| format!("object {}", i + 1));
            let at = object.unwrap_or_else(|| format!("value {}", at + 1));
            Err(refused(format!("{at} is NaN or infinite, which a model cannot store")))
        }
    };
    let plausible = |count: usize, backed: usize| match is_plausible(count as u64, backed) {
        true => Ok(()),
        false => Err(refused(format!("a length of {count} without values, which a model cannot store"))),
    };
    match &column.values {
        Values::Numbers(x) => {
            finite(x.values(), x.cols(), true)?;
            plausible(x.cols(), x.values().len())
        }
        Values::Sparse(x) => finite(x.values(), 0, false),
        Values::Series(all) => all.iter().try_for_each(|s| {
            finite(s.values(), 0, false)?;
            plausible(s.channels(), s.values().len())
        }),
        Values::Images(all) => all.iter().try_for_each(|image| {
            let sides = [image.width(), image.height(), image.channels()];
            sides.into_iter().try_for_each(|side| plausible(side, image.pixels().len()))
        }),
        Values::Precomputed(p) => {
            finite(p.similarities(), p.references(), false)?;
            plausible(p.references(), p.similarities().len())
        }
        Values::Categories(_) | Values::Times(_) | Values::Strings(_) | Values::Text(_) => Ok(()),
        Values::Graphs(_) | Values::Nodes(_) | Values::Molecules(_) => Ok(()),
    }
}

fn is_plausible(count: u64, backed: usize) -> bool {
    count <= UNBACKED.max(backed as u64)
}

fn plausible(get: &Get<'_>, what: &str, count: u64, backed: usize) -> Result<()> {
    match is_plausible(count, backed) {
        true => Ok(()),
        false => Err(get.field.fault(Code::ModelCount, format!("{what} of {count}, without values"))),
    }
}

fn values(get: &Get<'_>) -> Result<Values> {
    let kind = get.field.get("kind")?;
    match kind.text()? {
        "numbers" => Stored::get(get).map(Values::Numbers),
        "sparse" => Stored::get(get).map(Values::Sparse),
        "categories" => Stored::get(get).map(Values::Categories),
        "times" => Stored::get(get).map(Values::Times),
        "strings" => Stored::get(get).map(Values::Strings),
        "text" => Stored::get(get).map(Values::Text),
        "series" => Stored::get(get).map(Values::Series),
        "graphs" => Stored::get(get).map(Values::Graphs),
        "molecules" => Stored::get(get).map(Values::Molecules),
        "images" => Stored::get(get).map(Values::Images),
        "precomputed" => Stored::get(get).map(Values::Precomputed),
        "nodes" => Stored::get(get).map(Values::Nodes),
        other => Err(kind.fault(Code::ModelSyntax, format!("{} is not a type of values", shown(other)))),
    }
}

/// Numbers; NaN where the schema has `missing`.
impl Stored for Dense {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        put.count("width", self.cols())?;
        put.matrix("values", self)?;
        if self.cols() == 0 {
            put.u8s("rows", vec![0u8; self.rows()])?;
        }
        match self.values().iter().any(|v| v.is_nan()) {
            true => put.flag("missing", true),
            false => Ok(()),
        }
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let missing = get.field.find("missing")?.is_some_and(|f| f.value() == &Value::Bool(true));
        let (name, width) = (get.name("values"), get.count("width")?);
        let values = get.container.f64s(&name)?;
        if let Some(at) = values.iter().position(|v| !(v.is_finite() || missing && v.is_nan())) {
            return Err(get.container.non_finite(&name, at, values));
        }
        plausible(get, "width", width as u64, values.len())?;
        let rows = match width {
            0 => get.u8s("rows")?.len(),
            width => values.len() / width,
        };
        get.fits(Dense::new(rows, width, values.to_vec()))
    }
}

/// Seconds since 1970; NaN is missing.
impl Stored for Times {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        Dense::new(self.len(), 1, self.seconds().to_vec())?.put(put)
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        Dense::get(get).map(|seconds| Times::new(seconds.values().to_vec()))
    }
}

stored! { Sparse: x, get {
    dim: count as "width" = x.dim(),
        where dim as u64 <= 1 << 32 => ModelCount format!("a width of {dim}, above the limit of 2^32");
    ends: u64s = ends((0..x.rows()).map(|i| x.row(i).0.len()));
    indices: u32s = x.indices();
    values: values = x.values();
} => {
    // An end that does not fit usize is out of range; Sparse refuses it.
    let ends = ends.iter().map(|&e| usize::try_from(e).unwrap_or(usize::MAX));
    Sparse::new(dim, std::iter::once(0).chain(ends).collect(), indices.to_vec(), values.to_vec())
} }

stored! { Categories: c, get {
    levels: strings = c.levels(), where are_distinct(&levels) => ModelSyntax "duplicate level";
    codes: u32s = c.codes(),
        where codes.iter().all(|&c| c == Categories::MISSING || (c as usize) < levels.len())
            => ModelCount format!("a code beyond the {} levels", levels.len());
} => Ok(Categories::from_codes(codes.to_vec(), levels.into_iter().map(str::to_owned).collect())) }

fn are_distinct(strings: &[&str]) -> bool {
    let mut sorted = strings.to_vec();
    sorted.sort_unstable();
    sorted.is_sorted_by(|a, b| a < b)
}

stored! { Vec<Option<String>>: all, get {
    text: strings = all.iter().map(|s| s.as_deref().unwrap_or_default());
    present: u8s = all.iter().map(|s| u8::from(s.is_some())),
        len text.len(),
        where text.iter().zip(present).all(|(text, p)| *p == 1 || *p == 0 && text.is_empty())
            => ModelSyntax "a text neither present nor missing";
} => Ok(text.into_iter().zip(present).map(|(text, p)| (*p == 1).then(|| text.to_owned())).collect()) }

stored! { Vec<Series>: all, get {
    channels: u64s = all.iter().map(|s| s.channels() as u64);
    lengths: u64s = all.iter().map(|s| s.values().len() as u64), len channels.len();
    values: values = all.iter().flat_map(|s| s.values());
} => {
    let mut values = Pieces::of(get, values);
    let mut out = Vec::with_capacity(channels.len());
    for (&channels, &len) in channels.iter().zip(lengths) {
        let own = values.next(len)?;
        plausible(get, "channels", channels, own.len())?;
        out.push(get.fits(Series::new(channels as usize, own.to_vec()))?);
    }
    values.end()?;
    Ok(out)
} }

stored! { Vec<Image>: all, get {
    widths: u64s = all.iter().map(|i| i.width() as u64);
    heights: u64s = all.iter().map(|i| i.height() as u64), len widths.len();
    channels: u64s = all.iter().map(|i| i.channels() as u64), len widths.len();
    pixels: u8s = all.iter().flat_map(|i| i.pixels());
} => {
    let mut pixels = Pieces::of(get, pixels);
    let mut out = Vec::with_capacity(widths.len());
    for ((&w, &h), &c) in widths.iter().zip(heights).zip(channels) {
        let size = w.checked_mul(h).and_then(|n| n.checked_mul(c)).unwrap_or(u64::MAX);
        let own = pixels.next(size)?;
        for side in [w, h, c] {
            plausible(get, "pixels", side, own.len())?;
        }
        out.push(get.fits(Image::new(w as usize, h as usize, c as usize, own.to_vec()))?);
    }
    pixels.end()?;
    Ok(out)
} }

stored! { Precomputed: p, get {
    width: count = p.references();
    values: grid = (p.len(), p.references(), p.similarities());
    references: u64s = (0..p.len()).map(|i| p.reference(i).map_or(NO_REFERENCE, |r| r as u64));
} => {
    plausible(get, "width", width as u64, values.len())?;
    let similarity = get.fits(Dense::new(references.len(), width, values.to_vec()))?;
    // A reference that does not fit usize is out of range; Precomputed refuses it.
    let known = |r: u64| usize::try_from(r).unwrap_or(usize::MAX);
    let references = references.iter().map(|&r| (r != NO_REFERENCE).then(|| known(r))).collect();
    Precomputed::with_references(similarity, references)
} }

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
