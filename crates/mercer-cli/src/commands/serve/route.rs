//! Routing: access checks, the endpoints, and the headers of every answer.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use mercer::Error;
use mercer::budget::{Budget, CountingAllocator};
use serde_json::{Value, json};
use tokio::time::{Instant as TokioInstant, timeout_at};

use super::answer::{self, Answered, PredictQuery};
use super::authority::{self, is_same_token};
use super::connections::{Active, Connection};
use super::lanes::{Client, Worker};
use super::limits::{BODY_START, LIGHT_BYTES, LIGHT_TIME, RATE, Share};
use super::{PAGE, Server, log, openapi};

/// The answer to a connection over the limit.
pub(super) const TOO_MANY: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n\
    X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n\
    {\"error\":{\"code\":\"E_BUSY\",\"message\":\"too many connections\",\"hint\":null}}";

/// Headers of every answer.
const ALWAYS: [(HeaderName, &str); 7] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
];

/// The answer to send instead of hyper's own to a refused header, which has neither a body nor our headers; `None` for
/// answers of [`handle`].
pub(super) fn in_place_of(written: &[u8]) -> Option<Vec<u8>> {
    // Our JSON has no line breaks, so no part of a body looks like a header.
    let end =
        written.starts_with(b"HTTP/1.1 ").then(|| written.windows(4).position(|w| w == b"\r\n\r\n"))??;
    let head = std::str::from_utf8(&written[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.1 ")?;
    let is_ours = lines.any(|line| {
        let name = line.split(':').next().unwrap_or_default();
        name.eq_ignore_ascii_case(header::X_CONTENT_TYPE_OPTIONS.as_str())
    });
    if is_ours {
        return None;
    }
    let (code, message) = match status.get(..3)? {
        "400" => ("E_HEAD", "the request header is malformed"),
        "414" => ("E_HEAD", "the URL of the request is too long"),
        "431" => ("E_HEAD", "the request header is too long, or has too many lines"),
        "505" => ("E_HEAD", "this version of HTTP is not supported"),
        _ => return None,
    };
    let body = json!({"error": {"code": code, "message": message, "hint": null}}).to_string();
    let always = ALWAYS.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<String>();
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n{always}\r\n{body}"
    );
    Some(text.into_bytes())
}

/// An answer being sent, in chunks, so that its memory is freed as it is sent.
pub(super) struct Sent {
    bytes: Bytes,
    _share: Option<Share>,
    _active: Active,
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let piece = self.bytes.len().min(64 << 10);
        Poll::Ready(Some(Ok(Frame::data(self.bytes.split_to(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}

/// The answer to a request, with the values for the log.
struct Answer {
    status: StatusCode,
    kind: &'static str,
    bytes: Bytes,
    share: Option<Share>,
    extra: Vec<(HeaderName, HeaderValue)>,
    /// The code of an error.
    code: Option<String>,
    objects: Option<usize>,
    received: usize,
    lane: Option<&'static str>,
    /// Ends the connection.
    last: bool,
}

impl Answer {
    fn new(status: StatusCode, kind: &'static str, bytes: impl Into<Bytes>) -> Self {
        Answer {
            status,
            kind,
            bytes: bytes.into(),
            share: None,
            extra: Vec::new(),
            code: None,
            objects: None,
            received: 0,
            lane: None,
            last: false,
        }
    }

    fn json(status: StatusCode, document: &Value) -> Self {
        Answer::new(status, "application/json", document.to_string())
    }

    fn refusal(status: StatusCode, code: &str, message: &str) -> Self {
        Answer::fault(status, code, message, None)
    }

    fn fault(status: StatusCode, code: &str, message: &str, hint: Option<String>) -> Self {
        let document = json!({"error": {"code": code, "message": message, "hint": hint}});
        Answer { code: Some(code.to_owned()), ..Answer::json(status, &document) }
    }

    /// Tells the client to try again later.
    fn busy(message: &str) -> Self {
        Answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "E_BUSY", message)
            .with(header::RETRY_AFTER, HeaderValue::from_static("1"))
    }

    fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.extra.push((name, value));
        self
    }

    fn last(self) -> Self {
        Answer { last: true, ..self }
    }
}

/// Answers one request and logs it.
pub(super) async fn handle(
    server: Arc<Server>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<Sent>, Infallible> {
    let active = connection.active();
    let flight = Flight::new(server.clone(), connection.remote, &request);
    let (head, body) = request.into_parts();
    let is_clear = connection.heads.next_is_clear();
    let client = Client::of(connection.remote.ip());
    let mut answer = answered(&server, client, &head, body, is_clear).await;
    // Bytes after a chunked body were not inspected for another header.
    let last =
        answer.last || head.headers.contains_key(header::TRANSFER_ENCODING) || *server.closing.borrow();
    let sent =
        Sent { bytes: std::mem::take(&mut answer.bytes), _share: answer.share.take(), _active: active };
    let size = sent.bytes.len();
    let mut response = Response::new(sent);
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    if answer.status != StatusCode::NO_CONTENT {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.kind));
    }
    ALWAYS.iter().for_each(|(name, value)| {
        headers.insert(name.clone(), HeaderValue::from_static(value));
    });
    if let Ok(id) = HeaderValue::from_str(&flight.id) {
        headers.insert(HeaderName::from_static("x-request-id"), id);
    }
    for (name, value) in answer.extra.drain(..) {
        headers.insert(name, value);
    }
    if last {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    flight.finish(&answer, size);
    Ok(response)
}

/// A request from its header to its answer. Requests whose client disconnected are logged too.
struct Flight {
    server: Arc<Server>,
    id: String,
    remote: SocketAddr,
    method: String,
    path: String,
    began: Instant,
    finished: bool,
}

impl Flight {
    fn new(server: Arc<Server>, remote: SocketAddr, request: &Request<Incoming>) -> Self {
        server.metrics.in_flight.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:08x}-{:x}", server.run, server.requests.fetch_add(1, Ordering::Relaxed) + 1);
        let short = |text: &str| text.chars().take(200).collect::<String>();
        let (method, path) = (short(request.method().as_str()), short(request.uri().path()));
        Flight { server, id, remote, method, path, began: Instant::now(), finished: false }
    }

    fn finish(mut self, answer: &Answer, sent: usize) {
        self.finished = true;
        self.note(
            Some(answer.status),
            answer.code.as_deref(),
            answer.received,
            sent,
            answer.objects,
            answer.lane,
        );
    }

    fn note(
        &self,
        status: Option<StatusCode>,
        code: Option<&str>,
        received: usize,
        sent: usize,
        objects: Option<usize>,
        lane: Option<&str>,
    ) {
        let took = self.began.elapsed();
        let metrics = &self.server.metrics;
        // nginx's status for a client that disconnected.
        metrics.answered(status.map_or(499, |s| s.as_u16()), took);
        metrics.objects.fetch_add(objects.unwrap_or(0) as u64, Ordering::Relaxed);
        let Some(log) = &self.server.log else { return };
        let line = json!({
            "time": log::now(), "id": self.id, "remote": self.remote.to_string(), "method": self.method,
            "path": self.path, "status": status.map_or(499, |s| s.as_u16()), "bytes_in": received, "bytes_out": sent,
            "ms": (took.as_secs_f64() * 1e6).round() / 1e3, "objects": objects, "lane": lane, "error": code,
        });
        if !log.line(&line) {
            metrics.lost_lines.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.server.metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
        if !self.finished {
            self.note(None, Some("E_GONE"), 0, 0, None, None);
        }
    }
}

/// Checks access and dispatches to the endpoint.
async fn answered(
    server: &Arc<Server>,
    client: Client,
    head: &Parts,
    body: Incoming,
    is_clear: bool,
) -> Answer {
    let refused = |reason: &'static str, answer: Answer| {
        server.metrics.rejected(reason);
        answer
    };
    if !is_clear {
        let text = "the length of the body is stated more than once";
        return refused("framing", Answer::refusal(StatusCode::BAD_REQUEST, "E_FRAMING", text).last());
    }
    let named = match authority::named(head.version, &head.uri, &head.headers) {
        Ok(named) => named,
        Err(reason) => {
            return refused("host", Answer::refusal(StatusCode::BAD_REQUEST, "E_HOST", reason).last());
        }
    };
    if !server.open && !named.as_ref().is_some_and(authority::Authority::is_local) {
        let text = "this server only answers requests to the local host";
        return refused("host", Answer::refusal(StatusCode::FORBIDDEN, "E_HOST", text));
    }
    if authority::is_foreign(&head.method, named.as_ref(), &head.headers) {
        let text = "pages of other origins may not use this server";
        return refused("origin", Answer::refusal(StatusCode::FORBIDDEN, "E_ORIGIN", text));
    }
    let path = head.uri.path();
    let is_known = server.token.as_deref().is_none_or(|token| {
        let mut given = head.headers.get_all(header::AUTHORIZATION).iter();
        let first = given.next().and_then(|v| v.as_bytes().strip_prefix(b"Bearer "));
        given.next().is_none() && first.is_some_and(|given| is_same_token(given, token))
    });
    // Without a token: the page, which asks for the token, and the API description without columns.
    if !is_known && !matches!(path, "/" | "/openapi.json" | "/health") {
        let text = "a token is required: Authorization: Bearer TOKEN";
        let answer = Answer::refusal(StatusCode::UNAUTHORIZED, "E_TOKEN", text);
        return refused("token", answer.with(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
    }
    let allowed = match path {
        "/predict" => "POST, OPTIONS",
        "/" | "/model" | "/openapi.json" | "/health" | "/metrics" => "GET, HEAD, OPTIONS",
        "*" => "GET, HEAD, POST, OPTIONS",
        _ => return Answer::refusal(StatusCode::NOT_FOUND, "E_NOT_FOUND", "there is nothing at this path"),
    };
    match (path, &head.method) {
        (_, &Method::OPTIONS) => {
            let answer = Answer::new(StatusCode::NO_CONTENT, "", Bytes::new());
            answer.with(header::ALLOW, HeaderValue::from_static(allowed))
        }
        ("/predict", &Method::POST) => predict(server, client, head, body).await,
        ("/", &Method::GET | &Method::HEAD) => Answer::new(StatusCode::OK, "text/html; charset=utf-8", PAGE),
        ("/model", &Method::GET | &Method::HEAD) => {
            Answer::json(StatusCode::OK, &answer::about(&server.model))
        }
        ("/openapi.json", &Method::GET | &Method::HEAD) => {
            let shown = is_known.then_some(&server.model);
            Answer::json(StatusCode::OK, &openapi::document(shown, server.token.is_some()))
        }
        ("/health", &Method::GET | &Method::HEAD) => match *server.closing.borrow() {
            false => Answer::json(StatusCode::OK, &json!({"status": "ready"})),
            true => Answer::json(StatusCode::SERVICE_UNAVAILABLE, &json!({"status": "closing"})),
        },
        ("/metrics", &Method::GET | &Method::HEAD) => Answer::new(
            StatusCode::OK,
            "text/plain; version=0.0.4; charset=utf-8",
            server.metrics.text(server),
        ),
        _ => {
            let text = format!("this path takes {allowed}");
            let answer = Answer::refusal(StatusCode::METHOD_NOT_ALLOWED, "E_METHOD", &text);
            answer.with(header::ALLOW, HeaderValue::from_static(allowed))
        }
    }
}

async fn predict(server: &Arc<Server>, client: Client, head: &Parts, body: Incoming) -> Answer {
    let until = TokioInstant::now() + server.limits.time;
    let kind = head.headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let query = match PredictQuery::new(head.uri.query().unwrap_or_default(), kind) {
        Ok(query) => Arc::new(query),
        Err(reason) => return Answer::refusal(StatusCode::BAD_REQUEST, "E_USAGE", &reason),
    };
    // The body is received before a worker is occupied: slow clients do not block others.
    let (body, share) = match received(server, body, until).await {
        Ok(received) => received,
        Err(refusal) => return refusal.last(),
    };
    let size = body.len();
    let mut answer = processed(server, client, query, body, until).await;
    drop(share);
    answer.received = size;
    if answer.share.is_none() && answer.status == StatusCode::OK {
        let mut share = server.bodies.share();
        if !share.grow(answer.bytes.len() as u64) {
            server.metrics.rejected("bodies");
            return Answer { received: size, ..Answer::busy("too many answers are being sent") };
        }
        answer.share = Some(share);
    }
    answer
}

/// Receives a body within the limits of one body and of all bodies.
async fn received(
    server: &Server,
    mut body: Incoming,
    until: TokioInstant,
) -> Result<(Bytes, Share), Box<Answer>> {
    let refused = |reason: &'static str, answer: Answer| {
        server.metrics.rejected(reason);
        Err(Box::new(answer))
    };
    let largest = server.limits.body;
    let too_large = || {
        let text = format!("the body is larger than {} MB", largest >> 20);
        Answer::refusal(StatusCode::PAYLOAD_TOO_LARGE, "E_LARGE", &text)
    };
    if body.size_hint().lower() > largest as u64 {
        return refused("large", too_large());
    }
    let began = TokioInstant::now();
    let mut share = server.bodies.share();
    let mut all = Vec::new();
    loop {
        let rate = std::time::Duration::from_millis(all.len() as u64 * 1000 / RATE);
        let frame = match timeout_at(until.min(began + BODY_START + rate), body.frame()).await {
            Ok(None) => return Ok((all.into(), share)),
            Ok(Some(Ok(frame))) => frame,
            Ok(Some(Err(_))) => {
                let text = "the body is incomplete, or its chunks are malformed";
                return refused("malformed", Answer::refusal(StatusCode::BAD_REQUEST, "E_BODY", text));
            }
            Err(_) => {
                let text = format!(
                    "the body was sent too slowly: at least {} kB per second are required",
                    RATE / 1000
                );
                return refused("slow", Answer::refusal(StatusCode::REQUEST_TIMEOUT, "E_SLOW", &text));
            }
        };
        let Some(bytes) = frame.data_ref() else { continue };
        if all.len() + bytes.len() > largest {
            return refused("large", too_large());
        }
        if !share.grow(bytes.len() as u64) {
            return refused("bodies", Answer::busy("too many bodies are being received"));
        }
        all.extend_from_slice(bytes);
    }
}

/// The result of work: an answer or an error.
type Reply = mercer::Result<Answered>;

/// Processes a request on a light worker if its body is small. Larger bodies, and work that exceeds the light limits,
/// go to a heavy worker.
async fn processed(
    server: &Arc<Server>,
    client: Client,
    query: Arc<PredictQuery>,
    body: Bytes,
    until: TokioInstant,
) -> Answer {
    if CountingAllocator::in_use() > server.at_rest.saturating_add(server.limits.memory) {
        server.metrics.rejected("memory");
        return Answer::busy("all memory for requests is in use");
    }
    let size = body.len();
    let is_light = size <= LIGHT_BYTES && !is_packed(&body);
    let mut lane = if is_light { &server.light } else { &server.heavy };
    loop {
        let is_light = Arc::ptr_eq(lane, &server.light);
        // Light requests of one client are processed smallest first, heavy ones in the order of arrival.
        let worker = match timeout_at(until, lane.worker(client, if is_light { size } else { 0 })).await {
            Ok(Ok(worker)) => worker,
            Ok(Err(_)) => {
                server.metrics.rejected("queue");
                return Answer { lane: Some(lane.name), ..Answer::busy("too many requests are waiting") };
            }
            Err(_) => {
                server.metrics.rejected("time");
                let text = format!("no worker was free within {} s", server.limits.time.as_secs());
                let answer = Answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "E_TIME", &text);
                let answer = answer.with(header::RETRY_AFTER, HeaderValue::from_static("5"));
                return Answer { lane: Some(lane.name), ..answer };
            }
        };
        let left = until.saturating_duration_since(TokioInstant::now());
        let budget = match is_light {
            true => Budget::default().with_memory(server.limits.light.0).with_time(LIGHT_TIME.min(left)),
            false => Budget::default().with_memory(server.limits.heavy).with_time(left),
        };
        let done = timeout_at(until, attempted(server, worker, &query, &body, (budget, is_light))).await;
        let answer = match done {
            Ok(Some(Err(error))) if is_light && error.is_end_of_budget() && !*server.closing.borrow() => {
                lane = &server.heavy;
                continue;
            }
            Ok(Some(Ok(done))) => {
                let answer = Answer::new(StatusCode::OK, "application/json", done.document);
                Answer { objects: Some(done.objects), ..answer }
            }
            Ok(Some(Err(error))) => failed(server, &error),
            // A panic is a bug in this program: it is reported, and the server continues.
            Ok(None) => {
                let text = "the work failed unexpectedly";
                Answer::refusal(StatusCode::INTERNAL_SERVER_ERROR, "E_INTERNAL", text)
            }
            Err(_) => failed(server, &Error::Time { allowed: server.limits.time }),
        };
        return Answer { lane: Some(lane.name), ..answer };
    }
}

/// Runs the work under its budget, which is stopped when the request is cancelled.
async fn attempted(
    server: &Arc<Server>,
    worker: Worker,
    query: &Arc<PredictQuery>,
    body: &Bytes,
    (budget, is_light): (Budget, bool),
) -> Option<Reply> {
    let _running = server.running.add(&budget);
    let (own, query, body) = (server.clone(), query.clone(), body.clone());
    let work = move || {
        let engine = own.engine.clone().with_budget(budget.clone());
        let done = budget.enter(|| answer::answer(&own.model, &query, &body, &engine, own.limits.bodies));
        if !is_light {
            // Before the worker is free: its next work may need as much memory.
            CountingAllocator::give_back();
        }
        done
    };
    worker.work(work).await
}

fn failed(server: &Server, error: &Error) -> Answer {
    let (status, reason) = match error {
        Error::Time { .. } => {
            let seconds = server.limits.time.as_secs();
            let text = format!("no answer within {seconds} s: send fewer objects per request");
            server.metrics.rejected("time");
            return Answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "E_TIME", &text);
        }
        Error::Interrupted => {
            server.metrics.rejected("closing");
            let text = "the server is shutting down";
            return Answer::refusal(StatusCode::SERVICE_UNAVAILABLE, "E_CLOSED", text);
        }
        Error::MemoryPlan { .. } => (StatusCode::PAYLOAD_TOO_LARGE, Some("memory")),
        error if error.is_input() => (StatusCode::BAD_REQUEST, None),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, None),
    };
    if let Some(reason) = reason {
        server.metrics.rejected(reason);
    }
    let code = error.code();
    Answer::fault(status, code.as_str(), &error.to_string(), error.hint())
}

/// Whether a body is compressed: its content may be much larger.
fn is_packed(body: &[u8]) -> bool {
    const MARKS: [&[u8]; 6] =
        [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PAR1", b"\x89PNG", b"\xfd7zXZ"];
    MARKS.iter().any(|mark| body.starts_with(mark))
}
