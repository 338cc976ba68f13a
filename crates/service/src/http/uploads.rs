//! Files that arrive in parts, which may be interrupted and go on.

use std::time::Instant;

use axum::Json;
use axum::body::{Body, BodyDataStream};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncSeekExt, AsyncWriteExt};

use super::requests::{json, number, slow, truncated};
use super::{App, Busy, Client};
use crate::checks::check_file;
use crate::messages::{Announcement, Object, Upload};
use crate::store::StoredUpload;
use crate::{Problem, Result};

/// The header that says where a part begins, and how far an upload is.
const OFFSET: &str = "upload-offset";
const LENGTH: &str = "upload-length";

/// How much is written before it is put on the disk for sure.
const SYNC_BYTES: u64 = 32 << 20;

/// Announces a file; finds it, or the upload of it, if it is known.
pub(super) async fn start(
    State(app): State<App>,
    Client(client): Client,
    body: Body,
) -> Result<Response> {
    let announced: Announcement = json(body, app.limits.silence).await?;
    let found = app.blocking(move |app| {
        let Announcement { kind, length, ref sha256 } = announced;
        if app.store.find_object(client, kind, sha256)?.is_some() {
            return Ok(Upload { id: None, offset: length, length, complete: true });
        }
        let found = app.store.start_upload(client, &announced, &app.limits)?;
        Ok(Upload { id: Some(found.id), offset: found.offset, length, complete: false })
    });
    let found = found.await?;
    let status = if found.complete { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(found)).into_response())
}

/// Says how far an upload is.
pub(super) async fn offset(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response> {
    let upload = app.blocking(move |app| app.store.upload(client, &id)).await?;
    let headers = [(OFFSET, upload.offset.to_string()), (LENGTH, upload.length.to_string())];
    Ok((headers, StatusCode::OK).into_response())
}

/// Appends a part. What arrived stays, however the request ends.
pub(super) async fn append(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let begin = number(&headers, OFFSET)?;
    let begin = begin.ok_or_else(|| Problem::bad_request("there is no header Upload-Offset"))?;
    // First of all: nobody else knows of the upload but its client.
    let named = id.clone();
    app.blocking(move |app| app.store.upload(client, &named)).await?;
    let busy = app.occupy(&id)?;
    let upload = app.blocking(move |app| app.store.upload(client, &id)).await?;
    if begin != upload.offset {
        return Err(Problem::wrong_offset(begin, upload.offset).into());
    }
    let count = number(&headers, "content-length")?;
    if let Some(count) = count {
        check_end(&upload, count)?;
    }
    // Others may have filled the disk since the upload was announced.
    app.blocking(move |app| app.store.check_disk(count.unwrap_or(0), &app.limits)).await?;
    // A client that goes away ends the body, not what is done with it.
    let task = tokio::spawn(async move {
        let mut receiver = Receiver::open(app, upload, busy).await?;
        let outcome = receiver.take(body.into_data_stream()).await;
        receiver.keep().await?;
        outcome.map(|()| receiver.written)
    });
    let offset = task.await.map_err(|_| Problem::internal())??;
    Ok((StatusCode::NO_CONTENT, [(OFFSET, offset.to_string())]).into_response())
}

fn check_end(upload: &StoredUpload, count: u64) -> Result<()> {
    let end = upload.offset.saturating_add(count);
    match end > upload.length {
        true => Err(Problem::too_large("upload-length", end, upload.length).into()),
        false => Ok(()),
    }
}

/// Writes what arrives.
struct Receiver {
    app: App,
    upload: StoredUpload,
    file: File,
    /// Bytes of the file so far.
    written: u64,
    /// Bytes that are on the disk for sure.
    kept: u64,
    _busy: Busy,
}

impl Receiver {
    async fn open(app: App, upload: StoredUpload, busy: Busy) -> Result<Self> {
        let mut file = OpenOptions::new().write(true).open(app.store.file(&upload.id)).await?;
        // What follows was not confirmed.
        file.set_len(upload.offset).await?;
        file.seek(std::io::SeekFrom::Start(upload.offset)).await?;
        let (written, kept) = (upload.offset, upload.offset);
        Ok(Self { app, upload, file, written, kept, _busy: busy })
    }

    async fn take(&mut self, mut body: BodyDataStream) -> Result<()> {
        let limits = self.app.limits;
        let start = Instant::now();
        loop {
            let left = limits.part.saturating_sub(start.elapsed());
            let (patience, limit) = match left < limits.silence {
                true => (left, limits.part),
                false => (limits.silence, limits.silence),
            };
            let next = tokio::time::timeout(patience, body.next()).await;
            let Some(chunk) = next.map_err(|_| slow(limit))? else { return Ok(()) };
            let chunk = chunk.map_err(|_| truncated())?;
            let count = chunk.len() as u64;
            if self.written + count > self.upload.length {
                let (found, limit) = (self.written + count, self.upload.length);
                return Err(Problem::too_large("upload-length", found, limit).into());
            }
            if let Err(error) = self.file.write_all(&chunk).await {
                // It may be of bytes that were taken before.
                self.written = self.kept;
                return Err(error.into());
            }
            self.written += count;
            self.app.counters.received(count);
            if self.written - self.kept >= SYNC_BYTES {
                self.keep().await?;
            }
        }
    }

    /// Puts all on the disk, and then says so in the database. What cannot be put there has not arrived: the file tells of
    /// an error once.
    async fn keep(&mut self) -> Result<()> {
        let offset = std::mem::replace(&mut self.written, self.kept);
        if offset == self.kept {
            return Ok(());
        }
        self.file.flush().await?;
        self.file.sync_data().await?;
        let id = self.upload.id.clone();
        self.app.blocking(move |app| app.store.advance_upload(&id, offset)).await?;
        (self.written, self.kept) = (offset, offset);
        Ok(())
    }
}

/// Checks a file that is whole; from then on it has its digest as name. One that is refused is removed.
pub(super) async fn complete(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response> {
    let named = id.clone();
    app.blocking(move |app| app.store.upload(client, &named)).await?;
    let busy = app.occupy(&id)?;
    // Goes on if the client does not wait.
    let task = tokio::spawn(async move {
        let _busy = busy;
        // Waits here, where it keeps no thread from others.
        let _turn = app.turn_to_check(client).await;
        app.blocking(move |app| finish(app, client, &id)).await
    });
    let object = task.await.map_err(|_| Problem::internal())??;
    Ok((StatusCode::CREATED, Json(object)).into_response())
}

fn finish(app: &App, client: i64, id: &str) -> Result<Object> {
    let upload = app.store.upload(client, id)?;
    if upload.offset < upload.length {
        let (there, all) = (upload.offset, upload.length);
        let problem = Problem::conflict(format!("{there} of {all} bytes are there"));
        return Err(Problem { offset: Some(there), ..problem }.into());
    }
    let path = app.store.file(id);
    match check_file(&path, (upload.kind, &upload.sha256), app.options) {
        Ok((about, parameters)) => {
            Ok(app.store.finish_upload(&upload, &about, &parameters)?.into())
        }
        Err(error) => {
            let problem = error.problem();
            // A disk that fails says nothing of the file.
            if problem.status < 500 {
                app.store.remove_upload(id)?;
            }
            Err(problem.into())
        }
    }
}

/// Gives an upload up.
pub(super) async fn remove(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    app.blocking(move |app| {
        let id = app.store.upload(client, &id)?.id;
        let _busy = app.occupy(&id)?;
        app.store.remove_upload(&id)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}
