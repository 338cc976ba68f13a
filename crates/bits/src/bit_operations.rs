//! Where operations on bits run: a key, arithmetic that computes with its switching keys, and matrices in the form of that
//! arithmetic.

use std::fmt;

use cryptable_ckks::{Bootstrapping, Ciphertext, Evaluator, Transfers};
use cryptable_lattice::error::Result;

use crate::bit_matrices::BitMatrices;
use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::noise::BitNoise;

/// Operations on bits with one evaluation key, on the processor ([`EvaluationKey::operations`]) or on other arithmetic, where
/// bits stay from one operation to the next. Methods have the names and the results of those of [`EvaluationKey`], which
/// are these on the processor.
///
/// ```
/// use cryptable_bits::{Gate, Packing, Parameters, SecretKey};
/// use cryptable_lattice::Progress;
/// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
/// let server = secret.evaluation_key(Progress::silent())?;
/// let operations = server.operations();
/// let x = operations.load(&secret.encrypt(&[false, true])?)?;
/// let y = operations.not(&operations.gate_boot(Gate::Nand, &x, &x)?)?;
/// assert_eq!(secret.decrypt(&operations.fetch(&y)?)?, [false, true]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct BitOperations<'a, A: Bootstrapping + Transfers> {
    pub(crate) key: &'a EvaluationKey,
    pub(crate) arithmetic: A,
    pub(crate) matrices: &'a BitMatrices<A::Matrix>,
}

impl<M> BitMatrices<M> {
    /// The matrices of a key for other arithmetic than the processor's.
    pub fn load<A: Transfers<Matrix = M>>(key: &EvaluationKey, arithmetic: &A) -> Self {
        let matrices = key.parameters().circuit().coeffs_to_slots.encode(key.ring());
        Self::new(matrices.into_iter().map(|matrix| arithmetic.load_matrix(matrix)).collect())
    }
}

impl<'a, A: Bootstrapping + Transfers> BitOperations<'a, A> {
    /// Operations on arithmetic that has the ring and the switching keys of `key`,
    /// with its matrices ([`BitMatrices::load`]).
    #[must_use]
    pub fn new(
        key: &'a EvaluationKey,
        arithmetic: A,
        matrices: &'a BitMatrices<A::Matrix>,
    ) -> Self {
        Self { key, arithmetic, matrices }
    }

    /// The evaluation key.
    #[must_use]
    pub fn key(&self) -> &'a EvaluationKey {
        self.key
    }

    /// The arithmetic.
    #[must_use]
    pub fn arithmetic(&self) -> &A {
        &self.arithmetic
    }

    /// Bits of the processor.
    ///
    /// # Errors
    /// If they are of another client or other parameters.
    pub fn load(&self, bits: &EncryptedBits) -> Result<EncryptedBits<A::Ciphertext>> {
        self.key.check(&[bits])?;
        let parts = bits.parts.iter().map(|part| self.arithmetic.load(part.clone())).collect();
        Ok(self.with_parts(bits, parts, bits.noise))
    }

    /// Bits for the processor.
    ///
    /// # Errors
    /// Those of [`Transfers::fetch`].
    pub fn fetch(&self, bits: &EncryptedBits<A::Ciphertext>) -> Result<EncryptedBits> {
        let parts = bits.parts.iter().map(|part| self.arithmetic.fetch(part.clone()));
        let parts: Vec<Ciphertext> = parts.collect::<Result<_>>()?;
        Ok(bits.with_parts(parts, bits.limbs, bits.noise))
    }

    /// The matrices of SlotsToCoeffs for fractions of m.
    pub(crate) fn slots_to_coeffs(&self, m: u64) -> &'a [A::Matrix] {
        self.matrices.slots_to_coeffs(m, || {
            let plan = self.key.parameters().circuit().slots_to_coeffs_of(m);
            let matrices = plan.encode(self.key.ring()).into_iter();
            matrices.map(|matrix| self.arithmetic.load_matrix(matrix)).collect()
        })
    }

    /// A part of bits with fewer limbs.
    pub(crate) fn lowered(&self, part: &A::Ciphertext, limbs: usize) -> A::Ciphertext {
        self.key.parameters().circuit().lower(&self.arithmetic, part, limbs)
    }

    /// Other parts with other noise, of the client and the parameters of `bits`.
    pub(crate) fn with_parts<C>(
        &self,
        bits: &EncryptedBits<C>,
        parts: Vec<A::Ciphertext>,
        noise: BitNoise,
    ) -> EncryptedBits<A::Ciphertext> {
        let limbs = self.arithmetic.limbs(&parts[0]);
        bits.with_parts(parts, limbs, noise)
    }

    /// Results by parts and functions as bits, one a function.
    pub(crate) fn join_parts(
        &self,
        by_part: Vec<Vec<A::Ciphertext>>,
        count: usize,
        noises: &[BitNoise],
    ) -> Vec<EncryptedBits<A::Ciphertext>> {
        let parameters = self.key.parameters();
        let binding = *self.key.binding();
        let bottom_limbs = parameters.literal().input_limbs();
        let mut by_part: Vec<_> = by_part.into_iter().map(Vec::into_iter).collect();
        let join = |&noise: &BitNoise| {
            let parts = by_part.iter_mut().map(|part| part.next().expect("a result a function"));
            let parts: Vec<_> = parts.collect();
            let limbs = self.arithmetic.limbs(&parts[0]);
            EncryptedBits { parts, limbs, count, noise, bottom_limbs, binding }
        };
        noises.iter().map(join).collect()
    }
}

impl<A: Bootstrapping + Transfers> fmt::Debug for BitOperations<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BitOperations").field("key", &self.key.key_id()).finish_non_exhaustive()
    }
}

impl EvaluationKey {
    /// Operations on the processor.
    #[must_use]
    pub fn operations(&self) -> BitOperations<'_, Evaluator<'_>> {
        BitOperations::new(self, Evaluator::new(self.ring(), self.keys()), self.matrices())
    }
}
