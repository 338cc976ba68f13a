//! Partial decryptions by the owners of a key, and their combination to bits.
//!
//! An owner answers with `c_1·s_i + F`, where F is drawn from a secret seed and c_1 alone. A second request for the
//! same ciphertext, or for another one with the same mask, gets the same answer, and reveals nothing more. Owners thus
//! need to remember nothing between requests, and nobody can average two answers. With independent flooding, k answers
//! would have the distance of k ciphertexts.

use std::sync::Arc;

use cryptable_ckks::encryption::slots_of_phase;
use cryptable_lattice::error::{Error, Result, check_parameters};
use cryptable_lattice::flooding::Flooding;
use cryptable_lattice::owners::{Message, OwnerSecret, OwnersError, Quorum};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{Binding, Owners};
use cryptable_ring::random::Seed;
use cryptable_ring::{Evaluations, Poly, Ring, clear_stack};
use cryptable_wire::{KeyId, ObjectType, object_bytes, pack_ternary};
use zeroize::Zeroizing;

use crate::joint_decryption::JointDecryption;
use crate::parameters::Parameters;
use crate::prepared_bits::PreparedBits;
use crate::serialization::WORDS;

/// Domain separation of the keys from which seeds of flooding are derived.
const FLOODING_CONTEXT: &str = "cryptable: flooding of partial decryptions of bits";

/// Longest body: a polynomial of 64 limbs at degree 65,536, and 1 KiB.
const MAX_BYTES: u64 = (64 * 65_536 * 8) + (1 << 10);

/// Kind of the messages, for errors.
const MESSAGE: Message = Message::PartialDecryption;

/// An owner's share of a secret key: the key's secret is the sum of the shares of all owners. Redacted in Debug, not `Clone`.
///
/// ```
/// # use cryptable_lattice::{Owners, Progress, secret::TernarySecret};
/// # use zeroize::Zeroizing;
/// use cryptable_bits::{JointDecryption, Parameters, SecretKey, SecretShare};
/// // `Parameters::throughput_128` is for use.
/// let parameters = Parameters::insecure_toy_throughput()?;
/// # let secret = SecretKey::generate(&parameters);
/// # let server = secret.evaluation_key(Progress::silent())?;
/// # let ternary = |f: &dyn Fn(usize, i8) -> i8| {
/// #     let all = secret.secret().coefficients().iter().enumerate().map(|(i, &c)| f(i, c));
/// #     TernarySecret::from_coefficients(Zeroizing::new(all.collect())).expect("ternary")
/// # };
/// # let secrets = [ternary(&|i, c| if i % 2 == 0 { c } else { 0 }), ternary(&|i, c| if i % 2 == 1 { c } else { 0 })];
/// // Two owners, whose secrets add up to that of the key.
/// let [first, second] = secrets;
/// let shares =
///     [(1, &first), (2, &second)].map(|(owner, s)| SecretShare::new(&parameters, s, secret.id(), owner));
/// let bits = server.bin_boot(&secret.encrypt(&[true, false, true])?)?;
/// let prepared = server.prepare_decryption(&bits)?;
/// // Flooding hides each share to 2^-40, over up to 1,000 ciphertexts.
/// let decryption = JointDecryption::new(&parameters, Owners::new(2).expect("two"), -40.0, 1000)?;
/// let partial = [
///     shares[0].partial_decryption(&prepared, &decryption)?,
///     shares[1].partial_decryption(&prepared, &decryption)?,
/// ];
/// assert_eq!(prepared.combine(&parameters, &partial)?, [true, false, true]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub struct SecretShare<'a> {
    ring: Arc<Ring>,
    share: &'a TernarySecret,
    /// The key from which seeds of flooding are derived.
    flooding_key: Zeroizing<[u8; 32]>,
    owner: u32,
    binding: Binding,
}

impl std::fmt::Debug for SecretShare<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretShare(owner {}, redacted)", self.owner)
    }
}

impl<'a> SecretShare<'a> {
    /// Returns the share of an owner, counted from 1, of the key with this identifier.
    ///
    /// Flooding is determined by the share: its seeds are derived with BLAKE3 from all coefficients of the share.
    ///
    /// # Panics
    /// If the share has another ring degree.
    #[must_use]
    pub fn new(
        parameters: &Parameters,
        share: &'a TernarySecret,
        key_id: KeyId,
        owner: u32,
    ) -> Self {
        let ring = parameters.ring();
        assert_eq!(share.coefficients().len(), ring.degree(), "coefficients of a share");
        let packed = pack_ternary(share.coefficients());
        let flooding_key = Zeroizing::new(blake3::derive_key(FLOODING_CONTEXT, &packed));
        clear_stack();
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        Self { ring, share, flooding_key, owner, binding }
    }

    /// Returns the share of an owner of a joint key, after the owner agreed to the commitments of all owners.
    ///
    /// # Errors
    /// [`OwnersError::NotAgreed`](cryptable_lattice::owners::OwnersError::NotAgreed).
    pub fn of_owner(secret: &'a OwnerSecret<Parameters>) -> Result<Self> {
        let (parameters, key_id) = (secret.session().parameters(), secret.key_id()?);
        Ok(Self::new(parameters, secret.secret(), key_id, secret.owner()))
    }

    /// Returns the owner's part of a decryption, flooded. The same bits and plan always get the same answer.
    ///
    /// # Errors
    /// If the bits or the plan belong to another key or to other parameters, or the plan has fewer owners.
    pub fn partial_decryption(
        &self,
        bits: &PreparedBits,
        decryption: &JointDecryption,
    ) -> Result<PartialDecryption> {
        bits.check(&self.binding)?;
        decryption.check(self.binding.parameter_digest)?;
        decryption.owners().check(MESSAGE.name(), self.owner)?;
        decryption.check_quorum(None)?;
        let (ring, mask) = (&*self.ring, &bits.ciphertext().parts.c1);
        let (digest, width) = (&self.binding.parameter_digest, decryption.log2_width());
        let seed = seed_of_mask(&self.flooding_key, digest, width, None, mask);
        let share = self.share.evaluations(ring, mask.basis());
        let sum = flooded(ring, mask, &share, decryption.flooding(), &seed);
        Ok(PartialDecryption::new(&sum, self.owner, bits, decryption, None))
    }
}

/// The product of a mask and a share, plus flooding.
pub(crate) fn flooded(
    ring: &Ring,
    mask: &Poly<Evaluations>,
    share: &Poly<Evaluations>,
    flooding: Flooding,
    seed: &[u8; Seed::BYTES],
) -> Zeroizing<Poly<Evaluations>> {
    let mut sum = Zeroizing::new(mask.clone());
    sum.mul_assign(ring, share);
    sum.add_assign(ring, &flooding.sample(ring, mask.basis(), seed));
    sum
}

/// A secret seed for one mask. It is a function of the mask, of the holders who decrypt together, and of the width of
/// flooding, since streams of two widths from one seed would have bits in common.
pub(crate) fn seed_of_mask(
    key: &[u8; Seed::BYTES],
    parameter_digest: &[u8; 32],
    log2_width: u32,
    quorum: Option<Quorum>,
    mask: &Poly<Evaluations>,
) -> Zeroizing<[u8; Seed::BYTES]> {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(parameter_digest);
    hasher.update(&log2_width.to_le_bytes());
    for number in quorum.iter().flat_map(|it| it.numbers()) {
        hasher.update(&number.to_le_bytes());
    }
    for word in mask.words() {
        hasher.update(&word.to_le_bytes());
    }
    let seed = Zeroizing::new(*hasher.finalize().as_bytes());
    drop(hasher);
    clear_stack();
    seed
}

/// An owner's message of a decryption. The messages of all owners together reveal the bits; fewer reveal nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialDecryption {
    sum: Poly<Evaluations>,
    owner: u32,
    /// Digest of the bits.
    ciphertext: [u8; 32],
    decryption: JointDecryption,
    /// The holders who decrypt together, if not all owners do.
    quorum: Option<Quorum>,
    key_id: KeyId,
}

impl PartialDecryption {
    /// Makes the message of an owner from `sum`, which is public.
    pub(crate) fn new(
        sum: &Poly<Evaluations>,
        owner: u32,
        bits: &PreparedBits,
        decryption: &JointDecryption,
        quorum: Option<Quorum>,
    ) -> Self {
        let (sum, ciphertext, decryption) = (sum.clone(), bits.digest(), decryption.clone());
        Self { sum, owner, ciphertext, decryption, quorum, key_id: bits.key_id() }
    }

    /// The message's term of the sum of all messages.
    #[cfg(test)]
    pub(crate) fn sum(&self) -> &Poly<Evaluations> {
        &self.sum
    }

    /// Returns the number of the owner who made the message, counted from 1.
    #[must_use]
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// Returns the digest of the decrypted bits: [`PreparedBits::digest`].
    #[must_use]
    pub fn ciphertext(&self) -> [u8; 32] {
        self.ciphertext
    }

    /// Returns the holders whose messages belong together with this one, if a quorum decrypts.
    #[must_use]
    pub fn quorum(&self) -> Option<Quorum> {
        self.quorum
    }

    /// Returns the plan of the decryption.
    #[must_use]
    pub fn decryption(&self) -> &JointDecryption {
        &self.decryption
    }

    /// Writes the message in its wire format: identifier of the key, digest of the bits, owner, numbers of the plan,
    /// the words of every limb at the width of its modulus, and the numbers of its quorum, if there is one.
    ///
    /// # Errors
    /// If the message belongs to other parameters.
    pub fn to_bytes(&self, parameters: &Parameters) -> Result<Vec<u8>> {
        self.decryption.check(parameters.digest())?;
        let moduli = parameters.limb_moduli(self.sum.basis().main);
        Ok(object_bytes(ObjectType::PartialDecryption, &parameters.digest(), |writer| {
            writer.raw(&self.key_id.0)?;
            writer.raw(&self.ciphertext)?;
            writer.u32(self.owner)?;
            self.decryption.write_numbers(writer)?;
            writer.packed_limbs(self.sum.words(), &moduli)?;
            self.quorum.iter().flat_map(|it| it.numbers()).try_for_each(|it| writer.u32(it))
        }))
    }

    /// Reads a partial decryption under these parameters.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged partial decryption, it belongs to other parameters, or its numbers
    /// are not those of a plan.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Self> {
        let (binding, mut reader) = Binding::open(bytes, ObjectType::PartialDecryption, MAX_BYTES)?;
        check_parameters(MESSAGE.name(), parameters.digest(), binding.parameter_digest)?;
        let limbs = parameters.prepared_shape(Owners::ONE)?.limbs;
        let ciphertext = reader.array("digest of the ciphertext")?;
        let owner = reader.u32("number of the owner")?;
        let numbers = JointDecryption::read_numbers(&mut reader)?;
        let (ring, moduli) = (parameters.ring(), parameters.limb_moduli(limbs));
        let words = reader.packed_limbs(WORDS, ring.degree(), &moduli)?;
        let sum = Poly::from_words(&ring, ring.main_basis(limbs), words);
        let mut quorum = None;
        if !reader.is_at_end() {
            let both =
                [reader.u32("number of holders")?, reader.u32("those who decrypt together")?];
            quorum = Some(Quorum::from_numbers(numbers.owners, both)?);
        }
        reader.finish()?;
        let decryption = numbers.plan(parameters, quorum.map(Quorum::holders))?;
        match quorum {
            Some(quorum) => quorum.check(owner)?,
            None => decryption.owners().check(MESSAGE.name(), owner)?,
        }
        Ok(Self { sum, owner, ciphertext, decryption, quorum, key_id: binding.key_id })
    }
}

impl PreparedBits {
    /// Returns the bits, from the partial decryptions of all owners, or of all of a quorum.
    ///
    /// # Errors
    /// If the messages belong to another key, to other parameters or to different plans; [`OwnersError`], with the
    /// owner's number, if one belongs to another ciphertext or quorum, is missing or occurs twice; [`Error::Mismatch`]
    /// if they do not add up to bits, for example with a share of another key.
    pub fn combine(
        &self,
        parameters: &Parameters,
        partial: &[PartialDecryption],
    ) -> Result<Vec<bool>> {
        check_parameters("bits", parameters.digest(), self.binding().parameter_digest)?;
        self.check_partial(parameters.literal().owners, partial)?;
        let ring = parameters.ring();
        let mut phase = Zeroizing::new(self.ciphertext().parts.c0.clone());
        partial.iter().for_each(|part| phase.add_assign(&ring, &part.sum));
        // A decryption reads two limbs.
        let basis = phase.basis();
        let mut kept = basis.main;
        while ring.main_basis(kept).limbs() > 2 {
            kept -= 1;
        }
        let dropped = (kept..basis.main).map(|index| ring.main_prime(index) as f64);
        let scale = dropped.fold(self.ciphertext().scale, |scale, prime| scale / prime);
        let phase = Poly::clone(&phase).divide_round(&ring, basis.main - kept);
        let count = ring.degree() / 2;
        let slots = slots_of_phase(&ring, &phase, scale, count);
        let packing = parameters.literal().packing;
        let part = |index: usize| {
            let slot = slots[packing.slot(ring.degree(), index % count)];
            if index < count { slot.re } else { slot.im }
        };
        // Everything that the ciphertext holds must be a bit, including the bits that the caller does not ask for.
        let bits = (0..parameters.bits()).map(|index| nearest_bit(part(index), index));
        let mut bits = bits.collect::<Result<Vec<bool>>>()?;
        bits.truncate(self.count());
        Ok(bits)
    }

    /// Checks that all partial decryptions belong to these bits, and that each owner made one.
    fn check_partial(&self, stated: Owners, partial: &[PartialDecryption]) -> Result<()> {
        let expected = self.digest();
        let owners = partial.first().map_or(stated, |first| first.decryption.owners());
        let quorum = partial.first().and_then(|first| first.quorum);
        let shown = |quorum: Option<Quorum>| {
            quorum.map_or_else(|| "all owners".to_owned(), |it| it.to_string())
        };
        for part in partial {
            let PartialDecryption { owner, ciphertext: found, .. } = *part;
            let binding = Binding { key_id: part.key_id, ..*self.binding() };
            binding.check(MESSAGE.name(), self.binding())?;
            if found != expected {
                return Err(OwnersError::OtherCiphertext { owner, found, expected }.into());
            }
            if part.quorum != quorum {
                let (found, expected) = (shown(part.quorum), shown(quorum));
                return Err(OwnersError::OtherQuorum { owner, found, expected }.into());
            }
            if part.decryption != partial[0].decryption {
                let [found, expected] =
                    [part, &partial[0]].map(|it| format!("{:?}", it.decryption));
                return Err(Error::mismatch("plan of partial decryptions", found, expected));
            }
        }
        let members =
            quorum.map_or((1..=owners.count()).collect(), |it| it.members().collect::<Vec<_>>());
        owners.in_order_of(members.into_iter(), MESSAGE, partial, |part| part.owner).map(drop)
    }
}

/// The bit nearest to a part of a slot.
fn nearest_bit(value: f64, index: usize) -> Result<bool> {
    let nearest = value.round();
    if nearest == 0.0 || nearest == 1.0 {
        return Ok(nearest == 1.0);
    }
    let (name, found) = ("sum of all partial decryptions", format!("{value:e} at bit {index}"));
    Err(Error::mismatch(
        name,
        found,
        "0 or 1: use shares of the key under which the bits are encrypted",
    ))
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::Progress;

    use super::*;
    use crate::SecretKey;

    /// Flooding of an owner, `p_1 - c_1·s_1`, has the variance of the plan.
    #[test]
    fn partial_decryptions_are_flooded_as_planned() {
        let parameters = Parameters::insecure_toy_throughput().unwrap();
        let secret = SecretKey::generate(&parameters);
        let server = secret.evaluation_key(Progress::silent()).unwrap();
        let boot = server.bin_boot(&secret.encrypt(&[true]).unwrap()).unwrap();
        let bits = server.prepare_decryption(&boot).unwrap();
        let share = SecretShare::new(&parameters, secret.secret(), secret.id(), 1);
        let ring = parameters.ring();
        let mut of_secret = bits.ciphertext().parts.c1.clone();
        of_secret.mul_assign(&ring, &secret.secret().evaluations(&ring, of_secret.basis()));
        for (log2_distance, ciphertexts) in [(-40.0, 65_536), (-64.0, 64)] {
            let plan = JointDecryption::new(
                &parameters,
                Owners::new(2).unwrap(),
                log2_distance,
                ciphertexts,
            )
            .unwrap();
            let mut flooding = share.partial_decryption(&bits, &plan).unwrap().sum;
            flooding.sub_assign(&ring, &of_secret);
            // Two limbs are left, after a division by the two others, of 2^65 in all.
            let divisor: f64 = (2..4).map(|index| ring.main_prime(index) as f64).product();
            let slots = slots_of_phase(&ring, &flooding.divide_round(&ring, 2), 1.0, 512);
            let square = slots.iter().map(|slot| slot.norm_sqr()).sum::<f64>() / 512.0;
            // Slots have the variance of all 1,024 coefficients; rounding adds 1/12 per coefficient.
            let variance = plan.flooding().variance() / (divisor * divisor) + 1.0 / 12.0;
            let ratio = square / (1024.0 * variance);
            assert!((ratio - 1.0).abs() < 5.0 / 512f64.sqrt(), "{ratio}");
        }
    }
}
