//! What a server holds: switching keys, encoded matrices, and the lookup.

use std::sync::Arc;

use cryptable_ckks::{Evaluator, LinearTransform};
use cryptable_ring::buffer::release_buffers;
use cryptable_ring::modulus_switch::to_power_of_two_assign;
use cryptable_ring::{Basis, Ring};
use cryptable_rlwe::coefficient_ciphertext::{CoefficientCiphertext, UniformPart};
use cryptable_rlwe::{EvaluationKeys, KeyRequest};

use crate::ciphertext::Ciphertext;
use crate::error::{Error, Result};
use crate::packed::interpolation::Interpolation;
use crate::packed::mod_raise::mod_raise;
use crate::{KeyId, LookupTable, Parameters};

/// Steps that [`EvaluationKey::lookup`] reports progress in.
pub const LOOKUP_STEPS: usize = 6;

/// The public evaluation key of one client, ready to look tables up.
///
/// Holds no secret; `Sync`, so one key serves many threads.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    client: KeyId,
    ring: Arc<Ring>,
    keys: EvaluationKeys,
    coeffs_to_slots: Vec<LinearTransform>,
    slots_to_coeffs: Vec<LinearTransform>,
}

impl EvaluationKey {
    /// Joins switching keys with what the parameters alone determine: encodes the matrices.
    ///
    /// # Errors
    /// If a key that the circuit needs is missing.
    pub fn new(
        parameters: Parameters,
        client: KeyId,
        ring: Arc<Ring>,
        keys: EvaluationKeys,
    ) -> Result<Self> {
        for KeyRequest { purpose, shape } in parameters.circuit().key_requests() {
            if keys.find_shape(purpose, shape.basis).is_none() {
                return Err(Error::Mismatch {
                    name: "evaluation key",
                    found: "a set without it".into(),
                    expected: format!("a key for {purpose:?} at {:?}", shape.basis),
                });
            }
        }
        let circuit = parameters.circuit();
        let coeffs_to_slots = circuit.coeffs_to_slots.encode(&ring);
        let slots_to_coeffs = circuit.slots_to_coeffs.encode(&ring);
        // Generation and encoding leave buffers of sizes that lookups have no use for.
        release_buffers();
        Ok(Self { parameters, client, ring, keys, coeffs_to_slots, slots_to_coeffs })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The secret key that it was generated from.
    #[must_use]
    pub fn client(&self) -> KeyId {
        self.client
    }

    /// The switching keys.
    #[must_use]
    pub fn switching_keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// Bytes in memory: keys and matrices.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let matrices = self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs);
        self.keys.memory_bytes(self.ring.degree())
            + matrices.map(LinearTransform::memory_bytes).sum::<usize>()
    }

    /// Maps every value of `input` through `table`, under encryption.
    ///
    /// `progress(done, total)` is called before the first and after each of [`LOOKUP_STEPS`] steps.
    ///
    /// # Errors
    /// If the ciphertext is of other parameters or another modulus, or the table's moduli are not
    /// those of the parameters.
    pub fn lookup(
        &self,
        input: &Ciphertext,
        table: &LookupTable,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Ciphertext> {
        self.check(input, table)?;
        let circuit = self.parameters.circuit();
        let evaluator = Evaluator::new(&self.ring, &self.keys);
        let literal = self.parameters.literal();
        let step = |done| progress(done, LOOKUP_STEPS);
        step(0);
        let raised = mod_raise(
            &evaluator,
            input.body().to_pair(),
            literal.log2_ciphertext_modulus,
            literal.limbs(),
        );
        step(1);
        let phases = circuit.phases(&evaluator, &self.coeffs_to_slots, raised);
        step(2);
        let waves = circuit.waves(&evaluator, phases);
        step(3);
        let outputs = circuit.look_up(&evaluator, waves, &Interpolation::new(table));
        step(4);
        let result = circuit.finish(&evaluator, &self.slots_to_coeffs, outputs);
        step(5);
        let switch = |poly: cryptable_ring::Poly<cryptable_ring::Evaluations>| {
            debug_assert_eq!(poly.basis(), Basis::main(1));
            let mut words = poly.into_coefficients(&self.ring).into_words();
            to_power_of_two_assign(
                self.ring.modulus(0),
                &mut words,
                literal.log2_ciphertext_modulus,
            );
            words
        };
        let body = CoefficientCiphertext {
            log2_modulus: literal.log2_ciphertext_modulus,
            plaintext_modulus: table.output_modulus(),
            layout: input.body().layout,
            b: switch(result.parts.c0),
            a: UniformPart::Words(switch(result.parts.c1)),
        };
        step(6);
        Ok(Ciphertext::new(self.parameters.digest(), body))
    }

    fn check(&self, input: &Ciphertext, table: &LookupTable) -> Result<()> {
        let literal = self.parameters.literal();
        input.check(&self.parameters, &[literal.input_modulus])?;
        for (name, found, expected) in [
            ("table's input modulus", table.input_modulus(), literal.input_modulus),
            ("table's output modulus", table.output_modulus(), literal.output_modulus),
        ] {
            if found != expected {
                let (found, expected) = (found.to_string(), expected.to_string());
                return Err(Error::Mismatch { name, found, expected });
            }
        }
        Ok(())
    }
}
