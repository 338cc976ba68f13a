//! The server's key for integers, and functions of whole integers.

use cryptable_lattice::error::check_equal;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{NoiseBound, Progress, Result, Table};

use super::ciphertexts::Encoding;
use super::parameters::RADIX_MODULUS;
use super::{EncryptedIntegers, Parameters, RadixInteger, SmallValues};
use crate::full_domain::{FdfbCompress, FullDomainMethod};
use crate::functions::LargeFunctions;
use crate::keys::ServerKey;

/// Evaluates functions of encrypted integers. Holds no secret, and is `Sync`.
///
/// Functions of [`EncryptedIntegers`] distribute values over the threads; their `progress` counts values. All of them
/// fail if a ciphertext belongs to another client or other parameters, or `progress` asks to stop.
pub type EvaluationKey = ServerKey<Parameters>;

impl EvaluationKey {
    /// Returns 1 for negative integers and 0 for others, modulo 16.
    ///
    /// # Errors
    /// Same as for all functions, or if the integers are results that no function accepts.
    pub fn sign(&self, x: &EncryptedIntegers, progress: Progress<'_>) -> Result<SmallValues> {
        let functions = self.functions(&[x])?;
        let signs = self.map([x], progress, |[x]| functions.sign(x, RADIX_MODULUS))?;
        self.signs(signs)
    }

    /// Returns 1 where x < y and 0 elsewhere, modulo 16. The difference must fit the bits, which only integers of
    /// `encrypt_full_range` can violate.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::sign`], or if the numbers of integers differ.
    pub fn less_than(
        &self,
        x: &EncryptedIntegers,
        y: &EncryptedIntegers,
        progress: Progress<'_>,
    ) -> Result<SmallValues> {
        let functions = self.functions(&[x, y])?;
        let of = |[x, y]: [&LweCiphertext; 2]| functions.less_than(x, y, RADIX_MODULUS);
        let signs = self.map([x, y], progress, of)?;
        self.signs(signs)
    }

    /// Returns |x|. The least integer, which has no positive counterpart, stays itself.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::sign`].
    pub fn absolute(
        &self,
        x: &EncryptedIntegers,
        progress: Progress<'_>,
    ) -> Result<EncryptedIntegers> {
        let functions = self.functions(&[x])?;
        let values = self.map([x], progress, |[x]| functions.absolute(x))?;
        self.integers(Encoding::Signed { computed: true }, values)
    }

    /// Returns max(x, 0). Results can be decrypted, but cannot be inputs of these functions.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::sign`].
    pub fn relu(&self, x: &EncryptedIntegers, progress: Progress<'_>) -> Result<EncryptedIntegers> {
        let functions = self.functions(&[x])?;
        let values = self.map([x], progress, |[x]| functions.relu(x))?;
        self.integers(Encoding::Unsigned, values)
    }

    /// Returns max(x, y) modulo 2^(bits - 1), for x and y whose difference fits the bits: the maximum itself, unless it is
    /// negative. Results can be decrypted, but cannot be inputs of these functions.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::less_than`].
    pub fn maximum(
        &self,
        x: &EncryptedIntegers,
        y: &EncryptedIntegers,
        progress: Progress<'_>,
    ) -> Result<EncryptedIntegers> {
        let functions = self.functions(&[x, y])?;
        let values = self.map([x, y], progress, |[x, y]| functions.maximum(x, y))?;
        self.integers(Encoding::Unsigned, values)
    }

    /// Returns the ⌈bits/3⌉ digits of base 8 of every integer's two's complement, by homomorphic digit decomposition and a
    /// table that adds the spare bit to every digit.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::sign`].
    pub fn to_radix(
        &self,
        x: &EncryptedIntegers,
        progress: Progress<'_>,
    ) -> Result<Vec<RadixInteger>> {
        let functions = self.functions(&[x])?;
        let integers = self.map([x], progress, |[x]| {
            let plan = functions.plan().decomposition();
            let digits = plan.evaluate(self.fhew(), x)?.into_lookup_inputs(self.fhew());
            let widen = |(index, digit): (usize, &LweCiphertext)| {
                let table = Table::from_fn(1 << plan.digit_bits(index), RADIX_MODULUS, |d| d)?;
                FdfbCompress.lookup(self.fhew(), &table, digit)
            };
            digits.iter().enumerate().map(widen).collect::<Result<Vec<_>>>()
        })?;
        Ok(integers.into_iter().map(|digits| RadixInteger::new(*self.binding(), digits)).collect())
    }

    /// Returns the functions of these inputs: by the plan of the parameters, or by a plan for more noise if another method
    /// computed some of them.
    fn functions(&self, inputs: &[&EncryptedIntegers]) -> Result<LargeFunctions<'_>> {
        let noise = inputs.iter().filter_map(|x| x.imported_noise()).reduce(NoiseBound::max);
        let Some(noise) = noise else {
            return Ok(LargeFunctions::with_plan(self.fhew(), self.parameters().plan().clone()));
        };
        self.parameters().check_integer_noise(noise)?;
        let plan = self.parameters().plan_of_imported(noise)?;
        Ok(LargeFunctions::with_plan(self.fhew(), plan))
    }

    /// Wraps signs, each the result of one bootstrap.
    fn signs(&self, signs: Vec<LweCiphertext>) -> Result<SmallValues> {
        let signs = SmallValues::new(*self.binding(), self.parameters(), RADIX_MODULUS, signs)?;
        Ok(signs.of_bootstrap())
    }

    fn integers(
        &self,
        encoding: Encoding,
        values: Vec<LweCiphertext>,
    ) -> Result<EncryptedIntegers> {
        let values = LweList::computed(self.parameters().large_shape(), values)?;
        Ok(EncryptedIntegers::new(*self.binding(), encoding, values))
    }

    /// Applies `of` to every integer, whatever its noise, if it decrypts; results have the noise `noise`.
    pub(super) fn map_to_noise(
        &self,
        x: &EncryptedIntegers,
        noise: NoiseBound,
        progress: Progress<'_>,
        of: impl Fn(&LweCiphertext) -> LweCiphertext + Sync,
    ) -> Result<EncryptedIntegers> {
        x.check(self.parameters(), self.binding())?;
        let values = progress.map(x.count(), |index| Ok(of(&x.ciphertext(index))))?;
        self.integers(Encoding::Imported { noise }, values)
    }

    /// Applies `of` to the integers at each position, on all threads.
    fn map<const N: usize, T: Send>(
        &self,
        inputs: [&EncryptedIntegers; N],
        progress: Progress<'_>,
        of: impl Fn([&LweCiphertext; N]) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let count = inputs[0].count();
        for input in inputs {
            input.check_input(self.parameters(), self.binding())?;
            check_equal("number of integers", input.count(), count)?;
        }
        progress.map(count, |index| of(inputs.map(|input| input.ciphertext(index)).each_ref()))
    }
}
