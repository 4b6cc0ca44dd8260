//! Learning the window from the training series.

use super::super::band::Band;
use super::super::prepared::{ChannelChoice, PreparedSeries};
use super::{Space, ends, squared};
use crate::budget;
use crate::data::Series;
use crate::error::{Error, Result};
use crate::parallel;
use crate::traits::Prepared;

/// A learned window and its leave-one-out errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedWindow {
    /// The window as a share of the longer series.
    pub window: f64,
    /// The number of training series whose nearest neighbour has another class.
    pub errors: usize,
}

/// The windows tried: every hundredth, as in the published results of the archive.
const SHARES: usize = 100;

/// The window in 0, 0.01, …, 1 for which the fewest training series have a nearest neighbour of another class
/// (leave-one-out); ties go to the smallest. A single series has no neighbour, and every window has no errors.
///
/// `classes` are those of the series. Ties between neighbours go to the first.
///
/// Windows are processed from wide to narrow. A narrower window never makes a distance smaller, so known distances of a
/// pair stay lower bounds, and the neighbour for the wider window is a good first candidate. So few alignments are
/// computed, and most of these are abandoned. Cost: at most O(n²·l²) for n series of length l and each window; in
/// practice a small part of that.
///
/// Reference: Tan, Herrmann, Forestier, Webb & Petitjean 2018, Efficient search of the best warping window for dynamic
/// time warping; Herrmann & Webb 2021.
///
/// ```
/// use mercer_core::{data::Series, distance::series::{ChannelChoice, learn_window}};
/// let peak = |at: usize| {
///     let mut v = vec![0.0; 20];
///     v[at] = 1.0;
///     Series::new(1, v)
/// };
/// // The position of the peak distinguishes the classes: no warping is best.
/// let x = [peak(2)?, peak(2)?, peak(12)?, peak(12)?];
/// let learned = learn_window(&x, &[0, 0, 1, 1], ChannelChoice::default())?;
/// assert_eq!((learned.window, learned.errors), (0.0, 0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn learn_window(series: &[Series], classes: &[u32], choice: ChannelChoice) -> Result<LearnedWindow> {
    if series.len() != classes.len() {
        return Err(Error::usage(format!("{} series but {} classes", series.len(), classes.len())));
    }
    let known = PreparedSeries::plain(series, choice)?;
    let wrong: Vec<Vec<bool>> = parallel::map(known.len(), |i| errors(&known, classes, i));
    budget::check()?;
    let count = |w: usize| wrong.iter().filter(|own| own[w]).count();
    // Ties go to the first: windows ascend.
    let best = (0..=SHARES).map(|w| (count(w), w)).min().unwrap_or((0, SHARES));
    Ok(LearnedWindow { window: best.1 as f64 / SHARES as f64, errors: best.0 })
}

/// For each window whether series i has a nearest neighbour of another class.
fn errors(known: &PreparedSeries, classes: &[u32], i: usize) -> Vec<bool> {
    let others = || (0..known.len()).filter(|&j| j != i);
    let planes = known.planes();
    // For each pair its distance at a wider window, or a lower bound from an abandoned alignment.
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
        // Windows with the same number of time steps for every length are equal.
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
