//! Time series of one or more channels.

use crate::error::{Error, Result};

/// A time series: `channels` values at each of `len` time steps, stored channel after channel.
///
/// ```
/// use mercer_core::data::Series;
/// let s = Series::new(2, vec![1.0, 2.0, 3.0, 10.0, 20.0, 30.0])?;
/// assert_eq!((s.channels(), s.len()), (2, 3));
/// assert_eq!(s.channel(1), [10.0, 20.0, 30.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    channels: usize,
    values: Vec<f64>,
}

impl Series {
    /// A series from its values, channel after channel.
    pub fn new(channels: usize, values: Vec<f64>) -> Result<Self> {
        if channels == 0 || !values.len().is_multiple_of(channels) {
            return Err(Error::Shape {
                expected: format!("{channels} channels of equal length"),
                found: format!("{} values", values.len()),
            });
        }
        Ok(Series { channels, values })
    }

    /// The number of channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The number of time steps.
    pub fn len(&self) -> usize {
        self.values.len() / self.channels
    }

    /// True when there are no time steps.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values of channel c over time.
    pub fn channel(&self, c: usize) -> &[f64] {
        let n = self.len();
        &self.values[c * n..(c + 1) * n]
    }

    /// All values, channel after channel.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The series resampled to `length` evenly spaced time steps from its first to its last, by linear interpolation. A
    /// series of one time step is constant; for `length` = 1 the middle is taken.
    ///
    /// ```
    /// use mercer_core::data::Series;
    /// let s = Series::new(1, vec![0.0, 2.0, 10.0])?;
    /// assert_eq!(s.resampled(5).values(), [0.0, 1.0, 2.0, 6.0, 10.0]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn resampled(&self, length: usize) -> Series {
        if self.is_empty() {
            return self.clone();
        }
        let last = (self.len() - 1) as f64;
        self.each_channel(|x| {
            let at = |t: usize| if length == 1 { last / 2.0 } else { last * t as f64 / (length - 1) as f64 };
            let value = |t| {
                let position = at(t);
                let before = (position as usize).min(x.len() - 1);
                let share = position - before as f64;
                match x.get(before + 1) {
                    Some(next) if share > 0.0 => x[before] * (1.0 - share) + next * share,
                    _ => x[before],
                }
            };
            (0..length).map(value).collect()
        })
    }

    /// The means of every `width` time steps; the last may have fewer.
    ///
    /// ```
    /// use mercer_core::data::Series;
    /// let s = Series::new(1, vec![1.0, 3.0, 5.0, 7.0, 9.0])?;
    /// assert_eq!(s.binned(2).values(), [2.0, 6.0, 9.0]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn binned(&self, width: usize) -> Series {
        self.each_channel(|x| {
            x.chunks(width.max(1)).map(|bin| bin.iter().sum::<f64>() / bin.len() as f64).collect()
        })
    }

    /// Every channel scaled to mean 0 and variance 1. A constant channel becomes 0.
    ///
    /// ```
    /// use mercer_core::data::Series;
    /// let s = Series::new(2, vec![1.0, 3.0, 5.0, 5.0])?;
    /// assert_eq!(s.z_normalized().values(), [-1.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn z_normalized(&self) -> Series {
        self.each_channel(|x| {
            // The mean of equal values may have a rounding error, which is not variance.
            if is_constant(x) {
                return vec![0.0; x.len()];
            }
            let n = x.len() as f64;
            let mean = x.iter().sum::<f64>() / n;
            let deviation = (x.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
            x.iter().map(|v| (v - mean) / deviation).collect()
        })
    }

    /// Whether some channel has the same value at all time steps.
    pub fn has_constant(&self) -> bool {
        !self.is_empty() && (0..self.channels).any(|c| is_constant(self.channel(c)))
    }

    fn each_channel(&self, change: impl Fn(&[f64]) -> Vec<f64>) -> Series {
        let values = (0..self.channels).flat_map(|c| change(self.channel(c))).collect();
        Series { channels: self.channels, values }
    }
}

fn is_constant(x: &[f64]) -> bool {
    x.windows(2).all(|w| w[0] == w[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resampling_binning_and_normalising_edge_cases() {
        let one = Series::new(1, vec![7.0]).unwrap();
        assert_eq!(one.resampled(3).values(), [7.0, 7.0, 7.0]);
        assert_eq!((one.binned(4).values(), one.z_normalized().values()), (&[7.0][..], &[0.0][..]));
        let two = Series::new(2, vec![0.0, 4.0, 10.0, 20.0]).unwrap();
        assert_eq!(two.resampled(1).values(), [2.0, 15.0]);
        assert_eq!(two.resampled(3).channel(1), [10.0, 15.0, 20.0]);
        let none = Series::new(2, Vec::new()).unwrap();
        for same in [none.resampled(4), none.binned(2), none.z_normalized()] {
            assert_eq!(same, none);
        }
        assert!(!none.has_constant() && one.has_constant() && !two.has_constant());
        // The mean of three times 0.1 is not exactly 0.1.
        assert_eq!(Series::new(1, vec![0.1; 3]).unwrap().z_normalized().values(), [0.0; 3]);
        // The ends are preserved exactly, for any number of time steps.
        let long = Series::new(1, (0..100).map(|i| f64::from(i).sin()).collect()).unwrap();
        for length in 2..300 {
            let s = long.resampled(length);
            assert_eq!((s.values()[0], s.values()[length - 1]), (0.0, 99f64.sin()), "{length}");
        }
        assert_eq!(long.resampled(100), long);
    }
}
