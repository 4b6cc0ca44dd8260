use mercer_molecules::{Invariants, Molecule, environments, paths};
use proptest::prelude::*;

/// Texts made of the characters of SMILES.
fn text() -> impl Strategy<Value = String> {
    let pieces = [
        "C", "c", "N", "n", "O", "o", "S", "s", "Cl", "Br", "F", "[nH]", "[NH3+]", "[O-]", "(", ")", "1",
        "2", "%11", "=", "#", ".", "/", "\\", "[C@H]", "[13C]", "*", "[", "]", "-", ":", "[Fe+2]", "P", "b",
        "c1ccccc1", "C(=O)O", "[H]",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24).prop_map(|p| p.concat())
}

fn codes(molecule: &Molecule, radius: u32) -> Vec<u32> {
    let mut codes: Vec<u32> =
        environments(molecule, radius, Invariants::Connectivity).iter().map(|e| e.code).collect();
    codes.sort_unstable();
    codes
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        if let Err(error) = text.parse::<Molecule>() {
            prop_assert!(error.at <= text.len());
            let _ = error.with_caret(&text);
        }
    }

    #[test]
    fn what_is_read_can_be_written_and_read_again(text in text()) {
        match text.parse::<Molecule>() {
            Err(error) => prop_assert!(error.at <= text.len(), "{text}: {error}"),
            Ok(molecule) => {
                let again: Molecule = molecule.to_smiles().parse()
                    .map_err(|e| TestCaseError::fail(format!("{text} → {}: {e}", molecule.to_smiles())))?;
                prop_assert_eq!(codes(&molecule, 3), codes(&again, 3), "{} → {}", text, molecule.to_smiles());
                prop_assert_eq!(molecule.canonical(), again.canonical());
                let canonical: Molecule = molecule.canonical().parse()
                    .map_err(|e| TestCaseError::fail(format!("{text} → {}: {e}", molecule.canonical())))?;
                prop_assert_eq!(molecule.canonical(), canonical.canonical());
                let _ = (molecule.scaffold(), molecule.largest_fragment());
                paths(&molecule, (1, 5), &mut |_, atoms| atoms.len() < 7);
            }
        }
    }
}
