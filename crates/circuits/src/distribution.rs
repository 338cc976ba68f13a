//! Distribution: `(a + b)·c = ac + bc`. It applies to an AND that waits for a XOR, while its other operand is available
//! much earlier, and that only XORs read. Such an AND becomes a XOR of ANDs, which wait for less; a bootstrap sums them
//! at no cost.

use std::collections::BTreeMap;

use crate::circuit::{Circuit, Node};
use crate::signal::Signal;

/// Least number of levels by which the other operand is earlier: with fewer, the products gain nothing between two
/// bootstraps.
const EARLY: usize = 4;
/// Largest number of products that replace one AND.
const MOST: usize = 8;

impl Circuit {
    /// Returns the same functions with XORs moved behind products, if only XORs read the products. Only the XORs above
    /// the deepest product in a sum are moved. The result has more products, but fewer in a row.
    ///
    /// ```
    /// use cryptable_circuits::CircuitBuilder;
    /// let mut builder = CircuitBuilder::new("late");
    /// let x = builder.input("x", 16)?;
    /// // A product of five levels and two XORs, times a bit that is there from the start, into a XOR.
    /// let late = x[..6].iter().skip(1).fold(x[0], |product, &bit| builder.and(product, bit));
    /// let sum = builder.xor_all(&[late, x[6], x[7]]);
    /// let product = builder.and(sum, x[8]);
    /// let result = builder.xor(product, x[9]);
    /// builder.output("y", &[result])?;
    /// let circuit = builder.finish();
    /// let distributed = circuit.distributed();
    /// let ands = |circuit: &cryptable_circuits::Circuit| circuit.statistics().ands;
    /// assert_eq!((ands(&circuit), ands(&distributed)), (6, 7));
    /// for word in [0x3ff, 0x1ff, 0x17f, 0x040, 0x140] {
    ///     assert_eq!(circuit.evaluate_words(&[word])?, distributed.evaluate_words(&[word])?);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn distributed(&self) -> Self {
        let levels = crate::statistics::levels(self);
        let deepest = self.deepest_products(&levels);
        let summed = self.read_by_sums_only();
        self.rebuilt(|builder, index, node, of| {
            let Node::And(a, b) = *node else { return builder.copy_of(node, of) };
            let level = |signal: Signal| levels[signal.node()];
            let (early, late) = if level(a) < level(b) { (a, b) } else { (b, a) };
            let waits = summed[index] && level(early) + EARLY <= level(late);
            let terms =
                if waits { self.terms(late, &levels, deepest[late.node()]) } else { vec![] };
            if !(2..=MOST).contains(&terms.len()) {
                return builder.copy_of(node, of);
            }
            let products: Vec<Signal> =
                terms.into_iter().map(|term| builder.and(of(term), of(early))).collect();
            builder.xor_all(&products)
        })
    }

    /// Returns for every node the level of the deepest operand in its sum that is not itself a sum.
    fn deepest_products(&self, levels: &[usize]) -> Vec<usize> {
        let mut deepest = levels.to_vec();
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| is_sum(node)) {
            let below = node.operands().map(|operand| deepest[operand.node()]);
            deepest[index] = below.max().unwrap_or(0);
        }
        deepest
    }

    /// Nodes that are read by XORs only, and by at least one.
    fn read_by_sums_only(&self) -> Vec<bool> {
        let mut read = vec![[false; 2]; self.nodes.len()];
        for node in &self.nodes {
            node.operands()
                .for_each(|operand| read[operand.node()][usize::from(is_sum(node))] = true);
        }
        self.output_signals().for_each(|signal| read[signal.node()][0] = true);
        read.into_iter().map(|read| read == [false, true]).collect()
    }

    /// Signals whose XOR is `sum`, each at a level of at most `most` unless it cannot be split. Signals that occur
    /// twice are dropped.
    fn terms(&self, sum: Signal, levels: &[usize], most: usize) -> Vec<Signal> {
        let (mut open, mut count) = (vec![sum.positive()], BTreeMap::new());
        if sum.is_inverted() {
            count.insert(Signal::TRUE, 1);
        }
        while let Some(next) = open.pop() {
            let node = &self.nodes[next.node()];
            if is_sum(node) && !next.is_inverted() && levels[next.node()] > most {
                open.extend(node.operands());
            } else {
                *count.entry(next).or_insert(0) += 1;
            }
            if count.len() > MOST {
                return vec![];
            }
        }
        count.into_iter().filter(|(_, count)| count % 2 == 1).map(|(signal, _)| signal).collect()
    }
}

/// Returns whether the node is the XOR of its operands, as a disjoint OR also is.
fn is_sum(node: &Node) -> bool {
    matches!(node, Node::Xor(..) | Node::Union(..))
}
