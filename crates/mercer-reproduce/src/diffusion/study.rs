//! Voted perceptrons with the Hamming kernel and with diffusion kernels, on the same divisions.

use rayon::prelude::*;
use serde::Serialize;

use super::{Loaded, Settings};
use crate::data::{Categories, Dense};
use crate::error::Result;
use crate::gram::Engine;
use crate::kernel::Kernel;
use crate::kernel::category::{Diffusion, Hamming};
use crate::learn::{ClassCodes, Learner, Order, VotedPerceptron};
use crate::random::derive_seed;
use crate::select::{Nested, Objects, Protocol, nested};
use crate::solve::{GramColumns, Subset};

/// What a kernel came to on one division.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The share of the test objects that were mistaken.
    pub error: f64,
    /// The number of support vectors.
    pub support: usize,
    /// The share of mistakes over the inner folds.
    pub inner: f64,
}

/// What came out for one table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Its name.
    pub data: String,
    /// The number of objects.
    pub objects: usize,
    /// The number of attributes looked at.
    pub attributes: usize,
    /// The most values one of them has.
    pub most_values: usize,
    /// The error of the class most frequent in the training part, on average.
    pub majority: f64,
    /// The Hamming kernel, by division.
    pub hamming: Vec<Measured>,
    /// The diffusion kernels, by coefficient and then division.
    pub diffusion: Vec<Vec<Measured>>,
    /// The place of the coefficient chosen on each division.
    pub chosen: Vec<usize>,
}

impl Outcome {
    /// Diffusion with the coefficient chosen on each division.
    pub fn best(&self) -> Vec<Measured> {
        self.chosen.iter().enumerate().map(|(division, &at)| self.diffusion[at][division]).collect()
    }
}

/// Mean error and mean number of support vectors.
pub(super) fn means(measured: &[Measured]) -> (f64, f64) {
    let n = measured.len().max(1) as f64;
    let support = measured.iter().map(|m| m.support as f64).sum::<f64>() / n;
    (measured.iter().map(|m| m.error).sum::<f64>() / n, support)
}

/// Runs the study on one table. `told` hears of each kernel that is done.
pub fn study(
    loaded: &Loaded,
    settings: &Settings,
    engine: &Engine,
    told: &mut dyn FnMut(&str),
) -> Result<Outcome> {
    let objects = Objects::new(loaded.codes.len()).with_classes(&loaded.codes)?;
    let outer = Protocol::Holdout { share: settings.share, repetitions: settings.divisions };
    let inner = Protocol::folds(settings.inner_folds);
    let divisions: Vec<Nested> = nested(&outer, &inner, &objects, settings.seed)?.collect::<Result<_>>()?;
    let hamming = measure(&Hamming::new(), loaded, &divisions, settings, engine)?;
    told("hamming");
    let mut diffusion = Vec::with_capacity(settings.betas.len());
    for &beta in &settings.betas {
        let kernel = Diffusion::fit(beta, &loaded.attributes)?;
        diffusion.push(measure(&kernel, loaded, &divisions, settings, engine)?);
        told(&kernel.to_string());
    }
    let choose = |division: usize| {
        let mut best = 0;
        for at in 1..diffusion.len() {
            // Of equal errors the smallest coefficient.
            if diffusion[at][division].inner < diffusion[best][division].inner {
                best = at;
            }
        }
        best
    };
    let wrong = |division: &Nested| {
        let mut counts = vec![0usize; loaded.classes];
        division.outer.train.iter().for_each(|&i| counts[loaded.codes[i]] += 1);
        let most = (0..counts.len()).rev().max_by_key(|&c| counts[c]).unwrap_or(0);
        let test = &division.outer.test;
        test.iter().filter(|&&i| loaded.codes[i] != most).count() as f64 / test.len().max(1) as f64
    };
    Ok(Outcome {
        data: loaded.name.clone(),
        objects: loaded.codes.len(),
        attributes: loaded.attributes.len(),
        most_values: loaded.most_values(),
        majority: divisions.iter().map(wrong).sum::<f64>() / divisions.len().max(1) as f64,
        chosen: (0..divisions.len()).map(choose).collect(),
        hamming,
        diffusion,
    })
}

/// One kernel on every division.
fn measure<K: Kernel<[Categories]>>(
    kernel: &K,
    loaded: &Loaded,
    divisions: &[Nested],
    settings: &Settings,
    engine: &Engine,
) -> Result<Vec<Measured>> {
    let gram = engine.gram(kernel, loaded.attributes.as_slice())?;
    // Looked through once: a check takes as long as several fits.
    let columns = GramColumns::new(&gram)?;
    let one = |(number, division): (usize, &Nested)| {
        engine.budget().check()?;
        let order = Order::Seeded(derive_seed(settings.seed, number as u64));
        let learner = VotedPerceptron::new(settings.rounds).with_order(order);
        let (mistakes, support) =
            run(&learner, &gram, &columns, loaded, (&division.outer.train, &division.outer.test))?;
        let (mut wrong, mut tested) = (0, 0);
        for inner in &division.inner {
            wrong += run(&learner, &gram, &columns, loaded, (&inner.train, &inner.test))?.0;
            tested += inner.test.len();
        }
        let share = |wrong: usize, of: usize| wrong as f64 / of.max(1) as f64;
        Ok(Measured {
            error: share(mistakes, division.outer.test.len()),
            support,
            inner: share(wrong, tested),
        })
    };
    engine.run(|| divisions.par_iter().enumerate().map(one).collect())
}

/// Mistakes on the test objects, and support vectors.
fn run(
    learner: &VotedPerceptron,
    gram: &Dense,
    columns: &GramColumns<'_>,
    loaded: &Loaded,
    (train, test): (&[usize], &[usize]),
) -> Result<(usize, usize)> {
    let codes: Vec<usize> = train.iter().map(|&i| loaded.codes[i]).collect();
    let part = Subset::new(columns, train.iter().map(|&i| i as u32).collect())?;
    let machine = learner.fit_columns(&part, &ClassCodes::new(codes, loaded.classes))?;
    let mut wrong = 0;
    // Some at a time: all similarities of all test objects would be a second matrix for each thread.
    for some in test.chunks(256) {
        let mut cross = Dense::zeros(some.len(), train.len());
        for (at, &i) in some.iter().enumerate() {
            let row = gram.row(i);
            cross.row_mut(at).iter_mut().zip(train).for_each(|(v, &j)| *v = row[j]);
        }
        let found = machine.predict(&cross)?;
        wrong += some.iter().zip(found).filter(|(i, class)| loaded.codes[**i] != *class).count();
    }
    Ok((wrong, machine.support()))
}
