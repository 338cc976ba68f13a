//! Request of a caller.

use std::fmt;
use std::str::FromStr;

use cryptable_lattice::error::{
    Error, Result, check_power_of_two, check_real_within, check_within,
};
use cryptable_lattice::{FailureProbability, NoiseBound, Owners};

use crate::akp::hermite_kernel::HermiteOrder;
use crate::multiplexer::entry_kind::EntryKind;
use crate::parameters::validation::{HIDDEN_BITS, MAX_AKP_MODULUS, MAX_MODULUS, OUTPUT_RANGE};

/// Failure probabilities that may be asked for, log2.
const LOG2_FAIL_RANGE: std::ops::RangeInclusive<f64> = -1000.0..=-1.0;

/// Most bits of a digit that may be asked for: its powers take memory and time.
const MAX_DIGIT_BITS: u32 = 8;

/// Most lookups in a row that may be asked for.
const MAX_LOOKUPS: u32 = 1000;

/// Largest input modulus of AKP at ring degree 2^16.
const AKP_MODULUS_AT_DEFAULT_DEGREE: u64 = 1 << 12;

/// Most tables on one input that are planned for.
const MAX_TABLES: usize = 1 << 12;

/// How tables are evaluated on packed values.
///
/// ```
/// use cryptable_packed::Method;
/// assert_eq!("cmt".parse::<Method>()?, Method::Cmt);
/// assert_eq!(Method::Cmt.to_string(), "CMT");
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// One trigonometric Hermite interpolation of the whole table, to 12 bits of input, 14 at ring degree 2^17 (Alexandru, Kim, Polyakov,
    /// CRYPTO 2025, ePrint 2024/1623, Algorithm 1).
    Akp,
    /// A binary multiplexer tree, over bits (Dumezy et al., TCHES 2026(1), ePrint 2025/1301, Algorithm 5).
    Bmt,
    /// A collapsed multiplexer tree, over larger digits (Dumezy et al., Algorithm 7).
    Cmt,
}

impl Method {
    /// All methods, for small tables first.
    pub const ALL: [Self; 3] = [Self::Akp, Self::Bmt, Self::Cmt];
}

impl Method {
    /// Reads a name, and the order of AKP's interpolation if the name has one, as `AKP-2`.
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

    /// Reads a name in capital or small letters.
    fn from_str(text: &str) -> Result<Self> {
        let is_named = |method: &Self| method.to_string().eq_ignore_ascii_case(text);
        let unknown = || Error::Unsupported(format!("method {text:?}: there are AKP, BMT and CMT"));
        Self::ALL.into_iter().find(is_named).ok_or_else(unknown)
    }
}

/// log2 of the failure probability per value that parameters were refused for; infinite if it was for anything else.
pub(crate) fn reached(error: &Error) -> f64 {
    match error {
        Error::FailureProbability { found, .. } | Error::NoiseTooLarge { found, .. } => *found,
        _ => f64::INFINITY,
    }
}

/// Returns the reason that names the lower failure probability; the later one if neither does.
pub(crate) fn surer(first: Option<Error>, other: Error) -> Error {
    first.filter(|first| reached(first) < reached(&other)).unwrap_or(other)
}

/// Inputs that come in several ciphertexts, each of a few digits: results of other lookups, with more noise than fresh ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DigitInputs {
    /// Modulus of the values of each ciphertext: a product of digits of the tree that follow each other.
    pub modulus: u64,
    /// Noise of each ciphertext.
    pub noise: NoiseBound,
}

/// Request for parameters.
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
    /// The largest probability that any value of a full ciphertext fails, log2, from -1000 to -1; 2^-64 if `None`. A
    /// value of n in a ciphertext may fail with an n-th of it: 2^-80 of 65,536 with 2^-64.
    pub log2_fail: Option<f64>,
    /// Ring degree; chosen if `None`. At 32,768, up to 1,024 values of more than two inputs may be served under a secret of
    /// blocks, with a smaller key and in less time than at 65,536.
    pub ring_degree: Option<usize>,
    /// Number of values per ciphertext; `None` fills the ring. Fewer than half of the ring degree make a lookup
    /// cheaper.
    pub count: Option<usize>,
    /// The method; all that serve the tables if `None`.
    pub method: Option<Method>,
    /// How many derivatives of AKP's interpolation vanish, which says what is left of noise of the input; the fewest that
    /// serve if `None`.
    pub order: Option<HermiteOrder>,
    /// The largest difference of two outputs of a table, each by its representative in `[-P/2, P/2)`, where it is less than
    /// P - 1: small errors of inputs leave errors in proportion to it, so that AKP takes a lower order or less precision.
    /// Tables that exceed it are refused.
    pub output_range: Option<u64>,
    /// Whether tables have complex outputs ([`crate::ComplexTable`]), one result of both parts: of at most half as many values
    /// as the ring has coefficients. Trees take as long for fewer.
    pub complex_outputs: bool,
    /// How many lookups in a row, each of the result of the one before, parameters have to admit: 1, or more if the
    /// moduli of inputs and outputs are the same.
    pub lookups_in_a_row: u32,
    /// Bits of the digits of a multiplexer tree, 1 to 8, or of the largest digits of [`crate::Parameters::for_digits`], 3 to
    /// 9; all sizes if `None`.
    pub digit_bits: Option<u32>,
    /// Most bytes of memory that a lookup may take; any number if `None`.
    pub memory: Option<usize>,
    /// How many tables each input is looked up in at once, from 1 on: work and memory are predicted for all.
    pub tables: usize,
    /// Kind of table entries: the same integers for all values, or a table per value, in the clear or encrypted.
    /// Parameters for either of the latter serve all three.
    pub entries: EntryKind,
    /// Ciphertexts of digits that parameters have to look up ([`crate::EvaluationKey::lookup_digits`]) beside fresh inputs;
    /// none by default.
    pub digit_inputs: Option<DigitInputs>,
    /// Owners of the key, each of whom has a part of the secret: one by default.
    pub owners: Owners,
    /// Bits κ by which results hide tables: whoever has the secret key learns the outputs that it asked for, and nothing else of
    /// a table but for a statistical distance of 2^-κ. 20 to 128; tables are not hidden if `None`. AKP serves it.
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

    /// The ring degree asked for, or the default: one bit is served with the least latency at 2^15, AKP of more than 12 bits
    /// has room for its levels at 2^17 only, everything else is served at 2^16.
    pub(crate) fn degree(&self) -> usize {
        self.ring_degree.unwrap_or(match self.input_modulus {
            2 if self.hidden_bits.is_none() => 1 << 15,
            p if p > AKP_MODULUS_AT_DEFAULT_DEGREE && self.method == Some(Method::Akp) => 1 << 17,
            _ => 1 << 16,
        })
    }

    /// Whether AKP is a way to evaluate the tables: where its levels have no room, it is not tried for nothing.
    pub(crate) fn may_be_akp(&self) -> bool {
        let largest =
            if self.degree() > 1 << 16 { MAX_AKP_MODULUS } else { AKP_MODULUS_AT_DEFAULT_DEGREE };
        self.digit_bits.is_none()
            && self.entries == EntryKind::Shared
            && (self.input_modulus <= largest || self.method == Some(Method::Akp))
    }

    /// Values that a ciphertext holds of parameters for this request: a power of two of at least as many as asked for.
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

    /// Slots of those.
    pub(crate) fn slots(&self) -> usize {
        let most = self.degree() / self.parts_of_output();
        let count = self.count.unwrap_or(most).min(most);
        count.next_power_of_two().clamp(8.min(most), most)
    }

    /// The request as trees serve it: with complex outputs, always for ciphertexts that fill the ring.
    pub(crate) fn of_trees(&self) -> Self {
        Self { count: self.count.filter(|_| !self.complex_outputs), ..*self }
    }

    /// Coefficients that an output takes.
    fn parts_of_output(&self) -> usize {
        if self.complex_outputs { 2 } else { 1 }
    }

    /// Bound on the difference of two outputs, as a fraction of the output modulus.
    pub(crate) fn output_width(&self) -> f64 {
        self.output_range.map_or(1.0, |range| range as f64 / self.output_modulus as f64)
    }

    /// log2 of the failure probability of a ciphertext that is asked for, or the default.
    pub(crate) fn log2_fail(&self) -> f64 {
        self.log2_fail.unwrap_or(FailureProbability::DEFAULT.log2())
    }

    /// The failure probability that a value may have, for all of a ciphertext to keep to what is asked for.
    pub(crate) fn failure_of_value(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail())
            .of_each(self.slots() * self.parts_of_output())
    }

    /// Says what failure probability of all values is reached, where that is why no parameters serve.
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
        let what = format!("complex outputs {refused}: two real tables at once serve");
        Err(Error::Unsupported(what))
    }

    /// Checks that a request for hidden tables has no options that such tables lack.
    fn check_hidden(&self, bits: u32) -> Result<()> {
        check_within("bits of hidden tables", bits.into(), HIDDEN_BITS)?;
        let refused = match self {
            Self { entries: EntryKind::Plain | EntryKind::Encrypted, .. } => "for every value",
            Self { complex_outputs: true, .. } => "with complex outputs",
            Self { lookups_in_a_row, .. } if *lookups_in_a_row > 1 => "on results of lookups",
            Self { method: Some(Method::Bmt | Method::Cmt), .. } => "by trees: AKP serves them",
            Self { digit_bits: Some(_), .. } => "by digits: AKP serves them",
            Self { order: Some(HermiteOrder::Second | HermiteOrder::Third), .. } => {
                "by a higher order: the first serves them"
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
                let what = format!("method AKP with {}: BMT and CMT serve them", self.entries);
                return Err(Error::Unsupported(what));
            }
            if let Some(bits) = self.digit_bits {
                let what = format!("method AKP by digits of {bits} bits: BMT and CMT have digits");
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
