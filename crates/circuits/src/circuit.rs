//! Circuits: nodes in topological order between words of inputs and words of outputs.

use cryptable_bits::BitTable;

use crate::signal::Signal;
use crate::table_node::TableNode;

/// Operation of a node. It reads signals of earlier nodes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The constant 0: node 0, and no other.
    False,
    /// An input bit, counted through all words.
    Input(u32),
    /// The AND of two signals.
    And(Signal, Signal),
    /// The XOR of two signals. Operands are never inverted.
    Xor(Signal, Signal),
    /// The OR of two signals that are never both 1. On bits in slots it is an addition, without a product or a level.
    Union(Signal, Signal),
    /// The majority of three signals.
    Majority([Signal; 3]),
    /// A table of three to eight signals.
    Table(TableNode),
}

impl Node {
    /// The signals that the node reads.
    pub fn operands(&self) -> impl Iterator<Item = Signal> + use<> {
        let mut list = [Signal::FALSE; BitTable::MAX_INPUTS];
        let count = match self {
            Self::False | Self::Input(_) => 0,
            Self::And(a, b) | Self::Xor(a, b) | Self::Union(a, b) => {
                [list[0], list[1]] = [*a, *b];
                2
            }
            Self::Majority(three) => {
                list[..3].copy_from_slice(three);
                3
            }
            Self::Table(node) => {
                list[..node.inputs().len()].copy_from_slice(node.inputs());
                node.inputs().len()
            }
        };
        list.into_iter().take(count)
    }

    /// Levels (products in a row) that the node adds to those of its operands.
    #[must_use]
    pub fn levels(&self) -> usize {
        match self {
            Self::False | Self::Input(_) | Self::Union(..) => 0,
            Self::And(..) | Self::Xor(..) => 1,
            // xy + z(x + y - 2xy).
            Self::Majority(_) => 2,
            Self::Table(node) => node.table().levels(),
        }
    }
}

/// A word of inputs: its bits are input nodes, the least significant first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputWord {
    /// Name of the port.
    pub name: String,
    /// Number of its bits.
    pub width: usize,
}

/// A word of outputs, the least significant bit first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputWord {
    /// Name of the port.
    pub name: String,
    /// The signals of its bits, the least significant first.
    pub signals: Vec<Signal>,
}

/// An immutable circuit of bits, made by [`crate::CircuitBuilder`] and the readers of [`crate::netlist`].
///
/// Nodes are in topological order: 0 is the constant, then come the inputs, then all others. Nodes are unique, no other
/// node is constant, and an output needs each of them.
///
/// ```
/// use cryptable_circuits::{CircuitBuilder, words};
/// let mut builder = CircuitBuilder::new("sum");
/// let (x, y) = (builder.input("x", 8)?, builder.input("y", 8)?);
/// let sum = words::add(&mut builder, &x, &y);
/// builder.output("sum", &sum)?;
/// let circuit = builder.finish();
/// assert_eq!(circuit.evaluate_words(&[200, 100])?, [44]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circuit {
    pub(crate) name: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) inputs: Vec<InputWord>,
    pub(crate) outputs: Vec<OutputWord>,
}

impl Circuit {
    /// Name of the circuit: of its model or module, if a netlist was read.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All nodes, in topological order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Tables of all table nodes.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &BitTable> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Table(node) => Some(node.table()),
            _ => None,
        })
    }

    /// Words of inputs.
    #[must_use]
    pub fn inputs(&self) -> &[InputWord] {
        &self.inputs
    }

    /// Words of outputs.
    #[must_use]
    pub fn outputs(&self) -> &[OutputWord] {
        &self.outputs
    }

    /// Number of bits of all inputs.
    #[must_use]
    pub fn input_bits(&self) -> usize {
        self.inputs.iter().map(|word| word.width).sum()
    }

    /// Signals of all outputs, word after word.
    pub fn output_signals(&self) -> impl Iterator<Item = Signal> + '_ {
        self.outputs.iter().flat_map(|word| word.signals.iter().copied())
    }

    /// Number of bits of all outputs.
    #[must_use]
    pub fn output_bits(&self) -> usize {
        self.output_signals().count()
    }

    /// The name of an input bit: `a[3]`, or `a` if the word has one bit.
    ///
    /// # Panics
    /// If there is no such bit.
    #[must_use]
    pub fn input_name(&self, bit: usize) -> String {
        let mut bit = bit;
        for word in &self.inputs {
            if bit < word.width {
                return bit_name(&word.name, bit, word.width);
            }
            bit -= word.width;
        }
        panic!("input bit {bit} of {}", self.input_bits())
    }

    /// Evaluates on 64 inputs at once: bit k of each word belongs to the k-th input.
    ///
    /// # Errors
    /// [`crate::InputMismatch`] if the number of words is not the number of input bits.
    pub fn evaluate_lanes(&self, inputs: &[u64]) -> Result<Vec<u64>, InputMismatch> {
        check_count("input bits", inputs.len(), self.input_bits())?;
        let mut values = vec![0u64; self.nodes.len()];
        let of = |values: &[u64], signal: Signal| {
            values[signal.node()] ^ if signal.is_inverted() { u64::MAX } else { 0 }
        };
        for (index, node) in self.nodes.iter().enumerate() {
            values[index] = match *node {
                Node::False => 0,
                Node::Input(bit) => inputs[bit as usize],
                Node::And(a, b) => of(&values, a) & of(&values, b),
                Node::Xor(a, b) => of(&values, a) ^ of(&values, b),
                Node::Union(a, b) => of(&values, a) | of(&values, b),
                Node::Majority(list) => {
                    let [a, b, c] = list.map(|signal| of(&values, signal));
                    a & b | c & (a ^ b)
                }
                Node::Table(node) => {
                    let inputs: Vec<u64> = node.inputs().iter().map(|&s| of(&values, s)).collect();
                    TableNode::evaluate_lanes(node.table(), &inputs)
                }
            };
        }
        Ok(self.output_signals().map(|signal| of(&values, signal)).collect())
    }

    /// Evaluates on bits, word after word, the least significant bit first.
    ///
    /// # Errors
    /// [`crate::InputMismatch`] if the number of bits is not the number of input bits.
    pub fn evaluate(&self, inputs: &[bool]) -> Result<Vec<bool>, InputMismatch> {
        let lanes: Vec<u64> = inputs.iter().map(|&bit| u64::from(bit)).collect();
        Ok(self.evaluate_lanes(&lanes)?.into_iter().map(|lane| lane & 1 == 1).collect())
    }

    /// Evaluates on one value for each word of inputs.
    ///
    /// # Errors
    /// [`crate::InputMismatch`] if there are more or fewer values than words, a value does not fit, or a word has more
    /// than 128 bits.
    pub fn evaluate_words(&self, inputs: &[u128]) -> Result<Vec<u128>, InputMismatch> {
        self.check_words(inputs)?;
        let mut bits = Vec::with_capacity(self.input_bits());
        for (word, &value) in self.inputs.iter().zip(inputs) {
            bits.extend((0..word.width).map(|bit| value >> bit & 1 == 1));
        }
        let found = self.evaluate(&bits)?;
        let mut rest = found.iter();
        let word = |width: usize| {
            rest.by_ref()
                .take(width)
                .enumerate()
                .fold(0, |sum, (bit, &value)| sum | u128::from(value) << bit)
        };
        Ok(self.outputs.iter().map(|word| word.signals.len()).map(word).collect())
    }

    /// Checks that there is a fitting value for each word of inputs, and that words have at most 128 bits.
    pub(crate) fn check_words(&self, inputs: &[u128]) -> Result<(), InputMismatch> {
        check_count("input words", inputs.len(), self.inputs.len())?;
        for (word, &value) in self.inputs.iter().zip(inputs) {
            let needed = 128 - value.leading_zeros() as usize;
            if word.width > 128 || needed > word.width {
                let what = "bits of an input word";
                return Err(InputMismatch { what, found: needed, expected: word.width });
            }
        }
        if let Some(wide) = self.outputs.iter().find(|word| word.signals.len() > 128) {
            let (what, found) = ("bits of an output word", wide.signals.len());
            return Err(InputMismatch { what, found, expected: 128 });
        }
        Ok(())
    }
}

/// The name of a bit of a word.
pub(crate) fn bit_name(word: &str, bit: usize, width: usize) -> String {
    if width == 1 { word.to_owned() } else { format!("{word}[{bit}]") }
}

fn check_count(what: &'static str, found: usize, expected: usize) -> Result<(), InputMismatch> {
    if found == expected { Ok(()) } else { Err(InputMismatch { what, found, expected }) }
}

/// Inputs that do not match a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {found}, where the circuit has {expected}")]
pub struct InputMismatch {
    /// Name of the counted items.
    pub what: &'static str,
    /// Number given.
    pub found: usize,
    /// Number expected by the circuit.
    pub expected: usize,
}
