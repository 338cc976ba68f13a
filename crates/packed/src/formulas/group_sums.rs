//! Sums of formulas by groups: for each group, a product with its bit and a rotation of the slots.
//!
//! Let w be the number of groups and n the number of slots, and let slot j have the *class* `⌊j·w/n⌋`. The class of a
//! row's slot is subtracted from the row's group g modulo w, which is free, since classes are public. A row whose
//! difference is -t belongs to the group of the class t classes before its own. With δ_t = 1 where the difference is
//! -t, and f the formula,
//!
//! `Σ_t rot(t·n/w)(δ_t·f)`
//!
//! has in slot j the sum of f over those of w rows (slots j, j + n/w, j + 2n/w, …) that belong to the group of j's
//! class: each row counts once. By Horner's rule, one key serves all rotations. Places without a row are multiplied
//! by 0.
//!
//! **Shapes.** Exponentials of differences and values of formulas, one for each half of the slots; a result per formula.
//!
//! **Levels.** Two more than the formula: for the product with δ_t, and for that with the places that have rows.
//!
//! **Noise.** Errors of w rows add up as standard deviations, since rows may share them, and so do biases
//! ([`crate::formulas::prepared`]); a dry run predicts the noise of products and rotations.

use cryptable_ckks::Arithmetic;
use cryptable_ckks::paterson_stockmeyer::Steps;
use cryptable_lattice::Result;

use crate::formulas::circuit::FormulaCircuit;
use crate::formulas::groups::Groups;
use crate::formulas::part::Part;
use crate::formulas::prepared::{Chunk, Stage};
use crate::step::Step;

/// Number of groups whose bits are made together, so that each step is read once.
pub(crate) const BITS_AT_ONCE: usize = 4;

/// A half of the slots.
pub(crate) struct Half<A: Arithmetic> {
    /// The exponential of the difference between group and class.
    pub exponential: A::Ciphertext,
    /// 1 in places that have rows, or i in the second half.
    pub rows: A::Plain,
}

/// A half of the slots, with the values that are computed from it once.
struct PreparedHalf<'a, A: Arithmetic> {
    powers: Steps<A::Ciphertext>,
    rows: &'a A::Plain,
    /// The value of each formula.
    values: Vec<Part<A::Ciphertext>>,
}

impl FormulaCircuit {
    /// Computes sums of all formulas by groups, in slots, as fractions of the output modulus. `tables` returns the
    /// formulas' tables of a chunk in one half of the slots, and `deltas` is [`FormulaCircuit::deltas`] for powers and
    /// turns.
    ///
    /// # Errors
    /// The errors of `tables` and of `step`, which is called once per group.
    pub(super) fn sums_by_group<A: Arithmetic>(
        &self,
        arithmetic: &A,
        formulas: &Stage,
        halves: &[Half<A>],
        tables: impl Fn(&Chunk, usize) -> Result<Vec<Option<A::Ciphertext>>>,
        deltas: impl Fn(&Steps<A::Ciphertext>, &[usize]) -> Vec<A::Ciphertext>,
        step: Step<'_>,
    ) -> Result<Vec<A::Ciphertext>> {
        let height = self.height() - Groups::HEIGHT;
        let mut prepared = Vec::with_capacity(halves.len());
        for (index, half) in halves.iter().enumerate() {
            let of_half = |chunk: &Chunk| tables(chunk, index);
            let values = self.values_at(arithmetic, formulas, height, of_half)?;
            let powers = self.powers_of_groups(arithmetic, &half.exponential);
            prepared.push(PreparedHalf { powers, rows: &half.rows, values });
        }
        let halves = prepared;
        let mut sums: Vec<Option<A::Ciphertext>> = vec![None; formulas.formulas()];
        let turns: Vec<usize> = (0..formulas.groups().unwrap_or(0)).rev().collect();
        for turns in turns.chunks(BITS_AT_ONCE) {
            let of_half = |half: &PreparedHalf<'_, A>| deltas(&half.powers, turns);
            let deltas: Vec<Vec<_>> = halves.iter().map(of_half).collect();
            arithmetic.begin_stage("groups");
            for turn in 0..turns.len() {
                let deltas: Vec<&A::Ciphertext> = deltas.iter().map(|it| &it[turn]).collect();
                for (formula, sum) in sums.iter_mut().enumerate() {
                    let mut found = self.rows_of_group(arithmetic, &halves, &deltas, formula);
                    if let Some(sum) = sum.take() {
                        let turned = arithmetic.rotate(&sum, self.turn());
                        arithmetic.add_assign(&mut found, &turned);
                    }
                    *sum = Some(found);
                }
                step()?;
            }
        }
        let finish = |(formula, sum): (usize, Option<A::Ciphertext>)| {
            let mut found = arithmetic.rescale(sum.expect("a group"), 1);
            let largest = formulas.largest_result(formula);
            arithmetic.declare_power(&mut found, largest * largest);
            self.as_fraction(arithmetic, found)
        };
        Ok(sums.into_iter().enumerate().map(finish).collect())
    }

    /// Computes a formula in the rows whose bits `deltas` are 1, and 0 in other rows, with both halves in one
    /// ciphertext, before a rescale.
    fn rows_of_group<A: Arithmetic>(
        &self,
        arithmetic: &A,
        halves: &[PreparedHalf<'_, A>],
        deltas: &[&A::Ciphertext],
        formula: usize,
    ) -> A::Ciphertext {
        let product = |(half, &delta): (&PreparedHalf<'_, A>, &&A::Ciphertext)| {
            let value = &half.values[formula];
            match value.slots {
                None => self.multiple(arithmetic, delta, value.constant, self.height() - 1),
                Some(_) => {
                    let slots = value.clone().into_slots(arithmetic);
                    arithmetic.mul(delta, &slots)
                }
            }
        };
        let products: Vec<_> = halves.iter().zip(deltas).map(product).collect();
        let pairs: Vec<_> = products.iter().zip(halves.iter().map(|half| half.rows)).collect();
        arithmetic.plain_product_sum(&pairs)
    }
}
