//! Lookups of full ciphertexts on a card: `lookup METHOD BITS [RUNS] [compare]`, with `akp`, `bmt` or `cmt`. Every value
//! is checked, and with `compare` the words of the result are compared with the processor's.

use std::time::Instant;

use cryptable_gpu::{Device, PackedKey};
use cryptable_packed::{
    Ciphertext, EvaluationKey, Method, Parameters, Progress, Request, SecretKey, Table,
};
use rand::{Rng, SeedableRng};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize, default: &str| {
        arguments.get(index).map_or(default, String::as_str).to_owned()
    };
    let method: Method = argument(0, "akp").parse()?;
    let bits: u32 = argument(1, "8").parse()?;
    let runs: usize = argument(2, "3").parse()?;
    let compares = arguments.iter().any(|argument| argument == "compare");
    let device = Device::card(0)?;
    let p = 1 << bits;
    let parameters = Parameters::choose(&Request { method: Some(method), ..Request::new(p, p) })?;
    let mut random = rand_chacha::ChaCha20Rng::seed_from_u64(1);
    let start = Instant::now();
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent())?;
    let keygen = start.elapsed().as_secs_f64();
    let entries: Vec<u64> = (0..p).map(|_| random.random_range(0..p)).collect();
    let table = Table::new(p, p, entries.clone())?;
    let values: Vec<u64> =
        (0..parameters.literal().slots).map(|_| random.random_range(0..p)).collect();
    let input = secret.encrypt(&values)?;
    let before = device.properties()?;
    let start = Instant::now();
    let on_card = PackedKey::upload(&device, &key)?;
    let upload = start.elapsed().as_secs_f64();
    let lookups = on_card.lookups();
    let start = Instant::now();
    let prepared = lookups.prepare(&table)?;
    device.check()?;
    let prepare = start.elapsed().as_secs_f64();
    let mut times = Vec::new();
    let mut output = None;
    for _ in 0..=runs {
        let start = Instant::now();
        output = Some(lookups.lookup(&input, &prepared, Progress::silent())?);
        times.push(start.elapsed().as_secs_f64());
    }
    let first = times.remove(0);
    times.sort_by(f64::total_cmp);
    let output = output.expect("a run");
    let found = secret.decrypt(&output)?;
    let wrong = found
        .iter()
        .zip(&values)
        .filter(|(found, value)| **found != entries[**value as usize])
        .count();
    let after = device.properties()?;
    let used = before.free_bytes - after.free_bytes;
    println!(
        "{{\"card\":\"{}\",\"method\":\"{method}\",\"bits\":{bits},\"values\":{},\"wrong\":{wrong},\"seconds\":{:.4},\
         \"first\":{first:.4},\"least\":{:.4},\"prepare\":{prepare:.4},\"upload\":{upload:.2},\"keygen\":{keygen:.1},\
         \"bytes\":{used}}}",
        after.name,
        values.len(),
        times[times.len() / 2],
        times[0],
    );
    if compares {
        compare(&key, (&table, &input), &output)?;
    }
    if wrong > 0 {
        return Err(format!("{wrong} values are wrong").into());
    }
    Ok(())
}

/// Looks up on the processor, and prints whether the words are the same.
fn compare(
    key: &EvaluationKey,
    (table, input): (&Table, &Ciphertext),
    output: &Ciphertext,
) -> Result<(), cryptable_packed::Error> {
    let start = Instant::now();
    let expected = key.lookup(input, &key.prepare(table)?, Progress::silent())?;
    let cpu = start.elapsed().as_secs_f64();
    let is_equal = expected.to_bytes() == output.to_bytes();
    println!("{{\"equal\":{is_equal},\"cpu_seconds\":{cpu:.3}}}");
    Ok(())
}
