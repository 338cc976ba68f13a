//! Sums, products, rotations, conjugates and products with matrices. Each operation computes, and also runs dry for
//! scales and noise.

use std::borrow::Cow;

use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_ckks::{Arithmetic, LinearTransform, Plaintext};
use cryptable_lattice::error::{Error, Result, check_parameters, check_within, demand};
use cryptable_ring::Embedding;
use num_complex::Complex64;

use crate::bounds::{LOG2_FAIL, SlotBounds};
use crate::ciphertext::{Ciphertext, Tags};
use crate::evaluation_key::EvaluationKey;
use crate::key_set::wrapped;
use crate::linear_map::LinearMap;

/// An encoded matrix: made once, for any number of products.
#[derive(Debug)]
pub struct PreparedMap {
    map: LinearMap,
    encoded: LinearTransform,
    parameter_digest: [u8; 32],
}

impl EvaluationKey {
    /// `a + b`, at the lower of both levels. Deviations of errors add up.
    ///
    /// # Errors
    /// If one belongs to another client or to other parameters, or the sum may exceed the capacity of its level.
    pub fn add(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.sum(a, b, false)
    }

    /// `a - b`, like [`EvaluationKey::add`].
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::add`].
    pub fn sub(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.sum(a, b, true)
    }

    fn sum(&self, a: &Ciphertext, b: &Ciphertext, negative: bool) -> Result<Ciphertext> {
        self.check(&[a, b])?;
        let (evaluator, dry_run) = self.arithmetics();
        let levels = self.parameters().level_scales();
        let limbs = a.inner.limbs().min(b.inner.limbs());
        let tags =
            Tags { bounds: a.bounds() + b.bounds(), bias: a.tags.bias + b.tags.bias, ..a.tags };
        self.check_capacity(tags, limbs)?;
        let inner = levels.add(&evaluator, &a.inner, &b.inner, negative);
        let mut shape = levels.add(&dry_run, &a.shape, &b.shape, negative);
        // Errors of common origin may add up.
        let lowered =
            [a, b].map(|ct| levels.lower(&dry_run, &ct.shape, limbs).noise.total().sqrt());
        shape.noise = SlotNoise::roundings((lowered[0] + lowered[1]).powi(2));
        Ok(Ciphertext::join(inner, shape, tags))
    }

    /// `-a`.
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters.
    pub fn negate(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.mul_integer(a, -1)
    }

    /// `a·factor` at the level of a. Errors are multiplied, too.
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters, or the product may exceed the capacity of its level.
    pub fn mul_integer(&self, a: &Ciphertext, factor: i64) -> Result<Ciphertext> {
        self.check(&[a])?;
        let size = factor.unsigned_abs() as f64;
        let bounds = SlotBounds { re: a.bounds().re * size, im: a.bounds().im * size };
        let tags = Tags { bounds, bias: a.tags.bias * size, ..a.tags };
        self.check_capacity(tags, a.inner.limbs())?;
        let (evaluator, dry_run) = self.arithmetics();
        let (mut inner, mut shape) = (a.inner.clone(), a.shape);
        evaluator.mul_integer_assign(&mut inner, factor);
        dry_run.mul_integer_assign(&mut shape, factor);
        Ok(Ciphertext::join(inner, shape, tags))
    }

    /// `a + constant` in every slot.
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters, or the sum may exceed the capacity of its level.
    pub fn add_constant(&self, a: &Ciphertext, constant: Complex64) -> Result<Ciphertext> {
        self.check(&[a])?;
        let tags = Tags { bounds: a.bounds() + SlotBounds::of(&[constant]), ..a.tags };
        self.check_capacity(tags, a.inner.limbs())?;
        let mut inner = a.inner.clone();
        self.arithmetics().0.add_constant_assign(&mut inner, constant);
        Ok(Ciphertext::join(inner, a.shape, tags))
    }

    /// `a·constant` in every slot, one level below.
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters or has no level, or the product may exceed the capacity of
    /// its level.
    pub fn mul_constant(&self, a: &Ciphertext, constant: Complex64) -> Result<Ciphertext> {
        self.check(&[a])?;
        let a = &*self.with_levels(a, 1)?;
        let limbs = a.inner.limbs() - 1;
        let size = constant.norm();
        let tags = Tags {
            bounds: a.bounds() * SlotBounds::of(&[constant]),
            bias: a.tags.bias * size,
            ..a.tags
        };
        self.check_capacity(tags, limbs)?;
        let (evaluator, dry_run) = self.arithmetics();
        let levels = self.parameters().level_scales();
        let inner = levels.combine(&evaluator, &[&a.inner], &[constant], limbs);
        let shape = levels.combine(&dry_run, &[&a.shape], &[constant], limbs);
        Ok(Ciphertext::join(inner, shape, tags))
    }

    /// `a + values`, slot by slot. Slots beyond the values are unchanged.
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters, there are more values than slots, or the sum may exceed
    /// the capacity of its level.
    pub fn add_plain(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        self.check(&[a])?;
        let limbs = a.inner.limbs();
        let tags = Tags { bounds: a.bounds() + SlotBounds::of(values), ..a.tags };
        self.check_capacity(tags, limbs)?;
        let plain = self.encode(values, limbs)?;
        let mut inner = a.inner.clone();
        inner.parts.c0.add_assign(self.ring(), &plain.poly);
        let mut shape = a.shape;
        shape.noise += SlotNoise::roundings(a.slots() as f64 / 6.0 / plain.scale.powi(2));
        Ok(Ciphertext::join(inner, shape, tags))
    }

    /// `a·values`, slot by slot, one level below. Slots beyond the values become 0.
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters or has no level, there are more values than slots, or the
    /// product may exceed the capacity of its level.
    pub fn mul_plain(&self, a: &Ciphertext, values: &[Complex64]) -> Result<Ciphertext> {
        self.check(&[a])?;
        let a = &*self.with_levels(a, 1)?;
        let limbs = a.inner.limbs() - 1;
        let factor = SlotBounds::of(values);
        let tags =
            Tags { bounds: a.bounds() * factor, bias: a.tags.bias * factor.modulus(), ..a.tags };
        self.check_capacity(tags, limbs)?;
        let plain = self.encode(values, limbs + 1)?;
        let (evaluator, dry_run) = self.arithmetics();
        let levels = self.parameters().level_scales();
        let known = levels.plain_shape(limbs + 1, a.slots(), factor.modulus().powi(2));
        let inner = levels.multiply_plain(&evaluator, &a.inner, &plain);
        let shape = levels.multiply_plain(&dry_run, &a.shape, &known);
        Ok(Ciphertext::join(inner, shape, tags))
    }

    /// `a·b`, slot by slot, one level below the lower of both. Errors are multiplied by the bounds of the other
    /// operand. The product of both errors counts as bias, which holds except with probability 2^-80 per slot and
    /// operand.
    ///
    /// # Errors
    /// If one belongs to another client or to other parameters or has no level, or the product may exceed the capacity
    /// of its level.
    pub fn mul(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext> {
        self.check(&[a, b])?;
        let is_square = std::ptr::eq(a, b);
        let a = &*self.with_levels(a, 1)?;
        let other = if is_square { Cow::Borrowed(a) } else { self.with_levels(b, 1)? };
        let b = &*other;
        let limbs = a.inner.limbs().min(b.inner.limbs()) - 1;
        let (size_a, size_b) = (a.bounds().modulus(), b.bounds().modulus());
        let (bias_a, bias_b) = (a.tags.bias, b.tags.bias);
        // An error has √2 times the size of its parts, hence 2 for both errors.
        let of_errors = 2.0 * a.error().largest(LOG2_FAIL) * b.error().largest(LOG2_FAIL);
        let bias = size_a * bias_b + size_b * bias_a + of_errors;
        let tags = Tags { bounds: a.bounds() * b.bounds(), bias, ..a.tags };
        self.check_capacity(tags, limbs)?;
        let (evaluator, dry_run) = self.arithmetics();
        let levels = self.parameters().level_scales();
        let inner = levels.multiply(&evaluator, &a.inner, &b.inner);
        let shape = levels.multiply(&dry_run, &a.shape, &b.shape);
        Ok(Ciphertext::join(inner, shape, tags))
    }

    /// Rotates slots to the left by `steps`, or to the right if it is negative: slot j gets the value of slot
    /// `j + steps`. The rotation is a single step if there is a key for it, else a sequence of rotations by powers of
    /// two.
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters; [`Error::MissingKey`].
    pub fn rotate(&self, a: &Ciphertext, steps: i64) -> Result<Ciphertext> {
        self.check(&[a])?;
        let slots = a.slots();
        let steps = wrapped(steps, slots);
        let parts: Vec<usize> = if self.key_set().has_rotation(steps, slots) {
            vec![steps]
        } else {
            (0..slots.ilog2()).map(|k| 1 << k).filter(|bit| steps & bit != 0).collect()
        };
        if !parts.iter().all(|&part| self.key_set().has_rotation(part, slots)) {
            return Err(Error::MissingKey { method: "this rotation", key: "keys of rotations" });
        }
        let rotated = a.clone();
        Ok(parts.into_iter().filter(|&part| part != 0).fold(rotated, |ct, part| {
            self.both(
                &ct,
                |evaluator, ct| evaluator.rotate(ct, part),
                |dry, ct| dry.rotate(ct, part),
            )
        }))
    }

    /// Sums slots `j, j + 1, …, j + count - 1`, cyclically, in every slot j: all slots, if `count` is their number.
    /// Needs rotations by the powers of two below `count`; bounds grow by that factor.
    ///
    /// ```
    /// use cryptable_approximate::{KeySet, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy()?);
    /// let keys = KeySet::new().rotations_by_powers_of_two(4);
    /// let server = secret.evaluation_key_for(&keys, Progress::silent())?;
    /// let sum = server.inner_sum(&secret.encrypt_reals(&[0.5, 0.25, -1.0, 0.125])?, 4)?;
    /// assert!((secret.decrypt_reals(&sum)?[0] + 0.125).abs() < 1e-6);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `count` is not a power of two up to the number of slots; also the errors of [`EvaluationKey::rotate`] and
    /// [`EvaluationKey::add`].
    pub fn inner_sum(&self, ct: &Ciphertext, count: usize) -> Result<Ciphertext> {
        let ok = count.is_power_of_two() && count <= ct.slots();
        let limit = "a power of two, at most the number of slots";
        demand(ok, "number of summed slots", count as f64, limit)?;
        (0..count.ilog2())
            .try_fold(ct.clone(), |sum, k| self.add(&sum, &self.rotate(&sum, 1 << k)?))
    }

    /// Conjugates slots.
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters; [`Error::MissingKey`].
    pub fn conjugate(&self, a: &Ciphertext) -> Result<Ciphertext> {
        self.check(&[a])?;
        if !self.key_set().has_conjugation() {
            return Err(Error::MissingKey { method: "conjugation", key: "its key" });
        }
        Ok(self.both(a, |evaluator, ct| evaluator.conjugate(ct), |dry, ct| dry.conjugate(ct)))
    }

    /// Lowers a ciphertext to a level, which needs less memory and makes operations faster.
    ///
    /// # Errors
    /// If a belongs to another client or to other parameters, or has fewer levels.
    pub fn lower(&self, a: &Ciphertext, level: usize) -> Result<Ciphertext> {
        self.check(&[a])?;
        let limit = format!("it must be at most {}, that of the ciphertext", a.level());
        demand(level <= a.level(), "level", level as f64, &limit)?;
        let levels = self.parameters().level_scales();
        let limbs = levels.bottom() + level;
        Ok(self.both(
            a,
            |evaluator, ct| levels.lower(evaluator, ct, limbs),
            |dry, ct| levels.lower(dry, ct, limbs),
        ))
    }

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

    /// Multiplies slots by a matrix. The result is one level below that of the matrix. Errors of slots are multiplied
    /// by the largest sum of absolute values of a row, because they may depend on each other.
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
    /// If one belongs to another client or to other parameters, the ciphertext has fewer levels than the matrix needs,
    /// or the product may exceed the capacity of its level.
    pub fn transform(&self, ct: &Ciphertext, map: &PreparedMap) -> Result<Ciphertext> {
        let PreparedMap { map, encoded, parameter_digest } = map;
        self.check(&[ct])?;
        let own = self.parameters().digest();
        check_parameters("linear map", own, *parameter_digest)?;
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
        // Errors of slots may depend on each other, for example those of a sum over slots.
        let independent = map.plan().row_norm.powi(2);
        let dependent = (map.row_sum().powi(2) - independent).max(0.0);
        shape.noise += SlotNoise::roundings(lowered.noise.total() * dependent);
        Ok(Ciphertext::join(inner, shape, tags))
    }

    /// Applies an operation that preserves bounds of slots, on both arithmetics.
    fn both(
        &self,
        a: &Ciphertext,
        compute: impl FnOnce(
            &cryptable_ckks::Evaluator<'_>,
            &cryptable_ckks::Ciphertext,
        ) -> cryptable_ckks::Ciphertext,
        predict: impl FnOnce(&cryptable_ckks::DryRun, &Shape) -> Shape,
    ) -> Ciphertext {
        let (evaluator, dry_run) = self.arithmetics();
        Ciphertext::join(compute(&evaluator, &a.inner), predict(&dry_run, &a.shape), a.tags)
    }

    /// Encodes values as a plaintext for ciphertexts of `limbs` limbs.
    fn encode(&self, values: &[Complex64], limbs: usize) -> Result<Plaintext> {
        let slots = self.parameters().slots();
        check_within("number of values", values.len() as u64, ..=slots as u64)?;
        let levels = self.parameters().level_scales();
        let bounds = SlotBounds::of(values);
        let is_finite = values.iter().all(|z| z.re.is_finite() && z.im.is_finite());
        let capacity = 61f64.exp2() / levels.scale_at(limbs);
        let limit = format!("all must be at most {capacity}");
        let ok = is_finite && bounds.modulus() <= capacity;
        demand(ok, "largest value of a plaintext", bounds.modulus(), &limit)?;
        let mut padded = values.to_vec();
        padded.resize(slots, Complex64::ZERO);
        let (embedding, scale) = (Embedding::new(slots), levels.scale_at(limbs));
        Ok(Plaintext::encode(self.ring(), &embedding, &padded, scale, limbs))
    }

    /// Checks that `limbs` limbs can hold the slots.
    pub(crate) fn check_capacity(&self, tags: Tags, limbs: usize) -> Result<()> {
        let capacity = self.parameters().level_scales().capacity(limbs);
        let size = tags.bounds.modulus();
        let limit = format!("it must be at most {capacity}, the capacity of its level");
        demand(size <= capacity, "bound of the result", size, &limit)
    }
}
