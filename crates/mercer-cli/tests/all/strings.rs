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

/// What a symbol in place of another would change: the table, the heat maps, and what has no such answer.
#[test]
fn substitutions_show_the_motif() {
    let folder = Folder::new();
    folder.write("a.fasta", sequences(40));
    folder.ok(
        "fit a.fasta -k normalize(gapped-kmer(l=7,k=5,reverse-complement=yes)) -l svc(C=10) -o m.mercer -q",
    );
    folder.write("new.fasta", ">x\nACCGGATTACAACCG\n>lower\naccgccccnccaccg\n");
    let run = folder.ok("predict m.mercer new.fasta --mutate");
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "id,position,from,to,value,change");
    // Three other symbols at each of 15 positions, and four in place of the ambiguous one.
    assert_eq!(lines.len(), 1 + 3 * 15 + 3 * 14 + 4, "{}", run.out);
    assert!(run.err.contains("above 0 for "), "{}", run.err);
    let mut notes = run.err.lines().filter(|line| !line.starts_with("W_"));
    assert!(notes.all(|line| line.chars().count() <= 100), "{}", run.err);
    let run = folder.ok("predict m.mercer new.fasta --mutate --json").json();
    let found = &run["substitutions"][0];
    let size = |position: usize| {
        let row = found["changes"][position].as_array().unwrap();
        row.iter().map(|v| v.as_f64().unwrap().abs()).fold(0.0, f64::max)
    };
    // The middle of the motif matters more than the ends of the string.
    assert!(size(7) > 2.0 * size(0) && size(7) > 2.0 * size(14), "{found}");
    let value = |i: usize| run["substitutions"][i]["value"].as_f64().unwrap();
    let plain = folder.ok("predict m.mercer new.fasta --decisions --json").json();
    for i in 0..2 {
        assert_eq!(plain["decisions"]["values"][i][0].as_f64().unwrap(), value(i));
    }
    let run = folder.ok("predict m.mercer new.fasta --mutate-svg why -o changes.csv");
    assert!(run.out.contains("why: 2 images") && run.out.contains("x: "), "{}", run.out);
    assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    assert_eq!(String::from_utf8(folder.read("changes.csv")).unwrap().lines().count(), lines.len());
    let image = String::from_utf8(folder.read("why/1.svg")).unwrap();
    assert!(image.starts_with("<svg") && image.ends_with("</svg>\n") && image.contains("orange: towards "));
    // Symbols outside the alphabet, an empty sequence, a model without strings.
    folder.write("bad.fasta", ">x\nACC-G\n");
    folder.refused("predict m.mercer bad.fasta --mutate", "bad.fasta:2:4 E_ALPHABET ");
    folder.write("empty.fasta", ">x\n>y\nACC\n");
    folder.refused("predict m.mercer empty.fasta --mutate", "empty.fasta:1:1 E_SEQ_EMPTY");
    folder.ok("fit iris -k linear -l svc -o iris.mercer -q");
    folder.refused("predict iris.mercer iris --mutate", "E_USAGE the model uses no strings");
    // Shorter than the window: no feature before and after.
    folder.write("short.fasta", ">x\nACC\n");
    let run = folder.ok("predict m.mercer short.fasta --mutate -q");
    assert!(run.out.lines().skip(1).all(|line| line.ends_with(",0")), "{}", run.out);
}

/// A model of proteins replaces amino acids, also in a string that could be DNA.
#[test]
fn substitutions_have_the_alphabet_of_the_training_set() {
    let folder = Folder::new();
    let mut all = String::new();
    for i in 0..20 {
        let (class, motif) = if i % 2 == 0 { ("yes", "WWHC") } else { ("no", "KLED") };
        all += &format!(">s{i} class={class}\nMKV{motif}{}\n", &"ACGTRNDQEGHILKMFPSTW"[i..]);
    }
    folder.write("a.fasta", all);
    folder.ok("fit a.fasta -k spectrum(k=2,alphabet=protein) -l svc -o m.mercer -q");
    folder.write("new.fasta", ">x\nACGT\n");
    let run = folder.ok("predict m.mercer new.fasta --mutate -q");
    assert_eq!(run.out.lines().count(), 1 + 4 * 19, "{}", run.out);
}

#[test]
fn weights_of_gapped_kmers_are_checked() {
    let folder = Folder::new();
    folder.write("a.fasta", ">a\nACGTTGCANNACGTTGCA\n>b\nAC\n>c\nGGTTAACCGGTT\n");
    let refused = |kernel: &str, expected: &str| {
        let run = folder.run(&format!("gram a.fasta -k {kernel} -o K.npy -q"));
        assert!(run.code == Some(2) && run.err.contains(expected), "{kernel}: {}", run.err);
    };
    refused("gapped-kmer(l=13,k=6,weights=truncated)", "at most 12 for these weights");
    refused("gapped-kmer(l=6,k=3,alphabet=protein,weights=estimated)", "at most 5 for these weights");
    refused("gapped-kmer(l=6,k=7)", "from 1 to l = 6");
    refused("gapped-kmer(l=6,k=4,half-life=-1)", "half-life");
    refused("gapped-kmer(l=6,k=4,half-life=5,peak=0)", "peak");
    refused("gapped-kmer(weights=most)", "gapped, estimated, truncated");
    refused("gapped-kmer(alphabet=protein,reverse-complement=yes)", "reverse-complement");
    refused("weighted-degree-shifts(shift=2)", "weighted-degree-shifts compares strings of one length");
    let run = folder.ok("gram a.fasta -k gapped-kmer(l=4,k=3,weights=truncated,half-life=3) -o K.npy");
    assert!(run.err.contains("W_SHORT 1 of 3") && run.err.contains("W_ALPHABET 2 of "), "{}", run.err);
}
