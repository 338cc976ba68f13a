//! Polynomials whose limbs are packed rows, each at the width of its modulus.

use crate::basis::Basis;
use crate::kernels::PackedRow;
use crate::moduli::RingModuli;

/// The places of the packed rows of a polynomial in its bytes: limb after limb, without gaps.
///
/// ```
/// use cryptable_ring::{Basis, Chain, PackedLayout, RingModuli};
/// // 14 bits, and 17.
/// let moduli = RingModuli::new(16, vec![Chain::new(&[0x3001])], &[0x1_2001]);
/// let layout = PackedLayout::new(&moduli, Basis::new(1, 1));
/// let bytes = vec![0; layout.bytes()];
/// assert_eq!(layout.row(&bytes, 1).bytes().len(), 2 * 17);
/// assert_eq!(layout.bytes(), 2 * 14 + 2 * 17);
/// ```
#[derive(Clone, Debug)]
pub struct PackedLayout {
    /// Start of each limb's row, and the number of bits of its words.
    rows: Vec<(usize, u32)>,
    bytes: usize,
    degree: usize,
}

impl PackedLayout {
    /// Returns the layout of polynomials of a basis.
    #[must_use]
    pub fn new(moduli: &RingModuli, basis: Basis) -> Self {
        let (degree, mut bytes) = (moduli.degree(), 0);
        let rows = (0..basis.limbs())
            .map(|limb| {
                let (start, bits) = (bytes, moduli.limb_bits(basis, limb));
                bytes += PackedRow::packed_bytes(degree, bits);
                (start, bits)
            })
            .collect();
        Self { rows, bytes, degree }
    }

    /// Returns the ring degree.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Returns the number of bytes of a polynomial.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the row of a limb.
    ///
    /// # Panics
    /// If there is no such limb, or the bytes are too few for it.
    #[must_use]
    pub fn row<'a>(&self, polynomial: &'a [u8], limb: usize) -> PackedRow<'a> {
        let (start, bits) = self.rows[limb];
        PackedRow::new(&polynomial[start..][..PackedRow::packed_bytes(self.degree, bits)], bits)
    }

    /// Returns the rows of one polynomial after another for writing: the bytes of each, and the bits of its words.
    pub fn rows_mut<'a>(&self, mut polynomials: &'a mut [u8]) -> Vec<(&'a mut [u8], u32)> {
        let mut rows = Vec::new();
        for &(_, bits) in self.rows.iter().cycle() {
            if polynomials.is_empty() {
                break;
            }
            let (row, rest) = polynomials.split_at_mut(PackedRow::packed_bytes(self.degree, bits));
            rows.push((row, bits));
            polynomials = rest;
        }
        rows
    }
}
