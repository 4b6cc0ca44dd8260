//! Molecules, from SMILES in a table to models, groups and explanations.

use crate::run::Folder;

/// Alcohols, acids, amines and aromatic compounds, with a number that grows with their size.
fn table(count: usize) -> String {
    let mut out = String::from("smiles,activity\n");
    for i in 0..count {
        let chain = "C".repeat(1 + i % 7);
        let group = ["O", "C(=O)O", "N", "c1ccccc1", "C1CCCCC1", "c1ccncc1"][i % 6];
        out += &format!(
            "{chain}{group},{:.2}\n",
            (1 + i % 7) as f64 * 0.7 + (i % 6) as f64 / 3.0 + i as f64 / 1000.0
        );
    }
    out
}

#[test]
fn smiles_are_recognised_fitted_and_explained() {
    let folder = Folder::new();
    folder.write("a.csv", table(42));
    let told = folder.ok("inspect a.csv --target activity").out;
    assert!(told.contains("molecules") && told.contains("heavy atoms"), "{told}");
    folder.ok("fit a.csv --target activity -k ecfp(radius=1) -l ridge(lambda=0.1) -o m.mercer -q");
    folder.write("new.csv", "smiles\nCCCO\nCCCCc1ccccc1\n");
    let told = folder.ok("predict m.mercer new.csv --explain 2 --json").json();
    assert_eq!(told["predictions"].as_array().unwrap().len(), 2);
    let why = &told["explanations"][0];
    assert!(why["features"][0]["nodes"][0].as_array().is_some_and(|atoms| !atoms.is_empty()), "{why}");
    // Another notation of a molecule has the same prediction.
    folder.write("same.csv", "smiles\nOCCC\nC1=CC=CC=C1CCCC\n");
    let again = folder.ok("predict m.mercer same.csv --json").json();
    for row in 0..2 {
        let value = |of: &serde_json::Value| {
            let one = &of["predictions"][row];
            one.as_f64().or_else(|| one["value"].as_f64()).or_else(|| one["prediction"].as_f64())
        };
        assert!((value(&told).unwrap() - value(&again).unwrap()).abs() < 1e-9, "{told} {again}");
    }
}

#[test]
fn invalid_smiles_have_a_row_and_a_caret() {
    let folder = Folder::new();
    folder.write("a.csv", "smiles,y\nCCO,1.5\nC1CC,2.5\nc1ccccc,3.5\nCC,4.5\nCO,5.5\nCCN,6.5\n");
    let run = folder.run("inspect a.csv --target y");
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(
        run.err.contains("E_MOLECULE row 2, column 'smiles': ring bond 1 is never closed"),
        "{}",
        run.err
    );
    assert!(run.err.contains("C1CC\n   ^") || run.err.contains("C1CC\n     ^"), "{}", run.err);
    let run = folder.ok("inspect a.csv --target y --skip-invalid");
    assert!(
        run.out.contains("4 objects") && run.err.contains("W_INVALID 2 of 6 rows left out"),
        "{}{}",
        run.out,
        run.err
    );
}

#[test]
fn similar_molecules_stay_together_in_splits() {
    let folder = Folder::new();
    folder.write("a.csv", table(42));
    let kernel = "-k tanimoto(ecfp) -l ridge(lambda=0.1)";
    for by in ["scaffold", "butina(0.5)"] {
        let told = folder
            .ok(&format!("evaluate a.csv --target activity {kernel} --group-by {by} --protocol group-3-fold"))
            .out;
        assert!(told.contains("group-3-fold"), "{told}");
    }
    let run = folder.run(&format!("evaluate a.csv --target activity {kernel} --group-by rings"));
    assert!(run.code == Some(2) && run.err.contains("scaffold, butina"), "{}", run.err);
    folder.write("b.csv", "a,y\n1,2\n3,4\n5,6\n");
    let run = folder.run("inspect b.csv --target y --group-by scaffold");
    assert!(run.code == Some(2) && run.err.contains("need a column of SMILES"), "{}", run.err);
}

#[test]
fn graph_kernels_take_molecules_with_chosen_labels() {
    let folder = Folder::new();
    folder.write("a.smi", "CCF fluoroethane\nCCCl chloroethane\nCCCC butane\n");
    let told = folder.ok("gram a.smi -k normalize(wl(h=1,ignore=others)) -q").out;
    assert!(told.contains("1.000000"), "{told}");
    let by = |labels: &str| {
        folder.ok(&format!("gram a.smi -k atoms(wl(h=0,ignore=others),labels={labels}) -q")).out
    };
    assert_ne!(by("element"), by("atom"));
    assert_ne!(by("element"), by("pharmacophore"));
    let run = folder.run("gram a.smi -k spectrum(k=2) -q");
    assert!(run.code == Some(2) && run.err.contains("molecules"), "{}", run.err);
}

#[test]
fn predictions_are_drawn_and_come_with_near_molecules() {
    let folder = Folder::new();
    folder.write("a.csv", table(42));
    folder.ok("fit a.csv --target activity -k tanimoto(ecfp(radius=1)) -l svr(C=10) -o m.mercer -q");
    folder.write("new.csv", "smiles\nCCCO\nCCCCc1ccccc1\n");
    let run = folder.ok("predict m.mercer new.csv --explain-svg why --nearest 2");
    // The SMILES, signs below it, and atoms in order of their contributions.
    assert!(run.out.contains("CCCCc1ccccc1\n") && run.out.contains("atoms: "), "{}", run.out);
    assert!(run.out.contains("nearest training molecule") && run.out.contains("1.000"), "{}", run.out);
    assert!(run.err.contains("no inner product"), "{}", run.err);
    for file in ["why/1.svg", "why/2.svg"] {
        let svg = String::from_utf8(folder.read(file)).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("<circle"), "{svg}");
    }
    let told = folder.ok("predict m.mercer new.csv --explain 3 --nearest 2 --json").json();
    for (i, why) in told["explanations"].as_array().unwrap().iter().enumerate() {
        let structure = &why["structures"][0];
        let sum = |name: &str| -> f64 {
            structure[name].as_array().unwrap().iter().filter_map(|v| v.as_f64()).sum()
        };
        let expected = why["value"].as_f64().unwrap() - why["offset"].as_f64().unwrap();
        assert!((sum("nodes") + sum("edges") - expected).abs() < 1e-9, "{why}");
        assert!((why["value"].as_f64().unwrap() - told["predictions"][i].as_f64().unwrap()).abs() < 1e-9);
        assert!(why["local"] == true && structure["svg"].as_str().unwrap().starts_with("<svg"));
    }
    assert_eq!(told["nearest"][0][0]["smiles"], "CCCO");
    let table = folder.ok("predict m.mercer new.csv --nearest 1").out;
    assert!(
        table.starts_with("prediction,nearest_1,similarity_1,target_1\n") && table.contains(",CCCO,1,"),
        "{table}"
    );
    // Other models have no training molecules.
    folder.ok("fit iris -k linear -l svc -o iris.mercer -q");
    let run = folder.run("predict iris.mercer iris --nearest");
    assert!(run.code == Some(2) && run.err.contains("stores no training molecules"), "{}", run.err);
}

#[test]
fn reports_draw_molecules() {
    let folder = Folder::new();
    folder.write("a.csv", table(42));
    folder.ok("evaluate a.csv --target activity -k tanimoto(ecfp) -l ridge(lambda=0.1) --protocol 3-fold --report r.json --plots p -q");
    let run: serde_json::Value = serde_json::from_slice(&folder.read("r.json")).unwrap();
    assert!(
        run["figures"]["cliffs"]["pairs"][0]["molecules"][0]["svg"].as_str().unwrap().starts_with("<svg")
    );
    assert!(run["figures"]["drivers"]["objects"][0]["molecule"].as_str().unwrap().contains("<circle"));
    let text = |name: &str| String::from_utf8(folder.read(name)).unwrap();
    assert!(text("p/molecules.svg").contains("predicted") && text("p/cliffs.svg").contains("similarity"));
}

/// Ethanol and its like as an SD file, with a number each.
fn sd_file() -> String {
    let atom = |symbol: &str| format!("    0.0000    0.0000    0.0000 {symbol:<3} 0  0\n");
    let mut out = String::new();
    for i in 0..24 {
        let (carbons, last) = (1 + i % 6, ["O", "N", "Cl", "F"][i % 4]);
        out += &format!("m{i}\n\n\n{:3}{:3}  0  0  0  0  0  0  0  0999 V2000\n", carbons + 1, carbons);
        (0..carbons).for_each(|_| out += &atom("C"));
        out += &atom(last);
        (1..=carbons).for_each(|at| out += &format!("{at:3}{:3}  1  0\n", at + 1));
        out += &format!("M  END\n> <y>\n{:.1}\n\n$$$$\n", carbons as f64 + i as f64 / 100.0);
    }
    out
}

#[test]
fn sd_files_are_molecules_for_both_kinds_of_kernels() {
    let folder = Folder::new();
    folder.write("a.sdf", sd_file());
    let told = folder.ok("inspect a.sdf --target y").out;
    assert!(told.contains("molecules") && told.contains("heavy atoms"), "{told}");
    for kernel in ["tanimoto(ecfp)", "wl(h=2,ignore=others)", "atoms(wl(h=1,ignore=others))"] {
        folder.ok(&format!("fit a.sdf --target y --target-kind numbers -k {kernel} -l ridge -o m.mercer -q"));
        let told = folder.ok("predict m.mercer a.sdf --json").json();
        assert_eq!(told["predictions"].as_array().unwrap().len(), 24, "{kernel}");
    }
    // A model of graphs reads later files as graphs, without being told.
    folder.ok("fit a.sdf --target y --target-kind numbers --type graph=graphs -k vertex-histogram -l ridge -o g.mercer -q");
    let told = folder.ok("predict g.mercer a.sdf --json").json();
    assert_eq!(told["predictions"].as_array().unwrap().len(), 24);
    let run = folder.run("inspect a.sdf --type graph=graphs --target y");
    assert!(run.code == Some(0) && run.out.contains("graphs"), "{}{}", run.out, run.err);
    let run = folder.run("gram a.sdf --type graph=graphs -k ecfp -q");
    assert!(run.code == Some(2) && run.err.contains("molecules"), "{}", run.err);
    folder.write("bad.sdf", sd_file().replacen(" F ", " Xx", 1));
    let run = folder.run("inspect bad.sdf --target y");
    assert!(run.code == Some(2) && run.err.contains("E_MOLECULE") && run.err.contains("Xx"), "{}", run.err);
    let run = folder.ok("inspect bad.sdf --target y --skip-invalid");
    assert!(run.err.contains("W_INVALID 1 of 24 molecules left out"), "{}", run.err);
}

#[test]
fn auto_tells_the_score_for_new_scaffolds() {
    let folder = Folder::new();
    folder.write("a.csv", table(42));
    let run = folder.ok("auto a.csv --target activity --budget 20 -o m.mercer --json").json();
    let gap = &run["scaffolds"];
    assert_eq!(gap["scaffolds"], 4, "{gap}");
    assert!(gap["score"].as_f64().is_some_and(|score| score > 0.0) || gap["why"].is_string(), "{gap}");
    assert!(run["verdict"]["text"].as_str().unwrap().contains("new s"), "{}", run["verdict"]);
}

#[test]
fn mixtures_are_named_with_their_row() {
    let folder = Folder::new();
    folder.write("a.csv", table(42).replacen("CCC(=O)O,", "[Na+].CCC(=O)[O-],", 1));
    let run = folder.ok("inspect a.csv --target activity");
    assert!(run.err.contains("W_MIXTURES") && run.err.contains("row 2 first"), "{}", run.err);
    assert!(!folder.ok("inspect a.csv --target activity --largest-fragment").err.contains("W_MIXTURES"));
}
