//! BinBoot and GateBoot of bits in slots (Algorithms 2 and 3 of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024, ePrint 2024/767):
//! sums of bits are moved to coefficients, and half bootstraps evaluate functions of the sums.

use cryptable_lattice::error::{Result, check_equal};

use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::gate::{Gate, SumGate};
use crate::periodic_function::PeriodicFunction;
use crate::sum_functions::functions_of_sums;

impl EvaluationKey {
    /// BinBoot (Algorithm 2): restores all levels and squares errors.
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters, or are too noisy.
    pub fn bin_boot(&self, bits: &EncryptedBits) -> Result<EncryptedBits> {
        self.bin_boot_sum(&[bits])
    }

    /// BinBoot of a sum of bits: their XOR, with all levels restored and errors squared. The sum consumes no level.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
    /// let server = secret.evaluation_key(Progress::silent())?;
    /// let x = secret.encrypt(&[false, true])?;
    /// let y = secret.encrypt(&[true, true])?;
    /// let parity = server.bin_boot_sum(&[&x, &y, &y, &y])?;
    /// assert_eq!(secret.decrypt(&parity)?, [true, false]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no bits, they belong to another client or to other parameters, their numbers differ, or they are
    /// too noisy.
    pub fn bin_boot_sum(&self, bits: &[&EncryptedBits]) -> Result<EncryptedBits> {
        self.boot_one("BinBoot", PeriodicFunction::bin_boot(), bits, &[])
    }

    /// GateBoot (Algorithm 3): a gate of two bits with all levels restored. A gate that is not symmetric is evaluated
    /// as a symmetric one of negated bits.
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters, their numbers differ, or they are too noisy.
    pub fn gate_boot(
        &self,
        gate: Gate,
        x: &EncryptedBits,
        y: &EncryptedBits,
    ) -> Result<EncryptedBits> {
        let (_, negated) = gate.symmetric_form();
        let function = PeriodicFunction::gate_boot(gate.outputs(), 3);
        self.boot_one("GateBoot", function, &[x, y], &negated)
    }

    /// GateBoot': a gate of two bits that also squares errors, for one level more than [`EvaluationKey::gate_boot`]. It
    /// is the trigonometric Hermite interpolation of degree 2 with extrema at 0, 1/3 and 2/3 (Section 4.2 of the paper
    /// names it).
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::gate_boot`]; also if there is no level for gates.
    pub fn gate_boot_cleaning(
        &self,
        gate: Gate,
        x: &EncryptedBits,
        y: &EncryptedBits,
    ) -> Result<EncryptedBits> {
        let (_, negated) = gate.symmetric_form();
        let function = PeriodicFunction::hermite(&gate.outputs());
        self.boot_one("GateBoot'", function, &[x, y], &negated)
    }

    /// Evaluates several functions of one sum of bits for little more than the cost of one: all share the exponential.
    /// A full adder is `[SumGate::parity(3)?, SumGate::at_least(2, 3)?]`. The functions use up the levels that
    /// [`crate::Parameters::levels_of_sum_gates`] states.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters, SecretKey, SumGate};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
    /// let server = secret.evaluation_key(Progress::silent())?;
    /// let x = secret.encrypt(&[false, true])?;
    /// let y = secret.encrypt(&[true, true])?;
    /// let adder = [SumGate::parity(3)?, SumGate::at_least(2, 3)?];
    /// let outputs = server.gate_boot_many(&adder, &[&x, &y, &y])?;
    /// assert_eq!(secret.decrypt(&outputs[0])?, [false, true]);
    /// assert_eq!(secret.decrypt(&outputs[1])?, [true, true]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no functions, their number of inputs is not the number of bits, or they need more levels than there
    /// are; also the errors of [`EvaluationKey::bin_boot_sum`].
    pub fn gate_boot_many(
        &self,
        gates: &[SumGate],
        bits: &[&EncryptedBits],
    ) -> Result<Vec<EncryptedBits>> {
        for gate in gates {
            check_equal("number of bits of a function", gate.inputs(), bits.len())?;
        }
        self.boot("GateBoot", &functions_of_sums(gates, bits.len())?, bits, &[])
    }

    fn boot_one(
        &self,
        operation: &'static str,
        function: PeriodicFunction,
        bits: &[&EncryptedBits],
        negated: &[bool],
    ) -> Result<EncryptedBits> {
        Ok(self.boot(operation, &[function], bits, negated)?.swap_remove(0))
    }

    fn boot(
        &self,
        operation: &'static str,
        functions: &[PeriodicFunction],
        bits: &[&EncryptedBits],
        negated: &[bool],
    ) -> Result<Vec<EncryptedBits>> {
        self.check(bits)?;
        let sums = self.sum_to_coefficients(bits, negated, functions[0].modulus())?;
        self.half_boot(operation, functions, &sums)
    }
}
