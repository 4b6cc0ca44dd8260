//! The letters that strings are made of.

use std::fmt;

/// Which letters count, and how they are numbered.
///
/// | alphabet | letters | case | what is outside |
/// |---|---|---|---|
/// | `unicode` | Unicode scalar values | matters | nothing |
/// | `bytes` | bytes of UTF-8 | matters | nothing |
/// | `dna` | A C G T | folded | ambiguity codes (N, R, …) and all else |
/// | `rna` | A C G U | folded | the same |
/// | `protein` | the 20 amino acids | folded | B, J, O, U, X, Z and all else |
///
/// A letter outside matches nothing, not even itself: a word that holds one is not counted.
///
/// ```
/// use mercer_core::data::Alphabet;
/// assert_eq!(Alphabet::Dna.code('g'), Some(2));
/// assert_eq!(Alphabet::Dna.code('N'), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    /// The letters of the 20 amino acids in any case.
    Protein,
}

/// The letters of DNA with the codes for several of them (IUPAC).
const DNA_CODES: &str = "ACGTRYSWKMBDHVN";
const AMINO_ACIDS: &[u8; 20] = b"ACDEFGHIKLMNPQRSTVWY";

impl Alphabet {
    /// Every alphabet there is.
    pub const ALL: [Alphabet; 5] =
        [Alphabet::Unicode, Alphabet::Bytes, Alphabet::Dna, Alphabet::Rna, Alphabet::Protein];

    /// Their names.
    pub(crate) const WORDS: &[&str] = &["unicode", "bytes", "dna", "rna", "protein"];

    /// The code of a letter outside the alphabet.
    pub(crate) const OUTSIDE: u32 = u32::MAX;

    /// The name used in expressions and options.
    pub fn name(self) -> &'static str {
        Alphabet::WORDS[self as usize]
    }

    /// The alphabet of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Alphabet::ALL.into_iter().find(|a| a.name() == name)
    }

    /// How many letters it has.
    pub fn size(self) -> u64 {
        match self {
            // Scalar values are all code points but the surrogates.
            Alphabet::Unicode => 0x11_0000 - 0x800,
            Alphabet::Bytes => 256,
            Alphabet::Dna | Alphabet::Rna => 4,
            Alphabet::Protein => 20,
        }
    }

    /// Bits that hold any code.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Alphabet::Unicode => 21,
            Alphabet::Bytes => 8,
            Alphabet::Dna | Alphabet::Rna => 2,
            Alphabet::Protein => 5,
        }
    }

    /// The number of a letter, below [`Alphabet::size`] but for Unicode, where it is the scalar value; `None` outside.
    /// Bytes have no letters beyond ASCII here: a character may be several of them.
    pub fn code(self, letter: char) -> Option<u32> {
        match self {
            Alphabet::Unicode => Some(letter as u32),
            Alphabet::Bytes => letter.is_ascii().then_some(letter as u32),
            Alphabet::Dna | Alphabet::Rna => Some(match letter.to_ascii_uppercase() {
                'A' => 0,
                'C' => 1,
                'G' => 2,
                'T' if self == Alphabet::Dna => 3,
                'U' if self == Alphabet::Rna => 3,
                _ => return None,
            }),
            Alphabet::Protein => {
                let upper = u8::try_from(letter.to_ascii_uppercase()).ok()?;
                AMINO_ACIDS.binary_search(&upper).ok().map(|at| at as u32)
            }
        }
    }

    /// Replaces `codes` by the codes of a text's letters, [`Alphabet::OUTSIDE`] where they are outside.
    pub(crate) fn encode(self, text: &str, codes: &mut Vec<u32>) {
        codes.clear();
        match self {
            Alphabet::Unicode if !text.is_ascii() => codes.extend(text.chars().map(|c| c as u32)),
            Alphabet::Unicode | Alphabet::Bytes => codes.extend(text.bytes().map(u32::from)),
            _ => codes.extend(text.chars().map(|c| self.code(c).unwrap_or(Alphabet::OUTSIDE))),
        }
    }

    /// How many letters a text has.
    pub(crate) fn length(self, text: &str) -> usize {
        if self == Alphabet::Bytes { text.len() } else { text.chars().count() }
    }

    /// Codes as text; bytes that are no characters as `\xNN`.
    pub(crate) fn decode(self, codes: impl Iterator<Item = u32>) -> String {
        let letter = |code: u32| match self {
            Alphabet::Unicode => char::from_u32(code).map(String::from),
            Alphabet::Bytes if code < 128 => char::from_u32(code).map(String::from),
            Alphabet::Bytes => Some(format!("\\x{code:02x}")),
            Alphabet::Dna => b"ACGT".get(code as usize).map(|&b| char::from(b).to_string()),
            Alphabet::Rna => b"ACGU".get(code as usize).map(|&b| char::from(b).to_string()),
            Alphabet::Protein => AMINO_ACIDS.get(code as usize).map(|&b| char::from(b).to_string()),
        };
        codes.map(|code| letter(code).unwrap_or_else(|| "?".to_owned())).collect()
    }

    /// Whether its letters have complements.
    pub fn has_complements(self) -> bool {
        matches!(self, Alphabet::Dna | Alphabet::Rna)
    }

    /// Whether a file of this alphabet may hold a letter: those of sequences with their ambiguity codes, in any case.
    pub fn may_hold(self, letter: char) -> bool {
        let upper = letter.to_ascii_uppercase();
        match self {
            Alphabet::Unicode | Alphabet::Bytes => true,
            Alphabet::Dna => DNA_CODES.contains(upper),
            Alphabet::Rna => upper == 'U' || upper != 'T' && DNA_CODES.contains(upper),
            Alphabet::Protein => upper.is_ascii_uppercase(),
        }
    }

    /// The narrowest alphabet of sequences that may hold all these letters: DNA, RNA, protein, or Unicode.
    pub fn infer(letters: impl Iterator<Item = char>) -> Self {
        let mut open = [true; 3];
        let sequences = [Alphabet::Dna, Alphabet::Rna, Alphabet::Protein];
        for letter in letters {
            open.iter_mut().zip(sequences).for_each(|(open, a)| *open &= a.may_hold(letter));
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
    fn codes_are_numbers_below_the_size_and_come_back() {
        for alphabet in [Alphabet::Dna, Alphabet::Rna, Alphabet::Protein] {
            let mut codes: Vec<u32> = ('A'..='Z').filter_map(|c| alphabet.code(c)).collect();
            codes.sort_unstable();
            assert_eq!(codes, (0..alphabet.size() as u32).collect::<Vec<_>>());
            let letters: String = ('a'..='z').filter(|&c| alphabet.code(c).is_some()).collect();
            alphabet.encode(&letters, &mut codes);
            assert_eq!(alphabet.decode(codes.into_iter()), letters.to_uppercase());
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
    fn the_narrowest_that_fits() {
        let infer = |text: &str| Alphabet::infer(text.chars());
        assert_eq!(infer("acgtNNry"), Alphabet::Dna);
        assert_eq!(infer("ACGU"), Alphabet::Rna);
        assert_eq!(infer("MKVL"), Alphabet::Protein);
        assert_eq!(infer("AC*"), Alphabet::Unicode);
        assert_eq!(infer("AC-GT"), Alphabet::Unicode);
    }
}
