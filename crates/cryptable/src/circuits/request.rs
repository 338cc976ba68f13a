//! Requests for running a binary circuit on encrypted words.

use cryptable_bits::{NamedSet, Packing, Parameters};
use cryptable_circuits::schedule::{InputSupply, PlanOptions};
use cryptable_circuits::{Candidates, Circuit, InputLevels};
use cryptable_lattice::FailureProbability;

use crate::{Error, Request, Result};

/// The job of running a binary circuit on encrypted words.
#[derive(Clone, Debug)]
pub struct Circuits {
    forms: Vec<Circuit>,
    set: Option<NamedSet>,
    parallel: usize,
    supply: InputSupply,
}

impl Request<Circuits> {
    /// Creates a request for a circuit, given in one or several equivalent forms; the plan chooses the fastest.
    ///
    /// [`Request::values`] is the number of words. [`Request::log2_fail`] limits the probability that any output of any
    /// word of a ciphertext is wrong.
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
    /// If `forms` is empty.
    #[must_use]
    pub fn circuit(forms: &[Circuit]) -> Self {
        assert!(!forms.is_empty(), "a circuit has a form");
        let supply = InputSupply::default();
        Self::of(Circuits { forms: forms.to_vec(), set: None, parallel: 1, supply })
    }

    /// Restricts the plan to one parameter set. Default: all sets that can hold the number of words are compared.
    #[must_use]
    pub fn set(mut self, set: NamedSet) -> Self {
        self.job.set = Some(set);
        self
    }

    /// Sets the number of operations that run at once. Each of them uses all threads, and memory of its own. Default:
    /// 1.
    #[must_use]
    pub fn parallel(mut self, operations: usize) -> Self {
        self.job.parallel = operations.max(1);
        self
    }

    /// Sets when the input bits are in memory. Default: all from the start.
    #[must_use]
    pub fn supply(mut self, supply: InputSupply) -> Self {
        self.job.supply = supply;
        self
    }

    /// Returns the limits for schedules whose inputs have these levels.
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
            public_inputs: false,
            cost: self.limits.cost(),
        }
    }

    /// Plans the circuit for every parameter set in question, fastest first. If no set can run it, [`Candidates::best`]
    /// returns the reason.
    ///
    /// # Errors
    /// If a named set is invalid, which does not happen in practice.
    pub fn plan(&self) -> Result<Candidates> {
        let named = |set: NamedSet| Ok::<_, Error>((set.name(), set.parameters()?));
        let sets = match self.job.set {
            _ if self.limits.insecure_toy => {
                vec![("insecure toy", Parameters::insecure_toy(Packing::Real)?)]
            }
            Some(set) => vec![named(set)?],
            None => NamedSet::serving(self.limits.values).map(named).collect::<Result<_>>()?,
        };
        let options = self.schedule(InputLevels::Needed);
        Ok(Candidates::new(&self.job.forms, sets, self.limits.values, &options))
    }
}
