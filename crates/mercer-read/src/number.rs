//! The number parser of all text formats: strict and exact, with a reason for every rejected number.

/// The result of parsing a text as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
#[doc(hidden)]
pub enum Number {
    /// A finite number, correctly rounded to the nearest double.
    Value(f64),
    /// `nan`, `inf` or `infinity`, in any case and with any sign.
    NonFinite,
    /// A number beyond the largest double.
    Overflow,
    /// Meant as a number but badly written; the text says why.
    Bad(&'static str),
    /// Not a number.
    Text,
}

/// Parses decimal or scientific notation; spaces around it are allowed.
#[doc(hidden)]
pub fn parse(text: &str) -> Number {
    let text = trim(text);
    if let Some(value) = fast_path(text.as_bytes()) {
        return Number::Value(value);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Number::Value(value),
        // Digits distinguish 1e999 from infinity.
        Ok(_) if text.bytes().any(|b| b.is_ascii_digit()) => Number::Overflow,
        Ok(_) => Number::NonFinite,
        Err(_) => why_not(text),
    }
}

/// The text without surrounding spaces and tabs.
pub(super) fn trim(text: &str) -> &str {
    let edge = |b: Option<&u8>| matches!(b, Some(b' ' | b'\t'));
    let bytes = text.as_bytes();
    if edge(bytes.first()) || edge(bytes.last()) { text.trim_matches([' ', '\t']) } else { text }
}

/// Fast path for plain decimals of few digits, several times faster than the general parser.
///
/// With a mantissa up to 2^53 and a power of ten up to 10^22 both are exact doubles. The single division then rounds
/// correctly, and the result equals that of the general parser.
fn fast_path(text: &[u8]) -> Option<f64> {
    const TENS: [f64; 18] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17];
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    // More digits rarely fit 2^53, and the general parser would read them again.
    if digits.len() > 17 {
        return None;
    }
    let mut mantissa = 0u64;
    let mut point = None;
    for (i, &b) in digits.iter().enumerate() {
        let digit = b.wrapping_sub(b'0');
        if digit < 10 {
            // At most 18 digits: below 10^18, so it cannot overflow.
            mantissa = mantissa * 10 + u64::from(digit);
        } else if b == b'.' && point.is_none() {
            point = Some(i);
        } else {
            return None;
        }
    }
    let places = point.map_or(0, |at| digits.len() - 1 - at);
    if digits.len() == usize::from(point.is_some()) || mantissa > 1 << 53 {
        return None;
    }
    let value = mantissa as f64 / TENS.get(places)?;
    Some(if negative { -value } else { value })
}

/// Distinguishes badly written numbers from text.
fn why_not(text: &str) -> Number {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some(first) = body.chars().next() else { return Number::Text };
    let like = |also: &dyn Fn(char) -> bool| {
        body.chars().all(|c| c.is_ascii_digit() || ".eE+-".contains(c) || also(c))
            && body.chars().any(|c| c.is_ascii_digit())
    };
    if let Some(hex) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        let digits = hex.chars().all(|c| c.is_ascii_hexdigit() || ".pP+-".contains(c));
        return if digits && !hex.is_empty() { Number::Bad("hexadecimal") } else { Number::Text };
    }
    if body.contains(',') && first.is_ascii_digit() && is_number(&body.replace(',', "")) {
        return Number::Bad("contains a comma; use a decimal point and no thousands separator");
    }
    if body.contains('_') && first.is_ascii_digit() && is_number(&body.replace('_', "")) {
        return Number::Bad("contains an underscore");
    }
    if !text.is_ascii() {
        let strange = |c: char| !c.is_ascii() && (c.is_numeric() || c == '\u{2212}' || c == '\u{066B}');
        let digits = text.chars().any(|c| c.is_ascii_digit() || !c.is_ascii() && c.is_numeric());
        let all = text.chars().all(|c| c.is_ascii_digit() || ".,eE+-".contains(c) || strange(c));
        if digits && all {
            return Number::Bad("contains digits or signs outside ASCII");
        }
    }
    let cut_short = body.strip_suffix(['e', 'E', '+', '-']).map(|b| b.strip_suffix(['e', 'E']).unwrap_or(b));
    if first.is_ascii_digit() && like(&|_| false) && cut_short.is_some_and(is_number) {
        return Number::Bad("exponent without digits");
    }
    Number::Text
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ordinary_numbers() {
        for (text, value) in [
            ("1", 1.0),
            ("+1.5", 1.5),
            (" -0.25\t", -0.25),
            ("1e3", 1000.0),
            ("2.5E-3", 0.0025),
            (".5", 0.5),
            ("5.", 5.0),
            ("9007199254740993", 9007199254740992.0),
            ("0.1", 0.1),
        ] {
            assert_eq!(parse(text), Number::Value(value), "{text}");
        }
        assert!(matches!(parse("-0"), Number::Value(v) if v.is_sign_negative()));
    }

    #[test]
    fn row_19_denormals_to_the_bit() {
        assert_eq!(parse("4.9e-324"), Number::Value(f64::from_bits(1)));
        assert_eq!(parse("2.2250738585072011e-308"), Number::Value(f64::from_bits(0xF_FFFF_FFFF_FFFF)));
    }

    #[test]
    fn rows_13_to_15_non_finite() {
        for text in ["nan", "NaN", "-nan", "inf", "+INF", "-Infinity"] {
            assert_eq!(parse(text), Number::NonFinite, "{text}");
        }
        assert_eq!(parse("1e999"), Number::Overflow);
        assert_eq!(parse("-1e999"), Number::Overflow);
    }

    #[test]
    fn rows_17_and_18_badly_written() {
        for text in ["1,5", "1,234.5", "0x1F", "0x1.8p3", "1_000", "１２", "٣", "−5", "1e", "1.5e-", "½"]
        {
            assert!(matches!(parse(text), Number::Bad(_)), "{text}: {:?}", parse(text));
        }
    }

    #[test]
    fn text_is_text() {
        for text in
            ["", "-", ".", "e5", "abc", "2020-01-01", "1.2.3", "12 a", "0x", "a_b", "1,a", "5%", "--1", "é"]
        {
            assert_eq!(parse(text), Number::Text, "{text}");
        }
    }

    proptest! {
        #[test]
        fn doubles_round_trip(v in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            for text in [format!("{v}"), format!("{v:e}"), format!("{v:?}")] {
                match parse(&text) {
                    Number::Value(w) => prop_assert_eq!(w.to_bits(), v.to_bits()),
                    other => prop_assert!(false, "{:?}", other),
                }
            }
        }

        #[test]
        fn fast_path_equals_the_general_parser(text in "-?[0-9]{0,17}\\.?[0-9]{0,17}") {
            if let Some(v) = fast_path(text.as_bytes()) {
                prop_assert_eq!(v.to_bits(), text.parse::<f64>().unwrap().to_bits());
            }
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,12}") {
            parse(&text);
        }
    }
}
