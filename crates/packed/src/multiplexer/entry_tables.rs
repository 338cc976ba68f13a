//! Slot-independent and encrypted tables (Appendix C of Dumezy et al., TCHES 2026(1), ePrint 2025/1301): one table per
//! value.
//!
//! Plaintexts or ciphertexts replace the integers that multiply column selectors: entry (i, j) holds the entries of all
//! slots' tables in row i and column j. This needs one more level, and one product of polynomials per entry. All steps
//! after the rows are the same as for other tables.
//!
//! With full packing, a slot holds two values with one table each, so an entry is `E = f^x + i·f^y`. Column selectors
//! are kept as sums and differences, `s = (δ^x + δ^y)/2` and `d = (δ^x - δ^y)/2`, and
//!
//! `E·s + conj(E·d) = f^x·δ^x + i·f^y·δ^y`,
//!
//! summed over columns before the conjugation and the rescale: one of each per row.

use cryptable_ckks::dry_run::{PlainShape, Shape};
use cryptable_ckks::noise_sources::NoiseSources;
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::Result;
use num_complex::Complex64;
use rayon::prelude::*;

use crate::bootstrapping::LookupShapes;
use crate::multiplexer::circuit::{DeltaPrediction, DigitDeltas, MultiplexerCircuit};
use crate::multiplexer::entry_kind::EntryKind;
use crate::multiplexer::kronecker_product::kronecker_product;
use crate::multiplexer::multiplexer_tree::{RowSelector, join_parts, row_selector, select_outputs};
use crate::step::Step;

/// Number of entries that are in memory at once.
const COLUMN_BLOCK: usize = 8;

/// Largest log2 of the scale of entries, whose slots are at most 1: coefficients then fit 62 bits.
const LOG2_ENTRY_SCALE: f64 = 60.0;

/// The source of the noise of encrypted entries, after those of up to 24 digits.
const ENTRY_SOURCE: u32 = 24;

/// Selectors for tables with entries in slots.
#[derive(Clone, Debug)]
pub(crate) struct SlotSelectors<C> {
    /// The row selectors, the least significant first.
    pub rows: Vec<RowSelector<C>>,
    /// Columns in the form of a row selector.
    pub columns: RowSelector<C>,
}

/// The encoding of entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EntryEncoding {
    /// Limbs: those of column selectors.
    pub limbs: usize,
    /// Scale of entries that are fractions of the output modulus.
    pub scale: f64,
    /// Factor that brings outputs to the scale of other tables' outputs.
    pub factor: i64,
}

/// Evaluates a row of plaintext entries: `Σ_j entry(j)·δ_j`, rescaled.
fn plain_row<A: Arithmetic>(
    arithmetic: &A,
    columns: &RowSelector<A::Ciphertext>,
    entry: impl Fn(usize) -> A::Plain + Sync,
) -> A::Ciphertext {
    let sums = sums_over_columns(
        columns,
        entry,
        |pairs| arithmetic.plain_product_sum(pairs),
        |sum, other| arithmetic.add_assign(sum, other),
    );
    let mut sums = sums.into_iter();
    let mut row = sums.next().expect("one or two sets");
    if let Some(difference) = sums.next() {
        arithmetic.add_assign(&mut row, &arithmetic.conjugate(&difference));
    }
    arithmetic.rescale(row, 1)
}

/// Evaluates a row of encrypted entries like [`plain_row`], with one relinearization per set.
fn encrypted_row<A: Arithmetic>(
    arithmetic: &A,
    columns: &RowSelector<A::Ciphertext>,
    entry: impl Fn(usize) -> A::Ciphertext + Sync,
) -> A::Ciphertext {
    let sums = sums_over_columns(
        columns,
        entry,
        |pairs| arithmetic.product_sum(pairs),
        |sum, other| arithmetic.add_product_assign(sum, other),
    );
    join_parts(arithmetic, sums)
}

/// Computes `Σ_j column_j·entry_j` for each set of columns, block by block. All threads make the entries of a block,
/// each once, and drop them after use.
fn sums_over_columns<C: Sync, E: Send, S>(
    columns: &RowSelector<C>,
    entry: impl Fn(usize) -> E + Sync,
    product_sum: impl Fn(&[(&C, &E)]) -> S,
    add_assign: impl Fn(&mut S, &S),
) -> Vec<S> {
    let mut sums: Vec<Option<S>> = columns.iter().map(|_| None).collect();
    let count = columns[0].len();
    for start in (0..count).step_by(COLUMN_BLOCK) {
        let block = start..count.min(start + COLUMN_BLOCK);
        let entries: Vec<E> = block.clone().into_par_iter().map(&entry).collect();
        for (sum, set) in sums.iter_mut().zip(columns) {
            let pairs: Vec<_> = set[block.clone()].iter().zip(&entries).collect();
            let product = product_sum(&pairs);
            match sum {
                Some(sum) => add_assign(sum, &product),
                None => *sum = Some(product),
            }
        }
    }
    sums.into_iter().map(|sum| sum.expect("a column")).collect()
}

/// Selects among the rows from `first` on, by the given row selectors.
fn select_rows<A: Arithmetic>(
    arithmetic: &A,
    selectors: &[RowSelector<A::Ciphertext>],
    first: usize,
    row: &dyn Fn(usize) -> Result<A::Ciphertext>,
) -> Result<A::Ciphertext> {
    let Some((last, lower)) = selectors.split_last() else { return row(first) };
    let stride: usize = lower.iter().map(|selector| selector[0].len()).product();
    let outputs =
        (0..last[0].len()).map(|value| select_rows(arithmetic, lower, first + value * stride, row));
    select_outputs(arithmetic, outputs, last)
}

impl MultiplexerCircuit {
    /// The encoding of entries.
    ///
    /// A row has the scale of its selectors times that of the entries, over the prime that it drops. Sums and
    /// differences have a scale of 2 if there are two parts. Entries provide the rest of the way to the scale of
    /// outputs, the denominator, as far as they have room, which keeps the noise of roundings small; an integer factor
    /// at the end provides what is left.
    pub(crate) fn entry_encoding(&self) -> EntryEncoding {
        let limbs = self.entry_limbs();
        let whole = self.primes()[limbs - 1] * self.denominator() / self.parts() as f64;
        let factor = (whole / LOG2_ENTRY_SCALE.exp2()).ceil();
        EntryEncoding { limbs, scale: whole / factor, factor: factor as i64 }
    }

    /// Returns the content of every slot if value k of a ciphertext is `values[k]`, or 0 beyond the last. Coefficients
    /// are in bit-reversed order: two in the parts of a slot with full packing, side by side with sparse packing.
    pub(crate) fn slots_of(&self, values: &[f64]) -> Vec<Complex64> {
        let half = self.slots() / 2;
        let bits = half.trailing_zeros();
        let value = |k: usize| values.get(k).copied().unwrap_or(0.0);
        let reversed = |j: usize| j.reverse_bits() >> (usize::BITS - bits);
        if self.parts() == 2 {
            let slot = |k| Complex64::new(value(k), value(k + half));
            (0..half).map(|j| slot(reversed(j))).collect()
        } else {
            (0..2 * half).map(|j| value(j / half * half + reversed(j % half)).into()).collect()
        }
    }

    /// Makes selectors from the deltas of all digits, with columns as sums and differences.
    pub(crate) fn slot_selectors<A: Arithmetic>(
        &self,
        arithmetic: &A,
        deltas: Vec<DigitDeltas<A::Ciphertext>>,
    ) -> SlotSelectors<A::Ciphertext> {
        let mut rows: Vec<_> = self
            .grouped(deltas)
            .map(|parts| {
                let parts = parts.into_iter();
                let parts = parts.map(|part| kronecker_product(arithmetic, part));
                row_selector(arithmetic, parts.collect())
            })
            .collect();
        let columns = rows.pop().expect("at least two selectors");
        SlotSelectors { rows, columns }
    }

    /// Looks up entries `(row, column)`, which are encoded as [`MultiplexerCircuit::entry_encoding`] says. Returns
    /// outputs as fractions of P in slots.
    ///
    /// # Errors
    /// The errors of `step`, which is called after each row.
    pub(crate) fn look_up_slots<A: Arithmetic>(
        &self,
        arithmetic: &A,
        selectors: &SlotSelectors<A::Ciphertext>,
        entry: impl Fn(usize, usize) -> A::Plain + Sync,
        step: Step<'_>,
    ) -> Result<A::Ciphertext> {
        let row = |row| {
            let sum = plain_row(arithmetic, &selectors.columns, |column| entry(row, column));
            step().map(|()| sum)
        };
        self.slot_outputs(arithmetic, &selectors.rows, &row)
    }

    /// Looks up encrypted entries, like [`MultiplexerCircuit::look_up_slots`].
    ///
    /// # Errors
    /// The errors of `step`.
    pub(crate) fn look_up_encrypted<A: Arithmetic>(
        &self,
        arithmetic: &A,
        selectors: &SlotSelectors<A::Ciphertext>,
        entry: impl Fn(usize, usize) -> A::Ciphertext + Sync,
        step: Step<'_>,
    ) -> Result<A::Ciphertext> {
        let row = |row| {
            let sum = encrypted_row(arithmetic, &selectors.columns, |column| entry(row, column));
            step().map(|()| sum)
        };
        self.slot_outputs(arithmetic, &selectors.rows, &row)
    }

    fn slot_outputs<A: Arithmetic>(
        &self,
        arithmetic: &A,
        rows: &[RowSelector<A::Ciphertext>],
        row: &dyn Fn(usize) -> Result<A::Ciphertext>,
    ) -> Result<A::Ciphertext> {
        let mut outputs = select_rows(arithmetic, rows, 0, row)?;
        let factor = self.entry_encoding().factor;
        arithmetic.mul_integer_assign(&mut outputs, factor);
        arithmetic.divide_slots_assign(&mut outputs, factor as f64);
        Ok(outputs)
    }

    /// Predicts a lookup of tables with entries of this kind, whose centred outputs have the given mean square: keys,
    /// counts, noise.
    pub(crate) fn predict_slots(
        &self,
        dry_run: &DryRun,
        kind: EntryKind,
        mean_square: f64,
    ) -> LookupShapes {
        let DeltaPrediction { exponential, deltas } = self.predict_deltas(dry_run);
        let selectors = self.slot_selectors(dry_run, deltas);
        let EntryEncoding { limbs, scale, .. } = self.entry_encoding();
        let parts = self.parts();
        let mean_square = parts as f64 * mean_square / (self.output_modulus() as f64).powi(2);
        let outputs = if kind == EntryKind::Encrypted {
            let sources = NoiseSources::single(ENTRY_SOURCE);
            let noise = dry_run.fresh_noise(scale);
            let entry = Shape { sources, ..Shape::new(limbs, scale, mean_square, noise) };
            self.look_up_encrypted(dry_run, &selectors, |_, _| entry, &|| Ok(()))
        } else {
            let entry = PlainShape { scale, mean_square, slots: self.complex_slots() };
            self.look_up_slots(dry_run, &selectors, |_, _| entry, &|| Ok(()))
        };
        let outputs = outputs.expect("steps of a dry run do not fail");
        let result = self.finish(dry_run, &self.slots_to_coeffs.plans(), outputs);
        LookupShapes { exponential, outputs, result }
    }
}

#[cfg(all(test, feature = "diagnostics"))]
mod tests {
    use cryptable_ckks::encryption::{decrypt, encrypt};
    use cryptable_ckks::{Ciphertext, Evaluator, Plaintext};
    use cryptable_lattice::Progress;
    use cryptable_ring::Embedding;
    use cryptable_ring::random::replay;

    use super::*;
    use crate::keys::secret_key::SecretKey;
    use crate::literal::MultiplexerLiteral;
    use crate::parameters::circuit::Circuit;
    use crate::parameters::parameter_set::Parameters;

    const OUTPUT: i64 = 1 << 14;
    const DIGITS: [u64; 3] = [4, 2, 12];

    /// An entry's centred value for the value at position k.
    fn entry(k: usize, x: usize) -> i64 {
        ((k * 97 + x * 8191 + k * x * 31) as i64 % OUTPUT) - OUTPUT / 2
    }

    /// The freshly encrypted deltas of the digits of value `(7·k) mod 96` at position k, and their shapes.
    fn fresh_deltas(
        circuit: &MultiplexerCircuit,
        secret: &SecretKey,
        dry_run: &DryRun,
    ) -> (Vec<DigitDeltas<Ciphertext>>, Vec<DigitDeltas<Shape>>) {
        let mut deltas = Vec::new();
        let mut shapes = circuit.predict_deltas(dry_run).deltas;
        let mut place = 1;
        for (digit, parts) in DIGITS.iter().zip(&mut shapes) {
            let encrypted = parts.iter_mut().enumerate().map(|(part, shapes)| {
                let values = shapes.iter_mut().enumerate().map(|(value, shape)| {
                    shape.noise = dry_run.fresh_noise(shape.scale);
                    let is_value = |k: usize| (7 * k % 96) as u64 / place % digit == value as u64;
                    let bits: Vec<f64> =
                        (0..circuit.slots()).map(|k| f64::from(u8::from(is_value(k)))).collect();
                    let slots: Vec<Complex64> = circuit
                        .slots_of(&bits)
                        .iter()
                        .map(|z| if part == 0 { z.re.into() } else { z.im.into() })
                        .collect();
                    encrypt(secret.ring(), secret.secret(), &slots, shape.scale, shape.limbs)
                });
                values.collect()
            });
            deltas.push(encrypted.collect());
            place *= digit;
        }
        (deltas, shapes)
    }

    /// The slots of an entry at all positions, as fractions of P.
    fn fractions(circuit: &MultiplexerCircuit, input: impl Fn(usize) -> usize) -> Vec<Complex64> {
        let fraction = |k: usize| entry(k, input(k)) as f64 / OUTPUT as f64;
        circuit.slots_of(&(0..circuit.slots()).map(fraction).collect::<Vec<_>>())
    }

    /// Looks up with fresh deltas. Returns the result and the prediction of the dry run.
    fn look_up(
        circuit: &MultiplexerCircuit,
        secret: &SecretKey,
        kind: EntryKind,
    ) -> (Ciphertext, Shape) {
        let key = secret.generate_keys(secret.parameters().clone(), Progress::silent()).unwrap();
        let ring = secret.ring();
        let (evaluator, dry_run) = (Evaluator::new(ring, key.keys()), circuit.dry_run());
        let (deltas, shapes) = fresh_deltas(circuit, secret, &dry_run);
        let EntryEncoding { limbs, scale, .. } = circuit.entry_encoding();
        let (slots, embedding) = (circuit.complex_slots(), Embedding::new(circuit.complex_slots()));
        let slots_at = |row, column| fractions(circuit, |_| row + 8 * column);
        let selectors = circuit.slot_selectors(&evaluator, deltas);
        let shapes = circuit.slot_selectors(&dry_run, shapes);
        let mean_square = circuit.parts() as f64 / 12.0;
        let step = || Ok(());
        if kind == EntryKind::Plain {
            let entry = |row, column| {
                Plaintext::encode(ring, &embedding, &slots_at(row, column), scale, limbs)
            };
            let shape = PlainShape { scale, mean_square, slots };
            let found = circuit.look_up_slots(&evaluator, &selectors, entry, &step);
            let predicted = circuit.look_up_slots(&dry_run, &shapes, |_, _| shape, &step);
            return (found.unwrap(), predicted.unwrap());
        }
        let entry = |row: usize, column: usize| {
            let _part = replay::part((row << 32 | column) as u64);
            encrypt(ring, secret.secret(), &slots_at(row, column), scale, limbs)
        };
        let sources = NoiseSources::single(ENTRY_SOURCE);
        let noise = dry_run.fresh_noise(scale);
        let shape = Shape { sources, ..Shape::new(limbs, scale, mean_square, noise) };
        let found = circuit.look_up_encrypted(&evaluator, &selectors, entry, &step);
        let predicted = circuit.look_up_encrypted(&dry_run, &shapes, |_, _| shape, &step);
        (found.unwrap(), predicted.unwrap())
    }

    /// Looks up with fresh deltas, and compares limbs, scale, power and noise with the dry run.
    fn check(slots: usize, kind: EntryKind) {
        let tree = MultiplexerLiteral {
            digits: DIGITS.to_vec(),
            selectors: vec![1; 3],
            entry_levels: 1,
            ..Default::default()
        };
        let parameters =
            Parameters::insecure_toy_tree(OUTPUT as u64, 1024, slots, tree, 0).unwrap();
        let Circuit::Multiplexer(circuit) = parameters.circuit() else { panic!("a tree") };
        let secret = SecretKey::generate(&parameters);
        let (found, predicted) = look_up(circuit, &secret, kind);
        assert_eq!(found.limbs(), predicted.limbs);
        // SlotsToCoeffs was planned for the scale of integer tables.
        let planned = circuit.predict(&circuit.dry_run(), 1.0, 1).outputs;
        assert_eq!(planned.limbs, found.limbs());
        for scale in [found.scale, planned.scale] {
            assert!((scale / predicted.scale - 1.0).abs() < 1e-12, "2^{}", scale.log2());
        }
        let expected = fractions(circuit, |k| 7 * k % 96);
        let decrypted = decrypt(secret.ring(), secret.secret(), &found, 512);
        let power = decrypted.iter().map(Complex64::norm_sqr).sum::<f64>() / 512.0;
        assert!((0.8..1.2).contains(&(power / predicted.power.0)), "power {power:e}");
        // The noise of sparse slots that reaches results is the mean over their repetitions.
        let count = circuit.complex_slots();
        let repetitions = (512 / count) as f64;
        let error = |(index, value): (usize, &Complex64)| {
            let found: Complex64 = decrypted[index..].iter().step_by(count).sum();
            (found / repetitions - value).norm_sqr()
        };
        let errors: f64 = expected.iter().enumerate().map(error).sum();
        let ratio = (errors / count as f64 / predicted.noise.total()).sqrt();
        // 32 slots under one key scatter by an eighth.
        let most = if slots == 64 { 1.5 } else { 1.15 };
        assert!((0.6..most).contains(&ratio), "{slots} slots, {kind:?}: {ratio} times predicted");
    }

    #[test]
    fn the_dry_run_predicts_limbs_scale_power_and_noise() {
        let _replay = replay::begin();
        for slots in [1024, 64] {
            for kind in [EntryKind::Plain, EntryKind::Encrypted] {
                check(slots, kind);
            }
        }
    }
}
