//! Parameters of three levels.

use std::sync::Arc;

use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral, RotationMethod};
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_lattice::error::demand;
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::security::{LweInstance, SecretDistribution};
use cryptable_lattice::{ERROR_VARIANCE, Result};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::Seed;
use cryptable_ring::{Buffer, torus};
use cryptable_wire::bit_packing::packed_bytes;

use crate::tfhe_baseline::{MAX_KEY_BYTES, PrivateKeyForm};

/// Bits of a word of levels 0 and 1.
pub(super) const TORUS_BITS: u32 = 32;

/// The modulus of such words.
pub(super) const TORUS: u64 = 1 << TORUS_BITS;

/// log2 of the prime modulo which level 1 is multiplied: the largest below 2^47.
const LOG2_PRODUCT_PRIME: f64 = 46.99;

/// All numbers of three levels. Secrets are binary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThreeLevelLiteral {
    /// n of level 0.
    pub lwe_dimension: usize,
    /// Ring degrees: N of level 1, N̄ of level 2.
    pub degrees: [usize; 2],
    /// log2 of the standard deviation of errors, a fraction of the torus, of levels 0, 1 and 2.
    pub log2_deviations: [f64; 3],
    /// Decomposition of blind rotation, at level 2.
    pub rotation: GadgetLiteral,
    /// Decomposition of private key switching, from level 2 to level 1.
    pub private: GadgetLiteral,
    /// What its key stores for every digit.
    pub form: PrivateKeyForm,
    /// Decomposition of RGSW ciphertexts, at level 1.
    pub rgsw: GadgetLiteral,
    /// Decomposition of LWE key switching, from level 1 to level 0.
    pub key_switching: GadgetLiteral,
}

/// Validated parameters of three levels. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ThreeLevelParameters {
    literal: ThreeLevelLiteral,
    top: Parameters,
    ring: Arc<PrimeRing>,
}

impl ThreeLevelParameters {
    /// Table 6. Of the switch from level 1 to level 0, which it does not list, TFHEpp's 7 digits of 2 bits.
    ///
    /// ```
    /// use cryptable_papers::tfhe_baseline::PrivateKeyForm;
    /// use cryptable_papers::tfhe_baseline::three_levels::ThreeLevelParameters;
    /// let parameters = ThreeLevelParameters::insecure_tfhepp(PrivateKeyForm::Products);
    /// let bits: Vec<f64> = parameters.lwe_instances().iter().map(|i| i.security_bits()).collect();
    /// // The paper has 128, 129 and 153.
    /// assert!(bits[0] < 128.0 && bits[1] < 128.0 && bits[2] > 128.0);
    /// ```
    ///
    /// # Panics
    /// Never: the set is valid.
    #[must_use]
    pub fn insecure_tfhepp(form: PrivateKeyForm) -> Self {
        Self::insecure(ThreeLevelLiteral {
            lwe_dimension: 635,
            degrees: [1024, 2048],
            log2_deviations: [-15.0, -25.0, -44.0],
            rotation: GadgetLiteral { base_log2: 9, length: 4 },
            private: GadgetLiteral { base_log2: 3, length: 10 },
            form,
            rgsw: GadgetLiteral { base_log2: 6, length: 3 },
            key_switching: GadgetLiteral { base_log2: 2, length: 7 },
        })
        .expect("a valid set")
    }

    /// The same errors and digits in dimensions 64, 256 and 512, for tests.
    ///
    /// # Panics
    /// Never: the set is valid.
    #[must_use]
    pub fn insecure_toy(form: PrivateKeyForm) -> Self {
        let literal = *Self::insecure_tfhepp(form).literal();
        Self::insecure(ThreeLevelLiteral { lwe_dimension: 64, degrees: [256, 512], ..literal })
            .expect("a valid set")
    }

    /// Validates all but security, of which there is less than 128 bits in every set that was published.
    ///
    /// # Errors
    /// If a number is out of range, digits do not fit their words, or rounding leaves inputs no margin.
    pub fn insecure(literal: ThreeLevelLiteral) -> Result<Self> {
        check(&literal)?;
        let top = Parameters::insecure(level_2(&literal))?;
        let n = literal.degrees[0];
        let prime = ntt_primes(n, LOG2_PRODUCT_PRIME, 1, &[])[0];
        let parameters = Self { literal, top, ring: Arc::new(PrimeRing::new(n, prime)) };
        demand(
            parameters.private_key_bytes() <= MAX_KEY_BYTES,
            "bytes of the private switching key",
            parameters.private_key_bytes() as f64,
            "digits of fewer bits need fewer rows",
        )?;
        demand(
            parameters.sparse_modulus() >= 8,
            "RGSW digits",
            literal.rgsw.length as f64,
            "too many rows for one rotation",
        )?;
        Ok(parameters)
    }

    /// All numbers.
    #[must_use]
    pub fn literal(&self) -> &ThreeLevelLiteral {
        &self.literal
    }

    /// Level 2, and the LWE secret of level 0: parameters of blind rotation.
    ///
    /// Its other keys are not used, and as small as they get.
    #[must_use]
    pub fn level_2(&self) -> &Parameters {
        &self.top
    }

    /// The ring that level 1 is multiplied in.
    #[must_use]
    pub fn level_1(&self) -> &PrimeRing {
        &self.ring
    }

    /// Dimension and modulus of what circuit bootstraps take: LWE of level 1.
    #[must_use]
    pub fn input_shape(&self) -> LweShape {
        LweShape { dimension: self.ring.degree(), modulus: TORUS }
    }

    /// An RLWE ciphertext of level 1, 2N words of the 32-bit torus, in the ring that it is multiplied in: nearest residues.
    ///
    /// # Panics
    /// If there are not 2N words.
    #[must_use]
    pub fn to_ring(&self, row: &[u32]) -> RlweCiphertext {
        assert_eq!(row.len(), 2 * self.ring.degree(), "words of a row");
        let fractions: Vec<u64> = row.iter().map(|&word| u64::from(word) << TORUS_BITS).collect();
        let mut words = Buffer::unspecified(row.len());
        torus::words_to_residues(self.ring.modulus(), &mut words, &fractions);
        RlweCiphertext::from_words(words)
    }

    /// Decomposition of RGSW ciphertexts, modulo the prime of [`ThreeLevelParameters::level_1`].
    #[must_use]
    pub fn rgsw_gadget(&self) -> Gadget {
        gadget(self.ring.modulus().value(), self.literal.rgsw)
    }

    /// Decomposition of private key switching, of masks modulo the prime of level 2.
    #[must_use]
    pub fn private_gadget(&self) -> Gadget {
        gadget(self.top.prime(), self.literal.private)
    }

    /// Decomposition of LWE key switching, on the 32-bit torus.
    #[must_use]
    pub fn key_switching_gadget(&self) -> Gadget {
        gadget(TORUS, self.literal.key_switching)
    }

    /// Rows for a digit of private key switching.
    #[must_use]
    pub fn multiples(&self) -> usize {
        self.literal.form.multiples(self.literal.private.base_log2)
    }

    /// Rows of private key switching for each of its two functions: N̄·ℓ·multiples.
    #[must_use]
    pub fn private_rows(&self) -> usize {
        let digits = self.top.ring_degree() * self.literal.private.length;
        digits.saturating_mul(self.multiples())
    }

    /// Bytes of private switching keys in memory: two functions, rows of 2N words.
    fn private_key_bytes(&self) -> u64 {
        (self.private_rows() as u64).saturating_mul(16 * self.ring.degree() as u64)
    }

    /// θ: phases are rounded to multiples of 2^θ, so that one rotation makes all rows (PBSmanyLUT).
    #[must_use]
    pub fn sparsity_log2(&self) -> u32 {
        self.literal.rgsw.length.next_power_of_two().ilog2()
    }

    /// 2N̄/2^θ: the number of phases that rounding leaves.
    #[must_use]
    pub fn sparse_modulus(&self) -> u64 {
        self.top.rotation_modulus() >> self.sparsity_log2()
    }

    /// Bytes of an RGSW ciphertext: 2ℓ rows, and the highest once more.
    #[must_use]
    pub fn rgsw_bytes(&self) -> usize {
        (2 * self.literal.rgsw.length + 1) * 16 * self.ring.degree()
    }

    /// Bytes of all keys as they are sent, masks as a seed.
    #[must_use]
    pub fn key_file_bytes(&self) -> u64 {
        let literal = &self.literal;
        let rotation = 2 * literal.rotation.length * literal.lwe_dimension;
        let prime_bits = self.top.prime().ilog2() + 1;
        let bytes = packed_bytes(rotation * self.top.ring_degree(), prime_bits)
            + 2 * self.private_rows() * self.ring.degree() * (TORUS_BITS / 8) as usize
            + self.ring.degree() * literal.key_switching.length * (TORUS_BITS / 8) as usize
            + Seed::BYTES;
        bytes as u64
    }

    /// The problems that the secrets of levels 0, 1 and 2 rest on. Moduli are those that make errors of deviation 3.24,
    /// as the tables have them, the same fraction.
    #[must_use]
    pub fn lwe_instances(&self) -> [LweInstance; 3] {
        let binary = SecretDistribution::Binary;
        let [n, top] = self.literal.degrees;
        let moduli = self.literal.log2_deviations.map(log2_modulus);
        [
            LweInstance::lwe("level 0", self.literal.lwe_dimension, binary, moduli[0]),
            LweInstance::ring("level 1", n, binary, moduli[1]),
            LweInstance::ring("level 2", top, binary, moduli[2]),
        ]
    }

    /// Estimated security in bits: of the weakest level.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        LweInstance::least_security_bits(&self.lwe_instances())
    }

    /// Deviation of errors of a level below 2, in words of the 32-bit torus.
    pub(super) fn deviation(&self, level: usize) -> f64 {
        (self.literal.log2_deviations[level] + f64::from(TORUS_BITS)).exp2()
    }
}

/// Demands that what level 2 does not check is in range.
fn check(literal: &ThreeLevelLiteral) -> Result<()> {
    for degree in literal.degrees {
        let is_in_range = degree.is_power_of_two() && (32..=8192).contains(&degree);
        let limit = "it must be a power of two from 32 to 8192";
        demand(is_in_range, "ring degree", degree as f64, limit)?;
    }
    for (log2, limit) in literal.log2_deviations.into_iter().zip([31.0, 31.0, 45.0]) {
        let (name, range) = ("log2 of the deviation of errors", -limit..=-8.0);
        demand(range.contains(&log2), name, log2, &format!("it must be from -{limit} to -8"))?;
    }
    // Of what level 2 has of the torus, digits must leave a bit.
    let top_bits = log2_modulus(literal.log2_deviations[2]) as usize;
    let digits = [
        ("private switching digits", literal.private, top_bits.min(31)),
        ("RGSW digits", literal.rgsw, 31),
        ("key switching digits", literal.key_switching, 31),
    ];
    for (name, GadgetLiteral { base_log2, length }, most) in digits {
        let bits = (base_log2 as usize).saturating_mul(length);
        let fits = base_log2 > 0 && length > 0 && bits <= most;
        demand(fits, name, bits as f64, &format!("together they must have from 1 to {most} bits"))?;
    }
    Ok(())
}

fn gadget(modulus: u64, GadgetLiteral { base_log2, length }: GadgetLiteral) -> Gadget {
    Gadget::new(modulus, base_log2, length)
}

/// log2 of the modulus that makes an error of variance 10.5 a fraction of this deviation.
fn log2_modulus(log2_deviation: f64) -> f64 {
    ERROR_VARIANCE.log2() / 2.0 - log2_deviation
}

/// Blind rotation of level 0 at level 2. Key switching, which does not leave level 2 here, and the trace have one digit of
/// one bit, under the least modulus: nobody uses their keys.
fn level_2(literal: &ThreeLevelLiteral) -> ParametersLiteral {
    let least = GadgetLiteral { base_log2: 1, length: 1 };
    let binary = SecretDistribution::Binary;
    ParametersLiteral {
        lwe_dimension: literal.lwe_dimension,
        lwe_secret: binary,
        log2_lwe_modulus: (2 * literal.degrees[1]).ilog2(),
        ring_degree: literal.degrees[1],
        log2_prime: log2_modulus(literal.log2_deviations[2]),
        ring_secret: binary,
        rotation_method: RotationMethod::Cmux,
        rotation: literal.rotation.into(),
        finer_rotations: [None; 3],
        intermediate: None,
        key_switching: least,
        automorphism: least,
        relinearization: least,
        packing: least,
    }
}

#[cfg(test)]
mod tests {
    use PrivateKeyForm::{Precomputed, Products};

    use super::*;

    /// Key sizes of Table 8 are in MiB; the paper's private switching has rows of the body's digits, too.
    #[test]
    fn keys_have_the_published_sizes() {
        let mebibytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        let parameters = ThreeLevelParameters::insecure_tfhepp(Products);
        let literal = parameters.literal();
        let rotation = literal.lwe_dimension * 2 * literal.rotation.length;
        assert_eq!(mebibytes(rotation * 2 * 2048 * 8), 158.75);
        let private = 2 * parameters.private_rows() * 2 * 1024 * 4;
        let with_body = mebibytes(private / 2048 * 2049);
        assert!((with_body - 320.16).abs() < 0.01, "{with_body}");
        // All values of eight, 2,561.28 MiB, or those of one sign.
        let precomputed = ThreeLevelParameters::insecure_tfhepp(Precomputed);
        assert_eq!((parameters.multiples(), precomputed.multiples()), (1, 4));
        assert!((8.0 * with_body - 2561.28).abs() < 0.1);
    }

    #[test]
    fn levels_have_the_security_of_the_tables() {
        let parameters = ThreeLevelParameters::insecure_tfhepp(Products);
        let bits = parameters.lwe_instances().map(|instance| instance.security_bits());
        println!("security of the levels: {bits:?}");
        assert_eq!(parameters.security_bits(), bits[0]);
        assert!((100.0..120.0).contains(&bits[0]) && (120.0..128.0).contains(&bits[1]), "{bits:?}");
        assert!((128.0..160.0).contains(&bits[2]), "{bits:?}");
        let deviation = ERROR_VARIANCE.sqrt() / parameters.level_2().prime() as f64;
        assert!((deviation.log2() + 44.0).abs() < 1e-3);
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let literal = *ThreeLevelParameters::insecure_toy(Products).literal();
        let refused = |literal| ThreeLevelParameters::insecure(literal).unwrap_err().to_string();
        let wide = GadgetLiteral { base_log2: 8, length: 4 };
        let message = refused(ThreeLevelLiteral { private: wide, ..literal });
        assert!(message.contains("private switching digits"), "{message}");
        assert!(refused(ThreeLevelLiteral { rgsw: wide, ..literal }).contains("RGSW digits"));
        assert!(
            refused(ThreeLevelLiteral { degrees: [100, 512], ..literal }).contains("ring degree")
        );
        let log2_deviations = [-15.0, -32.0, -44.0];
        let message = refused(ThreeLevelLiteral { log2_deviations, ..literal });
        assert!(message.contains("deviation"), "{message}");
        assert!(
            ThreeLevelParameters::insecure(ThreeLevelLiteral { lwe_dimension: 0, ..literal })
                .is_err()
        );
    }
}
