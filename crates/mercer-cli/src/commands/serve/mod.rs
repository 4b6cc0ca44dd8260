//! `mercer serve`: predictions over HTTP, for programs and for people.
//!
//! Requests wait for one of as many places as there are threads, so that memory does not grow with the number of clients; a request
//! that does not get its answer in time is told so, and its work stops. Answering every request at once would be simpler, and two hundred clients
//! with large bodies would then fill the memory.

mod answer;
mod openapi;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use clap::Args;
use mercer::gram::{Cancel, Engine, Silent};
use mercer::model::Model;
use mercer::{Code, Error, Result};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::model;
use crate::console::Console;

/// The page people see.
const PAGE: &str = include_str!("page.html");

/// Arguments of `mercer serve`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer serve molecules.mercer                    then open http://127.0.0.1:7878
  mercer serve iris.mercer --port 0 --token secret
  curl --data-binary @flowers.csv 'http://127.0.0.1:7878/predict?name=flowers.csv'
  curl -H 'Content-Type: application/json' -d '{\"objects\": [{\"petal_length\": 1.4, …}]}' http://127.0.0.1:7878/predict

POST /predict takes data of any format mercer reads from one file, or objects as JSON; GET /model says what the model is, GET /openapi.json
how to ask. Without --token only requests that name this machine are answered; with --host others can reach it: use a token there, and
a proxy that encrypts.")]
pub(crate) struct ServeArgs {
    /// A model of `mercer fit` or `mercer auto`
    model: PathBuf,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Port to listen on; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 7878)]
    port: u16,
    /// Answer only requests with the header 'Authorization: Bearer TOKEN'
    #[arg(long, value_name = "TOKEN", env = "MERCER_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The largest body, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 16)]
    max_body: usize,
    /// The longest time for one request, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,
}

/// What every request is answered from.
pub(super) struct Server {
    model: Model,
    engine: Engine,
    /// Requests that are worked on at once.
    places: Semaphore,
    token: Option<String>,
    /// Whether any name of this server is good: there is a token, or it was told to listen elsewhere.
    open: bool,
    longest: Duration,
    largest: usize,
}

pub(crate) fn run(args: &ServeArgs, console: &Console) -> Result<()> {
    if args.max_body == 0 || args.max_body > 4096 {
        return Err(Error::param("--max-body", args.max_body, "megabytes from 1 to 4096"));
    }
    if args.timeout == 0 {
        return Err(Error::param("--timeout", args.timeout, "seconds from 1"));
    }
    if args.token.as_deref().is_some_and(|t| t.is_empty() || !t.chars().all(|c| c.is_ascii_graphic())) {
        return Err(Error::usage("--token takes visible ASCII characters, without spaces"));
    }
    let engine = console.engine()?.with_progress(Arc::new(Silent));
    let model = Model::load(&args.model, &engine)?;
    let server = Arc::new(Server {
        places: Semaphore::new(engine.threads().max(1)),
        open: args.token.is_some() || !args.host.is_loopback(),
        token: args.token.clone(),
        longest: Duration::from_secs(args.timeout),
        largest: args.max_body << 20,
        model,
        engine,
    });
    if server.token.is_none() && !args.host.is_loopback() {
        let text = format!("{} can be reached from elsewhere, and there is no --token", args.host);
        console.warn_text("W_OPEN", &text);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| listening(args, e))?;
    console.be_patient();
    runtime.block_on(async {
        let address = SocketAddr::new(args.host, args.port);
        let listener = TcpListener::bind(address).await.map_err(|e| listening(args, e))?;
        let bound = listener.local_addr().map_err(|e| listening(args, e))?;
        console.line(model::summary(&server.model))?;
        console.line(format!("http://{bound}"))?;
        console.document("serve", json!({"address": format!("http://{bound}"), "model": args.model}))?;
        let cancel = server.engine.cancel().clone();
        let stop = async move {
            // Ctrl-C is heard by the console, which sets the flag.
            while !cancel.is_stopped() {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        axum::serve(listener, router(server))
            .with_graceful_shutdown(stop)
            .await
            .map_err(|e| listening(args, e))
    })
}

fn listening(args: &ServeArgs, source: std::io::Error) -> Error {
    Error::Io { path: format!("{}:{}", args.host, args.port).into(), code: Code::IoOpen, source }
}

fn router(server: Arc<Server>) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/model", get(about))
        .route("/openapi.json", get(describe))
        .route("/health", get(|| async { Json(json!({"status": "ok"})) }))
        .route("/predict", post(predict))
        .fallback(|| async { refusal(StatusCode::NOT_FOUND, "E_NOT_FOUND", "there is nothing at this path") })
        .layer(middleware::from_fn_with_state(server.clone(), admit))
        .with_state(server)
}

/// Lets those in who may ask. The page itself holds nothing secret: it asks for the token.
async fn admit(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    if !server.open && !is_local(request.headers()) {
        return refusal(
            StatusCode::FORBIDDEN,
            "E_HOST",
            "this server answers requests that name this machine alone",
        );
    }
    let free = matches!(request.uri().path(), "/" | "/openapi.json" | "/health");
    if let (Some(token), false) = (&server.token, free) {
        let given = request.headers().get(header::AUTHORIZATION).and_then(|v| v.to_str().ok());
        if !given.and_then(|v| v.strip_prefix("Bearer ")).is_some_and(|given| same(given, token)) {
            return refusal(
                StatusCode::UNAUTHORIZED,
                "E_TOKEN",
                "a token is needed: Authorization: Bearer TOKEN",
            );
        }
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
        ),
    ] {
        headers.insert(name, header::HeaderValue::from_static(value));
    }
    response
}

/// Whether a request names this machine. A page from elsewhere whose name was made to point here does not.
fn is_local(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST).and_then(|h| h.to_str().ok()) else { return false };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|a| a.is_loopback())
}

/// Compares secrets without telling by the time it takes how much of one was right.
fn same(given: &str, token: &str) -> bool {
    let differs = given.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == token.len() && differs == 0
}

async fn page() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], PAGE)
}

async fn about(State(server): State<Arc<Server>>) -> Json<Value> {
    Json(answer::about(&server.model))
}

async fn describe(State(server): State<Arc<Server>>) -> Json<Value> {
    Json(openapi::document(&server.model, server.token.is_some()))
}

async fn predict(State(server): State<Arc<Server>>, request: Request) -> Response {
    let longest = server.longest;
    let cancel = Cancel::default();
    let work = answered(server, request, cancel.clone());
    match tokio::time::timeout(longest, work).await {
        Ok(response) => response,
        Err(_) => {
            cancel.stop();
            let text = format!("no answer within {} s: send fewer objects at a time", longest.as_secs());
            refusal(StatusCode::SERVICE_UNAVAILABLE, "E_TIME", &text)
        }
    }
}

async fn answered(server: Arc<Server>, request: Request, cancel: Cancel) -> Response {
    let asked = match answer::Asked::of(&request) {
        Ok(asked) => asked,
        Err(reason) => return refusal(StatusCode::BAD_REQUEST, "E_USAGE", &reason),
    };
    // The place first, the body then: bodies wait in the network, not here.
    let Ok(place) = server.places.acquire().await else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "E_CLOSED", "the server is closing");
    };
    let largest = server.largest;
    let body: Body = request.into_body();
    let Ok(bytes) = axum::body::to_bytes(body, largest).await else {
        let text = format!("a body of more than {} MB, or one that ended early", largest >> 20);
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, "E_LARGE", &text);
    };
    let own = server.clone();
    let work = tokio::task::spawn_blocking(move || {
        let engine = own.engine.clone().with_cancel(cancel);
        answer::answer(&own.model, &asked, &bytes, &engine)
    });
    let done = work.await;
    drop(place);
    match done {
        Ok(Ok(document)) => Json(document).into_response(),
        Ok(Err(Error::Interrupted)) => {
            refusal(StatusCode::SERVICE_UNAVAILABLE, "E_TIME", "the work was stopped")
        }
        Ok(Err(error)) => {
            let status =
                if error.is_input() { StatusCode::BAD_REQUEST } else { StatusCode::INTERNAL_SERVER_ERROR };
            let document = json!({"error": {
                "code": error.code().as_str(), "message": error.to_string(), "hint": error.hint(),
            }});
            (status, Json(document)).into_response()
        }
        // A panic is a fault of this program: it says so, and goes on.
        Err(_) => refusal(StatusCode::INTERNAL_SERVER_ERROR, "E_INTERNAL", "the work failed unexpectedly"),
    }
}

/// What the server answers to a request for predictions, without the network: a document, or why there is none.
pub fn reply(
    model: &Model,
    query: &str,
    kind: &[u8],
    body: &[u8],
    engine: &Engine,
) -> std::result::Result<Value, String> {
    let request = Request::builder().uri(format!("/predict?{query}")).header(header::CONTENT_TYPE, kind);
    let request = request.body(Body::empty()).map_err(|e| e.to_string())?;
    let asked = answer::Asked::of(&request)?;
    answer::answer(model, &asked, body, engine).map_err(|e| e.to_string())
}

fn refusal(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(json!({"error": {"code": code, "message": message, "hint": null}}))).into_response()
}
