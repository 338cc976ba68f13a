//! The parameter sets by name, for command lines and for choosing among them.

use std::fmt;

use cryptable_lattice::Result;

use crate::literal::Packing;
use crate::parameters::Parameters;

/// A named parameter set of 128 bits of security.
///
/// ```
/// use cryptable_bits::NamedSet;
/// let set = NamedSet::by_name("latency-complex").expect("a set");
/// assert_eq!(set.parameters()?.bits(), 16_384);
/// assert!(NamedSet::ALL.iter().all(|set| NamedSet::by_name(set.name()) == Some(*set)));
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NamedSet {
    /// [`Parameters::latency_128`] for 256 bits.
    Latency256,
    /// [`Parameters::balanced_128`] for 256 bits.
    Balanced256,
    /// [`Parameters::balanced_128`] for 4,096 bits.
    Balanced4096,
    /// [`Parameters::latency_128`] with real packing.
    Latency,
    /// [`Parameters::latency_128`] with complex packing.
    LatencyComplex,
    /// [`Parameters::functions_128`] with real packing.
    FunctionsReal,
    /// [`Parameters::functions_128`] with complex packing.
    Functions,
    /// [`Parameters::balanced_128`].
    Balanced,
    /// [`Parameters::throughput_128`].
    Throughput,
    /// [`Parameters::tables_128`].
    Tables,
    /// [`Parameters::sums_128`].
    Sums,
}

impl NamedSet {
    /// All sets, the smallest ciphertexts first.
    pub const ALL: [Self; 11] = [
        Self::Latency256,
        Self::Latency,
        Self::LatencyComplex,
        Self::FunctionsReal,
        Self::Functions,
        Self::Balanced256,
        Self::Balanced4096,
        Self::Balanced,
        Self::Tables,
        Self::Sums,
        Self::Throughput,
    ];

    /// Returns the name that command lines use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Latency256 => "latency-256",
            Self::Latency => "latency",
            Self::LatencyComplex => "latency-complex",
            Self::FunctionsReal => "functions-real",
            Self::Functions => "functions",
            Self::Balanced256 => "balanced-256",
            Self::Balanced4096 => "balanced-4096",
            Self::Balanced => "balanced",
            Self::Throughput => "throughput",
            Self::Tables => "tables",
            Self::Sums => "sums",
        }
    }

    /// Describes the set's purpose in one line.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Latency256 => "256 words at once, a bootstrap per gate: the first result soonest",
            Self::Latency => "8,192 words, a bootstrap per gate",
            Self::LatencyComplex => "16,384 words, a bootstrap per gate",
            Self::FunctionsReal => "8,192 words, one level of gates between bootstraps",
            Self::Functions => "16,384 words, one level",
            Self::Balanced256 => "256 words, seven levels",
            Self::Balanced4096 => "4,096 words, seven levels",
            Self::Balanced => "32,768 words, seven levels",
            Self::Tables => "32,768 words, four levels: for tables of up to eight bits, as AES has",
            Self::Sums => "32,768 words, six levels: for XORs of up to 170 results of gates",
            Self::Throughput => "65,536 words, 21 levels: the most words per second",
        }
    }

    /// Returns the set with a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// Returns the sets that may be the fastest for a number of words or, without a number, per word of many. Sets of
    /// few bits are for few words.
    ///
    /// ```
    /// use cryptable_bits::NamedSet;
    /// let few = NamedSet::Latency256;
    /// assert!(NamedSet::serving(Some(100)).any(|set| set == few));
    /// assert!(NamedSet::serving(Some(300)).chain(NamedSet::serving(None)).all(|set| set != few));
    /// ```
    pub fn serving(words: Option<u64>) -> impl Iterator<Item = Self> {
        let serves = move |set: &Self| match set {
            Self::Latency256 | Self::Balanced256 => words.is_some_and(|words| words <= 256),
            Self::Balanced4096 => words.is_some_and(|words| words <= 4096),
            _ => true,
        };
        Self::ALL.into_iter().filter(serves)
    }

    /// Returns the parameters.
    ///
    /// # Errors
    /// Never: the sets are tested.
    pub fn parameters(self) -> Result<Parameters> {
        match self {
            Self::Latency256 => Parameters::latency_128(Packing::Sparse(256)),
            Self::Latency => Parameters::latency_128(Packing::Real),
            Self::LatencyComplex => Parameters::latency_128(Packing::Complex),
            Self::FunctionsReal => Parameters::functions_128(Packing::Real),
            Self::Functions => Parameters::functions_128(Packing::Complex),
            Self::Balanced256 => Parameters::balanced_128(Packing::Sparse(256)),
            Self::Balanced4096 => Parameters::balanced_128(Packing::Sparse(4096)),
            Self::Balanced => Parameters::balanced_128(Packing::Complex),
            Self::Throughput => Parameters::throughput_128(),
            Self::Tables => Parameters::tables_128(),
            Self::Sums => Parameters::sums_128(),
        }
    }
}

impl fmt::Display for NamedSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
