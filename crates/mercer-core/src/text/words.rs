//! Unicode word segmentation (UAX #29), in lower case.

use unicode_segmentation::UnicodeSegmentation;

/// Calls `visit` for every word of a text in lower case: each segment between word boundaries with a letter or a digit.
///
/// ASCII text has its own implementation, which is several times as fast; a test checks that it agrees with the general
/// one.
pub(crate) fn each_word(text: &str, mut visit: impl FnMut(&str)) {
    let mut lower = String::new();
    if text.is_ascii() {
        return each_ascii(text, |word| {
            // Most words are in lower case already.
            if word.bytes().any(|b| b.is_ascii_uppercase()) {
                lower.clear();
                lower.push_str(word);
                lower.make_ascii_lowercase();
                visit(&lower);
            } else {
                visit(word);
            }
        });
    }
    for word in text.unicode_words() {
        if word.is_ascii() {
            lower.clear();
            lower.push_str(word);
            lower.make_ascii_lowercase();
            visit(&lower);
        } else {
            visit(&word.to_lowercase());
        }
    }
}

/// Words are runs of letters, digits and `_`. `'` and `.` join letters as well as digits, `:` only letters, `,` and `;`
/// only digits.
fn each_ascii(all: &str, mut visit: impl FnMut(&str)) {
    let text = all.as_bytes();
    let mut at = 0;
    while at < text.len() {
        if !is_part(text[at]) {
            at += 1;
            continue;
        }
        let start = at;
        let mut counts = false;
        while at < text.len() {
            counts |= text[at].is_ascii_alphanumeric();
            let next = text.get(at + 1).copied().unwrap_or(0);
            if is_part(next) {
                at += 1;
            } else if joins(text[at], next, text.get(at + 2).copied().unwrap_or(0)) {
                at += 2;
            } else {
                break;
            }
        }
        at += 1;
        if counts {
            visit(&all[start..at]);
        }
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn joins(before: u8, between: u8, after: u8) -> bool {
    let letters = before.is_ascii_alphabetic() && after.is_ascii_alphabetic();
    let digits = before.is_ascii_digit() && after.is_ascii_digit();
    match between {
        b'\'' | b'.' => letters || digits,
        b':' => letters,
        b',' | b';' => digits,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ascii_words_are_unicode_words(text in "[a-cA-C0-3_'.,;: \\-\"!@\n\r\t]{0,40}") {
            let mut ours = Vec::new();
            each_ascii(&text, |w| ours.push(w.to_owned()));
            prop_assert_eq!(ours, text.unicode_words().map(str::to_owned).collect::<Vec<_>>());
        }

        #[test]
        fn any_ascii(text in "[ -~]{0,60}") {
            let mut ours = Vec::new();
            each_ascii(&text, |w| ours.push(w.to_owned()));
            prop_assert_eq!(ours, text.unicode_words().map(str::to_owned).collect::<Vec<_>>());
        }
    }

    #[test]
    fn lower_case_beyond_ascii() {
        let mut words = Vec::new();
        each_word("ÜBER Größe, don't 3.14", |w| words.push(w.to_owned()));
        assert_eq!(words, ["über", "größe", "don't", "3.14"]);
    }
}
