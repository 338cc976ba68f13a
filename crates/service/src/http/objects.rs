//! Tables, keys and files of ciphertexts.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::{App, Client};
use crate::Result;
use crate::messages::{Kind, Object, TableInfo};

/// All tables.
pub(super) async fn tables(State(app): State<App>, _: Client) -> Result<Json<Vec<TableInfo>>> {
    Ok(Json(app.blocking(|app| app.store.tables()).await?))
}

/// All keys of a client.
pub(super) async fn keys(app: State<App>, client: Client) -> Result<Json<Vec<Object>>> {
    all(app, client, Kind::EvaluationKey).await
}

/// All files of ciphertexts of a client.
pub(super) async fn ciphertexts(app: State<App>, client: Client) -> Result<Json<Vec<Object>>> {
    all(app, client, Kind::Ciphertext).await
}

/// A key.
pub(super) async fn key(
    app: State<App>,
    client: Client,
    name: Path<String>,
) -> Result<Json<Object>> {
    one(app, client, name, Kind::EvaluationKey).await
}

/// A file of ciphertexts.
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

/// Removes a file of ciphertexts.
pub(super) async fn remove_ciphertext(
    app: State<App>,
    client: Client,
    name: Path<String>,
) -> Result<StatusCode> {
    remove(app, client, name, Kind::Ciphertext).await
}

async fn all(
    State(app): State<App>,
    Client(client): Client,
    kind: Kind,
) -> Result<Json<Vec<Object>>> {
    let found = app.blocking(move |app| app.store.objects(client, kind)).await?;
    Ok(Json(found.into_iter().map(Object::from).collect()))
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
