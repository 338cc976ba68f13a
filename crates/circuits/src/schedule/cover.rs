//! Choice of the operands of each node of a placement, and of the number of gates in a row between each node and the
//! next bootstraps.

use super::full_adders::Adder;
use super::placement::Placement;
use crate::circuit::{Circuit, Node};
use crate::signal::Signal;

/// A circuit with its bootstraps, some of which are of adders.
pub(super) struct Cover<'a> {
    pub(super) circuit: &'a Circuit,
    pub(super) placement: &'a Placement,
    /// Bootstraps evaluate the ANDs before them.
    gate_boots: bool,
    adders: &'a [Adder],
    /// The adder that computes a node, if any, and whether it also computes the sum.
    adder_of: Vec<Option<(usize, bool)>>,
}

/// The nodes that are computed, and for each the number of gates in a row that follow before bootstraps.
pub(super) struct Demand {
    pub(super) needed: Vec<bool>,
    pub(super) levels: Vec<usize>,
}

impl<'a> Cover<'a> {
    /// Replaces two bootstraps, of carry and sum, by an adder if its results need no more levels than `levels_of_pair`
    /// states for it. Majorities that are nodes are always bootstrapped.
    pub(super) fn new(
        circuit: &'a Circuit,
        placement: &'a Placement,
        gate_boots: bool,
        adders: &'a [Adder],
        levels_of_pair: impl Fn(&Adder) -> Option<usize>,
    ) -> Self {
        let adder_of = vec![None; circuit.nodes().len()];
        let mut cover = Self { circuit, placement, gate_boots, adders, adder_of };
        let booted = |node: usize| placement.bootstrapped[node];
        for (k, adder) in adders.iter().enumerate() {
            if !booted(adder.carry) {
                continue;
            }
            let is_node = matches!(circuit.nodes()[adder.carry], Node::Majority(_));
            if let Some((sum, _)) = adder.sum.filter(|&(sum, _)| booted(sum))
                && levels_of_pair(adder).is_some()
                && adder.leaves.iter().all(|leaf| placement.is_computable(leaf.node()))
                && cover.adder_of[sum].is_none()
                && cover.adder_of[adder.carry].is_none()
            {
                cover.adder_of[sum] = Some((k, true));
                cover.adder_of[adder.carry] = Some((k, true));
            } else if is_node {
                cover.adder_of[adder.carry] = Some((k, false));
            }
        }
        cover.drop_deep_pairs(levels_of_pair);
        cover
    }

    /// Splits adders whose results need more levels than a bootstrap of two functions leaves: carry and sum are
    /// bootstrapped separately.
    fn drop_deep_pairs(&mut self, levels_of_pair: impl Fn(&Adder) -> Option<usize>) {
        loop {
            let Demand { needed, levels } = self.demand();
            let mut changed = false;
            for index in 0..self.adder_of.len() {
                let Some((k, true)) = self.adder_of[index] else { continue };
                let Adder { carry, sum, .. } = &self.adders[k];
                let sum = sum.expect("a pair").0;
                let left = levels_of_pair(&self.adders[k]).unwrap_or(0);
                let both = needed[sum] && needed[*carry];
                if both && levels[sum].max(levels[*carry]) <= left {
                    continue;
                }
                let is_node = matches!(self.circuit.nodes()[*carry], Node::Majority(_));
                self.adder_of[sum] = None;
                self.adder_of[*carry] = is_node.then_some((k, false));
                changed = true;
            }
            if !changed {
                return;
            }
        }
    }

    /// Least number of bootstraps, before any bit is cleaned.
    pub(super) fn bootstraps(&self) -> usize {
        let needed = self.demand().needed;
        let booted = needed.iter().zip(&self.placement.bootstrapped).filter(|(a, b)| **a && **b);
        let in_pairs = self.adder_of.iter().filter(|adder| matches!(adder, Some((_, true))));
        booted.count() - in_pairs.count() / 2
    }

    /// The adder that computes a node, if any, and whether it also computes the sum.
    pub(super) fn adder_of(&self, index: usize) -> Option<(&'a Adder, bool)> {
        self.adder_of[index].map(|(k, with_sum)| (&self.adders[k], with_sum))
    }

    /// The nodes from whose values a node is computed.
    pub(super) fn sources(&self, index: usize) -> Vec<usize> {
        if let Some((adder, _)) = self.adder_of(index) {
            return adder.leaves.iter().map(|leaf| leaf.node()).collect();
        }
        match &self.placement.parities[index] {
            Some(parity) if self.placement.bootstrapped[index] => parity.nodes.clone(),
            _ => self.circuit.nodes()[index].operands().map(Signal::node).collect(),
        }
    }

    /// Returns whether this node is a gate between bootstraps, or right before BinBoot.
    pub(super) fn is_product(&self, index: usize) -> bool {
        let bootstrapped = self.placement.bootstrapped[index];
        match self.circuit.nodes()[index] {
            _ if self.adder_of[index].is_some() => false,
            Node::And(..) => !bootstrapped || !self.gate_boots,
            Node::Xor(..) => !bootstrapped,
            _ => false,
        }
    }

    /// Levels that a node consumes between bootstraps.
    fn levels_of(&self, index: usize) -> usize {
        match &self.circuit.nodes()[index] {
            Node::Table(node) => node.table().levels(),
            _ => usize::from(self.is_product(index)),
        }
    }

    /// Returns which nodes the outputs need, and with how many levels.
    pub(super) fn demand(&self) -> Demand {
        let count = self.circuit.nodes().len();
        let (mut needed, mut levels) = (vec![false; count], vec![0; count]);
        self.circuit.output_signals().for_each(|signal| needed[signal.node()] = true);
        for (index, node) in self.circuit.nodes().iter().enumerate().rev() {
            if !needed[index] || node.operands().next().is_none() {
                continue;
            }
            let after = if self.placement.bootstrapped[index] { 0 } else { levels[index] };
            let own = after + self.levels_of(index);
            for source in self.sources(index) {
                needed[source] = true;
                levels[source] = levels[source].max(own);
            }
        }
        Demand { needed, levels }
    }
}
