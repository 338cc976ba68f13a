//! Canaries: values at secret places of a ciphertext, whose results the client knows and checks.

mod file;

use std::fmt;

use cryptable_lattice::error::{check_equal, check_values};
use cryptable_ring::oblivious::{gather, select, spread};
use cryptable_ring::random::{RandomStream, SecretSeed, Seed, StreamPurpose};
use cryptable_wire::KeyId;
use zeroize::Zeroizing;

use crate::{Ciphertext, Error, Parameters, PublicKey, Result, SecretKey, Table};

/// Largest number of places, including those of canaries.
const MAX_PLACES: u64 = 1 << 32;

/// Name of the number of bits of integers, in errors.
const BITS: &str = "bits of canaries";

/// The places and inputs of canaries in a ciphertext, with which the client checks its results.
///
/// A client encrypts c canaries among its own values, at places that it draws at random from all n places. It knows the
/// results that they must have. A server that answers wrong in w places, chosen without knowing the canaries, is missed
/// with probability
///
/// ```text
/// C(n - w, c) / C(n, c) = (1 - w/n)·(1 - w/(n - 1))·...·(1 - w/(n - c + 1))
/// ```
///
/// So canaries find a server that is wrong in a fraction of all places: with 2,699 canaries, a server that is wrong in
/// 1% of 65,536 places is missed with probability 2^-40. They do not find a server that is wrong in only a few places,
/// and prove nothing about single results.
///
/// # What this does not protect against
/// - Places are hidden only because all ciphertexts look alike. A server can return the valid result of another place,
///   or of a table that differs from yours at few inputs: it is wrong only where the results differ. Canaries with
///   uniform inputs ([`SecretKey::encrypt_with_canaries`]) find such a table as often as it differs at uniform inputs,
///   which may be rare even if it differs often at your values. Canaries with inputs that resemble your values
///   ([`SecretKey::encrypt_with_canaries_from`]) find it as often as they hit an input where it differs.
/// - A server learns from whether you complain, repeat the lookup or go on. If it sees your reaction, its next wrong
///   answer can depend on it. If the inputs of canaries come from your values, your reaction depends on them, too. Use
///   every ciphertext and its canaries only once, and new ones after a complaint.
/// - Canaries do not catch a server that does not answer or answers only in part: its file is refused, or too short.
/// - Whoever has the canaries, or the secret key, can tell the server the places.
///
/// Places and inputs are secret: they are cleared from memory on drop and not shown by `Debug`. Neither encryption nor
/// [`Canaries::check`] branches on them or accesses memory by them.
///
/// ```
/// use cryptable::{Engine, Error, Parameters, SecretKey, Table};
/// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
/// let server = secret.evaluation_key();
/// let squares = Table::from_fn(16, 16, |x| x * x % 16)?;
/// let (values, canaries) = secret.encrypt_with_canaries(&[3, 1, 4], 20)?;
///
/// let output = server.lookup(&values, &server.prepare(&squares)?)?;
/// assert_eq!(canaries.check(&secret.decrypt(&output)?, &squares)?, [9, 1, 0]);
///
/// // A server that evaluates another table is found.
/// let other = server.prepare(&Table::from_fn(16, 16, |x| (x * x + 1) % 16)?)?;
/// let output = server.lookup(&values, &other)?;
/// let error = canaries.check(&secret.decrypt(&output)?, &squares).unwrap_err();
/// assert!(matches!(error, Error::WrongCanaries { wrong: 20, canaries: 20 }));
/// # Ok::<(), cryptable::Error>(())
/// ```
pub struct Canaries {
    id: [u8; Self::ID_BYTES],
    key_id: KeyId,
    parameter_digest: [u8; 32],
    /// The largest allowed input.
    largest: u64,
    /// One flag per place: 1 for canaries.
    flags: Zeroizing<Vec<u8>>,
    /// The inputs of canaries, in the order of their places.
    inputs: Zeroizing<Vec<u64>>,
}

impl fmt::Debug for Canaries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Canaries({} of {} places, redacted)", self.count(), self.places())
    }
}

impl SecretKey {
    /// Encrypts values together with canaries of uniform inputs, at random places among them. Returns the ciphertext,
    /// which holds `values.len() + canaries` values, and the [`Canaries`], which stay with the client.
    ///
    /// # Errors
    /// Same errors as [`SecretKey::encrypt`]; [`Error::TooSmall`] without canaries; [`Error::TooLarge`] for more than 2^32
    /// places.
    pub fn encrypt_with_canaries(
        &self,
        values: &[u64],
        canaries: usize,
    ) -> Result<(Ciphertext, Canaries)> {
        let canaries = self.draw_canaries(values.len(), canaries, None)?;
        Ok((self.encrypt(&canaries.hide(values)?)?, canaries))
    }

    /// Same as [`SecretKey::encrypt_with_canaries`], with inputs of canaries drawn from `inputs`, each of them equally
    /// likely at every draw. An input that occurs several times in `inputs` is drawn more often in proportion.
    ///
    /// Inputs that resemble your values find a server that evaluates a wrong table as often as it is wrong for your
    /// values. If `inputs` are public, the server learns nothing about your values from whether canaries were wrong. If
    /// `inputs` are the values themselves, it may learn whether an input of its choice is among them.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey, Table};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let ages = [3, 5, 3, 4];
    /// let (encrypted, canaries) = secret.encrypt_with_canaries_from(&ages, 10, &[3, 4, 5])?;
    /// let identity = Table::from_fn(16, 16, |x| x)?;
    /// assert_eq!(canaries.check(&secret.decrypt(&encrypted)?, &identity)?, ages);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same errors as [`SecretKey::encrypt_with_canaries`]; [`Error::ValueOutOfRange`] for the first input that is not below the
    /// input modulus, [`Error::TooSmall`] if there is none.
    pub fn encrypt_with_canaries_from(
        &self,
        values: &[u64],
        canaries: usize,
        inputs: &[u64],
    ) -> Result<(Ciphertext, Canaries)> {
        let places = self.draw_canaries(values.len(), canaries, None)?;
        let canaries = places.with_inputs_of(inputs)?;
        Ok((self.encrypt(&canaries.hide(values)?)?, canaries))
    }

    /// Draws canaries with uniform inputs, and their places among `values` values, for any plaintexts of this key:
    /// inputs of lookups or, with `bits`, integers of `bits` bits, as in columns and values in words.
    ///
    /// [`Canaries::hide`] returns the list to encrypt, and [`Canaries::check_results`] checks the results. All lists of
    /// one operation must have canaries at the same places ([`Canaries::with_inputs_of`]).
    ///
    /// ```
    /// use cryptable::engines::packed;
    /// use cryptable::integers::{ColumnKind, Evaluator, decrypt_words, encrypt_words, insecure_packed_toy};
    /// use cryptable::{Execution, Parameters, Progress, SecretKey};
    /// let parameters = insecure_packed_toy(2, 1024)?;      // in production, of `Request::integers`
    /// let secret = SecretKey::generate(Parameters::from(parameters));
    /// let (kind, key) = (ColumnKind::of::<u8>(), secret.packed()?);
    /// let x = secret.draw_canaries(3, 20, Some(8))?;
    /// let y = x.with_inputs_of(&[1, 2, 3])?;
    /// let operands = [x.hide(&[200, 7, 9])?, y.hide(&[56, 1, 1])?];
    /// let [a, b] = operands.map(|words| encrypt_words(key, kind, &words));
    ///
    /// let server = key.evaluation_key(Progress::silent())?;
    /// let sums = Evaluator::new(&server)?.add(&a?, &b?)?;
    ///
    /// let expected = x.inputs().iter().zip(y.inputs()).map(|(a, b)| (a + b) % 256).collect::<Vec<_>>();
    /// assert_eq!(x.check_results(&decrypt_words(key, &sums)?, &expected)?, [0, 8, 10]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooSmall`] without values or canaries; [`Error::TooLarge`] for more than 2^32 places, or integers of more than 64
    /// bits; [`Error::OtherKind`] if the key is not for lookups.
    pub fn draw_canaries(
        &self,
        values: usize,
        canaries: usize,
        bits: Option<u32>,
    ) -> Result<Canaries> {
        Canaries::draw(self.id(), &self.lookup_parameters()?, values, canaries, bits)
    }
}

impl PublicKey {
    /// Draws canaries like [`SecretKey::draw_canaries`]. A contributor hides them among its values and sends them to
    /// the holder of the secret key, who checks the results.
    ///
    /// ```
    /// use cryptable::{Canaries, Engine, Parameters, SecretKey, Table};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let public = secret.public_key()?;
    /// let canaries = public.draw_canaries(3, 20, None)?;    // the contributor
    /// let values = public.encrypt(&canaries.hide(&[3, 1, 4])?)?;
    /// let file = canaries.to_bytes();                       // to the client, by a way that the server cannot read
    ///
    /// let canaries = Canaries::from_bytes(&file, &secret)?; // the client
    /// let identity = Table::from_fn(16, 16, |x| x)?;
    /// assert_eq!(canaries.check(&secret.decrypt(&values)?, &identity)?, [3, 1, 4]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same errors as [`SecretKey::draw_canaries`].
    pub fn draw_canaries(
        &self,
        values: usize,
        canaries: usize,
        bits: Option<u32>,
    ) -> Result<Canaries> {
        let parameters = self.parameters().lookups()?;
        Canaries::draw(self.id(), &parameters, values, canaries, bits)
    }
}

impl Canaries {
    /// Length of an identifier in bytes.
    const ID_BYTES: usize = 16;

    /// Draws places among `values` values, and uniform inputs of canaries.
    fn draw(
        key_id: KeyId,
        parameters: &Parameters,
        values: usize,
        canaries: usize,
        bits: Option<u32>,
    ) -> Result<Self> {
        for (name, count) in [("number of values", values), ("number of canaries", canaries)] {
            if count == 0 {
                return Err(Error::TooSmall { name, value: 0, limit: 1 });
            }
        }
        let too_large = |name, value, limit| Err(Error::TooLarge { name, value, limit });
        let places = values.saturating_add(canaries);
        if places as u64 > MAX_PLACES {
            return too_large("number of values and canaries", places as u64, MAX_PLACES);
        }
        let largest = match bits {
            None => parameters.input_modulus() - 1,
            Some(bits @ 1..=64) => u64::MAX >> (64 - bits),
            Some(0) => return Err(Error::TooSmall { name: BITS, value: 0, limit: 1 }),
            Some(bits) => return too_large(BITS, bits.into(), 64),
        };
        let seed = SecretSeed::random();
        let stream = |index| RandomStream::new(seed.as_bytes(), StreamPurpose::Choice, index);
        let flags = stream(0).chosen_positions(places, canaries);
        let mut inputs = Zeroizing::new(vec![0; canaries]);
        uniform_up_to(&mut stream(1), &mut inputs, largest);
        let parameter_digest = parameters.digest();
        Ok(Self { id: new_id(), key_id, parameter_digest, largest, flags, inputs })
    }

    /// Returns canaries at the same places, with inputs drawn from `inputs`, each of them equally likely at every draw.
    /// Use it for inputs that resemble your values, or for another list of an operation with several lists.
    ///
    /// # Errors
    /// [`Error::ValueOutOfRange`] for the first input that is too large, [`Error::TooSmall`] if there is none.
    pub fn with_inputs_of(&self, inputs: &[u64]) -> Result<Self> {
        self.check_range(inputs)?;
        if inputs.is_empty() {
            let name = "number of inputs of canaries";
            return Err(Error::TooSmall { name, value: 0, limit: 1 });
        }
        let seed = SecretSeed::random();
        let mut drawn = Zeroizing::new(vec![0; self.count()]);
        let mut stream = RandomStream::new(seed.as_bytes(), StreamPurpose::Choice, 0);
        stream.uniform_assign(&mut drawn, inputs.len() as u64);
        let inputs = select(inputs, &drawn);
        let &Self { key_id, parameter_digest, largest, .. } = self;
        let flags = self.flags.clone();
        Ok(Self { id: new_id(), key_id, parameter_digest, largest, flags, inputs })
    }

    /// Checks that values are within the range of the inputs of canaries.
    fn check_range(&self, values: &[u64]) -> Result<()> {
        match self.largest.checked_add(1) {
            Some(limit) => check_values(values, limit),
            None => Ok(()),
        }
    }

    /// Returns the largest input that canaries, and the values among them, may have.
    #[must_use]
    pub fn largest_input(&self) -> u64 {
        self.largest
    }

    /// Returns the inputs of the canaries, in the order of their places. They are as secret as the places.
    #[must_use]
    pub fn inputs(&self) -> &[u64] {
        &self.inputs
    }

    /// Returns a random identifier, drawn for these canaries, to tell files of canaries apart. It reveals nothing about
    /// them.
    #[must_use]
    pub fn id(&self) -> [u8; 16] {
        self.id
    }

    /// Returns the identifier of the secret key that encrypted the canaries.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Returns the number of canaries, c.
    #[must_use]
    pub fn count(&self) -> usize {
        self.inputs.len()
    }

    /// Returns the number of values of the ciphertext, n: the client's own and the canaries.
    #[must_use]
    pub fn places(&self) -> usize {
        self.flags.len()
    }

    /// Returns flags of the client's own values.
    fn own_flags(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.flags.iter().map(|flag| flag ^ 1).collect())
    }

    /// Returns the list to encrypt: the values in their order, among canaries.
    ///
    /// # Errors
    /// [`Error::ValueOutOfRange`] for the first value that is too large; [`Error::Mismatch`] if the number of values is
    /// not the number of places without canaries.
    pub fn hide(&self, values: &[u64]) -> Result<Zeroizing<Vec<u64>>> {
        // Checked before values and canaries are mixed, since errors name positions among the caller's values.
        self.check_range(values)?;
        check_equal("number of values", values.len(), self.places() - self.count())?;
        let mut list = spread(values, &self.own_flags());
        let canaries = spread(&self.inputs, &self.flags);
        for ((word, canary), flag) in list.iter_mut().zip(&*canaries).zip(&*self.flags) {
            let mask = u64::from(*flag).wrapping_neg();
            *word = *word & !mask | *canary & mask;
        }
        Ok(list)
    }

    /// Checks decrypted results of a lookup in `table`, and returns the results of the client's own values, in the
    /// order in which they were encrypted.
    ///
    /// `decrypted` holds all values of the result, as [`SecretKey::decrypt`] returns them. After several lookups in a
    /// row, `table` is the composition of all their tables. The caller has to clear the returned values.
    ///
    /// # Errors
    /// [`Error::WrongCanaries`] if a canary has another result than `table` has for it: then use none of the results.
    /// [`Error::Mismatch`] if the number of results is not the number of places, or the table has another input
    /// modulus.
    pub fn check(&self, decrypted: &[u64], table: &Table) -> Result<Vec<u64>> {
        let bound = self.largest.wrapping_add(1);
        check_equal("input modulus of the table", table.input_modulus(), bound)?;
        self.check_results(decrypted, &select(table.values(), &self.inputs))
    }

    /// Checks decrypted results like [`Canaries::check`], given the expected results of the canaries in the order of
    /// [`Canaries::inputs`].
    ///
    /// # Errors
    /// [`Error::WrongCanaries`] if a canary has another result: then use none of the results. [`Error::Mismatch`] if
    /// the number of results is not the number of places, or the number of expected results is not that of canaries.
    pub fn check_results(&self, decrypted: &[u64], expected: &[u64]) -> Result<Vec<u64>> {
        check_equal("number of results", decrypted.len(), self.places())?;
        check_equal("number of expected results", expected.len(), self.count())?;
        let found = gather(decrypted, &self.flags, self.count());
        let is_wrong = |(a, b): (&u64, &u64)| usize::from(a != b);
        let wrong: usize = found.iter().zip(expected).map(is_wrong).sum();
        if wrong > 0 {
            return Err(Error::WrongCanaries { wrong, canaries: self.count() });
        }
        let own = self.places() - self.count();
        Ok(std::mem::take(&mut *gather(decrypted, &self.own_flags(), own)))
    }

    /// Returns the probability of missing a server that answers wrong in `wrong` places, chosen without knowing the
    /// canaries: `C(n - wrong, c) / C(n, c)`.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
    /// let (_, canaries) = secret.encrypt_with_canaries(&[1, 2, 3], 2)?;
    /// // C(3, 2)/C(5, 2) = 3/10.
    /// assert!((canaries.missed_probability(2) - 0.3).abs() < 1e-15);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn missed_probability(&self, wrong: usize) -> f64 {
        missed(self.places(), self.count(), wrong)
    }

    /// Returns the least number of canaries among `places` places with which a server that is wrong in `wrong` of them
    /// is missed with a probability of at most `limit`. `None` if no number achieves that and leaves a place for a
    /// value.
    ///
    /// ```
    /// use cryptable::Canaries;
    /// // Results of a full ciphertext, of which 1% are wrong.
    /// assert_eq!(Canaries::needed(65_536, 656, 2f64.powi(-40)), Some(2_699));
    /// // Half of all places find a single wrong result in half of all cases.
    /// assert_eq!(Canaries::needed(65_536, 1, 0.5), Some(32_768));
    /// assert_eq!(Canaries::needed(65_536, 1, 2f64.powi(-40)), None);
    /// ```
    #[must_use]
    pub fn needed(places: usize, wrong: usize, limit: f64) -> Option<usize> {
        let is_enough = |canaries| missed(places, canaries, wrong) <= limit;
        let (mut least, mut most) = (1, places.checked_sub(1).filter(|&most| most > 0)?);
        if !is_enough(most) {
            return None;
        }
        while least < most {
            let middle = least + (most - least) / 2;
            if is_enough(middle) { most = middle } else { least = middle + 1 }
        }
        Some(most)
    }
}

/// Draws an identifier.
fn new_id() -> [u8; Canaries::ID_BYTES] {
    let mut id = [0; Canaries::ID_BYTES];
    id.copy_from_slice(&Seed::random().as_bytes()[..Canaries::ID_BYTES]);
    id
}

/// Draws uniform words from 0 to `largest`.
fn uniform_up_to(stream: &mut RandomStream, words: &mut [u64], largest: u64) {
    match largest.checked_add(1) {
        Some(bound) => stream.uniform_assign(words, bound),
        None => {
            let mut high = Zeroizing::new(vec![0; words.len()]);
            stream.uniform_assign(words, 1 << 32);
            stream.uniform_assign(&mut high, 1 << 32);
            words.iter_mut().zip(&*high).for_each(|(word, high)| *word |= high << 32);
        }
    }
}

/// Returns `C(n - w, c)/C(n, c)` for n places, c canaries and w wrong results, as a product of quotients: one per
/// canary or, by symmetry, one per wrong result if there are fewer of these. Its relative error is below 2^-51 per
/// factor.
fn missed(places: usize, canaries: usize, wrong: usize) -> f64 {
    let (few, many) = (canaries.min(wrong), canaries.max(wrong));
    if few > places.saturating_sub(many) {
        return 0.0;
    }
    let all = places as f64;
    let factor = |taken: usize| (all - many as f64 - taken as f64) / (all - taken as f64);
    (0..few).map(factor).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes a binomial coefficient exactly.
    fn binomial(n: u128, k: u128) -> u128 {
        if k > n { 0 } else { (0..k).fold(1, |product, i| product * (n - i) / (i + 1)) }
    }

    #[test]
    fn probabilities_are_those_of_exact_integers() {
        for places in [1_u128, 2, 3, 10, 33, 64, 90, 120] {
            for canaries in 0..=places {
                for wrong in 0..=places {
                    let numerator = binomial(places - wrong, canaries) as f64;
                    let exact = numerator / binomial(places, canaries) as f64;
                    let found = missed(places as usize, canaries as usize, wrong as usize);
                    let error = (found - exact).abs();
                    assert!(error <= 1e-13 * exact, "{places} {canaries} {wrong}: {found}");
                }
            }
        }
    }

    /// The expected quotients, of binomial coefficients of thousands of bits, were computed with Python's integers.
    #[test]
    fn probabilities_of_full_ciphertexts_are_right() {
        for (places, canaries, wrong, exact) in EXACT {
            let found = missed(places, canaries, wrong);
            assert!((found / exact - 1.0).abs() < 1e-11, "{places} {canaries} {wrong}: {found}");
        }
        assert_eq!(missed(65_536, 65_000, 1_000), 0.0);
        assert_eq!(missed(5, 5, 0), 1.0);
    }

    #[test]
    fn needed_canaries_are_the_least() {
        for places in [2, 3, 17, 100] {
            for wrong in 0..=places {
                for limit in [0.0, 1e-9, 0.01, 0.5, 1.0] {
                    let expected = (1..places).find(|&c| missed(places, c, wrong) <= limit);
                    assert_eq!(Canaries::needed(places, wrong, limit), expected);
                }
            }
        }
        assert_eq!(Canaries::needed(0, 0, 1.0), None);
        assert_eq!(Canaries::needed(1, 1, 1.0), None);
    }

    /// Places, canaries, wrong results, and the probability.
    const EXACT: [(usize, usize, usize, f64); 5] = [
        (65_536, 2728, 656, 6.679139377103113e-13),
        (65_536, 100, 6554, 2.6321311666185082e-05),
        (32_768, 16_384, 40, 8.880754691094346e-13),
        (65_536, 3000, 1, 0.9542236328125),
        (1_000_000, 5000, 3000, 2.880083345506756e-07),
    ];
}
