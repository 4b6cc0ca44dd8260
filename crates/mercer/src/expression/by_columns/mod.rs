//! How a kernel on several columns follows from kernels on single ones, for Shapley values of columns.
//!
//! The value of a kernel on an object that has some columns of its own and the others of another object is a game between
//! the columns. Where it is a sum of products of one factor per column, or a power of a sum, Shapley values need only
//! polynomial time ([`shapley`](crate::numeric::shapley)). Each entry of the registry knows its form; a kernel that uses
//! one column alone, of whatever kind, is one factor.

mod entries;
mod over;
mod player;

pub(super) use entries::{
    of_changed, of_column_product, of_column_sum, of_diffusion, of_gaussian, of_learned, of_normalized,
    of_power, of_weighted,
};
pub(crate) use over::{Given, Over};
pub(super) use over::{of_center, of_forest, of_nystrom};
pub use player::Player;

use std::fmt;
use std::sync::Arc;

use super::change::Change;
use super::columns::Scope;
use super::fit::Fit;
use super::gamma::{gamma, word_of};
use super::step::Step;
use super::tree::{Call, Expression};
use super::value::{Setting, Value};
use crate::data::{Column, Dataset};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::kernel::combine::Product;
use crate::kernel::{Boxed, Definiteness, ForestKernel, Kernel, Part, TreeColumn, TreeColumnKind};

/// How the kernel of an entry follows from its kernels on single columns; a column of vectors counts as one per coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) enum ByColumns {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// Their product.
    Product,
    /// 1 for all objects.
    One,
    /// As this function says; `None` if the kernel inside has no such form.
    By(Decompose),
}

/// Takes a kernel apart: the columns were changed by these changes before.
pub(super) type Decompose = fn(&Call, &Scope<'_>, &[Change]) -> Result<Option<Vec<Term>>>;

/// A term of a sum: a game between columns.
#[derive(Clone)]
pub(crate) struct Term {
    pub(crate) scale: f64,
    pub(crate) form: Form,
    pub(crate) factors: Vec<(Player, Boxed<Dataset>)>,
    /// What objects are compared with; the support objects of the model if it is not given.
    pub(crate) over: Option<Arc<Over>>,
    /// The factors for the objects that are compared with, where those were changed before.
    pub(crate) of_changed: Option<Vec<Boxed<Dataset>>>,
}

/// How the factors of a term make its value.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Their product.
    Product,
    /// (constant + their sum)^degree.
    Power { constant: f64, degree: usize },
    /// The share of trees with the same leaf; there are no factors.
    Trees(Arc<OfTrees>),
}

/// A forest, and how the columns that it takes were changed before.
#[derive(Debug)]
pub(crate) struct OfTrees {
    pub(crate) kernel: ForestKernel,
    changes: Vec<Change>,
}

impl OfTrees {
    /// The columns of objects; `changed` if they were changed before.
    pub(crate) fn columns(&self, objects: &Dataset, changed: bool) -> Result<Vec<Column>> {
        let known = self.kernel.trees().columns().columns();
        let used = known.iter().map(|c| objects.column(&c.name).cloned()).collect::<Result<Vec<_>>>()?;
        let mut data = objects.with_columns(used)?;
        for change in self.changes.iter().filter(|_| !changed) {
            data = change.apply(&data)?;
        }
        Ok(data.columns().to_vec())
    }

    /// The place of the player of each coordinate that the trees cut; `None` if one is not among them.
    pub(crate) fn players(&self, columns: &[Player]) -> Option<Vec<usize>> {
        let place = |(column, part): (&TreeColumn, usize)| {
            let coordinate = match column.kind {
                TreeColumnKind::Numbers(width) if width > 1 => Some(part),
                _ => None,
            };
            let is = |p: &Player| {
                p.column == column.name && (p.coordinate.is_none() || p.coordinate == coordinate)
            };
            columns.iter().position(is)
        };
        self.kernel.trees().columns().coordinates().map(place).collect()
    }
}

impl Term {
    fn one(player: Player, kernel: Boxed<Dataset>) -> Self {
        Term { factors: vec![(player, kernel)], ..Term::of(Form::Product) }
    }

    /// A term without factors.
    fn of(form: Form) -> Self {
        Term { scale: 1.0, form, factors: Vec::new(), over: None, of_changed: None }
    }

    /// Whether it has the same value for all objects.
    pub(crate) fn is_constant(&self) -> bool {
        self.factors.is_empty() && !matches!(self.form, Form::Trees(_))
    }

    /// Whether it is a product of factors that are compared with the support objects, so that it can be a factor itself.
    fn is_plain(&self) -> bool {
        matches!(self.form, Form::Product) && self.over.is_none()
    }

    /// The product of both; `None` where one is no product of factors.
    fn times(&self, other: &Term) -> Option<Term> {
        let scale = self.scale * other.scale;
        for (one, rest) in [(self, other), (other, self)] {
            if rest.is_constant() && rest.is_plain() && !one.is_plain() {
                return Some(Term { scale, ..one.clone() });
            }
        }
        if !self.is_plain() || !other.is_plain() {
            return None;
        }
        let mut factors = self.factors.clone();
        for (player, kernel) in &other.factors {
            match factors.iter_mut().find(|(known, _)| known == player) {
                Some((_, own)) => *own = Boxed::new(Product(own.clone(), kernel.clone())),
                None => factors.push((player.clone(), kernel.clone())),
            }
        }
        Some(Term { scale, factors, ..Term::of(Form::Product) })
    }
}

/// Columns of vectors with more coordinates count as a whole.
pub(crate) const MOST_COORDINATES: usize = 1000;

/// The largest number of terms of a product of sums.
const MOST_TERMS: usize = 1024;

impl Expression {
    /// The fitted kernel as a sum of games between columns, from the steps of the fit; `None` if it has no such form.
    /// `training` is as in [`Expression::restore`].
    pub(crate) fn by_columns(
        &self,
        training: &Dataset,
        steps: Vec<Step>,
        engine: &Engine,
    ) -> Result<Option<Vec<Term>>> {
        engine.budget().enter(|| {
            let fit = Fit::new(engine, Some(steps));
            terms_of(self, &Scope { fit: &fit, data: training, columns: None }, &[])
        })
    }
}

fn terms_of(expression: &Expression, scope: &Scope<'_>, changes: &[Change]) -> Result<Option<Vec<Term>>> {
    match expression {
        Expression::Sum(parts) => {
            let mut all = Vec::new();
            for part in parts {
                let Some(terms) = terms_of(part, scope, changes)? else { return Ok(None) };
                all.extend(terms);
            }
            Ok(Some(all))
        }
        Expression::Product(parts) => {
            let mut factors = Vec::new();
            for part in parts {
                let Some(terms) = terms_of(part, scope, changes)? else { return Ok(None) };
                factors.push(terms);
            }
            Ok(product_of(factors))
        }
        Expression::Scale(factor, inner) => {
            let factor = factor.number().ok_or_else(|| Error::param("factor", factor, "one value"))?;
            let terms = terms_of(inner, scope, changes)?;
            Ok(terms.map(|terms| scaled(terms, factor)))
        }
        Expression::Group(inner, columns) => {
            terms_of(inner, &Scope { columns: Some(columns), ..*scope }, changes)
        }
        Expression::Call(call) => {
            let scope = Scope { columns: call.columns.as_deref().or(scope.columns), ..*scope };
            let used = expression.columns_used_within(scope.data, scope.columns)?;
            if let [column] = &used[..]
                && scope.data.column(column)?.values.width() <= 1
            {
                let kernel = scope.fit.kernel(expression, &scope)?;
                let player = Player { column: column.clone(), coordinate: None };
                return Ok(Some(vec![viewed(player, changes, kernel)]));
            }
            for column in &used {
                if scope.data.column(column)?.values.width() > MOST_COORDINATES {
                    return Ok(None);
                }
            }
            let kernels = || on_columns(call, &scope, changes);
            match call.entry.by_columns {
                None => Ok(None),
                Some(ByColumns::By(decompose)) => decompose(call, &scope, changes),
                Some(ByColumns::One) => Ok(Some(vec![Term::of(Form::Product)])),
                Some(ByColumns::Sum) => Ok(Some(kernels()?)),
                Some(ByColumns::Mean) => {
                    let terms = kernels()?;
                    let share = 1.0 / terms.len().max(1) as f64;
                    Ok(Some(scaled(terms, share)))
                }
                Some(ByColumns::Product) => {
                    Ok(product_of(kernels()?.into_iter().map(|term| vec![term]).collect()))
                }
            }
        }
    }
}

fn scaled(mut terms: Vec<Term>, factor: f64) -> Vec<Term> {
    terms.iter_mut().for_each(|term| term.scale *= factor);
    terms
}

/// The product of sums of terms, as a sum of their products.
fn product_of(factors: Vec<Vec<Term>>) -> Option<Vec<Term>> {
    let mut all = vec![Term::of(Form::Product)];
    for terms in factors {
        if all.len() * terms.len() > MOST_TERMS {
            return None;
        }
        let pairs = all.iter().flat_map(|known| terms.iter().map(|term| known.times(term)));
        all = pairs.collect::<Option<_>>()?;
    }
    Some(all)
}

/// A kernel on one player, after changes of the columns.
fn viewed(player: Player, changes: &[Change], inner: Boxed<Dataset>) -> Term {
    // Changes and coordinates are of single columns, so the kernel can be given its column alone.
    let kernel = Boxed::new(Viewed { player: player.clone(), changes: changes.to_vec(), inner });
    Term::one(player, kernel)
}

/// The players of the columns a call uses, each with the training objects that have its values alone.
fn players(call: &Call, scope: &Scope<'_>) -> Result<Vec<(Player, Dataset)>> {
    let mut out = Vec::new();
    for column in scope.suitable(call)? {
        let width = scope.data.column(&column)?.values.width();
        let players = match width > 1 {
            true => Player::coordinates(&column, width),
            false => vec![Player { column, coordinate: None }],
        };
        for player in players {
            crate::budget::check_often()?;
            let alone = alone(&player, scope.data)?;
            out.push((player, alone));
        }
    }
    Ok(out)
}

/// The data set with the values of one player as its only column, which has the player's name.
fn alone(player: &Player, data: &Dataset) -> Result<Dataset> {
    data.with_columns(vec![Column::new(player.to_string(), player.values(data)?)])
}

/// The kernel of a call on each of its columns alone.
fn on_columns(call: &Call, scope: &Scope<'_>, changes: &[Change]) -> Result<Vec<Term>> {
    // A word in place of gamma stands for all columns together.
    let mut call = call.clone();
    if let Some(word) = word_of(&call).map(str::to_owned) {
        let number = Setting::Fixed(Value::Number(gamma(&call, scope)?));
        let same = |setting: &Setting| setting.word() == Some(&word);
        call.settings.iter_mut().filter(|s| same(s)).for_each(|setting| *setting = number.clone());
    }
    each_player(&call, scope, changes, |_, scope| call.entry.make(&call, scope))
}

/// A kernel for each player among the columns of a call.
fn each_player(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
    mut make: impl FnMut(usize, &Scope<'_>) -> Result<Boxed<Dataset>>,
) -> Result<Vec<Term>> {
    let all = players(call, scope)?;
    let one = |(at, (player, data)): (usize, (Player, Dataset))| {
        let columns = [player.to_string()];
        let kernel = make(at, &Scope { data: &data, columns: Some(&columns), ..*scope })?;
        Ok(viewed(player, changes, kernel))
    };
    all.into_iter().enumerate().map(one).collect()
}

/// A kernel on the values of one player.
struct Viewed {
    player: Player,
    changes: Vec<Change>,
    inner: Boxed<Dataset>,
}

impl fmt::Display for Viewed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.inner, self.player)
    }
}

impl Kernel<Dataset> for Viewed {
    type Prepared = <Boxed<Dataset> as Kernel<Dataset>>::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        let mut data = objects.with_columns(vec![objects.column(&self.player.column)?.clone()])?;
        for change in &self.changes {
            data = change.apply(&data)?;
        }
        match self.player.coordinate {
            None => self.inner.prepare(&data),
            Some(_) => self.inner.prepare(&alone(&self.player, &data)?),
        }
    }

    passes_on!(inner);
}
