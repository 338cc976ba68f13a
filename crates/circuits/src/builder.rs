//! Builds circuits gate by gate and simplifies them as they grow: constants fold, inversions cancel, equal gates are
//! merged.

use std::collections::{HashMap, HashSet};

use cryptable_bits::BitTable;

use crate::circuit::{Circuit, InputWord, Node, OutputWord};
use crate::disjoint::are_disjoint;
use crate::signal::Signal;
use crate::table_node::{Reduced, reduced};

/// A port that cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PortError {
    /// Two inputs, or two outputs, have the same name.
    #[error("two ports have the name {0}")]
    Duplicate(String),
    /// A word has no bits.
    #[error("port {0} has no bits")]
    Empty(String),
}

/// Builds a [`Circuit`].
///
/// ```
/// use cryptable_circuits::CircuitBuilder;
/// let mut builder = CircuitBuilder::new("full_adder");
/// let [x, y, z] = ["x", "y", "z"].map(|name| builder.input(name, 1).unwrap()[0]);
/// let (sum, carry) = builder.full_adder(x, y, z);
/// builder.output("sum", &[sum, carry])?;
/// let circuit = builder.finish();
/// assert_eq!(circuit.evaluate_words(&[1, 1, 1])?, [3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CircuitBuilder {
    name: String,
    nodes: Vec<Node>,
    known: HashMap<Node, usize>,
    inputs: Vec<InputWord>,
    outputs: Vec<OutputWord>,
    /// Names of inputs (`true`) and of outputs (`false`).
    names: HashSet<(bool, String)>,
    input_bits: u32,
}

impl CircuitBuilder {
    /// Returns an empty circuit.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            nodes: vec![Node::False],
            known: HashMap::from([(Node::False, 0)]),
            inputs: Vec::new(),
            outputs: Vec::new(),
            names: HashSet::new(),
            input_bits: 0,
        }
    }

    /// Adds a word of inputs, the least significant bit first.
    ///
    /// # Errors
    /// If there is an input with this name, or `width` is 0.
    pub fn input(&mut self, name: &str, width: usize) -> Result<Vec<Signal>, PortError> {
        self.check_port(true, name, width)?;
        self.inputs.push(InputWord { name: name.to_owned(), width });
        Ok((0..width)
            .map(|_| {
                self.input_bits += 1;
                self.node(Node::Input(self.input_bits - 1))
            })
            .collect())
    }

    /// Adds a word of outputs, the least significant bit first.
    ///
    /// # Errors
    /// If there is an output with this name, or there are no bits.
    pub fn output(&mut self, name: &str, signals: &[Signal]) -> Result<(), PortError> {
        self.check_port(false, name, signals.len())?;
        self.outputs.push(OutputWord { name: name.to_owned(), signals: signals.to_vec() });
        Ok(())
    }

    fn check_port(&mut self, input: bool, name: &str, width: usize) -> Result<(), PortError> {
        if width == 0 {
            return Err(PortError::Empty(name.to_owned()));
        }
        if !self.names.insert((input, name.to_owned())) {
            return Err(PortError::Duplicate(name.to_owned()));
        }
        Ok(())
    }

    /// Number of nodes so far, dead ones included.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the signal of a node, which is added if there is no equal node yet.
    fn node(&mut self, node: Node) -> Signal {
        let next = self.nodes.len();
        let index = *self.known.entry(node).or_insert(next);
        if index == next {
            self.nodes.push(node);
        }
        Signal::of(index)
    }

    /// a ∧ b, simplified where the structure allows it: at most one gate.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        // Constants come first.
        match (a, b) {
            (Signal::FALSE, _) => Signal::FALSE,
            (Signal::TRUE, _) => b,
            _ if a == b => a,
            _ if a == !b => Signal::FALSE,
            _ => self.node(Node::And(a, b)),
        }
    }

    /// a ∨ b.
    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        let constant = a.node() == 0 || b.node() == 0 || a.node() == b.node();
        if !constant && are_disjoint(&self.nodes, a, b) {
            return self.disjoint_or(a, b);
        }
        !self.and(!a, !b)
    }

    /// OR of two signals that are never both 1.
    pub(crate) fn disjoint_or(&mut self, a: Signal, b: Signal) -> Signal {
        self.node(if a <= b { Node::Union(a, b) } else { Node::Union(b, a) })
    }

    /// a ⊕ b, simplified where the structure allows it: at most one gate.
    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        let invert = a.is_inverted() ^ b.is_inverted();
        let (x, y) = (a.positive().min(b.positive()), a.positive().max(b.positive()));
        if x == Signal::FALSE {
            return y.inverted_if(invert);
        }
        if x == y {
            return Signal::constant(invert);
        }
        // If one of the four choices of complements is disjoint, XOR is an addition.
        for (p, q) in [(x, y), (x, !y), (!x, y), (!x, !y)] {
            if are_disjoint(&self.nodes, p, q) {
                let flipped = p.is_inverted() ^ q.is_inverted();
                return self.disjoint_or(p, q).inverted_if(invert ^ flipped);
            }
        }
        self.node(Node::Xor(x, y)).inverted_if(invert)
    }

    /// XOR of all signals.
    pub fn xor_all(&mut self, signals: &[Signal]) -> Signal {
        // Splitting in halves gives the tree the least depth.
        match signals {
            [] => Signal::FALSE,
            [one] => *one,
            _ => {
                let (low, high) = signals.split_at(signals.len() / 2);
                let (low, high) = (self.xor_all(low), self.xor_all(high));
                self.xor(low, high)
            }
        }
    }

    /// `a` where `select` is 1, `b` where it is 0: `select·a + !select·b`, one level.
    pub fn multiplexer(&mut self, select: Signal, a: Signal, b: Signal) -> Signal {
        if a == !b {
            return self.xor(select, b);
        }
        let (chosen, other) = (self.and(select, a), self.and(!select, b));
        self.or(chosen, other)
    }

    /// Majority: whether at least two of three signals are 1.
    pub fn majority(&mut self, a: Signal, b: Signal, c: Signal) -> Signal {
        let mut list = [a, b, c];
        list.sort_unstable();
        let [x, y, z] = list;
        // Sorting makes equal and complementary signals neighbours.
        match () {
            () if x.node() == y.node() => return if x == y { x } else { z },
            () if y.node() == z.node() => return if y == z { y } else { x },
            () if x == Signal::FALSE => return self.and(y, z),
            () if x == Signal::TRUE => return self.or(y, z),
            () => {}
        }
        // Majority is its own dual: at most one operand remains inverted.
        let invert = list.iter().filter(|signal| signal.is_inverted()).count() >= 2;
        let list = list.map(|signal| signal.inverted_if(invert));
        self.node(Node::Majority(list)).inverted_if(invert)
    }

    /// A table of up to eight signals: input i of the table is signal i. Constants, inversions and signals without
    /// influence are folded into the table. If one or two signals remain, the result is a signal or a gate.
    ///
    /// # Panics
    /// If the number of signals is not the table's number of inputs.
    pub fn table(&mut self, table: &BitTable, signals: &[Signal]) -> Signal {
        match reduced(table, signals) {
            Reduced::Signal(signal) => signal,
            Reduced::Gate(outputs, [a, b], inverted) => {
                let gate = match outputs {
                    [true, false, false] => self.and(a, !b),
                    [false, true, false] => self.and(!a, b),
                    [false, false, true] => self.and(a, b),
                    [true, true, false] => self.xor(a, b),
                    [true, true, true] => self.or(a, b),
                    _ => unreachable!("both signals matter"),
                };
                gate.inverted_if(inverted)
            }
            Reduced::Table(node, inverted) => self.node(Node::Table(node)).inverted_if(inverted),
        }
    }

    /// Sum and carry of two bits.
    pub fn half_adder(&mut self, a: Signal, b: Signal) -> (Signal, Signal) {
        (self.xor(a, b), self.and(a, b))
    }

    /// Sum and carry of three bits: the XOR and the majority.
    pub fn full_adder(&mut self, a: Signal, b: Signal, c: Signal) -> (Signal, Signal) {
        let partial = self.xor(a, b);
        (self.xor(partial, c), self.majority(a, b, c))
    }

    /// Copies a node of another circuit, over signals of this one.
    pub(crate) fn copy_of(&mut self, node: &Node, of: impl Fn(Signal) -> Signal) -> Signal {
        match *node {
            Node::False | Node::Input(_) => panic!("constants and inputs are not copied"),
            Node::And(a, b) => self.and(of(a), of(b)),
            Node::Xor(a, b) => self.xor(of(a), of(b)),
            Node::Union(a, b) => self.or(of(a), of(b)),
            Node::Majority(list) => {
                let [a, b, c] = list.map(of);
                self.majority(a, b, c)
            }
            Node::Table(node) => {
                let signals: Vec<Signal> = node.inputs().iter().map(|&signal| of(signal)).collect();
                self.table(node.table(), &signals)
            }
        }
    }

    /// Returns the circuit, without the nodes that no output needs.
    #[must_use]
    pub fn finish(self) -> Circuit {
        let mut needed = vec![false; self.nodes.len()];
        for signal in self.outputs.iter().flat_map(|word| &word.signals) {
            needed[signal.node()] = true;
        }
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if needed[index] {
                node.operands().for_each(|operand| needed[operand.node()] = true);
            }
        }
        // Inputs come first and are all kept: a word keeps its bits.
        let is_port = |node: &Node| matches!(node, Node::False | Node::Input(_));
        let ports = self.nodes.iter().enumerate().filter(|(_, node)| is_port(node));
        let kept = self.nodes.iter().enumerate();
        let kept = kept.filter(|&(index, node)| !is_port(node) && needed[index]);
        let mut new_index = vec![0; self.nodes.len()];
        let mut nodes = Vec::new();
        for (index, node) in ports.chain(kept) {
            let moved = |signal: Signal| {
                Signal::of(new_index[signal.node()]).inverted_if(signal.is_inverted())
            };
            let node = match *node {
                Node::And(a, b) => Node::And(moved(a), moved(b)),
                Node::Xor(a, b) => Node::Xor(moved(a), moved(b)),
                Node::Union(a, b) => Node::Union(moved(a), moved(b)),
                Node::Majority(list) => Node::Majority(list.map(moved)),
                Node::Table(node) => Node::Table(node.moved(moved)),
                port => port,
            };
            new_index[index] = nodes.len();
            nodes.push(node);
        }
        let mut outputs = self.outputs;
        for signal in outputs.iter_mut().flat_map(|word| &mut word.signals) {
            *signal = Signal::of(new_index[signal.node()]).inverted_if(signal.is_inverted());
        }
        Circuit { name: self.name, nodes, inputs: self.inputs, outputs }
    }
}

impl Circuit {
    /// Rebuilds every gate of the circuit. `make` receives the builder, the gate's number, the gate, and a map from
    /// earlier signals to new ones.
    pub(crate) fn rebuilt(
        &self,
        mut make: impl FnMut(&mut CircuitBuilder, usize, &Node, &dyn Fn(Signal) -> Signal) -> Signal,
    ) -> Self {
        let mut builder = CircuitBuilder::new(&self.name);
        let mut new = vec![Signal::FALSE];
        for word in &self.inputs {
            let word = builder.input(&word.name, word.width);
            new.extend(word.expect("the ports of a circuit are distinct"));
        }
        let of = |new: &[Signal], s: Signal| new[s.node()].inverted_if(s.is_inverted());
        for (index, node) in self.nodes.iter().enumerate().skip(new.len()) {
            let signal = make(&mut builder, index, node, &|signal| of(&new, signal));
            new.push(signal);
        }
        for word in &self.outputs {
            let signals: Vec<_> = word.signals.iter().map(|&signal| of(&new, signal)).collect();
            builder.output(&word.name, &signals).expect("the ports of a circuit are distinct");
        }
        builder.finish()
    }
}
