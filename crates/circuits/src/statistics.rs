//! Statistics of a circuit: its nodes and depth.

use std::fmt;

use crate::circuit::{Circuit, Node};

/// Counts of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// ANDs of two signals, with or without inversions.
    pub ands: usize,
    /// XORs of two signals.
    pub xors: usize,
    /// ORs of two signals that are never both 1, which are additions.
    pub unions: usize,
    /// Majorities of three signals.
    pub majorities: usize,
    /// Tables of three to eight signals.
    pub tables: usize,
    /// Number of bits of all inputs.
    pub input_bits: usize,
    /// Number of bits of all outputs.
    pub output_bits: usize,
    /// Levels: products in a row on the longest path from an input to an output.
    pub depth: usize,
    /// Number of nodes of each level, starting with level 1.
    pub nodes_of_level: Vec<usize>,
}

impl Statistics {
    pub(crate) fn of(circuit: &Circuit) -> Self {
        let count = |which: fn(&Node) -> bool| circuit.nodes.iter().filter(|n| which(n)).count();
        let levels = levels(circuit);
        let depth = levels.iter().copied().max().unwrap_or(0);
        let mut nodes_of_level = vec![0; depth];
        for (node, &level) in circuit.nodes.iter().zip(&levels) {
            if node.levels() > 0 {
                nodes_of_level[level - 1] += 1;
            }
        }
        Self {
            ands: count(|node| matches!(node, Node::And(..))),
            xors: count(|node| matches!(node, Node::Xor(..))),
            unions: count(|node| matches!(node, Node::Union(..))),
            majorities: count(|node| matches!(node, Node::Majority(_))),
            tables: count(|node| matches!(node, Node::Table(_))),
            input_bits: circuit.input_bits(),
            output_bits: circuit.output_bits(),
            depth,
            nodes_of_level,
        }
    }

    /// Number of gates of all kinds.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.ands + self.xors + self.unions + self.majorities + self.tables
    }
}

/// The level of every node: products in a row from the inputs to it.
pub(crate) fn levels(circuit: &Circuit) -> Vec<usize> {
    let mut levels = vec![0; circuit.nodes.len()];
    for (index, node) in circuit.nodes.iter().enumerate() {
        let below = node.operands().map(|operand| levels[operand.node()]).max().unwrap_or(0);
        levels[index] = below + node.levels();
    }
    levels
}

impl Circuit {
    /// Counts gates, depth and widths.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        Statistics::of(self)
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} input bits, {} output bits, {} gates (AND {}, XOR {}, disjoint OR {}, majority {}, tables {}), depth {}",
            self.input_bits,
            self.output_bits,
            self.gates(),
            self.ands,
            self.xors,
            self.unions,
            self.majorities,
            self.tables,
            self.depth
        )
    }
}

impl fmt::Display for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", cryptable_wire::printable(&self.name), self.statistics())
    }
}
