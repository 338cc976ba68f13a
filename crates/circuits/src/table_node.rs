//! Tables of up to eight signals as nodes of circuits. The signals of a node are distinct, not inverted, and all
//! matter; its output is 0 if all of them are 0.

use cryptable_bits::BitTable;

use crate::signal::Signal;

/// A table over the outputs of nodes.
///
/// ```
/// use cryptable_bits::BitTable;
/// use cryptable_circuits::{CircuitBuilder, Node};
/// let mut builder = CircuitBuilder::new("at most one");
/// let x = builder.input("x", 4)?;
/// let table = BitTable::from_fn(4, |x| x.count_ones() <= 1)?;
/// let output = builder.table(&table, &x);
/// builder.output("y", &[output])?;
/// let circuit = builder.finish();
/// assert_eq!(circuit.evaluate_words(&[0b0100])?, [1]);
/// assert_eq!(circuit.evaluate_words(&[0b0110])?, [0]);
/// assert_eq!(circuit.statistics().depth, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableNode {
    /// Inputs of the table; unused ones are [`Signal::FALSE`].
    inputs: [Signal; BitTable::MAX_INPUTS],
    table: BitTable,
}

impl TableNode {
    /// The signals that the node reads: input i of the table is signal i.
    #[must_use]
    pub fn inputs(&self) -> &[Signal] {
        &self.inputs[..self.table.inputs()]
    }

    /// The numbers of the nodes that it reads.
    pub(crate) fn input_nodes(&self) -> Vec<usize> {
        self.inputs().iter().map(|signal| signal.node()).collect()
    }

    /// The truth table, with as many inputs as the node.
    #[must_use]
    pub fn table(&self) -> &BitTable {
        &self.table
    }

    /// Replaces the signals of the node, in the same order.
    pub(crate) fn moved(&self, moved: impl Fn(Signal) -> Signal) -> Self {
        let mut copy = *self;
        copy.inputs[..self.table.inputs()].iter_mut().for_each(|signal| *signal = moved(*signal));
        copy
    }

    /// Evaluates the table for 64 words at once: a tree of multiplexers.
    pub(crate) fn evaluate_lanes(table: &BitTable, inputs: &[u64]) -> u64 {
        let mut values: Vec<u64> =
            table.outputs().map(|output| if output { u64::MAX } else { 0 }).collect();
        for select in inputs {
            let half = values.len() / 2;
            for k in 0..half {
                values[k] = values[2 * k] ^ (values[2 * k] ^ values[2 * k + 1]) & select;
            }
            values.truncate(half);
        }
        values[0]
    }
}

/// Simplified form of a table of some signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduced {
    /// A constant, a signal or its complement.
    Signal(Signal),
    /// A gate of two signals, given by its outputs at 1, 2 and 3, and whether it is complemented.
    Gate([bool; 3], [Signal; 2], bool),
    /// A table of three signals or more, and whether it is complemented.
    Table(TableNode, bool),
}

/// Removes constants, inversions, repeated inputs, and inputs without influence from a table.
pub(crate) fn reduced(table: &BitTable, inputs: &[Signal]) -> Reduced {
    assert_eq!(table.inputs(), inputs.len(), "inputs of a table");
    let mut signals: Vec<Signal> = inputs.iter().map(|signal| signal.positive()).collect();
    signals.retain(|&signal| signal != Signal::FALSE);
    signals.sort_unstable();
    signals.dedup();
    // The output for an argument whose bit k is the value of signal k.
    let output = |signals: &[Signal], values: usize| {
        let bit = |input: &Signal| {
            let place = signals.binary_search(&input.positive());
            input.is_inverted() ^ place.is_ok_and(|k| values >> k & 1 == 1)
        };
        table.evaluate(inputs.iter().enumerate().map(|(i, s)| usize::from(bit(s)) << i).sum())
    };
    let all = signals.clone();
    let matters = |signal: &Signal| {
        let k = all.binary_search(signal).expect("one of all");
        (0..1 << all.len()).any(|x| output(&all, x) != output(&all, x ^ 1 << k))
    };
    signals.retain(matters);
    let inverted = output(&signals, 0);
    match *signals.as_slice() {
        [] => Reduced::Signal(Signal::constant(inverted)),
        [one] => Reduced::Signal(one.inverted_if(inverted)),
        [a, b] => {
            let outputs = [1, 2, 3].map(|x| output(&signals, x) ^ inverted);
            Reduced::Gate(outputs, [a, b], inverted)
        }
        _ => {
            let table = BitTable::from_fn(signals.len(), |x| output(&signals, x) ^ inverted)
                .expect("at most as many inputs as before");
            let mut list = [Signal::FALSE; BitTable::MAX_INPUTS];
            list[..signals.len()].copy_from_slice(&signals);
            Reduced::Table(TableNode { inputs: list, table }, inverted)
        }
    }
}
