//! The rows after `@data`.

use std::borrow::Cow;
use std::ops::Range;

use super::super::Missing;
use super::super::build::{Cell, Part, Plan};
use super::super::number::{self, Number};
use super::super::pace::Pace;
use super::super::text::{Fault, shown};
use super::token::{Line, Token};
use super::{Place, Shape, SparsePart, syntax};
use crate::error::Code;

/// The offset of the first row's line.
pub(super) fn first(text: &str, data: usize) -> Option<usize> {
    let mut at = data;
    for raw in text.get(data..)?.split_inclusive('\n') {
        if !matches!(Line::new(raw, at).peek(), None | Some('%')) {
            return Some(at);
        }
        at += raw.len();
    }
    None
}

fn line_at(text: &str, at: usize) -> &str {
    text.get(at..).and_then(|rest| rest.split_inclusive('\n').next()).unwrap_or("")
}

/// Whether the row at `at` is sparse.
pub(super) fn is_sparse(text: &str, at: usize) -> bool {
    Line::new(line_at(text, at), at).peek() == Some('{')
}

/// Whether the row at `at` has a weight.
pub(super) fn has_weight(text: &str, at: usize) -> bool {
    let line = line_at(text, at).trim_end();
    let inner = line.strip_suffix('}').and_then(|l| l.rsplit_once('{'));
    inner.is_some_and(|(before, weight)| {
        before.trim_end().ends_with(',') && number::parse(weight) != Number::Text
    })
}

/// Parses the rows of consecutive lines.
pub(super) fn part(
    text: &str,
    range: Range<usize>,
    shape: &Shape,
    plan: &Plan,
) -> Result<(Part, SparsePart), Fault> {
    let (mut part, mut sparse) = (Part::new(plan), SparsePart::default());
    let (mut cells, mut entries) = (Vec::new(), Vec::new());
    let mut at = range.start;
    let mut pace = Pace::from(at);
    for raw in text.get(range).unwrap_or("").split_inclusive('\n') {
        let mut line = Line::new(raw, at);
        at += raw.len();
        pace.at(at)?;
        let start = match line.peek() {
            None | Some('%') => continue,
            Some(c) if (c == '{') != shape.sparse => {
                let (own, all) = if shape.sparse { ("dense", "sparse") } else { ("sparse", "dense") };
                let reason = format!("a {own} row among {all} rows");
                return Err(syntax(line.offset(), reason));
            }
            Some(_) => line.offset(),
        };
        cells.clear();
        let mut lacks = false;
        if shape.sparse {
            entries.clear();
            lacks = sparse_row(&mut line, start, shape, plan, &mut cells, &mut entries)?;
        } else {
            dense_row(&mut line, start, shape, &mut cells)?;
        }
        weight(&mut line, shape, &mut cells)?;
        line.end()?;
        if lacks {
            part.dropped += 1;
            continue;
        }
        let rows = part.rows;
        part.push(plan, &cells)?;
        if part.rows > rows {
            sparse.entries.extend_from_slice(&entries);
            sparse.ends.push(sparse.entries.len());
        }
    }
    Ok((part.seal(plan), sparse))
}

fn dense_row<'t>(
    line: &mut Line<'t>,
    start: usize,
    shape: &Shape,
    cells: &mut Vec<Cell<'t>>,
) -> Result<(), Fault> {
    let mut count = 0;
    loop {
        let token = line.token(&[',', '%'])?;
        if token.text.is_empty() && !token.quoted {
            return Err(line.unfinished("a value is missing".into()).hint("write ? for a missing value"));
        }
        count += 1;
        if count <= shape.attributes {
            cells.push(cell(token));
        }
        if count == shape.attributes && shape.weights {
            break;
        }
        if !line.take(',') {
            line.end()?;
            break;
        }
    }
    if count == shape.attributes {
        return Ok(());
    }
    let code = if line.is_cut() && count < shape.attributes { Code::Truncated } else { Code::Columns };
    Err(Fault::new(start, code, format!("expected {} values, got {count}", shape.attributes)))
}

/// Parses `{index value, …}`; true if a value is missing and the row is to be dropped.
fn sparse_row<'t>(
    line: &mut Line<'t>,
    start: usize,
    shape: &'t Shape,
    plan: &Plan,
    cells: &mut Vec<Cell<'t>>,
    entries: &mut Vec<(u32, f64)>,
) -> Result<bool, Fault> {
    let default = |text: &'t String| Cell { offset: start, text: Cow::Borrowed(text), quoted: false };
    let own = shape.defaults.len() - usize::from(shape.weights);
    cells.extend(shape.defaults.iter().take(own).map(default));
    line.expect('{')?;
    let (mut last, mut lacks) = (None, false);
    if line.take('}') {
        return Ok(false);
    }
    loop {
        let token = line.token(&[' ', '\t', ',', '}'])?;
        let index = index(&token, last, shape.attributes)?;
        last = Some(index);
        let token = line.token(&[',', '}'])?;
        if token.text.is_empty() && !token.quoted {
            return Err(line.unfinished(format!("attribute {index} without a value")));
        }
        match shape.places.get(&index) {
            Some(Place::Column(j)) => {
                if let Some(place) = cells.get_mut(*j) {
                    *place = cell(token);
                }
            }
            Some(Place::Slot(_)) if plan.missing == Missing::Drop && token.text == "?" => lacks = true,
            Some(Place::Slot(slot)) => {
                let value = value(&token, index)?;
                if value != 0.0 {
                    entries.push((*slot, value));
                }
            }
            None => {}
        }
        if line.take('}') {
            return Ok(lacks);
        }
        line.expect(',')?;
    }
}

fn index(token: &Token<'_>, last: Option<usize>, attributes: usize) -> Result<usize, Fault> {
    let fault = |code, reason: String| Err(Fault::new(token.offset, code, reason));
    let Ok(index) = token.text.parse::<usize>() else {
        return fault(Code::Index, format!("{} is not an attribute index", shown(&token.text)));
    };
    match last {
        _ if index >= attributes => {
            fault(Code::Index, format!("index {index}, but the attributes are 0 to {}", attributes - 1))
        }
        Some(last) if index == last => fault(Code::IndexDup, format!("index {index} occurs twice in a row")),
        Some(last) if index < last => {
            fault(Code::IndexOrder, format!("index {index} after {last}: indices must ascend"))
        }
        _ => Ok(index),
    }
}

fn value(token: &Token<'_>, index: usize) -> Result<f64, Fault> {
    let what = format!("{} of attribute {index}", shown(&token.text));
    let (code, reason) = match number::parse(&token.text) {
        Number::Value(v) => return Ok(v),
        Number::NonFinite => (Code::NonFinite, format!("{what}: values must be finite")),
        Number::Overflow => (Code::Overflow, format!("{what} is too large for a double")),
        Number::Bad(why) => (Code::Number, format!("{what} is not a plain number: {why}")),
        Number::Text if token.text == "?" && !token.quoted => {
            (Code::Missing, format!("{what}: missing numbers in sparse rows are not supported"))
        }
        Number::Text => (Code::Number, format!("{what} is not a number")),
    };
    let fault = Fault::new(token.offset, code, reason);
    Err(if code == Code::Missing { fault.hint("leave such rows out with `missing=drop`") } else { fault })
}

/// Parses the weight after a row, `, {w}`; a row without one has weight 1.
fn weight<'t>(line: &mut Line<'t>, shape: &Shape, cells: &mut Vec<Cell<'t>>) -> Result<(), Fault> {
    if !shape.weights {
        return Ok(());
    }
    let offset = line.offset();
    let token = if line.take(',') {
        line.expect('{')?;
        let token = line.token(&['}'])?;
        line.expect('}')?;
        token
    } else {
        Token { offset, text: Cow::Borrowed("1"), quoted: false }
    };
    cells.push(cell(token));
    Ok(())
}

fn cell(token: Token<'_>) -> Cell<'_> {
    Cell { offset: token.offset, text: token.text, quoted: token.quoted }
}
