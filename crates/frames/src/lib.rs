//! Encrypted tables of everyday data: columns of integers, decimals, dates and words, with missing values.
//!
//! A [`Schema`] states by which integers each column is represented. With it, the client encrypts the columns of a file
//! into one [`Frame`]. The server runs a [`Pipeline`] of lookups, sums and [`Program`]s on the frame, and the client decrypts the
//! results in their own units.
//!
//! ```
//! use cryptable::{Engine, Parameters, SecretKey};
//! use cryptable_frames::{Frame, Mapping, Pipeline, Schema};
//! # #[cfg(feature = "client")] {
//! use cryptable_frames::{FileFormat, FileKind};
//! let schema = Schema::from_json(
//!     br#"{"columns": [{"column": "age", "type": "integer", "maximum": 15, "nulls": "validity"}]}"#,
//! )?;
//! let results = Schema::from_json(
//!     br#"{"columns": [{"column": "ticket", "type": "words", "words": ["child", "adult"]}]}"#,
//! )?;
//! // Toys have no security; `Request::for_bits(4)` plans parameters that have.
//! let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 16, 16)?);
//!
//! // The client.
//! let csv = FileFormat::from(FileKind::Csv);
//! let people = csv.read("age\n3\n\n12\n".as_bytes())?;
//! let frame = Frame::encrypt(&secret, &people, &schema)?;
//!
//! // The server: a table in the units of both columns.
//! let pipeline = Pipeline::from_toml("[[step]]\nlookup = 'age'\ninto = 'ticket'\ntable = 'ticket.csv'")?;
//! let mapping = Mapping::read("from,to,ticket\n0,5,child\n6,,adult\n".as_bytes())?;
//! let table = mapping.table(&schema.columns()[0], 16, &results.columns()[0], 16, None)?;
//! let server = secret.evaluation_key();
//! let operands = [Some(table.into())];
//! let output = pipeline.run(&server, &frame, &operands, Some(&results), Default::default())?;
//!
//! // The client again.
//! let mut file = Vec::new();
//! csv.write(&mut file, &output.decrypt(&secret, None)?)?;
//! assert_eq!(file, b"ticket\nchild\n\"\"\nadult\n");
//! # }
//! # Ok::<(), cryptable_frames::Error>(())
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "client")]
mod arrays;
#[cfg(feature = "client")]
mod client;
mod error;
#[cfg(feature = "client")]
mod files;
mod frame;
mod mapping;
pub mod npy;
mod pipeline;
mod program;
mod schema;
#[cfg(feature = "client")]
mod suggestion;
mod value;

#[cfg(feature = "client")]
pub use arrow_array::RecordBatch;
pub use error::{CellProblem, ColumnProblem, Error, PipelineProblem, Result};
#[cfg(feature = "client")]
pub use files::{Compression, FileFormat, FileKind};
pub use frame::{Frame, FrameColumn, RowGroups};
pub use mapping::Mapping;
pub use pipeline::{Operand, Pipeline, Relation, Step};
pub use program::Program;
pub use schema::{Column, ColumnSchema, ColumnType, Encoding, Nulls, Scalar, Schema, Unit};
#[cfg(feature = "client")]
pub use suggestion::{LeftOut, suggest};
pub use value::Value;
