//! tfhe-rs beside cryptable: one operation, every result checked, one JSON line.
//!
//! Parameters are those that tfhe-rs names as its defaults, or, for tables without padding, the only ones that it has.
//! Keys are counted as the bytes of the server's expanded key.

mod aes;
mod fourier_step;

use std::time::Instant;

use clap::{Parser, ValueEnum};
use serde_json::json;
use tfhe::core_crypto::prelude::ThreadCount;
use tfhe::shortint::atomic_pattern::AtomicPatternServerKey;
use tfhe::shortint::parameters::{
    PARAM_MESSAGE_2_CARRY_2, ShortintParameterSet,
    current_params::{
        V1_8_PARAM_MULTI_BIT_GROUP_3_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128 as GROUPS_OF_3,
        V1_8_PARAM_MULTI_BIT_GROUP_4_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128 as GROUPS_OF_4,
    },
};
use tfhe::shortint::server_key::ShortintBootstrappingKey;

#[derive(Clone, Copy, ValueEnum)]
enum Operation {
    /// A NAND gate of two bits
    Nand,
    /// A table of 4 bits below a bit of padding, which must be 0
    Table4,
    /// The same by a bootstrap that takes the key's bits in groups of three, which threads prepare
    Table4Group3,
    /// In groups of four
    Table4Group4,
    /// A table of 8 bits by circuit bootstrapping (WoP-PBS), from four blocks of 2 bits
    Table8,
    /// A table of 16 bits by circuit bootstrapping (WoP-PBS), from eight blocks of 2 bits
    Table16,
    /// A table of 8 bits by `match_value` on a `FheUint8`
    Match8,
    /// A block of AES-128 under an encrypted key, from round keys
    Aes,
    /// Transforms and products of a step of blind rotation by `tfhe-fft`, N = 1,024 with five rows
    Step1024,
    /// The same of N = 2,048 with two rows
    Step2048,
}

#[derive(Parser)]
#[command(about = "Measures one operation of tfhe-rs")]
struct Arguments {
    operation: Operation,
    /// Evaluations to take the median of
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Threads of the pool, and of those that prepare groups of a key's bits
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// Measurement of one operation.
struct Measured {
    method: &'static str,
    keygen_s: f64,
    key_bytes: u64,
    seconds: Vec<f64>,
    wrong: usize,
    checked: usize,
}

/// The table of all operations: a permutation-like polynomial modulo `size`.
fn table(x: u64, size: u64) -> u64 {
    (3 * x * x + 5 * x + 1) % size
}

fn timed<T>(action: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = action();
    (result, start.elapsed().as_secs_f64())
}

/// Runs `evaluate` on `runs` inputs after one that warms up; it returns whether the result was right, and its seconds.
fn repeated(runs: usize, mut evaluate: impl FnMut(usize) -> (bool, f64)) -> (Vec<f64>, usize) {
    let mut wrong = usize::from(!evaluate(0).0);
    let seconds = (1..=runs)
        .map(|run| {
            let (right, taken) = evaluate(run);
            wrong += usize::from(!right);
            taken
        })
        .collect();
    (seconds, wrong)
}

fn nand(runs: usize) -> Measured {
    use tfhe::boolean::prelude::*;
    let ((client, server), keygen_s) = timed(|| {
        let client = ClientKey::new(&DEFAULT_PARAMETERS);
        let server = ServerKey::new(&client);
        (client, server)
    });
    let (seconds, wrong) = repeated(runs, |run| {
        let bits = (run & 1 == 1, run & 2 == 2);
        let inputs = (client.encrypt(bits.0), client.encrypt(bits.1));
        let (output, taken) = timed(|| server.nand(&inputs.0, &inputs.1));
        (client.decrypt(&output) == !(bits.0 && bits.1), taken)
    });
    let key_bytes = bincode::serialized_size(&server).expect("keys are serializable");
    Measured { method: "NAND", keygen_s, key_bytes, seconds, wrong, checked: runs + 1 }
}

/// A table of 4 bits below a bit of padding.
fn padded_table(
    parameters: ShortintParameterSet,
    method: &'static str,
    runs: usize,
    threads: usize,
) -> Measured {
    let ((client, server), keygen_s) = timed(|| {
        let (client, mut server) = tfhe::shortint::gen_keys(parameters);
        limit_threads(&mut server, threads);
        (client, server)
    });
    let prepared = server.generate_lookup_table(|x| table(x, 16));
    let (seconds, wrong) = repeated(runs, |run| {
        let value = run as u64 % 16;
        let input = client.unchecked_encrypt(value);
        let (output, taken) = timed(|| server.apply_lookup_table(&input, &prepared));
        (client.decrypt_message_and_carry(&output) == table(value, 16), taken)
    });
    let key_bytes = bincode::serialized_size(&server).expect("keys are serializable");
    Measured { method, keygen_s, key_bytes, seconds, wrong, checked: runs + 1 }
}

/// Sets how many threads prepare groups of the key's bits beside the one that bootstraps; by itself the library takes
/// seven or nine, which are for many cores.
fn limit_threads(server: &mut tfhe::shortint::ServerKey, threads: usize) {
    if let AtomicPatternServerKey::Standard(keys) = &mut server.atomic_pattern
        && let ShortintBootstrappingKey::MultiBit { thread_count, .. } = &mut keys.bootstrapping_key
    {
        *thread_count = ThreadCount(threads);
    }
}

/// WoP-PBS on blocks of 2 bits without carry.
fn circuit_bootstrapped_table(blocks: usize, runs: usize) -> Measured {
    use tfhe::core_crypto::prelude::{CiphertextCount, PlaintextCount};
    use tfhe::integer::gen_keys_radix;
    use tfhe::integer::wopbs::{IntegerWopbsLUT, WopbsKey};
    use tfhe::shortint::parameters::parameters_wopbs_only::LEGACY_WOPBS_ONLY_8_BLOCKS_PARAM_MESSAGE_2_CARRY_0_KS_PBS as SET;
    const BLOCK_BITS: usize = 2;
    let ((client, server, key), keygen_s) = timed(|| {
        let (client, server) = gen_keys_radix(SET, blocks);
        let key = WopbsKey::new_wopbs_key_only_for_wopbs(&client, &server);
        (client, server, key)
    });
    let size = 1_u64 << (BLOCK_BITS * blocks);
    // The library's own generator of such tables takes carries into account, which these blocks do not have.
    let entries = PlaintextCount((size as usize).max(SET.polynomial_size.0));
    let mut prepared = IntegerWopbsLUT::new(entries, CiphertextCount(blocks));
    for block in 0..blocks {
        for x in 0..size {
            let digit = table(x, size) >> (BLOCK_BITS * block) & 3;
            prepared[block][x as usize] = digit << (u64::BITS as usize - BLOCK_BITS);
        }
    }
    let (seconds, wrong) = repeated(runs, |run| {
        let value = (run as u64 * 7919 + 12_345) % size;
        let input = client.encrypt_without_padding(value);
        let (output, taken) = timed(|| key.wopbs_without_padding(&input, &prepared));
        let found: u64 = client.decrypt_without_padding(&output);
        (found == table(value, size), taken)
    });
    let key_bytes = bincode::serialized_size(&key).expect("keys are serializable")
        + bincode::serialized_size(&server).expect("keys are serializable");
    Measured { method: "WoP-PBS", keygen_s, key_bytes, seconds, wrong, checked: runs + 1 }
}

fn matched_table(runs: usize) -> Measured {
    use tfhe::prelude::*;
    use tfhe::{ConfigBuilder, FheUint8, MatchValues, generate_keys, set_server_key};
    let ((client, server), keygen_s) = timed(|| generate_keys(ConfigBuilder::default()));
    let key_bytes = bincode::serialized_size(&server).expect("keys are serializable");
    set_server_key(server);
    let entries = (0..=255_u8).map(|x| (x, table(x.into(), 256) as u8)).collect();
    let matches = MatchValues::new(entries).expect("every key stands once");
    let (seconds, wrong) = repeated(runs, |run| {
        let value = (run * 37 + 11) as u8;
        let input = FheUint8::encrypt(value, &client);
        let (result, taken) = timed(|| input.match_value(&matches));
        let (output, _found): (FheUint8, _) = result.expect("the types are those of the table");
        let found: u8 = output.decrypt(&client);
        (u64::from(found) == table(value.into(), 256), taken)
    });
    Measured { method: "match_value", keygen_s, key_bytes, seconds, wrong, checked: runs + 1 }
}

/// The most memory that this process has held, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

fn main() {
    let Arguments { operation, runs, threads } = Arguments::parse();
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .expect("no pool stands yet");
    let (bits, mut measured) = match operation {
        Operation::Nand => (1, nand(runs)),
        Operation::Table4 => (
            4,
            padded_table(
                PARAM_MESSAGE_2_CARRY_2.into(),
                "programmable bootstrap below padding",
                runs,
                threads,
            ),
        ),
        Operation::Table4Group3 => (
            4,
            padded_table(
                GROUPS_OF_3.into(),
                "multi-bit bootstrap below padding, groups of 3",
                runs,
                threads,
            ),
        ),
        Operation::Table4Group4 => (
            4,
            padded_table(
                GROUPS_OF_4.into(),
                "multi-bit bootstrap below padding, groups of 4",
                runs,
                threads,
            ),
        ),
        Operation::Table8 => (8, circuit_bootstrapped_table(4, runs)),
        Operation::Table16 => (16, circuit_bootstrapped_table(8, runs)),
        Operation::Match8 => (8, matched_table(runs)),
        Operation::Aes => (128, aes::measure(runs)),
        Operation::Step1024 => (0, fourier_step::measure(1024, 5, runs)),
        Operation::Step2048 => (0, fourier_step::measure(2048, 2, runs)),
    };
    measured.seconds.sort_by(f64::total_cmp);
    let line = json!({
        "library": "tfhe-rs 1.8.2",
        "method": measured.method,
        "bits_in": bits,
        "threads": threads,
        "keygen_s": measured.keygen_s,
        "eval_s": measured.seconds[runs / 2],
        "runs": runs,
        "eval_key_bytes": measured.key_bytes,
        "peak_rss_bytes": peak_bytes(),
        "values_checked": measured.checked,
        "wrong": measured.wrong,
    });
    println!("{line}");
}
