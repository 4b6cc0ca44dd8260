//! Molecules and parts of them as SMILES, without stereochemistry.

use crate::element::Element;
use crate::molecule::{Molecule, Neighbour, Order};

impl Molecule {
    /// A SMILES that reads as the same atoms and bonds, in the order of the atoms; without stereochemistry.
    ///
    /// ```
    /// let nitro: mercer_molecules::Molecule = "CN(=O)=O".parse()?;
    /// assert_eq!(nitro.to_smiles(), "C[N+]([O-])=O");
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    pub fn to_smiles(&self) -> String {
        let order: Vec<u32> = (0..self.atoms.len() as u32).collect();
        Writer::new(self, &order, None).write()
    }

    /// The SMILES of the part of the molecule with these atoms, for names of features: no hydrogens are stated.
    ///
    /// ```
    /// let acid: mercer_molecules::Molecule = "CCCC(=O)O".parse()?;
    /// assert_eq!(acid.fragment_smiles(&[3, 4, 5]), "C(=O)O");
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    pub fn fragment_smiles(&self, atoms: &[u32]) -> String {
        let mut chosen = vec![false; self.atoms.len()];
        atoms.iter().for_each(|&a| chosen[a as usize] = true);
        let order: Vec<u32> = (0..self.atoms.len() as u32).collect();
        Writer::new(self, &order, Some(&chosen)).write()
    }

    /// The name of a circular neighbourhood: its SMILES from its central atom on, and `*` for what is bonded to an atom
    /// without neighbours in it.
    ///
    /// ```
    /// let acid: mercer_molecules::Molecule = "CCCC(=O)O".parse()?;
    /// assert_eq!(acid.environment_name(3, 1), "C(C)(=O)O");
    /// # Ok::<(), mercer_molecules::MoleculeError>(())
    /// ```
    pub fn environment_name(&self, atom: u32, radius: u32) -> String {
        let own = crate::morgan::ball(self, atom, radius);
        let mut order = vec![u32::MAX; self.atoms.len()];
        let mut chosen = vec![false; self.atoms.len()];
        for (at, &a) in own.iter().enumerate() {
            order[a as usize] = at as u32;
            chosen[a as usize] = true;
        }
        let mut name = Writer::new(self, &order, Some(&chosen)).write();
        if radius == 0 {
            // An atom alone is told apart by its neighbours and hydrogens.
            let hydrogens = match self.atoms[atom as usize].hydrogens {
                0 => String::new(),
                1 => "H".to_owned(),
                more => format!("H{more}"),
            };
            let ring = if self.atoms[atom as usize].in_ring { " in ring" } else { "" };
            name = format!("{name}{hydrogens} degree {}{ring}", self.degree(atom as usize));
        }
        name
    }

    /// The name of a path of atoms: `C-C=O`, read from the end that comes first.
    pub fn path_name(&self, atoms: &[u32]) -> String {
        let one = |path: &mut dyn Iterator<Item = u32>| {
            let (mut text, mut last) = (String::new(), None);
            for atom in path {
                if let Some(last) = last {
                    let to = self.neighbours(last as usize).iter().find(|n| n.atom == atom);
                    text.push(match to.map(|n| self.bonds[n.bond as usize].order) {
                        Some(Order::Double) => '=',
                        Some(Order::Triple) => '#',
                        Some(Order::Quadruple) => '$',
                        Some(Order::Aromatic) => ':',
                        _ => '-',
                    });
                }
                let symbol = self.symbol(atom as usize);
                match self.atoms[atom as usize].aromatic {
                    true => text.push_str(&symbol.to_lowercase()),
                    false => text.push_str(symbol),
                }
                last = Some(atom);
            }
            text
        };
        let (a, b) = (one(&mut atoms.iter().copied()), one(&mut atoms.iter().rev().copied()));
        a.min(b)
    }

    pub(crate) fn written_by(&self, order: &[u32]) -> String {
        Writer::new(self, order, None).write()
    }
}

struct Writer<'m> {
    molecule: &'m Molecule,
    /// The rank of each atom: lower ones come first.
    order: &'m [u32],
    chosen: Option<&'m [bool]>,
    text: String,
    /// When each atom was written; 0 is never.
    time: Vec<u32>,
    /// The bond by which each atom is reached in the tree.
    by: Vec<u32>,
    /// The open ring bonds, by their number.
    open: Vec<Option<u32>>,
}

enum Item {
    Atom { atom: u32, by: u32 },
    Open,
    Close,
}

const NONE: u32 = u32::MAX;

impl<'m> Writer<'m> {
    fn new(molecule: &'m Molecule, order: &'m [u32], chosen: Option<&'m [bool]>) -> Self {
        let n = molecule.atoms.len();
        Writer {
            molecule,
            order,
            chosen,
            text: String::new(),
            time: vec![0; n],
            by: vec![NONE; n],
            open: Vec::new(),
        }
    }

    fn is_chosen(&self, atom: u32) -> bool {
        self.chosen.is_none_or(|chosen| chosen[atom as usize])
    }

    /// The neighbours in the order in which they are visited.
    fn sorted(&self, atom: u32) -> Vec<Neighbour> {
        let all = self.molecule.neighbours(atom as usize).iter();
        let mut own: Vec<Neighbour> = all.filter(|n| self.is_chosen(n.atom)).copied().collect();
        own.sort_by_key(|n| self.order[n.atom as usize]);
        own
    }

    fn write(mut self) -> String {
        let mut starts: Vec<u32> = (0..self.time.len() as u32).filter(|&a| self.is_chosen(a)).collect();
        starts.sort_by_key(|&a| self.order[a as usize]);
        self.plan(&starts);
        self.time.fill(0);
        let mut clock = 0;
        for start in starts {
            if self.time[start as usize] > 0 {
                continue;
            }
            if !self.text.is_empty() {
                self.text.push('.');
            }
            let mut stack = vec![Item::Atom { atom: start, by: NONE }];
            while let Some(item) = stack.pop() {
                match item {
                    Item::Open => self.text.push('('),
                    Item::Close => self.text.push(')'),
                    Item::Atom { atom, by } => {
                        clock += 1;
                        self.time[atom as usize] = clock;
                        self.put_bond(by);
                        self.put_atom(atom);
                        let around = self.sorted(atom);
                        self.put_rings(atom, &around);
                        let is_child = |n: &Neighbour| {
                            self.by[n.atom as usize] == n.bond && self.time[n.atom as usize] == 0
                        };
                        let children: Vec<Neighbour> = around.into_iter().filter(is_child).collect();
                        for (place, n) in children.iter().enumerate().rev() {
                            let is_branch = place + 1 < children.len();
                            if is_branch {
                                stack.push(Item::Close);
                            }
                            stack.push(Item::Atom { atom: n.atom, by: n.bond });
                            if is_branch {
                                stack.push(Item::Open);
                            }
                        }
                    }
                }
            }
        }
        self.text
    }

    /// Chooses the bonds of a depth-first tree.
    fn plan(&mut self, starts: &[u32]) {
        let mut clock = 0;
        for &start in starts {
            if self.time[start as usize] > 0 {
                continue;
            }
            clock += 1;
            self.time[start as usize] = clock;
            let mut stack = vec![(self.sorted(start), 0)];
            while let Some((around, next)) = stack.last_mut() {
                let Some(n) = around.get(*next).copied() else {
                    stack.pop();
                    continue;
                };
                *next += 1;
                if self.time[n.atom as usize] == 0 {
                    clock += 1;
                    self.time[n.atom as usize] = clock;
                    self.by[n.atom as usize] = n.bond;
                    stack.push((self.sorted(n.atom), 0));
                }
            }
        }
    }

    fn is_tree_bond(&self, bond: u32) -> bool {
        self.molecule.bonds[bond as usize].atoms.iter().any(|&a| self.by[a as usize] == bond)
    }

    fn put_bond(&mut self, bond: u32) {
        if bond == NONE {
            return;
        }
        let own = &self.molecule.bonds[bond as usize];
        let aromatic = own.atoms.iter().all(|&a| self.molecule.atoms[a as usize].aromatic);
        match own.order {
            Order::Single if aromatic => self.text.push('-'),
            Order::Single => (),
            Order::Aromatic if aromatic => (),
            Order::Aromatic => self.text.push(':'),
            Order::Double => self.text.push('='),
            Order::Triple => self.text.push('#'),
            Order::Quadruple => self.text.push('$'),
        }
    }

    /// Closes the ring bonds to earlier atoms and opens those to later ones.
    fn put_rings(&mut self, atom: u32, around: &[Neighbour]) {
        let mut closed = Vec::new();
        let rings: Vec<Neighbour> = around.iter().filter(|n| !self.is_tree_bond(n.bond)).copied().collect();
        for n in &rings {
            let earlier =
                self.time[n.atom as usize] > 0 && self.time[n.atom as usize] < self.time[atom as usize];
            if earlier && let Some(number) = self.open.iter().position(|o| *o == Some(n.bond)) {
                closed.push(number);
                self.put_number(number);
            }
        }
        for n in &rings {
            if self.time[n.atom as usize] == 0 {
                let free = (0..self.open.len()).find(|at| self.open[*at].is_none() && !closed.contains(at));
                let number = free.unwrap_or_else(|| {
                    self.open.push(None);
                    self.open.len() - 1
                });
                self.open[number] = Some(n.bond);
                self.put_bond(n.bond);
                self.put_number(number);
            }
        }
        closed.into_iter().for_each(|number| self.open[number] = None);
    }

    fn put_number(&mut self, number: usize) {
        match number + 1 {
            small @ 1..=9 => self.text.push_str(&small.to_string()),
            medium @ 10..=99 => self.text.push_str(&format!("%{medium}")),
            large => self.text.push_str(&format!("%({large})")),
        }
    }

    fn put_atom(&mut self, i: u32) {
        let molecule = self.molecule;
        let atom = &molecule.atoms[i as usize];
        let symbol = Element::of(atom.element).symbol;
        let symbol = if atom.aromatic { symbol.to_lowercase() } else { symbol.to_owned() };
        let organic = match atom.aromatic {
            true => matches!(atom.element, 5 | 6 | 7 | 8 | 15 | 16),
            false => matches!(atom.element, 0 | 5 | 6 | 7 | 8 | 9 | 15 | 16 | 17 | 35 | 53),
        };
        let states_hydrogens = match self.chosen {
            Some(_) => atom.aromatic && atom.element != 6 && atom.hydrogens > 0,
            None => crate::valence::usual_hydrogens(molecule, i as usize) != atom.hydrogens,
        };
        if organic && atom.charge == 0 && atom.isotope == 0 && !states_hydrogens {
            self.text.push_str(&symbol);
            return;
        }
        self.text.push('[');
        if atom.isotope > 0 {
            self.text.push_str(&atom.isotope.to_string());
        }
        self.text.push_str(&symbol);
        match atom.hydrogens {
            0 => (),
            1 => self.text.push('H'),
            more => self.text.push_str(&format!("H{more}")),
        }
        match atom.charge {
            0 => (),
            1 => self.text.push('+'),
            -1 => self.text.push('-'),
            charge => self.text.push_str(&format!("{charge:+}")),
        }
        self.text.push(']');
    }
}
