//! Alphabets of strings.

use std::fmt;

/// Which symbols belong to the alphabet, and how they are numbered.
///
/// | alphabet | symbols | case | outside the alphabet |
/// |---|---|---|---|
/// | `unicode` | Unicode scalar values | matters | nothing |
/// | `bytes` | bytes of UTF-8 | matters | nothing |
/// | `dna` | A C G T | ignored | ambiguity codes (N, R, …) and all else |
/// | `rna` | A C G U | ignored | the same |
/// | `protein` | the 20 amino acids | ignored | B, J, O, U, X, Z and all else |
///
/// A symbol outside the alphabet matches nothing, not even itself: k-mers that contain one are not counted.
///
/// ```
/// use mercer_core::data::Alphabet;
/// assert_eq!(Alphabet::Dna.code('g'), Some(2));
/// assert_eq!(Alphabet::Dna.code('N'), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Alphabet {
    /// Unicode scalar values.
    #[default]
    Unicode,
    /// The bytes of UTF-8.
    Bytes,
    /// A, C, G and T in any case.
    Dna,
    /// A, C, G and U in any case.
    Rna,
    /// The 20 amino acids in any case.
    Protein,
}

/// The symbols of DNA and its ambiguity codes (IUPAC).
const DNA_CODES: &str = "ACGTRYSWKMBDHVN";
const AMINO_ACIDS: &[u8; 20] = b"ACDEFGHIKLMNPQRSTVWY";

impl Alphabet {
    /// All alphabets.
    pub const ALL: [Alphabet; 5] =
        [Alphabet::Unicode, Alphabet::Bytes, Alphabet::Dna, Alphabet::Rna, Alphabet::Protein];

    /// The names of all alphabets.
    pub(crate) const WORDS: &[&str] = &["unicode", "bytes", "dna", "rna", "protein"];

    /// The code of a symbol outside the alphabet.
    pub(crate) const OUTSIDE: u32 = u32::MAX;

    /// The name used in expressions and options.
    pub fn name(self) -> &'static str {
        Alphabet::WORDS[self as usize]
    }

    /// The alphabet with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Alphabet::ALL.into_iter().find(|a| a.name() == name)
    }

    /// The number of symbols.
    pub fn size(self) -> u64 {
        match self {
            // Scalar values are all code points except surrogates.
            Alphabet::Unicode => 0x11_0000 - 0x800,
            Alphabet::Bytes => 256,
            Alphabet::Dna | Alphabet::Rna => 4,
            Alphabet::Protein => 20,
        }
    }

    /// Number of bits for any code.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Alphabet::Unicode => 21,
            Alphabet::Bytes => 8,
            Alphabet::Dna | Alphabet::Rna => 2,
            Alphabet::Protein => 5,
        }
    }

    /// The code of a symbol, below [`Alphabet::size`] except for Unicode, where it is the scalar value; `None` if
    /// outside. For bytes only ASCII characters have a code here, because other characters are several bytes.
    pub fn code(self, symbol: char) -> Option<u32> {
        match self {
            Alphabet::Unicode => Some(symbol as u32),
            Alphabet::Bytes => symbol.is_ascii().then_some(symbol as u32),
            Alphabet::Dna | Alphabet::Rna => Some(match symbol.to_ascii_uppercase() {
                'A' => 0,
                'C' => 1,
                'G' => 2,
                'T' if self == Alphabet::Dna => 3,
                'U' if self == Alphabet::Rna => 3,
                _ => return None,
            }),
            Alphabet::Protein => {
                let upper = u8::try_from(symbol.to_ascii_uppercase()).ok()?;
                AMINO_ACIDS.binary_search(&upper).ok().map(|at| at as u32)
            }
        }
    }

    /// Replaces `codes` with the codes of a text's symbols, [`Alphabet::OUTSIDE`] for symbols outside the alphabet.
    pub(crate) fn encode(self, text: &str, codes: &mut Vec<u32>) {
        codes.clear();
        match self {
            Alphabet::Unicode if !text.is_ascii() => codes.extend(text.chars().map(|c| c as u32)),
            Alphabet::Unicode | Alphabet::Bytes => codes.extend(text.bytes().map(u32::from)),
            _ => codes.extend(text.chars().map(|c| self.code(c).unwrap_or(Alphabet::OUTSIDE))),
        }
    }

    /// The number of symbols of a text.
    pub(crate) fn length(self, text: &str) -> usize {
        if self == Alphabet::Bytes { text.len() } else { text.chars().count() }
    }

    /// Codes as text; bytes that are not valid characters as `\xNN`.
    pub(crate) fn decode(self, codes: impl Iterator<Item = u32>) -> String {
        let symbol = |code: u32| match self {
            Alphabet::Unicode => char::from_u32(code).map(String::from),
            Alphabet::Bytes if code < 128 => char::from_u32(code).map(String::from),
            Alphabet::Bytes => Some(format!("\\x{code:02x}")),
            Alphabet::Dna => b"ACGT".get(code as usize).map(|&b| char::from(b).to_string()),
            Alphabet::Rna => b"ACGU".get(code as usize).map(|&b| char::from(b).to_string()),
            Alphabet::Protein => AMINO_ACIDS.get(code as usize).map(|&b| char::from(b).to_string()),
        };
        codes.map(|code| symbol(code).unwrap_or_else(|| "?".to_owned())).collect()
    }

    /// Whether its symbols have complements.
    pub fn has_complements(self) -> bool {
        matches!(self, Alphabet::Dna | Alphabet::Rna)
    }

    /// Whether a file of this alphabet may contain a symbol: sequences may have ambiguity codes, in any case.
    pub fn may_hold(self, symbol: char) -> bool {
        let upper = symbol.to_ascii_uppercase();
        match self {
            Alphabet::Unicode | Alphabet::Bytes => true,
            Alphabet::Dna => DNA_CODES.contains(upper),
            Alphabet::Rna => upper == 'U' || upper != 'T' && DNA_CODES.contains(upper),
            Alphabet::Protein => upper.is_ascii_uppercase(),
        }
    }

    /// The smallest sequence alphabet that allows all these symbols: DNA, RNA, protein, or Unicode.
    pub fn infer(symbols: impl Iterator<Item = char>) -> Self {
        let mut open = [true; 3];
        let sequences = [Alphabet::Dna, Alphabet::Rna, Alphabet::Protein];
        for symbol in symbols {
            open.iter_mut().zip(sequences).for_each(|(open, a)| *open &= a.may_hold(symbol));
            if open == [false; 3] {
                break;
            }
        }
        sequences.into_iter().zip(open).find_map(|(a, open)| open.then_some(a)).unwrap_or_default()
    }
}

impl fmt::Display for Alphabet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_below_the_size_and_decode_to_the_text() {
        for alphabet in [Alphabet::Dna, Alphabet::Rna, Alphabet::Protein] {
            let mut codes: Vec<u32> = ('A'..='Z').filter_map(|c| alphabet.code(c)).collect();
            codes.sort_unstable();
            assert_eq!(codes, (0..alphabet.size() as u32).collect::<Vec<_>>());
            let symbols: String = ('a'..='z').filter(|&c| alphabet.code(c).is_some()).collect();
            alphabet.encode(&symbols, &mut codes);
            assert_eq!(alphabet.decode(codes.into_iter()), symbols.to_uppercase());
        }
        let mut codes = Vec::new();
        Alphabet::Unicode.encode("größe", &mut codes);
        assert_eq!(codes.len(), 5);
        assert_eq!(Alphabet::Unicode.decode(codes.iter().copied()), "größe");
        Alphabet::Bytes.encode("größe", &mut codes);
        assert_eq!(codes.len(), 7);
        assert_eq!(Alphabet::Bytes.decode(codes.iter().copied()), "gr\\xc3\\xb6\\xc3\\x9fe");
    }

    #[test]
    fn the_smallest_fitting_alphabet_is_inferred() {
        let infer = |text: &str| Alphabet::infer(text.chars());
        assert_eq!(infer("acgtNNry"), Alphabet::Dna);
        assert_eq!(infer("ACGU"), Alphabet::Rna);
        assert_eq!(infer("MKVL"), Alphabet::Protein);
        assert_eq!(infer("AC*"), Alphabet::Unicode);
        assert_eq!(infer("AC-GT"), Alphabet::Unicode);
    }
}
