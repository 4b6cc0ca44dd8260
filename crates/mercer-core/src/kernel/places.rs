//! Finds training objects again by their content.

use std::collections::HashMap;

/// Indices of training objects by content ([`Identify`](super::Identify)).
///
/// Equal objects are distinguished by their order: the k-th object with some content in a set is the k-th training
/// object with that content. If a set has more of them than the training set, counting starts again at the first,
/// because some object must occur twice. So a Gram matrix of the training objects has the formula's values for equal
/// objects too, instead of the similarity of one of them to itself.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Places(HashMap<u128, Vec<usize>>);

impl Places {
    /// Indexes the training objects.
    #[doc(hidden)]
    pub fn of(identities: &[u128]) -> Self {
        let mut places: HashMap<u128, Vec<usize>> = HashMap::with_capacity(identities.len());
        for (at, identity) in identities.iter().enumerate() {
            places.entry(*identity).or_default().push(at);
        }
        Places(places)
    }

    /// The index of the training object for each object of a set; `None` for new objects.
    #[doc(hidden)]
    pub fn find(&self, identities: &[u128]) -> Vec<Option<usize>> {
        let mut seen: HashMap<u128, usize> = HashMap::new();
        let place = |identity: &u128| {
            let known = self.0.get(identity)?;
            if known.len() == 1 {
                return known.first().copied();
            }
            let turn = seen.entry(*identity).or_default();
            *turn += 1;
            known.get((*turn - 1) % known.len()).copied()
        };
        identities.iter().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_objects_are_distinguished_by_their_order() {
        let places = Places::of(&[7, 8, 7, 7, 9]);
        assert_eq!(places.find(&[7, 7, 9, 7, 1, 7]), [Some(0), Some(2), Some(4), Some(3), None, Some(0)]);
        assert_eq!(places.find(&[8, 8]), [Some(1), Some(1)]);
    }
}
