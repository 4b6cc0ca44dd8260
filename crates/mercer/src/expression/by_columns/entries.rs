//! How the kernels of entries follow from kernels on single columns, where it takes more than a word to say.

use super::super::change::Change;
use super::super::columns::{Scope, inner_of};
use super::super::fit::Fit;
use super::super::gamma::gamma;
use super::super::step::Step;
use super::super::tree::Call;
use super::{Form, Player, Term, alone, each_player, product_of, scaled, terms_of, viewed};
use crate::budget;
use crate::data::{Dataset, Vectors};
use crate::error::{Error, Result};
use crate::kernel::combine::Scale;
use crate::kernel::vector::Linear;
use crate::kernel::{Boxed, Normalize, RbfOf};
use crate::numeric::shapley::MOST_DEGREE;

/// A change of columns, then the kernel inside.
pub(in crate::expression) fn of_changed(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
    stored: fn(&Step) -> Option<Change>,
) -> Result<Option<Vec<Term>>> {
    let name = call.entry.facts.name;
    let Some(step) = scope.fit.stored()? else { return Err(unfitted(name)) };
    let change = stored(&step).ok_or_else(|| step.misplaced(name))?;
    let training = change.apply(scope.data)?;
    let changes = [changes, &[change]].concat();
    terms_of(inner_of(call)?, &Scope { data: &training, ..*scope }, &changes)
}

/// The error for a kernel that was not fitted.
pub(super) fn unfitted(name: &str) -> Error {
    Error::usage(format!("{name} is taken apart only after it was fitted"))
}

/// `mkl`: the weighted sum of the kernels inside.
pub(in crate::expression) fn of_weighted(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    let mut all = Vec::new();
    for inner in &call.inner {
        let Some(terms) = terms_of(inner, scope, changes)? else { return Ok(None) };
        all.push(terms);
    }
    match scope.fit.stored()? {
        Some(Step::Weights(weights)) if weights.len() == all.len() => {
            Ok(Some(all.into_iter().zip(weights).flat_map(|(terms, w)| scaled(terms, w)).collect()))
        }
        Some(other) => Err(other.misplaced(call.entry.facts.name)),
        None => Err(unfitted(call.entry.facts.name)),
    }
}

/// `learned`: the kernel with its learned numbers.
pub(in crate::expression) fn of_learned(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    match scope.fit.stored()? {
        Some(Step::Learned { kernel }) => terms_of(&kernel.parse()?, scope, changes),
        Some(other) => Err(other.misplaced(call.entry.facts.name)),
        None => Err(unfitted(call.entry.facts.name)),
    }
}

/// `diffusion`: the number of values of each column is known from the fit.
pub(in crate::expression) fn of_diffusion(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    let sizes = match scope.fit.stored()? {
        Some(Step::Alphabets { sizes }) => sizes,
        Some(other) => return Err(other.misplaced(call.entry.facts.name)),
        None => return Err(unfitted(call.entry.facts.name)),
    };
    let engine = scope.fit.engine;
    let factors = each_player(call, scope, changes, |at, scope| {
        let sizes = sizes.get(at).copied().into_iter().collect();
        let fit = Fit::new(engine, Some(vec![Step::Alphabets { sizes }]));
        call.entry.make(call, &Scope { fit: &fit, ..*scope })
    })?;
    Ok(product_of(factors.into_iter().map(|term| vec![term]).collect()))
}

/// `polynomial`: the power of a sum of products of numbers.
pub(in crate::expression) fn of_power(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    let (degree, constant, gamma) = (call.number("degree")?, call.number("c")?, gamma(call, scope)?);
    let most = MOST_DEGREE;
    if degree.fract() != 0.0 || !(1.0..=most as f64).contains(&degree) {
        return Ok(None);
    }
    let sums = each_player(call, scope, changes, |_, scope| {
        Ok(Boxed::new(Scale::new(gamma, scope.on::<Vectors, _>(call, Linear)?)?))
    })?;
    let factors = sums.into_iter().flat_map(|term| term.factors).collect();
    let form = Form::Power { constant, degree: degree as usize };
    Ok(Some(vec![Term { factors, ..Term::of(form) }]))
}

/// `normalize` around a product: the product of the normalised factors.
pub(in crate::expression) fn of_normalized(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    let terms = terms_of(inner_of(call)?, scope, changes)?;
    let Some([term]) = terms.as_deref() else { return Ok(None) };
    // A tree has one leaf of each object, so the similarity of an object with itself is 1 already.
    if let (Form::Trees(_), None) = (&term.form, &term.over) {
        return Ok(terms.map(|terms| terms.into_iter().map(|term| Term { scale: 1.0, ..term }).collect()));
    }
    let (Form::Product, None) = (&term.form, &term.over) else { return Ok(None) };
    let factors = &term.factors;
    let of =
        |(player, kernel): &(Player, Boxed<Dataset>)| (player.clone(), Boxed::new(Normalize(kernel.clone())));
    let factors = factors.iter().map(of).collect();
    Ok(Some(vec![Term { factors, ..Term::of(Form::Product) }]))
}

/// `rbf-of` around a sum over columns: the product of the Gaussians of its terms.
pub(in crate::expression) fn of_gaussian(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    let Some(terms) = terms_of(inner_of(call)?, scope, changes)? else { return Ok(None) };
    let gamma = call.number("gamma")?;
    let mut factors = Vec::new();
    for term in terms {
        let scale = term.scale;
        match &term.factors[..] {
            _ if !term.is_plain() => return Ok(None),
            // A constant is the same for both objects, and cancels.
            [] => {}
            [(player, kernel)] => {
                let kernel = RbfOf::new(Scale::new(scale, kernel.clone())?, gamma)?;
                factors.push(vec![Term::one(player.clone(), Boxed::new(kernel))]);
            }
            _ => return Ok(None),
        }
    }
    Ok(product_of(factors))
}

/// `column-sum` and `column-product`: the kernel inside on each column.
fn of_each_column(call: &Call, scope: &Scope<'_>, changes: &[Change]) -> Result<Option<Vec<Vec<Term>>>> {
    let inner = inner_of(call)?;
    // A kernel that names columns of its own uses them next to each single one.
    if !inner.named_columns().is_empty() {
        return Ok(None);
    }
    let columns = match scope.columns {
        Some(named) => named.to_vec(),
        None => inner.columns_used(scope.data)?,
    };
    let mut out = Vec::new();
    for column in columns {
        let width = scope.data.column(&column)?.values.width();
        let players = match width > 1 {
            true => Player::coordinates(&column, width),
            false => vec![Player { column, coordinate: None }],
        };
        for player in players {
            budget::check_often()?;
            let (data, named) = (alone(&player, scope.data)?, [player.to_string()]);
            let kernel = scope.fit.kernel(inner, &Scope { data: &data, columns: Some(&named), ..*scope })?;
            out.push(vec![viewed(player, changes, kernel)]);
        }
    }
    Ok(Some(out))
}

pub(in crate::expression) fn of_column_sum(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    Ok(of_each_column(call, scope, changes)?.map(|terms| terms.into_iter().flatten().collect()))
}

pub(in crate::expression) fn of_column_product(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    Ok(of_each_column(call, scope, changes)?.and_then(product_of))
}
