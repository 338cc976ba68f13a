//! The server loop and its connections.

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

use super::log::Peer;
use super::places::{Place, Places};
use crate::Result;
use crate::limits::Limits;

/// Longest head of a request, in bytes.
const MAX_HEAD: usize = 1 << 15;

/// Accepts and serves connections until told to stop, then gives clients' requests time to finish. Requests whose head
/// arrives too slowly are dropped, and idle connections make room for new ones.
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
            _ = stopped.wait_for(|stopped| *stopped) => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                let place = places.enter();
                serve_one(stream, Peer(peer), &router, place, stopped.clone(), &limits);
            }
            Err(error) => {
                // For example, the process has no file descriptors left until other connections end.
                tracing::error!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    places.drain(limits.drain).await;
    Ok(())
}

/// Serves one connection until it ends or another one needs its place.
fn serve_one(
    stream: TcpStream,
    peer: Peer,
    router: &Router,
    place: Arc<Place>,
    mut stopped: watch::Receiver<bool>,
    limits: &Limits,
) {
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router.clone());
    let known = place.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(known.clone());
        request.extensions_mut().insert(peer);
        service.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // A peer that closed its sending side still receives the reason of a refusal.
        .half_close(true)
        .header_read_timeout(limits.silence)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    tokio::spawn(async move {
        let mut connection = std::pin::pin!(connection);
        let mut is_stopped = false;
        loop {
            tokio::select! {
                outcome = connection.as_mut() => {
                    // Errors of a connection are its client's concern.
                    if let Err(error) = outcome {
                        tracing::debug!(peer = %peer.0, %error, "a connection ended");
                    }
                    return;
                }
                () = place.ended() => return,
                _ = stopped.wait_for(|stopped| *stopped), if !is_stopped => {
                    // The current request is the last one.
                    is_stopped = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    });
}
