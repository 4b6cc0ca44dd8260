//! Candidates of the second stage: wider ranges, and sums of the best kernels.

use std::collections::HashSet;

use super::propose::Candidate;
use super::report::Trial;
use super::session::Session;
use super::work::Work;
use crate::error::{Error, Result};
use crate::expression::{Expression, Value};
use crate::gram::Engine;

/// The number of rounds; a round without progress is the last.
const ROUNDS: usize = 4;
/// The number of methods whose ranges are widened in a round.
const WIDENED: usize = 2;
/// The largest number of configurations of a sum.
const MOST_CONFIGURATIONS: usize = 64;
/// The number of objects that show the scale of a kernel.
const SHOWN: usize = 40;

/// Goes on from the best trials until nothing improves or the time is used up.
///
/// Where most outer splits chose a value at the edge of its range, the range is moved beyond it. The kernels of the two best methods are
/// added, with the values that were chosen. All values are chosen again inside each training set.
pub(super) fn deepen(session: &mut Session<'_>, work: &Work<'_>) -> Result<()> {
    let text = |c: &Candidate| format!("{} | {}", c.kernel, c.learner);
    let mut seen: HashSet<String> = session.trials.iter().map(|t| text(&t.candidate)).collect();
    seen.extend(session.skipped.iter().map(|s| text(&s.candidate)));
    for _ in 0..ROUNDS {
        let ranked = session.ranked(work);
        let Some(&first) = ranked.first() else { return Ok(()) };
        let before = session.trials[first].quality(work.score);
        let is_perfect = session.trials[first].summary.mean.is_some_and(|mean| work.score.is_perfect(mean));
        if session.clock.left(session.share) <= 0.0 || is_perfect {
            return Ok(());
        }
        let mut next = Vec::new();
        for &at in ranked.iter().take(WIDENED) {
            next.extend(wider(&session.trials[at])?);
        }
        let methods: Vec<&Trial> = ranked.iter().map(|&at| &session.trials[at]).collect();
        next.extend(summed(&methods, work, session.engine)?);
        next.retain(|candidate| seen.insert(text(candidate)));
        if next.is_empty() {
            return Ok(());
        }
        session.try_all(work, next)?;
        let after = session.ranked(work).first().map(|&at| session.trials[at].quality(work.score));
        if after.is_none_or(|after| after <= before) {
            return Ok(());
        }
    }
    Ok(())
}

/// The candidate of a trial with the ranges moved of which most splits chose the smallest or largest value.
fn wider(trial: &Trial) -> Result<Option<Candidate>> {
    let grid = trial.candidate.grid()?;
    let of_kernel = trial.candidate.kernel.choices();
    let mut lists: Vec<Vec<Value>> = grid.values().to_vec();
    if of_kernel.len() > lists.len() || trial.picked.is_empty() {
        return Ok(None);
    }
    let positions: Vec<Vec<usize>> = trial.picked.iter().map(|&c| grid.position(c)).collect();
    let mut moved = Vec::new();
    for (at, name) in grid.names().iter().enumerate() {
        let Some(numbers) = ascending(&lists[at]) else { continue };
        let most = |place: usize| 2 * positions.iter().filter(|p| p[at] == place).count() > positions.len();
        let beyond = match numbers.len() {
            0..=2 => None,
            n if most(n - 1) => Some(above(&numbers)),
            _ if most(0) => below(&numbers),
            _ => None,
        };
        if let Some(values) = beyond {
            lists[at] = values.into_iter().map(Value::Number).collect();
            moved.push(name.clone());
        }
    }
    if moved.is_empty() {
        return Ok(None);
    }
    let (kernel_lists, learner_lists) = lists.split_at(of_kernel.len());
    let kernel = trial.candidate.kernel.with_choices(kernel_lists);
    let learner = trial.candidate.learner.with_choices(learner_lists);
    // Values outside of a parameter's domain are refused.
    let (Ok(kernel), Ok(learner)) = (kernel, learner) else { return Ok(None) };
    let reason =
        format!("{} beyond the range that was searched: the best value was at its edge", moved.join(", "));
    Ok(Some(Candidate { kernel, learner, reason, simple: false }))
}

/// The numbers of a range, if they ascend.
fn ascending(values: &[Value]) -> Option<Vec<f64>> {
    let number = |v: &Value| if let Value::Number(n) = v { Some(*n) } else { None };
    values.iter().map(number).collect::<Option<Vec<f64>>>().filter(|all| all.is_sorted_by(|a, b| a < b))
}

/// Whether values grow by factors rather than by differences.
fn is_geometric(numbers: &[f64]) -> bool {
    numbers[0] > 0.0 && numbers.windows(2).all(|w| w[1] / w[0] > 1.9)
}

fn above(numbers: &[f64]) -> Vec<f64> {
    let n = numbers.len();
    let (last, before) = (numbers[n - 1], numbers[n - 2]);
    let next = |by: i32| match is_geometric(numbers) {
        true => rounded(last * (last / before).powi(by)),
        false => rounded(last + f64::from(by) * (last - before)),
    };
    vec![before, last, next(1), next(2)]
}

/// None where values that differ by a constant would become 0 or less.
fn below(numbers: &[f64]) -> Option<Vec<f64>> {
    let (first, second) = (numbers[0], numbers[1]);
    let next = |by: i32| match is_geometric(numbers) {
        true => rounded(first / (second / first).powi(by)),
        false => rounded(first - f64::from(by) * (second - first)),
    };
    let values: Vec<f64> = [next(2), next(1)].into_iter().filter(|v| *v > 0.0).collect();
    (!values.is_empty()).then(|| [values, vec![first, second]].concat())
}

fn rounded(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

/// The sum of the best kernel and the next one of another form, with the learner of the best.
fn summed(ranked: &[&Trial], work: &Work<'_>, engine: &Engine) -> Result<Option<Candidate>> {
    let Some((best, others)) = ranked.split_first() else { return Ok(None) };
    let own = form(&best.candidate.kernel);
    let other = others.iter().find(|t| {
        let theirs = form(&t.candidate.kernel);
        !t.candidate.simple && !own.contains(&theirs) && !theirs.contains(&own)
    });
    let Some(other) = other else { return Ok(None) };
    let learners = best.candidate.learner.choices().iter().map(|c| c.1.len()).product::<usize>().max(1);
    for most in [2, 1] {
        let (Some(one), Some(two)) = (narrow(best, most)?, narrow(other, most)?) else { return Ok(None) };
        if configurations(&one) * configurations(&two) * learners > MOST_CONFIGURATIONS && most > 1 {
            continue;
        }
        let (Some(one), Some(two)) =
            (balanced(&one, best, work, engine)?, balanced(&two, other, work, engine)?)
        else {
            return Ok(None);
        };
        let kernel = Expression::Sum(vec![one, two]).to_string();
        let reason = "the sum of the two best kernels".to_owned();
        let learner = best.candidate.learner.clone();
        return Ok(Some(Candidate { kernel: kernel.parse()?, learner, reason, simple: false }));
    }
    Ok(None)
}

fn configurations(kernel: &Expression) -> usize {
    kernel.choices().iter().map(|c| c.1.len()).product()
}

/// The text of a kernel without its numbers: equal for kernels that differ in ranges alone.
fn form(kernel: &Expression) -> String {
    kernel.to_string().chars().filter(|c| !c.is_ascii_digit() && !"[], .".contains(*c)).collect()
}

/// The kernel of a trial with at most so many values of each range: those chosen in most splits.
fn narrow(trial: &Trial, most: usize) -> Result<Option<Expression>> {
    let grid = trial.candidate.grid()?;
    let choices = trial.candidate.kernel.choices();
    if choices.len() > grid.values().len() {
        return Ok(None);
    }
    let positions: Vec<Vec<usize>> = trial.picked.iter().map(|&c| grid.position(c)).collect();
    let mut lists = Vec::with_capacity(choices.len());
    for (at, (_, values)) in choices.iter().enumerate() {
        let times = |place: usize| positions.iter().filter(|p| p[at] == place).count();
        let mut places: Vec<usize> = (0..values.len()).filter(|&place| times(place) > 0).collect();
        places.sort_by_key(|&place| std::cmp::Reverse(times(place)));
        places.truncate(most);
        places.sort_unstable();
        lists.push(places.into_iter().map(|place| values[place].clone()).collect());
    }
    trial.candidate.kernel.with_choices(&lists).map(Some)
}

/// The kernel, normalised unless self-similarities are about 1: otherwise one term of a sum would outweigh the other. None where
/// it has no values for some objects.
fn balanced(
    kernel: &Expression,
    trial: &Trial,
    work: &Work<'_>,
    engine: &Engine,
) -> Result<Option<Expression>> {
    let typical: Expression = trial.typical().0.parse()?;
    let few = work.used.select(&(0..work.used.len().min(SHOWN)).collect::<Vec<_>>());
    let gram = typical.fit(&few, engine).and_then(|fitted| engine.gram(&fitted.kernel, &few));
    let own: Vec<f64> = match gram {
        Ok(gram) => (0..gram.rows()).map(|i| gram.at(i, i)).collect(),
        Err(error @ (Error::Interrupted | Error::Time { .. })) => return Err(error),
        Err(_) => return Ok(None),
    };
    match own.iter().all(|v| (0.5..=2.0).contains(v)) {
        true => Ok(Some(kernel.clone())),
        false => kernel.wrapped("normalize", "").map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_move_by_their_own_factor_or_difference() {
        assert_eq!(above(&[0.1, 1.0, 10.0, 100.0]), [10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(below(&[0.03, 0.12, 0.48]).unwrap(), [0.001875, 0.0075, 0.03, 0.12]);
        assert_eq!(above(&[1.0, 3.0, 5.0, 9.0, 15.0]), [9.0, 15.0, 21.0, 27.0]);
        assert_eq!(below(&[2.0, 3.0, 4.0]).unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!(below(&[1.0, 2.0, 3.0]), None);
        assert_eq!(above(&[0.0, 1.0, 2.0]), [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn kernels_on_several_columns_can_be_wrapped() {
        let kernel: Expression = "linear + column-sum(delta)@a,b".parse().unwrap();
        let wrapped = kernel.wrapped("normalize", "").unwrap().to_string();
        assert_eq!(wrapped, "normalize(linear + column-sum(delta)@[a,b])");
    }

    #[test]
    fn kernels_that_differ_in_numbers_have_one_form() {
        let form = |text: &str| form(&text.parse().unwrap());
        assert_eq!(form("rbf(gamma=[0.1, 1])"), form("rbf(gamma=3)"));
        assert_ne!(form("rbf(gamma=[0.1, 1])"), form("laplacian(gamma=3)"));
    }
}
