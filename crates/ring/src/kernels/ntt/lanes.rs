//! Vector operations that transforms need: the arithmetic of one instruction set.

/// A modulus, copied to every lane, and the arithmetic of transforms modulo it.
///
/// Words of polynomials enter and leave in `[0, q)`; in between, lanes hold numbers in ranges that each implementation
/// documents. A group of R vectors goes through log2 R levels of butterflies.
///
/// Methods are inlined into the functions of `entry`, which are compiled for the instruction set.
///
/// # Safety
/// The processor must have the instruction set of every method that is called. Pointers must be valid for
/// [`Lanes::LANES`] words (for twiddles, [`Lanes::LANE_WORDS`] times this number).
pub(super) trait Lanes: Copy {
    /// Words of one vector.
    type Vector: Copy;

    /// The number of words of a vector: a power of two.
    const LANES: usize;

    /// Vectors for a block's factors of all lanes: the value, or the value and its quotient.
    const LANE_WORDS: usize;

    /// log2 of the largest radix of forward groups, and of inverse ones, for which registers suffice for two groups
    /// side by side: one group alone does not have enough work while it waits for its products.
    const PAIRED: [u32; 2];

    unsafe fn load(source: *const u64) -> Self::Vector;

    unsafe fn store(target: *mut u64, vector: Self::Vector);

    /// Copies one word to all lanes.
    unsafe fn splat(word: u64) -> Self::Vector;

    /// Converts words in `[0, q)` to lanes.
    unsafe fn enter(self, words: Self::Vector) -> Self::Vector;

    /// Adds the number that [`Lanes::leave`] needs on all lanes to the first vector of the last forward group: that
    /// vector is the first of a pair at every level, so the number reaches all results with its sign.
    unsafe fn before_leave(self, x: Self::Vector) -> Self::Vector;

    /// Converts lanes to words in `[0, q)`, after a forward transform.
    unsafe fn leave(self, lanes: Self::Vector) -> Self::Vector;

    /// Converts lanes times a constant to words in `[0, q)`, after an inverse transform.
    unsafe fn leave_scaled(self, lanes: Self::Vector, factor: [Self::Vector; 2]) -> Self::Vector;

    /// Exchanges lane j of vector i with lane i of vector j, for R = LANES vectors.
    unsafe fn transpose<const R: usize>(x: &mut [Self::Vector; R]);

    /// Reduces the vectors that must be reduced before level `level` of a forward group.
    unsafe fn before_level<const R: usize>(self, x: &mut [Self::Vector; R], level: usize);

    /// Returns `x·w` for a block's factors at an address. Replaces [`Lanes::before_level`] of level 0 for the vector
    /// `index` of R.
    unsafe fn scale_before<const R: usize>(
        self,
        x: Self::Vector,
        w: *const u64,
        index: usize,
    ) -> Self::Vector;

    /// Returns `x·w` for a block's factors at an address, after an inverse group.
    unsafe fn scale_after(self, x: Self::Vector, w: *const u64) -> Self::Vector;

    /// Computes `(u + w·v, u - w·v)`, for w as value and quotient.
    unsafe fn butterfly(
        self,
        pair: (Self::Vector, Self::Vector),
        w: [Self::Vector; 2],
    ) -> (Self::Vector, Self::Vector);

    /// Butterfly like [`Lanes::butterfly`], with a block's factors at an address.
    unsafe fn butterfly_by_lane(
        self,
        pair: (Self::Vector, Self::Vector),
        w: *const u64,
    ) -> (Self::Vector, Self::Vector);

    /// Reduces the vectors that must be reduced after level `level` (counted from 0, the first that runs) of an inverse
    /// group.
    unsafe fn after_level<const R: usize>(self, x: &mut [Self::Vector; R], level: usize);

    /// Computes `(u + v, (v - u)·w)`, for w as value and quotient.
    unsafe fn inverse_butterfly(
        self,
        pair: (Self::Vector, Self::Vector),
        w: [Self::Vector; 2],
    ) -> (Self::Vector, Self::Vector);

    /// Returns `u + v`, and `v - u` in a form that can be multiplied.
    unsafe fn sum_and_difference(
        self,
        pair: (Self::Vector, Self::Vector),
    ) -> (Self::Vector, Self::Vector);
}
