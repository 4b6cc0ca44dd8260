//! Time series of one or more channels.

use crate::error::{Error, Result};

/// A time series: `channels` values at each of `len` moments, stored channel after channel.
///
/// ```
/// use mercer::data::Series;
/// let s = Series::new(2, vec![1.0, 2.0, 3.0, 10.0, 20.0, 30.0])?;
/// assert_eq!((s.channels(), s.len()), (2, 3));
/// assert_eq!(s.channel(1), [10.0, 20.0, 30.0]);
/// # Ok::<(), mercer::Error>(())
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

    /// The number of moments.
    pub fn len(&self) -> usize {
        self.values.len() / self.channels
    }

    /// True when there are no moments.
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
}
