//! OpenDocument spreadsheets (OASIS OpenDocument 1.3).

use quick_xml::events::BytesStart;

use super::xml::{Next, Xml};
use super::{Book, Grid, MOST_COLUMNS, MOST_ROWS};
use crate::error::{Code, Result};
use crate::reserve::check_spread;

const CONTENT: &str = "content.xml";

/// The name of the sheet that is read, its cells, and the names of the other sheets.
pub(super) fn read(book: &mut Book<'_, '_>) -> Result<(String, Grid, Vec<String>)> {
    if let Some(manifest) = book.member("META-INF/manifest.xml")?
        && memchr::memmem::find(&manifest, b"encryption-data").is_some()
    {
        return Err(book
            .source
            .fault(Code::Format, "the spreadsheet is encrypted")
            .with_hint("save it without a password, or as CSV"));
    }
    let Some(content) = book.member(CONTENT)? else {
        return Err(book
            .source
            .fault(Code::Format, format!("not an OpenDocument file: no member {CONTENT}")));
    };
    let names = names(book, &content)?;
    if names.is_empty() {
        let reason = "an OpenDocument file without sheets: a text or a drawing, not a spreadsheet";
        return Err(book.source.fault(Code::Format, reason).with_hint("save the table as CSV"));
    }
    let chosen = book.choose(&names, Some(0))?;
    let grid = sheet(book, &content, chosen)?;
    let others = names.iter().enumerate().filter(|(i, _)| *i != chosen).map(|(_, n)| n.clone()).collect();
    Ok((names[chosen].clone(), grid, others))
}

/// The names of the sheets: the tables directly in the spreadsheet.
fn names(book: &Book<'_, '_>, content: &[u8]) -> Result<Vec<String>> {
    let mut xml = Xml::new(book, CONTENT, content)?;
    let (mut names, mut inside) = (Vec::new(), false);
    loop {
        match xml.next(book)? {
            Next::Start(tag) => match tag.local_name().as_ref() {
                "spreadsheet" => inside = true,
                "table" if inside => {
                    names.push(xml.attribute(book, &tag, "name")?.unwrap_or_default());
                    xml.skip(book)?;
                }
                _ => {}
            },
            Next::Eof => return Ok(names),
            _ => {}
        }
    }
}

/// The cells of the sheet with this number.
fn sheet(book: &Book<'_, '_>, content: &[u8], chosen: usize) -> Result<Grid> {
    let mut xml = Xml::new(book, CONTENT, content)?;
    let (mut seen, mut inside) = (0, false);
    loop {
        match xml.next(book)? {
            Next::Start(tag) => match tag.local_name().as_ref() {
                "spreadsheet" => inside = true,
                "table" if inside && seen == chosen => return rows(book, &mut xml),
                "table" if inside => {
                    seen += 1;
                    xml.skip(book)?;
                }
                _ => {}
            },
            Next::Eof => return Err(xml.cut(book)),
            _ => {}
        }
    }
}

fn rows(book: &Book<'_, '_>, xml: &mut Xml<'_>) -> Result<Grid> {
    let (mut grid, mut row) = (Grid::default(), 0u64);
    // Rows may be in groups, and those of the header in an element of their own.
    let mut depth = 1u64;
    while depth > 0 {
        match xml.next(book)? {
            Next::Start(tag) => match tag.local_name().as_ref() {
                "table-row" => {
                    let times = repeated(xml, book, &tag, "number-rows-repeated")?;
                    let own = one_row(book, xml, &mut grid)?;
                    fits(book, row, times, &own, &grid)?;
                    if !own.is_empty() {
                        for row in row..row.saturating_add(times) {
                            for (column, text) in &own {
                                put(book, &mut grid, row, *column, text)?;
                            }
                        }
                    }
                    row = row.saturating_add(times);
                }
                "table-header-rows" | "table-rows" | "table-row-group" => depth += 1,
                _ => xml.skip(book)?,
            },
            Next::End => depth -= 1,
            Next::Text(_) => {}
            Next::Eof => return Err(xml.cut(book)),
        }
    }
    Ok(grid)
}

/// The text of a cell, or the error that it shows.
#[derive(Clone)]
enum Shown {
    Text(String),
    Error(String),
}

impl Shown {
    fn len(&self) -> u64 {
        match self {
            Shown::Text(text) | Shown::Error(text) => text.len() as u64,
        }
    }
}

/// Columns and contents of the cells of a row that have any.
fn one_row(book: &Book<'_, '_>, xml: &mut Xml<'_>, grid: &mut Grid) -> Result<Vec<(u64, Shown)>> {
    let (mut own, mut column, mut texts) = (Vec::new(), 0u64, 0u64);
    loop {
        match xml.next(book)? {
            Next::Start(tag) => {
                let covered = tag.local_name().as_ref() == "covered-table-cell";
                if !covered && tag.local_name().as_ref() != "table-cell" {
                    xml.skip(book)?;
                    continue;
                }
                let times = repeated(xml, book, &tag, "number-columns-repeated")?;
                let spans =
                    |name| -> Result<bool> { Ok(xml.attribute(book, &tag, name)?.is_some_and(|v| v != "1")) };
                grid.merged += usize::from(spans("number-columns-spanned")? || spans("number-rows-spanned")?);
                let shown = cell(book, xml, &tag)?;
                // Cells that a merged one covers are not shown.
                if let Some(shown) = shown.filter(|_| !covered) {
                    if column.saturating_add(times) > MOST_COLUMNS {
                        let reason =
                            format!("a cell in column {}; sheets are smaller", column.saturating_add(times));
                        return Err(book.fault(CONTENT, Code::DimLimit, reason));
                    }
                    texts = texts.saturating_add(shown.len().saturating_mul(times));
                    check_spread("the texts of a row", texts, 1, book.source.bytes.len() as u64)?;
                    own.extend((column..column + times).map(|column| (column, shown.clone())));
                }
                column = column.saturating_add(times);
            }
            Next::End => return Ok(own),
            Next::Text(_) => {}
            Next::Eof => return Err(xml.cut(book)),
        }
    }
}

/// Refuses rows beyond the largest sheet, and repeated ones that would fill the memory.
fn fits(book: &Book<'_, '_>, row: u64, times: u64, own: &[(u64, Shown)], grid: &Grid) -> Result<()> {
    if own.is_empty() {
        return Ok(());
    }
    if row.saturating_add(times) > MOST_ROWS {
        let reason = format!("a cell in row {}; sheets are smaller", row.saturating_add(times));
        return Err(book.fault(CONTENT, Code::DimLimit, reason));
    }
    let cells = times.saturating_mul(own.len() as u64).saturating_add(grid.len() as u64);
    check_spread("the cells of a sheet", cells, 32, book.source.bytes.len() as u64)?;
    // The texts of repeated cells are repeated too.
    let texts = own.iter().map(|(_, shown)| shown.len()).sum::<u64>().saturating_mul(times);
    let texts = texts.saturating_add(grid.texts.len() as u64);
    check_spread("the texts of a sheet", texts, 1, book.source.bytes.len() as u64)
}

fn put(book: &Book<'_, '_>, grid: &mut Grid, row: u64, column: u64, shown: &Shown) -> Result<()> {
    match shown {
        Shown::Error(text) => grid.error(row, column, text),
        Shown::Text(text) => {
            grid.push(row, column, text).map_err(|what| book.fault(CONTENT, Code::DimLimit, what))?;
        }
    }
    grid.ask()
}

fn repeated(xml: &Xml<'_>, book: &Book<'_, '_>, tag: &BytesStart<'_>, name: &str) -> Result<u64> {
    let Some(text) = xml.attribute(book, tag, name)? else { return Ok(1) };
    text.trim().parse().map_err(|_| {
        book.fault(CONTENT, Code::Syntax, format!("{name} is '{text}', expected a whole number"))
    })
}

/// The content of a cell after its start.
fn cell(book: &Book<'_, '_>, xml: &mut Xml<'_>, tag: &BytesStart<'_>) -> Result<Option<Shown>> {
    let kind = xml.attribute(book, tag, "value-type")?.unwrap_or_default();
    // LibreOffice marks errors in an attribute of its own, with the same local name.
    let broken = tag
        .attributes()
        .flatten()
        .any(|a| a.key.local_name().as_ref() == "value-type" && a.value.as_ref() == "error");
    let stored = match kind.as_str() {
        "float" | "percentage" | "currency" => xml.attribute(book, tag, "value")?,
        "date" => xml.attribute(book, tag, "date-value")?,
        "time" => xml.attribute(book, tag, "time-value")?.map(|text| clock(&text).unwrap_or(text)),
        "boolean" => xml.attribute(book, tag, "boolean-value")?,
        _ => xml.attribute(book, tag, "string-value")?,
    };
    let mut text = String::new();
    let mut paragraphs = 0;
    loop {
        match xml.next(book)? {
            Next::Start(tag) if tag.local_name().as_ref() == "p" => {
                if paragraphs > 0 {
                    text.push('\n');
                }
                paragraphs += 1;
                paragraph(book, xml, &mut text)?;
            }
            Next::Start(_) => xml.skip(book)?,
            Next::End => break,
            Next::Text(_) => {}
            Next::Eof => return Err(xml.cut(book)),
        }
    }
    if broken {
        return Ok(Some(Shown::Error(text)));
    }
    // An empty value type is an empty cell, whatever it shows.
    Ok(match stored {
        Some(stored) => Some(Shown::Text(stored)),
        None if text.is_empty() => None,
        None => Some(Shown::Text(text)),
    })
}

/// Appends the text of a paragraph, where runs of spaces and tabs are elements.
fn paragraph(book: &Book<'_, '_>, xml: &mut Xml<'_>, out: &mut String) -> Result<()> {
    let mut depth = 1u64;
    while depth > 0 {
        match xml.next(book)? {
            Next::Start(tag) => {
                match tag.local_name().as_ref() {
                    "s" => {
                        let count = repeated(xml, book, &tag, "c")?.min(1 << 16);
                        (0..count).for_each(|_| out.push(' '));
                    }
                    "tab" => out.push('\t'),
                    "line-break" => out.push('\n'),
                    "annotation" => {
                        xml.skip(book)?;
                        continue;
                    }
                    _ => {}
                }
                depth += 1;
            }
            Next::End => depth -= 1,
            Next::Text(text) => out.push_str(&text),
            Next::Eof => return Err(xml.cut(book)),
        }
    }
    Ok(())
}

/// `PT06H30M00S` as `06:30:00`.
fn clock(text: &str) -> Option<String> {
    let rest = text.strip_prefix("PT")?;
    let (hours, rest) = rest.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds = rest.strip_suffix('S')?;
    let (hours, minutes): (u64, u64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let whole: u64 = seconds.split('.').next()?.parse().ok()?;
    Some(format!("{hours:02}:{minutes:02}:{whole:02}"))
}
