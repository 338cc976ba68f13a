//! Transciphering: a client sends AES-CTR bytes and one encrypted key, a server turns them into homomorphic
//! ciphertexts and maps each byte through a table, without seeing any of it.
//!
//! `cargo run --release -p cryptable-leveled --example transcipher`

use std::time::Instant;

use cryptable_leveled::aes::plain::counter_mode;
use cryptable_leveled::encrypted_bytes::{Content, EncryptedBytes};
use cryptable_leveled::evaluation_key::CircuitEvaluationKey;
use cryptable_leveled::parameters::CircuitParameters;
use cryptable_leveled::secret_key::CircuitSecretKey;

/// What the client has to say.
const MESSAGE: &[u8] = b"attack at dawn";

/// The AES-128 key; whoever takes this over draws a random one.
const KEY: [u8; 16] = *b"an example's key";

/// The first counter block: never the same twice under one key.
const COUNTER: [u8; 16] = [0; 16];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parameters = CircuitParameters::aes_128();
    println!("security  {:.1} bits", parameters.security_bits());

    // The client, once: keys, and its AES key encrypted bit by bit.
    let secret = CircuitSecretKey::generate(&parameters);
    let mut evaluation_key = Vec::new();
    secret.write_evaluation_key(&mut evaluation_key)?;
    let round_keys = secret.encrypt_aes_key(&KEY).to_bytes();
    println!("client    sends an evaluation key of {} bytes, once", evaluation_key.len());
    println!("client    sends its AES key, encrypted, in {} bytes, once", round_keys.len());

    // The client, for every message: as many bytes as it has.
    let cipher = counter_mode(&KEY, COUNTER, MESSAGE);
    println!("client    sends {:?} in {} bytes of AES-CTR", text(MESSAGE), cipher.len());

    // The server, which holds no secret.
    let key = CircuitEvaluationKey::from_bytes(&evaluation_key)?;
    let round_keys = EncryptedBytes::from_bytes(Content::RoundKeys, &round_keys)?;
    let start = Instant::now();
    let message = key.transcipher(&round_keys, COUNTER, &cipher, &|_done, _total| ())?;
    println!("server    turned them into homomorphic ciphertexts in {:.1?}", start.elapsed());
    let table: Vec<u64> = (0..=u8::MAX).map(|x| x.to_ascii_uppercase().into()).collect();
    let start = Instant::now();
    let output = key.lookup_bytes(&message, &table, &|_done, _total| ())?;
    println!("server    mapped each through a table of 256 bytes in {:.1?}", start.elapsed());
    let answer = output.to_bytes();
    println!("server    sends the result in {} bytes", answer.len());

    // The client again.
    let output = secret.decrypt(&EncryptedBytes::from_bytes(Content::Message, &answer)?)?;
    println!("client    decrypts {:?}", text(&output));
    assert_eq!(output, MESSAGE.to_ascii_uppercase());
    Ok(())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
