//! Security claims, bytes and file types, which the parameters of all faces have in common.

/// Defines the common methods of a type with the fields `fhew`, `literal`, `log2_fail` and `digest`.
///
/// The module must also define a `Literal` with the fields `security` and `numbers`, and `assemble`, which builds the type
/// from the parameters of bootstraps and a literal.
macro_rules! face_parameters {
    ($name:literal, $identifier:literal, $secret_key:ident, $evaluation_key:ident, $public_key:ident) => {
        impl Parameters {
            /// Returns the parameters of blind rotation and key switching.
            #[must_use]
            pub fn fhew(&self) -> &$crate::parameters::Parameters {
                &self.fhew
            }

            /// Returns the failure probability, 2^[`Parameters::log2_fail`].
            #[must_use]
            pub fn failure_probability(&self) -> cryptable_lattice::FailureProbability {
                cryptable_lattice::FailureProbability::from_log2(self.log2_fail)
            }

            /// Returns the security that the parameters claim.
            #[must_use]
            pub fn security_level(&self) -> cryptable_lattice::SecurityLevel {
                self.literal.security
            }

            /// Returns the security in bits, estimated by [`cryptable_lattice::security`]; 0 for insecure toys.
            #[must_use]
            pub fn security_bits(&self) -> f64 {
                if self.literal.security.is_insecure() { 0.0 } else { self.fhew.security_bits() }
            }

            /// Returns the canonical bytes; their digest names these parameters.
            #[must_use]
            pub fn to_bytes(&self) -> Vec<u8> {
                $crate::serialization::literal_bytes(&self.literal)
            }

            /// Reads the bytes of [`Parameters::to_bytes`] and validates the parameters. They must have 128 bits of security
            /// unless they state that they are insecure.
            ///
            /// # Errors
            /// If the bytes are not parameters, the parameters are not valid, or they are insecure or fail too often and the
            /// options do not allow that.
            pub fn from_bytes(
                bytes: &[u8],
                options: cryptable_lattice::ReadOptions,
            ) -> Result<Self> {
                let literal: Literal = $crate::serialization::read_literal(bytes, $name)?;
                options.check(literal.security)?;
                let fhew = if literal.security.is_insecure() {
                    $crate::parameters::Parameters::insecure(literal.numbers)?
                } else {
                    $crate::parameters::Parameters::new(literal.numbers)?
                };
                let found = Self::assemble(fhew, literal)?;
                options.check_failures(found.failure_probability())?;
                Ok(found)
            }

            /// Returns the digest that names these parameters.
            #[must_use]
            pub fn digest(&self) -> [u8; 32] {
                self.digest
            }
        }

        cryptable_lattice::key_parameters!(Parameters);

        impl $crate::keys::BootstrappingParameters for Parameters {
            const SECRET_KEY: cryptable_wire::ObjectType = cryptable_wire::ObjectType::$secret_key;
            const EVALUATION_KEY: cryptable_wire::ObjectType =
                cryptable_wire::ObjectType::$evaluation_key;
            const IDENTIFIER: &'static str = $identifier;

            fn fhew(&self) -> &$crate::parameters::Parameters {
                self.fhew()
            }
        }

        #[cfg(feature = "client")]
        impl $crate::keys::PublicParameters for Parameters {
            const PUBLIC_KEY: cryptable_wire::ObjectType = cryptable_wire::ObjectType::$public_key;
        }
    };
}
pub(crate) use face_parameters;
