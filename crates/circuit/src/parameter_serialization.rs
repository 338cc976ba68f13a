//! Parameter sets as bytes, and the digest that names them.

use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
use cryptable_rlwe::wire::{BodyReader, ObjectType, WireError, peek_header, read_object};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::parameters::CircuitParameters;

/// Longest parameters in a file.
const MAX_PARAMETER_BYTES: u64 = 1 << 16;

/// The numbers of a set.
#[derive(Serialize, Deserialize)]
struct Literal {
    insecure: bool,
    selector: GadgetLiteral,
    numbers: ParametersLiteral,
}

impl CircuitParameters {
    /// Canonical bytes, of which the digest names these parameters.
    ///
    /// ```
    /// use cryptable_circuit::parameters::CircuitParameters;
    /// let parameters = CircuitParameters::aes_128();
    /// assert_eq!(CircuitParameters::from_bytes(&parameters.to_bytes())?, parameters);
    /// # Ok::<(), cryptable_circuit::error::Error>(())
    /// ```
    ///
    /// # Panics
    /// Never: the numbers serialise.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let gadget = self.selector_gadget();
        let numbers = *self.parameters().literal();
        let literal = Literal {
            insecure: Parameters::new(numbers).is_err(),
            selector: GadgetLiteral { base_log2: gadget.base_log2(), length: gadget.length() },
            numbers,
        };
        serde_json::to_vec(&literal).expect("numbers serialise")
    }

    /// Reads what [`CircuitParameters::to_bytes`] wrote and validates it: 128 bits of security, unless the set says
    /// that it is insecure.
    ///
    /// # Errors
    /// If the bytes are no parameters, or those are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let literal: Literal = serde_json::from_slice(bytes)
            .map_err(|error| WireError::invalid("parameter set", error, "one of this format"))?;
        let parameters = if literal.insecure {
            Parameters::insecure(literal.numbers)
        } else {
            Parameters::new(literal.numbers)
        };
        Self::new(&parameters?, literal.selector)
    }

    /// The parameters that a secret or evaluation key for circuits starts with.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged key, or its parameters not valid.
    pub fn of_key(bytes: &[u8]) -> Result<Self> {
        let header = peek_header(bytes)?;
        let (expected, found) = (ObjectType::CircuitEvaluationKey, header.object_type);
        if ![expected, ObjectType::CircuitSecretKey].contains(&found) {
            return Err(WireError::WrongType { expected, found }.into());
        }
        Ok(open_object(bytes, found, header.body_length)?.0)
    }

    /// BLAKE3 of [`CircuitParameters::to_bytes`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}

/// Checks an object that starts with its parameters: those, and the rest of its body.
///
/// # Errors
/// If the bytes are not exactly one undamaged object of this type, or its parameters not those of its header.
pub(crate) fn open_object(
    bytes: &[u8],
    object_type: ObjectType,
    max_body: u64,
) -> Result<(CircuitParameters, BodyReader<'_>)> {
    let mut reader = BodyReader::new(read_object(bytes, object_type, None, max_body)?);
    let parameters =
        CircuitParameters::from_bytes(reader.bytes("parameters", MAX_PARAMETER_BYTES)?)?;
    let (found, expected) = (peek_header(bytes)?.parameter_digest, parameters.digest());
    if found != expected {
        return Err(Error::Wire(WireError::ParameterMismatch { expected, found }));
    }
    Ok((parameters, reader))
}
