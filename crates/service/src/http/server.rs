//! Connections.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::places::{Place, Places};
use crate::Result;
use crate::limits::Limits;

/// Longest head of a request.
const MAX_HEAD: usize = 1 << 15;

/// Serves until it is told to stop. Requests whose head is slow are dropped, and connections without a client's request
/// make room for others.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    mut stopped: watch::Receiver<bool>,
) -> Result<()> {
    let places = Places::new(limits.connections);
    loop {
        let next = async {
            let accepted = listener.accept().await;
            places.make_room().await;
            accepted
        };
        let accepted = tokio::select! {
            accepted = next => accepted,
            _ = stopped.wait_for(|stopped| *stopped) => return Ok(()),
        };
        match accepted {
            Ok((stream, _)) => serve_one(stream, &router, places.enter(), &limits),
            Err(error) => {
                // As when files run out: others end meanwhile.
                eprintln!("error: cannot accept a connection: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Serves a connection until it ends, or another one needs its place.
fn serve_one(stream: TcpStream, router: &Router, place: Arc<Place>, limits: &Limits) {
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router.clone());
    let known = place.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(known.clone());
        service.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // Who says that nothing more comes hears what was wrong.
        .half_close(true)
        .header_read_timeout(limits.silence)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    tokio::spawn(async move {
        tokio::select! {
            // What goes wrong on a connection is its client's.
            _ = connection => {}
            () = place.ended() => {}
        }
    });
}
