//! Common parts of benchmarks of single values: keys, timing, and the line that they print.

use cryptable_fhew::keys::{EvaluationKey, SecretKey};
use cryptable_fhew::parameters::{GadgetLiteral, Parameters};
use cryptable_lattice::cost::CostModel;
use rayon::prelude::*;
use serde::Serialize;

use crate::contract::Contract;
use crate::measurement::{Runs, timed};

/// One line: the JSON contract, and the fields of single values.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Line {
    #[serde(flatten)]
    pub contract: Contract,
    /// Time per value, in u.
    pub units_per_value: f64,
    pub lwe_dimension: usize,
    pub log2_lwe_modulus: u32,
    pub log2_prime: f64,
    /// log2 of the base, and length, of the digits of masks.
    pub rotation_digits: (u32, usize),
    pub rotation_body_digits: (u32, usize),
    pub key_switching_digits: (u32, usize),
    /// Blind rotations per value.
    pub rotations: usize,
    /// Transforms of blind rotations, as the number of transforms of degree 2,048 that cost the same.
    pub transforms: f64,
    /// Cost of these transforms by the cost model, in u.
    pub transform_units: f64,
    /// Time that Ma et al. (TCHES 2024) publish for the method with `paper_set` or, by default, PARAM_fast, on their machine.
    pub published_ms: Option<f64>,
    /// The paper's name of the parameters; `None` if the benchmark chose them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper_set: Option<String>,
}

impl Line {
    /// Enters the counted transforms of an evaluation, in transforms of degree 2,048.
    pub fn count_transforms(&mut self, transforms: f64) {
        let model = CostModel::default();
        self.transforms = transforms;
        self.transform_units = transforms * model.digit_transform / model.unit();
    }
}

/// The number of timed evaluations, and of values per evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// Number of values that are evaluated at once.
    pub size: usize,
    /// Number of evaluations whose median is the result.
    pub runs: usize,
}

impl Batch {
    /// Creates a batch of the requested size or, by default, of 1 value on one thread and 32 per thread on several.
    pub fn new(size: Option<usize>, runs: usize) -> Self {
        let threads = rayon::current_num_threads();
        let usual = if threads == 1 { 1 } else { 32 * threads };
        Self { size: size.unwrap_or(usual).max(1), runs: runs.max(1) }
    }
}

/// Client and server of one parameter set, and the time that they took.
pub struct Session {
    pub parameters: Parameters,
    pub secret: SecretKey,
    pub key: EvaluationKey,
    keygen_s: f64,
    setup_s: f64,
}

impl Session {
    /// Generates keys.
    pub fn new(parameters: &Parameters) -> Self {
        let secret = SecretKey::generate(parameters);
        let (seeded, keygen_s) = timed(|| secret.evaluation_key());
        let (key, setup_s) = timed(|| EvaluationKey::expand(&seeded));
        let parameters = parameters.clone();
        Self { parameters, secret, key, keygen_s, setup_s }
    }

    /// Times `of` on `inputs`, after one run that loads keys and memory pages. Returns a line with everything that does not
    /// depend on the operation, including the sizes of one fresh value and of one result.
    pub fn line<I: Sync, T>(
        &self,
        batch: Batch,
        inputs: &[I],
        of: impl Fn(&I) -> T + Sync,
    ) -> Line {
        let mut runs = Runs::start();
        let evaluate = |run: usize| {
            (0..batch.size).into_par_iter().for_each(|i| {
                std::hint::black_box(of(&inputs[(run * batch.size + i) % inputs.len()]));
            });
        };
        evaluate(0);
        (1..=batch.runs).for_each(|run| runs.time(|| evaluate(run)));
        let literal = self.parameters.literal();
        let digits = |gadget: GadgetLiteral| (gadget.base_log2, gadget.length);
        let bits = literal.log2_lwe_modulus as usize;
        let mut contract = Contract {
            ring_degree: literal.ring_degree,
            setup_s: self.setup_s,
            keygen_s: self.keygen_s,
            eval_key_bytes: self.key.bytes(),
            input_bytes: bits.div_ceil(8),
            output_bytes: ((literal.lwe_dimension + 1) * bits).div_ceil(8),
            security_bits: self.parameters.security_bits(),
            ..Contract::here()
        };
        let unit = runs.enter(&mut contract, batch.size, 0.0);
        Line {
            units_per_value: contract.eval_s / unit / batch.size as f64,
            contract,
            lwe_dimension: literal.lwe_dimension,
            log2_lwe_modulus: literal.log2_lwe_modulus,
            log2_prime: self.parameters.log2_prime(),
            rotation_digits: digits(literal.rotation.mask),
            rotation_body_digits: digits(literal.rotation.body),
            key_switching_digits: digits(literal.key_switching),
            ..Line::default()
        }
    }
}
