//! Conversion of slots to packed integers and back: vectors of this crate and ciphertexts of [`cryptable_packed`] under
//! one secret.
//!
//! SlotsToCoeffs moves slots, as fractions of a modulus, to coefficients modulo q_0; the switch to a power of two makes
//! packed integers of them (lines 7 and 8 of Algorithm 1 of Alexandru, Kim, Polyakov, CRYPTO 2025, ePrint 2024/1623).
//! For the way back, packed integers are raised on the chain of vectors, and a table of them ends in slots (lines 1 to
//! 6).
//!
//! **Order.** The homomorphic DFTs reverse bits: the real part of slot j is packed value [`Parameters::packed_index`]
//! of j, and for n slots its imaginary part is the value n places after that. There are twice as many packed values as
//! slots: all coefficients of the ring, or of a subring.

use cryptable_ckks::bootstrapping::mod_raise;
use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_lattice::NoiseBound;
use cryptable_lattice::coefficient_ciphertext::CoefficientLayout;
use cryptable_lattice::error::{Error, Result, check_client, check_equal, demand};
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_packed as packed;
use cryptable_wire::KeyId;

use crate::bootstrap_circuit::CoefficientVariance;
use crate::bounds::SlotBounds;
use crate::ciphertext::{Ciphertext, Tags};
use crate::evaluation_key::EvaluationKey;
use crate::lookup_circuit::{PredictedLookup, in_periods};
use crate::parameters::Parameters;
use crate::slot_table::{Grid, SlotTable};

/// The client's statement that its keys of vectors and of packed integers share a secret. Servers need it for
/// conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedSecret {
    /// The key of vectors.
    pub vectors: KeyId,
    /// The key of packed integers.
    pub packed: KeyId,
}

/// A server's key of packed integers, with the client's statement that its secret is that of vectors.
#[derive(Clone, Copy, Debug)]
pub struct PackedKey<'a> {
    /// The key of packed integers.
    pub key: &'a packed::EvaluationKey,
    /// Statement of the client that both keys share a secret.
    pub shared: SharedSecret,
}

impl Parameters {
    /// Returns the index of the packed value for the real part of a slot: the slot's bits reversed, an involution.
    ///
    /// ```
    /// use cryptable_approximate::Parameters;
    /// let parameters = Parameters::insecure_toy_bootstrapping()?;
    /// assert_eq!((parameters.slots(), parameters.packed_index(1)), (512, 256));
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such slot.
    #[must_use]
    pub fn packed_index(&self, slot: usize) -> usize {
        let slots = self.slots();
        assert!(slot < slots, "slot {slot} of {slots}");
        if slots == 1 { 0 } else { slot.reverse_bits() >> (usize::BITS - slots.ilog2()) }
    }
}

impl EvaluationKey {
    /// Converts integers modulo `modulus` in slots, with errors, to packed integers: real parts and, if slots are
    /// complex, imaginary parts as further values. The result states a bound on its noise. It is refused if it would be
    /// decrypted wrong.
    ///
    /// # Errors
    /// If something belongs to another client or to other parameters, or has no level; the two ring degrees differ, or
    /// the number of packed values is not twice that of slots; [`Error::NoiseTooLarge`]; [`Error::MissingKey`].
    pub fn to_packed(
        &self,
        ct: &Ciphertext,
        modulus: u64,
        packed: PackedKey<'_>,
    ) -> Result<packed::Ciphertext> {
        self.check(&[ct])?;
        let degree = self.check_packed(packed)?;
        let (circuit, matrices) = self.lookup_parts()?;
        let range = 2..=1 << 24;
        let limit = "from 2 to 2^24";
        demand(range.contains(&modulus), "modulus of packed integers", modulus as f64, limit)?;
        let parts = ct.bounds().parts();
        let period = Grid::integers(modulus as usize).into();
        self.parameters().check_level(ct, period)?;
        let (evaluator, dry_run) = self.arithmetics();
        let coefficients = circuit.phases_in_periods(
            &evaluator,
            &matrices.slots_to_coeffs,
            &ct.inner,
            period,
            parts,
        );
        let literal = packed.key.parameters().literal();
        let shape = CoefficientShape {
            log2_modulus: literal.log2_ciphertext_modulus,
            plaintext_modulus: modulus,
            layout: CoefficientLayout {
                ring_degree: degree,
                slots: 2 * self.parameters().slots(),
                count: parts * self.parameters().slots(),
            },
        };
        let predicted = circuit.predict_coefficients(&dry_run, &ct.shape, period, parts);
        let of_rounding =
            rounding_variance(degree, f64::from(literal.log2_ciphertext_modulus).exp2());
        let own = NoiseBound::of_law(NoiseLaw::gaussian(predicted.0 + of_rounding), 0.0);
        let noise = in_periods(ct.error().of_part(), period).with_independent(own);
        packed.key.import(switch_to_power_of_two(self.ring(), coefficients.parts, shape), noise)
    }

    /// Looks up packed integers in a table and returns the results in slots, with levels. The slots are real if there
    /// are at most as many values as slots, and complex otherwise.
    ///
    /// ```
    /// use cryptable_approximate::{Grid, KeySet, PackedKey, Parameters, SecretKey, SlotTable};
    /// use cryptable_lattice::Progress;
    /// use cryptable_packed as packed;
    /// // One secret for both; the client:
    /// let integers = packed::SecretKey::generate(&packed::Parameters::insecure_toy(16, 16)?);
    /// let vectors = Parameters::insecure_toy_bootstrapping()?;
    /// let secret = SecretKey::sharing(&vectors, &integers)?;
    /// let shared = secret.shared_secret(&integers)?;
    /// // The server:
    /// let server = secret.evaluation_key_for(&KeySet::new().lookups(), Progress::silent())?;
    /// let key = integers.evaluation_key(Progress::silent())?;
    /// let packed = PackedKey { key: &key, shared };
    /// let x = integers.encrypt(&[3, 1, 4])?;
    /// let roots = SlotTable::from_fn(Grid::integers(16), 1, f64::sqrt)?;
    /// let y = server.from_packed(&x, &roots, packed)?;
    /// let found = secret.decrypt_reals(&y)?;
    /// assert!((found[vectors.packed_index(2)] - 2.0).abs() < 1e-4);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If something belongs to another client or to other parameters; the two ring degrees differ, or the number of
    /// packed values is not twice that of slots; the table is not one of integers of their modulus, or has too many
    /// levels; their noise may reach halfway to another integer; [`Error::MissingKey`].
    pub fn from_packed(
        &self,
        ct: &packed::Ciphertext,
        table: &SlotTable,
        packed: PackedKey<'_>,
    ) -> Result<Ciphertext> {
        let degree = self.check_packed(packed)?;
        let (circuit, _) = self.lookup_parts()?;
        let body = packed.key.export(ct)?;
        let grid = Grid::integers(ct.modulus() as usize);
        if table.grid() != grid {
            let (found, expected) = (format!("{:?}", table.grid()), format!("{grid:?}"));
            return Err(Error::Mismatch { name: "grid of a table", found, expected });
        }
        self.parameters().check_series(table.series())?;
        let parts = if ct.count() <= self.parameters().slots() { 1 } else { 2 };
        let bottom = mod_raise::switch_to_bottom(self.ring(), body);
        let bottom_prime = self.ring().main_prime(0) as f64;
        let rounding = CoefficientVariance(rounding_variance(degree, bottom_prime));
        let found: PredictedLookup =
            circuit.predict_table(&self.parameters().dry_run(), rounding, ct.noise(), parts, table);
        let tags = Tags {
            bounds: SlotBounds::real(0.0),
            bias: 0.0,
            slot_limit: self.parameters().slot_limit(),
            bottom_limbs: self.parameters().level_scales().bottom(),
            slots: self.parameters().slots(),
            binding: *self.binding(),
        };
        let result = self.admit(&found, table.into(), parts, tags)?;
        Ok(self.look_up_coefficients(&bottom, &[table.into()], parts, vec![result]).swap_remove(0))
    }

    /// Checks a key of packed integers against the client's statement that it has this secret, on the same ring.
    /// Returns the ring's degree.
    fn check_packed(&self, packed: PackedKey<'_>) -> Result<usize> {
        let PackedKey { key, shared } = packed;
        check_client("word of a shared secret", self.key_id(), shared.vectors)?;
        check_client("key of packed integers", shared.packed, key.key_id())?;
        let degree = self.ring().degree();
        check_equal("ring degree of packed integers", key.parameters().ring_degree(), degree)?;
        let slots = key.parameters().literal().slots;
        let own = 2 * self.parameters().slots();
        check_equal("number of packed values of a ciphertext", slots, own)?;
        Ok(degree)
    }
}

/// Variance of a coefficient from the rounding of both words to a modulus, as a fraction of it.
fn rounding_variance(degree: usize, modulus: f64) -> f64 {
    (1.0 + 2.0 * degree as f64 / 3.0) / 12.0 / (modulus * modulus)
}
