//! `bench words`: dictionaries of keys in words, and tables of two words that have structure, on full ciphertexts.

use std::collections::HashMap;

use clap::{Args, ValueEnum};
use cryptable::engines::packed::{Dictionary, Parameters, Progress, WordCircuit};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::keys::Keys;
use super::limits::LimitArguments;
use super::line::{Measured, PackedRecord, common};
use crate::contract::{Contract, print_line};
use crate::measurement::try_timed;

/// Maximum number of places where a piecewise constant function changes: about as many as any function may have with
/// words of 16 bits.
const PIECES: u64 = 150;

/// Function that is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WordTable {
    /// Values of random keys, one key per value of a word, and a default for all other keys.
    Dictionary,
    /// A sum of a function of each word.
    Sum,
    /// A sum of a function of each word, with outputs of two words.
    WideSum,
    /// A product of a function of each word.
    Product,
    /// A function that changes at 150 random places.
    Pieces,
    /// Random outputs for pairs of random classes of words.
    Classes,
}

/// Arguments of `bench words`.
#[derive(Debug, Args)]
pub struct WordsArguments {
    /// Function that is looked up.
    #[arg(long, value_enum, default_value = "dictionary")]
    table: WordTable,
    /// Number of words in a key of a dictionary; inputs of other tables have two.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=4))]
    words: u8,
    /// Bits of a word.
    #[arg(long, default_value_t = 16)]
    word_bits: u32,
    /// Bits of a dictionary's values [default: two fewer than those of a word].
    #[arg(long)]
    value_bits: Option<u32>,
    #[command(flatten)]
    limits: LimitArguments,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Seed of the random table and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A circuit, its name, and its right results.
struct Job {
    name: String,
    circuit: WordCircuit,
    function: Box<dyn Fn(u64) -> u64>,
    /// Keys of a dictionary.
    keys: Vec<u64>,
    output_bits: f64,
}

/// Runs the benchmark.
pub fn run(arguments: &WordsArguments, json: bool) -> anyhow::Result<()> {
    let job = Job::new(arguments)?;
    let request = arguments.limits.request(2, 2);
    let parameters = Parameters::for_words(&job.circuit, &request)?;
    print_line(&measure(&parameters, &job, arguments)?, json)
}

/// Measures a circuit of words, and checks every value.
fn measure(
    parameters: &Parameters,
    job: &Job,
    arguments: &WordsArguments,
) -> anyhow::Result<PackedRecord> {
    let (p, words) = (job.circuit.modulus(), job.circuit.input_words());
    let values = job.values(parameters.literal().slots, arguments.seed);
    let keys = Keys::generate(parameters)?;
    let (input, encrypt_s) = try_timed(|| keys.secret.encrypt_words(&values, words))?;
    let key = &keys.evaluation_key;
    let (prepared, prepare_s) = try_timed(|| key.prepare_words(&job.circuit))?;
    let evaluate = || key.lookup_words(&input, &prepared, Progress::silent());
    let measured = Measured::of(arguments.runs, evaluate)?;
    let outputs: Vec<u64> = values.iter().map(|&value| (job.function)(value)).collect();
    let word = |index: u32| outputs.iter().map(|output| output / p.pow(index) % p).collect();
    let expected: Vec<Vec<u64>> = (0..job.circuit.output_words() as u32).map(word).collect();
    let bits_in = words as f64 * (p as f64).log2();
    let contract = Contract {
        method: job.name.clone(),
        table: format!("random:{}", arguments.seed),
        bits_in,
        bits_out: job.output_bits,
        modulus_in: p.checked_pow(words as u32).unwrap_or(0),
        encrypt_s,
        prepare_s,
        input_bytes: input.iter().map(|word| word.to_bytes().len()).sum(),
        log2_fail: parameters.words_failure(&job.circuit).log2(),
        ..common(parameters, &keys)
    };
    let prediction = parameters.words_prediction(&job.circuit);
    measured.record(parameters, &keys, &prediction, &expected, contract)
}

impl Job {
    fn new(arguments: &WordsArguments) -> anyhow::Result<Self> {
        let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
        let p = 1u64 << arguments.word_bits;
        match arguments.table {
            WordTable::Dictionary => Self::dictionary(arguments, p, &mut rng),
            WordTable::Sum => Self::sum(p, p, &mut rng),
            WordTable::WideSum => Self::sum(p, p * p, &mut rng),
            WordTable::Product => Self::product(p, &mut rng),
            WordTable::Pieces => Self::pieces(p, &mut rng),
            WordTable::Classes => Self::classes(p, &mut rng),
        }
    }

    fn of(
        name: &str,
        circuit: WordCircuit,
        outputs: u64,
        function: impl Fn(u64) -> u64 + 'static,
    ) -> Self {
        let output_bits = (outputs as f64).log2();
        Self {
            name: name.to_owned(),
            circuit,
            function: Box::new(function),
            keys: Vec::new(),
            output_bits,
        }
    }

    fn dictionary(
        arguments: &WordsArguments,
        p: u64,
        rng: &mut ChaCha20Rng,
    ) -> anyhow::Result<Self> {
        let words = usize::from(arguments.words);
        let bits = arguments.word_bits * u32::from(arguments.words);
        let value_bits = arguments.value_bits.unwrap_or_else(|| arguments.word_bits - 2);
        let outputs = 1u64 << value_bits;
        let mut entries = HashMap::new();
        while (entries.len() as u64) < p {
            let key = rng.random::<u64>() >> (u64::BITS - bits);
            entries.insert(key, rng.random_range(0..outputs));
        }
        let mut sorted: Vec<(u64, u64)> =
            entries.iter().map(|(&key, &value)| (key, value)).collect();
        sorted.sort_unstable();
        let keys = sorted.iter().map(|entry| entry.0).collect();
        let default = outputs - 1;
        let circuit = Dictionary::new(p, words, outputs, sorted, default)?.circuit()?;
        let get = move |key| entries.get(&key).copied().unwrap_or(default);
        let name = format!("dictionary of {bits}-bit keys");
        Ok(Self { keys, ..Self::of(&name, circuit, outputs, get) })
    }

    fn sum(p: u64, outputs: u64, rng: &mut ChaCha20Rng) -> anyhow::Result<Self> {
        let [g, h] = [0, 1].map(|_| random(rng, p, outputs));
        let circuit = WordCircuit::sum(p, outputs, |x| g[x as usize], |x| h[x as usize])?;
        let name = if outputs > p { "sum of two words, both out" } else { "sum of two words" };
        let add = move |x: u64| (g[(x % p) as usize] + h[(x / p) as usize]) % outputs;
        Ok(Self::of(name, circuit, outputs, add))
    }

    fn product(p: u64, rng: &mut ChaCha20Rng) -> anyhow::Result<Self> {
        let [a, b] = [0, 1].map(|_| random(rng, p, p.div_ceil(2)));
        let circuit = WordCircuit::products(p, &[(a.clone(), b.clone())])?;
        let multiply = move |x: u64| a[(x % p) as usize] * b[(x / p) as usize] % p;
        Ok(Self::of("product of two words", circuit, p, multiply))
    }

    fn pieces(p: u64, rng: &mut ChaCha20Rng) -> anyhow::Result<Self> {
        // Small words have room for few places.
        let count = PIECES.min((p as f64).sqrt() as u64 / 2);
        let mut starts: Vec<u64> = (1..count).map(|_| rng.random_range(1..p * p)).collect();
        starts.push(0);
        starts.sort_unstable();
        starts.dedup();
        let pieces: Vec<(u64, u64)> =
            starts.iter().map(|&start| (start, rng.random_range(0..p))).collect();
        let circuit = WordCircuit::piecewise_constant(p, p, &pieces)?;
        let at = move |x| pieces[starts.partition_point(|&start| start <= x) - 1].1;
        Ok(Self::of("piecewise constant in two words", circuit, p, at))
    }

    fn classes(p: u64, rng: &mut ChaCha20Rng) -> anyhow::Result<Self> {
        let count = (p as f64).sqrt() as u64;
        let [low, high] = [0, 1].map(|_| {
            let mut classes = random(rng, p, count);
            // The highest class occurs at least once, so that there are `count` classes, whatever is drawn.
            classes[0] = count - 1;
            classes
        });
        let outputs = random(rng, count * count, p);
        let circuit = WordCircuit::classes(p, p, [&low, &high], &outputs)?;
        let at = move |x: u64| {
            let class = low[(x % p) as usize] + count * high[(x / p) as usize];
            outputs[class as usize]
        };
        Ok(Self::of("classes of two words", circuit, p, at))
    }

    /// Draws random values. For a dictionary, half of them are keys, and a quarter are neighbours of keys.
    fn values(&self, count: usize, seed: u64) -> Vec<u64> {
        let mut rng = ChaCha20Rng::seed_from_u64(seed + 1);
        let bits = self.circuit.modulus().ilog2() * self.circuit.input_words() as u32;
        let mut value = |index: usize| {
            let any = rng.random::<u64>() >> (u64::BITS - bits);
            if self.keys.is_empty() || index % 4 == 3 {
                return any;
            }
            let key = self.keys[rng.random_range(0..self.keys.len())];
            if index % 4 == 1 { key ^ (1 << rng.random_range(0..bits)) } else { key }
        };
        (0..count).map(&mut value).collect()
    }
}

/// Draws random numbers below a bound.
fn random(rng: &mut ChaCha20Rng, count: u64, bound: u64) -> Vec<u64> {
    (0..count).map(|_| rng.random_range(0..bound)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn tables_of_words_of_a_toy() {
        let parameters = Parameters::insecure_toy(16, 16).unwrap();
        for &table in WordTable::value_variants() {
            for words in [2, 4] {
                if words == 4 && table != WordTable::Dictionary {
                    continue;
                }
                let arguments = WordsArguments { table, words, ..parsed("--word-bits 4") };
                let job = Job::new(&arguments).unwrap();
                let record = measure(&parameters, &job, &arguments).unwrap();
                check_line(&record);
                let slots = parameters.literal().slots;
                let checked = (record.contract.values_checked, record.contract.wrong);
                assert_eq!(checked, (slots, 0), "{table:?}");
                assert_eq!(record.contract.bits_in, f64::from(words) * 4.0);
            }
        }
    }
}
