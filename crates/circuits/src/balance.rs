//! Balancing: trees of ANDs and of XORs whose inner nodes have no other readers are rebuilt with least depth.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::builder::CircuitBuilder;
use crate::circuit::{Circuit, Node};
use crate::signal::Signal;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    And,
    Xor,
}

fn kind(node: &Node) -> Option<Kind> {
    match node {
        Node::And(..) => Some(Kind::And),
        Node::Xor(..) => Some(Kind::Xor),
        _ => None,
    }
}

impl Circuit {
    /// Returns the same functions at no greater depth. In a tree of equal gates whose inner nodes have no other
    /// readers, the two shallowest operands are joined first (Huffman), and operands that a XOR reads twice are
    /// dropped.
    ///
    /// ```
    /// use cryptable_circuits::CircuitBuilder;
    /// let mut builder = CircuitBuilder::new("parity");
    /// let word = builder.input("x", 16)?;
    /// let parity = word.iter().skip(1).fold(word[0], |sum, &bit| builder.xor(sum, bit));
    /// builder.output("parity", &[parity])?;
    /// let circuit = builder.finish();
    /// assert_eq!((circuit.statistics().depth, circuit.balanced().statistics().depth), (15, 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn balanced(&self) -> Self {
        let balanced = self.with_balanced_trees();
        // Products of other operands may share fewer nodes, which can make the result deeper. Such a result is
        // discarded.
        if balanced.statistics().depth <= self.statistics().depth { balanced } else { self.clone() }
    }

    fn with_balanced_trees(&self) -> Self {
        let interior = self.interior_nodes();
        let mut levels = vec![0];
        self.rebuilt(|builder, index, node, of| {
            if interior[index] {
                // Only its own tree reads it.
                return Signal::FALSE;
            }
            let Some(kind) = kind(node) else { return builder.copy_of(node, of) };
            let leaves = self.leaves(index, kind, &interior).map(of).collect();
            join(builder, &mut levels, kind, leaves)
        })
    }

    /// Nodes with a single reader, which is of the same kind and reads them without inversion.
    fn interior_nodes(&self) -> Vec<bool> {
        let mut readers = vec![0usize; self.nodes.len()];
        let mut interior = vec![false; self.nodes.len()];
        for node in &self.nodes {
            for operand in node.operands() {
                let (below, index) = (&self.nodes[operand.node()], operand.node());
                readers[index] += 1;
                interior[index] =
                    kind(node).is_some() && kind(node) == kind(below) && !operand.is_inverted();
            }
        }
        self.output_signals().for_each(|signal| readers[signal.node()] += 1);
        interior.iter().zip(readers).map(|(&interior, readers)| interior && readers == 1).collect()
    }

    /// Operands of a tree. For a XOR, only operands that occur an odd number of times.
    fn leaves(
        &self,
        root: usize,
        kind: Kind,
        interior: &[bool],
    ) -> impl Iterator<Item = Signal> + use<> {
        let (mut open, mut count) = (vec![root], BTreeMap::new());
        while let Some(next) = open.pop() {
            for operand in self.nodes[next].operands() {
                if interior[operand.node()] {
                    open.push(operand.node());
                } else {
                    *count.entry(operand).or_insert(0) += 1;
                }
            }
        }
        let kept = move |&(_, count): &(Signal, usize)| kind == Kind::And || count % 2 == 1;
        count.into_iter().filter(kept).map(|(signal, _)| signal)
    }
}

/// Joins the two shallowest operands until one is left.
fn join(
    builder: &mut CircuitBuilder,
    levels: &mut Vec<usize>,
    kind: Kind,
    leaves: Vec<Signal>,
) -> Signal {
    let mut level_of = |builder: &CircuitBuilder, signal: Signal| {
        for node in &builder.nodes()[levels.len()..] {
            let below = node.operands().map(|operand| levels[operand.node()]).max().unwrap_or(0);
            levels.push(below + node.levels());
        }
        levels[signal.node()]
    };
    let mut queue: BinaryHeap<_> =
        leaves.into_iter().map(|leaf| Reverse((level_of(builder, leaf), leaf))).collect();
    while queue.len() > 1 {
        let (Some(Reverse((_, a))), Some(Reverse((_, b)))) = (queue.pop(), queue.pop()) else {
            unreachable!("there are two")
        };
        let joined = match kind {
            Kind::And => builder.and(a, b),
            Kind::Xor => builder.xor(a, b),
        };
        queue.push(Reverse((level_of(builder, joined), joined)));
    }
    // All operands of a XOR cancelled.
    queue.pop().map_or(Signal::FALSE, |Reverse((_, signal))| signal)
}
