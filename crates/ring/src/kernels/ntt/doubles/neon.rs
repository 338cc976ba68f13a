//! Four doubles, in two registers: NEON. Blocks of four vectors take all 32 registers, just as they take 16 of AVX2.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use std::arch::aarch64::*;
use std::array;

use super::Doubles;

/// 2^52: an integer below it, in the place of the mantissa, results in the sum of both.
const TWO_52: f64 = (1u64 << 52) as f64;

#[derive(Clone, Copy)]
pub(in super::super::super) struct Neon;

/// Returns the words of a register.
#[inline(always)]
unsafe fn words(x: float64x2_t) -> uint64x2_t {
    vreinterpretq_u64_f64(x)
}

#[inline(always)]
unsafe fn doubles(x: uint64x2_t) -> float64x2_t {
    vreinterpretq_f64_u64(x)
}

impl Doubles for Neon {
    type Vector = [float64x2_t; 2];

    const LANES: usize = 4;
    const PAIRED: [u32; 2] = [2, 1];

    #[inline(always)]
    unsafe fn load(source: *const u64) -> Self::Vector {
        [doubles(vld1q_u64(source)), doubles(vld1q_u64(source.add(2)))]
    }

    #[inline(always)]
    unsafe fn store(target: *mut u64, x: Self::Vector) {
        vst1q_u64(target, words(x[0]));
        vst1q_u64(target.add(2), words(x[1]));
    }

    #[inline(always)]
    unsafe fn splat(x: f64) -> Self::Vector {
        [vdupq_n_f64(x); 2]
    }

    intrinsics! { Self::Vector:
        add(x, y) = array::from_fn(|i| vaddq_f64(x[i], y[i]));
        sub(x, y) = array::from_fn(|i| vsubq_f64(x[i], y[i]));
        mul(x, y) = array::from_fn(|i| vmulq_f64(x[i], y[i]));
        mul_add(x, y, z) = array::from_fn(|i| vfmaq_f64(z[i], x[i], y[i]));
        mul_sub(x, y, z) = array::from_fn(|i| vfmaq_f64(vnegq_f64(z[i]), x[i], y[i]));
        sub_mul(z, x, y) = array::from_fn(|i| vfmsq_f64(z[i], x[i], y[i]));
        from_words(x) = array::from_fn(|i| vcvtq_f64_u64(words(x[i])));
        floor(x) = x.map(|x| vrndmq_f64(x));
        add_words(x, y) = array::from_fn(|i| doubles(vaddq_u64(words(x[i]), words(y[i]))));
    }

    #[inline(always)]
    unsafe fn to_words(x: Self::Vector, q: Self::Vector) -> Self::Vector {
        array::from_fn(|i| {
            let residue = vbslq_f64(vcltzq_f64(x[i]), vaddq_f64(x[i], q[i]), x[i]);
            doubles(vcvtq_u64_f64(residue))
        })
    }

    #[inline(always)]
    unsafe fn transpose<const R: usize>(x: &mut [Self::Vector; R]) {
        assert!(R == 4);
        let columns: [Self::Vector; 4] = array::from_fn(|i| {
            let register = i / 2;
            let pair = |row: usize| (x[row][register], x[row + 1][register]);
            let join = |(a, b)| if i % 2 == 0 { vtrn1q_f64(a, b) } else { vtrn2q_f64(a, b) };
            [join(pair(0)), join(pair(2))]
        });
        x.copy_from_slice(&columns);
    }

    #[inline(always)]
    unsafe fn bits_as_double(x: Self::Vector, shift: u32, mask: u64) -> Self::Vector {
        // A negative shift shifts to the right.
        let shift = vdupq_n_s64(-i64::from(shift));
        let (mask, offset) = (vdupq_n_u64(mask), vdupq_n_u64(TWO_52.to_bits()));
        x.map(|x| doubles(vorrq_u64(vandq_u64(vshlq_u64(words(x), shift), mask), offset)))
    }
}
