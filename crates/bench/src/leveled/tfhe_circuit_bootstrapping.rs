//! `bench cbs --baseline`: the TFHE circuit bootstrap, on the ring and with selectors of the same set; in levels of its
//! own, `tfhe_three_levels.rs`.

use clap::ValueEnum;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_leveled::parameters::CircuitBootstrappingParameters;
use cryptable_papers::tfhe_baseline::three_levels::ThreeLevelParameters;
use cryptable_papers::tfhe_baseline::{
    PrivateKeyForm, PrivateSwitchingKey, SeededPrivateSwitchingKey, TfheCircuitBootstrapping,
    TfheParameters,
};

use super::bits::Bits;
use super::line::CircuitLine;
use crate::measurement::timed;
use crate::memory;
use crate::single::{Batch, Session};

/// Private key switching of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Baseline {
    /// Digits multiply rows.
    Tfhe,
    /// All multiples of rows are stored.
    TfhePrecomputed,
    /// In TFHEpp's three levels, below 128 bits of security: takes --paper-set. Digits multiply rows.
    TfheThreeLevels,
    /// The same, all multiples of rows stored.
    TfheThreeLevelsPrecomputed,
}

impl Baseline {
    fn form(self) -> PrivateKeyForm {
        match self {
            Self::Tfhe | Self::TfheThreeLevels => PrivateKeyForm::Products,
            Self::TfhePrecomputed | Self::TfheThreeLevelsPrecomputed => PrivateKeyForm::Precomputed,
        }
    }

    /// TFHEpp's set, of the baselines that have it.
    pub fn three_levels(self) -> Option<ThreeLevelParameters> {
        match self {
            Self::Tfhe | Self::TfhePrecomputed => None,
            Self::TfheThreeLevels | Self::TfheThreeLevelsPrecomputed => {
                Some(ThreeLevelParameters::insecure_tfhepp(self.form()))
            }
        }
    }

    /// What lines call it on the ring of a set.
    pub fn name(self) -> &'static str {
        match self.form() {
            PrivateKeyForm::Products => "TFHE circuit bootstrap",
            PrivateKeyForm::Precomputed => "TFHE circuit bootstrap, pre-computed",
        }
    }
}

/// Times and checks as `bench cbs`: bytes of keys are of those that the baseline uses.
///
/// # Errors
/// If there is no private key switching for the depth of these parameters.
pub fn measure(
    baseline: Baseline,
    parameters: &CircuitBootstrappingParameters,
    batch: Batch,
    seed: u64,
) -> anyhow::Result<CircuitLine> {
    let tfhe = TfheParameters::as_deep(parameters, baseline.form())?;
    let session = Session::new(parameters.fhew());
    let (seeded, keygen_s) = timed(|| SeededPrivateSwitchingKey::generate(&tfhe, &session.secret));
    let (private, setup_s) = timed(|| PrivateSwitchingKey::expand(&tfhe, &seeded));
    let private = private?;
    drop(seeded);
    let generation_peak = memory::peak_rss();
    memory::reset_peak();
    let circuit = TfheCircuitBootstrapping::new(&session.key, &private);

    let bits = Bits::random(&session, seed);
    let bootstrap = |bit: &LweCiphertext| circuit.bootstrap(bit).expect("bits of these parameters");
    let noise = tfhe.noise();
    let line = bits.measure(&session, batch, (parameters, &noise), bootstrap)?;
    let mut line = CircuitLine::new(line, (1, 0), parameters);
    let contract = &mut line.line.contract;
    contract.keygen_s += keygen_s;
    contract.setup_s += setup_s;
    contract.peak_rss_bytes = contract.peak_rss_bytes.max(generation_peak);
    contract.eval_key_bytes = circuit.key_bytes();
    // Transforms of the baseline are not counted.
    line.line.count_transforms(0.0);
    let gadget = tfhe.private_gadget();
    line.private_digits = Some((gadget.base_log2(), gadget.length()));
    line.max_depth = noise.max_depth();
    line.key_file_bytes = circuit.key_file_bytes();
    Ok(line)
}
