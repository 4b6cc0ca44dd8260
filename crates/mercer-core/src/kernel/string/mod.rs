//! Kernels on strings.
//!
//! Those that count words say what one string holds, and [`counts`](super::counts) does the rest. What a letter is says an
//! [`Alphabet`], a parameter of the kernel: nothing is learned from the strings at hand. Strings that are too short for a
//! kernel have similarity 0 to everything, and are counted in a warning.

mod alignment_diffusion;
mod distribution;
mod full_spectrum;
mod gapped;
mod kmers;
mod lanes;
mod local_alignment;
mod masks;
mod mismatch;
mod named;
mod palindromes;
mod spectrum;
mod subsequence;
mod substrings;
mod suffix;
mod weighted_degree;

pub use alignment_diffusion::AlignmentDiffusion;
pub use distribution::{SymbolDistribution, WordDistribution};
pub use full_spectrum::{FullSpectrum, Substring};
pub use gapped::GappedKmer;
pub use lanes::Letters;
pub use local_alignment::{LocalAlignment, Scores};
pub use masks::PackedWords;
pub use mismatch::Mismatch;
#[doc(hidden)]
pub use named::NamedStrings;
pub use spectrum::{BlendedSpectrum, Spectrum};
pub use subsequence::Subsequence;
pub use substrings::Suffixes;
pub use weighted_degree::WeightedDegree;

use std::fmt;
use std::ops::RangeInclusive;

use self::kmers::Words;
use super::counts::{Bag, Counts, fill_products};
use super::{Definiteness, Domain, FeatureParts, Kernel, Parameter, Part, operators};
use crate::data::{Alphabet, Kind, Strings};
use crate::error::{Error, Result, Warning};

operators!(
    [] Spectrum, [] BlendedSpectrum, [] SymbolDistribution, [] WordDistribution, [] GappedKmer, [] Mismatch,
    [] FullSpectrum, [] Substring, [] Subsequence, [] WeightedDegree, [] AlignmentDiffusion, [] LocalAlignment,
);

/// The kinds of columns these kernels take.
pub(crate) const STRINGS: &[Kind] = &[Kind::Strings, Kind::Text];

/// What a letter is.
pub(super) const ALPHABET: Parameter = Parameter {
    name: "alphabet",
    default: "unicode",
    domain: Domain::Word(Alphabet::WORDS),
    doc: "what a letter is: dna, rna and protein fold case and pass over words with other letters",
    alias: None,
};

/// What a letter is, where words are packed and the size of the alphabet matters.
pub(super) const DNA: Parameter = Parameter {
    name: "alphabet",
    default: "dna",
    domain: Domain::Word(&["dna", "rna", "protein", "bytes"]),
    doc: "what a letter is: dna, rna and protein fold case and pass over words with other letters",
    alias: None,
};

/// Whether strands are told apart.
pub(super) const COMPLEMENT: Parameter = Parameter {
    name: "reverse-complement",
    default: "no",
    domain: Domain::Word(&["no", "yes"]),
    doc: "whether a word and its reverse complement are one feature, which each occurrence of either counts once for, a palindrome's too; for dna and rna",
    alias: None,
};

/// What every kernel on strings states about itself.
pub trait OnStrings {
    /// What a letter is.
    fn alphabet(&self) -> Alphabet;

    /// How many letters a string needs to have any feature.
    fn shortest(&self) -> usize;

    /// What is worth saying about such strings.
    fn notes(&self, strings: &Strings) -> Vec<Warning> {
        let (alphabet, shortest) = (self.alphabet(), self.shortest());
        let short = strings.iter().filter(|s| alphabet.length(s) < shortest).count();
        let mut notes = Vec::new();
        if short > 0 {
            let letters =
                if shortest == 1 { "no letter".to_owned() } else { format!("fewer than {shortest} letters") };
            let message =
                format!("{short} of {} strings have {letters}: their similarity is 0", strings.len());
            notes.push(Warning::new("W_SHORT", message));
        }
        let outside = strings.iter().flat_map(str::chars).filter(|&c| alphabet.code(c).is_none()).count();
        if outside > 0 && alphabet != Alphabet::Bytes {
            let all: usize = strings.iter().map(|s| alphabet.length(s)).sum();
            let message =
                format!("{outside} of {all} letters are outside the alphabet {alphabet}, and match nothing");
            notes.push(Warning::new("W_ALPHABET", message));
        }
        notes
    }
}

/// Words of an alphabet, or a refusal where it has no complements.
fn words_of(alphabet: Alphabet, complement: bool) -> Result<Words> {
    if complement && !alphabet.has_complements() {
        let domain = "no, or yes with alphabet=dna or alphabet=rna";
        return Err(Error::param("reverse-complement", "yes", domain));
    }
    Ok(Words { alphabet, complement })
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let complement = if self.complement { "yes" } else { "no" };
        write!(f, "alphabet={}, reverse-complement={complement}", self.alphabet)
    }
}

/// A kernel on strings that counts: k(x, y) = Σ_f c_f(x)·c_f(y), or the same of shares of a string's total.
pub(crate) trait Counting: OnStrings + Sync {
    /// Whether features are shares of all that a string holds.
    const SHARES: bool = false;

    /// Puts what a string of these codes holds into the bag.
    fn count(&self, codes: &[u32], bag: &mut Bag);

    /// Hands on everything it holds, once for each time it is counted: its key, its first letter, and its name.
    fn describe(&self, codes: &[u32], visit: Describe<'_>);
}

/// Takes a feature's key, where it starts, and what gives its name.
pub(crate) type Describe<'a> = &'a mut dyn FnMut(u128, u32, &dyn Fn() -> String);

fn describe_words(words: Words, codes: &[u32], lengths: RangeInclusive<usize>, visit: Describe<'_>) {
    words.each(codes, lengths, |key, start, length| {
        visit(key, start as u32, &|| words.name(&codes[start..start + length]));
    });
}

/// The counts of strings.
fn count_all(kernel: &impl Counting, strings: &Strings) -> Result<Counts> {
    let alphabet = kernel.alphabet();
    Counts::collect(strings.len(), |i, bag| {
        let mut codes = Vec::new();
        alphabet.encode(strings.get(i), &mut codes);
        kernel.count(&codes, bag);
        Ok(())
    })
}

/// Divides products of counts by the products of totals; nothing of nothing is 0.
fn to_shares(rows: &[f64], cols: &[f64], out: &mut [f64]) {
    for (row, own) in out.chunks_exact_mut(cols.len().max(1)).zip(rows) {
        row.iter_mut().zip(cols).for_each(|(v, their)| *v = share(*v, own * their));
    }
}

fn share(count: f64, total: f64) -> f64 {
    if total > 0.0 { count / total } else { 0.0 }
}

macro_rules! kernel_of_counts {
    ($($name:ident),*) => {$(
        impl Kernel<Strings> for $name {
            type Prepared = Counts;

            fn prepare(&self, strings: &Strings) -> Result<Counts> {
                count_all(self, strings)
            }

            fn fill(&self, rows: Part<'_, Counts>, cols: Part<'_, Counts>, out: &mut [f64]) -> Result<()> {
                fill_products(&rows, &cols, out);
                if Self::SHARES {
                    to_shares(rows.totals(), cols.totals(), out);
                }
                Ok(())
            }

            fn diagonal(&self, of: Part<'_, Counts>, out: &mut [f64]) -> Result<()> {
                out.copy_from_slice(of.squares());
                if Self::SHARES {
                    out.iter_mut().zip(of.totals()).for_each(|(v, total)| *v = share(*v, total * total));
                }
                Ok(())
            }

            fn definiteness(&self) -> Definiteness {
                Definiteness::PositiveSemidefinite
            }

            fn parts<'a>(&self, prepared: &'a Counts) -> Result<Option<FeatureParts<'a>>> {
                let totals = Part::all(prepared).totals().iter();
                let factor = |total: &f64| if Self::SHARES { share(1.0, *total) } else { 1.0 };
                Ok(Some(FeatureParts::counted(prepared, totals.map(factor).collect())))
            }
        }
    )*};
}

kernel_of_counts!(Spectrum, BlendedSpectrum, SymbolDistribution, WordDistribution);

#[cfg(test)]
mod tests;
