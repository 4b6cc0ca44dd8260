//! Splits text into tokens with their positions.

use std::ops::Range;

/// A token of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    /// A name in quotes: always a column or a word, never a kernel.
    Quoted(String),
    Range,
    Symbol(char),
}

/// A token and its position in bytes.
#[derive(Clone, Debug)]
pub(super) struct Spanned {
    pub(super) token: Token,
    pub(super) span: Range<usize>,
}

/// The position of and reason for a lexical error.
pub(super) struct LexError {
    pub(super) span: Range<usize>,
    pub(super) reason: String,
}

pub(super) fn tokens(text: &str) -> Result<Vec<Spanned>, LexError> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let end = match c {
            _ if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '+' | '*' | '(' | ')' | '[' | ']' | ',' | '=' | '@' | '^' | '-' => {
                out.push(Spanned { token: Token::Symbol(c), span: at..at + 1 });
                at + 1
            }
            '.' if text[at..].starts_with("..") => {
                out.push(Spanned { token: Token::Range, span: at..at + 2 });
                at + 2
            }
            '0'..='9' | '.' => {
                let end = at + number_length(&text[at..]);
                let value = text[at..end].parse().ok().filter(|v: &f64| v.is_finite());
                let value = value.ok_or_else(|| LexError {
                    span: at..end.max(at + 1),
                    reason: format!("'{}' is not a number", &text[at..end.max(at + 1)]),
                })?;
                out.push(Spanned { token: Token::Number(value), span: at..end });
                end
            }
            '"' | '\'' => {
                let (name, end) = quoted(text, at, c)
                    .ok_or_else(|| LexError { span: at..text.len(), reason: "unclosed quote".into() })?;
                out.push(Spanned { token: Token::Quoted(name), span: at..end });
                end
            }
            _ if is_name_start(c) => {
                let end = at + name_length(&text[at..]);
                out.push(Spanned { token: Token::Name(text[at..end].to_owned()), span: at..end });
                end
            }
            _ => {
                return Err(LexError {
                    span: at..at + c.len_utf8(),
                    reason: format!("'{c}' has no meaning in an expression"),
                });
            }
        };
        at = end;
    }
    Ok(out)
}

/// The quoted name that begins at `at`, and its end. A quote inside is doubled.
fn quoted(text: &str, at: usize, quote: char) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut from = at + 1;
    loop {
        let close = from + text[from..].find(quote)?;
        name.push_str(&text[from..close]);
        if !text[close + 1..].starts_with(quote) {
            return Some((name, close + 1));
        }
        name.push(quote);
        from = close + 2;
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// The length of a name: alphabetic characters, digits and underscores; a hyphen or dot only before another of these.
fn name_length(text: &str) -> usize {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, '-' | '.') && chars.peek().is_some_and(|(_, next)| inside(*next));
        if !inside(c) && !joins {
            return at;
        }
    }
    text.len()
}

/// Whether a name needs no quotes in an expression.
pub(super) fn is_plain(name: &str) -> bool {
    name.chars().next().is_some_and(is_name_start) && name_length(name) == name.len()
}

/// The length of a number: digits, one point that is not the start of `..`, and an exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}
