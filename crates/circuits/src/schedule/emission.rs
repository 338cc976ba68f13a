//! Emits the steps for a placement of bootstraps, with levels and noise of every value. Steps are in depth-first order
//! from the outputs, which keeps few bits alive.

mod tables;

use std::collections::HashMap;

use cryptable_bits::Gate;

use super::cover::{Cover, Demand};
use super::full_adders::Adder;
use super::model::BitModel;
use super::placement::Placement;
use super::plan::{NotEmitted, Operation, PlanError, Step, ValueId};
use super::remembered::Remembered;
use crate::circuit::{Circuit, Node};
use crate::signal::Signal;

/// A bit is cleaned to reduce its noise only if its largest error is divided by at least this factor.
const GAIN: f64 = 1.2;

/// Choices for turning a placement into steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Bootstraps evaluate the ANDs before them. Otherwise, wherever a level is left, a gate comes before BinBoot,
    /// which squares errors, while GateBoot amplifies them.
    pub(super) gate_boots: bool,
    /// Bits are cleaned after bootstraps wherever levels are left.
    pub(super) cleanings: bool,
    /// Largest error that results should have, as far as operands can be cleaned for that. A bootstrap makes 2.5ε² of
    /// an error ε, and so cleans little if it barely accepts the error.
    pub(super) largest: f64,
    /// Emission stops above this number of bootstraps, since another plan is then faster.
    pub(super) most_bootstraps: usize,
}

/// Steps, and levels and noise of their values.
#[derive(Debug)]
pub(super) struct Emitted<N> {
    pub(super) steps: Vec<Step>,
    pub(super) outputs: Vec<ValueId>,
    pub(super) levels: Vec<usize>,
    pub(super) noises: Vec<N>,
}

/// Emits all steps.
pub(super) fn emit<M: BitModel>(
    cover: &Cover<'_>,
    memory: &Remembered<'_, M>,
    style: Style,
) -> Result<Emitted<M::Noise>, NotEmitted> {
    let emitted = Emitted { steps: vec![], outputs: vec![], levels: vec![], noises: vec![] };
    let (circuit, placement) = (cover.circuit, cover.placement);
    let count = circuit.nodes().len();
    let Demand { needed, levels: levels_needed } = cover.demand();
    let mut emitter = Emitter {
        cover,
        circuit,
        model: memory.model,
        memory,
        placement,
        style,
        emitted,
        of_node: vec![None; count],
        complements: HashMap::new(),
        partners: HashMap::new(),
        table_partners: HashMap::new(),
        products_of: HashMap::new(),
        levels_needed,
        depths: crate::statistics::levels(circuit),
        output: String::new(),
        bootstraps: 0,
    };
    emitter.find_partners(&needed);
    // Inputs have their values from the start.
    for (index, node) in circuit.nodes().iter().enumerate() {
        if let Node::Input(bit) = *node {
            let value = emitter.push(
                Operation::Input(bit as usize),
                &[(memory.model.levels_after_bootstrap(), memory.input_noise)],
            );
            emitter.of_node[index] = Some(value);
        }
    }
    for word in circuit.outputs() {
        for (bit, &signal) in word.signals.iter().enumerate() {
            emitter.output = crate::circuit::bit_name(&word.name, bit, word.signals.len());
            let value = emitter.output(signal)?;
            emitter.emitted.outputs.push(value);
        }
    }
    Ok(emitter.emitted)
}

struct Emitter<'a, M: BitModel> {
    cover: &'a Cover<'a>,
    circuit: &'a Circuit,
    model: &'a M,
    memory: &'a Remembered<'a, M>,
    placement: &'a Placement,
    style: Style,
    emitted: Emitted<M::Noise>,
    of_node: Vec<Option<ValueId>>,
    complements: HashMap<ValueId, ValueId>,
    /// Tables of the same nodes, which share characters.
    table_partners: HashMap<Vec<usize>, Vec<usize>>,
    /// Gates of the same two nodes, which share a product.
    partners: HashMap<(usize, usize), Vec<usize>>,
    /// Products that are yet to be bootstrapped, computed along with their partners.
    products_of: HashMap<usize, ValueId>,
    /// For each node, the number of gates in a row that follow before bootstraps.
    levels_needed: Vec<usize>,
    /// Levels of nodes if there were no bootstraps.
    depths: Vec<usize>,
    /// The output that is being computed, for errors.
    output: String,
    /// Number of bootstraps so far.
    bootstraps: usize,
}

impl<M: BitModel> Emitter<'_, M> {
    fn find_partners(&mut self, needed: &[bool]) {
        for (index, node) in self.circuit.nodes().iter().enumerate() {
            if let Node::And(a, b) | Node::Xor(a, b) = *node
                && needed[index]
                && self.cover.is_product(index)
            {
                self.partners.entry(pair(a, b)).or_default().push(index);
            }
            if let Node::Table(node) = node
                && needed[index]
            {
                self.table_partners.entry(node.input_nodes()).or_default().push(index);
            }
        }
    }

    /// Adds a step and returns the first of its values.
    fn push(&mut self, operation: Operation, made: &[(usize, M::Noise)]) -> ValueId {
        self.bootstraps += usize::from(operation.is_bootstrap());
        let first = self.emitted.levels.len();
        let outputs = first..first + made.len();
        self.emitted.levels.extend(made.iter().map(|made| made.0));
        self.emitted.noises.extend(made.iter().map(|made| made.1));
        self.emitted.steps.push(Step { operation, outputs, freed: Vec::new() });
        first
    }

    fn of(&self, value: ValueId) -> (usize, M::Noise) {
        (self.emitted.levels[value], self.emitted.noises[value])
    }

    /// Noise of a value after lowering it to a level.
    fn noise_at(&self, value: ValueId, levels: usize) -> M::Noise {
        let (own, noise) = self.of(value);
        if own == levels { noise } else { self.model.noise_after_lowering(noise) }
    }

    /// Checks that the failure probability of a result is within the engine's limit.
    fn check(&self, index: usize, noise: M::Noise) -> Result<(), PlanError> {
        let (found, limit) = (self.memory.log2_fail(noise), self.model.log2_fail_limit());
        if found <= limit {
            return Ok(());
        }
        let gate = match self.circuit.nodes()[index] {
            Node::And(..) => "AND",
            Node::Xor(..) => "XOR",
            Node::Table(_) => "the table",
            Node::Majority(_) => "majority",
            _ => "the sum",
        };
        let gate = format!("{gate} of node {index}");
        Err(PlanError::Noise { gate, output: self.output.clone(), found, limit })
    }

    /// The value of an output.
    fn output(&mut self, signal: Signal) -> Result<ValueId, NotEmitted> {
        if signal.node() == 0 {
            // x + !x is the constant 1 for any x.
            let value = self.of_node[1].ok_or(PlanError::NoInputs)?;
            let not = self.complement(value);
            let (levels, noise) = self.of(value);
            let noise = self.model.noise_after_union(noise, noise);
            let one = self.push(Operation::Union(value, not), &[(levels, noise)]);
            return Ok(if signal.is_inverted() { one } else { self.complement(one) });
        }
        self.compute(signal.node())?;
        Ok(self.value(signal))
    }

    /// Computes a node, after everything that it depends on.
    fn compute(&mut self, root: usize) -> Result<(), NotEmitted> {
        let mut open = vec![root];
        while let Some(&index) = open.last() {
            if self.bootstraps > self.style.most_bootstraps {
                return Err(NotEmitted::TooDear);
            }
            if self.of_node[index].is_some() {
                open.pop();
                continue;
            }
            let before = open.len();
            let mut sources = self.cover.sources(index);
            sources.retain(|&source| self.of_node[source].is_none());
            // The deepest source comes first: shallow ones, such as round keys, are computed when they are needed.
            sources.sort_unstable_by_key(|&source| self.depths[source]);
            open.extend(sources);
            if open.len() == before {
                self.emit_node(index)?;
                open.pop();
            }
        }
        Ok(())
    }

    /// The value of a computed signal, complemented if necessary.
    fn value(&mut self, signal: Signal) -> ValueId {
        let value = self.of_node[signal.node()].expect("sources are computed first");
        if signal.is_inverted() { self.complement(value) } else { value }
    }

    fn complement(&mut self, value: ValueId) -> ValueId {
        if let Some(&known) = self.complements.get(&value) {
            return known;
        }
        let complement = self.push(Operation::Not(value), &[self.of(value)]);
        self.complements.insert(value, complement);
        complement
    }

    fn emit_node(&mut self, index: usize) -> Result<(), PlanError> {
        if let Some((adder, with_sum)) = self.cover.adder_of(index) {
            return self.booted_adder(index, adder, with_sum);
        }
        let bootstrapped = self.placement.bootstrapped[index];
        let value = match self.circuit.nodes()[index] {
            Node::False | Node::Input(_) | Node::Majority(_) => {
                unreachable!("ports have values, majorities are adders or were lowered")
            }
            Node::Xor(..) | Node::Union(..) if bootstrapped => self.booted_sum(index)?,
            Node::And(a, b) if bootstrapped => self.booted_and(index, a, b)?,
            Node::Table(_) if bootstrapped => self.booted_table(index)?,
            Node::Table(node) => return self.tables(&node.input_nodes()),
            Node::Union(a, b) => self.union(index, a, b)?,
            Node::And(a, b) | Node::Xor(a, b) => return self.products(a, b),
        };
        self.of_node[index] = Some(value);
        Ok(())
    }

    /// Returns whether a result is too noisy for the engine, or for a bootstrap after it.
    fn is_too_noisy(&self, noise: M::Noise) -> bool {
        self.memory.log2_fail(noise) > self.model.log2_fail_limit()
            || self.memory.largest_error(noise) > self.style.largest
    }

    /// Computes a result from some nodes. As long as it is too noisy, the noisiest nodes are replaced by cleaner ones.
    fn with_clean_operands<T>(
        &mut self,
        index: usize,
        nodes: &[usize],
        result: impl Fn(&mut Self) -> (T, M::Noise),
    ) -> Result<(T, M::Noise), PlanError> {
        loop {
            let (made, noise) = result(self);
            if !self.is_too_noisy(noise) {
                return Ok((made, noise));
            }
            let largest = |&node: &usize| {
                let value = self.of_node[node].expect("a source");
                self.memory.largest_error(self.of(value).1)
            };
            let mut noisy: Vec<_> = nodes.iter().map(|node| (largest(node), *node)).collect();
            noisy.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            if !noisy.into_iter().any(|(_, node)| self.clean(node)) {
                // As a last resort, only the engine's limit counts.
                return self.check(index, noise).map(|()| (made, noise));
            }
        }
    }

    /// Replaces a node's value by a cleaner one: cleaned if levels are left, or else bootstrapped, and also cleaned if
    /// that is better still. Returns whether this helped.
    fn clean(&mut self, node: usize) -> bool {
        let value = self.of_node[node].expect("a source");
        let (levels, noise) = self.of(value);
        let limit = self.memory.largest_error(noise) / GAIN;
        let needed = self.levels_needed[node] + self.model.cleaning_levels();
        let cleaned = self.memory.noise_after_cleaning(noise);
        if levels >= needed && self.memory.largest_error(cleaned) < limit {
            self.of_node[node] = Some(self.push_cleaning(value, cleaned));
            return true;
        }
        let booted = self.memory.noise_after_bin_boot(&[self.noise_at(value, 0)]);
        let all_levels = self.model.levels_after_bootstrap();
        let cleaned = self.memory.noise_after_cleaning(booted);
        let twice = all_levels >= needed
            && self.memory.largest_error(cleaned) < self.memory.largest_error(booted);
        let best = if twice { cleaned } else { booted };
        let engine_limit = self.model.log2_fail_limit();
        if self.memory.largest_error(best) >= limit || self.memory.log2_fail(booted) > engine_limit
        {
            return false;
        }
        let value = self.push(Operation::BinBoot(vec![value]), &[(all_levels, booted)]);
        self.of_node[node] = Some(if twice { self.push_cleaning(value, cleaned) } else { value });
        true
    }

    fn push_cleaning(&mut self, value: ValueId, cleaned: M::Noise) -> ValueId {
        let levels = self.of(value).0 - self.model.cleaning_levels();
        self.push(Operation::Clean(value), &[(levels, cleaned)])
    }

    fn union(&mut self, index: usize, a: Signal, b: Signal) -> Result<ValueId, PlanError> {
        let ((x, y, levels), noise) =
            self.with_clean_operands(index, &[a.node(), b.node()], |emitter| {
                let (x, y) = (emitter.value(a), emitter.value(b));
                let levels = emitter.of(x).0.min(emitter.of(y).0);
                let (noise_x, noise_y) = (emitter.noise_at(x, levels), emitter.noise_at(y, levels));
                ((x, y, levels), emitter.model.noise_after_union(noise_x, noise_y))
            })?;
        Ok(self.push(Operation::Union(x, y), &[(levels, noise)]))
    }

    fn booted_sum(&mut self, index: usize) -> Result<ValueId, PlanError> {
        let parity = self.placement.parities[index].as_ref();
        let Some(parity) = parity else {
            let (gate, output) = (format!("XOR of node {index}"), self.output.clone());
            return Err(PlanError::LongSum { gate, output });
        };
        let (terms, noise) = self.with_clean_operands(index, &parity.nodes, |emitter| {
            let terms = parity.nodes.iter().map(|&node| emitter.of_node[node].expect("a source"));
            let terms: Vec<_> = terms.collect();
            let noises: Vec<_> = terms.iter().map(|&term| emitter.noise_at(term, 0)).collect();
            (terms, emitter.memory.noise_after_bin_boot(&noises))
        })?;
        let value = self.refreshed(index, Operation::BinBoot(terms), noise)?;
        Ok(if parity.inverted { self.complement(value) } else { value })
    }

    /// A bootstrap, followed by a cleaning if levels are left for it.
    fn refreshed(
        &mut self,
        index: usize,
        operation: Operation,
        noise: M::Noise,
    ) -> Result<ValueId, PlanError> {
        self.check(index, noise)?;
        let levels = self.model.levels_after_bootstrap();
        let value = self.push(operation, &[(levels, noise)]);
        self.cleaned_if_possible(index, value)
    }

    /// A bootstrapped value, cleaned if levels are left and the style has cleanings.
    fn cleaned_if_possible(&mut self, index: usize, value: ValueId) -> Result<ValueId, PlanError> {
        let (levels, noise) = self.of(value);
        let cleaning = self.model.cleaning_levels();
        if !self.style.cleanings || self.levels_needed[index] + cleaning > levels {
            return Ok(value);
        }
        let noise = self.memory.noise_after_cleaning(noise);
        self.check(index, noise)?;
        Ok(self.push_cleaning(value, noise))
    }

    /// A carry and its sum from one bootstrap.
    fn booted_adder(
        &mut self,
        index: usize,
        adder: &Adder,
        with_sum: bool,
    ) -> Result<(), PlanError> {
        let gates = adder.gates(with_sum);
        let nodes: Vec<_> = adder.leaves.iter().map(|leaf| leaf.node()).collect();
        let ((terms, noises), worst) = self.with_clean_operands(index, &nodes, |emitter| {
            let terms = adder.leaves.iter().map(|&leaf| emitter.value(leaf)).collect::<Vec<_>>();
            let noises: Vec<_> = terms.iter().map(|&term| emitter.noise_at(term, 0)).collect();
            let noises = emitter.memory.noise_after_sum_boot(&gates, &noises);
            let worst = emitter.noisiest(&noises);
            ((terms, noises), worst)
        })?;
        self.check(index, worst)?;
        let levels = self.model.levels_after_bootstrap() - self.model.levels_of_sum_boot(&gates);
        let made: Vec<_> = noises.into_iter().map(|noise| (levels, noise)).collect();
        let first = self.push(Operation::SumBoot(gates, terms), &made);
        let sum = adder.sum.filter(|_| with_sum);
        for (k, (node, inverted)) in sum.into_iter().chain([(adder.carry, false)]).enumerate() {
            let value = self.cleaned_if_possible(node, first + k)?;
            self.of_node[node] = Some(if inverted { self.complement(value) } else { value });
        }
        Ok(())
    }

    /// The noise with the largest failure probability.
    fn noisiest(&self, noises: &[M::Noise]) -> M::Noise {
        let fail = |noise: &M::Noise| self.memory.log2_fail(*noise);
        let worst = noises.iter().max_by(|a, b| fail(a).total_cmp(&fail(b)));
        *worst.expect("there is a result")
    }

    fn booted_and(&mut self, index: usize, a: Signal, b: Signal) -> Result<ValueId, PlanError> {
        let nodes = [a.node(), b.node()];
        let values = |emitter: &Self| nodes.map(|node| emitter.of_node[node].expect("a source"));
        let has_level = values(self).iter().all(|&value| self.of(value).0 > 0);
        if has_level && !self.style.gate_boots {
            if !self.products_of.contains_key(&index) {
                self.products(a, b)?;
            }
            let product = self.products_of[&index];
            let noise = self.memory.noise_after_bin_boot(&[self.noise_at(product, 0)]);
            return self.refreshed(index, Operation::BinBoot(vec![product]), noise);
        }
        let gate = and_gate(a, b);
        let levels = self.model.levels_after_bootstrap();
        if self.levels_needed[index] < levels {
            let ([x, y], noise) = self.with_clean_operands(index, &nodes, |emitter| {
                let [x, y] = values(emitter);
                let (noise_x, noise_y) = (emitter.noise_at(x, 0), emitter.noise_at(y, 0));
                let noise = emitter.memory.noise_after_cleaning_gate_boot(gate, noise_x, noise_y);
                ([x, y], noise)
            })?;
            return Ok(self.push(Operation::CleaningGateBoot(gate, x, y), &[(levels - 1, noise)]));
        }
        let ([x, y], noise) = self.with_clean_operands(index, &nodes, |emitter| {
            let [x, y] = values(emitter);
            let (noise_x, noise_y) = (emitter.noise_at(x, 0), emitter.noise_at(y, 0));
            ([x, y], emitter.memory.noise_after_gate_boot(gate, noise_x, noise_y))
        })?;
        self.refreshed(index, Operation::GateBoot(gate, x, y), noise)
    }

    /// Records the values of nodes that were computed together.
    fn place(&mut self, nodes: &[usize], first: ValueId) {
        for (k, &node) in nodes.iter().enumerate() {
            if self.placement.bootstrapped[node] {
                self.products_of.insert(node, first + k);
            } else {
                self.of_node[node] = Some(first + k);
            }
        }
    }

    /// Computes all gates of two nodes that have no value yet, with one product.
    fn products(&mut self, a: Signal, b: Signal) -> Result<(), PlanError> {
        let (low, high) = pair(a, b);
        let nodes = self.partners.remove(&(low, high)).unwrap_or_default();
        let gates: Vec<Gate> = nodes
            .iter()
            .map(|&node| match self.circuit.nodes()[node] {
                Node::And(a, b) if a.node() == low => and_gate(a, b),
                Node::And(a, b) => and_gate(b, a),
                _ => Gate::Xor,
            })
            .collect();
        let ((x, y, levels, noises), _) =
            self.with_clean_operands(nodes[0], &[low, high], |emitter| {
                let [x, y] = [low, high].map(|node| emitter.of_node[node].expect("a source"));
                let levels = emitter.of(x).0.min(emitter.of(y).0);
                let (noise_x, noise_y) = (emitter.noise_at(x, levels), emitter.noise_at(y, levels));
                let noises = emitter.memory.noise_after_gates(&gates, noise_x, noise_y);
                let worst = emitter.noisiest(&noises);
                ((x, y, levels, noises), worst)
            })?;
        let made: Vec<_> = noises.into_iter().map(|noise| (levels - 1, noise)).collect();
        let first = self.push(Operation::Gates(gates, x, y), &made);
        self.place(&nodes, first);
        Ok(())
    }
}

fn pair(a: Signal, b: Signal) -> (usize, usize) {
    (a.node().min(b.node()), a.node().max(b.node()))
}

/// The AND of two signals, as a gate of their nodes.
fn and_gate(a: Signal, b: Signal) -> Gate {
    match (a.is_inverted(), b.is_inverted()) {
        (false, false) => Gate::And,
        (false, true) => Gate::AndNot,
        (true, false) => Gate::NotAnd,
        (true, true) => Gate::Nor,
    }
}
