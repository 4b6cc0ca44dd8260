//! Finds the columns declared as dictionaries in Arrow's schema.
//!
//! Writers based on Arrow store its schema in addition to that of Parquet, as a flatbuffer in base64 under the key
//! `ARROW:schema`. Only this schema says whether a string column was a dictionary, such as a pandas categorical; in the
//! rest of the file such a column looks like any other. An invalid schema is ignored, never an error: the file can be
//! read without it.
//!
//! A flatbuffers crate would bring generated code for the whole format, of which only four fields are needed.

/// The names of string columns that are declared as dictionaries.
pub(super) fn dictionaries(schema: &str) -> Vec<String> {
    let bytes = decode(schema);
    // An encapsulated message: a marker, the length of the rest, then the flatbuffer.
    let start = if bytes.starts_with(&[0xFF; 4]) { 8 } else { 4 };
    bytes.get(start..).and_then(|message| fields(Buffer(message))).unwrap_or_default()
}

/// Maximum number of fields examined.
const MOST: usize = 1 << 20;
/// Arrow's type ids of its two string types.
const STRINGS: [u8; 2] = [5, 20];

fn fields(buffer: Buffer<'_>) -> Option<Vec<String>> {
    let message = buffer.root()?;
    let schema = buffer.table(buffer.field(message, 2)?)?;
    let list = buffer.follow(buffer.field(schema, 1)?)?;
    let count = (buffer.u32(list)? as usize).min(MOST);
    let mut names = Vec::new();
    for i in 0..count {
        let field = buffer.table(list + 4 + 4 * i)?;
        let is_string =
            buffer.field(field, 2).and_then(|at| buffer.u8(at)).is_some_and(|t| STRINGS.contains(&t));
        if is_string && buffer.field(field, 4).is_some() {
            let at = buffer.follow(buffer.field(field, 0)?)?;
            let length = buffer.u32(at)? as usize;
            let name = buffer.0.get(at + 4..(at + 4).checked_add(length)?)?;
            names.push(String::from_utf8(name.to_vec()).ok()?);
        }
    }
    Some(names)
}

/// A flatbuffer: offsets relative to other offsets, all of them checked.
#[derive(Clone, Copy)]
struct Buffer<'a>(&'a [u8]);

impl Buffer<'_> {
    fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    fn u16(self, at: usize) -> Option<u16> {
        let bytes = self.0.get(at..at.checked_add(2)?)?;
        Some(u16::from_le_bytes(bytes.try_into().ok()?))
    }

    fn u32(self, at: usize) -> Option<u32> {
        let bytes = self.0.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    fn root(self) -> Option<usize> {
        self.follow(0)
    }

    /// The target of the offset at `at`.
    fn follow(self, at: usize) -> Option<usize> {
        at.checked_add(self.u32(at)? as usize)
    }

    /// The table at the target of the offset at `at`.
    fn table(self, at: usize) -> Option<usize> {
        self.follow(at)
    }

    /// The position of a table's field, if present.
    fn field(self, table: usize, slot: usize) -> Option<usize> {
        let back = self.u32(table)? as i32;
        let vtable = usize::try_from(i64::try_from(table).ok()? - i64::from(back)).ok()?;
        let size = usize::from(self.u16(vtable)?);
        let entry = 4 + 2 * slot;
        if entry + 2 > size {
            return None;
        }
        match usize::from(self.u16(vtable + entry)?) {
            0 => None,
            offset => table.checked_add(offset),
        }
    }
}

/// Decodes base64 with or without padding; other characters are ignored.
fn decode(text: &str) -> Vec<u8> {
    let sextet = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut out, mut bits, mut held) = (Vec::with_capacity(text.len() / 4 * 3), 0u32, 0);
    for value in text.bytes().filter_map(sextet) {
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The schema that pyarrow 26.0.1 writes for columns x (double), colour (dictionary of strings), size (strings).
    const SCHEMA: &str = include_str!("arrow.txt");

    #[test]
    fn dictionaries_and_plain_strings_are_distinguished() {
        assert_eq!(dictionaries(SCHEMA), ["colour"]);
        assert_eq!(decode("bWVyY2Vy"), b"mercer");
        assert_eq!(decode("TQ=="), b"M");
        assert!(dictionaries("").is_empty());
    }

    proptest! {
        #[test]
        fn damaged_schemas_never_panic(at in 0usize..2000, byte in any::<char>(), cut in 0usize..2000) {
            let mut text: Vec<char> = SCHEMA.chars().collect();
            let at = at % text.len();
            text[at] = byte;
            text.truncate(cut.max(1));
            dictionaries(&text.into_iter().collect::<String>());
        }
    }
}
