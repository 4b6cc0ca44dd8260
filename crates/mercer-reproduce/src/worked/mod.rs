//! Worked values of textbooks and slides: what was printed, next to what the library computes.
//!
//! An [`Example`] is data: the objects, the quantity (a kernel expression and what is computed of it) and the figures as they were
//! printed, with their place in the source. One function computes all of them. A computed value agrees with a printed one when
//! it is within half a unit of the last printed place. Where a source gives a formula and no figures, the formula is
//! evaluated by plain loops instead, and both sides must agree to 1e-9.

mod chapter;
mod compute;
mod render;
mod slides;
#[cfg(test)]
mod tests;

pub use chapter::CHAPTER;
pub use compute::Quantity;
pub use slides::SLIDES;

use super::StudyResult;
use crate::data::{Dataset, Dense};
use crate::error::{Error, Result};
use crate::gram::Engine;

/// A source with worked values.
#[derive(Clone, Copy)]
pub struct WorkedSource {
    /// The name of the study.
    pub name: &'static str,
    /// Authors, title and part.
    pub citation: &'static str,
    /// Its examples, in its order.
    pub examples: &'static [Example],
    /// Misprints, and what is in the source but not here, each with its place.
    pub remarks: &'static [&'static str],
}

/// A worked value of a source, or a table of them.
#[derive(Clone, Copy)]
pub struct Example {
    /// The heading under which it stands in the source.
    pub place: &'static str,
    /// What it is.
    pub what: &'static str,
    /// The objects.
    pub objects: fn() -> Result<Dataset>,
    /// What is computed of them.
    pub quantity: Quantity,
    /// A name for each row of values.
    pub rows: &'static [&'static str],
    /// What it is compared with.
    pub reference: Reference,
}

/// What a computed value is compared with.
#[derive(Clone, Copy)]
pub enum Reference {
    /// Figures, row by row, as they are printed.
    Printed(&'static [&'static [&'static str]]),
    /// The value of the source's formula, by plain loops: the source prints no figures.
    Formula(fn() -> Result<Dense>),
}

/// One row of values, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    /// The name of the row.
    pub name: &'static str,
    /// The figures of the source, or the values of its formula.
    pub expected: Vec<f64>,
    /// The decimals they are printed with.
    pub decimals: Vec<usize>,
    /// What the library computes.
    pub computed: Vec<f64>,
    /// For each value, whether both agree.
    pub agrees: Vec<bool>,
}

impl ComparedRow {
    /// The largest deviation from what was printed.
    pub fn deviation(&self) -> f64 {
        let each = self.expected.iter().zip(&self.computed);
        each.map(|(e, c)| (e - c).abs()).fold(0.0, f64::max)
    }
}

/// An example, compared.
#[derive(Clone)]
pub struct ComparedExample {
    /// The example.
    pub example: Example,
    /// Its rows.
    pub rows: Vec<ComparedRow>,
}

impl ComparedExample {
    /// Whether the source prints the figures.
    pub fn is_printed(&self) -> bool {
        matches!(self.example.reference, Reference::Printed(_))
    }
}

/// How far both sides of a formula may be apart, relative to the larger of 1 and the value.
const FORMULA: f64 = 1e-9;

/// Computes an example and compares it with what its source says.
pub fn compare(example: &Example, engine: &Engine) -> Result<ComparedExample> {
    let computed = example.quantity.compute(&(example.objects)()?, engine)?;
    let (expected, decimals) = match example.reference {
        Reference::Printed(rows) => {
            (printed(rows)?, rows.iter().map(|r| r.iter().map(|t| places(t)).collect()).collect())
        }
        Reference::Formula(formula) => {
            let values = formula()?;
            // As many decimals as leave a row of five values next to five others on a terminal.
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

/// Runs all examples of a source.
pub(super) fn run(source: &WorkedSource, engine: &Engine) -> Result<StudyResult> {
    let each = |example: &Example| {
        engine.budget().check()?;
        compare(example, engine)
    };
    let compared = source.examples.iter().map(each).collect::<Result<Vec<_>>>()?;
    Ok(render::result(source, &compared))
}

/// Figures as numbers.
fn printed(rows: &[&[&str]]) -> Result<Dense> {
    let cols = rows.first().map_or(0, |r| r.len());
    let mut out = Dense::zeros(rows.len(), cols);
    for (i, row) in rows.iter().enumerate() {
        for (to, text) in out.row_mut(i).iter_mut().zip(*row) {
            *to = text.parse().map_err(|_| Error::param("printed", text, "a number"))?;
        }
    }
    Ok(out)
}

/// The decimals of a printed figure.
fn places(text: &str) -> usize {
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}
