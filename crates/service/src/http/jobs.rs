//! Requests for jobs and their results.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};

use super::requests::json;
use super::{App, Client, files, pages};
use crate::checks::{Ordered, check_order};
use crate::messages::{Job, Kind, Order, State as JobState};
use crate::store::{Listed, NewJob};
use crate::worker::joint::names_of_bits;
use crate::{Problem, Result};

/// Longest identifier of a request, in bytes.
const MAX_REQUEST: usize = 200;

/// Accepts a job.
pub(super) async fn order(
    State(app): State<App>,
    Client(client): Client,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let request = headers.get("idempotency-key").map(|value| value.to_str().map(str::to_owned));
    let request = request.transpose();
    let request = request.map_err(|_| Problem::bad_request("Idempotency-Key is not text"))?;
    if let Some(long) = request.as_ref().filter(|request| request.len() > MAX_REQUEST) {
        let (found, limit) = (long.len() as u64, MAX_REQUEST as u64);
        return Err(Problem::too_large("Idempotency-Key", found, limit).into());
    }
    let order: Order = json(body, app.limits.silence).await?;
    let job = app.blocking(move |app| {
        let job = accept(app, client, request.as_deref(), &order)?;
        Ok(with_progress_and_expiry(app, job))
    });
    let job = job.await?;
    Ok((StatusCode::ACCEPTED, Json(job)).into_response())
}

fn accept(app: &App, client: i64, request: Option<&str>, order: &Order) -> Result<Job> {
    let count = order.tables.len() as u64;
    if count == 0 {
        return Err(Problem::bad_request("tables is empty, but must name at least one").into());
    }
    if count > app.limits.job_tables {
        return Err(Problem::too_large("job-tables", count, app.limits.job_tables).into());
    }
    // The same request sent again refers to the same job, whatever was removed since.
    if let Some(job) = app.store.accepted_job(client, request, order)? {
        return Ok(job);
    }
    let key = app.store.object(client, Kind::EvaluationKey, &order.key)?;
    let ciphertext = app.store.object(client, Kind::Ciphertext, &order.ciphertext)?;
    let mut tables = Vec::with_capacity(order.tables.len());
    for name in &order.tables {
        let table = app.store.table(name)?;
        tables.push(table.ok_or_else(|| Problem::not_found(&format!("table as {name:?}")))?);
    }
    let of_bits = |sha256: &String| app.store.object(client, Kind::EvaluationKey, sha256);
    let bits = order.bits_key.as_ref().map(of_bits).transpose()?;
    let ordered =
        Ordered { key: &key, bits: bits.as_ref(), ciphertext: &ciphertext, tables: &tables };
    let reserved = check_order(ordered, &app.limits, app.options)?;
    let digests: Vec<String> = tables
        .into_iter()
        .flat_map(|table| match bits {
            Some(_) => names_of_bits(&table.digest, table.output_modulus).collect(),
            None => vec![table.digest],
        })
        .collect();
    let new =
        NewJob { request, order, digests: &digests, key: &key, ciphertext: &ciphertext, reserved };
    let job = app.store.add_job(client, &new, &app.limits)?;
    app.worker.wake();
    Ok(job)
}

/// Returns one page of a client's jobs.
pub(super) async fn list(
    State(app): State<App>,
    Client(client): Client,
    uri: Uri,
) -> Result<(HeaderMap, Json<Vec<Job>>)> {
    let page = pages::page(&uri)?;
    let listed = app.blocking(move |app| {
        let Listed { items, next } = app.store.jobs(client, page)?;
        let items = items.into_iter().map(|job| with_progress_and_expiry(app, job)).collect();
        Ok(Listed { items, next })
    });
    Ok(pages::answer(listed.await?, &uri, page))
}

/// Returns a job.
pub(super) async fn show(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Json<Job>> {
    let job =
        app.blocking(move |app| Ok(with_progress_and_expiry(app, app.store.job(client, &id)?)));
    Ok(Json(job.await?))
}

/// Fills in the fields of a job that the store does not hold: its expiry, and its progress while it runs.
fn with_progress_and_expiry(app: &App, mut job: Job) -> Job {
    let kept = app.limits.keep.jobs.map(|kept| kept.as_secs());
    job.expires = job.ended.zip(kept).map(|(ended, kept)| ended.saturating_add(kept));
    if job.state == JobState::Running {
        job.progress = app.worker.progress(&job.id).unwrap_or(job.progress).max(job.progress);
    }
    job
}

/// Stops a job and removes it with its results.
pub(super) async fn remove(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    app.blocking(move |app| {
        app.store.remove_job(client, &id)?;
        app.worker.cancel(&id);
        Ok(())
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the result in one table, or a range of its bytes.
pub(super) async fn result(
    State(app): State<App>,
    Client(client): Client,
    Path((id, place)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response> {
    let place: u64 = place.parse().map_err(|_| Problem::not_found("result"))?;
    let tag = format!("{id}-{place}");
    let (file, bytes) = app.blocking(move |app| app.store.result(client, &id, place)).await?;
    files::send(&app, &file, bytes, &tag, &headers).await
}
