//! Memory of a lookup without the key: the limbs that are alive at once, step by step.
//!
//! The memory of a step follows from its plan: ciphertexts that wait for it, digits and sums of key switches, powers
//! and blocks of polynomials. Counts agree with the arena's use at the widest point of lookups of 2 to 16 bits (all
//! methods, degree 65,536) to within a few limbs; gaps between buffers are added. A multiplexer tree holds deltas, then
//! selectors.

use std::ops::Range;

use cryptable_ckks::TransformPlan;
use cryptable_ckks::bootstrapping::homomorphic_dft::HomomorphicDft;
use cryptable_lattice::block_secret::BlockSecretShape;
use cryptable_ring::selected_product::TableMatrix;

use crate::formulas::group_sums::BITS_AT_ONCE;
use crate::formulas::prepared::{Chunk, Stage};
use crate::formulas::stages::PreparedFormulas;
use crate::literal::{MultiplexerLiteral, ParametersLiteral};
use crate::multiplexer::entry_kind::EntryKind;
use crate::multiplexer::real_deltas;
use crate::parameters::circuit::Circuit;
use crate::parameters::parameter_set::Parameters;

/// Bytes of a word, and of an entry of a table.
const WORD_BYTES: usize = 8;

/// Bytes of an output in a table per value.
const ENTRY_BYTES: usize = 4;

/// Bytes of the program itself, and of the system's data for it.
const PROGRAM_BYTES: usize = 24_000_000;

/// Words of values, secrets and tables of the ring, per coefficient of the ring.
const WORDS_BESIDE: usize = 76;

/// Polynomials of one limb for every prime, and a few more: tables of the ring.
const TABLE_LIMBS: usize = 3;

/// Ratio of memory in use with the gaps between buffers to memory in use: gaps of at most 6 % were found, for trees
/// over single bits.
const GAPS: f64 = 1.062;

/// The same ratio for trees on two threads, whose deltas stay where the other thread's temporaries were: gaps of 7 to
/// 10 % were found for trees of 12 bits, varying by chance, and of 14.4 % for 16 bits.
const GAPS_OF_TWO_THREADS: f64 = 1.146;

/// The same ratio in real slots, measured for digits of 16 to 64 values.
const GAPS_OF_REAL_SLOTS: f64 = 1.132;

/// The same ratio, in addition to [`GAPS`], for decompositions of more than two digits. The sizes of their deltas
/// differ from digit to digit, so that few blocks of one digit fit those of the next. Measured for 16^4.
const GAPS_OF_DIGITS: f64 = 1.3;

/// Limbs of a relinearization of selectors of up to eight limbs: tensor, digits, remainders and quotient.
const RELINEARIZATION_LIMBS: usize = 60;

impl Parameters {
    /// Returns the bytes of temporaries like [`Parameters::working_bytes`], for a table per value. Adds to the memory
    /// for one table all outputs, or those halves of all encrypted entries that are not seeds (which may be in a mapped
    /// file).
    pub(crate) fn working_bytes_of_entries(&self, kind: EntryKind) -> usize {
        let literal = self.literal();
        let p = literal.input_modulus as usize;
        let entries = match (kind, self.circuit()) {
            (EntryKind::Plain, _) => ENTRY_BYTES * p * literal.slots,
            (EntryKind::Encrypted, Circuit::Multiplexer(circuit)) => {
                WORD_BYTES * p * literal.ring_degree * circuit.entry_limbs()
            }
            _ => 0,
        };
        self.working_bytes(1) + entries
    }

    /// Returns the bytes of temporaries at the widest point, of tables and of results, for `tables` tables on one
    /// input, on one thread.
    pub(crate) fn working_bytes(&self, tables: usize) -> usize {
        let literal = self.literal();
        let results = 2 * tables * literal.ring_degree * WORD_BYTES;
        let of_tables = match self.circuit() {
            Circuit::Akp(_) | Circuit::MultiPrecision(_) => 0,
            Circuit::Multiplexer(_) => table_bytes(literal, tables * literal.tables_of_output()),
        };
        let limbs = self.bytes_of_limbs(self.peak_limbs(tables, 1), 1);
        self.bytes_beside() + limbs + results + of_tables + self.scratch_bytes()
    }

    /// Returns the bytes of temporaries of a decomposition into the digits of a tree, and of `results` results: on one
    /// thread, and the increase on two.
    pub(crate) fn decomposition_bytes(
        &self,
        tree: &MultiplexerLiteral,
        results: usize,
    ) -> [usize; 2] {
        let literal = self.literal();
        let limbs = |threads| {
            let back = self.circuit().slots_to_coeffs();
            let back = widest_transform(back, literal.ring_degree, threads);
            let limbs = literal.decomposition_limbs(tree, self.front_limbs(threads), back);
            let bytes = self.bytes_of_limbs(limbs, threads) as f64;
            (if tree.digits.len() > 2 { GAPS_OF_DIGITS * bytes } else { bytes }) as usize
        };
        let results = 2 * results * literal.ring_degree * WORD_BYTES;
        [self.bytes_beside() + limbs(1) + results, limbs(2) - limbs(1)]
    }

    /// Bytes that do not depend on the circuit.
    fn bytes_beside(&self) -> usize {
        PROGRAM_BYTES + WORDS_BESIDE * WORD_BYTES * self.literal().ring_degree
    }

    /// Bytes that a thread needs for a table step.
    fn scratch_bytes(&self) -> usize {
        match self.circuit() {
            Circuit::Akp(_) | Circuit::MultiPrecision(_) => 0,
            Circuit::Multiplexer(_) => {
                TableMatrix::scratch_bytes_at_most(self.literal().input_modulus as usize)
            }
        }
    }

    /// Additional bytes that two threads need compared with one.
    pub(crate) fn second_thread_bytes(&self) -> usize {
        let [one, two] =
            [1, 2].map(|threads| self.bytes_of_limbs(self.peak_limbs(1, threads), threads));
        two - one + self.scratch_bytes()
    }

    /// Returns the bytes of polynomials if `limbs` limbs are in use, on one thread or two.
    fn bytes_of_limbs(&self, limbs: usize, threads: usize) -> usize {
        let literal = self.literal();
        // The half ring has tables of its own.
        let half = if literal.half_digits > 0 { literal.limbs() / 2 } else { 0 };
        let all = limbs + literal.limbs() + half + TABLE_LIMBS;
        let is_mixed = threads > 1 && literal.multiplexer.is_some();
        let gaps = match (is_mixed, literal.real_slots) {
            (true, _) => GAPS_OF_TWO_THREADS,
            (false, true) => GAPS_OF_REAL_SLOTS,
            (false, false) => GAPS,
        };
        (gaps * (WORD_BYTES * literal.ring_degree * all) as f64) as usize
    }

    /// Returns the bytes of `count` vectors in slots, as selections have them: the parts of outputs, before their
    /// products and SlotsToCoeffs.
    pub(crate) fn bytes_of_slot_vectors(&self, count: usize) -> usize {
        let literal = self.literal();
        let limbs_of_part = literal.output_limbs() + literal.selection_primes;
        let limbs = 2 * count * literal.parts() * limbs_of_part;
        (GAPS * (WORD_BYTES * literal.ring_degree * limbs) as f64) as usize
    }

    /// Returns the bytes of temporaries of formulas at the widest point of any stage, and of columns that they make: on one thread,
    /// and the increase on two.
    pub(crate) fn bytes_of_formulas(&self, formulas: &PreparedFormulas) -> [usize; 2] {
        let [one, two] = [1, 2].map(|threads| {
            let of_stage = |stage| self.bytes_of_stage(stage, threads);
            formulas.stages().iter().map(of_stage).max().unwrap_or(0)
        });
        [one + self.bytes_of_columns(formulas), two - one]
    }

    /// Bytes of temporaries of a stage: exponentials of all columns, and the tables that are held at once. Threads work
    /// in parallel on the exponentials of a column; the tables of the two halves of the slots are evaluated one after
    /// the other.
    fn bytes_of_stage(&self, formulas: &Stage, threads: usize) -> usize {
        let (literal, parts) = (self.literal(), self.literal().parts());
        // Exponentials of the column that is evaluated are counted with its powers.
        let others = formulas.exponentials().saturating_sub(1);
        let columns = 2 * parts * literal.exponential_limbs() * others;
        let (below, outputs) = (self.limbs_below_tables(), formulas.formulas());
        let powers = |halves| 2 * literal.steps_and_exponentials(halves);
        let of_chunk = |chunk: &Chunk| {
            // First the series of a column, beside its tables and those of earlier columns; then a sum of products and
            // a sum of everything else.
            let (mut held, mut most) = (0, 0);
            for count in formulas.tables_per_column(chunk) {
                held += 2 * (below - 1) * count;
                let at_once = literal.tables_at_once().min(count);
                most = most.max(held + literal.interpolation_limbs(0, 1, at_once));
            }
            most.max(held + powers(0) + 5 * below * (outputs + 2))
        };
        let chunks = formulas.chunks();
        // Results of the first half of the slots, and chunks before the last one.
        let left = if chunks.len() > 1 { 7 } else { 2 } * below * outputs;
        let mut found = left + chunks.iter().map(of_chunk).max().unwrap_or(0);
        if formulas.groups().is_some() {
            found = (found + powers(parts - 1) - powers(0)).max(self.limbs_of_groups(formulas));
        }
        let limbs = columns + self.front_limbs(threads).max(found);
        let words = 2 * outputs * literal.ring_degree * WORD_BYTES;
        self.bytes_beside() + self.bytes_of_limbs(limbs, threads) + words
    }

    /// Limbs of values in slots that are computed from tables, plus one.
    fn limbs_below_tables(&self) -> usize {
        self.literal().output_limbs() + self.literal().selection_primes
    }

    /// Returns the bytes of columns that formulas make: sums, what they are sums of, and results that are columns again.
    fn bytes_of_columns(&self, formulas: &PreparedFormulas) -> usize {
        let ends = formulas.stages().len() - usize::from(formulas.sums().is_none());
        let columns = formulas.stages().iter().rev().take(ends).map(Stage::columns).max();
        let terms = formulas.sums().map_or(0, |_| formulas.columns());
        2 * (columns.unwrap_or(0) + terms) * self.literal().ring_degree * WORD_BYTES
    }

    /// Limbs that sums by groups need in addition to tables. For each half: the powers of groups, bits of some of them,
    /// values of formulas, and sums. Then: the series of one half after the other, or a product for each half and a sum
    /// that is rotated.
    fn limbs_of_groups(&self, formulas: &Stage) -> usize {
        let (literal, below) = (self.literal(), self.limbs_below_tables());
        let parts = literal.parts();
        let held = parts * (BITS_AT_ONCE + formulas.formulas()) + formulas.formulas();
        let step = literal.series_limbs(BITS_AT_ONCE).max(2 * below * (parts + 2));
        2 * literal.steps_and_exponentials(parts) + 2 * (below - 1) * held + step
    }

    /// Limbs that are in use at the widest point.
    fn peak_limbs(&self, tables: usize, threads: usize) -> usize {
        let (literal, front) = (self.literal(), self.front_limbs(threads));
        match &literal.multiplexer {
            Some(multiplexer) => literal.tree_limbs(multiplexer, front),
            None => front.max(literal.interpolation_limbs(tables, threads, 1)),
        }
    }

    /// Limbs in use during CoeffsToSlots or the exponential, whichever is more.
    fn front_limbs(&self, threads: usize) -> usize {
        let literal = self.literal();
        if let Some(product) = self.circuit().block_product() {
            return block_product_limbs(product.shape(), threads);
        }
        let front = self.circuit().phase_exponential();
        let of_transform = front.map_or(0, |front| {
            widest_transform(&front.coeffs_to_slots, literal.ring_degree, threads)
        });
        of_transform.max(literal.exponential_peak_limbs(threads))
    }
}

/// Limbs of the sums over blocks and of their product: plaintexts of a group in coefficients, their evaluations modulo
/// the prime that each thread works on, and sums; or a key switch of each of two factors.
fn block_product_limbs(shape: BlockSecretShape, threads: usize) -> usize {
    let sums = 2 * shape.groups() * shape.limbs;
    sums + 2 * shape.limbs + (1 + threads) * shape.block_size() + 8 * shape.limbs
}

/// Limbs of the widest product with a matrix of a transform.
fn widest_transform(transform: &HomomorphicDft, degree: usize, threads: usize) -> usize {
    let plans = transform.plans();
    plans.iter().map(|plan| transform_limbs(plan, degree, threads)).max().unwrap_or(0)
}

/// Limbs of a product with a matrix: the ciphertext, rotated for every group of baby steps, its digits, two polynomials
/// per giant step, and the baby steps of the blocks that threads work on.
fn transform_limbs(plan: &TransformPlan, degree: usize, threads: usize) -> usize {
    let (groups, all) = (plan.baby_groups(), plan.shape.basis.limbs());
    let vectors = groups * (2 * plan.limbs + plan.shape.digits() * all);
    let of_threads = threads * plan.baby_words(degree).div_ceil(degree);
    vectors + 2 * plan.giants * all + of_threads
}

impl ParametersLiteral {
    /// Number of values per slot, each with exponentials of its own: two with full packing, except in real slots.
    pub(crate) fn parts(&self) -> usize {
        if self.slots < self.ring_degree || self.real_slots { 1 } else { 2 }
    }

    /// Limbs of the exponentials: the phases, and for each exponential under evaluation the steps, sums and products of
    /// its series.
    fn exponential_peak_limbs(&self, threads: usize) -> usize {
        let top = self.product_limbs();
        let parts = self.parts();
        let (length, babies) = (self.chebyshev_log_length, self.chebyshev_log_babies);
        let steps = (1usize << babies) - 1 + length.saturating_sub(babies) as usize;
        // Measured: three baby steps and three giant ones, and temporaries; in real slots, the sum of the other series as well.
        let others = if self.real_slots { 7 * top } else { 0 };
        let series = (57 * top).div_ceil(2) + 2 * steps.saturating_sub(6) * top + others;
        2 * parts * top + threads.min(parts) * series.saturating_sub(72)
    }

    /// Limbs of AKP's interpolation: the exponentials, for each one in use the powers and the series of a table, and
    /// the outputs of all tables.
    fn interpolation_limbs(&self, tables: usize, threads: usize, at_once: usize) -> usize {
        let parts = self.parts();
        let outputs = tables * (self.exponential_limbs() - self.interpolation_levels());
        let taken = threads.min(parts);
        let held = 2 * (self.steps_and_exponentials(taken) + parts * outputs);
        let (levels, (babies, count)) = (self.interpolation_levels(), self.blocks());
        let limbs = self.exponential_limbs() - levels;
        let series = match (tables, self.hidden_bits) {
            // Blocks of a table are as wide as they are used.
            (1.., None) => {
                let blocks = limbs * count + limbs_above(count, levels, babies);
                2 * blocks + 21 * (limbs + levels - babies) / 2
            }
            _ => self.series_limbs(at_once),
        };
        self.limbs_in_slots(held + taken * series)
    }

    /// log2 of the number of baby steps, and the number of blocks of a series.
    fn blocks(&self) -> (usize, usize) {
        let babies = (self.log_babies as usize).min(self.interpolation_levels());
        let coefficients = self.hermite_order.coefficients(self.interpolated_modulus() as usize);
        (babies, coefficients.div_ceil(1 << babies))
    }

    /// Limbs of one half of the ciphertexts of all exponentials, and of the powers of `taken` of them.
    fn steps_and_exponentials(&self, taken: usize) -> usize {
        let (limbs, levels) = (self.exponential_limbs(), self.interpolation_levels());
        let (babies, count) = self.blocks();
        let block = 1usize << babies;
        let steps: usize = (1..block).map(|step| limbs - depth(step)).sum();
        let giants: usize = match self.hidden_bits {
            None => {
                let triple = if levels >= babies + 3 { limbs - babies - 2 } else { 0 };
                (babies..levels).map(|giant| limbs - giant).sum::<usize>() + triple
            }
            // All giant steps, and two ciphertexts of 1.
            Some(_) => (1..count).map(|g| limbs - depth(g << babies)).sum::<usize>() + 2 * limbs,
        };
        self.parts() * limbs + taken * (steps + giants)
    }

    /// Limbs of the blocks of Paterson-Stockmeyer of all series that are evaluated at once, and of their first product.
    fn series_limbs(&self, at_once: usize) -> usize {
        let (limbs, (babies, count)) = (self.exponential_limbs(), self.blocks());
        let block_limbs = match self.hidden_bits {
            None => limbs - babies,
            // Blocks are made where they are multiplied.
            Some(_) => limbs - self.interpolation_levels() + 1,
        };
        2 * block_limbs * count * at_once + 21 * block_limbs / 2
    }
}

/// Limbs of blocks of a series beyond those of its result. A single block has none; others are added up a level above
/// the result, with series that end there. The last of every four blocks stands alone if its step is high enough.
fn limbs_above(blocks: usize, levels: usize, babies: usize) -> usize {
    let (mut rest, mut limbs) = (blocks, 0);
    while rest > 1 {
        let half = rest.next_power_of_two() / 2;
        let high = rest - half;
        let are_alone = half == 2 && high == 2 && levels > babies + 2;
        limbs += high + if are_alone { 0 } else { limbs_above(high, levels - 1, babies) };
        rest = half;
    }
    limbs + usize::from(blocks > 1)
}

/// Number of levels that a power lies below its base: `ceil(log2 power)`.
fn depth(power: usize) -> usize {
    power.next_power_of_two().ilog2() as usize
}

impl ParametersLiteral {
    /// Limbs in use at the widest point of a tree, if CoeffsToSlots and the exponential need `front`: while the last
    /// digit is decomposed, when selectors are made, or when the tree is evaluated.
    fn tree_limbs(&self, tree: &MultiplexerLiteral, front: usize) -> usize {
        let deltas: Vec<usize> =
            (0..tree.digits.len()).map(|digit| self.limbs_of_deltas(tree, digit)).collect();
        let (mut held, mut peak) = (0, 0);
        for (digit, limbs) in deltas.iter().enumerate() {
            peak = peak.max(held + front.max(self.limbs_making_deltas(tree, digit)));
            held += limbs;
        }
        // Selectors replace the deltas that they are made of.
        let (mut of_selectors, mut first) = (0, 0);
        for (index, &count) in tree.selectors.iter().enumerate() {
            let made = self.limbs_of_selector(tree, index);
            let factors = self.limbs_of_factors(tree, first..first + count);
            let more = if count > 1 { made + factors + RELINEARIZATION_LIMBS } else { 0 };
            peak = peak.max(of_selectors + held + more);
            held -= deltas[first..first + count].iter().sum::<usize>();
            (of_selectors, first) = (of_selectors + made, first + count);
        }
        let sizes = tree.row_sizes();
        let outer = sizes.get(1).map_or(1, |&size| size);
        let tensors = 3 * self.parts() * outer * (self.output_limbs() + sizes.len());
        peak.max(of_selectors + tensors + RELINEARIZATION_LIMBS)
    }

    /// Limbs in use at the widest point of a decomposition: in CoeffsToSlots or an exponential (`front`), while deltas
    /// are made, or in SlotsToCoeffs (`back`) of a digit, whose deltas are kept until all functions of the digit are
    /// back in coefficients.
    fn decomposition_limbs(&self, tree: &MultiplexerLiteral, front: usize, back: usize) -> usize {
        let of_digit = |digit| {
            let making = self.limbs_making_deltas(tree, digit);
            making.max(self.limbs_of_deltas(tree, digit) + back)
        };
        (0..tree.digits.len()).map(of_digit).fold(front, usize::max)
    }

    /// Limbs of the deltas of a digit.
    fn limbs_of_deltas(&self, tree: &MultiplexerLiteral, digit: usize) -> usize {
        let limbs = self.output_limbs() + tree.delta_levels(digit);
        self.limbs_in_slots(2 * self.parts() * tree.digits[digit] as usize * limbs)
    }

    /// Limbs in use while the deltas of the last part of a digit are made: the deltas of the other part, all powers of
    /// an exponential, and an equal number of combinations of them.
    fn limbs_making_deltas(&self, tree: &MultiplexerLiteral, digit: usize) -> usize {
        let (limbs, p) = (self.exponential_limbs(), tree.digits[digit] as usize);
        if self.real_slots {
            return 2 * real_deltas::limbs_in_use(tree.digits[digit], limbs);
        }
        let others = self.limbs_of_deltas(tree, digit) / self.parts() * (self.parts() - 1);
        let powers: usize = (1..p).map(|power| limbs - depth(power)).sum();
        let sums = p * (limbs - depth(p - 1));
        self.limbs_in_slots(2 * (limbs + powers + sums)) + others
    }

    /// Limbs of the last two factors of a Kronecker product of deltas, beyond the deltas of these digits that they are
    /// made of. Neighbouring factors are joined until two are left. Columns are made for both parts at once, rows for
    /// one part after the other.
    fn limbs_of_factors(&self, tree: &MultiplexerLiteral, digits: Range<usize>) -> usize {
        let sizes = digits.clone().map(|digit| (tree.digits[digit] as usize, 0));
        let mut factors: Vec<(usize, usize)> = sizes.collect();
        while factors.len() > 2 {
            let join = |pair: &[(usize, usize)]| match pair {
                [(low, depth), (high, other)] => (low * high, *depth.max(other) + 1),
                _ => pair[0],
            };
            factors = factors.chunks(2).map(join).collect();
        }
        let limbs = self.output_limbs() + tree.delta_levels(digits.start);
        let of_factors = factors.iter().map(|&(size, depth)| size * (limbs - depth));
        let deltas = digits.clone().map(|digit| tree.digits[digit] as usize * limbs);
        let parts = if digits.end == tree.digits.len() { self.parts() } else { 1 };
        let factors = of_factors.sum::<usize>().saturating_sub(deltas.sum::<usize>());
        self.limbs_in_slots(2 * parts * factors)
    }

    /// Limbs of a selector: row selectors hold sums and differences of both parts; column selectors hold both parts
    /// joined, except for tables of slots.
    fn limbs_of_selector(&self, tree: &MultiplexerLiteral, index: usize) -> usize {
        let (sizes, output) = (tree.row_sizes(), self.output_limbs());
        self.limbs_in_slots(match sizes.get(index) {
            Some(size) => 2 * self.parts() * size * (output + sizes.len() - index),
            None => {
                let sets = if tree.entry_levels > 0 { self.parts() } else { 1 };
                let limbs = output + sizes.len() + tree.entry_levels as usize;
                2 * sets * tree.columns() * limbs
            }
        })
    }
}

/// Bytes of tables: those of the caller and their prepared form.
fn table_bytes(literal: &ParametersLiteral, tables: usize) -> usize {
    let entries = literal.input_modulus as usize;
    tables * (WORD_BYTES * entries + TableMatrix::bytes_at_most(entries))
}
