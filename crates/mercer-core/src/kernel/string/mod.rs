//! Kernels on strings.
//!
//! Kernels that count substrings define the features of one string; [`counts`](super::counts) does the rest. An
//! [`Alphabet`], a parameter of the kernel, defines the symbols: nothing is learned from the given strings. Strings
//! that are too short for a kernel have similarity 0 to every string; a warning reports their number.

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
pub use lanes::EncodedStrings;
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
use super::{
    Definiteness, Domain, FeatureParts, Kernel, Parameter, ParameterValue, Part, Printer, Settings, operators,
};
use crate::data::{Alphabet, Kind, Strings};
use crate::error::{Error, Result, Warning};

operators!(
    [] Spectrum, [] BlendedSpectrum, [] SymbolDistribution, [] WordDistribution, [] GappedKmer, [] Mismatch,
    [] FullSpectrum, [] Substring, [] Subsequence, [] WeightedDegree, [] AlignmentDiffusion, [] LocalAlignment,
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

/// A counting kernel on strings: k(x, y) = Σ_f c_f(x)·c_f(y), or the same with counts divided by the string's total.
pub(crate) trait Counting: OnStrings + Sync {
    /// Whether counts are divided by the string's total.
    const SHARES: bool = false;

    /// Adds the features of a string with these codes to the bag.
    fn count(&self, codes: &[u32], bag: &mut Bag);

    /// Calls `visit` for every occurrence of a feature: its key, its first symbol, and its name.
    fn describe(&self, codes: &[u32], visit: Describe<'_>);
}

/// Receives a feature's key, its start, and a function that gives its name.
pub(crate) type Describe<'a> = &'a mut dyn FnMut(u128, u32, &dyn Fn() -> String);

fn describe_words(words: Words, codes: &[u32], lengths: RangeInclusive<usize>, visit: Describe<'_>) {
    words.each(codes, lengths, |key, start, length| {
        visit(key, start as u32, &|| words.name(&codes[start..start + length]));
    });
}

/// The feature counts of strings.
fn count_all(kernel: &impl Counting, strings: &Strings) -> Result<Counts> {
    let alphabet = kernel.alphabet();
    Counts::collect(strings.len(), |i, bag| {
        let mut codes = Vec::new();
        alphabet.encode(strings.get(i), &mut codes);
        kernel.count(&codes, bag);
        Ok(())
    })
}

/// Divides products of counts by the products of totals; 0/0 is 0.
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
