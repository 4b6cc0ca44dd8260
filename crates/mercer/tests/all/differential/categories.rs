//! Records of categories.

use mercer::data::Values;
use mercer::expression::Call;

use super::{Pairs, Value, View, number, strings, whole, word};

pub(super) const KERNELS: &[&str] = &["diffusion", "hypercube", "hamming", "hamming-distance"];

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let columns = view.columns(call);
    if let Values::Strings(all) = &columns[0].values {
        return strings::hamming_distance(all.clone());
    }
    let name = call.entry.facts.name;
    let all: Vec<_> = columns
        .iter()
        .map(|c| match &c.values {
            Values::Categories(x) => x.clone(),
            other => panic!("{} are not categories", other.kind()),
        })
        .collect();
    let own = name == "hamming-distance" || word(call, "missing") == "own";
    let differ = {
        let all = all.clone();
        move |a: usize, i: usize, j: usize| match (all[a].get(i), all[a].get(j)) {
            (None, None) => !own,
            (x, y) => x != y,
        }
    };
    let count = all.len();
    let differences =
        move |i: usize, j: usize| (0..count).filter(|a| differ(*a, i, j)).collect::<Vec<usize>>();
    match name {
        "hamming" => {
            Box::new(move |i, j| Value::rounded((count - differences(i, j).len()) as f64 / count as f64))
        }
        "hamming-distance" => Box::new(move |i, j| {
            let d = differences(i, j).len() as f64 / count as f64;
            Value::rounded(-d * d / 2.0)
        }),
        "hypercube" => {
            let beta = number(call, "beta");
            Box::new(move |i, j| Value::rounded(beta.tanh().powi(differences(i, j).len() as i32)))
        }
        _ => {
            let (beta, least) = (number(call, "beta"), whole(call, "values"));
            let factors: Vec<f64> = all
                .iter()
                .map(|c| {
                    // The distinct values of training objects, missing counting as one; at least two.
                    let seen: std::collections::BTreeSet<_> =
                        (0..view.train).map(|i| c.get(i)).filter(|v| own || v.is_some()).collect();
                    let a = seen.len().max(least).max(2) as f64;
                    let e = (-a * beta).exp();
                    // 1 - e, for e close to 1.
                    -(-a * beta).exp_m1() / (1.0 + (a - 1.0) * e)
                })
                .collect();
            Box::new(move |i, j| Value::rounded(differences(i, j).iter().map(|a| factors[*a]).product()))
        }
    }
}
