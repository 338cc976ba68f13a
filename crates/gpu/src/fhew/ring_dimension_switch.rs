//! From the ring secret to that of a ring of lower degree, in batches:
//! `cryptable_fhew::switching::RingDimensionSwitchingKey`.

use cryptable_fhew::switching::{RingDimensionSwitchingKey, SmallRing};
use cryptable_lattice::Result;
use cryptable_lattice::error::demand;

use crate::arguments::fhew::{Decomposition, FractionModulus, RingDimensionSwitch};
use crate::device::{Device, Words};
use crate::fhew::fourier::FourierTables;
use crate::fhew::lwe_batch::LweBatch;
use crate::kernels::{self, Grid};

/// Gadget ciphertexts of the blocks of a ring secret on a card.
#[derive(Debug)]
pub(crate) struct DeviceRingSwitch {
    tables: FourierTables,
    rows: Words,
    blocks: usize,
    small: SmallRing,
}

impl DeviceRingSwitch {
    /// Puts a key on a card.
    ///
    /// # Errors
    /// If the ring of lower degree is none that kernels take.
    pub(crate) fn new(device: &Device, key: &RingDimensionSwitchingKey) -> Result<Self> {
        let small = key.small_ring().clone();
        let (degree, rows) = (small.ring.degree(), small.literal.digits.length);
        let limit = "on a card it is at most 1024";
        demand(degree <= 1024, "intermediate degree", degree as f64, limit)?;
        demand((2..=16).contains(&rows), "intermediate digits", rows as f64, "on a card 2 to 16")?;
        let tables = FourierTables::new(device, &small.ring)?;
        let words = tables.prepare(&small.ring, key.blocks(), rows);
        Ok(Self { tables, rows: words, blocks: key.blocks().count(), small })
    }

    /// The ring of lower degree.
    pub(crate) fn small(&self) -> &SmallRing {
        &self.small
    }

    /// RLWE ciphertexts, residues, whose constant coefficients have the phases of a batch.
    ///
    /// # Panics
    /// If the batch is of another dimension or modulus.
    pub(crate) fn switch(&self, batch: &LweBatch) -> Words {
        let degree = self.tables.degree();
        let expected = (self.blocks * degree, self.small.prime());
        assert_eq!((batch.shape().dimension, batch.shape().modulus), expected, "LWE shape");
        let out = batch.device().allocate(2 * degree * batch.len());
        let gadget = self.small.gadget();
        let arguments = RingDimensionSwitch {
            source: batch.address(0),
            key: self.rows.address(0),
            twiddles: self.tables.address(),
            out: out.address(0),
            modulus: FractionModulus::new(self.small.ring.modulus()),
            digits: Decomposition::new(gadget),
            source_stride: batch.stride(),
            blocks: self.blocks as u32,
        };
        let kernel = match degree {
            256 => &kernels::SWITCH_RING_256,
            512 => &kernels::SWITCH_RING_512,
            _ => &kernels::SWITCH_RING_1024,
        };
        let grid = Grid { blocks: [batch.len() as u32, 1, 1], threads: self.tables.threads() };
        let shared = (8 * degree * (2 + gadget.length())) as u32;
        batch.device().launch_sharing(kernel, grid, shared, &arguments);
        out
    }
}
