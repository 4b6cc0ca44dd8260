//! Canonical numbering of atoms, and the SMILES that follows from it.

use crate::molecule::Molecule;

/// Molecules with more atoms have no canonical form: refining them would take too long.
const MOST_RANKED: usize = 500;

impl Molecule {
    /// A SMILES that equal molecules share, whatever the order of their atoms, their Kekulé structure and the text they
    /// were read from. Stereochemistry is left out. Molecules of more than 500 atoms keep their text.
    ///
    /// Atoms are ranked by element, isotope, charge, hydrogens, neighbours and rings, then by the ranks of their
    /// neighbours until nothing changes; ties that remain are broken one atom at a time. Time O(atoms² log atoms).
    ///
    /// ```
    /// use mercer_molecules::Molecule;
    /// let canonical = |text: &str| text.parse::<Molecule>().map(|m| m.canonical());
    /// assert_eq!(canonical("OCC")?, canonical("C(O)C")?);
    /// assert_ne!(canonical("OCC")?, canonical("COC")?);
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    pub fn canonical(&self) -> String {
        if self.atoms.len() > MOST_RANKED {
            return self.text.clone();
        }
        // Parts are written one by one and sorted, so that their order does not matter.
        let mut parts: Vec<String> = match self.fragments().as_slice() {
            [] => return String::new(),
            [_] => vec![self.written_by(&self.ranks())],
            several => several
                .iter()
                .map(|own| {
                    let part = self.part(own);
                    part.written_by(&part.ranks())
                })
                .collect(),
        };
        parts.sort_unstable();
        parts.join(".")
    }

    /// The canonical rank of every atom.
    fn ranks(&self) -> Vec<u32> {
        let n = self.atoms.len();
        let (mut ranks, mut classes) = self.first_ranks();
        loop {
            classes = self.refine(&mut ranks, classes);
            if classes == n {
                return ranks;
            }
            // The first class with several atoms, of which one comes first now.
            let mut count = vec![0u32; n];
            ranks.iter().for_each(|&r| count[r as usize] += 1);
            let Some(tied) = (0..n).find(|&r| count[r] > 1) else { return ranks };
            let chosen = ranks.iter().position(|&r| r as usize == tied).unwrap_or(0);
            for (i, rank) in ranks.iter_mut().enumerate() {
                if *rank as usize == tied && i != chosen {
                    *rank += 1;
                }
            }
            classes += 1;
        }
    }

    /// Atoms that are alike, whatever the text says of their arrangement, have equal numbers.
    pub(crate) fn classes(&self) -> Vec<u32> {
        let (mut ranks, classes) = self.first_ranks();
        self.refine(&mut ranks, classes);
        ranks
    }

    /// Ranks by the atoms alone, and the number of different ones.
    fn first_ranks(&self) -> (Vec<u32>, usize) {
        let n = self.atoms.len();
        let key = |i: usize| {
            let a = &self.atoms[i];
            let degree = self.degree(i) as u32;
            (degree, a.element, a.isotope, a.charge, a.hydrogens, a.aromatic, a.in_ring)
        };
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| key(i as usize));
        let mut ranks = vec![0u32; n];
        let classes = renumber(&order, &mut ranks, |a, b| key(a) == key(b));
        (ranks, classes)
    }

    /// Splits classes by the ranks of neighbours until nothing changes; the number of classes.
    fn refine(&self, ranks: &mut Vec<u32>, mut classes: usize) -> usize {
        let n = self.atoms.len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        let mut around: Vec<Vec<(u32, u8)>> = vec![Vec::new(); n];
        loop {
            for (i, own) in around.iter_mut().enumerate() {
                own.clear();
                own.extend(
                    self.neighbours(i)
                        .iter()
                        .map(|n| (ranks[n.atom as usize], self.bonds[n.bond as usize].order as u8)),
                );
                own.sort_unstable();
            }
            let key = |i: usize| (ranks[i], around[i].as_slice());
            order.sort_by(|&a, &b| key(a as usize).cmp(&key(b as usize)));
            let mut next = vec![0u32; n];
            let found = renumber(&order, &mut next, |a, b| key(a) == key(b));
            *ranks = next;
            if found == classes {
                return classes;
            }
            classes = found;
        }
    }
}

/// Ranks by position in a sorted order; equal atoms share the position of the first. Returns the number of classes.
fn renumber(order: &[u32], ranks: &mut [u32], equal: impl Fn(usize, usize) -> bool) -> usize {
    let (mut rank, mut classes) = (0, 0);
    for (at, &i) in order.iter().enumerate() {
        if at == 0 || !equal(order[at - 1] as usize, i as usize) {
            rank = at as u32;
            classes += 1;
        }
        ranks[i as usize] = rank;
    }
    classes
}
