//! Which numbers of an expression are learned, and the expression with other numbers in their place.

use super::super::relevance;
use super::super::tree::{Call, Expression};
use super::super::value::{Setting, Value};
use crate::error::{Error, Result};
use crate::kernel::{Domain, Parameter};

/// The numbers that are learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Which {
    /// Those at their default value, and the weights of terms without a factor.
    Defaults,
    /// All continuous ones.
    All,
}

/// A number of the expression: given, or the number of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slot {
    Given(f64),
    Learned(usize),
}

impl Slot {
    pub(super) fn value(self, values: &[f64]) -> f64 {
        match self {
            Slot::Given(value) => value,
            Slot::Learned(at) => values[at],
        }
    }
}

/// How a parameter moves: positive numbers by their logarithm, shares by that of p / (1 - p).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    Logarithm,
    Odds,
}

impl Moves {
    pub(super) fn place_of(self, value: f64) -> f64 {
        match self {
            Moves::Logarithm => value.ln(),
            Moves::Odds => {
                let value = value.clamp(1e-3, 1.0 - 1e-6);
                (value / (1.0 - value)).ln()
            }
        }
    }

    pub(super) fn to_value(self, at: f64) -> f64 {
        match self {
            Moves::Logarithm => at.exp(),
            Moves::Odds => 1.0 / (1.0 + (-at).exp()),
        }
    }

    /// The derivative of the value.
    pub(super) fn slope(self, value: f64) -> f64 {
        match self {
            Moves::Logarithm => value,
            Moves::Odds => value * (1.0 - value),
        }
    }
}

/// A number that is learned.
#[derive(Clone, Debug)]
pub(super) struct Learnable {
    /// Its name in messages.
    pub(super) name: String,
    pub(super) moves: Moves,
    /// The value it is written with, or its default.
    pub(super) written: f64,
}

/// An expression whose learned numbers are marked.
#[derive(Clone, Debug)]
pub(super) enum Marked {
    Sum(Vec<Marked>),
    Product(Vec<Marked>),
    Scale(Slot, Box<Marked>),
    Group(Box<Marked>, Vec<String>),
    Call {
        call: Call,
        /// Of each setting the parameter, if it is learned.
        slots: Vec<Option<usize>>,
        inner: Vec<Marked>,
    },
}

impl Marked {
    /// Marks the numbers that are learned and lists them.
    pub(super) fn of(expression: &Expression, which: Which) -> Result<(Marked, Vec<Learnable>)> {
        let mut all = Vec::new();
        let marked = mark(expression, which, &mut all)?;
        Ok((marked, all))
    }

    /// Whether anything is learned in it.
    pub(super) fn learns(&self) -> bool {
        match self {
            Marked::Sum(parts) | Marked::Product(parts) => parts.iter().any(Marked::learns),
            Marked::Scale(slot, inner) => matches!(slot, Slot::Learned(_)) || inner.learns(),
            Marked::Group(inner, _) => inner.learns(),
            Marked::Call { call, slots, inner } => {
                relevance::is_relevance(call)
                    || slots.iter().any(Option::is_some)
                    || inner.iter().any(Marked::learns)
            }
        }
    }

    /// Whether weights of columns are learned in it.
    pub(super) fn has_relevance(&self) -> bool {
        match self {
            Marked::Sum(parts) | Marked::Product(parts) => parts.iter().any(Marked::has_relevance),
            Marked::Scale(_, inner) | Marked::Group(inner, _) => inner.has_relevance(),
            Marked::Call { call, inner, .. } => {
                relevance::is_relevance(call) || inner.iter().any(Marked::has_relevance)
            }
        }
    }

    /// The parameters in it, in the order of their numbers.
    pub(super) fn parameters(&self) -> Vec<usize> {
        let mut out = Vec::new();
        self.collect(&mut out);
        out
    }

    fn collect(&self, out: &mut Vec<usize>) {
        match self {
            Marked::Sum(parts) | Marked::Product(parts) => parts.iter().for_each(|part| part.collect(out)),
            Marked::Scale(slot, inner) => {
                if let Slot::Learned(at) = slot {
                    out.push(*at);
                }
                inner.collect(out);
            }
            Marked::Group(inner, _) => inner.collect(out),
            Marked::Call { slots, inner, .. } => {
                out.extend(slots.iter().flatten());
                inner.iter().for_each(|part| part.collect(out));
            }
        }
    }

    /// The expression with these values.
    pub(super) fn with(&self, values: &[f64]) -> Expression {
        let all = |parts: &[Marked]| parts.iter().map(|part| part.with(values)).collect();
        match self {
            Marked::Sum(parts) => Expression::Sum(all(parts)),
            Marked::Product(parts) => Expression::Product(all(parts)),
            Marked::Scale(slot, inner) => {
                Expression::Scale(slot.value(values).into(), Box::new(inner.with(values)))
            }
            Marked::Group(inner, columns) => Expression::Group(Box::new(inner.with(values)), columns.clone()),
            Marked::Call { call, slots, inner } => {
                let mut call = Call { inner: all(inner), ..call.clone() };
                for (setting, slot) in call.settings.iter_mut().zip(slots) {
                    if let Some(at) = slot {
                        *setting = values[*at].into();
                    }
                }
                Expression::Call(call)
            }
        }
    }
}

fn mark(expression: &Expression, which: Which, all: &mut Vec<Learnable>) -> Result<Marked> {
    Ok(match expression {
        Expression::Sum(terms) => {
            Marked::Sum(terms.iter().map(|term| mark_term(term, which, all)).collect::<Result<_>>()?)
        }
        Expression::Product(factors) => {
            Marked::Product(factors.iter().map(|factor| mark(factor, which, all)).collect::<Result<_>>()?)
        }
        // Outside of a sum a factor is that of the whole kernel, which is learned with the model.
        Expression::Scale(factor, inner) => {
            let given = Slot::Given(number_of(factor)?);
            Marked::Scale(given, Box::new(mark(inner, which, all)?))
        }
        Expression::Group(inner, columns) => {
            Marked::Group(Box::new(mark(inner, which, all)?), columns.clone())
        }
        Expression::Call(call) if call.entry.facts.name == super::LEARNED.name => {
            return Err(Error::Param {
                name: "kernel".into(),
                value: call.to_string(),
                domain: "a kernel without learned inside: one learned(…) around all of it learns all of it"
                    .into(),
            });
        }
        Expression::Call(call) => {
            let inner = call.inner.iter().map(|inner| mark(inner, which, all)).collect::<Result<_>>()?;
            let slots = (0..call.settings.len()).map(|at| mark_setting(call, at, which, all)).collect();
            Marked::Call { call: call.clone(), slots, inner }
        }
    })
}

/// A term of a sum, whose weight is learned unless it has one that is to be kept.
fn mark_term(term: &Expression, which: Which, all: &mut Vec<Learnable>) -> Result<Marked> {
    let (written, inner) = match (term, which) {
        (Expression::Scale(factor, inner), Which::All) => (number_of(factor)?, &**inner),
        (Expression::Scale(..), Which::Defaults) => return mark(term, which, all),
        (other, _) => (1.0, other),
    };
    let at = all.len();
    let name = format!("weight of {}", inner.brief());
    all.push(Learnable { name, moves: Moves::Logarithm, written });
    Ok(Marked::Scale(Slot::Learned(at), Box::new(mark(inner, which, all)?)))
}

fn number_of(factor: &Setting) -> Result<f64> {
    factor
        .number()
        .ok_or_else(|| Error::param("factor", factor, "one value: a range is for a search to choose from"))
}

/// The number of the parameter that a setting becomes, if it is learned.
fn mark_setting(call: &Call, at: usize, which: Which, all: &mut Vec<Learnable>) -> Option<usize> {
    let parameter = call.entry.facts.parameters.get(at)?;
    // What is fitted to the target has parameters of its fit.
    if call.entry.depends() >= super::super::Depends::Target || call.entry.is_kept(parameter.name) {
        return None;
    }
    let setting = call.settings.get(at)?;
    let default: f64 = parameter.default.parse().ok()?;
    let written = match setting {
        Setting::Fixed(Value::Number(value)) => *value,
        // `gamma=scale` and `gamma=auto` say how it is computed.
        Setting::Fixed(Value::Word(_)) if which == Which::All => default,
        _ => return None,
    };
    if which == Which::Defaults && written != default {
        return None;
    }
    let moves = moves_of(parameter, written)?;
    let name = format!("{} of {}", parameter.name, call.entry.facts.name);
    all.push(Learnable { name, moves, written });
    Some(all.len() - 1)
}

/// How a parameter moves; `None` for discrete ones, and for those that are off at 0.
fn moves_of(parameter: &Parameter, written: f64) -> Option<Moves> {
    match parameter.domain {
        Domain::Positive | Domain::PositiveOr(_) => Some(Moves::Logarithm),
        Domain::NonNegative if written > 0.0 => Some(Moves::Logarithm),
        Domain::Share => Some(Moves::Odds),
        _ => None,
    }
}

/// The expression with every learnable number replaced by 1 and without factors: equal for expressions that differ only in
/// what was learned.
pub(super) fn shape(expression: &Expression) -> Expression {
    let all = |parts: &[Expression]| parts.iter().map(shape).collect();
    match expression {
        Expression::Sum(parts) => Expression::Sum(all(parts)),
        Expression::Product(parts) => Expression::Product(all(parts)),
        Expression::Scale(_, inner) => shape(inner),
        Expression::Group(inner, columns) => Expression::Group(Box::new(shape(inner)), columns.clone()),
        Expression::Call(call) => {
            let mut call = Call { inner: all(&call.inner), ..call.clone() };
            let parameters = call.entry.facts.parameters;
            for (setting, parameter) in call.settings.iter_mut().zip(parameters) {
                if moves_of(parameter, 1.0).is_some() {
                    *setting = 1.0.into();
                }
            }
            Expression::Call(call)
        }
    }
}
