//! Nodes of one graph in every command, and categorical records.

use crate::run::Folder;

/// Two rings of twelve nodes, joined by one edge; every third node is for training, one is in neither set.
fn rings() -> Folder {
    let folder = Folder::new();
    let mut nodes = "node,split,class\n".to_owned();
    let mut edges = "source,target\n".to_owned();
    for i in 0..24 {
        let (ring, at) = (i / 12, i % 12);
        let split = if i == 5 {
            "none"
        } else if at % 3 == 0 {
            "train"
        } else {
            "test"
        };
        nodes += &format!("n{i},{split},{}\n", ["left", "right"][ring]);
        edges += &format!("n{i},n{}\n", ring * 12 + (at + 1) % 12);
    }
    edges += "n0,n12\n";
    folder.write("nodes.csv", nodes);
    folder.write("edges.csv", edges);
    folder
}

/// The error message of a refused command.
#[track_caller]
fn refusal(folder: &Folder, args: &str) -> String {
    let run = folder.run(args);
    assert_eq!(run.code, Some(2), "{args}: {}{}", run.out, run.err);
    run.err
}

const DATA: &str = "nodes.csv --edges edges.csv";

#[test]
fn evaluated_on_a_given_split() {
    let folder = rings();
    let told = folder
        .ok(&format!("evaluate {DATA} --split-column split -k node-diffusion(beta=[1,4]) -l svc(C=10)"));
    for part in ["train-test", "transductive", "majority class", "label propagation (alpha = 0.9)"] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    assert!(told.err.contains("W_SPLIT 1 objects left out"), "{}", told.err);
    assert!(told.err.contains("W_TRANSDUCTIVE"), "{}", told.err);
    let told = folder.ok(&format!("evaluate {DATA} --split-column split -k pagerank -l knn(k=1) --json"));
    assert_eq!(told.json()["label_propagation"], 1.0);
    let told = folder.ok(&format!("inspect {DATA} --type split=categories")).out;
    assert!(told.contains("of a graph of 24 nodes and 25 edges"), "{told}");
}

#[test]
fn fitted_to_some_nodes_and_used_to_predict_others() {
    let folder = rings();
    let fit = format!(
        "fit {DATA} --split-column split -k regularized-laplacian(beta=5) -l svc(C=10) -o m.mercer -q"
    );
    folder.ok(&fit);
    folder.write("new.csv", "node\nn1\nn13\nn5\n");
    let told = folder.ok("predict m.mercer new.csv --edges edges.csv").out;
    let classes: Vec<&str> = told.lines().skip(1).map(|l| l.rsplit(',').next().unwrap()).collect();
    assert_eq!(classes, ["left", "right", "left"], "{told}");
    // Without edges, and with those of another graph.
    let told = refusal(&folder, "predict m.mercer new.csv");
    assert!(told.contains("--edges"), "{told}");
    folder.write("other.csv", "source,target\nn1,n13\n");
    let told = refusal(&folder, "predict m.mercer new.csv --edges other.csv");
    assert!(told.contains("another graph"), "{told}");
}

#[test]
fn chosen_columns() {
    let folder = rings();
    folder.ok(&format!("gram {DATA} --ignore split -k node-diffusion(beta=1) -o K.csv -q"));
    let told = folder
        .ok(&format!("gram {DATA} --ignore split -k node-diffusion(beta=1) --nodes n3,n0 -o C.csv"))
        .out;
    assert!(told.contains("24 × 2") && told.contains("transductive"), "{told}");
    let column = |name: &str, at: usize| -> Vec<f64> {
        let text = String::from_utf8(folder.read(name)).unwrap();
        text.lines().map(|l| l.split(',').nth(at).unwrap().parse().unwrap()).collect()
    };
    for (a, b) in column("K.csv", 3).iter().zip(column("C.csv", 0)) {
        assert!((a - b).abs() < 1e-13);
    }
    for (args, part) in [
        ("-k node-diffusion(beta=1) --nodes n99", "one of the 24 nodes"),
        ("-k normalize(node-diffusion(beta=1)) --nodes n3", "a single kernel between nodes"),
        ("-k commute-time --nodes n3", "8192"),
        ("-k von-neumann(beta=1)", "E_DIVERGE"),
    ] {
        let told = refusal(&folder, &format!("gram {DATA} --ignore split {args}"));
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn the_study_of_diffusion() {
    let folder = rings();
    std::fs::create_dir_all(folder.path("tables/house_votes_84")).unwrap();
    let mut table = "a,b,c,class\n".to_owned();
    for i in 0..60 {
        let word = |k: usize| ["n", "y", "?"][(i * k + i / 7) % 3];
        table +=
            &format!("{},{},{},{}\n", word(1), word(2), word(5), ["r", "d"][usize::from(word(1) == "y")]);
    }
    folder.write("tables/house_votes_84/house_votes_84.csv", table);
    let told = folder.ok("reproduce diffusion --quick --data tables --plots figures --markdown");
    for part in ["| votes", "not found, not run: breast cancer", "3 random splits"] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
    let plot = String::from_utf8(folder.read("figures/votes-error.svg")).unwrap();
    assert!(plot.starts_with("<svg") && plot.contains("Hamming kernel"));
    let told = folder.ok("reproduce diffusion --quick --nodes .");
    assert!(told.out.contains("label propagation") && told.out.contains("majority class"), "{}", told.out);
    assert!(refusal(&folder, "reproduce diffusion --quick").contains("--data"));
}
