//! Vector operations that kernels of wide words need.

/// Vectors of 64-bit words of one instruction set. Sums, differences and products wrap.
///
/// Methods are inlined into the functions of [`super::entry`], which are compiled for the instruction set.
///
/// # Safety
/// The processor must have the instruction set; pointers must be valid for [`WideLanes::LANES`] words.
pub(super) trait WideLanes: Copy {
    type Vector: Copy;

    /// The number of words of a vector: a power of two.
    const LANES: usize;

    unsafe fn load(source: *const u64) -> Self::Vector;

    unsafe fn store(target: *mut u64, x: Self::Vector);

    /// Copies one word to all lanes.
    unsafe fn splat(word: u64) -> Self::Vector;

    unsafe fn add(x: Self::Vector, y: Self::Vector) -> Self::Vector;

    unsafe fn sub(x: Self::Vector, y: Self::Vector) -> Self::Vector;

    unsafe fn and(x: Self::Vector, y: Self::Vector) -> Self::Vector;

    /// `x << counts`, for counts below 64.
    unsafe fn shift_left(x: Self::Vector, counts: Self::Vector) -> Self::Vector;

    /// `x >> counts`, for counts below 64.
    unsafe fn shift_right(x: Self::Vector, counts: Self::Vector) -> Self::Vector;

    /// `x >> 32`.
    unsafe fn upper(x: Self::Vector) -> Self::Vector;

    /// Returns the products of the lower 32 bits.
    unsafe fn mul_lower(x: Self::Vector, y: Self::Vector) -> Self::Vector;

    /// Returns `x·y`, for y with its upper 32 bits.
    unsafe fn mul(x: Self::Vector, y: [Self::Vector; 2]) -> Self::Vector;

    /// Returns x for `x < y` and `x - y` for `y <= x < 2y`, where `y < 2^63`.
    unsafe fn subtract_once(x: Self::Vector, y: Self::Vector) -> Self::Vector;

    /// Returns y where `x > bound`, and 0 elsewhere; x and the bound are below 2^63.
    unsafe fn where_above(x: Self::Vector, bound: Self::Vector, y: Self::Vector) -> Self::Vector;
}
