//! Words by themselves: products with constants, and reductions. Kernels return the number of words in full vectors,
//! which are those written; operands may be the same as `out`.

use super::lanes::WideLanes;
use super::modulus::{WideFactor, WideModulus};
use crate::Modulus;
use crate::modulus::Factor;

/// The words of `len` in full vectors.
#[inline(always)]
fn full<W: WideLanes>(len: usize) -> usize {
    len - len % W::LANES
}

/// `out = a·c`, for any words.
///
/// # Safety
/// The processor has the instruction set, and both pointers are valid for `len` words.
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
/// The processor has the instruction set; operands have one length.
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
/// As for [`mul_factor_add`].
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

/// See [`super::super::lift_centered`].
///
/// # Safety
/// As for [`mul_factor_add`].
#[inline(always)]
pub(super) unsafe fn lift_centered<W: WideLanes>(
    m_out: &Modulus,
    out: &mut [u64],
    input: &[u64],
    m_in: &Modulus,
) -> usize {
    // x - q_in where x is above q_in/2, both reduced first.
    let (v, one) = (WideModulus::<W>::new(m_out), WideFactor::<W>::new(m_out.one()));
    let (half, wrap) = (W::splat(m_in.value() / 2), W::splat(m_out.reduce(m_in.value())));
    let (len, out, input) = (full::<W>(out.len()), out.as_mut_ptr(), input.as_ptr());
    for at in (0..len).step_by(W::LANES) {
        let x = W::load(input.add(at));
        W::store(out.add(at), v.sub(v.mul(x, one), W::where_above(x, half, wrap)));
    }
    len
}
