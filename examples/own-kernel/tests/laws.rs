//! Kernels that break a law or hide a dependency are detected.

use std::fmt;

use mercer::Result;
use mercer::data::{Kind, Vectors, generate};
use mercer::expression::{Entry, register};
use mercer::gram::Engine;
use mercer::kernel::{Definiteness, Facts, Kernel, Part};
use mercer::laws::check;

const PROPER: Facts = Facts {
    name: "law-proper",
    summary: "A kernel under test.",
    formula: "x·y",
    takes: "numbers",
    kinds: &[Kind::Numbers],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[],
    cost: "d",
    reference: "none",
    example: "law-proper",
};

/// The inner product with a fault.
#[derive(Clone, Copy)]
struct Faulty {
    name: &'static str,
    fault: Fault,
}

#[derive(Clone, Copy)]
enum Fault {
    None,
    Negative,
    Lopsided,
    Diagonal,
    Place,
    /// A value computed from the training objects.
    Scaled(f64),
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Kernel<Vectors> for Faulty {
    type Prepared = Vec<Vec<f64>>;

    fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
        let x = objects.to_dense();
        Ok((0..x.rows()).map(|i| x.row(i).to_vec()).collect())
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                let (x, y) = (&rows.set[i], &cols.set[j]);
                let product: f64 = x.iter().zip(y).map(|(a, b)| a * b).sum();
                *v = match self.fault {
                    Fault::Negative => -product,
                    Fault::Lopsided => product + x[0],
                    Fault::Place => product + rows.set.len() as f64,
                    Fault::Scaled(by) => product * by,
                    Fault::None | Fault::Diagonal => product,
                };
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        for (v, i) in out.iter_mut().zip(of.range.clone()) {
            self.fill(Part::new(of.set, i..i + 1), Part::new(of.set, i..i + 1), std::slice::from_mut(v))?;
            if let Fault::Diagonal = self.fault {
                *v -= 1e6;
            }
        }
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}

macro_rules! faulty {
    ($name:literal, $fault:expr) => {{
        static FACTS: Facts = Facts { name: $name, example: $name, ..PROPER };
        register(Entry::kernel(&FACTS, |call, scope| {
            scope.on::<Vectors, _>(call, Faulty { name: $name, fault: $fault })
        }))
        .unwrap();
        let data = generate::balance1().unwrap().select(&(0..30).collect::<Vec<_>>());
        let broken = check(&$name.parse().unwrap(), &data, 20, &Engine::new()).unwrap();
        broken.into_iter().map(|v| v.law).collect::<Vec<_>>()
    }};
}

#[test]
fn broken_laws_are_named() {
    assert_eq!(faulty!("law-proper", Fault::None), Vec::<&str>::new());
    assert_eq!(faulty!("law-negative", Fault::Negative), ["definiteness"]);
    assert!(faulty!("law-lopsided", Fault::Lopsided).contains(&"pairs"));
    assert_eq!(faulty!("law-diagonal", Fault::Diagonal), ["definiteness"]);
    assert!(faulty!("law-place", Fault::Place).contains(&"pairs"));
}

/// An entry that depends on its training objects without declaring it is detected.
#[test]
fn a_hidden_dependency_is_a_leak() {
    static FACTS: Facts = Facts { name: "law-leak", example: "law-leak", ..PROPER };
    register(Entry::kernel(&FACTS, |call, scope| {
        let fault = Fault::Scaled(scope.training().len() as f64);
        scope.on::<Vectors, _>(call, Faulty { name: "law-leak", fault })
    }))
    .unwrap();
    let data = generate::balance1().unwrap().select(&(0..30).collect::<Vec<_>>());
    let broken = check(&"law-leak".parse().unwrap(), &data, 20, &Engine::new()).unwrap();
    assert!(broken.iter().any(|v| v.law == "training alone"), "{broken:?}");
}
