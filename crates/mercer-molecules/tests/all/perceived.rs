use mercer_molecules::{Invariants, Molecule, atom_pairs, environments, features, torsions};

fn read(text: &str) -> Molecule {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Atoms, aromatic atoms and hydrogens, as the RDKit 2026.03 has them.
#[test]
fn aromaticity_and_hydrogens() {
    for (text, atoms, aromatic, hydrogens) in [
        ("C1=CC=CC=C1", 6, 6, 6),
        ("c1ccc2[nH]ccc2c1", 9, 9, 7),
        ("C1=CC2=CC=CC=CC2=C1", 10, 10, 8),
        ("O=c1cc[nH]cc1", 7, 6, 5),
        ("O=C1C=CC(=O)C=C1", 8, 0, 4),
        ("O=n1ccccc1", 7, 6, 5),
        ("CN(=O)=O", 4, 0, 3),
        ("CN=N#N", 4, 0, 3),
        ("c1ccsc1", 5, 5, 4),
        ("C1=CC=C[CH+]C=C1", 7, 7, 7),
        ("[CH-]1C=CC=C1", 5, 5, 5),
        ("C1=CC=CC=CC=C1", 8, 0, 8),
        ("S1(=O)(=O)C=CC=C1", 7, 0, 4),
        ("C=C1C=CC=C1", 6, 0, 6),
        ("O=C1C=CC=CC=C1", 8, 7, 6),
        ("[H]C([H])([H])O[H]", 2, 0, 4),
        ("[2H]C", 2, 0, 3),
        ("Cn1cnc2c1c(=O)n(C)c(=O)n2C", 14, 9, 10),
    ] {
        let molecule = read(text);
        let found = molecule.atoms().iter().filter(|a| a.aromatic).count();
        let counted: u32 = molecule.atoms().iter().map(|a| u32::from(a.hydrogens)).sum();
        assert_eq!((molecule.atoms().len(), found, counted), (atoms, aromatic, hydrogens), "{text}");
    }
}

#[test]
fn charges_follow_from_hypervalent_notation() {
    for (text, same) in [
        ("CN(=O)=O", "C[N+](=O)[O-]"),
        ("CN=N#N", "CN=[N+]=[N-]"),
        ("O=n1ccccc1", "[O-][n+]1ccccc1"),
        ("OCl(=O)(=O)=O", "O[Cl+3]([O-])([O-])[O-]"),
    ] {
        assert_eq!(read(text).canonical(), read(same).canonical());
    }
}

#[test]
fn canonical_forms_do_not_depend_on_notation() {
    for (a, b) in [
        ("OC1=CC=CC=C1", "c1ccccc1O"),
        ("CC(=O)Oc1ccccc1C(=O)O", "O=C(O)C1=C(OC(C)=O)C=CC=C1"),
        ("[Na+].[Cl-]", "[Cl-].[Na+]"),
        ("C1CC2CCC1CC2", "C1CC2CCC1CC2"),
        ("N[C@@H](C)C(=O)O", "CC(N)C(O)=O"),
        ("c1ccc2c(c1)c1ccccc1[nH]2", "[nH]1c2ccccc2c2ccccc12"),
    ] {
        assert_eq!(read(a).canonical(), read(b).canonical(), "{a} {b}");
    }
    assert_ne!(read("CCO").canonical(), read("COC").canonical());
    assert_ne!(read("c1ccc(O)cc1N").canonical(), read("c1cc(O)ccc1N").canonical());
}

#[test]
fn scaffolds_keep_rings_linkers_and_multiple_bonds() {
    for (text, scaffold) in [
        ("CCO", ""),
        ("CC(C)Cc1ccc(cc1)C(C)C(=O)O", "c1ccccc1"),
        ("O=C1CCCCC1CC", "O=C1CCCCC1"),
        ("c1ccccc1CCc1ccccc1CC", "c1ccc(CCc2ccccc2)cc1"),
        ("Cn1cccc1", "c1cc[nH]c1"),
    ] {
        let expected = if scaffold.is_empty() { String::new() } else { read(scaffold).canonical() };
        assert_eq!(read(text).scaffold().canonical(), expected, "{text}");
    }
}

#[test]
fn largest_fragments_and_isotopes() {
    assert_eq!(read("[Na+].CC(=O)[O-]").largest_fragment().canonical(), read("CC(=O)[O-]").canonical());
    assert_eq!(read("CC.NN").largest_fragment().canonical(), "NN");
    let of = |text: &str| environments(&read(text), 0, Invariants::Connectivity)[0].code;
    // Deuterium is told apart; carbon 13 differs by less than 1 from the mean mass.
    assert!(of("[2H]C") != of("[3H]C") && of("[13CH4]") == of("C"));
}

/// `GetAtomPairGenerator().GetSparseCountFingerprint` and its like of the RDKit 2026.03, for ethanol and butanol.
#[test]
fn pairs_torsions_and_features_have_known_codes() {
    let mut pairs = Vec::new();
    atom_pairs(&read("CCO"), &mut |code, _| {
        pairs.push(code);
        true
    });
    assert_eq!(pairs.len(), 3);
    let mut found = Vec::new();
    torsions(&read("CCCO"), &mut |code, atoms| {
        found.push((code, atoms));
        true
    });
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].1, [0, 1, 2, 3]);
    let names: Vec<String> = features(&read("NCC(=O)O")).iter().map(|f| f.name()).collect();
    assert_eq!(names, ["donor+acceptor+basic", "other", "acidic", "acceptor", "donor"]);
}
