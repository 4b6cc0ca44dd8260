//! The header of an npy file: a Python dictionary as text.

use super::element::{Element, Texts};
use crate::error::{Code, Result};
use crate::source::Source;

/// Maximum length of the header dictionary, the same limit as in NumPy.
const LONGEST: usize = 10_000;
const MAGIC: &[u8] = b"\x93NUMPY";

/// What the elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Numbers(Element),
    Texts(Texts),
}

/// The parsed header: the type and layout of the values after it.
pub(crate) struct Header {
    pub(crate) content: Content,
    pub(crate) big_endian: bool,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<u64>,
    /// Offset of the values.
    pub(crate) start: usize,
}

/// The header of a version 1 npy file holding a matrix of `dtype` (`<f8` or `<f4`) in C order, padded so
/// that the values begin at a multiple of 64 bytes.
pub fn header(rows: u64, cols: u64, dtype: &str) -> Vec<u8> {
    let mut text =
        format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({rows}, {cols}), }}").into_bytes();
    let prefix = MAGIC.len() + 4;
    let total = (prefix + text.len() + 1).next_multiple_of(64);
    text.resize(total - prefix - 1, b' ');
    text.push(b'\n');
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[1, 0]);
    // Two 20-digit numbers and a short dtype stay far below 64 KiB.
    out.extend_from_slice(&(text.len() as u16).to_le_bytes());
    out.extend_from_slice(&text);
    out
}

/// Parses and checks the header without reading the values.
pub(crate) fn parse(source: &Source) -> Result<Header> {
    let bytes = source.bytes;
    let bad = |reason: String| source.fault(Code::NpyHeader, reason);
    if bytes.is_empty() {
        return Err(source.fault(Code::Empty, "the file is empty"));
    }
    if !bytes.starts_with(MAGIC) {
        return Err(bad("not an npy file: it does not begin with \\x93NUMPY".into()));
    }
    let &[major, minor] = bytes.get(6..8).unwrap_or_default() else {
        return Err(bad("the file ends within its header".into()));
    };
    let (length, text_at) = match (major, minor) {
        (1, 0) => (bytes.get(8..10).map(|b| usize::from(b[0]) | usize::from(b[1]) << 8), 10),
        (2 | 3, 0) => {
            (bytes.get(8..12).map(|b| b.iter().rev().fold(0usize, |n, &byte| n << 8 | usize::from(byte))), 12)
        }
        _ => return Err(bad(format!("version {major}.{minor}, expected 1.0, 2.0 or 3.0"))),
    };
    let length = length.ok_or_else(|| bad("the file ends within its header".into()))?;
    if length > LONGEST {
        return Err(bad(format!("a header of {length} bytes, expected at most {LONGEST}")));
    }
    let start = text_at + length;
    let text = bytes
        .get(text_at..start)
        .ok_or_else(|| bad(format!("the file ends within its header of {length} bytes")))?;
    let text = std::str::from_utf8(text).map_err(|_| bad("the header is not UTF-8 text".into()))?;

    let fields = dictionary(text).map_err(&bad)?;
    let field = |name: &str| {
        let mut found = fields.iter().filter(|(key, _)| *key == name);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Ok(*value),
            (None, _) => Err(bad(format!("the header has no '{name}'"))),
            _ => Err(bad(format!("the header has '{name}' twice"))),
        }
    };
    let fortran = match field("fortran_order")? {
        "True" => true,
        "False" => false,
        other => return Err(bad(format!("fortran_order is {other}, expected True or False"))),
    };
    let shape = shape(field("shape")?).map_err(&bad)?;
    let descr = field("descr")?;
    let numbers = |dtype: &str| Element::parse(dtype).map(|(e, big)| (Content::Numbers(e), big));
    let texts = |dtype: &str| Texts::parse(dtype).map(|(t, big)| (Content::Texts(t), big));
    let (content, big_endian) =
        unquote(descr).and_then(|dtype| numbers(dtype).or_else(|| texts(dtype))).ok_or_else(|| {
            let shown: String = descr.chars().take(60).collect();
            source
                .fault(Code::NpyDtype, format!("elements of type {shown}, expected numbers, bool or text"))
                .with_hint("save the array as numbers, such as x.astype(\"f8\"), or as text, x.astype(str)")
        })?;
    Ok(Header { content, big_endian, fortran, shape, start })
}

impl Content {
    /// The numeric type, where text has no place.
    pub(crate) fn element(self, source: &Source) -> Result<Element> {
        match self {
            Content::Numbers(element) => Ok(element),
            Content::Texts(_) => Err(source.fault(Code::NpyDtype, "elements are text, expected numbers")),
        }
    }
}

/// Parses a Python dictionary into keys and the text of its values, as far as npy headers need it.
fn dictionary(text: &str) -> Result<Vec<(&str, &str)>, String> {
    let inner = text
        .trim()
        .strip_prefix('{')
        .and_then(|t| t.strip_suffix('}'))
        .ok_or_else(|| "the header is not a dictionary".to_string())?;
    split(inner)?
        .into_iter()
        .map(|item| {
            let (key, value) =
                item.split_once(':').ok_or_else(|| format!("'{item}' in the header has no value"))?;
            let key =
                unquote(key.trim()).ok_or_else(|| format!("the key {key} in the header is not quoted"))?;
            Ok((key, value.trim()))
        })
        .collect()
}

/// Splits at commas that are not in brackets or quotes.
fn split(text: &str) -> Result<Vec<&str>, String> {
    let (mut items, mut begin, mut depth, mut quote) = (Vec::new(), 0, 0usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => {
                depth = depth.checked_sub(1).ok_or_else(|| format!("unmatched '{c}'"))?;
            }
            (None, ',') if depth == 0 => {
                items.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 || quote.is_some() {
        return Err("unclosed bracket or quote in the header".into());
    }
    items.push(text[begin..].trim());
    // Python allows a comma after the last item.
    if items.last() == Some(&"") {
        items.pop();
    }
    Ok(items)
}

fn unquote(text: &str) -> Option<&str> {
    ['\'', '"']
        .iter()
        .find_map(|&q| text.strip_prefix(q)?.strip_suffix(q))
        .filter(|t| !t.contains(['\'', '"']))
}

fn shape(text: &str) -> Result<Vec<u64>, String> {
    let inner = text
        .strip_prefix('(')
        .and_then(|t| t.strip_suffix(')'))
        .ok_or_else(|| format!("the shape is {text}, expected a tuple"))?;
    let shape = split(inner)?
        .into_iter()
        .map(|n| {
            // Python 2 wrote long integers with an L.
            let digits = n.strip_suffix('L').unwrap_or(n);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(format!("the shape {text} contains '{n}', expected whole numbers ≥ 0"));
            }
            digits.parse::<u64>().map_err(|_| format!("the shape {text} exceeds 2^64"))
        })
        .collect::<Result<Vec<_>, _>>()?;
    // A zero dimension must not hide the overflow of the others.
    shape
        .iter()
        .try_fold(1u64, |product, &n| product.checked_mul(n.max(1)))
        .ok_or_else(|| format!("the shape {text} exceeds 2^64 values"))?;
    Ok(shape)
}
