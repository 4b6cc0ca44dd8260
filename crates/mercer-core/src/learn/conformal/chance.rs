//! The random numbers of an object.

use crate::random::Random;

/// The random numbers by which sets of classes have the chosen coverage instead of a larger one: one that randomises the
/// class at the boundary of an adaptive set, one that randomises ties.
///
/// They follow from the content of an object and a seed. So the same object always has the same set, alone or among
/// others, in any order; and for different objects the numbers are as good as drawn independently, which is what the
/// guarantee needs.
///
/// ```
/// use mercer_core::learn::conformal::Chance;
/// assert_eq!(Chance::of(17, 0), Chance::of(17, 0));
/// assert_ne!(Chance::of(17, 0), Chance::of(17, 1));
/// ```
///
/// V. Vovk, A. Gammerman and G. Shafer, *Algorithmic Learning in a Random World*, Springer 2005, section 2.2: smoothed
/// conformal predictors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// For the score of a class: from 0 to 1.
    pub class: f64,
    /// For ties of scores: from 0 to 1.
    pub tie: f64,
}

impl Chance {
    /// Nothing is random: sets are as large as with any numbers, or larger.
    pub const NONE: Chance = Chance { class: 1.0, tie: 1.0 };

    /// The numbers of an object with this fingerprint
    /// ([`Dataset::object_fingerprints`](crate::data::Dataset::object_fingerprints)).
    pub fn of(fingerprint: u128, seed: u64) -> Self {
        let half = Random::derived(seed, fingerprint as u64).bits();
        let mut random = Random::derived(half, (fingerprint >> 64) as u64);
        Chance { class: random.unit(), tie: random.unit() }
    }
}
