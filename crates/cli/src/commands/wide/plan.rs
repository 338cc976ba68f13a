//! `cryptable wide plan`: what dictionaries and structured tables take.

use std::fmt;

use anyhow::{Result, ensure};
use cryptable::CostModel;
use cryptable::engines::packed::{self, Dictionary, WordCircuit};
use serde::Serialize;

use super::words_of_bits;
use crate::args::Global;
use crate::args::wide::WideArgs;
use crate::commands::parameters::ParameterReport;
use crate::commands::threads;
use crate::report::{self, bytes, seconds};

/// Bits of words that are tried, the most first: fewer are noisier lookups the less, but a dictionary has as many entries as a
/// word has values.
const WORD_BITS: [u32; 3] = [16, 12, 8];

/// Modulus of words of toys.
const TOY_MODULUS: u64 = 1 << 4;

/// Predicts and prints.
///
/// # Errors
/// If nothing serves the request.
pub fn run(global: Global, args: &WideArgs) -> Result<()> {
    let (circuit, parameters) = choose(args)?;
    report::result(global, &Report::new(args, &circuit, parameters, threads(global))?)
}

/// A dictionary of such keys and values, and the fastest parameters for it.
///
/// # Errors
/// If nothing serves the request.
pub fn choose(args: &WideArgs) -> Result<(WordCircuit, packed::Parameters)> {
    if args.insecure_toy {
        let circuit = dictionary(args, TOY_MODULUS)?;
        return Ok((circuit, packed::Parameters::insecure_toy(TOY_MODULUS, TOY_MODULUS)?));
    }
    let mut refusal = None;
    for bits in WORD_BITS {
        match choose_of(args, 1 << bits) {
            Ok(found) => return Ok(found),
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    Err(refusal.expect("words of some bits were tried"))
}

/// A dictionary of two entries in words of this modulus.
fn dictionary(args: &WideArgs, modulus: u64) -> Result<WordCircuit> {
    let words = words_of_bits(args.bits, modulus);
    let value_bits = value_bits(args, modulus);
    let value_words = words_of_bits(value_bits, modulus);
    ensure!(value_words <= 2, "--value-bits {value_bits}: values have at most two words");
    let entries = [(0, 0), (1, 0)];
    Ok(Dictionary::new(modulus, words, 1 << value_bits, entries, 0)?.circuit()?)
}

/// That dictionary, and the fastest parameters for it.
fn choose_of(args: &WideArgs, modulus: u64) -> Result<(WordCircuit, packed::Parameters)> {
    let circuit = dictionary(args, modulus)?;
    let request = packed::Request {
        count: args.values.map(|values| values as usize),
        memory: args.memory,
        log2_fail: Some(args.log2_fail),
        ..packed::Request::new(modulus, modulus)
    };
    let parameters = packed::Parameters::for_words(&circuit, &request)?;
    Ok((circuit, parameters))
}

/// Bits of the values of a dictionary: by default two less than a word has, as many as the comparison of four words leaves.
fn value_bits(args: &WideArgs, modulus: u64) -> u32 {
    args.value_bits.unwrap_or(modulus.ilog2() - 2)
}

#[derive(Serialize)]
struct Report {
    bits: u32,
    value_bits: u32,
    /// Bits of a word: a dictionary has up to 2 to this power entries.
    word_bits: u32,
    #[serde(flatten)]
    parameters: ParameterReport,
    threads: usize,
    memory_bytes: usize,
    key_file_bytes: usize,
    /// Of all values of a ciphertext.
    log2_fail_lookup: f64,
    tables: Vec<TableReport>,
    /// What a table without structure would take at least, which is not looked up.
    arbitrary_table_s: f64,
}

/// A kind of table.
#[derive(Serialize)]
struct TableReport {
    table: &'static str,
    lookups: usize,
    /// Predicted, of a full ciphertext.
    eval_s: f64,
}

impl Report {
    fn new(
        args: &WideArgs,
        circuit: &WordCircuit,
        parameters: packed::Parameters,
        threads: usize,
    ) -> Result<Self> {
        let (cost, p) = (CostModel::calibrated(), circuit.modulus());
        let slots = parameters.literal().slots;
        let table = |table, circuit: &WordCircuit| TableReport {
            table,
            lookups: circuit.lookups(),
            eval_s: parameters
                .words_prediction(circuit)
                .duration(&cost, slots as u64, threads)
                .as_secs_f64(),
        };
        let ones = || vec![1; p as usize];
        let tables = vec![
            table("dictionary", circuit),
            table("sum of functions of the halves", &WordCircuit::sum(p, p, |x| x, |x| x)?),
            table("the same, outputs of two words", &WordCircuit::sum(p, p * p, |x| x, |x| x)?),
            table(
                "product of functions of the halves",
                &WordCircuit::products(p, &[(ones(), ones())])?,
            ),
            table(
                "few pieces, large blocks",
                &WordCircuit::piecewise_constant(p, p, &[(0, 0), (1, 1)])?,
            ),
        ];
        let prediction = parameters.words_prediction(circuit);
        Ok(Self {
            bits: args.bits,
            value_bits: value_bits(args, p),
            word_bits: p.ilog2(),
            threads,
            memory_bytes: prediction.peak_bytes(),
            key_file_bytes: prediction.key_file_bytes,
            log2_fail_lookup: parameters.words_failure(circuit).of_any(slots).log2(),
            tables,
            arbitrary_table_s: cost.seconds(&parameters.arbitrary_table_work()),
            parameters: ParameterReport::new(&parameters.into()),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bits, value_bits, word_bits, .. } = self;
        writeln!(
            f,
            "values of {bits} bits in words of {word_bits}, of a dictionary of up to 2^{word_bits} entries to {value_bits} bits"
        )?;
        for TableReport { table, lookups, eval_s } in &self.tables {
            writeln!(f, "  {table}: {lookups} lookups, {}", seconds(*eval_s))?;
        }
        writeln!(
            f,
            "  a table without structure would take {} at least on one thread: it is refused",
            seconds(self.arbitrary_table_s)
        )?;
        writeln!(f, "  method {}, {}", self.parameters.named_method, self.parameters.security())?;
        writeln!(
            f,
            "  any value of a dictionary's ciphertext of {} fails with probability 2^{:.1}",
            self.parameters.values_per_ciphertext, self.log2_fail_lookup
        )?;
        write!(
            f,
            "  {} of memory, evaluation key of {}, on {} thread{}",
            bytes(self.memory_bytes as u64),
            bytes(self.key_file_bytes as u64),
            self.threads,
            if self.threads == 1 { "" } else { "s" }
        )
    }
}
