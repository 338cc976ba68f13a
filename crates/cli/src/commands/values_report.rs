//! The report of `encrypt` and `decrypt` on a file of values.

use std::borrow::Cow;
use std::path::Path;

use anyhow::Result;
use cryptable::{Engine, SecurityLevel};
use serde::Serialize;

use crate::args::Global;
use crate::atomic_file;
use crate::ciphertext_file::ciphertexts;
use crate::formats::csv::ReadNote;
use crate::formats::domain::Domain;
use crate::report::{self, Report, bytes, seconds, values};

/// The fields of the report. A modulus may have more bits than numbers of [`serde_json::Value`].
#[derive(Default, Serialize)]
pub struct ValuesReport<'a> {
    pub output: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<&'a ReadNote>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_level: Option<SecurityLevel>,
    pub values: u64,
    pub modulus: u128,
    pub signed: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub canaries: Option<Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ciphertexts: Option<u64>,
    pub output_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encrypt_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decrypt_s: Option<f64>,
}

impl<'a> ValuesReport<'a> {
    /// Creates the report of a file of this many bytes that holds this many values of a domain.
    pub fn new(output: &'a Path, output_bytes: u64, values: u64, domain: Domain) -> Self {
        let Domain { modulus, signed } = domain;
        let output = output.to_string_lossy();
        Self { output, output_bytes, values, modulus, signed, ..Self::default() }
    }

    /// Prints the report; nothing with `--quiet`.
    pub fn print(self, global: Global) -> Result<()> {
        let (name, count) = (atomic_file::name(Path::new(&*self.output)), values(self.values));
        let parts = self.ciphertexts.map_or(String::new(), |it| format!(" in {}", ciphertexts(it)));
        let time = seconds(self.encrypt_s.or(self.decrypt_s).unwrap_or_default());
        let domain = Domain { modulus: self.modulus, signed: self.signed };
        let (range, size) = (domain.range(), bytes(self.output_bytes));
        let canaries = self.canaries.as_ref().map(|canaries| format!("\n  {canaries}"));
        let canaries = canaries.unwrap_or_default();
        let text = format!("{name}: {count} {range}{parts}, {size}, {time}{canaries}");
        report::summary(global, &Report { fields: self, text })
    }
}
