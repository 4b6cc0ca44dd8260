//! Strings and texts, from files to explanations.

use crate::run::Folder;

/// Sequences of two classes: one has GATTACA somewhere, the other does not.
fn sequences(count: usize) -> String {
    let mut out = String::new();
    for i in 0..count {
        let filler = ["ACCG", "CCGT", "TGCC", "GGCT"][i % 4].repeat(3 + i % 3);
        let (class, middle) = if i % 2 == 0 { ("yes", "GATTACA") } else { ("no", "CCCCCCC") };
        out += &format!(">s{i} class={class}\n{filler}\n{middle}{filler}\n");
    }
    out
}

fn messages(count: usize) -> String {
    let mut out = String::from("message,class\n");
    for i in 0..count {
        let (class, text) = match i % 2 {
            0 => ("spam", "win a free prize now"),
            _ => ("ham", "see you at home tonight"),
        };
        out += &format!("{text} number {i} of many,{class}\n");
    }
    out
}

#[test]
fn sequences_are_learned_and_explained() {
    let folder = Folder::new();
    folder.write("a.fasta", sequences(40));
    let told = folder.ok("inspect a.fasta").out;
    assert!(told.contains("40") && told.contains("sequence"), "{told}");
    folder.ok("fit a.fasta -k spectrum(k=7) -l svc(C=10) -o m.mercer -q");
    folder.write("new.fasta", ">x\nACCGGATTACAACCG\n>y\nACCGCCCCCCCACCG\n");
    let told = folder.ok("predict m.mercer new.fasta --explain 1 --json").json();
    let why = &told["explanations"][0];
    assert_eq!((&why["class"], &why["features"][0]["feature"]), (&"yes".into(), &"GATTACA".into()), "{why}");
    assert_eq!(why["features"][0]["nodes"], serde_json::json!([[4]]));
    let text = folder.ok("predict m.mercer new.fasta --explain").out;
    assert!(text.contains("x: yes, +") && text.contains("GATTACA"), "{text}");
}

#[test]
fn linear_models_on_explicit_features() {
    let folder = Folder::new();
    folder.write("a.fasta", sequences(60));
    let refused = folder.run("fit a.fasta -k spectrum(k=7) -l linear-svc -o no.mercer");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("E_PARAM") && refused.err.contains("explicit(kernel)"), "{}", refused.err);
    let told = folder.ok("fit a.fasta -k explicit(spectrum(k=7)) -l linear-svc(C=10) -o l.mercer").out;
    assert!(told.contains("explicit(spectrum(k=7"), "{told}");
    folder.ok("fit a.fasta -k spectrum(k=7) -l svc(C=10) -o k.mercer -q");
    let answers = |model: &str| {
        let run = folder.ok(&format!("predict {model} a.fasta --json")).json();
        run["predictions"].as_array().unwrap().clone()
    };
    assert_eq!(answers("l.mercer").len(), 60);
    assert_eq!(answers("l.mercer"), answers("k.mercer"));
    folder.write("new.fasta", ">x\nACCGGATTACAACCG\n>y\nACCGCCCCCCCACCG\n>z\nTTTTTTTTTTTTTT\n");
    let told = folder.ok("predict l.mercer new.fasta --explain 1 --json").json();
    let why = &told["explanations"][0];
    assert_eq!((&why["class"], &why["features"][0]["feature"]), (&"yes".into(), &"GATTACA".into()), "{why}");
    assert_eq!(why["features"][0]["nodes"], serde_json::json!([[4]]));
    let scores = folder.ok("evaluate a.fasta -k explicit(normalize(spectrum(k=[6,7]))) -l linear-svc(C=[1,10]) --protocol 3-fold --json");
    assert!(scores.json()["measures"][0]["mean"].as_f64().unwrap() > 0.9, "{}", scores.out);
    let refused = folder.run("gram a.fasta -k explicit(mismatch(k=4)) -o no.npy");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("explicit features"), "{}", refused.err);
}

#[test]
fn k_mers_and_terms_by_name() {
    let folder = Folder::new();
    folder.write("a.fasta", ">a\nACACA\n>b\nACA\n");
    folder.ok("map a.fasta -k spectrum(k=2) --kind explicit -o k.csv");
    // Both k-mers occur equally often in both strings; their hashes decide the order.
    assert_eq!(String::from_utf8(folder.read("k.csv")).unwrap(), "CA,AC\n2,2\n1,1\n");
    folder.write("t.csv", messages(20));
    let map = "map t.csv -k terms(linear,weight=count,stop=english,top=4) --type message=text --kind explicit -o t.csv.out.csv";
    folder.ok(map);
    let csv = String::from_utf8(folder.read("t.csv.out.csv")).unwrap();
    assert_eq!(csv.lines().next().unwrap(), "many,number,free,home", "{csv}");
}

#[test]
fn texts_are_learned_and_explained() {
    let folder = Folder::new();
    folder.write("t.csv", messages(40));
    // A word in half of the texts has no inverse document frequency: log 1.
    let kernel = "terms(cosine,weight=tf,stem=english)";
    folder.ok(&format!("fit t.csv --type message=text -k {kernel} -l svc(C=10) -o m.mercer -q"));
    folder.write("new.csv", "message\nfree prizes and unheard-of winnings\nsee you tonight\n");
    let told = folder.ok("predict m.mercer new.csv --type message=text --explain 2 --json").json();
    let why = &told["explanations"];
    assert_eq!((&why[0]["class"], &why[1]["class"]), (&"spam".into(), &"ham".into()), "{why}");
    let features: Vec<&str> =
        why[0]["features"].as_array().unwrap().iter().map(|f| f["feature"].as_str().unwrap()).collect();
    assert!(features.contains(&"free") && features.contains(&"prize"), "{features:?}");
    let judged =
        folder.ok(&format!("evaluate t.csv --type message=text -k {kernel} -l svc --protocol 4-fold -q"));
    assert!(judged.out.contains("accuracy           1.000"), "{}", judged.out);
    // Distances on text, as written in the specification.
    folder
        .ok("fit t.csv --type message=text -k rbf-of(jensen-shannon,gamma=1)@message -l svc -o j.mercer -q");
    folder.ok("fit t.csv --type message=text -k content(standardize(rbf(gamma=0.1))) -l svc -o c.mercer -q");
}
