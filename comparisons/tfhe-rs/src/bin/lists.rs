//! LWE ciphertexts of tfhe-rs' `boolean`, `DEFAULT_PARAMETERS`, as files for cryptable, and back.
//!
//! ```sh
//! lists encrypt FOLDER --count 1024   # key.lwe, x.lwe, y.lwe, their bits in expected.json, tfhe-rs' own key in client.key
//! lists check FOLDER --gate nand      # decrypts result.lwe, and puts some bits through tfhe-rs' gates
//! ```
//!
//! Between both, `cryptable foreign` makes keys of key.lwe and evaluates the gate. The layout of files is described in
//! crates/conversion/src/foreign/file.rs.
//!
//! Blocks of `shortint` are LWE ciphertexts, too, but a bit is 1/32 of their modulus. Eight times that is the quarter that gates
//! here take; the way back would be a division by eight, which no linear operation on a ciphertext is, so that each result would
//! want a bootstrap of tfhe-rs again. `boolean` bits come back as they went.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use serde_json::json;
use tfhe::boolean::prelude::*;
use tfhe::core_crypto::prelude::{CiphertextModulus, LweCiphertext};

/// Bits that go through tfhe-rs' own gate after ours.
const SAMPLE: usize = 8;

/// Bytes before the words of a list.
const HEADER: usize = 24;

#[derive(Parser)]
#[command(about = "Ciphertexts of tfhe-rs as lists for cryptable, and back")]
struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Draws a secret and random bits, and encrypts them as tfhe-rs does by default
    Encrypt {
        folder: PathBuf,
        #[arg(long, default_value_t = 1024)]
        count: usize,
    },
    /// Decrypts results with tfhe-rs, and evaluates NANDs of neighbours by its own bootstraps
    Check {
        folder: PathBuf,
        #[arg(long, default_value = "nand")]
        gate: String,
    },
}

/// Words of a ciphertext, the body last.
fn words(ciphertext: &Ciphertext) -> &[u32] {
    match ciphertext {
        Ciphertext::Encrypted(ciphertext) => ciphertext.as_ref(),
        Ciphertext::Trivial(_) => panic!("encryptions are not trivial"),
    }
}

fn random_bits(count: usize) -> Vec<bool> {
    let mut bytes = vec![0; count];
    let mut source = fs::File::open("/dev/urandom").expect("a source of randomness");
    source.read_exact(&mut bytes).expect("as much as is asked for");
    bytes.into_iter().map(|byte| byte & 1 == 1).collect()
}

/// Writes a file that its owner alone may read.
fn write_secret(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(bytes)
}

fn encrypt(folder: &Path, count: usize) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let client = ClientKey::new(&DEFAULT_PARAMETERS);
    let serialized = bincode::serialize(&client).expect("keys are serializable");
    write_secret(&folder.join("client.key"), &serialized)?;
    let (secret, _, _) = client.clone().into_raw_parts();
    let secret: &[u32] = secret.as_ref();
    let mut file = b"LWEKEY01".to_vec();
    file.extend((secret.len() as u32).to_le_bytes());
    file.extend(secret.iter().map(|&bit| bit as u8));
    write_secret(&folder.join("key.lwe"), &file)?;
    let lists = [("x", random_bits(count)), ("y", random_bits(count))];
    for (name, bits) in &lists {
        let mut file = b"LWELIST1".to_vec();
        file.extend((secret.len() as u32).to_le_bytes());
        file.extend(32_u32.to_le_bytes());
        file.extend((count as u64).to_le_bytes());
        for &bit in bits {
            let ciphertext = client.encrypt(bit);
            file.extend(words(&ciphertext).iter().flat_map(|word| word.to_le_bytes()));
        }
        fs::write(folder.join(format!("{name}.lwe")), file)?;
    }
    let expected = json!({ "x": lists[0].1, "y": lists[1].1 });
    write_secret(&folder.join("expected.json"), expected.to_string().as_bytes())
}

fn bits_of(expected: &serde_json::Value, name: &str) -> Vec<bool> {
    let bits = expected[name].as_array().expect("a list of bits");
    bits.iter().map(|bit| bit.as_bool().expect("a bit")).collect()
}

fn apply(gate: &str, x: bool, y: bool) -> bool {
    match gate {
        "and" => x && y,
        "nand" => !(x && y),
        "or" => x || y,
        "nor" => !(x || y),
        "xor" => x != y,
        "xnor" => x == y,
        other => panic!("{other} is no gate"),
    }
}

fn check(folder: &Path, gate: &str) -> std::io::Result<()> {
    let expected = serde_json::from_slice(&fs::read(folder.join("expected.json"))?)?;
    let pairs = bits_of(&expected, "x").into_iter().zip(bits_of(&expected, "y"));
    let wanted: Vec<bool> = pairs.map(|(x, y)| apply(gate, x, y)).collect();
    let client = fs::read(folder.join("client.key"))?;
    let client: ClientKey = bincode::deserialize(&client).expect("the client's key");
    let (secret, _, parameters) = client.clone().into_raw_parts();
    let (secret, width): (&[u32], usize) = (secret.as_ref(), parameters.lwe_dimension.0 + 1);
    let file = fs::read(folder.join("result.lwe"))?;
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("a word"));
    let list: Vec<Vec<u32>> = file[HEADER..]
        .chunks_exact(4 * width)
        .map(|record| record.chunks_exact(4).map(word).collect())
        .collect();
    assert_eq!(list.len(), wanted.len(), "as many results as pairs");
    // Phases are ±1/8 of 2^32.
    let errors: Vec<f64> = list
        .iter()
        .zip(&wanted)
        .map(|(words, &bit)| {
            let (body, mask) = words.split_last().expect("a body");
            let sum = |sum: u32, (a, s): (&u32, &u32)| sum.wrapping_add(a.wrapping_mul(*s));
            let phase = body.wrapping_sub(mask.iter().zip(secret).fold(0, sum));
            let center = if bit { 1_u32 << 29 } else { 7_u32 << 29 };
            f64::from(phase.wrapping_sub(center) as i32).abs() / 2_f64.powi(32)
        })
        .collect();
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    let ciphertext = |words: &Vec<u32>| {
        let modulus = CiphertextModulus::new_native();
        Ciphertext::Encrypted(LweCiphertext::from_container(words.clone(), modulus))
    };
    let sample: Vec<Ciphertext> = list.iter().take(SAMPLE + 1).map(ciphertext).collect();
    let decrypted = sample.iter().zip(&wanted);
    let wrong_by_tfhe = decrypted.filter(|(bit, wanted)| client.decrypt(bit) != **wanted).count();
    let server = ServerKey::new(&client);
    let neighbours = sample.windows(2).zip(wanted.windows(2));
    let is_wrong = |(bits, wanted): &(&[Ciphertext], &[bool])| {
        client.decrypt(&server.nand(&bits[0], &bits[1])) == (wanted[0] && wanted[1])
    };
    let wrong_after = neighbours.filter(is_wrong).count();
    let line = json!({
        "library": "tfhe-rs 1.8.2",
        "values_checked": list.len(),
        "wrong": errors.iter().filter(|error| **error >= 0.125).count(),
        "noise": (squares / errors.len() as f64).sqrt(),
        "largest": errors.iter().fold(0.0, |largest: f64, error| largest.max(*error)),
        "decrypted_by_tfhe_rs": sample.len(),
        "wrong_by_tfhe_rs": wrong_by_tfhe,
        "gates_by_tfhe_rs": sample.len().saturating_sub(1),
        "wrong_after_gates": wrong_after,
    });
    println!("{line}");
    Ok(())
}

fn main() -> std::io::Result<()> {
    match Arguments::parse().action {
        Action::Encrypt { folder, count } => encrypt(&folder, count),
        Action::Check { folder, gate } => check(&folder, &gate),
    }
}
