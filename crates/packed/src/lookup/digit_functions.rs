//! Digits of packed values, and functions of them, as ciphertexts of the client: functional digit decomposition.

use cryptable_ckks::dry_run::Counts;
use cryptable_lattice::cost::Prediction;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{NoiseBound, NoiseLaw, Progress, Table};

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::digit_lookup::DigitFunction;
use crate::lookup::prepared_table::check_digit_table;
use crate::lookup::table_lookup::STEPS_AFTER_TABLE;
use crate::multi_precision::circuit::{MultiPrecisionCircuit, check_cleared};
use crate::multiplexer::circuit::MultiplexerCircuit;
use crate::multiplexer::functional_digit_decomposition::STEPS_PER_DIGIT;
use crate::parameters::circuit::Circuit;
use crate::parameters::parameter_set::Parameters;

impl Parameters {
    /// Predicts work, memory and sizes of decomposing one full ciphertext into the parameters' digits, with `tables`
    /// tables of each digit: [`EvaluationKey::decompose`].
    ///
    /// ```
    /// use cryptable_packed::{MultiplexerLiteral, Parameters};
    /// let tree = MultiplexerLiteral { digits: vec![4, 4], selectors: vec![1, 1], ..Default::default() };
    /// let parameters = Parameters::insecure_toy_tree(16, 1024, 1024, tree, 0)?;
    /// let work = |tables| parameters.decomposition_prediction(tables).map(|it| it.work.transforms);
    /// assert!(work(2)? > work(1)? && work(1)? > work(0)?);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the parameters process inputs as a whole.
    pub fn decomposition_prediction(&self, tables: usize) -> Result<Prediction> {
        let literal = self.literal();
        let (circuit, tree) = match (self.circuit(), &literal.multiplexer) {
            (Circuit::Multiplexer(circuit), Some(tree)) => (circuit, tree),
            (Circuit::MultiPrecision(circuit), _) => {
                let (cleared, results) = (literal.digits.len() - 1, tables * literal.digits.len());
                let counts = circuit.predict_digit_tables(cleared, tables);
                return Ok(self.clearing_prediction(counts, 1 + tables, results));
            }
            _ => {
                let name = &literal.name;
                return Err(Error::Unsupported(format!("digits: {name} takes no digits")));
            }
        };
        let dry_run = circuit.dry_run();
        let matrices = circuit.slots_to_coeffs.plans();
        let deltas = circuit.predict_deltas(&dry_run).deltas;
        let all = 0..deltas.len();
        for (digit, deltas) in deltas.iter().enumerate() {
            if digit + 1 < all.end {
                let value = circuit.digit_value(&dry_run, deltas, digit, &all);
                circuit.finish(&dry_run, &matrices, value);
            }
            let values = vec![0.5; circuit.digits()[digit] as usize];
            for _ in 0..tables {
                let outputs = circuit.digit_function(&dry_run, deltas, &values);
                circuit.finish(&dry_run, &matrices, outputs);
            }
        }
        let work = dry_run.counts().work(literal.ring_degree);
        let results = tables * tree.digits.len();
        let [working_bytes, second_thread_bytes] = self.decomposition_bytes(tree, results);
        Ok(Prediction { work, working_bytes, second_thread_bytes, ..self.prediction() })
    }

    /// Predicts work, memory and sizes of dropping the `count` lowest digits of one full ciphertext:
    /// [`EvaluationKey::floor`].
    ///
    /// ```
    /// use cryptable_packed::Parameters;
    /// let parameters = Parameters::insecure_toy_digits(&[4, 8, 8], 8)?;
    /// let transforms = |count| parameters.floor_prediction(count).map(|it| it.work.transforms);
    /// assert!(transforms(2)? > 1.9 * transforms(1)?);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the parameters do not process inputs digit by digit; if `count` is 0, or not less than the number of digits.
    pub fn floor_prediction(&self, count: usize) -> Result<Prediction> {
        let Circuit::MultiPrecision(circuit) = self.circuit() else {
            let name = &self.literal().name;
            return Err(Error::Unsupported(format!("floors: {name} takes no digits")));
        };
        check_cleared(count, circuit.digits().len() - 1)?;
        Ok(self.clearing_prediction(circuit.predict_digit_tables(count, 0), 1, 0))
    }

    /// Predicts clearing digits with these counts, `tables` tables of a digit at once, and `results` results.
    fn clearing_prediction(&self, counts: Counts, tables: usize, results: usize) -> Prediction {
        let degree = self.literal().ring_degree;
        let results = 2 * results * degree * size_of::<u64>();
        let working_bytes = self.working_bytes(tables) + results;
        Prediction { work: counts.work(degree), working_bytes, ..self.prediction() }
    }
}

impl EvaluationKey {
    /// Decomposes every value of `input` into digits and applies tables to them: functional digit decomposition.
    /// `tables[i]` are tables on digit i, and `results[i]` are their results; identity tables return the digits
    /// themselves.
    ///
    /// ```
    /// use cryptable_packed::{MultiplexerLiteral, Parameters, Progress, SecretKey, Table};
    /// let digits = vec![4, 8];
    /// let tree = MultiplexerLiteral { digits, selectors: vec![1, 1], ..Default::default() };
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_tree(32, 1024, 1024, tree, 0)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let identity = |p| Table::from_fn(p, p, |digit| digit);
    /// let tables = [vec![identity(4)?], vec![identity(8)?]];
    /// let digits = key.decompose(&secret.encrypt(&[7, 30])?, &tables, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&digits[0][0])?, [3, 2]);
    /// assert_eq!(secret.decrypt(&digits[1][0])?, [1, 7]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// With parameters that process inputs digit by digit ([`Parameters::for_digits`](crate::Parameters::for_digits)),
    /// tables of a digit are evaluated in the pass that clears it, on the same powers; the last digit needs a pass if
    /// it has tables. Inputs may be results of [`EvaluationKey::floor`], with tables for the remaining digits.
    ///
    /// # Errors
    /// If the parameters have no digits, the ciphertext has other parameters or belongs to another client, or a table's
    /// input modulus is not the size of its digit; [`Error::NoiseTooLarge`] if a result would decrypt wrong with more
    /// than the stated probability; [`Error::Cancelled`].
    pub fn decompose(
        &self,
        input: &Ciphertext,
        tables: &[Vec<Table>],
        progress: Progress<'_>,
    ) -> Result<Vec<Vec<Ciphertext>>> {
        let parameters = self.parameters();
        if let Circuit::MultiPrecision(circuit) = parameters.circuit() {
            return self.decompose_by_clearing(circuit, input, tables, progress);
        }
        input.check(parameters, self.binding(), Some(parameters.input_modulus()))?;
        let circuit = self.tree()?;
        check_digit_tables(circuit.digits(), tables)?;
        let noise = self.digit_noise(circuit, input, tables)?;
        let count: usize = tables.iter().map(Vec::len).sum();
        let step = progress.steps(circuit.digits().len() * STEPS_PER_DIGIT + count)?;
        let decomposition = self.decomposition(circuit);
        let mut results = Vec::with_capacity(tables.len());
        let (body, digits) = (input.body(), 0..circuit.digits().len());
        decomposition.decompose(body, digits, &|| step.done(), |digit, deltas| {
            let look_up = |table: &Table| {
                let values = centered_fractions(table);
                let outputs = circuit.digit_function(&self.evaluator(), &deltas, &values);
                let body = decomposition.to_coefficients(outputs, body, table.output_modulus());
                step.done()?;
                Ok(body)
            };
            let bodies = tables[digit].iter().map(look_up).collect::<Result<Vec<_>>>()?;
            let bodies = bodies.into_iter().zip(&noise[digit]);
            results.push(bodies.map(|(body, &noise)| self.result(body, noise)).collect());
            Ok(())
        })?;
        Ok(results)
    }

    /// The noise of functions of every digit of an input, checked to decrypt modulo the output modulus of each table.
    ///
    /// An error of a digit's phase changes a function of the digit by no more than a table of all digits.
    fn digit_noise(
        &self,
        circuit: &MultiplexerCircuit,
        input: &Ciphertext,
        tables: &[Vec<Table>],
    ) -> Result<Vec<Vec<NoiseBound>>> {
        let literal = self.parameters().literal();
        let bias = self.result_noise(input, u64::MAX)?.bias();
        let of_digit = |(digit, tables): (usize, &Vec<Table>)| {
            let prediction = circuit.predict_digit_function(digit);
            let shared = literal.coefficient_bound(prediction.noise, literal.output_slots());
            let rounded = NoiseLaw::gaussian(literal.output_rounding());
            let law = shared.law().with_independent(rounded);
            let of_table = |table: &Table| {
                let rounding = prediction.rounding(&centered_fractions(table));
                let noise = NoiseBound::of_law(law, bias + shared.bias() + rounding);
                let (name, modulus) = ("a function of a digit", table.output_modulus());
                noise.check_decryption(name, modulus, literal.log2_fail)?;
                Ok(noise)
            };
            tables.iter().map(of_table).collect()
        };
        tables.iter().enumerate().map(of_digit).collect()
    }

    /// Decomposes values into digits by AKP: Algorithm 6 with tables.
    fn decompose_by_clearing(
        &self,
        circuit: &MultiPrecisionCircuit,
        input: &Ciphertext,
        tables: &[Vec<Table>],
        progress: Progress<'_>,
    ) -> Result<Vec<Vec<Ciphertext>>> {
        let all = self.digits_of(circuit, input)?;
        check_digit_tables(&circuit.digits()[all.clone()], tables)?;
        let functions = |tables: &Vec<Table>| {
            let function = |table: &Table| {
                check_digit_table(circuit, table)?;
                Ok((circuit.digit_table(table), table.output_modulus()))
            };
            tables.iter().map(function).collect()
        };
        let functions = tables.iter().map(functions).collect::<Result<Vec<_>>>()?;
        self.functions_of_digits(circuit, input, functions, progress)
    }

    /// Evaluates functions of every digit of an input, in one pass.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::decompose`].
    pub(crate) fn functions_of_digits(
        &self,
        circuit: &MultiPrecisionCircuit,
        input: &Ciphertext,
        functions: Vec<Vec<DigitFunction>>,
        progress: Progress<'_>,
    ) -> Result<Vec<Vec<Ciphertext>>> {
        let all = self.digits_of(circuit, input)?;
        let of_digits = self.parameters().noise_of_digits(input.noise(), all.clone());
        let noise = of_digits.iter().zip(&functions);
        let noise = noise.map(|(&noise, of)| self.noise_of_functions(circuit, noise, of));
        let noise = noise.collect::<Result<Vec<NoiseBound>>>()?;
        let last = functions.len() - 1;
        let count: usize = functions[..last].iter().map(Vec::len).sum();
        let cleared = all.start..all.end - 1;
        let evaluator = self.clearing_evaluator(circuit);
        let tables = |of: &Vec<DigitFunction>| of.iter().map(|(table, _)| table.clone()).collect();
        let tables: Vec<Vec<_>> = functions[..last].iter().map(tables).collect();
        let for_last = match functions[last].as_slice() {
            [] => 0,
            functions => Self::function_steps(circuit, functions),
        };
        let steps = evaluator.steps(cleared.clone(), &tables) + STEPS_AFTER_TABLE * count;
        let step = progress.steps(steps + for_last)?;
        let (done, body) = (|| step.done(), input.body());
        let mut results: Vec<Vec<Ciphertext>> = Vec::with_capacity(functions.len());
        let rest = evaluator.clear(body, cleared, &tables, &done, |_, outputs| {
            let index = results.len();
            let finish = |(output, (_, modulus)): (_, &DigitFunction)| {
                let body = self.finish_akp(&circuit.akp, output, *modulus, body.layout, &done)?;
                Ok(self.result(body, noise[index]))
            };
            results.push(
                outputs.into_iter().zip(&functions[index]).map(finish).collect::<Result<_>>()?,
            );
            Ok(())
        })?;
        results.push(match functions[last].as_slice() {
            [] => Vec::new(),
            functions => {
                let digit = self.result(evaluator.digit(&rest, all.end - 1), of_digits[last]);
                self.digit_functions(circuit, &digit, functions, &done)?
            }
        });
        Ok(results)
    }
}

/// The outputs of a table as fractions of its output modulus within [-1/2, 1/2).
fn centered_fractions(table: &Table) -> Vec<f64> {
    let modulus = table.output_modulus() as f64;
    table.centered().iter().map(|&value| value as f64 / modulus).collect()
}

/// Checks that there is a list of tables for every digit, and that each table has the digit's size as its input
/// modulus.
fn check_digit_tables(digits: &[u64], tables: &[Vec<Table>]) -> Result<()> {
    if tables.len() != digits.len() {
        let (found, expected) = (tables.len().to_string(), digits.len().to_string());
        return Err(Error::Mismatch { name: "number of digits", found, expected });
    }
    for (size, tables) in digits.iter().zip(tables) {
        for table in tables {
            table.check_moduli(*size, table.output_modulus())?;
        }
    }
    Ok(())
}
