//! Whether distinct texts are written as identifiers are: codes with numbers, keys, addresses, proper names.
//!
//! Sequences over a few symbols, SMILES, formulas, amounts and sentences are distinct too, and none of these.

use std::collections::{HashMap, HashSet};

/// What distinct texts are, if nearly all of them are written like identifiers.
pub(super) fn written(texts: &[&str]) -> Option<&'static str> {
    let texts: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    let symbols: HashSet<char> =
        texts.iter().flat_map(|t| t.chars()).filter(|c| c.is_alphanumeric()).collect();
    // Strings over so few symbols are sequences: of DNA, of bits.
    if texts.is_empty() || symbols.len() <= 4 {
        return None;
    }
    if are_codes(&texts) {
        Some("code")
    } else if are_keys(&texts, &symbols) {
        Some("key")
    } else if nearly_all(&texts, is_address) {
        Some("address")
    } else if are_proper_names(&texts) {
        Some("name")
    } else {
        None
    }
}

/// Whether nine in ten texts are such.
fn nearly_all(texts: &[&str], such: impl Fn(&str) -> bool) -> bool {
    texts.iter().filter(|text| such(text)).count() * 10 >= texts.len() * 9
}

/// Marks between the parts of a code.
const MARKS: [char; 6] = ['-', '_', '.', '/', ':', '#'];

/// Codes: one word each, with a number in it, in at most three shapes, such as `AB-00012` and `s17`.
fn are_codes(texts: &[&str]) -> bool {
    let mut shapes: HashMap<String, Vec<&str>> = HashMap::new();
    for text in texts {
        if let Some(shape) = shape(text) {
            shapes.entry(shape).or_default().push(text);
        }
    }
    let mut shapes: Vec<(String, Vec<&str>)> = shapes.into_iter().filter(|(s, t)| is_code(s, t)).collect();
    shapes.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
    let found: usize = shapes.iter().take(3).map(|(_, texts)| texts.len()).sum();
    found * 10 >= texts.len() * 9
}

/// The runs of a word: `A` for letters, `9` for digits, marks as they are. None for other words, and for those without
/// digits.
fn shape(text: &str) -> Option<String> {
    let mut out = String::new();
    for c in text.chars() {
        let kind = match c {
            _ if c.is_ascii_digit() => '9',
            _ if c.is_alphabetic() => 'A',
            _ if MARKS.contains(&c) => c,
            _ => return None,
        };
        if !out.ends_with(kind) || MARKS.contains(&c) {
            out.push(kind);
        }
    }
    (out.contains('9') && out.chars().count() <= 12).then_some(out)
}

/// Whether texts of a shape are codes.
fn is_code(shape: &str, texts: &[&str]) -> bool {
    let kinds: Vec<char> = shape.chars().collect();
    // Letters and digits that alternate without marks are formulas, such as C2H6O.
    let glued = kinds.windows(2).filter(|w| matches!(w, ['A', '9'] | ['9', 'A'])).count();
    if glued > 2 {
        return false;
    }
    let words = |text: &str| text.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
    match kinds.as_slice() {
        // Without letters, numbers of one length; times, fractions and dates are none.
        kinds if !kinds.contains(&'A') => {
            let lengths: HashSet<usize> = texts.iter().map(|t| t.len()).collect();
            let digits = texts.first().map_or(0, |t| t.chars().filter(char::is_ascii_digit).count());
            let marks = kinds.iter().filter(|k| **k != '9').count();
            lengths.len() == 1
                && !kinds.iter().any(|k| matches!(k, ':' | '/' | '.' | '#'))
                && (marks, digits) != (2, 8)
        }
        // Amounts have a few units.
        ['9', 'A'] => texts.iter().map(|t| words(t)).collect::<HashSet<_>>().len() * 10 > texts.len(),
        // Changes of a protein, such as A123V.
        ['A', '9', 'A'] => !texts.iter().all(|t| {
            let ends = t.trim_matches(|c: char| "ACDEFGHIKLMNPQRSTVWY".contains(c));
            ends.len() + 2 == t.len() && ends.bytes().all(|b| b.is_ascii_digit())
        }),
        _ => true,
    }
}

/// Keys: words of one length in letters and digits, such as UUIDs and hashes.
fn are_keys(texts: &[&str], symbols: &HashSet<char>) -> bool {
    let mut lengths: HashMap<usize, usize> = HashMap::new();
    texts.iter().for_each(|t| *lengths.entry(t.len()).or_default() += 1);
    let Some((&length, &count)) = lengths.iter().max_by_key(|(length, count)| (**count, **length)) else {
        return false;
    };
    let both = |t: &str| t.bytes().any(|b| b.is_ascii_digit()) && t.bytes().any(|b| b.is_ascii_alphabetic());
    let digits = symbols.iter().filter(|c| c.is_ascii_digit()).count();
    (6..=64).contains(&length)
        && count * 10 >= texts.len() * 9
        && texts.iter().all(|t| t.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')))
        && texts.iter().filter(|t| both(t)).count() * 10 >= texts.len() * 7
        && digits >= 5
        && symbols.len() >= digits + 5
}

/// Whether a text is the address of a mailbox.
fn is_address(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    !name.is_empty() && host.contains('.') && !text.contains(char::is_whitespace) && !host.contains('@')
}

/// Words inside names that need no capital.
const PARTICLES: [&str; 18] = [
    "of", "the", "and", "de", "del", "della", "da", "dos", "di", "du", "la", "le", "von", "van", "der",
    "den", "y", "e",
];

/// Names of persons, places and things: one to five words, each with a capital, most of which are in no other name.
fn are_proper_names(texts: &[&str]) -> bool {
    if !nearly_all(texts, is_proper_name) {
        return false;
    }
    // Descriptions share their words: a model can learn from those.
    let mut times: HashMap<&str, usize> = HashMap::new();
    let words = || texts.iter().flat_map(|t| words(t)).filter(|w| !PARTICLES.contains(w));
    words().for_each(|word| *times.entry(word).or_default() += 1);
    let (all, shared) = (words().count(), times.values().filter(|t| **t > 1).sum::<usize>());
    3 * shared < 2 * all
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '&')).filter(|w| !w.is_empty())
}

fn is_proper_name(text: &str) -> bool {
    let mut count = 0;
    for word in words(text) {
        count += 1;
        if PARTICLES.contains(&word) {
            continue;
        }
        // Capitals begin a word or one of its parts, as in O'Brien and Guinea-Bissau: SMILES have them anywhere.
        let parts = word.split(['-', '\'', '’', '.']).filter(|part| !part.is_empty());
        let mut capital = false;
        for part in parts {
            let mut chars = part.chars();
            capital |= chars.next().is_some_and(char::is_uppercase);
            let inside =
                part.strip_prefix("Mc").or_else(|| part.strip_prefix("Mac")).unwrap_or(chars.as_str());
            let mut rest = inside.chars();
            // The letter after Mc is a capital.
            let first = rest.next().is_none_or(char::is_alphabetic);
            if !first || !rest.all(char::is_lowercase) || part.chars().any(|c| !c.is_alphabetic()) {
                return false;
            }
        }
        if !capital {
            return false;
        }
    }
    (1..=5).contains(&count) && text.chars().any(char::is_lowercase) && text.chars().count() > 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn found(of: impl FnMut(usize) -> String) -> Option<&'static str> {
        let texts: Vec<String> = (0..120).map(of).collect();
        written(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Words of these symbols with lengths in a range.
    fn drawn(symbols: &str, least: usize, most: usize) -> Option<&'static str> {
        let (symbols, mut random): (Vec<char>, _) = (symbols.chars().collect(), Random::new(3));
        found(|_| {
            let length = least + random.below(most - least + 1);
            (0..length).map(|_| symbols[random.below(symbols.len())]).collect()
        })
    }

    #[test]
    fn identifiers_of_several_forms() {
        assert_eq!(found(|i| format!("p{i}")), Some("code"));
        assert_eq!(found(|i| format!("AB-{:05}", i * 7919 % 99991)), Some("code"));
        assert_eq!(found(|i| format!("ORD_2024_{i:04}")), Some("code"));
        assert_eq!(found(|i| format!("A/5 {i}").replace(' ', "")), Some("code"));
        assert_eq!(found(|i| format!("{:06}", i * 37)), Some("code"));
        assert_eq!(found(|i| format!("{:03}-{:02}-{:04}", i * 7 % 900, i % 97, i * 31)), Some("code"));
        assert_eq!(found(|i| format!("img_{i:04}.png")), Some("code"));
        assert_eq!(found(|i| format!("{}{}XYZ", i % 9 + 1, char::from(b'A' + (i % 26) as u8))), Some("code"));
        assert_eq!(drawn("0123456789abcdef", 32, 32), Some("key"));
        assert_eq!(drawn("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 8, 8), Some("key"));
        let mut random = Random::new(1);
        let uuid = |_| {
            let mut hex = |n: usize| -> String {
                (0..n).map(|_| char::from(b"0123456789abcdef"[random.below(16)])).collect()
            };
            [hex(8), hex(4), hex(4), hex(4), hex(12)].join("-")
        };
        assert_eq!(found(uuid), Some("key"));
        assert_eq!(found(|i| format!("ann.b{i}@example.org")), Some("address"));
        let syllables = ["ba", "ko", "ri", "mu", "te", "la", "no", "shi", "ve", "zu"];
        let word = |i: usize| {
            let word = [i % 10, i / 10 % 10, (i * 7 + 3) % 10, i / 100 % 10].map(|k| syllables[k]).concat();
            word[..1].to_uppercase() + &word[1..]
        };
        assert_eq!(found(word), Some("name"));
        assert_eq!(
            found(|i| format!("{}, Mr. {} O'{}", word(i), word(i + 200), word(i + 500))),
            Some("name")
        );
        assert_eq!(found(|i| format!("{} of the {}", word(i), word(i + 300))), Some("name"));
    }

    #[test]
    fn what_is_to_be_learned_from_is_no_identifier() {
        // DNA, RNA, peptides, bits, structures, in any case and of one length or several.
        for (symbols, least, most) in [
            ("ACGT", 6, 6),
            ("acgt", 8, 8),
            ("ACGTN", 5, 12),
            ("ACGU", 10, 10),
            ("ACDEFGHIKLMNPQRSTVWY", 9, 9),
            ("ACDEFGHIKLMNPQRSTVWY", 7, 14),
            ("01", 12, 12),
            ("HECB", 10, 10),
            ("(.)", 20, 20),
        ] {
            assert_eq!(drawn(symbols, least, most), None, "{symbols}");
        }
        let cycle = |parts: &'static [&'static str]| {
            move |i: usize| {
                let n = parts.len();
                [i % n, i / n % n, i / n / n % n].map(|k| parts[k]).concat()
            }
        };
        // SMILES and formulas.
        assert_eq!(found(cycle(&["C", "CC", "c1ccccc1", "C(=O)", "N", "O", "C1CC1"])), None);
        assert_eq!(found(cycle(&["C", "Cc", "O", "Cl", "N", "S"])), None);
        assert_eq!(found(|i| format!("C{}H{}O{}", 2 + i % 7, 4 + i / 7, 1 + i % 3)), None);
        assert_eq!(found(|i| format!("C{}H{}", 2 + i % 11, 4 + i / 11)), None);
        // Amounts, times, dates, ranges, pairs of numbers and lists of them.
        assert_eq!(found(|i| format!("{i}kg")), None);
        assert_eq!(found(|i| format!("{}mg", 10 * i)), None);
        assert_eq!(found(|i| format!("{:02}:{:02}", i / 60, i % 60)), None);
        assert_eq!(found(|i| format!("{:02}-{:02}-2024", 1 + i % 28, 1 + i / 28)), None);
        assert_eq!(found(|i| format!("{}.5,{}.25", i, i * 3)), None);
        assert_eq!(found(|i| format!("{i} {} {}", i + 1, i * 2)), None);
        // Changes of a protein.
        assert_eq!(found(|i| format!("A{i}{}", ["V", "G", "L"][i % 3])), None);
        // Sentences, descriptions with shared words, words without capitals.
        assert_eq!(found(|i| format!("The parcel came {i} days late")), None);
        let of = |i: usize| {
            let (a, b) = (["Red", "Green", "Blue", "Black", "White"], ["Cotton", "Wool", "Silk", "Linen"]);
            let c = ["Shirt", "Coat", "Scarf", "Hat", "Dress", "Skirt"];
            format!("{} {} {}", a[i % 5], b[i / 5 % 4], c[i / 20])
        };
        assert_eq!(found(of), None);
        assert_eq!(found(cycle(&["ba", "ko", "ri", "mu", "te"])), None);
        assert_eq!(written(&[]), None);
        assert_eq!(written(&["", " "]), None);
    }
}
