//! Circuits with names, for benchmarks, examples and the command line.

use crate::aes::{self, KeySource};
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
    /// AES-128 of a block under a key, both encrypted, with the key schedule.
    Aes128,
}

impl NamedCircuit {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Add32, Self::Compare32, Self::Multiply32, Self::Aes128];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Add32 => "add32",
            Self::Compare32 => "compare32",
            Self::Multiply32 => "multiply32",
            Self::Aes128 => "aes128",
        }
    }

    /// The circuit.
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
            Self::Aes128 => aes::encrypt(KeySource::Encrypted),
        }
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
