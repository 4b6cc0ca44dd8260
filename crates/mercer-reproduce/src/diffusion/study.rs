//! Voted perceptrons with the Hamming kernel and with diffusion kernels, on the same splits.

use rayon::prelude::*;
use serde::Serialize;

use super::{DiffusionSettings, Loaded};
use crate::data::{Categories, Dense};
use crate::error::Result;
use crate::gram::Engine;
use crate::kernel::Kernel;
use crate::kernel::category::{Diffusion, Hamming};
use crate::learn::{ClassCodes, Learner, Order, VotedPerceptron};
use crate::random::derive_seed;
use crate::select::{Nested, Objects, Protocol, nested};
use crate::solve::{GramColumns, Subset};

/// The result of a kernel on one split.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The error on the test set.
    pub error: f64,
    /// The number of support vectors.
    pub support: usize,
    /// The mean error over the inner folds.
    pub inner: f64,
}

/// The results on one table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiffusionOutcome {
    /// Its name.
    pub data: String,
    /// The number of objects.
    pub objects: usize,
    /// The number of attributes used.
    pub attributes: usize,
    /// The largest number of values of an attribute.
    pub most_values: usize,
    /// The mean error of the majority-class baseline.
    pub majority: f64,
    /// The Hamming kernel, for each split.
    pub hamming: Vec<Measured>,
    /// The diffusion kernels, by coefficient, then by split.
    pub diffusion: Vec<Vec<Measured>>,
    /// The index of the coefficient chosen for each split.
    pub chosen: Vec<usize>,
}

impl DiffusionOutcome {
    /// Diffusion with the coefficient chosen for each split.
    pub fn best(&self) -> Vec<Measured> {
        self.chosen.iter().enumerate().map(|(split, &at)| self.diffusion[at][split]).collect()
    }
}

/// Mean error and mean number of support vectors.
pub(super) fn means(measured: &[Measured]) -> (f64, f64) {
    let n = measured.len().max(1) as f64;
    let support = measured.iter().map(|m| m.support as f64).sum::<f64>() / n;
    (measured.iter().map(|m| m.error).sum::<f64>() / n, support)
}

/// Runs the study on one table. `progress` is called with each finished kernel.
pub fn study(
    loaded: &Loaded,
    settings: &DiffusionSettings,
    engine: &Engine,
    progress: &mut dyn FnMut(&str),
) -> Result<DiffusionOutcome> {
    let objects = Objects::new(loaded.codes.len()).with_classes(&loaded.codes)?;
    let outer = Protocol::Holdout { share: settings.share, repetitions: settings.splits };
    let inner = Protocol::folds(settings.inner_folds);
    let splits: Vec<Nested> = nested(&outer, &inner, &objects, settings.seed)?.collect::<Result<_>>()?;
    let hamming = measure(&Hamming::new(), loaded, &splits, settings, engine)?;
    progress("hamming");
    let mut diffusion = Vec::with_capacity(settings.betas.len());
    for &beta in &settings.betas {
        let kernel = Diffusion::fit(beta, &loaded.attributes)?;
        diffusion.push(measure(&kernel, loaded, &splits, settings, engine)?);
        progress(&kernel.to_string());
    }
    let choose = |split: usize| {
        let mut best = 0;
        for at in 1..diffusion.len() {
            // For equal errors the smallest coefficient.
            if diffusion[at][split].inner < diffusion[best][split].inner {
                best = at;
            }
        }
        best
    };
    let wrong = |split: &Nested| {
        let mut counts = vec![0usize; loaded.classes];
        split.outer.train.iter().for_each(|&i| counts[loaded.codes[i]] += 1);
        let most = (0..counts.len()).rev().max_by_key(|&c| counts[c]).unwrap_or(0);
        let test = &split.outer.test;
        test.iter().filter(|&&i| loaded.codes[i] != most).count() as f64 / test.len().max(1) as f64
    };
    Ok(DiffusionOutcome {
        data: loaded.name.clone(),
        objects: loaded.codes.len(),
        attributes: loaded.attributes.len(),
        most_values: loaded.most_values(),
        majority: splits.iter().map(wrong).sum::<f64>() / splits.len().max(1) as f64,
        chosen: (0..splits.len()).map(choose).collect(),
        hamming,
        diffusion,
    })
}

/// Evaluates one kernel on every split.
fn measure<K: Kernel<[Categories]>>(
    kernel: &K,
    loaded: &Loaded,
    splits: &[Nested],
    settings: &DiffusionSettings,
    engine: &Engine,
) -> Result<Vec<Measured>> {
    let gram = engine.gram(kernel, loaded.attributes.as_slice())?;
    // Checked only once: a check takes as long as several fits.
    let columns = GramColumns::new(&gram)?;
    let one = |(number, split): (usize, &Nested)| {
        engine.budget().check()?;
        let order = Order::Seeded(derive_seed(settings.seed, number as u64));
        let learner = VotedPerceptron::new(settings.rounds).with_order(order);
        let (mistakes, support) =
            run(&learner, &gram, &columns, loaded, (&split.outer.train, &split.outer.test))?;
        let (mut wrong, mut tested) = (0, 0);
        for inner in &split.inner {
            wrong += run(&learner, &gram, &columns, loaded, (&inner.train, &inner.test))?.0;
            tested += inner.test.len();
        }
        let share = |wrong: usize, of: usize| wrong as f64 / of.max(1) as f64;
        Ok(Measured { error: share(mistakes, split.outer.test.len()), support, inner: share(wrong, tested) })
    };
    engine.run(|| splits.par_iter().enumerate().map(one).collect())
}

/// The number of errors on the test set, and of support vectors.
fn run(
    learner: &VotedPerceptron,
    gram: &Dense,
    columns: &GramColumns<'_>,
    loaded: &Loaded,
    (train, test): (&[usize], &[usize]),
) -> Result<(usize, usize)> {
    let codes: Vec<usize> = train.iter().map(|&i| loaded.codes[i]).collect();
    let part = Subset::new(columns, train.iter().map(|&i| i as u32).collect())?;
    let model = learner.fit_columns(&part, &ClassCodes::new(codes, loaded.classes))?;
    let mut wrong = 0;
    // In blocks: the similarities of all test objects would need a second matrix for each thread.
    for some in test.chunks(256) {
        let mut cross = Dense::zeros(some.len(), train.len());
        for (at, &i) in some.iter().enumerate() {
            let row = gram.row(i);
            cross.row_mut(at).iter_mut().zip(train).for_each(|(v, &j)| *v = row[j]);
        }
        let found = model.predict(&cross)?;
        wrong += some.iter().zip(found).filter(|(i, class)| loaded.codes[**i] != *class).count();
    }
    Ok((wrong, model.support_count()))
}
