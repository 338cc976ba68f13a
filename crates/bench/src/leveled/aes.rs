//! `bench aes`: a block of AES-128 under an encrypted key, encrypted or decrypted.

use clap::Args;
use cryptable_leveled::aes::round_keys::{decrypt_bytes, encrypt_bytes, encrypt_key};
use cryptable_leveled::aes::{Aes, BLOCK_BYTES, EncryptedByte, plain};
use cryptable_leveled::bootstrapping::{CircuitBootstrapping, bit_error};
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::{CircuitBootstrappingParameters, ParameterSet};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::line::{CircuitLine, CommonArguments, ciphertext_bytes};
use crate::contract::print_line;
use crate::measurement::{Checked, timed, try_timed};
use crate::single::{Batch, Session};

/// Arguments of `bench aes`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 2 --json bench aes\n  \
    cryptable --threads 1 --json bench aes --decrypt")]
pub struct AesArguments {
    /// Decrypt a block instead of encrypting one.
    #[arg(long)]
    decrypt: bool,
    #[command(flatten)]
    common: CommonArguments,
}

/// Runs the benchmark.
pub fn run(arguments: &AesArguments, json: bool) -> anyhow::Result<()> {
    let runs = arguments.common.runs.unwrap_or(1);
    let direction = if arguments.decrypt { Direction::Decrypt } else { Direction::Encrypt };
    let parameters = ParameterSet::Aes128.parameters();
    print_line(&measure(&parameters, direction, runs, arguments.common.seed)?, json)
}

/// Direction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Encrypt,
    Decrypt,
}

/// Measures a random block under a random key, both encrypted.
fn measure(
    parameters: &CircuitBootstrappingParameters,
    direction: Direction,
    runs: usize,
    seed: u64,
) -> anyhow::Result<CircuitLine> {
    let session = Session::new(parameters.fhew());
    // The tables of the rounds.
    let (aes, prepare_s) =
        try_timed(|| Aes::new(CircuitBootstrapping::new(parameters, &session.key)))?;
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let key: [u8; BLOCK_BYTES] = rng.random();
    let block: [u8; BLOCK_BYTES] = rng.random();
    let (given, expected) = match direction {
        Direction::Encrypt => (block, plain::encrypt_block(&key, block)),
        Direction::Decrypt => (plain::encrypt_block(&key, block), block),
    };
    let round_keys = encrypt_key(&session.secret, &key);
    let (input, encrypt_s) = timed(|| encrypt_bytes(&session.secret, &given));
    let inputs = [input];
    let evaluate = |block: &Vec<EncryptedByte>| {
        let result = match direction {
            Direction::Encrypt => aes.encrypt(&round_keys, block),
            Direction::Decrypt => aes.decrypt(&round_keys, block),
        };
        result.expect("a block of these parameters")
    };
    let mut line = session.line(Batch { size: 1, runs }, &inputs, evaluate);

    let result = evaluate(&inputs[0]);
    let found = decrypt_bytes(&session.secret, &result)?;
    let mut checked = Checked::default();
    for ((&expected, &found), bits) in expected.iter().zip(found.iter()).zip(&result) {
        checked.count(expected != found);
        for (i, bit) in bits.iter().enumerate() {
            checked.errors([bit_error(&session.secret, bit, expected >> i & 1 == 1)?]);
        }
    }
    checked.enter(&mut line.contract, parameters.margin());
    let noise = CircuitBootstrappingNoise::new(parameters);
    let output = noise.tree(8, 0.5);
    let contract = &mut line.contract;
    let (method, cmuxes) = match direction {
        Direction::Encrypt => ("AES-128, one block", aes.cmuxes()),
        Direction::Decrypt => ("AES-128, one block decrypted", aes.decryption_cmuxes()),
    };
    contract.method = method.to_owned();
    contract.table = "AES-128".to_owned();
    (contract.prepare_s, contract.encrypt_s) = (prepare_s, encrypt_s);
    (contract.bits_in, contract.bits_out) = (128.0, 128.0);
    (contract.input_bytes, contract.output_bytes) = ciphertext_bytes(parameters, 8 * BLOCK_BYTES);
    contract.predicted_noise_std_log2 = Some((output.deviation() / parameters.margin()).log2());
    contract.log2_fail = aes.log2_fail();
    Ok(CircuitLine::new(line, Aes::bootstraps(), cmuxes, parameters))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::check_line;

    #[test]
    fn a_block_of_a_toy() {
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let line = measure(&ParameterSet::Aes128.insecure_toy(), direction, 1, 1).unwrap();
            check_line(&line);
            assert_eq!((line.bootstraps, line.line.contract.values_checked), (1280, 16));
            assert!(line.cmuxes > 0);
        }
    }
}
