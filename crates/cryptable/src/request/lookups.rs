//! The job of looking values up in tables.

use super::Request;
use crate::engines::packed::EntryKind;
use crate::{Engine, Table};

/// Looks values up in tables of given moduli.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookups {
    pub(crate) input_modulus: u64,
    pub(crate) output_modulus: u64,
    pub(crate) tables: usize,
    pub(crate) entries: EntryKind,
    pub(crate) complex_outputs: bool,
    pub(crate) lookups_in_a_row: u32,
    pub(crate) engine: Option<Engine>,
    pub(crate) inputs: Option<Engine>,
    pub(crate) method: Option<String>,
    pub(crate) ring_degree: Option<usize>,
    pub(crate) digit_bits: Option<u32>,
}

impl Request {
    /// A request for tables with the moduli of this one. Keys made for it serve every table with these moduli.
    #[must_use]
    pub fn for_table(table: &Table) -> Self {
        Self::new(table.input_modulus(), table.output_modulus())
    }

    /// A request for tables f from 0 ≤ x < `input_modulus` to 0 ≤ f(x) < `output_modulus`. Plans assume as many values as a
    /// packed ciphertext holds, whatever [`Request::memory`] leaves, unless [`Request::values`] says how many; one where only
    /// engines for single values are asked or serve the tables, or latency counts.
    #[must_use]
    pub fn new(input_modulus: u64, output_modulus: u64) -> Self {
        Self::of(Lookups {
            input_modulus,
            output_modulus,
            tables: 1,
            entries: EntryKind::Shared,
            complex_outputs: false,
            lookups_in_a_row: 1,
            engine: None,
            inputs: None,
            method: None,
            ring_degree: None,
            digit_bits: None,
        })
    }

    /// Sets the number of tables that every value is looked up in at once. Default: one.
    #[must_use]
    pub fn tables(mut self, tables: usize) -> Self {
        self.job.tables = tables;
        self
    }

    /// Sets whose entries tables hold: one table that all values share (the default), one table per value, or encrypted
    /// tables, which the server applies unread. The latter two are for packed values, looked up through
    /// [`crate::EvaluationKey::packed`] by [`lookup_slots`](crate::engines::packed::EvaluationKey::lookup_slots) and
    /// [`lookup_encrypted`](crate::engines::packed::EvaluationKey::lookup_encrypted). Keys for one of them serve both, and
    /// shared tables.
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

    /// Asks for tables of complex outputs ([`crate::engines::packed::ComplexTable`]). AKP looks them up, half as many values
    /// per ciphertext, through [`crate::EvaluationKey::packed`] by
    /// [`lookup_complex`](crate::engines::packed::EvaluationKey::lookup_complex). The output modulus is that of either
    /// part. Default: real outputs, integers or, with [`RealTable`](crate::engines::packed::RealTable), in fixed point.
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

    /// Sets how many lookups follow each other, each of the result of the one before. Parameters whose results are too noisy
    /// to be inputs fall away, and others are found. Default: one; plans say how many there may be.
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

    /// Asks only this engine. Default: all engines.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.job.engine = Some(engine);
        self
    }

    /// Sets the engine by which the client encrypts. Default: the engine that looks up. A server may look values of
    /// [`Engine::Single`] up one by one, or pack many, look them up at once and take the results out
    /// ([`crate::EvaluationKey::pack`]); plans compare both and say from how many values on packing is faster
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
        self.job.inputs = Some(engine);
        self
    }

    /// Asks only for this method, by the name that plans show, in capital or small letters: `FDFB-KS`, `CMT 16^2`, or just
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
        self.job.method = Some(method.into());
        self
    }

    /// Asks only for this ring degree, a power of two. Packed values alone have a choice of it. Default: all secure ones.
    #[must_use]
    pub fn ring_degree(mut self, ring_degree: usize) -> Self {
        self.job.ring_degree = Some(ring_degree);
        self
    }

    /// Asks for multiplexer trees over digits of at most this many bits, 1 to 8: packed values, decomposed into as few and as
    /// even digits as possible. Default: all sizes are compared.
    #[must_use]
    pub fn digit_bits(mut self, digit_bits: u32) -> Self {
        self.job.digit_bits = Some(digit_bits);
        self
    }
}
