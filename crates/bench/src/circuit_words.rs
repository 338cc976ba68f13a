//! Random words for circuits, and the expected results: for AES-128 from another implementation, for other circuits from the
//! circuit on unencrypted words.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use cryptable_circuits::Circuit;
use cryptable_circuits::aes::expand_key;
use cryptable_circuits::named::NamedCircuit;
use rand::Rng;
use rand_chacha::ChaCha20Rng;

/// Inputs and outputs of a circuit.
pub struct CheckedWords {
    /// For every word, one value per input.
    pub inputs: Vec<Vec<u128>>,
    /// For every word, one value per output.
    pub outputs: Vec<Vec<u128>>,
}

impl CheckedWords {
    /// Draws random words and computes their results; every block of AES-128 has a key of its own.
    pub fn random(
        named: NamedCircuit,
        circuit: &Circuit,
        count: usize,
        rng: &mut ChaCha20Rng,
    ) -> anyhow::Result<Self> {
        let expands = matches!(
            named,
            NamedCircuit::Aes128ExpandedKey | NamedCircuit::Aes128ExpandedKeyBoyarPeralta
        );
        let is_aes = matches!(named, NamedCircuit::Aes128 | NamedCircuit::Aes128BoyarPeralta);
        if is_aes || expands {
            let (inputs, outputs) = (0..count).map(|_| encrypted_block(expands, rng)).unzip();
            return Ok(Self { inputs, outputs });
        }
        let word =
            |width: usize, rng: &mut ChaCha20Rng| rng.random::<u128>() >> (128 - width.min(128));
        let inputs: Vec<Vec<u128>> = (0..count)
            .map(|_| circuit.inputs().iter().map(|input| word(input.width, rng)).collect())
            .collect();
        let outputs = circuit.evaluate_many(&inputs)?;
        Ok(Self { inputs, outputs })
    }
}

/// Draws a block and its key, or its round keys, and returns them with the block encrypted by another implementation.
fn encrypted_block(expands: bool, rng: &mut ChaCha20Rng) -> (Vec<u128>, Vec<u128>) {
    let (block, key): ([u8; 16], [u8; 16]) = (rng.random(), rng.random());
    let mut result = block.into();
    Aes128::new(&key.into()).encrypt_block(&mut result);
    let mut inputs = vec![u128::from_le_bytes(block)];
    if expands {
        inputs.extend(expand_key(&key).map(u128::from_le_bytes));
    } else {
        inputs.push(u128::from_le_bytes(key));
    }
    (inputs, vec![u128::from_le_bytes(result.into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn words_are_those_of_the_circuits() {
        for named in NamedCircuit::ALL {
            let circuit = named.build();
            let mut rng = ChaCha20Rng::seed_from_u64(1);
            let words = CheckedWords::random(named, &circuit, 70, &mut rng).unwrap();
            assert_eq!(circuit.evaluate_many(&words.inputs).unwrap(), words.outputs, "{named:?}");
        }
    }
}
