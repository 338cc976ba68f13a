//! Lookups and sums: what a server computes.

use std::mem::MaybeUninit;

use cryptable::engines::packed::EntryKind;
use cryptable::{Ciphertext, EvaluationKey, Execution, PreparedTable, Table, memory};

use crate::ciphertext::CryptableCiphertext;
use crate::evaluation_key::CryptableEvaluationKey;
use crate::pointers::{self, elements, given, put};
use crate::status::{CryptableStatus, Result};

/// A table that is prepared for any number of lookups with keys of the same parameters.
#[derive(Debug)]
pub struct CryptableTable(PreparedTable);

/// Prepares the table that maps x to `outputs[x]`. `count` must be the input modulus of the key's request,
/// `output_modulus` its output modulus, and all outputs below that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_table_prepare(
    key: Option<&CryptableEvaluationKey>,
    outputs: *const u64,
    count: usize,
    output_modulus: u64,
    result: Option<&mut MaybeUninit<Option<Box<CryptableTable>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's array has `count` elements, as the header says.
        let outputs = unsafe { elements(outputs, count, "outputs") }?;
        let key = &given(key, "key")?.0;
        let table = Table::new(count as u64, output_modulus, outputs.to_vec())?;
        Ok(CryptableTable(key.prepare(&table)?))
    })
}

/// Frees a table.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_table_free(table: Option<Box<CryptableTable>>) {
    drop(table);
}

/// Maps every value of a ciphertext through a table. The result has the table's output modulus, and only the client's
/// secret key decrypts it.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_lookup(
    key: Option<&CryptableEvaluationKey>,
    input: Option<&CryptableCiphertext>,
    table: Option<&CryptableTable>,
    threads: u32,
    result: Option<&mut MaybeUninit<Option<Box<CryptableCiphertext>>>>,
) -> CryptableStatus {
    put(result, || {
        let (key, input) = (&given(key, "key")?.0, &given(input, "input")?.0);
        let table = &given(table, "table")?.0;
        let execution = Execution::default().threads(pointers::threads(threads)?);
        check_memory(key, input)?;
        Ok(CryptableCiphertext(key.lookup_with(input, table, execution)?))
    })
}

/// Checks that there is room for what a lookup takes beside the key.
fn check_memory(key: &EvaluationKey, input: &Ciphertext) -> Result<()> {
    let parameters = key.lookup_parameters()?;
    let at_once = input.count().min(parameters.values_per_part()) as u64;
    let prediction = parameters.lookup_prediction(EntryKind::Shared, 1, at_once);
    let beside = prediction.peak_bytes() - prediction.key_memory_bytes;
    Ok(memory::check("the lookup", beside)?)
}

/// Adds two ciphertexts value by value, modulo their common modulus.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_add(
    key: Option<&CryptableEvaluationKey>,
    x: Option<&CryptableCiphertext>,
    y: Option<&CryptableCiphertext>,
    result: Option<&mut MaybeUninit<Option<Box<CryptableCiphertext>>>>,
) -> CryptableStatus {
    put(result, || {
        let (x, y) = (&given(x, "x")?.0, &given(y, "y")?.0);
        Ok(CryptableCiphertext(given(key, "key")?.0.add(x, y)?))
    })
}
