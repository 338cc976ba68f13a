//! Canaries: values at secret places of a ciphertext, whose results the client knows and checks.

use std::fmt;

use cryptable_lattice::error::{check_client, check_equal, check_parameters, check_values};
use cryptable_ring::oblivious::{gather, select, spread};
use cryptable_ring::random::{RandomStream, SecretSeed, Seed, StreamPurpose};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, WireError, peek_header, read_object, write_object,
};
use zeroize::Zeroizing;

use crate::{Ciphertext, Error, Result, SecretKey, Table};

/// Most places, canaries included.
const MAX_PLACES: u64 = 1 << 32;

/// The places and inputs of canaries in a ciphertext, with which the client checks its results.
///
/// A client encrypts c canaries among its own values, at places that it draws at random among all n places. It knows which
/// results they must have. A server that answers wrong in w places, which it chooses without knowing the canaries, is missed
/// with probability
///
/// ```text
/// C(n - w, c) / C(n, c) = (1 - w/n)·(1 - w/(n - 1))·...·(1 - w/(n - c + 1))
/// ```
///
/// So canaries find a server that is wrong in a fraction of all places: 1% of 65,536 is missed with 2^-40 by 2,699 canaries. They
/// do not find a server that is wrong in a few places, and say nothing of single results.
///
/// # What this does not protect against
/// - The places hide among ciphertexts that look alike. A server can return the valid result of another place, or of a table that
///   differs from yours at few inputs: it is wrong only where results differ. Canaries of uniform inputs
///   ([`SecretKey::encrypt_with_canaries`]) find such a table as often as it differs at uniform inputs, which may be rarely where
///   your values lie. Inputs that resemble your values ([`SecretKey::encrypt_with_canaries_from`]) find it as often as they meet it.
/// - The server learns from whether you complain, repeat the lookup or go on. If it sees that, the next wrong answer can
///   depend on it. If the inputs of canaries come from your values, so does the complaint. Use every ciphertext and its canaries
///   once, and new ones after a complaint.
/// - A server that does not answer, or answers in part, is not caught by canaries: such files are refused, or shorter.
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
    modulus: u64,
    /// A flag per place: 1 for canaries.
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
        let modulus = self.lookup_parameters()?.input_modulus();
        self.hide_canaries(values, canaries, |stream, inputs| {
            stream.uniform_assign(inputs, modulus);
        })
    }

    /// Same as [`SecretKey::encrypt_with_canaries`], with canaries drawn from `inputs`, each of them equally likely at every
    /// draw. An input that `inputs` holds several times is as many times as likely.
    ///
    /// Inputs such as your values have find a server that evaluates a wrong table as often as it is wrong for your values.
    /// Inputs that are public tell the server nothing of your values if it learns whether canaries were wrong. If `inputs` are the
    /// values themselves, it may learn from that whether an input of its choice is among them.
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
        check_values(inputs, self.lookup_parameters()?.input_modulus())?;
        if inputs.is_empty() {
            return Err(Error::TooSmall {
                name: "number of inputs of canaries",
                value: 0,
                limit: 1,
            });
        }
        self.hide_canaries(values, canaries, |stream, drawn| {
            stream.uniform_assign(drawn, inputs.len() as u64);
            let selected = select(inputs, drawn);
            drawn.copy_from_slice(&selected);
        })
    }

    /// Encrypts values among canaries whose inputs `draw` writes.
    fn hide_canaries(
        &self,
        values: &[u64],
        canaries: usize,
        draw: impl FnOnce(&mut RandomStream, &mut [u64]),
    ) -> Result<(Ciphertext, Canaries)> {
        let parameters = self.lookup_parameters()?;
        let modulus = parameters.input_modulus();
        // Before anything is mixed: errors name positions among the caller's values.
        check_values(values, modulus)?;
        for (name, count) in [("number of values", values.len()), ("number of canaries", canaries)]
        {
            if count == 0 {
                return Err(Error::TooSmall { name, value: 0, limit: 1 });
            }
        }
        let places = values.len().saturating_add(canaries);
        if places as u64 > MAX_PLACES {
            let name = "number of values and canaries";
            return Err(Error::TooLarge { name, value: places as u64, limit: MAX_PLACES });
        }
        let seed = SecretSeed::random();
        let stream = |index| RandomStream::new(seed.as_bytes(), StreamPurpose::Choice, index);
        let flags = stream(0).chosen_positions(places, canaries);
        let mut inputs = Zeroizing::new(vec![0; canaries]);
        draw(&mut stream(1), &mut inputs);
        let mut id = [0; Canaries::ID_BYTES];
        id.copy_from_slice(&Seed::random().as_bytes()[..Canaries::ID_BYTES]);
        let (key_id, parameter_digest) = (self.id(), parameters.digest());
        let canaries = Canaries { id, key_id, parameter_digest, modulus, flags, inputs };
        let ciphertext = self.encrypt(&canaries.among(values))?;
        Ok((ciphertext, canaries))
    }
}

impl Canaries {
    /// Length of an identifier in bytes.
    const ID_BYTES: usize = 16;

    /// Returns an identifier that was drawn for these canaries, to tell files of canaries apart. It reveals nothing about them.
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

    /// Flags of the client's own values.
    fn own_flags(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.flags.iter().map(|flag| flag ^ 1).collect())
    }

    /// Returns the list in which values and canaries are encrypted.
    fn among(&self, values: &[u64]) -> Zeroizing<Vec<u64>> {
        let mut list = spread(values, &self.own_flags());
        let canaries = spread(&self.inputs, &self.flags);
        for ((word, canary), flag) in list.iter_mut().zip(&*canaries).zip(&*self.flags) {
            let mask = u64::from(*flag).wrapping_neg();
            *word = *word & !mask | *canary & mask;
        }
        list
    }

    /// Checks decrypted results of a lookup in `table`, and returns those of the client's own values, in the order in which
    /// they were encrypted.
    ///
    /// `decrypted` are all values of the result, as [`SecretKey::decrypt`] returns them. After several lookups in a row, `table` is
    /// the table of all of them together. The caller has to clear the returned values.
    ///
    /// # Errors
    /// [`Error::WrongCanaries`] if a canary has another result than `table` has for it: use none of the results then.
    /// [`Error::Mismatch`] if there are more or fewer results than places, or the table has another input modulus.
    pub fn check(&self, decrypted: &[u64], table: &Table) -> Result<Vec<u64>> {
        check_equal("number of results", decrypted.len(), self.places())?;
        check_equal("input modulus of the table", table.input_modulus(), self.modulus)?;
        let expected = select(table.values(), &self.inputs);
        let found = gather(decrypted, &self.flags, self.count());
        let is_wrong = |(a, b): (&u64, &u64)| usize::from(a != b);
        let wrong: usize = found.iter().zip(&*expected).map(is_wrong).sum();
        if wrong > 0 {
            return Err(Error::WrongCanaries { wrong, canaries: self.count() });
        }
        let own = self.places() - self.count();
        Ok(std::mem::take(&mut *gather(decrypted, &self.own_flags(), own)))
    }

    /// Returns the probability that a server is missed that answers wrong in `wrong` places, chosen without knowing the
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

    /// Returns the least number of canaries among `places` places by which a server that is wrong in `wrong` of them is missed
    /// with a probability of at most `limit`. `None` if no number does that and leaves a place for a value.
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

    /// Encodes the canaries for a file that the client keeps until it decrypts. Whoever has it can tell a server which
    /// results are checked. The bytes are cleared from memory on drop.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        // Room for everything, so that no reallocation leaves a copy behind.
        let capacity = 256 + self.places() / 8 + 8 * self.count();
        let mut body = Zeroizing::new(Vec::with_capacity(capacity));
        let mut bytes = Zeroizing::new(Vec::with_capacity(2 * capacity));
        let packed = self
            .flags
            .chunks(8)
            .map(|flags| flags.iter().zip(0..).fold(0, |byte, (flag, bit)| byte | flag << bit));
        let packed: Zeroizing<Vec<u8>> = Zeroizing::new(packed.collect());
        let mut writer = BodyWriter::new(&mut *body);
        let mut write = || {
            writer.raw(&self.key_id.0)?;
            writer.raw(&self.id)?;
            writer.u64(self.modulus)?;
            writer.u64(self.places() as u64)?;
            writer.u64(self.count() as u64)?;
            writer.raw(&packed)?;
            writer.words(&self.inputs)
        };
        write()
            .and_then(|()| {
                write_object(&mut *bytes, ObjectType::Canaries, &self.parameter_digest, &body)
            })
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads canaries of this secret key, as [`Canaries::to_bytes`] writes them.
    ///
    /// The file is bound to the key by its identifier, and damage is detected; but anyone could write such a file. Keep it where
    /// you keep the secret key.
    ///
    /// ```
    /// use cryptable::{Canaries, Engine, Error, Parameters, SecretKey};
    /// let parameters = Parameters::insecure_toy(Engine::Packed, 16, 16)?;
    /// let secret = SecretKey::generate(parameters.clone());
    /// let (_, canaries) = secret.encrypt_with_canaries(&[3, 1, 4], 20)?;
    /// let file = canaries.to_bytes();
    /// assert_eq!(Canaries::from_bytes(&file, &secret)?.id(), canaries.id());
    /// let other = SecretKey::generate(parameters);
    /// assert!(matches!(Canaries::from_bytes(&file, &other), Err(Error::OtherClient { .. })));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged file of canaries; [`Error::OtherClient`] if another key encrypted them.
    pub fn from_bytes(bytes: &[u8], secret: &SecretKey) -> Result<Self> {
        let parameters = secret.lookup_parameters()?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        let body = read_object(bytes, ObjectType::Canaries, None, u64::MAX)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("key identifier")?);
        check_client("file of canaries", secret.id(), key_id)?;
        check_parameters("file of canaries", parameters.digest(), parameter_digest)?;
        let id = reader.array("identifier")?;
        let modulus = reader.u64("input modulus")?;
        if modulus != parameters.input_modulus() {
            let expected = parameters.input_modulus().to_string();
            return Err(WireError::invalid("input modulus", modulus, expected).into());
        }
        let places = reader.u64_within("number of places", 2..=MAX_PLACES)?;
        let count = reader.u64_within("number of canaries", 1..=places - 1)?;
        let packed = reader.raw("flags", places.div_ceil(8) as usize)?;
        let bit = |place: u64| packed[(place / 8) as usize] >> (place % 8) & 1;
        let flags: Zeroizing<Vec<u8>> = Zeroizing::new((0..places).map(bit).collect());
        let chosen: u64 = packed.iter().map(|byte| u64::from(byte.count_ones())).sum();
        let flagged: u64 = flags.iter().map(|&flag| u64::from(flag)).sum();
        if chosen != count || flagged != count {
            return Err(WireError::invalid("flags", chosen, format!("{count} canaries")).into());
        }
        let inputs = Zeroizing::new(reader.words("inputs of canaries", count as usize)?);
        reader.finish()?;
        check_values(&inputs, modulus)?;
        Ok(Self { id, key_id, parameter_digest, modulus, flags, inputs })
    }
}

/// `C(n - w, c)/C(n, c)` for n places, c canaries and w wrong results, as a product of quotients: one for every canary, or, by
/// the symmetry of both, one for every wrong result if these are fewer. Its relative error is below 2^-51 a factor.
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

    /// A binomial coefficient, exactly.
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

    /// Quotients of binomial coefficients of thousands of bits, by Python's integers.
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
