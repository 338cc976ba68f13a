//! `bench integers --mode single`: operations on single integers in digits, with one ciphertext per digit.

use cryptable::engines::single::{Ciphertext, Parameters, SecretKey};
use cryptable::integers::{ColumnKind, Evaluator, Integer, IntegerColumn, decrypt};
use cryptable::{Engine, Request};
use cryptable_fhew::test_polynomial::encode;
use cryptable_lattice::{Progress, Result};

use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, Runs, try_timed};

use super::{IntegersArguments, IntegersRecord, Planned, Task, bytes, encrypt_both};

/// Runs the benchmark.
pub fn run(arguments: &IntegersArguments, json: bool) -> anyhow::Result<()> {
    let request = Request::integers(ColumnKind::of::<u32>()).engine(Engine::Single);
    let plan = request.digit_bits(arguments.digit_bits()).plan()?;
    let parameters = plan.parameters().single()?.clone();
    let record = match arguments.bits {
        8 => measure::<u8>(&parameters, arguments),
        16 => measure::<u16>(&parameters, arguments),
        32 => measure::<u32>(&parameters, arguments),
        _ => measure::<u64>(&parameters, arguments),
    }?;
    print_line(&record, json)
}

/// Measures an operation on `count` integers at once, and checks every value of every run.
fn measure<T: Integer>(
    parameters: &Parameters,
    arguments: &IntegersArguments,
) -> anyhow::Result<IntegersRecord> {
    let (task, count) = (Task::new(arguments), arguments.count.max(1));
    let secret = SecretKey::generate(parameters);
    let (key, keygen_s) = try_timed(|| secret.evaluation_key(Progress::silent()))?;
    let server = Evaluator::new(&key)?;
    let (mut runs, mut measured) = (Runs::start(), Measured::default());
    // The first run is not timed: it loads keys and memory pages.
    for run in 0..=arguments.runs.max(1) {
        let values = task.values::<T>(count, arguments.seed + run as u64);
        let (columns, encrypt_s) = try_timed(|| encrypt_both(&secret, &values))?;
        let (result, time) = try_timed(|| task.evaluate_digits(&server, &columns))?;
        if run > 0 {
            runs.add(time);
        }
        measured.encrypt_s = encrypt_s / (2 * count) as f64;
        measured.input_bytes = columns.iter().map(bytes).sum();
        measured.enter(&secret, &result, &task.expected(&values), server.digit_bits())?;
    }
    let Planned { contract, digit_bits, lookups } = task.plan::<T>(parameters, count)?;
    let mut contract = Contract {
        method: format!("{}, single values", contract.method),
        table: "single integers".to_owned(),
        modulus_in: parameters.input_modulus(),
        ring_degree: parameters.ring_degree(),
        keygen_s,
        encrypt_s: measured.encrypt_s,
        eval_key_bytes: key.memory_bytes(),
        input_bytes: measured.input_bytes,
        output_bytes: measured.output_bytes,
        security_bits: parameters.security_bits(),
        ..contract
    };
    measured.checked.enter(&mut contract, 1.0);
    runs.enter(&mut contract, count, 0.0);
    Ok(IntegersRecord {
        contract,
        digit_bits,
        lookups,
        log2_fail_of_lookup: parameters.stated_log2_fail(),
        predicted_lookup_units: None,
        lookup_method: Some(parameters.method_name()),
        literal: None,
    })
}

/// Sums over runs.
#[derive(Default)]
struct Measured {
    encrypt_s: f64,
    input_bytes: usize,
    output_bytes: usize,
    /// Checked values, and errors of digits in half steps.
    checked: Checked,
}

impl Measured {
    /// Checks the result of a run.
    fn enter<T: Integer>(
        &mut self,
        secret: &SecretKey,
        result: &IntegerColumn<T, Ciphertext>,
        expected: &[T],
        digit_bits: u32,
    ) -> Result<()> {
        self.checked.compare(&decrypt(secret, result)?, expected);
        self.output_bytes = bytes(result);
        let p = secret.parameters().input_modulus();
        for (index, ciphertext) in result.ciphertexts().enumerate() {
            for (i, value) in expected.iter().enumerate() {
                let digit =
                    value.to_word() >> (index as u32 * digit_bits) & ((1 << digit_bits) - 1);
                let lwe = ciphertext.values().ciphertext(i);
                let error = secret.fhew().phase_error(&lwe, encode(digit, p, lwe.modulus()))?;
                self.checked.errors([error * 2.0 * p as f64]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn operations_on_a_toy() {
        let parameters = Parameters::insecure_toy(16, 16).unwrap();
        for op in ["add", "lt", "tree"] {
            let arguments = parsed(&format!("--mode single --op {op} --count 3 --table-bits 5"));
            let record = measure::<u8>(&parameters, &arguments).unwrap();
            check_line(&record);
            assert_eq!((record.contract.values_checked, record.contract.wrong), (6, 0));
            assert!(record.contract.noise_std_log2 < 0.0 && !record.lookups.is_empty());
        }
        let arguments = parsed("--mode single --op merge");
        let message = measure::<u8>(&parameters, &arguments).unwrap_err().to_string();
        assert!(message.contains("order of single values"), "{message}");
    }
}
