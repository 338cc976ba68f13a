//! Half bootstraps: from bits in coefficients modulo q_0, as FHEW ciphertexts are packed, to bits in slots with all
//! levels (lines 2 to 4 of Algorithms 2 and 3 of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024, ePrint 2024/767, and their
//! Section 6). Also SlotsToCoeffs alone, back to coefficients.

use cryptable_ckks::bootstrapping::mod_raise::raise_before;
use cryptable_ckks::{Arithmetic, Ciphertext};
use cryptable_lattice::error::{Error, Result, check_equal, out_of_range};
use cryptable_lattice::{Binding, RlweCiphertext};
use cryptable_ring::Basis;
use cryptable_wire::KeyId;

use crate::circuit::MAX_MODULUS;
use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::gate::Gate;
use crate::leveled_gates;
use crate::noise::BitNoise;
use crate::parameters::Parameters;
use crate::periodic_function::PeriodicFunction;

/// An RLWE ciphertext `(c0, c1)` modulo q_0 with values v of `Z_m` in its coefficients: `c0 + c1·s = q_0·v/m + noise`.
///
/// Bit i of a ciphertext in slots belongs to coefficient i. With real packing values are in coefficients 0 to N/2 - 1
/// and the others are ignored; with complex packing they are in all N.
#[derive(Clone, Debug)]
pub struct RlweInput {
    values: Coefficients,
    modulus: u64,
    binding: Binding,
}

/// Values in coefficients modulo q_0, and their noise.
#[derive(Clone, Debug)]
pub(crate) struct Coefficients {
    ciphertext: RlweCiphertext,
    count: usize,
    /// Noise as fractions of q_0.
    noise: BitNoise,
}

impl RlweInput {
    /// Makes an input of a ciphertext under the given client's dense secret, with `count` values modulo `modulus`.
    /// `noise` is the noise of coefficients, as fractions of q_0: a
    /// [`NoiseBound`](cryptable_lattice::noise_bound::NoiseBound) where it is Gaussian.
    ///
    /// # Errors
    /// If the ciphertext has another ring degree or a modulus other than q_0, there are more values than a bootstrap
    /// holds, or their modulus is not from 2 to 16.
    pub fn new(
        parameters: &Parameters,
        key_id: KeyId,
        ciphertext: RlweCiphertext,
        count: usize,
        modulus: u64,
        noise: impl Into<BitNoise>,
    ) -> Result<Self> {
        for part in [&ciphertext.c0, &ciphertext.c1] {
            let basis = part.basis();
            check_equal("number of primes of the ciphertext", basis.main, Basis::main(1).main)?;
            check_equal("number of special primes of the ciphertext", basis.special, 0)?;
            check_equal("ring degree", part.words().len(), parameters.literal().ring_degree)?;
        }
        check_modulus(modulus)?;
        let (value, limit) = (count as u64, parameters.bits() as u64);
        if value > limit {
            return Err(Error::TooLarge { name: "number of values", value, limit });
        }
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        let values = Coefficients { ciphertext, count, noise: noise.into() };
        Ok(Self { values, modulus, binding })
    }

    /// Returns the ciphertext modulo q_0.
    #[must_use]
    pub fn ciphertext(&self) -> &RlweCiphertext {
        &self.values.ciphertext
    }

    /// Returns the modulus m of its values.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns how many values there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.count
    }

    /// Noise of coefficients, as fractions of q_0.
    #[must_use]
    pub fn noise(&self) -> BitNoise {
        self.values.noise
    }

    /// Checks that the values belong to a key.
    ///
    /// # Errors
    /// If they do not, with both digests or identifiers.
    pub(crate) fn check(&self, expected: &Binding) -> Result<()> {
        self.binding.check("values in coefficients", expected)
    }

    /// Returns the identifier of the secret key of the values.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }
}

impl EvaluationKey {
    /// BinBoot of values of `Z_2` in coefficients: bits in slots with all levels and squared errors.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
    /// let server = secret.evaluation_key(Progress::silent())?;
    /// let x = secret.encrypt(&[false, true, true])?;
    /// let coefficients = server.to_coefficients(&x, 2)?;
    /// assert_eq!(secret.decrypt(&server.half_bin_boot(&coefficients)?)?, [false, true, true]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the values have another modulus, client or parameters, or are too noisy.
    pub fn half_bin_boot(&self, input: &RlweInput) -> Result<EncryptedBits> {
        check_equal("modulus of the values", input.modulus, 2)?;
        let mut outputs =
            self.half_boot("BinBoot", &[PeriodicFunction::bin_boot()], self.checked(input)?)?;
        Ok(outputs.swap_remove(0))
    }

    /// GateBoot of sums of two bits in coefficients, values 0, 1 and 2 of `Z_m`, m at least 3. The caller sums the bits
    /// of the gate's symmetric form ([`Gate::symmetric_form`]), and negates before summing. m = 3 leaves the least
    /// noise.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::half_bin_boot`].
    pub fn half_gate_boot(&self, gate: Gate, sum: &RlweInput) -> Result<EncryptedBits> {
        if sum.modulus < 3 {
            return Err(Error::TooSmall { name: "modulus of sums", value: sum.modulus, limit: 3 });
        }
        let function = PeriodicFunction::gate_boot(gate.outputs(), sum.modulus);
        Ok(self.half_boot("GateBoot", &[function], self.checked(sum)?)?.swap_remove(0))
    }

    /// SlotsToCoeffs: bits in slots as `q_0·bit/m` in coefficients, modulo q_0.
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters, or m is not from 2 to 16.
    pub fn to_coefficients(&self, bits: &EncryptedBits, m: u64) -> Result<RlweInput> {
        check_modulus(m)?;
        let sums = self.sum_to_coefficients(&[bits], &[], m)?;
        Ok(RlweInput { values: sums, modulus: m, binding: *self.binding() })
    }

    /// The sum of bits, some of them negated, as `q_0·sum/m` in coefficients.
    pub(crate) fn sum_to_coefficients(
        &self,
        bits: &[&EncryptedBits],
        negated: &[bool],
        m: u64,
    ) -> Result<Coefficients> {
        self.check(bits)?;
        let parameters = self.parameters();
        let limbs = parameters.literal().input_limbs();
        let sum = bits.iter().map(|bits| self.noise_at(bits, limbs)).sum();
        let noise = parameters.noise_model().coefficients(m, bits.len(), sum);
        let sums = self.sum(bits, negated, m);
        let circuit = parameters.circuit();
        let ciphertext = circuit.to_coefficients(&self.evaluator(), self.slots_to_coeffs(m), &sums);
        let ciphertext = ciphertext.parts;
        Ok(Coefficients { ciphertext, count: bits[0].count(), noise })
    }

    /// The sum of bits at the bottom level, some of them negated, by parts. Modulo 2 every other bit is subtracted,
    /// which halves the largest sum and the rounding errors of SlotsToCoeffs.
    fn sum(&self, bits: &[&EncryptedBits], negated: &[bool], m: u64) -> Vec<Ciphertext> {
        let arithmetic = &self.evaluator();
        let limbs = self.parameters().literal().input_limbs();
        let part = |index: usize| {
            let terms = bits.iter().enumerate().map(|(k, bits)| {
                let lowered = self.lowered(&bits.parts[index], limbs);
                let is_negated = negated.get(k) == Some(&true);
                if is_negated { leveled_gates::not(arithmetic, &lowered) } else { lowered }
            });
            let signed = terms.enumerate().map(|(k, mut term)| {
                if m == 2 && k % 2 == 1 {
                    arithmetic.mul_integer_assign(&mut term, -1);
                }
                term
            });
            signed.reduce(|mut sum, term| {
                arithmetic.add_assign(&mut sum, &term);
                sum
            })
        };
        (0..bits[0].parts.len()).map(|index| part(index).expect("a term")).collect()
    }

    /// Returns the values of an input after checking its parameters and client.
    ///
    /// # Errors
    /// If they belong to other parameters or to another client.
    fn checked<'i>(&self, input: &'i RlweInput) -> Result<&'i Coefficients> {
        input.check(self.binding())?;
        Ok(&input.values)
    }

    /// ModRaise, CoeffsToSlots, functions. Fails if a result would be too noisy.
    pub(crate) fn half_boot(
        &self,
        operation: &'static str,
        functions: &[PeriodicFunction],
        input: &Coefficients,
    ) -> Result<Vec<EncryptedBits>> {
        let parameters = self.parameters();
        parameters.check_levels(functions)?;
        let noises = parameters.noise_after_half_boot(functions, input.noise);
        let limit = parameters.literal().log2_fail;
        noises.iter().try_for_each(|noise| noise.check(operation, limit))?;
        Ok(self.functions_of(functions, input, &noises))
    }

    /// Like [`Self::half_boot`], without a check of noise: the results are stated to have `noises`.
    ///
    /// # Errors
    /// If the values belong to another client or to other parameters.
    pub(crate) fn half_boot_unchecked(
        &self,
        functions: &[PeriodicFunction],
        input: &RlweInput,
        noises: &[BitNoise],
    ) -> Result<Vec<EncryptedBits>> {
        Ok(self.functions_of(functions, self.checked(input)?, noises))
    }

    fn functions_of(
        &self,
        functions: &[PeriodicFunction],
        input: &Coefficients,
        noises: &[BitNoise],
    ) -> Vec<EncryptedBits> {
        let arithmetic = &self.evaluator();
        let (circuit, raised) =
            (self.parameters().circuit(), self.parameters().literal().raised_basis());
        let raised = raise_before(arithmetic, &input.ciphertext, raised, &circuit.coeffs_to_slots);
        let phases = circuit.phases(arithmetic, self.coeffs_to_slots(), raised);
        let by_part = circuit.evaluate_parts(arithmetic, phases, functions);
        self.join_parts(by_part, input.count, noises)
    }
}

fn check_modulus(m: u64) -> Result<()> {
    if (2..=MAX_MODULUS).contains(&m) {
        return Ok(());
    }
    Err(out_of_range("modulus of values in coefficients", m, "from 2 to 16"))
}
