//! `cryptable keygen`: the client's and the server's key.

use std::fmt;
use std::time::Instant;

use anyhow::Result;
use serde::Serialize;

use super::key_files::{KeyFiles, WrittenKeys};
use super::{choose_parameters, warning};
use crate::args::{Global, KeygenArgs};
use crate::mode::{AnySecretKey, Mode};
use crate::progress;
use crate::report::{self, seconds};

/// Generates both keys.
///
/// # Errors
/// If a key file exists and is not to be replaced, no parameters serve the request, or writing fails:
/// there is then no new file.
pub fn run(global: Global, args: &KeygenArgs) -> Result<()> {
    let files = KeyFiles::new(&args.secret, &args.evaluation, args.force)?;
    let parameters = choose_parameters(&args.parameters)?;
    let start = Instant::now();
    let files = files.create()?;
    let secret = AnySecretKey::generate(&parameters);
    let show = if secret.mode().is_by_value() { progress::spinner } else { progress::bar };
    let bar = show(global, "evaluation key");
    let keys = files
        .write(&secret.to_bytes(), |file| secret.write_evaluation_key(file, &progress::on(&bar)))?;
    bar.finish_and_clear();
    let (input_modulus, output_modulus) = parameters.moduli();
    let report = Report {
        mode: secret.mode(),
        parameters: parameters.name(),
        input_modulus,
        output_modulus,
        security_bits: parameters.security_bits(),
        log2_fail: parameters.log2_fail(),
        keys,
        keygen_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

#[derive(Serialize)]
struct Report {
    mode: Mode,
    parameters: String,
    input_modulus: u64,
    output_modulus: u64,
    security_bits: f64,
    log2_fail: f64,
    #[serde(flatten)]
    keys: WrittenKeys,
    keygen_s: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "keys for {} values, tables {} -> {}: {}{:.1} bits of security, failures below 2^{:.1} a value, {}",
            self.mode,
            self.input_modulus,
            self.output_modulus,
            warning(self.security_bits),
            self.security_bits,
            self.log2_fail,
            seconds(self.keygen_s)
        )?;
        write!(f, "{}", self.keys)
    }
}
