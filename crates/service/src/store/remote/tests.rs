//! Tests of files in an object store that speaks the S3 protocol: a small one in this process, which checks that
//! requests are signed.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use object_store::aws::AmazonS3Builder;

use super::*;

/// Objects, and parts of uploads, by path.
type Bucket = Arc<Mutex<HashMap<String, Bytes>>>;

async fn answer(
    State(bucket): State<Bucket>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let signature = headers.get("authorization").and_then(|it| it.to_str().ok()).unwrap_or("");
    if !signature.starts_with("AWS4-HMAC-SHA256 Credential=name/") {
        return StatusCode::FORBIDDEN.into_response();
    }
    let path = uri.path().to_owned();
    let query = uri.query().unwrap_or("");
    let number = query.split('&').find_map(|pair| pair.strip_prefix("partNumber="));
    let tag = [("etag", "\"tag\"")];
    let mut bucket = bucket.lock().unwrap_or_else(PoisonError::into_inner);
    match (method.as_str(), number) {
        ("PUT", Some(number)) => {
            bucket.insert(format!("{path}?{number:0>5}"), body);
            tag.into_response()
        }
        ("PUT", None) => {
            bucket.insert(path, body);
            tag.into_response()
        }
        ("POST", _) if query.starts_with("uploads") => {
            "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>"
                .into_response()
        }
        ("POST", _) if query.starts_with("delete") => {
            let text = String::from_utf8_lossy(&body);
            let key = text.split_once("<Key>").and_then(|(_, rest)| rest.split_once("</Key>"));
            let key = key.map_or("", |(key, _)| key);
            bucket.remove(&format!("{}/{key}", path.trim_end_matches('/')));
            format!("<DeleteResult><Deleted><Key>{key}</Key></Deleted></DeleteResult>")
                .into_response()
        }
        ("POST", _) => {
            let is_part = |key: &String| key.starts_with(&format!("{path}?"));
            let mut parts: Vec<String> =
                bucket.keys().filter(|key| is_part(key)).cloned().collect();
            parts.sort();
            let whole: Vec<u8> = parts.iter().flat_map(|key| bucket[key].to_vec()).collect();
            parts.iter().for_each(|key| drop(bucket.remove(key)));
            bucket.insert(path, whole.into());
            "<CompleteMultipartUploadResult><ETag>tag</ETag></CompleteMultipartUploadResult>"
                .into_response()
        }
        ("GET", _) => match bucket.get(&path) {
            Some(found) => {
                let modified = [("last-modified", "Sat, 28 Nov 2026 00:00:00 GMT")];
                (tag, modified, found.clone()).into_response()
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

#[test]
fn files_come_back_from_s3_whole() {
    let bucket = Bucket::default();
    let routes = Router::new().fallback(answer).layer(DefaultBodyLimit::disable());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    listener.set_nonblocking(true).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let served = routes.with_state(bucket.clone());
    runtime.spawn(async move {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let service = hyper_util::service::TowerToHyperService::new(served.clone());
            let stream = hyper_util::rt::TokioIo::new(stream);
            tokio::spawn(
                hyper::server::conn::http1::Builder::new().serve_connection(stream, service),
            );
        }
    });
    let builder = AmazonS3Builder::new().with_bucket_name("bucket").with_endpoint(url);
    let builder = builder.with_allow_http(true).with_region("here");
    let builder = builder.with_access_key_id("name").with_secret_access_key("secret");
    let remote = Remote::of(signed::open_by(builder).unwrap(), Location::from("prefix")).unwrap();
    let names = || {
        let mut names: Vec<String> = bucket.lock().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    go_there_and_back(&remote, || {
        assert_eq!(names(), ["/bucket/prefix/large", "/bucket/prefix/small"]);
    });
    assert_eq!(names(), ["/bucket/prefix/small"]);
}

/// Uploads two files to a store, downloads them, and removes one. `check` is called while both exist.
fn go_there_and_back(remote: &Remote, check: impl FnOnce()) {
    let folder = tempfile::tempdir().unwrap();
    // The second file is uploaded in parts.
    for (name, length) in [("small", 1000), ("large", 25 << 20)] {
        let bytes: Vec<u8> = (0..length).map(|place: u32| (place * 7 % 251) as u8).collect();
        let path = folder.path().join("original");
        std::fs::write(&path, &bytes).unwrap();
        remote.put(name, &path).unwrap();
        let copy = remote.get(name, folder.path()).unwrap();
        assert!(copy == folder.path().join(name) && std::fs::read(copy).unwrap() == bytes);
    }
    check();
    remote.remove("large").unwrap();
    remote.remove("large").unwrap();
    let error = remote.get("large", folder.path()).unwrap_err();
    assert!(matches!(error, Error::Io(error) if error.kind() == io::ErrorKind::NotFound));
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 3, "what was not fetched leaves nothing");
}

/// Uses the third-party server that `make s3-tests` starts, which checks every signature.
#[test]
fn a_known_server_takes_files_and_gives_them_back() {
    let Ok(url) = std::env::var("CRYPTABLE_TEST_S3") else {
        // Written directly to the terminal, since the harness hides the output of tests that pass.
        let _ = writeln!(
            io::stderr(),
            "NOT tested with a known server of S3: `make s3-tests` starts one"
        );
        return;
    };
    go_there_and_back(&Remote::open(&url).unwrap(), || {});
}

#[test]
fn what_is_no_object_store_is_refused() {
    for url in ["bucket", "ftp://bucket/x", "s3://"] {
        let error = Remote::open(url).unwrap_err().to_string();
        assert!(error.contains("not an object store") && error.contains("s3://BUCKET"), "{error}");
    }
}
