//! Access rules of the server, and malformed requests.

use std::io::Write;

use serde_json::{Value, json};

use crate::serving::{FLOWERS, Reply, Server, folder, next};

const SECURITY: [&str; 5] = [
    "x-content-type-options: nosniff",
    "content-security-policy: default-src 'none'",
    "referrer-policy: no-referrer",
    "cache-control: no-store",
    "x-frame-options: deny",
];

#[track_caller]
fn is_guarded(reply: &Reply, status: u16, code: &str) {
    assert_eq!((reply.status, reply.code().as_str()), (status, code), "{}\n{}", reply.head, reply.body);
    for line in SECURITY {
        assert!(reply.head.contains(line), "{status} without {line}: {}", reply.head);
    }
    assert!(reply.head.contains("content-type: application/json"), "{}", reply.head);
}

#[test]
fn hosts_are_read_by_one_parser() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let port = server.address.rsplit(':').next().unwrap();
    let with = |host: &str| {
        server.send(format!("GET /model HTTP/1.1\r\n{host}Connection: close\r\n\r\n").as_bytes())
    };
    for good in ["localhost", "LOCALHOST:80", "127.0.0.1", "127.9.9.9:1", "[::1]", "[::1]:65535"] {
        assert_eq!(with(&format!("Host: {good}\r\n")).status, 200, "{good}");
    }
    assert_eq!(with(&format!("Host: localhost:{port}\r\n")).status, 200);
    for elsewhere in
        ["example.org", "localhost.evil.com", "192.0.2.7", "[2001:db8::1]:80", "127.0.0.1.evil.com"]
    {
        is_guarded(&with(&format!("Host: {elsewhere}\r\n")), 403, "E_HOST");
    }
    for broken in [
        "[::1].evil.com",
        "localhost:80@evil.com",
        "user@localhost",
        "localhost:",
        "localhost:99999",
        "localhost:+80",
        "localhost:80:80",
        "[::1",
        "[::1]80",
        "[localhost]",
        "[fe80::1%25lo]",
        "localhost/evil",
        "local host",
        "",
    ] {
        is_guarded(&with(&format!("Host: {broken}\r\n")), 400, "E_HOST");
    }
    is_guarded(&with("Host: localhost\r\nHost: evil.com\r\n"), 400, "E_HOST");
    is_guarded(&with("Host: localhost\r\nHost: localhost\r\n"), 400, "E_HOST");
    is_guarded(&with(""), 400, "E_HOST");
    // Absolute targets must agree with the header.
    let absolute = |target: &str, host: &str| {
        let text = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        server.send(text.as_bytes())
    };
    assert_eq!(absolute("http://localhost:7/model", "localhost:7").status, 200);
    assert_eq!(absolute("http://localhost/model", "localhost:80").status, 200);
    is_guarded(&absolute("http://evil.com/model", "localhost"), 400, "E_HOST");
    is_guarded(&absolute("http://localhost/model", "evil.com"), 400, "E_HOST");
    is_guarded(&absolute("http://evil.com/model", "evil.com"), 403, "E_HOST");
    assert_eq!(absolute("http://evil@localhost/model", "localhost").status, 400);
    // HTTP/1.0 may have no Host header, which then is not local.
    is_guarded(&server.send(b"GET /model HTTP/1.0\r\n\r\n"), 403, "E_HOST");
}

#[test]
fn malformed_headers_get_ordinary_answers() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "A: b\r\n".repeat(80));
    let large = format!("GET / HTTP/1.1\r\nHost: localhost\r\nA: {}\r\n\r\n", "b".repeat(40_000));
    let cases: [(&[u8], u16); 7] = [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n", 400),
        (b"GE\0T / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
        (many.as_bytes(), 431),
        (large.as_bytes(), 431),
    ];
    for (head, status) in cases {
        let reply = server.send(head);
        is_guarded(&reply, status, "E_HEAD");
        let length = reply.head.lines().find_map(|l| l.strip_prefix("content-length: ")).unwrap();
        assert_eq!(length.trim().parse::<usize>().unwrap(), reply.body.len());
        assert!(reply.head.contains("connection: close"), "{}", reply.head);
    }
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(70_000));
    let reply = server.send(long.as_bytes());
    is_guarded(&reply, reply.status, "E_HEAD");
    assert!(matches!(reply.status, 414 | 431));
    assert!(server.metric("mercer_rejected_total{reason=\"malformed\"}") >= 8.0);
    assert_eq!(server.reply("GET", "/model", "", b"").status, 200);
}

#[test]
fn pages_of_other_origins_are_refused() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let own = server.address.clone();
    let post = |headers: &str| server.reply("POST", "/predict?name=f.csv", headers, FLOWERS.as_bytes());
    // Simple requests of other pages, which are sent without a preflight.
    for foreign in [
        "Origin: http://evil.com\r\nContent-Type: text/plain\r\n".to_owned(),
        "Origin: null\r\n".to_owned(),
        "Origin: file://\r\n".to_owned(),
        format!("Origin: https://{own}.evil.com\r\n"),
        "Origin: http://127.0.0.1:1\r\n".to_owned(),
        format!("Origin: http://{own}@evil.com\r\n"),
        format!("Origin: http://{own}\r\nOrigin: http://evil.com\r\n"),
        "Sec-Fetch-Site: cross-site\r\n".to_owned(),
        "Sec-Fetch-Site: same-site\r\nContent-Type: application/x-www-form-urlencoded\r\n".to_owned(),
        format!("Sec-Fetch-Site: cross-site\r\nOrigin: http://{own}\r\n"),
        "Sec-Fetch-Site: same-origin\r\nOrigin: http://evil.com\r\n".to_owned(),
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n".to_owned(),
    ] {
        is_guarded(&post(&foreign), 403, "E_ORIGIN");
    }
    assert_eq!(post(&format!("Origin: http://{own}\r\nSec-Fetch-Site: same-origin\r\n")).status, 200);
    assert_eq!(post(&format!("Origin: http://{own}\r\n")).status, 200);
    assert_eq!(post("").status, 200);
    assert_eq!(post("Sec-Fetch-Site: none\r\n").status, 200);
    // A link on another page may lead to ours; its scripts may not fetch.
    let get = |headers: &str| server.reply("GET", "/", headers, b"").status;
    assert_eq!(get("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"), 200);
    assert_eq!(get("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"), 403);
    // A preflight is refused, and no answer lets other origins read.
    let preflight = server.reply(
        "OPTIONS",
        "/predict",
        "Origin: http://evil.com\r\nAccess-Control-Request-Method: POST\r\n",
        b"",
    );
    is_guarded(&preflight, 403, "E_ORIGIN");
    assert!(!post("").head.contains("access-control"));
    assert!(server.metric("mercer_rejected_total{reason=\"origin\"}") >= 13.0);
    // A server behind a TLS proxy: the origin of the page has the default port of https.
    let open = Server::start(&folder, "iris.mercer --token s3cret");
    let request = format!(
        "POST /predict HTTP/1.1\r\nHost: model.example.org\r\nOrigin: https://model.example.org\r\nAuthorization: Bearer s3cret\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{FLOWERS}",
        FLOWERS.len()
    );
    assert_eq!(open.send(request.as_bytes()).status, 200);
}

#[test]
fn a_body_has_one_length() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let with = |headers: &str, body: &str| {
        let text = format!("POST /predict?name=f.csv HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n{body}");
        server.send(text.as_bytes())
    };
    let (length, chunked) = (
        format!("Content-Length: {}\r\n", FLOWERS.len()),
        format!("{:x}\r\n{FLOWERS}\r\n0\r\n\r\n", FLOWERS.len()),
    );
    let close = "Connection: close\r\n";
    assert_eq!(with(&format!("{length}{close}"), FLOWERS).status, 200);
    // A chunked body is the last of its connection, whether the client says so or not.
    assert_eq!(with("Transfer-Encoding: chunked\r\n", &chunked).status, 200);
    let framed = |headers: &str| is_guarded(&with(headers, &chunked), 400, "E_FRAMING");
    framed(&format!("{length}Transfer-Encoding: chunked\r\n"));
    framed(&format!("Transfer-Encoding: chunked\r\n{length}"));
    framed("transfer-encoding: chunked\r\nTransfer-Encoding: chunked\r\n");
    is_guarded(&with(&format!("{length}{length}"), FLOWERS), 400, "E_FRAMING");
    for broken in [
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 5\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 0x5\r\n",
        "Content-Length : 5\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        " folded: line\r\n",
    ] {
        assert_eq!(with(broken, &chunked).status, 400, "{broken}");
    }
    assert_eq!(with("Transfer-Encoding: chunked\r\n", "zz\r\n\r\n").status, 400);
    assert_eq!(with("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n\r\n").status, 400);
    // On a connection that stays open every header is checked, not only the first.
    let mut stream = server.connect();
    let good = format!("POST /predict?name=f.csv HTTP/1.1\r\nHost: localhost\r\n{length}\r\n{FLOWERS}");
    stream.write_all(good.repeat(3).as_bytes()).unwrap();
    for _ in 0..3 {
        assert_eq!(next(&mut stream).status, 200);
    }
    let bad = format!(
        "POST /predict HTTP/1.1\r\nHost: localhost\r\n{length}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /model HTTP/1.1\r\n\r\n"
    );
    stream.write_all(bad.as_bytes()).unwrap();
    assert_eq!(next(&mut stream).status, 400);
    assert_eq!(next(&mut stream).status, 0, "the connection is over");
}

#[test]
fn every_refusal_is_json_and_guarded() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer --token s3cret --max-body 1");
    let token = "Authorization: Bearer s3cret\r\n";
    let unknown = server.reply("GET", "/model", "", b"");
    is_guarded(&unknown, 401, "E_TOKEN");
    assert!(unknown.head.contains("www-authenticate: bearer"));
    is_guarded(&server.reply("GET", "/absent", token, b""), 404, "E_NOT_FOUND");
    let method = server.reply("DELETE", "/predict", token, b"");
    is_guarded(&method, 405, "E_METHOD");
    assert!(method.head.contains("allow: post, options"), "{}", method.head);
    is_guarded(&server.reply("PUT", "/model", token, b""), 405, "E_METHOD");
    is_guarded(&server.reply("POST", "/predict", token, &vec![b'1'; 2 << 20]), 413, "E_LARGE");
    is_guarded(&server.reply("POST", "/predict?color=red", token, b"x"), 400, "E_USAGE");
    // Replies without a body.
    let head = server.reply("HEAD", "/model", token, b"");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert!(head.head.contains("content-length: "), "{}", head.head);
    let options = server.reply("OPTIONS", "/model", token, b"");
    assert_eq!((options.status, options.body.as_str()), (204, ""));
    assert!(options.head.contains("allow: get, head, options"), "{}", options.head);
}

#[test]
fn a_token_is_required_for_information_about_the_model() {
    let folder = folder();
    let token = "k".repeat(256);
    let server = Server::start(&folder, &format!("iris.mercer --token {token}"));
    let with =
        |path: &str, given: &str| server.reply("GET", path, &format!("Authorization: {given}\r\n"), b"");
    for path in ["/model", "/metrics", "/predict", "/absent"] {
        assert_eq!(server.reply("GET", path, "", b"").status, 401, "{path}");
    }
    for wrong in [
        String::new(),
        "Bearer".into(),
        "Bearer ".into(),
        format!("Bearer {}", &token[1..]),
        format!("Bearer {token}k"),
        format!("Bearer {token}\0"),
        format!("bearer{token}"),
        format!("Basic {token}"),
        format!("Bearer {token}\r\nAuthorization: Bearer x"),
    ] {
        let status = with("/model", &wrong).status;
        assert!(matches!(status, 400 | 401), "{wrong:?}: {status}");
    }
    assert_eq!(with("/model", &format!("Bearer {token}")).status, 200);
    assert_eq!(with("/metrics", &format!("Bearer {token}")).status, 200);
    let columns = |reply: &Reply| {
        let at = "/paths/~1predict/post/requestBody/content/application~1json/schema/properties/objects/items/properties";
        reply.json().pointer(at).cloned().unwrap_or(Value::Null)
    };
    let hidden = server.reply("GET", "/openapi.json", "", b"");
    assert_eq!((hidden.status, columns(&hidden)), (200, json!({})));
    assert!(!hidden.body.contains("petal") && !hidden.body.contains("rbf"), "{}", hidden.body);
    let shown = with("/openapi.json", &format!("Bearer {token}"));
    assert!(columns(&shown)["petal_width"].is_object());
    // A server without a token hides nothing.
    let open = Server::start(&folder, "iris.mercer");
    assert!(columns(&open.reply("GET", "/openapi.json", "", b""))["petal_width"].is_object());
}

#[test]
fn requests_are_logged_and_counted() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer --log requests.jsonl --token s3cret");
    let token = "Authorization: Bearer s3cret\r\n";
    let predicted = server.reply("POST", "/predict?name=secret-name.csv", token, FLOWERS.as_bytes());
    let id = predicted.head.lines().find_map(|l| l.strip_prefix("x-request-id: ")).unwrap().to_owned();
    server.reply("POST", "/predict", "Authorization: Bearer wr0ng\r\n", FLOWERS.as_bytes());
    server.reply("POST", "/predict", token, b"sepal_length\nx\n");
    server.send(b"GET /\x1b[31m\xc2\x9b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    server
        .send("GET /\u{9b}31m\u{202e}x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".as_bytes());
    let page = server.reply("GET", "/metrics", token, b"").body;
    for line in [
        "mercer_requests_total{status=\"200\"} 1",
        "mercer_rejected_total{reason=\"token\"}",
        "mercer_request_seconds_bucket{le=\"+Inf\"}",
        "mercer_requests_in_flight 1",
        "mercer_queue{lane=\"heavy\"} 0",
        "mercer_places{lane=\"light\"}",
        "mercer_objects_total 2",
        "mercer_memory_bytes ",
        "mercer_memory_limit_bytes ",
        "mercer_model_info{learner=\"svc\",kernel=\"standardize(rbf(gamma=0.25))\"",
        "# TYPE mercer_request_seconds histogram",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    let text = String::from_utf8(folder.read("requests.jsonl")).unwrap();
    assert!(text.bytes().all(|b| b == b'\n' || (b' '..=b'~').contains(&b)), "{text}");
    for secret in ["s3cret", "wr0ng", "sepal", "secret-name"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let first = &lines[0];
    assert_eq!(first["id"], json!(id));
    assert_eq!(
        (&first["method"], &first["path"], &first["status"], &first["objects"], &first["lane"]),
        (&json!("POST"), &json!("/predict"), &json!(200), &json!(2), &json!("light")),
        "{first}"
    );
    assert_eq!((&first["bytes_in"], &first["error"]), (&json!(FLOWERS.len()), &Value::Null));
    assert!(
        first["time"].as_str().unwrap().starts_with("20") && first["ms"].as_f64().unwrap() > 0.0,
        "{first}"
    );
    assert!(first["remote"].as_str().unwrap().starts_with("127.0.0.1:"), "{first}");
    assert_eq!((&lines[1]["status"], &lines[1]["error"]), (&json!(401), &json!("E_TOKEN")));
    assert_eq!(lines[2]["status"], 400);
    assert!(lines[2]["error"].as_str().unwrap().starts_with("E_"), "{}", lines[2]);
    assert_eq!(server.ask("GET", "/health", "", ""), (200, json!({"status": "ready"})));
}
