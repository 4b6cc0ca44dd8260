//! Changes to what is written before anything is perceived.

use crate::draft::{Draft, DraftBond};
use crate::molecule::{Chirality, Direction, Order};

/// Hydrogens written as atoms become counts, where they are plain: one single bond, to a heavy atom, no isotope, no
/// charge.
pub(crate) fn remove_hydrogens(draft: &mut Draft) {
    let is_plain = |at: usize| {
        let atom = &draft.atoms[at];
        atom.element == 1 && atom.charge == 0 && atom.isotope == 0 && atom.stated == 0
    };
    if !(0..draft.atoms.len()).any(is_plain) {
        return;
    }
    let mut degree = vec![0u32; draft.atoms.len()];
    draft.bonds.iter().flat_map(|b| b.atoms).for_each(|a| degree[a as usize] += 1);
    let mut removed = vec![false; draft.atoms.len()];
    for bond in &draft.bonds {
        let [a, b] = bond.atoms.map(|a| a as usize);
        for (hydrogen, heavy) in [(a, b), (b, a)] {
            let plain = is_plain(hydrogen) && degree[hydrogen] == 1 && bond.order == Order::Single;
            if plain && draft.atoms[heavy].element > 1 && bond.direction == Direction::None {
                removed[hydrogen] = true;
            }
        }
    }
    for (number, bond) in draft.bonds.iter().enumerate() {
        let [a, b] = bond.atoms.map(|a| a as usize);
        for (hydrogen, heavy) in [(a, b), (b, a)] {
            if removed[hydrogen] && draft.atoms[heavy].chirality != Chirality::None {
                // A counted hydrogen comes before all bonds.
                let before = draft.bonds_of(heavy as u32).take_while(|&b| (b as usize) < number).count();
                let own = &mut draft.atoms[heavy];
                own.chirality = if own.stated == 0 { own.chirality.after(before) } else { Chirality::None };
            }
        }
    }
    let bonds = std::mem::take(&mut draft.bonds);
    for bond in &bonds {
        let [a, b] = bond.atoms.map(|a| a as usize);
        for (hydrogen, heavy) in [(a, b), (b, a)] {
            if removed[hydrogen] {
                let stated = &mut draft.atoms[heavy].stated;
                *stated = stated.saturating_add(1).min(20);
            }
        }
    }
    let mut number = vec![0u32; draft.atoms.len()];
    let mut next = 0;
    for (at, gone) in removed.iter().enumerate() {
        number[at] = next;
        next += u32::from(!gone);
    }
    draft.bonds = bonds
        .iter()
        .filter(|b| b.atoms.iter().all(|&a| !removed[a as usize]))
        .map(|b| DraftBond { atoms: b.atoms.map(|a| number[a as usize]), ..*b })
        .collect();
    let mut at = 0;
    draft.atoms.retain(|_| {
        at += 1;
        !removed[at - 1]
    });
}

/// Gives charges to groups that are often written with five bonds: nitro groups, azides, perchlorates, and
/// phosphorus with two double bonds.
pub(crate) fn charge_hypervalent(draft: &mut Draft) {
    let candidate = |element: u8| matches!(element, 7 | 15 | 17 | 35 | 53);
    if !draft.atoms.iter().any(|a| candidate(a.element) && a.charge == 0) {
        return;
    }
    let mut halves = vec![0u32; draft.atoms.len()];
    for bond in &draft.bonds {
        let own = if bond.order == Order::Aromatic { 3 } else { 2 * u32::from(bond.order.pairs()) };
        bond.atoms.iter().for_each(|&a| halves[a as usize] += own);
    }
    for (atom, half) in halves.into_iter().enumerate() {
        let own = draft.atoms[atom];
        let valence = half.div_ceil(2) + u32::from(own.stated);
        let suspect = if matches!(own.element, 7 | 15) { valence == 5 } else { matches!(valence, 3 | 5 | 7) };
        if own.charge != 0 || !candidate(own.element) || !suspect {
            continue;
        }
        let bonds: Vec<usize> =
            (0..draft.bonds.len()).filter(|&b| draft.bonds[b].atoms.contains(&(atom as u32))).collect();
        let other = |draft: &Draft, bond: usize| {
            let [a, b] = draft.bonds[bond].atoms;
            (if a as usize == atom { b } else { a }) as usize
        };
        match own.element {
            7 => {
                let oxygen = bonds.iter().copied().find(|&b| {
                    let o = &draft.atoms[other(draft, b)];
                    o.element == 8 && o.charge == 0 && draft.bonds[b].order == Order::Double
                });
                let nitrogen = bonds.iter().copied().find(|&b| {
                    let n = &draft.atoms[other(draft, b)];
                    n.element == 7 && n.charge == 0 && draft.bonds[b].order == Order::Triple
                });
                if let Some(bond) = oxygen {
                    separate(draft, atom, bond, Order::Single);
                } else if let Some(bond) = nitrogen {
                    separate(draft, atom, bond, Order::Double);
                }
            }
            15 if bonds.len() == 3 => {
                let double = |element: &'static [u8]| {
                    bonds.iter().copied().find(|&b| {
                        let there = &draft.atoms[other(draft, b)];
                        element.contains(&there.element)
                            && there.charge == 0
                            && draft.bonds[b].order == Order::Double
                    })
                };
                if let (Some(oxygen), Some(_)) = (double(&[8]), double(&[6, 7])) {
                    separate(draft, atom, oxygen, Order::Single);
                }
            }
            17 | 35 | 53 => {
                let oxygens = bonds.iter().all(|&b| {
                    let o = &draft.atoms[other(draft, b)];
                    o.element == 8
                });
                if oxygens {
                    for &bond in &bonds {
                        if draft.bonds[bond].order == Order::Double {
                            separate(draft, atom, bond, Order::Single);
                        }
                    }
                }
            }
            _ => (),
        }
    }
}

/// Lowers the order of a bond and moves a charge to its other end.
fn separate(draft: &mut Draft, atom: usize, bond: usize, order: Order) {
    let [a, b] = draft.bonds[bond].atoms;
    let other = (if a as usize == atom { b } else { a }) as usize;
    draft.bonds[bond].order = order;
    draft.atoms[atom].charge += 1;
    draft.atoms[other].charge -= 1;
}
