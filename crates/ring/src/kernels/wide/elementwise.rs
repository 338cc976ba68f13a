//! Kernels on words by themselves: products with constants, and reductions. They return the number of written words,
//! which are those in full vectors; operands may be the same as `out`.

use super::lanes::WideLanes;
use super::modulus::{WideFactor, WideModulus};
use crate::Modulus;
use crate::modulus::Factor;

/// Returns the number of the `len` words that are in full vectors.
#[inline(always)]
fn full<W: WideLanes>(len: usize) -> usize {
    len - len % W::LANES
}

/// `out = a·c`, for any words.
///
/// # Safety
/// The processor must have the instruction set, and both pointers must be valid for `len` words.
#[inline(always)]
pub(super) unsafe fn mul_factor<W: WideLanes>(
    m: &Modulus,
    out: *mut u64,
    a: *const u64,
    len: usize,
    c: Factor,
) -> usize {
    let (v, c) = (WideModulus::<W>::new(m), WideFactor::<W>::new(c));
    for at in (0..full::<W>(len)).step_by(W::LANES) {
        W::store(out.add(at), v.mul(W::load(a.add(at)), c));
    }
    full::<W>(len)
}

/// `acc += a·c`, for any words a.
///
/// # Safety
/// The processor must have the instruction set, and operands must have the same length.
#[inline(always)]
pub(super) unsafe fn mul_factor_add<W: WideLanes>(
    m: &Modulus,
    acc: &mut [u64],
    a: &[u64],
    c: Factor,
) -> usize {
    let (v, c) = (WideModulus::<W>::new(m), WideFactor::<W>::new(c));
    let (len, acc, a) = (full::<W>(acc.len()), acc.as_mut_ptr(), a.as_ptr());
    for at in (0..len).step_by(W::LANES) {
        W::store(acc.add(at), v.mul_add(W::load(acc.add(at)), W::load(a.add(at)), c));
    }
    len
}

/// `a = (a - b)·c`.
///
/// # Safety
/// The same as for [`mul_factor_add`].
#[inline(always)]
pub(super) unsafe fn sub_mul_factor<W: WideLanes>(
    m: &Modulus,
    a: &mut [u64],
    b: &[u64],
    c: Factor,
) -> usize {
    let (v, c) = (WideModulus::<W>::new(m), WideFactor::<W>::new(c));
    let (len, a, b) = (full::<W>(a.len()), a.as_mut_ptr(), b.as_ptr());
    for at in (0..len).step_by(W::LANES) {
        W::store(a.add(at), v.mul(v.sub_lazy(W::load(a.add(at)), W::load(b.add(at))), c));
    }
    len
}

/// Lifts residues like [`super::super::lift_centered`].
///
/// # Safety
/// The same as for [`mul_factor_add`].
#[inline(always)]
pub(super) unsafe fn lift_centered<W: WideLanes>(
    m_out: &Modulus,
    out: &mut [u64],
    input: &[u64],
    m_in: &Modulus,
) -> usize {
    // x - q_in if x is above q_in/2, otherwise x; both are reduced first.
    let (v, one) = (WideModulus::<W>::new(m_out), WideFactor::<W>::new(m_out.one()));
    let (half, wrap) = (W::splat(m_in.value() / 2), W::splat(m_out.reduce(m_in.value())));
    let (len, out, input) = (full::<W>(out.len()), out.as_mut_ptr(), input.as_ptr());
    for at in (0..len).step_by(W::LANES) {
        let x = W::load(input.add(at));
        W::store(out.add(at), v.sub(v.mul(x, one), W::where_above(x, half, wrap)));
    }
    len
}
