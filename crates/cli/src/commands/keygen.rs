//! `cryptable keygen`: the client's and the server's key.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use super::{choose_parameters, warning};
use crate::args::{Global, KeygenArgs};
use crate::atomic_file::{Access, AtomicFile};
use crate::mode::{AnySecretKey, Mode};
use crate::progress;
use crate::report::{self, bytes, seconds};

/// Generates both keys.
///
/// # Errors
/// If a key file exists and is not to be replaced, no parameters serve the request, or writing fails:
/// there is then no new file.
pub fn run(global: Global, args: &KeygenArgs) -> Result<()> {
    ensure!(
        args.secret != args.evaluation,
        "the secret key and the evaluation key cannot both be {}",
        args.secret.display()
    );
    for path in [&args.secret, &args.evaluation] {
        refuse_existing(path, args.force)?;
    }
    let parameters = choose_parameters(&args.parameters)?;
    let start = Instant::now();
    let mut secret_file = AtomicFile::create(&args.secret, Access::Private)?;
    let mut evaluation_file = AtomicFile::create(&args.evaluation, Access::Public)?;
    let secret = AnySecretKey::generate(&parameters);
    secret_file.write_all(&secret.to_bytes())?;
    let show = if secret.mode().is_by_value() { progress::spinner } else { progress::bar };
    let bar = show(global, "evaluation key");
    secret
        .write_evaluation_key(&mut evaluation_file, &progress::on(&bar))
        .with_context(|| format!("generating {}", args.evaluation.display()))?;
    bar.finish_and_clear();
    // The large file first: if the disk is full, the secret key's file is not there yet.
    let evaluation_bytes = evaluation_file.commit(args.force)?;
    let secret_bytes = secret_file.commit(args.force).inspect_err(|_| {
        // Without its secret key, the evaluation key is of no use.
        let _ = std::fs::remove_file(&args.evaluation);
    })?;
    let (input_modulus, output_modulus) = parameters.moduli();
    let report = Report {
        mode: secret.mode(),
        parameters: parameters.name().to_owned(),
        input_modulus,
        output_modulus,
        security_bits: parameters.security_bits(),
        log2_fail: parameters.log2_fail(),
        secret: args.secret.clone(),
        secret_bytes,
        evaluation: args.evaluation.clone(),
        evaluation_bytes,
        keygen_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

/// Demands that a key file does not exist, unless it is to be replaced.
///
/// # Errors
/// If it does.
pub(super) fn refuse_existing(path: &Path, force: bool) -> Result<()> {
    if !force && path.symlink_metadata().is_ok() {
        bail!("{} exists; --force replaces it, and what it encrypted is lost", path.display());
    }
    Ok(())
}

#[derive(Serialize)]
struct Report {
    mode: Mode,
    parameters: String,
    input_modulus: u64,
    output_modulus: u64,
    security_bits: f64,
    log2_fail: f64,
    secret: PathBuf,
    secret_bytes: u64,
    evaluation: PathBuf,
    evaluation_bytes: u64,
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
        let (secret, evaluation) = (self.secret.display(), self.evaluation.display());
        writeln!(f, "  {secret}: secret key, {}; keep it", bytes(self.secret_bytes))?;
        writeln!(f, "  {evaluation}: evaluation key, {}", bytes(self.evaluation_bytes))
    }
}
