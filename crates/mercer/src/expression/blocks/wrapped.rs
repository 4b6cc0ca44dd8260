//! Wrappers that work on the matrices of the kernels inside.

use super::{Blocks, Matrices, Place, Shared};
use crate::data::{Dense, Vectors};
use crate::error::{Error, Result};
use crate::expression::columns::inner_of;
use crate::expression::similarity;
use crate::expression::tree::Call;
use crate::expression::wrappers::repair_method;
use crate::gram::{Centering, FisherMap, Repair, choose_references, normalize, operations};
use crate::kernel::Kernel;
use crate::kernel::referenced::{OnceScales, beside};
use crate::kernel::vector::Linear;
use crate::numeric::math;

impl Matrices<'_> {
    /// What works on the matrices of the kernel inside.
    pub(super) fn wrapped(&self, call: &Call, place: &Place<'_>, shared: &mut Shared) -> Result<Blocks> {
        let inner = inner_of(call)?;
        let name = call.entry.facts.name;
        match name {
            "walk" => return self.walk(call, inner, place, shared),
            "similarity" => return self.similarity(call, place, shared),
            _ => {}
        }
        let mut blocks = self.evaluate(inner, place, shared)?;
        match name {
            "center" => {
                let centering = Centering::fit(&blocks.train)?;
                blocks.own = centering.self_similarities(&blocks.cross, &blocks.own)?;
                centering.apply_train(&mut blocks.train)?;
                centering.apply_cross(&mut blocks.cross)?;
                Ok(blocks)
            }
            "rbf-of" => {
                let gamma = call.number("gamma")?;
                let known: Vec<f64> = (0..blocks.train.rows()).map(|i| blocks.train.at(i, i)).collect();
                gaussian(&mut blocks.cross, &blocks.own, &known, gamma);
                gaussian(&mut blocks.train, &known, &known, gamma);
                blocks.own.fill(1.0);
                Ok(blocks)
            }
            "repair" => {
                let repair = Repair::fit(&blocks.train, repair_method(call)?)?;
                let cross = repair.apply_cross(&blocks.cross)?;
                let own = repair.self_similarities(&blocks.cross, &blocks.own)?;
                Ok(Blocks { train: repair.into_train(), cross, own })
            }
            _ => {
                let diagonal: Vec<f64> = (0..blocks.train.rows()).map(|i| blocks.train.at(i, i)).collect();
                // The error of an object is about its place in the data, not in the split.
                normalize::train(&mut blocks.train).map_err(|e| numbered_in(place.train, e))?;
                let rows = |e| numbered_in(place.test, e);
                normalize::cross(&mut blocks.cross, &blocks.own, &diagonal).map_err(rows)?;
                normalize::selves(&mut blocks.own).map_err(rows)?;
                Ok(blocks)
            }
        }
    }

    /// Features from distances to references, which are training objects: all from the matrices of the modalities.
    fn similarity(&self, call: &Call, place: &Place<'_>, shared: &mut Shared) -> Result<Blocks> {
        let settings = similarity::settings(call)?;
        let (mut known, mut new) = (Vec::new(), Vec::new());
        for inner in &call.inner {
            let blocks = self.evaluate(inner, place, shared)?;
            known.push(operations::distances(&blocks.train)?);
            let norms: Vec<f64> = (0..blocks.train.rows()).map(|i| blocks.train.at(i, i)).collect();
            let mut cross = operations::squared_cross_distances(&blocks.cross, &blocks.own, &norms)?;
            cross.values_mut().iter_mut().for_each(|v| *v = v.max(0.0).sqrt());
            new.push(cross);
        }
        let scales = OnceScales::default();
        let row = |i: usize| Ok(scales.combine(known.iter().map(|d| d.row(i).to_vec()).collect()));
        let chosen =
            choose_references(place.train.len(), settings.references, settings.choice, settings.seed, row)?;
        let at_references = |all: &[Dense]| {
            let pick = |d: &Dense| {
                let mut out = Dense::zeros(d.rows(), chosen.len());
                for i in 0..d.rows() {
                    out.row_mut(i).iter_mut().zip(&chosen).for_each(|(v, &j)| *v = d.at(i, j));
                }
                out
            };
            beside(&all.iter().map(pick).collect::<Vec<_>>())
        };
        let known = at_references(&known);
        let map = FisherMap::fit(&known, settings.fisher)?;
        let prepare = |d: &Dense| Linear.prepare(&Vectors::from(map.features(d)?));
        let (known, new) = (prepare(&known)?, prepare(&at_references(&new))?);
        Ok(Blocks {
            train: self.engine.gram_of(&Linear, &known)?,
            cross: self.engine.cross_of(&Linear, &new, &known)?,
            own: self.engine.diagonal_of(&Linear, &new)?,
        })
    }
}

/// An error about one of the objects of a split, with its number in the data.
fn numbered_in(rows: &[usize], error: Error) -> Error {
    match error {
        Error::Object { index, reason, hint } => {
            Error::Object { index: rows.get(index).copied().unwrap_or(index), reason, hint }
        }
        other => other,
    }
}

/// exp(-gamma·(k(x, x) + k(y, y) - 2·k(x, y))), as `rbf-of` computes it.
fn gaussian(k: &mut Dense, rows: &[f64], cols: &[f64], gamma: f64) {
    for (i, own) in rows.iter().enumerate() {
        let row = k.row_mut(i);
        for (v, other) in row.iter_mut().zip(cols) {
            *v = -gamma * math::at_least_zero(own + other - 2.0 * *v);
        }
        math::exp_all(row);
    }
}
