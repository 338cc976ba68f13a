//! Tails of lookups in tables per value, in the clear and encrypted.

use cryptable::engines::packed::{Ciphertext, Parameters, Request, SlotTables, Table};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::packed::PackedSubject;
use super::{TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::packed::entries::{Entries, Prepared};
use crate::packed::keys::Keys;
use crate::packed::line::common;

/// Measures lookups with the planner's parameters for such tables.
pub fn run(entries: Entries, arguments: &TailArguments) -> anyhow::Result<Vec<TailRecord>> {
    let modulus = 1 << arguments.bits;
    let request = arguments.limits.request(modulus, modulus);
    let parameters = Parameters::choose(&Request { entries: entries.kind(), ..request })?;
    measure(&parameters, entries, arguments)
}

/// Measures lookups with these parameters. In the worst case, all inputs are one value, where all tables have the largest
/// output, and the least elsewhere.
pub fn measure(
    parameters: &Parameters,
    entries: Entries,
    arguments: &TailArguments,
) -> anyhow::Result<Vec<TailRecord>> {
    let (p, outputs) = (parameters.input_modulus(), parameters.output_modulus());
    let slots = parameters.literal().slots;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let is_worst = arguments.table == TableChoice::Worst;
    let peak = p / 3;
    let mut values = vec![peak; slots];
    if !is_worst {
        values.fill_with(|| rng.random_range(0..p));
    }
    let mut output = |index: u64| {
        let worst = (outputs / 2 + u64::from(index % p == peak) * (outputs - 1)) % outputs;
        if is_worst { worst } else { rng.random_range(0..outputs) }
    };
    let tables = if entries == Entries::OneEncrypted {
        SlotTables::shared(&Table::from_fn(p, outputs, output)?)?
    } else {
        let all = (0..p * slots as u64).map(|index| output(index) as u32).collect();
        SlotTables::from_outputs(p, outputs, all)?
    };
    let expected = values.iter().enumerate().map(|(k, &value)| tables.output(k, value)).collect();
    let keys = Keys::generate(parameters)?;
    let (prepared, _) = Prepared::new(&keys, entries, tables)?;
    let contract = Contract { method: entries.name().to_owned(), ..common(parameters, &keys) };
    let evaluate = |keys: &Keys, input: &[Ciphertext]| prepared.lookup(keys, &input[0]);
    let (operands, expected) = (vec![values], vec![expected]);
    let lookups = PackedSubject { keys, operands, expected, bound: None, evaluate };
    lookups.measure(contract, "law that results state", arguments)
}
