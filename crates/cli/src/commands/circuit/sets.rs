//! Requests for circuits, built from options.

use cryptable::Request;
use cryptable::bits::NamedSet;
use cryptable::circuits::{Circuit, InputSupply};
use cryptable::jobs::Circuits;

use crate::args::circuit::ScheduleArgs;

/// Builds the library's request for a circuit: with one set, all sets, or toy parameters.
pub fn request(
    circuits: &[Circuit],
    set: Option<NamedSet>,
    schedule: ScheduleArgs,
    insecure_toy: bool,
) -> Request<Circuits> {
    // Bits are read from their file, or encrypted, when they are needed.
    let request = Request::circuit(circuits).supply(InputSupply::WhenNeeded);
    let request = request.parallel(schedule.parallel.into()).log2_fail(schedule.log2_fail);
    let request = schedule.memory.into_iter().fold(request, Request::memory);
    let request = set.into_iter().fold(request, Request::set);
    if insecure_toy { request.insecure_toy() } else { request }
}
