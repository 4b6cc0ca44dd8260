//! Gapped k-mers: k symbols of every l consecutive ones.

use std::fmt;

use super::filter;
use super::masks::{Centre, MaskCounter, PackedWords};
use super::palindromes::Palindromes;
use super::{COMPLEMENT, DNA, OnStrings, STRINGS, words_of};
use crate::data::{Alphabet, Strings};
use crate::error::{Error, Result};
use crate::kernel::{
    Declared, Definiteness, Domain, Facts, Kernel, OneOf, Parameter, ParameterValue, Part, Printer, Settings,
};

/// The inner product of the counts of gapped k-mers: k symbols at chosen positions of l consecutive ones, for all
/// choices.
///
/// k(x, y) = Σ over l-mers a of x and b of y of C(l - d(a, b), k), where d is the number of positions where they
/// differ. Counts are exact. With `reverse-complement` a gapped k-mer and its reverse complement are one feature, as in
/// [`Spectrum`](super::Spectrum). Every l-mer of x is compared with the l-mers of y and their reverse complements.
/// Gapped k-mers that are their own reverse complement count once.
///
/// [`GapWeights`] are other weights of a pair of l-mers than C(l - d, k): inner products of l-mer counts that are
/// estimated from the gapped k-mers. With [`GappedKmer::centred`] l-mers count more the closer they are to the centre of
/// their string.
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
/// References: Ghandi, Lee, Mohammad-Noori & Beer 2014, Enhanced regulatory sequence prediction using gapped k-mer
/// features; Lee 2016, LS-GKM: a new gkm-SVM for large-scale datasets, for the weights by position.
#[derive(Clone, Debug, PartialEq)]
pub struct GappedKmer {
    l: usize,
    k: usize,
    masks: MaskCounter,
    emphasis: Emphasis,
}

/// The weight of a pair of l-mers that differ at d positions.
///
/// Gapped k-mers determine the part of the l-mer counts that varies with at most k of the l symbols at once. The estimate
/// of the l-mer counts is this part: a projection, which smooths a count over similar l-mers with the filter
/// h(d) = b^-l·Σ_{s≤k} K_s(d), where K_s is the Krawtchouk polynomial of degree s for b symbols and l positions.
///
/// | name | weight |
/// |---|---|
/// | `gapped` | C(l - d, k): inner product of the counts of gapped k-mers |
/// | `estimated` | h(d): inner product of the estimated l-mer counts |
/// | `truncated` | Σ_w g(d(a, w))·g(d(w, b)) over all l-mers w, where g is h up to its first value that is not positive, and 0 beyond |
///
/// All three are positive semidefinite. LS-GKM adds only pairs of l-mers that differ at up to 3 positions, after which the
/// second and third are not.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::{GapWeights, GappedKmer}};
/// let strings: Strings = ["ACG", "AGG", "TTT"].into_iter().collect();
/// let kernel = GappedKmer::new(3, 2)?.weighted(GapWeights::Estimated)?;
/// let k = Engine::new().gram(&kernel, &strings)?;
/// // All 64 l-mers less the 27 parts that vary with all three symbols.
/// assert_eq!(k.at(0, 0), 37.0 / 64.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Ghandi, Mohammad-Noori & Beer 2014, Robust k-mer frequency estimation using gapped k-mers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapWeights {
    /// Counts of gapped k-mers.
    #[default]
    Gapped,
    /// Estimated counts of l-mers.
    Estimated,
    /// Estimated counts of l-mers, without the negative values of the filter and all beyond.
    Truncated,
}

impl OneOf for GapWeights {
    const WORDS: &'static [&'static str] = &["gapped", "estimated", "truncated"];
    const ALL: &'static [GapWeights] = &[GapWeights::Gapped, GapWeights::Estimated, GapWeights::Truncated];
}

/// Weights of pairs of l-mers, by mismatches and by position.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Emphasis {
    weights: GapWeights,
    /// 0 without weights by position.
    half_life: f64,
    peak: u32,
}

/// LS-GKM's weight at the centre.
const PEAK: u32 = 50;

impl Default for Emphasis {
    fn default() -> Self {
        Emphasis { weights: GapWeights::Gapped, half_life: 0.0, peak: PEAK }
    }
}

impl ParameterValue for Emphasis {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        Ok(Emphasis { weights: settings.read()?, half_life: settings.read()?, peak: settings.read()? })
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        match self.weights {
            GapWeights::Gapped => out.skip()?,
            other => other.print(out)?,
        }
        if self.half_life > 0.0 {
            out.put(self.half_life)?
        } else {
            out.skip()?
        }
        if self.peak == PEAK { out.skip() } else { out.put(self.peak) }
    }
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
        let words = words_of(alphabet, complement)?;
        let masks = MaskCounter::new(words, l, vec![(k, 1)], Palindromes::Gapped(k))?;
        Ok(GappedKmer { l, k, masks, emphasis: Emphasis::default() })
    }

    /// The same l and k with other weights by mismatches. Other weights than [`GapWeights::Gapped`] are possible for
    /// alphabets with at most 2^24 different l-mers: l ≤ 12 for DNA, 5 for proteins.
    ///
    /// With `reverse-complement` the l-mers of x are compared with those of both strands of y, as in LS-GKM.
    pub fn weighted(self, weights: GapWeights) -> Result<Self> {
        let words = self.masks.words();
        let filter = match weights {
            GapWeights::Gapped => None,
            GapWeights::Estimated => Some(filter::estimated(self.l, self.k, words.alphabet)?),
            GapWeights::Truncated => Some(filter::truncated(self.l, self.k, words.alphabet)?),
        };
        let mut masks = match filter {
            None => MaskCounter::new(words, self.l, vec![(self.k, 1)], Palindromes::Gapped(self.k))?,
            Some(filter) => MaskCounter::new(words, self.l, filter.weights, Palindromes::Gapped(self.k))?
                .scaled(filter.scale),
        };
        if let Some(centre) = self.emphasis.centre() {
            masks = masks.centred(centre);
        }
        Ok(GappedKmer { masks, emphasis: Emphasis { weights, ..self.emphasis }, ..self })
    }

    /// The same with weights by position: an l-mer that is p positions from the centre of its string counts
    /// min(peak, ⌊peak·2^(-p/half-life) + 1⌋) times, as in LS-GKM. A half-life of 0 gives all positions the same weight.
    ///
    /// ```
    /// use mercer_core::{data::Strings, gram::Engine, kernel::string::GappedKmer};
    /// let strings: Strings = ["AAC", "ACA"].into_iter().collect();
    /// let k = Engine::new().gram(&GappedKmer::new(1, 1)?.centred(1.0, 4)?, &strings)?;
    /// // The weights are 3, 4 and 3: A counts 7 times in the first string and 6 times in the second.
    /// assert_eq!(k.values(), [58.0, 54.0, 54.0, 52.0]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn centred(self, half_life: f64, peak: u32) -> Result<Self> {
        Self::FACTS.check("half-life", half_life)?;
        Self::FACTS.check("peak", f64::from(peak))?;
        let emphasis = Emphasis { half_life, peak, ..self.emphasis };
        // Made anew, for a half-life of 0.
        let plain = GappedKmer { emphasis, ..self };
        let weights = plain.emphasis.weights;
        plain.weighted(weights)
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "gapped-kmer",
        summary: "Number of shared gapped k-mers: k symbols within l consecutive symbols.",
        formula: "Σ_{a ∈ x, b ∈ y} C(l - d(a, b), k) over l-mers a, b that differ at d positions; other weights than C: see weights",
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
            Parameter {
                name: "weights",
                default: "gapped",
                domain: Domain::Word(GapWeights::WORDS),
                doc: "weight of l-mers that differ at d positions: gapped: C(l - d, k); estimated: that of l-mer counts estimated from gapped k-mers; truncated: the same with gkm-SVM's truncated filter",
                alias: None,
            },
            Parameter {
                name: "half-life",
                default: "0",
                domain: Domain::NonNegative,
                doc: "positions over which the weight of an l-mer halves from the centre of its string to the ends; 0: all positions have the same weight",
                alias: None,
            },
            Parameter {
                name: "peak",
                default: "50",
                domain: Domain::Whole(1, 255),
                doc: "weight at the centre, where half-life is above 0; at the ends it is at least 1",
                alias: None,
            },
        ],
        cost: "C(l, k) times the shared k-mers",
        reference: "Ghandi, Lee, Mohammad-Noori & Beer 2014",
        example: "gapped-kmer(l=10, k=6)",
    };
}

impl Emphasis {
    fn centre(self) -> Option<Centre> {
        (self.half_life > 0.0).then_some(Centre { half_life: self.half_life, peak: self.peak })
    }
}

impl Declared for GappedKmer {
    const FACTS: &'static Facts = &GappedKmer::FACTS;

    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        let (l, k, alphabet, complement) =
            (settings.read()?, settings.read()?, settings.read()?, settings.read()?);
        let emphasis: Emphasis = settings.read()?;
        GappedKmer { emphasis, ..GappedKmer::over(l, k, alphabet, complement)? }.weighted(emphasis.weights)
    }
}

impl fmt::Display for GappedKmer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        GappedKmer::FACTS.print(f, &[], &[&self.l, &self.k, &self.masks.words(), &self.emphasis])
    }
}

/// The implementation shared by kernels based on masks.
macro_rules! by_masks {
    ($kernel:ident($length:ident)) => {
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

by_masks!(GappedKmer(l));
