//! Keys of the server, and the functional bootstrap (Figure 2 of Ma et al., TCHES 2024).

use std::borrow::Borrow;
use std::sync::Arc;

use cryptable_lattice::Result;
use cryptable_lattice::external_product::RgswGadget;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweList;
use cryptable_ring::random::Seed;
use rayon::prelude::*;

use crate::decomposition::large_precision::to_large;
use crate::encrypted_zero::EncryptedZero;
use crate::multiplication::relinearization::RelinearizationKey;
use crate::multiplication::{bfv, scheme_switching};
use crate::packing::trace::{PackedLength, TraceKey};
use crate::parameters::Parameters;
use crate::rlwe::RlweCiphertext;
use crate::rotation::automorphism::{AutomorphismRotationKey, RotationAutomorphisms};
use crate::rotation::blind_rotation::BlindRotationKey;
use crate::rotation::cmux::CmuxRotationKey;
use crate::seeded_rows::SeededRows;
use crate::switching::lwe_key_switching::{LweKeySwitchingKey, SeededKeySwitchingKey};
use crate::switching::ring_dimension_switching::RingDimensionSwitchingKey;
use crate::test_polynomial::TestPolynomial;

/// Number of ciphertexts of a compact list that are switched together: each has N words, and the key is read once for all.
const SWITCHED_AT_ONCE: usize = 32;

/// The evaluation key in the form that a client sends: bodies of all keys, and the seed of their masks.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededEvaluationKey {
    /// Parameters of the keys.
    pub parameters: Parameters,
    /// Seed of all masks.
    pub seed: Seed,
    /// Rows of blind rotation, one key for each of [`Parameters::rotation_gadgets`].
    pub rotations: Vec<SeededRows>,
    /// Automorphisms of blind rotation, if the rotation method uses them.
    pub rotation_automorphisms: Option<SeededRows>,
    /// LWE key switching.
    pub key_switching: SeededKeySwitchingKey,
    /// The switch to the ring of lower degree, if there is one.
    pub ring_dimension: Option<SeededRows>,
    /// Automorphisms of the trace.
    pub trace: SeededRows,
    /// Relinearization: a gadget ciphertext of s².
    pub relinearization: SeededRows,
}

/// The keys of the server, which bootstrap single values. Holds no secret, and is `Sync`.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    rotations: Vec<BlindRotationKey>,
    rotation_automorphisms: Option<Arc<RotationAutomorphisms>>,
    key_switching: LweKeySwitchingKey,
    ring_dimension: Option<RingDimensionSwitchingKey>,
    trace: TraceKey,
    relinearization: RelinearizationKey,
    zero: Option<EncryptedZero>,
}

impl EvaluationKey {
    /// Expands all masks from the seed and prepares all rows.
    ///
    /// # Panics
    /// If the rows do not fit the parameters.
    #[must_use]
    pub fn expand(key: &SeededEvaluationKey) -> Self {
        let parameters = key.parameters.clone();
        let ring = parameters.ring();
        let rotation_automorphisms = expand_rotation_automorphisms(key).map(Arc::new);
        let literal = *parameters.literal();
        let (dimension, secret) = (literal.lwe_dimension, literal.lwe_secret);
        let rotation = |(rows, gadget): (&SeededRows, RgswGadget)| {
            let rgsw = rows.prepare(ring, &key.seed, gadget.rows());
            match &rotation_automorphisms {
                None => {
                    BlindRotationKey::Cmux(CmuxRotationKey::new(gadget, rgsw, dimension, secret))
                }
                Some(automorphisms) => BlindRotationKey::Automorphism(
                    AutomorphismRotationKey::new(gadget, rgsw, Arc::clone(automorphisms)),
                ),
            }
        };
        let rotations = key.rotations.iter().zip(parameters.rotation_gadgets());
        let rotations = rotations.map(rotation).collect();
        let key_switching = LweKeySwitchingKey::expand(
            &key.key_switching,
            &key.seed,
            parameters.key_switching_gadget(),
            parameters.lwe_dimension(),
            parameters.key_switching_source().1,
        );
        let ring_dimension = key.ring_dimension.as_ref().and_then(|rows| {
            let small = parameters.small_ring()?;
            Some(RingDimensionSwitchingKey::expand(small, rows, &key.seed))
        });
        let gadget = parameters.automorphism_gadget();
        let zero = EncryptedZero::of_rows(ring, gadget, &key.trace, &key.seed);
        let automorphisms = key.trace.prepare(ring, &key.seed, gadget.length());
        let trace = TraceKey::new(ring, gadget, automorphisms);
        let gadget = parameters.relinearization_gadget();
        let rows = key.relinearization.prepare(ring, &key.seed, gadget.length());
        let relinearization = RelinearizationKey::new(ring, gadget, rows);
        Self {
            rotations,
            rotation_automorphisms,
            key_switching,
            ring_dimension,
            trace,
            relinearization,
            zero,
            parameters,
        }
    }

    /// Returns the parameters of the keys.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the keys of blind rotation, one for each of [`Parameters::rotation_gadgets`].
    #[must_use]
    pub fn rotations(&self) -> &[BlindRotationKey] {
        &self.rotations
    }

    /// Returns the trace's key.
    #[must_use]
    pub fn trace(&self) -> &TraceKey {
        &self.trace
    }

    /// Returns the encryption of zero, if the keys of the trace have at least two digits.
    pub(crate) fn zero(&self) -> Option<&EncryptedZero> {
        self.zero.as_ref()
    }

    /// Returns the bytes of memory that all keys occupy.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rotations.iter().map(BlindRotationKey::bytes).sum::<usize>()
            + self.rotation_automorphisms.as_ref().map_or(0, |keys| keys.bytes())
            + self.key_switching.bytes()
            + self.ring_dimension.as_ref().map_or(0, RingDimensionSwitchingKey::bytes)
            + self.trace.bytes()
            + self.relinearization.bytes()
            + EncryptedZero::bytes(
                self.parameters.automorphism_gadget(),
                self.parameters.ring_degree(),
            )
    }

    /// Checks that a ciphertext has the dimension and modulus that these parameters use between bootstraps.
    ///
    /// # Errors
    /// If its dimension or modulus differs.
    pub fn check(&self, ciphertext: &LweCiphertext) -> Result<()> {
        self.parameters.lwe_shape().check(ciphertext)
    }

    /// Switches the ciphertext to 2N, or a divisor of 2N, in the form that blind rotation needs. Rotation by automorphisms is
    /// fastest for masks that are -1 modulo 2^θ (odd masks for θ = 1, or the method's θ for sparse ones), so masks are rounded
    /// to such values modulo 2N.
    ///
    /// Adds the noise of [`crate::noise::NoiseModel::lwe_modulus_switch`].
    #[must_use]
    pub fn to_rotation_modulus(&self, ciphertext: &LweCiphertext, modulus: u64) -> LweCiphertext {
        if ciphertext.modulus() == modulus {
            return ciphertext.clone();
        }
        let secret = self.parameters.literal().lwe_secret;
        match self.parameters.mask_spacing_log2(modulus) {
            Some(spacing) => ciphertext.odd_modulus_switch(modulus, spacing, secret),
            None => ciphertext.modulus_switch(modulus, secret),
        }
    }

    /// BlindRotate: returns `accumulator·X^(-phase)` for a ciphertext modulo 2N.
    ///
    /// The accumulator may be a test polynomial ([`TestPolynomial::to_rlwe`]) or encrypted. Adds the noise of
    /// [`crate::noise::NoiseModel::blind_rotation`].
    ///
    /// # Panics
    /// If the ciphertext is not modulo 2N.
    #[must_use]
    pub fn blind_rotate(
        &self,
        accumulator: &RlweCiphertext,
        phase: &LweCiphertext,
    ) -> RlweCiphertext {
        self.blind_rotate_by(0, accumulator, phase)
    }

    /// BlindRotate by the rotation key of this number in [`Parameters::rotation_gadgets`].
    ///
    /// # Panics
    /// If the ciphertext is not modulo 2N, or there is no such key.
    #[must_use]
    pub fn blind_rotate_by(
        &self,
        key: usize,
        accumulator: &RlweCiphertext,
        phase: &LweCiphertext,
    ) -> RlweCiphertext {
        let mut rotated = self.rotated_by_body(accumulator, phase);
        self.rotations[key].rotate_assign(self.parameters.ring(), &mut rotated, phase.mask());
        rotated
    }

    /// Returns `accumulator·X^(-body)`, the starting point of a rotation.
    fn rotated_by_body(
        &self,
        accumulator: &RlweCiphertext,
        phase: &LweCiphertext,
    ) -> RlweCiphertext {
        let two_n = self.parameters.rotation_modulus();
        assert_eq!(phase.modulus(), two_n, "modulus of a blind rotation");
        let exponent = (two_n - phase.body()) % two_n;
        accumulator.times_monomial(self.parameters.ring(), exponent as usize)
    }

    /// BlindRotate of one accumulator by several phases at once, which reads the keys from memory only once.
    ///
    /// # Panics
    /// Same as [`EvaluationKey::blind_rotate`].
    #[must_use]
    pub fn blind_rotate_many(
        &self,
        accumulator: &RlweCiphertext,
        phases: &[LweCiphertext],
    ) -> Vec<RlweCiphertext> {
        let start = |phase| self.rotated_by_body(accumulator, phase);
        let mut rotated: Vec<RlweCiphertext> = phases.iter().map(start).collect();
        let masks: Vec<&[u64]> = phases.iter().map(LweCiphertext::mask).collect();
        let mut accumulators: Vec<&mut RlweCiphertext> = rotated.iter_mut().collect();
        let ring = self.parameters.ring();
        self.rotations[0].rotate_many_assign(ring, &mut accumulators, &masks);
        rotated
    }

    /// BootRaw: looks the phase (modulo 2N) up in a test polynomial; LWE modulo Q under the ring secret.
    ///
    /// # Panics
    /// Same as [`EvaluationKey::blind_rotate`].
    #[must_use]
    pub fn boot_raw(&self, test: &TestPolynomial, phase: &LweCiphertext) -> LweCiphertext {
        self.boot_raw_encrypted(&test.to_rlwe(self.parameters.ring()), phase)
    }

    /// BootRaw with an encrypted test polynomial.
    ///
    /// # Panics
    /// Same as [`EvaluationKey::blind_rotate`].
    #[must_use]
    pub fn boot_raw_encrypted(
        &self,
        test: &RlweCiphertext,
        phase: &LweCiphertext,
    ) -> LweCiphertext {
        self.blind_rotate(test, phase).extract(self.parameters.ring(), 0)
    }

    /// BootRaw by the rotation key of this number, as a ciphertext of large precision ([`crate::decomposition`]).
    ///
    /// # Panics
    /// Same as [`EvaluationKey::blind_rotate_by`].
    pub(crate) fn boot_large(
        &self,
        rotation_key: usize,
        test: &TestPolynomial,
        phase: &LweCiphertext,
    ) -> LweCiphertext {
        let ring = self.parameters.ring();
        let rotated = self.blind_rotate_by(rotation_key, &test.to_rlwe(ring), phase);
        to_large(&self.parameters, &rotated.extract(ring, 0))
    }

    /// Switches LWE modulo Q under the ring secret to LWE modulo the LWE modulus under the LWE secret.
    ///
    /// Adds the noise of [`crate::noise::NoiseModel::key_switching`], modulus switch included.
    ///
    /// # Panics
    /// If the ciphertext is not modulo Q and of dimension N.
    #[must_use]
    pub fn key_switch(&self, raw: &LweCiphertext) -> LweCiphertext {
        self.key_switch_many(&[raw]).remove(0)
    }

    /// Switches several ciphertexts at once like [`EvaluationKey::key_switch`], reading the key only once.
    ///
    /// # Panics
    /// Same as [`EvaluationKey::key_switch`].
    #[must_use]
    pub fn key_switch_many(&self, raw: &[impl Borrow<LweCiphertext>]) -> Vec<LweCiphertext> {
        let switched: Vec<LweCiphertext> =
            raw.iter().map(|raw| self.to_key_switching_source(raw.borrow())).collect();
        self.key_switching.switch_many(&switched)
    }

    /// Switches a compact list of a public key to the form of ciphertexts between bootstraps, on all threads.
    ///
    /// Adds the noise of [`crate::noise::NoiseModel::key_switching`].
    ///
    /// # Panics
    /// If the shape of the list is not [`Parameters::public_shape`].
    #[must_use]
    pub fn switch_public(&self, list: &LweList) -> LweList {
        assert_eq!(list.shape(), self.parameters.public_shape(), "shape of a public key's list");
        let switch = |start: usize| {
            let end = list.len().min(start + SWITCHED_AT_ONCE);
            let raw: Vec<_> = (start..end).map(|index| list.ciphertext(index)).collect();
            self.key_switch_many(&raw)
        };
        let starts = (0..list.len()).into_par_iter().step_by(SWITCHED_AT_ONCE);
        let switched: Vec<Vec<LweCiphertext>> = starts.map(switch).collect();
        let shape = self.parameters.lwe_shape();
        LweList::computed(shape, switched.into_iter().flatten()).expect("keys switch to this shape")
    }

    /// Switches to the modulus of LWE key switching, through the ring of lower degree if there is one.
    fn to_key_switching_source(&self, raw: &LweCiphertext) -> LweCiphertext {
        let secret = self.parameters.literal().ring_secret;
        let modulus = self.parameters.lwe_modulus();
        match (&self.ring_dimension, self.parameters.small_ring()) {
            (Some(key), Some(small)) => key
                .switch(&raw.modulus_switch(small.prime(), secret))
                .modulus_switch(modulus, small.literal.secret),
            _ => raw.modulus_switch(modulus, secret),
        }
    }

    /// Boot: a functional bootstrap of a phase modulo 2N, back to LWE modulo the LWE modulus.
    ///
    /// # Panics
    /// Same as [`EvaluationKey::blind_rotate`].
    #[must_use]
    pub fn boot(&self, test: &TestPolynomial, phase: &LweCiphertext) -> LweCiphertext {
        self.key_switch(&self.boot_raw(test, phase))
    }
}

impl EvaluationKey {
    /// Packs an LWE ciphertext (modulo Q, under the ring secret) by the trace: returns an RLWE ciphertext whose phase has the
    /// phase of the LWE ciphertext in its lowest coefficients.
    ///
    /// Adds the noise of [`crate::noise::NoiseModel::packing`].
    ///
    /// # Panics
    /// If the ciphertext is not modulo Q and of dimension N.
    #[must_use]
    pub fn pack(&self, raw: &LweCiphertext, length: PackedLength) -> RlweCiphertext {
        let ring = self.parameters.ring();
        self.trace.pack(ring, raw, length.count(ring.degree()))
    }

    /// BFVMult: multiplies ciphertexts of phases (Q/P)·m and (Q/P)·m' to one of phase (Q/P)·m·m', with plaintext modulus P.
    ///
    /// Adds the noise of [`crate::noise::NoiseModel::bfv_multiplication`].
    ///
    /// # Panics
    /// Unless 2 <= P <= 2^20.
    #[must_use]
    pub fn bfv_multiply(
        &self,
        left: &RlweCiphertext,
        right: &RlweCiphertext,
        plaintext_modulus: u64,
    ) -> RlweCiphertext {
        let (key, ring) = (&self.relinearization, self.parameters.ring());
        let secret = self.parameters.literal().ring_secret;
        bfv::multiply(key, ring, [left, right], plaintext_modulus, secret)
    }

    /// Scheme switching: returns a ciphertext of phase s·(b + a·s) for one of phase b + a·s.
    ///
    /// The phase's error is multiplied by s, too. Adds the noise of [`crate::noise::NoiseModel::scheme_switching`].
    #[must_use]
    pub fn times_secret(&self, ciphertext: &RlweCiphertext) -> RlweCiphertext {
        scheme_switching::times_secret(&self.relinearization, self.parameters.ring(), ciphertext)
    }
}

/// Expands the automorphism keys of blind rotation, if the rotation method of the parameters uses them.
fn expand_rotation_automorphisms(key: &SeededEvaluationKey) -> Option<RotationAutomorphisms> {
    let parameters = &key.parameters;
    let window = parameters.rotation_automorphisms()?;
    let rows = key.rotation_automorphisms.as_ref().expect("automorphism keys of the parameters");
    let keys = rows.prepare(parameters.ring(), &key.seed, window.gadget.length());
    Some(RotationAutomorphisms::new(window, keys))
}
