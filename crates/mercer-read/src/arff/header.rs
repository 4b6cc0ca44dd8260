//! The declarations before `@data`.

use std::collections::HashSet;

use super::super::text::{Fault, shown};
use super::syntax;
use super::token::Line;
use crate::error::Code;

/// Maximum number of attributes in a file.
const MOST: usize = 1 << 20;

pub(super) struct Header {
    pub(super) attributes: Vec<Attribute>,
    /// Offset of the first attribute declaration.
    pub(super) names: usize,
    /// Offset of the first row.
    pub(super) data: usize,
}

pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) declared: Declared,
}

pub(super) enum Declared {
    Numeric,
    Nominal { first: String, values: HashSet<String> },
    String,
}

pub(super) fn read(text: &str) -> Result<Header, Fault> {
    let mut header = Header { attributes: Vec::new(), names: 0, data: 0 };
    let mut seen = HashSet::new();
    let (mut at, mut has_relation) = (0, false);
    for raw in text.split_inclusive('\n') {
        let mut line = Line::new(raw, at);
        at += raw.len();
        if matches!(line.peek(), None | Some('%')) {
            continue;
        }
        let start = line.offset();
        let keyword = line.token(&[' ', '\t', '%'])?.text.to_ascii_lowercase();
        match keyword.as_str() {
            "@relation" => has_relation = true,
            "@attribute" if has_relation => {
                if header.attributes.is_empty() {
                    header.names = start;
                }
                // If the file ends within a declaration, report that.
                let is_cut = !raw.ends_with('\n');
                let attribute = attribute(&mut line, &mut seen)
                    .map_err(|f| if is_cut { Fault { code: Code::Truncated, ..f } } else { f })?;
                header.attributes.push(attribute);
                if header.attributes.len() > MOST {
                    let reason = format!("more than {MOST} attributes");
                    return Err(Fault::new(start, Code::DimLimit, reason));
                }
            }
            "@data" if header.attributes.is_empty() => {
                return Err(syntax(start, "@data before any @attribute"));
            }
            "@data" => {
                header.data = at;
                return Ok(header);
            }
            _ if !has_relation => return Err(syntax(start, "an ARFF file starts with @relation")),
            // The file may end in the middle of the keyword.
            cut if at == text.len() && !raw.ends_with('\n') && "@attribute @data".contains(cut) => break,
            other => {
                let reason = format!("{}, expected @attribute or @data", shown(other));
                return Err(syntax(start, reason));
            }
        }
    }
    if !has_relation {
        // Only comments and blank lines.
        return Err(Fault::new(text.len(), Code::Empty, "only blank lines and comments"));
    }
    Err(Fault::new(text.len(), Code::Truncated, "the file ends before @data"))
}

fn attribute(line: &mut Line<'_>, seen: &mut HashSet<String>) -> Result<Attribute, Fault> {
    let token = line.token(&[' ', '\t', '{'])?;
    if token.text.is_empty() {
        return Err(line.unfinished("an attribute without a name".into()));
    }
    let name = token.text.into_owned();
    if !seen.insert(name.clone()) {
        return Err(Fault::new(
            token.offset,
            Code::Header,
            format!("attribute {} is declared twice", shown(&name)),
        ));
    }
    if line.peek() == Some('{') {
        return Ok(Attribute { declared: nominal(line)?, name });
    }
    let word = line.token(&[' ', '\t', '%'])?;
    let declared = match word.text.to_ascii_lowercase().as_str() {
        "numeric" | "real" | "integer" => Declared::Numeric,
        // A date may be followed by its format; it is read as a string.
        "string" | "date" => return Ok(Attribute { declared: Declared::String, name }),
        "" => return Err(line.unfinished(format!("attribute {} without a type", shown(&name)))),
        other => {
            let reason = format!("type {} of attribute {} is not supported", shown(other), shown(&name));
            let fault = Fault { offset: word.offset, ..line.unfinished(reason) };
            return Err(fault.hint("types are numeric, real, integer, string, date or {a, b, …}; series of several channels are read from .ts files"));
        }
    };
    // Weka writes bounds such as [0,1] after numeric types; they are ignored.
    if line.peek() != Some('[') {
        line.end()?;
    }
    Ok(Attribute { declared, name })
}

fn nominal(line: &mut Line<'_>) -> Result<Declared, Fault> {
    line.expect('{')?;
    let (mut first, mut values) = (None, HashSet::new());
    loop {
        let token = line.token(&[',', '}'])?;
        if token.text.is_empty() && !token.quoted {
            return Err(line.unfinished("a value is missing between the braces".into()));
        }
        let value = token.text.into_owned();
        first.get_or_insert_with(|| value.clone());
        if !values.insert(value.clone()) {
            return Err(syntax(token.offset, format!("value {} is declared twice", shown(&value))));
        }
        if line.take('}') {
            break;
        }
        line.expect(',')?;
    }
    line.end()?;
    Ok(Declared::Nominal { first: first.unwrap_or_default(), values })
}
