//! Models: fitted, saved, loaded, used for prediction, inspected, converted.

use serde_json::Value;

use crate::run::{Folder, Run};

const IRIS: &str = include_str!("../../../mercer-read/src/embedded/iris.csv");

/// A folder with iris flowers, split into training and test objects.
fn flowers() -> Folder {
    let folder = Folder::new();
    let (header, rows) = IRIS.split_once('\n').unwrap();
    let part = |which: usize| {
        let rows = rows.lines().enumerate().filter(|(i, _)| usize::from(i % 3 == 0) == which);
        format!("{header}\n{}\n", rows.map(|(_, row)| row).collect::<Vec<_>>().join("\n"))
    };
    folder.write("train.csv", part(0));
    folder.write("test.csv", part(1));
    folder
}

const KERNEL: &str = "-k standardize(rbf(gamma=0.25))";

fn lines(run: &Run) -> Vec<&str> {
    run.out.lines().collect()
}

#[test]
fn fitted_saved_loaded_and_used_for_prediction() {
    let folder = flowers();
    let fit = folder.ok(&format!("fit train.csv {KERNEL} -l svc(C=10) -o m.mercer"));
    assert!(
        fit.out.starts_with(
            "m.mercer: svc(C=10) on standardize(rbf(gamma=0.25)); class: 3 classes; 100 objects, "
        )
    );
    for name in ["setosa|versicolor", "setosa|virginica", "versicolor|virginica"] {
        assert!(fit.out.contains(name), "{}", fit.out);
    }
    let predict = folder.ok("predict m.mercer test.csv");
    assert_eq!(lines(&predict).len(), 51);
    assert_eq!(lines(&predict)[..2], ["prediction", "setosa"]);
    let words: Vec<&str> = predict.err.split_whitespace().collect();
    assert_eq!((words[0], words[3..].join(" ").as_str()), ("accuracy", "of 50)"), "{}", predict.err);
    assert!(words[1].parse::<f64>().unwrap() >= 0.9, "{}", predict.err);
    // To a file: the same bytes.
    let told = folder.ok("predict m.mercer test.csv -o out.csv");
    assert_eq!(told.out, "out.csv: 50 objects\n");
    assert_eq!(String::from_utf8(folder.read("out.csv")).unwrap(), predict.out);
    assert_eq!(folder.ok("predict m.mercer test.csv --quiet").err, "");
}

#[test]
fn sparse_and_dense_files_of_the_same_data_give_the_same_model() {
    let folder = Folder::new();
    let (mut table, mut sparse) = ("a,b,c,class\n".to_owned(), String::new());
    for i in 0..30usize {
        let values =
            [(i % 3) as f64, if i % 2 == 0 { 0.0 } else { 5.0 + i as f64 }, (i * 7 % 5) as f64 - 2.0];
        let class = if (i * 11 % 7) + i % 3 > 4 { 1 } else { -1 };
        table += &format!("{},{},{},{class}\n", values[0], values[1], values[2]);
        sparse += &class.to_string();
        for (at, v) in values.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            sparse += &format!(" {}:{v}", at + 1);
        }
        sparse += "\n";
    }
    folder.write("d.csv", table);
    folder.write("s.svm", sparse);
    for kernel in ["standardize(rbf(gamma=0.5))", "minmax(rbf(gamma=0.5))", "standardize(linear)"] {
        let values = [("d.csv", "--target class"), ("s.svm", "")].map(|(file, more)| {
            let fit = folder.ok(&format!("fit {file} -k {kernel} -l svc(C=10) {more} -o m.mercer"));
            assert!(!fit.err.contains("W_SPARSE"), "{}", fit.err);
            let told = folder.ok(&format!("predict m.mercer {file} --decisions -q")).out;
            let cells = told.lines().skip(1).map(|l| l.split(',').nth(1).unwrap().parse::<f64>().unwrap());
            cells.collect::<Vec<f64>>()
        });
        assert_eq!(values[0].len(), 30);
        let close = |(a, b): (&f64, &f64)| (a.abs() - b.abs()).abs() < 2e-2 * (1.0 + a.abs());
        assert!(values[0].iter().zip(&values[1]).all(close), "{kernel}: {values:?}");
    }
    // Data that is too large to be centred gives a warning.
    let row = |i: usize| (0..10).map(|k| format!(" {}:1", 10 * i + k + 1)).collect::<String>();
    let wide: String =
        (0..2000).map(|i| format!("{}{}\n", if i % 2 == 0 { 1 } else { -1 }, row(i))).collect();
    folder.write("wide.svm", wide);
    let fit = folder.ok("fit wide.svm -k standardize(linear) -l linear-svc -o w.mercer");
    let told = fit.err.lines().find(|l| l.contains("W_SPARSE")).unwrap_or_else(|| panic!("{}", fit.err));
    assert!(told.contains("standardize: sparse columns are scaled but not centred"), "{told}");
}

#[test]
fn columns_may_come_in_any_order_with_others_between() {
    let folder = flowers();
    folder.ok(&format!("fit train.csv {KERNEL} -o m.mercer"));
    let text = String::from_utf8(folder.read("test.csv")).unwrap();
    let reordered = text.lines().enumerate().map(|(i, line)| {
        let cells: Vec<&str> = line.split(',').collect();
        let id = if i == 0 { "id".to_owned() } else { format!("flower {i}") };
        let colour = if i == 0 { "colour" } else { "blue" };
        format!("{id},{},{colour},{},{},{}\n", cells[3], cells[1], cells[2], cells[0])
    });
    folder.write("reordered.csv", reordered.collect::<String>());
    let plain = folder.ok("predict m.mercer test.csv --decisions");
    let reordered = folder.ok("predict m.mercer reordered.csv --decisions --id id");
    assert_eq!(reordered.err, "");
    for (i, (a, b)) in lines(&plain).iter().zip(lines(&reordered)).enumerate() {
        let id = if i == 0 { "id".to_owned() } else { format!("flower {i}") };
        assert_eq!(format!("{id},{a}"), b);
    }
}

#[test]
fn unsuitable_input_is_refused() {
    let folder = flowers();
    folder.ok(&format!("fit train.csv {KERNEL} -o m.mercer"));
    folder.write("few.csv", "sepal_length,sepal_width,petal_length\n5,3,1\n");
    let run = folder
        .refused("predict m.mercer few.csv", "few.csv E_COLUMN column 'petal_width': is not in the data");
    assert!(run.err.contains("hint:"), "{}", run.err);
    let row = "sepal_length,sepal_width,petal_length,petal_width\n5,3,1,thin\n";
    folder.write("text.csv", row);
    folder.refused("predict m.mercer text.csv", "text.csv:2:7 E_NUMBER");
    folder.write("gap.csv", row.replace("thin", ""));
    folder
        .refused("predict m.mercer gap.csv", "gap.csv E_MISSING object 1: no value in column 'petal_width'");
    folder.refused("predict m.mercer test.csv --target kind", "test.csv E_TARGET");
    folder.refused(
        "predict m.mercer test.csv --probabilities",
        "m.mercer E_USAGE this model has no probabilities",
    );
    folder.refused("predict test.csv test.csv", "test.csv E_MODEL_SYNTAX not a model");
    folder.refused(
        "fit train.csv -k rbf(gamma=[1,2]) -o n.mercer",
        "E_PARAM gamma = 2 values: must be a single value",
    );
    folder.refused(
        "fit train.csv -k linear -l svc(C=1..3) -o n.mercer",
        "E_PARAM C = 3 values: must be a single value",
    );
    folder.refused("fit train.csv -k linear -l svd -o n.mercer", "learner:1:1 E_EXPRESSION");
    folder.refused("fit train.csv -k linear -l svr -o n.mercer", "E_USAGE svr needs numbers");
    folder.refused(
        "fit train.csv -k linear --no-target -l svc -o n.mercer",
        "train.csv E_TARGET no target column",
    );
    folder.refused(
        "fit train.csv -k linear -l ridge --cache-mb 10 -o n.mercer",
        "E_USAGE --cache-mb is not for ridge",
    );
    folder.write("one.csv", "a,class\n1,p\n2,p\n");
    folder.refused("fit one.csv -k linear -l svc -o n.mercer", "one.csv E_CLASSES 1 class only");
    assert!(!folder.has("n.mercer"));
    assert_eq!(folder.run("fit train.csv -k linear -o none/m.mercer").code, Some(1));
}

#[test]
fn sparse_data_narrower_and_wider_than_training() {
    let folder = Folder::new();
    folder.write("train.svm", "+1 1:1 3:1\n-1 2:1\n+1 1:2 3:0.5\n-1 2:2\n");
    folder.ok("fit train.svm -k linear -l svc -o m.mercer");
    folder.write("narrow.svm", "+1 1:1\n-1 2:3\n");
    let run = folder.ok("predict m.mercer narrow.svm");
    assert_eq!((run.out.as_str(), run.err.as_str()), ("prediction\n1\n-1\n", "accuracy 1.0000 (2 of 2)\n"));
    folder.write("wide.svm", "+1 1:1 4:1\n");
    folder
        .refused("predict m.mercer wide.svm", "wide.svm E_DIM_MISMATCH 4 features, but the kernel expects 3");
}

#[test]
fn features_counted_from_zero_stay_so() {
    let folder = Folder::new();
    folder.write("train.svm", "+1 0:1\n-1 1:1\n+1 0:2\n-1 1:2\n");
    folder.ok("fit train.svm --index-base 0 -k linear -l svc -o m.mercer");
    folder.ok("convert m.mercer -o m.model");
    folder.write("new.svm", "+1 0:1\n-1 1:1\n");
    for model in ["m.mercer", "m.model"] {
        let run = folder.ok(&format!("predict {model} new.svm"));
        assert_eq!(run.out, "prediction\n1\n-1\n", "{model}");
    }
}

#[test]
fn numbers_and_membership() {
    let folder = Folder::new();
    let rows = (0..30).map(|i| format!("{},{}\n", f64::from(i) / 10.0, f64::from(i) / 5.0 + 1.0));
    folder.write("line.csv", format!("x,y\n{}", rows.collect::<String>()));
    for learner in ["svr(C=100,epsilon=0.01)", "ridge(lambda=1e-6)", "knn(k=1)", "nu-svr(C=100)"] {
        folder.ok(&format!("fit line.csv -k linear+ones -l {learner} -o m.mercer"));
        let run = folder.ok("predict m.mercer line.csv");
        let error = run.err.strip_prefix("mean absolute error ").unwrap().split(',').next().unwrap();
        assert!(error.parse::<f64>().unwrap() < 0.02, "{learner}: {}", run.err);
    }
    folder.ok("fit line.csv --no-target --ignore y -k rbf(gamma=1) -l one-class(nu=0.1) -o m.mercer");
    folder.write("far.csv", "x\n1.5\n100\n");
    let run = folder.ok("predict m.mercer far.csv --decisions");
    let rows: Vec<&str> = lines(&run);
    assert_eq!(rows[0], "prediction,inside");
    assert!(rows[1].starts_with("1,") && rows[2].starts_with("-1,-"), "{rows:?}");
}

#[test]
fn probabilities_from_the_fit_to_the_table() {
    let folder = flowers();
    let fit =
        folder.ok(&format!("fit train.csv {KERNEL} -l svc(C=10) --probabilities -o m.mercer --json")).json();
    assert!(fit["learner"].as_str().unwrap().contains("probability=yes"), "{}", fit["learner"]);
    assert_eq!(fit["calibration"]["folds"], serde_json::json!([5, 5, 5]));
    assert_eq!(folder.ok("inspect m.mercer --json").json()["calibration"], fit["calibration"]);
    let inspect = folder.ok("inspect m.mercer").out;
    let told = inspect.lines().find(|l| l.starts_with("probabilities")).unwrap();
    assert!(told.contains("calibrated on 5 folds"), "{told}");

    let table = folder.ok("predict m.mercer test.csv --probabilities");
    let rows = lines(&table);
    assert_eq!((rows.len(), rows[0]), (51, "prediction,p(setosa),p(versicolor),p(virginica)"));
    let document = folder.ok("predict m.mercer test.csv --probabilities --json").json();
    assert_eq!(document["probabilities"]["columns"], fit["classes"]);
    let mut agree = 0;
    for (i, row) in rows[1..].iter().enumerate() {
        let cells: Vec<&str> = row.split(',').collect();
        let p: Vec<f64> = cells[1..].iter().map(|c| c.parse().unwrap()).collect();
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row}");
        assert_eq!(document["probabilities"]["values"][i], serde_json::json!(p));
        let most = (0..3).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap();
        agree += usize::from(cells[0] == ["setosa", "versicolor", "virginica"][most]);
    }
    assert!(agree >= 45, "{agree}");
    // They are shown only on request, and the predictions are the same.
    let plain = folder.ok("predict m.mercer test.csv");
    for (a, b) in lines(&plain).iter().zip(&rows) {
        assert_eq!(Some(*a), b.split(',').next());
    }
    assert_eq!(folder.ok("predict m.mercer test.csv --json").json()["probabilities"], Value::Null);
    // The same seed gives the same file; another seed gives other folds.
    let args = format!("fit train.csv {KERNEL} -l svc(C=10,probability=yes)");
    folder.ok(&format!("{args} -o same.mercer --threads 1"));
    folder.ok(&format!("{args} -o other.mercer --seed 1"));
    assert_eq!(folder.read("same.mercer"), folder.read("m.mercer"));
    let seed =
        |name: &str| folder.ok(&format!("inspect {name} --json")).json()["calibration"]["sigmoids"].clone();
    assert_ne!(seed("other.mercer"), seed("m.mercer"));
}

#[test]
fn probabilities_through_libsvm() {
    let folder = Folder::new();
    let line =
        |i: i32| format!("{} 1:{} 2:{}\n", 1 + (i + i / 7) % 3, (i % 3) as f64 + f64::from(i) / 40.0, i % 5);
    folder.write("train.svm", (0..60).map(line).collect::<String>());
    folder.ok("fit train.svm --target-kind classes -k rbf(gamma=0.5) --probabilities -o m.mercer");
    folder.ok("convert m.mercer -o m.model");
    let text = String::from_utf8(folder.read("m.model")).unwrap();
    assert!(text.contains("\nprobA ") && text.contains("\nprobB "), "{text}");
    folder.ok("convert m.model -o back.mercer");
    let table = |model: &str| {
        let out = folder.ok(&format!("predict {model} train.svm --probabilities")).out;
        let row = |l: &str| l.split(',').map(|c| c.parse::<f64>().unwrap()).collect::<Vec<_>>();
        out.lines().skip(1).map(row).collect::<Vec<_>>()
    };
    let ours = table("m.mercer");
    for model in ["m.model", "back.mercer"] {
        for (a, b) in ours.concat().iter().zip(table(model).concat()) {
            assert!((a - b).abs() < 1e-9, "{model}: {a} {b}");
        }
        let inspect = folder.ok(&format!("inspect {model}")).out;
        assert!(inspect.contains("calibrated on an unknown number of folds"), "{inspect}");
        assert!(!inspect.contains("W_PROBABILITIES"), "{inspect}");
    }
}

#[test]
fn probabilities_that_are_not_there() {
    let folder = flowers();
    let hint = |run: Run, words: &str| assert!(run.err.contains(words), "{}", run.err);
    folder.ok(&format!("fit train.csv {KERNEL} -l svc -o m.mercer"));
    let run = folder.refused(
        "predict m.mercer test.csv --probabilities",
        "m.mercer E_USAGE this model has no probabilities: it was fitted without them",
    );
    hint(run, "hint: fit it again with --probabilities");
    assert!(folder.ok("inspect m.mercer").out.contains("not calibrated"));
    folder.ok("fit train.csv -k linear -l knn -o k.mercer");
    let run = folder.refused(
        "predict k.mercer test.csv --probabilities",
        "k.mercer E_USAGE this model has no probabilities: knn gives none",
    );
    hint(run, "hint: fit gpc, or svc or nu-svc with --probabilities");
    let run = folder.refused(
        "fit train.csv -k linear -l knn --probabilities -o n.mercer",
        "train.csv E_USAGE --probabilities is not for knn",
    );
    hint(run, "hint: svc and nu-svc have them");
    folder.ok("fit train.csv -k linear@sepal_length --target petal_width -l svr -o r.mercer");
    folder.refused(
        "predict r.mercer test.csv --probabilities",
        "r.mercer E_USAGE this model has no probabilities: it predicts no classes",
    );
    folder.write("rare.csv", "x,class\n1,a\n2,b\n3,b\n4,b\n");
    let run = folder.ok("fit rare.csv -k linear -l svc --probabilities -o n.mercer");
    assert!(run.err.contains("W_FOLDS a class has only one member"), "{}", run.err);
    // Few members give coarse probabilities, which is only a warning.
    folder.write("few.csv", "x,class\n1,a\n2,a\n3,b\n4,b\n");
    let run = folder.ok("fit few.csv -k linear --probabilities -o f.mercer");
    assert!(run.err.contains("W_FOLDS probabilities rest on 2 folds"), "{}", run.err);
}

#[test]
fn components_without_a_target() {
    let folder = flowers();
    let fit = folder.ok(&format!("fit train.csv {KERNEL} -l pca(components=2) -o m.mercer"));
    let told = "m.mercer: pca on standardize(rbf(gamma=0.25)); 2 components; 100 objects, 100 objects to compare with";
    assert!(fit.out.starts_with(told), "{}", fit.out);
    assert_eq!(fit.err, "pca learns without a target: 'class' is ignored\n");
    assert_eq!(folder.ok(&format!("fit train.csv --no-target {KERNEL} -l pca -o n.mercer --quiet")).err, "");
    let run = folder.ok("predict m.mercer test.csv");
    assert_eq!((lines(&run).len(), lines(&run)[0], run.err.as_str()), (51, "component 1,component 2", ""));
    assert_eq!(folder.ok("predict n.mercer test.csv").out, run.out);
    assert_eq!(folder.ok("predict m.mercer test.csv --decisions").out, run.out);
    // The first component tells setosa from the others.
    let first = |line: &str| line.split(',').next().unwrap().parse::<f64>().unwrap();
    let test = String::from_utf8(folder.read("test.csv")).unwrap();
    let sides: Vec<bool> = lines(&run)[1..].iter().map(|l| first(l) > 0.0).collect();
    let setosa: Vec<bool> = test.lines().skip(1).map(|l| l.ends_with("setosa")).collect();
    let same = sides.iter().zip(&setosa).filter(|(a, b)| a == b).count();
    assert!(same >= 45 || same <= 5, "{same}");

    let predict = folder.ok("predict m.mercer test.csv --json").json();
    assert_eq!((&predict["predictions"], &predict["score"]), (&Value::Null, &Value::Null));
    assert_eq!(predict["coordinates"]["columns"], serde_json::json!(["component 1", "component 2"]));
    assert_eq!(predict["coordinates"]["values"].as_array().unwrap().len(), 50);
    let inspect = folder.ok("inspect m.mercer --json").json();
    let parts = inspect["pca"]["components"].as_array().unwrap();
    let number = |part: &Value, key: &str| part[key].as_f64().unwrap();
    for part in parts {
        let share = number(part, "variance") / inspect["pca"]["total_variance"].as_f64().unwrap();
        assert!((number(part, "share") - share).abs() < 1e-12);
    }
    assert!(parts.len() == 2 && number(&parts[0], "share") > number(&parts[1], "share"));
    assert_eq!((&inspect["target"], &inspect["kmeans"]), (&Value::Null, &Value::Null));
    let shown = folder.ok("inspect m.mercer").out;
    assert!(shown.contains("coordinates along 2 components") && shown.contains("component 2"), "{shown}");
    let few = folder.ok("fit train.csv -k linear@sepal_length -l pca(components=3) -o m.mercer");
    assert!(few.err.contains("W_COMPONENTS 1 of 3 components"), "{}", few.err);
    assert_eq!(lines(&folder.ok("predict m.mercer test.csv"))[0], "component 1");
    folder.refused("fit train.csv -k ones -l pca -o q.mercer --quiet", "E_USAGE no components");
    folder.refused("predict n.mercer test.csv --probabilities", "n.mercer E_USAGE this model has no prob");
    folder.refused("fit train.csv -k linear -l pca --probabilities -o q.mercer", "train.csv E_USAGE --prob");
    folder.refused("convert n.mercer -o n.model", "n.mercer");
    assert!(!folder.has("q.mercer") && !folder.has("n.model"));
}

/// scikit-learn 1.9.1 on iris after StandardScaler: KernelPCA(3, kernel="rbf", gamma=0.25), whose eigenvalues are n
/// times the variances and whose signs are free, and KMeans(3, n_init=50).
#[test]
fn components_and_clusters_of_scikit_learn() {
    let folder = Folder::new();
    folder.write("iris.csv", IRIS);
    let close = |a: f64, b: f64, within: f64| assert!((a - b).abs() < within, "{a} {b}");
    let document = folder.ok(&format!("fit iris.csv {KERNEL} -l pca(3) -o m.mercer --json")).json();
    for (part, variance) in [0.26184255, 0.11871318, 0.05716583].into_iter().enumerate() {
        close(document["pca"]["components"][part]["variance"].as_f64().unwrap(), variance, 1e-8);
    }
    let found = folder.ok("predict m.mercer iris.csv --json").json();
    for (i, row) in
        [[0.8020376, 0.09375029, 0.16523272], [0.66562269, 0.109343, 0.42820343]].iter().enumerate()
    {
        for (c, value) in row.iter().enumerate() {
            close(found["coordinates"]["values"][i][c].as_f64().unwrap().abs(), *value, 1e-7);
        }
    }
    let fit = "fit iris.csv -k standardize(linear) -l kmeans(k=3,restarts=50) -o m.mercer --json";
    let document = folder.ok(fit).json();
    close(document["kmeans"]["inertia"].as_f64().unwrap(), 139.82049635974982, 1e-6);
    let found = folder.ok("predict m.mercer iris.csv --decisions --json").json();
    let mut row: Vec<f64> = (0..3).map(|c| found["decisions"]["values"][0][c].as_f64().unwrap()).collect();
    row.sort_by(f64::total_cmp);
    row.iter().zip([0.21295824, 3.12119834, 3.98940603]).for_each(|(a, b)| close(*a, b, 1e-6));
}

#[test]
fn clusters_without_a_target() {
    let folder = flowers();
    let fit = folder.ok("fit train.csv -k standardize(linear) -l kmeans(k=2) -o m.mercer");
    assert!(fit.out.contains("; 2 clusters; 100 objects, 100 objects to compare with"), "{}", fit.out);
    assert!(fit.err.contains("'class' is ignored"), "{}", fit.err);
    let run = folder.ok("predict m.mercer test.csv --decisions");
    assert_eq!(lines(&run)[0], "prediction,cluster 1,cluster 2");
    // Of two clusters setosa is one, the first because the data begins with it.
    let test = String::from_utf8(folder.read("test.csv")).unwrap();
    let mut right = 0;
    for (line, flower) in lines(&run)[1..].iter().zip(test.lines().skip(1)) {
        let cells: Vec<&str> = line.split(',').collect();
        let [one, two] = [1, 2].map(|c| cells[c].parse::<f64>().unwrap());
        assert_eq!(cells[0], if one <= two { "cluster 1" } else { "cluster 2" }, "{line}");
        right += usize::from((cells[0] == "cluster 1") == flower.ends_with("setosa"));
    }
    assert!(right >= 48, "{right}");
    let inspect = folder.ok("inspect m.mercer --json").json();
    let sizes = inspect["kmeans"]["clusters"].as_array().unwrap().iter();
    assert_eq!(sizes.map(|c| c["objects"].as_u64().unwrap()).sum::<u64>(), 100);
    assert_eq!((&inspect["pca"], &inspect["converged"]), (&Value::Null, &true.into()));
    let shown = folder.ok("inspect m.mercer").out;
    for words in ["which of 2 clusters", "cluster 2", "inertia ", "converged after "] {
        assert!(shown.contains(words), "{shown}");
    }
    // The seed chooses the start; the same seed, the same file.
    let model = |seed: usize, threads: usize| {
        folder.ok(&format!(
            "fit train.csv -k linear -l kmeans(k=9,restarts=1) -o s.mercer --seed {seed} --threads {threads}"
        ));
        folder.ok("predict s.mercer test.csv").out
    };
    assert_eq!(model(1, 1), model(1, 4));
    assert!((2..6).any(|seed| model(seed, 1) != model(1, 1)));
    let run = folder.run("fit train.csv -k linear -l kmeans(k=9) --max-iterations 1 -o s.mercer");
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    assert!(run.err.contains("W_NOT_CONVERGED clusters: stopped early"), "{}", run.err);
    folder.refused(
        "fit train.csv -k linear -l kmeans(k=101) -o q.mercer --quiet",
        "E_PARAM k = 101: must be at most",
    );
    folder.refused("predict m.mercer test.csv --probabilities", "m.mercer E_USAGE this model has no prob");
    assert!(!folder.has("q.mercer"));
}

#[test]
fn every_learner_makes_a_model() {
    let folder = flowers();
    for (learner, least) in [
        ("svc(weights=balanced)", 0.9),
        ("svc(scheme=one-versus-rest)", 0.9),
        ("nu-svc(nu=0.2)", 0.9),
        ("ridge", 0.7),
        ("perceptron", 0.6),
        ("voted-perceptron", 0.6),
        ("knn(k=3)", 0.9),
        ("knn(k=3,weights=distance)", 0.9),
        ("linear-svc(epochs=10000,tolerance=0.01)", 0.6),
    ] {
        let run = folder.run(&format!("fit train.csv -k linear -l {learner} -o m.mercer"));
        // The perceptron does not converge on overlapping classes, and says so.
        assert_eq!(run.code, Some(i32::from(learner == "perceptron")), "{learner}: {}{}", run.out, run.err);
        let score =
            folder.ok("predict m.mercer test.csv --json").json()["score"]["accuracy"].as_f64().unwrap();
        assert!(score >= least, "{learner}: {score}");
        assert!(folder.ok("inspect m.mercer").out.contains(learner.split('(').next().unwrap()), "{learner}");
    }
}

#[test]
fn nu_without_a_margin_is_saved_and_says_so() {
    let folder = Folder::new();
    // Each object occurs once with either class.
    let rows: String = (0..20).map(|i| format!("{},{},{}\n", i % 5, i / 10, ["a", "b"][i / 5 % 2])).collect();
    folder.write("same.csv", format!("x,z,class\n{rows}"));
    let run = folder.ok("fit same.csv -k linear -l nu-svc(nu=0.3) --target class -o m.mercer");
    let words = "W_NO_MARGIN a|b: nu leaves no margin between the classes";
    assert!(run.err.contains(words), "{}", run.err);
    let found = folder.ok("inspect m.mercer --json").json();
    assert_eq!(found["classifiers"][0]["certificate"]["no_margin"], true);
    assert!(found["warnings"].as_array().unwrap().iter().any(|w| w.as_str().unwrap().starts_with(words)));
    // Predictions of the file are those of the fit, and its decision values are not scaled up.
    assert_eq!(folder.ok("predict m.mercer same.csv").out, folder.ok("predict m.mercer same.csv").out);
    let run = folder.ok("evaluate same.csv -k linear -l nu-svc(nu=0.3) --target class --protocol 2-fold");
    assert!(run.err.contains("W_NO_MARGIN nu leaves no margin between the classes in"), "{}", run.err);
}

#[test]
fn a_fit_that_did_not_converge_is_saved_and_says_so() {
    let folder = flowers();
    let args = format!("fit train.csv {KERNEL} -l svc(C=10) --max-iterations 2 -o m.mercer");
    let run = folder.run(&args);
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    let words = "W_NOT_CONVERGED versicolor|virginica: stopped early, the iteration limit was reached";
    assert!(run.err.contains(words), "{}", run.err);
    let inspect = folder.ok("inspect m.mercer").out;
    let told = inspect.lines().find(|l| l.starts_with("converged")).unwrap();
    assert!(told.ends_with("no"), "{inspect}");
    let run = folder.run(&format!("{args} --json"));
    assert_eq!(run.code, Some(1));
    assert_eq!(run.json()["converged"], false);
    assert_eq!(folder.ok("inspect m.mercer --json").json()["converged"], false);
    folder.ok("predict m.mercer test.csv");
}

#[test]
fn documents_of_models() {
    let folder = flowers();
    let fit = folder.ok(&format!("fit train.csv {KERNEL} -l svc(C=10) -o m.mercer --json")).json();
    let inspect = folder.ok("inspect m.mercer --json").json();
    let predict = folder.ok("predict m.mercer test.csv --decisions --json").json();
    for (document, command) in [(&fit, "fit"), (&inspect, "inspect"), (&predict, "predict")] {
        assert_eq!((&document["schema"], &document["command"]), (&"mercer/2".into(), &command.into()));
    }
    for key in
        ["kernel", "learner", "objects", "support", "classes", "columns", "target", "converged", "steps"]
    {
        assert_eq!(fit[key], inspect[key], "{key}");
        assert_ne!(fit[key], Value::Null, "{key}");
    }
    assert_eq!(inspect["what"], "model");
    assert_eq!(fit["classes"], serde_json::json!(["setosa", "versicolor", "virginica"]));
    for classifier in fit["classifiers"].as_array().unwrap() {
        let c = &classifier["certificate"];
        assert_eq!(c["stop"], "converged");
        assert!(c["gap"].as_f64().unwrap() < 0.1 && c["primal"].as_f64() >= c["dual"].as_f64(), "{c}");
        let count = |key: &str| classifier["locations"][key].as_u64().unwrap();
        assert_eq!(count("on") + count("inside"), classifier["support"].as_u64().unwrap());
        assert!(count("outside") + count("on") + count("inside") > 60);
    }
    assert_eq!(predict["predictions"].as_array().unwrap().len(), 50);
    assert_eq!(predict["decisions"]["values"][0].as_array().unwrap().len(), 3);
    assert!(predict["score"]["accuracy"].as_f64().unwrap() > 0.9);
    folder.ok("predict m.mercer test.csv --decisions -o out.json");
    let file: Value = serde_json::from_slice(&folder.read("out.json")).unwrap();
    assert_eq!(file["predictions"], predict["predictions"]);
}

#[test]
fn the_same_bits_on_one_thread_and_on_four() {
    let folder = flowers();
    for kernel in
        ["rbf(gamma=0.3)", "center(standardize(rbf(gamma=0.5)))+0.1*repair(sigmoid(gamma=0.1,c=-1))"]
    {
        let mut seen = Vec::new();
        for threads in [1, 4] {
            folder.ok(&format!(
                "fit train.csv -k {kernel} -l svc(C=5) -o m{threads}.mercer --threads {threads}"
            ));
            let run =
                folder.ok(&format!("predict m{threads}.mercer test.csv --decisions --threads {threads}"));
            seen.push((folder.read(&format!("m{threads}.mercer")), run.out));
        }
        assert!(seen[0] == seen[1], "{kernel}");
    }
}

#[test]
fn defaults_are_printed() {
    let folder = flowers();
    let run = folder.ok("fit train.csv -o m.mercer");
    assert!(run.err.contains("no learner given: svc"), "{}", run.err);
    assert!(run.err.contains("no kernel given: standardize(rbf(gamma=0.25))"), "{}", run.err);
    folder.write("line.csv", "x,colour,y\n1.5,red,0.5\n2.5,blue,0.7\n3,red,0.9\n");
    let run = folder.ok("fit line.csv -o m.mercer");
    assert!(run.err.contains("no learner given: svr"), "{}", run.err);
    assert!(
        run.err.contains("no kernel given: standardize(rbf(gamma=1)) + normalize(column-sum(delta)@colour)"),
        "{}",
        run.err
    );
}

#[test]
fn negative_eigenvalues_are_refused_or_repaired() {
    let folder = flowers();
    let kernel = "-l svc -k standardize(sigmoid(gamma=1,c=-1))";
    folder.refused(
        &format!("fit train.csv {kernel} --psd check -o m.mercer"),
        "train.csv E_K_PSD not positive semidefinite",
    );
    assert!(!folder.has("m.mercer"));
    for method in ["clip", "flip", "shift"] {
        let run = folder.ok(&format!("fit train.csv {kernel} --psd {method} -o m.mercer"));
        assert!(
            run.out.contains(&format!("repair(standardize(sigmoid(gamma=1, c=-1)), method={method}")),
            "{}",
            run.out
        );
        assert!(run.err.contains("W_REPAIRED"), "{}", run.err);
        folder.ok("predict m.mercer test.csv");
    }
    folder.ok("fit train.csv -k rbf(gamma=1) --psd check -o m.mercer");
}

#[test]
fn a_matrix_made_elsewhere() {
    use crate::make::{matrix, zip};
    let folder = Folder::new();
    let x = [-2.0, -1.0, 1.0, 3.0f64];
    let gram: Vec<f64> = x.iter().flat_map(|a| x.map(|b| a * b)).collect();
    folder.write("K.npz", zip(&[("x.npy", &matrix(4, &gram)), ("y.npy", &matrix(4, &[0.0, 0.0, 1.0, 1.0]))]));
    folder.ok("fit K.npz --precomputed -k precomputed -l svc(C=10) -o m.mercer");
    let new = [-3.0, 0.5].iter().flat_map(|a| x.map(|b| a * b)).collect::<Vec<f64>>();
    folder.write("new.npy", matrix(2, &new));
    assert_eq!(folder.ok("predict m.mercer new.npy").out, "prediction\n0\n1\n");
    folder.write("narrow.npy", matrix(2, &new[..6]));
    folder.refused(
        "predict m.mercer narrow.npy",
        "narrow.npy E_K_SHAPE expected similarities to 4 training objects",
    );
    // Eigenvalues 1 and -1 twice.
    let bad = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0];
    folder
        .write("bad.npz", zip(&[("x.npy", &matrix(4, &bad)), ("y.npy", &matrix(4, &[0.0, 1.0, 0.0, 1.0]))]));
    folder.refused("fit bad.npz --precomputed -k precomputed -l svc -o n.mercer", "bad.npz E_K_PSD");
    assert!(!folder.has("n.mercer"));
}

/// Models saved by earlier versions can still be loaded.
#[test]
fn a_model_of_version_one() {
    let folder = Folder::new();
    folder.write("old.mercer", include_bytes!("data/version-1.mercer"));
    folder.write("a.csv", "b,a\nx,1.25\ny,3.75\n");
    let run = folder.ok("predict old.mercer a.csv --decisions");
    let (now, then) = (lines(&run), include_str!("data/version-1.csv").lines().collect::<Vec<_>>());
    assert_eq!((now.len(), now[0]), (then.len(), then[0]));
    for (now, then) in now.iter().zip(then).skip(1) {
        let ((class, value), (known, expected)) =
            (now.split_once(',').unwrap(), then.split_once(',').unwrap());
        let apart = value.parse::<f64>().unwrap() - expected.parse::<f64>().unwrap();
        assert!(class == known && apart.abs() < 1e-9, "{now} {then}");
    }
}

#[test]
fn to_libsvm_and_back() {
    let folder = Folder::new();
    folder.write("train.svm", "+1 1:1 3:1\n-1 2:1\n+1 1:2 3:0.5\n-1 2:2\n+1 1:0.1 2:0.1\n-1 3:2\n");
    for (kernel, learner) in [
        ("linear", "svc"),
        ("rbf(gamma=0.5)", "svc(C=10)"),
        ("polynomial(degree=2,c=1,gamma=0.5)", "nu-svc(nu=0.4)"),
        ("sigmoid(gamma=0.1,c=0)", "svc(C=0.1)"),
        ("rbf(gamma=0.5)", "one-class(nu=0.3)"),
    ] {
        folder.ok(&format!("fit train.svm -k {kernel} -l {learner} -o m.mercer"));
        folder.ok("convert m.mercer -o m.model");
        assert!(folder.read("m.model").starts_with(b"svm_type "));
        folder.ok("convert m.model -o again.mercer");
        let decisions = |model: &str| {
            let run = folder.ok(&format!("predict {model} train.svm --decisions"));
            run.out
                .lines()
                .skip(1)
                .map(|l| l.rsplit(',').next().unwrap().parse::<f64>().unwrap())
                .collect::<Vec<_>>()
        };
        for model in ["m.model", "again.mercer"] {
            for (a, b) in decisions("m.mercer").iter().zip(decisions(model)) {
                assert!((a.abs() - b.abs()).abs() < 1e-12, "{kernel} {learner} {model}: {a} {b}");
            }
            let classes = |model: &str| {
                let run = folder.ok(&format!("predict {model} train.svm"));
                run.out
            };
            assert_eq!(classes("m.mercer"), classes(model), "{kernel} {learner}");
        }
    }
    folder.ok("fit train.svm -k laplacian(gamma=1) -l svc -o m.mercer");
    let run = folder.refused("convert m.mercer -o no.model", "m.mercer");
    assert!(run.err.contains("laplacian"), "{}", run.err);
    folder.ok("fit train.svm -k linear -l knn(k=1) -o m.mercer");
    folder.refused("convert m.mercer -o no.model", "m.mercer");
    assert!(!folder.has("no.model"));
}

/// A table predicted in chunks gives the result of the whole table, in bounded memory. Errors name the line in the
/// whole table.
#[test]
fn predictions_in_chunks() {
    let folder = Folder::new();
    let row = |i: usize| {
        format!(
            "{},{},{}",
            (i * 37 % 101) as f64 / 10.0,
            (i * 61 % 89) as f64 / 7.0,
            if i.is_multiple_of(3) { "a" } else { "b" }
        )
    };
    let table = |n: usize| "x,y,class\n".to_owned() + &(0..n).map(row).collect::<Vec<_>>().join("\n") + "\n";
    folder.write("train.csv", table(90));
    folder.write("new.csv", table(1000));
    folder.ok("fit train.csv -k standardize(rbf) -l svc -o m.mercer -q");
    folder.ok("predict m.mercer new.csv --decisions -o whole.csv");
    let whole = folder.read("whole.csv");
    let said = folder.ok("predict m.mercer new.csv --decisions -o pieces.csv --piece-mb 0.002");
    assert!(folder.read("pieces.csv") == whole);
    let before = folder.ok("predict m.mercer new.csv -o other.csv");
    assert!(said.err.contains("accuracy") && said.err == before.err, "{} {}", said.err, before.err);
    let printed = folder.ok("predict m.mercer new.csv --decisions --piece-mb 0.002");
    assert_eq!(printed.out.as_bytes(), whole);
    folder.write("bad.csv", table(800) + "1,2,a,3\n");
    folder.refused("predict m.mercer bad.csv -o whole.csv --piece-mb 0.002", "bad.csv:802:");
    assert!(folder.read("whole.csv") == whole, "the old file stays");
}

/// A Gram matrix from a file gives the same model as one that is computed.
#[test]
fn a_gram_matrix_from_a_file() {
    let folder = Folder::new();
    folder.ok("gram iris -k standardize(rbf) -o K.npy -q");
    folder.ok("fit iris -k standardize(rbf) -l svc(C=10) -o computed.mercer -q");
    folder.ok("fit iris -k standardize(rbf) -l svc(C=10) --gram K.npy -o read.mercer -q");
    folder.ok("predict computed.mercer iris -o a.csv");
    folder.ok("predict read.mercer iris -o b.csv");
    assert!(folder.read("a.csv") == folder.read("b.csv"));
    folder.ok("gram iris -k standardize(rbf) --new iris -o other.npy -q");
    folder.write("few.csv", "a,b,class\n1,2,x\n2,3,y\n4,1,x\n");
    folder.refused("fit few.csv -k rbf -l svc --gram K.npy -o few.mercer", "few.csv E_");
}
