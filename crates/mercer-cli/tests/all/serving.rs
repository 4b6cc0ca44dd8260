//! A running server, and clients that send raw bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::run::Folder;

/// A running server, stopped when dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
}

/// A reply of the server.
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The header, in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let status = text.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        Reply { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }

    /// The code of the error in the body.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

impl Server {
    pub(crate) fn start(folder: &Folder, args: &str) -> Self {
        let mut command = folder.command(&format!("serve {args} --port 0"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.map_while(Result::ok).find_map(|l| Some(l.strip_prefix("http://")?.to_owned()));
        Server { child, address: address.unwrap() }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends raw bytes and returns the whole reply.
    pub(crate) fn send(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server that refuses early may close before all was written.
        let _ = stream.write_all(request);
        rest(stream)
    }

    /// Sends a request and returns status and body.
    pub(crate) fn raw(&self, request: &[u8]) -> (u16, String) {
        let reply = self.send(request);
        (reply.status, reply.body)
    }

    /// A request as text.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        )
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, Value) {
        let (status, text) = self.raw(self.request(method, path, headers, body).as_bytes());
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// The same with the whole reply.
    pub(crate) fn reply(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            self.address,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.send(&request)
    }

    /// One value of `/metrics`.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let page = self.reply("GET", "/metrics", "", b"").body;
        let line = page.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|v| v.parse().ok()).unwrap_or(0.0)
    }

    /// Memory of the process in bytes, by the name in its status file.
    #[cfg(target_os = "linux")]
    pub(crate) fn memory(&self, key: &str) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix(key)).unwrap_or_default();
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) << 10
    }

    /// Sends a signal; returns the time the process took to end, and its exit code.
    #[cfg(unix)]
    pub(crate) fn stopped_by(&mut self, signal: rustix::process::Signal) -> (Duration, Option<i32>) {
        let process = rustix::process::Pid::from_child(&self.child);
        let began = Instant::now();
        rustix::process::kill_process(process, signal).unwrap();
        let code = self.child.wait().unwrap().code();
        (began.elapsed(), code)
    }
}

/// The reply on a connection that is then closed.
pub(crate) fn rest(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    Reply::of(&bytes)
}

/// One reply on a connection that stays open.
pub(crate) fn next(stream: &mut TcpStream) -> Reply {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
        bytes.push(byte[0]);
    }
    let head = Reply::of(&bytes);
    let length =
        head.head.lines().find_map(|l| l.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    let _ = stream.read_exact(&mut body);
    Reply { body: String::from_utf8_lossy(&body).into_owned(), ..head }
}

/// The time until the server ends the connection.
pub(crate) fn until_closed(mut stream: TcpStream) -> Duration {
    let began = Instant::now();
    let mut scratch = [0; 1024];
    while stream.read(&mut scratch).is_ok_and(|n| n > 0) {}
    began.elapsed()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder with models of the iris flowers.
pub(crate) fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("fit iris -k standardize(rbf(gamma=0.25)) -l svc(C=1) -o iris.mercer -q");
    folder.ok("fit iris -k linear -l svc(C=1) -o plain.mercer -q");
    folder
}

pub(crate) const FLOWERS: &str =
    "sepal_length,sepal_width,petal_length,petal_width\n5.1,3.5,1.4,0.2\n6.3,2.9,5.6,1.8\n";
