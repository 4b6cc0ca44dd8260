//! Element types of arrays, and their conversion from bytes to numbers and text.

/// A numeric element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Bool,
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

impl Element {
    /// The type for a dtype such as `<f8`, and whether it is big-endian. `None` if it is not numeric: objects, strings,
    /// dates, complex numbers, records.
    pub(crate) fn parse(dtype: &str) -> Option<(Self, bool)> {
        let (order, kind) = match dtype.as_bytes().first()? {
            order @ (b'<' | b'>' | b'|' | b'=') => (*order, &dtype[1..]),
            _ => (b'=', dtype),
        };
        let element = match kind {
            "b1" | "?" => Element::Bool,
            "i1" => Element::Signed(1),
            "i2" => Element::Signed(2),
            "i4" => Element::Signed(4),
            "i8" => Element::Signed(8),
            "u1" => Element::Unsigned(1),
            "u2" => Element::Unsigned(2),
            "u4" => Element::Unsigned(4),
            "u8" => Element::Unsigned(8),
            "f2" => Element::Float(2),
            "f4" => Element::Float(4),
            "f8" => Element::Float(8),
            _ => return None,
        };
        // `=` is the byte order of the computer that wrote the file; nearly all are little-endian.
        let big = match order {
            b'>' => true,
            b'|' if element.size() > 1 => return None,
            _ => false,
        };
        Some((element, big))
    }

    /// The size of one element in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Element::Bool => 1,
            Element::Signed(n) | Element::Unsigned(n) | Element::Float(n) => n,
        }
    }

    /// Whether this is an integer type.
    pub(crate) fn is_whole(self) -> bool {
        !matches!(self, Element::Float(_))
    }

    /// One element as a double. Integers beyond 2^53 are rounded to the nearest.
    pub(crate) fn number(self, bytes: &[u8], big: bool) -> f64 {
        let bits = bits(bytes, big);
        match self {
            Element::Bool => f64::from(u8::from(bits != 0)),
            Element::Unsigned(_) => bits as f64,
            Element::Signed(size) => extend(bits, size) as f64,
            Element::Float(2) => half(bits as u16),
            Element::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Element::Float(_) => f64::from_bits(bits),
        }
    }

    /// One element as text that keeps all digits of an integer.
    pub(crate) fn text(self, bytes: &[u8], big: bool) -> String {
        match self {
            Element::Unsigned(_) => bits(bytes, big).to_string(),
            Element::Signed(size) => extend(bits(bytes, big), size).to_string(),
            Element::Bool | Element::Float(_) => self.number(bytes, big).to_string(),
        }
    }
}

/// Text of a fixed size, padded by zeros: `U` has four bytes per character, `S` one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Texts {
    /// Bytes per element; at least 1.
    pub(crate) size: usize,
    wide: bool,
}

impl Texts {
    /// The type for a dtype such as `<U5` or `|S3`, and whether it is big-endian.
    pub(crate) fn parse(dtype: &str) -> Option<(Self, bool)> {
        let (order, kind) = match dtype.as_bytes().first()? {
            order @ (b'<' | b'>' | b'|' | b'=') => (*order, &dtype[1..]),
            _ => (b'=', dtype),
        };
        let wide = kind.starts_with('U');
        let length: usize =
            kind.strip_prefix(['U', 'S']).filter(|n| n.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()?;
        let size = length.checked_mul(if wide { 4 } else { 1 }).filter(|&size| size > 0)?;
        Some((Texts { size, wide }, order == b'>'))
    }

    /// One element without its padding. `None` if it is not text: no character, or not UTF-8.
    pub(crate) fn text(self, bytes: &[u8], big: bool) -> Option<String> {
        if self.wide {
            let read = |four: &[u8]| char::from_u32(bits(four, big) as u32);
            let text: String = bytes.chunks_exact(4).map(read).collect::<Option<_>>()?;
            return Some(text.trim_end_matches('\0').to_owned());
        }
        let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        std::str::from_utf8(&bytes[..end]).ok().map(str::to_owned)
    }
}

fn bits(bytes: &[u8], big: bool) -> u64 {
    let join = |n: u64, &byte: &u8| n << 8 | u64::from(byte);
    if big { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) }
}

fn extend(bits: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size as u32;
    ((bits << unused) as i64) >> unused
}

/// Converts an IEEE half to a double, which is exact.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * (-24f64).exp2(),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1024.0 + fraction) * f64::from(exponent - 25).exp2(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_exact() {
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc000), -2.0);
        assert_eq!(half(0x0001), 2f64.powi(-24));
        assert_eq!(half(0x7bff), 65504.0);
        assert_eq!(half(0x7c00), f64::INFINITY);
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn non_numeric_types() {
        for dtype in ["|O", "O", "<U4", "|S3", "<c16", "<M8[ns]", "|V8", "<f16", "", "<", "|f8", "é4"] {
            assert_eq!(Element::parse(dtype), None, "{dtype}");
        }
        assert_eq!(Element::parse(">i2"), Some((Element::Signed(2), true)));
        assert_eq!(Element::parse("|b1"), Some((Element::Bool, false)));
    }

    #[test]
    fn text_is_padded_by_zeros() {
        let (wide, big) = Texts::parse("<U3").unwrap();
        let bytes: Vec<u8> = ['a', 'é', '\0'].iter().flat_map(|&c| u32::from(c).to_le_bytes()).collect();
        assert_eq!((wide.size, wide.text(&bytes, big).as_deref()), (12, Some("aé")));
        let (_, big) = Texts::parse(">U1").unwrap();
        assert_eq!(wide.text(&[0, 0, 0, b'x'], big).as_deref(), Some("x"));
        let (narrow, _) = Texts::parse("|S4").unwrap();
        assert_eq!((narrow.size, narrow.text(b"ab\0\0", false).as_deref()), (4, Some("ab")));
        // No character, not UTF-8, empty.
        assert_eq!(wide.text(&[0xff; 12], false), None);
        assert_eq!(narrow.text(&[0xff, 0, 0, 0], false), None);
        assert_eq!(narrow.text(&[0; 4], false).as_deref(), Some(""));
        for dtype in ["<U0", "|S", "<U", "<Ux", "<U99999999999999999999", "|O", "", "é4", "<f8"] {
            assert_eq!(Texts::parse(dtype), None, "{dtype}");
        }
    }

    #[test]
    fn whole_numbers_keep_sign_and_digits() {
        assert_eq!(Element::Signed(1).number(&[0xff], false), -1.0);
        assert_eq!(Element::Signed(2).number(&[0xff, 0xfe], true), -2.0);
        assert_eq!(Element::Signed(8).text(&i64::MIN.to_be_bytes(), true), i64::MIN.to_string());
        assert_eq!(Element::Unsigned(8).text(&u64::MAX.to_le_bytes(), false), u64::MAX.to_string());
    }
}
