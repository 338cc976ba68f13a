//! Choice of the nodes that are bootstrapped: as few as possible, such that no more gates in a row lie between two
//! bootstraps than there are levels.
//!
//! The height of a node is the number of gates in a row since the last bootstrap. Nodes whose height exceeds the levels
//! are visited in topological order. All of them that depend on no other such node are treated at once: every path of
//! greatest height to one of them must pass a bootstrap, so that a cheapest set of bootstraps is a minimum cut of these
//! paths. Then heights are computed anew, and so on to the outputs. To hit all paths of a given length is NP-hard in
//! general; this method is exact for each cut by itself.
//!
//! XORs (and disjoint ORs, which are also XORs) consume no level on the way into BinBoot. A XOR that is bootstrapped,
//! or read only by such XORs, may therefore exceed the levels.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::full_adders::Adder;
use super::vertex_cut::Network;
use crate::circuit::{Circuit, Node};
use crate::signal::Signal;

/// Limits of a placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Largest number of gates in a row.
    pub(super) levels: usize,
    /// Largest number of summands of a BinBoot.
    pub(super) summands: usize,
    /// Number of levels that adders, two functions of a sum with one bootstrap, leave fewer than `levels`. `None` if
    /// there is no level for them: then sums are bootstrapped separately.
    pub(super) adders: Option<usize>,
    /// Additional cost of a bootstrap for each level that it comes too early, in thousandths.
    pub(super) early: u64,
}

/// A XOR as the parity of nodes, some of which may be computed XORs themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parity {
    /// Nodes in ascending order, each once.
    pub(super) nodes: Vec<usize>,
    /// Whether the parity is inverted.
    pub(super) inverted: bool,
}

/// Bootstrapped nodes of a circuit.
#[derive(Debug)]
pub(super) struct Placement {
    pub(super) bootstrapped: Vec<bool>,
    /// Parities of XORs and disjoint ORs: the sum that BinBoot would bootstrap.
    pub(super) parities: Vec<Option<Parity>>,
    heights: Vec<usize>,
    /// Heights of bootstrapped nodes: not 0 for results of adders.
    base: Vec<usize>,
    most_levels: usize,
    /// Whether a node needs a bootstrap or depends on one that does: such nodes are measured later.
    behind: Vec<bool>,
    /// Nodes that read each node.
    readers: Readers,
    /// Nodes that are yet to be measured.
    queue: BinaryHeap<Reverse<usize>>,
    is_queued: Vec<bool>,
    /// Number of measurements of nodes so far.
    #[cfg(test)]
    visits: usize,
}

/// Cost of a bootstrap in time.
const COST: u64 = 1000;
/// Cost factor of bootstraps after which there are still too many gates in a row.
const TOO_EARLY: u64 = 8;
/// How far the sum of a bootstrapped node may exceed the limit. Bootstraps that are placed later lengthen it, because
/// terms that cancelled no longer do.
const LONGER: usize = 4;
/// Upper limit for the length of sums, unless `Limits::summands` is larger: the lists of all sums are traversed
/// repeatedly.
const LONGEST: usize = 256;
/// Cost of nodes that cannot be bootstrapped.
const IMPOSSIBLE: u64 = 1 << 40;

impl Placement {
    /// Chooses the nodes of a circuit. Majorities are bootstrapped, together with the sums of the same bits if that is
    /// possible.
    pub(super) fn new(circuit: &Circuit, limits: Limits, adders: &[Adder]) -> Self {
        let count = circuit.nodes().len();
        let mut placement = Self {
            bootstrapped: vec![false; count],
            parities: vec![None; count],
            heights: vec![0; count],
            base: vec![0; count],
            most_levels: limits.levels,
            behind: vec![false; count],
            readers: Readers::of(circuit),
            queue: (0..count).map(Reverse).collect(),
            is_queued: vec![true; count],
            #[cfg(test)]
            visits: 0,
        };
        let mut scratch = Scratch::new(count);
        let mut is_read = vec![false; count];
        circuit.output_signals().for_each(|signal| is_read[signal.node()] = true);
        placement.bootstrap_majorities(circuit, limits, adders, &mut is_read);
        loop {
            let front = placement.measure(circuit, limits, &is_read);
            if front.is_empty() {
                return placement;
            }
            let cut = placement.cut(circuit, limits, &front, &mut scratch);
            // Every node of the front now has a bootstrap before it.
            for node in cut {
                placement.bootstrapped[node] = true;
                placement.enqueue(node);
                placement.enqueue_readers(node);
            }
            front.into_iter().for_each(|node| placement.enqueue(node));
        }
    }

    fn enqueue(&mut self, node: usize) {
        if !std::mem::replace(&mut self.is_queued[node], true) {
            self.queue.push(Reverse(node));
        }
    }

    /// Queues the nodes that read a node.
    fn enqueue_readers(&mut self, node: usize) {
        for reader in self.readers.start[node]..self.readers.start[node + 1] {
            self.enqueue(self.readers.list[reader]);
        }
    }

    /// Bootstraps majorities and the sums beside them. The bits that they sum are computed as values of their own.
    fn bootstrap_majorities(
        &mut self,
        circuit: &Circuit,
        limits: Limits,
        adders: &[Adder],
        is_read: &mut [bool],
    ) {
        let is_majority = |node: usize| matches!(circuit.nodes()[node], Node::Majority(_));
        for Adder { leaves, carry, sum } in adders.iter().filter(|it| is_majority(it.carry)) {
            leaves.iter().for_each(|leaf| is_read[leaf.node()] = true);
            self.bootstrapped[*carry] = true;
            if let (Some(base), Some((sum, _))) = (limits.adders, sum) {
                self.bootstrapped[*sum] = true;
                [self.base[*sum], self.base[*carry]] = [base; 2];
            }
        }
    }

    /// Returns whether a node has a value of its own within the levels, or can have one.
    pub(super) fn is_computable(&self, index: usize) -> bool {
        self.heights[index] <= self.most_levels
    }

    /// Number of summands of the longest sum that is bootstrapped.
    pub(super) fn longest_sum(&self) -> usize {
        let sums = self.parities.iter().zip(&self.bootstrapped).filter(|(_, booted)| **booted);
        sums.filter_map(|(parity, _)| Some(parity.as_ref()?.nodes.len())).max().unwrap_or(0)
    }

    /// Measures the heights and parities of the nodes in the queue, operands first, and of the nodes that depend on
    /// changes. Returns the nodes that need a bootstrap before or in them, and depend on no other such node.
    ///
    /// Each node is visited a few times, however many fronts there are: readers of unchanged nodes, and of nodes that
    /// stay behind a front, are not visited.
    fn measure(&mut self, circuit: &Circuit, limits: Limits, is_read: &[bool]) -> Vec<usize> {
        let mut front = Vec::new();
        while let Some(Reverse(index)) = self.queue.pop() {
            self.is_queued[index] = false;
            #[cfg(test)]
            {
                self.visits += 1;
            }
            let node = &circuit.nodes()[index];
            let was_behind = self.behind[index];
            let behind = node.operands().any(|operand| self.behind[operand.node()]);
            let mut changed = behind != was_behind;
            self.behind[index] = behind;
            if !behind {
                changed |= self.measure_node(circuit, limits, index);
                let computed = is_read[index] || matches!(node, Node::And(..) | Node::Table(_));
                if computed && self.heights[index] > limits.levels {
                    self.behind[index] = true;
                    front.push(index);
                    // Readers learn the height after the node, or a node before it, is bootstrapped.
                    changed = !was_behind;
                }
            }
            if changed {
                self.enqueue_readers(index);
            }
        }
        front
    }

    /// Measures the height and parity of a node after its operands. Returns whether one of them changed.
    fn measure_node(&mut self, circuit: &Circuit, limits: Limits, index: usize) -> bool {
        let node = &circuit.nodes()[index];
        let below = self.highest_operand(node);
        let height =
            if self.bootstrapped[index] { self.base[index] } else { below + node.levels() };
        let parity = match *node {
            Node::Xor(a, b) | Node::Union(a, b) => self.parity(circuit, limits, [a, b]),
            _ => None,
        };
        let changed = height != self.heights[index] || parity != self.parities[index];
        self.heights[index] = height;
        self.parities[index] = parity;
        changed
    }

    fn highest_operand(&self, node: &Node) -> usize {
        node.operands().map(|operand| self.heights[operand.node()]).max().unwrap_or(0)
    }

    /// The sum of two operands, each expanded to its own parity if that is short enough.
    fn parity(&self, circuit: &Circuit, limits: Limits, [a, b]: [Signal; 2]) -> Option<Parity> {
        let nodes = [a.node(), b.node()];
        let expanded = |k: usize| {
            let own = self.parities[nodes[k]].as_ref().filter(|_| !self.bootstrapped[nodes[k]]);
            own.map(|own| (&own.nodes[..], own.inverted))
        };
        // Not expanded: an AND is always computed, a XOR only if its height allows it.
        let single = |k: usize| {
            let index = nodes[k];
            let computed = matches!(
                circuit.nodes()[index],
                Node::And(..) | Node::Majority(_) | Node::Table(_) | Node::Input(_)
            );
            let is_value = computed || self.heights[index] <= limits.levels;
            is_value.then(|| (std::slice::from_ref(&nodes[k]), false))
        };
        let choice = |k: usize, own: bool| if own { expanded(k) } else { single(k) };
        let most = (LONGER * limits.summands).min(LONGEST).max(limits.summands);
        let mut shortest: Option<(usize, [&[usize]; 2], bool)> = None;
        for (own_a, own_b) in [(true, true), (true, false), (false, true), (false, false)] {
            let (Some(x), Some(y)) = (choice(0, own_a), choice(1, own_b)) else { continue };
            let length = in_one(x.0, y.0).count();
            let shorter = shortest.is_none_or(|(least, ..)| length < least);
            // Operands that would cancel completely are not expanded.
            if (1..=most).contains(&length) && shorter {
                shortest = Some((length, [x.0, y.0], x.1 ^ y.1));
            }
            if (1..=limits.summands).contains(&length) {
                break;
            }
        }
        let inverted = a.is_inverted() ^ b.is_inverted();
        shortest.map(|(length, [x, y], flipped)| {
            let mut nodes = Vec::with_capacity(length);
            nodes.extend(in_one(x, y));
            Parity { nodes, inverted: inverted ^ flipped }
        })
    }

    /// Returns whether a node can be bootstrapped: its operands are computed, or its sum is.
    fn is_possible(&self, circuit: &Circuit, limits: Limits, index: usize) -> bool {
        match &circuit.nodes()[index] {
            Node::Xor(..) | Node::Union(..) => {
                let parity = self.parities[index].as_ref();
                parity.is_some_and(|parity| parity.nodes.len() <= limits.summands)
            }
            // A table is evaluated before its bootstrap.
            node @ Node::Table(_) => self.highest_operand(node) + node.levels() <= limits.levels,
            node => self.highest_operand(node) <= limits.levels,
        }
    }

    /// A minimum cut of the highest paths to the front.
    fn cut(
        &self,
        circuit: &Circuit,
        limits: Limits,
        front: &[usize],
        Scratch { target, number }: &mut Scratch,
    ) -> Vec<usize> {
        // All nodes on such paths, the last ones first, with the greatest height to which they lead.
        front.iter().for_each(|&index| target[index] = self.heights[index]);
        let mut open: BinaryHeap<usize> = front.iter().copied().collect();
        let mut ways = Vec::new();
        let tight = |index: usize| {
            let node = &circuit.nodes()[index];
            let below = self.heights[index] - node.levels();
            node.operands().map(Signal::node).filter(move |&operand| self.heights[operand] == below)
        };
        // A node of height 0 is bootstrapped, an input, or a disjoint OR of such nodes.
        let on_ways = |index: usize| self.heights[index] > 0 && !self.bootstrapped[index];
        while let Some(index) = open.pop() {
            ways.push(index);
            for operand in tight(index).filter(|&operand| on_ways(operand)) {
                if target[operand] == 0 {
                    open.push(operand);
                }
                target[operand] = target[operand].max(target[index]);
            }
        }
        ways.iter().enumerate().for_each(|(k, &index)| number[index] = k);
        let costs: Vec<u64> = ways
            .iter()
            .map(|&index| {
                let early = (target[index] - self.heights[index]) as u64;
                let cost = COST + limits.early * early;
                match () {
                    () if !self.is_possible(circuit, limits, index) => IMPOSSIBLE,
                    () if early as usize > limits.levels => TOO_EARLY * cost,
                    () => cost,
                }
            })
            .collect();
        let mut network = Network::new(&costs);
        for (k, &index) in ways.iter().enumerate() {
            for operand in tight(index) {
                if on_ways(operand) {
                    network.connect(number[operand], k);
                } else {
                    network.source(k);
                }
            }
        }
        front.iter().for_each(|&index| network.sink(number[index]));
        ways.iter().for_each(|&index| target[index] = 0);
        network.cut().into_iter().map(|k| ways[k]).collect()
    }
}

/// The readers of each node, in one list.
#[derive(Debug)]
struct Readers {
    /// Where the readers of each node begin.
    start: Vec<usize>,
    list: Vec<usize>,
}

impl Readers {
    fn of(circuit: &Circuit) -> Self {
        let nodes = circuit.nodes();
        let mut start = vec![0; nodes.len() + 1];
        let operands = |node: &Node| node.operands().map(Signal::node).collect::<Vec<_>>();
        for node in nodes {
            operands(node).into_iter().for_each(|operand| start[operand + 1] += 1);
        }
        for index in 0..nodes.len() {
            start[index + 1] += start[index];
        }
        let mut next = start.clone();
        let mut list = vec![0; start[nodes.len()]];
        for (index, node) in nodes.iter().enumerate() {
            for operand in operands(node) {
                list[next[operand]] = index;
                next[operand] += 1;
            }
        }
        Self { start, list }
    }
}

/// Buffers that all cuts of a circuit share.
struct Scratch {
    /// The greatest height to which a node leads; 0 if it is on no path.
    target: Vec<usize>,
    /// Numbers of nodes in the network, for nodes that are in it.
    number: Vec<usize>,
}

impl Scratch {
    fn new(count: usize) -> Self {
        Self { target: vec![0; count], number: vec![usize::MAX; count] }
    }
}

/// Nodes that are in exactly one of two sorted lists.
fn in_one<'a>(a: &'a [usize], b: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        loop {
            match (a.get(i), b.get(j)) {
                (Some(&x), Some(&y)) if x == y => (i, j) = (i + 1, j + 1),
                (Some(&x), y) if y.is_none_or(|&y| x < y) => {
                    i += 1;
                    return Some(x);
                }
                (_, Some(&y)) => {
                    j += 1;
                    return Some(y);
                }
                (_, None) => return None,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::CircuitBuilder;

    #[test]
    fn nodes_are_measured_a_few_times_however_deep_a_circuit_is() {
        for gates in [1000, 10_000] {
            let mut builder = CircuitBuilder::new("chain");
            let inputs = builder.input("x", 64).unwrap();
            // Each gate depends on the previous one, so that every few gates form a front.
            let mut last = inputs[0];
            let mut outputs = Vec::new();
            for k in 0..gates {
                let other = inputs[(k * k + 7 * k) % 64];
                let sum = builder.xor(last, other);
                last = builder.and(sum, !inputs[(5 * k + 3) % 64]);
                outputs.push(last);
            }
            builder.output("y", &outputs).unwrap();
            let circuit = builder.finish();
            let limits = Limits { levels: 2, summands: 8, adders: None, early: 0 };
            let placement = Placement::new(&circuit, limits, &[]);
            let (nodes, visits) = (circuit.nodes().len(), placement.visits);
            assert!(placement.heights.iter().all(|&height| height <= 3), "gates and sums of them");
            assert!(visits < 8 * nodes, "{visits} measurements of {nodes} nodes");
        }
    }
}
