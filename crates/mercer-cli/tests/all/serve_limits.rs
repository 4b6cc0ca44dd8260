//! Limits of the server for time, connections, workers and memory, and its shutdown.

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::run::{Folder, stretched};
use crate::serving::{FLOWERS, Server, folder, next, rest, until_closed};

/// The longest time for a light request, whatever the load.
const LIGHT: Duration = Duration::from_secs(1);

/// A table with this many flowers.
fn flowers(count: usize) -> String {
    let mut text = String::from("sepal_length,sepal_width,petal_length,petal_width\n");
    (0..count).for_each(|i| text.push_str(&format!("5.{},3.5,1.4,0.{}\n", i % 10, i % 7)));
    text
}

/// Predicts two flowers and checks that it is fast.
#[track_caller]
fn is_quick(server: &Server) {
    let began = Instant::now();
    let (status, answer) = server.ask("POST", "/predict", "", FLOWERS);
    assert_eq!(status, 200, "{answer}");
    assert!(began.elapsed() < stretched(LIGHT), "{:?}", began.elapsed());
}

/// A connection on which these bytes were sent.
fn begun(server: &Server, bytes: &str) -> TcpStream {
    let mut stream = server.connect();
    stream.write_all(bytes.as_bytes()).unwrap();
    stream
}

#[test]
fn incomplete_headers_time_out_after_ten_seconds() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let limit = stretched(Duration::from_secs(14));
    let streams: Vec<TcpStream> =
        ["", "GET", "GET / HTTP/1.1\r\nHost: loc", "POST /predict HTTP/1.1\r\nHost: localhost\r\nA: b\r\n"]
            .map(|text| begun(&server, text))
            .into();
    // A client that sends a byte now and then gets no more time.
    let mut drip = begun(&server, "GET / HTTP/1.1\r\n");
    // A connection that stays open after an answer.
    let mut idle = begun(&server, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(next(&mut idle).status, 200);
    let began = Instant::now();
    let dripping = std::thread::spawn(move || {
        while drip.write_all(b"X").is_ok() && began.elapsed() < 2 * limit {
            std::thread::sleep(Duration::from_millis(200));
        }
        began.elapsed()
    });
    is_quick(&server);
    for stream in streams.into_iter().chain([idle]) {
        until_closed(stream);
        assert!(began.elapsed() > Duration::from_secs(8) && began.elapsed() < limit, "{:?}", began.elapsed());
    }
    assert!(dripping.join().unwrap() < limit);
}

#[test]
fn slow_bodies_delay_no_others() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
    let began = Instant::now();
    let idle: Vec<TcpStream> = (0..20).map(|_| begun(&server, head)).collect();
    let slow: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = begun(&server, head);
            stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
            std::thread::spawn(move || {
                while stream.write_all(b"1,2,3,4\n").is_ok() && began.elapsed() < Duration::from_secs(40) {
                    let reply = next(&mut stream);
                    if reply.status != 0 {
                        return (reply.status, began.elapsed());
                    }
                }
                (0, began.elapsed())
            })
        })
        .collect();
    for _ in 0..10 {
        is_quick(&server);
    }
    let limit = stretched(Duration::from_secs(9));
    for stream in idle {
        let reply = rest(stream);
        assert_eq!((reply.status, reply.code().as_str()), (408, "E_SLOW"), "{}", reply.body);
        assert!(began.elapsed() < limit, "{:?}", began.elapsed());
    }
    for slow in slow {
        let (status, took) = slow.join().unwrap();
        assert!(status == 408 && took < limit, "{status} {took:?}");
    }
}

#[test]
fn idle_connections_are_replaced() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let streams: Vec<TcpStream> = (0..1200)
        .map(|i| begun(&server, if i % 2 == 0 { "" } else { "GET / HTTP/1.1\r\nHost: localhost\r\n" }))
        .collect();
    is_quick(&server);
    let made_room = server.metric("mercer_rejected_total{reason=\"idle\"}");
    let refused = server.metric("mercer_rejected_total{reason=\"connections\"}");
    assert!(made_room + refused >= 600.0, "{made_room} {refused}");
    assert!(server.metric("mercer_connections") <= 512.0 + 64.0);
    drop(streams);
    is_quick(&server);
}

#[test]
fn connections_over_the_limit_get_an_answer() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer --connections 8");
    // A connection with a current request is not replaced.
    let head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
    let busy: Vec<TcpStream> = (0..8).map(|_| begun(&server, head)).collect();
    std::thread::sleep(Duration::from_millis(300));
    let reply = server.send(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!((reply.status, reply.code().as_str()), (503, "E_BUSY"), "{}", reply.head);
    assert!(reply.head.contains("retry-after: 1"), "{}", reply.head);
    drop(busy);
    std::thread::sleep(Duration::from_millis(1500));
    is_quick(&server);
}

#[test]
fn the_size_of_headers_is_limited() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let with = |headers: &str| {
        server.send(
            format!("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n")
                .as_bytes(),
        )
    };
    assert_eq!(with(&"A: b\r\n".repeat(40)).status, 200);
    assert_eq!(with(&"A: b\r\n".repeat(80)).status, 431);
    assert_eq!(with(&format!("A: {}\r\n", "b".repeat(40_000))).status, 431);
    assert_eq!(with(&format!("A: {}\r\n", "b".repeat(4_000_000))).status, 431);
    let long =
        format!("GET /{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "a".repeat(70_000));
    assert!(matches!(server.send(long.as_bytes()).status, 414 | 431));
    is_quick(&server);
}

#[test]
fn heavy_requests_do_not_starve_light_ones() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let heavy = flowers(100_000);
    let over = AtomicBool::new(false);
    let (times, statuses) = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..40)
            .map(|_| {
                scope.spawn(|| {
                    let mut seen = Vec::new();
                    while !over.load(Ordering::Relaxed) {
                        let reply = server.reply("POST", "/predict", "", heavy.as_bytes());
                        // On a loaded computer a request can also take longer than it may (E_TIME), where no wait helps.
                        if reply.status == 503 && reply.code() != "E_TIME" {
                            assert!(reply.head.contains("retry-after: "), "{}", reply.head);
                        }
                        seen.push(reply.status);
                    }
                    seen
                })
            })
            .collect();
        std::thread::sleep(Duration::from_secs(1));
        let times: Vec<Duration> = (0..20)
            .map(|_| {
                let began = Instant::now();
                assert_eq!(server.ask("POST", "/predict", "", FLOWERS).0, 200);
                began.elapsed()
            })
            .collect();
        over.store(true, Ordering::Relaxed);
        (times, clients.into_iter().flat_map(|c| c.join().unwrap()).collect::<Vec<u16>>())
    });
    assert!(times.iter().max().unwrap() < &stretched(LIGHT), "{times:?}");
    assert!(statuses.contains(&200), "{statuses:?}");
    assert!(statuses.iter().all(|s| matches!(s, 200 | 503)), "{statuses:?}");
}

/// A model with an alignment kernel, and a body that takes it a minute.
fn alignments() -> (Folder, String) {
    let folder = Folder::new();
    let string =
        |i: usize| "ACGT".chars().cycle().skip(i % 4).step_by(1 + i % 3).take(60).collect::<String>();
    let class = |i: usize| if i.is_multiple_of(3) { "a" } else { "b" };
    let table: String = (0..40).map(|i| format!("{},{}\n", string(i), class(i))).collect();
    folder.write("s.csv", format!("s,class\n{table}"));
    folder.ok("fit s.csv -k local-alignment -l svc(C=1) --target class --type s=strings -o s.mercer -q");
    let new: String = (0..8000).map(|i| format!("{}\n", string(i).repeat(4))).collect();
    (folder, format!("s\n{new}"))
}

#[test]
fn long_work_is_cancelled_in_time() {
    let (folder, body) = alignments();
    let server = Server::start(&folder, "s.mercer --timeout 2");
    let began = Instant::now();
    let reply = server.reply("POST", "/predict?name=s.csv", "", body.as_bytes());
    assert_eq!((reply.status, reply.code().as_str()), (503, "E_TIME"), "{}", reply.body);
    assert!(began.elapsed() < stretched(Duration::from_secs(4)), "{:?}", began.elapsed());
    // While that work ends, other requests are answered.
    assert_eq!(server.ask("POST", "/predict?name=s.csv", "", "s\nACGT\n").0, 200);
    // A client that disconnects is detected at once.
    let server = Server::start(&folder, "s.mercer --timeout 600");
    let stream = begun(&server, &server.request("POST", "/predict?name=s.csv", "", &body));
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(server.metric("mercer_requests_in_flight"), 2.0);
    drop(stream);
    std::thread::sleep(stretched(Duration::from_millis(500)));
    assert_eq!(server.metric("mercer_requests_in_flight"), 1.0);
    assert_eq!(server.metric("mercer_requests_total{status=\"499\"}"), 1.0);
}

#[test]
fn cancelled_work_frees_its_worker() {
    let (folder, body) = alignments();
    let server = Server::start(&folder, "s.mercer --timeout 2");
    let is_free = |server: &Server| {
        let until = Instant::now() + stretched(Duration::from_secs(1));
        while server.metric("mercer_places_taken{lane=\"heavy\"}") > 0.0 {
            assert!(Instant::now() < until, "the work goes on");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    assert_eq!(server.reply("POST", "/predict?name=s.csv", "", body.as_bytes()).code(), "E_TIME");
    is_free(&server);
    // Work is cancelled when its client disconnects.
    let server = Server::start(&folder, "s.mercer --timeout 600");
    let stream = begun(&server, &server.request("POST", "/predict?name=s.csv", "", &body));
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(server.metric("mercer_places_taken{lane=\"heavy\"}"), 1.0);
    drop(stream);
    is_free(&server);
}

#[test]
fn the_total_size_of_bodies_is_limited() {
    let folder = folder();
    // An eighth of the memory is for bodies: 16 MB.
    let server = Server::start(&folder, "iris.mercer --memory 128");
    let head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n";
    let piece = "1,2,3,4\n".repeat(7_900_000 / 8);
    let mut streams: Vec<TcpStream> = (0..2).map(|_| begun(&server, &format!("{head}{piece}"))).collect();
    std::thread::sleep(Duration::from_secs(1));
    let third = server.reply("POST", "/predict", "", piece.as_bytes());
    assert_eq!((third.status, third.code().as_str()), (503, "E_BUSY"), "{}", third.body);
    is_quick(&server);
    assert!(server.metric("mercer_body_bytes") >= 15e6);
    streams.clear();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(server.metric("mercer_body_bytes"), 0.0);
}

/// A gzipped table.
fn packed(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn json_bombs_stay_within_the_memory_limit() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer --memory 512");
    let before = server.memory("VmRSS:");
    let json = "Content-Type: application/json\r\n";
    // 25,000 objects with a name each: a table of all names would have 625 million values.
    let keys: Vec<String> = (0..25_000).map(|i| format!("{{\"k{i}\":1}}")).collect();
    let keys = format!("{{\"objects\":[{}]}}", keys.join(","));
    let reply = server.reply("POST", "/predict", json, keys.as_bytes());
    assert!(matches!(reply.status, 400 | 413), "{} {}", reply.status, reply.body);
    // The same with the model's columns in each: the other names are left out, with a warning.
    let own = "\"sepal_length\":5.1,\"sepal_width\":3.5,\"petal_length\":1.4,\"petal_width\":0.2";
    let keys: Vec<String> = (0..5_000).map(|i| format!("{{{own},\"k{i}\":1}}")).collect();
    let reply =
        server.reply("POST", "/predict", json, format!("{{\"objects\":[{}]}}", keys.join(",")).as_bytes());
    assert_eq!(reply.status, 200, "{}", &reply.body[..200.min(reply.body.len())]);
    assert_eq!(reply.json()["predictions"][4999], "setosa");
    assert!(
        reply.json()["warnings"][0].as_str().unwrap().starts_with("5000 names"),
        "{}",
        reply.json()["warnings"]
    );
    // As many objects as a body can hold, and nesting without end.
    let many = format!("{{\"objects\":[{}]}}", vec!["{\"a\":1}"; 2_000_000].join(","));
    let reply = server.reply("POST", "/predict", json, many.as_bytes());
    assert!(matches!(reply.status, 400 | 413), "{} {}", reply.status, reply.body);
    let deep = format!("{{\"objects\":{}", "[".repeat(1_000_000));
    assert_eq!(server.reply("POST", "/predict", json, deep.as_bytes()).status, 400);
    // Explanations a hundred times as large as what they explain.
    let reply = server.reply("POST", "/predict?explain=100", "", flowers(60_000).as_bytes());
    assert!(matches!(reply.status, 200 | 413 | 503), "{} {}", reply.status, reply.code());
    let most = server.memory("VmHWM:");
    assert!(most < before + (768 << 20), "{} MB over {} MB", most >> 20, before >> 20);
    is_quick(&server);
    assert!(server.metric("mercer_memory_bytes") < server.metric("mercer_memory_limit_bytes"));
}

#[test]
fn compressed_files_stay_within_the_memory_limit() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer --memory 512");
    let before = server.memory("VmRSS:");
    // A table that is compressed to a thousandth of its size.
    let rows = packed(&flowers(20_000_000));
    assert!(rows.len() < 2 << 20, "{}", rows.len());
    let reply = server.reply("POST", "/predict?name=f.csv.gz", "", &rows);
    assert!(matches!(reply.status, 400 | 413 | 503), "{} {}", reply.status, reply.body);
    // 20,000 graphs with a key each.
    let graph = |i: usize| format!("graph [\n k{i} 1\n node [ id 0 ]\n]\n");
    let graphs: String = (0..20_000).map(graph).collect();
    let reply = server.reply("POST", "/predict?name=g.gml", "", graphs.as_bytes());
    assert!(matches!(reply.status, 400 | 413 | 503), "{} {}", reply.status, reply.body);
    let most = server.memory("VmHWM:");
    assert!(most < before + (768 << 20), "{} MB over {} MB", most >> 20, before >> 20);
    is_quick(&server);
}

#[test]
fn unread_answers_are_dropped() {
    let folder = folder();
    let server = Server::start(&folder, "iris.mercer");
    let body = flowers(40_000);
    let head = format!(
        "POST /predict?explain=20 HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let streams: Vec<TcpStream> = (0..2).map(|_| begun(&server, &format!("{head}{body}"))).collect();
    let began = Instant::now();
    while server.metric("mercer_requests_total{status=\"200\"}") < 2.0 + began.elapsed().as_secs_f64() {
        assert!(began.elapsed() < stretched(Duration::from_secs(60)));
        std::thread::sleep(Duration::from_secs(1));
        if server.metric("mercer_body_bytes") > 1e6 {
            break;
        }
    }
    // Ten seconds without a byte read end an answer.
    let began = Instant::now();
    while server.metric("mercer_body_bytes") > 0.0 {
        assert!(began.elapsed() < stretched(Duration::from_secs(20)), "unread answers are kept");
        std::thread::sleep(Duration::from_millis(250));
    }
    drop(streams);
}

#[test]
fn signals_end_the_server_whatever_clients_do() {
    let folder = folder();
    let limit = stretched(Duration::from_secs(5));
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Server::start(&folder, "iris.mercer");
        let post = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n";
        let heavy = flowers(300_000);
        let mut clients: Vec<TcpStream> = Vec::new();
        for text in ["", "GET / HTTP/1.1\r\nHo", post, "POST /predict HTTP/1.1\r\n"] {
            clients.extend((0..50).map(|_| begun(&server, text)));
        }
        let mut idle = begun(&server, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_eq!(next(&mut idle).status, 200);
        // A request that is completed is answered.
        let mut whole = begun(&server, post);
        std::thread::sleep(Duration::from_millis(200));
        let head =
            format!("POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", heavy.len());
        clients.extend((0..4).map(|_| begun(&server, &format!("{head}{heavy}"))));
        let answer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            let rows = FLOWERS.to_owned() + &" ".repeat(100 - FLOWERS.len().min(100));
            whole.write_all(&rows.as_bytes()[..100]).unwrap();
            rest(whole).status
        });
        let (took, code) = server.stopped_by(signal);
        assert!(took < limit, "{signal:?}: {took:?}");
        assert_eq!(code, Some(0), "{signal:?}");
        assert!(matches!(answer.join().unwrap(), 200 | 400), "an answer");
        drop(clients);
    }
    let mut server = Server::start(&folder, "iris.mercer");
    let (took, code) = server.stopped_by(Signal::INT);
    assert!(took < stretched(Duration::from_secs(1)) && code == Some(0), "{took:?} {code:?}");
}
