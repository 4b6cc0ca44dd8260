//! `mercer serve`: predictions over HTTP, for programs and for people.
//!
//! Everything a client can use is limited: time and size of headers and bodies, connections, workers, memory of one
//! request and of all. `limits.rs` has the limits; `connections.rs` accepts, `route.rs` answers, `lanes.rs` schedules
//! the workers.
//!
//! A body is received before a worker is occupied, so that slow clients do not block others. Small requests start on a
//! light worker; work that takes longer than a fifth of a second there is restarted on one of two heavy workers.
//! Workers have their own threads. Predicting whether work is light would need the cost of every kernel on every
//! object; a restart costs at most that fifth of a second.

mod answer;
mod authority;
mod connections;
mod framing;
mod lanes;
mod limits;
mod log;
mod metrics;
mod objects;
mod openapi;
mod route;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use mercer::budget::{Budget, CountingAllocator};
use mercer::gram::{Engine, Silent};
use mercer::model::Model;
use mercer::{Code, Error, Result};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use self::connections::Connections;
use self::lanes::Lane;
use self::limits::{HEAVY_QUEUE, HEAVY_WORKERS, LIGHT_QUEUE, Ledger, Limits};
use self::log::Log;
use self::metrics::Metrics;
use super::model;
use crate::console::Console;

/// The web page.
const PAGE: &str = include_str!("page.html");

/// Arguments of `mercer serve`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer serve molecules.mercer              then open http://127.0.0.1:7878
  mercer serve iris.mercer --port 0 --token secret
  curl --data-binary @flowers.csv \\
    'http://127.0.0.1:7878/predict?name=flowers.csv'
  curl -H 'Content-Type: application/json' http://127.0.0.1:7878/predict \\
    -d '{\"objects\": [{\"petal_length\": 1.4, …}]}'

POST /predict takes data in any single-file format that mercer reads, or objects as JSON; with ?confidence=0.9 answers of a \
model fitted with --conformal have sets or intervals, and say which objects are outside of its domain. GET /model describes the model, \
GET /openapi.json the API, GET /health whether the server is ready, GET /metrics its metrics. Without --token only requests \
to the local host are answered; with --host other computers can connect: use a token and a TLS proxy then. Pages of other \
origins are always refused.

Small requests are processed separately from heavy ones, smallest first. A request header must arrive within 10 s, a body \
within 5 s and then at 10 kB/s. Too many requests, or too much memory, give status 503 with Retry-After. SIGTERM and Ctrl-C \
end the server within 5 s.")]
pub(crate) struct ServeArgs {
    /// A model written by `mercer fit` or `mercer auto`
    model: PathBuf,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Port to listen on; 0 for any free port
    #[arg(long, value_name = "PORT", default_value_t = 7878)]
    port: u16,
    /// Answer only requests with the header 'Authorization: Bearer TOKEN'
    #[arg(long, value_name = "TOKEN", env = "MERCER_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Limit on the size of a body, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 16)]
    max_body: usize,
    /// Time limit of a request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,
    /// Memory for all requests together, in megabytes, in addition to the model; one request gets at most three eighths
    /// of it [default: 2048, or four fifths of the free memory if that is less]
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// Limit of open connections; beyond it a new connection replaces the one idle the longest
    #[arg(long, value_name = "N", default_value_t = 512)]
    connections: usize,
    /// Append a line of JSON for each request to a file; '-' is standard error
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// The state shared by all requests.
struct Server {
    model: Model,
    engine: Engine,
    token: Option<String>,
    /// Whether any Host header is accepted: there is a token, or the address is not local.
    open: bool,
    limits: Limits,
    light: Arc<Lane>,
    heavy: Arc<Lane>,
    bodies: Arc<Ledger>,
    connections: Connections,
    running: Arc<Running>,
    metrics: Metrics,
    log: Option<Log>,
    /// Whether the server is shutting down.
    closing: watch::Sender<bool>,
    /// Bytes in use before the first request.
    at_rest: u64,
    started: Instant,
    /// Distinguishes the request ids of this run from those of others in the log.
    run: u32,
    requests: AtomicU64,
}

impl Server {
    /// Waits until the program is stopped: the console handles signals and sets the flag.
    async fn stopped(&self) {
        while !self.engine.budget().is_stopped() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The budgets of running work.
#[derive(Default)]
struct Running(Mutex<(u64, BTreeMap<u64, Budget>)>);

impl Running {
    /// Registers a budget, which is stopped when nobody waits for its work any longer.
    fn add(self: &Arc<Self>, budget: &Budget) -> Awaited {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.0 += 1;
        let key = all.0;
        all.1.insert(key, budget.clone());
        Awaited { all: self.clone(), key }
    }

    fn stop_all(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.values().for_each(Budget::stop);
    }
}

/// Work that a request waits for.
struct Awaited {
    all: Arc<Running>,
    key: u64,
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if let Some(budget) = self.all.0.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&self.key) {
            budget.stop();
        }
    }
}

pub(crate) fn run(args: &ServeArgs, console: &Console) -> Result<()> {
    let good = |t: &str| {
        !t.is_empty() && t.len() <= authority::LONGEST_TOKEN && t.chars().all(|c| c.is_ascii_graphic())
    };
    if args.token.as_deref().is_some_and(|t| !good(t)) {
        return Err(Error::usage("--token takes up to 256 visible ASCII characters, without spaces"));
    }
    let engine = console.engine()?.with_progress(Arc::new(Silent));
    let threads = engine.threads().max(1);
    let limits = Limits::new(args, threads)?;
    let log = args.log.as_deref().map(Log::open).transpose()?;
    let model = Model::load(&args.model, &engine)?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let server = Arc::new(Server {
        open: args.token.is_some() || !args.host.is_loopback(),
        token: args.token.clone(),
        light: Lane::new("light", limits.light.1, 1, LIGHT_QUEUE)?,
        heavy: Lane::new("heavy", HEAVY_WORKERS, threads, HEAVY_QUEUE)?,
        bodies: Ledger::new(limits.bodies),
        connections: Connections::new(limits.connections),
        running: Arc::default(),
        metrics: Metrics::default(),
        log,
        closing: watch::Sender::new(false),
        at_rest: CountingAllocator::in_use(),
        started: Instant::now(),
        run: (since.as_secs() as u32) ^ std::process::id().rotate_left(16),
        requests: AtomicU64::new(0),
        limits,
        model,
        engine,
    });
    if server.token.is_none() && !args.host.is_loopback() {
        let text = format!("{} can be reached from other computers without a token: use --token", args.host);
        console.warn_text("W_OPEN", &text);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| listening(args, e))?;
    console.be_patient();
    let done = runtime.block_on(async {
        let address = SocketAddr::new(args.host, args.port);
        let listener = TcpListener::bind(address).await.map_err(|e| listening(args, e))?;
        let bound = listener.local_addr().map_err(|e| listening(args, e))?;
        console.line(model::summary(&server.model))?;
        console.line(format!("http://{bound}"))?;
        console.document("serve", json!({"address": format!("http://{bound}"), "model": args.model}))?;
        // The accept loop runs on a thread of the runtime, like connections.
        let _ = tokio::spawn(connections::serve(server.clone(), listener)).await;
        Ok(())
    });
    // Remaining connections have used up their time.
    runtime.shutdown_background();
    done
}

fn listening(args: &ServeArgs, source: std::io::Error) -> Error {
    Error::Io { path: format!("{}:{}", args.host, args.port).into(), code: Code::IoOpen, source }
}

/// The answer of the server to a prediction request, without the network: a document or an error message.
pub fn reply(
    model: &Model,
    query: &str,
    kind: &[u8],
    body: &[u8],
    engine: &Engine,
) -> std::result::Result<Value, String> {
    let query = answer::PredictQuery::new(query, kind)?;
    let answered = answer::answer(model, &query, body, engine, u64::MAX).map_err(|e| e.to_string())?;
    serde_json::from_slice(&answered.document).map_err(|e| e.to_string())
}
