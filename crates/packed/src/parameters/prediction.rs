//! Predicted costs of a lookup, from its dry run.

use std::mem::discriminant;

use cryptable_ckks::dry_run::Counts;
use cryptable_ckks::plaintext::EMBEDDING_TRANSFORMS;
use cryptable_lattice::cost::{Prediction, Work};
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{KeyPurpose, KeyRequest};
use cryptable_wire::bit_packing::packed_bytes;

use crate::multiplexer::entry_kind::EntryKind;
use crate::parameters::circuit::Circuit;
use crate::parameters::parameter_set::Parameters;

/// Cost of drawing a limb of a mask from its seed, including memory access, in transforms: an encrypted table of 12
/// bits has 4,096 entries of five limbs.
const MASK: usize = 5;

/// Cost of embedding the bits of a secret, in drawn words per coefficient.
const ENCODED_BIT: usize = 4;

/// log2 of the smallest primes for which there are no vector kernels.
const LOG2_VECTOR_BOUND: f64 = 50.0;

/// Seconds that a command needs to choose parameters; measured values range from 0.01 to 0.15.
const CHOICE_SECONDS: f64 = 0.035;

impl Parameters {
    /// Predicts work, memory and sizes of a lookup of one table on one full ciphertext.
    ///
    /// ```
    /// use cryptable_packed::{CostModel, Parameters};
    /// let prediction = Parameters::insecure_toy(16, 16)?.prediction();
    /// let time = prediction.duration(&CostModel::default(), 1024, 1);
    /// assert!(time.as_secs_f64() < 1.0 && prediction.peak_bytes() > prediction.key_memory_bytes);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        self.prediction_of(1)
    }

    /// Predicts a lookup of `tables` tables on one input, like [`Parameters::prediction`]:
    /// [`crate::EvaluationKey::lookup_many`].
    #[must_use]
    pub fn prediction_of(&self, tables: usize) -> Prediction {
        self.prediction_for(EntryKind::Shared, tables)
    }

    /// Predicts lookups of tables with entries of this kind, like [`Parameters::prediction_of`]. Tables per value are
    /// looked up one after the other. Parameters without a level for entries are predicted as for shared tables.
    ///
    /// ```
    /// use cryptable_packed::{EntryKind, Parameters};
    /// let parameters = Parameters::insecure_toy_entries(16, 16)?;
    /// let [shared, encrypted] = [EntryKind::Shared, EntryKind::Encrypted]
    ///     .map(|kind| parameters.prediction_for(kind, 1));
    /// assert!(encrypted.work.transforms > shared.work.transforms);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    #[must_use]
    pub fn prediction_for(&self, kind: EntryKind, tables: usize) -> Prediction {
        let literal = self.literal();
        let tables = tables.max(1);
        let (work, working_bytes) = match self.circuit() {
            Circuit::Multiplexer(circuit)
                if kind != EntryKind::Shared && circuit.has_entry_level() =>
            {
                let mean_square = circuit.worst_mean_square();
                let dry_run = circuit.dry_run();
                circuit.predict_slots(&dry_run, kind, mean_square);
                let mut counts = dry_run.counts();
                let slots = circuit.complex_slots() as f64 / (literal.ring_degree / 2) as f64;
                let of_entry = transforms_of_entry(kind, circuit.entry_limbs(), slots);
                counts.transforms += literal.input_modulus as usize * of_entry;
                (self.work(&counts) * tables as f64, self.working_bytes_of_entries(kind))
            }
            _ => (self.work(&self.counts(tables)), self.working_bytes(tables)),
        };
        let requests = self.key_requests();
        let bits = literal.log2_ciphertext_modulus;
        Prediction {
            work,
            values_per_ciphertext: literal.slots,
            // Most steps distribute limbs, and products of selectors, over the threads.
            parallelism: literal.limbs(),
            key_memory_bytes: self.memory_bytes_of(&requests),
            key_file_bytes: runs(&requests)
                .map(|(count, request)| count * self.stored_bytes(request))
                .chain(self.result_key_shape().map(|shape| shape.stored_bytes()))
                .sum(),
            key_words: requests.iter().map(|request| self.words_drawn(request)).sum(),
            choice_seconds: CHOICE_SECONDS,
            working_bytes,
            second_thread_bytes: self.second_thread_bytes(),
            ciphertext_bytes: packed_bytes(literal.ring_degree, bits),
            result_bytes: 2 * packed_bytes(literal.ring_degree, bits),
        }
    }

    /// Converts counts to work: operations modulo primes without vector kernels take several times as long.
    pub(crate) fn work(&self, counts: &Counts) -> Work {
        let literal = self.literal();
        if literal.log2_scale >= LOG2_VECTOR_BOUND {
            counts.work_of_wide_primes(literal.ring_degree)
        } else {
            counts.work(literal.ring_degree)
        }
    }

    /// Bytes in memory of these switching keys and of the encoded matrices.
    pub(crate) fn memory_bytes_of(&self, requests: &[KeyRequest]) -> usize {
        let moduli = self.moduli();
        let keys: usize = runs(requests).map(|(count, it)| count * it.memory_bytes(&moduli)).sum();
        let first = self.circuit().phase_exponential().map(|front| &front.coeffs_to_slots);
        let stages = first.into_iter().chain([self.circuit().slots_to_coeffs()]);
        let stages = stages.chain(self.circuit().clearing_plans());
        let stages = stages.chain(self.product_slots_to_coeffs());
        let plans = stages.flat_map(|dft| dft.plans());
        let matrices: usize = plans.map(|plan| plan.encoded_bytes(&moduli)).sum();
        let literal = self.literal();
        let crossings = match literal.real_slots {
            true => literal.entry_limbs() + 2 * literal.output_limbs(),
            false => 0,
        };
        let results = self.result_key_shape().map_or(0, |shape| shape.memory_bytes());
        keys + matrices + results + 2 * crossings * literal.ring_degree * size_of::<u64>()
    }

    /// Bytes of a switching key in a file. Includes its masks if several owners made it in two rounds.
    fn stored_bytes(&self, request: &KeyRequest) -> usize {
        let moduli = self.moduli();
        let has_masks =
            !self.literal().owners.is_one() && request.purpose == KeyPurpose::Relinearization;
        let masks = if has_masks { request.body_bytes(&moduli) } else { 0 };
        request.stored_bytes(&moduli) + masks
    }

    /// Words that are drawn for a switching key: masks, and the error of every digit. The additional cost of encrypted
    /// bits of a secret, an embedding and transforms, is counted as words.
    fn words_drawn(&self, KeyRequest { purpose, shape }: &KeyRequest) -> usize {
        let limbs = shape.basis.limbs();
        let encoded = match purpose {
            KeyPurpose::BlockBits(_) => ENCODED_BIT + limbs / 10,
            _ => 0,
        };
        let degree = purpose.degree(self.literal().ring_degree);
        degree * (shape.digits() * (limbs + 1) + encoded)
    }

    /// Predicted standard deviation of a result's error, in half steps of the output modulus, for tables of entries of
    /// this kind whose centred outputs have the given mean square. Does not include squared errors of phase.
    ///
    /// ```
    /// use cryptable_packed::{EntryKind, MultiplexerLiteral, Parameters};
    /// let tree = MultiplexerLiteral { digits: vec![4, 4], selectors: vec![1, 1], ..Default::default() };
    /// let parameters = Parameters::insecure_toy_tree(16, 1024, 1024, tree, 0)?;
    /// assert!(parameters.predicted_deviation(EntryKind::Shared, 256.0 / 12.0)? < 0.1);
    /// assert!(parameters.predicted_deviation(EntryKind::Plain, 256.0 / 12.0).is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If these parameters do not serve entries of this kind, or are not those of a multiplexer tree.
    pub fn predicted_deviation(&self, kind: EntryKind, mean_square: f64) -> Result<f64> {
        let literal = self.literal();
        let name = &literal.name;
        let Circuit::Multiplexer(circuit) = self.circuit() else {
            let what =
                format!("noise of a table of given outputs: {name} is not a multiplexer tree");
            return Err(Error::Unsupported(what));
        };
        let dry_run = circuit.dry_run();
        let noise = match kind {
            EntryKind::Shared => circuit.predict(&dry_run, mean_square, 1).result.noise,
            _ if circuit.has_entry_level() => {
                circuit.predict_slots(&dry_run, kind, mean_square).result.noise
            }
            _ => {
                return Err(Error::Unsupported(format!(
                    "{kind:?} entries: {name} has entry_levels = 0"
                )));
            }
        };
        let variance = noise.total() / literal.output_slots() as f64 + literal.output_rounding();
        Ok(variance.sqrt() * 2.0 * literal.output_modulus as f64)
    }

    /// Counts the operations of each part of the circuit, like [`Parameters::operation_counts`]. Does not include
    /// ModRaise.
    #[must_use]
    pub fn stage_counts(&self, tables: usize) -> Vec<(&'static str, Counts)> {
        let dry_run = self.circuit().dry_run();
        self.circuit().predict_worst(&dry_run, tables.max(1));
        dry_run.stages()
    }

    /// Counts the operations of a lookup of `tables` tables on one input.
    #[must_use]
    pub fn operation_counts(&self, tables: usize) -> Counts {
        self.counts(tables)
    }
}

/// Returns the number of transforms that an entry of `limbs` limbs needs before it is multiplied: for a plaintext those
/// of its limbs after the embedding, for a ciphertext those of drawing masks from its seed. `slots` is the fraction of
/// the ring's slots that an embedding fills.
fn transforms_of_entry(kind: EntryKind, limbs: usize, slots: f64) -> usize {
    match kind {
        EntryKind::Shared => 0,
        EntryKind::Plain => limbs + (slots * EMBEDDING_TRANSFORMS).ceil() as usize,
        EntryKind::Encrypted => MASK * limbs,
    }
}

/// Returns runs of consecutive keys of one kind and shape: their number, and the first of them.
fn runs(requests: &[KeyRequest]) -> impl Iterator<Item = (usize, &KeyRequest)> {
    let kind = |it: &KeyRequest| (discriminant(&it.purpose), it.shape);
    requests.chunk_by(move |a, b| kind(a) == kind(b)).map(|run| (run.len(), &run[0]))
}
