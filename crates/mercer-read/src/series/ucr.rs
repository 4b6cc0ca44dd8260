//! Series in the format of the UCR archive: one line per series, with the class first, then values separated by tabs,
//! in other editions by commas or spaces.
//!
//! Gaps at the end of a line end the series: this is how the archive stores series of unequal lengths.

use std::ops::Range;

use super::super::pace::Pace;
use super::super::text::{Fault, Text, shown};
use super::super::{Options, parallel};
use super::gaps::Gathered;
use super::{Labels, value};
use crate::data::{Dataset, Series};
use crate::error::{Code, Result};

pub(super) fn read(text: &Text<'_>, options: &Options) -> Result<Dataset> {
    let all = text.as_str();
    let ranges = parallel::lines(all, 0, parallel::PART);
    let parts = parallel::parse(&ranges, |range| part(all, range)).map_err(|f| text.error(f))?;
    let (mut gathered, mut labels) = (Gathered::default(), Labels::None);
    for (more, names) in parts {
        gathered.append(more);
        labels.append(Labels::Classes(names));
    }
    super::finish(text, gathered, labels, "class", options)
}

fn part(all: &str, range: Range<usize>) -> Result<(Gathered, Vec<String>), Fault> {
    let (mut gathered, mut classes) = (Gathered::default(), Vec::new());
    let mut offset = range.start;
    let mut pace = Pace::from(offset);
    for line in all.get(range).unwrap_or("").split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', ' ']);
        if !content.trim().is_empty() {
            let (series, gap, class) = series(content, offset)?;
            gathered.push(series, gap);
            classes.push(class);
        }
        offset += line.len();
        pace.at(offset)?;
    }
    Ok((gathered, classes))
}

fn series(line: &str, offset: usize) -> Result<(Series, Option<usize>, String), Fault> {
    let mut words = words(line);
    let (_, class) = words.next().unwrap_or((0, ""));
    if class.is_empty() || class == "?" || class.eq_ignore_ascii_case("nan") {
        return Err(Fault::new(offset, Code::Label, format!("{} is not a class", shown(class))));
    }
    let mut values = Vec::new();
    let mut gap = None;
    for (at, word) in words {
        // Gaps at the end are not reported: their position is discarded if no values follow.
        match value(word, offset + at)? {
            Some(v) => values.push(v),
            None => {
                gap.get_or_insert((values.len(), offset + at));
                values.push(f64::NAN);
            }
        }
    }
    let length = values.iter().rposition(|v| !v.is_nan()).map_or(0, |last| last + 1);
    values.truncate(length);
    let gap = gap.filter(|g| g.0 < length).map(|g| g.1);
    let series = Series::new(1, values).map_err(|e| Fault::new(offset, Code::TsLength, e.to_string()))?;
    Ok((series, gap, class.to_owned()))
}

/// The words of a line with their offsets, separated by tabs or commas, otherwise by any number of spaces.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let between = [b'\t', b','].into_iter().find(|&b| line.as_bytes().contains(&b)).map(char::from);
    let mut next = 0;
    let all = line.split(move |c: char| between.map_or(c == ' ', |b| c == b)).map(move |word| {
        let at = next;
        next += word.len() + 1;
        (at, word.trim())
    });
    all.filter(move |(_, word)| between.is_some() || !word.is_empty())
}
