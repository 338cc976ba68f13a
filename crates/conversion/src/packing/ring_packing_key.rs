//! Keys of ring packing, and packing itself.

use std::fmt;

use cryptable_fhew::booleans::EncryptedBits;
use cryptable_fhew::seeded_rows::{RowDomain, SeededRows};
use cryptable_lattice::error::{check_client, check_equal, check_values};
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Error, Result, RlweCiphertext};
use cryptable_ring::prime_ring::PreparedRows;
use cryptable_ring::torus::{self, FRACTION_BITS};
use cryptable_ring::{Basis, Buffer, Coefficients, Evaluations, Poly};
use cryptable_wire::ObjectType;

use crate::blocks::Blocks;
use crate::clients::Clients;
use crate::key_files::{Field, SeededBodies, SeededKey};
use crate::packing::column_method::ColumnKey;
use crate::parameters::Parameters;
use crate::phases::{EncryptedPhases, layout};
use crate::ring_switching;

/// Ring packing key in the form in which a client sends it.
pub type SeededRingPackingKey = SeededKey<PackingRows>;

/// Rows of a ring packing key.
#[derive(Clone, Debug, PartialEq)]
pub struct PackingRows {
    /// n rows of degree N'.
    pub(crate) columns: SeededRows,
    /// ℓ rows of degree N, from the secret of blocks to that of the ring.
    pub(crate) switching: SeededRows,
}

impl SeededBodies for PackingRows {
    const OBJECT_TYPE: ObjectType = ObjectType::RingPackingKey;
    /// Longest body of a key, 1 GiB.
    const MAX_BODY_BYTES: u64 = 1 << 30;

    fn fields(parameters: &Parameters) -> [Field; 2] {
        let (literal, modulus) = (parameters.literal(), parameters.packing().prime());
        let columns = literal.lwe_dimension * literal.packing.degree;
        let switch = literal.ring_degree * literal.packing.switching.length;
        [
            Field { name: "rows of columns", count: columns, modulus },
            Field { name: "rows of the switch", count: switch, modulus },
        ]
    }

    fn words(&self) -> [&[u64]; 2] {
        [self.columns.bodies(), self.switching.bodies()]
    }

    fn from_words([columns, switching]: [Vec<u64>; 2]) -> Self {
        Self {
            columns: SeededRows::new(RowDomain::RingPackingColumns, columns),
            switching: SeededRows::new(RowDomain::RingPackingSwitch, switching),
        }
    }
}

/// Key that packs LWE ciphertexts. Holds no secret, and is `Sync`.
///
/// ```
/// use cryptable_conversion::{Clients, Parameters, ParametersLiteral, RingPackingKey, Secrets};
/// use cryptable_fhew::booleans;
/// use cryptable_lattice::secret::TernarySecret;
/// use cryptable_ring::primes::ntt_primes;
/// use cryptable_wire::KeyId;
/// // Toys: `ParametersLiteral::between_128` is for use.
/// let single = booleans::SecretKey::generate(&booleans::Parameters::insecure_toy());
/// let ring = TernarySecret::uniform(512);
/// let bottom = ntt_primes(512, 28.0, 1, &[])[0];
/// let literal = ParametersLiteral::insecure_between(single.parameters().fhew(), 512, bottom);
/// let parameters = Parameters::new(literal)?;
/// let clients = Clients { lwe: single.id(), ring: KeyId([7; 16]) };
/// let secrets = Secrets { lwe: single.fhew().lwe_coefficients(), ring: &ring, clients };
/// let key = RingPackingKey::expand(&secrets.packing_key(&parameters)?);
///
/// let (x, y) = (single.encrypt(&[false, true, true]), single.encrypt(&[true, true, false]));
/// // Phases 1/4, 1/2 and 1/4 of q_0 in the three lowest coefficients.
/// let sums = key.pack_bits(&[&x, &y], 512)?;
/// assert_eq!((sums.layout().count, sums.key_id()), (3, clients.ring));
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub struct RingPackingKey {
    parameters: Parameters,
    clients: Clients,
    columns: ColumnKey,
    switching: PreparedRows,
}

impl fmt::Debug for RingPackingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RingPackingKey({:?}, {} bytes)", self.clients, self.memory_bytes())
    }
}

impl RingPackingKey {
    /// Expands all masks from the seed.
    #[must_use]
    pub fn expand(key: &SeededRingPackingKey) -> Self {
        let parameters = key.parameters.clone();
        let rings = parameters.packing();
        let log2_modulus = parameters.literal().log2_lwe_modulus;
        let PackingRows { columns, switching } = &key.rows;
        let columns = ColumnKey::expand(&rings.block, columns, &key.seed, log2_modulus);
        let switching = switching.prepare(&rings.whole, &key.seed, rings.gadget.length());
        Self { clients: key.clients, columns, switching, parameters }
    }

    /// Returns the parameters of the key.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the identifiers of the secret keys of its inputs and outputs.
    #[must_use]
    pub fn clients(&self) -> Clients {
        self.clients
    }

    /// Returns the number of bytes of memory that the key uses.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.columns.bytes() + self.switching.bytes()
    }

    /// Packs sums of bits: `Σ bit/4` as a fraction of q_0, where a bit is a phase of 1/8 or -1/8. Sums of up to three
    /// bits stay separate from the overflow.
    ///
    /// # Errors
    /// If there are none, they are of another client or shape, or their numbers differ or do not fit into `slots`.
    pub fn pack_bits(&self, bits: &[&EncryptedBits], slots: usize) -> Result<EncryptedPhases> {
        for bits in bits {
            check_client("ciphertext of bits", self.clients.lwe, bits.key_id())?;
        }
        let lists: Vec<&LweList> = bits.iter().map(|bits| bits.values()).collect();
        let modulus = self.parameters.lwe_shape().modulus;
        self.pack(&lists, (modulus / 8 * lists.len() as u64) % modulus, slots)
    }

    /// Packs sums: coefficient t·gap is `phase_t(lists[0]) + phase_t(lists[1]) + … + constant`, as a fraction of the
    /// modulus, where gap is N/slots; `constant` is in units of q.
    ///
    /// Sums are computed on the fly, in one pass over each list. Adds the noise of [`Parameters::packing_noise`], once
    /// for any number of lists. The caller must know whose ciphertexts they are; [`RingPackingKey::pack_bits`] checks
    /// it.
    ///
    /// # Errors
    /// If there is no list, lists differ in length or have other dimensions or moduli than the parameters, there are
    /// more values than slots, `slots` is not a power of two up to N, or the constant is not below q.
    pub fn pack(&self, lists: &[&LweList], constant: u64, slots: usize) -> Result<EncryptedPhases> {
        let (parameters, shape) = (&self.parameters, self.parameters.lwe_shape());
        let Some(first) = lists.first() else {
            return Err(Error::TooSmall { name: "number of lists", value: 0, limit: 1 });
        };
        for list in lists {
            list.check(shape)?;
            check_equal("number of values", list.len(), first.len())?;
        }
        check_values(&[constant], shape.modulus)?;
        let layout = layout(parameters.literal().ring_degree, slots, first.len())?;
        let blocks = Blocks::new(parameters.literal().packing.degree, layout);
        let (body, mask) = self.block_sums(&blocks, lists, constant);
        let rings = parameters.packing();
        let key = self.switching.key(0);
        let switched = ring_switching::switch(&rings.whole, rings.gadget, key, &body, &mask);
        Ok(EncryptedPhases::trusted(
            parameters,
            self.clients.ring,
            self.at_bottom(&switched),
            layout,
        ))
    }

    /// Returns body and mask under the secret z'(X^r), as fractions.
    fn block_sums(&self, blocks: &Blocks, lists: &[&LweList], constant: u64) -> (Buffer, Buffer) {
        let literal = self.parameters.literal();
        let n = literal.ring_degree;
        let digits = self.columns.digits(lists);
        let occupied = blocks.occupied();
        let ring = &self.parameters.packing().block;
        let products = self.columns.products(ring, &digits, &occupied);
        let (mut body, mut mask) = (Buffer::zeroed(n), Buffer::zeroed(n));
        for (&(block, _), product) in occupied.iter().zip(&products) {
            let (b, a) = product.split_at(blocks.degree);
            blocks.set(&mut body, block, b);
            blocks.set(&mut mask, block, a);
        }
        let shift = FRACTION_BITS - literal.log2_lwe_modulus;
        for (value, word) in body.iter_mut().step_by(blocks.gap()).take(lists[0].len()).enumerate()
        {
            let sum =
                lists.iter().fold(constant, |sum, list| sum.wrapping_add(list.bodies()[value]));
            *word = word.wrapping_add(sum << shift);
        }
        (body, mask)
    }

    /// Converts fractions of body and mask to a ciphertext modulo q_0.
    fn at_bottom(&self, fractions: &[u64]) -> RlweCiphertext {
        let ring = self.parameters.bottom_ring();
        let (body, mask) = fractions.split_at(ring.degree());
        let part = |fractions: &[u64]| -> Poly<Evaluations> {
            let mut poly = Poly::<Coefficients>::unspecified(ring, Basis::main(1));
            torus::to_residues(ring.modulus(0), poly.words_mut(), fractions);
            poly.into_evaluations(ring)
        };
        RlweCiphertext { c0: part(body), c1: part(mask) }
    }
}
