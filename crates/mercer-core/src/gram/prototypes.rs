//! Prototypes and criticisms of a set of objects, from their Gram matrix.

use crate::budget;
use crate::data::Dense;
use crate::error::Result;
use crate::numeric::check_square;

/// Objects that represent all others best: chosen one by one, each lowers the maximum mean discrepancy between the chosen and
/// all objects the most. Returns their indices in the order of the choice, at most `count`.
///
/// The squared discrepancy is mean k(x, y) - 2·mean k(x, s) + mean k(s, t) over all objects x, y and chosen s, t. The greedy
/// choice takes `count`·n operations after the means of the rows.
///
/// ```
/// use mercer_core::{data::Dense, gram::prototypes};
/// // Two groups: the first two objects, and the other three.
/// let near = |i: usize, j: usize| if i == j { 1.0 } else if (i < 2) == (j < 2) { 0.8 } else { 0.0 };
/// let gram = Dense::new(5, 5, (0..25).map(|at| near(at / 5, at % 5)).collect())?;
/// let chosen = prototypes(&gram, 2)?;
/// assert!(chosen[0] >= 2 && chosen[1] < 2);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// B. Kim, R. Khanna and O. Koyejo, *Examples are not enough, learn to criticize!*, NeurIPS 2016.
pub fn prototypes(gram: &Dense, count: usize) -> Result<Vec<usize>> {
    check_square(gram)?;
    let n = gram.rows();
    let means = row_means(gram);
    let (mut chosen, mut taken) = (Vec::new(), vec![false; n]);
    // Over the chosen: the sum of row means, that of their similarities, and that of each object with them.
    let (mut sum, mut within, mut with) = (0.0, 0.0, vec![0.0; n]);
    while chosen.len() < count.min(n) {
        budget::check()?;
        let size = (chosen.len() + 1) as f64;
        let gain = |i: usize| {
            2.0 * (sum + means[i]) / size - (within + 2.0 * with[i] + gram.at(i, i)) / (size * size)
        };
        let free = (0..n).filter(|&i| !taken[i]);
        let Some(best) = free.max_by(|&a, &b| gain(a).total_cmp(&gain(b)).then(b.cmp(&a))) else { break };
        sum += means[best];
        within += 2.0 * with[best] + gram.at(best, best);
        with.iter_mut().enumerate().for_each(|(i, w)| *w += gram.at(i, best));
        taken[best] = true;
        chosen.push(best);
    }
    Ok(chosen)
}

/// Objects that prototypes represent worst, at most `count`: those with the largest difference between their mean similarity
/// to all objects and to the prototypes. They are listed from the largest on; the paper's penalty for similar criticisms is
/// left out.
///
/// ```
/// use mercer_core::{data::Dense, gram::{criticisms, prototypes}};
/// let near = |i: usize, j: usize| if i == j { 1.0 } else if i < 4 && j < 4 { 0.8 } else { 0.0 };
/// let gram = Dense::new(5, 5, (0..25).map(|at| near(at / 5, at % 5)).collect())?;
/// assert_eq!(criticisms(&gram, &prototypes(&gram, 1)?, 1)?, [4]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn criticisms(gram: &Dense, prototypes: &[usize], count: usize) -> Result<Vec<usize>> {
    check_square(gram)?;
    let (n, means) = (gram.rows(), row_means(gram));
    let chosen: Vec<usize> = prototypes.iter().copied().filter(|&i| i < n).collect();
    let size = chosen.len().max(1) as f64;
    let witness = |i: usize| (means[i] - chosen.iter().map(|&s| gram.at(i, s)).sum::<f64>() / size).abs();
    let mut others: Vec<(usize, f64)> =
        (0..n).filter(|i| !chosen.contains(i)).map(|i| (i, witness(i))).collect();
    others.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(others.into_iter().take(count).map(|(i, _)| i).collect())
}

fn row_means(gram: &Dense) -> Vec<f64> {
    let n = gram.cols().max(1) as f64;
    (0..gram.rows()).map(|i| gram.row(i).iter().sum::<f64>() / n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The squared discrepancy by its definition, for each next choice.
    #[test]
    fn each_choice_lowers_the_discrepancy_the_most() {
        let n = 14;
        let mut random = Random::new(2);
        let x: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let k = |i: usize, j: usize| (-(x[i] - x[j]).powi(2)).exp();
        let gram = Dense::new(n, n, (0..n * n).map(|at| k(at / n, at % n)).collect()).unwrap();
        let mean = |a: &[usize], b: &[usize]| {
            a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j))).map(|(i, j)| k(i, j)).sum::<f64>()
                / (a.len() * b.len()) as f64
        };
        let all: Vec<usize> = (0..n).collect();
        let discrepancy = |s: &[usize]| mean(&all, &all) - 2.0 * mean(&all, s) + mean(s, s);
        let chosen = prototypes(&gram, 5).unwrap();
        assert_eq!(chosen.len(), 5);
        for size in 0..5 {
            let with = |i: usize| discrepancy(&[&chosen[..size], &[i]].concat());
            let best = (0..n).filter(|i| !chosen[..size].contains(i)).map(with).fold(f64::INFINITY, f64::min);
            assert!((with(chosen[size]) - best).abs() < 1e-12);
        }
        assert_eq!(prototypes(&gram, 99).unwrap().len(), n);
        assert!(criticisms(&gram, &chosen, 3).unwrap().iter().all(|i| !chosen.contains(i)));
    }
}
