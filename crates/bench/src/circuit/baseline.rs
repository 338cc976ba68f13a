//! `bench cbs --baseline`: the TFHE circuit bootstrap, on the ring and with selectors of the same set.

use clap::ValueEnum;
use cryptable_circuit::private_key_switching::{PrivateSwitchingKey, SeededPrivateSwitchingKey};
use cryptable_circuit::tfhe_circuit_bootstrapping::TfheCircuitBootstrapping;
use cryptable_circuit::tfhe_parameters::{PrivateKeyForm, TfheParameters};

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
    let parameters = CircuitParameters::set(arguments.set)?;
    let tfhe = TfheParameters::as_deep(&parameters, baseline.form())?;
    let session = Session::new(parameters.parameters());
    let (seeded, keygen_s) = timed(|| SeededPrivateSwitchingKey::generate(&tfhe, &session.secret));
    let (private, setup_s) = timed(|| PrivateSwitchingKey::expand(&tfhe, &seeded));
    let private = private?;
    drop(seeded);
    let generation_peak = memory::peak_rss();
    memory::reset_peak();
    let circuit = TfheCircuitBootstrapping::new(&session.key, &private);

    let mut rng = ChaCha20Rng::seed_from_u64(arguments.common.seed);
    let bits: Vec<bool> = (0..100).map(|_| rng.random()).collect();
    let inputs: Vec<LweCiphertext> =
        bits.iter().map(|&bit| encrypt_bit(&session.secret, bit)).collect();
    let bootstrap = |bit: &LweCiphertext| circuit.bootstrap(bit).expect("bits of these parameters");
    let runs = arguments.common.runs.unwrap_or(15);
    let mut line = session.line(Batch::new(arguments.batch, runs, threads), &inputs, bootstrap);
    line.keygen_s += keygen_s;
    line.setup_s += setup_s;
    line.peak_rss_bytes = line.peak_rss_bytes.max(generation_peak);

    let tree = CmuxTree::new(&parameters, &[0, 1], 1)?;
    let check = |(&bit, input): (&bool, &LweCiphertext)| -> anyhow::Result<(bool, f64)> {
        let result = tree.lookup(&[bootstrap(input)])?.remove(0);
        let wrong = decrypt_bit(&session.secret, &result)? != bit;
        Ok((wrong, bit_error(&session.secret, &result, bit)?.powi(2)))
    };
    let results = bits.par_iter().zip(&inputs).map(check).collect::<anyhow::Result<Vec<_>>>()?;
    let checked = Checked {
        wrong: results.iter().filter(|result| result.0).count(),
        values: results.len(),
        mean_square: results.iter().map(|result| result.1).sum::<f64>() / results.len() as f64,
    };
    let noise = tfhe.noise();
    let gadget = tfhe.private_gadget();
    let mut line = new_line(line, 1, 0);
    line.private_digits = Some((gadget.base_log2(), gadget.length()));
    line.max_depth = noise.max_depth();
    line.key_file_bytes = circuit.key_file_bytes();
    line.line.eval_key_bytes = circuit.key_bytes();
    let name = match baseline {
        Baseline::Tfhe => "TFHE circuit bootstrap",
        Baseline::TfhePrecomputed => "TFHE circuit bootstrap, pre-computed",
    };
    line.line.method = format!("{name}, set {}", arguments.set);
    line.line.predicted_noise_std_log2 = (noise.cmux(0.5).standard_deviation() * 4.0).log2();
    line.line.log2_fail = noise.log2_fail(parameters.input_variance());
    line.line.table = "bit".to_owned();
    (line.line.bits_in, line.line.bits_out, line.line.modulus_in) = (1.0, 1.0, 2);
    line.line.rotations = 1;
    print(line, &parameters, &checked, json)
}
