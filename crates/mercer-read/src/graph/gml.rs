//! Graphs in GML, the Graph Modelling Language (Himsolt 1997).
//!
//! Example: `graph [ node [ id 1 label "C" ] edge [ source 1 target 2 ] ]`.
//!
//! Each `graph` is one graph. A node has an `id`, an edge a `source` and a `target`; `directed 1` makes edges directed.
//! Numbers and texts directly inside a graph are its properties: one may be the target, `name` (or `id`) is its name.
//! Lists inside nodes and edges, such as `graphics`, are ignored.

use super::super::Options;
use super::super::pace::Pace;
use super::super::text::{Fault, Text, shown};
use super::batch::{Draft, GraphBatch, Value};
use crate::error::Code;

pub(super) fn read(text: &Text<'_>, batch: &mut GraphBatch, options: &Options) -> Result<(), Fault> {
    let mut tokens = Tokens { text: text.as_str(), at: 0, newlines: (0, 1), pace: Pace::from(0) };
    while let Some((offset, token)) = tokens.next()? {
        let key = key(offset, token)?;
        match tokens.value(offset)? {
            Token::Open if key.eq_ignore_ascii_case("graph") => graph(&mut tokens, offset, batch, options)?,
            Token::Open => tokens.skip(offset)?,
            _ => {}
        }
    }
    Ok(())
}

/// A token. Texts still contain their escapes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'t> {
    Word(&'t str),
    Text(&'t str),
    Open,
    Close,
}

struct Tokens<'t> {
    text: &'t str,
    at: usize,
    /// The last offset whose line was computed, and that line.
    newlines: (usize, u64),
    pace: Pace,
}

impl<'t> Tokens<'t> {
    fn next(&mut self) -> Result<Option<(usize, Token<'t>)>, Fault> {
        self.pace.at(self.at)?;
        loop {
            let rest = self.text.get(self.at..).unwrap_or("");
            let spaces = rest.len() - rest.trim_ascii_start().len();
            self.at += spaces;
            let rest = &rest[spaces..];
            if !rest.starts_with('#') {
                break;
            }
            self.at += memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        }
        let (start, rest) = (self.at, self.text.get(self.at..).unwrap_or(""));
        let token = match rest.as_bytes().first() {
            None => return Ok(None),
            Some(b'[') => Token::Open,
            Some(b']') => Token::Close,
            Some(b'"') => {
                let Some(len) = rest.get(1..).and_then(|r| memchr::memchr(b'"', r.as_bytes())) else {
                    return Err(Fault::new(start, Code::Quote, "unclosed quote"));
                };
                self.at += len + 2;
                return Ok(Some((start, Token::Text(&rest[1..=len]))));
            }
            Some(_) => {
                let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '[' | ']' | '"');
                let len = rest.find(ends).unwrap_or(rest.len());
                self.at += len;
                return Ok(Some((start, Token::Word(&rest[..len]))));
            }
        };
        self.at += 1;
        Ok(Some((start, token)))
    }

    /// The value after a key.
    fn value(&mut self, key: usize) -> Result<Token<'t>, Fault> {
        match self.next()? {
            Some((offset, Token::Close)) => {
                Err(Fault::new(offset, Code::Syntax, "got ']', expected a value"))
            }
            Some((_, token)) => Ok(token),
            None => Err(Fault::new(key, Code::Truncated, "the file ends after this key")),
        }
    }

    /// Skips a list after its opening bracket. Nesting is counted without recursion, so any depth works.
    fn skip(&mut self, opened: usize) -> Result<(), Fault> {
        let mut depth = 1u64;
        while depth > 0 {
            match self.next()? {
                Some((_, Token::Open)) => depth += 1,
                Some((_, Token::Close)) => depth -= 1,
                Some(_) => {}
                None => return Err(unclosed(opened)),
            }
        }
        Ok(())
    }

    /// The line of an offset; offsets must not decrease between calls.
    fn line(&mut self, offset: usize) -> u64 {
        let (from, line) = self.newlines;
        let between = self.text.as_bytes().get(from..offset).unwrap_or(&[]);
        self.newlines = (offset, line + memchr::memchr_iter(b'\n', between).count() as u64);
        self.newlines.1
    }
}

fn unclosed(opened: usize) -> Fault {
    Fault::new(opened, Code::Truncated, "the list that opens here has no closing ']'")
}

fn key<'t>(offset: usize, token: Token<'t>) -> Result<&'t str, Fault> {
    match token {
        Token::Word(word) if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => Ok(word),
        Token::Word(word) => Err(Fault::new(offset, Code::Syntax, format!("{} is not a key", shown(word)))),
        Token::Text(_) => Err(Fault::new(offset, Code::Syntax, "got a text, expected a key")),
        Token::Open | Token::Close => Err(Fault::new(offset, Code::Syntax, "got a bracket, expected a key")),
    }
}

/// Parses a graph after its opening bracket.
fn graph(
    tokens: &mut Tokens<'_>,
    opened: usize,
    batch: &mut GraphBatch,
    options: &Options,
) -> Result<(), Fault> {
    let mut draft = Draft::default();
    let (mut directed, mut id, mut name) = (options.graph.directed, None, None);
    loop {
        let (offset, token) = tokens.next()?.ok_or_else(|| unclosed(opened))?;
        if token == Token::Close {
            break;
        }
        let key = key(offset, token)?;
        let value = tokens.value(offset)?;
        match (key, value) {
            ("node" | "edge", Token::Open) => record(tokens, offset, key == "node", &mut draft, batch)?,
            ("node" | "edge", _) => {
                return Err(Fault::new(offset, Code::Syntax, format!("expected '[' after {key}")));
            }
            (_, Token::Open) => tokens.skip(offset)?,
            ("directed", Token::Word("1")) => directed = true,
            ("directed", Token::Word("0")) => directed = false,
            ("directed", _) => {
                return Err(Fault::new(offset, Code::Syntax, "directed must be 0 or 1"));
            }
            ("id", value) => id = Some(plain(value)),
            ("name", value) => name = Some(plain(value)),
            (key, value) => {
                let line = tokens.line(offset);
                batch.note(batch.len(), key, &plain(value), line);
            }
        }
    }
    draft.finish(batch, name.or(id), directed)
}

/// Parses a node or an edge after its opening bracket.
fn record(
    tokens: &mut Tokens<'_>,
    opened: usize,
    is_node: bool,
    draft: &mut Draft,
    batch: &mut GraphBatch,
) -> Result<(), Fault> {
    let mut values: Vec<(usize, &str, String)> = Vec::new();
    let (mut id, mut source, mut target) = (None, None, None);
    loop {
        let (offset, token) = tokens.next()?.ok_or_else(|| unclosed(opened))?;
        if token == Token::Close {
            break;
        }
        let key = key(offset, token)?;
        match (key, tokens.value(offset)?) {
            (_, Token::Open) => tokens.skip(offset)?,
            ("id", value) if is_node => id = Some(plain(value)),
            ("source", value) if !is_node => source = Some(plain(value)),
            ("target", value) if !is_node => target = Some(plain(value)),
            ("id", _) => {}
            (key, value) => values.push((offset, key, plain(value))),
        }
    }
    let values: Vec<Value<'_>> =
        values.iter().map(|(offset, name, text)| Value { name, text, offset: *offset }).collect();
    match (is_node, id, source, target) {
        (true, Some(id), ..) => draft.node(batch, &id, opened, &values),
        (true, None, ..) => Err(Fault::new(opened, Code::Syntax, "a node without id")),
        (false, _, Some(a), Some(b)) => draft.edge(batch, (&a, &b), opened, &values),
        (false, ..) => Err(Fault::new(opened, Code::Syntax, "an edge without source or target")),
    }
}

/// A value with its escapes replaced.
fn plain(token: Token<'_>) -> String {
    match token {
        Token::Word(word) => word.to_owned(),
        // Unknown escapes are kept unchanged.
        Token::Text(text) => {
            quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), |t| t.into_owned())
        }
        Token::Open | Token::Close => String::new(),
    }
}
