//! Encryption of vectors: code that secret and public keys share.

use cryptable_ckks::dry_run::Shape;
use cryptable_ckks::plaintext::rounded_coefficients;
use cryptable_lattice::Binding;
use cryptable_lattice::error::{Error, Result, check_within, demand};
use cryptable_ring::{Embedding, SecretSlots};
use num_complex::Complex64;
use zeroize::Zeroizing;

use crate::bounds::SlotBounds;
use crate::ciphertext::{Ciphertext, Tags};
use crate::parameters::Parameters;

/// Encrypts under a key, with all levels: coefficients hold the slots times the scale.
pub(crate) trait Encryption {
    fn parameters(&self) -> &Parameters;

    fn binding(&self) -> &Binding;

    /// The dry run's shape of fresh ciphertexts, noise included.
    fn shape(&self) -> Shape;

    fn encrypt_coefficients(
        &self,
        coefficients: Zeroizing<Vec<i64>>,
        scale: f64,
    ) -> cryptable_ckks::Ciphertext;
}

/// Encrypts numbers within bounds; the remaining slots are 0.
///
/// # Errors
/// If there are more numbers than slots, or one is larger or not finite; if the bounds exceed what fresh ciphertexts
/// hold.
pub(crate) fn encrypt_within(
    key: &impl Encryption,
    values: &[Complex64],
    bounds: SlotBounds,
) -> Result<Ciphertext> {
    let parameters = key.parameters();
    let (count, slots) = (values.len(), parameters.slots());
    check_within("number of values", count as u64, ..=slots as u64)?;
    bounds.check()?;
    let levels = parameters.level_scales();
    let (limbs, scale) = (levels.top(), levels.scale_at(levels.top()));
    let capacity = levels.capacity(limbs);
    let limit = format!("it must be at most {capacity}, the capacity of fresh ciphertexts");
    demand(bounds.modulus() <= capacity, "bound of slots", bounds.modulus(), &limit)?;
    let parts = |value: &Complex64| [(value.re, bounds.re), (value.im, bounds.im)];
    // NaN is within no bounds.
    let is_within = |(part, bound): &(f64, f64)| part.abs() <= *bound;
    if let Some((value, bound)) = values.iter().flat_map(parts).find(|it| !is_within(it)) {
        let limit = format!("its absolute value must be at most {bound}");
        return Err(Error::Parameter { name: "part of a value", value, limit });
    }
    let padded = SecretSlots::from_fn(slots, |i| values.get(i).copied().unwrap_or_default());
    let degree = parameters.literal().ring_degree;
    let coefficients = rounded_coefficients(degree, &Embedding::new(slots), &padded, scale);
    let inner = key.encrypt_coefficients(Zeroizing::new(coefficients), scale);
    let tags = Tags {
        bounds,
        bias: 0.0,
        slot_limit: parameters.slot_limit(),
        bottom_limbs: levels.bottom(),
        slots,
        binding: *key.binding(),
    };
    Ok(Ciphertext::join(inner, key.shape(), tags))
}

/// Adds the encryption methods to a key.
macro_rules! encrypting_key {
    ($key:ty) => {
        impl $key {
            /// Encrypts numbers whose parts are within [-1, 1], with all levels; the remaining slots are 0.
            ///
            /// # Errors
            /// If there are more numbers than slots, or one is larger or not finite.
            pub fn encrypt(
                &self,
                values: &[num_complex::Complex64],
            ) -> Result<crate::ciphertext::Ciphertext> {
                self.encrypt_within(values, crate::bounds::SlotBounds { re: 1.0, im: 1.0 })
            }

            /// Encrypts real numbers within [-1, 1], with all levels; the remaining slots are 0.
            ///
            /// # Errors
            /// The errors of `encrypt`.
            pub fn encrypt_reals(&self, values: &[f64]) -> Result<crate::ciphertext::Ciphertext> {
                let of = |i| num_complex::Complex64::from(values[i]);
                let values = cryptable_ring::SecretSlots::from_fn(values.len(), of);
                self.encrypt_within(&values, crate::bounds::SlotBounds::real(1.0))
            }

            /// Encrypts numbers within other bounds, which are public: every ciphertext carries them.
            ///
            /// # Errors
            /// The errors of `encrypt`; also if the bounds exceed what fresh ciphertexts hold.
            pub fn encrypt_within(
                &self,
                values: &[num_complex::Complex64],
                bounds: crate::bounds::SlotBounds,
            ) -> Result<crate::ciphertext::Ciphertext> {
                crate::encryption::encrypt_within(self, values, bounds)
            }
        }
    };
}

pub(crate) use encrypting_key;
