//! Requests for tables, keys and files of ciphertexts.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;

use super::{App, Client, files, pages};
use crate::Result;
use crate::messages::{Kind, Object, PublishedKey, TableInfo};

/// Returns all tables.
pub(super) async fn tables(State(app): State<App>, _: Client) -> Result<Json<Vec<TableInfo>>> {
    Ok(Json(app.blocking(|app| app.store.tables()).await?))
}

/// One page of a client's keys or files.
type Objects = (HeaderMap, Json<Vec<Object>>);

/// Returns one page of a client's keys.
pub(super) async fn keys(app: State<App>, client: Client, uri: Uri) -> Result<Objects> {
    list(app, client, uri, Kind::EvaluationKey).await
}

/// Returns one page of a client's files of ciphertexts.
pub(super) async fn ciphertexts(app: State<App>, client: Client, uri: Uri) -> Result<Objects> {
    list(app, client, uri, Kind::Ciphertext).await
}

/// Returns the description of a key.
pub(super) async fn key(
    app: State<App>,
    client: Client,
    name: Path<String>,
) -> Result<Json<Object>> {
    one(app, client, name, Kind::EvaluationKey).await
}

/// Returns the description of a file of ciphertexts.
pub(super) async fn ciphertext(
    app: State<App>,
    client: Client,
    name: Path<String>,
) -> Result<Json<Object>> {
    one(app, client, name, Kind::Ciphertext).await
}

/// Removes a key.
pub(super) async fn remove_key(
    app: State<App>,
    client: Client,
    name: Path<String>,
) -> Result<StatusCode> {
    remove(app, client, name, Kind::EvaluationKey).await
}

/// Returns one page of the public keys of all clients.
pub(super) async fn public_keys(
    State(app): State<App>,
    Client(client): Client,
    uri: Uri,
) -> Result<(HeaderMap, Json<Vec<PublishedKey>>)> {
    let page = pages::page(&uri)?;
    let listed = app.blocking(move |app| app.store.public_keys(client, page)).await?;
    Ok(pages::answer(listed, &uri, page))
}

/// Returns the file of a public key, whoever publishes it.
pub(super) async fn public_key_file(
    State(app): State<App>,
    _: Client,
    Path(sha256): Path<String>,
    headers: HeaderMap,
) -> Result<Response> {
    let tag = sha256.clone();
    let (file, bytes) = app.blocking(move |app| app.store.public_key(&sha256)).await?;
    files::send(&app, &file, bytes, &tag, &headers).await
}

/// Returns the description of a public key of the client's own.
pub(super) async fn public_key(
    app: State<App>,
    client: Client,
    name: Path<String>,
) -> Result<Json<Object>> {
    one(app, client, name, Kind::PublicKey).await
}

/// Removes a public key of the client's own.
pub(super) async fn remove_public_key(
    app: State<App>,
    client: Client,
    name: Path<String>,
) -> Result<StatusCode> {
    remove(app, client, name, Kind::PublicKey).await
}

/// Removes a file of ciphertexts.
pub(super) async fn remove_ciphertext(
    app: State<App>,
    client: Client,
    name: Path<String>,
) -> Result<StatusCode> {
    remove(app, client, name, Kind::Ciphertext).await
}

async fn list(
    State(app): State<App>,
    Client(client): Client,
    uri: Uri,
    kind: Kind,
) -> Result<Objects> {
    let page = pages::page(&uri)?;
    let listed = app.blocking(move |app| app.store.objects(client, kind, page)).await?;
    Ok(pages::answer(listed, &uri, page))
}

async fn one(
    State(app): State<App>,
    Client(client): Client,
    Path(sha256): Path<String>,
    kind: Kind,
) -> Result<Json<Object>> {
    Ok(Json(app.blocking(move |app| app.store.object(client, kind, &sha256)).await?.into()))
}

async fn remove(
    State(app): State<App>,
    Client(client): Client,
    Path(sha256): Path<String>,
    kind: Kind,
) -> Result<StatusCode> {
    app.blocking(move |app| app.store.remove_object(client, kind, &sha256)).await?;
    Ok(StatusCode::NO_CONTENT)
}
