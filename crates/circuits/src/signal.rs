//! Signals: the output of a node, or its complement.

use std::ops::Not;

/// The output of a node of a circuit, or its complement. Inversions are properties of edges, so that they need no node.
///
/// ```
/// use cryptable_circuits::Signal;
/// assert_eq!(!Signal::FALSE, Signal::TRUE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u32);

impl Signal {
    /// The constant 0: the output of node 0.
    pub const FALSE: Self = Self(0);
    /// The constant 1.
    pub const TRUE: Self = Self(1);

    /// The output of a node.
    pub(crate) fn of(node: usize) -> Self {
        Self(u32::try_from(2 * node).expect("circuits have fewer than 2^31 nodes"))
    }

    /// The number of the node.
    #[must_use]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns whether this is the complement of the node's output.
    #[must_use]
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the complement if `invert`, else the signal itself.
    #[must_use]
    pub fn inverted_if(self, invert: bool) -> Self {
        Self(self.0 ^ u32::from(invert))
    }

    /// The node's output, without inversion.
    #[must_use]
    pub fn positive(self) -> Self {
        Self(self.0 & !1)
    }

    /// The constant signal of a bit.
    #[must_use]
    pub fn constant(bit: bool) -> Self {
        Self::FALSE.inverted_if(bit)
    }
}

impl Not for Signal {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}
