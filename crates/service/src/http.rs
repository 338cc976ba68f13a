//! The HTTP interface under `/v1`, as described in `openapi.json`.

mod files;
mod jobs;
mod log;
mod metrics;
mod objects;
#[cfg(feature = "page")]
mod page;
mod pages;
mod places;
mod problems;
mod requests;
mod server;
mod uploads;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, head, post};
use cryptable::ReadOptions;
use tokio::sync::OwnedMutexGuard;

pub(crate) use self::metrics::Counters;
use self::places::{Place, Requests, Visit, VisitSlot};
pub(crate) use self::server::serve;
use crate::limits::Limits;
use crate::messages::Kind;
use crate::store::Store;
use crate::worker::Worker;
use crate::{Problem, Result};

/// The OpenAPI description of the interface.
pub const OPENAPI: &str = include_str!("openapi.json");

/// The state that all requests share.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) store: Arc<Store>,
    pub(crate) worker: Arc<Worker>,
    pub(crate) limits: Limits,
    pub(crate) options: ReadOptions,
    pub(crate) counters: Arc<Counters>,
    /// Uploads that a request is writing or checking.
    busy: Arc<Mutex<HashSet<String>>>,
    /// Guards the check of files: one at a time, since keys need much memory.
    checking: Arc<tokio::sync::Mutex<()>>,
    /// Guards the wait for `checking`: one file per client.
    client_checks: Arc<Mutex<HashMap<i64, Arc<tokio::sync::Mutex<()>>>>>,
    /// The requests of every client that are in progress.
    requests: Arc<Requests>,
}

impl App {
    pub(crate) fn new(
        store: Arc<Store>,
        worker: Arc<Worker>,
        limits: Limits,
        options: ReadOptions,
    ) -> Self {
        let (counters, busy, checking, client_checks, requests) = Default::default();
        Self { store, worker, limits, options, counters, busy, checking, client_checks, requests }
    }

    /// Runs a call that computes or waits for the disk on a separate thread, where it does not delay other requests.
    async fn blocking<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let app = self.clone();
        match tokio::task::spawn_blocking(move || call(&app)).await {
            Ok(result) => result,
            Err(error) if error.is_cancelled() => {
                Err(Problem::unavailable("the server is shutting down; try again later").into())
            }
            // The panic is already in the log.
            Err(_) => Err(Problem::internal().into()),
        }
    }

    /// Waits until a client's file may be checked. A file first waits for others of the same client, so that clients
    /// take turns. Returns the guards of both locks.
    async fn turn_to_check(&self, client: i64) -> [OwnedMutexGuard<()>; 2] {
        let own = {
            let mut checks = self.client_checks.lock().unwrap_or_else(PoisonError::into_inner);
            // Locks that nobody waits for are dropped, and recreated on demand.
            checks.retain(|_, check| Arc::strong_count(check) > 1);
            checks.entry(client).or_default().clone()
        };
        let own = own.lock_owned().await;
        [self.checking.clone().lock_owned().await, own]
    }

    /// Makes this request the only one that writes or checks an upload.
    fn occupy(&self, upload: &str) -> Result<Busy> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        match busy.insert(upload.to_owned()) {
            true => Ok(Busy { uploads: self.busy.clone(), id: upload.to_owned() }),
            false => {
                let text = "another request writes or checks this upload; try again";
                Err(Problem { kind: Problem::new("busy", 409, "").kind, ..Problem::conflict(text) }
                    .into())
            }
        }
    }
}

/// Guard for an upload that a request is writing or checking.
struct Busy {
    uploads: Arc<Mutex<HashSet<String>>>,
    id: String,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

/// The client to whom a request's token belongs.
#[derive(Clone, Copy, Debug)]
struct Client(i64);

impl FromRequestParts<App> for Client {
    type Rejection = crate::Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let unauthorized = |text: &str| Problem::new("unauthorized", 401, text);
        let token = bearer(&parts.headers).map(str::to_owned);
        let token = token
            .ok_or_else(|| unauthorized("the header Authorization: Bearer TOKEN is missing"))?;
        let client = app.blocking(move |app| app.store.client_of(&token)).await?;
        let client = client.ok_or_else(|| unauthorized("the token belongs to no client"))?;
        // The server and the outermost layer inserted both.
        let place = parts.extensions.get::<Arc<Place>>().ok_or_else(Problem::internal)?;
        let slot = parts.extensions.get::<VisitSlot>().ok_or_else(Problem::internal)?;
        let _ = slot.client.set(client.name);
        if slot.visit.get().is_none() {
            let limit = app.limits.client_requests;
            let _ = slot.visit.set(Visit::begin(&app.requests, client.id, place, limit)?);
        }
        Ok(Self(client.id))
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Answers with the client's files of a kind.
fn list(kind: Kind) -> MethodRouter<App> {
    get(move |app, client, uri| objects::list(app, client, uri, kind))
}

/// Answers with one of the client's files of a kind, or removes it.
fn one(kind: Kind) -> MethodRouter<App> {
    get(move |app, client, name| objects::one(app, client, name, kind))
        .delete(move |app, client, name| objects::remove(app, client, name, kind))
}

/// Builds the table of routes; with `page`, those of the page as well.
pub(crate) fn router(app: App, page: bool) -> Router {
    with_page(Router::new(), page)
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/metrics", get(metrics::show))
        .route("/v1/openapi.json", get(openapi))
        .route("/v1/tables", get(objects::tables))
        .route("/v1/uploads", post(uploads::start))
        .route(
            "/v1/uploads/{id}",
            head(uploads::offset).patch(uploads::append).delete(uploads::remove),
        )
        .route("/v1/uploads/{id}/complete", post(uploads::complete))
        .route("/v1/keys", list(Kind::EvaluationKey))
        .route("/v1/keys/{sha256}", one(Kind::EvaluationKey))
        .route("/v1/public-keys", get(objects::public_keys))
        .route("/v1/public-keys/{sha256}", one(Kind::PublicKey))
        .route("/v1/public-keys/{sha256}/file", get(objects::public_key_file))
        .route("/v1/ciphertexts", list(Kind::Ciphertext))
        .route("/v1/ciphertexts/{sha256}", one(Kind::Ciphertext))
        .route("/v1/jobs", get(jobs::list).post(jobs::order))
        .route("/v1/jobs/{id}", get(jobs::show).delete(jobs::remove))
        .route("/v1/jobs/{id}/results/{place}", get(jobs::result))
        .fallback(|| async { Problem::not_found("address") })
        .method_not_allowed_fallback(|| async {
            Problem::new("method-not-allowed", 405, "the address does not support this method")
        })
        .layer(middleware::from_fn_with_state(app.clone(), log::record))
        .with_state(app)
}

#[cfg(feature = "page")]
fn with_page(router: Router<App>, page: bool) -> Router<App> {
    if page { page::add_to(router) } else { router }
}

/// Returns the routes unchanged: this build has no page, and [`crate::Service::open`] refuses to serve one.
#[cfg(not(feature = "page"))]
fn with_page(router: Router<App>, _: bool) -> Router<App> {
    router
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// Removes expired jobs and files, again and again.
pub(crate) async fn remove_expired(app: App) {
    loop {
        let removed = app.blocking(|app| {
            let keep = &app.limits.keep;
            app.store.remove_old_copies()?;
            app.store.remove_expired(keep, |upload| app.occupy(upload).is_err())
        });
        match removed.await {
            Ok(expired) => app.counters.expired(expired),
            // The server is ending.
            Err(crate::Error::Refused(_)) => return,
            Err(error) => tracing::error!(%error, "expired jobs and files cannot be removed"),
        }
        tokio::time::sleep(app.limits.keep.look).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_clients_are_checked_in_turn() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Store::open(folder.path()).unwrap());
        let (limits, options) = (Limits::default(), ReadOptions::default());
        let worker = Arc::new(Worker::new(store.clone(), limits, options, "").unwrap());
        let app = App::new(store, worker, limits, options);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        runtime.block_on(async {
            let first = app.turn_to_check(1).await;
            // Three more files of the same client arrived before that of the other client.
            let wait = |client| {
                let (app, order) = (app.clone(), order.clone());
                tokio::spawn(async move {
                    let _turn = app.turn_to_check(client).await;
                    order.lock().unwrap().push(client);
                })
            };
            let mut waiting: Vec<_> = (0..3).map(|_| wait(1)).collect();
            tokio::task::yield_now().await;
            waiting.push(wait(2));
            tokio::task::yield_now().await;
            drop(first);
            for task in waiting {
                task.await.unwrap();
            }
        });
        assert_eq!(*order.lock().unwrap(), [2, 1, 1, 1]);
    }
}
