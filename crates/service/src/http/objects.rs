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

/// Returns one page of a client's files of one kind.
pub(super) async fn list(
    State(app): State<App>,
    Client(client): Client,
    uri: Uri,
    kind: Kind,
) -> Result<(HeaderMap, Json<Vec<Object>>)> {
    let page = pages::page(&uri)?;
    let listed = app.blocking(move |app| app.store.objects(client, kind, page)).await?;
    Ok(pages::answer(listed, &uri, page))
}

/// Returns the description of a client's file.
pub(super) async fn one(
    State(app): State<App>,
    Client(client): Client,
    Path(sha256): Path<String>,
    kind: Kind,
) -> Result<Json<Object>> {
    Ok(Json(app.blocking(move |app| app.store.object(client, kind, &sha256)).await?.into()))
}

/// Removes a client's file.
pub(super) async fn remove(
    State(app): State<App>,
    Client(client): Client,
    Path(sha256): Path<String>,
    kind: Kind,
) -> Result<StatusCode> {
    app.blocking(move |app| app.store.remove_object(client, kind, &sha256)).await?;
    Ok(StatusCode::NO_CONTENT)
}
