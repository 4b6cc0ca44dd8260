//! Gapped k-mers: k symbols of every l consecutive ones.

use std::fmt;

use super::masks::{MaskCounter, PackedWords};
use super::palindromes::Palindromes;
use super::{COMPLEMENT, DNA, OnStrings, STRINGS, words_of};
use crate::data::{Alphabet, Strings};
use crate::error::{Error, Result};
use crate::kernel::{Declared, Definiteness, Domain, Facts, Kernel, Parameter, Part, Settings};

/// The inner product of the counts of gapped k-mers: k symbols at chosen positions of l consecutive ones, for all
/// choices.
///
/// k(x, y) = Σ over l-mers a of x and b of y of C(l - d(a, b), k), where d is the number of positions where they
/// differ. Counts are exact. With `reverse-complement` a gapped k-mer and its reverse complement are one feature, as in
/// [`Spectrum`](super::Spectrum). Every l-mer of x is compared with the l-mers of y and their reverse complements.
/// Gapped k-mers that are their own reverse complement count once.
///
/// The cost is that of C(l, k) spectrum kernels: see the module `masks`.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::GappedKmer};
/// let strings: Strings = ["ACG", "AGG", "TTT"].into_iter().collect();
/// let k = Engine::new().gram(&GappedKmer::new(3, 2)?, &strings)?;
/// assert_eq!(k.values(), [3.0, 1.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 3.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Ghandi, Lee, Mohammad-Noori & Beer 2014, Enhanced regulatory sequence prediction using gapped k-mer
/// features.
#[derive(Clone, Debug, PartialEq)]
pub struct GappedKmer {
    l: usize,
    k: usize,
    masks: MaskCounter,
}

impl GappedKmer {
    /// k of every l symbols of DNA, 1 ≤ k ≤ l; l is at most 32.
    pub fn new(l: usize, k: usize) -> Result<Self> {
        GappedKmer::over(l, k, Alphabet::Dna, false)
    }

    /// The same for another alphabet, with at most 64 bits for l symbols: 12 amino acids or 8 bytes.
    pub fn over(l: usize, k: usize, alphabet: Alphabet, complement: bool) -> Result<Self> {
        Self::FACTS.check("l", l as f64)?;
        if k == 0 || k > l {
            return Err(Error::param("k", k, &format!("from 1 to l = {l}")));
        }
        Ok(GappedKmer {
            l,
            k,
            masks: MaskCounter::new(
                words_of(alphabet, complement)?,
                l,
                vec![(k, 1)],
                Palindromes::Gapped(k),
            )?,
        })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "gapped-kmer",
        summary: "Number of shared gapped k-mers: k symbols within l consecutive symbols.",
        formula: "Σ_{a ∈ x, b ∈ y} C(l - d(a, b), k) over l-mers a, b that differ at d positions",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "l",
                default: "6",
                domain: Domain::Whole(1, 32),
                doc: "length of the window",
                alias: None,
            },
            Parameter {
                name: "k",
                default: "4",
                domain: Domain::Whole(1, 32),
                doc: "number of symbols compared within it, at most l",
                alias: None,
            },
            DNA,
            COMPLEMENT,
        ],
        cost: "C(l, k) times the shared k-mers",
        reference: "Ghandi, Lee, Mohammad-Noori & Beer 2014",
        example: "gapped-kmer(l=10, k=6)",
    };
}

/// The implementation shared by kernels based on masks.
macro_rules! by_masks {
    ($kernel:ident($length:ident, $other:ident)) => {
        impl Declared for $kernel {
            const FACTS: &'static Facts = &$kernel::FACTS;

            fn read(settings: &mut Settings<'_>) -> Result<Self> {
                $kernel::over(settings.read()?, settings.read()?, settings.read()?, settings.read()?)
            }
        }

        impl fmt::Display for $kernel {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $kernel::FACTS.print(f, &[], &[&self.$length, &self.$other, &self.masks.words()])
            }
        }

        impl OnStrings for $kernel {
            fn alphabet(&self) -> Alphabet {
                self.masks.words().alphabet
            }

            fn shortest(&self) -> usize {
                self.$length
            }
        }

        impl Kernel<Strings> for $kernel {
            type Prepared = PackedWords;

            fn prepare(&self, strings: &Strings) -> Result<PackedWords> {
                let prepared = self.masks.prepare(strings);
                crate::budget::check().map(|()| prepared)
            }

            fn fill(
                &self,
                rows: Part<'_, PackedWords>,
                cols: Part<'_, PackedWords>,
                out: &mut [f64],
            ) -> Result<()> {
                self.masks.fill(&rows, &cols, out);
                crate::budget::check()
            }

            fn diagonal(&self, of: Part<'_, PackedWords>, out: &mut [f64]) -> Result<()> {
                out.copy_from_slice(&of.set.self_similarities()[of.range]);
                Ok(())
            }

            fn definiteness(&self) -> Definiteness {
                Definiteness::PositiveSemidefinite
            }
        }
    };
}

pub(super) use by_masks;

by_masks!(GappedKmer(l, k));
