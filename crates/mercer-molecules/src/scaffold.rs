//! Scaffolds: rings and what joins them.

use crate::molecule::{Molecule, Order};

impl Molecule {
    /// The Bemis–Murcko scaffold: the rings, the chains between them, and atoms that multiple bonds join to these.
    /// Empty for a molecule without rings.
    ///
    /// ```
    /// let ibuprofen: mercer_molecules::Molecule = "CC(C)Cc1ccc(cc1)C(C)C(=O)O".parse()?;
    /// assert_eq!(ibuprofen.scaffold().canonical(), "c1ccccc1");
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    ///
    /// G. W. Bemis and M. A. Murcko, *The properties of known drugs. 1. Molecular frameworks*, J. Med. Chem. 39, 1996.
    pub fn scaffold(&self) -> Molecule {
        let n = self.atoms.len();
        let mut degree: Vec<usize> = (0..n).map(|i| self.degree(i)).collect();
        let mut kept = vec![true; n];
        let mut leaves: Vec<usize> = (0..n).filter(|&i| degree[i] <= 1).collect();
        while let Some(leaf) = leaves.pop() {
            if !std::mem::replace(&mut kept[leaf], false) {
                continue;
            }
            for to in self.neighbours(leaf) {
                let there = to.atom as usize;
                degree[there] = degree[there].saturating_sub(1);
                if kept[there] && degree[there] <= 1 {
                    leaves.push(there);
                }
            }
        }
        let core = kept.clone();
        for bond in self.bonds.iter().filter(|b| !matches!(b.order, Order::Single | Order::Aromatic)) {
            let [a, b] = bond.atoms.map(|a| a as usize);
            for (inside, outside) in [(a, b), (b, a)] {
                kept[outside] |= core[inside];
            }
        }
        let own: Vec<u32> = (0..n as u32).filter(|&i| kept[i as usize]).collect();
        let mut scaffold = self.part(&own);
        // Every bond that was cut becomes hydrogens.
        for (at, &i) in own.iter().enumerate() {
            let lost = self.bond_orders(i as usize) - scaffold.bond_orders(at);
            let atom = &mut scaffold.atoms[at];
            atom.hydrogens = (u32::from(atom.hydrogens) + lost).min(20) as u8;
            atom.chirality = crate::molecule::Chirality::None;
        }
        scaffold.text = scaffold.to_smiles();
        scaffold
    }
}
