//! Search for full and half adders in a circuit, by what nodes compute and not by how they are written.
//!
//! A cut of a node is a set of nodes that determine it. All cuts with at most three leaves are enumerated, starting at
//! the inputs, each with its truth table (as in technology mapping: P. Pan, C.-C. Lin, "A New Retiming-Based Technology
//! Mapping Algorithm for LUT-based FPGAs", FPGA 1998). This finds a majority of three, inverted or not, in carries of
//! every kind; a parity of the same leaves is the sum that goes with it.

use std::collections::HashMap;

use cryptable_bits::SumGate;

use crate::circuit::{Circuit, Node};
use crate::signal::Signal;

/// Largest number of cuts that are kept per node.
const MAX_CUTS: usize = 12;

/// A sum of two or three bits: its carry, and its low bit if a node computes that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Adder {
    /// The bits that are added.
    pub(super) leaves: Vec<Signal>,
    /// The node of the carry: the AND of two bits, the majority of three.
    pub(super) carry: usize,
    /// The node of the parity, if any, and whether it is the complement of the parity.
    pub(super) sum: Option<(usize, bool)>,
}

impl Adder {
    /// The functions of the sum that the adder computes: the parity first if `with_sum`, then the carry.
    pub(super) fn gates(&self, with_sum: bool) -> Vec<SumGate> {
        let bits = self.leaves.len();
        let parity = with_sum.then(|| SumGate::parity(bits));
        let gates = parity.into_iter().chain([SumGate::at_least(2, bits)]);
        gates.map(|gate| gate.expect("two bits or three")).collect()
    }
}

/// Nodes that determine another node, with the function.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    /// Leaves in ascending order.
    leaves: Vec<usize>,
    /// Truth table: bit i is the value where leaf k is bit k of i.
    table: u8,
}

impl Cut {
    /// The value where the leaves of a larger cut are the bits of `index`.
    fn at(&self, leaves: &[usize], index: usize) -> bool {
        let place = |leaf: &usize| leaves.binary_search(leaf).expect("a larger cut");
        let own = self.leaves.iter().enumerate();
        let own = own.map(|(k, leaf)| (index >> place(leaf) & 1) << k).sum::<usize>();
        self.table >> own & 1 == 1
    }
}

/// Union of the leaves of two cuts, if they are few enough.
fn joined(a: &Cut, b: &Cut) -> Option<Vec<usize>> {
    let mut leaves = [&a.leaves[..], &b.leaves[..]].concat();
    leaves.sort_unstable();
    leaves.dedup();
    (leaves.len() <= 3).then_some(leaves)
}

/// Cuts of every node, the trivial one first.
fn cuts(circuit: &Circuit) -> Vec<Vec<Cut>> {
    let mut all: Vec<Vec<Cut>> = Vec::with_capacity(circuit.nodes().len());
    for (index, node) in circuit.nodes().iter().enumerate() {
        let mut found = vec![Cut { leaves: vec![index], table: 0b10 }];
        match *node {
            Node::And(a, b) => join_cuts(&mut found, &all, [a, b], |x, y| x & y),
            Node::Xor(a, b) => join_cuts(&mut found, &all, [a, b], |x, y| x ^ y),
            Node::Union(a, b) => join_cuts(&mut found, &all, [a, b], |x, y| x | y),
            Node::Majority(list) => found.push(cut_of_majority(list)),
            Node::False | Node::Input(_) | Node::Table(_) => {}
        }
        all.push(found);
    }
    all
}

/// Adds every pair of cuts of two operands that has few enough leaves.
fn join_cuts(
    found: &mut Vec<Cut>,
    all: &[Vec<Cut>],
    [a, b]: [Signal; 2],
    gate: impl Fn(bool, bool) -> bool,
) {
    let of_b = &all[b.node()];
    for (x, y) in all[a.node()].iter().flat_map(|x| of_b.iter().map(move |y| (x, y))) {
        let Some(leaves) = joined(x, y) else { continue };
        if found.len() == MAX_CUTS {
            return;
        }
        if found.iter().any(|cut| cut.leaves == leaves) {
            continue;
        }
        let value =
            |i: usize| gate(x.at(&leaves, i) ^ a.is_inverted(), y.at(&leaves, i) ^ b.is_inverted());
        let table = (0..1 << leaves.len()).map(|i| u8::from(value(i)) << i).sum();
        found.push(Cut { leaves, table });
    }
}

/// The cut of a majority by its three operands, which belong to different nodes.
fn cut_of_majority(list: [Signal; 3]) -> Cut {
    let mut leaves = list.map(Signal::node);
    leaves.sort_unstable();
    let place = |s: Signal| leaves.binary_search(&s.node()).expect("a leaf");
    let is_one = |i: usize, s: Signal| (i >> place(s) & 1 == 1) ^ s.is_inverted();
    let value = |i: usize| list.iter().filter(|&&s| is_one(i, s)).count() >= 2;
    let table = (0..8).map(|i| u8::from(value(i)) << i).sum();
    Cut { leaves: leaves.to_vec(), table }
}

/// The leaves of a cut that is their majority.
fn majority_of(cut: &Cut) -> Option<Vec<Signal>> {
    let signals = |phases: usize| {
        let signal =
            |(k, &leaf): (usize, &usize)| Signal::of(leaf).inverted_if(phases >> k & 1 == 1);
        cut.leaves.iter().enumerate().map(signal).collect()
    };
    let table = |phases: usize| -> u8 {
        (0..8usize).map(|i| u8::from((i ^ phases).count_ones() >= 2) << i).sum()
    };
    if cut.leaves.len() != 3 {
        return None;
    }
    (0..8).find(|&phases| table(phases) == cut.table).map(signals)
}

/// Whether a cut is the parity of its leaves; if so, whether inverted.
fn parity_of(cut: &Cut) -> Option<bool> {
    let table: u8 = (0..1usize << cut.leaves.len()).map(|i| (i.count_ones() as u8 & 1) << i).sum();
    let all = ((1u16 << (1 << cut.leaves.len())) - 1) as u8;
    match cut.table {
        found if found == table => Some(false),
        found if found == !table & all => Some(true),
        _ => None,
    }
}

impl Circuit {
    /// Returns the same circuit with every majority as a node, however it was written.
    pub(crate) fn with_majorities(&self) -> Self {
        let cuts = cuts(self);
        self.rebuilt(|builder, index, node, of| {
            match cuts[index].iter().find_map(majority_of) {
                Some(leaves) => builder.majority(of(leaves[0]), of(leaves[1]), of(leaves[2])),
                None => match *node {
                    // The two are never both 1, even if that can no longer be shown.
                    Node::Union(a, b) => builder.disjoint_or(of(a), of(b)),
                    _ => builder.copy_of(node, of),
                },
            }
        })
    }
}

/// All adders of a circuit: of three bits, and of two.
pub(super) fn adders(circuit: &Circuit) -> Vec<Adder> {
    let cuts = cuts(circuit);
    let mut parities: HashMap<&[usize], (usize, bool)> = HashMap::new();
    for (index, own) in cuts.iter().enumerate() {
        for cut in own.iter().filter(|cut| cut.leaves.len() > 1) {
            if let Some(inverted) = parity_of(cut) {
                parities.entry(&cut.leaves).or_insert((index, inverted));
            }
        }
    }
    let mut adders = Vec::new();
    for (index, own) in cuts.iter().enumerate() {
        let leaves = match circuit.nodes()[index] {
            Node::And(a, b) => Some(vec![a, b]),
            _ => None,
        };
        let Some(leaves) = own.iter().find_map(majority_of).or(leaves) else { continue };
        let mut nodes: Vec<usize> = leaves.iter().map(|leaf| leaf.node()).collect();
        nodes.sort_unstable();
        let flipped = leaves.iter().filter(|leaf| leaf.is_inverted()).count() % 2 == 1;
        let sum = parities.get(&nodes[..]).map(|&(node, inverted)| (node, inverted ^ flipped));
        adders.push(Adder { leaves, carry: index, sum });
    }
    adders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::CircuitBuilder;

    /// The carry of three bits in four ways, and their sum.
    fn circuit(kind: usize, inverted: usize) -> Circuit {
        let mut builder = CircuitBuilder::new("adder");
        let x = builder.input("x", 3).unwrap();
        let [a, b, c] = [0, 1, 2].map(|k| x[k].inverted_if(inverted >> k & 1 == 1));
        let (both, one) = (builder.and(a, b), builder.xor(a, b));
        let carry = match kind {
            0 => {
                let carried = builder.and(one, c);
                builder.or(both, carried)
            }
            1 => {
                let either = builder.or(a, b);
                let carried = builder.and(either, c);
                builder.or(both, carried)
            }
            2 => builder.multiplexer(one, c, a),
            _ => builder.majority(a, b, c),
        };
        let sum = builder.xor(one, c);
        builder.output("y", &[sum, carry]).unwrap();
        builder.finish()
    }

    #[test]
    fn carries_of_every_kind_are_seen() {
        for (kind, inverted) in (0..4).flat_map(|kind| (0..8).map(move |i| (kind, i))) {
            let lowered = circuit(kind, inverted);
            let majorities = lowered.with_majorities();
            let nodes = majorities.nodes().iter();
            assert_eq!(nodes.filter(|node| matches!(node, Node::Majority(_))).count(), 1);
            for found in [&lowered, &majorities] {
                let lanes = [0b1010_1010, 0b1100_1100, 0b1111_0000];
                let expected = circuit(3, inverted).evaluate_lanes(&lanes).unwrap();
                assert_eq!(found.evaluate_lanes(&lanes).unwrap(), expected);
                let of_three = adders(found).into_iter().filter(|adder| adder.leaves.len() == 3);
                let of_three: Vec<_> = of_three.collect();
                let [Adder { leaves, carry, sum: Some((sum, flipped)) }] = &of_three[..] else {
                    panic!("{kind} {inverted}: {of_three:?}")
                };
                // The adder computes the same as its nodes.
                let outputs: Vec<_> = found.output_signals().collect();
                for index in 0..8usize {
                    let bits = [0, 1, 2].map(|k| index >> k & 1 == 1);
                    let count = leaves
                        .iter()
                        .filter(|leaf| bits[leaf.node() - 1] ^ leaf.is_inverted())
                        .count();
                    let values = found.evaluate(&bits).unwrap();
                    for (node, value) in [(*sum, (count % 2 == 1) ^ flipped), (*carry, count >= 2)]
                    {
                        let at = outputs.iter().position(|output| output.node() == node);
                        let at = at.expect("an output");
                        assert_eq!(values[at] ^ outputs[at].is_inverted(), value);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_adder_is_not_seen() {
        let mut builder = CircuitBuilder::new("chosen");
        let x = builder.input("x", 3).unwrap();
        let chosen = builder.multiplexer(x[0], x[1], x[2]);
        builder.output("y", &[chosen]).unwrap();
        let circuit = builder.finish();
        assert!(
            adders(&circuit).iter().all(|adder| adder.leaves.len() == 2 && adder.sum.is_none())
        );
        assert_eq!(circuit.with_majorities(), circuit);
    }
}
