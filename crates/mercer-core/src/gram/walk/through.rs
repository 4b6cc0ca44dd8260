//! Walks through some of the training objects, and through all objects.

use super::{Walk, check_power};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::algebra::mirror;
use crate::numeric::check::{check_cross, check_symmetric};

/// Walks through support vectors: only walks that pass through the chosen training objects S count.
///
/// A first model is fitted to A; S are its support vectors. Then p ≥ 2 steps give
///
/// * training × training: A_:S·A_SS^(p-2)·A_S:,
/// * new × training: C_:S·A_SS^(p-2)·A_S:,
/// * self-similarities: diag(C_:S·A_SS^(p-2)·C_:Sᵀ),
///
/// each divided by ρ^(p-1), ρ the largest eigenvalue of A_SS in magnitude; p = 1 is the base kernel. With S all
/// training objects it equals [`Walk`], for every p. Objects outside S are treated like new ones.
///
/// ```
/// use mercer_core::{data::Dense, gram::SupportWalk};
/// let a = Dense::from_rows(&[[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]]);
/// let walk = SupportWalk::of(&a, &[1])?; // everything passes through the middle
/// assert!((walk.train(2)?.at(0, 2) * walk.walk().factor(2) - 1.0).abs() < 1e-12);
/// assert_eq!(walk.train(1)?, a);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SupportWalk {
    gram: Dense,
    support: Vec<usize>,
    /// Similarities of the training objects to those in S.
    to_support: Dense,
    walk: Walk,
}

impl SupportWalk {
    /// Walks over the training Gram matrix through the objects `support`: at least one, each once.
    pub fn of(gram: &Dense, support: &[usize]) -> Result<Self> {
        check_symmetric(gram)?;
        let n = gram.rows();
        let mut seen = vec![false; n];
        for &s in support {
            if s >= n || std::mem::replace(&mut seen[s], true) {
                return Err(Error::param("support", s, &format!("distinct objects, each below {n}")));
            }
        }
        if support.is_empty() {
            return Err(Error::usage("a walk through support vectors needs at least one of them"));
        }
        let mut gram = gram.clone();
        mirror(&mut gram);
        let to_support = columns(&gram, support);
        let walk = Walk::of(&to_support.select(support))?;
        Ok(SupportWalk { gram, support: support.to_vec(), to_support, walk })
    }

    /// The objects walked through.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The walk over these objects only.
    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    /// The training block, exactly symmetric; p = 1 is A itself.
    pub fn train(&self, p: u32) -> Result<Dense> {
        if check_power(p)? == 1 {
            return Ok(self.gram.clone());
        }
        let mut out = self.walk.between(&self.to_support, &self.to_support, p)?;
        mirror(&mut out);
        Ok(out)
    }

    /// The new × training block from the similarities of new to all training objects; p = 1 is C itself.
    pub fn cross(&self, cross: &Dense, p: u32) -> Result<Dense> {
        check_cross(cross, self.gram.rows())?;
        if check_power(p)? == 1 {
            return Ok(cross.clone());
        }
        self.walk.between(&columns(cross, &self.support), &self.to_support, p)
    }

    /// The self-similarities of new objects from their similarities to all training objects; for p = 1 `own`.
    pub fn self_similarities(&self, cross: &Dense, own: &[f64], p: u32) -> Result<Vec<f64>> {
        check_cross(cross, self.gram.rows())?;
        self.walk.self_similarities(&columns(cross, &self.support), own, p)
    }
}

/// Walks through all objects, including new ones: *transductive*.
///
/// K is the Gram matrix of training and new objects together; the results are blocks of K^p / ρ^(p-1). The training
/// block therefore depends on the objects to be predicted: a result obtained this way must state so, and is valid for
/// these objects only.
///
/// ```
/// use mercer_core::{data::Dense, gram::TransductiveWalk};
/// let k = Dense::from_rows(&[[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]);
/// let walk = TransductiveWalk::of(&k, &[0, 2])?; // object 1 is to be predicted
/// assert_eq!(walk.train(1)?, Dense::from_rows(&[[1.0, 0.0], [0.0, 1.0]]));
/// // Two steps connect the training objects through the new one.
/// assert!((walk.train(2)?.at(0, 1) * walk.walk().factor(2) - 0.25).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TransductiveWalk {
    walk: Walk,
    training: Vec<usize>,
    new: Vec<usize>,
}

impl TransductiveWalk {
    /// Walks over the Gram matrix of all objects; `training` are the training objects, all others are new.
    pub fn of(gram: &Dense, training: &[usize]) -> Result<Self> {
        let walk = Walk::of(gram)?;
        let n = walk.n();
        let mut is_new = vec![true; n];
        for &i in training {
            if i >= n || !std::mem::replace(&mut is_new[i], false) {
                return Err(Error::param("training", i, &format!("distinct objects, each below {n}")));
            }
        }
        let new = (0..n).filter(|&i| is_new[i]).collect();
        Ok(TransductiveWalk { walk, training: training.to_vec(), new })
    }

    /// The walk over all objects.
    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    /// The new objects, ascending: the rows of [`cross`](TransductiveWalk::cross).
    pub fn new_objects(&self) -> &[usize] {
        &self.new
    }

    /// The training block of K^p / ρ^(p-1).
    pub fn train(&self, p: u32) -> Result<Dense> {
        Ok(columns(&self.walk.train(p)?.select(&self.training), &self.training))
    }

    /// The new × training block of K^p / ρ^(p-1).
    pub fn cross(&self, p: u32) -> Result<Dense> {
        Ok(columns(&self.walk.train(p)?.select(&self.new), &self.training))
    }

    /// Training block, new × training block and self-similarities of the new objects, from one product.
    pub fn blocks(&self, p: u32) -> Result<(Dense, Dense, Vec<f64>)> {
        let all = self.walk.train(p)?;
        let train = columns(&all.select(&self.training), &self.training);
        let cross = columns(&all.select(&self.new), &self.training);
        let own = self.new.iter().map(|&i| all.at(i, i)).collect();
        Ok((train, cross, own))
    }
}

/// The chosen columns of a matrix, in the order given.
fn columns(a: &Dense, chosen: &[usize]) -> Dense {
    let mut out = Dense::zeros(a.rows(), chosen.len());
    for i in 0..a.rows() {
        let row = a.row(i);
        out.row_mut(i).iter_mut().zip(chosen).for_each(|(v, &j)| *v = row[j]);
    }
    out
}
