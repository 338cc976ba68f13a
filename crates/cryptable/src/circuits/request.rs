//! The job of running a binary circuit on encrypted words.

use cryptable_bits::{NamedSet, Packing, Parameters};
use cryptable_circuits::schedule::{InputSupply, PlanOptions};
use cryptable_circuits::{Candidates, Circuit, InputLevels};
use cryptable_lattice::FailureProbability;

use crate::{Error, Request, Result};

/// Runs a binary circuit on encrypted words.
#[derive(Clone, Debug)]
pub struct Circuits {
    forms: Vec<Circuit>,
    set: Option<NamedSet>,
    parallel: usize,
    supply: InputSupply,
}

impl Request<Circuits> {
    /// A request for a circuit, in one form or in several that compute the same, of which the fastest is taken.
    ///
    /// [`Request::values`] is the number of words; [`Request::log2_fail`] bounds the probability that any output of any word of a
    /// ciphertext is wrong.
    ///
    /// ```
    /// use cryptable::circuits::named::NamedCircuit;
    /// use cryptable::{Request, SecretKey};
    /// let plan = Request::circuit(&NamedCircuit::Add32.variants()).values(1000).memory(4 << 30).plan()?;
    /// let best = plan.best()?;
    /// println!("{}: {:.1} s on one thread", best.name, best.seconds(Some(1000)));
    /// # if false {
    /// let secret = SecretKey::generate(best);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there is no form.
    #[must_use]
    pub fn circuit(forms: &[Circuit]) -> Self {
        assert!(!forms.is_empty(), "a circuit has a form");
        let supply = InputSupply::default();
        Self::of(Circuits { forms: forms.to_vec(), set: None, parallel: 1, supply })
    }

    /// Asks for one parameter set. Default: all with names are compared.
    #[must_use]
    pub fn set(mut self, set: NamedSet) -> Self {
        self.job.set = Some(set);
        self
    }

    /// Sets how many operations run at once, each of them on all threads and with memory of its own. Default: 1.
    #[must_use]
    pub fn parallel(mut self, operations: usize) -> Self {
        self.job.parallel = operations.max(1);
        self
    }

    /// Sets when the bits of inputs are in memory. Default: all from the start.
    #[must_use]
    pub fn supply(mut self, supply: InputSupply) -> Self {
        self.job.supply = supply;
        self
    }

    /// Returns what schedules keep to, of inputs with these levels.
    #[must_use]
    pub fn schedule(&self, inputs: InputLevels) -> PlanOptions {
        PlanOptions {
            parallel: self.job.parallel,
            memory_limit: self.limits.memory,
            failure_limit: Some(
                self.limits
                    .log2_fail
                    .map_or(FailureProbability::DEFAULT, FailureProbability::from_log2),
            ),
            supply: self.job.supply,
            inputs,
            cost: self.limits.cost(),
        }
    }

    /// Plans the circuit on every parameter set in question, the fastest for the words first. [`Candidates::best`] says why, where
    /// none runs it.
    ///
    /// # Errors
    /// If the requested set is no valid one: never for sets that ship.
    pub fn plan(&self) -> Result<Candidates> {
        let named = |set: &NamedSet| Ok::<_, Error>((set.name(), set.parameters()?));
        let sets = match self.job.set {
            _ if self.limits.insecure_toy => {
                vec![("insecure toy", Parameters::insecure_toy(Packing::Real)?)]
            }
            Some(set) => vec![named(&set)?],
            None => NamedSet::ALL.iter().map(named).collect::<Result<_>>()?,
        };
        let options = self.schedule(InputLevels::Needed);
        Ok(Candidates::new(&self.job.forms, sets, self.limits.values, &options))
    }
}
