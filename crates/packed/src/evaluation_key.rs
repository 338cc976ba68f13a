//! What a server holds: switching keys, encoded matrices, and the lookup.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use cryptable_ckks::{Evaluator, LinearTransform};
use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, UniformPart};
use cryptable_lattice::{EvaluationKeys, KeyRequest};
use cryptable_ring::{Ring, release_buffers};

use crate::ciphertext::Ciphertext;
use crate::methods::akp::AkpCircuit;
use crate::methods::circuit::Circuit;
use crate::methods::functional_digit_decomposition::{
    FunctionalDigitDecomposition, STEPS_PER_DIGIT, switch_to_power_of_two,
};
use crate::methods::interpolation::Interpolation;
use crate::methods::mod_raise::mod_raise;
use crate::methods::multiplexer_bootstrapping::MultiplexerCircuit;
use crate::{KeyId, Parameters, Table};
use cryptable_lattice::error::{Error, Result};

/// The public evaluation key of one client, ready to look tables up.
///
/// Holds no secret; `Sync`, so one key serves many threads.
#[derive(Debug)]
pub struct EvaluationKey {
    parameters: Parameters,
    client: KeyId,
    ring: Arc<Ring>,
    keys: EvaluationKeys,
    coeffs_to_slots: Vec<LinearTransform>,
    slots_to_coeffs: Vec<LinearTransform>,
}

impl EvaluationKey {
    /// Joins switching keys with what the parameters alone determine: encodes the matrices.
    ///
    /// # Errors
    /// If a key that the circuit needs is missing.
    pub fn new(
        parameters: Parameters,
        client: KeyId,
        ring: Arc<Ring>,
        keys: EvaluationKeys,
    ) -> Result<Self> {
        for KeyRequest { purpose, shape } in parameters.circuit().key_requests() {
            if keys.find_shape(purpose, shape.basis).is_none() {
                return Err(Error::Mismatch {
                    name: "evaluation key",
                    found: "a set without it".into(),
                    expected: format!("a key for {purpose:?} at {:?}", shape.basis),
                });
            }
        }
        let circuit = parameters.circuit();
        let coeffs_to_slots = circuit.phase_to_wave().coeffs_to_slots.encode(&ring);
        let slots_to_coeffs = circuit.slots_to_coeffs().encode(&ring);
        // Generation and encoding leave buffers of sizes that lookups have no use for.
        release_buffers();
        Ok(Self { parameters, client, ring, keys, coeffs_to_slots, slots_to_coeffs })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The secret key that it was generated from.
    #[must_use]
    pub fn client(&self) -> KeyId {
        self.client
    }

    /// The switching keys.
    #[must_use]
    pub fn switching_keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// The ring of the parameters, with its tables.
    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Bytes in memory: keys and matrices.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let matrices = self.coeffs_to_slots.iter().chain(&self.slots_to_coeffs);
        self.keys.memory_bytes(self.ring.degree())
            + matrices.map(LinearTransform::memory_bytes).sum::<usize>()
    }

    /// Maps every value of `input` through `table`, under encryption.
    ///
    /// `progress(done, total)` is called before the first and after each step.
    ///
    /// # Errors
    /// If the ciphertext is of other parameters or another modulus, or the table's moduli are not
    /// those of the parameters.
    pub fn lookup(
        &self,
        input: &Ciphertext,
        table: &Table,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Ciphertext> {
        Ok(self.lookup_many(input, std::slice::from_ref(table), progress)?.swap_remove(0))
    }

    /// Maps every value of `input` through each of `tables`: multi-value bootstrapping. Everything up to
    /// the powers (AKP) or selectors (multiplexer trees) is computed once.
    ///
    /// ```
    /// use cryptable_packed::{Table, Parameters, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4)?);
    /// let key = secret.evaluation_key(&|_, _| ());
    /// let tables = [Table::from_fn(4, 4, |x| 3 - x)?, Table::from_fn(4, 4, |x| x * x % 4)?];
    /// let outputs = key.lookup_many(&secret.encrypt(&[0, 1, 2, 3])?, &tables, &|_, _| ())?;
    /// assert_eq!(secret.decrypt(&outputs[0])?, [3, 2, 1, 0]);
    /// assert_eq!(secret.decrypt(&outputs[1])?, [0, 1, 0, 1]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`EvaluationKey::lookup`], for any of the tables; or if there are none.
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[Table],
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Vec<Ciphertext>> {
        for table in tables {
            self.check(input, table)?;
        }
        if tables.is_empty() {
            return Err(Error::TooSmall { name: "number of tables", value: 0, limit: 1 });
        }
        Ok(match self.parameters.circuit() {
            Circuit::Akp(circuit) => self.lookup_akp(circuit, input, tables, progress),
            Circuit::Multiplexer(circuit) => {
                let digits = 0..circuit.digits().len();
                self.lookup_multiplexer(circuit, &[(input, digits)], tables, progress)
            }
        })
    }

    /// Maps inputs that come in several ciphertexts, the least significant first, through tables of all of
    /// them together: decomposed large digits. `x = x_0 + M_0·(x_1 + M_1·(…))`, where each M_i is the
    /// product of some of the digits of the parameters, in their order.
    ///
    /// ```
    /// use cryptable_packed::{Table, MultiplexerLiteral, Parameters, SecretKey};
    /// let digits = vec![4, 4, 4];
    /// let tree = MultiplexerLiteral { digits, selectors: vec![1, 1, 1], ..Default::default() };
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_tree(8, 1024, 1024, tree, 0)?);
    /// let key = secret.evaluation_key(&|_, _| ());
    /// let (low, high) = (secret.encrypt_digits(&[3, 0], 4)?, secret.encrypt_digits(&[15, 2], 16)?);
    /// let ones = Table::from_fn(64, 8, |x| u64::from(x.count_ones()))?;
    /// let outputs = key.lookup_digits(&[low, high], &[ones], &|_, _| ())?;
    /// assert_eq!(secret.decrypt(&outputs[0])?, [6, 1]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`EvaluationKey::lookup_many`]; if the parameters have no digits, or the ciphertexts' moduli are no
    /// products of them.
    pub fn lookup_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &[Table],
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Vec<Ciphertext>> {
        let circuit = self.tree()?;
        let mut start = 0;
        let mut ranges = Vec::with_capacity(inputs.len());
        for input in inputs {
            input.check(&self.parameters, None)?;
            let end = digits_of_modulus(&circuit.digits()[start..], input.modulus())?;
            ranges.push((input, start..start + end));
            start += end;
        }
        if start != circuit.digits().len() || tables.is_empty() {
            let rest = circuit.digits()[start..].iter().product::<u64>();
            return Err(Error::Mismatch {
                name: "product of the inputs' moduli",
                found: (self.parameters.literal().input_modulus / rest).to_string(),
                expected: self.parameters.literal().input_modulus.to_string(),
            });
        }
        for table in tables {
            self.check_table(table)?;
        }
        Ok(self.lookup_multiplexer(circuit, &ranges, tables, progress))
    }

    /// The circuit, if it is a multiplexer tree.
    fn tree(&self) -> Result<&MultiplexerCircuit> {
        match self.parameters.circuit() {
            Circuit::Multiplexer(circuit) => Ok(circuit),
            Circuit::Akp(_) => {
                let name = &self.parameters.literal().name;
                Err(Error::Unsupported(format!("{name}: parameters without digits")))
            }
        }
    }

    fn lookup_akp(
        &self,
        circuit: &AkpCircuit,
        input: &Ciphertext,
        tables: &[Table],
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Vec<Ciphertext> {
        let evaluator = Evaluator::new(&self.ring, &self.keys);
        let literal = self.parameters.literal();
        let step = Steps::new(progress, 4 + 2 * tables.len());
        let bits = literal.log2_ciphertext_modulus;
        let raised = mod_raise(&evaluator, input.body().to_pair(), bits, literal.limbs());
        step.done();
        let phases = circuit.phase_to_wave.phases(&evaluator, &self.coeffs_to_slots, raised);
        step.done();
        let waves = circuit.phase_to_wave.waves(&evaluator, phases);
        step.done();
        let interpolations: Vec<_> = tables.iter().map(Interpolation::new).collect();
        let outputs = circuit.look_up_many(&evaluator, waves, &interpolations);
        step.done();
        let finish = |outputs| {
            let result = circuit.finish(&evaluator, &self.slots_to_coeffs, outputs);
            step.done();
            let switch = |poly| switch_to_power_of_two(&self.ring, poly, bits);
            let pair = (switch(result.parts.c0), switch(result.parts.c1));
            step.done();
            self.result(input, literal.output_modulus, pair)
        };
        outputs.into_iter().map(finish).collect()
    }

    fn lookup_multiplexer(
        &self,
        circuit: &MultiplexerCircuit,
        inputs: &[(&Ciphertext, Range<usize>)],
        tables: &[Table],
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Vec<Ciphertext> {
        let literal = self.parameters.literal();
        let steps_per_table = circuit.table_steps() + 1;
        let digits = circuit.digits().len();
        let total = digits * STEPS_PER_DIGIT + 1 + tables.len() * steps_per_table;
        let step = Steps::new(progress, total);
        let decomposition = self.decomposition(circuit);
        let mut deltas = Vec::with_capacity(digits);
        for (input, digits) in inputs {
            let pair = input.body().to_pair();
            decomposition.decompose(pair, digits.clone(), &|| step.done(), |_, d| deltas.push(d));
        }
        let evaluator = &decomposition.evaluator;
        let selectors = circuit.selectors(evaluator, deltas);
        step.done();
        let look_up = |table: &Table| {
            let matrix = |rows| circuit.table_matrix(table, rows);
            let outputs = circuit.look_up(evaluator, &selectors, &matrix, &|| step.done());
            let pair = decomposition.to_coefficients(outputs);
            step.done();
            self.result(inputs[0].0, literal.output_modulus, pair)
        };
        tables.iter().map(look_up).collect()
    }

    pub(crate) fn decomposition<'a>(
        &'a self,
        circuit: &'a MultiplexerCircuit,
    ) -> FunctionalDigitDecomposition<'a> {
        FunctionalDigitDecomposition {
            circuit,
            evaluator: Evaluator::new(&self.ring, &self.keys),
            coeffs_to_slots: &self.coeffs_to_slots,
            slots_to_coeffs: &self.slots_to_coeffs,
            log2_modulus: self.parameters.literal().log2_ciphertext_modulus,
            limbs: self.parameters.literal().limbs(),
        }
    }

    /// Decomposes every value of `input` into digits and applies tables to them: functional digit
    /// decomposition. `tables[i]` are tables on digit i, and the results on digit i are `results[i]`; the
    /// digits themselves come from identity tables.
    ///
    /// # Errors
    /// If the parameters are not those of a multiplexer tree, the ciphertext is of other parameters, or a
    /// table's input modulus is not the size of its digit.
    pub fn decompose(
        &self,
        input: &Ciphertext,
        tables: &[Vec<Table>],
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Vec<Vec<Ciphertext>>> {
        let literal = self.parameters.literal();
        input.check(&self.parameters, Some(literal.input_modulus))?;
        let circuit = self.tree()?;
        check_digit_tables(circuit.digits(), tables)?;
        let count: usize = tables.iter().map(Vec::len).sum();
        let step = Steps::new(progress, circuit.digits().len() * STEPS_PER_DIGIT + count);
        let decomposition = self.decomposition(circuit);
        let mut results = Vec::with_capacity(tables.len());
        let (pair, digits) = (input.body().to_pair(), 0..circuit.digits().len());
        decomposition.decompose(pair, digits, &|| step.done(), |digit, deltas| {
            let look_up = |table: &Table| {
                let modulus = table.output_modulus();
                let values: Vec<f64> =
                    table.centered().iter().map(|&v| v as f64 / modulus as f64).collect();
                let outputs = circuit.digit_function(&decomposition.evaluator, &deltas, &values);
                let pair = decomposition.to_coefficients(outputs);
                step.done();
                self.result(input, modulus, pair)
            };
            results.push(tables[digit].iter().map(look_up).collect());
        });
        Ok(results)
    }

    /// A ciphertext of the client from words modulo its modulus.
    pub(crate) fn result(
        &self,
        input: &Ciphertext,
        modulus: u64,
        (b, a): (Vec<u64>, Vec<u64>),
    ) -> Ciphertext {
        let body = CoefficientCiphertext {
            log2_modulus: self.parameters.literal().log2_ciphertext_modulus,
            plaintext_modulus: modulus,
            layout: input.body().layout,
            b,
            a: UniformPart::Words(a),
        };
        Ciphertext::new(self.parameters.digest(), body)
    }

    fn check(&self, input: &Ciphertext, table: &Table) -> Result<()> {
        let literal = self.parameters.literal();
        input.check(&self.parameters, Some(literal.input_modulus))?;
        self.check_table(table)
    }

    fn check_table(&self, table: &Table) -> Result<()> {
        table.check_moduli(self.parameters.input_modulus(), self.parameters.output_modulus())
    }
}

/// Checks that there are tables for every digit, each of the digit's size.
fn check_digit_tables(digits: &[u64], tables: &[Vec<Table>]) -> Result<()> {
    if tables.len() != digits.len() {
        return Err(Error::Mismatch {
            name: "number of digits",
            found: tables.len().to_string(),
            expected: digits.len().to_string(),
        });
    }
    for (size, table) in
        digits.iter().zip(tables).flat_map(|(d, ts)| ts.iter().map(move |t| (d, t)))
    {
        if table.input_modulus() != *size {
            return Err(Error::Mismatch {
                name: "table's input modulus",
                found: table.input_modulus().to_string(),
                expected: size.to_string(),
            });
        }
    }
    Ok(())
}

/// How many of the next digits make a modulus.
fn digits_of_modulus(digits: &[u64], modulus: u64) -> Result<usize> {
    let mut product = 1;
    for (index, digit) in digits.iter().enumerate() {
        product *= digit;
        if product == modulus {
            return Ok(index + 1);
        }
    }
    Err(Error::Mismatch {
        name: "modulus of an input",
        found: modulus.to_string(),
        expected: format!("the product of the first of the digits {digits:?}"),
    })
}

/// Counts steps for a progress report.
pub(crate) struct Steps<'a> {
    progress: &'a (dyn Fn(usize, usize) + Sync),
    done: Cell<usize>,
    total: usize,
}

impl<'a> Steps<'a> {
    pub(crate) fn new(progress: &'a (dyn Fn(usize, usize) + Sync), total: usize) -> Self {
        progress(0, total);
        Self { progress, done: Cell::new(0), total }
    }

    pub(crate) fn done(&self) {
        self.done.set(self.done.get() + 1);
        (self.progress)(self.done.get(), self.total);
    }
}
