//! The periodic functions of sums of bits.

use cryptable_lattice::error::{Result, check_within};

use crate::gate::SumGate;
use crate::periodic_function::PeriodicFunction;

/// Functions of sums of k bits, as fractions of m: 2 if all are parities, k + 1 otherwise. If a function has fewer
/// outputs than m, its last one is repeated.
///
/// # Errors
/// If there are no functions, or one has more outputs than m.
pub(crate) fn functions_of_sums(gates: &[SumGate], bits: usize) -> Result<Vec<PeriodicFunction>> {
    check_within("number of functions", gates.len() as u64, 1..)?;
    let m = if gates.iter().all(SumGate::is_parity) { 2 } else { bits as u64 + 1 };
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
