//! The interface: HTTP, under `/v1`. `openapi.json` describes it.

mod jobs;
mod metrics;
mod objects;
mod requests;
mod server;
mod uploads;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, head, post};
use cryptable::ReadOptions;

pub(crate) use self::metrics::Counters;
pub(crate) use self::server::serve;
use crate::limits::Limits;
use crate::store::Store;
use crate::worker::Worker;
use crate::{Problem, Result};

/// The description of the interface.
pub const OPENAPI: &str = include_str!("openapi.json");

/// What all requests share.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) store: Arc<Store>,
    pub(crate) worker: Arc<Worker>,
    pub(crate) limits: Limits,
    pub(crate) options: ReadOptions,
    pub(crate) counters: Arc<Counters>,
    /// Uploads that a request writes or checks.
    busy: Arc<Mutex<HashSet<String>>>,
    /// One file is checked at a time: keys take memory.
    checking: Arc<Mutex<()>>,
}

impl App {
    pub(crate) fn new(
        store: Arc<Store>,
        worker: Arc<Worker>,
        limits: Limits,
        options: ReadOptions,
    ) -> Self {
        let (counters, busy, checking) = Default::default();
        Self { store, worker, limits, options, counters, busy, checking }
    }

    /// Runs what waits for the disk or computes where it keeps no request from being served.
    async fn blocking<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let app = self.clone();
        match tokio::task::spawn_blocking(move || call(&app)).await {
            Ok(result) => result,
            // A panic was written to the log.
            Err(_) => Err(Problem::internal().into()),
        }
    }

    /// Makes this request the only one that writes an upload.
    fn occupy(&self, upload: &str) -> Result<Busy> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        match busy.insert(upload.to_owned()) {
            true => Ok(Busy { uploads: self.busy.clone(), id: upload.to_owned() }),
            false => {
                let text = "another request writes or checks this upload; try again";
                Err(Problem {
                    kind: Problem::new("busy", axum::http::StatusCode::CONFLICT, "").kind,
                    ..Problem::conflict(text)
                }
                .into())
            }
        }
    }
}

/// An upload that a request writes or checks.
struct Busy {
    uploads: Arc<Mutex<HashSet<String>>>,
    id: String,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

/// The client that a request's token is of.
#[derive(Clone, Copy, Debug)]
struct Client(i64);

impl FromRequestParts<App> for Client {
    type Rejection = crate::Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self> {
        let unauthorized =
            |text: &str| Problem::new("unauthorized", axum::http::StatusCode::UNAUTHORIZED, text);
        let token = bearer(&parts.headers).map(str::to_owned);
        let token = token.ok_or_else(|| unauthorized("there is no Authorization: Bearer TOKEN"))?;
        let client = app.blocking(move |app| app.store.client_of(&token)).await?;
        Ok(Self(client.ok_or_else(|| unauthorized("the token is of no client"))?))
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// All routes.
pub(crate) fn router(app: App) -> Router {
    Router::new()
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
        .route("/v1/keys", get(objects::keys))
        .route("/v1/keys/{sha256}", get(objects::key).delete(objects::remove_key))
        .route("/v1/ciphertexts", get(objects::ciphertexts))
        .route("/v1/ciphertexts/{sha256}", get(objects::ciphertext))
        .route("/v1/ciphertexts/{sha256}", delete(objects::remove_ciphertext))
        .route("/v1/jobs", get(jobs::list).post(jobs::order))
        .route("/v1/jobs/{id}", get(jobs::show).delete(jobs::remove))
        .route("/v1/jobs/{id}/results/{place}", get(jobs::result))
        .fallback(|| async { Problem::not_found("address") })
        .method_not_allowed_fallback(|| async {
            let status = axum::http::StatusCode::METHOD_NOT_ALLOWED;
            Problem::new("method-not-allowed", status, "the address does not have this method")
        })
        .layer(middleware::from_fn_with_state(app.clone(), count))
        .with_state(app)
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// Counts answers by their status.
async fn count(State(app): State<App>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    app.counters.answered(response.status());
    response
}
