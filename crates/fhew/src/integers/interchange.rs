//! Import and export of LWE ciphertexts: for methods that compute integers or digits from other values, or use them
//! further.

use cryptable_lattice::error::{check_equal, out_of_range};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::noise_bound::check_log2_fail;
use cryptable_lattice::{Error, NoiseBound, Progress, Result, Table};
use cryptable_ring::Buffer;

use super::ciphertexts::Encoding;
use super::parameters::RADIX_MODULUS;
use super::{
    EncryptedIntegers, EvaluationKey, MAX_RADIX_DIGITS, Parameters, RADIX_BASE, RadixInteger,
    SmallValues,
};
use crate::full_domain::table_lookup::slot_phase;
use crate::full_domain::{FdfbCompress, FullDomainMethod, LookupNoise};
use crate::noise::NoiseModel;
use crate::parameters::Parameters as FhewParameters;

impl Parameters {
    /// Returns the noise of fresh integers.
    #[must_use]
    pub fn fresh_integer_noise(&self) -> NoiseBound {
        NoiseModel::new(self.fhew()).fresh_large().into()
    }

    /// Returns log2 of the probability that a function of integers with this noise goes wrong; 0 if no plan keeps within
    /// the limit.
    #[must_use]
    pub fn integer_log2_fail(&self, noise: NoiseBound) -> f64 {
        self.plan_of_imported(noise).map_or(0.0, |plan| plan.log2_fail())
    }

    /// Checks that functions of integers with this noise keep within the failure probability.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if they do not.
    pub(super) fn check_integer_noise(&self, noise: NoiseBound) -> Result<()> {
        match self.plan_of_imported(noise) {
            Ok(_) => Ok(()),
            Err(Error::FailureUnreachable { found, limit, .. }) => {
                Err(Error::NoiseTooLarge { operation: "a function of integers", found, limit })
            }
            Err(error) => Err(error),
        }
    }

    /// Returns log2 of the probability that a value modulo `modulus`, under the ring secret and with this noise, becomes
    /// another value when it is imported by a key switch and a table.
    #[must_use]
    pub fn digit_log2_fail(&self, modulus: u64, noise: NoiseBound) -> f64 {
        let model = NoiseModel::new(self.fhew());
        let input = noise.with_independent(model.key_switching().into());
        LookupNoise::new(&FdfbCompress, &model, modulus, RADIX_MODULUS).log2_fail(input)
    }

    /// Returns the noise of signs, comparisons and digits that are exported under the ring secret, as values modulo
    /// `modulus`: that of a precise rotation.
    #[must_use]
    pub fn exported_noise(&self, modulus: u64) -> NoiseBound {
        let (model, fhew) = (NoiseModel::new(self.fhew()), self.fhew());
        let noise = model.large_rotation(precise_rotation(fhew));
        // Outputs are multiples of Q/P or Q/2P, rounded once: half a unit of Q, up to 2P times.
        NoiseBound::of_law(noise.law(), modulus as f64 / fhew.prime() as f64)
    }
}

/// Returns the number of the rotation key for exported values: finer than the first, which is meant for digits.
pub(super) fn precise_rotation(parameters: &FhewParameters) -> usize {
    1.min(parameters.rotation_gadgets().len() - 1)
}

impl EvaluationKey {
    /// Imports signed integers that another method computed as LWE ciphertexts under the ring secret, of phase m/2^bits, with
    /// a bound on their noise. The caller must make sure that they are under this client's key.
    ///
    /// # Errors
    /// If the dimension or the modulus differs; [`Error::NoiseTooLarge`] if functions of the integers would fail with more
    /// than the stated probability.
    pub fn import(&self, values: LweList, noise: NoiseBound) -> Result<EncryptedIntegers> {
        // No ciphertext claims less noise than a fresh one.
        let noise = noise.max(self.parameters().fresh_integer_noise());
        self.parameters().check_integer_noise(noise)?;
        let found = EncryptedIntegers::new(*self.binding(), Encoding::Imported { noise }, values);
        found.check(self.parameters(), self.binding())?;
        Ok(found)
    }

    /// Imports LWE ciphertexts under the ring secret, of phase m/modulus, as small values modulo 16. Each needs a key switch
    /// and a table, after which it has the noise of all small values. `progress` counts values.
    ///
    /// # Errors
    /// If the dimension or the modulus of a list differs, the modulus of values is odd or above 16, or `progress` asks to
    /// stop; [`Error::NoiseTooLarge`] if a value would become another with more than the stated probability.
    pub fn import_small(
        &self,
        values: &LweList,
        modulus: u64,
        noise: NoiseBound,
        progress: Progress<'_>,
    ) -> Result<SmallValues> {
        let values = self.small_of(&[values], modulus, noise, RADIX_MODULUS, progress)?;
        let small = SmallValues::new(*self.binding(), self.parameters(), RADIX_MODULUS, values)?;
        Ok(small.of_bootstrap())
    }

    /// Imports radix integers from one list per digit, the lowest first, like [`EvaluationKey::import_small`]; digits are
    /// below 8. `progress` counts digits.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::import_small`], or if lists differ in length, there are no lists or too many, or the modulus
    /// of digits is above 8.
    pub fn import_radix(
        &self,
        digits: &[&LweList],
        modulus: u64,
        noise: NoiseBound,
        progress: Progress<'_>,
    ) -> Result<Vec<RadixInteger>> {
        let count = digits.len() as u64;
        if !(1..=MAX_RADIX_DIGITS as u64).contains(&count) {
            let limit = format!("it must be from 1 to {MAX_RADIX_DIGITS}");
            return Err(out_of_range("number of digits", count, limit));
        }
        let values = self.small_of(digits, modulus, noise, RADIX_BASE, progress)?;
        let integers = digits[0].len();
        let integer = |index: usize| {
            let digits = values[index..].iter().step_by(integers).cloned();
            RadixInteger::new(*self.binding(), digits.collect())
        };
        Ok((0..integers).map(integer).collect())
    }

    /// Exports signs, comparisons and imported values modulo `modulus` as LWE ciphertexts under the ring secret of phase
    /// m/modulus, with a bound on their noise. Each value needs a table, whose last rotation is precise, and no key switch.
    /// `progress` counts values.
    ///
    /// # Errors
    /// If the values belong to another client or other parameters, or are results of tables of digits, which may have any
    /// noise that still decrypts; if the modulus is not from 2 to 16, or `progress` asks to stop.
    pub fn export_small(
        &self,
        values: &SmallValues,
        modulus: u64,
        progress: Progress<'_>,
    ) -> Result<(LweList, NoiseBound)> {
        values.check(self.parameters(), self.binding())?;
        if !values.is_of_bootstrap() {
            let found = "results of tables of digits, or values of an earlier version";
            return Err(Error::mismatch("small values", found, "signs or comparisons"));
        }
        let value = |index| values.ciphertext(index);
        let list = self.to_ring(values.count(), value, modulus, progress)?;
        Ok((list, self.parameters().exported_noise(modulus)))
    }

    /// Exports the digits of radix integers like [`EvaluationKey::export_small`], modulo 8: one list per digit, the lowest
    /// first. `progress` counts digits.
    ///
    /// # Errors
    /// If there is no integer, one belongs to another client or other parameters, their numbers of digits differ, or
    /// `progress` asks to stop.
    pub fn export_radix(
        &self,
        integers: &[RadixInteger],
        progress: Progress<'_>,
    ) -> Result<(Vec<LweList>, NoiseBound)> {
        let Some(first) = integers.first() else {
            return Err(Error::TooSmall { name: "number of integers", value: 0, limit: 1 });
        };
        for integer in integers {
            integer.check(self.parameters(), self.binding())?;
            check_equal("number of digits", integer.digits(), first.digits())?;
        }
        let count = integers.len();
        let digit = |i: usize| integers[i % count].ciphertexts()[i / count].clone();
        let list = self.to_ring(first.digits() * count, digit, RADIX_BASE, progress)?;
        let (shape, masks) = (list.shape(), list.masks());
        let masks = masks.chunks_exact(count * shape.dimension);
        let lists = masks.zip(list.bodies().chunks_exact(count)).map(|(masks, bodies)| {
            LweList::from_words(shape, Buffer::copied(masks), bodies.to_vec())
        });
        Ok((lists.collect(), self.parameters().exported_noise(RADIX_BASE)))
    }

    /// Converts values modulo 16 under the LWE secret to values modulo another modulus under the ring secret.
    fn to_ring(
        &self,
        count: usize,
        value: impl Fn(usize) -> LweCiphertext + Sync,
        modulus: u64,
        progress: Progress<'_>,
    ) -> Result<LweList> {
        if !(2..=RADIX_MODULUS).contains(&modulus) {
            let reason = format!("it must be from 2 to {RADIX_MODULUS}");
            return Err(Error::PlaintextModulus { modulus, reason });
        }
        let (key, parameters) = (self.fhew(), self.fhew().parameters());
        let table = Table::from_fn(RADIX_MODULUS, modulus, |value| value % modulus)?;
        let table = FdfbCompress.encode(parameters, &table)?;
        let rotation_key = precise_rotation(parameters);
        let all = progress.map(count, |index| {
            let two_n = parameters.rotation_modulus();
            let phase = slot_phase(key, &value(index), RADIX_MODULUS, two_n);
            let compressed = FdfbCompress::compressed(key, table.test(0), &phase);
            Ok(key.boot_large(rotation_key, table.test(1), &compressed))
        })?;
        LweList::computed(self.parameters().large_shape(), all)
    }

    /// Returns the values of all lists, one list after the other, under the LWE secret and modulo 16, with the noise of one
    /// bootstrap.
    fn small_of(
        &self,
        lists: &[&LweList],
        modulus: u64,
        noise: NoiseBound,
        limit: u64,
        progress: Progress<'_>,
    ) -> Result<Vec<LweCiphertext>> {
        if !(2..=limit).contains(&modulus) || !modulus.is_multiple_of(2) {
            let reason = format!("it must be even and at most {limit}");
            return Err(Error::PlaintextModulus { modulus, reason });
        }
        for list in lists {
            list.check(self.parameters().large_shape())?;
            check_equal("number of values", list.len(), lists[0].len())?;
        }
        let found = self.parameters().digit_log2_fail(modulus, noise);
        check_log2_fail("a value as a small one", found, self.parameters().limit())?;
        let table = Table::from_fn(modulus, RADIX_MODULUS, |value| value)?;
        let count = lists[0].len();
        progress.map(lists.len() * count, |i| {
            let value = self.fhew().key_switch(&lists[i / count].ciphertext(i % count));
            FdfbCompress.lookup(self.fhew(), &table, &value)
        })
    }
}
