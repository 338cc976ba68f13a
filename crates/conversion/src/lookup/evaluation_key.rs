//! The server's keys: for single values, for packed ones, and between both.

use std::borrow::Cow;
use std::fmt;

use cryptable_fhew::lookup as single;
use cryptable_lattice::cost::CostModel;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Progress, Result, Table};
use cryptable_packed as packed;
use cryptable_ring::Buffer;
use cryptable_wire::KeyId;

use super::{Parameters, PreparedTable};
use crate::extraction::ExtractionKey;
use crate::packing::RingPackingKey;
use crate::power_of_two::{from_power_of_two, to_power_of_two};

/// Key that looks up single values, one by one or packed. Holds no secret, and is `Sync`.
pub struct EvaluationKey {
    parameters: Parameters,
    single: single::EvaluationKey,
    packed: packed::EvaluationKey,
    packing: RingPackingKey,
    extraction: ExtractionKey,
    crossing: Option<u64>,
}

impl fmt::Debug for EvaluationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EvaluationKey")
            .field("method", &self.parameters.method_name())
            .field("key_id", &self.key_id())
            .finish_non_exhaustive()
    }
}

impl EvaluationKey {
    /// Joins keys of one client that were generated or read together.
    pub(super) fn new(
        parameters: Parameters,
        single: single::EvaluationKey,
        packed: packed::EvaluationKey,
        packing: RingPackingKey,
        extraction: ExtractionKey,
    ) -> Self {
        // Only ratios of costs matter, and they are nearly the same on all machines.
        let crossing = parameters.crossing(&CostModel::default());
        Self { parameters, single, packed, packing, extraction, crossing }
    }

    /// Returns the parameters of the client's secret key.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the identifier of the client's key for single values.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.single.key_id()
    }

    /// Returns the key for single values, with all operations of single values.
    #[must_use]
    pub fn single(&self) -> &single::EvaluationKey {
        &self.single
    }

    /// Returns the key for packed values.
    #[must_use]
    pub fn packed(&self) -> &packed::EvaluationKey {
        &self.packed
    }

    /// Returns the number of bytes of memory that all keys use.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.single.memory_bytes()
            + self.packed.memory_bytes()
            + self.packing.memory_bytes()
            + self.extraction.memory_bytes()
    }

    /// Packs single values, at most one per slot: value t becomes packed value t.
    ///
    /// Noise: that of the values, plus that of packing ([`Parameters::packed_noise`]). Lookups of the result refuse too
    /// much noise ([`Parameters::input_noise_limit`]).
    ///
    /// # Errors
    /// If they are of another client or other parameters, or more than slots;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if packed values would decrypt wrong with more than the stated
    /// probability.
    pub fn pack(&self, values: &single::Ciphertext) -> Result<packed::Ciphertext> {
        let values = self.single.export(values)?;
        self.pack_list(values.values(), &values)
    }

    /// Packs the part of the values `of` that `list` contains.
    fn pack_list(&self, list: &LweList, of: &single::Ciphertext) -> Result<packed::Ciphertext> {
        let literal = self.parameters.packed().literal();
        // Masks are drawn into recycled pages, since fresh pages take longer than packing.
        let drawn = list.is_fresh().then(|| list.with_words());
        let phases = self.packing.pack(&[drawn.as_ref().unwrap_or(list)], 0, literal.slots)?;
        drop(drawn);
        let (from, bits) = (self.parameters.conversion(), literal.log2_ciphertext_modulus);
        let body = to_power_of_two(from, &phases, bits, of.modulus())?;
        self.packed.import(body, self.parameters.packed_noise(of.noise()))
    }

    /// Unpacks values: packed value t becomes single value t.
    ///
    /// Noise: that of the values, plus that of extraction ([`Parameters::single_noise`]).
    ///
    /// # Errors
    /// If they are of another client or other parameters, or their modulus is neither p nor P;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if single values would decrypt wrong with more than the stated
    /// probability.
    pub fn unpack(&self, values: &packed::Ciphertext) -> Result<single::Ciphertext> {
        let body = self.packed.export(values)?;
        let conversion = self.parameters.conversion();
        let phases = from_power_of_two(conversion, self.packed.key_id(), body)?;
        let list = self.extraction.extract(&phases, 0)?;
        let noise = self.parameters.single_noise(values.noise());
        self.single.import(list, values.modulus(), noise)
    }

    /// Checks a table and encodes it for both kinds of lookups, once for any number of them.
    ///
    /// # Errors
    /// If its moduli are not those of the parameters.
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        let (single, packed) = (self.single.prepare(table)?, self.packed.prepare(table)?);
        Ok(PreparedTable { single, packed })
    }

    /// Returns whether `values` values are packed for a lookup: from [`Parameters::crossing`] on, by the built-in cost
    /// model.
    #[must_use]
    pub fn packs(&self, values: usize) -> bool {
        self.crossing.is_some_and(|crossing| values as u64 >= crossing)
    }

    /// Maps every single value through every table. Values are packed, up to the capacity of a ciphertext, or looked up
    /// one by one if there are few of them or they have too much noise for packed lookups. Returns one ciphertext of
    /// results per table, in the order of the tables.
    ///
    /// # Errors
    /// If the ciphertext is of another client, other parameters or another modulus than p, a table was prepared for
    /// other parameters, there is no table, or `progress` asks to stop; [`cryptable_lattice::Error::NoiseTooLarge`] if
    /// a lookup would fail with more than the stated probability.
    pub fn lookup_many(
        &self,
        input: &single::Ciphertext,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<single::Ciphertext>> {
        let input = &*self.single.export(input)?;
        if !self.packs(input.count()) || !self.parameters.may_be_packed(input.noise()) {
            let tables: Vec<_> = tables.iter().map(|table| &table.single).collect();
            return self.single.lookup_many(input, &tables, progress);
        }
        let tables: Vec<_> = tables.iter().map(|table| &table.packed).collect();
        let pieces = pieces(input.values(), self.parameters.packed().literal().slots);
        let count = pieces.len();
        let mut outputs: Vec<single::Ciphertext> = Vec::new();
        let mut lists: Vec<LweList> = Vec::new();
        for (index, piece) in pieces.into_iter().enumerate() {
            let share = progress.part(index..index + 1, count);
            let packed = self.pack_list(&piece, input)?;
            let results = self.packed.lookup_many(&packed, &tables, Progress::new(&share))?;
            let results = results.iter().map(|result| self.unpack(result));
            let results = results.collect::<Result<Vec<_>>>()?;
            if index == 0 && count > 1 {
                lists = results.iter().map(|result| result.values().clone()).collect();
            } else {
                for (all, result) in lists.iter_mut().zip(&results) {
                    all.append(result.values().clone());
                }
            }
            outputs = results;
        }
        if count == 1 {
            return Ok(outputs);
        }
        let joined = lists.into_iter().zip(outputs);
        joined.map(|(list, of)| self.single.import(list, of.modulus(), of.noise())).collect()
    }
}

/// Splits a list into pieces of at most `limit` values.
fn pieces(list: &LweList, limit: usize) -> Vec<Cow<'_, LweList>> {
    if list.len() <= limit {
        return vec![Cow::Borrowed(list)];
    }
    let (shape, masks) = (list.shape(), list.masks());
    let masks = masks.chunks(limit * shape.dimension);
    let piece = |(masks, bodies): (&[u64], &[u64])| {
        Cow::Owned(LweList::from_words(shape, Buffer::copied(masks), bodies.to_vec()))
    };
    masks.zip(list.bodies().chunks(limit)).map(piece).collect()
}
