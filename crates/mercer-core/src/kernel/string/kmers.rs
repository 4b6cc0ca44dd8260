//! k-mers and their keys.
//!
//! A k-mer whose symbols fit into 120 bits is packed, with its length above the symbols, and mixed so that its low bits
//! suit a hash table. A longer one is a hash of its symbols. Packing rolls along the string and costs one shift per
//! symbol, for any k.

use std::ops::RangeInclusive;

use crate::data::Alphabet;

/// Maximum length of a k-mer.
pub(crate) const LONGEST: u64 = 4096;

/// Which substrings of a string are features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) alphabet: Alphabet,
    /// A k-mer and its reverse complement are one feature: the smaller of the two.
    pub(crate) complement: bool,
}

impl Words {
    /// Calls `visit` with the key and the start of every substring of these lengths, the shortest first. Substrings
    /// with a symbol outside the alphabet are skipped.
    pub(crate) fn each(
        &self,
        codes: &[u32],
        lengths: RangeInclusive<usize>,
        mut visit: impl FnMut(u128, usize, usize),
    ) {
        for length in lengths {
            if length > codes.len() {
                break;
            }
            if self.alphabet.bits() as usize * length <= PACKED {
                self.packed(codes, length, |key, start| visit(key, start, length));
            } else {
                self.hashed(codes, length, |key, start| visit(key, start, length));
            }
        }
    }

    fn packed(&self, codes: &[u32], length: usize, mut visit: impl FnMut(u128, usize)) {
        let bits = self.alphabet.bits();
        let used = bits * length as u32;
        let mask = (1u128 << used) - 1;
        let tag = (length as u128) << PACKED;
        let (mut forward, mut backward, mut known) = (0u128, 0u128, 0);
        for (i, &code) in codes.iter().enumerate() {
            if code == Alphabet::OUTSIDE {
                known = 0;
                continue;
            }
            forward = (forward << bits | u128::from(code)) & mask;
            if self.complement {
                backward = backward >> bits | u128::from(3 - code) << (used - bits);
            }
            known += 1;
            if known >= length {
                let word = if self.complement { forward.min(backward) } else { forward };
                visit(mixed(word | tag), i + 1 - length);
            }
        }
    }

    fn hashed(&self, codes: &[u32], length: usize, mut visit: impl FnMut(u128, usize)) {
        let mut bytes = Vec::with_capacity(4 * length);
        // The position after the last symbol outside the alphabet.
        let mut clear = 0;
        for (i, &code) in codes.iter().enumerate() {
            if code == Alphabet::OUTSIDE {
                clear = i + 1;
            }
            let Some(start) = (i + 1).checked_sub(length).filter(|start| *start >= clear) else { continue };
            bytes.clear();
            self.canonical(&codes[start..=i], |code| bytes.extend_from_slice(&code.to_le_bytes()));
            visit(xxhash_rust::xxh3::xxh3_128(&bytes), start);
        }
    }

    /// The symbols of the feature of a k-mer: those of its reverse complement if they come first.
    fn canonical(&self, word: &[u32], mut symbol: impl FnMut(u32)) {
        let other = word.iter().rev().map(|code| 3u32.wrapping_sub(*code));
        if self.complement && other.clone().lt(word.iter().copied()) {
            other.for_each(&mut symbol);
        } else {
            word.iter().for_each(|code| symbol(*code));
        }
    }

    /// The text of the feature of a k-mer.
    pub(crate) fn name(&self, word: &[u32]) -> String {
        let mut symbols = Vec::with_capacity(word.len());
        self.canonical(word, |code| symbols.push(code));
        self.alphabet.decode(symbols.into_iter())
    }
}

/// Bits for the symbols of a packed k-mer.
const PACKED: usize = 120;

/// A bijection after which the low bits depend on all bits.
#[inline]
fn mixed(word: u128) -> u128 {
    // An odd factor and a shift by half are both invertible: different k-mers stay different.
    let word = (word ^ word >> 64).wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645);
    word ^ word >> 64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of all substrings of a text, by start.
    fn keys(words: Words, text: &str, length: usize) -> Vec<(u128, usize)> {
        let mut codes = Vec::new();
        words.alphabet.encode(text, &mut codes);
        let mut out = Vec::new();
        words.each(&codes, length..=length, |key, start, _| out.push((key, start)));
        out
    }

    #[test]
    fn equal_kmers_have_equal_keys_packed_or_hashed() {
        for (alphabet, length) in [
            (Alphabet::Dna, 3),
            (Alphabet::Dna, 60),
            (Alphabet::Dna, 61),
            (Alphabet::Unicode, 5),
            (Alphabet::Unicode, 6),
        ] {
            let words = Words { alphabet, complement: false };
            let text = "GATTACAGATTACCA".repeat(9);
            let all = keys(words, &text, length);
            assert_eq!(all.len(), text.len() + 1 - length);
            for (a, i) in &all {
                for (b, j) in &all {
                    assert_eq!(a == b, text[*i..i + length] == text[*j..j + length], "{length}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn kmers_with_symbols_outside_the_alphabet_are_skipped() {
        let words = Words { alphabet: Alphabet::Dna, complement: false };
        let starts =
            |text: &str, length| keys(words, text, length).into_iter().map(|k| k.1).collect::<Vec<_>>();
        assert_eq!(starts("acNgtacNN", 2), [0, 3, 4, 5]);
        assert_eq!(starts(&format!("{}N{}", "A".repeat(70), "A".repeat(65)), 65).len(), 6 + 1);
        assert_eq!(starts("ac", 3), [] as [usize; 0]);
    }

    #[test]
    fn complements_are_one_feature() {
        for length in [2, 3, 62] {
            let words = Words { alphabet: Alphabet::Dna, complement: true };
            let text = "GATTACAGGTTACCACTGA".repeat(4);
            let back: String = text
                .chars()
                .rev()
                .map(|c| match c {
                    'A' => 'T',
                    'C' => 'G',
                    'G' => 'C',
                    _ => 'A',
                })
                .collect();
            let mut one: Vec<u128> = keys(words, &text, length).into_iter().map(|k| k.0).collect();
            let mut other: Vec<u128> = keys(words, &back, length).into_iter().map(|k| k.0).collect();
            one.sort_unstable();
            other.sort_unstable();
            assert_eq!(one, other);
        }
        let words = Words { alphabet: Alphabet::Dna, complement: true };
        assert_eq!(words.name(&[3, 3, 2]), "CAA");
        assert_eq!(words.name(&[0, 3]), "AT");
    }
}
