//! The secret of level 1; those of levels 0 and 2 are the LWE and the ring secret of blind rotation's
//! [`SecretKey`](cryptable_fhew::keys::SecretKey).

use cryptable_fhew::seeded_rows::RowDomain;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{Result, lwe_encryption};
use cryptable_ring::prime_ring::Multiplicand;
use cryptable_ring::random::{RandomStream, SecretSeed, Seed, StreamPurpose};
use zeroize::Zeroizing;

use super::parameters::{TORUS, ThreeLevelParameters};
use super::torus_rows::{TorusRows, multiply_by_secret, torus_error};

/// The binary secret of level 1. Zeroized on drop, redacted in Debug, not `Clone`.
pub struct LevelOneSecret {
    parameters: ThreeLevelParameters,
    coefficients: Zeroizing<Vec<i8>>,
    prepared: Zeroizing<Multiplicand>,
}

impl std::fmt::Debug for LevelOneSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LevelOneSecret({:?}, redacted)", self.parameters.literal())
    }
}

impl LevelOneSecret {
    /// How it is distributed.
    pub(super) const DISTRIBUTION: SecretDistribution = SecretDistribution::Binary;

    /// Draws a fresh secret.
    ///
    /// # Panics
    /// If the operating system has no randomness to give.
    #[must_use]
    pub fn generate(parameters: &ThreeLevelParameters) -> Self {
        let ring = parameters.level_1();
        let seed = SecretSeed::random();
        let mut bits = Zeroizing::new(vec![0; ring.degree()]);
        RandomStream::new(seed.as_bytes(), StreamPurpose::Secret, 0).uniform_assign(&mut bits, 2);
        Self {
            parameters: parameters.clone(),
            coefficients: Zeroizing::new(bits.iter().map(|&bit| bit as i8).collect()),
            prepared: Zeroizing::new(ring.prepare(&bits)),
        }
    }

    /// The parameters that it was drawn for.
    #[must_use]
    pub fn parameters(&self) -> &ThreeLevelParameters {
        &self.parameters
    }

    /// Its coefficients.
    #[must_use]
    pub fn coefficients(&self) -> &[i8] {
        &self.coefficients
    }

    /// What encrypts rows under it, with a fresh seed of masks.
    pub(super) fn rows(&self) -> TorusRows<'_> {
        TorusRows {
            ring: self.parameters.level_1(),
            secret: &self.prepared,
            deviation: self.parameters.deviation(1),
            masks: Seed::random(),
            errors: SecretSeed::random(),
        }
    }

    /// Encrypts a bit as what circuit bootstraps take: LWE on the 32-bit torus, of phase bit/2.
    ///
    /// # Panics
    /// If the operating system has no randomness to give.
    #[must_use]
    pub fn encrypt_bit(&self, bit: bool) -> LweCiphertext {
        let mut stream = RandomStream::from_os();
        let mut words = vec![0; self.coefficients.len() + 1];
        let dimension = self.coefficients.len();
        stream.uniform_assign(&mut words[..dimension], TORUS);
        let masked = LweCiphertext::from_words(words.clone(), TORUS);
        let product = lwe_encryption::phase(&self.coefficients, &masked) as u32;
        let error = torus_error(stream.gaussian(1, self.parameters.deviation(1))[0]);
        let phase = u32::from(bit) << 31;
        words[dimension] = phase.wrapping_add(error).wrapping_sub(product).into();
        LweCiphertext::from_words(words, TORUS)
    }

    /// Encrypts a bit as what CMUXes choose from: RLWE, 2N words of the 32-bit torus, of phase bit/2 in the constant
    /// coefficient.
    ///
    /// # Panics
    /// If the operating system has no randomness to give.
    #[must_use]
    pub fn encrypt_row(&self, bit: bool) -> Vec<u32> {
        let mut row = vec![0; 2 * self.coefficients.len()];
        row[0] = u32::from(bit) << 31;
        // The seeds are of this row alone, so that any domain does.
        self.rows().encrypt(RowDomain::PrivateIdentity, 0, &mut row);
        row
    }

    /// The phase of LWE under it, minus a bit's, as a fraction of the torus in -1/2..1/2.
    ///
    /// # Errors
    /// If the dimension is not N.
    pub fn bit_error(&self, ciphertext: &LweCiphertext, bit: bool) -> Result<f64> {
        let mut expected = self.parameters.input_shape();
        // On the torus of 32 bits, or modulo the prime of products.
        expected.modulus = ciphertext.modulus();
        expected.check(ciphertext)?;
        let phase = lwe_encryption::phase(&self.coefficients, ciphertext);
        let difference =
            phase as f64 / ciphertext.modulus() as f64 - 0.5 * f64::from(u8::from(bit));
        Ok(difference - difference.round())
    }

    /// Decrypts a bit.
    ///
    /// # Errors
    /// If the dimension is not N.
    pub fn decrypt_bit(&self, ciphertext: &LweCiphertext) -> Result<bool> {
        Ok(self.bit_error(ciphertext, true)?.abs() < 0.25)
    }

    /// The phase of an RLWE ciphertext of 2N words on the 32-bit torus: for measuring noise.
    ///
    /// # Panics
    /// If there are not 2N words.
    #[must_use]
    pub fn row_phase(&self, row: &[u32]) -> Vec<u32> {
        let ring = self.parameters.level_1();
        assert_eq!(row.len(), 2 * ring.degree(), "words of a row");
        let (body, mask) = row.split_at(ring.degree());
        let mut product: Vec<u64> = mask.iter().map(|&word| word.into()).collect();
        multiply_by_secret(ring, &mut product, &self.prepared);
        body.iter().zip(&product).map(|(&b, &p)| b.wrapping_add(p as u32)).collect()
    }
}
