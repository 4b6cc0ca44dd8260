//! Bands: the cells that an alignment may use.

use std::fmt;
use std::ops::Range;

use crate::error::Result;
use crate::traits::{Domain, Parameter, ParameterValue, Printer, Settings};

/// The cells (i, j) that an alignment of two series may use.
///
/// Positions are compared on the axis of the longer series, so that the ends match for any lengths. Cells on the
/// diagonal from corner to corner are always included. Swapping the series transposes the band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Band {
    /// The Sakoe-Chiba band: positions differ by at most this share of the longer length if `window` is at most 1, and
    /// by at most this number of time steps if it is more. With 1 every cell is included.
    SakoeChiba {
        /// At least 0.
        window: f64,
    },
    /// The Itakura parallelogram: the slope of the alignment, measured from either corner, is between 1 / `slope` and
    /// `slope`.
    Itakura {
        /// At least 1.
        slope: f64,
    },
}

impl Default for Band {
    fn default() -> Self {
        Band::FULL
    }
}

impl Band {
    /// Every cell.
    pub const FULL: Band = Band::SakoeChiba { window: 1.0 };

    /// The Sakoe-Chiba band.
    pub fn sakoe_chiba(window: f64) -> Result<Self> {
        WINDOW.check(window)?;
        Ok(Band::SakoeChiba { window })
    }

    /// The Itakura parallelogram.
    pub fn itakura(slope: f64) -> Result<Self> {
        SLOPE.check(slope)?;
        Ok(Band::Itakura { slope })
    }

    /// The number of time steps by which positions may differ, given the longer length; `None` for no limit.
    pub(crate) fn radius(window: f64, length: usize) -> Option<usize> {
        match window {
            // 0.29 · 100 is slightly less than 29 in binary.
            share if share < 1.0 => Some((share * length as f64 + 1e-9) as usize),
            time_steps if time_steps > 1.0 && time_steps < length as f64 => Some(time_steps as usize),
            _ => None,
        }
    }

    /// Whether every cell of every pair is included.
    pub(super) fn is_full(&self) -> bool {
        *self == Band::FULL
    }

    /// The included columns of each row, for series of `n` and `m` time steps; `None` if all are included. Neither end
    /// ever decreases, no row is empty, and consecutive rows are connected.
    pub(super) fn rows(&self, n: usize, m: usize) -> Option<Vec<Range<usize>>> {
        let longer = n.max(m);
        let reach = match *self {
            Band::SakoeChiba { window } => Some(Band::radius(window, longer)? as f64),
            Band::Itakura { .. } => None,
        };
        if n == 1 || m == 1 {
            return None;
        }
        let last = (n - 1, m - 1);
        // The distance on the longer axis for one step on the shorter.
        let step = (longer - 1) as f64 / (n.min(m) - 1) as f64;
        let scale = (longer - 1) as f64;
        // From positions on the longer axis to columns.
        let columns = last.1 as f64 / scale;
        let mut rows: Vec<Range<usize>> = Vec::with_capacity(n);
        for i in 0..n {
            let at = i as f64 / last.0 as f64;
            let diagonal = at * scale;
            let (mut low, mut high) = (diagonal - step / 2.0, diagonal + step / 2.0);
            match (*self, reach) {
                (Band::Itakura { slope }, _) => {
                    let rest = 1.0 - at;
                    low = low.min(scale * (at / slope).max(1.0 - slope * rest));
                    high = high.max(scale * (slope * at).min(1.0 - rest / slope));
                }
                (_, Some(reach)) => {
                    low = low.min(diagonal - reach);
                    high = high.max(diagonal + reach);
                }
                _ => {}
            }
            let first = ((low * columns - 1e-9).ceil().max(0.0)) as usize;
            let end = ((high * columns + 1e-9).floor().max(0.0)) as usize + 1;
            let before = rows.last().map_or(0..1, Clone::clone);
            rows.push(first.clamp(before.start, last.1)..end.clamp(before.end, m));
        }
        Some(rows)
    }
}

/// The band that the shape selects is printed; the other one has no effect.
impl ParameterValue for Band {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        let (window, shape, slope) = (settings.number()?, settings.word()?, settings.number()?);
        Ok(if shape == "itakura" { Band::Itakura { slope } } else { Band::SakoeChiba { window } })
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        match self {
            Band::SakoeChiba { window } => {
                out.put(window)?;
                out.skip()?;
                out.skip()
            }
            Band::Itakura { slope } => {
                out.skip()?;
                out.put("itakura")?;
                out.put(slope)
            }
        }
    }
}

pub(super) const WINDOW: Parameter = Parameter {
    name: "window",
    default: "1",
    domain: Domain::NonNegative,
    doc: "Maximum time difference of aligned time steps: up to 1 a share of the longer series, above 1 a number of time steps",
    alias: None,
};

pub(super) const SHAPE: Parameter = Parameter {
    name: "shape",
    default: "sakoe-chiba",
    domain: Domain::Word(&["sakoe-chiba", "itakura"]),
    doc: "The band that restricts alignments: sakoe-chiba uses window, itakura uses slope",
    alias: None,
};

pub(super) const SLOPE: Parameter = Parameter {
    name: "slope",
    default: "2",
    domain: Domain::AtLeast(1.0),
    doc: "Maximum slope of alignments in the itakura band",
    alias: None,
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks all cells: a band is symmetric, connected, and grows with its parameter.
    #[test]
    fn bands_are_symmetric_and_connected() {
        let bands =
            [0.0, 0.05, 0.1, 0.3, 0.5, 0.99, 2.0, 5.0, 40.0].map(|window| Band::SakoeChiba { window });
        let bands = bands.into_iter().chain([1.0, 1.1, 2.0, 3.5, 50.0].map(|slope| Band::Itakura { slope }));
        for band in bands {
            for n in 1..24 {
                for m in 1..24 {
                    let rows = band.rows(n, m).unwrap_or_else(|| vec![0..m; n]);
                    let transposed = band.rows(m, n).unwrap_or_else(|| vec![0..n; m]);
                    for (i, row) in rows.iter().enumerate() {
                        assert!(!row.is_empty() && row.end <= m, "{band:?} {n} {m}: {rows:?}");
                        for (j, column) in transposed.iter().enumerate() {
                            assert_eq!(row.contains(&j), column.contains(&i), "{band:?} {n} {m} {i} {j}");
                        }
                    }
                    assert!(rows[0].start == 0 && rows[n - 1].end == m);
                    for pair in rows.windows(2) {
                        assert!(pair[0].start <= pair[1].start && pair[0].end <= pair[1].end);
                        assert!(pair[1].start <= pair[0].end, "{band:?} {n} {m}: {rows:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn windows_of_equal_lengths() {
        let widths = |window, n| {
            let rows = Band::SakoeChiba { window }.rows(n, n);
            rows.map(|rows| rows[n / 2].len())
        };
        assert_eq!(widths(0.0, 9), Some(1));
        assert_eq!(widths(0.29, 100), Some(59));
        assert_eq!(widths(3.0, 100), Some(7));
        assert_eq!((widths(1.0, 9), widths(9.0, 9)), (None, None));
        assert!(Band::sakoe_chiba(-1.0).is_err() && Band::sakoe_chiba(f64::NAN).is_err());
        assert!(Band::itakura(0.5).is_err());
    }
}
