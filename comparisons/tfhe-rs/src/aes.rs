//! A block of AES-128 under an encrypted key, by the gates that tfhe-rs turns ciphertexts of AES into its own with.

use tfhe::shortint::parameters::PARAM_MESSAGE_2_CARRY_2;
use tfhe::transciphering::{AesFheRoundKeys, AesFheState, AesPlainKey, Transcipherer};

use crate::{Measured, timed};

const BLOCK_BYTES: usize = 16;

/// Key, block and encrypted block of NIST SP 800-38A, F.1.1.
const KEY: u128 = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c;
const BLOCK: u128 = 0x6bc1_bee2_2e40_9f96_e93d_7e11_7393_172a;
const ENCRYPTED: u128 = 0x3ad7_7bb4_0d7a_3660_a89e_caf3_2466_ef97;

/// The block is the counter, which is public, as the library's API has it; the first addition of a key aside, all of AES
/// works on encrypted bits. No run warms up, because one takes minutes. Round keys are made outside the time, as ours are.
pub fn measure(runs: usize) -> Measured {
    let ((client, server, round_keys), keygen_s) = timed(|| {
        let (client, server) = tfhe::shortint::gen_keys(PARAM_MESSAGE_2_CARRY_2);
        let key = AesPlainKey::from(KEY).encrypt(&client);
        let round_keys = AesFheRoundKeys::new(&server, &key);
        (client, server, round_keys)
    });
    let mut stream = AesFheState::new(round_keys, BLOCK);
    let (mut seconds, mut wrong) = (Vec::new(), 0);
    for _ in 0..runs {
        stream.seek(&server, 0);
        let (bits, taken) = timed(|| stream.next_keystream_bits(&server, 8 * BLOCK_BYTES));
        let bits = bits.expect("a stream has a first block").into_raw_parts();
        let mut found = [0_u8; BLOCK_BYTES];
        for (i, bit) in bits.iter().enumerate() {
            found[i / 8] |= u8::from(client.decrypt(bit) & 1 == 1) << (i % 8);
        }
        wrong += found
            .iter()
            .zip(ENCRYPTED.to_be_bytes())
            .filter(|(found, expected)| *found != expected)
            .count();
        seconds.push(taken);
    }
    let key_bytes = bincode::serialized_size(&server).expect("keys are serializable");
    Measured {
        method: "AES-128, one block",
        keygen_s,
        key_bytes,
        seconds,
        wrong,
        checked: runs * BLOCK_BYTES,
    }
}
