//! Kernels on strings.
//!
//! Kernels that count substrings define the features of one string; [`counts`](super::counts) does the rest. An
//! [`Alphabet`], a parameter of the kernel, defines the symbols: nothing is learned from the given strings. Strings
//! that are too short for a kernel have similarity 0 to every string; a warning reports their number.

mod alignment_diffusion;
mod distribution;
mod filter;
mod full_spectrum;
mod gapped;
mod kmers;
mod lanes;
mod local_alignment;
mod masks;
mod mismatch;
mod palindromes;
mod spectrum;
mod subsequence;
mod substrings;
mod suffix;
mod walsh;
mod weighted_degree;
mod weighted_degree_shifts;

pub use alignment_diffusion::AlignmentDiffusion;
pub use distribution::{SymbolDistribution, WordDistribution};
pub use full_spectrum::{FullSpectrum, Substring};
pub use gapped::{GapWeights, GappedKmer};
pub use lanes::EncodedStrings;
pub use local_alignment::{LocalAlignment, Scores};
pub use masks::PackedWords;
pub use mismatch::Mismatch;
pub use spectrum::{BlendedSpectrum, Spectrum};
pub use subsequence::Subsequence;
pub use substrings::Suffixes;
#[doc(hidden)]
pub use weighted_degree::PositionedWords;
pub use weighted_degree::WeightedDegree;
pub use weighted_degree_shifts::WeightedDegreeShifts;

use std::fmt;
use std::ops::RangeInclusive;

use self::kmers::Words;
use super::counts::{Bag, CountSimilarity, Counted, Counting, Describe, Visit};
use super::{Domain, Parameter, ParameterValue, Printer, Settings, operators};
use crate::data::{Alphabet, Kind, Strings};
use crate::error::{Error, Result, Warning};

operators!(
    [] Spectrum, [] BlendedSpectrum, [] SymbolDistribution, [] WordDistribution, [] GappedKmer, [] Mismatch,
    [] FullSpectrum, [] Substring, [] Subsequence, [] WeightedDegree, [] WeightedDegreeShifts, [] AlignmentDiffusion, [] LocalAlignment,
);

/// The kinds of columns that these kernels accept.
pub(crate) const STRINGS: &[Kind] = &[Kind::Strings, Kind::Text];

/// The alphabet.
pub(super) const ALPHABET: Parameter = Parameter {
    name: "alphabet",
    default: "unicode",
    domain: Domain::Word(Alphabet::WORDS),
    doc: "alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols",
    alias: None,
};

/// The alphabet, for kernels that pack k-mers and depend on the size of the alphabet.
pub(super) const DNA: Parameter = Parameter {
    name: "alphabet",
    default: "dna",
    domain: Domain::Word(&["dna", "rna", "protein", "bytes"]),
    doc: "alphabet of the symbols; dna, rna and protein ignore case and skip k-mers with other symbols",
    alias: None,
};

/// Whether reverse complements are one feature.
pub(super) const COMPLEMENT: Parameter = Parameter {
    name: "reverse-complement",
    default: "no",
    domain: Domain::Word(&["no", "yes"]),
    doc: "count a k-mer and its reverse complement as one feature; each occurrence, also of a palindrome, counts once; for dna and rna",
    alias: None,
};

/// Properties that every kernel on strings declares.
pub trait OnStrings {
    /// The alphabet of the symbols.
    fn alphabet(&self) -> Alphabet;

    /// Minimum length of a string that has any feature.
    fn shortest(&self) -> usize;

    /// Warnings about these strings.
    fn notes(&self, strings: &Strings) -> Vec<Warning> {
        let (alphabet, shortest) = (self.alphabet(), self.shortest());
        let short = strings.iter().filter(|s| alphabet.length(s) < shortest).count();
        let mut notes = Vec::new();
        if short > 0 {
            let length =
                if shortest == 1 { "no symbol".to_owned() } else { format!("fewer than {shortest} symbols") };
            let message =
                format!("{short} of {} strings have {length}: their similarity is 0", strings.len());
            notes.push(Warning::new("W_SHORT", message));
        }
        let outside = strings.iter().flat_map(str::chars).filter(|&c| alphabet.code(c).is_none()).count();
        if outside > 0 && alphabet != Alphabet::Bytes {
            let all: usize = strings.iter().map(|s| alphabet.length(s)).sum();
            let message =
                format!("{outside} of {all} symbols are outside the alphabet {alphabet}, and match nothing");
            notes.push(Warning::new("W_ALPHABET", message));
        }
        notes
    }
}

/// Substrings over an alphabet; an error if complements are requested and the alphabet has none.
fn words_of(alphabet: Alphabet, complement: bool) -> Result<Words> {
    if complement && !alphabet.has_complements() {
        let domain = "no, or yes with alphabet=dna or alphabet=rna";
        return Err(Error::param("reverse-complement", "yes", domain));
    }
    Ok(Words { alphabet, complement })
}

impl ParameterValue for Words {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        words_of(settings.read()?, settings.read()?)
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        self.alphabet.print(out)?;
        self.complement.print(out)
    }
}

impl<K: OnStrings> Counted<K> for Strings {
    /// The codes of its symbols.
    type Object = [u32];

    fn size(&self) -> usize {
        self.len()
    }

    fn with<R>(&self, kernel: &K, i: usize, work: impl FnOnce(&[u32]) -> R) -> R {
        let mut codes = Vec::new();
        kernel.alphabet().encode(self.get(i), &mut codes);
        work(&codes)
    }
}

/// A kernel that counts substrings of some lengths.
trait CountsWords: fmt::Display + Send + Sync {
    /// How it compares counts.
    const SIMILARITY: CountSimilarity = CountSimilarity::Products;

    /// The substrings and their lengths.
    fn words(&self) -> (Words, RangeInclusive<usize>);
}

impl<K: CountsWords> OnStrings for K {
    fn alphabet(&self) -> Alphabet {
        self.words().0.alphabet
    }

    fn shortest(&self) -> usize {
        *self.words().1.start()
    }
}

impl<K: CountsWords> Counting for K {
    type Objects = Strings;

    fn similarity(&self) -> CountSimilarity {
        K::SIMILARITY
    }

    fn count(&self, codes: &[u32], bag: &mut Bag) -> Result<()> {
        let (words, lengths) = self.words();
        words.each(codes, lengths, |key, _, _| bag.add(key));
        Ok(())
    }
}

impl<K: CountsWords> Describe for K {
    fn describe(&self, codes: &[u32], visit: Visit<'_>) -> Result<()> {
        let (words, lengths) = self.words();
        words.each(codes, lengths, |key, start, length| {
            visit(key, &[start as u32], &|| words.name(&codes[start..start + length]));
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
