//! Connections.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use crate::Result;
use crate::limits::Limits;

/// Longest head of a request.
const MAX_HEAD: usize = 1 << 15;

/// Serves until it is told to stop. Requests whose head is slow are dropped.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    mut stopped: watch::Receiver<bool>,
) -> Result<()> {
    let places = Arc::new(Semaphore::new(limits.connections));
    loop {
        let next = async {
            // Never closed.
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            _ = stopped.wait_for(|stopped| *stopped) => return Ok(()),
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // As when files run out: others end meanwhile.
                eprintln!("error: cannot accept a connection: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            // Who says that nothing more comes hears what was wrong.
            .half_close(true)
            .header_read_timeout(limits.silence)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            // What goes wrong on a connection is its client's.
            let _ = connection.await;
            drop(place);
        });
    }
}
