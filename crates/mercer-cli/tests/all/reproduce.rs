//! `mercer reproduce`.

use crate::run::Folder;

/// A folder with a small table instead of Haberman's: two clouds of 20 objects, with two missing values.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("tables/haberman")).unwrap();
    let mut table = String::from("age,year,nodes,class\n");
    for i in 0..40 {
        let class = 1 + i % 2;
        let nodes = if i == 7 || i == 8 { "?".to_owned() } else { (i * 7 % 11 + 5 * class).to_string() };
        table += &format!("{},{},{nodes},{class}\n", 30 + i * 13 % 17 + 4 * class, 60 + i * 5 % 7);
    }
    folder.write("tables/haberman/haberman.csv", table);
    folder
}

/// Text without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const SMALL: &str = "reproduce random-walk --quick --data tables --only habberman --threads 2";

#[test]
fn a_study_describes_its_protocol() {
    let folder = folder();
    let text = folder.ok(&format!("{SMALL} --base rbf"));
    for part in [
        "Table II, heat kernel (RBF): accuracy in percent",
        "NOT the published protocol",
        "PA (transductive)",
        "74.70",
        "2 missing values are replaced by the median",
        "standardised on each training set",
        "tables V and VI: need the folk-dance features of Kapsouras et al. 2013, which are not available: not run.",
    ] {
        assert!(flat(&text.out).contains(part), "{part}: {}", text.out);
    }
    assert!(text.out.lines().all(|line| line.chars().count() <= 80), "{}", text.out);
    assert!(!text.out.contains("Table I,"), "{}", text.out);
    assert!(text.err.contains("plan: 1 data sets"), "{}", text.err);
    let markdown = folder.ok(&format!("{SMALL} --base rbf --markdown"));
    assert!(markdown.out.contains("| habberman | PSV"), "{}", markdown.out);
}

#[test]
fn documents_contain_every_choice_and_resume() {
    let folder = folder();
    let args = format!("{SMALL} --base inner-product --method pt,PA --json");
    let whole = folder.ok(&args);
    let document = whole.json();
    assert_eq!(
        (document["schema"].as_str(), document["command"].as_str()),
        (Some("mercer/2"), Some("reproduce"))
    );
    assert_eq!((document["kind"].as_str(), document["version"].as_u64()), (Some("random-walk"), Some(1)));
    assert_eq!(document["full_protocol"], false);
    assert_eq!(document["settings"]["repetitions"], 2);
    let outcome = &document["outcomes"][0];
    assert_eq!((&outcome["data"], &outcome["base"]), (&"habberman".into(), &"inner-product".into()));
    assert_eq!(
        (&outcome["objects"], &outcome["gaps"], &outcome["scaled"]),
        (&40.into(), &2.into(), &true.into())
    );
    assert_eq!(outcome["base_kernel"]["scores"].as_array().unwrap().len(), 4);
    assert_eq!(outcome["base_kernel"]["published"], 73.46);
    // In the order of the paper, whatever the order of the options.
    let walks = outcome["walks"].as_array().unwrap();
    let methods: Vec<_> =
        walks.iter().map(|w| (w["method"].as_str().unwrap(), w["transductive"].as_bool().unwrap())).collect();
    assert_eq!(methods, [("PA", true), ("PT", false)]);
    for walk in walks {
        assert_eq!(walk["powers"].as_array().unwrap().len(), 7);
        assert_eq!(walk["powers"][2]["splits"].as_array().unwrap().len(), 4);
        assert_eq!(walk["grid_search"]["p"].as_array().unwrap().len(), 4);
        assert!((2..=7).contains(&walk["best_power"]["p"].as_u64().unwrap()));
        assert_eq!(walk["grid_search"]["published"], 73.46);
        assert!(walk["grid_search"]["five_by_two_f"].is_null());
    }
    assert_eq!(document["counts"].as_array().unwrap().len(), 4);

    let resumable = format!("{args} --journal-dir journals");
    assert_eq!(folder.ok(&resumable).out, whole.out);
    let journal = "journals/habberman-inner-product-PT.journal";
    let noted = folder.read(journal);
    folder.write(journal, &noted[..noted.len() * 2 / 3]);
    assert_eq!(folder.ok(&resumable).out, whole.out);
    // Finished fits are recorded in any order, and the number of records per line depends on timing.
    let notes = |bytes: &[u8]| {
        let lines = std::str::from_utf8(bytes).unwrap().lines().skip(1);
        let mut notes: Vec<String> = lines
            .map(|line| line.split_once(' ').unwrap().1)
            .flat_map(|record| serde_json::from_str::<Vec<serde_json::Value>>(record).unwrap())
            .map(|note| note.to_string())
            .collect();
        notes.sort();
        notes
    };
    assert_eq!(notes(&folder.read(journal)), notes(&noted));
    let other = folder.run(&format!("{resumable} --seed 1"));
    assert_eq!(other.code, Some(2), "{}{}", other.out, other.err);
    assert!(other.json()["error"]["message"].as_str().unwrap().contains("not the journal of this search"));
}

#[test]
fn missing_data_sets_are_refused() {
    let folder = folder();
    folder.refused("reproduce random-walk --only Balanse", "E_PARAM only = 'Balanse': ");
    folder.refused("reproduce random-walk --data nowhere", "E_PARAM data = nowhere: ");
    folder.refused("reproduce random-walk --only Iris", "E_USAGE none of these data sets was found");
    folder.refused(
        "reproduce random-walk --only Iris --data tables",
        "E_USAGE none of these data sets was found",
    );
}

/// A collection of 24 graphs: paths of one class, cycles of the other, with labels by turns.
fn graphs() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("graphs/RINGS")).unwrap();
    let (mut arcs, mut nodes, mut classes, mut labels) =
        (vec![], String::new(), String::new(), String::new());
    let mut first = 1;
    for g in 0..24 {
        let n = 4 + g / 2 % 4;
        let closed = g % 2;
        for i in 0..n {
            nodes += &format!("{}\n", g + 1);
            labels += &format!("{}\n", (i + g) % 2);
            if i + 1 < n || closed == 1 {
                let (a, b) = (first + i, first + (i + 1) % n);
                arcs.push(format!("{a}, {b}\n{b}, {a}\n"));
            }
        }
        classes += &format!("{closed}\n");
        first += n;
    }
    folder.write("graphs/RINGS/RINGS_A.txt", arcs.concat());
    folder.write("graphs/RINGS/RINGS_graph_indicator.txt", nodes);
    folder.write("graphs/RINGS/RINGS_graph_labels.txt", classes);
    folder.write("graphs/RINGS/RINGS_node_labels.txt", labels);
    folder
}

#[test]
fn graph_kernels_compared_with_baselines() {
    let folder = graphs();
    let args = "reproduce graphs --quick --data graphs --only rings --kernel wl,random-walk --threads 2";
    let text = folder.ok(args);
    for part in [
        "RINGS, 24 graphs",
        "majority",
        "graph size only",
        "label counts only",
        "WL subtree",
        "geometric walk",
    ] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
    assert!(!text.out.contains("pyramid"), "{}", text.out);
    assert!(text.err.contains("plan: 1 collections, 10 kernels"), "{}", text.err);
    let document = folder.ok(&format!("{args} --json --journal-dir journals")).json();
    assert_eq!((document["kind"].as_str(), document["version"].as_u64()), (Some("graphs"), Some(1)));
    let outcomes = document["outcomes"].as_array().unwrap();
    let of = |name: &str| outcomes.iter().find(|o| o["method"] == name).unwrap();
    // The number of nodes with one neighbour separates paths from cycles; one WL iteration detects it.
    assert_eq!(of("WL subtree")["accuracy"], 1.0);
    assert!(of("majority")["accuracy"].as_f64().unwrap() < 0.8);
    assert_eq!(of("WL subtree")["splits"].as_array().unwrap().len(), 10);
    assert!(folder.path("journals/RINGS-WL-subtree.journal").is_file());
    let markdown = folder.ok(&format!("{args} --markdown"));
    assert!(markdown.out.contains("| WL subtree "), "{}", markdown.out);
}

#[test]
fn missing_graph_collections_are_refused() {
    let folder = graphs();
    folder.refused("reproduce graphs --only RINX", "E_PARAM only = 'RINX': ");
    folder.refused("reproduce graphs --data nowhere", "E_PARAM data = nowhere: ");
    folder.refused("reproduce graphs --kernel wll", "E_PARAM kernel = 'wll': ");
}

#[test]
fn worked_examples_of_chapter_and_slides() {
    let folder = Folder::new();
    for (study, printed, shown, misprint) in [
        (
            "chapter",
            196,
            "0.75 0.02 0.11 0.11 0.02 0.75 0.02 0.11 0.11 0.02",
            "binomial expansion is printed with k = 1..q",
        ),
        ("slides", 55, "K_WL 11 11", "the sign of ξ_i is +"),
    ] {
        let told = folder.ok(&format!("reproduce {study}"));
        assert!(told.out.starts_with("0 values deviate"), "{}", told.out);
        assert!(told.out.lines().all(|line| line.chars().count() <= 80), "{}", told.out);
        let text = flat(&told.out);
        assert!(text.contains(shown) && text.contains(misprint), "{}", told.out);
        assert!(text.contains(&format!("{printed} of {printed} printed values agree")), "{}", told.out);
        let document = folder.ok(&format!("reproduce {study} --json")).json();
        assert_eq!((document["kind"].as_str(), document["disagree"].as_u64()), (Some(study), Some(0)));
        let values = document["values"].as_array().unwrap();
        let known = values.iter().filter(|v| v["printed"].is_number());
        assert_eq!(known.clone().count(), printed);
        // Within half a unit of the second decimal, and computed rather than copied.
        assert!(known.clone().all(|v| v["deviation"].as_f64().unwrap() <= 0.005));
        if study == "chapter" {
            assert!(known.clone().any(|v| v["computed"] != v["printed"]));
        }
        folder.ok(&format!("reproduce {study} --report {study}.html -q"));
        assert!(folder.has(&format!("{study}.html")));
    }
}

/// A folder with 40 molecules instead of ESOL, for the study of the similarity kernel.
#[test]
fn a_stand_in_for_table_3_and_notes_for_the_rest() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("data/molecules/ESOL")).unwrap();
    let mut table = String::from(
        "Compound ID,ESOL predicted log solubility in mols per litre,Molecular Weight,Number of Rings,\
         measured log solubility in mols per litre,smiles\n",
    );
    for i in 0..40 {
        let (carbons, rings) = (1 + i % 7, i % 3);
        let smiles = format!("{}{}", "C".repeat(carbons), ["O", "c1ccccc1", "N"][rings]);
        // The prediction of another model would leak the target.
        let target = 0.5 - 0.6 * carbons as f64 - rings as f64 + 0.01 * (i * 7 % 5) as f64;
        table += &format!("m{i},{target},{},{rings},{target},{smiles}\n", 14 * carbons + 60 * rings);
    }
    folder.write("data/molecules/ESOL/ESOL.csv", table);
    let args = "reproduce similarity --data data --part molecules,text --quick --threads 2";
    let told = folder.ok(args);
    let text = flat(&told.out);
    for part in [
        "string SVR 0.6144 0.7915",
        "similarity, string + descriptors 0.5891 0.7753",
        "ESOL MAE ESOL RMSE",
        "Substitute for table 3",
        "table 2 (visual concepts): needs the images and tags of Yahoo! MIR Flickr, which are not available",
        "not found, not run: sms_spam",
    ] {
        assert!(text.contains(part), "{part}: {}", told.out);
    }
    assert!(told.out.lines().all(|line| line.chars().count() <= 80), "{}", told.out);
    let document = folder.ok(&format!("{args} --json")).json();
    let outcome = &document["outcomes"][0];
    assert_eq!(
        (outcome["scores"].as_array().unwrap().len(), outcome["rmse"].as_array().unwrap().len()),
        (5, 5)
    );
    // The columns a model may see: no identifier, no prediction of the target.
    assert!(outcome["scores"][0].as_f64().unwrap() > 0.0);
}
