//! Vector operations that transforms need: the arithmetic of one instruction set.

/// A modulus, copied to every lane, and the arithmetic of transforms modulo it.
///
/// Words of polynomials enter and leave in `[0, q)`; in between, lanes hold numbers in ranges that
/// each implementation states. A group of R vectors goes through log2 R levels of butterflies.
///
/// Methods are inlined into the functions of `entry`, which are compiled for the instruction set.
///
/// # Safety
/// The processor must have the instruction set of every method that is called; pointers must be
/// valid for [`Lanes::LANES`] words (of twiddles: [`Lanes::LANE_WORDS`] times as many).
pub(super) trait Lanes: Copy {
    /// Words of one vector.
    type Vector: Copy;

    /// Words of a vector: a power of two.
    const LANES: usize;

    /// Vectors that make up a block's factor of every lane: the value, or the value and its quotient.
    const LANE_WORDS: usize;

    /// log2 of the largest radix of forward groups, and of inverse ones, for two of which side by side
    /// there are registers: one alone has not enough to do while it waits for its products.
    const PAIRED: [u32; 2];

    unsafe fn load(source: *const u64) -> Self::Vector;

    unsafe fn store(target: *mut u64, vector: Self::Vector);

    /// One word in all lanes.
    unsafe fn splat(word: u64) -> Self::Vector;

    /// Words in `[0, q)` as lanes.
    unsafe fn enter(self, words: Self::Vector) -> Self::Vector;

    /// Adds to the first vector of the last forward group what [`Lanes::leave`] wants to be added to all
    /// of its lanes: that vector is the first of a pair at every level, so it comes with its sign.
    unsafe fn before_leave(self, x: Self::Vector) -> Self::Vector;

    /// Lanes as words in `[0, q)`, after a forward transform.
    unsafe fn leave(self, lanes: Self::Vector) -> Self::Vector;

    /// Lanes times a constant as words in `[0, q)`, after an inverse transform.
    unsafe fn leave_scaled(self, lanes: Self::Vector, factor: [Self::Vector; 2]) -> Self::Vector;

    /// Exchanges lane j of vector i with lane i of vector j, for R = LANES vectors.
    unsafe fn transpose<const R: usize>(x: &mut [Self::Vector; R]);

    /// Reduces what has to be reduced before level `level` of a forward group.
    unsafe fn before_level<const R: usize>(self, x: &mut [Self::Vector; R], level: usize);

    /// `x·w` for a block's factors at an address, in place of [`Lanes::before_level`] of level 0 for
    /// the vector `index` of R.
    unsafe fn scale_before<const R: usize>(
        self,
        x: Self::Vector,
        w: *const u64,
        index: usize,
    ) -> Self::Vector;

    /// `x·w` for a block's factors at an address, after an inverse group.
    unsafe fn scale_after(self, x: Self::Vector, w: *const u64) -> Self::Vector;

    /// `(u + w·v, u - w·v)`, w as value and quotient.
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

    /// Reduces what has to be reduced after level `level` (counted from 0, the first that runs) of
    /// an inverse group.
    unsafe fn after_level<const R: usize>(self, x: &mut [Self::Vector; R], level: usize);

    /// `(u + v, (v - u)·w)`, w as value and quotient.
    unsafe fn inverse_butterfly(
        self,
        pair: (Self::Vector, Self::Vector),
        w: [Self::Vector; 2],
    ) -> (Self::Vector, Self::Vector);

    /// `u + v` and `v - u`, to be multiplied.
    unsafe fn sum_and_difference(
        self,
        pair: (Self::Vector, Self::Vector),
    ) -> (Self::Vector, Self::Vector);
}
