//! The line that benchmarks of circuit bootstrapping print.

use clap::Args;
use cryptable_fhew::keys::evaluation_key_bytes;
use cryptable_leveled::cost::CircuitBootstrappingCost;
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::CircuitBootstrappingParameters;
use cryptable_wire::bit_packing::packed_bytes;
use serde::Serialize;

use crate::single::Line;

/// Arguments common to all leveled benchmarks.
#[derive(Debug, Args)]
pub struct CommonArguments {
    /// Evaluations to take the median of [default: 15 for bootstraps, 5 for tables, 1 for a block].
    #[arg(long)]
    pub runs: Option<usize>,
    /// Seed of random tables and values.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// A [`Line`] with the fields of circuit bootstrapping.
#[derive(Debug, Serialize)]
pub struct CircuitLine {
    #[serde(flatten)]
    pub line: Line,
    /// Circuit bootstraps per evaluation: rotations, each of which yields one or two selectors.
    pub bootstraps: usize,
    /// CMUXes per evaluation.
    pub cmuxes: usize,
    /// Longest chain of CMUXes before the next bootstrap.
    pub max_depth: u64,
    /// Number of CMUXes of the timed chain, for `bench cmux-chain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain_depth: Option<u64>,
    /// Bytes of the evaluation key as it is sent, with masks as a seed.
    pub key_file_bytes: u64,
    /// log2 of the base, and length, of the gadget of RGSW ciphertexts.
    pub selector_digits: (u32, usize),
    /// log2 of the base, and length, of the gadget of the trace's automorphisms.
    pub automorphism_digits: (u32, usize),
}

impl CircuitLine {
    /// Returns a line of evaluations with this number of circuit bootstraps and CMUXes, with the keys, transforms and
    /// depth of these parameters.
    pub fn new(
        mut line: Line,
        bootstraps: usize,
        cmuxes: usize,
        parameters: &CircuitBootstrappingParameters,
    ) -> Self {
        let cost = CircuitBootstrappingCost::of(parameters);
        let selectors = f64::from(cost.bits_per_ciphertext) * cost.conversion_transforms;
        line.count_transforms(
            bootstraps as f64 * (cost.rotation_transforms + selectors)
                + cmuxes as f64 * cost.cmux_transforms,
        );
        line.rotations = bootstraps;
        let gadget = parameters.rgsw_gadget();
        let automorphism = parameters.fhew().literal().automorphism;
        Self {
            line,
            bootstraps,
            cmuxes,
            max_depth: CircuitBootstrappingNoise::new(parameters).max_depth(),
            chain_depth: None,
            key_file_bytes: evaluation_key_bytes(parameters.fhew()) as u64,
            selector_digits: (gadget.base_log2(), gadget.length()),
            automorphism_digits: (automorphism.base_log2, automorphism.length),
        }
    }
}

/// Returns the bytes of a fresh list of `count` LWE ciphertexts, with its seed, and of a computed one, with the
/// parameters' dimension and modulus.
pub fn ciphertext_bytes(
    parameters: &CircuitBootstrappingParameters,
    count: usize,
) -> (usize, usize) {
    let shape = parameters.lwe_shape();
    let bits = shape.modulus.ilog2() + 1;
    (packed_bytes(count, bits), packed_bytes(count * (shape.dimension + 1), bits))
}
