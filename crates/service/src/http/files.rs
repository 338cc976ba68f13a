//! Answers whose body is a file of the folder, or a range of its bytes.

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio_util::io::ReaderStream;

use super::App;
use super::requests::range;
use crate::{Problem, Result};

/// Bytes of a file that are read at a time.
const READ_BYTES: usize = 1 << 18;

/// Sends a file of `bytes` bytes, or the range that the request asks for; `tag` names its content.
pub(super) async fn send(
    app: &App,
    file: &str,
    bytes: u64,
    tag: &str,
    headers: &HeaderMap,
) -> Result<Response> {
    let asked = range(headers, bytes)?;
    let (first, end) = asked.unwrap_or((0, bytes));
    let name = file.to_owned();
    let path = app.blocking(move |app| app.store.fetch(&name)).await?;
    let mut file = File::open(path).await?;
    file.seek(std::io::SeekFrom::Start(first)).await?;
    let stream = ReaderStream::with_capacity(file.take(end - first), READ_BYTES);
    app.counters.sent(end - first);
    let status = if asked.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "application/octet-stream")
        .header(header::CONTENT_LENGTH, end - first)
        .header(header::ACCEPT_RANGES, "bytes")
        .header(header::ETAG, format!("\"{tag}\""));
    if asked.is_some() {
        let last = end - 1;
        response = response.header(header::CONTENT_RANGE, format!("bytes {first}-{last}/{bytes}"));
    }
    let response = response.body(Body::from_stream(stream));
    Ok(response.map_err(|_| Problem::internal())?)
}
