//! When ciphertexts are freed, and how much memory they need.

use super::input_supply::InputSupply;
use super::plan::{Operation, Step};

/// Records for each step which values it reads last. Values without readers are freed by the step that makes them.
pub(super) fn free_after_last_use(steps: &mut [Step], outputs: &[usize], values: usize) {
    let mut is_read = vec![false; values];
    outputs.iter().for_each(|&value| is_read[value] = true);
    for step in steps.iter_mut().rev() {
        let mut freed: Vec<_> = step.operation.operands();
        freed.extend(step.outputs.clone());
        freed.retain(|&value| !std::mem::replace(&mut is_read[value], true));
        step.freed = freed;
    }
}

/// The most bytes that are live at once, and the step at which this happens. Inputs are live from the start, unless
/// they are made when they are needed.
///
/// This is an upper bound for any order that [`window_of`](super::plan::window_of) allows: it assumes that all steps of
/// a window have ended before an earlier one frees anything.
pub(super) fn peak(
    steps: &[Step],
    bytes_of: impl Fn(usize) -> usize,
    window: usize,
    supply: InputSupply,
) -> (usize, usize) {
    let is_there = |step: &Step| {
        supply == InputSupply::AllAtOnce && matches!(step.operation, Operation::Input(_))
    };
    let made = |step: &Step| -> usize {
        if is_there(step) { 0 } else { step.outputs.clone().map(&bytes_of).sum() }
    };
    let inputs = steps.iter().filter(|step| is_there(step));
    let mut live: usize = inputs.flat_map(|step| step.outputs.clone()).map(&bytes_of).sum();
    let mut ahead: usize = steps.iter().take(window).map(made).sum();
    let mut most = (live, 0);
    for (index, step) in steps.iter().enumerate() {
        // `ahead` counts the outputs of this step and of the later steps of its window.
        most = most.max((live + ahead, index));
        live += made(step);
        ahead -= made(step);
        ahead += steps.get(index + window).map_or(0, made);
        live -= step.freed.iter().map(|&value| bytes_of(value)).sum::<usize>();
    }
    most
}
