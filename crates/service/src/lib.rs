//! Lookup tables on encrypted data as an HTTP service: clients register evaluation keys once, send files of ciphertexts,
//! and have them looked up in tables that the operator offers.
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
//! It adds nothing to lookups: [`cryptable`] reads, checks, predicts and computes. It keeps files and an SQLite database in
//! one folder ([`Store`]), which commands of the operator open, too. Nothing here handles a secret, but tokens of clients.
#![forbid(unsafe_code)]

mod checks;
#[cfg(feature = "http-client")]
mod client;
mod error;
mod http;
mod limits;
pub mod messages;
mod problem;
mod service;
mod store;
mod worker;

#[cfg(feature = "http-client")]
pub use client::{Client, ClientError, OnProgress};
pub use error::{Error, Result};
pub use http::OPENAPI;
pub use limits::Limits;
pub use problem::{Exceeded, Problem};
pub use service::{Config, Service, Stopper};
pub use store::Store;
