//! Loops over indices and over parts of slices, on all threads.
//!
//! Every loop of the library that runs in parallel goes through [`ranges`], which is compiled once. A parallel iterator of rayon
//! would be compiled anew for each closure, about two thousand lines of intermediate code each time.
//!
//! Results are in the order of the indices and errors are the first in that order, so neither depends on the number of threads.
//! The budget in force on the calling thread is in force in every call.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::budget;
use crate::error::Result;

/// Calls `work` for ranges that cover 0..count, each of at least `least` indices unless it is the rest.
///
/// An idle thread takes half of a range that has not been started.
fn ranges(count: usize, least: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    use rayon::iter::{ParallelIterator, split};
    let least = least.max(1);
    let halves = |range: Range<usize>| match range.len() >= 2 * least {
        true => {
            let middle = range.start + range.len() / 2;
            (range.start..middle, Some(middle..range.end))
        }
        false => (range, None),
    };
    if count < 2 * least {
        return work(0..count);
    }
    split(0..count, halves).for_each(budget::carried(work));
}

/// Computes f(0), …, f(count − 1).
///
/// ```
/// assert_eq!(mercer_core::parallel::map(4, |i| i * i), [0, 1, 4, 9]);
/// ```
pub fn map<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map_with(count, 1, || (), |(), i| f(i))
}

/// [`map`] for short work: a thread takes at least `least` neighbouring indices.
pub fn map_at_least<R: Send>(count: usize, least: usize, f: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map_with(count, least, || (), |(), i| f(i))
}

/// [`map`] with a state that calls on one thread share, such as a buffer. Results must not depend on it.
pub fn map_with<S, R: Send>(
    count: usize,
    least: usize,
    state: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let done: Mutex<Vec<(usize, Vec<R>)>> = Mutex::default();
    ranges(count, least, &|range| {
        let (start, mut state) = (range.start, state());
        let part: Vec<R> = range.map(|i| f(&mut state, i)).collect();
        done.lock().unwrap_or_else(PoisonError::into_inner).push((start, part));
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    if done.len() == 1 {
        return done.swap_remove(0).1;
    }
    done.sort_unstable_by_key(|part| part.0);
    let mut out = Vec::with_capacity(count);
    done.into_iter().for_each(|(_, mut part)| out.append(&mut part));
    out
}

/// Computes f(0), …, f(count − 1), or the first error in this order. All are computed, even after an error.
///
/// ```
/// use mercer_core::error::Error;
/// let halves = |i: usize| if i % 2 == 0 { Ok(i / 2) } else { Err(Error::usage(format!("{i} is odd"))) };
/// assert_eq!(mercer_core::parallel::try_map(1, halves).unwrap(), [0]);
/// assert!(mercer_core::parallel::try_map(9, halves).unwrap_err().to_string().contains("1 is odd"));
/// ```
pub fn try_map<R: Send>(count: usize, f: impl Fn(usize) -> Result<R> + Sync) -> Result<Vec<R>> {
    map(count, f).into_iter().collect()
}

/// Calls `f` with the number and the values of every chunk of `size` values; the last may be shorter. The first error, if any.
pub fn chunks_mut<T: Send, R: Send>(
    values: &mut [T],
    size: usize,
    f: impl Fn(usize, &mut [T]) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let parts: Vec<Mutex<&mut [T]>> = values.chunks_mut(size.max(1)).map(Mutex::new).collect();
    // Each part is locked once.
    try_map(parts.len(), |i| f(i, &mut parts[i].lock().unwrap_or_else(PoisonError::into_inner)))
}

/// [`chunks_mut`] for work that cannot fail, where a thread takes at least `least` neighbouring chunks.
pub fn for_chunks_mut<T: Send>(
    values: &mut [T],
    size: usize,
    least: usize,
    f: impl Fn(usize, &mut [T]) + Sync,
) {
    let parts: Vec<Mutex<&mut [T]>> = values.chunks_mut(size.max(1)).map(Mutex::new).collect();
    ranges(parts.len(), least, &|range| {
        range.for_each(|i| f(i, &mut parts[i].lock().unwrap_or_else(PoisonError::into_inner)));
    });
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::error::Error;

    #[test]
    fn every_index_is_visited_once_in_order() {
        for count in [0, 1, 2, 3, 17, 1000, 4097] {
            for least in [0, 1, 7, 5000] {
                let out = map_with(count, least, Vec::new, |seen: &mut Vec<usize>, i| {
                    seen.push(i);
                    (i, seen.len())
                });
                assert_eq!(out.iter().map(|o| o.0).collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
                if least > count {
                    assert!(out.iter().enumerate().all(|(i, o)| o.1 == i + 1), "one range has one state");
                }
            }
        }
    }

    #[test]
    fn chunks_are_disjoint_and_the_first_error_is_reported() {
        let mut values = vec![0u32; 1003];
        let sizes = chunks_mut(&mut values, 10, |at, chunk| {
            chunk.iter_mut().for_each(|v| *v += at as u32 + 1);
            Ok(chunk.len())
        });
        assert_eq!(sizes.unwrap().iter().sum::<usize>(), 1003);
        assert!(values.iter().enumerate().all(|(i, &v)| v as usize == i / 10 + 1));
        for_chunks_mut(&mut values, 100, 2, |_, chunk| chunk.fill(7));
        assert_eq!(values.iter().collect::<HashSet<_>>().len(), 1);
        let fails =
            |at: usize, _: &mut [u32]| if at > 3 { Err(Error::usage(at.to_string())) } else { Ok(()) };
        assert!(chunks_mut(&mut values, 10, fails).unwrap_err().to_string().contains('4'));
    }

    #[test]
    fn the_budget_is_in_force_on_every_thread() {
        let budget = crate::budget::Budget::default();
        budget.stop();
        let seen = budget.enter(|| map(64, |_| crate::budget::check().is_err()));
        assert!(seen.into_iter().all(|stopped| stopped));
    }
}
