//! Gaussian processes in model files.

use crate::container::{Get, Put, Stored, stored};
use crate::error::Result;
use crate::learn::GpModel;

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
