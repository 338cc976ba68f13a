//! Tails of bits in slots: bootstraps, and gates and cleanings between them.

use clap::ValueEnum;
use cryptable_bits::{EncryptedBits, EvaluationKey, Gate, Packing, Parameters, SecretKey};
use cryptable_lattice::{FailureProbability, NoiseBound, Progress};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::subject::{self, Part, Sampling, Subject};
use super::{TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::measurement::try_timed;

/// Operations on bits in slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BitOperation {
    /// BinBoot.
    BinBoot,
    /// GateBoot.
    GateBoot,
    /// A gate between bootstraps.
    SlotGate,
    /// A cleaning between bootstraps, of a result of GateBoot.
    Cleaning,
}

impl BitOperation {
    /// Returns the named set, with levels if the operation is not a bootstrap.
    fn parameters(self) -> anyhow::Result<Parameters> {
        Ok(match self {
            Self::BinBoot | Self::GateBoot => Parameters::latency_128(Packing::Real)?,
            Self::SlotGate | Self::Cleaning => Parameters::balanced_128(Packing::Complex)?,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Self::BinBoot => "BinBoot",
            Self::GateBoot => "GateBoot",
            Self::SlotGate => "gate in slots",
            Self::Cleaning => "cleaning of bits",
        }
    }
}

/// Measures an operation with its named set.
pub fn run(operation: BitOperation, arguments: &TailArguments) -> anyhow::Result<Vec<TailRecord>> {
    measure(&operation.parameters()?, operation, arguments)
}

/// An operation on the same bits, encrypted afresh.
struct Bits {
    secret: SecretKey,
    server: EvaluationKey,
    operation: BitOperation,
    gate: Gate,
    /// Both operands, or only one if they are the same ciphertext.
    values: Vec<Vec<bool>>,
    expected: Vec<bool>,
}

impl Subject for Bits {
    type Input = Vec<EncryptedBits>;
    type Output = EncryptedBits;

    fn encrypt(&self) -> anyhow::Result<Self::Input> {
        let mut input = Vec::new();
        for bits in &self.values {
            let fresh = self.secret.encrypt(bits)?;
            // Errors that GateBoot leaves are large enough for their squares to show beside roundings.
            input.push(match self.operation {
                BitOperation::Cleaning => self.server.gate_boot(Gate::And, &fresh, &fresh)?,
                _ => fresh,
            });
        }
        Ok(input)
    }

    fn evaluate(&self, input: &Self::Input) -> anyhow::Result<EncryptedBits> {
        let (x, y) = (&input[0], &input[input.len() - 1]);
        Ok(match self.operation {
            BitOperation::BinBoot => self.server.bin_boot(x)?,
            BitOperation::GateBoot => self.server.gate_boot(self.gate, x, y)?,
            BitOperation::SlotGate => self.server.gate(self.gate, x, y)?,
            BitOperation::Cleaning => self.server.clean(x)?,
        })
    }

    fn parts(&self, result: &EncryptedBits) -> anyhow::Result<Vec<Part>> {
        // A bit is wrong at a distance of 1/2.
        let errors = self.secret.errors(result, &self.expected)?;
        let found = self.secret.decrypt(result)?;
        let noise = NoiseBound::of_law(result.noise().law(), result.noise().bias());
        Ok(vec![Part {
            name: None,
            bound: subject::scaled(noise, 2.0),
            errors: errors.into_iter().map(|error| 2.0 * error).collect(),
            wrong: found.iter().zip(&self.expected).filter(|(a, b)| a != b).count(),
        }])
    }

    fn bytes(&self, input: &Self::Input, result: &EncryptedBits) -> anyhow::Result<[usize; 2]> {
        let parameters = self.secret.parameters();
        let mut bytes = 0;
        for bits in input {
            bytes += bits.to_bytes(parameters)?.len();
        }
        Ok([bytes, result.to_bytes(parameters)?.len()])
    }
}

/// Measures an operation with these parameters. In the worst case, all bits are 1 and both operands of a gate are one
/// ciphertext: with XOR, their errors add up as the law predicts.
pub fn measure(
    parameters: &Parameters,
    operation: BitOperation,
    arguments: &TailArguments,
) -> anyhow::Result<Vec<TailRecord>> {
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let mut random = || (0..parameters.bits()).map(|_| rng.random()).collect::<Vec<bool>>();
    let (gate, values) = match arguments.table {
        TableChoice::Worst => (Gate::Xor, vec![vec![true; parameters.bits()]]),
        TableChoice::Random => (Gate::Nand, vec![random(), random()]),
    };
    let expected = |(&x, &y): (&bool, &bool)| match operation {
        BitOperation::BinBoot | BitOperation::Cleaning => x,
        BitOperation::GateBoot | BitOperation::SlotGate => gate.evaluate(x, y),
    };
    let expected = values[0].iter().zip(&values[values.len() - 1]).map(expected).collect();
    let secret = SecretKey::generate(parameters);
    let (server, keygen_s) = try_timed(|| secret.evaluation_key(Progress::silent()))?;
    let precision = match operation {
        BitOperation::BinBoot => parameters.bin_boot_precision().log2_fail_per_bit,
        BitOperation::GateBoot => parameters.gate_boot_precision().log2_fail_per_bit,
        // Gates and cleanings are refused above the stated failure probability.
        BitOperation::SlotGate | BitOperation::Cleaning => parameters.log2_fail(),
    };
    let contract = Contract {
        method: operation.name().to_owned(),
        bits_in: 1.0,
        bits_out: 1.0,
        modulus_in: 2,
        ring_degree: parameters.literal().ring_degree,
        keygen_s,
        eval_key_bytes: server.memory_bytes(),
        log2_fail: FailureProbability::from_log2(precision).of_any(parameters.bits()).log2(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    };
    let bits = Bits { secret, server, operation, gate, values, expected };
    let sampling = Sampling::new(arguments, parameters.bits());
    subject::measure(&bits, contract, "law that results state", sampling)
}
