//! The periodic functions of sums of bits, and of values in coefficients.

use cryptable_lattice::error::{Error, Result, check_within};

use crate::gate::SumGate;
use crate::periodic_function::PeriodicFunction;

/// The functions for outputs at 0, 1, …, as fractions of m. Where fewer than m are given the last one is repeated.
///
/// # Errors
/// If there are none, or one has more outputs than m; all parities serve m = 2.
fn functions_of(gates: &[SumGate], m: u64) -> Result<Vec<PeriodicFunction>> {
    if gates.is_empty() {
        return Err(Error::TooSmall { name: "number of functions", value: 0, limit: 1 });
    }
    let function = |gate: &SumGate| {
        let mut outputs = gate.outputs().to_vec();
        if m == 2 && gate.is_parity() {
            outputs.truncate(2);
        }
        check_within("number of outputs", outputs.len() as u64, ..=m)?;
        if let (Ok(three), true) = (<[bool; 3]>::try_from(&outputs[..]), m > 3) {
            return Ok(PeriodicFunction::gate_boot(three, m));
        }
        outputs.resize(m as usize, outputs[outputs.len() - 1]);
        Ok(PeriodicFunction::interpolation(&outputs))
    };
    gates.iter().map(function).collect()
}

/// Functions of sums of k bits, as fractions of 2 if all are parities, of k + 1 otherwise.
///
/// # Errors
/// If there are none.
pub(crate) fn functions_of_sums(gates: &[SumGate], bits: usize) -> Result<Vec<PeriodicFunction>> {
    let is_parity = gates.iter().all(SumGate::is_parity);
    functions_of(gates, if is_parity { 2 } else { bits as u64 + 1 })
}
