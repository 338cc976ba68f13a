//! Metrics for the operator in the format of Prometheus. They do not name clients.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::App;
use crate::Result;
use crate::store::Expired;

/// Totals over all requests since the server started.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Number of answers by the first digit of their status.
    answers: [AtomicU64; 6],
    received: AtomicU64,
    sent: AtomicU64,
    expired: [AtomicU64; 3],
}

impl Counters {
    pub(super) fn answered(&self, status: StatusCode) {
        let class = usize::from(status.as_u16() / 100).min(5);
        self.answers[class].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn received(&self, bytes: u64) {
        self.received.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn expired(&self, Expired { jobs, uploads, ciphertexts }: Expired) {
        for (counter, count) in self.expired.iter().zip([jobs, uploads, ciphertexts]) {
            counter.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub(super) fn sent(&self, bytes: u64) {
        self.sent.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Returns all metrics.
pub(super) async fn show(State(app): State<App>) -> Result<Response> {
    let counts = app.blocking(|app| app.store.counts()).await?;
    let mut text = String::new();
    for (name, count) in counts {
        line(&mut text, "gauge", &name, count as f64);
    }
    for (class, count) in app.counters.answers.iter().enumerate().skip(1) {
        let count = count.load(Ordering::Relaxed) as f64;
        line(&mut text, "counter", &format!("answers_{class}xx_total"), count);
    }
    let totals = &app.worker.totals;
    let [jobs, uploads, ciphertexts] = &app.counters.expired;
    let counters = [
        ("expired_jobs_total", jobs, 1.0),
        ("expired_uploads_total", uploads, 1.0),
        ("expired_ciphertexts_total", ciphertexts, 1.0),
        ("received_bytes_total", &app.counters.received, 1.0),
        ("sent_bytes_total", &app.counters.sent, 1.0),
        ("finished_jobs_total", &totals.jobs, 1.0),
        ("failed_jobs_total", &totals.failures, 1.0),
        ("values_total", &totals.values, 1.0),
        ("lookup_seconds_total", &totals.lookup_ms, 1e-3),
    ];
    for (name, count, factor) in counters {
        line(&mut text, "counter", name, count.load(Ordering::Relaxed) as f64 * factor);
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response())
}

fn line(text: &mut String, kind: &str, name: &str, value: f64) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# TYPE cryptable_{name} {kind}\ncryptable_{name} {value}");
}
