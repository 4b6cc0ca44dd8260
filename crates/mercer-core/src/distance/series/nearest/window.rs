//! A window learned from the training series.

use rayon::prelude::*;

use super::super::band::Band;
use super::super::prepared::{Look, PreparedSeries};
use super::{Space, ends, squared};
use crate::budget;
use crate::data::Series;
use crate::error::{Error, Result};
use crate::traits::Prepared;

/// A window, and what speaks for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedWindow {
    /// The share of the longer series that alignments may differ by in time.
    pub window: f64,
    /// How many training series have a nearest neighbour of another class.
    pub errors: usize,
}

/// The windows tried: every hundredth, as the archive's own results have them.
const SHARES: usize = 100;

/// The window in 0, 0.01, …, 1 with which the fewest training series have a nearest neighbour of another class (leave one
/// out); of equally good ones the smallest. One series alone has no neighbour, and no window is wrong.
///
/// `classes` are those of the series. Of equally near neighbours the first counts.
///
/// Windows are gone through from wide to narrow. A narrower window never makes a distance smaller, so what is known of a
/// pair stays a lower bound, and the neighbour of the wider window is a good first guess: few alignments are computed, and
/// most of those are abandoned. Cost: O(n²·l²) for n series of length l and each window at most; in practice a small part.
///
/// Reference: Tan, Herrmann, Forestier, Webb & Petitjean 2018, Efficient search of the best warping window for dynamic time
/// warping; Herrmann & Webb 2021.
///
/// ```
/// use mercer_core::{data::Series, distance::series::{Look, learn_window}};
/// let peak = |at: usize| {
///     let mut v = vec![0.0; 20];
///     v[at] = 1.0;
///     Series::new(1, v)
/// };
/// // Where the peak is tells the classes apart: no warping is best.
/// let x = [peak(2)?, peak(2)?, peak(12)?, peak(12)?];
/// let learned = learn_window(&x, &[0, 0, 1, 1], Look::default())?;
/// assert_eq!((learned.window, learned.errors), (0.0, 0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn learn_window(series: &[Series], classes: &[u32], look: Look) -> Result<LearnedWindow> {
    if series.len() != classes.len() {
        return Err(Error::usage(format!("{} series and {} classes", series.len(), classes.len())));
    }
    let known = PreparedSeries::plain(series, look)?;
    let wrong: Vec<Vec<bool>> =
        (0..known.len()).into_par_iter().map(budget::carried(|i| errors(&known, classes, i))).collect();
    budget::check()?;
    let count = |w: usize| wrong.iter().filter(|own| own[w]).count();
    // The first of equally good ones: windows ascend.
    let best = (0..=SHARES).map(|w| (count(w), w)).min().unwrap_or((0, SHARES));
    Ok(LearnedWindow { window: best.1 as f64 / SHARES as f64, errors: best.0 })
}

/// For each window whether series i has a nearest neighbour of another class.
fn errors(known: &PreparedSeries, classes: &[u32], i: usize) -> Vec<bool> {
    let others = || (0..known.len()).filter(|&j| j != i);
    let planes = known.planes();
    // What is known of each pair: its distance at a wider window, or that it is above what was looked for then.
    let mut at_least: Vec<f64> = (0..known.len())
        .map(|j| {
            let sum: f64 = planes.iter().map(|p| ends(p.values(i), p.values(j), p.channels())).sum();
            sum * (1.0 - 1e-12 * (planes.len() - 1) as f64)
        })
        .collect();
    let longest = (0..known.len()).map(|j| planes[0].len_of(j)).max().unwrap_or(1);
    let mut wrong = vec![false; SHARES + 1];
    let mut space = Space::default();
    let mut nearest: Option<usize> = None;
    let mut before = None;
    for w in (0..=SHARES).rev() {
        let window = w as f64 / SHARES as f64;
        // Windows that come to the same number of moments for every length are the same window.
        let radius = Band::radius(window, longest);
        if before == Some(radius) {
            wrong[w] = wrong[w + 1];
            continue;
        }
        before = (0..known.len()).all(|j| planes[0].len_of(j) == longest).then_some(radius);
        let band = Band::SakoeChiba { window };
        let mut best = (usize::MAX, f64::INFINITY);
        let mut order: Vec<usize> = others().collect();
        order.sort_by(|&a, &b| at_least[a].total_cmp(&at_least[b]).then(a.cmp(&b)));
        for j in nearest.into_iter().chain(order.into_iter().filter(|&j| Some(j) != nearest)) {
            if at_least[j] > best.1 {
                break;
            }
            match squared((known, i), (known, j), band, best.1, &mut space) {
                Some(d) => {
                    at_least[j] = d;
                    if d < best.1 || j < best.0 {
                        best = (j, d);
                    }
                }
                None => at_least[j] = at_least[j].max(best.1),
            }
        }
        nearest = (best.0 != usize::MAX).then_some(best.0);
        wrong[w] = nearest.is_some_and(|j| classes[j] != classes[i]);
    }
    wrong
}
