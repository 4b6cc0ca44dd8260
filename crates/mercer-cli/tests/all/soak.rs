//! A soak test of the server with two hundred clients, most of them hostile: light requests are answered quickly
//! throughout, and memory stays within its limit.

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::run::stretched;
use crate::serving::{FLOWERS, Server, folder, rest, until_closed};
use crate::trust;

/// Memory for all requests, in megabytes.
const MEMORY: u64 = 1024;

/// The duration: `MERCER_SOAK_MINUTES`, else ten minutes in full and some seconds otherwise.
fn length() -> Duration {
    let given = std::env::var("MERCER_SOAK_MINUTES").ok().and_then(|m| m.parse::<f64>().ok());
    Duration::from_secs_f64(60.0 * given.unwrap_or(if trust::full() { 10.0 } else { 0.15 }))
}

/// A light request: when it ended, how long it took, and whether it was answered with predictions.
type Seen = (Duration, Duration, bool);

struct Mix {
    heavy: Vec<u8>,
    explained: Vec<u8>,
    keys: Vec<u8>,
    packed: Vec<u8>,
}

#[test]
fn light_requests_are_answered_among_hostile_ones() {
    let folder = folder();
    let server = Server::start(&folder, &format!("iris.mercer --memory {MEMORY}"));
    let flowers = |count: usize| {
        let mut text = String::from("sepal_length,sepal_width,petal_length,petal_width\n");
        (0..count).for_each(|i| text.push_str(&format!("5.{},3.5,1.4,0.{}\n", i % 10, i % 7)));
        text.into_bytes()
    };
    let keys: Vec<String> = (0..25_000).map(|i| format!("{{\"k{i}\":1}}")).collect();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(&flowers(1_000_000)).unwrap();
    let mix = Mix {
        heavy: flowers(120_000),
        explained: flowers(60_000),
        keys: format!("{{\"objects\":[{}]}}", keys.join(",")).into_bytes(),
        packed: packed.finish().unwrap(),
    };
    let (length, began) = (length(), Instant::now());
    let seen: Mutex<Vec<Seen>> = Mutex::default();
    let memory: Mutex<Vec<(Duration, u64)>> = Mutex::default();
    let hostile = AtomicU64::new(0);
    let at_rest = server.memory("VmRSS:");
    std::thread::scope(|scope| {
        let goes_on = || began.elapsed() < length;
        for client in 0..200 {
            let (server, mix, seen, hostile) = (&server, &mix, &seen, &hostile);
            let work = move || {
                // Not all at the same time.
                std::thread::sleep(Duration::from_millis(7 * client));
                while goes_on() {
                    if client % 20 == 0 {
                        let asked = Instant::now();
                        let status = status(server, "POST", "/predict", "", FLOWERS.as_bytes());
                        seen.lock().unwrap().push((began.elapsed(), asked.elapsed(), status == Some(200)));
                        std::thread::sleep(Duration::from_millis(100));
                    } else {
                        attack(server, mix, client % 20);
                        hostile.fetch_add(1, Ordering::Relaxed);
                    }
                }
            };
            std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, work).unwrap();
        }
        while goes_on() {
            memory.lock().unwrap().push((began.elapsed(), server.memory("VmRSS:")));
            std::thread::sleep(Duration::from_millis(250));
        }
    });
    let (seen, memory) = (seen.into_inner().unwrap(), memory.into_inner().unwrap());
    let mut times: Vec<Duration> = seen.iter().map(|s| s.1).collect();
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    let failed = seen.iter().filter(|s| !s.2).count();
    let most = memory.iter().map(|m| m.1).max().unwrap_or(0);
    let bound = at_rest + (MEMORY << 20);
    let (p50, p99) = (at(0.5), at(0.99));
    let ms = |time: Duration| (time.as_secs_f64() * 1e4).round() / 10.0;
    let name = plot(&seen, &memory, bound, length);
    trust::measured(
        "server-soak",
        &json!({
            "minutes": (length.as_secs_f64() / 6.0).round() / 10.0, "clients": 200, "light requests": seen.len(),
            "hostile requests": hostile.into_inner(), "without predictions": failed, "median ms": ms(p50),
            "99th percentile ms": ms(p99), "longest ms": ms(at(1.0)), "most memory MB": most >> 20,
            "bound MB": bound >> 20, "plot": name,
        }),
    );
    println!(
        "{} light, p50 {p50:?}, p99 {p99:?}, longest {:?}, {} MB of {} MB",
        seen.len(),
        at(1.0),
        most >> 20,
        bound >> 20
    );
    assert!(p99 < stretched(Duration::from_secs(1)), "{p99:?}");
    assert!(failed * 100 <= seen.len(), "{failed} of {} light requests without predictions", seen.len());
    assert!(most <= bound, "{} MB of {} MB", most >> 20, bound >> 20);
    assert_eq!(server.ask("POST", "/predict", "", FLOWERS).0, 200);
}

/// One request of a hostile or demanding client.
fn attack(server: &Server, mix: &Mix, kind: u64) {
    let json = "Content-Type: application/json\r\n";
    let pause = |ms| std::thread::sleep(Duration::from_millis(ms));
    match kind {
        // An incomplete header, held open.
        1..=5 => {
            let half = ["", "GET", "POST /predict HTTP/1.1\r\nHost: localhost\r\n"][kind as usize % 3];
            if let Some(stream) = begun(server, half) {
                until_closed(stream);
            }
        }
        // A body that never arrives, or arrives slowly.
        6..=9 => {
            let head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n1,2";
            if let Some(mut stream) = begun(server, head) {
                for _ in 0..30 {
                    pause(200);
                    if stream.write_all(b"3,4\n1,2").is_err() {
                        break;
                    }
                }
            }
        }
        // Friendly but heavy.
        10..=13 => {
            // Friendly clients wait when told to try again later.
            if status(server, "POST", "/predict", "", &mix.heavy) != Some(200) {
                pause(1000);
            }
        }
        14 => drop(status(server, "POST", "/predict", json, &mix.keys)),
        15 => drop(status(server, "POST", "/predict?name=f.csv.gz", "", &mix.packed)),
        16 => drop(status(server, "POST", "/predict?explain=100", "", &mix.explained)),
        // Disconnects before the answer.
        17 => drop(begun(server, &server.request("POST", "/predict", "", FLOWERS))),
        18 => drop(status(server, "POST", "/predict", "Origin: http://evil.com\r\n", FLOWERS.as_bytes())),
        _ => drop(
            begun(server, "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n")
                .map(rest),
        ),
    }
    pause(20);
}

/// A connection on which these bytes were sent; `None` if the server ended it.
fn begun(server: &Server, text: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(&server.address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(40))).ok()?;
    stream.write_all(text.as_bytes()).ok()?;
    Some(stream)
}

fn status(server: &Server, method: &str, path: &str, headers: &str, body: &[u8]) -> Option<u16> {
    let mut request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    let mut stream = TcpStream::connect(&server.address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(40))).ok()?;
    let _ = stream.write_all(&request);
    Some(rest(stream).status).filter(|s| *s != 0)
}

/// Plots the times of light requests and the memory over the run; returns the file.
fn plot(seen: &[Seen], memory: &[(Duration, u64)], bound: u64, length: Duration) -> String {
    const W: f64 = 800.0;
    const H: f64 = 220.0;
    let x = |at: Duration| 70.0 + W * (at.as_secs_f64() / length.as_secs_f64()).min(1.0);
    // Times from 1 ms to 10 s by their logarithm.
    let slow = |time: f64| 40.0 + H * (1.0 - ((time.max(1e-3) * 1e3).log10() / 4.0).min(1.0));
    let much = |bytes: f64| 330.0 + H * (1.0 - bytes / (1.1 * bound as f64));
    let mut svg = String::from(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 900 590' font-family='sans-serif' font-size='12'>\n\
         <rect width='900' height='590' fill='white'/>\n<text x='70' y='25'>time of light requests</text>\n\
         <text x='70' y='318'>memory of the server (RSS), and its bound</text>\n",
    );
    let mut line = |y: f64, text: &str, color: &str| {
        svg.push_str(&format!(
            "<path d='M70 {y:.1}H870' stroke='{color}' stroke-dasharray='4'/><text x='65' y='{:.1}' text-anchor='end'>{text}</text>\n",
            y + 4.0
        ));
    };
    for (time, text) in [(1e-3, "1 ms"), (1e-2, "10 ms"), (0.1, "0.1 s"), (10.0, "10 s")] {
        line(slow(time), text, "#ccc");
    }
    line(slow(1.0), "1 s", "#a4280f");
    line(much(0.0), "0", "#ccc");
    line(much(bound as f64), &format!("{} MB", bound >> 20), "#a4280f");
    let mut by_time = seen.to_vec();
    by_time.sort_unstable();
    // The slowest request of each interval, so that the file stays small.
    for some in by_time.chunks(by_time.len().div_ceil(1500).max(1)) {
        let (at, took, good) = some.iter().max_by_key(|s| s.1).copied().unwrap_or_default();
        let color = if good { "#0b5c8f" } else { "#a4280f" };
        svg.push_str(&format!(
            "<circle cx='{:.1}' cy='{:.1}' r='1.6' fill='{color}'/>",
            x(at),
            slow(took.as_secs_f64())
        ));
    }
    let points: Vec<String> =
        memory.iter().map(|(at, bytes)| format!("{:.1},{:.1}", x(*at), much(*bytes as f64))).collect();
    svg.push_str(&format!("\n<polyline points='{}' fill='none' stroke='#0b5c8f'/>\n", points.join(" ")));
    svg.push_str(&format!(
        "<text x='870' y='580' text-anchor='end'>{:.1} minutes</text>\n</svg>\n",
        length.as_secs_f64() / 60.0
    ));
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let name = if length >= Duration::from_secs(600) {
        "docs/results/serve-soak.svg"
    } else {
        "target/serve-soak.svg"
    };
    std::fs::write(root.join(name), svg).unwrap();
    name.to_owned()
}
