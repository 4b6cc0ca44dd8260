//! Preprocessing of single series before a kernel: nothing is fitted.

use std::collections::HashSet;
use std::fmt;

use super::columns::{Scope, inner_of};
use super::tree::Call;
use crate::data::{Column, Dataset, Series, Values};
use crate::error::{Error, Result, Warning};
use crate::kernel::{Boxed, Definiteness, Domain, Facts, Kernel, Parameter, Part};

/// Facts about resampling.
pub(super) const RESAMPLE: Facts = Facts {
    name: "resample",
    summary: "Resamples each series at evenly spaced time steps, before a kernel.",
    formula: "x → linear interpolation of x at length evenly spaced time steps from its first to its last",
    takes: "a kernel on series",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[Parameter {
        name: "length",
        default: "64",
        domain: Domain::Whole(1, 1 << 24),
        doc: "the number of time steps",
        alias: None,
    }],
    cost: "that of the kernel",
    reference: "Ratanamahatana & Keogh 2005, Three myths about dynamic time warping data mining",
    example: "resample(series-euclidean, length=100)",
};

/// Facts about binning.
pub(super) const BIN: Facts = Facts {
    name: "bin",
    summary: "Replaces successive time steps of each series by their means, before a kernel.",
    formula: "x → the means of every width time steps; the last is of the remaining ones",
    takes: RESAMPLE.takes,
    kinds: RESAMPLE.kinds,
    definiteness: RESAMPLE.definiteness,
    parameters: &[Parameter {
        name: "width",
        default: "4",
        domain: Domain::Whole(1, 1 << 24),
        doc: "the number of time steps per bin",
        alias: None,
    }],
    cost: RESAMPLE.cost,
    reference: "Keogh et al. 2001, Dimensionality reduction for fast similarity search in large time series databases",
    example: "bin(dtw, width=4)",
};

/// Facts about z-normalising.
pub(super) const ZNORMALIZE: Facts = Facts {
    name: "znormalize",
    summary: "Scales each channel of each series to mean 0 and variance 1, before a kernel.",
    formula: "x → (x - mean(x)) / sd(x); a constant channel becomes 0",
    takes: RESAMPLE.takes,
    kinds: RESAMPLE.kinds,
    definiteness: RESAMPLE.definiteness,
    parameters: &[],
    cost: RESAMPLE.cost,
    reference: "Goldin & Kanellakis 1995, On similarity queries for time-series data",
    example: "znormalize(dtw(window=0.1))",
};

/// The preprocessing of each series.
#[derive(Clone, Copy, Debug)]
enum Preparation {
    Resample(usize),
    Bin(usize),
    Znormalize,
}

impl Preparation {
    fn one(self, s: &Series) -> Series {
        match self {
            Preparation::Resample(length) => s.resampled(length),
            Preparation::Bin(width) => s.binned(width),
            Preparation::Znormalize => s.z_normalized(),
        }
    }

    /// The data set with these columns of series preprocessed.
    fn apply(self, data: &Dataset, columns: &[String]) -> Result<Dataset> {
        let columns: HashSet<&str> = columns.iter().map(String::as_str).collect();
        let change = |column: &Column| match &column.values {
            Values::Series(all) if columns.contains(column.name.as_str()) => {
                Column::new(&column.name, Values::Series(all.iter().map(|s| self.one(s)).collect()))
            }
            _ => column.clone(),
        };
        data.with_columns(data.columns().iter().map(change).collect())
    }
}

pub(super) fn resample(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    prepared(call, scope, Preparation::Resample(call.get("length")?))
}

pub(super) fn bin(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    prepared(call, scope, Preparation::Bin(call.get("width")?))
}

pub(super) fn znormalize(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    prepared(call, scope, Preparation::Znormalize)
}

/// Makes the kernel.
fn prepared(call: &Call, scope: &Scope<'_>, preparation: Preparation) -> Result<Boxed<Dataset>> {
    let inner = inner_of(call)?;
    let mut columns = inner.columns_used_within(scope.data, scope.columns)?;
    columns.retain(|name| {
        scope.data.column(name).is_ok_and(|column| matches!(column.values, Values::Series(_)))
    });
    if columns.is_empty() {
        return Err(Error::Column {
            name: "*".into(),
            reason: format!("{} finds no series that its kernel uses", call.entry.facts.name),
            hint: None,
        });
    }
    if matches!(preparation, Preparation::Znormalize) && !scope.fit.restores() {
        warn_of_constants(scope, &columns)?;
    }
    let training = preparation.apply(scope.data, &columns)?;
    let inner = scope.fit.kernel(inner, &Scope { data: &training, ..*scope })?;
    Ok(Boxed::new(OnPreparedSeries { preparation, columns, inner }))
}

fn warn_of_constants(scope: &Scope<'_>, columns: &[String]) -> Result<()> {
    for name in columns {
        let Values::Series(all) = &scope.data.column(name)?.values else { continue };
        let count = all.iter().filter(|s| s.has_constant()).count();
        if count > 0 {
            let message = format!(
                "{count} of {} series in '{name}' have a constant channel, which becomes 0 when z-normalised",
                all.len()
            );
            scope.fit.warn(Warning::new("W_CONSTANT", message));
        }
    }
    Ok(())
}

/// A kernel on preprocessed series.
struct OnPreparedSeries<K> {
    preparation: Preparation,
    columns: Vec<String>,
    inner: K,
}

impl<K: fmt::Display> fmt::Display for OnPreparedSeries<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.preparation {
            Preparation::Resample(length) => write!(f, "resample({}, length={length})", self.inner),
            Preparation::Bin(width) => write!(f, "bin({}, width={width})", self.inner),
            Preparation::Znormalize => write!(f, "znormalize({})", self.inner),
        }
    }
}

impl<K: Kernel<Dataset>> Kernel<Dataset> for OnPreparedSeries<K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        self.inner.prepare(&self.preparation.apply(objects, &self.columns)?)
    }

    passes_on!(inner);
}
