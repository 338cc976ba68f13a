//! An HTTP service for lookup tables on encrypted data. Clients register evaluation keys once, send files of
//! ciphertexts, and have the values looked up in tables that the operator offers.
//!
//! ```text
//!  client                 http              store                    worker
//!    POST uploads  ───▶ announced ───▶ row, empty file
//!    PATCH parts   ───▶ streamed  ───▶ file, then its offset
//!    complete      ───▶ checked by the library's readers ──▶ object
//!    POST jobs     ───▶ checked by predictions ──▶ row: queued ──▶ running: `lookup_many`
//!    GET job       ◀─── progress                                      │
//!    GET result    ◀─── streamed  ◀── file, row: done ◀───────────────┘
//! ```
//!
//! Workers are a thread of the server, separate processes ([`Store::work`]), or both. Each holds its job by a lease in
//! the database (`store/leases.rs`). If a worker falls silent, its job goes to another one, which continues after the
//! last complete value (`store/parts.rs`).
//!
//! The crate [`cryptable`] reads, checks, predicts and computes. This crate keeps files and an SQLite database in one
//! folder (`Store`), which commands of the operator open as well. Alternatively, it keeps files in an object store
//! (`store/copies.rs`), and rows in PostgreSQL (`store/sql.rs`). The only secrets here are the tokens of clients.
#![forbid(unsafe_code)]

#[cfg(feature = "server")]
mod checks;
#[cfg(feature = "http-client")]
mod client;
#[cfg(feature = "server")]
mod clock;
#[cfg(feature = "server")]
mod error;
#[cfg(feature = "server")]
mod http;
#[cfg(any(feature = "server", feature = "http-client"))]
mod identifiers;
#[cfg(feature = "server")]
mod limits;
pub mod messages;
mod problem;
#[cfg(feature = "server")]
mod service;
#[cfg(feature = "server")]
mod store;
#[cfg(feature = "server")]
mod worker;

#[cfg(feature = "http-client")]
pub use client::{Client, ClientError, OnProgress};
#[cfg(feature = "server")]
pub use clock::Clock;
#[cfg(feature = "server")]
pub use error::{Error, Result};
#[cfg(feature = "server")]
pub use http::OPENAPI;
#[cfg(feature = "server")]
pub use limits::{Limits, Retention};
pub use problem::{Exceeded, Problem};
#[cfg(feature = "server")]
pub use service::{Config, Service, Stopper};
#[cfg(feature = "server")]
pub use store::Store;
