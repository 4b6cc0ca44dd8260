//! Search strategies, which select the configurations of a grid to try, as values that can be printed and parsed.

use std::fmt;
use std::str::FromStr;

use super::grid::Grid;
use crate::error::{Error, Result};
use crate::random::derive_seed;

/// Selects the configurations that a search tries.
///
/// | text | meaning |
/// |---|---|
/// | `grid` | every configuration |
/// | `random(60)` | this many, sampled without replacement; the same for all splits |
/// | `halving` | every configuration on few training objects, the best third of them on more, and so on |
/// | `halving(200)` | the same, starting with this many sampled configurations |
///
/// ```
/// use mercer::select::Strategy;
/// assert_eq!("random(60)".parse::<Strategy>()?, Strategy::Random(60));
/// assert_eq!(Strategy::Halving(None).to_string(), "halving");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// Every configuration.
    #[default]
    Grid,
    /// This many sampled configurations.
    Random(usize),
    /// Successive halving of every configuration, or of this many sampled ones.
    Halving(Option<usize>),
}

/// Seed stream for sampling configurations; smaller numbers belong to the splits.
const DRAW: u64 = 1 << 40;

impl Strategy {
    /// The same strategy, limited to this many configurations: a grid search becomes a random search.
    pub fn at_most(self, configurations: usize) -> Self {
        match self {
            Strategy::Grid => Strategy::Random(configurations),
            Strategy::Random(n) => Strategy::Random(n.min(configurations)),
            Strategy::Halving(n) => {
                Strategy::Halving(Some(n.map_or(configurations, |n| n.min(configurations))))
            }
        }
    }

    /// The configurations it starts with, in ascending order.
    pub fn configurations(&self, grid: &Grid, seed: u64) -> Result<Vec<usize>> {
        match *self {
            Strategy::Grid | Strategy::Halving(None) => Ok((0..grid.len()).collect()),
            Strategy::Random(0) | Strategy::Halving(Some(0)) => {
                Err(Error::param("configurations", 0, "a whole number from 1"))
            }
            Strategy::Random(n) | Strategy::Halving(Some(n)) => Ok(grid.sample(n, derive_seed(seed, DRAW))),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strategy::Grid => f.write_str("grid"),
            Strategy::Random(n) => write!(f, "random({n})"),
            Strategy::Halving(None) => f.write_str("halving"),
            Strategy::Halving(Some(n)) => write!(f, "halving({n})"),
        }
    }
}

impl FromStr for Strategy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            Error::param(
                "search",
                format!("'{text}'"),
                "grid, random(N), halving or halving(N) with N from 1",
            )
        };
        let (name, count) = match text.trim().strip_suffix(')') {
            None => (text.trim(), None),
            Some(inside) => {
                let (name, count) = inside.split_once('(').ok_or_else(wrong)?;
                let digits = count.bytes().all(|b| b.is_ascii_digit());
                let count = count.parse().ok().filter(|&n: &usize| digits && n > 0).ok_or_else(wrong)?;
                (name, Some(count))
            }
        };
        match (name, count) {
            ("grid", None) => Ok(Strategy::Grid),
            ("random", Some(n)) => Ok(Strategy::Random(n)),
            ("halving", n) => Ok(Strategy::Halving(n)),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_values() {
        for text in ["grid", "random(60)", "halving", "halving(200)"] {
            assert_eq!(text.parse::<Strategy>().unwrap().to_string(), text);
        }
        for text in
            ["", "random", "random()", "random(0)", "random(+3)", "halving(0)", "grid(3)", "tree", "(", ")"]
        {
            assert!(text.parse::<Strategy>().is_err(), "{text}");
        }
    }

    #[test]
    fn limits() {
        assert_eq!(Strategy::Grid.at_most(5), Strategy::Random(5));
        assert_eq!(Strategy::Random(9).at_most(5), Strategy::Random(5));
        assert_eq!(Strategy::Halving(None).at_most(5), Strategy::Halving(Some(5)));
        let grid = Grid::new(&"rbf(gamma=[1, 2, 3])".parse().unwrap(), &"svc(C=[1, 2, 3])".parse().unwrap());
        let grid = grid.unwrap();
        assert_eq!(Strategy::Grid.configurations(&grid, 1).unwrap().len(), 9);
        let drawn = Strategy::Random(4).configurations(&grid, 1).unwrap();
        assert!(drawn.len() == 4 && drawn.is_sorted_by(|a, b| a < b) && drawn[3] < 9);
        assert_eq!(drawn, Strategy::Halving(Some(4)).configurations(&grid, 1).unwrap());
        assert!(Strategy::Random(0).configurations(&grid, 1).is_err());
    }
}
