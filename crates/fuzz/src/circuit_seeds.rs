//! Small valid inputs of circuits: files of words, files of values in coefficients, and netlists.

use cryptable::circuits::{EncryptedWordsSummary, EncryptedWordsWriter, WordPort};
use cryptable_bits::{JointDecryption, PreparedBits, RlweInput, SecretShare};
use cryptable_lattice::noise_bound::NoiseBound;
use cryptable_lattice::{Owners, RlweCiphertext};
use cryptable_ring::{Basis, Poly, Ring};
use cryptable_wire::{BodyWriter, ObjectType, write_object};

use crate::clients::{partial_decryption_client, slot_bits_client};

/// A ciphertext of values in coefficients.
#[must_use]
pub fn slot_bits_coefficients() -> Vec<Vec<u8>> {
    let parameters = slot_bits_client().parameters();
    let poly = || {
        let ring = Ring::new(parameters.literal().ring_degree, &[parameters.bottom_prime()], &[]);
        Poly::from_words(&ring, Basis::main(1), (0..ring.degree() as u64).collect())
    };
    let ciphertext = RlweCiphertext { c0: poly(), c1: poly() };
    let (key_id, noise) = (slot_bits_client().id(), NoiseBound::new(1e-3, 0.0));
    let values = RlweInput::new(parameters, key_id, ciphertext, 3, 4, noise).expect("a value");
    vec![values.to_bytes(parameters).expect("values of these parameters")]
}

fn prepared() -> PreparedBits {
    let (secret, server) = partial_decryption_client();
    let bits = secret.encrypt(&[true, false, true]).expect("three bits");
    let bits = server.bin_boot(&bits).expect("bits of this key");
    server.prepare_decryption(&bits).expect("bits after a bootstrap")
}

/// Bits for partial decryption.
#[must_use]
pub fn prepared_bits() -> Vec<Vec<u8>> {
    let (secret, _) = partial_decryption_client();
    vec![prepared().to_bytes(secret.parameters()).expect("bits of these parameters")]
}

/// A partial decryption of the first of two owners.
#[must_use]
pub fn partial_decryptions() -> Vec<Vec<u8>> {
    let (secret, _) = partial_decryption_client();
    let two = Owners::new(2).expect("two owners");
    let plan = JointDecryption::new(secret.parameters(), two, -40.0, 100).expect("a plan");
    let share = SecretShare::new(secret.parameters(), secret.secret(), secret.id(), 1);
    let part = share.partial_decryption(&prepared(), &plan).expect("bits of this key");
    vec![part.to_bytes(secret.parameters()).expect("of these parameters")]
}

/// Results of one bit for several owners.
#[must_use]
pub fn joint_results() -> Vec<Vec<u8>> {
    let parameters = partial_decryption_client().0.parameters();
    let bits = prepared().to_bytes(parameters).expect("bits of these parameters");
    let (mut body, mut file) = (Vec::new(), Vec::new());
    let mut writer = BodyWriter::new(&mut body);
    writer
        .bytes(&parameters.to_bytes())
        .and_then(|()| writer.u64(2))
        .and_then(|()| writer.bytes(&bits))
        .and_then(|()| {
            write_object(&mut file, ObjectType::JointResult, &parameters.digest(), &body)
        })
        .expect("memory takes all bytes");
    vec![file]
}

/// A file of encrypted words with two ports.
#[must_use]
pub fn encrypted_words() -> Vec<Vec<u8>> {
    let secret = slot_bits_client();
    let port = |name: &str, width| WordPort { name: name.to_owned(), width };
    let ports = vec![port("a", 1), port("b", 2)];
    let summary = EncryptedWordsSummary::new(secret.parameters(), secret.id(), ports, 2);
    let writer = EncryptedWordsWriter::new(Vec::new(), secret.parameters(), summary);
    let mut writer = writer.expect("memory takes all bytes");
    for _ in 0..3 {
        let bits = secret.encrypt(&[true, false]).expect("two bits");
        writer.push(&bits).expect("bits of these parameters");
    }
    vec![writer.finish().expect("all bits")]
}

/// A netlist in BLIF.
#[must_use]
pub fn blif() -> Vec<Vec<u8>> {
    let text = ".model m\n.inputs a b c[0] c[1]\n.outputs s[0] s[1]\n.names a b s[0]\n10 1\n01 1\n\
                .names c[0] c[1] n\n11 1\n.names n a s[1]\n-1 0\n.end\n";
    vec![text.into()]
}

/// A netlist in the JSON of Yosys.
#[must_use]
pub fn yosys_json() -> Vec<Vec<u8>> {
    let text = r#"{"modules":{"m":{"ports":{"A":{"direction":"input","bits":[2,3]},
        "Y":{"direction":"output","bits":[4,"0"]}},"cells":{"g":{"type":"$_NAND_",
        "connections":{"A":[2],"B":[3],"Y":[4]}}},"netnames":{}}}}"#;
    vec![text.into()]
}
