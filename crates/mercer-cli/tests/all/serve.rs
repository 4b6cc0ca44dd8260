//! The prediction server over real connections.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::run::Folder;

/// A running server, stopped when it goes.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Folder, args: &str) -> Self {
        let mut command = folder.command(&format!("serve {args} --port 0"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.map_while(Result::ok).find_map(|l| Some(l.strip_prefix("http://")?.to_owned()));
        Server { child, address: address.unwrap() }
    }

    /// Sends a request as it is and gives status and body.
    fn raw(&self, request: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // A server that refuses early may close before all was written.
        let _ = stream.write_all(request);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let status = text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        (status, text.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned()))
    }

    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, Value) {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        );
        let (status, text) = self.raw(request.as_bytes());
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with a model of flowers.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("fit iris -k standardize(rbf(gamma=0.25)) -l svc(C=1) -o iris.mercer -q");
    folder.ok("fit iris -k linear -l svc(C=1) -o plain.mercer -q");
    folder
}

const FLOWERS: &str = "sepal_length,sepal_width,petal_length,petal_width\n5.1,3.5,1.4,0.2\n6.3,2.9,5.6,1.8\n";

#[test]
fn tables_and_objects_are_predicted() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let (status, answer) = server.ask("POST", "/predict?name=flowers.csv", "", FLOWERS);
    assert_eq!((status, &answer["predictions"]), (200, &json!(["setosa", "virginica"])), "{answer}");
    // The same as the program says, to the last bit.
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
fn explanations_where_the_kernel_has_features() {
    let folder = folder();
    let server = Server::start(&folder, "plain.mercer");
    let (status, answer) = server.ask("POST", "/predict?explain=2", "", FLOWERS);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["explanations"][0]["features"].as_array().unwrap().len(), 2);
    let server = Server::start(&folder, "iris.mercer");
    let (status, answer) = server.ask("POST", "/predict?explain=2", "", FLOWERS);
    assert_eq!((status, &answer["error"]["code"]), (400, &json!("E_PARAM")), "{answer}");
}

#[test]
fn bad_requests_are_told_why_and_harm_nobody() {
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
    // A body that never comes.
    let waiting =
        format!("POST /predict HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n", server.address);
    assert_eq!(server.raw(waiting.as_bytes()).0, 503);
    // A name that is not this machine's.
    let (status, _) = server.raw(b"GET /model HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n");
    assert_eq!(status, 403);
    assert_eq!(server.raw(b"nonsense\r\n\r\n").0, 400);
    assert_eq!(server.ask("POST", "/predict", "", FLOWERS).0, 200);
}

#[test]
fn a_token_is_asked_for() {
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

#[cfg(unix)]
#[test]
fn a_signal_ends_it_in_good_order() {
    let folder = folder();
    let mut server = Server::start(&folder, "iris.mercer");
    let process = rustix::process::Pid::from_child(&server.child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn options_that_make_no_sense() {
    let folder = folder();
    for (args, says) in [
        ("serve iris.mercer --max-body 0", "--max-body"),
        ("serve iris.mercer --timeout 0", "--timeout"),
        ("serve absent.mercer", "absent.mercer"),
        ("serve iris.mercer --host 192.0.2.1", "192.0.2.1"),
    ] {
        let run = folder.run(args);
        assert!(run.code != Some(0) && run.err.contains(says), "{args}: {}", run.err);
    }
}
