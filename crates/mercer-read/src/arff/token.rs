//! Tokens within a line: words and quoted strings.

use std::borrow::Cow;

use super::super::text::Fault;
use super::syntax;
use crate::error::Code;

/// A line, parsed from left to right.
pub(super) struct Line<'t> {
    text: &'t str,
    at: usize,
    /// Offset of the line in the file.
    offset: usize,
    /// The file ends here without a line end, so an incomplete token was truncated.
    is_cut: bool,
}

/// A word, or the value of a quoted string.
pub(super) struct Token<'t> {
    pub(super) offset: usize,
    pub(super) text: Cow<'t, str>,
    pub(super) quoted: bool,
}

impl<'t> Line<'t> {
    /// A line, with its line end if it has one.
    pub(super) fn new(line: &'t str, offset: usize) -> Self {
        let text = line.strip_suffix('\n').unwrap_or(line);
        Line { text: text.trim_end(), at: 0, offset, is_cut: text.len() == line.len() }
    }

    /// The offset of the next character that is not a space.
    pub(super) fn offset(&mut self) -> usize {
        self.skip_spaces();
        self.offset + self.at
    }

    /// The next character that is not a space.
    pub(super) fn peek(&mut self) -> Option<char> {
        self.skip_spaces();
        self.rest().chars().next()
    }

    /// Consumes `wanted` if it is next.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// Consumes `wanted`, which must be next.
    pub(super) fn expect(&mut self, wanted: char) -> Result<(), Fault> {
        if self.take(wanted) {
            return Ok(());
        }
        let found = self.peek();
        Err(self.unfinished(match found {
            Some(c) => format!("expected '{wanted}', got '{c}'"),
            None => format!("expected '{wanted}', got the end of the line"),
        }))
    }

    /// Whether the file ends in this line without a line end.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// An error here: a syntax error, or a truncated file.
    pub(super) fn unfinished(&mut self, reason: String) -> Fault {
        let code = if self.is_cut && self.peek().is_none() { Code::Truncated } else { Code::Syntax };
        Fault::new(self.offset(), code, reason)
    }

    /// The next quoted string, or the text up to one of `stops`, including inner spaces.
    pub(super) fn token(&mut self, stops: &[char]) -> Result<Token<'t>, Fault> {
        let offset = self.offset();
        let rest = self.rest();
        if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
            return self.quoted(quote);
        }
        let len = rest.find(stops).unwrap_or(rest.len());
        let text = rest.get(..len).unwrap_or("").trim_end();
        self.at += len;
        Ok(Token { offset, text: Cow::Borrowed(text), quoted: false })
    }

    fn quoted(&mut self, quote: char) -> Result<Token<'t>, Fault> {
        let (open, rest) = (self.offset + self.at, self.rest());
        let inner = rest.get(1..).unwrap_or("");
        let mut escaped = false;
        let mut has_escapes = false;
        for (i, c) in inner.char_indices() {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                (escaped, has_escapes) = (true, true);
            } else if c == quote {
                self.at += i + 2;
                let raw = inner.get(..i).unwrap_or("");
                let text = if has_escapes { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) };
                return Ok(Token { offset: open, text, quoted: true });
            }
        }
        let code = if self.is_cut { Code::Truncated } else { Code::Quote };
        Err(Fault::new(open, code, "unclosed quote"))
    }

    /// Returns an error unless the line ends here.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        match self.peek() {
            None | Some('%') => Ok(()),
            Some(c) => Err(syntax(self.offset(), format!("'{c}', expected the end of the line"))),
        }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_spaces(&mut self) {
        self.at += self.rest().bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    }
}

fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match if c == '\\' { chars.next() } else { None } {
            None => out.push(c),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some(other) => out.push(other),
        }
    }
    out
}
