//! Metrics of the server, in Prometheus' text format.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mercer::budget::CountingAllocator;

use super::Server;

/// Upper bounds of the latency buckets, in seconds.
const BUCKETS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// Counters since the start.
#[derive(Default)]
pub(super) struct Metrics {
    statuses: Mutex<BTreeMap<u16, u64>>,
    rejected: Mutex<BTreeMap<&'static str, u64>>,
    buckets: [AtomicU64; BUCKETS.len()],
    microseconds: AtomicU64,
    pub(super) objects: AtomicU64,
    pub(super) in_flight: AtomicU64,
    pub(super) lost_lines: AtomicU64,
}

impl Metrics {
    pub(super) fn answered(&self, status: u16, took: Duration) {
        *self.statuses.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
        let bucket = BUCKETS.iter().position(|end| took.as_secs_f64() <= *end);
        if let Some(bucket) = bucket {
            self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        }
        self.microseconds.fetch_add(took.as_micros() as u64, Ordering::Relaxed);
    }

    pub(super) fn rejected(&self, reason: &'static str) {
        *self.rejected.lock().unwrap_or_else(PoisonError::into_inner).entry(reason).or_default() += 1;
    }

    /// The page `/metrics`.
    pub(super) fn text(&self, server: &Server) -> String {
        let mut page = Page(String::new());
        let statuses = self.statuses.lock().unwrap_or_else(PoisonError::into_inner).clone();
        page.head("mercer_requests_total", "counter", "Requests answered, by status");
        for (status, count) in &statuses {
            page.line("mercer_requests_total", &format!("status=\"{status}\""), *count);
        }
        page.head("mercer_rejected_total", "counter", "Requests and connections refused, by reason");
        for (reason, count) in &*self.rejected.lock().unwrap_or_else(PoisonError::into_inner) {
            page.line("mercer_rejected_total", &format!("reason=\"{reason}\""), *count);
        }
        page.head("mercer_request_seconds", "histogram", "Time from the request header to the answer");
        let mut below = 0;
        for (end, count) in BUCKETS.iter().zip(&self.buckets) {
            below += count.load(Ordering::Relaxed);
            page.line("mercer_request_seconds_bucket", &format!("le=\"{end}\""), below);
        }
        let all = statuses.values().sum::<u64>();
        page.line("mercer_request_seconds_bucket", "le=\"+Inf\"", all);
        let seconds = self.microseconds.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(page.0, "mercer_request_seconds_sum {seconds}");
        let _ = writeln!(page.0, "mercer_request_seconds_count {all}");
        let count = |value: &AtomicU64| value.load(Ordering::Relaxed);
        page.one("mercer_objects_total", "counter", "Objects predicted", count(&self.objects));
        page.one(
            "mercer_log_lines_lost_total",
            "counter",
            "Log lines that could not be written",
            count(&self.lost_lines),
        );
        page.one("mercer_requests_in_flight", "gauge", "Requests not yet answered", count(&self.in_flight));
        page.head("mercer_queue", "gauge", "Requests waiting for a worker");
        for lane in [&server.light, &server.heavy] {
            page.line("mercer_queue", &format!("lane=\"{}\"", lane.name), lane.load().0 as u64);
        }
        page.head("mercer_places_taken", "gauge", "Busy workers");
        for lane in [&server.light, &server.heavy] {
            page.line("mercer_places_taken", &format!("lane=\"{}\"", lane.name), lane.load().1 as u64);
        }
        page.head("mercer_places", "gauge", "Workers");
        for lane in [&server.light, &server.heavy] {
            page.line("mercer_places", &format!("lane=\"{}\"", lane.name), lane.workers as u64);
        }
        page.one("mercer_connections", "gauge", "Open connections", server.connections.open() as u64);
        page.one(
            "mercer_connections_limit",
            "gauge",
            "Limit of open connections",
            server.connections.most() as u64,
        );
        page.one(
            "mercer_memory_bytes",
            "gauge",
            "Memory in use, including the model",
            CountingAllocator::in_use(),
        );
        page.one(
            "mercer_memory_limit_bytes",
            "gauge",
            "Memory limit, for the model and all requests",
            server.at_rest.saturating_add(server.limits.memory),
        );
        page.one(
            "mercer_body_bytes",
            "gauge",
            "Bytes of bodies received or being sent",
            server.bodies.used(),
        );
        page.one("mercer_uptime_seconds", "gauge", "Uptime", server.started.elapsed().as_secs());
        page.head("mercer_model_info", "gauge", "The model and the version of the program");
        let labels = format!(
            "learner=\"{}\",kernel=\"{}\",version=\"{}\"",
            escaped(&server.model.learner().to_string()),
            escaped(&server.model.expression().to_string()),
            env!("CARGO_PKG_VERSION"),
        );
        page.line("mercer_model_info", &labels, 1);
        page.0
    }
}

struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &str, value: u64) {
        let _ = writeln!(self.0, "{name}{{{labels}}} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.head(name, kind, help);
        let _ = writeln!(self.0, "{name} {value}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
