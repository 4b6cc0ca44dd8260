//! The time of each object, given by a column.

use std::path::Path;

use super::text::shown;
use crate::data::{Column, Dataset, Values};
use crate::error::{Code, Error, Place, Result};

/// Takes the time of each object from a column, which is then no feature any more.
///
/// Numbers are times as they are, and so are columns that were recognised as dates and times. Other text must begin with the year, as `2024-03-01` and `2024-03-01T12:30:00` do: then the
/// order of the text is the order of time, and the rank is the time. Of other forms the order cannot be known.
pub(super) fn by_column(data: Dataset, name: &str, path: &Path) -> Result<Dataset> {
    let fault = |reason: String| Error::parse(Place::file(path), Code::Column, reason);
    let column = data.column(name).map_err(|error| {
        let hint = error.hint().unwrap_or_default();
        fault(format!("no column '{name}' with the times of the objects")).with_hint(hint)
    })?;
    let missing = |index: usize| fault(format!("row {}: no time in column '{name}'", index + 1));
    let times = match &column.values {
        Values::Numbers(x) if x.cols() == 1 => match x.values().iter().position(|v| !v.is_finite()) {
            Some(index) => return Err(missing(index)),
            None => x.values().to_vec(),
        },
        Values::Times(times) => match (0..times.len()).find(|&i| times.is_missing(i)) {
            Some(index) => return Err(missing(index)),
            None => times.seconds().to_vec(),
        },
        Values::Categories(c) => {
            let texts = (0..c.len()).map(|i| c.get(i).ok_or_else(|| missing(i)));
            ranks(&texts.collect::<Result<Vec<_>>>()?).map_err(|text| unordered(name, text, path))?
        }
        Values::Strings(v) | Values::Text(v) => {
            let texts = v.iter().enumerate().map(|(i, t)| t.as_deref().ok_or_else(|| missing(i)));
            ranks(&texts.collect::<Result<Vec<_>>>()?).map_err(|text| unordered(name, text, path))?
        }
        other => return Err(fault(format!("column '{name}' holds {}, not times", other.kind()))),
    };
    let columns: Vec<Column> = data.columns().iter().filter(|c| c.name != name).cloned().collect();
    data.with_columns(columns)?.with_times(name, times)
}

fn unordered(name: &str, text: &str, path: &Path) -> Error {
    let reason = format!("{} in column '{name}': the order of such times is not known", shown(text));
    Error::parse(Place::file(path), Code::Column, reason)
        .with_hint("times are numbers, or text that begins with the year, such as 2024-03-01 12:30")
}

/// The rank of each text among the distinct ones; an error with the first text that does not begin with a year.
fn ranks<'t>(texts: &[&'t str]) -> Result<Vec<f64>, &'t str> {
    if let Some(other) = texts.iter().find(|t| !is_dated(t)) {
        return Err(*other);
    }
    let mut distinct: Vec<&str> = texts.iter().map(|t| t.trim()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    Ok(texts.iter().map(|t| distinct.partition_point(|d| *d < t.trim()) as f64).collect())
}

/// Whether a text begins with year and month, or is a year.
fn is_dated(text: &str) -> bool {
    let bytes = text.trim().as_bytes();
    let digits =
        |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|b| b.iter().all(u8::is_ascii_digit));
    match bytes.get(4) {
        None => digits(0..4),
        Some(b'-' | b'/' | b'.') => digits(0..4) && digits(5..7),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, read_bytes};

    fn read(text: &str) -> Result<Dataset> {
        let options = Options { time: Some("when".into()), ..Options::default() };
        read_bytes(Path::new("a.csv"), text.as_bytes(), &options)
    }

    #[test]
    fn numbers_and_dates_are_times() {
        let data = read("when,a,y\n3,1,p\n1,2,q\n2,3,p\n").unwrap();
        assert_eq!((data.times().unwrap(), data.time_name()), (&[3.0, 1.0, 2.0][..], Some("when")));
        assert!(!data.has_column("when"));
        let dates = read("when,a,y\n2024-03-01,1,p\n2023-12-31,2,q\n2024-03-01,3,p\n").unwrap();
        let times = dates.times().unwrap();
        assert!(times[0] > times[1] && times[0] == times[2], "{times:?}");
    }

    #[test]
    fn times_without_an_order_are_errors() {
        for text in ["when,a\nmonday,1\ntuesday,2\n", "when,a\n1,1\n,2\n"] {
            assert_eq!(read(text).unwrap_err().code(), Code::Column, "{text}");
        }
        assert!(read("b,a\n1,2\n").unwrap_err().to_string().contains("no column 'when'"));
    }
}
