//! Evaluation of circuits in the clear on many words, 64 at a time.

use rayon::prelude::*;

use crate::circuit::{Circuit, InputMismatch};

/// Number of words in one evaluation.
const LANES: usize = 64;

impl Circuit {
    /// Evaluates on many words. Each of them has a value for every word of inputs.
    ///
    /// ```
    /// use cryptable_circuits::named::NamedCircuit;
    /// let sums = NamedCircuit::Add32.build().evaluate_many(&[vec![1, 2], vec![3, 4]])?;
    /// assert_eq!(sums, [[3], [7]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Circuit::evaluate_words`].
    pub fn evaluate_many(&self, words: &[Vec<u128>]) -> Result<Vec<Vec<u128>>, InputMismatch> {
        let batches = words.par_chunks(LANES).map(|batch| self.evaluate_batch(batch));
        Ok(batches.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn evaluate_batch(&self, words: &[Vec<u128>]) -> Result<Vec<Vec<u128>>, InputMismatch> {
        words.iter().try_for_each(|word| self.check_words(word))?;
        let mut lanes = Vec::with_capacity(self.input_bits());
        for (k, input) in self.inputs.iter().enumerate() {
            lanes.extend((0..input.width).map(|bit| {
                let of_word =
                    |(lane, word): (usize, &Vec<u128>)| u64::from(word[k] >> bit & 1 == 1) << lane;
                words.iter().enumerate().map(of_word).sum::<u64>()
            }));
        }
        let outputs = self.evaluate_lanes(&lanes)?;
        let result = |lane: usize| {
            let mut rest = outputs.iter();
            let word = |width: usize| {
                let bits = rest.by_ref().take(width).enumerate();
                bits.fold(0, |sum, (bit, lanes)| sum | u128::from(lanes >> lane & 1) << bit)
            };
            self.outputs.iter().map(|word| word.signals.len()).map(word).collect()
        };
        Ok((0..words.len()).map(result).collect())
    }
}
