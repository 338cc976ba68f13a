//! Secrets as bytes, with two bits per coefficient, and the identifiers derived from them.

use std::io::{self, Write};

use cryptable_ring::clear_stack;
use cryptable_wire::{BodyReader, BodyWriter, KeyId, WireError, pack_ternary, unpack_ternary};
use zeroize::Zeroizing;

use crate::keys::secret_key::SecretKey;
use crate::parameters::Parameters;

/// Longest secret in bytes.
const MAX_SECRET_BYTES: u64 = 1 << 20;

impl SecretKey {
    /// Returns all secrets: LWE, ring, ring of lower degree.
    fn all_coefficients(&self) -> [&[i8]; 3] {
        [self.lwe_coefficients(), self.ring_coefficients(), self.small_ring_coefficients()]
    }

    /// Returns the number of bytes that [`SecretKey::write_coefficients`] writes.
    #[must_use]
    pub fn coefficient_bytes(&self) -> usize {
        self.all_coefficients().iter().map(|secret| 8 + secret.len().div_ceil(4)).sum()
    }

    /// Writes all secrets: of LWE, the ring, and the ring of lower degree, each after its length.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_coefficients<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        self.all_coefficients().iter().try_for_each(|secret| writer.bytes(&pack_ternary(secret)))
    }

    /// Reads the bytes of [`SecretKey::write_coefficients`].
    ///
    /// # Errors
    /// If bytes are missing, or are not secrets of these parameters.
    pub fn read_coefficients(
        parameters: &Parameters,
        reader: &mut BodyReader<'_>,
    ) -> Result<Self, WireError> {
        let mut read = |name, length| unpack_ternary(reader.bytes(name, MAX_SECRET_BYTES)?, length);
        let lwe = read("LWE secret", parameters.lwe_dimension())?;
        let ring = read("ring secret", parameters.ring_degree())?;
        let small_degree = parameters.small_ring().map_or(0, |small| small.literal.degree);
        let small = read("secret of the ring of lower degree", small_degree)?;
        // The computation of the file's checksum left data on the stack.
        clear_stack();
        Self::from_coefficients(parameters, lwe, ring, small).ok_or_else(|| {
            let expected = "of the parameters' secret distributions";
            WireError::invalid("coefficients", "others", expected)
        })
    }

    /// Returns the identifier of these secrets in the domain that `context` names.
    #[must_use]
    pub fn id(&self, context: &str) -> KeyId {
        let coefficients = self.all_coefficients();
        let count = coefficients.iter().map(|secret| secret.len()).sum();
        let mut bytes = Zeroizing::new(Vec::with_capacity(count));
        bytes.extend(coefficients.into_iter().flatten().map(|&c| c as u8));
        let id = KeyId::of_secret(context, &bytes);
        clear_stack();
        id
    }
}
