//! Reading of request bodies and headers.

use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;

use crate::{Problem, Result};

/// Longest JSON body, in bytes.
const MAX_JSON: usize = 1 << 16;

/// Reads and parses a short JSON body, which must arrive within `silence`.
pub(super) async fn json<T: DeserializeOwned>(body: Body, silence: Duration) -> Result<T> {
    let (mut stream, mut bytes) = (body.into_data_stream(), Vec::new());
    let reading = async {
        while let Some(chunk) = stream.next().await {
            bytes.extend_from_slice(&chunk.map_err(|_| truncated())?);
            if bytes.len() > MAX_JSON {
                let (found, limit) = (bytes.len() as u64, MAX_JSON as u64);
                return Err(Problem::too_large("body", found, limit));
            }
        }
        Ok(())
    };
    tokio::time::timeout(silence, reading).await.map_err(|_| slow(silence))??;
    let parsed = serde_json::from_slice(&bytes);
    Ok(parsed.map_err(|error| Problem::bad_request(format!("the body is wrong: {error}")))?)
}

/// Returns the problem of a body that is shorter than announced.
pub(super) fn truncated() -> Problem {
    Problem::new("truncated", 400, "the body ended before its length")
}

/// Returns the problem of a body that did not arrive in time.
pub(super) fn slow(limit: Duration) -> Problem {
    let text = format!("the body did not arrive within {} s", limit.as_secs_f64());
    Problem::new("slow", 408, text)
}

/// Parses a number in a header; `None` if there is no such header.
pub(super) fn number(headers: &HeaderMap, name: &str) -> Result<Option<u64>> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.parse().ok());
    match number {
        Some(number) => Ok(Some(number)),
        None => Err(Problem::bad_request(format!("{name} is not a number")).into()),
    }
}

/// Parses the requested range `first..end` of `length` bytes; `None` if there is no such header.
pub(super) fn range(headers: &HeaderMap, length: u64) -> Result<Option<(u64, u64)>> {
    let Some(value) = headers.get(axum::http::header::RANGE) else { return Ok(None) };
    let unsatisfiable = || {
        let text = format!("ranges are bytes=FIRST-LAST within {length} bytes");
        Problem::new("range", 416, text)
    };
    let text = value.to_str().ok().and_then(|text| text.strip_prefix("bytes="));
    let (first, last) = text.and_then(|text| text.split_once('-')).ok_or_else(unsatisfiable)?;
    let parse = |text: &str| text.parse::<u64>().map_err(|_| unsatisfiable());
    let (first, end) = match (first, last) {
        ("", count) => (length.saturating_sub(parse(count)?), length),
        (first, "") => (parse(first)?, length),
        (first, last) => (parse(first)?, parse(last)?.saturating_add(1).min(length)),
    };
    if first >= end {
        return Err(unsatisfiable().into());
    }
    Ok(Some((first, end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_http() {
        let parsed = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("range", text.parse().unwrap());
            range(&headers, 10).ok().flatten()
        };
        assert_eq!(parsed("bytes=0-3"), Some((0, 4)));
        assert_eq!(parsed("bytes=4-"), Some((4, 10)));
        assert_eq!(parsed("bytes=-2"), Some((8, 10)));
        assert_eq!(parsed("bytes=8-100"), Some((8, 10)));
        for wrong in ["bytes=10-", "bytes=3-2", "items=1-2", "bytes=a-", "bytes=-0"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
        assert_eq!(range(&HeaderMap::new(), 10).unwrap(), None);
    }
}
