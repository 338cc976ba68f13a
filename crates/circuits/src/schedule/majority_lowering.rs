//! Majorities as gates of two bits: `xy + z(x + y - 2xy)`, with two levels. The XOR is shared with the full adder of
//! the same bits.

use crate::builder::CircuitBuilder;
use crate::circuit::{Circuit, Node};
use crate::signal::Signal;

impl Circuit {
    /// Returns the same circuit without majorities.
    pub(crate) fn without_majorities(&self) -> Self {
        self.rebuilt(|builder, _, node, of| match *node {
            Node::Majority(list) => {
                let [x, y, z] = list.map(of);
                lowered_majority(builder, x, y, z)
            }
            _ => builder.copy_of(node, of),
        })
    }
}

fn lowered_majority(builder: &mut CircuitBuilder, x: Signal, y: Signal, z: Signal) -> Signal {
    let (both, one) = (builder.and(x, y), builder.xor(x, y));
    let carried = builder.and(one, z);
    builder.or(both, carried)
}
