//! When inputs are supplied: all before a circuit runs, or each right before its first reader, so that inputs of late
//! rounds, such as round keys, need no memory before.

use super::plan::{Operation, Step};

/// When the caller supplies the inputs of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputSupply {
    /// All inputs are available from the start: [`crate::execute`].
    #[default]
    AllAtOnce,
    /// Each input is made, or read, when it is needed: [`crate::execution::execute_with`].
    WhenNeeded,
}

/// Moves inputs right before their first readers. Inputs without readers stay at the start.
pub(super) fn supply_when_needed(steps: &mut Vec<Step>) {
    let is_input = |step: &Step| matches!(step.operation, Operation::Input(_));
    let (inputs, others): (Vec<Step>, Vec<Step>) = steps.drain(..).partition(is_input);
    let values = inputs.iter().map(|step| step.outputs.end).max().unwrap_or(0);
    let mut waiting: Vec<Option<Step>> = (0..values).map(|_| None).collect();
    for input in inputs {
        let value = input.outputs.start;
        waiting[value] = Some(input);
    }
    let read: Vec<usize> = others.iter().flat_map(|step| step.operation.operands()).collect();
    let mut is_read = vec![false; values];
    read.into_iter().filter(|&value| value < values).for_each(|value| is_read[value] = true);
    steps.extend((0..values).filter(|&value| !is_read[value]).filter_map(|v| waiting[v].take()));
    for step in others {
        let operands = step.operation.operands();
        steps.extend(operands.iter().filter_map(|&value| waiting.get_mut(value)?.take()));
        steps.push(step);
    }
}
