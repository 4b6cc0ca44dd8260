//! Which training object an object is, known by its content.

use std::collections::HashMap;

/// Training objects by their content ([`Identify`](super::Identify)).
///
/// Equal objects are told apart by their order: the k-th of a content in one set is the k-th training object of that
/// content. A set that holds more of them than the training set starts again at the first, because then it must hold one
/// object twice. So a Gram matrix of the training objects has the values of the formula for equal objects too, and not the
/// similarity of one of them to itself.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Places(HashMap<u128, Vec<usize>>);

impl Places {
    /// The places of training objects.
    #[doc(hidden)]
    pub fn of(identities: &[u128]) -> Self {
        let mut places: HashMap<u128, Vec<usize>> = HashMap::with_capacity(identities.len());
        for (at, identity) in identities.iter().enumerate() {
            places.entry(*identity).or_default().push(at);
        }
        Places(places)
    }

    /// The training object that each object of one set is; `None` for new ones.
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
    fn equal_objects_are_told_apart_by_their_order() {
        let places = Places::of(&[7, 8, 7, 7, 9]);
        assert_eq!(places.find(&[7, 7, 9, 7, 1, 7]), [Some(0), Some(2), Some(4), Some(3), None, Some(0)]);
        assert_eq!(places.find(&[8, 8]), [Some(1), Some(1)]);
    }
}
