//! Numbers and parameters multiplied by a power of two: values scale bit for bit, because nothing is rounded.

use mercer::data::{Column, Dataset, Dense, Series, Sparse, Values};
use mercer::expression::{Call, Expression, Setting, entries};

use super::{Tally, gram, seeds};
use crate::generate::{Random, case, with_classes};

/// How a kernel scales when all numbers are multiplied by a: the powers of a that multiply parameters and values.
struct Law {
    kernel: &'static str,
    parameters: &'static [(&'static str, i32)],
    value: i32,
}

const fn law(kernel: &'static str, parameters: &'static [(&'static str, i32)], value: i32) -> Law {
    Law { kernel, parameters, value }
}

static LAWS: &[Law] = &[
    law("linear", &[], 2),
    // The power of the value is twice the degree: see below.
    law("polynomial", &[("gamma", 0), ("c", 2)], 0),
    law("rbf", &[("gamma", -2)], 0),
    law("laplacian", &[("gamma", -1)], 0),
    law("cosine", &[], 0),
    law("sigmoid", &[("gamma", -2)], 0),
    law("chi2", &[("gamma", -1)], 0),
    law("euclidean", &[], 2),
    law("cosine-distance", &[], 0),
    law("jensen-shannon", &[], 0),
    law("delta", &[], 0),
    law("dtw", &[], 2),
    law("derivative-dtw", &[], 2),
    law("weighted-dtw", &[], 2),
    law("learned-dtw", &[], 2),
    law("series-euclidean", &[], 2),
    law("soft-dtw", &[("gamma", 2)], 2),
    law("gak", &[("sigma", 1)], 0),
    law("kdtw", &[("nu", -2)], 0),
    law("erp", &[("g", 1)], 2),
    law("msm", &[("c", 1)], 2),
    law("twe", &[("nu", 1), ("lambda", 1)], 2),
    law("lcss", &[("epsilon", 1)], 0),
];

/// The objects with every number multiplied.
fn multiplied(data: &Dataset, a: f64) -> Dataset {
    let column = |c: &Column| {
        let values = match &c.values {
            Values::Numbers(x) => Values::Numbers(
                Dense::new(x.rows(), x.cols(), x.values().iter().map(|v| a * v).collect()).unwrap(),
            ),
            Values::Sparse(x) => {
                let row = |i: usize| x.row(i).0.iter().zip(x.row(i).1).map(|(f, v)| (*f, a * v)).collect();
                Values::Sparse(
                    Sparse::from_rows(x.dim(), &(0..x.rows()).map(row).collect::<Vec<_>>()).unwrap(),
                )
            }
            Values::Series(all) => {
                let one = |s: &Series| {
                    Series::new(s.channels(), s.values().iter().map(|v| a * v).collect()).unwrap()
                };
                Values::Series(all.iter().map(one).collect())
            }
            other => other.clone(),
        };
        Column::new(&c.name, values)
    };
    with_classes(Dataset::new(data.columns().iter().map(column).collect()).unwrap())
}

fn followed(call: &Call, law: &Law, a: f64) -> Call {
    let mut call = call.clone();
    for (name, power) in law.parameters {
        let at = call.entry.facts.parameters.iter().position(|p| p.name == *name).unwrap();
        let value = call.settings[at].number().unwrap();
        call.settings[at] = Setting::from(value * a.powi(*power));
    }
    call
}

#[test]
fn values_scale_with_numbers() {
    let mut tally = Tally::default();
    for law in LAWS {
        let entry = entries().into_iter().find(|e| e.facts.name == law.kernel).unwrap();
        for seed in 0..seeds(10, 150) {
            let made = case(entry, 2 + seed as usize % 12, seed).unwrap();
            let Expression::Call(call) = &made.expression else { panic!("no call") };
            let mut random = Random::new(seed);
            let a: f64 = *random.pick(&[0.25, 2.0, 1024.0]);
            let degree = call.entry.facts.parameters.iter().position(|p| p.name == "degree");
            let degree = degree.map(|at| call.settings[at].number().unwrap() as i32);
            let factor = a.powi(degree.map_or(law.value, |d| 2 * d));
            let outcome = (|| {
                let plain = gram(&made.expression, &made.data)?;
                let scaled = gram(&Expression::Call(followed(call, law, a)), &multiplied(&made.data, a))?;
                for i in 0..plain.rows() {
                    for j in 0..plain.rows() {
                        tally
                            .value(entry, scaled.at(i, j), factor * plain.at(i, j), 0.0, false)
                            .map_err(|e| format!("times {a}, ({i}, {j}): {e}"))?;
                    }
                }
                Ok(())
            })();
            tally.went(&made, seed, outcome);
        }
    }
    tally.end("metamorphic", "multiplied numbers", "scale::values_scale_with_numbers");
}
