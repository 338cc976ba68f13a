//! `bench cbs`, `bench cmux-tree`, `bench aes`: circuit bootstrapping and what is made of it.

mod baseline;

use anyhow::Context;
use clap::{Args, ValueEnum};

use cryptable_fhew::keys::evaluation_key_bytes;
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_leveled::aes::round_keys::{decrypt_bytes, encrypt_bytes, encrypt_key};
use cryptable_leveled::aes::{Aes, BLOCK_BYTES, EncryptedByte};
use cryptable_leveled::bootstrapping::{
    CircuitBootstrapping, Plaintext, bit_error, ciphertext_count, decrypt_bit, decrypt_plaintext,
    encrypt_bit, encrypt_plaintext, plaintext_error,
};
use cryptable_leveled::cost::CircuitBootstrappingCost;
use cryptable_leveled::lookup as leveled;
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::{CircuitBootstrappingParameters, ParameterSet};
use cryptable_leveled::tree::{Cmux, CmuxTree, LeveledCiphertext};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;
use serde::Serialize;

use crate::single::{Batch, Line, Session};

/// What all three take.
#[derive(Debug, Args)]
pub struct CircuitArguments {
    /// Evaluations to take the median of [default: 15 bootstraps, 5 tables, 1 block].
    #[arg(long)]
    runs: Option<usize>,
    /// Seed of random tables and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Kinds of blind rotation, with parameter sets of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Variant {
    /// By CMUXes.
    Cmux,
    /// By automorphisms.
    Auto,
}

impl Variant {
    fn set(self, number: u32) -> anyhow::Result<ParameterSet> {
        let sets = match self {
            Self::Cmux => ParameterSet::WANG_CMUX,
            Self::Auto => ParameterSet::WANG_AUTO,
        };
        let set = sets.get((number as usize).wrapping_sub(1));
        set.copied().with_context(|| format!("--set is {number}; sets are numbered 1 to 5"))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Cmux => "CMUX",
            Self::Auto => "AUTO",
        }
    }
}

/// Arguments of `bench cbs`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench cbs --set 1")]
pub struct CbsArguments {
    /// Parameter set: 1 to 5.
    #[arg(long, default_value_t = 1)]
    set: u32,
    /// How blind rotation goes: by CMUXes or by automorphisms.
    #[arg(long, value_enum, default_value_t = Variant::Cmux)]
    variant: Variant,
    /// Bits at once [default: 1 on one thread, 32 a thread on several].
    #[arg(long)]
    batch: Option<usize>,
    /// Times the TFHE circuit bootstrap instead, with keys for the same depth.
    #[arg(long, value_enum)]
    baseline: Option<baseline::Baseline>,
    #[command(flatten)]
    common: CircuitArguments,
}

/// Arguments of `bench cmux-tree`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench cmux-tree --bits 16")]
pub struct CmuxTreeArguments {
    /// Bits of inputs and outputs.
    #[arg(long, default_value_t = 8)]
    bits: usize,
    /// Parameter set of `plan --mode bits` [default: the fastest]: those whose names begin with two-bit take
    /// two bits a ciphertext, others one.
    #[arg(long)]
    set: Option<String>,
    #[command(flatten)]
    common: CircuitArguments,
}

/// Arguments of `bench aes`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 2 --json bench aes")]
pub struct AesArguments {
    #[command(flatten)]
    common: CircuitArguments,
}

/// A [`Line`] with what belongs to circuit bootstrapping.
#[derive(Debug, Serialize)]
struct CircuitLine {
    #[serde(flatten)]
    line: Line,
    /// Circuit bootstraps of one evaluation: rotations, of one or two selectors each.
    bootstraps: usize,
    /// CMUXes of one evaluation.
    cmuxes: usize,
    /// Longest chain of CMUXes before the next bootstrap.
    max_depth: u64,
    /// Bytes of the evaluation key as it is sent, masks as a seed.
    key_file_bytes: u64,
    selector_digits: (u32, usize),
    automorphism_digits: (u32, usize),
    /// Of a baseline's private key switching.
    #[serde(skip_serializing_if = "Option::is_none")]
    private_digits: Option<(u32, usize)>,
}

/// What is checked: results that are wrong, of how many, and their mean square error.
struct Checked {
    wrong: usize,
    values: usize,
    mean_square: f64,
}

fn print(
    mut line: CircuitLine,
    circuit: &CircuitBootstrappingParameters,
    checked: &Checked,
    json: bool,
) -> anyhow::Result<()> {
    let literal = circuit.fhew().literal();
    let gadget = circuit.rgsw_gadget();
    line.selector_digits = (gadget.base_log2(), gadget.length());
    line.automorphism_digits = (literal.automorphism.base_log2, literal.automorphism.length);
    // A baseline has set them.
    if line.private_digits.is_none() {
        let cost = CircuitBootstrappingCost::of(circuit);
        let (bootstraps, cmuxes) = (line.bootstraps as f64, line.cmuxes as f64);
        let selectors = f64::from(cost.bits_per_ciphertext) * cost.conversion_transforms;
        line.line.count_transforms(
            bootstraps * (cost.rotation_transforms + selectors) + cmuxes * cost.cmux_transforms,
        );
        line.max_depth = CircuitBootstrappingNoise::new(circuit).max_depth();
        line.key_file_bytes = evaluation_key_bytes(circuit.fhew()) as u64;
    }
    line.line.contract.wrong = checked.wrong;
    line.line.contract.values_checked = checked.values;
    // As a fraction of the distance from a phase to a wrong one.
    line.line.contract.noise_std_log2 = (checked.mean_square.sqrt() / circuit.margin()).log2();
    if json {
        println!("{}", serde_json::to_string(&line)?);
    } else {
        println!(
            "{}: {:.2} ms, {:.1} u, {} bootstraps, {} CMUXes, depth {}, keys {:.1} MB ({:.1} MB sent), noise {:.2} (predicted {:.2}), fails 2^{:.1}, {:.1} bits",
            line.line.contract.method,
            line.line.contract.eval_s * 1e3 / line.line.contract.slots as f64,
            line.line.units_per_value,
            line.bootstraps,
            line.cmuxes,
            line.max_depth,
            line.line.contract.eval_key_bytes as f64 / 1e6,
            line.key_file_bytes as f64 / 1e6,
            line.line.contract.noise_std_log2,
            line.line.contract.predicted_noise_std_log2,
            line.line.contract.log2_fail,
            line.line.contract.security_bits
        );
    }
    anyhow::ensure!(checked.wrong == 0, "{} values are wrong", checked.wrong);
    Ok(())
}

fn new_line(line: Line, bootstraps: usize, cmuxes: usize) -> CircuitLine {
    CircuitLine {
        line,
        bootstraps,
        cmuxes,
        max_depth: 0,
        key_file_bytes: 0,
        selector_digits: (0, 0),
        automorphism_digits: (0, 0),
        private_digits: None,
    }
}

/// Runs `bench cbs`: a bootstrap is checked by a CMUX that chooses between 0 and 1.
pub fn run_bootstrap(arguments: &CbsArguments, threads: usize, json: bool) -> anyhow::Result<()> {
    if let Some(baseline) = arguments.baseline {
        return baseline::run(baseline, arguments, threads, json);
    }
    let parameters = arguments.variant.set(arguments.set)?.parameters();
    let session = Session::new(parameters.fhew());
    let circuit = CircuitBootstrapping::new(&parameters, &session.key);
    let bits = Bits::random(&session, arguments.common.seed);
    let bootstrap = |bit: &LweCiphertext| circuit.bootstrap(bit).expect("bits of these parameters");
    let runs = arguments.common.runs.unwrap_or(15);
    let line = session.line(Batch::new(arguments.batch, runs, threads), &bits.inputs, bootstrap);
    let checked = bits.check(&session, bootstrap)?;
    let line = new_line(line, 1, 0);
    let method = format!("circuit bootstrap, {} {}", arguments.variant.name(), arguments.set);
    let line =
        of_bootstrap(line, method, &CircuitBootstrappingNoise::new(&parameters), &parameters);
    print(line, &parameters, &checked, json)
}

/// What a line says of any circuit bootstrap.
fn of_bootstrap(
    mut line: CircuitLine,
    method: String,
    noise: &CircuitBootstrappingNoise,
    parameters: &CircuitBootstrappingParameters,
) -> CircuitLine {
    line.line.contract.method = method;
    line.line.contract.predicted_noise_std_log2 =
        (noise.cmux(0.5).standard_deviation() * 4.0).log2();
    line.line.contract.log2_fail = noise.log2_fail(parameters.input_variance());
    line.line.contract.table = "bit".to_owned();
    (line.line.contract.bits_in, line.line.contract.bits_out, line.line.contract.modulus_in) =
        (1.0, 1.0, 2);
    line.line.rotations = 1;
    line
}

/// Random bits, and their ciphertexts.
struct Bits {
    plain: Vec<bool>,
    inputs: Vec<LweCiphertext>,
}

impl Bits {
    fn random(session: &Session, seed: u64) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let plain: Vec<bool> = (0..100).map(|_| rng.random()).collect();
        let inputs = plain.iter().map(|&bit| encrypt_bit(&session.secret, bit)).collect();
        Self { plain, inputs }
    }

    /// Checks a bootstrap on all by a CMUX each.
    fn check(
        &self,
        session: &Session,
        bootstrap: impl Fn(&LweCiphertext) -> RgswCiphertext + Sync,
    ) -> anyhow::Result<Checked> {
        let ring = session.parameters.ring();
        let check = |(&bit, input): (&bool, &LweCiphertext)| -> anyhow::Result<(bool, f64)> {
            let selector = bootstrap(input);
            // A fresh 1, moved from the constant coefficient to the next by a bit of 1.
            let fresh = RlweCiphertext::embed(ring, &encrypt_bit(&session.secret, true));
            let mut moved = LeveledCiphertext::new(ring, &fresh);
            let mut cmux = Cmux::new(ring, selector.gadget());
            cmux.rotate_if_assign(&selector, &mut moved, 1);
            let result = moved.extract(ring, [usize::from(bit)].into_iter()).remove(0);
            let wrong = !decrypt_bit(&session.secret, &result)?;
            Ok((wrong, bit_error(&session.secret, &result, true)?.powi(2)))
        };
        let pairs = self.plain.par_iter().zip(&self.inputs);
        let results = pairs.map(check).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Checked {
            wrong: results.iter().filter(|result| result.0).count(),
            values: results.len(),
            mean_square: results.iter().map(|result| result.1).sum::<f64>() / results.len() as f64,
        })
    }
}

/// Runs `bench cmux-tree`: a random table on one value, with the parameters of `cryptable::leveled`.
pub fn run_tree(arguments: &CmuxTreeArguments, _threads: usize, json: bool) -> anyhow::Result<()> {
    let bits = arguments.bits;
    anyhow::ensure!((1..=20).contains(&bits), "--bits is {bits}; it must be from 1 to 20");
    let request = leveled::Request {
        method: arguments.set.as_deref().map(str::parse).transpose()?,
        ..leveled::Request::new(1 << bits, 1 << bits)
    };
    let parameters = leveled::Parameters::candidates(&request)?.swap_remove(0);
    let set = parameters.parameter_set().context("a named set")?;
    let (method, log2_fail) = (format!("{set}, {bits} bits"), parameters.log2_fail());
    let parameters = parameters.circuit_bootstrapping().clone();
    let digit_bits = parameters.bits_per_ciphertext();
    let digits = ciphertext_count(bits, digit_bits);
    let session = Session::new(parameters.fhew());
    let circuit = CircuitBootstrapping::new(&parameters, &session.key);
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.common.seed);
    let table: Vec<u64> = (0..1 << bits).map(|_| rng.random_range(0..1 << bits)).collect();
    let tree = CmuxTree::new(&parameters, &table, bits)?;
    let values: Vec<u64> = (0..8).map(|_| rng.random_range(0..table.len() as u64)).collect();
    let plain = |value: u64| -> Vec<Plaintext> {
        let shifts = (0..digits).map(|i| i * digit_bits as usize);
        let digit = |shift| value >> shift & ((1 << digit_bits) - 1);
        shifts.map(|shift| Plaintext { value: digit(shift), bits: digit_bits }).collect()
    };
    let encrypt = |&value: &u64| -> Vec<LweCiphertext> {
        plain(value).into_iter().map(|digit| encrypt_plaintext(&session.secret, digit)).collect()
    };
    let inputs: Vec<Vec<LweCiphertext>> = values.iter().map(encrypt).collect();
    let lookup = |input: &Vec<LweCiphertext>| {
        let results = tree.lookup_many(&circuit, std::slice::from_ref(input));
        results.expect("a value of these parameters").remove(0)
    };
    let runs = arguments.common.runs.unwrap_or(5);
    let line = session.line(Batch { size: 1, runs }, &inputs, lookup);

    let expected = values.iter().map(|&value| plain(table[value as usize]));
    let results: Vec<_> = inputs.iter().map(lookup).collect();
    let checked = check_digits(&session, expected, &results)?;
    let output = tree.output_noise(&CircuitBootstrappingNoise::new(&parameters), 0.5);
    let mut line = new_line(line, digits, tree.cmuxes());
    line.line.contract.method = format!("CMUX tree, {method}");
    line.line.contract.predicted_noise_std_log2 =
        (output.standard_deviation() / parameters.margin()).log2();
    line.line.contract.log2_fail = log2_fail;
    line.line.contract.table = format!("random:{}", arguments.common.seed);
    (line.line.contract.bits_in, line.line.contract.bits_out) = (bits as f64, bits as f64);
    line.line.contract.modulus_in = 1 << bits;
    line.line.rotations = digits;
    print(line, &parameters, &checked, json)
}

/// Compares values digit by digit.
fn check_digits(
    session: &Session,
    expected: impl Iterator<Item = Vec<Plaintext>>,
    results: &[Vec<LweCiphertext>],
) -> anyhow::Result<Checked> {
    let mut checked = Checked { wrong: 0, values: results.len(), mean_square: 0.0 };
    for (expected, result) in expected.zip(results) {
        let mut wrong = false;
        for (&digit, ciphertext) in expected.iter().zip(result) {
            wrong |= decrypt_plaintext(&session.secret, ciphertext, digit.bits)? != digit.value;
            let error = plaintext_error(&session.secret, ciphertext, digit)?;
            checked.mean_square += error.powi(2) / (results.len() * result.len()) as f64;
        }
        checked.wrong += usize::from(wrong);
    }
    Ok(checked)
}

/// Runs `bench aes`: a block under an encrypted key.
pub fn run_aes(arguments: &AesArguments, _threads: usize, json: bool) -> anyhow::Result<()> {
    let parameters = ParameterSet::Aes128.parameters();
    let session = Session::new(parameters.fhew());
    let aes = Aes::new(CircuitBootstrapping::new(&parameters, &session.key))?;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.common.seed);
    let key: [u8; BLOCK_BYTES] = rng.random();
    let block: [u8; BLOCK_BYTES] = rng.random();
    let round_keys = encrypt_key(&session.secret, &key);
    let inputs = [encrypt_bytes(&session.secret, &block)];
    let encrypt = |block: &Vec<EncryptedByte>| {
        aes.encrypt(&round_keys, block).expect("a block of these parameters")
    };
    let runs = arguments.common.runs.unwrap_or(1);
    let line = session.line(Batch { size: 1, runs }, &inputs, encrypt);

    let result = encrypt(&inputs[0]);
    let expected = cryptable_leveled::aes::plain::encrypt_block(&key, block);
    let found = decrypt_bytes(&session.secret, &result)?;
    let mut checked = Checked { wrong: 0, values: BLOCK_BYTES, mean_square: 0.0 };
    for ((&expected, &found), bits) in expected.iter().zip(found.iter()).zip(&result) {
        checked.wrong += usize::from(expected != found);
        for (i, bit) in bits.iter().enumerate() {
            let error = bit_error(&session.secret, bit, expected >> i & 1 == 1)?;
            checked.mean_square += error.powi(2) / (8 * BLOCK_BYTES) as f64;
        }
    }
    let noise = CircuitBootstrappingNoise::new(&parameters);
    let mut line = new_line(line, Aes::bootstraps(), aes.cmuxes());
    line.line.contract.method = "AES-128, one block".to_owned();
    line.line.contract.predicted_noise_std_log2 =
        ((noise.cmux(0.5) * 8.0).standard_deviation() * 4.0).log2();
    line.line.contract.log2_fail = aes.log2_fail();
    line.line.contract.table = "AES-128".to_owned();
    (line.line.contract.bits_in, line.line.contract.bits_out) = (128.0, 128.0);
    line.line.rotations = Aes::bootstraps();
    print(line, &parameters, &checked, json)
}
