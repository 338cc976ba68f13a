//! Encrypted integers as they are sent and stored: LWE of dimension N modulo Q, a ciphertext for every bit, or for
//! every digit of two.
//!
//! Words are packed at the width of the modulus. The masks of fresh ciphertexts are a seed, so that a fresh ciphertext
//! costs one word: the round keys of AES-128 take 8.3 kB instead of 17 MB.

mod wire;

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_masks::Masks;
use cryptable_wire::KeyId;

use crate::error::{Error, Result};
use crate::parameters::CircuitParameters;
pub use wire::CHUNK_VALUES;
pub(crate) use wire::{MAX_BODY_BYTES, Sizes};

/// Most ciphertexts, and most bits, of a value.
pub const MAX_WIDTH: usize = 64;

/// Integers of some ciphertexts each, one for every bit or digit, under one client's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedValues {
    client: KeyId,
    dimension: usize,
    modulus: u64,
    width: usize,
    masks: Masks,
    bodies: Vec<u64>,
}

impl EncryptedValues {
    /// `count` fresh ciphertexts, `width` a value, of which `body` makes the body from index and mask.
    ///
    /// # Panics
    /// If the width is 0 or the number of ciphertexts no multiple of it.
    #[cfg(feature = "client")]
    pub(crate) fn fresh(
        parameters: &CircuitParameters,
        client: KeyId,
        width: usize,
        count: usize,
        body: impl Fn(usize, &[u64]) -> u64 + Sync,
    ) -> Self {
        use cryptable_lattice::lwe_masks::fresh_mask;
        use cryptable_ring::random::Seed;
        use rayon::prelude::*;
        assert!(
            width > 0 && count.is_multiple_of(width),
            "{count} ciphertexts of values of {width}"
        );
        let (dimension, modulus) =
            (parameters.parameters().ring_degree(), parameters.parameters().prime());
        let seed = Seed::random();
        let body = |index| body(index, &fresh_mask(&seed, index, dimension, modulus));
        let bodies = (0..count).into_par_iter().map(body).collect();
        Self { client, dimension, modulus, width, masks: Masks::Seed(seed), bodies }
    }

    /// Values of `width` ciphertexts that were computed under keys of this client.
    ///
    /// # Errors
    /// If the width is not from 1 to [`MAX_WIDTH`], a value has another number of ciphertexts, or
    /// one is of other parameters.
    pub fn computed(
        parameters: &CircuitParameters,
        client: KeyId,
        width: usize,
        values: &[Vec<LweCiphertext>],
    ) -> Result<Self> {
        check_width(width)?;
        if let Some(value) = values.iter().find(|value| value.len() != width) {
            let (value, limit) = (value.len() as u64, format!("values here have {width}"));
            return Err(Error::Number { name: "number of a value's ciphertexts", value, limit });
        }
        let dimension = parameters.parameters().ring_degree();
        let modulus = parameters.parameters().prime();
        let count = values.len() * width;
        let (mut masks, mut bodies) =
            (Vec::with_capacity(count * dimension), Vec::with_capacity(count));
        for ciphertext in values.iter().flatten() {
            crate::bits::check(parameters.parameters(), ciphertext)?;
            masks.extend_from_slice(ciphertext.mask());
            bodies.push(ciphertext.body());
        }
        Ok(Self { client, dimension, modulus, width, masks: Masks::Words(masks), bodies })
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bodies.len() / self.width
    }

    /// Ciphertexts of a value.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whose key they are encrypted under.
    #[must_use]
    pub fn client(&self) -> KeyId {
        self.client
    }

    /// Whether masks are a seed: true as long as nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.masks.are_fresh()
    }

    /// Checks that they belong to this client, and have the sizes of these parameters.
    ///
    /// # Errors
    /// If the client or a size differs.
    pub fn check(&self, parameters: &CircuitParameters, client: KeyId) -> Result<()> {
        if self.client != client {
            return Err(Error::OtherClient { expected: client, found: self.client });
        }
        let fhew = parameters.parameters();
        let pairs = [
            ("LWE dimension", self.dimension as u64, fhew.ring_degree() as u64),
            ("LWE modulus", self.modulus, fhew.prime()),
        ];
        match pairs.into_iter().find(|(_, found, expected)| found != expected) {
            Some((name, found, expected)) => {
                Err(cryptable_lattice::Error::mismatch(name, found, expected).into())
            }
            None => Ok(()),
        }
    }

    /// The ciphertexts of a value, the lowest bit or digit first.
    ///
    /// # Panics
    /// If there is no such value.
    #[must_use]
    pub fn value(&self, index: usize) -> Vec<LweCiphertext> {
        (index * self.width..(index + 1) * self.width).map(|i| self.ciphertext(i)).collect()
    }

    fn ciphertext(&self, index: usize) -> LweCiphertext {
        let mut words = self.masks.mask(index, self.dimension, self.modulus);
        words.push(self.bodies[index]);
        LweCiphertext::from_words(words, self.modulus)
    }
}

fn check_width(width: usize) -> Result<()> {
    if (1..=MAX_WIDTH).contains(&width) {
        return Ok(());
    }
    let limit = format!("values have from 1 to {MAX_WIDTH}");
    Err(Error::Number { name: "number of a value's ciphertexts", value: width as u64, limit })
}
