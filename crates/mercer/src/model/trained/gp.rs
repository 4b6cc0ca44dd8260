//! Gaussian processes in model files.

use super::{pieces, several};
use crate::container::{Get, Put, Stored, ends, stored};
use crate::error::Result;
use crate::learn::{
    Approximation, GpClassifierModel, GpModel, IterativeGpModel, ProcessModel, SparseGpModel,
};

/// A constant mean: its value, L⁻¹ 1 and 1ᵀ C⁻¹ 1.
struct Constant {
    value: f64,
    solved: Vec<f64>,
    precision: f64,
}

stored! { Constant: m, get {
    value: one as "constant" = m.value;
    solved: numbers as "constant-solved" = &m.solved;
    precision: one as "constant-precision" = m.precision;
} => Ok(Constant { value, solved, precision }) }

impl Stored for GpModel {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        put.numbers("alpha", self.alpha())?;
        // The rows of the lower triangle, one after another.
        let n = self.alpha().len();
        let packed: Vec<f64> = (0..n).flat_map(|i| self.factor().row(i)[..=i].iter().copied()).collect();
        put.numbers("factor", &packed)?;
        let parameters = [self.scale(), self.noise(), self.jitter(), self.log_likelihood()];
        put.numbers("parameters", parameters)?;
        put.flag("constant_target", self.is_flat())?;
        put.flag("constant_mean", self.mean_parts().is_some())?;
        if let Some((value, solved, precision)) = self.mean_parts() {
            put.part("", &Constant { value, solved: solved.to_vec(), precision })?;
        }
        Ok(())
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let parameters = get.numbers("parameters")?;
        get.check_len("parameters", parameters.len(), 4)?;
        let mean = match get.flag("constant_mean")? {
            true => {
                let Constant { value, solved, precision } = get.part("")?;
                Some((value, solved, precision))
            }
            false => None,
        };
        get.fits(GpModel::from_parts(
            get.numbers("alpha")?,
            &get.numbers("factor")?,
            (parameters[0], parameters[1], parameters[2]),
            mean,
            parameters[3],
            get.flag("constant_target")?,
        ))
    }
}

impl Stored for GpClassifierModel {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        let (mut alphas, mut roots, mut packed, mut logs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for fit in self.fits() {
            let (alpha, own, factor, log_likelihood) = fit.parts();
            alphas.extend_from_slice(alpha);
            roots.extend_from_slice(own);
            (0..alpha.len()).for_each(|i| packed.extend_from_slice(&factor.row(i)[..=i]));
            logs.push(log_likelihood);
        }
        put.numbers("alpha", &alphas)?;
        put.numbers("roots", &roots)?;
        put.numbers("factor", &packed)?;
        put.numbers("log-likelihood", &logs)?;
        put.numbers("parameters", [self.scale()])?;
        put.flag("expectation_propagation", self.approximation() == Approximation::ExpectationPropagation)
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let problems = match several(get)? {
            2 => 1,
            more => more,
        };
        let parameters = get.numbers("parameters")?;
        get.check_len("parameters", parameters.len(), 1)?;
        let approximation = match get.flag("expectation_propagation")? {
            true => Approximation::ExpectationPropagation,
            false => Approximation::Laplace,
        };
        let logs = get.numbers("log-likelihood")?;
        get.check_len("log-likelihood", logs.len(), problems)?;
        let (alphas, roots, packed) = (get.numbers("alpha")?, get.numbers("roots")?, get.numbers("factor")?);
        let even = |values: &[f64]| ends((0..problems).map(|_| values.len() / problems));
        let alphas = pieces(get, "alpha", &alphas, &even(&alphas))?;
        let roots = pieces(get, "roots", &roots, &even(&roots))?;
        let packed = pieces(get, "factor", &packed, &even(&packed))?;
        let part = |k: usize| (alphas[k].to_vec(), roots[k].to_vec(), packed[k], logs[k]);
        get.fits(GpClassifierModel::from_parts(
            parameters[0],
            approximation,
            (0..problems).map(part).collect(),
        ))
    }
}

impl Stored for SparseGpModel {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        let (beta, packed, rotation, shrink, constant) = self.parts();
        put.numbers("beta", beta)?;
        put.numbers("factor", &packed)?;
        put.matrix("rotation", rotation)?;
        put.numbers("shrink", shrink)?;
        put.numbers("parameters", [self.scale(), self.noise(), self.bound(), self.missed()])?;
        put.flag("constant_mean", constant.is_some())?;
        if let Some((level, precision, of)) = constant {
            put.part("", &Constant { value: level, solved: of.to_vec(), precision })?;
        }
        Ok(())
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let parameters = get.numbers("parameters")?;
        get.check_len("parameters", parameters.len(), 4)?;
        let constant = match get.flag("constant_mean")? {
            true => {
                let Constant { value, solved, precision } = get.part("")?;
                Some((value, precision, solved))
            }
            false => None,
        };
        get.fits(SparseGpModel::from_parts(
            get.numbers("beta")?,
            &get.numbers("factor")?,
            get.matrix("rotation")?,
            get.numbers("shrink")?,
            constant,
            [parameters[0], parameters[1], parameters[2], parameters[3]],
        ))
    }
}

impl Stored for IterativeGpModel {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        let (directions, constant) = self.parts();
        put.numbers("alpha", self.alpha())?;
        put.matrix("directions", directions)?;
        let parameters =
            [self.scale(), self.noise(), self.residual(), self.error(), self.wanted(), self.steps() as f64];
        put.numbers("parameters", parameters)?;
        put.flag("constant_mean", constant.is_some())?;
        if let Some((value, solved, precision)) = constant {
            put.part("", &Constant { value, solved: solved.to_vec(), precision })?;
        }
        Ok(())
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let parameters = get.numbers("parameters")?;
        let constant = match get.flag("constant_mean")? {
            true => {
                let Constant { value, solved, precision } = get.part("")?;
                Some((value, solved, precision))
            }
            false => None,
        };
        let &[scale, noise, residual, error, wanted, steps] = &parameters[..] else {
            get.check_len("parameters", parameters.len(), 6)?;
            return Err(crate::error::Error::usage("parameters of another length"));
        };
        let numbers = [scale, noise, residual, error, wanted, steps];
        get.fits(IterativeGpModel::from_parts(
            get.numbers("alpha")?,
            get.matrix("directions")?,
            constant,
            numbers,
        ))
    }
}
