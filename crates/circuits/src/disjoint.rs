//! Test whether the structure shows that two signals are never both 1: their OR is then an addition.
//!
//! The test finds `s·a` and `!s·b` of a multiplexer, `x·y` and `c·(x + y)` of a carry, and all carries of prefix adders. The
//! answer "no" means only that no proof was found.

use crate::circuit::Node;
use crate::signal::Signal;

/// Largest number of factors of a product that are examined.
const MAX_FACTORS: usize = 64;
/// Largest number of comparisons of products, so that a circuit of n nodes takes O(n) time. An adder of 64 bits needs
/// 63.
const MAX_COMPARISONS: usize = 80;

/// Returns whether `a` and `b` are provably never both 1.
pub(crate) fn are_disjoint(nodes: &[Node], a: Signal, b: Signal) -> bool {
    let (a, b) = (Factors::of(nodes, a), Factors::of(nodes, b));
    // In carries one side is a product and the other a sum of many: only the latter is split.
    split_disjoint(nodes, &a, &b, &mut { MAX_COMPARISONS })
        || split_disjoint(nodes, &b, &a, &mut { MAX_COMPARISONS })
}

/// Signals whose product is a signal.
#[derive(Clone)]
struct Factors {
    /// The signal itself and all factors, sorted.
    list: Vec<Signal>,
    /// Factors that are ORs.
    ors: Vec<Signal>,
}

impl Factors {
    fn of(nodes: &[Node], signal: Signal) -> Self {
        let mut found = Self { list: Vec::new(), ors: Vec::new() };
        found.extend(nodes, signal);
        found
    }

    fn extend(&mut self, nodes: &[Node], signal: Signal) {
        let mut open = vec![signal];
        while let Some(next) = open.pop() {
            if self.list.len() == MAX_FACTORS {
                break;
            }
            self.list.push(next);
            match (nodes[next.node()], next.is_inverted()) {
                (Node::And(x, y), false) => open.extend([x, y]),
                // !(x + y) = !x·!y.
                (Node::Union(x, y), true) => open.extend([!x, !y]),
                (Node::Union(..), false) | (Node::And(..), true) => self.ors.push(next),
                _ => {}
            }
        }
        self.list.sort_unstable();
    }

    /// Splits the first OR: `(x + y)·r = x·r + y·r`. The other ORs stay unsplit.
    fn split(&self, nodes: &[Node]) -> Option<[Self; 2]> {
        let (&or, rest) = self.ors.split_first()?;
        let terms = match nodes[or.node()] {
            Node::Union(x, y) => [x, y],
            Node::And(x, y) => [!x, !y],
            _ => unreachable!("an OR"),
        };
        Some(terms.map(|term| {
            let mut product = Self { list: self.list.clone(), ors: rest.to_vec() };
            product.extend(nodes, term);
            product
        }))
    }
}

/// Returns whether each product in the sum `a` contradicts `b`, whose sums are not split.
fn split_disjoint(nodes: &[Node], a: &Factors, b: &Factors, budget: &mut usize) -> bool {
    let Some(left) = budget.checked_sub(1) else { return false };
    *budget = left;
    contradict(nodes, &a.list, &b.list)
        || a.split(nodes)
            .is_some_and(|terms| terms.iter().all(|term| split_disjoint(nodes, term, b, budget)))
}

fn contradict(nodes: &[Node], a: &[Signal], b: &[Signal]) -> bool {
    let opposite = a.iter().any(|&signal| b.binary_search(&!signal).is_ok());
    opposite || contradicts_a_sum(nodes, a, b) || contradicts_a_sum(nodes, b, a)
}

/// Returns whether a factor x + y (modulo 2) of `a` is 0 where all factors of `b` are 1.
fn contradicts_a_sum(nodes: &[Node], a: &[Signal], b: &[Signal]) -> bool {
    let value = |signal: Signal| match (b.binary_search(&signal), b.binary_search(&!signal)) {
        (Ok(_), _) => Some(true),
        (_, Ok(_)) => Some(false),
        _ => None,
    };
    a.iter().any(|&signal| match nodes[signal.node()] {
        Node::Xor(x, y) => match (value(x), value(y)) {
            (Some(x), Some(y)) => x ^ y == signal.is_inverted(),
            _ => false,
        },
        _ => false,
    })
}
