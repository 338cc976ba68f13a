//! Transciphering: a client sends AES-CTR bytes and one encrypted key. A server turns them into homomorphic ciphertexts and
//! looks each byte up in a table, without seeing key or bytes.
//!
//! `cargo run --release -p cryptable-leveled --example transcipher`

use std::sync::Arc;
use std::time::Instant;

use cryptable_lattice::{Progress, ReadOptions, Table};
use cryptable_leveled::aes::{
    AesKey, EncryptedBytes, EncryptedKey, EvaluationKey, Message, MessageEncryptor, Parameters,
    SecretKey, Transciphering,
};

/// Message that the client encrypts.
const MESSAGE: &[u8] = b"attack at dawn";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let parameters = Parameters::default_128();
    println!("security  {:.1} bits", parameters.security_bits());

    // The client, once: keys, and its AES key encrypted bit by bit.
    let secret = SecretKey::generate(&parameters);
    let mut evaluation_key = Vec::new();
    secret.write_evaluation_key(&mut evaluation_key, Progress::silent())?;
    let mut encryptor = MessageEncryptor::new(AesKey::generate());
    let encrypted_key = secret.encrypt_key(encryptor.key()).to_bytes();
    println!("client    sends an evaluation key of {} bytes, once", evaluation_key.len());
    println!("client    sends its AES key, encrypted, in {} bytes, once", encrypted_key.len());

    // The client, for every message: the encrypted bytes, no longer than the message, and a header with a random counter.
    let message = encryptor.encrypt(MESSAGE)?.to_bytes();
    println!("client    sends {:?} in a file of {} bytes", text(MESSAGE), message.len());

    // The server, which holds no secret.
    let key = EvaluationKey::from_shared(Arc::new(evaluation_key), ReadOptions::default())?;
    let encrypted_key = EncryptedKey::from_bytes(&encrypted_key)?;
    let upper = Table::from_fn(256, 256, |x| (x as u8).to_ascii_uppercase().into())?;
    let upper = key.prepare(&upper)?;
    let transciphering = Transciphering::new(&key, &encrypted_key, Some(&upper))?;
    let start = Instant::now();
    let output = transciphering.transcipher(&Message::from_bytes(&message)?, Progress::silent())?;
    println!("server    made homomorphic ciphertexts, and mapped each byte through a table");
    println!("          of 256 bytes, in {:.1?}", start.elapsed());
    let answer = output.to_bytes();
    println!("server    sends the result in {} bytes", answer.len());

    // The client again.
    let output = secret.decrypt(&EncryptedBytes::from_bytes(&answer)?)?;
    println!("client    decrypts {:?}", text(&output));
    assert_eq!(*output, MESSAGE.to_ascii_uppercase());
    Ok(())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
