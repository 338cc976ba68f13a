//! Requests for parameters.

use std::fmt;
use std::str::FromStr;

use cryptable_lattice::error::{
    Error, Result, check_power_of_two, check_real_within, check_within,
};
use cryptable_lattice::{FailureProbability, NoiseBound, Owners};

use crate::akp::hermite_kernel::HermiteOrder;
use crate::multiplexer::entry_kind::EntryKind;
use crate::parameters::validation::{HIDDEN_BITS, MAX_AKP_MODULUS, MAX_MODULUS, OUTPUT_RANGE};

/// Range of log2 of failure probabilities that may be requested.
const LOG2_FAIL_RANGE: std::ops::RangeInclusive<f64> = -1000.0..=-1.0;

/// Maximum number of bits of a digit that may be requested: powers of larger digits take memory and time.
const MAX_DIGIT_BITS: u32 = 8;

/// Maximum number of lookups in a row that may be requested.
const MAX_LOOKUPS: u32 = 1000;

/// Largest input modulus of AKP at ring degree 2^16.
const AKP_MODULUS_AT_DEFAULT_DEGREE: u64 = 1 << 12;

/// Maximum number of tables on one input.
const MAX_TABLES: usize = 1 << 12;

/// A method for evaluating tables on packed values.
///
/// ```
/// use cryptable_packed::Method;
/// assert_eq!("cmt".parse::<Method>()?, Method::Cmt);
/// assert_eq!(Method::Cmt.to_string(), "CMT");
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// One trigonometric Hermite interpolation of the whole table, for inputs of up to 12 bits, or 14 bits at ring
    /// degree 2^17 (Alexandru, Kim, Polyakov, CRYPTO 2025, ePrint 2024/1623, Algorithm 1).
    Akp,
    /// A binary multiplexer tree, over bits (Dumezy et al., TCHES 2026(1), ePrint 2025/1301, Algorithm 5).
    Bmt,
    /// A collapsed multiplexer tree, over larger digits (Dumezy et al., Algorithm 7).
    Cmt,
}

impl Method {
    /// All methods, beginning with those for small tables.
    pub const ALL: [Self; 3] = [Self::Akp, Self::Bmt, Self::Cmt];
}

impl Method {
    /// Parses a name, and the order of AKP's interpolation if the name has one, like `AKP-2`.
    ///
    /// ```
    /// use cryptable_packed::{HermiteOrder, Method};
    /// assert_eq!(Method::parse_with_order("akp-2")?, (Method::Akp, Some(HermiteOrder::Second)));
    /// assert_eq!(Method::parse_with_order("AKP")?, (Method::Akp, None));
    /// assert!(Method::parse_with_order("cmt-2").is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such method or order.
    pub fn parse_with_order(text: &str) -> Result<(Self, Option<HermiteOrder>)> {
        let unknown = || Error::Unsupported(format!("method {text:?}: there are AKP-1 to AKP-3"));
        match text.split_once('-') {
            Some((name, order)) if name.eq_ignore_ascii_case("akp") => {
                let order = order.parse().map_err(|_| unknown())?;
                Ok((Self::Akp, Some(HermiteOrder::new(order)?)))
            }
            _ => Ok((text.parse()?, None)),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Akp => "AKP",
            Self::Bmt => "BMT",
            Self::Cmt => "CMT",
        })
    }
}

impl FromStr for Method {
    type Err = Error;

    /// Parses a name, ignoring case.
    fn from_str(text: &str) -> Result<Self> {
        let is_named = |method: &Self| method.to_string().eq_ignore_ascii_case(text);
        let unknown = || Error::Unsupported(format!("method {text:?}: there are AKP, BMT and CMT"));
        Self::ALL.into_iter().find(is_named).ok_or_else(unknown)
    }
}

/// log2 of the failure probability per value for which parameters were refused; infinite if they were refused for
/// another reason.
pub(crate) fn reached(error: &Error) -> f64 {
    match error {
        Error::FailureProbability { found, .. } | Error::NoiseTooLarge { found, .. } => *found,
        _ => f64::INFINITY,
    }
}

/// Returns the error that states the lower failure probability, or the later error if neither states one.
pub(crate) fn surer(first: Option<Error>, other: Error) -> Error {
    first.filter(|first| reached(first) < reached(&other)).unwrap_or(other)
}

/// Inputs that are spread over several ciphertexts, each with a few digits: results of other lookups, with more noise
/// than fresh inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DigitInputs {
    /// Modulus of the values of each ciphertext: a product of consecutive digits of the tree.
    pub modulus: u64,
    /// Noise of each ciphertext.
    pub noise: NoiseBound,
}

/// A request for parameters.
///
/// ```
/// use cryptable_packed::{Parameters, Request};
/// let request = Request { ring_degree: Some(32_768), log2_fail: Some(-40.0), ..Request::new(2, 2) };
/// let parameters = Parameters::choose(&request)?;
/// assert!(parameters.security_bits() >= 128.0);
/// assert!(parameters.failure_probability().log2() <= -40.0);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Input modulus p of the tables.
    pub input_modulus: u64,
    /// Output modulus P of the tables.
    pub output_modulus: u64,
    /// log2 of the largest probability that any value of a full ciphertext fails, from -1000 to -1; 2^-64 if `None`.
    /// Each of n values in a ciphertext may fail with an n-th of this probability: with 2^-64 and 65,536 values, each
    /// may fail with 2^-80.
    pub log2_fail: Option<f64>,
    /// Ring degree; chosen if `None`. At 32,768, tables of more than two inputs on up to 1,024 values may be evaluated
    /// under a secret of blocks, with a smaller key and in less time than at 65,536.
    pub ring_degree: Option<usize>,
    /// Number of values per ciphertext; `None` fills the ring. A lookup of fewer values than half of the ring degree is
    /// cheaper.
    pub count: Option<usize>,
    /// The method; all methods that serve the tables are compared if `None`.
    pub method: Option<Method>,
    /// The number of derivatives of AKP's interpolation that vanish, which determines how much noise of the input
    /// remains; the lowest order that serves if `None`.
    pub order: Option<HermiteOrder>,
    /// The largest difference of two outputs of a table, each by its representative in `[-P/2, P/2)`, if it is less
    /// than P - 1. Small errors of inputs leave errors in proportion to this difference, so that AKP needs a lower
    /// order or less precision. Tables that exceed it are refused.
    pub output_range: Option<u64>,
    /// Whether tables have complex outputs ([`crate::ComplexTable`]), with one result for both parts. The number of
    /// values is at most half of the ring degree; trees take the same time for fewer values.
    pub complex_outputs: bool,
    /// The number of lookups in a row, each on the result of the one before, that parameters must admit: 1, or more if
    /// the moduli of inputs and outputs are the same.
    pub lookups_in_a_row: u32,
    /// Bits of the digits of a multiplexer tree, 1 to 8, or of the largest digits of [`crate::Parameters::for_digits`], 3 to
    /// 9; all sizes if `None`.
    pub digit_bits: Option<u32>,
    /// The maximum memory of a lookup in bytes; unlimited if `None`.
    pub memory: Option<usize>,
    /// The number of tables that each input is looked up in at once, at least 1. Work and memory are predicted for all
    /// of them.
    pub tables: usize,
    /// Kind of table entries: the same integers for all values, or a table per value, in the clear or encrypted.
    /// Parameters for either kind of tables per value serve all three kinds.
    pub entries: EntryKind,
    /// Ciphertexts of digits that parameters must be able to look up ([`crate::EvaluationKey::lookup_digits`]) in
    /// addition to fresh inputs; none by default.
    pub digit_inputs: Option<DigitInputs>,
    /// Owners of the key, each of whom holds a share of the secret; one by default.
    pub owners: Owners,
    /// Bits κ by which results hide tables, 20 to 128: the holder of the secret key learns the outputs for its inputs
    /// and nothing else of a table, up to a statistical distance of 2^-κ. Tables are not hidden if `None`. Only AKP
    /// supports this.
    pub hidden_bits: Option<u32>,
}

impl Request {
    /// A request for one table, on full ciphertexts of the default ring degree.
    #[must_use]
    pub fn new(input_modulus: u64, output_modulus: u64) -> Self {
        Self {
            input_modulus,
            output_modulus,
            log2_fail: None,
            ring_degree: None,
            count: None,
            method: None,
            order: None,
            output_range: None,
            complex_outputs: false,
            lookups_in_a_row: 1,
            digit_bits: None,
            memory: None,
            tables: 1,
            entries: EntryKind::Shared,
            digit_inputs: None,
            owners: Owners::ONE,
            hidden_bits: None,
        }
    }

    /// The requested ring degree, or the default. One bit has the least latency at 2^15, AKP of more than 12 bits has
    /// room for its levels only at 2^17, and everything else uses 2^16.
    pub(crate) fn degree(&self) -> usize {
        self.ring_degree.unwrap_or(match self.input_modulus {
            2 if self.hidden_bits.is_none() => 1 << 15,
            p if p > AKP_MODULUS_AT_DEFAULT_DEGREE && self.method == Some(Method::Akp) => 1 << 17,
            _ => 1 << 16,
        })
    }

    /// Whether AKP may evaluate the tables. It is not tried if its levels have no room.
    pub(crate) fn may_be_akp(&self) -> bool {
        let largest =
            if self.degree() > 1 << 16 { MAX_AKP_MODULUS } else { AKP_MODULUS_AT_DEFAULT_DEGREE };
        self.digit_bits.is_none()
            && self.entries == EntryKind::Shared
            && (self.input_modulus <= largest || self.method == Some(Method::Akp))
    }

    /// The number of values per ciphertext of parameters for this request: a power of two, at least the requested
    /// number.
    ///
    /// ```
    /// use cryptable_packed::Request;
    /// assert_eq!(Request::new(256, 256).values_per_ciphertext(), 65_536);
    /// assert_eq!(Request { count: Some(1000), ..Request::new(256, 256) }.values_per_ciphertext(), 1024);
    /// ```
    #[must_use]
    pub fn values_per_ciphertext(&self) -> usize {
        self.slots()
    }

    /// The number of slots with values.
    pub(crate) fn slots(&self) -> usize {
        let most = self.degree() / self.parts_of_output();
        let count = self.count.unwrap_or(most).min(most);
        count.next_power_of_two().clamp(8.min(most), most)
    }

    /// The request as trees serve it: with complex outputs, ciphertexts always fill the ring.
    pub(crate) fn of_trees(&self) -> Self {
        Self { count: self.count.filter(|_| !self.complex_outputs), ..*self }
    }

    /// Number of coefficients per output.
    fn parts_of_output(&self) -> usize {
        if self.complex_outputs { 2 } else { 1 }
    }

    /// Bound on the difference of two outputs, as a fraction of the output modulus.
    pub(crate) fn output_width(&self) -> f64 {
        self.output_range.map_or(1.0, |range| range as f64 / self.output_modulus as f64)
    }

    /// log2 of the requested failure probability of a ciphertext, or the default.
    pub(crate) fn log2_fail(&self) -> f64 {
        self.log2_fail.unwrap_or(FailureProbability::DEFAULT.log2())
    }

    /// The failure probability that each value may have if the whole ciphertext is to stay within the requested one.
    pub(crate) fn failure_of_value(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail())
            .of_each(self.slots() * self.parts_of_output())
    }

    /// Converts an error: if parameters were refused for their failure probability, states the one of all values that
    /// is reached.
    pub(crate) fn unreachable(&self, what: String, error: Error) -> Error {
        let (Error::FailureProbability { found, limit }
        | Error::NoiseTooLarge { found, limit, .. }) = error
        else {
            return error;
        };
        let found = (found + self.log2_fail() - limit).min(0.0);
        Error::FailureUnreachable { what, found, limit: self.log2_fail() }
    }

    /// Checks that a request for complex outputs has no options that such tables lack.
    fn check_complex(&self) -> Result<()> {
        let refused = match self {
            Self { entries: EntryKind::Plain | EntryKind::Encrypted, .. } => "for every value",
            Self { lookups_in_a_row, .. } if *lookups_in_a_row > 1 => {
                "as inputs of further lookups"
            }
            _ => return Ok(()),
        };
        let what = format!("complex outputs {refused}: use two real tables");
        Err(Error::Unsupported(what))
    }

    /// Checks that a request for hidden tables has no options that such tables lack.
    fn check_hidden(&self, bits: u32) -> Result<()> {
        check_within("bits of hidden tables", bits.into(), HIDDEN_BITS)?;
        let refused = match self {
            Self { entries: EntryKind::Plain | EntryKind::Encrypted, .. } => "for every value",
            Self { complex_outputs: true, .. } => "with complex outputs",
            Self { lookups_in_a_row, .. } if *lookups_in_a_row > 1 => "on results of lookups",
            Self { method: Some(Method::Bmt | Method::Cmt), .. } => "by trees: use AKP",
            Self { digit_bits: Some(_), .. } => "by digits: use AKP",
            Self { order: Some(HermiteOrder::Second | HermiteOrder::Third), .. } => {
                "by a higher order: use the first"
            }
            Self { owners, .. } if !owners.is_one() => "of keys of several owners",
            _ => return Ok(()),
        };
        Err(Error::Unsupported(format!("hidden tables {refused}")))
    }

    /// Checks that every number is allowed, before anything is computed from it.
    pub(crate) fn check(&self) -> Result<()> {
        let bounded = |name, value, least, most| check_within(name, value, least..=most);
        if self.method == Some(Method::Akp) {
            if self.entries != EntryKind::Shared {
                let what = format!("method AKP with {}: use BMT or CMT", self.entries);
                return Err(Error::Unsupported(what));
            }
            if let Some(bits) = self.digit_bits {
                let what = format!("method AKP by digits of {bits} bits: use BMT or CMT");
                return Err(Error::Unsupported(what));
            }
            bounded("input modulus of AKP", self.input_modulus, 2, MAX_AKP_MODULUS)?;
        }
        if self.complex_outputs {
            self.check_complex()?;
        }
        if let Some(bits) = self.hidden_bits {
            self.check_hidden(bits)?;
        }
        bounded("input modulus", self.input_modulus, 2, MAX_MODULUS)?;
        bounded("output modulus", self.output_modulus, 2, MAX_MODULUS)?;
        bounded(OUTPUT_RANGE, self.output_range.unwrap_or(1), 1, self.output_modulus - 1)?;
        let most = if self.input_modulus == self.output_modulus { MAX_LOOKUPS } else { 1 };
        bounded("number of lookups in a row", self.lookups_in_a_row.into(), 1, most.into())?;
        check_power_of_two("ring degree", self.degree(), 64..=1 << 17)?;
        let digit_bits = self.digit_bits.map_or(1, u64::from);
        bounded("bits of a digit", digit_bits, 1, MAX_DIGIT_BITS.into())?;
        bounded("number of tables", self.tables as u64, 1, MAX_TABLES as u64)?;
        check_real_within("log2 of the failure probability", self.log2_fail(), LOG2_FAIL_RANGE)
    }
}
