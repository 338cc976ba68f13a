//! Results of formulas, added up chunk by chunk: products before they are relinearized, and everything else.

use cryptable_ckks::Arithmetic;
use cryptable_lattice::Result;

use crate::formulas::circuit::FormulaCircuit;
use crate::formulas::part::{Part, add, sum};
use crate::formulas::prepared::{Chunk, Stage};

impl FormulaCircuit {
    /// Computes the values of all formulas in one half of the slots, at the place of a height.
    ///
    /// # Errors
    /// The errors of `tables`.
    pub(super) fn values_at<A: Arithmetic>(
        &self,
        arithmetic: &A,
        formulas: &Stage,
        height: usize,
        tables: impl Fn(&Chunk) -> Result<Vec<Option<A::Ciphertext>>>,
    ) -> Result<Vec<Part<A::Ciphertext>>> {
        let mut results = Results::new(self, arithmetic, formulas, height);
        for chunk in &formulas.chunks() {
            results.add(chunk, &tables(chunk)?);
        }
        Ok(results.finish())
    }
}

/// Sums of all chunks of one half of the slots.
struct Results<'a, A: Arithmetic> {
    circuit: &'a FormulaCircuit,
    arithmetic: &'a A,
    formulas: &'a Stage,
    /// The height at whose place results are.
    height: usize,
    products: Vec<Option<A::Product>>,
    rests: Vec<Part<A::Ciphertext>>,
}

impl<'a, A: Arithmetic> Results<'a, A> {
    fn new(
        circuit: &'a FormulaCircuit,
        arithmetic: &'a A,
        formulas: &'a Stage,
        height: usize,
    ) -> Self {
        let count = formulas.formulas();
        let products = (0..count).map(|_| None).collect();
        let rests = (0..count).map(|_| Part { slots: None, constant: 0.0 }).collect();
        Self { circuit, arithmetic, formulas, height, products, rests }
    }

    /// Adds the contribution of a chunk, with its tables, to every formula.
    fn add(&mut self, chunk: &Chunk, tables: &[Option<A::Ciphertext>]) {
        let (circuit, arithmetic) = (self.circuit, self.arithmetic);
        arithmetic.begin_stage("choices");
        for (index, part) in chunk.outputs.iter().enumerate() {
            let height = self.height;
            if part.choices.is_empty() {
                // Terms that are added to products are one height below results.
                let below = usize::from(self.formulas.has_choices(index));
                let place = circuit.places[height - below];
                let found = circuit.linear(arithmetic, tables, &part.linear, place);
                add(arithmetic, &mut self.rests[index], found);
                continue;
            }
            let (product, rest) = circuit.products(arithmetic, tables, part, height);
            match &mut self.products[index] {
                None => self.products[index] = Some(product),
                Some(sum) => arithmetic.add_product_assign(sum, &product),
            }
            add(arithmetic, &mut self.rests[index], rest);
        }
    }

    /// Returns all outputs at the place of results.
    fn finish(self) -> Vec<Part<A::Ciphertext>> {
        let arithmetic = self.arithmetic;
        let finish = |(product, rest): (Option<A::Product>, Part<A::Ciphertext>)| match product {
            Some(product) => Part { slots: Some(sum(arithmetic, product, rest.slots)), ..rest },
            None => rest,
        };
        self.products.into_iter().zip(self.rests).map(finish).collect()
    }
}
