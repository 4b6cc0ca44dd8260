use std::path::Path;

use crate::data::{Dataset, Kind, Values};
use crate::error::{Code, Result};
use crate::{MoleculeGroups, MoleculeOptions, Options, read_bytes};

fn csv(text: &str, options: &Options) -> Result<Dataset> {
    read_bytes(Path::new("molecules.csv"), text.as_bytes(), options)
}

fn kind(data: &Dataset, column: &str) -> Kind {
    data.column(column).unwrap().values.kind()
}

fn skipping() -> Options {
    let molecules = MoleculeOptions { skip_invalid: true, ..MoleculeOptions::default() };
    Options { molecules, ..Options::default() }
}

fn typed(column: &str, kind: Kind) -> Options {
    Options { kinds: [(column.to_owned(), kind)].into(), ..Options::default() }
}

const NAMED: &str = "SMILES,y\nCCO,1.5\nc1ccccc1,2.5\nCC(=O)O,3.5\n";

#[test]
fn columns_are_recognised_by_name() {
    let data = csv(NAMED, &Options::default()).unwrap();
    assert_eq!(kind(&data, "SMILES"), Kind::Molecules);
    let Values::Molecules(all) = &data.columns()[0].values else { panic!("{data:?}") };
    assert_eq!((all[1].atoms().len(), all[2].text()), (6, "CC(=O)O"));
    let data = csv(NAMED, &typed("SMILES", Kind::Strings)).unwrap();
    assert_eq!(kind(&data, "SMILES"), Kind::Strings);
    // The name alone is not enough.
    assert_eq!(
        kind(&csv("smiles,y\nhappy,1\nsad,2\nwide,3\n", &Options::default()).unwrap(), "smiles"),
        Kind::Strings
    );
}

#[test]
fn columns_are_recognised_by_evidence() {
    let texts = [
        "CCO",
        "c1ccccc1",
        "CC(=O)O",
        "C#N",
        "CCN(CC)CC",
        "OC(=O)c1ccccc1",
        "CC(C)C",
        "C1CCCCC1",
        "C=CC",
        "c1ccncc1",
        "CO",
    ];
    let table = |values: &[&str]| {
        let rows: Vec<String> = values.iter().enumerate().map(|(i, v)| format!("{v},{i}.5")).collect();
        format!("structure,y\n{}\n", rows.join("\n"))
    };
    assert_eq!(kind(&csv(&table(&texts), &Options::default()).unwrap(), "structure"), Kind::Molecules);
    // One word that is no SMILES, too few values, or words that happen to be SMILES.
    let mut wrong = texts.to_vec();
    wrong.push("ethanol");
    assert_eq!(kind(&csv(&table(&wrong), &Options::default()).unwrap(), "structure"), Kind::Strings);
    assert_eq!(kind(&csv(&table(&texts[..5]), &Options::default()).unwrap(), "structure"), Kind::Strings);
    let words = ["CON", "NO", "SO", "BO", "POSS", "OFF", "FOB", "SOB", "NOB", "COB", "BOB", "SON"];
    assert_eq!(kind(&csv(&table(&words), &Options::default()).unwrap(), "structure"), Kind::Strings);
    let data = csv(&table(&texts[..5]), &typed("structure", Kind::Molecules)).unwrap();
    assert_eq!(kind(&data, "structure"), Kind::Molecules);
}

#[test]
fn invalid_smiles_are_located_or_skipped() {
    let text = "smiles,y\nCCO,1.5\nC1CC,2.5\nCC,3.5\nCCC(,4.5\nO,5.5\n";
    let error = csv(text, &Options::default()).unwrap_err();
    assert_eq!(error.code(), Code::Molecule);
    let shown = error.to_string();
    assert!(shown.contains("row 2, column 'smiles': ring bond 1 is never closed"), "{shown}");
    assert!(shown.contains("\n  C1CC\n   ^"), "{shown}");
    assert!(error.hint().unwrap().contains("skip-invalid"));
    let data = csv(text, &skipping()).unwrap();
    assert_eq!(data.len(), 3);
    let warning = data.warnings().iter().find(|w| w.code == "W_INVALID").unwrap();
    assert!(
        warning.message.starts_with("2 of 5 rows left out") && warning.message.contains("row 2, 4"),
        "{warning}"
    );
}

#[test]
fn empty_cells_are_missing_and_mixtures_are_kept_or_reduced() {
    let text = "smiles,y\nCCO,1\n,2\n[Na+].CC(=O)[O-],3\nCC,4\n";
    let data = csv(text, &Options::default()).unwrap();
    let column = &data.columns()[0];
    assert_eq!((column.missing(), column.values.is_missing(1)), (1, true));
    let Values::Molecules(all) = &column.values else { panic!() };
    assert_eq!(all[2].atoms().len(), 5);
    let molecules = MoleculeOptions { largest_fragment: true, ..MoleculeOptions::default() };
    let data = csv(text, &Options { molecules, ..Options::default() }).unwrap();
    let Values::Molecules(all) = &data.columns()[0].values else { panic!() };
    assert_eq!((all[2].atoms().len(), all[2].text()), (4, "CC(=O)[O-]"));
}

#[test]
fn duplicates_are_found_in_any_notation() {
    let data = csv("smiles,y\nOCC,1\nC1=CC=CC=C1O,2\nCCO,3\nOc1ccccc1,4\n", &Options::default()).unwrap();
    let warning = data.warnings().iter().find(|w| w.code == "W_DUPLICATES").unwrap();
    assert!(
        warning.message.contains("2 of 4 molecules") && warning.message.contains("row 1 and row 3"),
        "{warning}"
    );
    assert!(csv(NAMED, &Options::default()).unwrap().warnings().is_empty());
}

#[test]
fn files_of_smiles_have_names() {
    let read = |text: &str, options: &Options| read_bytes(Path::new("a.smi"), text.as_bytes(), options);
    let data = read("CCO ethanol\nc1ccccc1\tbenzene\n# comment\n\nC methane\n", &Options::default()).unwrap();
    assert_eq!(kind(&data, "smiles"), Kind::Molecules);
    assert_eq!(data.ids().unwrap(), ["ethanol", "benzene", "methane"]);
    let data = read("smiles name\nCCO\nCC\n", &Options::default()).unwrap();
    assert_eq!((data.len(), data.ids()), (2, None));
    let error = read("CCO ethanol\n  CC(C propane\n", &Options::default()).unwrap_err();
    assert_eq!(error.code(), Code::Molecule);
    assert!(error.to_string().contains("a.smi:2:5"), "{error}");
    assert_eq!(read("CCO\nxx\nC\n", &skipping()).unwrap().len(), 2);
    assert_eq!(read("xx\n", &skipping()).unwrap_err().code(), Code::Molecule);
    assert_eq!(read("# none\n", &Options::default()).unwrap_err().code(), Code::Empty);
}

#[test]
fn molecules_have_groups_by_scaffold_or_cluster() {
    let by = |word: &str| {
        let molecules =
            MoleculeOptions { group_by: MoleculeGroups::from_word(word), ..MoleculeOptions::default() };
        Options { molecules, ..Options::default() }
    };
    let text = "smiles,y\nCc1ccccc1,1\nCCO,2\nCCc1ccccc1,3\nC1CCCCC1C,4\nCCCO,5\n";
    let data = csv(text, &by("scaffold")).unwrap();
    let groups = data.groups().unwrap();
    assert_eq!(data.group_name(), Some("scaffold"));
    assert_eq!([0, 1, 2, 3, 4].map(|i| groups.get(i).unwrap()), ["c1ccccc1", "", "c1ccccc1", "C1CCCCC1", ""]);
    let groups = csv(text, &by("butina(0.7)")).unwrap();
    let groups = groups.groups().unwrap();
    assert!(groups.code(0) == groups.code(2) && groups.code(0) != groups.code(1));
    assert_eq!(csv("a,y\n1,2\n3,4\n", &by("scaffold")).unwrap_err().code(), Code::Column);
    let both = Options { group: Some("y".into()), ..by("butina") };
    assert_eq!(csv(text, &both).unwrap_err().code(), Code::Column);
    assert!(
        ["", "scaffolds", "butina(2)", "butina(x)", "butina("]
            .iter()
            .all(|w| MoleculeGroups::from_word(w).is_none())
    );
}

#[test]
fn a_column_that_is_nearly_smiles_is_not_silent() {
    let value =
        |i: usize| if i % 50 == 7 { "C1CC(".to_owned() } else { format!("{}c1ccccc1", "C".repeat(1 + i)) };
    let rows: String = (0..100).map(|i| format!("{},{i}.5\n", value(i))).collect();
    let table = format!("structure,y\n{rows}");
    let data = csv(&table, &Options::default()).unwrap();
    assert_eq!((data.len(), kind(&data, "structure")), (100, Kind::Strings));
    let said = &data.warnings().iter().find(|w| w.code == "W_MIXED").unwrap().message;
    assert!(said.contains("98 of the first 99 values are SMILES, 'C1CC(' is none"), "{said}");
    let molecules = crate::MoleculeOptions { skip_invalid: true, ..crate::MoleculeOptions::default() };
    let data = csv(&table, &Options { molecules, ..Options::default() }).unwrap();
    assert_eq!((data.len(), kind(&data, "structure")), (98, Kind::Molecules));
}

#[test]
fn a_column_of_smiles_with_few_that_can_be_read_is_not_silent() {
    let data = csv("smiles,y\nCCO,1.5\nC1CC,2.5\nc1ccccc,3.5\nCC(C,4.5\n", &Options::default()).unwrap();
    assert_ne!(kind(&data, "smiles"), Kind::Molecules);
    let said = &data.warnings().iter().find(|w| w.code == "W_MIXED").unwrap().message;
    assert!(
        said.starts_with("smiles: 1 of the first 4 values are SMILES, 'C1CC' is none; read as"),
        "{said}"
    );
    // A name alone makes no molecules.
    let data = csv("smiles,y\nnever,1.5\noften,2.5\n", &Options::default()).unwrap();
    assert!(data.warnings().iter().all(|w| w.code != "W_MIXED"));
}
