//! Radix integers: sums, comparisons, selection, and tables of digits.

use cryptable_lattice::error::{check_equal, check_within};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Result, Table};

use super::parameters::{RADIX_BASE_LOG2, RADIX_MODULUS};
use super::{EvaluationKey, MAX_RADIX_DIGITS, RADIX_BASE, RadixInteger, SmallValues};
use crate::full_domain::FdfbCompress;
use crate::functions::{ChainedTable, Radix, TreeTable};

/// Operations on radix integers of one client with the same number of digits; all fail otherwise. Results can be inputs of
/// further operations, any number of times.
impl EvaluationKey {
    /// Returns x + y modulo 8^digits: two tables per digit, one digit after the other.
    ///
    /// # Errors
    /// Same as for all operations on radix integers.
    pub fn radix_add(&self, x: &RadixInteger, y: &RadixInteger) -> Result<RadixInteger> {
        let radix = self.radix(&[x, y])?;
        Ok(self.integer(radix.sum(x.ciphertexts(), y.ciphertexts())?))
    }

    /// Returns -x modulo 8^digits.
    ///
    /// # Errors
    /// Same as for all operations on radix integers.
    pub fn radix_negate(&self, x: &RadixInteger) -> Result<RadixInteger> {
        Ok(self.integer(self.radix(&[x])?.negate(x.ciphertexts())?))
    }

    /// Returns 1 if x < y as unsigned integers, else 0, modulo 16: one table per digit, and a tree of tables.
    ///
    /// # Errors
    /// Same as for all operations on radix integers.
    pub fn radix_less_than(&self, x: &RadixInteger, y: &RadixInteger) -> Result<SmallValues> {
        let less = self.radix(&[x, y])?.less_than(x.ciphertexts(), y.ciphertexts())?;
        Ok(self.small(RADIX_MODULUS, less)?.of_bootstrap())
    }

    /// Returns 1 if x < 0 in two's complement, else 0, modulo 16.
    ///
    /// # Errors
    /// Same as for all operations on radix integers.
    pub fn radix_sign(&self, x: &RadixInteger) -> Result<SmallValues> {
        let sign = self.radix(&[x])?.sign(x.ciphertexts())?;
        Ok(self.small(RADIX_MODULUS, sign)?.of_bootstrap())
    }

    /// Returns `selector ? x : y`, for a selector that is a sign or a comparison: two tables per digit.
    ///
    /// # Errors
    /// Same as for all operations on radix integers, or if the selector is not one value modulo 16.
    pub fn radix_select(
        &self,
        selector: &SmallValues,
        x: &RadixInteger,
        y: &RadixInteger,
    ) -> Result<RadixInteger> {
        selector.check(self.parameters(), self.binding())?;
        if selector.modulus() != RADIX_MODULUS || selector.count() != 1 {
            let found = format!("{} values modulo {}", selector.count(), selector.modulus());
            return Err(Error::mismatch("selector", found, "one value modulo 16"));
        }
        let radix = self.radix(&[x, y])?;
        let chosen = radix.select(&selector.ciphertext(0), x.ciphertexts(), y.ciphertexts())?;
        Ok(self.integer(chosen))
    }

    /// Returns the larger of two unsigned integers.
    ///
    /// # Errors
    /// Same as for all operations on radix integers.
    pub fn radix_maximum(&self, x: &RadixInteger, y: &RadixInteger) -> Result<RadixInteger> {
        Ok(self.integer(self.radix(&[x, y])?.maximum(x.ciphertexts(), y.ciphertexts())?))
    }

    /// Returns |x| in two's complement.
    ///
    /// # Errors
    /// Same as for all operations on radix integers.
    pub fn radix_absolute(&self, x: &RadixInteger) -> Result<RadixInteger> {
        Ok(self.integer(self.radix(&[x])?.absolute(x.ciphertexts())?))
    }

    /// Returns max(x, 0) in two's complement.
    ///
    /// # Errors
    /// Same as for all operations on radix integers.
    pub fn radix_relu(&self, x: &RadixInteger) -> Result<RadixInteger> {
        Ok(self.integer(self.radix(&[x])?.relu(x.ciphertexts())?))
    }

    /// Applies a table of base 8 to every digit by itself.
    ///
    /// # Errors
    /// Same as for all operations on radix integers, or if a modulus of the table is not 8.
    pub fn radix_map(&self, x: &RadixInteger, table: &Table) -> Result<RadixInteger> {
        table.check_moduli(RADIX_BASE, RADIX_BASE)?;
        let of = |digit: u64| table.values()[digit as usize];
        Ok(self.integer(self.radix(&[x])?.map(of, x.ciphertexts())?))
    }

    /// Looks the whole integer up in a table of 8^digits entries of at most 6 bits, by a tree of tables ([`TreeTable`]):
    /// digits + 1 blind rotations, and one more for every entry of the table of all but the lowest digit.
    ///
    /// # Errors
    /// Same as for all operations on radix integers, or if the input modulus of the table is not 8^digits, it has more than
    /// 65,536 entries, or its outputs are too large for the failure probability.
    pub fn radix_lookup(&self, x: &RadixInteger, table: &Table) -> Result<SmallValues> {
        self.radix(&[x])?;
        let (digits, output_modulus) = (x.digits(), table.output_modulus());
        let limit = self.parameters().limit();
        let tree = TreeTable::new(self.fhew(), RADIX_BASE, digits, output_modulus, limit)?;
        let result = tree.lookup(table.values(), &self.base_digits(x))?;
        self.small(output_modulus, result)
    }

    /// Returns the last state of an automaton of two states that reads the digits, the lowest first:
    /// `state = next(digit, state)`; a chain of tables ([`ChainedTable`]), 2·digits - 1 of them.
    ///
    /// ```
    /// use cryptable_fhew::integers::{Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(8)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let x = secret.encrypt_radix(0o1234, 4)?;
    /// // The parity of the number of ones among the bits.
    /// let parity = key.radix_fold(&x, 0, |digit, state| (u64::from(digit.count_ones()) + state) % 2)?;
    /// assert_eq!(secret.decrypt_small(&parity)?, [1]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for all operations on radix integers, or if a state is neither 0 nor 1.
    pub fn radix_fold(
        &self,
        x: &RadixInteger,
        initial: u64,
        next: impl Fn(u64, u64) -> u64,
    ) -> Result<SmallValues> {
        self.radix(&[x])?;
        let chain = ChainedTable { method: &FdfbCompress, base: RADIX_BASE, states: 2 };
        let result = chain.evaluate(self.fhew(), next, initial, &self.base_digits(x))?;
        // The state s is encrypted as 8·s modulo 16, which is s modulo 2.
        self.small(2, result)
    }

    /// Returns the digits modulo 8 instead of 16: twice the phase.
    fn base_digits(&self, x: &RadixInteger) -> Vec<LweCiphertext> {
        let double = |digit: &LweCiphertext| {
            let mut digit = digit.clone();
            digit.mul_integer_assign(2);
            digit
        };
        x.ciphertexts().iter().map(double).collect()
    }

    /// Returns the functions of integers with the number of digits that all of these have.
    fn radix(&self, integers: &[&RadixInteger]) -> Result<Radix<'_>> {
        let digits = integers[0].digits();
        for integer in integers {
            integer.check(self.parameters(), self.binding())?;
            check_equal("number of digits", integer.digits(), digits)?;
        }
        check_within("number of digits", digits as u64, ..=MAX_RADIX_DIGITS as u64)?;
        Radix::new(self.fhew(), &FdfbCompress, RADIX_BASE_LOG2, digits)
    }

    fn integer(&self, digits: Vec<LweCiphertext>) -> RadixInteger {
        RadixInteger::new(*self.binding(), digits)
    }

    fn small(&self, modulus: u64, value: LweCiphertext) -> Result<SmallValues> {
        SmallValues::new(*self.binding(), self.parameters(), modulus, vec![value])
    }
}
