//! `cryptable demo gelu`: an exact activation function on encrypted floats.

use std::fmt::{self, Write as _};
use std::fs;

use anyhow::{Context, Result, ensure};
use cryptable::bfloat16;
use cryptable::{Request, Table};
use half::bf16;
use rand::seq::SliceRandom;
use serde_json::json;

use super::demo::{EncryptedRun, fields_of, lookup_line, packed_parameters, peak_line, write_all};
use super::parameters::ParameterReport;
use crate::args::{DemoArgs, Global};
use crate::atomic_file::{self, Access};
use crate::input_file;
use crate::report;

/// Name of the output file.
const VALUES: &str = "gelu.csv";

/// Number of results that are printed.
const SAMPLE: usize = 10;

/// Encrypts all bfloat16 numbers in random order, applies GELU, decrypts, and compares bit by bit.
pub fn run(global: Global, args: &DemoArgs) -> Result<()> {
    ensure!(args.image.is_none(), "--image {:?}: GELU takes no picture", args.image);
    ensure!(!args.insecure_toy, "all bfloat16 numbers need a full ciphertext");
    fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create {}", input_file::name(&args.output)))?;
    let output = args.output.join(VALUES);
    let file = atomic_file::create(&output, Access::Public)?;
    let table = bfloat16::table(bfloat16::gelu)?;
    let parameters = packed_parameters(&Request::for_table(&table).values(table.input_modulus()))?;
    let mut patterns: Vec<u64> = (0..table.input_modulus()).collect();
    patterns.shuffle(&mut rand::rng());
    let run = EncryptedRun::new(global, &parameters, &patterns, &table)?;
    write_all(file, csv(&patterns, &run.results)?.as_bytes())?;
    let wrong = wrong(&table, &patterns, &run.results);
    let parameters = ParameterReport::new(&parameters);
    let sample: Vec<(u64, u64)> =
        patterns.iter().copied().zip(run.results.iter().copied()).take(SAMPLE).collect();
    let mut fields = fields_of(global, &parameters, &run, wrong)?;
    fields["sample"] = json!(sample);
    fields["output"] = output.to_string_lossy().into();
    let checked = run.results.len();
    let row = |&(pattern, result): &(u64, u64)| {
        let (x, y) = (number(pattern), number(result));
        format!("{x:>14.5e} {y:>14.5e} {:>18.5e}\n", bfloat16::gelu(x))
    };
    let text = [
        format!("GELU of all {checked} bfloat16 numbers, under encryption\n"),
        format!("{:>14} {:>14} {:>18}\n", "x", "GELU(x)", "GELU(x) in doubles"),
        sample.iter().map(row).collect(),
        format!("  parameters   {}, {}\n", parameters.security(), parameters.failures()),
        format!("  method       {}\n", parameters.named_method),
        lookup_line(global, &run, "number"),
        peak_line(),
        format!("  check        {checked} results compared bit for bit, {wrong} wrong\n"),
        format!("  numbers      {}", input_file::name(&output)),
    ];
    report::told(global, fields, text.concat())?;
    ensure!(wrong == 0, "{wrong} of {} results are wrong", table.input_modulus());
    Ok(())
}

/// Returns the number of results that differ from the table in any bit.
fn wrong(table: &Table, patterns: &[u64], results: &[u64]) -> usize {
    let expected = patterns.iter().map(|&pattern| table.values()[pattern as usize]);
    let differ = results.iter().zip(expected).filter(|(found, right)| **found != *right).count();
    differ + patterns.len().abs_diff(results.len())
}

fn number(pattern: u64) -> f64 {
    bf16::from_bits(pattern as u16).to_f64()
}

/// Formats bit patterns and numbers, inputs and outputs, as CSV.
fn csv(patterns: &[u64], results: &[u64]) -> Result<String, fmt::Error> {
    let mut text = String::from("bits,x,gelu_bits,gelu\n");
    for (&pattern, &result) in patterns.iter().zip(results) {
        let (x, y) = (number(pattern), number(result));
        writeln!(text, "{pattern:04x},{x:e},{result:04x},{y:e}")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_hold_patterns_and_numbers() {
        let text = csv(&[0x3F80, 0xFF80], &[0x3F57, 0x8000]).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            ["bits,x,gelu_bits,gelu", "3f80,1e0,3f57,8.3984375e-1", "ff80,-inf,8000,-0e0"]
        );
    }

    #[test]
    fn every_wrong_bit_counts() {
        let table = bfloat16::table(bfloat16::gelu).unwrap();
        let right = table.values()[0x3F80];
        assert_eq!(wrong(&table, &[0x3F80, 0x3F80], &[right, right ^ 1]), 1);
        assert_eq!(wrong(&table, &[0x3F80, 0x3F80], &[right]), 1);
    }
}
