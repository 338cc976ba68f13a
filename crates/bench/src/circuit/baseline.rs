//! `bench cbs --baseline`: the TFHE circuit bootstrap, on the ring and with selectors of the same set.

use clap::ValueEnum;
use cryptable_leveled::comparison::{
    PrivateKeyForm, PrivateSwitchingKey, SeededPrivateSwitchingKey, TfheCircuitBootstrapping,
    TfheParameters,
};

use super::*;
use crate::measurement::timed;
use crate::memory;

/// Private key switching of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Baseline {
    /// Digits multiply rows.
    Tfhe,
    /// All multiples of rows are stored.
    TfhePrecomputed,
}

impl Baseline {
    fn form(self) -> PrivateKeyForm {
        match self {
            Self::Tfhe => PrivateKeyForm::Products,
            Self::TfhePrecomputed => PrivateKeyForm::Precomputed,
        }
    }
}

/// Times and checks as `bench cbs`: bytes of keys are of those that the baseline uses.
pub fn run(
    baseline: Baseline,
    arguments: &CbsArguments,
    threads: usize,
    json: bool,
) -> anyhow::Result<()> {
    let parameters = Variant::Cmux.set(arguments.set)?.parameters();
    let tfhe = TfheParameters::as_deep(&parameters, baseline.form())?;
    let session = Session::new(parameters.fhew());
    let (seeded, keygen_s) = timed(|| SeededPrivateSwitchingKey::generate(&tfhe, &session.secret));
    let (private, setup_s) = timed(|| PrivateSwitchingKey::expand(&tfhe, &seeded));
    let private = private?;
    drop(seeded);
    let generation_peak = memory::peak_rss();
    memory::reset_peak();
    let circuit = TfheCircuitBootstrapping::new(&session.key, &private);

    let bits = Bits::random(&session, arguments.common.seed);
    let bootstrap = |bit: &LweCiphertext| circuit.bootstrap(bit).expect("bits of these parameters");
    let runs = arguments.common.runs.unwrap_or(15);
    let mut line =
        session.line(Batch::new(arguments.batch, runs, threads), &bits.inputs, bootstrap);
    line.contract.keygen_s += keygen_s;
    line.contract.setup_s += setup_s;
    line.contract.peak_rss_bytes = line.contract.peak_rss_bytes.max(generation_peak);

    let checked = bits.check(&session, bootstrap)?;
    let noise = tfhe.noise();
    let gadget = tfhe.private_gadget();
    let mut line = new_line(line, 1, 0);
    line.private_digits = Some((gadget.base_log2(), gadget.length()));
    line.max_depth = noise.max_depth();
    line.key_file_bytes = circuit.key_file_bytes();
    line.line.contract.eval_key_bytes = circuit.key_bytes();
    let name = match baseline {
        Baseline::Tfhe => "TFHE circuit bootstrap",
        Baseline::TfhePrecomputed => "TFHE circuit bootstrap, pre-computed",
    };
    let method = format!("{name}, set {}", arguments.set);
    let line = of_bootstrap(line, method, &noise, &parameters);
    print(line, &parameters, &checked, json)
}
