//! The server's key for integers, and functions of whole ones.

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
/// Functions of [`EncryptedIntegers`] share values out among the threads; their `progress` counts values. All of them
/// fail if a ciphertext is of another client or other parameters, or `progress` asks to stop.
pub type EvaluationKey = ServerKey<Parameters>;

impl EvaluationKey {
    /// 1 for negative integers, 0 for others, modulo 16.
    ///
    /// # Errors
    /// As all functions; or if the integers are results that no function takes.
    pub fn sign(&self, x: &EncryptedIntegers, progress: Progress<'_>) -> Result<SmallValues> {
        let functions = self.functions(&[x])?;
        let signs = self.map([x], progress, |[x]| functions.sign(x, RADIX_MODULUS))?;
        self.signs(signs)
    }

    /// 1 where x < y, else 0, modulo 16. The difference must fit the bits: it does for all integers but those of `encrypt_full_range`.
    ///
    /// # Errors
    /// As [`EvaluationKey::sign`], or if counts differ.
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

    /// |x|; of the least integer, which has no positive counterpart, itself.
    ///
    /// # Errors
    /// As [`EvaluationKey::sign`].
    pub fn absolute(
        &self,
        x: &EncryptedIntegers,
        progress: Progress<'_>,
    ) -> Result<EncryptedIntegers> {
        let functions = self.functions(&[x])?;
        let values = self.map([x], progress, |[x]| functions.absolute(x))?;
        self.integers(Encoding::Signed { computed: true }, values)
    }

    /// max(x, 0). Results decrypt, but are no inputs of these functions.
    ///
    /// # Errors
    /// As [`EvaluationKey::sign`].
    pub fn relu(&self, x: &EncryptedIntegers, progress: Progress<'_>) -> Result<EncryptedIntegers> {
        let functions = self.functions(&[x])?;
        let values = self.map([x], progress, |[x]| functions.relu(x))?;
        self.integers(Encoding::Unsigned, values)
    }

    /// max(x, y) modulo 2^(bits - 1), for x and y whose difference fits the bits: the maximum itself, unless it is
    /// negative. Results decrypt, but are no inputs of these functions.
    ///
    /// # Errors
    /// As [`EvaluationKey::less_than`].
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

    /// Returns the digits of base 8 of every integer's two's complement, ⌈bits/3⌉ of them: homomorphic digit decomposition,
    /// and a table that gives every digit its spare bit.
    ///
    /// # Errors
    /// As [`EvaluationKey::sign`].
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

    /// Functions of these inputs: by the plan of the parameters, or one for more noise where another method made some.
    fn functions(&self, inputs: &[&EncryptedIntegers]) -> Result<LargeFunctions<'_>> {
        let noise = inputs.iter().filter_map(|x| x.imported_noise()).reduce(NoiseBound::max);
        let Some(noise) = noise else {
            return Ok(LargeFunctions::with_plan(self.fhew(), self.parameters().plan().clone()));
        };
        self.parameters().check_integer_noise(noise)?;
        let plan = self.parameters().plan_of_imported(noise)?;
        Ok(LargeFunctions::with_plan(self.fhew(), plan))
    }

    /// Signs, which one bootstrap made.
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

    /// `of` applied to every integer, of any noise that decrypts; results have this noise.
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

    /// `of` applied to the integers of the same position, on all threads.
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
