//! How sure predictions are: calibrations, sets, intervals, typicality, their report and what the server says.

use serde_json::{Value, json};

use crate::run::Folder;
use crate::serving::Server;

/// Numbers that look drawn: the fractional parts of multiples of an irrational number.
fn drawn(i: usize, by: f64) -> f64 {
    (i as f64 * by).fract()
}

/// Two classes that overlap, and a number with noise, of two columns.
fn table(from: usize, to: usize) -> String {
    let mut text = "a,b,class,size\n".to_owned();
    for i in from..to {
        let (a, b) = (4.0 * drawn(i, 0.618_033_988_749) - 2.0, 4.0 * drawn(i, 0.414_213_562_373) - 2.0);
        let noise = drawn(i, 0.732_050_807_568) - 0.5;
        let class = if a + b + 4.0 * noise > 0.0 { "high" } else { "low" };
        text += &format!("{a:.6},{b:.6},{class},{:.6}\n", a * a + b + noise);
    }
    text
}

/// A folder with 160 training and 80 test objects, and three objects far from all of them.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("train.csv", table(0, 160));
    folder.write("test.csv", table(160, 240));
    folder.write("far.csv", "a,b\n0.5,0.5\n60,-40\n-0.7,1.1\n");
    folder
}

const CLASSES: &str = "--target class --ignore size -k standardize(rbf(gamma=0.5)) -l svc(C=1)";
const NUMBERS: &str =
    "--target size --ignore class -k standardize(rbf(gamma=0.5)) -l ridge(lambda=0.1,intercept=yes)";

/// The share of the test set that is covered at 0.9, as `predict` tells it.
fn coverage(folder: &Folder, model: &str) -> f64 {
    let found = folder.ok(&format!("predict {model} test.csv --confidence 0.9 --json")).json();
    assert_eq!(found["coverage"]["all"]["objects"], 80, "{}", found["coverage"]);
    found["coverage"]["all"]["coverage"].as_f64().unwrap()
}

#[test]
fn every_method_covers_about_as_much_as_it_says() {
    let folder = folder();
    for (how, data) in [
        ("--conformal", CLASSES),
        ("--conformal split(0.4)", CLASSES),
        ("--conformal cv(5) --conformal-by class", CLASSES),
        ("--conformal cv --conformal-score adaptive --conformal-by class", CLASSES),
        ("--conformal cv(5) --conformal-score regularized", CLASSES),
        ("--conformal", NUMBERS),
        ("--conformal split(0.4) --conformal-score normalized", NUMBERS),
        ("--conformal cv(5) --conformal-score normalized", NUMBERS),
    ] {
        folder.ok(&format!("fit train.csv {data} {how} -o m.mercer -q"));
        let share = coverage(&folder, "m.mercer");
        // The share of 80 objects has a standard deviation of 3.4 points around 0.9, and calibration adds its own.
        assert!((0.80..0.99).contains(&share), "{how}: {share}");
    }
    folder.ok("fit train.csv --target size --ignore class -k rbf(gamma=0.5) -l ridge(lambda=0.1) --conformal jackknife -o m.mercer -q");
    let share = coverage(&folder, "m.mercer");
    assert!((0.80..=0.98).contains(&share), "jackknife: {share}");
}

#[test]
fn sets_and_intervals_do_not_depend_on_other_objects() {
    let folder = folder();
    for (data, columns) in [
        (CLASSES, "prediction,set,typicality,in_domain"),
        (NUMBERS, "prediction,lower,upper,typicality,in_domain"),
    ] {
        folder.ok(&format!(
            "fit train.csv {data} --conformal --conformal-score {} -o m.mercer -q",
            if data == CLASSES { "adaptive" } else { "normalized" }
        ));
        let all = folder.ok("predict m.mercer test.csv --confidence 0.8").out;
        let mut lines = all.lines();
        assert_eq!(lines.next(), Some(columns));
        let text = String::from_utf8(folder.read("test.csv")).unwrap();
        let (header, rows) = text.split_once('\n').unwrap();
        // The same objects in another order, and one of them alone.
        let mut turned: Vec<&str> = rows.lines().collect();
        turned.reverse();
        folder.write("turned.csv", format!("{header}\n{}\n", turned.join("\n")));
        let again = folder.ok("predict m.mercer turned.csv --confidence 0.8").out;
        let mut again: Vec<&str> = again.lines().skip(1).collect();
        again.reverse();
        assert_eq!(again, lines.collect::<Vec<_>>());
        folder.write("one.csv", format!("{header}\n{}\n", rows.lines().nth(7).unwrap()));
        let alone = folder.ok("predict m.mercer one.csv --confidence 0.8").out;
        assert_eq!(alone.lines().nth(1), all.lines().nth(8));
        // In chunks, and by any number of threads.
        let pieces =
            folder.ok("predict m.mercer test.csv --confidence 0.8 --piece-mb 0.0008 --threads 1").out;
        assert_eq!(pieces, all);
    }
}

#[test]
fn objects_outside_of_the_domain_are_flagged() {
    let folder = folder();
    folder.ok(&format!("fit train.csv {CLASSES} --conformal -o m.mercer -q"));
    let run = folder.ok("predict m.mercer far.csv --typicality");
    let domain: Vec<&str> = run.out.lines().skip(1).map(|l| l.rsplit(',').next().unwrap()).collect();
    assert_eq!(domain, ["yes", "no", "yes"], "{}", run.out);
    folder.write("all-far.csv", "a,b\n60,-40\n50,50\n");
    let run = folder.ok("predict m.mercer all-far.csv --confidence 0.9");
    assert!(run.err.contains("W_UNTYPICAL 2 of 2 objects are unlike the training objects"), "{}", run.err);
}

/// Three ways to tell what is far from the training objects agree on planted outliers: a Gaussian process has the largest
/// deviations there, a one-class model the smallest decision values, and no object is less typical.
#[test]
fn variance_one_class_and_typicality_agree_on_planted_outliers() {
    let folder = folder();
    let mut planted = table(160, 200);
    planted += "9,9,high,0\n-8,7,low,0\n0,-11,low,0\n";
    folder.write("planted.csv", planted);
    let kernel = "-k rbf(gamma=0.3)";
    folder.ok(&format!(
        "fit train.csv --target size --ignore class {kernel} -l gp --conformal -o gp.mercer -q"
    ));
    folder.ok(&format!(
        "fit train.csv --ignore class --ignore size {kernel} -l one-class(nu=0.1) -o one.mercer -q"
    ));
    let column = |run: &str, name: &str| -> Vec<f64> {
        let mut lines = run.lines();
        let at = lines
            .next()
            .unwrap()
            .split(',')
            .position(|c| c == name)
            .unwrap_or_else(|| panic!("{name}: {run}"));
        lines.map(|l| l.split(',').nth(at).unwrap().parse().unwrap()).collect()
    };
    let of_gp = folder.ok("predict gp.mercer planted.csv --typicality").out;
    let of_one = folder.ok("predict one.mercer planted.csv --decisions").out;
    let decision = of_one.lines().next().unwrap().split(',').next_back().unwrap().to_owned();
    let spread: Vec<f64> = column(&of_gp, "std").iter().map(|v| -v).collect();
    for (name, values) in [
        ("std", spread),
        ("typicality", column(&of_gp, "typicality")),
        ("decision", column(&of_one, &decision)),
    ] {
        assert_eq!(values.len(), 43);
        let inside = values[..40].iter().copied().fold(f64::INFINITY, f64::min);
        let outside = values[40..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!(outside < inside, "{name}: {outside} {inside}");
    }
}

#[test]
fn what_cannot_be_calibrated_is_refused_or_told() {
    let folder = folder();
    folder.ok(&format!("fit train.csv {CLASSES} -o plain.mercer -q"));
    folder.ok(&format!("fit train.csv {CLASSES} --conformal -o m.mercer -q"));
    for (args, says) in [
        ("predict plain.mercer test.csv --confidence 0.9", "--confidence needs a calibrated model"),
        ("predict plain.mercer test.csv --typicality", "--typicality needs a calibrated model"),
        ("predict m.mercer test.csv --confidence 0", "E_PARAM"),
        ("predict m.mercer test.csv --confidence 1", "E_PARAM"),
        ("predict m.mercer test.csv --confidence NaN", "E_PARAM"),
        ("predict m.mercer test.csv --confidence -0.5", ""),
        ("predict m.mercer test.csv --confidence most", ""),
    ] {
        let run = folder.run(args);
        assert!(run.code.is_some_and(|c| c != 0) && run.err.contains(says), "{args}: {}{}", run.out, run.err);
    }
    // Fewer than five objects.
    let few: String = table(0, 4);
    folder.write("few.csv", few);
    let run = folder.run(&format!("fit few.csv {NUMBERS} --conformal -o few.mercer"));
    assert!(run.code != Some(0) && run.err.contains("4 objects are too few to calibrate"), "{}", run.err);
    assert!(!folder.has("few.mercer"));
    // A class of one object: nothing is left out of its sets, and the program says so.
    let mut rare = table(0, 60);
    rare += "1.5,-1.5,odd,0\n";
    folder.write("rare.csv", rare);
    let run =
        folder.ok(&format!("fit rare.csv {CLASSES} --conformal cv(5) --conformal-by class -o rare.mercer"));
    assert!(run.err.contains("W_CONFORMAL") && run.err.contains("'odd'"), "{}", run.err);
    let run = folder.ok("predict rare.mercer test.csv --confidence 0.9");
    assert!(run.err.contains("W_CONFORMAL class 'odd': 1 calibration objects are too few"), "{}", run.err);
    assert!(run.out.lines().skip(1).all(|l| l.contains("odd")), "{}", run.out);
    // One class is left without the calibration objects.
    folder.write("two.csv", format!("{}1.5,-1.5,odd,0\n", table(0, 60).replace("low", "high")));
    let run = folder.run(&format!("fit two.csv {CLASSES} --conformal cv(5) -o two.mercer"));
    assert!(run.code != Some(0) && run.err.contains("too few objects to calibrate"), "{}", run.err);
    // A constant target: intervals without width, which hold it.
    let constant: String = table(0, 60)
        .lines()
        .enumerate()
        .map(
            |(i, l)| if i == 0 { format!("{l}\n") } else { format!("{},7\n", l.rsplit_once(',').unwrap().0) },
        )
        .collect();
    folder.write("constant.csv", constant);
    folder.ok(&format!("fit constant.csv {NUMBERS} --target-kind numbers --conformal -o constant.mercer -q"));
    let found = folder.ok("predict constant.mercer far.csv --confidence 0.9 --json").json();
    let [low, high] = [0, 1].map(|end| found["intervals"][0][end].as_f64().unwrap());
    assert!((low - 7.0).abs() < 1e-6 && (high - 7.0).abs() < 1e-6 && low <= high, "{}", found["intervals"]);
    // Scores and strata that do not suit the target.
    for (args, says) in [
        (
            format!("fit train.csv {NUMBERS} --conformal --conformal-by class -o x.mercer"),
            "has no classes to calibrate by",
        ),
        (
            format!("fit train.csv {NUMBERS} --conformal --conformal-score adaptive -o x.mercer"),
            "is not for a target of numbers",
        ),
        (format!("fit train.csv {CLASSES} --conformal jackknife -o x.mercer"), "jackknife"),
        (format!("fit train.csv {CLASSES} --conformal cv(1) -o x.mercer"), "E_PARAM"),
        (format!("fit train.csv {CLASSES} --conformal often -o x.mercer"), "E_PARAM"),
        (
            "fit train.csv --ignore class --ignore size -k rbf -l one-class --conformal -o x.mercer".into(),
            "needs a target",
        ),
    ] {
        let run = folder.run(&args);
        assert!(run.code != Some(0) && run.err.contains(says), "{args}: {}", run.err);
        assert!(!folder.has("x.mercer"), "{args}");
    }
}

/// The document in a page.
fn document(page: &[u8]) -> Value {
    let page = String::from_utf8_lossy(page);
    let start = page.find("id=\"document\">").unwrap() + "id=\"document\">".len();
    let end = page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..start + end]).unwrap()
}

#[test]
fn reports_have_coverage_and_typicality() {
    let folder = folder();
    folder.ok(&format!("fit train.csv {CLASSES} --test test.csv --conformal --conformal-by class --report fit.html -o m.mercer -q"));
    let found = document(&folder.read("fit.html"));
    assert_eq!((&found["command"], &found["data"]), (&json!("fit"), &json!("train.csv")));
    assert_eq!(found["coverage"].as_array().unwrap().len(), 3);
    let parts: Vec<&Value> =
        found["coverage"][1]["parts"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert_eq!(parts, ["high", "low"]);
    folder.ok("predict m.mercer test.csv --confidence 0.9 --report predict.html -o out.csv -q");
    let found = document(&folder.read("predict.html"));
    assert_eq!(found["command"], "predict");
    for list in ["predictions", "truth", "sets", "typicality", "in_domain"] {
        assert_eq!(found[list].as_array().unwrap().len(), 80, "{list}");
    }
    assert_eq!(found["coverage"]["all"]["objects"], 80);
    folder.ok("predict m.mercer far.csv --confidence 0.9 --report far.json -q");
    folder.ok("report far.json -o far.html");
    assert_eq!(document(&folder.read("far.html"))["in_domain"], json!([true, false, true]));
    let run = folder.run("predict m.mercer far.csv --report far.txt");
    assert!(run.code != Some(0) && run.err.contains("--report"), "{}", run.err);
}

#[test]
fn the_server_tells_how_sure_it_is() {
    let folder = folder();
    folder.ok(&format!("fit train.csv {CLASSES} --conformal -o classes.mercer -q"));
    folder.ok(&format!("fit train.csv {NUMBERS} --conformal -o numbers.mercer -q"));
    folder.ok(&format!("fit train.csv {CLASSES} -o plain.mercer -q"));
    let far = String::from_utf8(folder.read("far.csv")).unwrap();
    let server = Server::start(&folder, "classes.mercer");
    let (status, answer) = server.ask("POST", "/predict?confidence=0.9", "", &far);
    assert_eq!((status, &answer["in_domain"]), (200, &json!([true, false, true])), "{answer}");
    // The same as from the program.
    let same = folder.ok("predict classes.mercer far.csv --confidence 0.9 --json").json();
    for name in ["sets", "p_values", "typicality", "confidence"] {
        assert_eq!(answer[name], same[name], "{name}");
    }
    let (_, answer) = server.ask("POST", "/predict?typicality=yes", "", &far);
    assert!(answer["typicality"].is_array() && answer["sets"].is_null(), "{answer}");
    let (_, answer) = server.ask("POST", "/predict", "", &far);
    assert!(answer["typicality"].is_null() && answer["in_domain"].is_null(), "{answer}");
    for (query, says) in [
        ("confidence=1", "between 0 and 1"),
        ("confidence=0", "between 0 and 1"),
        ("confidence=NaN", "between 0 and 1"),
        ("confidence=", "between 0 and 1"),
        ("typicality=perhaps", "yes or no"),
    ] {
        let (status, answer) = server.ask("POST", &format!("/predict?{query}"), "", &far);
        assert!(
            status == 400 && answer["error"]["message"].as_str().unwrap().contains(says),
            "{query}: {answer}"
        );
    }
    let (_, model) = server.ask("GET", "/model", "", "");
    assert_eq!(model["conformal"]["method"], "cv(10)");
    let (_, page) = server.ask("GET", "/", "", "");
    assert!(page.as_str().unwrap().contains("id=\"confidence\""));
    let server = Server::start(&folder, "numbers.mercer");
    let (_, answer) = server.ask("POST", "/predict?confidence=0.9", "", &far);
    assert_eq!(answer["intervals"].as_array().unwrap().len(), 3, "{answer}");
    // More confidence than 160 calibration objects allow: ends that are infinite are null.
    let (_, answer) = server.ask("POST", "/predict?confidence=0.999", "", &far);
    assert_eq!(answer["intervals"][0], json!([null, null]), "{answer}");
    assert!(answer["warnings"].to_string().contains("W_CONFORMAL"), "{answer}");
    let server = Server::start(&folder, "plain.mercer");
    let (status, answer) = server.ask("POST", "/predict?confidence=0.9", "", &far);
    assert!(status == 400 && answer.to_string().contains("without a calibration"), "{answer}");
}

#[test]
fn gaussian_processes_tell_quantiles() {
    let folder = folder();
    let data = "--target size --ignore class -k standardize(rbf(gamma=0.5))";
    for learner in ["gp(noise=0.1)", "gp(noise=0.1, landmarks=40)", "gp(noise=0.1, solver=cg, landmarks=40)"]
    {
        let learner = learner.replace(' ', "");
        folder.ok(&format!("fit train.csv {data} -l {learner} -o gp.mercer -q"));
        let table = folder.ok("predict gp.mercer test.csv --quantiles 0.05,0.5,0.95 --interval 0.9").out;
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(lines[0], ["prediction", "std", "lower", "upper", "q0.05", "q0.5", "q0.95"]);
        for line in &lines[1..] {
            // The bounds of the interval of 90 % are the quantiles of 5 and 95 %, its middle is the mean.
            let v: Vec<f64> = line.iter().map(|cell| cell.parse().unwrap()).collect();
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * (1.0 + a.abs());
            assert!(near(v[2], v[4]) && near(v[3], v[6]) && near(v[0], v[5]) && v[4] < v[6], "{line:?}");
        }
        let json = folder.ok("predict gp.mercer far.csv --quantiles 0.25 --json").json();
        assert_eq!(json["quantiles"][0]["level"], json!(0.25));
        assert_eq!(json["quantiles"][0]["values"].as_array().unwrap().len(), 3);
    }
    let shown = folder.ok("inspect gp.mercer").out;
    assert!(shown.contains("steps of conjugate gradients"), "{shown}");
    let run = folder.run("predict gp.mercer test.csv --quantiles 0.5,1");
    assert!(run.code == Some(2) && run.err.contains("--quantiles"), "{}", run.err);
    folder.ok(&format!("fit train.csv {NUMBERS} -o ridge.mercer -q"));
    let run = folder.run("predict ridge.mercer test.csv --quantiles 0.5");
    assert!(run.code == Some(2) && run.err.contains("has no quantiles"), "{}", run.err);
}
