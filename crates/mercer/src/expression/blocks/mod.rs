//! Expressions as matrices, for many divisions of one data set into training and test objects.
//!
//! A search asks for the same kernel at many gammas, powers and divisions. What does not depend on a division (distances, the
//! matrix of a kernel that is not fitted) is computed once for all objects, and a division picks its entries; what is
//! fitted (scaling, centring, walks) is fitted to the training objects of each division alone. One eigendecomposition
//! serves every power of a walk, one matrix of distances every gamma.
//!
//! Fitting each kernel to each division with [`Expression::fit`] would be simpler, and is what happens to whatever has no
//! way of its own here; for a grid over gamma and the steps of a walk it would repeat most of the work.

mod block;
mod wrapped;

pub use block::Blocks;

use std::cmp::Ordering::Equal;
use std::collections::HashMap;
use std::sync::Arc;

use crate::data::{Dataset, Dense, Vectors};
use crate::error::{Error, Result};
use crate::expression::change::{Change, is_change, settings};
use crate::expression::columns::{Scope, inner_of};
use crate::expression::fit::Fit;
use crate::expression::gamma;
use crate::expression::graphs;
use crate::expression::tree::{Call, Expression};
use crate::expression::walks;
use crate::gram::{Engine, SupportWalk, TransductiveWalk, Walk};
use crate::kernel::vector::SquaredDistance;
use crate::kernel::{Boxed, Kernel};
use crate::numeric::math;

/// The matrices of expressions over one data set.
///
/// ```
/// use mercer::{data::{Dataset, Dense}, expression::{Expression, Matrices, Shared}, gram::Engine};
/// let data = Dataset::of_vectors(Dense::from_rows(&[[0.0], [1.0], [3.0]]));
/// let engine = Engine::new();
/// let mut matrices = Matrices::new(&data, &engine);
/// let grid: Expression = "walk(rbf(gamma=[0.1, 1]), p=1..3)".parse()?;
/// let one = grid.pick(&[1, 0])?;
/// matrices.prepare(std::slice::from_ref(&one))?;
/// let blocks = matrices.blocks(&one, &[0, 2], &[1], &mut Shared::default())?;
/// assert!((blocks.cross.at(0, 0) - (-1.0f64).exp()).abs() < 1e-15); // p = 1: the objects 0 and 1 themselves
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct Matrices<'a> {
    data: &'a Dataset,
    engine: &'a Engine,
    /// Over all objects, by what they hold.
    whole: HashMap<String, Arc<Dense>>,
}

/// What expressions share within one division.
#[derive(Default)]
pub struct Shared {
    changed: HashMap<String, Arc<Dataset>>,
    distances: HashMap<String, Arc<Blocks>>,
    walks: HashMap<String, Arc<Walked>>,
}

/// The base of a walk, taken apart.
enum Walked {
    Train(Walk, Blocks),
    Support(SupportWalk, Blocks),
    All(TransductiveWalk),
}

/// Expressions whose matrices over all objects are wanted, with the columns in force, by key.
type Wanted = HashMap<String, (Expression, Option<Vec<String>>)>;

/// The division an expression is evaluated for, and the columns in force.
#[derive(Clone)]
struct Place<'p> {
    train: &'p [usize],
    test: &'p [usize],
    columns: Option<&'p [String]>,
    /// Training then test objects with changed columns, and what changed them; not the whole data then.
    changed: Option<(String, Arc<Dataset>)>,
}

impl Place<'_> {
    fn key(&self, what: &str) -> String {
        let changed = self.changed.as_ref().map_or("", |s| &s.0);
        format!("{changed}|{what}|{:?}", self.columns)
    }
}

impl<'a> Matrices<'a> {
    /// Matrices over these objects; nothing is computed yet.
    pub fn new(data: &'a Dataset, engine: &'a Engine) -> Self {
        Matrices { data, engine, whole: HashMap::new() }
    }

    /// Computes what these expressions need of all objects together, on all cores, and forgets what only others needed.
    /// Distances are kept: the next gammas need them too.
    pub fn prepare(&mut self, expressions: &[Expression]) -> Result<()> {
        let mut wanted = HashMap::new();
        for expression in expressions {
            self.collect(expression, None, &mut wanted)?;
        }
        self.whole.retain(|key, _| key.starts_with(DISTANCES) || wanted.contains_key(key));
        self.prepare_rounds(&wanted)?;
        for (key, (expression, columns)) in wanted {
            if self.whole.contains_key(&key) {
                continue;
            }
            let kernel = match key.starts_with(DISTANCES) {
                true => self.distance_kernel(&expression, columns.as_deref(), self.data)?,
                false => self.fit(&expression, columns.as_deref(), self.data)?,
            };
            let gram = self.engine.gram(&kernel, self.data)?;
            self.whole.insert(key, Arc::new(gram));
        }
        Ok(())
    }

    /// The matrices of Weisfeiler–Lehman kernels that differ only in the number of rounds: those of fewer rounds come
    /// by the way.
    fn prepare_rounds(&mut self, wanted: &Wanted) -> Result<()> {
        type Kernel<'w> = (&'w str, &'w Call, &'w Option<Vec<String>>);
        let mut alike: HashMap<String, Vec<Kernel<'_>>> = HashMap::new();
        for (key, (expression, columns)) in wanted.iter().filter(|(key, _)| !self.whole.contains_key(*key)) {
            if let Expression::Call(call) = expression
                && call.entry.facts.name == "wl"
            {
                let others = plain_key(&graphs::without_rounds(call), columns.as_deref());
                alike.entry(others).or_default().push((key, call, columns));
            }
        }
        for group in alike.into_values().filter(|group| group.len() > 1) {
            let rounds = group.iter().map(|(key, call, _)| Ok((call.number("h")? as usize, *key)));
            let rounds = rounds.collect::<Result<HashMap<usize, &str>>>()?;
            let Some((_, call, columns)) = group
                .iter()
                .max_by(|a, b| a.1.number("h").ok().partial_cmp(&b.1.number("h").ok()).unwrap_or(Equal))
            else {
                continue;
            };
            let fit = Fit::new(self.engine, None);
            let scope = Scope { fit: &fit, data: self.data, columns: columns.as_deref() };
            let mut made = Vec::new();
            graphs::each_round(call, &scope, |h, gram| {
                if let Some(key) = rounds.get(&h) {
                    made.push(((*key).to_owned(), Arc::new(gram.clone())));
                }
            })?;
            self.whole.extend(made);
        }
        Ok(())
    }

    /// The matrices over all objects that an expression needs, by key.
    fn collect(
        &self,
        expression: &Expression,
        columns: Option<&[String]>,
        wanted: &mut Wanted,
    ) -> Result<()> {
        match expression {
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter().try_for_each(|e| self.collect(e, columns, wanted))
            }
            Expression::Scale(_, inner) => self.collect(inner, columns, wanted),
            Expression::Group(inner, own) => self.collect(inner, Some(own), wanted),
            Expression::Call(call) => {
                let columns = call.columns.as_deref().or(columns);
                match way(call, expression) {
                    // Changed columns are of one division.
                    Way::Changed | Way::Fitted => Ok(()),
                    Way::Inside => call.inner.iter().try_for_each(|e| self.collect(e, columns, wanted)),
                    Way::Distance => {
                        let entry = (expression.clone(), columns.map(<[String]>::to_vec));
                        wanted.insert(distance_key(columns), entry);
                        Ok(())
                    }
                    Way::Plain => {
                        let entry = (expression.clone(), columns.map(<[String]>::to_vec));
                        wanted.insert(plain_key(expression, columns), entry);
                        Ok(())
                    }
                }
            }
        }
    }

    /// The blocks of an expression without ranges for one division of the objects.
    ///
    /// `shared` serves every expression of one division; another division needs a fresh one.
    pub fn blocks(
        &self,
        expression: &Expression,
        train: &[usize],
        test: &[usize],
        shared: &mut Shared,
    ) -> Result<Blocks> {
        self.evaluate(expression, &Place { train, test, columns: None, changed: None }, shared)
    }

    fn evaluate(&self, expression: &Expression, place: &Place<'_>, shared: &mut Shared) -> Result<Blocks> {
        match expression {
            Expression::Sum(parts) => self.fold(parts, place, shared, |a, b| a + b),
            Expression::Product(parts) => self.fold(parts, place, shared, |a, b| a * b),
            Expression::Scale(factor, inner) => {
                let factor = factor.number().ok_or_else(|| {
                    Error::param("factor", factor, "one value: a range is for a search to choose from")
                })?;
                let mut blocks = self.evaluate(inner, place, shared)?;
                blocks.map(|v| factor * v);
                Ok(blocks)
            }
            Expression::Group(inner, columns) => {
                self.evaluate(inner, &Place { columns: Some(columns), ..place.clone() }, shared)
            }
            Expression::Call(call) => {
                let place = Place { columns: call.columns.as_deref().or(place.columns), ..place.clone() };
                match way(call, expression) {
                    Way::Plain => self.plain(expression, &place),
                    Way::Distance => self.gaussian(call, expression, &place, shared),
                    Way::Changed => self.changed(call, &place, shared),
                    Way::Inside => self.wrapped(call, &place, shared),
                    Way::Fitted => self.fitted(expression, &place),
                }
            }
        }
    }

    fn fold(
        &self,
        parts: &[Expression],
        place: &Place<'_>,
        shared: &mut Shared,
        join: fn(f64, f64) -> f64,
    ) -> Result<Blocks> {
        let (first, rest) =
            parts.split_first().ok_or_else(|| Error::usage("an empty sum or product of kernels"))?;
        let mut all = self.evaluate(first, place, shared)?;
        for part in rest {
            let other = self.evaluate(part, place, shared)?;
            all.join(&other, join);
        }
        Ok(all)
    }

    /// A kernel that is not fitted: entries of its matrix over all objects.
    fn plain(&self, expression: &Expression, place: &Place<'_>) -> Result<Blocks> {
        match (&place.changed, self.whole.get(&plain_key(expression, place.columns))) {
            (None, Some(whole)) => Ok(Blocks::cut(whole, place.train, place.test)),
            _ => {
                let (kernel, data) = match &place.changed {
                    Some((_, data)) => (self.fit(expression, place.columns, data)?, data.as_ref()),
                    None => (self.fit(expression, place.columns, self.data)?, self.data),
                };
                self.compute(&kernel, data, place)
            }
        }
    }

    /// exp(-gamma·D) with the distances shared by all gammas.
    fn gaussian(
        &self,
        call: &Call,
        expression: &Expression,
        place: &Place<'_>,
        shared: &mut Shared,
    ) -> Result<Blocks> {
        let key = place.key("distance");
        let known = shared.distances.get(&key).cloned();
        let distances = match known {
            Some(known) => known,
            None => {
                let blocks = match (&place.changed, self.whole.get(&distance_key(place.columns))) {
                    (None, Some(whole)) => Blocks::cut(whole, place.train, place.test),
                    _ => {
                        let data = place.changed.as_ref().map_or(self.data, |s| &s.1);
                        let kernel = self.distance_kernel(expression, place.columns, data)?;
                        self.compute(&kernel, data, place)?
                    }
                };
                let blocks = Arc::new(blocks);
                shared.distances.insert(key, blocks.clone());
                blocks
            }
        };
        let gamma = self.gamma(call, place)?;
        let mut blocks = (*distances).clone();
        for values in [blocks.train.values_mut(), blocks.cross.values_mut(), &mut blocks.own] {
            math::vectorised(
                #[inline(always)]
                || values.iter_mut().for_each(|v| *v = math::exp(-gamma * *v)),
            );
        }
        Ok(blocks)
    }

    /// The number gamma is set to, or what the training objects of the split say.
    fn gamma(&self, call: &Call, place: &Place<'_>) -> Result<f64> {
        let Some(word) = gamma::word_of(call) else { return call.number("gamma") };
        let training = match &place.changed {
            Some((_, data)) => data.select(&(0..place.train.len()).collect::<Vec<_>>()),
            None => self.data.select(place.train),
        };
        gamma::of_columns(word, &training, &call.columns_among(&training, place.columns)?)
    }

    /// Columns changed by what the training objects say.
    fn changed(&self, call: &Call, place: &Place<'_>, shared: &mut Shared) -> Result<Blocks> {
        let inner = inner_of(call)?;
        let here = place.changed.as_ref().map_or(self.data, |s| &s.1);
        let used = inner.columns_used_within(here, place.columns)?;
        let key = place.key(&format!("{}{}{used:?}", call.entry.facts.name, settings(call)));
        let known = shared.changed.get(&key).cloned();
        let data = match known {
            Some(known) => known,
            None => {
                let rows: Vec<usize> = match place.changed {
                    Some(_) => (0..here.len()).collect(),
                    None => place.train.iter().chain(place.test).copied().collect(),
                };
                let local = here.select(&rows);
                let training = local.select(&(0..place.train.len()).collect::<Vec<_>>());
                let data = Arc::new(Change::fit(call, &training, &used)?.0.apply(&local)?);
                shared.changed.insert(key.clone(), data.clone());
                data
            }
        };
        self.evaluate(inner, &Place { changed: Some((key, data)), ..place.clone() }, shared)
    }

    /// Powers of the matrix of the kernel inside: taken apart once for all of them.
    fn walk(
        &self,
        call: &Call,
        inner: &Expression,
        place: &Place<'_>,
        shared: &mut Shared,
    ) -> Result<Blocks> {
        let (through, p) = (call.word("through")?, call.number("p")? as u32);
        let scaled = call.word("scale")? == "radius";
        let c = call.number("C")?;
        let key = place.key(&format!("{through} {c} {inner}"));
        let known = shared.walks.get(&key).cloned();
        let walked = match known {
            Some(known) => known,
            None => {
                let walked = Arc::new(self.take_apart(through, c, inner, place, shared)?);
                // Grids run through the powers first: what other bases left behind is not needed again.
                shared.walks.clear();
                shared.walks.insert(key, walked.clone());
                walked
            }
        };
        let (mut blocks, factor) = match &*walked {
            Walked::Train(walk, base) => {
                // Their coordinates serve both.
                let new = walk.objects(&base.cross, &base.own)?;
                let (cross, own) = (new.cross(p)?, new.self_similarities(p)?);
                (Blocks { train: walk.train(p)?, cross, own }, walk.factor(p))
            }
            Walked::Support(walk, base) => {
                let cross = walk.cross(&base.cross, p)?;
                let own = walk.self_similarities(&base.cross, &base.own, p)?;
                (Blocks { train: walk.train(p)?, cross, own }, walk.walk().factor(p))
            }
            Walked::All(walk) => {
                let (train, cross, own) = walk.blocks(p)?;
                (Blocks { train, cross, own }, walk.walk().factor(p))
            }
        };
        if !scaled {
            blocks.map(|v| v * factor);
        }
        Ok(blocks)
    }

    fn take_apart(
        &self,
        through: &str,
        c: f64,
        inner: &Expression,
        place: &Place<'_>,
        shared: &mut Shared,
    ) -> Result<Walked> {
        if through == "all" {
            // Training and test objects together are one set.
            let together: Vec<usize> = place.train.iter().chain(place.test).copied().collect();
            let n = place.train.len();
            let whole = Place { train: &together, test: &[], ..place.clone() };
            let base = self.evaluate(inner, &whole, &mut Shared::default())?;
            return Ok(Walked::All(TransductiveWalk::of(&base.train, &(0..n).collect::<Vec<_>>())?));
        }
        let base = self.evaluate(inner, place, shared)?;
        if through != "support" {
            return Ok(Walked::Train(Walk::of(&base.train)?, base));
        }
        let (n, here) = (place.train.len(), place.changed.as_ref().map(|(_, data)| data));
        let training = match here {
            Some(data) => data.select(&(0..n).collect::<Vec<_>>()),
            None => self.data.select(place.train),
        };
        let fit = Fit::new(self.engine, None);
        let scope = Scope { fit: &fit, data: &training, columns: place.columns };
        let chosen = walks::support(&base.train, c, &scope)?;
        Ok(Walked::Support(SupportWalk::of(&base.train, &chosen)?, base))
    }

    /// Whatever has no way of its own: fitted to the training objects, then compared.
    fn fitted(&self, expression: &Expression, place: &Place<'_>) -> Result<Blocks> {
        let n = place.train.len();
        let rows: Vec<usize> = place.train.iter().chain(place.test).copied().collect();
        let local = match &place.changed {
            Some((_, data)) => data.as_ref().clone(),
            None => self.data.select(&rows),
        };
        let training = local.select(&(0..n).collect::<Vec<_>>());
        let test = local.select(&(n..rows.len()).collect::<Vec<_>>());
        let kernel = self.fit(expression, place.columns, &training)?;
        if kernel.is_transductive() {
            let kernel = self.fit(expression, place.columns, &local)?;
            let whole = self.engine.gram(&kernel, &local)?;
            let (all, new): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (n..rows.len()).collect());
            return Ok(Blocks::cut(&whole, &all, &new));
        }
        Blocks::compute(&kernel, &training, &test, self.engine)
    }

    /// Blocks of a kernel on data whose rows are the division's (when columns were changed) or all objects.
    fn compute(&self, kernel: &Boxed<Dataset>, data: &Dataset, place: &Place<'_>) -> Result<Blocks> {
        let n = place.train.len();
        let pick = |rows: Vec<usize>| data.select(&rows);
        let (train, test) = match place.changed {
            Some(_) => (pick((0..n).collect()), pick((n..n + place.test.len()).collect())),
            None => (pick(place.train.to_vec()), pick(place.test.to_vec())),
        };
        Blocks::compute(kernel, &train, &test, self.engine)
    }

    fn fit(
        &self,
        expression: &Expression,
        columns: Option<&[String]>,
        data: &Dataset,
    ) -> Result<Boxed<Dataset>> {
        let fit = Fit::new(self.engine, None);
        fit.kernel(expression, &Scope { fit: &fit, data, columns })
    }

    fn distance_kernel(
        &self,
        expression: &Expression,
        columns: Option<&[String]>,
        data: &Dataset,
    ) -> Result<Boxed<Dataset>> {
        let Expression::Call(call) = expression else {
            return Err(Error::usage("distances of what is no kernel"));
        };
        let fit = Fit::new(self.engine, None);
        Scope { fit: &fit, data, columns }.on::<Vectors, _>(call, SquaredDistance)
    }
}

/// How a kernel is evaluated.
enum Way {
    /// Its matrix over all objects, computed once.
    Plain,
    /// From distances over all objects, computed once.
    Distance,
    /// On columns changed by what the training objects say.
    Changed,
    /// From the matrices of the kernel inside.
    Inside,
    /// Fitted to each division.
    Fitted,
}

fn way(call: &Call, expression: &Expression) -> Way {
    match call.entry.facts.name {
        "rbf" => Way::Distance,
        // Values that only their logarithms hold are for the kernel itself to normalise.
        "normalize" if call.inner.first().is_some_and(has_logarithms) => Way::Plain,
        // Diffusion knows training objects by their content.
        "repair" if call.word("method").is_ok_and(|method| method == "diffuse") => Way::Fitted,
        "normalize" | "center" | "repair" | "walk" | "rbf-of" => Way::Inside,
        // Objects without a value, and channels, are for the kernel itself to look for.
        "similarity" if plain_similarity(call) => Way::Inside,
        _ if is_change(call) => Way::Changed,
        _ if expression.is_fitted() => Way::Fitted,
        _ => Way::Plain,
    }
}

/// Whether an expression is one kernel that offers logarithms: [`Kernel::log_fill`].
fn has_logarithms(expression: &Expression) -> bool {
    match expression {
        Expression::Group(inner, _) => has_logarithms(inner),
        Expression::Call(call) => matches!(call.entry.facts.name, "local-alignment" | "alignment-diffusion"),
        _ => false,
    }
}

fn plain_similarity(call: &Call) -> bool {
    let is = |name: &str, word: &str| call.word(name).is_ok_and(|w| w == word);
    is("missing", "refuse") && is("channels", "together")
}

const DISTANCES: &str = "distances";

fn distance_key(columns: Option<&[String]>) -> String {
    format!("{DISTANCES} {columns:?}")
}

fn plain_key(expression: &Expression, columns: Option<&[String]>) -> String {
    format!("{expression} {columns:?}")
}

#[cfg(test)]
mod tests;
