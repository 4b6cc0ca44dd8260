//! The voted perceptron: all weight vectors of the training vote.

use super::learner::{ClassCodes, Learner, ModelOutput, PredictFrom, Predictor, Resources};
use super::rows::Rows;
use super::targets::{check_codes, choose, finite, positive, sides};
use super::typed::{Classifier, fit_labels};
use crate::budget::{self, Budget};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::numeric::check::check_cross;
use crate::parallel;
use crate::random::Random;
use crate::solve::Columns;
use crate::traits::Kernel;

/// The order in which training objects are visited, the same in every round.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// As the objects are given.
    Given,
    /// In a random order that depends on the seed only.
    Seeded(u64),
    /// In this sequence of object indices, which may omit or repeat some.
    Sequence(Vec<usize>),
}

/// How the weight vectors of a voted perceptron are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// Σ_m c_m sign(v_m·x): each votes with its survival count; sign(0) = 0.
    #[default]
    Vote,
    /// Σ_m c_m (v_m·x): the average decides.
    Average,
    /// The last weight vector decides, as in the ordinary perceptron.
    Last,
}

/// The voted perceptron of Freund and Schapire, kernelised.
///
/// Training is that of the perceptron: where y (v·x) ≤ 0, v becomes v + y x. But each v_m is kept with its survival
/// count c_m, the number of visits it lasted (including the one that created it), and all decide together, by a
/// [`Rule`]. In feature space v_m is the sum of the first m mistakes, so only the mistakes are stored, once each, and
/// all v_m·x are computed in one pass over them. Two classes give one model, positive for class 1; more give one model
/// per class against the rest.
///
/// * `rounds`: passes over the objects, at least 1. After a round without mistakes the remaining rounds are counted,
///   not run.
/// * `order`: by default [`Order::Given`].
/// * `rule`: by default [`Rule::Vote`].
/// * `bias`: whether 1 is added to the kernel; by default not, as published.
///
/// Training takes time O(n) per round and O(n) per mistake; predicting an object takes O(mistakes) by vote, and O(n) by
/// average or last.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Linear, VotedPerceptron, learn::Order};
/// let x = Vectors::from(Dense::from_rows(&[[1.0], [-2.0], [0.5]]));
/// let learner = VotedPerceptron::new(10).with_order(Order::Seeded(7));
/// let model = learner.fit(&Linear, &x, &["right", "left", "right"])?;
/// assert_eq!(model.predict(&x)?, ["right", "left", "right"]);
/// assert_eq!(model.support().len(), 1);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Y. Freund and R. E. Schapire, *Large margin classification using the perceptron algorithm*, Machine Learning 37
/// (1999).
#[derive(Clone, Debug, PartialEq)]
pub struct VotedPerceptron {
    rounds: usize,
    order: Order,
    rule: Rule,
    bias: bool,
    resources: Resources,
}

/// A fitted voted perceptron.
#[derive(Clone, Debug, PartialEq)]
pub struct VotedPerceptronModel {
    n: usize,
    bias: bool,
    rule: Rule,
    /// The mistakes of each model, in order.
    mistakes: Vec<Vec<Mistake>>,
    /// For each model, Σ_m c_m v_m and the last v.
    sums: Vec<Sums>,
}

/// The coefficients of Σ_m c_m v_m and of the last v on the objects of one model, ascending.
#[derive(Clone, Debug, PartialEq)]
struct Sums {
    objects: Vec<usize>,
    average: Vec<f64>,
    last: Vec<f64>,
}

impl Sums {
    fn of(made: &[Mistake]) -> Self {
        let mut objects: Vec<usize> = made.iter().map(|m| m.object).collect();
        objects.sort_unstable();
        objects.dedup();
        let (mut average, mut last, mut since) = (vec![0.0; objects.len()], vec![0.0; objects.len()], 0.0);
        // The coefficient of an object in Σ_m c_m v_m is the total survival of all weight vectors since it was added.
        for mistake in made.iter().rev() {
            let at = objects.partition_point(|&o| o < mistake.object);
            since += mistake.survival;
            average[at] += mistake.y * since;
            last[at] += mistake.y;
        }
        Sums { objects, average, last }
    }

    /// Σ_j coefficient_j (k(x, x_j) + one).
    fn decide(&self, coefficients: &[f64], similarities: &[f64], one: f64) -> f64 {
        self.objects.iter().zip(coefficients).map(|(&j, c)| c * (similarities[j] + one)).sum()
    }
}

/// An object added to the weights, and the number of visits until the next mistake.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub struct Mistake {
    #[doc(hidden)]
    pub object: usize,
    #[doc(hidden)]
    pub y: f64,
    #[doc(hidden)]
    pub survival: f64,
}

impl VotedPerceptron {
    /// A voted perceptron of this many rounds, at least 1.
    pub fn new(rounds: usize) -> Self {
        let (order, rule, resources) = (Order::Given, Rule::default(), Resources::default());
        VotedPerceptron { rounds, order, rule, bias: false, resources }
    }

    /// Sets the rule that combines the weight vectors.
    #[must_use]
    pub fn with_rule(self, rule: Rule) -> Self {
        VotedPerceptron { rule, ..self }
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Sets an additional budget that can stop the fit.
    #[must_use]
    #[doc(hidden)]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.resources.budget = budget;
        self
    }

    /// Sets the order of visits.
    #[must_use]
    pub fn with_order(self, order: Order) -> Self {
        VotedPerceptron { order, ..self }
    }

    /// Sets whether 1 is added to the kernel.
    #[must_use]
    pub fn with_bias(self, bias: bool) -> Self {
        VotedPerceptron { bias, ..self }
    }

    /// Fits to labelled objects, with any kernel.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, VotedPerceptronModel, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }

    fn sequence(&self, n: usize) -> Result<Vec<usize>> {
        let mut order: Vec<usize> = (0..n).collect();
        match &self.order {
            Order::Given => {}
            Order::Seeded(seed) => Random::new(*seed).shuffle(&mut order),
            Order::Sequence(sequence) => order.clone_from(sequence),
        }
        match order.iter().find(|&&i| i >= n) {
            Some(i) => Err(Error::usage(format!(
                "the order contains object {i} (from 0), but there are {n} objects"
            ))),
            None if order.is_empty() => Err(Error::usage("the order is empty")),
            None => Ok(order),
        }
    }

    fn run(&self, rows: &mut Rows<'_>, y: &[f64], order: &[usize]) -> Result<Vec<Mistake>> {
        let one = unit(self.bias);
        let mut made: Vec<Mistake> = Vec::new();
        let mut values = vec![0.0; y.len()];
        for round in 0..self.rounds {
            let before = made.len();
            for &i in order {
                budget::check_often()?;
                if !f64::is_finite(values[i]) {
                    return Err(Error::NonFinite { row: i, col: 0, overflow: true });
                }
                if y[i] * values[i] <= 0.0 {
                    made.push(Mistake { object: i, y: y[i], survival: 1.0 });
                    values.iter_mut().zip(rows.row(i)?).for_each(|(v, k)| *v += y[i] * (k + one));
                } else if let Some(newest) = made.last_mut() {
                    newest.survival += 1.0;
                }
            }
            if made.len() == before {
                let left = (self.rounds - round - 1) as f64;
                made.last_mut().into_iter().for_each(|newest| newest.survival += left * order.len() as f64);
                break;
            }
        }
        Ok(made)
    }
}

impl Learner<ClassCodes> for VotedPerceptron {
    type Model = VotedPerceptronModel;

    /// Fits to similarities; only the rows of misclassified objects are computed.
    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<VotedPerceptronModel> {
        positive("rounds", self.rounds)?;
        let mut rows = self.resources.rows(columns)?;
        let n = rows.len();
        check_codes(target.codes(), n, target.classes())?;
        let order = self.sequence(n)?;
        let sides = sides(target.codes(), target.classes());
        let mistakes = sides.iter().map(|y| self.run(&mut rows, y, &order)).collect::<Result<_>>()?;
        VotedPerceptronModel::from_parts(n, self.bias, self.rule, mistakes)
    }
}

impl Predictor for VotedPerceptronModel {
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<usize>> {
        let cross = new.similarities()?.0;
        Ok(ModelOutput { values: self.predict(cross)?, decisions: self.decisions(cross)? })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = self.used();
        Ok((self.restricted(&support)?, support))
    }
}

fn unit(bias: bool) -> f64 {
    if bias { 1.0 } else { 0.0 }
}

impl VotedPerceptronModel {
    /// A model from the mistakes of each of its perceptrons, on objects below n.
    #[doc(hidden)]
    pub fn from_parts(n: usize, bias: bool, rule: Rule, mistakes: Vec<Vec<Mistake>>) -> Result<Self> {
        let good =
            |m: &Mistake| m.object < n && m.y.abs() == 1.0 && m.survival.is_finite() && m.survival >= 1.0;
        if mistakes.iter().any(|made| made.is_empty() || !made.iter().all(good)) {
            return Err(Error::usage("the mistakes are not those of a perceptron"));
        }
        let sums = mistakes.iter().map(|made| Sums::of(made)).collect();
        Ok(VotedPerceptronModel { n, bias, rule, mistakes, sums })
    }

    /// The training objects on which any model made a mistake, ascending.
    pub(crate) fn used(&self) -> Vec<usize> {
        let mut seen = vec![false; self.n];
        self.mistakes.iter().flatten().for_each(|m| seen[m.object] = true);
        (0..self.n).filter(|&i| seen[i]).collect()
    }

    /// The same model with objects numbered by their position in `chosen`, which holds all it needs, ascending.
    #[doc(hidden)]
    pub fn restricted(mut self, chosen: &[usize]) -> Result<Self> {
        for mistake in self.mistakes.iter_mut().flatten() {
            mistake.object = chosen.partition_point(|&c| c < mistake.object);
        }
        VotedPerceptronModel::from_parts(chosen.len(), self.bias, self.rule, self.mistakes)
    }

    /// The same model with another rule; the fit is the same for all rules.
    #[must_use]
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// How its weight vectors are combined.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Whether 1 is added to the kernel.
    #[doc(hidden)]
    pub fn bias(&self) -> bool {
        self.bias
    }

    /// The number of training objects it is compared with.
    #[doc(hidden)]
    pub fn objects(&self) -> usize {
        self.n
    }

    /// The mistakes of each model, in order.
    #[doc(hidden)]
    pub fn made(&self) -> &[Vec<Mistake>] {
        &self.mistakes
    }

    /// The decision values of new objects (rows) from their similarities to training objects (columns): one column for
    /// two classes, otherwise one per class. Divided by Σ_m c_m for [`Rule::Vote`] and [`Rule::Average`], so that votes
    /// lie in [-1, 1].
    pub fn decisions(&self, cross: &Dense) -> Result<Dense> {
        self.decisions_by(cross, self.rule)
    }

    fn decisions_by(&self, cross: &Dense, rule: Rule) -> Result<Dense> {
        check_cross(cross, self.n)?;
        let one = unit(self.bias);
        let totals: Vec<f64> =
            self.mistakes.iter().map(|made| made.iter().map(|m| m.survival).sum()).collect();
        let decide = |row: &[f64], m: usize| match rule {
            Rule::Vote => tally(&self.mistakes[m], row, one) / totals[m],
            Rule::Average => self.sums[m].decide(&self.sums[m].average, row, one) / totals[m],
            Rule::Last => self.sums[m].decide(&self.sums[m].last, row, one),
        };
        let models = self.mistakes.len();
        let mut values = Dense::zeros(cross.rows(), models);
        let row = |i: usize, out: &mut [f64]| {
            for (m, value) in out.iter_mut().enumerate() {
                if budget::is_spent_after(self.mistakes[m].len()) {
                    return;
                }
                *value = decide(cross.row(i), m);
            }
        };
        parallel::for_chunks_mut(values.values_mut(), models, 1, row);
        budget::check()?;
        finite(values)
    }

    /// The classes of new objects (rows) from their similarities to training objects (columns).
    ///
    /// Ties of votes are broken by the average, then the lower class wins.
    pub fn predict(&self, cross: &Dense) -> Result<Vec<usize>> {
        let values = self.decisions(cross)?;
        let mut chosen = choose(&values);
        if self.rule == Rule::Vote && values.cols() > 1 {
            let average = self.decisions_by(cross, Rule::Average)?;
            for (i, class) in chosen.iter_mut().enumerate() {
                let (votes, average) = (values.row(i), average.row(i));
                for c in 0..votes.len() {
                    if votes[c] == votes[*class] && average[c] > average[*class] {
                        *class = c;
                    }
                }
            }
        }
        Ok(chosen)
    }

    /// The number of distinct training objects on which any model made a mistake.
    pub fn support_count(&self) -> usize {
        self.used().len()
    }

    /// The total number of mistakes of all models; each created one weight vector.
    pub fn mistakes(&self) -> usize {
        self.mistakes.iter().map(Vec::len).sum()
    }
}

/// Σ_m c_m sign(v_m·x) in one pass over the mistakes.
fn tally(made: &[Mistake], similarities: &[f64], one: f64) -> f64 {
    let (mut a, mut votes) = (0.0, 0.0);
    for mistake in made {
        a += mistake.y * (similarities[mistake.object] + one);
        // NaN, after an overflow, is kept so that it is detected.
        votes += if a == 0.0 { 0.0 } else { mistake.survival * a.signum() };
    }
    votes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Perceptron;
    use crate::learn::learner::on_gram::OnGram;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    #[test]
    fn mismatched_arguments_are_rejected() {
        assert!(VotedPerceptron::new(0).fit_codes(&worked_gram(), &[0, 1, 1, 0, 0], 2).is_err());
        let learner = VotedPerceptron::new(2);
        let k = worked_gram();
        let codes = [0, 1, 1, 0, 0];
        for order in [vec![], vec![5], vec![usize::MAX]] {
            assert!(learner.clone().with_order(Order::Sequence(order)).fit_codes(&k, &codes, 2).is_err());
        }
        assert!(learner.fit_codes(&k, &codes[..4], 2).is_err());
        assert!(learner.fit_codes(&k, &[0; 5], 2).is_err());
        let model = learner.fit_codes(&k, &codes, 2).unwrap();
        assert!(model.predict(&Dense::zeros(1, 4)).is_err());
        let huge = Dense::from_rows(&[[-1e308; 2]; 2]);
        assert!(learner.fit_codes(&huge, &[0, 1], 2).is_err());
    }

    /// 1 (class 1) is a mistake of v = 0; then v = 1 classifies -2 and 3 correctly, twice: it survives 6 visits.
    #[test]
    fn worked_line() {
        let x = Dense::from_rows(&[[1.0], [-2.0], [3.0]]);
        let model = VotedPerceptron::new(2).fit_codes(&linear(&x), &[1, 0, 1], 2).unwrap();
        assert_eq!(model.mistakes, [[Mistake { object: 0, y: 1.0, survival: 6.0 }]]);
        let new = cross(&Dense::from_rows(&[[-4.0], [0.0]]), &x);
        let by = |rule| model.clone().with_rule(rule).decisions(&new).unwrap();
        assert_eq!(by(Rule::Vote).values(), [-1.0, 0.0]);
        assert_eq!(by(Rule::Average).values(), [-4.0, 0.0]);
        assert_eq!(by(Rule::Last).values(), [-4.0, 0.0]);
    }

    #[test]
    fn rounds_without_mistakes_end_early() {
        let x = Dense::from_rows(&[[1.0], [-2.0]]);
        let model = VotedPerceptron::new(usize::MAX).fit_codes(&linear(&x), &[1, 0], 2).unwrap();
        assert_eq!((model.mistakes(), model.support_count()), (1, 1));
    }

    /// The algorithm as published, on explicit integer vectors: every v and c, then the rule.
    fn published(x: &Dense, y: &[f64], order: &[usize], rounds: usize, new: &[f64], rule: Rule) -> f64 {
        let mut all: Vec<(Vec<f64>, f64)> = Vec::new();
        let dot = |v: &[f64], x: &[f64]| v.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        let mut v = vec![0.0; x.cols()];
        for _ in 0..rounds {
            for &i in order {
                if y[i] * dot(&v, x.row(i)) <= 0.0 {
                    v.iter_mut().zip(x.row(i)).for_each(|(v, x)| *v += y[i] * x);
                    all.push((v.clone(), 1.0));
                } else if let Some(newest) = all.last_mut() {
                    newest.1 += 1.0;
                }
            }
        }
        let total: f64 = all.iter().map(|(_, c)| c).sum();
        let sign = |a: f64| if a == 0.0 { 0.0 } else { a.signum() };
        match rule {
            Rule::Vote => all.iter().map(|(v, c)| c * sign(dot(v, new))).sum::<f64>() / total,
            Rule::Average => all.iter().map(|(v, c)| c * dot(v, new)).sum::<f64>() / total,
            Rule::Last => dot(&v, new),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn agrees_with_the_published_algorithm(
            n in 3usize..12, d in 1usize..4, rounds in 1usize..8, seed in any::<u64>(), classes in 2usize..5,
        ) {
            let mut random = Random::new(seed);
            let x = Dense::new(n, d, (0..n * d).map(|_| random.below(11) as f64 - 5.0).collect()).unwrap();
            let mut codes: Vec<usize> = (0..n).map(|_| random.below(classes)).collect();
            (codes[0], codes[1]) = (0, 1);
            let learner = VotedPerceptron::new(rounds).with_order(Order::Seeded(seed));
            let order = learner.sequence(n).unwrap();
            let k = linear(&x);
            let model = learner.fit_codes(&k, &codes, classes).unwrap();
            let listed = learner.clone().with_order(Order::Sequence(order.clone()));
            prop_assert_eq!(&listed.fit_codes(&k, &codes, classes).unwrap(), &model);
            for rule in [Rule::Vote, Rule::Average, Rule::Last] {
                let model = model.clone().with_rule(rule);
                let got = model.decisions(&k).unwrap();
                for (m, y) in sides(&codes, classes).iter().enumerate() {
                    for i in 0..n {
                        let want = published(&x, y, &order, rounds, x.row(i), rule);
                        prop_assert!((got.at(i, m) - want).abs() < 1e-9 * (1.0 + want.abs()));
                    }
                }
                prop_assert!(model.predict(&k).unwrap().iter().all(|&c| c < classes));
            }
            prop_assert!(model.support_count() <= n && model.support_count() <= model.mistakes());
        }

        #[test]
        fn the_last_rule_equals_the_perceptron(x in vectors(), bias in any::<bool>()) {
            prop_assume!(x.rows() > 1);
            let codes: Vec<usize> = (0..x.rows()).map(|i| i % 2).collect();
            let k = linear(&x);
            let voted = VotedPerceptron::new(5).with_bias(bias).with_rule(Rule::Last).fit_codes(&k, &codes, 2).unwrap();
            let plain = Perceptron::new(5).with_bias(bias).fit_codes(&k, &codes, 2).unwrap();
            let (a, b) = (voted.decisions(&k).unwrap(), plain.decisions(&k).unwrap());
            prop_assert!(apart(&a, &b) < 1e-9);
        }
    }
}
