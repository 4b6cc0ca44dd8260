//! A file as text: shared code of the line-based formats.

use std::borrow::Cow;
use std::path::Path;

use memchr::{memchr, memchr2_iter, memrchr};
use rayon::prelude::*;

use super::Limits;
pub(crate) use crate::error::shown;
use crate::error::{Code, Error, Place, Result};

/// The text of a file: valid UTF-8 without byte order mark or NUL; every line ends with `
/// ` and none is too long.
#[doc(hidden)]
pub struct Text<'a> {
    name: &'a Path,
    text: Cow<'a, str>,
    /// The start of the text, after the byte order mark if there is one.
    start: usize,
    quotes: bool,
}

/// Kinds of bytes that a text contains.
#[derive(Clone, Copy)]
struct Content {
    /// Whether all are ASCII.
    ascii: bool,
    nul: bool,
    /// Carriage returns.
    returns: bool,
    /// Double quotes.
    quotes: bool,
}

impl Content {
    /// One pass on all cores; a search for each kind in the cache is faster than one loop for all.
    fn of(bytes: &[u8]) -> Self {
        const PIECE: usize = 1 << 18;
        let piece = |piece: &[u8]| Content {
            ascii: piece.is_ascii(),
            nul: memchr(0, piece).is_some(),
            returns: memchr(b'\r', piece).is_some(),
            quotes: memchr(b'"', piece).is_some(),
        };
        let none = || Content { ascii: true, nul: false, returns: false, quotes: false };
        let both = |a: Content, b: Content| Content {
            ascii: a.ascii && b.ascii,
            nul: a.nul || b.nul,
            returns: a.returns || b.returns,
            quotes: a.quotes || b.quotes,
        };
        match bytes.len() <= PIECE {
            true => piece(bytes),
            false => bytes.par_chunks(PIECE).map(piece).reduce(none, both),
        }
    }
}

/// An error at a byte offset of a [`Text`].
///
/// Parsers do not count lines: the line is computed only for the error that is reported, see [`Text::error`].
#[derive(Debug)]
#[doc(hidden)]
pub struct Fault {
    pub offset: usize,
    pub code: Code,
    pub reason: String,
    pub(super) hint: Option<String>,
    /// The offset of a second cell that the error concerns.
    pub(super) also: Option<usize>,
    /// The original error if it does not concern the text, such as an exceeded budget.
    pub(super) cause: Option<Box<Error>>,
}

impl Fault {
    #[doc(hidden)]
    pub fn new(offset: usize, code: Code, reason: impl Into<String>) -> Self {
        Fault { offset, code, reason: reason.into(), hint: None, also: None, cause: None }
    }

    /// Converts to an error with a position.
    pub(crate) fn at(self, place: Place) -> Error {
        match self.cause {
            Some(error) => *error,
            None => Error::Parse { place, code: self.code, reason: self.reason, hint: self.hint },
        }
    }

    /// Names a second cell, whose line the message adds.
    pub(super) fn also(mut self, offset: Option<usize>) -> Self {
        self.also = offset;
        self
    }

    pub(super) fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }
}

/// Errors are equal if code, position and text are equal.
impl PartialEq for Fault {
    fn eq(&self, other: &Self) -> bool {
        let said = |fault: &Self| (fault.offset, fault.code, fault.reason.clone(), fault.hint.clone());
        said(self) == said(other)
    }
}

/// Errors that do not concern the text are passed through.
impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let code = error.code();
        Fault { offset: 0, code, reason: String::new(), hint: None, also: None, cause: Some(Box::new(error)) }
    }
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

impl<'a> Text<'a> {
    /// The text in `bytes`. Owned bytes are changed in place, not copied.
    #[doc(hidden)]
    pub fn new(name: &'a Path, bytes: Cow<'a, [u8]>, limits: &Limits) -> Result<Self> {
        if bytes.is_empty() {
            return Err(Error::parse(Place::file(name), Code::Empty, "the file is empty"));
        }
        let found = Content::of(&bytes);
        if !found.ascii || found.nul {
            check_encoding(name, &bytes)?;
        }
        let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let text = match bytes {
            Cow::Borrowed(b) if !found.returns => std::str::from_utf8(b).ok().map(Cow::Borrowed),
            bytes => {
                let mut own = bytes.into_owned();
                if found.returns {
                    unify_line_ends(&mut own);
                }
                String::from_utf8(own).ok().map(Cow::Owned)
            }
        };
        let text =
            text.ok_or_else(|| Error::parse(Place::file(name), Code::Encoding, "not valid UTF-8 text"))?;
        let text = Text { name, text, start, quotes: found.quotes };
        text.check_lines(limits.line)?;
        if text.as_str().bytes().all(|b| b.is_ascii_whitespace()) {
            return Err(Error::parse(Place::file(name), Code::Empty, "only blank lines"));
        }
        Ok(text)
    }

    #[doc(hidden)]
    pub fn as_str(&self) -> &str {
        self.text.get(self.start..).unwrap_or("")
    }

    /// The file, for messages.
    pub(super) fn name(&self) -> &'a Path {
        self.name
    }

    /// Whether there is a double quote anywhere.
    pub(super) fn has_quotes(&self) -> bool {
        self.quotes
    }

    /// Line and column of a byte offset, as a position in the file.
    #[doc(hidden)]
    pub fn place(&self, offset: usize) -> Place {
        let (line, column) = position(self.as_str().as_bytes(), offset);
        Place::new(self.name, line, column)
    }

    /// Converts to an error with file, line and column.
    #[doc(hidden)]
    pub fn error(&self, mut fault: Fault) -> Error {
        let place = self.place(fault.offset);
        if let Some(other) = fault.also {
            fault.reason += &format!(" (lines {} and {})", self.place(other).line, place.line);
        }
        fault.at(place)
    }

    /// An error about the file as a whole.
    pub(super) fn empty(&self, reason: &str) -> Error {
        Error::parse(Place::file(self.name), Code::Empty, reason)
    }

    fn check_lines(&self, limit: usize) -> Result<()> {
        let bytes = self.as_str().as_bytes();
        let mut line = 0;
        // From the start of a line, the last line end within reach shows that all lines up to it are short enough: one
        // search per `limit` bytes instead of one per line.
        while bytes.len() - line > limit {
            let reach = bytes.get(line..=line.saturating_add(limit)).unwrap_or(&[]);
            match memrchr(b'\n', reach) {
                Some(end) => line += end + 1,
                None => {
                    return Err(self
                        .error(Fault::new(
                            line,
                            Code::LineTooLong,
                            format!("a line of more than {limit} bytes"),
                        ))
                        .with_hint("if the line is meant to be that long, raise the limit with `max-line`"));
                }
            }
        }
        Ok(())
    }
}

fn check_encoding(name: &Path, bytes: &[u8]) -> Result<()> {
    let hint = "save the file as UTF-8";
    let utf = match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32"),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Some("UTF-16"),
        _ => None,
    };
    if let Some(utf) = utf {
        let reason = format!("{utf} byte order mark at byte offset 0; the text must be UTF-8");
        return Err(Error::parse(Place::new(name, 1, 1), Code::Encoding, reason).with_hint(hint));
    }
    let nul = memchr(0, bytes);
    // Text after a NUL byte is not checked.
    let head = bytes.get(..nul.unwrap_or(bytes.len())).unwrap_or(bytes);
    let (offset, what) = match (std::str::from_utf8(head), nul) {
        (Ok(_), None) => return Ok(()),
        (Err(e), _) => {
            let bad = head.get(e.valid_up_to()).copied().unwrap_or(0);
            (e.valid_up_to(), format!("byte 0x{bad:02X} at byte offset {} is not UTF-8", e.valid_up_to()))
        }
        (Ok(_), Some(at)) => (at, format!("NUL byte at byte offset {at}: not text, or UTF-16")),
    };
    let (line, column) = position(bytes, offset);
    // Without a byte order mark the place of the NULs shows which half of ASCII characters comes first.
    let hint = match nul.filter(|_| offset < 2).map(|at| at % 2) {
        Some(0) => "if the file is UTF-16, read it with `encoding=utf-16be`",
        Some(_) => "if the file is UTF-16, read it with `encoding=utf-16le`",
        None => hint,
    };
    Err(Error::parse(Place::new(name, line, column), Code::Encoding, what).with_hint(hint))
}

/// Replaces `\r
/// ` and lone `\r` by `
/// `, in place.
fn unify_line_ends(bytes: &mut Vec<u8>) {
    let Some(first) = memchr(b'\r', bytes) else { return };
    let (mut read, mut write) = (first, first);
    while let Some(run) = bytes.get(read..).and_then(|rest| memchr(b'\r', rest)) {
        bytes.copy_within(read..read + run, write);
        write += run;
        read += run + 1;
        bytes[write] = b'\n';
        write += 1;
        if bytes.get(read) == Some(&b'\n') {
            read += 1;
        }
    }
    let rest = bytes.len() - read;
    bytes.copy_within(read.., write);
    bytes.truncate(write + rest);
}

/// Line and column of a byte offset, both from 1, the column in characters.
pub(super) fn position(bytes: &[u8], offset: usize) -> (u64, u64) {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let (mut line, mut start) = (1, if before.starts_with(BOM) { BOM.len() } else { 0 });
    for at in memchr2_iter(b'\r', b'\n', before) {
        let second_half = before.get(at) == Some(&b'\n') && at > 0 && before.get(at - 1) == Some(&b'\r');
        line += u64::from(!second_half);
        start = at + 1;
    }
    let own = before.get(start..).unwrap_or(&[]);
    // UTF-8 continuation bytes do not start a character.
    let characters = own.iter().filter(|&&b| b & 0xC0 != 0x80).count();
    (line, characters as u64 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: &[u8]) -> Result<String> {
        let limits = Limits { line: 20, ..Limits::default() };
        Text::new(Path::new("a.csv"), Cow::Borrowed(bytes), &limits).map(|t| t.as_str().to_owned())
    }

    fn fault(bytes: &[u8]) -> (Code, u64, u64) {
        match text(bytes).unwrap_err() {
            Error::Parse { place, code, .. } => (code, place.line, place.column),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn rows_2_and_3_empty_files() {
        assert_eq!(fault(b"").0, Code::Empty);
        assert_eq!(fault(b"\n  \r\n\t\n").0, Code::Empty);
        assert_eq!(fault(b"\xEF\xBB\xBF").0, Code::Empty);
    }

    #[test]
    fn rows_4_to_6_encodings() {
        assert_eq!(text(b"\xEF\xBB\xBFa\n").unwrap(), "a\n");
        assert_eq!(fault(b"\xFF\xFEa\0"), (Code::Encoding, 1, 1));
        assert_eq!(fault(b"\xFE\xFF\0a"), (Code::Encoding, 1, 1));
        assert_eq!(fault(b"a,b\n1,\x002\n"), (Code::Encoding, 2, 3));
        // UTF-16 without a mark: the hint names the encoding.
        let hint = |bytes: &[u8]| text(bytes).unwrap_err().hint().unwrap_or_default().to_owned();
        assert!(hint(b"\0a\0,\0b\0\n").contains("utf-16be"));
        assert!(hint(b"a\0,\0b\0\n\0").contains("utf-16le"));
        assert!(!hint(b"a,b\n1,\x002\n").contains("utf-16"));
        assert_eq!(
            fault("é,b\n€,".as_bytes().iter().chain(b"\xE9\n").copied().collect::<Vec<_>>().as_slice()),
            (Code::Encoding, 2, 3)
        );
        assert_eq!(fault(b"a\r\rb\xFF"), (Code::Encoding, 3, 2));
        assert_eq!(fault(b"\xEF\xBB\xBFa\xFF"), (Code::Encoding, 1, 2));
    }

    #[test]
    fn row_7_line_ends() {
        for ends in ["a\r\nb\r\n", "a\rb\r", "a\r\nb\r", "a\nb\n"] {
            assert_eq!(text(ends.as_bytes()).unwrap(), "a\nb\n");
        }
        assert_eq!(text(b"a\r\n\r\nb\r\r").unwrap(), "a\n\nb\n\n");
    }

    #[test]
    fn row_8_long_lines() {
        assert_eq!(fault(&[b'x'; 21]), (Code::LineTooLong, 1, 1));
        assert!(text(&[b'x'; 20]).is_ok());
        assert!(text(&[&[b'x'; 20][..], b"\n", &[b'y'; 20]].concat()).is_ok());
        assert_eq!(fault(&[&b"a\n\nb\n"[..], &[b'x'; 21], b"\n"].concat()), (Code::LineTooLong, 4, 1));
    }

    proptest! {
        #[test]
        fn line_ends_equal_replacement(s in "[ab\r\n]{0,30}") {
            let mut bytes = s.clone().into_bytes();
            unify_line_ends(&mut bytes);
            prop_assert_eq!(String::from_utf8(bytes).unwrap(), s.replace("\r\n", "\n").replace('\r', "\n"));
        }

        #[test]
        fn line_limit_equals_counting(s in "[a\n]{1,200}") {
            let long = s.split('\n').any(|l| l.len() > 20);
            let blank = s.trim().is_empty();
            prop_assert_eq!(text(s.as_bytes()).is_err(), long || blank);
        }

        #[test]
        fn any_bytes_are_text_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = text(&bytes);
        }
    }
}
