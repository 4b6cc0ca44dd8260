//! Text in other encodings than UTF-8: UTF-16 by its byte order mark, Windows-1252 where the bytes are not UTF-8.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use memchr::memchr;
use rayon::prelude::*;

use super::text::position;
use crate::budget;
use crate::error::{Code, Error, Place, Result, Warning};

/// The encodings of text files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// Windows-1252, which most programs mean by Latin-1.
    Windows1252,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Encoding; 4] =
        [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Windows1252];

    /// The name used in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16Le => "utf-16le",
            Encoding::Utf16Be => "utf-16be",
            Encoding::Windows1252 => "windows-1252",
        }
    }

    /// The encoding with this name, in any case; `latin-1` and `iso-8859-1` are read as Windows-1252.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        match name.as_str() {
            "utf8" => Some(Encoding::Utf8),
            "latin-1" | "latin1" | "iso-8859-1" | "cp1252" => Some(Encoding::Windows1252),
            "utf-16" => Some(Encoding::Utf16Le),
            other => Encoding::ALL.into_iter().find(|e| e.name() == other),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The encoding that a byte order mark declares, and the length of the mark.
fn marked(bytes: &[u8]) -> Option<(Encoding, usize)> {
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => Some((Encoding::Utf8, 3)),
        // The mark of UTF-32, which the reader of text refuses.
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some((Encoding::Utf16Le, 2)),
        [0xFE, 0xFF, ..] => Some((Encoding::Utf16Be, 2)),
        _ => None,
    }
}

/// The bytes as UTF-8, if their encoding is given or a byte order mark says that they are UTF-16; otherwise unchanged.
pub(super) fn decoded<'a>(
    name: &Path,
    bytes: Cow<'a, [u8]>,
    given: Option<Encoding>,
) -> Result<(Cow<'a, [u8]>, Option<Warning>)> {
    let mark = marked(&bytes);
    let encoding = match (given, mark) {
        (Some(given), _) => given,
        (None, Some((encoding, _))) => encoding,
        (None, None) => return Ok((bytes, None)),
    };
    let start = mark.filter(|(marked, _)| *marked == encoding).map_or(0, |(_, len)| len);
    let body = bytes.get(start..).unwrap_or(&[]);
    let text = match encoding {
        Encoding::Utf8 => return Ok((bytes, None)),
        Encoding::Utf16Le => from_utf16(name, body, u16::from_le_bytes)?,
        Encoding::Utf16Be => from_utf16(name, body, u16::from_be_bytes)?,
        Encoding::Windows1252 => from_windows(name, body)?,
    };
    let warning = given.is_none().then(|| said(name, encoding, "by its byte order mark"));
    Ok((Cow::Owned(text.into_bytes()), warning))
}

/// The bytes of a table as UTF-8: those that are not UTF-8 are read as Windows-1252, unless both occur.
pub(super) fn sniffed<'a>(name: &Path, bytes: Cow<'a, [u8]>) -> Result<(Cow<'a, [u8]>, Option<Warning>)> {
    if bytes.par_chunks(1 << 18).all(<[u8]>::is_ascii) {
        return Ok((bytes, None));
    }
    let bad = match std::str::from_utf8(&bytes) {
        Ok(_) => return Ok((bytes, None)),
        Err(error) => error.valid_up_to(),
    };
    if memchr(0, &bytes).is_some() {
        return Ok((bytes, None));
    }
    if let Some(wide) = multibyte(&bytes) {
        let (first, second) = (place(name, &bytes, wide), place(name, &bytes, bad));
        let reason = format!(
            "mixed encodings: UTF-8 in line {}, but byte 0x{:02X} in line {} is not UTF-8",
            first.line,
            bytes.get(bad).copied().unwrap_or(0),
            second.line
        );
        return Err(Error::parse(second, Code::Encoding, reason)
            .with_hint("save the file as UTF-8, or say `encoding=windows-1252` if that is what it is"));
    }
    let text = from_windows(name, &bytes)?;
    Ok((Cow::Owned(text.into_bytes()), Some(said(name, Encoding::Windows1252, "because it is not UTF-8"))))
}

fn said(name: &Path, encoding: Encoding, why: &str) -> Warning {
    let file = name.file_name().unwrap_or_default().to_string_lossy();
    Warning::new("W_ENCODING", format!("{file} is read as {encoding}, {why}; `encoding` sets another"))
}

fn place(name: &Path, bytes: &[u8], offset: usize) -> Place {
    let (line, column) = position(bytes, offset);
    Place::new(name, line, column)
}

/// The offset of the first character of several bytes in UTF-8.
fn multibyte(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    while let Some(rest) = bytes.get(start..) {
        let (valid, skip) = match std::str::from_utf8(rest) {
            Ok(text) => (text, 0),
            Err(error) => {
                let good = rest.get(..error.valid_up_to()).unwrap_or(&[]);
                let bad = error.error_len().unwrap_or(rest.len() - good.len());
                (std::str::from_utf8(good).unwrap_or(""), bad)
            }
        };
        if let Some(at) = valid.bytes().position(|b| !b.is_ascii()) {
            return Some(start + at);
        }
        if skip == 0 {
            return None;
        }
        start += valid.len() + skip;
    }
    None
}

fn from_utf16(name: &Path, bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String> {
    budget::ask("decoding UTF-16", 2 * bytes.len() as u64)?;
    let fault = |offset: usize, reason: String| {
        Err(Error::parse(Place::file(name), Code::Encoding, format!("{reason} at byte offset {offset}"))
            .with_hint("save the file as UTF-8"))
    };
    if bytes.len() % 2 == 1 {
        return fault(bytes.len() - 1, "UTF-16 cut in the middle of a character".into());
    }
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let mut text = String::with_capacity(bytes.len() / 2);
    for (at, c) in char::decode_utf16(units).enumerate() {
        match c {
            Ok('\0') | Err(_) => return fault(2 * at, "not UTF-16 text".into()),
            Ok(c) => text.push(c),
        }
    }
    Ok(text)
}

/// The characters of the bytes 0x80 to 0x9F; NUL where Windows-1252 has none.
const HIGH: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“',
    '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

fn from_windows(name: &Path, bytes: &[u8]) -> Result<String> {
    budget::ask("decoding Windows-1252", 2 * bytes.len() as u64)?;
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for (at, &byte) in bytes.iter().enumerate() {
        let c = match byte {
            0x80..=0x9F => HIGH.get(usize::from(byte) - 0x80).copied().unwrap_or('\0'),
            other => char::from(other),
        };
        if c == '\0' || c.is_control() && !c.is_ascii_whitespace() {
            let reason =
                format!("byte 0x{byte:02X} at byte offset {at} is neither UTF-8 nor Windows-1252 text");
            return Err(Error::parse(place(name, bytes, at), Code::Encoding, reason)
                .with_hint("save the file as UTF-8"));
        }
        text.push(c);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name() -> &'static Path {
        Path::new("a.csv")
    }

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(unit).collect()
    }

    #[test]
    fn utf_16_is_recognised_by_its_mark() {
        let text = "name,age\nŽofie 𝛼,3\n";
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            let (bytes, warning) = decoded(name(), utf16(text, unit).into(), None).unwrap();
            assert_eq!(std::str::from_utf8(&bytes).unwrap(), text);
            assert_eq!(warning.unwrap().code, "W_ENCODING");
        }
        for bad in [&b"\xFF\xFEa"[..], b"\xFF\xFEa\0\0\xD8", b"\xFF\xFEa\0\0\0b\0"] {
            assert_eq!(decoded(name(), bad.into(), None).unwrap_err().code(), Code::Encoding);
        }
    }

    #[test]
    fn windows_1252_where_it_is_not_utf_8() {
        let (bytes, warning) = sniffed(name(), b"caf\xE9 \x80\n"[..].into()).unwrap();
        assert_eq!(std::str::from_utf8(&bytes).unwrap(), "café €\n");
        assert!(warning.unwrap().message.contains("windows-1252"));
        let (bytes, warning) = sniffed(name(), "café\n".as_bytes().into()).unwrap();
        assert!(warning.is_none() && &*bytes == "café\n".as_bytes());
        // Given, bytes that would be UTF-8 are Windows-1252 too.
        let (bytes, _) = decoded(name(), "é".as_bytes().into(), Some(Encoding::Windows1252)).unwrap();
        assert_eq!(std::str::from_utf8(&bytes).unwrap(), "Ã©");
    }

    #[test]
    fn mixed_encodings_name_both_lines() {
        let error =
            sniffed(name(), "é\nx\n".bytes().chain(*b"caf\xE9\n").collect::<Vec<_>>().into()).unwrap_err();
        assert!(error.to_string().contains("UTF-8 in line 1, but byte 0xE9 in line 3"), "{error}");
        assert_eq!(sniffed(name(), b"a\x81\n"[..].into()).unwrap_err().code(), Code::Encoding);
        assert_eq!(sniffed(name(), b"a\x01\xE9\n"[..].into()).unwrap_err().code(), Code::Encoding);
    }

    #[test]
    fn names_of_encodings() {
        for encoding in Encoding::ALL {
            assert_eq!(Encoding::from_name(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::from_name("Latin1"), Some(Encoding::Windows1252));
        assert_eq!(Encoding::from_name("ebcdic"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_fail(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            for encoding in Encoding::ALL {
                let _ = decoded(name(), bytes.as_slice().into(), Some(encoding));
            }
            let _ = sniffed(name(), bytes.as_slice().into());
        }
    }
}
