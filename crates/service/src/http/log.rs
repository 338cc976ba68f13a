//! The log of requests: one line each, with the client, the route, the outcome, and the reason of a refusal. No line
//! contains a token.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};

use super::App;
use super::places::VisitSlot;
use crate::Problem;

/// Number of characters of a reason that are logged, since it may quote what a client sent.
const MAX_REASON: usize = 500;

/// The address at the other end of a connection: a client or the proxy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) SocketAddr);

/// A request under way. It is logged when it is dropped, after its answer was sent or its connection ended.
struct Record {
    method: Method,
    route: String,
    peer: Option<SocketAddr>,
    start: Instant,
    /// `None` until there is an answer.
    status: Option<u16>,
    reason: String,
    /// Holds the client's place until the request is logged.
    visit: VisitSlot,
    received: Arc<AtomicU64>,
    sent: u64,
}

impl Record {
    fn send(&mut self, bytes: u64) {
        self.sent += bytes;
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let client = self.visit.client.get().map(String::as_str);
        let (method, route, reason) =
            (self.method.as_str(), self.route.as_str(), self.reason.as_str());
        let peer = self.peer.map(|peer| peer.ip().to_string());
        let (received, sent) = (self.received.load(Ordering::Relaxed), self.sent);
        let (status, seconds) =
            (self.status.unwrap_or(0), self.start.elapsed().as_millis() as f64 / 1e3);
        // The level must be a constant at each call site.
        macro_rules! line {
            ($level:ident, $text:literal) => {
                tracing::$level!(
                    client, method, route, status, received, sent, seconds, peer, reason, $text
                )
            };
        }
        match status {
            0 => line!(warn, "request was cut off"),
            100..400 if !route.starts_with("/v1/") => line!(debug, "request"),
            100..400 => line!(info, "request"),
            400..500 => line!(warn, "request refused"),
            _ => line!(error, "request failed"),
        }
    }
}

/// Counts answers by status, and has them logged.
pub(super) async fn record(State(app): State<App>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let (visit, received) = (VisitSlot::default(), Arc::<AtomicU64>::default());
    parts.extensions.insert(visit.clone());
    // The path of an unknown route may contain anything, so it is not logged.
    let route = parts.extensions.get::<MatchedPath>().map_or("unknown", MatchedPath::as_str);
    let mut record = Record {
        method: parts.method.clone(),
        route: route.to_owned(),
        peer: parts.extensions.get().map(|Peer(address)| *address),
        start: Instant::now(),
        status: None,
        reason: String::new(),
        visit,
        received: received.clone(),
        sent: 0,
    };
    let body = Body::new(Counted {
        body,
        count: move |bytes| _ = received.fetch_add(bytes, Ordering::Relaxed),
    });
    let response = next.run(Request::from_parts(parts, body)).await;
    app.counters.answered(response.status());
    record.status = Some(response.status().as_u16());
    if let Some(problem) = response.extensions().get::<Problem>() {
        let reason = format!("{}: {}", problem.word(), problem.detail);
        record.reason = reason.chars().take(MAX_REASON).collect();
    }
    // The record lives as long as the body.
    response.map(|body| Body::new(Counted { body, count: move |bytes| record.send(bytes) }))
}

/// A body that counts the bytes that pass through it.
struct Counted<F> {
    body: Body,
    count: F,
}

impl<F: FnMut(u64) + Unpin> HttpBody for Counted<F> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            (self.count)(bytes as u64);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
