//! Parameters and noise of the TFHE circuit bootstrap, to compare with (Wang et al., EUROCRYPT 2024, ePrint 2024/323,
//! Sec. 2.5 and 6.3): a set of [`CircuitBootstrappingParameters`], and the decomposition of private key switching.
//!
//! The paper compares with three parameter sets on a torus of 32 and 64 bits (Table 6). Those are
//! [`three_levels`](crate::tfhe_baseline::three_levels). Here the baseline has the ring, blind rotation and RGSW
//! ciphertexts of the set that it is compared with; only the conversion differs.

use cryptable_fhew::noise::{Variance, second_moment};
use cryptable_fhew::parameters::GadgetLiteral;
use cryptable_lattice::ERROR_VARIANCE;
use cryptable_lattice::Result;
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::gadget::Gadget;
use serde::{Deserialize, Serialize};

use cryptable_lattice::error::out_of_range;
use cryptable_leveled::noise::{CircuitBootstrappingNoise, RgswNoise};
use cryptable_leveled::parameters::CircuitBootstrappingParameters;

/// Most bytes of an expanded private switching key: 6 GB.
pub const MAX_KEY_BYTES: u64 = 6_000_000_000;

/// Most bits of a digit: those of factors of a row.
const MAX_BASE_LOG2: u32 = 32;

/// What a private switching key stores for every digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PrivateKeyForm {
    /// One row, which digits multiply.
    Products,
    /// A row for each of the 2^(w-1) absolute values of a digit but 0, each encrypted afresh: rows are only added or
    /// subtracted, and digits do not multiply their errors.
    ///
    /// The paper's variant stores all B - 1 values of unsigned digits; balanced ones need half as many rows.
    Precomputed,
}

impl PrivateKeyForm {
    /// Rows for a digit of `base_log2` bits. Saturates.
    #[must_use]
    pub fn multiples(self, base_log2: u32) -> usize {
        match self {
            Self::Products => 1,
            Self::Precomputed => {
                1usize.checked_shl(base_log2.saturating_sub(1)).unwrap_or(usize::MAX)
            }
        }
    }
}

/// Noise of a private key switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrivateSwitchingNoise {
    /// What is rounded away of the input's phase: one number, which the function is applied to as to the phase.
    pub rounding: Variance,
    /// Of every coefficient besides: errors of rows.
    pub rows: Variance,
}

/// Parameters of the TFHE circuit bootstrap.
#[derive(Clone, Debug, PartialEq)]
pub struct TfheParameters {
    circuit: CircuitBootstrappingParameters,
    private: GadgetLiteral,
    form: PrivateKeyForm,
}

impl TfheParameters {
    /// A set with a decomposition of private key switching.
    ///
    /// # Errors
    /// If the digits do not fit Q or have more than 32 bits, or the key had more than [`MAX_KEY_BYTES`].
    pub fn new(
        circuit: &CircuitBootstrappingParameters,
        private: GadgetLiteral,
        form: PrivateKeyForm,
    ) -> Result<Self> {
        let GadgetLiteral { base_log2, length } = private;
        let limit = u64::from(circuit.fhew().prime().ilog2());
        let bits = u64::from(base_log2).saturating_mul(length as u64);
        if base_log2 == 0 || length == 0 || base_log2 > MAX_BASE_LOG2 || bits > limit {
            let limit = format!(
                "together they must have from 1 to {limit} bits, each at most {MAX_BASE_LOG2}"
            );
            return Err(out_of_range("number of bits of private switching digits", bits, limit));
        }
        let parameters = Self { circuit: circuit.clone(), private, form };
        let bytes = parameters.key_bytes();
        if bytes > MAX_KEY_BYTES {
            let limit = format!(
                "it must be at most {MAX_KEY_BYTES}; digits of {base_log2} bits need {} rows each",
                form.multiples(base_log2)
            );
            let name = "number of bytes of the private switching key";
            return Err(out_of_range(name, bytes, limit));
        }
        Ok(parameters)
    }

    /// The shortest decomposition whose RGSW ciphertexts serve chains of CMUXes at least as long as those of the set's
    /// own circuit bootstrap, of bases the one that serves the longest.
    ///
    /// ```
    /// use cryptable_papers::tfhe_baseline::{PrivateKeyForm, TfheParameters};
    /// use cryptable_leveled::parameters::ParameterSet;
    /// let circuit = ParameterSet::CmuxDepth2.parameters();
    /// let products = TfheParameters::as_deep(&circuit, PrivateKeyForm::Products)?;
    /// assert!(products.noise().max_depth() >= 8);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is none whose key has at most [`MAX_KEY_BYTES`].
    pub fn as_deep(circuit: &CircuitBootstrappingParameters, form: PrivateKeyForm) -> Result<Self> {
        let depth = CircuitBootstrappingNoise::new(circuit).max_depth();
        let bits = circuit.fhew().prime().ilog2();
        let deepest = |length: usize| {
            (1..=bits / length as u32)
                .filter_map(|base_log2| {
                    Self::new(circuit, GadgetLiteral { base_log2, length }, form).ok()
                })
                .map(|parameters| (parameters.noise().max_depth(), parameters))
                .max_by_key(|(depth, _)| *depth)
        };
        (1..=bits as usize)
            .filter_map(deepest)
            .find(|(found, _)| *found >= depth)
            .map(|(_, parameters)| parameters)
            .ok_or_else(|| {
                let limit =
                    format!("private switching keys of {MAX_KEY_BYTES} bytes do not reach it");
                out_of_range("depth", depth, limit)
            })
    }

    /// The parameters whose circuit bootstrap it is compared with.
    #[must_use]
    pub fn circuit_bootstrapping(&self) -> &CircuitBootstrappingParameters {
        &self.circuit
    }

    /// What the key stores for every digit.
    #[must_use]
    pub fn form(&self) -> PrivateKeyForm {
        self.form
    }

    /// Gadget decomposition of private key switching.
    #[must_use]
    pub fn private_gadget(&self) -> Gadget {
        let GadgetLiteral { base_log2, length } = self.private;
        Gadget::new(self.circuit.fhew().prime(), base_log2, length)
    }

    /// Rows for a digit: 1, or one for each absolute value but 0.
    #[must_use]
    pub fn multiples(&self) -> usize {
        self.form.multiples(self.private.base_log2)
    }

    /// Rows for each of the two functions: N·ℓ·multiples.
    #[must_use]
    pub fn rows(&self) -> u64 {
        let digits = (self.circuit.fhew().ring_degree() * self.private.length) as u64;
        digits.saturating_mul(self.multiples() as u64)
    }

    /// Bytes of the expanded private switching key: two functions, rows of 2N words.
    #[must_use]
    pub fn key_bytes(&self) -> u64 {
        let row = 16 * self.circuit.fhew().ring_degree() as u64;
        self.rows().saturating_mul(2 * row)
    }

    /// Bytes of the private switching key as it is sent: bodies of ⌈log2 Q⌉ bits, and a seed.
    #[must_use]
    pub fn key_file_bytes(&self) -> u64 {
        let parameters = self.circuit.fhew();
        let bits = u64::from(parameters.prime().ilog2() + 1);
        let words = 2 * self.rows() * parameters.ring_degree() as u64;
        (words * bits).div_ceil(8) + cryptable_ring::random::Seed::BYTES as u64
    }

    /// A private key switch: rows `ℓ·N·E·σ²`, E the second moment of a digit for products and the probability that it
    /// is not 0 for pre-computed rows; rounding `rounding·N·E[s²] + (N·E[s]·mean)²`.
    ///
    /// The mean is that of digits, -1/2 each, times what weights are rounded by: alike for all words of a mask, it adds
    /// up under a binary secret. It counts where digits reach to the last bits.
    #[must_use]
    pub fn private_switching_noise(&self) -> PrivateSwitchingNoise {
        let parameters = self.circuit.fhew();
        let (gadget, q) = (self.private_gadget(), parameters.prime() as f64);
        let n = parameters.ring_degree() as f64;
        let moment = match self.form {
            PrivateKeyForm::Products => gadget.digit_variance(),
            PrivateKeyForm::Precomputed => 1.0 - (-f64::from(gadget.base_log2())).exp2(),
        };
        let rows = gadget.length() as f64 * n * moment * ERROR_VARIANCE;
        let ring_secret = parameters.literal().ring_secret;
        let secret = second_moment(ring_secret);
        let mean = if ring_secret == SecretDistribution::Binary { 0.5 } else { 0.0 };
        let exact =
            |k: usize| q / f64::from(gadget.base_log2() * (gadget.length() - k) as u32).exp2();
        let weights: f64 = (0..gadget.length()).map(|k| gadget.weight(k) as f64 - exact(k)).sum();
        let bias = n * mean * weights / 2.0;
        PrivateSwitchingNoise {
            rounding: Variance::of_units(gadget.rounding_variance() * n * secret + bias.powi(2), q),
            rows: Variance::of_units(rows, q),
        }
    }

    /// Noise of RGSW ciphertexts and of what follows. A row has blind rotation's noise and what private key switching
    /// rounds in one coefficient, or that times s, and its rows' errors in all.
    #[must_use]
    pub fn noise(&self) -> CircuitBootstrappingNoise {
        let noise = CircuitBootstrappingNoise::new(&self.circuit);
        let literal = self.circuit.fhew().literal();
        let degree = literal.ring_degree as f64;
        let PrivateSwitchingNoise { rounding, rows } = self.private_switching_noise();
        let phase = noise.model().blind_rotation() + rounding;
        let times_secret = phase * (degree * second_moment(literal.ring_secret));
        noise.with_rgsw(RgswNoise {
            constant: phase + rows,
            body: phase + rows * degree,
            mask: times_secret + rows * degree,
            spread: rows * (2.0 * degree),
            largest: phase + times_secret,
        })
    }
}
