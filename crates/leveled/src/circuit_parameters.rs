//! Security claims, keys and file types that all parameters over circuit bootstrapping have in common.

/// Defines the common methods for `Parameters` with the fields `circuit` and `log2_fail`; arguments are the file types of
/// its keys.
macro_rules! circuit_parameters {
    ($secret_key:ident, $evaluation_key:ident, $public_key:ident) => {
        impl Parameters {
            /// Returns the parameters of circuit bootstrapping.
            #[must_use]
            pub fn circuit_bootstrapping(
                &self,
            ) -> &$crate::parameters::CircuitBootstrappingParameters {
                &self.circuit
            }

            /// Returns the failure probability, 2^[`Parameters::log2_fail`].
            #[must_use]
            pub fn failure_probability(&self) -> cryptable_lattice::FailureProbability {
                cryptable_lattice::FailureProbability::from_log2(self.log2_fail)
            }

            /// Returns the security that the parameters claim; a claim of 128 bits has been checked.
            #[must_use]
            pub fn security_level(&self) -> cryptable_lattice::SecurityLevel {
                self.circuit.security_level()
            }

            /// Estimates the security in bits; 0 if the parameters claim no security.
            #[must_use]
            pub fn security_bits(&self) -> f64 {
                self.circuit.security_bits()
            }
        }

        cryptable_lattice::key_parameters!(Parameters);

        impl cryptable_fhew::keys::BootstrappingParameters for Parameters {
            const SECRET_KEY: cryptable_wire::ObjectType = cryptable_wire::ObjectType::$secret_key;
            const EVALUATION_KEY: cryptable_wire::ObjectType =
                cryptable_wire::ObjectType::$evaluation_key;
            const IDENTIFIER: &'static str = $crate::keys::IDENTIFIER;

            fn fhew(&self) -> &cryptable_fhew::parameters::Parameters {
                self.circuit.fhew()
            }
        }

        #[cfg(feature = "client")]
        impl cryptable_fhew::keys::PublicParameters for Parameters {
            const PUBLIC_KEY: cryptable_wire::ObjectType = cryptable_wire::ObjectType::$public_key;
        }

        impl $crate::keys::CircuitParameters for Parameters {
            fn circuit_bootstrapping(&self) -> &$crate::parameters::CircuitBootstrappingParameters {
                &self.circuit
            }
        }
    };
}
pub(crate) use circuit_parameters;
