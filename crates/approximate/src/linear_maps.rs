//! Products of slots with matrices.

use cryptable_ckks::dry_run::SlotNoise;
use cryptable_ckks::{Arithmetic, LinearTransform};
use cryptable_lattice::error::{Error, Result};

use crate::ciphertext::{Ciphertext, Tags};
use crate::evaluation_key::EvaluationKey;
use crate::linear_map::LinearMap;

/// A matrix, encoded: made once, for any number of products.
#[derive(Debug)]
pub struct PreparedMap {
    map: LinearMap,
    encoded: LinearTransform,
    parameter_digest: [u8; 32],
}

impl EvaluationKey {
    /// Encodes a matrix.
    ///
    /// # Errors
    /// [`Error::MissingKey`].
    pub fn prepare(&self, map: &LinearMap) -> Result<PreparedMap> {
        if !self.key_set().has_map(map) {
            return Err(Error::MissingKey { method: "this linear map", key: "keys of it" });
        }
        let encoded = LinearTransform::encode(self.ring(), map.matrix(), map.plan().clone());
        Ok(PreparedMap { map: map.clone(), encoded, parameter_digest: self.parameters().digest() })
    }

    /// The product of a matrix with slots, a level below that of the matrix. Errors of slots are multiplied by the largest sum
    /// of absolute values of a row: they may depend on each other.
    ///
    /// ```
    /// use cryptable_approximate::{Complex64, KeySet, LinearMap, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy()?);
    /// let rows = [[1.0, 2.0], [-3.0, 0.5]].map(|row| row.map(Complex64::from).to_vec());
    /// let map = LinearMap::new(secret.parameters(), &rows, 3)?;
    /// let server = secret.evaluation_key_for(&KeySet::new().map(&map), Progress::silent())?;
    /// // Every two slots alike.
    /// let x: Vec<f64> = (0..secret.parameters().slots()).map(|j| [0.5, 0.25][j % 2]).collect();
    /// let y = server.transform(&secret.encrypt_reals(&x)?, &server.prepare(&map)?)?;
    /// let y = secret.decrypt_reals(&y)?;
    /// assert!((y[0] - 1.0).abs() < 1e-6 && (y[1] + 1.375).abs() < 1e-6);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If one is of another client or other parameters, the ciphertext has fewer levels than the matrix is for, or the
    /// product may be larger than its level holds.
    pub fn transform(&self, ct: &Ciphertext, map: &PreparedMap) -> Result<Ciphertext> {
        let PreparedMap { map, encoded, parameter_digest } = map;
        self.check(&[ct])?;
        let own = self.parameters().digest();
        cryptable_lattice::error::check_parameters("linear map", own, *parameter_digest)?;
        let ct = &*self.with_levels(ct, map.level())?;
        let levels = self.parameters().level_scales();
        let limbs = levels.bottom() + map.level();
        let bias = ct.tags.bias * map.row_sum();
        let tags = Tags { bounds: map.bounds(ct.bounds()), bias, ..ct.tags };
        self.check_capacity(tags, limbs - 1)?;
        let (evaluator, dry_run) = self.arithmetics();
        let inner = evaluator.transform(&levels.lower(&evaluator, &ct.inner, limbs), encoded, 1);
        let lowered = levels.lower(&dry_run, &ct.shape, limbs);
        let mut shape = dry_run.transform(&lowered, map.plan(), 1);
        // Errors of slots may depend on each other, as those of a sum over slots do.
        let independent = map.plan().row_norm.powi(2);
        let dependent = (map.row_sum().powi(2) - independent).max(0.0);
        shape.noise += SlotNoise::roundings(lowered.noise.total() * dependent);
        Ok(Ciphertext::join(inner, shape, tags))
    }
}
