//! Automata on encrypted words, by the engine `leveled`.

use cryptable_lattice::error::check_signs;

use crate::ciphertext::Part;
use crate::engine::other_engine;
use crate::engines::leveled;
use crate::{Ciphertext, Engine, EvaluationKey, Execution, Result, Table};

impl EvaluationKey {
    /// Runs an automaton on encrypted words: counts patterns in texts, compares numbers of any length, checks formats.
    ///
    /// Values are the symbols of the words, one after the other, `word_length` values per word. The result has a value for
    /// each word: the entry of `outputs` at the word's weight. [`Request::word_length`](crate::Request::word_length)
    /// finds parameters. Registers, which encrypted bits increment and choose, are methods of
    /// [`leveled`](EvaluationKey::leveled).
    ///
    /// ```
    /// use cryptable::engines::leveled::Automaton;
    /// use cryptable::{Engine, Execution, Request, SecretKey, Table};
    /// let plan = Request::new(256, 16).word_length(7).insecure_toy().plan()?; // without `insecure_toy`: 128 bits
    /// let secret = SecretKey::generate(plan.best());
    /// let bytes = |text: &str| text.bytes().map(u64::from).collect::<Vec<_>>();
    /// let texts = secret.encrypt(&bytes("bananaspapayas"))?;
    /// let automaton = Automaton::occurrences(&bytes("ana"), 256)?;
    /// let counts = Table::from_fn(8, 16, |count| count)?;
    /// let server = secret.evaluation_key();
    /// let found = server.run_automaton(&automaton, &texts, 7, &counts, Execution::default())?;
    /// assert_eq!(secret.decrypt(&found)?, [2, 0]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OtherKind`](crate::Error::OtherKind) if key or values are of another engine;
    /// [`Error::Signs`](crate::Error::Signs) if values are signed; the errors of
    /// [`leveled::EvaluationKey::run`](crate::engines::leveled::EvaluationKey::run).
    pub fn run_automaton(
        &self,
        automaton: &leveled::Automaton,
        values: &Ciphertext,
        word_length: usize,
        outputs: &Table,
        execution: Execution<'_>,
    ) -> Result<Ciphertext> {
        let key = self.leveled()?;
        check_signs("symbols", values.is_signed(), false, "those of the automaton")?;
        let of_engine = |part: &'_ Part| match part {
            Part::Leveled(part) => Ok(part.clone()),
            other => Err(other_engine("ciphertext", Engine::Leveled, other.engine())),
        };
        let parts = values.parts().iter().map(of_engine).collect::<Result<Vec<_>>>()?;
        let parts: Vec<&leveled::Ciphertext> = parts.iter().collect();
        let found =
            execution.run(|progress| key.run(automaton, &parts, word_length, outputs, progress))?;
        Ok(Ciphertext::from(found).with_signed(outputs.signed_outputs()))
    }
}
