//! Exact leave-one-out predictions of support vector machines.
//!
//! An object whose multiplier is 0 is not part of the solution: the same multipliers solve the problem without it. Only
//! support vectors need another fit, which starts from the solution with all objects and moves few variables. The
//! solutions satisfy the optimality conditions to the same tolerance as fits from scratch, and are checked in the same
//! way.
//!
//! Reference: Vapnik 1995 (objects that are not support vectors); DeCoste & Wagstaff 2000 (starting points).

use super::super::learner::ClassCodes;
use super::binary::bank;
use super::classify::Margin;
use super::problem::run;
use super::svc_model::{decide, pairs_of};
use super::{Svc, Svr};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Progress;
use crate::parallel;
use crate::solve::{Bank, Columns, GramColumns, Limits, Solution, Subset};

/// The predictions of every object from a model fitted to all others.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The decision values (columns) of each object (rows), as in [`SvcModel::pairs`](super::SvcModel::pairs); for
    /// regression, the predicted numbers.
    pub decisions: Dense,
    /// The class predicted for each object; empty for regression.
    pub classes: Vec<usize>,
    /// The number of fits besides those to all objects: one for each support vector of each model.
    pub refits: usize,
    /// Whether all models behind an object's values converged.
    pub converged: Vec<bool>,
}

/// The value of each object of one problem.
struct Values {
    /// The value, and whether its model converged.
    each: Vec<(f64, bool)>,
    refits: usize,
}

/// f₋ₖ(x_k) for every object k of a problem with one bank, given its solution.
fn each_left_out(
    columns: &dyn Columns,
    bank: Bank,
    whole: &Solution,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Values> {
    let n = columns.len();
    let all: Vec<u32> = (0..n as u32).collect();
    let solved = Bank { beta: whole.betas[0].clone(), ..bank };
    let (has_free, is_done) = (solved.has_free(), whole.stop.is_done());
    let one = |k: usize| -> Result<(f64, bool)> {
        budget::check()?;
        progress.advance(1);
        if solved.beta[k] == 0.0 {
            // Without variables inside their bounds, the object may be one that determines the offset.
            let offset = match has_free {
                true => whole.offsets[0],
                false => solved.without(k, &whole.products, &whole.products).multiplier(&whole.products),
            };
            return Ok((whole.products[k] - offset, is_done));
        }
        let mut column = vec![0.0; n];
        columns.exact(&all, &[k as u32], &mut column)?;
        let again = run(columns, vec![solved.without(k, &whole.products, &column)], limits)?.solution;
        Ok((again.products[k] - again.offsets[0], again.stop.is_done()))
    };
    let each = parallel::try_map(n, one)?;
    Ok(Values { each, refits: solved.beta.iter().filter(|b| **b != 0.0).count() })
}

impl Svc {
    /// The decision values of every object from a model fitted to all others, as exact as separate fits.
    ///
    /// One fit to all objects, and a short one for each support vector. The margin must be soft, and every class needs
    /// two members.
    ///
    /// ```
    /// use mercer_core::{data::Dense, gram::Silent, learn::{ClassCodes, Svc}, solve::GramColumns};
    /// let x = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0f64];
    /// let gram = Dense::new(6, 6, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
    /// let codes = ClassCodes::new([0, 0, 0, 1, 1, 1], 2);
    /// let found = Svc::new(10.0).leave_one_out(&GramColumns::new(&gram)?, &codes, &Silent)?;
    /// assert_eq!(found.refits, 2); // the points -1 and 1
    /// // Without the point 1 the margin is between -1 and 2, and f(x) = (2x - 1) / 3.
    /// assert!((found.decisions.at(3, 0) - 1.0 / 3.0).abs() < 1e-3);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn leave_one_out(
        &self,
        columns: &dyn Columns,
        target: &ClassCodes,
        progress: &dyn Progress,
    ) -> Result<LeftOut> {
        let Margin::C(c) = self.margin() else {
            return Err(Error::usage("leave-one-out values need a soft margin given by C"));
        };
        self.check()?;
        let (n, classes) = (columns.len(), target.classes());
        self.check_target(n, target)?;
        let weights = self.object_weights(target)?;
        let codes = target.codes();
        let members = |c: usize| (0..n).filter(|&i| codes[i] == c && weights[i] > 0.0).count();
        if let Some(class) = (0..classes).find(|&c| members(c) < 2) {
            let reason =
                format!("class {class} (from 0) has one member: nothing is left of it without that member");
            return Err(Error::Classes { reason });
        }
        let pairs = pairs_of(self.scheme(), classes);
        let shared = self.shared(columns, n)?;
        let held = shared.as_ref().map(GramColumns::trusted);
        let columns = held.as_ref().map_or(columns, |held| held as &dyn Columns);
        let none = Dense::zeros(n, pairs.len());
        let mut out = LeftOut { decisions: none, classes: Vec::new(), refits: 0, converged: vec![true; n] };
        let seen = |&(negative, positive): &(usize, usize)| match negative {
            usize::MAX => n,
            _ => codes.iter().filter(|c| **c == negative || **c == positive).count(),
        };
        progress.begin("left-out objects", pairs.iter().map(seen).sum::<usize>() as u64);
        for (m, &(negative, positive)) in pairs.iter().enumerate() {
            let inside = |i: &u32| {
                let code = codes[*i as usize];
                negative == usize::MAX || code == negative || code == positive
            };
            let (chosen, others): (Vec<u32>, Vec<u32>) = (0..n as u32).partition(inside);
            let sign = |&i: &u32| if codes[i as usize] == positive { 1.0 } else { -1.0 };
            let signs: Vec<f64> = chosen.iter().map(sign).collect();
            let bounds: Vec<f64> = chosen.iter().map(|&i| c * weights[i as usize]).collect();
            let part = Subset::new(columns, chosen.clone())?;
            let part: &dyn Columns = if others.is_empty() { columns } else { &part };
            let bank = bank(&signs, &bounds, vec![0.0; chosen.len()]);
            let whole = run(part, vec![bank.clone()], self.limits())?.solution;
            let values = each_left_out(part, bank, &whole, self.limits(), progress)?;
            out.refits += values.refits;
            for (&i, (value, done)) in chosen.iter().zip(values.each) {
                out.decisions.row_mut(i as usize)[m] = value;
                out.converged[i as usize] &= done;
            }
            if others.is_empty() {
                continue;
            }
            // Objects of other classes are never part of this classifier.
            let used: Vec<usize> = (0..chosen.len()).filter(|&k| whole.betas[0][k] != 0.0).collect();
            let support: Vec<u32> = used.iter().map(|&k| chosen[k]).collect();
            let coefficients: Vec<f64> = used.iter().map(|&k| whole.betas[0][k]).collect();
            let sums = columns.combine(&others, &support, &coefficients)?;
            for (&i, sum) in others.iter().zip(sums) {
                out.decisions.row_mut(i as usize)[m] = sum - whole.offsets[0];
                out.converged[i as usize] &= whole.stop.is_done();
            }
        }
        progress.end();
        out.classes = (0..n).map(|i| decide(classes, &pairs, out.decisions.row(i))).collect();
        Ok(out)
    }
}

impl Svr {
    /// The number predicted for every object by a model fitted to all others, as exact as separate fits.
    ///
    /// One fit to all objects, and a short one for each support vector. The tube must be given by ε.
    ///
    /// ```
    /// use mercer_core::{data::Dense, gram::Silent, learn::Svr, solve::GramColumns};
    /// let (x, y) = ([0.0, 1.0, 2.0, 3.0, 4.0f64], [1.0, 3.0, 5.0, 7.0, 9.0]);
    /// let gram = Dense::new(5, 5, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
    /// let found = Svr::new(100.0, 0.0).leave_one_out(&GramColumns::new(&gram)?, &y, &Silent)?;
    /// assert!((found.decisions.at(4, 0) - 9.0).abs() < 0.01); // y = 2x + 1 without the last point, too
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn leave_one_out(
        &self,
        columns: &dyn Columns,
        target: &[f64],
        progress: &dyn Progress,
    ) -> Result<LeftOut> {
        let n = columns.len();
        let bank = self.problem(n, target)?;
        let whole = run(columns, vec![bank.clone()], self.limits())?.solution;
        progress.begin("left-out objects", n as u64);
        let values = each_left_out(columns, bank, &whole, self.limits(), progress);
        progress.end();
        let values = values?;
        let (numbers, converged): (Vec<f64>, Vec<bool>) = values.each.into_iter().unzip();
        let decisions = Dense::new(n, 1, numbers)?;
        Ok(LeftOut { decisions, classes: Vec::new(), refits: values.refits, converged })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::learner::Learner;
    use super::*;
    use crate::data::Vectors;
    use crate::gram::{Engine, Silent};
    use crate::kernel::vector::Rbf;
    use crate::random::Random;
    use crate::solve::KernelColumns;
    use crate::traits::Kernel;

    /// Overlapping clouds of this many classes.
    fn clouds(n: usize, classes: usize) -> (Vectors, Vec<usize>) {
        let mut random = Random::new(7);
        let codes: Vec<usize> = (0..n).map(|i| i % classes).collect();
        let point = |&c: &usize| [c as f64 + random.unit(), (c * c % 3) as f64 + random.unit()];
        let rows: Vec<[f64; 2]> = codes.iter().map(point).collect();
        (Vectors::from(Dense::from_rows(&rows)), codes)
    }

    fn others(n: usize, i: usize) -> Vec<u32> {
        (0..n as u32).filter(|&k| k as usize != i).collect()
    }

    #[test]
    fn classifiers_equal_separate_fits() {
        for (classes, c, scheme) in [
            (2, 0.1, super::super::Scheme::OneVersusOne),
            (2, 1000.0, super::super::Scheme::OneVersusOne),
            (3, 10.0, super::super::Scheme::OneVersusOne),
            (4, 1.0, super::super::Scheme::OneVersusRest),
        ] {
            let (x, codes) = clouds(60, classes);
            let gram = Engine::new().gram(&Rbf::new(1.0).unwrap(), &x).unwrap();
            let columns = GramColumns::new(&gram).unwrap();
            let limits = Limits { tolerance: 1e-8, ..Limits::default() };
            let weights: Vec<f64> = (0..60).map(|i| f64::from(1 + i % 3)).collect();
            let svc = Svc::new(c).with_scheme(scheme).with_limits(limits);
            let weighted = svc.clone().with_weights(weights.clone());
            let target = ClassCodes::new(&codes[..], classes);
            let found = weighted.leave_one_out(&columns, &target, &Silent).unwrap();
            assert!(found.converged.iter().all(|c| *c) && found.refits < 60 * classes);
            for i in 0..60 {
                let kept = others(60, i);
                let of = |k: &u32| *k as usize;
                let own: Vec<usize> = kept.iter().map(|k| codes[of(k)]).collect();
                let part = svc.clone().with_weights(kept.iter().map(|k| weights[of(k)]).collect());
                let subset = Subset::new(&columns, kept.clone()).unwrap();
                let model = part.fit_columns(&subset, &ClassCodes::new(own, classes)).unwrap();
                let cross: Vec<f64> = model.support().iter().map(|&s| gram.at(i, of(&kept[s]))).collect();
                let cross = Dense::new(1, cross.len(), cross).unwrap();
                let want = model.decisions(&cross).unwrap();
                for (a, b) in found.decisions.row(i).iter().zip(want.row(0)) {
                    assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "object {i}, C {c}: {a} and {b}");
                }
                assert_eq!(found.classes[i], model.predict(&cross).unwrap()[0]);
            }
        }
    }

    #[test]
    fn regression_equals_separate_fits() {
        let (x, codes) = clouds(50, 5);
        let y: Vec<f64> = codes.iter().enumerate().map(|(i, &c)| c as f64 + (i % 7) as f64 / 10.0).collect();
        let kernel = Rbf::new(1.0).unwrap();
        let gram = Engine::new().gram(&kernel, &x).unwrap();
        for (c, epsilon) in [(0.1, 0.05), (10.0, 0.1), (1000.0, 0.0)] {
            let limits = Limits { tolerance: 1e-8, ..Limits::default() };
            let svr = Svr::new(c, epsilon).with_limits(limits);
            let columns = GramColumns::new(&gram).unwrap();
            let found = svr.leave_one_out(&columns, &y, &Silent).unwrap();
            for i in 0..50 {
                let kept = others(50, i);
                let own: Vec<f64> = kept.iter().map(|&k| y[k as usize]).collect();
                let model = svr.fit_columns(&Subset::new(&columns, kept.clone()).unwrap(), &own).unwrap();
                let cross: Vec<f64> = model.support().iter().map(|&s| gram.at(i, kept[s] as usize)).collect();
                let want = model.predict(&Dense::new(1, cross.len(), cross).unwrap()).unwrap()[0];
                let value = found.decisions.at(i, 0);
                assert!(
                    (value - want).abs() < 1e-5 * (1.0 + want.abs()),
                    "object {i}, C {c}: {value}, {want}"
                );
            }
        }
    }

    #[test]
    fn rows_on_demand_and_threads_change_nothing() {
        let (x, codes) = clouds(40, 3);
        let kernel = Rbf::new(1.0).unwrap();
        let set = kernel.prepare(&x).unwrap();
        let target = ClassCodes::new(codes, 3);
        let values = |threads: usize| {
            let engine = Engine::new().with_threads(threads).unwrap();
            let columns: KernelColumns<'_, Vectors, _> = KernelColumns::new(&engine, &kernel, &set);
            engine.run(|| Svc::new(5.0).leave_one_out(&columns, &target, &Silent).unwrap())
        };
        let one = values(1);
        assert_eq!(one, values(3));
        let gram = Engine::new().gram(&kernel, &x).unwrap();
        let held = GramColumns::new(&gram).unwrap();
        assert_eq!(one, Svc::new(5.0).leave_one_out(&held, &target, &Silent).unwrap());
    }

    #[test]
    fn unsuitable_problems_are_refused() {
        let gram = Dense::from_rows(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let columns = GramColumns::new(&gram).unwrap();
        let codes = ClassCodes::new([0, 0, 1], 2);
        let message = |svc: Svc| svc.leave_one_out(&columns, &codes, &Silent).unwrap_err().to_string();
        assert!(message(Svc::new(1.0)).contains("class 1 (from 0) has one member"));
        assert!(
            message(Svc::hard()).contains("soft margin") && message(Svc::nu(0.5)).contains("soft margin")
        );
        let y = [1.0, 2.0, 3.0];
        let message = |svr: Svr| svr.leave_one_out(&columns, &y, &Silent).unwrap_err().to_string();
        assert!(message(Svr::nu(1.0, 0.5)).contains("given by epsilon"));
        assert!(message(Svr::new(1.0, 0.1).with_weights(vec![1.0, 0.0, 0.0])).contains("two objects"));
    }
}
