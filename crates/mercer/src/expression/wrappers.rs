//! Wrappers of kernels that use columns or the training objects.

use std::collections::HashSet;

use super::blocks::{Blocks, Place};
use super::columns::{Scope, inner_of};
use super::entry::Way;
use super::features::FeatureTable;
use super::pairwise::Transform;
use super::parts::{Parts, PartsOf};
use super::spread::{has_coordinates, over_columns};
use super::step::Step;
use super::tree::{Call, Expression};
use super::value::Columns;
use crate::data::{Dataset, Kind};
use crate::error::{Error, Result, Warning};
use crate::gram::{Method, Normalized, Ratio, Repair};
use crate::kernel::combine::{Product, Sum};
use crate::kernel::{
    Boxed, Center, Convolution, Definiteness, Exponential, Facts, Kernel, Part, Partial, Repaired, ZeroExtend,
};

/// Facts about the sum over columns.
pub(super) const COLUMN_SUM: Facts = Facts {
    name: "column-sum",
    summary: "The sum of the same kernel over single columns; a column of vectors counts as one per coordinate.",
    formula: "Σ_c k(x_c, y_c)",
    takes: "a kernel",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[],
    cost: "that of the kernel per column",
    reference: "Haussler 1999, convolution over the parts of a record",
    example: "column-sum(rbf(gamma=0.1))",
};

/// Facts about the product over columns.
pub(super) const COLUMN_PRODUCT: Facts = Facts {
    name: "column-product",
    summary: "The product of the same kernel over single columns; a column of vectors counts as one per coordinate.",
    formula: "Π_c k(x_c, y_c)",
    takes: COLUMN_SUM.takes,
    kinds: COLUMN_SUM.kinds,
    definiteness: COLUMN_SUM.definiteness,
    parameters: COLUMN_SUM.parameters,
    cost: COLUMN_SUM.cost,
    reference: COLUMN_SUM.reference,
    example: "column-product(laplacian(gamma=0.1))",
};

pub(super) fn center(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let (inner, engine) = (scope.inner(call)?, scope.fit.engine);
    let centred = match scope.fit.stored()? {
        None => Center::fit(inner, scope.data, engine)?,
        Some(Step::Center { grand_mean }) => Center::restore(inner, scope.data, grand_mean, engine)?,
        Some(other) => return Err(other.misplaced("center")),
    };
    scope.fit.record(Step::Center { grand_mean: centred.grand_mean() });
    Ok(Boxed::new(centred))
}

/// Values that overflow are normalised by the kernel itself, from their logarithms.
pub(super) fn way_to_normalize(call: &Call) -> Way {
    fn has_logarithms(expression: &Expression) -> bool {
        match expression {
            Expression::Group(inner, _) => has_logarithms(inner),
            Expression::Call(call) => call.entry.has_logarithms(),
            _ => false,
        }
    }
    match call.inner.first().is_some_and(has_logarithms) {
        true => Way::Kernel,
        false => Way::Inside(|_, place| place.transformed(|_| Ok(Normalized))),
    }
}

/// The features of the kernel inside, divided by their norm.
pub(super) fn normalized_table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let inner = inner_of(call)?;
    let mut all = inner.table(scope)?;
    if all.has_gaussians() {
        return Err(inner.without_features());
    }
    all.divide_by_length();
    Ok(all)
}

/// The features of the kernel inside, whose similarities are divided by what the objects have.
pub(super) fn ratio_table(call: &Call, scope: &Scope<'_>, ratio: Ratio) -> Result<FeatureTable> {
    transformed_table(call, scope, Transform::Ratio(ratio))
}

/// The features of the kernel inside a Gaussian.
pub(super) fn gaussian_table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    transformed_table(call, scope, Transform::Gaussian { gamma: call.number("gamma")? })
}

fn transformed_table(call: &Call, scope: &Scope<'_>, by: Transform) -> Result<FeatureTable> {
    let inner = inner_of(call)?;
    let mut all = inner.table(scope)?;
    // A Gaussian is divided among features from inner products alone, and nothing is divided further.
    let is_gaussian = matches!(by, Transform::Gaussian { .. });
    if all.has_gaussians() || is_gaussian && !all.is_inner_product() {
        return Err(inner.without_features());
    }
    all.transform(by);
    Ok(all)
}

/// Diffusion identifies training objects by their content, which matrices do not contain.
pub(super) fn way_to_repair(call: &Call) -> Way {
    match repair_method(call) {
        Ok(Method::Diffuse { .. }) => Way::Kernel,
        _ => Way::Inside(repair_blocks),
    }
}

fn repair_blocks(call: &Call, place: &Place<'_>) -> Result<Blocks> {
    let blocks = place.inside(0)?;
    let repair = Repair::fit(&blocks.train, repair_method(call)?)?;
    let cross = repair.apply_cross(&blocks.cross)?;
    let own = repair.self_similarities(&blocks.cross, &blocks.own)?;
    Ok(Blocks { train: repair.into_train(), cross, own })
}

fn repair_method(call: &Call) -> Result<Method> {
    Ok(match call.word("method")? {
        "clip" => Method::Clip,
        "flip" => Method::Flip,
        "shift" => Method::Shift,
        _ => Method::Diffuse { beta: call.number("beta")? },
    })
}

pub(super) fn repair(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let method = repair_method(call)?;
    // Diffusion identifies training objects by the content of the columns used, and nothing else.
    let columns = match method {
        Method::Diffuse { .. } => Some(identifying_columns(call, scope)?),
        _ => None,
    };
    let projected = columns.as_deref().map(|columns| project(scope.data, columns)).transpose()?;
    let known = projected.as_ref().unwrap_or(scope.data);
    let (inner, engine) = (scope.inner(call)?, scope.fit.engine);
    let stored = scope.fit.stored()?;
    let is_new = stored.is_none();
    let repaired = match stored {
        None => Repaired::fit(inner, known, method, engine)?,
        Some(Step::Repair { extension, report }) if report.method == method => {
            Repaired::restore(inner, known, extension, report, engine)?
        }
        Some(Step::Repair { .. }) => return Err(Error::usage("a stored repair of another method")),
        Some(other) => return Err(other.misplaced("repair")),
    };
    let report = repaired.report();
    scope.fit.record(Step::Repair { extension: repaired.extension().clone(), report: report.clone() });
    if is_new && report.negative > 0 {
        scope.fit.warn(Warning::new(
            "W_REPAIRED",
            format!(
                "{} negative eigenvalues down to {:.3e} ({:.2} % of the spectrum) were repaired by {}; the Gram matrix changed by {:.2} %",
                report.negative,
                report.lambda_min,
                100.0 * report.negative_share,
                call.word("method")?,
                100.0 * report.relative_change
            ),
        ));
    }
    Ok(match columns {
        Some(columns) => Boxed::new(Projected { columns, shown: None, inner: repaired }),
        None => Boxed::new(repaired),
    })
}

/// The exponential of the similarities of the training objects.
pub(super) fn exponential(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let (beta, scaled) = (call.number("beta")?, call.word("scale")? == "radius");
    let columns = identifying_columns(call, scope)?;
    let known = project(scope.data, &columns)?;
    let (inner, engine) = (scope.inner(call)?, scope.fit.engine);
    let kernel = match scope.fit.stored()? {
        None => Exponential::fit(inner, &known, beta, scaled, engine)?,
        Some(Step::Exponential { extension }) => {
            Exponential::restore(inner, &known, beta, scaled, extension, engine)?
        }
        Some(other) => return Err(other.misplaced("exponential")),
    };
    scope.fit.record(Step::Exponential { extension: kernel.extension().clone() });
    Ok(Boxed::new(Projected { columns, shown: None, inner: kernel }))
}

/// The columns that identify objects: those that the kernels inside use or name.
pub(super) fn identifying_columns(call: &Call, scope: &Scope<'_>) -> Result<Vec<String>> {
    let mut columns = Vec::new();
    for inner in &call.inner {
        columns.extend(inner.columns_used_within(scope.data, scope.columns)?);
        columns.extend(inner.named_columns().into_iter().map(str::to_owned));
    }
    columns.extend(scope.columns.unwrap_or_default().iter().cloned());
    let mut seen = std::collections::HashSet::new();
    columns.retain(|name| seen.insert(name.clone()));
    Ok(columns)
}

pub(super) fn column_sum(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    over_columns(call, scope, |a, b| Boxed::new(Sum(a, b)))
}

pub(super) fn column_product(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    over_columns(call, scope, |a, b| Boxed::new(Product(a, b)))
}

pub(super) fn zero_extend(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    zero_extended(inner_of(call)?, scope).map(|(_, kernel)| kernel)
}

/// The kernel that an expression extends by zero, or the expression itself.
pub(super) fn without_extension(expression: &Expression) -> Result<&Expression> {
    match expression {
        Expression::Call(call) if call.entry.facts.name == ZeroExtend::<()>::FACTS.name => inner_of(call),
        other => Ok(other),
    }
}

/// The columns that determine which objects have a value: the selected ones, even if the kernel uses others or none.
fn deciding_columns(inner: &Expression, scope: &Scope<'_>) -> Result<Vec<String>> {
    let mut columns = inner.columns_used_within(scope.data, scope.columns)?;
    columns.extend(scope.columns.unwrap_or_default().iter().cloned());
    let mut seen = HashSet::new();
    columns.retain(|name| seen.insert(name.clone()));
    Ok(columns)
}

/// The features of the kernel inside; objects without a value have none.
pub(super) fn zero_extended_table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let inner = inner_of(call)?;
    let columns = deciding_columns(inner, scope)?;
    let only = project(scope.data, &columns)?;
    let present = only.present();
    if present.is_empty() {
        return Ok(FeatureTable::empty(scope.data.len()));
    }
    let table = inner.table(&Scope { data: &only.pick(&present), ..*scope })?;
    // The Gaussian of an object without features is not 0, but its extension is.
    match table.has_gaussians() && present.len() < scope.data.len() {
        true => Err(call_of(call).without_features()),
        false => Ok(table.extended(&present, scope.data.len(), columns)),
    }
}

/// The features of the kernel on each column; names start with the column.
pub(super) fn column_sum_table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let inner = inner_of(call)?;
    let columns = match scope.columns {
        Some(named) => named.to_vec(),
        None => inner.columns_used(scope.data)?,
    };
    // Coordinates of vectors are columns of their own in the kernel, and have no features here.
    if columns.is_empty() || has_coordinates(scope.data, &columns)? {
        return Err(call_of(call).without_features());
    }
    let mut all = FeatureTable::empty(scope.data.len());
    for name in &columns {
        let alone = Some(std::slice::from_ref(name));
        let table = inner.table(&Scope { columns: alone, ..*scope })?;
        all.append(table, &format!("{name}: "));
    }
    Ok(all)
}

fn call_of(call: &Call) -> Expression {
    Expression::Call(call.clone())
}

/// A kernel extended by zero to objects without a value, and the columns that determine which have one.
pub(super) fn zero_extended(inner: &Expression, scope: &Scope<'_>) -> Result<(Vec<String>, Boxed<Dataset>)> {
    let columns = deciding_columns(inner, scope)?;
    let only = project(scope.data, &columns)?;
    let training = only.pick(&only.present());
    let kernel = scope.fit.kernel(inner, &Scope { data: &training, ..*scope })?;
    let shown = scope.columns.map(<[String]>::to_vec);
    let kernel = Projected { columns: columns.clone(), shown, inner: ZeroExtend(kernel) };
    Ok((columns, Boxed::new(kernel)))
}

pub(super) fn convolution(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let columns = scope.suitable(call)?;
    let text = scope.data.column(&columns[0])?.values.kind();
    let parts = match call.word("parts")? {
        "columns" => Parts::Columns,
        "symbols" => Parts::Symbols,
        "words" => Parts::Words,
        _ => Parts::Substrings,
    };
    if columns.len() > 1 && matches!(text, Kind::Strings | Kind::Text) {
        return Err(Error::Column {
            name: columns[1].clone(),
            reason: "convolution takes one column of strings or text".into(),
            hint: Some("name one with @, and add several convolutions with +".into()),
        });
    }
    let decomposition = PartsOf { parts, length: call.get("length")?, columns: columns.clone() };
    let (training, _) = crate::kernel::Decomposition::parts(&decomposition, scope.data)?;
    let inner = scope.fit.kernel(inner_of(call)?, &Scope { data: &training, columns: None, ..*scope })?;
    let shown = scope.columns.map(<[String]>::to_vec);
    Ok(Boxed::new(Projected { columns, shown, inner: Convolution { decomposition, inner } }))
}

/// The data set with only these columns.
pub(super) fn project(data: &Dataset, columns: &[String]) -> Result<Dataset> {
    let columns = columns.iter().map(|n| data.column(n).cloned()).collect::<Result<Vec<_>>>()?;
    data.with_columns(columns)
}

/// A kernel restricted to some columns.
pub(super) struct Projected<K> {
    pub(super) columns: Vec<String>,
    /// The columns as the expression named them, if it did.
    pub(super) shown: Option<Vec<String>>,
    pub(super) inner: K,
}

impl<K: std::fmt::Display> std::fmt::Display for Projected<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)?;
        self.shown.as_deref().map_or(Ok(()), |columns| Columns(columns).fmt(f))
    }
}

impl<K: Kernel<Dataset>> Kernel<Dataset> for Projected<K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        self.inner.prepare(&project(objects, &self.columns)?)
    }

    passes_on!(inner);
}
