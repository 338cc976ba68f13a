//! Circuits with names, for benchmarks, examples and the command line.

use crate::aes::{self, KeySource, SBox};
use crate::builder::CircuitBuilder;
use crate::circuit::Circuit;
use crate::signal::Signal;
use crate::words;

/// A circuit of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedCircuit {
    /// `sum = x + y` of 32 bits.
    Add32,
    /// `less`, `less_signed` and `equal` of words of 32 bits.
    Compare32,
    /// `product = x·y` modulo 2^32.
    Multiply32,
    /// AES-128 of a block under a key, both encrypted, with the key schedule, by tables of eight bits.
    Aes128,
    /// AES-128 of a block under encrypted round keys, by tables of eight bits. The client expands the key.
    Aes128ExpandedKey,
    /// [`NamedCircuit::Aes128`] by gates of two bits.
    Aes128BoyarPeralta,
    /// [`NamedCircuit::Aes128ExpandedKey`] by gates of two bits.
    Aes128ExpandedKeyBoyarPeralta,
}

impl NamedCircuit {
    /// All circuits.
    pub const ALL: [Self; 7] = [
        Self::Add32,
        Self::Compare32,
        Self::Multiply32,
        Self::Aes128,
        Self::Aes128ExpandedKey,
        Self::Aes128BoyarPeralta,
        Self::Aes128ExpandedKeyBoyarPeralta,
    ];

    /// The name that commands and results of benchmarks use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add32 => "add32",
            Self::Compare32 => "compare32",
            Self::Multiply32 => "multiply32",
            Self::Aes128 => "aes128",
            Self::Aes128ExpandedKey => "aes128-expanded-key",
            Self::Aes128BoyarPeralta => "aes128-boyar-peralta",
            Self::Aes128ExpandedKeyBoyarPeralta => "aes128-expanded-key-boyar-peralta",
        }
    }

    /// Describes the circuit in one line.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Add32 => "a sum of words of 32 bits",
            Self::Compare32 => {
                "comparisons of words of 32 bits: less than, with signs and without, and equal"
            }
            Self::Multiply32 => "a product of words of 32 bits, modulo 2^32",
            Self::Aes128 => "AES-128 of a block, under an encrypted key, by tables of eight bits",
            Self::Aes128ExpandedKey => "the same under encrypted round keys",
            Self::Aes128BoyarPeralta => {
                "AES-128 of a block, under an encrypted key, by gates of two bits"
            }
            Self::Aes128ExpandedKeyBoyarPeralta => {
                "AES-128 of a block, under encrypted round keys, by gates of two bits"
            }
        }
    }

    /// Returns the circuit with a name.
    ///
    /// ```
    /// use cryptable_circuits::named::NamedCircuit;
    /// assert!(NamedCircuit::ALL.iter().all(|it| NamedCircuit::by_name(it.name()) == Some(*it)));
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|circuit| circuit.name() == name)
    }

    /// Returns AES-128 of the same inputs with its S-box in this form; `None` for other circuits.
    ///
    /// ```
    /// use cryptable_circuits::{aes::SBox, named::NamedCircuit};
    /// let by_gates = NamedCircuit::Aes128.with_s_box(SBox::BoyarPeralta);
    /// assert_eq!(by_gates, Some(NamedCircuit::Aes128BoyarPeralta));
    /// assert_eq!(NamedCircuit::Add32.with_s_box(SBox::Tables), None);
    /// ```
    #[must_use]
    pub fn with_s_box(self, form: SBox) -> Option<Self> {
        match (self, form) {
            (Self::Aes128 | Self::Aes128BoyarPeralta, SBox::Tables) => Some(Self::Aes128),
            (Self::Aes128 | Self::Aes128BoyarPeralta, SBox::BoyarPeralta) => {
                Some(Self::Aes128BoyarPeralta)
            }
            (Self::Aes128ExpandedKey | Self::Aes128ExpandedKeyBoyarPeralta, SBox::Tables) => {
                Some(Self::Aes128ExpandedKey)
            }
            (Self::Aes128ExpandedKey | Self::Aes128ExpandedKeyBoyarPeralta, SBox::BoyarPeralta) => {
                Some(Self::Aes128ExpandedKeyBoyarPeralta)
            }
            _ => None,
        }
    }

    /// Builds the circuit.
    ///
    /// ```
    /// use cryptable_circuits::named::NamedCircuit;
    /// assert_eq!(NamedCircuit::Add32.build().evaluate_words(&[7, 0xffff_ffff])?, [6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn build(self) -> Circuit {
        match self {
            Self::Add32 => of_two_words(self, |builder, x, y| {
                let sum = words::add(builder, x, y);
                vec![("sum", sum)]
            }),
            Self::Compare32 => of_two_words(self, |builder, x, y| {
                vec![
                    ("less", vec![words::less_than(builder, x, y)]),
                    ("less_signed", vec![words::less_than_signed(builder, x, y)]),
                    ("equal", vec![words::equal(builder, x, y)]),
                ]
            }),
            Self::Multiply32 => of_two_words(self, |builder, x, y| {
                let product = words::multiply(builder, x, y, 32);
                vec![("product", product)]
            }),
            Self::Aes128 => aes::encrypt(KeySource::Encrypted, SBox::Tables),
            Self::Aes128ExpandedKey => aes::encrypt(KeySource::ExpandedAndEncrypted, SBox::Tables),
            Self::Aes128BoyarPeralta => aes::encrypt(KeySource::Encrypted, SBox::BoyarPeralta),
            Self::Aes128ExpandedKeyBoyarPeralta => {
                aes::encrypt(KeySource::ExpandedAndEncrypted, SBox::BoyarPeralta)
            }
        }
    }

    /// All circuits that compute the same function with the same ports: [`NamedCircuit::build`] and one with ripple
    /// carries, which has more depth and fewer gates. The parameters determine which one is the cheapest: see
    /// [`Plan::cheapest`](crate::Plan::cheapest).
    ///
    /// ```
    /// use cryptable_circuits::named::NamedCircuit;
    /// for circuit in NamedCircuit::Compare32.variants() {
    ///     assert_eq!(circuit.evaluate_words(&[7, 0xffff_ffff])?, [1, 0, 0]);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn variants(self) -> Vec<Circuit> {
        let ripple = match self {
            Self::Add32 => of_two_words(self, |builder, x, y| {
                let (sum, _) = words::add_with_carry_by_ripple(builder, x, y, Signal::FALSE);
                vec![("sum", sum)]
            }),
            Self::Compare32 => of_two_words(self, |builder, x, y| {
                let (mut low, mut high) = (x.to_vec(), y.to_vec());
                let less = words::less_than_by_ripple(builder, x, y);
                // Swap the sign bits of numbers in two's complement.
                std::mem::swap(&mut low[31], &mut high[31]);
                let less_signed = words::less_than_by_ripple(builder, &low, &high);
                let equal = words::equal(builder, x, y);
                let outputs = [("less", less), ("less_signed", less_signed), ("equal", equal)];
                outputs.map(|(name, bit)| (name, vec![bit])).into()
            }),
            Self::Multiply32 => of_two_words(self, |builder, x, y| {
                let product = words::multiply_by_ripple(builder, x, y, 32);
                vec![("product", product)]
            }),
            _ => return vec![self.build()],
        };
        vec![self.build(), ripple]
    }
}

type Outputs = Vec<(&'static str, Vec<Signal>)>;

fn of_two_words(
    circuit: NamedCircuit,
    outputs: impl Fn(&mut CircuitBuilder, &[Signal], &[Signal]) -> Outputs,
) -> Circuit {
    let mut builder = CircuitBuilder::new(circuit.name());
    let [x, y] = ["x", "y"].map(|name| builder.input(name, 32).expect("distinct names"));
    for (name, signals) in outputs(&mut builder, &x, &y) {
        builder.output(name, &signals).expect("distinct names");
    }
    builder.finish()
}
