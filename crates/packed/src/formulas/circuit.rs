//! The circuit of formulas: AKP's tables in slots, products of conditions and differences, SlotsToCoeffs once per formula.
//!
//! A choice is `otherwise + bit·(then - otherwise)`, one product per half of the slots. Nested choices are evaluated
//! bottom up: the *height* of a value is the depth of its nested choices, and each height has a place in the chain.
//! Products of the last height are added up before they are relinearized, over all trees of a sum.
//!
//! **Shapes.** One exponential per column and half of the slots. Tables with integer weights have integer values, which
//! are divided by the output modulus at the end, by changing their scale.
//!
//! **Levels.** [`crate::ParametersLiteral`]'s `selection_primes` between AKP's interpolation and SlotsToCoeffs: one for the
//! constants of tables, whose scale is that of a prime, and one for each height.
//!
//! **Noise.** [`crate::formulas::prepared`] predicts the noise of tables; a dry run predicts that of products and
//! SlotsToCoeffs.

use cryptable_ckks::Arithmetic;
use cryptable_ckks::bootstrapping::homomorphic_dft::{HomomorphicDft, join};
use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_ckks::paterson_stockmeyer::{PolynomialBasis, Steps};
use cryptable_lattice::{KeyRequest, Result};
use num_complex::Complex64;

use crate::akp::AkpCircuit;
use crate::akp::interpolation::Interpolation;
use crate::bootstrapping::slots_to_coeffs;
use crate::formulas::formula::Formula;
use crate::formulas::groups::Groups;
use crate::formulas::part::{Part, add, subtract, sum};
use crate::formulas::prepared::{Chunk, Linear, Stage, Value};
use crate::literal::ParametersLiteral;
use crate::step::Step;

/// A level of the chain, and the scale of values at this level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    limbs: usize,
    scale: f64,
}

/// The public part of formulas for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct FormulaCircuit {
    literal: ParametersLiteral,
    primes: Vec<f64>,
    /// Places of values by their height, beginning with tables.
    pub(super) places: Vec<Place>,
    /// The plan of SlotsToCoeffs, for the scale of results.
    pub slots_to_coeffs: HomomorphicDft,
    requests: Vec<KeyRequest>,
    /// Noise that the interpolation adds to the worst table.
    noise: SlotNoise,
}

impl FormulaCircuit {
    /// Plans formulas over the given chain of primes; none if a literal has no primes for them.
    pub(crate) fn new(
        literal: &ParametersLiteral,
        akp: &AkpCircuit,
        primes: &[f64],
    ) -> Option<Self> {
        if literal.selection_primes == 0 || literal.is_cosine_table() {
            return None;
        }
        let most = literal.output_limbs() + literal.selection_primes - 1;
        let tables = Place { limbs: most, scale: literal.log2_scale.exp2() };
        let mut places = vec![tables];
        for limbs in (literal.output_limbs()..most).rev() {
            let scale = tables.scale * places[places.len() - 1].scale / primes[limbs];
            places.push(Place { limbs, scale });
        }
        let (literal, primes) = (literal.clone(), primes.to_vec());
        let (slots_to_coeffs, requests) = (HomomorphicDft::default(), Vec::new());
        let noise = SlotNoise::ZERO;
        let mut circuit = Self { literal, primes, places, slots_to_coeffs, requests, noise };
        let dry_run = akp.dry_run();
        let exponential = akp.predict_exponentials(&dry_run)[0];
        let worst = (0..circuit.literal.input_modulus).map(|value| f64::from(value == 0));
        let (powers, worst) = (circuit.powers(&dry_run, &exponential), [worst.collect()]);
        let table =
            circuit.tables_of(&dry_run, &powers, &worst, circuit.log_length()).swap_remove(0);
        let Place { limbs, scale } = circuit.places[circuit.height()];
        let scale = scale * circuit.literal.output_modulus as f64;
        let results = Shape { limbs, scale, ..table };
        circuit.noise = table.noise;
        if circuit.literal.groups > 0 {
            let powers = circuit.powers_of_groups(&dry_run, &exponential);
            circuit.noise += circuit.deltas(&dry_run, &powers, &[0])[0].noise;
        }
        circuit.slots_to_coeffs =
            slots_to_coeffs::plan(&circuit.literal, &circuit.primes, results, 1.0);
        circuit.predict(akp, &circuit.widest(), &dry_run);
        if let Some(sums) = circuit.widest_by_group() {
            circuit.predict(akp, &sums, &dry_run);
        }
        circuit.requests = dry_run.key_requests();
        Some(circuit)
    }

    /// A formula with all operations that any formula may have: the maximum number of nested choices.
    fn widest(&self) -> Stage {
        let modulus = self.literal.input_modulus;
        let outputs = (0..modulus).map(|value| i64::from(value == 0)).collect();
        let mut formula = Formula::Table { column: 0, outputs };
        for _ in 0..self.height() {
            let (then, otherwise) = (Box::new(formula), Box::new(Formula::Constant(0)));
            formula = Formula::Choice { column: 0, within: vec![[1, 2]], then, otherwise };
        }
        Stage::prepare(&[formula], modulus, None).expect("ranges and tables of the modulus")
    }

    /// Sums by groups with all operations that any may have, if there are groups.
    fn widest_by_group(&self) -> Option<Stage> {
        let (groups, modulus) = (self.literal.groups as u64, self.literal.input_modulus);
        let groups = Groups::new(0, groups, modulus).ok().filter(|_| groups > 0)?;
        Stage::prepare(&[Formula::Constant(1)], modulus, Some(groups)).ok()
    }

    /// Every key that formulas need.
    pub(crate) fn key_requests(&self) -> &[KeyRequest] {
        &self.requests
    }

    /// The maximum number of nested choices.
    pub(crate) fn height(&self) -> usize {
        self.places.len() - 1
    }

    /// Evaluates formulas on tables. `tables` returns those of a chunk in one half of the slots. Returns outputs in
    /// slots, as fractions of the output modulus.
    ///
    /// # Errors
    /// The errors of `tables`.
    pub(crate) fn evaluate<A: Arithmetic>(
        &self,
        arithmetic: &A,
        formulas: &Stage,
        tables: impl Fn(&Chunk, usize) -> Result<Vec<Option<A::Ciphertext>>>,
    ) -> Result<Vec<A::Ciphertext>> {
        let half = |half| {
            let of_half = |chunk: &Chunk| tables(chunk, half);
            let values = self.values_at(arithmetic, formulas, self.height(), of_half)?;
            Ok(values.into_iter().map(|it| it.into_slots(arithmetic)))
        };
        let mut halves = (0..self.literal.parts()).map(half).collect::<Result<Vec<_>>>()?;
        let output = |_| {
            let parts = halves.iter_mut().map(|half| half.next().expect("an output per formula"));
            self.as_fraction(arithmetic, join(arithmetic, parts))
        };
        Ok((0..formulas.formulas()).map(output).collect())
    }

    /// Turns integer results into fractions of the output modulus.
    pub(super) fn as_fraction<A: Arithmetic>(
        &self,
        arithmetic: &A,
        mut output: A::Ciphertext,
    ) -> A::Ciphertext {
        arithmetic.divide_slots_assign(&mut output, self.literal.output_modulus as f64);
        arithmetic.declare_power(&mut output, 0.5);
        output
    }

    /// Number of progress steps of [`FormulaCircuit::tables`] for all chunks, one per table and half, plus one per
    /// group.
    pub(crate) fn steps(&self, formulas: &Stage) -> usize {
        let tables: usize = formulas.chunks().iter().map(|chunk| chunk.tables.len()).sum();
        self.literal.parts() * tables + formulas.groups().unwrap_or(0)
    }

    /// Moves results from slots to coefficients.
    pub(crate) fn finish<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        output: A::Ciphertext,
    ) -> A::Ciphertext {
        slots_to_coeffs::apply(arithmetic, &self.literal, &self.slots_to_coeffs, matrices, output)
    }

    /// Evaluates the tables of a chunk on the exponentials of the columns that they read, in one half of the slots.
    /// Returns real numbers from 0 to 1, indexed by the tables' numbers.
    ///
    /// # Errors
    /// The errors of `step`, which is called after each table.
    pub(crate) fn tables<'c, A: Arithmetic>(
        &self,
        arithmetic: &A,
        formulas: &Stage,
        chunk: &Chunk,
        exponential: impl Fn(usize) -> &'c A::Ciphertext,
        step: Step<'_>,
    ) -> Result<Vec<Option<A::Ciphertext>>>
    where
        A::Ciphertext: 'c,
    {
        let mut found = vec![None; formulas.tables_of_rows()];
        for column in formulas.columns_in_use() {
            let of_column = |index: &&usize| formulas.table(**index).column == column;
            let indices: Vec<usize> = chunk.tables.iter().filter(of_column).copied().collect();
            if indices.is_empty() {
                continue;
            }
            let powers = self.powers(arithmetic, exponential(column));
            for indices in indices.chunks(self.literal.tables_at_once()) {
                let outputs: Vec<_> =
                    indices.iter().map(|&index| formulas.table(index).fractions()).collect();
                let tables = self.tables_of(arithmetic, &powers, &outputs, self.log_length());
                for (&index, table) in indices.iter().zip(tables) {
                    found[index] = Some(table);
                    step()?;
                }
            }
        }
        Ok(found)
    }

    fn powers<A: Arithmetic>(
        &self,
        arithmetic: &A,
        exponential: &A::Ciphertext,
    ) -> Steps<A::Ciphertext> {
        self.powers_of(arithmetic, exponential, self.log_length())
    }

    /// log2 of the length of the tables' series.
    fn log_length(&self) -> u32 {
        self.literal.interpolation_levels() as u32
    }

    fn powers_of<A: Arithmetic>(
        &self,
        arithmetic: &A,
        exponential: &A::Ciphertext,
        log_length: u32,
    ) -> Steps<A::Ciphertext> {
        arithmetic.begin_stage("powers");
        let log_babies = self.literal.log_babies.min(log_length);
        Steps::new(arithmetic, PolynomialBasis::Power, exponential, log_length, log_babies)
    }

    /// log2 of the length of the series that distinguish groups.
    fn log_length_of_groups(&self) -> u32 {
        let coefficients = self.literal.hermite_order.coefficients(self.literal.groups);
        coefficients.next_power_of_two().ilog2()
    }

    /// Computes powers of an exponential of groups, which has one node per group.
    pub(super) fn powers_of_groups<A: Arithmetic>(
        &self,
        arithmetic: &A,
        exponential: &A::Ciphertext,
    ) -> Steps<A::Ciphertext> {
        let log_length = self.log_length_of_groups();
        let spared = self.literal.interpolation_levels() - log_length as usize;
        let limbs = arithmetic.limbs(exponential) - spared;
        self.powers_of(arithmetic, &arithmetic.truncated(exponential, limbs), log_length)
    }

    /// Computes the bits of the rows whose group is reached by these numbers of turns of the slots.
    pub(super) fn deltas<A: Arithmetic>(
        &self,
        arithmetic: &A,
        powers: &Steps<A::Ciphertext>,
        turns: &[usize],
    ) -> Vec<A::Ciphertext> {
        let outputs = |&turns: &usize| Groups::delta(self.literal.groups, turns);
        let outputs: Vec<_> = turns.iter().map(outputs).collect();
        self.tables_of(arithmetic, powers, &outputs, self.log_length_of_groups())
    }

    /// Computes a multiple of a table at the place of a height above 0.
    pub(super) fn multiple<A: Arithmetic>(
        &self,
        arithmetic: &A,
        table: &A::Ciphertext,
        factor: f64,
        height: usize,
    ) -> A::Ciphertext {
        let Place { limbs, scale } = self.places[height];
        let (row, wide) = (vec![Complex64::from(factor)], scale * self.primes[limbs]);
        let mut found = arithmetic.linear_combinations(limbs + 1, &[table], &[row], wide);
        arithmetic.rescale(found.swap_remove(0), 1)
    }

    /// Limbs and scale of the plaintexts that sums by groups are multiplied by.
    pub(super) fn shape_of_rows(&self) -> (usize, f64) {
        (self.places[self.height() - 1].limbs, self.places[0].scale)
    }

    /// Number of slots, before they repeat, of the plaintexts that sums by groups are multiplied by: complex numbers if
    /// packing is full, else values side by side.
    pub(super) fn slots_of_rows(&self) -> usize {
        self.literal.slots / self.literal.parts()
    }

    /// The number of slots by which sums are rotated from one group to the next.
    pub(super) fn turn(&self) -> usize {
        self.literal.slots / 2 / self.literal.groups
    }

    /// Evaluates tables of numbers from 0 to 1, by series of this length.
    fn tables_of<A: Arithmetic>(
        &self,
        arithmetic: &A,
        powers: &Steps<A::Ciphertext>,
        outputs: &[Vec<f64>],
        log_length: u32,
    ) -> Vec<A::Ciphertext> {
        arithmetic.begin_stage("interpolation");
        let series = |outputs: &Vec<f64>| {
            let interpolation = Interpolation::of_values(outputs, self.literal.hermite_order);
            let Interpolation::Power(mut coefficients) = interpolation else {
                unreachable!("values are interpolated by powers");
            };
            coefficients.resize(1 << log_length, Complex64::ZERO);
            coefficients
        };
        let series: Vec<_> = outputs.iter().map(series).collect();
        let scale = self.places[0].scale;
        let real_part = |mut real: A::Ciphertext| {
            let conjugate = arithmetic.conjugate(&real);
            arithmetic.add_assign(&mut real, &conjugate);
            arithmetic.declare_power(&mut real, 1.0);
            real
        };
        let found = powers.evaluate_with_constant_level(arithmetic, &series, scale);
        found.into_iter().map(real_part).collect()
    }

    /// Noise of slots that the interpolation of a table adds.
    pub(crate) fn noise_of_tables(&self) -> SlotNoise {
        self.noise
    }

    /// Brings a weighted sum of tables to a place.
    pub(super) fn linear<A: Arithmetic>(
        &self,
        arithmetic: &A,
        tables: &[Option<A::Ciphertext>],
        Linear { constant, terms }: &Linear,
        Place { limbs, scale }: Place,
    ) -> Part<A::Ciphertext> {
        let constant = *constant as f64;
        if terms.is_empty() {
            return Part { slots: None, constant };
        }
        let table = |index: usize| tables[index].as_ref().expect("tables of the chunk");
        let mut slots = if limbs == self.places[0].limbs {
            // Integers are exact at the scale of tables.
            let multiple = |&(index, weight): &(usize, i64)| {
                let mut multiple = table(index).clone();
                arithmetic.mul_integer_assign(&mut multiple, weight);
                multiple
            };
            let add = |mut sum: A::Ciphertext, term: A::Ciphertext| {
                arithmetic.add_assign(&mut sum, &term);
                sum
            };
            terms.iter().map(multiple).reduce(add).expect("a term")
        } else {
            let inputs: Vec<&A::Ciphertext> =
                terms.iter().map(|&(index, _)| table(index)).collect();
            let row = terms.iter().map(|&(_, weight)| Complex64::from(weight as f64)).collect();
            let wide = scale * self.primes[limbs];
            let mut sums = arithmetic.linear_combinations(limbs + 1, &inputs, &[row], wide);
            arithmetic.rescale(sums.swap_remove(0), 1)
        };
        let largest: f64 = terms.iter().map(|&(_, weight)| weight.unsigned_abs() as f64).sum();
        arithmetic.declare_power(&mut slots, largest * largest);
        Part { slots: Some(slots), constant }
    }

    /// Brings a value to the place of a height, which is at least its own.
    fn value<A: Arithmetic>(
        &self,
        arithmetic: &A,
        tables: &[Option<A::Ciphertext>],
        value: &Value,
        height: usize,
    ) -> Part<A::Ciphertext> {
        if value.choices.is_empty() {
            return self.linear(arithmetic, tables, &value.linear, self.places[height]);
        }
        let (product, rest) = self.products(arithmetic, tables, value, height);
        let slots = sum(arithmetic, product, rest.slots);
        Part { slots: Some(bounded(arithmetic, slots, value)), constant: rest.constant }
    }

    /// Returns the sum of the products of a value's choices, and the rest of the value at the place below that of a
    /// height.
    pub(super) fn products<A: Arithmetic>(
        &self,
        arithmetic: &A,
        tables: &[Option<A::Ciphertext>],
        value: &Value,
        height: usize,
    ) -> (A::Product, Part<A::Ciphertext>) {
        let below = height - 1;
        let mut rest = self.linear(arithmetic, tables, &value.linear, self.places[below]);
        let mut sum: Option<A::Product> = None;
        for choice in &value.choices {
            let [then, otherwise] = [&choice.then, &choice.otherwise]
                .map(|side| self.value(arithmetic, tables, side, below));
            let mut difference = subtract(arithmetic, then, &otherwise);
            let largest = choice.difference();
            arithmetic.declare_power(&mut difference, largest * largest);
            let bit = tables[choice.bit].as_ref().expect("tables of the chunk");
            let product = arithmetic.product(bit, &difference);
            match &mut sum {
                None => sum = Some(product),
                Some(sum) => arithmetic.add_product_assign(sum, &product),
            }
            add(arithmetic, &mut rest, otherwise);
        }
        (sum.expect("a choice"), rest)
    }
}

/// Tells a dry run the size of a value.
fn bounded<A: Arithmetic>(
    arithmetic: &A,
    mut slots: A::Ciphertext,
    value: &Value,
) -> A::Ciphertext {
    let largest = value.largest();
    arithmetic.declare_power(&mut slots, largest * largest);
    slots
}
