//! Reports and plots: their content, that they are reproducible, and refused input.

use serde_json::Value;

use crate::run::Folder;

const METHOD: &str = "-k standardize(rbf(gamma=[0.1,1])) -l svc(C=[1,10]) --protocol 3-fold --inner 2-fold";

/// The document in a page.
fn document(page: &str) -> Value {
    let start = page.find("id=\"document\">").unwrap() + "id=\"document\">".len();
    let end = page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..start + end]).unwrap()
}

#[test]
fn a_page_contains_all_figures() {
    let folder = Folder::new();
    let run = folder.ok(&format!("evaluate iris {METHOD} --report out.html --plots figures"));
    assert!(run.err.contains("report: out.html") && run.err.contains("plots: "), "{}", run.err);
    let page = String::from_utf8(folder.read("out.html")).unwrap();
    assert!(page.len() < 3_000_000 && page.starts_with("<!DOCTYPE html>"));
    let found = document(&page);
    let figures = &found["figures"];
    for name in ["predictions", "search", "gram", "spectrum", "components", "drivers"] {
        assert!(figures[name].is_object(), "{name}");
    }
    assert_eq!(figures["missing"], serde_json::json!([]));
    assert_eq!(figures["predictions"]["truth"].as_array().unwrap().len(), 150);
    assert_eq!(figures["search"]["configurations"].as_array().unwrap().len(), 4);
    assert_eq!(found["summary"]["target"]["classes"][0]["objects"], 50);
    let command = found["run"]["command_line"].as_str().unwrap();
    assert!(command.starts_with("mercer evaluate iris -k 'standardize(rbf(gamma=[0.1,1]))' -l"), "{command}");
    for name in [
        "gram",
        "spectrum",
        "components",
        "search",
        "confusion",
        "roc",
        "precision-recall",
        "drivers",
        "folds",
    ] {
        let plot = String::from_utf8(folder.read(&format!("figures/{name}.svg"))).unwrap();
        assert!(plot.starts_with("<svg") && plot.len() > 1000, "{name}");
    }
    // The same from the document, and from the page itself.
    folder.ok(&format!("evaluate iris {METHOD} --report run.json -q"));
    let run = folder.ok("report run.json --plots again");
    assert_eq!(run.out, "run.html\n");
    assert_eq!(folder.read("again/roc.svg"), folder.read("figures/roc.svg"));
    folder.ok("report out.html -o copy.html");
    assert_eq!(folder.read("copy.html"), folder.read("out.html"));
}

#[test]
fn every_command_with_results_writes_reports() {
    let folder = Folder::new();
    folder.ok("auto iris --budget 20 --protocol 3-fold --report auto.json -q");
    let auto: Value = serde_json::from_slice(&folder.read("auto.json")).unwrap();
    assert!(auto["figures"]["gram"].is_object() && auto["tried"][0]["mean"].as_f64().unwrap() > 0.9);
    folder.ok("compare iris -k linear -k rbf -l svc --protocol 3-fold --report compare.json --plots p -q");
    let compare: Value = serde_json::from_slice(&folder.read("compare.json")).unwrap();
    assert_eq!(
        (&compare["kind"], compare["summaries"][0]["objects"].as_u64()),
        (&"comparison".into(), Some(150))
    );
    assert!(folder.has("p/comparison.svg"));
    folder.ok("reproduce random-walk --quick --only Balance1 --base rbf --method pt --report study.json -q");
    let study: Value = serde_json::from_slice(&folder.read("study.json")).unwrap();
    assert!(study["tables"][0]["rows"].as_array().unwrap().len() > 1 && study["run"]["seed"] == 0);
    for name in ["auto", "compare", "study"] {
        folder.ok(&format!("report {name}.json"));
        assert_eq!(
            document(&String::from_utf8(folder.read(&format!("{name}.html"))).unwrap())["schema"],
            "mercer/2"
        );
    }
}

#[test]
fn an_indefinite_kernel_gives_a_warning() {
    let folder = Folder::new();
    folder.ok("evaluate iris -k standardize(sigmoid(gamma=1,c=-1)) -l knn(k=3) --protocol 3-fold --report run.json -q");
    let found: Value = serde_json::from_slice(&folder.read("run.json")).unwrap();
    let warnings = found["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|w| w.as_str().unwrap().starts_with("W_INDEFINITE")), "{warnings:?}");
    assert!(found["figures"]["spectrum"]["negative"].as_u64().unwrap() > 0);
}

#[test]
fn unwritable_or_unreadable_files_are_refused_before_any_work() {
    let folder = Folder::new();
    for (args, says) in [
        (
            "evaluate iris --report out.pdf",
            "--report = out.pdf: must be a file whose name ends in .html or .json",
        ),
        (
            "evaluate iris --report nowhere/out.html",
            "--report = nowhere/out.html: must be a file in an existing folder",
        ),
        ("report absent.json", "absent.json"),
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(2), "{args}: {}", run.err);
        assert!(run.err.contains(says), "{args}: {}", run.err);
    }
    folder.write("torn.json", "{\"schema\": \"mercer/2\",\n \"command\": ");
    folder.write("other.json", "{\"schema\": \"other\"}");
    folder.write("empty.html", "<!DOCTYPE html><p>nothing");
    for (name, says) in [
        ("torn.json", "torn.json:2"),
        ("other.json", "not a run document"),
        ("empty.html", "without a run document"),
    ] {
        let run = folder.run(&format!("report {name}"));
        assert_eq!(run.code, Some(2), "{name}: {}", run.err);
        assert!(run.err.contains(says) && run.err.contains("hint: "), "{name}: {}", run.err);
    }
}
