//! Requests: the table, the data and the limits that a plan follows from.

use cryptable_lattice::cost::CostModel;

use crate::engines::packed::EntryKind;
use crate::{Engine, Table};

/// What a plan is to be best at: its candidates are sorted by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// The least time for all values.
    #[default]
    Throughput,
    /// The least time until the first value is there.
    Latency,
}

/// A table's moduli, the number of values, and limits: everything that a plan follows from.
///
/// ```
/// use cryptable::{Engine, Goal, Request, Table};
/// let table = Table::from_fn(16, 16, |x| x * x % 16)?;
/// let plan = Request::for_table(&table).values(1).goal(Goal::Latency).engine(Engine::Single).plan()?;
/// let parameters = plan.best().parameters();
/// assert!(parameters.failure_probability().log2() <= -64.0);
/// assert!(parameters.security_bits() >= 128.0);
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub(crate) input_modulus: u64,
    pub(crate) output_modulus: u64,
    pub(crate) values: Option<u64>,
    pub(crate) tables: usize,
    pub(crate) entries: EntryKind,
    pub(crate) complex_outputs: bool,
    pub(crate) lookups_in_a_row: u32,
    pub(crate) memory: Option<usize>,
    pub(crate) log2_fail: Option<f64>,
    pub(crate) threads: Option<usize>,
    pub(crate) goal: Goal,
    pub(crate) engine: Option<Engine>,
    pub(crate) inputs: Option<Engine>,
    pub(crate) method: Option<String>,
    pub(crate) ring_degree: Option<usize>,
    pub(crate) digit_bits: Option<u32>,
    pub(crate) cost: Option<CostModel>,
}

impl Request {
    /// A request for tables with the moduli of this one. Keys made for it serve every table with these moduli.
    #[must_use]
    pub fn for_table(table: &Table) -> Self {
        Self::new(table.input_modulus(), table.output_modulus())
    }

    /// A request for tables f from 0 ≤ x < `input_modulus` to 0 ≤ f(x) < `output_modulus`. Limits and choices are left out:
    /// the calls below set them.
    #[must_use]
    pub fn new(input_modulus: u64, output_modulus: u64) -> Self {
        Self {
            input_modulus,
            output_modulus,
            values: None,
            tables: 1,
            entries: EntryKind::Shared,
            complex_outputs: false,
            lookups_in_a_row: 1,
            memory: None,
            log2_fail: None,
            threads: None,
            goal: Goal::default(),
            engine: None,
            inputs: None,
            method: None,
            ring_degree: None,
            digit_bits: None,
            cost: None,
        }
    }

    /// So many values are looked up at a time: the time of all of them is predicted and compared. Left out: as many as a
    /// packed ciphertext holds, whatever [`Request::memory`] leaves; where only engines for single values are asked or serve
    /// the tables, or latency counts, one. Plans say which.
    #[must_use]
    pub fn values(mut self, values: u64) -> Self {
        self.values = Some(values);
        self
    }

    /// Every value is looked up in so many tables at once. Left out: one.
    #[must_use]
    pub fn tables(mut self, tables: usize) -> Self {
        self.tables = tables;
        self
    }

    /// Every value has a table of its own, or tables are encrypted so that the server applies them unread: packed values,
    /// looked up through [`crate::EvaluationKey::packed`] by
    /// [`lookup_slots`](crate::engines::packed::EvaluationKey::lookup_slots) and
    /// [`lookup_encrypted`](crate::engines::packed::EvaluationKey::lookup_encrypted). Keys for one kind serve both, and
    /// tables that all values share. Left out: those alone.
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
        self.entries = entries;
        self
    }

    /// Tables have complex outputs ([`crate::engines::packed::ComplexTable`]), of which a lookup gives one result for both
    /// parts: packed values by AKP, half as many in a ciphertext, looked up through [`crate::EvaluationKey::packed`] by
    /// [`lookup_complex`](crate::engines::packed::EvaluationKey::lookup_complex). The output modulus is that of either
    /// part. Left out: real outputs, integers or, with
    /// [`RealTable`](crate::engines::packed::RealTable), in fixed point.
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
        self.complex_outputs = true;
        self
    }

    /// So many lookups follow each other, each of the result of the one before: parameters whose results would be too
    /// noisy as inputs are left out, and others are found for them. Left out: one; plans say how many there may be.
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
        self.lookups_in_a_row = lookups;
        self
    }

    /// A lookup may take so many bytes of memory on the server, keys and prepared tables included. Left out: any number.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// A ciphertext may fail in a lookup with a probability of at most 2 to this power: any of the values of a packed
    /// one ([`crate::Parameters::values_per_ciphertext`]), each of which then fails with less, or the one value that an
    /// encryption of the other engines holds. Left out: 2^-64. All engines reach 2^-128.
    ///
    /// ```
    /// use cryptable::{Engine, Request};
    /// let plan = Request::new(2, 2).engine(Engine::Packed).log2_fail(-128.0).plan()?;
    /// let parameters = plan.best().parameters();
    /// assert!(parameters.failure_probability().log2() <= -128.0);
    /// assert!(parameters.value_failure_probability().log2() <= -143.0);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn log2_fail(mut self, log2_fail: f64) -> Self {
        self.log2_fail = Some(log2_fail);
        self
    }

    /// Times are predicted for so many threads. Left out: as many as rayon's pool has. Lookups themselves take the threads of
    /// their [`Execution`](crate::Execution).
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// What the best candidate is best at. Left out: [`Goal::Throughput`].
    #[must_use]
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Asks this engine only. Left out: all engines.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// The client encrypts values by this engine. Left out: by the engine that looks up. Of [`Engine::Single`], a server may
    /// look them up one by one, or pack many, look them up at once and take the results out
    /// ([`crate::EvaluationKey::pack`]): plans compare both and say from how many values on packing is faster
    /// ([`crate::Plan::crossing`]). Other engines look up what they encrypt.
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
        self.inputs = Some(engine);
        self
    }

    /// This method only, by the name that plans show, in capital or small letters: `FDFB-KS`, `CMT 16^2`, or just
    /// `cmt` for any digits, `two-bit-depth-11` for a set of the leveled engine.
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
        self.method = Some(method.into());
        self
    }

    /// This ring degree only, a power of two; packed values alone have a choice of it. Left out: all that are secure.
    #[must_use]
    pub fn ring_degree(mut self, ring_degree: usize) -> Self {
        self.ring_degree = Some(ring_degree);
        self
    }

    /// Packed values are looked up by multiplexer trees, which decompose inputs into digits of at most so many bits, 1 to 8, as
    /// few and as even as possible. Left out: all sizes are compared.
    #[must_use]
    pub fn digit_bits(mut self, digit_bits: u32) -> Self {
        self.digit_bits = Some(digit_bits);
        self
    }

    /// What operations cost on the machine that will run the lookup. Left out: measured on this one.
    #[must_use]
    pub fn cost_model(mut self, cost: CostModel) -> Self {
        self.cost = Some(cost);
        self
    }
}
