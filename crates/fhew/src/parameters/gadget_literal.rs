//! Literals of gadget decompositions.

use serde::{Deserialize, Serialize};

/// Base and length of a gadget decomposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GadgetLiteral {
    /// Bits of a digit.
    pub base_log2: u32,
    /// Number of digits.
    pub length: usize,
}

/// Bases and lengths of an RGSW ciphertext's decompositions: of bodies and of masks, see
/// [`RgswGadget`](cryptable_lattice::external_product::RgswGadget).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RgswGadgetLiteral {
    /// Decomposition of bodies b.
    pub body: GadgetLiteral,
    /// Decomposition of masks a.
    pub mask: GadgetLiteral,
}

impl RgswGadgetLiteral {
    /// Returns the number of rows of an RGSW ciphertext.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.body.length + self.mask.length
    }
}

impl From<GadgetLiteral> for RgswGadgetLiteral {
    /// Uses one decomposition for both.
    fn from(gadget: GadgetLiteral) -> Self {
        Self { body: gadget, mask: gadget }
    }
}
