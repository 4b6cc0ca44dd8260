//! Scaling and imputation of columns, fitted to the training objects and applied before a kernel.

use std::fmt;

use super::columns::{Scope, inner_of};
use super::filling::Filling;
use super::relevance;
use super::scaling::Scaling;
use super::step::Step;
use super::tree::Call;
use crate::data::Dataset;
use crate::error::{Result, Warning};
use crate::kernel::{Boxed, Definiteness, Domain, Facts, Kernel, Parameter, Part};

/// Facts about standardising.
pub(super) const STANDARDIZE: Facts = Facts {
    name: "standardize",
    summary: "Scales each number column to mean 0 and variance 1 on the training objects, before a kernel.",
    formula: "x_c → (x_c - mean_c) / sd_c; sparse x_c / sd_c, with the warning W_SPARSE, where centring takes more than 64 MB and 4 times the stored values; a constant column becomes 0",
    takes: "a kernel; fitted to the training objects",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[],
    cost: "that of the kernel",
    reference: "Hsu, Chang & Lin 2003, A practical guide to support vector classification",
    example: "standardize(rbf(gamma=0.1))",
};

/// Facts about scaling to the unit interval.
pub(super) const MINMAX: Facts = Facts {
    name: "minmax",
    summary: "Scales each number column to 0..1 on the training objects, before a kernel.",
    formula: "x_c → (x_c - min_c) / (max_c - min_c), clipped to 0..1 for new objects; sparse x_c / max |x_c| within -1..1, with the warning W_SPARSE, where shifting takes more than 64 MB and 4 times the stored values; a constant column becomes 0",
    takes: "a kernel; fitted to the training objects",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[],
    cost: "that of the kernel",
    reference: "Hsu, Chang & Lin 2003, A practical guide to support vector classification",
    example: "minmax(chi2(gamma=1))",
};

/// Facts about imputation.
pub(super) const IMPUTE: Facts = Facts {
    name: "impute",
    summary: "Replaces missing values by the median, mean or most frequent value of the training objects, before a kernel.",
    formula: "numbers: the median (or mean) of the known values; categories: the most frequent value",
    takes: "a kernel; fitted to the training objects",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[Parameter {
        name: "method",
        default: "median",
        domain: Domain::Word(&["median", "mean"]),
        doc: "the replacement of a missing number",
        alias: None,
    }],
    cost: "that of the kernel",
    reference: "Little & Rubin 2019, Statistical analysis with missing data, chapter 4",
    example: "impute(standardize(rbf(gamma=0.1)))",
};

/// A transformation of columns, fitted to training objects.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// `standardize`, `minmax` and `relevance`.
    Scaling(Scaling),
    /// `impute`.
    Filling(Filling),
}

/// Fits a transformation of some columns to training objects; returns it with warnings.
pub(super) type FitChange = fn(&Call, &Dataset, &[String]) -> Result<(Change, Vec<Warning>)>;

pub(super) fn fit_standard(
    _: &Call,
    training: &Dataset,
    columns: &[String],
) -> Result<(Change, Vec<Warning>)> {
    Scaling::standard(training, columns).map(|(scaling, warnings)| (Change::Scaling(scaling), warnings))
}

pub(super) fn fit_minmax(_: &Call, training: &Dataset, columns: &[String]) -> Result<(Change, Vec<Warning>)> {
    Scaling::unit_interval(training, columns).map(|(scaling, warnings)| (Change::Scaling(scaling), warnings))
}

pub(super) fn fit_filling(
    call: &Call,
    training: &Dataset,
    columns: &[String],
) -> Result<(Change, Vec<Warning>)> {
    let (filling, warnings) = Filling::fit(training, columns, call.word("method")? == "mean")?;
    Ok((Change::Filling(filling), warnings))
}

impl Change {
    /// The data set with transformed columns.
    pub(super) fn apply(&self, data: &Dataset) -> Result<Dataset> {
        match self {
            Change::Scaling(scaling) => scaling.apply(data),
            Change::Filling(filling) => filling.apply(data),
        }
    }

    fn check(&self, data: &Dataset, columns: &[String]) -> Result<()> {
        match self {
            Change::Scaling(scaling) => scaling.check(data, columns),
            Change::Filling(filling) => filling.check(data, columns),
        }
    }

    fn step(&self) -> Step {
        match self.clone() {
            Change::Scaling(scaling) => Step::Scaling(scaling),
            Change::Filling(filling) => Step::Filling(filling),
        }
    }
}

/// The settings that distinguish transformations of columns.
pub(super) fn settings(call: &Call) -> String {
    let parameters = call.entry.facts.parameters.iter().zip(&call.settings);
    parameters.map(|(p, setting)| format!(", {}={setting}", p.name)).collect()
}

pub(super) fn standardize(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    changed(call, scope, fit_standard, stored_scaling)
}

pub(super) fn minmax(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    changed(call, scope, fit_minmax, stored_scaling)
}

pub(super) fn impute(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    changed(call, scope, fit_filling, stored_filling)
}

pub(super) fn stored_filling(step: &Step) -> Option<Change> {
    match step {
        Step::Filling(filling) => Some(Change::Filling(filling.clone())),
        _ => None,
    }
}

pub(super) fn stored_scaling(step: &Step) -> Option<Change> {
    match step {
        Step::Scaling(scaling) => Some(Change::Scaling(scaling.clone())),
        _ => None,
    }
}

/// Makes the kernel from a fitted or stored transformation.
pub(super) fn changed(
    call: &Call,
    scope: &Scope<'_>,
    fit: FitChange,
    stored: fn(&Step) -> Option<Change>,
) -> Result<Boxed<Dataset>> {
    let inner = inner_of(call)?;
    let used = inner.columns_used_within(scope.data, scope.columns)?;
    let name = call.entry.facts.name;
    let change = match scope.fit.stored()? {
        None => match relevance::is_relevance(call).then(|| scope.fit.next_preset()).flatten() {
            Some(scaling) => Change::Scaling(scaling),
            None => {
                let (change, warnings) = fit(call, scope.data, &used)?;
                warnings.into_iter().for_each(|w| scope.fit.warn(w));
                change
            }
        },
        Some(step) => stored(&step).ok_or_else(|| step.misplaced(name))?,
    };
    change.check(scope.data, &used)?;
    scope.fit.record(change.step());
    let training = change.apply(scope.data)?;
    let inner = scope.fit.kernel(inner, &Scope { data: &training, ..*scope })?;
    Ok(Boxed::new(Changed { name, settings: settings(call), change, inner }))
}

/// A kernel on transformed columns.
struct Changed<K> {
    name: &'static str,
    settings: String,
    change: Change,
    inner: K,
}

impl<K: fmt::Display> fmt::Display for Changed<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}{})", self.name, self.inner, self.settings)
    }
}

impl<K: Kernel<Dataset>> Kernel<Dataset> for Changed<K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        self.inner.prepare(&self.change.apply(objects)?)
    }

    passes_on!(inner);
}
