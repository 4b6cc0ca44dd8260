//! Series in the `.ts` format of sktime and aeon: a header of tags, then one line per series.
//!
//! Channels are separated by `:`, with the class last; values are separated by commas, and `?` is a gap.

use std::ops::Range;

use super::super::pace::Pace;
use super::super::text::{Fault, Text, shown};
use super::super::{Options, parallel};
use super::gaps::Gathered;
use super::header::{Header, Label};
use super::{Labels, value};
use crate::data::{Dataset, Series};
use crate::error::{Code, Result};

pub(super) fn read(text: &Text<'_>, options: &Options) -> Result<Dataset> {
    read_in_parts(text, options, parallel::PART)
}

pub(super) fn read_in_parts(text: &Text<'_>, options: &Options, size: usize) -> Result<Dataset> {
    let all = text.as_str();
    if all.lines().all(|l| l.trim().is_empty() || l.trim_start().starts_with(['#', '%'])) {
        return Err(text.empty("only blank lines and comments"));
    }
    let (header, start) = Header::parse(all).map_err(|f| text.error(f))?;
    let ranges = parallel::lines(all, start, size);
    let parts = parallel::parse(&ranges, |range| part(all, range, &header)).map_err(|f| text.error(f))?;
    let (mut gathered, mut labels, mut channels) = (Gathered::default(), Labels::None, header.channels);
    for part in parts {
        // If the header does not declare the number of channels, the first series defines it.
        for (s, &offset) in part.gathered.series().iter().zip(&part.offsets) {
            let expected = *channels.get_or_insert(s.channels());
            if s.channels() != expected {
                let reason = format!("{} channels, expected {expected}", s.channels());
                return Err(text.error(Fault::new(offset, Code::TsHeader, reason)));
            }
        }
        gathered.append(part.gathered);
        labels.append(part.labels);
    }
    let name = if header.label == Label::Number { "target" } else { "class" };
    let data = super::finish(text, gathered, labels, name, options)?;
    let warnings = [data.warnings(), &header.warnings].concat();
    Ok(data.with_warnings(warnings))
}

/// The series of consecutive lines.
struct Part {
    gathered: Gathered,
    /// The offset of each series.
    offsets: Vec<usize>,
    labels: Labels,
}

fn part(all: &str, range: Range<usize>, header: &Header) -> Result<Part, Fault> {
    let labels = match header.label {
        Label::None => Labels::None,
        Label::Classes(_) => Labels::Classes(Vec::new()),
        Label::Number => Labels::Numbers(Vec::new()),
    };
    let mut part = Part { gathered: Gathered::default(), offsets: Vec::new(), labels };
    let mut offset = range.start;
    let mut pace = Pace::from(offset);
    for line in all.get(range).unwrap_or("").split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', ' ', '\t']);
        if !content.trim_start().is_empty() && !content.starts_with(['#', '%']) {
            series(content, offset, header, &mut part)?;
        }
        offset += line.len();
        pace.at(offset)?;
    }
    Ok(part)
}

fn series(line: &str, offset: usize, header: &Header, part: &mut Part) -> Result<(), Fault> {
    let (body, own) = match part.labels {
        Labels::None => (line, None),
        _ => match line.rsplit_once(':') {
            Some((body, label)) => (body, Some((label.trim(), offset + body.len() + 1))),
            None => {
                let reason = "no ':' with a class, although the header declares classes";
                return Err(Fault::new(offset, Code::TsLabel, reason));
            }
        },
    };
    if let Some((label, at)) = own {
        match (&mut part.labels, &header.label) {
            (Labels::Classes(all), Label::Classes(known)) => {
                if label.is_empty() || !known.is_empty() && !known.contains(label) {
                    let reason = format!("class {} is not in the header", shown(label));
                    let hint = format!("@classLabel lists {}", known.shown());
                    return Err(Fault::new(at, Code::TsLabel, reason).hint(hint));
                }
                all.push(label.to_owned());
            }
            (Labels::Numbers(all), _) => all.push(Labels::number(label, at)?),
            _ => {}
        }
    }
    let (mut values, mut gap, mut channels, mut length) = (Vec::new(), None, 0, None);
    let mut at = offset;
    for channel in body.split(':') {
        if channel.trim_start().starts_with('(') {
            let reason = "a value with a timestamp, which is not declared in the header and not supported";
            return Err(Fault::new(at, Code::TsHeader, reason));
        }
        let before = values.len();
        let mut place = at;
        if !channel.trim().is_empty() {
            for word in channel.split(',') {
                values.push(value(word, place)?.unwrap_or_else(|| {
                    gap.get_or_insert(place);
                    f64::NAN
                }));
                place += word.len() + 1;
            }
        }
        let len = values.len() - before;
        let expected = *length.get_or_insert(len);
        if len != expected {
            let reason = format!("channel {} has {len} values, but the first has {expected}", channels + 1);
            return Err(Fault::new(at, Code::TsLength, reason)
                .hint("all channels of a series must have equal length"));
        }
        channels += 1;
        at += channel.len() + 1;
    }
    let length = length.unwrap_or(0);
    if let Some(expected) = header.channels.filter(|&n| n != channels) {
        let reason = format!("{channels} channels, but the header declares {expected}");
        return Err(Fault::new(offset, Code::TsHeader, reason));
    }
    if let Some(expected) = header.length.filter(|&n| n != length && length > 0) {
        let reason = format!("{length} values, but the header declares {expected} for all series");
        return Err(
            Fault::new(offset, Code::TsLength, reason).hint("@equalLength false allows different lengths")
        );
    }
    let series =
        Series::new(channels, values).map_err(|e| Fault::new(offset, Code::TsLength, e.to_string()))?;
    part.gathered.push(series, gap);
    part.offsets.push(offset);
    Ok(())
}
