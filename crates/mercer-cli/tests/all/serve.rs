//! The prediction server, over real connections.

use serde_json::{Value, json};

use crate::run::Folder;
use crate::serving::{FLOWERS, Server, folder};

#[test]
fn tables_and_objects_are_predicted() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let (status, answer) = server.ask("POST", "/predict?name=flowers.csv", "", FLOWERS);
    assert_eq!((status, &answer["predictions"]), (200, &json!(["setosa", "virginica"])), "{answer}");
    // The same values as from the program, to the last bit.
    folder.write("flowers.csv", FLOWERS);
    let same = folder.ok("predict iris.mercer flowers.csv --decisions --json").json();
    assert_eq!(answer["decisions"], same["decisions"]);
    let objects = json!({"objects": [{"sepal_length": 5.1, "sepal_width": 3.5, "petal_length": 1.4, "petal_width": 0.2}]});
    let (status, answer) =
        server.ask("POST", "/predict", "Content-Type: application/json\r\n", &objects.to_string());
    assert_eq!((status, &answer["predictions"]), (200, &json!(["setosa"])), "{answer}");
    let (status, model) = server.ask("GET", "/model", "", "");
    assert_eq!((status, &model["classes"][0]), (200, &json!("setosa")));
    let (status, how) = server.ask("GET", "/openapi.json", "", "");
    assert_eq!((status, &how["openapi"]), (200, &json!("3.1.0")));
    assert!(how["paths"]["/predict"]["post"]["requestBody"].is_object());
    let (status, page) = server.ask("GET", "/", "", "");
    assert!(status == 200 && page.as_str().unwrap().starts_with("<!doctype html>"));
    assert_eq!(server.ask("GET", "/health", "", "").0, 200);
}

#[test]
fn objects_that_the_training_left_out_are_left_out() {
    let folder = Folder::new();
    let rows: String = (0..20)
        .map(|i| format!("{},{}\n", if i == 3 { String::new() } else { (i % 2).to_string() }, i % 2))
        .collect();
    folder.write("a.csv", format!("x,y\n{rows}"));
    folder.ok("fit a.csv --target y --missing drop -k linear -l svc -o m.mercer -q");
    let server = Server::start(&folder, "m.mercer");
    let objects = json!({"objects": [{"x": 1}, {"x": null}, {"x": 0}]}).to_string();
    let (status, answer) = server.ask("POST", "/predict", "Content-Type: application/json\r\n", &objects);
    assert_eq!((status, &answer["rows"], &answer["objects"]), (200, &json!([1, 3]), &json!(2)), "{answer}");
    assert!(answer["warnings"].to_string().contains("W_DROPPED 1 of 3 objects"), "{answer}");
    let (_, whole) = server.ask("POST", "/predict?name=a.csv", "", "x\n1\n0\n");
    assert_eq!((&whole["predictions"], &whole["rows"]), (&answer["predictions"], &Value::Null));
    let (status, refused) = server.ask("POST", "/predict?name=a.csv", "", "x,z\n,1\n");
    assert!(status >= 400 && refused.to_string().contains("every object has a missing value"), "{refused}");
}

#[test]
fn explanations_by_features_or_by_columns() {
    let folder = folder();
    let server = Server::start(&folder, "plain.mercer");
    let (status, answer) = server.ask("POST", "/predict?explain=2", "", FLOWERS);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["explanations"][0]["features"].as_array().unwrap().len(), 2);
    assert_eq!((&answer["explained_by"], &answer["not_explained"]), (&json!("features"), &Value::Null));
    // The example of the guide.
    let server = Server::start(&folder, "iris.mercer");
    let (status, answer) = server.ask("POST", "/predict?name=flowers.csv&explain=3", "", FLOWERS);
    assert_eq!((status, &answer["predictions"]), (200, &json!(["setosa", "virginica"])), "{answer}");
    assert_eq!(answer["explained_by"], "columns");
    assert!(answer["explained_note"].as_str().unwrap().contains("exact"), "{answer}");
    for why in answer["explanations"].as_array().unwrap() {
        let parts = why["features"].as_array().unwrap();
        assert_eq!(parts.len(), 3);
        let number = |v: &Value| v.as_f64().unwrap();
        let sum: f64 = parts.iter().map(|p| number(&p["amount"])).sum();
        let total = sum + number(&why["rest"]) + number(&why["offset"]);
        assert!((total - number(&why["value"])).abs() < 1e-9, "{why}");
        assert!(parts.iter().all(|p| number(&p["count"]) > 0.0 && number(&p["count"]) <= 1.0), "{why}");
    }
    // Nearest neighbours have no weights, but columns.
    folder.ok("fit iris -k rbf(gamma=0.25) -l knn -o near.mercer -q");
    let server = Server::start(&folder, "near.mercer");
    let (status, answer) = server.ask("POST", "/predict?explain=3", "", FLOWERS);
    assert_eq!((status, &answer["predictions"]), (200, &json!(["setosa", "virginica"])), "{answer}");
    assert_eq!((&answer["explained_by"], &answer["not_explained"]), (&json!("columns"), &Value::Null));
    assert_eq!(answer["explanations"].as_array().unwrap().len(), 2, "{answer}");
}

/// Two molecules of an SD file; the second has an oxygen.
const MOLECULES: &str = "\
methane-like
  test

  2  1  0  0  0  0            999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.0000    0.0000    0.0000 C   0  0
  1  2  1  0
M  END
> <class>
no

$$$$
alcohol
  test

  2  1  0  0  0  0            999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.0000    0.0000    0.0000 O   0  0
  1  2  1  0
M  END
> <class>
yes

$$$$
";

#[test]
fn the_format_of_pasted_data_is_detected_under_the_default_name() {
    let folder = Folder::new();
    folder.write("m.sdf", MOLECULES.repeat(3));
    folder.ok("fit m.sdf -k vertex-histogram -l svc(C=10) -o m.mercer -q");
    let server = Server::start(&folder, "m.mercer");
    let (_, page) = server.ask("GET", "/", "", "");
    assert!(page.as_str().unwrap().contains("value=\"objects.csv\""));
    for name in ["objects.csv", "objects", "x.sdf", "new.txt"] {
        let (status, answer) = server.ask("POST", &format!("/predict?name={name}&explain=1"), "", MOLECULES);
        assert_eq!((status, &answer["predictions"]), (200, &json!(["no", "yes"])), "{name}: {answer}");
    }
}

#[test]
fn bad_requests_get_a_reason_and_affect_no_others() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer --max-body 1 --timeout 5");
    for (path, headers, body, status, says) in [
        ("/predict", "", "sepal_length\nx\n", 400, "E_"),
        ("/predict", "", "", 400, "E_EMPTY"),
        ("/predict?color=red", "", FLOWERS, 400, "unknown parameter"),
        ("/predict?explain=-1", "", FLOWERS, 400, "explain takes"),
        ("/predict", "Content-Type: application/json\r\n", "{\"objects\": 3}", 400, "no list named objects"),
        (
            "/predict",
            "Content-Type: application/json\r\n",
            "{\"objects\": [{\"a\": [1]}]}",
            400,
            "values must be",
        ),
        ("/predict", "Content-Type: application/json\r\n", "{", 400, "not JSON"),
        ("/elsewhere", "", "", 404, "nothing at this path"),
    ] {
        let (found, answer) = server.ask("POST", path, headers, body);
        assert_eq!(found, status, "{path} {answer}");
        assert!(answer["error"].to_string().contains(says), "{path} {answer}");
    }
    assert_eq!(server.ask("DELETE", "/predict", "", "").0, 405);
    let large = "1".repeat(2 << 20);
    assert_eq!(server.ask("POST", "/predict", "", &large).0, 413);
    // A body that never arrives.
    let waiting =
        format!("POST /predict HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n", server.address);
    assert_eq!(server.raw(waiting.as_bytes()).0, 408);
    // A host name that is not local.
    let (status, _) = server.raw(b"GET /model HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n");
    assert_eq!(status, 403);
    assert_eq!(server.raw(b"nonsense\r\n\r\n").0, 400);
    assert_eq!(server.ask("POST", "/predict", "", FLOWERS).0, 200);
}

#[test]
fn a_token_is_required() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer --token s3cret");
    assert_eq!(server.ask("POST", "/predict", "", FLOWERS).0, 401);
    assert_eq!(server.ask("POST", "/predict", "Authorization: Bearer s3creT\r\n", FLOWERS).0, 401);
    assert_eq!(server.ask("POST", "/predict", "Authorization: Bearer s3cret\r\n", FLOWERS).0, 200);
    assert_eq!(server.ask("GET", "/model", "", "").0, 401);
    assert_eq!(server.ask("GET", "/", "", "").0, 200);
}

#[test]
fn two_hundred_clients_at_once() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let wrong: usize = std::thread::scope(|scope| {
        let ask = || (0..5).filter(|_| server.ask("POST", "/predict", "", FLOWERS).0 != 200).count();
        let clients: Vec<_> = (0..200).map(|_| scope.spawn(ask)).collect();
        clients.into_iter().map(|c| c.join().unwrap()).sum()
    });
    assert_eq!(wrong, 0);
}

#[test]
fn invalid_options() {
    let folder = folder();
    for (args, says) in [
        ("serve iris.mercer --max-body 0", "--max-body"),
        ("serve iris.mercer --timeout 0", "--timeout"),
        ("serve iris.mercer --memory 63", "--memory"),
        ("serve iris.mercer --memory 100 --max-body 32", "--memory"),
        ("serve iris.mercer --connections 0", "--connections"),
        ("serve iris.mercer --log absent/x.log", "absent/x.log"),
        ("serve absent.mercer", "absent.mercer"),
        ("serve iris.mercer --host 192.0.2.1", "192.0.2.1"),
    ] {
        let run = folder.run(args);
        assert!(run.code != Some(0) && run.err.contains(says), "{args}: {}", run.err);
    }
}
