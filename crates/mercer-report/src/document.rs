//! Access to run documents, in which any part may be missing.

use serde_json::Value;

/// The numbers of a list; other values (null, text) become NaN.
pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}

/// The texts of a list.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    list(value).iter().map(text).collect()
}

/// A list, empty if missing.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text unchanged, anything else as JSON.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Null => "–".into(),
        other => other.to_string(),
    }
}

/// A whole number.
pub(crate) fn whole(value: &Value) -> usize {
    value.as_u64().map_or(0, |n| n as usize)
}

/// Decodes base 64 (RFC 4648); `None` if invalid.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(u32::from(c - b'A')),
        b'a'..=b'z' => Some(u32::from(c - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(c - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits = text.trim_end_matches('=').as_bytes();
    let mut out = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let mut bits = 0;
        for &character in four {
            bits = bits << 6 | digit(character)?;
        }
        bits <<= 6 * (4 - four.len());
        let three = [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8];
        out.extend(&three[..four.len() * 3 / 4]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn base_64_examples_of_the_standard() {
        // RFC 4648, section 10.
        for (text, plain) in
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")]
        {
            assert_eq!(bytes(text).unwrap(), plain.as_bytes());
        }
        assert_eq!(bytes("Zm9*"), None);
    }
}
