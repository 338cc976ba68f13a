//! Values in JavaScript's typed arrays, copied through memory that is cleared.

use js_sys::{Int32Array, Uint8Array, Uint32Array};
use wasm_bindgen::{JsCast, JsValue};
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// Bound on moduli, so that values fit into the words of typed arrays.
const MODULUS_BOUND: f64 = 4_294_967_296.0;

/// Checks a modulus that JavaScript passed as a number.
///
/// # Errors
/// If it is not an integer from 2 to 2^32.
pub(crate) fn modulus(name: &str, value: f64) -> Result<u64> {
    match value.fract() == 0.0 && (2.0..=MODULUS_BOUND).contains(&value) {
        true => Ok(value as u64),
        false => {
            Err(Error::new(&format!("{name} is {value}, but must be an integer from 2 to 2^32")))
        }
    }
}

/// Checks that an argument is a typed array of the right type, since JavaScript may pass anything.
fn check_type<T: JsCast>(value: &JsValue, name: &str) -> Result<()> {
    match value.is_instance_of::<T>() {
        true => Ok(()),
        false => Err(Error::new(&format!("values must be in a {name}"))),
    }
}

/// Copies unsigned values from JavaScript.
///
/// # Errors
/// If they are not in a `Uint32Array`.
pub(crate) fn unsigned(values: &Uint32Array) -> Result<Zeroizing<Vec<u64>>> {
    check_type::<Uint32Array>(values, "Uint32Array")?;
    let mut words = Zeroizing::new(vec![0u32; values.length() as usize]);
    values.copy_to(&mut words);
    Ok(Zeroizing::new(words.iter().map(|&word| u64::from(word)).collect()))
}

/// Copies signed values from JavaScript.
///
/// # Errors
/// If they are not in an `Int32Array`.
pub(crate) fn signed(values: &Int32Array) -> Result<Zeroizing<Vec<i64>>> {
    check_type::<Int32Array>(values, "Int32Array")?;
    let mut words = Zeroizing::new(vec![0i32; values.length() as usize]);
    values.copy_to(&mut words);
    Ok(Zeroizing::new(words.iter().map(|&word| i64::from(word)).collect()))
}

/// Copies bytes of a secret from JavaScript.
///
/// # Errors
/// If they are not in a `Uint8Array`.
pub(crate) fn secret_bytes(bytes: &Uint8Array) -> Result<Zeroizing<Vec<u8>>> {
    check_type::<Uint8Array>(bytes, "Uint8Array")?;
    let mut copy = Zeroizing::new(vec![0; bytes.length() as usize]);
    bytes.copy_to(&mut copy);
    Ok(copy)
}

/// Copies decrypted values to JavaScript.
///
/// # Errors
/// If one does not fit into 32 bits.
pub(crate) fn to_unsigned(values: &Zeroizing<Vec<u64>>) -> Result<Uint32Array> {
    let fitting = values.iter().map(|&value| u32::try_from(value));
    let words = fitting.collect::<std::result::Result<Vec<u32>, _>>().map(Zeroizing::new);
    let words = words.map_err(|_| too_wide("Uint32Array"))?;
    Ok(Uint32Array::from(words.as_slice()))
}

/// Copies signed decrypted values to JavaScript.
///
/// # Errors
/// If one does not fit into 32 bits.
pub(crate) fn to_signed(values: &Zeroizing<Vec<i64>>) -> Result<Int32Array> {
    let fitting = values.iter().map(|&value| i32::try_from(value));
    let words = fitting.collect::<std::result::Result<Vec<i32>, _>>().map(Zeroizing::new);
    let words = words.map_err(|_| too_wide("Int32Array"))?;
    Ok(Int32Array::from(words.as_slice()))
}

fn too_wide(name: &str) -> Error {
    Error::new(&format!(
        "the values have more than 32 bits and do not fit into a {name}; decrypt them elsewhere"
    ))
}
