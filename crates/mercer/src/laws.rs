//! Checks of the laws every kernel must obey: for kernels what scikit-learn's `check_estimator` is for estimators.
//!
//! This project's tests check every registry entry on generated data; a crate that
//! [registers](crate::expression::register) its own kernel calls [`check`] in its tests.

use std::fmt;

use crate::data::{Dataset, Dense};
use crate::error::{Error, Result};
use crate::expression::{Expression, Fitted, Matrices, Shared};
use crate::gram::{Engine, eigenvalues};
use crate::kernel::{Definiteness, Kernel, Part, Prepared};

/// Largest difference that rounding may cause, relative to the largest entry of the matrix.
const TOLERANCE: f64 = 1e-9;
/// Eigenvalues of matrices declared positive semidefinite may be this far below 0, relative to the largest.
const EIGENVALUE: f64 = 1e-8;

/// A law that a kernel breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The law, in a few words.
    pub law: &'static str,
    /// What was found, with the objects it was found on.
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.found)
    }
}

/// Tests a kernel on objects of which the first `train` are for training. Returns the laws it breaks.
///
/// * **finite and symmetric**: every entry of the Gram matrix is finite, and bit-identical to its mirror image.
/// * **diagonal**: self-similarities computed alone are bit-identical to the diagonal.
/// * **pairs**: an entry does not depend on the tile it is computed in, nor on the other objects of its set.
/// * **definiteness**: a kernel declared positive semidefinite has no negative eigenvalue.
/// * **order**: permuted objects give the permuted matrix.
/// * **threads**: one and three threads give the same bits.
/// * **training alone**: the matrix a search uses on a split equals that of a fit to the training objects alone. A
///   kernel that depends on more than it declares ([`Depends`](crate::expression::Depends)) breaks this law.
/// * **stored**: a kernel restored from its recorded steps has bit-identical values.
/// * **printed**: the expression prints a text that parses back to it.
///
/// Where a law is not bit-exact, values may differ by 1e-9 of the largest entry.
/// [Transductive](Expression::is_transductive) kernels are defined only on the objects they are fitted to, so they are
/// fitted to all of them here. The time is that of about ten Gram matrices and an eigendecomposition.
///
/// ```
/// use mercer::{data::generate, gram::Engine, laws};
/// let data = generate::balance1()?.select(&(0..40).collect::<Vec<_>>());
/// let violations = laws::check(&"standardize(rbf(gamma=0.5)) + linear".parse()?, &data, 30, &Engine::new())?;
/// assert_eq!(violations, []);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// Returns an error when the kernel itself fails, such as on objects it cannot take.
pub fn check(
    expression: &Expression,
    data: &Dataset,
    train: usize,
    engine: &Engine,
) -> Result<Vec<Violation>> {
    if train == 0 || train > data.len() {
        return Err(Error::param("train", train, &format!("from 1 to the {} objects", data.len())));
    }
    let transductive = expression.is_transductive();
    let known: Vec<usize> = if transductive { (0..data.len()).collect() } else { (0..train).collect() };
    let training = data.select(&known);
    let fitted = expression.fit(&training, engine)?;
    let mut laws = Laws { data, train, engine, fitted, broken: Vec::new() };
    let k = engine.gram(&laws.fitted.kernel, data)?;
    laws.symmetric(&k);
    laws.diagonal(&k)?;
    laws.pairs(&k)?;
    laws.definiteness(&k)?;
    laws.order(&k)?;
    laws.threads(expression, &training, &k)?;
    if !transductive {
        laws.training_alone(expression, &k)?;
    }
    laws.stored(expression, &training, &k)?;
    laws.printed(expression);
    Ok(laws.broken)
}

struct Laws<'a> {
    data: &'a Dataset,
    train: usize,
    engine: &'a Engine,
    fitted: Fitted,
    broken: Vec<Violation>,
}

impl Laws<'_> {
    fn breaks(&mut self, law: &'static str, found: String) {
        self.broken.push(Violation { law, found });
    }

    fn symmetric(&mut self, k: &Dense) {
        for i in 0..k.rows() {
            for j in 0..=i {
                let (one, mirror) = (k.at(i, j), k.at(j, i));
                if !one.is_finite() || one.to_bits() != mirror.to_bits() {
                    let found = format!("k of objects {i} and {j} is {one:e}, of {j} and {i} {mirror:e}");
                    return self.breaks("finite and symmetric", found);
                }
            }
        }
        // The engine mirrors tiles, so `pairs` checks the symmetry of the kernel itself.
    }

    fn diagonal(&mut self, k: &Dense) -> Result<()> {
        let set = self.engine.prepare(&self.fitted.kernel, self.data)?;
        let own = self.engine.diagonal_of(&self.fitted.kernel, &set)?;
        if let Some(i) = (0..own.len()).find(|&i| own[i].to_bits() != k.at(i, i).to_bits()) {
            let found = format!("k(x, x) of object {i} is {:e}, the diagonal has {:e}", own[i], k.at(i, i));
            self.breaks("diagonal", found);
        }
        Ok(())
    }

    fn pairs(&mut self, k: &Dense) -> Result<()> {
        let (n, margin) = (self.data.len(), margin(k));
        let set = self.engine.prepare(&self.fitted.kernel, self.data)?;
        // Every object with its neighbour and with one far away, in both orders.
        let pairs = (0..n).flat_map(|i| [(i, (i + 1) % n), ((i + n / 2) % n, i)]).filter(|(i, j)| i != j);
        for (i, j) in pairs.collect::<Vec<_>>() {
            let mut one = [f64::NAN];
            let kernel = &self.fitted.kernel;
            kernel.fill(Part::new(&set, i..i + 1), Part::new(&set, j..j + 1), &mut one)?;
            let chosen = set.select(&[j, i]);
            let mut other = [f64::NAN];
            kernel.fill(Part::new(&chosen, 1..2), Part::new(&chosen, 0..1), &mut other)?;
            for (how, value) in [("alone", one[0]), ("of two chosen objects", other[0])] {
                if differ(value, k.at(i, j), margin) {
                    let found = format!(
                        "k of objects {i} and {j} is {:e} in the matrix, {how} {value:e}",
                        k.at(i, j)
                    );
                    self.breaks("pairs", found);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn definiteness(&mut self, k: &Dense) -> Result<()> {
        if self.fitted.kernel.definiteness() != Definiteness::PositiveSemidefinite || self.data.is_empty() {
            return Ok(());
        }
        let values = eigenvalues(k)?;
        let (low, high) = (values[0], values[values.len() - 1]);
        if low < -EIGENVALUE * high.abs() - f64::MIN_POSITIVE {
            let found = format!("declared positive semidefinite, eigenvalues from {low:e} to {high:e}");
            self.breaks("definiteness", found);
        }
        Ok(())
    }

    fn order(&mut self, k: &Dense) -> Result<()> {
        let (n, margin) = (self.data.len(), margin(k));
        let reversed: Vec<usize> = (0..n).rev().collect();
        let moved = self.engine.gram(&self.fitted.kernel, &self.data.select(&reversed))?;
        for i in 0..n {
            for j in 0..n {
                let (one, other) = (k.at(i, j), moved.at(n - 1 - i, n - 1 - j));
                if differ(one, other, margin) {
                    let found =
                        format!("k of objects {i} and {j} is {one:e}, with the objects reversed {other:e}");
                    self.breaks("order", found);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn threads(&mut self, expression: &Expression, training: &Dataset, k: &Dense) -> Result<()> {
        for threads in [1, 3] {
            let engine = Engine::new().with_threads(threads)?.with_budget(self.engine.budget().clone());
            let again = engine.gram(&expression.fit(training, &engine)?.kernel, self.data)?;
            if !same_bits(&again, k) {
                self.breaks("threads", format!("different bits with {threads} threads"));
                return Ok(());
            }
        }
        Ok(())
    }

    fn training_alone(&mut self, expression: &Expression, k: &Dense) -> Result<()> {
        let (train, test): (Vec<usize>, Vec<usize>) = (0..self.data.len()).partition(|&i| i < self.train);
        let mut matrices = Matrices::new(self.data, self.engine);
        matrices.prepare(std::slice::from_ref(expression))?;
        let blocks = matrices.blocks(expression, &train, &test, &mut Shared::default())?;
        let margin = 1e3 * margin(k);
        for (rows, found) in [(&train, &blocks.train), (&test, &blocks.cross)] {
            for (a, &i) in rows.iter().enumerate() {
                for (b, &j) in train.iter().enumerate() {
                    // A shift is added only to self-similarities, on the diagonal of a set's own Gram matrix.
                    if differ(found.at(a, b), k.at(i, j), margin) {
                        let found = format!(
                            "k of objects {i} and {j} is {:e} fitted to the first {} objects, {:e} in a search",
                            k.at(i, j),
                            self.train,
                            found.at(a, b)
                        );
                        self.breaks("training alone", found);
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn stored(&mut self, expression: &Expression, training: &Dataset, k: &Dense) -> Result<()> {
        let again = expression.restore(training, self.fitted.steps.clone(), self.engine)?;
        if !same_bits(&self.engine.gram(&again.kernel, self.data)?, k) {
            self.breaks("stored", "different bits after restoring it from its steps".into());
        }
        Ok(())
    }

    fn printed(&mut self, expression: &Expression) {
        for text in [expression.to_string(), self.fitted.kernel.to_string()] {
            match text.parse::<Expression>() {
                Ok(again) if text != expression.to_string() || again == *expression => {}
                Ok(again) => self.breaks("printed", format!("'{text}' parses to '{again}'")),
                Err(e) => self.breaks("printed", format!("'{text}' does not parse: {e}")),
            }
        }
    }
}

/// The largest difference that rounding may cause in a matrix.
fn margin(k: &Dense) -> f64 {
    TOLERANCE * k.values().iter().fold(0.0f64, |m, v| m.max(v.abs()))
}

fn differ(a: f64, b: f64, margin: f64) -> bool {
    // NaN differs from everything.
    (a - b).abs() > margin || a.is_nan() || b.is_nan()
}

fn same_bits(a: &Dense, b: &Dense) -> bool {
    a.rows() == b.rows() && a.values().iter().zip(b.values()).all(|(x, y)| x.to_bits() == y.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate;

    #[test]
    fn built_in_kernels_obey_the_laws() {
        let (data, engine) =
            (generate::balance1().unwrap().select(&(0..30).collect::<Vec<_>>()), Engine::new());
        for text in [
            "rbf(gamma=scale)",
            "center(linear)",
            "walk(rbf(gamma=1), p=3)",
            "walk(linear, p=2, through=all)",
        ] {
            let broken = check(&text.parse().unwrap(), &data, 20, &engine).unwrap();
            assert_eq!(broken, [], "{text}");
        }
        assert!(check(&"linear".parse().unwrap(), &data, 0, &engine).is_err());
    }
}
