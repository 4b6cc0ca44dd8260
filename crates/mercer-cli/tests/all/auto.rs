//! `mercer auto`: its results, its text and the saved model.

use mercer::model::{BlendMember, Model};
use serde_json::Value;

use crate::run::Folder;
use crate::serving::Server;

/// The document of a run without the values that differ between runs: times and the name of the file.
fn found(folder: &Folder, args: &str) -> Value {
    let mut document = folder.ok(&format!("auto --json {args}")).json();
    for trial in document["tried"].as_array_mut().unwrap() {
        trial.as_object_mut().unwrap().remove("seconds");
    }
    let fields = document.as_object_mut().unwrap();
    fields.remove("seconds");
    fields["model"].as_object_mut().unwrap().remove("output");
    document
}

/// Pseudorandom numbers without a pattern: plain multiples form a lattice, which a Gaussian kernel learns.
fn scattered(i: u32, k: u32) -> f64 {
    let mut x = u64::from(i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (u64::from(k) << 17);
    for _ in 0..2 {
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^= x >> 27;
    }
    (x >> 11) as f64 / (1u64 << 53) as f64
}

fn noise(i: u32, k: u32) -> f64 {
    f64::from((i + 1).wrapping_mul(k) >> 12) / 1e5
}

const FIRST: u32 = 2_654_435_761;
const SECOND: u32 = 2_246_822_519;
const THIRD: u32 = 3_266_489_917;

#[test]
fn on_embedded_flowers() {
    let folder = Folder::new();
    let one = found(&folder, "iris --threads 1 --budget none");
    assert_eq!(one, found(&folder, "iris --threads 3 --time 0"));
    assert_ne!(one["tried"], found(&folder, "iris --seed 1 --budget none")["tried"]);
    assert_eq!((&one["objects"], &one["score"]), (&150.into(), &"accuracy".into()));
    assert_eq!((&one["protocol"], &one["not_tried"]), (&"10-fold".into(), &Value::Array(Vec::new())));
    assert!((one["baseline"]["mean"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-9, "{}", one["baseline"]);
    let tried = one["tried"].as_array().unwrap();
    // A blend stands before single methods only if it is better by more than a standard error.
    let single = tried.iter().filter(|t| t["blend"].is_null());
    let means: Vec<f64> = single.map(|t| t["mean"].as_f64().unwrap()).collect();
    assert!(means[0] > 0.9 && means[0] <= 1.0 && means.is_sorted_by(|a, b| *a >= b - 1e-9), "{means:?}");
    assert_eq!(one["verdict"]["beats_baseline"], true);
    assert!(tried.iter().all(|t| t["scores"].as_array().unwrap().len() == 10));
    assert_eq!(tried[0]["against_best"], Value::Null);
    assert!(tried[0]["against_baseline"]["p"].as_f64().unwrap() < 0.05);
    // Runs after the first took other names.
    for name in ["iris.mercer", "iris-2.mercer", "iris-3.mercer"] {
        assert!(folder.has(name), "{name}");
    }
}

#[test]
fn on_embedded_sequences() {
    let folder = Folder::new();
    let run = folder.ok("auto");
    assert!(run.err.contains("no data given: using the embedded promoters"), "{}", run.err);
    assert!(run.out.starts_with("106 objects, 1 column; predicting class, 2 classes\n"), "{}", run.out);
    assert!(run.out.contains("It is better than the simple baseline"), "{}", run.out);
    assert!(folder.has("promoters.mercer") && folder.has("promoters.html"));
    let told = folder.ok("predict promoters.mercer promoters --json").json();
    assert_eq!(told["objects"], 106, "{told}");
}

#[test]
fn on_embedded_molecules() {
    let folder = Folder::new();
    // Without time the two simple baselines are still tried: graph size only and label counts only.
    let run = folder.ok("auto mutag --budget 0.000001");
    assert!(run.out.starts_with("188 objects, 1 column; predicting class, 2 classes\n"), "{}", run.out);
    for part in
        ["rbf-of(graph-size, gamma", "rbf-of(vertex-histogram, gamma", "wl(h=", "majority-class baseline"]
    {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let told = folder.ok("predict mutag.mercer mutag --json").json();
    assert_eq!(told["objects"], 188, "{told}");
    let document = found(&folder, "mutag --budget 0.000001");
    let tried = document["tried"].as_array().unwrap();
    assert!(tried.iter().all(|t| t["simple_baseline"] == true) && tried.len() == 2, "{document}");
    // Size alone beats the majority class: 125 of 188 molecules are mutagenic, mostly the large ones.
    assert!(tried.iter().all(|t| t["mean"].as_f64().unwrap() > 0.7), "{document}");
}

#[test]
fn a_model_that_predicts() {
    let folder = Folder::new();
    let mut text = String::from("x,y,class\n");
    for i in 0..40u32 {
        let (x, y) = (noise(i, FIRST), noise(i, SECOND));
        // Some values are missing.
        let shown = if i % 9 == 4 { String::new() } else { x.to_string() };
        text += &format!("{shown},{y},{}\n", if y > 5.0 { "high" } else { "low" });
    }
    folder.write("a.csv", &text);
    let words = folder.ok("auto a.csv --seed 3").out;
    assert!(words.starts_with("40 objects, 2 columns; predicting class, 2 classes\n"), "{words}");
    for part in ["majority-class baseline", "Best is ", "a.mercer: ", "all 40 objects"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let told = folder.ok("predict a.mercer a.csv --json").json();
    assert!(told.to_string().contains("high"), "{told}");
    let before = folder.read("a.mercer");
    let refused = folder.run("auto a.csv -o a.mercer");
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("a.mercer exists already") && refused.err.contains("--force"));
    assert_eq!(folder.read("a.mercer"), before);
    folder.ok("auto a.csv --seed 3 -o a.mercer --force --threads 1");
    assert_eq!(folder.read("a.mercer"), before);
}

/// A blend is a row of the table; where it is best it is one model file, which predicts, is explained by columns and shown with its members.
#[test]
fn a_blend_that_predicts() {
    let folder = Folder::new();
    let mut text = String::from("x,z,y\n");
    for i in 0..150u32 {
        let (x, z, e) = (scattered(i, 1), scattered(i, 2), scattered(i, 3) - scattered(i, 4));
        text += &format!("{x:.4},{z:.4},{:.4}\n", (6.0 * x).sin() + f64::from(u8::from(z > 0.5)) + 0.8 * e);
    }
    folder.write("a.csv", &text);
    let run = folder.ok("auto a.csv --target y --budget none --json").json();
    let tried = run["tried"].as_array().unwrap();
    let blend = tried.iter().find(|t| !t["blend"].is_null()).expect("a blend");
    let weights: f64 = blend["blend"].as_array().unwrap().iter().map(|p| p["weight"].as_f64().unwrap()).sum();
    assert!((weights - 1.0).abs() < 1e-9 && blend["learner"] == "blend", "{blend}");
    assert_eq!(run["verdict"]["expected"]["methods"], tried.len());
    let is_best = !tried[0]["blend"].is_null();
    assert_eq!(is_best, !run["model"]["members"].as_array().unwrap().is_empty(), "{}", run["model"]);
    // A blend in a file, whichever is best here.
    let path = folder.path("a.csv");
    let options = mercer::read::Options { target: Some("y".into()), ..mercer::read::Options::default() };
    let (data, engine) = (mercer::read::read(&path, &options).unwrap(), mercer::gram::Engine::new());
    let member = |weight, kernel: &str, learner: &str| BlendMember {
        model: Model::fit(&data, &kernel.parse().unwrap(), &learner.parse().unwrap(), 0, &engine).unwrap(),
        weight,
        sharpness: 1.0,
    };
    let members =
        vec![member(0.75, "rbf(gamma=4)", "ridge(lambda=0.1)"), member(0.25, "linear@z", "svr(C=10)")];
    let model = Model::blend(members, &data, 0).unwrap().with_reading(&options, &data, &path);
    model.save(&folder.path("b.mercer")).unwrap();
    let shown = folder.ok("inspect b.mercer").out;
    for part in [
        "the weighted mean of the predictions of 2 models",
        "weight 0.750",
        "weight 0.250",
        "svr(C=10,",
        "linear@z",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let told = folder.ok("predict b.mercer a.csv --explain 2 --json").json();
    let expected = model.predict(&data.select(&[0]), &engine).unwrap().numbers().unwrap()[0];
    let why = &told["explanations"][0];
    assert!((why["value"].as_f64().unwrap() - expected).abs() < 1e-9, "{why}");
    let said = folder.ok("predict b.mercer a.csv --explain 2").err;
    assert!(said.contains("by columns (exact, by the form of the kernel)"), "{said}");
    let refused = folder.run("predict b.mercer a.csv --explain 2 --explain-by features");
    assert!(refused.err.contains("this model is a blend of 2 models"), "{}", refused.err);
    let whole = folder.ok("explain b.mercer a.csv").out;
    assert!(whole.contains("0.75 of ridge(lambda=0.1) on rbf(gamma=4)"), "{whole}");
    let server = Server::start(&folder, "b.mercer");
    let (status, answer) = server.ask("POST", "/predict?name=new.csv", "", "x,z\n0.1,0.9\n");
    assert!(status == 200 && answer["predictions"][0].is_number(), "{answer}");
}

#[test]
fn random_targets_do_not_beat_the_baseline() {
    // The columns carry no information about the classes or the numbers.
    let folder = Folder::new();
    let (mut classes, mut numbers) = (String::from("a,b,class\n"), String::from("a,b,y\n"));
    for i in 0..120u32 {
        let class = if i % 6 == 0 { "rare" } else { "common" };
        let (a, b) = (scattered(i, FIRST), scattered(i, SECOND));
        classes += &format!("{a},{b},{class}\n");
        numbers += &format!("{a},{b},{}\n", scattered(i, THIRD));
    }
    folder.write("a.csv", classes);
    folder.write("b.csv", numbers);
    let run = folder.ok("auto a.csv --protocol 5-fold");
    let wanted = "No method is shown to beat the majority-class baseline by balanced-accuracy: it has balanced-accuracy 0.500";
    assert!(run.out.contains(wanted), "{}", run.out);
    assert!(run.out.contains("expect no more of it than of the baseline"), "{}", run.out);
    assert!(run.err.contains("W_IMBALANCE"), "{}", run.err);
    let words = folder.ok("auto b.csv --protocol 5-fold").out;
    assert!(words.contains("predicting y, a number") && words.contains("mean baseline"), "{words}");
    assert!(words.contains("rmse (lower is better) over 5-fold"), "{words}");
}

#[test]
fn methods_beyond_the_budget_are_listed() {
    let folder = Folder::new();
    let run = folder.ok("auto iris --budget 0.000001");
    assert!(run.out.contains("not tried: rbf(gamma="), "{}", run.out);
    assert!(run.out.contains(" | svc(C=[0.1, 1, 10, 100]): "), "{}", run.out);
    assert!(run.out.contains(": the time was used up"), "{}", run.out);
    let document = found(&folder, "iris --budget 0.000001");
    let count = |name: &str| document[name].as_array().unwrap().len();
    assert_eq!((count("tried"), count("not_tried")), (1, 9));
    let whole = found(&folder, "iris");
    let simple = whole["tried"].as_array().unwrap().iter().find(|t| t["simple_baseline"] == true).unwrap();
    assert_eq!(simple["scores"], document["tried"][0]["scores"]);
    for budget in ["-1", "nan", "soon"] {
        assert_eq!(folder.run(&format!("auto --budget={budget}")).code, Some(2), "{budget}");
    }
    for args in ["--protocol 1-fold", "--score nonsense", "--score rmse", "--score log-loss", "--sample 2"] {
        assert_eq!(folder.run(&format!("auto {args}")).code, Some(2), "{args}");
    }
}

/// What was finished before Ctrl-C is shown and saved.
#[cfg(unix)]
#[test]
fn interrupted() {
    use std::io::Read;

    let folder = Folder::new();
    let mut text = String::from("a,b,c,d,e,f,class\n");
    for i in 0..400u32 {
        let row: Vec<String> = (0..6).map(|k| scattered(i, FIRST + k).to_string()).collect();
        text += &format!("{},{}\n", row.join(","), i % 2);
    }
    folder.write("a.csv", text);
    let mut command = folder.command("auto a.csv --budget none --target-kind classes");
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    // Long enough for the simple baseline, and not for all other methods.
    std::thread::sleep(std::time::Duration::from_secs(8));
    let stopped = std::time::Instant::now();
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{err}");
    assert!(stopped.elapsed().as_secs_f64() < 12.0, "{:?}", stopped.elapsed());
    assert!(err.contains("interrupted: keeping the best method so far"), "{err}");
    for part in [
        "interrupted: these methods were finished by then",
        "majority-class baseline",
        "Next: mercer predict a.mercer",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(folder.has("a.mercer") && folder.has("a.html"));
    assert_eq!(folder.ok("predict a.mercer a.csv --json").json()["objects"], 400);
}

/// Every object has a part in the scores; the table says how many there are.
#[test]
fn many_objects_are_scored() {
    let folder = Folder::new();
    let mut text = String::from("a,b,y\n");
    for i in 0..300u32 {
        let (a, b) = (scattered(i, FIRST), scattered(i, SECOND));
        text += &format!("{a},{b},{}\n", (6.0 * a).sin() + b + 0.5 * scattered(i, THIRD));
    }
    folder.write("a.csv", text);
    let words = folder.ok("auto a.csv --sample 60").out;
    let wanted =
        "searched on 60 of 300 objects, chosen at random; the best methods are scored on all 300, and come";
    assert!(words.contains(wanted) && words.contains("objects  "), "{words}");
    assert!(words.contains("On new data expect rmse"), "{words}");
    let document = found(&folder, "a.csv --sample 60");
    assert_eq!(
        (&document["objects"], &document["used"], &document["scored"]),
        (&300.into(), &60.into(), &300.into())
    );
    let counts = |name: &str| -> Vec<u64> {
        document[name].as_array().unwrap().iter().map(|t| t["objects"].as_u64().unwrap()).collect()
    };
    assert!(counts("tried").iter().all(|&n| n == 300) && counts("tried").len() > 1);
    assert!(counts("screened").iter().all(|&n| n == 60));
    let claim = &document["verdict"]["expected"];
    let mean = document["tried"][0]["mean"].as_f64().unwrap();
    assert!((claim["expected"].as_f64().unwrap() / mean - 1.0).abs() < 0.2, "{claim} {mean}");
    assert_eq!(document["model"]["objects"], 300);
}
