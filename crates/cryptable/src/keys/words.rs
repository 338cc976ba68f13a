//! Automata on encrypted words, and selectors of registers, for the engine `leveled`.

use cryptable_lattice::error::check_signs;

use crate::ciphertext::Part;
use crate::engine::other_engine;
use crate::engines::leveled;
use crate::{Ciphertext, Engine, EvaluationKey, Execution, Result, Table};

impl EvaluationKey {
    /// Runs an automaton on encrypted words: counts patterns in texts, compares numbers of any length, checks formats.
    ///
    /// Values are the symbols of the words, one after the other, `word_length` values per word. The result has one
    /// value per word: the entry of `outputs` at the word's weight.
    /// [`Request::word_length`](crate::Request::word_length) finds parameters. For registers, which encrypted bits
    /// increment and choose, see [`selectors`](EvaluationKey::selectors).
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
    /// [`Error::OtherKind`](crate::Error::OtherKind) if key or values belong to another engine;
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
        let parts = leveled_parts(values)?;
        let found =
            execution.run(|progress| key.run(automaton, &parts, word_length, outputs, progress))?;
        Ok(Ciphertext::from(found).with_signed(outputs.signed_outputs()))
    }

    /// Converts every bit of encrypted values to an RGSW ciphertext by circuit bootstrapping, the lowest bit of each
    /// value first. These ciphertexts select in registers ([`EvaluationKey::leveled`]), in chains of thousands of
    /// CMUXes, which [`Request::chain`](crate::Request::chain) plans.
    ///
    /// ```
    /// use cryptable::{Ciphertext, Engine, Execution, Parameters, Progress, SecretKey, Table};
    /// // In production, use parameters of `Request::new(2, 8).chain(10_000)`.
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Leveled, 2, 8)?);
    /// let server = secret.evaluation_key();
    /// let votes = server.selectors(&secret.encrypt(&[1, 0, 1, 1])?, Execution::default())?;
    /// let key = server.leveled()?;
    /// let mut register = key.register(&Table::from_fn(8, 8, |sum| sum)?)?;
    /// let weights = [(0, 3), (1, 2), (2, 1), (3, 1)];
    /// key.add_all(&mut register, &votes, &weights, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&Ciphertext::from(key.read(&register)?))?, [3 + 1 + 1]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OtherKind`](crate::Error::OtherKind) if key or values belong to another engine; the errors of
    /// [`leveled::EvaluationKey::selectors`](crate::engines::leveled::EvaluationKey::selectors).
    pub fn selectors(
        &self,
        values: &Ciphertext,
        execution: Execution<'_>,
    ) -> Result<leveled::Selectors> {
        let (key, parts) = (self.leveled()?, leveled_parts(values)?);
        execution.run(|progress| key.selectors(&parts, progress))
    }
}

/// Returns the parts of leveled values.
fn leveled_parts(values: &Ciphertext) -> Result<Vec<&leveled::Ciphertext>> {
    values.parts().iter().map(of_leveled).collect()
}

fn of_leveled(part: &Part) -> Result<&leveled::Ciphertext> {
    match part {
        Part::Leveled(part) => Ok(part),
        other => Err(other_engine("ciphertext", Engine::Leveled, other.engine())),
    }
}
