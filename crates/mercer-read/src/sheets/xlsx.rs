//! Excel workbooks (ECMA-376, Office Open XML).

use std::collections::HashMap;

use super::xml::{Next, Xml};
use super::{Book, Grid, dates};
use crate::budget;
use crate::error::{Code, Result};

const WORKBOOK: &str = "xl/workbook.xml";

/// The name of the sheet that is read, its cells, and the names of the other sheets.
pub(super) fn read(book: &mut Book<'_, '_>) -> Result<(String, Grid, Vec<String>)> {
    let Some(content) = book.member(WORKBOOK)? else {
        return Err(book.source.fault(Code::Format, format!("not an Excel workbook: no member {WORKBOOK}")));
    };
    let (sheets, since_1904) = sheets(book, &content)?;
    let names: Vec<String> = sheets.iter().map(|s| s.name.clone()).collect();
    let first = sheets.iter().position(|s| s.visible).or((!sheets.is_empty()).then_some(0));
    let chosen = book.choose(&names, first)?;
    let targets = targets(book)?;
    let Some(member) = targets.get(&sheets[chosen].relation) else {
        return Err(book.fault(WORKBOOK, Code::Syntax, format!("sheet '{}' has no content", names[chosen])));
    };
    let strings = match book.member("xl/sharedStrings.xml")? {
        Some(content) => shared(book, &content)?,
        None => Strings::default(),
    };
    let dated = match book.member("xl/styles.xml")? {
        Some(content) => styles(book, &content)?,
        None => Vec::new(),
    };
    let Some(content) = book.member(member)? else {
        return Err(book.fault(member, Code::Truncated, "the archive has no such member"));
    };
    let grid = Reader { book, member, strings: &strings, dated: &dated, since_1904 }.cells(&content)?;
    let others = names.iter().enumerate().filter(|(i, _)| *i != chosen).map(|(_, n)| n.clone()).collect();
    Ok((names[chosen].clone(), grid, others))
}

struct Sheet {
    name: String,
    relation: String,
    visible: bool,
}

/// The sheets of the workbook, and whether its dates count from 1904.
fn sheets(book: &Book<'_, '_>, content: &[u8]) -> Result<(Vec<Sheet>, bool)> {
    let mut xml = Xml::new(book, WORKBOOK, content)?;
    let (mut sheets, mut since_1904) = (Vec::new(), false);
    loop {
        match xml.next(book)? {
            Next::Start(tag) => match tag.local_name().as_ref() {
                "workbookPr" => {
                    let value = xml.attribute(book, &tag, "date1904")?;
                    since_1904 = value.is_some_and(|v| v == "1" || v == "true");
                }
                "sheet" => {
                    let visible = xml.attribute(book, &tag, "state")?.is_none_or(|s| s == "visible");
                    // The relation is `r:id`; the sheet also has a number.
                    let name = xml.attribute(book, &tag, "name")?.unwrap_or_default();
                    let relation = xml.attribute(book, &tag, "id")?.unwrap_or_default();
                    sheets.push(Sheet { name, relation, visible });
                }
                _ => {}
            },
            Next::Eof => return Ok((sheets, since_1904)),
            _ => {}
        }
    }
}

/// The members that relations of the workbook refer to.
fn targets(book: &mut Book<'_, '_>) -> Result<HashMap<String, String>> {
    const MEMBER: &str = "xl/_rels/workbook.xml.rels";
    let Some(content) = book.member(MEMBER)? else {
        return Err(book.fault(MEMBER, Code::Truncated, "the archive has no such member"));
    };
    let mut xml = Xml::new(book, MEMBER, &content)?;
    let mut targets = HashMap::new();
    loop {
        match xml.next(book)? {
            Next::Start(tag) if tag.local_name().as_ref() == "Relationship" => {
                let id = xml.attribute(book, &tag, "Id")?.unwrap_or_default();
                let target = xml.attribute(book, &tag, "Target")?.unwrap_or_default();
                let member = match target.strip_prefix('/') {
                    Some(whole) => whole.to_owned(),
                    None => format!("xl/{}", target.trim_start_matches("./")),
                };
                targets.insert(id, member);
            }
            Next::Eof => return Ok(targets),
            _ => {}
        }
    }
}

/// Texts that cells share: one buffer with the ends of all.
#[derive(Default)]
struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    fn get(&self, i: usize) -> Option<&str> {
        let start = if i == 0 { 0 } else { *self.ends.get(i - 1)? };
        self.text.get(start..*self.ends.get(i)?)
    }
}

fn shared(book: &Book<'_, '_>, content: &[u8]) -> Result<Strings> {
    budget::ask("the texts of a workbook", content.len() as u64)?;
    let mut xml = Xml::new(book, "xl/sharedStrings.xml", content)?;
    let mut strings = Strings::default();
    loop {
        match xml.next(book)? {
            Next::Start(tag) if tag.local_name().as_ref() == "si" => {
                // Without the pronunciation, rPh. White space between elements is not part of the text.
                let text = rich(&mut xml, book)?;
                strings.text.push_str(&text);
                strings.ends.push(strings.text.len());
            }
            Next::Eof => return Ok(strings),
            _ => {}
        }
    }
}

/// The text in the elements `t` of an element, without those in `rPh`.
fn rich(xml: &mut Xml<'_>, book: &Book<'_, '_>) -> Result<String> {
    let (mut out, mut depth) = (String::new(), 1u64);
    while depth > 0 {
        match xml.next(book)? {
            Next::Start(tag) => match tag.local_name().as_ref() {
                "t" => out.push_str(&xml.text(book, "")?),
                "rPh" => xml.skip(book)?,
                _ => depth += 1,
            },
            Next::End => depth -= 1,
            Next::Text(_) => {}
            Next::Eof => return Err(xml.cut(book)),
        }
    }
    Ok(unescaped(out))
}

/// Characters that XML cannot hold are written as `_xHHHH_`.
fn unescaped(text: String) -> String {
    if !text.contains("_x") {
        return text;
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text.as_str());
    while let Some(at) = rest.find("_x") {
        let code = rest.get(at + 2..at + 6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let code = code.and_then(char::from_u32).filter(|_| rest.as_bytes().get(at + 6) == Some(&b'_'));
        let end = if code.is_some() { at + 7 } else { at + 2 };
        out.push_str(&rest[..code.map_or(end, |_| at)]);
        out.extend(code);
        rest = &rest[end..];
    }
    out + rest
}

/// For every style of cells, whether it shows dates.
fn styles(book: &Book<'_, '_>, content: &[u8]) -> Result<Vec<bool>> {
    let mut xml = Xml::new(book, "xl/styles.xml", content)?;
    let mut codes: HashMap<u32, String> = HashMap::new();
    let (mut dated, mut inside) = (Vec::new(), false);
    loop {
        match xml.next(book)? {
            Next::Start(tag) => match tag.local_name().as_ref() {
                "numFmt" => {
                    let id = xml.attribute(book, &tag, "numFmtId")?.and_then(|v| v.parse().ok());
                    let code = xml.attribute(book, &tag, "formatCode")?;
                    codes.extend(id.zip(code));
                }
                "cellXfs" => inside = true,
                "cellStyles" | "dxfs" => inside = false,
                "xf" if inside => {
                    let id = xml.attribute(book, &tag, "numFmtId")?.and_then(|v| v.parse().ok()).unwrap_or(0);
                    dated.push(dates::is_date(id, codes.get(&id).map(String::as_str)));
                }
                _ => {}
            },
            Next::Eof => return Ok(dated),
            _ => {}
        }
    }
}

/// What the cells of a sheet refer to.
struct Reader<'a, 'b, 's> {
    book: &'a Book<'b, 's>,
    member: &'a str,
    strings: &'a Strings,
    dated: &'a [bool],
    since_1904: bool,
}

impl Reader<'_, '_, '_> {
    fn cells(&self, content: &[u8]) -> Result<Grid> {
        let book = self.book;
        let mut xml = Xml::new(book, self.member, content)?;
        let mut grid = Grid::default();
        // The row of the next cell and its column, for cells without a name.
        let (mut row, mut column, mut rows) = (0, 0, 0);
        let mut data = false;
        loop {
            match xml.next(book)? {
                Next::Start(tag) => match tag.local_name().as_ref() {
                    "sheetData" => data = true,
                    "row" => {
                        let number = xml.attribute(book, &tag, "r")?.and_then(|v| v.parse::<u64>().ok());
                        row = number.map_or(rows, |n| n.saturating_sub(1));
                        (rows, column) = (row.saturating_add(1), 0);
                    }
                    "c" => {
                        if let Some(name) = xml.attribute(book, &tag, "r")? {
                            (column, row) = dates::cell_place(&name).ok_or_else(|| {
                                let reason = format!("'{name}' is not the name of a cell");
                                book.fault(self.member, Code::Syntax, reason)
                            })?;
                        }
                        let kind = xml.attribute(book, &tag, "t")?.unwrap_or_default();
                        let style = xml.attribute(book, &tag, "s")?.and_then(|v| v.parse::<usize>().ok());
                        let (text, is_formula) = self.value(&mut xml, &kind, style)?;
                        match (kind.as_str(), text) {
                            ("e", Some(text)) => grid.error(row, column, &text),
                            (_, Some(text)) => grid.push(row, column, &text).map_err(|what| {
                                book.fault(self.member, Code::DimLimit, format!("{what}; sheets are smaller"))
                            })?,
                            (_, None) if is_formula => grid.formula(row, column),
                            (_, None) => {}
                        }
                        grid.ask()?;
                        column = column.saturating_add(1);
                    }
                    "mergeCell" => grid.merged += 1,
                    _ => {}
                },
                Next::Eof if data => return Ok(grid),
                Next::Eof => return Err(book.fault(self.member, Code::Syntax, "not a sheet of cells")),
                _ => {}
            }
        }
    }

    /// The value of a cell after its start, and whether it has a formula.
    fn value(&self, xml: &mut Xml<'_>, kind: &str, style: Option<usize>) -> Result<(Option<String>, bool)> {
        let book = self.book;
        let (mut text, mut is_formula) = (None, false);
        loop {
            match xml.next(book)? {
                Next::Start(tag) => match tag.local_name().as_ref() {
                    "v" => text = Some(xml.text(book, "")?),
                    "is" => text = Some(rich(xml, book)?),
                    other => {
                        is_formula |= other == "f";
                        xml.skip(book)?;
                    }
                },
                Next::End => break,
                Next::Text(_) => {}
                Next::Eof => return Err(xml.cut(book)),
            }
        }
        // Libraries that do not calculate write no value, or an empty one.
        let Some(text) = text.filter(|text| !is_formula || kind == "str" || !text.is_empty()) else {
            return Ok((None, is_formula));
        };
        let text = match kind {
            "s" => {
                let found = text.trim().parse().ok().and_then(|i| self.strings.get(i));
                let reason = || format!("'{}' is not the number of a shared text", text.trim());
                found.ok_or_else(|| book.fault(self.member, Code::Syntax, reason()))?.to_owned()
            }
            "b" => (if text.trim() == "1" { "true" } else { "false" }).to_owned(),
            "str" | "inlineStr" | "e" => unescaped(text),
            "d" => text.trim().to_owned(),
            _ => {
                let dated = style.and_then(|s| self.dated.get(s)).copied().unwrap_or(false);
                let date = |text: &str| dates::iso(text.trim().parse().ok()?, self.since_1904);
                (if dated { date(&text) } else { None }).unwrap_or_else(|| text.trim().to_owned())
            }
        };
        Ok((Some(text), is_formula))
    }
}
