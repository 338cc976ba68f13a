//! Steps of tables: all tables of the same nodes at once.

use cryptable_bits::BitTable;

use super::Emitter;
use crate::circuit::Node;
use crate::schedule::model::BitModel;
use crate::schedule::plan::{Operation, PlanError, TableStep, ValueId};

impl<M: BitModel> Emitter<'_, M> {
    /// A table followed by BinBoot of its result.
    pub(super) fn booted_table(&mut self, index: usize) -> Result<ValueId, PlanError> {
        if !self.products_of.contains_key(&index) {
            let Node::Table(node) = self.circuit.nodes()[index] else { unreachable!("a table") };
            self.tables(&node.input_nodes())?;
        }
        let value = self.products_of[&index];
        let noise = self.memory.noise_after_bin_boot(&[self.noise_at(value, 0)]);
        self.refreshed(index, Operation::BinBoot(vec![value]), noise)
    }

    /// Computes all tables of some nodes that have no value yet, at the lowest level that their readers allow.
    pub(super) fn tables(&mut self, inputs: &[usize]) -> Result<(), PlanError> {
        let nodes = self.table_partners.remove(inputs).unwrap_or_default();
        let table = |&node: &usize| match &self.circuit.nodes()[node] {
            Node::Table(node) => *node.table(),
            _ => unreachable!("a table"),
        };
        let tables: Vec<BitTable> = nodes.iter().map(table).collect();
        let after = |&node: &usize| {
            if self.placement.bootstrapped[node] { 0 } else { self.levels_needed[node] }
        };
        let levels = nodes.iter().map(after).max().unwrap_or(0);
        let above = levels + tables[0].levels();
        let ((values, noises), _) = self.with_clean_operands(nodes[0], inputs, |emitter| {
            let values = inputs.iter().map(|&node| emitter.of_node[node].expect("a source"));
            let values: Vec<ValueId> = values.collect();
            let before: Vec<_> = values.iter().map(|&x| emitter.noise_at(x, above)).collect();
            let noises = emitter.memory.noise_after_tables(&tables, &before, above);
            let worst = emitter.noisiest(&noises);
            ((values, noises), worst)
        })?;
        let made: Vec<_> = noises.into_iter().map(|noise| (levels, noise)).collect();
        let first =
            self.push(Operation::Tables(TableStep { tables, inputs: values, levels }), &made);
        self.place(&nodes, first);
        Ok(())
    }
}
