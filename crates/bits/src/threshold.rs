//! Decryption by a quorum of holders of shares of a joint key's secret. A quorum has as many holders as the key has
//! owners.
//!
//! Every owner deals shares of its secret to all holders ([`cryptable_lattice::owners::Quorum`] has the polynomials and
//! weights), and holder j keeps the sum `σ_j`. Each holder of a quorum T sends
//!
//! `p_j = c_1·λ_j·σ_j + F_j + Z_j`,
//!
//! whose sum is `c_1·s` plus the flooding of all of T, since the masks `Z_j` add up to 0:
//! `Z_j = Σ_{m>j} U_jm - Σ_{m<j} U_mj`. Holders j and m draw the uniform `U_jm` from a seed that they share, from T and
//! from `c_1`.
//!
//! **Why masks.** An adversary of t - 1 holders, some of whom are not in T, knows the shares of all other holders up to
//! s: `λ_j·σ_j` is a known multiple of s plus something known, modulo primes and not small. A message `p_j` without a
//! mask would therefore contain the error e of the ciphertext times such a number, which no flooding hides. With masks,
//! the messages of the honest holders of T are uniform except for their sum, which contains e once:
//! `P(b) + e - c_0 - Σ_{known} λ_j·c_1·σ_j + ΣF_j`. A simulator that has the bits draws its messages in the same way,
//! and the distance is that of flooding which hides e ([`JointDecryption`]). Masks of this kind are those of threshold
//! signatures (del Pino et al., EUROCRYPT 2024).
//!
//! **Every quorum is a decryption of its own**: flooding is a function of the share, of T and of `c_1`. If flooding
//! depended on `c_1` alone, several quorums would reveal e through `e + F_1`, `e + F_2` and `e + F_1 + F_2`. Plans
//! therefore count all quorums ([`JointDecryption::of_threshold`]).
//!
//! **Seeds of two holders** are hashes of what all owners dealt to both. One honest owner is therefore enough, as it is
//! for the shares: t - 1 holders who work together are not all owners.

#[cfg(test)]
mod tests;

use cryptable_lattice::error::{Result, check_client, check_equal, check_parameters};
use cryptable_lattice::owners::{Message, OwnerSecret, Owners, Quorum};
use cryptable_lattice::{Binding, KeyParameters as _, ReadOptions};
use cryptable_ring::random::{RandomStream, SecretSeed, Seed, StreamPurpose};
use cryptable_ring::{Basis, Evaluations, Poly, Ring, clear_stack};
use cryptable_wire::{BodyWriter, KeyId, ObjectType, secret_key_bytes};
use zeroize::Zeroizing;

use crate::joint_decryption::JointDecryption;
use crate::parameters::Parameters;
use crate::partial_decryption::{PartialDecryption, flooded, seed_of_mask};
use crate::prepared_bits::PreparedBits;

/// Domain separation of the seeds that an owner deals to two holders.
const PAIR_CONTEXT: &str = "cryptable: an owner's part of the seed of two holders";

/// Domain separation of the seeds that two holders share.
const COMMON_CONTEXT: &str =
    "cryptable: the seed that two holders of a joint secret key have in common";

/// Domain separation of the keys from which seeds of flooding are derived.
const FLOODING_CONTEXT: &str = "cryptable: flooding of a holder of a joint secret key";

/// Longest body: a polynomial of 64 limbs at degree 65,536, and 128 KiB.
const MAX_BYTES: u64 = (64 * 65_536 * 8) + (1 << 17);

/// Number of holders for whom common seeds are dealt: holders who join later need no new shares for earlier ones.
const SEEDS: usize = Owners::MAX as usize;

/// The share of a holder: from one owner, or the sum over all owners.
type Share = Zeroizing<Poly<Evaluations>>;

/// Seeds that a holder shares with each other one, indexed by number; the holder's own entry is unused.
type Seeds = Zeroizing<[[u8; Seed::BYTES]; SEEDS]>;

/// Deals a share of an owner's secret to a holder, counted from 1. The owner has agreed to commitments. The share is
/// for that holder alone; dealing again returns the same share.
///
/// # Errors
/// If there is no such holder, there are fewer holders than owners, the secret has not agreed yet, or the parameters have too
/// few levels for partial decryptions.
pub fn deal(
    secret: &OwnerSecret<Parameters>,
    holders: Owners,
    holder: u32,
) -> Result<Zeroizing<Vec<u8>>> {
    holders.check(Message::DealtShare.name(), holder)?;
    let (parameters, threshold) = (secret.session().parameters(), secret.session().owners());
    check_holders(threshold, holders)?;
    let (seed, key_id) = (secret.dealing_seed()?, secret.key_id()?);
    let ring = parameters.ring();
    let basis = ring.main_basis(parameters.prepared_shape(Owners::ONE)?.limbs);
    // Horner's rule, from the highest coefficient of the polynomial on.
    let mut share: Share = Zeroizing::new(Poly::zero(&ring, basis));
    for power in (1..threshold.count()).rev() {
        share.add_assign(&ring, &uniform(&ring, basis, seed.as_bytes(), power));
        share.mul_integer_assign(&ring, holder.into());
    }
    share.add_assign(&ring, &secret.secret().evaluations(&ring, basis));
    let mut seeds: Seeds = Zeroizing::new([[0; Seed::BYTES]; SEEDS]);
    for (seed_of_pair, other) in seeds.iter_mut().zip(1u32..) {
        *seed_of_pair = part_of_pair(&seed, holder.min(other), holder.max(other));
    }
    let start = Start { key_id, owner: secret.owner(), holders, holder };
    Ok(to_bytes(ObjectType::DealtShare, parameters, &start, &seeds, &share))
}

/// A holder's share of the secret of a joint key. A quorum, with as many holders as the key has owners, decrypts
/// together; fewer holders learn nothing. Zeroized on drop, redacted in Debug, not `Clone`.
pub struct ThresholdSecret {
    parameters: Parameters,
    key_id: KeyId,
    holders: Owners,
    holder: u32,
    seeds: Seeds,
    share: Share,
}

impl std::fmt::Debug for ThresholdSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ThresholdSecret(holder {} of {}, redacted)", self.holder, self.holders)
    }
}

impl ThresholdSecret {
    /// Sums up what all owners dealt to one holder, in any order.
    ///
    /// # Errors
    /// If the bytes are not undamaged dealt shares for one holder under one joint key; if an owner's share is missing
    /// or occurs twice; if the parameters are insecure and `options` do not allow that.
    pub fn of_dealt(dealt: &[&[u8]], options: ReadOptions) -> Result<Self> {
        let read = |bytes: &&[u8]| read(bytes, ObjectType::DealtShare, options);
        let dealt: Vec<Read> = dealt.iter().map(read).collect::<Result<_>>()?;
        let threshold = dealt.first().map_or(Owners::ONE, |it| it.parameters.literal().owners);
        let name = Message::DealtShare.name();
        if let Some(first) = dealt.first() {
            for it in &dealt {
                check_parameters(name, first.parameters.digest(), it.parameters.digest())?;
                check_client(name, first.start.key_id, it.start.key_id)?;
                check_equal("holder of a dealt share", it.start.holder, first.start.holder)?;
                check_equal("number of holders", it.start.holders, first.start.holders)?;
            }
        }
        let mut dealt =
            threshold.in_order(Message::DealtShare, dealt, |it| it.start.owner)?.into_iter();
        let mut all = dealt.next().expect("one of every owner");
        let ring = all.parameters.ring();
        let mut hashers: Vec<_> = (0..SEEDS)
            .map(|_| Zeroizing::new(blake3::Hasher::new_derive_key(COMMON_CONTEXT)))
            .collect();
        let mut hash = |seeds: &Seeds| {
            for (hasher, seed) in hashers.iter_mut().zip(seeds.iter()) {
                hasher.update(seed);
            }
        };
        hash(&all.seeds);
        for it in dealt {
            hash(&it.seeds);
            all.share.add_assign(&ring, &it.share);
        }
        for (seed, hasher) in all.seeds.iter_mut().zip(&hashers) {
            *seed = *hasher.finalize().as_bytes();
        }
        drop(hashers);
        clear_stack();
        Ok(Self::of_read(all))
    }

    fn of_read(Read { parameters, start, seeds, share }: Read) -> Self {
        let Start { key_id, holders, holder, .. } = start;
        Self { parameters, key_id, holders, holder, seeds, share }
    }

    /// Returns the share in its wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let Self { key_id, holders, holder, .. } = *self;
        let start = Start { key_id, owner: 0, holders, holder };
        to_bytes(ObjectType::ThresholdSecret, &self.parameters, &start, &self.seeds, &self.share)
    }

    /// Reads a share.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged share of a holder, or its parameters are insecure and `options` do
    /// not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        read(bytes, ObjectType::ThresholdSecret, options).map(Self::of_read)
    }

    /// Returns the parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the identifier of the joint key.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Returns the number of the holder, counted from 1.
    #[must_use]
    pub fn holder(&self) -> u32 {
        self.holder
    }

    /// Returns the number of holders.
    #[must_use]
    pub fn holders(&self) -> Owners {
        self.holders
    }

    /// Returns how many holders decrypt together: the number of owners of the key.
    #[must_use]
    pub fn threshold(&self) -> Owners {
        self.parameters.literal().owners
    }

    /// Returns the quorum of the holders with these numbers.
    ///
    /// # Errors
    /// The errors of [`Quorum::new`]; [`cryptable_lattice::owners::OwnersError::NotInQuorum`] if this holder is not one of them.
    pub fn quorum(&self, members: &[u32]) -> Result<Quorum> {
        let quorum = Quorum::new(self.threshold(), self.holders, members)?;
        quorum.check(self.holder)?;
        Ok(quorum)
    }

    /// Plans the decryptions of this key by quorums: [`JointDecryption::of_threshold`].
    ///
    /// # Errors
    /// The same errors.
    pub fn plan(&self, log2_distance: f64, ciphertexts: u64) -> Result<JointDecryption> {
        JointDecryption::of_threshold(&self.parameters, self.holders, log2_distance, ciphertexts)
    }

    /// Returns the holder's part of a decryption by a quorum, flooded and masked. The same bits, plan and quorum always
    /// get the same answer.
    ///
    /// # Errors
    /// If the bits or the plan belong to another key, to other parameters or to other holders, or this holder is not in
    /// the quorum.
    pub fn partial_decryption(
        &self,
        bits: &PreparedBits,
        decryption: &JointDecryption,
        quorum: Quorum,
    ) -> Result<PartialDecryption> {
        let parameter_digest = self.parameters.digest();
        bits.check(&Binding { parameter_digest, key_id: self.key_id })?;
        decryption.check(parameter_digest)?;
        check_equal("number of holders", quorum.holders(), self.holders)?;
        decryption.check_quorum(Some(quorum))?;
        quorum.check(self.holder)?;
        let (ring, mask) = (self.parameters.ring(), &bits.ciphertext().parts.c1);
        let mut share = self.share.clone();
        share.for_each_limb(&ring, |modulus, words| {
            let weight = quorum.weight(self.holder, modulus);
            words.iter_mut().for_each(|word| *word = modulus.mul(*word, weight));
        });
        let seed = |key: &[u8; Seed::BYTES]| {
            let width = decryption.log2_width();
            seed_of_mask(key, &parameter_digest, width, Some(quorum), mask)
        };
        let flooding = seed(&self.flooding_key());
        let mut sum = flooded(&ring, mask, &share, decryption.flooding(), &flooding);
        for other in quorum.members().filter(|&other| other != self.holder) {
            let common = seed(&self.seeds[other as usize - 1]);
            let term = uniform(&ring, mask.basis(), &common, 0);
            match self.holder < other {
                true => sum.add_assign(&ring, &term),
                false => sum.sub_assign(&ring, &term),
            }
        }
        Ok(PartialDecryption::new(&sum, self.holder, bits, decryption, Some(quorum)))
    }

    /// The key from which seeds of flooding are derived: a hash of the share.
    fn flooding_key(&self) -> Zeroizing<[u8; Seed::BYTES]> {
        let mut hasher = Zeroizing::new(blake3::Hasher::new_derive_key(FLOODING_CONTEXT));
        for word in self.share.words() {
            hasher.update(&word.to_le_bytes());
        }
        let key = Zeroizing::new(*hasher.finalize().as_bytes());
        drop(hasher);
        clear_stack();
        key
    }
}

/// Checks that there are at least as many holders as owners.
fn check_holders(threshold: Owners, holders: Owners) -> Result<()> {
    let (value, limit) = (holders.count().into(), threshold.count().into());
    if value < limit {
        let name = "number of holders, as many of whom decrypt as there are owners";
        return Err(cryptable_lattice::Error::TooSmall { name, value, limit });
    }
    Ok(())
}

/// A uniform polynomial, in evaluations, derived from a secret seed.
fn uniform(ring: &Ring, basis: Basis, seed: &[u8; Seed::BYTES], index: u32) -> Share {
    let mut poly = Zeroizing::new(Poly::zero(ring, basis));
    let degree = ring.degree();
    for (limb, words) in poly.words_mut().chunks_exact_mut(degree).enumerate() {
        let modulus = ring.modulus(ring.prime_index(basis, limb)).value();
        let index = u64::from(index) << 16 | limb as u64;
        RandomStream::new(seed, StreamPurpose::Secret, index).uniform_assign(words, modulus);
    }
    poly
}

/// An owner's part of the seed that two holders share.
fn part_of_pair(seed: &SecretSeed, lower: u32, higher: u32) -> [u8; Seed::BYTES] {
    let mut hasher = Zeroizing::new(blake3::Hasher::new_derive_key(PAIR_CONTEXT));
    hasher.update(seed.as_bytes());
    hasher.update(&[lower as u8, higher as u8]);
    let part = *hasher.finalize().as_bytes();
    drop(hasher);
    clear_stack();
    part
}

/// The start of files after the parameters.
#[derive(Clone, Copy, Debug)]
struct Start {
    key_id: KeyId,
    /// Number of the owner who dealt it; 0 for the sum over all owners.
    owner: u32,
    holders: Owners,
    holder: u32,
}

/// Contents of a file.
struct Read {
    parameters: Parameters,
    start: Start,
    seeds: Seeds,
    share: Share,
}

fn to_bytes(
    object_type: ObjectType,
    parameters: &Parameters,
    start: &Start,
    seeds: &Seeds,
    share: &Share,
) -> Zeroizing<Vec<u8>> {
    let (digest, literal) = (parameters.digest(), parameters.to_bytes());
    let length = KeyId::BYTES + 24 + SEEDS * Seed::BYTES + 8 * share.words().len() + 8;
    let write = |writer: &mut BodyWriter<&mut Vec<u8>>| {
        writer.raw(&start.key_id.0)?;
        let Start { owner, holders, holder, .. } = *start;
        let numbers = [owner, holders.count(), holder];
        numbers.iter().try_for_each(|&number| writer.u64(number.into()))?;
        seeds.iter().try_for_each(|seed| writer.raw(seed))?;
        writer.words(share.words())
    };
    let bytes = secret_key_bytes(object_type, &digest, &literal, length, write);
    clear_stack();
    bytes
}

fn read(bytes: &[u8], object_type: ObjectType, options: ReadOptions) -> Result<Read> {
    let opened = Parameters::open(bytes, object_type, MAX_BYTES, options);
    // `open` computed the checksum of secret data on the stack.
    clear_stack();
    let (parameters, mut reader) = opened?;
    let key_id = KeyId(reader.array("key identifier")?);
    let threshold = u64::from(parameters.literal().owners.count());
    let owners = if object_type == ObjectType::DealtShare { 1..=threshold } else { 0..=0 };
    let owner = reader.u64_within("number of the owner", owners)? as u32;
    let most = threshold..=u64::from(Owners::MAX);
    let holders = reader.u64_within("number of holders", most)?;
    let holder = reader.u64_within("number of the holder", 1..=holders)? as u32;
    let holders = Owners::new(holders as u32).expect("up to the most");
    let mut seeds: Seeds = Zeroizing::new([[0; Seed::BYTES]; SEEDS]);
    for seed in seeds.iter_mut() {
        seed.copy_from_slice(reader.raw("seeds of two holders", Seed::BYTES)?);
    }
    let limbs = parameters.prepared_shape(Owners::ONE)?.limbs;
    let (degree, moduli) = (parameters.literal().ring_degree, parameters.limb_moduli(limbs));
    let words = Zeroizing::new(reader.words("words of a share", degree * moduli.len())?);
    reader.finish()?;
    for (words, &modulus) in words.chunks_exact(degree).zip(&moduli) {
        let is_below = words.iter().fold(true, |all, &word| all & (word < modulus));
        check_equal("words of a share that are below their primes", is_below, true)?;
    }
    let ring = parameters.ring();
    let mut share: Share = Zeroizing::new(Poly::zero(&ring, ring.main_basis(limbs)));
    share.words_mut().copy_from_slice(&words);
    let start = Start { key_id, owner, holders, holder };
    Ok(Read { parameters, start, seeds, share })
}
