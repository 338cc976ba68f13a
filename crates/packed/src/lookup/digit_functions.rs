//! Digits of packed values, and functions of them, as ciphertexts of the client: functional digit decomposition.

use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{NoiseBound, Progress, Table};

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::multiplexer::circuit::MultiplexerCircuit;
use crate::multiplexer::functional_digit_decomposition::STEPS_PER_DIGIT;

impl EvaluationKey {
    /// Decomposes every value of `input` into digits and applies tables to them: functional digit
    /// decomposition. `tables[i]` are tables on digit i, and the results on digit i are `results[i]`; the
    /// digits themselves come from identity tables.
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
    /// # Errors
    /// If the parameters are not those of a multiplexer tree, the ciphertext is of another client or other
    /// parameters, or a table's input modulus is not the size of its digit; [`Error::NoiseTooLarge`] if a result would
    /// decrypt wrong with more than the stated probability; [`Error::Cancelled`].
    pub fn decompose(
        &self,
        input: &Ciphertext,
        tables: &[Vec<Table>],
        progress: Progress<'_>,
    ) -> Result<Vec<Vec<Ciphertext>>> {
        let parameters = self.parameters();
        input.check(parameters, self.key_id(), Some(parameters.input_modulus()))?;
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
                let outputs = circuit.digit_function(&decomposition.evaluator, &deltas, &values);
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

    /// The noise of functions of every digit of an input, which must decrypt modulo what their tables give.
    ///
    /// An error of a digit's phase leaves no more in a function of the digit than in a table of all digits.
    fn digit_noise(
        &self,
        circuit: &MultiplexerCircuit,
        input: &Ciphertext,
        tables: &[Vec<Table>],
    ) -> Result<Vec<Vec<NoiseBound>>> {
        let literal = self.parameters().literal();
        let bias = self.result_noise(input)?.bias();
        let of_digit = |(digit, tables): (usize, &Vec<Table>)| {
            let prediction = circuit.predict_digit_function(digit);
            let shared = prediction.noise.0 / literal.slots as f64;
            let deviation = (shared + literal.output_rounding()).sqrt();
            let of_table = |table: &Table| {
                let rounding = prediction.rounding(&centered_fractions(table));
                let noise = NoiseBound::new(deviation, bias + rounding);
                let (name, modulus) = ("a function of a digit", table.output_modulus());
                noise.check_decryption(name, modulus, literal.log2_fail)?;
                Ok(noise)
            };
            tables.iter().map(of_table).collect()
        };
        tables.iter().enumerate().map(of_digit).collect()
    }
}

/// The outputs of a table as fractions of its output modulus within [-1/2, 1/2).
fn centered_fractions(table: &Table) -> Vec<f64> {
    let modulus = table.output_modulus() as f64;
    table.centered().iter().map(|&value| value as f64 / modulus).collect()
}

/// Checks that there are tables for every digit, each of the digit's size.
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
