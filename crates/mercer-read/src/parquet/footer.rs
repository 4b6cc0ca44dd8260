//! Checks a Parquet footer before the decoder, which trusts it.
//!
//! The decoder allocates as many children as a schema node declares, and recurses once for each level of nesting.
//! Neither a failed allocation nor a stack overflow can be caught, so both numbers are checked here against the bytes
//! of the footer.

/// Maximum depth of the schema. Flat tables have depth 1; nested columns may be ignored by name.
const DEEPEST: usize = 64;

/// Checks the footer between the pages and the final length and magic bytes.
pub(super) fn check(bytes: &[u8]) -> Result<(), String> {
    if !bytes.starts_with(b"PAR1") {
        return Err("not a Parquet file: it does not begin with PAR1".into());
    }
    let tail = bytes.len().checked_sub(8).filter(|at| *at >= 4).and_then(|at| bytes.get(at..));
    let tail = tail.ok_or("the file ends before its footer")?;
    match &tail[4..] {
        b"PAR1" => {}
        b"PARE" => return Err("the footer is encrypted".into()),
        _ => return Err("the file does not end with PAR1: it is truncated".into()),
    }
    let length = tail[..4].iter().rev().fold(0usize, |n, &byte| n << 8 | usize::from(byte));
    let end = bytes.len() - 8;
    let start = end.checked_sub(length).filter(|at| *at >= 4).ok_or_else(|| {
        format!("the footer declares {length} bytes, the file has {} before its end", end - 4)
    })?;
    let children = Walk { bytes: &bytes[start..end], at: 0 }.schema().ok_or("the footer is invalid")?;
    plausible(&children)
}

/// Checks that the numbers of children, in depth-first order, form one shallow tree.
fn plausible(children: &[i64]) -> Result<(), String> {
    // The number of children each open node still needs.
    let mut open: Vec<i64> = vec![1];
    for &n in children {
        while open.last() == Some(&0) {
            open.pop();
        }
        let lacking = open.last_mut().ok_or("the footer has more than one schema")?;
        *lacking -= 1;
        if n < 0 || n as u64 >= children.len() as u64 {
            return Err(format!("the schema declares {n} columns in a group, and {} in all", children.len()));
        }
        open.push(n);
        if open.len() > DEEPEST {
            return Err(format!("a schema nested deeper than {DEEPEST}"));
        }
    }
    if open.iter().any(|&n| n > 0) {
        return Err("the schema ends too early".into());
    }
    Ok(())
}

/// A parser for Thrift's compact protocol. Returns `None` if the bytes are invalid.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

const I32: u8 = 5;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl Walk<'_> {
    /// The number of children of each schema node: field 5 of the structs listed in field 2.
    fn schema(&mut self) -> Option<Vec<i64>> {
        let mut id = 0;
        while let Some(kind) = self.field(&mut id)? {
            if id != 2 || kind != LIST {
                self.skip(kind, 0)?;
                continue;
            }
            let (count, kind) = self.list()?;
            if kind != STRUCT {
                return None;
            }
            return (0..count).map(|_| self.children()).collect();
        }
        None
    }

    fn children(&mut self) -> Option<i64> {
        let (mut id, mut children) = (0, 0);
        while let Some(kind) = self.field(&mut id)? {
            if id == 5 && kind == I32 {
                let n = self.varint()?;
                children = (n >> 1) as i64 ^ -((n & 1) as i64);
            } else {
                self.skip(kind, 0)?;
            }
        }
        Some(children)
    }

    /// The type of the next field of a struct, whose number goes into `id`; `Some(None)` at its end.
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        *id = match byte >> 4 {
            0 => {
                let n = self.varint()?;
                (n >> 1) as i64 ^ -((n & 1) as i64)
            }
            delta => id.checked_add(i64::from(delta))?,
        };
        Some(Some(byte & 15))
    }

    fn list(&mut self) -> Option<(usize, u8)> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            15 => self.varint()?,
            n => u64::from(n),
        };
        // Each element takes at least one byte.
        let left = (self.bytes.len() - self.at) as u64;
        (count <= left).then_some((count as usize, byte & 15))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            // The value of a boolean field is part of its type.
            1 | 2 => {}
            3 => self.advance(1)?,
            4..=6 => drop(self.varint()?),
            7 => self.advance(8)?,
            8 => {
                let length = self.varint()?;
                self.advance(usize::try_from(length).ok()?)?;
            }
            LIST | 10 => {
                let (count, kind) = self.list()?;
                for _ in 0..count {
                    if matches!(kind, 1 | 2) { self.advance(1)? } else { self.skip(kind, depth + 1)? }
                }
            }
            STRUCT => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn advance(&mut self, n: usize) -> Option<()> {
        self.at = self.at.checked_add(n).filter(|at| *at <= self.bytes.len())?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let (value, length) = varint(self.bytes.get(self.at..)?)?;
        self.at += length;
        Some(value)
    }
}

/// A number in groups of seven bits, and its length in bytes.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((value, i + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(footer: &[u8]) -> Vec<u8> {
        let mut out = b"PAR1".to_vec();
        out.extend_from_slice(footer);
        out.extend_from_slice(&(footer.len() as u32).to_le_bytes());
        out.extend_from_slice(b"PAR1");
        out
    }

    /// A footer whose schema nodes have these numbers of children (below 64).
    fn schema(children: &[u8]) -> Vec<u8> {
        let mut out = vec![0x15, 2, 0x19, 0xfc, children.len() as u8];
        for n in children {
            // Field 4, the name, then field 5.
            out.extend_from_slice(&[0x48, 1, b'a', 0x15, n << 1, 0]);
        }
        out.push(0);
        out
    }

    #[test]
    fn schemas_must_be_one_shallow_tree() {
        assert_eq!(check(&file(&schema(&[2, 0, 0]))), Ok(()));
        assert_eq!(check(&file(&schema(&[2, 1, 0, 0]))), Ok(()));
        for bad in [&[2, 0][..], &[0, 0], &[1, 63, 0], &[]] {
            assert!(check(&file(&schema(bad))).is_err(), "{bad:?}");
        }
        let deep: Vec<u8> = std::iter::repeat_n(1, 99).chain([0]).collect();
        assert!(check(&file(&schema(&deep))).unwrap_err().contains("nested"));
    }

    #[test]
    fn truncated_and_encrypted_files() {
        for bad in [&b""[..], b"PAR1", b"PAR1PAR1", b"PAR1\xff\xff\xff\xffPAR1", b"PAR1\0\0\0\0PARE", b"CSV1"]
        {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }
}
