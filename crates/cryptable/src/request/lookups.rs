//! Requests for lookups in tables.

use super::Request;
use crate::engines::packed::{EntryKind, Owners};
use crate::{Engine, Table};

/// The job of looking up values in tables of given moduli.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookups {
    pub(crate) input_modulus: u64,
    pub(crate) output_modulus: u64,
    pub(crate) lookups: u64,
    pub(crate) bandwidth: Option<u64>,
    pub(crate) tables: usize,
    pub(crate) entries: EntryKind,
    pub(crate) complex_outputs: bool,
    pub(crate) owners: Owners,
    pub(crate) hidden_bits: Option<u32>,
    pub(crate) lookups_in_a_row: u32,
    pub(crate) word_length: usize,
    pub(crate) chain: u64,
    pub(crate) engine: Option<Engine>,
    pub(crate) inputs: Option<Engine>,
    pub(crate) method: Option<String>,
    pub(crate) ring_degree: Option<usize>,
    pub(crate) digit_bits: Option<u32>,
}

impl Request {
    /// Creates a request for tables with the moduli of `table`. Keys for it serve every table with these moduli.
    #[must_use]
    pub fn for_table(table: &Table) -> Self {
        Self::new(table.input_modulus(), table.output_modulus())
    }

    /// Creates a request for tables f that map 0 ≤ x < `input_modulus` to 0 ≤ f(x) < `output_modulus`.
    ///
    /// Unless [`Request::values`] is called, plans assume the capacity of a packed ciphertext, whatever
    /// [`Request::memory`] is. They assume one value if the goal is [`Goal::Latency`](crate::Goal::Latency), or if only
    /// engines for single values are requested or serve the tables. [`crate::Plan::values`] returns the number.
    #[must_use]
    pub fn new(input_modulus: u64, output_modulus: u64) -> Self {
        Self::of(Lookups {
            input_modulus,
            output_modulus,
            lookups: 1,
            bandwidth: None,
            tables: 1,
            entries: EntryKind::Shared,
            complex_outputs: false,
            owners: Owners::ONE,
            hidden_bits: None,
            lookups_in_a_row: 1,
            word_length: 0,
            chain: 0,
            engine: None,
            inputs: None,
            method: None,
            ring_degree: None,
            digit_bits: None,
        })
    }

    /// Sets the number of lookups, of [`Request::values`] values each, for which a key is generated and read once.
    /// Default: one.
    ///
    /// The packed engine has the fastest lookups of many values but the largest keys. For some tens of values, the best
    /// engine therefore depends on how often a key is used.
    ///
    /// ```
    /// use cryptable::{CostModel, Engine, Request};
    /// let request = Request::new(256, 256).values(10).cost_model(CostModel::of_unit(60e-6)).threads(1);
    /// let best = |request: &Request| request.plan().map(|plan| plan.best().parameters().engine());
    /// assert_eq!(best(&request)?, Engine::Leveled);
    /// assert_eq!(best(&request.lookups(1_000))?, Engine::Packed);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn lookups(mut self, lookups: u64) -> Self {
        self.job.lookups = lookups;
        self
    }

    /// Sets the bytes per second at which the evaluation key is sent to the server, once for all lookups. Plans then
    /// include that time ([`Candidate::transfer_duration`](crate::Candidate::transfer_duration)). Default: sending
    /// takes no time.
    ///
    /// ```
    /// use cryptable::{CostModel, Engine, Request};
    /// let request = Request::new(256, 256).values(1_024).cost_model(CostModel::of_unit(60e-6)).threads(2);
    /// let best = |request: &Request| request.plan().map(|plan| plan.best().parameters().engine());
    /// assert_eq!(best(&request)?, Engine::Packed);
    /// // Half a gigabyte takes minutes at two megabytes per second.
    /// assert_eq!(best(&request.bandwidth(2_000_000))?, Engine::Leveled);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn bandwidth(mut self, bytes_per_second: u64) -> Self {
        self.job.bandwidth = Some(bytes_per_second);
        self
    }

    /// Sets the number of tables in which every value is looked up at once. Default: one.
    #[must_use]
    pub fn tables(mut self, tables: usize) -> Self {
        self.job.tables = tables;
        self
    }

    /// Sets the kind of a table's entries: one table that all values share (the default), one table per value, or
    /// encrypted tables, which the server cannot read.
    ///
    /// The latter two exist for packed values only: [`crate::EvaluationKey::lookup_per_value`] and
    /// [`crate::EvaluationKey::lookup_encrypted`]. Keys for either of them serve both, and shared tables as well.
    ///
    /// ```
    /// use cryptable::{Request, engines::packed::EntryKind};
    /// let plan = Request::new(256, 256).entries(EntryKind::Encrypted).plan()?;
    /// let parameters = plan.best().parameters().packed()?;
    /// assert!(parameters.security_bits() >= 128.0);
    /// assert!(parameters.method_name().starts_with("CMT"));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn entries(mut self, entries: EntryKind) -> Self {
        self.job.entries = entries;
        self
    }

    /// Asks for tables with complex outputs ([`crate::engines::packed::ComplexTable`]). Default: real outputs, which
    /// are integers or, with [`RealTable`](crate::engines::packed::RealTable), in fixed point.
    ///
    /// They are looked up with half the usual number of values per ciphertext, by AKP or, above 12 bits, by multiplexer
    /// trees: [`lookup_complex`](crate::engines::packed::EvaluationKey::lookup_complex) of
    /// [`crate::EvaluationKey::packed`]. The output modulus is that of both the real and the imaginary part.
    ///
    /// ```
    /// use cryptable::{Request, engines::packed::RealTable};
    /// let steps = RealTable::modulus_for(1e-2)?;
    /// let plan = Request::new(16, steps).complex_outputs().plan()?;
    /// let parameters = plan.best().parameters();
    /// assert_eq!((parameters.method_name().as_str(), parameters.values_per_ciphertext()), ("AKP", 32_768));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn complex_outputs(mut self) -> Self {
        self.job.complex_outputs = true;
        self
    }

    /// Sets the number of owners of the key, each of whom has a part of the secret ([`crate::owners`]), for packed
    /// lookups. Default: one owner, who has a whole [`SecretKey`](crate::SecretKey).
    ///
    /// ```
    /// use cryptable::{Request, owners::Owners};
    /// let plan = Request::new(256, 256).owners(Owners::new(3).unwrap()).plan()?;
    /// assert_eq!(plan.best().parameters().packed()?.literal().owners.count(), 3);
    /// assert!(plan.best().parameters().security_bits() >= 128.0);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn owners(mut self, owners: Owners) -> Self {
        self.job.owners = owners;
        self
    }

    /// Asks for lookups whose results hide the table from the holder of the secret key, who learns f(x) for each value
    /// x and nothing else about the table, up to a statistical distance of 2^-`bits` per lookup. Usual values are 40
    /// and 64; 20 to 128 are allowed. Default: tables are not hidden, and the noise of a result reveals something about
    /// the whole table.
    ///
    /// Packed values of up to 10 bits support this. Their keys serve lookups of any table with these moduli in fresh
    /// values, or in sums of a few, but results cannot be looked up again. Single values whose input modulus is a power
    /// of two support it, too, and their results can be looked up again; `bits` is then rounded up to 40, 64 or 128.
    /// The page "Hidden tables" of the book states the assumptions.
    ///
    /// ```
    /// use cryptable::Request;
    /// let plan = Request::new(256, 256).hide_table(40).plan()?;
    /// let parameters = plan.best().parameters();
    /// assert_eq!(parameters.packed()?.hidden_bits(), Some(40));
    /// assert!(parameters.security_bits() >= 128.0);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn hide_table(mut self, bits: u32) -> Self {
        self.job.hidden_bits = Some(bits);
        self
    }

    /// Sets the length of a chain of lookups, each on the result of the one before. Default: one.
    ///
    /// Parameters whose results would be too noisy to be inputs are dropped, and others with less noise are found.
    /// Plans say how long chains may be.
    ///
    /// ```
    /// use cryptable::{Engine, Request};
    /// let request = Request::new(256, 256).engine(Engine::Packed).method("akp");
    /// // An interpolation of higher order leaves less of the noise of its input.
    /// assert_eq!(request.clone().plan()?.best().parameters().method_name(), "AKP");
    /// assert_eq!(request.lookups_in_a_row(10).plan()?.best().parameters().method_name(), "AKP-3");
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn lookups_in_a_row(mut self, lookups: u32) -> Self {
        self.job.lookups_in_a_row = lookups;
        self
    }

    /// Asks for parameters of engine `leveled` with which automata read words of at most this number of values, which
    /// are symbols below the input modulus ([`crate::EvaluationKey::run_automaton`]). The plan predicts the times of
    /// lookups. Default: no words.
    ///
    /// ```
    /// use cryptable::Request;
    /// let plan = Request::new(256, 1024).word_length(1_000).plan()?;
    /// assert!(plan.best().parameters().leveled()?.longest_word(256) >= 1_000);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn word_length(mut self, values: usize) -> Self {
        self.job.word_length = values;
        self
    }

    /// Asks for parameters of engine `leveled` for chains of this number of CMUXes, each controlled by an encrypted bit
    /// ([`register`](crate::engines::leveled::EvaluationKey::register)). Default: no chains.
    ///
    /// ```
    /// use cryptable::Request;
    /// let plan = Request::new(2, 1024).chain(10_000).plan()?;
    /// assert!(plan.best().parameters().leveled()?.chain_log2_fail(10_000, 1) <= -64.0);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn chain(mut self, cmuxes: u64) -> Self {
        self.job.chain = cmuxes;
        self
    }

    /// Restricts the plan to one engine. Default: all engines.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.job.engine = Some(engine);
        self
    }

    /// Sets the engine with which the client encrypts. Default: the engine that looks up the values.
    ///
    /// A server can look up values of [`Engine::Single`] one by one, or pack many of them, look them up at once, and
    /// unpack the results ([`crate::EvaluationKey::pack`]). Plans compare both ways, and state the number of values
    /// from which packing is faster ([`crate::Plan::crossing`]). Values of the other engines are looked up by the
    /// engine that encrypted them.
    ///
    /// ```no_run
    /// use cryptable::{Engine, Parameters, Request};
    /// let plan = Request::new(16, 16).inputs(Engine::Single).values(10_000).plan()?;
    /// assert!(matches!(plan.best().parameters(), Parameters::Bridged(_)));
    /// let crossing = plan.crossing().expect("packing pays before a ciphertext is full");
    /// let plan = Request::new(16, 16).inputs(Engine::Single).values(crossing / 2).plan()?;
    /// assert!(matches!(plan.best().parameters(), Parameters::Single(_)));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn inputs(mut self, engine: Engine) -> Self {
        self.job.inputs = Some(engine);
        self
    }

    /// Restricts the plan to one method, by the name that plans show, in upper or lower case: `FDFB-KS`, `CMT 16^2`, or
    /// `cmt` for digits of any size, `two-bit-depth-11` for a set of the leveled engine.
    ///
    /// ```
    /// use cryptable::{Engine, Request};
    /// let method = |name: &str| Request::new(256, 256).engine(Engine::Leveled).method(name).plan();
    /// let best = method("two-bit-depth-11")?.best().parameters().clone();
    /// assert_eq!(method(&best.method_name())?.best().parameters(), &best);
    /// assert!(method("none").is_err());
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.job.method = Some(method.into());
        self
    }

    /// Restricts the plan to one ring degree, a power of two. Only packed values have a choice. Default: all that are
    /// secure.
    #[must_use]
    pub fn ring_degree(mut self, ring_degree: usize) -> Self {
        self.job.ring_degree = Some(ring_degree);
        self
    }

    /// Restricts the plan to multiplexer trees over digits of at most `digit_bits` bits, 1 to 8. Default: all sizes are
    /// compared.
    ///
    /// Only packed values have such trees. Inputs are split into as few digits as possible, of nearly equal size.
    #[must_use]
    pub fn digit_bits(mut self, digit_bits: u32) -> Self {
        self.job.digit_bits = Some(digit_bits);
        self
    }
}
