//! The circuit of formulas: AKP's tables in slots, products of conditions and differences, SlotsToCoeffs once per formula.
//!
//! A choice is `otherwise + bit·(then - otherwise)`, a product per half of the slots. Choices within each other come bottom up: a
//! value has the *height* of the most choices within each other in it, and a place in the chain for each height. Products of
//! the last height are added up before they are relinearized, over all trees of a sum.
//!
//! **Shapes.** Per column, an exponential for each half of the slots. Tables with integer weights make values of integers, which
//! are divided by the output modulus at the end, by their scale.
//!
//! **Levels.** [`crate::ParametersLiteral`]'s `selection_primes` between AKP's interpolation and SlotsToCoeffs: one for the
//! constants of tables, whose scale is that of a prime, and one for each height.
//!
//! **Noise.** That of tables is followed by [`crate::formulas::prepared`]; what products and SlotsToCoeffs add by a dry run.

use cryptable_ckks::bootstrapping::homomorphic_dft::HomomorphicDft;
use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_ckks::paterson_stockmeyer::{PolynomialBasis, Steps};
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::{KeyRequest, Result};
use num_complex::Complex64;

use crate::akp::AkpCircuit;
use crate::akp::interpolation::Interpolation;
use crate::bootstrapping::slots_to_coeffs;
use crate::formulas::formula::Formula;
use crate::formulas::prepared::{Chunk, Linear, PreparedFormulas, Value};
use crate::literal::ParametersLiteral;
use crate::step::Step;

/// A level of the chain and the scale of values there.
#[derive(Clone, Copy, Debug)]
struct Place {
    limbs: usize,
    scale: f64,
}

/// The public part of formulas for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct FormulaCircuit {
    literal: ParametersLiteral,
    primes: Vec<f64>,
    /// Places of values by their height, from tables on.
    places: Vec<Place>,
    /// The plan of SlotsToCoeffs, for the scale of results.
    pub slots_to_coeffs: HomomorphicDft,
    requests: Vec<KeyRequest>,
    /// Noise that the interpolation adds to the worst table.
    noise: SlotNoise,
}

/// A value on the way: a ciphertext, unless it is the same in all rows, and what is to be added to it.
struct Part<C> {
    slots: Option<C>,
    constant: f64,
}

impl FormulaCircuit {
    /// Plans it over the given chain of primes; none, where a literal has no primes for it.
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
        let worst: Vec<f64> =
            (0..circuit.literal.input_modulus).map(|value| f64::from(value == 0)).collect();
        let powers = circuit.powers(&dry_run, &exponential);
        let table = circuit.table(&dry_run, &powers, &worst);
        let Place { limbs, scale } = circuit.places[circuit.height()];
        let scale = scale * circuit.literal.output_modulus as f64;
        let results = Shape { limbs, scale, ..table };
        circuit.noise = table.noise;
        circuit.slots_to_coeffs =
            slots_to_coeffs::plan(&circuit.literal, &circuit.primes, results, 1.0);
        circuit.predict(akp, &circuit.widest(), &dry_run);
        circuit.requests = dry_run.key_requests();
        Some(circuit)
    }

    /// A formula with all operations that any has: as many choices within each other as there may be.
    fn widest(&self) -> PreparedFormulas {
        let modulus = self.literal.input_modulus;
        let outputs = (0..modulus).map(|value| i64::from(value == 0)).collect();
        let mut formula = Formula::Table { column: 0, outputs };
        for _ in 0..self.height() {
            let (then, otherwise) = (Box::new(formula), Box::new(Formula::Constant(0)));
            formula = Formula::Choice { column: 0, within: vec![[1, 2]], then, otherwise };
        }
        PreparedFormulas::new(&[formula], modulus).expect("ranges and tables of the modulus")
    }

    /// Every key that formulas need.
    pub(crate) fn key_requests(&self) -> &[KeyRequest] {
        &self.requests
    }

    /// The most choices within each other.
    pub(crate) fn height(&self) -> usize {
        self.places.len() - 1
    }

    /// Runs formulas on tables, of a chunk in a half of the slots: outputs in slots, as fractions of the output modulus.
    ///
    /// # Errors
    /// Those of `tables`.
    pub(crate) fn evaluate<A: Arithmetic>(
        &self,
        arithmetic: &A,
        formulas: &PreparedFormulas,
        tables: impl Fn(&Chunk, usize) -> Result<Vec<Option<A::Ciphertext>>>,
    ) -> Result<Vec<A::Ciphertext>> {
        let chunks = formulas.chunks();
        let mut joined: Vec<Option<A::Ciphertext>> = vec![None; formulas.formulas()];
        for half in 0..self.literal.parts() {
            let mut results = Results::new(self, arithmetic, formulas);
            for chunk in &chunks {
                results.add(chunk, &tables(chunk, half)?);
            }
            for (joined, mut found) in joined.iter_mut().zip(results.finish()) {
                match joined {
                    None => *joined = Some(found),
                    Some(first) => {
                        arithmetic.mul_imaginary_unit_assign(&mut found);
                        arithmetic.add_assign(first, &found);
                    }
                }
            }
        }
        let modulus = self.literal.output_modulus as f64;
        let as_fraction = |output: Option<A::Ciphertext>| {
            let mut output = output.expect("a half of the slots");
            arithmetic.divide_slots_assign(&mut output, modulus);
            arithmetic.declare_power(&mut output, 0.5);
            output
        };
        Ok(joined.into_iter().map(as_fraction).collect())
    }

    /// Steps of progress of [`FormulaCircuit::tables`] for all chunks: one per table and half.
    pub(crate) fn steps(&self, formulas: &PreparedFormulas) -> usize {
        let tables: usize = formulas.chunks().iter().map(|chunk| chunk.tables.len()).sum();
        self.literal.parts() * tables
    }

    /// Results in slots to coefficients.
    pub(crate) fn finish<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        output: A::Ciphertext,
    ) -> A::Ciphertext {
        slots_to_coeffs::apply(arithmetic, &self.literal, &self.slots_to_coeffs, matrices, output)
    }

    /// The tables of a chunk, as real numbers from 0 to 1, by their numbers: of exponentials of all columns that they read, in one
    /// half of the slots.
    ///
    /// # Errors
    /// Those of `step`, which is called after each table.
    pub(crate) fn tables<'c, A: Arithmetic>(
        &self,
        arithmetic: &A,
        formulas: &PreparedFormulas,
        chunk: &Chunk,
        exponential: impl Fn(usize) -> &'c A::Ciphertext,
        step: Step<'_>,
    ) -> Result<Vec<Option<A::Ciphertext>>>
    where
        A::Ciphertext: 'c,
    {
        let mut found = vec![None; formulas.tables()];
        for column in formulas.columns_in_use() {
            let of_column = |index: &&usize| formulas.table(**index).column == column;
            let indices: Vec<usize> = chunk.tables.iter().filter(of_column).copied().collect();
            if indices.is_empty() {
                continue;
            }
            let powers = self.powers(arithmetic, exponential(column));
            for index in indices {
                let outputs = formulas.table(index).fractions();
                found[index] = Some(self.table(arithmetic, &powers, &outputs));
                step()?;
            }
        }
        Ok(found)
    }

    fn powers<A: Arithmetic>(
        &self,
        arithmetic: &A,
        exponential: &A::Ciphertext,
    ) -> Steps<A::Ciphertext> {
        arithmetic.begin_stage("powers");
        let log_length = self.literal.interpolation_levels() as u32;
        let log_babies = self.literal.log_babies.min(log_length);
        Steps::new(arithmetic, PolynomialBasis::Power, exponential, log_length, log_babies)
    }

    /// A table of numbers from 0 to 1.
    fn table<A: Arithmetic>(
        &self,
        arithmetic: &A,
        powers: &Steps<A::Ciphertext>,
        outputs: &[f64],
    ) -> A::Ciphertext {
        arithmetic.begin_stage("interpolation");
        let interpolation = Interpolation::of_values(outputs, self.literal.hermite_order);
        let Interpolation::Power(coefficients) = interpolation else {
            unreachable!("values are interpolated by powers");
        };
        let mut coefficients = coefficients;
        coefficients.resize(1 << self.literal.interpolation_levels(), Complex64::ZERO);
        let scale = self.places[0].scale;
        let mut real = powers.evaluate_with_constant_level(arithmetic, &coefficients, scale);
        let conjugate = arithmetic.conjugate(&real);
        arithmetic.add_assign(&mut real, &conjugate);
        arithmetic.declare_power(&mut real, 1.0);
        real
    }

    /// Noise of slots that the interpolation of a table adds.
    pub(crate) fn noise_of_tables(&self) -> SlotNoise {
        self.noise
    }

    /// Brings a weighted sum of tables to a place.
    fn linear<A: Arithmetic>(
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

    /// The products of a value's choices, added up, and all else, at the place below that of a height.
    fn products<A: Arithmetic>(
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

    /// Results of formulas of tables without noise: what products and SlotsToCoeffs add. The dry run then has all operations and
    /// keys.
    pub(crate) fn predict(
        &self,
        akp: &AkpCircuit,
        formulas: &PreparedFormulas,
        dry_run: &DryRun,
    ) -> Vec<Shape> {
        akp.request_raising(dry_run);
        let columns = formulas.columns_in_use();
        let exponentials: Vec<Shape> =
            columns.iter().map(|_| akp.predict_exponentials(dry_run)[0]).collect();
        let tables = |chunk: &Chunk, _| {
            let done = || Ok(());
            let mut found = self.tables(dry_run, formulas, chunk, |_| &exponentials[0], &done)?;
            found.iter_mut().flatten().for_each(|table| table.noise = SlotNoise::ZERO);
            Ok(found)
        };
        let outputs = self.evaluate(dry_run, formulas, tables);
        let outputs = outputs.expect("steps of a dry run do not fail");
        let matrices = self.slots_to_coeffs.plans();
        outputs.into_iter().map(|output| self.finish(dry_run, &matrices, output)).collect()
    }
}

/// Sums of all chunks of one half of the slots.
struct Results<'a, A: Arithmetic> {
    circuit: &'a FormulaCircuit,
    arithmetic: &'a A,
    formulas: &'a PreparedFormulas,
    products: Vec<Option<A::Product>>,
    rests: Vec<Part<A::Ciphertext>>,
}

impl<'a, A: Arithmetic> Results<'a, A> {
    fn new(circuit: &'a FormulaCircuit, arithmetic: &'a A, formulas: &'a PreparedFormulas) -> Self {
        let count = formulas.formulas();
        let products = (0..count).map(|_| None).collect();
        let rests = (0..count).map(|_| Part { slots: None, constant: 0.0 }).collect();
        Self { circuit, arithmetic, formulas, products, rests }
    }

    fn add(&mut self, chunk: &Chunk, tables: &[Option<A::Ciphertext>]) {
        let (circuit, arithmetic) = (self.circuit, self.arithmetic);
        arithmetic.begin_stage("choices");
        for (index, part) in chunk.outputs.iter().enumerate() {
            let height = circuit.height();
            if part.choices.is_empty() {
                // What is added to products is a height below results.
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

    /// Results of all outputs at the place of results.
    fn finish(self) -> Vec<A::Ciphertext> {
        let arithmetic = self.arithmetic;
        let finish = |(product, rest): (Option<A::Product>, Part<A::Ciphertext>)| {
            let mut found = match product {
                Some(product) => sum(arithmetic, product, rest.slots),
                None => rest.slots.expect("formulas that are not constant"),
            };
            arithmetic.add_constant_assign(&mut found, Complex64::from(rest.constant));
            found
        };
        self.products.into_iter().zip(self.rests).map(finish).collect()
    }
}

/// Tells a dry run how large a value is.
fn bounded<A: Arithmetic>(
    arithmetic: &A,
    mut slots: A::Ciphertext,
    value: &Value,
) -> A::Ciphertext {
    let largest = value.largest();
    arithmetic.declare_power(&mut slots, largest * largest);
    slots
}

/// Relinearizes products and what is added to them.
fn sum<A: Arithmetic>(
    arithmetic: &A,
    mut product: A::Product,
    rest: Option<A::Ciphertext>,
) -> A::Ciphertext {
    if let Some(rest) = rest {
        arithmetic.product_add_assign(&mut product, &rest, 1.0);
    }
    arithmetic.relinearize(product, 1)
}

/// `sum += part`.
fn add<A: Arithmetic>(arithmetic: &A, sum: &mut Part<A::Ciphertext>, part: Part<A::Ciphertext>) {
    sum.constant += part.constant;
    sum.slots = match (sum.slots.take(), part.slots) {
        (Some(mut sum), Some(part)) => {
            arithmetic.add_assign(&mut sum, &part);
            Some(sum)
        }
        (sum, part) => sum.or(part),
    };
}

/// `then - otherwise`, constants included.
///
/// # Panics
/// If both are constant: such choices are tables.
fn subtract<A: Arithmetic>(
    arithmetic: &A,
    then: Part<A::Ciphertext>,
    otherwise: &Part<A::Ciphertext>,
) -> A::Ciphertext {
    let constant = Complex64::from(then.constant - otherwise.constant);
    let mut difference = match (then.slots, &otherwise.slots) {
        (Some(mut then), Some(otherwise)) => {
            arithmetic.sub_assign(&mut then, otherwise);
            then
        }
        (Some(then), None) => then,
        (None, Some(otherwise)) => {
            let mut negated = otherwise.clone();
            arithmetic.mul_integer_assign(&mut negated, -1);
            negated
        }
        (None, None) => panic!("choices between constants are tables"),
    };
    arithmetic.add_constant_assign(&mut difference, constant);
    difference
}
