//! Points in time compared by the calendar: hour, weekday, month, and how far apart they are.

use super::category::UNNAMED;
use super::node::closed;
use super::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared, declared, operators};
use crate::data::{DAY, Kind, Times, civil_date};
use crate::error::{Error, Result};
use crate::numeric::{Short, math};

/// The mean of up to four similarities of two points in time: by hour of the day, by day of the week, by month, and by
/// the time between them.
///
/// Hour, weekday and month are positions on rings of 24, 7 and 12, compared by the diffusion kernel of a
/// [closed chain](crate::kernel::vector::ClosedChain), so that 23 h and 0 h are neighbours. The last part is the
/// Gaussian exp(-(s - t)² / (2·trend²)) of the difference in days. A parameter of 0 leaves its part out; without any part
/// all similarities are 1. Each part is positive semidefinite with self-similarity 1, and so is their mean. With several
/// columns of times it is the mean over these.
///
/// * `hour`, `weekday`, `month` ≥ 0: how far similarity spreads on the ring, as `beta` of `closed-chain`.
/// * `trend` ≥ 0: the length of the Gaussian in days.
///
/// O(c) per pair for c columns.
///
/// ```
/// use mercer_core::{data::{DAY, Times}, gram::Engine, kernel::Time};
/// // Midnight, one hour before it, noon: each a week after the other.
/// let times = Times::new(vec![0.0, 7.0 * DAY - 3600.0, 14.5 * DAY]);
/// let k = Engine::new().gram(&Time::new(1.0, 0.0, 0.0, 0.0)?, &[times][..])?;
/// assert!(k.at(0, 1) > 0.6 && k.at(0, 2) < 0.01 && k.at(2, 2) == 1.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Kondor & Lafferty 2002, Diffusion kernels on graphs and other discrete input spaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Time {
    hour: f64,
    weekday: f64,
    month: f64,
    trend: f64,
    /// Similarities by the distance on each ring; empty for a part that is left out.
    rings: [Vec<f64>; 3],
}

/// The position of a time on the rings of hours, weekdays and months, and its day since 1970.
#[derive(Clone, Copy, Debug)]
struct CalendarTime {
    places: [u8; 3],
    days: f64,
}

/// The times of objects, object after object.
#[derive(Clone, Debug)]
pub struct CalendarTimes {
    objects: usize,
    columns: usize,
    times: Vec<CalendarTime>,
}

impl CalendarTimes {
    fn of(&self, i: usize) -> &[CalendarTime] {
        &self.times[i * self.columns..(i + 1) * self.columns]
    }
}

impl Prepared for CalendarTimes {
    fn len(&self) -> usize {
        self.objects
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let times = chosen.iter().flat_map(|&i| self.of(i)).copied().collect();
        CalendarTimes { objects: chosen.len(), columns: self.columns, times }
    }
}

/// The number of positions on the rings.
const RINGS: [u32; 3] = [24, 7, 12];

const fn ring(name: &'static str, default: &'static str, doc: &'static str) -> Parameter {
    Parameter { name, default, domain: Domain::NonNegative, doc, alias: None }
}

impl Time {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "time",
        summary: "Dates and times by hour of the day, day of the week, month, and how far apart they are.",
        formula: "the mean of C24(hours; hour), C7(weekdays; weekday), C12(months; month) and exp(-(s - t)²/(2 trend²)), \
                  without those whose parameter is 0; Cn = closed-chain of n positions; the mean over columns",
        takes: "columns of dates and times",
        kinds: &[Kind::Times],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            ring("hour", "1", "how far similarity spreads over the hours of the day; 0 leaves them out"),
            ring("weekday", "0.5", "how far similarity spreads over the days of the week; 0 leaves them out"),
            ring("month", "0.5", "how far similarity spreads over the months of the year; 0 leaves them out"),
            ring("trend", "365", "the length of the Gaussian of the time between, in days; 0 leaves it out"),
        ],
        cost: "three look-ups and an exponential",
        reference: "Kondor & Lafferty 2002",
        example: "time(hour=2, month=0, trend=30)@pickup",
    };

    /// The kernel with these widths; 0 leaves a part out.
    pub fn new(hour: f64, weekday: f64, month: f64, trend: f64) -> Result<Self> {
        for (name, value) in [("hour", hour), ("weekday", weekday), ("month", month), ("trend", trend)] {
            Time::FACTS.check(name, value)?;
        }
        let mut rings = [const { Vec::new() }; 3];
        for ((ring, n), beta) in rings.iter_mut().zip(RINGS).zip([hour, weekday, month]) {
            if beta > 0.0 {
                let half = closed::closed_chain(n, beta)?;
                *ring = (0..n as usize).map(|d| half[d.min(n as usize - d)] / half[0]).collect();
            }
        }
        Ok(Time { hour, weekday, month, trend, rings })
    }

    fn value(&self, a: &CalendarTime, b: &CalendarTime) -> f64 {
        let (mut sum, mut parts) = (0.0, 0.0);
        for ((ring, x), y) in self.rings.iter().zip(a.places).zip(b.places) {
            if let Some(similarity) = ring.get(usize::from(x.abs_diff(y))) {
                sum += similarity;
                parts += 1.0;
            }
        }
        if self.trend > 0.0 {
            let lengths = (a.days - b.days) / self.trend;
            sum += math::exp(-0.5 * lengths * lengths);
            parts += 1.0;
        }
        if parts > 0.0 { sum / parts } else { 1.0 }
    }

    fn mean(&self, a: &[CalendarTime], b: &[CalendarTime]) -> f64 {
        a.iter().zip(b).map(|(a, b)| self.value(a, b)).sum::<f64>() / a.len() as f64
    }
}

declared!(Time(hour as Short, weekday as Short, month as Short, trend as Short) => Time::new(hour, weekday, month, trend));
operators!([] Time);

impl CalendarTime {
    fn of(seconds: f64) -> Self {
        let day = (seconds / DAY).floor();
        let hour = ((seconds - day * DAY) / 3600.0).clamp(0.0, 23.0) as u8;
        let (_, month, _) = civil_date(day as i64);
        // 1970-01-01 was a Thursday; Monday is 0.
        let weekday = (day as i64 + 3).rem_euclid(7) as u8;
        CalendarTime { places: [hour, weekday, month.saturating_sub(1) as u8], days: seconds / DAY }
    }
}

impl Kernel<[Times]> for Time {
    type Prepared = CalendarTimes;

    fn prepare(&self, columns: &[Times]) -> Result<CalendarTimes> {
        let objects = columns.first().map_or(0, Times::len);
        if let Some(odd) = columns.iter().find(|c| c.len() != objects) {
            return Err(Error::Shape {
                expected: format!("times of {objects} objects"),
                found: format!("a column of {}", odd.len()),
            });
        }
        let mut times = Vec::with_capacity(objects * columns.len());
        for index in 0..objects {
            for (at, column) in columns.iter().enumerate() {
                match column.seconds()[index] {
                    missing if missing.is_nan() => {
                        return Err(Error::Missing { index, column: format!("{UNNAMED}{}", at + 1) });
                    }
                    seconds => times.push(CalendarTime::of(seconds)),
                }
            }
        }
        Ok(CalendarTimes { objects, columns: columns.len(), times })
    }

    fn fill(
        &self,
        rows: Part<'_, CalendarTimes>,
        cols: Part<'_, CalendarTimes>,
        out: &mut [f64],
    ) -> Result<()> {
        if rows.set.columns != cols.set.columns {
            return Err(Error::Dimension { expected: rows.set.columns, found: cols.set.columns });
        }
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            let own = rows.set.of(i);
            row.iter_mut().zip(cols.range.clone()).for_each(|(v, j)| *v = self.mean(own, cols.set.of(j)));
        }
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, CalendarTimes>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::civil_days;
    use crate::gram::Engine;

    fn at(year: i64, month: u32, day: u32, hours: f64) -> f64 {
        civil_days(year, month, day) as f64 * DAY + hours * 3600.0
    }

    #[test]
    fn positions_follow_the_calendar() {
        // 2024-02-29 was a Thursday, 1969-12-31 a Wednesday.
        assert_eq!(CalendarTime::of(at(2024, 2, 29, 23.99)).places, [23, 3, 1]);
        assert_eq!(CalendarTime::of(at(1969, 12, 31, 0.0)).places, [0, 2, 11]);
    }

    #[test]
    fn parts_are_averaged_and_left_out() {
        let times = Times::new(vec![at(2023, 12, 31, 12.0), at(2024, 1, 1, 12.0)]);
        let value = |k: Time| Engine::new().gram(&k, std::slice::from_ref(&times)).unwrap().at(0, 1);
        let ring = |n, beta| closed::closed_chain(n, beta).map(|k| k[1] / k[0]).unwrap();
        assert_eq!(value(Time::new(2.0, 0.0, 0.0, 0.0).unwrap()), 1.0);
        assert!((value(Time::new(0.0, 0.0, 0.7, 0.0).unwrap()) - ring(12, 0.7)).abs() < 1e-15);
        let both = Time::new(0.0, 0.3, 0.0, 2.0).unwrap();
        let mean = (ring(7, 0.3) + (-0.125f64).exp()) / 2.0;
        assert!((value(both.clone()) - mean).abs() < 1e-15);
        assert_eq!(value(Time::new(0.0, 0.0, 0.0, 0.0).unwrap()), 1.0);
        // The mean over columns, one of which is constant.
        let columns = [times.clone(), times.select(&[0, 0])];
        let k = Engine::new().gram(&both, &columns[..]).unwrap();
        assert!((k.at(0, 1) - (mean + 1.0) / 2.0).abs() < 1e-15 && k.at(1, 1) == 1.0);
    }

    #[test]
    fn missing_times_and_uneven_columns_are_errors() {
        let kernel = Time::new(1.0, 1.0, 1.0, 1.0).unwrap();
        assert!(Time::new(1.0, -1.0, 0.0, 0.0).is_err());
        let missing = [Times::new(vec![0.0, f64::NAN])];
        let error = Engine::new().gram(&kernel, &missing[..]).unwrap_err();
        assert!(matches!(error, Error::Missing { index: 1, .. }));
        let uneven = [Times::new(vec![0.0]), Times::new(vec![0.0, 1.0])];
        assert!(Engine::new().gram(&kernel, &uneven[..]).is_err());
    }
}
