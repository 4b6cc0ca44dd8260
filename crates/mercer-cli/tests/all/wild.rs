//! Files from the wild, from file to model without a flag but the target: a passenger list, taxi trips, molecules, DNA.

use std::path::PathBuf;

use crate::run::Folder;

/// A file of the shared data sets; says so where there is none.
fn shared(name: &str) -> Option<PathBuf> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("MERCER_DATA").map_or(default, PathBuf::from).join(name);
    if !path.is_file() {
        println!("skipped: {name} is not there; MERCER_DATA names the folder of the data sets");
        return None;
    }
    Some(path)
}

/// The folder with a copy of the file, and what `auto` says about it.
fn learned(file: &str, target: &str) -> Option<(Folder, String)> {
    let folder = Folder::new();
    folder.write("data", std::fs::read(shared(file)?).unwrap());
    let mut command = folder.command("auto data --budget 4 --sample 150 -o m.mercer");
    if !target.is_empty() {
        command.args(["--target", target]);
    }
    let run = crate::run::Run::of(&mut command);
    assert_eq!(run.code, Some(0), "{file}: {}", run.err);
    // A model needs no flags again.
    folder.ok("predict m.mercer data -o p.csv -q");
    Some((folder, run.out + &run.err))
}

#[test]
fn a_passenger_list() {
    let Some((_, said)) = learned("wild/titanic/titanic_raw.csv", "survived") else { return };
    assert!(said.contains("891 objects, 10 columns; predicting survived, 2 classes"), "{said}");
    assert!(said.contains("W_IDENTIFIER column 'name'"), "{said}");
}

#[test]
fn taxi_trips() {
    let Some((folder, said)) = learned("wild/taxis/taxis.csv", "total") else { return };
    assert!(said.contains("6433 objects, 13 columns; predicting total, a number"), "{said}");
    let shown = folder.ok("inspect data --target total").out;
    assert!(shown.contains("pickup           times"), "{shown}");
}

#[test]
fn photoswitches() {
    let target = "E isomer pi-pi* wavelength in nm";
    let Some((folder, said)) = learned("molecules/Photoswitch/Photoswitch.csv", target) else { return };
    assert!(said.contains("W_INDEX the first column has no name and numbers the rows (0 to 404)"), "{said}");
    assert!(said.contains("13 of 405 rows have no value in target"), "{said}");
    let predicted = String::from_utf8(folder.read("p.csv")).unwrap();
    assert_eq!(predicted.lines().count(), 406);
    assert!(predicted.lines().last().unwrap().starts_with("404,"), "{predicted}");
}

#[test]
fn binding_sites() {
    let Some((folder, said)) = learned("strings/fastsk_EP300/EP300.train.fasta", "") else { return };
    assert!(said.contains("the headers repeat and are read as the classes: '1', '0'"), "{said}");
    folder.write("test", std::fs::read(shared("strings/fastsk_EP300/EP300.test.fasta").unwrap()).unwrap());
    let said = folder.ok("fit data -k normalize(spectrum(k=5)) --test test -o t.mercer").out;
    assert!(said.contains("2000 objects of the test set"), "{said}");
}
