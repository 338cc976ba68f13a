//! Approximate arithmetic on encrypted vectors of real and complex numbers: CKKS.
//!
//! A ciphertext holds thousands of numbers, one a slot, and every operation works on all of them. Numbers are approximate:
//! each ciphertext says how far its slots may be from what they stand for ([`Ciphertext::error`]), and decryption rounds to
//! that. A multiplication takes a level; bootstrapping brings all levels back.
//!
//! ```
//! use cryptable::Progress;
//! use cryptable::SecretKey;
//! use cryptable::ckks::{Grid, KeySet, Parameters, Polynomial, SlotTable};
//! // `Parameters::bootstrapping_128()` has 32,768 slots, 7 levels and 128 bits; a toy ring keeps this example quick.
//! let parameters = Parameters::insecure_toy_bootstrapping()?;
//! let secret = SecretKey::generate(&parameters);
//! let secret = secret.vectors()?;
//! let keys = KeySet::new().rotations_by_powers_of_two(parameters.slots()).lookups();
//! let server = secret.evaluation_key_for(&keys, Progress::silent())?;
//! // The logistic function of numbers in [-1, 1], and the sum of its first four values.
//! let logistic = Polynomial::interpolate(|x| 1.0 / (1.0 + (-x).exp()), 1.0, 7)?;
//! let x = secret.encrypt_reals(&[0.5, -0.25, 1.0, 0.0])?;
//! let y = server.polynomial(&x, &logistic)?;
//! let sum = server.inner_sum(&y, 4)?;
//! let expected: f64 = [0.5, -0.25, 1.0, 0.0].map(|x| logistic.evaluate(x)).iter().sum();
//! assert!((secret.decrypt_reals(&sum)?[0] - expected).abs() < 1e-5);
//! // A discontinuous function in between, with levels back: the sign, of multiples of 1/8.
//! let grid = Grid { first: -1.0, step: 0.125, count: 16 };
//! let sign = SlotTable::from_fn(grid, 1, |x| if x < 0.0 { -1.0 } else { 1.0 })?;
//! let signs = secret.decrypt_reals(&server.lookup(&x, &sign)?)?;
//! assert!((signs[0] - 1.0).abs() < 1e-4 && (signs[1] + 1.0).abs() < 1e-4);
//! // All levels back.
//! let y = server.bootstrap(&y)?;
//! assert_eq!(y.level(), parameters.levels());
//! # Ok::<(), cryptable::Error>(())
//! ```

pub use cryptable_approximate::{
    BootstrappingLiteral, Ciphertext, Complex64, ExponentialLiteral, Grid, KeySet, LeveledTable,
    LinearMap, LookupCandidate, LookupPlan, LookupPrediction, LookupRequest, PackedKey, Parameters,
    ParametersLiteral, Polynomial, PreparedMap, SharedSecret, SlotBounds, SlotError, SlotTable,
    TransformLiteral,
};
/// Noise that hides a ciphertext's own, where others see results: for [`decrypt_flooded`](crate::engines::vectors::SecretKey::decrypt_flooded).
#[cfg(feature = "client")]
pub use cryptable_lattice::coefficient_ciphertext::Flooding;
