//! `bench automaton`: counting the occurrences of a pattern of bytes in an encrypted text.

use clap::Args;
use cryptable::engines::leveled::Automaton;
use cryptable::{Execution, Request, SecretKey, Table};
use serde::Serialize;

use crate::contract::{Contract, print_line};
use crate::measurement::{Runs, timed, try_timed};

/// Text that is repeated.
const TEXT: &[u8] = b"abracadabra";

/// Number of values of a symbol.
const SYMBOLS: u64 = 256;

/// Arguments of `bench automaton`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  cryptable --threads 1 --json bench automaton --length 1000 --pattern abra"
)]
pub struct AutomatonArguments {
    /// Length of the text in bytes.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    length: u32,
    /// Pattern to count.
    #[arg(long, default_value = "abra")]
    pattern: String,
    /// Runs to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// INSECURE parameters of small rings, for tests.
    #[arg(long, hide = true)]
    insecure_toy: bool,
}

/// A line: the contract, and the fields of automata. A value is a symbol of the text, and `eval_s` the time for the whole text.
#[derive(Debug, Serialize)]
struct AutomatonLine {
    #[serde(flatten)]
    contract: Contract,
    /// Number of states of the automaton.
    states: usize,
    /// Length of the longest text that these parameters allow.
    longest_word: usize,
}

/// Runs the benchmark.
pub fn run(arguments: &AutomatonArguments, json: bool) -> anyhow::Result<()> {
    print_line(&measure(arguments)?, json)
}

fn measure(arguments: &AutomatonArguments) -> anyhow::Result<AutomatonLine> {
    let length = arguments.length as usize;
    let pattern: Vec<u64> = arguments.pattern.bytes().map(u64::from).collect();
    let text: Vec<u64> = TEXT.iter().cycle().take(length).map(|&byte| byte.into()).collect();
    let counts = (length as u64 + 1).next_power_of_two().max(2);
    let request = Request::new(SYMBOLS, counts).word_length(length);
    let request = if arguments.insecure_toy { request.insecure_toy() } else { request };
    let plan = request.plan()?;
    let parameters = plan.best().parameters().leveled()?;
    let (secret, keygen_s) = timed(|| SecretKey::generate(plan.best()));
    let (server, setup_s) = timed(|| secret.evaluation_key());
    let (word, encrypt_s) = try_timed(|| secret.encrypt(&text))?;
    let automaton = Automaton::occurrences(&pattern, SYMBOLS)?;
    let outputs = Table::from_fn(counts, counts, |count| count)?;
    let (mut runs, mut wrong, mut output_bytes) = (Runs::start(), 0, 0);
    for _ in 0..arguments.runs.max(1) {
        let execution = Execution::default();
        let evaluate = || server.run_automaton(&automaton, &word, length, &outputs, execution);
        let result = runs.time(evaluate)?;
        wrong += usize::from(secret.decrypt(&result)? != [automaton.weight(&text)?]);
        output_bytes = result.to_bytes().len();
    }
    let mut contract = Contract {
        method: format!("automaton, {}", parameters.method_name()),
        table: format!("pattern of {} bytes", pattern.len()),
        bits_in: (SYMBOLS as f64).log2(),
        bits_out: (counts as f64).log2(),
        modulus_in: SYMBOLS,
        ring_degree: parameters.ring_degree(),
        keygen_s,
        setup_s,
        encrypt_s: encrypt_s / length as f64,
        eval_key_bytes: server.memory_bytes(),
        input_bytes: word.to_bytes().len() / length,
        output_bytes,
        values_checked: runs.count(),
        wrong,
        log2_fail: parameters.word_log2_fail(SYMBOLS, length),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    };
    runs.enter(&mut contract, length, 0.0);
    Ok(AutomatonLine {
        contract,
        states: automaton.states().len(),
        longest_word: parameters.longest_word(SYMBOLS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn patterns_in_a_text_of_a_toy() {
        let arguments = parsed("--length 5 --runs 1 --insecure-toy");
        let line = measure(&arguments).unwrap();
        check_line(&line);
        assert_eq!((line.states, line.contract.slots), (5, 5));
        assert!(line.longest_word >= 5);
    }
}
