//! Worked examples of textbooks and slides: printed values compared with computed ones.
//!
//! An [`Example`] consists of the objects, the quantity (a kernel expression and what is computed from it), and the
//! printed values with their place in the source. One function computes all of them. A computed value agrees with a
//! printed one if it is within half a unit of the last printed digit. If a source gives a formula without values, the
//! formula is evaluated by explicit loops, and both sides must agree to 1e-9.

mod chapter;
mod compute;
mod render;
mod slides;
#[cfg(test)]
mod tests;

pub use chapter::CHAPTER;
pub use compute::Quantity;
pub use render::{WorkedReport, WorkedValue};
pub use slides::SLIDES;

use crate::data::{Dataset, Dense};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::sheet::Page;

/// A source with worked examples.
#[derive(Clone, Copy)]
pub struct WorkedSource {
    /// The name of the study.
    pub name: &'static str,
    /// Authors, title and part.
    pub citation: &'static str,
    /// Its examples, in its order.
    pub examples: &'static [Example],
    /// Misprints, and omitted parts of the source, each with its place.
    pub remarks: &'static [&'static str],
}

/// A worked value of a source, or a table of values.
#[derive(Clone, Copy)]
pub struct Example {
    /// The heading under which it appears in the source.
    pub place: &'static str,
    /// A description.
    pub what: &'static str,
    /// The objects.
    pub objects: fn() -> Result<Dataset>,
    /// The quantity computed from them.
    pub quantity: Quantity,
    /// A name for each row of values.
    pub rows: &'static [&'static str],
    /// The reference values.
    pub reference: Reference,
}

/// An example with printed values.
const fn printed(
    (place, what): (&'static str, &'static str),
    objects: fn() -> Result<Dataset>,
    quantity: Quantity,
    rows: &'static [&'static str],
    figures: &'static [&'static [&'static str]],
) -> Example {
    Example { place, what, objects, quantity, rows, reference: Reference::Printed(figures) }
}

/// An example with a formula.
const fn formula(
    (place, what): (&'static str, &'static str),
    objects: fn() -> Result<Dataset>,
    quantity: Quantity,
    rows: &'static [&'static str],
    value: fn() -> Result<Dense>,
) -> Example {
    Example { place, what, objects, quantity, rows, reference: Reference::Formula(value) }
}

/// The reference of a computed value.
#[derive(Clone, Copy)]
pub enum Reference {
    /// The printed values, row by row.
    Printed(&'static [&'static [&'static str]]),
    /// The value of the source's formula, by explicit loops: the source prints no values.
    Formula(fn() -> Result<Dense>),
}

/// One row of values with its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    /// The name of the row.
    pub name: &'static str,
    /// The printed values, or the values of the formula.
    pub expected: Vec<f64>,
    /// The number of printed decimals.
    pub decimals: Vec<usize>,
    /// The computed values.
    pub computed: Vec<f64>,
    /// For each value, whether both agree.
    pub agrees: Vec<bool>,
}

impl ComparedRow {
    /// The largest deviation from the printed values.
    pub fn deviation(&self) -> f64 {
        let each = self.expected.iter().zip(&self.computed);
        each.map(|(e, c)| (e - c).abs()).fold(0.0, f64::max)
    }
}

/// An example with its comparison.
#[derive(Clone)]
pub struct ComparedExample {
    /// The example.
    pub example: Example,
    /// Its rows.
    pub rows: Vec<ComparedRow>,
}

impl ComparedExample {
    /// Whether the source prints the values.
    pub fn is_printed(&self) -> bool {
        matches!(self.example.reference, Reference::Printed(_))
    }
}

/// The tolerance for formulas, relative to the larger of 1 and the value.
const FORMULA: f64 = 1e-9;

/// Computes an example and compares it with its reference.
pub fn compare(example: &Example, engine: &Engine) -> Result<ComparedExample> {
    let computed = example.quantity.compute(&(example.objects)()?, engine)?;
    let (expected, decimals) = match example.reference {
        Reference::Printed(rows) => {
            (parsed(rows)?, rows.iter().map(|r| r.iter().map(|t| places(t)).collect()).collect())
        }
        Reference::Formula(formula) => {
            let values = formula()?;
            // Enough decimals so that five printed and five computed values fit in a terminal row.
            let shown = if values.cols() > 1 { 2 } else { 4 };
            let decimals = vec![vec![shown; values.cols()]; values.rows()];
            (values, decimals)
        }
    };
    let shape = |m: &Dense| format!("{} by {}", m.rows(), m.cols());
    if (expected.rows(), expected.cols()) != (computed.rows(), computed.cols())
        || example.rows.len() != computed.rows()
    {
        return Err(Error::Shape { expected: shape(&expected), found: shape(&computed) });
    }
    let computed = example.quantity.aligned(computed, &expected);
    let exact = matches!(example.reference, Reference::Formula(_));
    let decimals: Vec<Vec<usize>> = decimals;
    let row = |(at, name): (usize, &&'static str)| {
        let agrees = |c: usize| {
            let (want, got) = (expected.at(at, c), computed.at(at, c));
            let half = 0.5 * 0.1f64.powi(decimals[at][c] as i32);
            let allowed = if exact { FORMULA * want.abs().max(1.0) } else { half * (1.0 + 1e-9) };
            (want - got).abs() <= allowed
        };
        ComparedRow {
            name,
            expected: expected.row(at).to_vec(),
            decimals: decimals[at].clone(),
            computed: computed.row(at).to_vec(),
            agrees: (0..expected.cols()).map(agrees).collect(),
        }
    };
    Ok(ComparedExample { example: *example, rows: example.rows.iter().enumerate().map(row).collect() })
}

impl WorkedSource {
    /// Runs all examples.
    pub(crate) fn run(&self, engine: &Engine) -> Result<(Page, WorkedReport)> {
        let each = |example: &Example| {
            engine.budget().check()?;
            compare(example, engine)
        };
        let compared = self.examples.iter().map(each).collect::<Result<Vec<_>>>()?;
        Ok(render::result(self, &compared))
    }
}

/// Parses printed values.
fn parsed(rows: &[&[&str]]) -> Result<Dense> {
    let cols = rows.first().map_or(0, |r| r.len());
    let mut out = Dense::zeros(rows.len(), cols);
    for (i, row) in rows.iter().enumerate() {
        for (to, text) in out.row_mut(i).iter_mut().zip(*row) {
            *to = text.parse().map_err(|_| Error::param("printed", text, "a number"))?;
        }
    }
    Ok(out)
}

/// The number of decimals of a printed value.
fn places(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}
