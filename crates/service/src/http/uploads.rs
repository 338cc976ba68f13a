//! Uploads: files that arrive in parts and can be resumed.

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
use crate::messages::{Announcement, Kind, Object, Upload};
use crate::store::StoredUpload;
use crate::{Problem, Result};

/// Names of the headers that state where a part begins, and the length of the whole file.
const OFFSET: &str = "upload-offset";
const LENGTH: &str = "upload-length";

/// Bytes that are written before they are synchronised to the disk.
const SYNC_BYTES: u64 = 32 << 20;

/// Announces a file. Returns its upload, or the information that the server already has the file.
pub(super) async fn start(
    State(app): State<App>,
    Client(client): Client,
    body: Body,
) -> Result<Response> {
    let announced: Announcement = json(body, app.limits.silence).await?;
    let found = app.blocking(move |app| {
        let Announcement { kind, length, ref sha256, .. } = announced;
        let recipient = recipient(app, client, &announced)?;
        let found = app.store.find_object(client, kind, sha256)?;
        // A contribution of another client is not a file of this client's own.
        if found.is_some_and(|found| found.is_own) {
            if let Some(recipient) = recipient {
                app.store.contribute(client, sha256, recipient)?;
            }
            return Ok(Upload { id: None, offset: length, length, complete: true });
        }
        let found = app.store.start_upload(client, &announced, recipient, &app.limits)?;
        Ok(Upload { id: Some(found.id), offset: found.offset, length, complete: false })
    });
    let found = found.await?;
    let status = if found.complete { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(found)).into_response())
}

/// Returns the other client named by an announcement, if any.
fn recipient(app: &App, client: i64, announced: &Announcement) -> Result<Option<i64>> {
    let Some(name) = &announced.recipient else { return Ok(None) };
    if announced.kind != Kind::Ciphertext {
        let text =
            format!("recipient is for files of ciphertexts, not for a {}", announced.kind.noun());
        return Err(Problem::bad_request(text).into());
    }
    let recipient = app.store.recipient(name)?;
    Ok((recipient != client).then_some(recipient))
}

/// Returns the number of bytes of an upload that the server has.
pub(super) async fn offset(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response> {
    let upload = app.blocking(move |app| app.store.upload(client, &id)).await?;
    let headers = [(OFFSET, upload.offset.to_string()), (LENGTH, upload.length.to_string())];
    Ok((headers, StatusCode::OK).into_response())
}

/// Appends a part. Bytes that have arrived are kept, however the request ends.
pub(super) async fn append(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let begin = number(&headers, OFFSET)?;
    let begin = begin.ok_or_else(|| Problem::bad_request("the header Upload-Offset is missing"))?;
    // Checked first, so that only its client learns that the upload exists.
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
    // A client that disconnects ends the body, but not the processing of what arrived.
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

/// Writes the parts of an upload to its file.
struct Receiver {
    app: App,
    upload: StoredUpload,
    file: File,
    /// Length of the file so far, in bytes.
    written: u64,
    /// Bytes that were synchronised to the disk.
    kept: u64,
    _busy: Busy,
}

impl Receiver {
    async fn open(app: App, upload: StoredUpload, busy: Busy) -> Result<Self> {
        let mut file = OpenOptions::new().write(true).open(app.store.file(&upload.id)).await?;
        // Bytes after the offset were never confirmed.
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
                // The error may be about bytes that were accepted earlier.
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

    /// Synchronises the file to the disk, then records its length in the database. If synchronising fails, the bytes
    /// count as not received, since the system reports such an error only once.
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

/// Checks a complete file and makes it available under its digest. A file that is refused is removed.
pub(super) async fn complete(
    State(app): State<App>,
    Client(client): Client,
    Path(id): Path<String>,
) -> Result<Response> {
    let named = id.clone();
    app.blocking(move |app| app.store.upload(client, &named)).await?;
    let busy = app.occupy(&id)?;
    // The task continues if the client does not wait.
    let task = tokio::spawn(async move {
        let _busy = busy;
        // Waits here, without blocking a thread.
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
    let checked = check_file(&path, upload.kind, &upload.sha256, app.options);
    let checked = checked.and_then(|checked| {
        upload.recipient.map_or(Ok(()), |it| app.store.check_recipient(it, &checked.0))?;
        Ok(checked)
    });
    match checked {
        Ok((about, parameters)) => {
            Ok(app.store.finish_upload(&upload, &about, &parameters)?.into())
        }
        Err(error) => {
            let problem = error.problem();
            // A failing disk says nothing about the file.
            if problem.status < 500 {
                app.store.remove_upload(id)?;
            }
            Err(problem.into())
        }
    }
}

/// Abandons an upload.
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
