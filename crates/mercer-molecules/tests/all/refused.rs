use mercer_molecules::{MOST_ATOMS, Molecule};

/// What is wrong, and at which byte.
#[test]
fn texts_that_are_no_molecules() {
    for (text, at, reason) in [
        ("C1CC", 1, "ring bond 1 is never closed"),
        ("c1ccccc", 1, "ring bond 1 is never closed"),
        ("C%10CC", 1, "ring bond 10 is never closed"),
        ("CC(C", 2, "a ( without its )"),
        ("CC)C", 2, "a ) without its ("),
        ("(CC)", 0, "a branch without an atom"),
        ("C()C", 1, "an empty branch"),
        ("C(=)C", 2, "needs an atom"),
        ("[CH3", 0, "a [ without its ]"),
        ("[", 0, "a [ without its ]"),
        ("CC]", 2, "does not occur in SMILES"),
        ("[Xx]", 1, "there is no element Xx"),
        ("[C@@?]", 4, "is not expected"),
        ("[CH2+100]", 4, "a charge beyond 15"),
        ("[#999]", 1, "atomic number up to 118"),
        ("Qc1ccccc1", 0, "stand in brackets"),
        ("CXC", 1, "stand in brackets"),
        ("C=", 1, "ends where this bond needs an atom"),
        ("=C", 0, "a bond without an atom before it"),
        ("C==C", 2, "a second bond"),
        ("C..C", 2, "a dot without an atom before it"),
        ("C.", 1, "a dot without an atom after it"),
        ("C11", 2, "joins an atom with itself"),
        ("C12CC12", 6, "bonded already"),
        ("C=1CC-1", 6, "different orders"),
        ("C%1", 1, "% must be followed by two digits"),
        ("CC O", 2, "a space inside"),
        ("C->C", 1, "a dative bond"),
        ("", 0, "no atoms"),
        ("C(C)(C)(C)(C)C", 0, "C has valence 5; at most 4 is permitted"),
        ("CO(C)C", 1, "O has valence 3"),
        ("FF(F)", 1, "F has valence 2"),
        ("[NH5]", 0, "N has valence 5"),
        ("c1cccc1", 4, "no Kekulé structure"),
        ("c1ccccc1c", 8, "an aromatic atom that is not in a ring"),
        ("cc", 0, "an aromatic atom that is not in a ring"),
        ("CÄ", 1, "does not occur in SMILES"),
    ] {
        let error = text.parse::<Molecule>().expect_err(text);
        assert!(error.reason.contains(reason), "{text}: {error}");
        assert_eq!(error.at, at, "{text}: {error}");
        let shown = error.with_caret(text);
        assert_eq!(shown.lines().last().unwrap().chars().count(), text[..at].chars().count() + 1, "{shown}");
    }
}

#[test]
fn carets_of_long_texts_are_near_the_place() {
    let text = format!("{}({}", "C".repeat(100), "C".repeat(100));
    let error = text.parse::<Molecule>().unwrap_err();
    assert_eq!(error.at, 100);
    let shown = error.with_caret(&text);
    let (line, caret) = shown.split_once('\n').unwrap();
    assert_eq!(line.chars().nth(caret.chars().count() - 1), Some('('), "{shown}");
    assert!(line.chars().count() < 70);
}

#[test]
fn large_molecules_are_read_up_to_a_limit() {
    let chain = |n: usize| "C".repeat(n).parse::<Molecule>();
    assert_eq!(chain(10_000).unwrap().atoms().len(), 10_000);
    assert!(chain(MOST_ATOMS + 1).unwrap_err().reason.contains("more than"));
    // Deep branches and many rings.
    let deep = format!("{}C{}", "C(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(deep.parse::<Molecule>().unwrap().atoms().len(), 5_001);
    let fused = format!("C1CC2CC1{}", "C1CC2CC1".repeat(500));
    let _ = fused.parse::<Molecule>();
    let ladder: String = "c1ccccc1-".repeat(1_000) + "c1ccccc1";
    let molecule = ladder.parse::<Molecule>().unwrap();
    assert_eq!(molecule.atoms().iter().filter(|a| a.aromatic).count(), 6_006);
    let codes = mercer_molecules::environments(&molecule, 2, mercer_molecules::Invariants::Connectivity);
    assert!(codes.len() > 6_006);
}
