//! Lookups whose results several owners decrypt together.

use cryptable_bits as bits;
use cryptable_bits::PreparedBits;
use cryptable_lattice::error::{check_client, check_equal};
use cryptable_lattice::{KeyParameters, Progress, ReadOptions, Result, Table};
use cryptable_packed as packed;
use cryptable_wire::{ObjectType, object_bytes};

use super::split_first;
use crate::packed_bits::to_bits;

/// Longest body of a result: 64 bits of 128 MiB each.
const MAX_RESULT_BYTES: u64 = 1 << 33;

/// Largest number of bits of an output.
const MAX_BITS: u64 = 64;

/// A table, prepared for lookups under a joint key: one table of bits per bit of its outputs.
#[derive(Debug)]
pub struct JointLookup<'a> {
    values: &'a packed::EvaluationKey,
    bits: &'a bits::EvaluationKey,
    tables: Vec<packed::PreparedTable>,
    modulus: u64,
}

impl<'a> JointLookup<'a> {
    /// Prepares a table, given the evaluation keys of values and of bits of one joint key.
    ///
    /// # Errors
    /// If the table has another input modulus than the key, or the keys have different numbers of owners.
    pub fn new(
        values: &'a packed::EvaluationKey,
        bits: &'a bits::EvaluationKey,
        table: &Table,
    ) -> Result<Self> {
        let owners = values.parameters().literal().owners;
        check_equal("number of owners", bits.parameters().literal().owners, owners)?;
        let modulus = table.output_modulus();
        let prepare = |bit| values.prepare(&Self::table_of_bit(table, bit)?);
        let tables = (0..Self::bits(modulus)).map(prepare).collect::<Result<_>>()?;
        Ok(Self { values, bits, tables, modulus })
    }

    /// Returns the number of bits of outputs below this modulus.
    #[must_use]
    pub fn bits(modulus: u64) -> u32 {
        (modulus - 1).ilog2() + 1
    }

    /// Returns the table of one bit of all outputs.
    ///
    /// # Errors
    /// Never, since it has the inputs of the table.
    pub fn table_of_bit(table: &Table, bit: u32) -> Result<Table> {
        let of_bit = |x| table.values()[x as usize] >> bit & 1;
        Table::from_fn(table.input_modulus(), 2, of_bit)
    }

    /// Looks up the values of a ciphertext, converts the results to bits, and cleans these until their errors are
    /// hidden by flooding.
    ///
    /// # Errors
    /// If the values are of another key, or have too much noise.
    pub fn look_up(
        &self,
        input: &packed::Ciphertext,
        progress: Progress<'_>,
    ) -> Result<JointResult> {
        let tables: Vec<_> = self.tables.iter().collect();
        let results = self.values.lookup_many(input, &tables, progress)?;
        JointResult::prepare(self.values, self.bits, &results, self.modulus)
    }
}

/// Results of a lookup of one ciphertext of values, which all owners of a key decrypt together.
#[derive(Clone, Debug)]
pub struct JointResult {
    parameters: bits::Parameters,
    modulus: u64,
    /// Bits of all values, the lowest bit first.
    bits: Vec<PreparedBits>,
}

impl JointResult {
    /// Converts the results of [tables of bits](JointLookup::table_of_bit), the lowest first, to bits and cleans them
    /// until their errors are hidden by flooding.
    ///
    /// # Errors
    /// If the results are of another key, or have too much noise, or their number is not the number of bits of outputs
    /// below `modulus`.
    pub fn prepare(
        values: &packed::EvaluationKey,
        bits: &bits::EvaluationKey,
        results: &[packed::Ciphertext],
        modulus: u64,
    ) -> Result<Self> {
        check_equal(
            "number of bits of outputs",
            results.len(),
            JointLookup::bits(modulus) as usize,
        )?;
        let (parameters, key_id) = (bits.parameters(), bits.key_id());
        let prepare = |result: &packed::Ciphertext| {
            let input = to_bits(values, result, parameters, key_id)?;
            bits.prepare_decryption(&bits.half_bin_boot(&input)?)
        };
        let prepared = results.iter().map(prepare).collect::<Result<_>>()?;
        Ok(Self { parameters: parameters.clone(), modulus, bits: prepared })
    }

    /// Returns the parameters of the bits.
    #[must_use]
    pub fn parameters(&self) -> &bits::Parameters {
        &self.parameters
    }

    /// Returns the output modulus of the table.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns the number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bits[0].count()
    }

    /// Returns the bits of all values, the lowest bit first.
    #[must_use]
    pub fn bits(&self) -> &[PreparedBits] {
        &self.bits
    }

    /// Returns the results in their wire format.
    ///
    /// # Errors
    /// Never, since the bits have these parameters.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let parameters = &self.parameters;
        let bits: Vec<_> =
            self.bits.iter().map(|bits| bits.to_bytes(parameters)).collect::<Result<_>>()?;
        Ok(object_bytes(ObjectType::JointResult, &parameters.digest(), |writer| {
            writer.bytes(&parameters.to_bytes())?;
            writer.u64(self.modulus)?;
            bits.iter().try_for_each(|bits| writer.bytes(bits))
        }))
    }

    /// Reads the results at the beginning of a file, and returns them with the rest of the file, which may hold more.
    ///
    /// # Errors
    /// If it does not begin with undamaged results, or they are of insecure parameters where those are not allowed.
    pub fn read_first(bytes: &[u8], options: ReadOptions) -> Result<(Self, &[u8])> {
        let [first, rest] = split_first(bytes)?;
        let object_type = ObjectType::JointResult;
        let opened = bits::Parameters::open(first, object_type, MAX_RESULT_BYTES, options)?;
        let (parameters, mut reader) = opened;
        let modulus = reader.u64_within("output modulus", 2..=u64::MAX)?;
        let mut bits: Vec<PreparedBits> = Vec::new();
        for _ in 0..u64::from(JointLookup::bits(modulus)).min(MAX_BITS) {
            let of_bit = reader.bytes("bits for partial decryption", MAX_RESULT_BYTES)?;
            let of_bit = PreparedBits::from_bytes(&parameters, of_bit)?;
            if let Some(lowest) = bits.first() {
                check_equal("number of bits", of_bit.count(), lowest.count())?;
                check_client("bits for partial decryption", lowest.key_id(), of_bit.key_id())?;
            }
            bits.push(of_bit);
        }
        reader.finish()?;
        Ok((Self { parameters, modulus, bits }, rest))
    }
}

#[cfg(feature = "client")]
mod decryption {
    use cryptable_bits::{JointDecryption, PartialDecryption, ThresholdSecret};
    use cryptable_lattice::owners::Quorum;

    use super::{JointResult, Result, check_equal, split_first};

    impl JointResult {
        /// Returns a holder's part of the decryption by a quorum, flooded, for [`JointResult::combine`].
        ///
        /// # Errors
        /// The errors of [`ThresholdSecret::partial_decryption`].
        pub fn parts_of_holder(
            &self,
            secret: &ThresholdSecret,
            decryption: &JointDecryption,
            quorum: Quorum,
        ) -> Result<Vec<PartialDecryption>> {
            let part = |bits| secret.partial_decryption(bits, decryption, quorum);
            self.bits.iter().map(part).collect()
        }

        /// Returns the values, given the parts of all owners or of all members of a quorum. Each part holds the
        /// messages in the order of [`partial_decryptions`](super::super::JointSecret::partial_decryptions).
        ///
        /// # Errors
        /// [`OwnersError`](super::super::OwnersError) if an owner is missing or occurs twice, or its messages are of
        /// other results; [`Error::Mismatch`](cryptable_lattice::Error::Mismatch) if the sum of all parts is not a bit,
        /// because some owner did not follow the protocol.
        pub fn combine(&self, parts: &[Vec<PartialDecryption>]) -> Result<Vec<u64>> {
            for part in parts {
                check_equal("number of partial decryptions", part.len(), self.bits.len())?;
            }
            let mut values = vec![0; self.count()];
            for (index, bits) in self.bits.iter().enumerate() {
                let of_bit: Vec<_> = parts.iter().map(|part| part[index].clone()).collect();
                let found = bits.combine(&self.parameters, &of_bit)?;
                values
                    .iter_mut()
                    .zip(found)
                    .for_each(|(value, bit)| *value |= u64::from(bit) << index);
            }
            Ok(values)
        }

        /// Reads an owner's part of the decryption of these results at the beginning of a file, and returns it with the
        /// rest of the file.
        ///
        /// # Errors
        /// If the file does not begin with one undamaged partial decryption per bit of outputs.
        pub fn read_part<'a>(&self, bytes: &'a [u8]) -> Result<(Vec<PartialDecryption>, &'a [u8])> {
            let (mut part, mut rest) = (Vec::new(), bytes);
            for _ in &self.bits {
                let [first, following] = split_first(rest)?;
                part.push(PartialDecryption::from_bytes(&self.parameters, first)?);
                rest = following;
            }
            Ok((part, rest))
        }
    }
}
