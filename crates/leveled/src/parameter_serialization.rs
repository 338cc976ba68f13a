//! Parameter sets as bytes, and the digest that names them.

use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
use cryptable_wire::{BodyReader, ObjectType, WireError, open_with_parameters, peek_header};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::parameters::CircuitParameters;

/// The numbers of a set.
#[derive(Serialize, Deserialize)]
pub(crate) struct Literal {
    insecure: bool,
    selector: GadgetLiteral,
    digit_bits: u32,
    numbers: ParametersLiteral,
}

impl CircuitParameters {
    /// Canonical bytes, of which the digest names these parameters.
    ///
    /// ```
    /// use cryptable_leveled::parameters::CircuitParameters;
    /// let parameters = CircuitParameters::aes_128();
    /// assert_eq!(CircuitParameters::from_bytes(&parameters.to_bytes())?, parameters);
    /// # Ok::<(), cryptable_leveled::error::Error>(())
    /// ```
    ///
    /// # Panics
    /// Never: the numbers serialise.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(&self.to_literal()).expect("numbers serialise")
    }

    pub(crate) fn to_literal(&self) -> Literal {
        let gadget = self.selector_gadget();
        let numbers = *self.parameters().literal();
        Literal {
            insecure: Parameters::new(numbers).is_err(),
            selector: GadgetLiteral { base_log2: gadget.base_log2(), length: gadget.length() },
            digit_bits: self.digit_bits(),
            numbers,
        }
    }

    /// Validates the numbers of a set.
    pub(crate) fn from_literal(literal: &Literal) -> Result<Self> {
        let parameters = if literal.insecure {
            Parameters::insecure(literal.numbers)
        } else {
            Parameters::new(literal.numbers)
        };
        Self::for_digits(&parameters?, literal.selector, literal.digit_bits)
    }

    /// Reads what [`CircuitParameters::to_bytes`] wrote and validates it: 128 bits of security, unless the set says
    /// that it is insecure.
    ///
    /// # Errors
    /// If the bytes are no parameters, or those are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let literal: Literal = serde_json::from_slice(bytes)
            .map_err(|error| WireError::invalid("parameter set", error, "one of this format"))?;
        Self::from_literal(&literal)
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
        Ok(open_circuit_object(bytes, found, header.body_length)?.0)
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
pub(crate) fn open_circuit_object(
    bytes: &[u8],
    object_type: ObjectType,
    max_body: u64,
) -> Result<(CircuitParameters, BodyReader<'_>)> {
    let (read, digest) = (CircuitParameters::from_bytes, CircuitParameters::digest);
    open_with_parameters(bytes, object_type, max_body, read, digest)
}
